/* The command `fix`. run.c reads and lints the files, one after the other, so that what a link leads to is fixed once;
 * the library applies the patches; here files are replaced, and what they were is noted down before. */
#include "cli/check.h"
#include "cli/commands.h"
#include "cli/output.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct totals {
    uint64_t files, changed, patches, left_out, findings;
} totals;

typedef struct fixing {
    const ll_options *options;
    ll_known known;
    ll_fix *fix;
    ll_ruleset *judge;   /* NULL: the rules in force see everything that the command line does not leave out */
    const ll_work *work; /* at hand, and how it is linted: */
    ll_lint_options lint;
    char identities[2][LL_CONFIG_PATH_MAX];
    const ll_ruleset *chosen_rules; /* of which are: */
    bool *chosen;                   /* by rule, what --rule names; NULL: all */
    ll_os_buffer again;
    ll_out out;
    int log; /* of --journal; -1: there is none */
    totals totals;
    bool yes, no; /* for all that follow, by who was asked */
    bool trouble;
} fixing;

/* ------------------------------------------------------------------ replacing a file */

/* What a file is to be, and must be still. */
typedef struct replacement {
    const char *path;
    const void *was, *is;
    size_t was_size, is_size;
} replacement;

static bool say_error(const char *path, int error)
{
    return ll_say("%s: %s", path, ll_os_error_text(error));
}

/* Writes a whole file; `like` NULL, or the file whose owner and mode it gets. */
static bool write_file(const char *path, const char *like, const void *bytes, size_t size)
{
    ll_os_target *target = NULL;
    int error = ll_os_target_open(path, &target);
    if (error) {
        return say_error(path, error);
    }
    error = ll_os_target_write(target, bytes, size);
    if (error) {
        ll_os_target_abandon(target);
        return say_error(path, error);
    }
    if (like) {
        ll_os_target_like(target, like);
    }
    error = ll_os_target_commit(target);
    return !error || say_error(path, error);
}

static bool back_up(const replacement *r, const char *suffix)
{
    ll_text name;
    ll_text_init(&name, &ll_heap);
    ll_text_format(&name, "%s%s", r->path, suffix);
    const char *path = ll_text_cstr(&name);
    bool done = ll_os_is_there(path) ? ll_say("%s: '%s' is there already; not replaced", r->path, path)
                                     : write_file(path, r->path, r->was, r->was_size);
    ll_text_free(&name);
    return done;
}

static bool is_as_read(const replacement *r, ll_os_buffer *buffer)
{
    int error = ll_os_read(buffer, r->path);
    if (error) {
        return say_error(r->path, error);
    }
    bool same = buffer->size == r->was_size && (!buffer->size || memcmp(buffer->bytes, r->was, buffer->size) == 0);
    return same || ll_say("%s: changed by somebody else meanwhile; not replaced", r->path);
}

static bool append_text(void *ctx, const char *bytes, size_t size)
{
    ll_text_put(ctx, bytes, size);
    return true;
}

/* Before the file is replaced, and on the disk when this returns. */
static bool note_down(const fixing *f)
{
    ll_text text;
    ll_text_init(&text, &ll_heap);
    ll_need(ll_fix_print(f->fix, "journal", true, append_text, &text));
    int error = ll_os_log_write(f->log, text.data, text.length);
    ll_text_free(&text);
    return !error || say_error(f->options->journal, error);
}

/* f NULL: nothing is kept, nothing noted down. */
static bool replace(const fixing *f, const replacement *r, ll_os_buffer *buffer)
{
    int hold = -1;
    if (ll_os_is_shared(r->path)) {
        return ll_say("%s: the file has other names (hard links), which would not change; not replaced", r->path);
    }
    int error = ll_os_hold(r->path, true, &hold);
    if (error) {
        return say_error(r->path, error);
    }
    bool done = is_as_read(r, buffer) && (!f || !f->options->backup || back_up(r, f->options->backup)) &&
                (!f || f->log < 0 || note_down(f)) && write_file(r->path, NULL, r->is, r->is_size);
    ll_os_release(hold);
    return done;
}

