/* The index of an archive (path and member of each entry), the judge that raises faults about single entries, and
 * helpers that the checks share. */
#include "formats/fpk/fpk.h"

#include "base/md5.h"
#include "base/text.h"

#include <string.h>

const uint8_t fpk_types[FPK_PARTS] = {[FPK_PART_FPK] = 0, [FPK_PART_FPKD] = 'd'};

const fpk_extension_row fpk_extensions[FPK_EXTENSIONS] = {
#define FPK_EXTENSION(part, name) {name, FPK_PART_##part},
#include "formats/fpk/fpk_extensions.def"
#undef FPK_EXTENSION
};

uint32_t fpk_extension(const uint8_t *path, uint32_t length, const uint8_t **out)
{
    uint32_t at = length;
    while (at > 0 && path[at - 1] != '.' && path[at - 1] != '/') {
        at--;
    }
    *out = path + at;
    return at > 0 && path[at - 1] == '.' ? length - at : 0;
}

uint16_t fpk_extension_number(const uint8_t *extension, uint32_t length)
{
    for (uint16_t i = 0; i < FPK_EXTENSIONS; i++) {
        const char *name = fpk_extensions[i].name;
        if (strlen(name) == length && ll_same_letters(name, (const char *)extension, length)) {
            return i;
        }
    }
    return FPK_UNLISTED;
}
/* ------------------------------------------------------------------ entries */

/* The member of an entry, from the spans of its path and its bytes. Each may be LL_NO_SPAN. */
static ll_member member_of(const ll_doc *doc, uint32_t path, uint32_t bytes)
{
    ll_member m = {.span = bytes};
    if (path != LL_NO_SPAN) {
        m.path = ll_doc_span(doc, path)->offset;
        m.path_length = ll_doc_span(doc, path)->count;
    }
    if (bytes != LL_NO_SPAN) {
        m.offset = ll_doc_span(doc, bytes)->offset;
        m.length = ll_doc_span(doc, bytes)->length;
    }
    return m;
}

ll_where fpk_md5_of(const ll_doc *doc, uint32_t entry)
{
    return ll_at_field(doc, doc->firsts[fpk_entry_LAYOUT] - 1, entry, fpk_entry_path_md5);
}

static bool has_md5(const ll_doc *doc, uint32_t entry, const uint8_t *text, uint32_t length)
{
    uint8_t md5[LL_MD5_SIZE];
    ll_md5(text, length, md5);
    return memcmp(doc->bytes + fpk_md5_of(doc, entry).offset, md5, sizeof md5) == 0;
}

uint32_t fpk_count_odd(const uint8_t *text, uint32_t length)
{
    uint32_t odd = 0;
    for (uint32_t i = 0; i < length; i++) {
        odd += text[i] < 0x20 || text[i] >= 0x7F;
    }
    return odd;
}

/* Whether a quarter of the bytes or more are not printable ASCII: too many for damage or for a language. */
static bool is_encrypted(uint32_t odd, uint32_t length)
{
    return odd && odd >= length / 4;
}

/* Fills in names[i] and members[i].unnamed. The path is verified if its MD5 is the one that the entry states. Without
 * that, a path that is printable and begins with a slash still names the member. */
static void name_entry(const ll_doc *doc, fpk_contents *c, uint32_t i, uint32_t path)
{
    ll_member *m = &c->members[i];
    const uint8_t *text = doc->bytes + m->path, *extension = NULL;
    c->names[i] = (fpk_name){.span = LL_NO_SPAN, .extension = FPK_UNLISTED, .path = path};
    m->unnamed = true;
    if (!ll_is_usable(doc, path)) {
        return;
    }
    if (has_md5(doc, i, text, m->path_length)) {
        c->names[i].span = path;
        const uint32_t length = fpk_extension(text, m->path_length, &extension);
        c->names[i].extension = fpk_extension_number(extension, length);
    }
    const bool likely = m->path_length && text[0] == '/' && !fpk_count_odd(text, m->path_length);
    m->unnamed = c->names[i].span == LL_NO_SPAN && !likely;
}

