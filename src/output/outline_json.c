/* Prints a report as one JSON object (docs/schema/report.schema.json): what its headings, tables and lists say, without
 * what only draws it. */
#include "output/outline.h"

/* How a block begins and ends: keys and brackets around a string. */
static const struct {
    const char *key;
    char bracket[2]; /* of a list in it */
    bool is_text;
} shapes[LL_NODE_TITLE] = {[LL_NODE_HEADING] = {.key = "heading", .is_text = true},
                           [LL_NODE_SUMMARY] = {.key = "heading", .is_text = true},
                           [LL_NODE_PARAGRAPH] = {.key = "text", .is_text = true},
                           [LL_NODE_VERDICT] = {.key = "verdict", .is_text = true},
                           [LL_NODE_LIST] = {.key = "list", .bracket = "["},
                           [LL_NODE_ITEM] = {.is_text = true},
                           [LL_NODE_TABLE] = {.key = "columns", .bracket = "["},
                           [LL_NODE_COLUMN] = {.is_text = true},
                           [LL_NODE_ROW] = {.bracket = "["},
                           [LL_NODE_CELL] = {.is_text = true},
                           [LL_NODE_REMARK] = {.bracket = "[", .is_text = true}};

static void begin(ll_outline *tree, const ll_node *node, ll_jsonw *json)
{
    const char *key = shapes[node->kind].key;
    if (key) {
        ll_jsonw_line(json);
        ll_jsonw_begin(json, '{');
        ll_jsonw_name(json, key);
    }
    if (shapes[node->kind].bracket[0]) {
        ll_jsonw_begin(json, '[');
    }
    tree->print.holds = node->exact;
    if (node->exact) {
        ll_jsonw_u64(json, node->value);
    } else if (shapes[node->kind].is_text) {
        ll_jsonw_open(json);
    }
}

static void end(ll_outline *tree, const ll_node *node, ll_jsonw *json)
{
    if (shapes[node->kind].is_text && !tree->print.holds) {
        ll_jsonw_close(json);
    }
    tree->print.holds = false;
    if (shapes[node->kind].bracket[0]) {
        ll_jsonw_end(json, ']');
    }
    if (shapes[node->kind].key) {
        ll_jsonw_end(json, '}');
    }
    if (node->kind == LL_NODE_HEAD) {
        ll_jsonw_end(json, ']');
        LL_JSON_BEGIN(json, "rows", '[');
    }
}

static void put_node(ll_outline *tree, const ll_node *node, ll_text *out)
{
    ll_jsonw *json = &tree->print.json;
    const char *text = ll_node_text(tree, node);
    json->out = out;
    if (node->kind == LL_NODE_TITLE) {
        ll_jsonw_begin(json, '{');
        LL_JSON_PLAIN(json, "type", "report");
        LL_JSON_U64(json, "schema", 1);
        LL_JSON_STR(json, "title", text);
        LL_JSON_BEGIN(json, "parts", '[');
    } else if (node->kind > LL_NODE_TITLE) {
        ll_text_str(out, node->kind == LL_NODE_SHARE && tree->print.shares++ ? ", " : "");
        ll_text_json(out, text, tree->print.holds ? 0 : node->length);
    } else {
        (node->ends ? end : begin)(tree, node, json);
        tree->print.shares = 0;
    }
}

static void finish(ll_outline *tree, ll_text *out)
{
    ll_jsonw *json = &tree->print.json;
    json->out = out;
    ll_jsonw_end(json, ']');
    ll_jsonw_end(json, '}');
    ll_text_char(out, '\n');
}

const ll_outline_printer ll_outline_json = {.name = "json", .node = put_node, .finish = finish};
