/* Builds a file from the records of `dump --format json`. Places records one after the other, then computes what
 * the dump left out. Knows no family: the tables of layouts and derived values say everything. Trusts nothing in the
 * text. */
#include "files/json_records.h"
#include "files/shares.h"
#include "findings/texts.h"

#include "base/json.h"
#include "base/map.h"
#include "base/problem.h"
#include "base/yaml.h"
#include "model/reference.h"
#include "model/value.h"
#include "rules/literal.h"
#include "model/reader.h"

/* A document that begins with '{', but for comments, is JSON, any other is YAML. The first attempt has no messages and
 * reads JSON record by record unless the format has shares. If it refuses, the second attempt reads the whole document,
 * so that messages have paths and places. */

enum { DEPTH = 10, FIELDS_MAX = 512, FILE_MAX = 256 * 1024 * 1024 };

/* A record and the span that will be claimed for it. */
typedef struct piece {
    const ll_yaml *node;
    ll_span span;
} piece;

/* A field whose value is computed once all records have their places. */
typedef struct open_field {
    uint32_t span, element;
    uint16_t field;
    const ll_yaml *label; /* label that it points to; NULL: none, the value is derived */
} open_field;

typedef struct label {
    const char *text;
    uint32_t span, element;
    bool used; /* a field points to it */
} label;

/* A record that belongs to an element and is written inside it in the text. */
typedef struct share {
    const ll_yaml *node;
    uint32_t list, element;
} share;

/* A list of records being read. */
typedef struct list {
    const ll_yaml *next;
    bool streamed; /* its records are read one by one */
    uint32_t span; /* its parent; LL_NO_SPAN: the file */
    uint32_t last; /* layout of the previous record; LL_NO_FIELD: none */
    bool unaligned;
    uint32_t number[LL_LAYOUTS_MAX]; /* by layout family: number of the next record */
} list;

typedef LL_ARRAY(uint8_t) byte_array;

struct ll_built {
    ll_arena arena;
    byte_array bytes;
    const ll_format *format;
    const char *name;                  /* in the arena or static storage */
    const char *notes[LL_REGIONS_MAX]; /* in the arena */
    size_t note_count;
};

typedef struct builder {
    ll_built *built;
    ll_arena *arena; /* temporary memory of the build */
    ll_allocator memory;
    const ll_format *format;
    const ll_yaml *root;
    ll_problem *problem;   /* NULL: no message is needed */
    ll_json_items *stream; /* the records of the file, to be read one by one; NULL: they are in the tree */
    ll_arena *nodes;       /* for the nodes of one record of `stream`, until the next is read */
    /* State of the file or region being built: */
    byte_array *bytes;
    const ll_allocator *bytes_memory;
    LL_ARRAY(piece) pieces;
    LL_ARRAY(open_field) open;
    LL_ARRAY(label) labels;
    ll_map label_map;
    ll_hashes texts;
    LL_ARRAY(share) shares;       /* sorted by element */
    ll_shares told;               /* filled in as the text reaches their places */
    const struct builder *before; /* the first pass, with each share once and all texts; NULL: in the first pass */
    list lists[DEPTH];
    unsigned depth;
} builder;

/* ------------------------------------------------------------------ refusals */

/* Appends the position of a node: "records[3].records[0].name". Searches for it from the root. */
static void node_path(const ll_yaml *root, const ll_yaml *node, ll_text *out)
{
    const ll_yaml *way[LL_YAML_DEPTH_MAX + 1] = {root};
    unsigned depth = 0;
    while (way[depth] != node) {
        if (way[depth]->first && depth < LL_YAML_DEPTH_MAX) {
            way[depth + 1] = way[depth]->first;
            depth++;
            continue;
        }
        while (depth && !way[depth]->next) {
            depth--;
        }
        if (!depth) {
            return;
        }
        way[depth] = way[depth]->next;
    }
    for (unsigned i = 1; i <= depth; i++) {
        uint32_t number = 0;
        for (const ll_yaml *before = way[i - 1]->first; before != way[i]; before = before->next) {
            number++;
        }
        if (way[i]->key) {
            ll_text_format(out, i > 1 ? ".%s" : "%s", way[i]->key->text);
        } else {
            ll_text_format(out, "[%u]", number);
        }
    }
}

/* Reports "<path of the node>: <pieces>" and returns LL_E_INPUT. member: a missing key, appended to the path; may be
 * NULL. */
static ll_status refuse(const builder *b, const ll_yaml *node, const char *member, const char *const *pieces)
{
    ll_text path;
    if (!b->problem) { /* first attempt; the node may be freed */
        return LL_E_INPUT;
    }
    ll_text_init(&path, &b->memory);
    node_path(b->root, node, &path);
    if (member) {
        ll_text_format(&path, path.length ? ".%s" : "%s", member);
    }
    (void)ll_problem_say(ll_problem_at(b->problem, node->line, node->column), pieces);
    if (path.length) {
        (void)ll_problem_prefix(b->problem, ll_text_cstr(&path));
    }
    return LL_E_INPUT;
}
#define REFUSE(b, node, ...) refuse((b), (node), NULL, (const char *const[]){__VA_ARGS__, NULL})

static const ll_yaml *key_of(const ll_yaml *node, const char *key)
{
    return ll_yaml_get(node, key);
}

/* A copy of a text that outlives its record. NULL: no memory. */
static const ll_yaml *keep_node(const builder *b, const ll_yaml *node)
{
    ll_yaml *copy = b->stream ? ll_arena_alloc(b->arena, 1, sizeof *copy) : NULL;
    if (copy) {
        *copy = *node;
        copy->text = ll_arena_copy(b->arena, node->text, node->length);
    }
    return !b->stream ? node : copy && copy->text ? copy : NULL;
}

/* ------------------------------------------------------------------ bytes */

static uint32_t size_of(const builder *b)
{
    return (uint32_t)b->bytes->count;
}

