/* Writes a complete census as JSON Lines for `census --merge` (docs/schema/census-part.schema.json), and reads and adds
 * them up. Input is not trusted: indices, and the lengths of values, are checked. */
#include "survey/census.h"

#include "base/json_write.h"
#include "survey/survey_read.h"

enum { VALUES_AT = 64 * 1024 }; /* bytes of a line of values */

static void hash_rules(const ll_census *census, char out[LL_RULES_HASH])
{
    ll_survey_rules(census->rules, census->claims, out);
}

/* ------------------------------------------------------------------ writing */

typedef struct writer {
    const ll_census *census;
    ll_text *text;
    ll_write_fn write;
    void *ctx;
    ll_jsonw json;
    ll_status status;
} writer;

static void begin_line(writer *w, const char *type)
{
    w->json = (ll_jsonw){w->text, false};
    ll_jsonw_begin(&w->json, '{');
    LL_JSON_PLAIN(&w->json, "type", type);
}

static void end_line(writer *w)
{
    ll_jsonw_end(&w->json, '}');
    ll_text_char(w->text, '\n');
    w->status = w->status == LL_OK ? ll_send_text(w->text, LL_SEND_AT, w->write, w->ctx) : w->status;
}

static void put_hash(writer *w, const char *key, uint64_t value)
{
    ll_jsonw_name(&w->json, key);
    ll_jsonw_hash(&w->json, value);
}

static void put_hex(writer *w, const char *key, const char *text)
{
    ll_jsonw_name(&w->json, key);
    ll_jsonw_hex(&w->json, (const uint8_t *)text, strlen(text));
}

static void put_seen(ll_text *out, const ll_seen *seen)
{
    ll_text_char(out, ' ');
    ll_text_hex(out, seen->key, 1);
    ll_text_char(out, ':');
    ll_text_u64(out, seen->count);
    if (seen->text) {
        ll_text_char(out, ':');
        ll_text_u64(out, seen->text->length);
        ll_text_char(out, ':');
        for (uint32_t i = 0; i < seen->text->kept; i++) {
            ll_text_hex(out, (uint8_t)seen->text->bytes[i], 2);
        }
    }
}

/* Writes values sorted by key, so that the order of files does not matter. */
static void put_values(writer *w, const ll_column *column)
{
    const ll_allocator *a = &w->census->store.allocator;
    uint32_t n = (uint32_t)column->seen.count;
    ll_sort_key *keys = a->alloc(a->ctx, 2 * ((size_t)n + 1) * sizeof *keys);
    if (!keys) {
        w->status = LL_E_MEMORY;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (ll_sort_key){column->seen.items[i].key, 0, i};
    }
    const ll_sort_key *sorted = ll_sort(keys, keys + n, n);
    for (uint32_t i = 0; i < n && w->status == LL_OK;) {
        begin_line(w, "values");
        ll_jsonw_key(&w->json, "values");
        ll_jsonw_open(&w->json);
        size_t from = w->text->length;
        for (; i < n && w->text->length - from < VALUES_AT && !w->text->failed; i++) {
            put_seen(w->text, &column->seen.items[sorted[i].item]);
        }
        ll_jsonw_close(&w->json);
        end_line(w);
    }
    a->release(a->ctx, keys);
}

static void put_column(writer *w, const ll_column_def *def, uint32_t number, const ll_column *column)
{
    begin_line(w, "field");
    LL_JSON_U64(&w->json, "number", number);
    LL_JSON_STR(&w->json, "field", def->field->name);
    LL_JSON_U64(&w->json, "count", column->count);
    LL_JSON_U64(&w->json, "nan", column->nan);
    LL_JSON_U64(&w->json, "infinite", column->infinite);
    LL_JSON_U64(&w->json, "denormal", column->denormal);
    LL_JSON_U64(&w->json, "negative_zero", column->negative_zero);
    put_hash(w, "rank", column->highest_rank);
    if (column->ranged) {
        put_hash(w, "low", column->low);
        put_hash(w, "high", column->high);
    }
    end_line(w);
    put_values(w, column);
}

static void put_place(writer *w, const ll_broken_place *place)
{
    begin_line(w, "place");
    put_hex(w, "file", place->file);
    put_hex(w, "path", place->path);
    put_hex(w, "value", place->value);
    LL_JSON_U64(&w->json, "address", place->address);
    LL_JSON_U64(&w->json, "offset", place->offset);
    LL_JSON_U64(&w->json, "length", place->length);
    if (place->inner.region) {
        put_hex(w, "region", place->inner.region);
        LL_JSON_U64(&w->json, "inner_offset", place->inner.offset);
        LL_JSON_U64(&w->json, "inner_length", place->inner.length);
    }
    end_line(w);
}

