/* Records and fields for other programs: as a Kaitai Struct specification and as an ImHex pattern. */
#ifndef LL_REPORT_FIELDS_EXPORT_H
#define LL_REPORT_FIELDS_EXPORT_H

#include "model/format.h"
#include "report/json_write.h"

/* The skeleton of a family, with its layouts as types at the line that is marked. false: `language` is none ("ksy" and
 * "hexpat" are), or the family has no skeleton in it. */
bool ll_fields_export(const ll_format *format, const char *language, ll_text *out);

#endif
