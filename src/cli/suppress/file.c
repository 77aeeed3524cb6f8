/* Converts the YAML of a suppression file to entries. An entry must have a reason and identify findings closely; one
 * that would suppress more than its author meant is refused. The tree is within the limits of base/yaml.h. */
#include "cli/suppress/file.h"

#include "base/bind.h"
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

/* State of reading a file; the owner of the binder. */
typedef struct reader {
    const ll_ruleset *rules;
    found_rule found[RULES_KEPT]; /* indexed by a hash of the name */
} reader;

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

static ll_status read_text(const ll_binder *b, const ll_yaml *node, const char *expected, const char **out)
{
    *out = node->text;
    return node->kind == LL_YAML_SCALAR && !is_blank(node->text) ? LL_OK : ll_bind_expect(b, NULL, node, expected);
}

static ll_status read_file(const ll_binder *b, const ll_yaml *node, void *out)
{
    ll_suppression *entry = out;
    const char *why = NULL;
    const char *pattern = NULL;
    ll_status status = read_text(b, node, "the path of a light file, or a pattern", &pattern);
    if (status == LL_OK && !ll_glob_valid(pattern, &why)) {
        return LL_BIND_REFUSE(b, node, "file: bad pattern '", pattern, "': ", why);
    }
    entry->literal = !strpbrk(pattern, "*?[\\");
    /* anchor it: "a.grxla" is one file, not one in every directory */
    entry->file = pattern[0] == '/' ? pattern : ll_path_below(b->arena, "", pattern);
    return status;
}

/* Finds a rule that a suppression may name. */
static ll_status find_rule(const ll_binder *b, const ll_yaml *node, found_rule *found)
{
    const reader *r = b->owner;
    ll_rule_info info;
    size_t index = 0;
    if (!ll_ruleset_find(r->rules, node->text, &index, b->problem) || !ll_ruleset_rule(r->rules, index, &info)) {
        return ll_problem_prefix(ll_problem_at(b->problem, node->line, node->column), "rule");
    }
    if (!info.may_be_marked && info.locked) {
        return LL_BIND_REFUSE(b, node, "rule: ", info.id, " ", info.name,
                              " is locked and cannot be suppressed: a file that it reports was not checked; repair "
                              "the file or exclude it");
    }
    if (!info.may_be_marked) {
        return LL_BIND_REFUSE(b, node, "rule: ", info.id, " ", info.name,
                              " is about suppressions and baselines and cannot be suppressed; --ignore ", info.name,
                              " switches it off");
    }
    *found = (found_rule){node->text, info.id, index};
    return LL_OK;
}

