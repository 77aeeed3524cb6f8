/* The records of a file as a tree, for `dump --format json` and the way back. docs/build.md says what stands in it. */
#ifndef LL_REPORT_JSON_RECORDS_H
#define LL_REPORT_JSON_RECORDS_H

#include "model/derive.h"
#include "report/json_write.h"
#include "report/report.h"

/* Keys that are not fields; no field is called so. */
#define LL_RECORD_KEYS                                                                                                 \
    "record", "index", "label", "aligned", "text", "hex", "zeros", "behind", "items", "records", "unused", "of"

/* Writes the records of a document, region by region. NULL in *out: the spans of the file are not a tree, as those of
 * damaged files may not be. `flush` is called between records. */
typedef struct ll_teller ll_teller;
ll_status ll_teller_start(ll_report *report, ll_jsonw *json, ll_status (*flush)(void *ctx), void *ctx, ll_teller **out);
/* Writes the key "records" and its list; nothing where the spans of the region are not a tree, or `teller` is NULL.
 * LL_E_MEMORY; what `flush` returns. */
ll_status ll_json_records(ll_teller *teller, const ll_region *region);

/* The first layout of the same label: records with one are numbered together. */
static inline unsigned ll_layout_family(const ll_layout *layouts, unsigned layout)
{
    unsigned first = 0;
    while (strcmp(layouts[first].label, layouts[layout].label) != 0) {
        first++;
    }
    return first;
}

/* Zeros are what it holds unless the text says otherwise. */
static inline bool ll_field_is_filler(const ll_field *field)
{
    return field->role == LL_ROLE_PADDING || field->role == LL_ROLE_RESERVED || field->role == LL_ROLE_TERMINATOR;
}

/* What the name of a layout ends in: "probe". */
static inline const char *ll_layout_tail(const ll_layout *layout)
{
    const char *dot = strchr(layout->name, '.');
    return dot ? dot + 1 : layout->name;
}

#endif
