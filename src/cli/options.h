/* The command line as data: one table of options makes the parser and the help text. */
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

/* One option as it was given. Repeatable options are read from these, in the order of the command line. */
typedef struct ll_setting {
    ll_option option;
    const char *value; /* "" for an option without one */
} ll_setting;

typedef enum ll_color { LL_COLOR_AUTO, LL_COLOR_ALWAYS, LL_COLOR_NEVER } ll_color;

/* One output of check. */
typedef struct ll_output {
    const char *format; /* static storage */
    const char *file;   /* NULL: standard output */
} ll_output;

enum { LL_OUTPUTS_MAX = 16 };

/* Strings live as long as argv. */
typedef struct ll_options {
    ll_command command;
    ll_command help_of; /* LL_COMMAND_HELP: whose options are shown */
    ll_setting *settings;
    size_t setting_count;
    const char **operands; /* what is not an option */
    size_t operand_count;
    const char **operand_storage;
    bool literal_first; /* "--" stood before the first operand */

    ll_output outputs[LL_OUTPUTS_MAX]; /* check */
    size_t output_count;
    const char *format; /* of every other command that has one */
    const char *output; /* baseline, sweep, census, packages: the file to write; NULL: standard output */
    const char *verb;   /* the word that the command takes, see commands.def; static storage, NULL: none was given */
    bool stable;        /* dump: without what moves */
    const char *script; /* dump: the actor whose script is listed; NULL: all of the file is shown */
    ll_color color;
    ll_severity fail_level;
    bool fail_level_given;                     /* on the command line, so that no configuration counts */
    bool unsupported_given, allow_unsupported; /* the same */
    int verbosity;                             /* -2 .. 1 */
    bool all;
    uint32_t max_per_rule, max_per_file; /* 0: no limit; of a format for people, or of any if they were given */
    unsigned jobs;                       /* 0: one per processor */
    bool timing;
    bool null_ends;                      /* --files-from: paths end in NUL */
    const char *files_from, *stdin_name; /* NULL when not given */
    const char *game;                    /* a name of ll_variant(), NULL: by content; static storage */
    bool game_given;
    const char *config; /* the one configuration file to read; NULL: those found upwards */
    bool isolated;      /* read no configuration, suppressions or baseline but what options name */
    bool no_suppressions;
    bool no_cross;                       /* files are not checked against each other */
    const char *baseline;                /* NULL: what the configuration says */
    bool accept_new;                     /* baseline update: adds new findings */
    bool force_exclude;                  /* exclude patterns hold for files that are named as well */
    bool no_ignore;                      /* Git is not asked what it ignores */
    bool require_files;                  /* a directory without files is an error */
    bool roots;                          /* sweep --diff: of directories */
    bool diff, merge;                    /* sweep; merge: census too; diff: fix too */
    bool unsafe, marked, interactive;    /* fix */
    bool no_journal;                     /* fix: what files were is not noted down */
    const char *backup, *journal, *undo; /* fix: suffix and files; NULL: none */
    uint32_t shard, shards;              /* shard I of N, from 1; N is 1 for all files */
} ll_options;

/* False when the command line was refused, which was said on stderr. ll_options_free() is needed in both cases. */
bool ll_options_parse(int argc, char **argv, ll_options *out);
void ll_options_free(ll_options *options);

/* The next value of a repeatable option ("" for one without values), from the setting *at on; NULL: there is none. */
const char *ll_options_next(const ll_options *options, ll_option option, size_t *at);
/* True when the option was given at all. */
bool ll_options_given(const ll_options *options, ll_option option);

/* Reads a word of ll_level_names or ll_fail_level_names; says what is wrong, about `what`, when it is none. */
bool ll_options_severity(const char *word, const char *const *names, const char *what, ll_severity *out);

/* The limits that hold for an output: those that were given, and those of formats for people unless --all lifts them.
 */
void ll_options_limits(const ll_options *options, const char *format, uint32_t *max_per_rule, uint32_t *max_per_file);

/* True when output shall be coloured: to stdout, or to a file. */
bool ll_options_color(const ll_options *options, bool to_stdout);
/* What text on a standard stream has to fit: the terminal, by COLUMNS and LINES where they are set; nothing elsewhere.
 */
ll_terminal ll_options_terminal(int stream);

/* Writes usage and options of one command; of check, with examples and the usage of all, when it is LL_COMMAND_HELP. */
void ll_options_help(ll_out *out, ll_command command);
/* Writes usage and examples. */
void ll_options_hint(ll_out *out);

#endif
