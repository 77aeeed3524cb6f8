/* Tables of the mrea family, expanded from the .def files, and its entry in the registry. */
#define LL_LAYOUT_TABLES
#include "formats/mrea/mrea.h"

static const ll_named faults[] = {
#define LL_FAULT(name, slug, meaning) {slug, meaning},
#include "formats/mrea/mrea_faults.def"
#undef LL_FAULT
};

static const ll_named hints[] = {
#define LL_HINT(name, key, meaning) {key, meaning},
#include "formats/mrea/mrea_hints.def"
#undef LL_HINT
};

static const ll_check_def checks[] = {
#define LL_CHECK(name, whole_file, meaning) {#name, whole_file, mrea_check_##name, meaning},
#include "formats/mrea/mrea_checks.def"
#undef LL_CHECK
};

/* In the order of mrea_game. */
static const ll_named variants[] = {
    [MREA_MP1] = {"mp1", "Metroid Prime"},
    [MREA_MP2] = {"mp2", "Metroid Prime 2: Echoes"},
    [MREA_MP3] = {"mp3", "Metroid Prime 3: Corruption"},
};

const ll_format mrea_format = {
    .family = "mrea",
    .title = "Metroid Prime areas and their lights sections",
    .layouts = mrea_layouts,
    .layout_count = sizeof mrea_layouts / sizeof mrea_layouts[0],
    .faults = faults,
    .fault_count = sizeof faults / sizeof faults[0],
    .checks = checks,
    .check_count = sizeof checks / sizeof checks[0],
    .hints = hints,
    .hint_count = sizeof hints / sizeof hints[0],
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .probe = mrea_probe,
    .parse = mrea_parse,
};
