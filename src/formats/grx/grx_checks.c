/* Named checks of the grx family: relations between fields, entries, arrays and the file name. They read a parsed
 * document, judge values and raise faults without words; the words are in rules/grx.yaml. Positions are in metres,
 * angles of quaternions unitless. Every check is linear in the file; checks that look for pairs use a hash table in the
 * arena. */
#include "formats/grx/grx.h"

#include "base/endian.h"
#include "base/vector.h"
#include "model/value.h"

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
    const char *name = base_name(run->doc);
    bool lights = ll_ends_with(name, ".grxla");
    bool occluders = ll_ends_with(name, ".grxoc");
    if ((lights && has_magic(run, "FGxO")) || (occluders && has_magic(run, "FGxL"))) {
        LL_REPORT(run, GRX_HINT_NONE, magic_of(run), ll_word(lights ? ".grxla" : ".grxoc"), ll_chars(0, 4));
    }
}

/* "<stem>_fox2_..." and "<stem>.fox2...." are the two shapes of exported names; other names say nothing. */
void grx_check_path_stem(ll_check_run *run)
{
    const grx_summary *summary = summary_of(run);
    const char *name = base_name(run->doc);
    bool exported = holds(name, "_fox2_") || holds(name, ".fox2.");
    uint32_t string = summary->dataset == LL_NO_SPAN ? LL_NO_SPAN : string_of(run->doc, summary->dataset);
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

/* With `byte` at `at`, counted from its start, a name has the stored hash. */
typedef struct correction {
    uint32_t at;
    uint8_t byte;
    uint32_t length; /* of the corrected name */
} correction;

static bool is_name_byte(unsigned c)
{
    return c == 0 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c && strchr("_|/.-", (int)c));
}

