/* The values of one field over a corpus, and what is counted of them. */
#ifndef LL_REPORT_CENSUS_COLUMN_H
#define LL_REPORT_CENSUS_COLUMN_H

#include "base/array.h"
#include "base/map.h"
#include "model/layout.h"

enum {
    LL_CENSUS_DISTINCT = 65536, /* values kept of one field */
    LL_CENSUS_TEXT = 96         /* bytes kept of a string or of other long values */
};

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

#endif
