/* Named checks of the tag table of Prime 3, whose rows name the kinds of sections by four letters. Sections with a tag
 * follow each other in a fixed order; others may stand between them. */
#include "formats/mrea/mrea_check.h"

#include <string.h>

#define KIND(name) mrea_section_##name##_KIND
/* Kinds with a tag, in file order. Not every area has all of them. */
static const uint8_t order_mp3[] = {KIND(geometry),     KIND(octree),        KIND(bounding_boxes),     KIND(gpu_data),
                                    KIND(dependencies), KIND(script_layers), KIND(generated_objects),  KIND(collision),
                                    KIND(lights),       KIND(llte),          KIND(visibility),         KIND(modules),
                                    KIND(path),         KIND(portal_area),   KIND(static_geometry_map)};
#undef KIND
enum { TAG_KINDS = sizeof order_mp3 };

typedef struct tag_table {
    const ll_doc *doc;
    uint32_t span, count;
    uint32_t mistagged; /* the row that should have the tag of the lights and has not; LL_NO_INDEX: none */
} tag_table;

static ll_where tag_at(const tag_table *tags, uint32_t row)
{
    return ll_at_field(tags->doc, tags->span, row, mrea_tag_row_tag);
}

static ll_arg tag_arg(const tag_table *tags, uint32_t row)
{
    return ll_chars(tag_at(tags, row).offset, mrea_tag_row_at_section_index);
}

static unsigned kind_at(const tag_table *tags, uint32_t row)
{
    return row == tags->mistagged ? mrea_section_lights_KIND
                                  : ll_kind_of_tag(&mrea_format, mrea_word(tags->doc, tag_at(tags, row).offset));
}

static ll_where index_at(const tag_table *tags, uint32_t row)
{
    return ll_at_field(tags->doc, tags->span, row, mrea_tag_row_section_index);
}

static uint32_t index_of(const tag_table *tags, uint32_t row)
{
    return mrea_word(tags->doc, index_at(tags, row).offset);
}

/* The lights have no tag. *row: the one that leads to them, else the only row with an unknown tag; LL_NO_INDEX: none.
 */
static bool are_lights_untagged(const tag_table *tags, uint32_t *row)
{
    const mrea_summary *summary = ll_doc_memo(tags->doc, mrea_index);
    uint32_t leading = LL_NO_INDEX, unknown = LL_NO_INDEX, unknowns = 0;
    for (uint32_t i = 0; i < tags->count; i++) {
        const unsigned kind = kind_at(tags, i);
        if (kind == mrea_section_lights_KIND) {
            return false;
        }
        leading = summary->lights_index != LL_NO_INDEX && index_of(tags, i) == summary->lights_index ? i : leading;
        unknown = kind == mrea_section_other_KIND ? i : unknown;
        unknowns += kind == mrea_section_other_KIND;
    }
    *row = leading != LL_NO_INDEX || unknowns != 1 ? leading : unknown;
    return summary->game == MREA_MP3 && summary->sections;
}

static tag_table open_tags(const ll_doc *doc, uint32_t span)
{
    tag_table tags = {doc, span, span == LL_NO_SPAN ? 0 : ll_doc_span(doc, span)->count, LL_NO_INDEX};
    uint32_t row;
    tags.mistagged = are_lights_untagged(&tags, &row) ? row : LL_NO_INDEX;
    return tags;
}

/* The rows of each kind. */
typedef struct tag_rows {
    uint32_t first[mrea_KINDS]; /* number of the first row; LL_NO_INDEX: none */
    bool repeated[mrea_KINDS];
} tag_rows;

static tag_rows find_rows(const tag_table *tags)
{
    tag_rows rows = {.repeated = {false}};
    memset(rows.first, 0xFF, sizeof rows.first);
    for (uint32_t row = 0; row < tags->count; row++) {
        unsigned kind = kind_at(tags, row);
        rows.repeated[kind] = rows.first[kind] != LL_NO_INDEX;
        rows.first[kind] = rows.repeated[kind] ? rows.first[kind] : row;
    }
    return rows;
}

