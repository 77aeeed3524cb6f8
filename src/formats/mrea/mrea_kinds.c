/* What the sections of an area are: kinds by index fields and by tags, and which section the header calls the lights.
 */
#include "formats/mrea/mrea_area.h"

enum { TAG_ROW = mrea_tag_row_SIZE };

static const struct {
    uint16_t layout;
    uint32_t magic, tag;
} kinds[MREA_KINDS] = {
#define LL_MREA_KIND(name, layout, magic, tag) {mrea_##layout##_LAYOUT, magic, tag},
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

#define COMMON_ROWS(r)                                                                                                 \
    {mrea_##r##_collision_index, MREA_KIND_COLLISION}, {mrea_##r##_unknown_index, MREA_KIND_UNKNOWN},                  \
        {mrea_##r##_lights_index, MREA_KIND_LIGHTS}, {mrea_##r##_visibility_index, MREA_KIND_VISIBILITY},              \
    {                                                                                                                  \
        mrea_##r##_path_index, MREA_KIND_PATH                                                                          \
    }
#define PRIME2_ROWS(r)                                                                                                 \
    {mrea_##r##_geometry_index, MREA_KIND_GEOMETRY}, {mrea_##r##_script_layers_index, MREA_KIND_SCRIPT_LAYERS},        \
        {mrea_##r##_generated_objects_index, MREA_KIND_GENERATED_OBJECTS}, COMMON_ROWS(r),                             \
        {mrea_##r##_ffff_index, MREA_KIND_FFFF}, {mrea_##r##_portal_area_index, MREA_KIND_PORTAL_AREA},                \
    {                                                                                                                  \
        mrea_##r##_static_geometry_map_index, MREA_KIND_STATIC_GEOMETRY_MAP                                            \
    }
static const mrea_index_row rows_mp1[] = {
    {mrea_header_mp1_geometry_index, MREA_KIND_GEOMETRY},
    {mrea_header_mp1_script_layers_index, MREA_KIND_SCRIPT_LAYERS},
    COMMON_ROWS(header_mp1),
    {mrea_header_mp1_octree_index, MREA_KIND_OCTREE},
};
static const mrea_index_row rows_mp2_demo[] = {PRIME2_ROWS(header_mp2_demo)};
static const mrea_index_row rows_mp2[] = {PRIME2_ROWS(header_mp2)};
#undef COMMON_ROWS
#undef PRIME2_ROWS

const mrea_index_row *mrea_index_rows(uint16_t header_layout, unsigned *count)
{
    static const struct {
        const mrea_index_row *rows;
        unsigned count;
    } tables[mrea_layout_end] = {
        [mrea_header_mp1_LAYOUT] = {rows_mp1, sizeof rows_mp1 / sizeof rows_mp1[0]},
        [mrea_header_mp2_demo_LAYOUT] = {rows_mp2_demo, sizeof rows_mp2_demo / sizeof rows_mp2_demo[0]},
        [mrea_header_mp2_LAYOUT] = {rows_mp2, sizeof rows_mp2 / sizeof rows_mp2[0]},
    };
    *count = tables[header_layout].count;
    return tables[header_layout].rows;
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
    if (section < area->summary->sections && area->kinds[section] == MREA_KIND_OTHER) {
        area->kinds[section] = (uint8_t)kind;
    }
}

/* Sections that no index and no tag names go with the one in front of them: geometry reaches up to the next named one,
 * script layers are as many as the header says. */
static void name_others(mrea_area *area, uint32_t script_layers)
{
    mrea_kind run = MREA_KIND_GEOMETRY;
    uint32_t left = 0; /* of the script layers */
    for (uint32_t i = 0; i < area->summary->sections; i++) {
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
    if (section < area->summary->sections) {
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
    bool several = mrea_has_blocks(area->edition); /* the others have one section for all script layers */
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
    for (uint32_t row = 0; row < area->summary->tags; row++) {
        mrea_kind kind = kind_of_row(area, row);
        name_section(area, index_of_row(area, row), kind);
        if (kind == MREA_KIND_LIGHTS && !tagged) {
            defer(area, MREA_DEFER_LIGHTS, index_of_row(area, row));
            area->lights_named = ll_at_field(area->doc, area->summary->tag_table, row, mrea_tag_row_section_index);
        }
        tagged = tagged || kind == MREA_KIND_LIGHTS;
    }
    name_others(area, mrea_header_word(area, mrea_header_mp3_script_layer_count));
    area->lights_untagged = !tagged && area->edition->form;
}

bool mrea_name_sections(mrea_area *area)
{
    area->kinds = ll_doc_zalloc(area->doc, area->summary->sections, 1);
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

/* Most likely the tag of the row that leads to the lights is wrong, else that of the only row whose tag nobody knows.
 */
void mrea_raise_untagged(mrea_area *area, uint32_t section)
{
    uint32_t leading = LL_NO_INDEX; /* rows */
    uint32_t unknown = LL_NO_INDEX;
    uint32_t unknowns = 0;
    for (uint32_t row = 0; row < area->summary->tags; row++) {
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
                                     : ll_at_field(area->doc, area->summary->tag_table, row, mrea_tag_row_tag);
    LL_RAISE(area->doc, MREA_FAULT_TAG_LITE_MISSING, MREA_HINT_NONE, at, ll_uint(area->summary->tags));
}
