/* Named checks of the names by which placed objects and actors go together. A name that was changed on one side shows
 * in up to three places: at the objects, which have no actor, at the actor, which lacks objects, and at another actor,
 * which has too many. One of them speaks. */
#include "formats/rgm/rgm_check.h"

#include <string.h>

enum { PLAIN = RGM_NAME + 1 }; /* kind of key in which no letter is left out */

static const uint32_t NONE = LL_NO_INDEX;

/* Objects of one name that no actor has. */
typedef struct unmatched_name {
    uint32_t first, count; /* objects */
    uint32_t actor;        /* the nearest, NONE */
    uint16_t hint;
    bool renamed; /* it is the actor's name that is wrong */
} unmatched_name;

typedef struct rgm_naming {
    const uint8_t *objects, *actors; /* first record of each */
    uint32_t object_count, actor_count;
    uint32_t *actor_of; /* by object: actor; actor_count + number of its unmatched name; NONE: it has no name, or
                           unmatched names were not judged */
    uint32_t *matches;  /* by actor */
    uint32_t *last;     /* by actor: object, NONE */
    uint32_t *excused;  /* by actor: objects that it lacks because of unmatched names */
    bool *shared;       /* by actor: another one has the same name */
    unmatched_name *unmatched;
    uint32_t unknown; /* objects of unknown names */
    uint32_t unmatched_count;
    uint64_t unexcused; /* objects with unmatched names that excuse nobody */
    bool judged;        /* unmatched names were */
} rgm_naming;

/* ------------------------------------------------------------------ names as numbers */

static const uint8_t *object_name(const rgm_naming *n, uint32_t object)
{
    return n->objects + (size_t)object * rgm_object_SIZE + rgm_object_at_script_name;
}

static const uint8_t *actor_name(const rgm_naming *n, uint32_t actor)
{
    return n->actors + (size_t)actor * rgm_actor_SIZE + rgm_actor_at_script_name;
}

static uint32_t instances_of(const rgm_naming *n, uint32_t actor)
{
    return ll_le16(n->actors + (size_t)actor * rgm_actor_SIZE + rgm_actor_at_instances);
}

/* The name up to its NUL as a key. */
static ll_sort_key exact_key(const uint8_t *field, uint32_t item)
{
    uint8_t padded[RGM_NAME] = {0};
    memcpy(padded, field, rgm_name_length(field, RGM_NAME));
    return (ll_sort_key){ll_be64(padded), (uint32_t)PLAIN << 8 | padded[RGM_NAME - 1], item};
}

/* All nine bytes but the one at `out`, so that names which differ there only have the same key. */
static ll_sort_key masked_key(const uint8_t *field, unsigned out, uint32_t item)
{
    uint8_t masked[RGM_NAME];
    memcpy(masked, field, RGM_NAME);
    masked[out] = 0;
    return (ll_sort_key){ll_be64(masked), out << 8 | masked[RGM_NAME - 1], item};
}

static ll_sort_key upper_key(const uint8_t *field, uint32_t item)
{
    uint8_t upper[RGM_NAME];
    for (unsigned i = 0; i < RGM_NAME; i++) {
        bool small = field[i] >= 'a' && field[i] <= 'z';
        upper[i] = (uint8_t)(small ? field[i] - 'a' + 'A' : field[i]);
    }
    return exact_key(upper, item);
}

/* Letters, NUL, zeros: nothing in the field says that it was damaged. */
static bool is_plain_name(const uint8_t *field)
{
    uint32_t length = rgm_name_length(field, RGM_NAME);
    bool plain = length > 0 && length < RGM_NAME;
    for (uint32_t i = 0; i < RGM_NAME; i++) {
        plain = plain && (i < length ? field[i] > ' ' && field[i] <= '~' : field[i] == 0);
    }
    return plain;
}

/* ------------------------------------------------------------------ objects and their actors */

static bool take_room(ll_check_run *run, rgm_naming *n)
{
    n->actor_of = ll_arena_alloc(run->arena, n->object_count, sizeof *n->actor_of);
    n->matches = ll_arena_zalloc(run->arena, n->actor_count, sizeof *n->matches);
    n->last = ll_arena_zalloc(run->arena, n->actor_count, sizeof *n->last);
    n->excused = ll_arena_zalloc(run->arena, n->actor_count, sizeof *n->excused);
    n->shared = ll_arena_zalloc(run->arena, n->actor_count, sizeof *n->shared);
    if (!n->actor_of || !n->matches || !n->last || !n->excused || !n->shared) {
        run->status = LL_E_MEMORY;
        return false;
    }
    return true;
}

