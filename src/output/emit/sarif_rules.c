/* Writes the SARIF descriptors of rules that have results. */
#include "output/emit/sarif_pieces.h"

enum { DESCRIPTION_MAX = 1000, TAGS_MAX = 10 };

void ll_sarif_braced(ll_text *out, const char *s)
{
    for (const char *brace = strpbrk(s, "{}"); brace; brace = strpbrk(s, "{}")) {
        ll_text_put(out, s, (size_t)(brace - s) + 1);
        ll_text_char(out, *brace);
        s = brace + 1;
    }
    ll_text_str(out, s);
}

/* "name-hash" of family "grx" becomes "GrxNameHash": unique across families, never equal to the id. A part of one
 * letter stays lower case: validators do not accept it in Pascal case. */
static void put_pascal(ll_text *out, const ll_rule *rule)
{
    size_t family = strlen(rule->family);
    bool named = strncmp(rule->name, rule->family, family) == 0 && rule->name[family] == '-';
    const char *parts[] = {named ? "" : rule->family, rule->name};
    for (size_t i = 0; i < 2; i++) {
        bool upper = true;
        for (const char *p = parts[i]; *p; p++) {
            if (*p == '-') {
                upper = true;
                continue;
            }
            bool alone = p[1] == '\0' || p[1] == '-';
            ll_text_char(out, upper && !alone && *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p);
            upper = false;
        }
    }
}

/* Adds a description, cut to the 1024 characters that GitHub accepts. */
static void add_description(ll_tree *t, const char *key, const char *text)
{
    ll_short_text(text, DESCRIPTION_MAX, ll_tree_empty(t));
    ll_tree_scratch(t, ll_tree_object(t, t->root, key), "text");
}

static void put_paragraph(ll_text *out, bool markdown, const char *head, const char *text)
{
    if (!text[0]) {
        return;
    }
    const char *strong = markdown ? "**" : "";
    ll_text_format(out, "%s%s%s%s %s", out->length ? "\n\n" : "", strong, head, strong, text);
}

static void add_help(ll_tree *t, const ll_rule *rule)
{
    static const char *const keys[] = {"text", "markdown"};
    cJSON *help = ll_tree_object(t, t->root, "help");
    for (size_t i = 0; i < 2; i++) {
        ll_text_clear(t->scratch);
        put_paragraph(t->scratch, i == 1, "What to do:", rule->fix[0] ? rule->fix : rule->title);
        put_paragraph(t->scratch, i == 1, "Why:", rule->why);
        put_paragraph(t->scratch, i == 1, "Evidence:", rule->evidence);
        ll_tree_scratch(t, help, keys[i]);
    }
}

static void add_message_strings(ll_tree *t, const ll_rule *rule, unsigned forms)
{
    cJSON *strings = ll_tree_object(t, t->root, "messageStrings");
    for (unsigned form = 0; form < LL_MESSAGE_FORMS; form++) {
        if (!(forms & 1U << form)) {
            continue;
        }
        ll_text_str(ll_tree_empty(t), "'{0}' at '{1}': ");
        ll_sarif_braced(t->scratch, rule->title);
        ll_text_format(t->scratch, "%s%s", ll_sentence_end(rule->title), ll_message_rows[form].tail);
        ll_tree_scratch(t, ll_tree_object(t, strings, ll_message_rows[form].id), "text");
    }
}

static bool has_tag(const ll_rule *rule, const char *tag)
{
    for (size_t i = 0; i < rule->tags.count; i++) {
        if (strcmp(rule->tags.at[i], tag) == 0) {
            return true;
        }
    }
    return false;
}

/* GitHub's precision of a rule, from the kind of its evidence. */
static const char *precision_of(const ll_rule *rule)
{
    if (has_tag(rule, "corpus") || has_tag(rule, "engine") || has_tag(rule, "tool")) {
        return "very-high";
    }
    return has_tag(rule, "seed") ? "high" : "medium";
}

static void add_rule_properties(ll_tree *t, const ll_rule *rule)
{
    static const char *const github[] = {"recommendation", "recommendation", "warning", "error"};
    cJSON *properties = ll_tree_object(t, t->root, "properties");
    cJSON *tags = ll_tree_array(t, properties, "tags");
    for (size_t i = 0; i < rule->tags.count && i < TAGS_MAX; i++) {
        ll_tree_string(t, tags, NULL, rule->tags.at[i]);
    }
    ll_tree_string(t, properties, "precision", precision_of(rule));
    ll_tree_string(t, properties, "problem.severity", github[rule->severity & 3]);
}

void ll_sarif_level(ll_tree *t, cJSON *configuration, unsigned severity)
{
    if (severity == LL_SEVERITY_OFF) {
        (void)ll_tree_add(t, configuration, "enabled", cJSON_CreateFalse());
    } else {
        ll_tree_string(t, configuration, "level", ll_severity_text((ll_severity)severity));
    }
}

void ll_sarif_rule(const ll_emitter *emitter, const ll_rule *rule, unsigned forms, ll_text *scratch, ll_text *out)
{
    ll_tree t = ll_tree_start(scratch);
    ll_tree_string(&t, t.root, "id", rule->id);
    ll_text_clear(scratch);
    put_pascal(scratch, rule);
    ll_tree_scratch(&t, t.root, "name");
    add_description(&t, "shortDescription", rule->title);
    add_description(&t, "fullDescription", rule->why[0] ? rule->why : rule->title);
    add_help(&t, rule);
    if (ll_rule_url(emitter, rule->id, rule->name, ll_tree_empty(&t))) {
        ll_tree_scratch(&t, t.root, "helpUri");
    }
    add_message_strings(&t, rule, forms);
    ll_sarif_level(&t, ll_tree_object(&t, t.root, "defaultConfiguration"), rule->severity);
    add_rule_properties(&t, rule);
    ll_tree_print(&t, out);
}
