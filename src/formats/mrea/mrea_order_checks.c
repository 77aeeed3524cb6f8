/* Named checks of section numbers: of the index fields of the older headers, and of the tags of Prime 3. In the older
 * games most sections follow each other in a fixed order (a chain). So each index, and the number of sections, tells
 * where the first script layer is. What most of them say is right; the outvoted ones are wrong. */
#include "formats/mrea/mrea_check.h"

#include <string.h>

enum {
    INDICES = 10,        /* most indices in a chain */
    LINKS = INDICES + 1, /* these and the number of sections */
    SCRIPT_LINK = 1,     /* link of the script layers in both chains */
    FIRST_BEHIND = 2     /* link after the script layers */
};
static const int64_t NO_OCTREE = UINT32_MAX;

#define K(name) mrea_section_##name##_KIND
/* Kinds of sections that follow each other. */
static const uint8_t chain_mp1[] = {K(octree), K(script_layers), K(collision), K(unknown),
                                    K(lights), K(visibility),    K(path)};
static const uint8_t chain_mp2[] = {
    K(ffff),       K(script_layers), K(generated_objects), K(collision),          K(unknown), K(lights),
    K(visibility), K(path),          K(portal_area),       K(static_geometry_map)};
#undef K

static uint16_t layout_of(const ll_doc *doc, uint32_t span)
{
    return ll_doc_span(doc, span)->layout;
}

static void report_number(ll_check_run *run, ll_where at, int64_t found, int64_t expected)
{
    LL_REPORT(run, MREA_HINT_NONE, at, ll_int(found), ll_int(expected));
}

/* ------------------------------------------------------------------ outvoted numbers */

/* Reports two numbers that have each other's value, with one patch for both. */
static void report_swapped(ll_check_run *run, const mrea_deviation *one, const mrea_deviation *other)
{
    enum { FIELD = 4 };
    bool in_order = one->at.offset < other->at.offset;
    uint32_t from = in_order ? one->at.offset : other->at.offset;
    uint32_t last = in_order ? other->at.offset : one->at.offset;
    uint32_t length = last + FIELD - from;
    ll_fault fault =
        LL_MAKE_FAULT(0, MREA_HINT_SWAPPED_FIELDS, one->at, other->at, ll_int(one->found), ll_int(one->expected));
    uint8_t *bytes = ll_check_alloc(run, length, 1);
    if (bytes) {
        memcpy(bytes, ll_doc_at(run->doc, from), length);
        memcpy(bytes, ll_doc_at(run->doc, last), FIELD);
        memcpy(bytes + length - FIELD, ll_doc_at(run->doc, from), FIELD);
        ll_patch_replace(run->doc, &fault, LL_PATCH_UNSAFE, from, bytes, length);
    }
    ll_report_fault(run, &fault);
}

/* Reports the deviations that stand alone, or the others. Each swapped pair is reported once. */
static void report_deviations(ll_check_run *run, mrea_deviations *all, bool alone)
{
    for (unsigned i = 0; i < all->count; i++) {
        mrea_deviation *one = &all->list[i];
        for (unsigned k = i + 1; k < all->count && !one->reported && one->alone; k++) {
            mrea_deviation *other = &all->list[k];
            if (other->alone && one->found == other->expected && one->expected == other->found) {
                one->reported = other->reported = true;
                if (alone) {
                    report_swapped(run, one, other);
                }
            }
        }
        if (!one->reported && one->alone == alone) {
            ll_fault fault =
                LL_MAKE_FAULT(0, MREA_HINT_NONE, one->at, ll_nowhere(), ll_int(one->found), ll_int(one->expected));
            if (one->expected >= 0 && all->count == 1 && !all->several) {
                ll_patch_field(run->doc, &fault, LL_PATCH_SAFE, (uint64_t)one->expected);
            }
            ll_report_fault(run, &fault);
        }
    }
}

/* Field with the number of sections in an older header; Prime 3 has no chain. */
static uint16_t count_field(uint16_t header_layout)
{
    return header_layout == mrea_header_mp2_LAYOUT ? (uint16_t)mrea_header_mp2_section_count
                                                   : (uint16_t)mrea_header_mp1_section_count;
}
LL_SAME_FIELD(mrea, header_mp1, header_mp2_demo, section_count);

