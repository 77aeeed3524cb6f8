/* Expands the rows of LL_LAYOUT_FILE once, for layout_expand.h. Kinds of rows that it has not defined expand to
 * nothing. Undefines all of them at the end. Without an include guard, as it is included several times. */
#ifndef LL_RECORD
#define LL_RECORD(f, r, label, size, endian, meaning)
#endif
#ifndef LL_FIELD
#define LL_FIELD(f, r, off, name, type, bytes, role, sure, source, meaning)
#endif
#ifndef LL_END
#define LL_END(f, r, key)
#endif
#ifndef LL_STRING
#define LL_STRING(f, r, label, meaning)
#endif
#ifndef LL_BYTES
#define LL_BYTES(f, r, label, role, meaning)
#endif
#ifndef LL_GROUP
#define LL_GROUP(f, r, label, meaning)
#endif
#ifndef LL_REFERENCE
#define LL_REFERENCE(f, r, field, how, target, within, extent, unit, null)
#endif
#ifndef LL_ALIGN
#define LL_ALIGN(f, r, where, unit, padding)
#endif
#ifndef LL_FILL
#define LL_FILL(f, r, where, unit, padding, fill)
#endif
#ifndef LL_NAME
#define LL_NAME(f, r, field)
#endif
#ifndef LL_OWNER
#define LL_OWNER(f, r, owner)
#endif
#ifndef LL_DERIVE
#define LL_DERIVE(f, r, field, how, which, target, within, plus)
#endif
#ifndef LL_TEXTS
#define LL_TEXTS(f, r, field, text, before, bits)
#endif
#ifndef LL_SHARE
#define LL_SHARE(f, r, field, times, bytes, again)
#endif
#ifndef LL_PART
#define LL_PART(f, owner, how, part)
#endif
#ifndef LL_PART_WHEN
#define LL_PART_WHEN(f, owner, how, part, record, field, bits, value)
#endif
#ifndef LL_PART_FOR
#define LL_PART_FOR(f, owner, how, part, variants)
#endif
#ifndef LL_PART_TIMES
#define LL_PART_TIMES(f, owner, times, part, variants)
#endif
#ifndef LL_PART_SHARED
#define LL_PART_SHARED(f, owner, part, first)
#endif
#ifndef LL_PART_USUAL
#define LL_PART_USUAL(f, owner, part, usual, other)
#endif
#ifndef LL_PART_OF_EACH
#define LL_PART_OF_EACH(f, owner, part, record)
#endif
#ifndef LL_PART_TAG
#define LL_PART_TAG(f, owner, place, tag, part)
#endif
#ifndef LL_PART_LIKE
#define LL_PART_LIKE(f, owner, how, tag, part)
#endif
#ifndef LL_PART_COUNT
#define LL_PART_COUNT(f, part, r, field, bits, value, number, by, times)
#endif
#ifndef LL_EDITION
#define LL_EDITION(f, r, field, value, game, variant, method)
#endif
#ifndef LL_SECTION
#define LL_SECTION(f, part, record, magic, tag)
#endif
#ifndef LL_SECTION_BY
#define LL_SECTION_BY(f, r, field, part)
#endif
#ifndef LL_SECTION_RUN
#define LL_SECTION_RUN(f, r, field, part)
#endif
#ifndef LL_CHOICE
#define LL_CHOICE(f, r, field, bits, value, how, part)
#endif
#include LL_LAYOUT_FILE
#undef LL_RECORD
#undef LL_FIELD
#undef LL_END
#undef LL_STRING
#undef LL_BYTES
#undef LL_GROUP
#undef LL_REFERENCE
#undef LL_ALIGN
#undef LL_FILL
#undef LL_NAME
#undef LL_OWNER
#undef LL_DERIVE
#undef LL_TEXTS
#undef LL_SHARE
#undef LL_PART
#undef LL_PART_WHEN
#undef LL_PART_FOR
#undef LL_PART_TIMES
#undef LL_PART_SHARED
#undef LL_PART_USUAL
#undef LL_PART_OF_EACH
#undef LL_PART_TAG
#undef LL_PART_LIKE
#undef LL_PART_COUNT
#undef LL_EDITION
#undef LL_SECTION
#undef LL_SECTION_BY
#undef LL_SECTION_RUN
#undef LL_CHOICE
