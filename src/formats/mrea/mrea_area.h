/* What the files that read an area share. They compare what is stated with what is there, and continue with what is
 * stated: src/diagnosis decides which of the two is wrong. */
#ifndef LL_FORMATS_MREA_AREA_H
#define LL_FORMATS_MREA_AREA_H

#include "formats/mrea/mrea.h"

/* One version of the format. */
typedef struct mrea_edition {
    uint32_t version;
    mrea_game game;
    uint16_t header; /* layout of the header */
    uint16_t header_size;
    uint16_t section_count; /* fields of the header with the numbers of rows; LL_NO_FIELD: there is no such table */
    uint16_t block_count;
    uint16_t tag_count;
    const mrea_form *form; /* form of the lights; NULL: not documented */
    bool zlib;             /* segments are zlib streams; false: LZO1X */
} mrea_edition;

/* The segments of a compressed block, one behind the other. Each is a stream of its own. */
typedef struct mrea_stream {
    uint32_t block, start, end; /* file offsets of block, first segment and end; the block begins with padding */
    uint32_t size;              /* bytes that the segments decompress to */
} mrea_stream;

/* A section whose contents may be claimed when all other sections are. */
typedef struct mrea_deferred {
    bool found;
    uint32_t section;
    /* bytes by the size table, and bytes that are there; if the block is too large to be unpacked, all bytes of the
     * block */
    uint32_t size, have;
    const uint8_t *bytes;         /* NULL: they are in a block that is too large to be unpacked */
    uint32_t offset;              /* file offset, if it is not compressed */
    uint32_t group;               /* its span, if it is not compressed; else LL_NO_SPAN, */
    uint32_t outer, outer_length; /* and these bytes of the file hold its block */
} mrea_deferred;

/* MREA_DEFER_LIGHTS: the lights that the header names. MREA_DEFER_LIGHTS_ELSE: the first other section that begins like
 * lights. */
enum { MREA_DEFER_LIGHTS, MREA_DEFER_LIGHTS_ELSE, MREA_DEFER_VISIBILITY, MREA_DEFERRED };

/* Numbers of rows of the three tables. */
typedef struct mrea_counts {
    uint32_t sections, blocks, tags;
} mrea_counts;

typedef struct mrea_area {
    ll_doc *doc;
    const mrea_edition *edition;
    uint32_t header, size_table, block_table, tag_table; /* spans */
    mrea_counts count;
    uint32_t sizes, blocks, tags, data; /* file offsets of the tables and of the data behind them */
    uint8_t *kinds;                     /* mrea_kind of each section */
    mrea_deferred deferred[MREA_DEFERRED];
    uint32_t sound_to;     /* file offset of the last section that begins with the word of its kind; 0: none does */
    uint32_t lights_index; /* number of the section that was read as lights; LL_NO_INDEX: none */
    bool lights_untagged;  /* the lights should have a tag and have none */
    ll_where lights_named; /* the index or tag that names the lights */
    uint8_t *unpacked;     /* unpacked bytes of the last stream, if they are no more than `room` */
    uint32_t room;
    void *inflater; /* of mrea_zlib.c; NULL: not needed yet */
} mrea_area;

/* File offsets of the tables and of the data behind them. 64 bits, as counts may not be checked yet. */
typedef struct mrea_places {
    uint64_t sizes, blocks, tags, data;
} mrea_places;

/* Raises a fault that the search for causes weighs as one of this kind. */
static inline void mrea_raise(ll_doc *doc, ll_read_kind kind, ll_fault fault)
{
    fault.read = (uint16_t)(kind + 1);
    ll_raise(doc, &fault);
}
/* Raises a fault about a field that should have `value`, by the rest of the area. On a copy, unknown bytes of the field
 * get those of the value first; no fault if the field has the value then. */
static inline void mrea_raise_value(ll_doc *doc, ll_read_kind kind, ll_fault fault, uint64_t value)
{
    if (ll_fill_in(doc, fault.at, value) &&
        ll_read_uint(ll_doc_at(doc, fault.at.offset), fault.at.length, LL_BIG) == value) {
        return;
    }
    if (!(value >> 8 * fault.at.length)) {
        ll_patch_field(doc, &fault, LL_PATCH_UNSAFE, value);
    }
    mrea_raise(doc, kind, fault);
}
/* On a copy, tells the search that the field would agree with others if it had this value. */
static inline void mrea_suggest(ll_doc *doc, ll_where at, uint64_t value)
{
    if (doc->copy) {
        mrea_raise_value(doc, LL_READ_ALTERNATIVE, ll_fault_at(LL_FAULT_GAP, at), value);
    }
}

/* The edition of a version; NULL: there is no such version. */
const mrea_edition *mrea_edition_of(uint32_t version);
/* The edition of the version if it has a header of this layout, else the first that has one; NULL: none has. */
const mrea_edition *mrea_edition_of_header(uint16_t layout, uint32_t version);
static inline bool mrea_has_blocks(const mrea_edition *edition)
{
    return edition->block_count != LL_NO_FIELD;
}
static inline bool mrea_has_tags(const mrea_edition *edition)
{
    return edition->tag_count != LL_NO_FIELD;
}
static inline uint32_t mrea_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}
/* Big-endian word at a file offset; 0 if the file has no four bytes there. */
static inline uint32_t mrea_word_or_none(const ll_doc *doc, uint64_t at)
{
    return ll_fits(at, 4, doc->size) ? mrea_word(doc, (uint32_t)at) : 0;
}
static inline ll_where mrea_at_header(const mrea_area *area, unsigned field)
{
    return ll_at_field(area->doc, area->header, 0, field);
}
static inline uint32_t mrea_header_word(const mrea_area *area, unsigned field)
{
    return mrea_word(area->doc, area->doc->layouts[area->edition->header].fields[field].offset);
}

