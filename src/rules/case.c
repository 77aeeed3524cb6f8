/* Cases of a rule. The list of cases holds, for each of them, its texts and then its lists with their lengths in front,
 * so that packc writes it like any other list of words. */
#include "base/text.h"
#include "rules/rule.h"

#include <stddef.h>
#include <stdlib.h>

#define PLACE(member) offsetof(ll_rule, member),
static const size_t text_places[] = {LL_CASE_TEXTS(PLACE)};
static const size_t list_places[] = {LL_CASE_LISTS(PLACE)};
#undef PLACE
enum { TEXTS = sizeof text_places / sizeof *text_places, LISTS = sizeof list_places / sizeof *list_places };

static const char **text_of(const ll_rule *rule, size_t i)
{
    return (const char **)((char *)(uintptr_t)rule + text_places[i]);
}

static ll_words *list_of(const ll_rule *rule, size_t i)
{
    return (ll_words *)((char *)(uintptr_t)rule + list_places[i]);
}

bool ll_rule_add_case(ll_arena *arena, ll_rule *rule, const ll_rule *one)
{
    size_t count = rule->cases.count + TEXTS;
    for (size_t i = 0; i < LISTS; i++) {
        count += 1 + list_of(one, i)->count;
    }
    const char **at = ll_arena_alloc(arena, count, sizeof *at);
    size_t n = 0;
    for (; at && n < rule->cases.count; n++) {
        at[n] = rule->cases.at[n];
    }
    for (size_t i = 0; at && i < TEXTS; i++) {
        at[n++] = *text_of(one, i);
    }
    for (size_t i = 0; at && i < LISTS; i++) {
        const ll_words *list = list_of(one, i);
        ll_text length;
        ll_text_init(&length, &arena->allocator);
        ll_text_u64(&length, list->count);
        at[n++] = length.failed ? NULL : ll_arena_copy(arena, length.data, length.length);
        ll_text_free(&length);
        at = at[n - 1] ? at : NULL;
        for (size_t k = 0; at && k < list->count; k++) {
            at[n++] = list->at[k];
        }
    }
    rule->cases = (ll_words){at, at ? n : 0};
    return at;
}

/* Reads the case at word `n` into *out; returns the number of the first word after it. */
static size_t read_case(const ll_words *words, size_t n, ll_rule *out)
{
    for (size_t i = 0; i < TEXTS; i++) {
        *text_of(out, i) = words->at[n++];
    }
    for (size_t i = 0; i < LISTS; i++) {
        const size_t length = strtoul(words->at[n++], NULL, 10);
        *list_of(out, i) = (ll_words){words->at + n, length};
        n += length;
    }
    return n;
}

const ll_rule *ll_rule_case(ll_arena *arena, const ll_rule *rule, unsigned number)
{
    ll_rule *out = rule->cases.count ? ll_arena_alloc(arena, 1, sizeof *out) : NULL;
    if (!out) {
        return rule->cases.count ? NULL : rule;
    }
    *out = *rule;
    for (size_t n = 0, i = 0; i <= number && n < rule->cases.count; i++) {
        n = read_case(&rule->cases, n, out);
    }
    return out;
}

unsigned ll_rule_case_count(const ll_rule *rule)
{
    ll_rule scratch;
    unsigned count = 0;
    for (size_t n = 0; n < rule->cases.count; count++) {
        n = read_case(&rule->cases, n, &scratch);
    }
    return count ? count : 1;
}
