/* Files that tests and the benchmark make in memory. Whoever runs out of memory ends the program. */
#ifndef MADE_IMAGE_H
#define MADE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

typedef struct image {
    uint8_t *bytes;
    size_t size, capacity;
} image;

_Noreturn void die(const char *what);

/* `n` zero bytes more; returns where they start. */
size_t grow(image *file, size_t n);

void put(image *file, size_t at, unsigned bytes, uint64_t value);
void put_be(image *file, size_t at, uint32_t value);
void put_row(image *file, size_t at, unsigned bytes, const uint32_t *values, size_t count);

/* ------------------------------------------------------------------ scene files */

enum { NAME_BYTES = 8, STRING_BYTES = NAME_BYTES + 1 };

/* The name of actor i: 8 letters. */
void put_name(image *file, size_t at, uint32_t i);
/* Header of a section without payload; what is grown after it is the payload, up to close_section(). */
size_t open_section(image *file, const char *tag);
void close_section(image *file, size_t at);
/* A section of `count` equal records that are zero; returns the first of them. `head`: bytes of the count in front of
 * them, or 0. */
size_t put_array(image *file, const char *tag, size_t head, uint32_t count, size_t record);
/* RAHD without records' contents; returns the first record. */
size_t put_headers(image *file, uint32_t actors);
void put_end(image *file);

#endif
