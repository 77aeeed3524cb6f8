/* Tries patches and guesses for the findings of a report, each on a linted copy, within the budget of work. */
#include "diagnosis/settle.h"

#include "diagnosis/budget.h"
#include "base/sort.h"
#include "diagnosis/doubt.h"
#include "model/consequence.h"
#include "model/derive.h"
#include "model/names.h"
#include "model/reference.h"
#include "model/value.h"
#include "findings/compare.h"

#include <stdlib.h>
#include <string.h>

typedef struct settling {
    ll_report *report;
    ll_arena scratch; /* memory of one try */
    uint64_t spent;
    ll_consequences now; /* copy of the last try */
    ll_deriver deriver;  /* .doc NULL: not started */
} settling;

/* The members of an archive have the same bytes before and after, or there were none and the length is the same. A
 * patch that moves bytes is not judged by what members hold, so it has to leave them as they are. */
static bool are_members_kept(const ll_report *before, const ll_report *after)
{
    bool none = before->members.count == 0 && before->doc.size == after->doc.size;
    bool kept = none || before->members.count == after->members.count;
    for (size_t i = 0; kept && i < before->members.count; i++) {
        const ll_member *one = &before->members.items[i];
        const ll_member *other = &after->members.items[i];
        kept = one->length == other->length &&
               memcmp(before->doc.bytes + one->offset, after->doc.bytes + other->offset, one->length) == 0;
    }
    return kept;
}

/* A patch of its rule that keeps the number of bytes and is neither a guess nor a new order. */
static bool is_in_place(const ll_edit *edit)
{
    return edit->tier != LL_PATCH_NONE && edit->removed == edit->size && !edit->guessed && !edit->order;
}

/* Lints the copy of the last try, and compares the reports. */
static ll_status lint_try(settling *s, ll_comparison *c)
{
    ll_status status = s->report->trying.lint(s->report, s->report->options.variant, s->now.bytes, s->now.size);
    ll_report *trial = s->report->trying.copy;
    s->spent += status == LL_OK ? trial->trying.steps : 0;
    return status == LL_OK ? ll_report_compare(s->report, trial, &s->scratch, &trial->scratch, c) : status;
}

/* Lints the completed patch of an entry. *holds: the finding disappears and no new one appears; `fix` keeps no other
 * patch. */
static ll_status try_out(settling *s, uint32_t number, bool *holds)
{
    ll_comparison c = {.stays = NULL};
    ll_status status = lint_try(s, &c);
    const ll_report *trial = s->report->trying.copy;
    *holds = status == LL_OK && !c.stays[number] && !c.grew && are_members_kept(s->report, trial) &&
             c.newcomer == LL_NO_ENTRY;
    return status;
}

/* Result of trying a patch at its places. The first place at which it holds decides; doubtful: it also holds at another
 * place with other bytes, or not all places could be tried. */
typedef struct outcome {
    bool holds, doubtful;
    ll_edit patch;
} outcome;

/* The byte at `at` of the file with the patch applied. */
static uint8_t patched_byte(const uint8_t *file, const ll_edit *edit, uint32_t at)
{
    uint32_t behind = at - edit->offset;
    return at < edit->offset     ? file[at]
           : behind < edit->size ? edit->bytes[behind]
                                 : file[at - edit->size + edit->removed];
}

bool ll_is_same_patch(const uint8_t *file, const ll_edit *one, const ll_edit *other)
{
    const ll_edit *first = one->offset < other->offset ? one : other;
    uint32_t end_of_one = one->offset + one->removed, end_of_other = other->offset + other->removed;
    const ll_edit *last = end_of_one > end_of_other ? one : other;
    bool same = one->size - one->removed == other->size - other->removed;
    for (uint32_t at = first->offset; same && at < last->offset + last->size; at++) {
        same = patched_byte(file, one, at) == patched_byte(file, other, at);
    }
    return same;
}

