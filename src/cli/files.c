/* Finds the files to check: decides how a path is shown, which directory entries count, and their order. Opens a file
 * only if its first bytes must tell whether it is an archive, and uses the kind of an entry that the directory listing
 * states.
 *
 * Named items (operands and lists) are kept in one sorted list. Directories are read when they are reached, each into a
 * frame on a stack. Names of directories end with '/' in every list, so that they sort where their files do. The next
 * item of the stream is the lesser of two: the next entry of the topmost frame and the next named item. A directory
 * that is named and lies inside the one being walked gets a frame on top of it; if it is also the next entry, it is
 * entered once. */
#include "cli/files.h"

#include "base/array.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/config/path.h"
#include "cli/git.h"
#include "cli/journal.h"
#include "cli/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum item_kind { KIND_FILE, KIND_LINK, KIND_DIRECTORY, KIND_STDIN } item_kind;

/* What a walked directory gave; the first that applies in this order. */
typedef enum outcome { GAVE_FILES, GAVE_LINKS, GAVE_IGNORED, GAVE_EXCLUDED, GAVE_NOTHING } outcome;

/* A named item or a directory entry. */
typedef struct item {
    const char *name; /* of a directory with trailing '/', "" for the current one */
    item_kind kind;
    outcome gave; /* named directory: what it gave */
    bool odd;     /* directory entry: has no known extension */
    bool asks;    /* odd entry that may be an archive of the game */
} item;

typedef struct list {
    LL_ARRAY(item);
    ll_arena names;
    bool manifests, every; /* of a directory: take manifests, or all files, besides those of a format */
    bool own;              /* of a directory: may contain configuration, suppressions or baseline */
    bool top;              /* is the top of a Git work tree */
} list;

#define NOT_NAMED SIZE_MAX

enum { ASKED_ONE_BY_ONE = 8 }; /* with more named items, Git is asked for all of them at once */

/* A directory that is being walked. */
typedef struct frame {
    list entries;
    size_t next;
    ll_text prefix;        /* prefix of its paths: "", "a/", "/" */
    const ll_scope *scope; /* may be in the arena of the entries */
    size_t named;          /* index in the list of named items, or NOT_NAMED */
    bool below;            /* it is an entry of the frame below */
    bool asked;            /* Git was asked about it, if the configuration wants that */
    bool lacks;            /* something in it was left out */
    outcome gave;
} frame;

struct ll_files {
    const ll_options *options;
    ll_config *config;
    ll_workspace *workspace; /* receives package contents; NULL: none */
    size_t strip;            /* bytes to remove from names passed to it */
    ll_ignored *ignored;
    list named;
    size_t next_named;
    LL_ARRAY(frame) frames;
    size_t frames_made; /* number of frames whose storage is allocated; it is reused */
    ll_text text;       /* holds path */
    char *path;         /* in `text`: the next entry, or the file returned last */
    uint64_t count;
    char *here;              /* real path of the current directory; NULL if unknown */
    const char *shells_here; /* $PWD; NULL if it is another directory */
    bool here_known;
    LL_ARRAY(const char *) trees; /* real paths of the named directories; "" for the root */
    bool trees_known;
    uint64_t left_links; /* number of links that lead out of them, and the first one */
    const char *first_link;
};

/* ------------------------------------------------------------------ lists */

static void init_list(list *l)
{
    *l = (list){.items = NULL};
    ll_arena_init(&l->names, &ll_heap, SIZE_MAX);
}

static void add(list *l, const char *name, item_kind kind)
{
    size_t n = kind == KIND_DIRECTORY && strcmp(name, ".") == 0 ? 0 : strlen(name);
    bool slash = kind == KIND_DIRECTORY && n && name[n - 1] != '/';
    char *copy = ll_arena_copy(&l->names, name, n + slash); /* ll_arena_copy() adds a NUL, so the slash has room */
    copy[n] = slash ? '/' : '\0';
    *LL_ARRAY_ADD(l, &ll_heap) = (item){.name = copy, .kind = kind};
}

