/* Words that several outputs share: names, labels, counts, the verdict; and Markdown. */
#ifndef LL_REPORT_WORDS_H
#define LL_REPORT_WORDS_H

#include "base/fit.h"
#include "report/report.h"

/* "1 file", "3 files" */
void ll_count_text(ll_text *out, uint64_t n, const char *one);
/* "3 files with 31 members" of the archives among them */
void ll_files_text(uint64_t files, uint64_t members, ll_text *out);
/* The name of a report's file, fit for a terminal. */
void ll_name_text(const ll_report *report, ll_text *out);
/* Bytes of a title without its full stop, for places where the line goes on. */
size_t ll_title_length(const char *title);
/* At most so many bytes of a text, cut between characters, and "..." where there are more. */
void ll_short_text(const char *text, size_t most, ll_text *out);
/* " (3 times in this file)"; nothing for one. */
void ll_times_text(uint32_t times, ll_text *out);
/* "Title; found x, expected y" */
void ll_statement_text(const ll_finding *finding, ll_text *out);
/* "1 error, 0 warnings, 2 notes" */
void ll_severities_text(uint64_t errors, uint64_t warnings, uint64_t notes, ll_text *out);
/* "3 findings not shown (--all shows up to 50000 of a file)" */
void ll_dropped_text(uint64_t dropped, ll_text *out);
/* ", 2 suppressed, 1 in the baseline", as far as there are any. */
void ll_marked_text(uint64_t suppressed, uint64_t baselined, ll_text *out);
/* The last line of a run, behind a word on what limits left out. `terminal`: what they fit. */
void ll_verdict_text(const ll_totals *totals, const ll_terminal *terminal, ll_text *out);
/* Ends a line whose text began at `from`; what is broken off to fit the terminal is indented. */
void ll_end_line(ll_text *out, size_t from, size_t indent, const ll_terminal *terminal);

/* The codes of a terminal: "" where there is no colour. */
typedef enum ll_style { LL_PLAIN, LL_STRONG, LL_GUTTER, LL_STYLE_NOTE, LL_STYLE_WARNING, LL_STYLE_ERROR } ll_style;
const char *ll_style_code(bool color, ll_style style);
ll_style ll_severity_style(ll_severity severity);
/* "error[GRX012 name-hash]" */
void ll_heading_text(bool color, ll_severity severity, const char *id, const char *name, ll_text *out);

/* Bytes as a column of characters: a dot for each that is no letter, digit or sign of ASCII. */
void ll_characters_text(const uint8_t *bytes, size_t n, ll_text *out);

/* Writes a text that is longer than `least` and empties it, for what no emitter writes: LL_SEND_AT while it grows, 0 at
 * its end. */
enum { LL_SEND_AT = 65536 };
ll_status ll_send_text(ll_text *text, size_t least, ll_write_fn write, void *ctx);

/* Text that means nothing in Markdown: neither HTML nor a reference nor a formula, nor the end of a cell. */
void ll_markdown_text(ll_text *out, const char *text, size_t n);
/* A code span of text that holds no line feed: between longer fences than any within, nothing in it has a meaning. */
void ll_markdown_code(ll_text *out, const char *text);

#endif
