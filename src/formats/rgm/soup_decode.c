/* Reads SOUP bytecode: turns the bytes of a block into tokens, from the first to the last. Open values are kept on a
 * stack of its own. At a byte that cannot be right, it tries the ways to read on and takes one that leads to a sound
 * statement; if there is none, the rest of the block is not read. No byte is trusted. */
#include "formats/rgm/soup.h"

/* Values that a trial reads at most: bounds the work on a block full of faults. */
enum { TRIAL_VALUES = 128 };

/* States of the reader: what it reads next. */
typedef enum step {
    STEP_VALUE,
    STEP_OPERANDS,
    STEP_BEHIND_OBJECT,
    STEP_BEHIND_STORAGE,
    STEP_CALL,
    STEP_OBJECT_PAD,
    STEP_COUNT_OF_NONE,
    STEP_CALL_CLOSED,
    STEP_FORMULA_CLOSED,
    STEP_OPERAND,
    STEP_IF_CLOSED,
    STEP_CONDITION,
    STEP_DONE,
    STEP_COMPLETE,
    STEP_STOPPED
} step;

static step run(soup_decoder *d, step next);

/* ------------------------------------------------------------------ names */

const soup_function soup_functions[SOUP_FUNCTIONS] = {
#define LL_SOUP_FUNCTION(number, name, parameters, kind, meaning)                                                      \
    [number] = {name, parameters, SOUP_KIND_##kind, SOUP_##meaning},
#include "formats/rgm/soup_tables.def"
};

const soup_token_name soup_token_names[SOUP_TOKENS] = {
#define LL_SOUP_TOKEN(name, ...) [SOUP_##name] = {__VA_ARGS__},
#include "formats/rgm/soup_grammar.def"
};

/* How an opcode may be used (soup_grammar.def). */
enum { KNOWN = 1, AS_VALUE = 2, VALUE_ONLY = 4, RARE = 8 };

static const struct {
    const char *name;
    uint8_t use;
} opcodes[SOUP_OPCODES] = {
#define LL_SOUP_OPCODE(number, name, text, use, listed) [number] = {text, use},
#include "formats/rgm/soup_grammar.def"
};

const char *soup_opcode_name(unsigned opcode)
{
    return opcode < SOUP_OPCODES && opcodes[opcode].name ? opcodes[opcode].name : "?";
}

/* ------------------------------------------------------------------ tokens */

static step stop(soup_decoder *d, soup_flaw flaw)
{
    d->stop = (uint8_t)flaw;
    return STEP_STOPPED;
}

static void hand_over(soup_decoder *d, soup_token_kind kind, unsigned length, uint32_t value, soup_flaw flaw)
{
    if (d->trial) {
        d->flawed = true;
        return;
    }
    soup_token token = {d->pos - length, value, (uint8_t)length, (uint8_t)kind, d->mode, (uint8_t)flaw};
    d->visit(d->ctx, d, &token);
}

/* Shows the last `length` bytes to the visitor as a token, if it wants it or the token has a flaw. */
static inline void emit(soup_decoder *d, soup_token_kind kind, unsigned length, uint32_t value, soup_flaw flaw)
{
    if (flaw || (d->wanted >> kind & 1)) {
        hand_over(d, kind, length, value, flaw);
    }
}

static step cut_off(soup_decoder *d, soup_token_kind kind, unsigned length)
{
    d->stop_kind = (uint8_t)kind;
    d->stop_bytes = (uint8_t)length;
    return stop(d, SOUP_FLAW_TRUNCATED);
}

/* Reads a number of 1 to 4 bytes. False: the block ends before it does, and reading stops. */
static inline bool take(soup_decoder *d, soup_token_kind kind, unsigned length, uint32_t *value)
{
    if (length > d->length - d->pos) {
        (void)cut_off(d, kind, length);
        return false;
    }
    const uint8_t *p = d->code + d->pos;
    d->pos += length;
    *value = length == 1 ? p[0] : length == 2 ? ll_le16(p) : length == 3 ? ll_le24(p) : ll_le32(p);
    return true;
}

/* ------------------------------------------------------------------ trials */

/* A copy of the reader for a trial: at the same place, but it shows nothing. */
static soup_decoder look_ahead(const soup_decoder *d)
{
    soup_decoder ahead = *d;
    ahead.trial = true;
    ahead.flawed = false;
    ahead.budget = TRIAL_VALUES;
    ahead.wanted = 0;
    return ahead;
}

/* Finds out how well the rest of the statement and the next one can be read. */
static soup_verdict try_reading(soup_decoder *d, step next)
{
    if (run(d, next) == STEP_STOPPED || (d->budget && d->pos < d->length && !soup_next(d) && d->stop)) {
        return SOUP_UNREADABLE;
    }
    return d->flawed ? SOUP_FLAWED : SOUP_READABLE;
}

/* What follows a flaw can be read. The result of the last trial in the same statement is used again while it covers
 * this place, so that a block full of flaws costs little more than another. If that trial ran out of budget, at least
 * half of it has to lie ahead. */
static bool goes_on_well(soup_decoder *d, step next)
{
    if (d->tried != d->statement || d->pos >= d->tried_until) {
        soup_decoder ahead = look_ahead(d);
        d->tried_well = try_reading(&ahead, next) != SOUP_UNREADABLE;
        d->tried = d->statement;
        d->tried_until = d->tried_well && ahead.budget == 0 ? ahead.tried_until : ahead.pos;
    }
    return d->tried_well;
}

/* Handles a flawed token that can be read in one way only. If the bytes after it cannot be read and the flaw is an
 * error, reading ends here. If the token is only unusual, it is not reported, because the bytes after it are. */
static step resolve(soup_decoder *d, soup_token_kind kind, unsigned length, uint32_t value, soup_flaw flaw, step next)
{
    if (d->trial) {
        emit(d, kind, length, value, flaw);
        return flaw <= SOUP_FLAW_FORM ? stop(d, flaw) : next;
    }
    bool readable = goes_on_well(d, next);
    if (!readable && flaw <= SOUP_FLAW_ERROR) {
        next = stop(d, flaw);
    }
    emit(d, kind, length, value, readable || flaw <= SOUP_FLAW_ERROR ? flaw : SOUP_SOUND);
    return next;
}

static inline step pass(soup_decoder *d, soup_token_kind kind, unsigned length, uint32_t value, soup_flaw flaw,
                        step next)
{
    if (flaw) {
        return resolve(d, kind, length, value, flaw, next);
    }
    emit(d, kind, length, value, SOUP_SOUND);
    return next;
}

/* Skips a token as if it had odd_length bytes. */
static step take_odd(soup_decoder *d, soup_token_kind kind, step next)
{
    if (d->odd_length > d->length - d->pos) {
        return cut_off(d, kind, d->odd_length);
    }
    d->pos += d->odd_length;
    return next;
}

/* Reads a token whose value has to be below a limit; else it has the flaw. */
static inline step take_below(soup_decoder *d, soup_token_kind kind, unsigned length, uint64_t limit, soup_flaw flaw,
                              step next)
{
    uint32_t value;
    if (!take(d, kind, length, &value)) {
        return STEP_STOPPED;
    }
    return pass(d, kind, length, value, value < limit ? SOUP_SOUND : flaw, next);
}

/* Reads a token that may have any value. */
static inline step take_plain(soup_decoder *d, soup_token_kind kind, unsigned length, step next)
{
    return take_below(d, kind, length, (uint64_t)UINT32_MAX + 1, SOUP_SOUND, next);
}

/* ------------------------------------------------------------------ two ways to read on */

static soup_verdict try_step(const soup_decoder *d, step next)
{
    soup_decoder ahead = look_ahead(d);
    return try_reading(&ahead, next);
}

/* A way to read on after a flawed token, and the flaw that it implies. */
typedef struct way {
    step next;
    soup_flaw flaw;
} way;

/* Takes the way that reads better; the first if both read equally well. Stops if neither can be read. */
static step choose(soup_decoder *d, soup_token_kind kind, unsigned length, uint32_t value, way first, way second)
{
    if (d->trial) {
        return stop(d, first.flaw);
    }
    soup_verdict by_first = try_step(d, first.next);
    soup_verdict by_second = try_step(d, second.next);
    way best = by_second > by_first ? second : first;
    bool readable = by_first != SOUP_UNREADABLE || by_second != SOUP_UNREADABLE;
    step next = readable ? best.next : stop(d, best.flaw);
    emit(d, kind, length, value, best.flaw);
    return next;
}

/* ------------------------------------------------------------------ calls */

static inline soup_frame *top(soup_decoder *d)
{
    return &d->frames[d->depth - 1];
}

static inline step push(soup_decoder *d, soup_frame_kind kind, soup_mode mode)
{
    d->frames[d->depth++] = (soup_frame){.kind = (uint8_t)kind};
    d->mode = (uint8_t)mode;
    return STEP_VALUE;
}

static inline step pop(soup_decoder *d)
{
    d->depth--;
    return STEP_DONE;
}

/* Reads the next parameter, or ends the call. */
static step read_parameters(soup_decoder *d)
{
    if (top(d)->index < top(d)->count) {
        return STEP_VALUE;
    }
    emit(d, SOUP_CLOSE, 0, 0, SOUP_SOUND);
    return pop(d);
}

/* Opens a call: its parameters are the next `count` values. */
static step open_call(soup_decoder *d, uint32_t function, uint32_t count)
{
    uint8_t opcode = d->opcode;
    if (count == 0) {
        emit(d, SOUP_CLOSE, 0, 0, SOUP_SOUND);
        return STEP_DONE;
    }
    (void)push(d, SOUP_IN_CALL, SOUP_PARAMETER);
    top(d)->function = (uint16_t)function;
    top(d)->count = (uint8_t)count;
    top(d)->opcode = opcode;
    return read_parameters(d);
}

/* Finds out how well a call of that function with that count reads, after `skipped` bytes. */
static soup_verdict try_call(const soup_decoder *d, uint32_t skipped, uint32_t function, uint32_t count)
{
    soup_decoder ahead = look_ahead(d);
    ahead.pos += skipped;
    return try_reading(&ahead, open_call(&ahead, function, count));
}

/* Handles a count that differs from what the function takes: the one that reads better is right. If both read equally
 * well, the smaller one is, as calls are statements more often than parameters. */
static step read_other_count(soup_decoder *d, uint32_t function, uint32_t count)
{
    if (d->trial) {
        return stop(d, SOUP_FLAW_COUNT);
    }
    uint32_t declared = soup_functions[function].parameters;
    soup_verdict stated = try_call(d, 0, function, count);
    soup_verdict known = try_call(d, 0, function, declared);
    bool wrong = known > stated || (known == stated && declared < count);
    bool readable = known != SOUP_UNREADABLE || stated != SOUP_UNREADABLE;
    if (!readable) {
        (void)stop(d, SOUP_FLAW_COUNT);
    }
    emit(d, SOUP_COUNT, 1, count, wrong || !readable ? SOUP_FLAW_COUNT : SOUP_FLAW_OTHER_COUNT);
    return readable ? open_call(d, function, wrong ? declared : count) : STEP_STOPPED;
}

static bool is_count_right(uint32_t function, uint32_t count)
{
    enum { SPARE_1_PARM_7 = 366, NAMED_PARAMETERS = 7 }; /* 8 are declared, contrary to its name */
    return function >= SOUP_FUNCTIONS || count == soup_functions[function].parameters ||
           (function == SPARE_1_PARM_7 && count == NAMED_PARAMETERS);
}

/* Handles an unknown function number: the number is wrong if the call can be read; else this is no code. */
static step read_unknown_function(soup_decoder *d, uint32_t function)
{
    bool more = !d->trial && d->pos < d->length;
    uint32_t count = more ? d->code[d->pos] : 0;
    bool readable = more && try_call(d, 1, function, count) != SOUP_UNREADABLE;
    step next = readable ? STEP_DONE : stop(d, SOUP_FLAW_FUNCTION);
    emit(d, SOUP_FUNCTION, 2, function, SOUP_FLAW_FUNCTION);
    return readable && take_plain(d, SOUP_COUNT, 1, next) == next ? open_call(d, function, count) : next;
}

static step read_call(soup_decoder *d)
{
    uint32_t function, count;
    if (!take(d, SOUP_FUNCTION, 2, &function)) {
        return STEP_STOPPED;
    }
    if (d->depth >= SOUP_DEPTH_MAX) {
        return stop(d, SOUP_FLAW_DEPTH);
    }
    if (function == 0) {
        /* it has no count, but one tool writes one and one reader takes it */
        return choose(d, SOUP_FUNCTION, 2, 0, (way){STEP_CALL_CLOSED, SOUP_FLAW_NULL},
                      (way){STEP_COUNT_OF_NONE, SOUP_FLAW_NULL_COUNTED});
    }
    if (function >= SOUP_FUNCTIONS) {
        return read_unknown_function(d, function);
    }
    if (d->pos > d->shown) {
        emit(d, SOUP_FUNCTION, 2, function, SOUP_SOUND);
    }
    if (!take(d, SOUP_COUNT, 1, &count)) {
        return STEP_STOPPED;
    }
    if (!is_count_right(function, count)) {
        return read_other_count(d, function, count);
    }
    emit(d, SOUP_COUNT, 1, count, SOUP_SOUND);
    return open_call(d, function, count);
}

/* ------------------------------------------------------------------ flags, variables, properties */

/* Reads what follows a flag, a variable or a property, which depends on the mode. */
static step read_behind_storage(soup_decoder *d)
{
    if (d->opcode == SOUP_OP_INCREMENT || d->opcode == SOUP_OP_DECREMENT) {
        return STEP_DONE;
    }
    bool property = d->opcode == SOUP_OP_PROPERTY;
    switch (d->mode) {
    case SOUP_MAIN:
        return push(d, SOUP_IN_FORMULA, SOUP_FORMULA);
    case SOUP_LEFT:
        return take_below(d, SOUP_SLOT, 1, 1, SOUP_FLAW_SLOT, STEP_DONE);
    case SOUP_RIGHT:
        return property ? STEP_DONE : take_below(d, SOUP_SLOT, 1, 1, SOUP_FLAW_SLOT, STEP_DONE);
    case SOUP_PARAMETER: /* a parameter has 5 bytes */
        return property ? STEP_DONE
                        : take_below(d, SOUP_PAD, d->opcode == SOUP_OP_FLAG ? 2 : 3, 1, SOUP_FLAW_PAD, STEP_DONE);
    default:
        return STEP_DONE;
    }
}

/* ------------------------------------------------------------------ objects */

static step read_behind_object(soup_decoder *d)
{
    if (d->opcode != SOUP_OP_OBJECT_TASK && d->opcode != SOUP_OP_OBJECT_FUNCTION) {
        return take_below(d, SOUP_REFERENCE, 2, UINT8_MAX + 1, SOUP_FLAW_REFERENCE, STEP_BEHIND_STORAGE);
    }
    return d->mode == SOUP_MAIN ? take_below(d, SOUP_CALL_KIND, 1, SOUP_OP_FUNCTION + 1, SOUP_FLAW_CALL_KIND, STEP_CALL)
                                : STEP_CALL;
}

static step read_object(soup_decoder *d)
{
    uint32_t kind;
    if (!take(d, SOUP_OBJECT, 1, &kind)) {
        return STEP_STOPPED;
    }
    if (kind <= SOUP_CAMERA) {
        emit(d, SOUP_OBJECT, 1, kind, SOUP_SOUND);
        return take_below(d, SOUP_OBJECT_PAD, 1, 1, SOUP_FLAW_PAD, STEP_BEHIND_OBJECT);
    }
    if (kind == SOUP_NAMED || kind == SOUP_HELD) {
        emit(d, SOUP_OBJECT, 1, kind, SOUP_SOUND);
        if (d->pos == d->odd_at) {
            return take_odd(d, SOUP_OBJECT_VARIABLE, STEP_BEHIND_OBJECT);
        }
        if (kind == SOUP_HELD && d->pos < d->length) {
            soup_hold(d, d->pos);
        }
        return kind == SOUP_NAMED
                   ? take_below(d, SOUP_OBJECT_STRING, 1, d->strings, SOUP_FLAW_STRING, STEP_BEHIND_OBJECT)
                   : take_below(d, SOUP_OBJECT_VARIABLE, 1, d->variables, SOUP_FLAW_VARIABLE, STEP_BEHIND_OBJECT);
    }
    return choose(d, SOUP_OBJECT, 1, kind, (way){STEP_OBJECT_PAD, SOUP_FLAW_OBJECT},
                  (way){STEP_BEHIND_OBJECT, SOUP_FLAW_OBJECT});
}

/* ------------------------------------------------------------------ values */

static step read_operands(soup_decoder *d)
{
    switch (d->opcode) {
    case SOUP_OP_TASK:
    case SOUP_OP_MULTITASK:
    case SOUP_OP_FUNCTION:
        return read_call(d);
    case SOUP_OP_IF:
        return push(d, SOUP_IN_LEFT, SOUP_LEFT);
    case SOUP_OP_GOTO:
    case SOUP_OP_END:
    case SOUP_OP_GOSUB:
    case SOUP_OP_TASK_PAUSE:
        return take_below(d, SOUP_TARGET, 4, d->length, SOUP_FLAW_RANGE, STEP_DONE);
    case SOUP_OP_FLAG:
        return take_below(d, SOUP_FLAG, 2, SOUP_FLAGS, SOUP_FLAW_FLAG, STEP_BEHIND_STORAGE);
    case SOUP_OP_VARIABLE:
        return take_below(d, SOUP_VARIABLE, 1, d->variables, SOUP_FLAW_VARIABLE, STEP_BEHIND_STORAGE);
    case SOUP_OP_NUMBER:
    case SOUP_OP_NUMBER_ALT:
        return d->pos == d->odd_at ? take_odd(d, SOUP_LITERAL, STEP_DONE) : take_plain(d, SOUP_LITERAL, 4, STEP_DONE);
    case SOUP_OP_STRING:
        return take_below(d, SOUP_STRING, 4, d->strings, SOUP_FLAW_STRING, STEP_DONE);
    case SOUP_OP_ANCHOR:
        return take_plain(d, SOUP_ANCHOR, 1, STEP_DONE);
    case SOUP_OP_SCRIPT_RV:
        return take_plain(d, SOUP_EXPECTED, 1, STEP_DONE);
    case SOUP_OP_INCREMENT:
    case SOUP_OP_DECREMENT:
    case SOUP_OP_PROPERTY:
    case SOUP_OP_OBJECT_TASK:
    case SOUP_OP_OBJECT_FUNCTION:
        return read_object(d);
    default: /* no operands */
        return STEP_DONE;
    }
}

static step read_value(soup_decoder *d)
{
    uint32_t opcode;
    if (d->trial && d->budget-- == 0) {
        d->budget = 0;
        return STEP_COMPLETE; /* seen enough */
    }
    if (d->trial && d->budget == TRIAL_VALUES / 2) {
        d->tried_until = d->pos;
    }
    if (!take(d, SOUP_OPCODE, 1, &opcode)) {
        return STEP_STOPPED;
    }
    d->value = d->pos - 1;
    d->opcode = (uint8_t)opcode;
    unsigned use = opcode < SOUP_OPCODES ? opcodes[opcode].use : 0;
    soup_flaw flaw = SOUP_SOUND;
    if (!use) {
        flaw = SOUP_FLAW_UNKNOWN;
    } else if (d->mode != SOUP_MAIN && !(use & AS_VALUE)) {
        flaw = SOUP_FLAW_MODE;
    } else if (d->value - d->start >= SOUP_STATEMENT_MAX) {
        flaw = SOUP_FLAW_LENGTH;
    } else if (d->mode == SOUP_MAIN && (use & (VALUE_ONLY | RARE))) {
        flaw = use & RARE ? SOUP_FLAW_RARE : SOUP_FLAW_VALUE;
    }
    if (flaw && flaw <= SOUP_FLAW_FORM) { /* nothing can be read after it */
        (void)stop(d, flaw);
        emit(d, SOUP_OPCODE, 1, opcode, flaw);
        return STEP_STOPPED;
    }
    return pass(d, SOUP_OPCODE, 1, opcode, flaw, STEP_OPERANDS);
}

/* ------------------------------------------------------------------ after a value */

static step read_operator(soup_decoder *d)
{
    uint32_t sign;
    if (!take(d, SOUP_OPERATOR, 1, &sign)) {
        return STEP_STOPPED;
    }
    if (sign < SOUP_OPERATORS) {
        emit(d, SOUP_OPERATOR, 1, sign, SOUP_SOUND);
        top(d)->index++;
        if (sign != SOUP_OPERATOR_END && sign <= SOUP_OPERATOR_LAST) {
            return STEP_VALUE;
        }
        (void)pop(d);
        return sign == SOUP_OPERATOR_END ? STEP_DONE : take_below(d, SOUP_OPERATOR_PAD, 1, 1, SOUP_FLAW_PAD, STEP_DONE);
    }
    return choose(d, SOUP_OPERATOR, 1, sign, (way){STEP_FORMULA_CLOSED, SOUP_FLAW_OPERATOR},
                  (way){STEP_OPERAND, SOUP_FLAW_OPERATOR});
}

static step read_comparison(soup_decoder *d)
{
    top(d)->kind = SOUP_IN_RIGHT;
    d->mode = SOUP_RIGHT;
    return take_below(d, SOUP_COMPARISON, 1, SOUP_COMPARISONS, SOUP_FLAW_COMPARISON, STEP_VALUE);
}

/* Ends the conditions of an If, or begins another one. */
static step behind_condition(soup_decoder *d, bool more)
{
    if (more) {
        top(d)->kind = SOUP_IN_LEFT;
        top(d)->index++;
        d->mode = SOUP_LEFT;
        return STEP_VALUE;
    }
    uint32_t end;
    (void)pop(d);
    if (!take(d, SOUP_IF_END, 4, &end)) {
        return STEP_STOPPED;
    }
    soup_flaw flaw = end > d->length ? SOUP_FLAW_RANGE : end < d->pos ? SOUP_FLAW_BEFORE : SOUP_SOUND;
    return pass(d, SOUP_IF_END, 4, end, flaw, STEP_DONE);
}

static step read_conjunction(soup_decoder *d)
{
    uint32_t conjunction;
    if (!take(d, SOUP_CONJUNCTION, 1, &conjunction)) {
        return STEP_STOPPED;
    }
    if (conjunction < SOUP_CONJUNCTIONS) {
        emit(d, SOUP_CONJUNCTION, 1, conjunction, SOUP_SOUND);
        return behind_condition(d, conjunction != 0);
    }
    return choose(d, SOUP_CONJUNCTION, 1, conjunction, (way){STEP_IF_CLOSED, SOUP_FLAW_CONJUNCTION},
                  (way){STEP_CONDITION, SOUP_FLAW_CONJUNCTION});
}

/* Goes on after a complete value with what it is a part of. */
static step read_behind_value(soup_decoder *d)
{
    if (d->depth == 0) {
        return STEP_COMPLETE;
    }
    soup_frame *frame = top(d);
    switch (frame->kind) {
    case SOUP_IN_CALL:
        d->mode = SOUP_PARAMETER;
        frame->index++;
        return read_parameters(d);
    case SOUP_IN_FORMULA:
        d->mode = SOUP_FORMULA;
        return read_operator(d);
    case SOUP_IN_LEFT:
        d->mode = SOUP_LEFT;
        return read_comparison(d);
    default:
        d->mode = SOUP_RIGHT;
        return read_conjunction(d);
    }
}

/* ------------------------------------------------------------------ statements */

static step run(soup_decoder *d, step next)
{
    for (;;) {
        switch (next) {
        case STEP_VALUE:
            next = read_value(d);
            break;
        case STEP_OPERANDS:
            next = read_operands(d);
            break;
        case STEP_BEHIND_STORAGE:
            next = read_behind_storage(d);
            break;
        case STEP_BEHIND_OBJECT:
            next = read_behind_object(d);
            break;
        case STEP_CALL:
            next = read_call(d);
            break;
        case STEP_OBJECT_PAD:
            next = take_plain(d, SOUP_OBJECT_PAD, 1, STEP_BEHIND_OBJECT);
            break;
        case STEP_COUNT_OF_NONE:
            next = take_below(d, SOUP_COUNT, 1, 1, SOUP_FLAW_COUNT, STEP_CALL_CLOSED);
            break;
        case STEP_CALL_CLOSED:
            next = open_call(d, 0, 0);
            break;
        case STEP_FORMULA_CLOSED:
            next = pop(d);
            break;
        case STEP_OPERAND:
            top(d)->index++;
            next = STEP_VALUE;
            break;
        case STEP_IF_CLOSED:
        case STEP_CONDITION:
            next = behind_condition(d, next == STEP_CONDITION);
            break;
        case STEP_DONE:
            next = read_behind_value(d);
            break;
        case STEP_COMPLETE:
        case STEP_STOPPED:
            return next;
        }
    }
}

void soup_open(soup_decoder *d, const ll_doc *doc, uint32_t span, uint32_t wanted, soup_visit_fn visit, void *ctx)
{
    const ll_span *block = ll_doc_span(doc, span);
    const rgm_actor_info *info = &rgm_summary_of(doc)->actors[block->index];
    ll_element actor;
    bool there = rgm_actor_record(doc, block->index, &actor);
    uint32_t strings =
        there && info->sound[RGM_RASB - RGM_RASB] ? (uint32_t)ll_get_uint(&actor, rgm_actor_num_strings) : UINT32_MAX;
    uint32_t variables =
        there && info->sound[RGM_RAVA - RGM_RASB] ? (uint32_t)ll_get_uint(&actor, rgm_actor_num_variables) : UINT32_MAX;
    uint32_t left = doc->size - block->offset;
    memset(d, 0, offsetof(soup_decoder, frames));
    d->code = ll_doc_at(doc, block->offset);
    d->length = block->length;
    d->strings = strings;
    d->variables = variables;
    d->wanted = wanted;
    d->readable = left > SOUP_SKIP_MARGIN ? left - SOUP_SKIP_MARGIN : 0;
    d->limits[SOUP_ANYTHING] = (uint64_t)UINT32_MAX + 1;
    d->limits[SOUP_BELOW_FLAGS] = SOUP_FLAGS;
    d->limits[SOUP_BELOW_VARIABLES] = variables <= UINT8_MAX ? variables : UINT8_MAX + 1;
    d->limits[SOUP_BELOW_STRINGS] = strings;
    d->limits[SOUP_BELOW_END] = block->length;
    d->object_limits[SOUP_ME] = d->object_limits[SOUP_PLAYER] = d->object_limits[SOUP_CAMERA] = 1;
    d->object_limits[SOUP_NAMED] = strings;
    d->object_limits[SOUP_HELD] = variables;
    d->held = d->odd_at = UINT32_MAX;
    d->visit = visit;
    d->ctx = ctx;
    soup_seek(d, 0, 0);
}

void soup_seek(soup_decoder *d, uint32_t offset, uint32_t number)
{
    d->pos = d->start = d->value = offset;
    d->tried_until = d->shown = 0;
    d->statement = number - 1; /* soup_next() adds 1 */
    d->depth = 0;
    d->mode = d->opcode = d->stop = d->stop_kind = d->stop_bytes = 0;
}

bool soup_next(soup_decoder *d)
{
    if (d->pos >= d->length || d->stop) {
        return false;
    }
    d->start = d->pos;
    d->statement++;
    d->depth = 0;
    d->mode = SOUP_MAIN;
    return run(d, STEP_VALUE) == STEP_COMPLETE;
}

soup_verdict soup_try(const soup_decoder *d, uint32_t offset, unsigned statements, uint32_t odd_at, uint32_t odd_length)
{
    soup_decoder ahead = look_ahead(d);
    soup_seek(&ahead, offset, 0);
    ahead.odd_at = odd_at;
    ahead.odd_length = odd_length;
    for (unsigned i = 0; i < statements && ahead.pos < ahead.length && ahead.budget; i++) {
        if (!soup_next(&ahead)) {
            return SOUP_UNREADABLE;
        }
    }
    return ahead.flawed ? SOUP_FLAWED : SOUP_READABLE;
}
