/* The yardstick of the benchmark: opens, reads and sums every file that it is given, each with one read into a reused
 * buffer where it fits, as plainly as C can. Prints the sum, so that no compiler leaves anything out. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUFFER = 1 << 20 };

static int sum_file(const char *path, unsigned char *buffer, uint64_t *sum)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return 1;
    }
    ssize_t n;
    while ((n = read(file, buffer, BUFFER)) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            *sum += buffer[i];
        }
    }
    return close(file) != 0 || n < 0;
}

int main(int count, char **arguments)
{
    uint64_t sum = 0;
    unsigned char *buffer = malloc(BUFFER);
    if (!buffer) {
        return 2;
    }
    for (int i = 1; i < count; i++) {
        if (sum_file(arguments[i], buffer, &sum)) {
            perror(arguments[i]);
            return 2;
        }
    }
    (void)printf("%llu\n", (unsigned long long)sum);
    free(buffer);
    return 0;
}
