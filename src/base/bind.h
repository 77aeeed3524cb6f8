/* Binds a map that people write to the members of a struct, by rows: one for each key. Refuses unknown keys, keys that
 * do not belong there, missing ones, and values that the reader of a row refuses. Every refusal has the place of the
 * value or key. Values are refused in one form: "KEY: expected WHAT, not WHAT". */
#ifndef LL_BASE_BIND_H
#define LL_BASE_BIND_H

#include "base/problem.h"
#include "base/yaml.h"

typedef struct ll_binder {
    ll_arena *arena;     /* for what readers make */
    ll_problem *problem; /* may be NULL */
    void *owner;         /* for readers of the caller */
} ll_binder;

/* Reads a value into a member, whose type it knows. LL_E_PACK: refused; LL_E_MEMORY. */
typedef ll_status ll_bind_fn(const ll_binder *b, const ll_yaml *node, void *out);

typedef struct ll_bind_key {
    const char *name;
    ll_bind_fn *read;
    size_t offset;    /* of the member */
    unsigned allowed; /* kinds of maps that may have the key, a bit each */
    unsigned needed;  /* kinds of maps that must have it */
} ll_bind_key;

typedef struct ll_bind_map {
    const ll_bind_key *keys;
    size_t count;
    const char *what;         /* "the entry", for messages about missing keys */
    const char *expected;     /* what the map is and looks like: "an entry such as {...}" */
    const char *const *kinds; /* by bit: where a key is not allowed: "in a rule with a fault"; NULL: one kind */
} ll_bind_map;

/* Reads a map of a kind, which is one bit. */
ll_status ll_bind(const ll_binder *b, const ll_bind_map *map, unsigned kind, const ll_yaml *node, void *out);
/* Checks only that all keys of a map are known: suggests a similar one, else lists those for the kinds. */
ll_status ll_bind_keys(const ll_binder *b, const ll_bind_map *map, unsigned kinds, const ll_yaml *node);

/* Refuses a value: "NAME: expected <expected>, not a list". `name` NULL: that of its key, if it has one. */
ll_status ll_bind_expect(const ll_binder *b, const char *name, const ll_yaml *node, const char *expected);
/* Refuses a value or key with a message of its own. */
#define LL_BIND_REFUSE(b, node, ...) LL_PROBLEM(ll_problem_at((b)->problem, (node)->line, (node)->column), __VA_ARGS__)

/* Reads true or false into a bool. */
ll_bind_fn ll_bind_bool;
/* Reads a text in quotes, as in JSON, into a const char *, which is valid as long as the node. */
ll_bind_fn ll_bind_text;
/* Reads a whole number >= 0, with or without quotes, into a uint64_t. */
ll_bind_fn ll_bind_u64;
/* Reads exactly 16 lower-case hex digits in quotes into a uint64_t. */
ll_bind_fn ll_bind_hash;
/* Reads such digits from a text. False: anything else. */
bool ll_read_hash(const char *digits, uint64_t *out);
/* Finds the number of a scalar among words, which end with NULL; suggests a similar one, else lists all. */
ll_status ll_bind_choice(const ll_binder *b, const char *name, const ll_yaml *node, const char *const *words,
                         size_t *number);
#endif
