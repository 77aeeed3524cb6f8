/* Named checks of section numbers: the index fields of the older headers and the tag table of Prime 3. In the older
 * games most sections follow each other in a fixed order, so that every index, and the number of sections too, tells
 * where the first script layer is. What most of them say is taken as right; the outvoted ones are wrong. */
#include "formats/mrea/mrea_check.h"

enum {
    LINKS = 12,       /* of a chain at most: ten indices and the number of sections */
    SCRIPT_LINK = 1,  /* of both chains */
    FIRST_BEHIND = 2, /* link behind the script layers */
    TAG_KINDS = 15
};
static const uint32_t NO_OCTREE = UINT32_MAX;

/* Sections that follow each other. */
static const uint8_t chain_mp1[] = {MREA_KIND_OCTREE, MREA_KIND_SCRIPT_LAYERS, MREA_KIND_COLLISION, MREA_KIND_UNKNOWN,
                                    MREA_KIND_LIGHTS, MREA_KIND_VISIBILITY,    MREA_KIND_PATH};
static const uint8_t chain_mp2[] = {MREA_KIND_FFFF,
                                    MREA_KIND_SCRIPT_LAYERS,
                                    MREA_KIND_GENERATED_OBJECTS,
                                    MREA_KIND_COLLISION,
                                    MREA_KIND_UNKNOWN,
                                    MREA_KIND_LIGHTS,
                                    MREA_KIND_VISIBILITY,
                                    MREA_KIND_PATH,
                                    MREA_KIND_PORTAL_AREA,
                                    MREA_KIND_STATIC_GEOMETRY_MAP};
/* Prime 3: others may stand between these, and not every area has all of them. */
static const uint8_t order_mp3[TAG_KINDS] = {
    MREA_KIND_GEOMETRY,     MREA_KIND_OCTREE,        MREA_KIND_BOUNDING_BOXES,     MREA_KIND_GPU_DATA,
    MREA_KIND_DEPENDENCIES, MREA_KIND_SCRIPT_LAYERS, MREA_KIND_GENERATED_OBJECTS,  MREA_KIND_COLLISION,
    MREA_KIND_LIGHTS,       MREA_KIND_LLTE,          MREA_KIND_VISIBILITY,         MREA_KIND_MODULES,
    MREA_KIND_PATH,         MREA_KIND_PORTAL_AREA,   MREA_KIND_STATIC_GEOMETRY_MAP};

static uint16_t layout_of(const ll_doc *doc, uint32_t span)
{
    return ll_doc_span(doc, span)->layout;
}

static ll_arg number_arg(int64_t value)
{
    return value < 0 ? ll_int(value) : ll_uint((uint64_t)value);
}

static void report_number(ll_check_run *run, ll_where at, uint64_t found, int64_t expected)
{
    LL_REPORT(run, MREA_HINT_NONE, at, ll_uint(found), number_arg(expected));
}

/* ------------------------------------------------------------------ the number of sections */

/* Field of an older header that holds the number of sections. */
static uint16_t count_field(uint16_t header_layout)
{
    switch (header_layout) {
    case mrea_header_mp1_LAYOUT:
        return mrea_header_mp1_section_count;
    case mrea_header_mp2_demo_LAYOUT:
        return mrea_header_mp2_demo_section_count;
    default: /* Prime 3 has no chain */
        return mrea_header_mp2_section_count;
    }
}

/* The sections that the parser went by, also where the field is wrong: then it has said so. 0: it could not tell. */
static uint64_t sections_of(const ll_doc *doc)
{
    const mrea_summary *summary = doc->format_data;
    return summary ? summary->sections : 0;
}

/* ------------------------------------------------------------------ chains of the older games */

typedef struct chain_link {
    uint16_t field; /* of the header */
    uint64_t value;
    int64_t place; /* counted from the first script layer */
} chain_link;

typedef struct chain {
    unsigned count;
    chain_link link[LINKS];
    int64_t base;      /* the first script layer, as most links say */
    bool solid;        /* more than half of them do */
    uint64_t sections; /* 0: not known; else the last link says it */
    bool corrected;    /* the header states another number, and the parser has said so */
    bool counted;      /* script_layer_count is a field of the header */
    uint64_t layers;   /* script layers */
} chain;

/* Number of the index field of a kind; LL_NO_FIELD: the header has none. */
static uint16_t index_field(uint16_t header_layout, unsigned kind)
{
    unsigned count = 0;
    const mrea_index_row *rows = mrea_index_rows(header_layout, &count);
    for (unsigned i = 0; i < count; i++) {
        if (rows[i].kind == kind) {
            return rows[i].field;
        }
    }
    return LL_NO_FIELD;
}

