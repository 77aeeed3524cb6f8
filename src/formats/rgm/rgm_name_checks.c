/* Named checks of the names that link placed objects to actors. A name changed on one side shows in up to three places:
 * objects without an actor, an actor that lacks objects, and an actor that has too many. Only one of them is
 * reported. */
#include "base/sort.h"
#include "formats/rgm/rgm.h"

#include <string.h>

static const uint32_t NONE = LL_NO_INDEX;

/* The objects that share a name which no actor has. */
typedef struct unmatched_name {
    uint32_t first, count; /* first object, and number of objects */
    uint32_t actor;        /* the actor with the most similar name; NONE: there is none */
    uint16_t hint;
    bool renamed; /* the actor's name is the wrong one */
} unmatched_name;

typedef struct named_actor {
    uint32_t objects; /* objects that have its name */
    uint32_t last;    /* the last of them */
    uint32_t renamed; /* its objects whose name matches no actor */
} named_actor;

typedef struct rgm_naming {
    const uint8_t *objects; /* record of the first object */
    const rgm_summary *summary;
    uint32_t object_count;
    uint32_t *actor_of; /* by object: its actor, or number of actors + number of its unmatched name; NONE: no name, or
                           not judged yet */
    named_actor *actors;
    unmatched_name *unmatched;
    uint32_t unmatched_count;
    uint32_t unknown;  /* objects whose name no actor has */
    uint64_t unplaced; /* objects of unmatched names beyond as many as their actors lack */
    bool nameless;     /* some object has no actor, and may be one that an actor lacks */
    bool judged;       /* unmatched names were judged */
} rgm_naming;

/* ------------------------------------------------------------------ names as numbers */

static const uint8_t *object_name(const rgm_naming *n, uint32_t object)
{
    return n->objects + (size_t)object * rgm_object_SIZE + rgm_object_at_script_name;
}

static const uint8_t *actor_name(const rgm_naming *n, uint32_t actor)
{
    return n->summary->heads + (size_t)actor * rgm_actor_SIZE + rgm_actor_at_script_name;
}

static uint32_t instances_of(const rgm_naming *n, uint32_t actor)
{
    return ll_le16(n->summary->heads + (size_t)actor * rgm_actor_SIZE + rgm_actor_at_instances);
}

/* Forms of a name that are compared. Forms 0 to 8: all nine bytes but that one. CAPITALS: up to the NUL, in capitals.
 * These find similar names. EXACT: up to the NUL. */
enum { CAPITALS = RGM_NAME, NEAR_FORMS, EXACT = NEAR_FORMS };

static ll_sort_key name_key(const uint8_t *field, unsigned form, uint32_t item)
{
    uint8_t key[RGM_NAME] = {0};
    memcpy(key, field, form < CAPITALS ? RGM_NAME : rgm_name_length(field, RGM_NAME));
    for (unsigned i = 0; i < RGM_NAME; i++) {
        bool small = form == CAPITALS && key[i] >= 'a' && key[i] <= 'z';
        key[i] = (uint8_t)(i == form ? 0 : small ? key[i] - 'a' + 'A' : key[i]);
    }
    return (ll_sort_key){ll_be64(key), form << 8 | key[RGM_NAME - 1], item};
}

/* Number of signs that a name field was damaged: it is not printable characters, a NUL and zeros. */
static uint32_t count_odd(const uint8_t *field)
{
    uint32_t length = rgm_name_length(field, RGM_NAME);
    uint32_t odd = length == 0 || length == RGM_NAME;
    for (uint32_t i = 0; i < RGM_NAME; i++) {
        odd += i < length ? field[i] <= ' ' || field[i] > '~' : field[i] != 0;
    }
    return odd;
}

/* ------------------------------------------------------------------ objects and their actors */

