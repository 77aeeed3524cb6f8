/* Shipped rules as structs, which a rule set makes from the rows of packc when they are asked for. */
#include "rules/ruleset.h"

#include <stddef.h>

#define PLACE(member) offsetof(ll_rule, member),
static const uint16_t text_places[] = {LL_RULE_TEXTS(PLACE)};
static const uint16_t list_places[] = {LL_RULE_LISTS(PLACE)};
#undef PLACE

static void make(const ll_rule_row *row, const char **words, ll_rule *out)
{
    *out = (ll_rule){.severity = row->severity, .locked = row->locked, .patch = row->patch, .line = row->line};
    for (size_t i = 0; i < LL_RULE_TEXT_COUNT; i++) {
        *(const char **)((char *)out + text_places[i]) = ll_shipped_texts + row->texts[i];
    }
    size_t word = row->first_word;
    for (size_t i = 0; i < LL_RULE_LIST_COUNT; i++) {
        *(ll_words *)((char *)out + list_places[i]) = (ll_words){words + word, row->listed[i]};
        for (size_t j = 0; j < row->listed[i]; j++, word++) {
            words[word] = ll_shipped_texts + ll_shipped_words[word];
        }
    }
}

void ll_make_rule(const ll_ruleset *rules, uint32_t row)
{
    _Atomic(uint8_t) *state = &rules->made.states[row];
    uint8_t found = LL_NOT_MADE;
    if (atomic_compare_exchange_strong(state, &found, LL_BEING_MADE)) {
        make(&ll_shipped_rules[row], rules->made.words, &rules->made.rules[row]);
        atomic_store_explicit(state, LL_MADE, memory_order_release);
    }
    while (atomic_load_explicit(state, memory_order_acquire) != LL_MADE) {
        /* another thread makes it, which takes less than a call of the system */
    }
}

const char *ll_rule_family(const ll_ruleset *rules, size_t index)
{
    const ll_active_rule *active = &rules->rules[index];
    return active->own ? active->own->family : ll_shipped_texts + ll_shipped_rules[active->row].family;
}