static int64_t base_of(const chain_link *link)
{
    return (int64_t)link->value - link->place;
}

static bool is_outvoted(const chain *c, unsigned i)
{
    return base_of(&c->link[i]) != c->base;
}

static bool is_section_count(const chain *c, unsigned i)
{
    return c->sections && i + 1 == c->count;
}

/* An index that no section has; section_index reports it. */
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
            votes += base_of(&c->link[k]) == base_of(&c->link[i]);
        }
        if (votes > most) {
            most = votes;
            c->base = base_of(&c->link[i]);
        }
    }
    c->solid = 2 * most > c->count;
}

static chain read_chain(const ll_doc *doc, uint32_t header)
{
    uint16_t layout = layout_of(doc, header);
    bool mp1 = layout == mrea_header_mp1_LAYOUT;
    const uint8_t *kinds = mp1 ? chain_mp1 : chain_mp2;
    unsigned count = mp1 ? sizeof chain_mp1 : sizeof chain_mp2;
    chain c = {.sections = sections_of(doc), .counted = layout == mrea_header_mp2_LAYOUT, .layers = 1};
    if (c.counted) {
        c.layers = ll_get_uint(doc, header, 0, mrea_header_mp2_script_layer_count);
    }
    int64_t place = -1;
    for (unsigned i = 0; i < count; i++) {
        uint16_t field = index_field(layout, kinds[i]);
        uint64_t value = field == LL_NO_FIELD ? 0 : ll_get_uint(doc, header, 0, field);
        bool no_octree = kinds[i] == MREA_KIND_OCTREE && value == NO_OCTREE;
        if (field != LL_NO_FIELD && !no_octree) {
            c.link[c.count++] = (chain_link){field, value, place};
        }
        place += kinds[i] == MREA_KIND_SCRIPT_LAYERS ? (int64_t)c.layers : 1;
    }
    if (c.sections) {
        uint16_t field = count_field(layout);
        c.corrected = ll_get_uint(doc, header, 0, field) != c.sections;
        c.link[c.count++] = (chain_link){field, c.sections, place};
    }
    vote(&c);
    return c;
}

/* The largest index that fits the others but not the number of sections: then the number is too small. 0: none. */
static uint64_t beyond_count(const chain *c)
{
    uint64_t largest = 0;
    for (unsigned i = 0; c->solid && i < c->count; i++) {
        bool fits = is_beyond(c, i) && !is_outvoted(c, i);
        largest = fits && c->link[i].value > largest ? c->link[i].value : largest;
    }
    return largest;
}

/* Everything in front of the script layers' end is off by the same: then their number is wrong and nothing else. */
static bool is_layer_count_wrong(const chain *c)
{
    const chain_link *link = c->link;
    return c->counted && c->solid && c->count > FIRST_BEHIND && is_outvoted(c, 0) &&
           base_of(&link[0]) == base_of(&link[SCRIPT_LINK]) && !is_outvoted(c, FIRST_BEHIND) &&
           link[SCRIPT_LINK].value <= link[FIRST_BEHIND].value;
}

/* Neighbours that are off by the same give one finding, at the first of them: a section was put in or taken out there.
 */
static void report_chain(ll_check_run *run, uint32_t header)
{
    chain c = read_chain(run->doc, header);
    unsigned i = 0;
    if (is_layer_count_wrong(&c)) {
        ll_where at = ll_at_field(run->doc, header, 0, mrea_header_mp2_script_layer_count);
        report_number(run, at, c.layers, (int64_t)(c.link[FIRST_BEHIND].value - c.link[SCRIPT_LINK].value));
        i = FIRST_BEHIND;
    }
    for (; i < c.count; i++) {
        bool repeated = i > 0 && base_of(&c.link[i]) == base_of(&c.link[i - 1]);
        bool elsewhere = is_beyond(&c, i) || (is_section_count(&c, i) && (c.corrected || beyond_count(&c)));
        if (is_outvoted(&c, i) && !repeated && !elsewhere) {
            report_number(run, ll_at_field(run->doc, header, 0, c.link[i].field), c.link[i].value,
                          c.base + c.link[i].place);
        }
    }
}

void mrea_check_section_order_mp1(ll_check_run *run)
{
    report_chain(run, run->span);
}

/* ------------------------------------------------------------------ tags of Prime 3 */

