/* Describes places, bytes and patches of findings for the formats that people read. */
#include "output/emit/finding_words.h"

#include "findings/words.h"

#include <stdlib.h>

enum {
    PLACES_LISTED = 4,
    PATCH_SHOWN = 16,
    LINE_SHOWN = 1024 /* bytes of a line shown on each side of a finding's start */
};

/* ------------------------------------------------------------------ ranges */

ll_range ll_found_range(const ll_report *report)
{
    const ll_view *view = &report->last.view;
    return (ll_range){view->offset, (uint64_t)view->offset + view->length};
}

bool ll_related_range(const ll_finding *f, ll_range *out)
{
    bool here = f->related_count && !f->related->file && f->related->inner.region == f->inner.region;
    if (here) {
        bool is_inner = f->inner.region || f->inner.member;
        uint64_t start = is_inner ? f->related->inner.offset : f->related->offset;
        *out = (ll_range){start, start + (is_inner ? f->related->inner.length : f->related->length)};
    }
    return here;
}

bool ll_range_covers(ll_range r, uint64_t offset)
{
    return offset == r.start ? true : offset > r.start && offset < r.end;
}

unsigned ll_address_digits(uint64_t last)
{
    return last > 0xFFFFFF ? 8 : last > 0xFFFF ? 6 : 4;
}

/* ------------------------------------------------------------------ lines */

static bool is_inside_character(char byte)
{
    return (byte & 0xC0) == 0x80;
}

ll_excerpt ll_excerpt_at(const ll_report *report, uint64_t at)
{
    const char *bytes = (const char *)report->last.view.region->bytes;
    uint64_t size = report->last.view.region->size;
    const char *feed = memchr(bytes + at, '\n', (size_t)(size - at));
    ll_excerpt e = {.start = at, .end = feed ? (uint64_t)(feed - bytes) : size, .next = size};
    e.next = feed ? e.end + 1 : size;
    while (e.start > 0 && at - e.start < LINE_SHOWN && bytes[e.start - 1] != '\n') {
        e.start--;
    }
    e.cut_front = e.start > 0 && bytes[e.start - 1] != '\n';
    while (e.cut_front && e.start < at && is_inside_character(bytes[e.start])) {
        e.start++;
    }
    e.cut_behind = e.end - at > LINE_SHOWN;
    e.end = e.cut_behind ? at + LINE_SHOWN : e.end;
    while (e.cut_behind && e.end > at && is_inside_character(bytes[e.end])) {
        e.end--;
    }
    e.end -= !e.cut_behind && e.end > e.start && bytes[e.end - 1] == '\r';
    return e;
}

/* ------------------------------------------------------------------ words */

void ll_found_at_text(ll_report *report, const ll_finding *f, ll_text *out)
{
    uint64_t offset = f->offset - ll_report_start(report);
    if (report->file.is_text) {
        ll_position_text(report, out);
    } else if (report->file.size) {
        ll_place_text(offset, f->length, out);
        ll_text_format(out, " (byte %" PRIu64 ", ", offset);
        if (f->length == 0) {
            ll_text_str(out, offset == report->file.size ? "the end of the file" : "no bytes");
        } else {
            ll_text_str(out, f->length == report->file.size ? "the whole file, " : "");
            ll_count_text(out, f->length, "byte");
        }
        ll_text_char(out, ')');
    }
}

/* Appends a number in hex too, for use in a hex editor. Skips small numbers and other values. */
static void put_as_hex(ll_text *out, const char *value)
{
    size_t n = strlen(value);
    if (n >= 2 && n <= 19 && strspn(value, "0123456789") == n) {
        ll_text_format(out, " (0x%llx)", strtoull(value, NULL, 10));
    }
}

void ll_decoded_text(const ll_report *report, const ll_finding *f, ll_text *out)
{
    const ll_view *view = &report->last.view;
    if (view->length == 0) {
        ll_text_str(out, view->offset < view->region->size ? "no bytes here"
                         : f->inner.region                 ? "the section ends here"
                                                           : "the file ends here");
    } else if (f->value[0]) {
        ll_text_format(out, "%s = ", f->type);
        ll_short_text(f->value, LL_VALUE_SHOWN, out);
        if (f->type[0] == 'u') {
            put_as_hex(out, f->value);
        }
    }
}

/* Appends a place; of a place in a region also the bytes that it was decompressed from. */
static void put_place(const ll_report *report, const ll_place *place, ll_text *out)
{
    if (place->inner.region) {
        ll_place_text(place->inner.offset, place->inner.length, out);
        ll_text_format(out, " in %s, decompressed from ", place->inner.region);
    }
    ll_place_text(place->offset - ll_report_start(report), place->length, out);
}

/* Appends a place in another file; in a member, "ARCHIVE!PATH" and the offset in the member. */
static void put_elsewhere(const ll_place *place, ll_text *out)
{
    const ll_inner *inner = &place->inner;
    ll_text_escape(out, place->file, strlen(place->file));
    if (inner->member) {
        ll_text_char(out, '!');
        ll_text_escape(out, inner->member, strlen(inner->member));
    }
    ll_text_char(out, ' ');
    ll_place_text(inner->member ? inner->offset : place->offset, place->length, out);
}

void ll_related_text(const ll_report *report, const ll_place *place, ll_text *out)
{
    ll_text_format(out, "%s, ", place->text[0] ? place->text : "a related place");
    if (place->file) {
        put_elsewhere(place, out);
    } else {
        put_place(report, place, out);
    }
    ll_text_format(out, "%s%s", place->path[0] ? " " : "", place->path);
}

static void put_some_bytes(ll_text *out, const uint8_t *bytes, uint64_t n)
{
    ll_text_bytes(out, bytes, n < PATCH_SHOWN ? (size_t)n : PATCH_SHOWN);
    if (n > PATCH_SHOWN) {
        ll_text_str(out, " ...");
    }
}

void ll_patch_text(const ll_report *report, const ll_patch *patch, ll_text *out)
{
    ll_text_str(out, patch->tier == LL_PATCH_SAFE ? "safe, at " : "unsafe, at ");
    ll_place_text(patch->offset, patch->removed, out);
    if (patch->removed && report->doc.regions[0].bytes) {
        ll_text_str(out, report->file.member ? " in the archive: " : ": ");
        put_some_bytes(out, report->doc.bytes + (patch->offset - ll_report_start(report)), patch->removed);
        ll_text_str(out, " -> ");
    } else {
        ll_text_str(out, ": add ");
    }
    put_some_bytes(out, patch->bytes, patch->size);
}

void ll_explains_text(const ll_finding *finding, ll_text *out)
{
    ll_text_format(out, "%zu other finding%s, which --all shows", finding->explains, finding->explains == 1 ? "" : "s");
}

void ll_others_text(const ll_report *report, const ll_fold *fold, uint32_t first, ll_text *out)
{
    uint32_t more = fold->count ? fold->count[first] - 1 : 0;
    if (!more) {
        return;
    }
    ll_text_format(out, "and %" PRIu32 " more at ", more);
    uint32_t entry = fold->next[first];
    for (uint32_t i = 0; i < PLACES_LISTED && entry != LL_NO_ENTRY; i++, entry = fold->next[entry]) {
        ll_view view = ll_view_of(&report->doc, &report->entries.items[entry].at);
        view.length = 0;
        ll_text_str(out, i ? ", " : "");
        ll_view_text(&view, out);
    }
    ll_text_str(out, more > PLACES_LISTED ? ", ... (--all shows each)" : " (--all shows each)");
}
