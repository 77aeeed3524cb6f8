/* See tables.h. */
#include "cli/tables.h"

#include <stddef.h>
#include <string.h>

/* ------------------------------------------------------------------ words */

const char *const ll_color_words[] = {"auto", "always", "never", NULL};
const char *const ll_level_words[] = {"error", "warning", "note", "never", NULL};
const char *const ll_dump_formats[] = {"text", "json", NULL};
const char *const ll_page_formats[] = {"text", "json", "markdown", NULL};

static const char *const baseline_verbs[] = {"create", "update", "prune", NULL};
static const char *const config_verbs[] = {"show", "init", "schema", NULL};
static const char *const shells[] = {"bash", "zsh", "fish", "powershell", NULL};

const ll_word_row ll_format_rows[] = {
    {"full", "for people: the bytes, the field, what was found and expected (the default)"},
    {"concise", "one line a finding"},
    {"json", "one document"},
    {"jsonl", "JSON Lines: an object a finding, and a summary"},
    {"sarif", "SARIF 2.1.0 with byte regions"},
    {"sarif-github", "the same with the line numbers that GitHub code scanning asks for"},
    {"github", "workflow commands: annotations of a GitHub Actions run"},
    {"gitlab", "a GitLab Code Quality report"},
    {"junit", "JUnit XML: a test case a file"},
    {"markdown", "a page for a step summary or a comment"},
    {"statistics", "counts by rule, field and record instead of findings"},
    {"sweep", "what the command sweep writes"},
    {NULL, NULL},
};

/* ------------------------------------------------------------------ commands */

const ll_command_row ll_command_rows[] = {
    [LL_COMMAND_CHECK] = {'c',
                          "check",
                          LL_OPERAND_FILES,
                          NULL,
                          {{"[check] [OPTIONS] PATH...", "check files, directories, '-'"}},
                          "Check files. This is the default; a file called `check` is reached as `./check`."},
    [LL_COMMAND_DUMP] = {'d',
                         "dump",
                         LL_OPERAND_FILES,
                         NULL,
                         {{"dump [--format text|json] FILE", "show what every byte means"},
                          {"dump --script ACTOR FILE", "list one script of a map"}},
                         "Show every byte of a file with its offset, field path, type and value. With `--script`, list "
                         "one script of a map "
                         "instead."},
    [LL_COMMAND_EXPLAIN] =
        {'e',
         "explain",
         LL_OPERAND_RULE,
         NULL,
         {{"explain RULE", "show why a rule is there"}},
         "Show one rule: what it checks, why, what it rests on, and what to do. The rule is an id (GRX265), a name "
         "(name-hash) or a family and a name (grx/name-hash)."},
    [LL_COMMAND_RULES] = {'r',
                          "rules",
                          LL_OPERAND_NONE,
                          NULL,
                          {{"rules [--format text|json|markdown]", "list all rules"}},
                          "List all rules."},
    [LL_COMMAND_BASELINE] = {'b',
                             "baseline",
                             LL_OPERAND_FILES,
                             baseline_verbs,
                             {{"baseline create|update|prune PATH...", "let only what is new fail"}},
                             "Keep a list of findings that are known, so that only new ones fail a check. `create` "
                             "writes it anew; `update` drops "
                             "what is no longer found, and adds what is new only with `--accept-new`; `prune` drops "
                             "what is no longer found. The "
                             "file is the one of `--baseline`, of the configuration, or `.lightlint-baseline.jsonl`."},
    [LL_COMMAND_SWEEP] = {'s',
                          "sweep",
                          LL_OPERAND_FILES,
                          NULL,
                          {{"sweep -o NEW.jsonl PATH...", "record a corpus' findings"},
                           {"sweep --diff OLD.jsonl NEW.jsonl", "show what came and went"},
                           {"sweep --merge -o ALL.jsonl PART...", "join the sweeps of shards"}},
                          "Record every finding of a corpus, without limits, suppressions or a baseline, so that two "
                          "versions of the program or of "
                          "its rules can be compared. `--shard` takes a part of the corpus, `--merge` joins such parts "
                          "to the very bytes of a sweep "
                          "over all of it, and `--diff` shows which findings came, went or changed."},
    [LL_COMMAND_CENSUS] = {'n',
                           "census",
                           LL_OPERAND_FILES,
                           NULL,
                           {{"census PATH...", "count the values of all fields"}},
                           "Count what a corpus holds: for every field of every record its values, their range and the "
                           "most frequent ones, and which "
                           "claims of the rules hold for all of them."},
    [LL_COMMAND_CONFIG] = {'f',
                           "config",
                           LL_OPERAND_FILES,
                           config_verbs,
                           {{"config show PATH | init | schema", "show or start a configuration"}},
                           "`show` prints what holds for a path and where each setting comes from; `init` writes a "
                           "commented `.lightlint.yaml` to "
                           "start from; `schema` prints the JSON Schema of that file."},
    [LL_COMMAND_COMPLETIONS] = {'o',
                                "completions",
                                LL_OPERAND_NONE,
                                shells,
                                {{"completions bash|zsh|fish|powershell", "print a completion script"}},
                                "Print a script that makes a shell complete commands, options and their values."},
    [LL_COMMAND_VERSION] =
        {'v', "version", LL_OPERAND_NONE, NULL, {{"version", "show the version"}}, "Show the version."},
};
_Static_assert(sizeof ll_command_rows / sizeof *ll_command_rows == LL_COMMAND_ROWS, "every command has a row");

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

bool ll_option_is_of(const ll_option_row *row, const ll_command_row *command)
{
    return strchr(row->commands, command->letter) != NULL;
}

const char *const *ll_command_formats(const ll_command_row *command)
{
    switch (command - ll_command_rows) {
    case LL_COMMAND_CHECK:
        return ll_emit_formats();
    case LL_COMMAND_DUMP:
        return ll_dump_formats;
    default:
        return ll_page_formats;
    }
}
