/* Open lists and maps are on a stack of fixed depth, without recursion. Skipped values take the same steps without
 * making nodes. */
#include "base/json.h"

#include "base/array.h"
#include "base/problem.h"
#include "base/text.h"

#include <string.h>

/* A text between its quotes, with escapes; or a key, without. */
typedef struct piece {
    const char *text;
    size_t length;
    bool escapes;
} piece;

/* An open list or map. */
typedef struct frame {
    ll_yaml *node;        /* NULL: it is skipped */
    const ll_yaml **tail; /* where to link the next child */
    const ll_yaml *key;   /* key of the next value */
    bool is_map;
    size_t first_key; /* its keys are at the end of `keys` */
} frame;

/* Where a value begins. */
typedef struct spot {
    size_t index;
    unsigned line, column;
} spot;

typedef struct reader {
    ll_arena *arena;
    const char *start, *at, *end;
    unsigned line;
    const char *line_start; /* less the bytes of its characters after the first: `at` minus this is the column */
    const char *skipped, *later;
    ll_json_items *items; /* set to the list under the key `later` */
    bool unchecked;       /* duplicate keys are looked for */
    LL_ARRAY(piece) keys; /* of open maps */
    ll_allocator memory;  /* for them */
    ll_status status;
    ll_problem *problem; /* NULL: no message is needed */
    size_t nodes;
    ll_yaml *root;
    unsigned depth;
    frame stack[LL_YAML_DEPTH_MAX];
} reader;

static spot here(const reader *r)
{
    return (spot){(size_t)(r->at - r->start), r->line, (unsigned)(r->at - r->line_start) + 1U};
}

static bool refuse_at(reader *r, spot at, const char *const *pieces)
{
    if (r->status == LL_OK) {
        r->status = LL_E_INPUT;
        (void)ll_problem_say(ll_problem_at(r->problem, at.line, at.column), pieces);
    }
    return false;
}

#define REFUSE(r, at, ...) refuse_at((r), (at), (const char *const[]){__VA_ARGS__, NULL})

static bool fault(reader *r, const char *why)
{
    return REFUSE(r, here(r), "not JSON: ", why);
}

static bool no_memory(reader *r)
{
    r->status = LL_E_MEMORY;
    return false;
}

/* The next byte; 0 at the end, which is valid nowhere. */
static uint8_t peek(const reader *r)
{
    return r->at < r->end ? (uint8_t)*r->at : 0;
}

static void pass_space(reader *r)
{
    const char *at = r->at, *end = r->end;
    for (; at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'); at++) {
        if (*at == '\n') {
            r->line++;
            r->line_start = at + 1;
        }
    }
    r->at = at;
    if (at < end && *at == '#') {
        (void)fault(r, "it has no comments");
    }
}

static inline void skip_space(reader *r)
{
    if (peek(r) <= ' ' || *r->at == '#') {
        pass_space(r);
    }
}

/* ------------------------------------------------------------------ texts */

/* The character of an escape of one letter; 0: not one of these. */
static char escaped(char c)
{
    static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? bytes[at - letters] : '\0';
}

/* Value of the four hex digits at `at`; UINT32_MAX: there are none. *digits: how many are there. */
static uint32_t unit_at(const char *at, size_t left, unsigned *digits)
{
    uint32_t value = 0;
    for (*digits = 0; *digits < 4; ++*digits) {
        char c = *digits < left ? at[*digits] : '\0';
        char low = (char)(c | 0x20);
        bool digit = c >= '0' && c <= '9';
        if (!digit && (low < 'a' || low > 'f')) {
            return UINT32_MAX;
        }
        value = value << 4 | (uint32_t)(digit ? c - '0' : low - 'a' + 10);
    }
    return value;
}

/* Reads the character of an escape that begins with "\u"; *length: bytes of the escape, or up to a fault. Returns 0
 * with *why set if it is none. */
