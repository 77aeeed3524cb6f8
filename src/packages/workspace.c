/* Adds files to a workspace and joins it. The result does not depend on the order of files or on how they were spread
 * over workspaces. */
#include "base/problem.h"
#include "model/format.h"
#include "packages/join.h"
#include "packages/kept.h"
#include "packages/manifest.h"
#include "packages/packages.h"

#include <string.h>

enum { TEXT_MAX = 4096 }; /* bytes of a fact's text; names and paths are shorter */

const char *const ll_file_kind_names[LL_FILE_KINDS] = {"other", "array", "harmonics", "dataset", "archive", "manifest"};

/* ------------------------------------------------------------------ life */

ll_status ll_workspace_create(const ll_allocator *allocator, const ll_ruleset *rules, ll_workspace **out)
{
    if (!out || !rules || !rules->sealed) {
        return LL_E_ARGUMENT;
    }
    ll_allocator a = ll_allocator_or_default(allocator);
    *out = a.alloc(a.ctx, sizeof **out);
    if (!*out) {
        return LL_E_MEMORY;
    }
    **out = (ll_workspace){.allocator = a, .rules = rules};
    ll_text_init(&(*out)->scratch, &a);
    ll_text_init(&(*out)->span_path.text, &a);
    ll_arena_init(&(*out)->spare, &a, SIZE_MAX);
    ll_arena_init(&(*out)->arena, &a, SIZE_MAX);
    ll_kept_text *empty = LL_ARRAY_ADD(&(*out)->texts, &a);
    if (!empty) {
        ll_workspace_free(*out);
        *out = NULL;
        return LL_E_MEMORY;
    }
    *empty = (ll_kept_text){.text = ""};
    return LL_OK;
}

void ll_workspace_free(ll_workspace *w)
{
    if (!w) {
        return;
    }
    ll_allocator a = w->allocator;
    ll_packages_free(w);
    ll_arena_free(&w->arena);
    ll_arena_free(&w->spare);
    ll_text_free(&w->span_path.text);
    ll_text_free(&w->scratch);
    ll_map_free(&w->by_text, &a);
    ll_map_free(&w->by_bytes, &a);
    LL_ARRAY_FREE(&w->hashed, &a);
    LL_ARRAY_FREE(&w->texts, &a);
    LL_ARRAY_FREE(&w->files, &a);
    LL_ARRAY_FREE(&w->facts, &a);
    LL_ARRAY_FREE(&w->folders, &a);
    a.release(a.ctx, w);
}

/* ------------------------------------------------------------------ facts */

typedef struct collector {
    ll_workspace *w;
    const ll_doc *doc;
    uint32_t span, path; /* of the last fact */
} collector;

static uint32_t place_of(collector *c, const ll_fact *fact)
{
    ll_workspace *w = c->w;
    const ll_where *at = &fact->at;
    ll_kept_place *last = &w->places[fact->kind];
    ll_kept_place here = {.field = ll_where_field(c->doc, at),
                          .element = at->element,
                          .part = at->part,
                          .indexed = ll_doc_span(c->doc, at->span)->flags & LL_SPAN_ARRAY};
    if (here.field && here.field == last->field && here.element == last->element && here.part == last->part &&
        here.indexed == last->indexed) {
        return last->text;
    }
    ll_text_clear(&w->scratch);
    ll_field_path_text(c->doc, at, &w->scratch);
    here.text = ll_pool_put_made(w, &w->scratch);
    *last = here;
    return here.text;
}

