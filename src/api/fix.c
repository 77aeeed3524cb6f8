/* Applies patches in a loop: choose, try, lint, compare, then keep or reject. Many patches are tried at once; if that
 * fails, half as many, so that k bad ones among n cost about k log n lints. No I/O, no globals.
 *
 * A round takes the patches of a report that do not overlap, safe ones first, and compares the reports before and
 * after (findings/compare.h). A single patch that fails is left out, with the finding that it brings. Each success is
 * the start of the next round. At the end the rejected patches are tried once more, because one may depend on another.
 * Each success lowers the number of findings, so the loop ends. A step keeps the bytes that it replaced; undoing goes
 * backwards through the steps. */
#include "files/fix.h"

#include "diagnosis/budget.h"
#include "base/ints.h"
#include "base/sort.h"

#include <string.h>

typedef struct run {
    ll_fix *fix;
    const ll_ruleset *rules;
    ll_lint_options lint;
    ll_fix_options options;
} run;

typedef struct candidate {
    uint32_t entry; /* of the report on the present bytes */
    uint64_t key;   /* for ll_fix_seen */
    ll_patch patch;
} candidate;

typedef LL_ARRAY(candidate) candidates;

/* ------------------------------------------------------------------ bytes */

static bool put_bytes(ll_bytes *out, const uint8_t *bytes, size_t n, const ll_allocator *allocator)
{
    if (n && !LL_ARRAY_ROOM(out, n, allocator)) {
        return false;
    }
    if (n) {
        memcpy(out->items + out->count, bytes, n);
        out->count += n;
    }
    return true;
}

/* Applies patches to the bytes of `from`. They must be sorted and must not overlap. */
static ll_status patch_bytes(const ll_fix *fix, const ll_fix_state *from, const candidates *list, size_t count,
                             ll_fix_state *to)
{
    const ll_allocator *a = &fix->arena.allocator;
    size_t at = 0;
    bool fine = true;
    to->own.count = 0;
    for (size_t i = 0; i < count && fine; i++) {
        const ll_patch *patch = &list->items[i].patch;
        fine = put_bytes(&to->own, from->bytes + at, (size_t)patch->offset - at, a) &&
               put_bytes(&to->own, patch->bytes, patch->size, a);
        at = (size_t)(patch->offset + patch->removed);
    }
    fine = fine && put_bytes(&to->own, from->bytes + at, from->size - at, a);
    to->bytes = to->own.items;
    to->size = to->own.count;
    return fine ? LL_OK : LL_E_MEMORY;
}

static ll_status lint(const run *r, ll_fix_state *state)
{
    ll_status status = ll_lint(r->rules, state->bytes, state->size, &r->lint, state->report);
    if (status == LL_OK && r->options.mark) {
        status = r->options.mark(r->options.ctx, state->report);
    }
    r->fix->steps += state->report->trying.steps;
    if (status == LL_OK && state->judged) {
        status = ll_lint(r->options.judge, state->bytes, state->size, &r->lint, state->judged);
        r->fix->steps += state->judged->trying.steps;
    }
    return status;
}

/* ------------------------------------------------------------------ decisions */

static ll_fix_seen *find_seen(ll_fix *fix, uint64_t key)
{
    ll_map_key sought = {fix->seen.items, sizeof *fix->seen.items, key};
    uint32_t at = ll_map_find(&fix->seen_by_key, ll_map_hash(key), ll_map_has_key, &sought);
    return at == LL_MAP_NONE ? NULL : &fix->seen.items[at];
}

