/* Turns a hypothesis into a finding: finds its place, the fault of the reader that states it, and its words. */
#include "diagnosis/cause.h"

#include "model/derive.h"
#include "model/reader.h"
#include "model/reader_kind.h"

/* ------------------------------------------------------------------ place and fault */

ll_where ll_cause_place(const ll_doc *doc, const ll_hypothesis *h)
{
    ll_leaf leaf;
    const uint32_t within = h->kind == LL_CAUSE_EXCHANGED ? 0 : h->length / 2; /* the first of the two records */
    if (h->offset >= ll_region_end(doc, h->offset) || !ll_leaf_near(doc, h->offset + within, &leaf)) {
        return ll_at_bytes(LL_NO_SPAN, h->offset, h->length);
    }
    if (h->edit.size == h->edit.removed && leaf.kind == LL_KIND_RECORD && leaf.offset <= h->offset &&
        (uint64_t)h->offset + h->length <= (uint64_t)leaf.offset + leaf.length) {
        return ll_at_field(doc, leaf.span, leaf.element, leaf.field);
    }
    const ll_span *span = ll_doc_span(doc, leaf.span);
    bool element = doc->layouts[span->layout].kind == LL_KIND_RECORD;
    return (ll_where){leaf.span, element ? leaf.element : 0, LL_NO_FIELD, LL_NO_PART, h->offset, h->length};
}

/* Bits of the field state which parts are there. */
static bool is_choice(const ll_format *format, unsigned layout, unsigned field)
{
    size_t i = 0;
    while (i < format->part_count && (format->parts[i].of != layout || format->parts[i].field != field)) {
        i++;
    }
    return i < format->part_count;
}

const ll_fault *ll_reader_fault_at(const ll_doc *doc, const ll_where *at)
{
    const ll_fault_node *node = doc->first_fault;
    while (node && (!node->fault.read || node->fault.at.offset != at->offset || node->fault.at.length != at->length)) {
        node = node->next;
    }
    return node ? &node->fault : NULL;
}

/* The row of the part whose number LL_PART_COUNT rows take from the field at a place; NULL: there is none. */
static const ll_part_row *counted_by(const ll_doc *doc, const ll_where *at)
{
    const ll_format *format = doc->format;
    for (size_t i = 0; i < format->part_count; i++) {
        const ll_part_row *part = &format->parts[i];
        const bool in_file = part->owner == LL_WITHIN_FILE;
        for (uint32_t k = 0; part->how == LL_PART_COUNTED && k < (in_file ? 1 : doc->span_count); k++) {
            ll_where by = ll_nowhere();
            if (in_file || ll_doc_span(doc, k)->layout == part->owner) {
                (void)ll_counted(doc, part, in_file ? LL_NO_SPAN : k, &by);
            }
            if (by.span != LL_NO_SPAN && by.offset == at->offset) {
                return part;
            }
        }
    }
    return NULL;
}

/* A row derives the field as a number of parts, or derives any field of the record from the parts in it. */
static bool counts_parts(const ll_format *format, unsigned layout, unsigned field)
{
    bool counts = false;
    for (size_t i = 0; i < format->derivation_count; i++) {
        const ll_derivation *row = &format->derivations[i];
        counts = counts || (row->layout == layout &&
                            (ll_is_parts_row(row) || (row->field == field && row->how == LL_DERIVE_COUNT)));
    }
    return counts;
}

/* The field belongs to a number that states which layout a record has, or what follows it (LL_CHOICE). */
static bool says_kind(const ll_doc *doc, const ll_where *at)
{
    const ll_choice *rows = doc->format->choices;
    const unsigned layout = ll_doc_span(doc, at->span)->layout;
    if (!ll_is_chosen(doc->format, layout)) {
        return false;
    }
    const ll_layout *l = &doc->layouts[rows[0].layout];
    return at->field >= rows[0].field && at->field < l->field_count && l->fields[at->field].role == LL_ROLE_DATA &&
           l->fields[at->field].offset < l->fields[rows[0].field].offset + sizeof rows[0].value;
}

