/* Claims the animation groups of the actors (RAGR). A list of groups begins where an actor's offset leads and ends at a
 * word of 0; actors may share a list or its end. What leads into the middle of a group is a wrong offset, and if one
 * list lies where nobody leads to, that is the one it meant. A group states its size twice; where the two disagree, the
 * one behind which the list goes on is right. A size of 0 looks like the end of the list: what follows it, up to the
 * next list, tells. Trusts no offset, size or count. */
#include "formats/rgm/rgm_parser.h"

enum {
    SIZE_WORD = rgm_group_at_group_index,    /* entry_size counts the bytes behind itself */
    GROUP_REST = rgm_group_SIZE - SIZE_WORD, /* of the fixed part */
    GROUP_HIGHEST = 177,                     /* what the engine takes */
    TYPE_HIGHEST = 2
};

/* What stands at a place of RAGR. */
typedef enum group_state { GROUP_SOUND, GROUP_END, GROUP_MISMATCH, GROUP_OUTSIDE } group_state;

/* A list, for all actors whose offset is the same. */
typedef struct group_list {
    uint32_t first, actors; /* keys[first] and those behind it */
    uint32_t start, end;    /* in the file; the offset leads there or is corrected so */
    bool lost;              /* the offset leads nowhere */
} group_list;

typedef struct group_walk {
    rgm_parser *p;
    rgm_section *section;
    uint32_t start, end; /* of the section */
    uint32_t budget; /* groups that may still be walked over: one for each byte, ten times what a sound file needs */
    const ll_sort_key *keys;
    group_list *lists;
    uint32_t count;
    uint32_t lost;         /* lists that are */
    uint32_t gaps;         /* lists to which no offset leads */
    uint32_t gap, gap_end; /* one of them */
} group_walk;

/* ------------------------------------------------------------------ one group */

static group_state read_group(const group_walk *w, uint32_t pos, uint32_t *next)
{
    const ll_doc *doc = w->p->doc;
    if (!ll_fits(pos, rgm_group_end_SIZE, w->end)) {
        return GROUP_OUTSIDE;
    }
    uint32_t size = rgm_half(doc, pos);
    *next = pos + rgm_group_end_SIZE;
    if (size == 0) {
        return GROUP_END;
    }
    if (!ll_fits(pos, rgm_group_SIZE, w->end)) {
        return GROUP_OUTSIDE;
    }
    if (size != GROUP_REST + rgm_half(doc, pos + rgm_group_at_frame_count) * rgm_command_SIZE) {
        return GROUP_MISMATCH;
    }
    *next = pos + SIZE_WORD + size;
    return ll_fits(pos, SIZE_WORD + size, w->end) ? GROUP_SOUND : GROUP_OUTSIDE;
}

/* A group that the engine takes stands at pos, or the end of a list. */
static bool goes_on(const group_walk *w, uint64_t pos, uint32_t limit)
{
    uint32_t next;
    group_state state = pos < limit ? read_group(w, (uint32_t)pos, &next) : GROUP_OUTSIDE;
    return state == GROUP_END ||
           (state == GROUP_SOUND && rgm_half(w->p->doc, (uint32_t)pos + rgm_group_at_group_index) <= GROUP_HIGHEST);
}

/* Where the list at pos ends, 0: it does not end with a word of 0. */
static uint32_t list_end(group_walk *w, uint32_t pos)
{
    uint32_t next = w->end;
    group_state state = read_group(w, pos, &next);
    for (; state == GROUP_SOUND && w->budget; w->budget--) {
        state = read_group(w, next, &next);
    }
    return state == GROUP_END ? next : 0;
}

/* Steps over groups from a place where one stands, up to `to` or the first place behind it. */
static uint32_t step_to(const group_walk *w, uint32_t pos, uint32_t to)
{
    uint32_t next = w->end;
    while (pos < to && read_group(w, pos, &next) == GROUP_SOUND) {
        pos = next;
    }
    return pos < to ? w->end : pos;
}

/* The word of 0 at pos is the size of a group that was lost, not the end of a list: by the number of its commands,
 * groups follow that fill what is left up to `limit`, which else would be nobody's. A list behind the word that nobody
 * leads to is no such group. */