/* Tries a patch at one place. lead: references follow what they lead to. Adds the result to *found. */
static ll_status try_edit(settling *s, uint32_t number, const ll_edit *edit, bool lead, outcome *found)
{
    ll_doc *doc = &s->report->doc;
    bool holds = false;
    ll_arena_reset(&s->scratch);
    ll_status status =
        ll_consequences_of(doc, s->report->entries.items[number].at.span, edit, lead, &s->scratch, &s->now);
    status = status == LL_OK ? try_out(s, number, &holds) : status;
    if (status == LL_OK && holds) {
        const uint8_t *bytes = s->now.bytes + s->now.from;
        ll_edit patch = {edit->tier, s->now.from, s->now.was, s->now.is, 0, bytes, false, NULL};
        if (!found->holds) {
            patch.bytes = (const uint8_t *)ll_arena_copy(&doc->arena, (const char *)bytes, s->now.is);
            *found = (outcome){.holds = true, .patch = patch};
            status = patch.bytes ? LL_OK : LL_E_MEMORY;
        }
        found->doubtful = found->doubtful || !ll_is_same_patch(doc->bytes, &found->patch, &patch);
    }
    if (status == LL_E_ARGUMENT) { /* there is no such place */
        s->spent += ll_steps_of_lint(s->report);
        status = LL_OK;
    }
    return status;
}

/* Tries the patch of an entry at all its places; if it holds nowhere, once more with references that follow what they
 * lead to. The entry loses its patch if it holds nowhere, if two places make other bytes, or if not all could be
 * tried. */
static ll_status settle(settling *s, uint32_t number, const ll_edit *all)
{
    const ll_doc *doc = &s->report->doc;
    bool in_place = is_in_place(all), leads = false;
    uint64_t most = in_place ? LL_STEPS_IN_PLACE : LL_STEPS_SETTLE;
    bool untried = (in_place && s->report->trying.which != LL_TRY_ALL) || doc->size > most || s->spent >= most;
    bool kept = untried && (in_place || (all->offset == doc->size && !all->guessed)); /* at the end no fields follow */
    outcome found = {.holds = false};
    ll_status status = LL_OK;
    s->report->entries.items[number].patch = kept ? *all : (ll_edit){.tier = LL_PATCH_NONE};
    for (unsigned lead = 0; lead <= leads && status == LL_OK && !kept && !found.holds; lead++) {
        for (uint32_t i = 0; i <= all->places && status == LL_OK && !found.doubtful; i++) {
            ll_edit edit = *all;
            edit.offset += i;
            found.doubtful = s->spent >= LL_STEPS_SETTLE;
            status = found.doubtful ? LL_OK : try_edit(s, number, &edit, lead, &found);
            leads = leads || s->now.leads;
        }
    }
    if (status == LL_OK && found.holds && !found.doubtful) {
        s->report->entries.items[number].patch = found.patch;
    }
    return status;
}

/* ------------------------------------------------------------------ patches tried together */

/* Applies all patches that stay in place and do not overlap to one copy, and lints it once. If no new finding appears,
 * those whose findings disappear hold (held[i]). The others are tried one by one. */
static ll_status settle_together(settling *s, bool *held)
{
    const ll_report *report = s->report;
    uint64_t end = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->entries.count; i++) {
        const ll_edit *edit = &report->entries.items[i].patch;
        held[i] = is_in_place(edit) && edit->offset >= end;
        end = held[i] ? (uint64_t)edit->offset + edit->size : end;
        count += held[i];
    }
    ll_comparison c = {.stays = NULL};
    ll_status status = LL_OK;
    if (count > 1) { /* one patch alone gains nothing */
        ll_arena_reset(&s->scratch);
        s->now = (ll_consequences){
            .bytes = (uint8_t *)ll_arena_copy(&s->scratch, (const char *)report->doc.bytes, report->doc.size),
            .size = report->doc.size};
        for (uint32_t i = 0; s->now.bytes && i < report->entries.count; i++) {
            const ll_edit *edit = &report->entries.items[i].patch;
            if (held[i]) {
                memcpy(s->now.bytes + edit->offset, edit->bytes, edit->size);
            }
        }
        status = s->now.bytes ? lint_try(s, &c) : LL_E_MEMORY;
    }
    bool fine = c.stays && status == LL_OK && !c.grew && c.newcomer == LL_NO_ENTRY &&
                are_members_kept(report, report->trying.copy);
    for (uint32_t i = 0; i < report->entries.count; i++) {
        held[i] = held[i] && fine && !c.stays[i];
    }
    return status;
}

