/* Named checks of light-probe harmonics. */
#include "formats/lpsh/lpsh.h"

bool lpsh_is_set(const uint8_t *bytes, bool big_endian)
{
    enum {
        WIDTH = LL_TYPE_BYTES_F16,
        SIGN = 0x8000,
        LEAST = 0x400,
        INFINITE = 0x7C00,
        MORE = 0x200 /* at least 1.4 times as much */
    };
    bool is = true;
    for (unsigned at = 0; is && at < lpsh_set_SIZE; at += WIDTH) {
        unsigned color = at % lpsh_set_at_band_1;
        uint16_t mean = big_endian ? ll_be16(bytes + color) : ll_le16(bytes + color);
        uint16_t value = big_endian ? ll_be16(bytes + at) : ll_le16(bytes + at);
        bool sky = color == lpsh_set_at_band_0_sky_visibility;
        is = sky || (mean >= LEAST && mean < INFINITE && (value & ~SIGN) <= mean + MORE);
    }
    return is;
}

/* Sets that are some with their bytes the other way round, those of a probe that stand together in one finding. */
void lpsh_check_set_byte_order(ll_check_run *run)
{
    const ll_span *sets = ll_doc_span(run->doc, run->span);
    for (uint32_t i = 0, first = 0; i <= sets->count; i++) {
        const uint8_t *bytes = run->doc->bytes + sets->offset + (size_t)i * lpsh_set_SIZE;
        if (i < sets->count && !lpsh_is_set(bytes, false) && lpsh_is_set(bytes, true)) {
            continue;
        }
        if (first < i) {
            ll_where at = ll_at_bytes(run->span, sets->offset + first * lpsh_set_SIZE, (i - first) * lpsh_set_SIZE);
            at.element = first;
            LL_REPORT(run, 0, at, ll_uint(i - first));
        }
        first = i + 1;
    }
}

/* The time of an element, LL_NO_INDEX: there is no such element. */
static uint32_t time_at(const ll_check_run *run, uint32_t i)
{
    ll_element record;
    return ll_element_at(run->doc, run->span, i, &record) ? (uint32_t)ll_get_uint(&record, lpsh_time_seconds)
                                                          : LL_NO_INDEX;
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
        bool within = now < LPSH_DAY;
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
