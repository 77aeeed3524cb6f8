/* A sweep, line by line, from an input that is read in pieces: used by ll_sweep_merge(), ll_sweep_diff() and
 * ll_sweep_print().
 * Checks the order of lines and files and that the sweep is complete, so that its readers need not. */
#ifndef LL_REPORT_SWEEP_READ_H
#define LL_REPORT_SWEEP_READ_H

#include "report/survey/survey_read.h"

typedef enum ll_sweep_kind {
    LL_SWEEP_HEADER,
    LL_SWEEP_FINDING,
    LL_SWEEP_FILE,
    LL_SWEEP_FACTS,    /* of a part, behind its files: what they refer to */
    LL_SWEEP_PACKAGES, /* behind all files: findings across files follow */
    LL_SWEEP_SUMMARY,
    LL_SWEEP_END
} ll_sweep_kind;

typedef struct ll_sweep_source {
    ll_survey_source survey;
    ll_sweep_kind kind; /* of the line */
    const char *file;   /* of a finding and a file, or "ARCHIVE!PATH" of a member; lives as long as the line */
    size_t stem;        /* bytes of it that name the file */
    ll_text name;       /* holds that of a member */
    ll_text group;      /* the file or member that lines are about, or were about last */
    size_t group_stem;  /* of it */
    bool open;          /* its own line is still to come */
    bool ended;         /* no files may follow */
    bool across;        /* files are listed for findings across them */
    ll_totals totals;   /* of the summary, and of the packages */
    uint64_t exit_code;
} ll_sweep_source;

/* Reads the header. ll_sweep_close() is needed in any case. LL_E_INPUT: *problem says why. */
ll_status ll_sweep_open(ll_sweep_source *source, const ll_allocator *allocator, const ll_sweep_input *input,
                        ll_problem *problem);
void ll_sweep_close(ll_sweep_source *source);

/* Goes to the next line; behind the summary there is LL_SWEEP_END, again and again. */
ll_status ll_sweep_next(ll_sweep_source *source, ll_problem *problem);

/* The same over files alone. */
ll_status ll_sweep_next_file(ll_sweep_source *source, ll_problem *problem);

/* The order of what two sweeps stand at: files byte-wise by what the file system calls them, members behind their
 * archive by their paths. */
int ll_sweep_order(const ll_sweep_source *a, const ll_sweep_source *b);

#endif
