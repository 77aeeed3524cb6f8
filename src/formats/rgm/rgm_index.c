/* Makes the index of a map from the spans and faults of the sealed document, for checks and names. */
#include "formats/rgm/rgm_parser.h"

/* Resets a summary to one without sections. */
static void clear(rgm_summary *summary)
{
    memset(summary, 0, sizeof *summary);
    for (unsigned i = 0; i < RGM_SECTIONS; i++) {
        summary->section[i].span = summary->section[i].records = LL_NO_SPAN;
    }
    summary->end = LL_NO_SPAN;
}

/* Layouts of the header and of the records or parts of each section. */
static const uint16_t headers[RGM_SECTIONS] = {
#define LL_RGM_SECTION(name, header, record) [RGM_##name] = rgm_##header##_LAYOUT,
#include "formats/rgm/rgm_sections.def"
#undef LL_RGM_SECTION
};
static const uint16_t records[RGM_SECTIONS] = {
#define LL_RGM_SECTION(name, header, record) [RGM_##name] = rgm_##record##_LAYOUT,
#include "formats/rgm/rgm_sections.def"
#undef LL_RGM_SECTION
};

/* Indexes the headers of the sections. */
static void index_sections(const ll_doc *doc, rgm_summary *out)
{
    for (unsigned i = 0; i < RGM_SECTIONS; i++) {
        const uint32_t span = doc->firsts[headers[i]] - 1;
        if (span != LL_NO_SPAN) {
            const ll_span *s = ll_doc_span(doc, span);
            out->section[i] = (rgm_section){.span = span,
                                            .start = s->offset + RGM_HEADER,
                                            .length = s->length - RGM_HEADER,
                                            .records = LL_NO_SPAN,
                                            .sound = !(s->flags & LL_SPAN_DOUBTFUL)};
        }
    }
}

/* First spans of model files, animation groups and blocks, by the actor whose number they have; LL_NO_SPAN: none. */
enum { FILES, GROUPS, BLOCKS, LISTS };
typedef struct actor_lists {
    uint32_t actors;
    uint32_t *of[LISTS];
} actor_lists;

static bool open_lists(ll_doc *doc, actor_lists *lists)
{
    const uint32_t heads = doc->firsts[rgm_actor_LAYOUT];
    lists->actors = heads ? ll_doc_span(doc, heads - 1)->count : 0;
    for (unsigned i = 0; i < LISTS; i++) {
        lists->of[i] = ll_doc_alloc(doc, (size_t)lists->actors + 1, sizeof *lists->of[i]);
        if (!lists->of[i]) {
            return false;
        }
        memset(lists->of[i], 0xFF, (size_t)lists->actors * sizeof *lists->of[i]); /* LL_NO_SPAN */
    }
    return true;
}

/* Marks the section that holds unparsed bytes. */
static void note_unparsed(rgm_summary *out, uint32_t parent)
{
    for (unsigned i = 0; i < RGM_SECTIONS && parent != LL_NO_SPAN; i++) {
        out->section[i].shifted = out->section[i].shifted || out->section[i].span == parent;
    }
}

/* Indexes the contents of the sections: the array of equal records, or the first of others, and unparsed bytes. */
static void index_children(const ll_doc *doc, rgm_summary *out, const actor_lists *lists)
{
    enum { UNPARSED = RGM_SECTIONS + 1 };
    uint32_t *const firsts[RGM_SECTIONS] = {
        [RGM_RAAN] = lists->of[FILES], [RGM_RAGR] = lists->of[GROUPS], [RGM_RASC] = lists->of[BLOCKS]};
    uint8_t ordinals[LL_LAYOUTS_MAX] = {[LL_LAYOUT_UNPARSED] = UNPARSED}; /* 1 + ordinal of the section */
    const ll_span *s = NULL;
    for (unsigned i = 0; i < RGM_SECTIONS; i++) {
        ordinals[records[i]] = (uint8_t)(i + 1);
    }
    for (uint32_t i = 0; i < doc->span_count; i++) {
        s = ll_doc_span_behind(doc, s, i);
        const unsigned ordinal = ordinals[s->layout];
        if (ordinal == UNPARSED) {
            note_unparsed(out, s->parent);
        } else if (ordinal && out->section[ordinal - 1].span == s->parent && s->parent != LL_NO_SPAN) {
            rgm_section *section = &out->section[ordinal - 1];
            section->records = section->records == LL_NO_SPAN ? i : section->records;
            section->count += s->flags & LL_SPAN_ARRAY ? s->count : 1;
            if (firsts[ordinal - 1] && s->index < lists->actors) {
                firsts[ordinal - 1][s->index] = i;
            }
        }
    }
}

