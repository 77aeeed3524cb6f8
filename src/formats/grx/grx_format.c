/* Tables of the grx family, expanded from the .def files, and its entry in the registry. */
#define LL_LAYOUT_TABLES
#include "formats/grx/grx.h"

static const ll_named faults[] = {
#define LL_FAULT(name, slug, meaning) {slug, meaning},
#include "formats/grx/grx_faults.def"
#undef LL_FAULT
};

static const ll_named hints[] = {
#define LL_HINT(name, key, meaning) {key, meaning},
#include "formats/grx/grx_hints.def"
#undef LL_HINT
};

static const ll_check_def checks[] = {
#define LL_CHECK(name, whole_file, meaning) {#name, whole_file, grx_check_##name, meaning},
#include "formats/grx/grx_checks.def"
#undef LL_CHECK
};

const ll_format grx_format = {
    .family = "grx",
    .title = "Fox Engine light, probe and occluder arrays",
    .layouts = grx_layouts,
    .layout_count = sizeof grx_layouts / sizeof grx_layouts[0],
    .faults = faults,
    .fault_count = sizeof faults / sizeof faults[0],
    .checks = checks,
    .check_count = sizeof checks / sizeof checks[0],
    .hints = hints,
    .hint_count = sizeof hints / sizeof hints[0],
    .probe = grx_probe,
    .parse = grx_parse,
};
