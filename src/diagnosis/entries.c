/* Looks up and compares the entries of a report for the diagnosis. */
#include "diagnosis/entries.h"

#include "diagnosis/cause.h"
#include "diagnosis/doubt.h"
#include "diagnosis/settle.h"
#include "model/reader.h"
#include "model/reader_kind.h"

bool ll_overlaps(const ll_where *a, const ll_where *b)
{
    uint64_t a_end = (uint64_t)a->offset + (a->length ? a->length : 1);
    uint64_t b_end = (uint64_t)b->offset + (b->length ? b->length : 1);
    return a->offset < b_end && b->offset < a_end;
}

/* The reader has a fault about the structure of the file there, not only about bytes that should be 0. */
static bool is_structure(const ll_doc *doc, const ll_where *at)
{
    const ll_fault *fault = ll_reader_fault_at(doc, at);
    return fault && fault->read != LL_READ_RESERVED + 1 && fault->read != LL_READ_PADDING + 1;
}

bool ll_is_plain(const ll_report *report, const ll_entry *entry)
{
    return ll_rule_at(report->rules, entry->rule)->fault[0] && is_structure(&report->doc, &entry->at);
}

void ll_drop_plain_patches(ll_report *report, bool known)
{
    bool reads = true;
    for (uint32_t i = 0; i < report->entries.count; i++) {
        reads = reads && !ll_is_plain(report, &report->entries.items[i]);
    }
    for (uint32_t i = 0; i < report->entries.count; i++) {
        ll_edit *patch = &report->entries.items[i].patch;
        bool dropped = (!known && !reads) || ll_is_plain(report, &report->entries.items[i]);
        if (patch->tier != LL_PATCH_NONE && dropped) {
            *patch = (ll_edit){.guessed = true};
        }
    }
}

uint32_t ll_find_entry(const ll_verdict *v, const ll_where *cause)
{
    uint32_t best = LL_NO_ENTRY;
    unsigned most = 0;
    for (uint32_t i = 0; i < v->report->entries.count; i++) {
        const ll_entry *entry = &v->report->entries.items[i];
        const bool about = ll_overlaps(&entry->at, cause), error = entry->severity == LL_ERROR;
        unsigned fits = 1 + (about ? 8U : 0U) + (ll_reader_fault_at(&v->report->doc, &entry->at) ? 4U : 0U) +
                        (error ? (about ? 6U : 2U) : 0U);
        if (entry->severity > LL_NOTE && fits > most) {
            best = i;
            most = fits;
        }
    }
    return best;
}

uint64_t ll_count_loud(const ll_report *report)
{
    return report->summary.errors + report->summary.warnings;
}

bool ll_is_patch_of(const ll_doc *doc, const ll_entry *entry, const ll_hypothesis *h)
{
    const ll_edit *patch = &entry->patch;
    return patch->tier != LL_PATCH_NONE && h->edit.tier != LL_PATCH_NONE && (patch->bytes || !patch->size) &&
           !patch->order && ll_is_same_patch(doc->bytes, patch, &h->edit);
}

bool ll_reader_says(const ll_doc *doc, const ll_where *at, ll_read_kind kind)
{
    const ll_fault_node *node = doc->first_fault;
    while (node && (node->fault.at.offset != at->offset || node->fault.at.length != at->length ||
                    ll_read_kind_of(doc, &node->fault) != kind)) {
        node = node->next;
    }
    return node != NULL;
}

uint32_t ll_find_reported(const ll_report *report, const ll_hypothesis *h, const ll_where *cause)
{
    const ll_doc *doc = &report->doc;
    const ll_read_kind kind = h->edit.size != h->edit.removed ? LL_READ_SHIFTED : LL_READ_REVERSED;
    const bool field = h->kind == LL_CAUSE_FIELD;
    uint32_t i = doc->by_rows ? (uint32_t)report->entries.count : 0;
    while (i < report->entries.count && (report->entries.items[i].severity <= LL_NOTE ||
                                         (!ll_is_patch_of(doc, &report->entries.items[i], h) &&
                                          !(ll_overlaps(&report->entries.items[i].at, cause) &&
                                            (field || ll_reader_says(doc, &report->entries.items[i].at, kind)))))) {
        i++;
    }
    return i < report->entries.count ? i : LL_NO_ENTRY;
}

bool ll_is_safe(const ll_report *report, bool safe, uint32_t number)
{
    const ll_rule *rule = ll_rule_at(report->rules, report->entries.items[number].rule);
    return safe && rule->patch == LL_PATCH_SAFE && !ll_has_neighbour(report, number);
}
