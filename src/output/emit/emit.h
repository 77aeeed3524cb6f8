/* Shared by all output formats: emitters, chunks, the walk over findings, and the row that defines a format. Rendering
 * reads the emitter and writes the chunk; committing writes the emitter. So threads can render for one output. */
#ifndef LL_OUTPUT_EMIT_H
#define LL_OUTPUT_EMIT_H

#include "base/array.h"
#include "findings/report.h"
#include "findings/words.h"
#include "output/outline.h"

/* ------------------------------------------------------------------ chunks */

/* A piece of a chunk's text, about one finding or file. Pieces follow each other in the text. */
typedef struct ll_piece {
    size_t length;
    size_t plain; /* github: bytes after it with the same message, not as a command */
    uint64_t findings;
    const ll_rule *rule;    /* of a rule set that outlives the emitter */
    uint8_t severity, form; /* form: ll_message_form */
    uint8_t part;           /* full: ll_full_part; html: piece_part */
    bool explains;          /* full: other findings follow from it */
    uint64_t key;           /* full: hash of what makes findings or texts equal */
    uint64_t file;          /* full: hash of the file's name, which its members share */
    size_t name; /* full: bytes of the rule's heading in the chunk's `names`; html: bytes of the file's name */
} ll_piece;

/* `count` findings in the file whose name hashes to `file`, for a table at the end of a run. */
typedef struct ll_count {
    unsigned table;     /* index among the format's tables */
    size_t key, length; /* key: offset in the chunk's `names` */
    uint64_t count, file;
} ll_count;

/* sarif: a file, or something inside the last artifact before it of a smaller depth. */
typedef struct ll_artifact {
    size_t name;           /* offset in the chunk's `names`; ends with NUL */
    uint64_t size, number; /* number: index in the run, once kept */
    uint32_t offset;       /* of its bytes in the outer artifact */
    uint8_t depth;         /* 0: a file */
    bool is_text, has_results;
} ll_artifact;

/* sarif: a place in a text where the index of an artifact belongs; the index is known when the text is written. */
typedef struct ll_artifact_index {
    size_t at;
    uint64_t artifact; /* index in the chunk */
} ll_artifact_index;
typedef LL_ARRAY(ll_artifact_index) ll_artifact_indexes;

/* Rendered output of some files. All of it is emptied together. */
struct ll_chunk {
    ll_allocator allocator;
    ll_text text;
    ll_text names;   /* texts that the records below refer to */
    ll_text scratch; /* buffer for rendering */
    LL_ARRAY(ll_piece) pieces;
    LL_ARRAY(ll_count) counts;
    LL_ARRAY(ll_artifact) artifacts;
    ll_artifact_indexes indexes;
    ll_totals totals;
    uint64_t file; /* hash of the name of the current file, or of the archive that holds the current member */
    bool found, unchecked, partly; /* state of the totals for that file */
    uint64_t name;                 /* hash of the name that `found`, `unchecked` and `partly` are about */
    bool any;                      /* something was rendered */
    void (*full)(void *ctx);       /* called when the chunk is large; NULL: never */
    void *ctx;
};

/* Called between two findings by formats that write one piece of text for each: lets the owner write a large chunk.
 * True: the chunk is empty now. */
bool ll_chunk_pass_on(ll_chunk *chunk);

/* ------------------------------------------------------------------ formats */

