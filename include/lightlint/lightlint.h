/*
 * lightlint: a static analyser for binary game-light files.
 *
 * The library takes bytes and gives a report. It never opens a file, prints, exits, reads the
 * environment or a clock, and it has no mutable global state.
 *
 * Threads: a sealed ll_ruleset is immutable and may be shared by any number of threads. An ll_report
 * and an ll_emitter each belong to one thread at a time; ll_emitter_render() is the exception and says so.
 *
 * Ownership: every object is made by a *_create function and released by its *_free function. Strings
 * and arrays reached through an object live as long as that object says, and are never freed by the caller.
 *
 * Offsets and lengths are in bytes; offset 0 is the first byte of the file; ranges are half open.
 */
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

/* Outcome of a call. It says nothing about the linted file: a file full of faults is LL_OK. */
typedef enum ll_status {
    LL_OK = 0,
    LL_E_MEMORY = 1,   /* the allocator returned NULL */
    LL_E_ARGUMENT = 3, /* the arguments do not fit the call */
    LL_E_PACK = 4,     /* a rule pack or selector was refused; see ll_problem */
    LL_E_WRITE = 5,    /* the caller's write function said no */
    LL_E_INTERNAL = 6, /* a defect of this library; please report it */
    LL_E_INPUT = 7     /* a baseline or a sweep was refused; see ll_problem */
} ll_status;

/* One English phrase for a status, without a full stop. Static storage. */
LL_API const char *ll_status_text(ll_status status);

typedef enum ll_severity { LL_SEVERITY_OFF = 0, LL_NOTE = 1, LL_WARNING = 2, LL_ERROR = 3 } ll_severity;

/* "off", "note", "warning", "error". Static storage. */
LL_API const char *ll_severity_text(ll_severity severity);

/* Memory source. alloc returns storage aligned for any object, or NULL; release takes what alloc gave.
 * A NULL allocator pointer means malloc and free. The struct is copied; ctx must outlive all objects made with it. */
typedef struct ll_allocator {
    void *(*alloc)(void *ctx, size_t size);
    void (*release)(void *ctx, void *block);
    void *ctx;
} ll_allocator;

/* What was wrong with a pack, selector or option: where, and in words, with the nearest known name if there is one. */
typedef struct ll_problem {
    unsigned line;   /* 1-based, 0 when there is no line */
    unsigned column; /* 1-based, 0 when there is no column */
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
    ll_severity severity; /* in force */
    ll_severity default_severity;
    bool locked;        /* severity cannot be lowered */
    bool may_be_marked; /* by suppressions and baselines: it is about the file, and the file was looked at */
    const char *const *tags;
    size_t tag_count;
    const char *title;    /* one sentence */
    const char *why;      /* what a reader of the file does with a wrong value */
    const char *evidence; /* what the rule rests on */
    const char *fix;      /* what to do */
    const char *target;   /* what it looks at, e.g. "grx.probe.priority", or "file" */
    const char *check;    /* how, e.g. "range '>= 0'", "fault entry-size-min" */
    ll_patch_tier patch;  /* which patches its findings may carry at most */
} ll_rule_info;

/* A new rule set holding the shipped rules at their default severities. */
LL_API LL_MUST_CHECK ll_status ll_ruleset_create(const ll_allocator *allocator, ll_ruleset **out);
LL_API void ll_ruleset_free(ll_ruleset *rules);

/* Adds a pack of rules in YAML (UTF-8, not NUL-terminated). `name` stands in messages. The bytes may be released
 * afterwards. On LL_E_PACK nothing was added and *problem says where and why. Not after sealing. */
LL_API LL_MUST_CHECK ll_status ll_ruleset_add_pack(ll_ruleset *rules, const char *name, const void *yaml, size_t size,
                                                   ll_problem *problem);

/* Selectors: id, id prefix (ends in a letter or digit: "GRX", "GRX0"), name, "family/name", glob over ids and names,
 * "tag:NAME", "all". LL_E_PACK when nothing matches. Not after sealing.
 * The first ll_ruleset_select() switches everything else off, later ones add; ignoring always wins over selecting. */
LL_API LL_MUST_CHECK ll_status ll_ruleset_select(ll_ruleset *rules, const char *selector, ll_problem *problem);
LL_API LL_MUST_CHECK ll_status ll_ruleset_ignore(ll_ruleset *rules, const char *selector, ll_problem *problem);
LL_API LL_MUST_CHECK ll_status ll_ruleset_set_severity(ll_ruleset *rules, const char *selector, ll_severity severity,
                                                       ll_problem *problem);

/* Which rules a selector names, without changing them: sets chosen[index] of each, of ll_ruleset_count(). LL_E_PACK
 * when nothing matches. Before sealing and after it. */
LL_API LL_MUST_CHECK ll_status ll_ruleset_choose(const ll_ruleset *rules, const char *selector, bool *chosen,
                                                 ll_problem *problem);

/* Binds rules to layouts, compiles patterns. After it the rule set is immutable. Shipped rules, which cannot be
 * refused, are bound when the first file of their format comes, by whichever thread has it; with an allocator of its
 * own, a rule set binds all of them here. */
LL_API LL_MUST_CHECK ll_status ll_ruleset_seal(ll_ruleset *rules, ll_problem *problem);

/* The catalogue, sorted by id. Valid before and after sealing. */
LL_API size_t ll_ruleset_count(const ll_ruleset *rules);
LL_API bool ll_ruleset_rule(const ll_ruleset *rules, size_t index, ll_rule_info *out);
/* Finds one rule by id, name or "family/name"; false, and the nearest name in *problem, if there is none. */
LL_API bool ll_ruleset_find(const ll_ruleset *rules, const char *what, size_t *index, ll_problem *problem);

/* Known file name extensions, each with its dot, NULL-terminated. Static storage. */
LL_API const char *const *ll_extensions(void);

/* Does whoever walks a folder hand a file of none of these extensions to ll_lint() all the same? So it is with archives
 * of the game that may hold light files and cannot be opened: they count as not checked (LL020). The name tells, and of
 * a .dat the first `size` bytes as well, at least four if the file has as many; `first` NULL: by the name alone. */
LL_API bool ll_is_unread_archive(const char *name, const void *first, size_t size);

/* Name of the index-th family of formats ("grx"), NULL behind the last. Static storage. */
LL_API const char *ll_family(size_t index);

/* Name of the index-th variant of all formats ("mp1"), NULL behind the last. *meaning, if not NULL: in words. Static
 * storage. */
LL_API const char *ll_variant(size_t index, const char **meaning);

