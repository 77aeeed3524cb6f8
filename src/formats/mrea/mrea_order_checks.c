/* Named checks of section numbers: the index fields of the older headers and the tag table of Prime 3. In the older
 * games most sections follow each other in a fixed order, so that every index, and the number of sections too, tells
 * where the first script layer is. What most of them say is taken as right; the outvoted ones are wrong. */
#include "formats/mrea/mrea_check.h"

#include <string.h>

enum {
    LINKS = 12,       /* of a chain at most: ten indices and the number of sections */
    SCRIPT_LINK = 1,  /* of both chains */
    FIRST_BEHIND = 2, /* link behind the script layers */
    TAG_KINDS = 15
};
static const int64_t NO_OCTREE = UINT32_MAX;

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

static void report_number(ll_check_run *run, ll_where at, int64_t found, int64_t expected)
{
    LL_REPORT(run, MREA_HINT_NONE, at, ll_int(found), ll_int(expected));
}

/* ------------------------------------------------------------------ numbers that the others outvote */

typedef struct deviation {
    ll_where at;
    int64_t found, expected;
    bool alone; /* those beside it are right, so that it leads to another section; else sections are in another order */
    bool reported;
} deviation;

typedef struct deviations {
    unsigned count;
    bool several; /* more numbers are wrong than those: bytes in front of them may be too many or missing */
    deviation list[MREA_KINDS];
} deviations;

static void add(deviations *all, ll_where at, int64_t found, int64_t expected, bool alone)
{
    if (all->count < sizeof all->list / sizeof all->list[0]) {
        all->list[all->count++] = (deviation){at, found, expected, alone, false};
    }
}

/* One number that has another's value, and the other has its: both are put right by one patch. */
static void report_swapped(ll_check_run *run, const deviation *one, const deviation *other)
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
        ll_patch_bytes(run->doc, &fault, LL_PATCH_UNSAFE, from, length, bytes, length);
    }
    ll_report_fault(run, &fault);
}

