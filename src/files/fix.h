/* State of a fix: what the loop in api/fix.c collects and files/fix_print.c prints. */
#ifndef LL_FILES_FIX_H
#define LL_FILES_FIX_H

#include "base/array.h"
#include "base/map.h"
#include "findings/compare.h"

typedef LL_ARRAY(uint8_t) ll_bytes;

/* Bytes and the reports on them. */
typedef struct ll_fix_state {
    const uint8_t *bytes; /* owned by the caller, or `own` */
    size_t size;
    ll_bytes own;
    ll_report *report, *judged; /* judged: by the rules that judge patches; NULL: the same rules */
} ll_fix_state;

/* A decision on a patch. */
typedef struct ll_fix_seen {
    uint64_t key;    /* hash of rule, place and bytes */
    uint8_t outcome; /* ll_fix_outcome; LL_FIX_APPLIED: it may be tried */
} ll_fix_seen;

struct ll_fix {
    ll_arena arena; /* owns the arrays below; reset by each run */
    LL_ARRAY(ll_fix_step) applied;
    LL_ARRAY(ll_fix_step) left;
    LL_ARRAY(ll_fix_seen) seen;
    ll_map seen_by_key;
    ll_arena scratch; /* of one attempt */
    ll_text text;
    ll_fix_state states[3];    /* [0]: of the bytes as given */
    ll_report *members[2];     /* members of archives, before and after */
    unsigned now, next;        /* index of the current state, and of the state for the next attempt */
    uint64_t steps;            /* work done so far: diagnosis/budget.h */
    const ll_fix_place *place; /* set while a journal is written, else NULL */
};

#endif
