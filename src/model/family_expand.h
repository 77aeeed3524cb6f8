/* Turns the .def files of a format family into code. A family's header includes it with
 *   LL_FAMILY                   the family's name, as a word
 *   LL_FAMILY_CAPS              the same in capitals
 *   LL_FAMILY_LAYOUTS, _FAULTS, _CHECKS, _HINTS, _FACTS, _SPACE    the .def files, as quoted names; the last four are
 *                               optional
 *   LL_FAMILY_NEEDS             optional: the function that builds what its checks look up (ll_check_def.needs)
 * The one file that owns the tables, <family>_format.c, defines LL_FAMILY_TABLES before it includes that header.
 *
 * Rows of layouts: layout_expand.h. Rows of the other files:
 *   LL_FAULT(enum, "slug", "arguments")
 *   LL_READ(enum, KIND, record | any), LL_READ_FIELD(enum, KIND, record, field), LL_READ_HINT(enum, KIND, record, HINT)
 *     the fault, and hint, for a finding of the reader (ll_read_row, layout.h)
 *   LL_HINT(enum, "key", "signature")
 *   LL_CHECK(name, whole file?, "arguments"), LL_JUDGE(name)   check.h
 *   LL_FACT(family, record, field, KIND), LL_FACT_TEXT(family, string, KIND), LL_FACT_BY(family, name)   fact.h
 * Rows of _SPACE; the columns are the members of ll_world and ll_shape (shape.h):
 *   LL_WORLD  (f, up, "unit", x, y, z scale, x, y, z start, size)
 *   LL_LOOK   (f, r, field | NONE, number, SHOWN | ASIDE, "layer", "glyph")   the rows of the look stand after it
 *   LL_SHAPE  (f, r, KIND, field, field | NONE, field | NONE, field | NONE)
 *   LL_REACH  (f, r, REACH | REACH_SQUARE, field, number, brightness, color, divisor)
 *   LL_CORNERS(f, r, field, target, field of the target)   a row of kind POLYGON
 * The rows make <CAPS>_FAULT_<enum>, <CAPS>_HINT_<enum> with <CAPS>_HINT_NONE, the prototypes of <family>_check_<name>,
 * <family>_judge_<name> and <family>_facts_<name>, and, with LL_FAMILY_TABLES, const tables and
 * LL_FORMAT_TABLES(family), which puts them into an ll_format. No include guard: each family includes this header for
 * itself. */
#define LL_LAYOUT_FILE LL_FAMILY_LAYOUTS
#define LL_LAYOUT_FAMILY LL_FAMILY
#ifdef LL_FAMILY_TABLES
#define LL_LAYOUT_TABLES
#endif
#include "model/layout_expand.h"

#define LL_READ(name, kind, record)
#define LL_READ_FIELD(name, kind, record, field)
#define LL_READ_HINT(name, kind, record, hint)
#define LL_FAULT(name, slug, meaning) LL_PASTE_(LL_FAMILY_CAPS, FAULT_##name),
enum {
    LL_PASTE_(LL_FAMILY_CAPS, FAULT_FIRST) = LL_CORE_FAULTS - 1,
#include LL_FAMILY_FAULTS
};
#undef LL_FAULT

#define LL_HINT(name, key, meaning) LL_PASTE_(LL_FAMILY_CAPS, HINT_##name),
enum {
    LL_PASTE_(LL_FAMILY_CAPS, HINT_NONE) = 0,
#ifdef LL_FAMILY_HINTS
#include LL_FAMILY_HINTS
#endif
};
#undef LL_HINT

#ifdef LL_FAMILY_NEEDS
const void *LL_FAMILY_NEEDS(ll_doc *doc);
#else
#define LL_FAMILY_NEEDS NULL
#endif
#define LL_CHECK(name, whole_file, meaning) void LL_PASTE_(LL_FAMILY, check_##name)(ll_check_run * run);
#define LL_JUDGE(name) void LL_PASTE_(LL_FAMILY, judge_##name)(ll_doc * doc);
#ifdef LL_FAMILY_CHECKS
#include LL_FAMILY_CHECKS
#endif
#undef LL_CHECK
#undef LL_JUDGE

#define LL_FACT(f, r, field, kind)
#define LL_FACT_TEXT(f, r, kind)
#define LL_FACT_BY(f, name) bool f##_facts_##name(const ll_doc *doc, ll_fact_fn visit, void *ctx);
#ifdef LL_FAMILY_FACTS
#include LL_FAMILY_FACTS
#endif
#undef LL_FACT
#undef LL_FACT_TEXT
#undef LL_FACT_BY

