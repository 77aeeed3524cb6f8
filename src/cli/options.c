/* Reads the command line by a table. Decides what the words mean; opens nothing, and leaves to others whether a path or
 * a selector exists. An unknown word is refused with the nearest known one, never guessed. */
#include "cli/options.h"

#include "cli/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ tables */

static const char *const COMMANDS[] = {"check", "dump", "explain", "rules", "version", NULL}; /* as ll_command */
static const char *const COLORS[] = {"auto", "always", "never", NULL};                        /* as ll_color */
static const char *const DUMP_FORMATS[] = {"text", "json", NULL};
static const char *const RULES_FORMATS[] = {"text", "json", "markdown", NULL};

enum { GAMES_MAX = 16 };

typedef enum group { RULES, FILES, OUTPUT, OUTCOME, GROUPS } group;

static const char *const TITLES[GROUPS] = {
    [RULES] = "Rules (SELECTOR: id, id prefix, name, glob, tag:NAME, all; or a list with commas)",
    [FILES] = "Files",
    [OUTPUT] = "Output (repeat --format for several)",
    [OUTCOME] = "Outcome",
};

typedef struct row {
    group group;
    char letter; /* 0: none */
    const char *name;
    const char *value;    /* NULL: takes none */
    const char *commands; /* letters of the commands that know it: check dump explain rules version */
    const char *help;
} row;

static const row ROWS[] = {
    [LL_OPT_SELECT] = {RULES, 0, "select", "SELECTOR", "c", "check these rules only"},
    [LL_OPT_IGNORE] = {RULES, 0, "ignore", "SELECTOR", "c", "leave these rules out; stronger than --select"},
    [LL_OPT_SEVERITY] = {RULES, 0, "severity", "RULE=LEVEL", "c", "error, warning, note or off"},
    [LL_OPT_RULES] = {RULES, 0, "rules", "FILE", "cer", "add your own rules (YAML)"},
    [LL_OPT_FILES_FROM] = {FILES, 0, "files-from", "FILE", "c", "read paths from FILE, or '-', one a line"},
    [LL_OPT_NULL] = {FILES, '0', "null", NULL, "c", "the paths of --files-from end in NUL"},
    [LL_OPT_STDIN_NAME] = {FILES, 0, "stdin-name", "NAME", "cd", "file name for what '-' reads"},
    [LL_OPT_GAME] = {FILES, 0, "game", "GAME", "cd", "mp1, mp2, mp3 or auto: game of bare lights sections"},
    [LL_OPT_FORMAT] = {OUTPUT, 0, "format", "FORMAT[:FILE]", "cdr", "full, concise, json, jsonl, sarif, sarif-github"},
    [LL_OPT_OUTPUT] = {OUTPUT, 'o', "output", "FILE", "c", "write the first format to FILE"},
    [LL_OPT_SCRIPT] = {OUTPUT, 0, "script", "ACTOR", "d", "list the actor's script, with findings in place"},
    [LL_OPT_ALL] = {OUTPUT, 0, "all", NULL, "c", "show every place: no folding, no limits"},
    [LL_OPT_MAX_PER_RULE] = {OUTPUT, 0, "max-per-rule", "N", "c", "findings kept per rule and file (100; 0: all)"},
    [LL_OPT_MAX_PER_FILE] = {OUTPUT, 0, "max-per-file", "N", "c", "findings kept per file (1000; 0: all)"},
    [LL_OPT_COLOR] = {OUTPUT, 0, "color", "WHEN", "ce", "auto, always or never"},
    [LL_OPT_QUIET] = {OUTPUT, 'q', "quiet", NULL, "c", "say nothing when clean; -qq: only what fails"},
    [LL_OPT_VERBOSE] = {OUTPUT, 'v', "verbose", NULL, "c", "name clean files too"},
    [LL_OPT_FAIL_ON] = {OUTCOME, 0, "fail-on", "LEVEL", "c", "error, warning (default), note or never"},
    [LL_OPT_JOBS] = {OUTCOME, 'j', "jobs", "N", "c", "threads (default and 0: one per processor)"},
    [LL_OPT_HELP] = {OUTCOME, 'h', "help", NULL, "cderv", "show this help"},
    [LL_OPT_VERSION] = {OUTCOME, 0, "version", NULL, "cderv", "show the version"},
};
_Static_assert(sizeof ROWS / sizeof *ROWS == LL_OPT_COUNT, "every option has a row");

