/* Named checks of archives: type, extensions, order of entries, references. */
#include "formats/fpk/fpk.h"

#include "base/map.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { FPK, FPKD };

static const struct {
    const char *name;
    uint8_t part;
} extensions[] = {
#define FPK_EXTENSION(part, name) {name, part},
#include "formats/fpk/fpk_extensions.def"
#undef FPK_EXTENSION
};
enum { EXTENSIONS = sizeof extensions / sizeof extensions[0] };

static const uint8_t types[] = {[FPK] = 0, [FPKD] = 'd'};
static const char *const parts[] = {[FPK] = "fpk", [FPKD] = "fpkd"};

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
    for (uint16_t i = 0; i < EXTENSIONS; i++) {
        const char *name = extensions[i].name;
        if (strlen(name) == length && ll_same_letters(name, (const char *)extension, length)) {
            return i;
        }
    }
    return FPK_UNLISTED;
}

/* ------------------------------------------------------------------ the index */

ll_member fpk_member_of(const ll_doc *doc, uint32_t path, uint32_t bytes)
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

/* What the path of an entry is: that which the MD5 is of has a name, and one that at least looks like a path may be it.
 */
static void name_entry(const ll_doc *doc, fpk_contents *c, uint32_t i, uint32_t path)
{
    ll_member *m = &c->members[i];
    const uint8_t *text = doc->bytes + m->path, *extension = NULL;
    bool printable = m->path_length > 0;
    for (uint32_t k = 0; k < m->path_length && printable; k++) {
        printable = fpk_is_printable(text[k]);
    }
    bool named = ll_is_usable(doc, path) && !(ll_doc_span(doc, path)->flags & LL_SPAN_DOUBTFUL);
    if (named) {
        uint32_t length = fpk_extension(text, m->path_length, &extension);
        c->names[i] = (fpk_name){path, fpk_extension_number(extension, length)};
    }
    m->unnamed = !(ll_is_usable(doc, path) && (named || printable));
}

const void *fpk_index(ll_doc *doc)
{
    const uint32_t entries = doc->firsts[fpk_entry_LAYOUT] - 1;
    const bool read = doc->firsts[fpk_path_LAYOUT] || doc->firsts[fpk_member_LAYOUT]; /* else the tables alone were */
    const uint32_t count = entries != LL_NO_SPAN && read ? ll_doc_span(doc, entries)->count : 0;
    fpk_contents *c = ll_doc_zalloc(doc, 1, sizeof *c);
    uint32_t *paths = ll_doc_alloc(doc, (size_t)count + 1, sizeof *paths);
    uint32_t *members = ll_doc_alloc(doc, (size_t)count + 1, sizeof *members);
    if (c) {
        c->members = ll_doc_zalloc(doc, (size_t)count + 1, sizeof *c->members);
        c->names = ll_doc_alloc(doc, (size_t)count + 1, sizeof *c->names);
    }
    if (doc->status != LL_OK) {
        return NULL;
    }
    memset(paths, 0xFF, ((size_t)count + 1) * sizeof *paths); /* LL_NO_SPAN */
    memset(members, 0xFF, ((size_t)count + 1) * sizeof *members);
    for (uint32_t i = 0; i < doc->span_count && count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        if (s->index < count && (s->layout == fpk_path_LAYOUT || s->layout == fpk_member_LAYOUT)) {
            *(s->layout == fpk_path_LAYOUT ? &paths[s->index] : &members[s->index]) = i;
        }
    }
    c->count = count;
    for (uint32_t i = 0; i < count; i++) {
        c->members[i] = fpk_member_of(doc, paths[i], members[i]);
        c->names[i] = (fpk_name){LL_NO_SPAN, FPK_UNLISTED};
        name_entry(doc, c, i, paths[i]);
    }
    return c;
}

bool fpk_member(const ll_doc *doc, uint32_t i, ll_member *out)
{
    const fpk_contents *contents = doc->index;
    if (!contents || i >= contents->count) {
        return false;
    }
    *out = contents->members[i];
    return true;
}

/* ------------------------------------------------------------------ the file and its entries */

static uint32_t header(const ll_doc *doc)
{
    return doc->firsts[fpk_header_LAYOUT] - 1; /* LL_NO_SPAN where there is none */
}

static unsigned part_by_name(const ll_doc *doc)
{
    const char *name = doc->name ? doc->name : "";
    return ll_ends_with(name, ".fpkd") ? FPKD : ll_ends_with(name, ".fpk") ? FPK : FPKD + 1;
}

