/* What a workspace keeps of each file: its name, what it is, and its facts. Decides nothing about files; whatever order
 * they come in, and in however many pieces, what is kept of them is the same. */
#include "workspace/workspace.h"

#include "base/problem.h"
#include "model/format.h"
#include "model/value.h"
#include "workspace/manifest.h"

#include <string.h>

enum { TEXT_MAX = 4096 }; /* of a fact: names and paths are shorter */

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
    ll_text_free(&w->scratch);
    ll_map_free(&w->by_text, &a);
    LL_ARRAY_FREE(&w->texts, &a);
    LL_ARRAY_FREE(&w->files, &a);
    LL_ARRAY_FREE(&w->facts, &a);
    LL_ARRAY_FREE(&w->folders, &a);
    a.release(a.ctx, w);
}

/* ------------------------------------------------------------------ texts */

typedef struct sought_text {
    const ll_kept_text *texts;
    ll_kept_text text;
} sought_text;

static bool has_text(const void *ctx, uint32_t item)
{
    const sought_text *sought = ctx;
    const ll_kept_text *there = &sought->texts[item];
    return there->hash == sought->text.hash && there->length == sought->text.length &&
           memcmp(there->text, sought->text.text, there->length) == 0;
}

static uint64_t hash_text(const void *texts, uint32_t item)
{
    return ((const ll_kept_text *)texts)[item].hash;
}

static ll_status fail(ll_workspace *w, ll_status status)
{
    w->status = w->status == LL_OK ? status : w->status;
    return w->status;
}

/* A text without a NUL. */
uint32_t ll_pool_put(ll_workspace *w, const char *bytes, size_t n)
{
    uint32_t item = (uint32_t)w->texts.count;
    if (n == 0) {
        return 0;
    }
    if (!LL_ARRAY_ROOM(&w->texts, 1, &w->allocator) ||
        !ll_map_room(&w->by_text, item, hash_text, w->texts.items, &w->allocator)) {
        (void)fail(w, LL_E_MEMORY);
        return 0;
    }
    sought_text sought = {w->texts.items, {bytes, ll_map_hash_bytes(0, bytes, n), n}};
    uint32_t there = ll_map_find(&w->by_text, sought.text.hash, has_text, &sought);
    if (there != LL_MAP_NONE) {
        return there;
    }
    sought.text.text = ll_arena_copy(&w->arena, bytes, n);
    if (!sought.text.text) {
        (void)fail(w, LL_E_MEMORY);
        return 0;
    }
    w->texts.items[w->texts.count++] = sought.text;
    (void)ll_map_note(&w->by_text, sought.text.hash, item, has_text, &sought);
    return item;
}

static uint32_t put_scratch(ll_workspace *w)
{
    if (w->scratch.failed) {
        (void)fail(w, LL_E_MEMORY);
    }
    return w->scratch.failed ? 0 : ll_pool_put(w, w->scratch.data, w->scratch.length);
}

static uint32_t put_text(ll_workspace *w, const char *text)
{
    return ll_pool_put(w, text, strlen(text));
}

uint32_t ll_fact_path(ll_workspace *w, const ll_kept_fact *fact)
{
    if (!fact->place) {
        return fact->path;
    }
    ll_text_clear(&w->scratch);
    ll_text_str(&w->scratch, ll_pool_text(w, fact->path));
    ll_text_str(&w->scratch, ll_pool_text(w, fact->place));
    return put_scratch(w);
}

/* Has the name surely none of what put_key() leaves out? */
static bool is_plain(const char *name)
{
    return name[0] != '.' && !strstr(name, "//") && !strstr(name, "/.");
}

/* The name by which files are compared. */
static uint32_t put_key(ll_workspace *w, const char *name)
{
    if (is_plain(name)) {
        return put_text(w, name);
    }
    ll_text *key = &w->scratch;
    ll_text_clear(key);
    for (const char *p = name; *p;) {
        bool starts = p == name || p[-1] == '/';
        if (starts && p[0] == '.' && (p[1] == '/' || !p[1])) {
            p += p[1] ? 2 : 1;
        } else if (*p == '/' && key->length && key->data[key->length - 1] == '/') {
            p++;
        } else {
            ll_text_char(key, *p++);
        }
    }
    return put_scratch(w);
}

