/* Claims every byte of an archive. */
#include "formats/fpk/fpk.h"

#include "base/sort.h"

#include <string.h>

enum { UNIT = 16 }; /* what strings as a whole, and every member, are padded to */

typedef struct summary {
    uint32_t count;
    ll_member *members;
} summary;

/* A stretch that something refers to: the path of an entry, that of a reference, or the bytes of a member. */
typedef struct stretch {
    uint32_t offset, length;
    uint16_t layout;
    uint32_t index;
} stretch;

typedef struct walk {
    ll_doc *doc;
    uint32_t header, entries, references;
    uint32_t entry_count, reference_count;
    uint32_t tables_end;
    stretch *stretches;
    uint32_t count;
    uint32_t pos; /* everything before it is claimed */
    uint32_t paddings;
    summary *summary;
} walk;

ll_probe_result fpk_probe(const uint8_t *bytes, size_t size)
{
    return size >= 6 && memcmp(bytes, "foxfpk", 6) == 0 ? LL_PROBE_SURE : LL_PROBE_NO;
}

bool fpk_member(const ll_doc *doc, uint32_t i, ll_member *out)
{
    const summary *s = doc->format_data;
    if (!s || i >= s->count) {
        return false;
    }
    *out = s->members[i];
    return true;
}

static void add(walk *w, uint32_t span, uint32_t element, unsigned offset_field, unsigned length_field, uint16_t layout,
                uint32_t index)
{
    uint64_t offset = ll_get_uint(w->doc, span, element, offset_field);
    uint64_t length = ll_get_uint(w->doc, span, element, length_field);
    if (offset >= w->tables_end && ll_fits(offset, length, w->doc->size)) {
        w->stretches[w->count++] = (stretch){(uint32_t)offset, (uint32_t)length, layout, index};
    }
}

static void fill(walk *w, uint32_t to)
{
    if (w->pos < to) {
        if (to - w->pos < UNIT) {
            (void)ll_claim_group(w->doc, LL_NO_SPAN, fpk_padding_LAYOUT, w->pos, to, w->paddings++);
        } else {
            (void)ll_claim_gap(w->doc, LL_NO_SPAN, w->pos, to);
        }
        w->pos = to;
    }
}

static void claim(walk *w, const stretch *s)
{
    ll_doc *doc = w->doc;
    if (s->offset < w->pos) {
        return;
    }
    fill(w, s->offset);
    uint32_t end = s->offset + s->length;
    if (s->layout == fpk_member_LAYOUT) {
        ll_member *m = &w->summary->members[s->index];
        m->span = ll_claim_group(doc, LL_NO_SPAN, s->layout, s->offset, end, s->index);
        m->offset = s->offset;
        m->length = s->length;
        w->pos = end;
        return;
    }
    bool ended = end < doc->size && doc->bytes[end] == 0;
    (void)ll_claim_string(doc, LL_NO_SPAN, s->layout, s->offset, end + ended, s->length, s->index);
    if (s->layout == fpk_path_LAYOUT) {
        w->summary->members[s->index].path = s->offset;
        w->summary->members[s->index].path_length = s->length;
    }
    w->pos = end + ended;
}

static void claim_all(walk *w)
{
    ll_doc *doc = w->doc;
    uint32_t n = 2 * w->entry_count + w->reference_count;
    w->stretches = ll_doc_alloc(doc, (size_t)n + 1, sizeof *w->stretches);
    ll_sort_key *keys = ll_doc_alloc(doc, (size_t)n + 1, 2 * sizeof *keys);
    w->summary->members = ll_doc_zalloc(doc, (size_t)w->entry_count + 1, sizeof *w->summary->members);
    if (doc->status != LL_OK) {
        return;
    }
    w->summary->count = w->entry_count;
    for (uint32_t i = 0; i < w->entry_count; i++) {
        w->summary->members[i].span = LL_NO_SPAN;
        add(w, w->entries, i, fpk_entry_path_offset, fpk_entry_path_length, fpk_path_LAYOUT, i);
        add(w, w->entries, i, fpk_entry_data_offset, fpk_entry_data_size, fpk_member_LAYOUT, i);
    }
    for (uint32_t i = 0; i < w->reference_count; i++) {
        add(w, w->references, i, fpk_reference_path_offset, fpk_reference_path_length, fpk_reference_path_LAYOUT, i);
    }
    for (uint32_t i = 0; i < w->count; i++) {
        keys[i] = (ll_sort_key){w->stretches[i].offset, w->stretches[i].length, i};
    }
    const ll_sort_key *sorted = ll_sort(keys, keys + n + 1, w->count);
    for (uint32_t i = 0; i < w->count && doc->status == LL_OK; i++) {
        claim(w, &w->stretches[sorted[i].item]);
    }
    fill(w, doc->size);
}

void fpk_parse(ll_doc *doc)
{
    walk w = {.doc = doc};
    w.summary = ll_doc_zalloc(doc, 1, sizeof *w.summary);
    if (doc->size < fpk_header_SIZE || fpk_probe(doc->bytes, doc->size) == LL_PROBE_NO) {
        bool is_short = doc->size < fpk_header_SIZE;
        uint32_t rest = ll_claim_unparsed(doc, LL_NO_SPAN, 0, doc->size);
        if (is_short) {
            LL_RAISE(doc, FPK_FAULT_TOO_SHORT, 0, ll_at_bytes(rest, 0, doc->size), ll_uint(doc->size),
                     ll_uint(fpk_header_SIZE));
        } else {
            LL_RAISE(doc, FPK_FAULT_MAGIC, 0, ll_at_bytes(rest, 0, 6), ll_chars(0, 6));
        }
        doc->fatal = true;
        return;
    }
    w.header = ll_claim_fixed(doc, LL_NO_SPAN, fpk_header_LAYOUT, 0);
    if (doc->status != LL_OK) {
        return;
    }
    uint64_t entries = ll_get_uint(doc, w.header, 0, fpk_header_entry_count);
    uint64_t references = ll_get_uint(doc, w.header, 0, fpk_header_reference_count);
    uint64_t end = fpk_header_SIZE + entries * fpk_entry_SIZE + references * fpk_reference_SIZE;
    if (end > doc->size) {
        LL_RAISE(doc, FPK_FAULT_TABLES_RANGE, 0, ll_at_field(doc, w.header, 0, fpk_header_entry_count), ll_uint(end),
                 ll_uint(doc->size));
        (void)ll_claim_unparsed(doc, LL_NO_SPAN, fpk_header_SIZE, doc->size);
        doc->fatal = true;
        return;
    }
    w.entry_count = (uint32_t)entries;
    w.reference_count = (uint32_t)references;
    w.tables_end = w.pos = (uint32_t)end;
    w.entries = ll_claim_array(doc, LL_NO_SPAN, fpk_entry_LAYOUT, fpk_header_SIZE, w.entry_count);
    w.references = ll_claim_array(doc, LL_NO_SPAN, fpk_reference_LAYOUT,
                                  fpk_header_SIZE + w.entry_count * fpk_entry_SIZE, w.reference_count);
    doc->format_data = w.summary;
    claim_all(&w);
}
