/* Converts a YAML tree to rules. The tables below define the language of packs: the keys, how each is read, and which
 * kinds of rules have it. Checks only the form; binding checks that records, fields, predicates and values fit a
 * format. Trusts nothing but the structure of the tree (base/yaml.h). */
#include "rules/pack.h"

#include "base/bind.h"
#include "base/text.h"

#include <stddef.h>

/* Kinds of rules: those that report a fault, and those with a C check or a test. Also used as a set of kinds. */
enum { BY_FAULT = 1, BY_CHECK = 2, BY_TEST = 4, BY_ANY = BY_FAULT | BY_CHECK | BY_TEST };

#define REFUSE(b, node, ...) LL_BIND_REFUSE((b), (node), __VA_ARGS__)

/* ------------------------------------------------------------------ scalars */

/* The key of a value, for messages; "item" for items of a list, which have no key. */
static const char *key_name(const ll_yaml *node)
{
    return node->key ? node->key->text : "item";
}

static ll_status check_scalar(const ll_binder *r, const ll_yaml *node)
{
    if (node->kind != LL_YAML_SCALAR) {
        return ll_bind_expect(r, NULL, node, "a text");
    }
    const uint8_t *p = (const uint8_t *)node->text;
    for (size_t at = 0; at < node->length;) {
        size_t length = ll_shown_length(p + at, node->length - at);
        if (!length && p[at] != '\n') {
            return REFUSE(r, node, "'", key_name(node), "' holds a control character or an invisible mark");
        }
        bool starts_word = at < 2 || p[at - 2] == ' ' || p[at - 2] == '\n';
        if (ll_is_command_sign(p, at) && (p[at] == '#' || starts_word)) {
            return REFUSE(r, node, "'", key_name(node),
                          "' holds '##' or a word that begins with '::', which CI runners "
                          "interpret as a command");
        }
        at += length ? length : 1;
    }
    return LL_OK;
}

/* Checks that a value is a word: one line, not empty. */
static ll_status check_word(const ll_binder *r, const ll_yaml *node)
{
    ll_status status = check_scalar(r, node);
    if (status != LL_OK) {
        return status;
    }
    if (node->length == 0) {
        return REFUSE(r, node, "'", key_name(node), "' is empty");
    }
    if (strchr(node->text, '\n')) {
        return REFUSE(r, node, "'", key_name(node), "' must be on one line");
    }
    return LL_OK;
}

static ll_status copy_text(const ll_binder *r, const ll_yaml *node, const char **out)
{
    *out = ll_arena_copy(r->arena, node->text, node->length);
    return *out ? LL_OK : LL_E_MEMORY;
}

static ll_status read_word(const ll_binder *r, const ll_yaml *node, void *out)
{
    ll_status status = check_word(r, node);
    return status == LL_OK ? copy_text(r, node, out) : status;
}

/* Reads one paragraph: line feeds become spaces, and white space at the end is removed. */
static ll_status read_text(const ll_binder *r, const ll_yaml *node, void *out)
{
    ll_status status = check_scalar(r, node);
    size_t length = node->length;
    while (status == LL_OK && length && (node->text[length - 1] == '\n' || node->text[length - 1] == ' ')) {
        length--;
    }
    if (status == LL_OK && length == 0) {
        status = REFUSE(r, node, "'", key_name(node), "' is empty");
    }
    if (status == LL_OK && length > LL_PACK_PROSE_MAX) {
        status = REFUSE(r, node, "'", key_name(node), "' is longer than 2 KiB");
    }
    if (status != LL_OK) {
        return status;
    }
    char *text = ll_arena_copy(r->arena, node->text, length);
    if (!text) {
        return LL_E_MEMORY;
    }
    for (char *p = text; (p = strchr(p, '\n'));) {
        *p = ' ';
    }
    *(const char **)out = text;
    return LL_OK;
}

static ll_status read_title(const ll_binder *r, const ll_yaml *node, void *out)
{
    ll_status status = read_text(r, node, out);
    if (status != LL_OK) {
        return status;
    }
    const char *title = *(const char **)out;
    if (title[strlen(title) - 1] != '.') {
        return REFUSE(r, node, "'", key_name(node), "' must be a sentence that ends with a full stop");
    }
    return LL_OK;
}

