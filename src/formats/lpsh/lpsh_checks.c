/* C checks of light-probe harmonics (rows of lpsh_checks.def): coefficients, times, the stored name and parameters. */
#include "formats/lpsh/lpsh.h"

#include "base/half.h"
#include "base/ints.h"
#include "formats/strcode.h"

#include <string.h>

enum {
    HALF = LL_TYPE_BYTES_F16,
    SIGN = 0x8000,
    LEAST = 0x400, /* bits of the smallest normal half */
    INFINITE = 0x7C00,
    MORE = 0x200 /* added to the bits of a half: a number 1.33 to 1.5 times as large */
};

static uint16_t half_at(const uint8_t *bytes, bool big_endian)
{
    return big_endian ? ll_be16(bytes) : ll_le16(bytes);
}

/* Whether the absolute value of the coefficient at an offset of a set is at most about 1.4 times the coefficient of its
 * colour in band 0, the mean light. *lit: the mean is a positive, finite, normal number. Sky visibility has no bound:
 * it counts as within and lit. */
static bool is_within(const uint8_t *bytes, unsigned at, bool big_endian, bool *lit)
{
    const unsigned color = at % lpsh_set_at_band_1;
    const uint16_t mean = half_at(bytes + color, big_endian), value = half_at(bytes + at, big_endian);
    *lit = color == lpsh_set_at_band_0_sky_visibility || (mean >= LEAST && mean < INFINITE);
    return color == lpsh_set_at_band_0_sky_visibility || (value & ~SIGN) <= mean + MORE;
}

/* Whether the bytes are the set of a lit probe: band 0 is lit in all colours and no coefficient exceeds its bound. This
 * holds for light from any direction. */
static bool is_set(const uint8_t *bytes, bool big_endian)
{
    bool is = true, lit;
    for (unsigned at = 0; is && at < lpsh_set_SIZE; at += HALF) {
        is = is_within(bytes, at, big_endian, &lit) && lit;
    }
    return is;
}

/* Reports the first coefficient of each set that is much larger than the mean of its colour. */
void lpsh_check_light(ll_check_run *run)
{
    const ll_span *sets = ll_doc_span(run->doc, run->span);
    for (uint32_t i = 0; i < sets->count; i++) {
        const uint32_t from = sets->offset + i * lpsh_set_SIZE;
        const uint8_t *bytes = run->doc->bytes + from;
        bool lit = true;
        unsigned at = lpsh_set_at_band_1;
        while (at < lpsh_set_SIZE && (is_within(bytes, at, false, &lit) || !lit)) {
            at += HALF;
        }
        if (at < lpsh_set_SIZE) {
            ll_where where = ll_at_bytes(run->span, from + at, HALF);
            where.element = i;
            LL_REPORT(run, 0, where, ll_float(ll_half_to_double(ll_le16(bytes + at))),
                      ll_float(ll_half_to_double(ll_le16(bytes + at % lpsh_set_at_band_1))));
        }
    }
}

/* Reports sets that are plausible in the other byte order only. Adjacent sets of a probe are one finding. */
void lpsh_check_set_byte_order(ll_check_run *run)
{
    const ll_span *sets = ll_doc_span(run->doc, run->span);
    for (uint32_t i = 0, first = 0; i <= sets->count; i++) {
        const uint8_t *bytes = run->doc->bytes + sets->offset + (size_t)i * lpsh_set_SIZE;
        if (i < sets->count && !is_set(bytes, false) && is_set(bytes, true)) {
            continue;
        }
        if (first < i) {
            ll_where at = ll_at_bytes(run->span, sets->offset + first * lpsh_set_SIZE, (i - first) * lpsh_set_SIZE);
            at.element = first;
            LL_REPORT(run, 0, at, ll_uint(i - first));
        }
        first = i + 1;
    }
}

/* The time of an element, in seconds. LL_NO_INDEX: there is no such element. */
static uint32_t time_at(const ll_check_run *run, uint32_t i)
{
    ll_element record;
    return ll_element_at(run->doc, run->span, i, &record) ? (uint32_t)ll_get_uint(&record, lpsh_time_seconds)
                                                          : LL_NO_INDEX;
}