static int compare(const void *a, const void *b)
{
    const item *one = a;
    const item *two = b;
    int order = strcmp(one->name, two->name);
    return order ? order : (one->kind == KIND_STDIN) - (two->kind == KIND_STDIN);
}

/* Sorts a complete list and removes duplicates. */
static void sort(list *l)
{
    size_t n = l->count;
    size_t sorted = 1;
    while (sorted < n && compare(&l->items[sorted - 1], &l->items[sorted]) <= 0) {
        sorted++; /* expanded by a shell: already sorted */
    }
    if (sorted < n) {
        qsort(l->items, n, sizeof *l->items, compare);
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || compare(&l->items[kept - 1], &l->items[i]) != 0) {
            l->items[kept++] = l->items[i];
        }
    }
    l->count = kept;
}

static void free_list(list *l)
{
    LL_ARRAY_FREE(l, &ll_heap);
    ll_arena_free(&l->names);
}

/* ------------------------------------------------------------------ names */

/* Finds the current directory, when the first absolute path is seen. Uses $PWD, too, if it is the same directory. */
static void learn_here(ll_files *files)
{
    const char *shell = getenv("PWD");
    files->here_known = true;
    files->here = ll_os_real_path(".");
    ll_os_id by_name;
    ll_os_id by_dot;
    if (shell && *shell == '/' && ll_os_identify(shell, &by_name) && ll_os_identify(".", &by_dot) &&
        ll_os_same(by_name, by_dot)) {
        files->shells_here = shell;
    }
}