static ll_status choose(const ll_binder *r, const ll_yaml *node, const char *const *words, uint8_t *out)
{
    size_t number = 0;
    ll_status status = ll_bind_choice(r, NULL, node, words, &number);
    *out = (uint8_t)number;
    return status;
}

static ll_status read_severity(const ll_binder *r, const ll_yaml *node, void *out)
{
    static const char *const words[] = {"off", "note", "warning", "error", NULL};
    _Static_assert(LL_SEVERITY_OFF == 0 && LL_NOTE == 1 && LL_WARNING == 2 && LL_ERROR == 3, "words are in this order");
    return choose(r, node, words, out);
}

static ll_status read_patch(const ll_binder *r, const ll_yaml *node, void *out)
{
    static const char *const words[] = {"none", "safe", "unsafe", NULL};
    _Static_assert(LL_PATCH_NONE == 0 && LL_PATCH_SAFE == 1 && LL_PATCH_UNSAFE == 2, "words are in this order");
    return choose(r, node, words, out);
}

/* ------------------------------------------------------------------ names */

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* [A-Z][A-Z0-9]{1,7}[0-9]{3} */
static bool is_id(const char *s, size_t n)
{
    enum { DIGITS = 3, LEAST = 2 + DIGITS, MOST = 8 + DIGITS };
    if (n < LEAST || n > MOST || !is_upper(s[0])) {
        return false;
    }
    for (size_t i = 1; i < n; i++) {
        if (!is_digit(s[i]) && (i >= n - DIGITS || !is_upper(s[i]))) {
            return false;
        }
    }
    return true;
}

/* [a-z][a-z0-9]*(-[a-z0-9]+)* */
static bool is_slug(const char *s, size_t n)
{
    if (n == 0 || !is_lower(s[0]) || s[n - 1] == '-') {
        return false;
    }
    for (size_t i = 1; i < n; i++) {
        if (!is_lower(s[i]) && !is_digit(s[i]) && (s[i] != '-' || s[i - 1] == '-')) {
            return false;
        }
    }
    return true;
}

static ll_status read_id(const ll_binder *r, const ll_yaml *node, void *out)
{
    ll_status status = check_word(r, node);
    if (status == LL_OK && !is_id(node->text, node->length)) {
        status = REFUSE(r, node, "id '", node->text,
                        "' must be 2 to 8 capitals or digits, beginning with a capital, then three digits (ABC001)");
    }
    return status == LL_OK ? copy_text(r, node, out) : status;
}

static ll_status read_slug(const ll_binder *r, const ll_yaml *node, void *out)
{
    ll_status status = check_word(r, node);
    if (status == LL_OK && !is_slug(node->text, node->length)) {
        status = REFUSE(r, node, "'", node->text,
                        "' must be lower-case letters and digits, in parts joined by '-' (outer-range)");
    }
    return status == LL_OK ? copy_text(r, node, out) : status;
}

/* ------------------------------------------------------------------ lists */

/* Reads a text, or a list of them, each by `read`. */
static ll_status read_list(const ll_binder *r, const ll_yaml *node, ll_words *out, ll_bind_fn *read)
{
    bool single = node->kind == LL_YAML_SCALAR;
    size_t count = single ? 1 : node->length;
    if (node->kind == LL_YAML_MAP || count == 0) {
        return ll_bind_expect(r, NULL, node, "a text or a list of texts");
    }
    const char **at = ll_arena_alloc(r->arena, count, sizeof *at);
    if (!at) {
        return LL_E_MEMORY;
    }
    const ll_yaml *item = single ? node : node->first;
    for (size_t i = 0; i < count; i++) {
        ll_status status = read(r, item, &at[i]);
        if (status != LL_OK) {
            return status;
        }
        item = item->next;
    }
    *out = (ll_words){at, count};
    return LL_OK;
}

static ll_status read_words(const ll_binder *r, const ll_yaml *node, void *out)
{
    return read_list(r, node, out, read_word);
}

static ll_status read_slugs(const ll_binder *r, const ll_yaml *node, void *out)
{
    return read_list(r, node, out, read_slug);
}

/* Reads one item of `value:` as written. It may be empty only in quotes. */
static ll_status read_value(const ll_binder *r, const ll_yaml *node, void *out)
{
    bool empty_on_purpose = node->kind == LL_YAML_SCALAR && node->length == 0 && !node->plain;
    return empty_on_purpose ? copy_text(r, node, out) : read_word(r, node, out);
}

