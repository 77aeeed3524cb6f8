/* What the formats for continuous integration share. Counting by name is the only state that they keep of a run: rows
 * are found by hash and told apart by their bytes, and come out in an order that depends on the counts alone. */
#include "report/digest.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ findings */

ll_status ll_digest_open(const ll_emitter *emitter, ll_report *report, ll_fold *out)
{
    *out = (ll_fold){NULL, NULL};
    return emitter->options.all || report->entry_count < 2 ? LL_OK : ll_report_fold(report, out);
}

void ll_label_text(const ll_finding *finding, ll_text *out)
{
    ll_text_str(out, finding->id);
    ll_text_char(out, ' ');
    ll_text_str(out, finding->name);
}

void ll_times_text(uint32_t times, ll_text *out)
{
    if (times > 1) {
        ll_text_str(out, " (");
        ll_text_u64(out, times);
        ll_text_str(out, " times in this file)");
    }
}

/* U+FFFE and U+FFFF are no characters; XML may not hold them. */
static bool is_noncharacter(const uint8_t *p, size_t length)
{
    return length == 3 && p[0] == 0xEF && p[1] == 0xBF && p[2] >= 0xBE;
}

void ll_mapped_text(const char *bytes, size_t n, ll_escape_fn map, ll_text *out)
{
    const uint8_t *p = (const uint8_t *)bytes;
    for (size_t at = 0; at < n;) {
        const char *instead = p[at] < 0x80 ? map(p[at]) : NULL;
        size_t length = ll_shown_length(p + at, n - at);
        if (instead) {
            ll_text_str(out, instead);
            at++;
        } else if (length && !is_noncharacter(p + at, length)) {
            ll_text_put(out, bytes + at, length);
            at += length;
        } else {
            size_t hidden = ll_utf8_length(p + at, n - at);
            for (size_t end = at + (hidden ? hidden : 1); at < end; at++) {
                ll_text_str(out, "\\x");
                ll_text_hex(out, p[at], 2);
            }
        }
    }
}

/* ------------------------------------------------------------------ Markdown */

/* Characters that Markdown, HTML or GitHub's references could take for more than themselves. */
static const char *escape_markdown(uint8_t c)
{
    static const char special[] = "\\`*_[]|~#$@!";
    static const char *const escaped[] = {"\\\\", "\\`", "\\*", "\\_", "\\[",   "\\]",
                                          "\\|",  "\\~", "\\#", "\\$", "&#64;", "\\!"};
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '\n':
        return " ";
    default:
        break;
    }
    const char *at = c ? strchr(special, c) : NULL;
    return at ? escaped[at - special] : NULL;
}

void ll_markdown_text(ll_text *out, const char *text, size_t n)
{
    ll_mapped_text(text, n, escape_markdown, out);
}

/* The longest run of backticks. */
static size_t backticks(const char *text)
{
    size_t longest = 0;
    for (const char *p = text; *p;) {
        size_t n = strspn(p, "`");
        longest = n > longest ? n : longest;
        p += n ? n : 1;
    }
    return longest;
}

void ll_markdown_code(ll_text *out, const char *text)
{
    size_t fence = backticks(text) + 1;
    size_t n = strlen(text);
    bool padded = fence > 1 || n == 0 || text[0] == ' ' || text[n - 1] == ' ';
    ll_text_repeat(out, '`', fence);
    ll_text_str(out, padded ? " " : "");
    ll_text_put(out, text, n);
    ll_text_str(out, padded ? " " : "");
    ll_text_repeat(out, '`', fence);
}

/* ------------------------------------------------------------------ counts */

enum { ROWS_FIRST = 64 };

static void give_back(const ll_allocator *a, void *block)
{
    if (block) {
        a->release(a->ctx, block);
    }
}

void ll_counts_init(ll_counts *counts, const ll_allocator *allocator)
{
    *counts = (ll_counts){.allocator = *allocator};
    ll_text_init(&counts->keys, allocator);
}

void ll_counts_free(ll_counts *counts)
{
    ll_text_free(&counts->keys);
    give_back(&counts->allocator, counts->rows);
    give_back(&counts->allocator, counts->slots);
    *counts = (ll_counts){.allocator = counts->allocator};
}

/* The slot of a row that is there, or the free one where it belongs. */
static uint32_t *seek(const ll_counts *counts, const char *key, size_t length, uint64_t hash)
{
    uint32_t at = (uint32_t)(hash >> 32) & (counts->slot_count - 1);
    while (counts->slots[at]) {
        const ll_counts_row *row = &counts->rows[counts->slots[at] - 1];
        if (row->hash == hash && row->length == length && memcmp(ll_counts_key(counts, row), key, length) == 0) {
            break;
        }
        at = (at + 1) & (counts->slot_count - 1);
    }
    return &counts->slots[at];
}

