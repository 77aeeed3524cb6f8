/* See sweep_read.h. Holds one line of the input and the piece that it came in; refuses a line that does not follow
 * from those before it. */
#include "report/survey/sweep_read.h"

enum { SCHEMA = 1, PIECE = 64 * 1024 };

ll_status ll_sweep_where(ll_sweep_source *source, ll_problem *problem)
{
    ll_text *where = &source->where;
    if (!problem) {
        return LL_E_INPUT;
    }
    ll_text_clear(where);
    ll_text_format(where, "%s:%u", source->input->name, source->number);
    if (problem->column) {
        ll_text_format(where, ":%u", problem->column);
    }
    problem->line = source->number;
    (void)ll_problem_prefix(problem, where->failed ? source->input->name : ll_text_cstr(where));
    return LL_E_INPUT;
}

ll_status ll_sweep_refuse(ll_sweep_source *source, ll_problem *problem, const char *const *pieces)
{
    (void)ll_problem_say(problem, pieces);
    return ll_sweep_where(source, problem);
}

int ll_sweep_order(const char *a, const char *b)
{
    while (*a && *b) {
        unsigned one = ll_unescaped_byte(&a);
        unsigned two = ll_unescaped_byte(&b);
        if (one != two) {
            return one < two ? -1 : 1;
        }
    }
    return (*a != '\0') - (*b != '\0');
}

/* ------------------------------------------------------------------ lines */

/* Reads a piece more behind what is there. */
static ll_status read_piece(ll_sweep_source *s, ll_problem *problem)
{
    size_t size = 0;
    char *room = ll_text_room(&s->block, PIECE);
    if (!room) {
        return LL_E_MEMORY;
    }
    if (!s->input->read(s->input->ctx, room, PIECE, &size) || size > PIECE) {
        return LL_SWEEP_REFUSE(s, problem, "it could not be read");
    }
    s->block.length += size;
    s->ended = size == 0;
    return LL_OK;
}

/* Moves the next line to the front of the block. *any is false at the end of the input. */
static ll_status take_line(ll_sweep_source *s, bool *any, ll_problem *problem)
{
    size_t left = s->block.length - s->next;
    const char *end = left ? memchr(s->block.data + s->next, '\n', left) : NULL;
    if (s->next && (!end || s->next > s->block.length / 2)) {
        memmove(s->block.data, s->block.data + s->next, left);
        end = end ? end - s->next : NULL;
        s->block.length = left;
        s->next = 0;
    }
    s->number++;
    while (!end && !s->ended) {
        size_t seen = s->block.length;
        if (seen > LL_JSON_LINE_MAX) {
            return LL_SWEEP_REFUSE(s, problem, "the line is longer than 1 MiB");
        }
        ll_status status = read_piece(s, problem);
        if (status != LL_OK) {
            return status;
        }
        end = s->block.length > seen ? memchr(s->block.data + seen, '\n', s->block.length - seen) : NULL;
    }
    *any = end != NULL;
    if (!end && s->block.length > s->next) {
        return LL_SWEEP_REFUSE(s, problem, "the last line is not complete; the sweep was not finished");
    }
    if (end) {
        s->line = s->block.data + s->next;
        s->length = (size_t)(end - s->line);
        s->next += s->length + 1;
    }
    return LL_OK;
}

static ll_status keep(ll_text *out, const char *text, size_t n)
{
    ll_text_clear(out);
    ll_text_put(out, text, n);
    (void)ll_text_cstr(out);
    return out->failed ? LL_E_MEMORY : LL_OK;
}

/* ------------------------------------------------------------------ what a line may be */

static ll_status take_header(ll_sweep_source *s, ll_problem *problem)
{
    uint64_t schema = 0;
    const char *version = NULL;
    const char *rules = NULL;
    ll_status status = ll_jsonr_u64(&s->json, "schema", &schema, problem);
    status = status == LL_OK ? ll_jsonr_text(&s->json, "lightlint", &version, problem) : status;
    status = status == LL_OK ? ll_jsonr_text(&s->json, "rules", &rules, problem) : status;
    if (status == LL_OK && schema != SCHEMA) {
        status = LL_REFUSE(problem, "another form of sweep than schema 1, which this version knows; make it anew");
    }
    status = status == LL_OK ? keep(&s->header, s->line, s->length) : status;
    status = status == LL_OK ? keep(&s->version, version, strlen(version)) : status;
    return status == LL_OK ? keep(&s->rules, rules, strlen(rules)) : status;
}

