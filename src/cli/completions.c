/* Completion scripts, made from the tables of the command line: commands, the options that each of them knows, and the
 * values that an option takes. Names of rules are those that are shipped. */
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ pieces */

typedef struct script {
    ll_out out;
    ll_ruleset *rules;
} script;

/* Errors stay with the stream, which says them when it is closed. */
static void put(script *s, const char *text)
{
    (void)ll_out_write(&s->out, text, strlen(text));
}

static void put_all(script *s, const char *const *texts)
{
    for (; *texts; texts++) {
        put(s, *texts);
    }
}

/* A text inside single quotes: a quote becomes `quote`, and what of it stands in `special` gets a backslash. */
static void put_quoted(script *s, const char *text, const char *quote, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') {
            put(s, quote);
            continue;
        }
        if (strchr(special, *text)) {
            put(s, "\\");
        }
        (void)ll_out_write(&s->out, text, 1);
    }
}

static void put_words(script *s, const char *const *words, const char *between)
{
    for (size_t i = 0; words[i]; i++) {
        put(s, i ? between : "");
        put(s, words[i]);
    }
}

static void put_rules(script *s, const char *between, const char *behind)
{
    ll_rule_info rule;
    for (size_t i = 0; ll_ruleset_rule(s->rules, i, &rule); i++) {
        put_all(s, (const char *const[]){i ? between : "", rule.id, behind, between, rule.family, "/", rule.name,
                                         behind, NULL});
    }
}

/* The values that an option may have, `between` them; false when there is nothing to propose but files. */
static bool put_values(script *s, ll_value_kind kind, const char *between)
{
    switch (kind) {
    case LL_VALUE_RULE:
        put_rules(s, between, "");
        put_all(s, (const char *const[]){between, "all", NULL});
        return true;
    case LL_VALUE_RULE_LEVEL:
        put_rules(s, between, "=");
        return true;
    case LL_VALUE_FORMAT:
        put_words(s, ll_emit_formats(), between);
        return true;
    case LL_VALUE_COLOR:
        put_words(s, ll_color_words, between);
        return true;
    case LL_VALUE_LEVEL:
        put_words(s, ll_level_words, between);
        return true;
    case LL_VALUE_GAME:
        put(s, "auto");
        for (size_t i = 0; ll_variant(i, NULL); i++) {
            put_all(s, (const char *const[]){between, ll_variant(i, NULL), NULL});
        }
        return true;
    case LL_VALUE_NONE:
    case LL_VALUE_TEXT:
    case LL_VALUE_FILE:
        break;
    }
    return false;
}

static void put_command_names(script *s, const char *between)
{
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        put(s, i ? between : "");
        put(s, ll_command_rows[i].name);
    }
}

/* "--select|--ignore": the options with a value of this kind, or with any value. */
static bool put_options_of(script *s, ll_value_kind kind, const char *between)
{
    bool any = false;
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        const ll_option_row *r = &ll_option_rows[i];
        if (r->value && (kind == LL_VALUE_NONE || r->kind == kind)) {
            char letter[8] = "";
            if (r->letter) {
                (void)snprintf(letter, sizeof letter, "%s-%c", between, r->letter);
            }
            put_all(s, (const char *const[]){any ? between : "", "--", r->name, letter, NULL});
            any = true;
        }
    }
    return any;
}

/* ------------------------------------------------------------------ bash */

static void bash_options(script *s, const ll_command_row *command)
{
    bool any = false;
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        const ll_option_row *r = &ll_option_rows[i];
        if (ll_option_is_of(r, command)) {
            char letter[8] = "";
            if (r->letter) {
                (void)snprintf(letter, sizeof letter, " -%c", r->letter);
            }
            put_all(s, (const char *const[]){any ? " " : "", "--", r->name, letter, NULL});
            any = true;
        }
    }
}

static void bash_values(script *s, ll_value_kind kind)
{
    put(s, "        ");
    if (put_options_of(s, kind, "|")) {
        put(s, ") words=\"");
        (void)put_values(s, kind, " ");
        put(s, "\" ;;\n");
    }
}

