#include "script.h"

#include <stdlib.h>
#include <string.h>

enum opcode {
    TASK = 0x00,
    MULTITASK = 0x01,
    FUNCTION = 0x02,
    IF = 0x03,
    GOTO = 0x04,
    END = 0x05,
    FLAG = 0x06,
    NUMBER = 0x07,
    VARIABLE = 0x0A,
    INCREMENT = 0x0F,
    DECREMENT = 0x10,
    GOSUB = 0x11,
    RETURN = 0x12,
    ENDINT = 0x13,
    PROPERTY = 0x14,
    STRING = 0x15,
    NUMBER_ALT = 0x16,
    ANCHOR = 0x17,
    OBJECT_TASK = 0x19,
    OBJECT_FUNCTION = 0x1A,
    TASK_PAUSE = 0x1B,
    SCRIPT_RV = 0x1E
};

enum { CAMERA = 2, NAMED = 4, HELD = 10 }; /* kinds of objects */

enum mode { LEFT, RIGHT, PARAMETER, FORMULA };

enum {
    FLAGS = 369,
    ATTRIBUTES = 127,
    SPARE_1_PARM_7 = 366, /* may have 7 or 8 parameters */
    PARAMETERS_MOST = 8,
    OPERATOR_LAST = 9, /* after it only ++ and --, which end a formula */
    PLUS_PLUS = 10,
    DEPTH_MOST = 60,   /* of nested calls */
    VALUES_MOST = 130, /* about, in one statement */
    IFS_MOST = 12,
    SUBROUTINES_MOST = 6,
    CONDITIONS_MOST = 4,
    UNKNOWN = -1
};

enum kind { KIND_UNMARKED, KIND_FUNCTION, KIND_TASK, KIND_MULTITASK };

/* Meaning of the first parameter, if it is a number. */
enum meaning { PLAIN, DIALOGUE, FLAG_NUMBER, ATTRIBUTE, ANIMATION, WORLD, ITEM, PLACE, AXIS };