/* The row whose tag should be that of the lights and is not, as the parser has said; LL_NO_INDEX: none. */
static uint32_t mistagged_row(const ll_doc *doc, uint32_t table)
{
    for (const ll_fault_node *node = doc->first_fault; node; node = node->next) {
        if (node->fault.code == MREA_FAULT_TAG_LITE_MISSING && node->fault.at.span == table) {
            return node->fault.at.element;
        }
    }
    return LL_NO_INDEX;
}

static mrea_kind kind_of_row(const ll_doc *doc, uint32_t table, uint32_t row, uint32_t mistagged)
{
    uint32_t tag = mrea_word(doc, ll_at_field(doc, table, row, mrea_tag_row_tag).offset);
    return row == mistagged ? MREA_KIND_LIGHTS : mrea_kind_of_tag(tag);
}

static uint64_t index_of_row(const ll_doc *doc, uint32_t table, uint32_t row)
{
    return ll_get_uint(doc, table, row, mrea_tag_row_section_index);
}

typedef struct tag_rows {
    uint32_t mistagged;
    uint32_t first[MREA_KINDS]; /* LL_NO_INDEX: none */
    bool repeated[MREA_KINDS];
} tag_rows;

static tag_rows find_rows(const ll_doc *doc, uint32_t table)
{
    tag_rows rows = {.mistagged = mistagged_row(doc, table)};
    for (unsigned kind = 0; kind < MREA_KINDS; kind++) {
        rows.first[kind] = LL_NO_INDEX;
    }
    for (uint32_t row = 0; row < ll_doc_span(doc, table)->count; row++) {
        mrea_kind kind = kind_of_row(doc, table, row, rows.mistagged);
        if (rows.first[kind] == LL_NO_INDEX) {
            rows.first[kind] = row;
        } else {
            rows.repeated[kind] = true;
        }
    }
    return rows;
}

typedef struct tag_link {
    uint8_t order; /* number in order_mp3 */
    bool kept;     /* agrees with the order that most are in */
    uint32_t row;
    int64_t index;
    int64_t slack;  /* sections that stand in front of it and have no tag, if the script layers are one section */
    int64_t direct; /* the same, if they are as many as the header says */
} tag_link;

typedef struct tag_chain {
    unsigned count;
    tag_link link[TAG_KINDS];
    int64_t layers;
} tag_chain;

/* Slack never falls along the order. Marks the longest run in which it does not; of equally long ones that where it
 * rises least often. */
static void keep_most(tag_chain *c)
{
    unsigned score[TAG_KINDS];
    unsigned before[TAG_KINDS];
    unsigned best = TAG_KINDS;
    for (unsigned i = 0; i < c->count; i++) {
        score[i] = TAG_KINDS;
        before[i] = TAG_KINDS;
        for (unsigned k = 0; k < i; k++) {
            bool fits = c->link[k].slack <= c->link[i].slack;
            bool direct = c->link[k].direct == c->link[i].direct;
            unsigned sum = score[k] + TAG_KINDS + direct; /* fewer than TAG_KINDS are direct: length decides first */
            if (fits && sum > score[i]) {
                score[i] = sum;
                before[i] = k;
            }
        }
        best = best == TAG_KINDS || score[i] > score[best] ? i : best;
    }
    for (; best < TAG_KINDS; best = before[best]) {
        c->link[best].kept = true;
    }
}

/* Left out is what other checks report: indices that no section has, geometry that is not the first section, tags
 * that are there twice. */
static tag_chain read_tags(const ll_doc *doc, const mrea_summary *summary, uint32_t table)
{
    uint64_t sections = sections_of(doc);
    tag_rows rows = find_rows(doc, table);
    tag_chain c = {.layers = (int64_t)ll_get_uint(doc, summary->header, 0, mrea_header_mp3_script_layer_count)};
    int64_t place = 0;
    int64_t more = 0; /* script layers but for the first */
    for (uint8_t i = 0; i < TAG_KINDS; i++) {
        mrea_kind kind = (mrea_kind)order_mp3[i];
        uint64_t index = rows.first[kind] == LL_NO_INDEX ? 0 : index_of_row(doc, table, rows.first[kind]);
        bool geometry = kind == MREA_KIND_GEOMETRY;
        bool odd = (geometry ? index > 0 : rows.repeated[kind]) || (sections && index >= sections);
        if (rows.first[kind] == LL_NO_INDEX) {
            continue;
        }
        if (!odd) {
            int64_t slack = (int64_t)index - place;
            c.link[c.count++] = (tag_link){i, false, rows.first[kind], (int64_t)index, slack, slack - more};
        }
        bool script = kind == MREA_KIND_SCRIPT_LAYERS;
        place += script && c.layers == 0 ? 0 : 1;
        more += script && c.layers > 0 ? c.layers - 1 : 0;
    }
    keep_most(&c);
    return c;
}

