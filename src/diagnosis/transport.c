/* Undoes each kind of damage in transport (identity/damage.h) and lints the result, then looks for traces of lost
 * bytes. */
#include "diagnosis/transport.h"

#include "base/map.h"
#include "diagnosis/budget.h"
#include "diagnosis/doubt.h"
#include "identity/damage.h"

#include <math.h>
#include <string.h>

enum {
    PATCH_MAX = 1 << 24, /* largest file that gets a patch, in bytes */
    COPIED = 8,          /* bytes of a proposal made in one step */
    FILE_MIN = 64        /* a file of a family without a probe has at least this many bytes; fewer may be leftovers */
};
#define NO_PROPOSAL UINT32_MAX

typedef struct trying {
    ll_report *report;
    ll_damaged file;
    uint8_t *out; /* bytes of the proposal */
    size_t size;
    uint64_t steps; /* steps taken so far */
} trying;

/* The proposal may be a file of ours: it begins as one, or its name says so and the family has no probe. */
static bool may_be_ours(const trying *t)
{
    ll_probe_result sure = LL_PROBE_NO;
    const ll_format *by_name = ll_format_by_name(t->report->doc.name);
    (void)ll_format_by_content(t->out, t->size, &sure);
    return sure == LL_PROBE_SURE || (by_name && !by_name->probe);
}

static uint64_t loud_of(const ll_report *report)
{
    return report->summary.errors + report->summary.warnings;
}

/* The damage is certain from the bytes alone, nearly. So a proposal may have faults left, but not of structure. */
static bool is_plain(ll_damage damage)
{
    return damage != LL_DAMAGE_sectors && damage != LL_DAMAGE_lf && damage != LL_DAMAGE_padded &&
           ll_damage_is_undone(damage);
}

/* At least half of the floats have an ordinary size. With bytes in the wrong order they hardly ever have. */
static bool are_numbers_ordinary(const ll_doc *doc)
{
    const double least = 0x1p-30, most = 0x1p30;
    uint64_t ordinary = 0, odd = 0;
    for (uint32_t i = 0; i < doc->span_count; i++) {
        ll_element e;
        for (uint32_t k = 0; ll_element_at(doc, i, k, &e); k++) {
            for (unsigned f = 0; f < e.layout->field_count; f++) {
                unsigned bytes = e.layout->fields[f].type == LL_TYPE_F32 ? e.layout->fields[f].bytes : 0;
                for (unsigned n = 0; n < bytes / LL_TYPE_BYTES_F32; n++) {
                    double size = fabs(ll_get_number(&e, f, n));
                    bool fits = size >= least && size <= most;
                    ordinary += fits;
                    odd += size != 0 && !fits; /* NaN as well */
                }
            }
        }
    }
    return odd <= ordinary;
}

/* The proposal takes out or puts in a single byte and has a finding close to it: another byte may be the right one. */
static bool is_one_byte_odd(const trying *t)
{
    enum { BESIDE = 64 };
    const ll_report *trial = t->report->trying.copy;
    bool one = t->size == t->file.size + 1 || t->size + 1 == t->file.size;
    uint32_t at = 0;
    while (one && at < t->size && at < t->file.size && t->out[at] == t->file.bytes[at]) {
        at++;
    }
    for (uint32_t i = 0; one && i < trial->entries.count; i++) {
        uint32_t offset = trial->entries.items[i].at.offset;
        if (offset < at ? at - offset < BESIDE : offset - at < BESIDE) {
            return true;
        }
    }
    return false;
}

/* Lints the proposal. *reads: it has no errors or warnings, or, with a plain damage, no faults and fewer of these than
 * the file; it was checked in full; and its numbers and its changed byte are not odd. */
static ll_status try_out(trying *t, ll_damage damage, bool *reads)
{
    *reads = false;
    if (t->size > UINT32_MAX || !may_be_ours(t)) {
        return LL_OK;
    }
    ll_status status = t->report->trying.lint(t->report, t->report->options.variant, t->out, t->size);
    if (status == LL_OK) {
        const ll_report *trial = t->report->trying.copy;
        t->steps += trial->trying.steps;
        bool better = is_plain(damage) && !trial->doc.fault_count && loud_of(trial) < loud_of(t->report);
        bool odd = is_one_byte_odd(t) || !are_numbers_ordinary(&trial->doc);
        *reads = (loud_of(trial) == 0 || better) && !trial->summary.unchecked && !odd;
    }
    return status;
}

static ll_fault fault_of(ll_damage damage, ll_where at)
{
    ll_fault fault = ll_fault_at(LL_FAULT_TRANSPORT, at);
    fault.hint = (uint16_t)(LL_FOREIGN_COUNT + damage);
    fault.arg[0] = ll_word(ll_damage_words(damage));
    return fault;
}

