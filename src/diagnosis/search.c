/* Runs all kinds of tries (tries.h) within a limited number of readings, then joins hypotheses that cannot be told
 * apart. Costs and weights are hundredths; docs/diagnosis.md says where they come from. */
#include "diagnosis/search.h"

#include "base/sort.h"
#include "diagnosis/tries.h"
#include "model/reader_plan.h"

#include <string.h>

enum {
    READINGS_LEAST = 32,    /* a file too large for this many readings is not searched */
    READINGS_MAX = 4000,    /* limit of readings for one file */
    SOUGHT_SHARE = 16,      /* looking for a part at one byte costs as much as reading this many */
    COPIED_SHARE = 16,      /* copying costs 1/this of reading */
    READ_MAX = 1 << 27,     /* limit of bytes in all readings: one fault takes a second at most */
    UNPACKED_MAX = 1 << 26, /* limit of unpacked bytes in all readings */
    UNPACKED_LEFT = 8,      /* 1/this of which is left for what is tried later */
    READINGS_LAST = 600,    /* readings kept for changes in several places */
    LAST_SHARE = 4,         /* but no more than 1/this of all */
    SECOND_SHARE = 3,       /* 1/this of READINGS_MAX is there for a second fault, in files that may have all of them */
    ODD_MOVED = 600,        /* odd numbers of more weight suggest missing or surplus bytes */
    NUMBERS_ALIKE = 30,     /* scores of one shift at places that cannot be told apart differ by no more */
    PLACES_ALIKE = 64,      /* most bytes between such places */
    JOINED_MAX = 64,
    LIST_REACH = 64,      /* parts of a list on either side at which a change is tried as well */
    EASY_SHIFT = 350,     /* with a score this good, no amounts are tried that nothing asks for */
    JUDGED_LOUD_MAX = 32, /* files of sections: most errors and warnings that one change may explain */
    EASY = 135,           /* with a score this good, no amounts of bytes are tried */
    AMOUNTS_LEAVE = 3     /* amounts that something asks for leave 1/this of the readings */
};

/* ------------------------------------------------------------------ hypotheses that cannot be told apart */

/* Joins `h` into `to` if they are one shift at places that cannot be told apart, or the same patch. False: they are
 * not. */
static bool join(const ll_search *s, ll_hypothesis *to, const ll_hypothesis *h)
{
    if (ll_search_is_same_file(s, to, h) && to->edit.offset == h->edit.offset) {
        to->safe = to->safe || h->safe;
        return true;
    }
    bool moves = h->kind == LL_CAUSE_INSERTED || h->kind == LL_CAUSE_MISSING || h->kind == LL_CAUSE_LOST ||
                 h->kind == LL_CAUSE_ADDED;
    bool shifts = moves && to->kind == h->kind;
    uint32_t apart = h->edit.size + h->edit.removed > PLACES_ALIKE ? h->edit.size + h->edit.removed : PLACES_ALIKE;
    bool equal = h->edit.size == to->edit.size && h->edit.removed == to->edit.removed;
    uint32_t end = to->offset + to->length, behind = h->offset + h->length;
    bool close = (uint64_t)h->offset <= (uint64_t)end + apart && (uint64_t)behind + apart >= to->offset;
    if (!shifts || !equal || !close || h->score > to->score + NUMBERS_ALIKE) {
        return false;
    }
    if (h->unsure || !ll_search_is_same_file(s, to, h)) {
        to->edit.tier = LL_PATCH_NONE;
    }
    end = end > behind ? end : behind;
    to->offset = to->offset < h->offset ? to->offset : h->offset;
    to->length = end - to->offset;
    return true;
}

/* The hypothesis scores about as well at another place. */
static bool is_as_good(ll_search_plan *p, const ll_hypothesis *h, uint32_t at)
{
    ll_search *s = p->s;
    if (h->edit.removed && !ll_fits(at, h->edit.removed, s->size)) {
        return false;
    }
    ll_hypothesis other = {.kind = h->kind, .offset = at, .length = h->edit.removed, .cost = h->cost, .unsure = true};
    s->only_weighed = true;
    const uint32_t score = ll_search_try(s, other, at, h->edit.removed, h->edit.size ? NULL : s->bytes, h->edit.size);
    s->only_weighed = false;
    return score <= h->score + NUMBERS_ALIKE;
}