/* Raises a fault about a path that is encrypted, or that has a NUL before its stated end. */
static void judge_path(ll_doc *doc, const fpk_contents *c, uint32_t i)
{
    const ll_member *m = &c->members[i];
    const uint32_t path = c->names[i].path;
    const uint8_t *text = doc->bytes + m->path;
    if (!ll_is_usable(doc, path)) {
        return;
    }
    const uint32_t odd = fpk_count_odd(text, m->path_length);
    const uint8_t *nul = memchr(text, 0, m->path_length);
    if (c->names[i].span == LL_NO_SPAN && is_encrypted(odd, m->path_length)) {
        LL_RAISE(doc, FPK_FAULT_PATH_ENCRYPTED, 0, fpk_md5_of(doc, i), ll_uint(odd));
        ll_mark_span(doc, path, LL_SPAN_BROKEN | LL_SPAN_EXPLAINED);
    } else if (nul) {
        LL_RAISE(doc, FPK_FAULT_STRING_TERMINATOR, 0, ll_at_bytes(path, (uint32_t)(nul - doc->bytes), 1),
                 ll_uint((uint64_t)(nul - text)), ll_uint(m->path_length), ll_word("bytes in front of a NUL"));
    }
}

/* Raises a fault about a member that is an archive by its extension or its first bytes: it is not opened. */
static void raise_nested(ll_doc *doc, const ll_member *m)
{
    const uint8_t *extension = NULL;
    const uint32_t length = fpk_extension(doc->bytes + m->path, m->path_length, &extension);
    const bool named = (length == 3 || length == 4) && ll_same_letters((const char *)extension, "fpkd", length);
    if (m->span != LL_NO_SPAN && m->length &&
        (named || fpk_probe(doc->bytes + m->offset, m->length) == LL_PROBE_SURE)) {
        LL_RAISE(doc, LL_FAULT_ARCHIVE_UNREAD, 0, ll_at_bytes(m->span, m->offset, m->length),
                 ll_word("an archive in an archive"), ll_chars(m->path, m->path_length));
        ll_mark_unsupported(doc);
    }
}

/* The family that has the extension of a path. NULL: there is none, it has no probe, or it is fpk itself. */
static const ll_format *family_of(const uint8_t *path, uint32_t length)
{
    char name[16] = ".";
    const uint8_t *extension = NULL;
    uint32_t n = fpk_extension(path, length, &extension);
    if (n == 0 || n + 2 > sizeof name) {
        return NULL;
    }
    memcpy(name + 1, extension, n);
    const ll_format *format = ll_format_by_name(name);
    return format && format->probe && format != &fpk_format ? format : NULL;
}

/* Whether the bytes are surely of a known family or of a known foreign kind. The check of the member by itself reports
 * that. */
static bool is_known(const uint8_t *bytes, uint32_t length)
{
    ll_probe_result sure = LL_PROBE_NO;
    (void)ll_format_by_content(bytes, length, &sure);
    return sure == LL_PROBE_SURE || ll_foreign_of(bytes, length) != LL_FOREIGN_NONE;
}

/* Raises a fault about a member with a verified path whose bytes are neither of the family of its extension nor of any
 * other known kind. Such a member is not checked. named: the path is verified. */
static void judge_kind(ll_doc *doc, const ll_member *m, bool named)
{
    const uint8_t *bytes = doc->bytes + m->offset;
    const bool known = named && ll_is_usable(doc, m->span) && m->length;
    const ll_format *format = known ? family_of(doc->bytes + m->path, m->path_length) : NULL;
    if (format && format->probe(bytes, m->length) == LL_PROBE_NO && !is_known(bytes, m->length)) {
        const uint32_t shown = m->length < 8 ? m->length : 8;
        LL_RAISE(doc, FPK_FAULT_ENTRY_KIND, 0, ll_at_bytes(m->span, m->offset, shown), ll_chars(m->offset, shown),
                 ll_word(format->family));
        ll_mark_span(doc, m->span, LL_SPAN_BROKEN | LL_SPAN_EXPLAINED);
    }
}

/* The spans of a layout, by the number of their entry; LL_NO_SPAN: the entry has none. NULL: no memory. */
static uint32_t *spans_of(ll_doc *doc, uint16_t layout, uint32_t count)
{
    uint32_t *out = ll_doc_alloc(doc, (size_t)count + 1, sizeof *out);
    if (out) {
        memset(out, 0xFF, ((size_t)count + 1) * sizeof *out);
    }
    for (uint32_t i = doc->firsts[layout]; out && i && i <= doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i - 1);
        if (s->layout == layout && s->index < count) {
            out[s->index] = i - 1;
        }
    }
    return out;
}

