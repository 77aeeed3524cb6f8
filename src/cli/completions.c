/* Completion scripts, made from the tables of the command line: commands, the options that each of them knows, and the
 * values that an option takes. Names of rules are those that are shipped. */
#include "base/array.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/config/keys.h"
#include "cli/output.h"
#include "cli/tables.h"

#include <string.h>

/* ------------------------------------------------------------------ lists of words */

typedef struct script {
    ll_out out;
    ll_arena arena; /* the words */
    ll_ruleset *rules;
} script;

typedef LL_ARRAY(const char *) words;

static void add(script *s, words *list, const char *word)
{
    ll_allocator allocator = ll_arena_allocator(&s->arena);
    *LL_ARRAY_ADD(list, &allocator) = word;
}

static words words_of(script *s, const char *const *given)
{
    words list = {.items = NULL};
    for (; given && *given; given++) {
        add(s, &list, *given);
    }
    return list;
}

/* Ids and names, each with `behind` at its end. */
static words rules_of(script *s, const char *behind)
{
    words list = {.items = NULL};
    ll_rule_info rule;
    for (size_t i = 0; ll_ruleset_rule(s->rules, i, &rule); i++) {
        add(s, &list, ll_format(&s->arena, "%s%s", rule.id, behind));
        add(s, &list, ll_format(&s->arena, "%s/%s%s", rule.family, rule.name, behind));
    }
    return list;
}

/* The values that an option of the command may have; none where there is nothing to propose but files. */
static words values_of(script *s, ll_value_kind kind, const ll_command_row *command)
{
    const char *games[LL_GAME_NAMES_MAX];
    ll_game_names(games);
    const char *const *given = kind == LL_VALUE_FORMAT  ? ll_command_formats(command)
                               : kind == LL_VALUE_COLOR ? ll_color_words
                               : kind == LL_VALUE_LEVEL ? ll_level_words
                               : kind == LL_VALUE_GAME  ? games
                                                        : NULL;
    words list = kind == LL_VALUE_RULE         ? rules_of(s, "")
                 : kind == LL_VALUE_RULE_LEVEL ? rules_of(s, "=")
                                               : words_of(s, given);
    if (kind == LL_VALUE_RULE) {
        add(s, &list, "all");
    }
    return list;
}

static words command_names(script *s)
{
    words list = {.items = NULL};
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        add(s, &list, ll_command_rows[i].name);
    }
    return list;
}

/* Options of a command (NULL: of all), or those with a value of this kind; LL_VALUE_NONE: with any value. */
static words option_names(script *s, const ll_command_row *command, ll_value_kind kind, bool letters)
{
    words list = {.items = NULL};
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        const ll_option_row *r = &ll_option_rows[i];
        bool wanted = command ? ll_option_is_of(r, command) : r->value && (kind == LL_VALUE_NONE || r->kind == kind);
        if (wanted) {
            add(s, &list, ll_format(&s->arena, "--%s", r->name));
        }
        if (wanted && letters && r->letter) {
            add(s, &list, ll_format(&s->arena, "-%c", r->letter));
        }
    }
    return list;
}

static ll_text text_of(script *s)
{
    ll_allocator allocator = ll_arena_allocator(&s->arena);
    ll_text text;
    ll_text_init(&text, &allocator);
    return text;
}

static const char *joined(script *s, words list, const char *between)
{
    ll_text text = text_of(s);
    for (size_t i = 0; i < list.count; i++) {
        ll_text_format(&text, "%s%s", i ? between : "", list.items[i]);
    }
    return ll_text_cstr(&text);
}

/* A text inside single quotes: a quote becomes `quote`, and what of it stands in `special` gets a backslash. */
static const char *quoted(script *s, const char *given, const char *quote, const char *special)
{
    ll_text text = text_of(s);
    for (; *given; given++) {
        ll_text_str(&text, *given == '\'' ? quote : strchr(special, *given) ? "\\" : "");
        ll_text_put(&text, given, *given != '\'');
    }
    return ll_text_cstr(&text);
}

/* ------------------------------------------------------------------ bash */

/* "        --select|--ignore) words="..." ;;" */
static void bash_case(script *s, int indent, words patterns, words list)
{
    if (patterns.count) {
        ll_out_print(&s->out, "%*s%s) words=\"%s\" ;;\n", indent, "", joined(s, patterns, "|"), joined(s, list, " "));
    }
}

static words one_word(script *s, const char *word)
{
    return words_of(s, (const char *const[]){word, NULL});
}

static void bash_operands(script *s)
{
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        const ll_command_row *command = &ll_command_rows[i];
        if (command->words || command->operand == LL_OPERAND_RULE) {
            bash_case(s, 16, one_word(s, command->name),
                      command->words ? words_of(s, command->words) : rules_of(s, ""));
        }
    }
}

