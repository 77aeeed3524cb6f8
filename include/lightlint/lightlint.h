/* lightlint: a static analyser for binary game-light files.
 *
 * The library takes bytes and returns a report. It never opens a file, prints, exits, or reads the environment or a
 * clock, and it has no mutable global state.
 *
 * Threads: a sealed ll_ruleset is immutable and may be shared by any number of threads. Every other object belongs to
 * one thread at a time, unless the comment of a function says otherwise, like ll_emitter_render().
 *
 * Ownership: every object is made by a *_create function and released by its *_free function. Strings and arrays
 * reached through an object live as long as that object says, and are never freed by the caller.
 *
 * Offsets and lengths are in bytes; offset 0 is the first byte of the file; ranges are half open. */
#ifndef LIGHTLINT_H
#define LIGHTLINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LL_VERSION_MAJOR 0
#define LL_VERSION_MINOR 1
#define LL_VERSION_PATCH 0
#define LL_VERSION_STRING "0.1.0"

#if defined(LL_STATIC) || !defined(__GNUC__)
#define LL_API
#else
#define LL_API __attribute__((visibility("default")))
#endif
#if defined(__GNUC__)
#define LL_MUST_CHECK __attribute__((warn_unused_result))
#else
#define LL_MUST_CHECK
#endif

/* Run-time version, "MAJOR.MINOR.PATCH". Static storage. */
LL_API const char *ll_version(void);

/* Result of a call. It is not about the linted file: a file full of faults gives LL_OK. */
typedef enum ll_status {
    LL_OK = 0,
    LL_E_MEMORY = 1,   /* the allocator returned NULL */
    LL_E_ARGUMENT = 3, /* the arguments are wrong for the call */
    LL_E_PACK = 4,     /* a rule pack or selector was refused; see ll_problem */
    LL_E_WRITE = 5,    /* the caller's write function returned false */
    LL_E_INTERNAL = 6, /* a defect of this library; please report it */
    LL_E_INPUT = 7     /* a baseline or a sweep was refused; see ll_problem */
} ll_status;

/* One English phrase for a status, without a full stop. Static storage. */
LL_API const char *ll_status_text(ll_status status);

typedef enum ll_severity { LL_SEVERITY_OFF = 0, LL_NOTE = 1, LL_WARNING = 2, LL_ERROR = 3 } ll_severity;

/* "off", "note", "warning", "error". Static storage. */
LL_API const char *ll_severity_text(ll_severity severity);

/* Source of memory. alloc returns storage aligned for any object, or NULL; release takes what alloc returned. Where a
 * function takes an allocator, NULL means malloc and free. The struct is copied; ctx must outlive all objects made with
 * it. */
typedef struct ll_allocator {
    void *(*alloc)(void *ctx, size_t size);
    void (*release)(void *ctx, void *block);
    void *ctx;
} ll_allocator;

/* Why a pack, selector or input was refused: place and text, with the nearest known name if there is one. */
typedef struct ll_problem {
    unsigned line;   /* 1-based; 0: no line */
    unsigned column; /* 1-based; 0: no column */
    char text[512];  /* NUL-terminated, no line feed */
} ll_problem;

/* ------------------------------------------------------------------ rule sets */

typedef struct ll_ruleset ll_ruleset;

/* Safe: no reader of the file can tell the difference, or its structure alone decides what is right. */
typedef enum ll_patch_tier { LL_PATCH_NONE = 0, LL_PATCH_SAFE = 1, LL_PATCH_UNSAFE = 2 } ll_patch_tier;

/* One rule of the catalogue. Strings live as long as the rule set; absent texts are "". */
typedef struct ll_rule_info {
    const char *id;       /* "GRX012" */
    const char *name;     /* "name-hash", unique in its family */
    const char *family;   /* "grx" or another family of formats, "mod", "ledger", "core" */
    ll_severity severity; /* after selection and changes */
    ll_severity default_severity;
    bool locked;        /* severity cannot be lowered */
    bool may_be_marked; /* suppressions and baselines may apply: the rule is about the contents of a file */
    const char *const *tags;
    size_t tag_count;
    const char *title;    /* one sentence */
    const char *why;      /* what a reader of the file does with a wrong value */
    const char *evidence; /* how it is known: counted files, documents, programs */
    const char *fix;      /* what to do */
    const char *target;   /* what it checks, e.g. "grx.probe.priority", or "file" */
    const char *check;    /* how, e.g. "range '>= 0'", "fault entry-size-min" */
    ll_patch_tier patch;  /* highest tier of patch that its findings may carry */
} ll_rule_info;

/* Creates a rule set with the shipped rules at their default severities. */
LL_API LL_MUST_CHECK ll_status ll_ruleset_create(const ll_allocator *allocator, ll_ruleset **out);
LL_API void ll_ruleset_free(ll_ruleset *rules);

/* Adds a pack of rules in YAML (UTF-8, not NUL-terminated). `name` is used in messages. The bytes may be released
 * afterwards. On LL_E_PACK nothing was added and *problem says where and why. Not allowed after sealing. */
LL_API LL_MUST_CHECK ll_status ll_ruleset_add_pack(ll_ruleset *rules, const char *name, const void *yaml, size_t size,
                                                   ll_problem *problem);

/* Change the rules that a selector names: an id, an id prefix (ends in a letter or digit: "GRX", "GRX0"), a name,
 * "family/name", a glob over ids and names, "tag:NAME", or "all". LL_E_PACK if nothing matches. Not allowed after
 * sealing. The first ll_ruleset_select() switches all other rules off, later ones add to the selection;
 * ll_ruleset_ignore() always wins. */
LL_API LL_MUST_CHECK ll_status ll_ruleset_select(ll_ruleset *rules, const char *selector, ll_problem *problem);
LL_API LL_MUST_CHECK ll_status ll_ruleset_ignore(ll_ruleset *rules, const char *selector, ll_problem *problem);
LL_API LL_MUST_CHECK ll_status ll_ruleset_set_severity(ll_ruleset *rules, const char *selector, ll_severity severity,
                                                       ll_problem *problem);

/* Sets chosen[index] for each rule that a selector names, and changes no rule; `chosen` has ll_ruleset_count() items.
 * LL_E_PACK if nothing matches. Allowed before and after sealing. */
LL_API LL_MUST_CHECK ll_status ll_ruleset_choose(const ll_ruleset *rules, const char *selector, bool *chosen,
                                                 ll_problem *problem);

/* Binds rules to layouts and compiles patterns; afterwards the rule set is immutable. Shipped rules always bind; with
 * the default allocator they are bound when the first file of their format is linted, on any thread. With another
 * allocator, all rules are bound here. */
LL_API LL_MUST_CHECK ll_status ll_ruleset_seal(ll_ruleset *rules, ll_problem *problem);

