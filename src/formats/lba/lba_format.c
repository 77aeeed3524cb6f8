/* Tables of the lba family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/lba/lba.h"

#include "base/half.h"

#include <math.h>

/* No magic tells a file of locators. Rotations do, which have the length 1, and a header without locators. */
static bool lba_is_one(const ll_doc *doc)
{
    static const uint16_t layouts[] = {lba_locator_LAYOUT, lba_scaled_locator_LAYOUT};
    uint64_t locators = 0, units = 0;
    ll_element e;
    for (unsigned i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        for (uint32_t k = 0; ll_element_at(doc, doc->firsts[layouts[i]] - 1, k, &e); k++) {
            locators++;
            units += fabs(ll_sum_of_squares(e.bytes + lba_locator_at_rotation, 4, false) - 1.0) < 0.02;
        }
    }
    if (locators == 0 && ll_element_at(doc, doc->firsts[lba_header_LAYOUT] - 1, 0, &e)) {
        int right = (ll_get_uint(&e, lba_header_count) == 0) + (ll_get_uint(&e, lba_header_flags) <= 3) +
                    (ll_get_uint(&e, lba_header_reserved) == 0);
        return right >= 2 && doc->size == lba_header_SIZE;
    }
    return 2 * units > locators;
}

const ll_format lba_format = {
    LL_FORMAT_TABLES(lba),
    .is_one = lba_is_one,
};
