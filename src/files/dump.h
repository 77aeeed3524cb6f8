/* Describes leaves in words: for dumps, differences and fixes. */
#ifndef LL_FILES_DUMP_H
#define LL_FILES_DUMP_H

#include "model/reference.h"
#include "findings/report.h"
#include "files/shares.h"

/* A report and the resolvers of its format's references, by row. */
typedef struct ll_leaf_reader {
    ll_report *report;
    ll_resolver *resolvers;
} ll_leaf_reader;

ll_status ll_leaf_reader_start(ll_report *report, ll_leaf_reader *out);
/* Fills *out; its texts are valid until the next call. */
ll_status ll_leaf_describe(const ll_leaf_reader *reader, const ll_leaf *leaf, ll_span_info *out);

/* Appends the whole value, however long. Many bytes without a field become their number and a hash. */
void ll_leaf_whole_value(const ll_doc *doc, const ll_leaf *leaf, ll_text *out);

/* The role of a leaf: "gap", "unparsed", the name of a role, or "" for data. */
const char *ll_leaf_role(const ll_doc *doc, const ll_leaf *leaf);
/* Appends the type, as in ll_span_info. */
void ll_leaf_type(const ll_doc *doc, const ll_leaf *leaf, ll_text *out);
/* Appends the path of a part of code without the numbers of statements and operands. */
void ll_part_path(const char *path, ll_text *out);

/* Whether the bytes are the stored form of a region, which is shown instead. */
bool ll_bytes_are_held(const ll_doc *doc, uint32_t offset, uint32_t length);

/* Whether the value of a leaf is derived from other bytes: zeros that fill a place, bytes shown as a region, and
 * correct values that rows derive. LL_FOLLOWS_PERHAPS: sizes and offsets that no row derives. */
typedef enum ll_follows { LL_STANDS, LL_FOLLOWS_PERHAPS, LL_FOLLOWS } ll_follows;
ll_follows ll_leaf_follows(const ll_shares *shares, const ll_deriver *deriver, const ll_leaf *leaf);

/* Receives the text of the leaf at an address, with line feed; the first call includes the heading. Any status but
 * LL_OK ends the dump. */
typedef ll_status (*ll_dump_line_fn)(void *ctx, uint32_t address, const char *text, size_t length);
ll_status ll_dump_lines(ll_report *report, ll_dump_line_fn line, void *ctx);
/* Like ll_dump_lines(), for some leaves of a document with one region: the head of the dump, then a line for each
 * leaf. */
ll_status ll_dump_some_lines(ll_report *report, const ll_leaf *leaves, size_t count, ll_dump_line_fn line, void *ctx);

/* Writes the unified diff of the text dumps of two reports; nothing if they are equal. Memory comes from the arena. */
ll_status ll_dump_diff(ll_report *before, ll_report *after, ll_arena *arena, ll_text *scratch, ll_write_fn write,
                       void *ctx);

#endif