static void put_claim(writer *w, const ll_bound_rule *test, uint32_t number, const ll_census_group *group)
{
    const ll_places *places = group->places[number];
    begin_line(w, "claim");
    LL_JSON_U64(&w->json, "number", number);
    LL_JSON_STR(&w->json, "rule", ll_rule_at(w->census->rules, test->rule)->id);
    LL_JSON_U64(&w->json, "examined", group->tallies[number].examined);
    LL_JSON_U64(&w->json, "broken", group->tallies[number].broken);
    end_line(w);
    for (uint32_t i = 0; places && i < places->count; i++) {
        put_place(w, &places->at[i]);
    }
}

static void put_group(writer *w, const ll_census_walk *walk)
{
    const ll_census_group *group = walk->group;
    const ll_census_layout *layout = walk->layout;
    begin_line(w, "group");
    LL_JSON_STR(&w->json, "format", walk->format->format->family);
    LL_JSON_U64(&w->json, "layout", (uint64_t)walk->layout_number);
    LL_JSON_STR(&w->json, "record", layout->layout->name);
    put_hash(w, "kind", group->kind);
    LL_JSON_U64(&w->json, "kind_bytes", group->kind_bytes);
    LL_JSON_U64(&w->json, "other", group->other);
    LL_JSON_U64(&w->json, "records", group->records);
    LL_JSON_U64(&w->json, "broken", group->broken);
    LL_JSON_U64(&w->json, "leads", group->leads);
    LL_JSON_U64(&w->json, "files", group->files);
    LL_JSON_U64(&w->json, "file_min", group->file_min);
    LL_JSON_U64(&w->json, "file_max", group->file_max);
    end_line(w);
    for (uint32_t i = 0; i < layout->def_count && w->status == LL_OK; i++) {
        if (group->columns[i].count) {
            put_column(w, &layout->defs[i], i, &group->columns[i]);
        }
    }
    for (uint32_t i = 0; i < layout->program->test_count && w->status == LL_OK; i++) {
        if (group->tallies[i].examined || group->tallies[i].broken) {
            put_claim(w, &layout->program->tests[i], i, group);
        }
    }
}

static void put_totals(writer *w)
{
    const ll_census *census = w->census;
    begin_line(w, "corpus");
    LL_JSON_U64(&w->json, "files", census->files);
    LL_JSON_U64(&w->json, "members", census->members);
    LL_JSON_U64(&w->json, "bytes", census->bytes);
    LL_JSON_U64(&w->json, "unknown", census->unknown);
    LL_JSON_U64(&w->json, "unchecked", census->unchecked);
    LL_JSON_U64(&w->json, "distinct_limit", census->store.limit);
    end_line(w);
    for (size_t i = 0; i < census->format_count; i++) {
        begin_line(w, "format");
        LL_JSON_STR(&w->json, "format", census->formats[i].format->family);
        LL_JSON_U64(&w->json, "files", census->formats[i].files);
        LL_JSON_U64(&w->json, "bytes", census->formats[i].bytes);
        end_line(w);
    }
    for (size_t i = 0; i < census->rules->count; i++) {
        if (census->found[i]) {
            begin_line(w, "findings");
            LL_JSON_STR(&w->json, "rule", ll_rule_at(census->rules, i)->id);
            LL_JSON_U64(&w->json, "count", census->found[i]);
            end_line(w);
        }
    }
    for (size_t i = 0; i < census->references.count; i++) {
        begin_line(w, "reference");
        LL_JSON_U64(&w->json, "number", (uint64_t)i);
        for (unsigned k = 0; k < LL_LEADS; k++) {
            ll_jsonw_name(&w->json, ll_leads_names[k]);
            ll_jsonw_u64(&w->json, census->references.items[i].leads[k]);
        }
        end_line(w);
    }
}

ll_status ll_census_print_part(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx)
{
    writer w = {.census = census, .text = text, .write = write, .ctx = ctx, .status = LL_OK};
    char rules[LL_RULES_HASH];
    hash_rules(census, rules);
    ll_survey_header(text, "census", LL_VERSION_STRING, rules, census->shard, census->shards);
    put_totals(&w);
    ll_census_walk walk = {.format = NULL};
    while (w.status == LL_OK && ll_census_next(census, &walk)) {
        put_group(&w, &walk);
    }
    begin_line(&w, "end");
    end_line(&w);
    return w.status == LL_OK ? ll_send_text(text, 0, write, ctx) : w.status;
}

