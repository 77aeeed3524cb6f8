/* Reads and lints a single operand. */
#include "cli/subject.h"

#include "cli/config/path.h"
#include "cli/git.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

/* Splits "ARCHIVE!PATH", if that file does not exist but the archive does. */
static void cut_member(ll_subject *s)
{
    bool is_file = ll_os_kind_of(s->name) != LL_OS_MISSING;
    for (char *mark = strchr(s->name, '!'); mark && !is_file; mark = strchr(mark + 1, '!')) {
        *mark = '\0';
        is_file = ll_os_kind_of(s->name) == LL_OS_FILE;
        s->member = is_file ? mark + 1 : NULL;
        *mark = is_file ? '\0' : '!';
    }
}

void ll_subject_open(ll_subject *s, const char *word, const char *stdin_name)
{
    bool is_stdin = stdin_name && strcmp(word, "-") == 0;
    const char *name = is_stdin ? stdin_name : word;
    *s = (ll_subject){.name = ll_os_alloc(strlen(name) + 1, 1)};
    memcpy(s->name, name, strlen(name) + 1);
    s->source = is_stdin ? NULL : s->name;
    ll_need(ll_report_create(&ll_pages, &s->file));
    ll_need(ll_report_create(&ll_pages, &s->inner));
    s->report = s->file;
    if (!is_stdin) {
        cut_member(s);
    }
}

void ll_subject_close(ll_subject *s)
{
    ll_report_free(s->inner);
    ll_report_free(s->file);
    ll_os_buffer_free(&s->buffer);
    free(s->name);
}

/* Lints the member. False if the archive has no such member or linting fails, which is reported. */
static bool enter(ll_subject *s)
{
    ll_member_info member = {.path = ""};
    size_t count = ll_report_member_count(s->file);
    size_t i = 0;
    for (; i < count; i++) {
        ll_need(ll_report_member(s->file, i, &member));
        if (strcmp(member.path, s->member) == 0) {
            break;
        }
    }
    s->lint.name = NULL;
    s->report = s->inner;
    ll_status status = i < count ? ll_lint_member(s->profile->rules, s->file, i, &s->lint, s->inner) : LL_OK;
    return status != LL_OK ? ll_say("%s: %s", s->name, ll_status_text(status))
           : i < count
               ? true
               : ll_say(
                     "%s: no member '%s' that can be dumped; a dump of the archive ends with a list of those that can",
                     s->name, s->member);
}

/* The path in "COMMIT:PATH"; NULL: the operand is an ordinary path. */
static const char *path_in_commit(const ll_subject *s)
{
    const char *colon = s->source && ll_os_kind_of(s->source) == LL_OS_MISSING ? strchr(s->source, ':') : NULL;
    return colon && colon > s->source && colon[1] ? colon + 1 : NULL;
}

bool ll_subject_read(ll_subject *s, ll_config *config)
{
    const char *inside = path_in_commit(s);
    const char *path = s->shown ? s->shown : inside ? inside : s->name;
    const ll_scope *scope = ll_config_scope_of(config, path);
    s->profile = scope ? ll_config_profile(config, scope, ll_path_name(path)) : NULL;
    if (!s->profile) { /* reported already */
        return false;
    }
    if (inside && !ll_git_show(s->source, &s->buffer)) {
        return false;
    }
    int error = inside ? 0 : ll_os_read(&s->buffer, s->source);
    if (error) {
        return ll_say("%s: %s", s->source ? s->source : "-", ll_os_error_text(error));
    }
    s->lint = (ll_lint_options){.size = sizeof s->lint,
                                .name = s->shown ? s->shown : s->name,
                                .variant = s->profile->game,
                                .allow_unsupported = s->profile->allow_unsupported};
    ll_status status = ll_lint(s->profile->rules, s->buffer.bytes, s->buffer.size, &s->lint, s->file);
    return status != LL_OK ? ll_say("%s: %s", s->name, ll_status_text(status)) : !s->member || enter(s);
}
