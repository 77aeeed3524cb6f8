/* Files that tests and the benchmark make in memory. Running out of memory ends the program. */
#ifndef MADE_IMAGE_H
#define MADE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

typedef struct image {
    uint8_t *bytes;
    size_t size, capacity;
} image;

_Noreturn void die(const char *what);

/* Adds `n` zero bytes; returns their offset. */
size_t grow(image *file, size_t n);

void put(image *file, size_t at, unsigned bytes, uint64_t value);
void put_be(image *file, size_t at, uint32_t value);
void put_row(image *file, size_t at, unsigned bytes, const uint32_t *values, size_t count);

/* ------------------------------------------------------------------ scene files */

enum { NAME_BYTES = 8, STRING_BYTES = NAME_BYTES + 1 };

/* Writes the name of actor i: 8 letters. */
void put_name(image *file, size_t at, uint32_t i);
/* Adds the header of a section. Its payload is everything added up to close_section(). Returns the offset of the
 * header. */
size_t open_section(image *file, const char *tag);
void close_section(image *file, size_t at);
/* Adds a section with `count` zero records of `record` bytes; returns the offset of the first. `head`: size of the
 * count before them, or 0. */
size_t put_array(image *file, const char *tag, size_t head, uint32_t count, size_t record);
/* Adds RAHD with empty records; returns the offset of the first record. */
size_t put_headers(image *file, uint32_t actors);
void put_end(image *file);

#endif
