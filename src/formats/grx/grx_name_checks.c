/* C checks of names of entries (rows of grx_checks.def): their hashes, and whether the path of the DataSet fits the
 * file name. */
#include "formats/grx/grx.h"

#include "formats/strcode.h"

#include <string.h>

static const uint64_t HASH_OF_EMPTY = UINT64_C(0xB8A0BF169F98); /* StrCode64 of "" */

/* Span of the name of an entry, or of the path of a DataSet entry. LL_NO_SPAN: it has none, or it is broken. */
static uint32_t string_of(const ll_doc *doc, uint32_t span)
{
    bool dataset = ll_doc_span(doc, span)->layout == grx_dataset_LAYOUT;
    uint32_t string = grx_child_of(doc, span, dataset ? grx_dataset_path_LAYOUT : grx_name_LAYOUT);
    return ll_is_usable(doc, string) ? string : LL_NO_SPAN;
}

/* Exported files are named "<stem>_fox2_..." or "<stem>.fox2....", after the stem of the DataSet. Other file names are
 * not checked. */
void grx_check_path_stem(ll_check_run *run)
{
    uint32_t dataset = grx_summary_of(run)->kinds[GRX_CM00].first;
    const char *name = grx_summary_of(run)->name.base;
    bool exported = grx_has_part(run, 1U << GRX_PART_EXPORTED | 1U << GRX_PART_EXPORTED_GZ);
    uint32_t string = dataset == LL_NO_SPAN ? LL_NO_SPAN : string_of(run->doc, dataset);
    if (!exported || string == LL_NO_SPAN) {
        return;
    }
    ll_where at = ll_at_field(run->doc, string, 0, LL_STRING_TEXT);
    const char *file = (const char *)run->doc->bytes + at.offset;
    uint32_t length = 0; /* of the last component of the path */
    while (length < at.length && file[at.length - length - 1] != '/') {
        length++;
    }
    file += at.length - length;
    at.offset += at.length - length;
    at.length = length;
    uint32_t stem = length > 5 && ll_same_letters(file + length - 5, ".fox2", 5) ? length - 5 : length;
    bool fits = strlen(name) > stem + 6 && ll_same_letters(name, file, stem) &&
                (ll_same_letters(name + stem, "_fox2_", 6) || ll_same_letters(name + stem, ".fox2.", 6));
    if (!fits) {
        LL_REPORT(run, GRX_HINT_NONE, at, ll_escaped_arg(run, name, strlen(name)), ll_chars(at.offset, stem));
    }
}

/* ------------------------------------------------------------------ names and hashes */

/* A name that has the stored hash and differs from the name in the file in one byte. */
typedef struct correction {
    uint32_t at, length; /* offset of that byte; length of this name */
    char name[LL_SEARCHED_TEXT + 1];
} correction;

/* Bytes that names consist of; the first is the NUL that ends them. */
static const char NAME_BYTES[] = "\0-./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz|";

static bool is_name_byte(unsigned c)
{
    return memchr(NAME_BYTES, (int)c, sizeof NAME_BYTES - 1) != NULL;
}

/* Searches for a change of one byte of the first string in region[0, size), or of its NUL, that gives a plausible name
 * with the stored hash. False: there is none, there is no NUL, or the limit of searches is used up. */
static bool find_correction(uint32_t *searched, const uint8_t *region, uint32_t size, uint64_t stored, correction *out)
{
    const uint8_t *nul = memchr(region, 0, size);
    if (!nul || !ll_strcode_may_search(searched, size)) {
        return false;
    }
    memcpy(out->name, region, size);
    out->name[size] = '\0';
    uint32_t length = (uint32_t)(nul - region);
    /* Length of the name if its NUL is a damaged letter: up to the next NUL. */
    uint32_t longer = length + 1 + (uint32_t)strlen(out->name + length + 1);
    for (out->at = 0; out->at <= length; out->at++) {
        /* A damaged NUL makes a name one letter longer: a NUL (i == 0) is tried only in place of the last letter. */
        for (size_t i = out->at + 1 != length; i < sizeof NAME_BYTES - 1; i++) {
            out->name[out->at] = NAME_BYTES[i];
            out->length = out->at == length ? longer : i ? length : out->at;
            if (out->length && (uint8_t)NAME_BYTES[i] != region[out->at] &&
                ll_strcode64((const uint8_t *)out->name, out->length) == stored) {
                return true;
            }
        }
        out->name[out->at] = (char)region[out->at];
    }
    return false;
}

/* Whether exactly one byte of two hashes differs. */
static bool differs_in_one_byte(uint64_t a, uint64_t b)
{
    uint64_t x = a ^ b;
    return x && x <= UINT64_C(0xFF) << __builtin_ctzll(x) / 8 * 8;
}

