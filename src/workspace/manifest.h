/* The manifest of an archive: X.fpk.xml, which an unpacker writes beside the folder X_fpk and from which it packs that
 * folder again. Lists entries in the order of the archive. */
#ifndef LL_WORKSPACE_MANIFEST_H
#define LL_WORKSPACE_MANIFEST_H

#include "base/arena.h"
#include "base/array.h"

/* A value, or where it is missing the tag that should have it. */
typedef struct ll_manifest_text {
    const char *text; /* UTF-8 with a NUL; NULL: missing */
    uint32_t offset, length;
} ll_manifest_text;

typedef struct ll_manifest {
    ll_manifest_text name, type;
    LL_ARRAY(ll_manifest_text) entries;
    const char *refused; /* why the rest was not read, in words; NULL: all of it was */
    uint32_t offset, length;
    uint32_t line, column; /* of what was refused; 0: this build reads no manifest */
} ll_manifest;

/* Reads a manifest, which a build without expat refuses; what it refers to lives in the arena. Whatever the bytes are,
 * LL_OK or LL_E_MEMORY. */
ll_status ll_manifest_read(ll_manifest *manifest, const void *bytes, size_t size, ll_arena *arena);

#endif
