/* Converts the YAML of a suppression file to entries. An entry must have a reason and identify findings closely; one
 * that would suppress more than its author meant is refused. The tree is within the limits of base/yaml.h. */
#include "cli/suppress/file.h"

#include "base/text.h"
#include "cli/output.h"
#include "cli/config/path.h"
#include "cli/config/yaml_file.h"

#include <string.h>

/* ------------------------------------------------------------------ values */

/* Cache of rules by the name in an entry: many entries name few rules, and searching a rule set is linear. */
typedef struct found_rule {
    const char *name, *id;
    size_t index;
} found_rule;

enum { RULES_KEPT = 64 };

/* State of reading a file. */
typedef struct reader {
    ll_arena *arena;
    const ll_ruleset *rules;
    const char *shown;            /* its name in messages */
    found_rule found[RULES_KEPT]; /* indexed by a hash of the name */
} reader;

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

static bool read_text(reader *r, const ll_yaml *node, const char *expected, const char **out)
{
    if (node->kind != LL_YAML_SCALAR || is_blank(node->text)) {
        return ll_refuse_at(r->shown, node, "%s: expected %s, not %s", node->key->text, expected,
                            node->kind == LL_YAML_SCALAR ? "nothing" : ll_kind_found(node));
    }
    *out = node->text;
    return true;
}

static bool read_file(reader *r, const ll_yaml *node, ll_suppression *entry)
{
    const char *why = NULL;
    const char *pattern = NULL;
    if (!read_text(r, node, "the path of a light file, or a pattern", &pattern)) {
        return false;
    }
    if (!ll_glob_valid(pattern, &why)) {
        return ll_refuse_at(r->shown, node, "file: bad pattern '%s': %s", pattern, why);
    }
    entry->literal = !strpbrk(pattern, "*?[\\");
    /* anchor it: "a.grxla" is one file, not one in every directory */
    entry->file = pattern[0] == '/' ? pattern : ll_path_below(r->arena, "", pattern);
    return true;
}

static bool read_rule(reader *r, const ll_yaml *node, ll_suppression *entry)
{
    const char *name = NULL;
    size_t index = 0;
    ll_rule_info info;
    ll_problem problem = {0};
    if (!read_text(r, node, "the id or name of one rule", &name)) {
        return false;
    }
    found_rule *found = &r->found[ll_fnv(LL_FNV_START, name, node->length) % RULES_KEPT];
    if (found->name && strcmp(found->name, name) == 0) {
        entry->rule = found->id;
        entry->rule_index = found->index;
        return true;
    }
    if (!ll_ruleset_find(r->rules, name, &index, &problem) || !ll_ruleset_rule(r->rules, index, &info)) {
        return ll_refuse_at(r->shown, node, "rule: %s", problem.text);
    }
    if (!info.may_be_marked && info.locked) {
        return ll_refuse_at(
            r->shown, node,
            "rule: %s %s is locked and cannot be suppressed: a file that it reports was not checked; repair "
            "the file or exclude it",
            info.id, info.name);
    }
    if (!info.may_be_marked) {
        return ll_refuse_at(
            r->shown, node,
            "rule: %s %s is about suppressions and baselines and cannot be suppressed; --ignore %s switches it off",
            info.id, info.name, info.name);
    }
    *found = (found_rule){name, info.id, index};
    entry->rule = info.id;
    entry->rule_index = index;
    return true;
}

/* The longest part of a pattern of ll_glob() without wildcards. */
static const char *longest_literal(ll_arena *arena, const char *pattern)
{
    static const char wild[] = "*?\\";
    const char *best = pattern;
    size_t length = 0;
    for (const char *at = pattern; *at;) {
        size_t n = strcspn(at, wild);
        best = n > length ? at : best;
        length = n > length ? n : length;
        at += n;
        at += *at == '\\' && at[1] ? 2 : *at != '\0';
    }
    char *key = ll_arena_zalloc(arena, length + 1, 1);
    return memcpy(key, best, length);
}

