/* Prints a report as text: columns as wide as what they hold, up to a limit; on a terminal, the last one is wrapped.
 * The verdict comes last, where a terminal shows it. */
#include "output/outline.h"

#include "findings/words.h"

enum { WIDTH_MOST = 44 };

static size_t width_of(const ll_outline *tree, const ll_node *node)
{
    return ll_columns(ll_node_text(tree, node), node->length, tree->terminal);
}

/* Measures the columns of the table that begins with a node. Charts have none. */
static void measure(ll_outline *tree, const ll_node *node)
{
    unsigned column = 0;
    size_t width = 0;
    memset(tree->print.widths, 0, sizeof tree->print.widths);
    for (; !(node->kind == LL_NODE_TABLE && node->ends); node++) {
        bool is_cell = (node->kind == LL_NODE_CELL || node->kind == LL_NODE_COLUMN) && node->type != LL_CELL_CHART;
        if (node->kind == LL_NODE_ROW) {
            column = 0;
        }
        if (is_cell && node->ends && column < LL_OUTLINE_COLUMNS) {
            size_t *most = &tree->print.widths[column++];
            width = width < WIDTH_MOST ? width : WIDTH_MOST;
            *most = width > *most ? width : *most;
        }
        width = node->kind > LL_NODE_TITLE && node->kind < LL_NODE_BAR ? width + width_of(tree, node) : 0;
    }
}

static void end_cell(ll_outline *tree, const ll_node *node, ll_text *out)
{
    size_t from = tree->print.cell;
    size_t length = out->failed ? 0 : out->length - from;
    size_t width = length ? ll_columns(out->data + from, length, tree->terminal) : 0;
    size_t most = tree->print.widths[tree->print.column++ % LL_OUTLINE_COLUMNS];
    size_t fill = width < most ? most - width : 0;
    ll_text_repeat(out, ' ', fill);
    if (node->type == LL_CELL_NUMBER && !out->failed) {
        memmove(out->data + from + fill, out->data + from, length);
        memset(out->data + from, ' ', fill);
    }
}

/* Ends a line. One that is wrapped goes on where its last cell began. */
static void end_line(const ll_outline *tree, ll_text *out)
{
    while (!out->failed && out->length > tree->print.line && out->data[out->length - 1] == ' ') {
        out->length--;
    }
    size_t cell = tree->print.cell < out->length ? tree->print.cell : out->length;
    ll_end_line(out, cell, cell - tree->print.line, tree->terminal);
}

/* Blocks are separated by an empty line, but not from the heading above them. */
static void begin_block(ll_outline *tree, const ll_node *node, ll_text *out)
{
    uint8_t last = tree->print.last;
    bool is_heading = node->kind == LL_NODE_HEADING || node->kind == LL_NODE_SUMMARY;
    bool below =
        last == LL_NODE_HEADING || last == LL_NODE_SUMMARY || (last == LL_NODE_PARAGRAPH && node->kind == LL_NODE_LIST);
    ll_text_str(out, tree->print.begun && (is_heading || !below) ? "\n" : "");
    tree->print.begun = true;
    tree->print.last = node->kind;
    if (node->kind == LL_NODE_TABLE) {
        measure(tree, node);
    }
}

static void begin(ll_outline *tree, const ll_node *node, ll_text *out)
{
    static const uint8_t indents[LL_NODE_KINDS] = {
        [LL_NODE_ITEM] = 2, [LL_NODE_CELL] = 2, [LL_NODE_COLUMN] = 2, [LL_NODE_REMARK] = 6};
    bool is_block = node->kind != LL_NODE_FOLD && node->kind < LL_NODE_TITLE && !indents[node->kind] &&
                    node->kind != LL_NODE_HEAD && node->kind != LL_NODE_ROW;
    if (node->kind == LL_NODE_VERDICT) {
        tree->print.holds = true;
        return;
    }
    if (is_block) {
        begin_block(tree, node, out);
    }
    if (node->kind != LL_NODE_CELL && node->kind != LL_NODE_COLUMN) {
        tree->print.line = out->length;
        tree->print.column = 0;
    }
    ll_text_repeat(out, ' ', indents[node->kind]);
    tree->print.cell = out->length;
    tree->print.shares = 0;
}

static void end(ll_outline *tree, const ll_node *node, ll_text *out)
{
    if (node->kind == LL_NODE_CELL || node->kind == LL_NODE_COLUMN) {
        end_cell(tree, node, out);
    } else if (node->kind == LL_NODE_VERDICT) {
        tree->print.holds = false;
        ll_text_char(&tree->print.held, '\n');
    } else if (node->kind != LL_NODE_FOLD && node->kind != LL_NODE_LIST && node->kind != LL_NODE_TABLE) {
        end_line(tree, out);
    }
}

static void put_node(ll_outline *tree, const ll_node *node, ll_text *out)
{
    if (node->ends) {
        end(tree, node, out);
    } else if (node->kind < LL_NODE_TITLE) {
        begin(tree, node, out);
    } else if (node->kind > LL_NODE_TITLE) {
        ll_text_str(out, node->kind == LL_NODE_SHARE && tree->print.shares++ ? ", " : "");
        ll_text_put(tree->print.holds ? &tree->print.held : out, ll_node_text(tree, node), node->length);
    }
}

static void finish(ll_outline *tree, ll_text *out)
{
    ll_text *verdict = &tree->print.held;
    if (verdict->length) {
        ll_text_str(out, tree->print.begun ? "\n" : "");
        ll_text_put(out, verdict->data, verdict->length);
    }
    out->failed = out->failed || verdict->failed;
}

const ll_outline_printer ll_outline_text = {.name = "text", .node = put_node, .finish = finish};