/* ------------------------------------------------------------------ files */

/* The members of an archive come one after the other. */
static void set_archive(ll_workspace *w, ll_kept_file *file, const char *archive)
{
    const ll_kept_file *last = w->files.count > 1 ? file - 1 : NULL;
    if (last && last->archive && strcmp(ll_pool_text(w, last->archive), archive) == 0) {
        file->archive = last->archive;
        file->inner_at = last->inner_at;
        return;
    }
    file->archive = put_text(w, archive);
    file->inner_at = (uint32_t)strlen(ll_pool_text(w, put_key(w, archive))) + 1;
}

ll_kept_file *ll_workspace_put_file(ll_workspace *w, const char *name, const char *identity, const char *archive)
{
    ll_kept_file *file = LL_ARRAY_ADD(&w->files, &w->allocator);
    if (!file) {
        (void)fail(w, LL_E_MEMORY);
        return NULL;
    }
    *file = (ll_kept_file){.first_fact = (uint32_t)w->facts.count};
    file->name = put_text(w, name);
    file->identity = strcmp(identity, name) == 0 ? file->name : put_text(w, identity);
    file->key = is_plain(name) ? file->name : put_key(w, name);
    if (archive) {
        set_archive(w, file, archive);
    }
    return file;
}

ll_status ll_workspace_put_fact(ll_workspace *w, const ll_kept_fact *fact)
{
    ll_kept_fact *kept = LL_ARRAY_ADD(&w->facts, &w->allocator);
    if (!kept) {
        return fail(w, LL_E_MEMORY);
    }
    *kept = *fact;
    w->files.items[w->files.count - 1].fact_count++;
    return w->status;
}

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
    here.text = put_scratch(w);
    *last = here;
    return here.text;
}

