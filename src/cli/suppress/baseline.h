/* Baselines of a run: finds and reads them, marks the findings they hold, and reports stale entries. */
#ifndef LL_CLI_BASELINE_H
#define LL_CLI_BASELINE_H

#include "cli/run.h"

typedef struct ll_baselines ll_baselines;

/* A baseline that has been read. */
typedef struct ll_baseline_file {
    struct ll_baseline_file *next;
    const char *path; /* as reports show it; it can be opened by this path */
    ll_os_buffer buffer;
    ll_baseline *baseline;
} ll_baseline_file;

/* The baselines must outlive reports with marks. ll_baselines_close() accepts NULL. */
ll_baselines *ll_baselines_open(const ll_options *options, ll_config *config);
void ll_baselines_close(ll_baselines *all);

/* Reads the baselines in force for the operands, so that stale entries are seen even if no file is left; *any: there is
 * one. False if something is refused, which is reported on stderr. */
bool ll_baselines_load(ll_baselines *all, bool *any);

/* Returns the baseline in force in a directory; *out is NULL if there is none. False if it is refused, which is
 * reported on stderr. For one thread at a time, like the configuration. */
bool ll_baselines_find(ll_baselines *all, const ll_scope *scope, ll_baseline_file **out);
/* Reads the baseline at a path, or returns it if it is known; otherwise like ll_baselines_find(). */
bool ll_baselines_read(ll_baselines *all, const char *path, ll_baseline_file **out);

/* Marks the findings of a file that the baseline holds, also under the name of a file with the same bytes that no
 * longer exists. `file` NULL: does nothing. The report must have been made without limits, and suppressed findings be
 * marked already. `even_clean`: a file without findings may have been moved, too, if the rules of its findings are off.
 * From ll_plan.after, on any number of threads at once. */
ll_status ll_baselines_mark(ll_baseline_file *file, const ll_work *work, bool even_clean);

/* True if the file of an entry does not exist, and its place is in a directory that the command line names and that was
 * listed. Otherwise the file may still exist. */
bool ll_baselines_gone(ll_baselines *all, const ll_baseline_file *file, const ll_baseline_entry *entry);

/* From ll_plan.tail: reports stale entries, file by file. */
ll_status ll_baselines_report(ll_baselines *all, ll_run *run);

#endif