static bool is_size_lost(group_walk *w, uint32_t pos, uint32_t limit)
{
    const ll_doc *doc = w->p->doc;
    uint32_t next = limit;
    if (!ll_fits(pos, rgm_group_SIZE + rgm_group_end_SIZE, limit) ||
        (read_group(w, pos + rgm_group_end_SIZE, &next) == GROUP_SOUND && list_end(w, next))) {
        return false;
    }
    uint32_t commands = rgm_half(doc, pos + rgm_group_at_frame_count);
    uint64_t behind = (uint64_t)pos + rgm_group_SIZE + (uint64_t)commands * rgm_command_SIZE;
    bool group = commands && rgm_half(doc, pos + rgm_group_at_group_index) <= GROUP_HIGHEST &&
                 rgm_half(doc, pos + rgm_group_at_anim_type) <= TYPE_HIGHEST;
    if (!group || behind > limit) {
        return false;
    }
    uint32_t last = limit - rgm_group_end_SIZE;
    next = step_to(w, (uint32_t)behind, last);
    return next == last ? rgm_half(doc, last) == 0 : next == limit && list_end(w, limit);
}

/* ------------------------------------------------------------------ where the lists lie */

static void raise_offset(const group_walk *w, const group_list *l, uint64_t expected)
{
    uint32_t actor = w->keys[l->first].item;
    ll_fault fault =
        LL_MAKE_FAULT(RGM_FAULT_RAGR_RANGE, RGM_HINT_NONE, rgm_actor_at(w->p->doc, actor, rgm_actor_ragr_offset),
                      rgm_length_at(w->p->doc, w->section), ll_uint(w->keys[l->first].first),
                      ll_uint(w->section->length), ll_uint(expected == UINT64_MAX ? 0 : expected));
    rgm_raise_value(w->p->doc, fault, LL_PATCH_SAFE, l->actors == 1 ? expected : UINT64_MAX);
}

/* Gathers the actors with one offset. */
static void gather_lists(group_walk *w, uint32_t actors)
{
    w->lists = ll_doc_zalloc(w->p->doc, actors ? actors : 1, sizeof *w->lists);
    for (uint32_t i = 0; w->lists && i < actors; i++) {
        if (i == 0 || w->keys[i].first != w->keys[i - 1].first) {
            w->lists[w->count++].first = i;
        }
        w->lists[w->count - 1].actors++;
    }
}

/* A list to which no offset points begins at `from` and covers `offset`, where none of its groups begins: the offset
 * should point to it. */
static bool is_intended(group_walk *w, uint32_t from, uint32_t offset)
{
    return from < offset && list_end(w, from) > offset && step_to(w, from, offset) != offset;
}

/* A list that fills the bytes between two others. */
static void note_gap(group_walk *w, uint32_t from, uint32_t to)
{
    if (from < to && list_end(w, from) == to) {
        w->gaps++;
        w->gap = from;
        w->gap_end = to;
    }
}

/* Decides for each offset, in ascending order, where its list lies. */
static void place_lists(group_walk *w)
{
    uint32_t done = w->start;   /* what is in front of it has been given to a list */
    uint32_t cursor = w->start; /* a group of the last list */
    group_list *last = NULL;
    for (uint32_t i = 0; i < w->count; i++) {
        group_list *l = &w->lists[i];
        uint64_t offset = w->keys[l->first].first;
        uint32_t start = w->start + (uint32_t)offset;
        l->lost = !ll_fits(offset, rgm_group_end_SIZE, w->section->length);
        if (!l->lost && start < done) { /* another list's last groups, or nothing */
            cursor = step_to(w, cursor, start);
            l->lost = !last || cursor != start; /* where the cursor stands then, no group begins before it */
        }
        w->lost += l->lost;
        if (l->lost) {
            continue;
        }
        note_gap(w, done, start);
        if (start < done) {
            last->end = start;
            l->start = start;
            l->end = done;
        } else if (is_intended(w, done, start)) {
            raise_offset(w, l, done - w->start);
            l->start = done;
            l->end = list_end(w, done);
        } else {
            uint64_t next = i + 1 < w->count ? w->start + w->keys[w->lists[i + 1].first].first : w->end;
            uint32_t limit = next < w->end ? (uint32_t)next : w->end;
            l->start = start;
            l->end = list_end(w, start);
            l->end = l->end ? l->end : limit;
            l->end = l->end < limit && is_size_lost(w, l->end - rgm_group_end_SIZE, limit) ? limit : l->end;
        }
        cursor = l->start;
        done = l->end;
        last = l;
    }
    note_gap(w, done, w->end);
    bool found = w->lost == 1 && w->gaps == 1; /* they belong together */
    for (uint32_t i = 0; w->lost && i < w->count; i++) {
        group_list *l = &w->lists[i];
        if (l->lost) {
            raise_offset(w, l, found ? w->gap - w->start : UINT64_MAX);
            l->start = w->gap;
            l->end = w->gap_end;
            l->lost = !found;
        }
    }
}

