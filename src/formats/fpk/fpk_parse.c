/* Claims every byte of an archive: header, tables, and in the order in which they stand paths, members and what is
 * between them. */
#include "formats/fpk/fpk_walk.h"

#include "base/ints.h"
#include "base/md5.h"
#include "base/text.h"

#include <string.h>

static const char magic[] = "foxfpk";
enum { MAGIC_SIZE = sizeof magic - 1, CONSTANT = 2 };

ll_probe_result fpk_probe(const uint8_t *bytes, size_t size)
{
    return size >= MAGIC_SIZE && memcmp(bytes, magic, MAGIC_SIZE) == 0 ? LL_PROBE_SURE : LL_PROBE_NO;
}

/* ------------------------------------------------------------------ tables */

/* Rows of the two tables, and how many of their paths begin where the one before ends. */
typedef struct tables {
    uint64_t entries, references;
    uint64_t linked, unlinked;
    uint64_t first_unlinked; /* row */
} tables;

static uint64_t tables_end(const tables *t)
{
    return fpk_header_SIZE + t->entries * fpk_entry_SIZE + t->references * fpk_reference_SIZE;
}

static tables weigh_tables(const ll_doc *doc, uint64_t entries, uint64_t references)
{
    tables t = {.entries = entries, .references = references};
    uint64_t next = tables_end(&t), rows = entries + references;
    if (next > doc->size) {
        t.unlinked = rows;
        return t;
    }
    const uint8_t *row = doc->bytes + fpk_header_SIZE;
    for (uint64_t i = 0; i < rows; i++) {
        bool entry = i < entries;
        uint64_t offset = ll_le64(row + (entry ? fpk_entry_at_path_offset : fpk_reference_at_path_offset));
        t.first_unlinked = offset != next && t.unlinked == 0 ? i : t.first_unlinked;
        t.linked += offset == next;
        t.unlinked += offset != next;
        next = offset + 1 + ll_le64(row + (entry ? fpk_entry_at_path_length : fpk_reference_at_path_length));
        row += entry ? fpk_entry_SIZE : fpk_reference_SIZE;
    }
    return t;
}

/* One of the counts is wrong where all rows go with another one, which the place of the first path tells. */
static bool solve_counts(const ll_doc *doc, tables *stated)
{
    const unsigned firsts[] = {fpk_entry_at_path_offset, fpk_reference_at_path_offset};
    for (unsigned i = 0; i < 4 && stated->unlinked + (stated->linked == 0); i++) {
        unsigned first = firsts[i / 2];
        uint64_t paths =
            ll_fits(fpk_header_SIZE + first, 8, doc->size) ? ll_le64(doc->bytes + fpk_header_SIZE + first) : 0;
        uint64_t room = paths - fpk_header_SIZE,
                 kept = i % 2 ? stated->entries * fpk_entry_SIZE : stated->references * fpk_reference_SIZE;
        uint64_t size = i % 2 ? fpk_reference_SIZE : fpk_entry_SIZE;
        if (paths <= fpk_header_SIZE || paths >= doc->size || kept > room || (room - kept) % size) {
            continue;
        }
        uint64_t count = (room - kept) / size;
        tables t = weigh_tables(doc, i % 2 ? stated->entries : count, i % 2 ? count : stated->references);
        if (t.unlinked == 0 && t.linked) {
            *stated = t;
            return true;
        }
    }
    return stated->unlinked == 0 || tables_end(stated) <= doc->size;
}

static void raise_count(const fpk_walk *w, unsigned field, uint64_t stated, ll_arg right)
{
    LL_RAISE(w->doc, FPK_FAULT_TABLES_RANGE, 0, ll_at_field(w->doc, w->header, 0, field), ll_uint(stated), right,
             ll_word(field == fpk_header_entry_count ? "entries" : "references"));
}

static void stop(fpk_walk *w, uint32_t from)
{
    w->doc->fatal = true;
    (void)ll_claim_unparsed(w->doc, LL_NO_SPAN, from, w->doc->size);
}

/* Words of the header that are the same in all archives, and are not. */
static unsigned header_faults(const fpk_walk *w)
{
    const uint8_t *h = w->doc->bytes;
    bool platform = memcmp(h + fpk_header_at_platform, "win", 3) == 0, reserved = true;
    for (uint32_t i = fpk_header_at_reserved; i < fpk_header_at_constant; i++) {
        reserved = reserved && h[i] == 0;
    }
    return (unsigned)!platform + !reserved + (ll_le32(h + fpk_header_at_constant) != CONSTANT) +
           (ll_le32(h + fpk_header_at_reserved_2) != 0);
}