static ll_status read_values(const ll_binder *r, const ll_yaml *node, void *out)
{
    return read_list(r, node, out, read_value);
}

/* Reads patterns of file names, which are compared in small letters. */
static ll_status read_file(const ll_binder *r, const ll_yaml *node, void *out)
{
    ll_status status = read_word(r, node, out);
    for (char *p = status == LL_OK ? *(char **)out : NULL; p && *p; p++) {
        *p = ll_lower(*p);
    }
    return status;
}

static ll_status read_files(const ll_binder *r, const ll_yaml *node, void *out)
{
    return read_list(r, node, out, read_file);
}

/* ------------------------------------------------------------------ templates and hints */

const char *ll_template_next(const char *template, ll_piece *out)
{
    static const struct {
        const char *end, *form;
    } forms[] = {{"}", ""}, {":x}", "x"}, {":+x}", "+x"}, {":h}", "h"}, {":t}", "t"}};
    *out = (ll_piece){.text = template, .length = strcspn(template, "{}")};
    if (out->length) {
        return template + out->length;
    }
    if (template[1] == template[0]) { /* a doubled brace stands for one brace */
        out->length = 1;
        return template + 2;
    }
    bool value = strncmp(template, "{value", 6) == 0;
    bool numbered = *template == '{' && template[1] >= '0' && template[1] <= '3';
    const char *rest = template + (value ? 6 : 2);
    for (size_t i = 0; (value || numbered) && i < sizeof forms / sizeof forms[0]; i++) {
        size_t n = strlen(forms[i].end);
        if (strncmp(rest, forms[i].end, n) == 0 && (value || *forms[i].form != 't')) {
            out->kind = value ? LL_PIECE_VALUE : LL_PIECE_ARGUMENT;
            out->argument = value ? 0 : (unsigned)(template[1] - '0');
            out->form = forms[i].form;
            return rest + n;
        }
    }
    return NULL;
}

static ll_status read_template(const ll_binder *r, const ll_yaml *node, void *out)
{
    ll_status status = read_text(r, node, out);
    if (status != LL_OK) {
        return status;
    }
    ll_piece piece;
    for (const char *p = *(const char **)out; *p;) {
        p = ll_template_next(p, &piece);
        if (!p) {
            return REFUSE(r, node, "'", key_name(node),
                          "' has a brace that does not belong to {0} to {3}, {0:x}, {0:+x}, {0:h}, "
                          "{value}, {value:x} or {value:t}; write a literal brace twice");
        }
    }
    return LL_OK;
}

static ll_status read_hints(const ll_binder *r, const ll_yaml *node, void *out)
{
    if (node->kind != LL_YAML_MAP || node->length == 0) {
        return ll_bind_expect(r, NULL, node, "a map from causes to texts");
    }
    const char **at = ll_arena_alloc(r->arena, node->length, 2 * sizeof *at);
    if (!at) {
        return LL_E_MEMORY;
    }
    size_t i = 0;
    for (const ll_yaml *hint = node->first; hint; hint = hint->next, i += 2) {
        ll_status status = read_slug(r, hint->key, &at[i]);
        status = status == LL_OK ? read_template(r, hint, &at[i + 1]) : status;
        if (status != LL_OK) {
            return status;
        }
    }
    *(ll_words *)out = (ll_words){at, i};
    return LL_OK;
}

/* ------------------------------------------------------------------ maps */

static ll_bind_fn read_when;

/* Cases are read when all other keys are, whose place they take. */
static ll_status read_later(const ll_binder *r, const ll_yaml *node, void *out)
{
    (void)r;
    (void)node;
    (void)out;
    return LL_OK;
}

/* The keys of a guard, which are read into the same rule. */
static const ll_bind_key when_keys[] = {
    {"field", read_word, offsetof(ll_rule, when_field), BY_ANY, BY_ANY},
    {"check", read_word, offsetof(ll_rule, when.check), BY_ANY, BY_ANY},
    {"value", read_values, offsetof(ll_rule, when.value), BY_ANY, 0},
};