/* Removes "//", "/./" and a trailing slash in place. Keeps "..": after a link it need not be the parent. */
static void fold(char *path)
{
    char *out = path + ll_path_drive(path);
    const char *in = out;
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

/* The part of a folded path below a directory; "." for the directory itself, NULL if it is not in it. A path without a
 * drive is on the drive of the current directory. */
static const char *below(const char *path, const char *directory)
{
    directory += directory && !ll_path_drive(path) ? ll_path_drive(directory) : 0;
    size_t n = directory ? strlen(directory) : 0;
    if (n < 2 || strncmp(path, directory, n) != 0) {
        return NULL;
    }
    return path[n] == '/' ? path + n + 1 : path[n] == '\0' ? "." : NULL;
}

/* The form in which reports show a path: relative to the current directory if it is inside, so that reports do not
 * depend on the checkout directory. */
static const char *normalise(ll_files *files, char *path)
{
    ll_path_adopt(path);
    fold(path);
    if (!ll_path_is_absolute(path)) {
        return path;
    }
    if (!files->here_known) {
        learn_here(files);
    }
    const char *relative = below(path, files->here);
    relative = relative ? relative : below(path, files->shells_here);
    return relative ? relative : path;
}

static bool is_known(const char *name)
{
    const char *const *extension = ll_extensions();
    while (*extension && !ll_ends_with(name, *extension)) {
        extension++;
    }
    return *extension;
}

/* Reads the first bytes of a file to see that it is not an archive of the game. If it cannot be read, the name
 * decides. */
static bool is_no_archive(const char *path)
{
    char first[4];
    size_t size = 0;
    int source;
    if (ll_os_kind_of(path) == LL_OS_FILE && ll_os_source_open(path, &source) == 0) {
        size = ll_os_source_read(source, first, sizeof first, &size) == 0 ? size : 0;
        ll_os_source_close(source);
    }
    return !ll_is_unread_archive(path, first, size);
}

/* ------------------------------------------------------------------ packages */

static bool is_manifest(const char *name)
{
    return ll_ends_with(name, ".fpk.xml") || ll_ends_with(name, ".fpkd.xml");
}

/* Is a directory, given with its trailing slash, an unpacked archive? */
static bool is_part(const char *path)
{
    return ll_ends_with(path, "_fpk/") || ll_ends_with(path, "_fpkd/");
}

/* Is it an unpacked archive, or inside one? */
static bool is_in_part(const char *path)
{
    return strstr(path, "_fpk/") || strstr(path, "_fpkd/");
}

void ll_files_tell(ll_files *files, ll_workspace *workspace, size_t strip)
{
    files->workspace = workspace;
    files->strip = strip;
}

/* Passes files->path to the workspace, if the configuration of `scope` enables checks across files. */
static void tell(ll_files *files, const ll_scope *scope, ll_status (*what)(ll_workspace *workspace, const char *path))
{
    if (files->workspace && ll_scope_crosses(scope) && strlen(files->path) > files->strip) {
        ll_need(what(files->workspace, files->path + files->strip));
    }
}

/* ------------------------------------------------------------------ what is named */

/* Sets files->path to prefix and name. There is room to turn an empty path into ".". */
static void set_path(ll_files *files, const char *prefix, size_t length, const char *name)
{
    ll_text_clear(&files->text);
    ll_text_put(&files->text, prefix, length);
    ll_text_str(&files->text, name);
    ll_text_put(&files->text, "\0", 2);
    files->path = files->text.data;
}

static void add_path(ll_files *files, const char *bytes, size_t n)
{
    set_path(files, bytes, n, "");
    const char *path = normalise(files, files->path);
    if (!ll_is_log(path)) { /* a shell expanded '*' */
        add(&files->named, path, ll_os_kind_of(path) == LL_OS_DIRECTORY ? KIND_DIRECTORY : KIND_FILE);
    }
}

static void add_operand(void *ctx, const char *path)
{
    add_path(ctx, path, strlen(path));
}

static bool add_list(ll_files *files)
{
    const char *name = files->options->files_from;
    bool null_ends = files->options->null_ends;
    ll_os_buffer buffer = {0};
    int error = strcmp(name, "-") == 0 ? ll_os_read(&buffer, NULL) : ll_os_read_stream(&buffer, name);
    bool alive = !error || ll_say("--files-from %s: %s", name, ll_os_error_text(error));
    const char *at = (const char *)buffer.bytes;
    size_t mark = null_ends ? 0 : ll_bom_length(at, buffer.size); /* skip a byte order mark */
    at = mark ? at + mark : at;
    for (size_t left = buffer.size - mark; alive && left;) {
        const char *end = memchr(at, null_ends ? '\0' : '\n', left);
        size_t n = end ? (size_t)(end - at) : left;
        size_t cr = !null_ends && n && at[n - 1] == '\r'; /* lists written on Windows end lines with CR LF; with -0
                                                           * names are taken unchanged */
        if (memchr(at, '\0', n)) {
            alive = ll_say("--files-from %s: a line contains a NUL; use -0 for paths that end in NUL", name);
        } else if (n > cr) {
            add_path(files, at, n - cr);
        }
        n += end != NULL;
        at += n;
        left -= n;
    }
    ll_os_buffer_free(&buffer);
    return alive;
}

bool ll_files_open(const ll_options *options, ll_config *config, ll_files **out)
{
    ll_files *files = *out = ll_os_alloc(1, sizeof *files);
    files->options = options;
    files->config = config;
    files->ignored = ll_ignored_create();
    init_list(&files->named);
    ll_text_init(&files->text, &ll_heap);
    for (size_t i = 0; i < options->operand_count; i++) {
        const char *word = options->operands[i];
        const char *name = options->stdin_name ? options->stdin_name : "<stdin>";
        if (strcmp(word, "-") == 0) {
            add(&files->named, name, KIND_STDIN);
        } else {
            ll_os_expand(word, add_operand, files);
        }
    }
    if (options->files_from && !add_list(files)) {
        return false;
    }
    sort(&files->named);
    return true;
}

const char *ll_files_root(const ll_files *files)
{
    return files->named.count == 1 ? files->named.items[0].name : "";
}

/* The directory being walked; NULL if none. */
static frame *top_of(ll_files *files)
{
    return files->frames.count ? &files->frames.items[files->frames.count - 1] : NULL;
}

static void note(frame *f, outcome gave)
{
    f->gave = gave < f->gave ? gave : f->gave;
}

/* Notes that something in the directory was left out, so that it is not a complete part of a package. */
static void leave_out(frame *f, outcome gave)
{
    f->lacks = true;
    note(f, gave);
}

static void pop(ll_files *files)
{
    frame f = files->frames.items[--files->frames.count];
    set_path(files, f.prefix.data, f.prefix.length, "");
    if (files->workspace && !f.lacks && is_part(files->path)) {
        files->path[f.prefix.length - 1] = '\0';
        tell(files, f.scope, ll_workspace_add_folder);
    }
    if (f.below) {
        top_of(files)->lacks = top_of(files)->lacks || f.lacks;
        note(top_of(files), f.gave);
    }
    if (f.named != NOT_NAMED) {
        files->named.items[f.named].gave = f.gave;
    }
}

/* Adds a frame. The storage of popped frames is reused for directories at the same depth. */
static frame *push(ll_files *files, size_t named, bool is_entry)
{
    frame *f = LL_ARRAY_ADD(&files->frames, &ll_heap);
    if (files->frames.count > files->frames_made) {
        init_list(&f->entries);
        ll_text_init(&f->prefix, &ll_heap);
        files->frames_made++;
    }
    *f = (frame){.entries = f->entries, .prefix = f->prefix, .named = named, .below = is_entry, .gave = GAVE_NOTHING};
    f->entries.count = 0;
    f->entries.own = f->entries.top = f->entries.manifests = f->entries.every = false;
    ll_arena_reset(&f->entries.names);
    ll_text_clear(&f->prefix);
    return f;
}

void ll_files_close(ll_files *files)
{
    if (!files) {
        return;
    }
    for (size_t i = 0; i < files->frames_made; i++) {
        free_list(&files->frames.items[i].entries);
        ll_text_free(&files->frames.items[i].prefix);
    }
    free_list(&files->named);
    ll_ignored_free(files->ignored);
    LL_ARRAY_FREE(&files->frames, &ll_heap);
    LL_ARRAY_FREE(&files->trees, &ll_heap);
    ll_text_free(&files->text);
    free(files->here);
    free(files);
}

/* ------------------------------------------------------------------ directories */

/* Turns files->path from a directory name with trailing slash into a path that can be opened. */
static void name_directory(ll_files *files)
{
    size_t n = strlen(files->path);
    if (n > ll_path_drive(files->path) + 1) {
        files->path[n - 1] = '\0';
    } else if (n == 0) {
        memcpy(files->path, ".", 2); /* set_path() left room */
    }
}

/* Names beginning with ".l" in either case may be files of lightlint: the file system may ignore case. */
static void add_entry(void *ctx, const char *name, ll_os_kind kind)
{
    list *entries = ctx;
    entries->own = entries->own || (name[0] == '.' && (name[1] == 'l' || name[1] == 'L'));
    entries->top = entries->top || strcmp(name, ".git") == 0;
    bool odd = !is_known(name);
    bool asks = odd && name[0] != '.' && ll_is_unread_archive(name, NULL, 0);
    bool wanted = !odd || asks || (entries->manifests && is_manifest(name)) || (entries->every && name[0] != '.');
    if (kind == LL_OS_DIRECTORY ? name[0] != '.' : kind != LL_OS_OTHER && wanted) {
        add(entries, name, kind == LL_OS_DIRECTORY ? KIND_DIRECTORY : kind == LL_OS_LINK ? KIND_LINK : KIND_FILE);
        entries->items[entries->count - 1].odd = odd;
        entries->items[entries->count - 1].asks = asks;
    }
}

/* Returns 0, or the error that ended reading the directory. */
static int read_entries(list *entries, const char *path)
{
    int error = ll_os_list(path, add_entry, entries);
    sort(entries);
    return error;
}

/* ------------------------------------------------------------------ the stream */

/* Result of one step of the stream. */
typedef enum step { STEP_ON, STEP_FILE, STEP_TROUBLE } step;

/* A file belongs to a shard by the 64-bit FNV-1a hash of its path as shown, which depends on neither order, machine nor
 * version. */
static bool in_shard(const ll_options *options, const char *path)
{
    return options->shards < 2 || ll_fnv(LL_FNV_START, path, strlen(path)) % options->shards == options->shard - 1;
}

static step give(ll_files *files, ll_file *out, ll_file file)
{
    if (!in_shard(files->options, file.path)) {
        return STEP_ON;
    }
    file.stem = (size_t)(ll_path_name(file.path) - file.path);
    file.profile = ll_config_profile(files->config, file.scope, file.path + file.stem);
    if (!file.profile) {
        return STEP_TROUBLE;
    }
    file.index = files->count++;
    *out = file;
    return STEP_FILE;
}

/* The directory shared by `path` and the last named item if many items are named: Git is then asked once for all
 * between them. */
static const char *common_directory(ll_files *files, const char *path)
{
    const char *last = files->named.count > ASKED_ONE_BY_ONE ? files->named.items[files->named.count - 1].name : path;
    size_t common = 0;
    for (size_t n = 0; path[n] && path[n] == last[n]; n++) {
        common = path[n] == '/' ? n + 1 : common;
    }
    return ll_arena_copy(&files->named.names, path, common);
}

/* Loads what Git ignores below a directory (with its slash), if its configuration wants that. False if Git is not or
 * could not be asked. */
static bool ask_git(ll_files *files, const ll_scope *scope, const char *directory)
{
    return ll_scope_minds_git(scope) && ll_ignored_learn(files->ignored, directory, common_directory(files, directory),
                                                         files->options->verbosity > -2);
}

/* Does Git ignore a named item? */
static bool is_ignored(ll_files *files, const ll_scope *scope, const char *name)
{
    const char *slash = strrchr(name, '/');
    size_t n = slash ? (size_t)(slash - name) + 1 : 0;
    return ask_git(files, scope, ll_arena_copy(&files->named.names, name, n)) &&
           ll_ignored_leaves_out(files->ignored, name);
}

/* Enters the directory in files->path (with its slash). If reading it fails, returns it as a file with an error;
 * entries read before that are still walked. */
static step enter(ll_files *files, size_t named, bool is_entry, ll_file *out)
{
    const ll_scope *around = is_entry ? top_of(files)->scope : NULL;
    bool asked = is_entry && top_of(files)->asked;
    frame *f = push(files, named, is_entry);
    ll_text_str(&f->prefix, files->path);
    f->entries.manifests = files->workspace;
    f->entries.every = files->workspace && is_in_part(files->path);
    name_directory(files);
    int error = read_entries(&f->entries, files->path);
    if (!error) {
        f->scope = around && !f->entries.own ? ll_scope_below(around, files->path, &f->entries.names)
                                             : ll_config_scope(files->config, files->path);
        asked = asked && !f->entries.top && f->scope && ll_scope_minds_git(f->scope);
        f->asked = f->scope && (asked || ask_git(files, f->scope, ll_text_cstr(&f->prefix)));
        return f->scope ? STEP_ON : STEP_TROUBLE;
    }
    ll_config_note_unlisted(files->config, files->path);
    leave_out(f, GAVE_FILES);
    f->scope = around ? around : ll_config_scope_of(files->config, files->path);
    return f->scope ? give(files, out, (ll_file){.path = files->path, .scope = f->scope, .error = error})
                    : STEP_TROUBLE;
}

static bool ends_in_slash(const char *real)
{
    return real[strlen(real) - 1] == '/';
}

/* Finds the real paths of the named directories, when the first link is seen. */
static void learn_trees(ll_files *files)
{
    for (size_t i = 0; !files->trees_known && i < files->named.count; i++) {
        const item *named = &files->named.items[i];
        char *real = named->kind == KIND_DIRECTORY ? ll_os_real_path(*named->name ? named->name : ".") : NULL;
        if (real) {
            *LL_ARRAY_ADD(&files->trees, &ll_heap) =
                ll_arena_copy(&files->named.names, real, strlen(real) - ends_in_slash(real));
        }
        free(real);
    }
    files->trees_known = true;
}

/* Does files->path lead to a file outside all named directories? */
static bool leads_out(ll_files *files)
{
    learn_trees(files);
    char *target = ll_os_real_path(files->path);
    bool out = target;
    for (size_t i = 0; out && i < files->trees.count; i++) {
        out = !ll_path_holds(files->trees.items[i], target);
    }
    free(target);
    return out;
}

/* Links inside directories are followed only to files in a named directory. A broken link is followed, too, so that it
 * is reported as unreadable. */
static bool is_followed(ll_files *files)
{
    ll_os_kind kind = ll_os_kind_of(files->path);
    if (kind == LL_OS_DIRECTORY || kind == LL_OS_OTHER) {
        top_of(files)->lacks = true;
        return false;
    }
    if (kind != LL_OS_FILE || !leads_out(files)) {
        return true;
    }
    if (files->left_links++ == 0) {
        files->first_link = ll_arena_copy(&files->named.names, files->path, strlen(files->path));
    }
    leave_out(top_of(files), GAVE_LINKS);
    return false;
}

/* Takes the next entry of the topmost frame; its path is in files->path. */
static step take_entry(ll_files *files, ll_file *out)
{
    frame *f = top_of(files);
    const item *entry = &f->entries.items[f->next++];
    bool is_directory = entry->kind == KIND_DIRECTORY;
    size_t end = strlen(files->path) - is_directory;
    bool ignored = f->asked && ll_ignored_holds(files->ignored, files->path);
    files->path[end] = '\0';
    if (ignored || ll_scope_excludes(f->scope, files->path, is_directory)) {
        leave_out(f, ignored ? GAVE_IGNORED : GAVE_EXCLUDED);
        return STEP_ON;
    }
    if (is_directory) {
        files->path[end] = '/';
        return enter(files, NOT_NAMED, true, out);
    }
    bool odd = entry->odd && (!entry->asks || is_no_archive(files->path));
    bool told = odd && f->entries.every;
    if ((odd && entry->asks && !told) || (entry->kind == KIND_LINK && !is_followed(files))) {
        return STEP_ON;
    }
    if (told) {
        if (in_shard(files->options, files->path)) {
            tell(files, f->scope, ll_workspace_add_name);
        }
        return STEP_ON;
    }
    if (odd && !ll_scope_crosses(f->scope)) {
        return STEP_ON;
    }
    f->gave = GAVE_FILES;
    return give(files, out, (ll_file){.path = files->path, .scope = f->scope, .is_manifest = odd});
}

/* Takes the next named item. `is_entry`: it is also the next entry of the topmost frame, which is consumed. */
static step take_named(ll_files *files, bool is_entry, ll_file *out)
{
    size_t index = files->next_named++;
    item *named = &files->named.items[index];
    bool is_directory = named->kind == KIND_DIRECTORY;
    if (is_entry) {
        top_of(files)->next++;
        note(top_of(files), is_directory ? GAVE_NOTHING : GAVE_FILES);
    }
    set_path(files, "", 0, named->name);
    if (is_directory) {
        name_directory(files);
    }
    const ll_scope *scope = NULL;
    if (!is_directory || files->options->force_exclude) {
        scope = ll_config_scope_of(files->config, files->path);
        if (!scope) {
            return STEP_TROUBLE;
        }
    }
    /* Patterns for paths inside the current directory exclude neither it nor anything above it. */
    bool has_name = strcmp(files->path, ".") != 0 && *ll_path_name(files->path);
    if (files->options->force_exclude && has_name &&
        (ll_scope_excludes(scope, files->path, is_directory) || is_ignored(files, scope, named->name))) {
        named->gave = GAVE_EXCLUDED;
        if (is_entry) {
            top_of(files)->lacks = true;
        }
        return STEP_ON;
    }
    if (is_directory) {
        set_path(files, "", 0, named->name);
        return enter(files, index, is_entry, out);
    }
    bool is_stdin = named->kind == KIND_STDIN;
    bool joins = !is_stdin && files->workspace && is_manifest(files->path) && ll_scope_crosses(scope);
    return give(files, out, (ll_file){.path = files->path, .scope = scope, .is_stdin = is_stdin, .is_manifest = joins});
}

ll_next ll_files_next(ll_files *files, ll_file *out)
{
    step result = STEP_ON;
    while (result == STEP_ON) {
        while (top_of(files) && top_of(files)->next == top_of(files)->entries.count) {
            pop(files);
        }
        const frame *f = top_of(files);
        const item *named = files->next_named < files->named.count ? &files->named.items[files->next_named] : NULL;
        if (f) {
            set_path(files, f->prefix.data, f->prefix.length, f->entries.items[f->next].name);
        }
        if (!f && !named) {
            return LL_NEXT_END;
        }
        int order = !named ? 1 : !f ? -1 : strcmp(named->name, files->path);
        if (order > 0 ||
            (order == 0 && named->kind == KIND_STDIN)) { /* standard input is not a duplicate of a file with its name */
            result = take_entry(files, out);
        } else {
            result = take_named(files, order == 0, out);
        }
    }
    return result == STEP_FILE ? LL_NEXT_FILE : LL_NEXT_TROUBLE;
}

size_t ll_files_ahead(const ll_files *files)
{
    size_t n = files->named.count - files->next_named;
    for (size_t i = 0; i < files->frames.count; i++) {
        n += files->frames.items[i].entries.count - files->frames.items[i].next;
    }
    return n;
}

/* ------------------------------------------------------------------ afterwards */

bool ll_files_notices(const ll_files *files)
{
    char known[128] = "";
    size_t used = 0;
    bool required = files->options->require_files;
    const char *lead = required ? "" : "notice: ";
    bool all = files->named.count > 0;
    static const char *const why[] = {
        [GAVE_LINKS] = ": it contains only links that lead out of it", /* another notice reports these links */
        [GAVE_IGNORED] = ": Git ignores its files; --no-ignore checks them",
        [GAVE_EXCLUDED] = ": the include and exclude patterns leave out its files",
        [GAVE_NOTHING] = " (known:",
    };
    for (const char *const *e = ll_extensions(); *e && used + strlen(*e) + 2 < sizeof known; e++) {
        used += (size_t)snprintf(known + used, sizeof known - used, " %s", *e);
    }
    if (files->left_links && files->options->verbosity > -2) {
        (void)ll_say("notice: links that lead out of the given directories are not followed: %" PRIu64
                     ", the first is '%s'; to follow a link, give its path",
                     files->left_links, files->first_link);
    }
    for (size_t i = 0; i < files->next_named; i++) {
        const item *named = &files->named.items[i];
        int n = (int)strlen(named->name);
        const char *name = n ? named->name : ".";
        n = n > 1 ? n - 1 : 1; /* without the trailing slash */
        if (named->kind != KIND_DIRECTORY || named->gave == GAVE_FILES) {
            continue;
        }
        all = false;
        if (required || (files->options->verbosity > -2 && named->gave != GAVE_LINKS)) {
            (void)ll_say("%sno file to check in '%.*s'%s%s%s", lead, n, name, why[named->gave],
                         named->gave == GAVE_NOTHING ? known : "", named->gave == GAVE_NOTHING ? ")" : "");
        }
    }
    return all;
}

bool ll_files_hold(const ll_files *files, ll_os_id id)
{
    const ll_options *options = files->options;
    ll_os_id source;
    for (size_t i = 0; i < options->setting_count; i++) {
        const ll_setting *setting = &options->settings[i];
        bool reads = setting->option == LL_OPT_RULES || setting->option == LL_OPT_FILES_FROM ||
                     setting->option == LL_OPT_CONFIG ||
                     /* the command baseline reads and replaces it */
                     (setting->option == LL_OPT_BASELINE && options->command != LL_COMMAND_BASELINE);
        if (reads && ll_os_identify(setting->value, &source) && ll_os_same(source, id)) {
            return true;
        }
    }
    for (size_t i = 0; i < files->named.count; i++) {
        const item *named = &files->named.items[i];
        if (named->kind == KIND_FILE && ll_os_identify(named->name, &source) && ll_os_same(source, id)) {
            return true;
        }
    }
    return false;
}