/* ------------------------------------------------------------------ which patches */

/* The first letter of a line of the terminal, 'q' at its end. */
static char read_answer(void)
{
    char first = '\0';
    for (char c = '\0'; c != '\n';) {
        size_t size = 0;
        if (ll_os_source_read(LL_OS_STDIN, &c, 1, &size) != 0 || !size) {
            return 'q';
        }
        first = first ? first : c;
    }
    return ll_lower(first);
}

static void put_question(const fixing *f, const ll_finding *finding, ll_text *out)
{
    const ll_patch *patch = &finding->patch;
    const char *name = ll_report_name(f->work->report);
    ll_text_escape(out, name, strlen(name));
    ll_text_format(out, ": %s[%s %s] %s\n  patch: %s, at +0x%llx: ", ll_severity_text(finding->severity), finding->id,
                   finding->name, finding->message, patch->tier == LL_PATCH_SAFE ? "safe" : "unsafe",
                   (unsigned long long)patch->offset);
    ll_text_str(out, patch->removed ? "" : "add ");
    ll_text_bytes(out, patch->bytes, patch->size < 32 ? patch->size : 32);
    ll_text_format(out, "%s (%s)\nApply it? [y, n, a: all, q: none] ", patch->size > 32 ? " .." : "", finding->fix);
}

static bool ask(fixing *f, const ll_finding *finding)
{
    char answer = '\0';
    ll_text text;
    ll_text_init(&text, &ll_heap);
    put_question(f, finding, &text);
    while (!answer || !strchr("ynaq", answer)) {
        (void)ll_os_write(LL_OS_STDERR, text.data, text.length);
        answer = read_answer();
    }
    ll_text_free(&text);
    f->yes = answer == 'a';
    f->no = answer == 'q';
    return answer == 'y' || f->yes;
}

/* Of ll_fix_options. */
static bool wants(void *ctx, const ll_finding *finding)
{
    fixing *f = ctx;
    bool chosen = !f->chosen || f->chosen[finding->rule];
    return chosen && !f->no && (f->yes || !f->options->interactive || ask(f, finding));
}

static ll_status mark(void *ctx, ll_report *report)
{
    fixing *f = ctx;
    ll_work work = *f->work;
    work.report = report;
    return ll_known_mark(&f->known, &work);
}

/* The rules that --rule names, among those in force for a file. Where other packs hold, a selector may match nothing,
 * unless `strict`. */
static bool choose(fixing *f, const ll_ruleset *rules, bool strict)
{
    size_t at = 0;
    if (!ll_options_given(f->options, LL_OPT_RULE) || f->chosen_rules == rules) {
        return true;
    }
    free(f->chosen);
    f->chosen = ll_os_alloc(ll_ruleset_count(rules), sizeof *f->chosen);
    f->chosen_rules = rules;
    for (const char *list; (list = ll_options_next(f->options, LL_OPT_RULE, &at)) != NULL;) {
        for (size_t n = strcspn(list, ",");; list += n + 1, n = strcspn(list, ",")) {
            char selector[256] = "";
            ll_problem problem = {0};
            if (n == 0 || n >= sizeof selector) {
                return ll_say("--rule: a selector is %s", n ? "too long" : "empty");
            }
            memcpy(selector, list, n);
            ll_status status = ll_ruleset_choose(rules, selector, f->chosen, &problem);
            if ((strict || status != LL_E_PACK) && !ll_accept(status, "--rule", &problem)) {
                return false;
            }
            if (!list[n]) {
                break;
            }
        }
    }
    return true;
}

/* ------------------------------------------------------------------ one file */

static bool find_known(void *ctx, ll_file *file)
{
    fixing *f = ctx;
    return ll_known_find(&f->known, file);
}

