/* Files through threads: the walk, reading, linting, and outputs in order. The machinery of all commands that go over
 * files; what they do with a file is theirs. */
#ifndef LL_CLI_RUN_H
#define LL_CLI_RUN_H

#include "cli/files.h"

enum { LL_WORKERS_MAX = LL_OS_THREADS_MAX }; /* numbers of workers are below it */

typedef struct ll_run ll_run;

/* One file, or a member of an archive, with the worker that checks it. */
typedef struct ll_work {
    ll_run *run;
    const ll_file *file;
    bool is_member;             /* of an archive, whose work came before */
    bool is_joined;             /* holds what the file, or member, has with others; its own work came before */
    unsigned worker;            /* two calls with one number are never made at once */
    const unsigned char *bytes; /* of the file; NULL when it could not be read */
    size_t size;
    ll_report *report; /* after the lint; of an unreadable file it holds LL001. Members follow their archive. */
} ll_work;

/* What a command wants. Every function may be NULL. A function that returns something else than LL_OK ends the run with
 * exit code 2; what went wrong is then said in the words of the status. */
typedef struct ll_plan {
    const ll_options *options;
    ll_config *config;
    const ll_output *outputs; /* outputs that are rendered file by file */
    size_t output_count;
    int stream;         /* for outputs without a file; 0: standard output */
    const char *target; /* a file that the caller writes when the run is over: it must not be an input; NULL: none */
    uint32_t max_per_rule, max_per_file; /* limits of the lint, 0: none */
    bool findings_fail;                  /* findings at or above the fail level of their file make exit code 1 */
    bool joins; /* files are checked against each other, unless the options or the configuration say otherwise */
    bool changes_files; /* by `after`: the run cannot be repeated when the program fails */
    bool baseline;      /* as ll_emit_options */
    bool below_root;    /* files go by their path below the directory, the only thing that is named */
    void *ctx;

    /* As files are taken, in their order and one at a time: the place to find what is known where the file is
     * (ll_scope_known_of()). False when that failed, which was said on stderr. */
    bool (*admit)(void *ctx, ll_file *file);
    /* On the worker's thread behind the lint, before findings are counted and rendered: marks, limits, countings. Once
     * more, when all files are through, for a file that has findings with others. */
    ll_status (*after)(void *ctx, const ll_work *work);
    /* Once, on one thread, when all files are through and before the outputs end: for ll_run_remarks(). */
    ll_status (*tail)(void *ctx, ll_run *run);
} ll_plan;

typedef struct ll_outcome {
    uint64_t files;
    uint64_t errors, warnings, notes; /* that are neither suppressed nor in a baseline */
    bool failing, unchecked; /* some finding fails; some file was not checked */
    bool joined;             /* all rules were run that judge files together */
    bool complete;           /* all files were seen and all outputs written: what was gathered may be used */
} ll_outcome;

/* Returns the exit code. Everything that went wrong was said on stderr. `out` may be NULL. */
int ll_run_files(const ll_plan *plan, ll_outcome *out);

/* From `after`: returns when all files in front of this one are done, and none behind it comes so far before it is. */
void ll_run_wait(const ll_work *work);

/* From `tail`: the files together; NULL where they were not joined. */
const ll_workspace *ll_run_workspace(const ll_run *run);

/* From `tail`: were all rules run that judge files together? Afterwards ll_outcome says it. */
bool ll_run_joined(const ll_run *run);
/* Could a rule speak in such a run wherever it has something to say? NULL: any rule. */
bool ll_run_asks(bool joined, const ll_ruleset *rules, const char *rule);

/* From `tail`: adds what is to be said of a file of the tool's own to all outputs and to the verdict, behind the files
 * that were checked. `scope` is that of the file, or NULL. Nothing for no remarks. */
ll_status ll_run_remarks(ll_run *run, const ll_scope *scope, const ll_profile *profile, const char *path,
                         const void *bytes, size_t size, const ll_remark *remarks, size_t count);

#endif