/* Times rise and lie within the day. A time that is not below the next one is wrong if it is not below the one after
 * that either; else the next one is wrong. */
void lpsh_check_times_order(ll_check_run *run)
{
    uint32_t count = ll_doc_span(run->doc, run->span)->count;
    bool first = true;
    uint32_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t now = time_at(run, i);
        bool within = now < LPSH_DAY;
        bool breaks_next = within && i + 2 < count && now >= time_at(run, i + 1) && now >= time_at(run, i + 2);
        bool rises = first || now > before;
        if (within && rises && !breaks_next) {
            first = false;
            before = now;
            continue;
        }
        LL_REPORT(run, 0, ll_at_field(run->doc, run->span, i, lpsh_time_seconds), ll_uint(now),
                  first ? ll_word("none") : ll_uint(before));
    }
}

/* ------------------------------------------------------------------ names */

/* Reports that the text of a string span should be `right`. The patch writes `right` and zeros over the text. It is
 * offered only if `right` fits into the text and its padding, and more than half of its letters are there already. */
static void report_text(ll_check_run *run, uint32_t span, const char *right)
{
    const ll_span *s = ll_doc_span(run->doc, span);
    const uint32_t length = (uint32_t)strlen(right), size = s->count > length ? s->count : length;
    const uint64_t end = ll_align_up((uint64_t)s->offset + s->count + 1, 16); /* of the padding */
    uint8_t *bytes = ll_check_zalloc(run, size + 1, 1);
    uint32_t same = 0;
    for (uint32_t i = 0; i < length && s->offset + i < end && end <= run->doc->size; i++) {
        same += run->doc->bytes[s->offset + i] == (uint8_t)right[i];
    }
    ll_fault fault = LL_MAKE_FAULT(0, 0, ll_at_field(run->doc, span, 0, LL_STRING_TEXT), ll_nowhere(),
                                   ll_chars(s->offset, s->count), ll_word(right));
    if (bytes && s->offset + size < end && 2 * same > length) { /* else it may be another text */
        memcpy(bytes, right, length);
        ll_patch_replace(run->doc, &fault, LL_PATCH_SAFE, s->offset, bytes, size);
    }
    ll_report_fault(run, &fault);
}

/* Every file has the same name and the same name hash; both are compared with constants. */
void lpsh_check_file_name(ll_check_run *run)
{
    const uint32_t name = run->doc->firsts[lpsh_name_LAYOUT] - 1;
    ll_element header;
    if (!ll_element_at(run->doc, run->span, 0, &header)) {
        return;
    }
    const uint64_t hash = ll_get_uint(&header, lpsh_header_name_hash);
    if (hash != LPSH_NAME_HASH) {
        ll_fault fault = LL_MAKE_FAULT(0, 0, ll_at_field(run->doc, run->span, 0, lpsh_header_name_hash), ll_nowhere(),
                                       ll_uint(hash), ll_uint(LPSH_NAME_HASH));
        ll_patch_field(run->doc, &fault, LL_PATCH_SAFE, LPSH_NAME_HASH);
        ll_report_fault(run, &fault);
    }
    if (name != LL_NO_SPAN && !lpsh_is_text(run->doc, name, LPSH_NAME)) {
        report_text(run, name, LPSH_NAME);
    }
}

/* ------------------------------------------------------------------ parameters */

/* Whether parameter i, whose hash and text are those of two known parameters, has the hash of another parameter of the
 * file that has the matching text as well. */
static bool is_hash_of_another(const ll_check_run *run, uint32_t i, const lpsh_parameter *p)
{
    lpsh_parameter other;
    bool is = false, may_be = p->by_text != LPSH_UNKNOWN && p->by_text != p->by_hash;
    for (uint32_t k = 0; may_be && !is && lpsh_read_parameter(run->doc, run->span, k, &other); k++) {
        is = k != i && other.by_hash == p->by_hash && other.by_text == p->by_hash;
    }
    return is;
}

