/* Patterns for paths and texts. Matching backtracks only to the last '*' of a name and the last '**' of a path, so it
 * needs no recursion, and hostile patterns cost at most the product of both lengths. */
#include "base/glob.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ characters */

#define NO_CHARACTER ((uint32_t)0x110000) /* bytes that are not UTF-8 count as characters from here on */

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
    if (p[0] < 0x80) {
        t->at++;
        return p[0];
    }
    size_t n = ll_utf8_length(p, (size_t)(t->end - t->at));
    uint32_t c = n ? p[0] & (0x7Fu >> n) : NO_CHARACTER + p[0];
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

/* Reads one character of a pattern, unescaped. */
static uint32_t take_literal(text *pattern)
{
    if (starts_with(*pattern, '\\') && pattern->end - pattern->at > 1) {
        pattern->at++;
    }
    return take(pattern);
}

/* ------------------------------------------------------------------ sets */

/* Result of reading a set for a character. */
typedef struct verdict {
    bool closed, matches, backwards; /* it has its ']'; it contains the character; one of its ranges is reversed */
} verdict;

/* Reads a set; `pattern` begins at the '[' and is advanced past the ']' if there is one. A leading ']' is an ordinary
 * character. */
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

/* Matches one character at the start of both, and advances both. */
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

/* Each '*' first matches as little as possible. On a mismatch, the last '*' takes one more character. Earlier ones need
 * not: what they could match, the last one can match as well. */
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

/* Like take_name(), skipping ".". */
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

/* Matches the rest of the pattern at a position of the path; the path may have more names. Stops at "**", which the
 * caller handles. */
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

/* A pattern without trailing slashes. */
static text trimmed(const char *pattern)
{
    text rest = whole(pattern);
    while (rest.at < rest.end && rest.end[-1] == '/') {
        rest.end--;
    }
    return rest;
}

/* Does a trimmed pattern match only from the start of the path? */
static bool is_anchored(text pattern)
{
    return is_empty(pattern) || memchr(pattern.at, '/', (size_t)(pattern.end - pattern.at));
}