const void *fpk_index(ll_doc *doc)
{
    const uint32_t entries = doc->firsts[fpk_entry_LAYOUT] - 1;
    const bool read = doc->firsts[fpk_path_LAYOUT] || doc->firsts[fpk_member_LAYOUT]; /* else only the tables are */
    const uint32_t count = entries != LL_NO_SPAN && read ? ll_doc_span(doc, entries)->count : 0;
    const uint32_t *paths = spans_of(doc, fpk_path_LAYOUT, count), *bytes = spans_of(doc, fpk_member_LAYOUT, count);
    fpk_contents *c = ll_doc_zalloc(doc, 1, sizeof *c);
    if (c) {
        c->count = count;
        c->names = ll_doc_alloc(doc, (size_t)count + 1, sizeof *c->names);
        c->members = ll_doc_zalloc(doc, (size_t)count + 1, sizeof *c->members);
    }
    if (doc->status != LL_OK) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        c->members[i] = member_of(doc, paths[i], bytes[i]);
        name_entry(doc, c, i, paths[i]);
    }
    return c;
}

/* Whether the header states 0 entries. */
static bool is_empty(const ll_doc *doc)
{
    ll_element header;
    return ll_element_at(doc, fpk_header_of(doc), 0, &header) && ll_get_uint(&header, fpk_header_entry_count) == 0;
}

void fpk_judge_entries(ll_doc *doc)
{
    const fpk_contents *c = ll_doc_memo(doc, fpk_index);
    doc->fatal = doc->fatal || (c && !c->count && !is_empty(doc));
    for (uint32_t i = 0; c && i < c->count; i++) {
        judge_path(doc, c, i);
        raise_nested(doc, &c->members[i]);
        judge_kind(doc, &c->members[i], c->names[i].span != LL_NO_SPAN);
    }
    doc->members = c ? c->members : NULL;
    doc->member_count = c ? c->count : 0;
}

/* ------------------------------------------------------------------ helpers of the checks */

uint32_t fpk_header_of(const ll_doc *doc)
{
    return doc->firsts[fpk_header_LAYOUT] - 1;
}

/* The part that the file name says. FPK_PARTS: it says none. */
static unsigned fpk_part_by_name(const ll_doc *doc)
{
    const char *name = doc->name ? doc->name : "";
    return ll_ends_with(name, ".fpkd") ? FPK_PART_FPKD : ll_ends_with(name, ".fpk") ? FPK_PART_FPK : FPK_PARTS;
}

unsigned fpk_part_of(const ll_doc *doc)
{
    unsigned part = fpk_part_by_name(doc);
    ll_element record;
    bool usable = ll_is_usable(doc, fpk_header_of(doc)) && ll_element_at(doc, fpk_header_of(doc), 0, &record);
    for (unsigned i = FPK_PART_FPK; part == FPK_PARTS && i < FPK_PARTS && usable; i++) {
        part = ll_get_uint(&record, fpk_header_type) == fpk_types[i] ? i : part;
    }
    return part;
}

const fpk_contents *fpk_contents_of(const ll_check_run *run)
{
    return run->memo;
}

ll_where fpk_text_of(const ll_check_run *run, uint32_t span)
{
    return ll_at_field(run->doc, span, 0, LL_STRING_TEXT);
}

ll_where fpk_name_of(const ll_check_run *run, uint32_t entry)
{
    return fpk_text_of(run, fpk_contents_of(run)->names[entry].span);
}

ll_where fpk_extension_of(const ll_check_run *run, uint32_t entry)
{
    ll_where at = fpk_name_of(run, entry);
    const uint8_t *from = NULL;
    at.length = fpk_extension(run->doc->bytes + at.offset, at.length, &from);
    at.offset = (uint32_t)(from - run->doc->bytes);
    return at;
}

bool fpk_open_texts(fpk_met_texts *t, ll_check_run *run, uint32_t count)
{
    ll_allocator a = ll_arena_allocator(run->arena);
    *t = (fpk_met_texts){.run = run, .at = ll_check_alloc(run, (size_t)count + 1, sizeof *t->at)};
    return t->at && ll_map_open(&t->map, count, (uint64_t)count + 1, &a);
}

static bool is_same(const void *sought, uint32_t item)
{
    const fpk_met_texts *t = sought;
    const char *bytes = (const char *)t->run->doc->bytes;
    return t->at[item].length == t->sought.length &&
           ll_same_letters(bytes + t->at[item].offset, bytes + t->sought.offset, t->sought.length);
}

uint32_t fpk_note(fpk_met_texts *t, uint32_t number, ll_where at)
{
    uint64_t hash = LL_FNV_START;
    for (uint32_t i = 0; i < at.length; i++) {
        char c = ll_lower((char)t->run->doc->bytes[at.offset + i]);
        hash = ll_fnv(hash, &c, 1);
    }
    t->at[number] = t->sought = at;
    return ll_map_note(&t->map, ll_map_hash(hash), number, is_same, t);
}