static const struct {
    uint8_t parameters, kind, meaning;
} functions[] = {
#define LL_SOUP_FUNCTION(number, name, parameters, kind, meaning) {parameters, KIND_##kind, meaning},
#include "formats/rgm/soup_tables.def"
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* A target that becomes known when its routine is complete. */
typedef struct fixup {
    uint32_t at;
    int subroutine; /* UNKNOWN: any statement of the routine */
} fixup;

typedef struct maker {
    made_script *script;
    made_random *random;
    fixup *fixups;
    size_t fixup_count, fixup_capacity;
    unsigned fuel;                /* values left for the statement */
    bool chain;                   /* calls of the statement are nested as deep as possible */
    unsigned subroutines, called; /* bits of subroutines that a Gosub names */
    bool is_main;
} maker;

uint32_t made_pick(made_random *random, uint32_t limit)
{
    uint64_t x = random->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    return (uint32_t)(((x * 2685821657736338717U) >> 32) * limit >> 32);
}

static uint32_t pick(maker *m, uint32_t limit)
{
    return made_pick(m->random, limit);
}

static bool chance(maker *m, uint32_t percent)
{
    return pick(m, 100) < percent;
}

static void *more_room(void *items, size_t count, size_t *capacity, size_t size)
{
    if (count == *capacity) {
        *capacity = *capacity * 2 + 64;
        items = realloc(items, *capacity * size);
        if (!items) {
            die("memory");
        }
    }
    return items;
}

/* ------------------------------------------------------------------ bytes */

static uint32_t here(const maker *m)
{
    return (uint32_t)m->script->code.size;
}

static void unmarked(maker *m, unsigned bytes, uint32_t value)
{
    put(&m->script->code, grow(&m->script->code, bytes), bytes, value);
}

static void write(maker *m, script_mark_kind kind, unsigned bytes, uint32_t value)
{
    made_script *s = m->script;
    s->marks = more_room(s->marks, s->mark_count, &s->mark_capacity, sizeof *s->marks);
    s->marks[s->mark_count++] = (script_mark){here(m), (uint8_t)bytes, (uint8_t)kind};
    unmarked(m, bytes, value);
}

static void opcode(maker *m, enum opcode code)
{
    write(m, MARK_OPCODE, 1, code);
}

static void statement(maker *m, enum opcode code)
{
    made_script *s = m->script;
    s->starts = more_room(s->starts, s->start_count, &s->start_capacity, sizeof *s->starts);
    s->starts[s->start_count++] = here(m);
    m->fuel = VALUES_MOST;
    m->chain = chance(m, 2);
    opcode(m, code);
}

static void target(maker *m, int subroutine)
{
    m->fixups = more_room(m->fixups, m->fixup_count, &m->fixup_capacity, sizeof *m->fixups);
    m->fixups[m->fixup_count++] = (fixup){here(m), subroutine};
    write(m, MARK_TARGET, 4, 0);
}

/* ------------------------------------------------------------------ values */

static void value(maker *m, enum mode mode, unsigned depth);

static void literal(maker *m, uint32_t number)
{
    opcode(m, chance(m, 80) ? NUMBER : NUMBER_ALT);
    unmarked(m, 4, number);
}

static uint32_t any_number(maker *m)
{
    return chance(m, 70) ? pick(m, 300) : pick(m, UINT32_MAX);
}

/* Writes an object; returns its kind. */
static unsigned object(maker *m)
{
    uint32_t kind = pick(m, 5);
    if (kind == 3 && m->script->strings) {
        write(m, MARK_OBJECT, 1, NAMED);
        write(m, MARK_STRING, 1, pick(m, m->script->strings));
        return NAMED;
    }
    if (kind == 4 && m->script->variables) {
        write(m, MARK_OBJECT, 1, HELD);
        write(m, MARK_VARIABLE, 1, pick(m, m->script->variables));
        return HELD;
    }
    kind %= CAMERA + 1;
    write(m, MARK_OBJECT, 1, kind);
    write(m, MARK_ZERO, 1, 0);
    return kind;
}

/* May it be called as a task, a multitask, a function (`how`)? */
static bool may_be(uint32_t function, uint32_t how)
{
    enum { QUICK_RND = 103, ACTIVATE = 127 }; /* sources disagree about these */
    uint8_t kind = functions[function].kind;
    return how == MULTITASK || kind == KIND_UNMARKED || kind == KIND_MULTITASK ||
           kind == (how == TASK ? KIND_TASK : KIND_FUNCTION) || function == QUICK_RND || function == ACTIVATE;
}

/* Value of a first parameter; `own`: for a call of the actor itself. */
static uint32_t number_of(maker *m, enum meaning meaning, bool own)
{
    static const uint8_t groups[SCRIPT_GROUP_COUNT] = SCRIPT_GROUPS;
    static const uint8_t worlds[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 12, 13, 14, 15, 17,
                                     18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 99};
    enum { LETTERS = 0x7F - 0x20, GROUPS = 178, ITEMS = 87 };
    uint32_t letters = 0;
    switch (meaning) {
    case DIALOGUE:
        for (int i = 0; i < 4; i++) {
            letters = letters << 8 | (0x20 + pick(m, LETTERS));
        }
        return letters;
    case FLAG_NUMBER:
        return pick(m, FLAGS);
    case ATTRIBUTE:
        return pick(m, ATTRIBUTES);
    case ANIMATION:
        return own ? groups[pick(m, SCRIPT_GROUP_COUNT)] : pick(m, GROUPS);
    case WORLD:
        return worlds[pick(m, sizeof worlds)];
    case ITEM:
        return pick(m, ITEMS);
    case PLACE:
        return 0; /* the object itself: actors have no places */
    case AXIS:
        return pick(m, 3);
    case PLAIN:
        break;
    }
    return any_number(m);
}

/* A function with `parameters` parameters, or with another number of them if there is none; how: TASK, MULTITASK,
 * FUNCTION. */
static uint32_t find_function(maker *m, uint32_t parameters, uint32_t how)
{
    uint32_t start = pick(m, FUNCTIONS);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        uint32_t number = (start + i) % FUNCTIONS;
        if (number && functions[number].parameters == parameters && may_be(number, how)) {
            return number;
        }
    }
    return find_function(m, 3, how);
}