static void bash_cases(script *s)
{
    ll_out_print(&s->out, "    case $before in\n");
    for (int kind = LL_VALUE_RULE; kind <= LL_VALUE_LEVEL; kind++) {
        if (kind != LL_VALUE_FORMAT) {
            bash_case(s, 8, option_names(s, NULL, (ll_value_kind)kind, true),
                      values_of(s, (ll_value_kind)kind, ll_command_rows));
        }
    }
    ll_out_print(&s->out, "        --format)\n            case $command in\n");
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        const ll_command_row *command = &ll_command_rows[i];
        if (ll_option_is_of(&ll_option_rows[LL_OPT_FORMAT], command)) {
            const char *const patterns[] = {command->name, i ? NULL : "''", NULL};
            bash_case(s, 12, words_of(s, patterns), values_of(s, LL_VALUE_FORMAT, command));
        }
    }
    ll_out_print(&s->out,
                 "            esac ;;\n        %s) return ;;\n        %s) return ;;\n        *)\n"
                 "            case $current in\n            -*)\n                case ${command:-check} in\n",
                 joined(s, option_names(s, NULL, LL_VALUE_FILE, true), "|"),
                 joined(s, option_names(s, NULL, LL_VALUE_TEXT, true), "|"));
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        bash_case(s, 16, one_word(s, ll_command_rows[i].name),
                  option_names(s, &ll_command_rows[i], LL_VALUE_NONE, true));
    }
    ll_out_print(&s->out, "                esac ;;\n            *)\n                case $command$verb in\n");
    bash_operands(s);
    ll_out_print(&s->out, "                esac ;;\n            esac ;;\n    esac\n");
}

static void print_bash(script *s)
{
    words commands = command_names(s);
    ll_out_print(&s->out,
                 "# bash completion for lightlint, made by: lightlint completions bash\n"
                 "_lightlint() {\n"
                 "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                 "    local command= verb= words= i\n"
                 "    COMPREPLY=()\n"
                 "    if [[ $current == = ]]; then current=; fi\n"
                 "    if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
                 "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                 "        case ${COMP_WORDS[i]} in\n"
                 "        %s) if [[ ${COMP_WORDS[i+1]} == = ]]; then i=$((i + 2)); else i=$((i + 1)); fi ;;\n"
                 "        -*|=) ;;\n"
                 "        *) if [[ -z $command ]]; then command=${COMP_WORDS[i]}; elif [[ -z $verb ]]; then "
                 "verb=${COMP_WORDS[i]}; fi ;;\n"
                 "        esac\n"
                 "    done\n"
                 "    case $command in\n        %s) ;;\n",
                 joined(s, option_names(s, NULL, LL_VALUE_NONE, true), "|"), joined(s, commands, "|"));
    bash_case(s, 8, one_word(s, "''"), commands);
    ll_out_print(&s->out, "        *) command=check ;;\n    esac\n");
    bash_cases(s);
    ll_out_print(
        &s->out,
        "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
        "    if [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi\n"
        "    # Files where a command may stand, and not one beside it: then bash completes by itself, and quotes.\n"
        "    if [[ -z $command && $current != -* && ${#COMPREPLY[@]} -gt 0 ]]; then\n"
        "        local name\n"
        "        while IFS= read -r name; do\n"
        "            if [[ \" $words \" != *\" $name \"* ]]; then\n"
        "                COMPREPLY+=(\"$name\")\n"
        "                compopt -o filenames 2>/dev/null\n"
        "            fi\n"
        "        done < <(compgen -f -- \"$current\")\n"
        "    fi\n"
        "}\n"
        "complete -o default -F _lightlint lightlint\n");
}

/* ------------------------------------------------------------------ zsh */

static void zsh_option(script *s, const ll_option_row *r, const ll_command_row *command)
{
    const char *equals = r->value ? "=" : "";
    if (r->letter) {
        ll_out_print(&s->out, " \\\n        '*'{-%c%s,--%s%s}'", r->letter, r->value ? "+" : "", r->name, equals);
    } else {
        ll_out_print(&s->out, " \\\n        '*--%s%s", r->name, equals);
    }
    ll_out_print(&s->out, "[%s]", quoted(s, r->help, "'\\''", "[]"));
    if (r->value) {
        ll_out_print(&s->out, ":%s:%s", r->kind == LL_VALUE_FILE ? "file" : r->name,
                     r->kind >= LL_VALUE_FORMAT
                         ? ll_format(&s->arena, "(%s)", joined(s, values_of(s, r->kind, command), " "))
                     : r->kind == LL_VALUE_FILE       ? "_files"
                     : r->kind == LL_VALUE_RULE       ? "{compadd -a rules}"
                     : r->kind == LL_VALUE_RULE_LEVEL ? "{compadd -S= -a rules}"
                                                      : " ");
    }
    ll_out_print(&s->out, "'");
}