typedef struct chain_link {
    uint16_t field; /* field of the header */
    int64_t value;
    int64_t base; /* number of the first script layer by this value */
} chain_link;

typedef struct chain {
    unsigned count;
    chain_link link[LINKS];
    int64_t base;     /* number of the first script layer by most links */
    bool agreed;      /* more than half of the links agree */
    int64_t sections; /* number that the reader used, also that of the last link; 0: unknown */
    bool corrected;   /* the header states another number, and the reader has raised a fault */
    bool counted;     /* the header has the field script_layer_count */
    int64_t layers;   /* number of script layers */
} chain;

/* The index fields of a header. */
typedef struct indices {
    const ll_section_by *rows;
    unsigned count;
} indices;

static indices indices_of(uint16_t header_layout)
{
    indices all;
    all.rows = ll_kinds_by(&mrea_format, header_layout, &all.count);
    return all;
}

/* Field number of the index of a kind; LL_NO_FIELD: the header has none. */
static uint16_t index_field(const indices *all, unsigned kind)
{
    for (unsigned i = 0; i < all->count; i++) {
        if (all->rows[i].kind == kind) {
            return all->rows[i].field;
        }
    }
    return LL_NO_FIELD;
}

static bool is_outvoted(const chain *c, unsigned i)
{
    return c->link[i].base != c->base;
}

/* The right value of a link, by most links. */
static int64_t right_of(const chain *c, unsigned i)
{
    return c->link[i].value - (c->link[i].base - c->base);
}

static bool is_section_count(const chain *c, unsigned i)
{
    return c->sections && i + 1 == c->count;
}

/* An index that no section has. section_index reports it. */
static bool is_beyond(const chain *c, unsigned i)
{
    return c->sections && !is_section_count(c, i) && c->link[i].value >= c->sections;
}

static void vote(chain *c)
{
    unsigned most = 0;
    for (unsigned i = 0; i < c->count; i++) {
        unsigned votes = 0;
        for (unsigned k = 0; k < c->count; k++) {
            votes += c->link[k].base == c->link[i].base;
        }
        c->base = votes > most ? c->link[i].base : c->base;
        most = votes > most ? votes : most;
    }
    c->agreed = 2 * most > c->count;
}

static chain read_chain(const ll_doc *doc, uint32_t header)
{
    const mrea_summary *summary = ll_doc_memo(doc, mrea_index);
    uint16_t layout = layout_of(doc, header);
    bool mp1 = layout == mrea_header_mp1_LAYOUT;
    const uint8_t *kinds = mp1 ? chain_mp1 : chain_mp2;
    unsigned count = mp1 ? sizeof chain_mp1 : sizeof chain_mp2;
    chain c = {.sections = summary->sections, .counted = layout == mrea_header_mp2_LAYOUT, .layers = 1};
    ll_element record;
    if (!ll_element_at(doc, header, 0, &record)) {
        return c;
    }
    if (c.counted) {
        c.layers = (int64_t)ll_get_uint(&record, mrea_header_mp2_script_layer_count);
    }
    const indices all = indices_of(layout);
    int64_t place = -1; /* offset of the link from the first script layer, in sections */
    for (unsigned i = 0; i < count; i++) {
        uint16_t field = index_field(&all, kinds[i]);
        int64_t value = field == LL_NO_FIELD ? 0 : (int64_t)ll_get_uint(&record, field);
        bool no_octree = kinds[i] == mrea_section_octree_KIND && value == NO_OCTREE;
        if (field != LL_NO_FIELD && !no_octree) {
            c.link[c.count++] = (chain_link){field, value, value - place};
        }
        place += kinds[i] == mrea_section_script_layers_KIND ? c.layers : 1;
    }
    if (c.sections) {
        uint16_t field = count_field(layout);
        c.corrected = ll_get_uint(&record, field) != summary->sections;
        c.link[c.count++] = (chain_link){field, c.sections, c.sections - place};
    }
    vote(&c);
    return c;
}

/* The largest index that fits the other links but not the number of sections: that number is too small. 0: there is
 * none. */
static int64_t beyond_count(const chain *c)
{
    int64_t largest = 0;
    for (unsigned i = 0; c->agreed && i < c->count; i++) {
        bool fits = is_beyond(c, i) && !is_outvoted(c, i);
        largest = fits && c->link[i].value > largest ? c->link[i].value : largest;
    }
    return largest;
}

