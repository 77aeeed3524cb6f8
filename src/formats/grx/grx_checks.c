/* Named checks of the grx family: relations between fields, entries, arrays and the file name. They read a parsed
 * document, judge values and raise faults without words; the words are in rules/grx.yaml. Positions are in metres,
 * angles of quaternions unitless. Every check is linear in the file; checks that look for pairs use a hash table in the
 * arena. */
#include "formats/grx/grx.h"

#include "base/endian.h"
#include "base/half.h"
#include "model/value.h"

#include <math.h>
#include <string.h>

enum {
    CORRECTED_ENTRIES =
        1024, /* entries whose name is searched for the one wrong byte: bounds the work on a file of wrong hashes */
    CORRECTED_NAME = 255, /* longest name searched so */
    FACE_VERTICES_MAX = 7 /* OccluderEx has that many slots */
};

static const uint64_t HASH_OF_EMPTY = UINT64_C(0xB8A0BF169F98); /* StrCode64 of "" */
static const double INSIDE_TOLERANCE = 1e-3; /* of the box's edge; the worst of 81 real inner areas is 0 */
static const double PLANAR_TOLERANCE = 1e-3; /* of the face's extent; the worst of 156 real faces is 3e-6 */
static const double CONVEX_TOLERANCE = 1e-6; /* of the squared extent, for cross products */

static const grx_summary *summary_of(const ll_check_run *run)
{
    return run->doc->format_data;
}

static ll_where tag_of(const ll_doc *doc, uint32_t span)
{
    return ll_at_field(doc, span, 0, grx_unknown_entry_tag); /* all entries start with it */
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

/* ------------------------------------------------------------------ file names */

/* The last component of the file's name, "" when it has none. */
static const char *base_name(const ll_doc *doc)
{
    const char *base = doc->name ? doc->name : "";
    for (const char *p = base; *p; p++) {
        if (*p == '/' || *p == '\\') {
            base = p + 1;
        }
    }
    return base;
}

static bool holds(const char *name, const char *part)
{
    size_t n = strlen(name);
    size_t m = strlen(part);
    for (size_t i = 0; i + m <= n; i++) {
        if (ll_same_letters(name + i, part, m)) {
            return true;
        }
    }
    return false;
}

void grx_check_extension_matches_magic(ll_check_run *run)
{
    const grx_summary *summary = summary_of(run);
    const char *name = base_name(run->doc);
    bool lights = ll_ends_with(name, ".grxla");
    bool occluders = ll_ends_with(name, ".grxoc");
    if (summary->header == LL_NO_SPAN || !(lights || occluders)) {
        return;
    }
    char last = (char)run->doc->bytes[3];
    bool magic = memcmp(run->doc->bytes, "FGx", 3) == 0 && (last == 'L' || last == 'O');
    if (magic && lights != (last == 'L')) {
        LL_REPORT(run, GRX_HINT_NONE, ll_at_field(run->doc, summary->header, 0, grx_header_magic),
                  ll_word(lights ? ".grxla" : ".grxoc"), ll_chars(0, 4));
    }
}

/* "<stem>_fox2_..." and "<stem>.fox2...." are the two shapes of exported names; other names say nothing. */
static bool is_exported_name(const char *name)
{
    return holds(name, "_fox2_") || holds(name, ".fox2.");
}

void grx_check_path_stem(ll_check_run *run)
{
    const grx_summary *summary = summary_of(run);
    const char *name = base_name(run->doc);
    if (summary->dataset == LL_NO_SPAN || !is_exported_name(name)) {
        return;
    }
    uint32_t string = child_of(run->doc, summary->dataset, grx_dataset_path_LAYOUT);
    if (!ll_is_usable(run->doc, string)) {
        return;
    }
    const ll_span *s = ll_doc_span(run->doc, string);
    const char *path = (const char *)run->doc->bytes + s->offset;
    size_t n = s->count;
    size_t start = n;
    while (start > 0 && path[start - 1] != '/') {
        start--;
    }
    size_t stem = n - start;
    stem = stem > 5 && ll_same_letters(path + n - 5, ".fox2", 5) ? stem - 5 : stem;
    bool fits = strlen(name) > stem + 6 && ll_same_letters(name, path + start, stem) &&
                (ll_same_letters(name + stem, "_fox2_", 6) || ll_same_letters(name + stem, ".fox2.", 6));
    if (!fits) {
        ll_fault fault = ll_fault_at(0, ll_at_field(run->doc, string, 0, LL_STRING_TEXT));
        fault.at.offset += (uint32_t)start;
        fault.at.length = (uint32_t)(n - start);
        fault.arg[0] = ll_escaped_arg(run, name, strlen(name));
        fault.arg[1] = ll_chars(s->offset + (uint32_t)start, (uint32_t)stem);
        ll_report_fault(run, &fault);
    }
}

/* ------------------------------------------------------------------ names and hashes */

/* Where one byte of a name region is wrong: with `byte` at `at` the region's first string has the stored hash. */
typedef struct correct_count {
    uint32_t at; /* from the region's start */
    uint8_t byte;
    uint32_t length; /* of the corrected string */
} correct_count;

static bool is_name_byte(unsigned c)
{
    return c == 0 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c && strchr("_|/.-", (int)c));
}

