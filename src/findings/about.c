/* Prints what this program is: version, commit, rules and libraries. The build passes its facts as definitions
 * (CMakeLists.txt). The hash covers the text of the rules: builds with equal hashes judge alike as far as rules
 * decide. */
#include "base/problem.h"
#include "base/json_write.h"
#include "findings/words.h"

#ifndef LIGHTLINT_COMMIT
#define LIGHTLINT_COMMIT ""
#endif

/* Version "": built without the library. */
static const struct {
    const char *name, *version, *without;
} libraries[] = {
#ifdef LIGHTLINT_PCRE2
    {"PCRE2", LIGHTLINT_PCRE2, ""},
    {"cJSON", LIGHTLINT_CJSON, ""},
    {"libyaml", LIGHTLINT_YAML, ""},
    {"zlib", LIGHTLINT_ZLIB, ""},
    {"expat", LIGHTLINT_EXPAT, "not built in: manifests of archives are not read"},
#endif
    {NULL, NULL, NULL}};

uint64_t ll_rules_hash(const ll_ruleset *rules)
{
    uint64_t hash = LL_FNV_START;
    for (size_t i = 0; i < rules->count; i++) {
        const ll_active_rule *active = &rules->rules[i];
        if (active->severity != LL_SEVERITY_OFF) {
            const ll_rule *rule = ll_rule_of(rules, active);
            hash = ll_fnv(hash, rule->id, strlen(rule->id) + 1);
            hash = ll_fnv(hash, &active->severity, 1);
            hash = ll_fnv(hash, rule->target, strlen(rule->target) + 1);
            hash = ll_fnv(hash, rule->check_text, strlen(rule->check_text) + 1);
        }
    }
    return hash;
}

static void put_text(size_t count, uint64_t hash, ll_text *out)
{
    ll_text_format(out, "lightlint %s\n", ll_version());
    if (LIGHTLINT_COMMIT[0]) {
        ll_text_format(out, "%-8s %s\n", "commit", LIGHTLINT_COMMIT);
    }
    ll_text_format(out, "%-8s %zu, hash %016" PRIx64 "\n", "rules", count, hash);
    for (size_t i = 0; libraries[i].name; i++) {
        bool has = *libraries[i].version;
        ll_text_format(out, "%-8s %s\n", libraries[i].name, has ? libraries[i].version : libraries[i].without);
    }
}

static void put_json(size_t count, uint64_t hash, ll_text *out)
{
    ll_jsonw json = {out, false};
    ll_jsonw_begin(&json, '{');
    LL_JSON_STR(&json, "version", ll_version());
    if (LIGHTLINT_COMMIT[0]) {
        LL_JSON_STR(&json, "commit", LIGHTLINT_COMMIT);
    }
    LL_JSON_BEGIN(&json, "rules", '{');
    LL_JSON_U64(&json, "count", count);
    ll_jsonw_key(&json, "hash");
    ll_jsonw_hash(&json, hash);
    ll_jsonw_end(&json, '}');
    LL_JSON_BEGIN(&json, "libraries", '[');
    for (size_t i = 0; libraries[i].name; i++) {
        if (*libraries[i].version) {
            ll_jsonw_begin(&json, '{');
            LL_JSON_STR(&json, "name", libraries[i].name);
            LL_JSON_STR(&json, "version", libraries[i].version);
            ll_jsonw_end(&json, '}');
        }
    }
    ll_text_str(out, "]}\n");
}

ll_status ll_print_version(const ll_ruleset *rules, const char *format, ll_write_fn write, void *ctx)
{
    bool json = format && strcmp(format, "json") == 0;
    if (!rules || !write || !format || (!json && strcmp(format, "text") != 0)) {
        return LL_E_ARGUMENT;
    }
    ll_text out;
    ll_text_init(&out, &rules->arena.allocator);
    (json ? put_json : put_text)(ll_ruleset_count(rules), ll_rules_hash(rules), &out);
    ll_status status = ll_send_text(&out, 0, write, ctx);
    ll_text_free(&out);
    return status;
}
