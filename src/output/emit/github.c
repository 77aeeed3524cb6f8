/* Writes findings as workflow commands of GitHub Actions: the runner finds them in a step's log and makes annotations.
 *
 * Binary files have no lines, so annotations are about whole files. The runner logs every command but keeps only the
 * first ten errors, ten warnings and ten notices of a step as annotations (ExecutionContext.AddIssue). Severities do
 * not compete, so nothing is held back for sorting. One notice is kept for the last line, which says how many findings
 * have no annotation; notes beyond the other nine are plain lines of the log. */
#include "output/emit/emit.h"

enum { ANNOTATIONS = 10 };

typedef struct run {
    uint64_t messages[LL_ERROR + 1]; /* by severity */
} run;

/* ------------------------------------------------------------------ escaping */

/* As @actions/core escapes them; other characters pass. */
static const char *const data_escapes[] = {"%%25", "\r%0D", "\n%0A", NULL};
static const char *const property_escapes[] = {"%%25", "\r%0D", "\n%0A", ":%3A", ",%2C", NULL};

/* The runner takes "##[" anywhere in a line for a command. */
static const char *const line_escapes[] = {"#\\x23", NULL};

/* ------------------------------------------------------------------ one message */

/* "FILE: 'path' at '+0x10..0x14': Title. Found ..., expected ..." */
static void put_message(const ll_report *report, const ll_walk *walk, ll_text *out)
{
    const char *name = ll_report_file(report);
    ll_text_clear(out);
    ll_text_escape(out, name, strlen(name));
    ll_text_format(out, ": %s", walk->finding.message);
    ll_times_text(walk->times, out);
}

static void put_command(ll_report *report, const ll_finding *f, const ll_text *message, ll_text *out)
{
    static const char *const kinds[] = {"notice", "notice", "warning", "error"};
    const char *name = ll_plain_name(ll_report_file(report));
    ll_text_format(out, "::%s file=", kinds[f->severity & 3]);
    ll_mapped_text(name, strlen(name), property_escapes, out);
    if (report->file.is_text) {
        ll_text_format(out, ",line=%" PRIu32, ll_report_line(report, f->offset));
    }
    ll_text_format(out, ",title=%s %s::", f->id, f->name); /* id and name consist of letters, digits and hyphens */
    ll_mapped_text(message->data, message->length, data_escapes, out);
    if (f->fix[0]) {
        ll_text_str(out, "%0AHelp: ");
        ll_mapped_text(f->fix, strlen(f->fix), data_escapes, out);
    }
    ll_text_char(out, '\n');
}

/* Writes the message as a plain line, not as a command. */
static void put_line(const ll_finding *f, const ll_text *message, ll_text *out)
{
    ll_text_format(out, "%s: %s %s: ", ll_severity_text(f->severity), f->id, f->name);
    ll_mapped_text(message->data, message->length, line_escapes, out);
    ll_text_char(out, '\n');
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    ll_walk walk = ll_walk_groups(emitter, report);
    while (ll_walk_next(&walk)) {
        ll_piece *piece = LL_ARRAY_ADD(&chunk->pieces, &chunk->allocator);
        if (!piece) {
            return LL_E_MEMORY;
        }
        size_t start = chunk->text.length;
        put_message(report, &walk, &chunk->scratch);
        chunk->text.failed = chunk->text.failed || chunk->scratch.failed;
        put_command(report, &walk.finding, &chunk->scratch, &chunk->text);
        *piece = (ll_piece){.length = chunk->text.length - start, .severity = (uint8_t)walk.finding.severity};
        if (piece->severity <= LL_NOTE) {
            put_line(&walk.finding, &chunk->scratch, &chunk->text);
            piece->plain = chunk->text.length - start - piece->length;
        }
    }
    return walk.status;
}

/* ------------------------------------------------------------------ the run */

static ll_status commit(ll_emitter *emitter, ll_chunk *chunk)
{
    run *r = emitter->state;
    const char *text = chunk->text.data;
    for (size_t i = 0; i < chunk->pieces.count; i++) {
        const ll_piece *piece = &chunk->pieces.items[i];
        bool plain = ++r->messages[piece->severity] >= ANNOTATIONS && piece->plain;
        ll_text_put(&emitter->out, plain ? text + piece->length : text, plain ? piece->plain : piece->length);
        text += piece->length + piece->plain;
    }
    return ll_emit_text(emitter, &emitter->out);
}

static uint64_t beyond(uint64_t count, uint64_t most)
{
    return count > most ? count - most : 0;
}

/* Writes a notice on what readers of the annotations alone would miss. */
static ll_status finish(ll_emitter *emitter, int exit_code)
{
    const run *r = emitter->state;
    ll_text *out = &emitter->out;
    uint64_t all = r->messages[LL_ERROR] + r->messages[LL_WARNING] + r->messages[LL_NOTE];
    uint64_t hidden = beyond(r->messages[LL_ERROR], ANNOTATIONS) + beyond(r->messages[LL_WARNING], ANNOTATIONS) +
                      beyond(r->messages[LL_NOTE], ANNOTATIONS - 1);
    ll_text_str(out, hidden || emitter->totals.dropped ? "::notice title=lightlint::" : "");
    if (hidden) {
        ll_text_format(out, "%" PRIu64 " of ", hidden);
        ll_count_text(out, all, "message");
        ll_text_format(out,
                       " %s no annotation: GitHub keeps ten errors, ten warnings and ten notices of a step. The log of "
                       "the step has them all.",
                       hidden == 1 ? "has" : "have");
    }
    if (emitter->totals.dropped) {
        ll_text_str(out, hidden ? " " : "");
        ll_count_text(out, emitter->totals.dropped, "finding");
        ll_text_format(out, " beyond the limits of the run: --all shows up to %u of a file.",
                       (unsigned)LL_FINDINGS_MAX);
    }
    ll_text_str(out, hidden || emitter->totals.dropped ? "\n" : "");
    return ll_emit_verdict(emitter, exit_code);
}

const ll_emit_format ll_emit_github = {
    .state_size = sizeof(run), .render = render, .commit = commit, .folds = true, .finish = finish};
