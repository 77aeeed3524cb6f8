/* Writes a Code Quality report for GitLab: a JSON array, one object per finding, with the keys that GitLab reads.
 *
 * GitLab hides all but one of the entries with equal fingerprints. The one written hashes the finding's fingerprint,
 * which tells equal findings of a file apart, and the file name, since two projects may use one name in their
 * baselines. */
#include "output/emit/emit.h"
#include "base/json_write.h"

static const char *severity_of(ll_severity severity)
{
    static const char *const severities[] = {"info", "info", "major", "critical"};
    return severities[severity & 3];
}

static void put_issue(ll_report *report, const ll_finding *f, ll_text *out)
{
    const char *file = ll_plain_name(ll_report_file(report));
    uint64_t hash = ll_fnv(ll_fnv(LL_FNV_START, f->fingerprint, sizeof f->fingerprint), file, strlen(file));
    ll_jsonw json = {out, true};
    ll_jsonw_line(&json);
    ll_jsonw_begin(&json, '{');
    LL_JSON_STR(&json, "description", f->message);
    ll_text_format(out, ",\"check_name\":\"%s %s\"", f->id,
                   f->name); /* id and name consist of letters, digits and hyphens */
    ll_jsonw_key(&json, "fingerprint");
    ll_jsonw_hash(&json, hash);
    LL_JSON_PLAIN(&json, "severity", severity_of(f->severity));
    LL_JSON_BEGIN(&json, "location", '{');
    LL_JSON_STR(&json, "path", file);
    LL_JSON_BEGIN(&json, "lines", '{');
    LL_JSON_U64(&json, "begin", ll_report_line(report, f->offset));
    ll_text_str(out, "}}}");
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    (void)emitter;
    ll_walk walk = ll_walk_findings(report);
    while (ll_walk_next(&walk)) {
        put_issue(report, &walk.finding, &chunk->text);
        (void)ll_chunk_pass_on(chunk);
    }
    return walk.status;
}

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    (void)exit_code;
    ll_text_str(&emitter->out, emitter->listed ? "\n]\n" : "]\n");
    return LL_OK;
}

const ll_emit_format ll_emit_gitlab = {.head = "[", .render = render, .is_list = true, .finish = finish};