/* By the name, and by the type where that says nothing; above FPKD: neither tells. */
static unsigned part_of(const ll_doc *doc)
{
    unsigned part = part_by_name(doc);
    ll_element record;
    bool usable = ll_is_usable(doc, header(doc)) && ll_element_at(doc, header(doc), 0, &record);
    for (unsigned i = FPK; part > FPKD && i <= FPKD && usable; i++) {
        part = ll_get_uint(&record, fpk_header_type) == types[i] ? i : part;
    }
    return part;
}

static const fpk_contents *contents_of(const ll_check_run *run)
{
    return run->doc->index;
}

static ll_where text_of(const ll_check_run *run, uint32_t span)
{
    return ll_at_field(run->doc, span, 0, LL_STRING_TEXT);
}

static ll_where name_of(const ll_check_run *run, uint32_t entry)
{
    return text_of(run, contents_of(run)->names[entry].span);
}

static ll_arg chars(ll_where at)
{
    return ll_chars(at.offset, at.length);
}

static ll_where extension_of(const ll_check_run *run, uint32_t entry)
{
    ll_where at = name_of(run, entry);
    const uint8_t *from = NULL;
    at.length = fpk_extension(run->doc->bytes + at.offset, at.length, &from);
    at.offset = (uint32_t)(from - run->doc->bytes);
    return at;
}

void fpk_check_type(ll_check_run *run)
{
    unsigned part = part_by_name(run->doc);
    ll_element record;
    if (!ll_is_usable(run->doc, header(run->doc)) || !ll_element_at(run->doc, header(run->doc), 0, &record)) {
        return;
    }
    uint64_t type = ll_get_uint(&record, fpk_header_type);
    if (part <= FPKD && type == types[FPK + FPKD - part]) {
        ll_fault f = LL_MAKE_FAULT(0, 0, ll_at_field(run->doc, header(run->doc), 0, fpk_header_type), ll_nowhere(),
                                   ll_uint(type), ll_uint(types[part]));
        ll_patch_field(run->doc, &f, LL_PATCH_SAFE, types[part]);
        ll_report_fault(run, &f);
    }
}

void fpk_check_entry_part(ll_check_run *run)
{
    const fpk_contents *c = contents_of(run);
    unsigned part = part_of(run->doc);
    for (uint32_t i = 0; i < c->count; i++) {
        uint16_t extension = c->names[i].extension;
        if (extension != FPK_UNLISTED && extensions[extension].part == FPK + FPKD - part) {
            LL_REPORT(run, 0, name_of(run, i), chars(extension_of(run, i)), ll_word(parts[extensions[extension].part]));
        }
    }
}

void fpk_check_entry_unlisted(ll_check_run *run)
{
    const fpk_contents *c = contents_of(run);
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->names[i].extension == FPK_UNLISTED && c->names[i].span != LL_NO_SPAN) {
            LL_REPORT(run, 0, name_of(run, i), chars(extension_of(run, i)));
        }
    }
}

/* ------------------------------------------------------------------ texts that are the same */

/* Texts that were met, whatever their case. */
typedef struct texts {
    ll_check_run *run;
    ll_map map;
    ll_where *at; /* by the number of the text */
    ll_where sought;
} texts;

static bool open_texts(texts *t, ll_check_run *run, uint32_t count)
{
    ll_allocator a = ll_arena_allocator(run->arena);
    *t = (texts){.run = run, .at = ll_check_alloc(run, (size_t)count + 1, sizeof *t->at)};
    return t->at && ll_map_open(&t->map, count, (uint64_t)count + 1, &a);
}

static bool is_same(const void *sought, uint32_t item)
{
    const texts *t = sought;
    const char *bytes = (const char *)t->run->doc->bytes;
    return t->at[item].length == t->sought.length &&
           ll_same_letters(bytes + t->at[item].offset, bytes + t->sought.offset, t->sought.length);
}

/* The number of the text that was met before and is the same, or LL_MAP_NONE after noting this one. */
static uint32_t note(texts *t, uint32_t number, ll_where at)
{
    uint64_t hash = LL_FNV_START;
    for (uint32_t i = 0; i < at.length; i++) {
        char c = ll_lower((char)t->run->doc->bytes[at.offset + i]);
        hash = ll_fnv(hash, &c, 1);
    }
    t->at[number] = t->sought = at;
    return ll_map_note(&t->map, ll_map_hash(hash), number, is_same, t);
}

