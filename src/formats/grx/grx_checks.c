/* C checks of grx files (rows of grx_checks.def): which entries a file has and in which order, and whether they fit the
 * magic and the file name. Each check takes time linear in the size of the file, but for one that sorts the probes.
 * Messages are in rules/grx.yaml. */
#include "base/sort.h"
#include "formats/grx/grx.h"

#include <string.h>

/* Sets of kinds of entries: bits 1 << GRX_... */
enum {
    POINTS = 1U << GRX_PL01 | 1U << GRX_PL02 | 1U << GRX_PL03,
    SPOTS = 1U << GRX_SL01 | 1U << GRX_SL02 | 1U << GRX_SL03,
    LIGHTS = POINTS | SPOTS,
    VERSION_2 = 1U << GRX_PL02 | 1U << GRX_SL02,
    VERSION_3 = 1U << GRX_PL03 | 1U << GRX_SL03,
    PROBES = 1U << GRX_EP00,
    OCCLUDERS = 1U << GRX_OC00,
    BESIDE_DATASET = (1U << GRX_KINDS) - 1 - (1U << GRX_CM00)
};

/* The tally of all entries of a set of kinds. */
static grx_tally tally(const ll_check_run *run, unsigned kinds)
{
    grx_tally sum = {0, LL_NO_SPAN, 0};
    for (unsigned i = 0; i < GRX_KINDS; i++) {
        const grx_tally *kind = &grx_summary_of(run)->kinds[i];
        if (kinds >> i & 1) {
            sum.count += kind->count;
            sum.first = kind->first < sum.first ? kind->first : sum.first;
            sum.last = kind->last > sum.last ? kind->last : sum.last;
        }
    }
    return sum;
}

/* The next span of a layout after a span. The caller knows that there is one. */
static uint32_t next_of(const ll_doc *doc, uint32_t span, uint16_t layout)
{
    do {
        span++;
    } while (ll_doc_span(doc, span)->layout != layout);
    return span;
}

static ll_where tag_of(const ll_doc *doc, uint32_t span)
{
    return ll_at_field(doc, span, 0, grx_unknown_entry_tag); /* all entries start with it */
}

static ll_arg tag_arg(const ll_doc *doc, uint32_t span)
{
    return ll_chars(tag_of(doc, span).offset, 4);
}

static bool has_magic(const ll_check_run *run, const char *magic)
{
    return grx_summary_of(run)->header != LL_NO_SPAN && memcmp(run->doc->bytes, magic, 4) == 0;
}

static ll_where magic_of(const ll_check_run *run)
{
    return ll_at_field(run->doc, grx_summary_of(run)->header, 0, grx_header_magic);
}

/* ------------------------------------------------------------------ tails */

/* Reports an offset of an irradiation point that is too large by the size of a light area: the entry has no light area,
 * but its writer counted one. */
void grx_check_absent_area(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const bool spot = ll_doc_span(doc, run->span)->layout == grx_spot_light_LAYOUT;
    const unsigned field = spot ? grx_spot_light_irradiation_offset : grx_point_light_irradiation_offset;
    const unsigned area = spot ? grx_spot_light_light_area_offset : grx_point_light_light_area_offset;
    ll_element record;
    if (!ll_element_at(doc, run->span, 0, &record) || !ll_get_uint(&record, field) || ll_get_uint(&record, area)) {
        return;
    }
    const uint32_t name = grx_child_of(doc, run->span, grx_name_LAYOUT);
    const uint32_t point = grx_child_of(doc, run->span, grx_irradiation_point_LAYOUT);
    const ll_where at = ll_at_field(doc, run->span, 0, field);
    const uint64_t stated = ll_get_uint(&record, field);
    const uint64_t right = point == LL_NO_SPAN ? 0 : ll_doc_span(doc, point)->offset - at.offset;
    if (name != LL_NO_SPAN && right && stated == right + grx_light_area_SIZE) {
        ll_fault fault = LL_MAKE_FAULT(0, GRX_HINT_NONE, at, ll_nowhere(), ll_uint(stated), ll_uint(right));
        ll_patch_field(doc, &fault, LL_PATCH_SAFE, right);
        ll_report_fault(run, &fault);
    }
}

/* ------------------------------------------------------------------ composition */

/* Reports the tag of an entry; the tag of another one is the related place. */
static void report_pair(ll_check_run *run, uint32_t span, uint32_t other)
{
    LL_REPORT_RELATED(run, GRX_HINT_NONE, tag_of(run->doc, span), tag_of(run->doc, other), tag_arg(run->doc, span),
                      tag_arg(run->doc, other));
}

/* Two groups of entries exclude each other. Reports the first entry of the smaller group; if both are equally large, of
 * the group that begins later. */
static void report_mix(ll_check_run *run, grx_tally a, grx_tally b)
{
    bool a_is_wrong = a.count < b.count || (a.count == b.count && a.first > b.first);
    if (a.count && b.count) {
        report_pair(run, a_is_wrong ? a.first : b.first, a_is_wrong ? b.first : a.first);
    }
}

