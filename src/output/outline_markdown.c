/* Prints a report as Markdown. */
#include "output/outline.h"

#include "findings/words.h"

/* The line below the head of the table that ends with a node. */
static void put_rule(const ll_node *head, ll_text *out)
{
    while (head[-1].kind != LL_NODE_HEAD) {
        head--;
    }
    for (; head->kind != LL_NODE_HEAD; head++) {
        if (head->kind == LL_NODE_COLUMN && !head->ends && head->type != LL_CELL_CHART) {
            ll_text_str(out, head->type == LL_CELL_NUMBER ? "| ---: " : "| --- ");
        }
    }
    ll_text_str(out, "|\n");
}

static void put_piece(ll_outline *tree, const ll_node *node, ll_text *out)
{
    const char *text = ll_node_text(tree, node);
    bool in_cell = tree->print.last == LL_NODE_TABLE; /* where a code span would end at a bar */
    if (node->kind == LL_NODE_CODE && !in_cell) {
        ll_markdown_code(out, text);
        return;
    }
    bool strong = node->kind == LL_NODE_STRONG || (node->kind == LL_NODE_MARK && !in_cell);
    bool link = node->kind == LL_NODE_LINK && !node->value && node->most;
    ll_text_str(out, node->kind == LL_NODE_SHARE && tree->print.shares++ ? ", " : "");
    ll_text_str(out, strong ? "**" : link ? "[" : "");
    ll_markdown_text(out, text, node->length);
    ll_text_str(out, strong ? "**" : "");
    if (link) {
        ll_text_format(out, "](%.*s)", (int)node->most, text + node->length);
    }
}

static void put_node(ll_outline *tree, const ll_node *node, ll_text *out)
{
    static const char *const starts[LL_NODE_KINDS] = {
        [LL_NODE_HEADING] = "### ", [LL_NODE_SUMMARY] = "### ", [LL_NODE_PARAGRAPH] = "", [LL_NODE_VERDICT] = "",
        [LL_NODE_ITEM] = "- ",      [LL_NODE_CELL] = "| ",      [LL_NODE_COLUMN] = "| ",  [LL_NODE_REMARK] = "| ",
    };
    static const char *const ends[LL_NODE_KINDS] = {
        [LL_NODE_HEADING] = "\n", [LL_NODE_SUMMARY] = "\n",  [LL_NODE_PARAGRAPH] = "\n", [LL_NODE_VERDICT] = "\n",
        [LL_NODE_ITEM] = "\n",    [LL_NODE_CELL] = " ",      [LL_NODE_COLUMN] = " ",     [LL_NODE_ROW] = "|\n",
        [LL_NODE_HEAD] = "|\n",   [LL_NODE_REMARK] = " |\n",
    };
    const char *around = (node->ends ? ends : starts)[node->kind];
    bool is_block = node->kind <= LL_NODE_TABLE && node->kind != LL_NODE_FOLD && node->kind != LL_NODE_ITEM;
    if (node->kind == LL_NODE_TITLE) {
        ll_text_str(out, "## ");
        ll_markdown_text(out, ll_node_text(tree, node), node->length);
        ll_text_char(out, '\n');
    } else if (node->kind > LL_NODE_TITLE) {
        put_piece(tree, node, out);
        return;
    } else if (is_block && !node->ends) {
        ll_text_char(out, '\n');
        tree->print.last = node->kind;
    }
    for (uint64_t i = 1; i < node->most && node->kind == LL_NODE_REMARK && node->ends; i++) {
        ll_text_str(out, " |");
    }
    ll_text_str(out, around ? around : "");
    if (node->kind == LL_NODE_HEAD && node->ends) {
        put_rule(node, out);
    }
    tree->print.shares = 0;
}

const ll_outline_printer ll_outline_markdown = {.name = "markdown", .node = put_node};