/* Tries every single-byte change of the first string in region[0, size) that leaves a plausible name. */
static bool find_correction(const uint8_t *region, uint32_t size, uint64_t stored, correct_count *out)
{
    uint8_t work[CORRECTED_NAME + 1];
    const uint8_t *nul = memchr(region, 0, size);
    if (!nul || size > CORRECTED_NAME) {
        return false;
    }
    memcpy(work, region, size);
    work[size] = 0;
    uint32_t length = (uint32_t)(nul - region);
    for (uint32_t at = 0; at <= length; at++) {
        for (unsigned c = 0; c < 0x80; c++) {
            bool cuts = c == 0 && at + 1 != length; /* a NUL that was hit lengthens the name by one letter, not more */
            if (!is_name_byte(c) || c == region[at] || cuts) {
                continue;
            }
            work[at] = (uint8_t)c;
            size_t corrected = c == 0 ? at : at < length ? length : strlen((const char *)work);
            if (corrected && grx_strcode64(work, corrected) == stored) {
                *out = (correct_count){at, (uint8_t)c, (uint32_t)corrected};
                return true;
            }
        }
        work[at] = region[at];
    }
    return false;
}

static bool differs_in_one_byte(uint64_t a, uint64_t b)
{
    uint64_t x = a ^ b;
    while (x && (x & 0xFF) == 0) {
        x >>= 8;
    }
    return x && x <= 0xFF;
}

static bool has_high_bytes(const uint8_t *text, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        if (text[i] >= 0x80) {
            return true;
        }
    }
    return false;
}

/* The name is damaged in one byte: the finding points at that byte, the hash is what it is measured against. */
static void blame_name(ll_check_run *run, ll_fault *fault, uint32_t string, const correct_count *m)
{
    const ll_span *s = ll_doc_span(run->doc, string);
    uint8_t *quoted = ll_check_zalloc(run, m->length + 3U, 1);
    if (!quoted) {
        return;
    }
    uint8_t *corrected = quoted + 1;
    memcpy(corrected, run->doc->bytes + s->offset, m->length < s->length ? m->length : s->length);
    corrected[m->at] = m->byte;
    quoted[0] = corrected[m->length] = '"';
    fault->related = fault->at;
    fault->at = ll_at_field(run->doc, string, 0, m->at < s->count ? LL_STRING_TEXT : LL_STRING_TERMINATOR);
    fault->at.offset = s->offset + m->at;
    fault->at.length = 1;
    fault->hint = GRX_HINT_ONE_BYTE_OF_NAME;
    bool shown = true; /* find_correction lets only plain ASCII in, but other bytes may have been there before */
    for (uint32_t i = 0; i < m->length; i++) {
        shown = shown && corrected[i] >= 0x20 && corrected[i] < 0x7F;
    }
    fault->arg[3] = ll_word(shown ? (const char *)quoted : "a name one byte away");
    fault->patch_tier = LL_PATCH_UNSAFE;
    fault->patch_offset = s->offset + m->at;
    fault->patch_removed = fault->patch_size = 1;
    fault->patch_bytes = m->byte ? corrected + m->at : quoted + m->length + 2;
}