static bool collect(void *ctx, const ll_fact *fact)
{
    collector *c = ctx;
    ll_workspace *w = c->w;
    if (!c->path || c->span != fact->at.span) {
        ll_span_path_to(&w->span_path, c->doc, fact->at.span);
        c->span = fact->at.span;
        c->path = ll_pool_put_made(w, &w->span_path.text);
    }
    bool has_text = fact->text && fact->text_length <= TEXT_MAX && !memchr(fact->text, 0, fact->text_length);
    ll_kept_fact kept = {.number = fact->number,
                         .owner = fact->owner,
                         .index = fact->index,
                         .offset = fact->at.offset,
                         .length = fact->at.length,
                         .path = c->path,
                         .place = place_of(c, fact),
                         .kind = (uint16_t)fact->kind};
    kept.text = has_text ? ll_pool_put(w, (const char *)fact->text, fact->text_length) : 0;
    return ll_workspace_put_fact(w, &kept) == LL_OK;
}

/* Sorts the facts of one kind by owner and index; usually they are in that order. */
static void sort_kind(ll_kept_fact *facts, uint32_t n, ll_kept_fact *copy, ll_sort_key *keys)
{
    uint32_t sorted = 1;
    while (sorted < n &&
           (facts[sorted - 1].owner < facts[sorted].owner ||
            (facts[sorted - 1].owner == facts[sorted].owner && facts[sorted - 1].index <= facts[sorted].index))) {
        sorted++;
    }
    if (sorted >= n) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (ll_sort_key){facts[i].owner, facts[i].index, i};
    }
    memcpy(copy, facts, n * sizeof *copy);
    const ll_sort_key *order = ll_sort(keys, keys + n, n);
    for (uint32_t i = 0; i < n; i++) {
        facts[i] = copy[order[i].item];
    }
}

/* Sorts the facts of a file by kind, owner and index. */
static ll_status sort_facts(ll_workspace *w, const ll_kept_file *file)
{
    uint32_t n = file->fact_count;
    if (n < 2) {
        return w->status;
    }
    uint32_t ends[LL_FACT_KIND_COUNT] = {0};
    ll_kept_fact *facts = w->facts.items + file->first_fact;
    ll_kept_fact *copy = ll_arena_alloc(&w->spare, n, sizeof *copy);
    ll_sort_key *keys = ll_arena_alloc(&w->spare, n, 2 * sizeof *keys);
    if (!copy || !keys) {
        return ll_workspace_fail(w, LL_E_MEMORY);
    }
    for (uint32_t i = 0; i < n; i++) {
        ends[facts[i].kind]++;
    }
    for (unsigned kind = 1; kind < LL_FACT_KIND_COUNT; kind++) {
        ends[kind] += ends[kind - 1];
    }
    memcpy(copy, facts, n * sizeof *copy);
    for (uint32_t i = n; i-- > 0;) {
        facts[--ends[copy[i].kind]] = copy[i];
    }
    for (unsigned kind = 0; kind < LL_FACT_KIND_COUNT; kind++) {
        uint32_t end = kind + 1 < LL_FACT_KIND_COUNT ? ends[kind + 1] : n;
        sort_kind(facts + ends[kind], end - ends[kind], copy, keys);
    }
    ll_arena_reset(&w->spare);
    return w->status;
}

/* ------------------------------------------------------------------ reports */

/* Are the paths of all members of an archive known? If so, a file that is not listed is missing, whatever else is
 * wrong. */
static bool tells_members(const ll_report *report, bool *unnamed)
{
    const ll_doc *doc = &report->doc;
    *unnamed = false;
    for (uint32_t i = 0; i < doc->member_count; i++) {
        *unnamed = *unnamed || doc->members[i].unnamed;
    }
    return !doc->fatal && !doc->opaque && !*unnamed;
}

/* Was the document read in full, and free of findings of rules that are errors by default? If not, its statements about
 * other files may be wrong, too, and are not judged. */
static bool is_whole(const ll_report *report)
{
    const ll_doc *doc = &report->doc;
    bool whole = !doc->fatal && !doc->opaque && !doc->unread && !doc->unchecked && !doc->unsupported;
    for (uint32_t i = 0; whole && doc->fault_count && i < doc->span_count; i++) {
        const ll_span *span = ll_doc_span(doc, i);
        whole = !(span->flags & LL_SPAN_BROKEN) && span->layout != LL_LAYOUT_UNPARSED;
    }
    for (uint32_t i = 0; whole && i < report->entries.count; i++) {
        whole = ll_rule_at(report->rules, report->entries.items[i].rule)->severity != LL_ERROR;
    }
    return whole;
}