/* Taking the bytes out at the other place makes the same file. */
static bool is_same_without(const ll_search *s, const ll_hypothesis *h, uint32_t at)
{
    const uint32_t n = h->edit.removed, low = at < h->edit.offset ? at : h->edit.offset,
                   high = at < h->edit.offset ? h->edit.offset : at;
    return n && !h->edit.size && ll_fits(high, n, s->size) &&
           memcmp(s->bytes + low, s->bytes + low + n, high - low) == 0;
}

/* If parts of a list are missing and several places are equally likely, extends the best hypothesis to all of these
 * places. */
static void widen_list(ll_search_plan *p)
{
    ll_hypothesis *best = &p->s->tried.items[0];
    const ll_hypothesis h = *best;
    const ll_search_unit *one = ll_search_unit_at(p, h.offset ? h.offset - 1 : 0, 0);
    one = one ? one : ll_search_unit_at(p, h.offset + h.length, 0);
    one = one && one->counted ? ll_search_unit_at(p, h.offset ? h.offset - 1 : 0, 1) : one;
    uint32_t low = h.offset, high = h.offset + h.length;
    if (!one || one->counted || (h.kind != LL_CAUSE_MISSING && h.kind != LL_CAUSE_LOST) ||
        h.edit.tier != LL_PATCH_NONE) {
        return;
    }
    const uint32_t here = (uint32_t)(one - p->units);
    unsigned tries = 0;
    bool good = true;
    for (uint32_t i = here + 1; i-- > 0 && good && tries < LIST_REACH;) {
        if (p->units[i].list == one->list) {
            good = is_as_good(p, &h, p->units[i].at);
            low = good && p->units[i].at < low ? p->units[i].at : low;
            tries++;
        }
    }
    good = true;
    for (uint32_t i = here; i < p->unit_count && good && tries < 2 * LIST_REACH; i++) {
        if (p->units[i].list == one->list) {
            const uint32_t end = p->units[i].at + p->units[i].size;
            good = is_as_good(p, &h, end);
            high = good && end > high ? end : high;
            tries++;
        }
    }
    best = &p->s->tried.items[0];
    best->edit.tier = low < h.offset || high > h.offset + h.length ? LL_PATCH_NONE : best->edit.tier;
    best->offset = low;
    best->length = high - low;
}

static bool is_tie(const ll_search *s, const ll_hypothesis *best, const ll_hypothesis *h)
{
    return h->kind == best->kind && h->edit.removed == best->edit.removed && h->score <= best->score + NUMBERS_ALIKE &&
           !ll_search_is_same_file(s, best, h);
}

/* Whole elements are there twice or were added, and others may be meant as well: makes the best hypothesis one about
 * all between them. Two places of doubled elements stay apart. */
static void widen_ties(ll_search *s)
{
    ll_hypothesis *best = &s->tried.items[0];
    const bool twice = best->kind == LL_CAUSE_DOUBLED;
    size_t ties = 0, kept = 1;
    for (size_t i = 1; (twice || best->kind == LL_CAUSE_ADDED) && i < s->tried.count; i++) {
        ties += is_tie(s, best, &s->tried.items[i]);
    }
    for (size_t i = 1; ties > twice && i < s->tried.count; i++) {
        const ll_hypothesis *h = &s->tried.items[i];
        if (is_tie(s, best, h)) {
            const uint32_t end = best->offset + best->length, other = h->offset + h->length;
            best->offset = h->offset < best->offset ? h->offset : best->offset;
            best->length = (other > end ? other : end) - best->offset;
        } else {
            s->tried.items[kept++] = *h;
        }
    }
    if (ties > twice) {
        best->edit.tier = LL_PATCH_NONE;
        s->tried.count = kept;
    }
}

/* If bytes were put in or are missing among elements that are alike, makes the best hypothesis one about all elements
 * at which it is as good. */
