/* Findings across files as join.c and compare.c make them, and look-ups in a package. */
#ifndef LL_PACKAGES_FINDINGS_H
#define LL_PACKAGES_FINDINGS_H

#include "packages/packages.h"

#include <string.h>

/* A view of a package: the form from which each part is taken. */
typedef struct ll_pass {
    ll_workspace *w;
    const ll_package *package;
    uint32_t number;          /* number of the package */
    unsigned slots[LL_PARTS]; /* slot from which each part is taken */
    bool datasets_read;       /* all DataSets of the data part were read in full */
    uint32_t compared;        /* number of names compared so far, limited by a budget */
} ll_pass;

static inline const char *ll_text_of(const ll_pass *v, uint32_t text)
{
    return ll_pool_text(v->w, text);
}

static inline uint32_t ll_put(const ll_pass *v, const char *text)
{
    return ll_pool_put(v->w, text, strlen(text));
}

static inline uint32_t ll_put_number(const ll_pass *v, uint64_t number)
{
    char digits[LL_DIGITS_MAX];
    return ll_put(v, ll_digits(number, digits));
}

static inline const ll_ref *ll_ref_of(const ll_pass *v, uint32_t ref)
{
    return &v->w->refs.items[ref];
}

static inline ll_kept_file *ll_file_of(const ll_pass *v, uint32_t ref)
{
    return &v->w->files.items[ll_ref_of(v, ref)->file];
}

static inline uint32_t ll_part_of(const ll_pass *v, unsigned part)
{
    return ll_part_number(v->number, v->slots[part]);
}
static inline const ll_part_files *ll_files_of(const ll_pass *v, unsigned part)
{
    return &v->package->slots[v->slots[part]];
}

/* The view of one form; parts that this form lacks are taken from the other one. */
ll_pass ll_pass_of(ll_workspace *w, uint32_t package, unsigned form);

/* Finds the file of a part by its path; LL_NO_FILE: none. */
uint32_t ll_find_path(const ll_pass *v, unsigned part, const char *path);
/* Finds a file of a slot by its path, ignoring case; LL_NO_FILE: none. */
uint32_t ll_find_letters(const ll_pass *v, unsigned slot, const char *path);
/* Finds the file that a fact names, by its path hash, which the game uses, or else by its text; a rule of single files
 * reports if the two differ. */
uint32_t ll_find_target(const ll_pass *v, unsigned part, const ll_kept_fact *fact);

/* Make a finding about a fact, or about the whole file if `fact` is NULL. The file is a ref of the view, or a file
 * number. */
ll_across_finding ll_finding_at(const ll_pass *v, ll_across_fault fault, uint32_t ref, const ll_kept_fact *fact);
ll_across_finding ll_finding_in(const ll_pass *v, ll_across_fault fault, uint32_t file, const ll_kept_fact *fact);
void ll_relate(const ll_pass *v, ll_across_finding *f, uint32_t file, const ll_kept_fact *fact);
/* Adds a finding unless it was already found in another form of the package. False: out of memory. */
bool ll_find(const ll_pass *v, const ll_across_finding *finding);
/* Make a finding with up to three texts as arguments, and add it. RELATED: with the place of a fact of another ref. */
bool ll_find_with(const ll_pass *v, ll_across_finding finding, const uint32_t args[LL_FAULT_ARGS]);
bool ll_find_related(const ll_pass *v, ll_across_finding finding, uint32_t other, const ll_kept_fact *fact,
                     const uint32_t args[LL_FAULT_ARGS]);
#define LL_FIND_ARGS_(...) ((const uint32_t[LL_FAULT_ARGS]){__VA_ARGS__})
#define LL_FIND(v, fault, ref, fact, ...)                                                                              \
    ll_find_with(v, ll_finding_at(v, fault, ref, fact), LL_FIND_ARGS_(__VA_ARGS__))
#define LL_FIND_IN(v, fault, file, fact, ...)                                                                          \
    ll_find_with(v, ll_finding_in(v, fault, file, fact), LL_FIND_ARGS_(__VA_ARGS__))
#define LL_FIND_RELATED(v, fault, ref, fact, other, other_fact, ...)                                                   \
    ll_find_related(v, ll_finding_at(v, fault, ref, fact), other, other_fact, LL_FIND_ARGS_(__VA_ARGS__))
/* Class of the entity with a fact about a file; "DataSet" for the path that an array states. */
const char *ll_class_name(unsigned kind);
/* Property that is a fact of a kind. */
const char *ll_property_name(unsigned kind);
/* Text number of the name of a part for messages: "ombs_common_fpkd". */
uint32_t ll_put_part(const ll_pass *v, unsigned part);
/* Sorts findings by name of their file. False: out of memory. */
bool ll_sort_findings(ll_workspace *w);

/* compare.c: compares manifests with folders and folders with archives. False: out of memory. */
bool ll_compare_forms(ll_workspace *w, uint32_t package);

#endif