/* Makes the finding at the bytes that differ, with the patch. */
static ll_status describe(const trying *t, ll_damage damage, ll_patch_tier tier, ll_transport *out)
{
    ll_doc *doc = &t->report->doc;
    size_t start = 0, end = 0, shorter = t->size < doc->size ? t->size : doc->size;
    while (start < shorter && t->out[start] == doc->bytes[start]) {
        start++;
    }
    while (end < shorter - start && t->out[t->size - 1 - end] == doc->bytes[doc->size - 1 - end]) {
        end++;
    }
    uint32_t from = (uint32_t)start, removed = (uint32_t)(doc->size - start - end);
    out->fault = fault_of(damage, ll_at_bytes(LL_NO_SPAN, from, removed ? removed : doc->size > from));
    out->fault.arg[1] = ll_uint(doc->size);
    out->fault.arg[2] = ll_uint(t->size);
    out->fault.arg[3] = ll_uint(from);
    out->found = true;
    if (tier != LL_PATCH_NONE && doc->size <= PATCH_MAX) {
        uint32_t size = (uint32_t)(t->size - start - end);
        const uint8_t *bytes = (const uint8_t *)ll_arena_copy(&doc->arena, (const char *)t->out + start, size);
        if (!bytes) {
            return LL_E_MEMORY;
        }
        ll_patch_edit(
            doc, &out->fault,
            (ll_edit){.tier = (uint8_t)tier, .offset = from, .removed = removed, .bytes = bytes, .size = size});
    }
    return LL_OK;
}

/* What follows the proposal in the file begins as a file of ours. It may have faults of its own. */
static bool begins_as_ours(const trying *t)
{
    ll_probe_result sure = LL_PROBE_NO;
    (void)ll_format_by_content(t->file.bytes + t->size, t->file.size - t->size, &sure);
    return sure == LL_PROBE_SURE;
}

/* What follows the proposal may be a file of ours, as far as can be told without linting it. */
static bool may_follow(const trying *t)
{
    const ll_format *by_name = ll_format_by_name(t->report->doc.name);
    return begins_as_ours(t) || (by_name && !by_name->probe && t->file.size - t->size >= FILE_MIN);
}

/* What follows the proposal is a file of ours: it begins as one, or reads without errors. */
static ll_status is_rest_ours(trying *t, ll_damage damage, bool *reads)
{
    size_t start = t->size;
    const uint8_t *rest = t->file.bytes + start;
    *reads = begins_as_ours(t);
    if (*reads) {
        return LL_OK;
    }
    t->size = t->file.size - start;
    memcpy(t->out, rest, t->size);
    ll_status status = try_out(t, damage, reads);
    t->size = start;
    memcpy(t->out, t->file.bytes, start);
    return status;
}

/* Tries all proposals for one damage. *which: the first that reads; NO_PROPOSAL: none does. *tier: of its patch. It is
 * NONE if another proposal reads as well with other bytes, and at most unsafe if not all could be tried. */
static ll_status try_damage(trying *t, ll_damage damage, uint32_t *which, ll_patch_tier *tier)
{
    ll_status status = LL_OK;
    uint64_t hash = 0;
    *tier = LL_PATCH_NONE;
    *which = NO_PROPOSAL;
    for (uint32_t i = 0; status == LL_OK; i++) {
        bool reads = false;
        t->size = ll_damage_undo(damage, &t->file, i, t->out);
        if (!t->size) {
            break;
        }
        t->steps += t->size / COPIED + 1;
        if (t->steps >= LL_STEPS_TRANSPORT) { /* the others are not tried */
            *tier = *tier == LL_PATCH_SAFE ? LL_PATCH_UNSAFE : *tier;
            break;
        }
        status = ll_damage_is_undone(damage) || may_follow(t) ? try_out(t, damage, &reads) : LL_OK;
        if (!reads) {
            continue;
        }
        uint64_t now = ll_map_hash_bytes(damage, t->out, t->size);
        if (*which == NO_PROPOSAL) {
            hash = now;
            *which = i;
            bool weak = t->size == t->file.size + 1; /* another byte may be the missing one */
            *tier = weak                           ? LL_PATCH_NONE
                    : damage == LL_DAMAGE_joined   ? LL_PATCH_UNSAFE /* the other file may be wanted */
                    : !ll_damage_is_undone(damage) ? LL_PATCH_NONE
                                                   : LL_PATCH_SAFE;
        } else if (now != hash) {
            *tier = LL_PATCH_NONE;
            break;
        }
    }
    return status;
}

static ll_status try_all(trying *t, ll_transport *out)
{
    ll_status status = LL_OK;
    for (unsigned damage = 0; damage < LL_DAMAGES && status == LL_OK && !out->found; damage++) {
        uint32_t which = NO_PROPOSAL;
        ll_patch_tier tier = LL_PATCH_NONE;
        status = try_damage(t, (ll_damage)damage, &which, &tier);
        bool reads = status == LL_OK && which != NO_PROPOSAL;
        if (reads) {
            t->size = ll_damage_undo((ll_damage)damage, &t->file, which, t->out);
            status = ll_damage_is_undone((ll_damage)damage) ? LL_OK : is_rest_ours(t, (ll_damage)damage, &reads);
        }
        status = reads && status == LL_OK ? describe(t, (ll_damage)damage, tier, out) : status;
    }
    return status;
}

