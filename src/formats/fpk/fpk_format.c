/* Tables of the fpk family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/fpk/fpk.h"

#include "base/md5.h"

#include <string.h>

/* MD5 of a path. */
static bool fpk_derive(const ll_doc *doc, const ll_derivation *row, uint32_t span, uint32_t element, uint32_t target,
                       uint8_t *bytes)
{
    (void)row, (void)span, (void)element;
    if (target == LL_NO_SPAN) {
        return false;
    }
    const ll_span *path = ll_doc_span(doc, target);
    ll_md5(ll_doc_at(doc, path->offset), path->count, bytes);
    return true;
}

ll_probe_result fpk_probe(const uint8_t *bytes, size_t size)
{
    static const char magic[] = "foxfpk";
    enum { MAGIC_SIZE = sizeof magic - 1 };
    return size >= MAGIC_SIZE && memcmp(bytes, magic, MAGIC_SIZE) == 0 ? LL_PROBE_SURE : LL_PROBE_NO;
}

const ll_format fpk_format = {
    LL_FORMAT_TABLES(fpk), .is_archive = true, .derive = fpk_derive, .probe = fpk_probe, .index = fpk_index,
};
