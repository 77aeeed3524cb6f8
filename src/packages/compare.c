/* Compares two forms of a part: a manifest with the folder that it lists, and a folder with the archive built from
 * it. */
#include "packages/findings.h"

#include <limits.h>

/* Finds the file of a slot with that path, given with its hash, or with a path that differs only in case; LL_NO_FILE:
 * none. */
static uint32_t find_in(const ll_pass *v, unsigned slot, const char *path, uint64_t hash)
{
    uint32_t n;
    const ll_sort_key *keys = ll_index_find(&v->w->by_path, hash, ll_part_number(v->number, slot), &n);
    return n ? keys[0].item : ll_find_letters(v, slot, path);
}

/* ------------------------------------------------------------------ manifests */

static const char *entry_path(const ll_pass *v, const ll_kept_fact *entry)
{
    return ll_without_drive(ll_text_of(v, entry->text));
}

static bool check_value(const ll_pass *v, uint32_t manifest, ll_fact_kind kind, const char *expected)
{
    uint32_t n;
    const ll_kept_fact *value = ll_facts_of_kind(v->w, manifest, kind, &n);
    const char *text = n ? ll_text_of(v, value->text) : "";
    size_t length = strlen(expected);
    if (n == 0 || (strlen(text) == length && ll_same_letters(text, expected, length))) {
        return true;
    }
    return LL_FIND_IN(v, LL_ACROSS_MANIFEST_TYPE, manifest, value, value->number ? value->text : ll_put(v, "nothing"),
                      ll_put(v, expected));
}

static bool check_name_and_type(const ll_pass *v, uint32_t manifest, unsigned part)
{
    ll_text *name = &v->w->scratch;
    const char *key = v->w->files.items[manifest].key;
    const char *base = strrchr(key, '/');
    base = base ? base + 1 : key;
    ll_text_clear(name);
    ll_text_put(name, base, strlen(base) - strlen(".xml"));
    const char *expected = ll_text_of(v, ll_pool_put(v->w, name->data, name->failed ? 0 : name->length));
    return check_value(v, manifest, LL_FACT_MANIFEST_NAME, expected) &&
           check_value(v, manifest, LL_FACT_MANIFEST_TYPE, part == LL_DATA ? "Fpkd" : "Fpk");
}

/* Position of an extension in the order that MakeBite uses for that part; UINT_MAX: unknown. */
static unsigned rank_of(const char *extension, unsigned part)
{
    enum { FPK = LL_MAIN, FPKD = LL_DATA };
    static const struct {
        const char *name;
        uint8_t length, part;
    } extensions[] = {
#define FPK_EXTENSION(in, name) {name, sizeof(name) - 1, in},
#include "formats/fpk/fpk_extensions.def"
#undef FPK_EXTENSION
    };
    enum { COUNT = sizeof extensions / sizeof extensions[0] };
    size_t length = strlen(extension);
    unsigned i = 0;
    while (i < COUNT && (extensions[i].part != part || extensions[i].length != length ||
                         !ll_same_letters(extensions[i].name, extension, length))) {
        i++;
    }
    return i < COUNT ? i : UINT_MAX;
}

static const char *extension_of(const char *path)
{
    const char *base = strrchr(path, '/');
    const char *dot = strrchr(base ? base : path, '.');
    return dot ? dot + 1 : "";
}

/* Is a file in a folder no member of the archive, but a note, export, backup or system file? Packers skip files with an
 * extension that no archive contains. */
static bool is_beside(const char *path)
{
    const char *extension = extension_of(path);
    return rank_of(extension, LL_MAIN) == UINT_MAX && rank_of(extension, LL_DATA) == UINT_MAX;
}

/* Hashes of the extensions of earlier entries. */
typedef struct seen_groups {
    uint64_t hashes[64];
    unsigned count;
} seen_groups;

static bool is_seen(seen_groups *seen, uint64_t hash)
{
    for (unsigned i = 0; i < seen->count; i++) {
        if (seen->hashes[i] == hash) {
            return true;
        }
    }
    if (seen->count < sizeof seen->hashes / sizeof seen->hashes[0]) {
        seen->hashes[seen->count++] = hash;
    }
    return false;
}