/* All links up to the script layers are off by the same: only the number of script layers is wrong. */
static bool is_layer_count_wrong(const chain *c)
{
    const chain_link *link = c->link;
    return c->counted && c->agreed && c->count > FIRST_BEHIND && is_outvoted(c, 0) &&
           link[0].base == link[SCRIPT_LINK].base && !is_outvoted(c, FIRST_BEHIND) &&
           link[SCRIPT_LINK].value <= link[FIRST_BEHIND].value;
}

/* All links from this one to the end, the number of sections included, agree. */
static bool is_same_to_the_end(const chain *c, unsigned i)
{
    while (i + 1 < c->count && c->link[i + 1].base == c->link[i].base) {
        i++;
    }
    return i + 1 == c->count;
}

/* Finds outvoted links. Neighbours that are off by the same give one deviation, at the first of them: a section was put
 * in or taken out there. */
static void find_in_chain(ll_check_run *run, uint32_t header, mrea_deviations *all)
{
    chain c = read_chain(run->doc, header);
    bool mp1 = layout_of(run->doc, header) == mrea_header_mp1_LAYOUT; /* the engine of Prime 1 uses the order */
    unsigned i = 0;
    if (is_layer_count_wrong(&c)) {
        mrea_add_deviation(all, ll_at_field(run->doc, header, 0, mrea_header_mp2_script_layer_count), c.layers,
                           c.link[FIRST_BEHIND].value - c.link[SCRIPT_LINK].value, false);
        i = FIRST_BEHIND;
    }
    for (; i < c.count; i++) {
        const chain_link *link = &c.link[i];
        bool repeated = i > 0 && link->base == c.link[i - 1].base;
        bool elsewhere = is_beyond(&c, i) || (is_section_count(&c, i) && (c.corrected || beyond_count(&c)));
        if (is_outvoted(&c, i) && !repeated && !elsewhere) {
            const int64_t right = right_of(&c, i); /* 0 is the geometry: there is no octree then */
            mrea_add_deviation(all, ll_at_field(run->doc, header, 0, link->field), link->value, right > 0 ? right : -1,
                               mp1 || !is_same_to_the_end(&c, i));
        } else if (is_outvoted(&c, i)) {
            all->several = true;
        }
    }
}

/* Reports wrong section numbers. Every tool uses the indices or tags; the engine of Prime 1 uses the order, whatever
 * they are. */
static void report_order(ll_check_run *run, bool errors)
{
    const mrea_summary *summary = mrea_summary_of(run);
    mrea_deviations all = {0};
    if (!ll_is_usable(run->doc, summary->header)) {
        return;
    }
    uint16_t layout = layout_of(run->doc, summary->header);
    if (indices_of(layout).count) {
        find_in_chain(run, summary->header, &all);
    } else if (layout == mrea_header_mp3_LAYOUT && summary->game == MREA_MP3 &&
               ll_is_usable(run->doc, summary->tag_table)) {
        mrea_find_in_tags(run->doc, &all);
    }
    report_deviations(run, &all, errors);
}

void mrea_check_section_order(ll_check_run *run)
{
    report_order(run, true);
}

void mrea_check_section_order_other(ll_check_run *run)
{
    report_order(run, false);
}

/* ------------------------------------------------------------------ world models */

/* Compares the number of world models with the sections that can be geometry: each model needs a number of sections,
 * besides those of no model. For Prime 3 neither is known. */
void mrea_check_world_model_count(ll_check_run *run)
{
    enum {
        OTHERS_MP1 = 1, /* materials */
        PER_MODEL_MP1 = 7,
        OTHERS_MP2 = 3, /* materials, octree, one of unknown meaning */
        PER_MODEL_MP2 = 9
    };
    const ll_doc *doc = run->doc;
    uint16_t layout = layout_of(doc, run->span);
    ll_where at = ll_at_field(doc, run->span, 0, mrea_header_mp1_world_model_count); /* the same in all headers */
    int64_t models = mrea_word(doc, at.offset);
    int64_t most = mrea_summary_of(run)->sections;
    if (layout != mrea_header_mp3_LAYOUT) {
        bool mp1 = layout == mrea_header_mp1_LAYOUT;
        chain c = read_chain(doc, run->span);
        int64_t geometry = right_of(&c, 0); /* the first section after the geometry */
        int64_t left = geometry - (mp1 ? OTHERS_MP1 : OTHERS_MP2);
        if (!c.agreed || geometry < 0) {
            return;
        }
        most = left > 0 ? left / (mp1 ? PER_MODEL_MP1 : PER_MODEL_MP2) : 0;
    }
    if (mrea_summary_of(run)->sections && models > most) {
        report_number(run, at, models, most);
    }
}

