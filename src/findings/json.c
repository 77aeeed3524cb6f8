/* Keys that several JSON outputs share. */
#include "findings/json.h"

void ll_json_range(ll_jsonw *json, uint64_t offset, uint64_t length, const ll_inner *inner)
{
    LL_JSON_U64(json, "offset", offset);
    LL_JSON_U64(json, "length", length);
    if (inner->region || inner->member) {
        LL_JSON_BEGIN(json, "inner", '{');
        if (inner->region) {
            LL_JSON_STR(json, "region", inner->region);
        }
        LL_JSON_U64(json, "offset", inner->offset);
        LL_JSON_U64(json, "length", inner->length);
        ll_jsonw_end(json, '}');
    }
}

void ll_json_name(ll_jsonw *json, const ll_report *report)
{
    LL_JSON_STR(json, "file", ll_report_file(report));
    if (report->file.member) {
        LL_JSON_STR(json, "member", report->file.member);
    }
}

void ll_json_file(ll_jsonw *json, const ll_report *report)
{
    ll_json_name(json, report);
    LL_JSON_STR(json, "format", ll_report_format(report));
    LL_JSON_U64(json, "size", report->file.size);
}
