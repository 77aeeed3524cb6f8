/* Prints the rules: lists as text, JSON and docs/rules.md, and one rule explained. Everything comes from the rule set,
 * so lists match the rules that run. */
#include "base/array.h"
#include "base/problem.h"
#include "base/json_write.h"
#include "findings/words.h"

enum { WIDTH = 78, INDENT = 2 };

static const char *const tiers[] = {"none", "safe", "unsafe"};

static void put_tags(const ll_rule_info *rule, ll_text *out)
{
    for (size_t i = 0; i < rule->tag_count; i++) {
        ll_text_format(out, "%s%s", i ? ", " : "", rule->tags[i]);
    }
}

/* Whether a command applies the rule's patches. Those of rules across files follow from other files: none does. */
static bool is_applied(const ll_rule_info *rule)
{
    return rule->patch != LL_PATCH_NONE && strcmp(rule->family, "mod") != 0;
}

/* Appends the command that applies the patches of a rule, between two `mark`s. */
static void put_command(const ll_rule_info *rule, ll_text *out, const char *mark)
{
    if (is_applied(rule)) {
        ll_text_format(out, "%slightlint fix %s--rule %s FILE%s", mark,
                       rule->patch == LL_PATCH_UNSAFE ? "--unsafe " : "", rule->id, mark);
    } else {
        ll_text_str(out, "which no command applies: it follows from other files");
    }
}

/* ------------------------------------------------------------------ text */

static void print_text(const ll_rule_info *rules, size_t rule_count, ll_text *out)
{
    size_t width = 0;
    size_t count[LL_ERROR + 1] = {0};
    for (size_t i = 0; i < rule_count; i++) {
        size_t n = strlen(rules[i].name);
        width = n > width ? n : width;
    }
    for (size_t i = 0; i < rule_count; i++) {
        ll_rule_info rule = rules[i];
        ll_text_format(out, "%-7s  %-7s  %-*s  %s\n", rule.id, ll_severity_text(rule.severity), (int)width, rule.name,
                       rule.title);
        count[rule.severity]++;
    }
    ll_count_text(out, rule_count, "rule");
    ll_text_str(out, ": ");
    ll_severities_text(count[LL_ERROR], count[LL_WARNING], count[LL_NOTE], out);
    ll_text_format(out, ", %zu off.\n", count[LL_SEVERITY_OFF]);
}

/* ------------------------------------------------------------------ JSON */

static void put_json_rule(const ll_rule_info *rule, ll_jsonw *json)
{
    ll_jsonw_begin(json, '{');
    LL_JSON_STR(json, "id", rule->id);
    LL_JSON_STR(json, "name", rule->name);
    LL_JSON_STR(json, "family", rule->family);
    LL_JSON_STR(json, "severity", ll_severity_text(rule->severity));
    LL_JSON_STR(json, "default_severity", ll_severity_text(rule->default_severity));
    LL_JSON_BEGIN(json, "tags", '[');
    for (size_t i = 0; i < rule->tag_count; i++) {
        ll_jsonw_str(json, rule->tags[i]);
    }
    ll_jsonw_end(json, ']');
    LL_JSON_STR(json, "title", rule->title);
    LL_JSON_STR(json, "why", rule->why);
    LL_JSON_STR(json, "evidence", rule->evidence);
    LL_JSON_STR(json, "fix", rule->fix);
    LL_JSON_BOOL(json, "locked", rule->locked);
    LL_JSON_STR(json, "target", rule->target);
    LL_JSON_STR(json, "check", rule->check);
    LL_JSON_PLAIN(json, "patch", tiers[rule->patch]);
    if (is_applied(rule)) {
        ll_jsonw_key(json, "command");
        ll_jsonw_open(json);
        put_command(rule, json->out, "");
        ll_jsonw_close(json);
    }
    ll_jsonw_end(json, '}');
}

static void print_json(const ll_rule_info *rules, size_t count, ll_text *out)
{
    ll_jsonw json = {out, false};
    ll_text_str(out, "{\"rules\":[");
    for (size_t i = 0; i < count; i++) {
        ll_jsonw_line(&json);
        put_json_rule(&rules[i], &json);
    }
    ll_text_str(out, "\n]}\n");
}

/* ------------------------------------------------------------------ markdown */

/* Appends plain text; escapes what would start markup or end a table cell. */
static void put_markdown(ll_text *out, const char *text)
{
    static const char *const escapes[] = {"\\\\\\", "`\\`", "*\\*", "<\\<", "|\\|", NULL};
    ll_mapped_text(text, strlen(text), escapes, out);
}