static ll_status decide(ll_fix *fix, uint64_t key, ll_fix_outcome outcome)
{
    ll_allocator a = ll_arena_allocator(&fix->arena);
    ll_fix_seen *seen = find_seen(fix, key);
    uint32_t number = (uint32_t)fix->seen.count;
    if (!seen) {
        ll_map_key table = {fix->seen.items, sizeof *fix->seen.items, key};
        seen = LL_ARRAY_ADD(&fix->seen, &a);
        table.rows = fix->seen.items;
        if (!seen || !ll_map_room(&fix->seen_by_key, number, ll_map_key_hash, &table, &a)) {
            return LL_E_MEMORY;
        }
        seen->key = key;
        (void)ll_map_note(&fix->seen_by_key, ll_map_hash(key), number, ll_map_has_key, &table);
    }
    seen->outcome = (uint8_t)outcome;
    return LL_OK;
}

static const void *keep(ll_fix *fix, const void *bytes, size_t n)
{
    return ll_arena_copy(&fix->arena, bytes ? bytes : "", n);
}

/* Copies a patch and its finding to a step. */
static ll_status make_step(const run *r, const candidate *c, ll_fix_outcome outcome, ll_fix_step *out)
{
    ll_fix *fix = r->fix;
    const ll_fix_state *now = &fix->states[fix->now];
    ll_finding finding;
    ll_status status = ll_finding_compose(now->report, c->entry, &finding);
    if (status != LL_OK) {
        return status;
    }
    *out = (ll_fix_step){.outcome = outcome,
                         .severity = finding.severity,
                         .id = finding.id,
                         .name = finding.name,
                         .path = keep(fix, finding.path, strlen(finding.path)),
                         .patch = c->patch,
                         .was = keep(fix, now->bytes + c->patch.offset, (size_t)c->patch.removed),
                         .spoiler_id = "",
                         .spoiler_name = "",
                         .spoiler_path = ""};
    out->patch.bytes = keep(fix, c->patch.bytes, c->patch.size);
    return out->path && out->was && out->patch.bytes ? LL_OK : LL_E_MEMORY;
}

/* Records a rejected patch. `spoiler`: the new finding that it causes; NULL: none is known. */
static ll_status leave_out(const run *r, const candidate *c, ll_fix_outcome outcome, const ll_finding *spoiler)
{
    ll_fix *fix = r->fix;
    ll_allocator a = ll_arena_allocator(&fix->arena);
    ll_fix_step step;
    ll_status status = make_step(r, c, outcome, &step);
    if (status == LL_OK && spoiler) {
        step.spoiler_id = spoiler->id;
        step.spoiler_name = spoiler->name;
        step.spoiler_severity = spoiler->severity;
        step.spoiler_path = keep(fix, spoiler->path, strlen(spoiler->path));
    }
    ll_fix_step *room = status == LL_OK && step.spoiler_path ? LL_ARRAY_ADD(&fix->left, &a) : NULL;
    if (!room) {
        return status == LL_OK ? LL_E_MEMORY : status;
    }
    *room = step;
    return outcome == LL_FIX_UNTRIED ? LL_OK : decide(fix, c->key, outcome);
}

/* Allows rejected patches to be tried again, as others have been applied since. False if there are none. */
static bool try_again(ll_fix *fix)
{
    bool any = false;
    size_t stay = 0;
    for (size_t i = 0; i < fix->seen.count; i++) {
        ll_fix_seen *seen = &fix->seen.items[i];
        bool again = seen->outcome == LL_FIX_SPOILS || seen->outcome == LL_FIX_IDLE;
        seen->outcome = again ? LL_FIX_APPLIED : seen->outcome;
        any = any || again;
    }
    for (size_t i = 0; i < fix->left.count; i++) {
        if (fix->left.items[i].outcome == LL_FIX_DECLINED) {
            fix->left.items[stay++] = fix->left.items[i];
        }
    }
    fix->left.count = stay;
    return any;
}

/* ------------------------------------------------------------------ candidates */

