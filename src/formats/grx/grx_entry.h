/* Shared by the two halves of the grx parser: grx_parse.c walks the entries, grx_contents.c parses what is in one. */
#ifndef LL_FORMATS_GRX_ENTRY_H
#define LL_FORMATS_GRX_ENTRY_H

#include "formats/grx/grx.h"

enum { GRX_TRANSFORM = grx_light_area_SIZE };

/* One entry whose bytes [pos, end) are decided. */
typedef struct grx_entry {
    ll_doc *doc;
    const grx_kind *kind;
    uint32_t span;
    uint32_t pos;    /* first byte of the tag */
    uint32_t end;    /* behind the last byte that belongs to it */
    uint32_t stated; /* the size field */
    uint32_t index;
    bool size_faulted; /* the size was already reported */
    bool lost;         /* the name covers what tails were there: what is left over has been reported */
} grx_entry;

/* CM00, lights and probes: those that start with a name block. */
static inline bool grx_is_named(const grx_kind *kind)
{
    return kind->layout == grx_dataset_LAYOUT || kind->tail_count;
}

/* Claims everything behind the fixed record of e->span, and says what is wrong with it. */
void grx_parse_contents(grx_entry *e);

/* The little-endian word at an offset that lies in the file. */
static inline uint32_t grx_word_at(const ll_doc *doc, uint32_t offset)
{
    return ll_le32(doc->bytes + offset);
}

#endif
