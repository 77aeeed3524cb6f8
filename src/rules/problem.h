/* How the rules room words a refusal: pieces into the fixed text of an ll_problem, and the search for the nearest known name. */
#ifndef LL_RULES_PROBLEM_H
#define LL_RULES_PROBLEM_H

#include "base/text.h"

#include <string.h>

/* Concatenates pieces (NULL ends them) into problem->text. A long piece is cut, so that what follows it is seen; control characters,
 * which only a pack can bring in, become '?'. Returns LL_E_PACK. */
static inline ll_status ll_problem_say(ll_problem *problem, const char *const *pieces)
{
    enum { PIECE_MAX = 120, DOTS = 3 };
    size_t at = 0;
    for (; problem && *pieces; pieces++) {
        const char *piece = *pieces;
        size_t length = strlen(piece);
        size_t room = sizeof problem->text - 1 - at;
        size_t most = room < PIECE_MAX ? room : PIECE_MAX;
        size_t shown = length <= most ? length : most < DOTS ? 0 : most - DOTS;
        while (shown < length && shown && (piece[shown] & 0xC0) == 0x80) {
            shown--; /* not inside a UTF-8 sequence */
        }
        for (size_t i = 0; i < shown; i++) {
            unsigned char c = (unsigned char)piece[i];
            problem->text[at++] = c < 0x20 || c == 0x7F ? '?' : piece[i];
        }
        for (size_t i = 0; i < DOTS && shown < length && most >= DOTS; i++) {
            problem->text[at++] = '.';
        }
    }
    if (problem) {
        problem->text[at] = '\0';
    }
    return LL_E_PACK;
}

#define LL_PROBLEM(problem, ...) ll_problem_say((problem), (const char *const[]){__VA_ARGS__, NULL})

/* The nearest of the names offered so far; start with {.to = name}. */
typedef struct ll_nearest {
    const char *to;
    const char *name; /* NULL: nothing was offered */
    unsigned distance;
} ll_nearest;

static inline void ll_nearest_offer(ll_nearest *nearest, const char *name)
{
    unsigned distance = ll_edit_distance(nearest->to, name);
    if (!nearest->name || distance < nearest->distance) {
        nearest->name = name;
        nearest->distance = distance;
    }
}

/* "unknown <what> "<name>"; the nearest is "<nearest>"" */
static inline ll_status ll_problem_unknown(ll_problem *problem, const char *what, const ll_nearest *nearest)
{
    if (!nearest->name) {
        return LL_PROBLEM(problem, "unknown ", what, " \"", nearest->to, "\"");
    }
    return LL_PROBLEM(problem, "unknown ", what, " \"", nearest->to, "\"; the nearest is \"", nearest->name, "\"");
}

#endif
