/* Patterns for paths, as in .gitignore: '*' and '?' stay inside one name, '**' goes over any number of directories,
 * [a-z] and [!a-z] are one character of a set, a backslash takes the next character as it is. Characters are those of
 * UTF-8; a byte that belongs to none is one. */
#ifndef LL_BASE_GLOB_H
#define LL_BASE_GLOB_H

#include "base/array.h"
#include "base/map.h"

/* True when the pattern matches the path or a directory above it. A pattern without a slash (but at its end) matches a
 * name at any depth; one with a slash starts where the paths start; a slash at the end means directories only; "a/"
 * followed by two stars is all that lies in a, but not a. Paths use '/', are relative, and hold no "." or "..". Time is
 * at most the product of both lengths. A malformed pattern matches what it can. */
bool ll_glob_path(const char *pattern, const char *path, bool is_directory);

/* True when the pattern of n bytes matches the whole of a text that has no directories: names of rules, field paths
 * such as "entry[3].name". Brackets are taken as they are; '*' matches any run of characters, '?' one. No pattern is
 * malformed. */
bool ll_glob(const char *pattern, size_t n, const char *text);

/* Many patterns for paths, which are asked at once: of each the longest literal part is known, and only those are tried
 * whose part the path has; where many have the same part, a second one tells them apart. So a path costs the patterns
 * that it may match, and not all that there are. Zeros are an empty set. A set that is no longer changed may be read by
 * any thread. */
typedef struct ll_globs_item {
    const char *pattern;
    const void *owner; /* whatever the pattern belongs to */
    const char *key;   /* the literal part, in the pattern */
    uint32_t length;   /* of the key */
    uint16_t kind;     /* where a path has the key */
    uint16_t other[2]; /* places of two grams of another literal part in the set of those of a path, 0: there is none */
    uint32_t next;     /* 1 + the next item with an equal key, 0: none */
} ll_globs_item;

enum { LL_GLOBS_KINDS = 4 };

typedef struct ll_globs {
    LL_ARRAY(ll_globs_item);
    ll_map map;                       /* from a key to the first item that has it */
    uint64_t lengths[LL_GLOBS_KINDS]; /* of the keys of a kind, a bit each */
    uint32_t keyless;                 /* 1 + the first item without a key, 0: none */
} ll_globs;

/* The numbers of items that match, in the order in which they were added. */
typedef LL_ARRAY(uint32_t) ll_globs_hits;

/* The pattern lives as long as the set. False when memory runs out. */
bool ll_globs_add(ll_globs *globs, const char *pattern, const void *owner, const ll_allocator *allocator);
/* All patterns that match, as ll_glob_path() has it. What `hits` held before is gone. False when memory runs out. */
bool ll_globs_match(const ll_globs *globs, const char *path, bool is_directory, ll_globs_hits *hits,
                    const ll_allocator *allocator);

/* False, and why (in static storage), when a pattern for paths is malformed. */
bool ll_glob_valid(const char *pattern, const char **why);

#endif