/* Bytes that were put into the tables, or taken out, leave rows that are none, and no path where the others state it.
 */
static bool rows_are_torn(fpk_walk *w, const tables *t)
{
    const uint8_t *row = w->doc->bytes + fpk_header_SIZE;
    bool torn = t->unlinked > 0;
    for (uint32_t i = 0; torn && i < t->entries + t->references; i++) {
        bool entry = i < t->entries;
        const uint8_t *at = row + (entry ? fpk_entry_at_path_offset : fpk_reference_at_path_offset);
        uint64_t length = ll_le64(at + 8);
        torn = !fpk_is_path(w, i, ll_le64(at), length) && (i || !fpk_is_path(w, i, w->tables_end, length));
        row += entry ? fpk_entry_SIZE : fpk_reference_SIZE;
    }
    return torn;
}

static bool claim_tables(fpk_walk *w)
{
    ll_doc *doc = w->doc;
    ll_element header;
    if (!ll_element_at(doc, w->header, 0, &header)) {
        return false;
    }
    w->stated = (uint32_t)ll_get_uint(&header, fpk_header_file_size);
    uint64_t entries = ll_get_uint(&header, fpk_header_entry_count);
    uint64_t references = ll_get_uint(&header, fpk_header_reference_count);
    tables t = weigh_tables(doc, entries, references);
    unsigned wrong = header_faults(w);
    if (wrong > 1 || (wrong && (t.unlinked || (t.linked == 0 && doc->size > fpk_header_SIZE)))) {
        /* bytes were put into the header, or taken out */
        LL_RAISE(doc, FPK_FAULT_TABLES_RANGE, 0, ll_at_bytes(w->header, 0, fpk_header_SIZE), ll_word("no"),
                 ll_word("one with every field in its place"), ll_word("header that can be read"));
        ll_mark_span(doc, w->header, LL_SPAN_BROKEN);
        stop(w, fpk_header_SIZE);
        return false;
    }
    bool fits = solve_counts(doc, &t);
    if (t.entries != entries) {
        raise_count(w, fpk_header_entry_count, entries, ll_uint(t.entries));
    } else if (t.references != references) {
        raise_count(w, fpk_header_reference_count, references, ll_uint(t.references));
    } else if (!fits) {
        bool first = fpk_header_SIZE + entries * fpk_entry_SIZE > doc->size;
        raise_count(w, first ? fpk_header_entry_count : fpk_header_reference_count, first ? entries : references,
                    ll_word("a number that the file has room for"));
        stop(w, fpk_header_SIZE);
        return false;
    }
    w->tables_end = (uint32_t)tables_end(&t);
    w->entry_count = (uint32_t)t.entries;
    if (rows_are_torn(w, &t)) {
        uint64_t sound = t.first_unlinked - (t.first_unlinked > 0); /* the one in front may be torn as well */
        uint32_t rows = (uint32_t)(sound < t.entries ? sound : t.entries);
        uint32_t from = fpk_header_SIZE + rows * fpk_entry_SIZE;
        (void)ll_claim_array(doc, LL_NO_SPAN, fpk_entry_LAYOUT, fpk_header_SIZE, rows);
        LL_RAISE(doc, FPK_FAULT_TABLES_RANGE, 0, ll_at_bytes(LL_NO_SPAN, from, w->tables_end - from), ll_uint(sound),
                 ll_uint(t.entries + t.references), ll_word("rows that can be read"));
        stop(w, from);
        return false;
    }
    w->reference_count = (uint32_t)t.references;
    w->entries = ll_claim_array(doc, LL_NO_SPAN, fpk_entry_LAYOUT, fpk_header_SIZE, w->entry_count);
    w->references = ll_claim_array(doc, LL_NO_SPAN, fpk_reference_LAYOUT,
                                   fpk_header_SIZE + w->entry_count * fpk_entry_SIZE, w->reference_count);
    w->pos = w->tables_end;
    return doc->status == LL_OK;
}

static fpk_piece piece(const ll_doc *doc, uint32_t span, uint32_t element, unsigned offset_field)
{
    ll_element record;
    bool there = ll_element_at(doc, span, element, &record);
    uint64_t offset = there ? ll_get_uint(&record, offset_field) : FPK_FAR;
    uint64_t length = there ? ll_get_uint(&record, offset_field + 1) : FPK_FAR;
    return (fpk_piece){.offset = offset < FPK_FAR ? offset : FPK_FAR,
                       .length = length < FPK_FAR ? length : FPK_FAR,
                       .span = LL_NO_SPAN};
}

