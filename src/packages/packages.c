/* Groups files into packages by their names, and builds the indexes for looking up paths, names and references. A file
 * that was added more than once is kept once. */
#include "packages/packages.h"

#include "formats/strcode.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ files */

static bool add_ref(ll_workspace *w, uint32_t file, const char *stem, size_t stem_length, const char *inner,
                    unsigned slot)
{
    ll_ref *ref = LL_ARRAY_ADD(&w->refs, &w->allocator);
    if (ref) {
        bool same =
            w->refs.count > 1 && ref[-1].stem_length == stem_length && memcmp(ref[-1].stem, stem, stem_length) == 0;
        *ref = (ll_ref){.stem = same ? ref[-1].stem : stem, /* shared, so that few stems need to be compared */
                        .inner = inner,
                        .hash = ll_path_hash(inner),
                        .stem_length = (uint32_t)stem_length,
                        .file = file,
                        .slot = (uint8_t)slot};
    }
    return ref;
}

/* Length of X in a name that ends with "X.fpk" or "X.fpkd" at `end`; SIZE_MAX: neither. */
static size_t archive_stem(const char *name, size_t end, unsigned *part)
{
    static const char *const ends[LL_PARTS] = {".fpk", ".fpkd"};
    for (*part = 0; *part < LL_PARTS; (*part)++) {
        size_t n = strlen(ends[*part]);
        if (end > n && ll_same_letters(name + end - n, ends[*part], n) && name[end - n - 1] != '/') {
            return end - n;
        }
    }
    return SIZE_MAX;
}

/* The underscore of the innermost folder "X_fpk" or "X_fpkd" that contains a file; NULL: none. */
static const char *part_folder(const char *key, unsigned *part, const char **inner)
{
    static const char end[] = "_fpk";
    const char *found = NULL;
    for (const char *at = strstr(key, end); at; at = strstr(at + 1, end)) {
        const char *behind = at + sizeof end - 1;
        bool data = *behind == 'd';
        if (behind[data] == '/') {
            found = at;
            *part = data ? LL_DATA : LL_MAIN;
            *inner = behind + data;
        }
    }
    return found;
}

/* Like archive_stem(), for the name of an archive or of its manifest. */
static size_t archive_or_manifest(const char *name, bool *is_manifest, unsigned *part)
{
    static const char end[] = ".xml";
    size_t n = strlen(name);
    *is_manifest = ll_ends_with(name, end);
    return archive_stem(name, *is_manifest ? n - (sizeof end - 1) : n, part);
}

bool ll_is_of_package(const char *name)
{
    const char *inner;
    unsigned part;
    bool is_manifest;
    return part_folder(name, &part, &inner) || archive_or_manifest(name, &is_manifest, &part) != SIZE_MAX;
}

static bool place_file(ll_workspace *w, uint32_t number)
{
    const ll_kept_file *file = &w->files.items[number];
    const char *key = file->key;
    const char *inner = NULL;
    unsigned part;
    if (file->archive) {
        size_t stem = archive_stem(key, file->inner_at - 1, &part);
        return stem == SIZE_MAX || file->unnamed ||
               add_ref(w, number, key, stem, ll_without_drive(key + file->inner_at), ll_slot(part, LL_PACKED));
    }
    const char *folder = part_folder(key, &part, &inner);
    if (folder && !add_ref(w, number, key, (size_t)(folder - key), inner, ll_slot(part, LL_FOLDER))) {
        return false;
    }
    bool is_manifest;
    size_t stem = archive_or_manifest(key, &is_manifest, &part);
    if (stem == SIZE_MAX || (!is_manifest && file->kind != LL_FILE_ARCHIVE)) {
        return true;
    }
    return add_ref(w, number, key, stem, "", (is_manifest ? LL_SLOT_MANIFEST : LL_SLOT_ARCHIVE) + part);
}

static bool place_files(ll_workspace *w)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < w->files.count; i++) {
        ok = place_file(w, i);
    }
    return ok;
}

/* ------------------------------------------------------------------ packages */

static int compare_stems(const ll_ref *a, const ll_ref *b)
{
    uint32_t both = a->stem_length < b->stem_length ? a->stem_length : b->stem_length;
    int order = a->stem == b->stem ? 0 : memcmp(a->stem, b->stem, both);
    return order ? order : (a->stem_length > b->stem_length) - (a->stem_length < b->stem_length);
}

/* Compares slots by the order of files in a directory: X.fpk, its members, X.fpk.xml, likewise for X.fpkd, then X_fpk/
 * and X_fpkd/. */
