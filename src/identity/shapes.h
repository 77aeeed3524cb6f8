/* Recognises kinds of files that have no fixed signature: one function for each row LL_SHAPE of kinds.def. */
#ifndef LL_IDENTITY_SHAPES_H
#define LL_IDENTITY_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LL_KIND(slug, what)
#define LL_SIGNATURE(slug, offset, bytes)
#define LL_SHAPE(slug, function) bool ll_##function(const uint8_t *bytes, size_t size);
#include "identity/kinds.def"
#undef LL_KIND
#undef LL_SIGNATURE
#undef LL_SHAPE

#endif
