/* Emitters: the list of formats, the totals, and the order of render, commit and finish. Knows no format's details.
 * After the first failure an emitter writes nothing more and returns that failure again. */
#include "output/emit/emit.h"

#include "base/problem.h"
#include "rules/cross_check.h"

#define NAME(row, name) name,
static const char *const names[] = {LL_EMIT_FORMATS(NAME) NULL};
#undef NAME
#define ROW(row, name) &ll_emit_##row,
static const ll_emit_format *const formats[] = {LL_EMIT_FORMATS(ROW)};
#undef ROW

const char *const *ll_emit_formats(void)
{
    return names;
}

/* ------------------------------------------------------------------ writing */

static void fail(ll_emitter *emitter, ll_status status)
{
    emitter->status = emitter->status == LL_OK ? status : emitter->status;
}

static ll_status write_bytes(ll_emitter *emitter, const char *bytes, size_t size)
{
    if (emitter->status == LL_OK && size && !emitter->write(emitter->ctx, bytes, size)) {
        emitter->status = LL_E_WRITE;
    }
    return emitter->status;
}

ll_status ll_emit_text(ll_emitter *emitter, ll_text *text)
{
    fail(emitter, text->failed ? LL_E_MEMORY : LL_OK);
    (void)write_bytes(emitter, text->data, text->length);
    ll_text_clear(text);
    return emitter->status;
}

ll_status ll_emit_items(ll_emitter *emitter, ll_text *items)
{
    fail(emitter, items->failed ? LL_E_MEMORY : LL_OK);
    if (items->length) {
        size_t comma = !emitter->listed;
        emitter->listed = true;
        (void)write_bytes(emitter, items->data + comma, items->length - comma);
    }
    ll_text_clear(items);
    return emitter->status;
}

/* "2 fixable: lightlint fix; 1 more with --unsafe" */
static void put_mendable(const ll_totals *totals, ll_text *out)
{
    uint64_t safe = totals->mendable[LL_PATCH_SAFE];
    uint64_t unsafe = totals->mendable[LL_PATCH_UNSAFE];
    if (safe + unsafe) {
        ll_text_format(out, "%" PRIu64 " fixable: lightlint fix%s", safe ? safe : unsafe, safe ? "" : " --unsafe");
        if (safe && unsafe) {
            ll_text_format(out, "; %" PRIu64 " more with --unsafe", unsafe);
        }
        ll_text_char(out, '\n');
    }
}

/* Whether the user's verbosity hides the verdict of a text. */
static bool hides_verdict(const ll_emitter *emitter)
{
    bool clean = emitter->totals.files_with_findings == 0 && emitter->totals.unchecked == 0;
    return emitter->options.verbosity < -1 || (emitter->options.verbosity == -1 && clean);
}

ll_status ll_emit_verdict(ll_emitter *emitter, int exit_code)
{
    (void)exit_code;
    if (!hides_verdict(emitter)) {
        ll_verdict_text(&emitter->totals, &emitter->options.terminal, &emitter->out);
        put_mendable(&emitter->totals, &emitter->out);
    }
    return LL_OK;
}

void ll_emit_verdict_node(const ll_emitter *emitter, ll_outline *tree)
{
    if (tree->printer != &ll_outline_text || !hides_verdict(emitter)) {
        ll_text lines;
        ll_text_init(&lines, &emitter->allocator);
        ll_verdict_text(&emitter->totals, tree->terminal, &lines);
        put_mendable(&emitter->totals, &lines);
        ll_outline_verdict(tree, lines.data, lines.length);
        tree->words.failed = tree->words.failed || lines.failed;
        ll_text_free(&lines);
    }
}

bool ll_emit_fails(const ll_emitter *emitter, const ll_report *report, unsigned severity)
{
    ll_severity level = report->options.has_fail_level ? report->options.fail_level : emitter->options.fail_level;
    return level != LL_SEVERITY_OFF && severity >= (unsigned)level;
}

/* ------------------------------------------------------------------ links */