/* ------------------------------------------------------------------ claims */

static void claim_group(const group_walk *w, uint32_t list, uint32_t pos, uint32_t next, uint32_t index)
{
    uint32_t first = pos + rgm_group_SIZE;
    uint32_t commands = (next - first) / rgm_command_SIZE;
    uint32_t group = ll_claim_record(w->p->doc, list, rgm_group_LAYOUT, pos, next, index);
    ll_claim_array(w->p->doc, group, rgm_command_LAYOUT, first, commands);
}

/* A list begins where the section or another list does or ends. */
static bool is_due(const group_walk *w, uint32_t pos)
{
    bool due = pos == w->start;
    for (uint32_t i = 0; i < w->count && !due; i++) {
        due = w->lists[i].end == pos;
    }
    return due;
}

uint32_t rgm_highest_group(const ll_doc *doc, uint32_t list)
{
    uint32_t highest = 0;
    for (uint32_t i = list + 1; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        if (s->layout == rgm_group_LAYOUT && s->parent == list && !(s->flags & LL_SPAN_BROKEN)) {
            uint32_t number = rgm_half(doc, s->offset + rgm_group_at_group_index);
            highest = number <= GROUP_HIGHEST && number > highest ? number : highest;
        } else if (s->parent == ll_doc_span(doc, list)->parent) {
            break;
        }
    }
    return highest;
}

/* Claims a group whose two sizes disagree and blames the one that does not lead on. Returns where the next group
 * begins, or `limit` when neither leads on. */
static uint32_t correct_group(const group_walk *w, uint32_t list, uint32_t pos, uint32_t limit, uint32_t index)
{
    ll_doc *doc = w->p->doc;
    uint32_t size = rgm_half(doc, pos);
    uint32_t count = rgm_half(doc, pos + rgm_group_at_frame_count);
    uint64_t by_size = (uint64_t)pos + SIZE_WORD + size;
    uint64_t by_count = (uint64_t)pos + rgm_group_SIZE + (uint64_t)count * rgm_command_SIZE;
    bool whole = size >= GROUP_REST && (size - GROUP_REST) % rgm_command_SIZE == 0;
    bool size_right = whole && goes_on(w, by_size, limit);
    bool count_right = !size_right && goes_on(w, by_count, limit);
    uint32_t next = size_right ? (uint32_t)by_size : count_right ? (uint32_t)by_count : limit;
    uint32_t group = doc->span_count;
    if (size_right || count_right) {
        claim_group(w, list, pos, next, index);
    } else {
        (void)ll_claim_broken(doc, list, rgm_group_LAYOUT, pos, next, index);
        ll_claim_unparsed(doc, group, pos + rgm_group_SIZE, next);
    }
    ll_where at[] = {ll_at_field(doc, group, 0, rgm_group_entry_size),
                     ll_at_field(doc, group, 0, rgm_group_frame_count)};
    uint32_t right = size_right ? (size - GROUP_REST) / rgm_command_SIZE : GROUP_REST + count * rgm_command_SIZE;
    ll_fault fault = LL_MAKE_FAULT(RGM_FAULT_RAGR_ENTRY_SIZE, RGM_HINT_NONE, at[size_right], at[!size_right],
                                   ll_uint(size_right ? count : size), ll_uint(right), ll_uint(size), ll_uint(count));
    bool placed = index || is_due(w, pos);
    if (!placed) { /* the list may begin elsewhere */
        ll_patch_none(&fault);
    }
    rgm_raise_value(doc, fault, LL_PATCH_UNSAFE, placed && (size_right || count_right) ? right : UINT64_MAX);
    return next;
}

/* What should be the end of the list is something else, or nothing. */
static void claim_no_end(const group_walk *w, uint32_t list, uint32_t pos, uint32_t end)
{
    ll_doc *doc = w->p->doc;
    bool word = end - pos == rgm_group_end_SIZE;
    uint32_t span = word ? ll_claim_broken(doc, list, rgm_group_end_LAYOUT, pos, end, LL_NO_INDEX)
                         : ll_claim_unparsed(doc, list, pos, end);
    ll_where at =
        word ? ll_at_field(doc, span, 0, rgm_group_end_value) : ll_at_bytes(pos < end ? span : list, pos, end - pos);
    ll_fault fault = LL_MAKE_FAULT(RGM_FAULT_RAGR_TERMINATOR, RGM_HINT_NONE, at, ll_nowhere(), ll_uint(pos),
                                   word ? ll_uint(rgm_half(doc, pos))
                                        : ll_word(pos < end ? "a group that does not end" : "nothing"));
    rgm_raise_value(doc, fault, LL_PATCH_UNSAFE, word ? 0 : UINT64_MAX);
}

