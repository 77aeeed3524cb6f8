/* Compiled only: the public header stands by itself and may be included twice, in C11 and, by header.cpp, in C++17. */
#include <lightlint/lightlint.h>
#include <lightlint/lightlint.h>

const char *use_of_header(const ll_lint_options *options);

const char *use_of_header(const ll_lint_options *options)
{
    return options->size == sizeof *options ? ll_version() : LL_VERSION_STRING;
}