/* Where the project and its page of rules are on the web, set by the build; empty: nowhere. */
#ifndef LIGHTLINT_HOME
#define LIGHTLINT_HOME ""
#define LIGHTLINT_RULES_PAGE ""
#endif

const char *ll_home_url(const ll_emitter *emitter)
{
    const char *page = emitter->options.docs_url;
    return LIGHTLINT_HOME[0] || !page ? LIGHTLINT_HOME : page;
}

bool ll_rule_url(const ll_emitter *emitter, const char *id, const char *name, ll_text *out)
{
    bool is_shipped = LIGHTLINT_RULES_PAGE[0] && ll_shipped_family(id);
    const char *page = emitter->options.docs_url;
    page = page ? page : is_shipped ? LIGHTLINT_RULES_PAGE : "";
    if (!*page) {
        return false;
    }
    ll_text_str(out, page);
    ll_rule_anchor(id, name, out);
    return true;
}

void ll_linked_heading_text(const ll_emitter *emitter, const ll_finding *f, ll_text *out)
{
    static const char link[] = "\x1b]8;;"; /* OSC 8: address, text, empty address */
    static const char end[] = "\x1b\\";
    bool color = emitter->options.color;
    size_t start = out->length;
    ll_text_format(out, "%s%s[%s", ll_style_code(color, ll_severity_style(f->severity)), ll_severity_text(f->severity),
                   link);
    if (!emitter->options.links || !ll_rule_url(emitter, f->id, f->name, out)) {
        out->length = out->failed ? out->length : start;
        ll_heading_text(color, f->severity, f->id, f->name, out);
        return;
    }
    ll_text_format(out, "%s%s%s%s %s]%s", end, f->id, link, end, f->name, ll_style_code(color, LL_PLAIN));
}

/* ------------------------------------------------------------------ severities shown */

unsigned ll_severities_shown(const ll_emitter *emitter, const ll_report *report)
{
    unsigned shown = 0;
    bool all = emitter->options.verbosity > -2 || report->summary.incomplete;
    for (unsigned severity = LL_NOTE; severity <= LL_ERROR; severity++) {
        bool is_shown = all || ll_emit_fails(emitter, report, severity);
        shown |= (unsigned)is_shown << severity;
    }
    return shown;
}

void ll_clean_text(const ll_emitter *emitter, const ll_report *report, ll_text *out)
{
    const ll_summary *s = &report->summary;
    if (emitter->options.verbosity < 1 || s->errors + s->warnings + s->notes || s->unchecked) {
        return;
    }
    ll_name_text(report, out);
    ll_text_format(out, ": clean (%s, ", ll_report_format(report));
    ll_count_text(out, report->file.size, "byte");
    ll_marked_text(s->suppressed, s->baselined, out);
    ll_text_str(out, ")\n");
}

/* ------------------------------------------------------------------ the walk over findings */

ll_walk ll_walk_findings(ll_report *report)
{
    return (ll_walk){.report = report, .severities = LL_ALL_SEVERITIES, .status = ll_report_identify(report)};
}

ll_walk ll_walk_groups(const ll_emitter *emitter, ll_report *report)
{
    ll_walk walk = {.report = report, .severities = LL_ALL_SEVERITIES};
    if (!emitter->options.all && report->entries.count > 1) {
        walk.status = ll_report_fold(report, &walk.fold);
    }
    return walk;
}

bool ll_walk_next_entry(ll_walk *walk)
{
    while (walk->status == LL_OK && walk->next < walk->report->entries.count) {
        walk->entry = walk->next++;
        const ll_entry *entry = &walk->report->entries.items[walk->entry];
        walk->times = walk->fold.count ? walk->fold.count[walk->entry] : 1;
        if (!entry->mark && !entry->left_out && walk->times && walk->severities >> entry->severity & 1) {
            return true;
        }
    }
    return false;
}

