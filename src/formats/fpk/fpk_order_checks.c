/* C checks of the order of entries (rows of fpk_checks.def): entries of one extension form a group, the groups have an
 * order, and so have the paths in a group. */
#include "formats/fpk/fpk.h"

#include <stdlib.h>
#include <string.h>

/* What a check looks at: whether each extension has one group; the order of groups; the order of paths in a group. */
typedef enum level { GROUPING, GROUP, NAME } level;

/* The entries with verified paths in an order, at first that of the file. */
typedef struct sequence {
    ll_check_run *run;
    uint32_t *entries; /* scratch of the check */
    uint32_t count;
    unsigned part; /* FPK_PART_FPK or FPK_PART_FPKD */
} sequence;

/* Two blocks of the sequence, [first, middle) and [second, end), one of which is in the wrong place. */
typedef struct breach {
    uint32_t first, middle, second, end;
} breach;

/* Row of the extension in fpk_extensions.def, which is the rank of its group. */
static uint16_t number_at(const sequence *s, uint32_t i)
{
    return fpk_contents_of(s->run)->names[s->entries[i]].extension;
}

/* Whether the extension is listed for the part of this file, so that its group has a rank. */
static bool has_rank(const sequence *s, uint32_t i)
{
    return number_at(s, i) != FPK_UNLISTED && fpk_extensions[number_at(s, i)].part == s->part;
}

static bool same_extension(const sequence *s, uint32_t i, uint32_t k)
{
    const char *bytes = (const char *)s->run->doc->bytes;
    ll_where a = fpk_extension_of(s->run, s->entries[i]), b = fpk_extension_of(s->run, s->entries[k]);
    return a.length == b.length && ll_same_letters(bytes + a.offset, bytes + b.offset, a.length);
}

/* Below 0: entry i belongs before entry k; 0: either order will do; above 0: after it. NAME compares entries of one
 * extension only, in an fpkd in descending order. */
static int compare(const sequence *s, level by, uint32_t i, uint32_t k)
{
    if (by == GROUP) {
        return (int)number_at(s, i) - (int)number_at(s, k);
    }
    if (!same_extension(s, i, k)) {
        return 0;
    }
    ll_where a = fpk_name_of(s->run, s->entries[i]), b = fpk_name_of(s->run, s->entries[k]);
    int order =
        memcmp(s->run->doc->bytes + a.offset, s->run->doc->bytes + b.offset, a.length < b.length ? a.length : b.length);
    order = order ? order : a.length < b.length ? -1 : a.length > b.length;
    return s->part == FPK_PART_FPKD ? -order : order;
}

/* End of the run of entries with the extension of entry i, from i on. */
static uint32_t run_end(const sequence *s, uint32_t i)
{
    uint32_t end = i + 1;
    while (end < s->count && same_extension(s, i, end)) {
        end++;
    }
    return end;
}

/* Finds the first extension that has two groups. */
static bool find_ungrouped(const sequence *s, breach *out)
{
    fpk_met_texts t;
    if (!fpk_open_texts(&t, s->run, s->count)) {
        return false;
    }
    for (uint32_t i = 0, end = 0; i < s->count; i = end) {
        end = run_end(s, i);
        uint32_t earlier = fpk_note(&t, i, fpk_extension_of(s->run, s->entries[i]));
        if (earlier != LL_MAP_NONE) {
            *out = (breach){earlier, run_end(s, earlier), i, end};
            return true;
        }
    }
    return false;
}

/* Finds the first two blocks that break the order: groups, or for NAME single entries. */
static bool find_breach(const sequence *s, level by, breach *out)
{
    if (by == GROUPING) {
        return find_ungrouped(s, out);
    }
    uint32_t first = LL_NO_INDEX, before = LL_NO_INDEX; /* the last entry compared, and the start of its group */
    for (uint32_t i = 0; i < s->count; i++) {
        if (by == GROUP && !has_rank(s, i)) {
            continue;
        }
        if (before != LL_NO_INDEX && compare(s, by, before, i) > 0) {
            *out = (breach){by == NAME ? before : first, before + 1, i, by == NAME ? i + 1 : run_end(s, i)};
            return true;
        }
        first = before != LL_NO_INDEX && same_extension(s, before, i) ? first : i;
        before = i;
    }
    return false;
}

/* A copy of the sequence with the block [from, end) moved in front of `to`, which is outside of the block. False: no
 * memory. */
static bool move(const sequence *s, uint32_t from, uint32_t end, uint32_t to, sequence *out)
{
    *out = *s;
    out->entries = ll_check_alloc(s->run, (size_t)s->count + 1, sizeof *out->entries);
    uint32_t count = 0;
    for (uint32_t i = 0; out->entries && i <= s->count; i++) {
        for (uint32_t k = from; i == to && k < end; k++) {
            out->entries[count++] = s->entries[k];
        }
        if (i < s->count && (i < from || i >= end)) {
            out->entries[count++] = s->entries[i];
        }
    }
    return out->entries != NULL;
}

/* Sort key of an entry. */
typedef struct placed {
    const uint8_t *path;
    uint32_t length, entry;
    uint32_t group;  /* rank of its group; groups without a rank come last, in the order of the file */
    bool descending; /* paths in a group */
} placed;

static int by_place(const void *a, const void *b)
{
    const placed *one = a, *other = b;
    int order = memcmp(one->path, other->path, one->length < other->length ? one->length : other->length);
    order = order ? order : (one->length > other->length) - (one->length < other->length);
    order = one->descending ? -order : order;
    order = one->group != other->group ? (one->group > other->group) - (one->group < other->group) : order;
    return order ? order : (one->entry > other->entry) - (one->entry < other->entry);
}

