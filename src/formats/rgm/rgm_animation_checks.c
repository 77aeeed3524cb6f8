/* Named checks of animation groups. A file may hold millions of commands of three bytes, so the loops look only at
 * bytes and do more for the few commands that need it. */
#include "formats/rgm/rgm.h"

#include <string.h>

enum {
    REACHABLE = 512,  /* number of groups that a command can name */
    PAYLOAD_SHIFT = 4 /* the opcode of a command is its lowest 4 bits */
};

typedef enum opcode {
    OP_SHOW_FRAME = 0,
    OP_END = 1,
    OP_GO_BACK = 2,
    OP_GO_ON = 3,
    OP_BREAK_POINT = 5,
    OP_CHANGE_GROUP = 10,
    OP_RUMBLE = 11,
    OP_LOOP = 14,
    OP_TRANSITION = 15
} opcode;

/* ------------------------------------------------------------------ commands */

/* A command, split into its parts. */
typedef struct command {
    unsigned op;
    uint32_t payload; /* 20 bits */
} command;

static command command_at(const uint8_t *p)
{
    uint32_t value = ll_le24(p);
    return (command){value & 15U, value >> PAYLOAD_SHIFT};
}

/* A bit field of a payload as a signed number. */
static int32_t signed_bits(uint32_t payload, unsigned shift, unsigned bits)
{
    uint32_t value = payload >> shift & ((1U << bits) - 1U);
    return value >> (bits - 1) ? (int32_t)value - (int32_t)(1U << bits) : (int32_t)value;
}

static ll_where place_of(const ll_doc *doc, uint32_t commands, uint32_t element)
{
    return ll_at_field(doc, commands, element, rgm_command_value);
}

/* Finds the next command at or after *element whose opcode is in the bit set `set`. False: there is none, or
 * `commands` is LL_NO_SPAN. */
static bool find_command(const ll_doc *doc, uint32_t commands, unsigned set, uint32_t *element, command *out)
{
    uint32_t count = commands == LL_NO_SPAN ? 0 : ll_doc_span(doc, commands)->count;
    const uint8_t *p = count ? ll_doc_at(doc, ll_doc_span(doc, commands)->offset) : NULL;
    for (; *element < count; ++*element) {
        *out = command_at(p + (size_t)*element * rgm_command_SIZE);
        if (set >> out->op & 1U) {
            return true;
        }
    }
    return false;
}

void rgm_check_ragr_jump(ll_check_run *run)
{
    const unsigned jumps = 1U << OP_GO_BACK | 1U << OP_GO_ON | 1U << OP_LOOP;
    uint32_t count = ll_doc_span(run->doc, run->span)->count;
    command c;
    for (uint32_t i = 0; find_command(run->doc, run->span, jumps, &i, &c); i++) {
        bool right_way = c.op == OP_LOOP || (c.op == OP_GO_BACK ? c.payload < i : c.payload > i);
        if (c.payload >= count || !right_way) {
            LL_REPORT(run, RGM_HINT_NONE, place_of(run->doc, run->span, i), ll_uint(c.payload), ll_uint(i),
                      ll_uint(count), ll_uint(c.op));
        }
    }
}

void rgm_check_ragr_payload(ll_check_run *run)
{
    enum { ALL = 0xFFFFF };
    static const uint32_t allowed[] = {
        [OP_END] = 0, [OP_BREAK_POINT] = 0, [OP_RUMBLE] = 0x1F, [OP_TRANSITION] = ALL & ~0x20};
    const unsigned limited = 1U << OP_END | 1U << OP_BREAK_POINT | 1U << OP_RUMBLE | 1U << OP_TRANSITION;
    command c;
    for (uint32_t i = 0; find_command(run->doc, run->span, limited, &i, &c); i++) {
        if (c.payload & ~allowed[c.op]) {
            LL_REPORT(run, RGM_HINT_NONE, place_of(run->doc, run->span, i), ll_uint(c.payload), ll_uint(allowed[c.op]),
                      ll_uint(c.op));
        }
    }
}

/* ------------------------------------------------------------------ lists of groups */

/* Iterates over the groups of a list. */
typedef struct group_walk {
    const ll_doc *doc;
    uint32_t list, next; /* next: next span to look at */
    uint32_t group;      /* span of the current group */
    uint32_t commands;   /* span of its commands; LL_NO_SPAN: none */
    bool ended;          /* the terminator of the list was reached */
} group_walk;