static bool index_actors(ll_check_run *run, rgm_naming *n, rgm_table *names)
{
    if (!rgm_table_open(run, n->actor_count, names)) {
        return false;
    }
    for (uint32_t i = 0; i < n->actor_count; i++) {
        ll_sort_key key = exact_key(actor_name(n, i), i);
        uint32_t earlier = key.first ? rgm_table_note(names, &key) : NONE;
        if (earlier != NONE) {
            n->shared[earlier] = n->shared[i] = true;
        }
    }
    return true;
}

/* Finds the actor of each object. Returns how many have a name that is no actor's. */
static uint32_t match_objects(const ll_doc *doc, rgm_naming *n, const rgm_table *names)
{
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < n->object_count; i++) {
        const uint8_t *name = object_name(n, i);
        ll_sort_key key = exact_key(name, i);
        bool lost = false;
        uint32_t actor = name[0] ? rgm_table_find(names, &key, &lost) : NONE;
        if (lost) {
            int64_t found = rgm_actor_named(doc, name, rgm_name_length(name, RGM_NAME));
            actor = found == RGM_NO_ACTOR ? NONE : (uint32_t)found;
        }
        n->actor_of[i] = actor;
        if (actor != NONE) {
            n->matches[actor]++;
            n->last[actor] = i;
        } else {
            unknown += name[0] != 0;
        }
    }
    return unknown;
}

/* Gathers the objects of unknown names. */
static bool gather_unmatched(ll_check_run *run, rgm_naming *n)
{
    rgm_table names;
    n->unmatched = ll_arena_zalloc(run->arena, n->unknown, sizeof *n->unmatched);
    if (!n->unmatched || !rgm_table_open(run, n->unknown, &names)) {
        run->status = LL_E_MEMORY;
        return false;
    }
    for (uint32_t i = 0; i < n->object_count; i++) {
        if (n->actor_of[i] != NONE || !object_name(n, i)[0]) {
            continue;
        }
        ll_sort_key key = exact_key(object_name(n, i), n->unmatched_count);
        uint32_t number = rgm_table_note(&names, &key);
        if (number == NONE) {
            number = n->unmatched_count++;
            n->unmatched[number] = (unmatched_name){.first = i, .actor = NONE};
        }
        n->unmatched[number].count++;
        n->actor_of[i] = n->actor_count + number;
    }
    return true;
}

/* ------------------------------------------------------------------ unmatched names and the actors they were meant for
 */

static uint32_t lacking(const rgm_naming *n, uint32_t actor)
{
    uint32_t instances = instances_of(n, actor);
    uint32_t had = n->matches[actor] + n->excused[actor];
    return instances > had ? instances - had : 0;
}

static bool is_bereft(const rgm_naming *n, uint32_t actor)
{
    return instances_of(n, actor) && (n->matches[actor] == 0 || n->shared[actor]);
}

/* Notes the names of actors that lack objects first, so that these are found where several are near. */
static bool index_near_names(ll_check_run *run, const rgm_naming *n, rgm_table *near_names)
{
    if (!rgm_table_open(run, (uint64_t)n->actor_count * (RGM_NAME + 1), near_names)) {
        return false;
    }
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < n->actor_count; i++) {
            if ((lacking(n, i) == 0) != (pass == 1)) {
                continue;
            }
            ll_sort_key key = upper_key(actor_name(n, i), i);
            (void)rgm_table_note(near_names, &key);
            for (unsigned out = 0; out < RGM_NAME; out++) {
                key = masked_key(actor_name(n, i), out, i);
                (void)rgm_table_note(near_names, &key);
            }
        }
    }
    return true;
}

/* The actor whose name differs in case or in one letter; one that lacks objects is better than one that does not. */
static void find_near(const rgm_naming *n, const rgm_table *near_names, unmatched_name *s)
{
    const uint8_t *name = object_name(n, s->first);
    for (unsigned out = 0; out <= RGM_NAME; out++) {
        bool lost = false;
        ll_sort_key key = out ? masked_key(name, out - 1, 0) : upper_key(name, 0);
        uint32_t actor = rgm_table_find(near_names, &key, &lost);
        if (actor != NONE && (s->actor == NONE || (lacking(n, s->actor) == 0 && lacking(n, actor)))) {
            s->actor = actor;
            s->hint = out ? RGM_HINT_NAME_LETTER : RGM_HINT_NAME_CASE;
        }
    }
}

/* Of actors without objects, the one with as many instances, if it is the only one; by number of instances. */
static uint32_t *index_bereft(ll_check_run *run, const rgm_naming *n)
{
    const uint32_t ambiguous = NONE - 1;
    uint32_t *by_instances = ll_check_alloc(run, UINT16_MAX + 1, sizeof *by_instances);
    if (!by_instances) {
        return NULL;
    }
    memset(by_instances, 0xFF, (UINT16_MAX + 1) * sizeof *by_instances); /* NONE */
    for (uint32_t i = 0; i < n->actor_count; i++) {
        uint32_t *at = &by_instances[instances_of(n, i)];
        if (is_bereft(n, i)) {
            *at = *at == NONE ? i : ambiguous;
        }
    }
    for (uint32_t i = 0; i <= UINT16_MAX; i++) {
        by_instances[i] = by_instances[i] == ambiguous ? NONE : by_instances[i];
    }
    return by_instances;
}

