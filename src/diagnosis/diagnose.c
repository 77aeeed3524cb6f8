/* Runs the search on a faulty file and turns the verdict into a diagnosis. Scores and margins are hundredths;
 * docs/diagnosis.md says where they come from. */
#include "diagnosis/diagnose.h"

#include "diagnosis/cause.h"
#include "diagnosis/entries.h"
#include "diagnosis/search.h"
#include "model/reader.h"
#include "model/reader_kind.h"

#include <string.h>

enum {
    PLACES_LEAST = 4,    /* faults in this many places are not explained by one change */
    EXPLAINED_SHARE = 3, /* the first of two faults explains 1/this of the weight of the file, or more */
    VAGUE_SHARE = 4,     /* a fault that leaves more than 1/this of that weight is no cause */
    APART = 64,          /* bytes between two such places, at least */
    READER_LOUD = 3,     /* errors and warnings that the reader raises, at most, about one change that it understands */
    TURNED_LEAST = 4,    /* bytes of a number that seldom makes sense in both byte orders */
    TURNED_MAX = 1 << 26, /* largest file of another machine that is converted, in bytes */
    FEW_LOST = 2,         /* elements that may be lost however few are left */
    STREAM_LOUD = 3       /* errors and warnings in unpacked bytes from which on the stream counts as damaged */
};

/* Makes the copy of the file with the change undone. False: no memory. */
static bool make_copy(const ll_doc *doc, const ll_edit *edit, ll_arena *arena, ll_diagnosis *out)
{
    out->copy_size = doc->size - edit->removed + edit->size;
    uint8_t *copy = ll_arena_alloc(arena, out->copy_size ? out->copy_size : 1, 1);
    if (copy) {
        ll_copy_changed(copy, doc->bytes, doc->size, edit);
    }
    out->copy = copy;
    return copy;
}

/* Reads the copy and tests it at the offset of the patch. False if memory runs out; doc.status says so then. */
static bool test_copy(ll_report *report, const ll_diagnosis *d, bool (*test)(const ll_doc *copy, uint32_t at))
{
    ll_doc copy;
    ll_doc_init(&copy, &report->doc.arena.allocator);
    ll_doc_open(&copy, d->copy, d->copy_size, report->doc.name);
    ll_doc_set_format(&copy, report->doc.format);
    ll_doc_read(&copy);
    ll_doc_seal(&copy);
    const bool passed = copy.status == LL_OK && test(&copy, d->patch.offset);
    report->doc.status = copy.status == LL_E_MEMORY ? copy.status : report->doc.status;
    ll_doc_free(&copy);
    return passed;
}

static bool is_copy_founded(const ll_doc *copy, uint32_t at)
{
    (void)at;
    return ll_fits_format(copy);
}

/* The content of the file, or of the copy, says that the file is of its family. */
static bool is_founded(ll_report *report, const ll_diagnosis *d)
{
    if (ll_fits_format(&report->doc) || !d->copy || d->unknown) { /* unknown bytes prove nothing */
        return ll_fits_format(&report->doc);
    }
    return test_copy(report, d, is_copy_founded);
}

/* The byte at an address and the one before it have a known meaning. In opaque bytes, surplus ones cannot be
 * located. */
static bool has_meaning(const ll_doc *copy, uint32_t at)
{
    ll_leaf leaf;
    const bool before = !at || (ll_leaf_near(copy, at - 1, &leaf) && leaf.kind != LL_KIND_BYTES);
    return before && ll_leaf_near(copy, at, &leaf) && leaf.kind != LL_KIND_BYTES;
}

enum { STEPS_OF_READING = 1 << 12 }; /* for each reading, whatever the size of the file */

static uint64_t steps_of(const ll_search *s)
{
    return s->readings * (s->bytes_read + STEPS_OF_READING);
}

/* Converts an address in the file with a change undone to one in the file. */
static uint32_t address_back(const ll_edit *change, uint32_t at)
{
    return at >= change->offset + change->size ? at - change->size + change->removed : at;
}

