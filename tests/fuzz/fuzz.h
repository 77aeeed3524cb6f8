/* What the fuzz targets share: a check that ends the process, sealed rule sets, and what every output must be. Built
 * into the libFuzzer targets and into the replay programs alike; uses the public API only. */
#ifndef LL_TESTS_FUZZ_H
#define LL_TESTS_FUZZ_H

#include <lightlint/lightlint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_STRING(x) #x
#define FUZZ_LINE(x) FUZZ_STRING(x)
/* Says what was expected, and aborts. */
#define FUZZ_CHECK(condition, ...)                                                                                     \
    ((condition) ? (void)0 : fuzz_die(__FILE__ ":" FUZZ_LINE(__LINE__) ": " #condition "\n", __VA_ARGS__))
_Noreturn void fuzz_die(const char *where, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The shipped rules, sealed. `all`: also those that are off by default. Made once. */
const ll_ruleset *fuzz_rules(bool all);

/* Output collected in memory; give it to fuzz_collect() as ctx. */
typedef struct fuzz_buffer {
    char *bytes;
    size_t size, capacity;
    size_t refuse_after; /* says no to what would grow beyond it; 0: never */
} fuzz_buffer;
bool fuzz_collect(void *ctx, const char *bytes, size_t size);
void fuzz_buffer_free(fuzz_buffer *buffer);

/* What is wrong with how a report speaks of what was not read; NULL: nothing. Every stretch that was not read lies
 * under a finding: one that meets it, one of a record around it, or one in front of it that says so. A file that has
 * any is not checked in full. */
const char *fuzz_unread_fault(ll_report *report);

/* Valid UTF-8 without control characters (C0, DEL, C1), bidirectional marks and other reordering, as a terminal may be
 * shown it. */
void fuzz_check_text(const char *what, const char *bytes, size_t size);
/* The same for whole outputs: line feeds are allowed and, with `color`, SGR sequences. */
void fuzz_check_page(const char *what, const fuzz_buffer *page, bool color);
/* Valid UTF-8 that is one JSON text per document; `lines`: one document a line. */
void fuzz_check_json(const char *what, const fuzz_buffer *json, bool lines);

/* What the output of a format must be. */
void fuzz_check_format(const char *format, const fuzz_buffer *out, bool color);

/* Renders one report in a format and appends the output. */
void fuzz_emit(const ll_ruleset *rules, ll_report *report, const char *format, fuzz_buffer *out);

#endif
