/* Where the paths and members of an archive are. The tables state every place, and sizes alone decide it a second time,
 * as everything stands where what is before it ends; the MD5 of a path tells which of the two is right. Where the file
 * has more or fewer bytes than the tables state, it is sought from where on everything is shifted. */
#include "formats/fpk/fpk_walk.h"

#include "base/ints.h"
#include "base/md5.h"

#include <string.h>

static uint32_t path_count(const fpk_walk *w)
{
    return w->entry_count + w->reference_count;
}

static const uint8_t *bytes_at(const fpk_walk *w, uint64_t offset)
{
    return w->doc->bytes + fpk_lay(w, offset);
}

/* Overlapping paths would make hashing them take time without bound. */
static bool spend(fpk_walk *w, uint64_t bytes)
{
    bool may = bytes <= w->hashable;
    w->hashable -= may ? bytes : 0;
    return may;
}

static bool inside(const fpk_walk *w, uint64_t offset, uint64_t length)
{
    return offset >= w->tables_end && ll_fits(offset, length, w->end);
}

/* The stretch is not torn by the place from which everything is shifted. */
static bool whole(const fpk_walk *w, uint64_t offset, uint64_t length)
{
    return inside(w, offset, length) && (offset >= w->shift_from || offset + length <= w->shift_from);
}

bool fpk_is_path(fpk_walk *w, uint32_t entry, uint64_t offset, uint64_t length)
{
    uint8_t md5[LL_MD5_SIZE];
    if (entry >= w->entry_count || !whole(w, offset, length) || !spend(w, length)) {
        return false;
    }
    ll_md5(bytes_at(w, offset), (size_t)length, md5);
    const uint8_t *row = w->doc->bytes + fpk_header_SIZE + (size_t)entry * fpk_entry_SIZE;
    return memcmp(md5, row + fpk_entry_at_path_md5, sizeof md5) == 0;
}

/* Bytes up to the next NUL, or FPK_FAR. */
static uint64_t length_to_nul(fpk_walk *w, uint64_t offset)
{
    if (!inside(w, offset, 1)) {
        return FPK_FAR;
    }
    uint64_t end = offset < w->shift_from && w->shift_from < w->end ? w->shift_from : w->end;
    uint64_t left = end - offset < w->hashable ? end - offset : w->hashable;
    const uint8_t *from = bytes_at(w, offset);
    const uint8_t *nul = left ? memchr(from, 0, (size_t)left) : NULL;
    (void)spend(w, nul ? (uint64_t)(nul - from) : left);
    return nul ? (uint64_t)(nul - from) : FPK_FAR;
}

/* A text of that length between two NULs, or behind the tables. */
static bool is_framed(fpk_walk *w, uint64_t offset, uint64_t length)
{
    bool begins = inside(w, offset, 1) && (offset == w->tables_end || *bytes_at(w, offset - 1) == 0);
    return begins && length_to_nul(w, offset) == length;
}

/* ------------------------------------------------------------------ bytes put in or taken out */

/* What shows that a piece stands there: the MD5 or the NULs of a path; what a member begins with, or padding in front
 * of it. */
static bool stands_at(fpk_walk *w, uint32_t i, uint64_t offset)
{
    uint32_t n = path_count(w);
    if (i < n) {
        uint64_t length = w->paths[i].length;
        return i < w->entry_count ? fpk_is_path(w, i, offset, length) : is_framed(w, offset, length);
    }
    const fpk_piece *m = &w->members[i - n];
    if (offset >= w->doc->size || m->length == 0) {
        return false;
    }
    const uint8_t *at = w->doc->bytes + offset;
    const ll_format *format = ll_format_choose(at, w->doc->size - (size_t)offset, NULL);
    if (format && format->probe(at, w->doc->size - (size_t)offset) == LL_PROBE_SURE) {
        return true;
    }
    uint64_t before = i > n ? m[-1].length % FPK_UNIT : 0, pad = before ? FPK_UNIT - before : 0;
    bool zero = pad > 0 && offset >= pad && *at != 0;
    for (uint64_t k = 1; zero && k <= pad; k++) {
        zero = at[-(int64_t)k] == 0;
    }
    return zero;
}

static fpk_piece *piece_at(const fpk_walk *w, uint32_t i)
{
    uint32_t n = path_count(w);
    return i < n ? &w->paths[i] : &w->members[i - n];
}

