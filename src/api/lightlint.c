/* The entry points for linting: bytes to a report. Decides what an input is (empty, foreign, damaged in transport, of
 * unknown format) and connects parser, engine and sink. No I/O, no globals. */
#include "diagnosis/budget.h"
#include "diagnosis/diagnose.h"
#include "diagnosis/doubt.h"
#include "diagnosis/lead.h"
#include "diagnosis/settle.h"
#include "diagnosis/transport.h"
#include "base/ints.h"
#include "identity/shapes.h"
#include "model/format.h"
#include "findings/report.h"
#include "rules/pack.h"
#include "packages/kept.h"
#include "model/reader.h"

#include <string.h>

const char *const *ll_extensions(void)
{
    return ll_format_extensions();
}

const char *ll_family(size_t index)
{
    return index < ll_format_count() ? ll_format_at(index)->family : NULL;
}

const char *ll_variant(size_t index, const char **meaning)
{
    const ll_named *variant = ll_format_variant_at(index);
    if (variant && meaning) {
        *meaning = variant->meaning;
    }
    return variant ? variant->name : NULL;
}

/* ll_trying.lint */
static ll_status lint_copy(ll_report *report, const char *variant, const uint8_t *bytes, size_t size)
{
    const ll_lint_options options = {.size = sizeof options,
                                     .name = report->options.name,
                                     .variant = variant,
                                     .allow_unsupported = report->options.allow_unsupported};
    ll_trying *trying = &report->trying;
    ll_status status = trying->copy ? LL_OK : ll_report_create(&report->doc.arena.allocator, &trying->copy);
    if (status == LL_OK) {
        trying->copy->trying.which = LL_TRY_NONE;
        status = ll_lint(report->rules, bytes, size, &options, trying->copy);
    }
    return status;
}

ll_status ll_report_create(const ll_allocator *allocator, ll_report **out)
{
    if (!out) {
        return LL_E_ARGUMENT;
    }
    ll_allocator a = ll_allocator_or_default(allocator);
    ll_report *report = a.alloc(a.ctx, sizeof *report);
    *out = report;
    if (!report) {
        return LL_E_MEMORY;
    }
    *report = (ll_report){.trying.lint = lint_copy};
    ll_doc_init(&report->doc, &a);
    ll_text_init(&report->scratch, &a);
    ll_text_init(&report->last.texts, &a);
    ll_text_init(&report->leaf, &a);
    ll_text_init(&report->file.names, &a);
    return LL_OK;
}

void ll_report_free(ll_report *report)
{
    if (report) {
        ll_allocator a = report->doc.arena.allocator;
        ll_report_free(report->trying.copy);
        ll_doc_free(&report->doc);
        ll_text_free(&report->scratch);
        ll_text_free(&report->last.texts);
        ll_text_free(&report->leaf);
        ll_text_free(&report->file.names);
        a.release(a.ctx, report);
    }
}

/* Name of a variant in static storage; NULL: unknown. */
static const char *find_variant(const char *name)
{
    const ll_named *variant = NULL;
    for (size_t i = 0; (variant = ll_format_variant_at(i)) != NULL && strcmp(variant->name, name) != 0; i++) {
    }
    return variant ? variant->name : NULL;
}

/* Resets a report and opens it on the bytes. NULL: there are no bytes to lint. */
static void open_report(ll_report *report, const ll_ruleset *rules, const uint8_t *bytes, uint64_t size,
                        const ll_lint_options *options)
{
    static const uint8_t none[1] = {0};
    ll_lint_options *own = &report->options;
    *own = options ? *options : (ll_lint_options){.size = sizeof *own};
    own->name = own->name ? own->name : "<bytes>";
    own->identity = own->identity ? own->identity : own->name;
    own->baseline_identity = own->baseline_identity ? own->baseline_identity : own->identity;
    own->variant = own->variant ? find_variant(own->variant) : NULL;
    ll_doc_open(&report->doc, bytes ? bytes : none, bytes ? (uint32_t)size : 0, own->name);
    report->doc.unsupported_allowed = own->allow_unsupported;
    report->rules = rules;
    report->file = (ll_linted){.size = size, .names = report->file.names};
    report->members = (ll_members){NULL, 0};
    report->prints.moved_from = NULL;
    report->last.cursor = (ll_cursor){0};
    report->trying.settle = NULL;
    report->trying.settled = false;
    (void)ll_report_sink(report); /* drops the findings of the previous file */
    ll_text_clear(&report->scratch);
    ll_text_clear(&report->last.texts);
    ll_text_clear(&report->leaf);
}

