/* Verifies the bytecode of the actors. A block is decoded once, token by token. Its statements, found by bits that mark
 * their beginnings, are then checked: targets of jumps, Ifs, and what can be reached. Jumps need no table, as opcode
 * and target stand at the beginning of the statement. What follows an unreadable statement is not judged, nor are
 * blocks whose offset or length is in doubt. */
#include "formats/rgm/soup.h"

#include "formats/rgm/rgm.h"

enum {
    WORD_BITS = 64,
    LOOK_AHEAD = 8, /* statements that must be readable before a likely cause is named */
    KEY_LETTERS = 4,
    KEY_LETTERS_MAX = 12, /* most bytes of a dialogue key that was written with another length */
    HEAD = 5,             /* bytes of a statement that is an opcode and a target */
    STRETCH = 4096,       /* bytes of a stretch that is searched for a branch bit by bit */
    RETURN_SWEEPS = 16,   /* most sweeps over a block to find the statements that lead to a Return */
    GROUP_WORDS = RGM_GROUP_MAX / WORD_BITS + 1,
    RV_BODY = 4 /* readers show the statements of a ScriptRv as beginning within this many bytes */
};

typedef struct verifier {
    ll_doc *doc;
    /* scratch memory for the longest block */
    soup_notes notes;
    uint64_t *reached;   /* a bit for each byte at which a reached statement begins */
    uint32_t *ahead;     /* by stretch of the block: the first branch at or after its start, or the end */
    uint32_t *stack;     /* offsets to go on from, or offsets of the ends of Ifs */
    uint64_t hooks_left; /* bytes of RAHK that may still be looked at */
    /* the block that is being verified */
    uint32_t actor, span, base, length;
    ll_element head; /* record of the actor */
    const uint8_t *code;
    uint32_t end;          /* offset: what precedes it was read */
    bool starts_uncertain; /* bytes that cannot be code were reported, so starts of statements are uncertain */
    bool flow_uncertain;   /* a statement leads to a wrong place, or is wrong itself, so what is reached is uncertain */
    uint32_t last;         /* offset of the last statement that was read */
    uint32_t key;          /* offset of the last dialogue key; UINT32_MAX: none */
    uint32_t key_start;    /* offset of its statement */
    uint32_t key_tried;    /* offset of the last statement that was tried because of an odd key; UINT32_MAX: none */
    bool key_readable;     /* that statement and the next one can be read */
    uint32_t before;       /* offset of the statement before the current one */
} verifier;

/* ------------------------------------------------------------------ places */

static ll_where place(const verifier *v, uint32_t offset, uint32_t length)
{
    return ll_at_bytes(v->span, v->base + offset, length);
}

static ll_where header(const verifier *v, unsigned field)
{
    return rgm_actor_at(v->doc, v->actor, field);
}

static uint64_t start_pc(const verifier *v)
{
    return ll_get_uint(&v->head, rgm_actor_script_pc);
}

static bool has_bit(const uint64_t *bits, uint32_t at)
{
    return bits[at / WORD_BITS] >> at % WORD_BITS & 1;
}

static void set_bit(uint64_t *bits, uint32_t at)
{
    bits[at / WORD_BITS] |= (uint64_t)1 << at % WORD_BITS;
}

/* Sets the bits of [from, to) that are set in the source. */
static void copy_bits(uint64_t *bits, const uint64_t *source, uint32_t from, uint32_t to)
{
    for (uint32_t at = from; at < to; at = (at / WORD_BITS + 1) * WORD_BITS) {
        uint32_t left = to - at / WORD_BITS * WORD_BITS; /* bits from the start of this word up to `to` */
        uint64_t wanted =
            ~(uint64_t)0 << at % WORD_BITS & (left < WORD_BITS ? ((uint64_t)1 << left) - 1 : ~(uint64_t)0);
        bits[at / WORD_BITS] |= source[at / WORD_BITS] & wanted;
    }
}

/* The first bit that is set at or after `at`; `end`: there is none before it. */
static uint32_t next_bit(const uint64_t *bits, uint32_t at, uint32_t end)
{
    if (at >= end) {
        return end;
    }
    uint32_t word = at / WORD_BITS;
    uint64_t rest = bits[word] >> at % WORD_BITS << at % WORD_BITS;
    uint32_t last = (end - 1) / WORD_BITS;
    while (rest == 0 && word < last) {
        rest = bits[++word];
    }
    uint32_t found = rest ? word * WORD_BITS + (uint32_t)__builtin_ctzll(rest) : end;
    return found < end ? found : end;
}

/* The last bit that is set at or in front of `at`; 0: there is none. */
static uint32_t bit_before(const uint64_t *bits, uint32_t at)
{
    uint32_t word = at / WORD_BITS;
    uint64_t rest = bits[word] << (WORD_BITS - 1 - at % WORD_BITS) >> (WORD_BITS - 1 - at % WORD_BITS);
    while (rest == 0 && word > 0) {
        rest = bits[--word];
    }
    return rest ? word * WORD_BITS + (WORD_BITS - 1 - (uint32_t)__builtin_clzll(rest)) : 0;
}

static uint32_t next_statement(const verifier *v, uint32_t at)
{
    return next_bit(v->notes.starts, at + 1, v->end);
}