/* What is offered of the words, and files beside them. */
static void bash_reply(script *s)
{
    put(s, "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
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

static void print_bash(script *s)
{
    put(s, "# bash completion for lightlint, made by: lightlint completions bash\n"
           "_lightlint() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    local command= verb= words= i\n"
           "    COMPREPLY=()\n"
           "    if [[ $current == = ]]; then current=; fi\n"
           "    if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "        case ${COMP_WORDS[i]} in\n"
           "        ");
    (void)put_options_of(s, LL_VALUE_NONE, "|");
    put(s, ") if [[ ${COMP_WORDS[i+1]} == = ]]; then i=$((i + 2)); else i=$((i + 1)); fi ;;\n"
           "        -*|=) ;;\n"
           "        *) if [[ -z $command ]]; then command=${COMP_WORDS[i]}; elif [[ -z $verb ]]; then "
           "verb=${COMP_WORDS[i]}; fi ;;\n"
           "        esac\n"
           "    done\n"
           "    case $command in\n        ");
    put_command_names(s, "|");
    put(s, ") ;;\n        '') words=\"");
    put_command_names(s, " ");
    put(s, "\" ;;\n        *) command=check ;;\n    esac\n    case $before in\n");
    for (int kind = LL_VALUE_RULE; kind <= LL_VALUE_LEVEL; kind++) {
        if (kind != LL_VALUE_FORMAT) {
            bash_values(s, (ll_value_kind)kind);
        }
    }
    put(s, "        --format)\n            case $command in\n");
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        if (ll_option_is_of(&ll_option_rows[LL_OPT_FORMAT], &ll_command_rows[i])) {
            put_all(s,
                    (const char *const[]){"            ", ll_command_rows[i].name, i ? "" : "|''", ") words=\"", NULL});
            put_words(s, ll_command_formats(&ll_command_rows[i]), " ");
            put(s, "\" ;;\n");
        }
    }
    put(s, "            esac ;;\n        ");
    (void)put_options_of(s, LL_VALUE_FILE, "|");
    put(s, ") return ;;\n        ");
    (void)put_options_of(s, LL_VALUE_TEXT, "|");
    put(s, ") return ;;\n        *)\n            case $current in\n            -*)\n                case "
           "${command:-check} in\n");
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        put_all(s, (const char *const[]){"                ", ll_command_rows[i].name, ") words=\"", NULL});
        bash_options(s, &ll_command_rows[i]);
        put(s, "\" ;;\n");
    }
    put(s, "                esac ;;\n            *)\n                case $command$verb in\n");
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        if (ll_command_rows[i].words) {
            put_all(s, (const char *const[]){"                ", ll_command_rows[i].name, ") words=\"", NULL});
            put_words(s, ll_command_rows[i].words, " ");
            put(s, "\" ;;\n");
        } else if (ll_command_rows[i].operand == LL_OPERAND_RULE) {
            put_all(s, (const char *const[]){"                ", ll_command_rows[i].name, ") words=\"", NULL});
            put_rules(s, " ", "");
            put(s, "\" ;;\n");
        }
    }
    put(s, "                esac ;;\n            esac ;;\n    esac\n");
    bash_reply(s);
}

/* ------------------------------------------------------------------ zsh */

static void zsh_action(script *s, const ll_option_row *r, const ll_command_row *command)
{
    put_all(s, (const char *const[]){":", r->kind == LL_VALUE_FILE ? "file" : r->name, ":", NULL});
    if (r->kind == LL_VALUE_FILE) {
        put(s, "_files");
    } else if (r->kind == LL_VALUE_FORMAT) {
        put(s, "(");
        put_words(s, ll_command_formats(command), " ");
        put(s, ")");
    } else if (r->kind == LL_VALUE_RULE || r->kind == LL_VALUE_RULE_LEVEL) {
        put(s, r->kind == LL_VALUE_RULE ? "{compadd -a rules}" : "{compadd -S= -a rules}");
    } else if (r->kind == LL_VALUE_TEXT) {
        put(s, " ");
    } else {
        put(s, "(");
        (void)put_values(s, r->kind, " ");
        put(s, ")");
    }
}

static void zsh_option(script *s, const ll_option_row *r, const ll_command_row *command)
{
    char letter[8] = "";
    if (r->letter) {
        (void)snprintf(letter, sizeof letter, "-%c", r->letter);
        put_all(s, (const char *const[]){" \\\n        '*'{", letter, r->value ? "+" : "", ",--", r->name,
                                         r->value ? "=" : "", "}'[", NULL});
    } else {
        put_all(s, (const char *const[]){" \\\n        '*--", r->name, r->value ? "=" : "", "[", NULL});
    }
    put_quoted(s, r->help, "'\\''", "[]");
    put(s, "]");
    if (r->value) {
        zsh_action(s, r, command);
    }
    put(s, "'");
}