/* The finding is about a record with fields, not about unread or opaque bytes. */
static bool is_of_record(const ll_doc *doc, const ll_where *at)
{
    return at->span != LL_NO_SPAN && doc->layouts[ll_doc_span(doc, at->span)->layout].field_count;
}

/* The finding is about a field of the header, and the error may be in what the field describes. */
static bool is_of_header(const ll_doc *doc, const ll_where *at)
{
    const ll_fault_node *node = at->span == 0 ? doc->first_fault : NULL;
    while (node && !(node->fault.at.offset == at->offset && node->fault.read > LL_READ_SIZE)) {
        node = node->next;
    }
    return node != NULL;
}

/* Several errors end before the bytes that may be lost, so they have another cause. One error is allowed: it may report
 * the size or count that states these bytes. */
static bool is_wrong_before(const ll_report *report, uint64_t from)
{
    unsigned wrong = 0;
    for (uint32_t i = 0; i < report->entries.count; i++) {
        const ll_where *at = &report->entries.items[i].at;
        const bool before = (uint64_t)at->offset + at->length < from && !is_of_header(&report->doc, at);
        wrong += before && report->entries.items[i].severity == LL_ERROR;
    }
    return wrong > 1;
}

/* An error or a warning lies at the lost bytes or less than lost->margin in front of them. Sound files have stretches
 * of zeros, too (lost->weak): there the finding has to be inside the zeros, about a record read from them, or an error
 * in front of at least half a sector of them. */
static bool is_missed(const ll_report *report, const ll_lost *lost)
{
    enum { HALF_A_SECTOR = 256 };
    for (uint32_t i = 0; i < report->entries.count; i++) {
        const ll_where *at = &report->entries.items[i].at;
        uint64_t end = (uint64_t)at->offset + at->length;
        bool near = at->offset <= lost->to && end + lost->margin > lost->from;
        bool gap = at->span != LL_NO_SPAN && ll_doc_layout(&report->doc, at->span)->kind == LL_KIND_GAP;
        bool ends = report->entries.items[i].severity == LL_ERROR && !gap && end > lost->to &&
                    at->offset + HALF_A_SECTOR <= lost->to;
        bool among =
            at->length && at->offset > lost->from && (ends || (end <= lost->to && is_of_record(&report->doc, at)));
        if (report->entries.items[i].severity > LL_NOTE && (lost->weak ? among : near)) {
            return true;
        }
    }
    return false;
}

static void find_loss(const trying *t, ll_transport *out)
{
    ll_lost lost;
    const ll_format *format = t->report->doc.format;
    for (unsigned damage = 0; damage < LL_DAMAGES && !out->found; damage++) {
        uint64_t zeros = damage == LL_DAMAGE_tail && format ? format->zeros_at_end : 0;
        bool foreign = damage == LL_DAMAGE_tail && format && format->probe &&
                       !ll_fits_format(&t->report->doc); /* by its first bytes */
        for (uint32_t i = 0; !out->found && ll_damage_lost((ll_damage)damage, &t->file, i, &lost); i++) {
            lost.weak = lost.weak || lost.number <= zeros;
            const bool other = damage == LL_DAMAGE_tail && lost.weak && is_wrong_before(t->report, lost.from);
            if (is_missed(t->report, &lost) && !foreign && !other) {
                ll_where at = ll_at_bytes(LL_NO_SPAN, (uint32_t)lost.from, (uint32_t)(lost.to - lost.from));
                out->fault = fault_of((ll_damage)damage, at);
                out->fault.arg[1] = ll_uint(t->file.size);
                out->fault.arg[2] = ll_uint(lost.number);
                out->fault.arg[3] = ll_uint(lost.from);
                out->found = true;
            }
        }
    }
}

/* Finds the first and the last place with an error or a warning. all: findings about the header count as well. False:
 * there is none. */
static bool find_ends(const ll_report *report, bool all, ll_damaged *file)
{
    bool any = false;
    for (uint32_t i = (uint32_t)report->entries.count; i-- > 0;) {
        const ll_where *at = &report->entries.items[i].at;
        if (report->entries.items[i].severity > LL_NOTE && at->offset < report->doc.size &&
            (all || !is_of_header(&report->doc, at))) {
            file->first = at->offset;
            file->last = at->offset > file->last ? at->offset : file->last;
            any = true;
        }
    }
    return any;
}

ll_status ll_transport_find(ll_report *report, ll_transport *out)
{
    const ll_doc *doc = &report->doc;
    const ll_allocator a = doc->arena.allocator;
    trying t = {.report = report, .file = {doc->bytes, doc->size, 0, 0}};
    if (!find_ends(report, false, &t.file)) {
        (void)find_ends(report, true, &t.file);
    }
    size_t room = ll_undone_room(doc->size);
    *out = (ll_transport){.found = false};
    ll_status status = LL_OK;
    if (doc->fault_count) { /* else the structure is sound */
        t.out = a.alloc(a.ctx, room);
        if (!t.out) {
            return LL_E_MEMORY;
        }
        status = try_all(&t, out);
        a.release(a.ctx, t.out);
    }
    if (status == LL_OK && !out->found) {
        find_loss(&t, out);
    }
    out->steps = t.steps;
    return status;
}
