/* The JSON writer: straight into a text, with commas and quotes by itself, without a tree and without floats. Keys are
 * ours and need no escaping. The caller balances begin and end. */
#ifndef LL_REPORT_JSON_WRITE_H
#define LL_REPORT_JSON_WRITE_H

#include "base/text.h"

typedef struct ll_jsonw {
    ll_text *out;
    bool comma; /* the next thing follows another one */
} ll_jsonw;

/* Behind a key or inside an array. */
void ll_jsonw_begin(ll_jsonw *json, char bracket);
void ll_jsonw_end(ll_jsonw *json, char bracket);
/* A key that is a string literal; its value follows. ll_jsonw_name() is for keys out of a table. */
void ll_jsonw_name(ll_jsonw *json, const char *key);
#define ll_jsonw_key(json, literal) ll_jsonw_key_of(json, ",\"" literal "\":", sizeof literal + 3)
static inline void ll_jsonw_key_of(ll_jsonw *json, const char *quoted, size_t n) /* with comma and colon */
{
    size_t skip = json->comma ? 0 : 1;
    ll_text_put(json->out, quoted + skip, n - skip);
    json->comma = false;
}

/* Any bytes; see ll_text_json(). */
void ll_jsonw_string(ll_jsonw *json, const char *bytes, size_t n);
static inline void ll_jsonw_str(ll_jsonw *json, const char *s)
{
    ll_jsonw_string(json, s, strlen(s));
}
/* Between the two the caller puts the inside of a string, escaped, into json->out. */
void ll_jsonw_open(ll_jsonw *json);
void ll_jsonw_close(ll_jsonw *json);
/* Text of ours that needs no escaping: ids, slugs, hex digits. */
void ll_jsonw_plain(ll_jsonw *json, const char *s);
/* Above 2^53, which many readers cannot hold, as a string. */
void ll_jsonw_u64(ll_jsonw *json, uint64_t value);
void ll_jsonw_bool(ll_jsonw *json, bool value);
/* n bytes as a string of hex digits, and as one of base64. */
void ll_jsonw_hex(ll_jsonw *json, const uint8_t *bytes, size_t n);
void ll_jsonw_base64(ll_jsonw *json, const uint8_t *bytes, size_t n);
/* A hash as 16 hex digits. */
void ll_jsonw_hash(ll_jsonw *json, uint64_t hash);
/* A value that is JSON already. */
void ll_jsonw_raw(ll_jsonw *json, const char *bytes, size_t n);
/* The next element of an array begins a line. */
void ll_jsonw_line(ll_jsonw *json);

/* Members of an object: a literal key and its value. */
#define LL_JSON_STR(json, key, s) (ll_jsonw_key(json, key), ll_jsonw_str(json, s))
#define LL_JSON_PLAIN(json, key, s) (ll_jsonw_key(json, key), ll_jsonw_plain(json, s))
#define LL_JSON_U64(json, key, value) (ll_jsonw_key(json, key), ll_jsonw_u64(json, value))
#define LL_JSON_BOOL(json, key, value) (ll_jsonw_key(json, key), ll_jsonw_bool(json, value))
#define LL_JSON_BEGIN(json, key, bracket) (ll_jsonw_key(json, key), ll_jsonw_begin(json, bracket))

#endif
