/* Pairs equal items at both ends of the lists first; then items that occur once in each list; then neighbours of pairs;
 * then the rest in order. Never compares all items with all others. */
#include "files/align.h"

#include "base/map.h"

typedef struct lists {
    ll_align_item *items[2];
    uint32_t from, to[2]; /* [from, to): the part between the equal ends */
    ll_sort_key *keys[2];
    uint32_t *chain; /* used by find_moved(): two entries per item of the first list */
    ll_align_like like;
    void *ctx;
} lists;

static bool is_free(const lists *l, unsigned side, uint32_t i)
{
    return l->items[side][i].partner == LL_NO_PARTNER;
}

static bool is_same(const lists *l, uint32_t i, uint32_t k)
{
    const ll_align_item *a = &l->items[0][i];
    const ll_align_item *b = &l->items[1][k];
    return a->key == b->key && a->content == b->content;
}

static void meet(const lists *l, uint32_t i, uint32_t k)
{
    l->items[0][i].partner = k;
    l->items[1][k].partner = i;
}

static void meet_ends(lists *l)
{
    while (l->from < l->to[0] && l->from < l->to[1] && is_same(l, l->from, l->from)) {
        meet(l, l->from, l->from);
        l->from++;
    }
    while (l->from < l->to[0] && l->from < l->to[1] && is_same(l, l->to[0] - 1, l->to[1] - 1)) {
        meet(l, --l->to[0], --l->to[1]);
    }
}

typedef enum by { BY_ALL, BY_KEY, BY_CONTENT } by;

/* Unpaired items of one side, sorted by the hash that `what` selects; equal ones keep their order. */
static const ll_sort_key *sorted(const lists *l, unsigned side, by what, uint32_t *count)
{
    uint32_t n = 0;
    for (uint32_t i = l->from; i < l->to[side]; i++) {
        const ll_align_item *item = &l->items[side][i];
        uint64_t hash = what == BY_KEY       ? item->key
                        : what == BY_CONTENT ? item->content
                                             : ll_map_hash(item->key ^ ll_map_hash(item->content));
        if (is_free(l, side, i) && (what != BY_KEY || item->key)) {
            l->keys[side][n++] = (ll_sort_key){hash, i, i};
        }
    }
    *count = n;
    return ll_sort(l->keys[side], l->keys[side] + (l->to[side] - l->from), n);
}

static uint32_t run_of(const ll_sort_key *keys, uint32_t from, uint32_t n)
{
    uint32_t end = from + 1;
    while (end < n && keys[end].first == keys[from].first) {
        end++;
    }
    return end - from;
}

/* Pairs items with equal hashes, in order. `once`: only hashes that occur once on each side. */
static void meet_equal(const lists *l, by what, bool once)
{
    uint32_t n[2];
    const ll_sort_key *a = sorted(l, 0, what, &n[0]);
    const ll_sort_key *b = sorted(l, 1, what, &n[1]);
    for (uint32_t i = 0, k = 0; i < n[0] && k < n[1];) {
        uint32_t of_a = run_of(a, i, n[0]);
        uint32_t of_b = run_of(b, k, n[1]);
        if (a[i].first == b[k].first && (!once || (of_a == 1 && of_b == 1))) {
            for (uint32_t j = 0; j < of_a && j < of_b; j++) {
                meet(l, a[i + j].item, b[k + j].item);
            }
        }
        uint64_t first = a[i].first;
        i += first <= b[k].first ? of_a : 0;
        k += b[k].first <= first ? of_b : 0;
    }
}

/* Pairs equal items directly after, then directly before, a pair. */
static void meet_beside(const lists *l)
{
    for (uint32_t i = l->from; i + 1 < l->to[0]; i++) {
        uint32_t k = l->items[0][i].partner;
        if (k != LL_NO_PARTNER && k + 1 < l->to[1] && is_free(l, 0, i + 1) && is_free(l, 1, k + 1) &&
            is_same(l, i + 1, k + 1)) {
            meet(l, i + 1, k + 1);
        }
    }
    for (uint32_t i = l->to[0]; i-- > l->from + 1;) {
        uint32_t k = l->items[0][i].partner;
        if (k != LL_NO_PARTNER && k > l->from && is_free(l, 0, i - 1) && is_free(l, 1, k - 1) &&
            is_same(l, i - 1, k - 1)) {
            meet(l, i - 1, k - 1);
        }
    }
}

