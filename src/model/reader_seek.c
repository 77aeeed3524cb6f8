/* Finds the sections of a list: where each begins and ends.
 *
 * One damaged byte must not give many faults, so a size is believed only if another section begins where it leads. If
 * none does, the size is tried in the other byte order, then the size that counts ask for. Failing that, the section
 * ends at the next place where a section can begin. */
#include "model/section_state.h"

#include "model/reader.h"

#include <string.h>

/* ------------------------------------------------------------------ rows */

/* The number that the size field of a section at `pos` holds, in its own byte order or in the other. */
static uint64_t stated_at(const sections *s, uint64_t pos, bool other)
{
    const ll_layout *l = &s->doc->layouts[ll_section_row(s, 0)->layout];
    const ll_field *f = &l->fields[ll_section_size_field(s)];
    const unsigned endian = (l->endian == LL_BIG) != other ? LL_BIG : LL_LITTLE;
    return ll_read_uint(ll_section_bytes(s, pos) + f->offset, f->bytes, endian);
}

/* The row of the section with the tag at `pos`. s->count: there is none. */
static unsigned row_at(const sections *s, uint64_t pos)
{
    const size_t row = pos < s->doc->size
                           ? ll_row_of_tag(s->r, s->first, (uint32_t)pos, s->doc->size - (uint32_t)pos) - s->first
                           : s->count;
    return row < s->count ? s->same[row] : s->count;
}

bool ll_is_section_start(const sections *s, uint64_t pos)
{
    return ll_is_end_tag(s, pos) || (ll_fits(pos, s->header, s->doc->size) && row_at(s, pos) < s->count);
}

/* Bytes of a last part at `pos`: the longest one that is there and whose bytes after the tag are zeros. exact: it must
 * reach the end of the file. 0: there is none. */
static uint32_t end_size(const sections *s, uint32_t pos, bool exact)
{
    const uint32_t left = s->doc->size - pos;
    uint32_t best = 0;
    for (unsigned row = s->count; s->first + row < s->r->format->part_count; row++) {
        const ll_part_row *part = ll_section_row(s, row);
        const uint32_t size = s->doc->layouts[part->layout].size;
        const uint8_t *bytes = ll_section_bytes(s, pos);
        if (part->how != LL_PART_TAGGED || part->place != LL_PLACE_LAST) {
            break;
        }
        const bool zeros = left >= size && ll_is_zero(bytes + 4, bytes + size); /* the rest of a longer one is zeros */
        const bool fits = exact ? left == size && zeros : zeros || (left == size && best);
        best = fits ? size : best;
    }
    return best;
}

/* ------------------------------------------------------------------ sizes */

/* A needed section belongs between the rows `after` and `before` and was not found yet. room: bytes between these
 * two. */
static bool is_gap(const sections *s, unsigned after, unsigned before, uint64_t room)
{
    bool gap = false;
    for (unsigned i = after + 1; i < before; i++) {
        const bool found = s->seen[i] || (ll_is_free(s, i) && room < s->header);
        gap = gap || (ll_is_needed(s, i) && !found);
    }
    return gap;
}

/* The size of the section at `pos` leads to another section. */
static bool is_followed(const sections *s, uint64_t pos)
{
    return ll_fits(pos, s->header, s->doc->size) && ll_is_section_start(s, pos + s->header + stated_at(s, pos, false));
}

/* At `pos` is a section with an unknown tag, whose size leads to a section with a known tag. Zeros may look like a size
 * of 0: then the tag must have at least three capital letters. */
static bool is_unknown_section(const sections *s, uint64_t pos)
{
    unsigned letters = 0;
    for (uint64_t i = pos; is_followed(s, pos) && i < pos + 4; i++) {
        letters += *ll_section_bytes(s, i) >= 'A' && *ll_section_bytes(s, i) <= 'Z';
    }
    return letters >= 3 || (is_followed(s, pos) && stated_at(s, pos, false));
}

/* The bytes from `pos` to the end of the file are a last part with a damaged tag. */
static bool is_damaged_end(const sections *s, uint64_t pos)
{
    return pos < s->doc->size && end_size(s, (uint32_t)pos, true) && !ll_is_end_tag(s, s->doc->size - 4) &&
           row_at(s, pos) == s->count;
}

static bool is_file_end(const sections *s, uint64_t pos)
{
    return ll_is_end_tag(s, pos) && end_size(s, (uint32_t)pos, true);
}

/* The next section, from `from` on, with a known tag and a size that leads to another section. The size of the file:
 * there is none. All calls together visit each byte once. */
static uint32_t resync(sections *s, uint32_t from)
{
    if (from < s->searched || from > s->next) {
        uint32_t pos = from;
        while (ll_fits(pos, 4, s->doc->size) &&
               !(s->letters[s->doc->bytes[pos + 1]] &&
                 (is_file_end(s, pos) || (row_at(s, pos) < s->count && is_followed(s, pos))))) {
            pos++;
        }
        s->searched = from;
        s->next = ll_fits(pos, 4, s->doc->size) ? pos : s->doc->size;
    }
    return s->next;
}

/* Sets the end of a section with a wrong size to `end`, where the next section begins. The bytes that the contents ask
 * for tell whether only the size is wrong, or bytes were put in or taken out. */
static void correct_size(const sections *s, section *f, uint64_t expected, uint32_t end)
{
    const uint32_t start = f->pos + s->header;
    const bool beyond = f->stated > s->doc->size - start;
    f->end = end;
    f->expected = expected;
    f->lost = expected && expected != end - start;
    f->surplus = !expected || (f->lost && expected == f->stated) ? (int64_t)(end - start) - f->stated : 0;
    f->wrong = 1 + (beyond ? LL_READ_ASTRAY_BEYOND : LL_READ_ASTRAY);
}

