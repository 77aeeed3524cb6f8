/* The command `completions`: prints a completion script for a shell. The scripts call `completions line`, which prints
 * what may follow on a command line, from the tables of commands and options. Rule names are those of the shipped
 * rules. */
#include "cli/commands.h"
#include "cli/config/keys.h"
#include "cli/output.h"
#include "cli/tables.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ scripts */

/* Each script runs "lightlint completions line -- WORD... .TYPED" and reads lines "word TAB meaning". The dot before
 * the typed part is there because some shells drop empty words. The word ":files" means that a file name may follow. */

static const char bash[] =
    "# bash completion for lightlint, made by: lightlint completions bash\n"
    "_lightlint() {\n"
    "    local word name words=\" \" typed=${COMP_WORDS[COMP_CWORD]}\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r word _; do\n"
    "        if [[ $word != :files ]]; then\n"
    "            COMPREPLY+=(\"$word\")\n"
    "            words+=\"$word \"\n"
    "        elif [[ ${#COMPREPLY[@]} -gt 0 ]]; then # else bash completes by itself, and quotes\n"
    "            while IFS= read -r name; do\n"
    "                if [[ $words != *\" $name \"* ]]; then\n"
    "                    COMPREPLY+=(\"$name\")\n"
    "                    compopt -o filenames 2>/dev/null\n"
    "                fi\n"
    "            done < <(compgen -f -- \"$typed\")\n"
    "        fi\n"
    "    done < <(\"${COMP_WORDS[0]/#\\~/$HOME}\" completions line -- \"${COMP_WORDS[@]:1:COMP_CWORD-1}\" \".$typed\""
    " 2>/dev/null)\n"
    "    if [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi\n"
    "}\n"
    "complete -o default -F _lightlint lightlint\n";

static const char zsh[] =
    "#compdef lightlint\n# zsh completion for lightlint, made by: lightlint completions zsh\n"
    "_lightlint() {\n"
    "  local word meaning files\n"
    "  local -a whole begun\n"
    "  while IFS=$'\\t' read -r word meaning; do\n"
    "    case $word in\n"
    "      :files) files=1 ;;\n"
    "      *=) begun+=(\"${word//:/\\\\:}:$meaning\") ;;\n"
    "      *) whole+=(\"${word//:/\\\\:}:$meaning\") ;;\n"
    "    esac\n"
    "  done < <(${(Q)~words[1]} completions line -- \"${(@Q)words[2,CURRENT-1]}\" \".${(Q)PREFIX}\" 2>/dev/null)\n"
    "  (( $#whole )) && _describe lightlint whole\n"
    "  (( $#begun )) && _describe lightlint begun -S ''\n"
    "  if [[ -n $files ]]; then\n"
    "    [[ $PREFIX == --*=* ]] && compset -P '*='\n"
    "    _files\n"
    "  fi\n"
    "}\n"
    "_lightlint \"$@\"\n";

static const char fish[] =
    "# fish completion for lightlint, made by: lightlint completions fish\n"
    "function __lightlint\n"
    "    set -l words (commandline -opc)\n"
    "    set -l typed (commandline -ct)\n"
    "    set -l program $words[1]\n"
    "    set -e words[1]\n"
    "    for line in (command $program completions line -- $words \".$typed\" 2>/dev/null)\n"
    "        if test \"$line\" = :files\n"
    "            set -l option (string match -r -- '^--[^=]*=' \"$typed\")\n"
    "            for path in (__fish_complete_path (string replace -- \"$option\" '' \"$typed\"))\n"
    "                echo -- \"$option$path\"\n"
    "            end\n"
    "        else\n"
    "            echo -- $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c lightlint -f -a '(__lightlint)'\n";

static const char powershell[] =
    "# PowerShell completion for lightlint, made by: lightlint completions powershell\n"
    "Register-ArgumentCompleter -Native -CommandName lightlint -ScriptBlock {\n"
    "    param($wordToComplete, $commandAst, $cursorPosition)\n"
    "    $given = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })\n"
    "    if ($wordToComplete -and $given.Count -gt 1) { $given = @($given | Select-Object -SkipLast 1) }\n"
    "    $words = @($given | Select-Object -Skip 1) + \".$wordToComplete\"\n"
    "    & $given[0] completions line '--' @words 2>$null | ForEach-Object {\n"
    "        $word, $meaning = $_ -split \"`t\", 2\n"
    "        if (-not $meaning) { $meaning = $word }\n"
    "        if ($word -ne ':files') {\n"
    "            [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $meaning)\n"
    "        }\n"
    "    }\n"
    "}\n";

/* ------------------------------------------------------------------ one line */

typedef struct line {
    ll_out out;
    ll_ruleset *rules;
    const char *typed;  /* typed part of the last word, after "--name=" */
    const char *option; /* "--name=" if the last word begins with it, else "" */
    size_t option_length;
} line;

/* Prints `word` and the suffix `behind` if together they begin with the typed part. */
static void propose(line *l, const char *word, const char *behind, const char *meaning)
{
    size_t n = strlen(l->typed);
    size_t whole = strlen(word);
    bool begins = n <= whole ? strncmp(word, l->typed, n) == 0
                             : strncmp(word, l->typed, whole) == 0 && strncmp(behind, l->typed + whole, n - whole) == 0;
    if (begins) {
        ll_out_print(&l->out, "%.*s%s%s\t%s\n", (int)l->option_length, l->option, word, behind, meaning);
    }
}

