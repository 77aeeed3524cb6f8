/* The command `packages`: prints the packages that files form, their references and what is missing. `check` reports
 * findings. */
#include "cli/commands.h"

#include "cli/output.h"
#include "cli/run.h"

typedef struct job {
    const ll_options *options;
} job;

/* An ll_plan.tail; ctx is a job. */
static ll_status print(void *ctx, ll_run *run)
{
    const ll_options *options = ((const job *)ctx)->options;
    ll_out out;
    if (!ll_out_open(&out, options->output, NULL)) {
        return LL_E_WRITE;
    }
    ll_status status = ll_workspace_print(ll_run_workspace(run), options->format, ll_out_write, &out);
    return ll_out_end(&out, "packages", status) ? LL_OK : LL_E_WRITE;
}

int ll_packages(const ll_options *options, ll_config *config)
{
    job j = {options};
    ll_plan plan = {.options = options,
                    .config = config,
                    .target = options->output,
                    .joins = true,
                    .max_per_file = 1,
                    .ctx = &j,
                    .tail = print};
    return ll_run_files(&plan, NULL);
}
