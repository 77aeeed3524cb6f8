/* Recognises foreign files by signature and shape, in the order of kinds.def. libmagic is no alternative: of 234
 * sound files of ours it calls 228 `data`, its database has 8 MB, and it does not know exports and conflicts. */
#include "identity/identity.h"
#include "identity/shapes.h"

#include "base/text.h"

#include <string.h>

static const char *const words[LL_FOREIGN_COUNT] = {
    [LL_FOREIGN_NONE] = "",
#define LL_KIND(slug, what) [LL_FOREIGN_##slug] = (what),
#define LL_SIGNATURE(slug, offset, bytes)
#define LL_SHAPE(slug, function)
#include "identity/kinds.def"
#undef LL_KIND
#undef LL_SIGNATURE
#undef LL_SHAPE
};

typedef struct evidence {
    uint8_t kind; /* ll_foreign */
    uint8_t offset, length;
    const char *signature; /* NULL: `shape` decides */
    bool (*shape)(const uint8_t *bytes, size_t size);
} evidence;

static const evidence rows[] = {
#define LL_KIND(slug, what)
#define LL_SIGNATURE(slug, offset, bytes) {LL_FOREIGN_##slug, (offset), sizeof(bytes) - 1, (bytes), NULL},
#define LL_SHAPE(slug, function) {LL_FOREIGN_##slug, 0, 0, NULL, ll_##function},
#include "identity/kinds.def"
#undef LL_KIND
#undef LL_SIGNATURE
#undef LL_SHAPE
};

static bool fits(const evidence *row, const uint8_t *bytes, size_t size)
{
    return row->signature ? size >= (size_t)row->offset + row->length &&
                                memcmp(bytes + row->offset, row->signature, row->length) == 0
                          : row->shape(bytes, size);
}

ll_foreign ll_foreign_of(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; size && i < sizeof rows / sizeof *rows; i++) {
        if (fits(&rows[i], bytes, size)) {
            return (ll_foreign)rows[i].kind;
        }
    }
    return LL_FOREIGN_NONE;
}

ll_foreign ll_archive_of(const char *name, const uint8_t *bytes, size_t size)
{
    bool is_data = ll_ends_with(name, ".dat"); /* many programs use this extension */
    return ll_ends_with(name, ".mgsv")                                           ? LL_FOREIGN_mgsv
           : is_data && (!bytes || ll_foreign_of(bytes, size) == LL_FOREIGN_qar) ? LL_FOREIGN_qar
                                                                                 : LL_FOREIGN_NONE;
}

const char *ll_foreign_words(ll_foreign kind)
{
    return kind < LL_FOREIGN_COUNT ? words[kind] : "";
}
