/* Faults: what a parser or a check says is wrong. The one way to make them.
 *
 *     LL_RAISE(doc, code, hint, at, ll_uint(1), ll_word("x"));                 a parser's fault with its arguments
 *     LL_RAISE_RELATED(doc, code, hint, at, related, ll_uint(1));              and a second place
 *
 *     ll_fault fault = LL_MAKE_FAULT(code, hint, at, related, ll_uint(1));     and a patch:
 *     ll_patch_field(doc, &fault, LL_PATCH_UNSAFE, 17);                        the field at fault.at gets the value
 *     ll_patch_bytes(doc, &fault, LL_PATCH_SAFE, offset, 0, zeros, 4);         bytes are put in, or replaced
 *     ll_raise(doc, &fault);
 *
 * Checks say LL_REPORT and LL_REPORT_RELATED (check.h). Places of a span that could not be claimed, for want of memory,
 * are nowhere: who raises a fault need not ask whether a claim succeeded. */
#ifndef LL_MODEL_FAULT_H
#define LL_MODEL_FAULT_H

#include "model/doc.h"

/* A field of a record's element, or a part of a string. */
ll_where ll_at_field(const ll_doc *doc, uint32_t span, uint32_t element, unsigned field);
/* A place that is no field: bytes of a span (or of nothing, LL_NO_SPAN). */
static inline ll_where ll_at_bytes(uint32_t span, uint32_t offset, uint32_t length)
{
    return (ll_where){span, 0, LL_NO_FIELD, LL_NO_PART, offset, length};
}
/* A related place that there is not. */
static inline ll_where ll_nowhere(void)
{
    return ll_at_bytes(LL_NO_SPAN, 0, 0);
}

/* The last two parameters of the functions below: some arguments, and how many. */
#define LL_ARGUMENTS(...)                                                                                              \
    (const ll_arg[]){__VA_ARGS__}, (unsigned)(sizeof((const ll_arg[]){__VA_ARGS__}) / sizeof(ll_arg))

/* A fault at a place, without arguments, related place or patch. code: 0 in checks. */
static inline ll_fault ll_fault_at(unsigned code, ll_where at)
{
    return (ll_fault){.code = (uint16_t)code, .at = at, .related = ll_nowhere()};
}
ll_fault ll_fault_with(unsigned code, unsigned hint, ll_where at, ll_where related, const ll_arg *args, unsigned count);
/* The same with at least one argument, written out. */
#define LL_MAKE_FAULT(code, hint, at, related, ...) ll_fault_with(code, hint, at, related, LL_ARGUMENTS(__VA_ARGS__))

/* Records a fault (copied). Past LL_FAULTS_MAX only counted. */
void ll_raise(ll_doc *doc, const ll_fault *fault);
/* The same in front of all others, whatever their number. False: no memory. */
bool ll_raise_first(ll_doc *doc, const ll_fault *fault);
void ll_raise_with(ll_doc *doc, unsigned code, unsigned hint, ll_where at, ll_where related, const ll_arg *args,
                   unsigned count);
#define LL_RAISE_RELATED(doc, code, hint, at, related, ...)                                                            \
    ll_raise_with(doc, code, hint, at, related, LL_ARGUMENTS(__VA_ARGS__))
#define LL_RAISE(doc, code, hint, at, ...) LL_RAISE_RELATED(doc, code, hint, at, ll_nowhere(), __VA_ARGS__)

/* Says that the fault raised last is about what this version of the program cannot check. */
static inline void ll_mark_unsupported(ll_doc *doc)
{
    doc->unsupported = true;
    doc->unsupported_fault = doc->unsupported_fault ? doc->unsupported_fault : doc->last_fault;
}

/* Patches. They write to the file: bytes of another region were made from those of the file, so there the fault stays
 * without a patch. */
/* The integer field at fault->at gets a value, in the width of its row and the byte order of its record. */
void ll_patch_field(const ll_doc *doc, ll_fault *fault, ll_patch_tier tier, uint64_t value);
/* `size` bytes, of static storage or an arena of the file, take the place of `removed` bytes at an offset, which may be
 * the file's end. */
void ll_patch_bytes(const ll_doc *doc, ll_fault *fault, ll_patch_tier tier, uint32_t offset, uint32_t removed,
                    const uint8_t *bytes, uint32_t size);
/* Somewhere among these bytes of the file so many were put in (by > 0), and are taken out again, but never all of them.
 * What was taken out (by < 0), nobody knows: there is no patch. */
enum { LL_MOVED_MAX = 1 << 16 };
void ll_patch_moved(const ll_doc *doc, ll_fault *fault, ll_where among, int64_t by);
/* The same bytes, of which others than these may be right: offered where linting shows that they hold. */
void ll_patch_guess(const ll_doc *doc, ll_fault *fault, uint32_t offset, const uint8_t *bytes, uint32_t size);
/* Two things may be meant that make other bytes: there is no patch, and none is looked for. */
static inline void ll_patch_none(ll_fault *fault)
{
    fault->patch = (ll_edit){.guessed = true};
}
/* The bytes [from, middle) of the file go behind [middle, to). */
void ll_patch_order(ll_doc *doc, ll_fault *fault, uint32_t from, uint32_t middle, uint32_t to);
/* The elements of the array at fault->at in another order, of memory of the document: each element is in it once. What
 * belongs to them goes with them (consequence.h). */
void ll_patch_elements(ll_fault *fault, const uint32_t *order);
/* Raises a fault whose bytes are surplus. */
void ll_raise_surplus(ll_doc *doc, ll_fault fault);
#define LL_RAISE_SURPLUS(doc, code, hint, at, ...)                                                                     \
    ll_raise_surplus(doc, LL_MAKE_FAULT(code, hint, at, ll_nowhere(), __VA_ARGS__))
/* Of a copy, the bytes of a field that are not known become those of the value. False: all of them are known. */
bool ll_fill_in(const ll_doc *doc, ll_where at, uint64_t value);
/* The bytes of a fault's patch, which live as long as the fault. */
static inline const uint8_t *ll_fault_patch(const ll_fault *fault)
{
    return fault->patch.bytes ? fault->patch.bytes : fault->patch_value;
}

#endif
