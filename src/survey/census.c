/* Makes a census: adds up the contents of the reports of a corpus. Decides which columns a record has and which records
 * are counted together. Broken spans are counted but not read. Ignores severities: a rule that is off is a claim like
 * any other. */
#include "survey/census.h"

#include "base/ints.h"
#include "model/reference.h"
#include "rules/literal.h"

#include <math.h>

enum { MEMORY_MAX = 256 * 1024 * 1024, SHORT_VECTOR = 4, COLUMNS_PER_FIELD = 5 };

/* ------------------------------------------------------------------ columns */

static ll_column_def make_def(const ll_field *field, unsigned number, unsigned form, unsigned type)
{
    return (ll_column_def){.field = field,
                           .suffix = "",
                           .number = (uint16_t)number,
                           .part = LL_COLUMN_ALL,
                           .elements = 1,
                           .form = (uint8_t)form,
                           .type = (uint8_t)type,
                           .bytes = (uint8_t)ll_type_bytes(type),
                           .flip = ll_flip_of(type)};
}

static ll_column_def number_def(const ll_field *field, unsigned number, unsigned type)
{
    ll_column_def def = make_def(field, number, LL_COLUMN_NUMBER, type);
    def.exponent = type == LL_TYPE_F16 ? 0x7C00 : type == LL_TYPE_F32 ? 0x7F800000 : 0;
    def.sign = type == LL_TYPE_F16 ? 0x8000 : type == LL_TYPE_F32 ? 0x80000000 : 0;
    return def;
}

static ll_column_def length_def(const ll_field *field, unsigned number)
{
    ll_column_def def = number_def(field, number, LL_TYPE_U32);
    def.suffix = ".length";
    return def;
}

static ll_column_def norm_def(const ll_field *field, unsigned number)
{
    ll_column_def def = make_def(field, number, LL_COLUMN_NORM, LL_TYPE_F32);
    def.suffix = ".norm";
    def.bytes = sizeof(double);
    def.flip = UINT64_MAX;
    def.exponent = UINT64_C(0x7FF0000000000000);
    def.sign = UINT64_C(0x8000000000000000);
    return def;
}

static ll_column_def bytes_def(const ll_field *field, unsigned number)
{
    ll_column_def def = make_def(field, number, LL_COLUMN_TEXT, LL_TYPE_U8);
    def.type = field->type;
    return def;
}

/* Whether some rule claims that the field is a unit vector. */
static bool has_norm(const ll_census *census, const ll_program *program, unsigned number)
{
    for (uint32_t i = 0; i < program->test_count; i++) {
        const ll_rule *rule = ll_rule_at(census->claims, program->tests[i].rule);
        if (program->tests[i].test.field_number == number && strcmp(rule->test.check, "unit_norm") == 0) {
            return true;
        }
    }
    return false;
}

static uint32_t record_defs(const ll_census *census, const ll_layout *layout, const ll_program *program,
                            ll_column_def *out)
{
    uint32_t n = 0;
    for (unsigned f = 0; f < layout->field_count; f++) {
        const ll_field *field = &layout->fields[f];
        if (field->type >= LL_TYPE_CHARS) {
            out[n++] = bytes_def(field, f);
            continue;
        }
        unsigned elements = ll_field_elements(field);
        bool split = elements > 1 && elements <= SHORT_VECTOR;
        for (unsigned part = 0; part < (split ? elements : 1); part++) {
            out[n] = number_def(field, f, field->type);
            out[n].part = split ? (uint16_t)part : LL_COLUMN_ALL;
            out[n++].elements = (uint16_t)(split ? 1 : elements);
        }
        if (has_norm(census, program, f)) {
            out[n++] = norm_def(field, f);
        }
    }
    return n;
}

/* The only column of a span without fields: its bytes. */
static const ll_field contents = {"bytes", 0, 0, LL_TYPE_BYTES, LL_ROLE_DATA, LL_SURE_KNOWN, "", "all of it"};

