/* Files of a workspace as packages, and what is looked up in these. */
#ifndef LL_WORKSPACE_PACKAGES_H
#define LL_WORKSPACE_PACKAGES_H

#include "workspace/kept.h"

/* Does a file lie in an unpacked archive, or is it an archive or the manifest of one, by its name? */
bool ll_is_of_package(const char *name);
/* A path without the letter of a drive, which GzsTool cuts off. */
static inline const char *ll_without_drive(const char *path)
{
    return path[0] && path[1] == ':' ? path + 2 : path;
}
/* Makes refs, packages and indexes. */
bool ll_packages_make(ll_workspace *w);
void ll_packages_free(ll_workspace *w);

static inline uint32_t ll_part_number(uint32_t package, unsigned slot)
{
    return package * LL_SLOTS + slot;
}
/* Makes the indexes that are not needed where nothing is wrong. */
void ll_packages_search(ll_workspace *w);
/* Entries of an index with that hash in a part. */
const ll_sort_key *ll_index_find(const ll_index *index, uint64_t hash, uint32_t part, uint32_t *count);
/* Of a text, whatever the case of its letters. */
uint64_t ll_hash_letters(const char *text);
/* Of a path, as files name each other by it. */
uint64_t ll_path_hash(const char *path);

#endif
