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
    return offset >= w->tables_end && ll_fits(offset, length, w->end) &&
           ll_fits(fpk_lay(w, offset), length, w->doc->size);
}

/* The stretch is not torn by the place from which everything is shifted. */
static bool whole(const fpk_walk *w, uint64_t offset, uint64_t length)
{
    return inside(w, offset, length) && (offset >= w->shift_from || offset + length <= w->shift_from);
}

/* Bytes up to the next NUL, or FPK_FAR. */
static uint64_t length_to_nul(fpk_walk *w, uint64_t offset)
{
    if (!inside(w, offset, 1)) {
        return FPK_FAR;
    }
    uint64_t end = offset < w->shift_from && w->shift_from < w->end ? w->shift_from : w->end;
    uint64_t left = end - offset < w->hashable ? end - offset : w->hashable;
    left = left < w->doc->size - fpk_lay(w, offset) ? left : w->doc->size - fpk_lay(w, offset);
    const uint8_t *from = bytes_at(w, offset);
    const uint8_t *nul = left ? memchr(from, 0, (size_t)left) : NULL;
    (void)spend(w, nul ? (uint64_t)(nul - from) : left);
    return nul ? (uint64_t)(nul - from) : FPK_FAR;
}

/* A text of that length between two NULs, or behind the tables. */
static bool is_framed(fpk_walk *w, uint64_t offset, uint64_t length)
{
    bool begins =
        length && length < FPK_FAR && inside(w, offset, 1) && (offset == w->tables_end || bytes_at(w, offset)[-1] == 0);
    return begins && length_to_nul(w, offset) == length;
}

bool fpk_is_path(fpk_walk *w, uint32_t path, uint64_t offset, uint64_t length)
{
    uint8_t md5[LL_MD5_SIZE];
    if (path >= w->entry_count) {
        return is_framed(w, offset, length);
    }
    if (!whole(w, offset, length) || !spend(w, length)) {
        return false;
    }
    ll_md5(bytes_at(w, offset), (size_t)length, md5);
    const uint8_t *row = w->doc->bytes + fpk_header_SIZE + (size_t)path * fpk_entry_SIZE;
    return memcmp(md5, row + fpk_entry_at_path_md5, sizeof md5) == 0;
}

/* ------------------------------------------------------------------ bytes put in or taken out */

static fpk_piece *piece_at(const fpk_walk *w, uint32_t i)
{
    return &w->paths[i]; /* members follow */
}

/* The family that the extension of a member tells of, if its path stands where it should, or is shifted. */
static const ll_format *family_of(fpk_walk *w, uint32_t entry, int64_t by)
{
    const fpk_piece *p = &w->paths[entry];
    uint64_t at = p->offset;
    if (by && !fpk_is_path(w, entry, at, p->length)) {
        at += (uint64_t)by;
    }
    return fpk_is_path(w, entry, at, p->length) ? fpk_family(w->doc->bytes + at, (uint32_t)p->length) : NULL;
}

/* What speaks for a piece at a place of the file, above 0, or against it. Of a path its MD5 or the NULs around it; of a
 * member what it begins with, and the padding in front of it. */
static int evidence(fpk_walk *w, uint32_t i, uint64_t at, int64_t by)
{
    const fpk_piece *p = piece_at(w, i), *before = i ? p - 1 : NULL;
    const uint8_t *bytes = w->doc->bytes;
    if (i < path_count(w)) {
        const uint8_t *end = ll_fits(at, p->length + 1, w->doc->size) ? bytes + at + p->length : NULL;
        bool text = end && spend(w, p->length) && *end == 0 && !memchr(bytes + at, 0, (size_t)p->length);
        return p->length == 0                     ? 0
               : fpk_is_path(w, i, at, p->length) ? 2
               : text && bytes[at] == '/'         ? 1
               : end || by                        ? -1
                                                  : 0;
    }
    uint64_t end = before ? before->offset + before->length + (i <= path_count(w)) : w->tables_end;
    uint64_t pad = p->offset > end && p->offset - end < FPK_UNIT ? p->offset - end : 0;
    uint64_t missing = by < 0 ? (uint64_t)-by : 0; /* perhaps of the padding */
    if (at > w->doc->size || at < pad) { /* a file that is cut has no other faults, and may lack padding alone */
        bool whole = i == path_count(w) + w->entry_count && end < w->doc->size && bytes[w->doc->size - 1] == 0;
        return by ? -1 : whole;
    }
    size_t left = w->doc->size - (size_t)at;
    const ll_format *format = p->length ? family_of(w, i - path_count(w), by) : NULL;
    ll_probe_result probe = format && left ? format->probe(bytes + at, left) : LL_PROBE_MAYBE;
    if (probe != LL_PROBE_MAYBE) {
        return probe == LL_PROBE_SURE ? 2 : -1;
    }
    for (uint64_t k = 1; k <= pad; k++) {
        if (bytes[at - k] != 0) {
            return k + missing > pad ? 0 : -1;
        }
    }
    return pad && (left == 0 || bytes[at] != 0 || p->length == 0);
}

