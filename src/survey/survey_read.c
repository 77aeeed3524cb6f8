/* Reads sweeps and censuses as JSON Lines. Holds one line and the block that it was read in. */
#include "survey/survey_read.h"

#include "base/json_write.h"

enum { SCHEMA = 1, PIECE = 64 * 1024, SHARDS_MAX = 1000000 };

/* ------------------------------------------------------------------ messages */

ll_status ll_survey_where(ll_survey_source *source, ll_problem *problem)
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

ll_status ll_survey_refuse(ll_survey_source *source, ll_problem *problem, const char *const *pieces)
{
    (void)ll_problem_say(problem, pieces);
    return ll_survey_where(source, problem);
}

/* ------------------------------------------------------------------ lines */

/* Reads another block after what is there. */
static ll_status read_piece(ll_survey_source *s, ll_problem *problem)
{
    size_t size = 0;
    char *room = ll_text_room(&s->block, PIECE);
    if (!room) {
        return LL_E_MEMORY;
    }
    if (!s->input->read(s->input->ctx, room, PIECE, &size) || size > PIECE) {
        return LL_SURVEY_REFUSE(s, problem, "it could not be read");
    }
    s->block.length += size;
    s->ended = size == 0;
    return LL_OK;
}

/* Finds the next line, reading blocks as needed; moves it to the front of the buffer. */
static ll_status take_line(ll_survey_source *s, bool *any, ll_problem *problem)
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
            return LL_SURVEY_REFUSE(s, problem, "the line is longer than 1 MiB");
        }
        ll_status status = read_piece(s, problem);
        if (status != LL_OK) {
            return status;
        }
        end = s->block.length > seen ? memchr(s->block.data + seen, '\n', s->block.length - seen) : NULL;
    }
    *any = end != NULL;
    if (!end && s->block.length > s->next) {
        return LL_SURVEY_REFUSE(s, problem, "the last line is not complete; the ", s->what, " was not finished");
    }
    if (end) {
        s->line = s->block.data + s->next;
        s->length = (size_t)(end - s->line);
        s->next += s->length + 1;
    }
    return LL_OK;
}

ll_status ll_survey_next(ll_survey_source *s, bool *any, ll_problem *problem)
{
    if (problem) {
        problem->column = 0;
    }
    ll_status status = take_line(s, any, problem);
    if (status != LL_OK || !*any) {
        return status;
    }
    size_t mark = s->number == 1 ? ll_bom_length(s->line, s->length) : 0;
    s->line += mark;
    s->length -= mark;
    status = ll_jsonr_open(&s->json, s->line, s->length, problem);
    status = status == LL_OK ? ll_jsonr_text(&s->json, "type", &s->type, problem) : status;
    return status == LL_E_INPUT ? ll_survey_where(s, problem) : status;
}

/* ------------------------------------------------------------------ header */

static ll_status keep(ll_text *out, const char *text)
{
    ll_text_clear(out);
    ll_text_str(out, text);
    (void)ll_text_cstr(out);
    return out->failed ? LL_E_MEMORY : LL_OK;
}

/* Reads "I/N". False: not such a text. */
static bool read_shard(const char *text, ll_survey_source *s)
{
    uint64_t *const numbers[] = {&s->part.shard, &s->part.shards};
    for (unsigned i = 0; i < 2; i++) {
        const char *from = text;
        while (*text >= '0' && *text <= '9' && *numbers[i] <= SHARDS_MAX) {
            *numbers[i] = *numbers[i] * 10 + (uint64_t)(*text++ - '0');
        }
        if (text == from || *text != (i ? '\0' : '/')) {
            return false;
        }
        text++;
    }
    return s->part.shard && s->part.shard <= s->part.shards && s->part.shards <= SHARDS_MAX;
}

static ll_status take_header(ll_survey_source *s, ll_problem *problem)
{
    uint64_t schema = 0;
    const char *version = NULL;
    const char *rules = NULL;
    const char *shard = NULL;
    ll_status status = ll_jsonr_u64(&s->json, "schema", &schema, problem);
    status = status == LL_OK ? ll_jsonr_text(&s->json, "lightlint", &version, problem) : status;
    status = status == LL_OK ? ll_jsonr_text(&s->json, "rules", &rules, problem) : status;
    if (status == LL_OK && schema != SCHEMA) {
        status = LL_REFUSE(problem, "the ", s->what,
                           " has another schema than 1, the only one that this version reads; make it again");
    }
    if (status == LL_OK && ll_jsonr_has(&s->json, "shard")) {
        status = ll_jsonr_text(&s->json, "shard", &shard, problem);
        bool valid = status == LL_OK && read_shard(shard, s);
        status = status == LL_OK && !valid ? LL_REFUSE(problem, "shard: expected I/N, as in 1/8") : status;
    }
    status = status == LL_OK ? keep(&s->version, version) : status;
    return status == LL_OK ? keep(&s->rules, rules) : status;
}

