/* The records of a document as a tree, and their names: for comparing files, and for texts that stay the same when
 * other parts of the file change. An array element is a record. A record with the number of another belongs to that one
 * (LL_OWNER, LL_SHARE). A list that belongs to a record is a child record that holds its elements. */
#ifndef LL_FILES_RECORDS_H
#define LL_FILES_RECORDS_H

#include "files/shares.h"

#define LL_NO_RECORD UINT32_MAX
#define LL_NO_ELEMENT UINT32_MAX

/* How a record is named, and so recognised in another file. */
typedef enum ll_known_by {
    LL_BY_PLACE,  /* not at all: only by position */
    LL_BY_OWNER,  /* by its owner's name */
    LL_BY_FIELDS, /* by the fields of its LL_NAME row */
    LL_BY_TEXT,   /* by its text */
    LL_BY_FORMAT, /* by a name from the format */
    LL_BY_KEY     /* by its key field */
} ll_known_by;

typedef struct ll_record {
    uint32_t span, element; /* root (the document): span is LL_NO_SPAN; list: element is LL_NO_ELEMENT */
    uint32_t parent;        /* LL_NO_RECORD: the root */
    uint32_t first, next;   /* first child and next sibling, by offset; LL_NO_RECORD: none */
    uint32_t text;          /* with LL_BY_TEXT: the record of its text */
    uint8_t by;             /* ll_known_by */
} ll_record;

typedef struct ll_records {
    const ll_doc *doc;
    const ll_shares *shares;
    ll_record *items;                /* a parent may come after its children */
    uint32_t count;                  /* includes the root, which is first */
    uint32_t *of_span;               /* by span: record of its element 0, or of the whole span */
    uint16_t owners[LL_LAYOUTS_MAX]; /* by layout: layout of the records that own such records; 0: none */
} ll_records;

/* Reads a document whose shares are split off (ll_shares_split()). Memory comes from the arena. */
ll_status ll_records_read(const ll_doc *doc, const ll_shares *shares, ll_arena *arena, ll_records *out);

/* Next record in depth-first order; LL_NO_RECORD at the end. */
uint32_t ll_records_next(const ll_records *records, uint32_t record);

/* Whether the record is a gap or unparsed bytes. */
static inline bool ll_record_is_hole(const ll_records *records, uint32_t record)
{
    unsigned kind = ll_doc_layout(records->doc, records->items[record].span)->kind;
    return kind == LL_KIND_GAP || kind == LL_KIND_UNPARSED;
}

/* Whether the record has a name of its own. */
static inline bool ll_record_is_named(const ll_records *records, uint32_t record)
{
    return records->items[record].by > LL_BY_OWNER;
}

/* The bytes of a record with all its children. */
ll_where ll_record_place(const ll_records *records, uint32_t record);
/* Whether the record is a repetition of its owner's list, or inside one, and equals the repetition before. */
bool ll_record_repeats(const ll_records *records, uint32_t record);

/* Appends the path from the nearest named ancestor, exclusive: labels, and the record's name in brackets, cut to a
 * fixed length: "light_area", "entry[PL_gate]". Contains no record numbers. */
void ll_record_path(const ll_records *records, uint32_t record, ll_text *out);

/* Appends the full path, with names where they exist, else numbers: "lights.layer[0].light[2]", "RAHD[DOOR]". */
void ll_record_full_path(const ll_records *records, uint32_t record, ll_text *out);

/* Hash of the record's name and kind; 0: it is known by position only. A record that is the only one of its kind is
 * known by its kind. */
uint64_t ll_record_key(const ll_records *records, uint32_t record, ll_text *scratch);

/* Whether the brackets in the path of the record, or of the record whose text it is, show the field. */
bool ll_record_shows(const ll_records *records, uint32_t record, unsigned field);

#endif