static const ll_bind_key rule_keys[] = {
    {"id", read_id, offsetof(ll_rule, id), BY_ANY, BY_ANY},
    {"name", read_slug, offsetof(ll_rule, name), BY_ANY, BY_ANY},
    {"severity", read_severity, offsetof(ll_rule, severity), BY_ANY, BY_ANY},
    {"locked", ll_bind_bool, offsetof(ll_rule, locked), BY_ANY, 0},
    {"tags", read_slugs, offsetof(ll_rule, tags), BY_ANY, BY_ANY},
    {"fault", read_word, offsetof(ll_rule, fault), BY_FAULT, BY_FAULT},
    {"on", read_words, offsetof(ll_rule, on), BY_CHECK | BY_TEST, BY_TEST},
    {"field", read_words, offsetof(ll_rule, fields), BY_TEST, 0},
    {"except", read_words, offsetof(ll_rule, except), BY_TEST, 0},
    {"of", read_words, offsetof(ll_rule, of), BY_TEST, 0},
    {"file", read_files, offsetof(ll_rule, files), BY_TEST, 0},
    {"check", read_word, offsetof(ll_rule, test.check), BY_CHECK | BY_TEST, BY_CHECK | BY_TEST},
    {"value", read_values, offsetof(ll_rule, test.value), BY_TEST, 0},
    {"when", read_when, 0, BY_TEST, 0},
    {"cases", read_later, 0, BY_TEST, 0},
    {"yields_to", read_slugs, offsetof(ll_rule, yields_to), BY_ANY, 0},
    {"patch", read_patch, offsetof(ll_rule, patch), BY_ANY, 0},
    {"title", read_title, offsetof(ll_rule, title), BY_ANY, BY_ANY},
    {"why", read_text, offsetof(ll_rule, why), BY_ANY, BY_ANY},
    {"evidence", read_text, offsetof(ll_rule, evidence), BY_ANY, 0},
    {"fix", read_text, offsetof(ll_rule, fix), BY_ANY, BY_ANY},
    {"found", read_template, offsetof(ll_rule, found), BY_ANY, BY_FAULT | BY_CHECK},
    {"expected", read_template, offsetof(ll_rule, expected), BY_ANY, BY_FAULT | BY_CHECK},
    {"related", read_text, offsetof(ll_rule, related), BY_ANY, 0},
    {"hints", read_hints, offsetof(ll_rule, hints), BY_ANY, 0},
    {"ladder", NULL, 0, 0, 0}, /* not allowed in a rule; its steps are rules */
};

/* The keys of a case, which take the place of those of its rule. */
static const ll_bind_key case_keys[] = {
    {"on", read_words, offsetof(ll_rule, on), BY_ANY, 0},
    {"field", read_words, offsetof(ll_rule, fields), BY_ANY, 0},
    {"except", read_words, offsetof(ll_rule, except), BY_ANY, 0},
    {"of", read_words, offsetof(ll_rule, of), BY_ANY, 0},
    {"file", read_files, offsetof(ll_rule, files), BY_ANY, 0},
    {"check", read_word, offsetof(ll_rule, test.check), BY_ANY, 0},
    {"value", read_values, offsetof(ll_rule, test.value), BY_ANY, 0},
    {"when", read_when, 0, BY_ANY, 0},
    {"found", read_template, offsetof(ll_rule, found), BY_ANY, 0},
    {"expected", read_template, offsetof(ll_rule, expected), BY_ANY, 0},
};

static const char *const kinds[] = {"in a rule with a fault", "in a rule with a named check",
                                    "in a rule with a predicate"};
static const ll_bind_map when_map = {when_keys, sizeof when_keys / sizeof *when_keys, "'when'",
                                     "a map of field, check and value", kinds};
static const ll_bind_map case_map = {case_keys, sizeof case_keys / sizeof *case_keys, "the case",
                                     "a case, which is a map of keys", kinds};
static const ll_bind_map rule_map = {rule_keys, sizeof rule_keys / sizeof *rule_keys, "the rule",
                                     "a rule, which is a map of keys", kinds};

static ll_status read_when(const ll_binder *r, const ll_yaml *node, void *out)
{
    ll_rule *rule = out;
    ll_status status = ll_bind(r, &when_map, BY_TEST, node, rule);
    if (status == LL_OK && strchr(rule->when.check, '.')) {
        return REFUSE(r, node, "'when' takes a predicate, not the named check '", rule->when.check, "'");
    }
    return status;
}

/* ------------------------------------------------------------------ rules */

