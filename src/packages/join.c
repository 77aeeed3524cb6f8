/* Runs the rules across the files of each package, in two views: the folders and the archives; a part that a view lacks
 * is taken from the other. A missing file is reported only if the whole part is known, and nothing is concluded from
 * files that were not read in full. Costs a few look-ups per reference. */
#include "packages/join.h"

#include "base/problem.h"
#include "formats/strcode.h"
#include "model/format.h"
#include "packages/findings.h"

#include <stdlib.h>
#include <string.h>

enum {
    NAMERS_MAX = 8,      /* number of entities naming the same array that are compared with it */
    NEAR_NAMES = 3,      /* similar names suggested for a missing one */
    NEAR_BUDGET = 100000 /* names compared with missing ones, per view of a package */
};

/* ------------------------------------------------------------------ looking up */

/* The file of a part whose last name is that of a path, ignoring case; LL_NO_FILE: none, or several. */
static uint32_t find_base(const ll_pass *v, unsigned part, const char *path)
{
    const char *base = strrchr(path, '/');
    uint32_t n;
    ll_packages_search(v->w);
    const ll_sort_key *keys =
        ll_index_find(&v->w->by_base, ll_hash_letters(base ? base : path), ll_part_of(v, part), &n);
    return n == 1 ? keys[0].item : LL_NO_FILE;
}

static bool names_array(const ll_kept_fact *fact)
{
    return fact->kind != LL_FACT_HARMONICS_FILE;
}

/* Facts of the data part that name a file by its path hash. */
static const ll_sort_key *namers_of(const ll_pass *v, uint32_t ref, uint32_t *count)
{
    return ll_index_find(&v->w->by_target, ll_ref_of(v, ref)->hash, ll_part_of(v, LL_DATA), count);
}

/* Facts of the data part that name a file by its path, ignoring case. */
static const ll_sort_key *blind_namers_of(const ll_pass *v, uint32_t ref, uint32_t *count)
{
    ll_packages_search(v->w);
    return ll_index_find(&v->w->by_target_letters, ll_hash_letters(ll_ref_of(v, ref)->inner), ll_part_of(v, LL_DATA),
                         count);
}

static bool is_among(uint32_t ref, const ll_sort_key *keys, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && keys[i].second != ref) {
        i++;
    }
    return i < n;
}

static const ll_kept_fact *only_fact(const ll_pass *v, uint32_t ref, ll_fact_kind kind, uint32_t owner)
{
    return ll_fact_of(v->w, ll_ref_of(v, ref)->file, kind, owner);
}

static bool ends_with(const char *text, size_t n, const char *end)
{
    size_t length = strlen(end);
    return n >= length && memcmp(text + n - length, end, length) == 0;
}

/* ------------------------------------------------------------------ arrays and their DataSets */

/* Derives the path of the DataSet from the path of an array. False if that has another form or memory ran out. */
static bool put_dataset_path(const char *array, ll_text *out)
{
    const ll_format *format = ll_format_of_kind(LL_FILE_DATASET);
    static const char release[] = "/tpp/release/"; /* path in Ground Zeroes, /Assets/tpp/ in later games */
    size_t n = strlen(array);
    ll_text_clear(out);
    for (size_t i = 0; i < format->array_end_count; i++) {
        const char *end = format->array_ends[i];
        if (end && ends_with(array, n, end)) {
            bool moved = strncmp(array, release, sizeof release - 1) == 0;
            size_t from = moved ? sizeof release - 1 : 0;
            ll_text_str(out, moved ? "/Assets/tpp/" : "");
            ll_text_put(out, array + from, n - from - strlen(end));
            ll_text_str(out, ll_format_extension(format));
            return !out->failed;
        }
    }
    return false;
}

static bool check_own_path(const ll_pass *v, uint32_t ref, const ll_kept_fact *stated)
{
    const ll_kept_fact *hash = only_fact(v, ref, LL_FACT_DATASET_HASH, stated->owner);
    if (!put_dataset_path(ll_ref_of(v, ref)->inner, &v->w->scratch)) {
        return true;
    }
    const char *own = ll_text_cstr(&v->w->scratch);
    if (strcmp(own, ll_text_of(v, stated->text)) == 0 || (hash && hash->number == ll_path_hash(own))) {
        return true;
    }
    uint32_t expected = ll_put(v, own);
    return LL_FIND(v, LL_ACROSS_CM00_PATH, ref, stated, stated->text, expected);
}