/* Appends n zero bytes. LL_E_INPUT, reported at `node`, when the file would become too large. */
static ll_status grow(builder *b, const ll_yaml *node, uint64_t n)
{
    if (n > FILE_MAX - size_of(b)) {
        return REFUSE(b, node, "the file would have more than 256 MiB");
    }
    if (n && !LL_ARRAY_ROOM(b->bytes, (size_t)n, b->bytes_memory)) {
        return LL_E_MEMORY;
    }
    if (n) {
        memset(b->bytes->items + size_of(b), 0, (size_t)n);
        b->bytes->count += (size_t)n;
    }
    return LL_OK;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Converts hex digits, two per byte. `out` has room for all bytes. */
static ll_status read_hex(builder *b, const ll_yaml *node, uint8_t *out)
{
    for (size_t i = 0; i < node->length; i += 2) {
        int high = digit_of(node->text[i]), low = high < 0 ? -1 : digit_of(node->text[i + 1]);
        if (low < 0) {
            return REFUSE(b, node, "no bytes; expected two hex digits for each");
        }
        out[i / 2] = (uint8_t)(high << 4 | low);
    }
    return LL_OK;
}

/* Appends the bytes of a string of hex digits. */
static ll_status put_hex(builder *b, const ll_yaml *node)
{
    uint32_t at = size_of(b);
    if (node->kind != LL_YAML_SCALAR) {
        return REFUSE(b, node, "expected hex digits, found ", ll_yaml_kind_text(node));
    }
    ll_status status = grow(b, node, node->length / 2 + node->length % 2);
    return status == LL_OK && node->length ? read_hex(b, node, b->bytes->items + at) : status;
}

/* ------------------------------------------------------------------ values */

static ll_status expect_type(builder *b, const ll_yaml *node, const ll_field *f, const char *found)
{
    ll_text type;
    ll_text_init(&type, &b->memory);
    ll_text_format(&type, "expected %s", ll_type_name(f->type));
    if (f->type >= LL_TYPE_CHARS || ll_field_elements(f) > 1) {
        ll_text_format(&type, "[%u]", f->type >= LL_TYPE_CHARS ? f->bytes : ll_field_elements(f));
    }
    if (*f->meaning) {
        ll_text_format(&type, " (%s)", f->meaning);
    }
    return REFUSE(b, node, ll_text_cstr(&type), ", found ", found);
}

static ll_status put_number(builder *b, const ll_yaml *node, const ll_field *f, unsigned endian, uint8_t *out)
{
    unsigned bytes = ll_type_bytes(f->type);
    ll_problem why;
    uint64_t key = 0;
    if (node->kind != LL_YAML_SCALAR) {
        return expect_type(b, node, f, ll_yaml_kind_text(node));
    }
    bool is_float = ll_type_is_float(f->type), hex = node->text[0] == '0' && node->text[1] == 'x';
    unsigned type = !is_float || !hex ? f->type : bytes == 2 ? LL_TYPE_U16 : LL_TYPE_U32;
    if (ll_literal_key(node->text, type, &key, &why) != LL_OK) {
        return expect_type(b, node, f, node->length < 64 ? node->text : "a long text");
    }
    uint64_t bits = ll_bits_of_key(type, key);
    if (is_float && bits == 0 && node->text[0] == '-') {
        bits = UINT64_C(1) << (8 * bytes - 1);
    }
    ll_put_uint(out, bytes, endian == LL_BIG, bits);
    return LL_OK;
}

/* Writes a hash, given as number or as the text to be hashed, and notes the use. */
static ll_status put_hash(builder *b, const ll_yaml *node, const ll_field *f, unsigned endian, uint8_t *out)
{
    const ll_yaml *text = node->kind == LL_YAML_MAP && node->length == 1 ? key_of(node, "text")
                          : ll_is_bare_text(node->text)                  ? node
                                                                         : NULL;
    ll_status status = LL_OK;
    if (text && text->kind == LL_YAML_SCALAR) {
        ll_put_uint(out, f->bytes, endian == LL_BIG, b->format->text_hash((const uint8_t *)text->text, text->length));
    } else {
        text = NULL;
        status = put_number(b, node, f, endian, out);
    }
    ll_hashed *use =
        status == LL_OK ? ll_hashes_note(&b->texts, ll_read_uint(out, f->bytes, endian), &b->memory) : NULL;
    if (use) {
        use->used = true;
        use->entered = use->entered || (text && !text->length); /* an empty text needs no entry */
        const ll_yaml *first = text && !use->place ? keep_node(b, text) : NULL;
        status = first || !text || use->place ? status : LL_E_MEMORY;
        use->place = use->place ? use->place : first;
    }
    return status != LL_OK || use ? status : LL_E_MEMORY;
}

/* Writes letters, padded with NULs, or bytes. */
static ll_status put_chars(builder *b, const ll_yaml *node, const ll_field *f, uint8_t *out)
{
    const ll_yaml *hex = f->type == LL_TYPE_BYTES ? node : key_of(node, "hex");
    if (hex && hex->kind == LL_YAML_SCALAR && hex->length == 2U * f->bytes) {
        return read_hex(b, hex, out);
    }
    if (hex || node->kind != LL_YAML_SCALAR || node->length > f->bytes) {
        return expect_type(b, node, f, hex || node->length < 64 ? "another number of bytes" : "a longer text");
    }
    memcpy(out, node->text, node->length);
    return LL_OK;
}

static ll_status put_value(builder *b, const ll_yaml *node, const ll_field *f, unsigned endian, uint8_t *out)
{
    unsigned elements = ll_field_elements(f);
    if (f->type >= LL_TYPE_CHARS) {
        return put_chars(b, node, f, out);
    }
    if (elements == 1) {
        return put_number(b, node, f, endian, out);
    }
    if (node->kind != LL_YAML_LIST || node->length != elements) {
        return expect_type(b, node, f,
                           node->kind == LL_YAML_LIST ? "another number of elements" : ll_yaml_kind_text(node));
    }
    ll_status status = LL_OK;
    for (const ll_yaml *part = node->first; part && status == LL_OK; part = part->next) {
        status = put_number(b, part, f, endian, out);
        out += ll_type_bytes(f->type);
    }
    return status;
}

/* ------------------------------------------------------------------ fields */

static bool is_label(const ll_yaml *node)
{
    char c = node->kind == LL_YAML_SCALAR ? node->text[0] : '0';
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static ll_status leave_open(builder *b, uint32_t span, uint32_t element, unsigned field, const ll_yaml *node)
{
    open_field *open = LL_ARRAY_ADD(&b->open, &b->memory);
    const ll_yaml *kept = node ? keep_node(b, node) : NULL;
    if (open) {
        *open = (open_field){span, element, (uint16_t)field, kept};
    }
    return open && (kept || !node) ? LL_OK : LL_E_MEMORY;
}

static ll_status unknown_key(builder *b, const ll_yaml *node, const ll_layout *layout, const char *const *keys)
{
    ll_nearest nearest = {.to = node->key->text};
    for (unsigned i = 0; layout && layout->kind == LL_KIND_RECORD && i < layout->field_count; i++) {
        ll_nearest_offer(&nearest, layout->fields[i].name);
    }
    for (; *keys; keys++) {
        ll_nearest_offer(&nearest, *keys);
    }
    return REFUSE(b, node, layout ? "no field of " : "not a key of a dump", layout ? layout->name : "",
                  nearest.name ? "; did you mean '" : "", nearest.name ? nearest.name : "", nearest.name ? "'?" : "");
}

static ll_status expect_keys(builder *b, const ll_yaml *map, const char *const *keys)
{
    ll_status status = LL_OK;
    for (const ll_yaml *node = map->first; node && status == LL_OK; node = node->next) {
        const char *const *key = keys;
        while (*key && strcmp(*key, node->key->text) != 0) {
            key++;
        }
        status = *key ? LL_OK : unknown_key(b, node, NULL, keys);
    }
    return status;
}

static ll_status take_label(builder *b, const ll_yaml *node, uint32_t span, uint32_t element);

/* Number of the field named `key`, looked for at `likely` first; FIELDS_MAX: not a field. */
static unsigned field_of(const ll_layout *layout, const char *key, unsigned likely)
{
    if (layout->kind != LL_KIND_RECORD) {
        return FIELDS_MAX;
    }
    if (likely < layout->field_count && strcmp(layout->fields[likely].name, key) == 0) {
        return likely;
    }
    unsigned field = ll_layout_find(layout, key);
    return field == LL_NO_FIELD ? FIELDS_MAX : field;
}

/* Fills the fields of an element whose bytes are zero. `keys`: other keys that the map may hold. */
static ll_status put_fields(builder *b, const ll_yaml *map, uint32_t span, uint32_t element, uint32_t at,
                            const char *const *keys)
{
    bool given[FIELDS_MAX] = {false};
    unsigned likely = 0;
    unsigned number = b->pieces.items[span].span.layout;
    const ll_layout *layout = &b->format->layouts[number];
    ll_status status = LL_OK;
    for (const ll_yaml *node = map->first; node && status == LL_OK; node = node->next) {
        unsigned field = field_of(layout, node->key->text, likely);
        if (field < FIELDS_MAX) {
            const ll_field *f = &layout->fields[field];
            bool labelled = is_label(node) && f->type < LL_TYPE_CHARS && ll_reference_of(b->format, number, field);
            uint8_t *out = b->bytes->items + at + f->offset;
            status = labelled                              ? leave_open(b, span, element, field, node)
                     : ll_holds_text(b->format, number, f) ? put_hash(b, node, f, layout->endian, out)
                                                           : put_value(b, node, f, layout->endian, out);
            given[field] = true;
            likely = field + 1;
        } else if (strcmp(node->key->text, "label") == 0) {
            status = take_label(b, node, span, element);
        } else {
            const char *const *key = keys;
            while (*key && strcmp(*key, node->key->text) != 0) {
                key++;
            }
            status = *key ? LL_OK : unknown_key(b, node, layout, keys);
        }
    }
    for (unsigned i = 0; i < layout->field_count && layout->kind == LL_KIND_RECORD && status == LL_OK; i++) {
        status = given[i] || ll_field_is_filler(&layout->fields[i]) ? LL_OK : leave_open(b, span, element, i, NULL);
    }
    return status;
}

/* ------------------------------------------------------------------ labels */

typedef struct sought_label {
    const label *labels;
    const char *text;
} sought_label;

static bool has_label(const void *sought, uint32_t item)
{
    const sought_label *s = sought;
    return strcmp(s->labels[item].text, s->text) == 0;
}

static uint64_t label_hash(const void *labels, uint32_t item)
{
    const char *text = ((const label *)labels)[item].text;
    return ll_map_hash_bytes(0, text, strlen(text));
}

static uint32_t find_label(const builder *b, const char *text)
{
    const sought_label sought = {b->labels.items, text};
    return ll_map_find(&b->label_map, ll_map_hash_bytes(0, text, strlen(text)), has_label, &sought);
}

static ll_status take_label(builder *b, const ll_yaml *node, uint32_t span, uint32_t element)
{
    if (!is_label(node)) {
        return REFUSE(b, node, "expected a text that begins with a letter");
    }
    if (find_label(b, node->text) != LL_MAP_NONE) {
        return REFUSE(b, node, "another record has the label '", node->text, "'; expected one of its own");
    }
    uint32_t number = (uint32_t)b->labels.count;
    if (!ll_map_room(&b->label_map, number, label_hash, b->labels.items, &b->memory)) {
        return LL_E_MEMORY;
    }
    const ll_yaml *kept = keep_node(b, node);
    label *l = kept ? LL_ARRAY_ADD(&b->labels, &b->memory) : NULL;
    if (!l) {
        return LL_E_MEMORY;
    }
    *l = (label){kept->text, span, element, false};
    const sought_label sought = {b->labels.items, kept->text};
    (void)ll_map_note(&b->label_map, label_hash(b->labels.items, number), number, has_label, &sought);
    return LL_OK;
}

/* ------------------------------------------------------------------ records */

static ll_status add_piece(builder *b, const ll_yaml *node, unsigned layout, uint32_t index, uint32_t *span)
{
    piece *p = LL_ARRAY_ADD(&b->pieces, &b->memory);
    if (!p) {
        return LL_E_MEMORY;
    }
    *span = (uint32_t)b->pieces.count - 1;
    *p = (piece){node, {size_of(b), 0, b->lists[b->depth].span, index, 0, (uint16_t)layout, 0}};
    return LL_OK;
}

static ll_status leave_all_open(builder *b, uint32_t span)
{
    const ll_layout *layout = &b->format->layouts[b->pieces.items[span].span.layout];
    ll_status status = LL_OK;
    for (unsigned i = 0; i < layout->field_count && status == LL_OK; i++) {
        status = leave_open(b, span, 0, i, NULL);
    }
    return status;
}

/* Appends padding up to the alignment of a row, as a record. */
static ll_status pad(builder *b, const ll_yaml *node, const ll_alignment *row)
{
    uint32_t n = ll_padding_at(row, size_of(b)), span;
    ll_status status = n ? add_piece(b, node, row->padding, LL_NO_INDEX, &span) : LL_OK;
    if (n && status == LL_OK) {
        b->pieces.items[span].span.length = n;
        status = grow(b, node, n);
    }
    if (n && status == LL_OK) {
        memset(b->bytes->items + size_of(b) - n, row->fill, n);
    }
    return status;
}

/* Appends what follows a text: its NUL and padding. */
static ll_status end_text(builder *b, const ll_yaml *node, unsigned layout)
{
    const ll_alignment *row = ll_alignment_of(b->format, layout, LL_ALIGN_END);
    uint32_t nul = !row || row->unit;
    return grow(b, node, nul + ll_padding_at(row, (uint64_t)size_of(b) + nul));
}

static ll_status put_text(builder *b, const ll_yaml *node, const ll_layout *layout, uint32_t span)
{
    const ll_yaml *text = key_of(node, "text"), *hex = key_of(node, "hex"), *behind = key_of(node, "behind");
    ll_span *s = &b->pieces.items[span].span;
    uint32_t at = size_of(b);
    ll_status status;
    if (!text == !hex || (text && text->kind != LL_YAML_SCALAR)) {
        return REFUSE(b, node, "expected a \"text\", or \"hex\" digits, of ", layout->name);
    }
    status = hex ? put_hex(b, hex) : grow(b, text, text->length);
    if (status == LL_OK && text && text->length) {
        memcpy(b->bytes->items + at, text->text, text->length);
    }
    s->count = size_of(b) - at;
    return status != LL_OK ? status : behind ? put_hex(b, behind) : end_text(b, node, s->layout);
}

static ll_status put_stretch(builder *b, const ll_yaml *node, const ll_layout *layout)
{
    const ll_yaml *hex = key_of(node, "hex"), *zeros = key_of(node, "zeros");
    ll_problem why;
    uint64_t n = 0;
    if (!hex == !zeros) {
        return REFUSE(b, node, "expected \"hex\" digits, or a number of \"zeros\", of ", layout->name);
    }
    if (hex) {
        return put_hex(b, hex);
    }
    if (zeros->kind != LL_YAML_SCALAR || ll_literal_key(zeros->text, LL_TYPE_U32, &n, &why) != LL_OK) {
        return REFUSE(b, zeros, "expected a number of zeros");
    }
    return grow(b, zeros, n);
}

/* Finds the layout that a record names. */
static ll_status find_layout(builder *b, const ll_yaml *node, size_t *layout)
{
    const ll_yaml *name = key_of(node, "record");
    const ll_names names = LL_NAMES(b->format->layouts, b->format->layout_count, name);
    if (node->kind != LL_YAML_MAP || !name || name->kind != LL_YAML_SCALAR) {
        return REFUSE(b, node, "expected a map with the key \"record\"");
    }
    *layout = ll_names_find(&names, name->text);
    if (*layout < b->format->layout_count) {
        return LL_OK;
    }
    ll_problem why;
    (void)ll_names_refuse(&names, "record", "", name->text, &why);
    return REFUSE(b, name, why.text);
}

static unsigned share_target(const builder *b, size_t number)
{
    const ll_share *row = &b->format->shares[number];
    return ll_reference_of(b->format, row->layout, row->field)->target;
}

/* Notes the records written inside an element, which belong to it. */
static ll_status note_shares(builder *b, const ll_yaml *item, uint32_t span, uint32_t element)
{
    const ll_yaml *records = key_of(item, "records");
    if (records && records->kind != LL_YAML_LIST) {
        return REFUSE(b, records, "expected a list of records, found ", ll_yaml_kind_text(records));
    }
    if (records && b->told.owner != LL_NO_SPAN && b->told.owner != span) {
        return REFUSE(b, records, "expected in the first list of ",
                      b->format->layouts[b->format->shares[0].layout].name);
    }
    b->told.owner = b->told.owner == LL_NO_SPAN ? span : b->told.owner;
    for (const ll_yaml *node = records ? records->first : NULL; node; node = node->next) {
        size_t layout = 0, i = 0;
        ll_status status = find_layout(b, node, &layout);
        if (status != LL_OK) {
            return status;
        }
        while (i < b->format->share_count && share_target(b, i) != layout) {
            i++;
        }
        if (i == b->format->share_count || key_of(node, "of")) {
            return REFUSE(b, node, b->format->layouts[layout].name,
                          " belongs to no record alone; expected it in a section");
        }
        share *s = LL_ARRAY_ADD(&b->shares, &b->memory);
        if (!s) {
            return LL_E_MEMORY;
        }
        *s = (share){node, (uint32_t)i, element};
    }
    return LL_OK;
}

static ll_status put_items(builder *b, const ll_yaml *items, const ll_layout *layout, uint32_t span)
{
    static const char *const none[] = {NULL}, *const shared[] = {"records", NULL};
    bool shares = b->format->share_count && b->format->shares[0].layout == b->pieces.items[span].span.layout;
    const char *const *keys = shares ? shared : none;
    ll_status status = LL_OK;
    uint32_t element = 0;
    if (items->kind != LL_YAML_LIST || !items->first) {
        return REFUSE(b, items, "expected a list of ", layout->name, "; leave the record out where there are none");
    }
    for (const ll_yaml *item = items->first; item && status == LL_OK; item = item->next, element++) {
        uint32_t at = size_of(b);
        status = item->kind == LL_YAML_MAP
                     ? grow(b, item, layout->size)
                     : REFUSE(b, item, "expected a map of fields, found ", ll_yaml_kind_text(item));
        if (status == LL_OK) {
            status = put_fields(b, item, span, element, at, keys);
        }
        status = status == LL_OK && shares ? note_shares(b, item, span, element) : status;
    }
    b->pieces.items[span].span.count = element;
    b->pieces.items[span].span.flags = LL_SPAN_ARRAY;
    return status;
}

/* Writes the part of a record that precedes its child records. */
static ll_status put_own(builder *b, const ll_yaml *node, const ll_layout *layout, uint32_t span)
{
    static const char *const record_keys[] = {"record", "index", "aligned", "unused", "items", "records", NULL};
    static const char *const text_keys[] = {"record", "index", "aligned", "text", "hex", "behind", NULL};
    static const char *const stretch_keys[] = {"record", "index", "aligned", "hex", "zeros", NULL};
    const ll_yaml *items = key_of(node, "items");
    uint32_t at = size_of(b);
    ll_status status = LL_OK;
    if (layout->kind == LL_KIND_RECORD && items) {
        for (const ll_yaml *key = node->first; key; key = key->next) {
            if (strcmp(key->key->text, "label") == 0 || field_of(layout, key->key->text, 0) < FIELDS_MAX) {
                return REFUSE(b, key, "expected in an element of \"items\", as the record has several");
            }
        }
        return put_items(b, items, layout, span);
    }
    if (layout->kind == LL_KIND_RECORD) {
        status = grow(b, node, layout->size);
        b->pieces.items[span].span.count = 1;
    }
    if (status == LL_OK) {
        bool tree = layout->kind == LL_KIND_RECORD || layout->kind == LL_KIND_GROUP;
        status = put_fields(b, node, span, 0, at,
                            tree                             ? record_keys
                            : layout->kind == LL_KIND_STRING ? text_keys
                                                             : stretch_keys);
    }
    return status != LL_OK                  ? status
           : layout->kind == LL_KIND_STRING ? put_text(b, node, layout, span)
           : layout->kind == LL_KIND_BYTES || layout->kind == LL_KIND_GAP || layout->kind == LL_KIND_UNPARSED
               ? put_stretch(b, node, layout)
               : LL_OK;
}

static ll_status read_index(builder *b, const ll_yaml *node, uint32_t *index)
{
    ll_problem why;
    uint64_t number;
    if (!node) {
        return LL_OK;
    }
    if (node->kind != LL_YAML_SCALAR || ll_literal_key(node->text, LL_TYPE_U32, &number, &why) != LL_OK ||
        number >= LL_NO_INDEX - 1) {
        return REFUSE(b, node, "expected a number");
    }
    *index = (uint32_t)number;
    return LL_OK;
}

static ll_status read_aligned(builder *b, const ll_yaml *map, bool *unaligned)
{
    const ll_yaml *node = key_of(map, "aligned");
    bool aligned = true;
    if (node && !ll_yaml_bool(node, &aligned)) {
        return REFUSE(b, node, "expected true or false");
    }
    *unaligned = !aligned;
    return LL_OK;
}

static ll_status begin_list(builder *b, const ll_yaml *node, uint32_t span, bool unaligned)
{
    if (node && node->kind != LL_YAML_LIST) {
        return REFUSE(b, node, "expected a list of records, found ", ll_yaml_kind_text(node));
    }
    if (b->depth + 1 == DEPTH) {
        return REFUSE(b, node, "records nested too deep");
    }
    list *l = &b->lists[++b->depth];
    *l = (list){.next = node ? node->first : NULL,
                .streamed = node && b->stream && node == b->stream->list,
                .span = span,
                .last = LL_NO_FIELD,
                .unaligned = unaligned};
    return LL_OK;
}

static ll_status end_list(builder *b)
{
    const list *l = &b->lists[b->depth];
    ll_span *s = l->span == LL_NO_SPAN ? NULL : &b->pieces.items[l->span].span;
    const ll_yaml *node = s ? b->pieces.items[l->span].node : b->root;
    bool is_text = s && b->format->layouts[s->layout].kind == LL_KIND_STRING;
    const ll_alignment *row = l->unaligned || is_text ? NULL
                              : s                     ? ll_alignment_of(b->format, s->layout, LL_ALIGN_END)
                              : b->pieces.count       ? ll_end_alignment_of(b->format, b->pieces.items[0].span.layout)
                                                      : NULL;
    ll_status status = pad(b, node, row);
    if (l->span != LL_NO_SPAN && status == LL_OK) {
        s = &b->pieces.items[l->span].span;
        s->length = size_of(b) - s->offset;
    }
    b->depth--;
    return status;
}

/* Computes the hash of an entry of the table of texts. */
static ll_status read_entry(builder *b, const ll_yaml *node, const ll_text_table *table, uint64_t *hash)
{
    const ll_layout *layout = &b->format->layouts[table->layout];
    const ll_field *f = &layout->fields[table->field];
    const ll_yaml *stated = key_of(node, f->name), *records = key_of(node, "records");
    const ll_yaml *in = records ? records->first : NULL;
    const ll_yaml *text = in ? key_of(in, "text") : NULL, *hex = in ? key_of(in, "hex") : NULL;
    uint8_t bytes[LL_DERIVED_MAX] = {0}, *raw = NULL;
    ll_status status = LL_OK;
    *hash = 0;
    if (stated) {
        status = put_number(b, stated, f, layout->endian, bytes);
        *hash = ll_read_uint(bytes, f->bytes, layout->endian);
    } else if (hex) {
        raw = ll_arena_alloc(b->arena, hex->length / 2 + 1, 1);
        status = raw ? read_hex(b, hex, raw) : LL_E_MEMORY;
        *hash = status == LL_OK ? b->format->text_hash(raw, hex->length / 2) : 0;
    } else if (text) {
        *hash = b->format->text_hash((const uint8_t *)text->text, text->length);
    }
    return status;
}

/* Notes an entry of the table of texts. *used: write it, as a record before it uses the text or it has "unused":
 * true. */
static ll_status note_entry(builder *b, const ll_yaml *node, const ll_text_table *table, bool *used)
{
    const ll_yaml *unused = key_of(node, "unused");
    bool stays = false;
    uint64_t hash;
    if (unused && !ll_yaml_bool(unused, &stays)) {
        return REFUSE(b, unused, "expected true or false");
    }
    ll_status status = read_entry(b, node, table, &hash);
    ll_hashed *known = status == LL_OK ? ll_hashes_note(&b->texts, hash, &b->memory) : NULL;
    if (known) {
        *used = known->used || stays;
        known->entered = known->entered || *used;
    }
    return status != LL_OK || known ? status : LL_E_MEMORY;
}

/* Appends entries for used texts that have none, in order of use. */
static ll_status put_entries(builder *b, const ll_text_table *table)
{
    list *l = &b->lists[b->depth];
    uint32_t *number = &l->number[ll_layout_family(b->format->layouts, table->layout)], span, text;
    ll_status status = LL_OK;
    for (size_t i = 0; i < b->texts.all.count && status == LL_OK; i++) {
        ll_hashed *use = &b->texts.all.items[i];
        const ll_yaml *node = use->place;
        if (use->entered || !node) {
            continue;
        }
        use->entered = true;
        l->last = table->layout;
        status = add_piece(b, node, table->layout, (*number)++, &span);
        status = status == LL_OK ? grow(b, node, b->format->layouts[table->layout].size) : status;
        status = status == LL_OK ? leave_all_open(b, span) : status;
        status = status == LL_OK ? add_piece(b, node, table->text, LL_NO_INDEX, &text) : status;
        status = status == LL_OK ? grow(b, node, node->length) : status;
        if (status == LL_OK) {
            ll_span *s = &b->pieces.items[text].span;
            memcpy(b->bytes->items + s->offset, node->text, node->length);
            s->parent = span;
            s->count = (uint32_t)node->length;
            status = end_text(b, node, table->text);
            s->length = size_of(b) - s->offset;
            b->pieces.items[span].span.count = 1;
            b->pieces.items[span].span.length = size_of(b) - b->pieces.items[span].span.offset;
        }
    }
    return status;
}

static ll_status put_shares(builder *b, const ll_yaml *node, const ll_yaml *of, unsigned layout);

/* Whether a text has a label that no field of the first pass pointed to: its user was removed. */
static bool is_left_over(const builder *b, const ll_yaml *node, unsigned layout)
{
    const ll_yaml *text = key_of(node, "label");
    uint32_t number = b->before && b->format->layouts[layout].kind == LL_KIND_STRING && text && is_label(text)
                          ? find_label(b->before, text->text)
                          : LL_MAP_NONE;
    return number != LL_MAP_NONE && !b->before->labels.items[number].used;
}

static ll_status take_record(builder *b, const ll_yaml *node)
{
    list *l = &b->lists[b->depth];
    size_t layout = 0;
    bool unaligned = false;
    ll_status status = find_layout(b, node, &layout);
    if (status == LL_OK) {
        status = read_aligned(b, node, &unaligned);
    }
    if (status != LL_OK) {
        return status;
    }
    const ll_yaml *of = key_of(node, "of");
    if (of) {
        return put_shares(b, node, of, (unsigned)layout);
    }
    if (is_left_over(b, node, (unsigned)layout)) {
        return LL_OK;
    }
    const ll_text_table *table = b->depth == 1 ? ll_texts_of(b->format) : NULL;
    bool used = true;
    status = !table                    ? LL_OK
             : layout == table->before ? put_entries(b, table)
             : layout == table->layout ? note_entry(b, node, table, &used)
                                       : LL_OK;
    if (status != LL_OK || !used) {
        return status;
    }
    const ll_alignment *row = ll_alignment_of(b->format, (unsigned)layout, LL_ALIGN_START);
    if (!row && l->last != layout) {
        row = ll_alignment_of(b->format, (unsigned)layout, LL_ALIGN_FIRST);
    }
    uint32_t *number = &l->number[ll_layout_family(b->format->layouts, (unsigned)layout)], span = 0;
    status = pad(b, node, unaligned ? NULL : row);
    if (status == LL_OK) {
        status = read_index(b, key_of(node, "index"), number);
    }
    if (status == LL_OK) {
        status = add_piece(b, node, (unsigned)layout, (*number)++, &span);
    }
    l->last = (uint32_t)layout;
    if (status == LL_OK) {
        status = put_own(b, node, &b->format->layouts[layout], span);
    }
    return status == LL_OK ? begin_list(b, key_of(node, "records"), span, unaligned) : status;
}

static ll_status next_record(builder *b, list *l, const ll_yaml **node)
{
    if (l->streamed) {
        ll_arena_reset(b->nodes);
        return ll_json_next(b->stream, b->nodes, node);
    }
    *node = l->next;
    l->next = *node ? (*node)->next : NULL;
    return LL_OK;
}

static ll_status put_lists(builder *b, unsigned base)
{
    ll_status status = LL_OK;
    while (status == LL_OK && b->depth > base) {
        const ll_yaml *node = NULL;
        status = next_record(b, &b->lists[b->depth], &node);
        if (status == LL_OK) {
            status = node ? take_record(b, node) : end_list(b);
        }
    }
    return status;
}

/* Writes the shares of one element, from *s on. The element says how many there are; the last one given is repeated. */
static ll_status put_share(builder *b, ll_share_list *l, uint32_t element, const share **s)
{
    const share *end = b->shares.items + b->shares.count;
    uint32_t number = (uint32_t)(l - b->told.lists), times = 1;
    unsigned base = b->depth;
    const share *own = NULL;
    ll_status status = LL_OK;
    if (l->row->times != LL_NO_FIELD && b->before) {
        const builder *before = b->before;
        const ll_layout *layout = &b->format->layouts[l->row->layout];
        const ll_field *f = &layout->fields[l->row->times];
        size_t at = before->pieces.items[before->told.owner].span.offset + (size_t)element * layout->size + f->offset;
        times = (uint32_t)ll_read_uint(before->bytes->items + at, f->bytes, layout->endian);
    }
    l->start[element] = size_of(b);
    for (uint32_t t = 0; status == LL_OK; t++) {
        while (*s < end && (*s)->element <= element && ((*s)->element < element || (*s)->list != number)) {
            ++*s;
        }
        bool another = *s < end && (*s)->element == element;
        own = another ? *s : own;
        if (!own || (t >= times && !another)) {
            break;
        }
        *s += another;
        if (t >= times) {
            if (l->row->times == LL_NO_FIELD) {
                return REFUSE(b, own->node, "given twice; expected once in each record that it belongs to");
            }
            continue;
        }
        b->lists[base].number[ll_layout_family(b->format->layouts, l->reference->target)] = element;
        status = take_record(b, own->node);
        status = status == LL_OK ? put_lists(b, base) : status;
    }
    const ll_yaml *items = own ? key_of(own->node, "items") : NULL;
    l->count[element] = items ? (uint32_t)items->length : own != NULL;
    return status;
}

/* Writes the shares of all elements, in order, at the record with "of". */
static ll_status put_shares(builder *b, const ll_yaml *node, const ll_yaml *of, unsigned layout)
{
    const list *here = &b->lists[b->depth];
    size_t i = 0;
    while (i < b->format->share_count && share_target(b, i) != layout) {
        i++;
    }
    const ll_share *row = i < b->format->share_count ? &b->format->shares[i] : NULL;
    if (!row || of->kind != LL_YAML_SCALAR || strcmp(b->format->layouts[row->layout].name, of->text) != 0) {
        return REFUSE(b, of, "expected a record that each ", b->format->layouts[layout].name, " belongs to",
                      row ? ": " : ", but no record does", row ? b->format->layouts[row->layout].name : "");
    }
    ll_share_list *l = &b->told.lists[i];
    const ll_reference *reference = ll_reference_of(b->format, row->layout, row->field);
    const ll_span *holder = here->span == LL_NO_SPAN ? NULL : &b->pieces.items[here->span].span;
    if (l->told || b->told.owner == LL_NO_SPAN || !holder || holder->layout != reference->within) {
        return REFUSE(b, node, "expected once, in ", b->format->layouts[reference->within].name, ", after ",
                      b->format->layouts[row->layout].name);
    }
    uint32_t n = b->pieces.items[b->told.owner].span.count;
    *l = (ll_share_list){.row = row,
                         .reference = reference,
                         .told = true,
                         .split = b->format->layouts[layout].kind == LL_KIND_RECORD,
                         .body = holder->offset + b->format->layouts[reference->within].size,
                         .start = ll_arena_zalloc(b->arena, n + 1U, sizeof *l->start),
                         .count = ll_arena_zalloc(b->arena, n + 1U, sizeof *l->count)};
    ll_status status = l->start && l->count ? LL_OK : LL_E_MEMORY;
    const share *s = b->shares.items;
    for (uint32_t element = 0; element < n && status == LL_OK; element++) {
        status = put_share(b, l, element, &s);
    }
    return status;
}

/* Reports texts without an entry and shares without a place. */
static ll_status check_places(builder *b)
{
    for (size_t i = 0; i < b->texts.all.count; i++) {
        const ll_hashed *use = &b->texts.all.items[i];
        if (use->place && !use->entered) {
            return REFUSE(b, (const ll_yaml *)use->place, "the text has no entry; expected a record ",
                          b->format->layouts[ll_texts_of(b->format)->before].name, " after it");
        }
    }
    for (size_t i = 0; i < b->shares.count; i++) {
        const share *s = &b->shares.items[i];
        const ll_share *row = &b->format->shares[s->list];
        if (!b->told.lists[s->list].told) {
            const ll_reference *reference = ll_reference_of(b->format, row->layout, row->field);
            return REFUSE(b, s->node, "has no place; expected {\"record\":\"",
                          b->format->layouts[reference->target].name, "\",\"of\":\"",
                          b->format->layouts[row->layout].name, "\"} among the records of ",
                          b->format->layouts[reference->within].name);
        }
    }
    return LL_OK;
}

/* Writes the list "records" of a map. */
static ll_status put_records(builder *b, const ll_yaml *map)
{
    bool unaligned = false;
    ll_status status = read_aligned(b, map, &unaligned);
    b->depth = 0;
    if (status == LL_OK) {
        status = begin_list(b, key_of(map, "records"), LL_NO_SPAN, unaligned);
    }
    status = status == LL_OK ? put_lists(b, 0) : status;
    return status == LL_OK ? check_places(b) : status;
}

/* ------------------------------------------------------------------ derived fields */

static ll_status claim_all(builder *b, ll_doc *doc)
{
    ll_doc_open(doc, b->bytes->items, size_of(b), "");
    ll_doc_set_format(doc, b->format);
    for (size_t i = 0; i < b->pieces.count; i++) {
        const ll_span *s = &b->pieces.items[i].span;
        ll_mark_span(doc, ll_claim(doc, *s), s->flags);
    }
    ll_doc_seal(doc);
    return doc->status;
}

static ll_status refuse_missing(builder *b, const open_field *open, ll_derived derived)
{
    const piece *p = &b->pieces.items[open->span];
    const ll_field *f = &b->format->layouts[p->span.layout].fields[open->field];
    if (!b->problem) {
        return LL_E_INPUT;
    }
    const ll_yaml *items = p->span.flags & LL_SPAN_ARRAY ? key_of(p->node, "items") : NULL;
    const ll_yaml *node = items ? ll_yaml_at(items, open->element) : p->node;
    const char *const missing[] = {"missing, and it cannot be computed from other fields; expected ",
                                   ll_type_name(f->type), *f->meaning ? ": " : "", f->meaning, NULL};
    const char *const large[] = {"has no room for the value that follows from the records; expected what fits ",
                                 ll_type_name(f->type), NULL};
    return refuse(b, node, f->name, derived == LL_DERIVED_TOO_LARGE ? large : missing);
}

static ll_status lead_to_label(builder *b, const ll_doc *doc, const open_field *open, uint8_t *bytes)
{
    uint32_t number = find_label(b, open->label->text);
    const ll_span *s = ll_doc_span(doc, open->span);
    const ll_reference *row = ll_reference_of(b->format, s->layout, open->field);
    if (number == LL_MAP_NONE) {
        return REFUSE(b, open->label, "no record has the label '", open->label->text, "'");
    }
    label *l = &b->labels.items[number];
    l->used = true;
    if (ll_doc_span(doc, l->span)->layout != row->target) {
        return REFUSE(b, open->label, "'", l->text, "' is a record ", ll_doc_layout(doc, l->span)->name, "; expected ",
                      b->format->layouts[row->target].name);
    }
    int64_t value = ll_reference_value(doc, row, open->span, open->element, l->span, l->element);
    return ll_put_number(&b->format->layouts[s->layout], open->field, value, bytes)
               ? LL_OK
               : refuse_missing(b, open, LL_DERIVED_TOO_LARGE);
}

static ll_status put_open(builder *b, ll_doc *doc)
{
    ll_deriver deriver;
    ll_status status = claim_all(b, doc);
    if (status == LL_OK && !ll_deriver_start(&deriver, doc, &doc->arena)) {
        status = LL_E_MEMORY;
    }
    for (size_t i = 0; i < b->open.count && status == LL_OK; i++) {
        const open_field *open = &b->open.items[i];
        const ll_layout *layout = ll_doc_layout(doc, open->span);
        const ll_field *f = &layout->fields[open->field];
        uint8_t bytes[LL_DERIVED_MAX];
        if (open->label) {
            status = lead_to_label(b, doc, open, bytes);
        } else {
            ll_derived derived = ll_shares_derive(&b->told, &deriver, open->span, open->element, open->field, bytes);
            status = derived == LL_DERIVED ? LL_OK : refuse_missing(b, open, derived);
        }
        if (status == LL_OK) {
            size_t at = ll_doc_span(doc, open->span)->offset + (size_t)open->element * layout->size + f->offset;
            memcpy(b->bytes->items + at, bytes, f->bytes);
        }
    }
    return status;
}

/* ------------------------------------------------------------------ the file and its regions */

/* Resets the builder; nothing is written yet. */
static void start(builder *b, const builder *before)
{
    *b = (builder){.built = b->built,
                   .arena = b->arena,
                   .memory = b->memory,
                   .format = b->format,
                   .root = b->root,
                   .problem = b->problem,
                   .stream = b->stream,
                   .nodes = b->nodes,
                   .bytes = b->bytes,
                   .bytes_memory = b->bytes_memory,
                   .told = {.owner = LL_NO_SPAN, .count = (unsigned)b->format->share_count},
                   .before = before};
}

static ll_status build_once(builder *b, const ll_yaml *map)
{
    ll_doc doc;
    ll_status status = put_records(b, map);
    if (status == LL_OK) {
        ll_doc_init(&doc, &b->arena->allocator);
        status = put_open(b, &doc);
        ll_doc_free(&doc);
    }
    return status;
}

/* Whether a second pass is needed: the first pass tells how often shares are repeated and which texts are unused. */
static bool needs_more(const builder *b)
{
    for (size_t i = 0; i < b->shares.count; i++) {
        if (b->format->shares[b->shares.items[i].list].times != LL_NO_FIELD) {
            return true;
        }
    }
    for (size_t i = 0; i < b->labels.count && b->format->share_count; i++) {
        unsigned layout = b->pieces.items[b->labels.items[i].span].span.layout;
        if (!b->labels.items[i].used && b->format->layouts[layout].kind == LL_KIND_STRING) {
            return true;
        }
    }
    return false;
}

/* Builds the bytes of all records of a map. */
static ll_status put_file(builder *b, const ll_yaml *map, byte_array *bytes, const ll_allocator *memory)
{
    b->bytes = bytes;
    b->bytes_memory = memory;
    start(b, NULL);
    ll_status status = build_once(b, map);
    if (status != LL_OK || !needs_more(b)) {
        return status;
    }
    builder *before = ll_arena_alloc(b->arena, 1, sizeof *before);
    byte_array *first = ll_arena_alloc(b->arena, 1, sizeof *first);
    if (!before || !first) {
        return LL_E_MEMORY;
    }
    *before = *b;
    *first = *bytes;
    before->bytes = first;
    *bytes = (byte_array){.items = NULL};
    start(b, before);
    status = build_once(b, map);
    LL_ARRAY_FREE(first, memory);
    return status;
}

/* Finds the region that an element of "regions" names. */
static ll_status find_region(builder *b, const ll_doc *doc, const ll_yaml *map, uint32_t *region)
{
    static const char *const keys[] = {"name", "offset", "length", "size", "aligned", "records", "spans", NULL};
    const ll_yaml *name = key_of(map, "name");
    if (map->kind != LL_YAML_MAP || !name || name->kind != LL_YAML_SCALAR) {
        return REFUSE(b, map, "expected a map with the key \"name\"");
    }
    ll_status status = expect_keys(b, map, keys);
    *region = 1;
    while (*region < doc->region_count && strcmp(doc->regions[*region].name, name->text) != 0) {
        ++*region;
    }
    return *region == doc->region_count && status == LL_OK
               ? REFUSE(b, name, "the file has no '", name->text,
                        "' in another form; expected records of the file that hold it, as they were dumped")
               : status;
}

/* Builds the bytes of regions that the text describes. Regions with unchanged bytes are left alone. */
static ll_status read_regions(builder *b, const ll_doc *doc, const ll_yaml *maps, ll_content contents[LL_REGIONS_MAX],
                              const ll_yaml **changed)
{
    bool seen[LL_REGIONS_MAX] = {false};
    ll_status status = maps->kind == LL_YAML_LIST ? LL_OK : REFUSE(b, maps, "expected a list of regions");
    for (const ll_yaml *map = maps->first; map && status == LL_OK; map = map->next) {
        byte_array bytes = {.items = NULL};
        uint32_t i = 0;
        status = find_region(b, doc, map, &i);
        if (status != LL_OK || !key_of(map, "records")) {
            continue;
        }
        status = seen[i] ? REFUSE(b, map, "a second region of that name") : put_file(b, map, &bytes, &b->memory);
        const ll_region *region = &doc->regions[i];
        bool same = bytes.count == region->size && memcmp(bytes.items, region->bytes, region->size) == 0;
        seen[i] = true;
        if (status == LL_OK && !same) {
            static const uint8_t none[1];
            contents[i] = (ll_content){bytes.items ? bytes.items : none, (uint32_t)bytes.count, 0};
            *changed = map;
        }
    }
    return status;
}

/* "block[3], which holds section[8], is no longer compressed: 2400 bytes before, 26656 now" */
static ll_status note_change(builder *b, const ll_doc *doc, const ll_region *region, uint32_t length)
{
    ll_text text;
    uint32_t span = 0;
    ll_text_init(&text, &b->memory);
    while (span < doc->span_count && (ll_doc_span(doc, span)->offset != region->outer_offset ||
                                      ll_doc_span(doc, span)->length != region->outer_length)) {
        span++;
    }
    ll_where at = ll_at_bytes(span < doc->span_count ? span : LL_NO_SPAN, region->outer_offset, region->outer_length);
    ll_path_text(doc, &at, &text);
    ll_text_format(&text, ", which holds %s, is no longer compressed: %u bytes before, %u now", region->name,
                   region->outer_length, length);
    const char *note = text.failed ? NULL : ll_arena_copy(&b->built->arena, text.data, text.length);
    b->built->notes[b->built->note_count] = note;
    b->built->note_count += note != NULL;
    return note ? LL_OK : LL_E_MEMORY;
}

/* Writes changed regions into the file. */
static ll_status put_regions(builder *b, ll_doc *doc, const ll_yaml *maps)
{
    ll_content contents[LL_REGIONS_MAX] = {{.bytes = NULL}}, file = {.size = FILE_MAX};
    const ll_yaml *changed = NULL;
    if (doc->size) {
        ll_doc_read(doc);
        ll_doc_seal(doc);
    }
    ll_status status = doc->status == LL_OK ? read_regions(b, doc, maps, contents, &changed) : doc->status;
    if (status != LL_OK || !changed) {
        return status;
    }
    if (!ll_rewrite(doc, contents, &file)) {
        return doc->status != LL_OK ? doc->status
                                    : REFUSE(b, changed,
                                             "does not fit into the records of the file; expected these as "
                                             "they were dumped, and no more than 256 MiB in all");
    }
    for (uint32_t i = 1; i < doc->region_count && status == LL_OK; i++) {
        bool first = contents[i].bytes != NULL;
        for (uint32_t k = 1; k < i; k++) {
            first = first && !(contents[k].bytes && doc->regions[k].outer_offset == doc->regions[i].outer_offset);
        }
        status = first ? note_change(b, doc, &doc->regions[i], contents[i].outer_length) : LL_OK;
    }
    byte_array *bytes = &b->built->bytes;
    bytes->count = 0;
    if (status == LL_OK && !LL_ARRAY_ROOM(bytes, file.size, &b->built->arena.allocator)) {
        status = LL_E_MEMORY;
    }
    if (status == LL_OK) {
        memcpy(bytes->items, file.bytes, file.size);
        bytes->count = file.size;
    }
    return status;
}

/* ------------------------------------------------------------------ the whole */

static ll_status read_root(builder *b)
{
    static const char *const keys[] = {"file",    "member",  "format",  "size",  "offset", "aligned",
                                       "records", "regions", "members", "spans", NULL};
    const ll_yaml *format = b->root ? key_of(b->root, "format") : NULL;
    if (!b->root) {
        (void)LL_PROBLEM(ll_problem_at(b->problem, 0, 0), "empty; expected what dump --format json writes");
        return LL_E_INPUT;
    }
    if (!format || format->kind != LL_YAML_SCALAR) {
        return REFUSE(b, b->root, "no \"format\"; expected what dump --format json writes");
    }
    ll_status status = expect_keys(b, b->root, keys);
    if (status != LL_OK) {
        return status;
    }
    b->format = ll_format_find(format->text);
    if (!b->format) {
        return REFUSE(b, format, "unknown format: '", format->text, "'");
    }
    const ll_yaml *file = key_of(b->root, "member");
    file = file ? file : key_of(b->root, "file");
    b->built->format = b->format;
    b->built->name = file ? ll_arena_copy(&b->built->arena, file->text, file->length) : "";
    if (!b->built->name) {
        return LL_E_MEMORY;
    }
    return key_of(b->root, "records")
               ? LL_OK
               : REFUSE(b, b->root, "no \"records\": files of ", format->text,
                        " that have none cannot be built, as they are damaged or their records are not a tree");
}

/* Is the first character that belongs to no comment '{'? */
static bool is_json(const char *bytes, size_t size)
{
    bool comment = false;
    size_t at = ll_bom_length(bytes, size);
    while (at < size && (comment || memchr(" \t\r\n#", bytes[at], 5))) {
        comment = bytes[at] != '\n' && (comment || bytes[at] == '#');
        at++;
    }
    return at < size && bytes[at] == '{';
}

/* Reads the document. A list of records that need not be read out of order is read later, if the attempt is quiet. */
static ll_status read_document(builder *b, const char *bytes, size_t size)
{
    static const ll_yaml_limits limits = {1U << 30, 1U << 30, LL_JSON_NODES_MAX};
    ll_json_items *items = ll_arena_zalloc(b->arena, 1, sizeof *items);
    size_t mark = ll_bom_length(bytes, size);
    const char *start = mark ? bytes + mark : bytes;
    const ll_json_text text = {start, size - mark, "spans", b->problem ? NULL : "records", items};
    ll_status status = LL_E_MEMORY;
    if (items && size <= limits.bytes && is_json(bytes, size)) {
        status = ll_json_read(b->arena, &text, &b->root, b->problem);
    } else if (items) {
        status = ll_yaml_read_large(b->arena, bytes, size, &limits, &b->root, b->problem);
    }
    status = status == LL_OK ? read_root(b) : status == LL_E_PACK ? LL_E_INPUT : status;
    if (status == LL_OK && items->list && b->format->share_count) {
        status = ll_json_rest(items, b->arena);
    } else if (status == LL_OK && items->list) {
        b->stream = items;
    }
    return status;
}

static ll_status build(builder *b, const char *json, size_t size)
{
    ll_built *built = b->built;
    ll_status status = read_document(b, json, size);
    if (status == LL_OK) {
        status = put_file(b, b->root, &built->bytes, &built->arena.allocator);
    }
    const ll_yaml *regions = status == LL_OK ? key_of(b->root, "regions") : NULL;
    if (regions) {
        ll_doc doc;
        ll_doc_init(&doc, &b->arena->allocator);
        ll_doc_open(&doc, built->bytes.items, (uint32_t)built->bytes.count, built->name);
        ll_doc_set_format(&doc, b->format);
        status = put_regions(b, &doc, regions);
        ll_doc_free(&doc);
    }
    return status;
}

static ll_status build_with(const ll_allocator *allocator, const void *json, size_t size, ll_built **out,
                            ll_problem *problem)
{
    ll_arena arena, nodes;
    ll_arena_init(&arena, allocator, SIZE_MAX);
    ll_arena_init(&nodes, allocator, SIZE_MAX);
    builder *b = ll_arena_zalloc(&arena, 1, sizeof *b);
    ll_built *built = b ? arena.allocator.alloc(arena.allocator.ctx, sizeof *built) : NULL;
    ll_status status = LL_E_MEMORY;
    if (built) {
        *built = (ll_built){.bytes = {.items = NULL}};
        ll_arena_init(&built->arena, allocator, SIZE_MAX);
        b->built = built;
        b->arena = &arena;
        b->nodes = &nodes;
        b->memory = ll_arena_allocator(&arena);
        b->problem = problem;
        b->told.owner = LL_NO_SPAN;
        status = build(b, json, size);
    }
    if (status == LL_OK) {
        *out = built;
    } else {
        ll_built_free(built);
    }
    ll_arena_free(&nodes);
    ll_arena_free(&arena);
    return status;
}

ll_status ll_build(const ll_allocator *allocator, const void *json, size_t size, ll_built **out, ll_problem *problem)
{
    ll_problem unwanted;
    if (!out || (!json && size)) {
        return LL_E_ARGUMENT;
    }
    *out = NULL;
    ll_status status = build_with(allocator, json, size, out, NULL);
    return status == LL_E_INPUT ? build_with(allocator, json, size, out, problem ? problem : &unwanted) : status;
}

void ll_built_bytes(const ll_built *built, const void **bytes, size_t *size)
{
    *bytes = built->bytes.items;
    *size = built->bytes.count;
}

const char *ll_built_format(const ll_built *built)
{
    return built->format->family;
}

const char *ll_built_name(const ll_built *built)
{
    return built->name;
}

const char *ll_built_note(const ll_built *built, size_t i)
{
    return i < built->note_count ? built->notes[i] : NULL;
}

void ll_built_free(ll_built *built)
{
    if (built) {
        ll_allocator a = built->arena.allocator;
        LL_ARRAY_FREE(&built->bytes, &a);
        ll_arena_free(&built->arena);
        a.release(a.ctx, built);
    }
}
