/* Builds a tree from libyaml's events. libyaml decides what is YAML; this file decides which parts are accepted.
 * Scalars arrive as valid UTF-8. Open lists and maps are on a stack of fixed depth, without recursion. libyaml
 * allocates by itself; parser and events are deleted on every path.
 *
 * Most configurations and suppressions have a regular form, of which every line says by itself what it is. It is read
 * without libyaml, several times as fast. Whatever deviates from it is read by libyaml, from the start. */
#include "base/yaml.h"

#include "base/problem.h"
#include "base/text.h"

#include <string.h>
#include <yaml.h>

/* An open list or map. `key` is waiting for its value; `tail` is where to link the next child. */
typedef struct frame {
    ll_yaml *node;
    ll_yaml *key;
    const ll_yaml **tail;
} frame;

typedef struct builder {
    ll_arena *arena;
    ll_problem *problem;
    const ll_yaml_limits *limits;
    const ll_yaml *root;
    frame stack[LL_YAML_DEPTH_MAX];
    size_t depth;
    size_t nodes;
    size_t documents;
} builder;

#define REFUSE(b, mark, ...) LL_PROBLEM(at_mark((b)->problem, (mark)), __VA_ARGS__)

static ll_problem *at_mark(ll_problem *problem, const yaml_mark_t *mark)
{
    return ll_problem_at(problem, (unsigned)mark->line + 1U, (unsigned)mark->column + 1U);
}

/* Sets line and column of a byte offset, for errors of libyaml that have only that. */
static ll_problem *at_offset(ll_problem *problem, const char *bytes, size_t offset)
{
    unsigned line = 1;
    unsigned column = 1;
    for (size_t i = 0; i < offset; i++) {
        if (bytes[i] == '\n') {
            line++;
            column = 1;
        } else if ((bytes[i] & 0xC0) != 0x80) {
            column++;
        }
    }
    return ll_problem_at(problem, line, column);
}

static ll_status refuse_syntax(const yaml_parser_t *parser, const char *bytes, size_t size, ll_problem *problem)
{
    const char *what = parser->problem ? parser->problem : "unreadable";
    const char *context = parser->context ? parser->context : "";
    if (parser->error == YAML_MEMORY_ERROR) {
        return LL_E_MEMORY;
    }
    bool unclosed =
        parser->error == YAML_SCANNER_ERROR && parser->context && parser->context_mark.line < parser->problem_mark.line;
    if (parser->error == YAML_READER_ERROR) {
        (void)at_offset(problem, bytes, parser->problem_offset < size ? parser->problem_offset : size);
    } else if (unclosed) {
        (void)at_mark(problem, &parser->context_mark); /* where the quote opens, not where the scanner gave up */
    } else {
        (void)at_mark(problem, &parser->problem_mark);
    }
    return LL_PROBLEM(problem, "not YAML: ", what, *context ? " " : "", context);
}

static ll_status refuse_amount(ll_problem *problem, const char *what, size_t most, const char *unit)
{
    char digits[LL_DIGITS_MAX];
    return LL_PROBLEM(problem, what, ll_digits(most, digits), unit);
}

static ll_status refuse_anchor(const builder *b, const yaml_mark_t *mark, const yaml_char_t *anchor,
                               const yaml_char_t *tag)
{
    if (anchor) {
        return REFUSE(b, mark, "anchor '&", (const char *)anchor, "': anchors and aliases are not allowed");
    }
    if (tag) {
        return REFUSE(b, mark, "tag '", (const char *)tag, "': tags are not allowed");
    }
    return LL_OK;
}

static ll_yaml *new_node(builder *b, ll_yaml_kind kind, const yaml_mark_t *mark)
{
    ll_yaml *node = ll_arena_zalloc(b->arena, 1, sizeof *node);
    if (node) {
        node->kind = (uint8_t)kind;
        node->line = (unsigned)mark->line + 1U;
        node->column = (unsigned)mark->column + 1U;
        node->index = mark->index;
        node->text = "";
    }
    return node;
}

/* Takes a node as a key, which waits in the frame for its value. */
static ll_status take_key(builder *b, frame *top, ll_yaml *node, const yaml_mark_t *mark)
{
    if (node->kind != LL_YAML_SCALAR) {
        return REFUSE(b, mark, "the key of a map must be a text, not ", ll_yaml_kind_text(node));
    }
    if (ll_yaml_get(top->node, node->text)) {
        return REFUSE(b, mark, "duplicate key '", node->text, "'");
    }
    if (top->node->length == LL_YAML_KEYS_MAX) {
        return REFUSE(b, mark, "more than 1024 keys in one map");
    }
    top->key = node;
    return LL_OK;
}

