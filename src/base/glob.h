/* Patterns for paths, as in .gitignore: '*' and '?' match within one name, '**' matches any number of directories,
 * [a-z] and [!a-z] match one character, a backslash escapes the next character. Characters are those of UTF-8; a byte
 * that is not UTF-8 counts as one. */
#ifndef LL_BASE_GLOB_H
#define LL_BASE_GLOB_H

#include "base/array.h"
#include "base/map.h"

/* True if the pattern matches the path or a directory above it. A pattern without a slash (except at its end) matches a
 * name at any depth; one with a slash starts where the paths start; a trailing slash means directories only; "a/"
 * followed by two stars matches everything in a, but not a. Paths use '/', are relative, and contain no "." or "..".
 * Time is at most the product of both lengths. A malformed pattern matches as far as it makes sense. */
bool ll_glob_path(const char *pattern, const char *path, bool is_directory);

/* True if the pattern of n bytes matches a whole text without directories: names of rules, field paths such as
 * "entry[3].name". Brackets are ordinary characters; '*' matches any run of characters, '?' one. No pattern is
 * malformed. */
bool ll_glob(const char *pattern, size_t n, const char *text);

/* A set of patterns matched together. The longest literal part of each pattern is its key; only patterns whose key
 * occurs in the path are tried, and among equal keys a second literal part selects. So the cost for a path depends on
 * the patterns that may match, not on all. Zero-initialised, a set is empty. A set that no longer changes may be read
 * by any thread. */
typedef struct ll_globs_item {
    const char *pattern;
    const void *owner; /* object to which the pattern belongs */
    const char *key;   /* the key, in the pattern */
    uint32_t length;   /* of the key */
    uint16_t kind;     /* where the key must occur in a path */
    uint16_t other[2]; /* two grams of the second literal part, as bits of a set; 0: none */
    uint32_t next;     /* 1 + next item with the same key; 0: none */
} ll_globs_item;

enum { LL_GLOBS_KINDS = 4 };

typedef struct ll_globs {
    LL_ARRAY(ll_globs_item);
    ll_map map;                       /* from a key to the first item with it */
    uint64_t lengths[LL_GLOBS_KINDS]; /* lengths of the keys of each kind, a bit each */
    uint32_t keyless;                 /* 1 + first item without a key; 0: none */
} ll_globs;

/* Indices of matching items, in the order in which they were added. */
typedef LL_ARRAY(uint32_t) ll_globs_hits;

/* Adds a pattern, which must live as long as the set. False: out of memory. */
bool ll_globs_add(ll_globs *globs, const char *pattern, const void *owner, const ll_allocator *allocator);
/* Finds all patterns that match like ll_glob_path(), replacing the contents of `hits`. False: out of memory. */
bool ll_globs_match(const ll_globs *globs, const char *path, bool is_directory, ll_globs_hits *hits,
                    const ll_allocator *allocator);

/* False if a pattern for paths is malformed; *why says why (static storage). */
bool ll_glob_valid(const char *pattern, const char **why);

#endif