/* Nearest link before (by -1) or behind (by 1) that is kept; NULL: none. */
static const tag_link *kept_beside(const tag_chain *c, unsigned i, int by)
{
    for (int k = (int)i + by; k >= 0 && k < (int)c->count; k += by) {
        if (c->link[k].kept) {
            return &c->link[k];
        }
    }
    return NULL;
}

static ll_where index_of_tag(const ll_doc *doc, const mrea_summary *summary, const tag_link *link)
{
    return ll_at_field(doc, summary->tag_table, link->row, mrea_tag_row_section_index);
}

/* Generated objects stand behind the last script layer. Of the two indices and the number of layers, the one that does
 * not fit its other neighbours is wrong. */
static void report_generated(ll_check_run *run, const mrea_summary *summary, const tag_chain *c, unsigned script)
{
    const tag_link *layers = &c->link[script];
    const tag_link *generated = &c->link[script + 1];
    const tag_link *before = kept_beside(c, script, -1);
    const tag_link *behind = kept_beside(c, script + 1, 1);
    bool script_fits = before && before->direct == layers->direct;
    bool generated_fits = behind && generated->direct == behind->direct;
    if (script_fits && generated_fits) {
        ll_where at = ll_at_field(run->doc, summary->header, 0, mrea_header_mp3_script_layer_count);
        report_number(run, at, (uint64_t)c->layers, generated->index - layers->index);
    } else if (generated_fits) {
        report_number(run, index_of_tag(run->doc, summary, layers), (uint64_t)layers->index,
                      generated->index - c->layers);
    } else {
        report_number(run, index_of_tag(run->doc, summary, generated), (uint64_t)generated->index,
                      layers->index + c->layers);
    }
}

/* Number of the link of the script layers where generated objects follow, both in order; c->count: there are none such.
 */
static unsigned find_script_pair(const tag_chain *c)
{
    for (unsigned i = 0; i + 1 < c->count; i++) {
        if (order_mp3[c->link[i].order] == MREA_KIND_SCRIPT_LAYERS &&
            order_mp3[c->link[i + 1].order] == MREA_KIND_GENERATED_OBJECTS) {
            return c->link[i].kept && c->link[i + 1].kept ? i : c->count;
        }
    }
    return c->count;
}

static bool is_script_in_order(const tag_chain *c, unsigned script)
{
    return c->link[script].index + c->layers == c->link[script + 1].index;
}

static void report_tags(ll_check_run *run, const mrea_summary *summary)
{
    tag_chain c = read_tags(run->doc, summary, summary->tag_table);
    for (unsigned i = 0; i < c.count; i++) {
        const tag_link *before = kept_beside(&c, i, -1);
        const tag_link *beside = before ? before : kept_beside(&c, i, 1);
        const tag_link *link = &c.link[i];
        if (!link->kept && beside) {
            report_number(run, index_of_tag(run->doc, summary, link), (uint64_t)link->index,
                          link->index - (link->direct - beside->direct));
        }
    }
    unsigned script = find_script_pair(&c);
    if (script < c.count && !is_script_in_order(&c, script)) {
        report_generated(run, summary, &c, script);
    }
}

void mrea_check_section_order_other(ll_check_run *run)
{
    const mrea_summary *summary = mrea_summary_of(run);
    if (!summary || !ll_is_usable(run->doc, summary->header)) {
        return;
    }
    uint16_t layout = layout_of(run->doc, summary->header);
    if (layout == mrea_header_mp2_LAYOUT || layout == mrea_header_mp2_demo_LAYOUT) {
        report_chain(run, summary->header);
    } else if (layout == mrea_header_mp3_LAYOUT && summary->game == MREA_MP3 &&
               ll_is_usable(run->doc, summary->tag_table)) {
        report_tags(run, summary);
    }
}

