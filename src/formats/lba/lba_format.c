/* Tables of the lba family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/lba/lba.h"

const ll_format lba_format = {
    LL_FORMAT_TABLES(lba),
    .is_one = lba_is_one,
    .parse = lba_parse,
};
