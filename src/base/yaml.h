/* YAML as data: turns a UTF-8 document into a read-only tree of scalars, lists and maps. Scalars are text, typed by the
 * reader, never by YAML. Refuses with a message: anchors, aliases, tags, directives, duplicate keys, keys that are not
 * scalars, several documents, NUL characters, and anything beyond the limits below. The only module that uses
 * libyaml. */
#ifndef LL_BASE_YAML_H
#define LL_BASE_YAML_H

#include "base/arena.h"

enum {
    LL_YAML_BYTES_MAX = 1024 * 1024,
    LL_YAML_SCALAR_MAX = 64 * 1024, /* bytes of one scalar */
    LL_YAML_NODES_MAX = 256 * 1024,
    LL_YAML_KEYS_MAX = 1024, /* in one map */
    LL_YAML_DEPTH_MAX = 16   /* nesting of lists and maps */
};

typedef enum ll_yaml_kind { LL_YAML_SCALAR, LL_YAML_LIST, LL_YAML_MAP } ll_yaml_kind;

typedef struct ll_yaml {
    uint8_t kind;                       /* ll_yaml_kind */
    bool plain;                         /* a scalar without quotes, not a block text */
    unsigned line, column;              /* start, 1-based; columns count characters */
    size_t index;                       /* characters before it in the document */
    const char *text;                   /* scalar: valid UTF-8 without NUL, NUL-terminated; else "" */
    size_t length;                      /* scalar: bytes of the text; list: items; map: keys */
    const struct ll_yaml *key;          /* in a map: the key of this value; else NULL */
    const struct ll_yaml *first, *next; /* first item or value; next sibling */
} ll_yaml;

/* Reads one document into the arena. *root is NULL if there is none (only comments). A leading byte order mark is
 * skipped. LL_E_PACK: *problem says where and why; LL_E_MEMORY. The bytes may be released afterwards. */
ll_status ll_yaml_read(ll_arena *arena, const char *bytes, size_t size, const ll_yaml **root, ll_problem *problem);

/* Like ll_yaml_read(), with limits for the bytes of the document, the bytes of a scalar, and the number of nodes. */
typedef struct ll_yaml_limits {
    size_t bytes, scalar, nodes;
} ll_yaml_limits;
ll_status ll_yaml_read_large(ll_arena *arena, const char *bytes, size_t size, const ll_yaml_limits *limits,
                             const ll_yaml **root, ll_problem *problem);

/* Value of a key; NULL: no such key, or the node is not a map. */
const ll_yaml *ll_yaml_get(const ll_yaml *map, const char *key);
/* Item `index` of a list, or value `index` of a map; NULL: beyond the end, or a scalar. */
const ll_yaml *ll_yaml_at(const ll_yaml *node, size_t index);
/* Reads an unquoted "true" or "false"; false for anything else. */
bool ll_yaml_bool(const ll_yaml *node, bool *out);
/* Kind of a node for messages: "a text", "a list", "a map". */
const char *ll_yaml_kind_text(const ll_yaml *node);

#endif