static void claim_list(group_walk *w, const group_list *l)
{
    ll_doc *doc = w->p->doc;
    uint32_t pos = l->start;
    bool shares = l->end < w->end && list_end(w, pos); /* a list that ends well where it is cut goes on in another */
    uint32_t list = ll_claim_group(doc, w->section->span, rgm_ragr_list_LAYOUT, pos, l->end, w->keys[l->first].item);
    rgm_actor_info *actors = w->p->summary->actors;
    uint32_t faults = doc->fault_count;
    for (uint32_t i = 0; i < l->actors; i++) {
        actors[w->keys[l->first + i].item].ragr_list = list;
    }
    w->section->records = w->section->records == LL_NO_SPAN ? list : w->section->records;
    for (uint32_t index = 0; doc->status == LL_OK; index++) {
        uint32_t next = l->end;
        group_state state = pos < l->end ? read_group(w, pos, &next) : GROUP_OUTSIDE;
        if (state == GROUP_END && next < l->end && is_size_lost(w, pos, l->end)) {
            state = GROUP_MISMATCH;
        }
        if (state == GROUP_END && next <= l->end) {
            ll_claim_fixed(doc, list, rgm_group_end_LAYOUT, pos);
            uint32_t rest = ll_claim_unparsed(doc, list, pos + rgm_group_end_SIZE, l->end);
            ll_mark_span(doc, rest, doc->fault_count > faults ? LL_SPAN_TOLD : 0); /* of a group in front of it */
            return;
        }
        if (pos == l->end && shares) {
            return;
        }
        if (state == GROUP_SOUND && next <= l->end) {
            claim_group(w, list, pos, next, index);
            pos = next;
        } else if (state == GROUP_MISMATCH && l->end - pos >= rgm_group_SIZE) {
            pos = correct_group(w, list, pos, l->end, index);
            if (pos == l->end) {
                return;
            }
        } else {
            claim_no_end(w, list, pos, l->end);
            return;
        }
    }
}

void rgm_parse_ragr(rgm_parser *p, unsigned ordinal)
{
    rgm_section *section = &p->summary->section[ordinal];
    section->sound = true;
    uint32_t actors;
    group_walk w = {.p = p,
                    .section = section,
                    .start = section->start,
                    .end = section->start + section->length,
                    .budget = section->length};
    w.keys = rgm_sort_actors(p, rgm_actor_at_ragr_offset, NULL,
                             &actors); /* of all: readers walk lists of still actors too */
    gather_lists(&w, actors);
    place_lists(&w);
    uint32_t pos = w.start;
    for (uint32_t i = 0; i < w.count && p->doc->status == LL_OK; i++) {
        const group_list *l = &w.lists[i];
        if (!l->lost && l->start >= pos) {
            ll_claim_bytes(p->doc, section->span, rgm_unreferenced_LAYOUT, pos, l->start);
            claim_list(&w, l);
            pos = l->end;
        }
    }
    ll_claim_bytes(p->doc, section->span, rgm_unreferenced_LAYOUT, pos, w.end);
}

int64_t rgm_lists_excess(rgm_parser *p)
{
    const rgm_section *section = &p->summary->section[RGM_RAGR];
    uint32_t count;
    const ll_sort_key *keys = rgm_sort_actors(p, rgm_actor_at_ragr_offset, NULL, &count);
    group_walk w = {.p = p, .start = section->start, .end = section->start + section->length};
    for (int64_t step = 2; keys && step < 2 * (RGM_SHIFT_MAX + 1); step++) {
        int64_t more = step % 2 ? -(step / 2) : step / 2;
        uint32_t moved = 0;
        uint32_t damaged = 0; /* the list that bytes were put into */
        w.budget = section->length;
        for (uint32_t i = 0; damaged < 2 && i < count; i++) {
            int64_t shifted = (int64_t)keys[i].first + more;
            bool inside = keys[i].first < section->length;
            if (!moved && inside && list_end(&w, w.start + (uint32_t)keys[i].first)) {
                continue;
            }
            bool fits = shifted >= 0 && shifted < section->length && list_end(&w, w.start + (uint32_t)shifted);
            moved += fits;
            damaged += !fits;
        }
        if (damaged < 2 && moved) {
            return more;
        }
    }
    return 0;
}
