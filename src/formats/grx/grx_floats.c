/* Floats that were written in the other byte order, while tags, sizes and offsets were not. Decides by what is
 * plausible: the floats of an entry as they stand, and with their bytes in reverse. */
#include "formats/grx/grx_entry.h"

#include "base/endian.h"

enum {
    FLOATS_RIGHT = 2, /* floats that show that an entry has the right byte order */
    FLOATS_WRONG = 8, /* and how many there must be to one that show the other */
    FLOATS_READ = 64  /* elements of an array whose floats are looked at */
};

LL_SAME_FIELD(grx, spot_light, point_light, translation);

/* What the floats of an entry look like as they stand, and with their bytes in reverse. */
typedef struct float_tally {
    unsigned wrong, right; /* implausible as they stand, or in reverse, and only so */
    ll_where first;        /* the first field with one that is wrong, that one, and its type */
    const uint8_t *bytes;
    unsigned type;
} float_tally;

/* Too large, or too close to 0, for what is measured in metres, degrees, kelvin or lumen. */
static bool is_implausible(uint32_t bits, bool half)
{
    uint32_t exponent = half ? bits >> 10 & 31 : bits >> 23 & 255;
    bool zero = bits << (half ? 17 : 1) == 0;
    return !zero && (half ? exponent - 1 >= 30 : exponent - (127 - 40) > 70);
}

/* The first three floats of an entry show that they are in the right order, as those of nearly all entries do. */
static bool begins_in_order(const grx_entry *e)
{
    uint32_t at = e->kind->tail_count == 0              ? (uint32_t)e->kind->fixed
                  : e->kind->layout == grx_probe_LAYOUT ? (uint32_t)grx_probe_at_scale
                                                        : (uint32_t)grx_point_light_at_translation;
    const uint8_t *p = e->doc->bytes + e->pos + at;
    const uint8_t *end = ll_fits(at, 3 * sizeof(float), e->end - e->pos) ? p + 3 * sizeof(float) : p;
    while (p < end && (!is_implausible(ll_be32(p), false) || is_implausible(ll_le32(p), false))) {
        p += sizeof(float);
    }
    return p < end;
}

static void tally_field(const grx_entry *e, ll_where at, unsigned type, float_tally *t)
{
    unsigned size = ll_type_bytes(type);
    const uint8_t *p = e->doc->bytes + at.offset;
    for (const uint8_t *end = p + at.length; p < end; p += size) {
        bool wrong = is_implausible((uint32_t)ll_read_uint(p, size, LL_LITTLE), size == 2);
        bool right = is_implausible((uint32_t)ll_read_uint(p, size, LL_BIG), size == 2);
        if (wrong && !right && t->wrong++ == 0) {
            t->first = at;
            t->bytes = p;
            t->type = type;
        }
        t->right += right && !wrong;
    }
}

static void tally_span(const grx_entry *e, uint32_t span, float_tally *t)
{
    const ll_layout *layout = ll_doc_layout(e->doc, span);
    uint32_t count = ll_doc_span(e->doc, span)->count;
    for (uint32_t i = 0; i < count && i < FLOATS_READ && layout->kind == LL_KIND_RECORD; i++) {
        for (unsigned field = 0; field < layout->field_count && t->right < FLOATS_RIGHT; field++) {
            unsigned type = layout->fields[field].type;
            if (ll_type_is_float(type)) {
                tally_field(e, ll_at_field(e->doc, span, i, field), type, t);
            }
        }
    }
}

/* Where all floats of the entry were written big-endian, that is said once, and none of its values is judged. */
void grx_judge_floats(grx_entry *e)
{
    if (begins_in_order(e)) {
        return;
    }
    float_tally t = {.wrong = 0};
    for (uint32_t i = e->span; i < e->doc->span_count; i++) {
        tally_span(e, i, &t);
    }
    if (t.wrong < 2 || t.right >= FLOATS_RIGHT || t.wrong < t.right * FLOATS_WRONG) {
        return;
    }
    for (uint32_t i = e->span; i < e->doc->span_count; i++) {
        ll_mark_span(e->doc, i, ll_doc_layout(e->doc, i)->kind == LL_KIND_RECORD ? LL_SPAN_BROKEN : 0);
    }
    ll_fault fault = LL_MAKE_FAULT(GRX_FAULT_FLOATS_SWAPPED, GRX_HINT_NONE, t.first, ll_nowhere(),
                                   ll_float(ll_read_number(t.bytes, t.type, LL_LITTLE)),
                                   ll_float(ll_read_number(t.bytes, t.type, LL_BIG)));
    grx_raise_once(e, &fault, 0);
}