static void propose_words(line *l, const char *const *words)
{
    for (; words && *words; words++) {
        propose(l, *words, "", "");
    }
}

static void propose_rules(line *l, const char *behind)
{
    ll_rule_info rule;
    char name[128];
    for (size_t i = 0; ll_ruleset_rule(l->rules, i, &rule); i++) {
        (void)snprintf(name, sizeof name, "%s/%s", rule.family, rule.name);
        propose(l, rule.id, behind, rule.title);
        propose(l, name, behind, rule.title);
    }
}

static void propose_options(line *l, const ll_command_row *command)
{
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        const ll_option_row *r = &ll_option_rows[i];
        if (ll_option_is_of(r, command)) {
            propose(l, "--", r->name, r->help);
            if (r->letter) {
                propose(l, "-", (const char[]){r->letter, '\0'}, r->help);
            }
        }
    }
}

static void propose_files(line *l)
{
    ll_out_print(&l->out, ":files\n");
}

static void propose_values(line *l, ll_value_kind kind, const ll_command_row *command)
{
    const char *games[LL_GAME_NAMES_MAX];
    ll_game_names(games);
    if (kind == LL_VALUE_FILE) {
        propose_files(l);
    } else if (kind == LL_VALUE_RULE || kind == LL_VALUE_RULE_LEVEL) {
        propose_rules(l, kind == LL_VALUE_RULE ? "" : "=");
        propose_words(l, (const char *const[]){kind == LL_VALUE_RULE ? "all" : "all=", NULL});
    } else {
        propose_words(l, kind == LL_VALUE_FORMAT        ? ll_command_formats(command)
                         : kind == LL_VALUE_COLOR       ? ll_color_words
                         : kind == LL_VALUE_LEVEL       ? ll_level_words
                         : kind == LL_VALUE_UNSUPPORTED ? ll_unsupported_names
                         : kind == LL_VALUE_GAME        ? games
                                                        : NULL);
    }
}

/* The option that takes the next word as its value, if `word` ends with one; NULL: none. */
static const ll_option_row *awaits_value(const char *word)
{
    size_t n = strlen(word);
    bool is_name = word[1] == '-';
    const ll_option_row *r = is_name ? ll_option_find(word + 2, n - 2, true) : ll_option_find(word + n - 1, 1, false);
    return r && r->value && r->kind != LL_VALUE_SUFFIX ? r : NULL;
}

static void propose_all(line *l, const char *const *words, size_t count)
{
    const ll_command_row *command = NULL;
    const ll_option_row *asked = NULL;
    size_t operands = 0; /* after the command */
    for (size_t i = 0; i < count; i++) {
        const char *word = words[i];
        if (strcmp(word, "=") == 0) {
            continue; /* bash splits at '=' */
        }
        if (asked || (word[0] == '-' && word[1])) {
            asked = asked ? NULL : awaits_value(word);
        } else if (command) {
            operands++;
        } else {
            command = ll_command_find(word);
            command = command ? command : &ll_command_rows[LL_COMMAND_CHECK];
        }
    }
    size_t stem = strncmp(l->typed, "--", 2) == 0 ? strcspn(l->typed, "=") : 0;
    if (l->typed[stem] == '=') {
        asked = stem ? ll_option_find(l->typed + 2, stem - 2, true) : asked;
        l->option = l->typed;
        l->option_length = stem ? stem + 1 : 0;
        l->typed += stem + 1;
    }
    const ll_command_row *known = command ? command : &ll_command_rows[LL_COMMAND_CHECK];
    const char *families[LL_FAMILY_NAMES_MAX];
    const char *const *command_words = command ? ll_command_words(command, families) : NULL;
    if (asked) {
        propose_values(l, asked->kind, known);
    } else if (*l->typed == '-') {
        propose_options(l, known);
    } else if (!command) {
        for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
            propose(l, ll_command_rows[i].name, "", ll_command_rows[i].synopses[0].does);
        }
        propose_files(l);
    } else if (operands == 0 && command_words) {
        propose_words(l, command_words);
    } else if (operands == 0 && command->operand == LL_OPERAND_RULE) {
        propose_rules(l, "");
    } else if (command->operand == LL_OPERAND_FILES) {
        propose_files(l);
    }
}

/* ------------------------------------------------------------------ the command */

int ll_completions(const ll_options *options)
{
    static const struct {
        const char *shell, *script;
    } scripts[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}, {"powershell", powershell}};
    line l = {.rules = NULL};
    if (!ll_out_open(&l.out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        ll_out_print(&l.out, "%s", strcmp(scripts[i].shell, options->verb) == 0 ? scripts[i].script : "");
    }
    if (options->operand_count) {
        l.typed = options->operands[options->operand_count - 1];
        l.typed += *l.typed != '\0'; /* skip the dot */
        ll_need(ll_ruleset_create(NULL, &l.rules));
        propose_all(&l, options->operands, options->operand_count - 1);
        ll_ruleset_free(l.rules);
    }
    return ll_out_close(&l.out) ? LL_EXIT_CLEAN : LL_EXIT_TROUBLE;
}
