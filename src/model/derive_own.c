/* Derives values from what a record itself has: its parts, its text, and numbers of parts, which LL_PART_COUNT rows
 * read from its fields. */
#include "model/derive.h"

#include "base/md5.h"

enum { COUNTED_RECORDS = 16 }; /* most records that are checked for a match; files have at most 3 */

bool ll_derive_hash(const ll_doc *doc, const ll_derivation *row, uint32_t text, uint8_t *bytes)
{
    const ll_layout *l = &doc->layouts[row->layout];
    const ll_span *s = ll_doc_span(doc, text);
    if (row->how == LL_DERIVE_TEXT_MD5) {
        ll_md5(ll_doc_at(doc, s->offset), s->count, bytes);
    } else {
        ll_put_uint(bytes, l->fields[row->field].bytes, l->endian == LL_BIG,
                    doc->format->text_hash(ll_doc_at(doc, s->offset), s->count));
    }
    return true;
}

/* The row that derives the field of an LL_PART_COUNT row as the hash of a text. NULL: there is none. */
static const ll_derivation *hash_row(const ll_format *format, const ll_count_row *row)
{
    for (size_t i = 0; i < format->derivation_count; i++) {
        const ll_derivation *hash = &format->derivations[i];
        if (hash->layout == row->layout && hash->field == row->field && ll_is_hash_row(hash)) {
            return hash;
        }
    }
    return NULL;
}

static bool text_says(const ll_doc *doc, const ll_count_row *row, const ll_derivation *hash, uint32_t text)
{
    const ll_layout *l = &doc->layouts[row->layout];
    uint8_t bytes[LL_DERIVED_MAX];
    (void)ll_derive_hash(doc, hash, text, bytes);
    return (ll_read_uint(bytes, l->fields[row->field].bytes, l->endian) & row->bits) == row->value;
}

/* The span of the text with a number. LL_NO_SPAN: there is none. */
static uint32_t text_of(const ll_doc *doc, unsigned layout, uint32_t number)
{
    for (uint32_t span = doc->firsts[layout] - 1; span < doc->span_count; span++) {
        const ll_span *s = ll_doc_span(doc, span);
        if (s->layout == layout && s->index == number) {
            return span;
        }
        if (s->layout != layout && ll_doc_layout(doc, span)->kind != LL_KIND_BYTES) {
            break;
        }
    }
    return LL_NO_SPAN;
}

/* The field that leads to the first record of a layout, which should state the number. */
static ll_where leader_of(const ll_doc *doc, unsigned layout)
{
    const ll_format *format = doc->format;
    for (size_t i = 0; i < format->derivation_count; i++) {
        const ll_derivation *row = &format->derivations[i];
        if (row->target == layout && row->which == LL_WHICH_FIRST && doc->firsts[row->layout]) {
            return ll_at_field(doc, doc->firsts[row->layout] - 1, 0, row->field);
        }
    }
    return ll_nowhere();
}

/* An LL_PART_COUNT row matches the value of this field. */
static bool is_counted_by(const ll_format *format, const ll_count_row *of, const ll_element *record)
{
    bool is = false;
    for (size_t i = 0; i < format->count_row_count && !is; i++) {
        const ll_count_row *row = &format->count_rows[i];
        is = row->layout == of->layout && row->field == of->field &&
             (ll_get_uint(record, row->field) & row->bits) == row->value;
    }
    return is;
}

/* The number of parts by one row. number: only the record with that number counts; LL_NO_INDEX: the first record that
 * the row matches. If no row matches the stated hash of a text, the text decides. LL_COUNT_UNKNOWN: the row does not
 * match. */
static uint64_t count_by(const ll_doc *doc, const ll_count_row *row, uint32_t number, ll_where *by)
{
    const uint32_t records = doc->firsts[row->layout] - 1, first = number == LL_NO_INDEX ? 0 : number;
    const ll_derivation *hash = hash_row(doc->format, row);
    ll_element record;
    for (uint32_t i = first; i - first < COUNTED_RECORDS && ll_element_at(doc, records, i, &record); i++) {
        const bool by_text = hash && !is_counted_by(doc->format, row, &record);
        const uint32_t text = by_text ? text_of(doc, hash->target, i) : LL_NO_SPAN;
        const bool about = by_text ? text != LL_NO_SPAN && text_says(doc, row, hash, text)
                                   : (ll_get_uint(&record, row->field) & row->bits) == row->value;
        if (about || number != LL_NO_INDEX) {
            *by = ll_at_field(doc, records, i, row->by == LL_NO_FIELD ? row->field : row->by);
            return !about                   ? LL_COUNT_UNKNOWN
                   : row->by == LL_NO_FIELD ? row->number
                                            : row->number * ll_get_uint(&record, row->by);
        }
    }
    return LL_COUNT_UNKNOWN;
}

