/* Named checks of the grx family: relations between fields, entries, arrays and the file name. They read a parsed
 * document, judge values and raise faults without words; the words are in rules/grx.yaml. Positions are in metres,
 * angles of quaternions unitless. Every check is linear in the file; checks that look for pairs use a hash table in the
 * arena. */
#include "formats/grx/grx.h"

#include "base/endian.h"
#include "base/half.h"
#include "base/vector.h"
#include "formats/strcode.h"
#include "model/value.h"

#include <string.h>

enum { FACE_VERTICES_MAX = 7 }; /* OccluderEx has that many slots */

static const uint64_t HASH_OF_EMPTY = UINT64_C(0xB8A0BF169F98); /* StrCode64 of "" */
static const double INSIDE_TOLERANCE = 1e-3; /* of the box's edge; the worst of 81 real inner areas is 0 */
static const double PLANAR_TOLERANCE = 1e-3; /* of the face's extent; the worst of 156 real faces is 3e-6 */
static const double CONVEX_TOLERANCE = 1e-6; /* of the squared extent, for cross products */

/* ------------------------------------------------------------------ the index */

/* The kind of an entry. Where its tag is damaged, it was read as one of the kind before it or behind it. */
static const grx_kind *kind_of(const ll_doc *doc, uint32_t span, const grx_kind *before)
{
    static const uint32_t tags[] = {LL_LETTERS_LE('E', 'P', '0', '0'), LL_LETTERS_LE('P', 'L', '0', '3'),
                                    LL_LETTERS_LE('S', 'L', '0', '3'), LL_LETTERS_LE('O', 'C', '0', '0')};
    const ll_span *s = ll_doc_span(doc, span);
    const grx_kind *kind = grx_kind_of(ll_le32(doc->bytes + s->offset));
    if (kind && kind->layout == s->layout) {
        return kind;
    }
    if (before && before->layout == s->layout) {
        return before;
    }
    uint64_t end = (uint64_t)s->offset + s->length;
    kind = ll_fits(end, sizeof(uint32_t), doc->size) ? grx_kind_of(ll_le32(doc->bytes + end)) : NULL;
    if (kind && kind->layout == s->layout) {
        return kind;
    }
    kind = NULL;
    for (size_t i = 0; i < sizeof tags / sizeof tags[0] && !kind; i++) {
        kind = grx_kind_of(tags[i])->layout == s->layout ? grx_kind_of(tags[i]) : NULL;
    }
    return kind;
}

static void count_entry(const ll_doc *doc, grx_summary *out, uint32_t span, const grx_kind *kind)
{
    grx_tally *tally = &out->kinds[kind->number];
    const uint8_t *index = doc->bytes + ll_doc_span(doc, span)->offset + grx_probe_at_sh_data_index;
    if (kind->layout == grx_probe_LAYOUT && out->misplaced == LL_NO_SPAN && ll_le16(index) != tally->count) {
        out->misplaced = span;
        out->misplaced_ordinal = tally->count;
    }
    tally->first = tally->count++ ? tally->first : span;
    tally->last = span;
}

const void *grx_index(ll_doc *doc)
{
    grx_summary *out = ll_doc_zalloc(doc, 1, sizeof *out);
    const grx_kind *before = NULL;
    if (!out) {
        return NULL;
    }
    out->header = doc->firsts[grx_header_LAYOUT] - 1; /* LL_NO_SPAN where there is none */
    out->terminator = doc->firsts[grx_terminator_LAYOUT] - 1;
    out->misplaced = LL_NO_SPAN;
    out->name = grx_read_file_name(doc->name ? doc->name : "");
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        const grx_kind *kind = s->parent == LL_NO_SPAN && s->index != LL_NO_INDEX ? kind_of(doc, i, before) : NULL;
        if (kind) {
            count_entry(doc, out, i, kind);
        }
        out->unknown +=
            s->parent == LL_NO_SPAN && (s->layout == grx_unknown_entry_LAYOUT || s->layout == LL_LAYOUT_UNPARSED);
        before = s->parent == LL_NO_SPAN ? kind : before;
    }
    return out;
}

