/* Findings across files, as the joining passes make them, and what all of them need of a package. */
#ifndef LL_WORKSPACE_FINDINGS_H
#define LL_WORKSPACE_FINDINGS_H

#include "workspace/packages.h"

#include <string.h>

/* One view of a package. */
typedef struct ll_pass {
    ll_workspace *w;
    const ll_package *package;
    uint32_t number;          /* of the package */
    unsigned slots[LL_PARTS]; /* where its parts are taken from */
    bool datasets_read;       /* all DataSets of the data part */
    uint32_t compared;        /* names, against the budget */
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

/* The view of one form; a part that it lacks is taken from the other. */
ll_pass ll_pass_of(ll_workspace *w, uint32_t package, unsigned form);

/* The file of a part that has a path; LL_NO_FILE: none. */
uint32_t ll_find_path(const ll_pass *v, unsigned part, const char *path);
/* The same of a slot, whatever the case of letters. */
uint32_t ll_find_letters(const ll_pass *v, unsigned slot, const char *path);
/* The file that a fact names: by the hash, which is what the game goes by, or by the text, as a fault of single files
 * says where they differ. */
uint32_t ll_find_target(const ll_pass *v, unsigned part, const ll_kept_fact *fact);

/* A finding at a fact of a file of the pass, or at the file as a whole. */
ll_across_finding ll_finding_at(const ll_pass *v, ll_across_fault fault, uint32_t ref, const ll_kept_fact *fact);
ll_across_finding ll_finding_in(const ll_pass *v, ll_across_fault fault, uint32_t file, const ll_kept_fact *fact);
void ll_relate(const ll_pass *v, ll_across_finding *f, uint32_t file, const ll_kept_fact *fact);
/* Adds it, if the same was not found in another form of the package. False: no memory. */
bool ll_find(const ll_pass *v, const ll_across_finding *finding);
/* The class of the entity that a fact about a file was read from; "DataSet" of an array's own. */
const char *ll_class_name(unsigned kind);
/* "ombs_common_fpkd": what messages call a part. */
uint32_t ll_put_part(const ll_pass *v, unsigned part);
/* Findings by file, the files by name. */
bool ll_sort_findings(ll_workspace *w);

/* compare.c: manifests beside folders, folders beside archives. */
bool ll_compare_forms(ll_workspace *w, uint32_t package);

#endif
