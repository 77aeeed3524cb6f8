/* Tries other values of tags, references, numbers and bits that state which parts there are, and what they are. */
#include "diagnosis/tries.h"

#include <string.h>

enum {
    COST_KIND = 110, /* more than for a count, which is damaged as often and is the better first guess */
    KIND_BYTES = 2,  /* bytes of the number of an LL_CHOICE that state the kind; a count follows them */
    OPTIONS_MAX = 5, /* most places that are tried as the target of a reference */
    COST_OPTION = 130,
    COST_TAG_NEAR = 90,
    COST_TAG_ZERO = 120,
    COST_TAG = 220,
    COST_TAG_VALID = 350,
    COST_CHOICE_LESS = 200
};

/* Number of letters in which two tags differ. */
static unsigned distance_of(const uint8_t *bytes, const char *tag)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 4; i++) {
        n += bytes[i] != (uint8_t)tag[i];
    }
    return n;
}

void ll_search_try_tags(ll_search_plan *p)
{
    ll_search *s = p->s;
    const ll_format *format = s->weigher.format;
    for (uint32_t i = 0; i < p->unit_count; i++) {
        const ll_search_unit *u = &p->units[i];
        const uint8_t *bytes = s->bytes + u->at;
        bool listed = false, valid = false;
        for (size_t k = 0; k < format->part_count; k++) {
            const ll_part_row *part = &format->parts[k];
            listed = listed || (part->how == LL_PART_TAGGED && part->layout == u->layout);
            valid = valid || (part->tag && u->size >= 4 && memcmp(bytes, part->tag, 4) == 0);
        }
        for (size_t k = 0; listed && ll_search_is_suspect(p, i) && k < format->part_count; k++) {
            const ll_part_row *part = &format->parts[k];
            const char *tag = part->tag;
            const bool missing = part->place == LL_PLACE_ONCE && !p->head[part->layout];
            if (tag && (part->place < LL_PLACE_ONCE || missing)) { /* a part that is there once is not there again */
                bool zeros = memcmp(bytes, "\0\0\0\0", 4) == 0;
                unsigned cost = zeros                          ? COST_TAG_ZERO
                                : valid                        ? COST_TAG_VALID
                                : distance_of(bytes, tag) <= 1 ? COST_TAG_NEAR
                                                               : COST_TAG;
                const ll_hypothesis h = {.kind = LL_CAUSE_FIELD, .cost = cost, .safe = !valid || zeros};
                ll_search_try_bytes(s, h, u->at, (const uint8_t *)tag, 4);
            }
        }
    }
}

void ll_search_try_options(ll_search_plan *p)
{
    ll_search *s = p->s;
    const ll_format *format = s->weigher.format;
    for (uint32_t i = 0; i < p->unit_count; i++) {
        const ll_search_unit *u = &p->units[i];
        for (size_t k = 0; ll_search_is_suspect(p, i) && k < format->reference_count; k++) {
            const ll_reference *row = &format->references[k];
            const ll_layout *l = &format->layouts[row->layout];
            if (row->layout != u->layout || !(row->null & LL_NULL_ZERO)) {
                continue;
            }
            const ll_field *f = &l->fields[row->field];
            uint32_t from = row->how == LL_BY_OFFSET_FROM_FIELD ? u->at + f->offset : 0, end = u->at + u->size;
            uint32_t size = format->layouts[row->target].size;
            uint32_t places[OPTIONS_MAX] = {from, u->at + l->size};
            unsigned count = 2; /* null, after the fields, and as the last parts of the element */
            for (uint32_t n = 1; count < OPTIONS_MAX && size && end - u->at >= l->size + n * size; n++) {
                places[count++] = end - n * size;
            }
            for (unsigned n = 0; n < count; n++) {
                ll_search_try_number(s, (ll_hypothesis){.cost = COST_OPTION, .redundant = n > 0, .safe = true}, l,
                                     u->at, row->field, (int64_t)places[n] - from);
            }
        }
    }
}

void ll_search_try_kinds(ll_search_plan *p)
{
    ll_search *s = p->s;
    const ll_format *format = s->weigher.format;
    const ll_choice *rows = format->choices;
    for (uint32_t i = 0; format->choice_count && !p->reads && i < p->unit_count; i++) {
        const ll_search_unit *u = &p->units[i];
        const ll_layout *l = &format->layouts[rows[0].layout];
        const bool meant = ll_is_chosen(format, u->layout) && ll_search_is_touched(s, u);
        for (unsigned byte = 0; meant && byte < KIND_BYTES; byte++) {
            bool tried[UINT8_MAX + 1] = {false};
            for (size_t k = 0; k < format->choice_count; k++) {
                const uint8_t value = (uint8_t)(rows[k].value >> 8 * byte);
                const uint32_t at = u->at + l->fields[rows[0].field].offset + byte;
                if (!tried[value] && rows[k].how != LL_CHOICE_IS) {
                    const unsigned cost = p->padded ? LL_COST_KIND_PADDED : COST_KIND;
                    ll_search_try_bytes(s, (ll_hypothesis){.kind = LL_CAUSE_FIELD, .cost = cost, .unsure = p->padded},
                                        at, &value, 1);
                    tried[value] = true;
                }
            }
        }
    }
}

void ll_search_try_choices(ll_search_plan *p)
{
    ll_search *s = p->s;
    const ll_format *format = s->weigher.format;
    bool short_of = false; /* bytes; then the end of the file may be missing instead */
    for (size_t i = 0; i < s->leftovers.count; i++) {
        short_of = short_of || s->leftovers.items[i].beyond;
    }
    for (size_t i = 0; i < format->part_count; i++) {
        const ll_part_row *part = &format->parts[i];
        for (uint32_t k = 0; part->field != LL_NO_FIELD && k < p->unit_count; k++) {
            if (p->units[k].layout == part->of) {
                const ll_layout *l = &format->layouts[part->of];
                const ll_field *f = &l->fields[part->field];
                uint64_t stated = ll_read_uint(s->bytes + p->units[k].at + f->offset, f->bytes, l->endian);
                uint64_t all = 0;
                for (size_t m = 0; m < format->part_count; m++) {
                    bool same = format->parts[m].field == part->field && format->parts[m].of == part->of;
                    all |= same ? format->parts[m].bits : 0;
                }
                for (uint64_t value = 0; value <= all && value < 16; value++) {
                    if (value != stated) {
                        const ll_hypothesis h = {.cost = short_of ? COST_CHOICE_LESS : LL_COST_FIELD};
                        ll_search_try_number(s, h, l, p->units[k].at, part->field, (int64_t)value);
                    }
                }
            }
        }
    }
}
