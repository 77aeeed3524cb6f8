/* The walk over an archive, between its parts: fpk_parse.c claims, fpk_places.c decides where strings and members are.
 */
#ifndef LL_FORMATS_FPK_WALK_H
#define LL_FORMATS_FPK_WALK_H

#include "formats/fpk/fpk.h"

#include "base/sort.h"

/* A path, or the bytes of a member. Offsets are those that the tables go by; fpk_lay() tells where they are. */
typedef struct fpk_piece {
    uint64_t offset, length; /* as stated; what is beyond every file is FPK_FAR */
    uint32_t at, size;       /* as believed */
    bool placed;             /* there is such a place */
    bool told;               /* a fault speaks of the place that is stated */
    bool broken;             /* the bytes are not, or perhaps not, all of it and nothing else */
    bool torn;               /* bytes were put into it or in front of it, or taken out; a fault says so */
    bool named;              /* of an entry's path: the MD5 is that of the text */
    uint32_t span;           /* LL_NO_SPAN until it is claimed */
} fpk_piece;

#define FPK_FAR (UINT64_C(1) << 40)

typedef struct fpk_walk {
    ll_doc *doc;
    uint32_t header, entries, references; /* spans; the last two are arrays */
    uint32_t entry_count, reference_count;
    uint32_t stated; /* size of the file, as the header has it */
    uint32_t tables_end;
    fpk_piece *paths;    /* those of the entries, then those of the references */
    fpk_piece *members;  /* those of the entries */
    uint64_t end;        /* of the file, as an offset that the tables go by */
    uint64_t computed;   /* where the file ends by the last member */
    uint64_t shift_from; /* from this offset on everything stands shift_by further on */
    int64_t shift_by;
    uint32_t torn_from; /* place in the file from which on bytes were put in or taken out */
    uint64_t hashable;  /* bytes that may still be hashed or searched for a NUL */
    uint32_t pos;       /* everything before it is claimed */
    uint32_t paddings;  /* claimed */
    bool cut;           /* the file ends before what the tables state */
    bool lost;          /* bytes without an owner are a consequence: a fault says where their owner is not */
    bool end_told;      /* a fault says that the file has other bytes than the tables state */
} fpk_walk;

static inline uint32_t fpk_lay(const fpk_walk *w, uint64_t offset)
{
    return (uint32_t)(offset < w->shift_from ? offset : (uint64_t)((int64_t)offset + w->shift_by));
}
/* The row that states a path: its span, the element, and the field of the offset; that of the length is the next. */
static inline uint32_t fpk_row(const fpk_walk *w, uint32_t path, uint32_t *element, unsigned *field)
{
    bool entry = path < w->entry_count;
    *element = entry ? path : path - w->entry_count;
    *field = entry ? fpk_entry_path_offset : fpk_reference_path_offset;
    return entry ? w->entries : w->references;
}

/* Fills in the pieces, and raises what is wrong with places. */
void fpk_find_places(fpk_walk *w);
/* A path of so many bytes there is that of the entry, by its MD5, or of the reference, by the NULs around it. */
bool fpk_is_path(fpk_walk *w, uint32_t path, uint64_t offset, uint64_t length);

#endif