static void offer_hash(ll_check_run *run, ll_fault *fault, uint64_t right)
{
    if (right == HASH_OF_EMPTY) { /* what is wrong then is the name */
        return;
    }
    ll_patch_field(run->doc, fault, LL_PATCH_SAFE, right);
}

/* The string of a named entry, LL_NO_SPAN when it has none that can be read. */
static uint32_t string_of(const ll_doc *doc, uint32_t span)
{
    uint16_t layout = ll_doc_span(doc, span)->layout == grx_dataset_LAYOUT ? grx_dataset_path_LAYOUT : grx_name_LAYOUT;
    uint32_t string = child_of(doc, span, layout);
    bool readable = ll_is_usable(doc, string);
    return readable ? string : LL_NO_SPAN;
}

/* Compares the 48 significant bits; name-hash-48bit reports the others. */
void grx_check_name_hash(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    uint32_t string = string_of(doc, run->span);
    if (string == LL_NO_SPAN) {
        return;
    }
    const ll_span *s = ll_doc_span(doc, string);
    const uint8_t *text = doc->bytes + s->offset;
    uint64_t stored = ll_get_uint(doc, run->span, 0, grx_dataset_name_hash) & UINT64_C(0xFFFFFFFFFFFF);
    uint64_t right = grx_strcode64(text, s->count);
    if (stored == right) {
        return;
    }
    ll_fault fault = ll_fault_at(0, ll_at_field(doc, run->span, 0, grx_dataset_name_hash));
    fault.related = ll_at_field(doc, string, 0, LL_STRING_TEXT);
    fault.arg[0] = ll_uint(stored);
    fault.arg[1] = ll_uint(right);
    fault.arg[2] = ll_chars(s->offset, s->count);
    bool dataset = ll_doc_span(doc, run->span)->layout == grx_dataset_LAYOUT;
    correct_count m;
    if (differs_in_one_byte(stored, right)) {
        fault.hint = GRX_HINT_ONE_BYTE_OF_HASH;
        offer_hash(run, &fault, right);
    } else if (ll_doc_span(doc, run->span)->index < CORRECTED_ENTRIES && find_correction(text, s->length, stored, &m)) {
        blame_name(run, &fault, string, &m);
    } else {
        fault.hint = has_high_bytes(text, s->count) ? GRX_HINT_G11_NON_ASCII
                     : dataset                      ? GRX_HINT_G3_PATH_EDITED
                                                    : GRX_HINT_H1_NAME_EDITED;
        offer_hash(run, &fault, right);
    }
    if (run->status == LL_OK) {
        ll_report_fault(run, &fault);
    }
}

/* An empty string, or a hash that only an empty string has. */
void grx_check_name_empty(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    uint32_t string = string_of(doc, run->span);
    uint64_t stored = ll_get_uint(doc, run->span, 0, grx_dataset_name_hash);
    bool empty = string != LL_NO_SPAN && ll_doc_span(doc, string)->count == 0;
    if (empty || stored == HASH_OF_EMPTY) {
        ll_fault fault = ll_fault_at(0, empty ? ll_at_field(doc, string, 0, LL_STRING_TERMINATOR)
                                              : ll_at_field(doc, run->span, 0, grx_dataset_name_hash));
        fault.arg[0] = ll_uint(stored);
        ll_report_fault(run, &fault);
    }
}

/* ------------------------------------------------------------------ composition */

static void raise_pair(ll_check_run *run, uint32_t span, uint32_t other)
{
    LL_REPORT_RELATED(run, GRX_HINT_NONE, tag_of(run->doc, span), tag_of(run->doc, other),
                      ll_chars(tag_of(run->doc, span).offset, 4), ll_chars(tag_of(run->doc, other).offset, 4));
}