bool ll_walk_next(ll_walk *walk)
{
    bool any = ll_walk_next_entry(walk);
    walk->status = any ? ll_finding_compose(walk->report, walk->entry, &walk->finding) : walk->status;
    return any && walk->status == LL_OK;
}

/* ------------------------------------------------------------------ totals */

const ll_total ll_total_rows[LL_TOTAL_COUNT] = {
#define ROW(name) {#name, offsetof(ll_totals, name)},
    LL_TOTALS(ROW)
#undef ROW
};

void ll_totals_add(ll_totals *to, ll_totals from)
{
    for (size_t i = 0; i < LL_TOTAL_COUNT; i++) {
        *ll_total_of(to, i) += *ll_total_of(&from, i);
    }
    for (size_t i = 0; i < sizeof to->mendable / sizeof *to->mendable; i++) {
        to->mendable[i] += from.mendable[i];
    }
}

static uint64_t hash_name(const char *name)
{
    return ll_fnv(LL_FNV_START, name, strlen(name));
}

/* A file counts once, whatever is found in it, in its members and across files. */
ll_totals ll_report_totals(const ll_report *report, ll_chunk *chunk)
{
    const ll_summary *s = &report->summary;
    const char *name = ll_report_file(report);
    uint64_t hash = hash_name(name);
    bool is_member = report->file.member != NULL;
    bool second = report->file.is_second;
    bool goes_on = (is_member || second) && hash == chunk->name; /* same file as the previous report */
    bool found_before = (goes_on && chunk->found) || (second && report->file.found_before);
    bool unchecked_before = second || (goes_on && chunk->unchecked);
    bool partly_before = unchecked_before || (goes_on && chunk->partly);
    chunk->name = hash;
    chunk->found = found_before || s->errors + s->warnings + s->notes > 0;
    chunk->unchecked = unchecked_before || s->incomplete;
    chunk->partly = partly_before || (s->unchecked && !s->incomplete);
    return (ll_totals){.files = !is_member && !second,
                       .members = is_member && !second,
                       .files_with_findings = chunk->found && !found_before,
                       .unchecked = chunk->unchecked && !unchecked_before,
                       .partly = chunk->partly && !partly_before,
                       .errors = s->errors,
                       .warnings = s->warnings,
                       .notes = s->notes,
                       .dropped = ll_report_missing(report),
                       .suppressed = s->suppressed,
                       .baselined = s->baselined};
}

/* Counts what `fix` applies by default: no notes, nothing across files, in a member only patches that keep its
 * length. */
static void count_mendable(const ll_report *report, ll_totals *out)
{
    for (uint32_t i = 0; i < report->entries.count; i++) {
        const ll_entry *e = &report->entries.items[i];
        bool fits = !report->file.member || e->patch.removed == e->patch.size;
        if (e->severity > LL_NOTE && !e->mark && !report->file.is_second && fits) {
            out->mendable[e->patch.tier]++;
        }
    }
}

/* ------------------------------------------------------------------ chunks */

enum { TEXTS = 3, ARRAYS = 4 };

typedef struct chunk_parts {
    ll_text *texts[TEXTS];
    ll_array *arrays[ARRAYS];
} chunk_parts;

static chunk_parts parts_of(ll_chunk *chunk)
{
    return (chunk_parts){{&chunk->text, &chunk->names, &chunk->scratch},
                         {&chunk->pieces.array, &chunk->counts.array, &chunk->artifacts.array, &chunk->indexes.array}};
}

ll_status ll_chunk_create(const ll_allocator *allocator, ll_chunk **out)
{
    if (!out) {
        return LL_E_ARGUMENT;
    }
    ll_allocator a = ll_allocator_or_default(allocator);
    ll_chunk *chunk = a.alloc(a.ctx, sizeof *chunk);
    *out = chunk;
    if (!chunk) {
        return LL_E_MEMORY;
    }
    *chunk = (ll_chunk){.allocator = a};
    chunk_parts parts = parts_of(chunk);
    for (size_t i = 0; i < TEXTS; i++) {
        ll_text_init(parts.texts[i], &a);
    }
    return LL_OK;
}

