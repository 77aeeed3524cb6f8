/* Prints a census in any of its formats. */
#include "survey/census.h"

#include <string.h>

/* Cuts all tables down to the limit. */
static bool cut_columns(ll_census *census)
{
    bool done = true;
    ll_census_walk walk = {.format = NULL};
    while (done && ll_census_next(census, &walk)) {
        for (uint32_t i = 0; i < walk.layout->def_count && done; i++) {
            done = ll_column_cut(&walk.group->columns[i], &walk.layout->defs[i], &census->store);
        }
    }
    return done;
}

ll_status ll_census_print(ll_census *census, const char *format, ll_write_fn write, void *ctx)
{
    bool is_part = format && strcmp(format, "jsonl") == 0;
    bool is_json = format && strcmp(format, "json") == 0;
    const ll_outline_printer *printer = ll_outline_printer_named(format);
    if (!census || !write || (!printer && !is_part)) {
        return LL_E_ARGUMENT;
    }
    if (census->status != LL_OK || !cut_columns(census)) {
        return census->status != LL_OK ? census->status : LL_E_MEMORY;
    }
    ll_text text;
    ll_text_init(&text, &census->store.allocator);
    ll_status status = is_part   ? ll_census_print_part(census, &text, write, ctx)
                       : is_json ? ll_census_print_json(census, &text, write, ctx)
                                 : ll_census_print_report(census, printer, &text, write, ctx);
    ll_text_free(&text);
    return status;
}