/* Finds the actors of all objects, once. NULL: nothing to judge, or no memory. */
static rgm_naming *open_naming(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_summary *summary = rgm_summary_of(doc);
    const rgm_section *objects = rgm_section_of(doc, RGM_MPOB);
    if (summary->memo->naming || !objects->sound || summary->actor_count == 0 || doc->names->by_name.lost) {
        return summary->memo->naming;
    }
    rgm_naming *n = ll_check_zalloc(run, 1, sizeof *n);
    uint32_t *actor_of = ll_check_alloc(run, objects->count, sizeof *actor_of);
    named_actor *named = ll_check_zalloc(run, summary->actor_count, sizeof *named);
    if (!n || !actor_of || !named) {
        return NULL;
    }
    *n = (rgm_naming){.objects = objects->count ? ll_doc_at(doc, objects->start + rgm_count_SIZE) : NULL,
                      .object_count = objects->count,
                      .summary = summary,
                      .actor_of = actor_of,
                      .actors = named};
    for (uint32_t i = 0; i < n->object_count; i++) {
        const uint8_t *name = object_name(n, i);
        uint32_t actor = actor_of[i] = ll_find_named(doc, name, rgm_name_length(name, RGM_NAME));
        if (actor != NONE) {
            named[actor].objects++;
            named[actor].last = i;
        } else {
            n->unknown += name[0] != 0;
            n->nameless = true;
        }
    }
    summary->memo->naming = n;
    return n;
}

/* ------------------------------------------------------------------ unmatched names and their actors */

/* Numbers the unmatched names and sets them in `actor_of`. False: no memory. */
static bool gather_unmatched(ll_check_run *run, rgm_naming *n)
{
    ll_sort_key *keys = ll_check_alloc(run, n->unknown, 2 * sizeof *keys);
    n->unmatched = ll_check_alloc(run, n->unknown, sizeof *n->unmatched);
    uint32_t count = 0;
    for (uint32_t i = 0; keys && i < n->object_count; i++) {
        if (n->actor_of[i] == NONE && object_name(n, i)[0]) {
            keys[count++] = name_key(object_name(n, i), EXACT, i);
        }
    }
    if (!keys || !n->unmatched) {
        return false;
    }
    keys = ll_sort(keys, keys + n->unknown, count);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || keys[i].first != keys[i - 1].first || keys[i].second != keys[i - 1].second) {
            n->unmatched[n->unmatched_count++] = (unmatched_name){.first = keys[i].item, .actor = NONE};
        }
        n->unmatched[n->unmatched_count - 1].count++;
        n->actor_of[keys[i].item] = n->summary->actor_count + n->unmatched_count - 1;
    }
    return true;
}

static unmatched_name *unmatched_of(const rgm_naming *n, uint32_t object)
{
    uint32_t actor = n->actor_of[object];
    return actor == NONE || actor < n->summary->actor_count ? NULL : &n->unmatched[actor - n->summary->actor_count];
}

static uint32_t lacking(const rgm_naming *n, uint32_t actor)
{
    uint32_t instances = instances_of(n, actor);
    uint32_t had = n->actors[actor].objects + n->actors[actor].renamed;
    return instances > had ? instances - had : 0;
}

/* The actor should have objects, but none is certainly its own. */
static bool has_none(const rgm_naming *n, uint32_t actor)
{
    return instances_of(n, actor) && (n->actors[actor].objects == 0 || n->summary->actors[actor].shared);
}

/* All forms of the actors' names, sorted; equal forms of actors that lack objects come first. NULL: no memory. */
static const ll_sort_key *sort_near_names(ll_check_run *run, const rgm_naming *n)
{
    uint32_t count = n->summary->actor_count * NEAR_FORMS;
    ll_sort_key *keys = ll_check_alloc(run, count, 2 * sizeof *keys);
    uint32_t next = 0;
    for (unsigned pass = 0; keys && pass < 2; pass++) {
        for (uint32_t i = 0; i < n->summary->actor_count; i++) {
            bool now = (lacking(n, i) == 0) == (pass == 1);
            for (unsigned form = 0; now && form < NEAR_FORMS; form++) {
                keys[next++] = name_key(actor_name(n, i), form, i);
            }
        }
    }
    return keys ? ll_sort(keys, keys + count, count) : NULL;
}

/* Finds the actor whose name differs in case or in one letter, preferring one that lacks objects. */
static void find_near(const rgm_naming *n, const ll_sort_key *near_names, unmatched_name *s)
{
    for (unsigned i = 0; i < NEAR_FORMS; i++) {
        unsigned form = (i + CAPITALS) % NEAR_FORMS; /* capitals first */
        ll_sort_key key = name_key(object_name(n, s->first), form, 0);
        const ll_sort_key *found = ll_sort_find(near_names, n->summary->actor_count * NEAR_FORMS, &key);
        uint32_t actor = found ? found->item : NONE;
        if (actor != NONE && (s->actor == NONE || (lacking(n, s->actor) == 0 && lacking(n, actor)))) {
            s->actor = actor;
            s->hint = form == CAPITALS ? RGM_HINT_NAME_CASE : RGM_HINT_NAME_LETTER;
        }
    }
}

