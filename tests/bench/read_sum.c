/* The yardstick of the benchmark: opens, reads and sums all files among its arguments and below directories among
 * them. Reads each file into a reused buffer, with one call if it fits. Prints the sum, so that the compiler omits
 * nothing. */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 1 << 20, PATH_BYTES = 4096 };

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

/* Sums all files below a directory. `path` has `used` bytes and room for more. */
static int sum_directory(char path[PATH_BYTES], size_t used, unsigned char *buffer, uint64_t *sum)
{
    DIR *directory = opendir(path);
    int failed = !directory;
    for (struct dirent *entry; !failed && (entry = readdir(directory)) != NULL;) {
        size_t n = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || used + n + 2 > PATH_BYTES) {
            continue;
        }
        path[used] = '/';
        memcpy(path + used + 1, entry->d_name, n + 1);
        failed = entry->d_type == DT_DIR ? sum_directory(path, used + 1 + n, buffer, sum) : sum_file(path, buffer, sum);
    }
    path[used] = '\0';
    return (directory && closedir(directory) != 0) || failed;
}

int main(int count, char **arguments)
{
    uint64_t sum = 0;
    unsigned char *buffer = malloc(BUFFER);
    if (!buffer) {
        return 2;
    }
    for (int i = 1; i < count; i++) {
        static char path[PATH_BYTES];
        size_t n = strlen(arguments[i]);
        if (n >= PATH_BYTES || (sum_file(arguments[i], buffer, &sum) &&
                                sum_directory(memcpy(path, arguments[i], n + 1), n, buffer, &sum))) {
            perror(arguments[i]);
            return 2;
        }
    }
    (void)printf("%llu\n", (unsigned long long)sum);
    free(buffer);
    return 0;
}