/* Raises a fault about the first `length` bytes. */
static void raise_core(ll_doc *doc, unsigned code, uint32_t length, ll_arg first, ll_arg second)
{
    ll_fault fault = {.code = (uint16_t)code,
                      .at = ll_at_bytes(LL_NO_SPAN, 0, length),
                      .related = ll_at_bytes(LL_NO_SPAN, 0, 0),
                      .arg = {first, second}};
    ll_raise(doc, &fault);
}

static const ll_arg nothing = {LL_ARG_NONE, {0}};

static void claim_unparsed(ll_doc *doc)
{
    if (doc->size) {
        (void)ll_claim(doc, (ll_span){.offset = 0,
                                      .length = doc->size,
                                      .parent = LL_NO_SPAN,
                                      .index = LL_NO_INDEX,
                                      .layout = LL_LAYOUT_UNPARSED});
    }
}

/* ------------------------------------------------------------------ kind of file */

/* Discards all claims and faults of a document. */
static void restart(ll_doc *doc)
{
    uint32_t start = doc->regions[0].outer_offset;
    bool allowed = doc->unsupported_allowed;
    ll_doc_open(doc, doc->bytes, doc->size, doc->name);
    doc->regions[0].outer_offset = start;
    doc->unsupported_allowed = allowed;
}

/* Proposes what the file is if it is not ours. *surely: no parser needs to be asked, as none accepts files that begin
 * like this. */
static ll_foreign propose_foreign(const ll_doc *doc, bool *surely)
{
    ll_probe_result sure = LL_PROBE_NO;
    (void)ll_format_by_content(doc->bytes, doc->size, &sure);
    const ll_format *by_name = ll_format_by_name(doc->name);
    *surely = sure == LL_PROBE_NO && (!by_name || by_name->probe);
    return sure == LL_PROBE_SURE ? LL_FOREIGN_NONE : ll_foreign_of(doc->bytes, doc->size);
}

/* Reports an archive of the game, by its name and contents: probably sound, but this version cannot open it. */
static void report_archive(ll_doc *doc, ll_foreign kind)
{
    ll_fault fault = ll_fault_at(LL_FAULT_ARCHIVE_UNREAD, ll_at_bytes(LL_NO_SPAN, 0, doc->size));
    fault.hint = (uint16_t)kind;
    fault.arg[0] = ll_word(ll_foreign_words(kind));
    fault.arg[1] = ll_chars(0, doc->size < 4 ? doc->size : 4);
    ll_raise(doc, &fault);
    ll_mark_unsupported(doc);
    doc->opaque = true;
    claim_unparsed(doc);
}

static void report_foreign(ll_doc *doc, ll_foreign kind)
{
    const ll_format *by_name = ll_format_by_name(doc->name);
    ll_fault fault = ll_fault_at(LL_FAULT_FOREIGN_FILE, ll_at_bytes(LL_NO_SPAN, 0, doc->size));
    fault.hint = (uint16_t)kind;
    fault.arg[0] = ll_word(ll_foreign_words(kind));
    fault.arg[1] = ll_word(by_name ? ll_format_extension(by_name) : "light");
    ll_raise(doc, &fault);
    claim_unparsed(doc);
}

/* Finds the format of a sound file with the extension of another family, by trying the parsers of families without a
 * probe. */
static const ll_format *format_by_parsing(ll_doc *doc)
{
    const ll_format *found = NULL;
    for (size_t i = 0; !found && doc->status == LL_OK && i < ll_format_count(); i++) {
        const ll_format *format = ll_format_at(i);
        if (!format->probe) {
            ll_doc_set_format(doc, format);
            ll_doc_read(doc);
            found = doc->status == LL_OK && !doc->fault_count && ll_is_content_confirmed(doc) ? format : NULL;
            ll_status status = doc->status;
            restart(doc);
            doc->status = status;
        }
    }
    return found;
}

