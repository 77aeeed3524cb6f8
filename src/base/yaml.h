/* YAML as data: a UTF-8 document becomes a read-only tree of scalars, lists and maps. Scalars are text, typed by
 * the reader, never by YAML. What few readers expect is refused by name and place: anchors, aliases, tags, directives,
 * duplicate keys, keys that are no scalars, several documents, NUL characters, and anything beyond the limits below.
 * The only module that knows libyaml. */
#ifndef LL_BASE_YAML_H
#define LL_BASE_YAML_H

#include "base/arena.h"

enum {
    LL_YAML_BYTES_MAX = 1024 * 1024,
    LL_YAML_SCALAR_MAX = 64 * 1024, /* bytes of one scalar */
    LL_YAML_NODES_MAX = 256 * 1024,
    LL_YAML_KEYS_MAX = 1024, /* of one map */
    LL_YAML_DEPTH_MAX = 16   /* lists and maps inside one another */
};

typedef enum ll_yaml_kind { LL_YAML_SCALAR, LL_YAML_LIST, LL_YAML_MAP } ll_yaml_kind;

typedef struct ll_yaml {
    uint8_t kind;                       /* ll_yaml_kind */
    bool plain;                         /* a scalar without quotes, not a block text */
    unsigned line, column;              /* where it starts, 1-based; columns count characters */
    size_t index;                       /* characters of the document in front of it */
    const char *text;                   /* scalars: valid UTF-8, NUL-terminated, no NUL inside; others: "" */
    size_t length;                      /* scalars: bytes of the text; lists: items; maps: keys */
    const struct ll_yaml *key;          /* what this node is the value of, in a map; else NULL */
    const struct ll_yaml *first, *next; /* first item or value; the next one beside this node */
} ll_yaml;

/* Reads one document into the arena. *root is NULL when there is none (nothing but comments). A byte order mark in
 * front is passed over, and line 1 begins behind it. LL_E_PACK: *problem says where and why; LL_E_MEMORY. The bytes may
 * be released afterwards. */
ll_status ll_yaml_read(ll_arena *arena, const char *bytes, size_t size, const ll_yaml **root, ll_problem *problem);

/* The same of a document that may be as large as the limits say, of bytes, of those of a text, and of nodes. */
typedef struct ll_yaml_limits {
    size_t bytes, scalar, nodes;
} ll_yaml_limits;
ll_status ll_yaml_read_large(ll_arena *arena, const char *bytes, size_t size, const ll_yaml_limits *limits,
                             const ll_yaml **root, ll_problem *problem);

/* The value of a key; NULL when the map has no such key or the node is no map. */
const ll_yaml *ll_yaml_get(const ll_yaml *map, const char *key);
/* Item `index` of a list, value `index` of a map; NULL beyond the end and for scalars. */
const ll_yaml *ll_yaml_at(const ll_yaml *node, size_t index);
/* Plain "true" or "false" into *out; false for anything else. */
bool ll_yaml_bool(const ll_yaml *node, bool *out);
/* "a text", "a list", "a map": for messages. */
const char *ll_yaml_kind_text(const ll_yaml *node);

#endif
