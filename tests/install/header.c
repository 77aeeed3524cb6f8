/* Only compiled: the public header needs no other header and may be included twice, in C11 and, through header.cpp,
 * in C++17. */
#include <lightlint/lightlint.h>
#include <lightlint/lightlint.h>

const char *use_of_header(const ll_lint_options *options);

const char *use_of_header(const ll_lint_options *options)
{
    return options->size == sizeof *options ? ll_version() : LL_VERSION_STRING;
}
