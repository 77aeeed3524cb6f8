/* Names, opens and writes the journal of `fix`. */
#include "cli/journal.h"

#include "base/path.h"
#include "cli/config/path.h"
#include "cli/git.h"
#include "cli/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_START "lightlint-undo-"
#define NAME_END ".jsonl"

enum { PATH_SIZE = 4096, NUMBERS = 1000 };

bool ll_is_log(const char *path)
{
    const char *name = ll_path_name(path);
    size_t n = strlen(name), start = sizeof NAME_START - 1, end = sizeof NAME_END - 1;
    return n > start + end && strncmp(name, NAME_START, start) == 0 && strcmp(name + n - end, NAME_END) == 0;
}

void ll_log_init(ll_log *log, const ll_options *options)
{
    *log = (ll_log){.options = options, .stream = -1};
    ll_text_init(&log->path, &ll_heap);
}

bool ll_log_close(ll_log *log)
{
    bool fine = log->stream < 0 || ll_os_close(log->stream) == 0;
    ll_text_free(&log->path);
    return fine;
}

/* ------------------------------------------------------------------ where it is placed */

/* Real path of an operand if it is a directory, else of the directory that contains it, without trailing slash; free()
 * it. NULL if it does not exist. */
static char *folder_of(const char *operand)
{
    char *real = ll_os_real_path(operand);
    bool itself = real && ll_os_kind_of(real) == LL_OS_DIRECTORY;
    if (!real) { /* a pattern, on Windows */
        ll_text above;
        ll_text_init(&above, &ll_heap);
        ll_text_put(&above, operand, (size_t)(ll_path_name(operand) - operand));
        real = ll_os_real_path(above.length ? ll_text_cstr(&above) : ".");
        ll_text_free(&above);
        itself = true;
    }
    size_t n = real ? strlen(real) : 0;
    size_t name = real && !itself ? strlen(ll_path_name(real)) : 0;
    n -= name;
    if (real) {
        real[n && real[n - 1] == '/' ? n - 1 : n] = '\0';
    }
    return real;
}

/* The deepest folder that contains all operands; free() it. The current one if there are no operands or no common
 * folder. */
static char *common_folder(const ll_options *options)
{
    char *common = NULL;
    bool any = true;
    for (size_t i = 0; i < options->operand_count && any; i++) {
        char *folder = folder_of(options->operands[i]);
        if (folder && common) {
            while (any && !ll_path_holds(common, folder)) {
                char *slash = strrchr(common, '/');
                any = slash;
                common[any ? slash - common : 0] = '\0';
            }
            free(folder);
        } else {
            common = folder ? folder : common;
        }
    }
    if (common && any) {
        return common;
    }
    free(common);
    return folder_of(".");
}

/* Sets log->path to the journal's name in `folder`, relative to the current directory. */
static void name_it(ll_log *log, const char *here, const char *folder, const char *date, unsigned number)
{
    char name[sizeof NAME_START + LL_OS_DATE + sizeof "-1000" + sizeof NAME_END];
    char path[PATH_SIZE];
    char again[sizeof "-1000"] = "";
    if (number > 1) {
        (void)snprintf(again, sizeof again, "-%u", number % (NUMBERS + 1));
    }
    (void)snprintf(name, sizeof name, NAME_START "%s%s" NAME_END, date, again);
    ll_text_clear(&log->path);
    if (here && ll_path_between(here, folder, name, path, sizeof path)) {
        ll_text_str(&log->path, path);
    } else {
        ll_text_format(&log->path, "%s/%s", folder, name);
    }
}

static int open_stream(ll_log *log)
{
    int error = ll_os_log_open(ll_text_cstr(&log->path), &log->stream);
    log->stream = error ? -1 : log->stream;
    return error;
}

/* Creates a journal with a name not yet used. */
static bool open_new(ll_log *log)
{
    char date[LL_OS_DATE];
    if (!ll_os_today(date)) {
        return ll_say("SOURCE_DATE_EPOCH: not a number of seconds since 1970; the journal's name needs it");
    }
    char *here = folder_of(".");
    char *folder = common_folder(log->options);
    int error = 0;
    for (unsigned number = 1; number <= NUMBERS && folder && log->stream < 0; number++) {
        name_it(log, here, folder, date, number);
        if (!ll_os_is_there(ll_text_cstr(&log->path))) {
            error = open_stream(log);
            number = error ? NUMBERS : number;
        }
    }
    free(here);
    free(folder);
    return log->stream >= 0 ||
           ll_say("%s: %s; files that Git does not hold are not changed without a journal. Choose another file with "
                  "--journal FILE, or use --no-journal",
                  ll_text_cstr(&log->path),
                  error ? ll_os_error_text(error) : "too many journals of today already exist");
}

/* ------------------------------------------------------------------ contents */

bool ll_log_open(ll_log *log)
{
    const char *path = log->options->journal;
    ll_os_buffer buffer = {0};
    ll_journal *journal = NULL;
    ll_problem problem = {0};
    if (!path) {
        return true;
    }
    ll_text_str(&log->path, path);
    int error = ll_os_is_there(path) ? ll_os_read(&buffer, path) : 0;
    ll_status status = error ? LL_OK : ll_journal_create(NULL, buffer.bytes, buffer.size, &journal, &problem);
    ll_journal_free(journal);
    ll_os_buffer_free(&buffer);
    error = error || status != LL_OK ? error : open_stream(log);
    return error ? ll_say_error(path, error) : ll_accept(status, path, &problem);
}

static bool append(void *ctx, const char *bytes, size_t size)
{
    ll_text_put(ctx, bytes, size);
    return true;
}

bool ll_log_note(ll_log *log, ll_fix *fix, const ll_replacement *r, bool first)
{
    if (log->options->no_journal) {
        return true;
    }
    if (first) {
        log->held = !log->options->journal && ll_git_holds(r->path, r->was, r->was_size);
        log->in_git += log->held;
    }
    if (log->held) {
        return true;
    }
    log->failed = log->failed || (log->stream < 0 && !open_new(log));
    if (log->failed) {
        return false;
    }
    ll_text text;
    ll_fix_place place = {r->path, r->was, r->is, r->was_size, r->is_size, r->offset};
    ll_text_init(&text, &ll_heap);
    ll_need(ll_fix_note(fix, &place, append, &text));
    int error = ll_os_log_write(log->stream, text.data, text.length);
    ll_text_free(&text);
    log->noted += !error;
    return !error || ll_say_error(ll_text_cstr(&log->path), error);
}

void ll_log_put_way_back(ll_log *log, ll_text *out)
{
    const char *path = ll_text_cstr(&log->path);
    const char *quote = strpbrk(path, " &()'") ? "\"" : "";
    if (log->noted) {
        ll_text_format(out, "To undo: lightlint fix --undo %s", quote);
        ll_text_escape(out, path, strlen(path));
        ll_text_format(out, "%s\n", quote);
    }
    if (log->in_git) {
        ll_text_format(out, "To undo: git checkout HEAD -- FILE, for %" PRIu64 " file%s that Git holds\n", log->in_git,
                       log->in_git == 1 ? "" : "s");
    }
}
