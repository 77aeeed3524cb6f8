/* A report: a parsed document and its findings. The engine fills it through a sink, ll_report_finish() completes it,
 * emitters read it. Findings are fixed records whose texts live in the document's arena. What limits drop is
 * counted. */
#ifndef LL_FINDINGS_REPORT_H
#define LL_FINDINGS_REPORT_H

#include "base/array.h"
#include "rules/engine.h"

typedef struct ll_entry { /* a finding that was kept */
    uint32_t rule;
    uint8_t severity;
    bool is_unread; /* as ll_hit.is_unread: says why something was not read */
    ll_where at, related;
    const char *found, *expected, *hint, *related_text; /* in the arena, never NULL */
    ll_edit patch;
    const ll_patch_part *parts; /* in the arena; parts of the patch, set by ll_report_settle_patches() */
    uint32_t part_count;
    const ll_mark *mark;       /* in the arena; NULL: not suppressed or baselined, so it counts */
    const char *path;          /* in the arena; path of a remark that brings its own; else NULL */
    const ll_place *elsewhere; /* in the arena; a related place in another file, or NULL */
    uint32_t order;            /* index among the findings taken */
    bool leads;                /* first of the entries: explains some or all of the others */
    bool explained;            /* the first entry explains it */
    bool left_out;             /* the limits of the current output drop it */
} ll_entry;
typedef LL_ARRAY(ll_entry) ll_entries;

/* A byte range within a region. */
typedef struct ll_view {
    const ll_region *region; /* never NULL */
    uint32_t offset, length; /* in bytes, from the region's first byte */
} ll_view;
ll_view ll_view_of(const ll_doc *doc, const ll_where *at);
/* The first byte, or NULL when the region's bytes are not in memory. */
static inline const uint8_t *ll_view_bytes(const ll_view *view)
{
    return view->region->bytes ? view->region->bytes + view->offset : NULL;
}

#define LL_NO_ENTRY UINT32_MAX

/* Which patches are applied to a copy and linted before they are offered. */
typedef enum ll_trials {
    LL_TRY_ALL,
    LL_TRY_MOVES, /* those that move bytes, and guesses; for a caller that tries the others itself */
    LL_TRY_NONE,
} ll_trials;

/* The file that was linted. */
typedef struct ll_linted {
    uint64_t size;       /* also when the file is too large for a document */
    const char *archive; /* name of the archive that holds this member; NULL: not a member */
    const char *member;  /* path of the member, stored in `names`; NULL: not a member */
    bool unnamed;        /* a member whose path cannot be read */
    bool is_text;        /* a text file of lightlint itself (configuration, baseline, pack): findings are remarks */
    bool is_second;      /* another report of the same file was counted already */
    bool found_before;   /* with is_second: that report had findings */
    ll_text names;       /* buffer of `member` */
} ll_linted;

/* The members of an archive that can be linted. */
typedef struct ll_members {
    ll_member *items; /* sorted by path; NULL: not an archive */
    uint32_t count;
} ll_members;

/* How findings are collected. */
typedef struct ll_collection {
    uint32_t *rule_counts;         /* by rule number; allocated with the first finding */
    uint32_t taken;                /* findings taken, including those replaced later */
    uint32_t sought[LL_ERROR + 1]; /* by severity: 1 + index from which no entry has it; 0: not searched */
    uint32_t at;                   /* index of the entry that the admitted finding becomes: a new one, or replaced */
} ll_collection;

/* What tells the findings of a report from others, in the next run too. */
typedef struct ll_prints {
    const char *moved_from; /* name that ll_baseline_follow() found; NULL: options.baseline_identity */
    uint64_t *of_run;       /* by entry; NULL until ll_report_identify() */
    uint64_t *for_baseline; /* by entry; NULL until ll_report_identify_for_baseline() */
} ll_prints;

/* Line and column of an offset, kept so that the next one is counted from there. */
typedef struct ll_cursor {
    uint32_t lines; /* line feeds before line_start */
    uint64_t line_start;
    uint64_t columns, column_at; /* characters between the line's start and an offset, and that offset */
} ll_cursor;

/* The finding composed last. */
typedef struct ll_composed {
    ll_view view;
    ll_place related;
    ll_text texts;
    ll_cursor cursor;
} ll_composed;

