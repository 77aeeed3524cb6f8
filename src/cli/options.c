/* Parses the command line by the tables of tables.h. Opens no files and does not check that paths or selectors exist.
 * An unknown word is refused with the most similar known one, never corrected. */
#include "cli/options.h"

#include "base/fit.h"
#include "base/problem.h"
#include "cli/config/keys.h"
#include "cli/output.h"
#include "cli/tables.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ tables */

static const char EXAMPLES[] = "\nExamples:\n"
                               "  lightlint room.grxla\n"
                               "  lightlint --format full --format sarif:lights.sarif .\n"
                               "  find . -name '*.grxla' -print0 | lightlint -0 --files-from -\n";

static const char ENDING[] = "\nExit codes:\n"
                             "  0  everything was checked, nothing at or above the --fail-on level\n"
                             "  1  there are findings at or above that level\n"
                             "  2  something was not checked or not done\n";

/* ------------------------------------------------------------------ help */

/* Prints a line. On a terminal that is too narrow, it continues `indent` columns from the left. */
LL_PRINTF(3, 4)
static void print_line(ll_out *out, size_t indent, const char *format, ...)
{
    char text[512];
    ll_text line;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const ll_terminal terminal = ll_options_terminal(out->stream);
    ll_text_init(&line, &ll_heap);
    ll_text_str(&line, text);
    ll_fit(&line, 0, indent, &terminal);
    ll_text_char(&line, '\n');
    (void)ll_out_write(out, line.data, line.length);
    ll_text_free(&line);
}

static void print_lines(ll_out *out, const char *text)
{
    for (size_t n = 0; *text; text += n) {
        n = strcspn(text, "\n");
        print_line(out, 5, "%.*s", (int)n, text);
        n += text[n] == '\n';
    }
}

static void print_row(ll_out *out, const ll_option_row *r)
{
    char left[48];
    char dash[5] = "    ";
    if (r->letter) {
        (void)snprintf(dash, sizeof dash, "-%c, ", r->letter);
    }
    (void)snprintf(left, sizeof left, "%s--%s%s%s", dash, r->name, r->value && r->kind != LL_VALUE_SUFFIX ? " " : "",
                   r->value ? r->value : "");
    print_line(out, 30, "  %-27s %s", left, r->help);
}

/* Prints the synopses of one command, or of all for LL_COMMAND_HELP. */
static void print_usage(ll_out *out, ll_command command)
{
    const char *lead = "usage:";
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        const ll_command_row *row = &ll_command_rows[i];
        bool wanted = command == LL_COMMAND_HELP || command == (ll_command)i;
        for (size_t k = 0; wanted && k < LL_SYNOPSES_MAX && row->synopses[k].form; k++) {
            print_line(out, 55, "%-6s lightlint %-37s %s", lead, row->synopses[k].form, row->synopses[k].does);
            lead = "";
        }
    }
}

/* Prints "Formats: full, concise, ...", wrapped to the width of the help. */
static void print_formats(ll_out *out, const char *const *names)
{
    ll_terminal terminal = ll_options_terminal(out->stream);
    ll_text line;
    terminal.columns = terminal.columns && terminal.columns < 78 ? terminal.columns : 78;
    ll_text_init(&line, &ll_heap);
    ll_text_str(&line, " ");
    for (size_t i = 0; names[i]; i++) {
        ll_text_format(&line, " %s%s", names[i], names[i + 1] ? "," : "");
    }
    ll_fit(&line, 0, 2, &terminal);
    ll_out_print(out, "\nFormats:\n%s\n", ll_text_cstr(&line));
    ll_text_free(&line);
}

static void print_options(ll_out *out, const ll_command_row *command)
{
    ll_group group = LL_GROUPS;
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        const ll_option_row *r = &ll_option_rows[i];
        if (!ll_option_is_of(r, command)) {
            continue;
        }
        if (r->group != group) {
            group = r->group;
            ll_out_print(out, "\n");
            print_line(out, 2, "%s:", ll_group_titles[group]);
        }
        print_row(out, r);
    }
    if (ll_option_is_of(&ll_option_rows[LL_OPT_FORMAT], command)) {
        print_formats(out, ll_command_formats(command));
    }
}