/* Where everything may begin to be shifted: pieces before `kept` stand at their places, those from `shifted` on do not,
 * and those between are torn. As much speaks for any place from `least` to `most`. */
typedef struct shift {
    uint32_t kept, shifted, least, most;
} shift;

static uint64_t end_of(const fpk_walk *w, uint32_t i)
{
    return piece_at(w, i)->offset + piece_at(w, i)->length + (i < path_count(w));
}

static void begin_shift(fpk_walk *w, const shift *s, int64_t by)
{
    uint32_t row = w->reference_count ? fpk_reference_SIZE : fpk_entry_SIZE; /* the last one of the tables */
    uint32_t torn = s->kept < s->least ? s->kept : s->least;
    bool member = torn > path_count(w); /* before it, of which only the beginning is known */
    torn -= member;
    w->shift_from = piece_at(w, s->most)->offset;
    w->shift_by = by;
    w->end = w->computed;
    uint64_t from = member       ? piece_at(w, torn)->offset
                    : torn       ? end_of(w, torn - 1)
                    : s->shifted ? w->tables_end
                                 : w->tables_end - row;
    uint64_t to = fpk_lay(w, w->shift_from);
    ll_where at = ll_at_bytes(LL_NO_SPAN, (uint32_t)from, to > from ? (uint32_t)(to - from) : 0);
    unsigned code = by > 0 ? FPK_FAULT_UNOWNED : torn < path_count(w) ? FPK_FAULT_STRING_RANGE : FPK_FAULT_DATA_RANGE;
    ll_fault fault = LL_MAKE_FAULT(code, 0, at, ll_nowhere(), ll_uint(by > 0 ? (uint64_t)by : at.length),
                                   ll_uint(at.length - (uint64_t)by));
    ll_patch_moved(w->doc, &fault, at, by);
    ll_raise(w->doc, &fault);
    w->end_told = w->doc->unread = true;
    w->torn_from = (uint32_t)from;
    for (uint32_t i = torn; i < s->most; i++) {
        piece_at(w, i)->torn = true;
    }
    if (s->shifted == 0 && w->entry_count && !w->reference_count) { /* the last MD5 may be torn */
        piece_at(w, w->entry_count - 1)->broken = true;
    }
}

/* Weighs each place: what speaks for the pieces before it, and for those behind it where they would be shifted. */
static bool weigh_shift(fpk_walk *w, uint32_t n, int64_t by, uint32_t least, shift *out)
{
    int8_t *here = ll_doc_alloc(w->doc, n, 2), *there = here + (here ? n : 0);
    bool misplaced = false; /* something says that a piece is not where it should be */
    uint32_t shifted = 0;   /* pieces of which something says that they are */
    int64_t unshifted = 0, behind = 0, before = 0, kept_best = 0, best = INT64_MIN;
    for (uint32_t i = 0; here && i < n; i++) {
        uint64_t offset = piece_at(w, i)->offset;
        if (offset >= FPK_FAR || (i && offset < piece_at(w, i - 1)->offset)) {
            return false;
        }
        here[i] = (int8_t)evidence(w, i, offset, 0);
        there[i] = (int8_t)((int64_t)offset + by >= w->tables_end ? evidence(w, i, offset + (uint64_t)by, by) : -1);
        unshifted += here[i];
        misplaced = misplaced || here[i] < 0;
        behind += there[i];
        shifted += there[i] > 0;
    }
    shift s = {0};
    for (uint32_t i = 0, next = 0; here && i < n; i++) { /* i: the first that is shifted; next: how many may be kept */
        while (next < i && (int64_t)end_of(w, next) <= (int64_t)piece_at(w, i)->offset + by) {
            before += here[next++];
            s.least = before > kept_best ? next : s.least;
            s.kept = before >= kept_best ? next : s.kept;
            kept_best = before > kept_best ? before : kept_best;
        }
        if (kept_best + behind > best && shifted >= least &&
            (int64_t)piece_at(w, i)->offset + by >= (int64_t)w->tables_end) {
            best = kept_best + behind;
            s.shifted = s.most = i;
            *out = s;
        } else if (kept_best + behind == best) {
            out->most = i;
        }
        behind -= there[i];
        shifted -= there[i] > 0;
    }
    return here && misplaced && best > unshifted;
}

