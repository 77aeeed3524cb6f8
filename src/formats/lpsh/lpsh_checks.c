/* Named checks of light-probe harmonics. */
#include "formats/lpsh/lpsh.h"

enum { DAY = 86400 }; /* seconds */

static uint32_t time_at(const ll_check_run *run, uint32_t i)
{
    return (uint32_t)ll_get_uint(run->doc, run->span, i, lpsh_time_seconds);
}

/* Times rise and lie within the day. Of two that do not rise, the one that does not rise to the time behind them either
 * is wrong. */
void lpsh_check_times_order(ll_check_run *run)
{
    uint32_t count = ll_doc_span(run->doc, run->span)->count;
    bool first = true;
    uint32_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t now = time_at(run, i);
        bool within = now < DAY;
        bool breaks_next = within && i + 2 < count && now >= time_at(run, i + 1) && now >= time_at(run, i + 2);
        bool rises = first || now > before;
        if (within && rises && !breaks_next) {
            first = false;
            before = now;
            continue;
        }
        LL_REPORT(run, 0, ll_at_field(run->doc, run->span, i, lpsh_time_seconds), ll_uint(now),
                  first ? ll_word("none") : ll_uint(before));
    }
}
