/* Claims every byte of a file of light-probe harmonics. Everything stands where what is before it ends, so that each
 * place is computed, and an offset or size that states another one is told. A count is believed where offsets or the
 * end of the file bear it out; else the one that they tell of is taken. */
#include "formats/lpsh/lpsh.h"

#include "base/ints.h"
#include "formats/strcode.h"

#include <string.h>

enum {
    LEAST_FILE = LPSH_PARAMETERS_AT + 2 * lpsh_parameter_SIZE,
    PARAMETERS_MAX = 16,
    PARAMETER_NAME_ROOM = 16 /* of a parameter that is not known, where its name has no NUL */
};

const char lpsh_file_name[] = "LightProbeSHCoefficients";

const lpsh_known_parameter lpsh_parameters[LPSH_PARAMETERS] = {
    [LPSH_PROBES] = {UINT32_C(0xCEA22E52), "numLightProbes"},
    [LPSH_TIMES] = {UINT32_C(0xDA990A4A), "numDiv"},
    [LPSH_FORMAT] = {UINT32_C(0xCE0E17C5), "formatType"},
};

typedef struct walk {
    ll_doc *doc;
    uint32_t header, node, parameter;  /* spans; the last one is an array */
    uint32_t element[LPSH_PARAMETERS]; /* of the parameter, LL_NO_INDEX: there is none */
    uint32_t count[LPSH_PARAMETERS];   /* probes, times; as stated until solve_counts() */
    uint32_t pos;                      /* everything before it is claimed */
    uint32_t end;                      /* of the data */
    uint32_t paddings;                 /* claimed */
    bool cut;                          /* the file ends before that; a fault says so */
    bool doubtful;                     /* so is the number of parameters, and no place behind them is certain */
} walk;

ll_probe_result lpsh_probe(const uint8_t *bytes, size_t size)
{
    if (size < LPSH_NODE_AT) {
        return LL_PROBE_NO;
    }
    bool named = ll_le32(bytes + lpsh_header_at_name_hash) == LPSH_NAME_HASH;
    bool placed = ll_le32(bytes + lpsh_header_at_node_offset) == LPSH_NODE_AT &&
                  ll_le32(bytes + lpsh_header_at_name_offset) == LPSH_NAME_AT;
    return named && placed ? LL_PROBE_SURE : named || placed ? LL_PROBE_MAYBE : LL_PROBE_NO;
}

static uint32_t word_at(const walk *w, uint64_t at)
{
    return ll_le32(w->doc->bytes + at);
}

/* A field whose value the places of everything else decide. */
static void expect(const walk *w, unsigned fault, ll_where at, uint64_t stated, uint64_t computed)
{
    if (stated != computed) {
        ll_fault f = LL_MAKE_FAULT(fault, 0, at, ll_nowhere(), ll_uint(stated), ll_uint(computed));
        if (!w->doubtful) {
            ll_patch_field(w->doc, &f, LL_PATCH_SAFE, computed);
        }
        ll_raise(w->doc, &f);
    }
}

static void expect_field(const walk *w, unsigned fault, uint32_t span, uint32_t element, unsigned field, uint32_t value)
{
    ll_element record;
    if (ll_element_at(w->doc, span, element, &record)) {
        expect(w, fault, ll_at_field(w->doc, span, element, field), ll_get_uint(&record, field), value);
    }
}

/* Padding from what was claimed last to the next part. */
static void pad_to(walk *w, uint64_t to)
{
    uint32_t end = to < w->end ? (uint32_t)to : w->end;
    if (w->pos < end) {
        (void)ll_claim_group(w->doc, LL_NO_SPAN, lpsh_padding_LAYOUT, w->pos, end, w->paddings++);
        w->pos = end;
    }
}

static void pad(walk *w)
{
    pad_to(w, ll_align_up(w->pos, LPSH_UNIT));
}

/* What is left is not read; where no fault said so, the file is cut. */
static void stop(walk *w)
{
    w->doc->fatal = true;
    ll_mark_span(w->doc, ll_claim_unparsed(w->doc, LL_NO_SPAN, w->pos, w->end), LL_SPAN_TOLD);
    w->pos = w->end;
}

/* A text and the byte behind it, which should be a NUL. */
static uint32_t claim_text(walk *w, uint16_t layout, uint32_t length, uint32_t index)
{
    uint32_t from = w->pos;
    w->pos += length + 1;
    return ll_claim_string(w->doc, LL_NO_SPAN, layout, from, w->pos, length, index);
}

