/* Reads a file by the rows of its format. LL_PART rows state the parts; layouts, LL_DERIVE, LL_REFERENCE and LL_ALIGN
 * rows state their sizes, numbers and places. The reader believes no number before the other bytes confirm it. It skips
 * what cannot be read, up to the next tag, and does not recurse. */
#ifndef LL_MODEL_READER_H
#define LL_MODEL_READER_H

#include "model/format.h"

/* Claims all bytes of a document, and raises faults. If variants of the format differ in their
 * parts, the file is read as the variant that the caller asked for, else as the one that leaves least unread. */
void ll_doc_read(ll_doc *doc);

/* The bytes of a record and its parts. */
typedef struct ll_stretch {
    uint16_t layout;   /* layout of the record; LL_WITHIN_FILE: the bytes are the file */
    uint32_t parent;   /* span that holds the bytes; LL_NO_SPAN: none */
    uint32_t from, to; /* addresses [from, to) */
    bool claimed;      /* `parent` is the record itself: only its parts are read */
} ll_stretch;
/* Reads a part at a known place, as a variant (1 + its number). */
void ll_read_part(ll_doc *doc, const ll_stretch *what, unsigned variant);

/* On a copy, tells the search for causes that the field would agree with others if it had this value. */
void ll_suggest(ll_doc *doc, ll_where at, uint64_t value);

/* The bytes read as a variant (1 + its number) with no more than `faults` faults, and no float is odd. Claims nothing.
 */
bool ll_reads_well(ll_doc *doc, const ll_stretch *what, unsigned variant, unsigned faults);

/* The number of the LL_SECTION row of each section of a document with numbered sections, in its memory. NULL: it has
 * none, or no memory. */
const uint8_t *ll_section_kinds(ll_doc *doc);
/* Writes a document with numbered sections anew with other contents of its regions. A block with such a section is
 * stored uncompressed, so no compressor is needed. `contents` has an element for each region; their outer_length is
 * filled in. file->size is the limit in bytes on entry and the size on return; the bytes live in the document's arena.
 * False: the document is not sound, or the file would exceed the limit. */
bool ll_rewrite(ll_doc *doc, ll_content *contents, ll_content *file);

/* Bytes after the header of a layout's record that offsets and sizes in other records ask for. 0: they leave gaps or
 * overlap, or there are none. */
uint64_t ll_reach(ll_doc *doc, unsigned layout);

/* 1 + number of a variant with other parts than the one that the document was read as. 0: there is none. */
unsigned ll_other_variant(const ll_doc *doc);

#endif