void ll_options_help(ll_out *out, ll_command command)
{
    bool general = command == LL_COMMAND_HELP;
    print_usage(out, command);
    if (general) {
        print_lines(out, EXAMPLES);
        ll_out_print(out, "\n");
        print_line(out, 2, "Options of check; lightlint COMMAND --help shows those of another command.");
    }
    print_options(out, &ll_command_rows[general ? LL_COMMAND_CHECK : command]);
    print_lines(out, ENDING);
}

void ll_options_hint(ll_out *out)
{
    print_usage(out, LL_COMMAND_HELP);
    print_lines(out, EXAMPLES);
    ll_out_print(out, "\nlightlint --help shows all options.\n");
}

/* ------------------------------------------------------------------ words */

/* Index of `word` in `names`, or -1 after reporting the most similar name, or else all. `what` names the option. */
static int choose(const char *what, const char *word, const char *const *names)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(word, names[i]) == 0) {
            return i;
        }
    }
    ll_problem problem = {0};
    (void)ll_problem_word(&problem, what, ": no such value:", word, names);
    (void)ll_say("%s", problem.text);
    return -1;
}

bool ll_options_severity(const char *word, const char *const *names, const char *what, ll_severity *out)
{
    int at = choose(what, word, names);
    if (at >= 0) {
        *out = (ll_severity)at;
    }
    return at >= 0;
}

/* ------------------------------------------------------------------ words to settings */

static bool unknown_option(const char *word)
{
    const char *names[LL_OPT_COUNT + 1] = {NULL};
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        names[i] = ll_option_rows[i].name;
    }
    char name[32] = "";
    size_t n = strcspn(word, "=");
    if (n < sizeof name) {
        memcpy(name, word, n);
        name[n] = '\0';
    }
    const char *near = ll_nearest_of(name, names);
    return near ? ll_say("unknown option '--%.*s'; did you mean --%s?", (int)n, word, near)
                : ll_say("unknown option '--%.*s'; lightlint --help lists all", (int)n, word);
}

/* Stores the options of one argument: "--name", "--name=value" or letters, where -q0 is -q -0. If a value is needed and
 * not in the argument, the next argument is consumed. */
static bool take(ll_options *options, char **argv, int *at)
{
    bool is_name = argv[*at][1] == '-';
    const char *word = argv[*at] + (is_name ? 2 : 1);
    do {
        size_t n = is_name ? strcspn(word, "=") : 1;
        const ll_option_row *r = ll_option_find(word, n, is_name);
        if (!r) {
            return is_name ? unknown_option(word) : ll_say("unknown option '-%c'; lightlint --help lists all", *word);
        }
        const char *value = word[n] ? word + n + (is_name ? 1 : 0) : NULL;
        if (is_name && value && !r->value) {
            return ll_say("--%s takes no value", r->name);
        }
        value = value || !r->value || r->kind == LL_VALUE_SUFFIX ? value : argv[++*at];
        value = value || r->kind != LL_VALUE_SUFFIX ? value : ".orig";
        if (r->value && !value) {
            return ll_say("--%s needs a value: --%s %s", r->name, r->name, r->value);
        }
        options->settings[options->setting_count++] =
            (ll_setting){(ll_option)(r - ll_option_rows), r->value ? value : ""};
        word = r->value || is_name ? "" : word + n;
    } while (*word);
    return true;
}