/* What the patch of a number adds to it. */
static uint64_t difference_of(const ll_doc *doc, const ll_edit *edit)
{
    ll_leaf leaf;
    const unsigned size = edit->size < sizeof(uint64_t) ? edit->size : sizeof(uint64_t);
    const unsigned endian = ll_leaf_near(doc, edit->offset, &leaf) ? ll_doc_layout(doc, leaf.span)->endian : LL_LITTLE;
    return ll_read_uint(edit->bytes, size, endian) - ll_read_uint(doc->bytes + edit->offset, size, endian);
}

/* A finding is about bytes that the change replaces. */
static bool is_reported(const ll_report *report, const ll_edit *edit)
{
    const ll_where place = ll_at_bytes(LL_NO_SPAN, edit->offset, edit->removed);
    bool reported = false;
    for (uint32_t i = 0; i < report->entries.count && !reported; i++) {
        reported = ll_overlaps(&report->entries.items[i].at, &place);
    }
    return reported;
}

/* Converts a hypothesis about the file with the first change undone to one about the file; its bytes live as long as
 * the document. False: the two overlap, or are about one record and not about two values that other bytes state, that
 * are wrong by different amounts, and that both have a finding; or no memory. */
static bool map_back(ll_report *report, const ll_hypothesis *best, ll_hypothesis *h)
{
    ll_doc *doc = &report->doc;
    const ll_edit *first = &best->edit;
    const bool apart =
        h->edit.offset >= first->offset + first->size || h->edit.offset + h->edit.removed <= first->offset;
    const bool stated = best->kind == LL_CAUSE_FIELD && best->redundant && h->kind == LL_CAUSE_FIELD &&
                        (h->redundant || h->safe) && difference_of(doc, first) != difference_of(doc, &h->edit);
    h->edit.offset = address_back(first, h->edit.offset);
    h->offset = address_back(first, h->offset);
    h->edit.bytes = (const uint8_t *)ll_arena_copy(&doc->arena, (const char *)h->edit.bytes, h->edit.size);
    doc->status = h->edit.bytes ? doc->status : LL_E_MEMORY;
    const ll_unit one = ll_unit_at(doc, first->offset), other = ll_unit_at(doc, h->edit.offset);
    return h->edit.bytes && apart && ((stated && is_reported(report, &h->edit)) || !ll_is_same_unit(&one, &other));
}

/* Searches the copy for a second fault if the best hypothesis leaves something over. */
static void find_second(const ll_verdict *v, ll_report *report, ll_diagnosis *out)
{
    ll_search search;
    ll_verdict other;
    const uint64_t left = v->best->left, base = v->search->base;
    const bool one_of_many = EXPLAINED_SHARE * (base > left ? base - left : 0) < base;
    if (left <= LL_SEARCH_SOUND || one_of_many || out->ends || out->unknown) {
        return;
    }
    const ll_doc *doc = &report->doc;
    if (!ll_search_run(&search, report->rules,
                       &(ll_searched){doc->format, doc->name, doc->variant, out->copy, out->copy_size},
                       v->search->readings)) {
        report->doc.status = search.weigher.status;
    } else if (ll_verdict_find(NULL, &search, &other) && other.decided) {
        ll_hypothesis h = *other.best;
        out->has_second = map_back(report, v->best, &h);
        out->is_second_safe = h.safe;
        out->second = h.edit;
        out->second_words =
            out->has_second ? ll_cause_in_words(&(ll_verdict){.report = report, .best = &h}, &report->doc.arena) : NULL;
        report->doc.status = out->has_second && !out->second_words ? LL_E_MEMORY : report->doc.status;
    }
    out->steps += steps_of(&search);
    ll_search_free(&search);
}

/* The other change is about the first field after the record, and no hash, which its text vouches for. */
static bool is_begin_wrong(const ll_doc *doc, const ll_span *span, const ll_edit *other)
{
    ll_leaf leaf;
    const bool begins = other->offset - span->offset == span->length && ll_leaf_near(doc, other->offset, &leaf);
    const ll_layout *l = begins ? ll_doc_layout(doc, leaf.span) : NULL;
    return l && (leaf.field >= l->field_count || l->fields[leaf.field].role != LL_ROLE_HASH);
}

/* The change lowers a number with this role: what it counts may be lost instead. A number that asks for more than twice
 * as much as there is was changed. */
