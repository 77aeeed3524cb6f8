/* Composes refusals from pieces in the fixed text of an ll_problem, and finds the most similar known name. Allocates
 * nothing; the text is safe for terminals whatever the pieces contain. */
#ifndef LL_BASE_PROBLEM_H
#define LL_BASE_PROBLEM_H

#include "base/status.h"

#include <stddef.h>

/* Concatenates pieces (ended by NULL) in problem->text. A long piece is cut, so that those after it are visible;
 * characters that ll_text_escape() changes, except backslashes, become \xNN. Line and column are kept. Returns
 * LL_E_PACK. `problem` may be NULL. */
ll_status ll_problem_say(ll_problem *problem, const char *const *pieces);

#define LL_PROBLEM(problem, ...) ll_problem_say((problem), (const char *const[]){__VA_ARGS__, NULL})

/* Inserts "<name>: " before the text, or the end of a long name. Returns LL_E_PACK. */
ll_status ll_problem_prefix(ll_problem *problem, const char *name);

/* Sets line and column. Returns `problem`, so that the text can be set in the same expression; may be NULL. */
ll_problem *ll_problem_at(ll_problem *problem, unsigned line, unsigned column);

/* Finds the name most similar to a typed one; start with {.to = name} and offer names. A name is similar if it differs
 * only in case, begins with the typed one, or differs by at most two edits (one if the typed name is shorter than four
 * letters, a third of its length from nine on). Equal names do not count. Of equally similar ones, the first wins. */
typedef struct ll_nearest {
    const char *to;
    const char *name; /* NULL: none is similar */
    unsigned distance;
} ll_nearest;

void ll_nearest_offer(ll_nearest *nearest, const char *name);
/* The most similar of names ended by NULL; NULL: none is similar. */
const char *ll_nearest_of(const char *to, const char *const *names);

/* Sets "<what><lead> '<word>'; did you mean '<name>'?", or with a list of the names if none is similar; they end with
 * NULL. */
enum { LL_LISTED_MAX = 64 };
ll_status ll_problem_word(ll_problem *problem, const char *what, const char *lead, const char *word,
                          const char *const *names);

/* The names in a table with rows of any type. */
typedef struct ll_names {
    const void *rows;
    size_t count, size, at; /* size of a row, and offset of the name in it */
} ll_names;
#define LL_NAMES(rows, count, member)                                                                                  \
    ((ll_names){(rows), (count), sizeof *(rows), offsetof(__typeof__(*(rows)), member)})
#define LL_NAME_LIST(names, count) ((ll_names){(names), (count), sizeof *(names), 0})

/* Index of the row with a name; `count`: none. */
size_t ll_names_find(const ll_names *names, const char *name);
void ll_names_offer(const ll_names *names, ll_nearest *nearest);
/* Sets "unknown <what> '<family>.<name>'; did you mean '<family>.<nearest>'?"; without family if it is "". */
ll_status ll_names_refuse(const ll_names *names, const char *what, const char *family, const char *name,
                          ll_problem *problem);
/* Finds the index of a name, or refuses it. */
ll_status ll_names_pick(const ll_names *names, const char *what, const char *family, const char *name, size_t *number,
                        ll_problem *problem);

/* Sets "unknown <what> '<name>'; did you mean '<nearest>'?". */
ll_status ll_problem_unknown(ll_problem *problem, const char *what, const ll_nearest *nearest);

#endif