bool ll_glob_path(const char *pattern, const char *path, bool is_directory)
{
    text rest = trimmed(pattern);
    text names = whole(path);
    bool directories_only = *rest.end == '/';
    bool anywhere = !is_anchored(rest);
    text probe = rest;
    if (is_empty(take_pattern(&probe))) {
        return false; /* it names nothing */
    }
    text stars = rest;  /* pattern after the last "**" */
    text under = names; /* path where that is tried */
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
                return false; /* a trailing "**" needs something below */
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

/* ------------------------------------------------------------------ sets of patterns */

/* Each name in a pattern, except "**", must match a directory in the path or its last name; the leading names of an
 * anchored pattern match those of the path. So a literal part of the pattern must occur in the path: the key. */
enum { KEY_PATH, KEY_NAME, KEY_HEAD, KEY_TAIL }; /* leading whole names; one name; start of a name; end of a name */

enum { PART_MAX = 63 }; /* of a head or tail: lengths are bits in a word */

static void consider(ll_globs_item *item, uint16_t kind, const char *at, size_t n)
{
    if (n > item->length && n < UINT32_MAX) {
        item->key = at;
        item->length = (uint32_t)n;
        item->kind = kind;
    }
}

/* Chooses the longest literal part of a pattern as its key. */
static void choose_key(ll_globs_item *item)
{
    text rest = trimmed(item->pattern);
    bool leads = is_anchored(rest);
    const char *start = NULL;
    const char *end = NULL;
    for (text name = take_pattern(&rest); !is_empty(name); name = take_pattern(&rest)) {
        size_t n = (size_t)(name.end - name.at);
        size_t head = 0;
        size_t tail = 0;
        while (head < n && !strchr("*?[\\", name.at[head])) {
            head++;
        }
        while (tail < n && tail < PART_MAX && !strchr("*?[]\\", name.end[-1 - (ptrdiff_t)tail])) {
            tail++;
        }
        leads = leads && head == n && (!start || name.at == end + 1);
        if (leads) {
            start = start ? start : name.at;
            end = name.end;
            consider(item, KEY_PATH, start, (size_t)(end - start));
        }
        if (head == n) {
            consider(item, KEY_NAME, name.at, n);
        } else {
            consider(item, KEY_HEAD, name.at, head < PART_MAX ? head : PART_MAX);
            consider(item, KEY_TAIL, name.end - tail, tail);
        }
    }
}

/* Grams are three bytes; a set of them has GRAMS bits, of which the first stays free. */
enum { GRAM = 3, GRAMS = 4096 };

static uint16_t gram_at(const char *at)
{
    return (uint16_t)(1 + ll_fnv(LL_FNV_START, at, GRAM) % (GRAMS - 1));
}

/* Finds the longest literal part of a pattern outside its key, to tell apart patterns with the same key. */
static void choose_other(ll_globs_item *item)
{
    size_t longest = GRAM - 1;
    const char *end = item->pattern + strcspn(item->pattern, "["); /* stop there: the end of a set is not just the next
                                                                      bracket */
    for (const char *at = item->pattern; at < end; at++) {
        size_t n = 0;
        while (at + n < end && !strchr("*?/\\", at[n])) {
            n++;
        }
        bool apart = !item->length || at + n <= item->key || at >= item->key + item->length;
        if (apart && n > longest) {
            longest = n;
            item->other[0] = gram_at(at);
            item->other[1] = gram_at(at + n - GRAM);
        }
        at += at[n] == '\\' ? n + 1 : n; /* skip the escaped character */
    }
}

typedef struct sought_key {
    const ll_globs *globs;
    const char *key;
    size_t length;
    unsigned kind;
} sought_key;

static bool has_key(const void *sought, uint32_t item)
{
    const sought_key *s = sought;
    const ll_globs_item *known = &s->globs->items[item];
    return known->kind == s->kind && known->length == s->length && memcmp(known->key, s->key, s->length) == 0;
}

static uint64_t hash_of(const void *owner, uint32_t item)
{
    const ll_globs_item *known = &((const ll_globs *)owner)->items[item];
    return ll_fnv(LL_FNV_START + known->kind, known->key, known->length);
}

bool ll_globs_add(ll_globs *globs, const char *pattern, const void *owner, const ll_allocator *allocator)
{
    uint32_t number = (uint32_t)globs->count;
    if (globs->count >= UINT32_MAX / 2 || !LL_ARRAY_ROOM(globs, 1, allocator) ||
        !ll_map_room(&globs->map, number, hash_of, globs, allocator)) {
        return false;
    }
    ll_globs_item *item = &globs->items[globs->count++];
    *item = (ll_globs_item){.pattern = pattern, .owner = owner};
    choose_key(item);
    choose_other(item);
    if (item->length == 0) {
        item->next = globs->keyless;
        globs->keyless = number + 1;
        return true;
    }
    globs->lengths[item->kind] |= UINT64_C(1) << (item->length & PART_MAX);
    sought_key key = {globs, item->key, item->length, item->kind};
    uint32_t first = ll_map_note(&globs->map, hash_of(globs, number), number, has_key, &key);
    if (first != LL_MAP_NONE) {
        item->next = globs->items[first].next;
        globs->items[first].next = number + 1;
    }
    return true;
}

typedef struct search {
    const ll_globs *globs;
    const char *path;
    bool is_directory, failed;
    ll_globs_hits *hits;
    const ll_allocator *allocator;
    bool knows_grams;
    uint64_t *grams; /* of the path; computed when needed */
} search;

static void try_item(search *s, uint32_t number)
{
    if (ll_glob_path(s->globs->items[number].pattern, s->path, s->is_directory)) {
        uint32_t *hit = LL_ARRAY_ADD(s->hits, s->allocator);
        s->failed = s->failed || !hit;
        if (hit) {
            *hit = number;
        }
    }
}

static void note_grams(search *s)
{
    memset(s->grams, 0, GRAMS / 8);
    s->knows_grams = true;
    s->grams[0] = 1; /* for items without grams */
    for (const char *at = s->path; at[0] && at[1] && at[2]; at++) {
        s->grams[gram_at(at) / 64] |= UINT64_C(1) << gram_at(at) % 64;
    }
}

/* May the path contain a gram? True for all until its grams are computed. */
static bool has_gram(const search *s, uint16_t place)
{
    return !s->knows_grams || s->grams[place / 64] >> place % 64 & 1;
}

static void try_chain(search *s, uint32_t link)
{
    if (link && s->globs->items[link - 1].next && !s->knows_grams) {
        note_grams(s);
    }
    for (; link; link = s->globs->items[link - 1].next) {
        const ll_globs_item *item = &s->globs->items[link - 1];
        if (has_gram(s, item->other[0]) && has_gram(s, item->other[1])) {
            try_item(s, link - 1);
        }
    }
}

static void try_key(search *s, unsigned kind, uint64_t hash, const char *key, size_t length)
{
    uint32_t first = ll_map_find(&s->globs->map, hash, has_key, &(sought_key){s->globs, key, length, kind});
    if (first != LL_MAP_NONE) {
        try_chain(s, first + 1);
    }
}

/* Tries heads or tails of a name, of all lengths that keys have. */
static void try_parts(search *s, unsigned kind, text name)
{
    size_t n = (size_t)(name.end - name.at);
    for (uint64_t left = s->globs->lengths[kind]; left; left &= left - 1) {
        size_t length = (size_t)__builtin_ctzll(left);
        if (length <= n) {
            const char *key = kind == KEY_HEAD ? name.at : name.end - length;
            try_key(s, kind, ll_fnv(LL_FNV_START + kind, key, length), key, length);
        }
    }
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a;
    uint32_t two = *(const uint32_t *)b;
    return (one > two) - (one < two);
}

/* Sorts hits in the order in which items were added, and removes duplicates: a key may occur twice in a path. */
static void sort_hits(ll_globs_hits *hits)
{
    size_t kept = 0;
    if (hits->count > 1) {
        qsort(hits->items, hits->count, sizeof *hits->items, compare_numbers);
    }
    for (size_t i = 0; i < hits->count; i++) {
        if (kept == 0 || hits->items[kept - 1] != hits->items[i]) {
            hits->items[kept++] = hits->items[i];
        }
    }
    hits->count = kept;
}

bool ll_globs_match(const ll_globs *globs, const char *path, bool is_directory, ll_globs_hits *hits,
                    const ll_allocator *allocator)
{
    uint64_t grams[GRAMS / 64];
    search s = {globs, path, is_directory, false, hits, allocator, false, grams};
    uint64_t stem = LL_FNV_START + KEY_PATH;
    const char *hashed = path;
    text rest = whole(path);
    hits->count = 0;
    if (globs->map.lost) { /* keys that collide on purpose */
        rest.end = rest.at;
        for (uint32_t i = 0; i < globs->count; i++) {
            try_item(&s, i);
        }
    } else {
        try_chain(&s, globs->keyless);
    }
    for (text name = take_name(&rest); !is_empty(name); name = take_name(&rest)) {
        if (globs->lengths[KEY_PATH]) {
            stem = ll_fnv(stem, hashed, (size_t)(name.end - hashed));
            hashed = name.end;
            try_key(&s, KEY_PATH, stem, path, (size_t)(name.end - path));
        }
        if (globs->lengths[KEY_NAME]) {
            size_t n = (size_t)(name.end - name.at);
            try_key(&s, KEY_NAME, ll_fnv(LL_FNV_START + KEY_NAME, name.at, n), name.at, n);
        }
        try_parts(&s, KEY_HEAD, name);
        try_parts(&s, KEY_TAIL, name);
    }
    sort_hits(hits);
    return !s.failed;
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