/* Of two groups that should not meet: the first of the smaller one; of equal ones the one that comes later. */
static bool first_is_odd(uint32_t first_a, uint32_t count_a, uint32_t first_b, uint32_t count_b)
{
    return count_a < count_b || (count_a == count_b && first_a > first_b);
}

void grx_check_mixed_classes(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    uint32_t lights = c->count[GRX_CLASS_LIGHT];
    uint32_t probes = c->count[GRX_CLASS_PROBE];
    if (lights && probes) {
        uint32_t light = c->first[GRX_CLASS_LIGHT];
        uint32_t probe = c->first[GRX_CLASS_PROBE];
        bool odd_light = first_is_odd(light, lights, probe, probes);
        raise_pair(run, odd_light ? light : probe, odd_light ? probe : light);
    }
}

void grx_check_version_mix(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    if (c->version_count[2] && c->version_count[3]) {
        bool odd_02 = first_is_odd(c->version_first[2], c->version_count[2], c->version_first[3], c->version_count[3]);
        raise_pair(run, c->version_first[odd_02 ? 2 : 3], c->version_first[odd_02 ? 3 : 2]);
    }
}

void grx_check_point_after_spot(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    if (c->point_after_spot != LL_NO_SPAN) {
        raise_pair(run, c->point_after_spot, c->first_spot);
    }
}

/* FGxO over entries that are no occluders, or FGxL over occluders. Where every entry disagrees, the magic is what is
 * odd. */
void grx_check_magic_class(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    bool occluder_file = c->header != LL_NO_SPAN && memcmp(run->doc->bytes, "FGxO", 4) == 0;
    bool light_file = c->header != LL_NO_SPAN && memcmp(run->doc->bytes, "FGxL", 4) == 0;
    uint32_t others = c->count[GRX_CLASS_LIGHT] + c->count[GRX_CLASS_PROBE];
    uint32_t occluders = c->count[GRX_CLASS_OCCLUDER];
    uint32_t light = c->first[GRX_CLASS_LIGHT];
    uint32_t probe = c->first[GRX_CLASS_PROBE];
    uint32_t wrong = occluder_file ? (light < probe ? light : probe) : c->first[GRX_CLASS_OCCLUDER];
    if (!(occluder_file && others) && !(light_file && occluders)) {
        return;
    }
    ll_where magic = ll_at_field(run->doc, c->header, 0, grx_header_magic);
    bool all_wrong = occluder_file ? occluders == 0 : others == 0;
    LL_REPORT_RELATED(run, occluder_file ? GRX_HINT_G4_CLASS_LOST : GRX_HINT_NONE,
                      all_wrong ? magic : tag_of(run->doc, wrong), all_wrong ? tag_of(run->doc, wrong) : magic,
                      ll_chars(0, 4), ll_chars(tag_of(run->doc, wrong).offset, 4));
}

void grx_check_occluder_count(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    uint32_t occluders = c->count[GRX_CLASS_OCCLUDER];
    bool occluder_file = c->header != LL_NO_SPAN && memcmp(run->doc->bytes, "FGxO", 4) == 0;
    bool whole = !run->doc->fatal && c->unknown == 0 && c->dataset != LL_NO_SPAN;
    if (!occluder_file || occluders == 1) {
        return;
    }
    ll_fault fault = ll_fault_at(0, ll_at_field(run->doc, c->header, 0, grx_header_magic));
    fault.arg[0] = ll_uint(occluders);
    if (occluders > 1) {
        fault.at = tag_of(run->doc, c->second_occluder);
        fault.related = tag_of(run->doc, c->first[GRX_CLASS_OCCLUDER]);
        ll_report_fault(run, &fault);
    } else if (whole && c->entries == 0) { /* entries of other classes: magic-class speaks */
        ll_report_fault(run, &fault);
    }
}

