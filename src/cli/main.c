/* Entry point of lightlint: parses the command line and calls the command. Errors here are one line on stderr and exit
 * code 2. */
#include "base/fit.h"
#include "cli/commands.h"
#include "cli/config/path.h"
#include "cli/crash.h"
#include "cli/output.h"
#include "cli/subject.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ commands that print one thing */

/* Columns before the last column of a table line. That column begins after at least two spaces and must have room for
 * ROOM columns; 2 if there is none. */
static size_t last_column(const char *line, size_t n, const ll_terminal *terminal)
{
    enum { ROOM = 28 };
    size_t columns = 0;
    for (size_t at = 1; at + 1 < n; at++) {
        bool begins = line[at - 1] == ' ' && line[at] == ' ' && line[at + 1] != ' ';
        size_t before = begins ? ll_columns(line, at + 1, terminal) : terminal->columns;
        columns = before + ROOM <= terminal->columns ? before : columns;
    }
    return columns ? columns : 2;
}

/* An ll_write_fn for whole lines: wraps them to the width of a terminal. */
static bool write_page(void *ctx, const char *bytes, size_t size)
{
    ll_out *out = ctx;
    const ll_terminal terminal = ll_options_terminal(out->stream);
    if (!terminal.columns) {
        return ll_out_write(out, bytes, size);
    }
    ll_text text;
    ll_text_init(&text, &ll_heap);
    for (const char *end = bytes + size; bytes < end;) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t n = (size_t)((feed ? feed : end) - bytes);
        size_t from = text.length;
        ll_text_put(&text, bytes, n);
        ll_fit(&text, from, last_column(bytes, n, &terminal), &terminal);
        ll_text_str(&text, feed ? "\n" : "");
        bytes += n + (feed != NULL);
    }
    bool written = ll_out_write(out, text.data, text.length);
    ll_text_free(&text);
    return written;
}

static ll_write_fn writer_of(const ll_options *options)
{
    return strcmp(options->format, "text") == 0 ? write_page : ll_out_write;
}

static bool print_rules(const ll_options *options, const ll_ruleset *rules, ll_out *out)
{
    bool chosen = ll_options_given(options, LL_OPT_SELECT) || ll_options_given(options, LL_OPT_IGNORE);
    return ll_out_end(out, "rules", ll_print_rules(rules, chosen, options->format, writer_of(options), out));
}

static bool explain(const ll_options *options, const ll_ruleset *rules, ll_out *out)
{
    ll_problem problem = {0};
    size_t index = 0;
    if (!ll_ruleset_find(rules, options->operands[0], &index, &problem)) {
        ll_out_abandon(out);
        return ll_say("explain: %s", problem.text);
    }
    bool color = ll_options_color(options, true);
    return ll_out_end(out, "explain", ll_explain(rules, index, options->format, color, writer_of(options), out));
}

/* Prints the version and describes the shipped rules, whatever the configuration. */
static bool print_version(const ll_options *options, ll_out *out)
{
    ll_ruleset *rules = NULL;
    if (options->verbosity <= 0 && strcmp(options->format, "text") == 0) {
        ll_out_print(out, "lightlint %s\n", ll_version());
        return ll_out_close(out);
    }
    ll_need(ll_ruleset_create(NULL, &rules));
    ll_status status = ll_print_version(rules, options->format, ll_out_write, out);
    ll_ruleset_free(rules);
    return ll_out_end(out, "version", status);
}

static bool print_fields(const ll_options *options, ll_out *out)
{
    return ll_out_end(out, "fields", ll_print_fields(NULL, options->verb, options->format, writer_of(options), out));
}

static bool print_help(const ll_options *options, ll_out *out)
{
    ll_options_help(out, options->help_of);
    return ll_out_close(out);
}

/* Prints the whole dump, or the one script that --script names. */
static bool print_dump(const ll_options *options, ll_report *report, ll_out *out)
{
    ll_problem problem = {0};
    const ll_terminal terminal = ll_options_terminal(LL_OS_STDOUT);
    const char *stable = strcmp(options->format, "json") == 0 ? "records" : "stable";
    ll_status status = options->script
                           ? ll_list(report, options->script, &terminal, ll_out_write, out, &problem)
                           : ll_dump(report, options->stable ? stable : options->format, &terminal, ll_out_write, out);
    if (options->script && status == LL_E_ARGUMENT) {
        ll_out_abandon(out);
        return ll_say("%s: %s", options->operands[0], problem.text);
    }
    return ll_out_end(out, options->operands[0], status);
}