/* ------------------------------------------------------------------ header, node, parameters */

/* Where header and node agree that the file ends elsewhere, that is one fault and no two. */
static void judge_size(walk *w, ll_where doubtful)
{
    ll_doc *doc = w->doc;
    ll_element header, node;
    if (!ll_element_at(doc, w->header, 0, &header) || !ll_element_at(doc, w->node, 0, &node)) {
        return;
    }
    uint32_t stated = (uint32_t)ll_get_uint(&header, lpsh_header_file_size);
    uint64_t data_end =
        LPSH_NODE_AT + ll_get_uint(&node, lpsh_node_data_offset) + ll_get_uint(&node, lpsh_node_data_size);
    if (stated != data_end || stated == doc->size || stated < LEAST_FILE) {
        expect_field(w, LPSH_FAULT_SIZE, w->header, 0, lpsh_header_file_size, doc->size);
        return;
    }
    w->cut = stated > doc->size;
    if (w->cut) {
        LL_RAISE_RELATED(doc, LPSH_FAULT_TRUNCATED, 0, ll_at_bytes(LL_NO_SPAN, doc->size, 0), doubtful,
                         ll_uint(doc->size), ll_uint(stated));
        doc->unread = true;
    } else {
        w->end = stated;
    }
}

static void claim_name(walk *w)
{
    ll_doc *doc = w->doc;
    uint32_t length = sizeof lpsh_file_name - 1;
    expect_field(w, LPSH_FAULT_NAME, w->header, 0, lpsh_header_name_hash, LPSH_NAME_HASH);
    expect_field(w, LPSH_FAULT_NAME, w->header, 0, lpsh_header_name_offset, LPSH_NAME_AT);
    uint32_t span = ll_claim_string(doc, LL_NO_SPAN, lpsh_name_LAYOUT, LPSH_NAME_AT, LPSH_NAME_AT + length + 1, length,
                                    LL_NO_INDEX);
    if (memcmp(doc->bytes + LPSH_NAME_AT, lpsh_file_name, length) != 0) {
        ll_fault f = LL_MAKE_FAULT(LPSH_FAULT_NAME, 0, ll_at_field(doc, span, 0, LL_STRING_TEXT), ll_nowhere(),
                                   ll_chars(LPSH_NAME_AT, length), ll_word(lpsh_file_name));
        ll_patch_bytes(doc, &f, LL_PATCH_SAFE, LPSH_NAME_AT, length, (const uint8_t *)lpsh_file_name, length);
        ll_raise(doc, &f);
    }
    w->pos = LPSH_NAME_AT + length + 1;
    pad_to(w, LPSH_PARAMETERS_AT);
}

/* Three places tell how many parameters there are; two of them are believed. */
static uint32_t count_parameters(walk *w)
{
    uint32_t by_chain = 0;
    for (uint32_t at = LPSH_PARAMETERS_AT, i = 1; i <= PARAMETERS_MAX && ll_fits(at, lpsh_parameter_SIZE, w->end);
         i++) {
        uint16_t next = ll_le16(w->doc->bytes + at + lpsh_parameter_at_next_offset);
        if (next == 0) {
            by_chain = i;
        }
        if (next != lpsh_parameter_SIZE) {
            break;
        }
        at += next;
    }
    uint32_t to_name = word_at(w, LPSH_PARAMETERS_AT + lpsh_parameter_at_name_offset) + lpsh_parameter_at_name_hash;
    uint32_t by_name = to_name % lpsh_parameter_SIZE == 0 ? to_name / lpsh_parameter_SIZE : 0;
    uint32_t version = word_at(w, lpsh_header_at_version);
    uint32_t by_version = version == 3 ? LPSH_FORMAT : version == 4 ? LPSH_PARAMETERS : 0;
    uint32_t count = by_name && by_name == by_version ? by_name : by_chain ? by_chain : by_version;
    bool fits =
        count && count <= PARAMETERS_MAX && ll_fits(LPSH_PARAMETERS_AT, (uint64_t)count * lpsh_parameter_SIZE, w->end);
    count = fits ? count : LPSH_FORMAT;
    w->doubtful = (count == by_chain) + (count == by_name) + (count == by_version) < 2;
    return count;
}

/* The known parameter that has a hash. */
static unsigned parameter_of_hash(uint32_t hash)
{
    unsigned i = 0;
    while (i < LPSH_PARAMETERS && lpsh_parameters[i].hash != hash) {
        i++;
    }
    return i;
}

