/* A report: the parsed document and its findings. Filled through a sink by the engine, finished once, then read by
 * emitters. Findings are fixed records with texts in the document's arena; limits are counted, never silent. */
#ifndef LL_REPORT_REPORT_H
#define LL_REPORT_REPORT_H

#include "rules/engine.h"

typedef struct ll_entry { /* one kept finding */
    uint32_t rule;
    uint8_t severity;
    bool is_unread; /* as ll_finding */
    ll_where at, related;
    const char *found, *expected, *hint, *related_text; /* arena, never NULL */
    ll_edit patch;
    const ll_patch_part *parts; /* arena; of the patch, once it is settled: patch_parts.c */
    uint32_t part_count;
    const ll_mark *mark;       /* arena; NULL: it counts */
    const char *path;          /* arena; where a remark has one of its own, else NULL */
    const ll_place *elsewhere; /* arena; a related place in another file; NULL: none */
    uint32_t order;            /* how many the engine had handed over before it */
    bool explained;            /* by the first entry of a report that is led */
} ll_entry;

/* A place as bytes: the region they are in, and where in it. */
typedef struct ll_view {
    const ll_region *region; /* the file's or another; never NULL */
    uint32_t offset, length; /* from its first byte */
} ll_view;
ll_view ll_view_of(const ll_doc *doc, const ll_where *at);
/* NULL: the bytes are not at hand. */
static inline const uint8_t *ll_view_bytes(const ll_view *view)
{
    return view->region->bytes ? view->region->bytes + view->offset : NULL;
}

#define LL_NO_ENTRY UINT32_MAX

/* Which patches of a report are tried before they are offered. */
typedef enum ll_trials {
    LL_TRY_ALL,
    LL_TRY_MOVES, /* those that move bytes, and guesses: who applies patches tries the others himself */
    LL_TRY_NONE,
} ll_trials;

struct ll_report {
    ll_doc doc; /* first: its arena owns everything below */
    const ll_ruleset *rules;
    const char *archive;           /* name of the file that holds this one as a member; NULL: none does */
    const char *member;            /* its path there, in `names`; NULL: it is no member */
    bool unnamed;                  /* of a member: its path cannot be read */
    ll_text names;                 /* of a member */
    ll_member *members;            /* of an archive: those that can be linted, in the order of their paths */
    uint32_t member_count;         /* 0: it is no archive, or holds none */
    uint32_t whole;                /* bytes at its start in which all is where it should be; those of members behind
                                    * them are not known */
    const char *identity;          /* name that fingerprints are made from */
    const char *baseline_identity; /* the same for those in baselines */
    const char *new_identity;      /* what baseline_identity was before ll_baseline_follow(); NULL: the same */
    bool has_fail_level;           /* of its own: */
    ll_severity fail_level;
    bool is_second;    /* its file has a report already, which counts it, and */
    bool found_before; /* had findings */
    bool is_led;       /* the first finding explains others, or all of them */
    bool is_text;      /* of a file of ours that has lines: its findings are remarks */
    uint32_t lines;    /* line feeds in front of line_start, for ll_report_line() */
    uint64_t line_start;
    uint64_t column, column_at; /* of the place last asked for, for ll_position_text() */
    uint64_t size;              /* of the file, also where it is too large for doc */
    uint64_t steps;             /* of work that it took, with what was tried for its patches: diagnosis/budget.h */
    ll_entry *entries;          /* sorted by offset, rule id, length */
    uint32_t entry_count, entry_capacity;
    uint32_t max_per_rule, max_per_file;
    uint32_t *rule_counts;         /* by rule number; allocated with the first finding */
    uint32_t taken;                /* findings, with those that were replaced since */
    uint32_t sought[LL_ERROR + 1]; /* by severity, where the report was full: sink.c */
    uint32_t replaced;             /* the entry whose place the next finding gets, else LL_NO_ENTRY */
    bool *left_out;            /* by entry, for the output at hand: limits leave no place for it; NULL: all have one */
    uint64_t left_out_count;   /* findings that those stand for */
    uint64_t *fingerprints;    /* by entry; NULL until ll_report_identify() */
    uint64_t *baseline_prints; /* the same; NULL until ll_report_identify_for_baseline() */
    ll_summary summary;
    ll_timing *timing; /* NULL: nobody asks */
    ll_view view;      /* of the finding last composed */
    ll_place related;  /* of it as well */
    ll_text scratch;   /* engine and formatting */
    ll_text strings;   /* texts of the finding last composed */
    ll_text leaf;      /* texts of the span last described, whose visitor may ask for findings */
    /* Bytes that are tried are linted, by the rules of the report and as `lint` says, into `trial`. */
    ll_status (*lint_trial)(ll_report *report, const ll_lint_options *lint, const uint8_t *bytes, size_t size);
    ll_report *trial; /* kept for the next try; NULL: none was so far */
    ll_trials trials; /* which patches are tried */
    bool is_attempt;  /* of bytes that fix made: nobody asks what happened to them on their way */
    /* What makes patches fit to be shown; NULL: they are. */
    ll_status (*settle)(ll_report *report);
    bool settled;        /* ll_report_settle_patches() was called */
    const char *variant; /* as which it was linted; NULL: as its content tells */
};

/* To be called before patches are looked at: trying them costs as much as linting, several times, and few outputs show
 * them. Gives them their parts, unless the report is for one who applies them. Does nothing the second time. */
ll_status ll_report_settle_patches(ll_report *report);

