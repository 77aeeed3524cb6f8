/* Patterns for paths, as in .gitignore: '*' and '?' stay inside one name, '**' goes over any number of directories,
 * [a-z] and [!a-z] are one character of a set, a backslash takes the next character as it is. Characters are those of
 * UTF-8; a byte that belongs to none is one. */
#ifndef LL_BASE_GLOB_H
#define LL_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* True when the pattern matches the path or a directory above it. A pattern without a slash (but at its end) matches a
 * name at any depth; one with a slash starts where the paths start; a slash at the end means directories only; "a/"
 * followed by two stars is all that lies in a, but not a. Paths use '/', are relative, and hold no "." or "..". Time is
 * at most the product of both lengths. A malformed pattern matches what it can. */
bool ll_glob_path(const char *pattern, const char *path, bool is_directory);

/* True when the pattern of n bytes matches the whole of a text that has no directories: names of rules, field paths
 * such as "entry[3].name". Brackets are taken as they are; '*' matches any run of characters, '?' one. No pattern is
 * malformed. */
bool ll_glob(const char *pattern, size_t n, const char *text);

/* False, and why (in static storage), when a pattern for paths is malformed. */
bool ll_glob_valid(const char *pattern, const char **why);

#endif