/* The known parameter whose name stands at a place. */
static unsigned parameter_of_name(const walk *w, uint32_t at)
{
    for (unsigned i = 0; i < LPSH_PARAMETERS; i++) {
        size_t size = strlen(lpsh_parameters[i].name) + 1;
        if (ll_fits(at, size, w->end) && memcmp(w->doc->bytes + at, lpsh_parameters[i].name, size) == 0) {
            return i;
        }
    }
    return LPSH_UNKNOWN;
}

/* Name, which is a string, and hash of an element against each other. */
static void judge_parameter(const walk *w, uint32_t element, unsigned known, uint32_t name, uint32_t length)
{
    ll_doc *doc = w->doc;
    ll_where where = ll_at_field(doc, name, 0, LL_STRING_TEXT);
    uint32_t at = where.offset;
    const uint8_t *text = doc->bytes + at;
    ll_element parameter;
    if (!ll_element_at(doc, w->parameter, element, &parameter)) {
        return;
    }
    uint32_t hash = (uint32_t)ll_get_uint(&parameter, lpsh_parameter_name_hash);
    if (known != LPSH_UNKNOWN && lpsh_parameters[known].hash == hash) {
        if (memcmp(text, lpsh_parameters[known].name, length) != 0) {
            ll_fault f = LL_MAKE_FAULT(LPSH_FAULT_PARAM_NAME, 0, where, ll_nowhere(), ll_chars(at, length),
                                       ll_word(lpsh_parameters[known].name));
            ll_patch_bytes(doc, &f, LL_PATCH_SAFE, at, length, (const uint8_t *)lpsh_parameters[known].name, length);
            ll_raise(doc, &f);
        }
        return;
    }
    uint32_t right = text[length] ? hash : (uint32_t)ll_strcode64(text, length);
    if (hash != right) {
        ll_fault f =
            LL_MAKE_FAULT(LPSH_FAULT_PARAM_HASH, 0, ll_at_field(doc, w->parameter, element, lpsh_parameter_name_hash),
                          ll_nowhere(), ll_uint(hash), ll_uint(right), ll_chars(at, length));
        ll_patch_field(doc, &f, known == LPSH_UNKNOWN ? LL_PATCH_UNSAFE : LL_PATCH_SAFE, right);
        ll_raise(doc, &f);
    }
}

static void judge_format(const walk *w)
{
    ll_doc *doc = w->doc;
    uint32_t version = word_at(w, lpsh_header_at_version), element = w->element[LPSH_FORMAT];
    bool there = element != LL_NO_INDEX;
    if (version == 4 && there && w->count[LPSH_FORMAT] != 1) {
        ll_fault f = LL_MAKE_FAULT(LPSH_FAULT_FORMAT, 0, ll_at_field(doc, w->parameter, element, lpsh_parameter_value),
                                   ll_nowhere(), ll_uint(w->count[LPSH_FORMAT]), ll_uint(1), ll_uint(version));
        ll_patch_field(doc, &f, LL_PATCH_UNSAFE, 1);
        ll_raise(doc, &f);
    } else if ((version == 4 && !there) || (version == 3 && there)) {
        ll_fault f = LL_MAKE_FAULT(LPSH_FAULT_FORMAT, 0, ll_at_field(doc, w->header, 0, lpsh_header_version),
                                   ll_nowhere(), there ? ll_uint(w->count[LPSH_FORMAT]) : ll_word("none"),
                                   there ? ll_word("none") : ll_uint(1), ll_uint(version));
        if (there || ll_doc_span(doc, w->parameter)->count < LPSH_PARAMETERS) { /* else it is there, but not its name */
            ll_patch_field(doc, &f, LL_PATCH_UNSAFE, there ? 4 : 3);
        } else {
            ll_patch_none(&f);
        }
        ll_raise(doc, &f);
    }
}