/* Reports a file that a fact names and that the part lacks. A DataSet may have been moved: then one that names the
 * array is the related place. */
static bool raise_missing(const ll_pass *v, ll_across_fault fault, uint32_t ref, const ll_kept_fact *fact,
                          unsigned part)
{
    ll_across_finding f = ll_finding_at(v, fault, ref, fact);
    uint32_t n = 0;
    const ll_sort_key *keys = fault == LL_ACROSS_DATASET_MISSING ? namers_of(v, ref, &n) : NULL;
    uint32_t other = n ? (uint32_t)keys[0].second : find_base(v, part, ll_text_of(v, fact->text));
    f.args[0] = fact->text;
    f.args[1] = ll_put_part(v, part);
    if (n) {
        f.hint = LL_ACROSS_HINT_MOVED;
        ll_relate(v, &f, ll_ref_of(v, other)->file, &v->w->facts.items[keys[0].item]);
    } else if (other != LL_NO_FILE) {
        f.hint = LL_ACROSS_HINT_BASE_NAME;
    }
    f.args[2] = other == LL_NO_FILE ? 0 : ll_put(v, ll_ref_of(v, other)->inner);
    return ll_find(v, &f);
}

/* Looks for the file that a fact names. Reports if it is missing, or if its path differs in case. *there: the file, or
 * LL_NO_FILE. */
static bool check_target(const ll_pass *v, ll_across_fault fault, uint32_t ref, const ll_kept_fact *fact, unsigned part,
                         uint32_t *there)
{
    *there = ll_find_target(v, part, fact);
    if (*there != LL_NO_FILE) {
        return true;
    }
    uint32_t near = ll_find_letters(v, v->slots[part], ll_text_of(v, fact->text));
    if (near != LL_NO_FILE) {
        return LL_FIND(v, LL_ACROSS_PATH_CASE, ref, fact, fact->text, ll_put(v, ll_ref_of(v, near)->inner));
    }
    return !ll_files_of(v, part)->complete || raise_missing(v, fault, ref, fact, part);
}

/* Checks that the DataSet of an array has an entity that names it, ignoring case. */
static bool check_named(const ll_pass *v, uint32_t ref, uint32_t dataset)
{
    const ll_kept_file *file = ll_file_of(v, dataset);
    uint32_t n;
    const ll_sort_key *keys = namers_of(v, ref, &n);
    bool named = is_among(dataset, keys, n);
    if (!named) {
        keys = blind_namers_of(v, ref, &n);
        named = is_among(dataset, keys, n);
    }
    if (named || file->kind != LL_FILE_DATASET || !file->whole) {
        return true;
    }
    return LL_FIND(v, LL_ACROSS_ARRAY_UNREFERENCED, ref, NULL, ll_put(v, ll_ref_of(v, ref)->inner),
                   ll_put(v, ll_ref_of(v, dataset)->inner));
}

static bool check_dataset_of(const ll_pass *v, uint32_t ref, const ll_kept_fact *stated)
{
    const ll_kept_fact *hash = only_fact(v, ref, LL_FACT_DATASET_HASH, stated->owner);
    ll_kept_fact target = *stated;
    target.number = hash ? hash->number : 0;
    uint32_t dataset;
    bool ok = check_target(v, LL_ACROSS_DATASET_MISSING, ref, &target, LL_DATA, &dataset);
    return ok && (dataset == LL_NO_FILE || check_named(v, ref, dataset));
}

/* ------------------------------------------------------------------ arrays and the entities that name them */

/* Does a tag like "PL02", kind and version, fit the class of an array? */
static bool fits_class(unsigned kind, uint64_t tag)
{
    char letters[3] = {(char)(tag & 0xFF), (char)(tag >> 8 & 0xFF), 0};
    return kind == LL_FACT_LIGHT_ARRAY_FILE   ? strcmp(letters, "PL") == 0 || strcmp(letters, "SL") == 0
           : kind == LL_FACT_PROBE_ARRAY_FILE ? strcmp(letters, "EP") == 0
                                              : strcmp(letters, "OC") == 0;
}

