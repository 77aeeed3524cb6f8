/* The Fox Engine array family (.grxla, .grxoc): numbers of its records, fields, faults and hints, and StrCode64.
 * Byte layouts and evidence: docs/formats/grx.md. */
#ifndef LL_FORMATS_GRX_H
#define LL_FORMATS_GRX_H

#include "model/format.h"

#define LL_FAMILY grx
#define LL_FAMILY_CAPS GRX
#define LL_FAMILY_LAYOUTS "formats/grx/grx_layout.def"
#define LL_FAMILY_FAULTS "formats/grx/grx_faults.def"
#define LL_FAMILY_CHECKS "formats/grx/grx_checks.def"
#define LL_FAMILY_HINTS "formats/grx/grx_hints.def"
#define LL_FAMILY_FACTS "formats/grx/grx_facts.def"
#define LL_FAMILY_SPACE "formats/grx/grx_space.def"
#define LL_FAMILY_NEEDS grx_index
#include "model/family_expand.h"

/* Number of each kind of entries: GRX_CM00, GRX_PL01 and so on. */
typedef enum grx_kind_number {
#define LL_GRX_KIND(name, ...) GRX_##name,
#include "formats/grx/grx_kinds.def"
    GRX_KINDS
} grx_kind_number;

/* What the last component of a file's name says. */
typedef struct grx_file_name {
    const char *base; /* "" when it has none */
    unsigned parts;   /* of grx_name_part, a bit for each that it has */
} grx_file_name;

/* LL_GRX_PART(name, text, it ends the name): small letters and capitals are the same. */
typedef enum grx_name_part {
#define LL_GRX_PARTS                                                                                                   \
    LL_GRX_PART(LIGHTS, ".grxla", true)                                                                                \
    LL_GRX_PART(OCCLUDERS, ".grxoc", true)                                                                             \
    LL_GRX_PART(EXPORTED, "_fox2_", false)                                                                             \
    LL_GRX_PART(EXPORTED_GZ, ".fox2.", false)                                                                          \
    LL_GRX_PART(WIN, "_win.", false)                                                                                   \
    LL_GRX_PART(STEAM, ".steam", false)                                                                                \
    LL_GRX_PART(PROBES_WIN, "_tgrxla_win.grxla", false)                                                                \
    LL_GRX_PART(PROBES_STEAM, ".steam_tpp.grxla", false)                                                               \
    LL_GRX_PART(LIGHTS_WIN, "_grxla_win.grxla", false)                                                                 \
    LL_GRX_PART(LIGHTS_STEAM, ".steam.grxla", false)
#define LL_GRX_PART(name, ...) GRX_PART_##name,
    LL_GRX_PARTS
#undef LL_GRX_PART
} grx_name_part;

/* Entries of one kind or several, by their spans. */
typedef struct grx_tally {
    uint32_t count;
    uint32_t first, last; /* LL_NO_SPAN and 0 where there is none */
} grx_tally;

/* What grx_index() makes: which entries there are. Span numbers; LL_NO_SPAN: none. */
typedef struct grx_summary {
    uint32_t header; /* file header */
    uint32_t terminator;
    uint32_t unknown;   /* entries that could not be told or parsed */
    uint32_t misplaced; /* the first probe whose index is not its ordinal, LL_NO_SPAN: none */
    uint32_t misplaced_ordinal;
    grx_file_name name;
    grx_tally kinds[GRX_KINDS];
} grx_summary;

/* A tag's meaning. */
typedef struct grx_kind {
    uint16_t layout;
    uint8_t number; /* grx_kind_number */
} grx_kind;

/* The kind of a tag, NULL when it is not in the list (the null tag is not). */
const grx_kind *grx_kind_of(uint32_t tag);

extern const ll_format grx_format;

/* For checks. */
static inline const grx_summary *grx_summary_of(const ll_check_run *run)
{
    return run->memo;
}
/* The name of the file has one of these parts, of grx_name_part, a bit for each. */
static inline bool grx_has_part(const ll_check_run *run, unsigned parts)
{
    return (grx_summary_of(run)->name.parts & parts) != 0;
}
/* The first child of a span that has the layout, LL_NO_SPAN: none has. */
uint32_t grx_child_of(const ll_doc *doc, uint32_t span, uint16_t layout);

#endif
