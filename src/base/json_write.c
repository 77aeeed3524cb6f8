/* Writes JSON into a text. */
#include "base/json_write.h"

static void separate(ll_jsonw *json)
{
    if (json->comma) {
        ll_text_char(json->out, ',');
    }
    json->comma = true;
}

void ll_jsonw_open(ll_jsonw *json)
{
    ll_text_put(json->out, json->comma ? ",\"" : "\"", json->comma ? 2 : 1);
    json->comma = true;
}

void ll_jsonw_close(ll_jsonw *json)
{
    ll_text_char(json->out, '"');
}

void ll_jsonw_string(ll_jsonw *json, const char *bytes, size_t n)
{
    ll_jsonw_open(json);
    ll_text_json(json->out, bytes, n);
    ll_jsonw_close(json);
}

void ll_jsonw_plain(ll_jsonw *json, const char *s)
{
    ll_jsonw_open(json);
    ll_text_str(json->out, s);
    ll_jsonw_close(json);
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
    ll_jsonw_open(json);
    char *room = ll_text_room(json->out, 2 * n);
    for (size_t i = 0; room && i < n; i++) {
        room[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        room[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    json->out->length += room ? 2 * n : 0;
    ll_jsonw_close(json);
}

void ll_jsonw_base64(ll_jsonw *json, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    ll_jsonw_open(json);
    size_t length = (n + 2) / 3 * 4;
    char *room = ll_text_room(json->out, length);
    for (size_t i = 0; room && i < n; i += 3, room += 4) {
        size_t left = n - i;
        uint32_t v =
            (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0U);
        room[0] = digits[v >> 18];
        room[1] = digits[v >> 12 & 63];
        room[2] = left > 1 ? digits[v >> 6 & 63] : '=';
        room[3] = left > 2 ? digits[v & 63] : '=';
    }
    json->out->length += room ? length : 0;
    ll_jsonw_close(json);
}

void ll_jsonw_raw(ll_jsonw *json, const char *bytes, size_t n)
{
    separate(json);
    ll_text_put(json->out, bytes, n);
}

void ll_jsonw_hash(ll_jsonw *json, uint64_t hash)
{
    ll_jsonw_open(json);
    ll_text_hex(json->out, hash, 16);
    ll_jsonw_close(json);
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
