/* What the output formats share: emitters, chunks, the walk over findings, and the row that makes a format. Rendering
 * reads the emitter and writes the chunk, committing writes the emitter: that split is what lets threads render for one
 * output. */
#ifndef LL_REPORT_EMIT_H
#define LL_REPORT_EMIT_H

#include "base/array.h"
#include "report/report.h"
#include "report/words.h"

/* ------------------------------------------------------------------ chunks */

/* What a format says of a stretch of a chunk's text, one behind the other: of one finding or of one file. */
typedef struct ll_piece {
    size_t length;
    size_t plain; /* github: bytes behind it that say the same without being a command */
    uint64_t findings;
    const ll_active_rule *rule; /* of a rule set that lives as long as the emitter */
    uint8_t severity, form;     /* ll_message_form */
    uint8_t part;               /* full: what it is of a finding */
    uint64_t key;               /* full: what makes it equal to another */
    uint64_t file, report;      /* full: hashes of names; that of a file is shared by its members */
    size_t name;                /* full: bytes of what it goes by, in names */
} ll_piece;

/* So many findings of something, in the file whose name has that hash; for tables at the end of a run. */
typedef struct ll_count {
    unsigned table;     /* of the format's */
    size_t key, length; /* in the chunk's names */
    uint64_t count, file;
} ll_count;

/* sarif: a file, or what lies in the last artifact before it that is one level less deep. */
typedef struct ll_artifact {
    size_t name;           /* in names, with a NUL */
    uint64_t size, number; /* of the run, once it is kept there */
    uint32_t offset;       /* of its bytes in that one */
    uint8_t depth;         /* 0: a file */
    bool is_text, has_results;
} ll_artifact;

/* sarif: where in a text the index of an artifact belongs, which is known when the text is written. */
typedef struct ll_artifact_index {
    size_t at;
    uint64_t artifact; /* of the chunk */
} ll_artifact_index;
typedef LL_ARRAY(ll_artifact_index) ll_artifact_indexes;

/* Rendered output of some files. Everything in it is emptied together. */
struct ll_chunk {
    ll_allocator allocator;
    ll_text text;
    ll_text names;   /* texts that the records below refer to */
    ll_text scratch; /* for rendering */
    LL_ARRAY(ll_piece) pieces;
    LL_ARRAY(ll_count) counts;
    LL_ARRAY(ll_artifact) artifacts;
    ll_artifact_indexes indexes;
    ll_totals totals;
    uint64_t file;                 /* that the report at hand is about, or a member of it: the hash of its name */
    bool found, unchecked, partly; /* what the totals say of that file, */
    uint64_t name;                 /* the hash of whose name this is */
    bool any;                      /* something was rendered */
    void (*full)(void *ctx);       /* NULL: none */
    void *ctx;
};

/* Between two findings, by formats that have one piece of text for each: gives what is there to who writes it, if it is
 * much. True: the chunk is empty now. */
bool ll_chunk_pass_on(ll_chunk *chunk);

/* ------------------------------------------------------------------ formats */

typedef struct ll_emit_format {
    size_t state_size; /* of emitter->state, zeroed: pointers, sizes and what is no larger */
    /* Prepares the state, and frees what it holds; both may be NULL. */
    void (*open)(ll_emitter *emitter);
    void (*close)(ll_emitter *emitter);
    /* What the output begins with, or what puts that into emitter->out; both may be NULL. */
    const char *head;
    void (*begin)(ll_emitter *emitter);
    /* Appends to the chunk. The caller looks at whether a text of the chunk failed. */
    ll_status (*render)(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk);
    /* Takes a chunk that holds something; the totals of the emitter are those before it. NULL: its text is written as
     * it is, or as items of a list. */
    ll_status (*commit)(ll_emitter *emitter, ll_chunk *chunk);
    bool is_list;
    bool folds;      /* shows groups of findings, unless the user wants to see each */
    bool for_people; /* has limits unless told otherwise, and says itself what is missing */
    bool patches;    /* shows patches */
    /* Puts how many packages there were, behind all files; findings across files follow. NULL: the format does not say,
     * and what a shard wrote cannot be joined with the others. */
    void (*packages)(const ll_totals *totals, ll_text *out);
    /* Puts the end of the output into emitter->out. */
    ll_status (*finish)(ll_emitter *emitter, int exit_code);
} ll_emit_format;

/* Name of the row, name of the format. */
#define LL_EMIT_FORMATS(ROW)                                                                                           \
    ROW(full, "full")                                                                                                  \
    ROW(concise, "concise")                                                                                            \
    ROW(json, "json")                                                                                                  \
    ROW(jsonl, "jsonl")                                                                                                \
    ROW(sarif, "sarif")                                                                                                \
    ROW(sarif_github, "sarif-github")                                                                                  \
    ROW(github, "github")                                                                                              \
    ROW(gitlab, "gitlab")                                                                                              \
    ROW(junit, "junit")                                                                                                \
    ROW(markdown, "markdown")                                                                                          \
    ROW(html, "html")                                                                                                  \
    ROW(statistics, "statistics")                                                                                      \
    ROW(sweep, "sweep")

