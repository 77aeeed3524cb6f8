/* See verdict.h. Scores and margins are hundredths; docs/diagnosis.md. */
#include "diagnosis/verdict.h"

enum {
    MARGIN = 60,  /* a hypothesis whose score is so near is as good */
    GAIN = 80,    /* the best one is lower by at least this */
    OTHERS = 1000 /* weight of what is wrong in other places and goes with a record that belongs to nothing */
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

/* Both say the same of the file: what happened, to how many bytes, and in which record. */
static bool is_same_class(const ll_doc *doc, const ll_hypothesis *a, const ll_hypothesis *b)
{
    const ll_unit one = ll_unit_at(doc, a->offset), other = ll_unit_at(doc, b->offset);
    return a->kind == b->kind && a->edit.size - a->edit.removed == b->edit.size - b->edit.removed &&
           ll_is_same_unit(&one, &other);
}

/* A file whose end is missing explains as much as any value that asks for less, but for one with which the padding ends
 * where the file does. */
static bool is_cut_as_sound(const ll_search *s, const ll_hypothesis *best, const ll_hypothesis *h)
{
    const bool filled = s->filled && best->kind == LL_CAUSE_FIELD && best->left == 0;
    return h->kind == LL_CAUSE_CUT && h->left <= LL_SEARCH_SOUND && !filled;
}

/* Bytes that were put in, and all that is better without them is that they are fewer that nobody reads. */
static bool is_less_of_it(const ll_search *s, const ll_hypothesis *h)
{
    return h->kind == LL_CAUSE_INSERTED && h->left > LL_SEARCH_SOUND &&
           h->score - h->cost + (uint64_t)LL_WEIGHT_BYTE * h->edit.removed >= s->base;
}

/* What is wrong in other places goes with the record, so that it was rather put in than damaged. */
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
    const bool whole = v->search->untried > (uint64_t)v->best->score + LL_SEARCH_KEPT; /* else more were wanted */
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
        bool apart =
            (uint64_t)left + h->left >= s->base; /* each explains what the other leaves: there are two faults */
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
