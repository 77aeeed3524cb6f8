/* Reads the journal of fix and undoes changes. An entry is a line for the file and one for each patch. A run that was
 * killed leaves an incomplete entry; it had not replaced that file yet. */
#include "base/array.h"
#include "base/ints.h"
#include "base/json_read.h"
#include "findings/report.h"

typedef struct change {
    uint64_t offset;
    const uint8_t *was, *is;
    size_t was_size, is_size;
} change;

typedef struct item {
    ll_journal_entry entry;
    uint64_t hash_before, hash_after, count; /* count: changes that a whole entry has */
    size_t first, met;                       /* index of the first change; number of changes read */
} item;

struct ll_journal {
    ll_arena arena; /* owns what follows */
    LL_ARRAY(item) items;
    LL_ARRAY(change) changes;
    LL_ARRAY(uint8_t) bytes; /* of the file undone last */
};

/* ------------------------------------------------------------------ reading */

enum { SCHEMA = 1 };

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static ll_status read_hex(ll_journal *j, const ll_jsonr *line, const char *key, const uint8_t **out, size_t *size,
                          ll_problem *problem)
{
    const char *digits = NULL;
    ll_status status = ll_jsonr_text(line, key, &digits, problem);
    if (status != LL_OK) {
        return status;
    }
    *size = strlen(digits) / 2;
    uint8_t *bytes = ll_arena_alloc(&j->arena, *size, 1);
    bool fine = strlen(digits) % 2 == 0;
    for (size_t i = 0; bytes && fine && i < *size; i++) {
        int high = digit_of(digits[2 * i]);
        int low = digit_of(digits[2 * i + 1]);
        fine = high >= 0 && low >= 0;
        bytes[i] = (uint8_t)(fine ? high << 4 | low : 0);
    }
    *out = bytes;
    return !bytes ? LL_E_MEMORY : fine ? LL_OK : LL_REFUSE(problem, "'%s' is not bytes in hex digits", key);
}

/* Reads the file name: "file_hex" if present, else "file". */
static ll_status read_name(ll_journal *j, const ll_jsonr *line, const char **out, ll_problem *problem)
{
    const char *file = NULL;
    const uint8_t *bytes = (const uint8_t *)"";
    size_t size = 0;
    ll_status status = ll_jsonr_text(line, "file", &file, problem);
    bool exact = ll_jsonr_has(line, "file_hex");
    status = status == LL_OK && exact ? read_hex(j, line, "file_hex", &bytes, &size, problem) : status;
    if (status != LL_OK) {
        return status;
    }
    if (size && memchr(bytes, 0, size)) {
        return LL_REFUSE(problem, "'file_hex' is not a name, as it holds a zero byte");
    }
    char *name = ll_arena_alloc(&j->arena, (exact ? size : strlen(file)) + 1, 1);
    if (!name) {
        return LL_E_MEMORY;
    }
    memcpy(name, exact ? (const char *)bytes : file, exact ? size : strlen(file));
    name[exact ? size : strlen(file)] = '\0';
    *out = name;
    return LL_OK;
}

static ll_status read_file(ll_journal *j, const ll_jsonr *line, unsigned number, ll_problem *problem)
{
    ll_allocator a = ll_arena_allocator(&j->arena);
    uint64_t schema = 0;
    item read = {.entry.line = number, .first = j->changes.count};
    ll_status status = ll_jsonr_u64(line, "schema", &schema, problem);
    if (status == LL_OK && schema != SCHEMA) {
        return LL_REFUSE(problem, "has a schema that this version does not read");
    }
    status = status == LL_OK ? read_name(j, line, &read.entry.file, problem) : status;
    status = status == LL_OK ? ll_jsonr_u64(line, "patches", &read.count, problem) : status;
    status = status == LL_OK ? ll_jsonr_u64(line, "size_before", &read.entry.size_before, problem) : status;
    status = status == LL_OK ? ll_jsonr_u64(line, "size_after", &read.entry.size_after, problem) : status;
    status = status == LL_OK ? ll_jsonr_hash(line, "hash_before", &read.hash_before, problem) : status;
    status = status == LL_OK ? ll_jsonr_hash(line, "hash_after", &read.hash_after, problem) : status;
    if (status != LL_OK) {
        return status;
    }
    item *room = LL_ARRAY_ADD(&j->items, &a);
    if (!room) {
        return LL_E_MEMORY;
    }
    read.entry.whole = read.count == 0;
    *room = read;
    return LL_OK;
}

static ll_status read_patch(ll_journal *j, const ll_jsonr *line, item *into, ll_problem *problem)
{
    ll_allocator a = ll_arena_allocator(&j->arena);
    change read = {.offset = 0};
    ll_status status = ll_jsonr_u64(line, "offset", &read.offset, problem);
    status = status == LL_OK ? read_hex(j, line, "was", &read.was, &read.was_size, problem) : status;
    status = status == LL_OK ? read_hex(j, line, "bytes", &read.is, &read.is_size, problem) : status;
    change *room = status == LL_OK ? LL_ARRAY_ADD(&j->changes, &a) : NULL;
    if (!room) {
        return status == LL_OK ? LL_E_MEMORY : status;
    }
    *room = read;
    into->met++;
    into->entry.whole = into->met == into->count;
    return LL_OK;
}

