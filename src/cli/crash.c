/* Crash handler and restart of crash.h. The handler takes no locks and allocates no memory: the heap may be damaged,
 * and other threads may hold any lock. */
#include "cli/crash.h"

#include "base/text.h"
#include "cli/os.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Environment variable passed from one start to the next: the number of bytes on standard output, a colon, and a hash
 * of 16 hexadecimal digits for each file that failed. Hashes, as a path can contain any byte and the handler has no
 * memory for it. */
#define VARIABLE "LIGHTLINT_FAILED"

enum {
    DIGITS = 16,
    FAILED_MAX = 64, /* after more failures the run ends */
    VALUE_MAX = sizeof VARIABLE + 1 + DIGITS + 1 + FAILED_MAX * DIGITS
};

static uint64_t failed[FAILED_MAX]; /* hashes of the files at which earlier starts failed */
static size_t failed_count;
static uint64_t skip;           /* bytes of standard output written by an earlier start */
static _Atomic uint64_t passed; /* bytes for standard output so far, written or skipped */
static atomic_bool writing;     /* a thread is in a write() not yet counted in `passed` */
static atomic_bool crashing;    /* a thread is in the handler: write nothing more */
static atomic_bool allowed;
static _Thread_local const char *at; /* NULL: no file */
static _Thread_local ll_crash_part at_part;
static _Thread_local bool writes; /* `writing` was set by this thread */

static uint64_t key_of(const char *name, ll_crash_part part)
{
    unsigned char kind = (unsigned char)part;
    return ll_fnv(ll_fnv(LL_FNV_START, &kind, 1), name, strlen(name));
}

/* ------------------------------------------------------------------ in the handler */

static char *put_hex(char *out, uint64_t value)
{
    for (int shift = (DIGITS - 1) * 4; shift >= 0; shift -= 4) {
        *out++ = "0123456789abcdef"[value >> shift & 15];
    }
    return out;
}

static void say(const char *text, size_t size)
{
    (void)ll_os_write(LL_OS_STDERR, text, size); /* an error here cannot be reported */
}

/* Writes the name, with a question mark for every byte that is not printable ASCII. */
static void say_name(const char *name)
{
    char shown[4096];
    size_t n = 0;
    for (; name[n] && n < sizeof shown; n++) {
        shown[n] = name[n] >= ' ' && name[n] <= '~' ? name[n] : '?';
    }
    say(shown, n);
}

static _Noreturn void end(void)
{
    static const char begin[] = "lightlint: ";
    static const char of_file[] = ": not checked: ";
    static const char words[] = "the program failed here, please report it; later files were not checked\n";
    say(begin, sizeof begin - 1);
    if (at) {
        say_name(at);
        say(of_file, sizeof of_file - 1);
    }
    say(words, sizeof words - 1);
    ll_os_end_after_crash();
}

static void on_crash(void)
{
    char value[VALUE_MAX] = VARIABLE "=";
    if (atomic_exchange(&crashing, true)) {
        ll_os_wait_for_end(); /* another thread was first */
    }
    while (atomic_load(&writing) && !writes) {
        ll_os_yield();
    }
    if (!at || !atomic_load(&allowed) || !ll_os_can_restart() || failed_count == FAILED_MAX) {
        end();
    }
    uint64_t written = atomic_load(&passed);
    char *out = put_hex(value + strlen(value), written > skip ? written : skip);
    *out++ = ':';
    for (size_t i = 0; i < failed_count; i++) {
        out = put_hex(out, failed[i]);
    }
    *put_hex(out, key_of(at, at_part)) = '\0';
    ll_os_restart(value);
    end();
}

/* ------------------------------------------------------------------ outside of the handler */

/* Reads what put_hex() wrote; false if the text is something else. */
static bool take_hex(const char **text, uint64_t *out)
{
    char digits[DIGITS + 1] = "";
    if (strspn(*text, "0123456789abcdef") < DIGITS) {
        return false;
    }
    memcpy(digits, *text, DIGITS);
    *text += DIGITS;
    *out = strtoull(digits, NULL, 16);
    return true;
}

void ll_crash_start(void)
{
    const char *text = getenv(VARIABLE);
    if (text && take_hex(&text, &skip) && *text == ':') {
        for (text++; failed_count < FAILED_MAX && take_hex(&text, &failed[failed_count]);) {
            failed_count++;
        }
    }
    skip = failed_count ? skip : 0;
    ll_os_catch_crashes(on_crash);
}

void ll_crash_allow_restart(void)
{
    atomic_store(&allowed, true);
}

bool ll_crash_at(const char *name, ll_crash_part part)
{
    at = name;
    at_part = part;
    bool found = false;
    if (name && failed_count) {
        uint64_t key = key_of(name, part);
        for (size_t i = 0; i < failed_count && !found; i++) {
            found = failed[i] == key;
        }
    }
    return found;
}

int ll_crash_write(int stream, const char *bytes, size_t size)
{
    if (stream != LL_OS_STDOUT) {
        return ll_os_write(stream, bytes, size);
    }
    writes = true;
    atomic_store(&writing, true);
    if (atomic_load(&crashing)) {
        atomic_store(&writing, false);
        ll_os_wait_for_end();
    }
    uint64_t known = atomic_load(&passed);
    size_t left_out = known >= skip ? 0 : skip - known < size ? (size_t)(skip - known) : size;
    int error = ll_os_write(stream, bytes + left_out, size - left_out);
    atomic_store(&passed, known + size);
    atomic_store(&writing, false);
    writes = false;
    return error;
}