typedef struct tag_link {
    uint8_t order; /* index in order_mp3 */
    bool kept;     /* agrees with the order that most rows follow */
    uint32_t row;
    int64_t index;
    int64_t in_front; /* sections without a tag in front of it, if the script layers were one section */
    int64_t direct;   /* the same, with as many script layers as the header says */
} tag_link;

typedef struct tag_chain {
    tag_table tags;
    unsigned count;
    tag_link link[TAG_KINDS];
    int64_t layers;
} tag_chain;

/* In the right order, in_front never falls from one link to the next. Keeps as many links as possible for which that
 * holds; of several such choices, the one in which in_front rises least often. */
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
            unsigned sum = score[k] + TAG_KINDS + direct; /* fewer than TAG_KINDS are direct, so length decides first */
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

/* Reads the rows of the tag table into a chain, in the fixed order. Leaves out what other checks report: indices that
 * no section has, geometry that is not the first section, repeated tags. */
static tag_chain read_tags(const ll_doc *doc, uint32_t table)
{
    const mrea_summary *summary = ll_doc_memo(doc, mrea_index);
    tag_chain c = {.tags = open_tags(doc, table)};
    tag_rows rows = find_rows(&c.tags);
    int64_t place = 0;
    int64_t more = 0; /* script layers beyond the first */
    ll_element header;
    if (!ll_element_at(doc, summary->header, 0, &header)) {
        return c;
    }
    c.layers = (int64_t)ll_get_uint(&header, mrea_header_mp3_script_layer_count);
    for (uint8_t i = 0; i < TAG_KINDS; i++) {
        unsigned kind = order_mp3[i];
        uint32_t row = rows.first[kind];
        if (row == LL_NO_INDEX) {
            continue;
        }
        int64_t index = index_of(&c.tags, row);
        bool wrong = (kind == mrea_section_geometry_KIND ? index > 0 : rows.repeated[kind]) ||
                     (summary->sections && index >= summary->sections);
        if (!wrong) {
            c.link[c.count++] = (tag_link){i, false, row, index, index - place, index - place - more};
        }
        bool script = kind == mrea_section_script_layers_KIND;
        place += script && c.layers == 0 ? 0 : 1;
        more += script && c.layers > 0 ? c.layers - 1 : 0;
    }
    keep_most(&c);
    return c;
}

/* The nearest link before (by -1) or after (by 1) that is kept; NULL: none. */
static const tag_link *kept_beside(const tag_chain *c, unsigned i, int by)
{
    for (int k = (int)i + by; k >= 0 && k < (int)c->count; k += by) {
        if (c->link[k].kept) {
            return &c->link[k];
        }
    }
    return NULL;
}

/* Adds a deviation for generated objects that do not follow the last script layer. Of the two indices and the number of
 * layers, the one that does not fit its other neighbours is wrong. */
static void find_generated(const ll_doc *doc, uint32_t header, const tag_chain *c, unsigned script,
                           mrea_deviations *all)
{
    const tag_link *layers = &c->link[script];
    const tag_link *generated = &c->link[script + 1];
    const tag_link *before = kept_beside(c, script, -1);
    const tag_link *behind = kept_beside(c, script + 1, 1);
    bool script_fits = before && before->direct == layers->direct;
    bool generated_fits = behind && generated->direct == behind->direct;
    if (script_fits && generated_fits) {
        mrea_add_deviation(all, ll_at_field(doc, header, 0, mrea_header_mp3_script_layer_count), c->layers,
                           generated->index - layers->index, false);
    } else if (generated_fits) {
        mrea_add_deviation(all, index_at(&c->tags, layers->row), layers->index, generated->index - c->layers, true);
    } else {
        mrea_add_deviation(all, index_at(&c->tags, generated->row), generated->index, layers->index + c->layers, true);
    }
}

