/* Stores texts, names, files and their facts, and looks facts up. */
#include "packages/kept.h"

#include <string.h>

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

ll_status ll_workspace_fail(ll_workspace *w, ll_status status)
{
    w->status = w->status == LL_OK ? status : w->status;
    return w->status;
}

uint32_t ll_pool_put(ll_workspace *w, const char *bytes, size_t n)
{
    uint32_t item = (uint32_t)w->texts.count;
    if (n == 0) {
        return 0;
    }
    if (!LL_ARRAY_ROOM(&w->texts, 1, &w->allocator) ||
        !ll_map_room(&w->by_text, item, hash_text, w->texts.items, &w->allocator)) {
        (void)ll_workspace_fail(w, LL_E_MEMORY);
        return 0;
    }
    sought_text sought = {w->texts.items, {bytes, ll_map_hash_bytes(0, bytes, n), n}};
    uint32_t there = ll_map_note(&w->by_text, sought.text.hash, item, has_text, &sought);
    if (there != LL_MAP_NONE) {
        return there;
    }
    sought.text.text = ll_arena_copy(&w->arena, bytes, n);
    if (!sought.text.text) {
        (void)ll_workspace_fail(w, LL_E_MEMORY);
        sought.text = (ll_kept_text){.text = ""};
    }
    w->texts.items[w->texts.count++] = sought.text;
    return item;
}

uint32_t ll_pool_put_made(ll_workspace *w, const ll_text *text)
{
    if (text->failed) {
        (void)ll_workspace_fail(w, LL_E_MEMORY);
    }
    return text->failed ? 0 : ll_pool_put(w, text->data, text->length);
}

uint32_t ll_fact_path(ll_workspace *w, const ll_kept_fact *fact)
{
    if (!fact->place) {
        return fact->path;
    }
    ll_text_clear(&w->scratch);
    ll_text_str(&w->scratch, ll_pool_text(w, fact->path));
    ll_text_str(&w->scratch, ll_pool_text(w, fact->place));
    return ll_pool_put_made(w, &w->scratch);
}

/* Copies a file name to the arena. Not pooled: almost all names occur once. */
static const char *keep_name(ll_workspace *w, const char *name)
{
    const char *kept = ll_arena_copy(&w->arena, name, strlen(name));
    if (!kept) {
        (void)ll_workspace_fail(w, LL_E_MEMORY);
    }
    return kept ? kept : "";
}

/* Is it certain that ll_keep_key() would change nothing in the name? */
static bool is_plain(const char *name)
{
    const char *slash = strchr(name, '/');
    while (slash && slash[1] != '/' && slash[1] != '.') {
        slash = strchr(slash + 1, '/');
    }
    return name[0] != '.' && !slash;
}

const char *ll_keep_key(ll_workspace *w, const char *name, const char *kept)
{
    if (is_plain(name)) {
        return kept;
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
    if (key->failed) {
        (void)ll_workspace_fail(w, LL_E_MEMORY);
    }
    return keep_name(w, ll_text_cstr(key));
}

/* ------------------------------------------------------------------ files */

/* Sets the archive of a member. Members of an archive follow each other and share the strings. */
static void set_archive(ll_workspace *w, ll_kept_file *file, const char *archive)
{
    const ll_kept_file *last = w->files.count > 1 ? file - 1 : NULL;
    if (last && last->archive && strcmp(last->archive, archive) == 0) {
        file->archive = last->archive;
        file->inner_at = last->inner_at;
        return;
    }
    file->archive = keep_name(w, archive);
    file->inner_at = (uint32_t)strlen(ll_keep_key(w, archive, file->archive)) + 1;
}

ll_kept_file *ll_workspace_put_file(ll_workspace *w, const char *name, const char *identity, const char *archive)
{
    ll_kept_file *file = LL_ARRAY_ADD(&w->files, &w->allocator);
    if (!file) {
        (void)ll_workspace_fail(w, LL_E_MEMORY);
        return NULL;
    }
    *file = (ll_kept_file){.first_fact = (uint32_t)w->facts.count};
    file->name = keep_name(w, name);
    file->identity = strcmp(identity, name) == 0 ? file->name : keep_name(w, identity);
    file->key = ll_keep_key(w, name, file->name);
    if (archive) {
        set_archive(w, file, archive);
    }
    return w->status == LL_OK ? file : NULL;
}

ll_status ll_workspace_put_fact(ll_workspace *w, const ll_kept_fact *fact)
{
    ll_kept_fact *kept = LL_ARRAY_ADD(&w->facts, &w->allocator);
    if (!kept) {
        return ll_workspace_fail(w, LL_E_MEMORY);
    }
    *kept = *fact;
    w->files.items[w->files.count - 1].fact_count++;
    return w->status;
}

/* ------------------------------------------------------------------ facts */

static uint64_t order_of(unsigned kind, uint32_t owner)
{
    return (uint64_t)kind << 32 | owner;
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

const ll_kept_fact *ll_fact_of(const ll_workspace *w, uint32_t file, ll_fact_kind kind, uint32_t owner)
{
    const ll_kept_file *f = &w->files.items[file];
    const ll_kept_fact *facts = w->facts.items + f->first_fact;
    uint64_t sought = order_of(kind, owner);
    LL_BISECT(at, f->fact_count, i, order_of(facts[i].kind, facts[i].owner) < sought);
    return at < f->fact_count && order_of(facts[at].kind, facts[at].owner) == sought ? &facts[at] : NULL;
}