/* Asks the caller whether to try a patch; once per patch. */
static ll_status ask(const run *r, const candidate *c, bool *wanted)
{
    ll_finding finding;
    const ll_fix_seen *seen = find_seen(r->fix, c->key);
    *wanted = !seen || seen->outcome == LL_FIX_APPLIED;
    if (seen || !r->options.wants) {
        return LL_OK;
    }
    ll_status status = ll_report_finding(r->fix->states[r->fix->now].report, c->entry, &finding);
    if (status != LL_OK) {
        return status;
    }
    *wanted = r->options.wants(r->options.ctx, &finding);
    return *wanted ? decide(r->fix, c->key, LL_FIX_APPLIED) : leave_out(r, c, LL_FIX_DECLINED, NULL);
}

static candidate candidate_of(const ll_report *report, uint32_t number)
{
    const ll_entry *e = &report->entries.items[number];
    candidate c = {.entry = number,
                   .patch = {.tier = (ll_patch_tier)e->patch.tier,
                             .offset = e->patch.offset,
                             .removed = e->patch.removed,
                             .bytes = e->patch.bytes,
                             .size = e->patch.size}};
    uint64_t hash = ll_map_hash((uint64_t)e->patch.offset << 32 | e->rule);
    c.key = ll_map_hash_bytes(ll_map_hash(hash ^ e->patch.removed), e->patch.bytes, e->patch.size);
    return c;
}

/* Selects patches of a tier, sorted by offset, that do not overlap. Of two overlapping ones it takes the first, of two
 * at the same offset the severer. */
static ll_status order(ll_fix *fix, const candidates *all, ll_patch_tier tier, candidates *out)
{
    ll_allocator a = ll_arena_allocator(&fix->scratch);
    const ll_report *report = fix->states[fix->now].report;
    ll_sort_key *keys = ll_arena_alloc(&fix->scratch, all->count, 2 * sizeof *keys);
    uint32_t n = 0;
    for (uint32_t i = 0; keys && i < all->count; i++) {
        const candidate *c = &all->items[i];
        if (c->patch.tier == tier) {
            keys[n++] =
                (ll_sort_key){c->patch.offset, (uint32_t)LL_ERROR - report->entries.items[c->entry].severity, i};
        }
    }
    const ll_sort_key *sorted = keys && LL_ARRAY_ROOM(out, n, &a) ? ll_sort(keys, keys + all->count, n) : NULL;
    for (uint32_t i = 0; sorted && i < n; i++) {
        const candidate *c = &all->items[sorted[i].item];
        const ll_patch *last = out->count ? &out->items[out->count - 1].patch : NULL;
        if (!last || (c->patch.offset >= last->offset + last->removed && c->patch.offset != last->offset)) {
            out->items[out->count++] = *c;
        }
    }
    return sorted ? LL_OK : LL_E_MEMORY;
}

static ll_status choose(const run *r, candidates *out)
{
    ll_fix *fix = r->fix;
    ll_report *report = fix->states[fix->now].report;
    ll_allocator a = ll_arena_allocator(&fix->scratch);
    candidates all = {.items = NULL};
    ll_patch_tier tier = r->options.tier;
    uint64_t linted = report->trying.steps;
    ll_status status = ll_report_settle_patches(report); /* attempts need no settled patches: most are discarded */
    fix->steps += report->trying.steps - linted;
    for (uint32_t i = 0; i < report->entries.count && status == LL_OK; i++) {
        const ll_entry *e = &report->entries.items[i];
        bool wanted = e->patch.tier != LL_PATCH_NONE && e->patch.tier <= (unsigned)r->options.tier &&
                      (!e->mark || r->options.marked) && (e->severity > LL_NOTE || r->options.notes);
        candidate c = wanted ? candidate_of(report, i) : (candidate){0};
        status = wanted ? ask(r, &c, &wanted) : LL_OK;
        candidate *room = status == LL_OK && wanted ? LL_ARRAY_ADD(&all, &a) : NULL;
        status = status == LL_OK && wanted && !room ? LL_E_MEMORY : status;
        if (room) {
            *room = c;
            tier = c.patch.tier < tier ? c.patch.tier : tier;
        }
    }
    return status == LL_OK ? order(fix, &all, tier, out) : status;
}

