/* A bounded position in a file: everything a parser reads lies in [pos, end). A child gets a narrower end, never a
 * wider one. */
#ifndef LL_MODEL_CURSOR_H
#define LL_MODEL_CURSOR_H

#include "base/ints.h"

typedef struct ll_cursor {
    uint32_t pos, end; /* pos <= end */
} ll_cursor;

static inline uint32_t ll_cursor_left(const ll_cursor *cursor)
{
    return cursor->end - cursor->pos;
}

/* Moves over n bytes if that many are left. */
static inline bool ll_cursor_skip(ll_cursor *cursor, uint64_t n)
{
    if (n > ll_cursor_left(cursor)) {
        return false;
    }
    cursor->pos += (uint32_t)n;
    return true;
}

/* A cursor over the next n bytes; false when fewer are left. */
static inline bool ll_cursor_narrow(const ll_cursor *cursor, uint64_t n, ll_cursor *out)
{
    if (n > ll_cursor_left(cursor)) {
        return false;
    }
    *out = (ll_cursor){cursor->pos, cursor->pos + (uint32_t)n};
    return true;
}

#endif