static uint32_t character_at(const char *at, size_t left, size_t *length, const char **why)
{
    unsigned digits = 0;
    uint32_t unit = unit_at(at + 2, left - 2, &digits);
    *length = 2U + digits;
    *why = unit == UINT32_MAX ? "\\u needs four hex digits" : unit == 0 ? "a NUL in a text" : NULL;
    if (*why || unit < 0xD800 || unit > 0xDFFF) {
        return *why ? 0 : unit;
    }
    *why = "half of a surrogate pair";
    if (unit >= 0xDC00 || left < 8 || at[6] != '\\' || at[7] != 'u') {
        return 0;
    }
    uint32_t second = unit_at(at + 8, left - 8, &digits);
    *length = 8U + digits;
    if (second < 0xDC00 || second > 0xDFFF) {
        *why = second == UINT32_MAX ? "\\u needs four hex digits" : *why;
        return 0;
    }
    *why = NULL;
    return 0x10000 + ((unit - 0xD800) << 10 | (second - 0xDC00));
}

static bool pass_escape(reader *r)
{
    const char *why = NULL;
    size_t left = (size_t)(r->end - r->at), length = 2;
    if (left < 2 || (r->at[1] != 'u' && !escaped(r->at[1]))) {
        r->at++;
        return fault(r, "not a JSON escape");
    }
    if (r->at[1] == 'u') {
        (void)character_at(r->at, left, &length, &why);
    }
    r->at += length;
    return !why || fault(r, why);
}

/* Passes ASCII up to a quote, a backslash or a control character. False: the end. */
static bool pass_plain(reader *r)
{
    const char *at = r->at, *end = r->end;
    while (at < end && ((signed char)*at > '\\' || ((signed char)*at >= ' ' && *at != '"' && *at != '\\'))) {
        at++;
    }
    r->at = at;
    return at < end;
}

/* Passes a text. */
static bool take_text(reader *r, piece *out)
{
    if (peek(r) != '"') {
        return fault(r, "expected a text in quotation marks");
    }
    *out = (piece){.text = ++r->at};
    while (pass_plain(r) && *r->at != '"') {
        size_t n = ll_utf8_length((const uint8_t *)r->at, (size_t)(r->end - r->at));
        if (*r->at == '\\') {
            out->escapes = true;
            if (!pass_escape(r)) {
                return false;
            }
            continue;
        }
        if (n < 2) {
            return fault(r, n ? "a control character in a text" : "not UTF-8");
        }
        r->at += n;
        r->line_start += n - 1;
    }
    out->length = (size_t)(r->at - out->text);
    return r->at < r->end ? r->at++, true : fault(r, "the text does not end");
}

/* Writes a character as UTF-8, at most 4 bytes. Returns the end. */
static char *put_character(char *to, uint32_t c)
{
    unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3; /* bytes after the first */
    *to++ = (char)(more ? (0xF00U >> (more + 1) & 0xFF) | c >> 6 * more : c);
    while (more--) {
        *to++ = (char)(0x80 | (c >> 6 * more & 0x3F));
    }
    return to;
}

/* Replaces the escapes of a text in place. Returns its new length. */
static size_t unescape(char *text, size_t length)
{
    char *to = text;
    const char *end = text + length;
    for (const char *from = text; from < end;) {
        const char *why;
        size_t n = *from == '\\' ? 2 : 1;
        if (n == 2 && from[1] == 'u') {
            to = put_character(to, character_at(from, (size_t)(end - from), &n, &why));
        } else {
            *to++ = n == 2 ? escaped(from[1]) : *from;
        }
        from += n;
    }
    *to = '\0';
    return (size_t)(to - text);
}

