/* Runs a command several times and prints for each run: wall time in ns, user and system time in us, peak memory in
 * KiB. The output of the command is discarded. This is a program of its own because the peak memory of a child includes
 * the memory of its parent, and this one uses almost none.
 *
 *   measure RUNS EXIT_CODE COMMAND [ARGS...]
 *
 * Exit code: 0; 1 if a run did not end with EXIT_CODE; 2 if it could not be started. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long nanoseconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static long long microseconds(struct timeval time)
{
    return (long long)time.tv_sec * 1000000 + time.tv_usec;
}

int main(int count, char **arguments)
{
    if (count < 4) {
        (void)fputs("usage: measure RUNS EXIT_CODE COMMAND [ARGS...]\n", stderr);
        return 2;
    }
    long runs = strtol(arguments[1], NULL, 10);
    long wanted = strtol(arguments[2], NULL, 10);
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0 ||
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) != 0) {
        return 2;
    }
    for (long i = 0; i < runs; i++) {
        pid_t child;
        int status = 0;
        struct rusage usage;
        long long start = nanoseconds();
        int error = posix_spawnp(&child, arguments[3], &actions, NULL, arguments + 3, environ);
        if (error || wait4(child, &status, 0, &usage) != child) {
            (void)fprintf(stderr, "measure: %s: %s\n", arguments[3], strerror(error ? error : errno));
            return 2;
        }
        long long wall = nanoseconds() - start;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != wanted) {
            (void)fprintf(stderr, "measure: %s: status %d instead of exit code %ld\n", arguments[3], status, wanted);
            return 1;
        }
        (void)printf("%lld %lld %lld %ld\n", wall, microseconds(usage.ru_utime), microseconds(usage.ru_stime),
                     usage.ru_maxrss);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return 0;
}