static void widen(ll_search_plan *p)
{
    ll_search *s = p->s;
    if (!s->tried.count) {
        return;
    }
    ll_hypothesis h = s->tried.items[0];
    const bool moves = h.kind == LL_CAUSE_INSERTED || h.kind == LL_CAUSE_MISSING || h.kind == LL_CAUSE_LOST ||
                       h.kind == LL_CAUSE_ADDED;
    LL_BISECT(behind, p->unit_count, u, p->units[u].at <= h.offset);
    const bool whole = behind && (h.edit.size + h.edit.removed) % p->units[behind - 1].size == 0;
    if (h.edit.size && h.edit.removed) { /* a size is corrected as well */
        return;
    }
    if (!moves || !behind || !p->units[behind - 1].counted || (!whole && s->by_rows)) {
        widen_list(p);
        return;
    }
    const uint16_t layout = p->units[behind - 1].layout;
    uint32_t low = h.offset, high = h.offset + h.length, here = behind - 1;
    for (uint32_t step = 1; here >= step && p->units[here - step].layout == layout; step *= 2) {
        if (!is_as_good(p, &h, p->units[here - step].at)) {
            break;
        }
        low = p->units[here - step].at;
    }
    if (is_as_good(p, &h, p->units[p->head[layout] - 1].at)) {
        low = p->units[p->head[layout] - 1].at;
    }
    for (uint32_t step = 1; here + step < p->unit_count && p->units[here + step].layout == layout; step *= 2) {
        if (!is_as_good(p, &h, p->units[here + step].at)) {
            break;
        }
        high = p->units[here + step].at + p->units[here + step].size;
    }
    const ll_search_unit *last = &p->units[p->tail[layout] - 1];
    if (is_as_good(p, &h, last->at)) {
        high = last->at + last->size;
    }
    if (low < h.offset || high > h.offset + h.length) {
        ll_hypothesis *best = &s->tried.items[0];
        best->offset = low;
        best->length = high - low;
        const bool same =
            is_same_without(s, &h, low) && is_same_without(s, &h, high > h.edit.removed ? high - h.edit.removed : 0);
        best->edit.tier = same ? best->edit.tier : LL_PATCH_NONE;
    } else {
        widen_list(p);
    }
}

static void join_alike(ll_search *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->tried.count; i++) {
        ll_hypothesis h = s->tried.items[i];
        if (h.kind == LL_CAUSE_MISSING || h.kind == LL_CAUSE_LOST) {
            h.length = 0; /* a place, not a stretch */
        }
        bool joined = false;
        for (size_t k = 0; k < kept && !joined && k < JOINED_MAX; k++) {
            joined = join(s, &s->tried.items[k], &h);
        }
        if (!joined) {
            s->tried.items[kept++] = h;
        }
    }
    s->tried.count = kept;
}

/* ------------------------------------------------------------------ the file as it is */

/* All loud leftovers lie in a part of the file that was read by rows of its own. If the reader judges no causes, the
 * first byte of the part has to be right: else the part may stand at another place. */
static bool is_in_part(const ll_search *s)
{
    const ll_doc *doc = &s->weigher.doc;
    bool in = doc->rows_from < doc->rows_to;
    for (size_t i = 0; in && i < s->leftovers.count; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        const bool begins = !doc->by_rows || l->offset > doc->rows_from;
        in = !l->loud || (begins && l->offset >= doc->rows_from && l->offset < doc->rows_to &&
                          (uint64_t)l->offset + l->length <= doc->rows_to);
    }
    return in;
}

/* Finds the field that states the size of the part that was read by rows. The reader finds the value right, so if bytes
 * were put in or taken out there, the field was corrected. */
static void find_size(ll_search_plan *p)
{
    ll_search *s = p->s;
    const ll_format *format = s->weigher.format;
    for (uint32_t i = 0; s->by_rows && !s->weigher.doc.by_rows && i < p->unit_count; i++) {
        const ll_search_unit *u = &p->units[i];
        const bool holds = u->at + format->layouts[u->layout].size == s->weigher.doc.rows_part;
        for (size_t k = 0; holds && k < format->derivation_count; k++) {
            const ll_derivation *row = &format->derivations[k];
            if (row->layout == u->layout && row->how == LL_DERIVE_BYTES && row->which == LL_WHICH_ITSELF) {
                const ll_layout *l = &format->layouts[u->layout];
                s->sized.offset = u->at + l->fields[row->field].offset;
                s->sized.size = l->fields[row->field].bytes;
                s->sized.endian = l->endian;
            }
        }
    }
}

