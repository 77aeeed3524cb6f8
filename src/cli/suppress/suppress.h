/* Suppressions of a run: which files say what about whose findings, and what is to be said of those that fit nothing.
 */
#ifndef LL_CLI_SUPPRESS_H
#define LL_CLI_SUPPRESS_H

#include "cli/run.h"

typedef struct ll_suppressions ll_suppressions;

/* NULL with --no-suppressions: the functions below do nothing then. Both outlive the suppressions, and so do reports
 * that were marked. */
ll_suppressions *ll_suppressions_open(const ll_options *options, ll_config *config);
void ll_suppressions_close(ll_suppressions *all);

/* Finds what is in force in a directory, for ll_scope_known_of(). False when a file was refused, which was said on
 * stderr. Belongs to one thread at a time, as the configuration does. */
bool ll_suppressions_find(ll_suppressions *all, const ll_scope *scope);

/* Marks the findings of a file that are suppressed; what is in force was found. The report was made without limits, and
 * with the file's identity. Any number of threads may do so at once, each with its own report. */
ll_status ll_suppress_mark(const ll_file *file, ll_report *report);

/* From ll_plan.tail: reports what is unused or expired, file by file, in the order of their paths. */
ll_status ll_suppressions_report(ll_suppressions *all, ll_run *run);

#endif