/* Finds the kind of a rule before its keys are read, so that each key can be checked where it is. */
static ll_status find_kind(const ll_binder *r, const ll_yaml *stanza, unsigned *kind)
{
    const ll_yaml *fault = ll_yaml_get(stanza, "fault");
    const ll_yaml *check = ll_yaml_get(stanza, "check");
    if (!fault == !check) {
        return REFUSE(r, stanza, "a rule needs either 'fault' or 'check'; this one has ", fault ? "both" : "none");
    }
    *kind = fault ? BY_FAULT : strchr(check->text, '.') ? BY_CHECK : BY_TEST;
    return LL_OK;
}

/* Takes the family of the rule from the part before the dot. All words of a rule must have the same family. */
static ll_status take_family(const ll_binder *r, const ll_yaml *node, const char *word, ll_rule *rule)
{
    const char *dot = strchr(word, '.');
    size_t length = dot ? (size_t)(dot - word) : 0;
    if (!is_slug(word, length) || !dot[1]) {
        return REFUSE(r, node, "'", word, "' does not begin with a family and a dot, as in 'grx.header'");
    }
    if (!*rule->family) {
        rule->family = ll_arena_copy(r->arena, word, length);
        return rule->family ? LL_OK : LL_E_MEMORY;
    }
    if (strlen(rule->family) != length || strncmp(rule->family, word, length) != 0) {
        return REFUSE(r, node, "'", word, "' belongs to another family than '", rule->family,
                      "'; a rule has one family");
    }
    return LL_OK;
}

static ll_status derive_family(const ll_binder *r, const ll_yaml *stanza, unsigned kind, ll_rule *rule)
{
    const ll_yaml *on = ll_yaml_get(stanza, "on");
    ll_status status = LL_OK;
    if (kind == BY_FAULT) {
        status = take_family(r, ll_yaml_get(stanza, "fault"), rule->fault, rule);
    } else if (kind == BY_CHECK) {
        status = take_family(r, ll_yaml_get(stanza, "check"), rule->test.check, rule);
    }
    for (size_t i = 0; status == LL_OK && i < rule->on.count; i++) {
        status = take_family(r, on->kind == LL_YAML_LIST ? ll_yaml_at(on, i) : on, rule->on.at[i], rule);
    }
    return status;
}

/* Checks that '*' is the only field, and that `except` is used only with it. */
static ll_status check_fields(const ll_binder *r, const ll_yaml *stanza, const ll_rule *rule)
{
    bool star = false;
    for (size_t i = 0; i < rule->fields.count; i++) {
        star = star || strcmp(rule->fields.at[i], "*") == 0;
    }
    if (star && rule->fields.count > 1) {
        return REFUSE(r, ll_yaml_get(stanza, "field"), "field '*' means every field, so no other field is allowed");
    }
    if (!star && rule->except.count) {
        return REFUSE(r, ll_yaml_get(stanza, "except"), "'except' is allowed only with field '*'");
    }
    return LL_OK;
}

static void put_list(ll_text *text, const ll_words *words, const char *quote)
{
    for (size_t i = 0; i < words->count; i++) {
        ll_text_format(text, "%s%s%s%s", i ? ", " : "", quote, words->at[i], quote);
    }
}

static void put_test(ll_text *text, const ll_test *test)
{
    ll_text_format(text, "%s%s", test->check, test->value.count ? " " : "");
    put_list(text, &test->value, "'");
}

/* "grx.probe.priority", "grx.point_light, grx.spot_light: dimmer, temperature", "file" */
static void put_target(ll_text *text, const ll_rule *rule)
{
    if (rule->on.count == 0) {
        ll_text_str(text, "file");
        return;
    }
    put_list(text, &rule->on, "");
    if (rule->fields.count) {
        ll_text_str(text, rule->on.count == 1 && rule->fields.count == 1 ? "." : ": ");
        put_list(text, &rule->fields, "");
    }
    ll_text_str(text, rule->except.count ? " except " : "");
    put_list(text, &rule->except, "");
    ll_text_str(text, rule->of.count ? " of " : "");
    put_list(text, &rule->of, "");
    ll_text_str(text, rule->files.count ? " in " : "");
    put_list(text, &rule->files, "");
}