static void read_tables(fpk_walk *w)
{
    ll_doc *doc = w->doc;
    uint32_t paths = w->entry_count + w->reference_count;
    w->paths = ll_doc_zalloc(doc, (size_t)paths + w->entry_count + 1, sizeof *w->paths);
    w->members = w->paths + (w->paths ? paths : 0);
    for (uint32_t i = 0; i < paths && w->paths; i++) {
        uint32_t element = 0;
        unsigned field = 0;
        uint32_t row = fpk_row(w, i, &element, &field);
        w->paths[i] = piece(doc, row, element, field);
    }
    for (uint32_t i = 0; i < w->entry_count && w->paths; i++) {
        w->members[i] = piece(doc, w->entries, i, fpk_entry_data_offset);
    }
}

/* ------------------------------------------------------------------ what stands behind the tables */

static bool is_zero(const ll_doc *doc, uint32_t from, uint32_t to)
{
    return ll_is_zero(doc->bytes + from, doc->bytes + to);
}

/* Bytes up to the next piece: zeros up to a multiple of 16, and what nothing refers to. `before`: the member in front
 * of them, or NULL. */
static void fill(fpk_walk *w, uint32_t to, fpk_piece *before, uint32_t number)
{
    ll_doc *doc = w->doc;
    bool last = to == doc->size;
    int64_t by = w->pos < fpk_lay(w, w->shift_from) ? 0 : w->shift_by; /* padded before it was shifted */
    uint64_t padded = (uint64_t)((int64_t)ll_align_up((uint64_t)(w->pos - by), FPK_UNIT) + by);
    uint32_t end = to - w->pos < FPK_UNIT && !last ? to : padded < to ? (uint32_t)padded : to;
    bool torn = w->shift_by ? to == fpk_lay(w, w->shift_from) : w->cut && to == doc->size;
    if (torn && w->pos < to) {
        ll_mark_span(doc, ll_claim_unparsed(doc, LL_NO_SPAN, w->pos, to), LL_SPAN_TOLD); /* what it is part of */
        w->pos = to;
        return;
    }
    if (before && (!is_zero(doc, w->pos, w->pos < end ? w->pos + 1 : end) || !is_zero(doc, end, to))) {
        before->broken = true; /* it may have more bytes than its size says */
    }
    if (w->pos < end) {
        (void)ll_claim_group(doc, LL_NO_SPAN, fpk_padding_LAYOUT, w->pos, end, w->paddings++);
    }
    w->pos = to;
    if (end == to) {
        return;
    }
    ll_where gap = ll_claim_gap(doc, LL_NO_SPAN, end, to);
    if (!w->lost && !(before && before->told)) {
        ll_where related = before ? ll_at_field(doc, w->entries, number, fpk_entry_data_size) : ll_nowhere();
        ll_fault fault = LL_MAKE_FAULT(FPK_FAULT_UNOWNED, 0, gap, related, ll_uint(to - end));
        if (to == doc->size && w->stated != to) { /* else the header counts them, and the member may have more */
            ll_patch_bytes(doc, &fault, LL_PATCH_UNSAFE, end, to - end, NULL, 0);
        }
        ll_raise(doc, &fault);
        w->end_told = w->end_told || (last && w->stated == w->computed);
    }
}

static void claim_path(fpk_walk *w, fpk_piece *p, uint32_t i, uint32_t end, uint32_t next)
{
    bool entry = i < w->entry_count;
    uint32_t from = w->pos, ended = end < next, length = end - from;
    w->pos = end + ended;
    p->span = ll_claim_string(w->doc, LL_NO_SPAN, entry ? fpk_path_LAYOUT : fpk_reference_path_LAYOUT, from, w->pos,
                              length, entry ? i : i - w->entry_count);
    if (p->broken) {
        ll_mark_span(w->doc, p->span, LL_SPAN_BROKEN | LL_SPAN_TOLD);
    }
}

static void claim_member(fpk_walk *w, fpk_piece *p, uint32_t i, uint32_t end)
{
    uint32_t from = w->pos;
    p->span = ll_claim_group(w->doc, LL_NO_SPAN, fpk_member_LAYOUT, from, end, i);
    w->pos = end;
}

