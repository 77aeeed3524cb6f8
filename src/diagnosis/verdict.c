/* Compares the scores of the hypotheses that the search kept. Scores and margins are hundredths; docs/diagnosis.md
 * says where they come from. */
#include "diagnosis/verdict.h"

enum {
    MARGIN = 60,  /* hypotheses up to this much above the best score are as good */
    GAIN = 80,    /* the best score is better than explaining nothing by at least this */
    OTHERS = 1000 /* weight of errors elsewhere that have to disappear with an added record */
};

uint32_t ll_region_end(const ll_doc *doc, uint32_t address)
{
    const ll_region *region = ll_doc_locate(doc, address);
    return region->base + region->size;
}

bool ll_leaf_near(const ll_doc *doc, uint32_t offset, ll_leaf *leaf)
{
    const uint32_t end = ll_region_end(doc, offset);
    return doc->size && ll_doc_leaf_at(doc, offset < end ? offset : end - 1, leaf) && leaf->span != LL_NO_SPAN;
}

ll_unit ll_unit_at(const ll_doc *doc, uint32_t offset)
{
    ll_leaf leaf;
    if (!ll_leaf_near(doc, offset, &leaf)) {
        return (ll_unit){LL_NO_SPAN, 0};
    }
    const ll_where at = {leaf.span, leaf.element, LL_NO_FIELD, LL_NO_PART, leaf.offset, leaf.length};
    return ll_unit_of(doc, &at);
}

/* Both hypotheses state the same change: its kind, its number of bytes, and the record. */
static bool is_same_class(const ll_doc *doc, const ll_hypothesis *a, const ll_hypothesis *b)
{
    const ll_unit one = ll_unit_at(doc, a->offset), other = ll_unit_at(doc, b->offset);
    return a->kind == b->kind && a->edit.size - a->edit.removed == b->edit.size - b->edit.removed &&
           ll_is_same_unit(&one, &other);
}

/* A missing end explains as much as any value that asks for less, so it counts as good if it leaves a sound file. Not
 * against a value with which the padding ends exactly where the file does. */
static bool is_cut_as_sound(const ll_search *s, const ll_hypothesis *best, const ll_hypothesis *h)
{
    const bool filled = s->filled && best->kind == LL_CAUSE_FIELD && best->left == 0;
    return h->kind == LL_CAUSE_CUT && h->left <= LL_SEARCH_SOUND && !filled;
}

/* Removing the inserted bytes gains nothing but fewer unread bytes. */
static bool is_less_of_it(const ll_search *s, const ll_hypothesis *h)
{
    return h->kind == LL_CAUSE_INSERTED && h->left > LL_SEARCH_SOUND &&
           h->score - h->cost + (uint64_t)LL_WEIGHT_BYTE * h->edit.removed >= s->base;
}

/* Errors of at least OTHERS lie outside of the record: it was rather put in than damaged. */
static bool explains_others(const ll_search *s, const ll_hypothesis *h)
{
    uint64_t others = 0;
    for (size_t i = 0; i < s->leftovers.count; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        const bool own =
            l->offset < h->edit.offset + h->edit.removed && l->offset + (uint64_t)l->length > h->edit.offset;
        others += l->loud && !own ? l->weight : 0;
    }
    return others >= OTHERS;
}

bool ll_verdict_is_sure(const ll_verdict *v)
{
    /* none as good was skipped; it would leave the oddities that the file has anyway as well */
    const bool whole = v->search->untried > (uint64_t)v->best->cost + v->best->left + LL_SEARCH_KEPT;
    return v->alone && (whole || v->best->redundant) &&
           (v->best->kind != LL_CAUSE_ADDED || explains_others(v->search, v->best)) &&
           v->best->edit.tier != LL_PATCH_NONE;
}

bool ll_verdict_find(const ll_report *report, const ll_search *s, ll_verdict *v)
{
    size_t first = 0;
    while (first < s->tried.count && is_less_of_it(s, &s->tried.items[first])) {
        first++;
    }
    if (first == s->tried.count || s->tried.items[first].score + GAIN > s->base + LL_UNEXPLAINED) {
        return false;
    }
    const ll_hypothesis *best = &s->tried.items[first];
    const uint32_t left = best->left;
    const bool unknown = best->kind == LL_CAUSE_UNKNOWN || best->kind == LL_CAUSE_OVERWRITTEN;
    if (unknown && 2 * (uint64_t)left > s->base) { /* then it is one of several faults */
        return false;
    }
    *v = (ll_verdict){.search = s, .report = report, .best = best};
    v->alone = true;
    for (size_t i = first + 1; i < s->tried.count; i++) {
        const ll_hypothesis *h = &s->tried.items[i];
        bool apart = (uint64_t)left + h->left >= s->base; /* each explains what the other leaves: two faults */
        if (apart || (h->score > best->score + MARGIN && !is_cut_as_sound(s, best, h))) {
            continue;
        }
        v->alone = v->alone && ll_is_same_hypothesis(s, best, h);
        if (report && !v->rival && !is_same_class(&report->doc, best, h)) {
            v->rival = h;
        }
    }
    v->decided = ll_verdict_is_sure(v) && left <= LL_SEARCH_SOUND;
    return true;
}