static uint32_t end_of_stretch(const verifier *v, uint32_t stretch)
{
    return v->end - stretch * STRETCH > STRETCH ? (stretch + 1) * STRETCH : v->end;
}

/* The first branch at or after `at`, or the end. */
static uint32_t next_branch(const verifier *v, uint32_t at)
{
    uint32_t behind = end_of_stretch(v, at / STRETCH);
    uint32_t branch = next_bit(v->notes.branches, at, behind);
    return branch < behind || behind == v->end ? branch : v->ahead[at / STRETCH + 1];
}

/* Fills in `ahead`, so that a jump into a long run of statements costs no more than another. */
static void look_for_turns(verifier *v)
{
    for (uint32_t stretch = v->end / STRETCH + 1; stretch-- > 0;) {
        v->ahead[stretch] = next_branch(v, stretch * STRETCH);
    }
}

/* ------------------------------------------------------------------ likely causes */

/* The hint that explains an unreadable place: a fault of a known tool with which what follows can be read. */
static unsigned cause_of(const verifier *v, const soup_decoder *d, unsigned flaw)
{
    if (v->doc->fault_count >= LL_FAULTS_MAX) {
        return RGM_HINT_NONE; /* no more faults are kept */
    }
    if (v->key != UINT32_MAX && v->key_start >= v->before) {
        for (uint32_t letters = 1; letters <= KEY_LETTERS_MAX; letters++) {
            if (letters != KEY_LETTERS && soup_try(d, v->key_start, LOOK_AHEAD, v->key, letters) == SOUP_READABLE) {
                return RGM_HINT_KEY_LENGTH;
            }
        }
    }
    bool held = d->held != UINT32_MAX && d->held_start >= v->before;
    if (held && soup_try(d, d->held_start, LOOK_AHEAD, d->held, 0) == SOUP_READABLE) {
        return RGM_HINT_OBJECT_INDEX;
    }
    bool at_start = (d->stop || flaw == SOUP_FLAW_FUNCTION) && d->start + 1 < d->length;
    bool dropped = at_start && soup_try(d, d->start + 1, LOOK_AHEAD, UINT32_MAX, 0) == SOUP_READABLE;
    return dropped ? RGM_HINT_ANCHOR_DROPPED : RGM_HINT_NONE;
}

/* ------------------------------------------------------------------ flaws of form */

/* How each flaw is reported. */
static const struct {
    const char *word; /* replaces the value; NULL: the value is shown */
    uint32_t bound;   /* bound of the value, or 0 */
    uint16_t fault;   /* 0: report_stop() reports it */
} flaws[SOUP_FLAWS] = {
#define LL_SOUP_FLAW(name, fault, word, bound) [SOUP_FLAW_##name] = {word, bound, fault},
#include "formats/rgm/soup_grammar.def"
};

/* Completes the fault of a call whose count, or whose function, is wrong. */
static void describe_count(const verifier *v, const soup_token *token, ll_fault *fault)
{
    const soup_function *function = &soup_functions[ll_le16(v->code + token->offset - 2)];
    bool wrong = token->flaw == SOUP_FLAW_COUNT;
    fault->related = place(v, token->offset - 2, 2);
    if (!wrong) {
        ll_where function_at = fault->related;
        fault->related = fault->at;
        fault->at = function_at;
    }
    if (!fault->hint) {
        fault->hint = wrong ? RGM_HINT_COUNT_BYTE : RGM_HINT_OTHER_FUNCTION;
    }
    fault->arg[1] = ll_uint(function->parameters);
    fault->arg[2] = ll_word(function->name);
    fault->arg[3] = ll_uint(wrong ? function->parameters : token->value);
}

/* Completes the fault of a flaw: other arguments, a related place. */
static void describe_flaw(const verifier *v, const soup_decoder *d, const soup_token *token, ll_fault *fault)
{
    static const char *const modes[] = {"a statement", "the left side of a comparison",
                                        "the right side of a comparison", "a parameter", "a formula"};
    ll_arg *arg = fault->arg;
    switch (token->flaw) {
    case SOUP_FLAW_UNKNOWN:
        arg[1] = ll_uint(v->length - token->offset);
        break;
    case SOUP_FLAW_MODE:
        arg[1] = ll_word(modes[token->mode]);
        break;
    case SOUP_FLAW_LENGTH:
        fault->hint = RGM_HINT_NONE;
        break;
    case SOUP_FLAW_NULL_COUNTED:
        fault->hint = RGM_HINT_NULL_COUNT;
        fault->related = place(v, token->offset + 2, 1);
        break;
    case SOUP_FLAW_COUNT:
    case SOUP_FLAW_OTHER_COUNT:
        describe_count(v, token, fault);
        break;
    case SOUP_FLAW_RANGE:
        fault->related = header(v, rgm_actor_script_length);
        arg[1] = ll_uint(v->length);
        arg[2] = ll_word(soup_opcode_name(token->kind == SOUP_IF_END ? SOUP_OP_IF : d->opcode));
        break;
    case SOUP_FLAW_BEFORE:
        arg[1] = ll_uint(token->offset + token->length);
        arg[2] = ll_uint(v->length);
        arg[3] = ll_word("lies before its body");
        break;
    case SOUP_FLAW_STRING:
        fault->related = header(v, rgm_actor_num_strings);
        arg[1] = ll_uint(d->strings);
        break;
    case SOUP_FLAW_VARIABLE:
        fault->related = header(v, rgm_actor_num_variables);
        arg[1] = ll_uint(d->variables);
        break;
    case SOUP_FLAW_PAD:
        arg[1] = ll_uint(token->length);
        break;
    case SOUP_FLAW_REFERENCE:
        fault->at = place(v, token->offset + 1, 1);
        arg[0] = ll_uint(token->value >> 8);
        arg[1] = ll_uint(token->value & UINT8_MAX);
        break;
    default: /* the value is enough */
        break;
    }
}