/* Tries every single-byte change of the first string in region[0, size) that leaves a plausible name. */
static bool find_correction(const uint8_t *region, uint32_t size, uint64_t stored, correction *out)
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
            size_t corrected = strlen((const char *)work);
            if (corrected && grx_strcode64(work, corrected) == stored) {
                *out = (correction){at, (uint8_t)c, (uint32_t)corrected};
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

/* The name is damaged in one byte: the finding points at that byte, the hash is what it is compared with. */
static void blame_name(ll_check_run *run, ll_fault *fault, uint32_t string, const correction *c)
{
    const ll_span *s = ll_doc_span(run->doc, string);
    char *quoted = ll_check_zalloc(run, c->length + 3U, 1);
    if (!quoted) {
        return;
    }
    char *name = quoted + 1;
    memcpy(name, run->doc->bytes + s->offset, c->length < s->length ? c->length : s->length);
    name[c->at] = (char)c->byte;
    quoted[0] = name[c->length] = '"';
    fault->related = fault->at;
    fault->at = ll_at_field(run->doc, string, 0, c->at < s->count ? LL_STRING_TEXT : LL_STRING_TERMINATOR);
    fault->at.offset = s->offset + c->at;
    fault->at.length = 1;
    fault->hint = GRX_HINT_ONE_BYTE_OF_NAME;
    bool shown = true; /* the byte itself is plain ASCII, but the others need not be */
    for (uint32_t i = 0; i < c->length; i++) {
        shown = shown && name[i] >= 0x20 && name[i] < 0x7F;
    }
    fault->arg[3] = ll_word(shown ? quoted : "a name one byte away");
    ll_patch_field(run->doc, fault, LL_PATCH_UNSAFE, c->byte);
}

/* The hash of the empty string is not offered: what is wrong then is the name. */
static void offer_hash(ll_check_run *run, ll_fault *fault, uint64_t right)
{
    if (right != HASH_OF_EMPTY) {
        ll_patch_field(run->doc, fault, LL_PATCH_UNSAFE, right);
    }
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
    ll_fault fault = LL_MAKE_FAULT(0, GRX_HINT_ONE_BYTE_OF_HASH, ll_at_field(doc, run->span, 0, grx_dataset_name_hash),
                                   ll_at_field(doc, string, 0, LL_STRING_TEXT), ll_uint(stored), ll_uint(right),
                                   ll_chars(s->offset, s->count));
    const ll_span *entry = ll_doc_span(doc, run->span);
    correction c;
    if (differs_in_one_byte(stored, right)) {
        offer_hash(run, &fault, right);
    } else if (entry->index < CORRECTED_ENTRIES && find_correction(text, s->length, stored, &c)) {
        blame_name(run, &fault, string, &c);
    } else {
        fault.hint = ll_has_high_bytes(text, s->count)     ? GRX_HINT_NON_ASCII
                     : entry->layout == grx_dataset_LAYOUT ? GRX_HINT_PATH_EDITED
                                                           : GRX_HINT_NAME_EDITED;
        offer_hash(run, &fault, right);
    }
    if (run->status == LL_OK) {
        ll_report_fault(run, &fault);
    }
}

/* ------------------------------------------------------------------ composition */

static void report_pair(ll_check_run *run, uint32_t span, uint32_t other)
{
    LL_REPORT_RELATED(run, GRX_HINT_NONE, tag_of(run->doc, span), tag_of(run->doc, other), tag_arg(run->doc, span),
                      tag_arg(run->doc, other));
}

/* Of two groups that should not meet, the first of the smaller one; of equal ones that which comes later. */
static void report_mix(ll_check_run *run, uint32_t first_a, uint32_t count_a, uint32_t first_b, uint32_t count_b)
{
    bool a_is_wrong = count_a < count_b || (count_a == count_b && first_a > first_b);
    if (count_a && count_b) {
        report_pair(run, a_is_wrong ? first_a : first_b, a_is_wrong ? first_b : first_a);
    }
}

void grx_check_mixed_classes(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    report_mix(run, c->first[GRX_CLASS_LIGHT], c->count[GRX_CLASS_LIGHT], c->first[GRX_CLASS_PROBE],
               c->count[GRX_CLASS_PROBE]);
}

void grx_check_version_mix(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    report_mix(run, c->version_first[2], c->version_count[2], c->version_first[3], c->version_count[3]);
}

void grx_check_point_after_spot(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    if (c->point_after_spot != LL_NO_SPAN) {
        report_pair(run, c->point_after_spot, c->first_spot);
    }
}

/* Where every entry disagrees with the magic, the magic is what is wrong. */
void grx_check_magic_class(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    bool occluder_file = has_magic(run, "FGxO");
    uint32_t occluders = c->count[GRX_CLASS_OCCLUDER];
    uint32_t others = c->count[GRX_CLASS_LIGHT] + c->count[GRX_CLASS_PROBE];
    uint32_t light = c->first[GRX_CLASS_LIGHT];
    uint32_t probe = c->first[GRX_CLASS_PROBE];
    uint32_t entry = occluder_file ? (light < probe ? light : probe) : c->first[GRX_CLASS_OCCLUDER];
    if (occluder_file ? others == 0 : occluders == 0 || !has_magic(run, "FGxL")) {
        return;
    }
    bool all = occluder_file ? occluders == 0 : others == 0;
    LL_REPORT_RELATED(run, occluder_file ? GRX_HINT_CLASS_LOST : GRX_HINT_NONE,
                      all ? magic_of(run) : tag_of(run->doc, entry), all ? tag_of(run->doc, entry) : magic_of(run),
                      ll_chars(0, 4), tag_arg(run->doc, entry));
}

/* Nothing between the DataSet and the terminator, all of which was read. */
static bool is_empty(const ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    return !run->doc->fatal && c->unknown == 0 && c->dataset != LL_NO_SPAN && c->entries == 0;
}

/* No occluder but entries of other classes: magic-class reports those. */
void grx_check_occluder_count(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    uint32_t count = c->count[GRX_CLASS_OCCLUDER];
    if (!has_magic(run, "FGxO")) {
        return;
    }
    if (count > 1) {
        LL_REPORT_RELATED(run, GRX_HINT_NONE, tag_of(run->doc, c->second_occluder),
                          tag_of(run->doc, c->first[GRX_CLASS_OCCLUDER]), ll_uint(count));
    } else if (is_empty(run)) {
        LL_REPORT(run, GRX_HINT_NONE, magic_of(run), ll_uint(count));
    }
}

void grx_check_array_empty(ll_check_run *run)
{
    uint32_t terminator = summary_of(run)->terminator;
    if (terminator != LL_NO_SPAN && is_empty(run)) {
        ll_fault fault = ll_fault_at(0, ll_at_field(run->doc, terminator, 0, grx_terminator_tag));
        ll_report_fault(run, &fault);
    }
}

/* Names ending in "_win.grx??" come from The Phantom Pain and Survive, names with ".steam" from Ground Zeroes. */
void grx_check_version_kind(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    const char *name = base_name(run->doc);
    unsigned foreign = holds(name, "_win.") ? 2 : holds(name, ".steam") ? 3 : 0;
    if (foreign && c->version_count[foreign]) {
        uint32_t light = c->version_first[foreign];
        LL_REPORT(run, GRX_HINT_NONE, tag_of(run->doc, light), tag_arg(run->doc, light),
                  ll_escaped_arg(run, name, strlen(name)));
    }
}

void grx_check_content_matches_name(ll_check_run *run)
{
    const grx_summary *c = summary_of(run);
    const char *name = base_name(run->doc);
    bool probe_name = holds(name, "_tgrxla_win.grxla") || holds(name, ".steam_tpp.grxla");
    bool light_name = !probe_name && (holds(name, "_grxla_win.grxla") || holds(name, ".steam.grxla"));
    uint32_t probe = c->first[GRX_CLASS_PROBE];
    bool no_probe = probe_name && probe == LL_NO_SPAN && c->entries && c->unknown == 0 && !run->doc->fatal;
    if (no_probe || (light_name && probe != LL_NO_SPAN)) {
        uint32_t entry = no_probe ? c->first_entry : probe;
        LL_REPORT(run, GRX_HINT_NONE, tag_of(run->doc, entry),
                  no_probe ? ll_word("no probe") : tag_arg(run->doc, entry), ll_escaped_arg(run, name, strlen(name)));
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
    double once[3];
    double twice[3];
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

/* One finding, at the first probe whose index is not its ordinal. A probe that could not be read shifts the ordinals.
 */
void grx_check_sh_index_order(ll_check_run *run)
{
    uint64_t ordinal = 0;
    bool whole = summary_of(run)->unknown == 0;
    for (uint32_t span = 0; whole && span < run->doc->span_count; span++) {
        if (ll_doc_span(run->doc, span)->layout != grx_probe_LAYOUT) {
            continue;
        }
        uint64_t index = ll_get_uint(run->doc, span, 0, grx_probe_sh_data_index);
        if (index != ordinal) {
            LL_REPORT(run, GRX_HINT_NOT_RENUMBERED, ll_at_field(run->doc, span, 0, grx_probe_sh_data_index),
                      ll_uint(index), ll_uint(ordinal));
            return;
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
static bool read_polygon(const ll_check_run *run, uint32_t vertices, uint32_t element, polygon *out)
{
    uint64_t first = ll_get_uint(run->doc, run->span, element, grx_face_first_vertex);
    uint64_t count = ll_get_uint(run->doc, run->span, element, grx_face_vertex_count);
    if (count < 3 || count > FACE_VERTICES_MAX || !ll_fits(first, count, ll_doc_span(run->doc, vertices)->count)) {
        return false;
    }
    *out = (polygon){.count = (unsigned)count};
    double origin[3];
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            double value = ll_get_number(run->doc, vertices, (uint32_t)first + i, grx_vertex_position, k);
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

/* Judges all faces of an occluder. first_vertex and vertex_count lie side by side: one place for both. */
static void judge_faces(ll_check_run *run, void (*judge)(ll_check_run *run, ll_where at, const polygon *p))
{
    uint32_t entry = ll_doc_span(run->doc, run->span)->parent;
    uint32_t vertices = entry == LL_NO_SPAN ? LL_NO_SPAN : child_of(run->doc, entry, grx_vertex_LAYOUT);
    uint32_t faces = vertices == LL_NO_SPAN ? 0 : ll_doc_span(run->doc, run->span)->count;
    for (uint32_t element = 0; element < faces; element++) {
        polygon p;
        ll_where at = ll_at_field(run->doc, run->span, element, grx_face_first_vertex);
        at.length = grx_face_SIZE - grx_face_at_first_vertex;
        if (read_polygon(run, vertices, element, &p)) {
            judge(run, at, &p);
        }
    }
}

static void judge_planar(ll_check_run *run, ll_where at, const polygon *p)
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
        LL_REPORT(run, GRX_HINT_NONE, at, ll_float((most - least) / 2), ll_float(PLANAR_TOLERANCE * p->extent));
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

static void judge_convex(ll_check_run *run, ll_where at, const polygon *p)
{
    const char *wrong = what_is_not_convex(p);
    if (wrong) {
        LL_REPORT(run, GRX_HINT_NONE, at, ll_word(wrong));
    }
}

void grx_check_face_convex(ll_check_run *run)
{
    judge_faces(run, judge_convex);
}