static bool fits_any_class(uint64_t tag)
{
    return fits_class(LL_FACT_LIGHT_ARRAY_FILE, tag) || fits_class(LL_FACT_PROBE_ARRAY_FILE, tag) ||
           fits_class(LL_FACT_OCCLUDER_ARRAY_FILE, tag);
}

/* The first entry of a known kind that does not fit the class; NULL: none. */
static const ll_kept_fact *other_entry(const ll_pass *v, uint32_t ref, unsigned kind)
{
    uint32_t n;
    const ll_kept_fact *entries = ll_facts_of_kind(v->w, ll_ref_of(v, ref)->file, LL_FACT_ENTRY, &n);
    uint32_t i = 0;
    while (i < n && (fits_class(kind, entries[i].number) || !fits_any_class(entries[i].number))) {
        i++;
    }
    return i < n ? &entries[i] : NULL;
}

static bool raise_class(const ll_pass *v, uint32_t ref, uint32_t dataset, const ll_kept_fact *namer,
                        const ll_kept_fact *entry)
{
    char tag[4];
    for (unsigned c = 0; c < 4; c++) {
        tag[c] = (char)(entry->number >> 8 * c & 0xFF);
    }
    return LL_FIND_RELATED(v, LL_ACROSS_ARRAY_CLASS, ref, entry, dataset, namer, ll_pool_put(v->w, tag, sizeof tag),
                           ll_put(v, ll_class_name(namer->kind)));
}

/* The lists of a TppLightProbeArray to which light probes refer; NULL: unknown. */
typedef struct lists {
    const ll_kept_fact *sh, *draw, *related;
    uint32_t dataset; /* a ref */
} lists;

static bool check_length(const ll_pass *v, ll_across_fault fault, uint32_t ref, const lists *l,
                         const ll_kept_fact *list, uint32_t probes)
{
    if (!list || list->number == probes || !ll_file_of(v, ref)->whole) {
        return true;
    }
    return LL_FIND(v, fault, l->dataset, list, ll_put_number(v, list->number), ll_put_number(v, probes),
                   ll_put(v, ll_ref_of(v, ref)->inner));
}

/* Checks that the index of a probe is inside the lists; *inside says so. */
static bool check_index(const ll_pass *v, uint32_t ref, const lists *l, const ll_kept_fact *index, bool *inside)
{
    const ll_kept_fact *const both[] = {l->sh, l->draw};
    *inside = true;
    for (unsigned i = 0; i < 2 && *inside; i++) {
        if (both[i] && index->number >= both[i]->number) {
            *inside = false;
            return LL_FIND_RELATED(v, LL_ACROSS_SH_INDEX, ref, index, l->dataset, both[i],
                                   ll_put_number(v, index->number), ll_put_number(v, both[i]->number),
                                   ll_put(v, ll_property_name(both[i]->kind)));
        }
    }
    return true;
}

static bool check_related_lights(const ll_pass *v, uint32_t ref, const lists *l, uint32_t entry)
{
    const ll_kept_fact *count = only_fact(v, ref, LL_FACT_PROBE_RELATED_COUNT, entry);
    const ll_kept_fact *start = only_fact(v, ref, LL_FACT_PROBE_RELATED_START, entry);
    if (!l->related || !count || !start || start->number + count->number <= l->related->number) {
        return true;
    }
    return LL_FIND_RELATED(v, LL_ACROSS_RELATED_RANGE, ref, count->number ? count : start, l->dataset, l->related,
                           ll_put_number(v, start->number), ll_put_number(v, count->number),
                           ll_put_number(v, l->related->number));
}

/* ------------------------------------------------------------------ light probes and harmonics */

/* Text number of the names most similar to a missing one, joined by commas; 0: none was compared. */
static uint32_t put_near_names(ll_pass *v, const char *missing, const ll_kept_fact *names, uint32_t n)
{
    struct {
        const char *name;
        unsigned distance;
    } near[NEAR_NAMES + 1] = {{NULL, 0}};
    if (n > NEAR_BUDGET - v->compared) {
        return 0;
    }
    v->compared += n;
    for (uint32_t i = 0; i < n; i++) {
        const char *name = ll_text_of(v, names[i].text);
        unsigned distance = ll_edit_distance(missing, name);
        unsigned at = NEAR_NAMES;
        for (; at > 0 && (!near[at - 1].name || near[at - 1].distance > distance); at--) {
            near[at] = near[at - 1];
        }
        near[at].name = name;
        near[at].distance = distance;
    }
    ll_text *out = &v->w->scratch;
    ll_text_clear(out);
    for (unsigned i = 0; i < NEAR_NAMES && near[i].name; i++) {
        ll_text_format(out, i ? ", %s" : "%s", near[i].name);
    }
    return ll_pool_put(v->w, out->data, out->failed ? 0 : out->length);
}