static uint32_t make_defs(const ll_census *census, const ll_layout *layout, const ll_program *program,
                          ll_column_def *out)
{
    uint32_t n = 0;
    switch ((ll_kind)layout->kind) {
    case LL_KIND_RECORD:
        return record_defs(census, layout, program, out);
    case LL_KIND_STRING:
        for (unsigned part = 0; part < LL_STRING_PARTS; part++) {
            out[n++] = length_def(&ll_string_fields[part], part);
            if (part != LL_STRING_TERMINATOR) {
                out[n++] = bytes_def(&ll_string_fields[part], part);
            }
        }
        return n;
    case LL_KIND_BYTES:
    case LL_KIND_GAP:
    case LL_KIND_UNPARSED:
        out[n++] = length_def(&contents, 0);
        out[n++] = bytes_def(&contents, 0);
        return n;
    case LL_KIND_GROUP:
        break;
    }
    return n;
}

/* Sorts the tests of a program, which come in the order of their filters, by rule; by_field: by field first. */
static const ll_sort_key *sort_tests(ll_census *census, const ll_program *program, bool by_field)
{
    uint32_t n = program->test_count;
    ll_sort_key *keys = ll_arena_alloc(&census->arena, n, 2 * sizeof *keys);
    for (uint32_t i = 0; keys && i < n; i++) {
        uint64_t field = by_field ? program->tests[i].test.field_number : 0;
        keys[i] = (ll_sort_key){field << 32 | program->tests[i].rule, 0, i};
    }
    return keys ? ll_sort(keys, keys + n, n) : NULL;
}

static bool plan_layout(ll_census *census, const ll_layout *layout, const ll_program *program, ll_census_layout *out)
{
    uint32_t most = (layout->field_count + 1U) * COLUMNS_PER_FIELD;
    ll_column_def *defs = ll_arena_alloc(&census->arena, most, sizeof *defs);
    *out = (ll_census_layout){.layout = layout,
                              .program = program,
                              .by_rule = sort_tests(census, program, false),
                              .by_field = sort_tests(census, program, true),
                              .defs = defs,
                              .kind_field = ll_kind_field(layout)};
    for (uint32_t i = 0; i < program->test_count; i++) {
        census->has_claims[program->tests[i].rule] = true;
    }
    out->def_count = defs ? make_defs(census, layout, program, defs) : 0;
    return defs && out->by_rule && out->by_field;
}

static bool plan_references(ll_census *census, const ll_format *format)
{
    for (size_t i = 0; i < format->reference_count; i++) {
        const ll_reference *row = &format->references[i];
        if (!LL_ARRAY_ROOM(&census->references, 1, &census->store.allocator)) {
            return false;
        }
        census->references.items[census->references.count++] =
            (ll_census_reference){format, row, &format->layouts[row->layout], &format->layouts[row->target], {0}};
    }
    return true;
}

static ll_status plan_formats(ll_census *census)
{
    census->formats = ll_arena_zalloc(&census->arena, ll_format_count(), sizeof *census->formats);
    census->format_count = census->formats ? ll_format_count() : 0;
    for (size_t f = 0; f < census->format_count; f++) {
        const ll_format *format = ll_format_at(f);
        const ll_format_program *program = NULL;
        ll_status status = ll_ruleset_program(census->claims, format, LL_PROGRAM_ALL, &program);
        if (status != LL_OK) {
            return status;
        }
        ll_census_layout *layouts = ll_arena_zalloc(&census->arena, format->layout_count, sizeof *layouts);
        census->formats[f] = (ll_census_format){.format = format, .layouts = layouts};
        for (size_t l = 0; layouts && l < format->layout_count; l++) {
            if (!plan_layout(census, &format->layouts[l], &program->layouts[l], &layouts[l])) {
                return LL_E_MEMORY;
            }
            census->formats[f].layout_count++;
        }
        if (!layouts || !plan_references(census, format)) {
            return LL_E_MEMORY;
        }
    }
    return census->formats ? LL_OK : LL_E_MEMORY;
}

/* ------------------------------------------------------------------ life */

