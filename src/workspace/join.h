/* Runs the rules across files on all packages. False: out of memory. */
#ifndef LL_WORKSPACE_JOIN_H
#define LL_WORKSPACE_JOIN_H

#include "workspace/kept.h"

bool ll_join_packages(ll_workspace *w);

#endif