/* Sorts the actors by three fields: actors with equal values share a list. The item of a key is the actor. NULL: no
 * memory. */
static const ll_sort_key *sort_shares(rgm_parser *p, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t n = p->summary->actor_count;
    ll_sort_key *keys = ll_doc_alloc(p->doc, (size_t)n + 1, 2 * sizeof *keys);
    for (uint32_t i = 0; keys && i < n; i++) {
        keys[i] = (ll_sort_key){(uint64_t)rgm_actor_word(p, i, a) << 32 | rgm_actor_word(p, i, b),
                                rgm_actor_word(p, i, c), i};
    }
    return keys ? ll_sort(keys, keys + n + 1, n) : NULL;
}

static bool is_same_share(const ll_sort_key *one, const ll_sort_key *other)
{
    return one->first == other->first && one->second == other->second;
}

/* Sets the frames of each list of model files in all actors that lead to it. */
static void index_frames(rgm_parser *p, const uint32_t *lists)
{
    const ll_doc *doc = p->doc;
    rgm_actor_info *actors = p->summary->actors;
    const rgm_section *section = &p->summary->section[RGM_RAAN];
    const ll_sort_key *keys =
        sort_shares(p, rgm_actor_at_raan_offset, rgm_actor_at_raan_count, rgm_actor_at_raan_data_size);
    bool read = keys && section->span != LL_NO_SPAN && !section->shifted;
    for (uint32_t i = 0, next = 0; read && i < p->summary->actor_count; i = next) {
        uint32_t list = LL_NO_SPAN, frames = 0;
        for (next = i; next < p->summary->actor_count && is_same_share(&keys[i], &keys[next]); next++) {
            list = lists[keys[next].item] == LL_NO_SPAN ? list : lists[keys[next].item];
        }
        const uint32_t count = (uint32_t)keys[i].first;
        bool known = (int32_t)count <= 0 ? count == 0 && keys[i].second == 0 : false;
        for (uint32_t k = list; list != LL_NO_SPAN && ++k < doc->span_count;) {
            const ll_span *s = ll_doc_span(doc, k);
            if (s->offset >= ll_doc_span(doc, list)->offset + ll_doc_span(doc, list)->length) {
                break;
            }
            known = known && s->layout != LL_LAYOUT_UNPARSED;
            if (s->layout == rgm_model_file_LAYOUT) {
                uint8_t here = doc->bytes[s->offset + rgm_model_file_at_frame_count];
                known = here && (known || !s->index);
                frames += here;
            }
        }
        for (uint32_t k = i; k < next; k++) {
            actors[keys[k].item].frames = frames;
            actors[keys[k].item].frames_known = known;
        }
    }
}

/* The highest group number in a list that the engine takes. */
static uint32_t highest_group(const ll_doc *doc, uint32_t list)
{
    uint32_t highest = 0;
    for (uint32_t i = list + 1; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        if (s->layout == rgm_group_LAYOUT && s->parent == list && !(s->flags & LL_SPAN_BROKEN)) {
            uint32_t number = rgm_half(doc, s->offset + rgm_group_at_group_index);
            highest = number <= RGM_GROUP_MAX && number > highest ? number : highest;
        } else if (s->parent == ll_doc_span(doc, list)->parent) {
            break;
        }
    }
    return highest;
}

