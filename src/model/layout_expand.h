/* Turns a <format>_layout.def into code. Include it with
 *   LL_LAYOUT_FILE     the .def, as a quoted name
 *   LL_LAYOUT_FAMILY   the format's name, as a word
 * and, in the one file that owns the tables, LL_LAYOUT_TABLES.
 *
 * Rows of a .def (f is the name of the format, r that of the record). The structure in brackets, in layout.h, explains
 * the columns of its row.
 *   LL_RECORD(f, r, "label", size, LITTLE | BIG, "meaning")
 *   LL_FIELD (f, r, offset, name, TYPE, bytes, ROLE, SURE, "source", "meaning")
 *   LL_END   (f, r, key_field | NONE)
 *   LL_STRING(f, r, "label", "meaning")       text, NUL, zero padding
 *   LL_BYTES (f, r, "label", ROLE, "meaning") bytes without fields
 *   LL_GROUP (f, r, "label", "meaning")       children only
 *   LL_REFERENCE(f, r, field, HOW, target, within | file, extent_field | NONE, UNIT, NULL_VALUES)   what a field points
 *     to (ll_reference)
 *   LL_ALIGN(f, r | file, WHERE, unit, padding | itself)   where zeros are padding (ll_alignment)
 *   LL_FILL(f, r | file, WHERE, unit, padding, fill)   where the byte `fill` is padding (ll_alignment)
 *   LL_NAME  (f, r, field)   a field that identifies the record when files are compared; several rows identify it
 *     together. Without a row, its key field or its text does
 *   LL_OWNER (f, r, owner)   a span or element of r belongs to the record of `owner` with the same number; for layouts
 *     to which no LL_DERIVE with SAME_NUMBER leads
 *   LL_DERIVE(f, r, field, HOW, WHICH, target | any, within | file, plus)   what the field's value follows from
 *     (ll_derivation)
 *   LL_SHARE (f, r, field, times | NONE, bytes | NONE, again | NONE)   the target of the field's LL_REFERENCE belongs
 *     to this record alone (ll_share)
 *   LL_PART  (f, r | file, HOW, part)   a part after the fields of r, or of the file (ll_part_row)
 *   LL_PART_WHEN (f, r | file, HOW, part, record, field, bits, value)   a part that is there if these bits of the field
 *     equal `value`
 *   LL_PART_FOR (f, r | file, HOW, part, variants)   a part that only these variants have: a bit for each
 *   LL_PART_TIMES (f, r | file, times, part, variants)   a part of these variants, `times` times
 *   LL_PART_SHARED (f, r | file, part, first)   parts that belong to one record each, after `first` other elements
 *   LL_PART_USUAL (f, r | file, part, usual, other)   an array up to the end of its owner, usually of `usual` or,
 *     if not 0, `other` elements or bytes
 *   LL_PART_OF_EACH (f, r | file, part, record)   a part for each such record
 *   LL_PART_TAG (f, r | file, ANY | FIRST | LAST, "four letters" | NULL, part)   a kind of part of a list; for sections
 *     also ONCE | FREE | AGAIN
 *   LL_PART_LIKE (f, r | file, HOW, "tag", part)   a part whose LL_ROLE_MAGIC field always holds the tag
 *   LL_PART_COUNT (f, part, r, field, bits, value, number, by | NONE, times | any)   how often a COUNTED part occurs
 *     (ll_count_row, format.h)
 *   LL_CHOICE(f, r, field, bits, value, HOW, part)   the layout that a number in the record selects (ll_choice)
 *   LL_EDITION(f, r, field, value, "game", variant, method)   a version of files with numbered sections (ll_edition)
 *   LL_SECTION(f, bytes, record | any, magic, tag)   what a numbered section may hold (ll_section_kind)
 *   LL_SECTION_BY(f, r, field, bytes)   the field has the number of the section that holds this (ll_section_by)
 *   LL_SECTION_RUN(f, r | any, field | NONE, bytes)   several sections in a row hold this (ll_section_by)
 *   LL_TEXTS (f, r, field, text, before, bits)   the table of texts whose hashes fields hold (ll_text_table); a format
 *     has at most one
 *
 * The rows make: a layout number <f>_<r>_LAYOUT, field numbers <f>_<r>_<field>, offsets <f>_<r>_at_<field>, the size
 * <f>_<r>_SIZE, the number <f>_<bytes>_KIND of a kind of section, and the const tables. They also make a shadow struct
 * of byte arrays. The compiler compares its offsets and size with the rows, so that no hole, overlap or wrong size can
 * be written. No include guard: each format includes this header for itself. */

