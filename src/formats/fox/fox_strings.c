/* The string table of a DataSet, and what is behind it. An entry is believed where its hash is that of its text, or
 * where the next ones stand at its end; else the length is sought that fits the hash, and then the next entry. */
#include "formats/fox/fox.h"

#include "base/ints.h"
#include "base/sort.h"
#include "formats/strcode.h"

#include <string.h>

enum {
    UNIT = 16,
    SHORT_TEXT = 512,        /* longest text that is tried where an entry is sought */
    SOUGHT_MAX = 1 << 20,    /* bytes hashed in search of entries, in all */
    TAIL_MAX = UNIT - 1 + 16 /* zeros and the tail */
};

static const uint8_t tail_bytes[TAIL_MAX] = {[UNIT - 1 + 2] = 'e', [UNIT - 1 + 3] = 'n', [UNIT - 1 + 4] = 'd'};

typedef struct table {
    ll_doc *doc;
    uint32_t first, last, count; /* spans of the entries that were claimed; each has its text behind it */
    uint32_t pos; /* everything before it is claimed */
    uint32_t sought;
    uint32_t framed; /* up to there entries by their lengths lead to one that is sound, or to the end of the table */
    uint32_t astray; /* bytes of such entries that led nowhere */
    bool moved;      /* bytes were put in or taken out before */
    uint32_t moved_from; /* everything from there on was moved, as far as the entries tell */
    bool doubled;        /* it was looked whether two entries have one hash */
} table;

static uint64_t hash_at(const ll_doc *doc, uint32_t at)
{
    return ll_le64(doc->bytes + at + fox_string_at_hash);
}

static uint32_t length_at(const ll_doc *doc, uint32_t at)
{
    return ll_le32(doc->bytes + at + fox_string_at_length);
}

static bool is_string(const ll_doc *doc, uint32_t at, uint32_t longest)
{
    if (!ll_fits(at, fox_string_SIZE + 1, doc->size) || hash_at(doc, at) >> 48) {
        return false;
    }
    uint32_t length = length_at(doc, at);
    return length > 0 && length <= longest && ll_fits(at + fox_string_SIZE, length, doc->size) &&
           ll_strcode64_unended(doc->bytes + at + fox_string_SIZE, length) == hash_at(doc, at);
}

bool fox_is_string(const ll_doc *doc, uint32_t at)
{
    return is_string(doc, at, SHORT_TEXT);
}

/* The bytes that belong between a terminator that ends at `at` and the end of the file. */
static uint32_t tail_size(uint32_t at)
{
    return (uint32_t)(ll_align_up(at, UNIT) - at) + fox_tail_SIZE;
}

/* Two entries have one hash: one was put in, and moved what is behind it. */
static bool has_double(table *t)
{
    ll_sort_key *keys = t->doubled ? NULL : ll_doc_alloc(t->doc, (size_t)t->count + 1, 2 * sizeof *keys);
    uint32_t count = 0;
    for (uint32_t span = t->first; keys && count < t->count; span++) {
        const ll_span *s = ll_doc_span(t->doc, span);
        if (s->layout == fox_string_LAYOUT) {
            keys[count++] = (ll_sort_key){hash_at(t->doc, s->offset), 0, span};
        }
    }
    keys = keys ? ll_sort(keys, keys + t->count + 1, count) : NULL;
    for (uint32_t i = 1; i < count && !t->moved; i++) {
        t->moved = keys[i].first == keys[i - 1].first;
    }
    t->doubled = true;
    return t->moved;
}

/* They are there and end the file; where bytes were put in or taken out, with any padding. */
static bool has_tail(table *t, uint32_t at)
{
    uint32_t left = at <= t->doc->size ? t->doc->size - at : 0;
    bool fits = left >= fox_tail_SIZE && left <= TAIL_MAX &&
                memcmp(t->doc->bytes + at, tail_bytes + TAIL_MAX - left, left) == 0;
    return fits && (left == tail_size(at) || t->moved || has_double(t));
}

