/* Exports records and fields as a Kaitai Struct specification and as an ImHex pattern. */
#ifndef LL_OUTPUT_FIELDS_EXPORT_H
#define LL_OUTPUT_FIELDS_EXPORT_H

#include "model/format.h"
#include "base/json_write.h"

/* Appends the skeleton of a family with its layouts inserted as types at the marked line. False: `language` is neither
 * "ksy" nor "hexpat", or the family has no skeleton for it. */
bool ll_fields_export(const ll_format *format, const char *language, ll_text *out);

#endif