static bool raise_missing_probe(ll_pass *v, uint32_t ref, const ll_kept_fact *name, uint32_t harmonics)
{
    uint32_t n;
    const ll_kept_fact *names = ll_facts_of_kind(v->w, ll_ref_of(v, harmonics)->file, LL_FACT_HARMONICS_NAME, &n);
    bool damaged = ll_file_of(v, harmonics)->odd_names; /* as in some files of the game */
    ll_across_finding f =
        ll_finding_at(v, damaged ? LL_ACROSS_PROBE_NOT_IN_LPSH_DAMAGED : LL_ACROSS_PROBE_NOT_IN_LPSH, ref, name);
    f.args[0] = name->text;
    f.args[1] = ll_put(v, ll_ref_of(v, harmonics)->inner);
    f.args[2] = put_near_names(v, ll_text_of(v, name->text), names, n);
    f.hint = f.args[2] ? LL_ACROSS_HINT_NEAR_NAMES : LL_ACROSS_NO_HINT;
    if (n) {
        ll_relate(v, &f, ll_ref_of(v, harmonics)->file, names);
    }
    return ll_find(v, &f);
}

/* The name fact of a probe in a file of harmonics; NULL: none. */
static const ll_kept_fact *find_probe(const ll_pass *v, uint32_t harmonics, const char *name)
{
    uint32_t n;
    const ll_sort_key *keys = ll_index_find(&v->w->by_name, ll_map_hash_bytes(0, name, strlen(name)), harmonics, &n);
    return n ? &v->w->facts.items[keys[0].item] : NULL;
}

static bool check_flags(const ll_pass *v, uint32_t ref, uint32_t entry, uint32_t harmonics, const ll_kept_fact *probe)
{
    enum { SHIFT = 1, MASK = 15 };
    const ll_kept_fact *flags = only_fact(v, ref, LL_FACT_PROBE_FLAGS, entry);
    const ll_kept_fact *theirs = only_fact(v, harmonics, LL_FACT_HARMONICS_FLAGS, probe->owner);
    if (!flags || !theirs || (flags->number >> SHIFT & MASK) == (theirs->number & MASK)) {
        return true;
    }
    ll_across_finding f = ll_finding_at(v, LL_ACROSS_PROBE_FLAGS, ref, flags);
    f.args[0] = ll_put_number(v, flags->number >> SHIFT & MASK);
    f.args[1] = ll_put_number(v, theirs->number & MASK);
    f.patch_tier = LL_PATCH_UNSAFE;
    f.patch_size = 4;
    f.patch_value = (flags->number & ~(uint64_t)(MASK << SHIFT)) | (theirs->number & MASK) << SHIFT;
    ll_relate(v, &f, ll_ref_of(v, harmonics)->file, theirs);
    return ll_find(v, &f);
}

static bool check_unlinked(const ll_pass *v, uint32_t ref, const lists *l, uint32_t entry, const ll_kept_fact *link)
{
    enum { LINKED = 0xE };
    const ll_kept_fact *flags = only_fact(v, ref, LL_FACT_PROBE_FLAGS, entry);
    if (!flags || !(flags->number & LINKED)) {
        return true;
    }
    return LL_FIND_RELATED(v, LL_ACROSS_SH_UNLINKED, ref, flags, l->dataset, link,
                           ll_put_number(v, flags->number & LINKED));
}

