/* Win32 implementation of os.h: paths, reading, directories, locks and output files. */
#include "cli/os_windows.h"

#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* ------------------------------------------------------------------ names */

char *ll_os_narrow(const wchar_t *text, size_t n)
{
    int units = (int)n; /* a path has at most 32767 units */
    int size = units ? WideCharToMultiByte(CP_UTF8, 0, text, units, NULL, 0, NULL, NULL) : 0;
    char *out = ll_os_alloc((size_t)size + 1, 1);
    (void)WideCharToMultiByte(CP_UTF8, 0, text, units, out, size, NULL, NULL);
    return out;
}

char *ll_os_narrow_path(const wchar_t *text)
{
    char *out = ll_os_narrow(text, wcslen(text));
    ll_path_adopt(out);
    return out;
}

wchar_t *ll_os_wide(const char *text)
{
    int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *out = n > 0 ? ll_os_alloc((size_t)n, sizeof *out) : NULL;
    if (out) {
        (void)MultiByteToWideChar(CP_UTF8, 0, text, -1, out, n);
    }
    return out;
}

/* The directory that a relative path starts from: the current one, of the drive if the path names one; free() it. */
static wchar_t *directory_for(const wchar_t *path)
{
    const wchar_t where[] = {path[0], L':', L'.', 0};
    const wchar_t *from = path[0] && path[1] == L':' ? where : L".";
    DWORD n = GetFullPathNameW(from, 0, NULL, NULL);
    wchar_t *out = ll_os_alloc((size_t)n + 1, sizeof *out);
    (void)GetFullPathNameW(from, n, out, NULL);
    return out;
}

/* Appends the names of `path` to `out`, resolves "." and "..", and returns the new length. `used`: units in `out`; ".."
 * never removes the first `root` of them. */
static size_t put_names(wchar_t *out, size_t root, size_t used, const wchar_t *path)
{
    while (*path) {
        size_t n = wcscspn(path, L"\\");
        if (n == 2 && path[0] == L'.' && path[1] == L'.') {
            while (used > root && out[--used] != L'\\') {
            }
        } else if (n > 0 && !(n == 1 && path[0] == L'.')) {
            out[used++] = L'\\';
            wmemcpy(out + used, path, n);
            used += n;
        }
        path += n + (path[n] == L'\\');
    }
    return used;
}

static size_t put_text(wchar_t *out, size_t used, const wchar_t *text, size_t n)
{
    wmemcpy(out + used, text, n);
    return used + n;
}

/* Writes the prefix, drive or share of an absolute path to `out`, and returns the rest of the path. */
static const wchar_t *put_root(wchar_t *out, size_t *used, const wchar_t *path)
{
    if (path[1] == L':') {
        *used = put_text(out, put_text(out, 0, L"\\\\?\\", 4), path, 2);
        return path + 2;
    }
    size_t server = wcscspn(path + 2, L"\\");
    size_t share = path[2 + server] ? wcscspn(path + 3 + server, L"\\") : 0;
    size_t n = server + share + (path[2 + server] != 0);
    *used = put_text(out, put_text(out, 0, L"\\\\?\\UNC\\", 8), path + 2, n);
    return path + 2 + n;
}

static wchar_t *full_path(const wchar_t *path)
{
    bool is_share = path[0] == L'\\' && path[1] == L'\\';
    bool has_drive = path[0] && path[1] == L':';
    bool absolute = is_share || (has_drive && path[2] == L'\\');
    wchar_t *here = absolute ? NULL : directory_for(path);
    wchar_t *out = ll_os_alloc(wcslen(path) + (here ? wcslen(here) : 0) + 16, sizeof *out);
    size_t root = 0;
    const wchar_t *rest = put_root(out, &root, here ? here : path);
    size_t used = root;
    if (here) {
        used = path[0] == L'\\' ? root : put_names(out, root, root, rest);
        rest = path + (has_drive ? 2 : 0);
    }
    used = put_names(out, root, used, rest);
    used = used == root ? put_text(out, used, L"\\", 1) : used;
    out[used] = 0;
    free(here);
    return out;
}

