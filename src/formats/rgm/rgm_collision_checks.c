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

/* They lie in the section and begin where one begins. */
static bool are_inside(points p, const rgm_section *section)
{
    return p.offset >= 0 && p.count >= 0 && p.offset % rgm_collision_SIZE == 0 &&
           ll_fits((uint64_t)p.offset, (uint64_t)p.count * rgm_collision_SIZE, section->length);
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

/* Of offset and count, the one that cannot be, or that breaks off from the points before; `before`: where those end. */
static unsigned wrong_half(points p, const rgm_section *section, int64_t before)
{
    bool offset_good = p.offset >= 0 && p.offset % rgm_collision_SIZE == 0 && p.offset <= (int64_t)section->length;
    bool count_bad = p.count < 0 || p.count > (int64_t)section->count;
    return offset_good && (count_bad || p.offset == before) ? rgm_actor_ravc_count : rgm_actor_ravc_offset;
}

void rgm_check_ravc_range(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_section *section = rgm_section_of(doc, RGM_RAVC);
    int64_t before = 0;
    for (uint32_t i = 0; rgm_is_sound(section) && i < rgm_summary_of(doc)->actor_count; i++) {
        points p = points_of(doc, i);
        if (!has_points(p)) {
            continue;
        }
        if (are_inside(p, section)) {
            before = p.offset + p.count * rgm_collision_SIZE;
            continue;
        }
        LL_REPORT_RELATED(run, RGM_HINT_NONE, rgm_actor_at(doc, i, wrong_half(p, section, before)),
                          rgm_length_at(doc, section), ll_int(p.offset),
                          ll_int(p.offset + p.count * rgm_collision_SIZE), ll_uint(section->length));
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

static void report_unused(ll_check_run *run, const rgm_section *section, uint32_t from, uint32_t to)
{
    ll_where at =
        ll_at_bytes(section->records, section->start + from * rgm_collision_SIZE, (to - from) * rgm_collision_SIZE);
    at.element = from;
    LL_REPORT_RELATED(run, RGM_HINT_NONE, at, rgm_length_at(run->doc, section), ll_uint(to - from));
}

/* Points that no actor has, a finding for each stretch. Where an actor's reference is broken, points are left over
 * because of that. */
void rgm_check_ravc_unused(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_summary *summary = rgm_summary_of(doc);
    const rgm_section *section = rgm_section_of(doc, RGM_RAVC);
    if (!rgm_is_sound(section) || section->count == 0 || section->records == LL_NO_SPAN ||
        !rgm_section_of(doc, RGM_RAHD)->sound) {
        return;
    }
    int32_t *edges = ll_arena_zalloc(run->arena, (size_t)section->count + 1,
                                     sizeof *edges); /* actors that begin less those that end */
    if (!edges) {
        run->status = LL_E_MEMORY;
        return;
    }
    for (uint32_t i = 0; i < summary->actor_count; i++) {
        points p = points_of(doc, i);
        if (is_half(p) || (has_points(p) && !are_inside(p, section))) {
            return;
        }
        if (has_points(p)) {
            edges[p.offset / rgm_collision_SIZE]++;
            edges[p.offset / rgm_collision_SIZE + p.count]--;
        }
    }
    int64_t users = 0;
    uint32_t from = 0;
    for (uint32_t i = 0; i < section->count; i++) {
        bool was_used = users > 0;
        users += edges[i];
        if (users > 0 && !was_used && i > from) {
            report_unused(run, section, from, i);
        }
        from = users > 0 ? i + 1 : from;
    }
    if (from < section->count) {
        report_unused(run, section, from, section->count);
    }
}
