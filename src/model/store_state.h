/* Stores: files of a header, tables, and sections that a table numbers (LL_EDITION). The size table states the bytes of
 * each section. Sections stand one after the other, or in blocks; a row of the block table states the sizes of a
 * block, which may be a compressed stream, and its number of sections. What a section holds follows from fields of the
 * header or from the table of tags. The reader compares the stated numbers with the file, raises faults, and goes on
 * with the stated numbers: the search for causes decides which of the two is wrong. The files call only those that
 * stand before them in this header. Only for reader_*.c. */
#ifndef LL_MODEL_STORE_STATE_H
#define LL_MODEL_STORE_STATE_H

#include "base/ints.h"
#include "model/claim.h"
#include "model/reader.h"
#include "model/reader_kind.h"
#include "model/reader_plan.h"

/* Numbers of rows of the three tables. */
typedef struct ll_counts {
    uint32_t sections, blocks, tags;
} ll_counts;

/* File offsets of the tables and of the data after them. 64 bits, as counts may not be checked yet. */
typedef struct ll_places {
    uint64_t sizes, blocks, tags, data;
} ll_places;

/* A section whose contents are claimed when all other sections are. */
typedef struct ll_deferred {
    bool found;
    uint32_t section;
    /* bytes by the size table, and bytes that are there; if the block is too large to be unpacked, all bytes of the
     * block */
    uint32_t size, have;
    const uint8_t *bytes;         /* NULL: they are in a block that is too large to be unpacked */
    uint32_t offset;              /* file offset, if it is not compressed */
    uint32_t group;               /* its span, if it is not compressed; else LL_NO_SPAN, */
    uint32_t outer, outer_length; /* and these bytes of the file hold its block */
} ll_deferred;

/* The main kind of section is what a file of the format may also be alone. MAIN: the section that the header names.
 * ELSE: the first other section that begins like it. OTHER: a section of another kind that is looked into. */
enum { LL_DEFER_MAIN, LL_DEFER_ELSE, LL_DEFER_OTHER, LL_DEFERRED };

typedef struct ll_store {
    ll_doc *doc;
    const ll_plan *all;
    const ll_store_plan *plan;
    const ll_edition *edition;
    uint32_t header, size_table, block_table, tag_table; /* spans */
    ll_counts count;
    uint32_t sizes, blocks, tags, data; /* file offsets of the tables and of the data after them */
    uint8_t *kinds;                     /* number of the LL_SECTION row of each section */
    ll_deferred deferred[LL_DEFERRED];
    uint32_t sound_to;   /* file offset of the last section that begins with the word of its kind; 0: none does */
    ll_where main_named; /* the field that names the main section */
    ll_unpacker unpacker;
} ll_store;

/* Raises a fault that its rule alone weighs. */
static inline void ll_raise_by_rule(ll_doc *doc, ll_fault fault)
{
    fault.read = 0;
    ll_raise(doc, &fault);
}
/* Raises a fault about a field that should have `value`, by the rest of the store. On a copy, unknown bytes of the
 * field get those of the value first; no fault if the field has the value then. */
void ll_raise_value(ll_doc *doc, ll_fault fault, uint64_t value);

static inline uint32_t ll_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}
/* An integer field of a row of a table at a file offset. The row must be there. */
static inline uint32_t ll_row_number(const ll_doc *doc, ll_field_of f, uint64_t row)
{
    return (uint32_t)ll_number_at(&doc->layouts[f.layout], f.field, ll_doc_at(doc, (uint32_t)row));
}
static inline uint32_t ll_row_size(const ll_doc *doc, ll_field_of table)
{
    return doc->layouts[table.layout].size;
}
static inline ll_where ll_at_header(const ll_store *s, unsigned field)
{
    return ll_at_field(s->doc, s->header, 0, field);
}
static inline uint32_t ll_header_number(const ll_store *s, unsigned field)
{
    return ll_row_number(s->doc, (ll_field_of){s->edition->layout, (uint16_t)field}, 0);
}
static inline bool ll_has_blocks(const ll_doc *doc, const ll_store_plan *plan, const ll_edition *edition)
{
    return ll_count_field(doc->format, edition->layout, plan->packed) != LL_NO_FIELD;
}
static inline bool ll_has_tags(const ll_store *s)
{
    return ll_count_field(s->doc->format, s->edition->layout, s->plan->tag) != LL_NO_FIELD;
}