/* The size leads to another section by chance, as it skips a needed one. Sets s->next to the skipped section. */
static bool skips_section(sections *s, const section *f, uint64_t end)
{
    const uint32_t start = f->pos + s->header;
    const unsigned next = row_at(s, end);
    return next < s->count && is_gap(s, f->row, next, end - start) && resync(s, start) < end;
}

static uint64_t reach_of(sections *s, unsigned number)
{
    asked *reach = &s->reach[number];
    if (!reach->known) {
        *reach = (asked){.known = s->headed, .value = ll_reach(s->r->doc, ll_section_row(s, number)->layout)};
    }
    return reach->value;
}

/* Decides where the section at f->pos ends. */
static void judge_size(sections *s, section *f)
{
    const uint32_t start = f->pos + s->header, size = s->doc->size;
    const uint64_t stated_end = (uint64_t)start + f->stated, turned = start + stated_at(s, f->pos, true);
    uint64_t expected = f->row == s->count ? 0 : ll_section_contents(s, f->row, start);
    bool leads = ll_is_section_start(s, start + expected); /* also true for the section right after an empty one */
    f->end = stated_end <= size ? (uint32_t)stated_end : size;
    if (ll_is_section_start(s, stated_end) && !(leads && expected < f->stated)) {
        if (skips_section(s, f, stated_end)) {
            correct_size(s, f, expected, s->next);
        }
        return;
    }
    if (!expected && f->row < s->count) {
        expected = reach_of(s, f->row);
        leads = ll_is_section_start(s, start + expected);
    }
    if (ll_is_section_start(s, turned) && !skips_section(s, f, turned)) {
        f->wrong = 1 + LL_READ_ASTRAY_TURNED;
        f->end = (uint32_t)turned;
        return;
    }
    if (expected != f->stated && (leads || (f->row + 1U == s->count && is_damaged_end(s, start + expected)))) {
        correct_size(s, f, expected, start + (uint32_t)expected);
        return;
    }
    if (is_unknown_section(s, stated_end) || is_damaged_end(s, stated_end)) {
        return; /* the tag of the next section is damaged */
    }
    const uint32_t next = resync(s, start);
    if (next < size) {
        const bool trusted = expected <= f->stated && stated_end < next; /* the damage is after this section */
        if (!trusted || !is_gap(s, f->row, row_at(s, next), next - stated_end)) {
            correct_size(s, f, expected, next);
        }
    } else if (stated_end > size) {
        f->wrong = 1 + LL_READ_CUT_INSIDE;
        f->lost = true;
        s->cut = true;
    }
}

/* ------------------------------------------------------------------ the walk */

/* Bytes of a last part at `pos` that stands in front of sections which were not found yet. 0: there is none. */
static uint32_t early_end(const sections *s, uint32_t pos)
{
    const uint32_t size = s->early < s->doc->size || !ll_is_end_tag(s, pos) ? 0 : end_size(s, pos, false);
    const uint64_t behind = pos + size;
    const bool fits = size && ll_fits(behind, s->header, s->doc->size) &&
                      ll_fits(behind + s->header, stated_at(s, behind, false), s->doc->size);
    const unsigned row = fits ? row_at(s, behind) : s->count;
    return row < s->count && !s->seen[row] ? size : 0;
}

/* Finds the section at `pos`, and its end. */
static void find_section(sections *s, section *f, uint32_t pos)
{
    *f = (section){
        .pos = pos, .stated = (uint32_t)stated_at(s, pos, false), .span = LL_NO_SPAN, .row = (uint16_t)row_at(s, pos)};
    const bool unknown = s->found.count > 1 && f->row == s->count && resync(s, pos) < pos + s->header;
    if (unknown && s->next < s->doc->size && is_gap(s, f[-1].row, row_at(s, s->next), s->next - pos)) {
        f->end = s->next; /* the header is incomplete */
    } else {
        judge_size(s, f);
    }
    s->seen[f->row] = true;
}

void ll_seek_sections(sections *s)
{
    ll_doc *doc = s->r->doc;
    const ll_allocator allocator = ll_arena_allocator(&doc->arena);
    uint32_t pos = s->r->at;
    s->end = s->early = doc->size;
    s->searched = UINT32_MAX;
    for (size_t row = s->first; row < s->r->format->part_count && s->r->format->parts[row].tag; row++) {
        s->letters[(uint8_t)s->r->format->parts[row].tag[1]] = true;
    }
    while (pos < doc->size && doc->status == LL_OK) {
        const uint32_t early = doc->size - pos >= s->header ? early_end(s, pos) : 0;
        if (early) {
            s->early = pos;
            pos += early;
            continue;
        }
        if (ll_is_end_tag(s, pos) || (s->found.count && is_damaged_end(s, pos))) {
            s->end_size = end_size(s, pos, false);
        }
        if (s->end_size || doc->size - pos < s->header) {
            s->end = pos;
            return;
        }
        section *f = LL_ARRAY_ADD(&s->found, &allocator);
        if (!f) {
            doc->status = LL_E_MEMORY;
            return;
        }
        find_section(s, f, pos);
        if (f->row == 0 && !f->lost && !s->headed) {
            ll_read_section(s, f); /* its records state sizes of the other sections */
        }
        pos = f->end;
    }
}
