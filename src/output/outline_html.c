/* Prints a report as a page of HTML with charts. */
#include "output/outline.h"

#include "output/html/html.h"

/* Writes a histogram; returns the last of its columns. */
static void put_histogram(const ll_outline *tree, const ll_node *node, ll_text *out)
{
    enum { BINS_MAX = 64 };
    uint64_t counts[BINS_MAX];
    const char *titles[BINS_MAX];
    size_t n = 0;
    for (; n < BINS_MAX && node[n + 1].kind == LL_NODE_BIN; n++) {
        counts[n] = node[n + 1].value;
        titles[n] = ll_node_text(tree, &node[n + 1]);
    }
    ll_html_histogram(out, ll_node_text(tree, node), counts, titles, n);
}

static void put_link(const ll_outline *tree, const ll_node *node, ll_text *out)
{
    const char *text = ll_node_text(tree, node);
    ll_text_str(out, "<a href=\"");
    if (node->value) {
        ll_text_format(out, "#part-%" PRIu64, node->value);
    } else {
        ll_html_text(out, text + node->length, (size_t)node->most);
    }
    ll_text_str(out, "\">");
    ll_html_text(out, text, node->length);
    ll_text_str(out, "</a>");
}

static void put_piece(ll_outline *tree, const ll_node *node, ll_text *out)
{
    static const char *const around[LL_NODE_KINDS][2] = {[LL_NODE_CODE] = {"<code>", "</code>"},
                                                         [LL_NODE_STRONG] = {"<b>", "</b>"},
                                                         [LL_NODE_SHARE] = {"<span class=\"share\">", "</span>"}};
    const char *const *tags = around[node->kind];
    const char *text = ll_node_text(tree, node);
    ll_text_str(out, tags[0] ? tags[0] : "");
    if (node->kind == LL_NODE_BAR || node->kind == LL_NODE_SHARE) {
        if (node->tone) {
            ll_text_format(out, "<span class=\"%s\">", node->tone);
        }
        ll_html_bar(out, node->value, node->most);
        ll_text_str(out, node->tone ? "</span>" : "");
    }
    if (node->kind == LL_NODE_HISTOGRAM) {
        put_histogram(tree, node, out);
    } else if (node->kind == LL_NODE_LINK) {
        put_link(tree, node, out);
    } else if (node->kind == LL_NODE_MARK) {
        ll_html_mark(out, text);
    } else if (node->kind != LL_NODE_BIN) {
        ll_html_text(out, text, node->length);
    }
    ll_text_str(out, tags[1] ? tags[1] : "");
}

/* The start of a block's element, without the last angle bracket. */
static const char *start_of(const ll_node *node)
{
    static const char *const starts[] = {[LL_NODE_FOLD] = "<details class=\"record\"",
                                         [LL_NODE_HEADING] = "<h2",
                                         [LL_NODE_SUMMARY] = "<summary",
                                         [LL_NODE_PARAGRAPH] = "<p",
                                         [LL_NODE_VERDICT] = "<p class=\"verdict\"",
                                         [LL_NODE_LIST] = "<ul",
                                         [LL_NODE_ITEM] = "<li",
                                         [LL_NODE_HEAD] = "<thead",
                                         [LL_NODE_ROW] = "<tr",
                                         [LL_NODE_REMARK] = "<tr"};
    static const char *const cells[][2] = {
        [LL_CELL_WORDS] = {"<td", "<th scope=\"col\""},
        [LL_CELL_NAME] = {"<th scope=\"row\"", "<th scope=\"col\""},
        [LL_CELL_NUMBER] = {"<td class=\"number\"", "<th scope=\"col\" class=\"number\""},
        [LL_CELL_CHART] = {"<td class=\"chart\"", "<th scope=\"col\" class=\"chart\""}};
    bool is_cell = node->kind == LL_NODE_CELL || node->kind == LL_NODE_COLUMN;
    return is_cell ? cells[node->type][node->kind == LL_NODE_COLUMN] : starts[node->kind];
}

static void begin(ll_outline *tree, const ll_node *node, ll_text *out)
{
    ll_text *label = &tree->print.held;
    tree->print.holds = node->kind == LL_NODE_HEADING || node->kind == LL_NODE_SUMMARY;
    if (tree->print.holds) {
        ll_text_clear(label);
    }
    if (node->kind == LL_NODE_TABLE) {
        ll_text_str(out, "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"");
        ll_html_text(out, label->length ? label->data : "Table", label->length ? label->length : 5);
        ll_text_str(out, "\"><table class=\"counts\">\n");
        return;
    }
    ll_text_str(out, start_of(node));
    if (node->anchor && node->kind != LL_NODE_SUMMARY) {
        ll_text_format(out, " id=\"part-%" PRIu64 "\"", node->anchor);
    }
    if (node->tone) {
        ll_text_format(out, " class=\"%s\"", node->tone);
    }
    ll_text_char(out, '>');
    if (node->kind == LL_NODE_REMARK) {
        ll_text_format(out, "<td colspan=\"%" PRIu64 "\">", node->value);
    }
    ll_text_str(out, node->kind == LL_NODE_HEAD ? "<tr>" : node->kind == LL_NODE_LIST ? "\n" : "");
}

/* Begins what a fold holds. It has the anchor: a browser unfolds what a link leads into. */
static void put_folded(const ll_node *summary, ll_text *out)
{
    while (summary->ends || summary->kind != LL_NODE_SUMMARY) {
        summary--;
    }
    ll_text_format(out, summary->anchor ? "<div id=\"part-%" PRIu64 "\">\n" : "<div>\n", summary->anchor);
}

static void put_node(ll_outline *tree, const ll_node *node, ll_text *out)
{
    static const char *const ends[] = {[LL_NODE_FOLD] = "</div></details>\n",
                                       [LL_NODE_HEADING] = "</h2>\n",
                                       [LL_NODE_SUMMARY] = "</summary>\n",
                                       [LL_NODE_PARAGRAPH] = "</p>\n",
                                       [LL_NODE_VERDICT] = "</p>\n",
                                       [LL_NODE_LIST] = "</ul>\n",
                                       [LL_NODE_ITEM] = "</li>\n",
                                       [LL_NODE_TABLE] = "</tbody>\n</table></div>\n",
                                       [LL_NODE_HEAD] = "</tr></thead>\n<tbody>\n",
                                       [LL_NODE_COLUMN] = "</th>",
                                       [LL_NODE_ROW] = "</tr>\n",
                                       [LL_NODE_CELL] = "</td>",
                                       [LL_NODE_REMARK] = "</td></tr>\n"};
    if (node->kind == LL_NODE_TITLE) {
        ll_html_begin(out, ll_node_text(tree, node));
    } else if (node->kind > LL_NODE_TITLE) {
        ll_text_put(&tree->print.held, ll_node_text(tree, node), tree->print.holds ? node->length : 0);
        put_piece(tree, node, out);
    } else if (!node->ends) {
        begin(tree, node, out);
    } else {
        bool is_name = node->kind == LL_NODE_CELL && node->type == LL_CELL_NAME;
        ll_text_str(out, is_name ? "</th>" : ends[node->kind]);
        out->failed = out->failed || tree->print.held.failed;
        if (node->kind == LL_NODE_SUMMARY) {
            put_folded(node, out);
        }
    }
}

static void finish(ll_outline *tree, ll_text *out)
{
    (void)tree;
    ll_html_end(out);
}

const ll_outline_printer ll_outline_html = {.name = "html", .draws = true, .node = put_node, .finish = finish};