/* Adds a patch that puts all entries in order. There is none if the document has another fault, whose place may depend
 * on the order, or if the path of an entry is not verified. */
static void patch_order(const sequence *s, ll_fault *fault)
{
    fpk_met_texts t;
    placed *all = ll_check_alloc(s->run, s->count, sizeof *all);
    uint32_t *order = ll_check_alloc(s->run, s->count, sizeof *order);
    if (s->run->doc->first_fault || s->count != fpk_contents_of(s->run)->count || !all || !order ||
        !fpk_open_texts(&t, s->run, s->count)) {
        return;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        ll_where path = fpk_name_of(s->run, s->entries[i]);
        uint32_t first = fpk_note(&t, i, fpk_extension_of(s->run, s->entries[i]));
        uint32_t last = FPK_UNLISTED + (first == LL_MAP_NONE ? i : first);
        all[i] = (placed){s->run->doc->bytes + path.offset, path.length, s->entries[i],
                          has_rank(s, i) ? number_at(s, i) : last, s->part == FPK_PART_FPKD};
    }
    qsort(all, s->count, sizeof *all, by_place);
    for (uint32_t i = 0; i < s->count; i++) {
        order[i] = all[i].entry;
    }
    ll_patch_elements(fault, order);
}

/* Whether each extension has one group and the groups are in order; for NAME, whether the paths are in order too. */
static bool is_clean(const sequence *s, level by)
{
    breach b;
    return !find_breach(s, GROUPING, &b) && !find_breach(s, GROUP, &b) && (by != NAME || !find_breach(s, NAME, &b));
}

/* Place of the record of an entry. */
static ll_where row_of(const ll_check_run *run, uint32_t entry)
{
    uint32_t rows = run->doc->firsts[fpk_entry_LAYOUT] - 1;
    uint32_t offset = ll_doc_span(run->doc, rows)->offset + entry * fpk_entry_SIZE;
    return (ll_where){rows, entry, LL_NO_FIELD, LL_NO_PART, offset, fpk_entry_SIZE};
}

/* Reports the block that is in the wrong place: the second one if moving it back to its place puts all in order, else
 * the first one if moving it forth does, else the second one. */
static void report_breach(const sequence *s, level by, const breach *b)
{
    uint32_t back = by == GROUPING ? b->middle : b->second, forth = by == GROUPING ? b->second : b->end;
    while (by != GROUPING && back > 0 && compare(s, by, back - 1, b->second) > 0) {
        back--;
    }
    while (by != GROUPING && forth < s->count && compare(s, by, b->first, forth) > 0) {
        forth++;
    }
    sequence better;
    bool second = move(s, b->second, b->end, back, &better) && is_clean(&better, by);
    bool first = !second && move(s, b->first, b->middle, forth, &better) && is_clean(&better, by);
    uint32_t at = s->entries[first ? b->first : b->second], other = s->entries[first ? b->second : b->middle - 1];
    ll_where text = fpk_name_of(s->run, at), related = fpk_name_of(s->run, other);
    ll_fault f =
        by == NAME
            ? LL_MAKE_FAULT(0, 0, row_of(s->run, at), row_of(s->run, other), fpk_chars(text), fpk_chars(related),
                            ll_word(s->part == FPK_PART_FPKD ? "descending" : "ascending"))
            : LL_MAKE_FAULT(0, 0, row_of(s->run, at), row_of(s->run, other), fpk_chars(fpk_extension_of(s->run, at)),
                            fpk_chars(by == GROUPING ? related : fpk_extension_of(s->run, other)));
    patch_order(s, &f);
    ll_report_fault(s->run, &f);
}

/* Reports the first breach of a level. GROUP and NAME are not checked while an extension has two groups. */
static void check_order(ll_check_run *run, level by)
{
    const fpk_contents *c = fpk_contents_of(run);
    sequence s = {.run = run, .entries = ll_check_alloc(run, (size_t)c->count + 1, sizeof *s.entries)};
    breach b;
    s.part = fpk_part_of(run->doc);
    if (c->count == 0 || !s.entries || s.part > FPK_PART_FPKD) {
        return;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->names[i].span != LL_NO_SPAN) {
            s.entries[s.count++] = i;
        }
    }
    if ((by == GROUPING || !find_breach(&s, GROUPING, &b)) && find_breach(&s, by, &b)) {
        report_breach(&s, by, &b);
    }
}

/* Whether the archive is an fpkd with a DataSet. The game does not load these unless entries are grouped. */
static bool has_data_set(const ll_check_run *run)
{
    const fpk_contents *c = fpk_contents_of(run);
    uint16_t wanted = fpk_extension_number((const uint8_t *)"fox2", 4);
    bool found = false;
    for (uint32_t i = 0; !found && i < c->count; i++) {
        found = c->names[i].extension == wanted;
    }
    return found && fpk_part_of(run->doc) == FPK_PART_FPKD;
}

void fpk_check_data_grouping(ll_check_run *run)
{
    if (has_data_set(run)) {
        check_order(run, GROUPING);
    }
}

void fpk_check_grouping(ll_check_run *run)
{
    if (fpk_contents_of(run)->count && !has_data_set(run)) {
        check_order(run, GROUPING);
    }
}

void fpk_check_data_group_order(ll_check_run *run)
{
    if (fpk_contents_of(run)->count && fpk_part_of(run->doc) == FPK_PART_FPKD) {
        check_order(run, GROUP);
    }
}

void fpk_check_group_order(ll_check_run *run)
{
    if (fpk_contents_of(run)->count && fpk_part_of(run->doc) == FPK_PART_FPK) {
        check_order(run, GROUP);
    }
}

void fpk_check_name_order(ll_check_run *run)
{
    check_order(run, NAME);
}