/* "range '>= 0'", "fault entry-size-min", "check name_hash" */
static void put_check(ll_text *text, unsigned kind, const ll_rule *rule)
{
    if (kind != BY_TEST) {
        const char *name = kind == BY_FAULT ? rule->fault : rule->test.check;
        ll_text_format(text, "%s %s", kind == BY_FAULT ? "fault" : "check", strchr(name, '.') + 1);
        return;
    }
    put_test(text, &rule->test);
    if (*rule->when.check) {
        ll_text_format(text, " when %s ", rule->when_field);
        put_test(text, &rule->when);
    }
}

/* Composes the target and the check of a rule as the catalogue shows them. */
static ll_status describe(const ll_binder *r, unsigned kind, ll_rule *rule)
{
    ll_text text;
    ll_text_init(&text, &r->arena->allocator);
    const unsigned count = ll_rule_case_count(rule);
    for (unsigned i = 0; i < count; i++) {
        const ll_rule *one = ll_rule_case(r->arena, rule, i);
        ll_text_str(&text, i ? "; " : "");
        text.failed = text.failed || !one;
        put_target(&text, one ? one : rule);
    }
    const char *target = ll_arena_copy(r->arena, text.data, text.length);
    bool failed = text.failed || !target;
    ll_text_clear(&text);
    for (unsigned i = 0; i < count; i++) {
        const ll_rule *one = ll_rule_case(r->arena, rule, i);
        ll_text_str(&text, i ? "; " : "");
        text.failed = text.failed || !one;
        put_check(&text, kind, one ? one : rule);
    }
    const char *check_text = ll_arena_copy(r->arena, text.data, text.length);
    failed = failed || text.failed || !check_text;
    ll_text_free(&text);
    if (failed) {
        return LL_E_MEMORY;
    }
    rule->target = target;
    rule->check_text = check_text;
    return LL_OK;
}

/* Reads a case: a copy of the rule with the keys of the case in place of its own. */
static ll_status read_case(const ll_binder *r, const ll_yaml *node, ll_rule *rule)
{
    ll_rule one = *rule;
    if (ll_yaml_get(node, "check")) {
        one.test.value = (ll_words){0};
    }
    if (ll_yaml_get(node, "when")) {
        one.when.value = (ll_words){0};
    }
    ll_status status = ll_bind(r, &case_map, BY_TEST, node, &one);
    if (status == LL_OK && strchr(one.test.check, '.')) {
        status = REFUSE(r, node, "a case takes a predicate, not the named check '", one.test.check, "'");
    }
    if (status == LL_OK && ll_yaml_get(node, "on")) {
        status = derive_family(r, node, BY_TEST, &one);
    }
    status = status == LL_OK ? check_fields(r, node, &one) : status;
    return status == LL_OK && !ll_rule_add_case(r->arena, rule, &one) ? LL_E_MEMORY : status;
}

static ll_status read_cases(const ll_binder *r, const ll_yaml *cases, ll_rule *rule)
{
    ll_status status = LL_OK;
    if (cases && (cases->kind != LL_YAML_LIST || cases->length < 2)) {
        status = ll_bind_expect(r, NULL, cases, "a list of two cases or more");
    }
    for (const ll_yaml *node = cases ? cases->first : NULL; status == LL_OK && node; node = node->next) {
        status =
            node->kind == LL_YAML_MAP ? read_case(r, node, rule) : ll_bind_expect(r, NULL, node, case_map.expected);
    }
    return status;
}

static ll_status read_rule(const ll_binder *r, const ll_yaml *stanza, const char *origin, ll_rule *rule)
{
#define EMPTY(text) .text = "",
    *rule = (ll_rule){LL_RULE_TEXTS(EMPTY).line = stanza->line};
#undef EMPTY
    rule->origin = origin;
    unsigned kind = BY_TEST;
    ll_status status = stanza->kind == LL_YAML_MAP ? ll_bind_keys(r, &rule_map, BY_ANY, stanza)
                                                   : ll_bind_expect(r, NULL, stanza, rule_map.expected);
    if (status == LL_OK) {
        status = find_kind(r, stanza, &kind);
    }
    if (status == LL_OK) {
        status = ll_bind(r, &rule_map, kind, stanza, rule);
    }
    if (status == LL_OK) {
        status = derive_family(r, stanza, kind, rule);
    }
    if (status == LL_OK) {
        status = check_fields(r, stanza, rule);
    }
    if (status == LL_OK) {
        status = read_cases(r, ll_yaml_get(stanza, "cases"), rule);
    }
    return status == LL_OK ? describe(r, kind, rule) : status;
}

