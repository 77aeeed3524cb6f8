/* What the bytes of a span mean. Every record of every format is one const ll_layout, made from the rows of a
 * <format>_layout.def by layout_expand.h; strings, gaps and other shapeless stretches use the built-in layouts below.
 * Tables only: nothing here reads a file. */
#ifndef LL_MODEL_LAYOUT_H
#define LL_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Data types of fields: name, as shown, bytes of one element. CHARS: bytes that are usually letters (a FourCC). */
#define LL_TYPE_ROWS(ROW)                                                                                              \
    ROW(U8, "u8", 1)                                                                                                   \
    ROW(U16, "u16", 2)                                                                                                 \
    ROW(U24, "u24", 3)                                                                                                 \
    ROW(U32, "u32", 4)                                                                                                 \
    ROW(U64, "u64", 8)                                                                                                 \
    ROW(I8, "i8", 1)                                                                                                   \
    ROW(I16, "i16", 2)                                                                                                 \
    ROW(I24, "i24", 3)                                                                                                 \
    ROW(I32, "i32", 4)                                                                                                 \
    ROW(F16, "f16", 2)                                                                                                 \
    ROW(F32, "f32", 4)                                                                                                 \
    ROW(CHARS, "char", 1)                                                                                              \
    ROW(BYTES, "bytes", 1)

typedef enum ll_type {
#define LL_TYPE_NUMBER(type, name, bytes) LL_TYPE_##type,
    LL_TYPE_ROWS(LL_TYPE_NUMBER)
#undef LL_TYPE_NUMBER
        LL_TYPE_TEXT, /* variable length, strings only */
    LL_TYPES
} ll_type;

/* Bytes of one element as constants, for the compile-time checks of layout_expand.h. */
enum {
#define LL_TYPE_WIDTH(type, name, bytes) LL_TYPE_BYTES_##type = bytes,
    LL_TYPE_ROWS(LL_TYPE_WIDTH)
#undef LL_TYPE_WIDTH
};

/* What a field is for, and the word for it. A role other than DATA is what `dump` shows as the type. CODE:
 * instructions; the format's split() tells what is in them. */
#define LL_ROLE_ROWS(ROW)                                                                                              \
    ROW(DATA, "")                                                                                                      \
    ROW(MAGIC, "magic")                                                                                                \
    ROW(SIZE, "size")                                                                                                  \
    ROW(OFFSET, "offset")                                                                                              \
    ROW(COUNT, "count")                                                                                                \
    ROW(PADDING, "padding")                                                                                            \
    ROW(RESERVED, "reserved")                                                                                          \
    ROW(HASH, "hash")                                                                                                  \
    ROW(STRING, "string")                                                                                              \
    ROW(TERMINATOR, "terminator")                                                                                      \
    ROW(CODE, "code")

typedef enum ll_role {
#define LL_ROLE_NUMBER(role, name) LL_ROLE_##role,
    LL_ROLE_ROWS(LL_ROLE_NUMBER)
#undef LL_ROLE_NUMBER
        LL_ROLES
} ll_role;

/* How certain the meaning is: KNOWN several sources or counted in files, SEEN one source that files do not contradict,
 * or an inferred meaning and values on which all files agree, GUESS inferred. packc refuses a rule above note on a
 * GUESS. */
typedef enum ll_sure { LL_SURE_KNOWN, LL_SURE_SEEN, LL_SURE_GUESS } ll_sure;

typedef enum ll_endian { LL_LITTLE, LL_BIG } ll_endian;

typedef struct ll_field {
    const char *name;    /* documented name, snake_case */
    uint16_t offset;     /* from the start of the record */
    uint16_t bytes;      /* all elements together; 0 for LL_TYPE_TEXT and the other parts of a string */
    uint8_t type;        /* ll_type */
    uint8_t role;        /* ll_role */
    uint8_t sure;        /* ll_sure */
    const char *source;  /* who says so, keys of docs/formats/<f>.md */
    const char *meaning; /* one phrase with unit */
} ll_field;