static const char USAGE[] =
    "usage: lightlint [check] [OPTIONS] PATH...             check files, directories, '-'\n"
    "       lightlint dump [--format text|json] FILE        show what every byte means\n"
    "       lightlint dump --script ACTOR FILE              list one script of a map\n"
    "       lightlint explain RULE                          show why a rule is there\n"
    "       lightlint rules [--format text|json|markdown]   list all rules\n"
    "       lightlint version\n";

static const char EXAMPLES[] = "\nExamples:\n"
                               "  lightlint room.grxla\n"
                               "  lightlint --format full --format sarif:lights.sarif .\n"
                               "  find . -name '*.grxla' -print0 | lightlint -0 --files-from -\n"
                               "  lightlint explain name-hash\n";

static const char ENDING[] = "\nExit codes:\n"
                             "  0  everything was checked, nothing at or above the --fail-on level\n"
                             "  1  everything was checked, and there are such findings\n"
                             "  2  something that was asked for was not checked or not done\n";

/* ------------------------------------------------------------------ help */

/* Errors stay with whoever owns `ctx`. */
static void print(ll_write_fn write, void *ctx, const char *text)
{
    (void)write(ctx, text, strlen(text));
}

static void print_row(ll_write_fn write, void *ctx, const row *r)
{
    char line[128];
    char left[48];
    char dash[5] = "    ";
    if (r->letter) {
        (void)snprintf(dash, sizeof dash, "-%c, ", r->letter);
    }
    (void)snprintf(left, sizeof left, "%s--%s%s%s", dash, r->name, r->value ? " " : "", r->value ? r->value : "");
    (void)snprintf(line, sizeof line, "  %-27s %s\n", left, r->help);
    print(write, ctx, line);
}

void ll_options_help(ll_write_fn write, void *ctx, bool all)
{
    print(write, ctx, USAGE);
    print(write, ctx, EXAMPLES);
    if (!all) {
        print(write, ctx, "\nlightlint --help shows all options.\n");
        return;
    }
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        if (i == 0 || ROWS[i].group != ROWS[i - 1].group) {
            print(write, ctx, "\n");
            print(write, ctx, TITLES[ROWS[i].group]);
            print(write, ctx, ":\n");
        }
        print_row(write, ctx, &ROWS[i]);
    }
    print(write, ctx, ENDING);
}

/* ------------------------------------------------------------------ the nearest word */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Letters to change, drop, add or swap until `a` is `b`. */
static unsigned distance(const char *a, const char *b)
{
    enum { MOST = 32 };
    size_t n = strlen(a);
    size_t m = strlen(b);
    if (n >= MOST || m >= MOST) {
        return MOST;
    }
    unsigned d[MOST][MOST];
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (unsigned)(i + j);
                continue;
            }
            d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]), least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[n][m];
}

/* How far `word` is from a name; a beginning of a name is near. More than 2 wrong letters are no likeness. */
static unsigned unlikeness(const char *word, const char *name)
{
    size_t n = strlen(word);
    if (n >= 2 && strncmp(word, name, n) == 0) {
        return 1;
    }
    unsigned most = n < 4 ? 1 : 2;
    unsigned d = distance(word, name);
    return d <= most ? d : UINT32_MAX;
}

static const char *nearest(const char *word, const char *const *names)
{
    const char *best = NULL;
    unsigned least_far = UINT32_MAX;
    for (size_t i = 0; names[i]; i++) {
        unsigned far = unlikeness(word, names[i]);
        if (far < least_far) {
            least_far = far;
            best = names[i];
        }
    }
    return best;
}

/* Index of `word` in `names`, or -1 after naming the nearest name, else all of them. `what` is the option. */
static int choose(const char *what, const char *word, const char *const *names)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(word, names[i]) == 0) {
            return i;
        }
    }
    const char *near = nearest(word, names);
    if (near) {
        ll_say("%s: no such value: '%s'; did you mean '%s'?", what, word, near);
        return -1;
    }
    char list[128] = "";
    size_t used = 0;
    for (size_t i = 0; names[i] && used + strlen(names[i]) + 3 < sizeof list; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    ll_say("%s: no such value: '%s'; there are: %s", what, word, list);
    return -1;
}

