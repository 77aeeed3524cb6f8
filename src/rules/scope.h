/* What a rule is limited to beyond the record that it judges: names of what the record belongs to (`of`), and names of
 * files (`file`). */
#ifndef LL_RULES_SCOPE_H
#define LL_RULES_SCOPE_H

#include "model/format.h"
#include "rules/rule.h"

/* "LightArray.flags" as hashes. */
typedef struct ll_owner {
    uint64_t name;   /* of a record above, or of the record itself */
    uint64_t member; /* of the record directly below that one, if there is a dot */
    bool any, dot;   /* any: "*.flags" */
} ll_owner;

typedef struct ll_scope {
    const ll_owner *owners;
    uint32_t owner_count;
    uint64_t names;        /* bits of the names of members, and of classes without one */
    bool only_members;     /* every name has a dot */
    const ll_words *files; /* patterns in small letters */
} ll_scope;

/* A name as one of 64 bits, to tell at once that it is none of a few others. */
static inline uint64_t ll_name_bit(uint64_t name)
{
    return UINT64_C(1) << (name >> 20 & 63);
}
/* *out is NULL if the rule has no limits. LL_E_PACK: a name has another form, or the format has no names. */
ll_status ll_scope_bind(ll_arena *arena, const ll_format *format, const ll_rule *rule, const ll_scope **out,
                        ll_problem *problem);
/* Layout of the records with names to which others belong. 0: the format has none. */
unsigned ll_scope_owner(const ll_format *format);
/* The field that names a record of a layout by the hash of a text. LL_NO_FIELD: there is none. */
unsigned ll_scope_field(const ll_format *format, unsigned layout);

/* The names of a record and of those above it, the innermost first. */
typedef struct ll_scope_names {
    uint64_t at[4];
    unsigned count;
    uint32_t span; /* of the record; a span whose records have names holds one of them */
} ll_scope_names;
/* fields: ll_scope_field() by layout. */
void ll_scope_read(const ll_doc *doc, uint32_t span, const uint16_t *fields, ll_scope_names *out);
/* Does the rule judge the record with these names? */
bool ll_scope_holds(const ll_scope *scope, const ll_doc *doc, const ll_scope_names *names);
#endif
