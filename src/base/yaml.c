/* Builds a tree from libyaml's events. libyaml decides what is YAML; this file decides which parts are accepted.
 * Scalars arrive as valid UTF-8. Open lists and maps are on a stack of fixed depth, without recursion. libyaml
 * allocates by itself; parser and events are deleted on every path. */
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
        return refuse_amount(at_mark(b->problem, mark), "more than ", b->limits->nodes, " texts, lists and maps");
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

static ll_status on_scalar(builder *b, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    const yaml_mark_t *mark = &event->start_mark;
    ll_status status = refuse_anchor(b, mark, event->data.scalar.anchor, event->data.scalar.tag);
    if (status != LL_OK) {
        return status;
    }
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
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return place(b, node, mark);
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
        return refuse_amount(ll_problem_at(problem, 0, 0), "more than ", limits->bytes >> 20, " MiB of YAML");
    }
    /* libyaml would count the byte order mark as a column and see the first key indented differently from the second */
    size_t mark = ll_bom_length(bytes, size);
    bytes = mark ? bytes + mark : bytes;
    size -= mark;
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