bool ll_options_severity(const char *word, const char *none, const char *what, ll_severity *out)
{
    const char *const names[] = {none, "note", "warning", "error", NULL}; /* as ll_severity */
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
        names[i] = ROWS[i].name;
    }
    char name[32] = "";
    size_t n = strcspn(word, "=");
    if (n < sizeof name) {
        memcpy(name, word, n);
        name[n] = '\0';
    }
    const char *near = nearest(name, names);
    if (near) {
        ll_say("unknown option '--%.*s'; did you mean --%s?", (int)n, word, near);
    } else {
        ll_say("unknown option '--%.*s'; lightlint --help lists all", (int)n, word);
    }
    return false;
}

static const row *find_long(const char *word)
{
    size_t n = strcspn(word, "=");
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        if (strlen(ROWS[i].name) == n && memcmp(ROWS[i].name, word, n) == 0) {
            return &ROWS[i];
        }
    }
    return NULL;
}

static const row *find_letter(char letter)
{
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        if (ROWS[i].letter && ROWS[i].letter == letter) {
            return &ROWS[i];
        }
    }
    return NULL;
}

static void add_setting(ll_options *options, const row *r, const char *value)
{
    options->settings[options->setting_count++] = (ll_setting){(ll_option)(r - ROWS), value};
}

/* A value is in the same word (`attached`) or in the next one, which is consumed. */
static bool take(ll_options *options, const row *r, const char *attached, char **argv, int *at)
{
    if (!r->value) {
        add_setting(options, r, "");
        return true;
    }
    const char *value = attached ? attached : argv[*at + 1];
    if (!value) {
        ll_say("--%s needs a value: --%s %s", r->name, r->name, r->value);
        return false;
    }
    *at += attached ? 0 : 1;
    add_setting(options, r, value);
    return true;
}

static bool take_long(ll_options *options, char **argv, int *at)
{
    const char *word = argv[*at] + 2;
    const row *r = find_long(word);
    if (!r) {
        return unknown_option(word);
    }
    const char *equals = strchr(word, '=');
    if (equals && !r->value) {
        ll_say("--%s takes no value", r->name);
        return false;
    }
    return take(options, r, equals ? equals + 1 : NULL, argv, at);
}

/* -q0 is -q -0; the rest of the word behind a letter that takes a value is that value. */
static bool take_letters(ll_options *options, char **argv, int *at)
{
    for (const char *p = argv[*at] + 1; *p; p++) {
        const row *r = find_letter(*p);
        if (!r) {
            ll_say("unknown option '-%c'; lightlint --help lists all", *p);
            return false;
        }
        if (r->value) {
            return take(options, r, p[1] ? p + 1 : NULL, argv, at);
        }
        add_setting(options, r, "");
    }
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
        } else if (!(word[1] == '-' ? take_long(options, argv, &at) : take_letters(options, argv, &at))) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ settings to meaning */

/* The first operand may name the command. A word like a command that is no file either is a slip of the pen. */
static bool find_command(ll_options *options)
{
    options->command = LL_COMMAND_CHECK;
    if (options->operand_count == 0 || options->literal_first) {
        return true;
    }
    const char *word = options->operands[0];
    for (int i = 0; COMMANDS[i]; i++) {
        if (strcmp(word, COMMANDS[i]) == 0) {
            options->command = (ll_command)i;
            options->operands++;
            options->operand_count--;
            return true;
        }
    }
    const char *near = nearest(word, COMMANDS);
    if (near && ll_os_kind_of(word) == LL_OS_MISSING) {
        ll_say("no command and no file '%s'; did you mean '%s'?", word, near);
        return false;
    }
    return true;
}

static bool read_number(const char *what, const char *word, uint32_t most, uint32_t *out)
{
    uint64_t n = 0;
    size_t digits = strspn(word, "0123456789");
    for (size_t i = 0; i < digits && n <= most; i++) {
        n = n * 10 + (uint64_t)(word[i] - '0');
    }
    if (digits == 0 || word[digits] || n > most) {
        ll_say("%s: not a number from 0 to %lu: '%s'", what, (unsigned long)most, word);
        return false;
    }
    *out = (uint32_t)n;
    return true;
}

