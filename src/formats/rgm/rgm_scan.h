/* The sections of a map as they are found: rgm_frames.c looks for them, rgm_parse.c tells what they are, and
 * rgm_claims.c claims them. */
#ifndef LL_FORMATS_RGM_SCAN_H
#define LL_FORMATS_RGM_SCAN_H

#include "base/array.h"
#include "formats/rgm/rgm_parser.h"

enum { RGM_TAG_END = LL_LETTERS_LE('E', 'N', 'D', ' ') };

/* One section as it stands in the file. */
typedef struct rgm_frame {
    uint32_t pos;    /* of its tag */
    uint32_t end;    /* where the next one begins */
    uint32_t stated; /* length field */
    uint32_t span;   /* of its header, once it is claimed */
    uint16_t fault;  /* of the length, 0: none */
    uint16_t hint;
    uint8_t ordinal;   /* rgm_ordinal, RGM_SECTIONS: not known */
    bool duplicate;    /* not the first of its tag */
    bool damaged;      /* the tag is not that of the ordinal */
    bool guessed;      /* and nothing of it is left: only the place tells what it is */
    bool remains;      /* of sections that are missing */
    bool lost;         /* what is in it cannot be told */
    uint64_t expected; /* length that the contents ask for, where the stated one is wrong; 0: none */
    int64_t surplus; /* bytes beyond the stated length, where that is what the contents ask for, or they ask for none */
} rgm_frame;

/* The sections as they are found. */
typedef struct rgm_scan {
    rgm_parser *p;
    const ll_doc *doc;
    LL_ARRAY(rgm_frame) frames; /* at most one for every 8 bytes of the file */
    uint32_t searched,
        found; /* from where the next sound section was looked for, and where it is; doc->size: there is none */
    rgm_frame *chosen[RGM_SECTIONS + 1]; /* of each ordinal the first that is sound; NULL: there is none */
    uint32_t seen;                       /* a bit for each ordinal that was found */
    uint32_t early;                      /* where an END stands that sections stand behind; doc->size: nowhere */
    uint32_t end;                        /* where END or what stands for it begins; doc->size: nowhere */
    uint32_t end_size;                   /* 4 or 8; 0: there is none */
    bool cut;                            /* nothing can be said about what follows the last section */
} rgm_scan;

/* Every map has this section: all but RAVC, which stands where an actor has collision points. */
static inline bool rgm_is_needed(const rgm_parser *p, unsigned ordinal)
{
    return ordinal != RGM_RAVC || p->collides;
}
/* A section of a known tag, or END, starts at pos. */
bool rgm_is_start(const ll_doc *doc, uint64_t pos);
/* Finds all sections; s->end is then where they end. */
void rgm_find_sections(rgm_scan *s);
/* Claims them, END and what follows it, and says what is wrong with their headers. */
void rgm_claim_sections(rgm_scan *s);

#endif
