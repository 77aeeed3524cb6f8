/* The command `fix`. run.c reads and lints the files one by one, so that a file reached by two links is fixed once; the
 * library applies the patches. This file replaces files, including members of archives, and writes the journal before.
 * The run then counts the remaining findings, like `check`. */
#include "cli/check.h"
#include "cli/commands.h"
#include "cli/config/path.h"
#include "cli/journal.h"
#include "cli/output.h"
#include "cli/replace.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Why a finding was not fixed. */
typedef enum reason {
    LEFT_UNREAD,    /* it reports what was not checked */
    LEFT_ACROSS,    /* found by a rule across files */
    LEFT_TRIED,     /* its patch was tried and left out; with --diff: or would be applied */
    LEFT_UNSAFE,    /* its patch is unsafe, and --unsafe was not given */
    LEFT_UNCHOSEN,  /* --rule does not include its rule */
    LEFT_NOTE,      /* it is a note, and neither --rule nor --select was given */
    LEFT_IN_MEMBER, /* it has no patch, and is in a member, where patches must keep the length */
    LEFT_AS_IS,     /* it has no patch */
    LEFT_REASONS
} reason;

typedef struct totals {
    uint64_t files, changed, patches, left_out;
    uint64_t reasons[LEFT_REASONS];
} totals;

/* The contents of a file. */
typedef struct image {
    unsigned char *bytes; /* free() it */
    size_t size, capacity;
} image;

typedef struct fixing {
    const ll_options *options;
    ll_config *config;
    ll_known known;
    ll_fix *fix;
    ll_ruleset *judge;   /* all shipped rules, if options restrict those in force; NULL: they do not */
    const ll_work *work; /* current file; `lint` is how it is linted */
    ll_lint_options lint;
    char identities[2][LL_CONFIG_PATH_MAX];
    const ll_ruleset *chosen_rules; /* rule set of `chosen` */
    bool *chosen;                   /* per rule: --rule includes it; NULL: all rules */
    ll_os_buffer again;
    image images[2]; /* of the current file, used in turn: present contents and next contents */
    unsigned next;
    const unsigned char *now; /* present contents: as read, or in an image */
    size_t now_size;
    bool hit, written; /* hit: patches were applied to the current file; written: it was replaced */
    bool kept;         /* its backup was written */
    bool noted;        /* ll_log_note() was called for it */
    ll_report *member; /* for members of the current archive */
    ll_text name;      /* of the current member */
    ll_text folder;    /* the last folder that was searched for unfinished files */
    ll_out out;
    ll_log log;
    totals totals;
    bool knows;    /* suppressions or a baseline apply to a file */
    bool counting; /* count_again() is running */
    bool yes, no;  /* answer for all further patches */
    bool trouble;
} fixing;

/* ------------------------------------------------------------------ before a file is replaced */

/* Writes the backup, once per file. */
static bool back_up(fixing *f, const ll_replacement *r)
{
    ll_text name;
    ll_text_init(&name, &ll_heap);
    ll_text_format(&name, "%s%s", r->path, f->options->backup);
    const char *path = ll_text_cstr(&name);
    f->kept = f->kept || (ll_os_is_there(path) ? ll_say("%s: '%s' already exists; not replaced", r->path, path)
                                               : ll_write_file(path, r->path, r->was, r->was_size));
    ll_text_free(&name);
    return f->kept;
}

/* An ll_before_fn for ll_replace(). */
static bool keep_what_was(void *ctx, const ll_replacement *r)
{
    fixing *f = ctx;
    bool first = !f->noted;
    f->noted = true;
    return (!f->options->backup || back_up(f, r)) && ll_log_note(&f->log, f->fix, r, first);
}

/* ------------------------------------------------------------------ which patches */

/* Reads a line from the terminal and returns its first letter, 'q' at the end of input. */
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

/* ll_fix_options.wants */
static bool wants(void *ctx, const ll_finding *finding)
{
    fixing *f = ctx;
    bool chosen = !f->chosen || f->chosen[finding->rule];
    bool fits = !f->work->is_member || finding->patch.removed == finding->patch.size;
    return chosen && fits && !f->no && (f->yes || !f->options->interactive || ask(f, finding));
}

static ll_status mark(void *ctx, ll_report *report)
{
    fixing *f = ctx;
    ll_work work = *f->work;
    work.report = report;
    return ll_known_mark(&f->known, &work);
}

