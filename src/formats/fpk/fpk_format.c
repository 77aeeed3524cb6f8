/* Tables of the fpk family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/fpk/fpk.h"

#include <string.h>

ll_probe_result fpk_probe(const uint8_t *bytes, size_t size)
{
    static const char magic[] = "foxfpk";
    enum { MAGIC_SIZE = sizeof magic - 1 };
    return size >= MAGIC_SIZE && memcmp(bytes, magic, MAGIC_SIZE) == 0 ? LL_PROBE_SURE : LL_PROBE_NO;
}

const ll_format fpk_format = {
    LL_FORMAT_TABLES(fpk),
    .file_kind = LL_FILE_ARCHIVE,
    .probe = fpk_probe,
};