static group_walk walk_groups(const ll_doc *doc, uint32_t list)
{
    return (group_walk){.doc = doc, .list = list, .next = list + 1};
}

/* The array of commands is the span after the group's; LL_NO_SPAN: the group has none. */
static uint32_t commands_of(const ll_doc *doc, uint32_t group)
{
    return ll_doc_span(doc, group)->length > rgm_group_SIZE ? group + 1 : LL_NO_SPAN;
}

static bool next_group(group_walk *w)
{
    for (; w->next < w->doc->span_count; w->next++) {
        const ll_span *s = ll_doc_span(w->doc, w->next);
        if (s->parent == LL_NO_SPAN || s->parent < w->list) {
            return false;
        }
        w->ended = w->ended || s->layout == rgm_group_end_LAYOUT;
        if (s->layout == rgm_group_LAYOUT && !(s->flags & LL_SPAN_BROKEN)) {
            w->group = w->next;
            w->commands = commands_of(w->doc, w->next);
            w->next++;
            return true;
        }
    }
    return false;
}

static uint32_t group_number(const group_walk *w)
{
    ll_element group;
    return ll_element_at(w->doc, w->group, 0, &group) ? (uint32_t)ll_get_uint(&group, rgm_group_group_index)
                                                      : UINT32_MAX;
}

/* Reports a group without a command that ends it or leads elsewhere: it runs past its last command. */
void rgm_check_ragr_no_end(ll_check_run *run)
{
    const unsigned ends = 1U << OP_END | 1U << OP_GO_BACK | 1U << OP_CHANGE_GROUP | 1U << OP_LOOP;
    uint32_t commands = commands_of(run->doc, run->span);
    uint32_t i = 0;
    command c;
    if (commands != LL_NO_SPAN && !find_command(run->doc, commands, ends, &i, &c)) {
        LL_REPORT(run, RGM_HINT_NONE, place_of(run->doc, commands, i - 1), ll_uint(i));
    }
}

/* Reports only the first wrong frame reference of a list: if frames are missing, many commands refer to them. The limit
 * is the most frames of an actor that has the list. Actors without model files have no frames to refer to. */
void rgm_check_ragr_frame_ref(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_summary *summary = rgm_summary_of(doc);
    uint32_t actor = ll_doc_span(doc, run->span)->index;
    uint32_t frames = actor < summary->actor_count ? summary->actors[actor].list_frames : 0;
    for (group_walk w = walk_groups(doc, run->span); frames && next_group(&w);) {
        command c;
        for (uint32_t i = 0; find_command(doc, w.commands, 1U << OP_SHOW_FRAME, &i, &c); i++) {
            if (c.payload >= frames) {
                LL_REPORT_RELATED(run, RGM_HINT_NONE, place_of(doc, w.commands, i),
                                  rgm_actor_at(doc, actor, rgm_actor_raan_count), ll_uint(c.payload), ll_uint(frames));
                return;
            }
        }
    }
}

/* ------------------------------------------------------------------ transitions */

/* The groups of a list, by number. */
typedef struct targets {
    uint32_t group[REACHABLE]; /* span of each group; LL_NO_SPAN: there is none */
    bool whole; /* the list was read to its end and no other rule reports a group number, so an absent group is
                   certainly absent */
} targets;

static void find_targets(const ll_doc *doc, uint32_t list, targets *out)
{
    ll_element actor;
    bool sound = rgm_actor_record(doc, ll_doc_span(doc, list)->index, &actor);
    uint32_t highest = sound ? (uint32_t)ll_get_uint(&actor, rgm_actor_ragr_max_group) & 0xFF : 0;
    memset(out->group, 0xFF, sizeof out->group);
    group_walk w = walk_groups(doc, list);
    while (next_group(&w)) {
        uint32_t number = group_number(&w);
        bool fresh = number < REACHABLE && out->group[number] == LL_NO_SPAN;
        sound = sound && fresh && number <= RGM_GROUP_MAX && number <= highest;
        if (fresh) {
            out->group[number] = w.group;
        }
    }
    out->whole = sound && w.ended;
}