/* ------------------------------------------------------------------ linting */

typedef struct ll_report ll_report;

/* Of a file; what is beyond is counted, and the severest stay, so that no input exhausts the memory. */
enum { LL_FINDINGS_MAX = 50000 };

/* Where the time of lints goes; they add to it. It belongs to one thread at a time. */
typedef struct ll_timing {
    uint64_t (*now)(void); /* nanoseconds since some point; never goes back */
    uint64_t parse, rules; /* rules: findings put into words, sorted and judged against each other included */
    uint64_t *by_rule;     /* by index of the rule: what is asked one by one. Most rules are asked of a record all at
                              once, and singly only where that finds something. */
    size_t rule_count;     /* of by_rule: ll_ruleset_count() */
} ll_timing;

typedef struct ll_lint_options {
    size_t size;          /* sizeof(ll_lint_options) */
    const char *name;     /* file name or path as reports show it, UTF-8 or raw bytes; NULL: "<bytes>" */
    const char *identity; /* name that fingerprints are made from, so that they do not depend on where the run was
                             started; NULL: name */
    const char *variant; /* one that ll_variant() names: what the file is where its content does not tell; NULL: told by
                            content. Formats that have no such variant pass over it. */
    bool has_fail_level; /* the file has a fail level of its own: */
    ll_severity fail_level; /* formats that say which findings fail go by it, and not by that of ll_emit_options */
    uint32_t max_per_rule;  /* findings kept per rule, 0: no limit */
    uint32_t max_per_file;  /* findings kept in all, LL_FINDINGS_MAX at most; 0: that many */
    bool allow_unsupported; /* that part of the file cannot be checked is fine */
    const char *baseline_identity; /* name under which baselines know the file; NULL: identity */
    ll_timing *timing;             /* NULL: no clock is read */
} ll_lint_options;

/* An empty report that may be used for any number of files, one after the other. */
LL_API LL_MUST_CHECK ll_status ll_report_create(const ll_allocator *allocator, ll_report **out);
LL_API void ll_report_free(ll_report *report);

/* Lints `size` bytes. The bytes and options->name are borrowed until the report is reused or freed; `rules` must be
 * sealed and outlive that too. What the report held before is gone. */
LL_API LL_MUST_CHECK ll_status ll_lint(const ll_ruleset *rules, const void *bytes, size_t size,
                                       const ll_lint_options *options, ll_report *report);

/* Makes the report of a file that could not be read: one finding LL001 with `reason` as what was found. */
LL_API LL_MUST_CHECK ll_status ll_lint_unreadable(const ll_ruleset *rules, const char *reason,
                                                  const ll_lint_options *options, ll_report *report);

/* Makes the report of a file at which the caller saw the program fail: one finding LL015. */
LL_API LL_MUST_CHECK ll_status ll_lint_crashed(const ll_ruleset *rules, const ll_lint_options *options,
                                               ll_report *report);

/* A finding that somebody knows of already is marked; a marked one is not counted among errors, warnings and notes. */
typedef enum ll_mark_kind { LL_MARK_NONE = 0, LL_MARK_SUPPRESSED = 1, LL_MARK_BASELINED = 2 } ll_mark_kind;

typedef struct ll_mark {
    ll_mark_kind kind;
    const char *reason; /* why it is suppressed, in its author's words; "" for a baselined one */
    const char *file;   /* the file that says so, as reports show it */
    unsigned line;      /* there, 1-based */
} ll_mark;

/* Marks the finding at `index`, which keeps its place. The texts are borrowed until the report is reused or freed.
 * LL_E_ARGUMENT: no such finding, or marked already. */
LL_API LL_MUST_CHECK ll_status ll_report_mark(ll_report *report, size_t index, const ll_mark *mark);

/* A finding in a file that is no light file but refers to some: a configuration, suppressions, a baseline. */
typedef struct ll_remark {
    const char *rule; /* "unused-suppression", "expired-suppression" or "stale-baseline", or the id of one of them */
    uint64_t offset, length;
    const char *path;             /* "suppress[2].rule"; "" when there is none */
    const char *found, *expected; /* "": what the rule says */
} ll_remark;

/* Makes the report of such a file: remarks whose rules are off are left out, several of one rule about the same bytes
 * are one. The bytes are borrowed until the report is reused or freed, the remarks for the call. LL_E_ARGUMENT: another
 * rule, or bytes that the file has not. */
LL_API LL_MUST_CHECK ll_status ll_lint_remarks(const ll_ruleset *rules, const void *bytes, size_t size,
                                               const ll_lint_options *options, const ll_remark *remarks, size_t count,
                                               ll_report *report);

typedef struct ll_summary {
    uint64_t errors, warnings, notes; /* found, whether kept or not; without those that are marked */
    uint64_t suppressed, baselined;   /* marked */
    uint64_t dropped;                 /* of these, not kept because of a limit */
    bool unchecked;                   /* the file, or part of it, was not read or not checked */
    bool unsupported;                 /* part of it this version of the program cannot check */
    bool failed;     /* what was asked could not be done: the file is unreadable, of no known format, too large, or of
                        another game than the options say; or it is unsupported, and the options do not allow that */
    bool incomplete; /* as `unchecked`, but not where that is so only because of what is unsupported and the options
                        allow that; the exit code is 2 */
    bool truncated;  /* a limit was reached */
} ll_summary;

LL_API const char *ll_report_name(const ll_report *report);
LL_API const char *ll_report_format(const ll_report *report); /* "grx"; "text" after ll_lint_remarks(); or "unknown" */
LL_API uint64_t ll_report_size(const ll_report *report);
LL_API void ll_report_summary(const ll_report *report, ll_summary *out);

/* Where bytes lie in what the file holds: in a member of an archive, in what was decompressed, or in what was
 * decompressed in a member. Both NULL: they are in the file, and nothing else is said. */
typedef struct ll_inner {
    const char *member;      /* path in the archive, as ll_member_info has it */
    const char *region;      /* path of what was decompressed: "section[8]" */
    uint64_t offset, length; /* from the first byte of the region, else of the member */
} ll_inner;

typedef struct ll_place {
    uint64_t offset, length; /* of the file that the user has, which may be an archive */
    ll_inner inner;   /* if it has a region, offset and length are of the bytes of the file that hold the region */
    const char *path; /* field path, "" when there is none */
    const char *text; /* what is there, "" when there is nothing to say */
    const char *file; /* the name of the file that has it, where that is another one; NULL: it is that of the finding */
} ll_place;

