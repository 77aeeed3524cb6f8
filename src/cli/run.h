/* Runs files through threads: walks, reads and lints them, and writes outputs in order. All commands that process many
 * files use it; an ll_plan says what they do with each file. */
#ifndef LL_CLI_RUN_H
#define LL_CLI_RUN_H

#include "cli/files.h"

enum { LL_WORKERS_MAX = LL_OS_THREADS_MAX }; /* worker numbers are less than this */

typedef struct ll_run ll_run;

/* One file, or a member of an archive, and the worker that checks it. */
typedef struct ll_work {
    ll_run *run;
    const ll_file *file;
    bool is_member;             /* member of an archive, which was passed before */
    bool is_joined;             /* the report holds the findings across files; the file's own report was passed
                                   before */
    unsigned worker;            /* calls with the same number never overlap */
    const unsigned char *bytes; /* of the file; NULL: it could not be read */
    size_t size;
    ll_report *report; /* after the lint; for an unreadable file it holds LL001. Members follow their archive. */
} ll_work;

/* What a command wants of a run. Every function may be NULL. If a function returns a status other than LL_OK, the run
 * ends with exit code 2 and reports the status. */
typedef struct ll_plan {
    const ll_options *options;
    ll_config *config;
    const ll_output *outputs; /* outputs rendered file by file */
    size_t output_count;
    int stream;         /* stream of outputs without a file; 0: standard output */
    const char *target; /* file that the caller writes after the run: it must not be an input; NULL: none */
    uint32_t max_per_rule, max_per_file; /* limits of the lint; 0: none */
    bool findings_fail;                  /* findings at or above their file's fail level give exit code 1 */
    bool joins;         /* check files against each other, unless options or configuration disable it */
    bool changes_files; /* `after` changes files: the run cannot be repeated after a crash */
    bool baseline;      /* see ll_emit_options */
    bool below_root;    /* names of files are relative to the only operand, a directory */
    void *ctx;

    /* Called as files are taken, in order and one at a time; loads what ll_scope_known_of() holds. False: it failed,
     * which was reported on stderr. */
    bool (*admit)(void *ctx, ll_file *file);
    /* Called on the worker's thread after the lint, before findings are counted and rendered. Called again at the end,
     * with is_joined, for a file that has findings across files. */
    ll_status (*after)(void *ctx, const ll_work *work);
    /* Called once, on one thread, after all files and before the outputs end; may call ll_run_remarks(). */
    ll_status (*tail)(void *ctx, ll_run *run);
} ll_plan;

typedef struct ll_outcome {
    uint64_t files;
    uint64_t errors, warnings, notes; /* neither suppressed nor in a baseline */
    bool failing, unchecked;          /* a finding fails; a file was not checked */
    bool joined;                      /* all rules across files were run */
    bool complete;                    /* all files were seen and all outputs written: the results may be used */
} ll_outcome;

/* Runs the plan and returns the exit code. Errors are reported on stderr. `out` may be NULL. */
int ll_run_files(const ll_plan *plan, ll_outcome *out);

/* From `after`: waits until all files before this one are done. Files after it cannot pass this point before it is
 * done. */
void ll_run_wait(const ll_work *work);

/* From `tail`: the workspace of all files; NULL: files are not checked against each other. */
const ll_workspace *ll_run_workspace(const ll_run *run);

/* From `tail`: were all rules across files run? After the run, see ll_outcome.joined. */
bool ll_run_joined(const ll_run *run);
/* Did a rule have the chance to report all its findings, given ll_outcome.joined? NULL: asks for any rule. */
bool ll_run_asks(bool joined, const ll_ruleset *rules, const char *rule);

/* A file of lightlint's own: suppressions or a baseline. */
typedef struct ll_remarked {
    const ll_scope *scope; /* NULL: none */
    const ll_profile *profile;
    const char *path;
    const void *bytes;
    size_t size;
} ll_remarked;
/* From `tail`: adds remarks about such a file to all outputs and to the verdict, after the checked files. Does nothing
 * without remarks. */
ll_status ll_run_remarks(ll_run *run, const ll_remarked *file, ll_remarks remarks);

#endif
