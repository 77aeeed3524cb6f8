/* The lightlint program: reads the command line and calls the command. Whatever goes wrong here is one line on stderr
 * and exit code 2. */
#include "cli/commands.h"
#include "cli/output.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ commands that print one thing */

/* `status` is what the library made of printing to `out`. */
static int end_print(ll_out *out, ll_status status)
{
    bool complete = ll_out_close(out);
    if (status != LL_OK && status != LL_E_WRITE) {
        (void)ll_say("%s", ll_status_text(status));
        complete = false;
    }
    return complete ? LL_EXIT_CLEAN : LL_EXIT_TROUBLE;
}

static int print_rules(const ll_options *options, const ll_ruleset *rules)
{
    ll_out out;
    if (!ll_out_open(&out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    return end_print(&out, ll_print_rules(rules, options->format, ll_out_write, &out));
}

static int explain(const ll_options *options, const ll_ruleset *rules)
{
    ll_out out;
    ll_problem problem = {0};
    size_t index = 0;
    if (!ll_ruleset_find(rules, options->operands[0], &index, &problem)) {
        (void)ll_say("explain: %s", problem.text);
        return LL_EXIT_TROUBLE;
    }
    if (!ll_out_open(&out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    return end_print(&out, ll_explain(rules, index, ll_options_color(options, true), ll_out_write, &out));
}

/* Everything, or the one script that was asked for. */
static int print_dump(const ll_options *options, ll_report *report)
{
    ll_out out;
    ll_problem problem = {0};
    if (!ll_out_open(&out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    if (!options->script) {
        return end_print(&out, ll_dump(report, options->format, ll_out_write, &out));
    }
    ll_status status = ll_list(report, options->script, ll_out_write, &out, &problem);
    if (status != LL_E_ARGUMENT) {
        return end_print(&out, status);
    }
    (void)ll_out_close(&out);
    (void)ll_say("%s: %s", options->operands[0], problem.text);
    return LL_EXIT_TROUBLE;
}

static int dump_report(const ll_options *options, ll_report *report)
{
    ll_summary summary;
    int code = print_dump(options, report);
    ll_report_summary(report, &summary);
    if (summary.unchecked) {
        (void)ll_say("%s: not decoded in full; lightlint check says why", options->operands[0]);
        code = LL_EXIT_TROUBLE;
    }
    return code;
}

/* With the game and the rules that hold for the file: --script shows findings. */
static int dump(const ll_options *options, ll_config *config)
{
    const char *path = options->operands[0];
    bool is_stdin = strcmp(path, "-") == 0;
    const char *stdin_name = options->stdin_name ? options->stdin_name : "<stdin>";
    const char *name = is_stdin ? stdin_name : path;
    const ll_scope *scope = ll_config_scope_of(config, name);
    const ll_profile *profile = scope ? ll_config_profile(config, scope, name) : NULL;
    ll_os_buffer buffer = {0};
    ll_report *report = NULL;
    int code = LL_EXIT_TROUBLE;
    if (!profile) {
        return code; /* it was said why */
    }
    int error = ll_os_read(&buffer, is_stdin ? NULL : path);
    if (error) {
        char words[128];
        (void)ll_say("%s: %s", path, ll_os_error_text(error, words, sizeof words));
    } else {
        ll_lint_options lint = {.size = sizeof lint, .name = name, .variant = profile->game, .max_per_file = 1};
        ll_status status = ll_report_create(NULL, &report);
        if (options->script) {
            lint.max_per_file = 0; /* its findings are shown */
        }
        status = status == LL_OK ? ll_lint(profile->rules, buffer.bytes, buffer.size, &lint, report) : status;
        if (status == LL_OK) {
            code = dump_report(options, report);
        } else {
            (void)ll_say("%s: %s", path, ll_status_text(status));
        }
    }
    ll_report_free(report);
    ll_os_buffer_free(&buffer);
    return code;
}

static int print_help(const ll_options *options)
{
    ll_out out;
    if (!ll_out_open(&out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    ll_options_help(&out, options->help_of);
    return end_print(&out, LL_OK);
}

static int print_version(void)
{
    ll_out out;
    if (!ll_out_open(&out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    ll_out_print(&out, "lightlint %s\n", ll_version());
    return end_print(&out, LL_OK);
}

static int print_hint(void)
{
    ll_out out;
    if (ll_out_open(&out, NULL, NULL)) {
        out.stream = LL_OS_STDERR;
        ll_options_hint(&out);
        (void)ll_out_close(&out);
    }
    return LL_EXIT_TROUBLE;
}

/* The commands that need a rule set. */
static int with_config(const ll_options *options)
{
    ll_config *config = NULL;
    int code = LL_EXIT_TROUBLE;
    if (ll_config_open(options, &config)) {
        const ll_ruleset *rules = ll_config_base(config)->rules;
        code = options->command == LL_COMMAND_CHECK      ? ll_check(options, config)
               : options->command == LL_COMMAND_BASELINE ? ll_baseline_command(options, config)
               : options->command == LL_COMMAND_SWEEP    ? ll_sweep(options, config)
               : options->command == LL_COMMAND_CENSUS   ? ll_census_command(options, config)
               : options->command == LL_COMMAND_CONFIG   ? ll_config_show(options, config)
               : options->command == LL_COMMAND_DUMP     ? dump(options, config)
               : options->command == LL_COMMAND_EXPLAIN  ? explain(options, rules)
                                                         : print_rules(options, rules);
    }
    ll_config_close(config);
    return code;
}

/* config init and config schema work where a configuration is broken or not there yet, and what compares or joins
 * sweeps asks for none. */
static int run(const ll_options *options)
{
    bool over_sweeps = options->command == LL_COMMAND_SWEEP && (options->diff || options->merge);
    const char *config_verb = options->command == LL_COMMAND_CONFIG ? options->verb : "";
    return options->command == LL_COMMAND_HELP          ? print_help(options)
           : options->command == LL_COMMAND_VERSION     ? print_version()
           : options->command == LL_COMMAND_COMPLETIONS ? ll_completions(options)
           : strcmp(config_verb, "init") == 0           ? ll_config_init()
           : strcmp(config_verb, "schema") == 0         ? ll_config_schema()
           : over_sweeps                                ? ll_sweep(options, NULL)
                                                        : with_config(options);
}

int main(int argc, char **argv)
{
    ll_options options;
    ll_os_start();
    if (argc < 2) {
        return print_hint();
    }
    int code = ll_options_parse(argc, argv, &options) ? run(&options) : LL_EXIT_TROUBLE;
    ll_options_free(&options);
    return code;
}