/* A piece of what a patch writes: bytes of its own, or bytes that the file has before the patch. */
typedef struct ll_patch_part {
    const uint8_t *bytes; /* NULL: those of the file */
    uint64_t from;        /* offset of these in the file that the user has; 0 where there are bytes */
    uint64_t length;
} ll_patch_part;

/* Of the file that the user has: replace `removed` bytes at `offset` by `size` bytes. Where these are not as many,
 * sizes, offsets and counts that depend on them are among the bytes, so that a patch is always whole.
 * The parts, one behind the other, are the same bytes: what was moved is told by where it was. They are what outputs
 * print; a patch that would take more than 32 KiB there has none, nor has one in what ll_fix_run() did. */
typedef struct ll_patch {
    ll_patch_tier tier;
    uint64_t offset, removed;
    const uint8_t *bytes;
    size_t size;
    const ll_patch_part *parts;
    size_t part_count;
} ll_patch;

/* One finding. Strings live until the report is reused or freed. Findings are sorted by offset, then rule id; those
 * inside one region by the offset in it. What explains others comes first. */
typedef struct ll_finding {
    size_t rule; /* index into the rule set */
    ll_severity severity;
    const char *id, *name, *title;
    uint64_t offset, length; /* inside the file that the user has; length 0 at the end means "missing here" */
    ll_inner inner;     /* if it has a region, offset and length are of the bytes of the file that hold the region */
    const char *path;   /* "entry[3].light_area_offset" */
    const char *record; /* record of the field: "grx.point_light", "" when none */
    const char *type;   /* "u32 LE", "" when no field */
    const char *value;  /* decoded value of the bytes, "" when no field */
    const char *found, *expected;
    const char *message;  /* one sentence that says it all */
    const char *hint;     /* the likely cause, "" when unknown */
    const char *why;      /* what a reader of the file does with a wrong value there */
    const char *fix;      /* what to do */
    char fingerprint[17]; /* 16 hex digits: rule, name and path of fields, never the offset */
    const ll_place *related;
    size_t related_count;
    ll_patch patch;
    bool unread;     /* it says why part of the file was not read; where there are several, the first of them */
    bool explained;  /* it follows from the first finding, and outputs leave it out unless all are asked for */
    size_t explains; /* how many findings follow from this one */
    ll_mark mark;    /* kind LL_MARK_NONE: the finding counts */
} ll_finding;

LL_API size_t ll_report_finding_count(const ll_report *report);
/* The first one of a report takes longer, as patches are tried then: the bytes are linted with each of them. The same
 * holds for the first output that shows patches. */
LL_API LL_MUST_CHECK ll_status ll_report_finding(ll_report *report, size_t index, ll_finding *out);

/* A leaf: a field, string, padding, gap or unparsed stretch. The leaves of the file tile it in order; those of every
 * region follow and tile it. */
typedef struct ll_span_info {
    uint64_t offset, length; /* in the file, or in the region */
    const char *region;      /* path of what was decompressed, NULL: the file */
    const char *record;      /* name of its layout, as ll_print_fields() has it; NULL: a gap or unparsed */
    const char *path;
    const char *type;     /* the role if there is one ("magic", "size", ... "gap", "unparsed"), else the data type */
    const char *value;    /* decoded value, NULL where there is none */
    const char *leads_to; /* of a field that points to something: the path of what it points to, or, where no record
                             begins there, words with the path of what holds it; else NULL */
} ll_span_info;

/* Strings of the span live until the visitor returns, which may ask for findings. A visitor that returns false ends the
 * walk (LL_OK). */
typedef bool (*ll_span_fn)(void *ctx, const ll_span_info *span);
LL_API LL_MUST_CHECK ll_status ll_report_spans(ll_report *report, ll_span_fn visit, void *ctx);

/* What the file holds in another form, and was decompressed. */
typedef struct ll_region_info {
    const char *name;        /* its path, as findings and spans have it: "section[8]" */
    uint64_t offset, length; /* the bytes of the file that hold it */
    const uint8_t *bytes;    /* decompressed, `size` of them; they live until the report is reused or freed */
    uint64_t size;
} ll_region_info;

/* How many there are in a linted file, and one of them. */
LL_API size_t ll_report_region_count(const ll_report *report);
LL_API LL_MUST_CHECK ll_status ll_report_region(const ll_report *report, size_t index, ll_region_info *out);

/* ------------------------------------------------------------------ members */

/* A file that an archive holds as it is, of a known format that is no archive itself. */
typedef struct ll_member_info {
    const char *path;        /* in the archive, as reports show it: any bytes but NUL, which is \x00; of a long one the
                                end, behind "..." */
    uint64_t offset, length; /* its bytes in the archive */
} ll_member_info;

/* How many such members a linted file holds; in the order of their paths. Bytes belong to one of them at most. */
LL_API size_t ll_report_member_count(const ll_report *report);
/* The path lives until something else is asked of the report. */
LL_API LL_MUST_CHECK ll_status ll_report_member(ll_report *report, size_t index, ll_member_info *out);

/* Lints a member where it lies, as a file of the name "ARCHIVE!PATH". That is made of the names of the archive, as are
 * both identities, where the options do not say another. Offsets in findings are those in the archive; their `inner`
 * says where in the member. The report of the archive is another one, and outlives this one, as do the bytes. */
LL_API LL_MUST_CHECK ll_status ll_lint_member(const ll_ruleset *rules, const ll_report *archive, size_t index,
                                              const ll_lint_options *options, ll_report *report);

/* ------------------------------------------------------------------ output */

/* Takes bytes; returns false to stop (LL_E_WRITE). */
typedef bool (*ll_write_fn)(void *ctx, const char *bytes, size_t size);

/* What texts for people have to fit: a terminal, or nothing where there are no columns. */
typedef struct ll_terminal {
    unsigned columns; /* 0: lines are as long as what they say */
    unsigned lines;
    /* Columns that a character takes, a code point above U+007F. NULL: each takes one. */
    unsigned (*columns_of)(uint32_t character);
} ll_terminal;

/* The revision of a repository that the files are of; NULL: not known. */
typedef struct ll_provenance {
    const char *uri; /* of the repository; never NULL */
    const char *revision, *branch, *tag;
    bool at_root; /* the names of files are seen from the root of the repository */
} ll_provenance;

