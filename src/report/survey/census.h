/* What a census holds: for every kind of record the values of its fields and how its claims fare. All of it can be
 * added up in any order with the same result, and none of it grows with the corpus. */
#ifndef LL_REPORT_CENSUS_H
#define LL_REPORT_CENSUS_H

#include "base/array.h"
#include "base/map.h"
#include "base/sort.h"
#include "report/report.h"

enum {
    LL_CENSUS_DISTINCT = 65536, /* values kept of one field */
    LL_CENSUS_TEXT = 96,        /* bytes kept of a string or of other long values */
    LL_CENSUS_KINDS = 16,       /* kinds of one record counted separately; the rest goes together */
    LL_CENSUS_PLACES = 5,       /* where a claim breaks: kept of each */
    LL_CENSUS_FREQUENT = 8      /* most frequent values shown */
};

/* ------------------------------------------------------------------ census_column.c */

/* What is counted of a field. */
typedef enum ll_column_form {
    LL_COLUMN_NUMBER, /* the key is the bits of one number */
    LL_COLUMN_NORM,   /* the key is the bits of a double: the length of a vector */
    LL_COLUMN_TEXT    /* any bytes: the key is their hash, the first of them are kept */
} ll_column_form;

enum { LL_COLUMN_ALL = 0xFFFF };

/* One column of a record's table, the same for all its kinds. */
typedef struct ll_column_def {
    const ll_field *field;
    const char *suffix; /* behind the field's name: ".length", ".norm", or "" */
    uint16_t number;    /* of the field */
    uint16_t part;      /* of a short vector; LL_COLUMN_ALL: all elements of the field go into one column */
    uint16_t elements;  /* of the field that go into the column */
    uint8_t form;       /* ll_column_form */
    uint8_t type;       /* ll_type of numbers */
    uint8_t bytes;      /* of a number */
    uint64_t flip;      /* of ll_in_order() */
    uint64_t exponent;  /* bits of a float that are all set in NaN and infinity; 0: no float */
    uint64_t sign;      /* its sign bit */
} ll_column_def;

typedef struct ll_seen_text {
    uint32_t length, kept;
    char bytes[];
} ll_seen_text;

typedef struct ll_seen {
    uint64_t key, count;
    ll_seen_text *text; /* LL_COLUMN_TEXT */
} ll_seen;

/* Where columns are kept, and how many values of each. */
typedef struct ll_column_store {
    ll_allocator allocator;
    uint32_t limit;
} ll_column_store;

/* The values of a column: a table of those that are kept, with exact counts. When there are more than the limit, those
 * of lowest rank stay. The rank of a value depends on nothing but the value, so what is kept in the end was never
 * dropped, in whatever order it came. */
typedef struct ll_column {
    LL_ARRAY(ll_seen) seen;
    ll_map by_key;
    uint32_t last;         /* number of the value before */
    uint64_t highest_rank; /* of what is kept; UINT64_MAX: everything is */
    uint64_t count;        /* of values, however often they came */
    uint64_t nan, infinite, denormal, negative_zero;
    uint64_t low, high; /* bits of the least and greatest finite number, in order */
    bool ranged;        /* low and high are set */
} ll_column;

/* Up to eight bytes as a number of as many bytes, the first at the top. */
static inline uint64_t ll_pack_bytes(const uint8_t *bytes, uint32_t length)
{
    uint64_t key = 0;
    for (uint32_t i = 0; i < length; i++) {
        key = key << 8 | bytes[i];
    }
    return key;
}
static inline void ll_unpack_bytes(uint64_t key, uint32_t length, char out[8])
{
    for (uint32_t i = 0; i < length; i++) {
        out[i] = (char)(key >> (8U * (length - 1U - i)));
    }
}

/* A column must begin with highest_rank UINT64_MAX. All of these: false when memory ran out. */
bool ll_column_number(ll_column *column, const ll_column_def *def, uint64_t bits, const ll_column_store *store);
bool ll_column_bytes(ll_column *column, const ll_column_def *def, const uint8_t *bytes, uint32_t length,
                     const ll_column_store *store);
/* A value that came so often before, with what is kept of its bytes. */
bool ll_column_put(ll_column *column, const ll_column_def *def, const ll_seen *value, const char *bytes,
                   const ll_column_store *store);
bool ll_column_merge(ll_column *into, const ll_column *from, const ll_column_def *def, const ll_column_store *store);
/* Cuts the table down to the limit, as it must be before it is shown. */
bool ll_column_cut(ll_column *column, const ll_column_def *def, const ll_column_store *store);
/* The column is empty and may be used again. */
void ll_column_free(ll_column *column, const ll_column_store *store);
static inline bool ll_column_is_whole(const ll_column *column)
{
    return column->highest_rank == UINT64_MAX;
}
/* How many of the values are in the table, each as often as it came. */
uint64_t ll_column_sampled(const ll_column *column);
/* About how many distinct values there were: exact while all are kept. */
uint64_t ll_column_distinct(const ll_column *column, const ll_column_def *def);
/* The most frequent ones, at most `most`, by count and then by value; returns how many. */
size_t ll_column_frequent(const ll_column *column, const ll_column_def *def, const ll_seen **out, size_t most);
/* In how many of the numbers each bit is set; false when the table does not hold them all, or they are no integers. */
bool ll_column_bits(const ll_column *column, const ll_column_def *def, uint64_t out[64]);
/* A number of a column. */
double ll_column_value(const ll_column_def *def, uint64_t bits);
/* Bits of the number whose order is `ordered`. */
uint64_t ll_column_unordered(const ll_column_def *def, uint64_t ordered);

/* ------------------------------------------------------------------ census.c */

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

/* What the formats say of a value in the same way. */
void ll_census_number(const ll_column_def *def, uint64_t bits, ll_text *out);
void ll_census_column_name(const ll_column_def *def, ll_text *out);
void ll_census_type(const ll_column_def *def, const ll_layout *layout, ll_text *out);

/* All of them write and empty the text once it is long, and at the end. */
ll_status ll_census_print_part(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx);
ll_status ll_census_print_json(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx);
ll_status ll_census_print_text(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx);
ll_status ll_census_print_markdown(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx);
ll_status ll_census_print_html(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx);

#endif