static const grx_summary *summary_of(const ll_check_run *run)
{
    return run->doc->index;
}

/* Kinds of entries, a bit for each. */
enum {
    POINTS = 1U << GRX_PL01 | 1U << GRX_PL02 | 1U << GRX_PL03,
    SPOTS = 1U << GRX_SL01 | 1U << GRX_SL02 | 1U << GRX_SL03,
    LIGHTS = POINTS | SPOTS,
    VERSION_2 = 1U << GRX_PL02 | 1U << GRX_SL02,
    VERSION_3 = 1U << GRX_PL03 | 1U << GRX_SL03,
    PROBES = 1U << GRX_EP00,
    OCCLUDERS = 1U << GRX_OC00,
    BESIDE_DATASET = (1U << GRX_KINDS) - 1 - (1U << GRX_CM00)
};

static grx_tally tally(const ll_check_run *run, unsigned kinds)
{
    grx_tally sum = {0, LL_NO_SPAN, 0};
    for (unsigned i = 0; i < GRX_KINDS; i++) {
        const grx_tally *kind = &summary_of(run)->kinds[i];
        if (kinds >> i & 1 && kind->count) {
            sum.count += kind->count;
            sum.first = kind->first < sum.first ? kind->first : sum.first;
            sum.last = kind->last > sum.last ? kind->last : sum.last;
        }
    }
    return sum;
}

/* The next record of a layout behind a span; there is one. */
static uint32_t next_of(const ll_doc *doc, uint32_t span, uint16_t layout)
{
    do {
        span++;
    } while (ll_doc_span(doc, span)->layout != layout);
    return span;
}

static ll_where tag_of(const ll_doc *doc, uint32_t span)
{
    return ll_at_field(doc, span, 0, grx_unknown_entry_tag); /* all entries start with it */
}

static ll_arg tag_arg(const ll_doc *doc, uint32_t span)
{
    return ll_chars(tag_of(doc, span).offset, 4);
}

static bool has_magic(const ll_check_run *run, const char *magic)
{
    return summary_of(run)->header != LL_NO_SPAN && memcmp(run->doc->bytes, magic, 4) == 0;
}

static ll_where magic_of(const ll_check_run *run)
{
    return ll_at_field(run->doc, summary_of(run)->header, 0, grx_header_magic);
}

static uint32_t child_of(const ll_doc *doc, uint32_t span, uint16_t layout)
{
    for (uint32_t i = span + 1; i < doc->span_count && ll_doc_span(doc, i)->parent == span; i++) {
        if (ll_doc_span(doc, i)->layout == layout) {
            return i;
        }
    }
    return LL_NO_SPAN;
}

/* The string of a named entry, LL_NO_SPAN when it has none that can be read. */
static uint32_t string_of(const ll_doc *doc, uint32_t span)
{
    bool dataset = ll_doc_span(doc, span)->layout == grx_dataset_LAYOUT;
    uint32_t string = child_of(doc, span, dataset ? grx_dataset_path_LAYOUT : grx_name_LAYOUT);
    return ll_is_usable(doc, string) ? string : LL_NO_SPAN;
}

/* ------------------------------------------------------------------ tails */

/* The offset of an irradiation point that stands right behind the name of its light. */
static void judge_absent_area(ll_check_run *run, unsigned field, uint64_t stated)
{
    const ll_doc *doc = run->doc;
    const uint32_t name = child_of(doc, run->span, grx_name_LAYOUT);
    const uint32_t point = child_of(doc, run->span, grx_irradiation_point_LAYOUT);
    if (name == LL_NO_SPAN || point == LL_NO_SPAN) {
        return;
    }
    const ll_where at = ll_at_field(doc, run->span, 0, field);
    const uint64_t right = ll_doc_span(doc, point)->offset - at.offset;
    if (stated == right + grx_light_area_SIZE) {
        ll_fault fault = LL_MAKE_FAULT(0, GRX_HINT_NONE, at, ll_nowhere(), ll_uint(stated), ll_uint(right));
        ll_patch_field(doc, &fault, LL_PATCH_SAFE, right);
        ll_report_fault(run, &fault);
    }
}

