/* lightlint sweep: records all findings of a corpus, joins the records of its parts, and compares two of them. What a
 * record says and how two compare is the library's. */
#include "cli/commands.h"

#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/run.h"

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
    ll_inputs inputs;
    int code =
        ll_inputs_open(options, &inputs) ? join_or_compare(options, inputs.given, &inputs.failed) : LL_EXIT_TROUBLE;
    ll_inputs_close(&inputs);
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
