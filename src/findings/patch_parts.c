/* Splits a patch into parts: new bytes, and stretches that the file has already, given by offset. A patch that moves a
 * member by megabytes is then one short line. Stretches are found block by block with a rolling hash; the place where
 * the last stretch continued is tried first, so that moved data with a few changed fields stays simple. */
#include "base/array.h"
#include "findings/report.h"

#include <string.h>

enum {
    PRINTED_MAX = 32 << 10, /* bytes of JSON of all parts; a patch that needs more gets no parts */
    WHOLE_MAX = 256,        /* bytes of a patch that is always one part */
    BLOCK = 64,             /* least bytes of a stretch taken from the file */
    COPY_TEXT = 56,         /* most bytes of JSON for such a stretch */
    LITERAL_TEXT = 30       /* bytes of JSON for new bytes, besides two per byte */
};
#define BASE UINT32_C(0x01000193)

typedef LL_ARRAY(ll_patch_part) part_list;

typedef struct seeker {
    const uint8_t *was, *is; /* the bytes that the patch replaces, and those that it writes */
    uint32_t was_size, is_size;
    uint32_t *blocks; /* by hash: 1 + offset of such a block in `was`; 0: none */
    unsigned shift;   /* shift from hash to index of `blocks` */
    uint32_t power;   /* BASE to the power of BLOCK - 1 */
    uint64_t start;   /* offset of `was` in the user's file */
    part_list parts;
    ll_allocator allocator;
    uint64_t text; /* bytes of JSON of the parts */
} seeker;

static uint32_t hash_block(const uint8_t *bytes)
{
    uint32_t hash = 0;
    for (unsigned i = 0; i < BLOCK; i++) {
        hash = hash * BASE + bytes[i];
    }
    return hash;
}

static uint32_t *place_of(const seeker *s, uint32_t hash)
{
    return &s->blocks[hash * UINT32_C(0x9E3779B1) >> s->shift];
}

static bool index_blocks(seeker *s, ll_arena *arena)
{
    uint32_t count = s->was_size / BLOCK;
    unsigned bits = 4;
    while (bits < 31 && UINT32_C(1) << bits < 2 * (uint64_t)count) {
        bits++;
    }
    s->shift = 32 - bits;
    s->blocks = ll_arena_zalloc(arena, (size_t)1 << bits, sizeof *s->blocks);
    for (uint32_t i = count; s->blocks && i-- > 0;) { /* of equal blocks the first one stays */
        *place_of(s, hash_block(s->was + (size_t)i * BLOCK)) = i * BLOCK + 1;
    }
    s->power = 1;
    for (unsigned i = 1; i < BLOCK; i++) {
        s->power *= BASE;
    }
    return s->blocks != NULL;
}

static bool is_block(const seeker *s, int64_t was, uint32_t is)
{
    return was >= 0 && was <= (int64_t)s->was_size - BLOCK && memcmp(s->was + was, s->is + is, BLOCK) == 0;
}

static bool add_part(seeker *s, ll_patch_part part)
{
    if (!part.length) {
        return true;
    }
    ll_patch_part *added = LL_ARRAY_ADD(&s->parts, &s->allocator);
    if (added) {
        *added = part;
    }
    s->text += part.bytes ? LITERAL_TEXT + 2 * part.length : COPY_TEXT;
    return added != NULL;
}

static bool add_literal(seeker *s, uint32_t from, uint32_t to)
{
    return add_part(s, (ll_patch_part){.bytes = s->is + from, .length = to - from});
}

/* Adds the longest stretch around `was` and `is`, after the new bytes from `rest` on. Returns the end of the stretch in
 * the patch; 0: out of memory. */
static uint32_t take_piece(seeker *s, uint32_t was, uint32_t is, uint32_t rest)
{
    while (was && is > rest && s->was[was - 1] == s->is[is - 1]) {
        was--;
        is--;
    }
    uint32_t length = BLOCK;
    while (length < s->was_size - was && length < s->is_size - is && s->was[was + length] == s->is[is + length]) {
        length++;
    }
    ll_patch_part part = {.from = s->start + was, .length = length};
    return add_literal(s, rest, is) && add_part(s, part) ? is + length : 0;
}

static ll_status seek(seeker *s)
{
    uint32_t at = 0, rest = 0;
    int64_t ahead = 0; /* offset in `was` minus offset in `is` of the last stretch */
    uint32_t hash = s->is_size >= BLOCK ? hash_block(s->is) : 0;
    while (s->is_size - at >= BLOCK && s->text <= PRINTED_MAX) {
        int64_t was = (int64_t)at + ahead;
        if (!is_block(s, was, at)) {
            was = (int64_t)*place_of(s, hash) - 1;
        }
        if (is_block(s, was, at)) {
            rest = take_piece(s, (uint32_t)was, at, rest);
            if (!rest) {
                return LL_E_MEMORY;
            }
            ahead = was - (int64_t)at;
            at = rest;
            hash = s->is_size - at >= BLOCK ? hash_block(s->is + at) : 0;
            continue;
        }
        if (s->is_size - at > BLOCK) {
            hash = (hash - s->is[at] * s->power) * BASE + s->is[at + BLOCK];
        }
        at++;
    }
    return add_literal(s, rest, s->is_size) ? LL_OK : LL_E_MEMORY;
}

/* Computes the parts of an entry's patch. scratch: reset first. */
static ll_status describe(ll_report *report, ll_entry *entry, ll_arena *scratch)
{
    const ll_edit *edit = &entry->patch;
    ll_arena *arena = &report->doc.arena;
    seeker s = {.was = report->doc.bytes + edit->offset,
                .is = edit->bytes,
                .was_size = report->doc.regions[0].bytes ? edit->removed : 0,
                .is_size = edit->size,
                .start = (uint64_t)ll_report_start(report) + edit->offset};
    entry->parts = NULL;
    entry->part_count = 0;
    if (edit->tier == LL_PATCH_NONE || !edit->size) {
        return LL_OK;
    }
    ll_arena_reset(scratch);
    s.allocator = ll_arena_allocator(scratch);
    bool whole = edit->size <= WHOLE_MAX;
    ll_status status = whole                       ? add_literal(&s, 0, s.is_size) ? LL_OK : LL_E_MEMORY
                       : index_blocks(&s, scratch) ? seek(&s)
                                                   : LL_E_MEMORY;
    if (status != LL_OK || s.text > PRINTED_MAX) {
        return status;
    }
    ll_patch_part *parts = ll_arena_alloc(arena, s.parts.count, sizeof *parts);
    if (!parts) {
        return LL_E_MEMORY;
    }
    memcpy(parts, s.parts.items, s.parts.count * sizeof *parts);
    entry->parts = parts;
    entry->part_count = (uint32_t)s.parts.count;
    return LL_OK;
}

ll_status ll_report_settle_patches(ll_report *report)
{
    if (report->trying.settled) {
        return LL_OK;
    }
    report->trying.settled = true;
    ll_status status = report->trying.settle && report->entries.count ? report->trying.settle(report) : LL_OK;
    ll_arena scratch;
    ll_arena_init(&scratch, &report->doc.arena.allocator, SIZE_MAX);
    for (uint32_t i = 0; i < report->entries.count && status == LL_OK && report->trying.which == LL_TRY_ALL; i++) {
        status = describe(report, &report->entries.items[i], &scratch);
    }
    ll_arena_free(&scratch);
    return status;
}
