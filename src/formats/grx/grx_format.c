/* Tables of the grx family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/grx/grx.h"

#include "base/endian.h"
#include "formats/strcode.h"

/* Every entry starts with its tag and its size, so that code may read both with the fields of unknown_entry. */
#define LL_GRX_KIND(name, a, b, c, d, layout)                                                                          \
    LL_SAME_FIELD(grx, layout, unknown_entry, tag);                                                                    \
    LL_SAME_FIELD(grx, layout, unknown_entry, entry_size);
#include "formats/grx/grx_kinds.def"
LL_SAME_FIELD(grx, terminator, unknown_entry, tag);
LL_SAME_FIELD(grx, terminator, unknown_entry, entry_size);

const grx_kind *grx_kind_of(uint32_t tag)
{
    switch (tag) {
#define LL_GRX_KIND(name, a, b, c, d, layout)                                                                          \
    case LL_LETTERS_LE(a, b, c, d): {                                                                                  \
        static const grx_kind kind = {grx_##layout##_LAYOUT, GRX_##name};                                              \
        return &kind;                                                                                                  \
    }
#include "formats/grx/grx_kinds.def"
    default:
        return NULL;
    }
}

static ll_probe_result grx_probe(const uint8_t *bytes, size_t size)
{
    if (size < 4) {
        return LL_PROBE_NO;
    }
    uint32_t magic = ll_le32(bytes);
    if (magic == LL_LETTERS_LE('F', 'G', 'x', 'L') || magic == LL_LETTERS_LE('F', 'G', 'x', 'O')) {
        return LL_PROBE_SURE;
    }
    /* The magic may be damaged: offset of the first entry and first tag are the same in every known file. */
    bool words = size >= grx_header_SIZE + grx_unknown_entry_SIZE &&
                 ll_le32(bytes + grx_header_at_first_entry_offset) == grx_header_SIZE &&
                 ll_le32(bytes + grx_header_SIZE) == LL_LETTERS_LE('C', 'M', '0', '0');
    return words ? LL_PROBE_MAYBE : LL_PROBE_NO;
}

const ll_format grx_format = {
    LL_FORMAT_TABLES(grx), .file_kind = LL_FILE_ARRAY, .file_parts = 1U << LL_MAIN, .text_hash = ll_strcode64_unended,
    .probe = grx_probe,
};
