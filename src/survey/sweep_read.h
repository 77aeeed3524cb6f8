/* Reads a sweep line by line, for ll_sweep_merge(), ll_sweep_diff() and ll_sweep_print(). Checks the order of lines and
 * files, and that the sweep is complete, so readers need not. */
#ifndef LL_SURVEY_SWEEP_READ_H
#define LL_SURVEY_SWEEP_READ_H

#include "survey/survey_read.h"

typedef enum ll_sweep_kind {
    LL_SWEEP_HEADER,
    LL_SWEEP_FINDING,
    LL_SWEEP_FILE,
    LL_SWEEP_FACTS,    /* in a part, after its files: what they refer to */
    LL_SWEEP_PACKAGES, /* after all files: findings across files follow */
    LL_SWEEP_SUMMARY,
    LL_SWEEP_END
} ll_sweep_kind;

typedef struct ll_sweep_source {
    ll_survey_source survey;
    ll_sweep_kind kind; /* of the current line */
    const char *file;   /* of a finding or file line; "ARCHIVE!PATH" of a member; valid as long as the line */
    size_t stem;        /* bytes of `file` that name the file */
    ll_text name;       /* buffer for the name of a member */
    ll_text group;      /* the file or member of the current or last lines */
    size_t group_stem;  /* bytes of `group` that name the file */
    bool open;          /* its file line is still to come */
    bool ended;         /* no files may follow */
    bool across;        /* lines list findings across files */
    ll_totals totals;   /* from the summary and the packages line */
    uint64_t exit_code;
} ll_sweep_source;

/* Reads the header. Call ll_sweep_close() in any case. LL_E_INPUT: see *problem. */
ll_status ll_sweep_open(ll_sweep_source *source, const ll_allocator *allocator, const ll_sweep_input *input,
                        ll_problem *problem);
void ll_sweep_close(ll_sweep_source *source);

/* Moves to the next line. After the summary the kind is LL_SWEEP_END; further calls keep it. */
ll_status ll_sweep_next(ll_sweep_source *source, ll_problem *problem);

/* Moves to the next line, skipping LL_SWEEP_FACTS and LL_SWEEP_PACKAGES. */
ll_status ll_sweep_next_file(ll_sweep_source *source, ll_problem *problem);

/* Order of the current files of two sweeps: by the bytes of their names, members after their archive by path. */
int ll_sweep_order(const ll_sweep_source *a, const ll_sweep_source *b);

#endif