void grx_check_array_empty(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    if (!run->doc->fatal && c->terminator != LL_NO_SPAN && c->dataset != LL_NO_SPAN && c->entries == 0 &&
        c->unknown == 0) {
        ll_fault fault = ll_fault_at(0, ll_at_field(run->doc, c->terminator, 0, grx_terminator_tag));
        ll_report_fault(run, &fault);
    }
}

/* Names ending in "_win.grx??" come from The Phantom Pain and Survive, names with ".steam" from Ground Zeroes. */
void grx_check_version_kind(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    const char *name = base_name(run->doc);
    unsigned odd = holds(name, "_win.") ? 2 : holds(name, ".steam") ? 3 : 0;
    if (odd && c->version_count[odd]) {
        LL_REPORT(run, GRX_HINT_NONE, tag_of(run->doc, c->version_first[odd]),
                  ll_chars(tag_of(run->doc, c->version_first[odd]).offset, 4), ll_escaped_arg(run, name, strlen(name)));
    }
}

void grx_check_content_matches_name(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    const char *name = base_name(run->doc);
    bool probe_name = holds(name, "_tgrxla_win.grxla") || holds(name, ".steam_tpp.grxla");
    bool light_name = !probe_name && (holds(name, "_grxla_win.grxla") || holds(name, ".steam.grxla"));
    uint32_t probe = c->first[GRX_CLASS_PROBE];
    bool odd_probe = light_name && probe != LL_NO_SPAN;
    bool no_probe = probe_name && probe == LL_NO_SPAN && c->entries && c->unknown == 0 && !run->doc->fatal;
    if (odd_probe || no_probe) {
        LL_REPORT(run, GRX_HINT_NONE, tag_of(run->doc, odd_probe ? probe : c->first_entry),
                  odd_probe ? ll_chars(tag_of(run->doc, odd_probe ? probe : c->first_entry).offset, 4)
                            : ll_word("no probe"),
                  ll_escaped_arg(run, name, strlen(name)));
    }
}

/* ------------------------------------------------------------------ lights and probes */

typedef struct transform {
    double scale[3], rotation[4], translation[3];
} transform;

/* Reads a transform whose first field (scale) has number `field`; false when it is not finite or its rotation is no
 * rotation. */
static bool read_transform(const ll_doc *doc, uint32_t span, unsigned field, transform *out)
{
    double norm = 0;
    bool finite = true;
    for (unsigned i = 0; i < 4; i++) {
        out->rotation[i] = ll_get_number(doc, span, 0, field + 1, i);
        norm += out->rotation[i] * out->rotation[i];
    }
    for (unsigned i = 0; i < 3; i++) {
        out->scale[i] = ll_get_number(doc, span, 0, field, i);
        out->translation[i] = ll_get_number(doc, span, 0, field + 2, i);
        finite = finite && isfinite(out->scale[i]) && isfinite(out->translation[i]);
    }
    return finite && norm > 0.98 && norm < 1.02;
}

/* v turned by the unit quaternion q (X Y Z W): v + 2w(u x v) + 2u x (u x v). conjugate: the other way. */
static void turn(const double q[4], bool conjugate, const double v[3], double out[3])
{
    double sign = conjugate ? -1 : 1;
    double u[3] = {sign * q[0], sign * q[1], sign * q[2]};
    double t[3] = {2 * (u[1] * v[2] - u[2] * v[1]), 2 * (u[2] * v[0] - u[0] * v[2]), 2 * (u[0] * v[1] - u[1] * v[0])};
    out[0] = v[0] + q[3] * t[0] + u[1] * t[2] - u[2] * t[1];
    out[1] = v[1] + q[3] * t[1] + u[2] * t[0] - u[0] * t[2];
    out[2] = v[2] + q[3] * t[2] + u[0] * t[1] - u[1] * t[0];
}

