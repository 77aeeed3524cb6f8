/* The operands of commands that read files of JSON Lines: opened together, read in pieces, never held. */
#ifndef LL_CLI_INPUTS_H
#define LL_CLI_INPUTS_H

#include "cli/options.h"

typedef struct ll_inputs {
    struct ll_input *items;
    ll_sweep_input *given; /* for the library */
    size_t count;
    bool failed; /* one could not be opened or read, which was said */
} ll_inputs;

/* False when one cannot be opened, or is the file that the command writes, which was said. ll_inputs_close() is needed
 * in both cases. */
bool ll_inputs_open(const ll_options *options, ll_inputs *out);
void ll_inputs_close(ll_inputs *inputs);

#endif
