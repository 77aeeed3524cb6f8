/* The only reader of JSON (RFC 8259, UTF-8): makes the nodes of yaml.h. Strict: no comments, no trailing commas, no
 * duplicate keys, no NUL in a text. A long list can be read item by item. */
#ifndef LL_BASE_JSON_H
#define LL_BASE_JSON_H

#include "base/yaml.h"

/* A list whose items are read one by one. */
typedef struct ll_json_items {
    ll_yaml *list;        /* the list, without items; NULL: the document has none */
    const char *at, *end; /* position of the next item; end of the document */
    size_t nodes;         /* nodes that ll_json_rest() has made */
    bool begun;
} ll_json_items;

enum { LL_JSON_NODES_MAX = 1 << 26 }; /* in a document, or in an item that is read by itself */

/* A document. Its lists and maps under the key `skipped`, in any map, are checked, but empty lists are returned for
 * them. So is a list under the key `later` of the outermost map, and *items is set to it. Keys may be NULL. */
typedef struct ll_json_text {
    const char *bytes;
    size_t size;
    const char *skipped, *later;
    ll_json_items *items;
} ll_json_text;

/* All return LL_E_INPUT if the bytes are refused, or LL_E_MEMORY. Texts and nodes are in the arena. Nodes have the
 * limits of yaml.h for depth and keys. The index of a node is its offset in bytes. Numbers, true, false and null are
 * plain scalars with their text. Places of nodes of ll_json_next() and ll_json_rest() mean nothing. */

/* Reads a document, which is one object. `problem` may be NULL. */
ll_status ll_json_read(ll_arena *arena, const ll_json_text *text, const ll_yaml **root, ll_problem *problem);
/* Reads the next item. *item is NULL after the last one. */
ll_status ll_json_next(ll_json_items *items, ll_arena *arena, const ll_yaml **item);
/* Reads the remaining items into the list. */
ll_status ll_json_rest(ll_json_items *items, ll_arena *arena);

#endif
