/* What the files that make the index of a map share with those that read its bytecode. */
#ifndef LL_FORMATS_RGM_PARSER_H
#define LL_FORMATS_RGM_PARSER_H

#include "base/sort.h"
#include "formats/rgm/rgm.h"

enum { RGM_HEADER = rgm_rahd_SIZE };

typedef struct rgm_parser {
    ll_doc *doc;
    rgm_summary *summary;
} rgm_parser;

/* Sets the actors of the summary, if their records fill RAHD exactly. doc->status says when memory runs out. */
void rgm_find_actors(ll_doc *doc, rgm_summary *summary);

/* The little-endian words of 4 and 2 bytes at an offset in the file. */
static inline uint32_t rgm_word(const ll_doc *doc, uint32_t offset)
{
    return ll_le32(doc->bytes + offset);
}
static inline uint32_t rgm_half(const ll_doc *doc, uint32_t offset)
{
    return ll_le16(doc->bytes + offset);
}
/* A word of an actor's record; at: offset of the field in the record. */
static inline uint32_t rgm_actor_word(const rgm_parser *p, uint32_t actor, uint32_t at)
{
    return ll_le32(p->summary->heads + (size_t)actor * rgm_actor_SIZE + at);
}

#endif
