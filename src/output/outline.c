/* Builds reports and hands their nodes to a printer. */
#include "output/outline.h"

#define ROW(name) &ll_outline_##name,
static const ll_outline_printer *const printers[] = {LL_OUTLINE_PRINTERS(ROW)};
#undef ROW

const ll_outline_printer *ll_outline_printer_named(const char *name)
{
    for (size_t i = 0; name && i < sizeof printers / sizeof *printers; i++) {
        if (strcmp(printers[i]->name, name) == 0) {
            return printers[i];
        }
    }
    return NULL;
}

void ll_outline_init(ll_outline *tree, const ll_outline_printer *printer, const ll_terminal *terminal,
                     const ll_allocator *allocator)
{
    static const ll_terminal none = {.columns = 0};
    *tree = (ll_outline){.printer = printer, .terminal = terminal ? terminal : &none};
    ll_text_init(&tree->words, allocator);
    ll_text_init(&tree->print.held, allocator);
}

void ll_outline_free(ll_outline *tree)
{
    LL_ARRAY_FREE(&tree->nodes, &tree->words.allocator);
    ll_text_free(&tree->words);
    ll_text_free(&tree->print.held);
}

/* ------------------------------------------------------------------ building */

/* How deep a block lies. Pieces lie in those that hold no blocks. */
static const struct {
    uint8_t depth;
    bool is_line; /* holds pieces only */
} blocks[LL_NODE_TITLE] = {
    [LL_NODE_FOLD] = {0, false},     [LL_NODE_HEADING] = {0, true}, [LL_NODE_SUMMARY] = {1, true},
    [LL_NODE_PARAGRAPH] = {1, true}, [LL_NODE_VERDICT] = {1, true}, [LL_NODE_LIST] = {1, false},
    [LL_NODE_ITEM] = {2, true},      [LL_NODE_TABLE] = {1, false},  [LL_NODE_HEAD] = {2, false},
    [LL_NODE_COLUMN] = {3, true},    [LL_NODE_ROW] = {2, false},    [LL_NODE_CELL] = {3, true},
    [LL_NODE_REMARK] = {2, true}};

static ll_node *add(ll_outline *tree, ll_node_kind kind)
{
    ll_node *node = LL_ARRAY_ADD(&tree->nodes, &tree->words.allocator);
    tree->words.failed = tree->words.failed || !node;
    if (node) {
        *node = (ll_node){.kind = (uint8_t)kind, .text = tree->taken, .length = tree->words.length - tree->taken};
        ll_text_char(&tree->words, '\0');
        tree->taken = tree->words.length;
    }
    return node;
}

/* Sets the columns that a remark extends across. */
static void span_columns(const ll_outline *tree, ll_node *node)
{
    for (unsigned i = 0; node->kind == LL_NODE_REMARK && i < tree->columns; i++) {
        node->value++;
        node->most += tree->types[i] != LL_CELL_CHART;
    }
}

static void take_words(ll_outline *tree)
{
    if (tree->words.length > tree->taken) {
        (void)add(tree, LL_NODE_WORDS);
    }
}

/* Closes what is open at this depth or deeper, and lines. */
static void close_blocks(ll_outline *tree, unsigned depth)
{
    take_words(tree);
    while (tree->depth) {
        uint8_t kind = tree->open[tree->depth - 1];
        if (!blocks[kind].is_line && blocks[kind].depth < depth) {
            return;
        }
        ll_node *node = add(tree, (ll_node_kind)kind);
        if (node) {
            node->ends = true;
            node->type = kind == LL_NODE_CELL && tree->column      ? tree->types[tree->column - 1]
                         : kind == LL_NODE_COLUMN && tree->columns ? tree->types[tree->columns - 1]
                                                                   : LL_CELL_WORDS;
            span_columns(tree, node);
        }
        tree->depth--;
    }
}

static ll_node *open_block(ll_outline *tree, ll_node_kind kind)
{
    close_blocks(tree, blocks[kind].depth);
    tree->open[tree->depth++] = (uint8_t)kind;
    return add(tree, kind);
}

const char *ll_tone_of(const char *word, size_t length)
{
    static const char *const tones[] = {"error", "warning", "note"};
    for (size_t i = 0; i < sizeof tones / sizeof *tones; i++) {
        if (strlen(tones[i]) == length && memcmp(tones[i], word, length) == 0) {
            return tones[i];
        }
    }
    return NULL;
}

void ll_outline_title(ll_outline *tree, const char *title)
{
    ll_text_str(&tree->words, title);
    (void)add(tree, LL_NODE_TITLE);
}

void ll_outline_open(ll_outline *tree, ll_node_kind kind, const char *tone)
{
    ll_node *node = open_block(tree, kind);
    tree->column = 0;
    if (node) {
        node->tone = tone;
        span_columns(tree, node);
    }
}