typedef struct ll_emit_options {
    size_t size;                         /* sizeof(ll_emit_options) */
    const char *format;                  /* one of ll_emit_formats() */
    bool color;                          /* ANSI colours (full, concise) */
    bool all;                            /* no folding */
    uint32_t max_per_rule, max_per_file; /* findings, or groups of them, that are shown of a file; 0: no limit. The
                                            severest are, and the others counted. */
    ll_terminal terminal; /* full: what somebody looks at is wrapped, folded over files, and says nothing twice */
    int verbosity;        /* -2 nothing but findings that fail, -1 no verdict when clean, 0, 1 a line per clean file */
    ll_severity fail_level;          /* for the exit status that SARIF states; LL_SEVERITY_OFF: never */
    bool baseline;                   /* the run has a baseline: SARIF says of every finding whether it is new */
    const ll_provenance *provenance; /* SARIF states it; lives as long as the emitter; NULL: not known */
    const char *docs_url;   /* page with a section for each rule, as `rules --format markdown` has them; ASCII, as JSON
                               may hold it; lives as long as the emitter; NULL: what the build says, if anything */
    bool links;             /* full, concise: ids are links (OSC 8), where there is an address */
    uint32_t shard, shards; /* the files are part `shard` of so many, which a sweep says; 0: they are all */
} ll_emit_options;

typedef struct ll_emitter ll_emitter; /* one output of one run */
typedef struct ll_chunk ll_chunk;     /* rendered findings of some files, not yet written */

/* NULL-terminated list of format names. Static storage. */
LL_API const char *const *ll_emit_formats(void);
/* Is a format read by people, who want limits, and not by programs, which want everything? */
LL_API bool ll_emit_is_for_people(const char *format);

LL_API LL_MUST_CHECK ll_status ll_emitter_create(const ll_allocator *allocator, const ll_ruleset *rules,
                                                 const ll_emit_options *options, ll_write_fn write, void *ctx,
                                                 ll_emitter **out);
LL_API LL_MUST_CHECK ll_status ll_chunk_create(const ll_allocator *allocator, ll_chunk **out);
/* While a report is rendered into a chunk that is full already, `full` is called between findings and may commit the
 * chunk, so that many findings need not stand in memory at once. After a failure the output then ends in the middle of
 * the report. NULL: chunks grow. */
LL_API void ll_chunk_when_full(ll_chunk *chunk, void (*full)(void *ctx), void *ctx);
LL_API void ll_chunk_free(ll_chunk *chunk);
/* A configuration that nobody named, but that was found in or above what was checked, and what it keeps out of reports.
 */
typedef struct ll_found_config {
    const char *file;       /* as reports show it */
    uint64_t rules_off;     /* rules that it switches off */
    uint64_t rules_lowered; /* rules whose findings it makes less severe */
    uint64_t left_out;      /* files and directories that its patterns leave out */
    const char *fail_on;    /* the fail level, if it fails on less than without it; else NULL */
    bool no_cross;          /* files are not checked against each other */
    bool allows_unsupported;
} ll_found_config;

/* Before ll_emitter_finish(): what the verdict says of configurations. They are borrowed until the emitter is freed. */
LL_API void ll_emitter_found_configs(ll_emitter *emitter, const ll_found_config *configs, size_t count);
/* Appends what the emitter has to say about a report to the chunk. Reads the emitter only: any number of threads may
 * render for one emitter at once, each with its own report and chunk. The report may have been made with other rules
 * than the emitter, which live until ll_emitter_finish(); rules of one id are one rule, described by the first that
 * reported something. */
LL_API LL_MUST_CHECK ll_status ll_emitter_render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk);
/* Writes a chunk and empties it. Chunks are committed in the order in which files shall appear. */
LL_API LL_MUST_CHECK ll_status ll_emitter_commit(ll_emitter *emitter, ll_chunk *chunk);
/* Writes the verdict and the end of the output. exit_code is what the process will say. */
LL_API LL_MUST_CHECK ll_status ll_emitter_finish(ll_emitter *emitter, int exit_code);
/* Findings that were counted and are missing from what was committed: because of limits, LL_FINDINGS_MAX, or what the
 * reader of the format takes. */
LL_API uint64_t ll_emitter_missing(const ll_emitter *emitter);
LL_API void ll_emitter_free(ll_emitter *emitter);

/* Every span of a report: "text" (with hex beside it), "json", or "stable", text that stays the same where something
 * else in the file changes; "records": of "json" what ll_build() reads; "space": what has a place, as JSON of its own
 * (docs/web.md, ll.space()). `terminal`: what "text" fits; NULL: nothing. */
LL_API LL_MUST_CHECK ll_status ll_dump(ll_report *report, const char *format, const ll_terminal *terminal,
                                       ll_write_fn write, void *ctx);
/* One script of a report as text: statements beside their bytes, labels where jumps lead, findings where their bytes
 * begin. `name`: of the actor whose script it is, or its number. LL_E_ARGUMENT, with the nearest name in *problem, when
 * there is none; problem may be NULL. */
LL_API LL_MUST_CHECK ll_status ll_list(ll_report *report, const char *name, const ll_terminal *terminal,
                                       ll_write_fn write, void *ctx, ll_problem *problem);
/* The rule catalogue: "text", "json" or "markdown". chosen: only what selectors chose. */
LL_API LL_MUST_CHECK ll_status ll_print_rules(const ll_ruleset *rules, bool chosen, const char *format,
                                              ll_write_fn write, void *ctx);
/* One rule, in the same formats; color is for "text". */
LL_API LL_MUST_CHECK ll_status ll_explain(const ll_ruleset *rules, size_t index, const char *format, bool color,
                                          ll_write_fn write, void *ctx);
/* The records of a family, or of all if it is NULL, with their fields: what rules may name, where it stands, and how
 * certain its meaning is. "text" or "json" (docs/schema/fields.schema.json). Of one family also "ksy", a Kaitai Struct
 * specification, and "hexpat", an ImHex pattern. */
LL_API LL_MUST_CHECK ll_status ll_print_fields(const ll_allocator *allocator, const char *family, const char *format,
                                               ll_write_fn write, void *ctx);
/* What this is: version, commit, rules with the hash that heads a sweep, libraries. "text" or "json". */
LL_API LL_MUST_CHECK ll_status ll_print_version(const ll_ruleset *rules, const char *format, ll_write_fn write,
                                                void *ctx);

/* ------------------------------------------------------------------ fixing */

/* Patches at work on the bytes of a file. It belongs to one thread at a time. */
typedef struct ll_fix ll_fix;

/* What became of a patch. */
typedef enum ll_fix_outcome {
    LL_FIX_APPLIED = 0,
    LL_FIX_SPOILS = 1,   /* left out: with it there is a finding that was not there */
    LL_FIX_IDLE = 2,     /* left out: with it its own finding is still there */
    LL_FIX_DECLINED = 3, /* left out: ll_fix_options.wants said no */
    LL_FIX_UNTRIED = 4   /* left out: the run took as much work as it may; another run on its result goes on */
} ll_fix_outcome;

