/* What the files of the reader share: the stack of owners whose parts are being read, and what is asked at nearly every
 * part. For reader_*.c alone. */
#ifndef LL_MODEL_READER_STATE_H
#define LL_MODEL_READER_STATE_H

#include "base/ints.h"
#include "model/claim.h"
#include "model/reader_kind.h"
#include "model/reader_plan.h"

enum { LL_DEPTH_MAX = 8 };

/* An owner whose parts are being read. */
typedef struct frame {
    ll_element record; /* of it; .bytes NULL: the file, or a group */
    uint32_t span;     /* LL_NO_SPAN: the file */
    uint16_t layout;
    uint16_t row;    /* of the next part */
    uint16_t end;    /* behind the last row of its parts */
    uint16_t part;   /* its own row */
    uint32_t begin;  /* its first byte */
    uint32_t body;   /* behind its fields */
    uint32_t limit;  /* behind the last byte that its parts may have */
    uint32_t stated; /* where its size says that it ends; 0: it has none, or one that cannot be */
    uint32_t first;  /* number of the first span of its parts */
    uint32_t number; /* of the next part of a list, or of an EACH row */
    uint32_t items;  /* how many there are, of a row of such, */
    int64_t off;     /* and by how much their sizes are more than they take, all together */
    uint16_t before; /* layout of the part read last */
    bool ended;      /* the last part of the list was read */
    bool damaged;    /* bytes of a series were not read */
    bool left;       /* what is left of it was not read */
} frame;

/* A fault about a field of a part, and by how much it is off; those behind it that are off by as much are alike. */
typedef struct said {
    ll_fault *fault; /* NULL: the field was right, or not looked at */
    uint16_t layout, field;
    int64_t off;
} said;

/* The tag that was looked at last. */
typedef struct tag_seen {
    uint32_t at, left;
    size_t first, row; /* of the list, and that of the tag */
} tag_seen;

/* What was asked of places where the parts of a series may begin. */
typedef struct series_seen {
    uint32_t at, limit; /* the place that was looked at last, */
    uint16_t layout;
    unsigned flaws;  /* and how many of what all records of the layout have alike are not there */
    uint32_t sound;  /* address of a record whose text has its hash */
    uint32_t framed; /* up to there texts lead, by their sizes, to one that has its hash, or to what ends the series */
    uint64_t hashed; /* bytes of texts, in search of one */
} series_seen;

typedef struct reader {
    ll_doc *doc;
    const ll_format *format;
    const ll_plan *plan;
    frame stack[LL_DEPTH_MAX];
    unsigned depth;
    frame *top; /* the last of them */
    tag_seen *seen;
    uint32_t at;                /* everything before it is claimed */
    uint32_t paddings;          /* claimed */
    uint32_t ahead;             /* items that may still be looked at ahead: no more than the file has bytes */
    said offsets[LL_PARTS_MAX]; /* by row: what was said last of what leads to the part, or from it to the next one */
    said sizes[LL_PARTS_MAX];   /* and of its size */
    const uint32_t *order;      /* of the parts of an EACH row, by number of their records; NULL: they stand in it */
    size_t order_row;
    series_seen *series;
    unsigned variant; /* 1 + that of the format whose parts are read; 0: parts of all */
    bool swapped;     /* the file is for another machine, and not read */
} reader;

/* What a fault of a field says besides. */
typedef struct evidence {
    int64_t from;     /* what an offset counts from */
    uint64_t want;    /* size of the file with the value that is stated; 0: it is not known */
    ll_where related; /* what the value is of; nowhere: all that was read */
    bool guessed;     /* another value may be right */
} evidence;

/* The parts of EACH rows in the order in which they are read. */
typedef struct each {
    size_t row;
    uint32_t number;
} each;

/* The owner of the parts that are being read, or the first of these, if it has the layout, else the first record of it
 * in the file. */
static inline uint32_t ll_record_of(const reader *r, unsigned layout)
{
    const frame *f = r->top;
    if (f->layout == layout && f->span != LL_NO_SPAN) {
        return f->span;
    }
    const bool first = f->first < r->doc->span_count && ll_doc_span(r->doc, f->first)->layout == layout;
    return first ? f->first : r->doc->firsts[layout] - 1;
}

/* False: there is no such record. */
static inline bool ll_read_field(const reader *r, uint32_t span, uint32_t element, unsigned field, uint64_t *value)
{
    ll_element record;
    if (!ll_element_at(r->doc, span, element, &record)) {
        return false;
    }
    *value = ll_get_uint(&record, field);
    return true;
}

/* A record that begins at an address has its numbers in the other byte order. */
static inline bool ll_is_swapped(const reader *r, unsigned layout, uint32_t at)
{
    const ll_swap *swap = &r->doc->swap;
    return at >= swap->from && at < swap->to &&
           (swap->layout == LL_ANY_LAYOUT || swap->layout == layout || swap->layout == r->top->layout);
}

/* The byte order of a record that was not come to yet. */
static inline unsigned ll_order_of(const reader *r, unsigned layout, uint32_t at)
{
    const unsigned endian = r->doc->layouts[layout].endian;
    return ll_is_swapped(r, layout, at) && !r->doc->swap.floats ? endian == LL_LITTLE ? LL_BIG : LL_LITTLE : endian;
}

/* A number of a record that is not claimed. */
static inline uint64_t ll_number_at(const ll_layout *l, unsigned field, const uint8_t *record)
{
    return ll_read_uint(record + l->fields[field].offset, l->fields[field].bytes, l->endian);
}

/* What fills a record of the layout up to a unit, behind its parts; NULL: nothing does. */
static inline const ll_alignment *ll_fill_of(const reader *r, unsigned layout)
{
    return r->plan->fill[layout] ? &r->format->alignments[r->plan->fill[layout] - 1] : NULL;
}

/* The layout of what belongs to nobody, if the row, which stands beside that of parts, says one. */
static inline uint16_t ll_gap_of(const reader *r, size_t row)
{
    const bool gap = row < r->format->part_count && r->format->parts[row].how == LL_PART_GAP;
    return gap ? r->format->parts[row].layout : (uint16_t)LL_LAYOUT_GAP;
}

static inline bool ll_has_parts(const reader *r, unsigned layout)
{
    return r->plan->rows[layout].first < r->plan->rows[layout].end;
}

/* The next part of an owner is one of a list or of a series. */
static inline bool ll_is_list(const reader *r, const frame *f)
{
    return f->row < f->end &&
           (r->format->parts[f->row].how == LL_PART_TAGGED || r->format->parts[f->row].how == LL_PART_SERIES);
}

/* The end of the file is missing, as a fault says, and with it all that is still to be read. */
static inline bool ll_is_behind_end(const reader *r)
{
    return r->doc->unread && r->at == r->doc->size;
}

static inline bool ll_is_unknown(const reader *r, uint32_t at)
{
    return at < r->doc->unknown_to && at >= r->doc->unknown_from;
}

/* Nothing of a stretch of bytes is tried. */
static inline bool ll_is_untried(const ll_doc *doc, uint32_t from, uint32_t to)
{
    return !doc->copy || (doc->swap.from == doc->swap.to && (to <= doc->unknown_from || from >= doc->unknown_to));
}

#endif
