/* Runs Git for git.h, from the top of the work tree, in a way that starts no other program and writes nothing;
 * docs/ci.md lists the settings. */
#include "cli/git.h"

#include "base/array.h"
#include "base/map.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

/* A directory in a work tree. */
typedef struct place {
    const char *name; /* as given by the caller */
    char *real, *top; /* real paths of the directory and of the top of its work tree, ending with '/' */
} place;

struct ll_ignored {
    ll_arena arena;
    LL_ARRAY(const char *) paths; /* in the form in which callers ask for them */
    ll_map map;
    place known; /* the directory asked for last */
    bool failed;
};

ll_ignored *ll_ignored_create(void)
{
    ll_ignored *ignored = ll_os_alloc(1, sizeof *ignored);
    ll_arena_init(&ignored->arena, &ll_heap, SIZE_MAX);
    return ignored;
}

void ll_ignored_free(ll_ignored *ignored)
{
    if (ignored) {
        LL_ARRAY_FREE(&ignored->paths, &ll_heap);
        ll_map_free(&ignored->map, &ll_heap);
        ll_arena_free(&ignored->arena);
        free(ignored);
    }
}

/* ------------------------------------------------------------------ the set */

static uint64_t hash_of_text(const char *text)
{
    return ll_fnv(LL_FNV_START, text, strlen(text));
}

static uint64_t hash_of(const void *owner, uint32_t item)
{
    return hash_of_text(((const ll_ignored *)owner)->paths.items[item]);
}

typedef struct sought {
    const ll_ignored *ignored;
    const char *path;
} sought;

static bool is_path(const void *what, uint32_t item)
{
    const sought *s = what;
    return strcmp(s->ignored->paths.items[item], s->path) == 0;
}

bool ll_ignored_holds(const ll_ignored *ignored, const char *path)
{
    return ignored->paths.count &&
           ll_map_find(&ignored->map, hash_of_text(path), is_path, &(sought){ignored, path}) != LL_MAP_NONE;
}

bool ll_ignored_leaves_out(ll_ignored *ignored, const char *path)
{
    char *above = ll_arena_copy(&ignored->arena, path, strlen(path));
    bool out = ll_ignored_holds(ignored, path);
    for (size_t n = strlen(above); n && !out; n--) {
        out = above[n - 1] == '/' && ll_ignored_holds(ignored, above);
        above[n - 1] = '\0';
    }
    return out;
}

static void add(ll_ignored *ignored, const char *path)
{
    uint32_t item = (uint32_t)ignored->paths.count;
    *LL_ARRAY_ADD(&ignored->paths, &ll_heap) = path;
    (void)ll_map_room(&ignored->map, item, hash_of, ignored, &ll_heap);
    (void)ll_map_note(&ignored->map, hash_of_text(path), item, is_path, &(sought){ignored, path});
}

/* ------------------------------------------------------------------ the work tree */

/* Top of the work tree: the nearest directory from `real` upwards that contains ".git". NULL if there is none. */
static char *top_of(ll_arena *arena, const char *real)
{
    for (size_t n = strlen(real); n;) {
        char *git = ll_format(arena, "%.*s.git", (int)n, real);
        if (ll_os_is_there(git)) {
            git[n] = '\0';
            return git;
        }
        for (n--; n && real[n - 1] != '/'; n--) {
        }
    }
    return NULL;
}

/* Fills in `out`; false if the directory is in no work tree. */
static bool find(ll_arena *arena, const char *directory, place *out)
{
    size_t n = strlen(directory);
    size_t cut = n > ll_path_drive(directory) + 1; /* the root keeps its slash */
    char *real = ll_os_real_path(n == 0 ? "." : ll_format(arena, "%.*s", (int)(n - cut), directory));
    bool slash = real && real[strlen(real) - 1] == '/';
    *out = (place){.name = directory, .real = real ? ll_format(arena, "%s%s", real, slash ? "" : "/") : NULL};
    free(real);
    out->top = out->real ? top_of(arena, out->real) : NULL;
    return out->top;
}

/* Does the list for `outer` also answer for `inner`? True if inner is below it by name and by real path, and in the
 * same work tree. */
static bool covers(const place *outer, const place *inner)
{
    size_t name = strlen(outer->name);
    size_t real = strlen(outer->real);
    return strcmp(outer->top, inner->top) == 0 && strncmp(outer->name, inner->name, name) == 0 &&
           strncmp(outer->real, inner->real, real) == 0 && strcmp(inner->name + name, inner->real + real) == 0;
}

/* ------------------------------------------------------------------ Git */

/* Runs `git COMMAND...` in the directory. No setting of a repository can make it run another program, use the network
 * or write. Variables of the caller's own repository (in a hook) are removed. */
