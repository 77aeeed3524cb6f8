/* Reads an area: the header here, tables in mrea_tables.c, sections in mrea_sections.c, blocks in mrea_blocks.c. Claims
 * all bytes. */
#include "formats/mrea/mrea_area.h"

#include <string.h>

enum { URDE_VERSION = 1 }; /* high half of the versions of areas that another tool makes */

#define FORM(r, layers, floats_end)                                                                                    \
    {                                                                                                                  \
        mrea_##r##_LAYOUT, mrea_##r##_SIZE, layers, mrea_##r##_at_##floats_end, mrea_##r##_at_cast_shadows,            \
            mrea_##r##_at_falloff_type                                                                                 \
    }
const mrea_form mrea_form_mp12 = FORM(light, 2, unknown_30),
                mrea_form_mp3 = FORM(light_mp3, MREA_LAYERS_MAX, unknown_40);
#undef FORM

#define EDITION(version, game, record, blocks, tags, form)                                                             \
    {                                                                                                                  \
        version, game, mrea_##record##_LAYOUT, mrea_##record##_SIZE, mrea_##record##_section_count, blocks, tags,      \
            form, (game) == MREA_DKCR                                                                                  \
    }
static const mrea_edition editions[] = {
    EDITION(0x0C, MREA_MP1, header_mp1, LL_NO_FIELD, LL_NO_FIELD, &mrea_form_mp12),
    EDITION(0x0F, MREA_MP1, header_mp1, LL_NO_FIELD, LL_NO_FIELD, &mrea_form_mp12),
    EDITION(0x15, MREA_MP2, header_mp2_demo, LL_NO_FIELD, LL_NO_FIELD, &mrea_form_mp12),
    EDITION(0x19, MREA_MP2, header_mp2, mrea_header_mp2_block_count, LL_NO_FIELD, &mrea_form_mp12),
    EDITION(0x1D, MREA_MP3, header_mp3, mrea_header_mp3_block_count, mrea_header_mp3_tag_count, &mrea_form_mp3),
    EDITION(0x1E, MREA_MP3, header_mp3, mrea_header_mp3_block_count, mrea_header_mp3_tag_count, &mrea_form_mp3),
    EDITION(0x20, MREA_DKCR, header_mp3, mrea_header_mp3_block_count, mrea_header_mp3_tag_count, NULL),
};
#undef EDITION

/* All headers begin with the same fields. */
LL_SAME_FIELD(mrea, header_mp2_demo, header_mp1, version);
LL_SAME_FIELD(mrea, header_mp2, header_mp1, version);
LL_SAME_FIELD(mrea, header_mp3, header_mp1, version);
LL_SAME_FIELD(mrea, header_unknown, header_mp1, version);
LL_SAME_FIELD(mrea, header_unknown, header_mp1, magic);

static const char *const game_names[MREA_GAMES] = {
    [MREA_MP1] = "Metroid Prime",
    [MREA_MP2] = "Metroid Prime 2",
    [MREA_MP3] = "Metroid Prime 3",
    [MREA_DKCR] = "Donkey Kong Country Returns",
};

const mrea_edition *mrea_edition_of(uint32_t version)
{
    for (size_t i = 0; i < sizeof editions / sizeof editions[0]; i++) {
        if (editions[i].version == version) {
            return &editions[i];
        }
    }
    return NULL;
}

const mrea_edition *mrea_edition_of_header(uint16_t layout, uint32_t version)
{
    const mrea_edition *found = mrea_edition_of(version);
    found = found && found->header == layout ? found : NULL;
    for (size_t i = 0; i < sizeof editions / sizeof editions[0] && !found; i++) {
        found = editions[i].header == layout ? &editions[i] : NULL;
    }
    return found;
}

/* ------------------------------------------------------------------ claims */

/* Claims what lies behind `end`, the last block or section: fill, and surplus bytes. Raises a fault if the file does
 * not end where it should. */
