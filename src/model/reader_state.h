/* State that the files of the reader share: the stack of owners whose parts are being read, and small functions on it.
 * Only for reader_*.c. */
#ifndef LL_MODEL_READER_STATE_H
#define LL_MODEL_READER_STATE_H

#include "base/ints.h"
#include "model/claim.h"
#include "model/reader_kind.h"
#include "model/reader_plan.h"

enum { LL_DEPTH_MAX = 8 };

/* An owner whose parts are being read. */
typedef struct frame {
    ll_element record; /* its fields; .bytes NULL: the file, or a group */
    uint32_t span;     /* LL_NO_SPAN: the file */
    uint16_t layout;
    uint16_t row;    /* row of the next part, in format->parts */
    uint16_t end;    /* after the last row of its parts */
    uint16_t part;   /* its own row */
    uint32_t begin;  /* address of its first byte */
    uint32_t body;   /* address after its fields */
    uint32_t limit;  /* address after the last byte that its parts may have */
    uint32_t stated; /* address where it ends according to its size; 0: it has no size, or an impossible one */
    uint32_t first;  /* number of the first span of its parts */
    uint32_t number; /* number of the next part of a list, or of an EACH row */
    uint32_t items;  /* number of parts of an ITEMS row, or of elements that fill the owner */
    int64_t off;     /* sum of the stated sizes of items, minus that of the right ones */
    uint16_t before; /* layout of the part read last */
    bool ended;      /* the last part of the list was read */
    bool damaged;    /* bytes among the parts of a series were not read */
    bool left;       /* the rest of it was not read */
} frame;

/* The last fault about a field of the part of a row. Faults of the next part are counted in it (ll_fault.alike) if the
 * same field is off by as much. */
typedef struct said {
    ll_fault *fault; /* NULL: the field was right, or not checked */
    uint16_t layout, field;
    int64_t off;
} said;

/* The answer of ll_row_of_tag() for the last place. */
typedef struct tag_seen {
    uint32_t at, left;
    size_t first, row; /* first row of the list, and row of the tag */
} tag_seen;

/* What is known about places where parts of a series may begin. */
typedef struct series_seen {
    uint32_t at, limit; /* place of the last ll_count_flaws() */
    uint16_t layout;
    unsigned flaws;  /* its answer */
    uint32_t sound;  /* address of a record whose text has its hash */
    uint32_t framed; /* up to here, texts lead by their sizes to one with its hash, or to what ends the series */
    uint64_t hashed; /* bytes of texts hashed in vain */
} series_seen;

typedef struct reader {
    ll_doc *doc;
    const ll_format *format;
    const ll_plan *plan;
    frame stack[LL_DEPTH_MAX];
    unsigned depth;
    frame *top; /* stack[depth - 1] */
    tag_seen *seen;
    uint32_t at;                /* address up to which everything is claimed */
    uint32_t paddings;          /* number of paddings claimed */
    uint32_t ahead;             /* items that may still be looked at ahead; at first, as many as the file has bytes */
    said offsets[LL_PARTS_MAX]; /* by row: the last fault about the field that leads to the part, or to the next part of
                                   a chain */
    said sizes[LL_PARTS_MAX];   /* by row: the last fault about the size of the part */
    const uint32_t *order;      /* elements of the parts of row order_row, in reading order; NULL: 0, 1, 2, ... */
    size_t order_row;
    series_seen *series;
    unsigned variant; /* 1 + number of the variant that is read; 0: all parts are */
    bool swapped;     /* the file is for another machine, and not read */
} reader;

/* Where an owner of parts begins and ends, as in its frame. */
typedef struct bounds {
    uint32_t begin, limit, stated;
} bounds;

/* What else a fault about a field states. */
typedef struct evidence {
    int64_t from;     /* address that an offset counts from */
    int64_t off;      /* ll_expect_unlike(): the stated value, less the right one */
    uint64_t want;    /* size of the file with the stated value; 0: not known */
    ll_where related; /* the bytes that give the right value; nowhere: all that was read */
    bool guessed;     /* another value may be right */
} evidence;

/* A part of an EACH row: its row, and its number in the order in which the parts are read. */
typedef struct each {
    size_t row;
    uint32_t number;
} each;

/* A record of a layout: the owner at hand, else the first span of its parts, if one has the layout; else the first in
 * the file. LL_NO_SPAN: there is none. */
static inline uint32_t ll_record_of(const reader *r, unsigned layout)
{
    const frame *f = r->top;
    if (f->layout == layout && f->span != LL_NO_SPAN) {
        return f->span;
    }
    const bool first = f->first < r->doc->span_count && ll_doc_span(r->doc, f->first)->layout == layout;
    return first ? f->first : r->doc->firsts[layout] - 1;
}

/* Reads a field as an unsigned integer. False: there is no such record. */
static inline bool ll_read_field(const reader *r, uint32_t span, uint32_t element, unsigned field, uint64_t *value)
{
    ll_element record;
    if (!ll_element_at(r->doc, span, element, &record)) {
        return false;
    }
    *value = ll_get_uint(&record, field);
    return true;
}

/* Numbers of a record that begins at an address are read in the other byte order, on trial. */
static inline bool ll_is_swapped(const reader *r, unsigned layout, uint32_t at)
{
    const ll_swap *swap = &r->doc->swap;
    return at >= swap->from && at < swap->to &&
           (swap->layout == LL_ANY_LAYOUT || swap->layout == layout || swap->layout == r->top->layout);
}

/* The byte order of a record that was not read yet. */
static inline unsigned ll_order_of(const reader *r, unsigned layout, uint32_t at)
{
    const unsigned endian = r->doc->layouts[layout].endian;
    return ll_is_swapped(r, layout, at) && !r->doc->swap.floats ? endian == LL_LITTLE ? LL_BIG : LL_LITTLE : endian;
}

/* The alignment of the end of a record of a layout, after its parts. NULL: none. */
static inline const ll_alignment *ll_fill_of(const reader *r, unsigned layout)
{
    return r->plan->fill[layout] ? &r->format->alignments[r->plan->fill[layout] - 1] : NULL;
}

/* The layout of unowned bytes: that of the row, if it is a GAP row, else LL_LAYOUT_GAP. */
static inline uint16_t ll_gap_of(const reader *r, size_t row)
{
    const bool gap = row < r->format->part_count && r->format->parts[row].how == LL_PART_GAP;
    return gap ? r->format->parts[row].layout : (uint16_t)LL_LAYOUT_GAP;
}

static inline bool ll_has_parts(const reader *r, unsigned layout)
{
    return r->plan->rows[layout].first < r->plan->rows[layout].end;
}

/* The next part of the owner belongs to a list or a series. */
static inline bool ll_is_list(const reader *r, const frame *f)
{
    return f->row < f->end &&
           (r->format->parts[f->row].how == LL_PART_TAGGED || r->format->parts[f->row].how == LL_PART_SERIES);
}

/* The rest of the file is missing, as a fault says, and with it all that would be read next. */
static inline bool ll_is_behind_end(const reader *r)
{
    return r->doc->unread && r->at == r->doc->size;
}

static inline bool ll_is_unknown(const reader *r, uint32_t at)
{
    return at < r->doc->unknown_to && at >= r->doc->unknown_from;
}

/* Neither unknown bytes nor swapped numbers are tried in these bytes. */
static inline bool ll_is_untried(const ll_doc *doc, uint32_t from, uint32_t to)
{
    return !doc->copy || (doc->swap.from == doc->swap.to && (to <= doc->unknown_from || from >= doc->unknown_to));
}

#endif