/* One patch. Strings and bytes live until the next ll_fix_run(). */
typedef struct ll_fix_step {
    ll_fix_outcome outcome;
    ll_severity severity;
    const char *id, *name, *path; /* of its finding */
    ll_patch patch;               /* its offset counts in the bytes as they were when it was applied */
    const uint8_t *was;           /* the bytes that it replaces */
    /* LL_FIX_SPOILS: the severest finding that it brings; "" where limits keep that from being known */
    const char *spoiler_id, *spoiler_name, *spoiler_path;
    ll_severity spoiler_severity;
} ll_fix_step;

/* What one ll_fix_run() may cost, in lints of the file, or of 256 KiB if it is smaller. All that it tries is counted in
 * steps, and never in time: the same bytes end at the same patch everywhere. */
enum { LL_FIX_LINTS_MAX = 512 };

typedef struct ll_fix_options {
    size_t size;        /* sizeof(ll_fix_options) */
    ll_patch_tier tier; /* LL_PATCH_SAFE: safe patches; LL_PATCH_UNSAFE: these first, then the others */
    bool marked;        /* findings that are marked are worked at as well */
    bool notes;         /* notes are worked at as well: what they are about is sound as far as anybody knows */
    const ll_ruleset
        *judge; /* what these rules find counts as new, too; sealed; NULL: what the rules of the call find */
    /* Asked once of the finding of each patch that would be tried; NULL: yes. */
    bool (*wants)(void *ctx, const ll_finding *finding);
    /* Marks the findings of a report on bytes that were tried (ll_report_mark()); NULL: none is marked. */
    ll_status (*mark)(void *ctx, ll_report *report);
    void *ctx;
} ll_fix_options;

LL_API LL_MUST_CHECK ll_status ll_fix_create(const ll_allocator *allocator, ll_fix **out);
LL_API void ll_fix_free(ll_fix *fix);

/* Applies patches of findings and lints the result, until none is left that helps. A patch stays only if it takes its
 * finding away, and if there is no finding that was not there before it; patches that overlap are applied one after the
 * other, safe ones first, and what is left out is tried again once others are in. `bytes` and lint->name are borrowed
 * until the next call or until the object is freed; limits of `lint` do not count. */
LL_API LL_MUST_CHECK ll_status ll_fix_run(ll_fix *fix, const ll_ruleset *rules, const void *bytes, size_t size,
                                          const ll_lint_options *lint, const ll_fix_options *options);
/* The bytes after the last call, and how many patches made them: 0 for those that were given. */
LL_API size_t ll_fix_result(const ll_fix *fix, const void **bytes, size_t *size);
/* The patches that were applied, in that order, then those that were left out. */
LL_API size_t ll_fix_count(const ll_fix *fix);
LL_API bool ll_fix_at(const ll_fix *fix, size_t index, ll_fix_step *out);
/* Writes what was done: "text", "jsonl" (docs/schema/fix.schema.json), or "diff", of the text dumps before and after.
 * `written`: the result took the place of the file; else the texts say what would be. Nothing for a file without
 * patches. */
LL_API LL_MUST_CHECK ll_status ll_fix_print(ll_fix *fix, const char *format, bool written, ll_write_fn write,
                                            void *ctx);
/* NULL-terminated list of the formats that people and programs ask for. Static storage. */
LL_API const char *const *ll_fix_formats(void);

/* The file that the bytes of a run belong to, and where in it they are: it is a member of an archive, or the file. */
typedef struct ll_fix_place {
    const char *file;     /* opens it */
    const void *was, *is; /* all bytes of the file, before and after */
    size_t was_size, is_size;
    uint64_t offset; /* in `was` and in `is`: of the first byte of the run */
} ll_fix_place;

/* Writes the lines that undoing needs, as ll_journal_create() reads them. Nothing where no patch was applied. */
LL_API LL_MUST_CHECK ll_status ll_fix_note(ll_fix *fix, const ll_fix_place *place, ll_write_fn write, void *ctx);

/* What ll_fix_note(), or "jsonl" of files that are no members, wrote of any number of files: how to get back what they
 * were. */
typedef struct ll_journal ll_journal;

typedef struct ll_journal_entry {
    const char *file; /* byte by byte what opened it */
    unsigned line;    /* where the entry begins, 1-based */
    bool whole;       /* else its end is missing: the file was not replaced */
    uint64_t size_before, size_after;
} ll_journal_entry;

typedef enum ll_undo { LL_UNDO_DONE, LL_UNDO_NOTHING, LL_UNDO_OTHER } ll_undo;

/* LL_E_INPUT: a line is of a newer schema, or no line of a journal; *problem has its number. A last line that breaks
 * off is passed over. */
LL_API LL_MUST_CHECK ll_status ll_journal_create(const ll_allocator *allocator, const void *bytes, size_t size,
                                                 ll_journal **out, ll_problem *problem);
LL_API void ll_journal_free(ll_journal *journal);
LL_API bool ll_journal_at(const ll_journal *journal, size_t index, ll_journal_entry *out);
/* What the file was before that entry: LL_UNDO_DONE, the bytes, which live until the next call; LL_UNDO_NOTHING: it is
 * that already; LL_UNDO_OTHER: it is not what the entry left behind. */
LL_API LL_MUST_CHECK ll_status ll_journal_undo(ll_journal *journal, size_t index, const void *bytes, size_t size,
                                               ll_undo *outcome, const void **out, size_t *out_size);

/* ------------------------------------------------------------------ comparing */

typedef enum ll_difference_kind {
    LL_FIELD_CHANGED = 0,
    LL_RECORD_REMOVED = 1, /* with all that is in it */
    LL_RECORD_ADDED = 2,
    LL_RECORD_MOVED = 3, /* it stands in another order among those around it; what changed in it is told too */
    LL_BYTES_CHANGED = 4 /* bytes that no field explains */
} ll_difference_kind;

/* What of two documents differs. Strings live until the visitor returns. */
typedef struct ll_difference {
    ll_difference_kind kind;
    const char *path;         /* by names where records have some, as it is after; of what was removed, as it was */
    const char *type;         /* of the field, as in ll_span_info; of a record its kind, "EP00", else "" */
    const char *was, *is;     /* values; NULL: there is none, or no such field */
    bool is_before, is_after; /* there is something: */
    uint64_t offset_before, length_before; /* in the file, or in what was decompressed */
    uint64_t offset_after, length_after;
    const char *region; /* path of what was decompressed, NULL: the file */
} ll_difference;