/* FORMAT[:FILE] */
static bool add_wish(ll_options *options, const char *value)
{
    char format[32] = "";
    size_t n = strcspn(value, ":");
    if (options->wish_count == LL_WISHES_MAX) {
        ll_say("--format: more than %d outputs", (int)LL_WISHES_MAX);
        return false;
    }
    if (n < sizeof format) {
        memcpy(format, value, n);
        format[n] = '\0';
    }
    int at = choose("--format", n < sizeof format ? format : value, ll_emit_formats());
    if (at < 0) {
        return false;
    }
    const char *file = value[n] ? value + n + 1 : NULL;
    if (file && !*file) {
        ll_say("--format: no file name behind '%s'", value);
        return false;
    }
    bool to_stdout = !file || strcmp(file, "-") == 0;
    options->wishes[options->wish_count++] = (ll_wish){ll_emit_formats()[at], to_stdout ? NULL : file};
    return true;
}

static bool set_format(ll_options *options, const char *value)
{
    if (options->command == LL_COMMAND_CHECK) {
        return add_wish(options, value);
    }
    const char *const *names = options->command == LL_COMMAND_DUMP ? DUMP_FORMATS : RULES_FORMATS;
    int at = choose("--format", value, names);
    if (at >= 0) {
        options->format = names[at];
    }
    return at >= 0;
}

/* The variants of all formats; "auto" is NULL. */
static bool set_game(ll_options *options, const char *value)
{
    const char *names[GAMES_MAX + 2] = {"auto"};
    for (size_t i = 0; i < GAMES_MAX; i++) {
        names[i + 1] = ll_variant(i, NULL);
    }
    int at = choose("--game", value, names);
    if (at >= 0) {
        options->game = at > 0 ? names[at] : NULL;
    }
    return at >= 0;
}

static bool set_color(ll_options *options, const char *value)
{
    int at = choose("--color", value, COLORS);
    if (at >= 0) {
        options->color = (ll_color)at;
    }
    return at >= 0;
}

/* Scalar options; repeatable ones stay settings. */
static bool apply(ll_options *options, const ll_setting *setting)
{
    const char *value = setting->value;
    switch (setting->option) {
    case LL_OPT_FORMAT: return set_format(options, value);
    case LL_OPT_COLOR: return set_color(options, value);
    case LL_OPT_GAME: return set_game(options, value);
    case LL_OPT_FAIL_ON: return ll_options_severity(value, "never", "--fail-on", &options->fail_level);
    case LL_OPT_MAX_PER_RULE: return read_number("--max-per-rule", value, UINT32_MAX, &options->max_per_rule);
    case LL_OPT_MAX_PER_FILE: return read_number("--max-per-file", value, UINT32_MAX, &options->max_per_file);
    case LL_OPT_JOBS: return read_number("--jobs", value, 1000000, &options->jobs);
    case LL_OPT_ALL: options->all = true; return true;
    case LL_OPT_NULL: options->null_ends = true; return true;
    case LL_OPT_QUIET: options->verbosity -= options->verbosity > -2; return true;
    case LL_OPT_VERBOSE: options->verbosity += options->verbosity < 1; return true;
    case LL_OPT_FILES_FROM: options->files_from = value; return true;
    case LL_OPT_STDIN_NAME: options->stdin_name = value; return true;
    case LL_OPT_SCRIPT: options->script = value; return true;
    case LL_OPT_VERSION: options->command = LL_COMMAND_VERSION; return true;
    case LL_OPT_SELECT:
    case LL_OPT_IGNORE:
    case LL_OPT_SEVERITY:
    case LL_OPT_RULES:
    case LL_OPT_OUTPUT:
    case LL_OPT_HELP:
    case LL_OPT_COUNT: break;
    }
    return true;
}

static bool apply_all(ll_options *options)
{
    char letter = "cderv"[options->command];
    for (size_t i = 0; i < options->setting_count; i++) {
        const ll_setting *setting = &options->settings[i];
        const row *r = &ROWS[setting->option];
        if (!strchr(r->commands, letter)) {
            ll_say("--%s is not an option of '%s'", r->name, COMMANDS[options->command]);
            return false;
        }
        if (r->value && !*setting->value) {
            ll_say("--%s: the value is empty", r->name);
            return false;
        }
        if (!apply(options, setting)) {
            return false;
        }
    }
    return true;
}

static bool was_given(const ll_options *options, ll_option option)
{
    for (size_t i = 0; i < options->setting_count; i++) {
        if (options->settings[i].option == option) {
            return true;
        }
    }
    return false;
}

static bool refuse(const char *why)
{
    ll_say("%s", why);
    return false;
}

