/* StrCode64, the hash of names and paths in all Fox Engine files; docs/formats/grx.md, "StrCode64". */
#ifndef LL_FORMATS_STRCODE_H
#define LL_FORMATS_STRCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* StrCode64 of a name of n bytes, which a NUL must follow (name[n] is read): seeded CityHash64 1.0.3 over the name and
 * that NUL, low 48 bits. Its low 32 bits are StrCode32. */
uint64_t ll_strcode64(const uint8_t *name, size_t n);
/* The hash of a name without a NUL behind it. Families whose texts have this hash use it as ll_format.text_hash. */
uint64_t ll_strcode64_unended(const uint8_t *name, size_t n);
/* Longest text that is searched for the one byte that keeps it from having its hash, and how much of a file is: squares
 * of lengths in sum, 5 ms on a file of wrong hashes. */
enum { LL_SEARCHED_TEXT = 255, LL_SEARCHED_MAX = 1 << 17 };
/* May a text of that length be searched? Counts it then. */
static inline bool ll_strcode_may_search(uint32_t *searched, uint32_t length)
{
    bool may = length <= LL_SEARCHED_TEXT && *searched < LL_SEARCHED_MAX;
    *searched += may ? length * length : 0;
    return may;
}
/* CityHash64 1.0.3 itself, exposed for its test vectors. */
uint64_t ll_city64(const uint8_t *bytes, size_t n);

#endif
