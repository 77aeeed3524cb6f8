/* What the files share that read an area. They
 * compare what is stated with what is there, and go on with what is stated: which of two is wrong, src/diagnosis finds.
 */
#ifndef LL_FORMATS_MREA_AREA_H
#define LL_FORMATS_MREA_AREA_H

#include "formats/mrea/mrea.h"

/* One row per version of the format. */
typedef struct mrea_edition {
    uint32_t version;
    mrea_game game;
    uint16_t header; /* layout */
    uint16_t header_size;
    uint16_t section_count; /* fields of the header; LL_NO_FIELD: there is no such table */
    uint16_t block_count;
    uint16_t tag_count;
    const mrea_form *form; /* of the lights; NULL: not documented */
    bool zlib;             /* segments are zlib streams; else LZO1X */
} mrea_edition;

/* The segments of a compressed block, each a stream of its own. */
typedef struct mrea_stream {
    uint32_t block, start, end; /* file offsets; the block begins with padding */
    uint32_t size;              /* bytes that the segments stand for */
} mrea_stream;

/* A section that may have to be looked into when all others are claimed. */
typedef struct mrea_deferred {
    bool found;
    uint32_t section;
    /* bytes by the size table, bytes that are there; of a block that is too large to be unpacked, all of its bytes */
    uint32_t size, have;
    const uint8_t *bytes;         /* NULL: they are in a block that is too large to be unpacked */
    uint32_t offset;              /* in the file, where it is not packed */
    uint32_t group;               /* span, the same; LL_NO_SPAN: it is packed, */
    uint32_t outer, outer_length; /* and so these bytes of the file hold it */
} mrea_deferred;

/* The lights as the header names them, and the first section that is not but begins like lights. */
enum { MREA_DEFER_LIGHTS, MREA_DEFER_LIGHTS_ELSE, MREA_DEFER_VISIBILITY, MREA_DEFERRED };

/* Rows of the three tables. */
typedef struct mrea_counts {
    uint32_t sections, blocks, tags;
} mrea_counts;

typedef struct mrea_area {
    ll_doc *doc;
    const mrea_edition *edition;
    uint32_t header, size_table, block_table, tag_table; /* spans */
    mrea_counts count;
    uint32_t sizes, blocks, tags, data; /* file offsets of the tables and of what follows them */
    uint8_t *kinds;                     /* mrea_kind of each section */
    mrea_deferred deferred[MREA_DEFERRED];
    uint32_t sound_to;     /* where the last section begins that begins as it should; 0: none does */
    uint32_t lights_index; /* section that was read as lights; LL_NO_INDEX: none */
    bool lights_untagged;  /* there should be a tag of the lights and is none */
    ll_where lights_named; /* the index or tag that names the lights */
    uint8_t *unpacked;     /* what the stream gives that was read last, if that is no more than `room` */
    uint32_t room;
    void *inflater; /* of mrea_zlib.c, NULL: not needed yet */
} mrea_area;

/* File offsets of the tables and of what follows them; 64 bits, because counts may not be checked yet. */
typedef struct mrea_places {
    uint64_t sizes, blocks, tags, data;
} mrea_places;

/* Raises a fault that the search for a cause weighs as one of that kind. */
static inline void mrea_raise(ll_doc *doc, ll_read_kind kind, ll_fault fault)
{
    fault.read = (uint16_t)(kind + 1);
    ll_raise(doc, &fault);
}
/* Raises a fault about a field for which the rest of the area asks for `value`. On a copy, unknown bytes of the field
 * become those of the value, and there is no fault if it has that value then. */
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
/* On a copy, where hypotheses are weighed: with that value the field agrees with others. */
static inline void mrea_suggest(ll_doc *doc, ll_where at, uint64_t value)
{
    if (doc->copy) {
        mrea_raise_value(doc, LL_READ_ALTERNATIVE, ll_fault_at(LL_FAULT_GAP, at), value);
    }
}