/* mrea_kinds.c */
/* Sets the kind of each section and which are deferred. False: no memory. */
bool mrea_name_sections(mrea_area *area);
/* Layout of an opaque section of this kind. */
uint16_t mrea_layout_of_kind(mrea_kind kind);
/* First word of every section of this kind; 0: unknown. */
uint32_t mrea_magic_of_kind(mrea_kind kind);
/* Raises the fault that the lights have no tag. section: the one that holds them all the same; LL_NO_INDEX: none
 * does. */
void mrea_raise_untagged(mrea_area *area, uint32_t section);

/* mrea_tables.c */
/* The counts that the header states. The header must be there. */
mrea_counts mrea_counts_of(const ll_doc *doc, const mrea_edition *edition);
mrea_places mrea_places_of(const mrea_edition *edition, const mrea_counts *counts);
/* Sum of `count` rows of a size table at a file offset. The rows must be there. */
uint64_t mrea_sum_of_sizes(const ll_doc *doc, uint64_t table, uint64_t count);
/* True if tables with these numbers of rows, and the sizes in them, lead to the end of the file. */
bool mrea_do_counts_fit(const ll_doc *doc, const mrea_edition *edition, const mrea_counts *counts);
/* Sections in all blocks, by the rows of the block table that are there. */
uint64_t mrea_sections_of_blocks(const ll_doc *doc, const mrea_edition *e, const mrea_counts *c);
/* On a copy, adds `missing` to a field with unknown bytes, in one of `count` rows from `first` on, so that their sum is
 * right: in the last such row of the size table, the first of the block table. */
void mrea_fill_term(const mrea_area *area, uint32_t table, unsigned field, uint32_t first, uint32_t count,
                    uint64_t missing);
/* Bytes of fill behind the last block: half of MREA_END_ALIGNMENT, or 0. */
uint32_t mrea_fill_of(const mrea_area *area);
/* The stretch behind the last section that is known to begin in the right place: bytes may be missing or surplus
 * there. */
ll_where mrea_unproved(const mrea_area *area);
/* Claims the tables by the stated counts. False: reading ends here. */
bool mrea_read_tables(mrea_area *area);

/* mrea_sections.c */
/* Claims `count` sections from section `first` on, one behind the other in [pos, end) of the file. stream: not NULL:
 * they are in its unpacked bytes, at these offsets; then only those that have to be looked into are kept, and none is
 * claimed. Returns where they end. */
uint32_t mrea_read_sections(mrea_area *area, uint32_t parent, uint32_t first, uint32_t count, const mrea_stream *stream,
                            uint32_t pos, uint32_t end);
/* Claims the contents of the sections that were kept. */
void mrea_claim_deferred(mrea_area *area);
/* Limit of the bytes that are unpacked from a block of `packed` bytes. */
uint32_t mrea_most_unpacked(uint32_t packed);
/* The bytes look like a light: no float is odd, and type, falloff and shadows have valid values. */
bool mrea_is_light(const mrea_form *form, const uint8_t *p);

/* mrea_blocks.c */
/* Claims the blocks. Returns the file offset of their end, by their rows. */
uint64_t mrea_read_blocks(mrea_area *area);
/* Bytes of the file that a block takes, with its padding. */
static inline uint64_t mrea_block_extent(uint32_t decompressed, uint32_t compressed)
{
    return ll_align_up(compressed ? compressed : decompressed, MREA_ALIGNMENT);
}

/* mrea_segments.c */
enum { MREA_LEAST_SEGMENT = mrea_segment_SIZE + 1 };
static inline uint64_t mrea_segments_of(uint32_t decompressed)
{
    return ((uint64_t)decompressed + MREA_SEGMENT - 1) / MREA_SEGMENT;
}
/* Bytes of the stream in a block of `extent` bytes at file offset `at` that decompresses to `size` bytes; 0: there is
 * none. */
uint32_t mrea_find_stream(const ll_doc *doc, uint64_t at, uint64_t extent, uint32_t size);
/* Claims and unpacks the segments of a block, as children of its span. Returns the offset at which they end, or the
 * first bad one does. *good: none is bad. */
uint32_t mrea_parse_segments(mrea_area *area, uint32_t block, const mrea_stream *stream, bool *good);
/* Unpacks a stream into area->unpacked. False: it cannot be unpacked. */
bool mrea_unpack(mrea_area *area, const mrea_stream *stream);

/* mrea_zlib.c */
/* The bytes begin like a zlib stream (RFC 1950). */
bool mrea_is_zlib(const uint8_t *bytes, size_t size);
/* Unpacks a zlib stream of exactly `size` bytes into `out` and verifies its checksum. *made: room in `out` before,
 * bytes written after the call. Returns NULL if all is well or memory runs out (see doc->status); else what is wrong,
 * in words in static storage. */
const char *mrea_inflate(mrea_area *area, const uint8_t *in, size_t size, uint8_t *out, size_t *made);

#endif