/* ------------------------------------------------------------------ single indices */

/* The section is not compressed and begins with these letters. */
static bool begins_with(const ll_doc *doc, int64_t section, const char *letters)
{
    uint32_t i = 0;
    while (i < doc->span_count && (layout_of(doc, i) != mrea_section_LAYOUT || ll_doc_span(doc, i)->index != section)) {
        i++;
    }
    const ll_span *s = i < doc->span_count ? ll_doc_span(doc, i) : NULL;
    return s && s->length >= strlen(letters) && memcmp(ll_doc_at(doc, s->offset), letters, strlen(letters)) == 0;
}

/* Reports an index that no section has. If all others agree, they tell the right one; an area may have no octree. */
static void report_beyond(ll_check_run *run, const chain *c, const ll_section_by *row, int64_t value)
{
    ll_where at = ll_at_field(run->doc, run->span, 0, row->field);
    ll_fault fault = LL_MAKE_FAULT(0, MREA_HINT_NONE, at, ll_nowhere(), ll_int(value), ll_int(c->sections));
    unsigned wrong = 0;
    int64_t right = -1;
    for (unsigned i = 0; i < c->count; i++) {
        wrong += is_outvoted(c, i);
        right = c->link[i].field == row->field ? right_of(c, i) : right;
    }
    if (row->kind == mrea_section_geometry_KIND && c->agreed && wrong == 0) {
        ll_patch_field(run->doc, &fault, LL_PATCH_UNSAFE, 0);
    } else if (c->agreed && wrong == 1 && right >= 0 && right < c->sections &&
               (row->kind != mrea_section_octree_KIND || begins_with(run->doc, right, "AROT"))) {
        ll_patch_field(run->doc, &fault, LL_PATCH_SAFE, (uint64_t)right);
    }
    ll_report_fault(run, &fault);
}

static void check_header_indices(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    uint16_t layout = layout_of(doc, run->span);
    chain c = read_chain(doc, run->span);
    int64_t beyond = beyond_count(&c);
    const indices all = indices_of(layout);
    if (beyond && !c.corrected) {
        report_number(run, ll_at_field(doc, run->span, 0, count_field(layout)), beyond, c.sections);
    }
    ll_element header;
    bool there = ll_element_at(doc, run->span, 0, &header);
    for (unsigned i = 0; there && c.sections && i < all.count; i++) {
        int64_t value = (int64_t)ll_get_uint(&header, all.rows[i].field);
        bool passed =
            layout == mrea_header_mp1_LAYOUT && all.rows[i].kind == mrea_section_octree_KIND && value == NO_OCTREE;
        for (unsigned k = 0; beyond && k < c.count; k++) { /* it fits the others */
            passed = passed || (c.link[k].field == all.rows[i].field && !is_outvoted(&c, k));
        }
        if (value >= c.sections && !passed) {
            report_beyond(run, &c, &all.rows[i], value);
        }
    }
}

void mrea_check_section_index(ll_check_run *run)
{
    if (layout_of(run->doc, run->span) == mrea_tag_row_LAYOUT) {
        mrea_check_tag_indices(run);
    } else {
        check_header_indices(run);
    }
}

/* Checks that the geometry is section 0, as in every area. */
void mrea_check_geometry_index(ll_check_run *run)
{
    if (layout_of(run->doc, run->span) == mrea_tag_row_LAYOUT) {
        mrea_check_tag_geometry(run);
    } else {
        const indices all = indices_of(layout_of(run->doc, run->span));
        const uint16_t field = index_field(&all, mrea_section_geometry_KIND);
        mrea_check_geometry(run, ll_at_field(run->doc, run->span, 0, field));
    }
}