/* Weighs the file as it is and keeps its leftovers. False: no memory. */
static bool weigh_base(ll_search *s)
{
    s->weigher.keep = true;
    s->base = ll_weigh(&s->weigher, &(ll_candidate){.bytes = s->copy.items, .size = s->size});
    s->weigher.keep = false;
    s->notes = s->weigher.notes;
    s->floats = s->weigher.floats;
    s->leftovers.count = 0;
    for (size_t i = 0; i < s->weigher.leftovers.count && s->weigher.status == LL_OK; i++) {
        ll_leftover *l = LL_ARRAY_ADD(&s->leftovers, NULL);
        if (!l) {
            s->weigher.status = LL_E_MEMORY;
            return false;
        }
        *l = s->weigher.leftovers.items[i];
        if (l->patch.tier != LL_PATCH_NONE && l->patch.bytes && l->patch.size) {
            uint8_t *own = ll_search_alloc(s, l->patch.size, 1);
            if (!own) {
                return false;
            }
            memcpy(own, l->patch.bytes, l->patch.size);
            l->patch.bytes = own;
        }
    }
    return s->weigher.status == LL_OK;
}

/* Weighs the file as it is and sets what the search has to know of it. False: no memory. */
static bool read_base(ll_search_plan *p)
{
    ll_search *s = p->s;
    if (!LL_ARRAY_ROOM(&s->copy, s->size ? s->size : 1, NULL)) {
        s->weigher.status = LL_E_MEMORY;
        return false;
    }
    memcpy(s->copy.items, s->bytes, s->size);
    const bool in_part = weigh_base(s) && is_in_part(s);
    s->weigher.only_part = in_part && s->weigher.doc.by_rows;
    if (s->weigher.status != LL_OK || (s->weigher.only_part && !weigh_base(s))) {
        return false;
    }
    p->ends_right = s->weigher.status == LL_OK && ll_search_has_right_end(s);
    const ll_doc *doc = &s->weigher.doc;
    s->rows = s->weigher.format->part_count ? ll_plan_of(&s->weigher.doc) : NULL;
    s->by_rows = doc->by_rows || in_part;
    s->rows_from = in_part ? doc->rows_from : 0;
    s->rows_to = in_part ? doc->rows_to : s->size;
    const uint32_t filled = ll_search_unit_of_end(s);
    s->filled = filled && doc->by_rows && s->size % filled == 0;
    const bool found = s->weigher.status == LL_OK && ll_search_find_units(p);
    if (found) {
        find_size(p);
    }
    return found;
}

/* Bytes that a reading costs. Opaque and unread parts are only copied. */
static uint64_t bytes_read(const ll_doc *doc)
{
    uint64_t bytes = doc->size;
    bool seeks = false; /* at each unread byte the next part of a series is looked for */
    for (size_t i = 0; i < doc->format->part_count; i++) {
        seeks = seeks || doc->format->parts[i].how == LL_PART_SERIES;
    }
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *span = ll_doc_span(doc, i);
        const unsigned kind = ll_doc_layout(doc, i)->kind;
        if (seeks && kind == LL_KIND_UNPARSED) {
            bytes += (uint64_t)span->length * SOUGHT_SHARE;
            continue;
        }
        const bool part =
            span->offset < doc->size &&
            (kind == LL_KIND_UNPARSED || kind == LL_KIND_GAP ||
             (kind == LL_KIND_BYTES && span->index != LL_NO_INDEX && ll_doc_layout(doc, i)->role == LL_ROLE_DATA));
        bytes -= part ? span->length - span->length / COPIED_SHARE : 0;
    }
    return bytes;
}