/* Follows the link of a light probe to the harmonics and checks the probe of its name there. */
static bool check_link(ll_pass *v, uint32_t ref, const lists *l, const ll_kept_fact *index)
{
    uint32_t n;
    uint32_t entry = index->owner;
    const ll_kept_fact *links = ll_facts_of(v->w, ll_ref_of(v, l->dataset)->file, LL_FACT_SH_LINK, l->sh->owner, &n);
    if (index->number >= n || links[index->number].index != index->number) {
        return true;
    }
    const ll_kept_fact *link = &links[index->number];
    if (link->number == 0) {
        return check_unlinked(v, ref, l, entry, link);
    }
    const ll_kept_fact *file = link->number == LL_FACT_NOWHERE
                                   ? NULL
                                   : only_fact(v, l->dataset, LL_FACT_HARMONICS_FILE, (uint32_t)link->number - 1);
    uint32_t harmonics = file && file->text ? ll_find_target(v, LL_MAIN, file) : LL_NO_FILE;
    const ll_kept_fact *name = only_fact(v, ref, LL_FACT_ENTRY_NAME, entry);
    if (harmonics == LL_NO_FILE || !name || !name->text || ll_file_of(v, harmonics)->kind != LL_FILE_HARMONICS) {
        return true;
    }
    const ll_kept_fact *probe = find_probe(v, harmonics, ll_text_of(v, name->text));
    return probe                             ? check_flags(v, ref, entry, harmonics, probe)
           : ll_file_of(v, harmonics)->whole ? raise_missing_probe(v, ref, name, harmonics)
                                             : true;
}

static bool check_probes(ll_pass *v, uint32_t ref, uint32_t dataset, const ll_kept_fact *namer)
{
    uint32_t n;
    const ll_kept_fact *probes = ll_facts_of_kind(v->w, ll_ref_of(v, ref)->file, LL_FACT_PROBE_INDEX, &n);
    lists l = {only_fact(v, dataset, LL_FACT_SH_COUNT, namer->owner),
               only_fact(v, dataset, LL_FACT_DRAW_COUNT, namer->owner),
               only_fact(v, dataset, LL_FACT_RELATED_COUNT, namer->owner), dataset};
    bool ok = check_length(v, LL_ACROSS_SH_COUNT, ref, &l, l.sh, n) &&
              check_length(v, LL_ACROSS_DRAW_COUNT, ref, &l, l.draw, n);
    for (uint32_t i = 0; ok && i < n; i++) {
        bool inside;
        ok = check_index(v, ref, &l, &probes[i], &inside) && check_related_lights(v, ref, &l, probes[i].owner) &&
             (!inside || !l.sh || check_link(v, ref, &l, &probes[i]));
    }
    return ok;
}

/* ------------------------------------------------------------------ one file */

static bool check_array(ll_pass *v, uint32_t ref, bool in_main)
{
    uint32_t n;
    const ll_kept_fact *stated = ll_facts_of_kind(v->w, ll_ref_of(v, ref)->file, LL_FACT_DATASET, &n);
    bool ok = n == 0 || !stated->text || check_own_path(v, ref, stated);
    if (!ok || !in_main) {
        return ok;
    }
    ok = n == 0 || !stated->text || check_dataset_of(v, ref, stated);
    uint32_t count;
    const ll_sort_key *namers = namers_of(v, ref, &count);
    for (uint32_t i = 0; ok && i < count && i < NAMERS_MAX; i++) {
        const ll_kept_fact *namer = &v->w->facts.items[namers[i].item];
        uint32_t dataset = (uint32_t)namers[i].second;
        if (names_array(namer)) {
            const ll_kept_fact *entry = other_entry(v, ref, namer->kind);
            ok = entry ? raise_class(v, ref, dataset, namer, entry)
                       : namer->kind != LL_FACT_PROBE_ARRAY_FILE || check_probes(v, ref, dataset, namer);
        }
    }
    return ok;
}

static bool check_harmonics(const ll_pass *v, uint32_t ref)
{
    uint32_t n;
    (void)namers_of(v, ref, &n);
    if (!n) {
        (void)blind_namers_of(v, ref, &n);
    }
    if (n || !ll_files_of(v, LL_DATA)->complete || !v->datasets_read) {
        return true;
    }
    return LL_FIND(v, LL_ACROSS_LPSH_UNUSED, ref, NULL, ll_put(v, ll_ref_of(v, ref)->inner));
}

