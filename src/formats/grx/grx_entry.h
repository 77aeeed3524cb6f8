/* Shared by the parts of the grx parser: grx_parse.c walks the entries, grx_contents.c parses what is in one, and
 * grx_floats.c judges the order of its floats. */
#ifndef LL_FORMATS_GRX_ENTRY_H
#define LL_FORMATS_GRX_ENTRY_H

#include "formats/grx/grx.h"

enum {
    GRX_TRANSFORM = grx_light_area_SIZE,
    SHIFT_MAX = 64 /* bytes put in or taken out that are recognised as such */
};

/* What the walk over the entries knows besides the one that it is at. */
typedef struct grx_walk {
    ll_doc *doc;
    uint32_t
        filled; /* behind the last byte that is not 0 before a terminator at the end of the file, 0: none is there */
    uint32_t dataset;       /* the first CM00, LL_NO_SPAN: none yet */
    const grx_kind *before; /* of the entry read last, NULL: none, or it could not be told */
    ll_fault_node *alike;   /* what grx_raise_once() raised last, NULL: nothing */
    int64_t alike_number;
} grx_walk;

/* One entry whose bytes [pos, end) are decided. */
typedef struct grx_entry {
    ll_doc *doc;
    grx_walk *walk;
    const grx_kind *kind;
    uint32_t span;
    uint32_t pos;    /* first byte of the tag */
    uint32_t end;    /* behind the last byte that belongs to it */
    uint32_t stated; /* the size field */
    uint32_t index;
    bool size_faulted;    /* the size was already reported */
    bool overwritten;     /* the name reaches over what should follow it, and its hash tells so */
    bool length_faulted;  /* a fault says that bytes were put in or taken out: what moved with them is not reported */
    uint32_t name_length; /* of a name in its place behind which the tails fill the entry, 0: it is not so plain */
} grx_entry;

/* CM00, lights and probes: those that start with a name block. */
static inline bool grx_is_named(const grx_kind *kind)
{
    return kind->layout == grx_dataset_LAYOUT || kind->tail_count;
}

/* Fills in name_length, and gives back by how many bytes the name stands behind its place (below 0: before it), as
 * bytes were put into the fixed part or taken out of it. */
int32_t grx_measure_shift(grx_entry *e);
/* Claims everything behind the fixed record of e->span, and says what is wrong with it. */
void grx_parse_contents(grx_entry *e);
/* The same behind the header of an entry whose fixed part cannot be read as its name is shifted. */
void grx_parse_shifted(grx_entry *e, int32_t shift);
/* Where all floats of an entry and of its children are big-endian, that is said once, and none of them is judged. */
void grx_judge_floats(grx_entry *e);
/* What was edited where the contents do not agree with the size alone: a hint, or none. */
unsigned grx_edit_of(const grx_entry *e);
/* Raises a fault that a writer makes in each entry alike: of entries that have it with the same
 * number only the first is told, and arg[2] says how many they are. */
void grx_raise_once(grx_entry *e, ll_fault *fault, int64_t number);
/* The bytes from `start` up to the first NUL have the hash that the entry states. */
bool grx_matches_hash(const grx_entry *e, uint32_t start, uint32_t limit);

/* The little-endian word at an offset that lies in the file. */
static inline uint32_t grx_word_at(const ll_doc *doc, uint32_t offset)
{
    return ll_le32(doc->bytes + offset);
}

/* The last byte of the fixed part, which is the highest of an offset or a reserved word, is 0: bytes put in or taken
 * out before the name would have moved another there. */
static inline bool grx_ends_fixed(const ll_doc *doc, const grx_kind *kind, uint32_t pos)
{
    return doc->bytes[pos + kind->fixed - 1] == 0;
}

#endif
