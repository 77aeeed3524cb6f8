/* What the named checks of the rgm family share. Their words and severities are in rules/rgm.yaml. */
#ifndef LL_FORMATS_RGM_CHECK_H
#define LL_FORMATS_RGM_CHECK_H

#include "base/map.h"
#include "formats/rgm/rgm.h"

static inline const rgm_section *rgm_section_of(const ll_doc *doc, unsigned ordinal)
{
    return &rgm_summary_of(doc)->section[ordinal];
}

/* What other sections say about it may be compared with it. */
static inline bool rgm_is_sound(const rgm_section *section)
{
    return section->span != LL_NO_SPAN && section->sound;
}

/* A signed field of an actor's record. */
static inline int64_t rgm_actor_int(const ll_doc *doc, uint32_t actor, unsigned field)
{
    return (int64_t)ll_get_number(doc, rgm_summary_of(doc)->section[RGM_RAHD].records, actor, field, 0);
}

/* Items by the two numbers of a key, sized once. */
typedef struct rgm_table {
    ll_map map;        /* numbers of keys */
    ll_sort_key *keys; /* as many as were noted */
} rgm_table;

/* Room for `keys` of them; false and run->status when memory runs out. */
bool rgm_table_open(ll_check_run *run, uint64_t keys, rgm_table *out);
/* The item that has the key already, or LL_NO_INDEX after noting this one. A file that is made to collide loses
 * findings, not time. */
uint32_t rgm_table_note(rgm_table *table, const ll_sort_key *key);
/* The item of a key, or LL_NO_INDEX. *lost: it may be there and was not looked for to the end. */
uint32_t rgm_table_find(const rgm_table *table, const ll_sort_key *key, bool *lost);

#endif