static void call(maker *m, uint32_t how, bool own, unsigned depth)
{
    bool deep = m->chain && depth < DEPTH_MOST;
    uint32_t wanted = deep ? 1 : pick(m, m->fuel > PARAMETERS_MOST ? PARAMETERS_MOST + 1 : 1);
    uint32_t number = find_function(m, wanted, how);
    uint32_t count = functions[number].parameters;
    count -= number == SPARE_1_PARM_7 && chance(m, 50);
    write(m, MARK_FUNCTION, 2, number);
    write(m, MARK_COUNT, 1, count);
    m->fuel -= count < m->fuel ? count : m->fuel;
    for (uint32_t i = 0; i < count; i++) {
        enum meaning meaning = i == 0 && number < FUNCTIONS ? (enum meaning)functions[number].meaning : PLAIN;
        if (meaning != PLAIN) {
            literal(m, number_of(m, meaning, own));
        } else {
            value(m, PARAMETER, depth + 1);
        }
    }
}

static void behind_storage(maker *m, enum mode mode, unsigned bytes)
{
    if (mode == LEFT || mode == RIGHT) {
        write(m, MARK_ZERO, 1, 0);
    } else if (mode == PARAMETER) {
        write(m, MARK_ZERO, 4 - bytes, 0);
    }
}

static void value_call(maker *m, unsigned depth)
{
    uint32_t how = pick(m, 3);
    if (chance(m, 60)) {
        opcode(m, (enum opcode)(TASK + how));
        call(m, how, true, depth);
        return;
    }
    how = how == MULTITASK ? FUNCTION : how;
    opcode(m, how == TASK ? OBJECT_TASK : OBJECT_FUNCTION);
    call(m, how, object(m) == 0, depth);
}

/* depth: number of enclosing calls. */
static void value(maker *m, enum mode mode, unsigned depth)
{
    uint32_t what = m->chain && depth ? 99 : pick(m, 100);
    m->fuel -= m->fuel > 0;
    if (what >= 88 && m->fuel && depth < DEPTH_MOST) {
        value_call(m, depth);
    } else if (what >= 78) {
        opcode(m, FLAG);
        write(m, MARK_FLAG, 2, pick(m, FLAGS));
        behind_storage(m, mode, 2);
    } else if (what >= 68 && m->script->variables) {
        opcode(m, VARIABLE);
        write(m, MARK_VARIABLE, 1, pick(m, m->script->variables));
        behind_storage(m, mode, 1);
    } else if (what >= 61) {
        opcode(m, PROPERTY);
        (void)object(m);
        write(m, MARK_REFERENCE, 2, pick(m, UINT8_MAX + 1));
        if (mode == LEFT) {
            write(m, MARK_ZERO, 1, 0);
        }
    } else if (what >= 55 && m->script->strings) {
        opcode(m, STRING);
        write(m, MARK_STRING, 4, pick(m, m->script->strings));
    } else {
        literal(m, any_number(m));
    }
}

static void formula(maker *m)
{
    for (;;) {
        value(m, FORMULA, 0);
        uint32_t sign = chance(m, 60) ? 0 : 1 + pick(m, OPERATOR_LAST + 2);
        write(m, MARK_OPERATOR, 1, sign);
        if (sign >= PLUS_PLUS) {
            write(m, MARK_ZERO, 1, 0);
        }
        if (sign == 0 || sign >= PLUS_PLUS) {
            return;
        }
    }
}

/* ------------------------------------------------------------------ statements */

static void call_statement(maker *m)
{
    uint32_t how = pick(m, 3);
    if (chance(m, 70)) {
        statement(m, (enum opcode)(TASK + how));
        call(m, how, true, 0);
        return;
    }
    how = how == MULTITASK ? FUNCTION : how;
    statement(m, how == TASK ? OBJECT_TASK : OBJECT_FUNCTION);
    bool own = object(m) == 0;
    write(m, MARK_CALL_KIND, 1, chance(m, 70) ? how : MULTITASK);
    call(m, how, own, 0);
}

