/* Opens the operands of commands that read JSON Lines, all at once, to be read in pieces. */
#ifndef LL_CLI_INPUTS_H
#define LL_CLI_INPUTS_H

#include "cli/options.h"

typedef struct ll_inputs {
    struct ll_input *items;
    ll_sweep_input *given; /* the inputs as the library takes them */
    size_t count;
    bool failed; /* an input could not be opened or read, which was reported */
} ll_inputs;

/* False if a file cannot be opened or is the output file, which is reported. Call ll_inputs_close() in both cases. */
bool ll_inputs_open(const ll_options *options, ll_inputs *out);
void ll_inputs_close(ll_inputs *inputs);

#endif
