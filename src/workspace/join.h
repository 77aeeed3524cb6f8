/* Judges the parts of packages against each other. */
#ifndef LL_WORKSPACE_JOIN_H
#define LL_WORKSPACE_JOIN_H

#include "workspace/kept.h"

bool ll_join_packages(ll_workspace *w);

#endif
