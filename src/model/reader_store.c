/* Decides whether a file is a store (store_state.h), also if its first word is damaged, and reads it: claims the end of
 * the file, and lets the others read header, tables, blocks and sections. Claims all bytes. */
#include "base/text.h"
#include "model/store_state.h"

#include <string.h>

enum { WORD = 4 };

/* ------------------------------------------------------------------ the end */

/* The file ends in front of the fill after `end`, the last block or section, or in that. Without fill it is just
 * unusual. */
static void raise_end(const ll_store *s, const ll_alignment *row, uint64_t end, uint64_t padded)
{
    ll_doc *doc = s->doc;
    const uint32_t size = doc->size, span = ll_claim_bytes(doc, LL_NO_SPAN, row ? row->padding : 0, end, size);
    const bool unusual = size == end && size % s->plan->unit == 0,
               whole = row && end <= size && doc->bytes[end - 1] != row->fill; /* only the fill is missing */
    ll_fault fault = ll_read_fault(doc->format, unusual ? LL_READ_UNFILLED : LL_READ_CUT, s->plan->section,
                                   ll_at_bytes(span, size, 0), (ll_read_words){ll_uint(size), ll_uint(padded), "size"});
    fault.want = padded;
    fault.related = unusual || whole ? ll_nowhere() : ll_unproved(s);
    uint8_t *fill = row && (unusual || whole) ? ll_doc_alloc(doc, row->unit, 1) : NULL;
    if (fill) {
        memset(fill, row->fill, row->unit);
        ll_patch_insert(doc, &fault, LL_PATCH_SAFE, size, fill, (uint32_t)(padded - size));
    }
    ll_raise(doc, &fault);
}

/* Claims what lies after `end`, the last block or section: fill, and surplus bytes. Raises a fault if the file does
 * not end where it should. */
static void claim_end(const ll_store *s, uint64_t end)
{
    ll_doc *doc = s->doc;
    const ll_alignment *row = ll_end_alignment_of(doc->format, s->edition->layout);
    const uint64_t padded = end + ll_padding_at(row, end);
    if (doc->size < padded) {
        raise_end(s, row, end, padded);
        return;
    }
    ll_claim_bytes(doc, LL_NO_SPAN, row ? row->padding : 0, end, padded);
    if (padded < doc->size) {
        ll_fault fault = ll_read_fault(doc->format, LL_READ_SURPLUS, s->plan->section,
                                       ll_claim_gap(doc, LL_NO_SPAN, padded, doc->size),
                                       (ll_read_words){ll_uint(doc->size), ll_uint(padded), "size"});
        fault.related = ll_unproved(s);
        ll_raise(doc, &fault);
    }
}

/* ------------------------------------------------------------------ the file */

/* Reads the sections of a store without blocks. Returns where they end by the size table. */
static uint64_t read_sections(ll_store *s)
{
    const uint32_t sections = s->count.sections;
    const uint64_t sum = ll_sum_of_sizes(s->doc, s->plan, s->sizes, sections);
    ll_fill_term(s, s->size_table, s->plan->size.field, 0, sections, s->doc->size - s->data - sum);
    (void)ll_read_numbered(s, 0, sections, NULL,
                           (ll_stretch){.parent = LL_NO_SPAN, .from = s->data, .to = s->doc->size});
    return s->data + ll_sum_of_sizes(s->doc, s->plan, s->sizes, sections);
}

/* Reads the whole file, which is as long as the shortest header. */
static void read_store(ll_doc *doc, const ll_plan *plan)
{
    ll_store s = {.doc = doc, .all = plan, .plan = &plan->store, .unpacker = {.doc = doc}};
    for (unsigned i = 0; i < LL_DEFERRED; i++) {
        s.deferred[i].section = LL_NO_INDEX;
    }
    doc->by_rows = true;
    if (!ll_read_header(&s) || !ll_read_tables(&s) || !ll_name_numbered(&s)) {
        return;
    }
    s.unpacker.method = s.edition->method;
    const bool blocks = ll_has_blocks(doc, s.plan, s.edition);
    const uint64_t end = blocks ? ll_read_blocks(&s) : read_sections(&s);
    if (doc->status == LL_OK && !(blocks && end > doc->size)) { /* else a fault about a block says so */
        claim_end(&s, end);
    }
    ll_claim_deferred(&s);
}

