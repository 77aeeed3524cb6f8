/* Tables of the fox family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/fox/fox.h"

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

const ll_format fox_format = {
    LL_FORMAT_TABLES(fox),    .shares_magic = true, .span_name = fox_span_name, .hash_text = fox_hash_text,
    .facts = fox_visit_facts, .probe = fox_probe,   .parse = fox_parse,
};