/* A visitor that returns false ends the comparison (LL_OK). */
typedef bool (*ll_difference_fn)(void *ctx, const ll_difference *difference);

/* Compares two linted documents. Records are the same that have the same name, hash or id, then the same content, then
 * the same place. What follows from the rest, as sizes, offsets and padding, is not told where it follows on both
 * sides, unless nothing else differs; documents of other bytes have one difference at least. Members that
 * ll_report_member() names on both sides are left to be compared by themselves.
 * LL_E_ARGUMENT: one is too large to have been read. */
LL_API LL_MUST_CHECK ll_status ll_diff(ll_report *before, ll_report *after, ll_difference_fn visit, void *ctx);

/* What pairs of documents differ in, as "text", "markdown" or "json" (docs/schema/diff.schema.json). */
typedef struct ll_differences ll_differences;

typedef struct ll_diff_options {
    size_t size;        /* sizeof(ll_diff_options) */
    const char *format; /* one of ll_diff_formats() */
    bool color;         /* codes for a terminal, in "text" */
    bool heads;         /* "text" says above its differences which pair it is, also where that is no member */
    ll_write_fn write;
    void *ctx; /* of write */
} ll_diff_options;

LL_API LL_MUST_CHECK ll_status ll_differences_create(const ll_allocator *allocator, const ll_diff_options *options,
                                                     ll_differences **out);
LL_API void ll_differences_free(ll_differences *differences);
/* Writes what two documents differ in; one of them may be NULL: it is only on one side. Documents without a difference
 * leave no trace but in "json". */
LL_API LL_MUST_CHECK ll_status ll_differences_add(ll_differences *differences, ll_report *before, ll_report *after);
/* Writes the end. *count, if not NULL: differences of all pairs, a document that is on one side only being one. */
LL_API LL_MUST_CHECK ll_status ll_differences_finish(ll_differences *differences, uint64_t *count);
/* NULL-terminated. Static storage. */
LL_API const char *const *ll_diff_formats(void);
/* ------------------------------------------------------------------ building */

/* A file made from its records. */
typedef struct ll_built ll_built;

/* Makes a file from what ll_dump() writes as "json", which may have been edited: sizes, counts, offsets, hashes and
 * padding that the text leaves out are worked out from the records (docs/build.md). Nothing is linted. LL_E_INPUT:
 * refused, *problem says where and what was expected. The text may be released afterwards. */
LL_API LL_MUST_CHECK ll_status ll_build(const ll_allocator *allocator, const void *json, size_t size, ll_built **out,
                                        ll_problem *problem);
/* The bytes, which live as long as `built`. */
LL_API void ll_built_bytes(const ll_built *built, const void **bytes, size_t *size);
/* The family that it was built for, "lba": static storage. And what the text calls the file that it was made from,
 * which lives as long as `built`; "": nothing. Its extension tells files of some families from others. */
LL_API const char *ll_built_format(const ll_built *built);
LL_API const char *ll_built_name(const ll_built *built);
/* What somebody who builds a file should know of it, as that a part is no longer compressed; NULL behind the last.
 * Lives as long as `built`. */
LL_API const char *ll_built_note(const ll_built *built, size_t i);
LL_API void ll_built_free(ll_built *built);

/* ------------------------------------------------------------------ baselines */

/* Findings that were there before, by fingerprint: as JSON Lines (docs/schema/baseline.schema.json) in a file, and here
 * sorted by file, rule, path and fingerprint. */
typedef struct ll_baseline ll_baseline;

/* Strings live as long as the baseline. */
typedef struct ll_baseline_entry {
    char fingerprint[17];
    const char *rule; /* its id */
    const char *file; /* identity of the file; bytes that are not UTF-8 as \xNN */
    const char *path; /* field path when the entry was made, for people */
    uint64_t count;   /* findings that it stands for */
    uint64_t met;     /* of these, the most that ll_baseline_apply() met in one report */
    bool judged;      /* a report of its file went through ll_baseline_apply(), checked in full and with the rule on */
    uint64_t offset, length; /* of its line in what was read, without the line feed; 0 and 0 when it was not read */
    unsigned line;           /* 1-based */
    char content[17];        /* hash of the bytes that the file had; "": not known */
    bool moved;              /* ll_baseline_follow() found the file under another name */
} ll_baseline_entry;

LL_API LL_MUST_CHECK ll_status ll_baseline_create(const ll_allocator *allocator, ll_baseline **out);
LL_API void ll_baseline_free(ll_baseline *baseline);

/* Reads a baseline file into an empty baseline: lines in any order, the header (there must be one) wherever it stands.
 * Of lines with one file and fingerprint, which merging leaves behind, the highest count holds. LL_E_INPUT: a line was
 * refused, *problem says which and why, and nothing was added. The bytes may be released afterwards. */
LL_API LL_MUST_CHECK ll_status ll_baseline_read(ll_baseline *baseline, const void *bytes, size_t size,
                                                ll_problem *problem);

/* Marks the findings of a report that the baseline holds, as many of each as it counts, as LL_MARK_BASELINED; not those
 * of locked rules, and none that is marked already. `file` stands in the marks and lives as long as they do. Any number
 * of threads may apply one baseline at once, each with its own report; what an entry has met does not depend on their
 * order. Nothing may be added to the baseline before it. */
LL_API LL_MUST_CHECK ll_status ll_baseline_apply(ll_baseline *baseline, ll_report *report, const char *file);

/* *out: the baseline has no entry for the file of a report, but has some for one that had the same bytes. */
LL_API LL_MUST_CHECK ll_status ll_baseline_may_follow(ll_baseline *baseline, ll_report *report, bool *out);
/* Takes such a report for one of that file, if `gone` says that it is not there any more; then ll_baseline_apply()
 * marks what it had. Each file is found once, so that a copy is new: calls must come one after the other, in the same
 * order in every run. */
LL_API void ll_baseline_follow(ll_baseline *baseline, ll_report *report, bool (*gone)(void *ctx, const char *file),
                               void *ctx);
/* Adds the findings of a report for which that was done to another baseline, under the name that the file has now, as
 * far as `from` held them when it was applied and their entries were judged. */
LL_API LL_MUST_CHECK ll_status ll_baseline_take_moved(ll_baseline *to, const ll_baseline *from, ll_report *report);
/* Remembers the bytes of the file of a report, so that the file is known when it is moved. */
LL_API LL_MUST_CHECK ll_status ll_baseline_note(ll_baseline *baseline, const ll_report *report);