/* Finds the rules that --rule selects in the rules of a file. Unless `strict`, a selector may match nothing, as other
 * packs may be in force. */
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

/* ll_plan.admit. Also removes unfinished files that a killed run left in the file's folder. */
static bool find_known(void *ctx, ll_file *file)
{
    fixing *f = ctx;
    size_t n = (size_t)(ll_path_name(file->path) - file->path);
    bool same = f->folder.length == n && (n == 0 || memcmp(f->folder.data, file->path, n) == 0);
    if (!f->options->diff && (!same || !f->totals.files)) {
        ll_text_clear(&f->folder);
        ll_text_put(&f->folder, file->path, n);
        ll_os_remove_leftovers(file->path);
    }
    return ll_known_find(&f->known, file);
}

/* Notes are fixed only if the command line selects rules. */
static bool names_rules(const fixing *f)
{
    return ll_options_given(f->options, LL_OPT_RULE) || ll_options_given(f->options, LL_OPT_SELECT);
}

static reason reason_of(const fixing *f, const ll_work *work, const ll_finding *finding)
{
    bool unsafe = finding->patch.tier == LL_PATCH_UNSAFE && !f->options->unsafe;
    if (work->is_joined || finding->patch.tier == LL_PATCH_NONE) {
        return finding->unread   ? LEFT_UNREAD
               : work->is_joined ? LEFT_ACROSS
               : work->is_member ? LEFT_IN_MEMBER
                                 : LEFT_AS_IS;
    }
    return f->chosen && !f->chosen[finding->rule]            ? LEFT_UNCHOSEN
           : finding->severity == LL_NOTE && !names_rules(f) ? LEFT_NOTE
           : unsafe                                          ? LEFT_UNSAFE
                                                             : LEFT_TRIED;
}

/* Counts findings by the reason why they are left. Returns true if there is a patch to try. */
static bool look(const fixing *f, const ll_work *work, uint64_t *reasons)
{
    ll_finding finding;
    bool any = false;
    memset(reasons, 0, LEFT_REASONS * sizeof *reasons);
    for (size_t i = 0; i < ll_report_finding_count(work->report); i++) {
        ll_need(ll_report_finding(work->report, i, &finding));
        bool known = finding.mark.kind != LL_MARK_NONE;
        reason why = reason_of(f, work, &finding);
        any = any || (why == LEFT_TRIED && (!known || f->options->marked));
        reasons[why] += !known;
    }
    return any;
}

/* Reports why a file was not checked. */
static void say_unread(const ll_work *work)
{
    ll_summary sum;
    ll_finding finding;
    ll_report_summary(work->report, &sum);
    for (size_t i = 0; sum.failed && i < ll_report_finding_count(work->report); i++) {
        ll_need(ll_report_finding(work->report, i, &finding));
        if (finding.unread) {
            (void)ll_say("%s: %s", ll_report_name(work->report), finding.message);
        }
    }
}

/* Sets f->lint to the options with which run.c lints the file. */
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

/* Lints the present contents into the report of the run, which then counts the remaining findings. */
static ll_status look_again(fixing *f, const ll_work *work)
{
    keep_options(f, work);
    ll_status status = ll_lint(work->file->profile->rules, f->now, f->now_size, &f->lint, work->report);
    return status == LL_OK ? ll_known_mark(&f->known, work) : status;
}

/* Builds the contents of the file with `length` bytes at `offset` replaced by `size` new ones. */
static const image *make_next(fixing *f, size_t offset, size_t length, const void *bytes, size_t size)
{
    image *next = &f->images[f->next];
    size_t behind = f->now_size - offset - length;
    size_t need = offset + size + behind;
    if (need > next->capacity) {
        free(next->bytes);
        *next = (image){ll_os_alloc(need, 1), 0, need};
    }
    if (offset) {
        memcpy(next->bytes, f->now, offset);
    }
    if (size) {
        memcpy(next->bytes + offset, bytes, size);
    }
    if (behind) {
        memcpy(next->bytes + offset + size, f->now + offset + length, behind);
    }
    next->size = need;
    return next;
}

