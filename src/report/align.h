/* Which items of one list are which of another: by identity, by name, by content, then by place. */
#ifndef LL_REPORT_ALIGN_H
#define LL_REPORT_ALIGN_H

#include "base/arena.h"
#include "base/sort.h"

#define LL_NO_PARTNER UINT32_MAX

typedef struct ll_align_item {
    uint64_t key;     /* of its name; 0: it has none */
    uint64_t content; /* of all but its name */
    uint32_t item;    /* number by its owner */
    uint32_t partner; /* index in the other list, or LL_NO_PARTNER */
    bool moved;       /* has a partner, but in another order than most */
} ll_align_item;

/* Are two items without a common name and content, that stand at the same place, one that changed? `sure`: nothing else
 * stands there. */
typedef bool (*ll_align_like)(void *ctx, uint32_t one, uint32_t other, bool sure);

/* Sets partner and moved of the items of both lists, in time n log n. The arena gets what is needed meanwhile. */
ll_status ll_align(ll_align_item *one, uint32_t count, ll_align_item *other, uint32_t other_count, ll_arena *arena,
                   ll_align_like like, void *ctx);

#endif
