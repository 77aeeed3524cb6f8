/* Names and numbers that all formats of a census share. */
#include "survey/census_words.h"

#include "base/half.h"

void ll_census_number(const ll_column_def *def, uint64_t bits, ll_text *out)
{
    if (def->form == LL_COLUMN_NORM) {
        double value;
        memcpy(&value, &bits, sizeof value);
        ll_text_float(out, value, 64);
    } else if (def->suffix[0] == '\0' && ll_field_is_hex(def->field)) {
        ll_text_format(out, "0x%0*" PRIx64, 2 * def->bytes, bits);
    } else if (def->exponent) {
        bool half = def->type == LL_TYPE_F16;
        ll_text_float(out, half ? ll_half_to_double((uint16_t)bits) : ll_single_to_double((uint32_t)bits),
                      half ? 16 : 32);
    } else if (ll_type_is_signed(def->type)) {
        uint64_t sign = UINT64_C(1) << (8U * def->bytes - 1);
        ll_text_i64(out, (int64_t)(bits ^ sign) - (int64_t)sign);
    } else {
        ll_text_u64(out, bits);
    }
}

void ll_census_column_name(const ll_column_def *def, ll_text *out)
{
    ll_text_format(out, "%s%s", def->field->name, def->suffix);
    if (def->elements > 1) {
        ll_text_str(out, "[]");
    } else if (def->part != LL_COLUMN_ALL) {
        ll_text_format(out, ".%c", "xyzw"[def->part & 3]);
    }
}

void ll_census_type(const ll_column_def *def, const ll_layout *layout, ll_text *out)
{
    if (def->form == LL_COLUMN_NORM) {
        ll_text_str(out, "norm");
    } else if (def->suffix[0]) {
        ll_text_str(out, "length");
    } else if (def->part != LL_COLUMN_ALL) {
        const char *endian = layout->endian == LL_BIG ? " BE" : " LE";
        ll_text_format(out, "%s%s", ll_type_name(def->type), def->bytes == 1 ? "" : endian);
    } else {
        ll_type_text(def->field, layout->endian, out);
    }
}

bool ll_census_next_claim(const ll_census_layout *layout, const ll_census_group *group, ll_census_claim *c)
{
    const ll_sort_key *tests = layout->by_rule;
    *c = (ll_census_claim){.first = c->end, .end = c->end};
    for (; c->end < layout->program->test_count && tests[c->end].first == tests[c->first].first; c->end++) {
        c->rule = (uint32_t)tests[c->end].first;
        c->sum.examined += group->tallies[tests[c->end].item].examined;
        c->sum.broken += group->tallies[tests[c->end].item].broken;
    }
    return c->end > c->first;
}

void ll_census_group_name(ll_text *out, const ll_format *format, const ll_census_layout *layout,
                          const ll_census_group *group)
{
    char kind[8];
    ll_unpack_bytes(group->kind, group->kind_bytes, kind);
    if (format && !strchr(layout->layout->name, '.')) {
        ll_text_format(out, "%s.", format->family);
    }
    ll_text_str(out, layout->layout->name);
    if (group->kind_bytes || group->other) {
        ll_text_str(out, layout->kind_field == LL_NO_FIELD ? " of " : " ");
        ll_text_escape(out, group->other ? "other" : kind, group->other ? strlen("other") : group->kind_bytes);
    }
}
