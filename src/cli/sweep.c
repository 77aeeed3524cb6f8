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
    ll_os_source *source;
    bool failed; /* which was said */
} input;

static bool say_error(input *in, int error)
{
    char words[128];
    (void)ll_say("%s: %s", in->path, ll_os_error_text(error, words, sizeof words));
    in->failed = true;
    return false;
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

static bool open_inputs(const ll_options *options, input *inputs, ll_sweep_input *given)
{
    for (size_t i = 0; i < options->operand_count; i++) {
        input *in = &inputs[i];
        in->path = options->operands[i];
        given[i] = (ll_sweep_input){in->path, read_input, in};
        int error = ll_os_source_open(in->path, &in->source);
        if (error) {
            return say_error(in, error);
        }
    }
    return true;
}

/* ------------------------------------------------------------------ joining and comparing */

typedef struct outcome {
    ll_status status;
    ll_sweep_changes changes;
} outcome;

static outcome join_or_compare(const ll_options *options, const ll_sweep_input *given, ll_out *out, ll_problem *problem)
{
    outcome o = {.status = LL_OK};
    if (options->merge) {
        o.status = ll_sweep_merge(NULL, given, options->operand_count, ll_out_write, out, problem);
    } else {
        o.status = ll_sweep_diff(NULL, &given[0], &given[1], options->format, ll_out_write, out, &o.changes, problem);
    }
    return o;
}

static int end(const ll_options *options, const outcome *o, bool said, ll_out *out, const ll_problem *problem)
{
    const ll_sweep_changes *c = &o->changes;
    bool differs = c->came || c->went || c->changed || c->old_files || c->new_files;
    if (o->status == LL_OK) {
        return !ll_out_close(out) ? LL_EXIT_TROUBLE : differs ? LL_EXIT_FINDINGS : LL_EXIT_CLEAN;
    }
    if (o->status == LL_E_WRITE) {
        (void)ll_out_close(out); /* it knows why */
        return LL_EXIT_TROUBLE;
    }
    if (o->status == LL_E_INPUT && !said) {
        (void)ll_say("%s", problem->text);
    } else if (o->status != LL_E_INPUT) {
        (void)ll_say("sweep --%s: %s", options->merge ? "merge" : "diff", ll_status_text(o->status));
    }
    ll_out_abandon(out);
    return LL_EXIT_TROUBLE;
}

static int over_sweeps(const ll_options *options)
{
    size_t n = options->operand_count;
    input *inputs = calloc(n, sizeof *inputs);
    ll_sweep_input *given = calloc(n, sizeof *given);
    ll_problem problem = {0};
    ll_out out;
    int code = LL_EXIT_TROUBLE;
    if (!inputs || !given) {
        (void)ll_out_of_memory();
    } else if (may_write(options) && open_inputs(options, inputs, given) && ll_out_open(&out, options->output, NULL)) {
        outcome o = join_or_compare(options, given, &out, &problem);
        bool said = false;
        for (size_t i = 0; i < n; i++) {
            said = said || inputs[i].failed;
        }
        code = end(options, &o, said, &out, &problem);
    }
    for (size_t i = 0; inputs && i < n; i++) {
        ll_os_source_close(inputs[i].source);
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
