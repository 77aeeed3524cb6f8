/* Counts by key for the tables at the end of a run. Rows are found by the hash of their key and sorted by their counts,
 * so the order of files does not matter. */
#include "output/emit/counts.h"

#include <stdlib.h>

enum { RECENT = 4 }; /* counts that a new one is compared with: neighbours are often alike */

void ll_counts_init(ll_counts *counts, const ll_allocator *allocator)
{
    *counts = (ll_counts){.by_key = {.slots = NULL}};
    ll_text_init(&counts->keys, allocator);
}

void ll_counts_free(ll_counts *counts)
{
    LL_ARRAY_FREE(&counts->rows, &counts->keys.allocator);
    ll_map_free(&counts->by_key, &counts->keys.allocator);
    ll_text_free(&counts->keys);
}

ll_counts_row *ll_counts_find(const ll_counts *counts, uint64_t hash)
{
    ll_map_key sought = {counts->rows.items, sizeof *counts->rows.items, hash};
    uint32_t at = ll_map_find(&counts->by_key, ll_map_hash(hash), ll_map_has_key, &sought);
    return at == LL_MAP_NONE ? NULL : &counts->rows.items[at];
}

ll_counts_row *ll_counts_add(ll_counts *counts, uint64_t hash, const char *key, size_t length, uint64_t count,
                             uint64_t file)
{
    const ll_allocator *a = &counts->keys.allocator;
    uint32_t next = (uint32_t)counts->rows.count;
    bool room = LL_ARRAY_ROOM(&counts->rows, 1, a) && ll_text_room(&counts->keys, length + 1);
    ll_map_key sought = {counts->rows.items, sizeof *counts->rows.items, hash};
    if (!room || !ll_map_room(&counts->by_key, next, ll_map_key_hash, &sought, a)) {
        return NULL;
    }
    uint32_t at = ll_map_note(&counts->by_key, ll_map_hash(hash), next, ll_map_has_key, &sought);
    if (at == LL_MAP_NONE) {
        at = next;
        counts->rows.count++;
        counts->rows.items[at] =
            (ll_counts_row){.hash = hash, .key = counts->keys.length, .length = length, .first_file = file};
        ll_text_put(&counts->keys, key, length);
        ll_text_char(&counts->keys, '\0');
    }
    ll_counts_row *row = &counts->rows.items[at];
    row->count += count;
    row->files += !row->files || row->last_file != file;
    row->last_file = file;
    return row;
}

static int compare(const void *a, const void *b)
{
    const ll_counts_row *x = a;
    const ll_counts_row *y = b;
    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

void ll_counts_sort(ll_counts *counts)
{
    for (size_t i = 0; i < counts->rows.count; i++) {
        counts->rows.items[i].name = counts->keys.data + counts->rows.items[i].key;
    }
    if (counts->rows.count) {
        qsort(counts->rows.items, counts->rows.count, sizeof *counts->rows.items, compare);
    }
}

ll_status ll_counts_note(ll_chunk *chunk, unsigned table, const ll_text *key, uint64_t count)
{
    for (size_t i = chunk->counts.count; i > 0 && chunk->counts.count - i < RECENT; i--) {
        ll_count *c = &chunk->counts.items[i - 1];
        bool same = c->table == table && c->file == chunk->file && c->length == key->length;
        if (same && !key->failed && !chunk->names.failed &&
            memcmp(chunk->names.data + c->key, key->data, key->length) == 0) {
            c->count += count;
            return LL_OK;
        }
    }
    ll_count *c = LL_ARRAY_ADD(&chunk->counts, &chunk->allocator);
    if (!c || key->failed) {
        return LL_E_MEMORY;
    }
    *c = (ll_count){table, chunk->names.length, key->length, count, chunk->file};
    ll_text_put(&chunk->names, key->data, key->length);
    return LL_OK;
}

ll_status ll_counts_commit(ll_counts *tables, const ll_chunk *chunk)
{
    ll_status status = LL_OK;
    for (size_t i = 0; i < chunk->counts.count && status == LL_OK; i++) {
        const ll_count *c = &chunk->counts.items[i];
        const char *key = chunk->names.data + c->key;
        uint64_t hash = ll_fnv(LL_FNV_START, key, c->length);
        status = ll_counts_add(&tables[c->table], hash, key, c->length, c->count, c->file) ? LL_OK : LL_E_MEMORY;
    }
    return status;
}

/* Builds the cells of a key. */
static void put_key(ll_outline *tree, const ll_counts_head *head, const char *key)
{
    for (unsigned i = 0; i < LL_COUNTS_NAMES && head->names[i].name; i++) {
        size_t length = strcspn(key, "\t");
        const char *address = memchr(key, '\n', length);
        ll_outline_cell(tree);
        ll_text_put(&tree->words, key, address ? (size_t)(address - key) : length);
        if (address) {
            size_t n = length - (size_t)(address + 1 - key);
            ll_text_put(&tree->words, address + 1, n);
            ll_outline_value(tree, LL_NODE_LINK, NULL, 0, n);
        } else if (head->names[i].type == LL_CELL_WORDS && ll_tone_of(key, length)) {
            ll_outline_piece(tree, LL_NODE_MARK);
        }
        key += length + (key[length] == '\t');
    }
}

void ll_counts_outline(ll_counts *counts, const ll_counts_head *head, size_t most, ll_outline *tree)
{
    ll_outline_column columns[3 + LL_COUNTS_NAMES] = {{"findings", LL_CELL_NUMBER}};
    size_t count = counts->rows.count;
    size_t n = 1;
    if (!count || !most) {
        return;
    }
    ll_counts_sort(counts);
    if (head->files) {
        columns[n++] = (ll_outline_column){"files", LL_CELL_NUMBER};
    }
    columns[n++] = (ll_outline_column){"compared", LL_CELL_CHART};
    for (unsigned i = 0; i < LL_COUNTS_NAMES && head->names[i].name; i++) {
        columns[n++] = head->names[i];
    }
    ll_outline_open(tree, LL_NODE_HEADING, NULL);
    ll_text_str(&tree->words, head->title);
    ll_outline_table(tree, columns, n);
    for (size_t i = 0; i < count && i < most; i++) {
        const ll_counts_row *row = &counts->rows.items[i];
        ll_outline_open(tree, LL_NODE_ROW, ll_tone_of(row->name, strcspn(row->name, "\t")));
        ll_outline_number(tree, row->count);
        if (head->files) {
            ll_outline_number(tree, row->files);
        }
        ll_outline_bar(tree, row->count, counts->rows.items[0].count);
        put_key(tree, head, row->name);
    }
    if (count > most) {
        ll_outline_open(tree, LL_NODE_REMARK, NULL);
        ll_text_format(&tree->words, "and %zu more%s", count - most, head->rest ? head->rest : "");
    }
}