bool mrea_find_script(const ll_doc *doc, const mrea_summary *summary, mrea_script *out)
{
    uint16_t layout = layout_of(doc, summary->header);
    if (layout == mrea_header_mp3_LAYOUT && ll_is_usable(doc, summary->tag_table)) {
        tag_chain c = read_tags(doc, summary, summary->tag_table);
        unsigned script = find_script_pair(&c);
        bool known = script < c.count && is_script_in_order(&c, script);
        if (known) {
            *out =
                (mrea_script){(uint64_t)c.link[script].index, (uint64_t)c.layers, (uint64_t)c.link[script + 1].index};
        }
        return known;
    }
    if (layout != mrea_header_mp2_LAYOUT) {
        return false;
    }
    chain c = read_chain(doc, summary->header);
    for (unsigned i = 0; i < c.count; i++) {
        if (is_outvoted(&c, i)) {
            return false;
        }
    }
    *out = (mrea_script){c.link[SCRIPT_LINK].value, c.layers, c.link[FIRST_BEHIND].value};
    return true;
}

/* ------------------------------------------------------------------ world models */

/* Sections in front of the script layers that no world model can have, and the fewest that one has. */
typedef struct model_law {
    uint64_t others, per_model;
} model_law;

static model_law law_of(uint16_t header_layout)
{
    return header_layout == mrea_header_mp1_LAYOUT ? (model_law){1, 7}  /* materials */
                                                   : (model_law){3, 9}; /* materials, octree, one that nobody knows */
}

/* Sections that can be geometry, and how many of them the models need; Prime 3 is known for neither. */
void mrea_check_world_model_count(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    uint16_t layout = layout_of(doc, run->span);
    uint64_t models =
        ll_get_uint(doc, run->span, 0, mrea_header_mp1_world_model_count); /* the same field in every header */
    uint64_t most = sections_of(doc);
    if (layout != mrea_header_mp3_LAYOUT) {
        chain c = read_chain(doc, run->span);
        model_law law = law_of(layout);
        int64_t geometry = c.base + c.link[0].place; /* the first section that is none */
        if (!c.solid || geometry < 0) {
            return;
        }
        most = (uint64_t)geometry > law.others ? ((uint64_t)geometry - law.others) / law.per_model : 0;
    }
    if (sections_of(doc) && models > most) {
        report_number(run, ll_at_field(doc, run->span, 0, mrea_header_mp1_world_model_count), models, (int64_t)most);
    }
}

/* ------------------------------------------------------------------ single indices */

static void check_header_indices(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    uint16_t layout = layout_of(doc, run->span);
    chain c = read_chain(doc, run->span);
    uint64_t beyond = beyond_count(&c);
    unsigned count = 0;
    const mrea_index_row *rows = mrea_index_rows(layout, &count);
    if (beyond && !c.corrected) {
        report_number(run, ll_at_field(doc, run->span, 0, count_field(layout)), beyond, (int64_t)c.sections);
    }
    for (unsigned i = 0; c.sections && i < count; i++) {
        uint64_t value = ll_get_uint(doc, run->span, 0, rows[i].field);
        bool no_octree = layout == mrea_header_mp1_LAYOUT && rows[i].kind == MREA_KIND_OCTREE && value == NO_OCTREE;
        bool fits_others = false;
        for (unsigned k = 0; beyond && k < c.count; k++) {
            fits_others = fits_others || (c.link[k].field == rows[i].field && !is_outvoted(&c, k));
        }
        if (value >= c.sections && !no_octree && !fits_others) {
            report_number(run, ll_at_field(doc, run->span, 0, rows[i].field), value, (int64_t)c.sections);
        }
    }
}

static void check_tag_indices(ll_check_run *run)
{
    uint64_t sections = sections_of(run->doc);
    uint32_t rows = sections ? ll_doc_span(run->doc, run->span)->count : 0;
    for (uint32_t row = 0; row < rows; row++) {
        uint64_t index = index_of_row(run->doc, run->span, row);
        if (index >= sections) {
            report_number(run, ll_at_field(run->doc, run->span, row, mrea_tag_row_section_index), index,
                          (int64_t)sections);
        }
    }
}

void mrea_check_section_index(ll_check_run *run)
{
    if (layout_of(run->doc, run->span) == mrea_tag_row_LAYOUT) {
        check_tag_indices(run);
    } else {
        check_header_indices(run);
    }
}

/* An index that no section has is section_index's. */
static void check_geometry(ll_check_run *run, ll_where at, uint64_t sections)
{
    uint64_t index = mrea_word(run->doc, at.offset);
    if (index && (sections == 0 || index < sections)) {
        LL_REPORT(run, MREA_HINT_NONE, at, ll_uint(index));
    }
}

