/* Named checks of markers and bounds whose bytes were written in another order. Each check is linear in the file. */
#include "formats/rgm/rgm.h"

/* ------------------------------------------------------------------ markers */

/* Judges auxiliary bytes `step` bytes apart: 2 if one is neither 0 nor 1, else 1 if one is 0, else 0. */
static unsigned judge_auxiliaries(const uint8_t *first, uint32_t count, size_t step)
{
    unsigned worst = 0;
    for (uint32_t i = 0; i < count; i++) {
        unsigned here = first[i * step] > 1 ? 2 : first[i * step] == 0;
        worst = here > worst ? here : worst;
    }
    return worst;
}

/* Reports auxiliary bytes that are not 1. If the bytes make more sense as records of 13 bytes, a position and its
 * auxiliary byte each, the markers were written interleaved: one finding for all of them. */
void rgm_check_mpmk_aux(ll_check_run *run)
{
    const ll_span *span = ll_doc_span(run->doc, run->span);
    const uint8_t *values = ll_doc_at(run->doc, span->offset);
    const uint8_t *markers = values - (size_t)span->count * rgm_marker_SIZE;
    unsigned behind = judge_auxiliaries(values, span->count, 1);
    unsigned between = judge_auxiliaries(markers + rgm_marker_SIZE, span->count, rgm_marker_SIZE + rgm_auxiliary_SIZE);
    bool interleaved = span->count > 1 && behind > between;
    for (uint32_t i = 0; i < span->count; i++) {
        if (values[i] == 1) {
            continue;
        }
        LL_REPORT(run, interleaved ? RGM_HINT_MARKERS_MIXED : RGM_HINT_NONE,
                  interleaved ? ll_at_bytes(run->span, span->offset, span->length)
                              : ll_at_field(run->doc, run->span, i, rgm_auxiliary_value),
                  ll_uint(values[i]));
        if (interleaved) {
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

/* Four vectors: total, center, positive, negative. True if total = positive + negative and, with `centered`, center =
 * 0. */
static bool are_bounds(const uint8_t *numbers, bool centered)
{
    bool sound = true;
    for (unsigned axis = 0; axis < AXES; axis++) {
        sound = sound && edge_at(numbers, 0, axis) == edge_at(numbers, 2, axis) + edge_at(numbers, 3, axis) &&
                (!centered || edge_at(numbers, 1, axis) == 0);
    }
    return sound;
}

/* Reports the records that do not fit with their flags first, if most of them fit with their flags last. Sound records
 * may fit both ways. */
void rgm_check_mpsz_flags_last(ll_check_run *run)
{
    const ll_span *span = ll_doc_span(run->doc, run->span);
    const uint8_t *record = ll_doc_at(run->doc, span->offset);
    uint32_t count = 0; /* records that do not fit */
    uint32_t first = 0;
    uint32_t end = 0;
    uint32_t last = 0; /* those of them that fit with their flags last */
    for (uint32_t i = 0; i < span->count; i++, record += rgm_bounds_SIZE) {
        if (record[0] != 0 || !are_bounds(record + 1, false)) {
            first = count++ ? first : i;
            end = i + 1;
            last += record[FLAGS_LAST] == 0 && are_bounds(record, true);
        }
    }
    if (rgm_section_of(run->doc, RGM_MPSZ)->sound && last > count - last) {
        ll_where at = ll_at_bytes(run->span, span->offset + first * rgm_bounds_SIZE, (end - first) * rgm_bounds_SIZE);
        at.element = first;
        LL_REPORT(run, RGM_HINT_NONE, at, ll_uint(last), ll_uint(count));
    }
}