/* The row of a version, NULL: there is no such version. */
const mrea_edition *mrea_edition_of(uint32_t version);
/* That of the version if it has such a header, else the first that has; NULL: none has. */
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
/* 0 where there is none. */
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
/* What each section is, and which are looked into; false: no memory. */
bool mrea_name_sections(mrea_area *area);
/* Layout of a section of that kind that is not looked into. */
uint16_t mrea_layout_of_kind(mrea_kind kind);
/* First word of every section of that kind; 0: none is known. */
uint32_t mrea_magic_of_kind(mrea_kind kind);
/* The lights have no tag. section: where they are all the same, LL_NO_INDEX: nowhere. */
void mrea_raise_untagged(mrea_area *area, uint32_t section);

/* mrea_tables.c */
/* The counts as the header states them, which must be there. */
mrea_counts mrea_counts_of(const ll_doc *doc, const mrea_edition *edition);
mrea_places mrea_places_of(const mrea_edition *edition, const mrea_counts *counts);
/* Sum of `count` rows of a size table, that begins at a file offset. */
uint64_t mrea_sum_of_sizes(const ll_doc *doc, uint64_t table, uint64_t count);
/* Do tables with these numbers of rows, and the sizes in them, lead to the end of the file? */
bool mrea_do_counts_fit(const ll_doc *doc, const mrea_edition *edition, const mrea_counts *counts);
/* Sections of all blocks by the rows of the table, as far as these are there. */
uint64_t mrea_sections_of_blocks(const ll_doc *doc, const mrea_edition *e, const mrea_counts *c);
/* On a copy: adds what is missing in the sum of a field, over `count` rows from `first` on, to a row with unknown
 * bytes: the last such row of the size table, the first of the block table. */
void mrea_fill_term(const mrea_area *area, uint32_t table, unsigned field, uint32_t first, uint32_t count,
                    uint64_t missing);
/* Bytes that fill the file up behind the last block: half of MREA_END_ALIGNMENT or nothing. */
uint32_t mrea_fill_of(const mrea_area *area);
/* What no section behind it proves, up to the end of the file: there bytes may be missing, or too many. */
ll_where mrea_unproved(const mrea_area *area);
/* Claims the tables as the counts state them. False where they end the reading. */
bool mrea_read_tables(mrea_area *area);

/* mrea_sections.c */
/* Claims sections that stand one behind the other from `pos` up to `end` of the file. Returns where they end. stream:
 * in what it gives, which was unpacked; of these, those that have to be looked into are kept, and no other is claimed.
 */
uint32_t mrea_read_sections(mrea_area *area, uint32_t parent, uint32_t first, uint32_t count, const mrea_stream *stream,
                            uint32_t pos, uint32_t end);
/* Claims what is in the sections that were kept. */
void mrea_claim_deferred(mrea_area *area);
/* Most bytes that are unpacked of a block that takes `packed` bytes of the file. */
uint32_t mrea_most_unpacked(uint32_t packed);
/* The bytes have in common with a light what other bytes seldom have. */
bool mrea_is_light(const mrea_form *form, const uint8_t *p);

/* mrea_blocks.c */
/* Claims the blocks; returns where they end. */
uint64_t mrea_read_blocks(mrea_area *area);
/* Bytes of the file that a block takes with its padding. */
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
/* Bytes of the stream of a block that takes `extent` bytes from `at` on and gives `size` bytes; 0: there is none. */
uint32_t mrea_find_stream(const ll_doc *doc, uint64_t at, uint64_t extent, uint32_t size);
/* Claims the segments of a block below its span, and unpacks them. Returns where they end, or where the first bad one
 * does. *good: none is bad. */
uint32_t mrea_parse_segments(mrea_area *area, uint32_t block, const mrea_stream *stream, bool *good);
/* Unpacks a stream; false when it cannot be. */
bool mrea_unpack(mrea_area *area, const mrea_stream *stream);

/* mrea_zlib.c */
/* Begins like a zlib stream (RFC 1950). */
bool mrea_is_zlib(const uint8_t *bytes, size_t size);
/* Unpacks a zlib stream, all of whose `size` bytes it must take, into `out`, and compares its checksum. *made: how many
 * bytes fit there; then how many came out. NULL when all is well or there is no memory, which doc->status says; else
 * what is wrong, in words (static storage). */
const char *mrea_inflate(mrea_area *area, const uint8_t *in, size_t size, uint8_t *out, size_t *made);

#endif