/* Kind of the reader's fault about a wrong value of the field; LL_READ_KINDS: there is none. */
static ll_read_kind kind_of_field(const ll_doc *doc, const ll_where *at)
{
    static const uint8_t kinds[] = {[LL_ROLE_COUNT] = 1 + LL_READ_COUNT,
                                    [LL_ROLE_SIZE] = 1 + LL_READ_SIZE,
                                    [LL_ROLE_OFFSET] = 1 + LL_READ_OFFSET,
                                    [LL_ROLE_HASH] = 1 + LL_READ_HASH};
    const ll_field *field = ll_where_field(doc, at);
    unsigned role = field ? field->role : LL_ROLE_DATA;
    if (field && is_choice(doc->format, ll_doc_span(doc, at->span)->layout, at->field)) {
        return LL_READ_CHOICE;
    }
    if (field && says_kind(doc, at)) {
        return LL_READ_SIZE;
    }
    if (role == LL_ROLE_COUNT && !counts_parts(doc->format, ll_doc_span(doc, at->span)->layout, at->field) &&
        !ll_has_own_read_row(doc->format, LL_READ_COUNT, ll_doc_span(doc, at->span)->layout)) {
        return LL_READ_KINDS;
    }
    return role < sizeof kinds && kinds[role] ? (ll_read_kind)(kinds[role] - 1) : LL_READ_KINDS;
}

/* The fault that the file, or the region, has the wrong size. right: the size that it should have. */
static ll_fault fault_of_size(const ll_doc *doc, ll_read_kind kind, unsigned layout, ll_where at, int64_t right)
{
    const uint32_t size = ll_doc_locate(doc, at.offset)->size;
    return ll_read_fault(doc->format, kind, layout, at,
                         (ll_read_words){ll_uint(size), right < 0 ? ll_int(right) : ll_uint((uint64_t)right), "size"});
}

unsigned ll_layout_at(const ll_doc *doc, const ll_where *at)
{
    return at->span == LL_NO_SPAN ? LL_ANY_LAYOUT : ll_doc_span(doc, at->span)->layout;
}

/* Takes the code and the related place from the reader's fault, if there is one. */
static void take_over(ll_fault *out, const ll_fault *said)
{
    out->code = said ? said->code : out->code;
    out->related = said ? said->related : out->related;
}

bool ll_cause_fault_of_end(const ll_doc *doc, const ll_search *s, ll_where at, ll_fault *out)
{
    uint64_t want = 0;
    for (size_t i = 0; i < s->leftovers.count && !want; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        want = !l->beyond ? 0 : l->want || l->more >= 0 ? l->want : (uint64_t)doc->size - (uint64_t)l->more;
    }
    *out = fault_of_size(doc, LL_READ_CUT, LL_ANY_LAYOUT, at, (int64_t)want);
    const ll_fault_node *node = doc->first_fault;
    while (node && node->fault.read != LL_READ_CUT + 1) {
        node = node->next;
    }
    take_over(out, node ? &node->fault : NULL); /* the fault of the part that does not fit */
    return want > doc->size && out->code != LL_FAULT_GAP;
}

/* The bytes of the parts that describe, or belong to, elements `first` to `last` of an array, by rows that derive a
 * field from the target with the same number: this field, if a row is about it. Nowhere: there are none. */
static ll_where parts_of(const ll_doc *doc, unsigned layout, unsigned field, uint32_t first, uint32_t last)
{
    uint16_t target = LL_ANY_LAYOUT;
    uint32_t from = UINT32_MAX, to = 0;
    bool own = false;
    for (size_t i = 0; i < doc->format->derivation_count && !own; i++) {
        const ll_derivation *row = &doc->format->derivations[i];
        const bool same = row->which == LL_WHICH_SAME_NUMBER || row->which == LL_WHICH_SAME_NUMBER_BELOW;
        target = row->layout == layout && same ? row->target : target;
        own = row->layout == layout && same && row->field == field;
    }
    for (uint32_t i = 0; i < doc->span_count && target != LL_ANY_LAYOUT; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        const bool meant = s->layout == target && s->index >= first && s->index <= last;
        from = meant && s->offset < from ? s->offset : from;
        to = meant && s->offset + s->length > to ? s->offset + s->length : to;
    }
    return from < to ? ll_at_bytes(LL_NO_SPAN, from, to - from) : ll_nowhere();
}

