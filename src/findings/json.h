/* Keys that several JSON outputs share. */
#ifndef LL_FINDINGS_JSON_H
#define LL_FINDINGS_JSON_H

#include "base/json_write.h"
#include "findings/report.h"

/* Writes the keys offset and length, and inner for something in a member or a decompressed region. */
void ll_json_range(ll_jsonw *json, uint64_t offset, uint64_t length, const ll_inner *inner);
/* Writes the key file and, for a member, member. */
void ll_json_name(ll_jsonw *json, const ll_report *report);
/* Writes the keys file, member, format and size, which begin an object about a file. */
void ll_json_file(ll_jsonw *json, const ll_report *report);

#endif