/* Offers a patch: 0 for padding and for the slot of an operator, and the right count for a function. */
static void offer_bytes(const verifier *v, const soup_token *token, ll_fault *fault)
{
    static const uint8_t zeros[4] = {0};
    uint32_t at = v->base + token->offset;
    if ((fault->code == RGM_FAULT_PARAM_PAD || fault->code == RGM_FAULT_OPERATOR_SLOT) && token->length <= 4) {
        ll_patch_guess(v->doc, fault, at, zeros, token->length);
    } else if (fault->code == RGM_FAULT_FUNC_PARAMS && token->length == 1 && fault->arg[1].kind == LL_ARG_UINT) {
        fault->patch_value[0] = (uint8_t)fault->arg[1].v.u;
        ll_patch_guess(v->doc, fault, at, NULL, 1);
    }
}

static void judge_flaw(verifier *v, const soup_decoder *d, const soup_token *token)
{
    unsigned hint = token->flaw <= SOUP_FLAW_ERROR ? cause_of(v, d, token->flaw) : RGM_HINT_NONE;
    v->starts_uncertain = v->starts_uncertain || token->flaw < SOUP_FLAW_RANGE;
    v->flow_uncertain = v->flow_uncertain || token->flaw <= SOUP_FLAW_FORM || token->flaw == SOUP_FLAW_VALUE;
    if (flaws[token->flaw].fault) {
        bool named = token->kind == SOUP_OPCODE && token->flaw != SOUP_FLAW_UNKNOWN && token->flaw != SOUP_FLAW_LENGTH;
        const char *word = named ? soup_opcode_name(token->value) : flaws[token->flaw].word;
        uint32_t bound = flaws[token->flaw].bound;
        ll_fault fault =
            LL_MAKE_FAULT(flaws[token->flaw].fault, hint, place(v, token->offset, token->length), ll_nowhere(),
                          word ? ll_word(word) : ll_uint(token->value), bound ? ll_uint(bound) : (ll_arg){0});
        describe_flaw(v, d, token, &fault);
        offer_bytes(v, token, &fault);
        ll_raise(v->doc, &fault);
    }
}

/* ------------------------------------------------------------------ calls and literals */

/* Reports a task called as a function, or a function called as a task. Both may be called as a multitask. */
static void judge_kind(verifier *v, const soup_decoder *d, const soup_token *token)
{
    enum { QUICK_RND = 103, ACTIVATE = 127 }; /* the kinds of these two come from an older list */
    const soup_function *function = &soup_functions[token->value];
    bool told = function->kind == SOUP_KIND_FUNCTION || function->kind == SOUP_KIND_TASK;
    if (!told || token->value == QUICK_RND || token->value == ACTIVATE) {
        return;
    }
    bool is_function = function->kind == SOUP_KIND_FUNCTION;
    bool on_object = d->opcode == SOUP_OP_OBJECT_TASK || d->opcode == SOUP_OP_OBJECT_FUNCTION;
    bool as_function = d->opcode == (on_object ? SOUP_OP_OBJECT_FUNCTION : SOUP_OP_FUNCTION);
    uint32_t at = d->value;
    if (on_object && as_function == is_function && d->mode == SOUP_MAIN) {
        at = token->offset - 1;
        as_function = v->code[at] == SOUP_OP_FUNCTION;
    }
    bool any = v->code[at] == SOUP_OP_MULTITASK || (at != d->value && v->code[at] > SOUP_OP_FUNCTION);
    if (any || as_function == is_function) {
        return;
    }
    LL_RAISE(v->doc, RGM_FAULT_FUNC_KIND, RGM_HINT_NONE, place(v, at, 1), ll_word(function->name),
             ll_word(is_function ? "function" : "task"), ll_word(as_function ? "function" : "task"));
}

/* The animation groups of an actor, a bit for each; NULL: they are not known. */
static const uint64_t *groups_of(verifier *v)
{
    ll_doc *doc = v->doc;
    const rgm_summary *summary = rgm_summary_of(doc);
    uint32_t list = summary->actors[v->actor].ragr_list;
    if (list == LL_NO_SPAN || !summary->section[RGM_RAGR].sound || (ll_doc_span(doc, list)->flags & LL_SPAN_BROKEN)) {
        return NULL;
    }
    rgm_actor_info *first = &summary->actors[ll_doc_span(doc, list)->index];
    if (first->groups) {
        return first->groups;
    }
    first->groups = ll_doc_zalloc(doc, GROUP_WORDS, sizeof *first->groups);
    ll_element record;
    for (uint32_t span = list + 1; first->groups && span < doc->span_count; span++) {
        uint16_t layout = ll_doc_span(doc, span)->layout;
        if (layout == rgm_group_LAYOUT && ll_element_at(doc, span, 0, &record)) {
            uint64_t group = ll_get_uint(&record, rgm_group_group_index);
            if (group <= RGM_GROUP_MAX) {
                set_bit(first->groups, (uint32_t)group);
            }
        } else if (layout != rgm_command_LAYOUT) {
            break;
        }
    }
    return first->groups;
}