/* Adds a node to the tree: as root, item, key or value. */
static ll_status place(builder *b, ll_yaml *node, const yaml_mark_t *mark)
{
    if (++b->nodes > b->limits->nodes) {
        return refuse_amount(at_mark(b->problem, mark), "more than ", b->limits->nodes,
                             " texts, lists and maps; split the file");
    }
    if (b->depth == 0) {
        b->root = node;
        return LL_OK;
    }
    frame *top = &b->stack[b->depth - 1];
    if (top->node->kind == LL_YAML_MAP && !top->key) {
        return take_key(b, top, node, mark);
    }
    node->key = top->key;
    top->key = NULL;
    *top->tail = node;
    top->tail = &node->next;
    top->node->length++;
    return LL_OK;
}

static ll_status add_scalar(builder *b, const char *text, size_t length, bool plain, const yaml_mark_t *mark)
{
    if (length > b->limits->scalar) {
        return refuse_amount(at_mark(b->problem, mark), "text longer than ", b->limits->scalar >> 10, " KiB");
    }
    if (memchr(text, 0, length)) {
        return REFUSE(b, mark, "NUL character in a text");
    }
    ll_yaml *node = new_node(b, LL_YAML_SCALAR, mark);
    if (!node || !(node->text = ll_arena_copy(b->arena, text, length))) {
        return LL_E_MEMORY;
    }
    node->length = length;
    node->plain = plain;
    return place(b, node, mark);
}

static ll_status on_scalar(builder *b, const yaml_event_t *event)
{
    const yaml_mark_t *mark = &event->start_mark;
    ll_status status = refuse_anchor(b, mark, event->data.scalar.anchor, event->data.scalar.tag);
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return status == LL_OK
               ? add_scalar(b, (const char *)event->data.scalar.value, event->data.scalar.length, plain, mark)
               : status;
}

static ll_status on_open(builder *b, ll_yaml_kind kind, const yaml_mark_t *mark, const yaml_char_t *anchor,
                         const yaml_char_t *tag)
{
    ll_status status = refuse_anchor(b, mark, anchor, tag);
    if (status != LL_OK) {
        return status;
    }
    if (b->depth == LL_YAML_DEPTH_MAX) {
        return REFUSE(b, mark, "lists and maps nested deeper than 16");
    }
    ll_yaml *node = new_node(b, kind, mark);
    if (!node) {
        return LL_E_MEMORY;
    }
    status = place(b, node, mark);
    if (status == LL_OK) {
        b->stack[b->depth++] = (frame){.node = node, .tail = &node->first};
    }
    return status;
}

static ll_status on_document(builder *b, const yaml_event_t *event)
{
    const yaml_mark_t *mark = &event->start_mark;
    if (++b->documents > 1) {
        return REFUSE(b, mark, "a second document: one file holds one document");
    }
    bool tags = event->data.document_start.tag_directives.start != event->data.document_start.tag_directives.end;
    if (event->data.document_start.version_directive || tags) {
        return REFUSE(b, mark, "directives ('%YAML', '%TAG') are not allowed");
    }
    return LL_OK;
}

static ll_status on_event(builder *b, const yaml_event_t *event)
{
    const yaml_mark_t *mark = &event->start_mark;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return on_document(b, event);
    case YAML_ALIAS_EVENT:
        return REFUSE(b, mark, "alias '*", (const char *)event->data.alias.anchor,
                      "': anchors and aliases are not allowed");
    case YAML_SCALAR_EVENT:
        return on_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_open(b, LL_YAML_LIST, mark, event->data.sequence_start.anchor, event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return on_open(b, LL_YAML_MAP, mark, event->data.mapping_start.anchor, event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        b->depth--;
        return LL_OK;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
    default:
        return LL_OK;
    }
}

static ll_status read_events(yaml_parser_t *parser, const char *bytes, size_t size, builder *b)
{
    for (bool done = false; !done;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            return refuse_syntax(parser, bytes, size, b->problem);
        }
        done = event.type == YAML_STREAM_END_EVENT;
        ll_status status = on_event(b, &event);
        yaml_event_delete(&event);
        if (status != LL_OK) {
            return status;
        }
    }
    return LL_OK;
}