void ll_chunk_free(ll_chunk *chunk)
{
    if (!chunk) {
        return;
    }
    ll_allocator a = chunk->allocator;
    chunk_parts parts = parts_of(chunk);
    for (size_t i = 0; i < TEXTS; i++) {
        ll_text_free(parts.texts[i]);
    }
    for (size_t i = 0; i < ARRAYS; i++) {
        ll_array_free(parts.arrays[i], &a);
    }
    a.release(a.ctx, chunk);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Truncates the chunk to those lengths; what is shorter, because it was passed on, stays. False: a text had failed. */
static bool cut_back(ll_chunk *chunk, const size_t lengths[TEXTS + ARRAYS])
{
    bool whole = true;
    chunk_parts parts = parts_of(chunk);
    for (size_t i = 0; i < TEXTS; i++) {
        whole = whole && !parts.texts[i]->failed;
        parts.texts[i]->failed = false;
        parts.texts[i]->length = smaller(parts.texts[i]->length, lengths[i]);
    }
    for (size_t i = 0; i < ARRAYS; i++) {
        parts.arrays[i]->count = smaller(parts.arrays[i]->count, lengths[TEXTS + i]);
    }
    return whole;
}

void ll_chunk_when_full(ll_chunk *chunk, void (*full)(void *ctx), void *ctx)
{
    chunk->full = full;
    chunk->ctx = ctx;
}

bool ll_chunk_pass_on(ll_chunk *chunk)
{
    enum { FULL = 256 * 1024 };
    bool much = chunk->full && chunk->text.length > FULL && !chunk->text.failed;
    if (much) {
        chunk->full(chunk->ctx);
    }
    return much && chunk->text.length == 0;
}

/* ------------------------------------------------------------------ emitters */

bool ll_emit_is_for_people(const char *format)
{
    const ll_names known = LL_NAME_LIST(names, sizeof formats / sizeof formats[0]);
    size_t number = format ? ll_names_find(&known, format) : known.count;
    return number < known.count && formats[number]->for_people;
}

ll_status ll_emitter_create(const ll_allocator *allocator, const ll_ruleset *rules, const ll_emit_options *options,
                            ll_write_fn write, void *ctx, ll_emitter **out)
{
    const ll_names known = LL_NAME_LIST(names, sizeof formats / sizeof formats[0]);
    bool asked = options && options->size == sizeof *options && options->format;
    size_t number = asked ? ll_names_find(&known, options->format) : known.count;
    if (!out || !rules || !write || number == known.count) {
        return LL_E_ARGUMENT;
    }
    const ll_emit_format *format = formats[number];
    ll_allocator a = ll_allocator_or_default(allocator);
    ll_emitter *emitter = a.alloc(a.ctx, sizeof *emitter + format->state_size);
    *out = emitter;
    if (!emitter) {
        return LL_E_MEMORY;
    }
    *emitter = (ll_emitter){.allocator = a,
                            .format = format,
                            .rules = rules,
                            .options = *options,
                            .write = write,
                            .ctx = ctx,
                            .state = emitter + 1};
    emitter->options.format = names[number];
    ll_text_init(&emitter->out, &a);
    memset(emitter->state, 0, format->state_size);
    if (format->open) {
        format->open(emitter);
    }
    return LL_OK;
}

ll_status ll_emitter_render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    if (!emitter || !report || !chunk || !report->rules) { /* rules NULL: the report was never linted */
        return LL_E_ARGUMENT;
    }
    size_t before[TEXTS + ARRAYS] = {chunk->text.length,  chunk->names.length, 0,
                                     chunk->pieces.count, chunk->counts.count, chunk->artifacts.count,
                                     chunk->indexes.count};
    ll_fold fold = {NULL, NULL};
    const ll_emit_options *o = &emitter->options;
    bool limited = o->max_per_rule || o->max_per_file;
    bool folds = emitter->format->folds && !o->all && report->entries.count > 1;
    chunk->file = hash_name(ll_report_file(report));
    ll_status status = emitter->format->patches ? ll_report_settle_patches(report) : LL_OK;
    status = status == LL_OK && limited && folds ? ll_report_fold(report, &fold) : status;
    status = status == LL_OK ? ll_report_choose(report, &fold, o->max_per_rule, o->max_per_file, o->all) : status;
    status = status == LL_OK ? emitter->format->render(emitter, report, chunk) : status;
    if (status != LL_OK || chunk->text.failed || chunk->names.failed || chunk->scratch.failed) {
        bool whole = cut_back(chunk, before);
        return whole ? status : LL_E_MEMORY;
    }
    ll_totals totals = ll_report_totals(report, chunk);
    if (emitter->format->patches) {
        count_mendable(report, &totals);
    }
    ll_totals_add(&chunk->totals, totals);
    chunk->any = true;
    return LL_OK;
}

