/* Reads a whole file into memory, for property tests in C. */
#ifndef LL_TESTS_PROP_READ_FILE_H
#define LL_TESTS_PROP_READ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The bytes of a file, to be freed by the caller, and their number in *size; NULL if it cannot be read. */
static inline uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        return NULL;
    }
    long length = ftell(file);
    uint8_t *bytes = length >= 0 ? malloc(length ? (size_t)length : 1) : NULL;
    rewind(file);
    *size = bytes ? fread(bytes, 1, (size_t)length, file) : 0;
    fclose(file);
    return bytes;
}

#endif
