/* C checks of archives (rows of fpk_checks.def): type, extensions, paths and references. The checks of the order of
 * entries are in fpk_order_checks.c. */
#include "formats/fpk/fpk.h"

#include "base/ints.h"
#include "base/map.h"
#include "base/md5.h"
#include "base/sort.h"
#include "base/text.h"

#include <string.h>

static const char *const parts[] = {[FPK_PART_FPK] = "fpk", [FPK_PART_FPKD] = "fpkd"};

/* ------------------------------------------------------------------ the file and its entries */

void fpk_check_entry_part(ll_check_run *run)
{
    const fpk_contents *c = fpk_contents_of(run);
    unsigned part = fpk_part_of(run->doc);
    for (uint32_t i = 0; i < c->count; i++) {
        uint16_t extension = c->names[i].extension;
        if (extension != FPK_UNLISTED && fpk_extensions[extension].part == FPK_PART_FPK + FPK_PART_FPKD - part) {
            LL_REPORT(run, 0, fpk_name_of(run, i), fpk_chars(fpk_extension_of(run, i)),
                      ll_word(parts[fpk_extensions[extension].part]));
        }
    }
}

void fpk_check_entry_unlisted(ll_check_run *run)
{
    const fpk_contents *c = fpk_contents_of(run);
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->names[i].extension == FPK_UNLISTED && c->names[i].span != LL_NO_SPAN) {
            LL_REPORT(run, 0, fpk_name_of(run, i), fpk_chars(fpk_extension_of(run, i)));
        }
    }
}

/* ------------------------------------------------------------------ paths and members by themselves */

/* Whether a path has the shape that the rule fpk-path-shape asks for (a slash in front, no blank at the end, no
 * backslash, no "//" and no folder ".."), and no drive letter, which that rule allows. */
static bool is_shaped(const uint8_t *text, uint32_t length)
{
    bool shaped = length > 0 && text[0] == '/' && text[length - 1] != ' ';
    for (uint32_t i = 0; shaped && i < length; i++) {
        bool dots = i + 2 < length && text[i] == '/' && text[i + 1] == '.' && text[i + 2] == '.' &&
                    (i + 3 == length || text[i + 3] == '/');
        shaped = text[i] != '\\' && (i == 0 || text[i] != '/' || text[i - 1] != '/') && !dots;
    }
    return shaped;
}

/* Whether a path begins with /Assets/ and has a listed extension: then its bytes are probably right. */
static bool is_usual(const uint8_t *text, uint32_t length)
{
    static const char root[] = "/Assets/";
    const uint8_t *extension = NULL;
    uint32_t n = fpk_extension(text, length, &extension);
    return length > sizeof root && memcmp(text, root, sizeof root - 1) == 0 &&
           fpk_extension_number(extension, n) != FPK_UNLISTED;
}

/* The first 12 bytes of the MD5s of all entries, sorted. */
typedef struct sums {
    const ll_sort_key *keys; /* NULL: not sorted yet */
    uint32_t count;          /* entries */
} sums;

static ll_sort_key key_of(const uint8_t md5[LL_MD5_SIZE], uint32_t entry)
{
    return (ll_sort_key){ll_le64(md5), ll_le32(md5 + sizeof(uint64_t)), entry};
}

/* Sorts the MD5s on the first call. False: no memory. */
static bool sort_sums(sums *s, ll_check_run *run)
{
    ll_sort_key *keys = s->keys ? NULL : ll_check_alloc(run, s->count, 2 * sizeof *keys);
    for (uint32_t i = 0; keys && i < s->count; i++) {
        keys[i] = key_of(run->doc->bytes + fpk_md5_of(run->doc, i).offset, i);
    }
    s->keys = keys ? ll_sort(keys, keys + s->count, s->count) : s->keys;
    return s->keys;
}

