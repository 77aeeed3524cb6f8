/* The command `sweep`: records all findings of a corpus, joins partial sweeps and compares two of them. The library
 * defines the format and the comparison. */
#include "cli/commands.h"

#include "cli/config/path.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/run.h"

#include <string.h>

/* ------------------------------------------------------------------ joining and comparing */

/* Opened only if the parts contain data for rules across files. */
typedef struct joining {
    const ll_options *options;
    ll_config *config; /* NULL: not needed so far */
    ll_workspace *workspace;
} joining;

static ll_workspace *open_workspace(void *ctx)
{
    joining *j = ctx;
    if (ll_config_open(j->options, &j->config)) {
        ll_need(ll_workspace_create(NULL, ll_config_base(j->config)->rules, &j->workspace));
    }
    return j->workspace;
}

/* ll_sweep_join.rules_of: the rules for a file by its path. */
static const ll_ruleset *rules_of(void *ctx, const ll_workspace_file *file)
{
    ll_config *config = ((joining *)ctx)->config;
    const char *opens = file->archive ? file->archive : file->name;
    const ll_scope *scope = ll_config_scope_of(config, opens);
    size_t stem = (size_t)(ll_path_name(opens) - opens);
    const ll_profile *profile = scope ? ll_config_profile(config, scope, file->name + stem) : NULL;
    return profile ? profile->rules : NULL;
}

static ll_status merge(const ll_options *options, const ll_sweep_input *given, ll_out *out, ll_problem *problem)
{
    joining j = {.options = options};
    ll_sweep_join join = {.size = sizeof join, .open = open_workspace, .rules_of = rules_of, .ctx = &j};
    ll_status status = ll_sweep_merge(NULL, given, options->operand_count, options->no_cross ? NULL : &join,
                                      &(ll_sweep_output){NULL, ll_out_write, out}, problem);
    ll_workspace_free(j.workspace);
    ll_config_close(j.config);
    return status;
}