/* The chain and the names behind it; false: the data cannot be read without what is missing. */
static bool claim_parameters(walk *w)
{
    ll_doc *doc = w->doc;
    uint32_t count = count_parameters(w);
    expect_field(w, LPSH_FAULT_PARAM_CHAIN, w->node, 0, lpsh_node_parameter_offset, LPSH_PARAMETERS_AT - LPSH_NODE_AT);
    w->parameter = ll_claim_array(doc, LL_NO_SPAN, lpsh_parameter_LAYOUT, LPSH_PARAMETERS_AT, count);
    w->pos = LPSH_PARAMETERS_AT + count * lpsh_parameter_SIZE;
    bool any_displaced = false;
    ll_element parameter;
    for (uint32_t i = 0; ll_element_at(doc, w->parameter, i, &parameter) && doc->status == LL_OK; i++) {
        uint32_t at = w->pos;
        unsigned named = parameter_of_name(w, at);
        unsigned known = parameter_of_hash((uint32_t)ll_get_uint(&parameter, lpsh_parameter_name_hash));
        known = known == LPSH_UNKNOWN ? named : known;
        bool displaced = named != LPSH_UNKNOWN && named != known; /* the record stands where another one should */
        const uint8_t *nul = memchr(doc->bytes + at, 0, w->end - at);
        unsigned text = displaced ? named : known;
        uint32_t length = text != LPSH_UNKNOWN ? (uint32_t)strlen(lpsh_parameters[text].name)
                          : nul                ? (uint32_t)(nul - doc->bytes) - at
                                               : PARAMETER_NAME_ROOM - 1;
        if (!ll_fits(at, (uint64_t)length + 1, w->end)) {
            if (w->cut) {
                return false;
            }
            break;
        }
        uint32_t name = claim_text(w, lpsh_parameter_name_LAYOUT, length, i);
        if (!displaced) {
            expect_field(w, LPSH_FAULT_PARAM_CHAIN, w->parameter, i, lpsh_parameter_next_offset,
                         i + 1 < count ? lpsh_parameter_SIZE : 0);
            judge_parameter(w, i, known, name, length);
        } else if (!any_displaced) {
            LL_RAISE(doc, LPSH_FAULT_PARAM_ORDER, 0, ll_at_field(doc, w->parameter, i, lpsh_parameter_name_hash),
                     ll_word(lpsh_parameters[known].name), ll_word(lpsh_parameters[named].name));
        }
        any_displaced = any_displaced || displaced;
        expect_field(w, LPSH_FAULT_PARAM_NAME_OFFSET, w->parameter, i, lpsh_parameter_name_offset,
                     at - (LPSH_PARAMETERS_AT + i * lpsh_parameter_SIZE + lpsh_parameter_at_name_hash));
        if (known != LPSH_UNKNOWN) {
            w->element[known] = i;
            w->count[known] = (uint32_t)ll_get_uint(&parameter, lpsh_parameter_value);
        }
        pad(w);
    }
    judge_format(w);
    unsigned missing = w->element[LPSH_PROBES] == LL_NO_INDEX  ? LPSH_PROBES
                       : w->element[LPSH_TIMES] == LL_NO_INDEX ? LPSH_TIMES
                                                               : LPSH_UNKNOWN;
    if (missing != LPSH_UNKNOWN && !w->cut) {
        LL_RAISE(doc, LPSH_FAULT_PARAM_MISSING, 0, ll_at_field(doc, w->node, 0, lpsh_node_parameter_offset),
                 ll_word(lpsh_parameters[missing].name), ll_uint(count));
    }
    return missing == LPSH_UNKNOWN;
}

/* ------------------------------------------------------------------ counts */

static uint64_t times_size(uint32_t times)
{
    return ll_align_up((uint64_t)times * lpsh_time_SIZE, LPSH_UNIT);
}

static uint64_t probes_size(uint32_t probes)
{
    return ll_align_up((uint64_t)probes * lpsh_probe_SIZE, LPSH_UNIT);
}

/* A field of a row of the table at `rows`. */
static uint32_t row_word(const walk *w, uint64_t rows, uint32_t row, unsigned at)
{
    return word_at(w, rows + (uint64_t)row * lpsh_probe_SIZE + at);
}

/* The names of the rows rise from `names` on. */
static bool names_rise(const walk *w, uint64_t rows, uint32_t probes, uint64_t names)
{
    uint64_t last = names - 1;
    for (uint32_t i = 0; i < probes; i++) {
        uint32_t name = row_word(w, rows, i, lpsh_probe_at_name_offset);
        if (name <= last || name >= w->end) {
            return false;
        }
        last = name;
    }
    return probes == 0 || row_word(w, rows, 0, lpsh_probe_at_name_offset) == names;
}