static void claim_end(mrea_area *area, uint64_t end)
{
    ll_doc *doc = area->doc;
    uint32_t size = doc->size;
    uint64_t padded = mrea_has_tags(area->edition) ? ll_align_up(end, MREA_END_ALIGNMENT) : end;
    if (size < padded) { /* padding to 32 only, as one tool writes it, is just unusual */
        uint8_t *fill = ll_doc_alloc(doc, MREA_END_ALIGNMENT, 1);
        bool unusual = size == end && size % MREA_ALIGNMENT == 0;
        uint32_t span = ll_claim_bytes(doc, LL_NO_SPAN, mrea_end_padding_LAYOUT, end, size);
        ll_fault fault = LL_MAKE_FAULT(unusual ? MREA_FAULT_FILE_END_UNFILLED : MREA_FAULT_FILE_END,
                                       unusual ? MREA_HINT_NONE : MREA_HINT_CUT_FILE, ll_at_bytes(span, size, 0),
                                       ll_nowhere(), ll_uint(size), ll_uint(padded));
        fault.want = padded;
        const bool whole = end <= size && doc->bytes[end - 1] != MREA_END_FILL; /* only the fill is missing */
        fault.related = unusual || whole ? ll_nowhere() : mrea_unproved(area);
        if ((unusual || whole) && fill) {
            memset(fill, MREA_END_FILL, MREA_END_ALIGNMENT);
            ll_patch_bytes(doc, &fault, LL_PATCH_SAFE, size, 0, fill, (uint32_t)(padded - size));
        }
        mrea_raise(doc, unusual ? LL_READ_UNFILLED : LL_READ_CUT, fault);
        return;
    }
    ll_claim_bytes(doc, LL_NO_SPAN, mrea_end_padding_LAYOUT, end, padded);
    if (padded < size) {
        mrea_raise(doc, LL_READ_SURPLUS,
                   LL_MAKE_FAULT(MREA_FAULT_FILE_END_LONG, MREA_HINT_NONE, ll_claim_gap(doc, LL_NO_SPAN, padded, size),
                                 mrea_unproved(area), ll_uint(size), ll_uint(padded)));
    }
}

/* ------------------------------------------------------------------ sections */

/* Reads the sections of an area without blocks. Returns where they end by the size table. */
static uint64_t read_sections(mrea_area *area)
{
    ll_doc *doc = area->doc;
    const uint32_t sections = area->count.sections;
    mrea_fill_term(area, area->size_table, mrea_section_size_section_size, 0, sections,
                   doc->size - area->data - mrea_sum_of_sizes(doc, area->sizes, sections));
    (void)mrea_read_sections(area, LL_NO_SPAN, 0, sections, NULL, area->data, doc->size);
    return area->data + mrea_sum_of_sizes(doc, area->sizes, sections);
}

/* ------------------------------------------------------------------ the header and its tables */

/* Claims the head of an area whose version is unknown, or whose header is not complete; the rest stays unparsed. */
static void claim_unknown(mrea_area *area)
{
    ll_doc *doc = area->doc;
    area->header = ll_claim_fixed(doc, LL_NO_SPAN, mrea_header_unknown_LAYOUT, 0);
    ll_claim_unparsed(doc, LL_NO_SPAN, mrea_header_unknown_SIZE, doc->size);
    doc->fatal = true;
}

/* Chooses the edition: the stated version's if the tables of the file fit it, else the last edition that they fit, else
 * the stated one. */
static void find_edition(mrea_area *area, uint32_t version)
{
    const ll_doc *doc = area->doc;
    const mrea_edition *stated = mrea_edition_of(version), *right = version >> 16 == URDE_VERSION ? stated : NULL;
    area->edition = stated;
    for (size_t i = sizeof editions / sizeof editions[0] + 1; !right && version >> 16 != URDE_VERSION && i-- > 0;) {
        const mrea_edition *e = i == sizeof editions / sizeof editions[0] ? stated : &editions[i];
        const mrea_counts c = e && e->header_size <= doc->size ? mrea_counts_of(doc, e) : (mrea_counts){0};
        unsigned named = 0;
        (void)mrea_index_rows(e ? e->header : 0, &named); /* each index names a different section */
        const bool likely = e && (e == stated || (e->form && c.sections >= named));
        right = likely && mrea_do_counts_fit(doc, e, &c) ? e : NULL;
    }
    area->edition = right ? right : stated;
}

