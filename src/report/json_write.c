/* See json_write.h. */
#include "report/json_write.h"

static void separate(ll_jsonw *json)
{
    if (json->comma) {
        ll_text_char(json->out, ',');
    }
    json->comma = true;
}

void ll_jsonw_begin(ll_jsonw *json, char bracket)
{
    separate(json);
    ll_text_char(json->out, bracket);
    json->comma = false;
}

void ll_jsonw_end(ll_jsonw *json, char bracket)
{
    ll_text_char(json->out, bracket);
    json->comma = true;
}

void ll_jsonw_string(ll_jsonw *json, const char *bytes, size_t n)
{
    ll_text_put(json->out, json->comma ? ",\"" : "\"", json->comma ? 2 : 1);
    json->comma = true;
    ll_text_json(json->out, bytes, n);
    ll_text_char(json->out, '"');
}

void ll_jsonw_plain(ll_jsonw *json, const char *s)
{
    ll_text_put(json->out, json->comma ? ",\"" : "\"", json->comma ? 2 : 1);
    json->comma = true;
    ll_text_str(json->out, s);
    ll_text_char(json->out, '"');
}

void ll_jsonw_u64(ll_jsonw *json, uint64_t value)
{
    bool exact = value <= UINT64_C(1) << 53;
    separate(json);
    if (!exact) {
        ll_text_char(json->out, '"');
    }
    ll_text_u64(json->out, value);
    if (!exact) {
        ll_text_char(json->out, '"');
    }
}

void ll_jsonw_bool(ll_jsonw *json, bool value)
{
    separate(json);
    ll_text_str(json->out, value ? "true" : "false");
}

void ll_jsonw_hex(ll_jsonw *json, const uint8_t *bytes, size_t n)
{
    char digits[64];
    separate(json);
    ll_text_char(json->out, '"');
    for (size_t at = 0; at < n;) {
        size_t used = 0;
        for (; at < n && used < sizeof digits; at++) {
            digits[used++] = "0123456789abcdef"[bytes[at] >> 4];
            digits[used++] = "0123456789abcdef"[bytes[at] & 15];
        }
        ll_text_put(json->out, digits, used);
    }
    ll_text_char(json->out, '"');
}

void ll_jsonw_raw(ll_jsonw *json, const char *bytes, size_t n)
{
    separate(json);
    ll_text_put(json->out, bytes, n);
}

void ll_jsonw_hash(ll_jsonw *json, uint64_t hash)
{
    separate(json);
    ll_text_char(json->out, '"');
    ll_text_hex(json->out, hash, 16);
    ll_text_char(json->out, '"');
}

void ll_jsonw_name(ll_jsonw *json, const char *key)
{
    ll_jsonw_plain(json, key);
    ll_text_char(json->out, ':');
    json->comma = false;
}

void ll_jsonw_line(ll_jsonw *json)
{
    ll_text_str(json->out, json->comma ? ",\n" : "\n");
    json->comma = false;
}