/* ------------------------------------------------------------------ attempts */

/* Result of an attempt. */
typedef struct verdict {
    ll_fix_outcome outcome;
    ll_finding spoiler; /* id NULL: unknown */
    bool restored;      /* the patch of the finding that explains the others was applied: new findings are allowed
                           then */
} verdict;

/* Compares two reports. Sets the outcome if a finding is new, unless the outcome is LL_FIX_SPOILS already. */
static ll_status compare(ll_fix *fix, const ll_report *before, ll_report *after, ll_comparison *c, verdict *v)
{
    ll_text_clear(&fix->text);
    ll_status status = ll_report_compare(before, after, &fix->scratch, &fix->text, c);
    if (status == LL_OK && !v->restored && (c->newcomer != LL_NO_ENTRY || c->grew) && v->outcome != LL_FIX_SPOILS) {
        v->outcome = LL_FIX_SPOILS;
        status = c->newcomer != LL_NO_ENTRY ? ll_finding_compose(after, c->newcomer, &v->spoiler) : LL_OK;
    }
    return status;
}

/* Compares the changed members of an archive by path. A member that did not exist before counts as having had no
 * findings. */
static ll_status compare_members(const run *r, const ll_ruleset *rules, ll_report *before, ll_report *after, verdict *v)
{
    ll_fix *fix = r->fix;
    ll_lint_options options = r->lint;
    ll_status status = LL_OK;
    ll_comparison c;
    options.name = options.identity = options.baseline_identity = NULL;
    for (size_t i = 0, k = 0; i < ll_report_member_count(after) && status == LL_OK && v->outcome == LL_FIX_APPLIED;
         i++) {
        ll_member_info is;
        ll_member_info was = {.path = NULL};
        status = ll_report_member(after, i, &is);
        int order = -1;
        while (status == LL_OK && order < 0 && k < ll_report_member_count(before)) {
            status = ll_report_member(before, k, &was);
            order = status == LL_OK ? strcmp(was.path, is.path) : 0;
            k += order < 0;
        }
        bool there = status == LL_OK && order == 0;
        if (status != LL_OK ||
            (there && was.length == is.length &&
             memcmp(before->doc.bytes + was.offset, after->doc.bytes + is.offset, (size_t)was.length) == 0)) {
            continue;
        }
        status = there ? ll_lint_member(rules, before, k++, &options, fix->members[0])
                       : ll_lint(rules, NULL, 0, NULL, fix->members[0]);
        status = status == LL_OK ? ll_lint_member(rules, after, i, &options, fix->members[1]) : status;
        fix->steps += fix->members[0]->trying.steps + fix->members[1]->trying.steps;
        status = status == LL_OK ? compare(fix, fix->members[0], fix->members[1], &c, v) : status;
    }
    return status;
}

/* Compares two reports of one rule set, including their members. */
static ll_status judge(const run *r, const ll_ruleset *rules, ll_report *before, ll_report *after, ll_comparison *c,
                       verdict *v)
{
    ll_status status = compare(r->fix, before, after, c, v);
    return status == LL_OK ? compare_members(r, rules, before, after, v) : status;
}

/* Applies the first `count` patches and judges the result. */
static ll_status attempt(const run *r, const candidates *list, size_t count, verdict *v)
{
    ll_fix *fix = r->fix;
    const ll_fix_state *now = &fix->states[fix->now];
    ll_fix_state *next = &fix->states[fix->next];
    ll_comparison c;
    *v = (verdict){LL_FIX_APPLIED, {.id = NULL}, false};
    for (size_t i = 0; i < count; i++) {
        v->restored = v->restored || now->report->entries.items[list->items[i].entry].leads;
    }
    ll_status status = patch_bytes(fix, now, list, count, next);
    status = status == LL_OK ? lint(r, next) : status;
    if (status == LL_OK && next->judged) {
        status = judge(r, r->options.judge, now->judged, next->judged, &c, v);
    }
    if (status == LL_OK && v->outcome == LL_FIX_APPLIED) {
        status = judge(r, r->rules, now->report, next->report, &c, v);
    }
    for (size_t i = 0; i < count && status == LL_OK && v->outcome == LL_FIX_APPLIED; i++) {
        v->outcome = c.stays[list->items[i].entry] ? LL_FIX_IDLE : LL_FIX_APPLIED;
    }
    return status;
}

