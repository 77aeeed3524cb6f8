/* Predicates on text. */
#include "rules/predicate_row.h"

#include "model/names.h"
#include "rules/regex.h"

#include <string.h>

static ll_status bind_regex(ll_binding *b)
{
    return ll_regex_create(&b->arena->allocator, b->words->at[0], &b->test->regex, b->problem);
}

/* Finds the text whose hash is in the field. False: the file does not hold it, or holds another one in its place. */
static bool find_text(const ll_case *c, const uint8_t **text, uint32_t *length)
{
    const ll_doc *doc = c->subject->doc;
    const uint64_t hash = ll_case_bits(c);
    const ll_table_text *found = doc->names ? ll_find_text(doc->names, hash) : NULL;
    *text = found ? ll_doc_at(doc, found->text) : (const uint8_t *)"";
    *length = found ? found->length : 0;
    return found ? !(ll_doc_span(doc, found->span)->flags & LL_SPAN_DOUBTFUL)
                 : hash == doc->format->text_hash(*text, 0);
}

static bool holds_regex(ll_case *c)
{
    const ll_subject *s = c->subject;
    const uint8_t *text = s->bytes;
    uint32_t length = s->length;
    if (c->test->numeric && !find_text(c, &text, &length)) {
        return true;
    }
    ll_regex_result result = ll_regex_match(c->test->regex, s->matcher, text, length);
    c->miss->status = result == LL_REGEX_MEMORY ? LL_E_MEMORY : LL_OK;
    c->miss->undecided = result == LL_REGEX_LIMIT;
    if (c->miss->undecided && s->matcher->undecided++ == 0) {
        s->matcher->pattern = c->test->words->at[0];
        s->matcher->at =
            (ll_where){s->span, s->element, c->test->field_number, LL_NO_PART, ll_subject_offset(s), s->length};
    }
    return result == LL_REGEX_YES || c->miss->undecided; /* reported by the rule `undecided` instead */
}

static void expect_regex(const ll_case *c, ll_text *out)
{
    ll_text_format(out, "text that matches %s", c->test->words->at[0]);
}

static bool is_printable(uint8_t byte)
{
    return byte >= 0x20 && byte <= 0x7E;
}

static ll_status bind_printable(ll_binding *b)
{
    return ll_bind_word(b, "terminated");
}

/* The miss is the first run of unprintable bytes, or the whole field if only the NUL is missing. */
static bool holds_printable(ll_case *c)
{
    const uint8_t *bytes = c->subject->bytes;
    const uint8_t *nul = c->test->which ? memchr(bytes, 0, c->subject->length) : NULL;
    uint32_t length = nul ? (uint32_t)(nul - bytes) : c->subject->length;
    uint32_t first = 0;
    while (first < length && is_printable(bytes[first])) {
        first++;
    }
    uint32_t end = first;
    while (end < length && !is_printable(bytes[end])) {
        end++;
    }
    if (first < end) {
        ll_miss_set_bytes(c, first, end);
    }
    return first == end && (nul || !c->test->which);
}

static void expect_printable(const ll_case *c, ll_text *out)
{
    ll_text_str(out, "printable ASCII characters");
    ll_text_str(out, c->test->which ? ", then a NUL" : " only");
}

static bool holds_not_empty(ll_case *c)
{
    return c->subject->length && c->subject->bytes[0] != 0;
}

static bool holds_zero_after_nul(ll_case *c)
{
    const uint8_t *bytes = c->subject->bytes;
    uint32_t first = 0;
    uint32_t end = c->subject->length;
    while (first < end && bytes[first] != 0) {
        first++;
    }
    while (first < end && bytes[first] == 0) {
        first++;
    }
    while (first < end && bytes[end - 1] == 0) {
        end--;
    }
    if (first < end) {
        ll_miss_set_bytes(c, first, end);
    }
    return first == end;
}

static const ll_predicate rows[] = {
    {.name = "regex",
     .accepts = LL_HOLDS_CHARS | LL_HOLDS_TEXT | LL_HOLDS_HASH,
     .values = LL_ONE_VALUE,
     .bind = bind_regex,
     .holds = holds_regex,
     .expect = expect_regex,
     .asks = "ll_screen_matches"},
    {.name = "printable",
     .accepts = LL_HOLDS_CHARS | LL_HOLDS_TEXT,
     .values = LL_SOME_VALUES,
     .bind = bind_printable,
     .holds = holds_printable,
     .expect = expect_printable,
     .asks = "ll_screen_printable"},
    {.name = "not_empty",
     .accepts = LL_HOLDS_CHARS | LL_HOLDS_TEXT,
     .holds = holds_not_empty,
     .words = "text that does not begin with a NUL",
     .asks = "ll_screen_not_empty"},
    {.name = "zero_after_nul",
     .accepts = LL_HOLDS_CHARS,
     .holds = holds_zero_after_nul,
     .words = "nothing but NULs after the first NUL",
     .right_bytes = ll_put_zeros,
     .asks = "ll_screen_zero_after_nul"},
};
const ll_predicates ll_text_predicates = LL_PREDICATES(rows);
