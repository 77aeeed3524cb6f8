#include "image.h"

#include "base/endian.h"
#include "formats/rgm/rgm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void die(const char *what)
{
    (void)fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(2);
}

size_t grow(image *file, size_t n)
{
    size_t at = file->size;
    if (n > file->capacity - at) {
        file->capacity = (at + n) * 2;
        file->bytes = realloc(file->bytes, file->capacity);
        if (!file->bytes) {
            die("memory");
        }
    }
    memset(file->bytes + at, 0, n);
    file->size += n;
    return at;
}

void put(image *file, size_t at, unsigned bytes, uint64_t value)
{
    ll_put_uint(file->bytes + at, bytes, LL_LITTLE, value);
}

void put_be(image *file, size_t at, uint32_t value)
{
    ll_put_uint(file->bytes + at, 4, LL_BIG, value);
}

void put_row(image *file, size_t at, unsigned bytes, const uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put(file, at + i * bytes, bytes, values[i]);
    }
}

/* ------------------------------------------------------------------ scene files */

void put_name(image *file, size_t at, uint32_t i)
{
    char name[NAME_BYTES + 1];
    (void)snprintf(name, sizeof name, "A%07u", i % 10000000);
    memcpy(file->bytes + at, name, NAME_BYTES);
}

size_t open_section(image *file, const char *tag)
{
    size_t at = grow(file, rgm_rahd_SIZE);
    memcpy(file->bytes + at, tag, 4);
    return at;
}

void close_section(image *file, size_t at)
{
    put_be(file, at + rgm_rahd_at_length, (uint32_t)(file->size - at - rgm_rahd_SIZE));
}

size_t put_array(image *file, const char *tag, size_t head, uint32_t count, size_t record)
{
    size_t at = open_section(file, tag);
    size_t records = grow(file, head + count * record) + head;
    if (head) {
        put(file, records - head, 4, count);
    }
    close_section(file, at);
    return records;
}

size_t put_headers(image *file, uint32_t actors)
{
    static const uint8_t prefix[] = {0x1B, 0x80, 0x37, 0x00};
    size_t at = put_array(file, "RAHD", rgm_rahd_head_SIZE, actors, rgm_actor_SIZE);
    memcpy(file->bytes + at - sizeof prefix, prefix, sizeof prefix);
    return at;
}

void put_end(image *file)
{
    memcpy(file->bytes + grow(file, rgm_end_SIZE), "END ", rgm_end_SIZE);
}
