/* Writes a workspace as JSON Lines and reads it back. A line is a folder, a file, or a fact of the file before it.
 * Bytes of names and texts are escaped as in reports, which can be reversed. */
#include "packages/kept.h"

#include "base/ints.h"
#include "base/json_read.h"
#include "base/json_write.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FULL = 64 * 1024 };

static const char FOLDER[] = "workspace-folder";
static const char FILE_LINE[] = "workspace-file";
static const char FACT[] = "workspace-fact";

static const char *const fact_names[LL_FACT_KIND_COUNT] = {
#define NAME(name, text) [LL_FACT_##name] = text,
    LL_FACT_KINDS(NAME)
#undef NAME
};

/* ------------------------------------------------------------------ writing */

typedef struct writer {
    const ll_workspace *w;
    ll_text out, escaped;
} writer;

/* Writes a name, or a path given in two pieces. */
static void put_pieces(writer *r, ll_jsonw *json, const char *key, const char *text, const char *more)
{
    ll_text_clear(&r->escaped);
    ll_text_escape(&r->escaped, text, strlen(text));
    ll_text_escape(&r->escaped, more, strlen(more));
    r->out.failed = r->out.failed || r->escaped.failed;
    ll_jsonw_name(json, key);
    ll_jsonw_string(json, r->escaped.data, r->escaped.length);
}

static void put_name(writer *r, ll_jsonw *json, const char *key, const char *name)
{
    put_pieces(r, json, key, name, "");
}

static void put_numbers(ll_jsonw *json, const char *const *keys, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i]) {
            ll_jsonw_name(json, keys[i]);
            ll_jsonw_u64(json, values[i]);
        }
    }
}

static void begin_line(writer *r, ll_jsonw *json, const char *type)
{
    *json = (ll_jsonw){&r->out, false};
    ll_jsonw_begin(json, '{');
    LL_JSON_PLAIN(json, "type", type);
}

static void end_line(writer *r, ll_jsonw *json)
{
    ll_jsonw_end(json, '}');
    ll_text_char(&r->out, '\n');
}

static const char *const fact_keys[] = {"owner", "index", "number", "offset", "length"};
static const char *const file_keys[] = {"offset", "size", "whole", "found", "unnamed"};
enum { FACT_KEYS = sizeof fact_keys / sizeof fact_keys[0], FILE_KEYS = sizeof file_keys / sizeof file_keys[0] };

static void put_fact(writer *r, const ll_kept_fact *fact)
{
    ll_jsonw json;
    begin_line(r, &json, FACT);
    LL_JSON_PLAIN(&json, "kind", fact_names[fact->kind]);
    put_numbers(&json, fact_keys,
                (const uint64_t[FACT_KEYS]){fact->owner, fact->index, fact->number, fact->offset, fact->length},
                FACT_KEYS);
    if (fact->text) {
        put_name(r, &json, "text", ll_pool_text(r->w, fact->text));
    }
    put_pieces(r, &json, "path", ll_pool_text(r->w, fact->path), ll_pool_text(r->w, fact->place));
    end_line(r, &json);
}

static void put_file(writer *r, const ll_kept_file *file)
{
    ll_jsonw json;
    begin_line(r, &json, FILE_LINE);
    put_name(r, &json, "file", file->name);
    if (file->identity != file->name) {
        put_name(r, &json, "identity", file->identity);
    }
    if (file->archive) {
        put_name(r, &json, "archive", file->archive);
    }
    LL_JSON_PLAIN(&json, "kind", ll_file_kind_names[file->kind]);
    put_numbers(&json, file_keys,
                (const uint64_t[FILE_KEYS]){file->offset, file->size, file->whole, file->found, file->unnamed},
                FILE_KEYS);
    if (file->hash) {
        ll_jsonw_key(&json, "hash");
        ll_jsonw_hash(&json, file->hash);
    }
    end_line(r, &json);
}

static ll_status pass_on(writer *r, size_t most, ll_write_fn write, void *ctx)
{
    if (r->out.failed) {
        return LL_E_MEMORY;
    }
    if (r->out.length <= most) {
        return LL_OK;
    }
    ll_status status = write(ctx, r->out.data, r->out.length) ? LL_OK : LL_E_WRITE;
    ll_text_clear(&r->out);
    return status;
}

/* By name; for equal names by kind, completeness and offset, so that a member comes before its linted report. */
static int compare_files(const void *a, const void *b)
{
    const ll_kept_file *one = *(const ll_kept_file *const *)a;
    const ll_kept_file *two = *(const ll_kept_file *const *)b;
    int order = strcmp(one->name, two->name);
    order = order ? order : (one->kind > two->kind) - (one->kind < two->kind);
    order = order ? order : (one->whole > two->whole) - (one->whole < two->whole);
    return order ? order : (one->offset > two->offset) - (one->offset < two->offset);
}