static bool lowers(const ll_doc *doc, const ll_hypothesis *h, const ll_diagnosis *d, unsigned role)
{
    const ll_field *field = ll_where_field(doc, &d->cause);
    if (!field || field->role != role || h->edit.size != field->bytes || h->edit.removed != h->edit.size) {
        return false;
    }
    const unsigned endian = ll_doc_layout(doc, d->cause.span)->endian;
    const uint64_t stated = ll_read_uint(ll_doc_at(doc, h->edit.offset), field->bytes, endian),
                   right = ll_read_uint(h->edit.bytes, field->bytes, endian);
    return stated > right && stated - right <= right + FEW_LOST;
}

/* The change lowers a count or a size, and something else is wrong in the record, in its parts or right after it, or
 * nothing refers to a text then. */
static bool may_be_lost(const ll_doc *doc, const ll_hypothesis *h, const ll_diagnosis *d)
{
    const bool lowered = lowers(doc, h, d, LL_ROLE_COUNT) || lowers(doc, h, d, LL_ROLE_SIZE);
    if (!lowered || (h->left <= LL_SEARCH_SOUND && !h->unused)) {
        return false;
    }
    const ll_span *span = ll_doc_span(doc, d->cause.span);
    return !d->has_second || d->second.offset - span->offset < span->length || is_begin_wrong(doc, span, &d->second);
}

/* One number is too large by as much as the other one is too small, and not by 1: bytes may be missing or surplus
 * instead. */
static bool may_have_moved(const ll_doc *doc, const ll_hypothesis *h, const ll_diagnosis *d)
{
    const bool numbers = d->has_second && h->kind == LL_CAUSE_FIELD && h->edit.removed == h->edit.size &&
                         d->second.removed == d->second.size;
    const uint64_t off = numbers ? difference_of(doc, &h->edit) : 0;
    return numbers && off + 1 > 2 && off + difference_of(doc, &d->second) == 0;
}

/* Why the change of a number has no patch; NULL: nothing speaks against it. */
static const char *why_withheld(const ll_report *report, const ll_hypothesis *h, const ll_diagnosis *d)
{
    return may_have_moved(&report->doc, h, d)
               ? "Two numbers are wrong by the same amount, one up, one down: bytes may be missing or surplus instead."
           : !may_be_lost(&report->doc, h, d) ? NULL
           : h->unused
               ? "The number was changed, or what it counts is lost: with a lower number, nothing uses some texts."
               : "The number was changed, or what it counts is lost: something else in the record is wrong, too.";
}

/* Fills in the diagnosis from a verdict: place, words, copy, second fault, patch, and the entry or fault that states
 * it. */