/* How patches are tried. */
typedef struct ll_trying {
    ll_trials which; /* which patches are tried */
    bool is_attempt; /* the bytes are those that fix produced: not searched for damage in transport */
    bool settled;    /* ll_report_settle_patches() was called */
    uint64_t steps;  /* work done so far, including trials: diagnosis/budget.h */
    ll_report *copy; /* report of the last trial; NULL until the first */
    /* Lints bytes as a variant, with the rules and options of the report; fills `copy`. */
    ll_status (*lint)(ll_report *report, const char *variant, const uint8_t *bytes, size_t size);
    /* Makes patches fit to be shown. NULL: they are already. */
    ll_status (*settle)(ll_report *report);
} ll_trying;

struct ll_report {
    ll_doc doc; /* first; its arena owns everything below */
    const ll_ruleset *rules;
    ll_lint_options options; /* of the last lint; names and identities are never NULL, and the variant is static */
    ll_linted file;
    ll_members members;
    ll_entries entries; /* sorted by offset, rule id, length */
    ll_collection collecting;
    ll_summary summary;
    uint64_t left_out; /* findings that ll_report_choose() left out */
    ll_prints prints;
    ll_composed last;
    ll_trying trying;
    ll_text scratch; /* buffer of the engine and of formatting */
    ll_text leaf;    /* texts of the span described last; separate, because its visitor may compose findings */
};

/* Whether the first finding explains some or all of the others. */
static inline bool ll_report_is_led(const ll_report *report)
{
    return report->entries.count && report->entries.items[0].leads;
}

/* Tries patches and, with LL_TRY_ALL, computes their parts. Call it before patches are read: a trial costs as much as
 * several lint runs, and few outputs show patches. Later calls do nothing. */
ll_status ll_report_settle_patches(ll_report *report);

/* Totals of a run, in the order in which JSON lists them. */
#define LL_TOTALS(ROW)                                                                                                 \
    ROW(files)                                                                                                         \
    ROW(members)                                                                                                       \
    ROW(errors)                                                                                                        \
    ROW(warnings)                                                                                                      \
    ROW(notes)                                                                                                         \
    ROW(files_with_findings)                                                                                           \
    ROW(dropped)                                                                                                       \
    ROW(suppressed)                                                                                                    \
    ROW(baselined)                                                                                                     \
    ROW(unchecked)                                                                                                     \
    ROW(partly)

typedef struct ll_totals {
#define LL_TOTAL_MEMBER(name) uint64_t name;
    LL_TOTALS(LL_TOTAL_MEMBER)
#undef LL_TOTAL_MEMBER
    uint64_t packages, rules_not_run;       /* from ll_workspace_summary; printed only when there are packages */
    uint64_t mendable[LL_PATCH_UNSAFE + 1]; /* fixable findings by kind of patch; 0 in outputs without patches */
    const ll_found_config *configs;         /* of the run; not added up */
    size_t config_count;
} ll_totals;

/* The totals of LL_TOTALS by number, for loops. */
#define LL_TOTAL_ONE(name) +1
enum { LL_TOTAL_COUNT = 0 LL_TOTALS(LL_TOTAL_ONE) };
#undef LL_TOTAL_ONE
typedef struct ll_total {
    const char *name;
    size_t offset;
} ll_total;
extern const ll_total ll_total_rows[LL_TOTAL_COUNT];
static inline uint64_t *ll_total_of(ll_totals *totals, size_t number)
{
    return (uint64_t *)((char *)totals + ll_total_rows[number].offset);
}
void ll_totals_add(ll_totals *to, ll_totals from);

/* ------------------------------------------------------------------ sink.c */

/* Starts a collection: clears the entries and the summary of the previous file. Call it after ll_doc_open() and before
 * the engine runs; set summary.unchecked after it. */
ll_sink ll_report_sink(ll_report *report);
/* Ends a collection: drops duplicates and findings that yield to other rules, subtracts them from the summary, sorts
 * the rest. */
ll_status ll_report_finish(ll_report *report);

/* Moves an entry of a finished report to the front, where it explains the entries marked as explained. Drops the
 * patches of those. */
void ll_report_lead_by(ll_report *report, uint32_t number);

struct ll_fold;
/* Sets left_out of entries: keeps the most severe findings, or groups of findings, within the limits (0: no limit), in
 * the order of the engine among equally severe ones. Marked findings do not count against the limits. all: also keeps
 * what the first finding explains. */
ll_status ll_report_choose(ll_report *report, const struct ll_fold *fold, uint32_t max_per_rule, uint32_t max_per_file,
                           bool all);
/* Findings that the current output lacks. */
static inline uint64_t ll_report_missing(const ll_report *report)
{
    return report->summary.dropped + report->left_out;
}