void grx_check_mixed_classes(ll_check_run *run)
{
    report_mix(run, tally(run, LIGHTS), tally(run, PROBES));
}

void grx_check_version_mix(ll_check_run *run)
{
    report_mix(run, tally(run, VERSION_2), tally(run, VERSION_3));
}

void grx_check_point_after_spot(ll_check_run *run)
{
    uint32_t spot = tally(run, SPOTS).first;
    if (tally(run, POINTS).last > spot) {
        report_pair(run, next_of(run->doc, spot, grx_point_light_LAYOUT), spot);
    }
}

/* ------------------------------------------------------------------ the magic and the name of the file */

/* Reports a magic that is neither FGxL nor FGxO. The patch is the magic for the entries: FGxO if there is an occluder,
 * else FGxL. It is unsafe if there are entries of both classes; without entries there is none. */
void grx_check_magic(ll_check_run *run)
{
    if (grx_summary_of(run)->header == LL_NO_SPAN || has_magic(run, "FGxL") || has_magic(run, "FGxO")) {
        return;
    }
    static const uint8_t lights[] = {'F', 'G', 'x', 'L'}, occluders[] = {'F', 'G', 'x', 'O'};
    ll_fault fault = LL_MAKE_FAULT(0, GRX_HINT_NONE, magic_of(run), ll_nowhere(), ll_chars(0, 4));
    const uint32_t occluding = tally(run, OCCLUDERS).count, others = tally(run, LIGHTS | PROBES).count;
    if (occluding || others) { /* else either magic may be right */
        ll_patch_replace(run->doc, &fault, occluding && others ? LL_PATCH_UNSAFE : LL_PATCH_SAFE, 0,
                         occluding ? occluders : lights, sizeof lights);
    }
    ll_report_fault(run, &fault);
}

/* Reports, in one finding, entries that the magic excludes: at the magic if no entry fits it, else at the first such
 * entry. */
void grx_check_magic_class(ll_check_run *run)
{
    bool occluder_file = has_magic(run, "FGxO");
    grx_tally occluders = tally(run, OCCLUDERS);
    grx_tally others = tally(run, LIGHTS | PROBES);
    uint32_t entry = (occluder_file ? others : occluders).first;
    bool all = (occluder_file ? occluders : others).count == 0;
    if (entry == LL_NO_SPAN || !(occluder_file || has_magic(run, "FGxL"))) {
        return;
    }
    LL_REPORT_RELATED(run, occluder_file ? GRX_HINT_CLASS_LOST : GRX_HINT_NONE,
                      all ? magic_of(run) : tag_of(run->doc, entry), all ? tag_of(run->doc, entry) : magic_of(run),
                      ll_chars(0, 4), tag_arg(run->doc, entry));
}

/* Whether the whole file was read and has no entry but the DataSet. */
static bool is_empty(const ll_check_run *run)
{
    const grx_summary *c = grx_summary_of(run);
    return !run->doc->unread && c->unknown == 0 && c->kinds[GRX_CM00].count && tally(run, BESIDE_DATASET).count == 0;
}

/* An FGxO file has one occluder entry. The rule magic-class reports files that have only entries of other classes. */
void grx_check_occluder_count(ll_check_run *run)
{
    grx_tally occluders = tally(run, OCCLUDERS);
    if (!has_magic(run, "FGxO")) {
        return;
    }
    if (occluders.count > 1) {
        uint32_t second = next_of(run->doc, occluders.first, grx_occluder_LAYOUT);
        LL_REPORT_RELATED(run, GRX_HINT_NONE, tag_of(run->doc, second), tag_of(run->doc, occluders.first),
                          ll_uint(occluders.count));
    } else if (is_empty(run)) {
        LL_REPORT(run, GRX_HINT_NONE, magic_of(run), ll_uint(0));
    }
}

void grx_check_array_empty(ll_check_run *run)
{
    uint32_t terminator = grx_summary_of(run)->terminator;
    if (terminator != LL_NO_SPAN && is_empty(run)) {
        LL_REPORT(run, GRX_HINT_NONE, tag_of(run->doc, terminator), tag_arg(run->doc, terminator));
    }
}

void grx_check_extension_matches_magic(ll_check_run *run)
{
    bool lights = grx_has_part(run, 1U << GRX_PART_LIGHTS);
    bool occluders = grx_has_part(run, 1U << GRX_PART_OCCLUDERS);
    if ((lights && has_magic(run, "FGxO")) || (occluders && has_magic(run, "FGxL"))) {
        LL_REPORT(run, GRX_HINT_NONE, magic_of(run), ll_word(lights ? ".grxla" : ".grxoc"), ll_chars(0, 4));
    }
}

/* Reports an entry that does not fit the file name; LL_NO_SPAN: nothing is reported. found: the first argument. */
static void report_for_name(ll_check_run *run, uint32_t entry, ll_arg found)
{
    const char *name = grx_summary_of(run)->name.base;
    if (entry != LL_NO_SPAN) {
        LL_REPORT(run, GRX_HINT_NONE, tag_of(run->doc, entry), found, ll_escaped_arg(run, name, strlen(name)));
    }
}

