/* Finds the kinds of the sections of an area, by index fields and by tags, and the section that the header calls the
 * lights. */
#include "formats/mrea/mrea_area.h"

enum { TAG_ROW = mrea_tag_row_SIZE };

static const struct {
    uint16_t layout;
    uint32_t magic, tag;
} kinds[MREA_KINDS] = {
#define LL_MREA_KIND(kind, name, magic, tag) {mrea_section_##name##_LAYOUT, magic, tag},
#include "formats/mrea/mrea_kinds.def"
#undef LL_MREA_KIND
};

mrea_kind mrea_kind_of_tag(uint32_t tag)
{
    unsigned kind = MREA_KINDS - 1;
    while (kind > MREA_KIND_OTHER && (kinds[kind].tag != tag || !tag)) {
        kind--;
    }
    return (mrea_kind)kind;
}

/* Kinds by the names of the index fields. The rows of a tag table state their kind by the tag. */
enum {
#define LL_MREA_KIND(kind, name, magic, tag) KIND_##name##_index = MREA_KIND_##kind,
#include "formats/mrea/mrea_kinds.def"
#undef LL_MREA_KIND
    KIND_section_index = MREA_KIND_OTHER
};
static const mrea_index_row index_rows[] = {
#define LL_REFERENCE(f, r, field, how, target, within, extent, unit, null)                                             \
    {f##_##r##_LAYOUT, f##_##r##_##field, KIND_##field},
#define LL_LAYOUT_FILE "formats/mrea/mrea_layout.def"
#include "model/layout_rows.h"
#undef LL_LAYOUT_FILE
};

const mrea_index_row *mrea_index_rows(uint16_t header_layout, unsigned *count)
{
    const mrea_index_row *row = index_rows, *end = index_rows + sizeof index_rows / sizeof index_rows[0];
    while (row < end && row->header != header_layout) {
        row++;
    }
    *count = 0;
    while (row + *count < end && row[*count].header == header_layout) {
        ++*count;
    }
    return *count ? row : NULL;
}

uint16_t mrea_layout_of_kind(mrea_kind kind)
{
    return kinds[kind].layout;
}

uint32_t mrea_magic_of_kind(mrea_kind kind)
{
    return kinds[kind].magic;
}

/* ------------------------------------------------------------------ names of sections */

static void name_section(mrea_area *area, uint32_t section, mrea_kind kind)
{
    if (section < area->count.sections && area->kinds[section] == MREA_KIND_OTHER) {
        area->kinds[section] = (uint8_t)kind;
    }
}

/* Gives unnamed sections the kind of the one in front of them: geometry reaches up to the next named section; there are
 * as many script layers as the header says. */
static void name_others(mrea_area *area, uint32_t script_layers)
{
    mrea_kind run = MREA_KIND_GEOMETRY;
    uint32_t left = 0; /* script layers that are still to come */
    for (uint32_t i = 0; i < area->count.sections; i++) {
        if (area->kinds[i] != MREA_KIND_OTHER) {
            run = (mrea_kind)area->kinds[i];
            left = script_layers ? script_layers - 1 : 0;
        } else if (run == MREA_KIND_GEOMETRY) {
            area->kinds[i] = (uint8_t)run;
        } else if (run == MREA_KIND_SCRIPT_LAYERS && left > 0) {
            area->kinds[i] = (uint8_t)run;
            left--;
        } else {
            run = MREA_KIND_OTHER;
        }
    }
}

static void defer(mrea_area *area, unsigned slot, uint32_t section)
{
    if (section < area->count.sections) {
        area->deferred[slot].section = section;
    }
}

static void name_by_index(mrea_area *area, const mrea_index_row *rows, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t index = mrea_header_word(area, rows[i].field);
        name_section(area, index, (mrea_kind)rows[i].kind);
        if (rows[i].kind == MREA_KIND_LIGHTS) {
            defer(area, MREA_DEFER_LIGHTS, index);
            area->lights_named = mrea_at_header(area, rows[i].field);
        } else if (rows[i].kind == MREA_KIND_VISIBILITY) {
            defer(area, MREA_DEFER_VISIBILITY, index);
        }
    }
    bool several = mrea_has_blocks(area->edition); /* other games have one section for all script layers */
    name_others(area, several ? mrea_header_word(area, mrea_header_mp2_script_layer_count) : 1);
}

static uint32_t index_of_row(const mrea_area *area, uint32_t row)
{
    return mrea_word(area->doc, area->tags + row * TAG_ROW + mrea_tag_row_at_section_index);
}

static mrea_kind kind_of_row(const mrea_area *area, uint32_t row)
{
    return mrea_kind_of_tag(mrea_word(area->doc, area->tags + row * TAG_ROW));
}

static void name_by_tag(mrea_area *area)
{
    bool tagged = false;
    for (uint32_t row = 0; row < area->count.tags; row++) {
        mrea_kind kind = kind_of_row(area, row);
        name_section(area, index_of_row(area, row), kind);
        if (kind == MREA_KIND_LIGHTS && !tagged) {
            defer(area, MREA_DEFER_LIGHTS, index_of_row(area, row));
            area->lights_named = ll_at_field(area->doc, area->tag_table, row, mrea_tag_row_section_index);
        }
        tagged = tagged || kind == MREA_KIND_LIGHTS;
    }
    name_others(area, mrea_header_word(area, mrea_header_mp3_script_layer_count));
    area->lights_untagged = !tagged && area->edition->form;
}

bool mrea_name_sections(mrea_area *area)
{
    area->kinds = ll_doc_zalloc(area->doc, area->count.sections, 1);
    if (!area->kinds) {
        return false;
    }
    unsigned count = 0;
    const mrea_index_row *rows = mrea_index_rows(area->edition->header, &count);
    if (rows) {
        name_by_index(area, rows, count);
    } else {
        name_by_tag(area);
    }
    return true;
}

/* Reports the tag of the row that leads to the lights, else the only unknown tag, else the number of tags. */
void mrea_raise_untagged(mrea_area *area, uint32_t section)
{
    uint32_t leading = LL_NO_INDEX; /* rows of the tag table */
    uint32_t unknown = LL_NO_INDEX;
    uint32_t unknowns = 0;
    for (uint32_t row = 0; row < area->count.tags; row++) {
        if (section != LL_NO_INDEX && index_of_row(area, row) == section) {
            leading = row;
        }
        if (kind_of_row(area, row) == MREA_KIND_OTHER) {
            unknown = row;
            unknowns++;
        }
    }
    uint32_t row = leading != LL_NO_INDEX || unknowns != 1 ? leading : unknown;
    ll_where at = row == LL_NO_INDEX ? mrea_at_header(area, area->edition->tag_count)
                                     : ll_at_field(area->doc, area->tag_table, row, mrea_tag_row_tag);
    LL_RAISE(area->doc, MREA_FAULT_TAG_LITE_MISSING, MREA_HINT_NONE, at, ll_uint(area->count.tags));
}