/* The catalogue, sorted by id. Valid before and after sealing. */
LL_API size_t ll_ruleset_count(const ll_ruleset *rules);
LL_API bool ll_ruleset_rule(const ll_ruleset *rules, size_t index, ll_rule_info *out);
/* Finds one rule by id, name or "family/name". False if there is none; *problem then has the nearest name. */
LL_API bool ll_ruleset_find(const ll_ruleset *rules, const char *what, size_t *index, ll_problem *problem);

/* Known file name extensions, each with its dot; NULL-terminated. Static storage. */
LL_API const char *const *ll_extensions(void);

/* Should a file without a known extension be passed to ll_lint() when walking a folder? True for archives of the game
 * that may hold light files but cannot be opened: they count as not checked (LL020). Decides by the name and, for a
 * .dat, by the first `size` bytes, which must be at least four if the file has as many; `first` NULL: by the name
 * alone. */
LL_API bool ll_is_unread_archive(const char *name, const void *first, size_t size);

/* Name of the index-th family of formats ("grx"); NULL: no more. Static storage. */
LL_API const char *ll_family(size_t index);

/* Name of the index-th variant of all formats ("mp1"); NULL: no more. *meaning, if not NULL, is set to its description.
 * Static storage. */
LL_API const char *ll_variant(size_t index, const char **meaning);

/* ------------------------------------------------------------------ linting */

typedef struct ll_report ll_report;

/* Most findings kept of a file, so that no input exhausts memory. The severest are kept, others are only counted. */
enum { LL_FINDINGS_MAX = 50000 };

/* Times of lints, in nanoseconds; each lint adds to them. For one thread at a time. */
typedef struct ll_timing {
    uint64_t (*now)(void); /* a monotonic clock in nanoseconds */
    uint64_t parse, rules; /* rules includes wording, sorting and comparing findings */
    uint64_t *by_rule;     /* by index of the rule: rules judged one by one. Most rules are judged for a record at once,
                              and singly only if that finds something. */
    size_t rule_count;     /* of by_rule: ll_ruleset_count() */
} ll_timing;

typedef struct ll_lint_options {
    size_t size;          /* sizeof(ll_lint_options) */
    const char *name;     /* file name or path in reports, UTF-8 or raw bytes; NULL: "<bytes>" */
    const char *identity; /* name used in fingerprints, so that they do not depend on the current directory; NULL:
                             name */
    const char *variant; /* a name of ll_variant(): what the file is if its content does not tell; NULL: detect. Ignored
                            by formats without that variant. */
    bool has_fail_level; /* fail_level below applies to this file */
    ll_severity fail_level; /* formats that tell which findings fail use it in place of that of ll_emit_options */
    uint32_t max_per_rule;  /* findings kept per rule; 0: no limit */
    uint32_t max_per_file;  /* findings kept in total, at most LL_FINDINGS_MAX; 0: that many */
    bool allow_unsupported; /* parts of the file that cannot be checked are no failure */
    const char *baseline_identity; /* name of the file in baselines; NULL: identity */
    ll_timing *timing;             /* NULL: no clock is read */
} ll_lint_options;

/* Creates an empty report. It can be used for any number of files, one after the other. */
LL_API LL_MUST_CHECK ll_status ll_report_create(const ll_allocator *allocator, ll_report **out);
LL_API void ll_report_free(ll_report *report);

/* Lints `size` bytes and replaces the contents of the report. The bytes and options->name are borrowed until the report
 * is reused or freed; `rules` must be sealed and live as long. */
LL_API LL_MUST_CHECK ll_status ll_lint(const ll_ruleset *rules, const void *bytes, size_t size,
                                       const ll_lint_options *options, ll_report *report);

/* Makes the report of a file that could not be read: one finding LL001 with `reason` as its `found`. */
LL_API LL_MUST_CHECK ll_status ll_lint_unreadable(const ll_ruleset *rules, const char *reason,
                                                  const ll_lint_options *options, ll_report *report);

/* Makes the report of a file on which the program crashed before: one finding LL015. */
LL_API LL_MUST_CHECK ll_status ll_lint_crashed(const ll_ruleset *rules, const ll_lint_options *options,
                                               ll_report *report);

/* Marks a finding as already known. Marked findings are not counted as errors, warnings and notes. */
typedef enum ll_mark_kind { LL_MARK_NONE = 0, LL_MARK_SUPPRESSED = 1, LL_MARK_BASELINED = 2 } ll_mark_kind;

typedef struct ll_mark {
    ll_mark_kind kind;
    const char *reason; /* why it is suppressed, as its author wrote; "" if baselined */
    const char *file;   /* the suppression file or baseline, as reports show it */
    unsigned line;      /* line in that file, 1-based */
} ll_mark;

/* Marks the finding at `index`, which keeps its position. The texts are borrowed until the report is reused or freed.
 * LL_E_ARGUMENT: there is no such finding, or it is marked already. */
LL_API LL_MUST_CHECK ll_status ll_report_mark(ll_report *report, size_t index, const ll_mark *mark);

/* A finding about a file that is not a light file but refers to some: suppressions or a baseline. */
typedef struct ll_remark {
    const char *rule; /* "unused-suppression", "expired-suppression" or "stale-baseline", or the id of one of them */
    uint64_t offset, length;
    const char *path;             /* "suppress[2].rule"; "" if there is none */
    const char *found, *expected; /* "": the text of the rule */
} ll_remark;

typedef struct ll_remarks {
    const ll_remark *items;
    size_t count;
} ll_remarks;

/* Makes the report of such a file. Remarks whose rule is off are dropped; several remarks of one rule about the same
 * bytes become one. The bytes are borrowed until the report is reused or freed, the remarks during the call.
 * LL_E_ARGUMENT: a rule not listed above, or a range beyond the file. */
LL_API LL_MUST_CHECK ll_status ll_lint_remarks(const ll_ruleset *rules, const void *bytes, size_t size,
                                               const ll_lint_options *options, ll_remarks remarks, ll_report *report);

typedef struct ll_summary {
    uint64_t errors, warnings, notes; /* found, kept or not, except marked ones */
    uint64_t suppressed, baselined;   /* marked */
    uint64_t dropped;                 /* of all these: not kept because of a limit */
    bool unchecked;                   /* the file, or part of it, was not read or not checked */
    bool unsupported;                 /* part of the file cannot be checked by this version */
    bool failed;     /* the file is unreadable, of unknown format, too large, or of another game than the options say;
                        or it is unsupported, and the options do not allow that */
    bool incomplete; /* unchecked, except if only because of unsupported parts that the options allow; gives exit code
                        2 */
    bool truncated;  /* a limit was reached */
} ll_summary;

LL_API const char *ll_report_name(const ll_report *report);
LL_API const char *ll_report_format(const ll_report *report); /* "grx"; "text" after ll_lint_remarks(); or "unknown" */
LL_API uint64_t ll_report_size(const ll_report *report);
LL_API void ll_report_summary(const ll_report *report, ll_summary *out);

/* Position inside a member of an archive, inside a decompressed region, or inside a region of a member. Both names
 * NULL: the bytes are in the file itself, and the rest is unused. */
