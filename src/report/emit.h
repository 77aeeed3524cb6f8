/* What the output formats share: emitters, chunks and the row that makes a format. Rendering reads the emitter and
 * writes the chunk, committing writes the emitter: that split is what lets threads render for one output. */
#ifndef LL_REPORT_EMIT_H
#define LL_REPORT_EMIT_H

#include "report/report.h"

typedef struct ll_totals {
    uint64_t files, files_with_findings, unchecked;
    uint64_t errors, warnings, notes, dropped;
    uint64_t suppressed, baselined;
} ll_totals;

/* Rendered output of some files. What the three texts hold is the format's business; they are emptied together. */
struct ll_chunk {
    ll_allocator allocator;
    ll_text text;
    ll_text marks; /* where pieces of the text begin and what they are, for formats that need it */
    ll_text files; /* one record per file, for formats that list them at the end */
    ll_totals totals;
};

typedef struct ll_emit_format {
    /* Makes emitter->state; NULL: the format has none. */
    ll_status (*open)(ll_emitter *emitter);
    /* Appends to the chunk. A failed text of the chunk is the caller's business. */
    ll_status (*render)(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk);
    /* Writes a chunk that holds something; the totals of the emitter are those before it. */
    ll_status (*commit)(ll_emitter *emitter, ll_chunk *chunk);
    ll_status (*finish)(ll_emitter *emitter, int exit_code);
    void (*close)(ll_emitter *emitter);
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
    ROW(statistics, "statistics")                                                                                      \
    ROW(sweep, "sweep")

#define LL_EMIT_DECLARE(row, name) extern const ll_emit_format ll_emit_##row;
LL_EMIT_FORMATS(LL_EMIT_DECLARE)
#undef LL_EMIT_DECLARE

struct ll_jsonw;

struct ll_emitter {
    ll_allocator allocator;
    const ll_emit_format *format;
    const ll_ruleset *rules; /* of the run; a report may come from another, which is sealed and lives as long */
    ll_emit_options options; /* .format points to static storage */
    ll_write_fn write;
    void *ctx;
    ll_totals totals; /* of all committed chunks */
    ll_text out;      /* what the format composes while committing and finishing */
    bool started;     /* something was written */
    ll_status status; /* the first failure; nothing is written after it */
    void *state;
};

/* Does a finding of this severity in that report make the run fail? */
bool ll_emit_fails(const ll_emitter *emitter, const ll_report *report, unsigned severity);
/* Writes bytes; sets emitter->status. */
ll_status ll_emit_bytes(ll_emitter *emitter, const char *bytes, size_t size);
/* Writes a text and empties it; a failed one is LL_E_MEMORY. */
ll_status ll_emit_text(ll_emitter *emitter, ll_text *text);
/* The commit of formats whose chunks are written as they are. */
ll_status ll_emit_plain(ll_emitter *emitter, ll_chunk *chunk);

/* Writes a text that is longer than `least` and empties it, for what is not told by emitters: LL_SEND_AT while it
 * grows, 0 at its end. */
enum { LL_SEND_AT = 65536 };
ll_status ll_send_text(ll_text *text, size_t least, ll_write_fn write, void *ctx);

/* json.c: the keys file, format and size, with which an object about a file begins. */
void ll_json_file(struct ll_jsonw *json, const ll_report *report);

/* human.c: "1 file", "3 files"; and the last line of a run, behind a word on what limits left out. */
void ll_count_text(ll_text *out, uint64_t n, const char *one);
void ll_verdict_text(const ll_totals *totals, ll_text *out);
/* Is there to be such a line, after what the user asked and what was found? */
bool ll_wants_verdict(const ll_emitter *emitter);

#endif