static ll_status describe(const ll_verdict *v, ll_report *report, ll_diagnosis *out)
{
    ll_doc *doc = &report->doc;
    const ll_hypothesis *h = v->best;
    out->unknown = h->edit.tier == LL_PATCH_NONE && (h->edit.size || h->kind == LL_CAUSE_UNKNOWN);
    out->unknown_from = h->edit.offset;
    out->unknown_to = h->edit.offset + h->edit.size;
    const bool padded = h->kind == LL_CAUSE_CUT && h->edit.size; /* only padding is missing */
    out->ends = (h->kind == LL_CAUSE_CUT && !padded) || h->kind == LL_CAUSE_ZEROED;
    out->cause = ll_cause_place(doc, h);
    out->rival = v->rival ? ll_cause_place(doc, v->rival) : ll_nowhere();
    out->words = ll_cause_in_words(v, &doc->arena);
    if (!out->words || (!out->ends && !make_copy(doc, &h->edit, &doc->arena, out))) {
        return LL_E_MEMORY;
    }
    find_second(v, report, out);
    const bool decided = v->decided || (out->has_second && ll_verdict_is_sure(v));
    out->sound = h->left <= LL_SEARCH_SOUND || out->has_second;
    out->founded = is_founded(report, out);
    if (doc->status != LL_OK) {
        return doc->status;
    }
    if (decided && (!report->file.member || h->edit.removed == h->edit.size) && out->founded) {
        out->patch = h->edit;
        out->patch.bytes = out->copy + h->edit.offset;
    }
    const uint32_t told = ll_find_reported(report, h, &out->cause);
    out->entry = told != LL_NO_ENTRY ? told : ll_find_entry(v, &out->cause);
    const ll_entry *entry = out->entry == LL_NO_ENTRY ? NULL : &report->entries.items[out->entry];
    const bool named = h->kind == LL_CAUSE_FIELD || h->kind == LL_CAUSE_TEXT;
    bool said = entry && named && !ll_is_plain(report, entry) &&
                ll_is_patch_of(doc, entry, h) && /* the finding about the field offers the same patch, */
                (entry->severity == LL_ERROR || !report->summary.errors); /* and no error is hidden behind a warning */
    /* a guess of the reader becomes the cause, so that it is not doubted again */
    const bool guess = told != LL_NO_ENTRY && entry->patch.tier != LL_PATCH_SAFE;
    out->told = told != LL_NO_ENTRY && h->edit.size == h->edit.removed && ll_is_patch_of(doc, entry, h);
    bool known =
        (((said && decided) || out->told) && !guess) || h->kind == LL_CAUSE_UNKNOWN; /* the finding says as much */
    out->moves = out->patch.tier == LL_PATCH_NONE && h->edit.size != h->edit.removed && !out->ends;
    out->moves_all = out->moves && h->times;
    out->shifts = h->edit.size != h->edit.removed && !out->ends && !padded;
    const bool sure =
        ll_cause_is_confirmed(report, h, &out->cause) && !(h->notes && lowers(doc, h, out, LL_ROLE_COUNT));
    out->safe =
        (!out->has_second || out->is_second_safe) && (h->safe || (said && entry->patch.tier == LL_PATCH_SAFE)) && sure;
    if (!sure && (out->told || said) && entry->patch.tier == LL_PATCH_SAFE) {
        report->entries.items[out->entry].patch.tier = LL_PATCH_UNSAFE;
    }
    const char *doubt = why_withheld(report, h, out);
    out->withheld = doubt && (out->patch.tier != LL_PATCH_NONE || (entry && entry->patch.tier != LL_PATCH_NONE));
    if (out->withheld) {
        out->patch = (ll_edit){.tier = LL_PATCH_NONE};
        out->words = doubt;
    }
    out->spelled = h->kind == LL_CAUSE_TEXT;
    out->by_rule = said && v->alone;
    out->said = known && ll_count_loud(report) == 1;
    if (out->said) {
        ll_entry *only = &report->entries.items[out->entry];
        only->patch.tier = said && ll_is_safe(report, out->safe, out->entry) ? LL_PATCH_SAFE : only->patch.tier;
        only->patch = out->withheld ? (ll_edit){.guessed = true} : only->patch;
        return LL_OK;
    }
    out->raises = !said && !padded && told == LL_NO_ENTRY &&
                  (h->kind == LL_CAUSE_CUT ? ll_cause_fault_of_end(doc, v->search, out->cause, &out->fault)
                                           : !out->ends && ll_cause_fault(doc, h, &out->cause, &out->fault));
    out->found = out->raises || entry;
    return LL_OK;
}

/* The reader finds nothing wrong, but rules find values wrong in several places, mostly one in each, and not all by the
 * same rule. No single change explains that, and the findings of the rules are complete. */
static bool is_scattered(const ll_report *report)
{
    uint32_t loud = 0, places = 0, rule = 0;
    uint64_t behind = 0;
    bool mixed = false, reads = true;
    for (const ll_fault_node *node = report->doc.first_fault; node; node = node->next) {
        reads = reads && !node->fault.read;
    }
    for (uint32_t i = 0; reads && i < report->entries.count; i++) {
        const ll_entry *entry = &report->entries.items[i];
        if (entry->severity > LL_NOTE) {
            mixed = mixed || (loud && entry->rule != rule);
            rule = entry->rule;
            places += !loud || entry->at.offset > behind + APART;
            behind = (uint64_t)entry->at.offset + entry->at.length;
            loud++;
        }
    }
    return mixed && places >= PLACES_LEAST && loud < 2 * places;
}

/* All errors and warnings are about bytes of which the reader only knows where they begin and end, such as a compressed
 * stream. All numbers agree, and the rule about the bytes says what happened to them. */