void grx_check_inner_area_fits(ll_check_run *run)
{
    static const char *const axes[] = {"x", "y", "z"};
    const ll_doc *doc = run->doc;
    uint32_t inner = child_of(doc, run->span, grx_inner_area_LAYOUT);
    transform box;
    transform area;
    if (inner == LL_NO_SPAN || !read_transform(doc, run->span, grx_probe_scale, &box) ||
        !read_transform(doc, inner, grx_inner_area_scale, &area)) {
        return;
    }
    for (unsigned corner = 0; corner < 8; corner++) {
        double half[3];
        double world[3];
        double local[3];
        for (unsigned i = 0; i < 3; i++) {
            half[i] = (corner >> i & 1U ? 0.5 : -0.5) * area.scale[i];
        }
        turn(area.rotation, false, half, world);
        for (unsigned i = 0; i < 3; i++) {
            world[i] += area.translation[i] - box.translation[i];
        }
        turn(box.rotation, true, world, local);
        for (unsigned i = 0; i < 3; i++) {
            double edge = fabs(box.scale[i]) / 2;
            if (fabs(local[i]) > edge + INSIDE_TOLERANCE * fabs(box.scale[i])) {
                LL_REPORT_RELATED(run, GRX_HINT_NONE,
                                  ll_at_bytes(inner, ll_doc_span(doc, inner)->offset, grx_inner_area_SIZE),
                                  ll_at_field(doc, run->span, 0, grx_probe_scale), ll_word(axes[i]), ll_float(local[i]),
                                  ll_float(-edge), ll_float(edge));
                return;
            }
        }
    }
}

static bool is_probe(const ll_doc *doc, uint32_t span)
{
    return ll_doc_span(doc, span)->layout == grx_probe_LAYOUT;
}

/* The first probe whose index is not its ordinal; LL_NO_SPAN when all are in order. */
static uint32_t first_out_of_order(const ll_doc *doc, uint32_t *ordinal)
{
    uint32_t n = 0;
    for (uint32_t span = 0; span < doc->span_count; span++) {
        if (is_probe(doc, span)) {
            if (ll_get_uint(doc, span, 0, grx_probe_sh_data_index) != n) {
                *ordinal = n;
                return span;
            }
            n++;
        }
    }
    return LL_NO_SPAN;
}

void grx_check_sh_index_order(ll_check_run *run)
{
    uint32_t ordinal = 0;
    uint32_t span = first_out_of_order(run->doc, &ordinal);
    bool whole = summary_of(run)->unknown == 0; /* a probe that could not be read shifts the ordinals */
    if (span != LL_NO_SPAN && whole) {
        LL_REPORT(run, GRX_HINT_H5_RENUMBER, ll_at_field(run->doc, span, 0, grx_probe_sh_data_index),
                  ll_uint(ll_get_uint(run->doc, span, 0, grx_probe_sh_data_index)), ll_uint(ordinal));
    }
}

/* ------------------------------------------------------------------ occluders */

/* A face and the vertices that it may use. */
typedef struct face {
    uint32_t element;
    uint32_t first, count;
} face;

/* Vertices of the array beside a span of faces; 0 when there is none. */
static uint32_t vertices_beside(const ll_doc *doc, uint32_t faces, uint32_t *vertices)
{
    uint32_t entry = ll_doc_span(doc, faces)->parent;
    *vertices = entry == LL_NO_SPAN ? LL_NO_SPAN : child_of(doc, entry, grx_vertex_LAYOUT);
    return *vertices == LL_NO_SPAN ? 0 : ll_doc_span(doc, *vertices)->count;
}

static face face_at(const ll_doc *doc, uint32_t span, uint32_t element)
{
    return (face){element, (uint32_t)ll_get_uint(doc, span, element, grx_face_first_vertex),
                  (uint32_t)ll_get_uint(doc, span, element, grx_face_vertex_count)};
}

/* first_vertex and vertex_count lie side by side: one place for both. */
static ll_where range_of(const ll_doc *doc, uint32_t span, uint32_t element)
{
    ll_where at = ll_at_field(doc, span, element, grx_face_first_vertex);
    at.length = grx_face_SIZE - grx_face_at_first_vertex;
    return at;
}