/* ------------------------------------------------------------------ what the file is */

/* The word has at most one damaged byte, or is in the other byte order. */
static bool resembles(const uint8_t *bytes, uint32_t word)
{
    unsigned wrong = 0;
    for (uint32_t off = ll_be32(bytes) ^ word; off; off >>= 8) {
        wrong += (off & 0xFF) != 0;
    }
    return wrong <= 1 || ll_le32(bytes) == word;
}

/* The file reads like a store after its first word: it has a known version and a size table that fits. fully: all
 * tables, and the sizes in them, lead to its end. */
static bool reads_as_store(const ll_doc *doc, const ll_store_plan *plan, bool fully)
{
    const ll_edition *e = doc->size < plan->least ? NULL : ll_edition_of(doc->format, ll_version_of(doc));
    if (!e || doc->layouts[e->layout].size > doc->size) {
        return false;
    }
    const ll_counts c = ll_counts_of(doc, plan, e);
    const uint64_t bytes = (uint64_t)c.sections * ll_row_size(doc, plan->size);
    return c.sections && ll_fits(ll_places_of(doc, plan, e, &c).sizes, bytes, doc->size) &&
           (!fully || ll_do_counts_fit(doc, plan, e, &c));
}

/* The first word decides, unless it is damaged. A store may have the first word of its main section by mistake. */
static bool is_store(const ll_doc *doc, const ll_store_plan *plan)
{
    if (resembles(doc->bytes, plan->magic)) {
        return true;
    }
    if (plan->main && resembles(doc->bytes, doc->format->kinds[plan->main].magic)) {
        return reads_as_store(doc, plan, true);
    }
    return reads_as_store(doc, plan, false) || (doc->name && ll_ends_with(doc->name, ll_format_extension(doc->format)));
}

/* Raises the fault that the first word is not that of a store. */
static void raise_magic(ll_doc *doc, const ll_store_plan *plan)
{
    const uint16_t head = doc->format->editions->layout;
    const bool header = doc->span_count && ll_doc_layout(doc, 0)->kind == LL_KIND_RECORD;
    const ll_where at =
        header ? ll_at_field(doc, 0, 0, ll_tag_field(&doc->layouts[head])) : ll_at_bytes(LL_NO_SPAN, 0, WORD);
    const ll_read_kind kind = ll_le32(doc->bytes) == plan->magic ? LL_READ_SWAPPED : LL_READ_CONSTANT;
    ll_fault fault = ll_read_fault(doc->format, kind, head, at,
                                   (ll_read_words){ll_uint(ll_be32(doc->bytes)), ll_uint(plan->magic), "magic"});
    ll_put_uint(fault.patch_value, WORD, true, plan->magic);
    ll_patch_guess(doc, &fault, 0, NULL, WORD);
    ll_raise_by_rule(doc, fault);
}

static void leave_unparsed(ll_doc *doc, uint32_t from)
{
    doc->fatal = true;
    ll_claim_unparsed(doc, LL_NO_SPAN, from, doc->size);
}

bool ll_read_as_store(ll_doc *doc, const ll_plan *plan)
{
    const ll_store_plan *p = &plan->store;
    const uint16_t head = doc->format->edition_count ? doc->format->editions->layout : 0;
    const bool sound = head && doc->size >= WORD && ll_be32(doc->bytes) == p->magic;
    if (head && (doc->size < WORD || (sound && doc->size < p->least))) {
        ll_fault fault =
            ll_read_fault(doc->format, LL_READ_CUT, head, ll_at_bytes(LL_NO_SPAN, 0, doc->size),
                          (ll_read_words){ll_uint(doc->size), ll_uint(sound ? p->least : (uint32_t)WORD), "size"});
        ll_raise(doc, &fault);
        leave_unparsed(doc, 0);
        return true;
    }
    if (!head || !is_store(doc, p)) {
        return false;
    }
    const uint32_t own = doc->layouts[head].size;
    if (sound || reads_as_store(doc, p, false)) {
        read_store(doc, plan);
    } else {
        if (doc->size >= own) {
            (void)ll_claim_broken(doc, LL_NO_SPAN, head, 0, own, LL_NO_INDEX);
        }
        leave_unparsed(doc, doc->size < own ? 0 : own);
    }
    if (!sound) {
        raise_magic(doc, p);
    }
    return true;
}