static void judge_animation(verifier *v, const soup_decoder *d, uint32_t group, ll_where at, ll_arg function)
{
    bool self = d->opcode <= SOUP_OP_FUNCTION;
    const uint64_t *groups = self && group <= RGM_GROUP_MAX ? groups_of(v) : NULL;
    if (group > RGM_GROUP_MAX || (groups && !has_bit(groups, group))) {
        LL_RAISE(v->doc, RGM_FAULT_ANIM_LITERAL, RGM_HINT_NONE, at, ll_int((int32_t)group), function,
                 ll_word(groups ? "no group of the actor" : "no group at all"));
    }
}

/* The world is one of WORLD.INI. */
static bool is_world(uint32_t world)
{
    return world <= 8 || (world >= 11 && world <= 15) || (world >= 17 && world <= 30) || world == 99;
}

/* The current statement and the next one can be read. Tried once for all keys in it. */
static bool is_key_readable(verifier *v, const soup_decoder *d)
{
    if (v->key_tried != d->start) {
        v->key_tried = d->start;
        v->key_readable = soup_try(d, d->start, 2, UINT32_MAX, 0) != SOUP_UNREADABLE;
    }
    return v->key_readable;
}

/* Number of places in RALC that the actor has; UINT32_MAX: unknown, as for another object. */
static uint32_t places_of(const verifier *v, const soup_decoder *d)
{
    const rgm_section *places = &rgm_summary_of(v->doc)->section[RGM_RALC];
    uint64_t count = ll_get_uint(&v->head, rgm_actor_ralc_count);
    uint64_t offset = count ? ll_get_uint(&v->head, rgm_actor_ralc_offset) : 0;
    bool known =
        d->opcode <= SOUP_OP_FUNCTION && places->sound && ll_fits(offset, count * rgm_location_SIZE, places->length);
    return known ? (uint32_t)count : UINT32_MAX;
}

/* Limits of numbers with a meaning, and the faults about others. */
static const struct {
    uint32_t limit;
    uint16_t fault;
} literals[SOUP_MEANINGS] = {
#define LL_SOUP_MEANING(name, fault, limit) [SOUP_##name] = {limit, fault},
#include "formats/rgm/soup_grammar.def"
};

/* Judges the first parameter of a call if it is a number. It stands after the count. */
static void judge_literal(verifier *v, const soup_decoder *d, const soup_token *token, soup_meaning meaning)
{
    uint32_t offset = token->offset + 4;
    unsigned opcode = offset < v->length ? v->code[offset - 1] : 0;
    if ((opcode != SOUP_OP_NUMBER && opcode != SOUP_OP_NUMBER_ALT) || !ll_fits(offset, 4, v->length)) {
        return;
    }
    uint32_t value = ll_le32(v->code + offset);
    ll_where at = place(v, offset, 4);
    ll_arg function = ll_word(soup_functions[token->value].name);
    ll_arg about = function;
    uint32_t places = 0;
    unsigned code = value >= literals[meaning].limit ? literals[meaning].fault : 0;
    if (meaning == SOUP_DIALOGUE) {
        v->key = offset;
        v->key_start = d->start;
        if (!ll_is_printable(v->code + offset) && is_key_readable(v, d)) { /* else a later fault reports it */
            LL_RAISE(v->doc, RGM_FAULT_DIALOGUE_KEY, RGM_HINT_NONE, at, ll_chars(at.offset, KEY_LETTERS), function);
        }
    } else if (meaning == SOUP_ANIMATION) {
        judge_animation(v, d, value, at, function);
    } else if (meaning == SOUP_FLAG_NUMBER) {
        about = ll_uint(SOUP_FLAGS);
    } else if (meaning == SOUP_ATTRIBUTE) {
        code = value >= SOUP_ATTRIBUTE_BYTES ? RGM_FAULT_ATTR_ID : code;
    } else if (meaning == SOUP_WORLD) {
        code = is_world(value) ? 0 : code;
        about = (ll_arg){0};
    } else if (meaning == SOUP_PLACE) {
        places = places_of(v, d);
        code = value > places ? code : 0;
    }
    if (code) {
        LL_RAISE(v->doc, code, RGM_HINT_NONE, at, ll_int((int32_t)value), about, ll_uint(places));
    }
}

/* ------------------------------------------------------------------ tokens */

static void judge_call(verifier *v, const soup_decoder *d, const soup_token *token)
{
    const soup_function *function = &soup_functions[token->value];
    if (token->offset + 2 < v->length && v->code[token->offset + 2] == function->parameters) { /* the count is right */
        judge_kind(v, d, token);
        if (function->meaning) {
            judge_literal(v, d, token, (soup_meaning)function->meaning);
        }
    }
}

static void judge_token(void *ctx, const soup_decoder *d, const soup_token *token)
{
    verifier *v = ctx;
    if (token->flaw) {
        judge_flaw(v, d, token);
    } else if (token->kind == SOUP_FUNCTION) {
        judge_call(v, d, token);
    }
}