static bool is_in_content(const ll_report *report)
{
    const ll_doc *doc = &report->doc;
    bool in = doc->by_rows;
    for (uint32_t i = 0; i < report->entries.count && in; i++) {
        const ll_where *at = &report->entries.items[i].at;
        const ll_layout *l = at->span == LL_NO_SPAN ? NULL : ll_doc_layout(doc, at->span);
        in = report->entries.items[i].severity <= LL_NOTE ||
             (l && l->kind == LL_KIND_BYTES && l->role == LL_ROLE_DATA && !report->entries.items[i].related.length);
    }
    return in;
}

/* The only error or warning is about the count that the hypothesis changes, and the new count is not 0: that would hide
 * the elements. */
static bool is_count_blamed(const ll_verdict *v)
{
    const ll_hypothesis *h = v->best;
    const ll_where at = ll_cause_place(&v->report->doc, h);
    const ll_field *field = ll_where_field(&v->report->doc, &at);
    bool blamed = h->kind == LL_CAUSE_FIELD && field && field->role == LL_ROLE_COUNT && ll_count_loud(v->report) == 1 &&
                  !ll_is_zero(h->edit.bytes, h->edit.bytes + h->edit.size);
    for (uint32_t i = 0; blamed && i < v->report->entries.count; i++) {
        const ll_entry *entry = &v->report->entries.items[i];
        blamed = entry->severity <= LL_NOTE || (entry->at.offset == h->offset && entry->at.length == h->length);
    }
    return blamed;
}

/* The reader of sections judges each field by itself, so it cannot find this cause: bytes put in or missing, a lost
 * NUL, exchanged or reversed records, or a wrong count that is the only finding. If the search did not decide: bytes
 * that moved explain the file, and the reader reports more than READER_LOUD errors and warnings. */
static bool is_beyond_reader(const ll_verdict *v)
{
    const ll_hypothesis *h = v->best;
    const bool moved = h->edit.size != h->edit.removed;
    const bool turned = h->kind == LL_CAUSE_BYTE_ORDER && h->edit.size >= TURNED_LEAST;
    return v->decided ? moved || turned || h->kind == LL_CAUSE_EXCHANGED || h->kind == LL_CAUSE_TERMINATOR ||
                            is_count_blamed(v)
                      : moved && h->left <= LL_SEARCH_SOUND && ll_count_loud(v->report) > READER_LOUD;
}

/* An error or a warning is plain (ll_is_plain()). */
static bool has_plain(const ll_report *report)
{
    bool has = false;
    for (uint32_t i = 0; i < report->entries.count && !has; i++) {
        has = report->entries.items[i].severity > LL_NOTE && ll_is_plain(report, &report->entries.items[i]);
    }
    return has;
}

/* Each error and warning has a patch that is not a guess, and some are not plain. */
static bool is_all_offered(const ll_report *report)
{
    bool all = true, any = false;
    for (uint32_t i = 0; i < report->entries.count && all; i++) {
        const ll_entry *entry = &report->entries.items[i];
        const bool loud = entry->severity > LL_NOTE;
        all = !loud || (entry->patch.tier != LL_PATCH_NONE && !entry->patch.guessed);
        any = any || (loud && !ll_is_plain(report, entry));
    }
    return all && any;
}

/* The change moves bytes of a part whose size the reader knows, and leaves more than a fourth of the weight of the
 * file. */
static bool is_vague(const ll_verdict *v)
{
    return v->search->sized.size && v->best->edit.size != v->best->edit.removed &&
           VAGUE_SHARE * (uint64_t)v->best->left > v->search->base;
}

/* If the only error or warning says that bytes moved, adds the place where the search finds that they were put in.
 * Missing bytes are left out: any other bytes often do in their place. */
static ll_status narrow(const ll_verdict *v, ll_report *report)
{
    ll_doc *doc = &report->doc;
    const ll_hypothesis *h = v->best;
    ll_leaf leaf;
    uint32_t i = 0;
    while (i < report->entries.count && report->entries.items[i].severity <= LL_NOTE) {
        i++;
    }
    const bool read =
        ll_leaf_near(doc, h->offset, &leaf) && leaf.kind != LL_KIND_BYTES; /* else any place there would do */
    if (h->kind != LL_CAUSE_INSERTED || v->rival || h->left > LL_SEARCH_SOUND || !read || ll_count_loud(report) != 1 ||
        i == report->entries.count) {
        return LL_OK;
    }
    ll_entry *entry = &report->entries.items[i];
    const ll_where cause = ll_cause_place(doc, h);
    const bool better = !ll_overlaps(&entry->at, &cause) || cause.length < entry->at.length;
    if (!better || (entry->hint && entry->hint[0]) || !ll_reader_says(doc, &entry->at, LL_READ_SHIFTED)) {
        return LL_OK;
    }
    entry->hint = ll_cause_in_words(v, &doc->arena);
    if (!entry->related.length) {
        entry->related = cause;
        entry->related_text = "where the bytes may have been put in";
    }
    return entry->hint ? LL_OK : LL_E_MEMORY;
}

