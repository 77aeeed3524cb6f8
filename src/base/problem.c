/* Composes the texts of refusals: escapes and shortens pieces. A piece may hold any bytes up to its NUL. */
#include "base/problem.h"

#include "base/text.h"

#include <limits.h>

enum { PIECE_MAX = 160, NAME_MAX = 80, DOTS = 3 };

/* A fixed buffer with reserved room for "..." and a NUL. */
typedef struct writer {
    char *text;
    size_t length, most;
} writer;

static bool put(writer *out, const char *bytes, size_t n)
{
    if (n > out->most - out->length) {
        return false;
    }
    memcpy(out->text + out->length, bytes, n);
    out->length += n;
    return true;
}

static bool put_piece(writer *out, const char *piece)
{
    size_t n = strlen(piece);
    for (size_t at = 0; at < n;) {
        if (at >= PIECE_MAX) {
            return put(out, "...", DOTS);
        }
        const uint8_t *p = (const uint8_t *)piece + at;
        size_t length = ll_shown_length(p, n - at);
        char escape[4] = {'\\', 'x', "0123456789abcdef"[*p >> 4], "0123456789abcdef"[*p & 15]};
        if (!(length ? put(out, piece + at, length) : put(out, escape, sizeof escape))) {
            return false;
        }
        at += length ? length : 1;
    }
    return true;
}

ll_status ll_problem_say(ll_problem *problem, const char *const *pieces)
{
    if (!problem) {
        return LL_E_PACK;
    }
    writer out = {problem->text, 0, sizeof problem->text - 1 - DOTS};
    while (*pieces && put_piece(&out, *pieces)) {
        pieces++;
    }
    if (*pieces) {
        memcpy(out.text + out.length, "...", DOTS);
        out.length += DOTS;
    }
    out.text[out.length] = '\0';
    return LL_E_PACK;
}

ll_status ll_problem_prefix(ll_problem *problem, const char *name)
{
    if (!problem) {
        return LL_E_PACK;
    }
    char said[sizeof problem->text];
    memcpy(said, problem->text, sizeof said);
    said[sizeof said - 1] = '\0';
    size_t length = strlen(name);
    const char *end = length > NAME_MAX ? name + length - NAME_MAX : name;
    while ((*end & 0xC0) == 0x80 && end > name && length > NAME_MAX) {
        end++; /* not inside a UTF-8 sequence */
    }
    (void)LL_PROBLEM(problem, end > name ? "..." : "", end, ": ");
    writer out = {problem->text, strlen(problem->text), sizeof problem->text - 1};
    size_t room = out.most - out.length;
    size_t n = strlen(said);
    while (n > room || (n && (said[n] & 0xC0) == 0x80)) {
        n--;
    }
    (void)put(&out, said, n);
    out.text[out.length] = '\0';
    return LL_E_PACK;
}

ll_problem *ll_problem_at(ll_problem *problem, unsigned line, unsigned column)
{
    if (problem) {
        problem->line = line;
        problem->column = column;
    }
    return problem;
}

/* Number of edits from `typed` to `name`; 0 for a difference in case or a prefix; UINT_MAX: equal, or too different. */
static unsigned edit_distance(const char *typed, const char *name)
{
    size_t n = strlen(typed);
    if (strcmp(typed, name) == 0) {
        return UINT_MAX;
    }
    if ((n == strlen(name) && ll_same_letters(typed, name, n)) || (n >= 2 && strncmp(typed, name, n) == 0)) {
        return 0;
    }
    unsigned distance = ll_edit_distance(typed, name);
    return distance <= (n < 4 ? 1 : n < 9 ? 2 : n / 3) ? distance : UINT_MAX;
}

void ll_nearest_offer(ll_nearest *nearest, const char *name)
{
    unsigned distance = edit_distance(nearest->to, name);
    if (distance != UINT_MAX && (!nearest->name || distance < nearest->distance)) {
        nearest->name = name;
        nearest->distance = distance;
    }
}

const char *ll_nearest_of(const char *to, const char *const *names)
{
    ll_nearest nearest = {.to = to};
    for (; *names; names++) {
        ll_nearest_offer(&nearest, *names);
    }
    return nearest.name;
}

ll_status ll_problem_word(ll_problem *problem, const char *what, const char *lead, const char *word,
                          const char *const *names)
{
    const char *near = ll_nearest_of(word, names);
    const char *pieces[2 * LL_LISTED_MAX + 8] = {what, lead, " '", word, near ? "'; did you mean '" : "'; there are: "};
    size_t n = 5;
    for (size_t i = 0; !near && names[i] && i < LL_LISTED_MAX; i++) {
        pieces[n++] = i ? ", " : "";
        pieces[n++] = names[i];
    }
    pieces[n++] = near;
    pieces[n] = near ? "'?" : NULL;
    return ll_problem_say(problem, pieces);
}

static ll_status refuse(ll_problem *problem, const char *what, const char *family, const ll_nearest *nearest)
{
    const char *dot = *family ? "." : "";
    if (!nearest->name) {
        return LL_PROBLEM(problem, "unknown ", what, " '", family, dot, nearest->to, "'");
    }
    return LL_PROBLEM(problem, "unknown ", what, " '", family, dot, nearest->to, "'; did you mean '", family, dot,
                      nearest->name, "'?");
}

ll_status ll_problem_unknown(ll_problem *problem, const char *what, const ll_nearest *nearest)
{
    return refuse(problem, what, "", nearest);
}

static const char *name_at(const ll_names *names, size_t i)
{
    const char *name;
    memcpy(&name, (const char *)names->rows + i * names->size + names->at, sizeof name);
    return name;
}

size_t ll_names_find(const ll_names *names, const char *name)
{
    size_t i = 0;
    while (i < names->count && strcmp(name_at(names, i), name) != 0) {
        i++;
    }
    return i;
}

void ll_names_offer(const ll_names *names, ll_nearest *nearest)
{
    for (size_t i = 0; i < names->count; i++) {
        ll_nearest_offer(nearest, name_at(names, i));
    }
}

ll_status ll_names_refuse(const ll_names *names, const char *what, const char *family, const char *name,
                          ll_problem *problem)
{
    ll_nearest nearest = {.to = name};
    ll_names_offer(names, &nearest);
    return refuse(problem, what, family, &nearest);
}

ll_status ll_names_pick(const ll_names *names, const char *what, const char *family, const char *name, size_t *number,
                        ll_problem *problem)
{
    *number = ll_names_find(names, name);
    return *number < names->count ? LL_OK : ll_names_refuse(names, what, family, name, problem);
}
