/* How a refusal is worded: pieces into the fixed text of an ll_problem, and the search for the nearest known name.
 * Nothing here allocates, and the text is fit for a terminal whatever the pieces hold. */
#ifndef LL_BASE_PROBLEM_H
#define LL_BASE_PROBLEM_H

#include "base/status.h"

#include <stddef.h>

/* Concatenates pieces (NULL ends them) into problem->text. A long piece is cut, so that what follows it is seen; what
 * ll_text_escape() would change, but for the backslash, becomes \xNN. Line and column stay. Returns LL_E_PACK.
 * `problem` may be NULL. */
ll_status ll_problem_say(ll_problem *problem, const char *const *pieces);

#define LL_PROBLEM(problem, ...) ll_problem_say((problem), (const char *const[]){__VA_ARGS__, NULL})

/* Puts "<name>: " before the text; of a long name, its end. Returns LL_E_PACK. */
ll_status ll_problem_prefix(ll_problem *problem, const char *name);

/* Sets the place. Returns `problem`, so that a call may say both at once; may be NULL. */
ll_problem *ll_problem_at(ll_problem *problem, unsigned line, unsigned column);

/* Which of the names offered was probably meant by the one that was typed; start with {.to = name}. A name is likely
 * when it differs in capitals only, begins with what was typed, or is made from it by changing two letters (one of less
 * than four, a third of nine and more); never when it is the same. Of equally likely ones the first holds. */
typedef struct ll_nearest {
    const char *to;
    const char *name; /* NULL: none is likely */
    unsigned distance;
} ll_nearest;

void ll_nearest_offer(ll_nearest *nearest, const char *name);
/* The same for names of which a NULL follows the last; NULL: none is likely. */
const char *ll_nearest_of(const char *to, const char *const *names);

/* Names in a table of any rows that have one. */
typedef struct ll_names {
    const void *rows;
    size_t count, size, at; /* of a row, and where in it the name is */
} ll_names;
#define LL_NAMES(rows, count, member)                                                                                  \
    ((ll_names){(rows), (count), sizeof *(rows), offsetof(__typeof__(*(rows)), member)})
#define LL_NAME_LIST(names, count) ((ll_names){(names), (count), sizeof *(names), 0})

/* Number of the row of that name; `count`: there is none. */
size_t ll_names_find(const ll_names *names, const char *name);
void ll_names_offer(const ll_names *names, ll_nearest *nearest);
/* "unknown <what> '<family>.<name>'; did you mean '<family>.<nearest>'?"; without the family where it is "". */
ll_status ll_names_refuse(const ll_names *names, const char *what, const char *family, const char *name,
                          ll_problem *problem);
/* Finds a name, or refuses it. */
ll_status ll_names_pick(const ll_names *names, const char *what, const char *family, const char *name, size_t *number,
                        ll_problem *problem);

/* "unknown <what> '<name>'; did you mean '<nearest>'?" */
ll_status ll_problem_unknown(ll_problem *problem, const char *what, const ll_nearest *nearest);

#endif