/* Checks a reference of a DataSet to a file of the main part. */
static bool check_reference(const ll_pass *v, uint32_t ref, const ll_kept_fact *fact)
{
    uint32_t there;
    return !fact->text ||
           check_target(v, names_array(fact) ? LL_ACROSS_ARRAY_FILE : LL_ACROSS_LPSH_FILE, ref, fact, LL_MAIN, &there);
}

static bool check_shared(const ll_pass *v, uint32_t ref, const ll_kept_fact *fact)
{
    uint32_t n;
    const ll_sort_key *keys = ll_index_find(&v->w->by_target, fact->number, ll_part_of(v, LL_DATA), &n);
    uint32_t number = (uint32_t)(fact - v->w->facts.items);
    if (!names_array(fact) || !fact->text || n < 2 || (keys[0].item == number && keys[0].second == ref)) {
        return true;
    }
    return LL_FIND_RELATED(v, LL_ACROSS_ARRAY_SHARED, ref, fact, (uint32_t)keys[0].second,
                           &v->w->facts.items[keys[0].item], fact->text);
}

static bool check_link_archive(const ll_pass *v, uint32_t ref, const ll_kept_fact *fact)
{
    uint64_t own = ll_ref_of(v, ref)->hash;
    if (fact->number == own) {
        return true;
    }
    ll_across_finding f = ll_finding_at(v, LL_ACROSS_LINK_ARCHIVE, ref, fact);
    char digits[17];
    ll_hash_digits(fact->number, digits);
    f.args[0] = fact->text ? fact->text : ll_put(v, digits);
    f.args[1] = ll_put(v, ll_ref_of(v, ref)->inner);
    f.patch_size = 8;
    f.patch_value = own;
    f.patch_tier = LL_PATCH_UNSAFE;
    return ll_find(v, &f);
}

static bool check_link_target(ll_pass *v, uint32_t ref, const ll_kept_fact *fact)
{
    const ll_kept_fact *file = only_fact(v, ref, LL_FACT_LIGHT_ARRAY_FILE, fact->index);
    uint32_t array = file && file->text ? ll_find_target(v, LL_MAIN, file) : LL_NO_FILE;
    if (array == LL_NO_FILE || !fact->text || ll_file_of(v, array)->kind != LL_FILE_ARRAY ||
        !ll_file_of(v, array)->whole) {
        return true;
    }
    const ll_kept_fact *name =
        fact->number < LL_NO_INDEX ? only_fact(v, array, LL_FACT_ENTRY_NAME, (uint32_t)fact->number) : NULL;
    if (fact->number && name && name->text == fact->text) {
        return true;
    }
    uint32_t n;
    const ll_kept_fact *names = ll_facts_of_kind(v->w, ll_ref_of(v, array)->file, LL_FACT_ENTRY_NAME, &n);
    const ll_kept_fact *right = NULL;
    uint32_t equal = 0;
    n = n > NEAR_BUDGET - v->compared ? 0 : n;
    v->compared += n;
    for (uint32_t i = 0; i < n; i++) {
        bool same = names[i].text == fact->text;
        right = same ? &names[i] : right;
        equal += same;
    }
    ll_across_finding f = ll_finding_at(v, LL_ACROSS_LINK_TARGET, ref, fact);
    f.args[0] = ll_put_number(v, fact->number);
    f.args[1] = fact->text;
    f.args[2] = name ? name->text : 0;
    if (equal == 1) {
        f.patch_tier = LL_PATCH_UNSAFE;
        f.patch_size = 4;
        f.patch_value = right->owner;
        ll_relate(v, &f, ll_ref_of(v, array)->file, right);
    }
    return ll_find(v, &f);
}

static bool check_dataset(ll_pass *v, uint32_t ref, bool in_data)
{
    const ll_kept_file *file = ll_file_of(v, ref);
    bool ok = true;
    for (uint32_t i = file->first_fact; ok && i < file->first_fact + file->fact_count; i++) {
        const ll_kept_fact *fact = &v->w->facts.items[i];
        if (fact->kind == LL_FACT_LINK_ARCHIVE) {
            ok = check_link_archive(v, ref, fact);
        } else if (in_data && ll_names_file(fact->kind)) {
            ok = check_reference(v, ref, fact) && check_shared(v, ref, fact);
        } else if (in_data && fact->kind == LL_FACT_LINK_TARGET) {
            ok = check_link_target(v, ref, fact);
        }
    }
    return ok;
}