static const ll_format *choose_format(ll_doc *doc)
{
    ll_probe_result sure = LL_PROBE_NO;
    const ll_format *by_content = ll_format_by_content(doc->bytes, doc->size, &sure);
    const ll_format *by_name = ll_format_by_name(doc->name);
    if (by_name && sure != LL_PROBE_SURE) {
        by_content = sure == LL_PROBE_NO && by_name->probe ? format_by_parsing(doc) : NULL;
    }
    const ll_format *format = by_content ? by_content : by_name;
    ll_doc_set_format(doc, format);
    if (by_content && by_name && by_content != by_name) {
        uint32_t shown = doc->size < 4 ? doc->size : 4;
        raise_core(doc, LL_FAULT_OTHER_FAMILY, shown, ll_word(ll_format_extension(by_content)),
                   ll_word(ll_format_extension(by_name)));
    }
    return format;
}

/* ------------------------------------------------------------------ one file */

/* Parses the document, or raises a fault that says why not. kind: what the file is if it is not ours. Sets *unchecked
 * if no part of the file was checked. */
static ll_status read_document(ll_doc *doc, const char *variant, ll_foreign kind, bool *unchecked)
{
    if (doc->size == 0) {
        raise_core(doc, LL_FAULT_EMPTY, 0, nothing, nothing);
        return doc->status;
    }
    ll_foreign archive = kind ? ll_archive_of(doc->name, doc->bytes, doc->size) : LL_FOREIGN_NONE;
    if (archive && (kind == archive || kind == LL_FOREIGN_zip)) { /* an .mgsv is a zip archive */
        report_archive(doc, archive);
        return doc->status;
    }
    if (kind) {
        report_foreign(doc, kind);
        *unchecked = true;
        return doc->status;
    }
    if (!choose_format(doc)) {
        uint32_t shown = doc->size < 4 ? doc->size : 4;
        raise_core(doc, LL_FAULT_UNKNOWN_FORMAT, shown, ll_chars(0, shown), nothing);
        claim_unparsed(doc);
        *unchecked = true;
        return doc->status;
    }
    doc->variant = variant ? ll_format_variant(doc->format, variant) : 0;
    ll_doc_read(doc);
    return doc->status;
}

/* Adds the time since `since` to *spent and returns the present time. */
static uint64_t lap(const ll_report *report, uint64_t *spent, uint64_t since)
{
    uint64_t now = report->options.timing->now();
    *spent += now - since;
    return now;
}

static ll_status judge(ll_report *report, bool unchecked)
{
    ll_sink sink = ll_report_sink(report);
    ll_status status = ll_engine_run(report->rules, &report->doc, &report->scratch, &sink);
    if (status == LL_OK) {
        status = ll_report_finish(report);
    }
    const ll_doc *doc = &report->doc;
    ll_summary *s = &report->summary;
    s->unsupported = doc->unsupported;
    s->failed = unchecked || doc->unchecked || (doc->unsupported && !doc->unsupported_allowed);
    s->incomplete = s->failed || doc->unread_besides;
    s->unchecked = s->incomplete || doc->unsupported || doc->unread;
    s->truncated = s->truncated || doc->faults_dropped > 0;
    return status;
}

static bool may_run(const ll_ruleset *rules, const ll_report *report, const ll_lint_options *options)
{
    return rules && rules->sealed && report &&
           (!options || (options->size == sizeof *options && (!options->variant || find_variant(options->variant)) &&
                         (!options->timing || options->timing->rule_count >= rules->count)));
}

enum { WRONG_MAX = 3 };

/* Does the file have almost no errors as a file of its family? */
static bool reads_as_ours(const ll_report *report)
{
    uint64_t loud = report->summary.errors + report->summary.warnings;
    return loud == 0 || (loud <= WRONG_MAX && ll_fits_format(&report->doc));
}

/* The file is probably of another family: it does not fit its format and has more than WRONG_MAX errors and warnings,
 * or only faults of the reader whose rules are off. */
static bool is_nothing_of_ours(const ll_report *report)
{
    const ll_doc *doc = &report->doc;
    uint64_t loud = report->summary.errors + report->summary.warnings;
    bool unsaid = loud == 0 && doc->fault_count && doc->format && doc->format->probe;
    return (loud > WRONG_MAX || unsaid) && !ll_fits_format(doc);
}

/* May the file have been damaged in transport? Not asked for copies on which hypotheses are tried. */
static bool is_suspect(const ll_report *report)
{
    uint64_t loud = report->summary.errors + report->summary.warnings;
    uint32_t rule = report->rules->core_fault_rules[LL_FAULT_TRANSPORT];
    bool on = rule != LL_NO_RULE && report->rules->rules[rule].severity != LL_SEVERITY_OFF;
    return on && report->trying.which != LL_TRY_NONE && !report->trying.is_attempt && report->doc.size && loud;
}

