/* The commands, one function each. Each takes the options, returns an exit code and reports errors on stderr. */
#ifndef LL_CLI_COMMANDS_H
#define LL_CLI_COMMANDS_H

#include "cli/config/config.h"

/* Exit codes of every command. If several apply, the highest is returned. */
enum { LL_EXIT_CLEAN = 0, LL_EXIT_FINDINGS = 1, LL_EXIT_TROUBLE = 2 };

int ll_check(const ll_options *options, ll_config *config);            /* check.c */
int ll_diff_command(const ll_options *options, ll_config *config);     /* diff.c */
int ll_fix_command(const ll_options *options, ll_config *config);      /* fix.c */
int ll_fix_undo(const ll_options *options);                            /* undo.c */
int ll_build_command(const ll_options *options, ll_config *config);    /* build.c */
int ll_baseline_command(const ll_options *options, ll_config *config); /* suppress/baseline_command.c */
int ll_sweep(const ll_options *options, ll_config *config);          /* sweep.c; config NULL: for --diff and --merge */
int ll_census_command(const ll_options *options, ll_config *config); /* census.c */
int ll_packages(const ll_options *options, ll_config *config);       /* packages.c */
int ll_config_show(const ll_options *options, ll_config *config);    /* config/show.c */
int ll_config_init(void);                                            /* config/start.c */
int ll_config_schema(void);
int ll_completions(const ll_options *options); /* completions.c */

#endif