/* Fixes a file, or the member at `offset` of the archive `path`. */
static ll_status apply_patches(fixing *f, const ll_work *work, const char *path, size_t offset, size_t length)
{
    ll_fix_options options = {.size = sizeof options,
                              .tier = f->options->unsafe ? LL_PATCH_UNSAFE : LL_PATCH_SAFE,
                              .marked = f->options->marked,
                              .notes = names_rules(f),
                              .judge = f->judge,
                              .wants = f->chosen || f->options->interactive || work->is_member ? wants : NULL,
                              .mark = mark,
                              .ctx = f};
    const void *bytes;
    size_t size;
    keep_options(f, work);
    ll_status status = ll_fix_run(f->fix, work->file->profile->rules, f->now + offset, length, &f->lint, &options);
    if (status != LL_OK) {
        return status;
    }
    size_t applied = ll_fix_result(f->fix, &bytes, &size);
    bool written = false;
    if (applied && !f->options->diff) {
        const image *next = make_next(f, offset, length, bytes, size);
        ll_replacement r = {path, f->now, next->bytes, f->now_size, next->size, offset};
        written = ll_replace(&r, &f->again, keep_what_was, f);
        f->now = written ? next->bytes : f->now;
        f->now_size = written ? next->size : f->now_size;
        f->next = written ? 1 - f->next : f->next;
        f->trouble = f->trouble || !written;
    }
    f->written = f->written || written;
    f->hit = f->hit || written || (applied && f->options->diff);
    f->totals.patches += applied;
    f->totals.left_out += ll_fix_count(f->fix) - applied;
    if (f->options->verbosity > -2 || strcmp(f->options->format, "text") != 0) {
        status = ll_fix_print(f->fix, f->options->format, written, ll_out_write, &f->out);
    }
    return status == LL_E_WRITE ? LL_OK : status; /* ll_out_close() reports write errors */
}

static ll_status fix_member(fixing *f, const ll_work *work, const ll_member_info *member, const char *archive)
{
    uint64_t reasons[LEFT_REASONS];
    ll_status status = ll_known_mark(&f->known, work);
    if (status == LL_OK && !choose(f, work->file->profile->rules, false)) {
        return LL_E_ARGUMENT;
    }
    return status == LL_OK && look(f, work, reasons)
               ? apply_patches(f, work, archive, (size_t)member->offset, (size_t)member->length)
               : status;
}

/* Fixes the members of an archive. Their offsets stay valid: patches in members keep the length. */
static ll_status fix_members(fixing *f, const ll_work *archive)
{
    ll_file file = *archive->file;
    ll_work work = {.run = archive->run, .file = &file, .is_member = true, .report = f->member};
    ll_member_info member;
    ll_status status = LL_OK;
    for (size_t i = 0; i < ll_report_member_count(archive->report) && status == LL_OK; i++) {
        ll_need(ll_report_member(archive->report, i, &member));
        ll_text_clear(&f->name);
        ll_text_format(&f->name, "%s!%s", archive->file->path, member.path);
        file.path = ll_text_cstr(&f->name);
        if (ll_scope_excludes_member(file.scope, archive->file->path + file.stem, file.path + file.stem)) {
            continue;
        }
        file.profile = ll_config_profile(f->config, file.scope, file.path + file.stem);
        if (!file.profile) {
            return LL_OK; /* run.c reports this and ends */
        }
        ll_lint_options options = {.size = sizeof options,
                                   .variant = file.profile->game,
                                   .allow_unsupported = file.profile->allow_unsupported};
        status = ll_lint_member(file.profile->rules, archive->report, i, &options, f->member);
        status = status == LL_OK ? fix_member(f, &work, &member, archive->file->path) : status;
    }
    return status;
}

/* Fixes a file and its members; afterwards the report of the run describes its present contents. */
static ll_status fix_whole(fixing *f, const ll_work *work, bool any)
{
    f->now = work->bytes;
    f->now_size = work->size;
    f->hit = f->written = f->kept = f->noted = false;
    ll_status status = any ? apply_patches(f, work, work->file->path, 0, work->size) : LL_OK;
    status = status == LL_OK && f->written ? look_again(f, work) : status;
    f->written = false;
    status = status == LL_OK ? fix_members(f, work) : status;
    status = status == LL_OK && f->written ? look_again(f, work) : status;
    f->totals.changed += f->hit;
    return status;
}

/* ll_plan.after. Findings in members and across files are only counted here: these calls come after all patches of the
 * file were applied. */
