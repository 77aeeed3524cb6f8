/* Tables of the lba family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/lba/lba.h"

/* No probe: the file has no magic. Whether it holds locators shows in their rotations (ll_is_content_confirmed()). */
const ll_format lba_format = {LL_FORMAT_TABLES(lba), .file_parts = 1U << LL_MAIN};
