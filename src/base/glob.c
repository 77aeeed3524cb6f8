/* Patterns for paths and texts. A name is matched with one place to go back to, the
 * last '*', and a path with one, the last '**', so that nothing recurses and hostile patterns cost no more than their
 * length times that of the path. */
#include "base/glob.h"

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ------------------------------------------------------------------ characters */

#define NO_CHARACTER ((uint32_t)0x110000) /* bytes that are no UTF-8 are characters from here on */

typedef struct text {
    const char *at, *end;
} text;

static bool is_empty(text t)
{
    return t.at == t.end;
}

static uint32_t take(text *t)
{
    const uint8_t *p = (const uint8_t *)t->at;
    size_t n = ll_utf8_length(p, (size_t)(t->end - t->at));
    uint32_t c = n == 0 ? NO_CHARACTER + p[0] : n == 1 ? p[0] : p[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        c = c << 6 | (p[i] & 0x3Fu);
    }
    t->at += n ? n : 1;
    return c;
}

static bool starts_with(text t, char c)
{
    return !is_empty(t) && *t.at == c;
}

/* One character of a pattern, behind its backslash if it has one. */
static uint32_t take_literal(text *pattern)
{
    if (starts_with(*pattern, '\\') && pattern->end - pattern->at > 1) {
        pattern->at++;
    }
    return take(pattern);
}

/* ------------------------------------------------------------------ sets */

/* What a set says of a character. */
typedef struct verdict {
    bool closed, matches, backwards; /* it has its ']'; the character is in it; a range of it is the wrong way round */
} verdict;

/* `pattern` begins at the '['; goes behind the ']' when there is one. A ']' that comes first is an ordinary character.
 */
static verdict take_set(text *pattern, uint32_t c)
{
    verdict v = {0};
    text p = {pattern->at + 1, pattern->end};
    bool negated = starts_with(p, '!') || starts_with(p, '^');
    p.at += negated;
    for (bool first = true; !is_empty(p) && !v.closed; first = false) {
        if (*p.at == ']' && !first) {
            p.at++;
            v.closed = true;
            break;
        }
        uint32_t low = take_literal(&p);
        uint32_t high = low;
        if (starts_with(p, '-') && p.end - p.at > 1 && p.at[1] != ']') {
            p.at++;
            high = take_literal(&p);
        }
        v.backwards = v.backwards || low > high;
        v.matches = v.matches || (low <= c && c <= high);
    }
    v.matches = v.matches != negated;
    pattern->at = v.closed ? p.at : pattern->at;
    return v;
}

/* ------------------------------------------------------------------ names */

/* Matches one character at the head of both, and goes behind it. */
static bool take_one(text *pattern, text *name, bool sets)
{
    uint32_t c = take(name);
    if (*pattern->at == '?') {
        pattern->at++;
        return true;
    }
    if (sets && *pattern->at == '[') {
        verdict v = take_set(pattern, c);
        if (v.closed) {
            return v.matches;
        }
    }
    return take_literal(pattern) == c;
}

/* What a '*' took is as little as possible; where the rest does not fit, the last '*' takes one character more. An
 * earlier one never needs to: the last can take whatever it would. */
static bool match_text(text pattern, text name, bool sets)
{
    text star = {0};
    text taken = {0};
    for (;;) {
        if (starts_with(pattern, '*')) {
            pattern.at++;
            star = pattern;
            taken = name;
            continue;
        }
        if (is_empty(pattern) && is_empty(name)) {
            return true;
        }
        if (!is_empty(pattern) && !is_empty(name) && take_one(&pattern, &name, sets)) {
            continue;
        }
        if (!star.at || is_empty(taken)) {
            return false;
        }
        (void)take(&taken);
        pattern = star;
        name = taken;
    }
}

/* ------------------------------------------------------------------ paths */