/* ------------------------------------------------------------------ reading */

typedef struct reader {
    ll_census *census;
    ll_survey_source source;
    ll_census_layout *layout; /* current group, which the following lines are about, */
    ll_census_group *group;
    const ll_column_def *def; /* current column of it, */
    ll_column *column;
    ll_places **places; /* and places of its current claim */
    ll_text text;
    bool ended;
    ll_problem *problem;
    ll_status status; /* the first failure */
} reader;

/* The number of a key; 0 and r->status set if missing. */
static uint64_t number(reader *r, const char *key)
{
    uint64_t value = 0;
    r->status = r->status == LL_OK ? ll_jsonr_u64(&r->source.json, key, &value, r->problem) : r->status;
    return r->status == LL_OK ? value : 0;
}

static uint64_t hash(reader *r, const char *key)
{
    uint64_t value = 0;
    r->status = r->status == LL_OK ? ll_jsonr_hash(&r->source.json, key, &value, r->problem) : r->status;
    return r->status == LL_OK ? value : 0;
}

static const char *text(reader *r, const char *key)
{
    const char *value = "";
    r->status = r->status == LL_OK ? ll_jsonr_text(&r->source.json, key, &value, r->problem) : r->status;
    return r->status == LL_OK ? value : "";
}

static void refuse(reader *r, const char *words)
{
    r->status = r->status == LL_OK ? LL_REFUSE(r->problem, words) : r->status;
}

/* A number below `limit`; 0 and r->status set otherwise. */
static size_t index_of(reader *r, const char *key, size_t limit)
{
    uint64_t value = number(r, key);
    if (value >= limit) {
        refuse(r, "a number is too large");
    }
    return r->status == LL_OK ? (size_t)value : 0;
}

static ll_census_format *format_named(reader *r)
{
    const char *name = text(r, "format");
    for (size_t i = 0; i < r->census->format_count; i++) {
        if (strcmp(r->census->formats[i].format->family, name) == 0) {
            return &r->census->formats[i];
        }
    }
    refuse(r, "an unknown format");
    return &r->census->formats[0];
}

static void take_corpus(reader *r)
{
    ll_census *census = r->census;
    census->files += number(r, "files");
    census->members += number(r, "members");
    census->bytes += number(r, "bytes");
    census->unknown += number(r, "unknown");
    census->unchecked += number(r, "unchecked");
    if (number(r, "distinct_limit") != census->store.limit) {
        refuse(r, "it was made with another number of values that are kept");
    }
}

static void take_format(reader *r)
{
    ll_census_format *format = format_named(r);
    format->files += number(r, "files");
    format->bytes += number(r, "bytes");
}

static void take_findings(reader *r)
{
    const char *id = text(r, "rule");
    for (size_t i = 0; i < r->census->rules->count; i++) {
        if (strcmp(ll_rule_at(r->census->rules, i)->id, id) == 0) {
            r->census->found[i] += number(r, "count");
            return;
        }
    }
    refuse(r, "an unknown rule");
}

static void take_reference(reader *r)
{
    if (r->census->references.count) {
        ll_census_reference *reference =
            &r->census->references.items[index_of(r, "number", r->census->references.count)];
        for (unsigned k = 0; k < LL_LEADS; k++) {
            reference->leads[k] += number(r, ll_leads_names[k]);
        }
    }
}

static void take_group(reader *r)
{
    ll_census_format *format = format_named(r);
    r->layout = &format->layouts[index_of(r, "layout", format->layout_count)];
    uint64_t kind = hash(r, "kind");
    uint8_t kind_bytes = (uint8_t)index_of(r, "kind_bytes", 9);
    bool other = number(r, "other") != 0;
    ll_census_group got = {.records = number(r, "records"),
                           .broken = number(r, "broken"),
                           .leads = number(r, "leads"),
                           .files = number(r, "files"),
                           .file_min = number(r, "file_min"),
                           .file_max = number(r, "file_max")};
    if (kind_bytes < 8 && kind >> 8U * kind_bytes) {
        refuse(r, "kind: more bytes than 'kind_bytes'");
    }
    r->group = r->status == LL_OK ? ll_census_group_of(r->census, r->layout, other, kind, kind_bytes) : NULL;
    if (r->group) {
        ll_census_add_counts(r->group, &got);
    }
    r->status = r->status == LL_OK && !r->group ? LL_E_MEMORY : r->status;
    r->column = NULL;
    r->places = NULL;
}

