/* Proposes what a file is, from its bytes alone before any parser sees them. The api tries a proposal and drops it if
 * the file reads as one of our families. Nothing here allocates or knows a family. */
#ifndef LL_IDENTITY_IDENTITY_H
#define LL_IDENTITY_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of foreign files: the rows of kinds.def. */
typedef enum ll_foreign {
    LL_FOREIGN_NONE,
#define LL_KIND(slug, what) LL_FOREIGN_##slug,
#define LL_SIGNATURE(slug, offset, bytes)
#define LL_SHAPE(slug, function)
#include "identity/kinds.def"
#undef LL_KIND
#undef LL_SIGNATURE
#undef LL_SHAPE
    LL_FOREIGN_COUNT
} ll_foreign;

/* The kind of foreign file that the bytes form as a whole; LL_FOREIGN_NONE: unknown. A file of ours may happen to look
 * like one; the caller must try our formats first. */
ll_foreign ll_foreign_of(const uint8_t *bytes, size_t size);
/* The kind of an archive of the game that may hold light files but cannot be opened; LL_FOREIGN_NONE: not such an
 * archive. Decides by the name and, if other programs use the same extension, by the first four bytes; bytes NULL: by
 * the name alone. */
ll_foreign ll_archive_of(const char *name, const uint8_t *bytes, size_t size);
/* The kind in words: "a web page (HTML)"; "" for LL_FOREIGN_NONE. Static storage. */
const char *ll_foreign_words(ll_foreign kind);

#endif