static ll_status read_and_judge(ll_report *report, const char *variant, ll_foreign kind)
{
    bool unchecked = false;
    ll_timing *timing = report->options.timing;
    uint64_t since = timing ? timing->now() : 0;
    ll_status status = LL_OK;
    if (report->file.size > UINT32_MAX) { /* offsets are 32 bits wide */
        raise_core(&report->doc, LL_FAULT_TOO_LARGE, 0, ll_uint(report->file.size), nothing);
        unchecked = true;
    } else {
        status = read_document(&report->doc, variant, kind, &unchecked);
    }
    if (status != LL_OK) {
        return status;
    }
    ll_doc_seal(&report->doc);
    since = timing ? lap(report, &timing->parse, since) : 0;
    status = report->doc.status == LL_OK ? judge(report, unchecked) : report->doc.status;
    if (timing) {
        (void)lap(report, &timing->rules, since);
    }
    return status;
}

/* Raises the fault that explains all other findings, and puts its finding first. */
static ll_status lead_by(ll_report *report, const ll_fault *cause)
{
    ll_doc *doc = &report->doc;
    if (!ll_raise_first(doc, cause)) {
        return LL_E_MEMORY;
    }
    ll_status status = judge(report, false);
    doc->opaque = true; /* contributes nothing to checks of other files */
    uint32_t lead = (uint32_t)report->entries.count;
    for (uint32_t i = (uint32_t)report->entries.count; i > 0; i--) {
        bool is_cause = report->entries.items[i - 1].rule == report->rules->core_fault_rules[cause->code];
        report->entries.items[i - 1].explained = !is_cause;
        lead = is_cause ? i - 1 : lead;
    }
    if (lead < report->entries.count) { /* else the rule is off */
        ll_report_lead_by(report, lead);
    }
    return status;
}

/* Reads the file again as a variant and diagnoses it. `name` NULL: detect the variant by content. */
static ll_status diagnose_as(ll_report *report, const char *name, ll_diagnosis *out)
{
    const uint64_t steps = out->steps;
    restart(&report->doc);
    ll_status status = read_and_judge(report, name, LL_FOREIGN_NONE);
    status = status == LL_OK ? ll_diagnose(report, out) : status;
    out->steps += steps;
    return status;
}

/* Diagnoses the file, and if that finds no cause, also as another variant, as damage may make a file look like one.
 * Keeps the better reading and sets *variant to the one with which copies are to be read. */
static ll_status diagnose_variants(ll_report *report, const char **variant, ll_diagnosis *out)
{
    const unsigned first = report->doc.read_as,
                   other = *variant || !report->doc.first_fault ? 0 : ll_other_variant(&report->doc);
    ll_status status = ll_diagnose(report, out);
    if (status != LL_OK || !other || out->sound) {
        return status;
    }
    const ll_named *all = report->doc.format->variants;
    const uint64_t score = out->score;
    status = diagnose_as(report, all[other - 1].name, out);
    const bool better = status == LL_OK && out->score < score;
    *variant = all[(better ? other : first) - 1].name;
    return status == LL_OK && !better ? diagnose_as(report, NULL, out) : status;
}

/* Looks for a cause of the findings, and puts its finding before those that it explains. Formats without LL_READ rows
 * are not diagnosed. *whole: bytes at the start of an archive that are intact, if others moved. */
static ll_status diagnose(ll_report *report, uint64_t *steps, uint32_t *whole)
{
    const char *variant = report->options.variant;
    const ll_format *format = report->doc.format;
    uint64_t loud = report->summary.errors + report->summary.warnings;
    bool asked = format && format->read_count && loud && report->trying.which != LL_TRY_NONE && !report->doc.opaque;
    ll_diagnosis d = {.found = false};
    ll_status status = asked ? diagnose_variants(report, &variant, &d) : LL_OK;
    *steps += d.steps;
    d.found = d.found && (d.founded || !is_nothing_of_ours(report)); /* else it may be a foreign file */
    if (status == LL_OK && d.found && d.raises) {
        status = ll_raise_first(&report->doc, &d.fault) ? judge(report, false) : LL_E_MEMORY;
    }
    if (d.found && d.shifts) {
        *whole = d.cause.offset;
        report->doc.unread = report->doc.unread || report->doc.format->file_kind == LL_FILE_ARCHIVE;
    }
    return status == LL_OK && d.found ? ll_diagnosis_lead(report, variant, &d) : status;
}

