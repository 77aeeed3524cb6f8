/* See tables.h. */
#include "cli/tables.h"

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
    [LL_OPT_SELECT] =
        {LL_GROUP_RULES, 0, "select", LL_VALUE_RULE, "SELECTOR", "cbsnf", "check these rules only",
         "Check these rules only. On the command line it also takes the place of `select` and `ignore` in the "
         "configuration. Repeatable."},
    [LL_OPT_IGNORE] = {LL_GROUP_RULES, 0, "ignore", LL_VALUE_RULE, "SELECTOR", "cbsnf",
                       "leave these rules out; stronger than --select",
                       "Leave these rules out. Stronger than `--select`. Repeatable."},
    [LL_OPT_SEVERITY] =
        {LL_GROUP_RULES, 0, "severity", LL_VALUE_RULE_LEVEL, "RULE=LEVEL", "cbsnf", "error, warning, note or off",
         "Set the severity of a rule, or of all rules of a selector, to `error`, `warning`, `note` or `off`. Some "
         "rules are locked and cannot be lowered. Repeatable."},
    [LL_OPT_RULES] = {LL_GROUP_RULES, 0, "rules", LL_VALUE_FILE, "FILE", "cderbsnf", "add your own rules (YAML)",
                      "Add a pack of your own rules, in YAML. Repeatable."},
    [LL_OPT_CONFIG] =
        {LL_GROUP_RULES, 0, "config", LL_VALUE_FILE, "FILE", "cderbsnf", "read this configuration, not .lightlint.yaml",
         "Read this configuration file for all paths, and look for no other. Paths in it are relative to its "
         "directory. See `lightlint-config`(5)."},
    [LL_OPT_ISOLATED] = {LL_GROUP_RULES, 0, "isolated", LL_VALUE_NONE, NULL, "cderbsnf",
                         "look for no configuration and no suppressions",
                         "Look for no configuration and no suppressions: only the command line counts."},
    [LL_OPT_NO_SUPPRESSIONS] = {LL_GROUP_RULES, 0, "no-suppressions", LL_VALUE_NONE, NULL, "cb",
                                "pass over .lightlint-ignore.yaml",
                                "Pass over `.lightlint-ignore.yaml`: show what it would hide."},
    [LL_OPT_BASELINE] =
        {LL_GROUP_RULES, 0, "baseline", LL_VALUE_FILE, "FILE", "cbf", "findings listed there do not count",
         "Findings that are listed in this baseline do not count, and are not shown. See the command `baseline`."},
    [LL_OPT_ACCEPT_NEW] = {LL_GROUP_RULES, 0, "accept-new", LL_VALUE_NONE, NULL, "b",
                           "update: add new findings to the baseline",
                           "`baseline update` adds new findings too. Without it, they are counted and left out."},
    [LL_OPT_INCLUDE] = {LL_GROUP_FILES, 0, "include", LL_VALUE_TEXT, "GLOB", "cbsnf",
                        "in directories, take these files only",
                        "In directories, take only files that match. Patterns are those of `.gitignore`: `*` and `?` "
                        "stay inside a name, "
                        "`**` crosses directories, a pattern without a slash matches names at any depth. Repeatable."},
    [LL_OPT_EXCLUDE] =
        {LL_GROUP_FILES, 0, "exclude", LL_VALUE_TEXT, "GLOB", "cbsnf", "in directories, leave these out",
         "In directories, leave out files and directories that match, besides those that the configuration leaves "
         "out. Repeatable."},
    [LL_OPT_FORCE_EXCLUDE] =
        {LL_GROUP_FILES, 0, "force-exclude", LL_VALUE_NONE, NULL, "cbsn", "leave them out even where they are named",
         "Leave out what is excluded even where it is named on the command line, as a hook does with the files "
         "of a commit."},
    [LL_OPT_SHARD] =
        {LL_GROUP_FILES, 0, "shard", LL_VALUE_TEXT, "I/N", "csn", "take the I-th of N parts of the files",
         "Take part I of N of the files, by a stable hash of their paths as they are shown. The parts do not overlap "
         "and leave nothing out."},
    [LL_OPT_FILES_FROM] =
        {LL_GROUP_FILES, 0, "files-from", LL_VALUE_FILE, "FILE", "cbsn", "read paths from FILE, or '-', one a line",
         "Read paths from a file, or from standard input if it is `-`, one a line. They are checked together with "
         "those of the command line."},
    [LL_OPT_NULL] = {LL_GROUP_FILES, '0', "null", LL_VALUE_NONE, NULL, "cbsn", "the paths of --files-from end in NUL",
                     "The paths of `--files-from` end in NUL, as `find -print0` and `git ls-files -z` write them."},
    [LL_OPT_STDIN_NAME] = {LL_GROUP_FILES, 0, "stdin-name", LL_VALUE_TEXT, "NAME", "cd", "file name for what '-' reads",
                           "The name under which standard input is reported."},
    [LL_OPT_GAME] =
        {LL_GROUP_FILES, 0, "game", LL_VALUE_GAME, "GAME", "cdbsnf",
         "mp1, mp2, mp3 or auto: game of bare lights sections",
         "What game a bare lights section is of: `mp1`, `mp2` (which have the same lights), `mp3` or `auto`, which "
         "tells it by "
         "the content (the default). An area says itself what it is of; one of another game than this is reported, "
         "and the exit code is 2."},
    [LL_OPT_FORMAT] =
        {LL_GROUP_OUTPUT, 0, "format", LL_VALUE_FORMAT, "FORMAT[:FILE]", "cdrsn", "what to write: see Formats",
         "What to write, and where; standard output without a FILE. Repeatable, one format going to standard output at "
         "most. A FILE appears when it is complete, or not at all."},
    [LL_OPT_OUTPUT] = {LL_GROUP_OUTPUT, 'o', "output", LL_VALUE_FILE, "FILE", "cbsn", "write the first format to FILE",
                       "Write the first format to a file."},
    [LL_OPT_STATISTICS] = {LL_GROUP_OUTPUT, 0, "statistics", LL_VALUE_NONE, NULL, "c",
                           "count by rule, field and record instead",
                           "Show counts by rule, by field and by record instead of findings: the format `statistics`."},
    [LL_OPT_DIFF] = {LL_GROUP_OUTPUT, 0, "diff", LL_VALUE_NONE, NULL, "s", "compare two sweeps: sweep --diff OLD NEW",
                     "Compare two sweeps: which findings came, went or changed, by rule and file. The exit code is 1 "
                     "if there are any."},
    [LL_OPT_MERGE] = {LL_GROUP_OUTPUT, 0, "merge", LL_VALUE_NONE, NULL, "s", "join the sweeps of all shards",
                      "Join the sweeps of all shards to the very bytes that a sweep over the whole corpus writes."},
    [LL_OPT_SCRIPT] =
        {LL_GROUP_OUTPUT, 0, "script", LL_VALUE_TEXT, "ACTOR", "d", "list the actor's script, with findings in place",
         "List the script of an actor of a scene file: each statement in words beside its bytes, labels at the places "
         "that jumps lead to, and under a statement the findings whose bytes begin in it. ACTOR is its name, with "
         "capitals as "
         "they are, or its number. An actor that is not there is refused with the nearest name."},
    [LL_OPT_ALL] = {LL_GROUP_OUTPUT, 0, "all", LL_VALUE_NONE, NULL, "c", "show every place: no folding, no limits",
                    "Show every place: nothing is folded, and there are no limits but those that are given."},
    [LL_OPT_MAX_PER_RULE] =
        {LL_GROUP_OUTPUT, 0, "max-per-rule", LL_VALUE_TEXT, "N", "c", "findings kept per rule and file (100; 0: all)",
         "Keep at most N findings of a rule in a file (100). 0 keeps all. What is not kept is counted all the same."},
    [LL_OPT_MAX_PER_FILE] = {LL_GROUP_OUTPUT, 0, "max-per-file", LL_VALUE_TEXT, "N", "c",
                             "findings kept per file (1000; 0: all)",
                             "Keep at most N findings in a file (1000). 0 keeps all."},
    [LL_OPT_COLOR] = {LL_GROUP_OUTPUT, 0, "color", LL_VALUE_COLOR, "WHEN", "ce", "auto, always or never",
                      "`auto`: when standard output is a terminal (the default); `always` or `never`."},
    [LL_OPT_QUIET] = {LL_GROUP_OUTPUT, 'q', "quiet", LL_VALUE_NONE, NULL, "cbsn",
                      "say nothing when clean; -qq: only what fails",
                      "Say nothing when all is clean. Given twice, show only findings that fail."},
    [LL_OPT_VERBOSE] = {LL_GROUP_OUTPUT, 'v', "verbose", LL_VALUE_NONE, NULL, "c", "name clean files too",
                        "Name clean files too."},
    [LL_OPT_FAIL_ON] =
        {LL_GROUP_OUTCOME, 0, "fail-on", LL_VALUE_LEVEL, "LEVEL", "cf", "error, warning (default), note or never",
         "The lowest severity that makes the exit code 1: `error`, `warning` (the default), `note`, or `never`."},
    [LL_OPT_JOBS] = {LL_GROUP_OUTCOME, 'j', "jobs", LL_VALUE_TEXT, "N", "cbsn",
                     "threads (default and 0: one per processor)",
                     "Number of threads; 0, the default, is one per processor. The output does not depend on it."},
    [LL_OPT_HELP] = {LL_GROUP_OUTCOME, 'h', "help", LL_VALUE_NONE, NULL, "cderbsnfov", "show this help",
                     "Show a summary of all options."},
    [LL_OPT_VERSION] = {LL_GROUP_OUTCOME, 0, "version", LL_VALUE_NONE, NULL, "cderbsnfov", "show the version",
                        "Show the version."},
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