static void raise_shift(fpk_walk *w, uint32_t first, uint32_t last)
{
    ll_doc *doc = w->doc;
    uint32_t n = path_count(w), owner = first ? first - 1 : 0;
    uint32_t from = first ? (uint32_t)piece_at(w, owner)->offset : w->tables_end;
    uint32_t to = fpk_lay(w, piece_at(w, last)->offset);
    ll_where at = ll_at_bytes(LL_NO_SPAN, from, to > from ? to - from : 0);
    if (w->shift_by > 0) {
        LL_RAISE(doc, FPK_FAULT_UNOWNED, 0, at, ll_uint((uint64_t)w->shift_by));
    } else {
        LL_RAISE(doc, owner < n ? FPK_FAULT_STRING_RANGE : FPK_FAULT_DATA_RANGE, 0, at,
                 ll_uint(to > from ? to - from : 0), ll_uint(piece_at(w, last)->offset - from));
    }
    w->end_told = true;
    w->torn = first ? piece_at(w, owner) : NULL;
    for (uint32_t i = owner; first && i < last; i++) {
        piece_at(w, i)->broken = piece_at(w, i)->told = true;
    }
}

/* Bytes that were put in or taken out shift everything behind them. The shift is that of the end of the file; it begins
 * where more pieces stand at their places before it and shifted behind it than without. */
static void find_shift(fpk_walk *w)
{
    uint32_t n = path_count(w) + w->entry_count;
    int64_t by = (int64_t)w->doc->size - (int64_t)w->computed;
    uint64_t score = 0, unshifted = 0;
    if (by == 0 || w->computed >= FPK_FAR || n == 0) {
        return;
    }
    uint8_t *stands = ll_doc_zalloc(w->doc, n, 1);
    for (uint32_t i = 0; stands && i < n; i++) {
        uint64_t offset = piece_at(w, i)->offset;
        bool rises = i == 0 || offset >= piece_at(w, i - 1)->offset;
        if (!rises || offset >= FPK_FAR) {
            return;
        }
        bool here = stands_at(w, i, offset), there = (int64_t)offset + by > 0 && stands_at(w, i, offset + (uint64_t)by);
        stands[i] = (uint8_t)((here ? 1 : 0) | (there ? 2 : 0));
        score += there;
        unshifted += here;
    }
    uint64_t best = score;
    uint32_t first = 0, last = 0;
    for (uint32_t i = 0; stands && i < n; i++) {
        score += (stands[i] & 1U) - (uint64_t)(stands[i] >> 1);
        if (score > best) {
            best = score;
            first = last = i + 1;
        } else if (score == best && last == i) {
            last = i + 1;
        }
    }
    if (stands && best > unshifted && last < n) {
        w->shift_from = piece_at(w, first)->offset;
        w->shift_by = by;
        w->end = w->computed;
        raise_shift(w, first, last);
    }
}

/* ------------------------------------------------------------------ paths */

/* A place that is wrong in the tables, at the field that states it. */
static void blame(fpk_walk *w, fpk_piece *p, unsigned fault, ll_where at, uint64_t right, const char *what)
{
    uint64_t stated = ll_get_uint(w->doc, at.span, at.element, at.field);
    if (!p->told) {
        LL_RAISE(w->doc, fault, 0, at, ll_uint(stated),
                 right < FPK_FAR ? ll_uint(right) : ll_word("a place in the file"), ll_word(what));
    }
    p->told = true;
}

static void blame_path(fpk_walk *w, uint32_t i)
{
    fpk_piece *p = &w->paths[i];
    uint32_t element = 0;
    unsigned field = 0;
    uint32_t row = fpk_row(w, i, &element, &field);
    bool out = !inside(w, p->offset, p->length);
    ll_where offset = ll_at_field(w->doc, row, element, field), length = ll_at_field(w->doc, row, element, field + 1);
    if (!p->placed) {
        if (!w->cut || !w->end_told) {
            blame(w, p, FPK_FAULT_STRING_RANGE, offset, FPK_FAR, "");
        }
        w->doc->unread = true;
        w->lost = true;
        w->end_told = w->end_told || w->cut;
    } else if (p->at != p->offset) {
        blame(w, p, out ? FPK_FAULT_STRING_RANGE : FPK_FAULT_OVERLAP, offset, p->at, "");
    } else if (p->size != p->length) {
        blame(w, p, out ? FPK_FAULT_STRING_RANGE : FPK_FAULT_STRING_TERMINATOR, length, p->size, "length");
    }
}

/* Where a path is: as stated, or behind the one before it, and as long as stated, or up to a NUL; by its MD5, else by
 * the NULs around it. */
