/* What all unit tests need: cmocka with the headers that it wants before it. */
#ifndef LL_TESTS_UNIT_H
#define LL_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#endif