/* Makes the bytes of the attempt the present ones, and records its patches as applied. */
static ll_status accept(const run *r, const candidates *list, size_t count)
{
    ll_fix *fix = r->fix;
    ll_allocator a = ll_arena_allocator(&fix->arena);
    int64_t moved = 0;
    for (size_t i = 0; i < count; i++) {
        ll_fix_step *step = LL_ARRAY_ADD(&fix->applied, &a);
        ll_status status = step ? make_step(r, &list->items[i], LL_FIX_APPLIED, step) : LL_E_MEMORY;
        if (status != LL_OK) {
            return status;
        }
        step->patch.offset = (uint64_t)((int64_t)step->patch.offset + moved); /* patches before it are applied
                                                                                 already */
        moved += (int64_t)step->patch.size - (int64_t)step->patch.removed;
    }
    fix->now = fix->next;
    fix->next = 3 - fix->now;
    return LL_OK;
}

static ll_status leave_untried(const run *r, const candidates *list)
{
    ll_status status = LL_OK;
    for (size_t i = 0; i < list->count && status == LL_OK; i++) {
        status = leave_out(r, &list->items[i], LL_FIX_UNTRIED, NULL);
    }
    return status;
}

static ll_status work(const run *r)
{
    ll_fix *fix = r->fix;
    size_t limit = SIZE_MAX; /* patches to try at once */
    bool any = false;        /* patches were applied since the last call of try_again() */
    for (;;) {
        candidates list = {.items = NULL};
        verdict v;
        ll_arena_reset(&fix->scratch);
        ll_status status = choose(r, &list);
        if (status != LL_OK || (!list.count && !(any && try_again(fix)))) {
            return status;
        }
        any = any && list.count;
        if (!list.count) {
            limit = SIZE_MAX;
            continue;
        }
        if (fix->steps >= ll_steps_of_fix(fix->states[0].size)) {
            return leave_untried(r, &list);
        }
        size_t count = list.count < limit ? list.count : limit;
        status = attempt(r, &list, count, &v);
        if (status == LL_OK && v.outcome == LL_FIX_APPLIED) {
            status = accept(r, &list, count);
            any = true;
            limit = count > SIZE_MAX / 2 ? SIZE_MAX : 2 * count;
        } else if (status == LL_OK && count > 1) {
            limit = count / 2;
        } else if (status == LL_OK) {
            status = leave_out(r, &list.items[0], v.outcome, v.spoiler.id ? &v.spoiler : NULL);
        }
        if (status != LL_OK) {
            return status;
        }
    }
}

/* ------------------------------------------------------------------ public */

static ll_status open_report(const ll_allocator *a, ll_trials trials, ll_report **out)
{
    ll_status status = ll_report_create(a, out);
    if (status == LL_OK) {
        (*out)->trying.which = trials;
    }
    return status;
}

