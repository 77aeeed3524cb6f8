/* What the formats for continuous integration share: groups of a report, labels, and counts by name. */
#ifndef LL_REPORT_DIGEST_H
#define LL_REPORT_DIGEST_H

#include "report/emit.h"

/* ------------------------------------------------------------------ findings */

/* The groups of a report that an emitter tells as one finding each; without groups (--all) every finding is its own. */
ll_status ll_digest_open(const ll_emitter *emitter, ll_report *report, ll_fold *out);
/* How many findings the one at index i stands for; 0: it was told with another. */
static inline uint32_t ll_digest_times(const ll_fold *fold, uint32_t i)
{
    return fold->count ? fold->count[i] : 1;
}

/* "GRX012 name-hash" */
void ll_label_text(const ll_finding *finding, ll_text *out);
/* " (3 times in this file)"; nothing for one. */
void ll_times_text(uint32_t times, ll_text *out);

/* Bytes for a format with escapes of its own. `map` gives what stands for an ASCII character, NULL: it goes on as it
 * is. Then whatever is no UTF-8, no character, or something that a terminal would obey becomes \xNN, byte by byte. */
typedef const char *(*ll_escape_fn)(uint8_t c);
void ll_mapped_text(const char *bytes, size_t n, ll_escape_fn map, ll_text *out);

/* ------------------------------------------------------------------ Markdown */

/* Text that means nothing in Markdown: neither HTML nor a reference nor a formula, nor the end of a cell. */
void ll_markdown_text(ll_text *out, const char *text, size_t n);
/* A code span of text that holds no line feed: between longer fences than any within, nothing in it has a meaning. */
void ll_markdown_code(ll_text *out, const char *text);

/* ------------------------------------------------------------------ counts */

/* Counts by name, for tables at the end of a run: memory grows with the names, never with findings or files. */
typedef struct ll_counts_row {
    size_t key, length; /* in ll_counts.keys */
    uint64_t hash;
    uint64_t count, files;
    uint64_t last_file; /* the number of the file that was counted last */
} ll_counts_row;

typedef struct ll_counts {
    ll_allocator allocator;
    ll_text keys; /* each ends in NUL */
    ll_counts_row *rows;
    uint32_t *slots; /* open addressing: 1 + row, 0: free */
    uint32_t row_count, row_capacity, slot_count;
} ll_counts;

void ll_counts_init(ll_counts *counts, const ll_allocator *allocator);
void ll_counts_free(ll_counts *counts);
/* `file`: its number, from 1; calls for one file follow each other. */
ll_status ll_counts_add(ll_counts *counts, const char *key, size_t length, uint64_t count, uint64_t file);
static inline const char *ll_counts_key(const ll_counts *counts, const ll_counts_row *row)
{
    return counts->keys.data + row->key;
}
/* Sorts the rows by falling count, then by name; nothing can be added afterwards. */
ll_status ll_counts_sort(ll_counts *counts);

/* ------------------------------------------------------------------ counts on their way through a chunk */

/* Render writes what there is to count into a text of the chunk: file by file, each time for one of the format's
 * tables. Commit adds it up. A key that failed makes the notes fail. */
void ll_counts_put(ll_text *notes, unsigned table, const ll_text *key, uint64_t count);
void ll_counts_next_file(ll_text *notes);
/* *file: number of the last file of the run so far. */
ll_status ll_counts_commit(ll_counts *tables, const ll_text *notes, uint64_t *file);

#endif