/* Checks that the folder of a part contains no file of a format that belongs to the other part. */
static bool check_place(const ll_pass *v, uint32_t ref, unsigned part)
{
    const char *inner = ll_ref_of(v, ref)->inner;
    const ll_format *format = ll_format_by_name(inner);
    if (v->slots[part] == ll_slot(part, LL_PACKED) || !format || !format->file_parts ||
        format->file_parts >> part & 1U) {
        return true;
    }
    return LL_FIND(v, LL_ACROSS_WRONG_PART, ref, NULL, ll_put(v, inner), ll_put_part(v, part));
}

/* ------------------------------------------------------------------ packages */

static bool check_part(ll_pass *v, unsigned part)
{
    const ll_part_files *files = ll_files_of(v, part);
    bool ok = true;
    for (uint32_t ref = files->first; ok && ref < files->first + files->count; ref++) {
        unsigned kind = ll_file_of(v, ref)->kind;
        ok = check_place(v, ref, part);
        if (ok && kind == LL_FILE_ARRAY) {
            ok = check_array(v, ref, part == LL_MAIN);
        } else if (ok && kind == LL_FILE_HARMONICS && part == LL_MAIN) {
            ok = check_harmonics(v, ref);
        } else if (ok && kind == LL_FILE_DATASET) {
            ok = check_dataset(v, ref, part == LL_DATA);
        }
    }
    return ok;
}

static bool check_view(ll_workspace *w, uint32_t number, unsigned form)
{
    ll_pass v = ll_pass_of(w, number, form);
    const ll_part_files *data = ll_files_of(&v, LL_DATA);
    for (uint32_t ref = data->first; ref < data->first + data->count; ref++) {
        const ll_kept_file *file = ll_file_of(&v, ref);
        bool is_read = file->kind == LL_FILE_DATASET && file->whole;
        const ll_format *format = ll_format_by_name(ll_ref_of(&v, ref)->inner);
        v.datasets_read = v.datasets_read && (is_read || !format || format->file_kind != LL_FILE_DATASET);
    }
    return check_part(&v, LL_MAIN) && check_part(&v, LL_DATA);
}

