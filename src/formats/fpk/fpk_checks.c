/* Named checks of archives: type, extensions, order of entries, references. */
#include "formats/fpk/fpk.h"

#include "base/map.h"
#include "base/md5.h"
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

/* What stands in the spans of an entry, each of which may be LL_NO_SPAN. */
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

static ll_where md5_of(const ll_doc *doc, uint32_t entry)
{
    return ll_at_field(doc, doc->firsts[fpk_entry_LAYOUT] - 1, entry, fpk_entry_path_md5);
}

static bool has_md5(const ll_doc *doc, uint32_t entry, const uint8_t *text, uint32_t length)
{
    uint8_t md5[LL_MD5_SIZE];
    ll_md5(text, length, md5);
    return memcmp(doc->bytes + md5_of(doc, entry).offset, md5, sizeof md5) == 0;
}

/* Bytes that are no printable ASCII. */
static uint32_t count_odd(const uint8_t *text, uint32_t length)
{
    uint32_t odd = 0;
    for (uint32_t i = 0; i < length; i++) {
        odd += text[i] < 0x20 || text[i] >= 0x7F;
    }
    return odd;
}

/* So many odd bytes no damage leaves, and no language. */
static bool is_encrypted(uint32_t odd, uint32_t length)
{
    return odd && odd >= length / 4;
}

/* What the path of an entry is: that which the MD5 is of has a name, and one that at least looks like a path may be it.
 */
static void name_entry(ll_doc *doc, fpk_contents *c, uint32_t i, uint32_t path)
{
    ll_member *m = &c->members[i];
    const uint8_t *text = doc->bytes + m->path, *extension = NULL;
    c->names[i] = (fpk_name){.span = LL_NO_SPAN, .extension = FPK_UNLISTED, .path = path};
    m->unnamed = true;
    if (!ll_is_usable(doc, path)) {
        return;
    }
    const uint32_t odd = count_odd(text, m->path_length);
    const uint8_t *nul = memchr(text, 0, m->path_length);
    if (has_md5(doc, i, text, m->path_length)) {
        c->names[i].span = path;
        const uint32_t length = fpk_extension(text, m->path_length, &extension);
        c->names[i].extension = fpk_extension_number(extension, length);
    } else {
        ll_mark_span(doc, path, LL_SPAN_DOUBTFUL);
    }
    if (c->names[i].span == LL_NO_SPAN && is_encrypted(odd, m->path_length)) {
        LL_RAISE(doc, FPK_FAULT_PATH_ENCRYPTED, 0, md5_of(doc, i), ll_uint(odd));
        ll_mark_span(doc, path, LL_SPAN_BROKEN | LL_SPAN_TOLD);
    } else if (nul) {
        LL_RAISE(doc, FPK_FAULT_STRING_TERMINATOR, 0, ll_at_bytes(path, (uint32_t)(nul - doc->bytes), 1),
                 ll_uint((uint64_t)(nul - text)), ll_uint(m->path_length), ll_word("bytes in front of a NUL"));
    }
    m->unnamed = c->names[i].span == LL_NO_SPAN && (odd || !m->path_length || text[0] != '/');
}

/* A member that is an archive by its extension or its first bytes is not opened. */
static void tell_nested(ll_doc *doc, const ll_member *m)
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

/* The family that the extension of a path tells of, if its files can be told by their bytes and are no archives, or
 * NULL. */
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

/* What a member is will be said where it is checked by itself. */
static bool is_known(const uint8_t *bytes, uint32_t length)
{
    ll_probe_result sure = LL_PROBE_NO;
    (void)ll_format_by_content(bytes, length, &sure);
    return sure == LL_PROBE_SURE || ll_foreign_of(bytes, length) != LL_FOREIGN_NONE;
}