static ll_status fix_file(void *ctx, const ll_work *work)
{
    fixing *f = ctx;
    const ll_scope_known *known = ll_scope_known_of(work->file->scope);
    bool itself = !work->is_member && !work->is_joined && !f->counting;
    f->knows = f->knows || known->suppressions || known->baseline;
    uint64_t reasons[LEFT_REASONS];
    ll_status status = ll_known_mark(&f->known, work);
    if (status == LL_OK && !choose(f, work->file->profile->rules, false)) {
        return LL_E_ARGUMENT;
    }
    if (status == LL_OK) {
        bool any = look(f, work, reasons);
        if (!f->counting) {
            say_unread(work);
        }
        status = itself && work->bytes ? fix_whole(f, work, any) : LL_OK;
    }
    if (status == LL_OK && itself) {
        (void)choose(f, work->file->profile->rules, false);
        (void)look(f, work, reasons);
    }
    for (unsigned i = 0; i < LEFT_REASONS && status == LL_OK; i++) {
        f->totals.reasons[i] += reasons[i];
    }
    f->totals.files += itself;
    return status;
}

/* ------------------------------------------------------------------ the command */

/* By reason: key in jsonl, and text for people. */
static const char *const why_left[LEFT_REASONS][2] = {
    [LEFT_UNREAD] = {"not_checked", "about parts that were not checked"},
    [LEFT_ACROSS] = {"across", "across files, which have no patch"},
    [LEFT_TRIED] = {"left_out", "whose patch was left out"},
    [LEFT_UNSAFE] = {"unsafe", "with an unsafe patch (--unsafe applies it)"},
    [LEFT_UNCHOSEN] = {"not_chosen", "of rules not chosen with --rule"},
    [LEFT_NOTE] = {"note", "notes with a patch (--rule applies it)"},
    [LEFT_IN_MEMBER] = {"in_member", "in archive members, without a patch there (unpack them and fix the files)"},
    [LEFT_AS_IS] = {"no_patch", "without a patch"},
};

static void put_reasons(const fixing *f, ll_text *out)
{
    for (unsigned i = 0, shown = 0; i < LEFT_REASONS; i++) {
        if (f->totals.reasons[i] && !(i == LEFT_TRIED && f->options->diff)) {
            ll_text_format(out, "%s%" PRIu64 " %s", shown++ ? "; " : "", f->totals.reasons[i], why_left[i][1]);
        }
    }
}

static void print_summary(fixing *f, const ll_outcome *sums, int code)
{
    const totals *t = &f->totals;
    ll_out_print(&f->out,
                 "{\"type\":\"summary\",\"schema\":1,\"written\":%s,\"files\":%" PRIu64 ",\"changed\":%" PRIu64
                 ",\"patches\":%" PRIu64 ",\"left_out\":%" PRIu64 ",\"findings_left\":%" PRIu64 ",\"errors\":%" PRIu64
                 ",\"warnings\":%" PRIu64 ",\"notes\":%" PRIu64 ",\"why\":{",
                 f->options->diff ? "false" : "true", t->files, t->changed, t->patches, t->left_out,
                 sums->errors + sums->warnings + sums->notes, sums->errors, sums->warnings, sums->notes);
    for (unsigned i = 0; i < LEFT_REASONS; i++) {
        ll_out_print(&f->out, "%s\"%s\":%" PRIu64, i ? "," : "", why_left[i][0], t->reasons[i]);
    }
    ll_out_print(&f->out, "},\"in_git\":%" PRIu64, f->log.in_git);
    if (f->log.noted) {
        ll_text path;
        ll_text_init(&path, &ll_heap);
        ll_text_json(&path, ll_text_cstr(&f->log.path), f->log.path.length);
        ll_out_print(&f->out, ",\"journal\":\"%s\"", ll_text_cstr(&path));
        ll_text_free(&path);
    }
    ll_out_print(&f->out, ",\"exit_code\":%d}\n", code);
}