static void place_path(fpk_walk *w, uint32_t i, uint64_t expected)
{
    fpk_piece *p = &w->paths[i];
    const uint64_t offsets[] = {p->offset, expected, p->offset, expected};
    enum { CHOICES = 4 };
    uint64_t lengths[CHOICES] = {p->length, p->length};
    unsigned chosen = CHOICES;
    for (unsigned c = 0; c < CHOICES && chosen == CHOICES; c++) {
        lengths[c] = c < 2 ? p->length : length_to_nul(w, offsets[c]);
        chosen = fpk_is_path(w, i, offsets[c], lengths[c]) ? c : chosen;
    }
    p->named = chosen < CHOICES;
    for (unsigned c = 0; c < CHOICES && chosen == CHOICES; c++) {
        chosen = is_framed(w, offsets[c], lengths[c]) ? c : chosen;
    }
    for (unsigned c = 0; c < CHOICES && chosen == CHOICES; c++) {
        chosen = whole(w, offsets[c], lengths[c]) ? c : chosen;
    }
    p->placed = chosen < CHOICES;
    if (p->placed) {
        p->at = (uint32_t)offsets[chosen];
        p->size = (uint32_t)lengths[chosen];
    }
    blame_path(w, i);
}

static void place_paths(fpk_walk *w)
{
    uint64_t expected = w->tables_end;
    bool ordered = true;
    for (uint32_t i = 0; i < path_count(w) && w->doc->status == LL_OK; i++) {
        fpk_piece *p = &w->paths[i];
        if (p->broken) { /* what tears it was told */
            p->placed = true;
            p->at = (uint32_t)p->offset;
            p->size = (uint32_t)p->length;
            expected = p->offset + p->length + 1;
            continue;
        }
        place_path(w, i, expected);
        if (p->placed && p->at != expected && ordered && !p->told) {
            uint32_t element = 0;
            unsigned field = 0;
            uint32_t row = fpk_row(w, i, &element, &field);
            LL_RAISE(w->doc, FPK_FAULT_STRING_ORDER, 0, ll_at_field(w->doc, row, element, field), ll_uint(p->at),
                     ll_uint(expected));
            ordered = false;
        }
        expected = p->placed ? (uint64_t)p->at + p->size + 1 : expected + p->length + 1;
    }
}

/* ------------------------------------------------------------------ members */

/* The end of all paths, padded: where the first member stands. */
static uint64_t first_member(const fpk_walk *w)
{
    uint64_t end = w->tables_end;
    for (uint32_t i = 0; i < path_count(w); i++) {
        const fpk_piece *p = &w->paths[i];
        uint64_t past = p->placed ? (uint64_t)p->at + p->size + 1 : end + p->length + 1;
        end = past > end ? past : end;
    }
    return ll_align_up(end, FPK_UNIT);
}

static void blame_member(fpk_walk *w, uint32_t i, unsigned field, uint64_t right)
{
    fpk_piece *m = &w->members[i];
    bool out = !ll_fits(m->offset, m->length, w->end);
    bool skewed = field == fpk_entry_data_offset && m->offset % FPK_UNIT;
    blame(w, m,
          out      ? FPK_FAULT_DATA_RANGE
          : skewed ? FPK_FAULT_DATA_ALIGN
                   : FPK_FAULT_OVERLAP,
          ll_at_field(w->doc, w->entries, i, field), right, "");
}

/* Do the members lie in the file, aligned, and share no byte? */
static bool members_are_tidy(fpk_walk *w)
{
    uint32_t n = w->entry_count;
    ll_sort_key *keys = ll_doc_alloc(w->doc, n, 2 * sizeof *keys);
    uint64_t end = first_member(w);
    for (uint32_t i = 0; keys && i < n; i++) {
        const fpk_piece *m = &w->members[i];
        if (!ll_fits(m->offset, m->length, w->end) || m->offset % FPK_UNIT) {
            return false;
        }
        keys[i] = (ll_sort_key){m->offset, (uint32_t)m->length, i};
    }
    const ll_sort_key *sorted = keys ? ll_sort(keys, keys + n, n) : NULL;
    for (uint32_t i = 0; sorted && i < n; i++) {
        if (sorted[i].first < end) {
            return false;
        }
        end = sorted[i].first + sorted[i].second;
    }
    return sorted != NULL;
}

/* A member at a place, with the bytes of it that the file has. */
static void put_member(fpk_walk *w, fpk_piece *m, uint64_t at, uint64_t size)
{
    m->placed = at < w->end;
    m->at = m->placed ? (uint32_t)at : 0;
    m->size = !m->placed ? 0 : (uint32_t)(size < w->end - at ? size : w->end - at);
    m->broken = m->broken || m->size < m->length;
}