static void put_member_name(const ll_report *report, const ll_member *member, const char *archive, ll_text *out)
{
    ll_text_str(out, archive);
    ll_text_char(out, '!');
    ll_member_path(&report->doc, member, out);
}

/* Adds the members of an archive as files that exist; those that can be linted are added again with their reports. */
static void add_members(ll_workspace *w, const ll_report *report)
{
    const ll_doc *doc = &report->doc;
    bool same = strcmp(report->options.identity, ll_report_name(report)) == 0;
    size_t start = 0; /* start of the identity in `name` */
    ll_text name;
    ll_text_init(&name, &w->allocator);
    for (uint32_t i = 0; w->status == LL_OK && i < doc->member_count; i++) {
        const ll_member *member = &doc->members[i];
        ll_text_clear(&name);
        put_member_name(report, member, ll_report_name(report), &name);
        if (!same) {
            ll_text_char(&name, '\0');
            start = name.length;
            put_member_name(report, member, report->options.identity, &name);
        }
        const char *both = ll_text_cstr(&name);
        ll_kept_file *file = name.failed ? NULL : ll_workspace_put_file(w, both, both + start, ll_report_name(report));
        if (!file) {
            (void)ll_workspace_fail(w, LL_E_MEMORY);
            break;
        }
        file->unnamed = member->unnamed;
        file->offset = member->offset;
        file->size = member->length;
    }
    ll_text_free(&name);
}

static bool has_bytes(const void *ctx, uint32_t item)
{
    const ll_workspace *w = ctx;
    const ll_kept_file *file = &w->files.items[w->files.count - 1];
    const ll_kept_file *there = &w->files.items[w->hashed.items[item]];
    return there->hash == file->hash && there->size == file->size && there->kind == file->kind;
}

static uint64_t hash_bytes(const void *ctx, uint32_t item)
{
    const ll_workspace *w = ctx;
    return w->files.items[w->hashed.items[item]].hash;
}

/* Number of the first file with the same bytes as the last file, perhaps itself. */
static uint32_t first_of_bytes(ll_workspace *w)
{
    uint32_t number = (uint32_t)w->files.count - 1, item = (uint32_t)w->hashed.count;
    if (!LL_ARRAY_ROOM(&w->hashed, 1, &w->allocator) ||
        !ll_map_room(&w->by_bytes, item, hash_bytes, w, &w->allocator)) {
        (void)ll_workspace_fail(w, LL_E_MEMORY);
        return number;
    }
    uint32_t there = ll_map_note(&w->by_bytes, w->files.items[number].hash, item, has_bytes, w);
    if (there != LL_MAP_NONE) {
        return w->hashed.items[there];
    }
    w->hashed.items[w->hashed.count++] = number;
    return number;
}

static void add_facts(ll_workspace *w, const ll_doc *doc, ll_kept_file *file)
{
    if (file->kind == LL_FILE_ARRAY || file->kind == LL_FILE_HARMONICS) {
        file->hash = ll_map_hash_bytes(0, doc->bytes, doc->size);
        const ll_kept_file *first = &w->files.items[first_of_bytes(w)];
        if (first != file) {
            file->first_fact = first->first_fact;
            file->fact_count = first->fact_count;
            return;
        }
    }
    w->span_path.depth = 0;
    (void)ll_facts(doc, collect, &(collector){.w = w, .doc = doc});
    (void)sort_facts(w, file);
}

