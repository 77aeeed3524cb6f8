/* Interface between ll_sweep_diff() (sweep_diff.c), which finds changes, and a page (sweep_page.c), which gets files
 * and changes in order and writes them in its format. */
#ifndef LL_SURVEY_SWEEP_DIFF_H
#define LL_SURVEY_SWEEP_DIFF_H

#include "output/outline.h"
#include "survey/sweep_read.h"

typedef enum ll_diff_kind { LL_DIFF_CAME, LL_DIFF_WENT, LL_DIFF_CHANGED, LL_DIFF_KINDS } ll_diff_kind;
typedef enum ll_diff_where { LL_DIFF_BOTH, LL_DIFF_OLD, LL_DIFF_NEW } ll_diff_where;

/* A finding of one sweep. */
typedef struct ll_diff_item {
    const char *rule, *name, *severity, *path, *message;
    uint64_t fingerprint, offset, length;
    bool in_member;                   /* its offset in the archive may change; the message has the one in the member */
    const struct ll_diff_item *other; /* the paired finding of the other sweep, or NULL */
} ll_diff_item;

typedef struct ll_diff_rule {
    const char *id, *name;
    uint64_t counts[LL_DIFF_KINDS];
    uint64_t shown; /* number of examples offered so far */
} ll_diff_rule;

typedef struct ll_diff_page {
    const ll_outline_printer *printer; /* NULL: JSON */
    ll_write_fn write;
    void *ctx;
    const ll_survey_source *sources[2]; /* old, new */
    bool same_version, same_rules;
    ll_sweep_changes changes; /* so far; counted by the caller */
    ll_text out;              /* to be written next */
    ll_outline tree, body;    /* the report; examples, which come after its table */
    ll_outline lists[2];      /* names of files that only the old, only the new sweep has */
    const char *file;
    ll_diff_where where;
    unsigned part; /* 0: nothing written about the file yet; JSON: 1 + current kind */
    bool comma;    /* JSON: a file was written */
} ll_diff_page;

/* False: unknown format. Otherwise call ll_diff_close(). */
bool ll_diff_open(ll_diff_page *page, const ll_allocator *allocator, const char *format, ll_write_fn write, void *ctx);
void ll_diff_close(ll_diff_page *page);

ll_status ll_diff_begin(ll_diff_page *page);
void ll_diff_begin_file(ll_diff_page *page, const char *file, ll_diff_where where);
/* Adds a change in a file of both sweeps, in the order of kinds. LL_DIFF_CHANGED: pass the new item. */
void ll_diff_put(ll_diff_page *page, ll_diff_rule *rule, ll_diff_kind kind, const ll_diff_item *item);
/* Adds the findings of a file of one sweep; once per file. */
void ll_diff_list(ll_diff_page *page, const ll_diff_item *items, uint32_t count);
ll_status ll_diff_end_file(ll_diff_page *page);
ll_status ll_diff_end(ll_diff_page *page, const ll_diff_rule *rules, size_t count);

#endif