/* *open: lines of patches belong to the last entry. */
static ll_status read_line(ll_journal *j, const ll_jsonr *line, unsigned number, bool *open, ll_problem *problem)
{
    const char *type = NULL;
    item *last = j->items.count ? &j->items.items[j->items.count - 1] : NULL;
    ll_status status = ll_jsonr_text(line, "type", &type, problem);
    if (status != LL_OK) {
        return status;
    }
    if (strcmp(type, "file") == 0) {
        *open = true;
        return read_file(j, line, number, problem);
    }
    if (strcmp(type, "patch") != 0) {
        return LL_OK;
    }
    return *open && last && !last->entry.whole ? read_patch(j, line, last, problem)
                                               : LL_REFUSE(problem, "a patch without a file");
}

static ll_status read_lines(ll_journal *j, const char *bytes, size_t size, ll_problem *problem)
{
    ll_jsonr line;
    ll_status status = LL_OK;
    bool open = false;
    unsigned number = 0;
    ll_jsonr_init(&line, &j->arena.allocator);
    for (size_t at = 0; at < size && status == LL_OK;) {
        const char *feed = memchr(bytes + at, '\n', size - at);
        size_t n = feed ? (size_t)(feed - bytes) - at : size - at;
        number++;
        status = n ? ll_jsonr_open(&line, bytes + at, n, problem) : LL_OK;
        bool broken_off = number > 1 || (!feed && bytes[0] == '{'); /* a killed run may leave a broken line */
        if (status == LL_E_INPUT && broken_off) {
            status = LL_OK;
            open = false;
        } else if (status == LL_OK && n) {
            status = read_line(j, &line, number, &open, problem);
        }
        at += n + 1;
    }
    ll_jsonr_free(&line);
    if (status == LL_E_INPUT) {
        problem->line = number;
    }
    return status;
}

ll_status ll_journal_create(const ll_allocator *allocator, const void *bytes, size_t size, ll_journal **out,
                            ll_problem *problem)
{
    ll_problem unread = {0};
    if (!out || (!bytes && size)) {
        return LL_E_ARGUMENT;
    }
    ll_allocator a = ll_allocator_or_default(allocator);
    ll_journal *j = a.alloc(a.ctx, sizeof *j);
    *out = j;
    if (!j) {
        return LL_E_MEMORY;
    }
    *j = (ll_journal){.items.items = NULL};
    ll_arena_init(&j->arena, &a, SIZE_MAX);
    ll_status status = read_lines(j, bytes, size, problem ? problem : &unread);
    if (status != LL_OK) {
        ll_journal_free(j);
        *out = NULL;
    }
    return status;
}

void ll_journal_free(ll_journal *journal)
{
    if (journal) {
        ll_allocator a = journal->arena.allocator;
        LL_ARRAY_FREE(&journal->bytes, &a);
        ll_arena_free(&journal->arena);
        a.release(a.ctx, journal);
    }
}

bool ll_journal_at(const ll_journal *journal, size_t index, ll_journal_entry *out)
{
    if (index >= journal->items.count) {
        return false;
    }
    *out = journal->items.items[index].entry;
    return true;
}

/* ------------------------------------------------------------------ undoing */

static bool is_state(const void *bytes, size_t size, uint64_t wanted, uint64_t hash)
{
    return size == wanted && ll_fnv(LL_FNV_START, bytes, size) == hash;
}

/* Undoes one change. *fits: the file has the bytes that the change wrote. */
static ll_status take_back(ll_journal *j, const change *c, bool *fits)
{
    size_t size = j->bytes.count;
    size_t more = c->was_size > c->is_size ? c->was_size - c->is_size : 0;
    *fits = ll_fits(c->offset, c->is_size, size) &&
            (!c->is_size || memcmp(j->bytes.items + c->offset, c->is, c->is_size) == 0);
    if (!*fits) {
        return LL_OK;
    }
    if (more && !LL_ARRAY_ROOM(&j->bytes, more, &j->arena.allocator)) {
        return LL_E_MEMORY;
    }
    uint8_t *at = j->bytes.items + c->offset;
    if (c->was_size != c->is_size) {
        memmove(at + c->was_size, at + c->is_size, size - (size_t)c->offset - c->is_size);
        j->bytes.count = size - c->is_size + c->was_size;
    }
    if (c->was_size) {
        memcpy(at, c->was, c->was_size);
    }
    return LL_OK;
}

ll_status ll_journal_undo(ll_journal *journal, size_t index, const void *bytes, size_t size, ll_undone *out)
{
    if (!journal || index >= journal->items.count || (!bytes && size)) {
        return LL_E_ARGUMENT;
    }
    const item *it = &journal->items.items[index];
    *out = (ll_undone){.outcome = LL_UNDO_OTHER};
    if (is_state(bytes, size, it->entry.size_before, it->hash_before)) {
        out->outcome = LL_UNDO_NOTHING;
        return LL_OK;
    }
    if (!it->entry.whole || !is_state(bytes, size, it->entry.size_after, it->hash_after)) {
        return LL_OK;
    }
    bool fits = true;
    journal->bytes.count = 0;
    if (size && !LL_ARRAY_ROOM(&journal->bytes, size, &journal->arena.allocator)) {
        return LL_E_MEMORY;
    }
    if (size) {
        memcpy(journal->bytes.items, bytes, size);
        journal->bytes.count = size;
    }
    ll_status status = LL_OK;
    for (size_t i = it->met; i > 0 && fits && status == LL_OK; i--) {
        status = take_back(journal, &journal->changes.items[it->first + i - 1], &fits);
    }
    if (status == LL_OK && fits &&
        is_state(journal->bytes.items, journal->bytes.count, it->entry.size_before, it->hash_before)) {
        *out = (ll_undone){LL_UNDO_DONE, journal->bytes.items, journal->bytes.count};
    }
    return status;
}
