/* Compiles simple patterns to tables. A pattern becomes a set of positions, each with the bytes it accepts and the
 * positions that may follow; sets of positions become states. Reads shipped patterns only, so recursion for groups is
 * safe. */
#include "packc/automaton.h"

#include <string.h>

enum { POSITIONS = 64 }; /* bits of a set; position 0 is before the first byte */

typedef struct class
{
    bool has[256];
} class;

typedef struct reader {
    const char *at;
    class classes[POSITIONS];
    uint64_t follow[POSITIONS];
    unsigned count;
    unsigned depth; /* of groups */
    bool split;     /* there are alternatives outside all groups */
    bool refused;
} reader;

/* A part of the pattern: may it be empty, and at which positions may it begin and end. */
typedef struct piece {
    bool empty;
    uint64_t first, last;
} piece;

static piece read_alternatives(reader *r);

/* Reads one byte, which may be escaped. */
static uint8_t read_byte(reader *r)
{
    static const char digits[] = "0123456789abcdef";
    char c = *r->at;
    r->at += c != 0;
    r->refused = r->refused || c == 0;
    if (c != '\\') {
        return (uint8_t)c;
    }
    c = *r->at;
    r->at += c != 0;
    const char *high = c == 'x' && r->at[0] ? strchr(digits, r->at[0]) : NULL;
    const char *low = high && r->at[1] ? strchr(digits, r->at[1]) : NULL;
    if (low) {
        r->at += 2;
        return (uint8_t)((high - digits) << 4 | (low - digits));
    }
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    r->refused = r->refused || letter || c == 0; /* a character class, or something else that is not a byte */
    return (uint8_t)c;
}

static void read_class(reader *r, class *out)
{
    bool negated = *r->at == '^';
    r->at += negated;
    do {
        r->refused = r->refused || *r->at == '['; /* might begin a named class */
        uint8_t from = read_byte(r);
        uint8_t to = from;
        if (r->at[0] == '-' && r->at[1] != ']') {
            r->at++;
            to = read_byte(r);
        }
        r->refused = r->refused || to < from;
        for (unsigned c = from; c <= to; c++) {
            out->has[c] = true;
        }
    } while (*r->at != ']' && !r->refused);
    r->at += *r->at == ']';
    for (unsigned c = 0; c < 256; c++) {
        out->has[c] = out->has[c] != negated;
    }
}

static piece read_atom(reader *r)
{
    if (*r->at == '(') {
        bool plain = strncmp(r->at, "(?:", 3) == 0;
        r->refused = r->refused || (r->at[1] == '?' && !plain) || r->at[1] == '*';
        r->at += plain ? 3 : 1;
        r->depth++;
        piece inside = read_alternatives(r);
        r->depth--;
        r->refused = r->refused || *r->at != ')';
        r->at += *r->at == ')';
        return inside;
    }
    if (r->count == POSITIONS || (*r->at && strchr("?*+{^$", *r->at))) {
        r->refused = true;
        return (piece){.empty = true};
    }
    class *bytes = &r->classes[r->count];
    if (*r->at == '[') {
        r->at++;
        read_class(r, bytes);
    } else if (*r->at == '.') {
        r->at++;
        memset(bytes->has, true, sizeof bytes->has);
        bytes->has['\n'] = false;
    } else {
        bytes->has[read_byte(r)] = true;
    }
    uint64_t self = UINT64_C(1) << r->count++;
    return (piece){.first = self, .last = self};
}

static void join(reader *r, uint64_t ends, uint64_t begins)
{
    for (unsigned i = 0; i < r->count; i++) {
        r->follow[i] |= ends >> i & 1 ? begins : 0;
    }
}

static piece read_repeated(reader *r)
{
    piece p = read_atom(r);
    if (*r->at == '*' || *r->at == '+') {
        join(r, p.last, p.first);
    }
    p.empty = p.empty || *r->at == '*' || *r->at == '?';
    r->at += *r->at == '*' || *r->at == '+' || *r->at == '?';
    r->refused = r->refused || (*r->at && strchr("?*+{", *r->at)); /* lazy, possessive or counted */
    return p;
}

/* Is this the end of an alternative or of the pattern: its NUL, or an anchor to the end of the text? */
static bool at_end(const reader *r)
{
    return *r->at == 0 || *r->at == '|' || *r->at == ')' || strcmp(r->at, "\\z") == 0 || strcmp(r->at, "$") == 0;
}

static piece read_alternatives(reader *r)
{
    piece all = {.empty = false};
    for (bool more = true; more && !r->refused; r->at += more) {
        piece sequence = {.empty = true};
        while (!at_end(r) && !r->refused) {
            piece next = read_repeated(r);
            join(r, sequence.last, next.first);
            sequence.first |= sequence.empty ? next.first : 0;
            sequence.last = next.last | (next.empty ? sequence.last : 0);
            sequence.empty = sequence.empty && next.empty;
        }
        all.empty = all.empty || sequence.empty;
        all.first |= sequence.first;
        all.last |= sequence.last;
        more = *r->at == '|';
        r->split = r->split || (more && r->depth == 0);
    }
    return all;
}

/* Positions reached from a set by one byte. */
static uint64_t step(const reader *r, uint64_t set, unsigned byte)
{
    uint64_t follow = 0;
    uint64_t next = 0;
    for (unsigned i = 0; i < r->count; i++) {
        follow |= set >> i & 1 ? r->follow[i] : 0;
    }
    for (unsigned i = 1; i < r->count; i++) {
        next |= (follow >> i & r->classes[i].has[byte]) ? UINT64_C(1) << i : 0;
    }
    return next;
}

/* Numbers the reachable sets as states; false: too many. */
static bool make_states(const reader *r, uint64_t accept, bool anchored, bool to_end, ll_automaton *out)
{
    uint64_t sets[LL_AUTOMATON_STATES] = {1};
    uint8_t order[LL_AUTOMATON_STATES];
    unsigned count = 1;
    for (unsigned s = 0; s < count; s++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            bool ended = !to_end && (sets[s] & accept);
            uint64_t next = ended ? sets[s] : step(r, sets[s], byte) | !anchored;
            unsigned n = 0;
            while (n < count && sets[n] != next) {
                n++;
            }
            if (n == LL_AUTOMATON_STATES) {
                return false;
            }
            sets[n] = next;
            count += n == count;
            out->next[s][byte] = (uint8_t)n;
        }
    }
    uint8_t n = 0;
    for (unsigned accepting = 0; accepting < 2; accepting++) { /* accepting states come last */
        out->accepting = n;
        for (unsigned s = 0; s < count; s++) {
            if (!(sets[s] & accept) == !accepting) {
                order[s] = n++;
            }
        }
    }
    ll_automaton before = *out;
    for (unsigned s = 0; s < count; s++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            out->next[order[s]][byte] = order[before.next[s][byte]];
        }
    }
    out->count = n;
    out->first = order[0];
    return true;
}

bool ll_automaton_make(const char *pattern, ll_automaton *out)
{
    bool a = strncmp(pattern, "\\A", 2) == 0;
    bool anchored = a || *pattern == '^';
    reader r = {.at = pattern + (a ? 2 : anchored), .count = 1};
    piece all = read_alternatives(&r);
    bool to_end = *r.at == '\\' || *r.at == '$';
    bool ambiguous = r.split && (anchored || to_end); /* the anchor belongs to one alternative only */
    r.follow[0] = all.first;
    return !r.refused && *r.at != ')' && !ambiguous &&
           make_states(&r, all.last | (all.empty ? 1 : 0), anchored, to_end, out);
}