/* Names with "_win." are those of The Phantom Pain and Survive, which have version 3 of lights; names with ".steam" are
 * those of Ground Zeroes, which has version 2. */
void grx_check_version_kind(ll_check_run *run)
{
    unsigned foreign = grx_has_part(run, 1U << GRX_PART_WIN)     ? VERSION_2
                       : grx_has_part(run, 1U << GRX_PART_STEAM) ? VERSION_3
                                                                 : 0;
    uint32_t entry = tally(run, foreign).first;
    report_for_name(run, entry, tag_arg(run->doc, entry));
}

void grx_check_content_matches_name(ll_check_run *run)
{
    bool probe_name = grx_has_part(run, 1U << GRX_PART_PROBES_WIN | 1U << GRX_PART_PROBES_STEAM);
    bool light_name = !probe_name && grx_has_part(run, 1U << GRX_PART_LIGHTS_WIN | 1U << GRX_PART_LIGHTS_STEAM);
    uint32_t probe = tally(run, PROBES).first;
    if (light_name) {
        report_for_name(run, probe, tag_arg(run->doc, probe));
    } else if (probe_name && probe == LL_NO_SPAN && grx_summary_of(run)->unknown == 0 && !run->doc->unread) {
        report_for_name(run, tally(run, BESIDE_DATASET).first, ll_word("no probe"));
    }
}

/* ------------------------------------------------------------------ indexes of probes */

/* Reports the first probe whose index is not its ordinal. Entries that were not read make ordinals unknown: then
 * nothing is reported. */
void grx_check_sh_index_order(ll_check_run *run)
{
    const grx_summary *c = grx_summary_of(run);
    ll_element probe;
    if (c->unknown == 0 && ll_element_at(run->doc, c->misplaced, 0, &probe)) {
        LL_REPORT(run, GRX_HINT_NOT_RENUMBERED, ll_at_field(run->doc, c->misplaced, 0, grx_probe_sh_data_index),
                  ll_uint(ll_get_uint(&probe, grx_probe_sh_data_index)), ll_uint(c->misplaced_ordinal));
    }
}

/* Whether two probes have the same name hash. */
static bool is_copy(const ll_doc *doc, uint32_t a, uint32_t b)
{
    ll_element one, other;
    return ll_element_at(doc, a, 0, &one) && ll_element_at(doc, b, 0, &other) &&
           ll_get_uint(&one, grx_probe_name_hash) == ll_get_uint(&other, grx_probe_name_hash);
}

/* The sh_data_index of a probe. LL_NO_INDEX: the span is not a probe. */
static uint32_t index_of_probe(const ll_doc *doc, uint32_t span)
{
    ll_element probe;
    bool is_one = ll_doc_span(doc, span)->layout == grx_probe_LAYOUT && ll_element_at(doc, span, 0, &probe);
    return is_one ? (uint32_t)ll_get_uint(&probe, grx_probe_sh_data_index) : LL_NO_INDEX;
}

/* The probes, by index and ordinal; item: span. NULL: no memory. */
static const ll_sort_key *sort_probes(ll_check_run *run, grx_tally probes, uint32_t *count)
{
    ll_sort_key *keys = ll_check_alloc(run, probes.count, 2 * sizeof *keys);
    for (uint32_t span = probes.first; keys && *count < probes.count && span <= probes.last; span++) {
        const uint32_t index = index_of_probe(run->doc, span);
        if (index != LL_NO_INDEX) {
            keys[*count] = (ll_sort_key){.first = index, .second = *count, .item = span};
            ++*count;
        }
    }
    return keys ? ll_sort(keys, keys + probes.count, *count) : NULL;
}

/* Of two probes that share an index, reports the earlier one if the index is the ordinal of the later one, else the
 * later one. Probes that share their name too are left to the rule name-duplicate. */
void grx_check_sh_index_shared(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const grx_summary *summary = grx_summary_of(run);
    uint32_t count = 0, holder = 0; /* among the keys: the probe that has the index rightly */
    const bool sought = summary->misplaced != LL_NO_SPAN || summary->unknown;
    const ll_sort_key *keys = sought ? sort_probes(run, tally(run, PROBES), &count) : NULL;
    for (uint32_t i = 1; keys && i < count; i++) {
        if (keys[i].first != keys[holder].first || is_copy(doc, keys[i].item, keys[holder].item)) {
            holder = i;
            continue;
        }
        const uint32_t wrong = keys[i].first == keys[i].second ? holder : i, right = wrong == i ? holder : i;
        const ll_where at = ll_at_field(doc, keys[right].item, 0, grx_probe_sh_data_index);
        LL_REPORT_RELATED(run, GRX_HINT_NOT_RENUMBERED, ll_at_field(doc, keys[wrong].item, 0, grx_probe_sh_data_index),
                          at, ll_uint(keys[i].first), ll_path_arg(run, at));
        holder = right;
    }
}