#define LL_EMIT_DECLARE(row, name) extern const ll_emit_format ll_emit_##row;
LL_EMIT_FORMATS(LL_EMIT_DECLARE)
#undef LL_EMIT_DECLARE

/* ------------------------------------------------------------------ emitters */

struct ll_emitter {
    ll_allocator allocator;
    const ll_emit_format *format;
    const ll_ruleset *rules; /* of the run; a report may come from another, which is sealed and lives as long */
    ll_emit_options options; /* .format points to static storage */
    ll_write_fn write;
    void *ctx;
    ll_totals totals; /* of all committed chunks */
    ll_text out;      /* what the format composes while committing and finishing */
    bool begun;
    bool listed;      /* ll_emit_items() wrote the first one */
    uint64_t cut;     /* findings that the reader of the format would not take */
    ll_status status; /* the first failure; nothing is written after it */
    void *state;      /* behind the emitter, in the same block */
};

/* Does a finding of this severity in that report make the run fail? */
bool ll_emit_fails(const ll_emitter *emitter, const ll_report *report, unsigned severity);
/* Writes a text and empties it; a failed one is LL_E_MEMORY. Sets emitter->status. */
ll_status ll_emit_text(ll_emitter *emitter, ll_text *text);
/* The same for items of a list, each with a comma before it, which the first one of the run loses. */
ll_status ll_emit_items(ll_emitter *emitter, ll_text *items);
/* Writes bytes behind what was committed: an ll_write_fn, whose ctx is the emitter. */
bool ll_emit_bytes(void *emitter, const char *bytes, size_t size);
/* Takes how many packages there were, behind all files. */
ll_status ll_emit_packages(ll_emitter *emitter, uint64_t packages, uint64_t rules_not_run);
/* What a report adds to the totals, behind those that the chunk holds. */
ll_totals ll_report_totals(const ll_report *report, ll_chunk *chunk);
/* The finish of formats that end with the verdict, where one is wanted: after what the user asked and what was found.
 */
ll_status ll_emit_verdict(ll_emitter *emitter, int exit_code);

/* The page of the project, for links; "": nobody said where it is. */
const char *ll_home_url(const ll_emitter *emitter);
/* Puts the address of what is said of a rule; false: there is none. */
bool ll_rule_url(const ll_emitter *emitter, const char *id, const char *name, ll_text *out);
/* "error[GRX012 name-hash]", the id with a link to that where the terminal has links. */
void ll_linked_heading_text(const ll_emitter *emitter, const ll_finding *finding, ll_text *out);

/* ------------------------------------------------------------------ the walk over findings */

enum { LL_ALL_SEVERITIES = 1 << LL_NOTE | 1 << LL_WARNING | 1 << LL_ERROR };

/* Goes over the findings of a report that count. Where findings are shown in groups, only the first of each is met, and
 * stands for all.
 *
 *     ll_walk walk = ll_walk_groups(emitter, report);
 *     while (ll_walk_next(&walk)) ... walk.finding, walk.times ...
 *     return walk.status; */
typedef struct ll_walk {
    ll_report *report;
    ll_fold fold;        /* no counts: every finding is a group of its own */
    unsigned severities; /* a bit for each that is met */
    uint32_t next;       /* entry; 0 to begin again */
    uint32_t entry, times;
    ll_finding finding;
    ll_status status;
} ll_walk;

/* Finding by finding, with fingerprints. */
ll_walk ll_walk_findings(ll_report *report);
/* Group by group, unless the user wants to see each finding (--all). */
ll_walk ll_walk_groups(const ll_emitter *emitter, ll_report *report);
/* Goes to the next one; false: there is none, or the status says why. The same without composing walk.finding. */
bool ll_walk_next(ll_walk *walk);
bool ll_walk_next_entry(ll_walk *walk);

/* What texts for people show under -qq: a bit for each severity. */
unsigned ll_severities_shown(const ll_emitter *emitter, const ll_report *report);
/* Under -v, a line for a file without findings. */
void ll_clean_text(const ll_emitter *emitter, const ll_report *report, ll_text *out);

/* ------------------------------------------------------------------ findings as JSON */

struct ll_jsonw;

/* The keys offset, length and, for what lies in a member or was decompressed, inner. */
void ll_json_range(struct ll_jsonw *json, uint64_t offset, uint64_t length, const ll_inner *inner);
/* The keys file and, of a member, member. */
void ll_json_name(struct ll_jsonw *json, const ll_report *report);
/* These, format and size, with which an object about a file begins. */
void ll_json_file(struct ll_jsonw *json, const ll_report *report);
/* A line of `jsonl` for each finding, and the last line of a run. */
ll_status ll_json_lines(ll_report *report, ll_chunk *chunk);
void ll_json_summary_line(const ll_totals *totals, int exit_code, ll_text *out);

#endif