/* ------------------------------------------------------------------ tables (reader_tables.c) */

/* The counts that the header of an edition states. The header must be there. */
ll_counts ll_counts_of(const ll_doc *doc, const ll_store_plan *plan, const ll_edition *edition);
ll_places ll_places_of(const ll_doc *doc, const ll_store_plan *plan, const ll_edition *edition,
                       const ll_counts *counts);
/* Sum of `count` rows of a size table at a file offset. The rows must be there. */
uint64_t ll_sum_of_sizes(const ll_doc *doc, const ll_store_plan *plan, uint64_t table, uint64_t count);
/* Tables with these numbers of rows, and the sizes in them, lead to the end of the file. */
bool ll_do_counts_fit(const ll_doc *doc, const ll_store_plan *plan, const ll_edition *edition, const ll_counts *counts);
/* Sections in all blocks, by the rows of the block table that are there. */
uint64_t ll_sections_of_blocks(const ll_doc *doc, const ll_store_plan *plan, const ll_edition *edition,
                               const ll_counts *counts);
/* Bytes of the file that a block takes, with its padding. */
static inline uint64_t ll_block_extent(const ll_store_plan *plan, uint32_t unpacked, uint32_t packed)
{
    return ll_align_up(packed ? packed : unpacked, plan->unit);
}
/* On a copy, adds `missing` to a field with unknown bytes, in one of `count` rows from `first` on, so that their sum is
 * right: in the last such row of the size table, the first of the block table. */
void ll_fill_term(const ll_store *s, uint32_t table, unsigned field, uint32_t first, uint32_t count, uint64_t missing);
/* Bytes of fill after the last block that the end of the file asks for: a whole `unit`, or 0. */
uint32_t ll_fill_at_end(const ll_store *s);
/* The stretch after the last section that is known to begin in the right place: bytes may be missing or surplus
 * there. */
ll_where ll_unproved(const ll_store *s);
/* Claims the tables by the stated counts. False: reading ends here. */
bool ll_read_tables(ll_store *s);
/* Opens a store that was read: its edition, header and tables. False: the document is none, or its tables were not
 * read. */
bool ll_open_store(ll_doc *doc, ll_store *s);

/* ------------------------------------------------------------------ the header (reader_edition.c) */

/* The version that the file states, in the field that all headers have. */
static inline uint32_t ll_version_of(const ll_doc *doc)
{
    const ll_edition *any = doc->format->editions;
    return ll_row_number(doc, (ll_field_of){any->layout, any->field}, 0);
}
/* Claims the header of the edition that fits, and the padding after it. False: reading ends here. */
bool ll_read_header(ll_store *s);

/* ------------------------------------------------------------------ sections (reader_numbered.c) */

/* Finds the kind of each section, and which are deferred. False: no memory. */
bool ll_name_numbered(ll_store *s);
/* Claims `count` sections from section `first` on, one after the other `within` addresses. stream: not NULL: these
 * are offsets in its unpacked bytes; then only those that have to be looked into are kept, and none is
 * claimed. Returns where they end. */
uint32_t ll_read_numbered(ll_store *s, uint32_t first, uint32_t count, const ll_stream *stream, ll_stretch within);
/* Claims the contents of the sections that were kept. */
void ll_claim_deferred(ll_store *s);

/* ------------------------------------------------------------------ blocks (reader_blocks.c) */

/* Claims the blocks. Returns the file offset of their end, by their rows. */
uint64_t ll_read_blocks(ll_store *s);

/* ------------------------------------------------------------------ the file (reader_store.c) */

/* Reads the file if it is a store. False: it is none, and nothing was claimed. */
bool ll_read_as_store(ll_doc *doc, const ll_plan *plan);

#endif