/* Sorts files so that the order does not depend on threads; NULL: out of memory. */
static const ll_kept_file **sort_files(const ll_workspace *w, ll_arena *arena)
{
    size_t n = w->files.count;
    const ll_kept_file **files = ll_arena_alloc(arena, n + 1, sizeof *files);
    for (size_t i = 0; files && i < n; i++) {
        files[i] = &w->files.items[i];
    }
    if (files) {
        qsort(files, n, sizeof *files, compare_files);
    }
    return files;
}

ll_status ll_workspace_write(const ll_workspace *w, ll_write_fn write, void *ctx)
{
    if (!w || !write || w->joined) {
        return LL_E_ARGUMENT;
    }
    writer r = {.w = w};
    ll_text_init(&r.out, &w->allocator);
    ll_text_init(&r.escaped, &w->allocator);
    ll_arena arena;
    ll_arena_init(&arena, &w->allocator, SIZE_MAX);
    const ll_kept_file **files = sort_files(w, &arena);
    ll_status status = files ? w->status : LL_E_MEMORY;
    for (size_t i = 0; i < w->folders.count; i++) {
        ll_jsonw json;
        begin_line(&r, &json, FOLDER);
        put_name(&r, &json, "file", w->folders.items[i]);
        end_line(&r, &json);
    }
    for (size_t i = 0; status == LL_OK && i < w->files.count; i++) {
        const ll_kept_file *file = files[i];
        put_file(&r, file);
        for (uint32_t f = 0; status == LL_OK && f < file->fact_count; f++) {
            put_fact(&r, &w->facts.items[file->first_fact + f]);
            status = pass_on(&r, FULL, write, ctx);
        }
    }
    status = status == LL_OK ? pass_on(&r, 0, write, ctx) : status;
    ll_arena_free(&arena);
    ll_text_free(&r.out);
    ll_text_free(&r.escaped);
    return status;
}

/* ------------------------------------------------------------------ reading */

typedef struct reader {
    ll_workspace *w;
    ll_jsonr json;
    ll_problem *problem;
} reader;

/* Reverses ll_text_escape() into `out`. */
static void unescape(const char *text, ll_text *out)
{
    ll_text_clear(out);
    while (*text) {
        bool doubled = text[0] == '\\' && text[1] == '\\';
        unsigned low = 0;
        for (unsigned i = 2; text[0] == '\\' && text[1] == 'x' && i < 4; i++) {
            const char *digits = "0123456789abcdef";
            const char *at = text[i] ? strchr(digits, text[i]) : NULL;
            low = at && low != UINT_MAX ? low << 4 | (unsigned)(at - digits) : UINT_MAX;
        }
        bool escaped = text[0] == '\\' && text[1] == 'x' && low && low != UINT_MAX;
        ll_text_char(out, escaped ? (char)low : text[0]);
        text += escaped ? 4 : doubled ? 2 : 1;
    }
}

static ll_status take_text(reader *r, const char *key, ll_text *out)
{
    const char *text;
    ll_status status = ll_jsonr_text(&r->json, key, &text, r->problem);
    if (status == LL_OK) {
        unescape(text, out);
        (void)ll_text_cstr(out);
        status = out->failed ? LL_E_MEMORY : LL_OK;
    }
    return status;
}

static ll_status take_pooled(reader *r, const char *key, uint32_t *out)
{
    *out = 0;
    ll_status status = ll_jsonr_has(&r->json, key) ? take_text(r, key, &r->w->scratch) : LL_OK;
    if (status == LL_OK && ll_jsonr_has(&r->json, key)) {
        *out = ll_pool_put(r->w, r->w->scratch.data, r->w->scratch.length);
        status = r->w->status;
    }
    return status;
}

/* Reads numbers; a missing one is 0. */
static ll_status take_numbers(reader *r, const char *const *keys, uint64_t *out, size_t count)
{
    ll_status status = LL_OK;
    for (size_t i = 0; status == LL_OK && i < count; i++) {
        out[i] = 0;
        status = ll_jsonr_has(&r->json, keys[i]) ? ll_jsonr_u64(&r->json, keys[i], &out[i], r->problem) : LL_OK;
    }
    return status;
}

static ll_status take_kind(reader *r, const char *const *names, size_t count, uint32_t *out)
{
    const char *kind;
    size_t number = 0;
    ll_status status = ll_jsonr_text(&r->json, "kind", &kind, r->problem);
    const ll_names known = LL_NAME_LIST(names, count);
    if (status == LL_OK && (number = ll_names_find(&known, kind)) == count) {
        status = LL_REFUSE(r->problem, "unknown kind '", kind, "'");
    }
    *out = (uint32_t)number;
    return status;
}

