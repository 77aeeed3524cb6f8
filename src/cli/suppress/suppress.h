/* Suppressions of a run: which files say what about whose findings, and what is to be said of those that fit nothing.
 */
#ifndef LL_CLI_SUPPRESS_H
#define LL_CLI_SUPPRESS_H

#include "cli/run.h"

typedef struct ll_suppressions ll_suppressions;

/* All suppression files in force for one directory: its own and those above. */
typedef struct ll_suppress_level ll_suppress_level;

/* False without memory, which was said. Both outlive the suppressions, and so do reports that were marked. Not to be
 * called with
 * --no-suppressions; the functions below do nothing for NULL. */
bool ll_suppressions_open(const ll_options *options, ll_config *config, ll_suppressions **out);
void ll_suppressions_close(ll_suppressions *all);

/* What is in force in a directory; *out is NULL when nothing is. False when a file was refused, which was said on
 * stderr. Belongs to one thread at a time, as the configuration does. */
bool ll_suppressions_find(ll_suppressions *all, const ll_scope *scope, const ll_suppress_level **out);

/* Marks the findings of a file that are suppressed. The report was made without limits, and with the file's identity.
 * Any number of threads may do so at once, each with its own report. */
ll_status ll_suppress_mark(const ll_suppress_level *level, const ll_file *file, ll_report *report);

/* From ll_plan.tail: reports what is unused or expired, file by file, in the order of their paths. */
ll_status ll_suppressions_report(ll_suppressions *all, ll_run *run);

#endif
