/* A census: the values of the fields of every kind of record, and how claims fare. The order of addition does not
 * matter, and memory does not grow with the corpus. */
#ifndef LL_SURVEY_CENSUS_H
#define LL_SURVEY_CENSUS_H

#include "base/sort.h"
#include "findings/report.h"
#include "output/outline.h"
#include "survey/census_column.h"

enum {
    LL_CENSUS_KINDS = 16,  /* kinds of a record counted separately; all others share a group */
    LL_CENSUS_PLACES = 5,  /* places kept for each claim that fails */
    LL_CENSUS_FREQUENT = 8 /* most frequent values shown */
};

/* A place where a claim fails. */
typedef struct ll_broken_place {
    const char *file, *path, *value; /* one block with inner.region; free `file` */
    uint32_t address;                /* sorts the places of a file */
    uint64_t offset, length;
    ll_inner inner;
} ll_broken_place;

typedef struct ll_places {
    uint32_t count;
    ll_broken_place at[LL_CENSUS_PLACES]; /* the first ones, by file name and address */
} ll_places;

/* Records of one layout with the same tag, of their own or of a record around them. */
typedef struct ll_census_group {
    uint64_t kind;                          /* the tag, first byte in the top bits */
    uint8_t kind_bytes;                     /* bytes of the tag; 0: no tag */
    bool other;                             /* collects all tags that are not counted separately */
    uint64_t records, broken, files, leads; /* leads: files that begin with such a record */
    uint64_t in_file, file_min,
        file_max; /* records in the current file; least and most per file that has any; not for `other` */
    ll_column *columns;
    ll_tally *tallies;  /* by test of the layout's program */
    ll_places **places; /* by test of the layout's program; NULL: the claim held so far */
} ll_census_group;

typedef struct ll_census_layout {
    const ll_layout *layout;
    const ll_program *program;
    const ll_sort_key *by_rule, *by_field; /* tests of the program (.item), sorted by rule, by field */
    const ll_column_def *defs;
    uint32_t def_count;
    uint16_t kind_field;                          /* field of the tag, or LL_NO_FIELD */
    ll_census_group *groups[LL_CENSUS_KINDS + 2]; /* sorted by kind, `other` last */
    uint32_t group_count;
} ll_census_layout;

typedef struct ll_census_format {
    const ll_format *format;
    ll_census_layout *layouts;
    size_t layout_count;
    uint64_t files, bytes;
} ll_census_format;

/* Where the references of one row point: each counts for LL_LEADS_COUNT and for one other class. */
enum {
    LL_LEADS_COUNT,
    LL_LEADS_NULL,    /* to nothing */
    LL_LEADS_TARGET,  /* to a target */
    LL_LEADS_BETWEEN, /* inside the span with the targets, but not at one */
    LL_LEADS_OUTSIDE, /* outside the span with the targets */
    LL_LEADS_UNKNOWN, /* the targets are unknown */
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
    const ll_ruleset *rules; /* as passed in */
    ll_ruleset *claims;      /* a copy with all rules switched on */
    ll_census_format *formats;
    size_t format_count;
    LL_ARRAY(ll_census_reference) references; /* rows of all formats */
    uint64_t *found;  /* by rule: findings that are no claims: faults, C checks, predicates on spans */
    bool *has_claims; /* by rule: it tests records */
    uint64_t files, members, bytes, unknown, unchecked;
    bool file_unchecked;    /* the current file or one of its members is counted as unchecked */
    uint32_t shard, shards; /* as in ll_census_options */
    ll_report *report;      /* the current report */
    ll_text text;
    ll_status status; /* the first failure */
};

/* A walk over all groups, format by format and layout by layout; start with zeros. */
typedef struct ll_census_walk {
    ll_census_format *format;
    ll_census_layout *layout;
    ll_census_group *group;
    size_t format_number, layout_number;
    uint32_t group_number;
} ll_census_walk;
bool ll_census_next(const ll_census *census, ll_census_walk *walk);

/* Finds or makes the group of a kind. NULL: out of memory. The next call may empty other groups. */
ll_census_group *ll_census_group_of(ll_census *census, ll_census_layout *layout, bool other, uint64_t kind,
                                    uint8_t kind_bytes);
/* Adds the numbers of records and files. */
void ll_census_add_counts(ll_census_group *into, const ll_census_group *from);
/* Copies a place if it is among the first ones. False: out of memory. */
bool ll_census_keep_place(ll_census *census, ll_places **slot, const ll_broken_place *place);

/* ------------------------------------------------------------------ census_page.c, census_json.c, census_part.c */

/* Write a census. The text is the buffer; it is empty at the end. */
ll_status ll_census_print_part(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx);
ll_status ll_census_print_json(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx);
ll_status ll_census_print_report(const ll_census *census, const ll_outline_printer *printed, ll_text *text,
                                 ll_write_fn write, void *ctx);

#endif
