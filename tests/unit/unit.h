/* Included by all unit tests: cmocka and the headers that must precede it. */
#ifndef LL_TESTS_UNIT_H
#define LL_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#endif