static void assignment(maker *m)
{
    switch (pick(m, m->script->variables ? 4 : 2)) {
    case 0:
        statement(m, PROPERTY);
        (void)object(m);
        write(m, MARK_REFERENCE, 2, pick(m, UINT8_MAX + 1));
        break;
    case 1:
        statement(m, FLAG);
        write(m, MARK_FLAG, 2, pick(m, FLAGS));
        break;
    default:
        statement(m, VARIABLE);
        write(m, MARK_VARIABLE, 1, pick(m, m->script->variables));
        break;
    }
    formula(m);
}

static void gosub(maker *m, unsigned number)
{
    statement(m, GOSUB);
    target(m, (int)number);
    m->called |= 1U << number;
}

static void other_statement(maker *m)
{
    enum { RARE = 2 };
    switch (m->script->only_common ? RARE + pick(m, 4) : pick(m, 6)) {
    case 0:
        statement(m, chance(m, 50) ? INCREMENT : DECREMENT);
        (void)object(m);
        write(m, MARK_REFERENCE, 2, pick(m, UINT8_MAX + 1));
        break;
    case 1:
        statement(m, ANCHOR);
        unmarked(m, 1, pick(m, UINT8_MAX + 1));
        break;
    case RARE:
        statement(m, SCRIPT_RV);
        unmarked(m, 1, pick(m, UINT8_MAX + 1));
        call_statement(m); /* the statement that may be skipped */
        break;
    case 3:
        statement(m, TASK_PAUSE);
        target(m, UNKNOWN);
        break;
    default:
        if (m->subroutines) {
            gosub(m, pick(m, m->subroutines));
        } else {
            assignment(m);
        }
        break;
    }
}

/* Writes a statement after which control does not continue; the last one in the body of an If. */
static void leave(maker *m)
{
    switch (pick(m, 5)) {
    case 0:
        statement(m, ENDINT);
        break;
    case 1:
        statement(m, END);
        write(m, MARK_TARGET, 4, 0);
        break;
    case 2:
        if (!m->is_main) {
            statement(m, RETURN);
            break;
        }
        statement(m, END);
        target(m, UNKNOWN);
        break;
    default:
        statement(m, GOTO);
        target(m, UNKNOWN);
        break;
    }
}

static void simple_statement(maker *m)
{
    uint32_t what = pick(m, 100);
    if (what < 45) {
        call_statement(m);
    } else if (what < 80) {
        assignment(m);
    } else {
        other_statement(m);
    }
}

/* Returns the offset of its end field. */
static uint32_t open_if(maker *m)
{
    statement(m, IF);
    for (unsigned left = 1 + (chance(m, 30) ? pick(m, CONDITIONS_MOST) : 0); left > 0; left--) {
        value(m, LEFT, 0);
        write(m, MARK_COMPARISON, 1, pick(m, 6));
        value(m, RIGHT, 0);
        write(m, MARK_CONJUNCTION, 1, left > 1 ? 1 + pick(m, 2) : 0);
    }
    write(m, MARK_IF_END, 4, 0);
    return here(m) - 4;
}

/* Writes statements until the script has `end` bytes; at least one, after which control continues with the next
 * statement. */
static void body(maker *m, uint32_t end)
{
    uint32_t ifs[IFS_MOST];
    unsigned open = 0;
    while (here(m) < end || open) {
        if (open && (here(m) >= end || chance(m, 22))) {
            if (chance(m, 35)) {
                leave(m);
            }
            put(&m->script->code, ifs[--open], 4, here(m));
        } else if (open < IFS_MOST && chance(m, 18)) {
            ifs[open++] = open_if(m);
        } else {
            simple_statement(m);
        }
    }
    call_statement(m);
}

/* ------------------------------------------------------------------ routines */

static void patch(maker *m, uint32_t at, uint32_t value)
{
    put(&m->script->code, at, 4, value);
}

