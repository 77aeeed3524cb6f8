/* Reads a file by the rows of its format: which parts it has (ll_part_row), how large they are (ll_layout), how many
 * and whether they are there (LL_DERIVE, LL_REFERENCE, LL_ALIGN). Believes no number before the bytes that are left
 * bear it out, goes on at the next tag behind what cannot be read, and does not recurse. */
#ifndef LL_MODEL_READER_H
#define LL_MODEL_READER_H

#include "model/format.h"

/* Claims all bytes of a document whose format has parts, and raises faults. Of formats with variants whose parts
 * differ it is read as the one that the caller asked for; if he asked for none, as the one that leaves least over. */
void ll_read(ll_doc *doc);

/* Bytes that a record and its parts are to take. */
typedef struct ll_stretch {
    uint16_t layout;   /* of the record; LL_WITHIN_FILE: they are the file */
    uint32_t parent;   /* span that holds them; LL_NO_SPAN: none does */
    uint32_t from, to; /* addresses of the file, or of a region */
    bool claimed;      /* the record is `parent` itself, and only its parts are read */
} ll_stretch;
/* Reads a part of a document whose place a parser knows, as it does the variant (1 + its number). */
void ll_read_part(ll_doc *doc, const ll_stretch *what, unsigned variant);

/* Bytes of the body of a layout's record that offsets and sizes of other records ask for; 0: they do not follow each
 * other, or none does. */
uint64_t ll_reach(ll_doc *doc, unsigned layout);

/* A variant with other parts than the one as which the document was read; 0: there is none. */
unsigned ll_other_variant(const ll_doc *doc);

/* By the parser of the format, or by its parts. */
void ll_doc_read(ll_doc *doc);

#endif
