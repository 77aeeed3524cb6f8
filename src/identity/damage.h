/* Proposes how a file was damaged in transport, from its bytes alone. The caller tries a proposal on a copy: it is
 * right only if the undone file reads as ours without any findings. */
#ifndef LL_IDENTITY_DAMAGE_H
#define LL_IDENTITY_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rows of damages.def; damages that can be undone come first. */
typedef enum ll_damage {
#define LL_UNDO(slug, what, function) LL_DAMAGE_##slug,
#define LL_SPLIT(slug, what, function) LL_DAMAGE_##slug,
#define LL_LOSS(slug, what, function) LL_DAMAGE_##slug,
#include "identity/damages.def"
#undef LL_UNDO
#undef LL_SPLIT
#undef LL_LOSS
    LL_DAMAGES
} ll_damage;

/* A file with findings; `first` and `last`: smallest and largest offset of a finding. */
typedef struct ll_damaged {
    const uint8_t *bytes;
    size_t size, first, last;
} ll_damaged;

/* Largest size of an undone file in bytes. */
static inline size_t ll_undone_room(size_t size)
{
    return size < SIZE_MAX / 2 ? 2 * size : SIZE_MAX;
}

/* Writes proposal number `which` (from 0) for the file before the damage to `out`, which has ll_undone_room() bytes.
 * Returns its size; 0: there is no such proposal, nor any with a higher number. */
size_t ll_damage_undo(ll_damage damage, const ll_damaged *file, uint32_t which, uint8_t *out);
/* Is the undone file offered as a patch? */
bool ll_damage_is_undone(ll_damage damage);
/* The bytes [from, to) that were lost or overwritten. `number`: the count shown for the damage. */
typedef struct ll_lost {
    size_t from, to;
    uint64_t number;
    uint32_t margin; /* bytes before `from` where the damage may be noticed, too */
    bool weak;       /* sound files may have such bytes: counts only if a finding is inside the range, not just near
                        it */
} ll_lost;

/* Finds place number `which` (from 0) of a damage that cannot be undone. It counts only if there is a finding at it.
 * False: there is no such place, nor any with a higher number. */
bool ll_damage_lost(ll_damage damage, const ll_damaged *file, uint32_t which, ll_lost *out);
/* The damage in words: "line feeds written as CR LF". Static storage. */
const char *ll_damage_words(ll_damage damage);

#endif