static ll_yaml *new_node(reader *r, ll_yaml_kind kind, spot at)
{
    ll_yaml *node = r->nodes < LL_JSON_NODES_MAX ? ll_arena_zalloc(r->arena, 1, sizeof *node) : NULL;
    if (r->nodes++ >= LL_JSON_NODES_MAX) {
        (void)REFUSE(r, at, "more than 67108864 texts, numbers, lists and maps");
    } else if (node) {
        node->kind = (uint8_t)kind;
        node->line = at.line;
        node->column = at.column;
        node->index = at.index;
        node->text = "";
    } else {
        (void)no_memory(r);
    }
    return node;
}

/* Copies a text without its escapes. False: no memory. */
static bool copy_text(reader *r, piece *text)
{
    char *copy = ll_arena_copy(r->arena, text->text, text->length);
    if (!copy) {
        return no_memory(r);
    }
    text->text = copy;
    text->length = text->escapes ? unescape(copy, text->length) : text->length;
    return true;
}

static ll_yaml *new_text(reader *r, piece *text, spot at, bool quoted)
{
    ll_yaml *node = new_node(r, LL_YAML_SCALAR, at);
    if (!node || !copy_text(r, text)) {
        return NULL;
    }
    node->text = text->text;
    node->length = text->length;
    node->plain = !quoted;
    return node;
}

static size_t take_digits(reader *r)
{
    const char *at = r->at, *end = r->end;
    while (at < end && *at >= '0' && *at <= '9') {
        at++;
    }
    size_t n = (size_t)(at - r->at);
    r->at = at;
    return n;
}

static bool take_number(reader *r)
{
    r->at += peek(r) == '-';
    bool zero = peek(r) == '0';
    size_t digits = take_digits(r);
    bool fine = digits == 1 || (digits > 1 && !zero);
    if (fine && peek(r) == '.') {
        r->at++;
        fine = take_digits(r) > 0;
    }
    if (fine && (peek(r) | 0x20) == 'e') {
        r->at++;
        r->at += peek(r) == '+' || peek(r) == '-';
        fine = take_digits(r) > 0;
    }
    return fine || fault(r, "not a JSON number");
}

