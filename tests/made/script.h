/* Random scripts without faults: every statement, operand and nesting on which shipped readers agree, and the
 * statements on which they do not (0F, 10, 17), which give a note. Values as statements are left out, because nobody
 * would write them.
 *
 * A script has a main part, then a subroutine for every Gosub, and sometimes first a part for the other thread,
 * which starts at 0. Every statement can be reached: a Goto, End, Return or Endint is the last statement of the If
 * around it. */
#ifndef MADE_SCRIPT_H
#define MADE_SCRIPT_H

#include "image.h"

#include <stdbool.h>

/* Kinds of bytes in a script. */
typedef enum script_mark_kind {
    MARK_OPCODE,
    MARK_TARGET, /* target of Goto, Gosub, End, TaskPause */
    MARK_IF_END,
    MARK_FUNCTION,
    MARK_FLAG,
    MARK_VARIABLE,
    MARK_STRING,
    MARK_COUNT,
    MARK_OBJECT, /* from here on: neither opcode, target, number of an item, nor count */
    MARK_CALL_KIND,
    MARK_REFERENCE,
    MARK_COMPARISON,
    MARK_CONJUNCTION,
    MARK_OPERATOR,
    MARK_ZERO, /* operator slots and padding */
    MARK_KINDS
} script_mark_kind;

typedef struct script_mark {
    uint32_t offset;
    uint8_t length;
    uint8_t kind; /* script_mark_kind */
} script_mark;

/* Groups that every actor has, for playing animations. */
#define SCRIPT_GROUPS                                                                                                  \
    {                                                                                                                  \
        0, 1, 5, 100, 177                                                                                              \
    }
enum { SCRIPT_GROUP_COUNT = 5 };

typedef struct made_script {
    bool only_common; /* set by the caller: leaves out the statements on which readers disagree */
    image code;
    uint32_t pc;
    uint32_t strings, variables; /* numbers of those that it may use */
    script_mark *marks;
    size_t mark_count, mark_capacity;
    uint32_t *starts; /* offsets of all statements */
    size_t start_count, start_capacity;
} made_script;

typedef struct made_random {
    uint64_t state; /* not 0 */
} made_random;

/* Is the script still valid with `value` in this field, as far as the field alone is concerned? Always true for opcodes
 * and for kinds from MARK_OBJECT on, which are not examined. */
bool is_another_script(const made_script *script, const script_mark *mark, uint32_t value);

/* A random number below `limit`. */
uint32_t made_pick(made_random *random, uint32_t limit);

/* Makes a script of about `bytes` bytes; replaces the previous one. Zero *script before the first call, except
 * fields set by the caller. */
void make_script(made_script *script, made_random *random, uint32_t bytes);
void release_script(made_script *script);

#endif