typedef enum ll_kind {
    LL_KIND_RECORD,  /* fixed fields; an array of equal records is one span with a count */
    LL_KIND_STRING,  /* text, NUL, zero padding: see ll_string_part */
    LL_KIND_BYTES,   /* claimed, not looked into (opaque section, padding stretch) */
    LL_KIND_GROUP,   /* no bytes of its own, only children */
    LL_KIND_GAP,     /* nobody claimed it */
    LL_KIND_UNPARSED /* behind a fatal fault */
} ll_kind;

enum { LL_NO_FIELD = 0xFFFF };

typedef struct ll_layout {
    const char *name;  /* "grx.point_light": what rules select by */
    const char *label; /* piece of the field path: "entry", "light_area"; "" adds nothing */
    uint8_t kind;      /* ll_kind */
    uint8_t endian;    /* ll_endian */
    uint8_t role;      /* ll_role of the whole, for LL_KIND_BYTES */
    uint16_t size;     /* of the fixed record; 0 for the other kinds */
    uint16_t field_count;
    uint16_t key_field; /* identifies the record in fingerprints, LL_NO_FIELD: its place does */
    const ll_field *fields;
    const char *meaning;
} ll_layout;

/* For code that reads records of several layouts as one of them: record r of family f has the field where record s has
 * it, and under the same number. */