/* An irradiation point stands behind the name, and its offset counts a light area in front of it that there is not. */
void grx_check_absent_area(ll_check_run *run)
{
    const bool spot = ll_doc_span(run->doc, run->span)->layout == grx_spot_light_LAYOUT;
    const unsigned field = spot ? grx_spot_light_irradiation_offset : grx_point_light_irradiation_offset;
    const unsigned area = spot ? grx_spot_light_light_area_offset : grx_point_light_light_area_offset;
    ll_element record;
    if (ll_element_at(run->doc, run->span, 0, &record) && ll_get_uint(&record, field) && !ll_get_uint(&record, area)) {
        judge_absent_area(run, field, ll_get_uint(&record, field));
    }
}

/* ------------------------------------------------------------------ file names */

grx_file_name grx_read_file_name(const char *name)
{
#define LL_GRX_PART(name, text, ...) {text, sizeof(text) - 1 + __VA_ARGS__}, /* with its NUL where it ends the name */
    static const struct {
        const char *text;
        size_t length;
    } parts[] = {LL_GRX_PARTS};
#undef LL_GRX_PART
    grx_file_name out = {name, 0};
    for (; *name; name++) {
        if (*name == '/' || *name == '\\') {
            out = (grx_file_name){name + 1, 0};
        }
        for (unsigned i = 0; (*name == '.' || *name == '_') && i < sizeof parts / sizeof parts[0]; i++) {
            bool here = (name[1] | ' ') == parts[i].text[1] && *name == *parts[i].text &&
                        ll_same_letters(name, parts[i].text, parts[i].length);
            out.parts |= (unsigned)here << i;
        }
    }
    return out;
}

static bool has_part(const ll_check_run *run, unsigned parts)
{
    return (summary_of(run)->name.parts & parts) != 0;
}

void grx_check_extension_matches_magic(ll_check_run *run)
{
    bool lights = has_part(run, 1U << GRX_PART_LIGHTS);
    bool occluders = has_part(run, 1U << GRX_PART_OCCLUDERS);
    if ((lights && has_magic(run, "FGxO")) || (occluders && has_magic(run, "FGxL"))) {
        LL_REPORT(run, GRX_HINT_NONE, magic_of(run), ll_word(lights ? ".grxla" : ".grxoc"), ll_chars(0, 4));
    }
}

