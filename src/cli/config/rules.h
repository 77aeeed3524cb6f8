/* Rule sets made from configurations and the command line. What says the same shares one sealed rule set. */
#ifndef LL_CLI_CONFIG_RULES_H
#define LL_CLI_CONFIG_RULES_H

#include "cli/config/file.h"
#include "cli/options.h"

typedef struct ll_rule_value {
    ll_key key; /* ignore or severity */
    const ll_config_file *file;
    const ll_yaml *node;
} ll_rule_value;

/* What configurations say of rules. A node that is NULL: nothing. */
typedef struct ll_rule_settings {
    ll_rule_value packs, select;
    const ll_rule_value *changes; /* ignore and severity, the weakest first */
    size_t change_count;
} ll_rule_settings;

typedef struct ll_known_rules ll_known_rules;
typedef struct ll_known_pack ll_known_pack;

typedef struct ll_rule_sets {
    const ll_options *options;
    ll_arena *arena;
    ll_known_rules *rules;
    ll_known_pack *packs;
    bool strict; /* selectors of the command line must match: for the first rule set, by which they are checked for all
                  */
} ll_rule_sets;

/* A sealed rule set; NULL when it was refused, which was said once. */
const ll_ruleset *ll_rule_sets_get(ll_rule_sets *sets, const ll_rule_settings *wanted);

/* True when every selector of a file matches a rule, given the packs in force; what does not was said. */
bool ll_rule_sets_check(ll_rule_sets *sets, const ll_rule_value *packs, const ll_config_file *file);

void ll_rule_sets_free(ll_rule_sets *sets);

#endif
