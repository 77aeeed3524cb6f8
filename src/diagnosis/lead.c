/* Puts the entry of the cause first, gives it its patch and words, and marks the entries that it explains. */
#include "diagnosis/lead.h"

#include "diagnosis/cause.h"
#include "diagnosis/doubt.h"
#include "diagnosis/entries.h"
#include "diagnosis/settle.h"
#include "model/reader.h"
#include "model/reader_kind.h"
#include "findings/compare.h"

/* Number of the entry that leads: of the fault that was raised first, or the one that the diagnosis names. LL_NO_ENTRY:
 * it is not among the entries. */
static uint32_t find_lead(const ll_report *report, const ll_diagnosis *d)
{
    uint32_t i = d->raises ? 0 : d->entry;
    while (d->raises && i < report->entries.count &&
           (report->entries.items[i].order != 0 || report->entries.items[i].at.offset != d->fault.at.offset)) {
        i++;
    }
    return i < report->entries.count ? i : LL_NO_ENTRY;
}

/* The reader asks for more bytes or elements than there are. */
static bool asks_for_more(const ll_report *report, const ll_entry *entry)
{
    const ll_fault *fault = ll_reader_fault_at(&report->doc, &entry->at);
    const ll_read_kind kind = fault ? ll_read_base((ll_read_kind)(fault->read - 1)) : LL_READ_KINDS;
    return kind == LL_READ_CUT || kind == LL_READ_COUNT ||
           (kind == LL_READ_SIZE && fault->arg[0].v.u > fault->arg[1].v.u);
}

/* The place is in a record in which bytes are missing or surplus at an unknown place, so its values mean nothing. */
static bool is_moved(const ll_report *report, const ll_diagnosis *d, const ll_where *at)
{
    const ll_doc *doc = &report->doc;
    const ll_unit unit = ll_unit_of(doc, at), moved = ll_unit_of(doc, &d->cause);
    return d->moves && moved.span != LL_NO_SPAN &&
           (ll_is_same_unit(&unit, &moved) ||
            (d->moves_all && unit.span != LL_NO_SPAN &&
             ll_layout_at(doc, &(ll_where){.span = unit.span}) == ll_layout_at(doc, &(ll_where){.span = moved.span})));
}

/* Drops findings in unknown bytes of the copy. */
static void drop_unknown(ll_report *trial, const ll_diagnosis *d)
{
    const ll_where bytes = ll_at_bytes(LL_NO_SPAN, d->unknown_from, d->unknown_to - d->unknown_from);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < trial->entries.count; i++) {
        if (!ll_overlaps(&trial->entries.items[i].at, &bytes)) {
            trial->entries.items[kept++] = trial->entries.items[i];
        }
    }
    trial->entries.count = kept;
}

/* Marks the entries that the cause explains, and drops their patches. It explains those that the copy no longer has,
 * and those about bytes that are unknown in the copy. Without a copy, their places decide. */
static ll_status mark_explained(ll_report *report, const char *variant, const ll_diagnosis *d)
{
    ll_comparison c = {.stays = NULL};
    const bool lost = d->ends || d->in_region;
    ll_status status = lost ? LL_OK : report->trying.lint(report, variant, d->copy, d->copy_size);
    if (status == LL_OK && !lost) {
        if (d->unknown) {
            drop_unknown(report->trying.copy, d);
        }
        status = ll_report_compare(report, report->trying.copy, &report->doc.arena, &report->trying.copy->scratch, &c);
    }
    for (uint32_t i = 0; i < report->entries.count && status == LL_OK; i++) {
        ll_entry *entry = &report->entries.items[i];
        bool within = d->unknown && ll_overlaps(&entry->at, &d->cause);
        bool behind =
            d->ends && (entry->at.offset + entry->at.length >= d->cause.offset || asks_for_more(report, entry));
        const bool there = d->in_region && entry->at.offset >= report->doc.rows_from;
        entry->explained = there     ? entry->at.offset < report->doc.rows_to
                           : c.stays ? !c.stays[i] || within || is_moved(report, d, &entry->at)
                                     : behind || entry->is_unread;
        entry->patch = entry->explained ? (ll_edit){.guessed = true} : entry->patch;
    }
    return status;
}

/* Gives the patch of the second fault to the first finding about its bytes, if it keeps their number. All other
 * findings lose their patches: they may be consequences of that fault. */
static void put_second(ll_report *report, const ll_diagnosis *d, uint32_t lead)
{
    const ll_where at = ll_at_bytes(LL_NO_SPAN, d->second.offset, d->second.removed);
    bool put = d->second.removed != d->second.size;
    for (uint32_t i = 0; i < report->entries.count; i++) {
        ll_entry *entry = &report->entries.items[i];
        const bool about = !put && entry->severity > LL_NOTE && ll_overlaps(&entry->at, &at);
        if (i == lead || entry->explained) {
            continue;
        }
        if (!about) {
            entry->patch = (ll_edit){.guessed = true};
        } else if (entry->patch.tier == LL_PATCH_NONE) {
            entry->patch = d->second;
            entry->hint = d->second_words;
        }
        put = put || about;
    }
}

static bool explains_any(const ll_report *report)
{
    uint32_t i = 0;
    while (i < report->entries.count && !report->entries.items[i].explained) {
        i++;
    }
    return i < report->entries.count;
}

ll_status ll_diagnosis_lead(ll_report *report, const char *variant, const ll_diagnosis *d)
{
    ll_drop_plain_patches(report, d->sound);
    uint32_t lead = find_lead(report, d);
    const ll_edit own =
        lead == LL_NO_ENTRY || d->withheld ? (ll_edit){.guessed = true} : report->entries.items[lead].patch;
    ll_status status = lead == LL_NO_ENTRY ? LL_OK : mark_explained(report, variant, d);
    if (lead == LL_NO_ENTRY || status != LL_OK) {
        return status;
    }
    if (d->has_second && !d->withheld) {
        put_second(report, d, lead);
    }
    ll_entry *cause = &report->entries.items[lead];
    const bool told = d->has_second && own.tier == LL_PATCH_SAFE; /* the patch of the rule is as good */
    const bool one_of_several = d->by_rule && (told || d->patch.tier == LL_PATCH_NONE);
    cause->explained = false;
    cause->patch = one_of_several ? own : d->patch;
    if (one_of_several && !explains_any(report)) { /* the finding of its rule is complete */
        return LL_OK;
    }
    bool rival = d->rival.span != LL_NO_SPAN || d->rival.length;
    const bool known = d->spelled || d->told; /* the rule knows the text or the value as well */
    if (!cause->hint || !cause->hint[0] || rival || !known) {
        cause->hint = d->words;
    }
    if (rival && !ll_overlaps(&cause->at, &d->rival)) {
        cause->related = d->rival;
        cause->related_text = "what may have been changed instead";
    } else if (!d->raises && !ll_overlaps(&cause->at, &d->cause) && (d->cause.length || !cause->related.length)) {
        cause->related = d->cause;
        cause->related_text = "what was changed";
    }
    const bool same = own.tier == LL_PATCH_SAFE && d->patch.tier != LL_PATCH_NONE &&
                      ll_is_same_patch(report->doc.bytes, &own, &d->patch);
    if (d->patch.tier != LL_PATCH_NONE && ll_is_safe(report, d->safe || same, lead)) {
        cause->patch.tier = LL_PATCH_SAFE;
    }
    ll_report_lead_by(report, lead);
    return LL_OK;
}
