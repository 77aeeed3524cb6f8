/* The platform-independent part of os.h. File sizes are only hints: the end of a file is where a read returns no
 * bytes. */
#include "cli/os_inner.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Initial size of the reused block. Larger than most light files; unused pages cost nothing. */
#define BLOCK_FIRST ((size_t)64 * 1024)
/* Files up to this size are read into the block: unlike a mapping, a copy does not change if the file is truncated. */
#define MAP_ABOVE ((size_t)1024 * 1024)

void *ll_os_alloc(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (!block && count && size) {
        ll_os_end_without_memory();
    }
    return block;
}

/* ------------------------------------------------------------------ crashes */

static atomic_bool passed_on; /* data was read from or written to a stream that cannot be repeated */

void ll_os_forbid_restart(void)
{
    atomic_store(&passed_on, true);
}

bool ll_os_can_restart(void)
{
    return !atomic_load(&passed_on);
}

/* ------------------------------------------------------------------ reading */

static bool resize_block(ll_os_buffer *buffer, size_t capacity)
{
    unsigned char *block = realloc(buffer->block, capacity);
    if (block) {
        buffer->block = block;
        buffer->capacity = capacity;
    }
    return block;
}

/* Called when the block is full: makes room for the rest of the file, or maps the whole file. */
static int make_room(ll_os_buffer *buffer, int file, size_t used)
{
    size_t capacity = buffer->capacity < SIZE_MAX / 2 ? buffer->capacity * 2 : SIZE_MAX;
    uint64_t size = ll_os_size(file);
    if (size > used) {
        if (size >= SIZE_MAX) {
            return EFBIG;
        }
        if (size > MAP_ABOVE && ll_os_map(buffer, file, (size_t)size)) {
            return 0;
        }
        capacity = (size_t)size + 1; /* one more byte, so that the read at the end needs no growth */
    }
    if (capacity > LL_OS_STREAM_MAX + 1) {
        return EFBIG;
    }
    return resize_block(buffer, capacity) ? 0 : ENOMEM;
}

/* Stops when as many bytes were read as the system states, so that a usual small file costs one read. */
int ll_os_read_all(ll_os_buffer *buffer, int file, uint64_t size)
{
    size_t used = 0;
    size_t n = 1;
    if (!buffer->block && !resize_block(buffer, BLOCK_FIRST)) {
        return ENOMEM;
    }
    while (n && (used == 0 || used != size)) {
        int error = used == buffer->capacity ? make_room(buffer, file, used) : 0;
        if (!error && buffer->map) {
            buffer->bytes = buffer->map;
            buffer->size = buffer->map_size;
            return 0;
        }
        error = error ? error : ll_os_source_read(file, (char *)buffer->block + used, buffer->capacity - used, &n);
        if (error) {
            return error;
        }
        used += n;
    }
    buffer->bytes = buffer->block;
    buffer->size = used;
    return 0;
}

void ll_os_clear(ll_os_buffer *buffer)
{
    if (buffer->map) {
        ll_os_unmap(buffer->map, buffer->map_size);
        buffer->map = NULL;
    }
    buffer->bytes = NULL;
    buffer->size = 0;
}

int ll_os_read(ll_os_buffer *buffer, const char *path)
{
    ll_os_clear(buffer);
    if (!path) {
        ll_os_forbid_restart(); /* standard input cannot be read again */
    }
    return path ? ll_os_read_path(buffer, path, false) : ll_os_read_all(buffer, LL_OS_STDIN, 0);
}

int ll_os_read_stream(ll_os_buffer *buffer, const char *path)
{
    ll_os_clear(buffer);
    if (ll_os_kind_of(path) != LL_OS_FILE) {
        ll_os_forbid_restart();
    }
    return ll_os_read_path(buffer, path, true);
}

void ll_os_buffer_free(ll_os_buffer *buffer)
{
    ll_os_clear(buffer);
    free(buffer->block);
    buffer->block = NULL;
    buffer->capacity = 0;
}

/* ------------------------------------------------------------------ the file system */

bool ll_os_is_there(const char *path)
{
    return ll_os_kind_of(path) > LL_OS_HIDDEN;
}

const char *ll_os_last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *ll_os_directory_of(const char *path)
{
    size_t n = (size_t)(ll_os_last_name(path) - path);
    char *directory = ll_os_alloc(n + 2, 1);
    memcpy(directory, n ? path : ".", n ? n : 1);
    return directory;
}

static bool identify_parent(const char *path, ll_os_id *out)
{
    char *parent = ll_os_directory_of(path);
    bool there = ll_os_identify(parent, out);
    free(parent);
    return there;
}