#define LL_PASTE2_(a, b) a##_##b
#define LL_PASTE_(a, b) LL_PASTE2_(a, b)

/* 1: layout numbers */
#define LL_RECORD(f, r, label, size, endian, meaning) f##_##r##_LAYOUT,
#define LL_STRING(f, r, label, meaning) f##_##r##_LAYOUT,
#define LL_BYTES(f, r, label, role, meaning) f##_##r##_LAYOUT,
#define LL_GROUP(f, r, label, meaning) f##_##r##_LAYOUT,
enum {
    LL_PASTE_(LL_LAYOUT_FAMILY, first_layout) = LL_LAYOUT_BUILTINS - 1,
#include "model/layout_rows.h"
    LL_PASTE_(LL_LAYOUT_FAMILY, layout_end),
    LL_PASTE_(LL_LAYOUT_FAMILY, file_LAYOUT) = LL_WITHIN_FILE,
    LL_PASTE_(LL_LAYOUT_FAMILY, any_LAYOUT) = LL_ANY_LAYOUT,
    LL_PASTE_(LL_LAYOUT_FAMILY, itself_LAYOUT) = 0
};
_Static_assert((int)LL_PASTE_(LL_LAYOUT_FAMILY, layout_end) <= (int)LL_LAYOUTS_MAX, "a format has too many layouts");

/* 2: field numbers */
#define LL_RECORD(f, r, label, size, endian, meaning) enum { f##_##r##_FIRST = -1,
#define LL_FIELD(f, r, off, name, type, bytes, role, sure, source, meaning) f##_##r##_##name,
#define LL_END(f, r, key)                                                                                              \
    f##_##r##_FIELDS                                                                                                   \
    }                                                                                                                  \
    ;
#include "model/layout_rows.h"

/* 3: record sizes and field offsets as constants: <f>_<r>_SIZE, <f>_<r>_at_<field> */
#define LL_RECORD(f, r, label, size, endian, meaning) enum { f##_##r##_SIZE = (size),
#define LL_FIELD(f, r, off, name, type, bytes, role, sure, source, meaning) f##_##r##_at_##name = (off),
#define LL_END(f, r, key)                                                                                              \
    f##_##r##_AT_END = f##_##r##_SIZE                                                                                  \
    }                                                                                                                  \
    ;
#include "model/layout_rows.h"

/* contents of numbered sections */
#define LL_SECTION(f, part, record, magic, tag) f##_##part##_KIND,
enum {
#include "model/layout_rows.h"
    LL_PASTE_(LL_LAYOUT_FAMILY, KINDS)
};

#ifdef LL_LAYOUT_TABLES
/* 4: shadow structs */
#define LL_RECORD(f, r, label, size, endian, meaning) struct f##_##r##_shadow {
#define LL_FIELD(f, r, off, name, type, bytes, role, sure, source, meaning) unsigned char name[bytes];
#define LL_END(f, r, key)                                                                                              \
    }                                                                                                                  \
    ;
#include "model/layout_rows.h"