/* ------------------------------------------------------------------ finding.c */

/* Computes the fingerprint of every entry. Later calls do nothing. */
ll_status ll_report_identify(ll_report *report);
/* Name of the file in the baseline. */
const char *ll_report_baseline_name(const ll_report *report);
/* Computes the fingerprint of every entry for baselines. Later calls do nothing. */
ll_status ll_report_identify_for_baseline(ll_report *report);

/* ll_report_finding() without copying: the texts are valid until the next call. The fingerprint is "" before
 * ll_report_identify(). */
ll_status ll_finding_compose(ll_report *report, size_t index, ll_finding *out);

/* Which of found and expected a finding has, which decides how its message ends. The message is '{0}' at '{1}': TITLE,
 * then the tail; arguments: path, place, then found and expected where present. */
typedef enum ll_message_form {
    LL_MESSAGE_PLACE,
    LL_MESSAGE_FOUND,
    LL_MESSAGE_EXPECTED,
    LL_MESSAGE_BOTH,
    LL_MESSAGE_FORMS
} ll_message_form;
typedef struct ll_message_row {
    const char *id;   /* key of SARIF's messageStrings */
    const char *tail; /* text after the title */
} ll_message_row;
extern const ll_message_row ll_message_rows[LL_MESSAGE_FORMS];
ll_message_form ll_message_form_of(const char *found, const char *expected);

/* Splits a place as the public structs do: returns the place in the member or region; *offset and *length are bytes of
 * the user's file. */
ll_inner ll_view_split(const ll_linted *file, const ll_view *view, uint64_t *offset, uint64_t *length);
/* Name of the user's file: for a member, that of the archive. */
const char *ll_report_file(const ll_report *report);
/* Offset of the document in the user's file. */
static inline uint32_t ll_report_start(const ll_report *report)
{
    return report->doc.regions[0].outer_offset;
}

/* 16 lower-case hex digits and a NUL. */
void ll_hash_digits(uint64_t hash, char out[17]);

/* "+0x140..0x144"; "+0x390" for an empty range; inside a region "+0x10..0x14 in section[8]". */
void ll_place_text(uint64_t offset, uint64_t length, ll_text *out);
void ll_view_text(const ll_view *view, ll_text *out);
/* ll_view_text() followed, for a member, by its path: "+0x10..0x14 in /Assets/a.fox2". */
void ll_member_view_text(const ll_linted *file, const ll_view *view, ll_text *out);
/* "+0x840..0x844 in the archive" */
void ll_archive_place_text(uint64_t offset, uint64_t length, ll_text *out);
/* Skips leading "./", so that "./a/b" and "a/b" are one file. */
const char *ll_plain_name(const char *name);
/* 1-based line of an offset in a text file; 1 in any other file. */
uint32_t ll_report_line(ll_report *report, uint64_t offset);
/* Place of the finding composed last, to follow the file name: "+0x140..0x144", or "4:5" (line and column) in a text
 * file. For a member the place in the archive follows. */
void ll_position_text(ll_report *report, ll_text *out);
/* "." or, when the title ends in a full stop, "!" or "?", "". */
const char *ll_sentence_end(const char *title);

/* Groups the entries of one rule on one field, anywhere in the file. count[i] is the size of the group whose first
 * entry is i, else 0; next[i] is the next entry of the group, or LL_NO_ENTRY. Marked, explained and other entries are
 * never in one group; each remark is a group of its own. */
typedef struct ll_fold {
    uint32_t *count, *next; /* in the arena of the report */
} ll_fold;
ll_status ll_report_fold(ll_report *report, ll_fold *out);

/* ------------------------------------------------------------------ members.c */

/* Finds the members of a sealed archive that can be linted: files of a known format, but not archives, in the first
 * `whole` bytes. */
ll_status ll_members_find(ll_doc *doc, uint32_t whole, ll_members *out);
/* Path of a member as reports show it, cut to a fixed length. The result holds any byte but NUL. */
void ll_member_path(const ll_doc *archive, const ll_member *member, ll_text *out);

/* ------------------------------------------------------------------ about.c */

/* Hash of the rules that run, their severities and what they test. */
uint64_t ll_rules_hash(const ll_ruleset *rules);

/* ------------------------------------------------------------------ catalogue.c */

/* "#grx012-name-hash": where docs/rules.md describes the rule. */
void ll_rule_anchor(const char *id, const char *name, ll_text *out);

#endif