/* ------------------------------------------------------------------ the regular form */

/* A map of keys. The value of a key is a scalar in the same line, or a list in the following ones. An item is a scalar,
 * a map {KEY: SCALAR, KEY: SCALAR}, or a map with a pair in each line:
 *
 *     # comment
 *     KEY: SCALAR
 *     KEY:
 *       - {KEY: SCALAR, KEY: "SCALAR"}
 *       - KEY: SCALAR
 *         KEY: 'SCALAR'
 *
 * All is ASCII, and no line ends with a space. */
typedef struct regular {
    builder *b;
    const char *start, *at, *end; /* the document; the rest of the line, and its end */
    const char *last;             /* end of the document */
    const char *line_start;
    size_t line, indent;
    bool waits;       /* the key of the line before has no value yet */
    size_t list, map; /* indent of the open list, and of the open map in it; SIZE_MAX: none */
} regular;

static yaml_mark_t mark_of(const regular *r)
{
    return (yaml_mark_t){(size_t)(r->at - r->start), r->line, (size_t)(r->at - r->line_start)};
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool takes(regular *r, const char *text)
{
    size_t n = strlen(text);
    bool there = (size_t)(r->end - r->at) >= n && memcmp(r->at, text, n) == 0;
    r->at += there ? n : 0;
    return there;
}

/* Moves to the next line that is neither blank nor a comment. False: the end, or a character that may not be there. */
static bool next_line(regular *r)
{
    do {
        r->line += r->line_start != NULL;
        r->at = r->line_start = !r->line_start ? r->start : r->end < r->last ? r->end + 1 : r->last;
        if (r->at >= r->last) {
            return false;
        }
        const char *feed = memchr(r->at, '\n', (size_t)(r->last - r->at));
        r->end = feed ? feed : r->last;
        for (const char *p = r->at; p < r->end; p++) {
            if (*p < ' ' || *p > '~') {
                return false;
            }
        }
        while (r->at < r->end && *r->at == ' ') {
            r->at++;
        }
        r->indent = (size_t)(r->at - r->line_start);
    } while (r->at == r->end || *r->at == '#');
    return true;
}

/* Length of the key that begins here and ends before ':'; 0: none does. */
static size_t key_length(const regular *r)
{
    enum { KEY_MAX = 256 };
    size_t left = (size_t)(r->end - r->at), n = 0;
    while (n < left && n < KEY_MAX && (is_letter(r->at[n]) || (n && strchr("-_/.", r->at[n])))) {
        n++;
    }
    return n < left && r->at[n] == ':' ? n : 0;
}

static bool take_key_text(regular *r, size_t length)
{
    yaml_mark_t mark = mark_of(r);
    bool fine = length && add_scalar(r->b, r->at, length, true, &mark) == LL_OK;
    r->at += length + 1;
    return fine;
}

/* Takes a scalar up to the end of the line; in `flow` up to a comma or brace. */
static bool take_scalar_text(regular *r, bool flow)
{
    yaml_mark_t mark = mark_of(r);
    char quote = r->at < r->end && (*r->at == '"' || *r->at == '\'') ? *r->at : '\0';
    const char *from = r->at + (quote != '\0'), *to = from;
    while (to < r->end && (quote ? *to != quote && *to != '\\'
                                 : is_letter(*to) || strchr("_./", *to) || (to > from && strchr("- +*?!()=;", *to)) ||
                                       (!flow && to > from && *to == ','))) {
        to++;
    }
    bool closed = quote ? to < r->end && *to == quote : to > from && to[-1] != ' ';
    r->at = to + (quote != '\0');
    return closed && add_scalar(r->b, from, (size_t)(to - from), !quote, &mark) == LL_OK;
}

static bool take_pair(regular *r, bool flow)
{
    return take_key_text(r, key_length(r)) && takes(r, " ") && take_scalar_text(r, flow);
}

static bool open_node(regular *r, ll_yaml_kind kind)
{
    yaml_mark_t mark = mark_of(r);
    return on_open(r->b, kind, &mark, NULL, NULL) == LL_OK;
}

/* Closes the map of the item before, if one is open. */
static void close_item(regular *r)
{
    r->b->depth -= r->map != SIZE_MAX;
    r->map = SIZE_MAX;
}

static bool take_flow_map(regular *r)
{
    bool fine = open_node(r, LL_YAML_MAP) && takes(r, "{");
    do {
        fine = fine && take_pair(r, true);
    } while (fine && takes(r, ", "));
    r->b->depth--;
    return fine && takes(r, "}");
}

static bool take_item(regular *r)
{
    bool opens = r->waits && open_node(r, LL_YAML_LIST);
    if (opens ? false : r->waits || r->list != r->indent) {
        return false;
    }
    r->waits = false;
    r->list = r->indent;
    close_item(r);
    r->at += 2;
    if (r->at < r->end && *r->at == '{') {
        return take_flow_map(r);
    }
    if (!key_length(r)) {
        return take_scalar_text(r, false);
    }
    r->map = r->indent + 2;
    return open_node(r, LL_YAML_MAP) && take_pair(r, false);
}

static bool take_top_key(regular *r)
{
    close_item(r);
    r->b->depth -= r->list != SIZE_MAX;
    r->list = SIZE_MAX;
    if (r->indent || r->waits || (!r->b->root && !open_node(r, LL_YAML_MAP)) || !take_key_text(r, key_length(r))) {
        return false;
    }
    r->waits = r->at == r->end;
    return r->waits || (takes(r, " ") && take_scalar_text(r, false));
}

static bool take_line(regular *r)
{
    bool item = r->end - r->at > 1 && r->at[0] == '-' && r->at[1] == ' ';
    bool fine = item ? take_item(r) : r->indent && r->map == r->indent ? take_pair(r, false) : take_top_key(r);
    return fine && r->at == r->end;
}

/* False: the document deviates from the regular form; what was built so far means nothing. */
static bool read_regular(builder *b, const char *bytes, size_t size)
{
    regular r = {.b = b, .start = bytes, .last = bytes + size, .list = SIZE_MAX, .map = SIZE_MAX};
    bool fine = true;
    while (fine && next_line(&r)) {
        fine = take_line(&r);
    }
    return fine && b->root && !r.waits && r.at >= r.last;
}

/* ------------------------------------------------------------------ public */

ll_status ll_yaml_read(ll_arena *arena, const char *bytes, size_t size, const ll_yaml **root, ll_problem *problem)
{
    static const ll_yaml_limits limits = {LL_YAML_BYTES_MAX, LL_YAML_SCALAR_MAX, LL_YAML_NODES_MAX};
    return ll_yaml_read_large(arena, bytes, size, &limits, root, problem);
}

ll_status ll_yaml_read_large(ll_arena *arena, const char *bytes, size_t size, const ll_yaml_limits *limits,
                             const ll_yaml **root, ll_problem *problem)
{
    *root = NULL;
    if (size > limits->bytes) {
        return refuse_amount(ll_problem_at(problem, 0, 0), "more than ", limits->bytes >> 20,
                             " MiB of YAML; split the file");
    }
    /* libyaml would count the byte order mark as a column and see the first key indented differently from the second */
    size_t mark = ll_bom_length(bytes, size);
    bytes = mark ? bytes + mark : bytes;
    size -= mark;
    builder quick = {.arena = arena, .limits = limits};
    if (size && read_regular(&quick, bytes, size)) {
        *root = quick.root;
        return LL_OK;
    }
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        return LL_E_MEMORY;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)(bytes ? bytes : ""), size); /* it asserts on NULL */
    builder b = {.arena = arena, .problem = problem, .limits = limits};
    ll_status status = read_events(&parser, bytes, size, &b);
    yaml_parser_delete(&parser);
    if (status == LL_OK) {
        *root = b.root;
    }
    return status;
}

const ll_yaml *ll_yaml_get(const ll_yaml *map, const char *key)
{
    const ll_yaml *value = map->kind == LL_YAML_MAP ? map->first : NULL;
    while (value && strcmp(value->key->text, key) != 0) {
        value = value->next;
    }
    return value;
}

const ll_yaml *ll_yaml_at(const ll_yaml *node, size_t index)
{
    const ll_yaml *child = node->first;
    while (child && index--) {
        child = child->next;
    }
    return child;
}

bool ll_yaml_bool(const ll_yaml *node, bool *out)
{
    if (node->kind != LL_YAML_SCALAR || !node->plain) {
        return false;
    }
    *out = strcmp(node->text, "true") == 0;
    return *out || strcmp(node->text, "false") == 0;
}

const char *ll_yaml_kind_text(const ll_yaml *node)
{
    static const char *const text[] = {"a text", "a list", "a map"};
    return text[node->kind];
}