/* Sets targets of a complete routine to its statements, except the one at 0: a jump to 0 gives a note. */
static void resolve(maker *m, size_t first, size_t from_fixup)
{
    const made_script *s = m->script;
    size_t lowest = first + (s->starts[first] == 0);
    for (size_t i = from_fixup; i < m->fixup_count; i++) {
        if (m->fixups[i].subroutine == UNKNOWN) {
            patch(m, m->fixups[i].at, s->starts[lowest + pick(m, (uint32_t)(s->start_count - lowest))]);
        }
    }
}

static void resolve_calls(maker *m, const uint32_t *entries)
{
    for (size_t i = 0; i < m->fixup_count; i++) {
        if (m->fixups[i].subroutine != UNKNOWN) {
            patch(m, m->fixups[i].at, entries[m->fixups[i].subroutine]);
        }
    }
}

/* Ends with a statement after which control does not continue. */
static void main_part(maker *m, uint32_t end, bool calls_all)
{
    size_t first = m->script->start_count;
    size_t from = m->fixup_count;
    body(m, end);
    for (unsigned i = 0; i < m->subroutines && calls_all; i++) {
        if (!(m->called & 1U << i)) {
            gosub(m, i);
        }
    }
    leave(m);
    resolve(m, first, from);
}

void make_script(made_script *script, made_random *random, uint32_t bytes)
{
    maker m = {.script = script, .random = random, .is_main = true};
    uint32_t entries[SUBROUTINES_MOST];
    script->code.size = script->mark_count = script->start_count = 0;
    script->strings = made_pick(random, 12);
    script->variables = made_pick(random, 16);
    m.subroutines = pick(&m, SUBROUTINES_MOST + 1);
    uint32_t share = bytes / (m.subroutines + 2);
    script->pc = 0;
    if (chance(&m, 40)) {
        main_part(&m, share / 2, false);
        script->pc = here(&m);
    }
    main_part(&m, 2 * share, true);
    if (script->pc == 0) {
        script->pc = script->starts[pick(&m, (uint32_t)script->start_count)];
    }
    m.is_main = false;
    for (unsigned i = 0; i < m.subroutines; i++) {
        size_t first = script->start_count;
        size_t from = m.fixup_count;
        entries[i] = here(&m);
        body(&m, (3 + i) * share);
        statement(&m, RETURN);
        resolve(&m, first, from);
    }
    resolve_calls(&m, entries);
    free(m.fixups);
}

/* ------------------------------------------------------------------ changes */

static bool is_start(const made_script *script, uint32_t offset)
{
    for (size_t i = 0; i < script->start_count; i++) {
        if (script->starts[i] == offset) {
            return true;
        }
    }
    return false;
}

bool is_another_script(const made_script *script, const script_mark *mark, uint32_t value)
{
    const uint8_t *field = script->code.bytes + mark->offset;
    switch ((script_mark_kind)mark->kind) {
    case MARK_OPCODE:
        return true;
    case MARK_TARGET: /* only an End may have the target 0 */
        return is_start(script, value) && (value > 0 || field[-1] == END);
    case MARK_IF_END:
        return is_start(script, value) || value == script->code.size;
    case MARK_FUNCTION: /* the count of parameters follows */
        return value > 0 && value < FUNCTIONS && (functions[value].parameters == field[2] || value == SPARE_1_PARM_7);
    case MARK_FLAG:
        return value < FLAGS;
    case MARK_VARIABLE:
        return value < script->variables;
    case MARK_STRING:
        return value < script->strings;
    case MARK_COUNT:
        return functions[field[-2] | field[-1] << 8].parameters == value ||
               (field[-2] | field[-1] << 8) == SPARE_1_PARM_7;
    case MARK_OBJECT:
    case MARK_CALL_KIND:
    case MARK_REFERENCE:
    case MARK_COMPARISON:
    case MARK_CONJUNCTION:
    case MARK_OPERATOR:
    case MARK_ZERO:
    case MARK_KINDS:
        break;
    }
    return true;
}

void release_script(made_script *script)
{
    free(script->code.bytes);
    free(script->marks);
    free(script->starts);
    *script = (made_script){0};
}
