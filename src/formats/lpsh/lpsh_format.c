/* Tables of the lpsh family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/lpsh/lpsh.h"

#include "formats/strcode.h"

static ll_probe_result lpsh_probe(const uint8_t *bytes, size_t size)
{
    if (size < lpsh_header_SIZE) {
        return LL_PROBE_NO;
    }
    bool named = ll_le32(bytes + lpsh_header_at_name_hash) == LPSH_NAME_HASH;
    bool placed = ll_le32(bytes + lpsh_header_at_node_offset) == lpsh_header_SIZE &&
                  ll_le32(bytes + lpsh_header_at_name_offset) == lpsh_header_SIZE + lpsh_node_SIZE;
    return named && placed ? LL_PROBE_SURE : named || placed ? LL_PROBE_MAYBE : LL_PROBE_NO;
}

const ll_format lpsh_format = {
    LL_FORMAT_TABLES(lpsh),      .file_kind = LL_FILE_HARMONICS,
    .file_parts = 1U << LL_MAIN, .text_hash = ll_strcode64_unended,
    .zeros_at_end = UINT32_MAX, /* sets without light are all zeros */
    .probe = lpsh_probe,
};