ll_status ll_workspace_add(ll_workspace *w, ll_report *report)
{
    if (!w || !report || w->joined) {
        return LL_E_ARGUMENT;
    }
    const ll_doc *doc = &report->doc;
    if (!report->file.archive && !ll_is_of_package(ll_report_name(report))) {
        return w->status;
    }
    ll_kept_file *file =
        ll_workspace_put_file(w, ll_report_name(report), report->options.identity, report->file.archive);
    if (!file) {
        return w->status;
    }
    file->kind = doc->format ? (uint8_t)doc->format->file_kind : LL_FILE_OTHER;
    file->unnamed = report->file.unnamed;
    file->whole =
        file->kind == LL_FILE_ARCHIVE ? tells_members(report, &file->unnamed) : doc->format && is_whole(report);
    file->size = report->file.size;
    file->found = report->summary.errors + report->summary.warnings + report->summary.notes > 0;
    file->offset = doc->regions[0].outer_offset;
    add_facts(w, doc, file);
    if (file->kind == LL_FILE_ARCHIVE && !doc->opaque) {
        add_members(w, report);
    }
    return w->status;
}

ll_status ll_workspace_add_name(ll_workspace *w, const char *path)
{
    if (!w || !path || w->joined) {
        return LL_E_ARGUMENT;
    }
    (void)ll_workspace_put_file(w, path, path, NULL);
    return w->status;
}

ll_status ll_workspace_add_folder(ll_workspace *w, const char *path)
{
    if (!w || !path || w->joined) {
        return LL_E_ARGUMENT;
    }
    const char *key = ll_keep_key(w, path, path);
    size_t n = strlen(key);
    const char *kept = ll_arena_copy(&w->arena, key, n > 1 && key[n - 1] == '/' ? n - 1 : n);
    const char **folder = kept ? LL_ARRAY_ADD(&w->folders, &w->allocator) : NULL;
    if (!folder) {
        return ll_workspace_fail(w, LL_E_MEMORY);
    }
    *folder = kept;
    return w->status;
}

/* ------------------------------------------------------------------ manifests */

static void keep_value(ll_workspace *w, ll_fact_kind kind, uint32_t index, const ll_manifest_text *value)
{
    ll_text *path = &w->scratch;
    ll_text_clear(path);
    if (kind == LL_FACT_MANIFEST_ENTRY) {
        ll_text_format(path, "Entry[%u].FilePath", index);
    } else {
        ll_text_str(path, kind == LL_FACT_MANIFEST_NAME ? "Name" : "FpkType");
    }
    ll_kept_fact fact = {.index = index,
                         .offset = value->offset,
                         .length = value->length,
                         .kind = (uint16_t)kind,
                         .number = !!value->text};
    fact.path = ll_pool_put_made(w, &w->scratch);
    fact.text = value->text ? ll_pool_put(w, value->text, strlen(value->text)) : 0;
    (void)ll_workspace_put_fact(w, &fact);
}

ll_status ll_workspace_add_manifest(ll_workspace *w, const char *path, const void *bytes, size_t size,
                                    ll_problem *problem)
{
    if (!w || !path || w->joined || (!bytes && size)) {
        return LL_E_ARGUMENT;
    }
    ll_manifest manifest;
    ll_kept_file *file = ll_workspace_put_file(w, path, path, NULL);
    ll_status status = file ? ll_manifest_read(&manifest, bytes, size, &w->spare) : w->status;
    if (status != LL_OK) {
        (void)ll_workspace_fail(w, status);
    } else if (manifest.refused) {
        (void)ll_problem_at(problem, manifest.line, manifest.column);
        (void)LL_PROBLEM(problem, manifest.refused);
        status = LL_E_INPUT;
        w->summary.unread += manifest.line == 0;
    } else {
        file->kind = LL_FILE_MANIFEST;
        file->whole = true;
        file->size = size;
        keep_value(w, LL_FACT_MANIFEST_NAME, 0, &manifest.name);
        keep_value(w, LL_FACT_MANIFEST_TYPE, 0, &manifest.type);
        for (uint32_t i = 0; w->status == LL_OK && i < manifest.entries.count; i++) {
            keep_value(w, LL_FACT_MANIFEST_ENTRY, i, &manifest.entries.items[i]);
        }
        status = w->status;
    }
    ll_arena_reset(&w->spare);
    return status;
}

