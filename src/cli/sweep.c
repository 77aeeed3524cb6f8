/* lightlint sweep: records all findings of a corpus, joins the records of its parts, and compares two of them. What a
 * record says and how two compare is the library's; files are opened here, read in pieces, and never held. */
#include "cli/commands.h"

#include "cli/output.h"
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ inputs */

typedef struct input {
    const char *path;
    int source;
    bool *failed; /* for all inputs: one could not be read, which was said */
} input;

static bool say_error(input *in, int error)
{
    *in->failed = true;
    return ll_say("%s: %s", in->path, ll_os_error_text(error));
}

/* An ll_read_fn. */
static bool read_input(void *ctx, char *buffer, size_t capacity, size_t *size)
{
    input *in = ctx;
    int error = ll_os_source_read(in->source, buffer, capacity, size);
    return !error || say_error(in, error);
}

/* One file cannot be read and written at once, and no input is lost because its name stood in the wrong place. */
static bool may_write(const ll_options *options)
{
    for (size_t i = 0; options->output && i < options->operand_count; i++) {
        if (ll_os_same_target(options->operands[i], options->output)) {
            return ll_say("'%s' is an input; it will not be overwritten", options->output);
        }
    }
    return true;
}

/* ------------------------------------------------------------------ joining and comparing */

static int join_or_compare(const ll_options *options, const ll_sweep_input *given, const bool *failed)
{
    ll_sweep_changes c = {0};
    ll_problem problem = {0};
    ll_out out;
    if (!ll_out_open(&out, options->output, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    ll_status status =
        options->merge ? ll_sweep_merge(NULL, given, options->operand_count, ll_out_write, &out, &problem)
                       : ll_sweep_diff(NULL, &given[0], &given[1], options->format, ll_out_write, &out, &c, &problem);
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

static int over_sweeps(const ll_options *options)
{
    size_t n = options->operand_count;
    input *inputs = ll_os_alloc(n, sizeof *inputs);
    ll_sweep_input *given = ll_os_alloc(n, sizeof *given);
    bool failed = !may_write(options);
    size_t opened = 0;
    for (; opened < n && !failed; opened++) {
        input *in = &inputs[opened];
        *in = (input){.path = options->operands[opened], .failed = &failed};
        given[opened] = (ll_sweep_input){in->path, read_input, in};
        int error = ll_os_source_open(in->path, &in->source);
        if (error) {
            (void)say_error(in, error);
            break;
        }
    }
    int code = failed ? LL_EXIT_TROUBLE : join_or_compare(options, given, &failed);
    while (opened) {
        ll_os_source_close(inputs[--opened].source);
    }
    free(inputs);
    free(given);
    return code;
}

/* ------------------------------------------------------------------ recording */

int ll_sweep(const ll_options *options, ll_config *config)
{
    if (options->merge || options->diff) {
        return over_sweeps(options);
    }
    ll_output output = {"sweep", options->output};
    ll_plan plan = {.options = options, .config = config, .outputs = &output, .output_count = 1};
    return ll_run_files(&plan, NULL);
}
