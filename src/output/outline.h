/* A report as a tree: verdict, headings, tables, lists. Producers build it once and know no format; printers write it
 * as text, Markdown, HTML or JSON and know nothing else.
 *
 *     ll_outline_open(&tree, LL_NODE_ROW, NULL);
 *     ll_outline_cell(&tree);
 *     ll_text_format(&tree.words, "%s %s", rule->id, rule->name);
 *     ll_outline_number(&tree, count);
 *
 * Text appended to `words` is a piece of the block that is open. It must be safe to print on a terminal; printers
 * escape it for their format. A tree can be printed piece by piece, so it need not hold a whole corpus. */
#ifndef LL_OUTPUT_OUTLINE_H
#define LL_OUTPUT_OUTLINE_H

#include "base/array.h"
#include "base/json_write.h"

typedef enum ll_node_kind {
    /* Blocks. Opening one closes those that cannot hold it. */
    LL_NODE_FOLD, /* a part that a reader may fold away; ends with the next heading or fold */
    LL_NODE_HEADING,
    LL_NODE_SUMMARY, /* first in a fold: what it is about */
    LL_NODE_PARAGRAPH,
    LL_NODE_VERDICT,
    LL_NODE_LIST,
    LL_NODE_ITEM,
    LL_NODE_TABLE,
    LL_NODE_HEAD,   /* first in a table: its columns */
    LL_NODE_COLUMN, /* type; text: its name */
    LL_NODE_ROW,
    LL_NODE_CELL,   /* type; exact: the number `value` */
    LL_NODE_REMARK, /* like a row with one cell, across `value` columns, of which `most` are no charts */
    /* Pieces. */
    LL_NODE_TITLE, /* of the document; the first node */
    LL_NODE_WORDS,
    LL_NODE_CODE, /* to be copied */
    LL_NODE_STRONG,
    LL_NODE_MARK,      /* a severity, or another word in the colour of its block */
    LL_NODE_LINK,      /* to the block with the anchor `value`; 0: to the address after the text, `most` bytes */
    LL_NODE_SHARE,     /* one of several in a cell, each value / most of a whole */
    LL_NODE_BAR,       /* value / most */
    LL_NODE_HISTOGRAM, /* text: what it shows; its columns follow as LL_NODE_BIN */
    LL_NODE_BIN,       /* value; text: its range and count */
    LL_NODE_KINDS
} ll_node_kind;

typedef enum ll_cell_type {
    LL_CELL_WORDS,
    LL_CELL_NAME, /* what the row is about */
    LL_CELL_NUMBER,
    LL_CELL_CHART /* skipped by printers that do not draw: it shows what other cells say */
} ll_cell_type;

typedef struct ll_node {
    uint8_t kind; /* ll_node_kind */
    uint8_t type; /* ll_cell_type */
    bool ends;    /* the end of a block */
    bool exact;
    const char *tone;    /* "error", "warning", "note", "came", "went", "changed"; NULL: none */
    size_t text, length; /* offset and length in ll_outline.words */
    uint64_t value, most;
    uint64_t anchor; /* of a heading or summary; 0: none */
} ll_node;

typedef struct ll_outline ll_outline;

/* A printer gets the nodes one by one. */
typedef struct ll_outline_printer {
    const char *name;
    bool draws; /* shows charts */
    void (*node)(ll_outline *tree, const ll_node *node, ll_text *out);
    void (*finish)(ll_outline *tree, ll_text *out); /* NULL: nothing follows the last node */
} ll_outline_printer;

/* The names of the printers. */
#define LL_OUTLINE_PRINTERS(ROW) ROW(text) ROW(markdown) ROW(html) ROW(json)
#define LL_OUTLINE_DECLARE(name) extern const ll_outline_printer ll_outline_##name;
LL_OUTLINE_PRINTERS(LL_OUTLINE_DECLARE)
#undef LL_OUTLINE_DECLARE
/* NULL: unknown. */
const ll_outline_printer *ll_outline_printer_named(const char *name);

