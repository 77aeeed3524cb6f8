/* What the command line knows, as data: commands, options, words. The parser, --help, the completion scripts and the
 * manual page are all made from these rows. */
#ifndef LL_CLI_TABLES_H
#define LL_CLI_TABLES_H

#include "cli/options.h"

enum { LL_SYNOPSES_MAX = 3 };

typedef enum ll_operand { LL_OPERAND_NONE, LL_OPERAND_FILES, LL_OPERAND_RULE, LL_OPERAND_FAMILY } ll_operand;

typedef struct ll_command_row {
    char letter; /* names the command in the rows of options */
    const char *name;
    ll_operand operand;       /* what follows the command, and its word if it takes one */
    const char *const *words; /* what the first operand must be one of; NULL: see ll_command_words() */
    const char *more;         /* for the manual: what it does, literal words in `backquotes` */
    struct {
        const char *form, *does; /* "dump FILE", "show ..."; NULL behind the last */
    } synopses[LL_SYNOPSES_MAX];
} ll_command_row;

extern const char *const ll_command_names[]; /* NULL-terminated */
extern const ll_command_row ll_command_rows[LL_COMMAND_ROWS];

typedef enum ll_group { LL_GROUP_RULES, LL_GROUP_FILES, LL_GROUP_OUTPUT, LL_GROUP_OUTCOME, LL_GROUPS } ll_group;

extern const char *const ll_group_titles[LL_GROUPS];

/* What stands behind an option. */
typedef enum ll_value_kind {
    LL_VALUE_NONE,
    LL_VALUE_TEXT, /* nothing that could be proposed */
    LL_VALUE_FILE,
    LL_VALUE_RULE,
    LL_VALUE_RULE_LEVEL,
    LL_VALUE_FORMAT,
    LL_VALUE_GAME,
    LL_VALUE_COLOR,
    LL_VALUE_LEVEL,
    LL_VALUE_UNSUPPORTED,
    LL_VALUE_SUFFIX /* may be left out, and stands behind '=' else */
} ll_value_kind;

typedef struct ll_option_row {
    ll_group group;
    char letter; /* 0: none */
    const char *name;
    ll_value_kind kind;
    const char *value;    /* how the help calls it; NULL: takes none */
    const char *commands; /* letters of those that know it */
    size_t fills;         /* offset of the bool, or the text, of ll_options that it does no more than fill; 0: none */
    const char *help;     /* for --help: fits a line */
    const char *more;     /* for the manual, in place of the help; literal words in `backquotes` */
} ll_option_row;

/* By ll_option; rows of a group stand together. */
extern const ll_option_row ll_option_rows[LL_OPT_COUNT];

typedef struct ll_word_row {
    const char *word, *meaning;
} ll_word_row;
/* What check can write, as ll_emit_formats(); NULL behind the last. */
extern const ll_word_row ll_format_rows[];

/* NULL-terminated. */
extern const char *const ll_color_words[];  /* as ll_color */
extern const char *const ll_level_words[];  /* of --fail-on */
extern const char *const ll_dump_formats[]; /* of dump */
extern const char *const ll_page_formats[]; /* of rules */
extern const char *const ll_census_formats[];
extern const char *const ll_package_formats[];

/* NULL: there is none. An option of n bytes is a name, or a letter. */
const ll_command_row *ll_command_find(const char *word);
const ll_option_row *ll_option_find(const char *word, size_t n, bool is_name);

/* What the first operand of a command must be one of; NULL: anything. `families` gives room. */
enum { LL_FAMILY_NAMES_MAX = 18 };
const char *const *ll_command_words(const ll_command_row *command, const char *families[LL_FAMILY_NAMES_MAX]);

/* What a command with the option --format can write. */
const char *const *ll_command_formats(const ll_command_row *command);

/* The options that a command knows: strchr(row->commands, letter). */
bool ll_option_is_of(const ll_option_row *row, const ll_command_row *command);

#endif