/* Checks the order of entries: each extension is one group, groups are in the order of rank_of(), and in a group paths
 * descend in a data part and ascend in a main part. Reports the first entry that breaks it. */
static bool check_order(const ll_pass *v, uint32_t manifest, unsigned part)
{
    uint32_t n;
    const ll_kept_fact *entries = ll_facts_of_kind(v->w, manifest, LL_FACT_MANIFEST_ENTRY, &n);
    seen_groups seen = {.count = 0};
    unsigned highest = 0;
    for (uint32_t i = 0; i < n; i++) {
        const char *path = entry_path(v, &entries[i]);
        const char *before = i ? entry_path(v, &entries[i - 1]) : path;
        const char *extension = extension_of(path);
        bool starts = i == 0 || strcmp(extension_of(before), extension) != 0;
        int order = strcmp(before, path);
        bool wrong = starts ? is_seen(&seen, ll_hash_letters(extension)) : part == LL_DATA ? order < 0 : order > 0;
        unsigned rank = starts ? rank_of(extension, part) : highest;
        wrong = wrong || rank < highest;
        highest = rank != UINT_MAX && rank > highest ? rank : highest;
        if (wrong) {
            return LL_FIND_IN(v, LL_ACROSS_MANIFEST_ORDER, manifest, &entries[i], entries[i].text, entries[i - 1].text);
        }
    }
    return true;
}

/* Marks the files of a slot that entries list, and reports entries without a file. */
static bool check_listed_files(const ll_pass *v, uint32_t manifest, unsigned slot, bool *listed)
{
    uint32_t n;
    const ll_kept_fact *entries = ll_facts_of_kind(v->w, manifest, LL_FACT_MANIFEST_ENTRY, &n);
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++) {
        const char *path = entry_path(v, &entries[i]);
        uint32_t ref = entries[i].text ? find_in(v, slot, path, ll_path_hash(path)) : LL_NO_FILE;
        if (ref != LL_NO_FILE) {
            listed[ref - v->package->slots[slot].first] = true;
        } else if (entries[i].text) {
            ok = LL_FIND_IN(v, LL_ACROSS_MANIFEST_MISSING_FILE, manifest, &entries[i], entries[i].text);
        }
    }
    return ok;
}

static uint32_t count_unlisted(const ll_pass *v, const ll_part_files *files, const bool *listed, const char **first)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < files->count; i++) {
        const char *inner = ll_ref_of(v, files->first + i)->inner;
        if (!listed[i] && !is_beside(inner)) {
            *first = count++ ? *first : inner;
        }
    }
    return count;
}

/* Also marks files whose paths differ only in case from marked ones. `same`: scratch, as long as `listed`, all
 * false. */
static void mark_letters(const ll_pass *v, unsigned slot, bool *listed, bool *same)
{
    const ll_part_files *files = &v->package->slots[slot];
    for (uint32_t i = 0; i < files->count; i++) {
        uint32_t first = ll_find_letters(v, slot, ll_ref_of(v, files->first + i)->inner);
        if (first != LL_NO_FILE && listed[i]) {
            same[first - files->first] = true;
        }
    }
    for (uint32_t i = 0; i < files->count; i++) {
        uint32_t first = ll_find_letters(v, slot, ll_ref_of(v, files->first + i)->inner);
        listed[i] = listed[i] || (first != LL_NO_FILE && same[first - files->first]);
    }
}

/* Compares the entries of a manifest with the files of a completely known folder. */
static bool check_entries(const ll_pass *v, uint32_t manifest, unsigned slot)
{
    const ll_part_files *files = &v->package->slots[slot];
    bool *listed = ll_arena_zalloc(&v->w->spare, files->count, 2 * sizeof *listed);
    bool ok = listed && check_listed_files(v, manifest, slot, listed);
    const char *first = "";
    if (ok && count_unlisted(v, files, listed, &first)) {
        mark_letters(v, slot, listed, listed + files->count);
    }
    uint32_t count = ok ? count_unlisted(v, files, listed, &first) : 0;
    ll_arena_reset(&v->w->spare);
    if (!ok || !count) {
        return ok;
    }
    uint32_t n;
    const ll_kept_fact *name = ll_facts_of_kind(v->w, manifest, LL_FACT_MANIFEST_NAME, &n);
    return LL_FIND_IN(v, LL_ACROSS_MANIFEST_UNLISTED, manifest, n ? name : NULL, ll_put_number(v, count),
                      ll_put(v, first));
}

