/* Random scripts that nothing is wrong with: every statement, operand and way to nest them that shipped readers agree
 * on, and those they do not (0F, 10, 17), of which a note says so. Values as statements are left out, as nobody would
 * write them.
 *
 * A script is its main part, a subroutine for every Gosub behind it, and in front, sometimes, a part for the other
 * thread, which starts at 0. Every statement is reached: what follows a Goto, End, Return or Endint is the end of the
 * If around it. */
#ifndef MADE_SCRIPT_H
#define MADE_SCRIPT_H

#include "image.h"

#include <stdbool.h>

/* Which bytes are which. */
typedef enum script_mark_kind {
    MARK_OPCODE,
    MARK_TARGET, /* of Goto, Gosub, End, TaskPause */
    MARK_IF_END,
    MARK_FUNCTION,
    MARK_FLAG,
    MARK_VARIABLE,
    MARK_STRING,
    MARK_COUNT,
    MARK_OBJECT, /* from here on: neither opcode, target, number of something, nor count */
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

/* Groups that every actor has, when animations are played. */
#define SCRIPT_GROUPS                                                                                                  \
    {                                                                                                                  \
        0, 1, 5, 100, 177                                                                                              \
    }
enum { SCRIPT_GROUP_COUNT = 5 };

typedef struct made_script {
    bool only_common; /* given: without the statements that readers do not agree on */
    image code;
    uint32_t pc;
    uint32_t strings, variables; /* how many it may use */
    script_mark *marks;
    size_t mark_count, mark_capacity;
    uint32_t *starts; /* of all statements */
    size_t start_count, start_capacity;
} made_script;

typedef struct made_random {
    uint64_t state; /* not 0 */
} made_random;

/* Is there another valid script, as far as this field alone goes, if it has `value`? Opcodes are taken for such always.
 */
bool is_another_script(const made_script *script, const script_mark *mark, uint32_t value);

/* A number below `limit`. */
uint32_t made_pick(made_random *random, uint32_t limit);

/* Another script of about so many bytes in place of what was there. *script is zero at first, but for what is given. */
void make_script(made_script *script, made_random *random, uint32_t bytes);
void release_script(made_script *script);

#endif