/* The next name of a path or pattern, without slashes; empty at the end. */
static text take_name(text *path)
{
    while (starts_with(*path, '/')) {
        path->at++;
    }
    text name = *path;
    const char *slash = is_empty(name) ? NULL : memchr(name.at, '/', (size_t)(name.end - name.at));
    name.end = slash ? slash : name.end;
    path->at = name.end;
    return name;
}

static bool is_name(text name, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(name.end - name.at) == n && memcmp(name.at, word, n) == 0;
}

/* As take_name(), without names that say nothing. */
static text take_pattern(text *pattern)
{
    text name = take_name(pattern);
    while (is_name(name, ".")) {
        name = take_name(pattern);
    }
    return name;
}

static text whole(const char *bytes)
{
    return (text){bytes, bytes + strlen(bytes)};
}

/* Tries the rest of the pattern at a place of the path; a match may end before the path does. When a "**" is met, that
 * is left to the caller. */
typedef enum outcome { MATCH, MISMATCH, AT_STARS } outcome;

static outcome match_names(text *pattern, text *path)
{
    for (;;) {
        text part = take_pattern(pattern);
        if (is_empty(part)) {
            return MATCH;
        }
        if (is_name(part, "**")) {
            return AT_STARS;
        }
        text name = take_name(path);
        if (is_empty(name) || !match_text(part, name, true)) {
            return MISMATCH;
        }
    }
}

bool ll_glob_path(const char *pattern, const char *path, bool is_directory)
{
    text rest = whole(pattern);
    text names = whole(path);
    bool directories_only = rest.at < rest.end && rest.end[-1] == '/';
    while (rest.at < rest.end && rest.end[-1] == '/') {
        rest.end--;
    }
    bool anywhere = !is_empty(rest) && !memchr(rest.at, '/', (size_t)(rest.end - rest.at));
    text probe = rest;
    if (is_empty(take_pattern(&probe))) {
        return false; /* it names nothing */
    }
    text stars = rest;  /* the pattern behind the last "**" */
    text under = names; /* the path from where that is tried */
    for (;;) {
        outcome result = match_names(&rest, &names);
        probe = rest;
        if (result == AT_STARS) {
            anywhere = true;
            stars = rest;
            under = names;
            if (!is_empty(take_pattern(&probe))) {
                continue;
            }
            if (is_empty(take_name(&names))) {
                return false; /* a pattern that ends in "**" needs something below */
            }
            result = MATCH;
        }
        if (result == MATCH) {
            return !directories_only || is_directory || !is_empty(names);
        }
        if (!anywhere || is_empty(take_name(&under))) {
            return false;
        }
        rest = stars;
        names = under;
    }
}

bool ll_glob(const char *pattern, size_t n, const char *bytes)
{
    return match_text((text){pattern, pattern + n}, whole(bytes), false);
}

/* ------------------------------------------------------------------ validity */

static const char *fault_of_name(text name)
{
    if (is_name(name, "..")) {
        return "it has a '..', which no path has";
    }
    while (!is_empty(name)) {
        if (*name.at == '\\' && name.end - name.at == 1) {
            return "nothing follows the backslash that could be taken as it is";
        }
        if (*name.at == '[') {
            verdict v = take_set(&name, 0);
            if (!v.closed) {
                return "a '[' has no ']' in the same name; write '\\[' for the character";
            }
            if (v.backwards) {
                return "a range of a set is the wrong way round";
            }
        } else {
            (void)take_literal(&name);
        }
    }
    return NULL;
}

bool ll_glob_valid(const char *pattern, const char **why)
{
    text rest = whole(pattern);
    text name = take_pattern(&rest);
    *why = !*pattern         ? "it is empty"
           : is_empty(name)  ? "it names nothing"
           : *pattern == '!' ? "it begins with '!', which takes nothing back here; write '\\!' for the character"
                             : NULL;
    for (; !*why && !is_empty(name); name = take_pattern(&rest)) {
        *why = fault_of_name(name);
    }
    return !*why;
}
