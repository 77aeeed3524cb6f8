/* Shared by the fuzz targets: a check that aborts the process, sealed rule sets, and checks of all kinds of output.
 * Used by the libFuzzer targets and the replay programs. Uses only the public API. */
#ifndef LL_TESTS_FUZZ_H
#define LL_TESTS_FUZZ_H

#include <lightlint/lightlint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_STRING(x) #x
#define FUZZ_LINE(x) FUZZ_STRING(x)
/* Prints what was expected and aborts, unless the condition holds. */
#define FUZZ_CHECK(condition, ...)                                                                                     \
    ((condition) ? (void)0 : fuzz_die(__FILE__ ":" FUZZ_LINE(__LINE__) ": " #condition "\n", __VA_ARGS__))
_Noreturn void fuzz_die(const char *where, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The shipped rules, sealed. `all`: also those that are off by default. Owned by this module; made once. */
const ll_ruleset *fuzz_rules(bool all);

/* Output collected in memory; the ctx of fuzz_collect(). */
typedef struct fuzz_buffer {
    char *bytes;
    size_t size, capacity;
    size_t refuse_after; /* refuses what would make it larger than this; 0: never */
} fuzz_buffer;
bool fuzz_collect(void *ctx, const char *bytes, size_t size);
void fuzz_buffer_free(fuzz_buffer *buffer);

/* Why unread bytes are not reported correctly; NULL if they are. Every unread range must be under a finding: one
 * that touches it, one of an enclosing record, or one before it that says so. A file with unread bytes must not
 * count as completely checked. */
const char *fuzz_unread_fault(ll_report *report);

/* Checks that bytes are valid UTF-8 without control characters (C0, DEL, C1), bidirectional marks and other
 * reordering, and so safe for a terminal. */
void fuzz_check_text(const char *what, const char *bytes, size_t size);
/* Checks a whole output in the same way, but allows line feeds and, with `color`, SGR sequences. */
void fuzz_check_page(const char *what, const fuzz_buffer *page, bool color);
/* Checks that the output is valid UTF-8 and one JSON document; `lines`: one document per line. */
void fuzz_check_json(const char *what, const fuzz_buffer *json, bool lines);

/* Checks an output according to its format. */
void fuzz_check_format(const char *format, const fuzz_buffer *out, bool color);

/* Renders one report in a format and appends the output. */
void fuzz_emit(const ll_ruleset *rules, ll_report *report, const char *format, fuzz_buffer *out);

#endif
