/* Suppressions of a run: finds suppression files, marks findings and reports entries that match nothing. */
#ifndef LL_CLI_SUPPRESS_H
#define LL_CLI_SUPPRESS_H

#include "cli/run.h"

typedef struct ll_suppressions ll_suppressions;

/* Returns NULL with --no-suppressions; the functions below then do nothing. Options and configuration must outlive the
 * result, and the result must outlive reports with marks. */
ll_suppressions *ll_suppressions_open(const ll_options *options, ll_config *config);
void ll_suppressions_close(ll_suppressions *all);

/* Finds the suppressions in force in a directory and stores them in ll_scope_known_of(). False if a file is refused,
 * which is reported on stderr. For one thread at a time, like the configuration. */
bool ll_suppressions_find(ll_suppressions *all, const ll_scope *scope);

/* Marks the suppressed findings of a file; ll_suppressions_find() was called for its scope. The report must have been
 * made without limits and with the file's identity. Threads may call this at once, each with its own report. */
ll_status ll_suppress_mark(const ll_file *file, ll_report *report);

/* From ll_plan.tail: reports unused and expired entries, sorted by file. */
ll_status ll_suppressions_report(ll_suppressions *all, ll_run *run);

#endif