/* Each member as it is stated. Of a file that is cut, the first one that goes beyond the end is told. */
static void believe_members(fpk_walk *w)
{
    uint64_t expected = first_member(w);
    bool ordered = !w->cut;
    for (uint32_t i = 0; i < w->entry_count; i++) {
        fpk_piece *m = &w->members[i];
        put_member(w, m, m->offset, m->length);
        if (!ll_fits(m->offset, m->length, w->end)) {
            if (!w->end_told) {
                blame_member(w, i, fpk_entry_data_size, m->offset < w->end ? w->end - m->offset : 0);
            }
            w->end_told = w->doc->unread = m->told = true;
        } else if (ordered && m->offset < expected) {
            LL_RAISE(w->doc, FPK_FAULT_DATA_ORDER, 0, ll_at_field(w->doc, w->entries, i, fpk_entry_data_offset),
                     ll_uint(m->offset), ll_uint(expected));
            ordered = false;
        }
        expected = ll_align_up(m->offset + m->length, FPK_UNIT);
    }
}

/* The size of a member does not lead to what stands behind it. */
static void limit_member(fpk_walk *w, uint32_t i, uint64_t next)
{
    fpk_piece *m = &w->members[i];
    uint64_t room = next > m->at ? next - m->at : 0;
    if (m->placed && m->length > room) {
        blame_member(w, i, fpk_entry_data_size, room);
        put_member(w, m, m->at, room);
    }
}

static int64_t offset_of(const fpk_walk *w, uint32_t i)
{
    return (int64_t)(i < w->entry_count ? w->members[i].offset : w->end);
}

/* How far each member is from where the sizes put it tells which number is wrong: of a wrong offset the next one knows
 * nothing, a wrong size moves all that follow, up to the end of the file. */
static void weigh_members(fpk_walk *w)
{
    int64_t pos = (int64_t)first_member(w), end = pos, base = 0, blamed = 0;
    for (uint32_t i = 0; i < w->entry_count; i++) {
        end += (int64_t)ll_align_up(w->members[i].length, FPK_UNIT);
    }
    int64_t at_end = offset_of(w, w->entry_count) - end;
    for (uint32_t i = 0; i < w->entry_count; i++) {
        fpk_piece *m = &w->members[i];
        int64_t off = (int64_t)m->offset - pos, behind = pos + (int64_t)ll_align_up(m->length, FPK_UNIT);
        bool lasts = at_end == off || offset_of(w, i + 1) - behind == off;
        if (off != base && at_end != base && lasts && m->offset < w->end) {
            if (i > 0) {
                limit_member(w, i - 1, m->offset);
            }
            base = off;
        } else if (off != base) {
            m->told = off == blamed;
            blamed = off;
            blame_member(w, i, fpk_entry_data_offset, (uint64_t)(pos + base));
        }
        put_member(w, m, (uint64_t)(pos + base), m->length);
        pos = behind;
    }
    limit_member(w, w->entry_count - 1, w->end);
}

/* ------------------------------------------------------------------ all of it */

/* Where paths, then members, end if each stands where the one before ends, or FPK_FAR where the offsets say otherwise.
 */
static uint64_t chained_end(const fpk_walk *w)
{
    uint64_t end = w->tables_end;
    for (uint32_t i = 0; i < path_count(w) + w->entry_count; i++) {
        const fpk_piece *p = piece_at(w, i);
        bool member = i >= path_count(w);
        if (p->offset != ll_align_up(end, member ? FPK_UNIT : 1)) {
            return FPK_FAR;
        }
        end = p->offset + p->length + !member;
    }
    return end;
}

void fpk_find_places(fpk_walk *w)
{
    uint32_t n = path_count(w), last = n + w->entry_count;
    uint64_t stated = ll_get_uint(w->doc, w->header, 0, fpk_header_file_size);
    const fpk_piece *p = last ? piece_at(w, last - 1) : NULL;
    uint64_t need = !p ? w->tables_end : p->offset + p->length + (w->entry_count == 0);
    w->computed = ll_align_up(need, FPK_UNIT);
    w->cut = need > w->doc->size && (stated == w->computed || chained_end(w) == need);
    find_shift(w);
    w->cut = w->cut && !w->shift_by;
    place_paths(w);
    if (w->entry_count && w->doc->status == LL_OK) {
        if (w->cut || members_are_tidy(w)) {
            believe_members(w);
        } else {
            weigh_members(w);
        }
    }
}
