/* Status codes and the allocator, as the public header declares them: every module returns the same kind of status. */
#ifndef LL_BASE_STATUS_H
#define LL_BASE_STATUS_H

#include <lightlint/lightlint.h>

/* The allocator in use: the caller's, or malloc and free when `given` is NULL. */
ll_allocator ll_allocator_or_default(const ll_allocator *given);

#endif