/* Reports a hash that is unknown or belongs to another parameter of the file, unless it is the hash of its text. */
void lpsh_check_param_hash(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    lpsh_parameter p;
    for (uint32_t i = 0; lpsh_read_parameter(run->doc, run->span, i, &p); i++) {
        if (p.text == LL_NO_SPAN || (p.by_hash != LPSH_UNKNOWN && !is_hash_of_another(run, i, &p))) {
            continue;
        }
        const ll_span *s = ll_doc_span(doc, p.text);
        const uint32_t hash = (uint32_t)ll_get_uint(&p.record, lpsh_parameter_name_hash);
        const uint32_t right = (uint32_t)ll_strcode64_unended(ll_doc_at(doc, s->offset), s->count);
        if (hash != right) {
            ll_fault fault = LL_MAKE_FAULT(0, 0, ll_at_field(doc, run->span, i, lpsh_parameter_name_hash), ll_nowhere(),
                                           ll_uint(hash), ll_uint(right), ll_chars(s->offset, s->count));
            ll_patch_field(doc, &fault, p.by_text == LPSH_UNKNOWN ? LL_PATCH_UNSAFE : LL_PATCH_SAFE, right);
            ll_report_fault(run, &fault);
        }
    }
}

/* Reports a text that is the name of no known parameter, though the hash is that of one. */
void lpsh_check_param_name(ll_check_run *run)
{
    lpsh_parameter p;
    for (uint32_t i = 0; lpsh_read_parameter(run->doc, run->span, i, &p); i++) {
        if (p.text != LL_NO_SPAN && p.by_hash != LPSH_UNKNOWN && p.by_text == LPSH_UNKNOWN) {
            report_text(run, p.text, lpsh_parameters[p.by_hash].name);
        }
    }
}

/* Reports the first parameter whose hash and text are those of two known parameters: records or names are in the wrong
 * order. */
void lpsh_check_param_order(ll_check_run *run)
{
    lpsh_parameter p;
    for (uint32_t i = 0; lpsh_read_parameter(run->doc, run->span, i, &p); i++) {
        if (p.by_hash != LPSH_UNKNOWN && p.by_text != LPSH_UNKNOWN && p.by_hash != p.by_text &&
            !is_hash_of_another(run, i, &p)) {
            LL_REPORT(run, 0, ll_at_field(run->doc, run->span, i, lpsh_parameter_name_hash),
                      ll_word(lpsh_parameters[p.by_hash].name), ll_word(lpsh_parameters[p.by_text].name));
            return;
        }
    }
}

/* Version 4 has the parameter formatType with the value 1; version 3 does not have the parameter. */
void lpsh_check_format(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const uint32_t header = doc->firsts[lpsh_header_LAYOUT] - 1, i = lpsh_find_parameter(doc, LPSH_FORMAT);
    ll_element record, type;
    if (!ll_element_at(doc, header, 0, &record)) {
        return;
    }
    const uint64_t version = ll_get_uint(&record, lpsh_header_version);
    const bool there = i != LL_NO_INDEX && ll_element_at(doc, run->span, i, &type);
    const uint64_t value = there ? ll_get_uint(&type, lpsh_parameter_value) : 0;
    if (version == 4 && there && value != 1) {
        ll_fault fault = LL_MAKE_FAULT(0, 0, ll_at_field(doc, run->span, i, lpsh_parameter_value), ll_nowhere(),
                                       ll_uint(value), ll_uint(1), ll_uint(version));
        ll_patch_field(doc, &fault, LL_PATCH_UNSAFE, 1);
        ll_report_fault(run, &fault);
    } else if ((version == 4 && !there) || (version == 3 && there)) {
        ll_fault fault = LL_MAKE_FAULT(0, 0, ll_at_field(doc, header, 0, lpsh_header_version), ll_nowhere(),
                                       there ? ll_uint(value) : ll_word("none"), there ? ll_word("none") : ll_uint(1),
                                       ll_uint(version));
        /* The number of parameters must fit the other version; else more than the version is wrong. */
        if (ll_doc_span(doc, run->span)->count == (there ? LPSH_PARAMETERS : LPSH_FORMAT)) {
            ll_patch_field(doc, &fault, LL_PATCH_UNSAFE, there ? 4 : 3);
        }
        ll_report_fault(run, &fault);
    }
}
