/* Emitters: which formats there are, what is counted, and the order of render, commit and finish. Knows no format
 * from the inside. After the first failure an emitter writes nothing more and says the same again. */
#include "report/emit.h"

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

ll_status ll_emit_bytes(ll_emitter *emitter, const char *bytes, size_t size)
{
    if (emitter->status == LL_OK && size && !emitter->write(emitter->ctx, bytes, size)) {
        emitter->status = LL_E_WRITE;
    }
    emitter->started = emitter->started || size;
    return emitter->status;
}

ll_status ll_emit_text(ll_emitter *emitter, ll_text *text)
{
    if (text->failed && emitter->status == LL_OK) {
        emitter->status = LL_E_MEMORY;
    }
    (void)ll_emit_bytes(emitter, text->data, text->length);
    ll_text_clear(text);
    return emitter->status;
}

ll_status ll_emit_plain(ll_emitter *emitter, ll_chunk *chunk)
{
    return ll_emit_text(emitter, &chunk->text);
}

ll_status ll_send_text(ll_text *text, size_t least, ll_write_fn write, void *ctx)
{
    if (text->failed) {
        return LL_E_MEMORY;
    }
    if (text->length <= least) {
        return LL_OK;
    }
    bool written = write(ctx, text->data, text->length);
    ll_text_clear(text);
    return written ? LL_OK : LL_E_WRITE;
}

bool ll_emit_fails(const ll_emitter *emitter, const ll_report *report, unsigned severity)
{
    ll_severity level = report->has_fail_level ? report->fail_level : emitter->options.fail_level;
    return level != LL_SEVERITY_OFF && severity >= (unsigned)level;
}

/* ------------------------------------------------------------------ chunks */

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
    ll_text_init(&chunk->text, &a);
    ll_text_init(&chunk->marks, &a);
    ll_text_init(&chunk->files, &a);
    return LL_OK;
}

void ll_chunk_free(ll_chunk *chunk)
{
    if (chunk) {
        ll_allocator a = chunk->allocator;
        ll_text_free(&chunk->text);
        ll_text_free(&chunk->marks);
        ll_text_free(&chunk->files);
        a.release(a.ctx, chunk);
    }
}

static void empty(ll_chunk *chunk)
{
    ll_text_clear(&chunk->text);
    ll_text_clear(&chunk->marks);
    ll_text_clear(&chunk->files);
    chunk->totals = (ll_totals){0};
}

static void count_report(ll_totals *totals, const ll_report *report)
{
    const ll_summary *s = &report->summary;
    totals->files++;
    totals->files_with_findings += s->errors + s->warnings + s->notes > 0;
    totals->unchecked += s->unchecked;
    totals->errors += s->errors;
    totals->warnings += s->warnings;
    totals->notes += s->notes;
    totals->dropped += s->dropped;
    totals->suppressed += s->suppressed;
    totals->baselined += s->baselined;
}

static void add_totals(ll_totals *to, const ll_totals *from)
{
    to->files += from->files;
    to->files_with_findings += from->files_with_findings;
    to->unchecked += from->unchecked;
    to->errors += from->errors;
    to->warnings += from->warnings;
    to->notes += from->notes;
    to->dropped += from->dropped;
    to->suppressed += from->suppressed;
    to->baselined += from->baselined;
}

/* ------------------------------------------------------------------ emitters */

static const ll_emit_format *find_format(const char *name, const char **kept)
{
    for (size_t i = 0; name && names[i]; i++) {
        if (strcmp(names[i], name) == 0) {
            *kept = names[i];
            return formats[i];
        }
    }
    return NULL;
}

ll_status ll_emitter_create(const ll_allocator *allocator, const ll_ruleset *rules, const ll_emit_options *options,
                            ll_write_fn write, void *ctx, ll_emitter **out)
{
    const char *name = NULL;
    const ll_emit_format *format =
        options && options->size == sizeof *options ? find_format(options->format, &name) : NULL;
    if (!out || !rules || !write || !format) {
        return LL_E_ARGUMENT;
    }
    ll_allocator a = ll_allocator_or_default(allocator);
    ll_emitter *emitter = a.alloc(a.ctx, sizeof *emitter);
    *out = emitter;
    if (!emitter) {
        return LL_E_MEMORY;
    }
    *emitter =
        (ll_emitter){.allocator = a, .format = format, .rules = rules, .options = *options, .write = write, .ctx = ctx};
    emitter->options.format = name;
    ll_text_init(&emitter->out, &a);
    ll_status status = format->open ? format->open(emitter) : LL_OK;
    if (status != LL_OK) {
        ll_emitter_free(emitter);
        *out = NULL;
    }
    return status;
}

ll_status ll_emitter_render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    if (!emitter || !report || !chunk || !report->rules) { /* NULL: nothing was linted into it */
        return LL_E_ARGUMENT;
    }
    size_t text = chunk->text.length;
    size_t marks = chunk->marks.length;
    size_t files = chunk->files.length;
    ll_status status = emitter->format->render(emitter, report, chunk);
    if (chunk->text.failed || chunk->marks.failed || chunk->files.failed) {
        status = LL_E_MEMORY;
    }
    if (status != LL_OK) { /* what the chunk held before stays good */
        chunk->text.length = text;
        chunk->marks.length = marks;
        chunk->files.length = files;
        chunk->text.failed = chunk->marks.failed = chunk->files.failed = false;
        return status;
    }
    count_report(&chunk->totals, report);
    return LL_OK;
}

ll_status ll_emitter_commit(ll_emitter *emitter, ll_chunk *chunk)
{
    if (!emitter || !chunk) {
        return LL_E_ARGUMENT;
    }
    if (emitter->status == LL_OK && chunk->totals.files) {
        ll_status status = emitter->format->commit(emitter, chunk);
        emitter->status = emitter->status == LL_OK ? status : emitter->status;
        add_totals(&emitter->totals, &chunk->totals);
    }
    empty(chunk);
    return emitter->status;
}

ll_status ll_emitter_finish(ll_emitter *emitter, int exit_code)
{
    if (!emitter) {
        return LL_E_ARGUMENT;
    }
    if (emitter->status == LL_OK) {
        ll_status status = emitter->format->finish(emitter, exit_code);
        emitter->status = emitter->status == LL_OK ? status : emitter->status;
    }
    return emitter->status;
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