static ll_status take_summary(ll_sweep_source *s, ll_problem *problem)
{
    ll_status status = LL_OK;
    for (size_t i = 0; i < LL_TOTAL_COUNT && status == LL_OK; i++) {
        status = ll_jsonr_u64(&s->json, ll_total_rows[i].name, ll_total_of(&s->totals, i), problem);
    }
    status = status == LL_OK ? ll_jsonr_u64(&s->json, "exit_code", &s->exit_code, problem) : status;
    if (status == LL_OK && s->exit_code > 2) {
        status = LL_REFUSE(problem, "key 'exit_code': expected 0, 1 or 2");
    }
    return status;
}

/* A finding or a file: goes on with the open file, or begins one behind the last. */
static ll_status take_member(ll_sweep_source *s, ll_problem *problem)
{
    ll_status status = ll_jsonr_text(&s->json, "file", &s->file, problem);
    if (status != LL_OK) {
        return status;
    }
    const char *group = s->group.length ? ll_text_cstr(&s->group) : "";
    if (s->open && strcmp(group, s->file) != 0) {
        return LL_REFUSE(problem, "the line of file '", group, "' is missing");
    }
    if (!s->open) {
        if (ll_sweep_order(group, s->file) >= 0) {
            return LL_REFUSE(problem, "'", s->file, "' cannot stand behind '", group,
                             "': files are sorted, and each is there once");
        }
        status = keep(&s->group, s->file, strlen(s->file));
    }
    s->open = s->kind == LL_SWEEP_FINDING;
    return status;
}

static ll_status judge_line(ll_sweep_source *s, ll_problem *problem)
{
    static const char *const types[] = {"sweep", "finding", "file", "summary"}; /* as ll_sweep_kind */
    const char *type = NULL;
    size_t mark = s->number == 1 ? ll_bom_length(s->line, s->length) : 0;
    s->line += mark;
    s->length -= mark;
    ll_status status = ll_jsonr_open(&s->json, s->line, s->length, problem);
    status = status == LL_OK ? ll_jsonr_text(&s->json, "type", &type, problem) : status;
    if (status != LL_OK) {
        return status;
    }
    s->kind = (ll_sweep_kind)ll_names_find(&LL_NAME_LIST(types, LL_SWEEP_END), type);
    if ((s->kind == LL_SWEEP_HEADER) != (s->number == 1)) {
        return s->number == 1
                   ? LL_REFUSE(problem, "no sweep: the first line is of type '", type, "'; lightlint sweep makes one")
                   : LL_REFUSE(problem, "a second header");
    }
    switch (s->kind) {
    case LL_SWEEP_HEADER:
        return take_header(s, problem);
    case LL_SWEEP_FINDING:
    case LL_SWEEP_FILE:
        return take_member(s, problem);
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
    if (problem) {
        problem->column = 0;
    }
    if (s->kind == LL_SWEEP_END) {
        return LL_OK;
    }
    ll_status status = take_line(s, &any, problem);
    if (status != LL_OK) {
        return status;
    }
    if (over) {
        s->kind = LL_SWEEP_END;
        return any ? LL_SWEEP_REFUSE(s, problem, "a line behind the summary; join sweeps with sweep --merge") : LL_OK;
    }
    if (!any) {
        return s->number == 1 ? LL_SWEEP_REFUSE(s, problem, "it is empty; was the sweep stopped?")
                              : LL_SWEEP_REFUSE(s, problem, "it ends without a summary; the sweep was not finished");
    }
    status = judge_line(s, problem);
    return status == LL_E_INPUT ? ll_sweep_where(s, problem) : status;
}

/* ------------------------------------------------------------------ life */

enum { TEXTS = 6 };

static ll_text *text_of(ll_sweep_source *s, unsigned number)
{
    ll_text *const texts[TEXTS] = {&s->block, &s->header, &s->version, &s->rules, &s->group, &s->where};
    return texts[number];
}

ll_status ll_sweep_open(ll_sweep_source *source, const ll_allocator *allocator, const ll_sweep_input *input,
                        ll_problem *problem)
{
    *source = (ll_sweep_source){.input = input};
    for (unsigned i = 0; i < TEXTS; i++) {
        ll_text_init(text_of(source, i), allocator);
    }
    return ll_sweep_next(source, problem);
}

void ll_sweep_close(ll_sweep_source *source)
{
    for (unsigned i = 0; i < TEXTS; i++) {
        ll_text_free(text_of(source, i));
    }
    ll_jsonr_close(&source->json);
}
