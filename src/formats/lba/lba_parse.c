/* Claims every byte of a file of locators, whose size number and flags decide. Where it is another one, rotations,
 * which have the length 1, tell whether number, flags or the file is wrong. */
#include "formats/lba/lba.h"

#include "base/half.h"
#include "base/ints.h"

#include <math.h>

enum {
    SCALED = 1, /* bits of the flags */
    NAMED = 2,
    SHIFT_MAX = 4096 /* bytes put in or taken out that are looked for */
};

static uint32_t locator_size(uint32_t flags)
{
    return flags & SCALED ? lba_scaled_locator_SIZE : lba_locator_SIZE;
}

static uint64_t size_of(uint64_t count, uint32_t flags)
{
    return lba_header_SIZE + count * (locator_size(flags) + (flags & NAMED ? lba_id_SIZE : 0));
}

/* Locator i, `shift` bytes from where it should be, lies in the file and has a rotation of length 1. */
static bool is_locator(const ll_doc *doc, uint32_t flags, uint64_t i, int64_t shift)
{
    int64_t at = (int64_t)(lba_header_SIZE + i * locator_size(flags)) + shift;
    return at >= lba_header_SIZE && ll_fits((uint64_t)at, locator_size(flags), doc->size) &&
           fabs(ll_sum_of_squares(doc->bytes + at + lba_locator_at_rotation, 4, false) - 1.0) < 0.02;
}

/* What speaks for so many locators: those that are some, less those that are none. */
static int64_t weigh(const ll_doc *doc, uint64_t count, uint32_t flags)
{
    int64_t weight = 0;
    for (uint64_t i = 0; i < count && size_of(i, flags & SCALED) < doc->size; i++) {
        weight += is_locator(doc, flags, i, 0);
    }
    return 2 * weight - (int64_t)count;
}

/* Where the bytes are that the file has too many or too few, as locators behind them stand elsewhere by so many. Whole
 * locators tell nothing. Returns what speaks for it. */
static int64_t find_shift(const ll_doc *doc, uint64_t count, uint32_t flags, ll_shift *out)
{
    int64_t more = (int64_t)doc->size - (int64_t)size_of(count, flags);
    bool told = more <= SHIFT_MAX && more >= -SHIFT_MAX && more % (int64_t)locator_size(flags);
    *out = (ll_shift){.more = more, .from = lba_header_SIZE};
    for (uint64_t i = 0; told && i < count; i++) {
        ll_shift_mark(out, size_of(i, flags & SCALED), locator_size(flags), is_locator(doc, flags, i, 0),
                      is_locator(doc, flags, i, more));
    }
    return weigh(doc, count, flags) + 2 * ll_shift_weight(out);
}

typedef struct numbers {
    uint64_t count;
    uint32_t flags;
    int64_t weight;
} numbers;

static void choose(const ll_doc *doc, uint64_t count, uint32_t flags, numbers *best)
{
    if (size_of(count, flags) == doc->size) {
        int64_t weight = weigh(doc, count, flags);
        *best = weight >= best->weight ? (numbers){count, flags, weight} : *best;
    }
}

/* A field whose value the rest of the file decides, unless bytes may have been put in or taken out instead. */
static void judge(ll_doc *doc, uint32_t header, unsigned field, uint64_t right, const char *what, bool decided)
{
    ll_element record;
    uint64_t stated = right;
    if (ll_element_at(doc, header, 0, &record)) {
        stated = ll_get_uint(&record, field);
    }
    if (stated != right) {
        ll_fault f = LL_MAKE_FAULT(LBA_FAULT_SIZE, 0, ll_at_field(doc, header, 0, field), ll_nowhere(), ll_uint(stated),
                                   ll_uint(right), ll_word(what));
        ll_patch_field(doc, &f, LL_PATCH_UNSAFE, right);
        if (!decided) {
            ll_patch_none(&f);
        }
        ll_raise(doc, &f);
    }
}

/* Returns the ids; LL_NO_SPAN: there are none. */
static uint32_t claim(ll_doc *doc, uint64_t count, uint32_t flags)
{
    uint16_t layout = flags & SCALED ? lba_scaled_locator_LAYOUT : lba_locator_LAYOUT;
    (void)ll_claim_array(doc, LL_NO_SPAN, layout, lba_header_SIZE, (uint32_t)count);
    if (flags & NAMED) {
        uint32_t ids = lba_header_SIZE + (uint32_t)count * locator_size(flags);
        return ll_claim_array(doc, LL_NO_SPAN, lba_id_LAYOUT, ids, (uint32_t)count);
    }
    return LL_NO_SPAN;
}

/* No name has the hash 0. */
static void judge_ids(ll_doc *doc, uint32_t ids, uint64_t count)
{
    ll_element id;
    for (uint32_t i = 0; i < count && ll_element_at(doc, ids, i, &id); i++) {
        bool unnamed = ll_get_uint(&id, lba_id_name_hash) == 0;
        if (unnamed || ll_get_uint(&id, lba_id_dataset_hash) == 0) {
            LL_RAISE(doc, LBA_FAULT_ID_ZERO, 0,
                     ll_at_field(doc, ids, i, unnamed ? lba_id_name_hash : lba_id_dataset_hash),
                     ll_word(unnamed ? "name" : "DataSet"));
        }
    }
}