/* Is there a patch that may be tried? Says why a file was not looked at. */
static bool has_patches(fixing *f, const ll_work *work)
{
    ll_summary sum;
    ll_finding finding;
    bool any = false;
    ll_report_summary(work->report, &sum);
    for (size_t i = 0; i < ll_report_finding_count(work->report); i++) {
        ll_need(ll_report_finding(work->report, i, &finding));
        if (sum.failed && finding.unread) {
            (void)ll_say("%s: %s", ll_report_name(work->report), finding.message);
        }
        bool known = finding.mark.kind != LL_MARK_NONE && !f->options->marked;
        bool tier =
            finding.patch.tier == LL_PATCH_SAFE || (finding.patch.tier == LL_PATCH_UNSAFE && f->options->unsafe);
        any = any || (tier && !known && (!f->chosen || f->chosen[finding.rule]));
    }
    if (any && work->is_member) {
        (void)ll_say("notice: %s: a member of an archive, which is not changed; unpack it, and fix the file",
                     work->file->path);
    }
    return any && !work->is_member && work->bytes;
}

/* Lints what the file is now into the report of the run, which counts what is left. */
static ll_status look_again(fixing *f, const ll_work *work, const void *bytes, size_t size)
{
    ll_status status = ll_lint(work->file->profile->rules, bytes, size, &f->lint, work->report);
    return status == LL_OK ? ll_known_mark(&f->known, work) : status;
}

/* As run.c lints the file. */
static void keep_options(fixing *f, const ll_work *work)
{
    const ll_file *file = work->file;
    f->work = work;
    f->lint =
        (ll_lint_options){.size = sizeof f->lint,
                          .name = file->path,
                          .identity = ll_scope_identity(file->scope, file->path, f->identities[0]),
                          .variant = file->profile->game,
                          .allow_unsupported = file->profile->allow_unsupported,
                          .baseline_identity = ll_scope_baseline_identity(file->scope, file->path, f->identities[1])};
}

static ll_status apply_patches(fixing *f, const ll_work *work)
{
    ll_fix_options options = {.size = sizeof options,
                              .tier = f->options->unsafe ? LL_PATCH_UNSAFE : LL_PATCH_SAFE,
                              .marked = f->options->marked,
                              .judge = f->judge,
                              .wants = f->chosen || f->options->interactive ? wants : NULL,
                              .mark = mark,
                              .ctx = f};
    replacement r = {.path = work->file->path, .was = work->bytes, .was_size = work->size};
    keep_options(f, work);
    ll_status status = ll_fix_run(f->fix, work->file->profile->rules, work->bytes, work->size, &f->lint, &options);
    if (status != LL_OK) {
        return status;
    }
    size_t applied = ll_fix_result(f->fix, &r.is, &r.is_size);
    bool written = applied && !f->options->diff && replace(f, &r, &f->again);
    f->trouble = f->trouble || (applied && !f->options->diff && !written);
    f->totals.changed += written || (applied && f->options->diff);
    f->totals.patches += applied;
    f->totals.left_out += ll_fix_count(f->fix) - applied;
    if (f->options->verbosity > -2 || strcmp(f->options->format, "text") != 0) {
        status = ll_fix_print(f->fix, f->options->format, written, ll_out_write, &f->out);
    }
    status = status == LL_E_WRITE ? LL_OK : status; /* the stream says so when it is closed */
    return status == LL_OK && written ? look_again(f, work, r.is, r.is_size) : status;
}

static ll_status fix_file(void *ctx, const ll_work *work)
{
    fixing *f = ctx;
    ll_summary sum;
    ll_status status = ll_known_mark(&f->known, work);
    if (status == LL_OK && !choose(f, work->file->profile->rules, false)) {
        return LL_E_ARGUMENT;
    }
    if (status == LL_OK && has_patches(f, work)) {
        status = apply_patches(f, work);
    }
    ll_report_summary(work->report, &sum);
    f->totals.files += !work->is_member;
    f->totals.findings += sum.errors + sum.warnings + sum.notes;
    return status;
}