ll_status ll_census_create(const ll_allocator *allocator, const ll_ruleset *rules, const ll_census_options *options,
                           ll_census **out)
{
    if (!rules || !rules->sealed || !out || (options && options->size != sizeof *options)) {
        return LL_E_ARGUMENT;
    }
    ll_allocator a = ll_allocator_or_default(allocator);
    ll_census *census = a.alloc(a.ctx, sizeof *census);
    *out = NULL;
    if (!census) {
        return LL_E_MEMORY;
    }
    *census = (ll_census){.store = {a, LL_CENSUS_DISTINCT}, .rules = rules};
    if (options && options->distinct) {
        census->store.limit = options->distinct < (1U << 30) ? options->distinct : 1U << 30;
    }
    census->shard = options ? options->shard : 0;
    census->shards = options ? options->shards : 0;
    ll_arena_init(&census->arena, &a, MEMORY_MAX);
    ll_text_init(&census->text, &a);
    ll_status status = ll_ruleset_claims(rules, &a, &census->claims);
    census->found = ll_arena_zalloc(&census->arena, rules->count, sizeof *census->found);
    census->has_claims = ll_arena_zalloc(&census->arena, rules->count, sizeof *census->has_claims);
    if (status == LL_OK) {
        status = census->found && census->has_claims ? plan_formats(census) : LL_E_MEMORY;
    }
    if (status != LL_OK) {
        ll_census_free(census);
        return status;
    }
    *out = census;
    return LL_OK;
}

static void release_place(ll_census *census, const ll_broken_place *place)
{
    census->store.allocator.release(census->store.allocator.ctx, (void *)(uintptr_t)place->file);
}

/* Frees what a group holds outside the arena. */
static void empty_group(ll_census *census, const ll_census_layout *layout, ll_census_group *group)
{
    for (uint32_t i = 0; i < layout->def_count; i++) {
        ll_column_free(&group->columns[i], &census->store);
    }
    for (uint32_t i = 0; i < layout->program->test_count; i++) {
        for (uint32_t k = 0; group->places[i] && k < group->places[i]->count; k++) {
            release_place(census, &group->places[i]->at[k]);
        }
        if (group->places[i]) {
            group->places[i]->count = 0;
        }
    }
}

bool ll_census_next(const ll_census *census, ll_census_walk *walk)
{
    for (; walk->format_number < census->format_count; walk->format_number++, walk->layout_number = 0) {
        walk->format = &census->formats[walk->format_number];
        while (walk->layout_number < walk->format->layout_count) {
            walk->layout = &walk->format->layouts[walk->layout_number];
            if (walk->group_number < walk->layout->group_count) {
                walk->group = walk->layout->groups[walk->group_number++];
                return true;
            }
            walk->layout_number++;
            walk->group_number = 0;
        }
    }
    return false;
}

void ll_census_free(ll_census *census)
{
    if (!census) {
        return;
    }
    ll_census_walk walk = {.format = NULL};
    while (ll_census_next(census, &walk)) {
        empty_group(census, walk.layout, walk.group);
    }
    ll_allocator a = census->store.allocator;
    ll_ruleset_free(census->claims);
    ll_text_free(&census->text);
    LL_ARRAY_FREE(&census->references, &a);
    ll_arena_free(&census->arena);
    a.release(a.ctx, census);
}

/* ------------------------------------------------------------------ places */

/* By file name, then address, then length. */
static int compare_places(const ll_broken_place *a, const ll_broken_place *b)
{
    int order = strcmp(a->file, b->file);
    if (order || a->address != b->address) {
        return order ? order : (a->address < b->address ? -1 : 1);
    }
    return a->length < b->length ? -1 : a->length > b->length;
}

bool ll_census_keep_place(ll_census *census, ll_places **slot, const ll_broken_place *place)
{
    if (!*slot) {
        *slot = ll_arena_zalloc(&census->arena, 1, sizeof **slot);
        if (!*slot) {
            return false;
        }
    }
    ll_places *places = *slot;
    uint32_t at = places->count;
    while (at > 0 && compare_places(place, &places->at[at - 1]) < 0) {
        at--;
    }
    if (at == LL_CENSUS_PLACES) {
        return true;
    }
    const char *texts[] = {place->file, place->path, place->value, place->inner.region ? place->inner.region : ""};
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    size_t need = 0;
    for (size_t i = 0; i < TEXTS; i++) {
        if (!ll_add_size(need, strlen(texts[i]) + 1, &need)) {
            return false;
        }
    }
    char *block = census->store.allocator.alloc(census->store.allocator.ctx, need);
    if (!block) {
        return false;
    }
    if (places->count == LL_CENSUS_PLACES) {
        release_place(census, &places->at[--places->count]);
    }
    memmove(&places->at[at + 1], &places->at[at], (places->count - at) * sizeof places->at[0]);
    places->count++;
    for (size_t i = 0; i < TEXTS; i++) {
        size_t n = strlen(texts[i]) + 1;
        texts[i] = memcpy(block, texts[i], n);
        block += n;
    }
    places->at[at] = *place;
    places->at[at].file = texts[0];
    places->at[at].path = texts[1];
    places->at[at].value = texts[2];
    places->at[at].inner.region = place->inner.region ? texts[3] : NULL;
    return true;
}