wchar_t *ll_os_wide_path(const char *path)
{
    wchar_t *wide = ll_os_wide(path);
    if (!wide || !*wide) {
        SetLastError(wide ? ERROR_FILE_NOT_FOUND : ERROR_NO_UNICODE_TRANSLATION);
        free(wide);
        return NULL;
    }
    for (wchar_t *p = wide; *p; p++) {
        *p = *p == L'/' ? L'\\' : *p;
    }
    if (wcscmp(wide, L"\\dev\\null") == 0 || _wcsicmp(wide, L"nul") == 0) {
        (void)wmemcpy(wide, L"NUL", 4);
        return wide;
    }
    if (wcsncmp(wide, L"\\\\?\\", 4) == 0 || wcsncmp(wide, L"\\\\.\\", 4) == 0) {
        return wide;
    }
    wchar_t *out = full_path(wide);
    free(wide);
    return out;
}

/* ------------------------------------------------------------------ opening */

static HANDLE open_as(const char *path, DWORD access, DWORD share, DWORD how, DWORD flags)
{
    wchar_t *wide = ll_os_wide_path(path);
    HANDLE file = wide ? CreateFileW(wide, access, share, NULL, how, flags, NULL) : INVALID_HANDLE_VALUE;
    DWORD error = GetLastError();
    free(wide);
    SetLastError(error);
    return file;
}