/* ------------------------------------------------------------------ guesses */

/* What is tried for a finding about a field that has no patch of its own. */
typedef enum guess {
    GUESS_LETTER,  /* one letter of a text, so that it has the hash that its record states */
    GUESS_DERIVED, /* the value that derives from the rest */
    GUESS_IN_ROW,  /* the value with which the targets of all elements stand one after the other */
    GUESS_SURPLUS, /* the size is right, but its span has surplus bytes */
    GUESS_SHORT,   /* the size is right, but bytes are missing */
    GUESSES
} guess;

enum { SURPLUS_MAX = 64 };

static bool derive(settling *s, const ll_where *at, uint8_t bytes[LL_DERIVED_MAX])
{
    ll_doc *doc = &s->report->doc;
    return (s->deriver.doc || ll_deriver_start(&s->deriver, doc, &doc->arena)) &&
           ll_derive(&s->deriver, at->span, at->element, at->field, bytes) == LL_DERIVED;
}

static bool is_in_row(const ll_doc *doc, const ll_where *at, uint8_t bytes[LL_DERIVED_MAX])
{
    const ll_layout *layout = ll_doc_layout(doc, at->span);
    uint16_t number = ll_doc_span(doc, at->span)->layout;
    int64_t value = 0;
    for (size_t i = 0; i < doc->format->reference_count; i++) {
        const ll_reference *row = &doc->format->references[i];
        if (row->layout == number && row->extent != LL_NO_FIELD &&
            (row->field == at->field || row->extent == at->field)) {
            return ll_reference_in_row(doc, row, at->span, at->element, row->extent == at->field, &value) &&
                   ll_put_number(layout, at->field, value, bytes);
        }
    }
    return false;
}

/* Number of bytes that the rule finds surplus (> 0) or, with `missing`, lacking (< 0) in what a size is of; 0: none. */
static int64_t surplus_of(const ll_report *report, const ll_entry *entry, bool missing)
{
    const ll_test *test = &ll_rule_at(report->rules, entry->rule)->test;
    bool multiple = strcmp(test->check, "multiple_of") == 0;
    bool equal = strcmp(test->check, "equals") == 0;
    const ll_layout *layout = ll_doc_layout(&report->doc, entry->at.span);
    ll_element record;
    if (!ll_element_at(&report->doc, entry->at.span, entry->at.element, &record) || (!multiple && !equal) ||
        test->value.count != 1 || layout->fields[entry->at.field].role != LL_ROLE_SIZE) {
        return 0;
    }
    char *end = NULL;
    int64_t value = strtol(test->value.at[0], &end, 0);
    int64_t stated = (int64_t)ll_get_uint(&record, entry->at.field);
    if (*end || value <= 0) {
        return 0;
    }
    int64_t more = multiple ? stated % value : stated - value;
    return multiple && missing ? more - value : (more > 0) != missing ? more : 0;
}

static bool is_text(const ll_doc *doc, uint32_t span)
{
    return span != LL_NO_SPAN && ll_doc_layout(doc, span)->kind == LL_KIND_STRING &&
           ll_doc_span(doc, span)->offset < doc->size;
}

/* Finds the letter with which a text fits the hash in its record, trying all letters at all places. letter: room for
 * it. */
