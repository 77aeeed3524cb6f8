/* Finds the members of an archive that can be linted, and their names. A member's path is only a name: no file is
 * opened by it.
 *
 * Members of a known format that is no archive are linted after their archive, sorted by path, each as a document of
 * its own (ll_lint_member()) whose first region says where its bytes lie in the file. So places and patches are those
 * of the file. Profiles, suppressions, baselines and fingerprints know a member as ARCHIVE!PATH, which stays the same
 * when the archive is packed again. */
#include "model/format.h"
#include "findings/report.h"

#include <stdlib.h>
#include <string.h>

enum {
    PATH_SHOWN = 1024, /* bytes of a path; longer ones are cut */
    TAIL = 32          /* bytes at the end of a path, enough for every extension */
};

/* The end of a path, which names the member. */
typedef struct name {
    const uint8_t *bytes;
    uint32_t length;
    bool is_cut;
} name;

static name name_of(const ll_doc *doc, const ll_member *member)
{
    uint32_t cut = member->path_length > PATH_SHOWN ? member->path_length - PATH_SHOWN : 0;
    return (name){doc->bytes + member->path + cut, member->path_length - cut, cut > 0};
}

void ll_member_path(const ll_doc *archive, const ll_member *member, ll_text *out)
{
    name n = name_of(archive, member);
    ll_text_str(out, n.is_cut ? "..." : "");
    for (const uint8_t *from = n.bytes, *end = from + n.length; from < end;) {
        const uint8_t *nul = memchr(from, 0, (size_t)(end - from));
        ll_text_put(out, (const char *)from, (size_t)((nul ? nul : end) - from));
        ll_text_str(out, nul ? "\\x00" : "");
        from = nul ? nul + 1 : end;
    }
}

/* ------------------------------------------------------------------ members that can be linted */

static bool has_known_extension(const char *path)
{
    const char *const *extension = ll_format_extensions();
    while (*extension && !ll_ends_with(path, *extension)) {
        extension++;
    }
    return *extension;
}

/* Decides by extension, then by magic. An archive inside an archive is not opened. */
static bool can_be_linted(const ll_doc *doc, const ll_member *member)
{
    char tail[TAIL + 1] = "";
    name n = name_of(doc, member);
    uint32_t from = n.length > TAIL ? n.length - TAIL : 0;
    for (uint32_t i = from; i < n.length; i++) {
        tail[i - from] = n.bytes[i] ? (char)n.bytes[i] : ' ';
    }
    const uint8_t *bytes = doc->bytes + member->offset;
    const ll_format *format = ll_format_choose(bytes, member->length, tail);
    return format && format->file_kind != LL_FILE_ARCHIVE &&
           (has_known_extension(tail) ||
            (!format->shares_magic && format->probe(bytes, member->length) == LL_PROBE_SURE));
}

/* ------------------------------------------------------------------ order */

typedef struct named {
    name path;
    ll_member member;
} named;

/* Sorts by path, then by offset. */
static int compare(const void *a, const void *b)
{
    const named *one = a;
    const named *two = b;
    uint32_t both = one->path.length < two->path.length ? one->path.length : two->path.length;
    int order = both ? memcmp(one->path.bytes, two->path.bytes, both) : 0;
    order = order ? order : (one->path.length > two->path.length) - (one->path.length < two->path.length);
    return order ? order : (one->member.offset > two->member.offset) - (one->member.offset < two->member.offset);
}

static bool is_inside(const ll_doc *doc, const ll_member *member)
{
    return ll_fits(member->path, member->path_length, doc->size) && ll_fits(member->offset, member->length, doc->size);
}

ll_status ll_members_find(ll_doc *doc, uint32_t whole, ll_members *out)
{
    const uint32_t count = doc->opaque ? 0 : doc->member_count;
    if (!count) {
        return LL_OK;
    }
    named *all = ll_arena_alloc(&doc->arena, count, sizeof *all);
    out->items = ll_arena_alloc(&doc->arena, count, sizeof *out->items);
    if (!all || !out->items) {
        return LL_E_MEMORY;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const ll_member *member = &doc->members[i];
        if (!is_inside(doc, member)) {
            return LL_E_INTERNAL;
        }
        if (member->length && ll_fits(member->offset, member->length, whole) && ll_is_usable(doc, member->span) &&
            can_be_linted(doc, member)) {
            all[n++] = (named){name_of(doc, member), *member};
        }
    }
    if (n) {
        qsort(all, n, sizeof *all, compare);
    }
    for (uint32_t i = 0; i < n; i++) {
        out->items[i] = all[i].member;
    }
    out->count = n;
    return LL_OK;
}

/* ------------------------------------------------------------------ public */

size_t ll_report_member_count(const ll_report *report)
{
    return report ? report->members.count : 0;
}

ll_status ll_report_member(ll_report *report, size_t index, ll_member_info *out)
{
    if (!report || !out || index >= report->members.count) {
        return LL_E_ARGUMENT;
    }
    const ll_member *member = &report->members.items[index];
    ll_text_clear(&report->last.texts);
    ll_member_path(&report->doc, member, &report->last.texts);
    *out = (ll_member_info){ll_text_cstr(&report->last.texts), member->offset, member->length};
    return report->last.texts.failed ? LL_E_MEMORY : LL_OK;
}
