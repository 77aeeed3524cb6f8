/* Runs the rules across files on all packages. False: out of memory. */
#ifndef LL_PACKAGES_JOIN_H
#define LL_PACKAGES_JOIN_H

#include "packages/kept.h"

bool ll_join_packages(ll_workspace *w);

#endif
