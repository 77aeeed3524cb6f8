/* Skips sound statements of SOUP bytecode faster than soup_decode.c reads them, with hardly any unpredictable branch.
 * Anything unusual is left to soup_decode.c, which reads the statement from its beginning. It may look at bytes after
 * the block, but never beyond the file: a statement that needs those is not skipped. */
#include "formats/rgm/soup.h"

/* What the values of a statement are a part of, besides calls. */
typedef enum whole { STATEMENT, FORMULA, LEFT_SIDE, RIGHT_SIDE } whole;

enum { SOUP_BEHIND = SOUP_FORMULA + 1 }; /* used as the mode: the statement ends here */

typedef struct skipper {
    soup_decoder *d;
    const uint8_t *at; /* next byte */
    unsigned depth;    /* number of open calls */
    unsigned mode;     /* soup_mode of the next value */
    whole in;
    uint8_t left[SOUP_DEPTH_MAX]; /* parameters still missing of each open call */
} skipper;

/* Values and statements that consist of an opcode, one operand and zeros: their size in bytes, which bits of the four
 * bytes after the opcode they have, and the limit of the operand. The zeros are read as high bytes of the operand, so
 * they have to be 0 for it to be within the limit. */
#define LL_SOUP_PLAIN(bytes, bound)                                                                                    \
    {                                                                                                                  \
        UINT32_MAX >> (bytes == 1 ? 0 : 8 * (5 - bytes)), bytes, SOUP_##bound                                          \
    }
#define LL_SOUP_PLAIN_VALUES(flag, variable)                                                                           \
    {                                                                                                                  \
        [SOUP_OP_FLAG] = LL_SOUP_PLAIN(flag, BELOW_FLAGS),                                                             \
        [SOUP_OP_VARIABLE] = LL_SOUP_PLAIN(variable, BELOW_VARIABLES), [SOUP_OP_NUMBER] = LL_SOUP_PLAIN(5, ANYTHING),  \
        [SOUP_OP_NUMBER_ALT] = LL_SOUP_PLAIN(5, ANYTHING), [SOUP_OP_STRING] = LL_SOUP_PLAIN(5, BELOW_STRINGS)          \
    }
static const struct {
    uint32_t bits;
    uint8_t size, limit;
} plain[SOUP_FORMULA + 1][SOUP_OPCODES] = {
    [SOUP_MAIN] = {[SOUP_OP_GOTO] = LL_SOUP_PLAIN(5, BELOW_END),
                   [SOUP_OP_END] = LL_SOUP_PLAIN(5, BELOW_END),
                   [SOUP_OP_GOSUB] = LL_SOUP_PLAIN(5, BELOW_END),
                   [SOUP_OP_TASK_PAUSE] = LL_SOUP_PLAIN(5, BELOW_END),
                   [SOUP_OP_SCRIPT_RV] = LL_SOUP_PLAIN(2, ANYTHING),
                   [SOUP_OP_RETURN] = LL_SOUP_PLAIN(1, ANYTHING),
                   [SOUP_OP_ENDINT] = LL_SOUP_PLAIN(1, ANYTHING)},
    [SOUP_LEFT] = LL_SOUP_PLAIN_VALUES(4, 3),
    [SOUP_RIGHT] = LL_SOUP_PLAIN_VALUES(4, 3),
    [SOUP_PARAMETER] = LL_SOUP_PLAIN_VALUES(5, 5),
    [SOUP_FORMULA] = LL_SOUP_PLAIN_VALUES(3, 2),
};
#undef LL_SOUP_PLAIN
#undef LL_SOUP_PLAIN_VALUES

/* Skips a value of one operand. False: it is none, or not sound. */
static inline bool skip_plain(skipper *s, unsigned mode)
{
    unsigned opcode = s->at[0];
    if (opcode >= SOUP_OPCODES ||
        (ll_le32(s->at + 1) & plain[mode][opcode].bits) >= s->d->limits[plain[mode][opcode].limit]) {
        return false;
    }
    s->at += plain[mode][opcode].size;
    return true;
}