/* Reports an MD5 that is not that of the path. If another rule reports the text, the text is wrong and not the MD5. */
static void judge_hash(ll_check_run *run, uint32_t entry, sums *all)
{
    const fpk_contents *c = fpk_contents_of(run);
    const ll_doc *doc = run->doc;
    const ll_where text = fpk_text_of(run, c->names[entry].path), md5 = fpk_md5_of(doc, entry);
    const uint8_t *bytes = doc->bytes + text.offset;
    if (fpk_count_odd(bytes, text.length) || !is_shaped(bytes, text.length)) {
        return;
    }
    ll_fault f = LL_MAKE_FAULT(0, 0, md5, text, fpk_chars(text));
    uint8_t *right = is_usual(bytes, text.length) ? ll_check_alloc(run, LL_MD5_SIZE, 1) : NULL;
    if (right) {
        ll_md5(bytes, text.length, right);
    }
    const ll_sort_key sought = right ? key_of(right, entry) : (ll_sort_key){0};
    const ll_sort_key *other = right && sort_sums(all, run) ? ll_sort_find(all->keys, all->count, &sought) : NULL;
    if (other && memcmp(doc->bytes + fpk_md5_of(doc, other->item).offset, right, LL_MD5_SIZE) == 0) {
        ll_patch_none(&f); /* another entry states this MD5: the paths may be exchanged */
    } else if (right) {
        ll_patch_replace(doc, &f, LL_PATCH_SAFE, md5.offset, right, LL_MD5_SIZE);
    }
    ll_report_fault(run, &f);
}

void fpk_check_path_hash(ll_check_run *run)
{
    const fpk_contents *c = fpk_contents_of(run);
    sums all = {.count = c->count};
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->names[i].span == LL_NO_SPAN && ll_is_usable(run->doc, c->names[i].path)) {
            judge_hash(run, i, &all);
        }
    }
}

/* ------------------------------------------------------------------ equal paths, references */

void fpk_check_path_case(ll_check_run *run)
{
    const fpk_contents *c = fpk_contents_of(run);
    fpk_met_texts t;
    if (!fpk_open_texts(&t, run, c->count)) {
        return;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->names[i].span == LL_NO_SPAN) {
            continue;
        }
        ll_where at = fpk_name_of(run, i);
        uint32_t other = fpk_note(&t, i, at);
        if (other != LL_MAP_NONE &&
            memcmp(run->doc->bytes + at.offset, run->doc->bytes + t.at[other].offset, at.length) != 0) {
            LL_REPORT_RELATED(run, 0, at, t.at[other], fpk_chars(at), fpk_chars(t.at[other]));
        }
    }
}

void fpk_check_data_references(ll_check_run *run)
{
    uint32_t rows = run->doc->firsts[fpk_reference_LAYOUT];
    if (rows && fpk_part_of(run->doc) == FPK_PART_FPKD) {
        LL_REPORT(run, 0, ll_at_field(run->doc, fpk_header_of(run->doc), 0, fpk_header_reference_count),
                  ll_uint(ll_doc_span(run->doc, rows - 1)->count));
    }
}

static bool is_archive_path(const uint8_t *text, uint32_t length)
{
    static const char begin[] = "/Assets/", end[] = ".fpk";
    size_t b = sizeof begin - 1, e = sizeof end - 1;
    return length > b + e && memcmp(text, begin, b) == 0 && memcmp(text + length - e, end, e) == 0;
}

void fpk_check_reference_shape(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    uint32_t count = 0, first = doc->firsts[fpk_reference_path_LAYOUT], rows = doc->firsts[fpk_reference_LAYOUT];
    fpk_met_texts t;
    if (!first || !fpk_open_texts(&t, run, ll_doc_span(doc, rows - 1)->count)) {
        return;
    }
    for (uint32_t span = first - 1; span < doc->span_count; span++) {
        if (ll_doc_span(doc, span)->layout != fpk_reference_path_LAYOUT || !ll_is_usable(doc, span)) {
            continue;
        }
        ll_where at = fpk_text_of(run, span);
        uint32_t other = fpk_note(&t, count++, at);
        if (other != LL_MAP_NONE) {
            LL_REPORT_RELATED(run, 0, at, t.at[other], fpk_chars(at), ll_word("a path that no other reference has"));
        } else if (!is_archive_path(doc->bytes + at.offset, at.length)) {
            LL_REPORT(run, 0, at, fpk_chars(at), ll_word("a path /Assets/....fpk"));
        }
    }
}