static bool read_path(reader *r, const ll_yaml *node, ll_suppression *entry)
{
    if (!read_text(r, node, "a pattern for field paths, such as entry[*].name", &entry->path)) {
        return false;
    }
    entry->key = longest_literal(r->arena, entry->path);
    size_t backslashes = 0;
    while (backslashes < node->length && node->text[node->length - 1 - backslashes] == '\\') {
        backslashes++;
    }
    return backslashes % 2 == 0 ||
           ll_refuse_at(r->shown, node, "path: bad pattern '%s': nothing follows the backslash at its end", node->text);
}

static bool read_fingerprint(reader *r, const ll_yaml *node, ll_suppression *entry)
{
    static const char expected[] = "the 16 hex digits that --format jsonl shows as fingerprint";
    if (!read_text(r, node, expected, &entry->fingerprint)) {
        return false;
    }
    return (node->length == 16 && strspn(node->text, "0123456789abcdef") == 16) ||
           ll_refuse_at(r->shown, node, "fingerprint: expected %s, not '%s'", expected, node->text);
}

static unsigned digits(const char *text, size_t n)
{
    unsigned value = 0;
    for (size_t i = 0; i < n; i++) {
        value = value * 10 + (unsigned)(text[i] - '0');
    }
    return value;
}

/* Is it a date such as "2026-11-21" that exists? */
static bool is_date(const char *text)
{
    static const char shape[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof shape; i++) {
        if (shape[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i]) {
            return false;
        }
    }
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned year = digits(text, 4);
    unsigned month = digits(text + 5, 2);
    unsigned day = digits(text + 8, 2);
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (month == 2 && leap);
}

static bool read_expires(reader *r, const ll_yaml *node, ll_suppression *entry)
{
    char today[LL_OS_DATE];
    if (!read_text(r, node, "a date such as 2026-11-21", &entry->expires)) {
        return false;
    }
    if (!is_date(entry->expires)) {
        return ll_refuse_at(r->shown, node, "expires: expected a date such as 2026-11-21, not '%s'", entry->expires);
    }
    if (!ll_os_today(today)) {
        return ll_refuse_at(r->shown, node,
                            "expires: SOURCE_DATE_EPOCH is set, but not to a number of seconds since 1970");
    }
    entry->expired = strcmp(entry->expires, today) < 0;
    return true;
}

static bool read_reason(reader *r, const ll_yaml *node, ll_suppression *entry)
{
    return read_text(r, node, "a text that says why the finding may stay", &entry->reason);
}

/* ------------------------------------------------------------------ entries */

typedef bool read_fn(reader *r, const ll_yaml *node, ll_suppression *entry);

static const char *const entry_keys[] = {"file", "rule", "path", "fingerprint", "reason", "expires", NULL};
static read_fn *const readers[] = {read_file, read_rule, read_path, read_fingerprint, read_reason, read_expires};
static const char *const top_keys[] = {"suppress", NULL};

static bool read_value(reader *r, const ll_yaml *node, ll_suppression *entry)
{
    size_t key = 0;
    while (entry_keys[key] && strcmp(entry_keys[key], node->key->text) != 0) {
        key++;
    }
    return entry_keys[key] ? readers[key](r, node, entry) : ll_refuse_key(r->shown, node->key, entry_keys);
}

static bool read_entry(reader *r, const ll_yaml *node, ll_suppression *entry)
{
    if (node->kind != LL_YAML_MAP) {
        return ll_refuse_at(r->shown, node,
                            "expected an entry such as {file: a.grxla, rule: name-hash, reason: ...}, not %s",
                            ll_kind_found(node));
    }
    for (const ll_yaml *value = node->first; value; value = value->next) {
        if (!read_value(r, value, entry)) {
            return false;
        }
    }
    if (!entry->reason) {
        return ll_refuse_at(r->shown, node, "the entry lacks the key 'reason', which says why the finding may stay");
    }
    if (!entry->rule && !entry->fingerprint) {
        return ll_refuse_at(r->shown, node,
                            "the entry needs a key 'rule' or 'fingerprint': without both it would suppress everything");
    }
    if (!entry->file && !entry->fingerprint) {
        return ll_refuse_at(r->shown, node,
                            "the entry lacks the key 'file'; only one with a 'fingerprint' may do without");
    }
    entry->line = node->line;
    return true;
}