/* Reports that a file was not read in full, with the message of the finding about it. */
static bool say_unread(const char *path, ll_report *report)
{
    ll_finding finding;
    for (size_t i = 0; i < ll_report_finding_count(report); i++) {
        if (ll_report_finding(report, i, &finding) == LL_OK && finding.unread) {
            return ll_say("%s: not read in full: %s %s: %s", path, finding.id, finding.name, finding.message);
        }
    }
    return ll_say("%s: not checked in full; lightlint check says why", path);
}

static bool dump(const ll_options *options, ll_config *config, ll_out *out)
{
    const char *stdin_name = options->stdin_name ? options->stdin_name : "<stdin>";
    ll_subject s;
    ll_subject_open(&s, options->operands[0], stdin_name);
    bool done = ll_subject_read(&s, config);
    if (!done) {
        ll_out_abandon(out);
    } else {
        ll_summary summary;
        done = print_dump(options, s.report, out);
        ll_report_summary(s.report, &summary);
        done = summary.incomplete ? say_unread(ll_report_name(s.report), s.report) : done;
    }
    ll_subject_close(&s);
    return done;
}

/* Runs a command that writes one thing to standard output. */
static int print(const ll_options *options, ll_config *config)
{
    ll_out out;
    bool done = ll_out_open(&out, NULL, NULL);
    if (!done) {
        return LL_EXIT_TROUBLE;
    }
    ll_command command = options->command;
    done = command == LL_COMMAND_DUMP      ? dump(options, config, &out)
           : command == LL_COMMAND_EXPLAIN ? explain(options, ll_config_base(config)->rules, &out)
           : command == LL_COMMAND_RULES   ? print_rules(options, ll_config_base(config)->rules, &out)
           : command == LL_COMMAND_FIELDS  ? print_fields(options, &out)
           : command == LL_COMMAND_VERSION ? print_version(options, &out)
                                           : print_help(options, &out);
    return done ? LL_EXIT_CLEAN : LL_EXIT_TROUBLE;
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

/* Runs a command that needs a rule set. */
static int with_config(const ll_options *options)
{
    ll_config *config = NULL;
    int code = LL_EXIT_TROUBLE;
    if (ll_config_open(options, &config)) {
        code = options->command == LL_COMMAND_CHECK      ? ll_check(options, config)
               : options->command == LL_COMMAND_FIX      ? ll_fix_command(options, config)
               : options->command == LL_COMMAND_BUILD    ? ll_build_command(options, config)
               : options->command == LL_COMMAND_BASELINE ? ll_baseline_command(options, config)
               : options->command == LL_COMMAND_SWEEP    ? ll_sweep(options, config)
               : options->command == LL_COMMAND_CENSUS   ? ll_census_command(options, config)
               : options->command == LL_COMMAND_PACKAGES ? ll_packages(options, config)
               : options->command == LL_COMMAND_DIFF     ? ll_diff_command(options, config)
               : options->command == LL_COMMAND_CONFIG   ? ll_config_show(options, config)
                                                         : print(options, config);
    }
    ll_config_close(config);
    return code;
}

/* Runs the command. `config init` and `config schema` must work with a broken or missing configuration. Comparing and
 * joining sweeps starts without one; ll_sweep() opens it if the parts contain packages. */
static int run(const ll_options *options)
{
    bool over_sweeps = options->command == LL_COMMAND_SWEEP && (options->diff || options->merge);
    const char *config_verb = options->command == LL_COMMAND_CONFIG ? options->verb : "";
    bool is_about = options->command == LL_COMMAND_HELP || options->command == LL_COMMAND_VERSION ||
                    options->command == LL_COMMAND_FIELDS;
    return is_about                                     ? print(options, NULL)
           : options->command == LL_COMMAND_COMPLETIONS ? ll_completions(options)
           : strcmp(config_verb, "init") == 0           ? ll_config_init()
           : strcmp(config_verb, "schema") == 0         ? ll_config_schema()
           : options->undo                              ? ll_fix_undo(options)
           : over_sweeps                                ? ll_sweep(options, NULL)
                                                        : with_config(options);
}

int main(int argc, char **argv)
{
    ll_options options;
    ll_os_start(argv);
    ll_crash_start();
    if (argc < 2) {
        return print_hint();
    }
    int code = ll_options_parse(argc, argv, &options) ? run(&options) : LL_EXIT_TROUBLE;
    ll_options_free(&options);
    return code;
}