/* Sets the list of animation groups of each actor, and the limits of each list. */
static void index_groups(rgm_parser *p, const uint32_t *lists)
{
    const ll_doc *doc = p->doc;
    rgm_actor_info *actors = p->summary->actors;
    const ll_sort_key *keys =
        sort_shares(p, rgm_actor_at_ragr_offset, rgm_actor_at_ragr_offset, rgm_actor_at_ragr_offset);
    for (uint32_t i = 0, next = 0; keys && i < p->summary->actor_count; i = next) {
        uint32_t list = LL_NO_SPAN, frames = 0;
        bool known = true;
        for (next = i; next < p->summary->actor_count && is_same_share(&keys[i], &keys[next]); next++) {
            const rgm_actor_info *info = &actors[keys[next].item];
            list = lists[keys[next].item] == LL_NO_SPAN ? list : lists[keys[next].item];
            known = known && info->frames_known;
            frames = info->frames > frames ? info->frames : frames;
        }
        for (uint32_t k = i; k < next && list != LL_NO_SPAN; k++) {
            actors[keys[k].item].ragr_list = list;
        }
        if (list != LL_NO_SPAN) {
            rgm_actor_info *first = &actors[ll_doc_span(doc, list)->index];
            first->list_frames = known ? frames : 0;
            first->list_highest = highest_group(doc, list);
        }
    }
}

/* Notes which slices of the actors are sound: no fault of the reader is about the fields that state them. */
static void index_slices(const ll_doc *doc, rgm_summary *out)
{
    static const uint8_t slices[] = {[rgm_actor_string_offsets_index] = 1 << (RGM_RASB - RGM_RASB),
                                     [rgm_actor_num_strings] = 1 << (RGM_RASB - RGM_RASB),
                                     [rgm_actor_variable_offset] = 1 << (RGM_RAVA - RGM_RASB),
                                     [rgm_actor_num_variables] = 1 << (RGM_RAVA - RGM_RASB),
                                     [rgm_actor_instances] = 1 << (RGM_RAVA - RGM_RASB),
                                     [rgm_actor_script_data_offset] = 1 << (RGM_RASC - RGM_RASB),
                                     [rgm_actor_script_length] = 1 << (RGM_RASC - RGM_RASB)};
    for (unsigned k = 0; k < RGM_SLICED; k++) {
        const rgm_section *section = &out->section[RGM_RASB + k];
        const bool broken =
            section->records != LL_NO_SPAN && k != RGM_RASC - RGM_RASB && !ll_is_usable(doc, section->records);
        for (uint32_t i = 0; i < out->actor_count; i++) {
            out->actors[i].sound[k] = section->span != LL_NO_SPAN && !section->shifted && !broken;
        }
    }
    for (const ll_fault_node *node = doc->first_fault; node; node = node->next) {
        const ll_where *at = &node->fault.at;
        const bool of_actor =
            at->span == out->section[RGM_RAHD].records && at->field < sizeof slices && at->element < out->actor_count;
        for (unsigned k = 0; of_actor && node->fault.read && k < RGM_SLICED; k++) {
            out->actors[at->element].sound[k] = out->actors[at->element].sound[k] && !(slices[at->field] >> k & 1);
        }
    }
}

/* Indexes the actors, if they were read. */
static void index_actors(rgm_parser *p, const actor_lists *lists)
{
    ll_doc *doc = p->doc;
    rgm_summary *out = p->summary;
    const rgm_section *heads = &out->section[RGM_RAHD];
    if (heads->records == LL_NO_SPAN) {
        return;
    }
    rgm_find_actors(doc, out);
    if (doc->status != LL_OK || !out->actors) {
        return;
    }
    for (uint32_t i = 0; i < out->actor_count; i++) {
        out->actors[i].block = lists->of[BLOCKS][i];
    }
    index_slices(doc, out);
    index_frames(p, lists->of[FILES]);
    index_groups(p, lists->of[GROUPS]);
}

const void *rgm_index(ll_doc *doc)
{
    rgm_summary *out = ll_doc_alloc(doc, 1, sizeof *out);
    if (!out) {
        return NULL;
    }
    clear(out);
    index_sections(doc, out);
    out->memo = ll_doc_zalloc(doc, 1, sizeof *out->memo);
    if (!out->memo) {
        return NULL;
    }
    out->memo->arena = &doc->arena;
    actor_lists lists;
    if (!open_lists(doc, &lists)) {
        return NULL;
    }
    index_children(doc, out, &lists);
    out->end = doc->firsts[rgm_end_LAYOUT] ? doc->firsts[rgm_end_LAYOUT] - 1 : doc->firsts[rgm_end_long_LAYOUT] - 1;
    rgm_parser p = {.doc = doc, .summary = out};
    index_actors(&p, &lists);
    return doc->status == LL_OK ? out : NULL;
}