void ll_outline_open_at(ll_outline *tree, ll_node_kind kind, uint64_t anchor)
{
    ll_node *node = open_block(tree, kind);
    if (node) {
        node->anchor = anchor;
    }
}

void ll_outline_piece(ll_outline *tree, ll_node_kind kind)
{
    (void)add(tree, kind);
}

void ll_outline_value(ll_outline *tree, ll_node_kind kind, const char *tone, uint64_t value, uint64_t most)
{
    ll_node *node = add(tree, kind);
    if (node) {
        node->tone = tone;
        node->value = value;
        node->most = most;
        node->length -= kind == LL_NODE_LINK && !value ? (size_t)most : 0;
    }
}

void ll_outline_verdict(ll_outline *tree, const char *lines, size_t length)
{
    while (length) {
        const char *end = memchr(lines, '\n', length);
        size_t n = end ? (size_t)(end - lines) : length;
        ll_outline_open(tree, LL_NODE_VERDICT, NULL);
        ll_text_put(&tree->words, lines, n);
        lines += n + (end != NULL);
        length -= n + (end != NULL);
    }
}

void ll_outline_append(ll_outline *tree, ll_outline *other)
{
    close_blocks(other, 1);
    close_blocks(tree, other->nodes.count ? blocks[other->nodes.items[0].kind].depth : 1);
    size_t shift = tree->words.length;
    size_t count = other->nodes.count;
    bool room = LL_ARRAY_ROOM(&tree->nodes, count, &tree->words.allocator);
    for (size_t i = 0; room && i < count; i++) {
        tree->nodes.items[tree->nodes.count] = other->nodes.items[i];
        tree->nodes.items[tree->nodes.count++].text += shift;
    }
    ll_text_put(&tree->words, other->words.data, other->words.length);
    tree->words.failed = tree->words.failed || other->words.failed || !room;
    tree->taken = tree->words.length;
    ll_text_clear(&other->words);
    other->nodes.count = 0;
    other->taken = 0;
}

void ll_outline_table(ll_outline *tree, const ll_outline_column *columns, size_t count)
{
    (void)open_block(tree, LL_NODE_TABLE);
    (void)open_block(tree, LL_NODE_HEAD);
    tree->columns = 0;
    for (size_t i = 0; i < count && i < LL_OUTLINE_COLUMNS; i++) {
        ll_node *node = open_block(tree, LL_NODE_COLUMN);
        if (node) {
            node->type = (uint8_t)columns[i].type;
        }
        tree->types[tree->columns++] = (uint8_t)columns[i].type;
        ll_text_str(&tree->words, columns[i].name);
    }
    close_blocks(tree, blocks[LL_NODE_HEAD].depth);
}

static ll_node *open_cell(ll_outline *tree)
{
    ll_node *node = open_block(tree, LL_NODE_CELL);
    if (node && tree->column < tree->columns) {
        node->type = tree->types[tree->column];
    }
    tree->column += tree->column < tree->columns;
    return node;
}

void ll_outline_cell(ll_outline *tree)
{
    (void)open_cell(tree);
}

void ll_outline_number(ll_outline *tree, uint64_t n)
{
    ll_node *node = open_cell(tree);
    if (node) {
        node->exact = true;
        node->value = n;
    }
    ll_text_u64(&tree->words, n);
}

void ll_outline_bar(ll_outline *tree, uint64_t value, uint64_t most)
{
    (void)open_cell(tree);
    ll_outline_value(tree, LL_NODE_BAR, NULL, value, most);
}

/* ------------------------------------------------------------------ printing */

void ll_outline_print(ll_outline *tree, ll_text *out)
{
    bool in_list = false;
    for (unsigned i = 0; i < tree->depth; i++) {
        in_list = in_list || tree->open[i] == LL_NODE_LIST;
    }
    close_blocks(tree, in_list ? 2 : 1);
    for (size_t i = 0; i < tree->nodes.count && !tree->words.failed; i++) {
        const ll_node *node = &tree->nodes.items[i];
        bool is_chart = (node->kind == LL_NODE_CELL || node->kind == LL_NODE_COLUMN) && node->type == LL_CELL_CHART;
        if (!is_chart || tree->printer->draws) {
            tree->printer->node(tree, node, out);
            continue;
        }
        while (i + 1 < tree->nodes.count && (tree->nodes.items[i].kind != node->kind || !tree->nodes.items[i].ends)) {
            i++;
        }
    }
    out->failed = out->failed || tree->words.failed;
    ll_text_clear(&tree->words);
    tree->nodes.count = 0;
    tree->taken = 0;
}

void ll_outline_finish(ll_outline *tree, ll_text *out)
{
    close_blocks(tree, 0);
    ll_outline_print(tree, out);
    if (tree->printer->finish) {
        tree->printer->finish(tree, out);
    }
}