/* ------------------------------------------------------------------ groups */

static ll_census_group *new_group(ll_census *census, const ll_census_layout *layout)
{
    ll_census_group *group = ll_arena_zalloc(&census->arena, 1, sizeof *group);
    ll_column *columns = ll_arena_zalloc(&census->arena, layout->def_count, sizeof *columns);
    ll_tally *tallies = ll_arena_zalloc(&census->arena, layout->program->test_count, sizeof *tallies);
    ll_places **places = ll_arena_zalloc(&census->arena, layout->program->test_count, sizeof(ll_places *));
    if (!group || !columns || !tallies || !places) {
        return NULL;
    }
    for (uint32_t i = 0; i < layout->def_count; i++) {
        columns[i].highest_rank = UINT64_MAX;
    }
    group->columns = columns;
    group->tallies = tallies;
    group->places = places;
    group->file_min = UINT64_MAX;
    return group;
}

void ll_census_add_counts(ll_census_group *into, const ll_census_group *from)
{
    into->records += from->records;
    into->broken += from->broken;
    into->leads += from->leads;
    if (into->other) { /* adding the files of two kinds could count a file twice */
        return;
    }
    into->files += from->files;
    into->file_min = from->file_min < into->file_min ? from->file_min : into->file_min;
    into->file_max = from->file_max > into->file_max ? from->file_max : into->file_max;
}

static bool add_group(ll_census *census, const ll_census_layout *layout, ll_census_group *into,
                      const ll_census_group *from)
{
    bool done = true;
    ll_census_add_counts(into, from);
    for (uint32_t i = 0; done && i < layout->def_count; i++) {
        done = ll_column_merge(&into->columns[i], &from->columns[i], &layout->defs[i], &census->store);
    }
    for (uint32_t i = 0; done && i < layout->program->test_count; i++) {
        into->tallies[i].examined += from->tallies[i].examined;
        into->tallies[i].broken += from->tallies[i].broken;
        for (uint32_t k = 0; done && from->places[i] && k < from->places[i]->count; k++) {
            done = ll_census_keep_place(census, &into->places[i], &from->places[i]->at[k]);
        }
    }
    return done;
}

/* The last group, which collects the kinds that are not counted separately. */
static ll_census_group *other_group(ll_census *census, ll_census_layout *layout)
{
    if (layout->group_count && layout->groups[layout->group_count - 1]->other) {
        return layout->groups[layout->group_count - 1];
    }
    ll_census_group *group = new_group(census, layout);
    if (group) {
        group->other = true;
        layout->groups[layout->group_count++] = group;
    }
    return group;
}

/* Moves the counts of a group to `other`, and empties it for reuse, so that dropped groups take no memory. */
static ll_census_group *recycled(ll_census *census, ll_census_layout *layout, ll_census_group *group)
{
    ll_census_group *other = other_group(census, layout);
    if (!other || !add_group(census, layout, other, group)) {
        return NULL;
    }
    empty_group(census, layout, group);
    *group = (ll_census_group){
        .columns = group->columns, .tallies = group->tallies, .places = group->places, .file_min = UINT64_MAX};
    for (uint32_t i = 0; i < layout->program->test_count; i++) {
        group->tallies[i] = (ll_tally){0, 0};
    }
    return group;
}

/* Finds or makes the group of a kind. Only the kinds with the lowest tags are counted separately; the result does not
 * depend on the order of files, since a kind counted separately in the end always was. */