bool ll_os_same_target(const char *a, const char *b)
{
    ll_os_id one;
    ll_os_id two;
    bool have_one = ll_os_identify(a, &one);
    bool have_two = ll_os_identify(b, &two);
    if (have_one || have_two) {
        return have_one && have_two && ll_os_same(one, two);
    }
    return strcmp(ll_os_last_name(a), ll_os_last_name(b)) == 0 && identify_parent(a, &one) &&
           identify_parent(b, &two) && ll_os_same(one, two);
}

/* ------------------------------------------------------------------ names of incomplete files */

#define TEMPORARY ".lightlint-"

char *ll_os_temporary_name(const char *path, unsigned long process, unsigned number)
{
    size_t size = strlen(path) + 48;
    char *name = ll_os_alloc(size, 1);
    (void)snprintf(name, size, "%s" TEMPORARY "%lu-%u.tmp", path, process, number);
    return name;
}

/* Length of a decimal number and the character `end` after it; 0 if the text does not begin with them. */
static size_t number_length(const char *text, char end)
{
    size_t n = strspn(text, "0123456789");
    return n && n <= 20 && text[n] == end ? n + 1 : 0;
}

/* Is the entry named NAME.lightlint-PROCESS-NUMBER.tmp? */
static bool is_temporary(const char *entry)
{
    const char *at = NULL;
    for (const char *next = entry; (next = strstr(next, TEMPORARY)) != NULL; next++) {
        at = next;
    }
    if (!at || at == entry) {
        return false;
    }
    at += strlen(TEMPORARY);
    size_t process = number_length(at, '-');
    size_t number = process ? number_length(at + process, '.') : 0;
    return number && strcmp(at + process + number, "tmp") == 0;
}

/* Names to be removed, each with its NUL. They are collected first, as a directory must not be changed while it is
 * listed. */
typedef struct search {
    char *names;
    size_t size, capacity;
} search;

static void visit(void *ctx, const char *entry, ll_os_kind kind)
{
    search *s = ctx;
    size_t n = strlen(entry) + 1;
    if (kind != LL_OS_FILE || !is_temporary(entry)) {
        return;
    }
    if (n > s->capacity - s->size) {
        char *more = ll_os_alloc(2 * s->capacity + n, 1);
        if (s->size) {
            memcpy(more, s->names, s->size);
        }
        free(s->names);
        s->names = more;
        s->capacity = 2 * s->capacity + n;
    }
    memcpy(s->names + s->size, entry, n);
    s->size += n;
}

void ll_os_remove_leftovers(const char *path)
{
    char *directory = ll_os_directory_of(path);
    int folder = (int)(ll_os_last_name(path) - path);
    search s = {.names = NULL};
    (void)ll_os_list(directory, visit, &s);
    for (size_t at = 0; at < s.size; at += strlen(s.names + at) + 1) {
        size_t size = (size_t)folder + strlen(s.names + at) + 1;
        char *leftover = ll_os_alloc(size, 1);
        (void)snprintf(leftover, size, "%.*s%s", folder, path, s.names + at);
        ll_os_remove_leftover(leftover);
        free(leftover);
    }
    free(s.names);
    free(directory);
}

/* ------------------------------------------------------------------ the machine */

bool ll_os_same_variable(const char *one, const char *other)
{
    size_t n = strcspn(one, "=");
    return n == strcspn(other, "=") && strncmp(one, other, n) == 0;
}

/* Calendar arithmetic in eras of 400 years that begin in March, as gmtime() on Windows ends in the year 3000. */
bool ll_os_today(char out[LL_OS_DATE])
{
    static const int64_t last = 253402300799; /* end of the year 9999 */
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    int64_t seconds = (int64_t)time(NULL);
    if (epoch) {
        size_t n = strlen(epoch);
        if (n == 0 || n > 12 || strspn(epoch, "0123456789") != n) {
            return false;
        }
        seconds = strtoll(epoch, NULL, 10);
    }
    if (seconds < 0 || seconds > last) {
        return false;
    }
    unsigned days = (unsigned)(seconds / 86400) + 719468; /* since 1 March of the year 0 */
    unsigned era = days / 146097;
    unsigned day = days % 146097;
    unsigned year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    unsigned month = (5 * day + 2) / 153; /* 0 is March */
    day -= (153 * month + 2) / 5;
    year += era * 400 + (month >= 10);
    (void)snprintf(out, LL_OS_DATE, "%04u-%02u-%02u", year % 10000, (month + 2) % 12 + 1, day + 1);
    return true;
}
