/* Findings as workflow commands of GitHub Actions: the runner reads them off the log of a step and makes annotations of
 * them.
 *
 * A binary file has no lines, so that annotations belong to the file as a whole. The runner writes every command to the
 * log, but keeps only the first ten errors, ten warnings and ten notices of a step as annotations
 * (ExecutionContext.AddIssue). Kinds do not compete, so that nothing needs to be held back to be sorted; one notice is
 * kept for the last word, which says how many have no annotation. Notes beyond the other nine are plain lines of the
 * log. */
#include "report/digest.h"

enum { ANNOTATIONS = 10 };

/* What a chunk says of each message in its text. */
typedef struct message_mark {
    size_t command, line; /* lengths: the command, and for notes the same as a plain line behind it */
    uint64_t severity;
} message_mark;

typedef struct run {
    uint64_t told[LL_ERROR + 1]; /* messages by severity */
} run;

/* ------------------------------------------------------------------ escaping */

/* As @actions/core does it; other characters pass. */
static const char *escape_data(uint8_t c)
{
    switch (c) {
    case '%':
        return "%25";
    case '\r':
        return "%0D";
    case '\n':
        return "%0A";
    default:
        return NULL;
    }
}

static const char *escape_property(uint8_t c)
{
    switch (c) {
    case ':':
        return "%3A";
    case ',':
        return "%2C";
    default:
        return escape_data(c);
    }
}

/* The runner takes "##[" for a command wherever it stands in a line. */
static const char *escape_line(uint8_t c)
{
    return c == '#' ? "\\x23" : NULL;
}

/* ------------------------------------------------------------------ one message */

/* "FILE: 'path' at '+0x10..0x14': Title. Found ..., expected ..." */
static void put_message(ll_report *report, const ll_finding *f, uint32_t times, ll_text *out)
{
    const char *name = ll_report_name(report);
    ll_text_escape(out, name, strlen(name));
    ll_text_str(out, ": ");
    ll_text_str(out, f->message);
    ll_times_text(times, out);
}

static void put_command(ll_report *report, const ll_finding *f, const ll_text *message, ll_text *out)
{
    static const char *const kinds[] = {"notice", "notice", "warning", "error"};
    const char *name = ll_plain_name(ll_report_name(report));
    ll_text_str(out, "::");
    ll_text_str(out, kinds[f->severity & 3]);
    ll_text_str(out, " file=");
    ll_mapped_text(name, strlen(name), escape_property, out);
    if (report->is_text) {
        ll_text_str(out, ",line=");
        ll_text_u64(out, ll_report_line(report, f->offset));
    }
    ll_text_str(out, ",title=");
    ll_label_text(f, out); /* letters, digits and hyphens */
    ll_text_str(out, "::");
    ll_mapped_text(message->data, message->length, escape_data, out);
    if (f->fix[0]) {
        ll_text_str(out, "%0AHelp: ");
        ll_mapped_text(f->fix, strlen(f->fix), escape_data, out);
    }
    ll_text_char(out, '\n');
}

/* The same where it must not be a command. */
static void put_line(const ll_finding *f, const ll_text *message, ll_text *out)
{
    ll_text_str(out, ll_severity_text(f->severity));
    ll_text_str(out, ": ");
    ll_label_text(f, out);
    ll_text_str(out, ": ");
    ll_mapped_text(message->data, message->length, escape_line, out);
    ll_text_char(out, '\n');
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    ll_fold fold;
    ll_status status = ll_digest_open(emitter, report, &fold);
    ll_text *message = &chunk->files; /* serves as scratch: these chunks list no files */
    for (uint32_t i = ll_report_next(report, 0); i != LL_NO_ENTRY && status == LL_OK;
         i = ll_report_next(report, i + 1)) {
        uint32_t times = ll_digest_times(&fold, i);
        ll_finding f;
        if (!times) {
            continue;
        }
        status = ll_finding_compose(report, i, &f);
        if (status == LL_OK) {
            ll_text_clear(message);
            put_message(report, &f, times, message);
            chunk->text.failed = chunk->text.failed || message->failed;
            size_t before = chunk->text.length;
            put_command(report, &f, message, &chunk->text);
            message_mark mark = {chunk->text.length - before, 0, f.severity};
            if (f.severity <= LL_NOTE) {
                put_line(&f, message, &chunk->text);
                mark.line = chunk->text.length - before - mark.command;
            }
            ll_text_put(&chunk->marks, (const char *)&mark, sizeof mark);
        }
    }
    return status;
}

/* ------------------------------------------------------------------ the run */

static ll_status open_run(ll_emitter *emitter)
{
    run *r = emitter->allocator.alloc(emitter->allocator.ctx, sizeof *r);
    if (!r) {
        return LL_E_MEMORY;
    }
    *r = (run){{0}};
    emitter->state = r;
    return LL_OK;
}

static void close_run(ll_emitter *emitter)
{
    if (emitter->state) {
        emitter->allocator.release(emitter->allocator.ctx, emitter->state);
    }
}

static ll_status commit(ll_emitter *emitter, ll_chunk *chunk)
{
    run *r = emitter->state;
    const char *text = chunk->text.data;
    for (size_t at = 0; at < chunk->marks.length;) {
        message_mark mark;
        memcpy(&mark, chunk->marks.data + at, sizeof mark);
        bool plain = ++r->told[mark.severity] >= ANNOTATIONS && mark.line;
        ll_text_put(&emitter->out, plain ? text + mark.command : text, plain ? mark.line : mark.command);
        text += mark.command + mark.line;
        at += sizeof mark;
    }
    return ll_emit_text(emitter, &emitter->out);
}

static uint64_t beyond(uint64_t told, uint64_t most)
{
    return told > most ? told - most : 0;
}

/* What a reader of the annotations alone would miss. */
static void put_last_notice(const ll_emitter *emitter, ll_text *out)
{
    const run *r = emitter->state;
    uint64_t all = r->told[LL_ERROR] + r->told[LL_WARNING] + r->told[LL_NOTE];
    uint64_t hidden = beyond(r->told[LL_ERROR], ANNOTATIONS) + beyond(r->told[LL_WARNING], ANNOTATIONS) +
                      beyond(r->told[LL_NOTE], ANNOTATIONS - 1);
    if (!hidden && !emitter->totals.dropped) {
        return;
    }
    ll_text_str(out, "::notice title=lightlint::");
    if (hidden) {
        ll_text_u64(out, hidden);
        ll_text_str(out, " of ");
        ll_count_text(out, all, "message");
        ll_text_str(out, hidden == 1 ? " has" : " have");
        ll_text_str(
            out, " no annotation: GitHub keeps ten errors, ten warnings and ten notices of a step. The log of the step "
                 "has them all.");
    }
    if (emitter->totals.dropped) {
        ll_text_str(out, hidden ? " " : "");
        ll_count_text(out, emitter->totals.dropped, "finding");
        ll_text_str(out, " beyond the limits of the run: --all shows them.");
    }
    ll_text_char(out, '\n');
}

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    (void)exit_code;
    put_last_notice(emitter, &emitter->out);
    if (ll_wants_verdict(emitter)) {
        ll_verdict_text(&emitter->totals, &emitter->out);
    }
    return ll_emit_text(emitter, &emitter->out);
}

const ll_emit_format ll_emit_github = {open_run, render, commit, finish, close_run};