bool ll_cause_is_confirmed(const ll_report *report, const ll_hypothesis *h, const ll_where *at)
{
    const ll_doc *doc = &report->doc;
    const bool element = at->span != LL_NO_SPAN && at->field != LL_NO_FIELD && h->kind == LL_CAUSE_FIELD &&
                         !ll_is_zero(h->edit.bytes, h->edit.bytes + h->edit.size);
    const ll_where part =
        element ? parts_of(doc, ll_layout_at(doc, at), at->field, at->element, at->element) : ll_nowhere();
    bool odd = part.length == 1 && *ll_doc_at(doc, part.offset) == 0; /* an empty text: its bytes may be lost */
    for (uint32_t i = 0; i < report->entries.count && part.length && !odd; i++) {
        odd = report->entries.items[i].at.offset == part.offset;
    }
    return !odd;
}

bool ll_cause_fault(const ll_doc *doc, const ll_hypothesis *h, const ll_where *at, ll_fault *out)
{
    int64_t by = (int64_t)h->edit.size - (int64_t)h->edit.removed;
    unsigned layout = ll_layout_at(doc, at);
    if (h->kind == LL_CAUSE_FIELD) {
        const ll_field *field = ll_where_field(doc, at);
        const ll_fault *said = ll_reader_fault_at(doc, at);
        const bool other = said && said->read == LL_READ_TAG + 1 && kind_of_field(doc, at) != LL_READ_KINDS;
        said = other ? NULL : said; /* the fault is about a missing tag, not about a number */
        const ll_part_row *part = said ? NULL : counted_by(doc, at);
        const ll_read_kind kind = said ? (ll_read_kind)(said->read - 1) : part ? LL_READ_COUNT : kind_of_field(doc, at);
        if (!field || kind == LL_READ_KINDS || at->offset != h->offset || h->length != field->bytes) {
            return false;
        }
        unsigned endian = ll_doc_layout(doc, at->span)->endian;
        *out =
            ll_read_fault(doc->format, kind, part ? part->layout : layout, *at,
                          (ll_read_words){field->type == LL_TYPE_CHARS
                                              ? ll_chars(at->offset, at->length)
                                              : ll_uint(ll_read_uint(ll_doc_at(doc, at->offset), field->bytes, endian)),
                                          ll_uint(ll_read_uint(h->edit.bytes, field->bytes, endian)), field->name});
        out->code = said ? said->code : out->code;
    } else if (h->kind == LL_CAUSE_TERMINATOR) {
        const bool text = at->span != LL_NO_SPAN && ll_doc_layout(doc, at->span)->kind == LL_KIND_STRING;
        const ll_where nul = text ? ll_at_field(doc, at->span, 0, LL_STRING_TERMINATOR) : *at;
        *out = ll_read_fault(doc->format, LL_READ_UNENDED, layout, nul.offset == h->offset ? nul : *at,
                             (ll_read_words){ll_uint(*ll_doc_at(doc, h->offset)), ll_uint(0), "byte after the text"});
        const ll_fault *said = ll_reader_fault_at(doc, at);
        *out = said ? *said : *out;
    } else if (h->kind == LL_CAUSE_BYTE_ORDER && at->field == LL_NO_FIELD) {
        const ll_arg nothing = {0};
        *out = ll_read_fault(doc->format, h->floats ? LL_READ_REVERSED_FLOATS : LL_READ_REVERSED, layout, *at,
                             (ll_read_words){nothing, nothing, doc->layouts[layout].label});
    } else if (h->kind == LL_CAUSE_EXCHANGED && ll_has_own_read_row(doc->format, LL_READ_EXCHANGED, layout)) {
        const ll_arg nothing = {0};
        *out = ll_read_fault(doc->format, LL_READ_EXCHANGED, layout, *at,
                             (ll_read_words){nothing, nothing, doc->layouts[layout].label});
        out->related =
            parts_of(doc, layout, LL_NO_FIELD, at->element, at->element + 1); /* these may be exchanged instead */
        out->at = (ll_where){at->span, at->element, LL_NO_FIELD, LL_NO_PART, h->offset, h->length};
    } else if (h->kind == LL_CAUSE_DOUBLED && !doc->first_fault) { /* only a rule finds it */
        return false;
    } else if (by != 0) {
        const uint32_t size = ll_doc_locate(doc, at->offset)->size;
        const bool at_end = h->edit.offset + h->edit.removed == size;
        ll_read_kind kind = by < 0 ? LL_READ_SURPLUS : LL_READ_CUT;
        const ll_fault *left = h->edit.size && by < 0 ? ll_reader_fault_at(doc, at) : NULL;
        if (left) { /* in a section, whose fault was raised already */
            *out = *left;
            return true;
        }
        if (at_end && !doc->by_rows) { /* it was raised already, with arguments of its own */
            return false;
        }
        kind = !at_end && ll_read_code(doc->format, LL_READ_SHIFTED, layout, at->field) != LL_FAULT_GAP
                   ? LL_READ_SHIFTED
                   : kind;
        const ll_fault *said = at_end && by < 0 ? ll_reader_fault_at(doc, at) : NULL;
        *out = fault_of_size(doc, kind, layout, *at, (int64_t)size + by);
        take_over(out, said);
    } else {
        return false;
    }
    return out->code != LL_FAULT_GAP; /* the format has a fault for it */
}