static int compare_slots(unsigned one, unsigned two)
{
    static const uint8_t places[LL_SLOT_MANIFEST + LL_PARTS] = {
        [LL_SLOT_ARCHIVE] = 0, 3, [LL_SLOT_PACKED] = 1, 4, [LL_SLOT_MANIFEST] = 2, 5, [LL_SLOT_FOLDER] = 6, 7};
    return places[one] - places[two];
}

static int compare_places(const ll_ref *one, const ll_ref *two)
{
    int order = compare_stems(one, two);
    return order ? order : compare_slots(one->slot, two->slot);
}

static int compare_refs(const void *a, const void *b)
{
    const ll_ref *one = a;
    const ll_ref *two = b;
    int order = compare_places(one, two);
    order = order ? order : strcmp(one->inner, two->inner);
    return order ? order : (one->file > two->file) - (one->file < two->file);
}

/* Sorts refs. Files are usually added in order, but members of an archive are not. */
static void sort_refs(ll_ref *refs, size_t n)
{
    bool ordered = true;
    for (size_t i = 1; ordered && i < n; i++) {
        ordered = compare_places(&refs[i - 1], &refs[i]) <= 0;
    }
    for (size_t first = 0, i = 1; i <= n; i++) {
        if (i == n || (ordered && compare_places(&refs[first], &refs[i]) != 0)) {
            qsort(refs + first, i - first, sizeof *refs, compare_refs);
            first = i;
        }
    }
}

/* For two files with the same key: is more known about the first? Ties are decided by name. */
static bool is_better(const ll_kept_file *f, const ll_kept_file *g)
{
    int order = (f->kind > g->kind) - (f->kind < g->kind);
    order = order ? order : (f->whole > g->whole) - (f->whole < g->whole);
    order = order ? order : (f->offset < g->offset) - (f->offset > g->offset);
    order = order ? order : strcmp(g->name, f->name);
    return order ? order > 0 : f < g;
}

/* Keeps, of adjacent refs with the same key, the file about which most is known. */
static void keep_best(ll_workspace *w)
{
    const ll_kept_file *files = w->files.items;
    ll_ref *refs = w->refs.items;
    size_t kept = 0;
    for (size_t i = 0; i < w->refs.count; i++) {
        ll_ref *last = kept ? &refs[kept - 1] : NULL;
        bool again = last && last->hash == refs[i].hash && compare_places(last, &refs[i]) == 0 &&
                     strcmp(last->inner, refs[i].inner) == 0;
        if (!again) {
            refs[kept++] = refs[i];
        } else if (is_better(&files[refs[i].file], &files[last->file])) {
            *last = refs[i];
        }
    }
    w->refs.count = kept;
}

