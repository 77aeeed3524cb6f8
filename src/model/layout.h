/* The meaning of the bytes of a span. Each record of a format is one const ll_layout, made from the rows of a
 * <format>_layout.def by layout_expand.h. Strings, gaps and other bytes without fields use the built-in layouts below.
 * This header holds tables only; nothing here reads a file. */
#ifndef LL_MODEL_LAYOUT_H
#define LL_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Data types of fields: ROW(type, name as shown, bytes of one element). CHARS: bytes that usually are letters (a
 * FourCC). */
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

/* Roles of fields: ROW(role, its word). `dump` shows the word as the type of the field, unless the role is DATA. CODE:
 * instructions; the format's split() divides them into leaves. */
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

/* How certain the meaning is. KNOWN: several sources agree, or it was counted in files. SEEN: one source, which files
 * do not contradict, or an inferred meaning and values on which all files agree. GUESS: inferred. packc refuses a rule
 * above note on a GUESS. */
typedef enum ll_sure { LL_SURE_KNOWN, LL_SURE_SEEN, LL_SURE_GUESS } ll_sure;

typedef enum ll_endian { LL_LITTLE, LL_BIG } ll_endian;

typedef struct ll_field {
    const char *name;    /* documented name, snake_case */
    uint16_t offset;     /* bytes from the start of the record */
    uint16_t bytes;      /* bytes of all elements together; 0 for LL_TYPE_TEXT and the other parts of a string */
    uint8_t type;        /* ll_type */
    uint8_t role;        /* ll_role */
    uint8_t sure;        /* ll_sure */
    const char *source;  /* the source, a key of docs/formats/<f>.md */
    const char *meaning; /* one phrase with unit */
} ll_field;

typedef enum ll_kind {
    LL_KIND_RECORD,  /* fixed fields; one span holds an array of equal records and their number */
    LL_KIND_STRING,  /* text, NUL, zero padding: see ll_string_part */
    LL_KIND_BYTES,   /* claimed as a whole, without fields (opaque section, padding) */
    LL_KIND_GROUP,   /* no bytes of its own, only children */
    LL_KIND_GAP,     /* bytes that no reader claimed */
    LL_KIND_UNPARSED /* bytes that a fault left unread */
} ll_kind;

enum { LL_NO_FIELD = 0xFFFF };

typedef struct ll_layout {
    const char *name;  /* "grx.point_light": what rules select by */
    const char *label; /* its name in field paths: "entry", "light_area"; "": it is left out of them */
    uint8_t kind;      /* ll_kind */
    uint8_t endian;    /* ll_endian */
    uint8_t role;      /* ll_role of all its bytes, for LL_KIND_BYTES */
    uint16_t size;     /* bytes of one fixed record; 0 for the other kinds */
    uint16_t field_count;
    uint16_t key_field; /* field that identifies the record in fingerprints; LL_NO_FIELD: its place does */
    const ll_field *fields;
    const char *meaning;
} ll_layout;

/* For code that reads records r and s of family f alike: asserts that the field has the same offset and number in
 * both. */