/* Prints the summary. `sums`: findings counted after all patches. */
static void print_totals(fixing *f, const ll_outcome *sums, int code)
{
    totals *t = &f->totals;
    const ll_options *o = f->options;
    uint64_t findings = sums->errors + sums->warnings + sums->notes;
    uint64_t told = 0;
    ll_text why;
    for (unsigned i = 0; i < LEFT_REASONS; i++) {
        told += t->reasons[i];
    }
    t->reasons[LEFT_AS_IS] += findings > told ? findings - told : 0; /* in files of lightlint's own */
    ll_text_init(&why, &ll_heap);
    put_reasons(f, &why);
    if (strcmp(o->format, "jsonl") == 0) {
        print_summary(f, sums, code);
    } else if (strcmp(o->format, "text") == 0 && (o->verbosity > -1 || (findings + t->patches && o->verbosity > -2))) {
        ll_out_print(&f->out,
                     "%" PRIu64 " file%s checked, %" PRIu64 " %s by %" PRIu64 " patch%s, %" PRIu64
                     " left out; findings %s: %" PRIu64 ".\n",
                     t->files, t->files == 1 ? "" : "s", t->changed, o->diff ? "would be changed" : "changed",
                     t->patches, t->patches == 1 ? "" : "es", t->left_out, o->diff ? "now" : "left", findings);
        if (why.length) {
            ll_out_print(&f->out, "Not changed: %s.\n", ll_text_cstr(&why));
        }
        ll_text_clear(&why);
        ll_log_put_way_back(&f->log, &why);
        ll_out_print(&f->out, "%s", ll_text_cstr(&why));
    } else if (strcmp(o->format, "diff") == 0 && why.length && o->verbosity > -1) {
        (void)ll_say("notice: not changed: %s", ll_text_cstr(&why));
    }
    ll_text_free(&why);
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
    ll_need(ll_fix_create(&ll_pages, &f->fix));
    ll_need(ll_report_create(&ll_pages, &f->member));
    return ll_log_open(&f->log);
}

/* ll_plan.tail */
static ll_status report_known(void *ctx, ll_run *run)
{
    fixing *f = ctx;
    return ll_known_report(&f->known, run);
}

/* Runs over all files once. */
static int go_over_files(fixing *f, const ll_options *options, ll_config *config, ll_outcome *sums)
{
    ll_plan plan = {.options = options,
                    .config = config,
                    .target = f->options->journal,
                    .findings_fail = true,
                    .joins = true,
                    .changes_files = !f->options->diff,
                    .ctx = f,
                    .admit = find_known,
                    .after = fix_file,
                    .tail = report_known};
    return ll_run_files(&plan, sums);
}

/* Counts the remaining findings by a second run that changes nothing, with a new configuration: after the first run,
 * suppressions and baselines have also recorded matches in contents that were replaced. Not possible if the list of
 * files came from a stream. */
static int count_again(fixing *f, const ll_options *options, ll_outcome *sums)
{
    ll_options quiet = *options;
    ll_config *config = NULL;
    ll_known before = f->known;
    bool baseline = false;
    int code = LL_EXIT_TROUBLE;
    quiet.verbosity = -3;
    f->counting = true;
    memset(f->totals.reasons, 0, sizeof f->totals.reasons);
    if (ll_config_open(&quiet, &config)) {
        code = ll_known_open(&f->known, &quiet, config, &baseline) ? go_over_files(f, &quiet, config, sums) : code;
        ll_known_close(&f->known);
    }
    f->known = before;
    ll_config_close(config);
    return code;
}

static int run(fixing *f, ll_config *config)
{
    ll_options one = *f->options;
    ll_outcome sums;
    one.jobs = 1;
    one.verbosity = one.verbosity < -1 ? one.verbosity : -1; /* no progress line between the output */
    if (!ll_out_open(&f->out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    int code = go_over_files(f, &one, config, &sums);
    bool pending = f->options->diff && f->totals.changed;
    bool again = one.files_from == NULL || ll_os_kind_of(one.files_from) == LL_OS_FILE;
    if (sums.complete && f->knows && f->totals.changed && !pending && again) {
        code = count_again(f, &one, &sums);
    }
    code = f->trouble ? LL_EXIT_TROUBLE : code == LL_EXIT_CLEAN && pending ? LL_EXIT_FINDINGS : code;
    print_totals(f, &sums, code);
    return ll_out_close(&f->out) ? code : LL_EXIT_TROUBLE;
}

int ll_fix_command(const ll_options *options, ll_config *config)
{
    fixing f = {.options = options, .config = config};
    ll_log_init(&f.log, options);
    ll_text_init(&f.name, &ll_heap);
    ll_text_init(&f.folder, &ll_heap);
    int code = prepare(&f, config) ? run(&f, config) : LL_EXIT_TROUBLE;
    code = ll_log_close(&f.log) ? code : LL_EXIT_TROUBLE;
    ll_fix_free(f.fix);
    ll_report_free(f.member);
    free(f.images[0].bytes);
    free(f.images[1].bytes);
    ll_text_free(&f.name);
    ll_text_free(&f.folder);
    ll_ruleset_free(f.judge);
    ll_os_buffer_free(&f.again);
    free(f.chosen);
    ll_known_close(&f.known);
    return code;
}