void mrea_find_in_tags(const ll_doc *doc, mrea_deviations *all)
{
    const mrea_summary *summary = ll_doc_memo(doc, mrea_index);
    tag_chain c = read_tags(doc, summary->tag_table);
    for (unsigned i = 0; i < c.count; i++) {
        const tag_link *before = kept_beside(&c, i, -1);
        const tag_link *behind = kept_beside(&c, i, 1);
        bool geometry =
            before && order_mp3[before->order] == mrea_section_geometry_KIND; /* of any number of sections */
        const tag_link *beside = !before || (geometry && behind) ? behind : before;
        const tag_link *link = &c.link[i];
        if (!link->kept && beside) {
            mrea_add_deviation(all, index_at(&c.tags, link->row), link->index,
                               link->index - (link->direct - beside->direct), true);
        }
    }
    for (unsigned i = 0; i + 1 < c.count; i++) {
        const tag_link *script = &c.link[i], *next = &c.link[i + 1];
        bool pair = order_mp3[script->order] == mrea_section_script_layers_KIND &&
                    order_mp3[next->order] == mrea_section_generated_objects_KIND && script->kept && next->kept;
        if (pair && script->index + c.layers != next->index) {
            find_generated(doc, summary->header, &c, i, all);
        }
    }
}

/* ------------------------------------------------------------------ checks */

/* The only section between those of the neighbouring rows; -1: there is none, or several. */
static int64_t index_between(const tag_table *tags, uint32_t row, int64_t sections)
{
    const int64_t before = row ? (int64_t)index_of(tags, row - 1) : -1;
    const int64_t behind = row + 1 < tags->count ? (int64_t)index_of(tags, row + 1) : sections;
    return before + 2 == behind && behind <= sections ? before + 1 : -1;
}

void mrea_check_tag_indices(ll_check_run *run)
{
    uint32_t sections = mrea_summary_of(run)->sections;
    tag_table tags = open_tags(run->doc, run->span);
    for (uint32_t row = 0; sections && row < tags.count; row++) {
        if (index_of(&tags, row) >= sections) {
            const int64_t right = index_between(&tags, row, sections);
            ll_fault fault = LL_MAKE_FAULT(0, MREA_HINT_NONE, index_at(&tags, row), ll_nowhere(),
                                           ll_int(index_of(&tags, row)), ll_int(sections));
            if (right >= 0 && kind_at(&tags, row) != mrea_section_other_KIND) {
                ll_patch_field(run->doc, &fault, LL_PATCH_UNSAFE, (uint64_t)right);
            }
            ll_report_fault(run, &fault);
        }
    }
}

/* Reports geometry that is not section 0. Leaves indices that no section has to section_index. */
void mrea_check_geometry(ll_check_run *run, ll_where at)
{
    uint32_t sections = mrea_summary_of(run)->sections;
    uint32_t index = mrea_word(run->doc, at.offset);
    if (index && (sections == 0 || index < sections)) {
        ll_fault fault = LL_MAKE_FAULT(0, MREA_HINT_NONE, at, ll_nowhere(), ll_uint(index));
        ll_patch_guess(run->doc, &fault, at.offset, NULL, at.length); /* zeros */
        ll_report_fault(run, &fault);
    }
}

void mrea_check_tag_geometry(ll_check_run *run)
{
    tag_table tags = open_tags(run->doc, run->span);
    for (uint32_t row = 0; row < tags.count; row++) {
        if (kind_at(&tags, row) == mrea_section_geometry_KIND) {
            mrea_check_geometry(run, index_at(&tags, row));
        }
    }
}

/* A section of this kind may have this index, by the kept rows of the others. */
static bool is_in_order(const tag_chain *c, unsigned kind, int64_t index)
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

/* Finds the right row of each repeated kind: the one that leads to the lights, or else the first one in order, if the
 * order is known. */
static void find_right_rows(const tag_table *tags, tag_rows *rows)
{
    const mrea_summary *summary = ll_doc_memo(tags->doc, mrea_index);
    bool found[mrea_KINDS] = {false};
    if (summary->game != MREA_MP3 || !ll_is_usable(tags->doc, summary->header)) {
        return;
    }
    tag_chain c = read_tags(tags->doc, tags->span);
    for (uint32_t row = 0; row < tags->count; row++) {
        unsigned kind = kind_at(tags, row);
        bool lights_found = kind == mrea_section_lights_KIND && summary->lights_index != LL_NO_INDEX;
        bool right =
            rows->repeated[kind] && !found[kind] &&
            (lights_found ? index_of(tags, row) == summary->lights_index : is_in_order(&c, kind, index_of(tags, row)));
        found[kind] = found[kind] || right;
        rows->first[kind] = right ? row : rows->first[kind];
    }
}