static void zsh_command(script *s, const ll_command_row *command)
{
    put_all(s, (const char *const[]){"    ", command->name, ")\n      _arguments -s -S", NULL});
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        if (ll_option_is_of(&ll_option_rows[i], command)) {
            zsh_option(s, &ll_option_rows[i], command);
        }
    }
    if (command->words) {
        put(s, " \\\n        '1:what:(");
        put_words(s, command->words, " ");
        put(s, ")'");
    }
    put(s, command->operand == LL_OPERAND_RULE    ? " \\\n        '1:rule:{compadd -a rules}'"
           : command->operand == LL_OPERAND_FILES ? " \\\n        '*:file:_files'"
                                                  : "");
    put(s, "\n      ;;\n");
}

static void print_zsh(script *s)
{
    put(s, "#compdef lightlint\n# zsh completion for lightlint, made by: lightlint completions zsh\n"
           "_lightlint() {\n"
           "  local command=check\n"
           "  local -a commands rules\n"
           "  commands=(\n");
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        put_all(s, (const char *const[]){"    '", ll_command_rows[i].name, ":", NULL});
        put_quoted(s, ll_command_rows[i].synopses[0].does, "'\\''", "");
        put(s, "'\n");
    }
    put(s, "  )\n  rules=(");
    put_rules(s, " ", "");
    put(s, ")\n  if (( CURRENT == 2 )) && [[ ${words[2]} != -* ]]; then\n"
           "    _describe command commands\n"
           "    _files\n"
           "    return\n"
           "  fi\n"
           "  if [[ ${words[2]} == (");
    put_command_names(s, "|");
    put(s, ") ]]; then\n"
           "    command=${words[2]}\n"
           "    words=(${words[1]} ${words[3,-1]})\n"
           "    (( CURRENT-- ))\n"
           "  fi\n"
           "  case $command in\n");
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        zsh_command(s, &ll_command_rows[i]);
    }
    put(s, "  esac\n}\n_lightlint \"$@\"\n");
}

/* ------------------------------------------------------------------ fish */

static void fish_value(script *s, const ll_option_row *r, const ll_command_row *command)
{
    if (r->kind == LL_VALUE_FILE) {
        put(s, " -r -F");
        return;
    }
    put(s, " -x");
    if (r->kind == LL_VALUE_RULE || r->kind == LL_VALUE_RULE_LEVEL) {
        put(s, r->kind == LL_VALUE_RULE ? " -a \"$__lightlint_rules\"" : " -a \"$__lightlint_rules=\"");
    } else if (r->kind != LL_VALUE_TEXT) {
        put(s, " -a '");
        if (r->kind == LL_VALUE_FORMAT) {
            put_words(s, ll_command_formats(command), " ");
        } else {
            (void)put_values(s, r->kind, " ");
        }
        put(s, "'");
    }
}

static void fish_command(script *s, const ll_command_row *command)
{
    const char *name = command->name;
    put_all(s, (const char *const[]){"complete -c lightlint -n __fish_use_subcommand -a ", name, " -d '", NULL});
    put_quoted(s, command->synopses[0].does, "\\'", "\\");
    put(s, "'\n");
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        const ll_option_row *r = &ll_option_rows[i];
        if (!ll_option_is_of(r, command)) {
            continue;
        }
        char letter[8] = "";
        if (r->letter) {
            (void)snprintf(letter, sizeof letter, " -s %c", r->letter);
        }
        put_all(s, (const char *const[]){"complete -c lightlint -n '__lightlint_is ", name, "'", letter, " -l ",
                                         r->name, NULL});
        if (r->value) {
            fish_value(s, r, command);
        }
        put(s, " -d '");
        put_quoted(s, r->help, "\\'", "\\");
        put(s, "'\n");
    }
    if (command->words) {
        put_all(s, (const char *const[]){"complete -c lightlint -n '__lightlint_is ", name,
                                         "; and not __fish_seen_subcommand_from ", NULL});
        put_words(s, command->words, " ");
        put(s, "' -f -a '");
        put_words(s, command->words, " ");
        put(s, "'\n");
    }
    if (command->operand == LL_OPERAND_RULE) {
        put_all(s, (const char *const[]){"complete -c lightlint -n '__lightlint_is ", name,
                                         "' -f -a \"$__lightlint_rules\"\n", NULL});
    }
}