/* "<stem>_fox2_..." and "<stem>.fox2...." are the two shapes of exported names; other names say nothing. */
void grx_check_path_stem(ll_check_run *run)
{
    uint32_t dataset = tally(run, 1U << GRX_CM00).first;
    const char *name = summary_of(run)->name.base;
    bool exported = has_part(run, 1U << GRX_PART_EXPORTED | 1U << GRX_PART_EXPORTED_GZ);
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

/* The name that has the stored hash, and the byte in which it differs from the one that is there. */
typedef struct correction {
    uint32_t at, length;
    char name[LL_SEARCHED_TEXT + 1];
} correction;

static const char NAME_BYTES[] = "\0-./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz|";

static bool is_name_byte(unsigned c)
{
    return memchr(NAME_BYTES, (int)c, sizeof NAME_BYTES - 1) != NULL;
}

/* Tries every single-byte change of the first string in region[0, size) that leaves a plausible name. */
static bool find_correction(uint32_t *searched, const uint8_t *region, uint32_t size, uint64_t stored, correction *out)
{
    const uint8_t *nul = memchr(region, 0, size);
    if (!nul || !ll_strcode_may_search(searched, size)) {
        return false;
    }
    memcpy(out->name, region, size);
    out->name[size] = '\0';
    uint32_t length = (uint32_t)(nul - region);
    uint32_t longer = length + 1 + (uint32_t)strlen(out->name + length + 1); /* without the NUL */
    for (out->at = 0; out->at <= length; out->at++) {
        /* a NUL that was hit lengthens the name by one letter, not more */
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

static bool differs_in_one_byte(uint64_t a, uint64_t b)
{
    uint64_t x = a ^ b;
    return x && x <= UINT64_C(0xFF) << __builtin_ctzll(x) / 8 * 8;
}

/* The name is damaged in one byte: the finding points at that byte, the hash is what it is compared with. */
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
    if (c->length < s->length) { /* else no NUL would be left */
        ll_patch_field(run->doc, fault, LL_PATCH_UNSAFE, (uint8_t)c->name[c->at]);
    }
}

/* The hash of the empty string, or of bytes that no name has, is not offered: what is wrong then is the name. */
static void offer_hash(ll_check_run *run, ll_fault *fault, ll_patch_tier tier, uint64_t right)
{
    if (right != HASH_OF_EMPTY && fault->hint != GRX_HINT_NON_ASCII) {
        ll_patch_field(run->doc, fault, tier, right);
    }
}

/* The folder behind "/level/" begins as one that all known paths share, and goes on differently: its end was
 * overwritten. Paths of 230 real DataSets and arrays have "location", "mission" or "mission2" there. */
static bool is_folder_damaged(const uint8_t *folder, uint32_t length)
{
    static const char *const known[] = {"location/", "mission/", "mission2/"};
    enum { KNOWN_LETTERS = 3 }; /* of the beginning that tell which one was meant */
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

/* A byte that no name has, or a path that does not begin and end as all do, has no level in it or a damaged folder
 * there: rather the name is damaged than its hash. */
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

/* A name and its hash, `stored`, of which `right` would be the one of the name. */
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
        if (s->count && looks_damaged(text, s->count, path)) { /* and no hash of it is offered */
            fault = LL_MAKE_FAULT(0, fault.hint, fault.related, fault.at, fault.arg[0], fault.arg[1], fault.arg[2]);
        }
    }
    if (run->status == LL_OK) {
        ll_report_fault(run, &fault);
    }
}

/* Compares the 48 significant bits; name-hash-48bit reports the others. */
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

/* ------------------------------------------------------------------ composition */

static void report_pair(ll_check_run *run, uint32_t span, uint32_t other)
{
    LL_REPORT_RELATED(run, GRX_HINT_NONE, tag_of(run->doc, span), tag_of(run->doc, other), tag_arg(run->doc, span),
                      tag_arg(run->doc, other));
}

/* Of two groups that should not meet, the first of the smaller one; of equal ones that which comes later. */
static void report_mix(ll_check_run *run, grx_tally a, grx_tally b)
{
    bool a_is_wrong = a.count < b.count || (a.count == b.count && a.first > b.first);
    if (a.count && b.count) {
        report_pair(run, a_is_wrong ? a.first : b.first, a_is_wrong ? b.first : a.first);
    }
}

void grx_check_mixed_classes(ll_check_run *run)
{
    report_mix(run, tally(run, LIGHTS), tally(run, PROBES));
}

void grx_check_version_mix(ll_check_run *run)
{
    report_mix(run, tally(run, VERSION_2), tally(run, VERSION_3));
}

void grx_check_point_after_spot(ll_check_run *run)
{
    uint32_t spot = tally(run, SPOTS).first;
    if (tally(run, POINTS).last > spot) {
        report_pair(run, next_of(run->doc, spot, grx_point_light_LAYOUT), spot);
    }
}

/* The class is that of the entries; a file without any is not of the family. */
void grx_check_magic(ll_check_run *run)
{
    if (summary_of(run)->header == LL_NO_SPAN || has_magic(run, "FGxL") || has_magic(run, "FGxO")) {
        return;
    }
    static const uint8_t lights[] = {'F', 'G', 'x', 'L'}, occluders[] = {'F', 'G', 'x', 'O'};
    ll_fault fault = LL_MAKE_FAULT(0, GRX_HINT_NONE, magic_of(run), ll_nowhere(), ll_chars(0, 4));
    const uint32_t occluding = tally(run, OCCLUDERS).count, others = tally(run, LIGHTS | PROBES).count;
    if (occluding || others) { /* entries of one class decide it */
        ll_patch_bytes(run->doc, &fault, occluding && others ? LL_PATCH_UNSAFE : LL_PATCH_SAFE, 0, sizeof lights,
                       occluding ? occluders : lights, sizeof lights);
    }
    ll_report_fault(run, &fault);
}

/* Where every entry disagrees with the magic, the magic is what is wrong. */
void grx_check_magic_class(ll_check_run *run)
{
    bool occluder_file = has_magic(run, "FGxO");
    grx_tally occluders = tally(run, OCCLUDERS);
    grx_tally others = tally(run, LIGHTS | PROBES);
    uint32_t entry = (occluder_file ? others : occluders).first;
    bool all = (occluder_file ? occluders : others).count == 0;
    if (entry == LL_NO_SPAN || !(occluder_file || has_magic(run, "FGxL"))) {
        return;
    }
    LL_REPORT_RELATED(run, occluder_file ? GRX_HINT_CLASS_LOST : GRX_HINT_NONE,
                      all ? magic_of(run) : tag_of(run->doc, entry), all ? tag_of(run->doc, entry) : magic_of(run),
                      ll_chars(0, 4), tag_arg(run->doc, entry));
}

/* Nothing between the DataSet and the terminator, all of which was read. */
static bool is_empty(const ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    return !run->doc->unread && c->unknown == 0 && c->kinds[GRX_CM00].count && tally(run, BESIDE_DATASET).count == 0;
}

/* No occluder but entries of other classes: magic-class reports those. */
void grx_check_occluder_count(ll_check_run *run)
{
    grx_tally occluders = tally(run, OCCLUDERS);
    if (!has_magic(run, "FGxO")) {
        return;
    }
    if (occluders.count > 1) {
        uint32_t second = next_of(run->doc, occluders.first, grx_occluder_LAYOUT);
        LL_REPORT_RELATED(run, GRX_HINT_NONE, tag_of(run->doc, second), tag_of(run->doc, occluders.first),
                          ll_uint(occluders.count));
    } else if (is_empty(run)) {
        LL_REPORT(run, GRX_HINT_NONE, magic_of(run), ll_uint(0));
    }
}

void grx_check_array_empty(ll_check_run *run)
{
    uint32_t terminator = summary_of(run)->terminator;
    if (terminator != LL_NO_SPAN && is_empty(run)) {
        LL_REPORT(run, GRX_HINT_NONE, tag_of(run->doc, terminator), tag_arg(run->doc, terminator));
    }
}

/* An entry that the name of the file does not let one expect. */
static void report_for_name(ll_check_run *run, uint32_t entry, const char *name)
{
    if (entry != LL_NO_SPAN) {
        LL_REPORT(run, GRX_HINT_NONE, tag_of(run->doc, entry), tag_arg(run->doc, entry),
                  ll_escaped_arg(run, name, strlen(name)));
    }
}

/* Names ending in "_win.grx??" come from The Phantom Pain and Survive, names with ".steam" from Ground Zeroes. */
void grx_check_version_kind(ll_check_run *run)
{
    unsigned foreign = has_part(run, 1U << GRX_PART_WIN)     ? VERSION_2
                       : has_part(run, 1U << GRX_PART_STEAM) ? VERSION_3
                                                             : 0;
    report_for_name(run, tally(run, foreign).first, summary_of(run)->name.base);
}

void grx_check_content_matches_name(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    const char *name = c->name.base;
    bool probe_name = has_part(run, 1U << GRX_PART_PROBES_WIN | 1U << GRX_PART_PROBES_STEAM);
    bool light_name = !probe_name && has_part(run, 1U << GRX_PART_LIGHTS_WIN | 1U << GRX_PART_LIGHTS_STEAM);
    uint32_t probe = tally(run, PROBES).first;
    uint32_t entry = tally(run, BESIDE_DATASET).first;
    if (light_name) {
        report_for_name(run, probe, name);
    } else if (probe_name && probe == LL_NO_SPAN && entry != LL_NO_SPAN && c->unknown == 0 && !run->doc->unread) {
        LL_REPORT(run, GRX_HINT_NONE, tag_of(run->doc, entry), ll_word("no probe"),
                  ll_escaped_arg(run, name, strlen(name)));
    }
}

/* ------------------------------------------------------------------ lights and probes */

enum { SCALE = 0, ROTATION = 3, TRANSLATION = 7, TRANSFORM = 10 }; /* numbers of a transform */

/* Reads a transform whose first field (scale) has number `field`; false when it is not finite or its rotation is no
 * rotation. */
static bool read_transform(const ll_doc *doc, uint32_t span, unsigned field, double out[TRANSFORM])
{
    const uint8_t *p = doc->bytes + ll_at_field(doc, span, 0, field).offset;
    bool finite = true;
    for (unsigned i = 0; i < TRANSFORM; i++) {
        out[i] = ll_read_number(p + 4 * i, LL_TYPE_F32, LL_LITTLE);
        finite = finite && isfinite(out[i]);
    }
    double norm = ll_sum_of_squares(p + grx_light_area_at_rotation, 4, false);
    return finite && norm > 0.98 && norm < 1.02;
}

/* v turned by the unit quaternion q (X Y Z W): v + 2w(u x v) + 2u x (u x v). conjugate: the other way. */
static void turn(const double q[4], bool conjugate, const double v[3], double out[3])
{
    double sign = conjugate ? -1 : 1;
    double u[3] = {sign * q[0], sign * q[1], sign * q[2]};
    double once[3], twice[3];
    ll_cross(u, v, once);
    ll_cross(u, once, twice);
    for (unsigned i = 0; i < 3; i++) {
        out[i] = v[i] + 2 * (q[3] * once[i] + twice[i]);
    }
}

void grx_check_inner_area_fits(ll_check_run *run)
{
    static const char *const axes[] = {"x", "y", "z"};
    const ll_doc *doc = run->doc;
    uint32_t inner = child_of(doc, run->span, grx_inner_area_LAYOUT);
    double box[TRANSFORM], area[TRANSFORM];
    if (inner == LL_NO_SPAN || !read_transform(doc, run->span, grx_probe_scale, box) ||
        !read_transform(doc, inner, grx_inner_area_scale, area)) {
        return;
    }
    double centre[3], edges[3][3]; /* of the inner area, halved, seen from the box */
    for (unsigned i = 0; i < 3; i++) {
        double half[3] = {0, 0, 0};
        double world[3];
        half[i] = area[SCALE + i] / 2;
        turn(area + ROTATION, false, half, world);
        turn(box + ROTATION, true, world, edges[i]);
        centre[i] = area[TRANSLATION + i] - box[TRANSLATION + i];
    }
    turn(box + ROTATION, true, centre, centre);
    for (unsigned corner = 0; corner < 8; corner++) {
        for (unsigned i = 0; i < 3; i++) {
            double at = centre[i];
            for (unsigned k = 0; k < 3; k++) {
                at += corner >> k & 1U ? edges[k][i] : -edges[k][i];
            }
            double edge = fabs(box[SCALE + i]) / 2;
            if (fabs(at) > edge + INSIDE_TOLERANCE * fabs(box[SCALE + i])) {
                LL_REPORT_RELATED(run, GRX_HINT_NONE,
                                  ll_at_bytes(inner, ll_doc_span(doc, inner)->offset, grx_inner_area_SIZE),
                                  ll_at_field(doc, run->span, 0, grx_probe_scale), ll_word(axes[i]), ll_float(at),
                                  ll_float(-edge), ll_float(edge));
                return;
            }
        }
    }
}

/* The first probe whose index is not its ordinal. A probe that could not be read shifts the ordinals. */
static uint32_t first_misplaced(const ll_check_run *run)
{
    return summary_of(run)->unknown == 0 ? summary_of(run)->misplaced : LL_NO_SPAN;
}

/* One finding, at the first of them. */
void grx_check_sh_index_order(ll_check_run *run)
{
    uint32_t span = first_misplaced(run);
    ll_element probe;
    if (ll_element_at(run->doc, span, 0, &probe)) {
        LL_REPORT(run, GRX_HINT_NOT_RENUMBERED, ll_at_field(run->doc, span, 0, grx_probe_sh_data_index),
                  ll_uint(ll_get_uint(&probe, grx_probe_sh_data_index)), ll_uint(summary_of(run)->misplaced_ordinal));
    }
}

static bool is_copy(const ll_doc *doc, uint32_t a, uint32_t b)
{
    ll_element one, other;
    return ll_element_at(doc, a, 0, &one) && ll_element_at(doc, b, 0, &other) &&
           ll_get_uint(&one, grx_probe_name_hash) == ll_get_uint(&other, grx_probe_name_hash);
}

static bool index_of_probe(const ll_doc *doc, uint32_t span, uint64_t *index)
{
    ll_element probe;
    if (ll_doc_span(doc, span)->layout != grx_probe_LAYOUT || !ll_element_at(doc, span, 0, &probe)) {
        return false;
    }
    *index = ll_get_uint(&probe, grx_probe_sh_data_index);
    return true;
}

/* Of two probes that share an index, the one that has not the index of its place; a copy with the name of the other is
 * reported for that. */
void grx_check_sh_index_shared(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    uint64_t ordinal = 0;
    if (first_misplaced(run) == LL_NO_SPAN && summary_of(run)->unknown == 0) {
        return;
    }
    size_t indexes = 0;
    uint64_t index;
    for (uint32_t span = 0; span < doc->span_count; span++) {
        if (index_of_probe(doc, span, &index) && index >= indexes) {
            indexes = (size_t)index + 1;
        }
    }
    uint32_t *holders = ll_check_zalloc(run, indexes, sizeof *holders); /* 1 + span of the one that has it */
    for (uint32_t span = 0; holders && span < doc->span_count; span++) {
        if (!index_of_probe(doc, span, &index)) {
            continue;
        }
        uint32_t other = holders[index] - 1;
        if (holders[index] == 0 || is_copy(doc, span, other)) {
            holders[index] = span + 1;
        } else {
            uint32_t wrong = index == ordinal ? other : span;
            uint32_t right = wrong == span ? other : span;
            ll_where at = ll_at_field(doc, right, 0, grx_probe_sh_data_index);
            LL_REPORT_RELATED(run, GRX_HINT_NOT_RENUMBERED, ll_at_field(doc, wrong, 0, grx_probe_sh_data_index), at,
                              ll_uint(index), ll_path_arg(run, at));
            holders[index] = right + 1;
        }
        ordinal++;
    }
}

/* ------------------------------------------------------------------ occluders */

typedef struct polygon {
    unsigned count;
    double at[FACE_VERTICES_MAX][3];
    double normal[3]; /* Newell, not normalised: twice the area long */
    double extent;    /* largest distance of a vertex from the first */
} polygon;

/* The face as a polygon relative to its first vertex; false for faces that other rules report. */
static bool read_polygon(const ll_doc *doc, const ll_span *vertices, const uint8_t *face, polygon *out)
{
    unsigned first = ll_le16(face + grx_face_at_first_vertex);
    unsigned count = ll_le16(face + grx_face_at_vertex_count);
    if (count < 3 || count > FACE_VERTICES_MAX || !ll_fits(first, count, vertices->count)) {
        return false;
    }
    const uint8_t *vertex = doc->bytes + vertices->offset + (size_t)first * grx_vertex_SIZE;
    double origin[3];
    *out = (polygon){.count = count};
    for (unsigned i = 0; i < count; i++, vertex += grx_vertex_SIZE) {
        for (unsigned k = 0; k < 3; k++) {
            double value = ll_single_to_double(ll_le32(vertex + grx_vertex_at_position + 4 * k));
            if (!isfinite(value)) {
                return false;
            }
            origin[k] = i == 0 ? value : origin[k];
            out->at[i][k] = value - origin[k];
        }
        double distance = ll_length(out->at[i]);
        out->extent = distance > out->extent ? distance : out->extent;
    }
    for (unsigned i = 0; i < count; i++) {
        double part[3];
        ll_cross(out->at[i], out->at[(i + 1) % count], part);
        for (unsigned k = 0; k < 3; k++) {
            out->normal[k] += part[k];
        }
    }
    return true;
}

/* The place of a face: first_vertex and vertex_count lie side by side, one place for both. */
static ll_where face_at(const ll_check_run *run, uint32_t element)
{
    ll_where at = ll_at_field(run->doc, run->span, element, grx_face_first_vertex);
    at.length = grx_face_SIZE - grx_face_at_first_vertex;
    return at;
}

/* Judges all faces of an occluder. */
static void judge_faces(ll_check_run *run, void (*judge)(ll_check_run *run, uint32_t element, const polygon *p))
{
    const ll_span *span = ll_doc_span(run->doc, run->span);
    uint32_t vertices = span->parent == LL_NO_SPAN ? LL_NO_SPAN : child_of(run->doc, span->parent, grx_vertex_LAYOUT);
    uint32_t faces = vertices == LL_NO_SPAN ? 0 : span->count;
    const uint8_t *face = run->doc->bytes + span->offset;
    polygon p;
    for (uint32_t element = 0; element < faces; element++, face += grx_face_SIZE) {
        if (read_polygon(run->doc, ll_doc_span(run->doc, vertices), face, &p)) {
            judge(run, element, &p);
        }
    }
}

static void judge_planar(ll_check_run *run, uint32_t element, const polygon *p)
{
    double length = ll_length(p->normal);
    double least = 0;
    double most = 0;
    for (unsigned i = 0; length > 0 && i < p->count; i++) {
        double height = ll_dot(p->at[i], p->normal) / length;
        least = height < least ? height : least;
        most = height > most ? height : most;
    }
    if ((most - least) / 2 > PLANAR_TOLERANCE * p->extent) {
        LL_REPORT(run, GRX_HINT_NONE, face_at(run, element), ll_float((most - least) / 2),
                  ll_float(PLANAR_TOLERANCE * p->extent));
    }
}

void grx_check_face_planar(ll_check_run *run)
{
    judge_faces(run, judge_planar);
}

static const char *what_is_not_convex(const polygon *p)
{
    double tolerance = CONVEX_TOLERANCE * p->extent * p->extent;
    double length = ll_length(p->normal);
    if (length <= tolerance) {
        return "no area";
    }
    for (unsigned i = 0; i < p->count; i++) {
        const double *here = p->at[i];
        const double *next = p->at[(i + 1) % p->count];
        const double *after = p->at[(i + 2) % p->count];
        double a[3] = {next[0] - here[0], next[1] - here[1], next[2] - here[2]};
        double b[3] = {after[0] - next[0], after[1] - next[1], after[2] - next[2]};
        double corner[3];
        if (ll_dot(a, a) <= tolerance * CONVEX_TOLERANCE) {
            return "a repeated vertex";
        }
        ll_cross(a, b, corner);
        if (ll_dot(corner, p->normal) / length < -tolerance) {
            return "an inward corner";
        }
    }
    return NULL;
}

static void judge_convex(ll_check_run *run, uint32_t element, const polygon *p)
{
    const char *wrong = what_is_not_convex(p);
    if (wrong) {
        LL_REPORT(run, GRX_HINT_NONE, face_at(run, element), ll_word(wrong));
    }
}

void grx_check_face_convex(ll_check_run *run)
{
    judge_faces(run, judge_convex);
}
