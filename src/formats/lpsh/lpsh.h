/* Light-probe harmonics (.lpsh): numbers of records, fields and faults. Byte layouts and evidence:
 * docs/formats/lpsh.md. */
#ifndef LL_FORMATS_LPSH_H
#define LL_FORMATS_LPSH_H

#include "model/format.h"

/* StrCode32 of the parameters. */
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

enum { LPSH_DAY = 86400 /* seconds */, LPSH_PARAMETERS_MAX = 16 /* that are looked at; no file has more than 3 */ };

#define LPSH_NAME "LightProbeSHCoefficients" /* what every file is called */
#define LPSH_NAME_HASH UINT32_C(0x3A855820)  /* its StrCode32 */

/* The parameters that there are, by StrCode32 and name, in the order of files; version 3 has not the last. */
enum { LPSH_PROBES, LPSH_TIMES, LPSH_FORMAT, LPSH_PARAMETERS, LPSH_UNKNOWN = LPSH_PARAMETERS };
typedef struct lpsh_known_parameter {
    uint32_t hash;
    const char *name;
} lpsh_known_parameter;
extern const lpsh_known_parameter lpsh_parameters[LPSH_PARAMETERS];

/* A parameter, its text, and what each of its hash and its text say that it is. */
typedef struct lpsh_parameter {
    ll_element record;
    uint32_t text;             /* LL_NO_SPAN: there is none */
    unsigned by_hash, by_text; /* LPSH_UNKNOWN: nothing known */
} lpsh_parameter;

/* The parameter with a number in a span of parameters. False: there is none, or it is not looked at. */
bool lpsh_read_parameter(const ll_doc *doc, uint32_t span, uint32_t number, lpsh_parameter *out);
/* The text of a string is this one. */
bool lpsh_is_text(const ll_doc *doc, uint32_t string, const char *text);
/* Number of the first record of a known parameter, by its hash or, where that is unknown, its text; LL_NO_INDEX. */
uint32_t lpsh_find_parameter(const ll_doc *doc, unsigned known);

#endif
