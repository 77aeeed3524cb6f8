/* Maps whose actors have generated scripts, and little else. */
#ifndef MADE_MAP_H
#define MADE_MAP_H

#include "script.h"

/* A script in a map: its offset and length in `code`, and what it uses. */
typedef struct map_part {
    uint32_t offset, length, pc, strings, variables;
} map_part;

typedef struct map_parts {
    image code;
    map_part *items;
    size_t count, capacity;
} map_parts;

void map_parts_add(map_parts *parts, const made_script *script);
void release_map_parts(map_parts *parts);

/* Makes a file with an actor for each part; replaces *file. Returns the offset of the code in it. */
size_t make_script_map(image *file, const map_parts *parts);

#endif
