/* Reads a sweep and refuses lines that cannot follow those before them. */
#include "survey/sweep_read.h"

static int order_of(const char *a, const char *a_end, const char *b, const char *b_end)
{
    while (a < a_end && b < b_end) {
        unsigned one = ll_unescaped_byte(&a);
        unsigned two = ll_unescaped_byte(&b);
        if (one != two) {
            return one < two ? -1 : 1;
        }
    }
    return (a < a_end) - (b < b_end);
}

static int file_order(const char *a, size_t a_file, const char *b, size_t b_file)
{
    return order_of(a, a + a_file, b, b + b_file);
}

int ll_sweep_order(const ll_sweep_source *a, const ll_sweep_source *b)
{
    int order = file_order(a->file, a->stem, b->file, b->stem);
    const char *one = a->file + a->stem;
    const char *two = b->file + b->stem;
    return order ? order : order_of(one, one + strlen(one), two, two + strlen(two));
}

/* ------------------------------------------------------------------ checking lines */

static ll_status take_summary(ll_sweep_source *s, ll_problem *problem)
{
    ll_status status = LL_OK;
    for (size_t i = 0; i < LL_TOTAL_COUNT && status == LL_OK; i++) {
        const char *name = ll_total_rows[i].name;
        uint64_t *total = ll_total_of(&s->totals, i);
        bool always = total != &s->totals.members && total != &s->totals.partly;
        bool is_there = always || ll_jsonr_has(&s->survey.json, name); /* older sweeps lack members */
        status = is_there ? ll_jsonr_u64(&s->survey.json, name, total, problem) : LL_OK;
    }
    status = status == LL_OK ? ll_jsonr_u64(&s->survey.json, "exit_code", &s->exit_code, problem) : status;
    if (status == LL_OK && s->exit_code > 2) {
        status = LL_REFUSE(problem, "exit_code: expected 0, 1 or 2");
    }
    return status;
}

/* Reads the file name; of a member, "ARCHIVE!PATH". */
static ll_status take_name(ll_sweep_source *s, ll_problem *problem)
{
    const char *member = NULL;
    ll_status status = ll_jsonr_text(&s->survey.json, "file", &s->file, problem);
    if (status == LL_OK && ll_jsonr_has(&s->survey.json, "member")) {
        status = ll_jsonr_text(&s->survey.json, "member", &member, problem);
    }
    if (status != LL_OK) {
        return status;
    }
    s->stem = strlen(s->file);
    if (member) {
        ll_text_clear(&s->name);
        ll_text_format(&s->name, "%s!%s", s->file, member);
        s->file = ll_text_cstr(&s->name);
    }
    return s->name.failed ? LL_E_MEMORY : LL_OK;
}

/* Reads a finding or file line: continues the open file, or begins a later one. Members follow their archive in any
 * order, and may share a name. */
static ll_status take_part(ll_sweep_source *s, ll_problem *problem)
{
    ll_status status = take_name(s, problem);
    if (status != LL_OK) {
        return status;
    }
    const char *group = s->group.length ? ll_text_cstr(&s->group) : "";
    if (s->open && strcmp(group, s->file) != 0) {
        return LL_REFUSE(problem, "the line of file '", group, "' is missing");
    }
    if (s->ended) {
        return LL_REFUSE(problem, "'", s->file, "' cannot come after what files refer to");
    }
    if (!s->open) {
        int order = file_order(group, s->group_stem, s->file, s->stem);
        if (order > 0 || (order == 0 && !s->file[s->stem])) {
            return LL_REFUSE(problem, "'", s->file, "' cannot come after '", group,
                             "': files are sorted, and each appears once");
        }
        s->group_stem = s->stem;
        ll_text_clear(&s->group);
        ll_text_str(&s->group, s->file);
        (void)ll_text_cstr(&s->group);
        status = s->group.failed ? LL_E_MEMORY : LL_OK;
    }
    s->open = s->kind == LL_SWEEP_FINDING;
    return status;
}