/* 5: compile-time checks */
#define LL_FIELD(f, r, off, name, type, bytes, role, sure, source, meaning)                                            \
    _Static_assert(offsetof(struct f##_##r##_shadow, name) == (off),                                                   \
                   #f "." #r "." #name ": offset does not follow its predecessor");                                    \
    _Static_assert((bytes) % LL_TYPE_BYTES_##type == 0, #f "." #r "." #name ": bytes are no multiple of the type");
#define LL_END(f, r, key)                                                                                              \
    _Static_assert(sizeof(struct f##_##r##_shadow) == f##_##r##_SIZE,                                                  \
                   #f "." #r ": fields do not sum to the stated size");
#include "model/layout_rows.h"

/* 6: field tables */
#define LL_RECORD(f, r, label, size, endian, meaning) static const ll_field f##_##r##_table[] = {
#define LL_FIELD(f, r, off, name, type, bytes, role, sure, source, meaning)                                            \
    {#name, (off), (bytes), LL_TYPE_##type, LL_ROLE_##role, LL_SURE_##sure, source, meaning},
#define LL_END(f, r, key)                                                                                              \
    }                                                                                                                  \
    ;
#include "model/layout_rows.h"

/* 7: the key field of each record, then the layouts, the references and the other tables */
#define LL_RECORD(f, r, label, size, endian, meaning) enum { f##_##r##_NONE = LL_NO_FIELD,
#define LL_END(f, r, key)                                                                                              \
    f##_##r##_KEY = f##_##r##_##key                                                                                    \
    }                                                                                                                  \
    ;
#include "model/layout_rows.h"

static const ll_layout LL_PASTE_(LL_LAYOUT_FAMILY, layouts)[] = {
    LL_LAYOUT_BUILTIN_ROWS,
#define LL_RECORD(f, r, label, size_, endian_, meaning)                                                                \
    {#f "." #r,        label,         LL_KIND_RECORD,  LL_##endian_, LL_ROLE_DATA, f##_##r##_SIZE,                     \
     f##_##r##_FIELDS, f##_##r##_KEY, f##_##r##_table, meaning},
#define LL_STRING(f, r, label, meaning)                                                                                \
    {#f "." #r, label,           LL_KIND_STRING, LL_LITTLE,        LL_ROLE_STRING,                                     \
     0,         LL_STRING_PARTS, LL_NO_FIELD,    ll_string_fields, meaning},
#define LL_BYTES(f, r, label, role_, meaning)                                                                          \
    {#f "." #r, label, LL_KIND_BYTES, LL_LITTLE, LL_ROLE_##role_, 0, 0, LL_NO_FIELD, NULL, meaning},
#define LL_GROUP(f, r, label, meaning)                                                                                 \
    {#f "." #r, label, LL_KIND_GROUP, LL_LITTLE, LL_ROLE_DATA, 0, 0, LL_NO_FIELD, NULL, meaning},
#include "model/layout_rows.h"
};

static const ll_reference LL_PASTE_(LL_LAYOUT_FAMILY, references)[] = {
#define LL_REFERENCE(f, r, field, how, target, within, extent, unit, null)                                             \
    {f##_##r##_LAYOUT,   f##_##r##_##field, f##_##target##_LAYOUT, f##_##within##_LAYOUT,                              \
     f##_##r##_##extent, LL_BY_##how,       LL_COUNTS_##unit,      null},
#include "model/layout_rows.h"
    {0} /* a format may have no rows: the table is not empty */
};

static const ll_alignment LL_PASTE_(LL_LAYOUT_FAMILY, alignments)[] = {
#define LL_FILL(f, r, where, unit, padding, fill)                                                                      \
    {f##_##r##_LAYOUT, f##_##padding##_LAYOUT, LL_ALIGN_##where, unit, fill},
#define LL_ALIGN(f, r, where, unit, padding) LL_FILL(f, r, where, unit, padding, 0)
#include "model/layout_rows.h"
    {0}};

static const ll_identity LL_PASTE_(LL_LAYOUT_FAMILY, identities)[] = {
#define LL_NAME(f, r, field) {f##_##r##_LAYOUT, f##_##r##_##field, 0},
#define LL_OWNER(f, r, owner) {f##_##r##_LAYOUT, LL_NO_FIELD, f##_##owner##_LAYOUT},
#include "model/layout_rows.h"
    {0}};

static const ll_derivation LL_PASTE_(LL_LAYOUT_FAMILY, derivations)[] = {
#define LL_DERIVE(f, r, field, how, which, target, within, plus)                                                       \
    {f##_##r##_LAYOUT,                                                                                                 \
     f##_##r##_##field,                                                                                                \
     f##_##target##_LAYOUT,                                                                                            \
     f##_##within##_LAYOUT,                                                                                            \
     LL_DERIVE_##how,                                                                                                  \
     LL_WHICH_##which,                                                                                                 \
     plus},
#include "model/layout_rows.h"
    {0}};

static const ll_share LL_PASTE_(LL_LAYOUT_FAMILY, shares)[] = {
#define LL_SHARE(f, r, field, times, bytes, again)                                                                     \
    {f##_##r##_LAYOUT, f##_##r##_##field, f##_##r##_##times, f##_##r##_##bytes, f##_##r##_##again},
#include "model/layout_rows.h"
    {0}};

_Static_assert(sizeof LL_PASTE_(LL_LAYOUT_FAMILY, shares) / sizeof(ll_share) - 1 <= (size_t)LL_SHARES_MAX,
               "a format has too many shares");

static const ll_part_row LL_PASTE_(LL_LAYOUT_FAMILY, parts)[] = {
#define LL_PART(f, owner, how, part)                                                                                   \
    {f##_##owner##_LAYOUT, f##_##part##_LAYOUT, LL_PART_##how, 0, 0, LL_NO_FIELD, 0, 0, NULL, 0, 0},
#define LL_PART_FOR(f, owner, how, part, variants)                                                                     \
    {f##_##owner##_LAYOUT, f##_##part##_LAYOUT, LL_PART_##how, 0, 0, LL_NO_FIELD, 0, 0, NULL, variants, 0},
#define LL_PART_TIMES(f, owner, times, part, variants)                                                                 \
    {f##_##owner##_LAYOUT, f##_##part##_LAYOUT, LL_PART_TIMES, 0, 0, LL_NO_FIELD, 0, 0, NULL, variants, times},
#define LL_PART_SHARED(f, owner, part, first)                                                                          \
    {f##_##owner##_LAYOUT, f##_##part##_LAYOUT, LL_PART_SHARED, 0, 0, LL_NO_FIELD, 0, 0, NULL, 0, first},
#define LL_PART_WHEN(f, owner, how, part, record, field, bits, value)                                                  \
    {f##_##owner##_LAYOUT,                                                                                             \
     f##_##part##_LAYOUT,                                                                                              \
     LL_PART_##how,                                                                                                    \
     0,                                                                                                                \
     f##_##record##_LAYOUT,                                                                                            \
     f##_##record##_##field,                                                                                           \
     bits,                                                                                                             \
     value,                                                                                                            \
     NULL,                                                                                                             \
     0,                                                                                                                \
     0},
#define LL_PART_USUAL(f, owner, part, usual, other)                                                                    \
    {f##_##owner##_LAYOUT, f##_##part##_LAYOUT, LL_PART_ARRAY, 0, 0, LL_NO_FIELD, usual, other, NULL, 0, 0},
#define LL_PART_OF_EACH(f, owner, part, record)                                                                        \
    {f##_##owner##_LAYOUT, f##_##part##_LAYOUT, LL_PART_EACH, 0, f##_##record##_LAYOUT, LL_NO_FIELD, 0, 0, NULL, 0, 0},
#define LL_PART_TAG(f, owner, place, tag, part)                                                                        \
    {f##_##owner##_LAYOUT, f##_##part##_LAYOUT, LL_PART_TAGGED, LL_PLACE_##place, 0, LL_NO_FIELD, 0, 0, tag, 0, 0},
#define LL_PART_LIKE(f, owner, how, tag, part)                                                                         \
    {f##_##owner##_LAYOUT, f##_##part##_LAYOUT, LL_PART_##how, 0, 0, LL_NO_FIELD, 0, 0, tag, 0, 0},
#include "model/layout_rows.h"
    {0}};

static const ll_count_row LL_PASTE_(LL_LAYOUT_FAMILY, counts)[] = {
#define LL_PART_COUNT(f, part, r, field, bits, value, number, by, times)                                               \
    {f##_##part##_LAYOUT, f##_##r##_LAYOUT,    f##_##r##_##field, bits, value, number,                                 \
     f##_##r##_##by,      f##_##times##_LAYOUT},
#include "model/layout_rows.h"
    {0}};

static const ll_choice LL_PASTE_(LL_LAYOUT_FAMILY, choices)[] = {
#define LL_CHOICE(f, r, field, bits, value, how, part)                                                                 \
    {f##_##r##_LAYOUT, f##_##r##_##field, f##_##part##_LAYOUT, LL_CHOICE_##how, bits, value},
#include "model/layout_rows.h"
    {0}};

static const ll_edition LL_PASTE_(LL_LAYOUT_FAMILY, editions)[] = {
#define LL_EDITION(f, r, field, value, game, variant, method)                                                          \
    {f##_##r##_LAYOUT, f##_##r##_##field, value, game, variant, method},
#include "model/layout_rows.h"
    {0}};

static const ll_section_kind LL_PASTE_(LL_LAYOUT_FAMILY, kinds)[] = {
#define LL_SECTION(f, part, record, magic, tag) {f##_##part##_LAYOUT, f##_##record##_LAYOUT, magic, tag},
#include "model/layout_rows.h"
    {0}};

static const ll_section_by LL_PASTE_(LL_LAYOUT_FAMILY, kinds_by)[] = {
#define LL_SECTION_BY(f, r, field, part) {f##_##r##_LAYOUT, f##_##r##_##field, f##_##part##_KIND, false},
#define LL_SECTION_RUN(f, r, field, part) {f##_##r##_LAYOUT, f##_##r##_##field, f##_##part##_KIND, true},
#include "model/layout_rows.h"
    {0}};

_Static_assert(sizeof LL_PASTE_(LL_LAYOUT_FAMILY, parts) / sizeof(ll_part_row) - 1 <= (size_t)LL_PARTS_MAX,
               "a format has too many parts");

static const ll_text_table LL_PASTE_(LL_LAYOUT_FAMILY, texts)[] = {
#define LL_TEXTS(f, r, field, text, before, bits)                                                                      \
    {f##_##r##_LAYOUT, f##_##r##_##field, f##_##text##_LAYOUT, f##_##before##_LAYOUT, bits},
#include "model/layout_rows.h"
    {0}};
#endif

#undef LL_LAYOUT_FILE
#undef LL_LAYOUT_FAMILY
