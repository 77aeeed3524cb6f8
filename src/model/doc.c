/* The ledger: checks that claims lie in the file and in their parents. A claim outside its parent is a defect of the
 * reader and ends the reading with LL_E_INTERNAL. */
#include "model/doc.h"

#include "base/half.h"
#include "model/format.h"

/* Most bytes for the spans and faults of one file. At 24 bytes a span, 4 GiB hold more spans than any file needs. */
static const size_t ARENA_CEILING = UINT32_MAX;

static const ll_layout builtins[LL_LAYOUT_BUILTINS] = {LL_LAYOUT_BUILTIN_ROWS};

void ll_doc_init(ll_doc *doc, const ll_allocator *allocator)
{
    *doc = (ll_doc){.layouts = builtins, .region_count = 1};
    ll_arena_init(&doc->arena, allocator, ARENA_CEILING);
}

void ll_doc_free(ll_doc *doc)
{
    const ll_allocator a = doc->arena.allocator;
    while (doc->kept) {
        ll_kept *kept = doc->kept;
        doc->kept = kept->next;
        a.release(a.ctx, kept);
    }
    ll_arena_free(&doc->arena);
}

void ll_doc_open(ll_doc *doc, const uint8_t *bytes, uint32_t size, const char *name)
{
    ll_arena arena = doc->arena;
    ll_arena_reset(&arena);
    *doc = (ll_doc){.bytes = bytes, .size = size, .name = name, .layouts = builtins, .arena = arena, .kept = doc->kept};
    doc->regions[0] = (ll_region){.size = size, .bytes = bytes, .outer_length = size};
    doc->region_count = 1;
}

void ll_doc_set_format(ll_doc *doc, const ll_format *format)
{
    doc->format = format;
    doc->layouts = format ? format->layouts : builtins;
}

static void *or_no_memory(ll_doc *doc, void *memory)
{
    if (!memory && doc->status == LL_OK) {
        doc->status = LL_E_MEMORY;
    }
    return memory;
}

void *ll_doc_alloc(ll_doc *doc, size_t count, size_t size)
{
    return or_no_memory(doc, ll_arena_alloc(&doc->arena, count, size));
}

void *ll_doc_zalloc(ll_doc *doc, size_t count, size_t size)
{
    return or_no_memory(doc, ll_arena_zalloc(&doc->arena, count, size));
}

void ll_doc_release(ll_doc *doc, void *block)
{
    const ll_allocator a = ll_arena_allocator(&doc->arena);
    a.release(a.ctx, block);
}

ll_span *ll_doc_next_chunk(ll_doc *doc)
{
    uint32_t number = doc->span_count / LL_SPANS_PER_CHUNK;
    if (number == doc->chunks.count) {
        ll_allocator a = ll_arena_allocator(&doc->arena);
        ll_span *spans = ll_doc_alloc(doc, LL_SPANS_PER_CHUNK, sizeof *spans);
        ll_span **chunk = spans ? or_no_memory(doc, LL_ARRAY_ADD(&doc->chunks, &a)) : NULL;
        if (!chunk) {
            return NULL;
        }
        *chunk = spans;
    }
    return doc->chunks.items[number];
}

/* ------------------------------------------------------------------ regions */

enum { REGION_ALIGNMENT = 16 }; /* so that bases look like offsets in a hex dump */

uint32_t ll_doc_add_region(ll_doc *doc, const char *name, const uint8_t *bytes, uint32_t size, uint32_t outer_offset,
                           uint32_t outer_length)
{
    const ll_region *last = &doc->regions[doc->region_count - 1];
    uint64_t end = (uint64_t)last->base + last->size;
    uint64_t base = ll_align_up(end + 1, REGION_ALIGNMENT); /* + 1: no region begins at the end of another */
    if (doc->region_count == LL_REGIONS_MAX || base + size > UINT32_MAX) {
        return 0;
    }
    doc->regions[doc->region_count++] =
        (ll_region){(uint32_t)base, size, bytes, name, doc->regions[0].outer_offset + outer_offset, outer_length};
    return (uint32_t)base;
}

/* ------------------------------------------------------------------ claims */

static ll_span *span_at(ll_doc *doc, uint32_t span)
{
    return &doc->chunks.items[span / LL_SPANS_PER_CHUNK][span % LL_SPANS_PER_CHUNK];
}

void ll_doc_forget(ll_doc *doc, const ll_doc_mark *mark)
{
    doc->fault_count = mark->fault_count;
    doc->faults_dropped = mark->faults_dropped;
    doc->rows_from = mark->rows_from;
    doc->rows_to = mark->rows_to;
    doc->rows_part = mark->rows_part;
    doc->rows_wrong = mark->rows_wrong;
    doc->last_fault = mark->last_fault;
    if (mark->last_fault) {
        mark->last_fault->next = NULL;
    } else {
        doc->first_fault = NULL;
    }
}

void ll_doc_rewind(ll_doc *doc, const ll_doc_mark *mark)
{
    doc->tiled = mark->tiled;
    doc->span_count = mark->span_count;
    doc->last_span = doc->span_count ? span_at(doc, doc->span_count - 1) : NULL;
    for (unsigned i = 0; i < LL_LAYOUTS_MAX; i++) {
        doc->firsts[i] = doc->firsts[i] > doc->span_count ? 0 : doc->firsts[i];
    }
    ll_doc_forget(doc, mark);
}

void ll_end_span(ll_doc *doc, uint32_t span, uint32_t end)
{
    if (span < doc->span_count) {
        span_at(doc, span)->length = end - span_at(doc, span)->offset;
    }
}

void ll_mark_span(ll_doc *doc, uint32_t span, unsigned flags)
{
    if (span < doc->span_count) {
        ll_span *s = span_at(doc, span);
        s->flags = (uint16_t)(s->flags | flags);
        doc->broken = doc->broken || (flags & LL_SPAN_BROKEN);
    }
}

double ll_read_number(const uint8_t *p, unsigned type, unsigned endian)
{
    unsigned bytes = ll_type_bytes(type);
    uint64_t bits = ll_read_uint(p, bytes, endian);
    if (ll_type_is_float(type)) {
        return type == LL_TYPE_F16 ? ll_half_to_double((uint16_t)bits) : ll_single_to_double((uint32_t)bits);
    }
    return ll_type_is_signed(type) ? (double)ll_read_int(p, bytes, true, endian) : (double)bits;
}

double ll_get_number(const ll_element *record, unsigned field, unsigned part)
{
    const ll_field *f = &record->layout->fields[field];
    const uint8_t *bytes = record->bytes + f->offset + (size_t)part * ll_type_bytes(f->type);
    return ll_read_number(bytes, f->type, record->layout->endian);
}