/* Those that stand alone, or the others. */
static void report_deviations(ll_check_run *run, deviations *all, bool alone)
{
    for (unsigned i = 0; i < all->count; i++) {
        deviation *one = &all->list[i];
        for (unsigned k = i + 1; k < all->count && !one->reported && one->alone; k++) {
            deviation *other = &all->list[k];
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

/* ------------------------------------------------------------------ the number of sections */

/* Field of an older header that holds the number of sections; Prime 3 has no chain. */
static uint16_t count_field(uint16_t header_layout)
{
    return header_layout == mrea_header_mp2_LAYOUT ? (uint16_t)mrea_header_mp2_section_count
                                                   : (uint16_t)mrea_header_mp1_section_count;
}
LL_SAME_FIELD(mrea, header_mp1, header_mp2_demo, section_count);

/* The sections that the parser went by, also where the field is wrong: then it has said so. 0: it could not tell. */
static uint64_t sections_of(const ll_doc *doc)
{
    const mrea_summary *summary = doc->index;
    return summary ? summary->sections : 0;
}

/* ------------------------------------------------------------------ chains of the older games */

typedef struct chain_link {
    uint16_t field; /* of the header */
    int64_t value;
    int64_t base; /* where the value puts the first script layer */
} chain_link;

typedef struct chain {
    unsigned count;
    chain_link link[LINKS];
    int64_t base;      /* the first script layer, as most links say */
    bool agreed;       /* more than half of them do */
    uint64_t sections; /* 0: not known; else the last link says it */
    bool corrected;    /* the header states another number, and the parser has said so */
    bool counted;      /* script_layer_count is a field of the header */
    int64_t layers;    /* script layers */
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

static bool is_outvoted(const chain *c, unsigned i)
{
    return c->link[i].base != c->base;
}

static bool is_section_count(const chain *c, unsigned i)
{
    return c->sections && i + 1 == c->count;
}

/* An index that no section has; section_index reports it. */
static bool is_beyond(const chain *c, unsigned i)
{
    return c->sections && !is_section_count(c, i) && c->link[i].value >= (int64_t)c->sections;
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
    uint16_t layout = layout_of(doc, header);
    bool mp1 = layout == mrea_header_mp1_LAYOUT;
    const uint8_t *kinds = mp1 ? chain_mp1 : chain_mp2;
    unsigned count = mp1 ? sizeof chain_mp1 : sizeof chain_mp2;
    chain c = {.sections = sections_of(doc), .counted = layout == mrea_header_mp2_LAYOUT, .layers = 1};
    ll_element record;
    if (!ll_element_at(doc, header, 0, &record)) {
        return c;
    }
    if (c.counted) {
        c.layers = (int64_t)ll_get_uint(&record, mrea_header_mp2_script_layer_count);
    }
    int64_t place = -1; /* counted from the first script layer */
    for (unsigned i = 0; i < count; i++) {
        uint16_t field = index_field(layout, kinds[i]);
        int64_t value = field == LL_NO_FIELD ? 0 : (int64_t)ll_get_uint(&record, field);
        bool no_octree = kinds[i] == MREA_KIND_OCTREE && value == NO_OCTREE;
        if (field != LL_NO_FIELD && !no_octree) {
            c.link[c.count++] = (chain_link){field, value, value - place};
        }
        place += kinds[i] == MREA_KIND_SCRIPT_LAYERS ? c.layers : 1;
    }
    if (c.sections) {
        uint16_t field = count_field(layout);
        c.corrected = ll_get_uint(&record, field) != c.sections;
        c.link[c.count++] = (chain_link){field, (int64_t)c.sections, (int64_t)c.sections - place};
    }
    vote(&c);
    return c;
}

/* The largest index that fits the others but not the number of sections: then the number is too small. 0: none. */
static int64_t beyond_count(const chain *c)
{
    int64_t largest = 0;
    for (unsigned i = 0; c->agreed && i < c->count; i++) {
        bool fits = is_beyond(c, i) && !is_outvoted(c, i);
        largest = fits && c->link[i].value > largest ? c->link[i].value : largest;
    }
    return largest;
}

/* Everything in front of the script layers' end is off by the same: then their number is wrong and nothing else. */
static bool is_layer_count_wrong(const chain *c)
{
    const chain_link *link = c->link;
    return c->counted && c->agreed && c->count > FIRST_BEHIND && is_outvoted(c, 0) &&
           link[0].base == link[SCRIPT_LINK].base && !is_outvoted(c, FIRST_BEHIND) &&
           link[SCRIPT_LINK].value <= link[FIRST_BEHIND].value;
}

/* All links from this one on, the number of sections with them, say the same. */
static bool is_same_to_the_end(const chain *c, unsigned i)
{
    while (i + 1 < c->count && c->link[i + 1].base == c->link[i].base) {
        i++;
    }
    return i + 1 == c->count;
}

/* Neighbours that are off by the same give one finding, at the first of them: a section was put in or taken out there.
 */
static void find_in_chain(ll_check_run *run, uint32_t header, deviations *all)
{
    chain c = read_chain(run->doc, header);
    unsigned i = 0;
    if (is_layer_count_wrong(&c)) {
        add(all, ll_at_field(run->doc, header, 0, mrea_header_mp2_script_layer_count), c.layers,
            c.link[FIRST_BEHIND].value - c.link[SCRIPT_LINK].value, false);
        i = FIRST_BEHIND;
    }
    for (; i < c.count; i++) {
        const chain_link *link = &c.link[i];
        bool repeated = i > 0 && link->base == c.link[i - 1].base;
        bool elsewhere = is_beyond(&c, i) || (is_section_count(&c, i) && (c.corrected || beyond_count(&c)));
        if (is_outvoted(&c, i) && !repeated && !elsewhere) {
            const int64_t right = link->value - (link->base - c.base); /* of geometry: of an octree that is not there */
            add(all, ll_at_field(run->doc, header, 0, link->field), link->value, right > 0 ? right : -1,
                !is_same_to_the_end(&c, i));
        } else if (is_outvoted(&c, i)) {
            all->several = true;
        }
    }
}

/* ------------------------------------------------------------------ tags of Prime 3 */

typedef struct tag_table {
    const ll_doc *doc;
    uint32_t span, count;
    uint32_t mistagged; /* the row whose tag should be that of the lights and is not, as the parser has said;
                           LL_NO_INDEX: none */
} tag_table;

static tag_table open_tags(const ll_doc *doc, uint32_t span)
{
    tag_table tags = {doc, span, ll_doc_span(doc, span)->count, LL_NO_INDEX};
    for (const ll_fault_node *node = doc->first_fault; node; node = node->next) {
        if (node->fault.code == MREA_FAULT_TAG_LITE_MISSING && node->fault.at.span == span) {
            tags.mistagged = node->fault.at.element;
        }
    }
    return tags;
}

static ll_where tag_at(const tag_table *tags, uint32_t row)
{
    return ll_at_field(tags->doc, tags->span, row, mrea_tag_row_tag);
}

static ll_arg tag_arg(const tag_table *tags, uint32_t row)
{
    return ll_chars(tag_at(tags, row).offset, mrea_tag_row_at_section_index);
}

static mrea_kind kind_at(const tag_table *tags, uint32_t row)
{
    return row == tags->mistagged ? MREA_KIND_LIGHTS : mrea_kind_of_tag(mrea_word(tags->doc, tag_at(tags, row).offset));
}

static int64_t index_of(const tag_table *tags, uint32_t row)
{
    ll_element record;
    return ll_element_at(tags->doc, tags->span, row, &record)
               ? (int64_t)ll_get_uint(&record, mrea_tag_row_section_index)
               : -1;
}

static ll_where index_at(const tag_table *tags, uint32_t row)
{
    return ll_at_field(tags->doc, tags->span, row, mrea_tag_row_section_index);
}

/* By kind. */
typedef struct tag_rows {
    uint32_t first[MREA_KINDS]; /* LL_NO_INDEX: none */
    bool repeated[MREA_KINDS];
} tag_rows;

static tag_rows find_rows(const tag_table *tags)
{
    tag_rows rows = {.repeated = {false}};
    for (unsigned kind = 0; kind < MREA_KINDS; kind++) {
        rows.first[kind] = LL_NO_INDEX;
    }
    for (uint32_t row = 0; row < tags->count; row++) {
        mrea_kind kind = kind_at(tags, row);
        rows.repeated[kind] = rows.first[kind] != LL_NO_INDEX;
        rows.first[kind] = rows.repeated[kind] ? rows.first[kind] : row;
    }
    return rows;
}

typedef struct tag_link {
    uint8_t order; /* number in order_mp3 */
    bool kept;     /* agrees with the order that most are in */
    uint32_t row;
    int64_t index;
    int64_t in_front; /* sections in front of it that have no tag, if the script layers are one section */
    int64_t direct;   /* the same, if they are as many as the header says */
} tag_link;

typedef struct tag_chain {
    tag_table tags;
    unsigned count;
    tag_link link[TAG_KINDS];
    int64_t layers;
} tag_chain;

/* in_front never falls along the order. Marks the longest run in which it does not; of equally long ones that where it
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
            bool direct = c->link[k].direct == c->link[i].direct;
            unsigned sum = score[k] + TAG_KINDS + direct; /* fewer than TAG_KINDS are direct: length decides first */
            if (c->link[k].in_front <= c->link[i].in_front && sum > score[i]) {
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
    int64_t sections = (int64_t)sections_of(doc);
    tag_chain c = {.tags = open_tags(doc, table)};
    tag_rows rows = find_rows(&c.tags);
    int64_t place = 0;
    int64_t more = 0; /* script layers but for the first */
    ll_element header;
    if (!ll_element_at(doc, summary->header, 0, &header)) {
        return c;
    }
    c.layers = (int64_t)ll_get_uint(&header, mrea_header_mp3_script_layer_count);
    for (uint8_t i = 0; i < TAG_KINDS; i++) {
        mrea_kind kind = (mrea_kind)order_mp3[i];
        uint32_t row = rows.first[kind];
        if (row == LL_NO_INDEX) {
            continue;
        }
        int64_t index = index_of(&c.tags, row);
        bool wrong = (kind == MREA_KIND_GEOMETRY ? index > 0 : rows.repeated[kind]) || (sections && index >= sections);
        if (!wrong) {
            c.link[c.count++] = (tag_link){i, false, row, index, index - place, index - place - more};
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

/* Generated objects stand behind the last script layer. Of the two indices and the number of layers, the one that does
 * not fit its other neighbours is wrong. */
static void find_generated(const ll_doc *doc, uint32_t header, const tag_chain *c, unsigned script, deviations *all)
{
    const tag_link *layers = &c->link[script];
    const tag_link *generated = &c->link[script + 1];
    const tag_link *before = kept_beside(c, script, -1);
    const tag_link *behind = kept_beside(c, script + 1, 1);
    bool script_fits = before && before->direct == layers->direct;
    bool generated_fits = behind && generated->direct == behind->direct;
    if (script_fits && generated_fits) {
        add(all, ll_at_field(doc, header, 0, mrea_header_mp3_script_layer_count), c->layers,
            generated->index - layers->index, false);
    } else if (generated_fits) {
        add(all, index_at(&c->tags, layers->row), layers->index, generated->index - c->layers, true);
    } else {
        add(all, index_at(&c->tags, generated->row), generated->index, layers->index + c->layers, true);
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

static void find_in_tags(const ll_doc *doc, const mrea_summary *summary, deviations *all)
{
    tag_chain c = read_tags(doc, summary, summary->tag_table);
    for (unsigned i = 0; i < c.count; i++) {
        const tag_link *before = kept_beside(&c, i, -1);
        const tag_link *behind = kept_beside(&c, i, 1);
        bool geometry = before && order_mp3[before->order] == MREA_KIND_GEOMETRY; /* any number of sections */
        const tag_link *beside = !before || (geometry && behind) ? behind : before;
        const tag_link *link = &c.link[i];
        if (!link->kept && beside) {
            add(all, index_at(&c.tags, link->row), link->index, link->index - (link->direct - beside->direct), true);
        }
    }
    unsigned script = find_script_pair(&c);
    if (script < c.count && !is_script_in_order(&c, script)) {
        find_generated(doc, summary->header, &c, script, all);
    }
}

/* What the index or tag says, every tool goes by. The engine of Prime 1 goes by the order, whatever the indices say. */
static void report_order(ll_check_run *run, bool errors)
{
    const mrea_summary *summary = mrea_summary_of(run);
    if (!summary || !ll_is_usable(run->doc, summary->header)) {
        return;
    }
    uint16_t layout = layout_of(run->doc, summary->header);
    bool older = layout == mrea_header_mp2_LAYOUT || layout == mrea_header_mp2_demo_LAYOUT;
    deviations all = {0};
    if (older || layout == mrea_header_mp1_LAYOUT) {
        find_in_chain(run, summary->header, &all);
    } else if (layout == mrea_header_mp3_LAYOUT && summary->game == MREA_MP3 &&
               ll_is_usable(run->doc, summary->tag_table)) {
        find_in_tags(run->doc, summary, &all);
    }
    for (unsigned i = 0; i < all.count && layout == mrea_header_mp1_LAYOUT; i++) {
        all.list[i].alone = true;
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

/* Sections that can be geometry, and how many of them the models need: beside what no model has, at least so many for
 * each. Prime 3 is known for neither. */
void mrea_check_world_model_count(ll_check_run *run)
{
    enum {
        OTHERS_MP1 = 1, /* materials */
        PER_MODEL_MP1 = 7,
        OTHERS_MP2 = 3, /* materials, octree, one that nobody knows */
        PER_MODEL_MP2 = 9
    };
    const ll_doc *doc = run->doc;
    uint16_t layout = layout_of(doc, run->span);
    ll_where at = ll_at_field(doc, run->span, 0, mrea_header_mp1_world_model_count); /* the same in every header */
    int64_t models = mrea_word(doc, at.offset);
    int64_t most = (int64_t)sections_of(doc);
    if (layout != mrea_header_mp3_LAYOUT) {
        bool mp1 = layout == mrea_header_mp1_LAYOUT;
        chain c = read_chain(doc, run->span);
        int64_t geometry = c.link[0].value - (c.link[0].base - c.base); /* the first section that is none */
        int64_t left = geometry - (mp1 ? OTHERS_MP1 : OTHERS_MP2);
        if (!c.agreed || geometry < 0) {
            return;
        }
        most = left > 0 ? left / (mp1 ? PER_MODEL_MP1 : PER_MODEL_MP2) : 0;
    }
    if (sections_of(doc) && models > most) {
        report_number(run, at, models, most);
    }
}

/* ------------------------------------------------------------------ single indices */

static void check_header_indices(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    uint16_t layout = layout_of(doc, run->span);
    chain c = read_chain(doc, run->span);
    int64_t sections = (int64_t)c.sections;
    int64_t beyond = beyond_count(&c);
    unsigned count = 0;
    const mrea_index_row *rows = mrea_index_rows(layout, &count);
    if (beyond && !c.corrected) {
        report_number(run, ll_at_field(doc, run->span, 0, count_field(layout)), beyond, sections);
    }
    ll_element header;
    bool there = ll_element_at(doc, run->span, 0, &header);
    for (unsigned i = 0; there && sections && i < count; i++) {
        int64_t value = (int64_t)ll_get_uint(&header, rows[i].field);
        bool passed = layout == mrea_header_mp1_LAYOUT && rows[i].kind == MREA_KIND_OCTREE && value == NO_OCTREE;
        for (unsigned k = 0; beyond && k < c.count; k++) { /* what fits the others */
            passed = passed || (c.link[k].field == rows[i].field && !is_outvoted(&c, k));
        }
        if (value >= sections && !passed) {
            report_number(run, ll_at_field(doc, run->span, 0, rows[i].field), value, sections);
        }
    }
}

static void check_tag_indices(ll_check_run *run)
{
    int64_t sections = (int64_t)sections_of(run->doc);
    tag_table tags = open_tags(run->doc, run->span);
    for (uint32_t row = 0; sections && row < tags.count; row++) {
        if (index_of(&tags, row) >= sections) {
            report_number(run, index_at(&tags, row), index_of(&tags, row), sections);
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
static void check_geometry(ll_check_run *run, ll_where at)
{
    uint64_t sections = sections_of(run->doc);
    uint64_t index = mrea_word(run->doc, at.offset);
    if (index && (sections == 0 || index < sections)) {
        ll_fault fault = LL_MAKE_FAULT(0, MREA_HINT_NONE, at, ll_nowhere(), ll_uint(index));
        ll_patch_guess(run->doc, &fault, at.offset, NULL, at.length); /* 0 */
        ll_report_fault(run, &fault);
    }
}

/* The geometry comes first in every area. */
void mrea_check_geometry_index(ll_check_run *run)
{
    if (layout_of(run->doc, run->span) != mrea_tag_row_LAYOUT) {
        uint16_t field = index_field(layout_of(run->doc, run->span), MREA_KIND_GEOMETRY);
        check_geometry(run, ll_at_field(run->doc, run->span, 0, field));
        return;
    }
    tag_table tags = open_tags(run->doc, run->span);
    for (uint32_t row = 0; row < tags.count; row++) {
        if (kind_at(&tags, row) == MREA_KIND_GEOMETRY) {
            check_geometry(run, index_at(&tags, row));
        }
    }
}

/* Whether a section of that kind may have that index, as the tags of the others say. */
static bool is_in_order(const tag_chain *c, mrea_kind kind, int64_t index)
{
    unsigned order = 0;
    while (order_mp3[order] != kind) {
        order++;
    }
    for (unsigned i = 0; i < c->count; i++) {
        const tag_link *link = &c->link[i];
        if (link->kept && (link->order < order ? link->index >= index : link->index <= index)) {
            return false;
        }
    }
    return true;
}

/* The row of each repeated kind that is right: that of the lights leads to them, others are the first in order, where
 * it is known. */
static void find_right_rows(const tag_table *tags, tag_rows *rows)
{
    const mrea_summary *summary = tags->doc->index;
    bool found[MREA_KINDS] = {false};
    if (!summary || summary->game != MREA_MP3 || !ll_is_usable(tags->doc, summary->header)) {
        return;
    }
    tag_chain c = read_tags(tags->doc, summary, tags->span);
    for (uint32_t row = 0; row < tags->count; row++) {
        mrea_kind kind = kind_at(tags, row);
        bool lights_found = kind == MREA_KIND_LIGHTS && summary->lights_index != LL_NO_INDEX;
        bool right =
            rows->repeated[kind] && !found[kind] &&
            (lights_found ? index_of(tags, row) == summary->lights_index : is_in_order(&c, kind, index_of(tags, row)));
        found[kind] = found[kind] || right;
        rows->first[kind] = right ? row : rows->first[kind];
    }
}

/* Donkey Kong Country Returns may have tags of its own. */
void mrea_check_tag_unknown(ll_check_run *run)
{
    const mrea_summary *summary = mrea_summary_of(run);
    tag_table tags = open_tags(run->doc, run->span);
    for (uint32_t row = 0; summary && summary->game == MREA_MP3 && row < tags.count; row++) {
        if (kind_at(&tags, row) == MREA_KIND_OTHER) {
            LL_REPORT(run, MREA_HINT_NONE, tag_at(&tags, row), tag_arg(&tags, row));
        }
    }
}

/* The geometry may have several rows; that all of them lead to section 0 is geometry_index's. Unknown tags have a rule
 * of their own. */
void mrea_check_tag_duplicate(ll_check_run *run)
{
    tag_table tags = open_tags(run->doc, run->span);
    tag_rows rows = find_rows(&tags);
    rows.repeated[MREA_KIND_OTHER] = rows.repeated[MREA_KIND_GEOMETRY] = false;
    find_right_rows(&tags, &rows);
    for (uint32_t row = 0; row < tags.count; row++) {
        mrea_kind kind = kind_at(&tags, row);
        if (rows.repeated[kind] && rows.first[kind] != row) {
            LL_REPORT_RELATED(run, MREA_HINT_NONE, tag_at(&tags, row), tag_at(&tags, rows.first[kind]),
                              tag_arg(&tags, row), ll_uint(rows.first[kind]));
        }
    }
}
