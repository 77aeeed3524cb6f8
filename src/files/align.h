/* Pairs the items of two lists: by name and content, by name, by content, then by position. */
#ifndef LL_FILES_ALIGN_H
#define LL_FILES_ALIGN_H

#include "base/arena.h"
#include "base/sort.h"

#define LL_NO_PARTNER UINT32_MAX

typedef struct ll_align_item {
    uint64_t key;     /* hash of the name; 0: no name */
    uint64_t content; /* hash of everything but the name */
    uint32_t item;    /* number chosen by the caller */
    uint32_t partner; /* index in the other list, or LL_NO_PARTNER */
    bool moved;       /* paired, but out of the order that most pairs keep */
} ll_align_item;

typedef struct ll_align_list {
    ll_align_item *items;
    uint32_t count;
} ll_align_list;

/* Decides whether two unpaired items at the same position are one item that changed; they have no name and content in
 * common. `sure`: both lists have equally many unpaired items there. */
typedef bool (*ll_align_like)(void *ctx, uint32_t one, uint32_t other, bool sure);

/* Sets `partner` and `moved` of all items, in O(n log n). Temporary memory comes from the arena. LL_E_MEMORY. */
ll_status ll_align(ll_align_list one, ll_align_list other, ll_arena *arena, ll_align_like like, void *ctx);

#endif