/* An entry with its hash stands there. Bytes that were hashed for nothing are counted: when they are too many, only
 * short texts are tried. */
static bool is_sound(table *t, uint32_t at)
{
    bool sound = is_string(t->doc, at, t->sought < SOUGHT_MAX ? t->doc->size : SHORT_TEXT);
    if (!sound && ll_fits(at, fox_string_SIZE, t->doc->size) && length_at(t->doc, at) <= t->doc->size - at &&
        t->sought < SOUGHT_MAX) {
        t->sought += length_at(t->doc, at);
    }
    return sound;
}

static bool is_terminator(table *t, uint32_t at)
{
    return ll_fits(at, fox_terminator_SIZE, t->doc->size) && hash_at(t->doc, at) == 0 &&
           (has_tail(t, at + fox_terminator_SIZE) || t->doc->size - at <= fox_terminator_SIZE + TAIL_MAX);
}

/* An entry stands there by hash and length, whatever its text. */
static bool is_framed(const table *t, uint32_t at)
{
    const ll_doc *doc = t->doc;
    return ll_fits(at, fox_string_SIZE + 1, doc->size) && hash_at(doc, at) && hash_at(doc, at) >> 48 == 0 &&
           length_at(doc, at) > 0 && length_at(doc, at) <= SHORT_TEXT &&
           ll_fits(at + fox_string_SIZE, length_at(doc, at), doc->size);
}

/* The table goes on there, or ends, if need be behind other entries whose hashes are not those of their texts. */
static bool goes_on(table *t, uint32_t at)
{
    if (at < t->framed || is_sound(t, at) || is_terminator(t, at)) {
        return true;
    }
    uint32_t end = at;
    while (t->astray < SOUGHT_MAX && is_framed(t, end) && !is_string(t->doc, end, SHORT_TEXT)) {
        end += fox_string_SIZE + length_at(t->doc, end);
    }
    bool leads_on = end > at && (is_string(t->doc, end, SHORT_TEXT) || is_terminator(t, end));
    t->framed = leads_on ? end : t->framed;
    t->astray += leads_on ? 0 : end - at;
    return leads_on;
}

/* Claims the entry at pos. */
static void add(table *t, uint32_t length)
{
    ll_doc *doc = t->doc;
    uint32_t text = t->pos + fox_string_SIZE;
    t->last = ll_claim_record(doc, LL_NO_SPAN, fox_string_LAYOUT, t->pos, text + length, t->count);
    (void)ll_claim_string(doc, t->last, fox_text_LAYOUT, text, text + length, length, LL_NO_INDEX);
    t->first = t->count++ ? t->first : t->last;
    t->pos = text + length;
}

/* The length with which the text at `at` has the hash; 0: there is none. */
static uint32_t fitting_length(table *t, uint32_t at, uint64_t hash)
{
    uint32_t left = t->doc->size - at;
    for (uint32_t length = 1; length <= left && length <= SHORT_TEXT && t->sought < SOUGHT_MAX; length++) {
        t->sought += length;
        if (ll_strcode64_unended(t->doc->bytes + at, length) == hash) {
            return length;
        }
    }
    return 0;
}

/* Where the table goes on behind `from`; the end of the file: nowhere. */
static uint32_t seek(table *t, uint32_t from)
{
    const ll_doc *doc = t->doc;
    for (uint32_t at = from; ll_fits(at, fox_terminator_SIZE, doc->size) && t->sought < SOUGHT_MAX; at++) {
        if (hash_at(doc, at) >> 48 == 0) {
            t->sought += 64;
            if (is_string(doc, at, SHORT_TEXT) || (hash_at(doc, at) == 0 && has_tail(t, at + fox_terminator_SIZE))) {
                return at;
            }
        }
    }
    return doc->size;
}

