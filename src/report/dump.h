/* Leaves in words, for whoever shows some of them. */
#ifndef LL_REPORT_DUMP_H
#define LL_REPORT_DUMP_H

#include "model/reference.h"
#include "report/report.h"
#include "report/shares.h"

/* A report whose leaves are put in words, and what its fields point to, by row of the format. */
typedef struct ll_leaf_reader {
    ll_report *report;
    ll_resolver *resolvers;
} ll_leaf_reader;

ll_status ll_leaf_reader_start(ll_report *report, ll_leaf_reader *out);
/* The texts live until the next call. */
ll_status ll_leaf_describe(const ll_leaf_reader *reader, const ll_leaf *leaf, ll_span_info *out);

/* Appends the value as a whole, however long; of bytes without a field that are many, their number and a hash. */
void ll_leaf_whole_value(const ll_doc *doc, const ll_leaf *leaf, ll_text *out);

/* The word for what it is for: "gap", "unparsed", the name of a role, or "" where it is data. */
const char *ll_leaf_role(const ll_doc *doc, const ll_leaf *leaf);
/* Appends what ll_span_info calls the type. */
void ll_leaf_type(const ll_doc *doc, const ll_leaf *leaf, ll_text *out);
/* Appends the path of a part of code without numbers of statements and operands. */
void ll_part_path(const char *path, ll_text *out);

/* Are the bytes those that hold a region, which says the same? */
bool ll_bytes_are_held(const ll_doc *doc, uint32_t offset, uint32_t length);

/* Does a leaf follow from the rest, so that it comes, goes or changes with what stands elsewhere? Zeros that fill a
 * place, what is decompressed elsewhere, and what rows derive and is right. Perhaps: sizes and offsets that no row
 * derives. */
typedef enum ll_follows { LL_STANDS, LL_FOLLOWS_PERHAPS, LL_FOLLOWS } ll_follows;
ll_follows ll_leaf_follows(const ll_shares *shares, const ll_deriver *deriver, const ll_leaf *leaf);

/* What the text dump says of the leaf at an address, with the line feed; the first time also what stands above all
 * leaves. What it returns other than LL_OK ends the dump. */
typedef ll_status (*ll_dump_line_fn)(void *ctx, uint32_t address, const char *text, size_t length);
ll_status ll_dump_lines(ll_report *report, ll_dump_line_fn line, void *ctx);

/* Writes how the text dump of a file changes, as a unified diff; nothing where it does not. Memory comes from the
 * arena.
 */
ll_status ll_dump_diff(ll_report *before, ll_report *after, ll_arena *arena, ll_text *scratch, ll_write_fn write,
                       void *ctx);

#endif
