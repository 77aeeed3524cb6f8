/* Counts the values of one field over a corpus. If there are too many, keeps those of lowest rank: small whole numbers
 * first, all others in the order of a hash. So the table is a fair sample of the distinct values, independent of the
 * order of files and threads, and its counts are exact. */
#include "survey/census_column.h"

#include "base/half.h"
#include "base/ints.h"
#include "base/sort.h"
#include "base/text.h"
#include "rules/key.h"

enum { SMALL_MAX = 255 };

/* A bijection that spreads every bit of the key over the result (the finalizer of splitmix64). */
static uint64_t mixed(uint64_t key)
{
    key = (key ^ (key >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94D049BB133111EB);
    return key ^ (key >> 31);
}

double ll_column_value(const ll_column_def *def, uint64_t bits)
{
    double value = 0;
    if (def->form == LL_COLUMN_NORM) {
        memcpy(&value, &bits, sizeof value);
    } else if (def->exponent) {
        value = def->type == LL_TYPE_F16 ? ll_half_to_double((uint16_t)bits) : ll_single_to_double((uint32_t)bits);
    } else if (ll_type_is_signed(def->type) && def->bytes < 8) {
        value = (double)(int64_t)(bits ^ UINT64_C(1) << (8U * def->bytes - 1)) -
                (double)(UINT64_C(1) << (8U * def->bytes - 1));
    } else {
        value = ll_type_is_signed(def->type) ? (double)(int64_t)bits : (double)bits;
    }
    return value;
}

/* Values always kept, as readers look for them first: 0, 1, -1, small counts, all ones, infinities, empty texts. */
static bool is_small(const ll_column_def *def, uint64_t key)
{
    if (def->form == LL_COLUMN_TEXT) {
        return key == 0;
    }
    if (!def->exponent) {
        uint64_t ones = UINT64_MAX >> (64U - 8U * def->bytes);
        return key <= SMALL_MAX || key == ones;
    }
    if ((key & def->exponent) == def->exponent) {
        return (key & ~def->sign) == def->exponent;
    }
    double value = ll_column_value(def, key);
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

static ll_map_key sought_key(const ll_column *column, uint64_t key)
{
    return (ll_map_key){column->seen.items, sizeof *column->seen.items, key};
}

static void release_text(const ll_seen *seen, const ll_column_store *store)
{
    if (seen->text) {
        store->allocator.release(store->allocator.ctx, seen->text);
    }
}

/* Drops values above the highest rank. */
static void drop_high_ranks(ll_column *column, const ll_column_def *def, const ll_column_store *store)
{
    size_t kept = 0;
    for (size_t i = 0; i < column->seen.count; i++) {
        const ll_seen *seen = &column->seen.items[i];
        if (is_kept(column, def, seen->key)) {
            column->seen.items[kept++] = *seen;
        } else {
            release_text(seen, store);
        }
    }
    column->seen.count = kept;
    column->last = 0;
    ll_map_clear(&column->by_key);
    for (uint32_t i = 0; i < kept; i++) {
        ll_map_key sought = sought_key(column, column->seen.items[i].key);
        (void)ll_map_note(&column->by_key, ll_map_hash(sought.key), i, ll_map_has_key, &sought);
    }
}

bool ll_column_cut(ll_column *column, const ll_column_def *def, const ll_column_store *store)
{
    uint32_t n = (uint32_t)column->seen.count;
    if (n <= store->limit) {
        return true;
    }
    ll_sort_key *keys = store->allocator.alloc(store->allocator.ctx, 2 * (size_t)n * sizeof *keys);
    if (!keys) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (ll_sort_key){rank_of(def, column->seen.items[i].key), 0, i};
    }
    column->highest_rank = ll_sort(keys, keys + n, n)[store->limit - 1].first;
    store->allocator.release(store->allocator.ctx, keys);
    drop_high_ranks(column, def, store);
    return true;
}

/* Adds a value that is not in the table. bytes: the kept part of a text. */
static bool add_new(ll_column *column, const ll_column_def *def, const ll_seen *value, const char *bytes,
                    const ll_column_store *store)
{
    uint64_t most = (uint64_t)store->limit + store->limit / 2; /* some slack, so that cutting is rare */
    if (column->seen.count >= most && !ll_column_cut(column, def, store)) {
        return false;
    }
    if (!is_kept(column, def, value->key)) {
        return true;
    }
    uint32_t next = (uint32_t)column->seen.count;
    bool room = LL_ARRAY_ROOM(&column->seen, 1, &store->allocator);
    ll_map_key sought = sought_key(column, value->key);
    if (!room || !ll_map_room(&column->by_key, next, ll_map_key_hash, &sought, &store->allocator)) {
        return false;
    }
    ll_seen_text *text = NULL;
    if (value->text) {
        text = store->allocator.alloc(store->allocator.ctx, sizeof *text + value->text->kept);
        if (!text) {
            return false;
        }
        *text = *value->text;
        memcpy(text->bytes, bytes, text->kept);
    }
    column->last = next;
    column->seen.count++;
    column->seen.items[next] = (ll_seen){value->key, value->count, text};
    (void)ll_map_note(&column->by_key, ll_map_hash(value->key), next, ll_map_has_key, &sought);
    return true;
}

bool ll_column_put(ll_column *column, const ll_column_def *def, const ll_seen *value, const char *bytes,
                   const ll_column_store *store)
{
    ll_map_key sought = sought_key(column, value->key);
    uint32_t at = ll_map_find(&column->by_key, ll_map_hash(value->key), ll_map_has_key, &sought);
    if (at == LL_MAP_NONE) {
        return !is_kept(column, def, value->key) || add_new(column, def, value, bytes, store);
    }
    column->last = at;
    column->seen.items[at].count += value->count;
    return true;
}

void ll_column_free(ll_column *column, const ll_column_store *store)
{
    for (size_t i = 0; i < column->seen.count; i++) {
        release_text(&column->seen.items[i], store);
    }
    LL_ARRAY_FREE(&column->seen, &store->allocator);
    ll_map_free(&column->by_key, &store->allocator);
    *column = (ll_column){.highest_rank = UINT64_MAX};
}

/* ------------------------------------------------------------------ counting */

static unsigned width_of(const ll_column_def *def)
{
    return 8U * def->bytes;
}

uint64_t ll_column_unordered(const ll_column_def *def, uint64_t ordered)
{
    uint64_t positive = 0 - (ordered >> 63); /* all ones if the ordered number came from a positive one */
    uint64_t bits = def->flip == UINT64_MAX ? ordered ^ (~positive | LL_TOP_BIT) : ordered ^ def->flip;
    return bits >> (64U - width_of(def));
}

static void widen(ll_column *column, uint64_t low, uint64_t high)
{
    column->low = column->ranged && column->low < low ? column->low : low;
    column->high = column->ranged && column->high > high ? column->high : high;
    column->ranged = true;
}

/* Counts special values. False: NaN or infinity, which cannot be least or greatest. */
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

bool ll_column_number(ll_column *column, const ll_column_def *def, uint64_t bits, const ll_column_store *store)
{
    column->count++;
    if (!def->exponent || classify(column, def, bits)) {
        uint64_t ordered = ll_in_order(bits << (64U - width_of(def)), def->flip);
        widen(column, ordered, ordered);
    }
    if (column->seen.count && column->seen.items[column->last].key == bits) {
        column->seen.items[column->last].count++;
        return true;
    }
    return ll_column_put(column, def, &(ll_seen){bits, 1, NULL}, NULL, store);
}

bool ll_column_bytes(ll_column *column, const ll_column_def *def, const uint8_t *bytes, uint32_t length,
                     const ll_column_store *store)
{
    column->count++;
    ll_seen_text text = {length, length < LL_CENSUS_TEXT ? length : LL_CENSUS_TEXT};
    uint64_t key = length ? ll_fnv(LL_FNV_START + length, bytes, length) | 1 : 0;
    return ll_column_put(column, def, &(ll_seen){key, 1, &text}, (const char *)bytes, store);
}

bool ll_column_merge(ll_column *into, const ll_column *from, const ll_column_def *def, const ll_column_store *store)
{
    into->count += from->count;
    into->nan += from->nan;
    into->infinite += from->infinite;
    into->denormal += from->denormal;
    into->negative_zero += from->negative_zero;
    if (from->ranged) {
        widen(into, from->low, from->high);
    }
    bool done = true;
    if (from->highest_rank < into->highest_rank) { /* values that the other one dropped cannot be kept here */
        into->highest_rank = from->highest_rank;
        drop_high_ranks(into, def, store);
    }
    for (size_t i = 0; i < from->seen.count && done; i++) {
        const ll_seen *seen = &from->seen.items[i];
        done = ll_column_put(into, def, seen, seen->text ? seen->text->bytes : NULL, store);
    }
    return done;
}

/* ------------------------------------------------------------------ results */

uint64_t ll_column_sampled(const ll_column *column)
{
    uint64_t sampled = 0;
    for (size_t i = 0; i < column->seen.count; i++) {
        sampled += column->seen.items[i].count;
    }
    return sampled;
}

uint64_t ll_column_distinct(const ll_column *column, const ll_column_def *def)
{
    size_t used = column->seen.count;
    if (ll_column_is_whole(column) || column->highest_rank <= LL_TOP_BIT) {
        return used;
    }
    uint64_t sampled = 0;
    for (size_t i = 0; i < used; i++) {
        sampled += rank_of(def, column->seen.items[i].key) >= LL_TOP_BIT;
    }
    double share = (double)(column->highest_rank - LL_TOP_BIT) / 9223372036854775808.0; /* 2^63 */
    double all = sampled > 1 ? (double)(sampled - 1) / share : 0.0;
    return used - sampled + (all > (double)sampled ? (uint64_t)(all + 0.5) : sampled);
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
    for (size_t i = 0; i < column->seen.count; i++) {
        const ll_seen *seen = &column->seen.items[i];
        if (n == most && !comes_first(def, seen, out[n - 1])) {
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
    for (size_t i = 0; i < column->seen.count; i++) {
        for (unsigned bit = 0; bit < width_of(def); bit++) {
            out[bit] += column->seen.items[i].key >> bit & 1 ? column->seen.items[i].count : 0;
        }
    }
    return true;
}
