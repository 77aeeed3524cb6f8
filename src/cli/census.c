/* The command `census`: counts the values of all fields in a corpus. Each worker fills a census of its own; they are
 * merged at the end, so the result does not depend on the number of workers. The library does the counting. */
#include "cli/commands.h"

#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/run.h"

#include <string.h>

typedef struct counting {
    const ll_ruleset *rules;
    const ll_options *options;
    ll_census *censuses[LL_WORKERS_MAX]; /* created for a worker's first file */
} counting;

static ll_status make_census(const counting *c, ll_census **out)
{
    ll_census_options options = {.size = sizeof options, .shard = c->options->shard, .shards = c->options->shards};
    return ll_census_create(NULL, c->rules, &options, out);
}

static ll_status count_file(void *ctx, const ll_work *work)
{
    counting *c = ctx;
    ll_census **census = &c->censuses[work->worker];
    ll_status status = *census ? LL_OK : make_census(c, census);
    return status == LL_OK ? ll_census_add(*census, work->report) : status;
}

/* Merges all into the first one, which is created even if there was no file. */
static ll_status add_up(counting *c)
{
    ll_status status = c->censuses[0] ? LL_OK : make_census(c, &c->censuses[0]);
    for (unsigned i = 1; status == LL_OK && i < LL_WORKERS_MAX; i++) {
        if (c->censuses[i]) {
            status = ll_census_merge(c->censuses[0], c->censuses[i]);
            ll_census_free(c->censuses[i]);
            c->censuses[i] = NULL;
        }
    }
    return status;
}

static bool print(counting *c, const ll_options *options)
{
    ll_out out;
    ll_status status = add_up(c);
    if (status != LL_OK) {
        return ll_say("census: %s", ll_status_text(status));
    }
    return ll_out_open(&out, options->output, NULL) &&
           ll_out_end(&out, "census", ll_census_print(c->censuses[0], options->format, ll_out_write, &out));
}

/* The option --merge: reads the censuses that the shards wrote into the first one. */
static bool join(counting *c)
{
    ll_problem problem = {0};
    ll_inputs inputs;
    bool opened = ll_inputs_open(c->options, &inputs);
    ll_status status = opened ? make_census(c, &c->censuses[0]) : LL_OK;
    if (opened && status == LL_OK) {
        status = ll_census_read(c->censuses[0], inputs.given, inputs.count, &problem);
    }
    bool said = inputs.failed;
    ll_inputs_close(&inputs);
    return opened &&
           (status == LL_OK || said || ll_say("%s", status == LL_E_INPUT ? problem.text : ll_status_text(status))) &&
           status == LL_OK;
}

static int count_files(counting *c, ll_config *config)
{
    ll_plan plan = {.options = c->options,
                    .config = config,
                    .target = c->options->output,
                    .max_per_file = 1,
                    .ctx = c,
                    .after = count_file};
    ll_outcome outcome;
    int code = ll_run_files(&plan, &outcome);
    return outcome.complete && !print(c, c->options) ? LL_EXIT_TROUBLE : code;
}

int ll_census_command(const ll_options *options, ll_config *config)
{
    counting c = {.rules = ll_config_base(config)->rules, .options = options};
    int code = !options->merge                  ? count_files(&c, config)
               : join(&c) && print(&c, options) ? LL_EXIT_CLEAN
                                                : LL_EXIT_TROUBLE;
    for (unsigned i = 0; i < LL_WORKERS_MAX; i++) {
        ll_census_free(c.censuses[i]);
    }
    return code;
}