/* Joins or compares sweeps. `sink`: stream for the joined sweep; 0: the output of the options. */
static int join_or_compare(const ll_options *options, const ll_sweep_input *given, const bool *failed, int sink)
{
    ll_sweep_changes c = {0};
    ll_problem problem = {0};
    ll_out out;
    if (!ll_out_open(&out, sink ? NULL : options->output, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    out.stream = sink ? sink : out.stream;
    ll_status status = options->merge
                           ? merge(options, given, &out, &problem)
                           : ll_sweep_diff(NULL, &given[0], &given[1],
                                           &(ll_sweep_output){options->format, ll_out_write, &out}, &c, &problem);
    if (status == LL_E_INPUT) {
        ll_out_abandon(&out);
        (void)(*failed || ll_say("%s", problem.text));
        return LL_EXIT_TROUBLE;
    }
    bool differs = c.came || c.went || c.changed || c.old_files || c.new_files;
    return !ll_out_end(&out, options->merge ? "sweep --merge" : "sweep --diff", status) ? LL_EXIT_TROUBLE
           : differs                                                                    ? LL_EXIT_FINDINGS
                                                                                        : LL_EXIT_CLEAN;
}

/* ------------------------------------------------------------------ showing */

typedef struct swept {
    int source;
} swept;

/* An ll_read_fn; ctx is a swept. */
static bool read_swept(void *ctx, char *buffer, size_t capacity, size_t *size)
{
    int error = ll_os_source_read(((swept *)ctx)->source, buffer, capacity, size);
    return !error || ll_say("%s", ll_os_error_text(error));
}

/* Opens a temporary file for a sweep that is read again at once. */
static bool open_scratch(int *sink, int *source)
{
    int error = ll_os_scratch_open(sink, source);
    return !error || ll_say("a temporary file: %s", ll_os_error_text(error));
}

/* Shows the sweep in a temporary file. */
static bool show(const ll_options *options, int source)
{
    swept whole = {source};
    const ll_sweep_input input = {"sweep", read_swept, &whole};
    ll_problem problem = {0};
    ll_out out;
    if (!ll_out_open(&out, options->output, NULL)) {
        return false;
    }
    ll_status status = ll_sweep_print(NULL, &input, &(ll_sweep_output){options->format, ll_out_write, &out}, &problem);
    if (status == LL_E_INPUT) {
        ll_out_abandon(&out);
        return ll_say("%s", problem.text);
    }
    return ll_out_end(&out, "sweep", status);
}

static int over_sweeps(const ll_options *options, int sink)
{
    ll_inputs inputs;
    int code = ll_inputs_open(options, &inputs) ? join_or_compare(options, inputs.given, &inputs.failed, sink)
                                                : LL_EXIT_TROUBLE;
    ll_inputs_close(&inputs);
    return code;
}

/* ------------------------------------------------------------------ recording */

/* Sweeps a directory, with names relative to it. False on failure. Clears *whole if not everything was checked. Both
 * are reported. */
static bool sweep_root(const ll_options *options, const char **root, int sink, bool *whole)
{
    ll_options one = *options;
    ll_config *config = NULL;
    ll_output output = {"sweep", NULL};
    ll_outcome outcome = {.complete = false};
    one.operands = root;
    one.operand_count = 1;
    if (ll_config_open(&one, &config)) {
        ll_plan plan = {.options = &one,
                        .config = config,
                        .outputs = &output,
                        .output_count = 1,
                        .stream = sink,
                        .target = options->output,
                        .joins = true,
                        .below_root = true};
        (void)ll_run_files(&plan, &outcome);
    }
    if (outcome.complete && outcome.unchecked) {
        *whole = ll_say("%s: not everything was checked; lightlint check says what was not", *root);
    }
    ll_config_close(config);
    return outcome.complete;
}

static int compare_roots(const ll_options *options)
{
    swept sides[2];
    ll_sweep_input given[2];
    int opened = 0;
    bool done = true;
    bool whole = true;
    while (opened < 2 && done) {
        int sink;
        if (!open_scratch(&sink, &sides[opened].source)) {
            done = false;
            break;
        }
        given[opened] = (ll_sweep_input){options->operands[opened], read_swept, &sides[opened]};
        done = sweep_root(options, &options->operands[opened], sink, &whole);
        opened++;
    }
    int code = done ? join_or_compare(options, given, &(bool){false}, 0) : LL_EXIT_TROUBLE;
    while (opened) {
        ll_os_source_close(sides[--opened].source);
    }
    return whole ? code : LL_EXIT_TROUBLE;
}

static int record(const ll_options *options, ll_config *config, int sink, bool *complete)
{
    ll_output output = {"sweep", sink ? NULL : options->output};
    ll_outcome outcome;
    ll_plan plan = {.options = options,
                    .config = config,
                    .outputs = &output,
                    .output_count = 1,
                    .stream = sink,
                    .target = sink ? options->output : NULL,
                    .joins = true};
    int code = ll_run_files(&plan, &outcome);
    *complete = outcome.complete;
    return code;
}

/* Writes the sweep to a temporary file, then shows it. */
static int record_and_show(const ll_options *options, ll_config *config)
{
    int sink;
    int source;
    if (!open_scratch(&sink, &source)) {
        return LL_EXIT_TROUBLE;
    }
    bool complete = true;
    int code = options->merge ? over_sweeps(options, sink) : record(options, config, sink, &complete);
    complete = complete && (!options->merge || code != LL_EXIT_TROUBLE);
    code = complete && !show(options, source) ? LL_EXIT_TROUBLE : code;
    ll_os_source_close(source);
    return code;
}

int ll_sweep(const ll_options *options, ll_config *config)
{
    if (options->roots) {
        return compare_roots(options);
    }
    if (!options->diff && strcmp(options->format, "jsonl") != 0) {
        return record_and_show(options, config);
    }
    return options->merge || options->diff ? over_sweeps(options, 0) : record(options, config, 0, &(bool){false});
}