static ll_status take_fact(reader *r)
{
    uint64_t n[FACT_KEYS];
    uint32_t kind, text, path;
    ll_status status = take_kind(r, fact_names, LL_FACT_KIND_COUNT, &kind);
    status = status == LL_OK ? take_numbers(r, fact_keys, n, FACT_KEYS) : status;
    status = status == LL_OK ? take_pooled(r, "text", &text) : status;
    status = status == LL_OK ? take_pooled(r, "path", &path) : status;
    if (status != LL_OK) {
        return status;
    }
    const ll_kept_file *file = r->w->files.count ? &r->w->files.items[r->w->files.count - 1] : NULL;
    if (!file || n[0] > UINT32_MAX || n[1] > UINT32_MAX || n[3] > UINT32_MAX || n[4] > UINT32_MAX ||
        !ll_fits(n[3], n[4], file->size)) {
        return LL_REFUSE(r->problem, "a fact without a file, with bytes outside of it, or with a number above 32 bits");
    }
    return ll_workspace_put_fact(r->w, &(ll_kept_fact){.number = n[2],
                                                       .owner = (uint32_t)n[0],
                                                       .index = (uint32_t)n[1],
                                                       .text = text,
                                                       .path = path,
                                                       .offset = (uint32_t)n[3],
                                                       .length = (uint32_t)n[4],
                                                       .kind = (uint16_t)kind});
}

static ll_status take_file(reader *r, ll_text *texts)
{
    uint64_t n[FILE_KEYS];
    uint64_t hash = 0;
    uint32_t kind;
    bool renamed = ll_jsonr_has(&r->json, "identity"), packed = ll_jsonr_has(&r->json, "archive");
    ll_status status = take_kind(r, ll_file_kind_names, LL_FILE_KINDS, &kind);
    status = status == LL_OK ? take_numbers(r, file_keys, n, FILE_KEYS) : status;
    status =
        status == LL_OK && ll_jsonr_has(&r->json, "hash") ? ll_jsonr_hash(&r->json, "hash", &hash, r->problem) : status;
    status = status == LL_OK ? take_text(r, "file", &texts[0]) : status;
    status = status == LL_OK && renamed ? take_text(r, "identity", &texts[1]) : status;
    status = status == LL_OK && packed ? take_text(r, "archive", &texts[2]) : status;
    if (status != LL_OK) {
        return status;
    }
    if (packed && (texts[2].length >= texts[0].length || texts[0].data[texts[2].length] != '!' ||
                   memcmp(texts[0].data, texts[2].data, texts[2].length) != 0)) {
        return LL_REFUSE(r->problem, "a member whose name is not that of its archive, '!' and a path");
    }
    if (n[0] > UINT32_MAX || (n[0] && !packed)) {
        return LL_REFUSE(r->problem, "an offset above 32 bits, or of a file that is no member");
    }
    ll_kept_file *file = ll_workspace_put_file(r->w, texts[0].data, renamed ? texts[1].data : texts[0].data,
                                               packed ? texts[2].data : NULL);
    if (file) {
        file->kind = (uint8_t)kind;
        file->offset = n[0];
        file->size = n[1];
        file->whole = n[2];
        file->found = n[3];
        file->unnamed = n[4];
        file->hash = hash;
    }
    return r->w->status;
}

static ll_status take_line(reader *r, const char *line, size_t size, ll_text *texts)
{
    const char *type;
    ll_status status = ll_jsonr_open(&r->json, line, size, r->problem);
    status = status == LL_OK ? ll_jsonr_text(&r->json, "type", &type, r->problem) : status;
    if (status != LL_OK) {
        return status;
    }
    if (strcmp(type, FACT) == 0) {
        return take_fact(r);
    }
    if (strcmp(type, FILE_LINE) == 0) {
        return take_file(r, texts);
    }
    if (strcmp(type, FOLDER) == 0) {
        status = take_text(r, "file", &texts[0]);
        return status == LL_OK ? ll_workspace_add_folder(r->w, texts[0].length ? texts[0].data : ".") : status;
    }
    return LL_REFUSE(r->problem, "unknown type '", type, "'");
}

ll_status ll_workspace_read(ll_workspace *w, const char *lines, size_t size, ll_problem *problem)
{
    if (!w || w->joined || (!lines && size)) {
        return LL_E_ARGUMENT;
    }
    reader r = {.w = w, .problem = problem};
    ll_jsonr_init(&r.json, &w->allocator);
    ll_text texts[3];
    for (size_t i = 0; i < 3; i++) {
        ll_text_init(&texts[i], &w->allocator);
    }
    ll_status status = w->status;
    unsigned number = 0;
    for (size_t at = 0; status == LL_OK && at < size; number++) {
        const char *end = memchr(lines + at, '\n', size - at);
        size_t length = end ? (size_t)(end - lines) - at : size - at;
        status = take_line(&r, lines + at, length, texts);
        at += length + 1;
    }
    if (status == LL_E_INPUT && problem) {
        problem->line = number;
    }
    ll_jsonr_free(&r.json);
    for (size_t i = 0; i < 3; i++) {
        ll_text_free(&texts[i]);
    }
    return status;
}
