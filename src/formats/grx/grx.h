/* Light and occluder arrays of the Fox Engine (.grxla, .grxoc): constants for records, fields, faults and hints, and
 * the summary of a file that checks share. Byte layouts and evidence: docs/formats/grx.md. */
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

/* The kinds of entries, one for each tag: GRX_CM00, GRX_PL01 and so on. */
typedef enum grx_kind_number {
#define LL_GRX_KIND(name, ...) GRX_##name,
#include "formats/grx/grx_kinds.def"
    GRX_KINDS
} grx_kind_number;

/* The last component of the file's path, and the known parts that it contains. */
typedef struct grx_file_name {
    const char *base; /* points into the path; "" if there is none */
    unsigned parts;   /* bit 1 << GRX_PART_...: the name contains this part */
} grx_file_name;

/* Parts of file names, in any case: LL_GRX_PART(name, text, whether it must end the name). */
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

/* How many entries of one or more kinds there are. */
typedef struct grx_tally {
    uint32_t count;
    uint32_t first, last; /* spans; LL_NO_SPAN and 0 if count is 0 */
} grx_tally;

/* The summary of a file, made by grx_index(): which entries it has. Memory of the document. Spans are LL_NO_SPAN if
 * there is none. */
typedef struct grx_summary {
    uint32_t header;            /* span */
    uint32_t terminator;        /* span */
    uint32_t unknown;           /* number of entries of an unknown kind, or not parsed */
    uint32_t misplaced;         /* span of the first probe whose sh_data_index is not its ordinal */
    uint32_t misplaced_ordinal; /* the ordinal of that probe, from 0 */
    grx_file_name name;
    grx_tally kinds[GRX_KINDS];
} grx_summary;

/* Kind and layout of the entries with a tag. */
typedef struct grx_kind {
    uint16_t layout;
    uint8_t number; /* grx_kind_number */
} grx_kind;

/* The kind of a tag. NULL: grx_kinds.def does not list the tag, which includes the zero tag of the terminator. */
const grx_kind *grx_kind_of(uint32_t tag);

extern const ll_format grx_format;

/* The summary of the file that a check looks at. */
static inline const grx_summary *grx_summary_of(const ll_check_run *run)
{
    return run->memo;
}
/* Whether the file name contains one of these parts. parts: bits 1 << GRX_PART_... */
static inline bool grx_has_part(const ll_check_run *run, unsigned parts)
{
    return (grx_summary_of(run)->name.parts & parts) != 0;
}
/* The first child of a span with a layout. LL_NO_SPAN: there is none. */
uint32_t grx_child_of(const ll_doc *doc, uint32_t span, uint16_t layout);

#endif
