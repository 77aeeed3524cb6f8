/* Collects the files to check. Decides how a path is shown and which entries of a directory count; never opens a file
 * that is to be checked, and asks for the kind of nothing that a directory listing has told already. */
#include "cli/files.h"

#include "cli/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ storage */

enum { POOL_CHUNK = 64 * 1024 };

struct ll_path_pool {
    struct ll_path_pool *older;
    size_t used, size;
    char text[];
};

static bool no_memory(void)
{
    ll_say("out of memory");
    return false;
}

/* Room for a text of `size` bytes, its NUL included; NULL when there is no memory. */
static char *reserve(ll_files *files, size_t size)
{
    struct ll_path_pool *pool = files->pool;
    if (!pool || pool->size - pool->used < size) {
        size_t chunk = size > POOL_CHUNK ? size : POOL_CHUNK;
        pool = malloc(sizeof *pool + chunk);
        if (!pool) {
            return NULL;
        }
        *pool = (struct ll_path_pool){.older = files->pool, .size = chunk};
        files->pool = pool;
    }
    return pool->text + pool->used;
}

/* Keeps the first `size` bytes of what was reserved last. */
static void keep(ll_files *files, size_t size)
{
    files->pool->used += size;
}

static bool add(ll_files *files, ll_file file)
{
    if (files->count == files->capacity) {
        size_t capacity = files->capacity ? files->capacity * 2 : 256;
        ll_file *items = capacity <= SIZE_MAX / sizeof *items ? realloc(files->items, capacity * sizeof *items) : NULL;
        if (!items) {
            return no_memory();
        }
        files->items = items;
        files->capacity = capacity;
    }
    files->items[files->count++] = file;
    return true;
}

void ll_files_free(ll_files *files)
{
    while (files->pool) {
        struct ll_path_pool *older = files->pool->older;
        free(files->pool);
        files->pool = older;
    }
    free(files->items);
    free(files->here[0]);
    free(files->here[1]);
    *files = (ll_files){0};
}

/* ------------------------------------------------------------------ names */

/* Asked for only when an absolute path turns up. The shell's name of the place is believed when it leads there. */
static void learn_here(ll_files *files)
{
    const char *shell = getenv("PWD");
    files->here_known = true;
    files->here[0] = ll_os_current_directory();
    ll_os_id by_name;
    ll_os_id by_dot;
    if (shell && *shell == '/' && ll_os_identify(shell, &by_name) && ll_os_identify(".", &by_dot) &&
        ll_os_same(by_name, by_dot)) {
        size_t size = strlen(shell) + 1;
        files->here[1] = malloc(size);
        if (files->here[1]) {
            memcpy(files->here[1], shell, size);
        }
    }
}

/* Folds "//" and "/./" and drops a slash at the end, in place. ".." stays: behind a link it is not what it seems. */
static void fold(char *path)
{
    char *out = path;
    const char *in = path;
    if (*in == '/') {
        *out++ = *in++;
    }
    while (*in) {
        size_t n = strcspn(in, "/");
        bool says_something = n > 1 || (n == 1 && *in != '.');
        if (says_something && out != path && out[-1] != '/') {
            *out++ = '/';
        }
        if (says_something) {
            memmove(out, in, n);
            out += n;
        }
        in += n + (in[n] == '/');
    }
    if (out == path) {
        *out++ = '.';
    }
    *out = '\0';
}

/* The part of a folded path below a directory; "." for the directory itself, NULL when it is elsewhere. */
static const char *below(const char *path, const char *directory)
{
    size_t n = directory ? strlen(directory) : 0;
    if (n < 2 || strncmp(path, directory, n) != 0) {
        return NULL;
    }
    return path[n] == '/' ? path + n + 1 : path[n] == '\0' ? "." : NULL;
}