/* Reads a line after the files: what they refer to, or the number of packages. */
static ll_status take_packages(ll_sweep_source *s, ll_problem *problem)
{
    if (s->open) {
        return LL_REFUSE(problem, "the line of file '", ll_text_cstr(&s->group), "' is missing");
    }
    if (s->kind == LL_SWEEP_FACTS) {
        s->ended = true;
        return LL_OK;
    }
    if (s->across || s->ended) {
        return LL_REFUSE(problem, "packages are listed once, and never in a part");
    }
    s->across = true;
    ll_text_clear(&s->group); /* files are listed again */
    ll_status status = ll_jsonr_u64(&s->survey.json, "packages", &s->totals.packages, problem);
    return status == LL_OK ? ll_jsonr_u64(&s->survey.json, "rules_not_run", &s->totals.rules_not_run, problem) : status;
}

static ll_status judge_line(ll_sweep_source *s, ll_problem *problem)
{
    static const char *const types[] = {"sweep", "finding",  "file",
                                        "facts", "packages", "summary"}; /* as ll_sweep_kind */
    bool facts = strncmp(s->survey.type, "workspace-", strlen("workspace-")) == 0;
    const char *type = facts ? "facts" : s->survey.type;
    s->kind = (ll_sweep_kind)ll_names_find(&LL_NAME_LIST(types, LL_SWEEP_END), type);
    switch (s->kind) {
    case LL_SWEEP_HEADER:
        return LL_REFUSE(problem, "a second header");
    case LL_SWEEP_FINDING:
    case LL_SWEEP_FILE:
        return take_part(s, problem);
    case LL_SWEEP_FACTS:
    case LL_SWEEP_PACKAGES:
        return take_packages(s, problem);
    case LL_SWEEP_SUMMARY:
        return s->open ? LL_REFUSE(problem, "the line of file '", ll_text_cstr(&s->group), "' is missing")
                       : take_summary(s, problem);
    case LL_SWEEP_END:
        break;
    }
    return LL_REFUSE(problem, "a sweep has no line of type '", type, "'");
}

ll_status ll_sweep_next(ll_sweep_source *s, ll_problem *problem)
{
    bool any = false;
    bool over = s->kind == LL_SWEEP_SUMMARY;
    s->file = NULL;
    if (s->kind == LL_SWEEP_END) {
        return LL_OK;
    }
    ll_status status = ll_survey_next(&s->survey, &any, problem);
    if (over && (status == LL_OK || any)) {
        s->kind = LL_SWEEP_END;
        return any ? LL_SURVEY_REFUSE(&s->survey, problem, "a line after the summary; join sweeps with sweep --merge")
                   : LL_OK;
    }
    if (status == LL_OK && !any) {
        return LL_SURVEY_REFUSE(&s->survey, problem, "it ends without a summary; the sweep was not finished");
    }
    if (status != LL_OK) {
        return status;
    }
    status = judge_line(s, problem);
    return status == LL_E_INPUT ? ll_survey_where(&s->survey, problem) : status;
}

ll_status ll_sweep_next_file(ll_sweep_source *s, ll_problem *problem)
{
    ll_status status = LL_OK;
    do {
        status = ll_sweep_next(s, problem);
    } while (status == LL_OK && (s->kind == LL_SWEEP_FACTS || s->kind == LL_SWEEP_PACKAGES));
    return status;
}

ll_status ll_sweep_open(ll_sweep_source *source, const ll_allocator *allocator, const ll_sweep_input *input,
                        ll_problem *problem)
{
    *source = (ll_sweep_source){.kind = LL_SWEEP_HEADER};
    ll_text_init(&source->group, allocator);
    ll_text_init(&source->name, allocator);
    return ll_survey_open(&source->survey, allocator, "sweep", input, problem);
}

void ll_sweep_close(ll_sweep_source *source)
{
    ll_text_free(&source->group);
    ll_text_free(&source->name);
    ll_survey_close(&source->survey);
}
