/* Open lists and maps are on a stack of fixed depth, without recursion. Skipped values take the same steps without
 * making nodes. */
#include "base/json.h"

#include "base/text.h"

#include <string.h>

enum { KEYS_MAX = 128, KEY_BYTES_MAX = 128 };

typedef struct key_text {
    const uint8_t *text;
    size_t length;
} key_text;

/* An open list or map. */
typedef struct frame {
    ll_yaml *node;        /* NULL: it is skipped */
    const ll_yaml **tail; /* where to link the next child */
    const ll_yaml *key;   /* key of the next value */
    bool is_map;
    unsigned keys;
} frame;

typedef struct reader {
    ll_arena *arena;
    const uint8_t *start, *at, *end;
    const char *skipped, *later;
    ll_json_items *items;       /* set to the list under the key `later` */
    key_text (*keys)[KEYS_MAX]; /* of open maps, to find duplicates; NULL: they were checked */
    ll_status status;
    size_t nodes;
    ll_yaml *root;
    unsigned depth;
    frame stack[LL_YAML_DEPTH_MAX];
} reader;

static bool refuse(reader *r)
{
    r->status = r->status == LL_OK ? LL_E_INPUT : r->status;
    return false;
}

static bool no_memory(reader *r)
{
    r->status = LL_E_MEMORY;
    return false;
}

/* The next byte; 0 at the end, which is valid nowhere. */
static uint8_t peek(const reader *r)
{
    return r->at < r->end ? *r->at : 0;
}

static void skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n')) {
        r->at++;
    }
}

/* ------------------------------------------------------------------ texts */

/* Number of bytes up to a quote, a backslash, or a character that libyaml refuses or folds. */
static size_t plain_length(const uint8_t *p, size_t left)
{
    size_t n = 0;
    while (n < left && p[n] >= 0x20 && p[n] < 0x7F && p[n] != '"' && p[n] != '\\') {
        n++;
    }
    if (n || *p < 0x80) {
        return n;
    }
    n = ll_utf8_length(p, left);
    bool control = n == 2 && p[0] == 0xC2 && p[1] < 0xA0;
    bool mark = n == 3 && p[0] == 0xEF && ((p[1] == 0xBB && p[2] == 0xBF) || (p[1] == 0xBF && p[2] >= 0xBE));
    bool breaks = n == 3 && p[0] == 0xE2 && p[1] == 0x80 && (p[2] == 0xA8 || p[2] == 0xA9);
    return control || mark || breaks ? 0 : n;
}

/* The character of an escape of one letter; 0: not one of these. */
static char escaped(uint8_t c)
{
    static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? bytes[at - letters] : '\0';
}

/* Passes a text. *escapes: number of escapes in it. */
static bool take_text(reader *r, const uint8_t **text, size_t *length, size_t *escapes)
{
    if (peek(r) != '"') {
        return refuse(r);
    }
    const uint8_t *from = ++r->at;
    *escapes = 0;
    while (r->at < r->end && *r->at != '"') {
        size_t n = plain_length(r->at, (size_t)(r->end - r->at));
        if (!n && *r->at == '\\' && r->end - r->at > 1 && escaped(r->at[1])) {
            n = 2;
            ++*escapes;
        }
        if (!n) {
            return refuse(r);
        }
        r->at += n;
    }
    *text = from;
    *length = (size_t)(r->at - from);
    return r->at++ < r->end || refuse(r);
}

static ll_yaml *new_node(reader *r, ll_yaml_kind kind, const uint8_t *at)
{
    ll_yaml *node = r->nodes < LL_JSON_NODES_MAX ? ll_arena_zalloc(r->arena, 1, sizeof *node) : NULL;
    if (r->nodes++ >= LL_JSON_NODES_MAX) {
        (void)refuse(r);
    } else if (node) {
        node->kind = (uint8_t)kind;
        node->index = (size_t)(at - r->start);
        node->text = "";
    } else {
        (void)no_memory(r);
    }
    return node;
}