/* ------------------------------------------------------------------ jumps and Ifs */

static bool is_jump(unsigned opcode)
{
    return opcode == SOUP_OP_GOTO || opcode == SOUP_OP_END || opcode == SOUP_OP_GOSUB || opcode == SOUP_OP_TASK_PAUSE;
}

/* The target is the operand of a jump to 0. The mod manager writes that for a label which is not defined: the first use
 * stands for its place. */
static bool is_undefined_label(const verifier *v, uint32_t target)
{
    uint32_t at = target - 1;
    return target > 0 && has_bit(v->notes.starts, at) && is_jump(v->code[at]) && ll_fits(target, 4, v->end) &&
           ll_le32(v->code + target) == 0;
}

/* Reports a target in the block that does not begin a statement, and returns false. After what was read, any offset
 * may begin one. */
static bool judge_target(verifier *v, uint32_t at, uint32_t target, const char *name)
{
    if (target >= v->end || has_bit(v->notes.starts, target)) {
        return true;
    }
    uint32_t start = bit_before(v->notes.starts, target);
    uint32_t next = next_statement(v, start);
    ll_fault fault =
        LL_MAKE_FAULT(RGM_FAULT_JUMP_BOUNDARY, is_undefined_label(v, target) ? RGM_HINT_LABEL_UNDEFINED : RGM_HINT_NONE,
                      place(v, at, 4), place(v, start, next - start), ll_uint(target), ll_uint(start), ll_word(name));
    ll_put_uint(fault.patch_value, 4, false, start);
    ll_patch_guess(v->doc, &fault, v->base + at, NULL, 4);
    ll_raise(v->doc, &fault);
    v->flow_uncertain = true;
    return false;
}

static void judge_jump(verifier *v, uint32_t start, unsigned opcode)
{
    uint32_t target = ll_le32(v->code + start + 1);
    if (target) {
        (void)judge_target(v, start + 1, target, soup_opcode_name(opcode));
    } else if (opcode != SOUP_OP_END) {
        LL_RAISE(v->doc, RGM_FAULT_GOTO_ZERO, RGM_HINT_LABEL_UNDEFINED, place(v, start + 1, 4),
                 ll_word(soup_opcode_name(opcode)));
    }
}

/* Judges the end of an If. The stack holds the offsets at which the ends of enclosing Ifs are stated. */
static void judge_if(verifier *v, uint32_t body, uint32_t *depth)
{
    uint32_t at = body - 4;
    uint32_t end = ll_le32(v->code + at);
    uint32_t limit = *depth ? ll_le32(v->code + v->stack[*depth - 1]) : v->length;
    if (end > limit && end <= v->length) {
        LL_RAISE_RELATED(v->doc, RGM_FAULT_IF_END, RGM_HINT_NONE, place(v, at, 4), place(v, v->stack[*depth - 1], 4),
                         ll_uint(end), ll_uint(body), ll_uint(limit),
                         ll_word("lies after the end of the If around it"));
        v->flow_uncertain = true;
    } else if (end > body && end <= v->length && judge_target(v, at, end, soup_opcode_name(SOUP_OP_IF))) {
        v->stack[(*depth)++] = at;
    }
}

static void judge_jumps(verifier *v)
{
    uint32_t depth = 0;
    for (uint32_t at = next_bit(v->notes.branches, 0, v->end); at < v->end && v->doc->status == LL_OK;
         at = next_bit(v->notes.branches, at + 1, v->end)) {
        while (depth && ll_le32(v->code + v->stack[depth - 1]) <= at) {
            depth--;
        }
        unsigned opcode = v->code[at];
        if (is_jump(opcode)) {
            judge_jump(v, at, opcode);
        } else if (opcode == SOUP_OP_IF) {
            judge_if(v, next_statement(v, at), &depth);
        }
    }
}

/* ------------------------------------------------------------------ reachable statements */

typedef struct ways {
    uint32_t to; /* v->end: nowhere */
    bool on;     /* also to the next statement */
} ways;

static uint32_t start_or_end(const verifier *v, uint32_t target)
{
    return target < v->end && has_bit(v->notes.starts, target) ? target : v->end;
}

/* Target of the jump at `at`; v->end: none. */
static uint32_t target_of(const verifier *v, uint32_t at)
{
    return start_or_end(v, ll_le32(v->code + at + 1));
}

/* Where the statement at `at` leads. calls: a Gosub leads to what it calls. */
static ways ways_from(const verifier *v, uint32_t at, uint32_t next, bool calls)
{
    ways w = {v->end, true};
    unsigned opcode = v->code[at];
    switch (opcode) {
    case SOUP_OP_IF:
        w.to = start_or_end(v, ll_le32(v->code + next - 4));
        break;
    case SOUP_OP_GOTO:
    case SOUP_OP_END:
    case SOUP_OP_TASK_PAUSE:
        w.to = target_of(v, at);
        w.on = opcode == SOUP_OP_TASK_PAUSE;
        break;
    case SOUP_OP_GOSUB:
        w.to = calls ? target_of(v, at) : v->end;
        break;
    case SOUP_OP_RETURN:
    case SOUP_OP_ENDINT:
        w.on = false;
        break;
    case SOUP_OP_SCRIPT_RV:
        w.to = next_bit(v->notes.starts, next + RV_BODY < v->end ? next + RV_BODY : v->end, v->end);
        break;
    default:
        break;
    }
    return w;
}