static bool run(const char *directory, const char *const *command, size_t count, ll_os_buffer *out, const char **why)
{
    static const char *const environment[] = {"GIT_DIR",
                                              "GIT_WORK_TREE",
                                              "GIT_COMMON_DIR",
                                              "GIT_INDEX_FILE",
                                              "GIT_PREFIX",
                                              "GIT_OBJECT_DIRECTORY",
                                              "GIT_NAMESPACE",
                                              "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                              "GIT_LITERAL_PATHSPECS=1",
                                              "GIT_OPTIONAL_LOCKS=0",
                                              "GIT_NO_LAZY_FETCH=1",
                                              "GIT_ALLOW_PROTOCOL=none",
                                              NULL};
    const char *words[16] = {"git", "--no-pager", "-c", "core.fsmonitor=false", "-C", directory};
    size_t used = 6;
    int code = 0;
    for (size_t i = 0; i < count; i++) {
        words[used++] = command[i];
    }
    int error = ll_os_run(words, environment, out, &code);
    *why = error ? ll_os_error_text(error) : "'git -C DIRECTORY status' says why";
    return !error && code == 0;
}

/* Finds an ignore file that is a pipe or device, on which Git would hang; NULL if there is none. */
static const char *find_pipe(ll_arena *arena, const place *where)
{
    const char *path = ll_format(arena, "%s.git/info/exclude", where->top);
    for (size_t n = strlen(where->top); ll_os_kind_of(path) != LL_OS_OTHER;) {
        if (!where->real[n - 1]) {
            return NULL;
        }
        path = ll_format(arena, "%.*s.gitignore", (int)n, where->real);
        const char *next = strchr(where->real + n, '/');
        n = next ? (size_t)(next - where->real) + 1 : strlen(where->real) + 1;
    }
    return path;
}

/* Adds the paths that Git lists, which are relative to the top. Paths below the directory are renamed to begin with
 * `name`. If the directory itself or one above it is ignored, only `name` is added. */
static void take(ll_ignored *ignored, const ll_os_buffer *list, const char *below, const char *name)
{
    size_t n = strlen(below);
    const char *at = (const char *)list->bytes;
    const char *end = at + list->size;
    for (const char *next; at < end && (next = memchr(at, '\0', (size_t)(end - at))); at = next + 1) {
        bool inside = n == 0 || (strncmp(at, below, n) == 0 && at[n] == '/');
        if (inside && strcmp(at + n, "/") != 0 && strcmp(at, "./") != 0) {
            add(ignored, ll_format(&ignored->arena, "%s%s", name, at + n + (n > 0)));
        } else {
            add(ignored, name);
        }
    }
}

bool ll_ignored_learn(ll_ignored *ignored, const char *directory, const char *around, bool loud)
{
    place where;
    place wide;
    ll_os_buffer list = {0};
    const char *why = "";
    if (!find(&ignored->arena, ll_format(&ignored->arena, "%s", directory), &where) ||
        (ignored->known.name && covers(&ignored->known, &where))) {
        return true;
    }
    if (find(&ignored->arena, ll_format(&ignored->arena, "%s", around), &wide) && covers(&wide, &where)) {
        where = wide;
    }
    size_t n = strlen(where.real) - strlen(where.top);
    char *below = ll_format(&ignored->arena, "%.*s", n ? (int)n - 1 : 0, where.real + strlen(where.top));
    const char *const command[] = {"ls-files",           "-z",          "--others", "--ignored",
                                   "--exclude-standard", "--directory", "--",       *below ? below : "."};
    const char *pipe = find_pipe(&ignored->arena, &where);
    bool done = !pipe && run(where.top, command, sizeof command / sizeof *command, &list, &why);
    why = pipe ? ll_format(&ignored->arena, "'%s' is a pipe or a device", pipe) : why;
    if (done) {
        take(ignored, &list, below, where.name);
    } else if (loud && !ignored->failed) {
        (void)ll_say("notice: cannot ask Git which files to ignore in '%s' (%s): no file is left out",
                     *where.name ? where.name : ".", why);
    }
    ignored->known = where;
    ignored->failed = ignored->failed || !done;
    ll_os_buffer_free(&list);
    return done;
}

/* ------------------------------------------------------------------ files of commits */

bool ll_git_show(const char *name, ll_os_buffer *out)
{
    const char *why = "";
    const char *const command[] = {"cat-file", "blob", name};
    return (name[0] != '-' && run(".", command, sizeof command / sizeof *command, out, &why)) ||
           ll_say("%s: no such file, on disk or in a Git commit (COMMIT:PATH)", name);
}

bool ll_git_holds(const char *path, const void *bytes, size_t size)
{
    ll_arena arena;
    ll_os_buffer out = {0};
    place where;
    const char *why = "";
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    ll_arena_init(&arena, &ll_heap, SIZE_MAX);
    bool holds = find(&arena, ll_format(&arena, "%.*s", (int)(name - path), path), &where);
    if (holds) {
        const char *blob = ll_format(&arena, "HEAD:%s%s", where.real + strlen(where.top), name);
        const char *const command[] = {"cat-file", "blob", blob};
        holds = run(where.top, command, sizeof command / sizeof *command, &out, &why) && out.size == size &&
                (!size || memcmp(out.bytes, bytes, size) == 0);
    }
    ll_os_buffer_free(&out);
    ll_arena_free(&arena);
    return holds;
}