/* Skips an object. False: it is not sound. */
static inline bool skip_object(skipper *s)
{
    soup_decoder *d = s->d;
    unsigned kind = s->at[0];
    unsigned limit = kind <= SOUP_HELD ? d->object_limits[kind] : 0;
    bool held = kind == SOUP_HELD;
    bool sound = s->at[1] < limit;
    d->held = held ? (uint32_t)(s->at + 1 - d->code) : d->held;
    d->held_start = held ? d->start : d->held_start;
    s->at += 2;
    return sound;
}

/* Skips a property of an object, after its opcode. */
static inline bool skip_property(skipper *s)
{
    bool sound = skip_object(s);
    sound = sound && s->at[1] == 0;
    s->at += 2;
    return sound;
}

/* Ways to call functions of each kind without a finding: a bit for each opcode of calls. */
static const uint8_t ways_to_call[] = {
    [SOUP_KIND_UNMARKED] = 7, [SOUP_KIND_FUNCTION] = 6, [SOUP_KIND_TASK] = 3, [SOUP_KIND_MULTITASK] = 7};

/* First parameters below this are not reported. */
static const uint32_t quiet_below[SOUP_MEANINGS] = {
#define LL_SOUP_MEANING(name, fault, limit) [SOUP_##name] = (limit),
#include "formats/rgm/soup_grammar.def"
};

static void show_call(soup_decoder *d, uint32_t value, unsigned mode, uint32_t end)
{
    if (d->wanted) {
        d->pos = end;
        d->value = value;
        d->opcode = d->code[value];
        d->mode = (uint8_t)mode;
        soup_token token = {end - 2, ll_le16(d->code + end - 2), 2, SOUP_FUNCTION, d->mode, SOUP_SOUND};
        d->visit(d->ctx, d, &token);
        d->shown = end;
    }
}

/* Skips the beginning of a call, up to its first parameter. Shows it to the visitor if it may have to be reported. */
static inline bool skip_call(skipper *s)
{
    soup_decoder *d = s->d;
    const uint8_t *value = s->at++;
    unsigned opcode = value[0];
    unsigned ways = 1U << opcode % 8;
    if (opcode > SOUP_OP_FUNCTION) {
        if ((opcode != SOUP_OP_OBJECT_TASK && opcode != SOUP_OP_OBJECT_FUNCTION) || !skip_object(s)) {
            return false;
        }
        ways = opcode == SOUP_OP_OBJECT_TASK ? 1U << SOUP_OP_TASK : 1U << SOUP_OP_FUNCTION;
        if (s->mode == SOUP_MAIN) {
            unsigned how = *s->at++;
            if (how > SOUP_OP_FUNCTION) {
                return false;
            }
            ways |= 1U << how;
        }
    }
    const uint8_t *call = s->at; /* function, count, and perhaps a number */
    unsigned number = ll_le16(call);
    s->at += 3;
    if (number == 0 || number >= SOUP_FUNCTIONS || call[2] != soup_functions[number].parameters ||
        s->depth + (s->in != STATEMENT) >= SOUP_DEPTH_MAX || s->at > d->code + d->length) {
        return false;
    }
    const soup_function *function = &soup_functions[number];
    bool is_number = call[3] == SOUP_OP_NUMBER || call[3] == SOUP_OP_NUMBER_ALT;
    if ((ways & ~(unsigned)ways_to_call[function->kind]) |
        (is_number & (ll_le32(call + 4) >= quiet_below[function->meaning]))) {
        show_call(d, (uint32_t)(value - d->code), s->mode, (uint32_t)(call + 2 - d->code));
    }
    s->left[s->depth] = call[2];
    s->depth += call[2] != 0;
    return true;
}

