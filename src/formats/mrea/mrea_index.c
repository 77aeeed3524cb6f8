/* Recognises bytes that begin an area or a lights section, and makes the index that checks look things up in. */
#include "formats/mrea/mrea.h"

#include "base/half.h"
#include "model/reader.h"

#include <string.h>

enum {
    TRANSFORM_ROWS = 3,
    TRANSFORM_COLUMNS = 4 /* the fourth column is the translation */
};

static const uint32_t MAGIC_SWAPPED = 0xEFBEADDE;

#define FORM(r, layers, floats_end)                                                                                    \
    {                                                                                                                  \
        mrea_##r##_LAYOUT, mrea_##r##_SIZE, layers, mrea_##r##_at_##floats_end, mrea_##r##_at_cast_shadows,            \
            mrea_##r##_at_falloff_type                                                                                 \
    }
const mrea_form mrea_form_mp12 = FORM(light, 2, unknown_30),
                mrea_form_mp3 = FORM(light_mp3, MREA_LAYERS_MAX, unknown_40);
#undef FORM

/* All headers begin with the same fields. */
LL_SAME_FIELD(mrea, header_mp2_demo, header_mp1, version);
LL_SAME_FIELD(mrea, header_mp2, header_mp1, version);
LL_SAME_FIELD(mrea, header_mp3, header_mp1, version);
LL_SAME_FIELD(mrea, header_unknown, header_mp1, version);
LL_SAME_FIELD(mrea, header_unknown, header_mp1, magic);

/* ------------------------------------------------------------------ kind of the file */

/* The word is the magic with at most one damaged byte, or the magic in the other byte order. */
static bool resembles(uint32_t word, uint32_t magic, uint32_t swapped)
{
    unsigned bytes = 0;
    for (uint32_t off = word ^ magic; off; off >>= 8) {
        bytes += (off & 0xFF) != 0;
    }
    return bytes <= 1 || word == swapped;
}

/* The bytes are the transform of an area: finite, and each row about 1 long, as it turns and mirrors but hardly
 * scales. */
static bool is_transform(const uint8_t *bytes)
{
    for (unsigned row = 0; row < TRANSFORM_ROWS; row++) {
        double square = ll_sum_of_squares(bytes, TRANSFORM_COLUMNS - 1, true);
        for (unsigned column = 0; column < TRANSFORM_COLUMNS; column++, bytes += 4) {
            if (!ll_single_is_finite(ll_be32(bytes))) {
                return false;
            }
        }
        if (square < 0.9 || square > 1.1) {
            return false;
        }
    }
    return true;
}

ll_probe_result mrea_probe(const uint8_t *bytes, size_t size)
{
    if (size < 4) {
        return LL_PROBE_NO;
    }
    uint32_t magic = ll_be32(bytes);
    if (magic == MREA_MAGIC || magic == MREA_LIGHTS_MAGIC || magic == MAGIC_SWAPPED ||
        magic == MREA_LIGHTS_MAGIC_SWAPPED) {
        return LL_PROBE_SURE;
    }
    bool maybe =
        resembles(magic, MREA_MAGIC, MAGIC_SWAPPED) || resembles(magic, MREA_LIGHTS_MAGIC, MREA_LIGHTS_MAGIC_SWAPPED);
    bool area = size >= mrea_header_mp1_at_world_model_count &&
                ll_edition_of(&mrea_format, ll_be32(bytes + mrea_header_mp1_at_version)) &&
                is_transform(bytes + mrea_header_mp1_at_transform);
    return maybe || area ? LL_PROBE_MAYBE : LL_PROBE_NO;
}

/* ------------------------------------------------------------------ the index */

static uint32_t first_of(const ll_doc *doc, uint16_t layout)
{
    return doc->firsts[layout] - 1; /* LL_NO_SPAN: none */
}

static uint32_t rows_of(const ll_doc *doc, uint32_t table)
{
    return table == LL_NO_SPAN ? 0 : ll_doc_span(doc, table)->count;
}

/* Indexes the lights of each layer, and finds their form by the records. */
static void index_lights(const ll_doc *doc, mrea_summary *out, const mrea_form *form)
{
    uint32_t layers = 0;
    for (uint32_t i = out->lights; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        bool layer = s->layout == mrea_layer_LAYOUT;
        bool array = s->layout == mrea_light_LAYOUT || s->layout == mrea_light_mp3_LAYOUT;
        if (layer && s->parent == out->lights && s->index < MREA_LAYERS_MAX) {
            out->layer[s->index] = i;
            layers = s->index + 1 > layers ? s->index + 1 : layers;
        } else if (array && s->parent != LL_NO_SPAN && ll_doc_span(doc, s->parent)->parent == out->lights) {
            uint32_t number = ll_doc_span(doc, s->parent)->index;
            form = s->layout == mrea_form_mp3.layout ? &mrea_form_mp3 : &mrea_form_mp12;
            out->array[number < MREA_LAYERS_MAX ? number : 0] = i;
        }
    }
    form = form ? form : layers > mrea_form_mp12.layers ? &mrea_form_mp3 : &mrea_form_mp12;
    out->form = layers ? form : NULL;
}

const void *mrea_index(ll_doc *doc)
{
    static const uint16_t headers[] = {mrea_header_mp1_LAYOUT, mrea_header_mp2_demo_LAYOUT, mrea_header_mp2_LAYOUT,
                                       mrea_header_mp3_LAYOUT, mrea_header_unknown_LAYOUT};
    mrea_summary *out = ll_doc_alloc(doc, 1, sizeof *out);
    if (!out) {
        return NULL;
    }
    memset(out, 0xFF, sizeof *out); /* LL_NO_SPAN everywhere; other values follow */
    out->version = 0;
    out->game = MREA_MP1;
    out->form = NULL;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0] && out->header == LL_NO_SPAN; i++) {
        out->header = first_of(doc, headers[i]);
    }
    const ll_edition *edition = out->header == LL_NO_SPAN
                                    ? NULL
                                    : ll_edition_with(doc->format, ll_doc_span(doc, out->header)->layout,
                                                      mrea_word(doc, mrea_header_mp1_at_version));
    if (edition) {
        out->version = edition->value;
        out->game = edition->variant ? (mrea_game)(edition->variant - 1) : MREA_DKCR;
    }
    out->size_table = first_of(doc, mrea_section_size_LAYOUT);
    out->block_table = first_of(doc, mrea_block_row_LAYOUT);
    out->tag_table = first_of(doc, mrea_tag_row_LAYOUT);
    out->sections = rows_of(doc, out->size_table);
    out->blocks = rows_of(doc, out->block_table);
    out->tags = rows_of(doc, out->tag_table);
    out->kinds = out->blocks ? ll_section_kinds(doc) : NULL;
    out->visibility = first_of(doc, mrea_visibility_head_LAYOUT);
    out->lights = first_of(doc, mrea_lights_LAYOUT);
    if (out->lights != LL_NO_SPAN) {
        uint32_t section = ll_doc_span(doc, out->lights)->parent;
        index_lights(doc, out, !edition ? NULL : out->game == MREA_MP3 ? &mrea_form_mp3 : &mrea_form_mp12);
        out->lights_index = section == LL_NO_SPAN ? LL_NO_INDEX : ll_doc_span(doc, section)->index;
        out->game = !edition && out->form == &mrea_form_mp3 ? MREA_MP3 : out->game;
    }
    return out;
}