/* By number of instances, up to the number of objects: 1 + the only actor without objects that has this number; 0 or
 * UINT32_MAX: there is none, or several. NULL: no memory. */
static uint32_t *find_lonely(ll_check_run *run, const rgm_naming *n)
{
    uint32_t *by_instances = ll_check_zalloc(run, (size_t)n->object_count + 1, sizeof *by_instances);
    for (uint32_t i = 0; by_instances && i < n->summary->actor_count; i++) {
        const uint32_t instances = instances_of(n, i);
        if (instances <= n->object_count && has_none(n, i)) {
            by_instances[instances] = by_instances[instances] ? UINT32_MAX : i + 1;
        }
    }
    return by_instances;
}

/* Decides which side of an unmatched name is wrong. If all objects of an actor have it, the actor's name was changed.
 * If there is one object only, the name that looks damaged is wrong; if neither does, the object's. */
static void judge_unmatched_name(rgm_naming *n, unmatched_name *s, const uint32_t *by_instances)
{
    uint32_t candidate = s->actor;
    bool fits = candidate != NONE && has_none(n, candidate) && instances_of(n, candidate) == s->count;
    if (!fits) {
        candidate = by_instances[s->count] - 1;
        fits = candidate < n->summary->actor_count &&
               (s->count > 1 || n->summary->actors[candidate].shared || count_odd(actor_name(n, candidate)));
    }
    bool several = s->count > 1 || (fits && n->summary->actors[candidate].shared);
    if (fits && (several || count_odd(actor_name(n, candidate)) > count_odd(object_name(n, s->first)))) {
        s->hint = candidate == s->actor ? s->hint : (uint16_t)RGM_HINT_NONE;
        s->actor = candidate;
        s->renamed = true;
    }
    uint32_t missed = s->actor == NONE ? 0 : lacking(n, s->actor);
    missed = missed < s->count ? missed : s->count;
    if (missed) {
        n->actors[s->actor].renamed += missed;
    }
    n->unplaced += s->renamed ? 0 : s->count - missed;
}

/* As open_naming(), but also finds the actors that objects of unmatched names may belong to. */
static rgm_naming *judge_unmatched_names(ll_check_run *run)
{
    rgm_naming *n = open_naming(run);
    if (!n || n->judged || n->unknown == 0) {
        return n;
    }
    const uint32_t *by_instances = find_lonely(run, n);
    const ll_sort_key *near_names = by_instances && gather_unmatched(run, n) ? sort_near_names(run, n) : NULL;
    for (uint32_t i = 0; near_names && i < n->object_count; i++) {
        unmatched_name *s = unmatched_of(n, i);
        if (s && s->first == i) {
            find_near(n, near_names, s);
            judge_unmatched_name(n, s, by_instances);
        }
    }
    n->judged = near_names != NULL;
    return n->judged ? n : NULL;
}

/* ------------------------------------------------------------------ checks */

/* Reports objects without an actor. If the actor's name is wrong, one finding about it covers all its objects; if
 * another actor has that name too, rahd_duplicate_name reports it. */
void rgm_check_mpob_script_unknown(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_naming *n = judge_unmatched_names(run);
    for (uint32_t i = 0; n && n->unmatched_count && i < n->object_count; i++) {
        const unmatched_name *s = unmatched_of(n, i);
        if (!s || (s->renamed && (s->first != i || n->summary->actors[s->actor].shared))) {
            continue;
        }
        ll_where object = ll_at_field(doc, run->span, i, rgm_object_script_name);
        ll_where actor = s->actor == NONE ? ll_nowhere() : rgm_actor_at(doc, s->actor, rgm_actor_script_name);
        ll_arg object_arg = rgm_name_arg(doc, object.offset, RGM_NAME);
        ll_arg actor_arg = s->actor == NONE ? ll_word("none") : rgm_actor_name(doc, s->actor);
        ll_fault fault = LL_MAKE_FAULT(0, s->hint, s->renamed ? actor : object, s->renamed ? object : actor,
                                       s->renamed ? actor_arg : object_arg, s->renamed ? object_arg : actor_arg);
        bool has_others = s->actor != NONE && n->actors[s->actor].objects; /* others confirm the actor's name */
        if (s->renamed || (has_others && s->hint != RGM_HINT_NONE)) { /* the name of one side replaces the other's */
            ll_patch_replace(doc, &fault, LL_PATCH_UNSAFE, fault.at.offset,
                             s->renamed ? object_name(n, i) : actor_name(n, s->actor), RGM_NAME);
        }
        ll_report_fault(run, &fault);
    }
}