static void zsh_command(script *s, const ll_command_row *command)
{
    ll_out_print(&s->out, "    %s)\n      _arguments -s -S", command->name);
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        if (ll_option_is_of(&ll_option_rows[i], command)) {
            zsh_option(s, &ll_option_rows[i], command);
        }
    }
    if (command->words) {
        ll_out_print(&s->out, " \\\n        '1:what:(%s)'", joined(s, words_of(s, command->words), " "));
    }
    ll_out_print(&s->out, "%s\n      ;;\n",
                 command->operand == LL_OPERAND_RULE    ? " \\\n        '1:rule:{compadd -a rules}'"
                 : command->operand == LL_OPERAND_FILES ? " \\\n        '*:file:_files'"
                                                        : "");
}

static void print_zsh(script *s)
{
    ll_out_print(&s->out, "#compdef lightlint\n# zsh completion for lightlint, made by: lightlint completions zsh\n"
                          "_lightlint() {\n"
                          "  local command=check\n"
                          "  local -a commands rules\n"
                          "  commands=(\n");
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        ll_out_print(&s->out, "    '%s:%s'\n", ll_command_rows[i].name,
                     quoted(s, ll_command_rows[i].synopses[0].does, "'\\''", ""));
    }
    ll_out_print(&s->out,
                 "  )\n  rules=(%s)\n  if (( CURRENT == 2 )) && [[ ${words[2]} != -* ]]; then\n"
                 "    _describe command commands\n"
                 "    _files\n"
                 "    return\n"
                 "  fi\n"
                 "  if [[ ${words[2]} == (%s) ]]; then\n"
                 "    command=${words[2]}\n"
                 "    words=(${words[1]} ${words[3,-1]})\n"
                 "    (( CURRENT-- ))\n"
                 "  fi\n"
                 "  case $command in\n",
                 joined(s, rules_of(s, ""), " "), joined(s, command_names(s), "|"));
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        zsh_command(s, &ll_command_rows[i]);
    }
    ll_out_print(&s->out, "  esac\n}\n_lightlint \"$@\"\n");
}

/* ------------------------------------------------------------------ fish */

static void fish_option(script *s, const ll_option_row *r, const ll_command_row *command)
{
    const char *letter = r->letter ? ll_format(&s->arena, " -s %c", r->letter) : "";
    const char *values = !r->value ? ""
                         : r->kind >= LL_VALUE_FORMAT
                             ? ll_format(&s->arena, " -x -a '%s'", joined(s, values_of(s, r->kind, command), " "))
                         : r->kind == LL_VALUE_FILE       ? " -r -F"
                         : r->kind == LL_VALUE_RULE       ? " -x -a \"$__lightlint_rules\""
                         : r->kind == LL_VALUE_RULE_LEVEL ? " -x -a \"$__lightlint_rules=\""
                                                          : " -x";
    ll_out_print(&s->out, "complete -c lightlint -n '__lightlint_is %s'%s -l %s%s -d '%s'\n", command->name, letter,
                 r->name, values, quoted(s, r->help, "\\'", "\\"));
}

static void fish_command(script *s, const ll_command_row *command)
{
    ll_out_print(&s->out, "complete -c lightlint -n __fish_use_subcommand -a %s -d '%s'\n", command->name,
                 quoted(s, command->synopses[0].does, "\\'", "\\"));
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        if (ll_option_is_of(&ll_option_rows[i], command)) {
            fish_option(s, &ll_option_rows[i], command);
        }
    }
    if (command->words) {
        const char *verbs = joined(s, words_of(s, command->words), " ");
        ll_out_print(
            &s->out,
            "complete -c lightlint -n '__lightlint_is %s; and not __fish_seen_subcommand_from %s' -f -a '%s'\n",
            command->name, verbs, verbs);
    }
    if (command->operand == LL_OPERAND_RULE) {
        ll_out_print(&s->out, "complete -c lightlint -n '__lightlint_is %s' -f -a \"$__lightlint_rules\"\n",
                     command->name);
    }
}

static void print_fish(script *s)
{
    ll_out_print(&s->out,
                 "# fish completion for lightlint, made by: lightlint completions fish\n"
                 "set -g __lightlint_commands %s\nset -g __lightlint_rules %s\n# True when the command is the one that "
                 "is named; check is what there is without a word.\n"
                 "function __lightlint_is\n"
                 "    set -l words (commandline -opc)\n"
                 "    for word in $words[2..-1]\n"
                 "        if contains -- $word $__lightlint_commands\n"
                 "            test $word = $argv[1]\n"
                 "            return\n"
                 "        end\n"
                 "    end\n"
                 "    test $argv[1] = check\n"
                 "end\n",
                 joined(s, command_names(s), " "), joined(s, rules_of(s, ""), " "));
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        fish_command(s, &ll_command_rows[i]);
    }
}