/* Writes the start of the output once: with the first chunk, or at the end of a run without one. */
static void begin(ll_emitter *emitter)
{
    const ll_emit_format *format = emitter->format;
    if (!emitter->begun) {
        ll_text_str(&emitter->out, format->head ? format->head : "");
        if (format->begin) {
            format->begin(emitter);
        }
        (void)ll_emit_text(emitter, &emitter->out);
    }
    emitter->begun = true;
}

bool ll_emit_bytes(void *ctx, const char *bytes, size_t size)
{
    begin(ctx);
    return write_bytes(ctx, bytes, size) == LL_OK;
}

ll_status ll_emit_packages(ll_emitter *emitter, uint64_t packages, uint64_t rules_not_run)
{
    emitter->totals.packages = packages;
    emitter->totals.rules_not_run = rules_not_run;
    if (emitter->format->packages && packages && emitter->status == LL_OK) {
        begin(emitter);
        emitter->format->packages(&emitter->totals, &emitter->out);
        (void)ll_emit_text(emitter, &emitter->out);
    }
    return emitter->status;
}

ll_status ll_emitter_commit(ll_emitter *emitter, ll_chunk *chunk)
{
    static const size_t nothing[TEXTS + ARRAYS] = {
        [TEXTS - 1] = SIZE_MAX}; /* not `scratch`: rendering may go on after a commit */
    if (!emitter || !chunk) {
        return LL_E_ARGUMENT;
    }
    if (emitter->status == LL_OK && (chunk->any || chunk->text.length)) {
        begin(emitter);
        const ll_emit_format *format = emitter->format;
        fail(emitter, format->commit    ? format->commit(emitter, chunk)
                      : format->is_list ? ll_emit_items(emitter, &chunk->text)
                                        : ll_emit_text(emitter, &chunk->text));
        ll_totals_add(&emitter->totals, chunk->totals);
    }
    (void)cut_back(chunk, nothing);
    chunk->totals = (ll_totals){0};
    chunk->any = false;
    return emitter->status;
}

void ll_emitter_found_configs(ll_emitter *emitter, const ll_found_config *configs, size_t count)
{
    emitter->totals.configs = configs;
    emitter->totals.config_count = count;
}

ll_status ll_emitter_finish(ll_emitter *emitter, int exit_code)
{
    if (!emitter) {
        return LL_E_ARGUMENT;
    }
    if (emitter->status == LL_OK) {
        begin(emitter);
        fail(emitter, emitter->format->finish(emitter, exit_code));
        (void)ll_emit_text(emitter, &emitter->out);
    }
    return emitter->status;
}

uint64_t ll_emitter_missing(const ll_emitter *emitter)
{
    return emitter->totals.dropped + emitter->cut;
}

void ll_emitter_free(ll_emitter *emitter)
{
    if (emitter) {
        ll_allocator a = emitter->allocator;
        if (emitter->format->close) {
            emitter->format->close(emitter);
        }
        ll_text_free(&emitter->out);
        a.release(a.ctx, emitter);
    }
}