/* Names and sets of so many probes end where the data do. */
static bool ends_agree(const walk *w, uint64_t rows, uint32_t times, uint32_t probes)
{
    uint64_t pos = rows + probes_size(probes), sets = 0;
    for (uint32_t i = 0; i < probes; i++) {
        const uint8_t *nul = pos < w->end ? memchr(w->doc->bytes + pos, 0, (size_t)(w->end - pos)) : NULL;
        if (!nul) {
            return false;
        }
        pos = (uint64_t)(nul - w->doc->bytes) + 1;
        sets += lpsh_set_count(row_word(w, rows, i, lpsh_probe_at_flags), times);
    }
    return ll_align_up(ll_align_up(pos, LPSH_UNIT) + sets * lpsh_set_SIZE, LPSH_UNIT) == w->end;
}

/* So many times rise, and zeros follow up to the rows. */
static bool times_end(const walk *w, uint32_t times, uint64_t rows)
{
    uint64_t at = w->pos, end = at + (uint64_t)times * lpsh_time_SIZE;
    for (int64_t last = -1; at < end && word_at(w, at) > last && word_at(w, at) < LPSH_DAY; at += lpsh_time_SIZE) {
        last = word_at(w, at);
    }
    bool rise = at == end;
    while (at < rows && word_at(w, at) == 0) {
        at += lpsh_time_SIZE;
    }
    return rise && at == rows;
}

typedef struct counts {
    uint32_t times, probes;
    unsigned borne_out; /* by how much of: all names rise from the end of the table, names and sets end with the data;
                           then also the times end where they should */
} counts;

/* Takes these counts where more bears them out. */
static void weigh(const walk *w, uint64_t times, uint64_t probes, counts *best)
{
    if (times * lpsh_time_SIZE > w->end || probes * lpsh_probe_SIZE > w->end) {
        return;
    }
    counts c = {(uint32_t)times, (uint32_t)probes, 0};
    uint64_t rows = w->pos + times_size(c.times), names = rows + probes_size(c.probes);
    if (names <= w->end) {
        c.borne_out = (unsigned)names_rise(w, rows, c.probes, names) + ends_agree(w, rows, c.times, c.probes);
        c.borne_out += c.borne_out && times_end(w, c.times, rows);
        *best = c.borne_out > best->borne_out ? c : *best;
    }
}

/* Other times with so many probes: those with which the first row leads to the end of the table. A time of 0 is the
 * first or padding. */
static void weigh_times(const walk *w, uint32_t probes, counts *best)
{
    uint64_t rows = w->pos, size = probes_size(probes);
    while (probes && rows + size <= w->end && row_word(w, rows, 0, lpsh_probe_at_name_offset) != rows + size) {
        rows += LPSH_UNIT;
    }
    if (probes == 0 || rows + size > w->end) {
        return;
    }
    uint32_t most = (uint32_t)(rows - w->pos) / lpsh_time_SIZE, least = most > 3 ? most - 3 : 0, likely = most;
    while (likely > least && word_at(w, w->pos + (uint64_t)(likely - 1) * lpsh_time_SIZE) == 0) {
        likely--;
    }
    weigh(w, likely, probes, best);
    for (uint32_t times = least; times <= most; times++) {
        weigh(w, times, probes, best);
    }
}

/* Other probes with so many times: those that the first name leaves room for. */
static void weigh_probes(const walk *w, uint32_t times, counts *best)
{
    uint64_t rows = w->pos + times_size(times);
    if (!ll_fits(rows, lpsh_probe_SIZE, w->end)) {
        return;
    }
    uint64_t names = row_word(w, rows, 0, lpsh_probe_at_name_offset);
    for (uint64_t i = 0; names > rows && names < w->end && i < 2; i++) {
        uint64_t probes = (names - rows) / lpsh_probe_SIZE - i;
        if (probes < UINT32_MAX && probes_size((uint32_t)probes) == names - rows) {
            weigh(w, times, probes, best);
        }
    }
}

static void raise_count(const walk *w, unsigned fault, unsigned parameter, uint32_t right, bool certain)
{
    ll_where at = ll_at_field(w->doc, w->parameter, w->element[parameter], lpsh_parameter_value);
    ll_fault f = LL_MAKE_FAULT(fault, 0, at, ll_nowhere(), ll_uint(w->count[parameter]),
                               right == UINT32_MAX ? ll_word("a number that the file has room for") : ll_uint(right));
    if (right != UINT32_MAX && certain) {
        ll_patch_field(w->doc, &f, LL_PATCH_UNSAFE, right);
    } else {
        ll_patch_none(&f);
    }
    ll_raise(w->doc, &f);
}

