/* Named checks of placed things: ids, rotations, lights, markers, bounds, walk maps. Every check is linear in the file.
 */
#include "formats/rgm/rgm_check.h"

/* ------------------------------------------------------------------ ids */

/* ------------------------------------------------------------------ rotations */

static const int64_t ONE = INT64_C(1) << 56;       /* square of 1, which is 2^28 */
static const int64_t TOLERANCE = INT64_C(1) << 46; /* of sums of products: 2^-10 */
static const int64_t LARGEST = 271120138;          /* 1.01 */

/* What is wrong with a rotation, and where; NULL: nothing. */
typedef struct tilt {
    const char *what;
    unsigned first, count; /* numbers of the nine */
} tilt;

static int64_t dot(const int64_t *a, const int64_t *b, unsigned step)
{
    return a[0] * b[0] + a[step] * b[step] + a[2 * (size_t)step] * b[2 * (size_t)step];
}

static bool is_off(int64_t sum, int64_t expected)
{
    return sum < expected - TOLERANCE || sum > expected + TOLERANCE;
}

/* Lengths of rows and columns: a number that is wrong spoils one of each. */
static tilt judge_lengths(const int64_t m[9])
{
    unsigned rows = 0;
    unsigned columns = 0;
    unsigned row = 0;
    unsigned column = 0;
    for (unsigned i = 3; i-- > 0;) {
        if (is_off(dot(m + 3 * (size_t)i, m + 3 * (size_t)i, 1), ONE)) {
            rows++;
            row = i;
        }
        if (is_off(dot(m + i, m + i, 3), ONE)) {
            columns++;
            column = i;
        }
    }
    if (rows == 1 && columns == 1) {
        return (tilt){"a number that leaves its row and its column not of length 1", 3 * row + column, 1};
    }
    return rows ? (tilt){"a row that is not of length 1", 3 * row, 3} : (tilt){NULL, 0, 0};
}

static bool is_mirrored(const int64_t m[9])
{
    int64_t s[9]; /* of 15 bits, so that products of three fit */
    for (unsigned i = 0; i < 9; i++) {
        s[i] = m[i] / (1 << 14);
    }
    return s[0] * (s[4] * s[8] - s[5] * s[7]) + s[1] * (s[5] * s[6] - s[3] * s[8]) +
               s[2] * (s[3] * s[7] - s[4] * s[6]) <
           0;
}

static tilt judge_rotation(const uint8_t *bytes)
{
    int64_t m[9];
    for (unsigned i = 0; i < 9; i++) {
        m[i] = (int32_t)ll_le32(bytes + (size_t)4 * i);
        if (m[i] > LARGEST || m[i] < -LARGEST) {
            return (tilt){"a number beyond 1", i, 1};
        }
    }
    tilt lengths = judge_lengths(m);
    if (lengths.what) {
        return lengths;
    }
    if (is_off(dot(m, m + 3, 1), 0) || is_off(dot(m, m + 6, 1), 0) || is_off(dot(m + 3, m + 6, 1), 0)) {
        return (tilt){"rows that are not at right angles", 0, 9};
    }
    return is_mirrored(m) ? (tilt){"a mirror image", 0, 9} : (tilt){NULL, 0, 0};
}

void rgm_check_mpso_rotation(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const ll_span *span = ll_doc_span(doc, run->span);
    const uint8_t *record = ll_doc_at(doc, span->offset);
    for (uint32_t i = 0; i < span->count; i++, record += rgm_static_object_SIZE) {
        tilt t = judge_rotation(record + rgm_static_object_at_rotation);
        if (t.what) {
            ll_fault fault = ll_fault_at(0, ll_at_field(doc, run->span, i, rgm_static_object_rotation));
            fault.at.part = t.count == 1 ? (uint16_t)t.first : (uint16_t)LL_NO_PART;
            fault.at.offset += 4 * t.first;
            fault.at.length = 4 * t.count;
            fault.arg[0] = ll_word(t.what);
            ll_report_fault(run, &fault);
        }
    }
}

/* ------------------------------------------------------------------ lights, markers */

/* Auxiliary bytes of one reading. */
typedef struct auxiliaries {
    bool all_set;   /* 1 */
    bool all_flags; /* 0 or 1 */
} auxiliaries;

static auxiliaries read_auxiliaries(const uint8_t *first, uint32_t count, size_t step)
{
    auxiliaries out = {true, true};
    for (uint32_t i = 0; i < count; i++) {
        uint8_t value = first[i * step];
        out.all_set = out.all_set && value == 1;
        out.all_flags = out.all_flags && value <= 1;
    }
    return out;
}

