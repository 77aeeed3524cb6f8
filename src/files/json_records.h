/* Writes the records of a file as a tree, for `dump --format json` and build. docs/build.md describes the format. */
#ifndef LL_FILES_JSON_RECORDS_H
#define LL_FILES_JSON_RECORDS_H

#include "model/derive.h"
#include "base/json_write.h"
#include "findings/report.h"

/* Keys that are not fields; no field has such a name. */
#define LL_RECORD_KEYS                                                                                                 \
    "record", "index", "label", "aligned", "text", "hex", "zeros", "behind", "items", "records", "unused", "of"

/* Starts writing the records of a document, region by region. *out is NULL if the spans do not form a tree, as in some
 * damaged files. `flush` is called between records. LL_E_MEMORY. Memory comes from the arena of the report. */
typedef struct ll_teller ll_teller;
ll_status ll_teller_start(ll_report *report, ll_jsonw *json, ll_status (*flush)(void *ctx), void *ctx, ll_teller **out);
/* Writes the key "records" and its list; nothing if the spans of the region form no tree or `teller` is NULL.
 * LL_E_MEMORY, or the status of `flush`. */
ll_status ll_json_records(ll_teller *teller, const ll_region *region);

/* First layout with the same label; such records are numbered together. */
static inline unsigned ll_layout_family(const ll_layout *layouts, unsigned layout)
{
    unsigned first = 0;
    while (strcmp(layouts[first].label, layouts[layout].label) != 0) {
        first++;
    }
    return first;
}

/* Whether a field holds zeros unless the text states its value. */
static inline bool ll_field_is_filler(const ll_field *field)
{
    return field->role == LL_ROLE_PADDING || field->role == LL_ROLE_RESERVED || field->role == LL_ROLE_TERMINATOR;
}

/* The part of a layout's name after the dot: "probe". */
static inline const char *ll_layout_tail(const ll_layout *layout)
{
    const char *dot = strchr(layout->name, '.');
    return dot ? dot + 1 : layout->name;
}

#endif