/* Number of the group that a command names; below 0: none. */
static int32_t named_group(command c)
{
    return c.op == OP_CHANGE_GROUP ? signed_bits(c.payload, 0, 10) : signed_bits(c.payload, 13, 7);
}

/* Reports a transition to a group or frame that does not exist. Counts the commands of the group instead of trusting
 * its frame_count, which another rule may report. */
static void judge_transition(ll_check_run *run, uint32_t commands, uint32_t element, command c, const targets *all)
{
    const ll_doc *doc = run->doc;
    bool change = c.op == OP_CHANGE_GROUP;
    int32_t group = named_group(c);
    int32_t frame = change ? signed_bits(c.payload, 10, 10) : signed_bits(c.payload, 6, 7);
    uint32_t target = group >= 0 ? all->group[group] : LL_NO_SPAN;
    bool missing = target == LL_NO_SPAN;
    uint32_t array = missing ? LL_NO_SPAN : commands_of(doc, target);
    uint32_t count = array == LL_NO_SPAN ? 0 : ll_doc_span(doc, array)->count;
    if (missing ? group >= 0 && !all->whole : frame >= 0 && (uint32_t)frame < count) {
        return;
    }
    LL_REPORT_RELATED(run, RGM_HINT_NONE, place_of(doc, commands, element),
                      missing ? ll_nowhere() : ll_at_field(doc, target, 0, rgm_group_frame_count), ll_int(group),
                      ll_int(frame), missing ? ll_word("no such group") : ll_uint(count), ll_uint(c.op));
}

enum { TRANSITIONS = 1U << OP_CHANGE_GROUP | 1U << OP_TRANSITION };

/* A command of the list names a group that the list does not have. */
static bool is_group_missing(const ll_doc *doc, uint32_t list)
{
    targets all;
    bool missing = false;
    find_targets(doc, list, &all);
    for (group_walk w = walk_groups(doc, list); !missing && next_group(&w);) {
        command c;
        for (uint32_t i = 0; !missing && find_command(doc, w.commands, TRANSITIONS, &i, &c); i++) {
            int32_t group = named_group(c);
            missing = group >= 0 && all.group[group] == LL_NO_SPAN;
        }
    }
    return missing;
}

/* Looks up the groups of a list only if a command names one. */
void rgm_check_ragr_transition(ll_check_run *run)
{
    targets all;
    bool found = false;
    for (group_walk w = walk_groups(run->doc, run->span); next_group(&w);) {
        command c;
        for (uint32_t i = 0; find_command(run->doc, w.commands, TRANSITIONS, &i, &c); i++) {
            if (!found) {
                find_targets(run->doc, run->span, &all);
                found = true;
            }
            judge_transition(run, w.commands, i, c, &all);
        }
    }
}

/* ------------------------------------------------------------------ actors and their groups */

/* The engine reads only the low byte of the field. There is no patch if a group number in the list may be wrong
 * instead. */
void rgm_check_ragr_max_group(ll_check_run *run)
{
    const rgm_summary *summary = rgm_summary_of(run->doc);
    enum { UNKNOWN, WHOLE, MISSING };
    uint8_t *lists = NULL; /* state of each list, by its first actor */
    ll_element actor;
    for (uint32_t i = 0; rgm_actor_record(run->doc, i, &actor); i++) {
        uint32_t list = summary->actors[i].ragr_list;
        uint64_t stated = ll_get_uint(&actor, rgm_actor_ragr_max_group);
        uint32_t owner = list == LL_NO_SPAN ? 0 : ll_doc_span(run->doc, list)->index;
        uint32_t highest = list == LL_NO_SPAN ? 0 : summary->actors[owner].list_highest;
        if ((stated & 0xFF) >= highest) {
            continue;
        }
        lists = lists ? lists : ll_check_zalloc(run, summary->actor_count, 1);
        if (lists && lists[owner] == UNKNOWN) {
            lists[owner] = is_group_missing(run->doc, list) ? MISSING : WHOLE;
        }
        ll_fault fault = LL_MAKE_FAULT(0, RGM_HINT_NONE, rgm_actor_at(run->doc, i, rgm_actor_ragr_max_group),
                                       ll_nowhere(), ll_uint(stated), ll_uint(highest));
        rgm_report_value(run, &fault, lists && lists[owner] == WHOLE ? highest : UINT64_MAX);
    }
}