/* The field that states where a piece is. */
static ll_where stated_offset(const fpk_walk *w, uint32_t i)
{
    uint32_t n = w->entry_count + w->reference_count, element = i - n, row = w->entries;
    unsigned field = fpk_entry_data_offset;
    if (i < n) {
        row = fpk_row(w, i, &element, &field);
    }
    return ll_at_field(w->doc, row, element, field);
}

/* Claims a piece; those that begin before the end of another one are not. `next`: where the next one begins, or the end
 * of the file. */
static void claim_piece(fpk_walk *w, uint32_t i, uint32_t next)
{
    uint32_t n = w->entry_count + w->reference_count;
    fpk_piece *p = &w->paths[i];
    uint32_t from = fpk_lay(w, p->at);
    uint64_t end = (uint64_t)from + p->size;
    end = end < w->doc->size ? end : w->doc->size;
    if (i >= n && p->length == 0) {
        LL_RAISE(w->doc, FPK_FAULT_ENTRY_EMPTY, 0, ll_at_field(w->doc, w->entries, i - n, fpk_entry_data_size),
                 ll_uint(next - from));
        end = next;
        p->broken = p->told = true;
    }
    w->pos = from;
    if (i < n) {
        claim_path(w, p, i, (uint32_t)end, next);
    } else {
        claim_member(w, p, i - n, (uint32_t)end);
    }
}

