/* Tables of the rgm family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/rgm/soup.h"

const ll_format rgm_format = {
    LL_FORMAT_TABLES(rgm),       .zeros_at_end = 1400, /* FLAT is nothing else */
    .probe = rgm_probe,          .parse = rgm_parse,   .split = soup_split,
    .part_name = soup_part_name, .list = soup_list,    .list_name = soup_list_name,
};
