/* Named checks of the strings of scripts (RAST) and of the offsets that lead to them (RASB). Each check is linear in
 * the file. */
#include "base/sort.h"
#include "formats/rgm/rgm.h"

#include <string.h>

enum {
    TRACED = 16,       /* strings that are searched for in others; bounds the work if all references are broken */
    TRACE_TEXT = 65536 /* bytes of RAST that are searched */
};

/* How entries use a byte of RAST. FRESH: the first entry that leads there leads beyond the targets of all earlier
 * entries, like an entry of a new string. */
enum use { USED = 1, USED_AGAIN = 2, FRESH = 4 };

/* RAST and the entries of RASB. Nothing is judged if either is not sound. */
typedef struct rgm_strings {
    const uint8_t *text; /* payload of RAST */
    uint32_t length;
    const uint8_t *entries; /* payload of RASB */
    uint32_t count;
    uint8_t *uses;      /* by byte of the text: enum use of the entries that lead there; 0: none does */
    bool shared;        /* some string has two or more entries */
    uint32_t misplaced; /* entries that lead into a string, not to its start */
    uint32_t outside;   /* entries that lead beyond the text */
    uint32_t reach;     /* bytes of the text that are searched */
    uint32_t end;       /* end of the last string that is not empty */
    uint32_t left_over; /* strings to which no entry leads */
    bool orphans;       /* there are more of these than entries that lead elsewhere */
} rgm_strings;

static uint32_t entry_at(const rgm_strings *s, uint32_t entry)
{
    return ll_le32(s->entries + (size_t)entry * rgm_string_offset_SIZE);
}

static bool is_start(const rgm_strings *s, int64_t offset)
{
    return offset >= 0 && offset < (int64_t)s->length && (offset == 0 || s->text[offset - 1] == 0);
}

/* Start of the string after the one at an offset. */
static uint32_t next_start(const rgm_strings *s, uint32_t offset)
{
    const uint8_t *nul = memchr(s->text + offset, 0, s->length - offset);
    return nul ? (uint32_t)(nul - s->text) + 1 : s->length;
}

/* No entry leads to the string. Empty strings at the very end are padding. If two entries lead to the first string, one
 * of them may mean an empty one, which then does not count. */
static bool is_left_over(const rgm_strings *s, uint32_t start)
{
    bool mistaken = s->text[start] == 0 && (s->uses[0] & USED_AGAIN);
    return s->uses[start] == 0 && start < s->end && !mistaken;
}

static uint32_t count_left_over(const rgm_strings *s)
{
    uint32_t count = 0;
    for (uint32_t start = 0; start < s->end; start = next_start(s, start)) {
        count += is_left_over(s, start);
    }
    return count;
}

static void note_entries(rgm_strings *s)
{
    uint32_t highest = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t offset = entry_at(s, i);
        if (offset >= s->length) {
            s->outside++;
            continue;
        }
        uint8_t *use = &s->uses[offset];
        *use = (uint8_t)(*use ? *use | USED_AGAIN : USED | (offset > highest ? FRESH : 0));
        highest = offset > highest ? offset : highest;
        s->shared = s->shared || (is_start(s, offset) && (*use & USED_AGAIN));
        s->misplaced += !is_start(s, offset);
    }
}

/* Finds out once which entry leads where. NULL: nothing to judge, or no memory. */
static rgm_strings *open_strings(ll_check_run *run)
{
    const rgm_section *text = rgm_section_of(run->doc, RGM_RAST);
    const rgm_section *entries = rgm_section_of(run->doc, RGM_RASB);
    rgm_memo *memo = rgm_summary_of(run->doc)->memo;
    if (memo->strings || !text->sound || !entries->sound) {
        return memo->strings;
    }
    rgm_strings *s = ll_check_alloc(run, 1, sizeof *s);
    uint8_t *uses = ll_check_zalloc(run, (size_t)text->length + 1, 1);
    if (!s || !uses) {
        return NULL;
    }
    *s = (rgm_strings){.text = ll_doc_at(run->doc, text->start),
                       .length = text->length,
                       .entries = ll_doc_at(run->doc, entries->start),
                       .count = entries->records == LL_NO_SPAN ? 0 : entries->count,
                       .uses = uses,
                       .reach = text->length < TRACE_TEXT ? text->length : TRACE_TEXT,
                       .end = text->length};
    while (s->end > 0 && s->text[s->end - 1] == 0) {
        s->end--;
    }
    note_entries(s);
    s->left_over = count_left_over(s);
    s->orphans = s->left_over > s->misplaced + s->outside;
    memo->strings = s;
    return s;
}