static uint32_t reach(verifier *v, uint32_t at, uint32_t depth)
{
    if (at < v->end && !has_bit(v->reached, at)) {
        set_bit(v->reached, at);
        v->stack[depth++] = at;
    }
    return depth;
}

/* Marks the statements from `at`, which is marked, up to the first branch, and returns that; v->end: a statement was
 * marked before, or the end is reached. */
static uint32_t run_on(const verifier *v, uint32_t at)
{
    uint32_t branch = next_branch(v, at);
    uint32_t behind = branch < v->end ? branch + 1 : v->end;
    uint32_t known = next_bit(v->reached, at + 1, behind);
    copy_bits(v->reached, v->notes.starts, at, known);
    return known < behind ? v->end : branch;
}

/* Marks what is reached from the offsets on the stack. Without calls, each Return that is reached is reported. */
static void spread(verifier *v, uint32_t depth, bool calls)
{
    while (depth) {
        uint32_t at = run_on(v, v->stack[--depth]);
        while (at < v->end) {
            uint32_t next = next_statement(v, at);
            ways w = ways_from(v, at, next, calls);
            depth = reach(v, w.to, depth);
            if (!calls && v->code[at] == SOUP_OP_RETURN) {
                LL_RAISE(v->doc, RGM_FAULT_RETURN_GOSUB, RGM_HINT_NONE, place(v, at, 1), ll_uint(start_pc(v)));
                v->flow_uncertain = true;
            }
            at = v->end;
            if (w.on && next < v->end && !has_bit(v->reached, next)) {
                set_bit(v->reached, next);
                at = run_on(v, next);
            }
        }
    }
}

static size_t bit_words(uint32_t bytes)
{
    return (size_t)bytes / WORD_BITS + 1;
}

static void clear_bits(const verifier *v, uint64_t *bits)
{
    memset(bits, 0, bit_words(v->length) * sizeof *bits);
}

/* Marks what is reached from the statements that hooks lead into: what a hook counts is uncertain. False: the hooks are
 * not known. Overlapping slices are looked at until as many bytes as the section has were read. */
static bool reach_hooks(verifier *v)
{
    const rgm_section *hooks = &rgm_summary_of(v->doc)->section[RGM_RAHK];
    uint64_t offset = ll_get_uint(&v->head, rgm_actor_rahk_offset);
    uint64_t length = ll_get_uint(&v->head, rgm_actor_rahk_length);
    if (length == 0) {
        return true;
    }
    bool sound = hooks->sound && length <= v->hooks_left && ll_fits(offset, length, hooks->length);
    v->hooks_left -= sound ? length : 0;
    for (uint64_t i = 0; sound && i + rgm_hook_SIZE <= length; i += rgm_hook_SIZE) {
        uint32_t target = rgm_half(v->doc, hooks->start + (uint32_t)(offset + i));
        if (target < v->end) {
            spread(v, reach(v, bit_before(v->notes.starts, target), 0), true);
        }
    }
    return sound;
}

/* Reports runs of statements that nothing leads to. `reached` holds the unreached statements afterwards. */
static void report_unreached(const verifier *v)
{
    for (size_t i = 0; i < bit_words(v->length); i++) {
        v->reached[i] = v->notes.starts[i] & ~v->reached[i];
    }
    for (uint32_t from = next_bit(v->reached, 0, v->end); from < v->end;) {
        uint32_t count = 0;
        uint32_t at = from;
        for (; at < v->end && has_bit(v->reached, at); count++) {
            at = next_statement(v, at);
        }
        LL_RAISE(v->doc, RGM_FAULT_SCRIPT_UNREACHABLE, RGM_HINT_NONE, place(v, from, at - from), ll_uint(count),
                 ll_uint(at - from));
        from = next_bit(v->reached, at, v->end);
    }
}

/* Reports a reached last statement that goes on after the end. The end of an If around it does not count, though the
 * If may skip it. */
static void judge_end(const verifier *v)
{
    if (ways_from(v, v->last, v->end, true).on && has_bit(v->reached, v->last)) {
        LL_RAISE(v->doc, RGM_FAULT_FALL_OFF_END, RGM_HINT_NONE, place(v, v->last, 1),
                 ll_word(soup_opcode_name(v->code[v->last])));
    }
}

/* Marks what is reached from the first statements of the threads. */
static void reach_threads(verifier *v, bool calls)
{
    uint64_t pc = start_pc(v);
    clear_bits(v, v->reached);
    spread(v, reach(v, 0, 0), calls);
    if (pc < v->end) {
        spread(v, reach(v, bit_before(v->notes.starts, (uint32_t)pc), 0), calls);
    }
}

/* ------------------------------------------------------------------ Gosub and Return */

/* A Return is known to be reached from the statement at `at`: from the next branch. */
static bool is_returning(const verifier *v, uint32_t at)
{
    uint32_t branch = next_branch(v, at);
    return branch < v->end && has_bit(v->reached, branch);
}

/* Marks the branches from which a Return is reached, from the last to the first. Branches that lead back may need
 * another sweep. False: that took too many sweeps. */