/* The number of an actor's instances can be judged: no fault is about them, and no other actor has its name. */
static bool is_judged(const rgm_naming *n, const rgm_summary *summary, uint32_t actor)
{
    return summary->actors[actor].sound[RGM_RAVA - RGM_RASB] && !n->summary->actors[actor].shared;
}

/* Detects objects that got another actor's name: exactly one actor lacks objects, and exactly one has as many too many.
 * Returns the actor that lacks them; NONE: there is no such pair. *sum: number of objects that all actors lack. */
static uint32_t find_moved(const rgm_naming *n, const rgm_summary *summary, uint64_t *sum)
{
    uint32_t actors[2] = {NONE, NONE}; /* one that lacks some, one that has too many */
    bool several = false;
    *sum = 0;
    for (uint32_t i = 0; i < n->summary->actor_count; i++) {
        bool more = n->actors[i].objects > instances_of(n, i);
        if (is_judged(n, summary, i) && (more || lacking(n, i))) {
            several = several || actors[more] != NONE;
            actors[more] = i;
            *sum += lacking(n, i);
        }
    }
    bool moved = !several && actors[0] != NONE && actors[1] != NONE &&
                 lacking(n, actors[0]) == n->actors[actors[1]].objects - instances_of(n, actors[1]);
    return moved ? actors[0] : NONE;
}

void rgm_check_mpob_instances(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_summary *summary = rgm_summary_of(doc);
    const rgm_section *objects = rgm_section_of(doc, RGM_MPOB);
    const rgm_naming *n = judge_unmatched_names(run);
    if (!n) {
        return;
    }
    uint64_t missing;
    uint32_t moved_from = find_moved(n, summary, &missing);
    bool explained = missing <= n->unplaced; /* each missing object may be there under another name */
    for (uint32_t i = 0; i < n->summary->actor_count; i++) {
        const named_actor *actor = &n->actors[i];
        bool more = actor->objects > instances_of(n, i);
        bool less = !explained && i != moved_from && lacking(n, i);
        if (!is_judged(n, summary, i) || !(more || less)) {
            continue;
        }
        ll_where related = actor->objects ? ll_at_field(doc, objects->records, actor->last, rgm_object_script_name)
                                          : rgm_length_at(doc, objects);
        bool added = more && moved_from == NONE;
        ll_fault fault =
            LL_MAKE_FAULT(0, added ? RGM_HINT_OBJECT_ADDED : RGM_HINT_NONE, rgm_actor_at(doc, i, rgm_actor_instances),
                          related, ll_uint(instances_of(n, i)), ll_uint(actor->objects), rgm_actor_name(doc, i));
        ll_element head;
        if (less && n->nameless) {
            ll_patch_none(&fault);
        }
        bool alone = moved_from == NONE && (more || !n->nameless) && rgm_actor_record(doc, i, &head) &&
                     ll_get_uint(&head, rgm_actor_num_variables) == 0; /* else RAVA has copies for each instance */
        rgm_report_value(run, &fault, alone ? actor->objects : UINT64_MAX);
    }
}

/* Reports objects that are models but name none, and whose actor has no model files: the actor's name is used as the
 * model. */
void rgm_check_mpob_model_fallback(ll_check_run *run)
{
    enum { MODEL = 1 };
    const ll_doc *doc = run->doc;
    const rgm_naming *n = open_naming(run);
    for (uint32_t i = 0; n && i < n->object_count; i++) {
        const uint8_t *object = n->objects + (size_t)i * rgm_object_SIZE;
        uint32_t actor = n->actor_of[i];
        bool unnamed = object[rgm_object_at_object_type] == MODEL && object[rgm_object_at_model_name] == 0;
        ll_element head;
        if (unnamed && rgm_actor_record(doc, actor, &head) && ll_get_uint(&head, rgm_actor_raan_count) == 0 &&
            ll_get_uint(&head, rgm_actor_raan_data_size) == 0) {
            ll_where name = ll_at_field(doc, run->span, i, rgm_object_script_name);
            LL_REPORT_RELATED(run, RGM_HINT_NONE, ll_at_field(doc, run->span, i, rgm_object_model_name),
                              rgm_actor_at(doc, actor, rgm_actor_raan_count), rgm_name_arg(doc, name.offset, RGM_NAME));
        }
    }
}