/* ------------------------------------------------------------------ the command */

static void print_totals(fixing *f, int code)
{
    const totals *t = &f->totals;
    const ll_options *o = f->options;
    if (strcmp(o->format, "jsonl") == 0) {
        ll_out_print(&f->out,
                     "{\"type\":\"summary\",\"schema\":1,\"written\":%s,\"files\":%" PRIu64 ",\"changed\":%" PRIu64
                     ",\"patches\":%" PRIu64 ",\"left_out\":%" PRIu64 ",\"findings_left\":%" PRIu64
                     ",\"exit_code\":%d}\n",
                     o->diff ? "false" : "true", t->files, t->changed, t->patches, t->left_out, t->findings, code);
    } else if (strcmp(o->format, "text") == 0 &&
               (o->verbosity > -1 || (t->findings + t->patches && o->verbosity > -2))) {
        ll_out_print(&f->out,
                     "%" PRIu64 " file%s checked, %" PRIu64 " %s by %" PRIu64 " patch%s, %" PRIu64
                     " left out; findings %s: %" PRIu64 ".\n",
                     t->files, t->files == 1 ? "" : "s", t->changed, o->diff ? "would be changed" : "changed",
                     t->patches, t->patches == 1 ? "" : "es", t->left_out, o->diff ? "now" : "left", t->findings);
    }
}

/* A file that is something else is not added to. */
static bool open_journal(fixing *f)
{
    const char *path = f->options->journal;
    ll_os_buffer buffer = {0};
    ll_journal *journal = NULL;
    ll_problem problem = {0};
    int error = ll_os_is_there(path) ? ll_os_read(&buffer, path) : 0;
    ll_status status = error ? LL_OK : ll_journal_create(NULL, buffer.bytes, buffer.size, &journal, &problem);
    ll_journal_free(journal);
    ll_os_buffer_free(&buffer);
    error = error || status != LL_OK ? error : ll_os_log_open(path, &f->log);
    f->log = error ? -1 : f->log;
    return error ? say_error(path, error) : ll_accept(status, path, &problem);
}

static bool prepare(fixing *f, ll_config *config)
{
    const ll_options *o = f->options;
    ll_problem problem = {0};
    bool baseline = false;
    bool narrowed = ll_options_given(o, LL_OPT_SELECT) || ll_options_given(o, LL_OPT_IGNORE) ||
                    ll_options_given(o, LL_OPT_SEVERITY);
    if (!ll_known_open(&f->known, o, config, &baseline) || !choose(f, ll_config_base(config)->rules, true)) {
        return false;
    }
    if (o->interactive && !(ll_os_is_terminal(LL_OS_STDIN) && ll_os_is_terminal(LL_OS_STDERR))) {
        return ll_say("--interactive needs a terminal");
    }
    if (narrowed) {
        ll_need(ll_ruleset_create(NULL, &f->judge));
        ll_need(ll_ruleset_seal(f->judge, &problem));
    }
    ll_need(ll_fix_create(NULL, &f->fix));
    return !o->journal || open_journal(f);
}