/* The geometry comes first in every area. */
void mrea_check_geometry_index(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    uint64_t sections = sections_of(doc);
    bool tags = layout_of(doc, run->span) == mrea_tag_row_LAYOUT;
    uint16_t field = tags ? (uint16_t)LL_NO_FIELD : index_field(layout_of(doc, run->span), MREA_KIND_GEOMETRY);
    if (field != LL_NO_FIELD) {
        check_geometry(run, ll_at_field(doc, run->span, 0, field), sections);
    }
    uint32_t mistagged = tags ? mistagged_row(doc, run->span) : LL_NO_INDEX;
    for (uint32_t row = 0; tags && row < ll_doc_span(doc, run->span)->count; row++) {
        if (kind_of_row(doc, run->span, row, mistagged) == MREA_KIND_GEOMETRY) {
            check_geometry(run, ll_at_field(doc, run->span, row, mrea_tag_row_section_index), sections);
        }
    }
}

/* Whether a section of that kind may have that index, as the tags of the others say. */
static bool is_in_order(const tag_chain *c, mrea_kind kind, uint64_t index)
{
    unsigned order = 0;
    while (order_mp3[order] != kind) {
        order++;
    }
    for (unsigned i = 0; i < c->count; i++) {
        const tag_link *link = &c->link[i];
        bool before = link->order < order;
        if (link->kept && (before ? link->index >= (int64_t)index : link->index <= (int64_t)index)) {
            return false;
        }
    }
    return true;
}

/* The row of each repeated kind that is right: that of the lights leads to them, others are the first in order, where
 * it is known. */
static void find_right_rows(const ll_doc *doc, uint32_t table, tag_rows *rows)
{
    const mrea_summary *summary = doc->format_data;
    bool found[MREA_KINDS] = {false};
    if (!summary || summary->game != MREA_MP3 || !ll_is_usable(doc, summary->header)) {
        return;
    }
    tag_chain c = read_tags(doc, summary, table);
    for (uint32_t row = 0; row < ll_doc_span(doc, table)->count; row++) {
        mrea_kind kind = kind_of_row(doc, table, row, rows->mistagged);
        uint64_t index = index_of_row(doc, table, row);
        bool lights_found =
            kind == MREA_KIND_LIGHTS && summary->lights_index != LL_NO_INDEX; /* where they are, they show themselves */
        bool right =
            lights_found ? index == summary->lights_index : kind != MREA_KIND_OTHER && is_in_order(&c, kind, index);
        if (rows->repeated[kind] && !found[kind] && right) {
            found[kind] = true;
            rows->first[kind] = row;
        }
    }
}

/* Donkey Kong Country Returns may have tags of its own. */
void mrea_check_tag_unknown(ll_check_run *run)
{
    const mrea_summary *summary = mrea_summary_of(run);
    uint32_t rows = summary && summary->game == MREA_MP3 ? ll_doc_span(run->doc, run->span)->count : 0;
    uint32_t mistagged = mistagged_row(run->doc, run->span);
    for (uint32_t row = 0; row < rows; row++) {
        if (kind_of_row(run->doc, run->span, row, mistagged) == MREA_KIND_OTHER) {
            LL_REPORT(run, MREA_HINT_NONE, ll_at_field(run->doc, run->span, row, mrea_tag_row_tag),
                      ll_chars(ll_at_field(run->doc, run->span, row, mrea_tag_row_tag).offset,
                               ll_at_field(run->doc, run->span, row, mrea_tag_row_tag).length));
        }
    }
}

/* The geometry may have several rows; that all of them lead to section 0 is geometry_index's. Unknown tags have a rule
 * of their own. */
void mrea_check_tag_duplicate(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    tag_rows rows = find_rows(doc, run->span);
    rows.repeated[MREA_KIND_OTHER] = rows.repeated[MREA_KIND_GEOMETRY] = false;
    find_right_rows(doc, run->span, &rows);
    for (uint32_t row = 0; row < ll_doc_span(doc, run->span)->count; row++) {
        mrea_kind kind = kind_of_row(doc, run->span, row, rows.mistagged);
        if (rows.repeated[kind] && rows.first[kind] != row) {
            LL_REPORT_RELATED(run, MREA_HINT_NONE, ll_at_field(doc, run->span, row, mrea_tag_row_tag),
                              ll_at_field(doc, run->span, rows.first[kind], mrea_tag_row_tag),
                              ll_chars(ll_at_field(doc, run->span, row, mrea_tag_row_tag).offset,
                                       ll_at_field(doc, run->span, row, mrea_tag_row_tag).length),
                              ll_uint(rows.first[kind]));
        }
    }
}
