/* Opens the JSON Lines operands and passes them to the library as readers. */
#include "cli/inputs.h"

#include "cli/output.h"

#include <stdlib.h>

typedef struct ll_input {
    const char *path;
    int source;
    bool *failed; /* ll_inputs.failed */
} ll_input;

static bool say_error(ll_input *in, int error)
{
    *in->failed = true;
    return ll_say("%s: %s", in->path, ll_os_error_text(error));
}

/* An ll_read_fn; ctx is the ll_input. */
static bool read_input(void *ctx, char *buffer, size_t capacity, size_t *size)
{
    ll_input *in = ctx;
    int error = ll_os_source_read(in->source, buffer, capacity, size);
    return !error || say_error(in, error);
}

/* Refuses an output file that is also an input: it would be lost. */
static bool may_write(const ll_options *options)
{
    for (size_t i = 0; options->output && i < options->operand_count; i++) {
        if (ll_os_same_target(options->operands[i], options->output)) {
            return ll_say("'%s' is an input; it will not be overwritten", options->output);
        }
    }
    return true;
}

bool ll_inputs_open(const ll_options *options, ll_inputs *out)
{
    size_t n = options->operand_count;
    *out = (ll_inputs){.items = ll_os_alloc(n, sizeof *out->items), .given = ll_os_alloc(n, sizeof *out->given)};
    out->failed = !may_write(options);
    while (out->count < n && !out->failed) {
        ll_input *in = &out->items[out->count];
        *in = (ll_input){.path = options->operands[out->count], .failed = &out->failed};
        out->given[out->count] = (ll_sweep_input){in->path, read_input, in};
        int error = ll_os_source_open(in->path, &in->source);
        out->count += !error;
        (void)(!error || say_error(in, error));
    }
    return !out->failed;
}

void ll_inputs_close(ll_inputs *inputs)
{
    while (inputs->count) {
        ll_os_source_close(inputs->items[--inputs->count].source);
    }
    free(inputs->items);
    free(inputs->given);
}
