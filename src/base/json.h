/* Reads plain JSON into the nodes of yaml.h, several times as fast as libyaml, and a long list item by item. Whatever
 * it accepts, libyaml reads as the same tree. It gives no messages and refuses some valid JSON: to get a message, or to
 * read anything else, call ll_yaml_read_large(). */
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

/* All return LL_E_INPUT if the bytes are refused, or LL_E_MEMORY. Texts and nodes are in the arena. Line and column of
 * a node are 0. The index of nodes of ll_json_read() is their offset in bytes, that of other nodes means nothing. */

/* Reads the document. Checks lists and maps under the key `skipped`, in any map, but returns empty lists for them. Does
 * so too for a list under the key `later` of the outermost map, and sets *items to it. Either key may be NULL. */
ll_status ll_json_read(ll_arena *arena, const char *bytes, size_t size, const char *skipped, const char *later,
                       const ll_yaml **root, ll_json_items *items);
/* Reads the next item. *item is NULL behind the last one. */
ll_status ll_json_next(ll_json_items *items, ll_arena *arena, const ll_yaml **item);
/* Reads the remaining items into the list. */
ll_status ll_json_rest(ll_json_items *items, ll_arena *arena);

#endif