static bool collect(void *ctx, const ll_fact *fact)
{
    collector *c = ctx;
    ll_workspace *w = c->w;
    if (!c->path || c->span != fact->at.span) {
        ll_text_clear(&w->scratch);
        ll_span_path_text(c->doc, fact->at.span, &w->scratch);
        c->span = fact->at.span;
        c->path = put_scratch(w);
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

/* Kind, then owner: what is asked for stands together. */
static uint64_t order_of(unsigned kind, uint32_t owner)
{
    return (uint64_t)kind << 32 | owner;
}

static ll_status sort_facts(ll_workspace *w, const ll_kept_file *file)
{
    uint32_t n = file->fact_count;
    ll_kept_fact *facts = w->facts.items + file->first_fact;
    bool sorted = true;
    for (uint32_t i = 1; i < n && sorted; i++) {
        uint64_t before = order_of(facts[i - 1].kind, facts[i - 1].owner);
        uint64_t here = order_of(facts[i].kind, facts[i].owner);
        sorted = before < here || (before == here && facts[i - 1].index <= facts[i].index);
    }
    if (sorted) {
        return w->status;
    }
    ll_arena arena;
    ll_arena_init(&arena, &w->allocator, SIZE_MAX);
    ll_sort_key *keys = ll_arena_alloc(&arena, n, 2 * sizeof *keys);
    ll_kept_fact *copy = ll_arena_alloc(&arena, n, sizeof *copy);
    if (keys && copy) {
        for (uint32_t i = 0; i < n; i++) {
            keys[i] = (ll_sort_key){order_of(facts[i].kind, facts[i].owner), facts[i].index, i};
        }
        memcpy(copy, facts, n * sizeof *copy);
        const ll_sort_key *order = ll_sort(keys, keys + n, n);
        for (uint32_t i = 0; i < n; i++) {
            facts[i] = copy[order[i].item];
        }
    } else {
        (void)fail(w, LL_E_MEMORY);
    }
    ll_arena_free(&arena);
    return w->status;
}

const ll_kept_fact *ll_facts_of(const ll_workspace *w, uint32_t file, ll_fact_kind kind, uint32_t owner,
                                uint32_t *count)
{
    const ll_kept_file *f = &w->files.items[file];
    const ll_kept_fact *facts = w->facts.items + f->first_fact;
    uint64_t sought = order_of(kind, owner);
    LL_BISECT(from, f->fact_count, i, order_of(facts[i].kind, facts[i].owner) < sought);
    facts += from;
    LL_BISECT(n, f->fact_count - from, k, order_of(facts[k].kind, facts[k].owner) == sought);
    *count = n;
    return facts;
}

const ll_kept_fact *ll_facts_of_kind(const ll_workspace *w, uint32_t file, ll_fact_kind kind, uint32_t *count)
{
    const ll_kept_file *f = &w->files.items[file];
    const ll_kept_fact *facts = w->facts.items + f->first_fact;
    LL_BISECT(from, f->fact_count, i, facts[i].kind < kind);
    facts += from;
    LL_BISECT(n, f->fact_count - from, k, facts[k].kind == kind);
    *count = n;
    return facts;
}

/* ------------------------------------------------------------------ reports */

static ll_file_kind kind_of(const ll_format *format)
{
    static const struct {
        const char *family;
        ll_file_kind kind;
    } families[] = {{"grx", LL_FILE_ARRAY}, {"lpsh", LL_FILE_HARMONICS}, {"fox", LL_FILE_DATASET}};
    for (size_t i = 0; format && i < sizeof families / sizeof families[0]; i++) {
        if (strcmp(format->family, families[i].family) == 0) {
            return families[i].kind;
        }
    }
    return format && format->member ? LL_FILE_ARCHIVE : LL_FILE_OTHER;
}

/* Nothing kept part of the document from being read, and nothing is wrong with it that a rule calls an error, whatever
 * severity the caller gives it: what it says of other files may be wrong as well, and is not judged. The order of the
 * members of an archive does not touch what they are. */
static bool is_whole(const ll_report *report)
{
    const ll_doc *doc = &report->doc;
    bool whole = !doc->fatal && !doc->opaque && !doc->unread && !doc->unchecked && !doc->unsupported;
    for (uint32_t i = 0; whole && doc->fault_count && i < doc->span_count; i++) {
        const ll_span *span = ll_doc_span(doc, i);
        whole = !(span->flags & LL_SPAN_BROKEN) && span->layout != LL_LAYOUT_UNPARSED;
    }
    for (uint32_t i = 0; whole && !doc->format->member && i < report->entry_count; i++) {
        whole = report->rules->rules[report->entries[i].rule].rule->severity != LL_ERROR;
    }
    return whole;
}

/* The members of an archive as files that are there; those that can be linted are added once more as reports. */
static void add_members(ll_workspace *w, const ll_report *report)
{
    const ll_doc *doc = &report->doc;
    ll_text name;
    ll_text_init(&name, &w->allocator);
    ll_member member;
    for (uint32_t i = 0; w->status == LL_OK && doc->format->member(doc, i, &member); i++) {
        ll_text_clear(&name);
        ll_text_format(&name, "%s!", ll_report_name(report));
        ll_member_path(doc, &member, &name);
        size_t start = name.length + 1;
        ll_text_format(&name, "%c%s!", '\0', report->identity);
        ll_member_path(doc, &member, &name);
        const char *both = ll_text_cstr(&name);
        ll_kept_file *file = name.failed ? NULL : ll_workspace_put_file(w, both, both + start, ll_report_name(report));
        if (!file) {
            (void)fail(w, LL_E_MEMORY);
            break;
        }
        file->offset = member.offset;
        file->size = member.length;
    }
    ll_text_free(&name);
}

ll_status ll_workspace_add(ll_workspace *w, ll_report *report)
{
    if (!w || !report || w->joined) {
        return LL_E_ARGUMENT;
    }
    const ll_doc *doc = &report->doc;
    if (!report->archive && !ll_is_of_package(ll_report_name(report))) {
        return w->status;
    }
    ll_kept_file *file = ll_workspace_put_file(w, ll_report_name(report), report->identity, report->archive);
    if (!file) {
        return w->status;
    }
    file->kind = kind_of(doc->format);
    file->whole = doc->format && is_whole(report);
    file->size = report->size;
    file->found = report->summary.errors + report->summary.warnings + report->summary.notes > 0;
    file->offset = doc->regions[0].outer_offset;
    if (file->kind == LL_FILE_ARRAY || file->kind == LL_FILE_HARMONICS) {
        file->hash = ll_map_hash_bytes(0, doc->bytes, doc->size);
    }
    (void)ll_facts(doc, collect, &(collector){.w = w, .doc = doc});
    (void)sort_facts(w, file);
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
    uint32_t key = put_key(w, path);
    size_t n = strlen(ll_pool_text(w, key));
    if (n > 1 && ll_pool_text(w, key)[n - 1] == '/') {
        ll_text_clear(&w->scratch);
        ll_text_put(&w->scratch, ll_pool_text(w, key), n - 1);
        key = put_scratch(w);
    }
    uint32_t *folder = LL_ARRAY_ADD(&w->folders, &w->allocator);
    if (!folder) {
        return fail(w, LL_E_MEMORY);
    }
    *folder = key;
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
    fact.path = put_scratch(w);
    fact.text = value->text ? put_text(w, value->text) : 0;
    (void)ll_workspace_put_fact(w, &fact);
}

ll_status ll_workspace_add_manifest(ll_workspace *w, const char *path, const void *bytes, size_t size,
                                    ll_problem *problem)
{
    if (!w || !path || w->joined || (!bytes && size)) {
        return LL_E_ARGUMENT;
    }
    ll_manifest manifest;
    ll_arena arena;
    ll_arena_init(&arena, &w->allocator, SIZE_MAX);
    ll_kept_file *file = ll_workspace_put_file(w, path, path, NULL);
    ll_status status = file ? ll_manifest_read(&manifest, bytes, size, &arena) : w->status;
    if (status != LL_OK) {
        (void)fail(w, status);
    } else if (manifest.refused) {
        (void)ll_problem_at(problem, manifest.line, manifest.column);
        (void)LL_PROBLEM(problem, manifest.refused);
        status = LL_E_INPUT;
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
    ll_arena_free(&arena);
    return status;
}

/* ------------------------------------------------------------------ merging */

static uint32_t move_text(ll_workspace *into, const ll_workspace *from, uint32_t text)
{
    return put_text(into, ll_pool_text(from, text));
}

ll_status ll_workspace_merge(ll_workspace *into, const ll_workspace *from)
{
    if (!into || !from || into == from || into->joined || from->joined) {
        return LL_E_ARGUMENT;
    }
    for (size_t i = 0; into->status == LL_OK && i < from->files.count; i++) {
        const ll_kept_file *file = &from->files.items[i];
        ll_kept_file *copy =
            ll_workspace_put_file(into, ll_pool_text(from, file->name), ll_pool_text(from, file->identity),
                                  file->archive ? ll_pool_text(from, file->archive) : NULL);
        if (copy) {
            copy->kind = file->kind;
            copy->whole = file->whole;
            copy->found = file->found;
            copy->offset = file->offset;
            copy->size = file->size;
            copy->hash = file->hash;
        }
        for (uint32_t f = 0; into->status == LL_OK && f < file->fact_count; f++) {
            ll_kept_fact fact = from->facts.items[file->first_fact + f];
            fact.text = move_text(into, from, fact.text);
            fact.path = move_text(into, from, fact.path);
            fact.place = move_text(into, from, fact.place);
            (void)ll_workspace_put_fact(into, &fact);
        }
    }
    for (size_t i = 0; into->status == LL_OK && i < from->folders.count; i++) {
        uint32_t *folder = LL_ARRAY_ADD(&into->folders, &into->allocator);
        if (!folder) {
            return fail(into, LL_E_MEMORY);
        }
        *folder = move_text(into, from, from->folders.items[i]);
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
        (void)fail(w, LL_E_MEMORY);
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
    *out = (ll_workspace_file){.name = ll_pool_text(w, file->name),
                               .identity = ll_pool_text(w, file->identity),
                               .archive = file->archive ? ll_pool_text(w, file->archive) : NULL,
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