static ll_yaml *new_text(reader *r, const uint8_t *text, size_t length, size_t escapes, bool quoted)
{
    ll_yaml *node = new_node(r, LL_YAML_SCALAR, text - quoted);
    char *copy = node ? ll_arena_copy(r->arena, (const char *)text, length) : NULL;
    if (!copy) {
        (void)(node ? no_memory(r) : false);
        return NULL;
    }
    node->text = copy;
    node->plain = !quoted;
    node->length = length - escapes;
    for (size_t i = 0; escapes && i < length; i++) {
        *copy++ = text[i] == '\\' ? escaped(text[++i]) : (char)text[i];
    }
    *copy = escapes ? '\0' : *copy;
    return node;
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* A number, true, false or null. */
static bool take_plain(reader *r, const uint8_t **text, size_t *length)
{
    static const char *const words[] = {"true", "false", "null"};
    const uint8_t *from = r->at;
    size_t left = (size_t)(r->end - from);
    bool number = is_digit(peek(r)) || (peek(r) == '-' && left > 1 && is_digit(from[1]));
    for (size_t i = 0; !number && i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        r->at += r->at == from && left >= n && memcmp(from, words[i], n) == 0 ? n : 0;
    }
    while (number &&
           (is_digit(peek(r)) || peek(r) == '.' || peek(r) == '-' || peek(r) == '+' || (peek(r) | 0x20) == 'e')) {
        r->at++;
    }
    *text = from;
    *length = (size_t)(r->at - from);
    uint8_t c = peek(r);
    return (*length && (c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n')) || refuse(r);
}

/* ------------------------------------------------------------------ values */

/* Adds a node to the tree. */
static void place(reader *r, ll_yaml *node)
{
    frame *top = r->depth ? &r->stack[r->depth - 1] : NULL;
    if (!top) {
        r->root = node;
    } else if (node) {
        node->key = top->key;
        *top->tail = node;
        top->tail = &node->next;
        top->node->length++;
    }
}

/* The next value is not skipped. */
static bool is_kept(const reader *r)
{
    return !r->depth || r->stack[r->depth - 1].node;
}

static bool take_key(reader *r)
{
    frame *top = &r->stack[r->depth - 1];
    key_text *keys = r->keys ? r->keys[r->depth - 1] : NULL, key;
    size_t escapes;
    skip_space(r);
    if (!take_text(r, &key.text, &key.length, &escapes) || escapes || key.length > KEY_BYTES_MAX || peek(r) != ':') {
        return refuse(r);
    }
    r->at++;
    for (unsigned i = 0; keys && i < top->keys; i++) {
        if (keys[i].length == key.length && memcmp(keys[i].text, key.text, key.length) == 0) {
            return refuse(r);
        }
    }
    if (keys) {
        if (top->keys == KEYS_MAX) {
            return refuse(r);
        }
        keys[top->keys++] = key;
    }
    ll_yaml *node = top->node ? new_text(r, key.text, key.length, 0, true) : NULL;
    top->key = node;
    return node || !top->node;
}

/* Opens a list or a map. Adds an empty list for one that is skipped or read later. */
static bool go_in(reader *r)
{
    bool is_map = *r->at == '{', kept = is_kept(r);
    frame *top = r->depth ? &r->stack[r->depth - 1] : NULL;
    const char *key = kept && top && top->key ? top->key->text : NULL;
    bool later = key && r->depth == 1 && !is_map && r->later && strcmp(key, r->later) == 0;
    bool leaves = later || (key && r->skipped && strcmp(key, r->skipped) == 0);
    ll_yaml *node = kept ? new_node(r, is_map && !leaves ? LL_YAML_MAP : LL_YAML_LIST, r->at) : NULL;
    if (r->depth == LL_YAML_DEPTH_MAX || (kept && !node)) {
        return refuse(r);
    }
    place(r, node);
    if (later) {
        *r->items = (ll_json_items){.list = node, .at = (const char *)r->at, .end = (const char *)r->end};
    }
    r->stack[r->depth] = (frame){.node = leaves ? NULL : node, .is_map = is_map};
    r->stack[r->depth].tail = node ? &node->first : NULL;
    r->depth++;
    r->at++;
    skip_space(r);
    return true;
}

static bool take_scalar(reader *r)
{
    const uint8_t *text;
    size_t length, escapes = 0;
    bool quoted = peek(r) == '"';
    if (!(quoted ? take_text(r, &text, &length, &escapes) : take_plain(r, &text, &length))) {
        return false;
    }
    if (is_kept(r)) {
        ll_yaml *node = new_text(r, text, length, escapes, quoted);
        if (!node) {
            return false;
        }
        place(r, node);
    }
    return true;
}

/* Reads one value. */
static bool take_value(reader *r)
{
    bool begins = false; /* a list or map was just opened */
    do {
        frame *top = r->depth ? &r->stack[r->depth - 1] : NULL;
        skip_space(r);
        if (top && peek(r) == (top->is_map ? '}' : ']')) {
            r->at++;
            r->depth--;
            begins = false;
            continue;
        }
        if (top && !begins) {
            if (peek(r) != ',') {
                return refuse(r);
            }
            r->at++;
        }
        if (top && top->is_map && !take_key(r)) {
            return false;
        }
        skip_space(r);
        begins = peek(r) == '{' || peek(r) == '[';
        if (!(begins ? go_in(r) : take_scalar(r))) {
            return false;
        }
    } while (r->depth);
    return true;
}

/* ------------------------------------------------------------------ public */

ll_status ll_json_read(ll_arena *arena, const char *bytes, size_t size, const char *skipped, const char *later,
                       const ll_yaml **root, ll_json_items *items)
{
    reader r = {.arena = arena, .start = (const uint8_t *)bytes, .skipped = skipped, .later = later, .items = items};
    r.at = r.start;
    r.end = size ? r.at + size : r.at;
    r.keys = ll_arena_alloc(arena, LL_YAML_DEPTH_MAX, sizeof *r.keys);
    *root = NULL;
    *items = (ll_json_items){.list = NULL};
    skip_space(&r);
    bool fine = r.keys ? peek(&r) == '{' && take_value(&r) : no_memory(&r);
    skip_space(&r);
    if (!fine || r.at != r.end) {
        return r.status != LL_OK ? r.status : LL_E_INPUT;
    }
    *root = r.root;
    return LL_OK;
}

static ll_status next_item(ll_json_items *items, ll_arena *arena, ll_yaml **item)
{
    reader r = {
        .arena = arena, .at = (const uint8_t *)items->at, .end = (const uint8_t *)items->end, .nodes = items->nodes};
    skip_space(&r);
    bool more = peek(&r) == (items->begun ? ',' : '[');
    r.at += more;
    skip_space(&r);
    if (peek(&r) != ']') {
        (void)(more ? take_value(&r) : refuse(&r));
    }
    items->begun = true;
    items->at = (const char *)r.at;
    items->nodes = r.nodes;
    *item = r.root;
    return r.status;
}

ll_status ll_json_next(ll_json_items *items, ll_arena *arena, const ll_yaml **item)
{
    ll_yaml *next = NULL;
    items->nodes = 0;
    ll_status status = next_item(items, arena, &next);
    *item = next;
    return status;
}

ll_status ll_json_rest(ll_json_items *items, ll_arena *arena)
{
    const ll_yaml **tail = &items->list->first;
    ll_yaml *item = NULL;
    ll_status status = next_item(items, arena, &item);
    for (; status == LL_OK && item; status = next_item(items, arena, &item)) {
        *tail = item;
        tail = &item->next;
        items->list->length++;
    }
    return status;
}