/* The counts that go with everything else, which replace those that the file states; false: they do not fit. */
static bool solve_counts(walk *w)
{
    uint32_t times = w->count[LPSH_TIMES], probes = w->count[LPSH_PROBES], left = w->end - w->pos;
    bool fit = times_size(times) + probes_size(probes) <= left;
    counts best = {times, probes, 0};
    weigh(w, times, probes, &best);
    if (best.borne_out < 3 && !w->cut) {
        weigh_times(w, probes, &best);
        weigh_probes(w, times, &best);
    }
    if (best.times != times) {
        uint64_t from = w->pos + (uint64_t)best.times * lpsh_time_SIZE, to = w->pos + (uint64_t)times * lpsh_time_SIZE;
        bool zeros = from < to && to <= w->end && ll_is_zero(w->doc->bytes + from, w->doc->bytes + to);
        raise_count(w, LPSH_FAULT_TIMES_RANGE, LPSH_TIMES, best.times, best.borne_out >= 3 && !zeros);
    }
    if (best.probes != probes) {
        raise_count(w, LPSH_FAULT_PROBE_RANGE, LPSH_PROBES, best.probes, best.borne_out >= 3);
    }
    if (!fit && best.borne_out == 0) {
        if (!w->cut) {
            bool too_late = times_size(times) > left;
            raise_count(w, too_late ? LPSH_FAULT_TIMES_RANGE : LPSH_FAULT_PROBE_RANGE,
                        too_late ? LPSH_TIMES : LPSH_PROBES, UINT32_MAX, false);
        }
        return false;
    }
    w->count[LPSH_TIMES] = best.times;
    w->count[LPSH_PROBES] = best.probes;
    return true;
}

/* ------------------------------------------------------------------ data */

/* The offsets of all sets go by whole sets from one to the next, and from the last one to the end. */
static bool sets_packed(const walk *w, uint64_t rows, uint32_t probes)
{
    for (uint32_t i = 0; i < probes; i++) {
        uint64_t from = row_word(w, rows, i, lpsh_probe_at_data_offset);
        bool last = i + 1 == probes;
        uint64_t to = last ? w->end : row_word(w, rows, i + 1, lpsh_probe_at_data_offset);
        bool whole = from < to && to <= w->end && (to - from) / lpsh_set_SIZE > 0 &&
                     (to - from) % lpsh_set_SIZE < (last ? LPSH_UNIT : 1);
        if (!whole || (i == 0 && from % LPSH_UNIT)) {
            return false;
        }
    }
    return probes > 0;
}

/* An offset of a row against where that stands. */
static void judge_offset(const walk *w, uint32_t table, uint32_t row, unsigned field, uint32_t right)
{
    ll_doc *doc = w->doc;
    ll_element record;
    if (!ll_element_at(doc, table, row, &record)) {
        return;
    }
    uint64_t stated = ll_get_uint(&record, field);
    unsigned within = field == lpsh_probe_data_offset ? LPSH_FAULT_DATA_PLACE : LPSH_FAULT_ORDER;
    unsigned fault = stated < doc->size ? within : LPSH_FAULT_OFFSET_RANGE;
    expect(w, fault, ll_at_field(doc, table, row, field), stated, right);
}

/* Offsets tell where names end better than NULs do: they rise, and more of them would be wrong if the NULs were right
 * than the reverse, or the last name would be nothing. */
static bool names_go_by_offsets(const walk *w, uint64_t rows, uint32_t names)
{
    uint32_t probes = w->count[LPSH_PROBES], unlike = 0, unended = 0;
    if (!names_rise(w, rows, probes, names)) {
        return false;
    }
    const uint8_t *bytes = w->doc->bytes, *next = bytes + names;
    for (uint32_t i = 0; i < probes; i++) {
        uint32_t name = row_word(w, rows, i, lpsh_probe_at_name_offset);
        unended += i && bytes[name - 1];
        unlike += next != bytes + name;
        const uint8_t *nul = next < bytes + w->end ? memchr(next, 0, (size_t)(bytes + w->end - next)) : NULL;
        if (!nul || (i + 1 == probes && nul == next)) {
            return true;
        }
        next = nul + 1;
    }
    return unended < unlike;
}

