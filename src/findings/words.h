/* Phrases that several outputs share: names, counts, the verdict; and Markdown. */
#ifndef LL_FINDINGS_WORDS_H
#define LL_FINDINGS_WORDS_H

#include "base/fit.h"
#include "findings/report.h"

/* "1 file", "3 files" */
void ll_count_text(ll_text *out, uint64_t n, const char *one);
/* "3 files with 31 members": members of the archives among them */
void ll_files_text(uint64_t files, uint64_t members, ll_text *out);
/* Name of a report's file, safe to print on a terminal. */
void ll_name_text(const ll_report *report, ll_text *out);
/* Length of a title without its full stop, for use inside a line. */
size_t ll_title_length(const char *title);
/* At most `most` bytes of a text, cut between characters; "..." marks a cut. */
void ll_short_text(const char *text, size_t most, ll_text *out);
/* " (3 times in this file)"; nothing for one. */
void ll_times_text(uint32_t times, ll_text *out);
/* "Title; found x, expected y" */
void ll_statement_text(const ll_finding *finding, ll_text *out);
/* "1 error, 0 warnings, 2 notes" */
void ll_severities_text(uint64_t errors, uint64_t warnings, uint64_t notes, ll_text *out);
/* "3 findings not shown (--all shows up to 50000 of a file)" */
void ll_dropped_text(uint64_t dropped, ll_text *out);
/* ", 2 suppressed, 1 in the baseline"; leaves out zero counts. */
void ll_marked_text(uint64_t suppressed, uint64_t baselined, ll_text *out);
/* The last line of a run, after a line on what limits dropped. terminal: line width. */
void ll_verdict_text(const ll_totals *totals, const ll_terminal *terminal, ll_text *out);
/* Ends a line whose text began at `from`. Wraps it to fit the terminal; continued lines are indented. */
void ll_end_line(ll_text *out, size_t from, size_t indent, const ll_terminal *terminal);

/* Terminal styles; the code is "" without colour. */
typedef enum ll_style { LL_PLAIN, LL_STRONG, LL_GUTTER, LL_STYLE_NOTE, LL_STYLE_WARNING, LL_STYLE_ERROR } ll_style;
const char *ll_style_code(bool color, ll_style style);
ll_style ll_severity_style(ll_severity severity);
/* "error[GRX012 name-hash]" */
void ll_heading_text(bool color, ll_severity severity, const char *id, const char *name, ll_text *out);

/* Bytes as characters, with a dot for each that is not printable ASCII. */
void ll_characters_text(const uint8_t *bytes, size_t n, ll_text *out);

/* Writes and empties a text longer than `least` bytes. Pass LL_SEND_AT while the text grows and 0 at its end. */
enum { LL_SEND_AT = 65536 };
ll_status ll_send_text(ll_text *text, size_t least, ll_write_fn write, void *ctx);

/* Appends text escaped for Markdown: no HTML, reference, formula or end of a table cell. */
void ll_markdown_text(ll_text *out, const char *text, size_t n);
/* Appends a code span with fences longer than any run of backticks in the text, which holds no line feed. */
void ll_markdown_code(ll_text *out, const char *text);

#endif