static ll_census_group *find_group(ll_census *census, ll_census_layout *layout, uint64_t kind, uint8_t kind_bytes)
{
    uint32_t kinds = layout->group_count;
    kinds -= kinds && layout->groups[kinds - 1]->other;
    uint32_t at = 0;
    while (at < kinds && (layout->groups[at]->kind_bytes < kind_bytes ||
                          (layout->groups[at]->kind_bytes == kind_bytes && layout->groups[at]->kind < kind))) {
        at++;
    }
    if (at < kinds && layout->groups[at]->kind == kind && layout->groups[at]->kind_bytes == kind_bytes) {
        return layout->groups[at];
    }
    if (at == LL_CENSUS_KINDS) {
        return other_group(census, layout);
    }
    ll_census_group *group =
        kinds == LL_CENSUS_KINDS ? recycled(census, layout, layout->groups[kinds - 1]) : new_group(census, layout);
    if (!group) {
        return NULL;
    }
    uint32_t behind = kinds == LL_CENSUS_KINDS ? kinds - 1 - at : layout->group_count++ - at;
    memmove(&layout->groups[at + 1], &layout->groups[at], behind * sizeof layout->groups[0]);
    group->kind = kind;
    group->kind_bytes = kind_bytes;
    layout->groups[at] = group;
    return group;
}

ll_census_group *ll_census_group_of(ll_census *census, ll_census_layout *layout, bool other, uint64_t kind,
                                    uint8_t kind_bytes)
{
    return other ? other_group(census, layout) : find_group(census, layout, kind, kind_bytes);
}

static ll_census_format *format_of(ll_census *census, const ll_doc *doc)
{
    for (size_t f = 0; f < census->format_count; f++) {
        if (census->formats[f].format == doc->format) {
            return &census->formats[f];
        }
    }
    return NULL;
}

/* The group of a span, chosen by its own tag or that of a record around it. */
static ll_census_group *group_of(ll_census *census, const ll_census_format *format, uint32_t number)
{
    const ll_doc *doc = &census->report->doc;
    for (uint32_t span = number; span != LL_NO_SPAN; span = ll_doc_span(doc, span)->parent) {
        const ll_span *s = ll_doc_span(doc, span);
        uint16_t kind_field = format->layouts[s->layout].kind_field;
        if (kind_field != LL_NO_FIELD && s->count) {
            const ll_field *field = &format->format->layouts[s->layout].fields[kind_field];
            uint64_t kind = ll_pack_bytes(ll_doc_at(doc, s->offset) + field->offset, field->bytes);
            return find_group(census, &format->layouts[ll_doc_span(doc, number)->layout], kind, (uint8_t)field->bytes);
        }
    }
    return find_group(census, &format->layouts[ll_doc_span(doc, number)->layout], 0, 0);
}

/* ------------------------------------------------------------------ one file */

static double norm_of(const uint8_t *bytes, const ll_field *field, unsigned endian)
{
    unsigned step = ll_type_bytes(field->type);
    double sum = 0;
    for (unsigned i = 0; i < ll_field_elements(field); i++) {
        double part = ll_read_number(bytes + (size_t)i * step, field->type, endian);
        sum += part * part;
    }
    return sqrt(sum);
}

static bool count_column(ll_census *census, const ll_layout *layout, const ll_column_def *def, ll_column *column,
                         const uint8_t *record)
{
    const uint8_t *bytes = record + def->field->offset;
    if (def->form == LL_COLUMN_TEXT) {
        return ll_column_bytes(column, def, bytes, def->field->bytes, &census->store);
    }
    if (def->form == LL_COLUMN_NORM) {
        double norm = norm_of(bytes, def->field, layout->endian);
        uint64_t bits;
        memcpy(&bits, &norm, sizeof bits);
        return ll_column_number(column, def, bits, &census->store);
    }
    bytes += def->part == LL_COLUMN_ALL ? 0 : (size_t)def->part * def->bytes;
    bool done = true;
    for (unsigned i = 0; done && i < def->elements; i++) {
        done = ll_column_number(column, def, ll_read_uint(bytes, def->bytes, layout->endian), &census->store);
        bytes += def->bytes;
    }
    return done;
}

/* Counts a string or a stretch of bytes: its length, and its content if there is any. */
static bool count_stretch(ll_census *census, const ll_census_layout *layout, const ll_column_def *def,
                          ll_column *column, uint32_t number)
{
    const ll_doc *doc = &census->report->doc;
    const ll_span *span = ll_doc_span(doc, number);
    ll_where at = {.offset = span->offset, .length = span->length};
    if (layout->layout->kind == LL_KIND_STRING) {
        at = ll_at_field(doc, number, 0, def->number);
    }
    if (def->form == LL_COLUMN_NUMBER) {
        return ll_column_number(column, def, at.length, &census->store);
    }
    if (at.length == 0 && def->field->role == LL_ROLE_PADDING) {
        return true;
    }
    return ll_column_bytes(column, def, ll_doc_at(doc, at.offset), at.length, &census->store);
}

