/* Patches at work: what the loop of the api gathers, and what is printed of it. */
#ifndef LL_REPORT_FIX_H
#define LL_REPORT_FIX_H

#include "base/array.h"
#include "base/map.h"
#include "report/compare.h"

typedef LL_ARRAY(uint8_t) ll_bytes;

/* Bytes with the report on them, and the one by the rules that judge. */
typedef struct ll_fix_state {
    const uint8_t *bytes; /* of the caller, or of `own` */
    size_t size;
    ll_bytes own;
    ll_report *report, *judged; /* judged NULL: no other rules judge */
} ll_fix_state;

/* What was decided of a patch. */
typedef struct ll_fix_seen {
    uint64_t key;    /* of rule, place and bytes */
    uint8_t outcome; /* ll_fix_outcome; LL_FIX_APPLIED: it may be tried */
} ll_fix_seen;

struct ll_fix {
    ll_arena arena; /* of what follows; reset by each run */
    LL_ARRAY(ll_fix_step) applied;
    LL_ARRAY(ll_fix_step) left;
    LL_ARRAY(ll_fix_seen) seen;
    ll_map seen_by_key;
    ll_arena scratch; /* of one attempt */
    ll_text text;
    ll_fix_state states[3]; /* the first: of the bytes as given */
    ll_report *members[2];  /* for members of archives before and after */
    unsigned now, next;     /* numbers of states: as the bytes are, and where they are tried */
    uint64_t steps;         /* of work: diagnosis/budget.h */
    const ll_fix_place *place; /* while a journal is written; else NULL */
};

#endif