/* Each table ends with an empty row, as a family may have no other. */
#ifdef LL_FAMILY_TABLES
#define LL_FAULT(name, slug, meaning) {slug, meaning},
static const ll_named LL_PASTE_(LL_FAMILY, faults)[] = {
#include LL_FAMILY_FAULTS
    {0}};
#undef LL_FAULT
#undef LL_READ
#undef LL_READ_FIELD
#undef LL_READ_HINT
#define LL_FAULT(name, slug, meaning)
#define LL_READ(name, kind, record)                                                                                    \
    {LL_PASTE_(LL_FAMILY, record##_LAYOUT), LL_NO_FIELD, LL_READ_##kind, LL_PASTE_(LL_FAMILY_CAPS, FAULT_##name), 0},
#define LL_READ_HINT(name, kind, record, hint)                                                                         \
    {LL_PASTE_(LL_FAMILY, record##_LAYOUT), LL_NO_FIELD, LL_READ_##kind, LL_PASTE_(LL_FAMILY_CAPS, FAULT_##name),      \
     LL_PASTE_(LL_FAMILY_CAPS, HINT_##hint)},
#define LL_READ_FIELD(name, kind, record, field)                                                                       \
    {LL_PASTE_(LL_FAMILY, record##_LAYOUT), LL_PASTE_(LL_FAMILY, record##_##field), LL_READ_##kind,                    \
     LL_PASTE_(LL_FAMILY_CAPS, FAULT_##name), 0},
static const ll_read_row LL_PASTE_(LL_FAMILY, reads)[] = {
#include LL_FAMILY_FAULTS
    {0}};
#undef LL_FAULT

#define LL_HINT(name, key, meaning) {key, meaning},
static const ll_named LL_PASTE_(LL_FAMILY, hints)[] = {
#ifdef LL_FAMILY_HINTS
#include LL_FAMILY_HINTS
#endif
    {0}};
#undef LL_HINT

#define LL_JUDGE(name)
#define LL_CHECK(name, whole_file, meaning)                                                                            \
    {#name, whole_file, LL_PASTE_(LL_FAMILY, check_##name), meaning, LL_FAMILY_NEEDS},
static const ll_check_def LL_PASTE_(LL_FAMILY, checks)[] = {
#ifdef LL_FAMILY_CHECKS
#include LL_FAMILY_CHECKS
#endif
    {0}};
#undef LL_CHECK
#undef LL_JUDGE

#define LL_CHECK(name, whole_file, meaning)
#define LL_JUDGE(name) LL_PASTE_(LL_FAMILY, judge_##name),
static const ll_judge_fn LL_PASTE_(LL_FAMILY, judges)[] = {
#ifdef LL_FAMILY_CHECKS
#include LL_FAMILY_CHECKS
#endif
    NULL};
#undef LL_CHECK
#undef LL_JUDGE

#define LL_FACT(f, r, field, kind) {f##_##r##_LAYOUT, f##_##r##_##field, LL_FACT_##kind, NULL},
#define LL_FACT_TEXT(f, r, kind) {f##_##r##_LAYOUT, LL_STRING_TEXT, LL_FACT_##kind, NULL},
#define LL_FACT_BY(f, name) {LL_WITHIN_FILE, LL_NO_FIELD, LL_FACT_KIND_COUNT, f##_facts_##name},
static const ll_fact_row LL_PASTE_(LL_FAMILY, facts)[] = {
#ifdef LL_FAMILY_FACTS
#include LL_FAMILY_FACTS
#endif
    {0}};
#undef LL_FACT
#undef LL_FACT_TEXT
#undef LL_FACT_BY

#define LL_WORLD(f, up, unit, x, y, z, x0, y0, z0, size) {up, unit, {x, y, z}, {x0, y0, z0}, size},
#define LL_LOOK(f, r, field, number, aside, layer, glyph)
#define LL_SHAPE(f, r, kind, a, b, c, d)
#define LL_REACH(f, r, kind, field, number, brightness, color, divisor)
#define LL_CORNERS(f, r, field, target, corner)
static const ll_world LL_PASTE_(LL_FAMILY, worlds)[] = {
#ifdef LL_FAMILY_SPACE
#include LL_FAMILY_SPACE
#endif
    {0}};
#undef LL_WORLD
#undef LL_LOOK
#undef LL_SHAPE
#undef LL_REACH
#undef LL_CORNERS

#define LL_WORLD(f, up, unit, x, y, z, x0, y0, z0, size)
#define LL_LOOK(f, r, field, number, aside, layer, glyph)                                                              \
    {f##_##r##_LAYOUT, LL_SHAPE_LOOK, LL_LOOK_##aside, {f##_##r##_##field, number}, layer, glyph, 0},
#define LL_SHAPE(f, r, kind_, a, b, c, d)                                                                              \
    {.layout = f##_##r##_LAYOUT,                                                                                       \
     .kind = LL_SHAPE_##kind_,                                                                                         \
     .field = {f##_##r##_##a, f##_##r##_##b, f##_##r##_##c, f##_##r##_##d}},
#define LL_REACH(f, r, kind_, field_, number, brightness, color, divisor_)                                             \
    {.layout = f##_##r##_LAYOUT,                                                                                       \
     .kind = LL_SHAPE_##kind_,                                                                                         \
     .field = {f##_##r##_##field_, number, f##_##r##_##brightness, f##_##r##_##color},                                 \
     .divisor = (divisor_)},
#define LL_CORNERS(f, r, field_, target, corner)                                                                       \
    {.layout = f##_##r##_LAYOUT, .kind = LL_SHAPE_POLYGON, .field = {f##_##r##_##field_, f##_##target##_##corner}},
static const ll_shape LL_PASTE_(LL_FAMILY, shapes)[] = {
#ifdef LL_FAMILY_SPACE
#include LL_FAMILY_SPACE
#endif
    {0}};
#undef LL_WORLD
#undef LL_LOOK
#undef LL_SHAPE
#undef LL_REACH
#undef LL_CORNERS

#define LL_FORMAT_TABLES(f)                                                                                            \
    .family = #f, .layouts = f##_layouts, .layout_count = sizeof f##_layouts / sizeof f##_layouts[0],                  \
    .references = f##_references, .reference_count = sizeof f##_references / sizeof f##_references[0] - 1,             \
    .alignments = f##_alignments, .alignment_count = sizeof f##_alignments / sizeof f##_alignments[0] - 1,             \
    .identities = f##_identities, .identity_count = sizeof f##_identities / sizeof f##_identities[0] - 1,              \
    .derivations = f##_derivations, .derivation_count = sizeof f##_derivations / sizeof f##_derivations[0] - 1,        \
    .texts = f##_texts, .shares = f##_shares, .share_count = sizeof f##_shares / sizeof f##_shares[0] - 1,             \
    .parts = f##_parts, .part_count = sizeof f##_parts / sizeof f##_parts[0] - 1, .choices = f##_choices,              \
    .count_rows = f##_counts, .count_row_count = sizeof f##_counts / sizeof f##_counts[0] - 1,                         \
    .editions = f##_editions, .edition_count = sizeof f##_editions / sizeof f##_editions[0] - 1, .kinds = f##_kinds,   \
    .kind_count = sizeof f##_kinds / sizeof f##_kinds[0] - 1, .kinds_by = f##_kinds_by,                                \
    .kind_by_count = sizeof f##_kinds_by / sizeof f##_kinds_by[0] - 1,                                                 \
    .choice_count = sizeof f##_choices / sizeof f##_choices[0] - 1, .faults = f##_faults,                              \
    .fault_count = sizeof f##_faults / sizeof f##_faults[0] - 1, .hints = f##_hints, .reads = f##_reads,               \
    .read_count = sizeof f##_reads / sizeof f##_reads[0] - 1,                                                          \
    .hint_count = sizeof f##_hints / sizeof f##_hints[0] - 1, .checks = f##_checks,                                    \
    .check_count = sizeof f##_checks / sizeof f##_checks[0] - 1, .judges = f##_judges,                                 \
    .judge_count = sizeof f##_judges / sizeof f##_judges[0] - 1, .fact_rows = f##_facts,                               \
    .fact_row_count = sizeof f##_facts / sizeof f##_facts[0] - 1, .world = f##_worlds, .shapes = f##_shapes,           \
    .shape_count = sizeof f##_shapes / sizeof f##_shapes[0] - 1
#endif

#undef LL_READ
#undef LL_READ_FIELD
#undef LL_READ_HINT
#undef LL_FAMILY
#undef LL_FAMILY_CAPS
#undef LL_FAMILY_LAYOUTS
#undef LL_FAMILY_FAULTS
#undef LL_FAMILY_CHECKS
#undef LL_FAMILY_NEEDS
#undef LL_FAMILY_HINTS
#undef LL_FAMILY_FACTS
#undef LL_FAMILY_SPACE
