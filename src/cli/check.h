/* The check command: files in, reports out, exit code. */
#ifndef LL_CLI_CHECK_H
#define LL_CLI_CHECK_H

#include "cli/options.h"

/* Exit codes of every command. The highest of what happened wins. */
enum { LL_EXIT_CLEAN = 0, LL_EXIT_FINDINGS = 1, LL_EXIT_TROUBLE = 2 };

/* Checks all files with sealed rules. Returns the exit code. */
int ll_check(const ll_options *options, const ll_ruleset *rules);

#endif
