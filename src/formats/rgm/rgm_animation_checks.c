/* Named checks of animation groups and of collision points. Commands are three bytes, millions of which may stand in a
 * file: the loops look at bytes, and leave the rest to the few commands that need it. */
#include "formats/rgm/rgm_check.h"

#include <string.h>

enum {
    GROUP_MAX = 177,  /* highest number that the engine takes */
    REACHABLE = 512,  /* groups that a command can name */
    PAYLOAD_SHIFT = 4 /* a command's opcode is its lowest 4 bits */
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

static bool is_among(unsigned op, unsigned set)
{
    return set >> op & 1U;
}

/* ------------------------------------------------------------------ commands */

/* A command of an array. */
typedef struct command {
    unsigned op;
    uint32_t payload; /* 20 bits */
} command;

static command command_at(const uint8_t *p)
{
    uint32_t value = ll_le24(p);
    return (command){value & 15U, value >> PAYLOAD_SHIFT};
}

/* A part of a payload as a signed number. */
static int32_t signed_bits(uint32_t payload, unsigned shift, unsigned bits)
{
    uint32_t value = payload >> shift & ((1U << bits) - 1U);
    return value >> (bits - 1) ? (int32_t)value - (int32_t)(1U << bits) : (int32_t)value;
}

static ll_fault command_fault(const ll_doc *doc, uint32_t commands, uint32_t element)
{
    return ll_fault_at(0, ll_at_field(doc, commands, element, rgm_command_value));
}

void rgm_check_ragr_jump(ll_check_run *run)
{
    const unsigned jumps = 1U << OP_GO_BACK | 1U << OP_GO_ON | 1U << OP_LOOP;
    const ll_span *span = ll_doc_span(run->doc, run->span);
    const uint8_t *p = ll_doc_at(run->doc, span->offset);
    for (uint32_t i = 0; i < span->count; i++, p += rgm_command_SIZE) {
        if (!is_among(p[0] & 15U, jumps)) {
            continue;
        }
        command c = command_at(p);
        bool inside = c.payload < span->count;
        bool right_way = c.op == OP_LOOP || (c.op == OP_GO_BACK ? c.payload < i : c.payload > i);
        if (!inside || !right_way) {
            ll_fault fault = command_fault(run->doc, run->span, i);
            fault.arg[0] = ll_uint(c.payload);
            fault.arg[1] = ll_uint(i);
            fault.arg[2] = ll_uint(span->count);
            fault.arg[3] = ll_uint(c.op);
            ll_report_fault(run, &fault);
        }
    }
}

void rgm_check_ragr_payload(ll_check_run *run)
{
    enum { ALL = 0xFFFFF, RUMBLE_BITS = 0x1F, TRANSITION_UNUSED = 0x20 };
    static const uint32_t allowed[16] = {ALL, 0,   ALL, ALL,         ALL, 0,   ALL, ALL,
                                         ALL, ALL, ALL, RUMBLE_BITS, ALL, ALL, ALL, ALL & ~TRANSITION_UNUSED};
    const ll_span *span = ll_doc_span(run->doc, run->span);
    const uint8_t *p = ll_doc_at(run->doc, span->offset);
    for (uint32_t i = 0; i < span->count; i++, p += rgm_command_SIZE) {
        command c = command_at(p);
        if (c.payload & ~allowed[c.op]) {
            ll_fault fault = command_fault(run->doc, run->span, i);
            fault.arg[0] = ll_uint(c.payload);
            fault.arg[1] = ll_uint(allowed[c.op]);
            fault.arg[2] = ll_uint(c.op);
            ll_report_fault(run, &fault);
        }
    }
}

/* ------------------------------------------------------------------ lists of groups */

/* Groups of a list, one after the other. */
typedef struct group_walk {
    const ll_doc *doc;
    uint32_t list, next; /* next: span to look at */
    uint32_t group;      /* span */
    uint32_t commands;   /* span of their array, LL_NO_SPAN: none */
    bool ended;          /* the terminator was met */
} group_walk;

static group_walk walk_groups(const ll_doc *doc, uint32_t list)
{
    return (group_walk){.doc = doc, .list = list, .next = list + 1};
}

/* The commands of a group are the span behind it. */
static uint32_t commands_of(const ll_doc *doc, uint32_t group)
{
    uint32_t next = group + 1;
    bool found = next < doc->span_count && ll_doc_span(doc, next)->parent == group &&
                 ll_doc_span(doc, next)->layout == rgm_command_LAYOUT &&
                 !(ll_doc_span(doc, next)->flags & LL_SPAN_BROKEN);
    return found ? next : LL_NO_SPAN;
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
    return (uint32_t)ll_get_uint(w->doc, w->group, 0, rgm_group_group_index);
}

/* A group that neither ends nor goes anywhere runs past its last command. */
void rgm_check_ragr_no_end(ll_check_run *run)
{
    const unsigned ends = 1U << OP_END | 1U << OP_GO_BACK | 1U << OP_CHANGE_GROUP | 1U << OP_LOOP;
    uint32_t commands = commands_of(run->doc, run->span);
    if (commands == LL_NO_SPAN) {
        return;
    }
    const ll_span *span = ll_doc_span(run->doc, commands);
    const uint8_t *p = ll_doc_at(run->doc, span->offset);
    for (uint32_t i = 0; i < span->count; i++, p += rgm_command_SIZE) {
        if (is_among(p[0] & 15U, ends)) {
            return;
        }
    }
    ll_fault fault = command_fault(run->doc, commands, span->count - 1);
    fault.arg[0] = ll_uint(span->count);
    ll_report_fault(run, &fault);
}

/* The first of the commands that shows a frame which is none of `frames`; LL_NO_INDEX: there is none. */
static uint32_t find_beyond(const ll_doc *doc, uint32_t commands, uint32_t frames)
{
    const ll_span *span = ll_doc_span(doc, commands);
    const uint8_t *p = ll_doc_at(doc, span->offset);
    for (uint32_t i = 0; i < span->count; i++, p += rgm_command_SIZE) {
        if ((p[0] & 15U) == OP_SHOW_FRAME && ll_le24(p) >> PAYLOAD_SHIFT >= frames) {
            return i;
        }
    }
    return LL_NO_INDEX;
}

/* One finding for a list: where it is the frames that are too few, many commands refer to those that are missing. A
 * list serves the actor with the most frames of all that have it; actors without model files have none to refer to. */
void rgm_check_ragr_frame_ref(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_summary *summary = rgm_summary_of(doc);
    uint32_t actor = ll_doc_span(doc, run->span)->index;
    uint32_t frames = actor < summary->actor_count ? summary->actors[actor].list_frames : 0;
    for (group_walk w = walk_groups(doc, run->span); frames && next_group(&w);) {
        uint32_t beyond = w.commands == LL_NO_SPAN ? LL_NO_INDEX : find_beyond(doc, w.commands, frames);
        if (beyond != LL_NO_INDEX) {
            ll_fault fault = command_fault(doc, w.commands, beyond);
            fault.related = rgm_actor_at(doc, actor, rgm_actor_raan_count);
            fault.arg[0] = ll_uint(ll_get_uint(doc, w.commands, beyond, rgm_command_value) >> PAYLOAD_SHIFT);
            fault.arg[1] = ll_uint(frames);
            ll_report_fault(run, &fault);
            return;
        }
    }
}

/* ------------------------------------------------------------------ transitions */

/* The groups of a list that a command can name. */
typedef struct targets {
    uint32_t group[REACHABLE]; /* span, LL_NO_SPAN: there is none */
    bool whole; /* the list was read to its end, and no group has a number that another rule reports: what is missing
                   is missing */
} targets;

static void find_targets(const ll_doc *doc, uint32_t list, targets *out)
{
    uint32_t actor = ll_doc_span(doc, list)->index;
    uint32_t highest = (uint32_t)rgm_actor_get(doc, actor, rgm_actor_ragr_max_group) & 0xFF;
    bool sound = true;
    memset(out->group, 0xFF, sizeof out->group);
    group_walk w = walk_groups(doc, list);
    while (next_group(&w)) {
        uint32_t number = group_number(&w);
        bool fresh = number < REACHABLE && out->group[number] == LL_NO_SPAN;
        sound = sound && fresh && number <= GROUP_MAX && number <= highest;
        if (fresh) {
            out->group[number] = w.group;
        }
    }
    out->whole = sound && w.ended;
}

static void judge_transition(ll_check_run *run, uint32_t commands, uint32_t element, command c, const targets *all)
{
    const ll_doc *doc = run->doc;
    bool change = c.op == OP_CHANGE_GROUP;
    int32_t group = change ? signed_bits(c.payload, 0, 10) : signed_bits(c.payload, 13, 7);
    int32_t frame = change ? signed_bits(c.payload, 10, 10) : signed_bits(c.payload, 6, 7);
    uint32_t target = group >= 0 ? all->group[group] : LL_NO_SPAN;
    bool missing = target == LL_NO_SPAN;
    uint32_t array =
        missing ? LL_NO_SPAN : commands_of(doc, target); /* its frame_count may be what another rule reports */
    uint32_t count = array == LL_NO_SPAN ? 0 : ll_doc_span(doc, array)->count;
    if (missing ? group >= 0 && !all->whole : frame >= 0 && (uint32_t)frame < count) {
        return;
    }
    ll_fault fault = command_fault(doc, commands, element);
    if (!missing) {
        fault.related = ll_at_field(doc, target, 0, rgm_group_frame_count);
    }
    fault.arg[0] = ll_int(group);
    fault.arg[1] = ll_int(frame);
    fault.arg[2] = missing ? ll_word("no such group") : ll_uint(count);
    fault.arg[3] = ll_uint(c.op);
    ll_report_fault(run, &fault);
}

/* The groups are looked up only for a list that has a command which names one. */
void rgm_check_ragr_transition(ll_check_run *run)
{
    const unsigned names = 1U << OP_CHANGE_GROUP | 1U << OP_TRANSITION;
    const ll_doc *doc = run->doc;
    targets all;
    bool found = false;
    for (group_walk w = walk_groups(doc, run->span); next_group(&w);) {
        const ll_span *span = w.commands == LL_NO_SPAN ? NULL : ll_doc_span(doc, w.commands);
        const uint8_t *p = span ? ll_doc_at(doc, span->offset) : NULL;
        for (uint32_t i = 0; span && i < span->count; i++, p += rgm_command_SIZE) {
            if (!is_among(p[0] & 15U, names)) {
                continue;
            }
            if (!found) {
                find_targets(doc, run->span, &all);
                found = true;
            }
            judge_transition(run, w.commands, i, command_at(p), &all);
        }
    }
}

/* ------------------------------------------------------------------ actors and their groups */

static uint32_t highest_group(const ll_doc *doc, uint32_t list)
{
    uint32_t highest = 0;
    for (group_walk w = walk_groups(doc, list); next_group(&w);) {
        uint32_t number = group_number(&w);
        highest = number <= GROUP_MAX && number > highest ? number : highest;
    }
    return highest;
}

/* Lists are walked once, however many actors have them. Only the low byte of the field is read. */
void rgm_check_ragr_max_group(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_summary *summary = rgm_summary_of(doc);
    uint8_t *highest = ll_arena_zalloc(run->arena, summary->actor_count, 1); /* by the list's first actor */
    if (!highest) {
        run->status = LL_E_MEMORY;
        return;
    }
    for (uint32_t i = 0; i < summary->actor_count; i++) {
        uint32_t list = summary->actors[i].ragr_list;
        uint32_t first = list == LL_NO_SPAN ? LL_NO_INDEX : ll_doc_span(doc, list)->index;
        if (first > i) { /* none; a list is never that of a later actor */
            continue;
        }
        if (first == i) {
            highest[i] = (uint8_t)highest_group(doc, list);
        }
        uint64_t stated = rgm_actor_get(doc, i, rgm_actor_ragr_max_group);
        if ((stated & 0xFF) < highest[first]) {
            LL_REPORT(run, RGM_HINT_NONE, rgm_actor_at(doc, i, rgm_actor_ragr_max_group), ll_uint(stated),
                      ll_uint(highest[first]));
        }
    }
}
