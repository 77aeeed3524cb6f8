/* The judge of texts: looks up the hashes that a DataSet uses in its string table, and raises faults about hashes and
 * texts. One pass over the spans, then one over the string table. */
#include "formats/fox/fox.h"

#include "formats/strcode.h"

#include <string.h>

/* A hash that is used, but in no entry of the string table. */
typedef struct unresolved {
    uint64_t hash; /* first, for ll_map_has_key() */
    ll_where at;   /* the first use as name of a class or property; if there is none, the first use */
    uint32_t uses;
    bool names; /* it is used as name of a class or property */
    bool found; /* it is the hash of a text whose entry states another hash */
} unresolved;

/* How an entry of the string table is used. */
typedef struct usage {
    uint32_t named_in, key_in; /* spans: the last entity with a property of this name, the last map with this key */
    bool used;
} usage;

typedef struct lookup {
    ll_doc *doc;
    const fox_summary *summary;
    usage *usages; /* by string */
    ll_map map;    /* of rows, by hash */
    LL_ARRAY(unresolved) rows;
    ll_allocator arena;
    uint32_t entity, property;    /* spans of the last ones */
    uint32_t entities;            /* so far */
    uint8_t uses[LL_LAYOUTS_MAX]; /* by layout: AS_... */
} lookup;

static usage *usage_of(const lookup *l, const fox_string *string)
{
    return &l->usages[string - l->summary->strings];
}

/* Notes a use of a hash that is in no entry. names: as name of a class or property. */
static void note_unresolved(lookup *l, uint64_t hash, uint32_t span, uint32_t element, unsigned field, bool names)
{
    uint32_t number = (uint32_t)l->rows.count;
    uint32_t earlier = ll_map_find_row(&l->map, l->rows.items, sizeof *l->rows.items, hash);
    bool again;
    if (earlier != LL_MAP_NONE) {
        unresolved *row = &l->rows.items[earlier];
        row->uses++;
        if (names && !row->names) {
            row->at = ll_at_field(l->doc, span, element, field);
            row->names = true;
        }
        return;
    }
    unresolved *row = LL_ARRAY_ADD(&l->rows, &l->arena);
    if (row) {
        *row = (unresolved){hash, ll_at_field(l->doc, span, element, field), 1, names, false};
    }
    if (!row || !ll_map_add_row(&l->map, l->rows.items, sizeof *row, number, &again, &l->arena)) {
        l->doc->status = LL_E_MEMORY;
    }
}

/* Notes a use of the hash at `at`, which is a field of an element of a span. names: it is the name of a class or
 * property, which cannot be "". NULL: the hash is in no entry, or is that of "". */
static inline usage *use(lookup *l, const uint8_t *at, uint32_t span, uint32_t element, unsigned field, bool names)
{
    uint64_t hash = ll_le64(at);
    const fox_string *string = hash == FOX_EMPTY && !names ? NULL : fox_find_string(l->summary, hash);
    usage *u = string ? usage_of(l, string) : NULL;
    if (u) {
        u->used = true;
    } else if (hash != FOX_EMPTY || names) {
        note_unresolved(l, hash, span, element, field, names);
    }
    return u;
}

/* Notes the hashes of an EntityLink. The archive path may be missing in the string table. first: its first field. */
static void use_link(lookup *l, const uint8_t *at, uint32_t span, uint32_t element, unsigned first)
{
    (void)use(l, at, span, element, first, false);
    const fox_string *archive = fox_find_string(l->summary, ll_le64(at + 8));
    if (archive) {
        usage_of(l, archive)->used = true;
    }
    (void)use(l, at + 16, span, element, first + 2, false);
}

/* Notes the class of an entity, and raises a fault about an address that is 0 or that of an earlier entity. */
static void use_entity(lookup *l, uint32_t span, const uint8_t *p)
{
    ll_doc *doc = l->doc;
    uint64_t address = ll_le64(p + fox_entity_at_address);
    bool again = l->summary->entities.items[l->entities++].again;
    l->entity = span;
    (void)use(l, p + fox_entity_at_class_name, span, 0, fox_entity_class_name, true);
    if (l->summary->counted && (again || address == 0)) {
        const fox_entity *first = again ? fox_find_entity(l->summary, address) : NULL;
        ll_where related = first ? ll_at_field(doc, first->span, 0, fox_entity_address) : ll_nowhere();
        LL_RAISE_RELATED(doc, FOX_FAULT_ADDRESS_DUPLICATE, 0, ll_at_field(doc, span, 0, fox_entity_address), related,
                         ll_uint(address));
    }
}