typedef struct ll_inner {
    const char *member;      /* path in the archive, as in ll_member_info */
    const char *region;      /* path of the region: "section[8]" */
    uint64_t offset, length; /* from the first byte of the region, else of the member */
} ll_inner;

typedef struct ll_place {
    uint64_t offset, length; /* in the user's file, which may be an archive */
    ll_inner inner;   /* if it has a region, offset and length above are those of the bytes that hold the region */
    const char *path; /* field path; "" if there is none */
    const char *text; /* value or description; "" if there is none */
    const char *file; /* name of the file with the place if it is another one; NULL: the file of the finding */
} ll_place;

/* A part of the bytes that a patch writes: new bytes, or bytes copied from the file before the patch. */
typedef struct ll_patch_part {
    const uint8_t *bytes; /* NULL: copied from the file */
    uint64_t from;        /* offset of copied bytes in the user's file; else 0 */
    uint64_t length;
} ll_patch_part;

/* A change to the user's file: replaces `removed` bytes at `offset` by `size` bytes. If the numbers differ, the bytes
 * include all dependent sizes, offsets and counts, so that a patch is always complete. The parts, concatenated, are the
 * same bytes; moved ones refer to where they were. Outputs print the parts. There are none if they would take more than
 * 32 KiB of output, and none in results of ll_fix_run(). */
typedef struct ll_patch {
    ll_patch_tier tier;
    uint64_t offset, removed;
    const uint8_t *bytes;
    size_t size;
    const ll_patch_part *parts;
    size_t part_count;
} ll_patch;

/* One finding. Strings live until the report is reused or freed. Findings are sorted by offset, then rule id; inside a
 * region, by offset in the region. A finding that explains others comes first. */
typedef struct ll_finding {
    size_t rule; /* index into the rule set */
    ll_severity severity;
    const char *id, *name, *title;
    uint64_t offset, length; /* in the user's file; length 0 at the end means "missing here" */
    ll_inner inner;     /* if it has a region, offset and length above are those of the bytes that hold the region */
    const char *path;   /* "entry[3].light_area_offset" */
    const char *record; /* record of the field: "grx.point_light"; "" if there is none */
    const char *type;   /* "u32 LE"; "" if there is no field */
    const char *value;  /* decoded value of the bytes; "" if there is no field */
    const char *found, *expected;
    const char *message;  /* one complete sentence */
    const char *hint;     /* the likely cause; "" if unknown */
    const char *why;      /* what a reader of the file does with a wrong value there */
    const char *fix;      /* what to do */
    char fingerprint[17]; /* 16 hex digits, from rule, file identity and field path, never the offset */
    const ll_place *related;
    size_t related_count;
    ll_patch patch;
    bool unread;     /* it says why part of the file was not read; set for the first such finding */
    bool explained;  /* it follows from the first finding; outputs omit it unless all are requested */
    size_t explains; /* number of findings that follow from this one */
    ll_mark mark;    /* kind LL_MARK_NONE: the finding counts */
} ll_finding;

LL_API size_t ll_report_finding_count(const ll_report *report);
/* The first call for a report takes longer: it tries patches by linting the bytes with each of them. So does the first
 * output that shows patches. */
LL_API LL_MUST_CHECK ll_status ll_report_finding(ll_report *report, size_t index, ll_finding *out);

/* A leaf: a field, string, padding, gap or unparsed range. The leaves of the file tile it in order; those of each
 * region follow and tile that. */
typedef struct ll_span_info {
    uint64_t offset, length; /* in the file, or in the region */
    const char *region;      /* path of the region; NULL: the file */
    const char *record;      /* name of its layout, as in ll_print_fields(); NULL: a gap or unparsed */
    const char *path;
    const char *type;     /* the role if there is one ("magic", "size", ... "gap", "unparsed"), else the data type */
    const char *value;    /* decoded value; NULL if there is none */
    const char *leads_to; /* for a field that points to something: path of the target, or, if no record begins there,
                             words with the path of the span that contains it; else NULL */
} ll_span_info;

/* Strings of the span live until the visitor returns; the visitor may call ll_report_finding(). If it returns false,
 * the walk ends (LL_OK). */
typedef bool (*ll_span_fn)(void *ctx, const ll_span_info *span);
LL_API LL_MUST_CHECK ll_status ll_report_spans(ll_report *report, ll_span_fn visit, void *ctx);

/* A region: data that the file holds compressed, or otherwise encoded, after decoding. */
typedef struct ll_region_info {
    const char *name;        /* its path, as in findings and spans: "section[8]" */
    uint64_t offset, length; /* the bytes of the file that hold it */
    const uint8_t *bytes;    /* decompressed, `size` bytes; live until the report is reused or freed */
    uint64_t size;
} ll_region_info;

/* The regions of a linted file. */
LL_API size_t ll_report_region_count(const ll_report *report);
LL_API LL_MUST_CHECK ll_status ll_report_region(const ll_report *report, size_t index, ll_region_info *out);

/* ------------------------------------------------------------------ members */

/* A file stored unchanged in an archive, of a known format that is not itself an archive. */
typedef struct ll_member_info {
    const char *path;        /* in the archive, as reports show it: any bytes except NUL, shown as \x00; a long one is
                                cut at the front, with "..." */
    uint64_t offset, length; /* its bytes in the archive */
} ll_member_info;

/* Number of members in a linted file; they are sorted by path. They do not overlap. */
LL_API size_t ll_report_member_count(const ll_report *report);
/* The path lives until the next call with this report. */
LL_API LL_MUST_CHECK ll_status ll_report_member(ll_report *report, size_t index, ll_member_info *out);

/* Lints a member in place, as a file named "ARCHIVE!PATH". Name and identities are derived from those of the archive
 * unless the options give others. Offsets in findings are those in the archive; `inner` gives the position in the
 * member. `report` must be another one than `archive`; the archive's report and bytes must outlive it. */
LL_API LL_MUST_CHECK ll_status ll_lint_member(const ll_ruleset *rules, const ll_report *archive, size_t index,
                                              const ll_lint_options *options, ll_report *report);

/* ------------------------------------------------------------------ output */

/* Takes bytes; returns false to stop (LL_E_WRITE). */
typedef bool (*ll_write_fn)(void *ctx, const char *bytes, size_t size);

/* Width and height that text for people is fitted to. */
typedef struct ll_terminal {
    unsigned columns; /* 0: lines are not wrapped */
    unsigned lines;
    /* Columns of a character above U+007F, given as a code point. NULL: one each. */
    unsigned (*columns_of)(uint32_t character);
} ll_terminal;

/* The revision of the repository that contains the files; NULL members are unknown. */
typedef struct ll_provenance {
    const char *uri; /* of the repository; never NULL */
    const char *revision, *branch, *tag;
    bool at_root; /* names of files are relative to the root of the repository */
} ll_provenance;