void ll_rule_anchor(const char *id, const char *name, ll_text *out)
{
    ll_text_char(out, '#');
    for (const char *p = id; *p; p++) { /* ids consist of letters and digits */
        ll_text_char(out, ll_lower(*p));
    }
    ll_text_format(out, "-%s", name);
}

static void put_contents(const ll_rule_info *rules, size_t count, const char *family, ll_text *out)
{
    ll_text_format(out, "\n### %s\n\n| rule | name | severity | says |\n| --- | --- | --- | --- |\n", family);
    for (size_t i = 0; i < count; i++) {
        ll_rule_info rule = rules[i];
        if (strcmp(rule.family, family) != 0) {
            continue;
        }
        ll_text_format(out, "| [%s](", rule.id);
        ll_rule_anchor(rule.id, rule.name, out);
        ll_text_format(out, ") | %s | %s | ", rule.name, ll_severity_text(rule.severity));
        put_markdown(out, rule.title);
        ll_text_str(out, " |\n");
    }
}

static void put_section(const ll_rule_info *rule, ll_text *out)
{
    const char *const texts[][2] = {
        {"Why.", rule->why}, {"Evidence.", rule->evidence}, {"What to do.", rule->fix}};
    ll_text_format(out, "\n### %s %s\n\n", rule->id, rule->name);
    put_markdown(out, rule->title);
    ll_text_format(out, "\n\n- severity: %s%s\n- looks at: ", ll_severity_text(rule->severity),
                   rule->locked ? " (locked)" : "");
    ll_markdown_code(out, rule->target);
    ll_text_str(out, "\n- check: ");
    ll_markdown_code(out, rule->check);
    ll_text_str(out, "\n- tags: ");
    put_tags(rule, out);
    if (rule->patch) {
        ll_text_format(out, "\n- patch: %s, ", tiers[rule->patch]);
        put_command(rule, out, "`");
    }
    ll_text_char(out, '\n');
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i][1][0]) {
            ll_text_format(out, "\n**%s** ", texts[i][0]);
            put_markdown(out, texts[i][1]);
            ll_text_char(out, '\n');
        }
    }
}

static const char markdown_head[] =
    "# Rules\n\n<!-- Made by \"lightlint rules --format markdown\" from rules/*.yaml. Do not edit. -->\n\n";
static const char markdown_intro[] =
    " rules. `lightlint explain RULE` shows one of them; id, name and `family/name` all work as RULE.\n"
    "`--severity RULE=LEVEL` changes its severity, `--ignore RULE` disables it; the severity of a locked rule\n"
    "cannot be lowered. Tags say what a rule is about (structure, reference, padding, size, value, name, composition,\n"
    "input) and where its evidence comes from (seed: public descriptions; corpus: counted in real files; engine: the\n"
    "game's own reader; tool: other tools, or this one; inferred).\n\n## Contents\n";

static void print_markdown(const ll_rule_info *rules, size_t count, ll_text *out)
{
    ll_text_format(out, "%s%zu%s", markdown_head, count, markdown_intro);
    for (size_t i = 0; i < count; i++) {
        const char *family = rules[i].family; /* rules are sorted by family */
        if (i == 0 || strcmp(rules[i - 1].family, family) != 0) {
            put_contents(rules, count, family, out);
        }
    }
    ll_text_str(out, "\n## All rules\n");
    for (size_t i = 0; i < count; i++) {
        put_section(&rules[i], out);
    }
}

/* ------------------------------------------------------------------ one rule */

/* Appends a paragraph wrapped at spaces, every line indented. A word that is too long gets a line of its own. */
static void put_wrapped(ll_text *out, const char *text)
{
    size_t column = 0;
    for (const char *p = text; *p;) {
        size_t space = strspn(p, " \n");
        size_t word = strcspn(p + space, " \n");
        if (word == 0) {
            break;
        }
        if (column && column + 1 + word <= WIDTH) {
            ll_text_char(out, ' ');
            column++;
        } else {
            ll_text_str(out, column ? "\n" : "");
            ll_text_repeat(out, ' ', INDENT);
            column = INDENT;
        }
        ll_text_put(out, p + space, word);
        column += word;
        p += space + word;
    }
    ll_text_char(out, '\n');
}

static void put_head(ll_text *out, bool color, const char *head)
{
    ll_text_format(out, "\n%s%s%s\n", ll_style_code(color, LL_STRONG), head, ll_style_code(color, LL_PLAIN));
}

