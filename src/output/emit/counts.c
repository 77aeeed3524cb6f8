/* Counts by key for the tables at the end of a run. Rows are found by the hash of their key and sorted by their counts,
 * so the order of files does not matter. */
#include "output/emit/counts.h"

#include <stdlib.h>

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

static int wider(int width, uint64_t n)
{
    int digits = 1;
    for (; n > 9; n /= 10) {
        digits++;
    }
    return digits > width ? digits : width;
}

void ll_counts_table(ll_counts *counts, size_t most, const char *title, const char *heads, const ll_terminal *terminal,
                     ll_text *out)
{
    size_t count = counts->rows.count < most ? counts->rows.count : most;
    int findings = sizeof "findings" - 1;
    int files = sizeof "files" - 1;
    if (!count) {
        return;
    }
    ll_counts_sort(counts);
    for (size_t i = 0; i < count; i++) {
        findings = wider(findings, counts->rows.items[i].count);
        files = wider(files, counts->rows.items[i].files);
    }
    ll_text_format(out, "%s\n  %*s  %*s  %s\n", title, findings, "findings", files, "files", heads);
    for (size_t i = 0; i < count; i++) {
        const ll_counts_row *row = &counts->rows.items[i];
        size_t line = out->length;
        ll_text_format(out, "  %*" PRIu64 "  %*" PRIu64 "  ", findings, row->count, files, row->files);
        size_t from = out->length;
        ll_text_str(out, row->name);
        ll_end_line(out, from, from - line, terminal);
    }
    if (count < counts->rows.count) {
        size_t line = out->length;
        ll_text_format(out, "  and %zu more (--statistics shows all)", counts->rows.count - count);
        ll_end_line(out, line, 4, terminal);
    }
    ll_text_char(out, '\n');
}