static bool split(ll_options *options, int argc, char **argv)
{
    bool ended = false;
    for (int at = 1; at < argc; at++) {
        const char *word = argv[at];
        if (ended || word[0] != '-' || word[1] == '\0') {
            options->literal_first = options->literal_first || (ended && options->operand_count == 0);
            options->operands[options->operand_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            ended = true;
        } else if (!take(options, argv, &at)) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ settings to meaning */

/* Takes the command from the first operand if it names one. A word that resembles a command and is not a file is
 * refused. */
static bool find_command(ll_options *options)
{
    options->command = LL_COMMAND_CHECK;
    if (options->operand_count == 0 || options->literal_first) {
        return true;
    }
    const char *word = options->operands[0];
    const ll_command_row *row = ll_command_find(word);
    if (row) {
        options->command = (ll_command)(row - ll_command_rows);
        options->operands++;
        options->operand_count--;
        return true;
    }
    const char *near = ll_os_is_there(word) ? NULL : ll_nearest_of(word, ll_command_names);
    return !near || ll_say("no command or file '%s'; did you mean '%s'?", word, near);
}

static bool read_number(const char *what, const char *word, uint32_t most, uint32_t *out)
{
    uint64_t n = 0;
    size_t digits = strspn(word, "0123456789");
    for (size_t i = 0; i < digits && n <= most; i++) {
        n = n * 10 + (uint64_t)(word[i] - '0');
    }
    if (digits == 0 || word[digits] || n > most) {
        return ll_say("%s: not a number from 0 to %lu: '%s'", what, (unsigned long)most, word);
    }
    *out = (uint32_t)n;
    return true;
}

/* Parses FORMAT[:FILE]. Returns the index of the format and sets *file, NULL for none; -1 if it was refused. */
static int read_format(const char *value, const char *const *names, const char **file)
{
    char format[32] = "";
    size_t n = strcspn(value, ":");
    if (n < sizeof format) {
        memcpy(format, value, n);
        format[n] = '\0';
    }
    int at = choose("--format", n < sizeof format ? format : value, names);
    if (at >= 0 && value[n] && !value[n + 1]) {
        (void)ll_say("--format: no file name after '%s'", value);
        at = -1;
    }
    *file = value[n] && strcmp(value + n, ":-") != 0 ? value + n + 1 : NULL;
    return at;
}

static bool add_output(ll_options *options, const char *value)
{
    const char *file;
    if (options->output_count == LL_OUTPUTS_MAX) {
        return ll_say("--format: more than %d outputs", (int)LL_OUTPUTS_MAX);
    }
    int at = read_format(value, ll_emit_formats(), &file);
    if (at >= 0) {
        options->outputs[options->output_count++] = (ll_output){ll_emit_formats()[at], file};
    }
    return at >= 0;
}

static bool set_format(ll_options *options, const char *value)
{
    if (options->command == LL_COMMAND_CHECK) {
        return add_output(options, value);
    }
    const ll_command_row *command = &ll_command_rows[options->command];
    const char *const *names = ll_command_formats(command);
    bool writes_files = ll_option_is_of(&ll_option_rows[LL_OPT_OUTPUT], command);
    const char *file = NULL;
    int at = writes_files ? read_format(value, names, &file) : choose("--format", value, names);
    if (file && ll_options_given(options, LL_OPT_OUTPUT)) {
        return ll_say("--format %s and --output both name a file", value);
    }
    if (at >= 0 && options->command == LL_COMMAND_SWEEP && options->diff && strcmp(names[at], "jsonl") == 0) {
        return ll_say("--format jsonl is not for sweep --diff, which writes text, json, markdown and html");
    }
    if (at >= 0) {
        options->format = names[at];
        options->output = file ? file : options->output;
    }
    return at >= 0;
}

/* Accepts the variants of all formats; "auto" becomes NULL. */
static bool set_game(ll_options *options, const char *value)
{
    const char *names[LL_GAME_NAMES_MAX];
    ll_game_names(names);
    int at = choose("--game", value, names);
    if (at >= 0) {
        options->game = at > 0 ? names[at] : NULL;
        options->game_given = true;
    }
    return at >= 0;
}

static bool set_unsupported(ll_options *options, const char *value)
{
    int at = choose("--unsupported", value, ll_unsupported_names);
    options->unsupported_given = true;
    options->allow_unsupported = at > 0;
    return at >= 0;
}

static bool set_color(ll_options *options, const char *value)
{
    int at = choose("--color", value, ll_color_words);
    if (at >= 0) {
        options->color = (ll_color)at;
    }
    return at >= 0;
}

/* Parses I/N. */
static bool set_shard(ll_options *options, const char *value)
{
    char part[16] = "";
    size_t n = strcspn(value, "/");
    if (!value[n] || n >= sizeof part) {
        return ll_say("--shard: expected I/N, as in 1/8: '%s'", value);
    }
    memcpy(part, value, n);
    if (!read_number("--shard", value + n + 1, 1000000, &options->shards) ||
        !read_number("--shard", part, 1000000, &options->shard)) {
        return false;
    }
    if (options->shard < 1 || options->shard > options->shards) {
        return ll_say("--shard %s: the shards of %s are 1 to %s", value, value + n + 1, value + n + 1);
    }
    return true;
}

/* Sets an option that has no member to fill; repeatable options stay settings. False if the value was refused. */
static bool read_value(ll_options *options, ll_option option, const char *value)
{
    if (option == LL_OPT_FAIL_ON) {
        options->fail_level_given = true;
        return ll_options_severity(value, ll_fail_level_names, "--fail-on", &options->fail_level);
    }
    if (option == LL_OPT_OUTPUT) {
        options->output = strcmp(value, "-") == 0 ? NULL : value;
    } else if (option == LL_OPT_BACKUP) {
        options->backup = value;
        return !strchr(value, '/') || ll_say("--backup=%s: the suffix cannot contain '/'", value);
    } else if (option == LL_OPT_QUIET) {
        options->verbosity -= options->verbosity > -2;
    } else if (option == LL_OPT_VERBOSE) {
        options->verbosity += options->verbosity < 1;
    }
    return option == LL_OPT_FORMAT         ? set_format(options, value)
           : option == LL_OPT_STATISTICS   ? add_output(options, "statistics")
           : option == LL_OPT_COLOR        ? set_color(options, value)
           : option == LL_OPT_GAME         ? set_game(options, value)
           : option == LL_OPT_UNSUPPORTED  ? set_unsupported(options, value)
           : option == LL_OPT_SHARD        ? set_shard(options, value)
           : option == LL_OPT_MAX_PER_RULE ? read_number("--max-per-rule", value, UINT32_MAX, &options->max_per_rule)
           : option == LL_OPT_MAX_PER_FILE ? read_number("--max-per-file", value, UINT32_MAX, &options->max_per_file)
           : option == LL_OPT_JOBS         ? read_number("--jobs", value, 1000000, &options->jobs)
                                           : true;
}

static bool apply(ll_options *options, const ll_setting *setting)
{
    const ll_option_row *row = &ll_option_rows[setting->option];
    char *member = (char *)options + row->fills;
    if (!row->fills) {
        return read_value(options, setting->option, setting->value);
    }
    if (row->value) {
        *(const char **)(void *)member = setting->value;
    } else {
        *(bool *)(void *)member = true;
    }
    return true;
}

const char *ll_options_next(const ll_options *options, ll_option option, size_t *at)
{
    while (*at < options->setting_count) {
        const ll_setting *setting = &options->settings[(*at)++];
        if (setting->option == option) {
            return setting->value;
        }
    }
    return NULL;
}

bool ll_options_given(const ll_options *options, ll_option option)
{
    return ll_options_next(options, option, &(size_t){0}) != NULL;
}

static bool apply_all(ll_options *options)
{
    const ll_command_row *command = &ll_command_rows[options->command];
    options->diff = ll_options_given(options, LL_OPT_DIFF); /* set first: --format depends on it */
    options->merge = ll_options_given(options, LL_OPT_MERGE);
    for (size_t i = 0; i < options->setting_count; i++) {
        const ll_setting *setting = &options->settings[i];
        const ll_option_row *r = &ll_option_rows[setting->option];
        if (!ll_option_is_of(r, command)) {
            return ll_say("--%s is not an option of '%s'", r->name, command->name);
        }
        if (r->value && !*setting->value) {
            return ll_say("--%s: the value is empty", r->name);
        }
        if (!apply(options, setting)) {
            return false;
        }
    }
    return true;
}

/* Makes the file of -o the output of the first format. */
static bool place_outputs(ll_options *options)
{
    const char *file = options->output;
    if (options->output_count == 0) {
        options->outputs[options->output_count++] = (ll_output){"full", NULL};
    }
    if (file && options->outputs[0].file) {
        return ll_say("-o %s: the first format already goes to '%s'", file, options->outputs[0].file);
    }
    if (file) {
        options->outputs[0].file = file;
    }
    size_t to_stdout = 0;
    for (size_t i = 0; i < options->output_count; i++) {
        to_stdout += !options->outputs[i].file;
    }
    return to_stdout <= 1 ||
           ll_say("only one format can go to standard output; give the others a file: --format FORMAT:FILE");
}

/* Checks that apply to the operands of all commands that walk files. */
static bool check_files(const ll_options *options)
{
    bool reads_stdin = false;
    for (size_t i = 0; i < options->operand_count; i++) {
        reads_stdin = reads_stdin || strcmp(options->operands[i], "-") == 0;
        if (!*options->operands[i]) {
            return ll_say("a path is empty"); /* probably an unset variable of a script, not the current directory */
        }
    }
    if (options->operand_count == 0 && !options->files_from) {
        return ll_say("no file or directory to check");
    }
    if (reads_stdin && options->files_from && strcmp(options->files_from, "-") == 0) {
        return ll_say("standard input cannot be both a file and a list of files");
    }
    if (reads_stdin && options->command != LL_COMMAND_CHECK) {
        return ll_say("'-' is only for check and dump; give a file name");
    }
    if (options->stdin_name && !reads_stdin) {
        return ll_say("--stdin-name needs the path '-', which was not given");
    }
    if (options->null_ends && !options->files_from) {
        return ll_say("-0 needs --files-from, which was not given");
    }
    return true;
}

static bool check_check(ll_options *options)
{
    return check_files(options) && place_outputs(options);
}

/* Refuses options without effect in a form of a command. `few`: the allowed ones, ended by LL_OPT_COUNT. */
static bool takes_only(const ll_options *options, const char *form, const ll_option *few)
{
    for (size_t i = 0; i < options->setting_count; i++) {
        const ll_option *known = few;
        while (*known != LL_OPT_COUNT && *known != options->settings[i].option) {
            known++;
        }
        if (*known == LL_OPT_COUNT) {
            return ll_say("--%s is not an option of '%s'", ll_option_rows[options->settings[i].option].name, form);
        }
    }
    return true;
}

static bool check_fix(ll_options *options)
{
    static const ll_option of_undo[] = {LL_OPT_UNDO, LL_OPT_QUIET, LL_OPT_COUNT};
    if (options->undo) {
        return takes_only(options, "fix --undo", of_undo);
    }
    if (options->diff && (options->interactive || options->backup || options->journal)) {
        return ll_say("fix --diff writes no file: it cannot be combined with --interactive, --backup or --journal");
    }
    if (options->journal && options->no_journal) {
        return ll_say("--journal and --no-journal cannot be combined");
    }
    if (!ll_options_given(options, LL_OPT_FORMAT)) {
        options->format = options->diff ? "diff" : "text";
    }
    return check_files(options);
}

/* --merge accepts the options that choose the rules, as the parts were made with them. */
#define OF_MERGE                                                                                                       \
    LL_OPT_MERGE, LL_OPT_OUTPUT, LL_OPT_SELECT, LL_OPT_IGNORE, LL_OPT_RULES, LL_OPT_CONFIG, LL_OPT_ISOLATED,           \
        LL_OPT_SEVERITY

static bool check_census(ll_options *options)
{
    static const ll_option of_merge[] = {OF_MERGE, LL_OPT_FORMAT, LL_OPT_COUNT};
    if (options->merge) {
        return takes_only(options, "census --merge", of_merge) &&
               (options->operand_count > 0 || ll_say("census --merge needs the files that the shards wrote"));
    }
    return check_files(options);
}

static bool check_sweep(ll_options *options)
{
    static const ll_option of_diff[] = {LL_OPT_DIFF, LL_OPT_FORMAT, LL_OPT_OUTPUT, LL_OPT_COUNT};
    static const ll_option of_merge[] = {OF_MERGE, LL_OPT_NO_CROSS, LL_OPT_FORMAT, LL_OPT_COUNT};
    if (!options->diff && !ll_options_given(options, LL_OPT_FORMAT)) {
        options->format = "jsonl";
    }
    if (options->diff && options->merge) {
        return ll_say("sweep: --diff and --merge exclude each other");
    }
    if (options->diff && options->operand_count == 2) {
        bool one = ll_os_kind_of(options->operands[0]) == LL_OS_DIRECTORY;
        bool other = ll_os_kind_of(options->operands[1]) == LL_OS_DIRECTORY;
        options->roots = one && other;
        if (one != other) {
            return ll_say("sweep --diff compares two sweeps, or two directories");
        }
    }
    if (options->roots) {
        return (!ll_options_given(options, LL_OPT_SHARD) && !ll_options_given(options, LL_OPT_FILES_FROM)) ||
               ll_say("--shard and --files-from are not options of 'sweep --diff'");
    }
    if (options->diff) {
        return takes_only(options, "sweep --diff", of_diff) &&
               (options->operand_count == 2 || ll_say("sweep --diff needs two sweeps or two directories: OLD NEW"));
    }
    if (options->merge) {
        return takes_only(options, "sweep --merge", of_merge) &&
               (options->operand_count > 0 || ll_say("sweep --merge needs the files that the shards wrote"));
    }
    return check_files(options);
}

/* Takes the first operand as the word that the command requires, or accepts if not `needed`. */
static bool take_verb(ll_options *options, bool needed)
{
    const ll_command_row *command = &ll_command_rows[options->command];
    if (!needed && options->operand_count == 0) {
        return true;
    }
    const char *families[LL_FAMILY_NAMES_MAX];
    const char *const *words = ll_command_words(command, families);
    bool any = options->operand_count > 0;
    int at = choose(command->name, any ? options->operands[0] : "", words); /* reports the known words */
    if (at >= 0) {
        options->verb = words[at];
        options->operands++;
        options->operand_count--;
    }
    return at >= 0;
}

static bool check_baseline(ll_options *options)
{
    if (!take_verb(options, true) || !check_files(options)) {
        return false;
    }
    return !options->accept_new || strcmp(options->verb, "update") == 0 ||
           ll_say("--accept-new is only for baseline update");
}

static bool check_config(ll_options *options)
{
    if (!take_verb(options, true)) {
        return false;
    }
    static const ll_option none[] = {LL_OPT_COUNT};
    bool show = strcmp(options->verb, "show") == 0;
    if (!show && !takes_only(options, strcmp(options->verb, "init") == 0 ? "config init" : "config schema", none)) {
        return false;
    }
    return options->operand_count == show ||
           ll_say("%s", show ? "config show needs one path" : "config init and config schema take no path");
}

static bool check_operands(ll_options *options)
{
    switch (options->command) {
    case LL_COMMAND_CHECK:
        return check_check(options);
    case LL_COMMAND_FIX:
        return check_fix(options);
    case LL_COMMAND_BASELINE:
        return check_baseline(options);
    case LL_COMMAND_SWEEP:
        return check_sweep(options);
    case LL_COMMAND_CENSUS:
        return check_census(options);
    case LL_COMMAND_PACKAGES:
        return check_files(options);
    case LL_COMMAND_CONFIG:
        return check_config(options);
    case LL_COMMAND_COMPLETIONS:
        return take_verb(options, true) && ((options->operand_count == 0) == (strcmp(options->verb, "line") != 0) ||
                                            ll_say("completions takes one shell; completions line takes words"));
    case LL_COMMAND_DUMP:
        if (options->script && strcmp(options->format, "text") != 0) {
            return ll_say("--script writes only text; dump --format json shows the scripts of all actors");
        }
        if (options->stable && options->script) {
            return ll_say("--stable cannot be combined with --script: it shows the whole file");
        }
        return options->operand_count == 1 || ll_say("dump needs one file");
    case LL_COMMAND_DIFF:
        return options->operand_count == 2 || options->operand_count == 7 || options->operand_count == 9 ||
               ll_say("diff needs two files or two directories: OLD NEW");
    case LL_COMMAND_BUILD:
        if (!options->output) {
            return ll_say("build needs -o FILE, the file to write");
        }
        return options->operand_count == 1 || ll_say("build needs one JSON file");
    case LL_COMMAND_EXPLAIN:
        return options->operand_count == 1 || ll_say("explain needs one rule");
    case LL_COMMAND_RULES:
        return options->operand_count == 0 || ll_say("rules takes no file");
    case LL_COMMAND_FIELDS:
        if (options->operand_count == 0 && strcmp(options->format, "text") != 0 &&
            strcmp(options->format, "json") != 0) {
            return ll_say("fields --format %s needs a family", options->format);
        }
        return take_verb(options, false) && (options->operand_count == 0 || ll_say("fields takes one family"));
    case LL_COMMAND_HELP:
        return take_verb(options, false) && (options->operand_count == 0 || ll_say("help takes one command"));
    case LL_COMMAND_VERSION:
    case LL_COMMAND_ROWS:
        break;
    }
    return options->operand_count == 0 || ll_say("version takes no file");
}

bool ll_options_parse(int argc, char **argv, ll_options *out)
{
    *out = (ll_options){.help_of = LL_COMMAND_HELP,
                        .fail_level = LL_WARNING,
                        .format = "text",
                        .max_per_rule = 100,
                        .max_per_file = 1000,
                        .shard = 1,
                        .shards = 1};
    size_t most = 1; /* an argument with a dash gives at most one setting per character */
    for (int i = 1; i < argc; i++) {
        most += argv[i][0] == '-' ? strlen(argv[i]) : 0;
    }
    out->settings = ll_os_alloc(most, sizeof *out->settings);
    out->operand_storage = ll_os_alloc((size_t)argc + 1, sizeof *out->operand_storage);
    out->operands = out->operand_storage;
    if (!split(out, argc, argv)) {
        return false;
    }
    if (ll_options_given(out, LL_OPT_HELP)) {
        out->help_of = out->operand_count && find_command(out) && !out->literal_first ? out->command : LL_COMMAND_HELP;
        out->command = LL_COMMAND_HELP;
        return true;
    }
    if (ll_options_given(out, LL_OPT_VERSION)) {
        out->command = LL_COMMAND_VERSION;
        return true;
    }
    bool fine = find_command(out) && apply_all(out) && check_operands(out);
    if (fine && out->command == LL_COMMAND_HELP && out->verb) {
        out->help_of = (ll_command)(ll_command_find(out->verb) - ll_command_rows);
    }
    return fine;
}

void ll_options_free(ll_options *options)
{
    free(options->settings);
    free(options->operand_storage);
    options->settings = NULL;
    options->operands = options->operand_storage = NULL;
}

/* Is the variable set and not empty? With zero_is_no, "0" does not count either. */
static bool says_yes(const char *variable, bool zero_is_no)
{
    const char *value = getenv(variable);
    return value && *value && !(zero_is_no && strcmp(value, "0") == 0);
}

/* Number in an environment variable, else the size the system states, else the default. */
static unsigned terminal_size(const char *variable, unsigned known, unsigned usual)
{
    enum { LEAST = 10 }; /* narrower text is unreadable */
    const char *word = getenv(variable);
    unsigned n = 0;
    for (size_t i = 0; word && word[i] >= '0' && word[i] <= '9' && n < 10000; i++) {
        n = n * 10 + (unsigned)(word[i] - '0');
    }
    n = n ? n : known ? known : usual;
    return n < LEAST ? LEAST : n;
}

ll_terminal ll_options_terminal(int stream)
{
    enum { COLUMNS = 80, LINES = 24 };
    unsigned columns = 0;
    unsigned lines = 0;
    if (!ll_os_is_terminal(stream) || says_yes("CI", true)) { /* a log is read as a file is */
        return (ll_terminal){.columns = 0};
    }
    ll_os_terminal_size(stream, &columns, &lines);
    return (ll_terminal){terminal_size("COLUMNS", columns, COLUMNS), terminal_size("LINES", lines, LINES),
                         ll_os_columns_of};
}

void ll_options_limits(const ll_options *options, const char *format, uint32_t *max_per_rule, uint32_t *max_per_file)
{
    bool limited = ll_emit_is_for_people(format) && !options->all;
    *max_per_rule = limited || ll_options_given(options, LL_OPT_MAX_PER_RULE) ? options->max_per_rule : 0;
    *max_per_file = limited || ll_options_given(options, LL_OPT_MAX_PER_FILE) ? options->max_per_file : 0;
}

bool ll_options_color(const ll_options *options, bool to_stdout)
{
    if (options->color != LL_COLOR_AUTO || !to_stdout) {
        return options->color == LL_COLOR_ALWAYS;
    }
    const char *terminal = getenv("TERM");
    bool forced = says_yes("FORCE_COLOR", true) || says_yes("CLICOLOR_FORCE", true);
    bool capable = !(terminal && strcmp(terminal, "dumb") == 0) && ll_os_is_terminal(LL_OS_STDOUT);
    return !says_yes("NO_COLOR", false) && (forced || capable);
}