static bool count_span(ll_census *census, ll_census_format *format, uint32_t number)
{
    const ll_doc *doc = &census->report->doc;
    const ll_span *span = ll_doc_span(doc, number);
    const ll_census_layout *layout = &format->layouts[span->layout];
    ll_census_group *group = group_of(census, format, number);
    if (!group) {
        return false;
    }
    bool is_record = layout->layout->kind == LL_KIND_RECORD;
    uint32_t elements = is_record ? span->count : 1;
    bool is_broken = span->flags & LL_SPAN_BROKEN;
    group->leads += span->offset == 0 && span->parent == LL_NO_SPAN;
    group->records += elements;
    group->in_file += elements;
    group->broken += is_broken ? elements : 0;
    bool done = true;
    if (!is_record) {
        for (uint32_t i = 0; !is_broken && done && i < layout->def_count; i++) {
            done = count_stretch(census, layout, &layout->defs[i], &group->columns[i], number);
        }
        return done;
    }
    const uint8_t *record = ll_doc_at(doc, span->offset);
    for (uint32_t element = 0; !is_broken && done && element < elements; element++) {
        for (uint32_t i = 0; done && i < layout->def_count; i++) {
            done = count_column(census, layout->layout, &layout->defs[i], &group->columns[i], record);
        }
        record += layout->layout->size;
    }
    return done;
}

/* ------------------------------------------------------------------ references */

const char *const ll_leads_names[LL_LEADS] = {"count", "null", "target", "between", "outside", "unknown"};

static unsigned target_class(ll_resolver *resolver, uint32_t span, uint32_t element)
{
    ll_target target;
    ll_resolve(resolver, span, element, &target);
    if (target.null || !target.targets->known || !target.inside) {
        return target.null ? LL_LEADS_NULL : target.targets->known ? LL_LEADS_OUTSIDE : LL_LEADS_UNKNOWN;
    }
    bool whole = resolver->row->how == LL_BY_INDEX || ll_target_place(resolver, &target).span != LL_NO_SPAN;
    return whole ? LL_LEADS_TARGET : LL_LEADS_BETWEEN;
}

static void count_leads(ll_census_reference *reference, const ll_doc *doc)
{
    ll_resolver resolver = ll_resolver_start(doc, reference->row);
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *span = ll_doc_span(doc, i);
        bool points = span->layout == reference->row->layout && !(span->flags & LL_SPAN_BROKEN);
        for (uint32_t element = 0; points && element < span->count; element++) {
            reference->leads[LL_LEADS_COUNT]++;
            reference->leads[target_class(&resolver, i, element)]++;
        }
    }
}

/* ------------------------------------------------------------------ files */

static void end_file(ll_census_format *format)
{
    for (size_t l = 0; l < format->layout_count; l++) {
        for (uint32_t g = 0; g < format->layouts[l].group_count; g++) {
            ll_census_group *group = format->layouts[l].groups[g];
            if (group->in_file && !group->other) {
                group->files++;
                group->file_min = group->in_file < group->file_min ? group->in_file : group->file_min;
                group->file_max = group->in_file > group->file_max ? group->in_file : group->file_max;
            }
            group->in_file = 0;
        }
    }
}

/* ------------------------------------------------------------------ claims */

/* Finds the group of a span in the file that was counted already. */
static ll_census_group *group_again(ll_census *census, uint32_t span)
{
    return group_of(census, format_of(census, &census->report->doc), span);
}

static ll_tally *give_tallies(void *ctx, uint32_t span)
{
    return group_again(ctx, span)->tallies;
}