/* Makes the fault one about the damaged byte of the name, with the hash as the related place. */
static void blame_name(ll_check_run *run, ll_fault *fault, uint32_t string, const correction *c)
{
    const ll_span *s = ll_doc_span(run->doc, string);
    ll_text text;
    ll_text_init(&text, &run->arena->allocator);
    ll_text_char(&text, '"');
    ll_text_escape(&text, c->name, c->length);
    ll_text_char(&text, '"');
    fault->related = fault->at;
    fault->at = ll_at_field(run->doc, string, 0, c->at < s->count ? LL_STRING_TEXT : LL_STRING_TERMINATOR);
    fault->at.offset = s->offset + c->at;
    fault->at.length = 1;
    fault->hint = GRX_HINT_ONE_BYTE_OF_NAME;
    fault->arg[3] = ll_text_arg(run, &text);
    if (c->length < s->length) { /* else the name would have no NUL */
        ll_patch_field(run->doc, fault, LL_PATCH_UNSAFE, (uint8_t)c->name[c->at]);
    }
}

/* Adds a patch that writes the hash of the name. None for an empty name or one with bytes above 0x7F: then the name is
 * wrong. */
static void offer_hash(ll_check_run *run, ll_fault *fault, ll_patch_tier tier, uint64_t right)
{
    if (right != HASH_OF_EMPTY && fault->hint != GRX_HINT_NON_ASCII) {
        ll_patch_field(run->doc, fault, tier, right);
    }
}

/* Whether the folder after "/level/" begins like a known one but goes on differently: it was overwritten. Paths of 230
 * real DataSets and arrays have "location", "mission" or "mission2" there. */
static bool is_folder_damaged(const uint8_t *folder, uint32_t length)
{
    static const char *const known[] = {"location/", "mission/", "mission2/"};
    enum { KNOWN_LETTERS = 3 }; /* at the beginning of a folder that identify it */
    bool begins = false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const size_t whole = strlen(known[i]);
        if (length >= whole && memcmp(folder, known[i], whole) == 0) {
            return false;
        }
        begins = begins || (length >= KNOWN_LETTERS && memcmp(folder, known[i], KNOWN_LETTERS) == 0);
    }
    return begins;
}

/* Whether a name is damaged rather than its hash: it has a byte that no name has, or it is a path that does not begin
 * with /Assets/ and end with .fox2, has no "/level/", or has a damaged folder after that. */
static bool looks_damaged(const uint8_t *text, uint32_t length, bool path)
{
    bool level = !path;
    for (uint32_t i = 0; i < length; i++) {
        if (!is_name_byte(text[i])) {
            return true;
        }
        if (path && length - i > 7 && memcmp(text + i, "/level/", 7) == 0) {
            level = true;
            if (is_folder_damaged(text + i + 7, length - i - 7)) {
                return true;
            }
        }
    }
    bool ends = length > 13 && memcmp(text, "/Assets/", 8) == 0 && memcmp(text + length - 5, ".fox2", 5) == 0;
    return !level || (path && !ends);
}

/* Reports a name and its stored hash, which differ. right: the hash of the name. */
static void report_hash(ll_check_run *run, uint32_t string, uint64_t stored, uint64_t right)
{
    const ll_doc *doc = run->doc;
    const ll_span *s = ll_doc_span(doc, string);
    const uint8_t *text = doc->bytes + s->offset;
    ll_fault fault = LL_MAKE_FAULT(0, GRX_HINT_ONE_BYTE_OF_HASH, ll_at_field(doc, run->span, 0, grx_dataset_name_hash),
                                   ll_at_field(doc, string, 0, LL_STRING_TEXT), ll_uint(stored), ll_uint(right),
                                   ll_chars(s->offset, s->count));
    correction c;
    bool path = ll_doc_span(doc, run->span)->layout == grx_dataset_LAYOUT;
    if (differs_in_one_byte(stored, right)) {
        offer_hash(run, &fault, LL_PATCH_SAFE, right);
    } else if (find_correction(run->searched, text, s->length, stored, &c)) {
        blame_name(run, &fault, string, &c);
    } else {
        fault.hint = ll_has_high_bytes(text, s->count) ? GRX_HINT_NON_ASCII
                     : path                            ? GRX_HINT_PATH_EDITED
                                                       : GRX_HINT_NAME_EDITED;
        offer_hash(run, &fault, LL_PATCH_UNSAFE, right);
        if (s->count && looks_damaged(text, s->count, path)) { /* report the name, without a patch */
            fault = LL_MAKE_FAULT(0, fault.hint, fault.related, fault.at, fault.arg[0], fault.arg[1], fault.arg[2]);
        }
    }
    if (run->status == LL_OK) {
        ll_report_fault(run, &fault);
    }
}

/* Compares the low 48 bits, which a hash has; the rule name-hash-48bit reports the others. */
void grx_check_name_hash(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    uint32_t string = string_of(doc, run->span);
    ll_element record;
    if (string != LL_NO_SPAN && ll_element_at(doc, run->span, 0, &record)) {
        const ll_span *s = ll_doc_span(doc, string);
        const uint64_t stored = ll_get_uint(&record, grx_dataset_name_hash) & UINT64_C(0xFFFFFFFFFFFF);
        const uint64_t right = ll_strcode64(doc->bytes + s->offset, s->count);
        if (stored != right) {
            report_hash(run, string, stored, right);
        }
    }
}
