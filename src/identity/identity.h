/* What a file is, told from its bytes alone before any parser sees them. These functions propose; api tries a proposal
 * and drops it if the file reads as one of our families after all. Nothing here allocates, or knows a family. */
#ifndef LL_IDENTITY_IDENTITY_H
#define LL_IDENTITY_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Files that are none of ours, by the rows of kinds.def. */
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

/* The kind of the file that these bytes are as a whole; LL_FOREIGN_NONE: none that is known. Bytes of one of our
 * formats may be named too, if they happen to look like one: whoever asks tries that first. */
ll_foreign ll_foreign_of(const uint8_t *bytes, size_t size);
/* The kind of archive of the game, which may hold light files and cannot be opened, that a file is to be;
 * LL_FOREIGN_NONE: none. The name tells, and where other programs have files of that name the first four bytes as well;
 * bytes NULL: the name alone. */
ll_foreign ll_archive_of(const char *name, const uint8_t *bytes, size_t size);
/* "a web page (HTML)"; "" for LL_FOREIGN_NONE. Static storage. */
const char *ll_foreign_words(ll_foreign kind);

#endif