/* Lints the opened document. A proposed foreign kind is dropped if the file reads as ours. */
static ll_status lint_document(ll_report *report)
{
    const char *variant = report->options.variant;
    bool surely = true;
    ll_transport damage = {.found = false};
    uint32_t whole = UINT32_MAX;
    ll_foreign kind = report->file.size > UINT32_MAX ? LL_FOREIGN_NONE : propose_foreign(&report->doc, &surely);
    ll_status status = read_and_judge(report, variant, surely ? kind : LL_FOREIGN_NONE);
    if (status == LL_OK && kind && !surely && !reads_as_ours(report)) {
        restart(&report->doc);
        status = read_and_judge(report, variant, kind);
    } else if (status == LL_OK && !kind && is_suspect(report) &&
               ll_is_conflict(report->doc.bytes, report->doc.size)) { /* both versions in a conflict may begin like a
                                                                         file of ours */
        restart(&report->doc);
        status = read_and_judge(report, variant, LL_FOREIGN_conflict);
    } else if (status == LL_OK && !kind && is_suspect(report)) {
        status = ll_transport_find(report, &damage);
        status = status == LL_OK && damage.found ? lead_by(report, &damage.fault) : status;
        status = status == LL_OK && !damage.found ? diagnose(report, &damage.steps, &whole) : status;
    } else if (status == LL_OK && (!kind || !surely)) {
        status = diagnose(report, &damage.steps, &whole);
    }
    if (status == LL_OK && !kind && !damage.found && !ll_report_is_led(report) && is_nothing_of_ours(report)) {
        restart(&report->doc);
        status = read_and_judge(report, variant, LL_FOREIGN_unknown);
    }
    status = status == LL_OK && !report->file.member ? ll_members_find(&report->doc, whole, &report->members) : status;
    report->trying.steps = ll_steps_of_lint(report) + damage.steps;
    report->trying.settle = status != LL_OK || report->trying.which == LL_TRY_NONE ? NULL : ll_report_settle;
    return status;
}

bool ll_is_unread_archive(const char *name, const void *first, size_t size)
{
    return name && ll_archive_of(name, first, size) != LL_FOREIGN_NONE;
}

ll_status ll_lint(const ll_ruleset *rules, const void *bytes, size_t size, const ll_lint_options *options,
                  ll_report *report)
{
    if (!may_run(rules, report, options) || (!bytes && size)) {
        return LL_E_ARGUMENT;
    }
    open_report(report, rules, size > UINT32_MAX ? NULL : bytes, size, options);
    return lint_document(report);
}

/* Appends "ARCHIVE!PATH" and a NUL. Returns the position of its first byte. */
static size_t put_name(ll_text *out, const char *archive, const char *path)
{
    size_t start = out->length;
    ll_text_format(out, "%s!", archive);
    ll_text_put(out, path, strlen(path) + 1);
    return start;
}

ll_status ll_lint_member(const ll_ruleset *rules, const ll_report *archive, size_t index,
                         const ll_lint_options *options, ll_report *report)
{
    if (!may_run(rules, report, options) || !archive || archive == report || index >= archive->members.count) {
        return LL_E_ARGUMENT;
    }
    const ll_member *member = &archive->members.items[index];
    ll_text *names = &report->file.names;
    ll_text *path = &report->scratch;
    ll_text_clear(names);
    ll_text_clear(path);
    ll_member_path(&archive->doc, member, path);
    size_t length = path->length;
    size_t name = put_name(names, ll_report_name(archive), ll_text_cstr(path));
    size_t identity = put_name(names, archive->options.identity, ll_text_cstr(path));
    size_t baseline = put_name(names, archive->options.baseline_identity, ll_text_cstr(path));
    if (names->failed || path->failed) {
        return LL_E_MEMORY;
    }
    ll_lint_options own = options ? *options : (ll_lint_options){.size = sizeof own};
    own.name = own.name ? own.name : names->data + name;
    own.baseline_identity = own.baseline_identity ? own.baseline_identity
                            : own.identity        ? own.identity
                                                  : names->data + baseline;
    own.identity = own.identity ? own.identity : names->data + identity;
    open_report(report, rules, archive->doc.bytes + member->offset, member->length, &own);
    report->file.archive = ll_report_name(archive);
    report->file.member = names->data + identity - length - 1;
    report->file.unnamed = member->unnamed;
    report->doc.regions[0].outer_offset = member->offset;
    return lint_document(report);
}