static void put_paragraph(ll_text *out, bool color, const char *head, const char *text)
{
    if (text[0]) {
        put_head(out, color, head);
        put_wrapped(out, text);
    }
}

static void put_fact(ll_text *out, const char *head, const char *text)
{
    if (text[0]) {
        ll_text_format(out, "  %-9s  %s\n", head, text);
    }
}

static void explain_text(const ll_rule_info *rule, bool color, ll_text *out)
{
    ll_heading_text(color, rule->severity, rule->id, rule->name, out);
    ll_text_char(out, '\n');
    put_wrapped(out, rule->title);
    put_paragraph(out, color, "Why", rule->why);
    put_paragraph(out, color, "Evidence", rule->evidence);
    put_paragraph(out, color, "What to do", rule->fix);
    put_head(out, color, "How it is found");
    put_fact(out, "looks at", rule->target);
    put_fact(out, "check", rule->check);
    ll_text_format(out, "  %-9s  ", "tags");
    put_tags(rule, out);
    ll_text_char(out, '\n');
    if (rule->patch) {
        ll_text_format(out, "  %-9s  %s, ", "patch", tiers[rule->patch]);
        put_command(rule, out, "");
        ll_text_char(out, '\n');
    }
    if (rule->severity != rule->default_severity) {
        put_fact(out, "default", ll_severity_text(rule->default_severity));
    }
    put_head(out, color, "How to change it");
    if (rule->locked) {
        ll_text_str(out, "  Not at all: the rule is locked, its severity cannot be lowered.\n");
    } else {
        ll_text_format(out, "  --severity %s=LEVEL (error, warning, note, off), --ignore %s\n", rule->id, rule->id);
    }
}

static void explain_json(const ll_rule_info *rule, bool color, ll_text *out)
{
    (void)color;
    put_json_rule(rule, &(ll_jsonw){out, false});
    ll_text_char(out, '\n');
}

static void explain_markdown(const ll_rule_info *rule, bool color, ll_text *out)
{
    (void)color;
    put_section(rule, out);
}

/* ------------------------------------------------------------------ formats */

static const struct catalogue_format {
    const char *name;
    void (*print)(const ll_rule_info *rules, size_t count, ll_text *out);
    void (*explain)(const ll_rule_info *rule, bool color, ll_text *out);
} catalogue_formats[] = {{"text", print_text, explain_text},
                         {"json", print_json, explain_json},
                         {"markdown", print_markdown, explain_markdown}};

static const struct catalogue_format *find_format(const char *name)
{
    const ll_names known = LL_NAMES(catalogue_formats, sizeof catalogue_formats / sizeof *catalogue_formats, name);
    size_t number = name ? ll_names_find(&known, name) : known.count;
    return number < known.count ? &catalogue_formats[number] : NULL;
}

ll_status ll_print_rules(const ll_ruleset *rules, bool chosen, const char *format, ll_write_fn write, void *ctx)
{
    const struct catalogue_format *known = find_format(format);
    if (!rules || !write || !known) {
        return LL_E_ARGUMENT;
    }
    const ll_allocator *a = &rules->arena.allocator;
    LL_ARRAY(ll_rule_info) list = {.items = NULL};
    bool room = LL_ARRAY_ROOM(&list, rules->count + 1,
                              a); /* one more: the loop ends with an index that ll_ruleset_rule() refuses */
    ll_text out;
    ll_text_init(&out, a);
    for (size_t i = 0; room && ll_ruleset_rule(rules, i, &list.items[list.count]); i++) {
        list.count += !chosen || ll_ruleset_chose(rules, i);
    }
    if (list.items) {
        known->print(list.items, list.count, &out);
    }
    ll_status status = list.items ? ll_send_text(&out, 0, write, ctx) : LL_E_MEMORY;
    ll_text_free(&out);
    LL_ARRAY_FREE(&list, a);
    return status;
}

ll_status ll_explain(const ll_ruleset *rules, size_t index, const char *format, bool color, ll_write_fn write,
                     void *ctx)
{
    const struct catalogue_format *known = find_format(format);
    ll_rule_info rule = {0};
    if (!rules || !write || !known || !ll_ruleset_rule(rules, index, &rule)) {
        return LL_E_ARGUMENT;
    }
    ll_text out;
    ll_text_init(&out, &rules->arena.allocator);
    known->explain(&rule, color, &out);
    ll_status status = ll_send_text(&out, 0, write, ctx);
    ll_text_free(&out);
    return status;
}
