/* For LD_PRELOAD: makes one allocation of a process fail, or all from there on. Environment: FAIL_AT, the number of
 * the allocation (0: none); FAIL_ONWARD, if set, makes all later ones fail, too. At the end, the number of
 * allocations is written to the file FAIL_COUNT. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static unsigned long calls, fail_at;
static bool started, onward;

static bool refuses(void)
{
    if (!started) {
        const char *at = getenv("FAIL_AT");
        started = true;
        fail_at = at ? strtoul(at, NULL, 10) : 0;
        onward = getenv("FAIL_ONWARD") != NULL;
    }
    calls++;
    return fail_at && (calls == fail_at || (onward && calls > fail_at));
}

void *malloc(size_t size)
{
    return refuses() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return refuses() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return refuses() ? NULL : __libc_realloc(block, size);
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("FAIL_COUNT");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    if (file >= 0) {
        (void)!dprintf(file, "%lu\n", calls);
        (void)close(file);
    }
}
