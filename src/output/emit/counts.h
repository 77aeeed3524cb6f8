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

/* Sorts the counts and writes the first `most` rows as a table that fits the terminal, with an empty line after it.
 * Writes nothing if there are no counts. */
void ll_counts_table(ll_counts *counts, size_t most, const char *title, const char *heads, const ll_terminal *terminal,
                     ll_text *out);

#endif
