/* Reads the manifest of an archive, X.fpk.xml: an unpacker writes it beside the folder X_fpk and packs that folder from
 * it. It lists the entries in the order of the archive. */
#ifndef LL_PACKAGES_MANIFEST_H
#define LL_PACKAGES_MANIFEST_H

#include "base/arena.h"
#include "base/array.h"

/* The value of an attribute; if it is missing, the range is that of the tag. */
typedef struct ll_manifest_text {
    const char *text; /* UTF-8 with NUL; NULL: missing */
    uint32_t offset, length;
} ll_manifest_text;

typedef struct ll_manifest {
    ll_manifest_text name, type;
    LL_ARRAY(ll_manifest_text) entries;
    const char *refused; /* why reading stopped; NULL: it was read in full */
    uint32_t offset, length;
    uint32_t line, column; /* of the refused part; 0: this build reads no manifests */
} ll_manifest;

/* Reads a manifest; a build without expat refuses it. Strings are in the arena. Returns LL_OK for any bytes, or
 * LL_E_MEMORY. */
ll_status ll_manifest_read(ll_manifest *manifest, const void *bytes, size_t size, ll_arena *arena);

#endif
