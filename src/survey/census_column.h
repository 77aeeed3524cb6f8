/* Counts the values of one field over a corpus. */
#ifndef LL_SURVEY_CENSUS_COLUMN_H
#define LL_SURVEY_CENSUS_COLUMN_H

#include "base/array.h"
#include "base/map.h"
#include "model/layout.h"

enum {
    LL_CENSUS_DISTINCT = 65536, /* values kept per field */
    LL_CENSUS_TEXT = 96         /* bytes kept of a string or another long value */
};

/* What a column counts. */
typedef enum ll_column_form {
    LL_COLUMN_NUMBER, /* key: bits of a number */
    LL_COLUMN_NORM,   /* key: bits of a double, the length of a vector */
    LL_COLUMN_TEXT    /* key: hash of any bytes, of which the first are kept */
} ll_column_form;

enum { LL_COLUMN_ALL = 0xFFFF };

/* A column of a record's table, common to all kinds of the record. */
typedef struct ll_column_def {
    const ll_field *field;
    const char *suffix; /* appended to the field's name: ".length", ".norm", or "" */
    uint16_t number;    /* of the field */
    uint16_t part;      /* element of a short vector; LL_COLUMN_ALL: all elements share the column */
    uint16_t elements;  /* elements of the field in the column */
    uint8_t form;       /* ll_column_form */
    uint8_t type;       /* ll_type of numbers */
    uint8_t bytes;      /* size of a number */
    uint64_t flip;      /* for ll_in_order() */
    uint64_t exponent;  /* exponent bits of a float, all set in NaN and infinity; 0: not a float */
    uint64_t sign;      /* sign bit of a float */
} ll_column_def;

typedef struct ll_seen_text {
    uint32_t length, kept;
    char bytes[];
} ll_seen_text;

typedef struct ll_seen {
    uint64_t key, count;
    ll_seen_text *text; /* of LL_COLUMN_TEXT */
} ll_seen;

/* Allocator of columns, and most values kept per column. */
typedef struct ll_column_store {
    ll_allocator allocator;
    uint32_t limit;
} ll_column_store;

/* Values of a column with exact counts. Beyond the limit, only values of lowest rank are kept. The rank depends on the
 * value alone, so a value that is kept in the end was never dropped, whatever the order. */
typedef struct ll_column {
    LL_ARRAY(ll_seen) seen;
    ll_map by_key;
    uint32_t last;         /* index of the previous value */
    uint64_t highest_rank; /* highest rank that is kept; UINT64_MAX: all */
    uint64_t count;        /* of all values, with repetitions */
    uint64_t nan, infinite, denormal, negative_zero;
    uint64_t low, high; /* bits of the least and greatest finite number, mapped by ll_in_order() */
    bool ranged;        /* low and high are set */
} ll_column;

/* Packs up to eight bytes into a number, first byte in the top bits; ll_unpack_bytes() reverses it. */
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

/* Add a value. A column must start with highest_rank UINT64_MAX. All functions below: false: out of memory. */
bool ll_column_number(ll_column *column, const ll_column_def *def, uint64_t bits, const ll_column_store *store);
bool ll_column_bytes(ll_column *column, const ll_column_def *def, const uint8_t *bytes, uint32_t length,
                     const ll_column_store *store);
/* Adds a value with its count and the kept part of its bytes. */
bool ll_column_put(ll_column *column, const ll_column_def *def, const ll_seen *value, const char *bytes,
                   const ll_column_store *store);
bool ll_column_merge(ll_column *into, const ll_column *from, const ll_column_def *def, const ll_column_store *store);
/* Cuts the table down to the limit; required before it is shown. */
bool ll_column_cut(ll_column *column, const ll_column_def *def, const ll_column_store *store);
/* Empties the column, which may be reused. */
void ll_column_free(ll_column *column, const ll_column_store *store);
static inline bool ll_column_is_whole(const ll_column *column)
{
    return column->highest_rank == UINT64_MAX;
}
/* How many values the table accounts for, with repetitions. */
uint64_t ll_column_sampled(const ll_column *column);
/* Estimate of the number of distinct values; exact while all are kept. */
uint64_t ll_column_distinct(const ll_column *column, const ll_column_def *def);
/* Fills *out with the most frequent values, at most `most`, by count, then value. Returns their number. */
size_t ll_column_frequent(const ll_column *column, const ll_column_def *def, const ll_seen **out, size_t most);
/* Counts in how many numbers each bit is set. False: the table lacks some of them, or they are no integers. */
bool ll_column_bits(const ll_column *column, const ll_column_def *def, uint64_t out[64]);
/* The value of a number's bits. */
double ll_column_value(const ll_column_def *def, uint64_t bits);
/* The bits of a number from its ordered form. */
uint64_t ll_column_unordered(const ll_column_def *def, uint64_t ordered);

#endif
