/* What the files of the search share: the elements of the file as it is, the places to look at, and questions about a
 * place. Costs are hundredths; docs/diagnosis.md says where they come from. */
#ifndef LL_DIAGNOSIS_PLAN_H
#define LL_DIAGNOSIS_PLAN_H

#include "diagnosis/hypothesis.h"

/* A record, string or numbered span of the file as it is, or one element of an array. */
typedef struct ll_search_unit {
    uint32_t at, size;
    uint32_t list; /* elements of one array or list have the same number; UINT32_MAX: in none */
    uint16_t layout;
    bool counted; /* it is an element of an array */
} ll_search_unit;

/* Number of the list whose elements are children of the span `parent`. */
#define LL_SEARCH_LIST(parent) (UINT32_MAX - 1 - ((parent) + 1))

enum {
    LL_SEARCH_AMOUNTS = 48,
    LL_SEARCH_NEAR = 8,         /* elements looked at on either side of a place */
    LL_SEARCH_ASKED = 60,       /* leftovers of the reader whose values are tried, and as many of rules */
    LL_SEARCH_OVERWRITTEN = 8,  /* stretches tried as overwritten */
    LL_READING_BYTES = 1 << 13, /* a reading costs as much time as this many bytes, besides those of the file */
    LL_COST_FIELD = 100,
    LL_COST_KIND_PADDED = 160, /* a kind or a count, if only bytes that should be zeros are wrong */
    LL_COST_SWAP_FLOATS = 130,
    LL_COST_SWAP_RECORD = 140,
    LL_COST_INSERTED = 180,
    LL_COST_MISSING = 200
};

typedef struct ll_search_plan {
    ll_search *s;
    ll_search_unit *units; /* sorted by offset */
    uint32_t unit_count;
    uint32_t first[8]; /* addresses to look at: the first loud leftover; the first that other bytes do not decide; the
                          first note of the rule with most notes; the last wrong size; where the first wrong offset
                          leads; the first after the header; the field that states where a part with wrong first bytes
                          is; the first in the part whose size a field states, or the end of that part */
    uint32_t head[LL_LAYOUTS_MAX], tail[LL_LAYOUTS_MAX]; /* by layout: 1 + number; 0: none */
    unsigned firsts;
    int32_t amounts[LL_SEARCH_AMOUNTS]; /* bytes inserted (> 0) or missing (< 0) by wrong sizes, places, counts and
                                           hashes of texts */
    unsigned amount_count;
    bool padded;     /* the reader finds nothing but wrong constants, such as padding */
    bool reads;      /* the reader finds nothing wrong */
    bool ends_right; /* the last part of the file stands at its end, or a field states its end rightly */
} ll_search_plan;

/* Lists the elements of the file as it was read. False: no memory. */
bool ll_search_find_units(ll_search_plan *p);
/* Finds the places to look at and the amounts of bytes. False: no leftover is loud. */
bool ll_search_find_firsts(ll_search_plan *p);
/* The element of an array or list that holds an address. within: 0: the innermost one, 1: the next one around it. NULL:
 * there is none. */
const ll_search_unit *ll_search_unit_at(const ll_search_plan *p, uint32_t at, unsigned within);
/* A value of unit `i` may be the wrong one: it is near a place to look at. If one leftover is all there is and the
 * reader finds nothing, counts, sizes and offsets are right: then the unit has to hold that leftover or its related
 * place. */
bool ll_search_is_suspect(const ll_search_plan *p, uint32_t i);
/* The addresses [from, to] are close to a place to look at. */
bool ll_search_is_in_reach(const ll_search_plan *p, uint32_t from, uint32_t to);
/* Adds an amount of bytes, unless it is known, 0 or too large, or the list is full. */
void ll_search_add_amount(ll_search_plan *p, int64_t by);

/* Address to which a wrong offset leads; -1: the leftover is no offset. */
int64_t ll_search_led_to(const ll_search *s, const ll_leftover *l);
/* Unit in bytes to which the end of the file is padded; 0: none. */
uint32_t ll_search_unit_of_end(const ll_search *s);
/* A leftover overlaps or touches the element. */
bool ll_search_is_touched(const ll_search *s, const ll_search_unit *u);
/* The field counts parts of its own record, or is a constant. */
bool ll_search_counts_own(const ll_format *format, unsigned layout, unsigned field);
/* A field states how long the record is with its parts; also true if the format has no rows. */
bool ll_search_is_sized(const ll_search *s, unsigned layout);
/* The leftover is about a field that states the size of the file. Such a field does not know what the end holds. */
bool ll_search_is_size_of_file(const ll_format *format, const ll_leftover *l);
/* The `n` bytes at an address, or around it, occur twice in a row: removing one copy loses nothing. */
bool ll_search_is_repeated(const ll_search *s, uint32_t at, uint32_t n);

#endif
