/* What the files share that parse an area: mrea_container.c, mrea_kinds.c, mrea_sizes.c, mrea_blocks.c and
 * mrea_segments.c. */
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

/* The segments of a compressed block, each a stream of its own, read one at a time into area->buffer. */
typedef struct mrea_stream {
    uint32_t start, end;     /* file offsets */
    uint32_t size;           /* bytes that the segments stand for */
    uint32_t corrected;      /* segment whose size field is wrong, LL_NO_INDEX: none */
    uint32_t corrected_size; /* bytes that follow it */
    bool corrected_stored;   /* as they are */
    uint32_t next, next_at;  /* segment to read next and where it starts */
    uint8_t *kept;           /* the lights as this stream gives them; NULL: they are not in it, or it is not sound */
    uint32_t kept_at, kept_size; /* in what it gives */
} mrea_stream;

/* Bytes in which sections lie one behind the other: of the file, or out of a stream. */
typedef struct mrea_source {
    uint32_t start, length; /* file offset, of raw bytes; how many bytes there are */
    mrea_stream *stream;    /* NULL: raw */
} mrea_source;
static inline uint32_t mrea_source_length(const mrea_source *source)
{
    return source->stream ? source->stream->size : source->length;
}

/* A section that may have to be looked into when all others are claimed. */
typedef struct mrea_deferred {
    bool found;
    uint32_t section;
    uint32_t size, have; /* bytes by the size table, bytes that are there */
    uint32_t offset;     /* in the file, or in what the stream gives */
    bool packed;         /* in a stream */
    uint32_t group;      /* span, where it is not packed */
    mrea_stream stream;
    uint32_t outer, outer_length; /* bytes of the file that hold the stream */
} mrea_deferred;

/* The lights as the header names them, and the first section that is not but begins like lights. */
enum { MREA_DEFER_LIGHTS, MREA_DEFER_LIGHTS_ELSE, MREA_DEFER_VISIBILITY, MREA_DEFERRED };

/* Sections one of whose sizes is wrong, or one of which has bytes too many or too few. first == LL_NO_INDEX: it cannot
 * be said which. */
typedef struct mrea_suspects {
    uint32_t first, last;
    int64_t by; /* bytes that one of them is longer than its size says */
    bool moved; /* its size is right, but bytes were put in or taken out */
} mrea_suspects;

/* Neighbouring rows of a table that are exchanged. */
typedef struct mrea_exchange {
    uint32_t pairs;     /* that it may be; 0: none is */
    uint32_t row, last; /* the first row of them, and the last one */
    bool blocks;        /* of the block table; else of the size table */
    bool decided;       /* else what they describe may be exchanged instead */
} mrea_exchange;

typedef struct mrea_area {
    ll_doc *doc;
    mrea_summary *summary; /* counts of rows there are the ones to go by, also where a count field is wrong */
    const mrea_edition *edition;
    uint32_t sizes, blocks, tags, data; /* file offsets of the tables and of what follows them */
    uint8_t *kinds;                     /* mrea_kind of each section */
    mrea_deferred deferred[MREA_DEFERRED];
    bool lights_untagged;               /* there should be a tag of the lights and is none */
    bool places_uncertain;              /* sections may not lie where their sizes lead, and a fault says so */
    uint32_t corrected, corrected_size; /* section that has not its stated size, LL_NO_INDEX: none, and its size */
    mrea_suspects moved;                /* sections one of which has bytes too many or too few; .first: LL_NO_INDEX */
    uint32_t sound_to;                  /* what begins up to here is in its place */
    uint32_t moved_at, moved_end;       /* their bytes in the file */
    uint32_t moved_span;                /* of the first of them */
    mrea_exchange exchange;
    ll_where lights_named; /* the index or tag that names the lights */
    ll_fault end_fault;    /* what is wrong with the end of the file, unless bytes were moved; code 0 */
    bool searched;         /* one segment was searched already for its size */
    uint8_t *buffer;       /* MREA_SEGMENT bytes, NULL: not needed yet */
    uint32_t buffered;     /* file offset of the segment in it, LL_NO_INDEX: none */
    void *inflater;        /* of mrea_zlib.c, NULL: not needed yet */
} mrea_area;

/* Rows of the three tables. */
typedef struct mrea_counts {
    uint32_t sections, blocks, tags;
} mrea_counts;

/* Bytes put into the header or the tables, below 0: taken out, at one of the places [from, to). */
typedef struct mrea_table_shift {
    int by;
    uint32_t from, to;
} mrea_table_shift;

/* File offsets of the tables and of what follows them; 64 bits, because counts may not be checked yet. */
typedef struct mrea_places {
    uint64_t sizes, blocks, tags, data;
} mrea_places;

