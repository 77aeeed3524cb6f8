/* The tables of the command line and the look-up in them. */
#include "cli/tables.h"

#include <stddef.h>
#include <string.h>

/* ------------------------------------------------------------------ words */

const char *const ll_color_words[] = {"auto", "always", "never", NULL};
const char *const ll_level_words[] = {"error", "warning", "note", "never", NULL};
const char *const ll_dump_formats[] = {"text", "json", NULL};
static const char *const field_formats[] = {"text", "json", "ksy", "hexpat", NULL};
const char *const ll_page_formats[] = {"text", "json", "markdown", NULL};
const char *const ll_package_formats[] = {"text", "json", "dot", NULL};
static const char *const sweep_formats[] = {"text", "json", "markdown", "html", "jsonl", NULL};
const char *const ll_census_formats[] = {"text", "json", "markdown", "html", "jsonl", NULL};

static const char *const baseline_verbs[] = {"create", "update", "prune", NULL};
static const char *const config_verbs[] = {"show", "init", "schema", NULL};
static const char *const shells[] = {"bash", "zsh", "fish", "powershell", "line", NULL};

const ll_word_row ll_format_rows[] = {
    {"full", "for people: the bytes, the field, what was found and expected (the default)"},
    {"concise", "one line per finding"},
    {"json", "one document"},
    {"jsonl", "JSON Lines: one object per finding, and a summary"},
    {"sarif", "SARIF 2.1.0 with byte regions"},
    {"sarif-github", "SARIF with the line numbers that GitHub code scanning needs"},
    {"github", "workflow commands: annotations of a GitHub Actions run"},
    {"gitlab", "a GitLab Code Quality report"},
    {"junit", "JUnit XML: one test case per file"},
    {"markdown", "a page for a step summary or a comment"},
    {"html", "a page for a browser or a printer, with the bytes around each finding"},
    {"statistics", "counts by rule, field and record instead of findings"},
    {"statistics-markdown", "these counts as Markdown"},
    {"statistics-html", "these counts as a page with charts"},
    {"statistics-json", "these counts as JSON"},
    {"sweep", "the records of the command sweep"},
    {NULL, NULL},
};

/* ------------------------------------------------------------------ commands */

const char *const ll_command_names[] = {
#define LL_COMMAND_ROW(id, letter, name, ...) name,
#include "cli/commands.def"
#undef LL_COMMAND_ROW
    NULL};

const ll_command_row ll_command_rows[LL_COMMAND_ROWS] = {
#define LL_COMMAND_ROW(id, letter, name, operand, words, more, ...)                                                    \
    [LL_COMMAND_##id] = {letter, name, LL_OPERAND_##operand, words, more, {__VA_ARGS__}},
#include "cli/commands.def"
#undef LL_COMMAND_ROW
};

/* ------------------------------------------------------------------ options */

const char *const ll_group_titles[LL_GROUPS] = {
    [LL_GROUP_RULES] = "Rules (SELECTOR: id, id prefix, name, glob, tag:NAME, all; or a list with commas)",
    [LL_GROUP_FILES] = "Files",
    [LL_GROUP_OUTPUT] = "Output (repeat --format for several)",
    [LL_GROUP_OUTCOME] = "Outcome",
};

const ll_option_row ll_option_rows[LL_OPT_COUNT] = {
#define LL_FILLS(member) offsetof(ll_options, member)
#define LL_OPTION(id, group, letter, name, kind, value, commands, fills, help, more)                                   \
    [LL_OPT_##id] = {LL_GROUP_##group, letter, name, LL_VALUE_##kind, value, commands, fills, help, more},
#include "cli/options.def"
#undef LL_OPTION
#undef LL_FILLS
};

const ll_command_row *ll_command_find(const char *word)
{
    size_t i = 0;
    while (i < LL_COMMAND_ROWS && strcmp(ll_command_rows[i].name, word) != 0) {
        i++;
    }
    return i < LL_COMMAND_ROWS ? &ll_command_rows[i] : NULL;
}

const ll_option_row *ll_option_find(const char *word, size_t n, bool is_name)
{
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        const ll_option_row *r = &ll_option_rows[i];
        if (is_name ? strlen(r->name) == n && memcmp(r->name, word, n) == 0 : r->letter && r->letter == *word) {
            return r;
        }
    }
    return NULL;
}

bool ll_option_is_of(const ll_option_row *row, const ll_command_row *command)
{
    return strchr(row->commands, command->letter) != NULL;
}

const char *const *ll_command_words(const ll_command_row *command, const char *families[LL_FAMILY_NAMES_MAX])
{
    size_t i = 0;
    for (; i + 1 < LL_FAMILY_NAMES_MAX && ll_family(i); i++) {
        families[i] = ll_family(i);
    }
    families[i] = NULL;
    return command->operand == LL_OPERAND_FAMILY ? families : command->words;
}

const char *const *ll_command_formats(const ll_command_row *command)
{
    switch (command - ll_command_rows) {
    case LL_COMMAND_CHECK:
        return ll_emit_formats();
    case LL_COMMAND_FIX:
        return ll_fix_formats();
    case LL_COMMAND_DIFF:
        return ll_diff_formats();
    case LL_COMMAND_DUMP:
    case LL_COMMAND_VERSION:
        return ll_dump_formats;
    case LL_COMMAND_FIELDS:
        return field_formats;
    case LL_COMMAND_SWEEP:
        return sweep_formats;
    case LL_COMMAND_CENSUS:
        return ll_census_formats;
    case LL_COMMAND_PACKAGES:
        return ll_package_formats;
    default:
        return ll_page_formats;
    }
}