/* ------------------------------------------------------------------ ladders */

/* The keys of a rule, and the number of steps before it in its ladder. */
typedef struct stanza {
    const ll_yaml *node;
    size_t above;
} stanza;

static const ll_yaml *ladder_of(const ll_yaml *node)
{
    return node->kind == LL_YAML_MAP ? ll_yaml_get(node, "ladder") : NULL;
}

/* A copy of a step with the keys of its stanza that it does not have itself. NULL: no memory. */
static const ll_yaml *complete(ll_arena *tree, const ll_yaml *node, const ll_yaml *step)
{
    ll_yaml *out = ll_arena_alloc(tree, 1 + step->length + node->length, sizeof *out);
    if (!out || step->kind != LL_YAML_MAP) {
        return out ? step : NULL;
    }
    *out = *step;
    ll_yaml *last = out;
    const ll_yaml **end = &out->first;
    for (unsigned from = 0; from < 2; from++) {
        for (const ll_yaml *value = from ? node->first : step->first; value; value = value->next) {
            if (!from || (value != ladder_of(node) && !ll_yaml_get(step, value->key->text))) {
                *++last = *value;
                *end = last;
                end = &last->next;
            }
        }
    }
    *end = NULL;
    return out;
}

static ll_status check_ladder(const ll_binder *r, const ll_yaml *node, const ll_yaml *ladder)
{
    if (ladder->kind != LL_YAML_LIST || ladder->length < 2) {
        return ll_bind_expect(r, NULL, ladder, "a list of two rules or more, the severest first");
    }
    return ll_bind_keys(r, &rule_map, BY_ANY, node);
}

/* Lists the rules of a pack; each step of a ladder is a rule. */
static ll_status list_stanzas(const ll_binder *r, const ll_yaml *root, stanza **out, size_t *count)
{
    if (!root || (root->kind == LL_YAML_SCALAR && root->length == 0)) {
        return LL_PROBLEM(ll_problem_at(r->problem, 1, 1), "there is no rule in the pack");
    }
    if (root->kind != LL_YAML_LIST || root->length == 0) {
        return ll_bind_expect(r, NULL, root, "a list of rules ('- id: ...')");
    }
    size_t most = 0;
    for (const ll_yaml *node = root->first; node; node = node->next) {
        const ll_yaml *ladder = ladder_of(node);
        ll_status status = ladder ? check_ladder(r, node, ladder) : LL_OK;
        if (status != LL_OK) {
            return status;
        }
        most += ladder ? ladder->length : 1;
    }
    if (most > LL_PACK_RULES_MAX) {
        return REFUSE(r, root, "more than 4096 rules in one pack");
    }
    stanza *list = ll_arena_alloc(r->owner, most, sizeof *list);
    bool room = list != NULL;
    size_t n = 0;
    for (const ll_yaml *node = root->first; room && node; node = node->next) {
        const ll_yaml *step = ladder_of(node) ? ladder_of(node)->first : NULL;
        size_t above = 0;
        do {
            list[n] = (stanza){step ? complete(r->owner, node, step) : node, above++};
            room = list[n++].node != NULL;
            step = step ? step->next : NULL;
        } while (room && step);
    }
    *out = list;
    *count = n;
    return room ? LL_OK : LL_E_MEMORY;
}

/* Makes a step yield to the steps before it, in addition to its own yields_to. */
static ll_status yield_to_steps(const ll_binder *r, size_t above, ll_rule *rule)
{
    const ll_words own = rule->yields_to;
    const char **at = ll_arena_alloc(r->arena, own.count + above, sizeof *at);
    if (!at) {
        return LL_E_MEMORY;
    }
    for (size_t i = 0; i < own.count + above; i++) {
        at[i] = i < own.count ? own.at[i] : (rule - above + (i - own.count))->name;
    }
    rule->yields_to = (ll_words){at, own.count + above};
    return LL_OK;
}

/* ------------------------------------------------------------------ packs */

static ll_status copy_origin(ll_arena *arena, const char *name, const char **origin)
{
    ll_text text;
    ll_text_init(&text, &arena->allocator);
    ll_text_escape(&text, name, strlen(name));
    *origin = text.failed ? NULL : ll_arena_copy(arena, text.data, text.length);
    ll_text_free(&text);
    return *origin ? LL_OK : LL_E_MEMORY;
}

