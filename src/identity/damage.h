/* Damage in transport, proposed from bytes alone. Whoever asks tries the proposal: what is undone must read as a file
 * of ours without anything wrong, or the proposal was none. */
#ifndef LL_IDENTITY_DAMAGE_H
#define LL_IDENTITY_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By the rows of damages.def, those that can be undone first. */
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

/* A file with something wrong in it, at `first` (an offset) before all else, and at `last`. */
typedef struct ll_damaged {
    const uint8_t *bytes;
    size_t size, first, last;
} ll_damaged;

/* Bytes that a proposal takes at most. */
static inline size_t ll_undone_room(size_t size)
{
    return size < SIZE_MAX / 2 ? 2 * size : SIZE_MAX;
}

/* Writes proposal number `which` (from 0 on) of how the file was before the damage into `out`, which has
 * ll_undone_room() bytes. Returns its size; 0: there is no such proposal, nor any of a higher number. */
size_t ll_damage_undo(ll_damage damage, const ll_damaged *file, uint32_t which, uint8_t *out);
/* May the undone file take the place of this one? */
bool ll_damage_is_undone(ll_damage damage);
/* The bytes [from, to) that a damage took or put in place of others; number: of what the row of damages.def counts. */
typedef struct ll_lost {
    size_t from, to;
    uint64_t number;
    uint32_t margin; /* bytes in front in which it may be noticed */
    bool weak;       /* a sound file may have the like: something must be wrong among these bytes, not beside them */
} ll_lost;

/* Place number `which` (from 0 on) of a damage that cannot be undone; it is one only if something is wrong there.
 * False: there is none, nor any of a higher number. */
bool ll_damage_lost(ll_damage damage, const ll_damaged *file, uint32_t which, ll_lost *out);
/* "line feeds written as CR LF". Static storage. */
const char *ll_damage_words(ll_damage damage);

#endif