/* The rest is not read. */
static void stop(table *t)
{
    t->doc->unread = true;
    (void)ll_claim_unparsed(t->doc, LL_NO_SPAN, t->pos, t->doc->size);
    t->pos = t->doc->size;
}

/* The entry at pos has another length than it says. */
static void correct_length(table *t, uint32_t stated, uint32_t length)
{
    uint32_t from = t->pos;
    add(t, length);
    if (t->doc->status != LL_OK) {
        return;
    }
    ll_where at = ll_at_field(t->doc, t->last, 0, fox_string_length);
    uint64_t first = stated ? stated : hash_at(t->doc, from);
    ll_fault f = LL_MAKE_FAULT(stated ? FOX_FAULT_STRING_RANGE : FOX_FAULT_STRING_EMPTY, 0, at, ll_nowhere(),
                               ll_uint(first), ll_uint(length));
    ll_patch_field(t->doc, &f, LL_PATCH_SAFE, length);
    ll_raise(t->doc, &f);
}

/* An entry whose hash is not that of its text; one of 0 would end the table. */
static void add_misfit(table *t, uint32_t length)
{
    ll_doc *doc = t->doc;
    uint64_t hash = hash_at(doc, t->pos);
    uint64_t right = hash ? hash : ll_strcode64_unended(doc->bytes + t->pos + fox_string_SIZE, length);
    add(t, length);
    if (hash && doc->status == LL_OK) {
        ll_mark_span(doc, t->last, LL_SPAN_DOUBTFUL);
    }
    if (hash == 0 && doc->status == LL_OK) {
        ll_fault f = LL_MAKE_FAULT(FOX_FAULT_TERMINATOR, 0, ll_at_field(doc, t->last, 0, fox_string_hash), ll_nowhere(),
                                   ll_word("0 in front of an entry"));
        ll_patch_field(doc, &f, LL_PATCH_SAFE, right);
        ll_raise(doc, &f);
    }
}

/* What stands at pos is no sound entry. */
enum { STOPS, GOES_ON, ENDS };
static int recover(table *t)
{
    ll_doc *doc = t->doc;
    uint32_t left = doc->size - t->pos;
    if (has_tail(t, t->pos + fox_terminator_SIZE)) {
        return ENDS;
    }
    uint32_t stated = left >= fox_string_SIZE ? length_at(doc, t->pos) : 0;
    uint32_t text = t->pos + fox_string_SIZE;
    bool inside = left >= fox_string_SIZE && ll_fits(text, stated, doc->size);
    bool zero = hash_at(doc, t->pos) == 0;
    if (inside && stated && (zero ? is_string(doc, text + stated, SHORT_TEXT) : goes_on(t, text + stated))) {
        add_misfit(t, stated);
        return GOES_ON;
    }
    uint32_t after = zero ? seek(t, t->pos + 1) : 0;
    if (zero && (after == doc->size || hash_at(doc, after) == 0)) {
        return ENDS;
    }
    uint32_t length = !zero && left > fox_string_SIZE ? fitting_length(t, text, hash_at(doc, t->pos)) : 0;
    if (length) {
        correct_length(t, stated, length);
        return GOES_ON;
    }
    if (inside && !zero && stated == 0 && goes_on(t, text)) {
        LL_RAISE(doc, FOX_FAULT_STRING_EMPTY, 0, ll_at_bytes(LL_NO_SPAN, t->pos + fox_string_at_length, 4),
                 ll_uint(hash_at(doc, t->pos)), ll_word("at least 1"));
        add(t, 0);
        return GOES_ON;
    }
    uint32_t next = seek(t, t->pos + 1);
    ll_where at = ll_at_bytes(LL_NO_SPAN, t->pos, next - t->pos);
    if (left < fox_string_SIZE || next == doc->size) {
        LL_RAISE(doc, FOX_FAULT_STRING_RANGE, 0, at, ll_uint(stated), ll_uint(left));
        stop(t);
        return STOPS;
    }
    at.span = ll_claim_unparsed(doc, LL_NO_SPAN, t->pos, next);
    LL_RAISE(doc, FOX_FAULT_STRING_RANGE, 0, at, ll_uint(stated), ll_word("an entry"));
    t->moved = true;
    t->moved_from = t->moved_from < t->pos ? t->moved_from : t->pos;
    t->pos = next;
    return GOES_ON;
}