typedef struct ll_emit_options {
    size_t size;                         /* sizeof(ll_emit_options) */
    const char *format;                  /* one of ll_emit_formats() */
    bool color;                          /* ANSI colours (full, concise) */
    bool all;                            /* no folding, and no limit of lines on a terminal */
    uint32_t max_per_rule, max_per_file; /* findings, or groups of them, shown of a file; 0: no limit. The severest are
                                            shown, the others counted. */
    ll_terminal terminal;                /* for full: text is wrapped, not repeated, sorted by severity, folded across
                                            files, and has 200 lines at most */
    int verbosity;          /* -2: only findings that fail, and those of files not checked in full; -1: no verdict if
                               clean; 0; 1: also a line per clean file */
    ll_severity fail_level; /* for the exit code stated in SARIF; LL_SEVERITY_OFF: never fail */
    bool baseline;          /* the run has a baseline: SARIF states for each finding whether it is new */
    const ll_provenance *provenance; /* stated in SARIF; must outlive the emitter; NULL: unknown */
    const char *docs_url;   /* page with a section for each rule, as made by `rules --format markdown`; ASCII that needs
                               no escapes in JSON; must outlive the emitter; NULL: the default of the build, if any */
    bool links;             /* full, concise: ids are links (OSC 8) if the address is known */
    uint32_t shard, shards; /* the files are part `shard` of `shards`, which a sweep states; 0: they are all */
} ll_emit_options;

typedef struct ll_emitter ll_emitter; /* one output of one run */
typedef struct ll_chunk ll_chunk;     /* rendered findings of some files, not yet written */

/* NULL-terminated list of format names. Static storage. */
LL_API const char *const *ll_emit_formats(void);
/* Is a format for people, who want limits, rather than for programs, which want everything? */
LL_API bool ll_emit_is_for_people(const char *format);

LL_API LL_MUST_CHECK ll_status ll_emitter_create(const ll_allocator *allocator, const ll_ruleset *rules,
                                                 const ll_emit_options *options, ll_write_fn write, void *ctx,
                                                 ll_emitter **out);
LL_API LL_MUST_CHECK ll_status ll_chunk_create(const ll_allocator *allocator, ll_chunk **out);
/* Sets a function that is called between findings when a report is rendered into a chunk that is already full. It may
 * commit the chunk, so that many findings need not be in memory at once; after a failure, the output then ends in the
 * middle of the report. NULL: chunks grow. */
LL_API void ll_chunk_when_full(ll_chunk *chunk, void (*full)(void *ctx), void *ctx);
LL_API void ll_chunk_free(ll_chunk *chunk);
/* A configuration file that was found in or above what was checked, not named by the user, and what it keeps out of
 * reports. */
typedef struct ll_found_config {
    const char *file;       /* as reports show it */
    uint64_t rules_off;     /* rules that it switches off */
    uint64_t rules_lowered; /* rules whose findings it makes less severe */
    uint64_t left_out;      /* files and directories excluded by its patterns */
    const char *fail_on;    /* its fail level, if fewer findings fail because of it; else NULL */
    bool no_cross;          /* files are not checked against each other */
    bool allows_unsupported;
} ll_found_config;

/* Sets the configurations that the verdict mentions. Call it before ll_emitter_finish(). They are borrowed until the
 * emitter is freed. */
LL_API void ll_emitter_found_configs(ll_emitter *emitter, const ll_found_config *configs, size_t count);
/* Appends the output for a report to the chunk. Only reads the emitter: any number of threads may render for one
 * emitter at once, each with its own report and chunk. The report may have been made with other rules than the emitter;
 * these must live until ll_emitter_finish(). Rules with the same id count as one rule, described by the first that
 * reported something. */
LL_API LL_MUST_CHECK ll_status ll_emitter_render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk);
/* Writes a chunk and empties it. Commit chunks in the order in which files are to appear. */
LL_API LL_MUST_CHECK ll_status ll_emitter_commit(ll_emitter *emitter, ll_chunk *chunk);
/* Writes the verdict and the end of the output. exit_code: of the process. */
LL_API LL_MUST_CHECK ll_status ll_emitter_finish(ll_emitter *emitter, int exit_code);
/* Number of findings that were counted but are missing in what was committed, because of limits, LL_FINDINGS_MAX or
 * limits of the format's reader. */
LL_API uint64_t ll_emitter_missing(const ll_emitter *emitter);
LL_API void ll_emitter_free(ll_emitter *emitter);

/* Writes every span of a report as "text" (with hex), "json", "stable" (text that stays the same where other parts of
 * the file change), "records" (the part of "json" that ll_build() reads) or "space" (objects with a position, as JSON
 * of its own; docs/web.md, ll.space()). `terminal`: size for "text"; NULL: no wrapping. */
LL_API LL_MUST_CHECK ll_status ll_dump(ll_report *report, const char *format, const ll_terminal *terminal,
                                       ll_write_fn write, void *ctx);
/* How ll_draw() shows a file. Lengths on the drawing are pixels, angles radians, positions in the axes of the game. */
typedef struct ll_camera {
    size_t size;          /* sizeof(ll_camera) */
    double width, height; /* of the drawing */
    bool turned;          /* by yaw (0 to 2 pi), then pitch (-pi / 2 to pi / 2); false: seen from above */
    double yaw, pitch;
    double zoom;      /* pixels per unit of the game; 0: everything fits */
    double middle[3]; /* position in the middle, unless zoom is 0 */
    double move[2];   /* then moves what is seen, to the right and down */
    bool far;         /* fit also what is far from the rest */
    uint32_t hidden;  /* layers that are not drawn, as bits, in the order in which "space" of ll_dump() has them */
    uint32_t chosen;  /* 1 + number of a thing in "space", which is emphasized; 0: none */
} ll_camera;

/* Draws what in a report has a position as a <figure> with an <svg>, without style (plan.css) and script; nothing if
 * nothing has. Each point is a <g class="dot" data-thing="N">, N its number in "space" of ll_dump(). data-camera of the
 * <svg> has the zoom and X, Y and Z of the middle, with which another drawing can begin. */
LL_API LL_MUST_CHECK ll_status ll_draw(ll_report *report, const ll_camera *camera, ll_write_fn write, void *ctx);
/* Writes one script of a report as text: statements with their bytes, labels at jump targets, findings where their
 * bytes begin. `name`: name or number of the actor with the script. LL_E_ARGUMENT if there is none; *problem, if not
 * NULL, then has the nearest name. */
LL_API LL_MUST_CHECK ll_status ll_list(ll_report *report, const char *name, const ll_terminal *terminal,
                                       ll_write_fn write, void *ctx, ll_problem *problem);
/* Writes the rule catalogue as "text", "json" or "markdown". chosen: only rules that selectors chose. */
LL_API LL_MUST_CHECK ll_status ll_print_rules(const ll_ruleset *rules, bool chosen, const char *format,
                                              ll_write_fn write, void *ctx);
/* Writes one rule in the same formats; color is for "text". */
LL_API LL_MUST_CHECK ll_status ll_explain(const ll_ruleset *rules, size_t index, const char *format, bool color,
                                          ll_write_fn write, void *ctx);