/* A number, true, false or null. */
static bool take_plain(reader *r, piece *out)
{
    static const char *const words[] = {"true", "false", "null"};
    *out = (piece){.text = r->at};
    size_t left = (size_t)(r->end - r->at);
    bool number = peek(r) == '-' || (peek(r) >= '0' && peek(r) <= '9');
    for (size_t i = 0; !number && i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        r->at += r->at == out->text && left >= n && memcmp(r->at, words[i], n) == 0 ? n : 0;
    }
    if (number && !take_number(r)) {
        return false;
    }
    out->length = (size_t)(r->at - out->text);
    return out->length || fault(r, left ? "expected a value" : "it ends early");
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

/* Notes a key of the open map, unless the map has it. */
static bool note_key(reader *r, piece key, spot at)
{
    const frame *top = &r->stack[r->depth - 1];
    const piece *end = r->keys.items + r->keys.count;
    for (const piece *known = end - (r->keys.count - top->first_key); known < end; known++) {
        if (known->length == key.length && memcmp(known->text, key.text, key.length) == 0) {
            const char *name = ll_arena_copy(r->arena, key.text, key.length);
            return name ? REFUSE(r, at, "duplicate key '", name, "'") : no_memory(r);
        }
    }
    if (r->keys.count - top->first_key == LL_YAML_KEYS_MAX) {
        return REFUSE(r, at, "more than 1024 keys in one map");
    }
    piece *room = LL_ARRAY_ADD(&r->keys, &r->memory);
    if (!room) {
        return no_memory(r);
    }
    *room = key;
    return true;
}

static bool take_key(reader *r)
{
    frame *top = &r->stack[r->depth - 1];
    piece key;
    skip_space(r);
    spot at = here(r);
    if (!take_text(r, &key)) {
        return false;
    }
    top->key = top->node ? new_text(r, &key, at, true) : NULL;
    if (top->node ? !top->key : key.escapes && !copy_text(r, &key)) {
        return false;
    }
    skip_space(r);
    if (peek(r) != ':') {
        return fault(r, "expected ':' after a key");
    }
    r->at++;
    return !r->unchecked || note_key(r, key, at);
}

/* Opens a list or a map. Adds an empty list for one that is skipped or read later. */
static bool go_in(reader *r)
{
    bool is_map = *r->at == '{', kept = is_kept(r);
    frame *top = r->depth ? &r->stack[r->depth - 1] : NULL;
    const char *key = kept && top && top->key ? top->key->text : NULL;
    bool later = key && r->depth == 1 && !is_map && r->later && strcmp(key, r->later) == 0;
    bool leaves = later || (key && r->skipped && strcmp(key, r->skipped) == 0);
    ll_yaml *node = kept ? new_node(r, is_map && !leaves ? LL_YAML_MAP : LL_YAML_LIST, here(r)) : NULL;
    if (r->depth == LL_YAML_DEPTH_MAX || (kept && !node)) {
        return REFUSE(r, here(r), "lists and maps nested deeper than 16");
    }
    place(r, node);
    if (later) {
        *r->items = (ll_json_items){.list = node, .at = r->at, .end = r->end};
    }
    r->stack[r->depth] = (frame){.node = leaves ? NULL : node, .is_map = is_map, .first_key = r->keys.count};
    r->stack[r->depth].tail = node ? &node->first : NULL;
    r->depth++;
    r->at++;
    skip_space(r);
    return true;
}

static void go_out(reader *r)
{
    r->at++;
    r->depth--;
    r->keys.count = r->stack[r->depth].first_key;
}

static bool take_scalar(reader *r)
{
    piece text;
    spot at = here(r);
    bool quoted = peek(r) == '"';
    if (!(quoted ? take_text(r, &text) : take_plain(r, &text))) {
        return false;
    }
    ll_yaml *node = is_kept(r) ? new_text(r, &text, at, quoted) : NULL;
    if (node) {
        place(r, node);
    }
    return r->status == LL_OK;
}

/* Passes the comma before a member of an open list or map. */
static bool take_comma(reader *r)
{
    if (peek(r) != ',') {
        return fault(r, r->at < r->end ? "expected ',' or the end of the object" : "it ends early");
    }
    r->at++;
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
            go_out(r);
            begins = false;
            continue;
        }
        if (top && !begins && !take_comma(r)) {
            return false;
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

ll_status ll_json_read(ll_arena *arena, const ll_json_text *text, const ll_yaml **root, ll_problem *problem)
{
    const char *bytes = text->size ? text->bytes : "";
    reader r = {.arena = arena,
                .start = bytes,
                .at = bytes,
                .end = bytes + text->size,
                .line_start = bytes,
                .line = 1,
                .skipped = text->skipped,
                .later = text->later,
                .items = text->items,
                .unchecked = true,
                .memory = ll_arena_allocator(arena),
                .problem = problem};
    *root = NULL;
    if (text->items) {
        *text->items = (ll_json_items){.list = NULL};
    }
    skip_space(&r);
    bool fine = peek(&r) == '{' ? take_value(&r) : fault(&r, "expected '{'");
    skip_space(&r);
    if (fine && r.at != r.end) {
        (void)fault(&r, "unexpected text after the object");
    }
    *root = r.status == LL_OK ? r.root : NULL;
    return r.status;
}

static ll_status next_item(ll_json_items *items, ll_arena *arena, ll_yaml **item)
{
    reader r = {.arena = arena,
                .start = items->at,
                .at = items->at,
                .end = items->end,
                .line_start = items->at,
                .nodes = items->nodes};
    skip_space(&r);
    bool more = peek(&r) == (items->begun ? ',' : '[');
    r.at += more;
    skip_space(&r);
    if (peek(&r) != ']') {
        (void)(more ? take_value(&r) : fault(&r, "expected a list"));
    }
    items->begun = true;
    items->at = r.at;
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