/* The text of an entry of the string table, as an argument. */
static ll_arg text_of(const lookup *l, const usage *u)
{
    const fox_string *string = &l->summary->strings[u - l->usages];
    return ll_chars(string->text, string->length);
}

/* Raises a fault about a number of values that cannot be right: 0 in a static array, or more than INT16_MAX, as FoxTool
 * reads the number with a sign. */
static void judge_value_count(const lookup *l, uint32_t span, const uint8_t *head)
{
    const unsigned values = ll_le16(head + fox_property_at_value_count);
    const unsigned container = head[fox_property_at_container];
    if ((values == 0 && container == FOX_STATIC_ARRAY) || values > INT16_MAX) {
        LL_RAISE(l->doc, FOX_FAULT_PROPERTY_COUNT, 0, ll_at_field(l->doc, span, 0, fox_property_value_count),
                 ll_uint(values));
    }
}

/* Notes the name of a property, and raises a fault if its entity has another property of this name. */
static void use_name(lookup *l, uint32_t span, const uint8_t *head)
{
    l->property = span;
    usage *name = use(l, head, span, 0, fox_property_name, true);
    if (name && name->named_in == l->entity) {
        LL_RAISE(l->doc, FOX_FAULT_PROPERTY_DUPLICATE, 0, ll_at_field(l->doc, span, 0, fox_property_name),
                 text_of(l, name));
    }
    if (name) {
        name->named_in = l->entity;
    }
}

/* Notes the key of an item, and raises a fault if its map has the key already. */
static void use_key(lookup *l, uint32_t span, const uint8_t *at)
{
    usage *key = use(l, at, span, 0, fox_item_string_key, false);
    if (key && key->key_in == l->property) {
        LL_RAISE(l->doc, FOX_FAULT_MAP_KEY_DUPLICATE, 0, ll_at_field(l->doc, span, 0, fox_item_string_key),
                 text_of(l, key));
    }
    if (key) {
        key->key_in = l->property;
    }
}

_Static_assert((int)fox_value_int8_LAYOUT == FOX_FIRST_SHAPE + FOX_VALUES &&
                   (int)fox_item_int8_LAYOUT == FOX_FIRST_SHAPE + FOX_ITEM &&
                   (FOX_LAST_SHAPE - FOX_FIRST_SHAPE) % FOX_SHAPES == FOX_ITEM,
               "layouts of values do not come in threes");

/* How a span of a layout uses hashes; bits. */
enum { AS_ENTITY = 1, AS_NAME = 2, AS_KEY = 4, AS_TEXTS = 8, AS_LINKS = 16 };

/* Fills in uses[]. */
static void open_uses(lookup *l)
{
    l->uses[fox_entity_LAYOUT] = AS_ENTITY;
    l->uses[fox_property_LAYOUT] = AS_NAME;
    for (unsigned i = 0; i <= FOX_LAST_SHAPE - FOX_FIRST_SHAPE; i++) {
        const unsigned shape = i % FOX_SHAPES, one_value = FOX_FIRST_SHAPE + i - shape;
        l->uses[FOX_FIRST_SHAPE + i] = (uint8_t)((shape == FOX_SINGLE ? AS_NAME
                                                  : shape == FOX_ITEM ? AS_KEY
                                                                      : 0) |
                                                 (one_value == fox_single_string_LAYOUT ? AS_TEXTS : 0) |
                                                 (one_value == fox_single_link_LAYOUT ? AS_LINKS : 0));
    }
}

static void use_values(lookup *l, uint32_t span, const ll_span *s, unsigned uses)
{
    /* By shape: offset of the value in its record, and number of its first field. */
    static const struct {
        uint8_t at, first;
    } values[FOX_SHAPES] = {{fox_single_string_at_value, fox_single_string_value},
                            {0, 0},
                            {fox_item_string_at_value, fox_item_string_value}};
    const unsigned shape = (unsigned)(s->layout - FOX_FIRST_SHAPE) % FOX_SHAPES;
    const uint8_t *at = l->doc->bytes + s->offset + values[shape].at;
    for (uint32_t i = 0; i < s->count && l->doc->status == LL_OK; i++) {
        if (uses & AS_LINKS) {
            use_link(l, at + (size_t)i * fox_value_link_SIZE, span, i, values[shape].first);
        } else {
            (void)use(l, at + (size_t)i * fox_value_string_SIZE, span, i, values[shape].first, false);
        }
    }
}