static ll_status take_broken(void *ctx, uint32_t span, uint32_t test, const ll_where *at)
{
    ll_census *census = ctx;
    const ll_doc *doc = &census->report->doc;
    ll_places **slot = &group_again(census, span)->places[test];
    ll_view view = ll_view_of(doc, at);
    ll_broken_place place = {.file = doc->name, .address = at->offset};
    place.inner = ll_view_split(&census->report->file, &view, &place.offset, &place.length);
    place.offset -= ll_report_start(census->report); /* a census treats a member as a file */
    place.inner.member = NULL;
    const ll_places *full = *slot && (*slot)->count == LL_CENSUS_PLACES ? *slot : NULL;
    if (full && compare_places(&place, &full->at[LL_CENSUS_PLACES - 1]) >= 0) {
        return LL_OK; /* before any text is composed */
    }
    ll_text *text = &census->text;
    ll_text_clear(text);
    ll_path_text(doc, at, text);
    ll_text_char(text, '\0');
    size_t value = text->length;
    const ll_field *field = ll_where_field(doc, at);
    if (field) {
        ll_value_text(doc, field, ll_doc_layout(doc, span)->endian, at->offset, at->length, text);
    }
    ll_text_char(text, '\0');
    if (text->failed) {
        return LL_E_MEMORY;
    }
    place.path = text->data;
    place.value = text->data + value;
    return ll_census_keep_place(census, slot, &place) ? LL_OK : LL_E_MEMORY;
}

static void take_found(void *ctx, uint32_t rule)
{
    ll_census *census = ctx;
    census->found[rule]++;
}

/* ------------------------------------------------------------------ adding up */

static ll_status count_file(ll_census *census, ll_report *report)
{
    ll_doc *doc = &report->doc;
    ll_census_format *format = format_of(census, doc);
    bool is_member = report->file.member != NULL;
    bool unchecked_before = is_member && census->file_unchecked;
    census->report = report;
    census->files += !is_member;
    census->members += is_member;
    census->bytes += is_member ? 0 : report->file.size;
    census->file_unchecked = unchecked_before || report->summary.unchecked;
    census->unchecked += census->file_unchecked && !unchecked_before;
    if (!format) {
        census->unknown++;
    } else {
        format->files++;
        format->bytes += report->file.size;
        for (uint32_t i = 0; i < doc->span_count; i++) {
            if (!count_span(census, format, i)) {
                return LL_E_MEMORY;
            }
        }
    }
    for (size_t i = 0; i < census->references.count; i++) {
        if (census->references.items[i].format == doc->format) {
            count_leads(&census->references.items[i], doc);
        }
    }
    ll_counter counter = {census, give_tallies, take_broken, take_found};
    ll_status status = ll_engine_count(census->claims, doc, &counter);
    if (format) {
        end_file(format);
    }
    return status;
}

ll_status ll_census_add(ll_census *census, ll_report *report)
{
    if (!census || !report || !report->rules || report->doc.status != LL_OK) {
        return LL_E_ARGUMENT;
    }
    if (census->status == LL_OK) {
        census->status = count_file(census, report);
    }
    return census->status;
}

static ll_status merge_layout(ll_census *into, ll_census_layout *to, const ll_census_layout *from)
{
    for (uint32_t g = 0; g < from->group_count; g++) {
        const ll_census_group *group = from->groups[g];
        ll_census_group *target = ll_census_group_of(into, to, group->other, group->kind, group->kind_bytes);
        if (!target || !add_group(into, to, target, group)) {
            return LL_E_MEMORY;
        }
    }
    return LL_OK;
}

static ll_status merge(ll_census *into, const ll_census *from)
{
    into->files += from->files;
    into->members += from->members;
    into->bytes += from->bytes;
    into->unknown += from->unknown;
    into->unchecked += from->unchecked;
    for (size_t i = 0; i < into->rules->count; i++) {
        into->found[i] += from->found[i];
    }
    for (size_t i = 0; i < into->references.count * LL_LEADS; i++) {
        into->references.items[i / LL_LEADS].leads[i % LL_LEADS] +=
            from->references.items[i / LL_LEADS].leads[i % LL_LEADS];
    }
    ll_status status = from->status;
    for (size_t f = 0; status == LL_OK && f < into->format_count; f++) {
        into->formats[f].files += from->formats[f].files;
        into->formats[f].bytes += from->formats[f].bytes;
        for (size_t l = 0; status == LL_OK && l < into->formats[f].format->layout_count; l++) {
            status = merge_layout(into, &into->formats[f].layouts[l], &from->formats[f].layouts[l]);
        }
    }
    return status;
}

ll_status ll_census_merge(ll_census *into, const ll_census *from)
{
    if (!into || !from || into == from || into->rules != from->rules || into->store.limit != from->store.limit) {
        return LL_E_ARGUMENT;
    }
    if (into->status == LL_OK) {
        into->status = merge(into, from);
    }
    return into->status;
}
