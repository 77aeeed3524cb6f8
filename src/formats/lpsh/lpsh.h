/* Light-probe harmonics (.lpsh): constants for records, fields and faults, and the parameters that the format knows.
 * Byte layouts and evidence: docs/formats/lpsh.md. */
#ifndef LL_FORMATS_LPSH_H
#define LL_FORMATS_LPSH_H

#include "model/format.h"

/* StrCode32 of the names of the known parameters. */
#define LPSH_PROBES_HASH UINT32_C(0xCEA22E52)
#define LPSH_TIMES_HASH UINT32_C(0xDA990A4A)
#define LPSH_FORMAT_HASH UINT32_C(0xCE0E17C5)

#define LL_FAMILY lpsh
#define LL_FAMILY_CAPS LPSH
#define LL_FAMILY_LAYOUTS "formats/lpsh/lpsh_layout.def"
#define LL_FAMILY_FAULTS "formats/lpsh/lpsh_faults.def"
#define LL_FAMILY_CHECKS "formats/lpsh/lpsh_checks.def"
#define LL_FAMILY_FACTS "formats/lpsh/lpsh_facts.def"
#include "model/family_expand.h"

extern const ll_format lpsh_format;

enum { LPSH_DAY = 86400 /* seconds */, LPSH_PARAMETERS_MAX = 16 /* checked in a file; real files have at most 3 */ };

#define LPSH_NAME "LightProbeSHCoefficients" /* name stored in every file */
#define LPSH_NAME_HASH UINT32_C(0x3A855820)  /* its StrCode32 */

/* The known parameters in the order in which files store them. Version 3 lacks the last one. */
enum { LPSH_PROBES, LPSH_TIMES, LPSH_FORMAT, LPSH_PARAMETERS, LPSH_UNKNOWN = LPSH_PARAMETERS };
typedef struct lpsh_known_parameter {
    uint32_t hash; /* StrCode32 of the name */
    const char *name;
} lpsh_known_parameter;
extern const lpsh_known_parameter lpsh_parameters[LPSH_PARAMETERS];

/* A parameter of a file, and the known parameter that its hash and that its text identify. */
typedef struct lpsh_parameter {
    ll_element record;
    uint32_t text;             /* span of its name; LL_NO_SPAN: it has none */
    unsigned by_hash, by_text; /* LPSH_PROBES and so on; LPSH_UNKNOWN: no known parameter */
} lpsh_parameter;

/* Reads parameter `number`, from 0, of a span of parameters. False: there is none, or the number is
 * LPSH_PARAMETERS_MAX. */
bool lpsh_read_parameter(const ll_doc *doc, uint32_t span, uint32_t number, lpsh_parameter *out);
/* Whether the text of a string span equals `text`. */
bool lpsh_is_text(const ll_doc *doc, uint32_t string, const char *text);
/* Number of the first record that is a known parameter (LPSH_PROBES and so on) by its hash or, if the hash is unknown,
 * by its text. LL_NO_INDEX: there is none. */
uint32_t lpsh_find_parameter(const ll_doc *doc, unsigned known);

#endif