static void use_span(lookup *l, uint32_t span, const ll_span *s)
{
    const uint8_t *at = l->doc->bytes + s->offset;
    const unsigned uses = l->uses[s->layout];
    if (uses & AS_ENTITY) {
        use_entity(l, span, at);
    } else if (uses & AS_NAME) {
        use_name(l, span, at);
        if (s->layout == fox_property_LAYOUT) {
            judge_value_count(l, span, at);
        }
    } else if (uses & AS_KEY) {
        use_key(l, span, at);
    }
    if (uses & (AS_TEXTS | AS_LINKS)) {
        use_values(l, span, s, uses);
    }
}

static ll_where at_text(const ll_doc *doc, const fox_string *string)
{
    return ll_at_field(doc, string->span + 1, 0, LL_STRING_TEXT);
}

/* Searches for a change of one byte that gives the text its stated hash. *at: offset of the byte in the text; *right:
 * its new value, printable and no blank. False: there is none, or the limit of searches is used up. */
static bool wrong_byte(lookup *l, const fox_string *string, uint32_t *at, uint8_t *right)
{
    uint8_t text[LL_SEARCHED_TEXT];
    if (!ll_strcode_may_search(&l->doc->searched, string->length)) {
        return false;
    }
    memcpy(text, l->doc->bytes + string->text, string->length);
    for (*at = 0; *at < string->length; ++*at) {
        uint8_t kept = text[*at];
        for (*right = 0x21; *right < 0x7F; ++*right) {
            text[*at] = *right;
            if (ll_strcode64_unended(text, string->length) == string->hash) {
                return true;
            }
        }
        text[*at] = kept;
    }
    return false;
}

/* Raises a fault about an entry whose hash is not that of its text. The hash is wrong if the hash of the text is used
 * and in no entry; else the text is wrong, in one byte if a change of one byte gives the hash, or it is encrypted. */
static void judge_misfit(lookup *l, const fox_string *string)
{
    ll_doc *doc = l->doc;
    const uint8_t *text = doc->bytes + string->text;
    uint64_t right = ll_strcode64_unended(text, string->length);
    uint32_t asked = ll_map_find_row(&l->map, l->rows.items, sizeof *l->rows.items, right);
    ll_where hash = ll_at_field(doc, string->span, 0, fox_string_hash);
    ll_fault f = LL_MAKE_FAULT(FOX_FAULT_STRING_HASH, 0, at_text(doc, string), hash, ll_uint(string->hash),
                               ll_uint(right), ll_chars(string->text, string->length));
    uint32_t at;
    uint8_t byte;
    if (asked != LL_MAP_NONE) {
        f.at = hash;
        f.related = at_text(doc, string);
        f.code = l->rows.items[asked].names ? FOX_FAULT_NAME_HASH : FOX_FAULT_STRING_HASH;
        l->rows.items[asked].found = true;
        ll_patch_field(doc, &f, LL_PATCH_SAFE, right);
    } else if (wrong_byte(l, string, &at, &byte)) {
        f.at.offset += at;
        f.at.length = 1;
        ll_patch_field(doc, &f, LL_PATCH_UNSAFE, byte);
    } else if (fox_unprintable(string, text) >= (string->length + 3) / 4) {
        f.code = FOX_FAULT_STRING_ENCRYPTED;
    }
    usage_of(l, string)->used = true;
    ll_raise(doc, &f);
}

/* Raises a fault about a text with bytes that are not printable ASCII: fox2-string-utf8 if it is UTF-8, else
 * fox2-string-charset. */
static void judge_charset(lookup *l, const fox_string *string)
{
    const uint8_t *text = l->doc->bytes + string->text;
    size_t i = 0, n = 1;
    for (; n && i < string->length; i += n) {
        n = ll_utf8_length(text + i, string->length - i);
    }
    LL_RAISE(l->doc, i < string->length ? FOX_FAULT_STRING_CHARSET : FOX_FAULT_STRING_UTF8, 0, at_text(l->doc, string),
             ll_chars(string->text, string->length));
}

/* Makes usages[]. Raises a fault about the first entry that has the hash of an earlier one. All such entries count as
 * used, as lookups find the earlier one. False: no memory. */
static bool open_usages(lookup *l)
{
    ll_doc *doc = l->doc;
    bool raised = false;
    size_t count = l->summary->string_count;
    l->usages = ll_doc_zalloc(l->doc, count + 1, sizeof *l->usages);
    for (size_t i = 0; l->usages && i < count; i++) {
        const fox_string *string = &l->summary->strings[i];
        l->usages[i] = (usage){LL_NO_SPAN, LL_NO_SPAN, string->again};
        if (string->again && !raised) {
            const fox_string *earlier = fox_find_string(l->summary, string->hash);
            LL_RAISE_RELATED(doc, FOX_FAULT_STRING_DUPLICATE, 0, ll_at_field(doc, string->span, 0, fox_string_hash),
                             ll_at_field(doc, earlier->span, 0, fox_string_hash), ll_uint(string->hash),
                             ll_chars(string->text, string->length));
            raised = true;
        }
    }
    return l->usages != NULL;
}