/* All objects of an actor have another name: then it is the actor's that was changed. Where there is but one object,
 * the name that looks damaged is the wrong one, and the object's where neither does. */
static void judge_unmatched_name(rgm_naming *n, unmatched_name *s, const uint32_t *by_instances)
{
    uint32_t candidate = s->actor;
    bool fits = candidate != NONE && is_bereft(n, candidate) && instances_of(n, candidate) == s->count;
    if (!fits && s->count <= UINT16_MAX) {
        candidate = by_instances[s->count];
        fits = candidate != NONE && (s->count > 1 || n->shared[candidate] || !is_plain_name(actor_name(n, candidate)));
    }
    bool several = s->count > 1 || (fits && n->shared[candidate]);
    if (fits && (several || (!is_plain_name(actor_name(n, candidate)) && is_plain_name(object_name(n, s->first))))) {
        s->hint = candidate == s->actor ? s->hint : (uint16_t)RGM_HINT_NONE;
        s->actor = candidate;
        s->renamed = true;
    }
    uint32_t missed = s->actor == NONE ? 0 : lacking(n, s->actor);
    missed = missed < s->count ? missed : s->count;
    if (missed) {
        n->excused[s->actor] += missed;
    }
    n->unexcused += s->renamed ? 0 : s->count - missed;
}

static bool fill_naming(ll_check_run *run, rgm_naming *n)
{
    rgm_table names;
    if (!take_room(run, n) || !index_actors(run, n, &names)) {
        return false;
    }
    n->unknown = match_objects(run->doc, n, &names);
    return true;
}

/* Whose objects they all are, found out once. NULL: nothing to judge, or no memory. */
static rgm_naming *open_naming(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_summary *summary = rgm_summary_of(doc);
    const rgm_section *objects = rgm_section_of(doc, RGM_MPOB);
    const rgm_section *actors = rgm_section_of(doc, RGM_RAHD);
    if (summary->memo->naming || !rgm_is_sound(objects) || summary->actor_count == 0) {
        return summary->memo->naming;
    }
    rgm_naming *n = ll_check_alloc(run, 1, sizeof *n);
    if (!n) {
        return NULL;
    }
    bool some = objects->records != LL_NO_SPAN;
    *n = (rgm_naming){.objects = some ? ll_doc_at(doc, ll_doc_span(doc, objects->records)->offset) : NULL,
                      .actors = ll_doc_at(doc, ll_doc_span(doc, actors->records)->offset),
                      .object_count = some ? objects->count : 0,
                      .actor_count = summary->actor_count};
    summary->memo->naming = fill_naming(run, n) ? n : NULL;
    return summary->memo->naming;
}

/* The same, and whose objects those of unknown names may be. */
static rgm_naming *judge_unmatched_names(ll_check_run *run)
{
    rgm_naming *n = open_naming(run);
    if (!n || n->judged || n->unknown == 0) {
        return n;
    }
    rgm_table near_names;
    uint32_t *by_instances = index_bereft(run, n);
    if (!by_instances || !gather_unmatched(run, n) || !index_near_names(run, n, &near_names)) {
        return NULL;
    }
    for (uint32_t i = 0; i < n->unmatched_count; i++) {
        find_near(n, &near_names, &n->unmatched[i]);
        judge_unmatched_name(n, &n->unmatched[i], by_instances);
    }
    n->judged = true;
    return n;
}

/* ------------------------------------------------------------------ checks */

/* All objects of the unmatched name are reported at the actor; where its name is another actor's too,
 * rahd_duplicate_name does.
 */
static void report_renamed(ll_check_run *run, const rgm_naming *n, const unmatched_name *s)
{
    if (n->shared[s->actor]) {
        return;
    }
    LL_REPORT_RELATED(
        run, s->hint, rgm_actor_at(run->doc, s->actor, rgm_actor_script_name),
        ll_at_field(run->doc, run->span, s->first, rgm_object_script_name), rgm_actor_name(run->doc, s->actor),
        rgm_name_arg(run->doc, ll_at_field(run->doc, run->span, s->first, rgm_object_script_name).offset, RGM_NAME));
}