/* False, with r->status set, if the line needs a preceding one that is missing. */
static bool is_in(reader *r, const void *what)
{
    if (!what) {
        refuse(r, "the line does not belong here");
    }
    return r->status == LL_OK;
}

static void take_field(reader *r)
{
    if (!is_in(r, r->group)) {
        return;
    }
    size_t i = index_of(r, "number", r->layout->def_count);
    ll_column got = {.count = number(r, "count"),
                     .nan = number(r, "nan"),
                     .infinite = number(r, "infinite"),
                     .denormal = number(r, "denormal"),
                     .negative_zero = number(r, "negative_zero"),
                     .highest_rank = hash(r, "rank"),
                     .ranged = ll_jsonr_has(&r->source.json, "low")};
    got.low = got.ranged ? hash(r, "low") : 0;
    got.high = got.ranged ? hash(r, "high") : 0;
    if (r->status == LL_OK) {
        r->def = &r->layout->defs[i];
        r->column = &r->group->columns[i];
        bool done = ll_column_merge(r->column, &got, r->def, &r->census->store);
        r->status = done ? LL_OK : LL_E_MEMORY;
    }
}

static unsigned digit_of(char c)
{
    return c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10U : 16U;
}

/* Reads digits of a base up to any other character. False: no digit, or too large. */
static bool read_digits(const char **at, unsigned base, uint64_t *out)
{
    const char *from = *at;
    uint64_t value = 0;
    for (; digit_of(**at) < base; (*at)++) {
        if (value > (UINT64_MAX - digit_of(**at)) / base) {
            return false;
        }
        value = value * base + digit_of(**at);
    }
    *out = value;
    return *at != from;
}

/* Reads pairs of hex digits up to any other character. False: an odd digit, or more than `room` bytes. */
static bool read_hex(const char **at, char *out, size_t room, size_t *size)
{
    *size = 0;
    for (; digit_of((*at)[0]) < 16 && digit_of((*at)[1]) < 16 && *size < room; *at += 2) {
        out[(*size)++] = (char)(digit_of((*at)[0]) << 4 | digit_of((*at)[1]));
    }
    return digit_of(**at) == 16;
}

/* Reads " KEY:COUNT" or " KEY:COUNT:LENGTH:BYTES". */
static bool read_seen(const ll_column_def *def, const char **at, ll_seen *seen, ll_seen_text *info, char *bytes)
{
    uint64_t length = 0;
    size_t kept = 0;
    bool fine = *(*at)++ == ' ' && read_digits(at, 16, &seen->key) && *(*at)++ == ':' &&
                read_digits(at, 10, &seen->count) && seen->count;
    seen->text = NULL;
    if (fine && def->form == LL_COLUMN_TEXT) {
        fine = *(*at)++ == ':' && read_digits(at, 10, &length) && length <= UINT32_MAX && *(*at)++ == ':' &&
               read_hex(at, bytes, LL_CENSUS_TEXT, &kept) &&
               kept == (length < LL_CENSUS_TEXT ? length : LL_CENSUS_TEXT);
        *info = (ll_seen_text){(uint32_t)length, (uint32_t)kept};
        seen->text = info;
    } else if (fine && def->bytes < 8) {
        fine = seen->key >> 8U * def->bytes == 0;
    }
    return fine;
}

static void take_values(reader *r)
{
    const char *at = text(r, "values");
    char bytes[LL_CENSUS_TEXT];
    ll_seen_text info;
    ll_seen seen;
    if (!is_in(r, r->column)) {
        return;
    }
    while (r->status == LL_OK && *at) {
        if (!read_seen(r->def, &at, &seen, &info, bytes)) {
            refuse(r, "values: expected values of the field and their counts");
        } else if (!ll_column_put(r->column, r->def, &seen, bytes, &r->census->store)) {
            r->status = LL_E_MEMORY;
        }
    }
}

static void take_claim(reader *r)
{
    if (!is_in(r, r->group)) {
        return;
    }
    size_t i = index_of(r, "number", r->layout->program->test_count);
    uint64_t examined = number(r, "examined");
    uint64_t broken = number(r, "broken");
    if (r->status == LL_OK) {
        r->group->tallies[i].examined += examined;
        r->group->tallies[i].broken += broken;
        r->places = &r->group->places[i];
    }
}