static ll_status read_rules(const ll_binder *r, const char *name, const ll_yaml *root, ll_rule **rules, size_t *count)
{
    const char *origin;
    stanza *list;
    ll_status status = list_stanzas(r, root, &list, count);
    status = status == LL_OK ? copy_origin(r->arena, name, &origin) : status;
    *rules = status == LL_OK ? ll_arena_alloc(r->arena, *count, sizeof **rules) : NULL;
    if (!*rules) {
        return status == LL_OK ? LL_E_MEMORY : status;
    }
    for (size_t i = 0; status == LL_OK && i < *count; i++) {
        status = read_rule(r, list[i].node, origin, *rules + i);
        status = status == LL_OK && list[i].above ? yield_to_steps(r, list[i].above, *rules + i) : status;
    }
    return status;
}

ll_status ll_pack_read(ll_arena *arena, const ll_pack_text *pack, ll_rule **rules, size_t *count, ll_problem *problem)
{
    *rules = NULL;
    *count = 0;
    ll_arena tree; /* freed after the rules are copied from the tree */
    ll_arena_init(&tree, &arena->allocator, SIZE_MAX);
    const ll_yaml *root;
    ll_status status = ll_yaml_read(&tree, pack->yaml, pack->size, &root, problem);
    if (status == LL_OK) {
        ll_binder r = {arena, problem, &tree};
        status = read_rules(&r, pack->name, root, rules, count);
    }
    ll_arena_free(&tree);
    return status == LL_E_PACK ? ll_problem_prefix(problem, pack->name) : status;
}

/* ------------------------------------------------------------------ places of problems found later */

/* The offset where the text quotes the word ('word' or "word"); SIZE_MAX: it does not. */
static size_t quoted_at(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; n && (p = strstr(p, word)); p++) {
        char before = p > text ? p[-1] : '\0';
        if ((before == '\'' || before == '"') && p[n] == before) {
            return (size_t)(p - text);
        }
    }
    return SIZE_MAX;
}

/* A search for the node that the text quotes first. Messages name the wrong word before the right one. */
typedef struct search {
    const char *text;
    const ll_yaml *best;
    size_t best_at;
} search;

static void consider(search *s, const ll_yaml *node)
{
    size_t at = node ? quoted_at(s->text, node->text) : SIZE_MAX;
    if (node && at == SIZE_MAX) {
        at = quoted_at(s->text, node->text + strspn(node->text, "<>= ")); /* only the number of '>= 0' is quoted */
    }
    if (at < s->best_at) {
        s->best = node;
        s->best_at = at;
    }
}

/* The value or key inside `node` that the text quotes first; NULL: none. */
static const ll_yaml *find_quoted(const ll_yaml *node, const char *text)
{
    search s = {text, NULL, SIZE_MAX};
    const ll_yaml *up[LL_YAML_DEPTH_MAX];
    size_t depth = 0;
    for (const ll_yaml *at = node->first; at;) {
        consider(&s, at);
        consider(&s, at->key);
        if (at->first && depth < LL_YAML_DEPTH_MAX) {
            up[depth++] = at;
            at = at->first;
            continue;
        }
        while (!at->next && depth) {
            at = up[--depth];
        }
        at = at->next;
    }
    return s.best;
}

ll_status ll_pack_locate(const ll_allocator *allocator, const ll_pack_text *pack, size_t rule, ll_problem *problem)
{
    if (!problem) {
        return LL_E_PACK;
    }
    ll_arena tree;
    ll_arena_init(&tree, allocator, SIZE_MAX);
    const ll_yaml *root;
    stanza *list;
    size_t count = 0;
    if (ll_yaml_read(&tree, pack->yaml, pack->size, &root, NULL) == LL_OK && root) {
        bool listed = list_stanzas(&(ll_binder){.owner = &tree}, root, &list, &count) == LL_OK;
        const ll_yaml *node = listed && rule < count ? list[rule].node : NULL;
        const ll_yaml *word = node ? find_quoted(node, problem->text) : NULL;
        const ll_yaml *at = word ? word : node ? node : root;
        (void)ll_problem_at(problem, at->line, at->column);
    }
    ll_arena_free(&tree);
    return ll_problem_prefix(problem, pack->name);
}
