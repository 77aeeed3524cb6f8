/* The values of one field over a corpus. Decides which of them are kept when there are too many: those of lowest rank,
 * where small whole numbers come first and all others stand in the order of a hash. So the table is a fair sample of
 * the distinct values, the same one however the files are ordered or spread over threads, and the counts in it are
 * exact. */
#include "report/survey/census.h"

#include "base/half.h"
#include "base/ints.h"
#include "base/sort.h"
#include "rules/quick.h"

enum { FIRST_CAPACITY = 8, SMALL_MAX = 255 };

/* Every bit of the key moves every bit of the result, and no two keys have the same one (the finalizer of splitmix64).
 */
static uint64_t mixed(uint64_t key)
{
    key = (key ^ (key >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94D049BB133111EB);
    return key ^ (key >> 31);
}

static double as_double(const ll_column_def *def, uint64_t bits)
{
    double value = 0;
    if (def->form == LL_COLUMN_NORM) {
        memcpy(&value, &bits, sizeof value);
    } else if (def->type == LL_TYPE_F16) {
        value = ll_half_to_double((uint16_t)bits);
    } else {
        value = ll_single_to_double((uint32_t)bits);
    }
    return value;
}

/* What a reader looks for first: 0, 1, -1, small counts, all ones, infinities, no bytes. These are kept whatever comes.
 */
static bool is_small(const ll_column_def *def, uint64_t key)
{
    if (def->form == LL_COLUMN_TEXT || def->form == LL_COLUMN_PACKED) {
        return key == 0;
    }
    if (!def->exponent) {
        uint64_t ones = UINT64_MAX >> (64U - 8U * def->bytes);
        return key <= SMALL_MAX || key == ones;
    }
    if ((key & def->exponent) == def->exponent) {
        return (key & ~def->sign) == def->exponent;
    }
    double value = as_double(def, key);
    return value >= -SMALL_MAX && value <= SMALL_MAX && value == (double)(int)value;
}

static uint64_t rank_of(const ll_column_def *def, uint64_t key)
{
    uint64_t mix = mixed(key);
    return is_small(def, key) ? mix >> 1 : mix | LL_TOP_BIT;
}

static bool is_kept(const ll_column *column, const ll_column_def *def, uint64_t key)
{
    return ll_column_is_whole(column) || rank_of(def, key) <= column->highest_rank;
}

/* ------------------------------------------------------------------ the table */

static uint32_t find_slot(const ll_seen *slots, uint32_t capacity, uint64_t key)
{
    uint32_t at = (uint32_t)mixed(key) & (capacity - 1);
    while (slots[at].count && slots[at].key != key) {
        at = (at + 1) & (capacity - 1);
    }
    return at;
}

static ll_seen *new_slots(uint32_t capacity, const ll_allocator *allocator)
{
    ll_seen *slots = allocator->alloc(allocator->ctx, capacity * sizeof *slots);
    if (slots) {
        memset(slots, 0, capacity * sizeof *slots);
    }
    return slots;
}

static void release_text(ll_seen *seen, const ll_allocator *allocator)
{
    if (seen->text) {
        allocator->release(allocator->ctx, seen->text);
    }
}

/* Moves what is still to be kept into slots of another number. */
static bool rebuild(ll_column *column, const ll_column_def *def, uint32_t capacity, const ll_allocator *allocator)
{
    ll_seen *slots = new_slots(capacity, allocator);
    if (!slots) {
        return false;
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i < column->capacity; i++) {
        ll_seen *seen = &column->slots[i];
        if (seen->count && is_kept(column, def, seen->key)) {
            slots[find_slot(slots, capacity, seen->key)] = *seen;
            used++;
        } else {
            release_text(seen, allocator);
        }
    }
    if (column->slots) {
        allocator->release(allocator->ctx, column->slots);
    }
    column->slots = slots;
    column->capacity = capacity;
    column->used = used;
    column->last = 0;
    return true;
}

bool ll_column_settle(ll_column *column, const ll_column_def *def, uint32_t limit, const ll_allocator *allocator)
{
    if (column->used <= limit) {
        return true;
    }
    ll_sort_key *keys = allocator->alloc(allocator->ctx, 2 * (size_t)column->used * sizeof *keys);
    if (!keys) {
        return false;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < column->capacity; i++) {
        if (column->slots[i].count) {
            keys[n++] = (ll_sort_key){rank_of(def, column->slots[i].key), 0, i};
        }
    }
    column->highest_rank = ll_sort(keys, keys + column->used, n)[limit - 1].first;
    allocator->release(allocator->ctx, keys);
    return rebuild(column, def, column->capacity, allocator);
}

/* The slot of a value, which the caller fills when it is new; NULL when memory ran out. *kept: false when the value is
 * one of too many. */
static ll_seen *slot_for(ll_column *column, const ll_column_def *def, uint64_t key, uint32_t limit, bool *kept,
                         const ll_allocator *allocator)
{
    *kept = true;
    if (column->capacity) {
        column->last = find_slot(column->slots, column->capacity, key);
        if (column->slots[column->last].count) {
            return &column->slots[column->last];
        }
    }
    *kept = is_kept(column, def, key);
    if (!*kept) {
        return NULL;
    }
    uint64_t room = (uint64_t)limit + limit / 2; /* so that it is cut down seldom */
    if (column->used >= room &&
        (!ll_column_settle(column, def, limit, allocator) || !(*kept = is_kept(column, def, key)))) {
        return NULL;
    }
    if (column->used >= column->capacity / 4 * 3 &&
        !rebuild(column, def, column->capacity ? column->capacity * 2 : FIRST_CAPACITY, allocator)) {
        return NULL;
    }
    column->last = find_slot(column->slots, column->capacity, key);
    return &column->slots[column->last];
}

static bool add(ll_column *column, const ll_column_def *def, uint64_t key, uint64_t count, uint32_t limit,
                const ll_allocator *allocator)
{
    bool kept;
    ll_seen *seen = slot_for(column, def, key, limit, &kept, allocator);
    if (!seen) {
        return !kept;
    }
    column->used += seen->count == 0;
    seen->key = key;
    seen->count += count;
    return true;
}

/* `kept` bytes of `length` are there. */
static bool add_text(ll_column *column, const ll_column_def *def, uint64_t key, uint64_t count, const char *bytes,
                     uint32_t kept_bytes, uint32_t length, uint32_t limit, const ll_allocator *allocator)
{
    bool kept;
    ll_seen *seen = slot_for(column, def, key, limit, &kept, allocator);
    if (!seen) {
        return !kept;
    }
    if (seen->count == 0) {
        ll_seen_text *text = allocator->alloc(allocator->ctx, sizeof *text + kept_bytes);
        if (!text) {
            return false;
        }
        *text = (ll_seen_text){length, kept_bytes};
        memcpy(text->bytes, bytes, kept_bytes);
        *seen = (ll_seen){key, 0, text};
        column->used++;
    }
    seen->count += count;
    return true;
}

void ll_column_free(ll_column *column, const ll_allocator *allocator)
{
    for (uint32_t i = 0; i < column->capacity; i++) {
        release_text(&column->slots[i], allocator);
    }
    if (column->slots) {
        allocator->release(allocator->ctx, column->slots);
    }
    *column = (ll_column){0};
}

/* ------------------------------------------------------------------ counting */

static unsigned width_of(const ll_column_def *def)
{
    return 8U * def->bytes;
}

uint64_t ll_column_unordered(const ll_column_def *def, uint64_t ordered)
{
    uint64_t positive = 0 - (ordered >> 63); /* of what was flipped */
    uint64_t bits = def->flip == UINT64_MAX ? ordered ^ (~positive | LL_TOP_BIT) : ordered ^ def->flip;
    return bits >> (64U - width_of(def));
}

static void widen(ll_column *column, uint64_t low, uint64_t high)
{
    column->low = column->ranged && column->low < low ? column->low : low;
    column->high = column->ranged && column->high > high ? column->high : high;
    column->ranged = true;
}

/* A number that has no value cannot be the least or the greatest. */
static bool classify(ll_column *column, const ll_column_def *def, uint64_t bits)
{
    uint64_t fraction = bits & ~(def->exponent | def->sign);
    if ((bits & def->exponent) == def->exponent) {
        column->nan += fraction != 0;
        column->infinite += fraction == 0;
        return false;
    }
    if (!(bits & def->exponent)) {
        column->denormal += fraction != 0;
        column->negative_zero += fraction == 0 && bits != 0;
    }
    return true;
}

bool ll_column_number(ll_column *column, const ll_column_def *def, uint64_t bits, uint32_t limit,
                      const ll_allocator *allocator)
{
    column->count++;
    if (!def->exponent || classify(column, def, bits)) {
        uint64_t ordered = ll_in_order(bits << (64U - width_of(def)), def->flip);
        widen(column, ordered, ordered);
    }
    if (column->capacity && column->slots[column->last].key == bits && column->slots[column->last].count) {
        column->slots[column->last].count++;
        return true;
    }
    return add(column, def, bits, 1, limit, allocator);
}

bool ll_column_bytes(ll_column *column, const ll_column_def *def, const uint8_t *bytes, uint32_t length, uint32_t limit,
                     const ll_allocator *allocator)
{
    column->count++;
    if (def->form == LL_COLUMN_PACKED) {
        return add(column, def, ll_pack_bytes(bytes, length), 1, limit, allocator);
    }
    uint32_t kept = length < LL_CENSUS_TEXT ? length : LL_CENSUS_TEXT;
    uint64_t key = length ? ll_fnv(LL_FNV_START + length, bytes, length) | 1 : 0;
    return add_text(column, def, key, 1, (const char *)bytes, kept, length, limit, allocator);
}

bool ll_column_merge(ll_column *into, const ll_column *from, const ll_column_def *def, uint32_t limit,
                     const ll_allocator *allocator)
{
    into->count += from->count;
    into->nan += from->nan;
    into->infinite += from->infinite;
    into->denormal += from->denormal;
    into->negative_zero += from->negative_zero;
    if (from->ranged) {
        widen(into, from->low, from->high);
    }
    if (from->highest_rank < into->highest_rank) { /* what the other one dropped may not be kept here */
        into->highest_rank = from->highest_rank;
        if (into->capacity && !rebuild(into, def, into->capacity, allocator)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < from->capacity; i++) {
        const ll_seen *seen = &from->slots[i];
        bool done = true;
        if (seen->count && seen->text) {
            done = add_text(into, def, seen->key, seen->count, seen->text->bytes, seen->text->kept, seen->text->length,
                            limit, allocator);
        } else if (seen->count) {
            done = add(into, def, seen->key, seen->count, limit, allocator);
        }
        if (!done) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ what came of it */

uint64_t ll_column_distinct(const ll_column *column, const ll_column_def *def)
{
    if (ll_column_is_whole(column) || column->highest_rank <= LL_TOP_BIT) {
        return column->used;
    }
    uint64_t sampled = 0;
    for (uint32_t i = 0; i < column->capacity; i++) {
        sampled += column->slots[i].count && rank_of(def, column->slots[i].key) >= LL_TOP_BIT;
    }
    double share = (double)(column->highest_rank - LL_TOP_BIT) / 9223372036854775808.0; /* 2^63 */
    double all = sampled > 1 ? (double)(sampled - 1) / share : 0.0;
    return column->used - sampled + (all > (double)sampled ? (uint64_t)(all + 0.5) : sampled);
}

static int compare_values(const ll_column_def *def, const ll_seen *a, const ll_seen *b)
{
    if (def->form == LL_COLUMN_TEXT) {
        uint32_t both = a->text->kept < b->text->kept ? a->text->kept : b->text->kept;
        int order = both ? memcmp(a->text->bytes, b->text->bytes, both) : 0;
        if (order || a->text->length != b->text->length) {
            return order ? order : (a->text->length < b->text->length ? -1 : 1);
        }
    }
    unsigned spare = 64U - width_of(def);
    uint64_t x = def->form == LL_COLUMN_TEXT ? a->key : ll_in_order(a->key << spare, def->flip);
    uint64_t y = def->form == LL_COLUMN_TEXT ? b->key : ll_in_order(b->key << spare, def->flip);
    return (x > y) - (x < y);
}

static bool comes_first(const ll_column_def *def, const ll_seen *a, const ll_seen *b)
{
    return a->count > b->count || (a->count == b->count && compare_values(def, a, b) < 0);
}

size_t ll_column_frequent(const ll_column *column, const ll_column_def *def, const ll_seen **out, size_t most)
{
    size_t n = 0;
    for (uint32_t i = 0; i < column->capacity; i++) {
        const ll_seen *seen = &column->slots[i];
        if (!seen->count || (n == most && !comes_first(def, seen, out[n - 1]))) {
            continue;
        }
        size_t at = n < most ? n++ : n - 1;
        for (; at > 0 && comes_first(def, seen, out[at - 1]); at--) {
            out[at] = out[at - 1];
        }
        out[at] = seen;
    }
    return n;
}

bool ll_column_bits(const ll_column *column, const ll_column_def *def, uint64_t out[64])
{
    if (def->form != LL_COLUMN_NUMBER || def->exponent || !ll_column_is_whole(column)) {
        return false;
    }
    memset(out, 0, 64 * sizeof *out);
    for (uint32_t i = 0; i < column->capacity; i++) {
        for (unsigned bit = 0; bit < width_of(def); bit++) {
            out[bit] += column->slots[i].key >> bit & 1 ? column->slots[i].count : 0;
        }
    }
    return true;
}