/* The span of the string that holds a byte of RAST. Strings are numbered by offset, and the first begins at the start
 * of RAST. */
static uint32_t string_at(const ll_doc *doc, uint32_t offset)
{
    const rgm_section *text = rgm_section_of(doc, RGM_RAST);
    LL_BISECT(behind, text->count, i, ll_doc_span(doc, text->records + i)->offset - text->start <= offset);
    return text->records + behind - 1;
}

static ll_where entry_place(const ll_doc *doc, uint32_t entry)
{
    return ll_at_field(doc, rgm_section_of(doc, RGM_RASB)->records, entry, rgm_string_offset_offset);
}

static ll_arg string_arg(const ll_doc *doc, uint32_t span)
{
    return ll_chars(ll_doc_span(doc, span)->offset, ll_doc_span(doc, span)->count);
}

/* The NUL in front of `offset` was overwritten: no string without an entry is left that the entry could mean. If
 * strings have several entries, it could mean one of those, unless two entries lead there, a new string is due there,
 * or the byte in front is no letter or digit. */
static bool is_terminator_lost(const rgm_strings *s, uint32_t offset)
{
    uint8_t c = s->text[offset - 1];
    bool letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return s->left_over == 0 && s->text[offset] && (!s->shared || (s->uses[offset] & (USED_AGAIN | FRESH)) || !letter);
}

/* Reports an entry that leads into a string. at_text: the byte in front of its target is wrong, not the entry. right:
 * the right value of the entry; LL_NO_INDEX: unknown. */
static void report_misplaced(ll_check_run *run, const rgm_strings *s, uint32_t entry, bool at_text, unsigned hint,
                             uint32_t right)
{
    uint32_t start = rgm_section_of(run->doc, RGM_RAST)->start;
    uint32_t offset = entry_at(s, entry);
    uint32_t string = string_at(run->doc, offset);
    ll_where text = ll_at_field(run->doc, string, 0, LL_STRING_TEXT);
    ll_where field = entry_place(run->doc, entry);
    ll_arg begins = ll_uint(text.offset - start);
    if (at_text) {
        text.offset = start + offset - 1;
        text.length = 1;
    }
    ll_fault fault = LL_MAKE_FAULT(0, hint, at_text ? text : field, at_text ? field : text, ll_uint(offset), begins,
                                   string_arg(run->doc, string));
    bool rises = entry && entry_at(s, entry - 1) < offset; /* else the entry may be wrong */
    rgm_report_value(run, &fault, at_text && rises ? 0 : at_text || right == LL_NO_INDEX ? UINT64_MAX : right);
}

/* Start of a string without an entry that equals the text from `offset` on: the entry meant it, but a search found the
 * longer string first. LL_NO_INDEX: there is none. */
static uint32_t find_left_over(const rgm_strings *s, uint32_t offset)
{
    uint32_t size = next_start(s, offset) - offset; /* with its NUL */
    for (uint32_t at = 0, next = 0; s->left_over && at < s->reach; at = next) {
        next = next_start(s, at);
        if (next - at == size && is_left_over(s, at) && memcmp(s->text + at, s->text + offset, size) == 0) {
            return at;
        }
    }
    return LL_NO_INDEX;
}

