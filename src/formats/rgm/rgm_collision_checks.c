/* Named checks of the collision points (RAVC) that actors refer to. An actor without points has the offset -1 and the
 * count 0. */
#include "formats/rgm/rgm_check.h"

/* The points that an actor states. */
typedef struct points {
    int64_t offset, count;
} points;

static points points_of(const ll_doc *doc, uint32_t actor)
{
    return (points){rgm_actor_int(doc, actor, rgm_actor_ravc_offset), rgm_actor_int(doc, actor, rgm_actor_ravc_count)};
}

static bool has_points(points p)
{
    return p.offset != -1 && p.count != 0;
}

/* One half says that there are points, the other that there are none. An offset of 0 beside a count of 0 claims
 * nothing. */
static bool is_half(points p)
{
    return p.offset == -1 ? p.count != 0 : p.count == 0 && p.offset != 0;
}

void rgm_check_ravc_missing(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_summary *summary = rgm_summary_of(doc);
    const rgm_section *names = rgm_section_of(doc, RGM_RANM);
    uint32_t first = LL_NO_INDEX;
    uint32_t count = 0;
    if (!summary->complete || rgm_section_of(doc, RGM_RAVC)->span != LL_NO_SPAN) {
        return;
    }
    for (uint32_t i = 0; i < summary->actor_count; i++) {
        points p = points_of(doc, i);
        if (p.offset >= 0 && p.count > 0) {
            first = count++ ? first : i;
        }
    }
    if (count) {
        ll_fault fault = ll_fault_at(0, rgm_actor_at(doc, first, rgm_actor_ravc_offset));
        if (names->span != LL_NO_SPAN) {
            fault.related = ll_at_bytes(names->span, names->start + names->length, 0);
        }
        fault.hint = RGM_HINT_RAVC_DROPPED;
        fault.arg[0] = ll_uint(rgm_actor_get(doc, first, rgm_actor_ravc_offset));
        fault.arg[1] = rgm_actor_name(doc, first);
        fault.arg[2] = ll_uint(count);
        ll_report_fault(run, &fault);
    }
}

/* Where points are left over for the count, the offset is the wrong half; else the count. */
void rgm_check_ravc_minus_one(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_summary *summary = rgm_summary_of(doc);
    const rgm_section *section = rgm_section_of(doc, RGM_RAVC);
    int64_t left = rgm_is_sound(section) ? section->count : 0;
    for (uint32_t i = 0; i < summary->actor_count; i++) {
        points p = points_of(doc, i);
        left -= has_points(p) ? p.count : 0; /* of 32 bits each: no sum overflows */
    }
    for (uint32_t i = 0; i < summary->actor_count; i++) {
        points p = points_of(doc, i);
        if (!is_half(p)) {
            continue;
        }
        bool offset_wrong = p.count == 0 ? left == 0 : p.count > 0 && p.count <= left;
        unsigned field = offset_wrong ? rgm_actor_ravc_offset : rgm_actor_ravc_count;
        LL_REPORT_RELATED(run, RGM_HINT_NONE, rgm_actor_at(doc, i, field),
                          rgm_actor_at(doc, i, offset_wrong ? rgm_actor_ravc_count : rgm_actor_ravc_offset),
                          ll_int(p.offset), ll_int(p.count));
    }
}
