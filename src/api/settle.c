/* See settle.h. What is tried is linted into a second report, which the first one keeps. */
#include "api/settle.h"

#include "model/consequence.h"
#include "model/derive.h"
#include "report/compare.h"

#include <string.h>

/* What trying costs, in bytes that are linted: one try as many as the file has and so many more, all of a file
 * together.
 */
enum { TRY_COST = 1 << 16, COST_MAX = 1 << 24 };

typedef struct settling {
    ll_report *report;
    ll_lint_options lint;
    ll_arena scratch; /* of one try */
    uint64_t spent;
    ll_consequences now; /* of the last try */
    ll_deriver deriver;  /* doc NULL: not started */
} settling;

/* Does the patch of an entry, as it was made whole, take the finding away and bring none? */
static ll_status try_out(settling *s, uint32_t number, bool *holds)
{
    ll_report *trial = s->report->trial;
    ll_comparison c = {.stays = NULL};
    ll_status status = ll_lint(s->report->rules, s->now.bytes, s->now.size, &s->lint, trial);
    status = status == LL_OK ? ll_report_compare(s->report, trial, &s->scratch, &trial->scratch, &c) : status;
    *holds = status == LL_OK && !c.stays[number] && c.newcomer == LL_NO_ENTRY && !c.grew;
    return status;
}

static ll_status try_edit(settling *s, uint32_t number, const ll_edit *edit, bool *holds)
{
    ll_doc *doc = &s->report->doc;
    ll_entry *entry = &s->report->entries[number];
    ll_arena_reset(&s->scratch);
    s->spent += doc->size + TRY_COST;
    ll_status status = ll_consequences_of(doc, entry->at.span, edit, &s->scratch, &s->now);
    *holds = status == LL_OK && edit->offset == doc->size && s->now.was == 0; /* at the end nothing follows */
    if (status == LL_OK && !*holds) {
        status = try_out(s, number, holds);
    }
    if (status == LL_OK && *holds) {
        char *bytes = ll_arena_copy(&doc->arena, (const char *)s->now.bytes + s->now.from, s->now.is);
        entry->patch = (ll_edit){edit->tier, s->now.from, s->now.was, s->now.is, 0, 0, (const uint8_t *)bytes, false};
        status = bytes ? LL_OK : LL_E_MEMORY;
    }
    return status == LL_E_ARGUMENT ? LL_OK : status; /* there is no such place */
}

static ll_status settle(settling *s, uint32_t number)
{
    const ll_edit all = s->report->entries[number].patch;
    ll_status status = LL_OK;
    bool holds = s->report->doc.size > COST_MAX && all.offset == s->report->doc.size;
    s->report->entries[number].patch.tier = holds ? all.tier : (uint8_t)LL_PATCH_NONE;
    for (uint32_t i = 0; i <= all.places && status == LL_OK && !holds && s->spent < COST_MAX; i++) {
        ll_edit edit = all;
        edit.offset += i;
        edit.balance = 0;
        status = try_edit(s, number, &edit, &holds);
        edit.balance = all.balance;
        if (status == LL_OK && !holds && edit.balance) {
            status = try_edit(s, number, &edit, &holds);
        }
    }
    return status;
}

/* The value that follows from the rest of the document, as the patch of a finding that has none; where there is none,
 * edit->tier is LL_PATCH_NONE. */
static ll_status derive(settling *s, const ll_where *at, uint8_t bytes[LL_DERIVED_MAX], ll_edit *edit)
{
    ll_doc *doc = &s->report->doc;
    *edit = (ll_edit){.tier = LL_PATCH_NONE};
    if (!doc->format || at->span == LL_NO_SPAN || at->offset >= doc->size || !ll_where_field(doc, at) ||
        ll_doc_layout(doc, at->span)->kind != LL_KIND_RECORD) {
        return LL_OK;
    }
    if (!s->deriver.doc && !ll_deriver_start(&s->deriver, doc, &doc->arena)) {
        return LL_E_MEMORY;
    }
    ll_where all = ll_at_field(doc, at->span, at->element, at->field);
    if (all.length <= LL_DERIVED_MAX && ll_derive(&s->deriver, at->span, at->element, at->field, bytes) == LL_DERIVED &&
        memcmp(bytes, doc->bytes + all.offset, all.length) != 0) {
        *edit = (ll_edit){LL_PATCH_UNSAFE, all.offset, all.length, all.length, 0, 0, bytes, true};
    }
    return LL_OK;
}

ll_status ll_report_settle(ll_report *report, const char *variant)
{
    settling s = {.report = report,
                  .lint = {.size = sizeof s.lint,
                           .name = report->doc.name,
                           .variant = variant,
                           .allow_unsupported = report->doc.unsupported_allowed}};
    const ll_allocator *a = &report->doc.arena.allocator;
    ll_status status = LL_OK;
    ll_arena_init(&s.scratch, a, SIZE_MAX);
    for (uint32_t i = 0; i < report->entry_count && status == LL_OK; i++) {
        uint8_t bytes[LL_DERIVED_MAX];
        ll_edit *edit = &report->entries[i].patch;
        if (edit->tier == LL_PATCH_NONE && report->doc.size < COST_MAX && s.spent < COST_MAX) {
            status = derive(&s, &report->entries[i].at, bytes, edit);
        } else if (edit->removed == edit->size && !edit->guessed) {
            continue;
        }
        if (status != LL_OK || edit->tier == LL_PATCH_NONE) {
            continue;
        }
        if (!report->trial) {
            status = ll_report_create(a, &report->trial);
        }
        if (status == LL_OK) {
            report->trial->is_trial = true;
            status = settle(&s, i);
        }
    }
    ll_arena_free(&s.scratch);
    return status;
}
