/* Tables of the fpk family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/fpk/fpk.h"

const ll_format fpk_format = {
    LL_FORMAT_TABLES(fpk),
    .member = fpk_member,
    .probe = fpk_probe,
    .parse = fpk_parse,
};