void fpk_check_path_case(ll_check_run *run)
{
    const fpk_contents *c = contents_of(run);
    texts t;
    if (!open_texts(&t, run, c->count)) {
        return;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->names[i].span == LL_NO_SPAN) {
            continue;
        }
        ll_where at = name_of(run, i);
        uint32_t other = note(&t, i, at);
        if (other != LL_MAP_NONE &&
            memcmp(run->doc->bytes + at.offset, run->doc->bytes + t.at[other].offset, at.length) != 0) {
            LL_REPORT_RELATED(run, 0, at, t.at[other], chars(at), chars(t.at[other]));
        }
    }
}

void fpk_check_data_references(ll_check_run *run)
{
    uint32_t rows = run->doc->firsts[fpk_reference_LAYOUT];
    if (rows && part_of(run->doc) == FPKD) {
        LL_REPORT(run, 0, ll_at_field(run->doc, header(run->doc), 0, fpk_header_reference_count),
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
    texts t;
    if (!first || !open_texts(&t, run, ll_doc_span(doc, rows - 1)->count)) {
        return;
    }
    for (uint32_t span = first - 1; span < doc->span_count; span++) {
        if (ll_doc_span(doc, span)->layout != fpk_reference_path_LAYOUT || !ll_is_usable(doc, span)) {
            continue;
        }
        ll_where at = text_of(run, span);
        uint32_t other = note(&t, count++, at);
        if (other != LL_MAP_NONE) {
            LL_REPORT_RELATED(run, 0, at, t.at[other], chars(at), ll_word("a path that no other reference has"));
        } else if (!is_archive_path(doc->bytes + at.offset, at.length)) {
            LL_REPORT(run, 0, at, chars(at), ll_word("a path /Assets/....fpk"));
        }
    }
}

/* ------------------------------------------------------------------ the order of entries */

/* Entries in an order. GROUP and NAME are what neighbours are compared by. */
typedef enum level { GROUPING, GROUP, NAME } level;

typedef struct sequence {
    ll_check_run *run;
    uint32_t *entries;
    uint32_t count;
    unsigned part;
} sequence;

/* Blocks of the sequence, [first, middle) and [second, end), of which one is in the wrong place. */
typedef struct breach {
    uint32_t first, middle, second, end;
} breach;

static uint16_t number_at(const sequence *s, uint32_t i)
{
    return contents_of(s->run)->names[s->entries[i]].extension;
}

/* The order of the groups has one for its extension. */
static bool has_place(const sequence *s, uint32_t i)
{
    return number_at(s, i) != FPK_UNLISTED && extensions[number_at(s, i)].part == s->part;
}

static bool same_extension(const sequence *s, uint32_t i, uint32_t k)
{
    const char *bytes = (const char *)s->run->doc->bytes;
    ll_where a = extension_of(s->run, s->entries[i]), b = extension_of(s->run, s->entries[k]);
    return a.length == b.length && ll_same_letters(bytes + a.offset, bytes + b.offset, a.length);
}

static int compare(const sequence *s, level by, uint32_t i, uint32_t k)
{
    if (by == GROUP) {
        return (int)number_at(s, i) - (int)number_at(s, k);
    }
    if (!same_extension(s, i, k)) {
        return 0;
    }
    ll_where a = name_of(s->run, s->entries[i]), b = name_of(s->run, s->entries[k]);
    int order =
        memcmp(s->run->doc->bytes + a.offset, s->run->doc->bytes + b.offset, a.length < b.length ? a.length : b.length);
    order = order ? order : a.length < b.length ? -1 : a.length > b.length;
    return s->part == FPKD ? -order : order;
}

/* The end of the entries of one extension from i on. */
static uint32_t run_end(const sequence *s, uint32_t i)
{
    uint32_t end = i + 1;
    while (end < s->count && same_extension(s, i, end)) {
        end++;
    }
    return end;
}

static bool find_ungrouped(const sequence *s, breach *out)
{
    texts t;
    if (!open_texts(&t, s->run, s->count)) {
        return false;
    }
    for (uint32_t i = 0, end = 0; i < s->count; i = end) {
        end = run_end(s, i);
        uint32_t earlier = note(&t, i, extension_of(s->run, s->entries[i]));
        if (earlier != LL_MAP_NONE) {
            *out = (breach){earlier, run_end(s, earlier), i, end};
            return true;
        }
    }
    return false;
}

static bool find_breach(const sequence *s, level by, breach *out)
{
    if (by == GROUPING) {
        return find_ungrouped(s, out);
    }
    uint32_t first = LL_NO_INDEX, before = LL_NO_INDEX; /* of the group, and the entry, that was compared last */
    for (uint32_t i = 0; i < s->count; i++) {
        if (by == GROUP && !has_place(s, i)) {
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

/* The sequence with the block [from, end) put in front of `to`, which is not in it. */
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

/* What entries are put in order by. */
typedef struct placed {
    const uint8_t *path;
    uint32_t length, entry;
    uint32_t group; /* those that the order has no place for come last, as they stand */
    bool descending;
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

/* All entries in order, as a patch; none where something else is wrong, which may go by their order, or the path of one
 * is not known. */
static void patch_order(const sequence *s, ll_fault *fault)
{
    texts t;
    placed *all = ll_check_alloc(s->run, s->count, sizeof *all);
    uint32_t *order = ll_check_alloc(s->run, s->count, sizeof *order);
    if (s->run->doc->first_fault || s->count != contents_of(s->run)->count || !all || !order ||
        !open_texts(&t, s->run, s->count)) {
        return;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        ll_where path = name_of(s->run, s->entries[i]);
        uint32_t first = note(&t, i, extension_of(s->run, s->entries[i]));
        uint32_t last = FPK_UNLISTED + (first == LL_MAP_NONE ? i : first);
        all[i] = (placed){s->run->doc->bytes + path.offset, path.length, s->entries[i],
                          has_place(s, i) ? number_at(s, i) : last, s->part == FPKD};
    }
    qsort(all, s->count, sizeof *all, by_place);
    for (uint32_t i = 0; i < s->count; i++) {
        order[i] = all[i].entry;
    }
    ll_patch_elements(fault, order);
}

static bool is_clean(const sequence *s, level by)
{
    breach b;
    return !find_breach(s, GROUPING, &b) && !find_breach(s, GROUP, &b) && (by != NAME || !find_breach(s, NAME, &b));
}

static ll_where row_of(const ll_check_run *run, uint32_t entry)
{
    uint32_t rows = run->doc->firsts[fpk_entry_LAYOUT] - 1;
    uint32_t offset = ll_doc_span(run->doc, rows)->offset + entry * fpk_entry_SIZE;
    return (ll_where){rows, entry, LL_NO_FIELD, LL_NO_PART, offset, fpk_entry_SIZE};
}

/* Tells of the block that is in the wrong place: the one that makes the order right where it belongs, else the second.
 */
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
    ll_where text = name_of(s->run, at), related = name_of(s->run, other);
    ll_fault f = by == NAME
                     ? LL_MAKE_FAULT(0, 0, row_of(s->run, at), row_of(s->run, other), chars(text), chars(related),
                                     ll_word(s->part == FPKD ? "descending" : "ascending"))
                     : LL_MAKE_FAULT(0, 0, row_of(s->run, at), row_of(s->run, other), chars(extension_of(s->run, at)),
                                     chars(by == GROUPING ? related : extension_of(s->run, other)));
    patch_order(s, &f);
    ll_report_fault(s->run, &f);
}

static void check_order(ll_check_run *run, level by)
{
    const fpk_contents *c = contents_of(run);
    sequence s = {.run = run, .entries = ll_check_alloc(run, (size_t)c->count + 1, sizeof *s.entries)};
    breach b;
    s.part = part_of(run->doc);
    if (c->count == 0 || !s.entries || s.part > FPKD) {
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

/* A data part with a DataSet is what the game does not load. */
static bool has_data_set(const ll_check_run *run)
{
    const fpk_contents *c = contents_of(run);
    uint16_t wanted = fpk_extension_number((const uint8_t *)"fox2", 4);
    bool found = false;
    for (uint32_t i = 0; !found && i < c->count; i++) {
        found = c->names[i].extension == wanted;
    }
    return found && part_of(run->doc) == FPKD;
}

void fpk_check_data_grouping(ll_check_run *run)
{
    if (has_data_set(run)) {
        check_order(run, GROUPING);
    }
}

void fpk_check_grouping(ll_check_run *run)
{
    if (contents_of(run)->count && !has_data_set(run)) {
        check_order(run, GROUPING);
    }
}

void fpk_check_data_group_order(ll_check_run *run)
{
    if (contents_of(run)->count && part_of(run->doc) == FPKD) {
        check_order(run, GROUP);
    }
}

void fpk_check_group_order(ll_check_run *run)
{
    if (contents_of(run)->count && part_of(run->doc) == FPK) {
        check_order(run, GROUP);
    }
}

void fpk_check_name_order(ll_check_run *run)
{
    check_order(run, NAME);
}
