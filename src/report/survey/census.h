/* What a census holds: for every kind of record the values of its fields and how its claims fare. All of it can be
 * added up in any order with the same result, and none of it grows with the corpus. */
#ifndef LL_REPORT_CENSUS_H
#define LL_REPORT_CENSUS_H

#include "base/sort.h"
#include "report/report.h"
#include "report/survey/census_column.h"

enum {
    LL_CENSUS_KINDS = 16,  /* kinds of one record counted separately; the rest goes together */
    LL_CENSUS_PLACES = 5,  /* where a claim breaks: kept of each */
    LL_CENSUS_FREQUENT = 8 /* most frequent values shown */
};

/* Where a claim breaks. */
typedef struct ll_broken_place {
    const char *file, *path, *value; /* one block with inner.region, released by `file` */
    uint32_t address;                /* orders the places of one file */
    uint64_t offset, length;
    ll_inner inner;
} ll_broken_place;

typedef struct ll_places {
    uint32_t count;
    ll_broken_place at[LL_CENSUS_PLACES]; /* the first ones, by name of the file and address */
} ll_places;

/* Records of one layout whose tag, or that of what they stand in, is the same. */
typedef struct ll_census_group {
    uint64_t kind;                          /* the tag, its first byte at the top */
    uint8_t kind_bytes;                     /* 0: there is no tag */
    bool other;                             /* of all tags that are not counted separately */
    uint64_t records, broken, files, leads; /* leads: files that begin with it */
    uint64_t in_file, file_min, file_max; /* records of the current file, and per file that has any; not for `other` */
    ll_column *columns;
    ll_tally *tallies;  /* by test of the layout's program */
    ll_places **places; /* the same; NULL: it holds */
} ll_census_group;

typedef struct ll_census_layout {
    const ll_layout *layout;
    const ll_program *program;
    const ll_sort_key *by_rule,
        *by_field; /* tests of the program (item) in the order of their rules, of their fields */
    const ll_column_def *defs;
    uint32_t def_count;
    uint16_t kind_field;                          /* the tag, or LL_NO_FIELD */
    ll_census_group *groups[LL_CENSUS_KINDS + 2]; /* by kind, `other` last */
    uint32_t group_count;
} ll_census_layout;

typedef struct ll_census_format {
    const ll_format *format;
    ll_census_layout *layouts;
    size_t layout_count;
    uint64_t files, bytes;
} ll_census_format;

/* Where the references of one row lead: each is counted once as a whole, and once where it leads. */
enum {
    LL_LEADS_COUNT,
    LL_LEADS_NULL,    /* to nothing */
    LL_LEADS_TARGET,  /* to a target */
    LL_LEADS_BETWEEN, /* into what holds the targets, where none begins */
    LL_LEADS_OUTSIDE, /* out of what holds them */
    LL_LEADS_UNKNOWN, /* the targets are not known */
    LL_LEADS
};
extern const char *const ll_leads_names[LL_LEADS];

typedef struct ll_census_reference {
    const ll_format *format;
    const ll_reference *row;
    const ll_layout *layout, *target; /* of the row */
    uint64_t leads[LL_LEADS];
} ll_census_reference;

struct ll_census {
    ll_column_store store;
    ll_arena arena;
    const ll_ruleset *rules; /* as given */
    ll_ruleset *claims;      /* the same ones, those that are off switched on */
    ll_census_format *formats;
    size_t format_count;
    LL_ARRAY(ll_census_reference) references; /* rows of all formats */
    uint64_t *found;  /* by rule: findings of what is no claim: faults, C checks, predicates on spans */
    bool *has_claims; /* by rule: tests of records */
    uint64_t files, members, bytes, unknown, unchecked;
    bool file_unchecked;    /* the file at hand, or a member of it, is among the unchecked */
    uint32_t shard, shards; /* as ll_census_options */
    ll_report *report;      /* the current one */
    ll_text text;
    ll_status status; /* the first failure */
};

/* A walk over the groups of a census, format by format and layout by layout; begin with zeros. */
typedef struct ll_census_walk {
    ll_census_format *format;
    ll_census_layout *layout;
    ll_census_group *group;
    size_t format_number, layout_number;
    uint32_t group_number;
} ll_census_walk;
bool ll_census_next(const ll_census *census, ll_census_walk *walk);

/* The group of a kind, made where it is not there; NULL when memory ran out. The next call may empty others. */
ll_census_group *ll_census_group_of(ll_census *census, ll_census_layout *layout, bool other, uint64_t kind,
                                    uint8_t kind_bytes);
/* Adds how many records and files there are. */
void ll_census_add_counts(ll_census_group *into, const ll_census_group *from);
/* Copies a place to where it belongs among the first ones, if it is one of them. */
bool ll_census_keep_place(ll_census *census, ll_places **slot, const ll_broken_place *place);

/* ------------------------------------------------------------------ census_text.c, census_json.c, census_part.c */

/* All of them write and empty the text once it is long, and at the end. */
ll_status ll_census_print_part(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx);
ll_status ll_census_print_json(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx);
ll_status ll_census_print_text(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx);
ll_status ll_census_print_markdown(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx);
ll_status ll_census_print_html(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx);

#endif
