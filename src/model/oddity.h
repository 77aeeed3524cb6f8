/* Numbers that no writer of a scene means. */
#ifndef LL_MODEL_ODDITY_H
#define LL_MODEL_ODDITY_H

#include <stdint.h>

/* How odd a float is, in hundredths: 0 for one that is finite and neither smaller nor larger than all that a scene has,
 * and for the largest there is, which may stand for "no limit". bits: of the binary32. */
uint32_t ll_oddity_of_float(uint32_t bits);

#endif