static int run(fixing *f, ll_config *config)
{
    ll_options one = *f->options;
    one.jobs = 1;
    one.verbosity = one.verbosity < -1 ? one.verbosity : -1; /* no word on progress between the lines */
    ll_plan plan = {.options = &one,
                    .config = config,
                    .target = f->options->journal,
                    .findings_fail = true,
                    .changes_files = !f->options->diff,
                    .ctx = f,
                    .admit = find_known,
                    .after = fix_file};
    if (!ll_out_open(&f->out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    int code = ll_run_files(&plan, NULL);
    bool pending = f->options->diff && f->totals.changed;
    code = f->trouble ? LL_EXIT_TROUBLE : code == LL_EXIT_CLEAN && pending ? LL_EXIT_FINDINGS : code;
    print_totals(f, code);
    return ll_out_close(&f->out) ? code : LL_EXIT_TROUBLE;
}

int ll_fix_command(const ll_options *options, ll_config *config)
{
    fixing f = {.options = options, .log = -1};
    int code = prepare(&f, config) ? run(&f, config) : LL_EXIT_TROUBLE;
    if (f.log >= 0 && ll_os_close(f.log) != 0) {
        code = LL_EXIT_TROUBLE;
    }
    ll_fix_free(f.fix);
    ll_ruleset_free(f.judge);
    ll_os_buffer_free(&f.again);
    free(f.chosen);
    ll_known_close(&f.known);
    return code;
}

/* ------------------------------------------------------------------ undoing */

typedef struct undoing {
    ll_journal *journal;
    ll_os_buffer buffer, again;
    ll_text name;
    uint64_t done, nothing;
} undoing;

/* The path of an entry, with the bytes that stand as \xNN where there is no file of the name as it is. */
static const char *path_of(undoing *u, const ll_journal_entry *entry)
{
    if (ll_os_is_there(entry->file)) {
        return entry->file;
    }
    ll_text_clear(&u->name);
    for (const char *at = entry->file; *at;) {
        ll_text_char(&u->name, (char)ll_unescaped_byte(&at));
    }
    const char *path = ll_text_cstr(&u->name);
    return ll_os_is_there(path) ? path : entry->file;
}

static bool undo_entry(undoing *u, size_t index, const ll_journal_entry *entry)
{
    ll_undo outcome = LL_UNDO_OTHER;
    const char *path = path_of(u, entry);
    replacement r = {.path = path};
    int error = ll_os_read(&u->buffer, path);
    if (error) {
        return say_error(path, error);
    }
    r.was = u->buffer.bytes;
    r.was_size = u->buffer.size;
    ll_need(ll_journal_undo(u->journal, index, r.was, r.was_size, &outcome, &r.is, &r.is_size));
    if (outcome == LL_UNDO_OTHER) {
        return ll_say("%s: not what the journal left behind (line %u); it stays as it is", path, entry->line);
    }
    u->nothing += outcome == LL_UNDO_NOTHING;
    u->done += outcome == LL_UNDO_DONE;
    return outcome == LL_UNDO_NOTHING || replace(NULL, &r, &u->again);
}

static bool undo_all(undoing *u, const ll_options *options)
{
    ll_problem problem = {0};
    ll_journal_entry entry;
    size_t count = 0;
    bool fine = true;
    int error = ll_os_read(&u->buffer, options->undo);
    if (error) {
        return say_error(options->undo, error);
    }
    ll_status status = ll_journal_create(NULL, u->buffer.bytes, u->buffer.size, &u->journal, &problem);
    if (!ll_accept(status, options->undo, &problem)) {
        return false;
    }
    while (ll_journal_at(u->journal, count, &entry)) {
        count++;
    }
    while (count > 0 && ll_journal_at(u->journal, --count, &entry)) {
        fine = undo_entry(u, count, &entry) && fine;
    }
    return fine;
}

int ll_fix_undo(const ll_options *options)
{
    undoing u = {.journal = NULL};
    ll_out out;
    ll_text_init(&u.name, &ll_heap);
    bool fine = undo_all(&u, options);
    if (u.journal && options->verbosity > -1 && ll_out_open(&out, NULL, NULL)) {
        ll_out_print(&out, "%" PRIu64 " change%s undone, %" PRIu64 " not there any more.\n", u.done,
                     u.done == 1 ? "" : "s", u.nothing);
        fine = ll_out_close(&out) && fine;
    }
    ll_journal_free(u.journal);
    ll_os_buffer_free(&u.buffer);
    ll_os_buffer_free(&u.again);
    ll_text_free(&u.name);
    return fine ? LL_EXIT_CLEAN : LL_EXIT_TROUBLE;
}
