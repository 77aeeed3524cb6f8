/* Groups the files of a workspace into packages, and looks up in their indexes. */
#ifndef LL_PACKAGES_PACKAGES_H
#define LL_PACKAGES_PACKAGES_H

#include "packages/kept.h"

/* By its name, is a file inside an unpacked archive, an archive, or the manifest of one? */
bool ll_is_of_package(const char *name);
/* A path without drive letter, which GzsTool removes. */
static inline const char *ll_without_drive(const char *path)
{
    return path[0] && path[1] == ':' ? path + 2 : path;
}
/* Makes refs, packages and indexes. False: out of memory. */
bool ll_packages_make(ll_workspace *w);
void ll_packages_free(ll_workspace *w);

static inline uint32_t ll_part_number(uint32_t package, unsigned slot)
{
    return package * LL_SLOTS + slot;
}
/* Makes the indexes that are needed only to explain wrong references. */
void ll_packages_search(ll_workspace *w);
/* The keys of an index with that hash in a part. */
const ll_sort_key *ll_index_find(const ll_index *index, uint64_t hash, uint32_t part, uint32_t *count);
/* Hash of a text, ignoring case. */
uint64_t ll_hash_letters(const char *text);
/* Hash of a path, as used in references between files. */
uint64_t ll_path_hash(const char *path);

#endif