enum { MEANT_MAX = 16 /* unresolved hashes of a file for which entries are looked for, at most */ };

/* The numbers differ in exactly one byte. */
static bool is_one_byte_off(uint64_t one, uint64_t other)
{
    uint64_t bits = one ^ other;
    while (bits && !(bits & UINT8_MAX)) {
        bits >>= 8;
    }
    return bits && bits <= UINT8_MAX;
}

/* The entry that is the only one of all for which a test holds; NULL: there is none, or there are several. */
static const fox_string *find_only(const lookup *l, uint64_t hash, bool unused)
{
    const fox_string *only = NULL;
    unsigned count = 0;
    for (size_t i = 0; i < l->summary->string_count && count < 2; i++) {
        const fox_string *string = &l->summary->strings[i];
        if (unused ? !l->usages[i].used : is_one_byte_off(string->hash, hash)) {
            only = string;
            count++;
        }
    }
    return count == 1 ? only : NULL;
}

/* Raises a fault about a hash that is used and in no entry. The patch is the hash of an entry that differs from it in
 * one byte only, or, as a guess, that of the only entry that nothing uses if this is the only such hash. */
static void judge_unresolved(lookup *l, const unresolved *row, size_t missing)
{
    ll_doc *doc = l->doc;
    const fox_string *near = missing <= MEANT_MAX ? find_only(l, row->hash, false) : NULL;
    /* a 0 after another one may be part of a longer stretch of zeros, in which more is lost */
    const bool zeroed = row->hash == 0 && row->at.offset && doc->bytes[row->at.offset - 1] == 0;
    const bool alone = missing == 1 && row->uses == 1 && l->summary->counted && !zeroed;
    const fox_string *meant = near || !alone ? near : find_only(l, row->hash, true);
    ll_fault f = LL_MAKE_FAULT(row->names ? FOX_FAULT_STRING_UNRESOLVED : FOX_FAULT_VALUE_UNRESOLVED, 0, row->at,
                               meant ? at_text(doc, meant) : ll_nowhere(), ll_uint(row->hash), ll_uint(row->uses));
    if (meant && row->uses == 1) {
        ll_patch_field(doc, &f, near ? LL_PATCH_SAFE : LL_PATCH_UNSAFE, meant->hash);
        f.patch.guessed = !near;
    }
    ll_raise(doc, &f);
}

void fox_judge_texts(ll_doc *doc)
{
    const fox_summary *summary = ll_doc_memo(doc, fox_index);
    lookup l = {.doc = doc, .summary = summary, .arena = ll_arena_allocator(&doc->arena), .entity = LL_NO_SPAN};
    doc->fatal = doc->fatal || !doc->firsts[fox_header_LAYOUT];
    if (!summary || !open_usages(&l)) {
        return;
    }
    open_uses(&l);
    const fox_string *strings = summary->strings;
    uint32_t end = summary->string_count ? strings[0].span : doc->span_count;
    const ll_span *s = NULL;
    for (uint32_t i = 0; i < end && doc->status == LL_OK; i++) {
        s = ll_doc_span_behind(doc, s, i);
        use_span(&l, i, s);
    }
    for (size_t i = 0; i < summary->string_count && doc->status == LL_OK; i++) {
        if (fox_is_misfit(doc, &strings[i])) {
            judge_misfit(&l, &strings[i]);
        } else if (!fox_is_printing(doc->bytes + strings[i].text, strings[i].length)) {
            judge_charset(&l, &strings[i]);
        }
    }
    size_t missing = 0;
    if (summary->lost) {
        return;
    }
    for (size_t i = 0; i < l.rows.count; i++) {
        missing += !l.rows.items[i].found;
    }
    for (size_t i = 0; i < l.rows.count && doc->status == LL_OK; i++) {
        if (!l.rows.items[i].found) {
            judge_unresolved(&l, &l.rows.items[i], missing);
        }
    }
    for (size_t i = 0; summary->counted && !missing && i < summary->string_count; i++) {
        if (!l.usages[i].used) {
            LL_RAISE(doc, FOX_FAULT_STRING_UNUSED, 0, at_text(doc, &strings[i]),
                     ll_chars(strings[i].text, strings[i].length));
        }
    }
}