/* Adds what a report holds and is not marked, but for locked rules and remarks; *added, if not NULL, grows by their
 * number. With a NULL baseline they are counted only. */
LL_API LL_MUST_CHECK ll_status ll_baseline_take(ll_baseline *baseline, ll_report *report, uint64_t *added);
/* Adds findings to an entry, or a new entry; fingerprint, rule, file, path, count and content are read. LL_E_ARGUMENT:
 * no fingerprint. */
LL_API LL_MUST_CHECK ll_status ll_baseline_put(ll_baseline *baseline, const ll_baseline_entry *entry);

/* The entries, sorted. Sorts what was added; not while another thread uses the baseline. */
LL_API size_t ll_baseline_count(ll_baseline *baseline);
LL_API bool ll_baseline_at(ll_baseline *baseline, size_t index, ll_baseline_entry *out);
LL_API LL_MUST_CHECK ll_status ll_baseline_write(ll_baseline *baseline, ll_write_fn write, void *ctx);

/* ------------------------------------------------------------------ sweeps */

/* Puts up to `capacity` bytes of an input into `buffer`; *size 0: the end. False: it cannot be read. */
typedef bool (*ll_read_fn)(void *ctx, char *buffer, size_t capacity, size_t *size);

/* The output of format "sweep" (docs/schema/sweep.schema.json), read in pieces. */
typedef struct ll_sweep_input {
    const char *name; /* as messages show it */
    ll_read_fn read;
    void *ctx;
} ll_sweep_input;

typedef struct ll_sweep_changes {
    uint64_t came, went, changed;        /* findings of files that are in both */
    uint64_t files;                      /* in both */
    uint64_t old_files, new_files;       /* in one of them only */
    uint64_t old_findings, new_findings; /* of these */
} ll_sweep_changes;

/* Writes what changed from one sweep to another: "text", "markdown" and "html" with a few examples of every rule,
 * "json" with all. Memory grows with the findings of one file and with the number of rules. Refuses inputs as
 * ll_sweep_merge() does. *changes may be NULL. */
LL_API LL_MUST_CHECK ll_status ll_sweep_diff(const ll_allocator *allocator, const ll_sweep_input *before,
                                             const ll_sweep_input *after, const char *format, ll_write_fn write,
                                             void *ctx, ll_sweep_changes *changes, ll_problem *problem);

/* Writes what a sweep holds in numbers, findings by severity, rule, folder and file, as "text", "markdown" or "html",
 * with 100 rows of each. Of folders and files with findings 65,536 are told apart, which bounds the memory. Refuses
 * inputs as ll_sweep_merge() does. */
LL_API LL_MUST_CHECK ll_status ll_sweep_print(const ll_allocator *allocator, const ll_sweep_input *input,
                                              const char *format, ll_write_fn write, void *ctx, ll_problem *problem);

/* ------------------------------------------------------------------ census */

/* What the fields of a corpus hold, and which claims of the rules are true of it: reports in, counts out. The result
 * depends neither on the order of the files nor on how they were spread over several censuses, and memory does not grow
 * with their number. Belongs to one thread. */
typedef struct ll_census ll_census;

typedef struct ll_census_options {
    size_t size;            /* sizeof(ll_census_options) */
    uint32_t distinct;      /* values kept of one field, 0: 65536 */
    uint32_t shard, shards; /* the files are part `shard` of so many, which "jsonl" says; 0: they are all */
} ll_census_options;

/* An empty census. `rules` must be sealed and outlive it: those that are selected and not ignored are claims, whatever
 * their severity. options may be NULL. */
LL_API LL_MUST_CHECK ll_status ll_census_create(const ll_allocator *allocator, const ll_ruleset *rules,
                                                const ll_census_options *options, ll_census **out);
LL_API void ll_census_free(ll_census *census);
/* Counts a file. The report may come from any rule set; it is read and not changed, and its bytes must still be there.
 * A failure stays: the census is of no use any more. */
LL_API LL_MUST_CHECK ll_status ll_census_add(ll_census *census, ll_report *report);
/* Adds what another census of the same rules and options holds. */
LL_API LL_MUST_CHECK ll_status ll_census_merge(ll_census *into, const ll_census *from);
/* Adds what format "jsonl" wrote, by this version with the same rules: the parts of a corpus, all of them, one after
 * the other. LL_E_INPUT: an input is no complete census, or a part is missing or there twice; *problem says which and
 * why. */
LL_API LL_MUST_CHECK ll_status ll_census_read(ll_census *census, const ll_sweep_input *inputs, size_t count,
                                              ll_problem *problem);
/* Everything that was counted: "text", "json" (docs/schema/census.schema.json), "markdown", "html", or "jsonl", which
 * ll_census_read() reads (docs/schema/census-part.schema.json). */
LL_API LL_MUST_CHECK ll_status ll_census_print(ll_census *census, const char *format, ll_write_fn write, void *ctx);

/* ------------------------------------------------------------------ workspaces */

/* Files that are judged together: what each of them defines and refers to, taken from its report, and the findings of
 * the rules that look across files (family "mod"). Reports go in, file by file; ll_workspace_join() finds; reports come
 * out for the files that have findings. The result depends neither on the order of the files nor on how they were
 * spread over several workspaces. Memory grows with what files refer to and with their names, not with their bytes.
 *
 * A workspace belongs to one thread at a time: several threads have one each, which are merged at the end. Nothing that
 * is passed in is kept but for `rules`; strings that come out live as long as the workspace, and those of a report as
 * ll_report says. Of the functions that fill a workspace, one that fails leaves it of no use: LL_E_MEMORY stays. */
typedef struct ll_workspace ll_workspace;

/* An empty workspace. `rules` must be sealed and outlive it: its rules of family "mod" that are on are those that
 * ll_workspace_summary.rules_not_run tells of. */
LL_API LL_MUST_CHECK ll_status ll_workspace_create(const ll_allocator *allocator, const ll_ruleset *rules,
                                                   ll_workspace **out);
LL_API void ll_workspace_free(ll_workspace *workspace);

/* Adds a file, or a member of an archive, that was linted; of an archive the paths of all its members too. The report
 * may come from any rule set; it is not changed, and its bytes must still be there. The same name again is the same
 * file. LL_E_ARGUMENT: after ll_workspace_join(). */