enum { LL_OUTLINE_DEPTH = 8, LL_OUTLINE_COLUMNS = 16 };

struct ll_outline {
    const ll_outline_printer *printer;
    const ll_terminal *terminal; /* lines of text are fitted to it */
    ll_text words;               /* texts of nodes; the last ones belong to no node yet */
    LL_ARRAY(ll_node) nodes;
    size_t taken; /* bytes of `words` that belong to nodes */
    uint8_t open[LL_OUTLINE_DEPTH], types[LL_OUTLINE_COLUMNS];
    unsigned depth, columns, column; /* columns: of the current table */
    struct {                         /* for printers */
        ll_text held;                /* text: the verdict, which comes last; html: the heading, a table's label */
        ll_jsonw json;
        size_t widths[LL_OUTLINE_COLUMNS], line, cell; /* text: of columns; where the line and the cell began */
        unsigned column, shares;                       /* in the row and in the cell, so far */
        uint8_t last;                                  /* text: kind of the last block */
        bool begun, holds;
    } print;
};

/* terminal: columns 0 leaves lines as they are; outlives the tree. */
void ll_outline_init(ll_outline *tree, const ll_outline_printer *printer, const ll_terminal *terminal,
                     const ll_allocator *allocator);
void ll_outline_free(ll_outline *tree);

/* The tone of a severity; NULL: other words. */
const char *ll_tone_of(const char *word, size_t length);

void ll_outline_title(ll_outline *tree, const char *title);
/* Opens a block; its text goes to tree->words. tone: NULL, or static storage. */
void ll_outline_open(ll_outline *tree, ll_node_kind kind, const char *tone);
/* Opens a heading or summary that a LL_NODE_LINK leads to. */
void ll_outline_open_at(ll_outline *tree, ll_node_kind kind, uint64_t anchor);
/* Makes the text since the last piece a piece of this kind. Text without it is LL_NODE_WORDS. */
void ll_outline_piece(ll_outline *tree, ll_node_kind kind);
/* As ll_outline_piece(), with the numbers of LL_NODE_LINK, SHARE, BAR, HISTOGRAM and BIN. tone: of a bar; NULL: none.
 */
void ll_outline_value(ll_outline *tree, ll_node_kind kind, const char *tone, uint64_t value, uint64_t most);
/* Adds lines, each as a LL_NODE_VERDICT. */
void ll_outline_verdict(ll_outline *tree, const char *lines, size_t length);
/* Moves all nodes of another tree after those of a tree. */
void ll_outline_append(ll_outline *tree, ll_outline *other);

typedef struct ll_outline_column {
    const char *name;
    ll_cell_type type;
} ll_outline_column;
/* Opens a table of at most LL_OUTLINE_COLUMNS columns. */
void ll_outline_table(ll_outline *tree, const ll_outline_column *columns, size_t count);
/* Opens the next cell of the row. */
void ll_outline_cell(ll_outline *tree);
/* The next cell with text as ll_text_format() makes it. */
#define LL_OUTLINE_CELL(tree, ...) (ll_outline_cell(tree), ll_text_format(&(tree)->words, __VA_ARGS__))
/* A cell with a number, and one with a bar for value / most. */
void ll_outline_number(ll_outline *tree, uint64_t n);
void ll_outline_bar(ll_outline *tree, uint64_t value, uint64_t most);

/* The text of a node. A NUL follows it, or the address of a link. */
static inline const char *ll_node_text(const ll_outline *tree, const ll_node *node)
{
    return tree->words.failed || !node->length ? "" : tree->words.data + node->text;
}

/* Appends what was built so far to `out` and forgets it; only a fold and a list stay open. */
void ll_outline_print(ll_outline *tree, ll_text *out);
/* Prints the rest of the document and its end. */
void ll_outline_finish(ll_outline *tree, ll_text *out);

#endif