/* Number and flags are right, and the file has more bytes or fewer: where they were put in or taken out, or at its end.
 */
static void claim_damaged(ll_doc *doc, uint64_t count, uint32_t flags, const ll_shift *shift)
{
    uint64_t right = size_of(count, flags);
    bool within = ll_shift_weight(shift) > 0;
    ll_where place = ll_shift_place(doc, shift), at = within ? place : ll_at_bytes(LL_NO_SPAN, doc->size, 0);
    if (!within && shift->more > 0) {
        (void)claim(doc, count, flags);
        at = ll_claim_gap(doc, LL_NO_SPAN, right, doc->size);
    } else {
        uint64_t end = within ? shift->from : doc->size, whole = (end - lba_header_SIZE) / locator_size(flags);
        whole = whole < count ? whole : count;
        (void)claim(doc, whole, flags & SCALED);
        (void)ll_claim_unparsed(doc, LL_NO_SPAN, size_of(whole, flags & SCALED), doc->size);
        doc->unread = true;
        doc->fatal = true;
    }
    ll_fault fault = LL_MAKE_FAULT(LBA_FAULT_SIZE, 0, at, within ? ll_nowhere() : place, ll_uint(doc->size),
                                   ll_uint(right), ll_word("bytes"));
    if (flags & NAMED) { /* among the ids, hashes all of them, there is nothing to tell the place by */
        ll_patch_none(&fault);
    } else if (within || shift->more > 0) {
        ll_patch_moved(doc, &fault, at, shift->more);
    }
    ll_raise(doc, &fault);
}

/* Number and flags as the header states them or, where the size of the file is against these, as it decides. */
static numbers find_numbers(const ll_doc *doc, uint64_t count, uint32_t flags, ll_shift *shift)
{
    numbers best = {count, flags, 0};
    if (size_of(count, flags) != doc->size) {
        uint32_t known = flags & (SCALED | NAMED);
        best.weight = find_shift(doc, count, flags, shift);
        choose(doc, (doc->size - lba_header_SIZE) / (size_of(1, flags) - lba_header_SIZE), flags, &best);
        for (uint32_t other = flags == known ? known & NAMED : 0; other <= (SCALED | NAMED); other++) {
            choose(doc, count, other, &best);
        }
    }
    return best;
}

bool lba_is_one(const ll_doc *doc)
{
    if (doc->size < lba_header_SIZE) {
        return false;
    }
    ll_shift shift;
    uint32_t count = ll_le32(doc->bytes + lba_header_at_count), flags = ll_le32(doc->bytes + lba_header_at_flags);
    numbers best = find_numbers(doc, count, flags, &shift);
    bool agrees = size_of(count, flags) == doc->size;
    if (doc->size == lba_header_SIZE) { /* no locators: what of the header is as it should be tells */
        return (count == 0) + (flags <= (SCALED | NAMED)) + (ll_le64(doc->bytes + lba_header_at_reserved) == 0) >= 2;
    }
    return agrees ? count == 0 || weigh(doc, count, flags) > 0 : best.weight > 0;
}

void lba_parse(ll_doc *doc)
{
    if (doc->size < lba_header_SIZE) {
        uint32_t all = ll_claim_unparsed(doc, LL_NO_SPAN, 0, doc->size);
        LL_RAISE(doc, LBA_FAULT_SIZE, 0, ll_at_bytes(all, 0, doc->size), ll_uint(doc->size), ll_uint(lba_header_SIZE),
                 ll_word("bytes"));
        return;
    }
    uint32_t header = ll_claim_fixed(doc, LL_NO_SPAN, lba_header_LAYOUT, 0);
    ll_element record;
    if (!ll_element_at(doc, header, 0, &record)) {
        return;
    }
    uint64_t count = ll_get_uint(&record, lba_header_count);
    uint32_t flags = (uint32_t)ll_get_uint(&record, lba_header_flags), known = flags & (SCALED | NAMED);
    ll_shift shift;
    numbers best = find_numbers(doc, count, flags, &shift);
    if (size_of(count, flags) != doc->size) {
        doc->unread = size_of(count, flags) > doc->size; /* the file may be cut */
        if (size_of(best.count, best.flags) != doc->size) {
            claim_damaged(doc, count, flags, &shift);
            return;
        }
        bool decided = ll_shift_weight(&shift) <= 0;
        judge(doc, header, lba_header_count, best.count, "locators", decided);
        if ((best.flags & (SCALED | NAMED)) != known) {
            judge(doc, header, lba_header_flags, best.flags, "as flags", decided);
        }
    }
    uint32_t ids = claim(doc, best.count, best.flags);
    if (ids != LL_NO_SPAN && size_of(count, flags) == doc->size) { /* else other bytes may stand there */
        judge_ids(doc, ids, best.count);
    }
}
