/* The tables of the rgm family, expanded from the .def files, its probe, and its ll_format. */
#define LL_FAMILY_TABLES
#include "formats/rgm/soup.h"

ll_probe_result rgm_probe(const uint8_t *bytes, size_t size)
{
    static const uint8_t prefix[] = {0x1B, 0x80, 0x37, 0x00};
    static const char tags[] = "MPL MPF MPM "
#define LL_RGM_SECTION(name, ...) #name
#include "formats/rgm/rgm_sections.def"
#undef LL_RGM_SECTION
        ;
    const uint32_t tag = size >= 4 ? ll_le32(bytes) : 0;
    bool known = false;
    for (size_t i = 0; memchr("RMWF", (uint8_t)tag, 4) && i + 4 < sizeof tags; i += 4) {
        known = known || ll_le32((const uint8_t *)tags + i) == tag;
    }
    const bool heads = known && memcmp(bytes, "RAHD", 4) == 0;
    if (size < RGM_HEADER) {
        return heads ? LL_PROBE_MAYBE : LL_PROBE_NO;
    }
    if (size >= RGM_HEADER + rgm_rahd_head_SIZE) {
        const uint64_t needed = rgm_rahd_head_SIZE + (uint64_t)ll_le32(bytes + RGM_HEADER) * rgm_actor_SIZE;
        const bool counted = needed == ll_be32(bytes + 4) || needed == ll_le32(bytes + 4);
        const bool prefixed = memcmp(bytes + RGM_HEADER + rgm_rahd_head_at_prefix, prefix, sizeof prefix) == 0;
        if (heads + counted + prefixed >= 2) {
            return LL_PROBE_SURE;
        }
    }
    return known ? LL_PROBE_MAYBE : LL_PROBE_NO;
}

const ll_format rgm_format = {
    LL_FORMAT_TABLES(rgm), .zeros_at_end = 1400, /* FLAT may be all zeros */
    .probe = rgm_probe,    .split = soup_split,         .part_name = soup_part_name,
    .list = soup_list,     .list_name = soup_list_name,
};