/* All errors and warnings are about bytes that were read by rows. On a copy the reader may not find what it finds in
 * the file. */
static bool is_in_rows(const ll_report *report)
{
    const ll_doc *doc = &report->doc;
    bool in = true;
    for (uint32_t i = 0; i < report->entries.count && in; i++) {
        const ll_entry *entry = &report->entries.items[i];
        in = entry->severity <= LL_NOTE || (entry->at.offset >= doc->rows_from && entry->at.offset < doc->rows_to);
    }
    return in;
}

/* Names the compressed stream as the cause if its unpacked bytes have findings of several rules. A writer repeats one
 * mistake; one wrong byte of a stream copies wrong bytes to many places. */
static void blame_stream(ll_report *report, ll_diagnosis *out)
{
    ll_doc *doc = &report->doc;
    const ll_region *region = ll_doc_locate(doc, doc->rows_from);
    const ll_hypothesis held = {.offset = region->outer_offset, .length = region->outer_length};
    const ll_where stream = ll_cause_place(doc, &held);
    const uint64_t loud = ll_count_loud(report);
    uint32_t first = LL_NO_RULE;
    bool mixed = false;
    for (uint32_t i = 0; i < report->entries.count; i++) {
        const ll_entry *entry = &report->entries.items[i];
        if (entry->severity > LL_NOTE) {
            mixed = mixed || (first != LL_NO_RULE && entry->rule != first);
            first = entry->rule;
        }
    }
    if (mixed && loud >= STREAM_LOUD && ll_has_read_row(doc->format, LL_READ_UNPACKED, LL_ANY_LAYOUT)) {
        const ll_arg nothing = {0};
        out->fault = ll_read_fault(doc->format, LL_READ_UNPACKED, LL_ANY_LAYOUT, stream,
                                   (ll_read_words){ll_uint(loud), nothing, ""});
        out->cause = stream;
        out->rival = ll_nowhere();
        out->words = "";
        out->entry = LL_NO_ENTRY;
        out->found = out->raises = out->sound = out->founded = out->in_region = true;
    }
}

/* Searches unpacked bytes that were read by rows as if they were a file. There is no patch: the file does not hold
 * these bytes as they are. */
static ll_status diagnose_region(ll_report *report, ll_diagnosis *out)
{
    ll_doc *doc = &report->doc;
    const uint32_t from = doc->rows_from;
    ll_search search;
    ll_verdict v;
    ll_status status = LL_OK;
    if (!ll_search_run(&search, report->rules,
                       &(ll_searched){doc->format, NULL, doc->rows_variant, ll_doc_at(doc, from), doc->rows_to - from},
                       0)) {
        status = search.weigher.status;
    } else if (ll_verdict_find(NULL, &search, &v) && v.decided) {
        ll_hypothesis h = *v.best;
        h.offset += from;
        v.report = report;
        v.best = &h;
        out->cause = ll_cause_place(doc, &h);
        out->rival = ll_nowhere();
        out->words = ll_cause_in_words(&v, &doc->arena);
        out->entry = ll_find_entry(&v, &out->cause);
        out->raises = ll_cause_fault(doc, &h, &out->cause, &out->fault);
        out->found = out->raises || out->entry != LL_NO_ENTRY;
        out->sound = out->founded = out->in_region = true;
        status = out->words ? LL_OK : LL_E_MEMORY;
    } else {
        blame_stream(report, out);
    }
    ll_drop_plain_patches(report, true);
    out->steps += steps_of(&search);
    ll_search_free(&search);
    return status;
}