static bool check_manifest(const ll_pass *v, unsigned part)
{
    uint32_t manifest = v->package->manifests[part];
    unsigned slot = ll_slot(part, LL_FOLDER);
    if (manifest == LL_NO_FILE || v->w->files.items[manifest].kind != LL_FILE_MANIFEST) {
        return true;
    }
    return check_name_and_type(v, manifest, part) && check_order(v, manifest, part) &&
           (!v->package->slots[slot].complete || check_entries(v, manifest, slot));
}

/* ------------------------------------------------------------------ archives */

/* Reports once per archive the files of one form that the other form lacks. */
static bool check_lacking(const ll_pass *v, unsigned part, unsigned form, ll_across_fault fault)
{
    unsigned slot = ll_slot(part, form), other = ll_slot(part, LL_FORMS - 1 - form);
    const ll_part_files *files = &v->package->slots[slot];
    uint32_t lacking = 0;
    const char *first = "";
    for (uint32_t ref = files->first; ref < files->first + files->count; ref++) {
        const char *inner = ll_ref_of(v, ref)->inner;
        bool counts = form == LL_PACKED || !is_beside(inner);
        if (counts && find_in(v, other, inner, ll_ref_of(v, ref)->hash) == LL_NO_FILE) {
            first = lacking++ ? first : inner;
        }
    }
    if (!lacking || !v->package->slots[other].complete) {
        return true;
    }
    return LL_FIND_IN(v, fault, v->package->archives[part], NULL, ll_put_number(v, lacking), ll_put(v, first));
}

static bool check_bytes(const ll_pass *v, unsigned part)
{
    const ll_part_files *folder = &v->package->slots[ll_slot(part, LL_FOLDER)];
    bool ok = true;
    for (uint32_t ref = folder->first; ok && ref < folder->first + folder->count; ref++) {
        const ll_kept_file *file = ll_file_of(v, ref);
        bool compared = file->kind == LL_FILE_ARRAY || file->kind == LL_FILE_HARMONICS;
        uint32_t other = compared
                             ? find_in(v, ll_slot(part, LL_PACKED), ll_ref_of(v, ref)->inner, ll_ref_of(v, ref)->hash)
                             : LL_NO_FILE;
        const ll_kept_file *packed = other == LL_NO_FILE ? file : ll_file_of(v, other);
        if (packed->kind == file->kind && (packed->hash != file->hash || packed->size != file->size)) {
            ll_across_finding f = ll_finding_at(v, LL_ACROSS_ARCHIVE_DIFFERS, other, NULL);
            f.args[0] = ll_put(v, ll_ref_of(v, ref)->inner);
            f.related_file = ll_ref_of(v, ref)->file;
            f.related_path = ll_put(v, "file");
            ok = ll_find(v, &f);
        }
    }
    return ok;
}

static bool check_archive(const ll_pass *v, unsigned part)
{
    const ll_part_files *folder = &v->package->slots[ll_slot(part, LL_FOLDER)];
    return v->package->archives[part] == LL_NO_FILE || !folder->count ||
           (check_lacking(v, part, LL_FOLDER, LL_ACROSS_ARCHIVE_STALE) &&
            check_lacking(v, part, LL_PACKED, LL_ACROSS_FOLDER_STALE) && check_bytes(v, part));
}

bool ll_compare_forms(ll_workspace *w, uint32_t package)
{
    ll_pass v = {.w = w, .package = &w->packages.items[package], .number = package};
    bool ok = true;
    for (unsigned part = 0; ok && part < LL_PARTS; part++) {
        ok = check_manifest(&v, part) && check_archive(&v, part);
    }
    return ok;
}