/* Writes the records of a family, or of all if NULL, with their fields: name, position, meaning and certainty. "text"
 * or "json" (docs/schema/fields.schema.json); for one family also "ksy", a Kaitai Struct specification, and "hexpat",
 * an ImHex pattern. */
LL_API LL_MUST_CHECK ll_status ll_print_fields(const ll_allocator *allocator, const char *family, const char *format,
                                               ll_write_fn write, void *ctx);
/* Writes version, commit, number of rules with the hash that heads a sweep, and libraries, as "text" or "json". */
LL_API LL_MUST_CHECK ll_status ll_print_version(const ll_ruleset *rules, const char *format, ll_write_fn write,
                                                void *ctx);

/* ------------------------------------------------------------------ fixing */

/* Applies patches to the bytes of a file. For one thread at a time. */
typedef struct ll_fix ll_fix;

/* Result for one patch. */
typedef enum ll_fix_outcome {
    LL_FIX_APPLIED = 0,
    LL_FIX_SPOILS = 1,   /* left out: it causes a new finding */
    LL_FIX_IDLE = 2,     /* left out: its own finding remains */
    LL_FIX_DECLINED = 3, /* left out: ll_fix_options.wants returned false */
    LL_FIX_UNTRIED = 4   /* left out: the run reached its limit of work; another run on the result continues */
} ll_fix_outcome;

/* A patch that was tried. Strings and bytes live until the next ll_fix_run(). */
typedef struct ll_fix_step {
    ll_fix_outcome outcome;
    ll_severity severity;
    const char *id, *name, *path; /* of its finding */
    ll_patch patch;               /* its offset is in the bytes as they were before it was applied */
    const uint8_t *was;           /* the bytes that it replaces */
    /* For LL_FIX_SPOILS: the severest new finding; "" if limits hide it. */
    const char *spoiler_id, *spoiler_name, *spoiler_path;
    ll_severity spoiler_severity;
} ll_fix_step;

/* Limit of work of one ll_fix_run(), in lints of the file, or of 256 KiB for smaller files. Work is counted in steps,
 * not in time, so that the same bytes give the same result everywhere. */
enum { LL_FIX_LINTS_MAX = 512 };

typedef struct ll_fix_options {
    size_t size;             /* sizeof(ll_fix_options) */
    ll_patch_tier tier;      /* LL_PATCH_SAFE: only safe patches; LL_PATCH_UNSAFE: safe ones first, then unsafe ones */
    bool marked;             /* fix marked findings, too */
    bool notes;              /* fix notes, too; what they report is usually sound */
    const ll_ruleset *judge; /* sealed rules whose findings also count as new; NULL: only those of `rules` do */
    /* Called once for the finding of each patch to be tried; false: leave it out. NULL: try all. */
    bool (*wants)(void *ctx, const ll_finding *finding);
    /* Marks findings of a report on tried bytes with ll_report_mark(); NULL: none are marked. */
    ll_status (*mark)(void *ctx, ll_report *report);
    void *ctx;
} ll_fix_options;

LL_API LL_MUST_CHECK ll_status ll_fix_create(const ll_allocator *allocator, ll_fix **out);
LL_API void ll_fix_free(ll_fix *fix);

/* Applies patches and lints the result, until no patch helps. A patch is kept only if it removes its finding and causes
 * no new one. Overlapping patches are applied one after the other, safe ones first; rejected ones are tried again after
 * others were applied. `bytes` and lint->name are borrowed until the next call or until the object is freed; the limits
 * in `lint` are ignored. */
LL_API LL_MUST_CHECK ll_status ll_fix_run(ll_fix *fix, const ll_ruleset *rules, const void *bytes, size_t size,
                                          const ll_lint_options *lint, const ll_fix_options *options);
/* Gets the bytes after the last run, and returns the number of patches applied: with 0 they are the bytes given. */
LL_API size_t ll_fix_result(const ll_fix *fix, const void **bytes, size_t *size);
/* The patches: those applied, in order, then those left out. */
LL_API size_t ll_fix_count(const ll_fix *fix);
LL_API bool ll_fix_at(const ll_fix *fix, size_t index, ll_fix_step *out);
/* Writes what was done as "text", "jsonl" (docs/schema/fix.schema.json) or "diff" (of the text dumps before and after).
 * `written`: the file was replaced; else the text says what would change. Writes nothing for a file without patches. */
LL_API LL_MUST_CHECK ll_status ll_fix_print(ll_fix *fix, const char *format, bool written, ll_write_fn write,
                                            void *ctx);
/* NULL-terminated list of formats. Static storage. */
LL_API const char *const *ll_fix_formats(void);

/* The file that contains the bytes of a run, and where: the bytes are the file or a member of it. */
typedef struct ll_fix_place {
    const char *file;     /* path that can be opened */
    const void *was, *is; /* contents of the whole file before and after */
    size_t was_size, is_size;
    uint64_t offset; /* of the first byte of the run, in both `was` and `is` */
} ll_fix_place;

/* Writes the journal lines for undoing the run, for ll_journal_create(). Writes nothing if no patch was applied. */
LL_API LL_MUST_CHECK ll_status ll_fix_note(ll_fix *fix, const ll_fix_place *place, ll_write_fn write, void *ctx);

/* A journal of any number of files, as written by ll_fix_note(), or by format "jsonl" for files that are not members.
 * It tells how to restore their earlier contents. */
typedef struct ll_journal ll_journal;

typedef struct ll_journal_entry {
    const char *file; /* path as it was opened, byte by byte */
    unsigned line;    /* line where the entry begins, 1-based */
    bool whole;       /* false: the end of the entry is missing, and the file was not replaced */
    uint64_t size_before, size_after;
} ll_journal_entry;

typedef enum ll_undo { LL_UNDO_DONE, LL_UNDO_NOTHING, LL_UNDO_OTHER } ll_undo;

/* LL_E_INPUT: a line has a newer schema or is not from a journal; *problem has its number. An incomplete last line is
 * ignored. */
LL_API LL_MUST_CHECK ll_status ll_journal_create(const ll_allocator *allocator, const void *bytes, size_t size,
                                                 ll_journal **out, ll_problem *problem);
LL_API void ll_journal_free(ll_journal *journal);
LL_API bool ll_journal_at(const ll_journal *journal, size_t index, ll_journal_entry *out);
typedef struct ll_undone {
    ll_undo outcome;
    const void *bytes; /* LL_UNDO_DONE: the earlier contents of the file, valid until the next call; else NULL */
    size_t size;
} ll_undone;

/* Reverts an entry. LL_UNDO_NOTHING: `bytes` are the earlier contents already. LL_UNDO_OTHER: `bytes` are not what the
 * entry left behind. */
LL_API LL_MUST_CHECK ll_status ll_journal_undo(ll_journal *journal, size_t index, const void *bytes, size_t size,
                                               ll_undone *out);

/* ------------------------------------------------------------------ comparing */