ll_status ll_fix_create(const ll_allocator *allocator, ll_fix **out)
{
    if (!out) {
        return LL_E_ARGUMENT;
    }
    ll_allocator a = ll_allocator_or_default(allocator);
    ll_fix *fix = a.alloc(a.ctx, sizeof *fix);
    *out = fix;
    if (!fix) {
        return LL_E_MEMORY;
    }
    *fix = (ll_fix){.now = 0};
    ll_arena_init(&fix->arena, &a, SIZE_MAX);
    ll_arena_init(&fix->scratch, &a, SIZE_MAX);
    ll_text_init(&fix->text, &a);
    ll_status status = LL_OK;
    for (size_t i = 0; i < sizeof fix->states / sizeof *fix->states && status == LL_OK; i++) {
        status = open_report(&a, LL_TRY_MOVES, &fix->states[i].report);
        if (status == LL_OK) {
            fix->states[i].report->trying.is_attempt = i > 0;
        }
    }
    for (size_t i = 0; i < 2 && status == LL_OK; i++) {
        status = open_report(&a, LL_TRY_NONE, &fix->members[i]);
    }
    if (status != LL_OK) {
        ll_fix_free(fix);
        *out = NULL;
    }
    return status;
}

void ll_fix_free(ll_fix *fix)
{
    if (!fix) {
        return;
    }
    ll_allocator a = fix->arena.allocator;
    for (size_t i = 0; i < sizeof fix->states / sizeof *fix->states; i++) {
        ll_report_free(fix->states[i].report);
        ll_report_free(fix->states[i].judged);
        LL_ARRAY_FREE(&fix->states[i].own, &a);
    }
    ll_report_free(fix->members[0]);
    ll_report_free(fix->members[1]);
    ll_text_free(&fix->text);
    ll_arena_free(&fix->scratch);
    ll_arena_free(&fix->arena);
    a.release(a.ctx, fix);
}

/* Creates the reports for the rules of ll_fix_options.judge if wanted, else frees them. */
static ll_status open_judged(ll_fix *fix, bool wanted)
{
    ll_status status = LL_OK;
    for (size_t i = 0; i < sizeof fix->states / sizeof *fix->states && status == LL_OK; i++) {
        ll_fix_state *state = &fix->states[i];
        if (wanted && !state->judged) {
            status = open_report(&fix->arena.allocator, LL_TRY_NONE, &state->judged);
        } else if (!wanted) {
            ll_report_free(state->judged);
            state->judged = NULL;
        }
    }
    return status;
}

ll_status ll_fix_run(ll_fix *fix, const ll_ruleset *rules, const void *bytes, size_t size,
                     const ll_lint_options *lint_as, const ll_fix_options *options)
{
    if (!fix || !rules || (!bytes && size) || !options || options->size != sizeof *options ||
        options->tier < LL_PATCH_SAFE || options->tier > LL_PATCH_UNSAFE ||
        (lint_as && lint_as->size != sizeof *lint_as)) {
        return LL_E_ARGUMENT;
    }
    run r = {.fix = fix, .rules = rules, .options = *options, .lint = {.size = sizeof r.lint}};
    r.lint = lint_as ? *lint_as : r.lint;
    r.lint.max_per_rule = r.lint.max_per_file = 0;
    ll_arena_reset(&fix->arena);
    fix->applied.array = fix->left.array = fix->seen.array = (ll_array){.items = NULL};
    fix->seen_by_key = (ll_map){.slots = NULL};
    fix->steps = 0;
    fix->now = 0;
    fix->next = 1;
    fix->states[0].bytes = bytes;
    fix->states[0].size = size;
    ll_status status = open_judged(fix, options->judge != NULL);
    status = status == LL_OK ? lint(&r, &fix->states[0]) : status;
    return status == LL_OK ? work(&r) : status;
}

size_t ll_fix_result(const ll_fix *fix, const void **bytes, size_t *size)
{
    *bytes = fix->states[fix->now].bytes;
    *size = fix->states[fix->now].size;
    return fix->applied.count;
}

size_t ll_fix_count(const ll_fix *fix)
{
    return fix->applied.count + fix->left.count;
}

bool ll_fix_at(const ll_fix *fix, size_t index, ll_fix_step *out)
{
    size_t applied = fix->applied.count;
    if (index >= ll_fix_count(fix)) {
        return false;
    }
    *out = index < applied ? fix->applied.items[index] : fix->left.items[index - applied];
    return true;
}
