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

static void quote(ll_jsonw *json)
{
    ll_text_put(json->out, json->comma ? ",\"" : "\"", json->comma ? 2 : 1);
    json->comma = true;
}

void ll_jsonw_string(ll_jsonw *json, const char *bytes, size_t n)
{
    quote(json);
    ll_text_json(json->out, bytes, n);
    ll_text_char(json->out, '"');
}

void ll_jsonw_plain(ll_jsonw *json, const char *s)
{
    quote(json);
    ll_text_str(json->out, s);
    ll_text_char(json->out, '"');
}

void ll_jsonw_u64(ll_jsonw *json, uint64_t value)
{
    bool exact = value <= UINT64_C(1) << 53;
    separate(json);
    ll_text_str(json->out, exact ? "" : "\"");
    ll_text_u64(json->out, value);
    ll_text_str(json->out, exact ? "" : "\"");
}

void ll_jsonw_bool(ll_jsonw *json, bool value)
{
    separate(json);
    ll_text_str(json->out, value ? "true" : "false");
}

void ll_jsonw_hex(ll_jsonw *json, const uint8_t *bytes, size_t n)
{
    quote(json);
    char *room = ll_text_room(json->out, 2 * n);
    for (size_t i = 0; room && i < n; i++) {
        room[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        room[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    json->out->length += room ? 2 * n : 0;
    ll_text_char(json->out, '"');
}

void ll_jsonw_raw(ll_jsonw *json, const char *bytes, size_t n)
{
    separate(json);
    ll_text_put(json->out, bytes, n);
}

void ll_jsonw_hash(ll_jsonw *json, uint64_t hash)
{
    quote(json);
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
