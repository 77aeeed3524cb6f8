/* The kinds of hypotheses that the search tries, file by file. search.c calls them one after the other. */
#ifndef LL_DIAGNOSIS_TRIES_H
#define LL_DIAGNOSIS_TRIES_H

#include "diagnosis/plan.h"

/* try_text.c: texts that do not have their stated hash. The weigher still has to hold the file as it is. */
void ll_search_try_texts(ll_search_plan *p);

/* try_value.c: values that the reader or a rule asks for, and unknown values. */
void ll_search_try_values(ll_search_plan *p);
/* NULs of texts right in front of a wrong record. */
void ll_search_try_ends(ll_search_plan *p);
/* The size of a part that is followed by padding with other bytes than zeros. */
void ll_search_try_sizes(ll_search_plan *p);
/* Fields that lead from a record to the next one, or state that there is none. */
void ll_search_try_chains(ll_search_plan *p);

/* Numbers whose sum is not what a field or the size of the file says: the difference is corrected in each of them. */
void ll_search_try_terms(ll_search_plan *p);

/* try_order.c: integers in float fields. */
void ll_search_try_types(ll_search_plan *p);
/* Numbers in the other byte order: of whole records, or of single fields and all floats of a record. */
void ll_search_try_record_orders(ll_search_plan *p);
void ll_search_try_field_orders(ll_search_plan *p);

/* try_count.c: other values of counts. unsized: only records whose size no field states; false: all other counts. */
void ll_search_try_counts(ll_search_plan *p, bool unsized);
/* Tries one more and one less than the best count: padding may hide elements, and not all counts were tried. */
void ll_search_try_next_counts(ll_search_plan *p);
/* The field states the extent of a record's share of an array, or how often it is there. The reader finds wrong
 * ones. */
bool ll_search_is_shared(const ll_format *format, unsigned layout, unsigned field);

/* try_kind.c: other tags of the parts of a list. */
void ll_search_try_tags(ll_search_plan *p);
/* Optional parts: a reference becomes null, or leads to a place where the part may be. */
void ll_search_try_options(ll_search_plan *p);
/* Numbers that state which layout a record has, or what follows it. */
void ll_search_try_kinds(ll_search_plan *p);
/* Fields whose bits state which parts are there. */
void ll_search_try_choices(ll_search_plan *p);

/* try_element.c: elements that are doubled, exchanged, lost or added. */
void ll_search_try_elements(ll_search_plan *p);

/* try_end.c: the end of the file is missing or overwritten with zeros. */
void ll_search_try_end(ll_search_plan *p);
/* The last part of the file stands at its end, or a field states the end and is right. */
bool ll_search_has_right_end(const ll_search *s);

/* try_bytes.c: these amounts of bytes put in (> 0) or missing (< 0): at the edges of elements first, then at each byte
 * around the best places. */
void ll_search_try_amounts(ll_search_plan *p, const int32_t *by, unsigned amount_count);
/* Small amounts, for files that no amount asked for explains. */
void ll_search_try_shifts(ll_search_plan *p);
/* Stretches in which several things are wrong, as overwritten bytes. */
void ll_search_try_overwritten(ll_search_plan *p);

/* compound.c: the other byte order for elements with their parts, for all elements of a layout, and for the whole
 * file. */
void ll_search_try_part_orders(ll_search_plan *p);
/* Several changes at once: the same one in each record of a list or array, and bytes put in or taken out
 * with the size of their record corrected. Starts from the best hypotheses of all the others, so call it after them. */
void ll_search_try_compounds(ll_search_plan *p);

#endif
