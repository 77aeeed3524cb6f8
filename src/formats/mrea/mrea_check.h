/* What the named checks of the mrea family share. rules/mrea.yaml has their words and severities. */
#ifndef LL_FORMATS_MREA_CHECK_H
#define LL_FORMATS_MREA_CHECK_H

#include "formats/mrea/mrea.h"

static inline const mrea_summary *mrea_summary_of(const ll_check_run *run)
{
    return run->memo;
}

/* The number of a section, or a number of sections, that most others contradict. */
typedef struct mrea_deviation {
    ll_where at;
    int64_t found, expected;
    bool alone; /* its neighbours are right, so it leads to a wrong section; false: sections are in another order */
    bool reported;
} mrea_deviation;

typedef struct mrea_deviations {
    unsigned count;
    bool several; /* more numbers are wrong than these: bytes in front of them may be surplus or missing */
    mrea_deviation list[mrea_KINDS];
} mrea_deviations;

static inline void mrea_add_deviation(mrea_deviations *all, ll_where at, int64_t found, int64_t expected, bool alone)
{
    if (all->count < sizeof all->list / sizeof all->list[0]) {
        all->list[all->count++] = (mrea_deviation){at, found, expected, alone, false};
    }
}

/* mrea_tag_checks.c: the rows of the tag table of Prime 3. */
void mrea_find_in_tags(const ll_doc *doc, mrea_deviations *all);
void mrea_check_tag_indices(ll_check_run *run);
void mrea_check_tag_geometry(ll_check_run *run);
/* Checks the field that states the section of the geometry; also used for the older headers. */
void mrea_check_geometry(ll_check_run *run, ll_where at);

#endif
