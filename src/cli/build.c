/* The command `build`: a file made from the JSON of a dump. It is linted before it is written, and is not written while
 * there is an error. */
#include "cli/commands.h"
#include "cli/config/path.h"
#include "cli/output.h"

#include <string.h>

/* Shows the findings. */
static bool show_findings(const ll_options *options, const ll_profile *profile, ll_report *report, int code)
{
    ll_emit_options emit = {.size = sizeof emit,
                            .format = "full",
                            .color = ll_options_color(options, true),
                            .terminal = ll_options_terminal(LL_OS_STDOUT),
                            .verbosity = -1,
                            .fail_level = LL_ERROR};
    ll_out out;
    ll_emitter *emitter = NULL;
    ll_chunk *chunk = NULL;
    ll_options_limits(options, emit.format, &emit.max_per_rule, &emit.max_per_file);
    if (!ll_out_open(&out, NULL, NULL)) {
        return false;
    }
    ll_need(ll_emitter_create(NULL, profile->rules, &emit, ll_out_write, &out, &emitter));
    ll_need(ll_chunk_create(NULL, &chunk));
    ll_status status = ll_emitter_render(emitter, report, chunk);
    if (status == LL_OK) {
        status = ll_emitter_commit(emitter, chunk);
    }
    if (status == LL_OK) {
        status = ll_emitter_finish(emitter, code);
    }
    ll_chunk_free(chunk);
    ll_emitter_free(emitter);
    return ll_out_end(&out, options->output, status);
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

static int lint_and_write(const ll_options *options, const ll_profile *profile, const ll_built *built)
{
    const void *bytes;
    size_t size;
    ll_report *report = NULL;
    ll_summary summary;
    ll_lint_options lint = {.size = sizeof lint,
                            .name = options->output,
                            .variant = profile->game,
                            .allow_unsupported = profile->allow_unsupported};
    for (size_t i = 0; ll_built_note(built, i); i++) {
        (void)ll_say("%s: %s", options->output, ll_built_note(built, i));
    }
    ll_built_bytes(built, &bytes, &size);
    ll_need(ll_report_create(NULL, &report));
    ll_need(ll_lint(profile->rules, bytes, size, &lint, report));
    if (strcmp(ll_report_format(report), ll_built_format(built)) != 0) { /* which the extension alone may tell */
        lint.name = ll_built_name(built);
        ll_need(ll_lint(profile->rules, bytes, size, &lint, report));
    }
    ll_report_summary(report, &summary);
    int code = summary.errors ? LL_EXIT_FINDINGS : LL_EXIT_CLEAN;
    bool shown = ll_report_finding_count(report) == 0 || show_findings(options, profile, report, code);
    if (code != LL_EXIT_CLEAN) {
        (void)ll_say("%s: not written, as it would have errors", options->output);
    }
    bool done = shown && (code != LL_EXIT_CLEAN || write_file(options, bytes, size));
    ll_report_free(report);
    return done ? code : LL_EXIT_TROUBLE;
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
        return LL_EXIT_TROUBLE; /* why was said */
    }
    if (ll_os_same_target(path, options->output)) {
        return ll_say("'%s' is an input; it will not be overwritten", path), LL_EXIT_TROUBLE;
    }
    int error = ll_os_read(&buffer, path);
    bool fine = error ? ll_say("%s: %s", path, ll_os_error_text(error))
                      : ll_accept(ll_build(NULL, buffer.bytes, buffer.size, &built, &problem), path, &problem);
    int code = fine ? lint_and_write(options, profile, built) : LL_EXIT_TROUBLE;
    ll_built_free(built);
    ll_os_buffer_free(&buffer);
    return code;
}
