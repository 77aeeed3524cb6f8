/* Counts by name, for tables at the end of a run. Memory grows with the number of names, not with findings or files. */
#ifndef LL_OUTPUT_COUNTS_H
#define LL_OUTPUT_COUNTS_H

#include "base/map.h"
#include "output/emit/emit.h"

typedef struct ll_counts_row {
    uint64_t hash;      /* hash of the key, by which the row is found */
    size_t key, length; /* offset and length in ll_counts.keys, in bytes */
    uint64_t count, files;
    const char *name;               /* the key, set by ll_counts_sort() */
    uint64_t first_file, last_file; /* hashes of the names of the first and last file counted */
} ll_counts_row;

typedef struct ll_counts {
    ll_text keys; /* each key ends with NUL */
    LL_ARRAY(ll_counts_row) rows;
    ll_map by_key;
} ll_counts;

void ll_counts_init(ll_counts *counts, const ll_allocator *allocator);
void ll_counts_free(ll_counts *counts);
/* The row with that hash, or NULL. */
ll_counts_row *ll_counts_find(const ll_counts *counts, uint64_t hash);
/* Adds `count` to the row with that hash; a new row gets the key. file: hash of the file's name; all counts of one file
 * come together. NULL: out of memory. */
ll_counts_row *ll_counts_add(ll_counts *counts, uint64_t hash, const char *key, size_t length, uint64_t count,
                             uint64_t file);
/* Sorts the rows by count, highest first, then by name. Nothing can be added afterwards. */
void ll_counts_sort(ll_counts *counts);

/* note() records a count for one of the format's tables while rendering; commit() adds the chunk's counts to the
 * tables. */
ll_status ll_counts_note(ll_chunk *chunk, unsigned table, const ll_text *key, uint64_t count);
ll_status ll_counts_commit(ll_counts *tables, const ll_chunk *chunk);

enum { LL_COUNTS_NAMES = 3 };
typedef struct ll_counts_head {
    const char *title;
    ll_outline_column
        names[LL_COUNTS_NAMES]; /* columns of a key, whose texts are separated by tabs; name NULL: no more */
    bool files;                 /* shows in how many files each is */
    const char *rest;           /* said after the number of rows that are left out; may be NULL */
} ll_counts_head;
/* Sorts the counts and builds a table of the first `most`; nothing if there are none. A text of a key may be followed
 * by a line feed and an address that it links to. */
void ll_counts_outline(ll_counts *counts, const ll_counts_head *head, size_t most, ll_outline *tree);

#endif
