/* Tables of the fox family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/fox/fox.h"

#include "formats/strcode.h"

#include <string.h>

#define FOX_TYPE(name, number, kind)                                                                                   \
    [FOX_##name] = {fox_single_##kind##_LAYOUT, fox_value_##kind##_LAYOUT, fox_item_##kind##_LAYOUT,                   \
                    fox_value_##kind##_SIZE},
const fox_type fox_types[FOX_TYPES] = {
#include "formats/fox/fox_types.def"
};
#undef FOX_TYPE

#define FOX_WORD(name, hash) UINT64_C(hash),
const uint64_t fox_words[FOX_WORDS] = {
#include "formats/fox/fox_words.def"
};
#undef FOX_WORD

enum { VERSION = 0x35 };

static ll_probe_result probe(const uint8_t *bytes, size_t size)
{
    static const char magic[] = "\xf2"
                                "box";
    if (size >= sizeof magic - 1 && memcmp(bytes, magic, sizeof magic - 1) == 0) {
        return LL_PROBE_SURE;
    }
    bool likely = size >= fox_header_SIZE && ll_le32(bytes + fox_header_at_version) == VERSION &&
                  ll_le32(bytes + fox_header_at_first_entity_offset) == fox_header_SIZE;
    return likely ? LL_PROBE_MAYBE : LL_PROBE_NO;
}

static const char *const array_ends[] = {
#define FOX_CLASS(name, version, ending, gz_ending) ending, gz_ending,
#include "formats/fox/fox_classes.def"
};

static const ll_fact_name fact_names[] = {
#define FOX_FACT(class, property, type, form, kind) {LL_FACT_##kind, #class, #property},
#include "formats/fox/fox_property_facts.def"
#undef FOX_FACT
};

const ll_format fox_format = {
    LL_FORMAT_TABLES(fox),
    .fact_names = fact_names,
    .fact_name_count = sizeof fact_names / sizeof fact_names[0],
    .array_ends = array_ends,
    .array_end_count = sizeof array_ends / sizeof array_ends[0],
    .file_kind = LL_FILE_DATASET,
    .file_parts = 1U << LL_DATA,
    .shares_magic = true,
    .text_hash = ll_strcode64_unended,
    .probe = probe,
};