LL_API LL_MUST_CHECK ll_status ll_workspace_add(ll_workspace *workspace, ll_report *report);
/* Adds a file that is there and was not linted, because no format has it or because a filter left it out. */
LL_API LL_MUST_CHECK ll_status ll_workspace_add_name(ll_workspace *workspace, const char *path);
/* Says that all files below a folder were added, or will be: what is not there then is missing. */
LL_API LL_MUST_CHECK ll_status ll_workspace_add_folder(ll_workspace *workspace, const char *path);
/* Adds the manifest of an archive, X.fpk.xml or X.fpkd.xml. LL_E_INPUT: it was refused, *problem says why (problem may
 * be NULL), and it counts as a file that was not linted; so for a build without expat. */
LL_API LL_MUST_CHECK ll_status ll_workspace_add_manifest(ll_workspace *workspace, const char *path, const void *bytes,
                                                         size_t size, ll_problem *problem);
/* Does that for options->name and makes the report of the manifest: if it was refused, a finding says where and why.
 * *unread, if not NULL: the build reads no manifests, and so there is no finding. */
LL_API LL_MUST_CHECK ll_status ll_lint_manifest(const ll_ruleset *rules, ll_workspace *workspace, const void *bytes,
                                                size_t size, const ll_lint_options *options, ll_report *report,
                                                bool *unread);

/* Adds what another workspace holds, which was not joined yet. */
LL_API LL_MUST_CHECK ll_status ll_workspace_merge(ll_workspace *into, const ll_workspace *from);
/* What it holds as JSON Lines, and back: for parts of a corpus that are linted on several machines. Each line has a
 * `type` that begins with "workspace-". Before ll_workspace_join(). */
LL_API LL_MUST_CHECK ll_status ll_workspace_write(const ll_workspace *workspace, ll_write_fn write, void *ctx);
/* Adds what such lines say, one of them or more, each whole and in their order. LL_E_INPUT: one was refused, *problem
 * says which of them and why. */
LL_API LL_MUST_CHECK ll_status ll_workspace_read(ll_workspace *workspace, const char *lines, size_t size,
                                                 ll_problem *problem);

/* Judges all files together. Once; nothing may be added afterwards. */
LL_API LL_MUST_CHECK ll_status ll_workspace_join(ll_workspace *workspace);

/* A file with findings across files. */
typedef struct ll_workspace_file {
    const char *name;     /* as its report had it: of a member "ARCHIVE!PATH" */
    const char *identity; /* the same for fingerprints */
    const char *archive;  /* name of the archive that holds the file; NULL: none does */
    uint64_t offset;      /* of its first byte in the archive */
    uint64_t size;        /* of the file, or member */
    size_t findings;      /* of all rules, whether on or off */
} ll_workspace_file;

/* They are sorted by name; after ll_workspace_join(). */
LL_API size_t ll_workspace_file_count(const ll_workspace *workspace);
LL_API bool ll_workspace_file_at(const ll_workspace *workspace, size_t index, ll_workspace_file *out);
/* Makes the report that has the findings of one of them across files, and no others. `bytes`: of the file, or of the
 * archive that holds it, as it was when it was linted; NULL where they are not at hand any more, then findings lack
 * what is shown of bytes. `rules`: sealed; of the file, which may have others than the workspace. options->name and
 * identity, where they are NULL, are those of the file. Bytes, options->name and workspace are borrowed until the
 * report is reused or freed. Any number of threads may make reports of one workspace at once. LL_E_ARGUMENT: no such
 * file, or too few bytes. */
LL_API LL_MUST_CHECK ll_status ll_workspace_report(const ll_workspace *workspace, const ll_ruleset *rules, size_t index,
                                                   const void *bytes, size_t size, const ll_lint_options *options,
                                                   ll_report *report);

typedef struct ll_workspace_summary {
    uint64_t files;         /* that belong to packages */
    uint64_t packages;      /* archives, folders and manifests of one name and directory are a package */
    uint64_t checked;       /* packages of which no rule was left out */
    uint64_t not_run;       /* the others; each has a notice */
    uint64_t rules_not_run; /* rules, added up over packages */
} ll_workspace_summary;
/* After ll_workspace_join(). */
LL_API void ll_workspace_summarize(const ll_workspace *workspace, ll_workspace_summary *out);

/* Why rules were not run for a package. */
typedef struct ll_workspace_notice {
    const char *package; /* directory and name: "mods/pack/X" */
    const char *missing; /* "main part", "data part", "main and data part": not there, or not all of it is known */
    const char *why;     /* what is not known, why, and what to do: escaped */
    size_t rules;        /* that were skipped for want of it */
} ll_workspace_notice;
/* They are sorted by package; at most one for each; false behind the last. After ll_workspace_join(). */
LL_API bool ll_workspace_notice_at(const ll_workspace *workspace, size_t index, ll_workspace_notice *out);

/* The packages: their parts, arrays, DataSets and light-probe harmonics, who refers to whom, and what is missing.
 * "text", "json" (docs/schema/packages.schema.json), or "dot" for Graphviz. After ll_workspace_join(). */
LL_API LL_MUST_CHECK ll_status ll_workspace_print(const ll_workspace *workspace, const char *format, ll_write_fn write,
                                                  void *ctx);

/* Tells an emitter, behind all files, of the workspace that they were added to. Where it was joined, the verdict says
 * how many packages were checked; where it was not, a sweep of a part of a corpus takes what the files refer to. */
LL_API LL_MUST_CHECK ll_status ll_emitter_join(ll_emitter *emitter, const ll_workspace *workspace);

/* How the files of all parts are judged together. */
typedef struct ll_sweep_join {
    size_t size; /* sizeof(ll_sweep_join) */
    /* Asked for once, when a part says what files refer to: an empty workspace, of the rules with which the parts were
     * made, which lives as long as the call; NULL ends it with LL_E_ARGUMENT. */
    ll_workspace *(*open)(void *ctx);
    /* The rules of a file with findings across files; NULL ends the call with LL_E_ARGUMENT. NULL: those of the
     * workspace, for all. */
    const ll_ruleset *(*rules_of)(void *ctx, const ll_workspace_file *file);
    void *ctx;
} ll_sweep_join;

/* Joins the sweeps of parts of a corpus to what one sweep of all of it writes, byte for byte. Memory does not grow with
 * the inputs, but for what `join` is told of packages; without it, NULL, findings across files are left out.
 * LL_E_INPUT: an input is no complete sweep, or does not belong to the others, or could not be read; *problem says
 * which and why. */
LL_API LL_MUST_CHECK ll_status ll_sweep_merge(const ll_allocator *allocator, const ll_sweep_input *inputs, size_t count,
                                              const ll_sweep_join *join, ll_write_fn write, void *ctx,
                                              ll_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