/* How reports show a path, so that they are the same in any checkout directory. NULL without memory. */
static const char *normalise(ll_files *files, const char *bytes, size_t n)
{
    char *path = reserve(files, n + 2); /* an empty path becomes "." */
    if (!path) {
        (void)no_memory();
        return NULL;
    }
    memcpy(path, bytes, n);
    path[n] = '\0';
    fold(path);
    keep(files, strlen(path) + 1);
    if (*path != '/') {
        return path;
    }
    if (!files->here_known) {
        learn_here(files);
    }
    const char *relative = below(path, files->here[0]);
    relative = relative ? relative : below(path, files->here[1]);
    return relative ? relative : path;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool is_known(const char *name, size_t length)
{
    for (const char *const *extension = ll_extensions(); *extension; extension++) {
        size_t n = strlen(*extension);
        size_t same = 0;
        while (same < n && n < length && lower(name[length - n + same]) == (*extension)[same]) {
            same++;
        }
        if (same == n) {
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------ directories */

/* Directories still to be read. */
typedef struct todo {
    const char **paths;
    size_t count, capacity;
} todo;

static bool push(todo *list, const char *path)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        const char **paths = realloc(list->paths, capacity * sizeof *paths);
        if (!paths) {
            return no_memory();
        }
        list->paths = paths;
        list->capacity = capacity;
    }
    list->paths[list->count++] = path;
    return true;
}

static bool visit_entry(ll_files *files, todo *list, const char *directory, const char *name, ll_os_kind kind)
{
    size_t n = strlen(name);
    bool wanted = kind == LL_OS_DIRECTORY ? name[0] != '.' : kind != LL_OS_OTHER && is_known(name, n);
    if (!wanted) {
        return true;
    }
    size_t stem = strcmp(directory, ".") == 0 ? 0 : strlen(directory);
    char *path = reserve(files, stem + n + 2);
    if (!path) {
        return no_memory();
    }
    memcpy(path, directory, stem);
    size_t slash = stem && directory[stem - 1] != '/';
    path[stem] = '/';
    memcpy(path + stem + slash, name, n + 1);
    if (kind == LL_OS_LINK) { /* a broken link is kept: that it cannot be read must be said */
        kind = ll_os_kind_of(path);
        if (kind == LL_OS_DIRECTORY || kind == LL_OS_OTHER) {
            return true;
        }
    }
    keep(files, stem + slash + n + 1);
    return kind == LL_OS_DIRECTORY ? push(list, path) : add(files, (ll_file){.path = path});
}

static bool visit_directory(ll_files *files, todo *list, const char *path)
{
    ll_os_dir *dir = NULL;
    int error = ll_os_dir_open(path, &dir);
    bool alive = true;
    for (const char *name = ""; !error && alive && name;) {
        ll_os_kind kind;
        error = ll_os_dir_next(dir, &name, &kind);
        if (!error && name) {
            alive = visit_entry(files, list, path, name, kind);
        }
    }
    if (dir) {
        ll_os_dir_close(dir);
    }
    return alive && (!error || add(files, (ll_file){.path = path, .error = error}));
}

/* Everything below a directory. Links to directories are not followed, so there are no loops. */
static bool walk(ll_files *files, const char *root, bool notice)
{
    todo list = {0};
    size_t before = files->count;
    bool alive = push(&list, root);
    while (alive && list.count) {
        alive = visit_directory(files, &list, list.paths[--list.count]);
    }
    free(list.paths);
    if (alive && notice && files->count == before) {
        char known[128] = "";
        size_t used = 0;
        for (const char *const *e = ll_extensions(); *e && used + strlen(*e) + 2 < sizeof known; e++) {
            used += (size_t)snprintf(known + used, sizeof known - used, " %s", *e);
        }
        ll_say("notice: no file to check in '%s' (known:%s)", root, known);
    }
    return alive;
}

/* ------------------------------------------------------------------ sources */

static bool add_path(ll_files *files, const ll_options *options, const char *bytes, size_t n)
{
    const char *path = normalise(files, bytes, n);
    if (!path) {
        return false;
    }
    if (ll_os_kind_of(path) == LL_OS_DIRECTORY) {
        return walk(files, path, options->verbosity > -2);
    }
    return add(files, (ll_file){.path = path});
}

static bool add_list(ll_files *files, const ll_options *options)
{
    const char *name = options->files_from;
    ll_os_buffer buffer = {0};
    int error = ll_os_read(&buffer, strcmp(name, "-") == 0 ? NULL : name);
    if (error) {
        char words[128];
        ll_say("--files-from %s: %s", name, ll_os_error_text(error, words, sizeof words));
    }
    bool alive = !error;
    const char *at = (const char *)buffer.bytes;
    for (size_t left = buffer.size; alive && left;) {
        const char *end = memchr(at, options->null_ends ? '\0' : '\n', left);
        size_t n = end ? (size_t)(end - at) : left;
        size_t cr = !options->null_ends && n && at[n - 1] == '\r'; /* lists written on Windows; -0 takes names as they are */
        if (memchr(at, '\0', n)) {
            ll_say("--files-from %s: there is a NUL in a line; were the paths meant to be read with -0?", name);
            alive = false;
        } else if (n > cr) {
            alive = add_path(files, options, at, n - cr);
        }
        n += end != NULL;
        at += n;
        left -= n;
    }
    ll_os_buffer_free(&buffer);
    return alive;
}

/* ------------------------------------------------------------------ order */

static int compare(const void *a, const void *b)
{
    const ll_file *one = a;
    const ll_file *two = b;
    if (one->key != two->key) {
        return one->key < two->key ? -1 : 1;
    }
    int order = strcmp(one->path, two->path);
    return order ? order : one->is_stdin - two->is_stdin;
}

/* Eight bytes of every path behind what all have in common, as a number that sorts like them: most comparisons then
 * need not touch the text, and sorting is no longer worth mentioning beside opening the files. */
static void make_keys(ll_files *files)
{
    size_t common = SIZE_MAX;
    const char *first = files->count ? files->items[0].path : "";
    for (size_t i = 0; i < files->count; i++) {
        size_t same = 0;
        while (same < common && first[same] && first[same] == files->items[i].path[same]) {
            same++;
        }
        common = same;
    }
    for (size_t i = 0; i < files->count; i++) {
        const char *p = files->items[i].path + common;
        uint64_t key = 0;
        for (size_t n = 0; n < sizeof key; n++) {
            key = key << 8 | (unsigned char)*p;
            p += *p != '\0';
        }
        files->items[i].key = key;
    }
}

static void sort(ll_files *files)
{
    size_t n = files->count;
    size_t sorted = 1;
    make_keys(files);
    while (sorted < n && compare(&files->items[sorted - 1], &files->items[sorted]) <= 0) {
        sorted++; /* what a shell expands is in order already */
    }
    if (sorted < n) {
        qsort(files->items, n, sizeof *files->items, compare);
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || compare(&files->items[kept - 1], &files->items[i]) != 0) {
            files->items[kept++] = files->items[i];
        }
    }
    files->count = kept;
}

bool ll_files_collect(const ll_options *options, ll_files *out)
{
    *out = (ll_files){0};
    for (size_t i = 0; i < options->operand_count; i++) {
        const char *word = options->operands[i];
        bool is_stdin = strcmp(word, "-") == 0;
        const char *name = options->stdin_name ? options->stdin_name : "<stdin>";
        if (!(is_stdin ? add(out, (ll_file){.path = name, .is_stdin = true})
                       : add_path(out, options, word, strlen(word)))) {
            return false;
        }
    }
    if (options->files_from && !add_list(out, options)) {
        return false;
    }
    sort(out);
    return true;
}

bool ll_files_hold(const ll_files *files, const ll_options *options, const char *path)
{
    ll_os_id target;
    ll_os_id source;
    if (ll_os_kind_of(path) != LL_OS_FILE || !ll_os_identify(path, &target)) {
        return false; /* not there yet, so nobody reads it */
    }
    for (size_t i = 0; i < options->setting_count; i++) {
        const ll_setting *setting = &options->settings[i];
        if ((setting->option == LL_OPT_RULES || setting->option == LL_OPT_FILES_FROM) &&
            ll_os_identify(setting->value, &source) && ll_os_same(source, target)) {
            return true;
        }
    }
    for (size_t i = 0; i < files->count; i++) {
        const ll_file *file = &files->items[i];
        if (!file->is_stdin && ll_os_identify(file->path, &source) && ll_os_same(source, target)) {
            return true;
        }
    }
    return false;
}