/* The names behind the table. `limit`: where the sets begin, or the end. False: there are fewer names than probes. */
static bool claim_names(walk *w, uint32_t table, uint64_t rows, uint32_t limit)
{
    ll_doc *doc = w->doc;
    uint32_t probes = w->count[LPSH_PROBES];
    bool packed = names_go_by_offsets(w, rows, w->pos);
    for (uint32_t i = 0; i < probes && doc->status == LL_OK; i++) {
        uint32_t from = w->pos;
        bool last = i + 1 == probes;
        uint32_t to = packed && !last ? row_word(w, rows, i + 1, lpsh_probe_at_name_offset) : limit;
        bool stated = last ? limit < w->end : packed; /* an offset says that the name ends there */
        const uint8_t *nul = from < to ? memchr(doc->bytes + from, 0, to - from) : NULL;
        if (from >= to || (!nul && !stated)) {
            if (!w->cut) {
                LL_RAISE(doc, LPSH_FAULT_NAME_RANGE, 0, ll_at_field(doc, table, i, lpsh_probe_name_offset), ll_uint(i),
                         ll_uint(probes));
            }
            return false;
        }
        (void)claim_text(w, lpsh_probe_name_LAYOUT, nul ? (uint32_t)(nul - doc->bytes) - from : to - from - 1, i);
        if (stated) {
            pad_to(w, to);
        }
        if (!packed) {
            judge_offset(w, table, i, lpsh_probe_name_offset, from);
        }
    }
    return doc->status == LL_OK;
}

/* The sets; false: they go beyond the end of a file that is cut. */
static bool claim_sets(walk *w, uint32_t table, uint64_t rows, bool packed)
{
    ll_doc *doc = w->doc;
    uint32_t probes = w->count[LPSH_PROBES];
    for (uint32_t i = 0; i < probes && doc->status == LL_OK; i++) {
        uint32_t flags = row_word(w, rows, i, lpsh_probe_at_flags), left = w->end - w->pos;
        uint64_t asked = lpsh_set_count(flags, w->count[LPSH_TIMES]), count = asked;
        if (packed) {
            uint32_t to = i + 1 < probes ? row_word(w, rows, i + 1, lpsh_probe_at_data_offset) : w->end;
            count = (to - w->pos) / lpsh_set_SIZE;
        }
        if (count > left / lpsh_set_SIZE) {
            if (w->cut) {
                return false;
            }
            count = left / lpsh_set_SIZE;
        }
        if (count != asked) {
            LL_RAISE(doc, LPSH_FAULT_OVERLAP, 0, ll_at_field(doc, table, i, lpsh_probe_flags), ll_uint(asked),
                     ll_uint(count));
        }
        if (!packed) {
            judge_offset(w, table, i, lpsh_probe_data_offset, w->pos);
        }
        uint32_t size = (uint32_t)count * lpsh_set_SIZE;
        uint32_t group = ll_claim_group(doc, LL_NO_SPAN, lpsh_sets_LAYOUT, w->pos, w->pos + size, i);
        (void)ll_claim_array(doc, group, lpsh_set_LAYOUT, w->pos, (uint32_t)count);
        w->pos += size;
    }
    return doc->status == LL_OK;
}

static bool claim_data(walk *w)
{
    ll_doc *doc = w->doc;
    expect_field(w, LPSH_FAULT_DATA_OFFSET, w->node, 0, lpsh_node_data_offset, w->pos - LPSH_NODE_AT);
    if (!w->cut && w->end == doc->size) {
        expect_field(w, LPSH_FAULT_DATA_SIZE, w->node, 0, lpsh_node_data_size, w->end - w->pos);
    }
    if (!solve_counts(w)) {
        return false;
    }
    uint32_t times = w->count[LPSH_TIMES], probes = w->count[LPSH_PROBES];
    (void)ll_claim_array(doc, LL_NO_SPAN, lpsh_time_LAYOUT, w->pos, times);
    w->pos += times * lpsh_time_SIZE;
    pad(w);
    uint32_t rows = w->pos;
    uint32_t table = ll_claim_array(doc, LL_NO_SPAN, lpsh_probe_LAYOUT, rows, probes);
    w->pos += probes * lpsh_probe_SIZE;
    pad(w);
    bool packed = !w->cut && sets_packed(w, rows, probes) && row_word(w, rows, 0, lpsh_probe_at_data_offset) > w->pos;
    uint32_t sets = packed ? row_word(w, rows, 0, lpsh_probe_at_data_offset) : w->end;
    if (!claim_names(w, table, rows, sets)) {
        return false;
    }
    if (packed) {
        pad_to(w, sets);
    } else {
        pad(w);
    }
    if (!claim_sets(w, table, rows, packed)) {
        return false;
    }
    if (w->end == doc->size) {
        pad(w);
    }
    return true;
}

