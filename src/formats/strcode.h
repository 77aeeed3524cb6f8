/* StrCode64, the hash of names and paths in all Fox Engine files; docs/formats/grx.md, "StrCode64". */
#ifndef LL_FORMATS_STRCODE_H
#define LL_FORMATS_STRCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* StrCode64 of a name of n bytes: seeded CityHash64 1.0.3 over the name and its NUL, low 48 bits. name[n] is read and
 * must be 0. The low 32 bits of the result are StrCode32. */
uint64_t ll_strcode64(const uint8_t *name, size_t n);
/* StrCode64 of a name of n bytes that has no NUL after it; name[n] is not read. Families whose texts have this hash
 * use it as ll_format.text_hash. */
uint64_t ll_strcode64_unended(const uint8_t *name, size_t n);
/* Limits of the search for the single wrong byte of a text whose hash does not match. LL_SEARCHED_TEXT: length of the
 * longest text that is searched, in bytes. LL_SEARCHED_MAX: sum of the squared lengths of all texts searched in a file;
 * a file full of wrong hashes takes 5 ms. */
enum { LL_SEARCHED_TEXT = 255, LL_SEARCHED_MAX = 1 << 17 };
/* Whether a text of this length may still be searched; if so, its squared length is added to *searched. */
static inline bool ll_strcode_may_search(uint32_t *searched, uint32_t length)
{
    bool may = length <= LL_SEARCHED_TEXT && *searched < LL_SEARCHED_MAX;
    *searched += may ? length * length : 0;
    return may;
}
/* CityHash64 1.0.3 of n bytes, without the seed; exposed for its test vectors. */
uint64_t ll_city64(const uint8_t *bytes, size_t n);

#endif