/* The entry at the place of a fault whose rule is about a fault and offers patches; NULL: there is none. */
static ll_entry *find_offering(ll_report *report, const ll_fault *fault)
{
    uint32_t i = 0;
    while (i < report->entries.count &&
           (!ll_rule_at(report->rules, report->entries.items[i].rule)->fault[0] ||
            ll_rule_at(report->rules, report->entries.items[i].rule)->patch == LL_PATCH_NONE ||
            report->entries.items[i].at.offset != fault->at.offset)) {
        i++;
    }
    return i < report->entries.count ? &report->entries.items[i] : NULL;
}

/* Handles a file in the other byte order, as a fault says. If the file reads well with all its numbers reversed, the
 * entry gets the result as an unsafe patch. Not if some bytes have no known meaning: they would stay as they are. */
static ll_status turn_round(ll_report *report, const ll_fault *fault, ll_diagnosis *out)
{
    ll_doc *doc = &report->doc;
    ll_entry *entry = find_offering(report, fault);
    if (!entry || doc->size > TURNED_MAX) {
        return LL_OK;
    }
    uint8_t *bytes = (uint8_t *)ll_arena_copy(&doc->arena, (const char *)doc->bytes, doc->size);
    if (!bytes) {
        return LL_E_MEMORY;
    }
    ll_weigher w;
    ll_weigher_init(&w, report->rules, doc->format, doc->name);
    const ll_candidate turned = {.bytes = bytes, .size = doc->size, .swap = {.to = doc->size, .layout = LL_ANY_LAYOUT}};
    const uint64_t left = ll_weigh(&w, &turned);
    const ll_status status = w.status;
    if (status == LL_OK && left <= LL_SEARCH_SOUND && !w.doc.unsupported) {
        uint32_t from = 0, to = doc->size;
        ll_trim_alike(doc->bytes, bytes, &from, &to);
        entry->patch = (ll_edit){
            .tier = LL_PATCH_UNSAFE, .offset = from, .removed = to - from, .size = to - from, .bytes = bytes + from};
    }
    out->steps += doc->size + STEPS_OF_READING;
    ll_weigher_free(&w);
    return status;
}

ll_status ll_diagnose(ll_report *report, ll_diagnosis *out)
{
    *out = (ll_diagnosis){.found = false, .score = UINT64_MAX};
    const ll_doc *doc = &report->doc;
    ll_search search;
    ll_verdict v;
    ll_status status = LL_OK;
    const ll_fault *first = doc->first_fault ? &doc->first_fault->fault : NULL;
    const bool other = first && first->read == LL_READ_OTHER_VARIANT + 1;
    const bool swapped = first && first->read == LL_READ_SWAPPED + 1 && first->patch.tier == LL_PATCH_NONE;
    if (other || swapped) { /* the file was not read */
        return swapped ? turn_round(report, first, out) : LL_OK;
    }
    if (doc->rows_from >= doc->size && doc->rows_from < doc->rows_to && is_in_rows(report)) {
        return diagnose_region(report, out);
    }
    if (is_scattered(report) || is_in_content(report)) {
        ll_drop_plain_patches(report, false);
        return LL_OK;
    }
    if (!ll_search_run(&search, report->rules,
                       &(ll_searched){doc->format, doc->name, doc->variant, doc->bytes, doc->size}, 0)) {
        status = search.weigher.status;
    } else if ((search.by_rows && !doc->by_rows && !is_in_rows(report)) || !ll_verdict_find(report, &search, &v) ||
               is_vague(&v)) {
        out->score = search.base + LL_UNEXPLAINED;
    } else {
        out->score = v.best->score;
        status = search.by_rows || is_beyond_reader(&v) || (v.decided && has_plain(report)) ? describe(&v, report, out)
                                                                                            : narrow(&v, report);
    }
    if (!search.by_rows) {
        /* without a reader by rows, another byte may be the wrong one */
        out->safe = out->safe && v.best->kind == LL_CAUSE_TERMINATOR;
        out->found = out->found && (out->patch.tier == LL_PATCH_NONE || test_copy(report, out, has_meaning));
        if (out->found || !is_all_offered(report)) {
            ll_drop_plain_patches(report, true);
        }
    } else if (status == LL_OK) { /* even if the caller does not make the cause the first finding */
        ll_drop_plain_patches(report, out->found ? out->sound : out->said);
    }
    out->steps += steps_of(&search);
    ll_search_free(&search);
    return status;
}