/* Reports unknown tags. Not for Donkey Kong Country Returns, which may have tags of its own. */
void mrea_check_tag_unknown(ll_check_run *run)
{
    const mrea_summary *summary = mrea_summary_of(run);
    tag_table tags = open_tags(run->doc, run->span);
    for (uint32_t row = 0; summary->game == MREA_MP3 && row < tags.count; row++) {
        if (kind_at(&tags, row) == mrea_section_other_KIND) {
            LL_REPORT(run, MREA_HINT_NONE, tag_at(&tags, row), tag_arg(&tags, row));
        }
    }
}

/* Reports repeated tags. Not of geometry, which may have several rows (geometry_index checks them), and not unknown
 * tags, which have a rule of their own. */
void mrea_check_tag_duplicate(ll_check_run *run)
{
    tag_table tags = open_tags(run->doc, run->span);
    tag_rows rows = find_rows(&tags);
    rows.repeated[mrea_section_other_KIND] = rows.repeated[mrea_section_geometry_KIND] = false;
    find_right_rows(&tags, &rows);
    for (uint32_t row = 0; row < tags.count; row++) {
        unsigned kind = kind_at(&tags, row);
        if (rows.repeated[kind] && rows.first[kind] != row) {
            LL_REPORT_RELATED(run, MREA_HINT_NONE, tag_at(&tags, row), tag_at(&tags, rows.first[kind]),
                              tag_arg(&tags, row), ll_uint(rows.first[kind]));
        }
    }
}

/* Raises the fault that the lights have no tag: at the row that should have it, else at the number of rows. */
static void judge_lights_tag(ll_doc *doc, const mrea_summary *summary)
{
    const tag_table tags = {doc, summary->tag_table, summary->tags, LL_NO_INDEX};
    uint32_t row;
    if (ll_doc_span(doc, summary->header)->layout == mrea_header_mp3_LAYOUT && are_lights_untagged(&tags, &row)) {
        const ll_where at =
            row == LL_NO_INDEX ? ll_at_field(doc, summary->header, 0, mrea_header_mp3_tag_count) : tag_at(&tags, row);
        LL_RAISE(doc, MREA_FAULT_TAG_LITE_MISSING, MREA_HINT_NONE, at, ll_uint(summary->tags));
    }
}

/* The field that names the section of the lights; nowhere: none does. */
static ll_where lights_named(const ll_doc *doc, const mrea_summary *summary)
{
    const tag_table tags = {doc, summary->tag_table, summary->tags, LL_NO_INDEX};
    unsigned count = 0;
    const ll_section_by *rows = ll_kinds_by(&mrea_format, ll_doc_span(doc, summary->header)->layout, &count);
    for (unsigned i = 0; i < count; i++) {
        if (rows[i].kind == mrea_section_lights_KIND) {
            return ll_at_field(doc, summary->header, 0, rows[i].field);
        }
    }
    for (uint32_t row = 0; row < tags.count; row++) {
        if (kind_at(&tags, row) == mrea_section_lights_KIND) {
            return index_at(&tags, row);
        }
    }
    return ll_nowhere();
}

/* Raises the fault that the lights were found by their first word, in another section than the one that is named. Only
 * if nothing else is wrong. */
static void judge_lights_place(ll_doc *doc, const mrea_summary *summary)
{
    if (summary->lights_index == LL_NO_INDEX || doc->fault_count) {
        return;
    }
    const ll_where at = lights_named(doc, summary);
    const uint32_t named = at.length ? mrea_word(doc, at.offset) : LL_NO_INDEX;
    if (named != summary->lights_index && named < summary->sections) {
        LL_RAISE_RELATED(doc, MREA_FAULT_LIGHTS_ELSEWHERE, MREA_HINT_NONE, at,
                         ll_at_field(doc, summary->size_table, summary->lights_index, mrea_section_size_section_size),
                         ll_uint(named), ll_uint(summary->lights_index));
    }
}

void mrea_judge_tags(ll_doc *doc)
{
    const mrea_summary *summary = ll_doc_memo(doc, mrea_index);
    if (summary && summary->header != LL_NO_SPAN) {
        judge_lights_tag(doc, summary);
        judge_lights_place(doc, summary);
    }
}
