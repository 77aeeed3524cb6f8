/* Options of the command line. The parser and the help text are driven by the table in options.def. */
#ifndef LL_CLI_OPTIONS_H
#define LL_CLI_OPTIONS_H

#include "cli/output.h"

typedef enum ll_command {
#define LL_COMMAND_ROW(id, ...) LL_COMMAND_##id,
#include "cli/commands.def"
#undef LL_COMMAND_ROW
    LL_COMMAND_ROWS
} ll_command;

typedef enum ll_option {
#define LL_OPTION(id, ...) LL_OPT_##id,
#include "cli/options.def"
#undef LL_OPTION
    LL_OPT_COUNT
} ll_option;

/* One option as given. Repeatable options are read from these, in the order of the command line. */
typedef struct ll_setting {
    ll_option option;
    const char *value; /* "" for an option without value */
} ll_setting;

typedef enum ll_color { LL_COLOR_AUTO, LL_COLOR_ALWAYS, LL_COLOR_NEVER } ll_color;

/* One output of the command check. */
typedef struct ll_output {
    const char *format; /* static storage */
    const char *file;   /* NULL: standard output */
} ll_output;

enum { LL_OUTPUTS_MAX = 16 };

/* The parsed command line. Strings are those of argv. */
typedef struct ll_options {
    ll_command command;
    ll_command help_of; /* for LL_COMMAND_HELP: the command whose options are shown */
    ll_setting *settings;
    size_t setting_count;
    const char **operands; /* arguments that are no options */
    size_t operand_count;
    const char **operand_storage;
    bool literal_first; /* "--" was given before the first operand */

    ll_output outputs[LL_OUTPUTS_MAX]; /* check */
    size_t output_count;
    const char *format; /* of every other command with --format */
    const char *output; /* the file to write; NULL: standard output */
    const char *verb;   /* first operand if the command requires a word there (commands.def); static storage, NULL: not
                         * given */
    bool stable;        /* dump: without offsets and other values that move */
    const char *script; /* dump: the actor whose script is listed; NULL: show the whole file */
    ll_color color;
    ll_severity fail_level;
    bool fail_level_given;                     /* given on the command line, which overrides the configuration */
    bool unsupported_given, allow_unsupported; /* likewise */
    int verbosity;                             /* -2 .. 1 */
    bool all;
    uint32_t max_per_rule, max_per_file; /* 0: no limit; ll_options_limits() decides to which formats they apply */
    unsigned jobs;                       /* 0: one per processor */
    bool timing;
    bool null_ends;                      /* --files-from: paths are terminated by NUL */
    const char *files_from, *stdin_name; /* NULL when not given */
    const char *game;                    /* a name of ll_variant(), NULL: detect by content; static storage */
    bool game_given;
    const char *config; /* the configuration file to use; NULL: search upwards */
    bool isolated;      /* use configuration, suppressions and baseline only if options name them */
    bool no_suppressions;
    bool no_cross;                       /* no checks across files */
    const char *baseline;                /* NULL: as configured */
    bool accept_new;                     /* baseline update: adds new findings */
    bool force_exclude;                  /* exclude patterns apply to named files, too */
    bool no_ignore;                      /* do not ask Git what it ignores */
    bool require_files;                  /* a directory without files is an error */
    bool roots;                          /* sweep --diff: the operands are directories */
    bool diff, merge;                    /* diff: sweep and fix; merge: sweep and census */
    bool unsafe, marked, interactive;    /* fix */
    bool no_journal;                     /* fix: write no journal */
    const char *backup, *journal, *undo; /* fix: suffix and file names; NULL: not given */
    uint32_t shard, shards;              /* shard I of N, counted from 1; N is 1 without --shard */
} ll_options;

/* False if the command line is refused, which is reported on stderr. Call ll_options_free() in both cases. */
bool ll_options_parse(int argc, char **argv, ll_options *out);
void ll_options_free(ll_options *options);

/* The next value of a repeatable option, searched from setting *at on ("" for an option without values); NULL: no
 * more. */
const char *ll_options_next(const ll_options *options, ll_option option, size_t *at);
/* True if the option was given. */
bool ll_options_given(const ll_options *options, ll_option option);

/* Reads a word of ll_level_names or ll_fail_level_names. An unknown word is reported as a value of `what`. */
bool ll_options_severity(const char *word, const char *const *names, const char *what, ll_severity *out);

/* The limits for an output format: those given as options, else the defaults for formats for people unless --all is
 * given. */
void ll_options_limits(const ll_options *options, const char *format, uint32_t *max_per_rule, uint32_t *max_per_file);

/* True if the output is to be coloured. `to_stdout`: it goes to standard output, not to a file. */
bool ll_options_color(const ll_options *options, bool to_stdout);
/* Size of the terminal behind a standard stream, from COLUMNS and LINES if set; columns 0 if it is not a terminal, or
 * the log of a CI job (CI is set). */
ll_terminal ll_options_terminal(int stream);

/* Writes usage and options of one command. For LL_COMMAND_HELP: usage of all commands, examples and the options of
 * check. */
void ll_options_help(ll_out *out, ll_command command);
/* Writes usage and examples. */
void ll_options_hint(ll_out *out);

#endif