static bool find_letter(settling *s, uint32_t span, uint8_t *letter, ll_edit *edit)
{
    ll_doc copy = s->report->doc;
    const ll_span *text = ll_doc_span(&copy, span);
    unsigned owner = ll_owner_layout(&copy, text->layout), field = 0;
    const ll_layout *layout = &copy.layouts[owner];
    while (field < layout->field_count && layout->fields[field].role != LL_ROLE_HASH) {
        field++;
    }
    ll_where hash = ll_at_field(&copy, owner ? copy.firsts[owner] - 1 : LL_NO_SPAN, text->index, field);
    uint8_t bytes[LL_DERIVED_MAX], *changed = NULL;
    if (field == layout->field_count || text->index >= ll_doc_span(&copy, hash.span)->count ||
        hash.length > LL_DERIVED_MAX || !derive(s, &hash, bytes) ||
        !memcmp(bytes, copy.bytes + hash.offset, hash.length)) {
        return false;
    }
    ll_arena_reset(&s->scratch);
    copy.bytes = copy.regions[0].bytes = changed =
        (uint8_t *)ll_arena_copy(&s->scratch, (const char *)copy.bytes, copy.size);
    ll_deriver deriver = s->deriver;
    deriver.doc = &copy;
    s->spent += copy.size;
    for (uint32_t i = 0; changed && i < text->count && s->spent < LL_STEPS_SETTLE; i++) {
        const uint8_t was = changed[text->offset + i];
        s->spent += (uint64_t)text->count * ('~' - ' '); /* bytes that are hashed */
        for (*letter = ' ' + 1; *letter <= '~'; ++*letter) {
            changed[text->offset + i] = *letter;
            if (ll_derive(&deriver, hash.span, hash.element, field, bytes) == LL_DERIVED &&
                memcmp(bytes, copy.bytes + hash.offset, hash.length) == 0) {
                *edit = (ll_edit){LL_PATCH_UNSAFE, text->offset + i, 1, 1, 0, letter, true, NULL};
                return true;
            }
        }
        changed[text->offset + i] = was;
    }
    return false;
}

/* Makes the patch of one guess about a finding. bytes: room for its value. False: there is nothing to guess. */
static bool make_guess(settling *s, const ll_entry *entry, guess which, uint8_t bytes[LL_DERIVED_MAX], ll_edit *edit)
{
    static const uint8_t zeros[SURPLUS_MAX] = {0};
    const ll_doc *doc = &s->report->doc;
    if (which == GUESS_LETTER) {
        uint32_t text = is_text(doc, entry->at.span) ? entry->at.span : entry->related.span;
        return is_text(doc, text) && find_letter(s, text, bytes, edit);
    }
    if (is_text(doc, entry->at.span)) {
        return false;
    }
    const ll_where at = ll_at_field(doc, entry->at.span, entry->at.element, entry->at.field);
    const uint8_t *stated = doc->bytes + at.offset;
    if (at.length > LL_DERIVED_MAX) {
        return false;
    }
    if (which <= GUESS_IN_ROW) {
        *edit = (ll_edit){LL_PATCH_UNSAFE, at.offset, at.length, at.length, 0, bytes, true, NULL};
        bool known = which == GUESS_DERIVED ? derive(s, &at, bytes) : is_in_row(doc, &at, bytes);
        return known && memcmp(bytes, stated, at.length) != 0;
    }
    int64_t more = derive(s, &at, bytes) && memcmp(bytes, stated, at.length) == 0
                       ? surplus_of(s->report, entry, which == GUESS_SHORT)
                       : 0;
    const ll_span *span = ll_doc_span(doc, at.span);
    uint32_t body = span->length - ll_doc_layout(doc, at.span)->size;
    uint32_t removed = more > 0 ? (uint32_t)more : 0;
    *edit = (ll_edit){LL_PATCH_UNSAFE,
                      span->offset + span->length - body,
                      removed,
                      more < 0 ? (uint32_t)-more : 0,
                      body - removed,
                      zeros,
                      true,
                      NULL};
    return more && span->count == 1 && edit->size <= SURPLUS_MAX && removed <= body;
}