/* For files of sections, whose reader goes on after what it cannot read: something besides values and a missing end is
 * wrong, and one change may explain it. */
static bool is_beyond_values(const ll_search_plan *p)
{
    unsigned loud = 0;
    bool cut = false;
    for (size_t i = 0; i < p->s->leftovers.count; i++) {
        loud += p->s->leftovers.items[i].loud;
        cut = cut || p->s->leftovers.items[i].kind == LL_READ_CUT;
    }
    return !p->reads && !cut && loud <= JUDGED_LOUD_MAX;
}

/* ------------------------------------------------------------------ the search */

/* Limits the tries that follow: keeps 1/share of the readings left up to `whole`, and a part of the bytes that may be
 * unpacked, for later tries. */
static void leave(ll_search *s, uint32_t whole, unsigned share)
{
    s->most = whole - (whole - s->readings) / share;
    s->most_unpacked = UNPACKED_MAX - UNPACKED_MAX / UNPACKED_LEFT;
}

/* The reader finds nothing but wrong constants, such as padding. */
static bool is_only_padding(const ll_search *s)
{
    bool only = true;
    for (size_t i = 0; i < s->leftovers.count && only; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        only = l->rule != LL_NO_RULE || l->kind == LL_READ_CONSTANT;
    }
    return only;
}

/* Puts the values that the reader found to be stated elsewhere into the copy. Returns their number. */
static unsigned put_stated(ll_search *s, uint32_t size)
{
    unsigned count = 0;
    for (size_t i = 0; i < s->weigher.leftovers.count; i++) {
        const ll_leftover *l = &s->weigher.leftovers.items[i];
        const ll_edit *patch = &l->patch;
        if (l->redundant && l->rule == LL_NO_RULE && patch->tier != LL_PATCH_NONE && !patch->guessed && !patch->order &&
            patch->size == patch->removed && ll_fits(patch->offset, patch->size, size)) {
            memcpy(s->copy.items + patch->offset, patch->bytes ? patch->bytes : l->patch_value, patch->size);
            count++;
        }
    }
    return count;
}

/* If the best change leaves only values that are stated elsewhere, these are faults of their own. Returns the cost of
 * all these changes; UINT32_MAX: they do not explain everything. */
static uint32_t cost_of_others(ll_search *s)
{
    ll_search_sort(s);
    const ll_hypothesis *h = s->tried.count ? &s->tried.items[0] : NULL;
    const uint32_t size = h ? s->size - h->edit.removed + h->edit.size : 0;
    if (!h || h->edit.tier == LL_PATCH_NONE || h->left <= LL_SEARCH_SOUND || s->readings + 2 > s->most ||
        !LL_ARRAY_ROOM(&s->copy, size ? size : 1, NULL)) {
        return UINT32_MAX;
    }
    uint8_t *copy = s->copy.items;
    ll_copy_changed(copy, s->bytes, s->size, &h->edit);
    const ll_candidate c = {.bytes = copy, .size = size};
    s->weigher.keep = true;
    (void)ll_weigh(&s->weigher, &c);
    s->weigher.keep = false;
    const unsigned others = put_stated(s, size);
    s->readings += 2;
    const bool explained = others && ll_search_left(s, ll_weigh(&s->weigher, &c), false) <= LL_SEARCH_SOUND;
    return explained ? h->cost + LL_COST_FIELD * others : UINT32_MAX;
}

/* Tries other byte orders of whole parts, then amounts of bytes that no size or offset suggests, unless the best
 * hypothesis explains the file already. */
static void try_unasked(ll_search_plan *p)
{
    ll_search_sort(p->s);
    if (p->s->best > EASY_SHIFT || !p->s->tried.count || p->s->tried.items[0].left > LL_SEARCH_SOUND) {
        ll_search_try_part_orders(p);
    }
    if (p->s->best > EASY_SHIFT && cost_of_others(p->s) > EASY_SHIFT) {
        ll_search_try_shifts(p);
    }
}

/* Tries what needs the best hypotheses of all others, and sorts and joins the hypotheses. moved: bytes may have
 * moved. */
