/* The lightlint program: makes the rule set that was asked for and hands over to the command. Trusts the library alone;
 * whatever goes wrong here is said in one line and ends with exit code 2. */
#include "cli/check.h"
#include "cli/output.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ rules */

/* Says why `what` (an option and its value, or a file) was refused. Returns whether it was not. */
static bool accept(ll_status status, const char *what, const ll_problem *problem)
{
    if (status == LL_OK) {
        return true;
    }
    size_t n = strlen(what);
    bool named = strncmp(problem->text, what, n) == 0 && strncmp(problem->text + n, ": ", 2) == 0;
    const char *text = problem->text + (named ? n + 2 : 0); /* the name goes in front of the line, once */
    if (status != LL_E_PACK) {
        ll_say("%s: %s", what, ll_status_text(status));
    } else if (problem->line && problem->column) {
        ll_say("%s:%u:%u: %s", what, problem->line, problem->column, text);
    } else if (problem->line) {
        ll_say("%s:%u: %s", what, problem->line, text);
    } else {
        ll_say("%s: %s", what, text);
    }
    return false;
}

static bool add_pack(ll_ruleset *rules, const char *path)
{
    ll_os_buffer buffer = {0};
    ll_problem problem = {0};
    int error = ll_os_read(&buffer, path);
    bool fine;
    if (error) {
        char words[128];
        ll_say("--rules %s: %s", path, ll_os_error_text(error, words, sizeof words));
        fine = false;
    } else {
        fine = accept(ll_ruleset_add_pack(rules, path, buffer.bytes, buffer.size, &problem), path, &problem);
    }
    ll_os_buffer_free(&buffer);
    return fine;
}

typedef ll_status selector_fn(ll_ruleset *rules, const char *selector, ll_problem *problem);

/* Selectors with commas between them. */
static bool apply_selectors(ll_ruleset *rules, selector_fn *apply, const char *option, const char *list)
{
    for (const char *at = list;; at++) {
        char selector[256] = "";
        ll_problem problem = {0};
        size_t n = strcspn(at, ",");
        if (n == 0 || n >= sizeof selector) {
            ll_say("%s %s: a selector is %s", option, list, n ? "too long" : "empty");
            return false;
        }
        memcpy(selector, at, n);
        if (!accept(apply(rules, selector, &problem), option, &problem)) {
            return false;
        }
        at += n;
        if (!*at) {
            return true;
        }
    }
}

/* RULE=LEVEL */
static bool apply_severity(ll_ruleset *rules, const char *value)
{
    char selector[256] = "";
    ll_problem problem = {0};
    ll_severity severity = LL_SEVERITY_OFF;
    const char *equals = strrchr(value, '=');
    size_t n = equals ? (size_t)(equals - value) : 0;
    if (n == 0 || n >= sizeof selector) {
        ll_say("--severity %s: expected RULE=LEVEL", value);
        return false;
    }
    memcpy(selector, value, n);
    return ll_options_severity(equals + 1, "off", "--severity", &severity) &&
           accept(ll_ruleset_set_severity(rules, selector, severity, &problem), "--severity", &problem);
}

static bool apply_setting(ll_ruleset *rules, const ll_setting *setting)
{
    if (setting->option == LL_OPT_SELECT) {
        return apply_selectors(rules, ll_ruleset_select, "--select", setting->value);
    }
    if (setting->option == LL_OPT_IGNORE) {
        return apply_selectors(rules, ll_ruleset_ignore, "--ignore", setting->value);
    }
    return setting->option != LL_OPT_SEVERITY || apply_severity(rules, setting->value);
}

/* Packs first: selectors may name their rules, wherever they stand on the command line. */
static bool build_rules(ll_ruleset *rules, const ll_options *options)
{
    ll_problem problem = {0};
    for (size_t i = 0; i < options->setting_count; i++) {
        if (options->settings[i].option == LL_OPT_RULES && !add_pack(rules, options->settings[i].value)) {
            return false;
        }
    }
    for (size_t i = 0; i < options->setting_count; i++) {
        if (!apply_setting(rules, &options->settings[i])) {
            return false;
        }
    }
    return accept(ll_ruleset_seal(rules, &problem), "rules", &problem);
}