/* ------------------------------------------------------------------ words */

static void put_cause(const ll_doc *doc, const ll_hypothesis *h, ll_text *out)
{
    uint32_t n = h->edit.size > h->edit.removed ? h->edit.size - h->edit.removed : h->edit.removed - h->edit.size;
    n /= h->times ? h->times : 1;
    n = h->kind == LL_CAUSE_ZEROED ? h->length : n;
    const ll_where at = ll_cause_place(doc, h);
    ll_text path;
    ll_text_init(&path, &doc->arena.allocator);
    if (at.span != LL_NO_SPAN) {
        ll_path_text(doc, &at, &path);
    }
    ll_text_char(&path, '\0');
    for (const char *p = ll_cause_words[h->kind]; *p; p++) {
        if (*p == '#') {
            ll_text_format(out, "%u byte%s", (unsigned)n, n == 1 ? "" : "s");
        } else if (*p == '@') {
            ll_text_str(out, path.length > 1 ? path.data : "");
            ll_text_str(out, path.length > 1 ? " " : "");
            const ll_region *region = ll_doc_locate(doc, h->offset);
            ll_place_text(h->offset - region->base, h->length, out);
            ll_text_str(out, region->name ? " in " : "");
            ll_text_str(out, region->name ? region->name : "");
        } else {
            ll_text_char(out, *p);
        }
    }
    out->failed = out->failed || path.failed;
    ll_text_free(&path);
    if (h->times) {
        ll_text_format(out, " The same in %u records.", (unsigned)h->times);
    }
}

const char *ll_cause_in_words(const ll_verdict *v, ll_arena *arena)
{
    ll_text text;
    ll_text_init(&text, &arena->allocator);
    put_cause(&v->report->doc, v->best, &text);
    if (v->rival) {
        ll_text_str(&text, " Or else: ");
        put_cause(&v->report->doc, v->rival, &text);
    }
    const char *words = text.failed ? NULL : ll_arena_copy(arena, text.data, text.length);
    ll_text_free(&text);
    return words;
}