#define LL_SAME_FIELD(f, r, s, field)                                                                                  \
    _Static_assert((int)f##_##r##_##field == (int)f##_##s##_##field &&                                                 \
                       (int)f##_##r##_at_##field == (int)f##_##s##_at_##field,                                         \
                   #f ": " #r "." #field " is not where " #s " has it")

/* Parts of a string span, as field numbers. The span's count is the text's length in bytes without the NUL. */
enum ll_string_part { LL_STRING_TEXT, LL_STRING_TERMINATOR, LL_STRING_PADDING, LL_STRING_PARTS };
extern const ll_field ll_string_fields[LL_STRING_PARTS];

/* Layout numbers are per format; these come first in every format. */
enum { LL_LAYOUT_GAP, LL_LAYOUT_UNPARSED, LL_LAYOUT_BUILTINS };
#define LL_LAYOUT_BUILTIN_ROWS                                                                                         \
    {"gap", "gap", LL_KIND_GAP, LL_LITTLE, LL_ROLE_DATA, 0, 0, LL_NO_FIELD, NULL, "bytes that nothing refers to"},     \
    {                                                                                                                  \
        "unparsed", "unparsed", LL_KIND_UNPARSED, LL_LITTLE, LL_ROLE_DATA, 0, 0, LL_NO_FIELD, NULL,                    \
            "bytes behind a fault"                                                                                     \
    }

/* How the value of a field leads to its target: bytes from the start of the file or region, from the first byte behind
 * the head of the span that holds the targets, or from the field itself; or the number of the target, from 0. */
typedef enum ll_how { LL_BY_OFFSET_IN_FILE, LL_BY_OFFSET_IN_BODY, LL_BY_OFFSET_FROM_FIELD, LL_BY_INDEX } ll_how;

/* What the field that states the extent of a reference counts: targets, bytes, or only whether there is a target. */
typedef enum ll_extent_unit { LL_COUNTS_TARGETS, LL_COUNTS_BYTES, LL_COUNTS_PRESENCE } ll_extent_unit;

/* Values that mean "points to nothing". */
enum ll_null_value {
    LL_NULL_NEVER = 0,
    LL_NULL_ZERO = 1,
    LL_NULL_MINUS_ONE = 2,
    LL_NULL_NO_EXTENT = 4 /* the extent is 0 */
};

enum { LL_WITHIN_FILE = 0 }; /* no layout of a record: the targets may stand anywhere in the file or region */

/* What a field points to: LL_REFERENCE of a <format>_layout.def. Resolved by model/reference.h. */
typedef struct ll_reference {
    uint16_t layout, field; /* that points */
    uint16_t target;        /* layout of what it points to */
    uint16_t within; /* layout of the span that holds all targets: the nearest at or above the record that points,
                        else the first of the file; LL_WITHIN_FILE */
    uint16_t extent; /* field of the same record that says how much it points to; LL_NO_FIELD: one target */
    uint8_t how;     /* ll_how */
    uint8_t unit;    /* ll_extent_unit */
    uint8_t null;    /* set of ll_null_value */
} ll_reference;

/* Who a record is where files are compared. */
typedef struct ll_identity {
    uint16_t layout;
    uint16_t field; /* LL_NAME: one of those that it goes by; else LL_NO_FIELD */
    uint16_t owner; /* LL_OWNER: layout of the records that own a span with the same number each; else 0 */
} ll_identity;
/* How the value of a field follows from a target. */
typedef enum ll_derive_how {
    LL_DERIVE_CONSTANT,       /* it is `plus`, whatever the target */
    LL_DERIVE_COUNT,          /* elements of the target's layout in `within`; of LL_ANY_LAYOUT: of all records there */
    LL_DERIVE_NAMED,          /* those of them that have the record's LL_NAME in a field that is called the same */
    LL_DERIVE_RECORDS,        /* records right in the target */
    LL_DERIVE_FILE_BYTES,     /* bytes of the file or region */
    LL_DERIVE_BYTES,          /* bytes of the target */
    LL_DERIVE_TEXT_BYTES,     /* bytes of its text, which is a string, without NUL and padding */
    LL_DERIVE_BYTES_TO_END,   /* from its start to the end of the file or region */
    LL_DERIVE_OFFSET_IN_FILE, /* from the start of the file or region to the target */
    LL_DERIVE_OFFSET_FROM_RECORD, /* from the record that has the field */
    LL_DERIVE_OFFSET_FROM_FIELD,
    LL_DERIVE_REFERENCE, /* what the ll_reference of the field leads to the target with */
    LL_DERIVE_PARTS,     /* parts right in the record itself, but for as many at the end as its field `plus` says; */
    LL_DERIVE_PARTS_END, /* from the record to the end of these: the rows of both stand side by side */
    LL_DERIVE_TEXT_HASH, /* ll_format.text_hash of the text of the target, which is a string */
    LL_DERIVE_TEXT_MD5,  /* the MD5 of it */
    LL_DERIVE_COUNTED,   /* parts whose number the LL_PART_COUNT of this name takes from the field: the target is a text
                          */
    LL_DERIVE_STORED,    /* bytes of the target, where that is not compressed */
    LL_DERIVE_PACKED     /* bytes that it is compressed to: 0 where it is not */
} ll_derive_how;

/* Which span or element of the target's layout in `within` is the target. */
typedef enum ll_derive_which {
    LL_WHICH_ITSELF, /* the record that has the field */
    LL_WHICH_FIRST,
    LL_WHICH_SAME_NUMBER,       /* that has the number of the record: its element in an array, else its index */
    LL_WHICH_SAME_NUMBER_BELOW, /* the same, wherever in the file it stands */
    LL_WHICH_NEXT               /* the element behind it; where there is none the value is `plus` */
} ll_derive_which;

enum { LL_ANY_LAYOUT = 0 };

/* What the value of a field follows from: LL_DERIVE of a <format>_layout.def. Worked out by model/derive.h. The rows of
 * a record stand together; where a field has several, the first whose target there is holds. */
typedef struct ll_derivation {
    uint16_t layout, field;
    uint16_t target, within; /* as in ll_reference */
    uint8_t how;             /* ll_derive_how */
    uint8_t which;           /* ll_derive_which */
    int32_t plus;            /* added; or a field */
} ll_derivation;

/* Where zeros, or other bytes, fill a stretch up to a multiple of a unit, from the start of the file or region. */
typedef enum ll_align_where {
    LL_ALIGN_START,   /* in front of each span of the layout */
    LL_ALIGN_FIRST,   /* in front of it where what stands before it is of another layout */
    LL_ALIGN_END,     /* at the end of it, behind its children; of a string: behind its NUL */
    LL_ALIGN_FILE_END /* at the end of a file that begins with a record of the layout */
} ll_align_where;

/* LL_ALIGN, and LL_FILL, of a <format>_layout.def. A string without a row ends in a NUL and no padding. */
typedef struct ll_alignment {
    uint16_t layout;  /* LL_WITHIN_FILE, with LL_ALIGN_END: the file */
    uint16_t padding; /* layout of the span that holds the zeros; 0: they belong to the string */
    uint8_t where;    /* ll_align_where */
    uint8_t unit;     /* of a string 0: not even a NUL follows */
    uint8_t fill;     /* what each byte is */
} ll_alignment;

/* LL_SHARE of a <format>_layout.def: what the reference of a field leads to, as much as its extent says, belongs to the
 * record and to no other one. Where it is part of an array, the shares stand in the order of the records. */
typedef struct ll_share {
    uint16_t layout, field; /* of an ll_reference */
    uint16_t times;         /* field of how many times the extent is there, one behind the other; LL_NO_FIELD: once */
    uint16_t bytes;         /* field of the bytes of the extent, beside it; LL_NO_FIELD: there is none */
    uint16_t again;         /* field that holds the value of the reference again; LL_NO_FIELD: there is none */
} ll_share;
enum { LL_SHARES_MAX = 32 }; /* of a format; the compiler checks it */

/* How often a part is there. */
typedef enum ll_part_how {
    LL_PART_ONE,     /* once; not where a reference of the owner leads to such a part and is null */
    LL_PART_ARRAY,   /* as often as a field says: of an LL_DERIVE with COUNT, or the extent of an LL_REFERENCE; where
                        none does, up to the end of the owner */
    LL_PART_COUNTED, /* as often as LL_PART_COUNT says; of a chain (LL_WHICH_NEXT), which cannot say where its fields
                        and the place of a part of each do: as long as that */
    LL_PART_EACH,    /* once for each element of the last records of a layout, with the number of the element */
    LL_PART_TAGGED,  /* a list: each part begins with a tag, and rows of an owner side by side are one list */
    LL_PART_SERIES,  /* as often as one begins, which what all of its kind have alike tells (reader_series.c) */
    LL_PART_CHOICE,  /* an array of what an LL_CHOICE of the owner says */
    LL_PART_TIMES,   /* as often as the row says, each with its number */
    LL_PART_ITEMS,   /* as often as a field says, as of an array, each a span of its own, with its parts and number */
    LL_PART_SHARED,  /* up to the end of the owner, by LL_SHARE: one for each record, in their order */
    LL_PART_LED,     /* one for each place that fields of records lead to by LL_REFERENCE (reader_led.c) */
    LL_PART_GAP,     /* of what belongs to nobody in front of the parts of the row behind it, or behind each one of the
                        row before it */
    LL_PART_REST     /* the bytes that the size of the owner leaves */
} ll_part_how;

/* Where in its list a tagged part may be. */
typedef enum ll_part_place {
    LL_PLACE_ANY,
    LL_PLACE_FIRST,
    LL_PLACE_LAST,
    LL_PLACE_ONCE, /* the parts are sections (reader_sections.h), which stand in the order of the rows, once each, */
    LL_PLACE_FREE, /* or anywhere, and where no record leads into it, it may be absent */
    LL_PLACE_AGAIN /* one that is there again */
} ll_part_place;

/* What a file or a record consists of, one part behind the other, each of an owner's rows in turn: LL_PART of a
 * <format>_layout.def. How many, how large and where is never said here: other rows do. */
typedef struct ll_part_row {
    uint16_t owner, layout; /* LL_WITHIN_FILE: the file */
    uint8_t how;            /* ll_part_how */
    uint8_t place;          /* ll_part_place */
    uint16_t of;            /* EACH: layout of the records; else the part is there only where a field of the first
                               record of this layout, or of the owner, */
    uint16_t field;         /* this one, LL_NO_FIELD: always, */
    uint32_t bits, value;   /* is `value` in these bits; of an ARRAY that no field counts: elements, or bytes, that it
                               usually has, or else has; 0: nothing says it */
    const char *tag;        /* TAGGED: four bytes; NULL: any other one. Else what its field of LL_ROLE_MAGIC holds */
    uint8_t variants;       /* a bit for each variant whose files have the part; 0: all have it */
    uint8_t times;          /* TIMES; SHARED: elements in front of the first one that is a record's */
} ll_part_row;
/* Of an ARRAY: how many it usually has; 0: nothing says it. */
static inline uint32_t ll_usual_count(const ll_part_row *part)
{
    return part->how == LL_PART_ARRAY && part->field == LL_NO_FIELD ? part->bits : 0;
}
enum { LL_PARTS_MAX = 96 }; /* of a format; the compiler checks it */

/* What the number in a field makes of a record and of what follows it. */
typedef enum ll_choice_how {
    LL_CHOICE_IS,    /* the record has this layout instead, and nothing follows it */
    LL_CHOICE_ARRAY, /* an array of this layout follows it */
    LL_CHOICE_ITEMS  /* records of it follow it, each a span of its own */
} ll_choice_how;

/* LL_CHOICE of a <format>_layout.def: the first row whose `bits` of the four bytes, as a little-endian number, that
 * begin with the field are `value` holds. The rows of a layout stand together, and all of them are about one field. */
typedef struct ll_choice {
    uint16_t layout, field; /* of the record */
    uint16_t part;          /* layout */
    uint8_t how;            /* ll_choice_how */
    uint32_t bits, value;
} ll_choice;

/* What the reader finds not to be as the rows say: ROW(kind, the wider kind that it is one of).
 * From SIZE on, other bytes say what is right. Arguments of all its faults: {0} what is stated or there, {1} what it
 * should be, {2} what the numbers are of: "size", in bytes of the owner of the parts, or the name of the field. */
#define LL_READ_KIND_ROWS(ROW)                                                                                         \
    ROW(CUT, CUT)             /* a record or array does not fit in the bytes that are left */                          \
    ROW(CUT_INSIDE, CUT)      /* and nothing of the list follows it */                                                 \
    ROW(UNFILLED, CUT)        /* padding is missing at the end of the file; not looked at without a row */             \
    ROW(SURPLUS, SURPLUS)     /* bytes belong to nothing */                                                            \
    ROW(ZEROS, SURPLUS)       /* the same, and they are zeros */                                                       \
    ROW(TAG, TAG)             /* a part of a list has none of its tags: {0} the tag */                                 \
    ROW(TAG_LETTERS, TAG)     /* the same, and it is not printable */                                                  \
    ROW(TAG_DAMAGED, TAG)     /* one of them belongs there: {1} it */                                                  \
    ROW(TAG_MOVED, TAG)       /* the same, and what stands behind it is no size either */                              \
    ROW(AGAIN, SHIFTED)       /* a section is there again: {1} its tag */                                              \
    ROW(MISSING, ORDER)       /* a section is not there: {0} its tag, {1} that of the one behind it */                 \
    ROW(ORDER, ORDER)         /* what is to be the first, or the last, of a list is not: {0} the tag */                \
    ROW(END, END)             /* a list ends without its last part: {0} where */                                       \
    ROW(END_DAMAGED, END)     /* something stands in its place: {1} that */                                            \
    ROW(TEXT, TEXT)           /* a text has no NUL: {0} its bytes */                                                   \
    ROW(CHOICE, CHOICE)       /* bits that say which parts there are; of LL_CHOICE: {0} the number */                  \
    ROW(UNCOUNTED, UNCOUNTED) /* nothing states the number of a part, and what is left is not read: {2} the part */    \
    ROW(SEQUENCE, SEQUENCE)   /* parts of records stand in another order than these; not looked at without a row */    \
    ROW(SIZE, SIZE)           /* {1} as long as what was read */                                                       \
    ROW(SIZE_LEAST, SIZE)     /* the same, and it is less than the fields take */                                      \
    ROW(SIZE_BEYOND, SIZE)    /* and it leads out of what holds the record */                                          \
    ROW(SIZE_ALIGN, SIZE)     /* and it is no multiple of what texts are filled up to */                               \
    ROW(SIZE_LARGE, SIZE)     /* and it is larger than that */                                                         \
    ROW(ASTRAY, SIZE)         /* of a section: no other one follows there; {1} so that one does, {2} where it leads */ \
    ROW(ASTRAY_BEYOND, SIZE)  /* the same, and it leads out of the file */                                             \
    ROW(ASTRAY_TURNED, SIZE)  /* and it is in the other byte order */                                                  \
    ROW(ASTRAY_MOVED, SIZE)   /* and what is in the section asks for neither size: bytes were put in or taken out */   \
    ROW(OFFSET, OFFSET)       /* {1} with which it leads to the part */                                                \
    ROW(OUTSIDE, OFFSET)      /* the same, and it leads out of what holds the part */                                  \
    ROW(OVERLAP, OFFSET)      /* and the part would overlap another one */                                             \
    ROW(UNALIGNED, OFFSET)    /* and it leads between multiples of what texts are filled up to */                      \
    ROW(COUNT, COUNT)         /* {1} of the elements */                                                                \
    ROW(COUNT_BEYOND, COUNT)  /* such a count, and so many elements do not fit */                                      \
    ROW(HASH, HASH)           /* {1} of the text; not looked at where no row says which fault that is */               \
    ROW(UNENDED, TEXT)        /* the NUL of a text was changed; only a diagnosis tells it */                           \
    ROW(SHIFTED, SHIFTED)     /* bytes were inserted or are missing; only a diagnosis; without a row: SURPLUS, CUT */  \
    ROW(SHIFTED_PART, SHIFTED)    /* of a section: {0} bytes, {1} "put in" or "taken out", {2} tag, {3} up to where */ \
    ROW(SHIFTED_LETTERS, SHIFTED) /* of texts with bytes beyond ASCII; arguments as above */                           \
    ROW(REVERSED, REVERSED)       /* numbers of a record are in the other byte order; only a diagnosis tells it */     \
    ROW(REVERSED_FLOATS, REVERSED) /* the same of its floats alone */                                                  \
    ROW(SIZE_WRAPS, SIZE)          /* {1} more than the field can hold */                                              \
    ROW(CONSTANT, CONSTANT)        /* a field is not what it always is; {1} that; not looked at without a row */       \
    ROW(RESERVED, CONSTANT)   /* the same of LL_ROLE_RESERVED; of more than 8 bytes {0} is the first that is not 0 */  \
    ROW(PADDING, CONSTANT)    /* and of LL_ROLE_PADDING */                                                             \
    ROW(MISPLACED, MISPLACED) /* the last part of the file stands behind more padding than it should, or less */       \
    ROW(SWAPPED, SWAPPED)     /* the file is in the other byte order, and not read; not looked at without a row */     \
    ROW(TURNED, SWAPPED)      /* the same of sections: {0} the first size */                                           \
    ROW(VARIANT, VARIANT)     /* {0} the variant that it was read as, {1} one that it may be as well */                \
    ROW(OTHER_VARIANT, VARIANT) /* {0} the variant that was asked for, {1} the only one that it is; it is not read */  \
    ROW(EXCHANGED, EXCHANGED)   /* records have each other's place; only a diagnosis tells it, where a row says so */  \
    ROW(UNPACKED, UNPACKED)     /* unpacked bytes are wrong in {0} places; only a diagnosis; not without a row */      \
    ROW(ALTERNATIVE, ALTERNATIVE) /* a field agrees with others if it is {1}; on copies only, and it weighs nothing */

typedef enum ll_read_kind {
#define LL_READ_NUMBER(kind, base) LL_READ_##kind,
    LL_READ_KIND_ROWS(LL_READ_NUMBER)
#undef LL_READ_NUMBER
        LL_READ_KINDS
} ll_read_kind;

/* LL_READ, LL_READ_FIELD and LL_READ_HINT of a <format>_faults.def: which fault that is; the first row that is about
 * the place, and of the kind or of the wider one, holds. */
typedef struct ll_read_row {
    uint16_t layout; /* LL_ANY_LAYOUT: all */
    uint16_t field;  /* LL_NO_FIELD: all */
    uint8_t kind;    /* ll_read_kind */
    uint16_t fault;  /* its code */
    uint16_t hint;   /* 1 + number of the format's hint; 0: none */
} ll_read_row;

/* LL_TEXTS of a <format>_layout.def: a table of texts. All other fields of LL_ROLE_HASH that are as wide hold hashes of
 * its texts, by ll_format.text_hash. */
typedef struct ll_text_table {
    uint16_t layout, field; /* of an entry, and of the hash in it; 0: there is no table */
    uint16_t text;          /* layout of the text in it */
    uint16_t before;        /* layout of what stands behind the last entry */
    uint8_t bits;           /* of a hash; those above are 0 */
} ll_text_table;

enum { LL_LAYOUTS_MAX = 256 }; /* of a format; the compiler checks it */

/* "u32", "char", "f16", ... Static storage. */
const char *ll_type_name(unsigned type);
/* Bytes of one element; 1 for CHARS, BYTES and TEXT. */
static inline unsigned ll_type_bytes(unsigned type)
{
    static const uint8_t bytes_of[LL_TYPES] = {
#define LL_TYPE_ENTRY(type, name, bytes) bytes,
        LL_TYPE_ROWS(LL_TYPE_ENTRY)
#undef LL_TYPE_ENTRY
            [LL_TYPE_TEXT] = 1};
    return type < LL_TYPES ? bytes_of[type] : 1;
}
/* "padding", "size", ...; "" for LL_ROLE_DATA. */
const char *ll_role_name(unsigned role);
/* "known", "seen" or "guess". */
const char *ll_sure_name(unsigned sure);
static inline bool ll_type_is_float(unsigned type)
{
    return type == LL_TYPE_F16 || type == LL_TYPE_F32;
}
static inline bool ll_type_is_integer(unsigned type)
{
    return type <= LL_TYPE_I32;
}
static inline bool ll_type_is_signed(unsigned type)
{
    return type >= LL_TYPE_I8 && type <= LL_TYPE_I32;
}
/* Elements of a field: 3 for a vector of three floats; 1 for CHARS, BYTES and TEXT. */
static inline unsigned ll_field_elements(const ll_field *field)
{
    return field->type >= LL_TYPE_CHARS ? 1U : field->bytes / ll_type_bytes(field->type);
}
/* A number that nobody counts or compares by size: shown as 0x and all its digits. */
static inline bool ll_field_is_hex(const ll_field *field)
{
    return ll_type_is_integer(field->type) && (field->role == LL_ROLE_HASH || field->role == LL_ROLE_MAGIC);
}
/* Number of the field of that name, or LL_NO_FIELD. */
unsigned ll_layout_find(const ll_layout *layout, const char *name);

#endif