ll_status ll_lint_unreadable(const ll_ruleset *rules, const char *reason, const ll_lint_options *options,
                             ll_report *report)
{
    if (!may_run(rules, report, options) || !reason) {
        return LL_E_ARGUMENT;
    }
    open_report(report, rules, NULL, 0, options);
    ll_text_escape(&report->scratch, reason, strlen(reason));
    char *words = ll_arena_copy(&report->doc.arena, report->scratch.data, report->scratch.length);
    if (!words || report->scratch.failed) {
        return LL_E_MEMORY;
    }
    raise_core(&report->doc, LL_FAULT_UNREADABLE, 0, ll_word(words), nothing);
    return report->doc.status == LL_OK ? judge(report, true) : report->doc.status;
}

ll_status ll_lint_crashed(const ll_ruleset *rules, const ll_lint_options *options, ll_report *report)
{
    if (!may_run(rules, report, options)) {
        return LL_E_ARGUMENT;
    }
    open_report(report, rules, NULL, 0, options);
    raise_core(&report->doc, LL_FAULT_CRASH, 0, nothing, nothing);
    return report->doc.status == LL_OK ? judge(report, true) : report->doc.status;
}

/* ------------------------------------------------------------------ remarks */

/* Index of a rule that remarks may name, by id or name; LL_NO_RULE: it is not such a rule. */
static uint32_t remark_rule(const ll_ruleset *rules, const char *name)
{
    for (size_t i = 0; i < rules->count; i++) {
        const ll_rule *rule = ll_rule_at(rules, i);
        if ((strcmp(rule->id, name) == 0 || strcmp(rule->name, name) == 0) && ll_rule_is_remark(rule)) {
            return (uint32_t)i;
        }
    }
    return LL_NO_RULE;
}

/* Escapes a text into the arena. NULL: out of memory. */
static const char *escaped(ll_report *report, const char *text)
{
    if (!text || !text[0]) {
        return "";
    }
    ll_text_clear(&report->scratch);
    ll_text_escape(&report->scratch, text, strlen(text));
    return report->scratch.failed ? NULL
                                  : ll_arena_copy(&report->doc.arena, report->scratch.data, report->scratch.length);
}

static ll_status take_remark(ll_report *report, const ll_sink *sink, const ll_remark *remark)
{
    uint32_t rule = remark->rule ? remark_rule(report->rules, remark->rule) : LL_NO_RULE;
    if (rule == LL_NO_RULE || remark->offset > report->file.size ||
        remark->length > report->file.size - remark->offset) {
        return LL_E_ARGUMENT;
    }
    if (report->rules->rules[rule].severity == LL_SEVERITY_OFF || !sink->admit(sink->ctx, rule)) {
        return LL_OK;
    }
    const ll_rule *words = ll_rule_at(report->rules, rule); /* these texts have no placeholders */
    const char *path = escaped(report, remark->path);
    const char *found = escaped(report, remark->found && remark->found[0] ? remark->found : words->found);
    const char *expected =
        escaped(report, remark->expected && remark->expected[0] ? remark->expected : words->expected);
    if (!path || !found || !expected) {
        return LL_E_MEMORY;
    }
    ll_hit hit = {.rule = rule,
                  .at = ll_at_bytes(LL_NO_SPAN, (uint32_t)remark->offset, (uint32_t)remark->length),
                  .related = ll_at_bytes(LL_NO_SPAN, 0, 0),
                  .found = found,
                  .expected = expected};
    ll_status status = sink->take(sink->ctx, &hit);
    if (status == LL_OK && path[0]) {
        report->entries.items[report->collecting.at].path = path;
    }
    return status;
}

ll_status ll_lint_remarks(const ll_ruleset *rules, const void *bytes, size_t size, const ll_lint_options *options,
                          ll_remarks remarks, ll_report *report)
{
    if (!may_run(rules, report, options) || (!bytes && size) || (!remarks.items && remarks.count) ||
        size > UINT32_MAX) {
        return LL_E_ARGUMENT;
    }
    open_report(report, rules, bytes, size, options);
    report->file.is_text = true;
    claim_unparsed(&report->doc);
    ll_doc_seal(&report->doc);
    ll_status status = report->doc.status;
    ll_sink sink = ll_report_sink(report);
    for (size_t i = 0; i < remarks.count && status == LL_OK; i++) {
        status = take_remark(report, &sink, &remarks.items[i]);
    }
    return status == LL_OK ? ll_report_finish(report) : status;
}