/* Keeps the longest series of pairs whose partners are in ascending order; marks the other pairs as moved. */
static void find_moved(const lists *l)
{
    uint32_t *last = l->chain; /* by length - 1: the last item of the series of that length whose partner is lowest */
    uint32_t *before = l->chain + (l->to[0] - l->from); /* by item: the one before it in its series */
    uint32_t length = 0;
    for (uint32_t i = l->from; i < l->to[0]; i++) {
        uint32_t partner = l->items[0][i].partner;
        if (partner == LL_NO_PARTNER) {
            continue;
        }
        LL_BISECT(low, length, m, l->items[0][last[m]].partner < partner);
        before[i - l->from] = low ? last[low - 1] : LL_NO_PARTNER;
        last[low] = i;
        length += low == length;
        l->items[0][i].moved = true;
        l->items[1][partner].moved = true;
    }
    for (uint32_t i = length ? last[length - 1] : LL_NO_PARTNER; i != LL_NO_PARTNER; i = before[i - l->from]) {
        l->items[0][i].moved = l->items[1][l->items[0][i].partner].moved = false;
    }
}

static uint32_t next_free(const lists *l, unsigned side, uint32_t i, uint32_t end)
{
    while (i < end && !is_free(l, side, i)) {
        i++;
    }
    return i;
}

static uint32_t count_free(const lists *l, unsigned side, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++) {
        n += is_free(l, side, i);
    }
    return n;
}

/* Pairs unpaired items between two pairs that did not move, where `like` accepts them. */
static void meet_by_place(const lists *l, const uint32_t from[2], const uint32_t to[2])
{
    uint32_t left[2] = {count_free(l, 0, from[0], to[0]), count_free(l, 1, from[1], to[1])};
    bool sure = left[0] == left[1];
    uint32_t at[2] = {next_free(l, 0, from[0], to[0]), next_free(l, 1, from[1], to[1])};
    while (left[0] && left[1]) {
        uint32_t i = at[0];
        uint32_t k = at[1];
        bool like = l->like(l->ctx, l->items[0][i].item, l->items[1][k].item, sure);
        bool first = like || left[0] >= left[1];
        bool second = like || left[1] >= left[0];
        at[0] = first ? next_free(l, 0, i + 1, to[0]) : i;
        at[1] = second ? next_free(l, 1, k + 1, to[1]) : k;
        left[0] -= first;
        left[1] -= second;
        if (like) {
            meet(l, i, k);
        }
    }
}

static void meet_in_gaps(const lists *l)
{
    uint32_t from[2] = {l->from, l->from};
    for (uint32_t i = l->from; i <= l->to[0]; i++) {
        bool end = i == l->to[0];
        if (end || (!is_free(l, 0, i) && !l->items[0][i].moved)) {
            uint32_t to[2] = {i, end ? l->to[1] : l->items[0][i].partner};
            meet_by_place(l, from, to);
            from[0] = i + 1;
            from[1] = to[1] + 1;
        }
    }
}

ll_status ll_align(ll_align_list one, ll_align_list other, ll_arena *arena, ll_align_like like, void *ctx)
{
    lists l = {.items = {one.items, other.items}, .to = {one.count, other.count}, .like = like, .ctx = ctx};
    const ll_allocator allocator = ll_arena_allocator(arena);
    meet_ends(&l);
    uint32_t left[2] = {l.to[0] - l.from, l.to[1] - l.from};
    if (!left[0] || !left[1]) {
        return LL_OK;
    }
    if (left[0] == 1 && left[1] == 1) { /* common case: one field changed */
        const ll_align_item *a = &one.items[l.from], *b = &other.items[l.from];
        if ((a->key && a->key == b->key) || like(ctx, a->item, b->item, true)) {
            meet(&l, l.from, l.from);
        }
        return LL_OK;
    }
    for (unsigned side = 0; side < 2; side++) {
        l.keys[side] = ll_arena_alloc(arena, left[side], 2 * sizeof *l.keys[side]);
    }
    l.chain = ll_arena_alloc(arena, left[0], 2 * sizeof *l.chain);
    bool room = l.keys[0] && l.keys[1] && l.chain;
    if (room) {
        meet_equal(&l, BY_ALL, true);
        meet_beside(&l);
        meet_equal(&l, BY_KEY, false);
        meet_equal(&l, BY_CONTENT, true);
        find_moved(&l);
        meet_in_gaps(&l);
    }
    allocator.release(allocator.ctx, l.keys[0]);
    allocator.release(allocator.ctx, l.keys[1]);
    allocator.release(allocator.ctx, l.chain);
    return room ? LL_OK : LL_E_MEMORY;
}