static void judge_version(mrea_area *area, uint32_t stated)
{
    ll_doc *doc = area->doc;
    const mrea_edition *e = area->edition;
    ll_where at = mrea_at_header(area, mrea_header_mp1_version);
    unsigned asked = doc->variant;
    if (stated != e->version) {
        ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_VERSION_LAYOUT, MREA_HINT_NONE, at, ll_nowhere(), ll_uint(stated),
                                       ll_uint(e->version), ll_word(game_names[e->game]));
        ll_patch_field(doc, &fault, LL_PATCH_UNSAFE, e->version);
        ll_raise(doc, &fault);
    }
    if (asked && asked != 1U + (unsigned)e->game) {
        bool named = doc->format && asked <= doc->format->variant_count;
        LL_RAISE(doc, MREA_FAULT_GAME_MISMATCH, MREA_HINT_NONE, at,
                 ll_word(named ? doc->format->variants[asked - 1].name : ""), ll_uint(e->version),
                 ll_word(game_names[e->game]));
        doc->unchecked = true;
    }
    if (!e->form) {
        LL_RAISE(doc, MREA_FAULT_VERSION_LIGHTS_UNDOCUMENTED, MREA_HINT_NONE, at, ll_uint(e->version));
        ll_mark_unsupported(doc);
    }
}

/* Claims the header. The file has to be as long as the shortest header. False: reading ends here. */
static bool parse_header(mrea_area *area)
{
    ll_doc *doc = area->doc;
    uint32_t version = mrea_word(doc, mrea_header_unknown_at_version);
    find_edition(area, version);
    const mrea_edition *e = area->edition;
    if (!e) {
        claim_unknown(area);
        bool swapped = mrea_edition_of(ll_le32(doc->bytes + mrea_header_unknown_at_version)) != NULL;
        unsigned hint = swapped ? MREA_HINT_SWAPPED : MREA_HINT_NONE;
        hint = version >> 16 == URDE_VERSION ? MREA_HINT_URDE_COOKED : hint;
        LL_RAISE(doc, MREA_FAULT_VERSION_UNKNOWN, hint, mrea_at_header(area, mrea_header_unknown_version),
                 ll_uint(version));
        return false;
    }
    uint32_t tables = (uint32_t)ll_align_up(e->header_size, MREA_ALIGNMENT);
    if (doc->size < tables) {
        claim_unknown(area);
        LL_RAISE(doc, MREA_FAULT_FILE_TOO_SHORT, MREA_HINT_CUT_FILE, ll_at_bytes(LL_NO_SPAN, 0, doc->size),
                 ll_uint(doc->size), ll_uint(tables), ll_word("the header of an area"));
        return false;
    }
    area->header = ll_claim_record(doc, LL_NO_SPAN, e->header, 0, e->header_size, LL_NO_INDEX);
    ll_claim_bytes(doc, LL_NO_SPAN, mrea_table_padding_header_LAYOUT, e->header_size, tables);
    judge_version(area, version);
    return doc->status == LL_OK;
}

void mrea_parse_area(ll_doc *doc)
{
    mrea_area area = {.doc = doc, .lights_index = LL_NO_INDEX};
    for (unsigned i = 0; i < MREA_DEFERRED; i++) {
        area.deferred[i].section = LL_NO_INDEX;
    }
    doc->by_rows = true;
    if (!parse_header(&area) || !mrea_read_tables(&area) || !mrea_name_sections(&area)) {
        return;
    }
    const uint64_t end = mrea_has_blocks(area.edition) ? mrea_read_blocks(&area) : read_sections(&area);
    if (doc->status == LL_OK &&
        !(mrea_has_blocks(area.edition) && end > doc->size)) { /* else a fault about a block says so */
        claim_end(&area, end);
    }
    mrea_claim_deferred(&area);
}