/* ------------------------------------------------------------------ the file */

/* A file for a console, of which nothing is read. */
static bool is_big_endian(const ll_doc *doc)
{
    return ll_le16(doc->bytes) == 0 && (ll_be32(doc->bytes + lpsh_header_at_node_offset) == LPSH_NODE_AT ||
                                        ll_be32(doc->bytes + lpsh_header_at_file_size) == doc->size);
}

/* Nothing else is said of the file. */
static void raise_shift(walk *w, const ll_shift *shift)
{
    bool more = shift->more > 0;
    if (shift->from < LPSH_NODE_AT) {
        ll_mark_span(w->doc, w->header, LL_SPAN_BROKEN | LL_SPAN_TOLD);
    }
    if (shift->from < LPSH_NAME_AT) {
        ll_mark_span(w->doc, w->node, LL_SPAN_BROKEN | LL_SPAN_TOLD);
    }
    ll_fault fault =
        LL_MAKE_FAULT(LPSH_FAULT_SHIFTED, 0, ll_shift_place(w->doc, shift), ll_nowhere(),
                      ll_uint((uint64_t)(more ? shift->more : -shift->more)), ll_word(more ? "put in" : "taken out"));
    ll_patch_moved(w->doc, &fault, fault.at, shift->more);
    ll_raise(w->doc, &fault);
    w->doc->unread = true;
    w->pos = LPSH_NAME_AT;
    stop(w);
}

void lpsh_parse(ll_doc *doc)
{
    walk w = {.doc = doc, .end = doc->size, .element = {LL_NO_INDEX, LL_NO_INDEX, LL_NO_INDEX}};
    if (doc->size < LEAST_FILE) {
        LL_RAISE(doc, LPSH_FAULT_TOO_SHORT, 0, ll_at_bytes(LL_NO_SPAN, 0, doc->size), ll_uint(doc->size),
                 ll_uint(LEAST_FILE));
        stop(&w);
        return;
    }
    w.header = ll_claim_fixed(doc, LL_NO_SPAN, lpsh_header_LAYOUT, 0);
    if (is_big_endian(doc)) {
        LL_RAISE(doc, LPSH_FAULT_BYTE_ORDER, 0, ll_at_field(doc, w.header, 0, lpsh_header_version),
                 ll_uint(word_at(&w, lpsh_header_at_version)));
        ll_mark_unsupported(doc);
        ll_mark_span(doc, w.header, LL_SPAN_BROKEN);
        w.pos = lpsh_header_SIZE;
        stop(&w);
        return;
    }
    w.node = ll_claim_fixed(doc, LL_NO_SPAN, lpsh_node_LAYOUT, LPSH_NODE_AT);
    if (doc->status != LL_OK) {
        return;
    }
    ll_shift shift;
    if (lpsh_find_shift(doc, &shift)) {
        raise_shift(&w, &shift);
        return;
    }
    bool outside = word_at(&w, lpsh_header_at_node_offset) > doc->size - lpsh_node_SIZE;
    expect_field(&w, outside ? LPSH_FAULT_NODE_OFFSET : LPSH_FAULT_NODE_PLACE, w.header, 0, lpsh_header_node_offset,
                 LPSH_NODE_AT);
    ll_where doubtful = shift.best > 0 ? ll_shift_place(doc, &shift) : ll_nowhere();
    judge_size(&w, doubtful);
    claim_name(&w);
    if (!claim_parameters(&w) || !claim_data(&w)) {
        stop(&w);
    }
    if (w.pos < doc->size && doc->status == LL_OK) {
        bool fill = ll_is_zero(doc->bytes + w.pos, doc->bytes + doc->size);
        ll_fault fault = LL_MAKE_FAULT(LPSH_FAULT_TRAILING, 0, ll_claim_gap(doc, LL_NO_SPAN, w.pos, doc->size),
                                       doubtful, ll_uint(doc->size - w.pos));
        if (fill) {
            ll_raise_surplus(doc, fault);
        } else { /* bytes may have been put in anywhere in front of these */
            ll_patch_none(&fault);
            ll_raise(doc, &fault);
        }
    }
}
