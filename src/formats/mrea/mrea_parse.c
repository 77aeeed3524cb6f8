/* Decides whether a file is an area or a bare lights section, also if the magic is damaged, and reads it: an area by
 * mrea_container.c, a lights section by its rows. Makes the index. */
#include "formats/mrea/mrea_area.h"

#include "base/half.h"
#include "base/text.h"
#include "model/reader.h"

#include <string.h>

enum {
    LEAST_AREA = mrea_header_mp1_SIZE, /* the shortest header; that of Prime 3 is padded to as much */
    TABLE_ROW = mrea_section_size_SIZE,
    TRANSFORM_ROWS = 3,
    TRANSFORM_COLUMNS = 4 /* the fourth column is the translation */
};

static const uint32_t MAGIC_SWAPPED = 0xEFBEADDE;

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
                mrea_edition_of(ll_be32(bytes + mrea_header_mp1_at_version)) &&
                is_transform(bytes + mrea_header_mp1_at_transform);
    return maybe || area ? LL_PROBE_MAYBE : LL_PROBE_NO;
}

/* The file reads like an area behind its magic: it has a known version and a size table that fits. */
static bool reads_as_area(const ll_doc *doc)
{
    const mrea_edition *e = doc->size < LEAST_AREA ? NULL : mrea_edition_of(mrea_word(doc, mrea_header_mp1_at_version));
    if (!e) {
        return false;
    }
    uint32_t count = mrea_word(doc, doc->layouts[e->header].fields[e->section_count].offset);
    uint64_t table = ll_align_up(e->header_size, MREA_ALIGNMENT);
    return count && ll_fits(table, (uint64_t)count * TABLE_ROW, doc->size);
}

static bool is_area(const ll_doc *doc, uint32_t magic)
{
    if (resembles(magic, MREA_MAGIC, MAGIC_SWAPPED)) {
        return true;
    }
    if (resembles(magic, MREA_LIGHTS_MAGIC, MREA_LIGHTS_MAGIC_SWAPPED)) { /* an area may have this magic by mistake */
        return reads_as_area(doc) && is_transform(doc->bytes + mrea_header_mp1_at_transform);
    }
    return reads_as_area(doc) || (doc->name && ll_ends_with(doc->name, ".mrea"));
}

/* ------------------------------------------------------------------ the file */

static void leave_unparsed(ll_doc *doc, uint32_t from)
{
    doc->fatal = true;
    ll_claim_unparsed(doc, LL_NO_SPAN, from, doc->size);
}

static void too_short(ll_doc *doc, uint32_t least, const char *what)
{
    LL_RAISE(doc, MREA_FAULT_FILE_TOO_SHORT, MREA_HINT_NONE, ll_at_bytes(LL_NO_SPAN, 0, doc->size), ll_uint(doc->size),
             ll_uint(least), ll_word(what));
    leave_unparsed(doc, 0);
}

/* Reads an area. Without the magic, only if it reads like one; else all behind the head stays unparsed. */
static void parse_area(ll_doc *doc, uint32_t magic)
{
    unsigned hint = magic == MAGIC_SWAPPED ? MREA_HINT_SWAPPED : MREA_HINT_NONE;
    if (magic == MREA_MAGIC || reads_as_area(doc)) {
        mrea_parse_area(doc);
    } else {
        uint32_t head = doc->size < mrea_header_unknown_SIZE ? 0 : mrea_header_unknown_SIZE;
        if (head) {
            (void)ll_claim_broken(doc, LL_NO_SPAN, mrea_header_unknown_LAYOUT, 0, head, LL_NO_INDEX);
        }
        leave_unparsed(doc, head);
    }
    if (magic != MREA_MAGIC) {
        const bool header = doc->span_count && ll_doc_layout(doc, 0)->kind == LL_KIND_RECORD;
        ll_where at = header ? ll_at_field(doc, 0, 0, mrea_header_unknown_magic) : ll_at_bytes(LL_NO_SPAN, 0, 4);
        ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_MREA_MAGIC, hint, at, ll_nowhere(), ll_uint(magic));
        ll_put_uint(fault.patch_value, 4, true, MREA_MAGIC);
        ll_patch_guess(doc, &fault, 0, NULL, 4);
        ll_raise(doc, &fault);
    }
}

/* The file is a lights section of the oldest form: a count and the lights of one layer, without a magic. */
static bool is_legacy(const ll_doc *doc)
{
    const mrea_form *form = &mrea_form_mp12;
    const uint32_t count = mrea_word(doc, 0);
    const uint64_t end = mrea_layer_SIZE + (uint64_t)count * form->record;
    bool legacy = count && end <= doc->size && ll_align_up(end, MREA_ALIGNMENT) == doc->size;
    for (uint32_t i = 0; legacy && i < count; i++) {
        legacy = mrea_is_light(form, doc->bytes + mrea_layer_SIZE + (size_t)i * form->record);
    }
    return legacy;
}

static void leave_legacy(ll_doc *doc)
{
    const uint32_t head = ll_claim_broken(doc, LL_NO_SPAN, mrea_lights_LAYOUT, 0, doc->size, LL_NO_INDEX);
    ll_mark_span(doc, ll_claim_unparsed(doc, head, mrea_lights_SIZE, doc->size), LL_SPAN_EXPLAINED);
    doc->fatal = true;
    LL_RAISE(doc, MREA_FAULT_LIGHTS_MAGIC, MREA_HINT_LEGACY_SINGLE_LAYER, ll_at_field(doc, head, 0, mrea_lights_magic),
             ll_uint(mrea_word(doc, 0)));
}

void mrea_parse(ll_doc *doc)
{
    if (doc->size < MREA_LIGHTS_MAGIC_LENGTH) {
        too_short(doc, MREA_LIGHTS_MAGIC_LENGTH, "a lights section");
        return;
    }
    uint32_t magic = mrea_word(doc, 0);
    if (magic == MREA_MAGIC && doc->size < LEAST_AREA) {
        too_short(doc, LEAST_AREA, "the header of an area");
    } else if (is_area(doc, magic)) {
        parse_area(doc, magic);
    } else if (is_legacy(doc)) {
        leave_legacy(doc);
    } else {
        ll_read(doc);
    }
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
    const mrea_edition *edition =
        out->header == LL_NO_SPAN
            ? NULL
            : mrea_edition_of_header(ll_doc_span(doc, out->header)->layout, mrea_word(doc, mrea_header_mp1_at_version));
    if (edition) {
        out->version = edition->version;
        out->game = edition->game;
    }
    out->size_table = first_of(doc, mrea_section_size_LAYOUT);
    out->block_table = first_of(doc, mrea_block_row_LAYOUT);
    out->tag_table = first_of(doc, mrea_tag_row_LAYOUT);
    out->sections = rows_of(doc, out->size_table);
    out->blocks = rows_of(doc, out->block_table);
    out->tags = rows_of(doc, out->tag_table);
    out->visibility = first_of(doc, mrea_visibility_head_LAYOUT);
    out->lights = first_of(doc, mrea_lights_LAYOUT);
    if (out->lights != LL_NO_SPAN) {
        uint32_t section = ll_doc_span(doc, out->lights)->parent;
        index_lights(doc, out, edition ? edition->form : NULL);
        out->lights_index = section == LL_NO_SPAN ? LL_NO_INDEX : ll_doc_span(doc, section)->index;
        out->game = !edition && out->form == &mrea_form_mp3 ? MREA_MP3 : out->game;
    }
    return out;
}