typedef enum ll_difference_kind {
    LL_FIELD_CHANGED = 0,
    LL_RECORD_REMOVED = 1, /* with all its contents */
    LL_RECORD_ADDED = 2,
    LL_RECORD_MOVED = 3, /* in another order among its neighbours; changes in it are reported separately */
    LL_BYTES_CHANGED = 4 /* bytes that belong to no field */
} ll_difference_kind;

/* A difference between two documents. Strings live until the visitor returns. */
typedef struct ll_difference {
    ll_difference_kind kind;
    const char *path;         /* by names of records if they have some; as it is after, or for a removed record,
                                 before */
    const char *type;         /* data type of a field, as in ll_span_info; kind of a record, "EP00", else "" */
    const char *was, *is;     /* values; NULL: no value, or no such field */
    bool is_before, is_after; /* the side exists, with: */
    uint64_t offset_before, length_before; /* in the file, or in the region */
    uint64_t offset_after, length_after;
    const char *region; /* path of the region; NULL: the file */
} ll_difference;

/* If the visitor returns false, the comparison ends (LL_OK). */
typedef bool (*ll_difference_fn)(void *ctx, const ll_difference *difference);

/* Compares two linted documents. Records are matched by name, hash or id, then by content, then by position. Sizes,
 * offsets, padding and other values that follow from the rest are not reported if they do so on both sides, unless
 * nothing else differs; documents with different bytes have at least one difference. Members that ll_report_member()
 * returns on both sides are skipped: compare them separately. LL_E_ARGUMENT: a document was too large to be read. */
LL_API LL_MUST_CHECK ll_status ll_diff(ll_report *before, ll_report *after, ll_difference_fn visit, void *ctx);

/* Writes the differences of pairs of documents as "text", "markdown" or "json" (docs/schema/diff.schema.json). */
typedef struct ll_differences ll_differences;

typedef struct ll_diff_options {
    size_t size;        /* sizeof(ll_diff_options) */
    const char *format; /* one of ll_diff_formats() */
    bool color;         /* terminal colours in "text" */
    bool heads;         /* "text" names each pair above its differences, not only members */
    ll_write_fn write;
    void *ctx; /* for write */
} ll_diff_options;

LL_API LL_MUST_CHECK ll_status ll_differences_create(const ll_allocator *allocator, const ll_diff_options *options,
                                                     ll_differences **out);
LL_API void ll_differences_free(ll_differences *differences);
/* Compares two documents and writes the differences; NULL for one of them: it exists on one side only. Equal documents
 * appear only in "json". */
LL_API LL_MUST_CHECK ll_status ll_differences_add(ll_differences *differences, ll_report *before, ll_report *after);
/* Writes the end. *count, if not NULL: number of differences of all pairs; a document on one side only counts as
 * one. */
LL_API LL_MUST_CHECK ll_status ll_differences_finish(ll_differences *differences, uint64_t *count);
/* NULL-terminated. Static storage. */
LL_API const char *const *ll_diff_formats(void);
/* ------------------------------------------------------------------ building */

/* A file built from its records. */
typedef struct ll_built ll_built;

/* Builds a file from the "json" of ll_dump(), which may have been edited: omitted sizes, counts, offsets, hashes and
 * padding are computed from the records (docs/build.md). Nothing is linted. LL_E_INPUT: the text is refused, *problem
 * says where and what was expected. The text may be released afterwards. */
LL_API LL_MUST_CHECK ll_status ll_build(const ll_allocator *allocator, const void *json, size_t size, ll_built **out,
                                        ll_problem *problem);
/* The bytes; they live as long as `built`. */
LL_API void ll_built_bytes(const ll_built *built, const void **bytes, size_t *size);
/* Family of the file, such as "lba" (static storage), and the name in the text of the file that was dumped, "" if it
 * has none (lives as long as `built`). In some families, its extension tells the kind of file. */
LL_API const char *ll_built_format(const ll_built *built);
LL_API const char *ll_built_name(const ll_built *built);
/* Things that the builder of a file should know, e.g. that a part is no longer compressed; NULL: no more. Live as long
 * as `built`. */
LL_API const char *ll_built_note(const ll_built *built, size_t i);
LL_API void ll_built_free(ll_built *built);

/* ------------------------------------------------------------------ baselines */

/* Known findings by fingerprint. In a file, they are JSON Lines (docs/schema/baseline.schema.json); here, entries
 * sorted by file, rule, path and fingerprint. */
typedef struct ll_baseline ll_baseline;

/* Strings live as long as the baseline. */
typedef struct ll_baseline_entry {
    char fingerprint[17];
    const char *rule; /* its id */
    const char *file; /* identity of the file; bytes that are not UTF-8 are \xNN */
    const char *path; /* field path when the entry was made, for people */
    uint64_t count;   /* number of findings it covers */
    uint64_t met;     /* largest number of them met by ll_baseline_apply() in one report */
    bool judged;      /* ll_baseline_apply() had a report of its file that was checked in full, with the rule on */
    uint64_t offset, length; /* of its line in what was read, without line feed; 0 and 0: it was not read from a file */
    unsigned line;           /* 1-based */
    char content[17];        /* hash of the file's bytes; "": unknown */
    bool moved;              /* ll_baseline_follow() found the file under another name */
} ll_baseline_entry;

LL_API LL_MUST_CHECK ll_status ll_baseline_create(const ll_allocator *allocator, ll_baseline **out);
LL_API void ll_baseline_free(ll_baseline *baseline);

/* Reads a baseline file into an empty baseline. Lines may be in any order; the header is required and may be anywhere.
 * If lines have the same file and fingerprint, as after a merge, the highest count is used. LL_E_INPUT: a line was
 * refused, *problem says which and why, and nothing was added. The bytes may be released afterwards. */
LL_API LL_MUST_CHECK ll_status ll_baseline_read(ll_baseline *baseline, const void *bytes, size_t size,
                                                ll_problem *problem);

/* Marks the findings of a report that the baseline covers as LL_MARK_BASELINED, up to the count of each entry; skips
 * those of locked rules and those already marked. `file` is used in the marks and must live as long. Any number of
 * threads may apply one baseline at once, each with its own report; ll_baseline_entry.met does not depend on their
 * order. Nothing may be added to the baseline before. */
LL_API LL_MUST_CHECK ll_status ll_baseline_apply(ll_baseline *baseline, ll_report *report, const char *file);

/* Sets *out if the baseline has no entry for the file of a report, but has some for a file with the same bytes. */
LL_API LL_MUST_CHECK ll_status ll_baseline_may_follow(ll_baseline *baseline, ll_report *report, bool *out);
/* Treats the file of such a report as that file, if `gone` says that it no longer exists; ll_baseline_apply() then
 * marks its findings. Each file is matched only once, so that a copy counts as new. Calls must not overlap, and come in
 * the same order in every run. */
LL_API void ll_baseline_follow(ll_baseline *baseline, ll_report *report, bool (*gone)(void *ctx, const char *file),
                               void *ctx);
