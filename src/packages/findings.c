/* Implements findings.h: makes, deduplicates and sorts findings across files, and looks files up in a view. */
#include "packages/findings.h"

#include "model/format.h"

#include <stdlib.h>

static ll_across_finding at_fact(const ll_pass *v, ll_across_fault fault, uint32_t file, const char *inner,
                                 const ll_kept_fact *fact)
{
    uint64_t size = v->w->files.items[file].size;
    ll_across_finding f = {.file = file,
                           .package = v->number,
                           .fault = (uint16_t)fault,
                           .inner = ll_put(v, inner),
                           .path = fact ? ll_fact_path(v->w, fact) : ll_put(v, "file"),
                           .offset = fact ? fact->offset : 0,
                           .length = fact                ? fact->length
                                     : size > UINT32_MAX ? 0 /* too large to have been read */
                                                         : (uint32_t)size,
                           .related_file = LL_NO_FILE};
    return f;
}

ll_across_finding ll_finding_at(const ll_pass *v, ll_across_fault fault, uint32_t ref, const ll_kept_fact *fact)
{
    return at_fact(v, fault, ll_ref_of(v, ref)->file, ll_ref_of(v, ref)->inner, fact);
}

ll_across_finding ll_finding_in(const ll_pass *v, ll_across_fault fault, uint32_t file, const ll_kept_fact *fact)
{
    return at_fact(v, fault, file, v->w->files.items[file].key, fact);
}

void ll_relate(const ll_pass *v, ll_across_finding *f, uint32_t file, const ll_kept_fact *fact)
{
    f->related_file = file;
    f->related_path = ll_fact_path(v->w, fact);
    f->related_offset = fact->offset;
    f->related_length = fact->length;
}

static uint64_t hash_finding(const void *owner, uint32_t item)
{
    const ll_across_finding *f = &((const ll_workspace *)owner)->findings.items[item];
    uint64_t hash = ll_map_hash(ll_map_hash((uint64_t)f->package << 32 | f->inner) ^ ((uint64_t)f->fault << 32));
    return ll_map_hash(ll_map_hash(hash ^ f->path) ^ f->args[0]);
}

typedef struct sought_finding {
    const ll_workspace *w;
    const ll_across_finding *f;
} sought_finding;

/* Is it the same finding in another form of the part, or in another view? */
static bool is_same_finding(const void *ctx, uint32_t item)
{
    const sought_finding *sought = ctx;
    const ll_across_finding *f = sought->f;
    const ll_across_finding *g = &sought->w->findings.items[item];
    return f->package == g->package && f->inner == g->inner && f->fault == g->fault && f->path == g->path &&
           f->args[0] == g->args[0];
}

bool ll_find(const ll_pass *v, const ll_across_finding *finding)
{
    ll_workspace *w = v->w;
    uint32_t item = (uint32_t)w->findings.count;
    if (w->status != LL_OK || !ll_map_room(&w->by_finding, item, hash_finding, w, &w->allocator) ||
        !LL_ARRAY_ROOM(&w->findings, 1, &w->allocator)) {
        return false;
    }
    w->findings.items[item] = *finding; /* added to `count` below if it is new */
    uint64_t hash = hash_finding(w, item);
    bool is_new =
        ll_map_note(&w->by_finding, hash, item, is_same_finding, &(sought_finding){w, finding}) == LL_MAP_NONE;
    w->findings.count += is_new;
    return true;
}

bool ll_find_with(const ll_pass *v, ll_across_finding finding, const uint32_t args[LL_FAULT_ARGS])
{
    memcpy(finding.args, args, sizeof finding.args);
    return ll_find(v, &finding);
}

bool ll_find_related(const ll_pass *v, ll_across_finding finding, uint32_t other, const ll_kept_fact *fact,
                     const uint32_t args[LL_FAULT_ARGS])
{
    ll_relate(v, &finding, ll_ref_of(v, other)->file, fact);
    return ll_find_with(v, finding, args);
}

uint32_t ll_put_part(const ll_pass *v, unsigned part)
{
    ll_text *out = &v->w->scratch;
    const ll_package *p = v->package;
    uint32_t from = p->stem_length;
    while (from && p->stem[from - 1] != '/') {
        from--;
    }
    bool packed = v->slots[part] == ll_slot(part, LL_PACKED);
    ll_text_clear(out);
    ll_text_put(out, p->stem + from, p->stem_length - from);
    ll_text_str(out, packed ? ".fpk" : "_fpk");
    ll_text_str(out, part == LL_DATA ? "d" : "");
    return ll_pool_put(v->w, out->data, out->failed ? 0 : out->length);
}

