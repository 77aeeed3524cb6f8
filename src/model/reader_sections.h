/* Sections: parts of a list in a known order, each once: a tag, a size, and contents by rows. reader_seek.c finds where
 * each begins and ends, reader_sections.c decides which it is and reads it, reader_outline.c and reader_order.c raise
 * faults about headers and order. This header is for reader_*.c alone. */
#ifndef LL_MODEL_READER_SECTIONS_H
#define LL_MODEL_READER_SECTIONS_H

#include "base/array.h"
#include "base/text.h"
#include "model/reader_parts.h"

/* One section of the file. */
typedef struct section {
    uint32_t pos;      /* of its tag */
    uint32_t end;      /* where the next one begins */
    uint32_t stated;   /* bytes behind its header, as its size says, */
    uint64_t expected; /* and as its contents ask for, where the size is wrong; 0: they do not say */
    int64_t surplus;   /* bytes beyond the stated ones, where that is what the contents ask for, or they ask for none */
    uint32_t span;     /* LL_NO_SPAN: it is not claimed */
    uint16_t row;      /* of the list, the first one of its layout; the number of them: its tag is not known */
    uint16_t wrong;    /* 1 + ll_read_kind: what is wrong with the size; 0: nothing */
    bool again;        /* not the first one of its tag */
    bool damaged;      /* its tag is not that of the row */
    bool guessed;      /* and nothing of it is left: only the place tells what it is */
    bool remains;      /* of sections that are missing */
    bool lost;         /* what is in it cannot be told */
    bool shifted;      /* bytes were put in or taken out, and a fault says so */
    bool read;         /* what is in it was */
} section;

/* What records of the first section state about another one; worked out once. */
typedef struct asked {
    uint64_t value;
    bool known, told;
} asked;

typedef struct sections {
    reader *r;
    const ll_doc *doc;
    size_t first;                  /* row of format->parts: of the list */
    unsigned count;                /* rows of sections, in front of those of the end */
    uint8_t same[LL_PARTS_MAX];    /* by row of the list: the first one of the same layout */
    uint32_t header;               /* bytes of tag and size, which are at the same place in all of them */
    LL_ARRAY(section) found;       /* at most one for as many bytes of the file as a header has */
    section *chosen[LL_PARTS_MAX]; /* of each row the first that is sound; NULL: there is none */
    bool seen[LL_PARTS_MAX];
    bool letters[UINT8_MAX + 1]; /* by the second letter of a tag: there is one; few bytes of other contents pass */
    asked shares[LL_PARTS_MAX], reach[LL_PARTS_MAX]; /* bytes, by row */
    bool headed;                                     /* the first one was read, */
    bool referred;                                   /* and its records refer to a section that may be absent */
    uint32_t searched, next; /* from where the next sound section was sought, and where it is; the end: nowhere */
    uint32_t early;          /* address of an end in front of other sections; the end of the file: there is none */
    uint32_t end, end_size;  /* address and bytes of what ends the list; 0 bytes: nothing does */
    uint32_t end_span;
    bool cut; /* the last section is cut: nothing is known of what follows */
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
/* Every file has this section. */
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
/* The name of a section, or of what ends them. */
static inline ll_arg ll_section_word(const sections *s, unsigned row)
{
    return ll_word(s->doc->layouts[ll_section_row(s, row)->layout].label);
}
static inline ll_where ll_at_section_tag(const sections *s, uint32_t span)
{
    return ll_at_field(s->doc, span, 0, ll_tag_field(&s->doc->layouts[ll_section_row(s, 0)->layout]));
}
/* The field that holds the size. */
static inline unsigned ll_section_size_field(const sections *s)
{
    return s->r->plan->size[ll_section_row(s, 0)->layout] - 1U;
}
static inline ll_where ll_at_section_size(const sections *s, uint32_t span)
{
    return ll_at_field(s->doc, span, 0, ll_section_size_field(s));
}
/* A fault about sections. The reader has compared several of them and names the cause, so that the search does not
 * weigh it. */
static inline ll_fault ll_section_fault(const sections *s, ll_read_kind kind, unsigned layout, ll_where at,
                                        ll_arg found, ll_arg expected)
{
    ll_fault fault = ll_read_fault(s->r->format, kind, layout, at, found, expected, "size");
    fault.read = 0;
    return fault;
}

/* A section of a known tag, or the end, begins at `pos`. */
bool ll_is_section_start(const sections *s, uint64_t pos);
/* Bytes behind the header by counts and records; 0: neither states them. */
uint64_t ll_section_contents(sections *s, unsigned row, uint32_t at);
/* The two have the same bytes. */
bool ll_is_copy(const sections *s, const section *one, const section *other);
/* Bytes of one record of the array that fills a section; 0: another form does. */
uint32_t ll_section_unit(const sections *s, unsigned row);
/* Finds all sections, and what ends them. */
void ll_seek_sections(sections *s);
/* Decides by its place which section one with an unknown tag is, or with the tag of another section. */
void ll_name_sections(sections *s);
/* Of two sections with one tag, reads the first one with a sound size. */
void ll_choose_sections(sections *s);
/* Claims all of them and what ends them, and says what is wrong with their headers. */
void ll_claim_sections(sections *s);
/* Raises the fault that `more` bytes were put into a section (below 0: taken out), at the start of `at` or before. */
void ll_raise_moved(sections *s, section *f, ll_read_kind kind, ll_where at, int64_t more);
/* Raises it for a section of texts where offsets of records lead beside these; called when all sections are read. */
void ll_judge_texts(sections *s, section *f);
/* Reads the contents of a section with a known end. */
void ll_read_section(sections *s, section *f);

#endif