void rgm_check_mpob_script_unknown(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_naming *n = judge_unmatched_names(run);
    if (!n) {
        return;
    }
    for (uint32_t i = 0; n->unmatched_count && i < n->object_count; i++) {
        if (n->actor_of[i] == NONE || n->actor_of[i] < n->actor_count) {
            continue;
        }
        const unmatched_name *s = &n->unmatched[n->actor_of[i] - n->actor_count];
        if (s->renamed) {
            if (s->first == i) {
                report_renamed(run, n, s);
            }
            continue;
        }
        ll_fault fault = ll_fault_at(0, ll_at_field(doc, run->span, i, rgm_object_script_name));
        fault.hint = s->hint;
        fault.arg[0] = rgm_name_arg(doc, fault.at.offset, RGM_NAME);
        fault.arg[1] = ll_word("none");
        if (s->actor != NONE) {
            fault.related = rgm_actor_at(doc, s->actor, rgm_actor_script_name);
            fault.arg[1] = rgm_actor_name(doc, s->actor);
        }
        ll_report_fault(run, &fault);
    }
}

/* An object that was given another actor's name: one actor lacks as many as another has too many. The first such pair,
 * else NONE. */
static uint32_t find_moved(const rgm_naming *n, const rgm_summary *summary)
{
    uint32_t short_of = NONE;
    uint32_t too_many = NONE;
    for (uint32_t i = 0; i < n->actor_count; i++) {
        bool judged = summary->actors[i].rava_sound && !n->shared[i];
        bool more = judged && n->matches[i] > instances_of(n, i);
        bool less = judged && lacking(n, i);
        if ((more && too_many != NONE) || (less && short_of != NONE)) {
            return NONE;
        }
        too_many = more ? i : too_many;
        short_of = less ? i : short_of;
    }
    bool moved = short_of != NONE && too_many != NONE &&
                 lacking(n, short_of) == n->matches[too_many] - instances_of(n, too_many);
    return moved ? short_of : NONE;
}

static uint64_t count_lacking(const rgm_naming *n, const rgm_summary *summary)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n->actor_count; i++) {
        sum += summary->actors[i].rava_sound && !n->shared[i] ? lacking(n, i) : 0;
    }
    return sum;
}

/* Where RAVA does not fit an actor's instances, the parser has reported them. */
void rgm_check_mpob_instances(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_summary *summary = rgm_summary_of(doc);
    const rgm_section *objects = rgm_section_of(doc, RGM_MPOB);
    const rgm_naming *n = judge_unmatched_names(run);
    if (!n) {
        return;
    }
    uint32_t moved_from = find_moved(n, summary);
    bool excused =
        count_lacking(n, summary) <= n->unexcused; /* each one that is missing may be there under another name */
    for (uint32_t i = 0; i < n->actor_count; i++) {
        uint32_t instances = instances_of(n, i);
        bool more = n->matches[i] > instances;
        bool less = !excused && i != moved_from && lacking(n, i);
        if (!summary->actors[i].rava_sound || n->shared[i] || !(more || less)) {
            continue;
        }
        ll_fault fault = ll_fault_at(0, rgm_actor_at(doc, i, rgm_actor_instances));
        fault.related = rgm_length_at(doc, objects);
        if (more && moved_from != NONE) {
            fault.related = rgm_actor_at(doc, moved_from, rgm_actor_instances);
        } else if (n->matches[i]) {
            fault.related = ll_at_field(doc, objects->records, n->last[i], rgm_object_script_name);
        }
        fault.hint = more && moved_from == NONE ? RGM_HINT_OBJECT_ADDED : RGM_HINT_NONE;
        fault.arg[0] = ll_uint(instances);
        fault.arg[1] = ll_uint(n->matches[i]);
        fault.arg[2] = rgm_actor_name(doc, i);
        ll_report_fault(run, &fault);
    }
}

/* An object that is a model, names none, and whose actor has no model files is shown by a model of the actor's name. */
void rgm_check_mpob_model_fallback(ll_check_run *run)
{
    enum { MODEL = 1 };
    const ll_doc *doc = run->doc;
    const rgm_naming *n = open_naming(run);
    if (!n) {
        return;
    }
    for (uint32_t i = 0; i < n->object_count; i++) {
        const uint8_t *object = n->objects + (size_t)i * rgm_object_SIZE;
        uint32_t actor = n->actor_of[i];
        bool unnamed = object[rgm_object_at_object_type] == MODEL && object[rgm_object_at_model_name] == 0 &&
                       actor < n->actor_count;
        if (unnamed && rgm_actor_get(doc, actor, rgm_actor_raan_count) == 0 &&
            rgm_actor_get(doc, actor, rgm_actor_raan_data_size) == 0) {
            LL_REPORT_RELATED(
                run, RGM_HINT_NONE, ll_at_field(doc, run->span, i, rgm_object_model_name),
                rgm_actor_at(doc, actor, rgm_actor_raan_count),
                rgm_name_arg(doc, ll_at_field(doc, run->span, i, rgm_object_script_name).offset, RGM_NAME));
        }
    }
}
