/* Tables of the grx family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/grx/grx.h"

#include "formats/strcode.h"

const ll_format grx_format = {
    LL_FORMAT_TABLES(grx),       .meant_layout = grx_meant_layout,
    .derive = ll_strcode_derive, .probe = grx_probe,
    .index = grx_index,          .parse = grx_parse,
};
