/* The command line as data: commands, options, words. The parser, --help, completions and the manual page use these
 * rows. */
#ifndef LL_CLI_TABLES_H
#define LL_CLI_TABLES_H

#include "cli/options.h"

enum { LL_SYNOPSES_MAX = 3 };

typedef enum ll_operand { LL_OPERAND_NONE, LL_OPERAND_FILES, LL_OPERAND_RULE, LL_OPERAND_FAMILY } ll_operand;

typedef struct ll_command_row {
    char letter; /* identifies the command in rows of options */
    const char *name;
    ll_operand operand;       /* kind of the operands, after the word if the command takes one */
    const char *const *words; /* words allowed as first operand; NULL: ll_command_words() decides */
    const char *more;         /* for the manual: what it does, literal words in `backquotes` */
    struct {
        const char *form, *does; /* "dump FILE", "show ..."; the list ends with NULL */
    } synopses[LL_SYNOPSES_MAX];
} ll_command_row;

extern const char *const ll_command_names[]; /* NULL-terminated */
extern const ll_command_row ll_command_rows[LL_COMMAND_ROWS];

typedef enum ll_group { LL_GROUP_RULES, LL_GROUP_FILES, LL_GROUP_OUTPUT, LL_GROUP_OUTCOME, LL_GROUPS } ll_group;

extern const char *const ll_group_titles[LL_GROUPS];

/* The kind of value of an option, for completion. */
typedef enum ll_value_kind {
    LL_VALUE_NONE,
    LL_VALUE_TEXT, /* nothing to propose */
    LL_VALUE_FILE,
    LL_VALUE_RULE,
    LL_VALUE_RULE_LEVEL,
    LL_VALUE_FORMAT,
    LL_VALUE_GAME,
    LL_VALUE_COLOR,
    LL_VALUE_LEVEL,
    LL_VALUE_UNSUPPORTED,
    LL_VALUE_SUFFIX /* optional; given after '=' */
} ll_value_kind;

typedef struct ll_option_row {
    ll_group group;
    char letter; /* 0: none */
    const char *name;
    ll_value_kind kind;
    const char *value;    /* name in help texts; NULL: takes no value */
    const char *commands; /* letters of the commands that accept it */
    size_t fills;         /* offset of the bool or string in ll_options to set; 0: read_value() handles the option */
    const char *help;     /* for --help, one line */
    const char *more;     /* for the manual; literal words in `backquotes` */
} ll_option_row;

/* Indexed by ll_option; rows of a group are adjacent. */
extern const ll_option_row ll_option_rows[LL_OPT_COUNT];

typedef struct ll_word_row {
    const char *word, *meaning;
} ll_word_row;
/* The formats of check, in the order of ll_emit_formats(); ends with NULL. */
extern const ll_word_row ll_format_rows[];

/* Lists of words, ended by NULL. */
extern const char *const ll_color_words[];  /* in the order of ll_color */
extern const char *const ll_level_words[];  /* for --fail-on */
extern const char *const ll_dump_formats[]; /* dump and version */
extern const char *const ll_page_formats[]; /* rules and others */
extern const char *const ll_census_formats[];
extern const char *const ll_package_formats[];

/* Look up a command by name, and an option by a name of n bytes or, if not is_name, by its letter. NULL: unknown. */
const ll_command_row *ll_command_find(const char *word);
const ll_option_row *ll_option_find(const char *word, size_t n, bool is_name);

/* Words allowed as first operand of a command; NULL: anything. `families` provides the storage for a list of
 * families. */
enum { LL_FAMILY_NAMES_MAX = 18 };
const char *const *ll_command_words(const ll_command_row *command, const char *families[LL_FAMILY_NAMES_MAX]);

/* The formats of a command with the option --format. */
const char *const *ll_command_formats(const ll_command_row *command);

/* Does the command accept the option? */
bool ll_option_is_of(const ll_option_row *row, const ll_command_row *command);

#endif