/* What a run adds up, in the order in which JSON says it. */
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
    uint64_t packages, rules_not_run; /* of ll_workspace_summary; said only where there are packages */
    uint64_t mendable[LL_PATCH_UNSAFE +
                      1];           /* findings by the tier of the patch that `fix` applies, where patches are shown */
    const ll_found_config *configs; /* of the run; not added up */
    size_t config_count;
} ll_totals;

/* All but these by number, for what goes over them. */
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

/* Starts a collection: forgets the entries and the summary of the file before. Call it after ll_doc_open(), before
 * the engine runs; set summary.unchecked after it. */
ll_sink ll_report_sink(ll_report *report);
/* Ends it: drops duplicates and what yields to other rules (they were not found, as far as the summary goes), sorts. */
ll_status ll_report_finish(ll_report *report);

/* Of a finished report: an entry goes to the front. It explains those that are marked as explained, and no patch of
 * them is offered. */
void ll_report_lead_by(ll_report *report, uint32_t number);

struct ll_fold;
/* Sets left_out: the severest findings, or groups of them, have a place within these limits (0: none), of equally
 * severe ones the first. What is marked takes none. all: also what the first finding explains. */
ll_status ll_report_choose(ll_report *report, const struct ll_fold *fold, uint32_t max_per_rule, uint32_t max_per_file,
                           bool all);
/* Findings that the output at hand lacks. */
static inline uint64_t ll_report_missing(const ll_report *report)
{
    return report->summary.dropped + report->left_out_count;
}

/* ------------------------------------------------------------------ finding.c */

/* Gives every entry its fingerprint. Does nothing the second time. */
ll_status ll_report_identify(ll_report *report);
/* Gives every entry the fingerprint that baselines know it by, in the same way. */
ll_status ll_report_identify_for_baseline(ll_report *report);

/* ll_report_finding() without copying: the texts live until the next call. The fingerprint is "" before
 * ll_report_identify(). */
ll_status ll_finding_compose(ll_report *report, size_t index, ll_finding *out);

/* Which of found and expected a finding has, and so how its message ends. The message is
 * '{0}' at '{1}': TITLE, then the tail; arguments: path, place, then found and expected where there are any. */
typedef enum ll_message_form {
    LL_MESSAGE_PLACE,
    LL_MESSAGE_FOUND,
    LL_MESSAGE_EXPECTED,
    LL_MESSAGE_BOTH,
    LL_MESSAGE_FORMS
} ll_message_form;
typedef struct ll_message_row {
    const char *id;   /* key of SARIF's messageStrings */
    const char *tail; /* behind the title */
} ll_message_row;
extern const ll_message_row ll_message_rows[LL_MESSAGE_FORMS];
ll_message_form ll_message_form_of(const char *found, const char *expected);

/* What the public structs say of a place: bytes of the file that the user has, and where in the member or the region.
 */
ll_inner ll_view_split(const ll_report *report, const ll_view *view, uint64_t *offset, uint64_t *length);
/* The name of the file that the user has: of an archive, where the report is about a member. */
const char *ll_report_file(const ll_report *report);
/* Where its document begins in that file. */
static inline uint32_t ll_report_start(const ll_report *report)
{
    return report->doc.regions[0].outer_offset;
}

/* 16 digits in lower case. */
void ll_hash_digits(uint64_t hash, char out[17]);

/* "+0x140..0x144"; "+0x390" for no bytes. Inside a region "+0x10..0x14 in section[8]". */
void ll_place_text(uint64_t offset, uint64_t length, ll_text *out);
void ll_view_text(const ll_view *view, ll_text *out);
/* The same where the name of the file is that of an archive: "+0x10..0x14 in /Assets/a.fox2". */
void ll_member_view_text(const ll_report *report, const ll_view *view, ll_text *out);
/* "+0x840..0x844 in the archive" */
void ll_archive_place_text(uint64_t offset, uint64_t length, ll_text *out);
/* "./a/b" and "a/b" are one file: the name without what says nothing. */
const char *ll_plain_name(const char *name);
/* The line of an offset in a file that has lines; 1 in every other. */
uint32_t ll_report_line(ll_report *report, uint64_t offset);
/* The place of the finding last composed, behind the name of its file: "+0x140..0x144", or "4:5", line and column, in a
 * file that has lines; in a member with where that is in the archive. */
void ll_position_text(ll_report *report, ll_text *out);
/* What makes a title a sentence: a full stop, or "" where it ends like one. */
const char *ll_sentence_end(const char *title);

/* Entries of one rule on one field, wherever in the file, are one group: count[i] is the number of its entries where
 * i is the first of them, else 0; next[i] the entry behind i in its group, or LL_NO_ENTRY. What is marked is never in
 * one group with what is not, nor is what is explained; every remark is a group of its own. */
typedef struct ll_fold {
    uint32_t *count, *next; /* arena of the report */
} ll_fold;
ll_status ll_report_fold(ll_report *report, ll_fold *out);

/* ------------------------------------------------------------------ members.c */

/* Finds the members of a sealed archive that can be linted: those of a known format that is no archive. */
ll_status ll_report_find_members(ll_report *report);
/* The path of a member as reports show it, which may hold any bytes but NUL, and is never long. */
void ll_member_path(const ll_doc *archive, const ll_member *member, ll_text *out);

/* ------------------------------------------------------------------ about.c */

/* Which rules run, how severe they are and what they test. */
uint64_t ll_rules_hash(const ll_ruleset *rules);

/* ------------------------------------------------------------------ catalogue.c */

/* "#grx012-name-hash": where docs/rules.md describes the rule. */
void ll_rule_anchor(const char *id, const char *name, ll_text *out);

#endif