static ll_ruleset *load_rules(const ll_options *options)
{
    ll_ruleset *rules = NULL;
    ll_status status = ll_ruleset_create(NULL, &rules);
    if (status != LL_OK) {
        ll_say("%s", ll_status_text(status));
        return NULL;
    }
    if (!build_rules(rules, options)) {
        ll_ruleset_free(rules);
        return NULL;
    }
    return rules;
}

/* ------------------------------------------------------------------ commands that print one thing */

/* `status` is what the library made of printing to `out`. */
static int end_print(ll_out *out, ll_status status)
{
    bool complete = ll_out_close(out);
    if (status != LL_OK && status != LL_E_WRITE) {
        ll_say("%s", ll_status_text(status));
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
        ll_say("explain: %s", problem.text);
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
    ll_say("%s: %s", options->operands[0], problem.text);
    return LL_EXIT_TROUBLE;
}

static int dump_report(const ll_options *options, ll_report *report)
{
    ll_summary summary;
    int code = print_dump(options, report);
    ll_report_summary(report, &summary);
    if (summary.unchecked) {
        ll_say("%s: not decoded in full; lightlint check says why", options->operands[0]);
        code = LL_EXIT_TROUBLE;
    }
    return code;
}

static int dump(const ll_options *options, const ll_ruleset *rules)
{
    const char *path = options->operands[0];
    bool is_stdin = strcmp(path, "-") == 0;
    const char *stdin_name = options->stdin_name ? options->stdin_name : "<stdin>";
    ll_os_buffer buffer = {0};
    ll_report *report = NULL;
    int code = LL_EXIT_TROUBLE;
    int error = ll_os_read(&buffer, is_stdin ? NULL : path);
    if (error) {
        char words[128];
        ll_say("%s: %s", path, ll_os_error_text(error, words, sizeof words));
    } else {
        ll_lint_options lint = {.size = sizeof lint, .name = is_stdin ? stdin_name : path,
                                .variant = options->game, .max_per_file = 1};
        ll_status status = ll_report_create(NULL, &report);
        if (options->script) {
            lint.max_per_file = 0; /* its findings are shown */
        }
        status = status == LL_OK ? ll_lint(rules, buffer.bytes, buffer.size, &lint, report) : status;
        if (status == LL_OK) {
            code = dump_report(options, report);
        } else {
            ll_say("%s: %s", path, ll_status_text(status));
        }
    }
    ll_report_free(report);
    ll_os_buffer_free(&buffer);
    return code;
}

static int print_help(void)
{
    ll_out out;
    if (!ll_out_open(&out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    ll_options_help(ll_out_write, &out, true);
    return end_print(&out, LL_OK);
}

static int print_version(void)
{
    ll_out out;
    char line[64];
    if (!ll_out_open(&out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    (void)snprintf(line, sizeof line, "lightlint %s\n", ll_version());
    (void)ll_out_write(&out, line, strlen(line));
    return end_print(&out, LL_OK);
}

static bool write_stderr(void *ctx, const char *bytes, size_t size)
{
    (void)ctx;
    return ll_os_write(LL_OS_STDERR, bytes, size) == 0;
}

static int with_rules(const ll_options *options)
{
    ll_ruleset *rules = load_rules(options);
    if (!rules) {
        return LL_EXIT_TROUBLE;
    }
    int code = options->command == LL_COMMAND_CHECK     ? ll_check(options, rules)
               : options->command == LL_COMMAND_DUMP    ? dump(options, rules)
               : options->command == LL_COMMAND_EXPLAIN ? explain(options, rules)
                                                        : print_rules(options, rules);
    ll_ruleset_free(rules);
    return code;
}

static int run(const ll_options *options)
{
    if (options->command == LL_COMMAND_HELP) {
        return print_help();
    }
    return options->command == LL_COMMAND_VERSION ? print_version() : with_rules(options);
}

int main(int argc, char **argv)
{
    ll_options options;
    ll_os_start();
    if (argc < 2) {
        ll_options_help(write_stderr, NULL, false);
        return LL_EXIT_TROUBLE;
    }
    int code = ll_options_parse(argc, argv, &options) ? run(&options) : LL_EXIT_TROUBLE;
    ll_options_free(&options);
    return code;
}
