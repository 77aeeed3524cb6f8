/* Counts by name, for tables at the end of a run: memory grows with the names, never with findings or files. */
#ifndef LL_REPORT_COUNTS_H
#define LL_REPORT_COUNTS_H

#include "base/map.h"
#include "report/emit/emit.h"

typedef struct ll_counts_row {
    uint64_t hash;      /* of the key: what rows are found by */
    size_t key, length; /* in ll_counts.keys */
    uint64_t count, files;
    const char *name;               /* the key, once the rows are sorted */
    uint64_t first_file, last_file; /* hashes of their names: the files that were counted first and last */
} ll_counts_row;

typedef struct ll_counts {
    ll_text keys; /* each ends in NUL */
    LL_ARRAY(ll_counts_row) rows;
    ll_map by_key;
} ll_counts;

void ll_counts_init(ll_counts *counts, const ll_allocator *allocator);
void ll_counts_free(ll_counts *counts);
/* The row of a hash, NULL: there is none. */
ll_counts_row *ll_counts_find(const ll_counts *counts, uint64_t hash);
/* Counts something that goes by a hash, in the file whose name has the hash `file`; what is new gets the key. All of
 * one file comes together. NULL: no memory. */
ll_counts_row *ll_counts_add(ll_counts *counts, uint64_t hash, const char *key, size_t length, uint64_t count,
                             uint64_t file);
/* Sorts the rows by falling count, then by name; nothing can be added afterwards. */
void ll_counts_sort(ll_counts *counts);

/* Render notes what there is to count, each time for one of the format's tables; commit adds it up. */
ll_status ll_counts_note(ll_chunk *chunk, unsigned table, const ll_text *key, uint64_t count);
ll_status ll_counts_commit(ll_counts *tables, const ll_chunk *chunk);

/* Sorts the counts and shows `most` of them as a table that fits the terminal, and an empty line behind it; nothing for
 * none. */
void ll_counts_table(ll_counts *counts, size_t most, const char *title, const char *heads, const ll_terminal *terminal,
                     ll_text *out);

#endif