/* Offset of a line and column, both 1-based; at most `size`. */
static size_t offset_of(const char *bytes, size_t size, unsigned line, unsigned column)
{
    const char *at = bytes;
    const char *end = at + size;
    for (; line > 1 && at < end; line--) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        at = feed ? feed + 1 : end;
    }
    size_t left = (size_t)(end - at);
    size_t more = column ? column - 1 : 0;
    return (size_t)(at - bytes) + (more < left ? more : left);
}

ll_status ll_lint_manifest(const ll_ruleset *rules, ll_workspace *workspace, const void *bytes, size_t size,
                           const ll_lint_options *options, ll_report *report)
{
    ll_problem problem = {.line = 0};
    if (!options || !options->name || (!bytes && size)) {
        return LL_E_ARGUMENT;
    }
    ll_status status = ll_workspace_add_manifest(workspace, options->name, bytes, size, &problem);
    bool refused = status == LL_E_INPUT;
    ll_remark remark = {.rule = "manifest-refused",
                        .offset = size ? offset_of(bytes, size, problem.line, problem.column) : 0,
                        .path = "",
                        .found = problem.text,
                        .expected = ""};
    return refused || status == LL_OK
               ? ll_lint_remarks(rules, bytes, size, options, (ll_remarks){&remark, refused && problem.line}, report)
               : status;
}

/* ------------------------------------------------------------------ findings across files */

/* For each fault across files, the first rule that reports it, or LL_NO_RULE. */
typedef struct across_rules {
    uint32_t of[LL_ACROSS_COUNT + 1]; /* the last item is for rules of no such fault */
} across_rules;

static across_rules find_across_rules(const ll_ruleset *rules)
{
    across_rules found;
    memset(found.of, 0xFF, sizeof found.of); /* LL_NO_RULE */
    for (size_t i = rules->count; i > 0; i--) {
        found.of[ll_across_fault_of(ll_rule_at(rules, i - 1))] = (uint32_t)(i - 1);
    }
    return found;
}

/* Expands a template with the arguments of a finding, in the arena; NULL: out of memory. */
static const char *compose(ll_report *report, const ll_workspace *w, const ll_across_finding *f, const char *template)
{
    ll_text *out = &report->scratch;
    ll_text_clear(out);
    ll_piece piece;
    for (const char *p = template; *p && (p = ll_template_next(p, &piece));) {
        if (piece.kind == LL_PIECE_ARGUMENT) {
            const char *text = ll_pool_text(w, f->args[piece.argument]);
            ll_text_escape(out, text, strlen(text));
        } else if (piece.kind == LL_PIECE_TEXT) {
            ll_text_put(out, piece.text, piece.length);
        }
    }
    return out->failed ? NULL : ll_arena_copy(&report->doc.arena, out->data, out->length);
}

static const char *hint_of(const ll_rule *rule, unsigned hint)
{
    for (size_t i = 0; hint && i + 1 < rule->hints.count; i += 2) {
        if (strcmp(rule->hints.at[i], ll_across_hints[hint - 1].name) == 0) {
            return rule->hints.at[i + 1];
        }
    }
    return "";
}

/* Sets the related place of a finding, in another file or member. */
static ll_status set_related(ll_report *report, const ll_workspace *w, const ll_across_finding *f, const char *words,
                             ll_entry *entry)
{
    if (f->related_file == LL_NO_FILE) {
        return LL_OK;
    }
    const ll_kept_file *file = &w->files.items[f->related_file];
    ll_place *place = ll_arena_zalloc(&report->doc.arena, 1, sizeof *place);
    const char *path = escaped(report, ll_pool_text(w, f->related_path));
    if (!place || !path) {
        return LL_E_MEMORY;
    }
    *place = (ll_place){f->related_offset + file->offset, f->related_length, {0}, path, words, file->name};
    if (file->archive) {
        place->file = file->archive;
        place->inner = (ll_inner){file->name + strlen(place->file) + 1, NULL, f->related_offset, f->related_length};
    }
    entry->elsewhere = place;
    return LL_OK;
}

