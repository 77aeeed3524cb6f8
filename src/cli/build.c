/* The command `build`: makes a file from the JSON of a dump. The file is linted first and written only if it has no
 * error. */
#include "cli/commands.h"
#include "cli/config/path.h"
#include "cli/output.h"

#include "base/text.h"

#include <string.h>

/* The file to be written, and its findings. */
typedef struct building {
    const ll_options *options;
    ll_config *config;
    const ll_scope *scope;
    const ll_profile *profile;
    const void *bytes;
    size_t size;
    ll_report *report, *member;
    ll_text name;       /* of the current member */
    ll_emitter *shower; /* NULL: no finding so far */
    ll_chunk *chunk;
    ll_out out;
    ll_status shown;
    bool failing; /* there are errors: nothing is written */
} building;

/* Opens the output for the first finding. */
static bool start_to_show(building *b)
{
    const ll_options *options = b->options;
    ll_emit_options emit = {.size = sizeof emit,
                            .format = "full",
                            .color = ll_options_color(options, true),
                            .terminal = ll_options_terminal(LL_OS_STDOUT),
                            .verbosity = -1,
                            .all = options->all,
                            .fail_level = LL_ERROR};
    ll_options_limits(options, emit.format, &emit.max_per_rule, &emit.max_per_file);
    if (!ll_out_open(&b->out, NULL, NULL)) {
        return false;
    }
    ll_need(ll_emitter_create(NULL, b->profile->rules, &emit, ll_out_write, &b->out, &b->shower));
    ll_need(ll_chunk_create(NULL, &b->chunk));
    return true;
}

/* Counts and shows the findings of a report. False on failure, which is reported. */
static bool take_report(building *b, ll_report *report)
{
    ll_summary sum;
    ll_report_summary(report, &sum);
    b->failing = b->failing || sum.errors;
    if (ll_report_finding_count(report) == 0) {
        return true;
    }
    if (!b->shower && !start_to_show(b)) {
        return false;
    }
    b->shown = b->shown == LL_OK ? ll_emitter_render(b->shower, report, b->chunk) : b->shown;
    b->shown = b->shown == LL_OK ? ll_emitter_commit(b->shower, b->chunk) : b->shown;
    return true;
}

static bool end_show(building *b)
{
    if (!b->shower) {
        return true;
    }
    if (b->shown == LL_OK) {
        b->shown = ll_emitter_finish(b->shower, b->failing ? LL_EXIT_FINDINGS : LL_EXIT_CLEAN);
    }
    ll_chunk_free(b->chunk);
    ll_emitter_free(b->shower);
    return ll_out_end(&b->out, b->options->output, b->shown);
}

static bool write_file(const ll_options *options, const void *bytes, size_t size)
{
    ll_out out;
    if (!ll_out_open(&out, options->output, NULL)) {
        return false;
    }
    (void)ll_out_write(&out, bytes, size);
    return ll_out_close(&out);
}

/* Lints the built file under `name`. */
static void lint_as(building *b, const char *name)
{
    ll_lint_options lint = {.size = sizeof lint,
                            .name = name,
                            .variant = b->profile->game,
                            .allow_unsupported = b->profile->allow_unsupported};
    ll_need(ll_lint(b->profile->rules, b->bytes, b->size, &lint, b->report));
}

/* Lints the members of an archive by their own profiles. */
static bool take_members(building *b)
{
    ll_member_info member;
    bool fine = true;
    const char *archive = ll_path_name(b->options->output);
    for (size_t i = 0; i < ll_report_member_count(b->report) && fine; i++) {
        ll_need(ll_report_member(b->report, i, &member));
        ll_text_clear(&b->name);
        ll_text_format(&b->name, "%s!%s", archive, member.path);
        const char *name = ll_text_cstr(&b->name);
        if (ll_scope_excludes_member(b->scope, archive, name)) {
            continue;
        }
        const ll_profile *profile = ll_config_profile(b->config, b->scope, name);
        if (!profile) {
            return false;
        }
        ll_lint_options lint = {
            .size = sizeof lint, .variant = profile->game, .allow_unsupported = profile->allow_unsupported};
        ll_need(ll_lint_member(profile->rules, b->report, i, &lint, b->member));
        fine = take_report(b, b->member);
    }
    return fine;
}

static int lint_and_write(building *b, const ll_built *built)
{
    const ll_options *options = b->options;
    for (size_t i = 0; ll_built_note(built, i); i++) {
        (void)ll_say("%s: %s", options->output, ll_built_note(built, i));
    }
    ll_built_bytes(built, &b->bytes, &b->size);
    ll_need(ll_report_create(&ll_pages, &b->report));
    ll_need(ll_report_create(&ll_pages, &b->member));
    ll_text_init(&b->name, &ll_heap);
    lint_as(b, options->output);
    if (strcmp(ll_report_format(b->report), ll_built_format(built)) != 0) { /* a format may be recognised by the
                                                                             * extension only */
        lint_as(b, ll_built_name(built));
    }
    bool done = take_report(b, b->report) && take_members(b);
    done = end_show(b) && done;
    if (b->failing) {
        (void)ll_say("%s: not written: the file would have errors", options->output);
    }
    done = done && (b->failing || write_file(options, b->bytes, b->size));
    ll_report_free(b->member);
    ll_report_free(b->report);
    ll_text_free(&b->name);
    return !done ? LL_EXIT_TROUBLE : b->failing ? LL_EXIT_FINDINGS : LL_EXIT_CLEAN;
}

int ll_build_command(const ll_options *options, ll_config *config)
{
    const char *path = options->operands[0];
    const ll_scope *scope = ll_config_scope_of(config, options->output);
    const ll_profile *profile = scope ? ll_config_profile(config, scope, ll_path_name(options->output)) : NULL;
    ll_os_buffer buffer = {0};
    ll_problem problem = {0};
    ll_built *built = NULL;
    if (!profile) {
        return LL_EXIT_TROUBLE; /* reported already */
    }
    if (ll_os_same_target(path, options->output)) {
        return ll_say("'%s' is an input; it will not be overwritten", path), LL_EXIT_TROUBLE;
    }
    int error = ll_os_read(&buffer, path);
    bool fine = error ? ll_say("%s: %s", path, ll_os_error_text(error))
                      : ll_accept(ll_build(NULL, buffer.bytes, buffer.size, &built, &problem), path, &problem);
    building b = {.options = options, .config = config, .scope = scope, .profile = profile};
    int code = fine ? lint_and_write(&b, built) : LL_EXIT_TROUBLE;
    ll_built_free(built);
    ll_os_buffer_free(&buffer);
    return code;
}
