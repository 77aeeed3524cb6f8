/* Runs a fuzz target over files without libFuzzer: seeds, past crashes, whole folders, with any compiler and sanitizer.
 *
 *   replay_TARGET [--prefix HEX] PATH...
 *
 * Folders are walked in order of name. A file that ends in .hex is text: pairs of hex digits, white space, and # up
 * to the end of a line. Every other file is used as it is, after the bytes of --prefix. Exit code 0: no crash; 77:
 * there was no file; 2: wrong usage. */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

typedef struct bytes {
    uint8_t *at;
    size_t size, capacity;
} bytes;

static const char *prefix = "";
static size_t files;

_Noreturn static void die(const char *what, const char *why)
{
    (void)fprintf(stderr, "replay: %s: %s\n", what, why);
    exit(2);
}

static void push(bytes *b, uint8_t byte)
{
    if (b->size == b->capacity) {
        b->capacity = b->capacity ? b->capacity * 2 : 4096;
        b->at = realloc(b->at, b->capacity);
        if (!b->at) {
            die("input", strerror(errno));
        }
    }
    b->at[b->size++] = byte;
}

/* ------------------------------------------------------------------ hex */

static int digit(int c)
{
    const char *digits = "0123456789abcdef0123456789ABCDEF";
    const char *at = c > 0 ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) % 16 : -1;
}

/* Decodes text up to NUL; false if it is not hex. */
static bool decode_hex(const char *text, bytes *out)
{
    while (*text) {
        if (*text == '#') {
            text += strcspn(text, "\n");
        } else if (strchr(" \t\r\n", *text)) {
            text++;
        } else {
            int high = digit(text[0]);
            int low = high < 0 ? -1 : digit(text[1]);
            if (low < 0) {
                return false;
            }
            push(out, (uint8_t)(high * 16 + low));
            text += 2;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ files */

static bytes read_file(const char *path)
{
    bytes content = {NULL, 0, 0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        die(path, strerror(errno));
    }
    for (int c = getc(file); c != EOF; c = getc(file)) {
        push(&content, (uint8_t)c);
    }
    if (ferror(file)) {
        die(path, "cannot be read");
    }
    (void)fclose(file);
    return content;
}

static bytes read_input(const char *path)
{
    size_t length = strlen(path);
    bytes content = read_file(path);
    bytes input = {NULL, 0, 0};
    if (length > 4 && strcmp(path + length - 4, ".hex") == 0) {
        push(&content, 0);
        if (!decode_hex((const char *)content.at, &input)) {
            die(path, "is not hex");
        }
    } else {
        if (!decode_hex(prefix, &input)) {
            die("--prefix", "is not hex");
        }
        for (size_t i = 0; i < content.size; i++) {
            push(&input, content.at[i]);
        }
    }
    free(content.at);
    return input;
}

/* The target gets a block of exactly the input's size, so that a sanitizer notices access outside. */
static void run_file(const char *path)
{
    bytes input = read_input(path);
    uint8_t *exact = malloc(input.size ? input.size : 1);
    if (!exact) {
        die(path, strerror(errno));
    }
    if (input.size) {
        memcpy(exact, input.at, input.size);
    }
    (void)printf("%s: %zu bytes\n", path, input.size);
    (void)fflush(stdout);
    (void)LLVMFuzzerTestOneInput(exact, input.size);
    free(exact);
    free(input.at);
    files++;
}

/* ------------------------------------------------------------------ folders */

typedef struct paths {
    char **at;
    size_t count, capacity;
} paths;

static void add_path(paths *list, const char *folder, const char *name)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 64;
        list->at = realloc(list->at, list->capacity * sizeof *list->at);
    }
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (!list->at || !path) {
        die(folder, strerror(errno));
    }
    (void)snprintf(path, size, "%s%s%s", folder, *folder ? "/" : "", name);
    list->at[list->count++] = path;
}

static int by_name_backwards(const void *a, const void *b)
{
    return strcmp(*(char *const *)b, *(char *const *)a);
}

/* Pushes the contents of a folder, so that the first by name is popped next. */
static void add_folder(paths *list, const char *folder)
{
    size_t first = list->count;
    DIR *directory = opendir(folder);
    if (!directory) {
        die(folder, strerror(errno));
    }
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        if (entry->d_name[0] != '.') {
            add_path(list, folder, entry->d_name);
        }
    }
    (void)closedir(directory);
    qsort(list->at + first, list->count - first, sizeof *list->at, by_name_backwards);
}

static void run_path(const char *path)
{
    paths list = {NULL, 0, 0};
    add_path(&list, "", path);
    while (list.count) {
        char *next = list.at[--list.count];
        struct stat info;
        if (stat(next, &info) != 0) {
            if (errno != ENOENT || strcmp(next, path) != 0) {
                die(next, strerror(errno));
            }
            (void)printf("%s: not there\n", next);
        } else if (S_ISDIR(info.st_mode)) {
            add_folder(&list, next);
        } else {
            run_file(next);
        }
        free(next);
    }
    free(list.at);
}

int main(int count, char **arguments)
{
    int first = 1;
    if (count > 2 && strcmp(arguments[1], "--prefix") == 0) {
        prefix = arguments[2];
        first = 3;
    }
    if (first >= count || arguments[first][0] == '-') {
        (void)fputs("usage: replay_TARGET [--prefix HEX] PATH...\n", stderr);
        return 2;
    }
    for (int i = first; i < count; i++) {
        run_path(arguments[i]);
    }
    (void)printf("%zu files\n", files);
    return files ? 0 : 77;
}