/* Appends a text given in hex to r->text, with a NUL. Returns its offset. */
static size_t keep_hex(reader *r, const char *key)
{
    const char *at = text(r, key);
    size_t from = r->text.length;
    size_t size = strlen(at) / 2;
    char *room = ll_text_room(&r->text, size + 1);
    if (!room) {
        r->status = LL_E_MEMORY;
    } else if (!read_hex(&at, room, size, &size) || *at || memchr(room, '\0', size)) {
        refuse(r, "a text is not in hex digits");
    } else {
        room[size] = '\0';
        r->text.length += size + 1;
    }
    return from;
}

static void take_place(reader *r)
{
    if (!is_in(r, r->places)) {
        return;
    }
    bool inner = ll_jsonr_has(&r->source.json, "region");
    ll_text_clear(&r->text);
    size_t path = (keep_hex(r, "file"), keep_hex(r, "path"));
    size_t value = keep_hex(r, "value");
    size_t region = inner ? keep_hex(r, "region") : 0;
    ll_broken_place place = {
        .address = (uint32_t)index_of(r, "address", (size_t)UINT32_MAX),
        .offset = number(r, "offset"),
        .length = number(r, "length"),
        .inner = {.offset = inner ? number(r, "inner_offset") : 0, .length = inner ? number(r, "inner_length") : 0}};
    if (r->status == LL_OK) {
        place.file = r->text.data;
        place.path = r->text.data + path;
        place.value = r->text.data + value;
        place.inner.region = inner ? r->text.data + region : NULL;
        r->status = ll_census_keep_place(r->census, r->places, &place) ? LL_OK : LL_E_MEMORY;
    }
}

static void take_end(reader *r)
{
    r->ended = true;
}

static void take_line(reader *r)
{
    static const struct {
        const char *type;
        void (*take)(reader *r);
    } lines[] = {
        {"corpus", take_corpus}, {"format", take_format}, {"findings", take_findings}, {"reference", take_reference},
        {"group", take_group},   {"field", take_field},   {"values", take_values},     {"claim", take_claim},
        {"place", take_place},   {"end", take_end}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (strcmp(lines[i].type, r->source.type) == 0) {
            lines[i].take(r);
            return;
        }
    }
    r->status = LL_REFUSE(r->problem, "a census has no line of type '", r->source.type, "'");
}

/* Reads the lines after the header, to the end. */
static ll_status take_lines(reader *r)
{
    bool any = true;
    while (r->status == LL_OK && any) {
        r->status = ll_survey_next(&r->source, &any, r->problem);
        if (r->status != LL_OK) {
            return r->status; /* *problem has the place already */
        }
        if (any && !r->ended) {
            take_line(r);
        } else if (any || !r->ended) {
            refuse(r, any ? "a line after the end" : "it has no end; the census was not finished");
        }
    }
    return r->status == LL_E_INPUT ? ll_survey_where(&r->source, r->problem) : r->status;
}

static ll_status read_part(ll_census *census, const ll_sweep_input *input, ll_survey_part *part, ll_problem *problem)
{
    char rules[LL_RULES_HASH];
    reader r = {.census = census, .problem = problem, .status = LL_OK};
    ll_text_init(&r.text, &census->store.allocator);
    hash_rules(census, rules);
    ll_status status = ll_survey_open(&r.source, &census->store.allocator, "census", input, problem);
    status = status == LL_OK ? ll_survey_match(&r.source, NULL, LL_VERSION_STRING, rules, problem) : status;
    status = status == LL_OK ? take_lines(&r) : status;
    *part = r.source.part;
    ll_survey_close(&r.source);
    ll_text_free(&r.text);
    return status;
}

ll_status ll_census_read(ll_census *census, const ll_sweep_input *inputs, size_t count, ll_problem *problem)
{
    if (!census || !inputs || !count || count > SIZE_MAX / sizeof(ll_survey_part)) {
        return LL_E_ARGUMENT;
    }
    const ll_allocator *a = &census->store.allocator;
    ll_survey_part *parts = census->status == LL_OK ? a->alloc(a->ctx, count * sizeof *parts) : NULL;
    if (!parts) {
        return census->status == LL_OK ? LL_E_MEMORY : census->status;
    }
    for (size_t i = 0; i < count && census->status == LL_OK; i++) {
        census->status = read_part(census, &inputs[i], &parts[i], problem);
    }
    if (census->status == LL_OK) {
        census->status = ll_survey_complete(inputs, parts, count, problem);
    }
    if (census->status == LL_OK && count > 1 && !parts[0].shards) { /* they may share files */
        census->status =
            LL_REFUSE(problem, "'", inputs[0].name, "' is not a part; only parts made with --shard I/N can be joined");
    }
    a->release(a->ctx, parts);
    return census->status;
}