/* The number of parts in the file: that of the first row with a match. */
static uint64_t count_in_file(const ll_doc *doc, unsigned part, ll_where *by)
{
    const ll_format *format = doc->format;
    uint64_t count = LL_COUNT_UNKNOWN;
    for (size_t i = 0; i < format->count_row_count && count == LL_COUNT_UNKNOWN; i++) {
        const ll_count_row *row = &format->count_rows[i];
        if (row->part == part) {
            *by = leader_of(doc, row->layout);
            count = count_by(doc, row, LL_NO_INDEX, by);
        }
    }
    return count;
}

uint64_t ll_counted(const ll_doc *doc, const ll_part_row *part, uint32_t owner, ll_where *by)
{
    const ll_format *format = doc->format;
    uint64_t count = 0;
    *by = ll_nowhere();
    for (size_t i = 0; part->owner && i < format->count_row_count; i++) {
        const ll_count_row *row = &format->count_rows[i];
        ll_where other;
        const uint64_t one =
            row->part == part->layout ? count_by(doc, row, ll_doc_span(doc, owner)->index, by) : LL_COUNT_UNKNOWN;
        const uint64_t times = row->times && one != LL_COUNT_UNKNOWN ? count_in_file(doc, row->times, &other) : 1;
        count += one == LL_COUNT_UNKNOWN || times == LL_COUNT_UNKNOWN ? 0 : one * times;
    }
    return part->owner ? count : count_in_file(doc, part->layout, by);
}

bool ll_derive_counted(const ll_doc *doc, const ll_derivation *row, uint32_t text, uint8_t *bytes)
{
    const ll_format *format = doc->format;
    for (size_t i = 0; i < format->count_row_count; i++) {
        const ll_count_row *count = &format->count_rows[i];
        const ll_derivation *hash =
            count->layout == row->layout && count->by == row->field ? hash_row(format, count) : NULL;
        if (hash && text_says(doc, count, hash, text)) {
            const uint32_t first = doc->firsts[count->part];
            return ll_put_number(&doc->layouts[row->layout], row->field, first ? ll_doc_span(doc, first - 1)->count : 0,
                                 bytes);
        }
    }
    return false;
}

/* Number of parts directly in a record. *place: bytes from the record to part `number`, or to the record's end if there
 * is no such part. */
static uint64_t count_parts(const ll_doc *doc, uint32_t record, uint64_t number, uint32_t *place)
{
    const ll_span *r = ll_doc_span(doc, record), *s = r;
    uint64_t count = 0;
    *place = r->length;
    for (uint32_t i = record + 1; i < doc->span_count; i++) {
        s = ll_doc_span_behind(doc, s, i);
        if (s->parent == LL_NO_SPAN || s->parent < record) {
            break;
        }
        if (s->parent == record && s->layout >= LL_LAYOUT_BUILTINS) {
            *place = count++ == number ? s->offset - r->offset : *place;
        }
    }
    return count;
}

bool ll_derive_parts(const ll_doc *doc, const ll_derivation *row, uint32_t span, uint8_t *bytes)
{
    ll_element record;
    uint32_t end;
    if (!ll_element_at(doc, span, 0, &record)) {
        return false;
    }
    const uint64_t others = ll_get_uint(&record, (unsigned)row->plus);
    const uint64_t count = count_parts(doc, span, UINT64_MAX, &end) - others;
    if (row->how == LL_DERIVE_PARTS_END && others) {
        (void)count_parts(doc, span, count, &end);
    }
    return ll_put_number(record.layout, row->field, row->how == LL_DERIVE_PARTS ? (int64_t)count : end, bytes);
}