typedef struct ll_emit_format {
    size_t state_size; /* bytes of emitter->state, which starts zeroed; its members need no stricter alignment than
                          pointers */
    const ll_outline_printer *printer; /* of formats that are a tree; else NULL */
    /* Prepare the state and free what it holds; may be NULL. */
    void (*open)(ll_emitter *emitter);
    void (*close)(ll_emitter *emitter);
    /* Start of the output as text, or a function that appends it to emitter->out; both may be NULL. */
    const char *head;
    void (*begin)(ll_emitter *emitter);
    /* Appends a report to the chunk. The caller checks whether a text of the chunk failed. */
    ll_status (*render)(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk);
    /* Takes a chunk that is not empty; the emitter's totals do not include it yet. NULL: the text is written unchanged,
     * or as items of a list (is_list). */
    ll_status (*commit)(ll_emitter *emitter, ll_chunk *chunk);
    bool is_list;
    bool folds;      /* shows groups of findings, unless the user asks for each */
    bool for_people; /* has limits by default, and says what they drop */
    bool patches;    /* shows patches */
    /* Appends the number of packages, after all files and before the findings across files. NULL: the format does not
     * show it, and the outputs of parts of a corpus cannot be merged. */
    void (*packages)(const ll_totals *totals, ll_text *out);
    /* Appends the end of the output to emitter->out. */
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
    ROW(statistics_markdown, "statistics-markdown")                                                                    \
    ROW(statistics_html, "statistics-html")                                                                            \
    ROW(statistics_json, "statistics-json")                                                                            \
    ROW(sweep, "sweep")

#define LL_EMIT_DECLARE(row, name) extern const ll_emit_format ll_emit_##row;
LL_EMIT_FORMATS(LL_EMIT_DECLARE)
#undef LL_EMIT_DECLARE

/* ------------------------------------------------------------------ emitters */

struct ll_emitter {
    ll_allocator allocator;
    const ll_emit_format *format;
    const ll_ruleset *rules; /* of the run; a report may use another one that is sealed and lives as long */
    ll_emit_options options; /* .format points to static storage */
    ll_write_fn write;
    void *ctx;
    ll_totals totals; /* of all committed chunks */
    ll_text out;      /* what the format composes while committing and finishing */
    bool begun;
    bool listed;      /* ll_emit_items() has written an item */
    uint64_t cut;     /* findings that exceed what the format's reader accepts */
    ll_status status; /* the first failure; nothing is written after it */
    void *state;      /* in the same block as the emitter */
};

/* Whether a finding of this severity in that report makes the run fail. */
bool ll_emit_fails(const ll_emitter *emitter, const ll_report *report, unsigned severity);
/* Writes a text and empties it. A failed text is LL_E_MEMORY. Sets emitter->status. */
ll_status ll_emit_text(ll_emitter *emitter, ll_text *text);
/* Writes and empties items of a list. Each begins with a comma; that of the run's first item is skipped. */
ll_status ll_emit_items(ll_emitter *emitter, ll_text *items);
/* An ll_write_fn with the emitter as ctx: writes bytes after what was committed. */
bool ll_emit_bytes(void *emitter, const char *bytes, size_t size);
/* Takes the number of packages, after all files. */
ll_status ll_emit_packages(ll_emitter *emitter, uint64_t packages, uint64_t rules_not_run);
/* The totals of a report, which follows those in the chunk. */
ll_totals ll_report_totals(const ll_report *report, ll_chunk *chunk);
/* The `finish` of formats that end with the verdict, unless the user's verbosity hides it. */
ll_status ll_emit_verdict(ll_emitter *emitter, int exit_code);

/* Adds the verdict to a tree. As text, the user's verbosity may hide it. */
void ll_emit_verdict_node(const ll_emitter *emitter, ll_outline *tree);

/* Address of the project's page; "" if unknown. */
const char *ll_home_url(const ll_emitter *emitter);
/* Appends the address of a rule's documentation. False: unknown. */
bool ll_rule_url(const ll_emitter *emitter, const char *id, const char *name, ll_text *out);
/* Appends "error[GRX012 name-hash]"; the id is a link if the terminal supports links. */
void ll_linked_heading_text(const ll_emitter *emitter, const ll_finding *finding, ll_text *out);

/* ------------------------------------------------------------------ the walk over findings */

enum { LL_ALL_SEVERITIES = 1 << LL_NOTE | 1 << LL_WARNING | 1 << LL_ERROR };

/* Visits the findings of a report that are not marked. When findings are grouped, only the first of each group is
 * visited, on behalf of all.
 *
 *     ll_walk walk = ll_walk_groups(emitter, report);
 *     while (ll_walk_next(&walk)) ... walk.finding, walk.times ...
 *     return walk.status; */
typedef struct ll_walk {
    ll_report *report;
    ll_fold fold;        /* without counts: every finding is a group */
    unsigned severities; /* bit set of the severities to visit */
    uint32_t next;       /* index of the next entry; 0 restarts */
    uint32_t entry, times;
    ll_finding finding;
    ll_status status;
} ll_walk;

/* Visits each finding; computes fingerprints. */
ll_walk ll_walk_findings(ll_report *report);
/* Visits groups, or each finding with --all. */
ll_walk ll_walk_groups(const ll_emitter *emitter, ll_report *report);
/* Moves to the next finding. False: there is none, or the status is an error. The second does not compose
 * walk.finding. */
bool ll_walk_next(ll_walk *walk);
bool ll_walk_next_entry(ll_walk *walk);

/* Bit set of the severities that text output shows, given -qq: those that fail, and all if the file was not checked in
 * full. */
unsigned ll_severities_shown(const ll_emitter *emitter, const ll_report *report);
/* With -v, appends a line for a file without findings. */
void ll_clean_text(const ll_emitter *emitter, const ll_report *report, ll_text *out);

/* ------------------------------------------------------------------ findings as JSON */

/* Write a line of `jsonl` for each finding, and the last line of a run. */
ll_status ll_json_lines(ll_report *report, ll_chunk *chunk);
void ll_json_summary_line(const ll_totals *totals, int exit_code, ll_text *out);

#endif
