/* Writes the format `concise`: one line per finding. */
#include "output/emit/emit.h"

#include "model/value.h"

static void put_finding(const ll_emitter *emitter, const ll_walk *walk, ll_text *out)
{
    bool color = emitter->options.color;
    ll_report *report = walk->report;
    const ll_finding *f = &walk->finding;
    ll_name_text(report, out);
    ll_text_char(out, ':');
    if (report->file.is_text) {
        ll_position_text(report, out);
    } else {
        ll_place_text(f->offset - ll_report_start(report), 0, out);
    }
    ll_text_str(out, ": ");
    ll_linked_heading_text(emitter, f, out);
    ll_text_char(out, ' ');
    if (f->inner.region) {
        ll_view_text(&report->last.view, out);
        ll_text_str(out, ": ");
    } else if (f->inner.member) {
        ll_archive_place_text(f->offset, f->length, out);
        ll_text_str(out, ": ");
    }
    ll_text_format(out, "%s%s%s", ll_style_code(color, LL_STRONG), f->path, ll_style_code(color, LL_PLAIN));
    (void)ll_kind_text(&report->doc, &report->entries.items[walk->entry].at, " of ", out);
    ll_text_str(out, ": ");
    ll_statement_text(f, out);
    ll_text_char(out, '\n');
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    ll_walk walk = {.report = report, .severities = ll_severities_shown(emitter, report)};
    ll_clean_text(emitter, report, &chunk->text);
    while (ll_walk_next(&walk)) {
        put_finding(emitter, &walk, &chunk->text);
        (void)ll_chunk_pass_on(chunk);
    }
    return walk.status;
}

const ll_emit_format ll_emit_concise = {.render = render, .for_people = true, .finish = ll_emit_verdict};