/* Skips what follows a complete value, up to the next value or the end of the statement. */
static inline bool skip_behind(skipper *s)
{
    const soup_decoder *d = s->d;
    for (; s->depth; s->depth--) {
        unsigned left = s->left[s->depth - 1];
        while (left && skip_plain(s, SOUP_PARAMETER)) {
            left--;
        }
        if (left) {
            s->left[s->depth - 1] = (uint8_t)(left - 1);
            s->mode = SOUP_PARAMETER;
            return true;
        }
        if (s->at >= d->code + d->readable) {
            return false;
        }
    }
    unsigned sign = *s->at;
    switch (s->in) {
    case FORMULA:
        s->at++;
        s->mode = sign == SOUP_OPERATOR_END || sign > SOUP_OPERATOR_LAST ? SOUP_BEHIND : SOUP_FORMULA;
        return sign <= SOUP_OPERATOR_LAST || (sign < SOUP_OPERATORS && *s->at++ == 0);
    case LEFT_SIDE:
        s->at++;
        s->in = RIGHT_SIDE;
        s->mode = SOUP_RIGHT;
        return sign < SOUP_COMPARISONS;
    case RIGHT_SIDE:
        s->at++;
        s->in = LEFT_SIDE;
        s->mode = SOUP_LEFT;
        if (sign == 0) {
            uint32_t end = ll_le32(s->at);
            s->at += 4;
            s->mode = SOUP_BEHIND;
            return end >= (uint64_t)(s->at - d->code) && end <= d->length;
        }
        return sign < SOUP_CONJUNCTIONS;
    case STATEMENT:
        break;
    }
    s->mode = SOUP_BEHIND;
    return true;
}

/* Skips what precedes the first value of a statement. */
static inline bool skip_head(skipper *s)
{
    switch (*s->at) {
    case SOUP_OP_IF:
        s->at++;
        s->in = LEFT_SIDE;
        s->mode = SOUP_LEFT;
        return true;
    case SOUP_OP_FLAG:
    case SOUP_OP_VARIABLE:
        s->in = FORMULA;
        s->mode = SOUP_FORMULA;
        return skip_plain(s, SOUP_FORMULA);
    case SOUP_OP_PROPERTY:
        s->at++;
        s->in = FORMULA;
        s->mode = SOUP_FORMULA;
        return skip_property(s);
    default:
        return true;
    }
}

/* Skips one statement. False: soup_decode.c has to read it. */
static inline bool skip_statement(skipper *s)
{
    soup_decoder *d = s->d;
    const uint8_t *stop = d->code + d->readable;
    s->depth = 0;
    s->mode = SOUP_MAIN;
    s->in = STATEMENT;
    bool sound = skip_head(s);
    while (sound && s->mode != SOUP_BEHIND && s->at < stop) {
        if (!skip_plain(s, s->mode)) {
            if (*s->at == SOUP_OP_PROPERTY && s->mode != SOUP_MAIN) {
                s->at++;
                sound = skip_property(s) && (s->mode != SOUP_LEFT || *s->at++ == 0);
            } else {
                sound = skip_call(s);
            }
        }
        sound = sound && skip_behind(s);
    }
    size_t end = (size_t)(s->at - d->code);
    return sound && s->mode == SOUP_BEHIND && end <= d->length && end - d->start <= SOUP_STATEMENT_MAX;
}

void soup_skip(soup_decoder *d, uint32_t until, soup_notes *notes)
{
    uint32_t last = d->start;
    skipper s;
    s.d = d;
    until = until < d->length ? until : d->length;
    until = until < d->readable ? until : d->readable;
    while (d->pos < until) {
        d->start = d->pos;
        s.at = d->code + d->start;
        if (!skip_statement(&s)) {
            d->pos = d->start;
            d->start = last;
            break;
        }
        d->pos = (uint32_t)(s.at - d->code);
        d->statement++;
        soup_note(d, notes);
        last = d->start;
    }
}