/* A member that does not begin as its extension tells: nobody knows what it is, and it is not checked. */
static void judge_kind(ll_doc *doc, const ll_member *m, bool named)
{
    const uint8_t *bytes = doc->bytes + m->offset;
    const bool known = named && ll_is_usable(doc, m->span) && m->length;
    const ll_format *format = known ? family_of(doc->bytes + m->path, m->path_length) : NULL;
    if (format && format->probe(bytes, m->length) == LL_PROBE_NO && !is_known(bytes, m->length)) {
        const uint32_t shown = m->length < 8 ? m->length : 8;
        LL_RAISE(doc, FPK_FAULT_ENTRY_KIND, 0, ll_at_bytes(m->span, m->offset, shown), ll_chars(m->offset, shown),
                 ll_word(format->family));
        ll_mark_span(doc, m->span, LL_SPAN_BROKEN | LL_SPAN_TOLD);
    }
}

/* The header says that there are no entries. */
static bool is_empty(const ll_doc *doc)
{
    ll_element header;
    return doc->firsts[fpk_header_LAYOUT] && ll_element_at(doc, doc->firsts[fpk_header_LAYOUT] - 1, 0, &header) &&
           ll_get_uint(&header, fpk_header_entry_count) == 0;
}

const void *fpk_index(ll_doc *doc)
{
    const uint32_t entries = doc->firsts[fpk_entry_LAYOUT] - 1;
    const bool read = doc->firsts[fpk_path_LAYOUT] || doc->firsts[fpk_member_LAYOUT]; /* else the tables alone were */
    const uint32_t count = entries != LL_NO_SPAN && read ? ll_doc_span(doc, entries)->count : 0;
    doc->fatal = doc->fatal || (!read && !is_empty(doc));
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
        c->members[i] = member_of(doc, paths[i], members[i]);
        name_entry(doc, c, i, paths[i]);
        tell_nested(doc, &c->members[i]);
        judge_kind(doc, &c->members[i], c->names[i].span != LL_NO_SPAN);
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

/* ------------------------------------------------------------------ paths and members by themselves */

/* As fpk-path-shape has it. */
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

/* A path as all of them are, in which no byte seems wrong. */
static bool is_usual(const uint8_t *text, uint32_t length)
{
    static const char root[] = "/Assets/";
    const uint8_t *extension = NULL;
    uint32_t n = fpk_extension(text, length, &extension);
    return length > sizeof root && memcmp(text, root, sizeof root - 1) == 0 &&
           fpk_extension_number(extension, n) != FPK_UNLISTED;
}

/* Another entry has the MD5 of the path: then the paths may be those of other entries. */
static bool is_path_of_another(const ll_doc *doc, uint32_t count, uint32_t entry, const uint8_t md5[LL_MD5_SIZE])
{
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
        found = i != entry && memcmp(doc->bytes + md5_of(doc, i).offset, md5, LL_MD5_SIZE) == 0;
    }
    return found;
}

/* An MD5 that is not that of the path. Where a rule speaks of the text, the MD5 is not what is wrong. */
static void judge_hash(ll_check_run *run, uint32_t entry)
{
    const fpk_contents *c = contents_of(run);
    const ll_doc *doc = run->doc;
    const ll_where text = text_of(run, c->names[entry].path), md5 = md5_of(doc, entry);
    const uint8_t *bytes = doc->bytes + text.offset;
    if (count_odd(bytes, text.length) || !is_shaped(bytes, text.length)) {
        return;
    }
    ll_fault f = LL_MAKE_FAULT(0, 0, md5, text, chars(text));
    uint8_t *right = is_usual(bytes, text.length) ? ll_check_alloc(run, LL_MD5_SIZE, 1) : NULL;
    if (right) {
        ll_md5(bytes, text.length, right);
    }
    if (right && is_path_of_another(doc, c->count, entry, right)) {
        ll_patch_none(&f);
    } else if (right) {
        ll_patch_bytes(doc, &f, LL_PATCH_SAFE, md5.offset, md5.length, right, LL_MD5_SIZE);
    }
    ll_report_fault(run, &f);
}

void fpk_check_path_hash(ll_check_run *run)
{
    const fpk_contents *c = contents_of(run);
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->names[i].span == LL_NO_SPAN && ll_is_usable(run->doc, c->names[i].path)) {
            judge_hash(run, i);
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
