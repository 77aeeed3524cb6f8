/* What a record of a lights section costs, read as a light: all its fields that are implausible, by how much they are.
 */
#include "formats/mrea/mrea_reading.h"

#include "base/half.h"

/* Doubts decide between ways to read the section that are equal else. */
enum {
    DOUBT = 2,
    UNLIKELY = MREA_COST_UNLIKELY, /* of a value that lights seldom have */
    ODD = MREA_COST_ODD,           /* of a float that nobody knows and that is none, or of one that nobody writes */
    NO_UNIT = 16,                  /* of a direction of another length than 1 */
    FAULT = MREA_COST_FAULT        /* of a field that holds what no light can */
};

static const uint32_t TINY_FLOAT = 0x2EDBE6FF; /* 1e-10 */

/* Fields that tell a light from other bytes. */
#define FIELDS(r)                                                                                                      \
    mrea_##r##_at_direction, mrea_##r##_at_brightness, mrea_##r##_at_cast_shadows, mrea_##r##_at_falloff_type
const mrea_form mrea_form_mp12 = {
    mrea_light_LAYOUT, mrea_light_SIZE, 2, "Prime 1 and 2 (2 layers, lights of 65 bytes)", mrea_light_at_unknown_30,
    FIELDS(light),     mrea_light_SIZE};
const mrea_form mrea_form_mp3 = {mrea_light_mp3_LAYOUT,
                                 mrea_light_mp3_SIZE,
                                 MREA_LAYERS_MAX,
                                 "Prime 3 (4 layers, lights of 101 bytes)",
                                 mrea_light_mp3_at_unknown_40,
                                 FIELDS(light_mp3),
                                 mrea_light_mp3_at_unknown_61};
#undef FIELDS
_Static_assert((int)mrea_light_at_color == (int)mrea_light_mp3_at_color, "the run of floats starts at the same place");

static bool is_directed(uint32_t type)
{
    return type == 1 || type == 3;
}

/* What the floats of a field cost. What a light may have, and what bytes read a few places off often have, is a
 * doubt. */
static uint32_t cost_of_floats(const mrea_form *form, uint32_t type, const ll_field *field, const uint8_t *p,
                               unsigned order)
{
    unsigned at = field->offset;
    double square = 0;
    bool negative = false;
    bool tiny = false;
    for (unsigned i = 0; i < field->bytes; i += 4) {
        uint32_t bits = (uint32_t)ll_read_uint(p + i, 4, order);
        uint32_t magnitude = bits & 0x7FFFFFFF;
        if (!mrea_is_plausible(magnitude)) {
            return at < form->floats_end ? FAULT : ODD;
        }
        double x = ll_single_to_double(bits);
        square += x * x;
        negative = negative || x < 0;
        tiny = tiny || (magnitude && magnitude < TINY_FLOAT);
    }
    uint32_t odd = tiny ? ODD : 0;
    if (at == form->direction) {
        bool far = square <= 0.25 || square >= 4; /* other bytes are seldom near 1 in length */
        bool unit = square > 0.98 && square < 1.02;
        return far && is_directed(type) ? FAULT : unit ? odd : square > 0 ? NO_UNIT : DOUBT;
    }
    bool unlikely = at == mrea_light_at_color ? negative || square > 100
                    : at == form->brightness  ? negative || square <= 0
                                              : false;
    return unlikely ? UNLIKELY : odd;
}

/* What a field costs that stands at p. order: of the bytes of floats. */
static uint32_t cost_of_field(const mrea_form *form, uint32_t type, const ll_field *field, const uint8_t *p,
                              unsigned order)
{
    if (field->type == LL_TYPE_F32) {
        return cost_of_floats(form, type, field, p, order);
    }
    unsigned at = field->offset;
    uint64_t most = at == 0 ? 5 : at == form->cast_shadows ? 1 : at == form->falloff_type ? 2 : UINT32_MAX;
    return ll_read_uint(p, field->bytes, LL_BIG) > most ? FAULT : 0;
}

static const ll_layout *layout_of(const mrea_form *form)
{
    return &mrea_format.layouts[form->layout];
}

uint32_t mrea_cost_of_record(const mrea_form *form, const uint8_t *p, unsigned order)
{
    const ll_layout *layout = layout_of(form);
    uint32_t cost = ll_is_zero(p, p + form->floats_end) ? FAULT : 0;
    for (unsigned i = 0; i < layout->field_count; i++) {
        cost += cost_of_field(form, ll_be32(p), &layout->fields[i], p + layout->fields[i].offset, order);
    }
    return cost;
}

bool mrea_is_swapped(const mrea_form *form, const uint8_t *p)
{
    uint32_t cost = mrea_cost_of_light(form, p);
    return cost >= FAULT && mrea_cost_of_record(form, p, LL_LITTLE) + FAULT <= cost;
}

uint32_t mrea_faults_of(const mrea_form *form, const uint8_t *p)
{
    return mrea_cost_of_light(form, p) / FAULT;
}

void mrea_add_splits(const mrea_form *form, const uint8_t *p, int by, uint32_t room, uint64_t costs[MREA_SPLITS])
{
    const ll_layout *layout = layout_of(form);
    uint32_t behind[MREA_SPLITS / 2 + 1] = {0}; /* of the fields from each on, where they are now */
    unsigned n = layout->field_count;
    uint32_t type = ll_be32(p);
    for (unsigned i = n; i-- > 0;) {
        const ll_field *f = &layout->fields[i];
        bool there = (int)f->offset + by >= 0;
        behind[i] = behind[i + 1] + (there ? cost_of_field(form, type, f, p + (int)f->offset + by, LL_BIG) : 0);
    }
    uint64_t front = 0;
    for (unsigned i = 0; i < n; i++) {
        const ll_field *f = &layout->fields[i];
        for (unsigned at = 0; at < 2; at++) {
            int from = (int)f->offset + (at ? (int)f->bytes : 0);
            unsigned next = i + 1;
            while (next < n && (int)layout->fields[next].offset + by < from) {
                next++;
            }
            costs[2 * i + at] = mrea_add_costs(costs[2 * i + at], mrea_add_costs(front, behind[next] + at * DOUBT));
        }
        bool there = f->offset + (uint32_t)f->bytes <= room;
        front = there ? mrea_add_costs(front, cost_of_field(form, type, f, p + f->offset, LL_BIG)) : MREA_COST_TOO_MUCH;
    }
}

uint64_t mrea_least_split(const mrea_form *form, const uint64_t costs[MREA_SPLITS])
{
    uint64_t least = MREA_COST_TOO_MUCH;
    for (unsigned i = 0; i < 2U * layout_of(form)->field_count; i++) {
        least = costs[i] < least ? costs[i] : least;
    }
    return least;
}