static void claim_pieces(fpk_walk *w)
{
    ll_doc *doc = w->doc;
    uint32_t n = w->entry_count + w->reference_count, all = n + w->entry_count, count = 0;
    ll_sort_key *keys = ll_doc_alloc(doc, (size_t)all + 1, 2 * sizeof *keys);
    for (uint32_t i = 0; keys && i < all; i++) {
        if (w->paths[i].placed) {
            keys[count++] = (ll_sort_key){fpk_lay(w, w->paths[i].at), w->paths[i].size, i};
        }
    }
    const ll_sort_key *sorted = keys ? ll_sort(keys, keys + all + 1, count) : NULL;
    fpk_piece *before = NULL;
    uint32_t number = 0;
    for (uint32_t i = 0; sorted && i < count && doc->status == LL_OK; i++) {
        uint32_t item = sorted[i].item, from = (uint32_t)sorted[i].first;
        if (from < w->pos || from > doc->size) {
            fpk_piece *p = &w->paths[item];
            if (!p->told) {
                LL_RAISE(doc, FPK_FAULT_OVERLAP, 0, stated_offset(w, item), ll_uint(p->offset),
                         ll_word("a place of its own"));
            }
            w->lost = true;
            continue;
        }
        fill(w, from, before, number);
        claim_piece(w, item, i + 1 < count ? (uint32_t)sorted[i + 1].first : doc->size);
        before = item >= n ? &w->paths[item] : NULL;
        number = item - n;
    }
    if (sorted && doc->status == LL_OK) {
        fill(w, doc->size, before, number);
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

static void raise_terminator(fpk_walk *w, ll_where at, uint32_t offset, bool patch, const char *what)
{
    static const uint8_t nul = 0;
    uint8_t byte = w->doc->bytes[offset];
    ll_fault f =
        LL_MAKE_FAULT(FPK_FAULT_STRING_TERMINATOR, 0, at, ll_nowhere(), ll_uint(byte), ll_uint(0), ll_word(what));
    if (byte && patch) {
        ll_patch_bytes(w->doc, &f, LL_PATCH_SAFE, offset, 1, &nul, 1);
    }
    ll_raise(w->doc, &f);
}

/* Another entry has the MD5 of the path: then the paths may be those of other entries. */
static bool is_path_of_another(const fpk_walk *w, uint32_t number, const uint8_t md5[LL_MD5_SIZE])
{
    bool found = false;
    for (uint32_t i = 0; i < w->entry_count && !found; i++) {
        ll_where at = ll_at_field(w->doc, w->entries, i, fpk_entry_path_md5);
        found = i != number && memcmp(w->doc->bytes + at.offset, md5, LL_MD5_SIZE) == 0;
    }
    return found;
}

/* The text of a path against its NUL and its MD5. Where a rule speaks of the text, the MD5 is not what is wrong. */
static void judge_path(fpk_walk *w, uint32_t i)
{
    ll_doc *doc = w->doc;
    fpk_piece *p = &w->paths[i];
    if (p->span == LL_NO_SPAN || p->broken || doc->status != LL_OK) {
        return;
    }
    ll_where text = ll_at_field(doc, p->span, 0, LL_STRING_TEXT),
             nul = ll_at_field(doc, p->span, 0, LL_STRING_TERMINATOR);
    bool is_known = p->named || i >= w->entry_count; /* by its MD5, or there is none */
    const uint8_t *bytes = doc->bytes + text.offset, *inner = text.length ? memchr(bytes, 0, text.length) : NULL;
    uint32_t odd = 0;
    for (uint32_t k = 0; k < text.length && !is_known; k++) {
        odd += !fpk_is_printable(bytes[k]);
    }
    bool is_encrypted = odd && odd >= text.length / 4;
    if (inner && !is_encrypted) {
        uint32_t at = (uint32_t)(inner - doc->bytes);
        LL_RAISE(doc, FPK_FAULT_STRING_TERMINATOR, 0, ll_at_bytes(p->span, at, 1), ll_uint(0), ll_word("a letter"),
                 ll_word("byte of the text"));
        return;
    }
    if (nul.length && doc->bytes[nul.offset] != 0 && nul.offset + 1 != w->torn_from) {
        raise_terminator(w, nul, nul.offset, is_known, "byte behind the text");
        if (!p->named) {
            ll_mark_span(doc, p->span, LL_SPAN_BROKEN);
            return;
        }
    }
    if (is_known) {
        return;
    }
    ll_where md5 = ll_at_field(doc, w->entries, i, fpk_entry_path_md5);
    if (is_encrypted) {
        LL_RAISE(doc, FPK_FAULT_PATH_ENCRYPTED, 0, md5, ll_uint(odd));
        ll_mark_span(doc, p->span, LL_SPAN_BROKEN | LL_SPAN_TOLD);
    } else if (!odd && is_shaped(bytes, text.length)) {
        ll_fault f = LL_MAKE_FAULT(FPK_FAULT_PATH_HASH, 0, md5, text, ll_chars(text.offset, text.length));
        uint8_t *right = is_usual(bytes, text.length) ? ll_doc_alloc(doc, LL_MD5_SIZE, 1) : NULL;
        if (right) {
            ll_md5(bytes, text.length, right);
        }
        if (right && is_path_of_another(w, i, right)) {
            ll_patch_none(&f);
        } else if (right) {
            ll_patch_bytes(doc, &f, LL_PATCH_SAFE, md5.offset, md5.length, right, LL_MD5_SIZE);
        }
        ll_raise(doc, &f);
    }
}

static ll_member member_at(const fpk_walk *w, uint32_t i)
{
    return fpk_member_of(w->doc, w->paths[i].span, w->members[i].span);
}

const ll_format *fpk_family(const uint8_t *path, uint32_t length)
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

/* A member that is an archive by its extension or its first bytes is not opened. */
static void judge_nested(fpk_walk *w, uint32_t i)
{
    const ll_member m = member_at(w, i);
    const uint8_t *extension = NULL, *path = w->doc->bytes + m.path;
    uint32_t length = fpk_extension(path, m.path_length, &extension);
    bool named = (length == 3 || length == 4) && ll_same_letters((const char *)extension, "fpkd", length);
    bool nested = named || fpk_probe(w->doc->bytes + m.offset, m.length) == LL_PROBE_SURE;
    if (nested && m.span != LL_NO_SPAN && m.length > 0) {
        LL_RAISE(w->doc, LL_FAULT_ARCHIVE_UNREAD, 0, ll_at_bytes(m.span, m.offset, m.length),
                 ll_word("an archive in an archive"), ll_chars(m.path, m.path_length));
        ll_mark_unsupported(w->doc);
    }
}

/* What a member begins with against its extension. */
static void judge_member(fpk_walk *w, uint32_t i)
{
    ll_doc *doc = w->doc;
    const ll_member m = member_at(w, i);
    const uint8_t *bytes = doc->bytes + m.offset, *path = doc->bytes + m.path;
    if (!w->paths[i].named || !ll_is_usable(doc, w->paths[i].span)) {
        if (w->paths[i].span != LL_NO_SPAN) { /* the entry is of another path */
            ll_mark_span(doc, w->paths[i].span, LL_SPAN_DOUBTFUL);
        }
        return;
    }
    const ll_format *format = fpk_family(path, m.path_length);
    bool known = format && m.span != LL_NO_SPAN && !w->members[i].broken && m.length > 0;
    if (known && format->probe(bytes, m.length) == LL_PROBE_NO && !is_known(bytes, m.length)) {
        uint32_t shown = m.length < 8 ? m.length : 8;
        LL_RAISE(doc, FPK_FAULT_ENTRY_KIND, 0, ll_at_bytes(m.span, m.offset, shown), ll_chars(m.offset, shown),
                 ll_word(format->family));
        w->members[i].broken = true;
    }
}

/* Were the last bytes lost, and not others in front of them? Then zeros of the padding would stand at the end of the
 * last member. */
static bool is_cut_at_end(const fpk_walk *w, uint64_t missing)
{
    const fpk_piece *last = NULL;
    for (uint32_t i = 0; i < w->entry_count; i++) {
        const fpk_piece *m = &w->members[i];
        last = m->placed && m->size && (!last || m->at > last->at) ? m : last;
    }
    return last && missing <= last->size &&
           !ll_is_zero(w->doc->bytes + last->at + last->size - missing, w->doc->bytes + last->at + last->size);
}

/* The size in the header is not that of the file. Where the file ends as its members do, the field is wrong; where only
 * padding is missing up to both and nothing else is wrong, that is. */
static void raise_size(const fpk_walk *w)
{
    static const uint8_t zeros[FPK_UNIT];
    ll_doc *doc = w->doc;
    uint32_t size = doc->size;
    ll_where end = w->stated > size ? ll_at_bytes(LL_NO_SPAN, size - 1, 1) : ll_nowhere();
    ll_fault fault = LL_MAKE_FAULT(FPK_FAULT_SIZE, 0, ll_at_field(doc, w->header, 0, fpk_header_file_size), end,
                                   ll_uint(w->stated), ll_uint(size));
    if (w->computed == size) {
        ll_patch_field(doc, &fault, LL_PATCH_SAFE, size);
    } else if (!doc->fault_count && w->stated == w->computed && w->computed == ll_align_up(size, FPK_UNIT) &&
               is_cut_at_end(w, w->computed - size)) {
        ll_patch_bytes(doc, &fault, LL_PATCH_SAFE, size, 0, zeros, (uint32_t)(w->computed - size));
    }
    ll_raise(doc, &fault);
}

static void judge(fpk_walk *w)
{
    ll_doc *doc = w->doc;
    for (uint32_t i = 0; i < w->entry_count + w->reference_count && doc->status == LL_OK; i++) {
        judge_path(w, i);
    }
    for (uint32_t i = 0; i < w->entry_count && doc->status == LL_OK; i++) {
        judge_member(w, i);
        judge_nested(w, i);
        if (w->members[i].broken) {
            ll_mark_span(doc, w->members[i].span, LL_SPAN_BROKEN | LL_SPAN_TOLD); /* by its entry, or what follows it */
        }
    }
    doc->unread = doc->unread || w->stated > doc->size;
    if (w->stated != doc->size && !w->end_told) {
        raise_size(w);
    }
}

/* ------------------------------------------------------------------ the file */

void fpk_parse(ll_doc *doc)
{
    fpk_walk w = {.doc = doc, .end = doc->size, .shift_from = UINT64_MAX, .hashable = 8 * (uint64_t)doc->size};
    if (doc->size < fpk_header_SIZE) {
        LL_RAISE(doc, FPK_FAULT_TOO_SHORT, 0, ll_at_bytes(LL_NO_SPAN, 0, doc->size), ll_uint(doc->size),
                 ll_uint(fpk_header_SIZE));
        stop(&w, 0);
        return;
    }
    if (fpk_probe(doc->bytes, doc->size) == LL_PROBE_NO) {
        ll_fault fault = LL_MAKE_FAULT(FPK_FAULT_MAGIC, 0, ll_at_bytes(LL_NO_SPAN, 0, MAGIC_SIZE), ll_nowhere(),
                                       ll_chars(0, MAGIC_SIZE));
        ll_patch_guess(doc, &fault, 0, (const uint8_t *)magic, MAGIC_SIZE);
        ll_raise(doc, &fault);
        stop(&w, 0);
        return;
    }
    w.header = ll_claim_fixed(doc, LL_NO_SPAN, fpk_header_LAYOUT, 0);
    if (doc->status != LL_OK || !claim_tables(&w)) {
        return;
    }
    read_tables(&w);
    if (doc->status != LL_OK) {
        return;
    }
    fpk_find_places(&w);
    claim_pieces(&w);
    if (doc->status == LL_OK) {
        judge(&w);
    }
}