/* Bytes that were put in or taken out shift everything behind them, as far as the end of the file is shifted. */
static void find_shift(fpk_walk *w, uint64_t stated)
{
    uint32_t n = path_count(w) + w->entry_count;
    int64_t by = (int64_t)w->doc->size - (int64_t)w->computed;
    shift s = {0};
    /* Where the header has the right size, it may be the offset or size of the last piece alone that is wrong. */
    bool known = stated == w->doc->size;
    n += !known;
    if (by != 0 && w->computed < FPK_FAR && n && weigh_shift(w, n, by, known ? 2 : 0, &s)) {
        begin_shift(w, &s, by);
    }
}

/* ------------------------------------------------------------------ paths */

/* A place that is wrong in the tables, at the field that states it. decided: the bytes there are what is meant. */
static void blame(fpk_walk *w, fpk_piece *p, unsigned fault, ll_where at, uint64_t right, const char *what,
                  bool decided)
{
    ll_element record;
    if (!p->told && ll_element_at(w->doc, at.span, at.element, &record)) {
        uint64_t stated = ll_get_uint(&record, at.field);
        ll_where end = w->cut ? ll_at_bytes(LL_NO_SPAN, w->doc->size - 1, 1) : ll_nowhere();
        ll_fault f = LL_MAKE_FAULT(fault, 0, at, end, ll_uint(stated),
                                   right < FPK_FAR ? ll_uint(right) : ll_word("a place in the file"), ll_word(what));
        if (fault == FPK_FAULT_STRING_TERMINATOR && p->named) {
            ll_patch_field(w->doc, &f, LL_PATCH_SAFE, right);
        } else if (!decided) {
            ll_patch_none(&f);
        }
        ll_raise(w->doc, &f);
    }
    p->told = true;
}

/* A text that begins as a path does. Where the length counts zeros behind it, they may stand in the place of its end.
 */
static bool is_reference(const fpk_walk *w, const fpk_piece *p)
{
    const uint8_t *text = p->placed && p->size ? bytes_at(w, p->at) : NULL;
    bool zeros =
        text && p->length > p->size && whole(w, p->at, p->length) && ll_is_zero(text + p->size, text + p->length);
    return text && text[0] == '/' && !zeros;
}

static void blame_path(fpk_walk *w, uint32_t i)
{
    fpk_piece *p = &w->paths[i];
    uint32_t element = 0;
    unsigned field = 0;
    uint32_t row = fpk_row(w, i, &element, &field);
    bool out = !inside(w, p->offset, p->length);
    bool decided = p->named || (i >= w->entry_count && is_reference(w, p));
    ll_where offset = ll_at_field(w->doc, row, element, field), length = ll_at_field(w->doc, row, element, field + 1);
    if (!p->placed) {
        if (!w->cut || !w->end_told) {
            blame(w, p, FPK_FAULT_STRING_RANGE, offset, FPK_FAR, "", false);
        }
        w->doc->unread = true;
        w->lost = true;
        w->end_told = w->end_told || w->cut;
    } else if (p->at != p->offset) {
        blame(w, p, out ? FPK_FAULT_STRING_RANGE : FPK_FAULT_OVERLAP, offset, p->at, "", true);
    } else if (p->size != p->length) {
        blame(w, p, out ? FPK_FAULT_STRING_RANGE : FPK_FAULT_STRING_TERMINATOR, length, p->size, "length", decided);
    }
}

/* A path that begins behind a NUL, does not end with one, or that of a reference otherwise than with .fpk, and is
 * followed by what the tables state next. */
