/* What the parts of the search share: the elements of the file as it is, where to look, and what is known of a place.
 * Costs are hundredths; where they come from: docs/diagnosis.md. */
#ifndef LL_DIAGNOSIS_PLAN_H
#define LL_DIAGNOSIS_PLAN_H

#include "diagnosis/hypothesis.h"

/* An element of the file as it is. */
typedef struct ll_search_unit {
    uint32_t at, size;
    uint32_t list; /* elements of one array, or of one list, have the same number; UINT32_MAX: it is in none */
    uint16_t layout;
    bool counted; /* it is an element of an array */
} ll_search_unit;

/* The number of the list that an element of a list is of; parent: the span that holds it. */
#define LL_SEARCH_LIST(parent) (UINT32_MAX - 1 - ((parent) + 1))

enum {
    LL_SEARCH_AMOUNTS = 48,
    LL_SEARCH_NEAR = 8,         /* elements before and behind a place that are looked at */
    LL_SEARCH_ASKED = 60,       /* leftovers of the reader, and as many of rules, whose values are tried */
    LL_SEARCH_OVERWRITTEN = 8,  /* stretches of overwritten bytes that are tried */
    LL_READING_BYTES = 1 << 13, /* that one reading takes the time of, beyond those of the file */
    LL_COST_FIELD = 100,
    LL_COST_KIND_PADDED = 160, /* a kind or a count, where only bytes that should be zeros are not */
    LL_COST_SWAP_FLOATS = 130,
    LL_COST_SWAP_RECORD = 140,
    LL_COST_INSERTED = 180,
    LL_COST_MISSING = 200
};

typedef struct ll_search_plan {
    ll_search *s;
    ll_search_unit *units; /* by offset */
    uint32_t unit_count;
    uint32_t first[8]; /* where to look: the first leftover, the first that is not a value that others decide, the first
                          that is only odd, the last size that is wrong, where the first offset leads that is, the first
                          leftover behind the header, which counts and sizes of all that follows, what says where
                          the first part is that does not begin as it should, and the first one in a part of which a
                          field says where it is, or its end */
    uint32_t head[LL_LAYOUTS_MAX], tail[LL_LAYOUTS_MAX]; /* by layout: 1 + numbers of the first and the last unit */
    unsigned firsts;
    int32_t amounts[LL_SEARCH_AMOUNTS]; /* bytes that may have been inserted (> 0) or be missing (< 0): differences of
                                           sizes, places and counts, and of a text with its hash from its place */
    unsigned amount_count;
    bool padded;     /* it finds nothing but bytes that differ from what they always are */
    bool reads;      /* the reader finds nothing wrong */
    bool ends_right; /* a field says that the file ends where it does */
} ll_search_plan;

/* Finds the elements of the file as it was read. False: no memory. */
bool ll_search_find_units(ll_search_plan *p);
/* Finds the places and the amounts. False: nothing is wrong that is more than odd. */
bool ll_search_find_firsts(ll_search_plan *p);
/* The element of an array or a list that holds an address. within: 0: the innermost one, 1: the one that holds that.
 * NULL: there is none. */
const ll_search_unit *ll_search_unit_at(const ll_search_plan *p, uint32_t at, unsigned within);
/* A value of the element number i may be the wrong one. Where one thing alone is wrong, and nothing for the reader, all
 * that is counted, sized and led to is right: it is in the element in which that was found, or that the rule names
 * besides. */
bool ll_search_is_suspect(const ll_search_plan *p, uint32_t i);
/* Bytes are at a place that is looked at, or not far from it. */
bool ll_search_is_in_reach(const ll_search_plan *p, uint32_t from, uint32_t to);
/* One more of the amounts, unless it is known, or too large. */
void ll_search_add_amount(ll_search_plan *p, int64_t by);

/* Where an offset leads that the reader does not find right; -1: the leftover is none. */
int64_t ll_search_led_to(const ll_search *s, const ll_leftover *l);
/* What the first record of the file and its parts are filled up to; 0: nothing. */
uint32_t ll_search_unit_of_end(const ll_search *s);
/* Something is wrong in the record, or with what is in it. */
bool ll_search_is_touched(const ll_search *s, const ll_search_unit *u);
/* The parts that a field counts stand in its record. */
bool ll_search_counts_own(const ll_format *format, unsigned layout, unsigned field);
/* A field says how long the record is with its parts, or nobody knows. */
bool ll_search_is_sized(const ll_search *s, unsigned layout);
/* A field that says how long the file is: what would stand at its end, it does not know. */
bool ll_search_is_size_of_file(const ll_format *format, const ll_leftover *l);
/* As many bytes at the place, or around it, stand there twice: nothing is lost with one of them. */
bool ll_search_is_repeated(const ll_search *s, uint32_t at, uint32_t n);

#endif
