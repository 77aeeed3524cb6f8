/* Writes JSON into a text: adds commas and quotes, builds no tree, writes no floats. Keys are literals that need no
 * escaping. The caller balances begin and end. */
#ifndef LL_BASE_JSON_WRITE_H
#define LL_BASE_JSON_WRITE_H

#include "base/text.h"

typedef struct ll_jsonw {
    ll_text *out;
    bool comma; /* a comma is due before the next item */
} ll_jsonw;

/* Begins an object or array, as a value after a key or as an element. */
static inline void ll_jsonw_begin(ll_jsonw *json, char bracket)
{
    if (json->comma) {
        ll_text_char(json->out, ',');
    }
    ll_text_char(json->out, bracket);
    json->comma = false;
}
static inline void ll_jsonw_end(ll_jsonw *json, char bracket)
{
    ll_text_char(json->out, bracket);
    json->comma = true;
}
/* Writes a key; its value follows. ll_jsonw_key() takes a string literal, ll_jsonw_name() a key from a table. */
void ll_jsonw_name(ll_jsonw *json, const char *key);
#define ll_jsonw_key(json, literal) ll_jsonw_key_of(json, ",\"" literal "\":", sizeof literal + 3)
static inline void ll_jsonw_key_of(ll_jsonw *json, const char *quoted, size_t n) /* quoted: ,"key": */
{
    size_t skip = json->comma ? 0 : 1;
    ll_text_put(json->out, quoted + skip, n - skip);
    json->comma = false;
}

/* Writes a string of any bytes, escaped as by ll_text_json(). */
void ll_jsonw_string(ll_jsonw *json, const char *bytes, size_t n);
static inline void ll_jsonw_str(ll_jsonw *json, const char *s)
{
    ll_jsonw_string(json, s, strlen(s));
}
/* Begin and end a string whose content the caller appends to json->out, already escaped. */
void ll_jsonw_open(ll_jsonw *json);
void ll_jsonw_close(ll_jsonw *json);
/* Writes a string that needs no escaping: ids, names, hex digits. */
void ll_jsonw_plain(ll_jsonw *json, const char *s);
/* Writes a number; above 2^53, which many readers cannot hold, as a string. */
void ll_jsonw_u64(ll_jsonw *json, uint64_t value);
void ll_jsonw_bool(ll_jsonw *json, bool value);
/* Write n bytes as a string of hex digits or of base64. */
void ll_jsonw_hex(ll_jsonw *json, const uint8_t *bytes, size_t n);
void ll_jsonw_base64(ll_jsonw *json, const uint8_t *bytes, size_t n);
/* Writes a hash as a string of 16 hex digits. */
void ll_jsonw_hash(ll_jsonw *json, uint64_t hash);
/* Writes a value that is JSON already. */
void ll_jsonw_raw(ll_jsonw *json, const char *bytes, size_t n);
/* Starts a new line before the next element. */
void ll_jsonw_line(ll_jsonw *json);

/* Write a literal key and a value. */
#define LL_JSON_STR(json, key, s) (ll_jsonw_key(json, key), ll_jsonw_str(json, s))
#define LL_JSON_PLAIN(json, key, s) (ll_jsonw_key(json, key), ll_jsonw_plain(json, s))
#define LL_JSON_U64(json, key, value) (ll_jsonw_key(json, key), ll_jsonw_u64(json, value))
#define LL_JSON_BOOL(json, key, value) (ll_jsonw_key(json, key), ll_jsonw_bool(json, value))
#define LL_JSON_BEGIN(json, key, bracket) (ll_jsonw_key(json, key), ll_jsonw_begin(json, bracket))

#endif
