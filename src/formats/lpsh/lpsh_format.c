/* Tables of the lpsh family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/lpsh/lpsh.h"

const ll_format lpsh_format = {
    LL_FORMAT_TABLES(lpsh),
    .probe = lpsh_probe,
    .parse = lpsh_parse,
};