static void print_fish(script *s)
{
    put(s, "# fish completion for lightlint, made by: lightlint completions fish\n"
           "set -g __lightlint_commands ");
    put_command_names(s, " ");
    put(s, "\nset -g __lightlint_rules ");
    put_rules(s, " ", "");
    put(s, "\n# True when the command is the one that is named; check is what there is without a word.\n"
           "function __lightlint_is\n"
           "    set -l words (commandline -opc)\n"
           "    for word in $words[2..-1]\n"
           "        if contains -- $word $__lightlint_commands\n"
           "            test $word = $argv[1]\n"
           "            return\n"
           "        end\n"
           "    end\n"
           "    test $argv[1] = check\n"
           "end\n");
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        fish_command(s, &ll_command_rows[i]);
    }
}

/* ------------------------------------------------------------------ PowerShell */

/* 'a', 'b', 'c' */
static void shell_list(script *s, const char *const *words)
{
    put(s, "'");
    put_words(s, words, "', '");
    put(s, "'");
}

static void powershell_command(script *s, const ll_command_row *command)
{
    bool any = false;
    put_all(s, (const char *const[]){"        '", command->name, "' = @(", NULL});
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        if (ll_option_is_of(&ll_option_rows[i], command)) {
            put_all(s, (const char *const[]){any ? ", '--" : "'--", ll_option_rows[i].name, "'", NULL});
            any = true;
        }
    }
    put(s, ")\n");
}

static void powershell_values(script *s)
{
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        const ll_option_row *r = &ll_option_rows[i];
        bool proposed = r->kind == LL_VALUE_GAME || r->kind == LL_VALUE_COLOR || r->kind == LL_VALUE_LEVEL;
        if (r->kind == LL_VALUE_RULE) {
            put_all(s, (const char *const[]){"        '--", r->name, "' = $rules\n", NULL});
        } else if (r->kind == LL_VALUE_RULE_LEVEL) {
            put_all(s,
                    (const char *const[]){"        '--", r->name, "' = $rules | ForEach-Object { \"$_=\" }\n", NULL});
        } else if (proposed) {
            put_all(s, (const char *const[]){"        '--", r->name, "' = @('", NULL});
            (void)put_values(s, r->kind, "', '");
            put(s, "')\n");
        }
    }
}

/* What a command can write differs. */
static void powershell_formats(script *s)
{
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        if (ll_option_is_of(&ll_option_rows[LL_OPT_FORMAT], &ll_command_rows[i])) {
            put_all(s, (const char *const[]){"        '", ll_command_rows[i].name, "' = @(", NULL});
            shell_list(s, ll_command_formats(&ll_command_rows[i]));
            put(s, ")\n");
        }
    }
}

static void print_powershell(script *s)
{
    put(s, "# PowerShell completion for lightlint, made by: lightlint completions powershell\n"
           "Register-ArgumentCompleter -Native -CommandName lightlint -ScriptBlock {\n"
           "    param($wordToComplete, $commandAst, $cursorPosition)\n"
           "    $rules = @('");
    put_rules(s, "', '", "");
    put(s, "')\n    $options = @{\n");
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        powershell_command(s, &ll_command_rows[i]);
    }
    put(s, "    }\n    $values = @{\n");
    powershell_values(s);
    put(s, "    }\n    $formats = @{\n");
    powershell_formats(s);
    put(s, "    }\n    $words = @{\n");
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        if (ll_command_rows[i].words || ll_command_rows[i].operand == LL_OPERAND_RULE) {
            put_all(s, (const char *const[]){"        '", ll_command_rows[i].name, "' = ", NULL});
            put(s, ll_command_rows[i].words ? "@(" : "$rules");
            if (ll_command_rows[i].words) {
                shell_list(s, ll_command_rows[i].words);
                put(s, ")");
            }
            put(s, "\n");
        }
    }
    put(s, "    }\n"
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
    script s = {0};
    if (ll_ruleset_create(NULL, &s.rules) != LL_OK) {
        (void)ll_out_of_memory();
        return LL_EXIT_TROUBLE;
    }
    bool complete = ll_out_open(&s.out, NULL, NULL);
    for (size_t i = 0; complete && i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shells[i].shell, options->verb) == 0) {
            shells[i].print(&s);
        }
    }
    complete = complete && ll_out_close(&s.out);
    ll_ruleset_free(s.rules);
    return complete ? LL_EXIT_CLEAN : LL_EXIT_TROUBLE;
}