/* Does a part contain something that is compared with the other part? */
static bool asks(const ll_workspace *w, const ll_package *p, unsigned part)
{
    for (unsigned form = 0; form < LL_FORMS; form++) {
        const ll_part_files *files = &p->slots[ll_slot(part, form)];
        for (uint32_t i = files->first; i < files->first + files->count; i++) {
            const ll_kept_file *file = &w->files.items[w->refs.items[i].file];
            if (part == LL_MAIN && (file->kind == LL_FILE_ARRAY || file->kind == LL_FILE_HARMONICS)) {
                return true;
            }
            for (uint32_t f = file->first_fact; part == LL_DATA && f < file->first_fact + file->fact_count; f++) {
                if (ll_names_file(w->facts.items[f].kind)) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* How much of a part is known. */
typedef enum knowledge { NOTHING, SOME, ALL, KNOWLEDGES } knowledge;

static knowledge known_of(const ll_package *p, unsigned part)
{
    const ll_part_files *folder = &p->slots[ll_slot(part, LL_FOLDER)], *packed = &p->slots[ll_slot(part, LL_PACKED)];
    return folder->complete || packed->complete                                ? ALL
           : folder->count || packed->count || p->archives[part] != LL_NO_FILE ? SOME
                                                                               : NOTHING;
}

/* Number of rules, by what is known of the main part and of the data part. */
typedef struct rule_counts {
    size_t of[KNOWLEDGES][KNOWLEDGES];
} rule_counts;

/* Counts enabled rules that need something unknown. */
static size_t count_rules(const ll_workspace *w, knowledge main, knowledge data)
{
    static const char *const lost[][KNOWLEDGES] = {{"mM", "M", ""}, {"dD", "D", ""}};
    size_t count = 0;
    for (size_t i = 0; i < w->rules->count; i++) {
        const ll_active_rule *active = &w->rules->rules[i];
        unsigned n = ll_across_fault_of(ll_rule_of(w->rules, active));
        const char *needs = n < LL_ACROSS_COUNT ? ll_across_parts[n] : "";
        count += active->severity != LL_SEVERITY_OFF &&
                 (strpbrk(needs, lost[LL_MAIN][main]) || strpbrk(needs, lost[LL_DATA][data]));
    }
    return count;
}

/* Appends what is unknown of a part, why, and what to do. */
static void put_reason(const ll_workspace *w, const ll_package *p, unsigned part, knowledge known, ll_text *out)
{
    static const char *const names[LL_PARTS] = {"main", "data"}, *const ends[LL_PARTS] = {"fpk", "fpkd"};
    uint32_t archive = p->archives[part];
    uint32_t from = p->stem_length;
    while (from && p->stem[from - 1] != '/') {
        from--;
    }
    ll_text_format(out, "%s%s part (", out->length ? "; " : "", names[part]);
    ll_text_escape(out, p->stem + from, p->stem_length - from);
    bool packed = known == SOME && archive != LL_NO_FILE;
    ll_text_format(out, "%c%s) ", packed ? '.' : '_', ends[part]);
    ll_text_str(out, known == NOTHING ? "was not among the arguments: give the folder that holds it"
                     : !packed ? "was not looked at as a whole: give all of its folder, and leave none of its files out"
                     : w->files.items[archive].unnamed
                         ? "holds members whose paths cannot be read: unpack it with GzsTool and a list of names"
                         : "was not read in full: fix it first");
}

static bool add_notice(ll_workspace *w, const ll_package *p, const knowledge *known, size_t rules)
{
    static const char *const missing[] = {"main part", "data part", "main and data part"};
    ll_workspace_notice *notice = rules ? LL_ARRAY_ADD(&w->notices, &w->allocator) : NULL;
    if (!rules) {
        return true;
    }
    ll_text_clear(&w->scratch);
    for (unsigned part = 0; part < LL_PARTS; part++) {
        if (known[part] != ALL) {
            put_reason(w, p, part, known[part], &w->scratch);
        }
    }
    if (!notice || w->scratch.failed) {
        return false;
    }
    *notice = (ll_workspace_notice){.package = ll_pool_text(w, ll_pool_put(w, p->stem, p->stem_length)),
                                    .missing = missing[known[LL_DATA] == ALL   ? 0
                                                       : known[LL_MAIN] == ALL ? 1
                                                                               : 2],
                                    .why = ll_pool_text(w, ll_pool_put(w, w->scratch.data, w->scratch.length)),
                                    .rules = rules};
    w->summary.not_run++;
    w->summary.rules_not_run += notice->rules;
    return true;
}

static bool judge_package(ll_workspace *w, uint32_t number, const rule_counts *rules)
{
    const ll_package *p = &w->packages.items[number];
    bool forms[LL_FORMS];
    knowledge known[LL_PARTS]; /* ALL if the part is not needed */
    for (unsigned form = 0; form < LL_FORMS; form++) {
        forms[form] = p->slots[ll_slot(LL_MAIN, form)].count || p->slots[ll_slot(LL_DATA, form)].count;
    }
    for (unsigned part = 0; part < LL_PARTS; part++) {
        known[part] = asks(w, p, LL_PARTS - 1 - part) ? known_of(p, part) : ALL;
    }
    bool ok = (!forms[LL_FOLDER] || check_view(w, number, LL_FOLDER)) &&
              (!forms[LL_PACKED] || check_view(w, number, LL_PACKED)) && ll_compare_forms(w, number);
    bool all = known[LL_MAIN] == ALL && known[LL_DATA] == ALL;
    w->summary.packages++;
    w->summary.checked += all;
    return ok && (all || add_notice(w, p, known, rules->of[known[LL_MAIN]][known[LL_DATA]]));
}

bool ll_join_packages(ll_workspace *w)
{
    bool ok = true;
    rule_counts rules = {{{0}}};
    for (unsigned i = 0; w->packages.count && i < KNOWLEDGES * KNOWLEDGES; i++) {
        rules.of[i / KNOWLEDGES][i % KNOWLEDGES] =
            count_rules(w, (knowledge)(i / KNOWLEDGES), (knowledge)(i % KNOWLEDGES));
    }
    w->summary.files = w->refs.count;
    for (uint32_t i = 0; ok && i < w->packages.count; i++) {
        ok = judge_package(w, i, &rules);
    }
    return ok && ll_sort_findings(w);
}
