/* Runs a sealed rule set over a sealed document: faults first, then per-record tests and checks in span order, then
 * checks of the whole file. Composes found and expected; hands findings to a sink. Deterministic; no globals. */
#ifndef LL_RULES_ENGINE_H
#define LL_RULES_ENGINE_H

#include "rules/ruleset.h"

/* A finding as the engine hands it over. Texts are borrowed for the call. */
typedef struct ll_hit {
    uint32_t rule;
    ll_where at;
    ll_where related;
    const char *found, *expected, *hint;
    const char *related_text;
    uint8_t patch_tier;
    uint32_t patch_offset, patch_removed, patch_size;
    const uint8_t *patch_bytes; /* borrowed for the call */
} ll_hit;

typedef struct ll_sink {
    void *ctx;
    /* Counts a finding of this rule; false: over a limit, do not compose it. */
    bool (*admit)(void *ctx, uint32_t rule);
    ll_status (*take)(void *ctx, const ll_hit *hit);
} ll_sink;

/* `scratch` is a text buffer that the engine may use and clear. */
ll_status ll_engine_run(const ll_ruleset *rules, ll_doc *doc, ll_text *scratch, const ll_sink *sink);

#endif