/* -o FILE stands for the file of the first format. */
static bool place_outputs(ll_options *options)
{
    const char *file = NULL;
    for (size_t i = 0; i < options->setting_count; i++) {
        file = options->settings[i].option == LL_OPT_OUTPUT ? options->settings[i].value : file;
    }
    if (options->wish_count == 0) {
        options->wishes[options->wish_count++] = (ll_wish){"full", NULL};
    }
    if (file && options->wishes[0].file) {
        ll_say("-o %s: the first format already goes to '%s'", file, options->wishes[0].file);
        return false;
    }
    if (file && strcmp(file, "-") != 0) {
        options->wishes[0].file = file;
    }
    size_t to_stdout = 0;
    for (size_t i = 0; i < options->wish_count; i++) {
        to_stdout += !options->wishes[i].file;
    }
    return to_stdout <= 1 ||
           refuse("only one format can go to standard output; give the others a file: --format FORMAT:FILE");
}

static bool check_check(ll_options *options)
{
    bool reads_stdin = false;
    for (size_t i = 0; i < options->operand_count; i++) {
        reads_stdin = reads_stdin || strcmp(options->operands[i], "-") == 0;
        if (!*options->operands[i]) {
            return refuse("a path is empty"); /* never the current directory: it is an unset variable of a script */
        }
    }
    if (options->operand_count == 0 && !options->files_from) {
        return refuse("no file or directory to check");
    }
    if (reads_stdin && options->files_from && strcmp(options->files_from, "-") == 0) {
        return refuse("standard input cannot be both a file and a list of files");
    }
    if (options->stdin_name && !reads_stdin) {
        return refuse("--stdin-name is for the path '-', which was not given");
    }
    if (options->null_ends && !options->files_from) {
        return refuse("-0 is for --files-from, which was not given");
    }
    if (options->all) { /* but a limit that was asked for stays */
        options->max_per_rule = was_given(options, LL_OPT_MAX_PER_RULE) ? options->max_per_rule : 0;
        options->max_per_file = was_given(options, LL_OPT_MAX_PER_FILE) ? options->max_per_file : 0;
    }
    return place_outputs(options);
}

static bool check_operands(ll_options *options)
{
    static const struct {
        size_t count;
        const char *words;
    } wanted[] = {
        [LL_COMMAND_DUMP] = {1, "dump needs one file"},
        [LL_COMMAND_EXPLAIN] = {1, "explain needs one rule"},
        [LL_COMMAND_RULES] = {0, "rules takes no file"},
        [LL_COMMAND_VERSION] = {0, "version takes no file"},
    };
    if (options->command == LL_COMMAND_CHECK) {
        return check_check(options);
    }
    if (options->script && strcmp(options->format, "text") != 0) {
        return refuse("--script lists as text only; dump --format json shows the scripts of all actors");
    }
    return options->operand_count == wanted[options->command].count || refuse(wanted[options->command].words);
}

bool ll_options_parse(int argc, char **argv, ll_options *out)
{
    *out = (ll_options){.fail_level = LL_WARNING, .format = "text", .max_per_rule = 100, .max_per_file = 1000};
    size_t most = 1; /* a word with a dash is at most as many settings as it has letters */
    for (int i = 1; i < argc; i++) {
        most += argv[i][0] == '-' ? strlen(argv[i]) : 0;
    }
    out->settings = calloc(most, sizeof *out->settings);
    out->operand_storage = calloc((size_t)argc + 1, sizeof *out->operand_storage);
    out->operands = out->operand_storage;
    if (!out->settings || !out->operand_storage) {
        return refuse("out of memory");
    }
    if (!split(out, argc, argv)) {
        return false;
    }
    if (was_given(out, LL_OPT_HELP)) {
        out->command = LL_COMMAND_HELP;
        return true;
    }
    if (was_given(out, LL_OPT_VERSION)) {
        out->command = LL_COMMAND_VERSION;
        return true;
    }
    return find_command(out) && apply_all(out) && check_operands(out);
}

void ll_options_free(ll_options *options)
{
    free(options->settings);
    free(options->operand_storage);
    options->settings = NULL;
    options->operands = options->operand_storage = NULL;
}

bool ll_options_color(const ll_options *options, bool to_stdout)
{
    if (options->color != LL_COLOR_AUTO || !to_stdout) {
        return options->color == LL_COLOR_ALWAYS;
    }
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    bool unwanted = (no_color && *no_color) || (terminal && strcmp(terminal, "dumb") == 0);
    return !unwanted && ll_os_is_terminal(LL_OS_STDOUT);
}