/* A fault whose field has one right value, which structure alone decides. */
static inline void mrea_raise_value(ll_doc *doc, ll_fault fault, uint64_t value)
{
    ll_patch_field(doc, &fault, LL_PATCH_SAFE, value);
    ll_raise(doc, &fault);
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
/* Data that go on to `end` fill a file of that size. */
static inline bool mrea_is_end(const mrea_edition *edition, uint64_t end, uint32_t size)
{
    return end == size || (mrea_has_tags(edition) && ll_align_up(end, MREA_END_ALIGNMENT) == size);
}
static inline uint32_t mrea_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}
static inline ll_where mrea_at_header(const mrea_area *area, unsigned field)
{
    return ll_at_field(area->doc, area->summary->header, 0, field);
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
/* Header, tables and what they lead to are those of a sound area of area->edition, whose header is there. */
bool mrea_do_tables_read(const mrea_area *area);
/* False where no such number of bytes makes the tables fit; then area->exchange says whether exchanged rows do. */
bool mrea_find_table_shift(mrea_area *area, mrea_table_shift *found);
/* Says that rows are exchanged. */
void mrea_raise_exchange(const mrea_area *area);
/* The counts lead nowhere, and many rows of the tables that they give cannot be. *from: the first of them, or the
 * counts of the header. All rows lie in the file. */
bool mrea_are_tables_damaged(const mrea_area *area, const mrea_counts *counts, uint32_t *from);

/* mrea_sizes.c */
/* The counts as the header states them, which must be there. */
mrea_counts mrea_counts_of(const ll_doc *doc, const mrea_edition *edition);
/* Tables of so many rows, and the sizes in them, lead to the end of the file. */
bool mrea_do_counts_fit(const ll_doc *doc, const mrea_edition *edition, const mrea_counts *counts);
mrea_places mrea_places_of(const mrea_edition *edition, const mrea_counts *counts);
/* Where sections or blocks of these counts end, all rows of the tables being there. */
uint64_t mrea_end_of(const ll_doc *doc, const mrea_edition *edition, const mrea_counts *counts);
/* Puts the counts right where one of them is wrong, and says so. False when the parse cannot go on with them. */
bool mrea_resolve_counts(mrea_area *area, mrea_counts *counts);
/* The bytes have in common with a light what other bytes seldom have. */
bool mrea_is_light(const mrea_form *form, const uint8_t *p);
/* Bytes that read as lights from their magic to their padding. */
bool mrea_are_lights(const ll_doc *doc, uint32_t offset, uint32_t length, const mrea_form *form);
/* Sum of `count` rows of a size table, that begins at a file offset. */
uint64_t mrea_sum_of_sizes(const ll_doc *doc, uint64_t table, uint64_t count);
/* The size of a section, as stated or corrected. */
uint32_t mrea_section_size(const mrea_area *area, uint32_t section);
/* Sections [first, first + count) are together `by` bytes longer than their sizes say, or lie as if they were. certain:
 * that is known; else the end of the file may be what is wrong. Where some are suspected, the size of the last of them
 * is corrected in `area`. */
mrea_suspects mrea_suspect_size(mrea_area *area, const mrea_source *source, uint32_t first, uint32_t count, int64_t by,
                                bool certain);
/* The size of lights in a source of their block, and that of the section in front of them or behind them, at *row and
 * the next one, are exchanged: then `lights` is put right. */
bool mrea_are_sizes_exchanged(mrea_area *area, const mrea_source *source, mrea_deferred *lights, uint32_t *row);
/* Place of the suspected size fields. */
ll_where mrea_at_sizes(const mrea_area *area, mrea_suspects suspects);
/* Says that a size among those of `count` sections is wrong: the suspected one, else one of all of them. others: more
 * than a size may be wrong, so that there is no patch. */
void mrea_raise_sizes(const mrea_area *area, unsigned code, mrea_suspects suspects, uint32_t first, uint32_t count,
                      bool others);

/* mrea_container.c */
/* Claims a section of which `have` bytes are there. */
void mrea_claim_section(mrea_area *area, uint32_t parent, uint32_t section, uint32_t offset, uint32_t size,
                        uint32_t have);
/* Keeps a section that may have to be looked into when all others are claimed; false for others. */
bool mrea_defer(mrea_area *area, mrea_deferred *section);
/* Most bytes that are kept of a section in a stream that takes `packed` bytes of the file. */
uint32_t mrea_most_unpacked(uint32_t packed);
/* The file should end at `end`; what lies behind is claimed. */
void mrea_claim_end(mrea_area *area, uint64_t end);

/* mrea_blocks.c */
void mrea_parse_blocks(mrea_area *area);
/* Bytes that fill the file up behind the last block: half of MREA_END_ALIGNMENT or nothing. */
uint32_t mrea_fill_of(const mrea_area *area);
/* Bytes of the file that a block takes with its padding. */
uint64_t mrea_block_extent(uint32_t decompressed, uint32_t compressed);

/* mrea_segments.c */
enum { MREA_LEAST_SEGMENT = mrea_segment_SIZE + 1 };
static inline uint64_t mrea_segments_of(uint32_t decompressed)
{
    return ((uint64_t)decompressed + MREA_SEGMENT - 1) / MREA_SEGMENT;
}
/* Segments that stand for `size` bytes follow each other from `at`, `ahead` of them or down to the end exactly. */
bool mrea_segments_fit(const ll_doc *doc, uint32_t at, uint32_t end, uint32_t size, uint64_t ahead);
/* Claims the segments of a block below its span. Returns where they end, or where the first bad one does. *good: none
 * is bad. */
uint32_t mrea_parse_segments(mrea_area *area, uint32_t block, mrea_stream *stream, bool *good);
/* mrea_zlib.c */
/* Begins like a zlib stream (RFC 1950). */
bool mrea_is_zlib(const uint8_t *bytes, size_t size);
/* Unpacks a zlib stream, all of whose `size` bytes it must take, into `out`, and compares its checksum. *made: how many
 * bytes fit there; then how many came out. NULL when all is well or there is no memory, which doc->status says; else
 * what is wrong, in words (static storage). */
const char *mrea_inflate(mrea_area *area, const uint8_t *in, size_t size, uint8_t *out, size_t *made);
/* The four bytes at an offset; false when they are not there or do not decode. */
bool mrea_source_word(mrea_area *area, const mrea_source *source, uint64_t offset, uint32_t *word);
/* Decodes bytes [offset, offset + size) of a stream; false when they do not decode. */
bool mrea_stream_copy(mrea_area *area, mrea_stream *stream, uint32_t offset, uint32_t size, uint8_t *out);

#endif
