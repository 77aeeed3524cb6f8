/* Tables of the lba family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/lba/lba.h"

/* No magic tells a file of locators: their rotations do. */
const ll_format lba_format = {LL_FORMAT_TABLES(lba)};
