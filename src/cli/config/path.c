/* String operations on paths of directories. */
#include "cli/config/path.h"

#include "base/path.h"
#include "cli/os.h"

#include <stdlib.h>
#include <string.h>

/* Number of bytes up to and including the last ".." component; 0: none. */
static size_t last_ascent(const char *path, size_t n)
{
    size_t end = 0;
    for (size_t i = 0; i < n;) {
        const char *slash = memchr(path + i, '/', n - i);
        size_t length = slash ? (size_t)(slash - path) - i : n - i;
        if (length == 2 && path[i] == '.' && path[i + 1] == '.') {
            end = i + 2;
        }
        i += length + 1;
    }
    return end;
}

/* Appends the components of `path` to `out`, which has `used` bytes, and returns the new number. ".." removes
 * components, but never the first `drive` bytes. */
static size_t put_components(char *out, size_t drive, size_t used, const char *path, size_t n)
{
    for (size_t i = 0; i < n;) {
        const char *slash = memchr(path + i, '/', n - i);
        size_t length = slash ? (size_t)(slash - path) - i : n - i;
        const char *name = path + i;
        i += length + 1;
        if (length == 2 && name[0] == '.' && name[1] == '.') { /* the parent does not exist: resolve ".." by name */
            while (used > drive && out[--used] != '/') {
            }
        } else if (length > 1 || (length == 1 && name[0] != '.')) {
            out[used++] = '/';
            memcpy(out + used, name, length);
            used += length;
        }
    }
    return used;
}

/* Real path of the first n bytes of a path; free() it. NULL if it does not exist. */
static char *real_part(const char *path, size_t n)
{
    char *part = ll_os_alloc(n + 1, 1);
    memcpy(part, path, n);
    char *real = ll_os_real_path(part);
    free(part);
    return real;
}

const char *ll_path_absolute(ll_arena *arena, const char *here, const char *path, size_t n)
{
    size_t ascent = last_ascent(path, n);
    char *real = ascent ? real_part(path, ascent) : NULL;
    size_t done = real ? ascent : 0;
    const char *base = real ? real : n && ll_path_is_absolute(path) ? path : here;
    const char *volume =
        ll_path_drive(base) ? base : here; /* a path without a drive is on the drive of the current directory */
    size_t drive = ll_path_drive(volume);
    size_t from = ll_path_drive(base);
    size_t stem = base == path ? from : strlen(base);
    done = base == path ? from : done;
    char *out = ll_arena_alloc(arena, drive + stem + n + 3, 1);
    memcpy(out, volume, drive);
    size_t used = put_components(out, drive, drive, base + from, stem - from);
    out[put_components(out, drive, used, path + done, n - done)] = '\0';
    free(real);
    return out;
}

const char *ll_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *ll_path_below(ll_arena *arena, const char *directory, const char *name)
{
    size_t stem = strlen(directory);
    size_t n = strlen(name) + 1;
    char *out = ll_arena_alloc(arena, stem + 1 + n, 1);
    memcpy(out, directory, stem);
    out[stem] = '/';
    memcpy(out + stem + 1, name, n);
    return out;
}

/* Appends a text with its NUL; false if there is no room. */
static bool put(char *buffer, size_t size, size_t *used, const char *text)
{
    size_t n = strlen(text);
    if (size - *used <= n) {
        return false;
    }
    memcpy(buffer + *used, text, n + 1);
    *used += n;
    return true;
}

bool ll_path_between(const char *from, const char *to, const char *name, char *buffer, size_t size)
{
    size_t common = 0; /* bytes at the start of both that name the same directories */
    for (size_t i = 0;; i++) {
        if ((from[i] == '/' || !from[i]) && (to[i] == '/' || !to[i])) {
            common = i;
        }
        if (!from[i] || from[i] != to[i]) {
            break;
        }
    }
    size_t drive = ll_path_drive(from);
    bool apart =
        drive != ll_path_drive(to) || memcmp(from, to, drive) != 0; /* on another drive, only the absolute path works */
    const char *rest = apart ? to : to[common] ? to + common + 1 : "";
    const char *parts[] = {rest, *rest && name ? "/" : "", name ? name : ""};
    size_t used = 0;
    for (const char *p = from + common; *p && !apart; p++) {
        if (*p == '/' && !put(buffer, size, &used, "../")) {
            return false;
        }
    }
    size_t up = used;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!put(buffer, size, &used, parts[i])) {
            return false;
        }
    }
    if (used == up && up) {
        buffer[used - 1] = '\0'; /* "..", not "../" */
    } else if (used == 0) {
        memcpy(buffer, ".", 2);
    }
    return true;
}

bool ll_path_holds(const char *directory, const char *below)
{
    size_t n = strlen(directory);
    return strncmp(directory, below, n) == 0 && (below[n] == '/' || !below[n]);
}