ll_status ll_survey_open(ll_survey_source *s, const ll_allocator *allocator, const char *what,
                         const ll_sweep_input *input, ll_problem *problem)
{
    bool any = false;
    *s = (ll_survey_source){.input = input, .what = what};
    ll_jsonr_init(&s->json, allocator);
    ll_text_init(&s->block, allocator);
    ll_text_init(&s->version, allocator);
    ll_text_init(&s->rules, allocator);
    ll_text_init(&s->where, allocator);
    ll_status status = ll_survey_next(s, &any, problem);
    if (status != LL_OK) {
        return status;
    }
    if (!any) {
        return LL_SURVEY_REFUSE(s, problem, "it is empty; was the ", what, " stopped?");
    }
    if (strcmp(s->type, what) != 0) {
        return LL_SURVEY_REFUSE(s, problem, "no ", what, ": the first line is of type '", s->type, "'; lightlint ",
                                what, " makes one");
    }
    status = take_header(s, problem);
    return status == LL_E_INPUT ? ll_survey_where(s, problem) : status;
}

void ll_survey_close(ll_survey_source *s)
{
    ll_text_free(&s->block);
    ll_text_free(&s->version);
    ll_text_free(&s->rules);
    ll_text_free(&s->where);
    ll_jsonr_free(&s->json);
}

/* ------------------------------------------------------------------ parts */

ll_status ll_survey_match(ll_survey_source *s, const char *name, const char *version, const char *rules,
                          ll_problem *problem)
{
    const char *quote = name ? "'" : "";
    name = name ? name : "this program";
    if (strcmp(ll_text_cstr(&s->version), version) != 0) {
        return LL_SURVEY_REFUSE(s, problem, "made by lightlint ", ll_text_cstr(&s->version), ", but ", quote, name,
                                quote, " by ", version, "; make all parts with one version");
    }
    return strcmp(ll_text_cstr(&s->rules), rules) == 0
               ? LL_OK
               : LL_SURVEY_REFUSE(s, problem, "made with other rules than ", quote, name, quote,
                                  "; give all parts the same options and configuration");
}

/* The only input that is part `shard`. NULL: missing or repeated; *problem says which. */
static const ll_sweep_input *find_part(const ll_sweep_input *inputs, const ll_survey_part *parts, size_t count,
                                       uint64_t shard, ll_problem *problem)
{
    char number[LL_DIGITS_MAX];
    char all[LL_DIGITS_MAX];
    const ll_sweep_input *found = NULL;
    const char *shard_text = ll_digits(shard, number);
    const char *shards_text = ll_digits(parts[0].shards, all);
    for (size_t i = 0; i < count; i++) {
        if (parts[i].shard == shard && found) {
            (void)LL_REFUSE(problem, "part ", shard_text, " of ", shards_text, " is given twice: '", found->name,
                            "' and '", inputs[i].name, "'");
            return NULL;
        }
        found = parts[i].shard == shard ? &inputs[i] : found;
    }
    if (!found) {
        (void)LL_REFUSE(problem, "part ", shard_text, " of ", shards_text, " is missing");
    }
    return found;
}

ll_status ll_survey_complete(const ll_sweep_input *inputs, const ll_survey_part *parts, size_t count,
                             ll_problem *problem)
{
    char one[LL_DIGITS_MAX];
    char other[LL_DIGITS_MAX];
    if (problem) {
        problem->line = 1;
    }
    for (size_t i = 1; i < count; i++) {
        if (parts[i].shards != parts[0].shards) {
            return LL_REFUSE(problem, "'", inputs[0].name, "' is one of ",
                             ll_digits(parts[0].shards ? parts[0].shards : 1, one), ", but '", inputs[i].name,
                             "' one of ", ll_digits(parts[i].shards ? parts[i].shards : 1, other),
                             "; give all parts the same N of --shard I/N");
        }
    }
    for (uint64_t shard = 1; shard <= parts[0].shards; shard++) {
        if (!find_part(inputs, parts, count, shard, problem)) {
            return LL_E_INPUT;
        }
    }
    return LL_OK;
}

void ll_survey_header(ll_text *out, const char *what, const char *version, const char *rules, uint64_t shard,
                      uint64_t shards)
{
    ll_jsonw json = {out, false};
    ll_jsonw_begin(&json, '{');
    LL_JSON_PLAIN(&json, "type", what);
    LL_JSON_U64(&json, "schema", SCHEMA);
    LL_JSON_STR(&json, "lightlint", version);
    LL_JSON_STR(&json, "rules", rules);
    if (shards > 1) {
        char digits[LL_DIGITS_MAX];
        ll_jsonw_key(&json, "shard");
        ll_jsonw_open(&json);
        ll_text_str(out, ll_digits(shard, digits));
        ll_text_char(out, '/');
        ll_text_str(out, ll_digits(shards, digits));
        ll_jsonw_close(&json);
    }
    ll_jsonw_end(&json, '}');
    ll_text_char(out, '\n');
}

void ll_survey_rules(const ll_ruleset *rules, const ll_ruleset *more, char out[LL_RULES_HASH])
{
    uint64_t behind = more ? ll_rules_hash(more) : 0;
    uint64_t hash = ll_rules_hash(rules);
    hash = more ? ll_fnv(hash, &behind, sizeof behind) : hash;
    for (unsigned i = 0; i < LL_RULES_HASH - 1; i++) {
        out[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    }
    out[LL_RULES_HASH - 1] = '\0';
}