/* ------------------------------------------------------------------ merging */

static bool merge_facts(ll_workspace *into, const ll_workspace *from)
{
    uint32_t *texts = ll_arena_zalloc(&into->spare, from->texts.count, sizeof *texts); /* 0: not copied yet, or "" */
    bool ok = texts && LL_ARRAY_ROOM(&into->facts, from->facts.count, &into->allocator);
    for (size_t i = 0; ok && i < from->facts.count; i++) {
        ll_kept_fact *fact = &into->facts.items[into->facts.count++];
        *fact = from->facts.items[i];
        uint32_t *const own[] = {&fact->text, &fact->path, &fact->place};
        for (size_t t = 0; t < sizeof own / sizeof own[0]; t++) {
            uint32_t *moved = &texts[*own[t]];
            const char *text = ll_pool_text(from, *own[t]);
            *moved = *moved || !*own[t] ? *moved : ll_pool_put(into, text, strlen(text));
            *own[t] = *moved;
        }
    }
    ll_arena_reset(&into->spare);
    return ok;
}

ll_status ll_workspace_merge(ll_workspace *into, const ll_workspace *from)
{
    if (!into || !from || into == from || into->joined || from->joined) {
        return LL_E_ARGUMENT;
    }
    uint32_t first_fact = (uint32_t)into->facts.count;
    into->summary.unread += from->summary.unread;
    if (!merge_facts(into, from)) {
        return ll_workspace_fail(into, LL_E_MEMORY);
    }
    for (size_t i = 0; into->status == LL_OK && i < from->files.count; i++) {
        const ll_kept_file *file = &from->files.items[i];
        ll_kept_file *copy = ll_workspace_put_file(into, file->name, file->identity, file->archive);
        if (copy) {
            copy->kind = file->kind;
            copy->whole = file->whole;
            copy->unnamed = file->unnamed;
            copy->found = file->found;
            copy->offset = file->offset;
            copy->size = file->size;
            copy->hash = file->hash;
            copy->first_fact = first_fact + file->first_fact;
            copy->fact_count = file->fact_count;
        }
    }
    for (size_t i = 0; into->status == LL_OK && i < from->folders.count; i++) {
        into->status = ll_workspace_add_folder(into, from->folders.items[i]);
    }
    return into->status;
}

/* ------------------------------------------------------------------ results */

ll_status ll_workspace_join(ll_workspace *w)
{
    if (!w || w->joined) {
        return LL_E_ARGUMENT;
    }
    w->joined = true;
    if (w->status == LL_OK && (!ll_packages_make(w) || !ll_join_packages(w))) {
        (void)ll_workspace_fail(w, LL_E_MEMORY);
    }
    return w->status;
}

size_t ll_workspace_file_count(const ll_workspace *w)
{
    return w && w->joined && w->status == LL_OK && w->found.count ? w->found.count - 1 : 0;
}

bool ll_workspace_file_at(const ll_workspace *w, size_t index, ll_workspace_file *out)
{
    if (!out || index >= ll_workspace_file_count(w)) {
        return false;
    }
    const ll_kept_file *file = &w->files.items[w->findings.items[w->found.items[index]].file];
    *out = (ll_workspace_file){.name = file->name,
                               .identity = file->identity,
                               .archive = file->archive,
                               .offset = file->offset,
                               .size = file->size,
                               .findings = w->found.items[index + 1] - w->found.items[index]};
    return true;
}

void ll_workspace_summarize(const ll_workspace *w, ll_workspace_summary *out)
{
    *out = w->summary;
}

bool ll_workspace_notice_at(const ll_workspace *w, size_t index, ll_workspace_notice *out)
{
    if (!w || !out || index >= w->notices.count) {
        return false;
    }
    *out = w->notices.items[index];
    return true;
}