/* Tries the first `guesses` guesses for a finding without a patch, until one holds. */
static ll_status guess_at(settling *s, uint32_t number, unsigned guesses)
{
    const ll_doc *doc = &s->report->doc;
    const ll_entry *entry = &s->report->entries.items[number];
    bool field = doc->format && doc->size < LL_STEPS_SETTLE && s->spent < LL_STEPS_SETTLE &&
                 entry->at.span != LL_NO_SPAN && entry->at.offset < doc->size &&
                 (is_text(doc, entry->at.span) ||
                  (ll_doc_layout(doc, entry->at.span)->kind == LL_KIND_RECORD && ll_where_field(doc, &entry->at)));
    ll_status status = LL_OK;
    for (unsigned i = 0; field && i < guesses && status == LL_OK && entry->patch.tier == LL_PATCH_NONE; i++) {
        uint8_t bytes[LL_DERIVED_MAX];
        ll_edit edit;
        if (make_guess(s, entry, (guess)i, bytes, &edit)) {
            status = settle(s, number, &edit);
        }
    }
    return status;
}

/* ------------------------------------------------------------------ patches that repair only a part */

static bool is_left(const ll_report *report, uint32_t i, const bool *gone)
{
    const ll_entry *entry = &report->entries.items[i];
    return entry->severity > LL_NOTE && entry->patch.tier == LL_PATCH_NONE && !gone[i] && !entry->explained;
}

/* The records of findings that have no patch and that no patch of another finding removes. */
typedef struct leftovers {
    ll_sort_key *room;
    const ll_sort_key *units; /* sorted */
    uint32_t count;           /* number of units */
    bool any, whole;          /* there are such findings; some are about the whole file */
} leftovers;

static ll_sort_key key_of(const ll_unit *unit)
{
    return (ll_sort_key){unit->span, unit->element, 0};
}

static void find_leftovers(const ll_report *report, const bool *gone, leftovers *out)
{
    out->count = 0;
    out->any = out->whole = false;
    for (uint32_t i = 0; i < report->entries.count; i++) {
        if (!is_left(report, i, gone)) {
            continue;
        }
        const ll_unit units[] = {ll_unit_of(&report->doc, &report->entries.items[i].at),
                                 ll_unit_of(&report->doc, &report->entries.items[i].related)};
        out->any = true;
        out->whole = out->whole || units[0].span == LL_NO_SPAN;
        for (unsigned k = 0; k < 2; k++) {
            if (units[k].span != LL_NO_SPAN) {
                out->room[out->count++] = key_of(&units[k]);
            }
        }
    }
    out->units = ll_sort(out->room, out->room + 2 * (size_t)report->entries.count, out->count);
}

/* One of these findings is about the same record as finding `number`, or one of the two is about the whole file. */
static bool leaves_one(const ll_report *report, uint32_t number, const leftovers *left)
{
    const ll_unit one = ll_unit_of(&report->doc, &report->entries.items[number].at);
    const ll_sort_key key = key_of(&one);
    return left->any && (left->whole || one.span == LL_NO_SPAN || ll_sort_find(left->units, left->count, &key) != NULL);
}

/* Drops unsafe patches of records in which findings remain that no patch removes: one of these may be the cause of what
 * the patch would repair. */