static void finish(ll_search_plan *p, uint32_t most, bool moved)
{
    ll_search *s = p->s;
    if (moved) {
        s->most = most - LL_SEARCH_OVERWRITTEN;
        ll_search_try_compounds(p);
    }
    s->most = most;
    ll_search_try_overwritten(p);
    ll_search_sort(s);
    ll_search_try_next_counts(p);
    ll_search_sort(s);
    join_alike(s);
    widen(p);
    if (s->tried.count) {
        widen_ties(s);
    }
}

/* Readings that a search may make if `spent` were made before. A small file keeps at least a share of them. */
static uint32_t readings_left(uint32_t all, uint32_t spent)
{
    const uint32_t least = all == READINGS_MAX ? all / SECOND_SHARE : 0;
    return all > spent + least ? all - spent : least;
}

bool ll_search_run(ll_search *s, const ll_ruleset *rules, const ll_searched *what, uint32_t spent)
{
    *s = (ll_search){.bytes = what->bytes, .size = what->size, .untried = UINT32_MAX};
    ll_weigher_init(&s->weigher, rules, what->format, what->name);
    s->weigher.variant = what->variant;
    ll_arena_init(&s->arena, NULL, SIZE_MAX);
    ll_search_plan p = {.s = s};
    if (READ_MAX / ((uint64_t)s->size / COPIED_SHARE + LL_READING_BYTES) < READINGS_LEAST) {
        s->untried = 0;
        return true;
    }
    if (!read_base(&p)) {
        return false;
    }
    s->bytes_read = bytes_read(&s->weigher.doc);
    const uint64_t bound = READ_MAX / (s->bytes_read + LL_READING_BYTES);
    const uint32_t all = bound < READINGS_MAX ? (uint32_t)bound : READINGS_MAX;
    const uint32_t most = readings_left(all, spent);
    const uint32_t last = most / LAST_SHARE < READINGS_LAST ? most / LAST_SHARE : READINGS_LAST;
    s->most = most - last;
    s->most_unpacked = UNPACKED_MAX;
    if (most < READINGS_LEAST) {
        s->untried = 0;
        return true;
    }
    s->best = s->base + 100;
    if (!ll_search_find_firsts(&p)) {
        return true;
    }
    if (!s->by_rows && !is_beyond_values(&p)) {
        ll_search_try_ends(&p);
        ll_search_try_record_orders(&p);
        ll_search_try_field_orders(&p);
        ll_search_sort(s);
        return s->weigher.status == LL_OK;
    }
    /* if the reader finds nothing, and hardly any number is odd, single values are wrong */
    p.padded = is_only_padding(s);
    const bool moved = !p.reads || s->floats + s->weigher.odd > ODD_MOVED;
    ll_search_try_texts(&p);
    ll_search_try_end(&p);
    ll_search_try_values(&p);
    ll_search_try_sizes(&p);
    ll_search_try_terms(&p);
    ll_search_try_choices(&p);
    ll_search_try_kinds(&p);
    ll_search_try_chains(&p);
    ll_search_try_tags(&p);
    ll_search_try_options(&p);
    ll_search_try_counts(&p, true);
    ll_search_try_record_orders(&p);
    const uint32_t whole = s->most;
    if (moved && s->best > EASY) {
        leave(s, whole, AMOUNTS_LEAVE);
        ll_search_try_amounts(&p, p.amounts, p.amount_count);
    }
    leave(s, whole, 2); /* for amounts that nothing asks for */
    ll_search_try_elements(&p);
    ll_search_try_types(&p);
    ll_search_try_field_orders(&p);
    ll_search_try_counts(&p, false);
    s->most = whole;
    s->most_unpacked = UNPACKED_MAX;
    if (moved) {
        try_unasked(&p);
    }
    finish(&p, most, moved);
    return s->weigher.status == LL_OK;
}

void ll_search_free(ll_search *s)
{
    ll_weigher_free(&s->weigher);
    ll_arena_free(&s->arena);
    LL_ARRAY_FREE(&s->copy, NULL);
    LL_ARRAY_FREE(&s->leftovers, NULL);
    LL_ARRAY_FREE(&s->tried, NULL);
}