void rgm_check_rasb_not_start(ll_check_run *run)
{
    rgm_strings *s = open_strings(run);
    if (!s || s->misplaced == 0) {
        return;
    }
    bool recoded = ll_has_high_bytes(s->text, s->length);
    uint32_t traced = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t offset = entry_at(s, i);
        if (offset >= s->length || is_start(s, offset) || s->uses[offset] == 0) {
            continue;
        }
        bool lost = is_terminator_lost(s, offset);
        uint32_t meant = !lost && !recoded && traced++ < TRACED ? find_left_over(s, offset) : LL_NO_INDEX;
        unsigned hint = meant != LL_NO_INDEX ? RGM_HINT_SUBSTRING_MATCH
                        : recoded && !lost   ? RGM_HINT_TEXT_RECODED
                                             : RGM_HINT_NONE;
        report_misplaced(run, s, i, lost, hint, meant);
        s->uses[offset] = lost ? 0 : s->uses[offset]; /* one finding for all entries that lead after a lost NUL */
    }
}

/* The first place where the string of `length` bytes at `start` also stands as a part of another string; LL_NO_INDEX:
 * none. */
static uint32_t find_holder(const rgm_strings *s, uint32_t start, uint32_t length)
{
    for (uint32_t at = 0; length && length <= UINT8_MAX && at + length < s->reach; at++) {
        bool whole = is_start(s, at) && s->text[at + length] == 0;
        if (!whole && at != start && memcmp(s->text + at, s->text + start, length) == 0) {
            return at;
        }
    }
    return LL_NO_INDEX;
}

/* Reports strings without an entry. An entry that leads elsewhere leaves one string without an entry; these are
 * reported at the entry instead. */
void rgm_check_rast_orphan(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_section *text = rgm_section_of(doc, RGM_RAST);
    const rgm_strings *s = open_strings(run);
    uint32_t traced = 0;
    bool left_over = false;
    for (uint32_t i = 0; s && s->orphans && i < text->count; i++) {
        uint32_t string = text->records + i;
        uint32_t start = ll_doc_span(doc, string)->offset - text->start;
        uint32_t length = ll_doc_span(doc, string)->count;
        bool behind_another = left_over; /* of several in a row, only the first is reported */
        left_over = is_left_over(s, start);
        if (!left_over || behind_another) {
            continue;
        }
        uint32_t holder = traced++ < TRACED ? find_holder(s, start, length) : LL_NO_INDEX;
        bool held = holder != LL_NO_INDEX;
        LL_REPORT_RELATED(run, held ? RGM_HINT_SUBSTRING_MATCH : RGM_HINT_NONE,
                          ll_at_field(doc, string, 0, length ? LL_STRING_TEXT : LL_STRING_TERMINATOR),
                          held ? ll_at_field(doc, string_at(doc, holder), 0, LL_STRING_TEXT) : ll_nowhere(),
                          string_arg(doc, string));
    }
}

/* Reports actors with two entries of offset 0: the manager finds an empty string at the start of the first string. If
 * strings without an entry are reported, this is not. */
void rgm_check_rasb_zero_twice(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_section *text = rgm_section_of(doc, RGM_RAST);
    const rgm_strings *s = open_strings(run);
    ll_element actor;
    for (uint32_t i = 0; s && text->count && !s->orphans && rgm_actor_record(doc, i, &actor); i++) {
        uint64_t count = rgm_is_slice_sound(doc, i, RGM_RASB) ? ll_get_uint(&actor, rgm_actor_num_strings) : 0;
        uint64_t first = ll_get_uint(&actor, rgm_actor_string_offsets_index) / rgm_string_offset_SIZE;
        uint32_t earlier = LL_NO_INDEX;
        for (uint64_t k = first; ll_fits(first, count, s->count) && k < first + count; k++) {
            if (entry_at(s, (uint32_t)k) == 0 && earlier != LL_NO_INDEX) {
                LL_REPORT_RELATED(run, RGM_HINT_EMPTY_STRING, entry_place(doc, (uint32_t)k), entry_place(doc, earlier),
                                  rgm_actor_name(doc, i), string_arg(doc, text->records));
            } else if (entry_at(s, (uint32_t)k) == 0) {
                earlier = (uint32_t)k;
            }
        }
    }
}
