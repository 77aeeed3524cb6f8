/* Sections: parts of a list that occur once each, in a known order, with a tag, a size, and contents by rows.
 * reader_contents.c works out how long the contents of a section should be, reader_seek.c finds where each section
 * begins and ends, reader_sections.c decides which it is and reads it, reader_outline.c and reader_order.c raise faults
 * about headers and order. Only for reader_*.c. */
#ifndef LL_MODEL_SECTION_STATE_H
#define LL_MODEL_SECTION_STATE_H

#include "base/array.h"
#include "base/text.h"
#include "model/reader_parts.h"

/* One section of the file. */
typedef struct section {
    uint32_t pos;      /* address of its tag */
    uint32_t end;      /* address of the next section */
    uint32_t stated;   /* bytes after its header, as its size states */
    uint64_t expected; /* bytes after its header that its contents ask for, if the size is wrong; 0: not known */
    int64_t surplus; /* bytes beyond the stated ones (negative: missing), if the contents ask for the stated ones or for
                        none */
    uint32_t span;   /* LL_NO_SPAN: it is not claimed */
    uint16_t row; /* its row, counted in the list: the first one of its layout; sections.count: its tag is not known */
    uint16_t wrong; /* 1 + ll_read_kind: what is wrong with the size; 0: nothing */
    bool again;     /* not the first section with its tag */
    bool damaged;   /* its tag is not that of its row */
    bool guessed;   /* no letter of its tag is left: its kind was chosen by its place */
    bool remains;   /* remains of missing sections */
    bool lost;      /* its records cannot be told from each other */
    bool shifted;   /* bytes were put in or taken out, as a fault says */
    bool read;      /* its contents were read */
} section;

/* Bytes that records of the first section ask for in another section; worked out once. */
typedef struct asked {
    uint64_t value;
    bool known, told;
} asked;

typedef struct sections {
    reader *r;
    const ll_doc *doc;
    size_t first;                  /* row of format->parts where the list begins */
    unsigned count;                /* number of rows of sections; rows of the last part follow */
    uint8_t same[LL_PARTS_MAX];    /* by row of the list: the first row with the same layout */
    uint32_t header;               /* bytes of tag and size, the same in all sections */
    LL_ARRAY(section) found;       /* the sections, in file order */
    section *chosen[LL_PARTS_MAX]; /* by row: the section that is read; NULL: none */
    bool seen[LL_PARTS_MAX];
    bool letters[UINT8_MAX + 1]; /* second letters of all tags, so that a search skips most places */
    asked shares[LL_PARTS_MAX], reach[LL_PARTS_MAX]; /* by row: bytes of its shares, and bytes that records refer to */
    bool headed;                                     /* the first section was read */
    bool referred;                                   /* its records refer to a section that may be absent */
    uint32_t searched, next; /* where the last search began, and what it found; the end of the file: nothing */
    uint32_t early;          /* address of a last part in front of other sections; the end of the file: none */
    uint32_t end, end_size;  /* address and bytes of the last part of the list; 0 bytes: there is none */
    uint32_t end_span;
    bool cut; /* the last section is cut off, so nothing is known about the following ones */
} sections;

static inline const ll_part_row *ll_section_row(const sections *s, unsigned row)
{
    return &s->r->format->parts[s->first + row];
}
static inline const uint8_t *ll_section_bytes(const sections *s, uint64_t at)
{
    return s->doc->bytes + at;
}
static inline uint32_t ll_section_tag(const sections *s, unsigned row)
{
    return s->r->plan->part[s->first + row].tag;
}
/* Each file must have this section. */
static inline bool ll_is_needed(const sections *s, unsigned row)
{
    return s->same[row] == row && (ll_section_row(s, row)->place != LL_PLACE_FREE || s->referred);
}
static inline bool ll_is_free(const sections *s, unsigned row)
{
    return row < s->count && ll_section_row(s, row)->place == LL_PLACE_FREE;
}
static inline const char *ll_section_letters(const sections *s, unsigned row)
{
    return ll_section_row(s, row)->tag;
}
/* The name of a section, or of the last part, as an argument. */
static inline ll_arg ll_section_word(const sections *s, unsigned row)
{
    return ll_word(s->doc->layouts[ll_section_row(s, row)->layout].label);
}
static inline ll_where ll_at_section_tag(const sections *s, uint32_t span)
{
    return ll_at_field(s->doc, span, 0, ll_tag_field(&s->doc->layouts[ll_section_row(s, 0)->layout]));
}
/* Number of the field with the size. */
static inline unsigned ll_section_size_field(const sections *s)
{
    return s->r->plan->size[ll_section_row(s, 0)->layout] - 1U;
}
static inline ll_where ll_at_section_size(const sections *s, uint32_t span)
{
    return ll_at_field(s->doc, span, 0, ll_section_size_field(s));
}
/* A fault about sections. .read is 0: the reader has compared several sections and names the cause, so the search does
 * not weigh the fault. */
static inline ll_fault ll_section_fault(const sections *s, ll_read_kind kind, unsigned layout, ll_where at,
                                        ll_arg found, ll_arg expected)
{
    ll_fault fault = ll_read_fault(s->r->format, kind, layout, at, (ll_read_words){found, expected, "size"});
    fault.read = 0;
    return fault;
}

static inline bool ll_is_end_tag(const sections *s, uint64_t pos)
{
    return ll_fits(pos, 4, s->doc->size) && ll_le32(ll_section_bytes(s, pos)) == ll_section_tag(s, s->count);
}

/* A section with a known tag, or the last part, begins at `pos`. */
bool ll_is_section_start(const sections *s, uint64_t pos);
/* Bytes after the header, according to counts and records. 0: they do not say. */
uint64_t ll_section_contents(sections *s, unsigned row, uint32_t at);
/* The two sections have the same bytes. */
bool ll_is_copy(const sections *s, const section *one, const section *other);
/* Bytes of one record of the array that fills a section. 0: no array does. */
uint32_t ll_section_unit(const sections *s, unsigned row);
/* Finds all sections and the last part. */
void ll_seek_sections(sections *s);
/* Decides by its place which section an unknown tag stands for, or a tag of another section. */
void ll_name_sections(sections *s);
/* If two sections have the same tag, chooses the first one with a sound size. */
void ll_choose_sections(sections *s);
/* Claims all sections and the last part, and raises faults about their headers. */
void ll_claim_sections(sections *s);
/* Raises the fault that `more` bytes were put into a section (negative: taken out), at the start of `at` or before. */
void ll_raise_moved(sections *s, section *f, ll_read_kind kind, ll_where at, int64_t more);
/* Raises that fault for a section of texts if offsets in records do not lead to texts. Called when all sections are
 * read. */
void ll_judge_texts(sections *s, section *f);
/* Reads the contents of a section whose end is known. */
void ll_read_section(sections *s, section *f);

#endif