/* The markers are written as records of 13 bytes, a position and its auxiliary byte: read so, the bytes make sense, and
 * else they do not. */
static bool is_interleaved(const uint8_t *markers, uint32_t count)
{
    auxiliaries behind = read_auxiliaries(markers + (size_t)count * rgm_marker_SIZE, count, 1);
    auxiliaries between = read_auxiliaries(markers + rgm_marker_SIZE, count, rgm_marker_SIZE + rgm_auxiliary_SIZE);
    return count > 1 && ((between.all_set && !behind.all_set) || (between.all_flags && !behind.all_flags));
}

void rgm_check_mpmk_aux(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const ll_span *span = ll_doc_span(doc, run->span);
    const uint8_t *values = ll_doc_at(doc, span->offset);
    bool mixed = is_interleaved(values - (size_t)span->count * rgm_marker_SIZE, span->count);
    for (uint32_t i = 0; i < span->count; i++) {
        if (values[i] == 1) {
            continue;
        }
        ll_fault fault = ll_fault_at(0, ll_at_field(doc, run->span, i, rgm_auxiliary_value));
        fault.arg[0] = ll_uint(values[i]);
        if (mixed) { /* one finding for all of them */
            fault.at = ll_at_bytes(run->span, span->offset, span->length);
            fault.hint = RGM_HINT_MARKERS_MIXED;
        }
        ll_report_fault(run, &fault);
        if (mixed) {
            return;
        }
    }
}

/* ------------------------------------------------------------------ bounds */

enum { AXES = 3, FLAGS_LAST = rgm_bounds_SIZE - 1 };

static int64_t edge_at(const uint8_t *numbers, unsigned vector, unsigned axis)
{
    return (int32_t)ll_le32(numbers + 4 * (size_t)(AXES * vector + axis));
}

/* Four vectors, total, center, positive and negative: does total = positive + negative hold on an axis? */
static bool is_sum(const uint8_t *numbers, unsigned axis)
{
    return edge_at(numbers, 0, axis) == edge_at(numbers, 2, axis) + edge_at(numbers, 3, axis);
}

static bool are_sums(const uint8_t *numbers)
{
    return is_sum(numbers, 0) && is_sum(numbers, 1) && is_sum(numbers, 2);
}

static bool fits_first(const uint8_t *record)
{
    return record[0] == 0 && are_sums(record + 1);
}

static bool fits_last(const uint8_t *record)
{
    bool centered = edge_at(record, 1, 0) == 0 && edge_at(record, 1, 1) == 0 && edge_at(record, 1, 2) == 0;
    return record[FLAGS_LAST] == 0 && centered && are_sums(record);
}

/* Records that do not fit with their flags first, and how many of them do with their flags last. Sound ones may fit
 * both ways. */
typedef struct misfits {
    uint32_t count, last;
    uint32_t from, to; /* records that hold all of them */
} misfits;

static misfits find_misfits(const ll_doc *doc, uint32_t bounds)
{
    const ll_span *span = ll_doc_span(doc, bounds);
    const uint8_t *record = ll_doc_at(doc, span->offset);
    misfits m = {0, 0, 0, 0};
    for (uint32_t i = 0; i < span->count; i++, record += rgm_bounds_SIZE) {
        if (!fits_first(record)) {
            m.from = m.count ? m.from : i;
            m.to = i + 1;
            m.count++;
            m.last += fits_last(record);
        }
    }
    return m;
}

/* Most of them have their flags last: that is what is wrong with them. */
static bool are_turned(misfits m)
{
    return m.last > m.count - m.last;
}

void rgm_check_mpsz_flags_last(ll_check_run *run)
{
    misfits m = find_misfits(run->doc, run->span);
    if (rgm_section_of(run->doc, RGM_MPSZ)->sound && are_turned(m)) {
        uint32_t start = ll_doc_span(run->doc, run->span)->offset;
        ll_fault fault =
            ll_fault_at(0, ll_at_bytes(run->span, start + m.from * rgm_bounds_SIZE, (m.to - m.from) * rgm_bounds_SIZE));
        fault.at.element = m.from;
        fault.arg[0] = ll_uint(m.last);
        fault.arg[1] = ll_uint(m.count);
        ll_report_fault(run, &fault);
    }
}

/* ------------------------------------------------------------------ walk maps */
