/* Findings as a Code Quality report of GitLab: a JSON array, one object for each finding, with the keys that GitLab
 * reads.
 *
 * GitLab hides all but one of the entries that share a fingerprint. Ours is made of the finding's own, which counts
 * equal findings of a file, and of the name of the file: files of two projects may be known to their baselines by one
 * name. */
#include "report/digest.h"
#include "report/jsonw.h"

static const char *severity_of(ll_severity severity)
{
    switch (severity) {
    case LL_ERROR:
        return "critical";
    case LL_WARNING:
        return "major";
    case LL_NOTE:
    case LL_SEVERITY_OFF:
        break;
    }
    return "info";
}

static void put_fingerprint(ll_jsonw *json, const ll_finding *f, const char *file)
{
    char digits[17];
    uint64_t hash = ll_fnv(ll_fnv(LL_FNV_START, f->fingerprint, sizeof f->fingerprint), file, strlen(file));
    for (unsigned i = 0; i < 16; i++) {
        digits[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    }
    digits[16] = '\0';
    ll_jsonw_key(json, "fingerprint");
    ll_jsonw_plain(json, digits);
}

static void put_issue(ll_report *report, const ll_finding *f, ll_text *out)
{
    const char *file = ll_plain_name(ll_report_name(report));
    ll_text_str(out, ",\n");
    ll_jsonw json = {out, false};
    ll_jsonw_begin(&json, '{');
    ll_jsonw_key(&json, "description");
    ll_jsonw_str(&json, f->message);
    ll_jsonw_key(&json, "check_name");
    ll_text_char(out, '"');
    ll_label_text(f, out); /* letters, digits and hyphens */
    ll_text_char(out, '"');
    json.comma = true;
    put_fingerprint(&json, f, file);
    ll_jsonw_key(&json, "severity");
    ll_jsonw_plain(&json, severity_of(f->severity));
    ll_jsonw_key(&json, "location");
    ll_jsonw_begin(&json, '{');
    ll_jsonw_key(&json, "path");
    ll_jsonw_str(&json, file);
    ll_jsonw_key(&json, "lines");
    ll_jsonw_begin(&json, '{');
    ll_jsonw_key(&json, "begin");
    ll_jsonw_u64(&json, ll_report_line(report, f->offset));
    ll_jsonw_end(&json, '}');
    ll_jsonw_end(&json, '}');
    ll_jsonw_end(&json, '}');
}

/* Every object starts with a comma, which the first one of the run loses when it is written. */
static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    (void)emitter;
    ll_status status = ll_report_identify(report);
    for (uint32_t i = ll_report_next(report, 0); i != LL_NO_ENTRY && status == LL_OK;
         i = ll_report_next(report, i + 1)) {
        ll_finding f;
        status = ll_finding_compose(report, i, &f);
        if (status == LL_OK) {
            put_issue(report, &f, &chunk->text);
        }
    }
    return status;
}

static ll_status commit(ll_emitter *emitter, ll_chunk *chunk)
{
    if (emitter->started || chunk->text.length == 0) {
        return ll_emit_plain(emitter, chunk);
    }
    (void)ll_emit_bytes(emitter, "[", 1);
    return ll_emit_bytes(emitter, chunk->text.data + 1, chunk->text.length - 1);
}

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    (void)exit_code;
    ll_text_str(&emitter->out, emitter->started ? "\n]\n" : "[]\n");
    return ll_emit_text(emitter, &emitter->out);
}

const ll_emit_format ll_emit_gitlab = {NULL, render, commit, finish, NULL};
