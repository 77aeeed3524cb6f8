/* The records of a document as a tree, and what they go by: for comparing files, and for texts that stay the same where
 * something else in the file changes. A record of an array is one of its elements; what has a number that a record has
 * too belongs to that record (LL_OWNER, LL_SHARE). A list that belongs to a record is a record in it, and holds its
 * elements. */
#ifndef LL_REPORT_RECORDS_H
#define LL_REPORT_RECORDS_H

#include "report/shares.h"

#define LL_NO_RECORD UINT32_MAX
#define LL_NO_ELEMENT UINT32_MAX

/* What a record goes by. */
typedef enum ll_known_by {
    LL_BY_PLACE,  /* nothing but its place among others */
    LL_BY_OWNER,  /* the record that owns it */
    LL_BY_FIELDS, /* those of LL_NAME */
    LL_BY_TEXT,   /* the text that it has */
    LL_BY_FORMAT, /* what the format says */
    LL_BY_KEY     /* its key field */
} ll_known_by;

typedef struct ll_record {
    uint32_t span, element; /* of the root, which is the document: LL_NO_SPAN; of a list: LL_NO_ELEMENT */
    uint32_t parent;        /* LL_NO_RECORD: it is the root */
    uint32_t first, next;   /* the first record in it, and the one behind it, by their places; LL_NO_RECORD: none */
    uint32_t text;          /* LL_BY_TEXT: the record that is its text */
    uint8_t by;             /* ll_known_by */
} ll_record;

typedef struct ll_records {
    const ll_doc *doc;
    const ll_shares *shares;
    ll_record *items;                /* parents need not stand in front of what they hold */
    uint32_t count;                  /* the first is the root */
    uint32_t *of_span;               /* the record of its element 0, or of all of it */
    uint16_t owners[LL_LAYOUTS_MAX]; /* by layout: that of the records that own what has it; 0: none do */
} ll_records;

/* Of a document with its shares apart. Memory comes from the arena. */
ll_status ll_records_read(const ll_doc *doc, const ll_shares *shares, ll_arena *arena, ll_records *out);

/* The record behind `record` in the order of the tree: what is in it, then what is behind it. LL_NO_RECORD: it is the
 * last. */
uint32_t ll_records_next(const ll_records *records, uint32_t record);

/* Is it a gap, or what was not parsed: no record, but a span all the same? */
static inline bool ll_record_is_hole(const ll_records *records, uint32_t record)
{
    unsigned kind = ll_doc_layout(records->doc, records->items[record].span)->kind;
    return kind == LL_KIND_GAP || kind == LL_KIND_UNPARSED;
}

/* Has it a name of its own? */
static inline bool ll_record_is_named(const ll_records *records, uint32_t record)
{
    return records->items[record].by > LL_BY_OWNER;
}

/* The bytes of a record, with all that is in it. */
ll_where ll_record_place(const ll_records *records, uint32_t record);
/* Is it one of several times that a list is there for its owner, or in it, and says this the same as the time before?
 */
bool ll_record_repeats(const ll_records *records, uint32_t record);

/* Appends the path of a record that begins behind the nearest named one above it: labels, and its own name in brackets,
 * which is never long: "light_area", "entry[PL_gate]". No number of a record is in it. */
void ll_record_path(const ll_records *records, uint32_t record, ll_text *out);

/* Appends the whole path: names where there are any, else numbers: "lights.layer[0].light[2]", "RAHD[DOOR]". */
void ll_record_full_path(const ll_records *records, uint32_t record, ll_text *out);

/* A hash of what the record goes by, together with what it is; 0: it goes by its place. What
 * there is one of goes by what it is. */
uint64_t ll_record_key(const ll_records *records, uint32_t record, ll_text *scratch);

/* Is the field all that stands in brackets, or a part of it, in the path of its record, or of the one that has it as
 * its text? */
bool ll_record_shows(const ll_records *records, uint32_t record, unsigned field);

#endif