/* ------------------------------------------------------------------ which commit */

/* The variables by which jobs of a CI service describe themselves. */
typedef struct service {
    const char *given;  /* set in every job */
    const char *uri[2]; /* joined by a slash if there are two */
    const char *revision, *branch, *tag;
    const char *is_tag; /* NULL, or a variable whose value "tag" says that `tag` holds a tag and no branch */
} service;

static const service services[] = {
    {"GITHUB_ACTIONS",
     {"GITHUB_SERVER_URL", "GITHUB_REPOSITORY"},
     "GITHUB_SHA",
     "GITHUB_REF_NAME",
     "GITHUB_REF_NAME",
     "GITHUB_REF_TYPE"},
    {"GITLAB_CI", {"CI_PROJECT_URL", NULL}, "CI_COMMIT_SHA", "CI_COMMIT_BRANCH", "CI_COMMIT_TAG", NULL},
};

/* Value of a variable; NULL if it is not set or empty. */
static const char *variable(const char *name)
{
    const char *value = name ? getenv(name) : NULL;
    return value && *value ? value : NULL;
}

static bool find_in_environment(ll_arena *arena, ll_provenance *out)
{
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        const service *s = &services[i];
        const char *base = variable(s->given) ? variable(s->uri[0]) : NULL;
        const char *rest = variable(s->uri[1]);
        if (!base || (s->uri[1] && !rest)) {
            continue;
        }
        const char *type = variable(s->is_tag);
        bool tag = !s->is_tag || (type && strcmp(type, "tag") == 0);
        *out = (ll_provenance){.uri = ll_format(arena, "%s%s%s", base, rest ? "/" : "", rest ? rest : ""),
                               .revision = variable(s->revision),
                               .branch = s->is_tag && tag ? NULL : variable(s->branch),
                               .tag = tag ? variable(s->tag) : NULL};
        return true;
    }
    return false;
}

/* Stores the first `count` lines of Git's output; a missing line is "". False if Git failed. */
static bool ask_lines(ll_arena *arena, const char *const *command, size_t words, const char **lines, size_t count)
{
    ll_os_buffer answer = {0};
    const char *why = "";
    bool done = run(".", command, words, &answer, &why);
    const char *at = done ? ll_arena_copy(arena, (const char *)answer.bytes, answer.size) : "";
    for (size_t i = 0; i < count; i++) {
        size_t n = strcspn(at, "\n");
        lines[i] = ll_arena_copy(arena, at, n);
        at += n + (at[n] == '\n');
    }
    ll_os_buffer_free(&answer);
    return done;
}

/* Address of a remote as a URI without user and password; NULL if it is a local directory. "host:path" is short for
 * ssh. */
static const char *uri_of(ll_arena *arena, const char *address)
{
    const char *scheme = strstr(address, "://");
    const char *host = scheme ? scheme + 3 : address;
    size_t n = strcspn(host, "/");
    const char *at = memchr(host, '@', n);
    const char *colon = scheme ? NULL : memchr(host, ':', n);
    if (scheme && strncmp(address, "file:", 5) != 0) {
        return ll_format(arena, "%.*s%s", (int)(host - address), address, at ? at + 1 : host);
    }
    return colon && !ll_path_drive(address) ? ll_format(arena, "ssh://%.*s/%s", (int)(colon - host), host, colon + 1)
                                            : NULL;
}

static bool find_in_git(ll_arena *arena, ll_provenance *out)
{
    static const char *const remote[] = {"config", "--get", "remote.origin.url"};
    static const char *const head[] = {"rev-parse", "HEAD", "--abbrev-ref", "HEAD"};
    const char *lines[2];
    place here;
    if (!find(arena, "", &here) || !ask_lines(arena, remote, sizeof remote / sizeof *remote, lines, 1)) {
        return false;
    }
    *out = (ll_provenance){.uri = uri_of(arena, lines[0])};
    if (!out->uri || !ask_lines(arena, head, sizeof head / sizeof *head, lines, 2)) {
        return false;
    }
    out->revision = lines[0];
    out->branch = strcmp(lines[1], "HEAD") == 0 ? NULL : lines[1];
    return true;
}

static bool is_uri(const char *text)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%";
    return strstr(text, "://") && !text[strspn(text, allowed)];
}

bool ll_provenance_find(ll_arena *arena, ll_provenance *out)
{
    bool found = (find_in_environment(arena, out) || find_in_git(arena, out)) && is_uri(out->uri);
    out->at_root = found && ll_os_is_there(".git");
    return found;
}