/* Room for one more row, and twice as many slots as rows. */
static bool grow(ll_counts *counts)
{
    if (counts->row_count < counts->row_capacity) {
        return true;
    }
    if (counts->row_capacity > UINT32_MAX / 8) {
        return false;
    }
    const ll_allocator *a = &counts->allocator;
    uint32_t capacity = counts->row_capacity ? counts->row_capacity * 2 : ROWS_FIRST;
    ll_counts_row *rows = a->alloc(a->ctx, capacity * sizeof *rows);
    uint32_t *slots = a->alloc(a->ctx, capacity * 2 * sizeof *slots);
    if (!rows || !slots) {
        give_back(a, rows);
        give_back(a, slots);
        return false;
    }
    memset(slots, 0, capacity * 2 * sizeof *slots);
    if (counts->row_count) {
        memcpy(rows, counts->rows, counts->row_count * sizeof *rows);
    }
    give_back(a, counts->rows);
    give_back(a, counts->slots);
    counts->rows = rows;
    counts->slots = slots;
    counts->row_capacity = capacity;
    counts->slot_count = capacity * 2;
    for (uint32_t i = 0; i < counts->row_count; i++) {
        *seek(counts, ll_counts_key(counts, &rows[i]), rows[i].length, rows[i].hash) = i + 1;
    }
    return true;
}

ll_status ll_counts_add(ll_counts *counts, const char *key, size_t length, uint64_t count, uint64_t file)
{
    uint64_t hash = ll_fnv(LL_FNV_START, key, length);
    if (!grow(counts)) {
        return LL_E_MEMORY;
    }
    uint32_t *slot = seek(counts, key, length, hash);
    if (!*slot) {
        counts->rows[counts->row_count] = (ll_counts_row){.key = counts->keys.length, .length = length, .hash = hash};
        ll_text_put(&counts->keys, key, length);
        ll_text_char(&counts->keys, '\0');
        if (counts->keys.failed) {
            return LL_E_MEMORY;
        }
        *slot = ++counts->row_count;
    }
    ll_counts_row *row = &counts->rows[*slot - 1];
    row->count += count;
    row->files += row->last_file != file;
    row->last_file = file;
    return LL_OK;
}

/* What a row is sorted by: the comparison of the C library gets no context. */
typedef struct sorted_row {
    const char *key;
    ll_counts_row row;
} sorted_row;

static int compare(const void *a, const void *b)
{
    const sorted_row *x = a;
    const sorted_row *y = b;
    if (x->row.count != y->row.count) {
        return x->row.count > y->row.count ? -1 : 1;
    }
    return strcmp(x->key, y->key);
}

ll_status ll_counts_sort(ll_counts *counts)
{
    const ll_allocator *a = &counts->allocator;
    uint32_t n = counts->row_count;
    if (n < 2) {
        return LL_OK;
    }
    sorted_row *sorted = a->alloc(a->ctx, n * sizeof *sorted);
    if (!sorted) {
        return LL_E_MEMORY;
    }
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = (sorted_row){ll_counts_key(counts, &counts->rows[i]), counts->rows[i]};
    }
    qsort(sorted, n, sizeof *sorted, compare);
    for (uint32_t i = 0; i < n; i++) {
        counts->rows[i] = sorted[i].row;
    }
    a->release(a->ctx, sorted);
    return LL_OK;
}

/* ------------------------------------------------------------------ counts on their way through a chunk */

enum { NEXT_FILE = -1 };

typedef struct note { /* its key follows */
    int table;        /* NEXT_FILE: what follows is about another file */
    size_t length;
    uint64_t count;
} note;

void ll_counts_put(ll_text *notes, unsigned table, const ll_text *key, uint64_t count)
{
    note n = {(int)table, key->length, count};
    ll_text_put(notes, (const char *)&n, sizeof n);
    ll_text_put(notes, key->data, key->length);
    notes->failed = notes->failed || key->failed;
}

void ll_counts_next_file(ll_text *notes)
{
    note n = {NEXT_FILE, 0, 0};
    ll_text_put(notes, (const char *)&n, sizeof n);
}

ll_status ll_counts_commit(ll_counts *tables, const ll_text *notes, uint64_t *file)
{
    ll_status status = LL_OK;
    for (size_t at = 0; at < notes->length && status == LL_OK;) {
        note n;
        memcpy(&n, notes->data + at, sizeof n);
        at += sizeof n;
        if (n.table == NEXT_FILE) {
            ++*file;
        } else {
            status = ll_counts_add(&tables[n.table], notes->data + at, n.length, n.count, *file);
        }
        at += n.length;
    }
    return status;
}