typedef struct polygon {
    unsigned count;
    double at[FACE_VERTICES_MAX][3];
    double normal[3]; /* Newell, not normalised: twice the area long */
    double extent;    /* largest distance of a vertex from the first */
} polygon;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The face as a polygon relative to its first vertex; false for faces that other rules report. */
static bool read_polygon(const ll_check_run *run, uint32_t vertices, uint32_t limit, uint32_t element, polygon *out)
{
    face f = face_at(run->doc, run->span, element);
    if (f.count < 3 || f.count > FACE_VERTICES_MAX || !ll_fits(f.first, f.count, limit)) {
        return false;
    }
    *out = (polygon){.count = f.count};
    double origin[3];
    for (unsigned i = 0; i < f.count; i++) {
        double distance = 0;
        for (unsigned k = 0; k < 3; k++) {
            double value = ll_get_number(run->doc, vertices, f.first + i, grx_vertex_position, k);
            if (!isfinite(value)) {
                return false;
            }
            origin[k] = i == 0 ? value : origin[k];
            out->at[i][k] = value - origin[k];
            distance += out->at[i][k] * out->at[i][k];
        }
        out->extent = sqrt(distance) > out->extent ? sqrt(distance) : out->extent;
    }
    for (unsigned i = 0; i < f.count; i++) {
        double part[3];
        cross(out->at[i], out->at[(i + 1) % f.count], part);
        for (unsigned k = 0; k < 3; k++) {
            out->normal[k] += part[k];
        }
    }
    return true;
}

static void raise_face(ll_check_run *run, uint32_t element, ll_arg found, ll_arg limit)
{
    LL_REPORT(run, GRX_HINT_NONE, range_of(run->doc, run->span, element), found, limit);
}

void grx_check_face_planar(ll_check_run *run)
{
    uint32_t vertices;
    uint32_t limit = vertices_beside(run->doc, run->span, &vertices);
    uint32_t faces = ll_doc_span(run->doc, run->span)->count;
    for (uint32_t element = 0; element < faces; element++) {
        polygon p;
        double length = 0;
        if (!read_polygon(run, vertices, limit, element, &p) || (length = sqrt(dot(p.normal, p.normal))) <= 0) {
            continue;
        }
        double least = 0;
        double most = 0;
        for (unsigned i = 0; i < p.count; i++) {
            double height = dot(p.at[i], p.normal) / length;
            least = height < least ? height : least;
            most = height > most ? height : most;
        }
        if ((most - least) / 2 > PLANAR_TOLERANCE * p.extent) {
            raise_face(run, element, ll_float((most - least) / 2), ll_float(PLANAR_TOLERANCE * p.extent));
        }
    }
}

static const char *what_is_not_convex(const polygon *p)
{
    double slack = CONVEX_TOLERANCE * p->extent * p->extent;
    double length = sqrt(dot(p->normal, p->normal));
    if (length <= slack) {
        return "no area";
    }
    for (unsigned i = 0; i < p->count; i++) {
        const double *here = p->at[i];
        const double *next = p->at[(i + 1) % p->count];
        const double *after = p->at[(i + 2) % p->count];
        double a[3] = {next[0] - here[0], next[1] - here[1], next[2] - here[2]};
        double b[3] = {after[0] - next[0], after[1] - next[1], after[2] - next[2]};
        double turned[3];
        if (dot(a, a) <= slack * CONVEX_TOLERANCE) {
            return "a repeated vertex";
        }
        cross(a, b, turned);
        if (dot(turned, p->normal) / length < -slack) {
            return "an inward corner";
        }
    }
    return NULL;
}

void grx_check_face_convex(ll_check_run *run)
{
    uint32_t vertices;
    uint32_t limit = vertices_beside(run->doc, run->span, &vertices);
    uint32_t faces = ll_doc_span(run->doc, run->span)->count;
    for (uint32_t element = 0; element < faces; element++) {
        polygon p;
        const char *wrong = read_polygon(run, vertices, limit, element, &p) ? what_is_not_convex(&p) : NULL;
        if (wrong) {
            raise_face(run, element, ll_word(wrong), ll_word("a convex face"));
        }
    }
}