static bool is_borne_out(const fpk_walk *w, uint32_t i)
{
    const fpk_piece *p = piece_at(w, i);
    if (p->length < 4 || !whole(w, p->offset, p->length + 1)) {
        return false;
    }
    const uint8_t *text = bytes_at(w, p->offset), *end = text + p->length;
    bool begins = p->offset == w->tables_end || text[-1] == 0;
    bool ends = end[-1] != 0 && (i < w->entry_count || memcmp(end - 4, ".fpk", 4) == 0);
    bool last = i + 1 == path_count(w);
    return begins && ends && p[1].offset == ll_align_up(p->offset + p->length + 1, last ? FPK_UNIT : 1);
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
    for (unsigned c = 0; c < CHOICES && chosen == CHOICES && i < w->entry_count; c++) {
        lengths[c] = c < 2 ? p->length : length_to_nul(w, offsets[c]);
        chosen = fpk_is_path(w, i, offsets[c], lengths[c]) ? c : chosen;
    }
    p->named = chosen < CHOICES;
    if (!p->named && is_borne_out(w, i)) {
        chosen = 0; /* what is wrong is in the text, or behind it */
    }
    for (unsigned c = 0; c < CHOICES && chosen == CHOICES; c++) {
        lengths[c] = c < 2 ? p->length : length_to_nul(w, offsets[c]);
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

/* What the rows lead to stands in another order than they. */
static void raise_order(fpk_walk *w, unsigned code, ll_where at, uint64_t stated, uint64_t expected)
{
    ll_fault fault = LL_MAKE_FAULT(code, 0, at, ll_nowhere(), ll_uint(stated), ll_uint(expected));
    uint32_t count = ll_doc_span(w->doc, at.span)->count, *order = ll_doc_alloc(w->doc, count, sizeof *order);
    for (uint32_t i = 0; order && i < count; i++) {
        order[i] = i;
    }
    ll_patch_elements(&fault, order);
    ll_raise(w->doc, &fault);
}

static void place_paths(fpk_walk *w)
{
    uint64_t expected = w->tables_end;
    bool ordered = true;
    for (uint32_t i = 0; i < path_count(w) && w->doc->status == LL_OK; i++) {
        fpk_piece *p = &w->paths[i];
        if (p->torn) {
            expected = p->offset + p->length + 1;
            continue;
        }
        place_path(w, i, expected);
        if (p->placed && p->at != expected && ordered && !p->told) {
            uint32_t element = 0;
            unsigned field = 0;
            uint32_t row = fpk_row(w, i, &element, &field);
            raise_order(w, FPK_FAULT_STRING_ORDER, ll_at_field(w->doc, row, element, field), p->at, expected);
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
          ll_at_field(w->doc, w->entries, i, field), right, "", true);
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
    m->placed = (at < w->end || (at == w->end && m->length == 0)) && !m->torn;
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
        if (!m->torn && !ll_fits(m->offset, m->length, w->end)) {
            if (!w->end_told) {
                blame_member(w, i, fpk_entry_data_size, m->offset < w->end ? w->end - m->offset : 0);
            }
            w->end_told = w->doc->unread = m->told = true;
        } else if (ordered && m->offset < expected) {
            raise_order(w, FPK_FAULT_DATA_ORDER, ll_at_field(w->doc, w->entries, i, fpk_entry_data_offset), m->offset,
                        expected);
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

/* Where the last piece ends; where rows are in another order than what they state, the one that ends last in what may
 * be the file. */
static uint64_t needed_end(const fpk_walk *w, uint64_t stated)
{
    uint64_t end = w->tables_end, bound = stated > w->doc->size ? stated : w->doc->size;
    uint32_t n = path_count(w) + w->entry_count;
    bool rises = true;
    for (uint32_t i = 0; i < n; i++) {
        rises = rises && (i == 0 || piece_at(w, i)->offset >= piece_at(w, i - 1)->offset);
        end = end_of(w, i) > end && end_of(w, i) <= bound ? end_of(w, i) : end;
    }
    return rises && n ? end_of(w, n - 1) : end;
}

void fpk_find_places(fpk_walk *w)
{
    uint32_t n = path_count(w), last = n + w->entry_count;
    uint64_t stated = w->stated;
    uint64_t need = needed_end(w, stated);
    w->computed = ll_align_up(need, FPK_UNIT);
    *piece_at(w, last) = (fpk_piece){.offset = w->computed};
    w->cut = need > w->doc->size && (stated == w->computed || chained_end(w) == need);
    find_shift(w, stated);
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