static bool find_returning(verifier *v)
{
    bool open = true;
    clear_bits(v, v->reached);
    for (unsigned sweep = 0; open && sweep < RETURN_SWEEPS; sweep++) {
        bool changed = false;
        bool back = false;
        for (uint32_t at = bit_before(v->notes.branches, v->last); has_bit(v->notes.branches, at);
             at = bit_before(v->notes.branches, at - 1)) {
            uint32_t next = next_statement(v, at);
            ways w = ways_from(v, at, next, false);
            if (!has_bit(v->reached, at) &&
                (v->code[at] == SOUP_OP_RETURN || (w.on && is_returning(v, next)) || is_returning(v, w.to))) {
                set_bit(v->reached, at);
                changed = true;
            } else {
                back = back || (w.to <= at && !has_bit(v->reached, at));
            }
            if (at == 0) {
                break;
            }
        }
        open = changed && back;
    }
    return !open;
}

/* Follows the way from `at` that skips the bodies of Ifs and never leads back, and marks it. True: it reaches a Return,
 * or a marked statement, from which one is reached. */
static bool comes_to_return(const verifier *v, uint32_t at)
{
    for (at = next_branch(v, at); at < v->end && !has_bit(v->reached, at);) {
        unsigned opcode = v->code[at];
        uint32_t next = next_statement(v, at);
        ways w = ways_from(v, at, next, false);
        bool aside = !w.on || (opcode == SOUP_OP_IF && w.to < v->end);
        if (opcode != SOUP_OP_RETURN && aside && w.to <= at) {
            return false;
        }
        set_bit(v->reached, at);
        if (opcode == SOUP_OP_RETURN) {
            return true;
        }
        at = next_branch(v, aside ? w.to : next);
    }
    return at < v->end;
}

/* Each Gosub reaches a Return without a detour, as nearly all do. False: not known. */
static bool return_plainly(const verifier *v)
{
    clear_bits(v, v->reached);
    for (uint32_t at = next_bit(v->notes.calls, 0, v->end); at < v->end;
         at = next_bit(v->notes.calls, at + 1, v->end)) {
        uint32_t target = target_of(v, at);
        if (target < v->end && !comes_to_return(v, target)) {
            return false;
        }
    }
    return true;
}

static void judge_gosubs(verifier *v)
{
    if (return_plainly(v) || !find_returning(v)) {
        return;
    }
    for (uint32_t at = next_bit(v->notes.calls, 0, v->end); at < v->end;
         at = next_bit(v->notes.calls, at + 1, v->end)) {
        uint32_t target = target_of(v, at);
        if (target < v->end && !is_returning(v, target)) {
            uint32_t branch = next_branch(v, target);
            if (branch < v->end) {
                set_bit(v->reached, branch); /* report it once */
            }
            v->flow_uncertain = true;
            LL_RAISE(v->doc, RGM_FAULT_GOSUB_RETURN, RGM_HINT_NONE, place(v, at + 1, 4), ll_uint(target));
        }
    }
}

/* Reports each Return that is reached from the first statement of a thread, then marks what Gosubs lead to. */
static void judge_returns(verifier *v)
{
    reach_threads(v, false);
    for (uint32_t at = next_bit(v->notes.calls, 0, v->end); at < v->end;
         at = next_bit(v->notes.calls, at + 1, v->end)) {
        if (has_bit(v->reached, at)) {
            spread(v, reach(v, target_of(v, at), 0), true);
        }
    }
}

/* ------------------------------------------------------------------ blocks */

/* Reports a thread that begins outside of the block or inside a statement. */
static void judge_pc(verifier *v)
{
    uint64_t pc = start_pc(v);
    bool inside = pc < v->length;
    uint32_t right = v->length;
    if (inside) {
        right = pc < v->end && !v->starts_uncertain ? bit_before(v->notes.starts, (uint32_t)pc) : (uint32_t)pc;
    }
    if (!inside || right != pc) {
        ll_where statement = place(v, right, next_statement(v, right) - right);
        LL_RAISE_RELATED(v->doc, RGM_FAULT_SCRIPT_PC, RGM_HINT_PC_STALE, header(v, rgm_actor_script_pc),
                         inside ? statement : header(v, rgm_actor_script_length), ll_uint(pc), ll_uint(v->length),
                         ll_uint(right), ll_word(inside ? "lies inside a statement" : "lies after the block"));
        v->flow_uncertain = true;
    }
}

/* Reports why the decoder stopped, if its last token did not. */
static void report_stop(const verifier *v, const soup_decoder *d)
{
    if (d->stop == SOUP_FLAW_TRUNCATED) {
        LL_RAISE_RELATED(v->doc, RGM_FAULT_OP_TRUNCATED, cause_of(v, d, SOUP_FLAW_TRUNCATED),
                         place(v, d->start, v->length - d->start), header(v, rgm_actor_script_length),
                         ll_word(soup_token_names[d->stop_kind].path), ll_uint(d->stop_bytes),
                         ll_uint(v->length - d->pos), ll_uint(v->length));
    } else if (d->stop == SOUP_FLAW_DEPTH) {
        LL_RAISE(v->doc, RGM_FAULT_OP_LIMIT, RGM_HINT_NONE, place(v, d->value, 1), ll_word("calls in one another"),
                 ll_uint(SOUP_DEPTH_MAX));
    }
}