/* What facts of a kind are called. NULL: they are not about properties. */
static const ll_fact_name *name_of(unsigned kind)
{
    const ll_format *format = ll_format_of_kind(LL_FILE_DATASET);
    size_t i = 0;
    while (i < format->fact_name_count && format->fact_names[i].kind != kind) {
        i++;
    }
    return i < format->fact_name_count ? &format->fact_names[i] : NULL;
}

const char *ll_class_name(unsigned kind)
{
    return name_of(kind) ? name_of(kind)->class : "DataSet";
}

const char *ll_property_name(unsigned kind)
{
    return name_of(kind) ? name_of(kind)->property : "";
}

/* ------------------------------------------------------------------ order */

typedef struct named_finding {
    const char *name;
    ll_across_finding finding;
    uint32_t order;
} named_finding;

static int compare_findings(const void *a, const void *b)
{
    const named_finding *one = a;
    const named_finding *two = b;
    int order = strcmp(one->name, two->name);
    return order ? order : (one->order > two->order) - (one->order < two->order);
}

/* Sets `found` of an archive and its members if one of them has findings: they count as one file. */
static bool share_found(ll_workspace *w)
{
    size_t n = w->files.count;
    uint32_t *names = ll_arena_alloc(&w->spare, n, sizeof *names);
    for (size_t i = 0; names && i < n; i++) {
        const ll_kept_file *file = &w->files.items[i];
        const char *name = file->archive ? file->archive : file->name;
        names[i] = ll_pool_put(w, name, strlen(name));
    }
    bool *found = ll_arena_zalloc(&w->spare, w->texts.count, sizeof *found); /* by text number of the name */
    bool ok = names && found && w->status == LL_OK;
    for (size_t i = 0; ok && i < n; i++) {
        found[names[i]] |= w->files.items[i].found;
    }
    for (size_t i = 0; ok && i < n; i++) {
        w->files.items[i].found = found[names[i]];
    }
    ll_arena_reset(&w->spare);
    return ok;
}

bool ll_sort_findings(ll_workspace *w)
{
    uint32_t n = (uint32_t)w->findings.count;
    named_finding *all = n ? w->allocator.alloc(w->allocator.ctx, n * sizeof *all) : NULL;
    if (n == 0) {
        return true;
    }
    if (!all || !LL_ARRAY_ROOM(&w->found, n + 1U, &w->allocator) || !share_found(w)) {
        w->allocator.release(w->allocator.ctx, all);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const ll_across_finding *f = &w->findings.items[i];
        all[i] = (named_finding){w->files.items[f->file].name, *f, i};
    }
    qsort(all, n, sizeof *all, compare_findings);
    for (uint32_t i = 0; i < n; i++) {
        w->findings.items[i] = all[i].finding;
        if (i == 0 || all[i].finding.file != all[i - 1].finding.file) {
            w->found.items[w->found.count++] = i;
        }
    }
    w->found.items[w->found.count++] = n;
    w->allocator.release(w->allocator.ctx, all);
    return true;
}

/* ------------------------------------------------------------------ views */

static bool has_files(const ll_package *p, unsigned slot)
{
    return p->slots[slot].count || p->slots[slot].complete;
}

ll_pass ll_pass_of(ll_workspace *w, uint32_t number, unsigned form)
{
    ll_pass v = {.w = w, .package = &w->packages.items[number], .number = number, .datasets_read = true};
    for (unsigned part = 0; part < LL_PARTS; part++) {
        unsigned own = ll_slot(part, form);
        unsigned other = ll_slot(part, LL_FORMS - 1 - form);
        v.slots[part] = has_files(v.package, own) || !has_files(v.package, other) ? own : other;
    }
    return v;
}

uint32_t ll_find_path(const ll_pass *v, unsigned part, const char *path)
{
    uint32_t n;
    const ll_sort_key *keys = ll_index_find(&v->w->by_path, ll_path_hash(path), ll_part_of(v, part), &n);
    return n ? keys[0].item : LL_NO_FILE;
}

uint32_t ll_find_letters(const ll_pass *v, unsigned slot, const char *path)
{
    uint32_t n;
    ll_packages_search(v->w);
    const ll_sort_key *keys =
        ll_index_find(&v->w->by_letters, ll_hash_letters(path), ll_part_number(v->number, slot), &n);
    return n ? keys[0].item : LL_NO_FILE;
}

uint32_t ll_find_target(const ll_pass *v, unsigned part, const ll_kept_fact *fact)
{
    uint32_t n;
    const ll_sort_key *keys = ll_index_find(&v->w->by_path, fact->number, ll_part_of(v, part), &n);
    return n ? keys[0].item : ll_find_path(v, part, ll_text_of(v, fact->text));
}
