/* Baselines of a run: which file says what of whose findings, and what is to be said of entries that fit nothing any
 * more. */
#ifndef LL_CLI_BASELINE_H
#define LL_CLI_BASELINE_H

#include "cli/run.h"

typedef struct ll_baselines ll_baselines;

/* A baseline that was read. */
typedef struct ll_baseline_file {
    struct ll_baseline_file *next;
    const char *path; /* as reports show it; it opens the file as well */
    ll_os_buffer buffer;
    ll_baseline *baseline;
} ll_baseline_file;

/* Reports that were marked must not outlive it; nothing that is closed need be there. */
ll_baselines *ll_baselines_open(const ll_options *options, ll_config *config);
void ll_baselines_close(ll_baselines *all);

/* Reads the baselines in force for what the command line names, so that their stale entries are seen where there is no
 * file left; *any: there is one. False when something was refused, which was said on stderr. */
bool ll_baselines_load(ll_baselines *all, bool *any);

/* The baseline in force in a directory; *out is NULL when there is none. False when it was refused, which was said on
 * stderr. Belongs to one thread at a time, as the configuration does. */
bool ll_baselines_find(ll_baselines *all, const ll_scope *scope, ll_baseline_file **out);
/* The same for a path. */
bool ll_baselines_read(ll_baselines *all, const char *path, ll_baseline_file **out);

/* Marks the findings of a file that the baseline holds, be it for a file of the same bytes that is not there any more;
 * NULL holds nothing. The report was made without limits, and what is suppressed was marked before. `even_clean`: a
 * file without findings may be one that was moved, whose rules are switched off. From ll_plan.after, any number of
 * threads at once. */
ll_status ll_baselines_mark(ll_baseline_file *file, const ll_work *work, bool even_clean);

/* True when the file of an entry is gone, and lies below a directory that the command line names and that was listed.
 * A file of which that cannot be seen is not gone. */
bool ll_baselines_gone(ll_baselines *all, const ll_baseline_file *file, const ll_baseline_entry *entry);

/* From ll_plan.tail: reports what is stale, file by file. */
ll_status ll_baselines_report(ll_baselines *all, ll_run *run);

#endif