static int compare_folders(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Was the folder `stem` + `end`, or one above it, added as complete? */
static bool is_complete(const char *const *folders, uint32_t count, const char *stem, size_t length, const char *end,
                        ll_text *path)
{
    ll_text_clear(path);
    ll_text_put(path, stem, length);
    ll_text_str(path, end);
    (void)ll_text_cstr(path);
    char *p = path->data;
    if (path->failed) {
        return false;
    }
    bool relative = p[0] != '/' && !(p[0] == '.' && p[1] == '.' && p[2] == '/');
    for (size_t n = path->length;; n--) {
        bool whole = n == path->length || p[n] == '/' || n == 0;
        if (whole && (n > 0 || relative || p[0] == '/')) {
            char kept = p[n];
            p[n] = '\0';
            const char *prefix = n == 0 && kept == '/' ? "/" : p;
            LL_BISECT(low, count, i, strcmp(folders[i], prefix) < 0);
            bool there = low < count && strcmp(folders[low], prefix) == 0;
            p[n] = kept;
            if (there) {
                return true;
            }
        }
        if (n == 0) {
            return false;
        }
    }
}

/* Is a text non-empty and of printable ASCII? */
static bool is_printing(const char *text)
{
    const char *p = text;
    while (*p >= ' ' && *p < 0x7F) {
        p++;
    }
    return p > text && !*p;
}

static bool make_package(ll_workspace *w, uint32_t first, uint32_t count)
{
    static const char *const ends[LL_PARTS] = {"_fpk", "_fpkd"};
    ll_package *package = LL_ARRAY_ADD(&w->packages, &w->allocator);
    if (!package) {
        return false;
    }
    const ll_ref *refs = w->refs.items;
    *package = (ll_package){.stem = refs[first].stem, .stem_length = refs[first].stem_length};
    for (unsigned part = 0; part < LL_PARTS; part++) {
        package->archives[part] = package->manifests[part] = LL_NO_FILE;
    }
    for (uint32_t i = first; i < first + count; i++) {
        unsigned slot = refs[i].slot;
        if (slot < LL_SLOTS) {
            ll_part_files *files = &package->slots[slot];
            files->first = files->count ? files->first : i;
            files->count++;
        } else if (slot < LL_SLOT_MANIFEST) {
            package->archives[slot - LL_SLOT_ARCHIVE] = refs[i].file;
        } else {
            package->manifests[slot - LL_SLOT_MANIFEST] = refs[i].file;
        }
    }
    for (unsigned part = 0; part < LL_PARTS; part++) {
        ll_part_files *folder = &package->slots[ll_slot(part, LL_FOLDER)];
        folder->complete = folder->count && is_complete(w->folders.items, (uint32_t)w->folders.count, package->stem,
                                                        package->stem_length, ends[part], &w->scratch);
        uint32_t archive = package->archives[part];
        package->slots[ll_slot(part, LL_PACKED)].complete = archive != LL_NO_FILE && w->files.items[archive].whole;
    }
    return !w->scratch.failed;
}

static bool make_packages(ll_workspace *w)
{
    if (w->folders.count) {
        qsort(w->folders.items, w->folders.count, sizeof *w->folders.items, compare_folders);
    }
    bool ok = true;
    for (uint32_t first = 0, i = 1; ok && first < w->refs.count; i++) {
        if (i == w->refs.count || compare_stems(&w->refs.items[first], &w->refs.items[i]) != 0) {
            ok = make_package(w, first, i - first);
            first = i;
        }
    }
    return ok;
}

/* ------------------------------------------------------------------ indexes */

/* Converts eight ASCII letters to lower case. */
static uint64_t small_letters(uint64_t word)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t low = word & 0x7F * each;
    uint64_t capitals = ((low + (0x80 - 'A') * each) ^ (low + (0x7F - 'Z') * each)) & ~word & 0x80 * each;
    return word | capitals >> 2;
}

uint64_t ll_hash_letters(const char *text)
{
    size_t n = strlen(text);
    uint64_t hash = n;
    uint8_t rest[8] = {0};
    for (; n >= 8; text += 8, n -= 8) {
        hash = ll_map_hash(hash ^ small_letters(ll_le64((const uint8_t *)text)));
    }
    memcpy(rest, text, n);
    return ll_map_hash(hash ^ small_letters(ll_le64(rest)));
}

uint64_t ll_path_hash(const char *path)
{
    return ll_strcode64((const uint8_t *)path, strlen(path));
}

const ll_sort_key *ll_index_find(const ll_index *index, uint64_t hash, uint32_t part, uint32_t *count)
{
    bool there = part + 1U < index->starts.count;
    const ll_sort_key *keys = index->keys.items + (there ? index->starts.items[part] : 0);
    uint32_t n = there ? index->starts.items[part + 1] - index->starts.items[part] : 0;
    LL_BISECT(from, n, i, keys[i].first < hash);
    LL_BISECT(to, n, k, keys[k].first <= hash);
    *count = to - from;
    return keys + from;
}

/* Adds the starts of all parts up to this one. */
static bool begin_part(ll_workspace *w, ll_index *index, uint32_t part)
{
    bool ok = true;
    while (ok && index->starts.count <= part) {
        uint32_t *start = LL_ARRAY_ADD(&index->starts, &w->allocator);
        ok = start;
        if (ok) {
            *start = (uint32_t)index->keys.count;
        }
    }
    return ok;
}

/* Adds a key; parts must be added in ascending order. */
static bool add_key(ll_workspace *w, ll_index *index, uint64_t hash, uint32_t part, uint32_t ref, uint32_t item)
{
    ll_sort_key *key = begin_part(w, index, part) ? LL_ARRAY_ADD(&index->keys, &w->allocator) : NULL;
    if (key) {
        *key = (ll_sort_key){hash, ref, item};
    }
    return key;
}

static bool sort_index(ll_workspace *w, ll_index *index)
{
    size_t n = index->keys.count, parts = index->starts.count;
    if (!begin_part(w, index, (uint32_t)parts) || !LL_ARRAY_ROOM(&index->keys, n + 1, &w->allocator)) {
        return false;
    }
    for (size_t i = 0; i < parts; i++) {
        ll_sort_key *keys = index->keys.items + index->starts.items[i];
        uint32_t count = index->starts.items[i + 1] - index->starts.items[i];
        const ll_sort_key *sorted = ll_sort(keys, index->keys.items + n, count);
        if (sorted != keys) {
            memcpy(keys, sorted, count * sizeof *keys);
        }
    }
    return true;
}