static ll_status read_rule(const ll_binder *b, const ll_yaml *node, void *out)
{
    ll_suppression *entry = out;
    reader *r = b->owner;
    const char *name = NULL;
    ll_status status = read_text(b, node, "the id or name of one rule", &name);
    found_rule *found = &r->found[ll_fnv(LL_FNV_START, name, node->length) % RULES_KEPT];
    if (status == LL_OK && !(found->name && strcmp(found->name, name) == 0)) {
        status = find_rule(b, node, found);
    }
    entry->rule = found->id;
    entry->rule_index = found->index;
    return status;
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

static ll_status read_path(const ll_binder *b, const ll_yaml *node, void *out)
{
    ll_suppression *entry = out;
    ll_status status = read_text(b, node, "a pattern for field paths, such as entry[*].name", &entry->path);
    entry->key = longest_literal(b->arena, entry->path);
    size_t backslashes = 0;
    while (backslashes < node->length && node->text[node->length - 1 - backslashes] == '\\') {
        backslashes++;
    }
    return status != LL_OK || backslashes % 2 == 0 ? status
                                                   : LL_BIND_REFUSE(b, node, "path: bad pattern '", node->text,
                                                                    "': nothing follows the backslash at its end");
}

static ll_status read_fingerprint(const ll_binder *b, const ll_yaml *node, void *out)
{
    ((ll_suppression *)out)->fingerprint = node->text;
    return node->length == 16 && strspn(node->text, "0123456789abcdef") == 16
               ? LL_OK
               : ll_bind_expect(b, NULL, node, "the 16 hex digits that --format jsonl shows as fingerprint");
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

static ll_status read_expires(const ll_binder *b, const ll_yaml *node, void *out)
{
    ll_suppression *entry = out;
    char today[LL_OS_DATE];
    entry->expires = node->text;
    if (node->kind != LL_YAML_SCALAR || !is_date(node->text)) {
        return ll_bind_expect(b, NULL, node, "a date such as 2026-11-21");
    }
    if (!ll_os_today(today)) {
        return LL_BIND_REFUSE(b, node, "expires: SOURCE_DATE_EPOCH is set, but not to a number of seconds since 1970");
    }
    entry->expired = strcmp(entry->expires, today) < 0;
    return LL_OK;
}

static ll_status read_reason(const ll_binder *b, const ll_yaml *node, void *out)
{
    return read_text(b, node, "a text that says why the finding may stay", &((ll_suppression *)out)->reason);
}

/* ------------------------------------------------------------------ entries */

static const ll_bind_key entry_keys[] = {
    {"file", read_file, 0, 1, 0},     {"rule", read_rule, 0, 1, 0},
    {"path", read_path, 0, 1, 0},     {"fingerprint", read_fingerprint, 0, 1, 0},
    {"reason", read_reason, 0, 1, 1}, {"expires", read_expires, 0, 1, 0},
};
static const ll_bind_map entry_map = {entry_keys, sizeof entry_keys / sizeof *entry_keys, "the entry",
                                      "an entry such as {file: a.grxla, rule: name-hash, reason: ...}", NULL};

static ll_status read_entry(const ll_binder *b, const ll_yaml *node, ll_suppression *entry)
{
    ll_status status = ll_bind(b, &entry_map, 1, node, entry);
    if (status == LL_OK && !entry->rule && !entry->fingerprint) {
        return LL_BIND_REFUSE(
            b, node, "the entry needs a key 'rule' or 'fingerprint': without both it would suppress everything");
    }
    if (status == LL_OK && !entry->file && !entry->fingerprint) {
        return LL_BIND_REFUSE(b, node, "the entry lacks the key 'file'; only one with a 'fingerprint' may do without");
    }
    entry->line = node->line;
    return status;
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

static ll_status read_list(const ll_binder *b, const ll_yaml *list, void *out)
{
    ll_suppress_file *file = out;
    const reader *r = b->owner;
    ll_status status = LL_OK;
    if (list->kind != LL_YAML_LIST) {
        return ll_bind_expect(b, NULL, list, "a list of entries");
    }
    ll_allocator allocator = ll_arena_allocator(b->arena);
    file->entries = ll_arena_zalloc(b->arena, list->length + 1, sizeof *file->entries);
    for (const ll_yaml *node = list->first; node && status == LL_OK; node = node->next) {
        ll_suppression *entry = &file->entries[file->count++];
        atomic_init(&entry->seen, 0);
        entry->rules = r->rules;
        status = read_entry(b, node, entry);
        if (status == LL_OK && !entry->expired) {
            (void)ll_globs_add(entry->file ? &file->files : &file->anywhere,
                               entry->file ? entry->file : entry->fingerprint, entry, &allocator);
        }
    }
    if (status == LL_OK) {
        find_places(file, list);
    }
    return status;
}

static const ll_bind_key file_keys[] = {{"suppress", read_list, 0, 1, 0}};
static const ll_bind_map file_map = {file_keys, 1, "the file", "a map with the key 'suppress'", NULL};

bool ll_suppress_file_read(ll_arena *arena, const ll_ruleset *rules, ll_suppress_file *file)
{
    ll_os_buffer buffer = {0};
    ll_problem problem = {0};
    reader r = {.rules = rules};
    const ll_binder binder = {arena, &problem, &r};
    const ll_yaml *root = NULL;
    file->entries = NULL;
    file->count = 0;
    ll_read_result result = ll_yaml_file_read(arena, &buffer, file->shown, "", &root);
    file->bytes = (const unsigned char *)ll_arena_copy(arena, (const char *)buffer.bytes, buffer.size);
    file->size = buffer.size;
    ll_os_buffer_free(&buffer);
    /* missing: removed since the caller saw it; no root: only comments */
    return result == LL_READ_MISSING ||
           (result == LL_READ_DONE &&
            (!root || ll_accept(ll_bind(&binder, &file_map, 1, root, file), file->shown, &problem)));
}
