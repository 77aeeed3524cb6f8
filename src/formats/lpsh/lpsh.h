/* Light-probe harmonics (.lpsh): numbers of records, fields and faults. Byte layouts and evidence:
 * docs/formats/lpsh.md. */
#ifndef LL_FORMATS_LPSH_H
#define LL_FORMATS_LPSH_H

#include "formats/shift.h"
#include "model/format.h"

#define LL_FAMILY lpsh
#define LL_FAMILY_CAPS LPSH
#define LL_FAMILY_LAYOUTS "formats/lpsh/lpsh_layout.def"
#define LL_FAMILY_FAULTS "formats/lpsh/lpsh_faults.def"
#define LL_FAMILY_CHECKS "formats/lpsh/lpsh_checks.def"
#define LL_FAMILY_FACTS "formats/lpsh/lpsh_facts.def"
#include "model/family_expand.h"

extern const ll_format lpsh_format;

enum {
    LPSH_NODE_AT = 0x20,
    LPSH_NAME_AT = 0x50,
    LPSH_PARAMETERS_AT = 0x70,
    LPSH_UNIT = 16,  /* what every part is padded to */
    LPSH_DAY = 86400 /* seconds */
};

#define LPSH_NAME_HASH UINT32_C(0x3A855820) /* StrCode32 of the name of the file */
extern const char lpsh_file_name[];

/* The parameters that there are, by StrCode32 and name, in the order of files; version 3 has not the last. */
enum { LPSH_PROBES, LPSH_TIMES, LPSH_FORMAT, LPSH_PARAMETERS, LPSH_UNKNOWN = LPSH_PARAMETERS };
typedef struct lpsh_known_parameter {
    uint32_t hash;
    const char *name;
} lpsh_known_parameter;
extern const lpsh_known_parameter lpsh_parameters[LPSH_PARAMETERS];

/* Sets that the flags of a probe ask for. */
static inline uint64_t lpsh_set_count(uint32_t flags, uint32_t times)
{
    uint64_t by_time = flags & 1 ? times : 1;
    return by_time * (flags & 2 ? 2 : 1) + (flags & 4 ? 2 : 0) + (flags & 8 ? 1 : 0);
}

/* Light of all colours in band 0, and no coefficient of theirs that is much more: so it is with light from anywhere. */
bool lpsh_is_set(const uint8_t *bytes, bool big_endian);

/* Bytes were put into the file, or taken out of it, in one place. */
bool lpsh_find_shift(const ll_doc *doc, ll_shift *out);

void lpsh_parse(ll_doc *doc);
ll_probe_result lpsh_probe(const uint8_t *bytes, size_t size);

#endif
