/* Faults: what the reader, a judge or a check reports as wrong. Only these functions make them.
 *
 *     LL_RAISE(doc, code, hint, at, ll_uint(1), ll_word("x"));                 a fault with its arguments
 *     LL_RAISE_RELATED(doc, code, hint, at, related, ll_uint(1));              and a second place
 *
 *     ll_fault fault = LL_MAKE_FAULT(code, hint, at, related, ll_uint(1));     and a patch:
 *     ll_patch_field(doc, &fault, LL_PATCH_UNSAFE, 17);                        the field at fault.at gets the value
 *     ll_patch_insert(doc, &fault, LL_PATCH_SAFE, offset, zeros, 4);           bytes are put in
 *     ll_raise(doc, &fault);
 *
 * Checks use LL_REPORT and LL_REPORT_RELATED (check.h). A place in a span that could not be claimed, as memory ran out,
 * is nowhere, so code that raises a fault need not test whether a claim succeeded. */
#ifndef LL_MODEL_FAULT_H
#define LL_MODEL_FAULT_H

#include "model/doc.h"

/* The place of a field of a record's element, or of a part of a string. Nowhere if the span or the element does not
 * exist. */
ll_where ll_at_field(const ll_doc *doc, uint32_t span, uint32_t element, unsigned field);
/* A place without a field: bytes of a span, or of no span (LL_NO_SPAN). */
static inline ll_where ll_at_bytes(uint32_t span, uint32_t offset, uint32_t length)
{
    return (ll_where){span, 0, LL_NO_FIELD, LL_NO_PART, offset, length};
}
/* The place of a fault that has no related place. */
static inline ll_where ll_nowhere(void)
{
    return ll_at_bytes(LL_NO_SPAN, 0, 0);
}

/* Expands to two parameters: an array of arguments and its length. */
#define LL_ARGUMENTS(...)                                                                                              \
    (const ll_arg[]){__VA_ARGS__}, (unsigned)(sizeof((const ll_arg[]){__VA_ARGS__}) / sizeof(ll_arg))

/* A fault without arguments, related place or patch. code: 0 in checks. */
static inline ll_fault ll_fault_at(unsigned code, ll_where at)
{
    return (ll_fault){.code = (uint16_t)code, .at = at, .related = ll_nowhere()};
}
ll_fault ll_fault_with(unsigned code, unsigned hint, ll_where at, ll_where related, const ll_arg *args, unsigned count);
/* Like ll_fault_with(), with at least one argument, written out. */
#define LL_MAKE_FAULT(code, hint, at, related, ...) ll_fault_with(code, hint, at, related, LL_ARGUMENTS(__VA_ARGS__))

/* Adds a copy of the fault to the document. Beyond LL_FAULTS_MAX, faults are only counted. */
void ll_raise(ll_doc *doc, const ll_fault *fault);
/* Adds the fault in front of all others, whatever their number. False: no memory. */
bool ll_raise_first(ll_doc *doc, const ll_fault *fault);
#define LL_RAISE_RELATED(doc, code, hint, at, related, ...)                                                            \
    ll_raise(doc, (const ll_fault[]){LL_MAKE_FAULT(code, hint, at, related, __VA_ARGS__)})
#define LL_RAISE(doc, code, hint, at, ...) LL_RAISE_RELATED(doc, code, hint, at, ll_nowhere(), __VA_ARGS__)

/* States that the fault raised last is about something that this version of the program cannot check. */
static inline void ll_mark_unsupported(ll_doc *doc)
{
    doc->unsupported = true;
    doc->unsupported_fault = doc->unsupported_fault ? doc->unsupported_fault : doc->last_fault;
}

/* Patches change the file. Other regions were made from bytes of the file, so a fault there gets no patch. */
/* Sets the integer field at fault->at to a value, in the field's width and the record's byte order. No patch if the
 * field cannot hold the value. */
void ll_patch_field(const ll_doc *doc, ll_fault *fault, ll_patch_tier tier, uint64_t value);
/* Replaces bytes at a file offset, which may be the file's end. The new bytes are in static storage or in an arena that
 * lives as long as the document. */
void ll_patch_edit(const ll_doc *doc, ll_fault *fault, ll_edit edit);
/* Puts bytes in at a file offset. */
static inline void ll_patch_insert(const ll_doc *doc, ll_fault *fault, ll_patch_tier tier, uint32_t offset,
                                   const uint8_t *bytes, uint32_t size)
{
    ll_patch_edit(doc, fault, (ll_edit){.tier = (uint8_t)tier, .offset = offset, .bytes = bytes, .size = size});
}
/* Removes `size` bytes at a file offset. */
static inline void ll_patch_remove(const ll_doc *doc, ll_fault *fault, ll_patch_tier tier, uint32_t offset,
                                   uint32_t size)
{
    ll_patch_edit(doc, fault, (ll_edit){.tier = (uint8_t)tier, .offset = offset, .removed = size});
}
/* Replaces `size` bytes at a file offset by as many. */
static inline void ll_patch_replace(const ll_doc *doc, ll_fault *fault, ll_patch_tier tier, uint32_t offset,
                                    const uint8_t *bytes, uint32_t size)
{
    ll_patch_edit(doc, fault,
                  (ll_edit){.tier = (uint8_t)tier, .offset = offset, .removed = size, .bytes = bytes, .size = size});
}
/* Somewhere among these bytes of the file, `by` bytes were put in: the patch takes them out, never all of `among`. If
 * bytes were taken out (by < 0), they are unknown: there is no patch. */
enum { LL_MOVED_MAX = 1 << 16 };
void ll_patch_moved(const ll_doc *doc, ll_fault *fault, ll_where among, int64_t by);
/* Replaces `size` bytes at a file offset. Other bytes may be right, so linting must show that the patch holds. */
void ll_patch_guess(const ll_doc *doc, ll_fault *fault, uint32_t offset, const uint8_t *bytes, uint32_t size);
/* Leaves the fault without a patch, as two different ones are possible. None is looked for either. */
static inline void ll_patch_none(ll_fault *fault)
{
    fault->patch = (ll_edit){.guessed = true};
}
/* Moves the bytes [from, middle) of the file after [middle, to). Linting must show that the patch holds. */
void ll_patch_order(ll_doc *doc, ll_fault *fault, uint32_t from, uint32_t middle, uint32_t to);
/* Reorders the elements of the array at fault->at, with all that belongs to them (consequence.h). `order` lives in the
 * document's memory and names each element once. */
void ll_patch_elements(ll_fault *fault, const uint32_t *order);
/* Raises a fault about surplus bytes, with a patch that removes them. */
void ll_raise_surplus(ll_doc *doc, ll_fault fault);
#define LL_RAISE_SURPLUS(doc, code, hint, at, ...)                                                                     \
    ll_raise_surplus(doc, LL_MAKE_FAULT(code, hint, at, ll_nowhere(), __VA_ARGS__))
/* In a copy, sets the unknown bytes of a field to those of the value. False: no byte of it was unknown. */
bool ll_fill_in(const ll_doc *doc, ll_where at, uint64_t value);
/* The bytes of a fault's patch. They live as long as the fault. */
static inline const uint8_t *ll_fault_patch(const ll_fault *fault)
{
    return fault->patch.bytes ? fault->patch.bytes : fault->patch_value;
}

#endif