/* Adds the findings of a report that was followed to another baseline, under the new name of the file, as far as they
 * were in `from` when it was applied and their entries were judged. */
LL_API LL_MUST_CHECK ll_status ll_baseline_take_moved(ll_baseline *to, const ll_baseline *from, ll_report *report);
/* Records the hash of a file's bytes, so that the file is recognised after a move. */
LL_API LL_MUST_CHECK ll_status ll_baseline_note(ll_baseline *baseline, const ll_report *report);

/* Adds the findings of a report that are not marked, except remarks and findings of locked rules; *added, if not NULL,
 * grows by their number. With a NULL baseline they are only counted. */
LL_API LL_MUST_CHECK ll_status ll_baseline_take(ll_baseline *baseline, ll_report *report, uint64_t *added);
/* Adds to the count of an entry, or adds a new one; uses fingerprint, rule, file, path, count and content.
 * LL_E_ARGUMENT: rule, file or path is missing, the count is 0, or a hash is malformed. */
LL_API LL_MUST_CHECK ll_status ll_baseline_put(ll_baseline *baseline, const ll_baseline_entry *entry);

/* Number of entries, and each of them, sorted. Sorts entries that were added; not allowed while another thread uses the
 * baseline. */
LL_API size_t ll_baseline_count(ll_baseline *baseline);
LL_API bool ll_baseline_at(ll_baseline *baseline, size_t index, ll_baseline_entry *out);
LL_API LL_MUST_CHECK ll_status ll_baseline_write(ll_baseline *baseline, ll_write_fn write, void *ctx);

/* ------------------------------------------------------------------ sweeps */

/* Reads up to `capacity` bytes of an input into `buffer`; *size 0: the end. False: reading failed. */
typedef bool (*ll_read_fn)(void *ctx, char *buffer, size_t capacity, size_t *size);

/* A sweep, in the format "sweep" (docs/schema/sweep.schema.json), read in pieces. */
typedef struct ll_sweep_input {
    const char *name; /* as messages show it */
    ll_read_fn read;
    void *ctx;
} ll_sweep_input;

/* Where the result is written. */
typedef struct ll_sweep_output {
    const char *format; /* not used by ll_sweep_merge(), which writes a sweep */
    ll_write_fn write;
    void *ctx; /* for write */
} ll_sweep_output;

typedef struct ll_sweep_changes {
    uint64_t came, went, changed;        /* findings in files that are in both sweeps */
    uint64_t files;                      /* files in both sweeps */
    uint64_t old_files, new_files;       /* files in only one of them */
    uint64_t old_findings, new_findings; /* findings in these */
} ll_sweep_changes;

/* Writes what changed between two sweeps as "text", "markdown" or "html", with a few examples for each rule, or as
 * "json" with all. Memory grows with the findings of one file and the number of rules. Refuses inputs like
 * ll_sweep_merge(). `changes` may be NULL. */
LL_API LL_MUST_CHECK ll_status ll_sweep_diff(const ll_allocator *allocator, const ll_sweep_input *before,
                                             const ll_sweep_input *after, const ll_sweep_output *out,
                                             ll_sweep_changes *changes, ll_problem *problem);

/* Writes the numbers of findings in a sweep by severity, rule, folder and file as "text", "markdown", "html" or
 * "json" (docs/schema/report.schema.json), with 100 rows each. To bound memory, at most 65,536 folders and files with
 * findings are counted separately. Refuses inputs like ll_sweep_merge(). */
LL_API LL_MUST_CHECK ll_status ll_sweep_print(const ll_allocator *allocator, const ll_sweep_input *input,
                                              const ll_sweep_output *out, ll_problem *problem);

/* ------------------------------------------------------------------ census */

/* Counts the values of fields in a corpus, and which claims of the rules are true. The result does not depend on the
 * order of files or on how they are spread over several censuses, and memory does not grow with their number. For one
 * thread at a time. */
typedef struct ll_census ll_census;

typedef struct ll_census_options {
    size_t size;            /* sizeof(ll_census_options) */
    uint32_t distinct;      /* values kept of one field; 0: 65536 */
    uint32_t shard, shards; /* the files are part `shard` of `shards`, which "jsonl" states; 0: they are all */
} ll_census_options;

/* Creates an empty census. `rules` must be sealed and outlive it; the selected rules that are not ignored are the
 * claims, whatever their severity. options may be NULL. */
LL_API LL_MUST_CHECK ll_status ll_census_create(const ll_allocator *allocator, const ll_ruleset *rules,
                                                const ll_census_options *options, ll_census **out);
LL_API void ll_census_free(ll_census *census);
/* Counts a file. The report may be from any rule set; it is not changed, and its bytes must still exist. After a
 * failure the census cannot be used. */
LL_API LL_MUST_CHECK ll_status ll_census_add(ll_census *census, ll_report *report);
/* Adds the counts of another census with the same rules and options. */
LL_API LL_MUST_CHECK ll_status ll_census_merge(ll_census *into, const ll_census *from);
/* Adds what format "jsonl" wrote in this version with the same rules: all parts of a corpus. LL_E_INPUT: an input is
 * not a complete census, or a part is missing or duplicate; *problem says which and why. */
LL_API LL_MUST_CHECK ll_status ll_census_read(ll_census *census, const ll_sweep_input *inputs, size_t count,
                                              ll_problem *problem);
/* Writes all counts as "text", "json" (docs/schema/census.schema.json), "markdown", "html", or "jsonl" for
 * ll_census_read() (docs/schema/census-part.schema.json). */
LL_API LL_MUST_CHECK ll_status ll_census_print(ll_census *census, const char *format, ll_write_fn write, void *ctx);

/* ------------------------------------------------------------------ workspaces */

/* Files that are checked against each other. A workspace collects from reports what each file defines and refers to,
 * and then runs the rules across files (family "mod"): add reports with ll_workspace_add(), call ll_workspace_join(),
 * and get reports for the files with findings. The result does not depend on the order of files or on how they are
 * spread over several workspaces. Memory grows with the references and names of files, not with their bytes.
 *
 * A workspace belongs to one thread at a time; several threads use one each, which are merged at the end. Arguments are
 * not kept, except `rules`. Returned strings live as long as the workspace; those of a report as ll_report says. If a
 * function that fills a workspace fails, the workspace cannot be used: LL_E_MEMORY stays. */
typedef struct ll_workspace ll_workspace;

/* Creates an empty workspace. `rules` must be sealed and outlive it; its rules of family "mod" that are on are those
 * counted in ll_workspace_summary.rules_not_run. */
LL_API LL_MUST_CHECK ll_status ll_workspace_create(const ll_allocator *allocator, const ll_ruleset *rules,
                                                   ll_workspace **out);
LL_API void ll_workspace_free(ll_workspace *workspace);

/* Adds a file or a member that was linted; for an archive, also the paths of all its members. The report may be from
 * any rule set; it is not changed, and its bytes must still exist. Adding a name again means the same file.
 * LL_E_ARGUMENT: after ll_workspace_join(). */
