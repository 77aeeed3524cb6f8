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
    LL_E_LIMIT = 2,    /* a documented limit was reached */
    LL_E_ARGUMENT = 3, /* the arguments do not fit the call */
    LL_E_PACK = 4,     /* a rule pack or selector was refused; see ll_problem */
    LL_E_WRITE = 5,    /* the caller's write function said no */
    LL_E_INTERNAL = 6  /* a defect of this library; please report it */
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

/* One rule of the catalogue. Strings live as long as the rule set; absent texts are "". */
typedef struct ll_rule_info {
    const char *id;       /* "GRX012" */
    const char *name;     /* "name-hash", unique in its family */
    const char *family;   /* "grx", "mrea", "rgm", "ledger", "core" */
    ll_severity severity; /* in force */
    ll_severity default_severity;
    bool locked; /* severity cannot be lowered */
    const char *const *tags;
    size_t tag_count;
    const char *title;    /* one sentence */
    const char *why;      /* what a reader of the file does with a wrong value */
    const char *evidence; /* what the rule rests on */
    const char *fix;      /* what to do */
    const char *target;   /* what it looks at, e.g. "grx.probe.priority", or "file" */
    const char *check;    /* how, e.g. "range '>= 0'", "fault entry-size-min" */
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

/* Binds rules to layouts, compiles patterns. After it the rule set is immutable. */
LL_API LL_MUST_CHECK ll_status ll_ruleset_seal(ll_ruleset *rules, ll_problem *problem);

/* The catalogue, sorted by id. Valid before and after sealing. */
LL_API size_t ll_ruleset_count(const ll_ruleset *rules);
LL_API bool ll_ruleset_rule(const ll_ruleset *rules, size_t index, ll_rule_info *out);
/* Finds one rule by id, name or "family/name"; false, and the nearest name in *problem, if there is none. */
LL_API bool ll_ruleset_find(const ll_ruleset *rules, const char *what, size_t *index, ll_problem *problem);

/* Known file name extensions, each with its dot, NULL-terminated. Static storage. */
LL_API const char *const *ll_extensions(void);

/* Name of the index-th variant of all formats ("mp1"), NULL behind the last. *meaning, if not NULL: in words. Static storage. */
LL_API const char *ll_variant(size_t index, const char **meaning);

/* ------------------------------------------------------------------ linting */

typedef struct ll_report ll_report;

typedef struct ll_lint_options {
    size_t size;           /* sizeof(ll_lint_options) */
    const char *name;      /* file name or path as reports show it, UTF-8 or raw bytes; NULL: "<bytes>" */
    const char *variant;   /* one that ll_variant() names: what the file is where its content does not tell; NULL: told by content.
                              Formats that have no such variant pass over it. */
    uint32_t max_per_rule; /* findings kept per rule, 0: no limit */
    uint32_t max_per_file; /* findings kept in all, 0: no limit */
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

typedef struct ll_summary {
    uint64_t errors, warnings, notes; /* found, whether kept or not */
    uint64_t dropped;                 /* of these, not kept because of a limit */
    bool unchecked;                   /* the file, or part of what was asked, was not checked */
    bool truncated;                   /* a limit was reached */
} ll_summary;

LL_API const char *ll_report_name(const ll_report *report);
LL_API const char *ll_report_format(const ll_report *report); /* "grx", or "unknown" */
LL_API uint64_t ll_report_size(const ll_report *report);
LL_API void ll_report_summary(const ll_report *report, ll_summary *out);

/* Bytes that the file does not hold as they are: where they lie in what was decompressed. region NULL: they are in the file. */
typedef struct ll_inner {
    const char *region;      /* path of what was decompressed: "section[8]" */
    uint64_t offset, length; /* from its first byte */
} ll_inner;

typedef struct ll_place {
    uint64_t offset, length;
    ll_inner inner;   /* if it has a region, offset and length are of the bytes of the file that hold the region */
    const char *path; /* field path, "" when there is none */
    const char *text; /* what is there, "" when there is nothing to say */
} ll_place;

typedef enum ll_patch_tier { LL_PATCH_NONE = 0, LL_PATCH_SAFE = 1, LL_PATCH_UNSAFE = 2 } ll_patch_tier;

/* Replace `removed` bytes at `offset` by `size` bytes: the same number, or an insertion (removed 0) at the end. */
typedef struct ll_patch {
    ll_patch_tier tier;
    uint64_t offset, removed;
    const uint8_t *bytes;
    size_t size;
} ll_patch;

/* One finding. Strings live until the report is reused or freed. Findings are sorted by offset, then rule id; those inside one
 * region by the offset in it. */
typedef struct ll_finding {
    size_t rule; /* index into the rule set */
    ll_severity severity;
    const char *id, *name, *title;
    uint64_t offset, length; /* inside the file; length 0 at the end of the file means "missing here" */
    ll_inner inner;          /* if it has a region, offset and length are of the bytes of the file that hold the region */
    const char *path;        /* "entry[3].light_area_offset" */
    const char *record;      /* record of the field: "grx.point_light", "" when none */
    const char *type;        /* "u32 LE", "" when no field */
    const char *value;       /* decoded value of the bytes, "" when no field */
    const char *found, *expected;
    const char *message;     /* one sentence that says it all */
    const char *hint;        /* the likely cause, "" when unknown */
    const char *why;         /* what a reader of the file does with a wrong value there */
    const char *fix;         /* what to do */
    char fingerprint[17];    /* 16 hex digits: rule, name and path of fields, never the offset */
    const ll_place *related;
    size_t related_count;
    ll_patch patch;
} ll_finding;

LL_API size_t ll_report_finding_count(const ll_report *report);
LL_API LL_MUST_CHECK ll_status ll_report_finding(ll_report *report, size_t index, ll_finding *out);

/* A leaf: a field, string, padding, gap or unparsed stretch. The leaves of the file tile it in order; those of every region follow and
 * tile it. */
typedef struct ll_span_info {
    uint64_t offset, length; /* in the file, or in the region */
    const char *region;      /* path of what was decompressed, NULL: the file */
    const char *path;
    const char *type;  /* the role if there is one ("magic", "size", ... "gap", "unparsed"), else the data type */
    const char *value; /* decoded value, NULL where there is none */
} ll_span_info;

/* Strings of the span live until the visitor returns. A visitor that returns false ends the walk (LL_OK). */
typedef bool (*ll_span_fn)(void *ctx, const ll_span_info *span);
LL_API LL_MUST_CHECK ll_status ll_report_spans(ll_report *report, ll_span_fn visit, void *ctx);

/* ------------------------------------------------------------------ output */

/* Takes bytes; returns false to stop (LL_E_WRITE). */
typedef bool (*ll_write_fn)(void *ctx, const char *bytes, size_t size);

typedef struct ll_emit_options {
    size_t size;        /* sizeof(ll_emit_options) */
    const char *format; /* "full", "concise", "json", "jsonl", "sarif", "sarif-github" */
    bool color;         /* ANSI colours (full, concise) */
    bool all;           /* no folding */
    int verbosity;      /* -2 nothing but findings that fail, -1 no verdict when clean, 0, 1 a line per clean file */
    ll_severity fail_level; /* for the exit status that SARIF states; LL_SEVERITY_OFF: never */
} ll_emit_options;

typedef struct ll_emitter ll_emitter; /* one output of one run */
typedef struct ll_chunk ll_chunk;     /* rendered findings of some files, not yet written */

/* NULL-terminated list of format names. Static storage. */
LL_API const char *const *ll_emit_formats(void);

LL_API LL_MUST_CHECK ll_status ll_emitter_create(const ll_allocator *allocator, const ll_ruleset *rules,
                                                 const ll_emit_options *options, ll_write_fn write, void *ctx,
                                                 ll_emitter **out);
LL_API LL_MUST_CHECK ll_status ll_chunk_create(const ll_allocator *allocator, ll_chunk **out);
LL_API void ll_chunk_free(ll_chunk *chunk);
/* Appends what the emitter has to say about a report to the chunk. Reads the emitter only: any number of threads may
 * render for one emitter at once, each with its own report and chunk. */
LL_API LL_MUST_CHECK ll_status ll_emitter_render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk);
/* Writes a chunk and empties it. Chunks are committed in the order in which files shall appear. */
LL_API LL_MUST_CHECK ll_status ll_emitter_commit(ll_emitter *emitter, ll_chunk *chunk);
/* Writes the verdict and the end of the output. exit_code is what the process will say. */
LL_API LL_MUST_CHECK ll_status ll_emitter_finish(ll_emitter *emitter, int exit_code);
LL_API void ll_emitter_free(ll_emitter *emitter);

/* Every span of a report: "text" (with hex beside it) or "json". */
LL_API LL_MUST_CHECK ll_status ll_dump(ll_report *report, const char *format, ll_write_fn write, void *ctx);
/* One script of a report as text: statements beside their bytes, labels where jumps lead, findings where their bytes begin. `name`: of the
 * actor whose script it is, or its number. LL_E_ARGUMENT, with the nearest name in *problem, when there is none; problem may be NULL. */
LL_API LL_MUST_CHECK ll_status ll_list(ll_report *report, const char *name, ll_write_fn write, void *ctx, ll_problem *problem);
/* The rule catalogue: "text", "json" or "markdown". */
LL_API LL_MUST_CHECK ll_status ll_print_rules(const ll_ruleset *rules, const char *format, ll_write_fn write, void *ctx);
/* One rule in words. */
LL_API LL_MUST_CHECK ll_status ll_explain(const ll_ruleset *rules, size_t index, bool color, ll_write_fn write, void *ctx);

#ifdef __cplusplus
}
#endif
#endif