/* Reads the block: sets the notes and the end of what was read. */
static void read_block(verifier *v)
{
    bool more = true;
    soup_decoder d;
    soup_open(&d, v->doc, v->span, 1U << SOUP_FUNCTION, judge_token, v);
    while (more && v->doc->status == LL_OK) {
        soup_skip(&d, UINT32_MAX, &v->notes);
        v->last = v->before = d.start;
        more = soup_next(&d);
        if (more) {
            soup_note(&d, &v->notes);
            v->last = v->before = d.start;
        }
    }
    v->end = d.stop ? d.start : v->length;
    look_for_turns(v);
    report_stop(v, &d);
    ll_mark_span(v->doc, v->span, v->end < v->length ? LL_SPAN_BROKEN : 0);
}

static void verify_block(verifier *v)
{
    rgm_actor_info *info = &rgm_summary_of(v->doc)->actors[v->actor];
    const ll_span *block = ll_doc_span(v->doc, info->block);
    v->span = info->block;
    v->base = block->offset;
    v->length = block->length;
    v->code = ll_doc_at(v->doc, v->base);
    v->starts_uncertain = v->flow_uncertain = false;
    v->notes.opcodes = 0;
    v->last = v->before = 0;
    v->key = v->key_tried = UINT32_MAX;
    clear_bits(v, v->notes.starts);
    clear_bits(v, v->notes.branches);
    clear_bits(v, v->notes.calls);
    read_block(v);
    judge_pc(v);
    if (!v->starts_uncertain) {
        judge_jumps(v);
    }
    if (v->starts_uncertain || v->flow_uncertain || v->end < v->length) {
        return;
    }
    if (v->notes.opcodes >> SOUP_OP_GOSUB & 1) {
        judge_gosubs(v);
    }
    if (v->notes.opcodes >> SOUP_OP_RETURN & 1 && !v->flow_uncertain) {
        judge_returns(v);
    } else {
        reach_threads(v, true);
    }
    bool hooks_known = reach_hooks(v);
    judge_end(v);
    if (hooks_known && !v->flow_uncertain) {
        report_unreached(v);
    }
}

/* Allocates scratch memory for the longest block. False: there is no block, or no memory. An offset on the stack is the
 * target of a statement, which has at least 2 bytes, or an entry. */
static bool open_scratch(verifier *v)
{
    const rgm_summary *summary = rgm_summary_of(v->doc);
    uint32_t longest = 0;
    for (uint32_t i = 0; i < summary->actor_count; i++) {
        uint32_t span = summary->actors[i].sound[RGM_RASC - RGM_RASB] ? summary->actors[i].block : LL_NO_SPAN;
        uint32_t length = span == LL_NO_SPAN ? 0 : ll_doc_span(v->doc, span)->length;
        longest = length > longest ? length : longest;
    }
    if (longest == 0) {
        return false;
    }
    v->notes.starts = ll_doc_alloc(v->doc, bit_words(longest), sizeof *v->notes.starts);
    v->notes.branches = ll_doc_alloc(v->doc, bit_words(longest), sizeof *v->notes.branches);
    v->notes.calls = ll_doc_alloc(v->doc, bit_words(longest), sizeof *v->notes.calls);
    v->reached = ll_doc_alloc(v->doc, bit_words(longest), sizeof *v->reached);
    v->stack = ll_doc_alloc(v->doc, (size_t)longest / 2 + 2, sizeof *v->stack);
    v->ahead = ll_doc_alloc(v->doc, (size_t)longest / STRETCH + 1, sizeof *v->ahead);
    return v->doc->status == LL_OK;
}

/* The last block's slice is wrong: no later offset says which length is, so bytes may have moved in any block. The
 * search for causes finds out where from the faults of all blocks. */
static bool is_moved(const ll_doc *doc)
{
    const rgm_summary *summary = rgm_summary_of(doc);
    uint32_t i = summary->actor_count;
    while (i > 0 && summary->actors[i - 1].block == LL_NO_SPAN) {
        i--;
    }
    return !doc->copy && i > 0 && !summary->actors[i - 1].sound[RGM_RASC - RGM_RASB];
}

void rgm_judge_scripts(ll_doc *doc)
{
    const rgm_summary *summary = rgm_summary_of(doc);
    if (!summary) {
        return;
    }
    const bool moved = is_moved(doc);
    verifier v = {.doc = doc, .hooks_left = summary->section[RGM_RAHK].length};
    bool blocks = summary->actors && open_scratch(&v);
    for (v.actor = 0; rgm_actor_record(doc, v.actor, &v.head) && doc->status == LL_OK; v.actor++) {
        const rgm_actor_info *info = &summary->actors[v.actor];
        if (moved || !info->sound[RGM_RASC - RGM_RASB]) {
            ll_mark_span(doc, info->block, LL_SPAN_BROKEN | LL_SPAN_EXPLAINED); /* reported at its offset or length */
            continue;
        }
        if (blocks && info->block != LL_NO_SPAN) {
            verify_block(&v);
        } else if (ll_get_uint(&v.head, rgm_actor_script_length) == 0 && start_pc(&v)) {
            v.length = v.end = 0; /* the actor's thread has nowhere to begin */
            judge_pc(&v);
        }
    }
}