LL_API LL_MUST_CHECK ll_status ll_workspace_add(ll_workspace *workspace, ll_report *report);
/* Adds a file that exists but was not linted, because it has no known format or was filtered out. */
LL_API LL_MUST_CHECK ll_status ll_workspace_add_name(ll_workspace *workspace, const char *path);
/* States that all files below a folder were added or will be: any other file is missing. */
LL_API LL_MUST_CHECK ll_status ll_workspace_add_folder(ll_workspace *workspace, const char *path);
/* Adds the manifest of an archive, X.fpk.xml or X.fpkd.xml. LL_E_INPUT: it is refused, *problem says why (problem may
 * be NULL), and it counts as a file that was not linted, as in a build without expat. */
LL_API LL_MUST_CHECK ll_status ll_workspace_add_manifest(ll_workspace *workspace, const char *path, const void *bytes,
                                                         size_t size, ll_problem *problem);
/* Like ll_workspace_add_manifest() for options->name, and makes the report of the manifest: if it is refused, a finding
 * says where and why. If the build cannot read manifests, there is no finding. */
LL_API LL_MUST_CHECK ll_status ll_lint_manifest(const ll_ruleset *rules, ll_workspace *workspace, const void *bytes,
                                                size_t size, const ll_lint_options *options, ll_report *report);

/* Adds the contents of another workspace, which must not be joined. */
LL_API LL_MUST_CHECK ll_status ll_workspace_merge(ll_workspace *into, const ll_workspace *from);
/* Writes the contents as JSON Lines, for parts of a corpus that are linted on several machines. The `type` of each line
 * begins with "workspace-". Call it before ll_workspace_join(). */
LL_API LL_MUST_CHECK ll_status ll_workspace_write(const ll_workspace *workspace, ll_write_fn write, void *ctx);
/* Adds the contents of such lines: one or more whole lines, in their order. LL_E_INPUT: a line is refused, *problem
 * says which and why. */
LL_API LL_MUST_CHECK ll_status ll_workspace_read(ll_workspace *workspace, const char *lines, size_t size,
                                                 ll_problem *problem);

/* Runs the rules across files. Call it once; nothing may be added afterwards. */
LL_API LL_MUST_CHECK ll_status ll_workspace_join(ll_workspace *workspace);

/* A file with findings across files. */
typedef struct ll_workspace_file {
    const char *name;     /* name in its report; "ARCHIVE!PATH" for a member */
    const char *identity; /* identity for fingerprints */
    const char *archive;  /* name of the archive that contains the file; NULL: none */
    uint64_t offset;      /* of its first byte in the archive */
    uint64_t size;        /* bytes of the file or member */
    size_t findings;      /* of all rules, on or off */
} ll_workspace_file;

/* The files with findings, sorted by name. After ll_workspace_join(). */
LL_API size_t ll_workspace_file_count(const ll_workspace *workspace);
LL_API bool ll_workspace_file_at(const ll_workspace *workspace, size_t index, ll_workspace_file *out);
/* Makes the report of the findings across files of one file. `rules`: sealed, for this file; may differ from those of
 * the workspace. If options->name and identity are NULL, those of the file are used. options->name and workspace are
 * borrowed until the report is reused or freed. Any number of threads may make reports of one workspace at once.
 * LL_E_ARGUMENT: no such file. */
LL_API LL_MUST_CHECK ll_status ll_workspace_report(const ll_workspace *workspace, const ll_ruleset *rules, size_t index,
                                                   const ll_lint_options *options, ll_report *report);
/* Gives such a report the bytes of the file, or of its archive, as they were when it was linted; without them, findings
 * lack values shown from bytes. Borrowed until the report is reused or freed. LL_E_ARGUMENT: too few bytes, or the
 * report is another. */
LL_API ll_status ll_report_show(ll_report *report, const void *bytes, size_t size);

typedef struct ll_workspace_summary {
    uint64_t files;         /* files that belong to packages */
    uint64_t packages;      /* archives, folders and manifests with the same name and directory are one package */
    uint64_t checked;       /* packages for which all rules were run */
    uint64_t not_run;       /* the other packages; each has a notice */
    uint64_t rules_not_run; /* skipped rules, summed over packages */
    uint64_t unread;        /* manifests that were not read, as the build cannot read any */
} ll_workspace_summary;
/* After ll_workspace_join(). */
LL_API void ll_workspace_summarize(const ll_workspace *workspace, ll_workspace_summary *out);

/* Why rules were skipped for a package. */
typedef struct ll_workspace_notice {
    const char *package; /* directory and name: "mods/pack/X" */
    const char *missing; /* "main part", "data part", "main and data part": missing, or not known completely */
    const char *why;     /* what is unknown, why, and what to do; escaped */
    size_t rules;        /* number of rules skipped because of it */
} ll_workspace_notice;
/* The notices, at most one per package, sorted by package; false: no more. After ll_workspace_join(). */
LL_API bool ll_workspace_notice_at(const ll_workspace *workspace, size_t index, ll_workspace_notice *out);

/* Writes the packages: their parts, arrays, DataSets and light-probe harmonics, references between them, and what is
 * missing. "text", "json" (docs/schema/packages.schema.json), or "dot" for Graphviz. After ll_workspace_join(). */
LL_API LL_MUST_CHECK ll_status ll_workspace_print(const ll_workspace *workspace, const char *format, ll_write_fn write,
                                                  void *ctx);

/* Passes the workspace to an emitter, after all files. If it is joined, the verdict says how many packages were
 * checked. If not, a sweep of a shard outputs the workspace's contents. */
LL_API LL_MUST_CHECK ll_status ll_emitter_join(ll_emitter *emitter, const ll_workspace *workspace);

/* Callbacks for running rules across files when sweeps are merged. */
typedef struct ll_sweep_join {
    size_t size; /* sizeof(ll_sweep_join) */
    /* Called once, if a part contains workspace data. Returns an empty workspace with the rules of the parts, which
     * must live until ll_sweep_merge() returns; NULL ends the call with LL_E_ARGUMENT. */
    ll_workspace *(*open)(void *ctx);
    /* Returns the rules for a file with findings across files; NULL ends the call with LL_E_ARGUMENT. If the member
     * itself is NULL, the rules of the workspace are used. */
    const ll_ruleset *(*rules_of)(void *ctx, const ll_workspace_file *file);
    void *ctx;
} ll_sweep_join;

/* Merges the sweeps of all parts of a corpus to exactly the bytes that one sweep of all of it would write. Memory does
 * not grow with the inputs, except for workspace data passed to `join`; with `join` NULL, findings across files are
 * left out. LL_E_INPUT: an input is incomplete, does not belong to the others or could not be read; *problem says which
 * and why. */
LL_API LL_MUST_CHECK ll_status ll_sweep_merge(const ll_allocator *allocator, const ll_sweep_input *inputs, size_t count,
                                              const ll_sweep_join *join, const ll_sweep_output *out,
                                              ll_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