HANDLE ll_os_open(const char *path, DWORD access)
{
    return open_as(path, access, SHARE_ALL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
}

static bool has_attribute(HANDLE file, DWORD attribute)
{
    FILE_BASIC_INFO info;
    return GetFileInformationByHandleEx(file, FileBasicInfo, &info, sizeof info) && (info.FileAttributes & attribute);
}

/* Determines the kind from the open file, as the path could be exchanged between two calls. */
static int open_to_read(const char *path, bool any_kind, HANDLE *out)
{
    HANDLE file = *out = ll_os_open(path, GENERIC_READ);
    if (file == INVALID_HANDLE_VALUE) {
        return ll_os_last_error();
    }
    bool regular = GetFileType(file) == FILE_TYPE_DISK;
    int error = !regular && !any_kind                                      ? LL_OS_NO_FILE
                : regular && has_attribute(file, FILE_ATTRIBUTE_DIRECTORY) ? EISDIR
                                                                           : 0;
    if (error) {
        (void)CloseHandle(file);
    }
    return error;
}

uint64_t ll_os_size(int file)
{
    LARGE_INTEGER size;
    HANDLE handle = ll_os_handle(file);
    return GetFileType(handle) == FILE_TYPE_DISK && GetFileSizeEx(handle, &size) ? (uint64_t)size.QuadPart : 0;
}

bool ll_os_map(ll_os_buffer *buffer, int file, size_t size)
{
    HANDLE section = CreateFileMappingW(ll_os_handle(file), NULL, PAGE_READONLY, 0, 0, NULL);
    void *map = section ? MapViewOfFile(section, FILE_MAP_READ, 0, 0, size) : NULL;
    if (section) {
        (void)CloseHandle(section); /* the view keeps it alive */
    }
    if (!map) {
        return false;
    }
    ll_os_catch_page_errors();
    buffer->map = map;
    buffer->map_size = size;
    return true;
}

void ll_os_unmap(void *map, size_t size)
{
    (void)size;
    (void)UnmapViewOfFile(map);
}

int ll_os_read_path(ll_os_buffer *buffer, const char *path, bool any_kind)
{
    HANDLE file;
    int error = open_to_read(path, any_kind, &file);
    if (!error) {
        error = ll_os_read_all(buffer, ll_os_number(file), any_kind ? 0 : ll_os_size(ll_os_number(file)));
        (void)CloseHandle(file);
    }
    return error;
}

int ll_os_source_open(const char *path, int *out)
{
    HANDLE file;
    int error = open_to_read(path, true, &file);
    *out = error ? -1 : ll_os_number(file);
    return error;
}

int ll_os_source_read(int source, char *buffer, size_t capacity, size_t *size)
{
    enum { MOST = 1 << 30 };
    DWORD n = 0;
    bool done = ReadFile(ll_os_handle(source), buffer, capacity < MOST ? (DWORD)capacity : MOST, &n, NULL);
    int error = done ? 0 : ll_os_last_error();
    *size = done ? n : 0;
    return error == EPIPE ? 0 : error; /* EPIPE: the writer has closed its end */
}

void ll_os_source_close(int source)
{
    (void)CloseHandle(ll_os_handle(source));
}

int ll_os_scratch_open(int *sink, int *source)
{
    wchar_t folder[MAX_PATH + 1];
    if (!GetTempPathW(MAX_PATH + 1, folder)) {
        return ll_os_last_error();
    }
    char *place = ll_os_narrow_path(folder);
    size_t n = strlen(place);
    char *stem = ll_os_alloc(n + sizeof "lightlint", 1);
    memcpy(stem, place, n);
    memcpy(stem + n, "lightlint", sizeof "lightlint");
    HANDLE reader = INVALID_HANDLE_VALUE;
    HANDLE writer = INVALID_HANDLE_VALUE;
    int error = EEXIST;
    for (unsigned i = 0; i < 100 && error == EEXIST; i++) {
        char *name = ll_os_temporary_name(stem, GetCurrentProcessId(), i);
        reader = open_as(name, GENERIC_READ | DELETE, SHARE_ALL, CREATE_NEW,
                         FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
        error = reader == INVALID_HANDLE_VALUE ? ll_os_last_error() : 0;
        if (!error) {
            writer = ll_os_open(name, GENERIC_WRITE);
            error = writer == INVALID_HANDLE_VALUE ? ll_os_last_error() : 0;
        }
        free(name);
    }
    free(stem);
    free(place);
    if (error && reader != INVALID_HANDLE_VALUE) {
        (void)CloseHandle(reader);
    }
    *sink = ll_os_number(writer);
    *source = ll_os_number(reader);
    return error;
}

/* ------------------------------------------------------------------ the file system */

static ll_os_kind kind_of_attributes(DWORD attributes)
{
    return attributes & FILE_ATTRIBUTE_DIRECTORY ? LL_OS_DIRECTORY
           : attributes & FILE_ATTRIBUTE_DEVICE  ? LL_OS_OTHER
                                                 : LL_OS_FILE;
}

/* Only links and junctions are links. Other reparse points are files stored elsewhere, such as in a cloud. */
static bool is_link(DWORD attributes, DWORD tag)
{
    return (attributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
           (tag == IO_REPARSE_TAG_SYMLINK || tag == IO_REPARSE_TAG_MOUNT_POINT);
}

ll_os_kind ll_os_kind_of(const char *path)
{
    wchar_t *wide = ll_os_wide_path(path);
    DWORD attributes = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    int error = attributes == INVALID_FILE_ATTRIBUTES ? ll_os_last_error() : 0;
    free(wide);
    if (error) {
        return ll_os_is_missing(error) ? LL_OS_MISSING : LL_OS_HIDDEN;
    }
    if (!(attributes & FILE_ATTRIBUTE_REPARSE_POINT)) {
        return kind_of_attributes(attributes);
    }
    BY_HANDLE_FILE_INFORMATION info;
    HANDLE file = ll_os_open(path, 0);
    if (file == INVALID_HANDLE_VALUE) {
        return LL_OS_LINK;
    }
    bool known = GetFileInformationByHandle(file, &info);
    (void)CloseHandle(file);
    return known ? kind_of_attributes(info.dwFileAttributes) : LL_OS_HIDDEN;
}

static bool identify(HANDLE file, ll_os_id *out, DWORD *links)
{
    BY_HANDLE_FILE_INFORMATION info;
    if (!GetFileInformationByHandle(file, &info)) {
        return false;
    }
    *out = (ll_os_id){info.dwVolumeSerialNumber, (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow};
    *links = info.nNumberOfLinks;
    return true;
}

static bool identify_path(const char *path, ll_os_id *out, DWORD *links)
{
    HANDLE file = ll_os_open(path, 0);
    bool known = file != INVALID_HANDLE_VALUE && identify(file, out, links);
    if (file != INVALID_HANDLE_VALUE) {
        (void)CloseHandle(file);
    }
    return known;
}

bool ll_os_identify(const char *path, ll_os_id *out)
{
    DWORD links;
    return identify_path(path, out, &links);
}

bool ll_os_is_shared(const char *path)
{
    ll_os_id id;
    DWORD links;
    return ll_os_kind_of(path) == LL_OS_FILE && identify_path(path, &id, &links) && links > 1;
}

char *ll_os_real_path(const char *path)
{
    HANDLE file = ll_os_open(path, 0);
    if (file == INVALID_HANDLE_VALUE) {
        return NULL;
    }
    DWORD n = GetFinalPathNameByHandleW(file, NULL, 0, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS);
    wchar_t *wide = ll_os_alloc((size_t)n + 1, sizeof *wide);
    bool known = n && GetFinalPathNameByHandleW(file, wide, n + 1, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS) <= n;
    (void)CloseHandle(file);
    bool is_share = wcsncmp(wide, L"\\\\?\\UNC\\", 8) == 0;
    wchar_t *begin = is_share ? wide + 6 : wcsncmp(wide, L"\\\\?\\", 4) == 0 ? wide + 4 : wide;
    if (is_share) {
        *begin = L'\\'; /* replaces the C of UNC */
    }
    char *real = known ? ll_os_narrow_path(begin) : NULL;
    free(wide);
    return real;
}

int ll_os_list(const char *path, ll_os_entry_fn entry, void *ctx)
{
    WIN32_FIND_DATAW found;
    size_t n = strlen(path);
    char *all = ll_os_alloc(n + 3, 1);
    memcpy(all, path, n);
    memcpy(all + n, "/*", 2);
    wchar_t *wide = ll_os_wide_path(all);
    free(all);
    HANDLE search =
        wide ? FindFirstFileExW(wide, FindExInfoBasic, &found, FindExSearchNameMatch, NULL, FIND_FIRST_EX_LARGE_FETCH)
             : INVALID_HANDLE_VALUE;
    DWORD error = GetLastError();
    free(wide);
    if (search == INVALID_HANDLE_VALUE) { /* an empty root directory has not even "." */
        bool none = error == ERROR_FILE_NOT_FOUND && ll_os_kind_of(path) == LL_OS_DIRECTORY;
        return none ? 0 : ll_os_kind_of(path) == LL_OS_FILE ? ENOTDIR : ll_os_error_of(error);
    }
    do {
        char *name = ll_os_narrow(found.cFileName, wcslen(found.cFileName));
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            entry(ctx, name,
                  is_link(found.dwFileAttributes, found.dwReserved0) ? LL_OS_LINK
                                                                     : kind_of_attributes(found.dwFileAttributes));
        }
        free(name);
    } while (FindNextFileW(search, &found));
    error = GetLastError();
    (void)FindClose(search);
    return error == ERROR_NO_MORE_FILES ? 0 : ll_os_error_of(error);
}

/* ------------------------------------------------------------------ patterns in operands */

typedef struct matching {
    const char *directory; /* with its trailing slash, or "" */
    const char *pattern;
    void (*take)(void *ctx, const char *path);
    void *ctx;
    bool any;
} matching;

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Matches '*' and '?' without regard to the case of ASCII letters, like the shell commands of Windows. */
static bool fits(const char *pattern, const char *name)
{
    const char *star = NULL;
    const char *from = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            from = name;
        } else if (*pattern == '?' || (*pattern && lower(*pattern) == lower(*name))) {
            pattern++;
            name++;
            while (pattern[-1] == '?' && (*name & 0xc0) == 0x80) {
                name++; /* skip the rest of the UTF-8 character */
            }
        } else if (star) {
            pattern = star + 1;
            name = ++from;
        } else {
            return false;
        }
    }
    return !pattern[strspn(pattern, "*")];
}

static void match(void *ctx, const char *name, ll_os_kind kind)
{
    matching *m = ctx;
    (void)kind;
    if ((name[0] == '.' && m->pattern[0] != '.') || !fits(m->pattern, name)) {
        return;
    }
    size_t n = strlen(m->directory);
    size_t size = strlen(name) + 1;
    char *path = ll_os_alloc(n + size, 1);
    memcpy(path, m->directory, n);
    memcpy(path + n, name, size);
    m->any = true;
    m->take(m->ctx, path);
    free(path);
}

/* Full path of "C:name", which is relative to the current directory of the drive; NULL for other operands. free()
 * it. */
static char *with_directory(const char *operand)
{
    wchar_t *wide = ll_path_drive(operand) == 2 && operand[2] != '/' ? ll_os_wide(operand) : NULL;
    DWORD n = wide ? GetFullPathNameW(wide, 0, NULL, NULL) : 0;
    wchar_t *full = n ? ll_os_alloc(n, sizeof *full) : NULL;
    char *out = full && GetFullPathNameW(wide, n, full, NULL) < n ? ll_os_narrow_path(full) : NULL;
    free(full);
    free(wide);
    return out;
}

void ll_os_expand(const char *operand, void (*take)(void *ctx, const char *path), void *ctx)
{
    const char *name = ll_os_last_name(operand);
    size_t n = (size_t)(name - operand);
    matching m = {.pattern = name, .take = take, .ctx = ctx};
    if (strpbrk(name, "*?")) {
        char *directory = ll_os_alloc(n + 1, 1);
        memcpy(directory, operand, n);
        m.directory = directory;
        (void)ll_os_list(n ? directory : ".", match, &m);
        free(directory);
    }
    if (!m.any) {
        char *whole = with_directory(operand);
        take(ctx, whole ? whole : operand);
        free(whole);
    }
}

/* ------------------------------------------------------------------ writing */

enum { CHARACTER_MAX = 4, CONSOLE_MOST = 8192 };

/* Number of bytes before a UTF-8 character that is cut off at the end. */
static size_t whole_characters(const char *bytes, size_t n)
{
    size_t at = n;
    while (at > 0 && n - at < CHARACTER_MAX && (bytes[at - 1] & 0xc0) == 0x80) {
        at--;
    }
    if (at == 0 || n - at >= CHARACTER_MAX) {
        return n;
    }
    unsigned char lead = (unsigned char)bytes[at - 1];
    size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    return n - at + 1 < length ? at - 1 : n;
}

/* Per stream: the first bytes of a character whose rest comes with the next write. */
typedef struct beginning {
    char bytes[CHARACTER_MAX];
    size_t size;
} beginning;

static int write_console(HANDLE console, beginning *kept, const char *bytes, size_t size)
{
    char piece[CONSOLE_MOST + CHARACTER_MAX];
    wchar_t wide[CONSOLE_MOST + CHARACTER_MAX];
    while (size) {
        size_t n = size < CONSOLE_MOST ? size : CONSOLE_MOST;
        memcpy(piece, kept->bytes, kept->size);
        memcpy(piece + kept->size, bytes, n);
        size_t whole = whole_characters(piece, kept->size + n);
        int units =
            whole ? MultiByteToWideChar(CP_UTF8, 0, piece, (int)whole, wide, (int)(sizeof wide / sizeof *wide)) : 0;
        kept->size = kept->size + n - whole;
        memcpy(kept->bytes, piece + whole, kept->size);
        bytes += n;
        size -= n;
        for (int done = 0; done < units;) {
            DWORD written;
            if (!WriteConsoleW(console, wide + done, (DWORD)(units - done), &written, NULL)) {
                return ll_os_last_error();
            }
            done += (int)written;
        }
    }
    return 0;
}

int ll_os_write(int stream, const char *bytes, size_t size)
{
    enum { MOST = 1 << 30 };
    static _Thread_local beginning kept[LL_OS_STDERR + 1];
    HANDLE file = ll_os_handle(stream);
    DWORD mode;
    if (stream <= LL_OS_STDERR && GetConsoleMode(file, &mode)) {
        return write_console(file, &kept[stream], bytes, size);
    }
    while (size) {
        DWORD n = 0;
        if (!WriteFile(file, bytes, size < MOST ? (DWORD)size : MOST, &n, NULL)) {
            return ll_os_last_error();
        }
        bytes += n;
        size -= n;
    }
    return 0;
}

/* Standard streams stay open: several may share a handle, and closing reports no write errors. */
int ll_os_close(int stream)
{
    return stream <= LL_OS_STDERR || CloseHandle(ll_os_handle(stream)) ? 0 : ll_os_last_error();
}

/* ------------------------------------------------------------------ locks */

/* Locks one byte far beyond the end of any file: a Windows lock prevents others from reading the range it covers. */
static int lock(HANDLE file, bool wait)
{
    OVERLAPPED where = {.OffsetHigh = 0x7fffffff};
    DWORD flags = LOCKFILE_EXCLUSIVE_LOCK | (wait ? 0 : LOCKFILE_FAIL_IMMEDIATELY);
    return LockFileEx(file, flags, 0, 1, 0, &where) ? 0 : ll_os_last_error();
}

/* Does the path still name the opened file? */
static bool is_named(HANDLE file, const char *path)
{
    ll_os_id opened;
    ll_os_id named;
    DWORD links;
    return identify(file, &opened, &links) && ll_os_identify(path, &named) && ll_os_same(opened, named);
}

int ll_os_hold(const char *path, bool wait, int *out)
{
    for (;;) {
        HANDLE file = ll_os_open(path, GENERIC_READ | GENERIC_WRITE);
        if (file == INVALID_HANDLE_VALUE) {
            return ll_os_last_error();
        }
        int error = lock(file, wait);
        if (!ll_os_is_held(error) && is_named(file, path)) {
            *out = ll_os_number(file);
            return 0;
        }
        (void)CloseHandle(file);
        if (ll_os_is_held(error)) {
            return error;
        } /* else the file was replaced meanwhile: lock the new one */
    }
}

void ll_os_release(int hold)
{
    if (hold != -1) {
        (void)CloseHandle(ll_os_handle(hold));
    }
}

/* ------------------------------------------------------------------ files that appear when they are complete */

struct ll_os_target {
    HANDLE file;
    size_t slot;     /* index in ll_os_unfinished[] */
    char *path;      /* final name */
    char *temporary; /* current name; NULL if the file is written directly */
};

static void target_free(ll_os_target *target)
{
    if (target->temporary) {
        ll_os_unfinished[target->slot] = NULL;
    }
    free(target->path);
    free(target->temporary);
    free(target);
}

/* Removes a file that a killed process has left. Fails for a file of a running process, which does not share it for
 * deletion. */
void ll_os_remove_leftover(const char *path)
{
    wchar_t *wide = ll_os_wide_path(path);
    if (wide) {
        (void)DeleteFileW(wide);
    }
    free(wide);
}

/* Creates a file beside the target under the first free name, and registers it for the handler of interruptions. */
static int open_temporary(ll_os_target *target)
{
    while (ll_os_unfinished[target->slot]) {
        if (++target->slot == LL_OS_UNFINISHED_MAX) {
            return EMFILE;
        }
    }
    ll_os_remove_leftovers(target->path);
    ll_os_catch_interruption();
    int error = EEXIST;
    for (unsigned i = 0; i < 100 && error == EEXIST; i++) {
        char *name = ll_os_temporary_name(target->path, GetCurrentProcessId(), i);
        target->file = open_as(name, GENERIC_WRITE | DELETE, FILE_SHARE_READ, CREATE_NEW, FILE_ATTRIBUTE_NORMAL);
        error = target->file == INVALID_HANDLE_VALUE ? ll_os_last_error() : 0;
        if (error) {
            free(name);
        } else {
            target->temporary = name;
            ll_os_unfinished[target->slot] = target->file;
        }
    }
    return error;
}

/* Copies attributes and access rights (the DACL), as far as they can be read. */
static void make_like(const char *temporary, const char *path)
{
    wchar_t *from = ll_os_wide_path(path);
    wchar_t *to = ll_os_wide_path(temporary);
    DWORD attributes = from ? GetFileAttributesW(from) : INVALID_FILE_ATTRIBUTES;
    DWORD size = 0;
    if (to && attributes != INVALID_FILE_ATTRIBUTES) {
        (void)GetFileSecurityW(from, DACL_SECURITY_INFORMATION, NULL, 0, &size);
        void *security = ll_os_alloc(size ? size : 1, 1);
        SECURITY_DESCRIPTOR_CONTROL control;
        DWORD revision;
        if (GetFileSecurityW(from, DACL_SECURITY_INFORMATION, security, size, &size) &&
            GetSecurityDescriptorControl(security, &control, &revision)) {
            DWORD inherits = control & SE_DACL_PROTECTED ? PROTECTED_DACL_SECURITY_INFORMATION
                                                         : UNPROTECTED_DACL_SECURITY_INFORMATION;
            (void)SetFileSecurityW(to, DACL_SECURITY_INFORMATION | inherits, security);
        }
        free(security);
        (void)SetFileAttributesW(to, attributes & ~(DWORD)FILE_ATTRIBUTE_READONLY);
    }
    free(from);
    free(to);
}

static int open_target(ll_os_target *target, const char *path)
{
    HANDLE old = ll_os_open(path, GENERIC_WRITE); /* fails for a protected file, which a rename would replace */
    int error = old == INVALID_HANDLE_VALUE ? ll_os_last_error() : 0;
    bool exists = !error;
    if (error && ll_os_kind_of(path) == LL_OS_DIRECTORY) {
        return EISDIR;
    }
    if (error && !ll_os_is_missing(error)) {
        return error;
    }
    if (exists && GetFileType(old) != FILE_TYPE_DISK) {
        target->file = old;
        ll_os_forbid_restart(); /* what was written cannot be taken back */
        return 0;
    }
    if (exists) {
        error = has_attribute(old, FILE_ATTRIBUTE_DIRECTORY)  ? EISDIR
                : has_attribute(old, FILE_ATTRIBUTE_READONLY) ? EACCES
                                                              : 0;
        (void)CloseHandle(old);
    }
    if (exists && error) {
        return error;
    }
    target->path = exists ? ll_os_real_path(path) : NULL; /* follow a link: its target is replaced, the link stays */
    if (!target->path) {
        size_t n = strlen(path) + 1;
        target->path = ll_os_alloc(n, 1);
        memcpy(target->path, path, n);
    }
    error = open_temporary(target);
    if (!error && exists) {
        make_like(target->temporary, target->path);
    }
    return error;
}

int ll_os_target_open(const char *path, ll_os_target **out)
{
    ll_os_target *target = ll_os_alloc(1, sizeof *target);
    int error = open_target(target, path);
    if (error) {
        target_free(target);
        return error;
    }
    *out = target;
    return 0;
}

int ll_os_target_write(ll_os_target *target, const char *bytes, size_t size)
{
    return ll_os_write(ll_os_number(target->file), bytes, size);
}

void ll_os_target_like(ll_os_target *target, const char *path)
{
    if (target->temporary) {
        make_like(target->temporary, path);
    }
}

/* Renames atomically, even if others have the old file open. Works from Windows 10 1709 on, on NTFS. */
static bool rename_over(HANDLE file, const wchar_t *to)
{
    size_t n = wcslen(to) * sizeof *to;
    FILE_RENAME_INFO *info = ll_os_alloc(1, sizeof *info + n);
    info->Flags = 3; /* FILE_RENAME_FLAG_REPLACE_IF_EXISTS | FILE_RENAME_FLAG_POSIX_SEMANTICS */
    info->FileNameLength = (DWORD)n;
    memcpy(info->FileName, to, n);
    bool done = SetFileInformationByHandle(file, (FILE_INFO_BY_HANDLE_CLASS)22 /* FileRenameInfoEx */, info,
                                           (DWORD)(sizeof *info + n));
    free(info);
    return done;
}

/* Fallback for other systems and disks. ReplaceFileW() can replace a file that others have open, but if it fails or is
 * killed half way, there may be no file of that name; after a failure, the new file is moved to the free name. */
static bool replace(const wchar_t *from, const wchar_t *to)
{
    static const DWORD flags = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
    return MoveFileExW(from, to, flags) ||
           ReplaceFileW(to, from, NULL, REPLACEFILE_IGNORE_MERGE_ERRORS | REPLACEFILE_IGNORE_ACL_ERRORS, NULL, NULL) ||
           (GetFileAttributesW(to) == INVALID_FILE_ATTRIBUTES && MoveFileExW(from, to, flags));
}

static int commit_temporary(ll_os_target *target, int *hold)
{
    wchar_t *from = ll_os_wide_path(target->temporary);
    wchar_t *to = ll_os_wide_path(target->path);
    int error = !from || !to || !FlushFileBuffers(target->file) ? ll_os_last_error() : 0;
    bool done = !error && rename_over(target->file, to);
    if (error) {
        ll_os_remove_when_closed(target->file);
    }
    (void)CloseHandle(target->file);
    if (!error && !done && hold) {
        ll_os_release(*hold);
        *hold = -1;
    }
    if (!error && !done && !replace(from, to)) {
        error = ll_os_last_error();
        (void)DeleteFileW(from);
    }
    free(from);
    free(to);
    return error;
}

int ll_os_target_commit(ll_os_target *target, int *hold)
{
    int error = target->temporary ? commit_temporary(target, hold) : CloseHandle(target->file) ? 0 : ll_os_last_error();
    target_free(target);
    return error;
}

void ll_os_target_abandon(ll_os_target *target)
{
    if (target) {
        if (target->temporary) {
            ll_os_remove_when_closed(target->file);
        }
        (void)CloseHandle(target->file);
        target_free(target);
    }
}

/* ------------------------------------------------------------------ files that grow */

int ll_os_log_open(const char *path, int *out)
{
    HANDLE file =
        open_as(path, GENERIC_READ | FILE_APPEND_DATA | SYNCHRONIZE, SHARE_ALL, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL);
    int error = file == INVALID_HANDLE_VALUE ? ll_os_last_error() : 0;
    if (error) {
        *out = -1;
        return ll_os_kind_of(path) == LL_OS_DIRECTORY ? EISDIR : error;
    }
    *out = ll_os_number(file);
    (void)lock(file, true); /* fails on file systems without locks: then no process waits */
    uint64_t size = ll_os_size(*out);
    char last = '\n';
    DWORD n;
    OVERLAPPED end = {.Offset = (DWORD)(size - 1), .OffsetHigh = (DWORD)((size - 1) >> 32)};
    if (size > 0 && ReadFile(file, &last, 1, &n, &end) && n == 1 && last != '\n') {
        error = ll_os_log_write(*out, "\n", 1); /* end the line that a killed run left incomplete */
    }
    if (error) {
        (void)CloseHandle(file);
        *out = -1;
    }
    return error;
}

int ll_os_log_write(int log, const char *bytes, size_t size)
{
    int error = ll_os_write(log, bytes, size);
    return error || FlushFileBuffers(ll_os_handle(log)) ? error : ll_os_last_error();
}