/* ------------------------------------------------------------------ PowerShell */

/* "        'name' = @('a', 'b', 'c')" */
static void powershell_list(script *s, const char *dashes, const char *name, words list)
{
    ll_out_print(&s->out, "        '%s%s' = @('%s')\n", dashes, name, joined(s, list, "', '"));
}

static void powershell_values(script *s)
{
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        const ll_option_row *r = &ll_option_rows[i];
        if (r->kind == LL_VALUE_RULE || r->kind == LL_VALUE_RULE_LEVEL) {
            ll_out_print(&s->out, "        '--%s' = $rules%s\n", r->name,
                         r->kind == LL_VALUE_RULE ? "" : " | ForEach-Object { \"$_=\" }");
        } else if (r->kind > LL_VALUE_FORMAT) {
            powershell_list(s, "--", r->name, values_of(s, r->kind, NULL));
        }
    }
}

static void powershell_tables(script *s)
{
    ll_out_print(&s->out, "    $options = @{\n");
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        const ll_command_row *command = &ll_command_rows[i];
        powershell_list(s, "", command->name, option_names(s, command, LL_VALUE_NONE, false));
    }
    ll_out_print(&s->out, "    }\n    $values = @{\n");
    powershell_values(s);
    ll_out_print(&s->out, "    }\n    $formats = @{\n");
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        const ll_command_row *command = &ll_command_rows[i];
        if (ll_option_is_of(&ll_option_rows[LL_OPT_FORMAT], command)) {
            powershell_list(s, "", command->name, values_of(s, LL_VALUE_FORMAT, command));
        }
    }
    ll_out_print(&s->out, "    }\n    $words = @{\n");
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        const ll_command_row *command = &ll_command_rows[i];
        if (command->words) {
            powershell_list(s, "", command->name, words_of(s, command->words));
        } else if (command->operand == LL_OPERAND_RULE) {
            ll_out_print(&s->out, "        '%s' = $rules\n", command->name);
        }
    }
    ll_out_print(&s->out, "    }\n");
}

static void print_powershell(script *s)
{
    ll_out_print(&s->out,
                 "# PowerShell completion for lightlint, made by: lightlint completions powershell\n"
                 "Register-ArgumentCompleter -Native -CommandName lightlint -ScriptBlock {\n"
                 "    param($wordToComplete, $commandAst, $cursorPosition)\n"
                 "    $rules = @('%s')\n",
                 joined(s, rules_of(s, ""), "', '"));
    powershell_tables(s);
    ll_out_print(
        &s->out,
        "    $given = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })\n"
        "    if ($wordToComplete -and $given.Count -gt 0) { $given = @($given | Select-Object -SkipLast 1) }\n"
        "    $command = $given | Where-Object { $options.ContainsKey($_) } | Select-Object -First 1\n"
        "    $before = if ($given.Count -gt 0) { $given[-1] } else { '' }\n"
        "    $writer = if ($command) { $command } else { 'check' }\n"
        "    $found = if ($before -eq '--format' -and $formats.ContainsKey($writer)) { $formats[$writer] }\n"
        "        elseif ($values.ContainsKey($before)) { $values[$before] }\n"
        "        elseif ($wordToComplete -like '-*') { if ($command) { $options[$command] } else { "
        "$options['check'] } }\n"
        "        elseif (-not $command) { $options.Keys | Sort-Object }\n"
        "        elseif ($before -eq $command -and $words.ContainsKey($command)) { $words[$command] }\n"
        "        else { @() }\n"
        "    $found | Where-Object { $_ -like \"$wordToComplete*\" } | ForEach-Object {\n"
        "        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)\n"
        "    }\n"
        "}\n");
}

/* ------------------------------------------------------------------ the command */

int ll_completions(const ll_options *options)
{
    static const struct {
        const char *shell;
        void (*print)(script *s);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}, {"powershell", print_powershell}};
    script s = {.rules = NULL};
    ll_arena_init(&s.arena, &ll_heap, SIZE_MAX);
    ll_need(ll_ruleset_create(NULL, &s.rules));
    bool complete = ll_out_open(&s.out, NULL, NULL);
    for (size_t i = 0; complete && i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shells[i].shell, options->verb) == 0) {
            shells[i].print(&s);
        }
    }
    complete = complete && ll_out_close(&s.out);
    ll_arena_free(&s.arena);
    ll_ruleset_free(s.rules);
    return complete ? LL_EXIT_CLEAN : LL_EXIT_TROUBLE;
}