static ll_status take_across(ll_report *report, const ll_sink *sink, const ll_workspace *w, uint32_t number,
                             const ll_across_finding *f)
{
    if (!ll_fits(f->offset, f->length, report->doc.size)) {
        return LL_E_ARGUMENT;
    }
    if (number == LL_NO_RULE || report->rules->rules[number].severity == LL_SEVERITY_OFF ||
        !sink->admit(sink->ctx, number)) {
        return LL_OK;
    }
    const ll_rule *rule = ll_rule_at(report->rules, number);
    uint8_t patch[sizeof f->patch_value];
    for (unsigned i = 0; i < sizeof patch; i++) {
        patch[i] = (uint8_t)(f->patch_value >> 8 * i);
    }
    ll_hit hit = {.rule = number,
                  .at = ll_at_bytes(LL_NO_SPAN, f->offset, f->length),
                  .related = ll_nowhere(),
                  .found = compose(report, w, f, rule->found),
                  .expected = compose(report, w, f, rule->expected),
                  .hint = compose(report, w, f, hint_of(rule, f->hint)),
                  .patch = {.tier = f->patch_size == f->length ? f->patch_tier : (uint8_t)LL_PATCH_NONE,
                            .offset = f->offset,
                            .removed = f->patch_size,
                            .size = f->patch_size,
                            .bytes = patch}};
    const char *path = escaped(report, ll_pool_text(w, f->path));
    if (!hit.found || !hit.expected || !hit.hint || !path) {
        return LL_E_MEMORY;
    }
    ll_status status = sink->take(sink->ctx, &hit);
    if (status != LL_OK) {
        return status;
    }
    ll_entry *entry = &report->entries.items[report->collecting.at];
    entry->path = path;
    return set_related(report, w, f, rule->related, entry);
}

/* Opens a report on a file, or on a member of an archive, without its bytes. */
static void open_across(ll_report *report, const ll_kept_file *file, const ll_ruleset *rules,
                        const ll_lint_options *options)
{
    static const uint8_t none[1] = {0};
    const ll_format *format = ll_format_of_kind(file->kind);
    ll_lint_options own = options ? *options : (ll_lint_options){.size = sizeof own};
    own.name = own.name ? own.name : file->name;
    own.identity = own.identity ? own.identity : file->identity;
    open_report(report, rules, file->size > UINT32_MAX ? NULL : none, file->size, &own);
    report->doc.regions[0].bytes = NULL;
    report->file.is_text = file->kind == LL_FILE_MANIFEST;
    report->file.is_second = true;
    report->file.found_before = file->found;
    if (file->archive) {
        report->file.archive = file->archive;
        report->file.member = file->name + strlen(report->file.archive) + 1;
        report->doc.regions[0].outer_offset = (uint32_t)file->offset;
    }
    if (format) {
        ll_doc_set_format(&report->doc, format);
    }
}

ll_status ll_workspace_report(const ll_workspace *w, const ll_ruleset *rules, size_t index,
                              const ll_lint_options *options, ll_report *report)
{
    if (index >= ll_workspace_file_count(w) || !may_run(rules, report, options)) {
        return LL_E_ARGUMENT;
    }
    const ll_across_finding *findings = w->findings.items + w->found.items[index];
    const ll_kept_file *file = &w->files.items[findings->file];
    open_across(report, file, rules, options);
    ll_doc_seal(&report->doc);
    ll_status status = LL_OK;
    ll_sink sink = ll_report_sink(report);
    const across_rules numbers = find_across_rules(rules);
    for (uint32_t i = 0; status == LL_OK && i < w->found.items[index + 1] - w->found.items[index]; i++) {
        status = take_across(report, &sink, w, numbers.of[findings[i].fault], &findings[i]);
    }
    return status == LL_OK ? ll_report_finish(report) : status;
}

ll_status ll_report_show(ll_report *report, const void *bytes, size_t size)
{
    const uint64_t offset = report && report->file.archive ? report->doc.regions[0].outer_offset : 0;
    if (!report || !report->file.is_second || !bytes || !ll_fits(offset, report->file.size, size) ||
        (!report->file.archive && size != report->file.size)) {
        return LL_E_ARGUMENT;
    }
    if (report->file.size <= UINT32_MAX) {
        report->doc.bytes = report->doc.regions[0].bytes = (const uint8_t *)bytes + offset;
    }
    return LL_OK;
}