/* What is behind the terminator. */
static void claim_tail(table *t)
{
    ll_doc *doc = t->doc;
    uint32_t left = doc->size - t->pos, size = tail_size(t->pos);
    bool sound = has_tail(t, t->pos);
    if (sound) {
        size = left;
    }
    if (left >= size) {
        uint32_t tail = t->pos + size - fox_tail_SIZE;
        (void)ll_claim_bytes(doc, LL_NO_SPAN, fox_padding_LAYOUT, t->pos, tail);
        (void)ll_claim_fixed(doc, LL_NO_SPAN, fox_tail_LAYOUT, tail);
    }
    if (sound) {
        return;
    }
    const uint8_t *right = tail_bytes + TAIL_MAX - size;
    uint32_t from = 0, to = left;
    while (from < left && from < size && doc->bytes[t->pos + from] == right[from]) {
        from++;
    }
    while (left == size && to > from && doc->bytes[t->pos + to - 1] == right[to - 1]) {
        to--;
    }
    if (left > size) {
        (void)ll_claim_gap(doc, LL_NO_SPAN, t->pos + size, doc->size);
    } else if (left < size) {
        (void)ll_claim_gap(doc, LL_NO_SPAN, t->pos, doc->size);
        doc->unread = true;
    }
    ll_fault f = LL_MAKE_FAULT(FOX_FAULT_TAIL, 0, ll_at_bytes(LL_NO_SPAN, t->pos + from, to - from), ll_nowhere(),
                               ll_uint(left), ll_uint(size));
    if (left == size) {
        ll_patch_bytes(doc, &f, LL_PATCH_SAFE, t->pos, size, right, size);
    } else if (from == left) {
        ll_patch_bytes(doc, &f, LL_PATCH_SAFE, doc->size, 0, right + left, size - left);
    }
    ll_raise(doc, &f);
}

static void claim_end(table *t)
{
    ll_doc *doc = t->doc;
    uint32_t span = ll_claim_fixed(doc, LL_NO_SPAN, fox_terminator_LAYOUT, t->pos);
    uint64_t stated = hash_at(doc, t->pos);
    if (stated) {
        ll_fault f = LL_MAKE_FAULT(FOX_FAULT_TERMINATOR, 0, ll_at_field(doc, span, 0, fox_terminator_hash),
                                   ll_nowhere(), ll_uint(stated));
        ll_patch_field(doc, &f, LL_PATCH_SAFE, 0);
        ll_raise(doc, &f);
    }
    t->pos += fox_terminator_SIZE;
    claim_tail(t);
}

uint32_t fox_claim_strings(ll_doc *doc, uint32_t at, bool moved)
{
    table t = {.doc = doc, .pos = at, .moved = moved, .moved_from = moved ? at : doc->size};
    int then = GOES_ON;
    while (then == GOES_ON && doc->status == LL_OK) {
        if (doc->size - t.pos < fox_terminator_SIZE) {
            LL_RAISE(doc, FOX_FAULT_TERMINATOR, 0, ll_at_bytes(LL_NO_SPAN, t.pos, doc->size - t.pos),
                     ll_word("the end of the file"));
            stop(&t);
            return t.moved_from;
        }
        if (is_sound(&t, t.pos)) {
            add(&t, length_at(doc, t.pos));
        } else {
            then = recover(&t);
        }
    }
    if (then == ENDS) {
        claim_end(&t);
    }
    return t.moved_from;
}