#define LL_SAME_FIELD(f, r, s, field)                                                                                  \
    _Static_assert((int)f##_##r##_##field == (int)f##_##s##_##field &&                                                 \
                       (int)f##_##r##_at_##field == (int)f##_##s##_at_##field,                                         \
                   #f ": " #r "." #field " is not where " #s " has it")

/* Parts of a string span, as field numbers. The span's count is the length of the text in bytes, without the NUL. */
enum ll_string_part { LL_STRING_TEXT, LL_STRING_TERMINATOR, LL_STRING_PADDING, LL_STRING_PARTS };
extern const ll_field ll_string_fields[LL_STRING_PARTS];

/* Layout numbers are per format. In every format, these come first. */
enum { LL_LAYOUT_GAP, LL_LAYOUT_UNPARSED, LL_LAYOUT_BUILTINS };
#define LL_LAYOUT_BUILTIN_ROWS                                                                                         \
    {"gap", "gap", LL_KIND_GAP, LL_LITTLE, LL_ROLE_DATA, 0, 0, LL_NO_FIELD, NULL, "bytes that nothing refers to"},     \
    {                                                                                                                  \
        "unparsed", "unparsed", LL_KIND_UNPARSED, LL_LITTLE, LL_ROLE_DATA, 0, 0, LL_NO_FIELD, NULL,                    \
            "bytes after a fault"                                                                                      \
    }

/* How the value of a field leads to its target: bytes from the start of the file or region; bytes from the end of the
 * fields of the span that holds the targets; bytes from the field itself; or the number of the target, from 0. */
typedef enum ll_how { LL_BY_OFFSET_IN_FILE, LL_BY_OFFSET_IN_BODY, LL_BY_OFFSET_FROM_FIELD, LL_BY_INDEX } ll_how;

/* What the extent field of a reference states: the number of targets, their bytes, or only whether there is a
 * target. */
typedef enum ll_extent_unit { LL_COUNTS_TARGETS, LL_COUNTS_BYTES, LL_COUNTS_PRESENCE } ll_extent_unit;

/* Values that mean "points to nothing". */
enum ll_null_value {
    LL_NULL_NEVER = 0,
    LL_NULL_ZERO = 1,
    LL_NULL_MINUS_ONE = 2,
    LL_NULL_NO_EXTENT = 4 /* null where the extent is 0 */
};

enum { LL_WITHIN_FILE = 0 }; /* in place of a layout: the targets may be anywhere in the file or region */

/* What a field points to: LL_REFERENCE of a <format>_layout.def. model/reference.h resolves it. */
typedef struct ll_reference {
    uint16_t layout, field; /* the pointing field and its record */
    uint16_t target;        /* layout of the targets */
    uint16_t within;        /* layout of the span that holds all targets: the nearest such span at or above the pointing
                               record, else the first one of the file; LL_WITHIN_FILE: the file */
    uint16_t extent; /* field of the pointing record that states how much it points to; LL_NO_FIELD: one target */
    uint8_t how;     /* ll_how */
    uint8_t unit;    /* ll_extent_unit */
    uint8_t null;    /* set of ll_null_value */
} ll_reference;

/* What identifies a record when files are compared. */
typedef struct ll_identity {
    uint16_t layout;
    uint16_t field; /* LL_NAME: a field that identifies the record; else LL_NO_FIELD */
    uint16_t owner; /* LL_OWNER: layout of the records that own the spans or elements with their numbers; else 0 */
} ll_identity;
/* How the value of a field follows from a target. */
typedef enum ll_derive_how {
    LL_DERIVE_CONSTANT, /* `plus`, without a target */
    LL_DERIVE_COUNT,    /* elements of the target's layout directly in `within`; LL_ANY_LAYOUT: of all records there */
    LL_DERIVE_NAMED, /* like COUNT, but only elements that hold the record's LL_NAME in their field of the same name */
    LL_DERIVE_RECORDS,            /* elements of records directly in the target */
    LL_DERIVE_FILE_BYTES,         /* bytes of the file or region */
    LL_DERIVE_BYTES,              /* bytes of the target, with its children */
    LL_DERIVE_TEXT_BYTES,         /* bytes of the target, a string, without NUL and padding */
    LL_DERIVE_BYTES_TO_END,       /* bytes from the start of the target to the end of the file or region */
    LL_DERIVE_OFFSET_IN_FILE,     /* bytes from the start of the file or region to the target */
    LL_DERIVE_OFFSET_FROM_RECORD, /* bytes from the record that has the field to the target */
    LL_DERIVE_OFFSET_FROM_FIELD,
    LL_DERIVE_REFERENCE, /* the value with which the field's ll_reference leads to the target */
    LL_DERIVE_PARTS, /* number of parts directly in the record, minus the value of its field `plus`, which counts those
                        at the end */
    LL_DERIVE_PARTS_END, /* bytes from the record to the end of these parts; the two rows stand side by side */
    LL_DERIVE_TEXT_HASH, /* ll_format.text_hash of the target, a string */
    LL_DERIVE_TEXT_MD5,  /* MD5 of the target, a string */
    LL_DERIVE_COUNTED,   /* number of parts that an LL_PART_COUNT row reads from this field; the target is the text that
                            the row asks for */
    LL_DERIVE_STORED,    /* bytes of the target, unless it is compressed */
    LL_DERIVE_BUFFER,    /* as STORED; if the target is compressed, `plus` more than it unpacks to */
    LL_DERIVE_PACKED     /* bytes that the target is compressed to; 0: it is not compressed */
} ll_derive_how;

/* Which span or element of the target's layout is the target. */
typedef enum ll_derive_which {
    LL_WHICH_ITSELF, /* the record that has the field */
    LL_WHICH_FIRST,
    LL_WHICH_SAME_NUMBER, /* the one in `within` with the record's number: its element in an array, else its index */
    LL_WHICH_SAME_NUMBER_BELOW, /* the one with the record's number, anywhere in the file */
    LL_WHICH_NEXT               /* the next element of the same span; after the last one the value is `plus` */
} ll_derive_which;

enum { LL_ANY_LAYOUT = 0 };

/* What the value of a field follows from: LL_DERIVE of a <format>_layout.def. model/derive.h works it out. The rows of
 * a record stand together. If a field has several rows, the first whose target exists applies. */
typedef struct ll_derivation {
    uint16_t layout, field;
    uint16_t target, within; /* as in ll_reference; COUNT: `within` is at or above the record */
    uint8_t how;             /* ll_derive_how */
    uint8_t which;           /* ll_derive_which */
    int32_t plus;            /* added to the value; PARTS and PARTS_END: number of a field */
} ll_derivation;

/* Where fill bytes, usually zeros, extend the file to a multiple of a unit, counted from the start of the file or
 * region. */
typedef enum ll_align_where {
    LL_ALIGN_START,   /* in front of each span of the layout */
    LL_ALIGN_FIRST,   /* in front of a span of the layout if the part before it has another layout */
    LL_ALIGN_END,     /* at the end of the span, after its children; in a string, after its NUL */
    LL_ALIGN_FILE_END /* at the end of a file that begins with a record of the layout */
} ll_align_where;

/* LL_ALIGN and LL_FILL of a <format>_layout.def. A string without a row ends with a NUL and has no padding. */
typedef struct ll_alignment {
    uint16_t layout;  /* with LL_ALIGN_END, LL_WITHIN_FILE: the file */
    uint16_t padding; /* layout of the span that claims the padding; 0: the string claims it */
    uint8_t where;    /* ll_align_where */
    uint8_t unit;     /* bytes; 0, for a string: it has no NUL either */
    uint8_t fill;     /* value of each padding byte */
} ll_alignment;

/* LL_SHARE of a <format>_layout.def: what the reference of a field leads to, as far as its extent goes, belongs to this
 * record alone. If the target is part of an array, the shares stand in the order of the records. */
typedef struct ll_share {
    uint16_t layout, field; /* the field with the ll_reference */
    uint16_t times;         /* field that states how often the extent is repeated; LL_NO_FIELD: once */
    uint16_t bytes;         /* field that states the extent in bytes; LL_NO_FIELD: none */
    uint16_t again;         /* field that repeats the value of the reference; LL_NO_FIELD: none */
} ll_share;
enum { LL_SHARES_MAX = 32 }; /* most rows of a format; the compiler checks it */

/* How often a part occurs. */
typedef enum ll_part_how {
    LL_PART_ONE,   /* once; absent where a reference of the owner that leads to it is null */
    LL_PART_ARRAY, /* as often as a field says: that of an LL_DERIVE with COUNT, or the extent of an LL_REFERENCE; if no
                      field does, up to the end of the owner */
    LL_PART_COUNTED, /* as often as LL_PART_COUNT rows say. Elements may be a chain (LL_WHICH_NEXT): its length applies
                        if no row states a number, or if the offset of the parts after it confirms it */
    LL_PART_EACH,    /* once for each element of the first span of a layout, with the element's number as index */
    LL_PART_TAGGED,  /* parts of a list: each begins with a tag, and adjacent rows of an owner are one list */
    LL_PART_SERIES,  /* as often as a record with the constants of its layout begins (reader_series.c) */
    LL_PART_CHOICE,  /* an array, whose layout an LL_CHOICE of the owner states */
    LL_PART_TIMES,   /* as often as the row says, each with its number as index */
    LL_PART_ITEMS,   /* as often as a field says, as for an array; each is a span with its own parts and number */
    LL_PART_SHARED,  /* up to the end of the owner: one for each record, in their order, by LL_SHARE */
    LL_PART_LED,     /* one at each offset that fields of records state by LL_REFERENCE (reader_led.c) */
    LL_PART_GAP,     /* unowned bytes in front of the parts of the next row, or after each part of the row before */
    LL_PART_STREAM,  /* the records of a compressed stream, as ll_codec claims them */
    LL_PART_EDITION, /* instead of other parts: a header with this first word, tables and numbered sections
                        (LL_EDITION) */
    LL_PART_REST     /* the bytes up to the end of the owner, as its size states it */
} ll_part_how;

/* Where in its list a tagged part may be. */
typedef enum ll_part_place {
    LL_PLACE_ANY,
    LL_PLACE_FIRST,
    LL_PLACE_LAST,
    LL_PLACE_ONCE, /* the parts are sections (section_state.h): once each, in the order of the rows */
    LL_PLACE_FREE, /* a section at any place of the order; it may be absent if no record leads into it */
    LL_PLACE_AGAIN /* layout of a second section with the same tag */
} ll_part_place;

/* A part of a file or a record: LL_PART of a <format>_layout.def. The parts of an owner stand one after the other, in
 * the order of its rows. Their number, size and place come from other rows. */
typedef struct ll_part_row {
    uint16_t owner, layout; /* LL_WITHIN_FILE: the file */
    uint8_t how;            /* ll_part_how */
    uint8_t place;          /* ll_part_place */
    uint16_t of; /* EACH: layout of the records. Else layout of the record with the next field: the owner, or the first
                    such record */
    uint16_t field;       /* the part is there if this field has `value` in these `bits`; LL_NO_FIELD: always */
    uint32_t bits, value; /* see `field`. ARRAY that no field counts: usual number, or another one, of elements or
                             bytes; 0: not known */
    const char *tag;      /* TAGGED: four bytes; NULL: any other tag. Else the constant of its LL_ROLE_MAGIC field */
    uint8_t variants;     /* a bit for each variant that has the part; 0: all variants have it */
    uint8_t times;        /* TIMES: how often; SHARED: elements in front of the first share */
} ll_part_row;
/* The usual number of elements of an ARRAY that no field counts; 0: not known. */
static inline uint32_t ll_usual_count(const ll_part_row *part)
{
    return part->how == LL_PART_ARRAY && part->field == LL_NO_FIELD ? part->bits : 0;
}
enum { LL_PARTS_MAX = 96 }; /* most rows of a format; the compiler checks it */

/* What the number in a field decides about a record and about the bytes after it. */
typedef enum ll_choice_how {
    LL_CHOICE_IS,    /* the record has this layout instead, and no parts */
    LL_CHOICE_ARRAY, /* an array of this layout follows the record */
    LL_CHOICE_ITEMS  /* records of this layout follow the record, each a span of its own */
} ll_choice_how;

/* LL_CHOICE of a <format>_layout.def. The number is that of the four bytes from the field on, little-endian. The first
 * row whose `bits` of it equal `value` applies. All rows of a format are about one field of one layout, and rows whose
 * values share the low byte stand together. */
typedef struct ll_choice {
    uint16_t layout, field; /* the record and its field */
    uint16_t part;          /* layout of the record or of what follows it */
    uint8_t how;            /* ll_choice_how */
    uint32_t bits, value;
} ll_choice;

/* LL_EDITION of a <format>_layout.def: a version of files that consist of a header, tables and numbered sections
 * (store_state.h). All headers have the field at the same place. The first row of a format is for any other version:
 * of such files, as of those of rows with the same layout, only this head is read. */
typedef struct ll_edition {
    uint16_t layout, field; /* the header, and its field with the version */
    uint32_t value;         /* the version */
    const char *game;       /* what has it */
    uint8_t variant;        /* 1 + number of the variant of the sections; 0: what they hold is not documented */
    uint8_t method;         /* for ll_codec: how streams are compressed */
} ll_edition;

/* LL_SECTION of a <format>_layout.def: what a numbered section may hold. The first row of a format is for sections of
 * which nothing is known. */
typedef struct ll_section_kind {
    uint16_t layout; /* layout of its bytes, if they are not looked into */
    uint16_t record; /* layout of the record that it holds; 0: it is never looked into */
    uint32_t magic;  /* first word of every such section, big-endian; 0: not known */
    uint32_t tag;    /* its tag in the table of tags, big-endian; 0: it has none */
} ll_section_kind;

/* LL_SECTION_BY and LL_SECTION_RUN of a <format>_layout.def: a field of a header that says which sections hold what. */
typedef struct ll_section_by {
    uint16_t layout, field; /* RUN: LL_NO_FIELD: sections go on holding this up to the next one that is named, also in
                               front of the first one */
    uint8_t kind;           /* number of the LL_SECTION row */
    bool counts; /* RUN: the field states how many sections, one after the other, hold this; false: it is the number
                    of the section */
} ll_section_by;

/* What the reader reports as not being as the rows say: ROW(kind, the wider kind that includes it). From SIZE on, other
 * bytes of the file give the right value. Arguments of all these faults, unless noted: {0} the stated or found value,
 * {1} the right value, {2} what the numbers are: "size", in bytes of the owner of the parts, or the name of the field.
 * "Optional": checked only if the format has a row for it. "Diagnosis": raised only by the search for causes. */
#define LL_READ_KIND_ROWS(ROW)                                                                                         \
    ROW(CUT, CUT)                  /* a record or array does not fit in the bytes that are left */                     \
    ROW(CUT_INSIDE, CUT)           /* a section does not fit in the file, and no other follows it */                   \
    ROW(UNFILLED, CUT)             /* padding is missing at the end of the file; optional */                           \
    ROW(SURPLUS, SURPLUS)          /* bytes belong to no part */                                                       \
    ROW(ZEROS, SURPLUS)            /* bytes that belong to no part are zeros */                                        \
    ROW(TAG, TAG)                  /* the tag of a part is none of its list: {0} the tag */                            \
    ROW(TAG_LETTERS, TAG)          /* the tag is none of its list, and not printable */                                \
    ROW(TAG_DAMAGED, TAG)          /* the tag of a section is damaged: {1} the section */                              \
    ROW(TAG_MOVED, TAG)            /* the tag of a section is damaged, and its size is wrong too */                    \
    ROW(TOO_LARGE, TOO_LARGE)      /* it is not unpacked: {0} its number, {1} bytes, {2} most bytes; optional */       \
    ROW(HEADLESS, CONSTANT)        /* the file is what should follow its first record; {0} its first word */           \
    ROW(EDITION, EDITION)          /* there is no such edition: {0} the version; optional */                           \
    ROW(EDITION_TURNED, EDITION)   /* the version is in the other byte order */                                        \
    ROW(EDITION_UNREAD, EDITION)   /* the edition is known, but not read */                                            \
    ROW(EDITION_OTHER, EDITION)    /* {0} the version, {1} that whose tables fit, {2} its game */                      \
    ROW(EDITION_ASKED, EDITION)    /* {0} the variant asked for, {1} the version, {2} its game */                      \
    ROW(EDITION_OPAQUE, EDITION)   /* what the sections hold is not documented: {0} the version */                     \
    ROW(AGAIN, SHIFTED)            /* a section is there a second time: {1} its name */                                \
    ROW(MISSING, ORDER)            /* a section is missing: {0} its name, {1} that of the one after it */              \
    ROW(ORDER, ORDER)              /* a part is not first, or last, in its list as it should be: {0} its tag */        \
    ROW(END, END)                  /* a list ends without its last part: {0} the address */                            \
    ROW(END_DAMAGED, END)          /* the tag of the last part is damaged: {1} the bytes there */                      \
    ROW(TEXT, TEXT)                /* a text has no NUL: {0} its bytes */                                              \
    ROW(CHOICE, CHOICE)            /* the bits of LL_CHOICE match no row: {0} the number */                            \
    ROW(UNCOUNTED, UNCOUNTED)      /* nothing states the number of a part, and the rest is unread: {2} the part */     \
    ROW(SEQUENCE, SEQUENCE)        /* parts of records stand in another order than the records; optional */            \
    ROW(SIZE, SIZE)                /* the stated size is not that of the contents, {1} */                              \
    ROW(SIZE_LEAST, SIZE)          /* the size is less than the fields take */                                         \
    ROW(SIZE_BEYOND, SIZE)         /* the size leads out of what holds the record */                                   \
    ROW(SIZE_ALIGN, SIZE)          /* the size is no multiple of what texts are padded to */                           \
    ROW(SIZE_LARGE, SIZE)          /* the size is larger than the contents */                                          \
    ROW(ASTRAY, SIZE)              /* no section begins where a size leads, {2}; {1} leads to one */                   \
    ROW(ASTRAY_BEYOND, SIZE)       /* the size of a section leads out of the file */                                   \
    ROW(ASTRAY_TURNED, SIZE)       /* the size of a section is in the other byte order */                              \
    ROW(ASTRAY_MOVED, SIZE)        /* neither size fits the contents: bytes were put in or taken out */                \
    ROW(OFFSET, OFFSET)            /* an offset does not lead to the part; {1} does */                                 \
    ROW(OUTSIDE, OFFSET)           /* the offset leads out of what holds the part */                                   \
    ROW(OVERLAP, OFFSET)           /* at the offset, the part would overlap another one */                             \
    ROW(UNALIGNED, OFFSET)         /* the offset is no multiple of what texts are padded to */                         \
    ROW(COUNT, COUNT)              /* the stated number is not that of the elements, {1} */                            \
    ROW(COUNT_BEYOND, COUNT)       /* there is no room for that many elements */                                       \
    ROW(HASH, HASH)                /* the hash is not that of the text, {1}; optional */                               \
    ROW(UNENDED, TEXT)             /* the NUL of a text was overwritten */                                             \
    ROW(SHIFTED, SHIFTED)          /* bytes were put in or taken out; diagnosis; without a row: SURPLUS, CUT */        \
    ROW(SHIFTED_PART, SHIFTED)     /* in a section: {0} bytes, {1} "put in" or "taken out", {2} name, {3} address */   \
    ROW(SHIFTED_LETTERS, SHIFTED)  /* in texts with bytes beyond ASCII; arguments as for SHIFTED_PART */               \
    ROW(REVERSED, REVERSED)        /* numbers of a record are in the other byte order; diagnosis */                    \
    ROW(REVERSED_FLOATS, REVERSED) /* only the floats of a record are in the other byte order; diagnosis */            \
    ROW(SIZE_WRAPS, SIZE)          /* the right size, {1}, does not fit in the field */                                \
    ROW(CONSTANT, CONSTANT)        /* a field is not the constant {1}; optional */                                     \
    ROW(RESERVED, CONSTANT)     /* LL_ROLE_RESERVED is not 0; beyond 8 bytes, {0} is the first wrong one; optional */  \
    ROW(PADDING, CONSTANT)      /* LL_ROLE_PADDING is not 0; optional */                                               \
    ROW(MISPLACED, MISPLACED)   /* the last part of the file stands after too much or too little padding; optional */  \
    ROW(SWAPPED, SWAPPED)       /* the file is in the other byte order and is not read; optional */                    \
    ROW(TURNED, SWAPPED)        /* as SWAPPED, for sections: {0} the first size */                                     \
    ROW(VARIANT, VARIANT)       /* {0} the variant that was read, {1} another that fits as well */                     \
    ROW(OTHER_VARIANT, VARIANT) /* {0} the variant asked for, {1} the only one that fits; not read */                  \
    ROW(EXCHANGED, EXCHANGED)   /* records stand in each other's place; optional; diagnosis */                         \
    ROW(UNPACKED, UNPACKED)     /* unpacked bytes are wrong in {0} places; diagnosis, optional */                      \
    ROW(UNUSED, UNUSED)         /* nothing refers to a text, {0}; raised by code of the format */                      \
    ROW(ALTERNATIVE, ALTERNATIVE) /* a field that agrees with others if it is {1}; on copies only, without weight */

typedef enum ll_read_kind {
#define LL_READ_NUMBER(kind, base) LL_READ_##kind,
    LL_READ_KIND_ROWS(LL_READ_NUMBER)
#undef LL_READ_NUMBER
        LL_READ_KINDS
} ll_read_kind;

/* LL_READ, LL_READ_FIELD and LL_READ_HINT of a <format>_faults.def: the fault for a kind of finding of the reader. The
 * first row that matches the place, and the kind or its wider kind, applies. */
typedef struct ll_read_row {
    uint16_t layout; /* LL_ANY_LAYOUT: any layout */
    uint16_t field;  /* LL_NO_FIELD: any field */
    uint8_t kind;    /* ll_read_kind */
    uint16_t fault;  /* the fault's code */
    uint16_t hint;   /* 1 + number of the format's hint; 0: none */
} ll_read_row;

/* LL_TEXTS of a <format>_layout.def: a table of texts. All other LL_ROLE_HASH fields of the same width hold hashes of
 * its texts, made by ll_format.text_hash. */
typedef struct ll_text_table {
    uint16_t layout, field; /* the entry, and its field with the hash; layout 0: no table */
    uint16_t text;          /* layout of the entry's text */
    uint16_t before;        /* layout of the record after the last entry */
    uint8_t bits;           /* bits of a hash; higher ones are 0 */
} ll_text_table;

enum { LL_LAYOUTS_MAX = 256 }; /* most layouts of a format; the compiler checks it */

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
/* A number that has no order, such as a hash: shown as 0x with all its digits. */
static inline bool ll_field_is_hex(const ll_field *field)
{
    return ll_type_is_integer(field->type) && (field->role == LL_ROLE_HASH || field->role == LL_ROLE_MAGIC);
}
/* Number of the field with that name, or LL_NO_FIELD. */
unsigned ll_layout_find(const ll_layout *layout, const char *name);

#endif