static ll_status drop_partial(settling *s)
{
    ll_report *report = s->report;
    ll_status status = LL_OK;
    bool *gone = ll_arena_zalloc(&report->doc.arena, report->entries.count, sizeof *gone);
    leftovers left = {.room = ll_arena_alloc(&report->doc.arena, 4 * (size_t)report->entries.count, sizeof *left.room)};
    if (!gone || !left.room) {
        return LL_E_MEMORY;
    }
    find_leftovers(report, gone, &left);
    for (uint32_t i = 0; i < report->entries.count && left.any && status == LL_OK && s->spent < LL_STEPS_SETTLE; i++) {
        const ll_edit *edit = &report->entries.items[i].patch;
        if (edit->tier != LL_PATCH_NONE && leaves_one(report, i, &left)) {
            ll_comparison c = {.stays = NULL};
            ll_arena_reset(&s->scratch);
            status =
                ll_consequences_of(&report->doc, report->entries.items[i].at.span, edit, false, &s->scratch, &s->now);
            status = status == LL_OK ? lint_try(s, &c) : status;
            for (uint32_t j = 0; status == LL_OK && j < report->entries.count; j++) {
                gone[j] = gone[j] || !c.stays[j];
            }
            find_leftovers(report, gone, &left);
        }
    }
    for (uint32_t i = 0; i < report->entries.count && left.any && status == LL_OK; i++) {
        ll_edit *edit = &report->entries.items[i].patch;
        if (edit->tier == LL_PATCH_UNSAFE && leaves_one(report, i, &left)) {
            *edit = (ll_edit){.tier = LL_PATCH_NONE}; /* the finding stays */
        }
    }
    return status;
}

ll_status ll_report_settle(ll_report *report)
{
    const ll_edit lead = ll_report_is_led(report) ? report->entries.items[0].patch
                                                  : (ll_edit){.tier = LL_PATCH_NONE}; /* the diagnosis tried it */
    bool founded = ll_fits_format(&report->doc), alone = ll_report_is_led(report);
    for (uint32_t i = 1; i < report->entries.count && alone; i++) {
        alone = report->entries.items[i].explained;
    }
    if (alone) {
        return LL_OK;
    }
    ll_doubt(report);
    settling s = {.report = report};
    const ll_allocator *a = &report->doc.arena.allocator;
    ll_status status = LL_OK;
    ll_arena_init(&s.scratch, a, SIZE_MAX);
    bool *held = ll_arena_zalloc(&report->doc.arena, report->entries.count, sizeof *held);
    if (!held) {
        status = LL_E_MEMORY;
    } else if (report->trying.which == LL_TRY_ALL && report->doc.size <= LL_STEPS_IN_PLACE) {
        status = settle_together(&s, held);
    }
    for (uint32_t i = ll_report_is_led(report); i < report->entries.count && status == LL_OK; i++) {
        const ll_edit edit = report->entries.items[i].patch;
        if (report->entries.items[i].explained) {
            continue;
        }
        const ll_field *field = ll_where_field(&report->doc, &report->entries.items[i].at);
        bool hash = founded && edit.tier != LL_PATCH_NONE && field && field->role == LL_ROLE_HASH;
        report->entries.items[i].patch = hash ? (ll_edit){.tier = LL_PATCH_NONE} : edit;
        status = hash ? guess_at(&s, i, GUESS_LETTER + 1) : LL_OK;
        if (hash && status == LL_OK && report->entries.items[i].patch.tier == LL_PATCH_NONE) {
            report->entries.items[i].patch = edit;
        } else if (hash) {
            continue; /* the text is wrong, not its hash */
        }
        if (edit.tier != LL_PATCH_NONE && !held[i] && status == LL_OK) {
            status = settle(&s, i, &edit);
        }
        bool moves = edit.tier == LL_PATCH_NONE ? edit.guessed : edit.removed != edit.size; /* bytes moved */
        if (report->entries.items[i].patch.tier == LL_PATCH_NONE && founded && !moves && status == LL_OK &&
            ll_rule_at(report->rules, report->entries.items[i].rule)->patch == LL_PATCH_UNSAFE) {
            status = guess_at(&s, i, GUESSES);
        }
    }
    ll_drop_undecided(report);
    status = status == LL_OK ? drop_partial(&s) : status;
    if (ll_report_is_led(report)) {
        report->entries.items[0].patch = lead;
    }
    report->trying.steps += s.spent;
    ll_arena_free(&s.scratch);
    return status;
}