/* Indexes the facts of a file that name files, and the names in harmonics. */
static bool index_facts(ll_workspace *w, uint32_t ref, uint32_t part)
{
    ll_kept_file *file = &w->files.items[w->refs.items[ref].file];
    bool ok = true;
    for (uint32_t i = file->first_fact; ok && i < file->first_fact + file->fact_count; i++) {
        const ll_kept_fact *fact = &w->facts.items[i];
        const char *text = ll_pool_text(w, fact->text);
        if (fact->kind == LL_FACT_HARMONICS_NAME) {
            file->odd_names = file->odd_names || !is_printing(text);
            ok = add_key(w, &w->by_name, ll_map_hash_bytes(0, text, strlen(text)), ref, ref, i);
        } else if (ll_names_file(fact->kind)) {
            ok = add_key(w, &w->by_target, fact->number, part, ref, i);
        }
    }
    return ok;
}

static bool index_ref(ll_workspace *w, uint32_t number, uint32_t part)
{
    const ll_ref *ref = &w->refs.items[number];
    return add_key(w, &w->by_path, ref->hash, part, number, number) && index_facts(w, number, part);
}

static bool index_letters(ll_workspace *w, uint32_t number, uint32_t part)
{
    const ll_ref *ref = &w->refs.items[number];
    const ll_kept_file *file = &w->files.items[ref->file];
    const char *base = strrchr(ref->inner, '/');
    bool ok = add_key(w, &w->by_letters, ll_hash_letters(ref->inner), part, number, number) &&
              add_key(w, &w->by_base, ll_hash_letters(base ? base : ref->inner), part, number, number);
    for (uint32_t i = file->first_fact; ok && i < file->first_fact + file->fact_count; i++) {
        const ll_kept_fact *fact = &w->facts.items[i];
        ok = !ll_names_file(fact->kind) || !fact->text ||
             add_key(w, &w->by_target_letters, ll_hash_letters(ll_pool_text(w, fact->text)), part, number, i);
    }
    return ok;
}

/* Calls index() for all refs, in the order of parts. */
static bool index_refs(ll_workspace *w, bool (*index)(ll_workspace *w, uint32_t number, uint32_t part))
{
    bool ok = true;
    for (uint32_t package = 0; ok && package < w->packages.count; package++) {
        const ll_package *p = &w->packages.items[package];
        for (unsigned slot = 0; slot < LL_SLOTS; slot++) {
            for (uint32_t i = 0; ok && i < p->slots[slot].count; i++) {
                ok = index(w, p->slots[slot].first + i, ll_part_number(package, slot));
            }
        }
    }
    return ok;
}

static bool make_indexes(ll_workspace *w)
{
    return index_refs(w, index_ref) && sort_index(w, &w->by_path) && sort_index(w, &w->by_target) &&
           sort_index(w, &w->by_name);
}

void ll_packages_search(ll_workspace *w)
{
    if (!w->is_searched && w->status == LL_OK &&
        !(index_refs(w, index_letters) && sort_index(w, &w->by_letters) && sort_index(w, &w->by_base) &&
          sort_index(w, &w->by_target_letters))) {
        w->status = LL_E_MEMORY;
    }
    w->is_searched = true;
}

bool ll_packages_make(ll_workspace *w)
{
    if (!place_files(w)) {
        return false;
    }
    sort_refs(w->refs.items, w->refs.count);
    keep_best(w);
    return make_packages(w) && make_indexes(w);
}

void ll_packages_free(ll_workspace *w)
{
    ll_index *const all[] = {&w->by_path, &w->by_letters, &w->by_target,
                             &w->by_name, &w->by_base,    &w->by_target_letters};
    const ll_allocator *a = &w->allocator;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        LL_ARRAY_FREE(&all[i]->keys, a);
        LL_ARRAY_FREE(&all[i]->starts, a);
    }
    LL_ARRAY_FREE(&w->refs, a);
    LL_ARRAY_FREE(&w->packages, a);
    LL_ARRAY_FREE(&w->findings, a);
    LL_ARRAY_FREE(&w->found, a);
    LL_ARRAY_FREE(&w->notices, a);
    ll_map_free(&w->by_finding, a);
}