/* ------------------------------------------------------------------ places */

/* Returns the end of an entry without what does not belong to it: blanks, commas and brackets of flow lists, comment
 * lines. */
static size_t trim(const unsigned char *bytes, size_t start, size_t end)
{
    for (;;) {
        while (end > start && strchr(" \t\r\n,", bytes[end - 1])) {
            end--;
        }
        size_t line = end;
        while (line > start && bytes[line - 1] != '\n') {
            line--;
        }
        size_t first = line;
        while (first < end && (bytes[first] == ' ' || bytes[first] == '\t')) {
            first++;
        }
        if (line == start || bytes[first] != '#') {
            return end;
        }
        end = line;
    }
}

/* Sets the byte ranges of entries: from the start of each to that of the next one, or to the line break before that. */
static void find_places(ll_suppress_file *file, const ll_yaml *list)
{
    const unsigned char *bytes = file->bytes;
    size_t at = ll_bom_length(bytes, file->size); /* node->index counts characters after the byte order mark */
    size_t passed = 0;
    ll_suppression *entry = file->entries;
    for (const ll_yaml *node = list->first; node; node = node->next, entry++) {
        for (; passed < node->index && at < file->size; passed++) {
            for (at++; at < file->size && (bytes[at] & 0xC0) == 0x80; at++) {
            }
        }
        entry->offset = at;
    }
    entry = file->entries;
    for (const ll_yaml *node = list->first; node; node = node->next, entry++) {
        size_t end = node->next ? (size_t)entry[1].offset : file->size;
        while (node->next && node->next->line > node->line && end > entry->offset && bytes[end - 1] != '\n') {
            end--;
        }
        entry->length = trim(bytes, (size_t)entry->offset, end) - entry->offset;
    }
}

/* ------------------------------------------------------------------ the file */

static bool read_list(reader *r, const ll_yaml *list, ll_suppress_file *file)
{
    if (list->kind != LL_YAML_LIST) {
        return ll_refuse_at(file->shown, list, "suppress: expected a list of entries, not %s", ll_kind_found(list));
    }
    ll_allocator allocator = ll_arena_allocator(r->arena);
    file->entries = ll_arena_zalloc(r->arena, list->length + 1, sizeof *file->entries);
    for (const ll_yaml *node = list->first; node; node = node->next) {
        ll_suppression *entry = &file->entries[file->count++];
        atomic_init(&entry->seen, 0);
        entry->rules = r->rules;
        if (!read_entry(r, node, entry)) {
            return false;
        }
        if (!entry->expired) {
            (void)ll_globs_add(entry->file ? &file->files : &file->anywhere,
                               entry->file ? entry->file : entry->fingerprint, entry, &allocator);
        }
    }
    find_places(file, list);
    return true;
}

static bool read_tree(reader *r, const ll_yaml *root, ll_suppress_file *file)
{
    if (!root) {
        return true; /* only comments */
    }
    if (root->kind != LL_YAML_MAP) {
        return ll_refuse_at(file->shown, root, "expected a map with the key 'suppress', not %s", ll_kind_found(root));
    }
    for (const ll_yaml *value = root->first; value; value = value->next) {
        if (strcmp(value->key->text, top_keys[0]) != 0) {
            return ll_refuse_key(file->shown, value->key, top_keys);
        }
        if (!read_list(r, value, file)) {
            return false;
        }
    }
    return true;
}

bool ll_suppress_file_read(ll_arena *arena, const ll_ruleset *rules, ll_suppress_file *file)
{
    ll_os_buffer buffer = {0};
    const ll_yaml *root = NULL;
    file->entries = NULL;
    file->count = 0;
    ll_read_result result = ll_yaml_file_read(arena, &buffer, file->shown, "", &root);
    file->bytes = (const unsigned char *)ll_arena_copy(arena, (const char *)buffer.bytes, buffer.size);
    file->size = buffer.size;
    bool fine = result == LL_READ_MISSING || /* removed since the caller saw it */
                (result == LL_READ_DONE &&
                 read_tree(&(reader){.arena = arena, .rules = rules, .shown = file->shown}, root, file));
    ll_os_buffer_free(&buffer);
    return fine;
}
