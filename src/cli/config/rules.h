/* Builds rule sets from configurations and the command line. Equal settings share one sealed rule set. */
#ifndef LL_CLI_CONFIG_RULES_H
#define LL_CLI_CONFIG_RULES_H

#include "cli/config/file.h"
#include "cli/options.h"

typedef struct ll_rule_value {
    ll_key key; /* ignore or severity */
    const ll_config_file *file;
    const ll_yaml *node;
} ll_rule_value;

/* What configurations say about rules. A NULL node: nothing. */
typedef struct ll_rule_settings {
    ll_rule_value packs, select;
    const ll_rule_value *changes; /* values of ignore and severity, in order of increasing precedence */
    size_t change_count;
} ll_rule_settings;

typedef struct ll_known_rules ll_known_rules;
typedef struct ll_known_pack ll_known_pack;

typedef struct ll_rule_sets {
    const ll_options *options;
    ll_arena *arena;
    ll_known_rules *rules;
    ll_known_pack *packs;
    bool strict; /* selectors of the command line must match a rule; set for the first rule set, which checks them for
                  * all */
} ll_rule_sets;

/* Returns a sealed rule set; NULL if it is refused, which is reported once. */
const ll_ruleset *ll_rule_sets_get(ll_rule_sets *sets, const ll_rule_settings *wanted);

/* True if every selector of a file matches a rule of the packs in force; others are reported. */
bool ll_rule_sets_check(ll_rule_sets *sets, const ll_rule_value *packs, const ll_config_file *file);

void ll_rule_sets_free(ll_rule_sets *sets);

#endif
