/* Hashes of a DataSet and the texts that its string table has for them. Each property is looked at once, each text once
 * for each use. */
#include "formats/fox/fox.h"

#include "formats/strcode.h"

#include <string.h>

/* A hash that is in no entry, and who uses it. */
typedef struct unresolved {
    uint64_t hash; /* first, for ll_map_has_key() */
    ll_where at;   /* first use as the name of a class or property; where there is none, first use */
    uint32_t uses;
    bool names; /* a class or property */
    bool found; /* the hash of an entry is wrong, and its text the one that is meant */
} unresolved;

typedef struct lookup {
    ll_doc *doc;
    fox_summary *summary;
    ll_map map; /* of rows */
    LL_ARRAY(unresolved) rows;
    ll_allocator arena;
    uint32_t entity, property; /* spans */
} lookup;

static inline fox_string *find_string(const fox_summary *summary, uint64_t hash)
{
    ll_map_key key = {summary->strings.items, sizeof *summary->strings.items, hash};
    uint32_t i = ll_map_find(&summary->string_map, ll_map_hash(hash), ll_map_has_key, &key);
    return i == LL_MAP_NONE ? NULL : &summary->strings.items[i];
}

fox_string *fox_find_string(const fox_summary *summary, uint64_t hash)
{
    return find_string(summary, hash);
}

static void note_unresolved(lookup *l, uint64_t hash, uint32_t span, uint32_t element, unsigned field, bool names)
{
    uint32_t number = (uint32_t)l->rows.count;
    ll_map_key key = {l->rows.items, sizeof *l->rows.items, hash};
    uint32_t earlier = ll_map_find(&l->map, ll_map_hash(hash), ll_map_has_key, &key);
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
    if (!row || !ll_map_room(&l->map, number, ll_map_key_hash,
                             &(ll_map_key){l->rows.items, sizeof *l->rows.items, hash}, &l->arena)) {
        l->doc->status = LL_E_MEMORY;
        return;
    }
    *row = (unresolved){hash, ll_at_field(l->doc, span, element, field), 1, names, false};
    key.rows = l->rows.items;
    (void)ll_map_note(&l->map, ll_map_hash(hash), number, ll_map_has_key, &key);
}

/* A use of the hash at an address of the file; NULL: there is no such text, or it is "". */
static inline fox_string *use(lookup *l, const uint8_t *at, uint32_t span, uint32_t element, unsigned field, bool names)
{
    uint64_t hash = ll_le64(at);
    fox_string *string = hash == FOX_EMPTY && !names ? NULL : find_string(l->summary, hash);
    if (string) {
        string->used = true;
    } else if (hash != FOX_EMPTY || names) {
        note_unresolved(l, hash, span, element, field, names);
    }
    return string;
}

static void use_link(lookup *l, const uint8_t *at, uint32_t span, uint32_t element, unsigned first)
{
    (void)use(l, at, span, element, first, false);
    fox_string *archive = fox_find_string(l->summary, ll_le64(at + 8));
    if (archive) {
        archive->used = true;
    }
    (void)use(l, at + 16, span, element, first + 2, false);
}

/* Notes an entity, and what its class is. */
static void use_entity(lookup *l, uint32_t span, const uint8_t *p)
{
    ll_doc *doc = l->doc;
    fox_summary *summary = l->summary;
    uint32_t number = (uint32_t)summary->entities.count;
    uint64_t class_name = ll_le64(p + fox_entity_at_class_name), address = ll_le64(p + fox_entity_at_address);
    l->entity = span;
    (void)use(l, p + fox_entity_at_class_name, span, 0, fox_entity_class_name, true);
    fox_entity *entity = &summary->entities.items[summary->entities.count++];
    *entity = (fox_entity){address, NULL, span, LL_NO_SPAN, LL_NO_SPAN, LL_NO_SPAN, 0};
    while (entity->class < FOX_CLASSES && fox_words[entity->class] != class_name) {
        entity->class ++;
    }
    if (entity->class < FOX_CLASSES && !summary->first[entity->class]) {
        summary->first[entity->class] = number + 1;
    }
    ll_map_key key = {summary->entities.items, sizeof *entity, address};
    uint32_t earlier = ll_map_note(&summary->entity_map, ll_map_hash(address), number, ll_map_has_key, &key);
    if (summary->counted && (earlier != LL_MAP_NONE || address == 0)) {
        ll_where related = earlier == LL_MAP_NONE
                               ? ll_nowhere()
                               : ll_at_field(doc, summary->entities.items[earlier].span, 0, fox_entity_address);
        LL_RAISE_RELATED(doc, FOX_FAULT_ADDRESS_DUPLICATE, 0, ll_at_field(doc, span, 0, fox_entity_address), related,
                         ll_uint(address));
    }
}

static void use_name(lookup *l, uint32_t span, const uint8_t *head, bool single)
{
    l->property = span;
    if (single && l->summary->entities.count) {
        fox_entity *entity = &l->summary->entities.items[l->summary->entities.count - 1];
        uint64_t hash = ll_le64(head);
        unsigned type = head[fox_property_at_type];
        if (hash == fox_words[FOX_WORD_name] && type == FOX_String) {
            entity->name = span;
        } else if (hash == fox_words[FOX_WORD_dataSet] && type == FOX_EntityHandle) {
            entity->data_set = span;
        } else if (hash == fox_words[FOX_WORD_staticModelArray] && type == FOX_EntityHandle) {
            entity->array = span;
        }
    }
    fox_string *name = use(l, head, span, 0, fox_property_name, true);
    if (name && name->named_in == l->entity && !(ll_doc_span(l->doc, l->entity)->flags & LL_SPAN_DOUBTFUL)) {
        LL_RAISE(l->doc, FOX_FAULT_PROPERTY_DUPLICATE, 0, ll_at_field(l->doc, span, 0, fox_property_name),
                 ll_chars(name->text, name->length));
    }
    if (name) {
        name->named_in = l->entity;
    }
}

static void use_key(lookup *l, uint32_t span, const uint8_t *at)
{
    fox_string *key = use(l, at, span, 0, fox_item_string_key, false);
    if (key && key->key_in == l->property) {
        LL_RAISE(l->doc, FOX_FAULT_MAP_KEY_DUPLICATE, 0, ll_at_field(l->doc, span, 0, fox_item_string_key),
                 ll_chars(key->text, key->length));
    }
    if (key) {
        key->key_in = l->property;
    }
}

/* Layouts of values come in threes: of a property with one value, of several values, of an item of a map. */
enum { SINGLE, VALUES, ITEM, SHAPES, FIRST_SHAPE = fox_single_int8_LAYOUT, LAST_SHAPE = fox_item_link_LAYOUT };
_Static_assert((int)fox_value_int8_LAYOUT == FIRST_SHAPE + VALUES && (int)fox_item_int8_LAYOUT == FIRST_SHAPE + ITEM &&
                   (LAST_SHAPE - FIRST_SHAPE) % SHAPES == ITEM,
               "layouts of values do not come in threes");

static void use_span(lookup *l, uint32_t span, const ll_span *s)
{
    /* Where the values of each shape begin, and the number of their first field. */
    static const struct {
        uint8_t at, first;
    } values[SHAPES] = {{fox_single_string_at_value, fox_single_string_value},
                        {0, 0},
                        {fox_item_string_at_value, fox_item_string_value}};
    const uint8_t *at = l->doc->bytes + s->offset;
    bool is_shape = s->layout >= FIRST_SHAPE && s->layout <= LAST_SHAPE;
    unsigned shape = is_shape ? (unsigned)(s->layout - FIRST_SHAPE) % SHAPES : SHAPES;
    unsigned kind = is_shape ? s->layout - shape : LL_LAYOUT_UNPARSED; /* by the layout of its single values */
    if (s->layout == fox_entity_LAYOUT) {
        use_entity(l, span, at);
    } else if (shape == SINGLE || s->layout == fox_property_LAYOUT) {
        use_name(l, span, at, shape == SINGLE);
    } else if (shape == ITEM) {
        use_key(l, span, at);
    }
    if (kind == fox_single_string_LAYOUT || kind == fox_single_link_LAYOUT) {
        at += values[shape].at;
        for (uint32_t i = 0; i < s->count && l->doc->status == LL_OK; i++) {
            if (kind == fox_single_link_LAYOUT) {
                use_link(l, at + (size_t)i * fox_value_link_SIZE, span, i, values[shape].first);
            } else {
                (void)use(l, at + (size_t)i * fox_value_string_SIZE, span, i, values[shape].first, false);
            }
        }
    }
}

/* Are all eight characters printing ones? Nothing is carried from one that is. */
static inline bool are_printing(uint64_t eight)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    return !(((eight - 0x20 * each) | (eight + each)) & 0x80 * each);
}

/* Are all characters of the text of an entry? The last eight bytes may begin before it, where they count as spaces. */
static bool is_printing(const uint8_t *text, uint32_t n)
{
    _Static_assert(fox_string_SIZE >= 8, "the text of an entry has eight bytes before it");
    const uint64_t spaces = UINT64_C(0x2020202020202020);
    bool printing = true;
    for (; n > 8; text += 8, n -= 8) {
        printing &= are_printing(ll_le64(text));
    }
    uint64_t before = n > 0 ? ~(UINT64_MAX << (64 - 8 * n)) : UINT64_MAX;
    return printing && are_printing((ll_le64(text + n - 8) & ~before) | (spaces & before));
}

static uint32_t unprintable(const fox_string *string, const uint8_t *text)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < string->length; i++) {
        count += text[i] < 0x20 || text[i] > 0x7E;
    }
    return count;
}

static ll_where at_text(const ll_doc *doc, const fox_string *string)
{
    return ll_at_field(doc, string->span + 1, 0, LL_STRING_TEXT);
}

/* The one byte of a text that keeps it from having its hash, and what it should be; false: there is none. */
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

/* An entry whose hash is not that of its text: the hash is wrong where somebody asks for the text. */
static void judge_misfit(lookup *l, fox_string *string)
{
    ll_doc *doc = l->doc;
    const uint8_t *text = doc->bytes + string->text;
    uint64_t right = ll_strcode64_unended(text, string->length);
    ll_map_key key = {l->rows.items, sizeof *l->rows.items, right};
    uint32_t asked = ll_map_find(&l->map, ll_map_hash(right), ll_map_has_key, &key);
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
    } else if (unprintable(string, text) >= (string->length + 3) / 4) {
        f.code = FOX_FAULT_STRING_ENCRYPTED;
    }
    string->used = true;
    ll_raise(doc, &f);
}

/* Bytes of a text that are not what all texts are made of. */
static void judge_charset(lookup *l, const fox_string *string)
{
    const uint8_t *text = l->doc->bytes + string->text;
    uint32_t i = 0;
    while (i < string->length) {
        size_t n = ll_utf8_length(text + i, string->length - i);
        if (n == 0) {
            break;
        }
        i += (uint32_t)n;
    }
    LL_RAISE(l->doc, i < string->length ? FOX_FAULT_STRING_CHARSET : FOX_FAULT_STRING_UTF8, 0, at_text(l->doc, string),
             ll_chars(string->text, string->length));
}

static void note_names(const ll_doc *doc, fox_summary *summary)
{
    for (size_t i = 0; i < summary->entities.count; i++) {
        fox_entity *entity = &summary->entities.items[i];
        fox_string *name = fox_is_data(entity) ? fox_find_string(summary, fox_name_of(doc, entity)) : NULL;
        entity->label = name;
        if (name) {
            name->several = name->data != 0;
            name->data = name->data ? name->data : (uint32_t)i + 1;
        }
    }
}

static void note_list(lookup *l)
{
    ll_doc *doc = l->doc;
    fox_summary *summary = l->summary;
    uint32_t first = summary->first[FOX_WORD_DataSet];
    summary->list_in = LL_NO_SPAN;
    if (first) {
        uint32_t dataset = summary->entities.items[first - 1].span;
        summary->list_in = fox_values_of(doc, dataset, FOX_WORD_dataList, FOX_EntityPtr).property;
    }
    for (uint32_t i = summary->list_in; i != LL_NO_SPAN && ++i < doc->span_count;) {
        const ll_span *s = ll_doc_span(doc, i);
        const uint8_t *p = doc->bytes + s->offset;
        if (s->layout != fox_item_entity_LAYOUT || s->parent != summary->list_in) {
            break;
        }
        fox_item *item = LL_ARRAY_ADD(&summary->list, &l->arena);
        if (!item) {
            doc->status = LL_E_MEMORY;
            return;
        }
        *item = (fox_item){i, ll_le64(p + fox_item_entity_at_key),
                           fox_find_entity(summary, ll_le64(p + fox_item_entity_at_value))};
    }
}

void fox_resolve(ll_doc *doc, fox_summary *summary)
{
    lookup l = {.doc = doc, .summary = summary, .arena = ll_arena_allocator(&doc->arena), .entity = LL_NO_SPAN};
    if (!ll_map_open(&summary->entity_map, summary->found, summary->found, &l.arena) ||
        !LL_ARRAY_ROOM(&summary->entities, summary->found, &l.arena)) {
        doc->status = LL_E_MEMORY;
        return;
    }
    uint32_t end = summary->strings.count ? summary->strings.items[0].span : doc->span_count;
    const ll_span *s = NULL;
    for (uint32_t i = 0; i < end && doc->status == LL_OK; i++) {
        s = ll_doc_span_behind(doc, s, i);
        use_span(&l, i, s);
    }
    note_list(&l);
    if (doc->status != LL_OK) {
        return;
    }
    note_names(doc, summary);
    fox_string *strings = summary->strings.items;
    for (size_t i = 0; i < summary->strings.count; i++) {
        if (strings[i].misfit) {
            judge_misfit(&l, &strings[i]);
        } else if (!is_printing(doc->bytes + strings[i].text, strings[i].length)) {
            judge_charset(&l, &strings[i]);
        }
    }
    size_t missing = 0;
    for (size_t i = 0; !summary->lost && i < l.rows.count; i++) {
        const unresolved *row = &l.rows.items[i];
        if (!row->found) {
            LL_RAISE(doc, row->names ? FOX_FAULT_STRING_UNRESOLVED : FOX_FAULT_VALUE_UNRESOLVED, 0, row->at,
                     ll_uint(row->hash), ll_uint(row->uses));
            missing++;
        }
    }
    for (size_t i = 0; !summary->lost && summary->counted && !missing && i < summary->strings.count; i++) {
        if (!strings[i].used) {
            LL_RAISE(doc, FOX_FAULT_STRING_UNUSED, 0, at_text(doc, &strings[i]),
                     ll_chars(strings[i].text, strings[i].length));
        }
    }
}

/* ------------------------------------------------------------------ for checks */

uint64_t fox_name_of(const ll_doc *doc, const fox_entity *entity)
{
    return entity->name == LL_NO_SPAN
               ? FOX_EMPTY
               : ll_le64(doc->bytes + ll_doc_span(doc, entity->name)->offset + fox_single_string_at_value);
}

const fox_string *fox_class_name(const ll_doc *doc, const fox_entity *entity)
{
    ll_element record;
    return ll_element_at(doc, entity->span, 0, &record)
               ? fox_find_string(doc->format_data, ll_get_uint(&record, fox_entity_class_name))
               : NULL;
}

ll_arg fox_text_arg(const ll_doc *doc, uint64_t hash)
{
    const fox_string *string = fox_find_string(doc->format_data, hash);
    return string ? ll_chars(string->text, string->length) : ll_chars(0, 0);
}

const fox_entity *fox_find_entity(const fox_summary *summary, uint64_t address)
{
    ll_map_key key = {summary->entities.items, sizeof *summary->entities.items, address};
    uint32_t i = ll_map_find(&summary->entity_map, ll_map_hash(address), ll_map_has_key, &key);
    return i == LL_MAP_NONE ? NULL : &summary->entities.items[i];
}

fox_values fox_values_of(const ll_doc *doc, uint32_t entity, fox_word name, unsigned type)
{
    const fox_type *t = &fox_types[type];
    for (uint32_t i = entity + 1; i < doc->span_count && ll_doc_span(doc, i)->layout != fox_entity_LAYOUT &&
                                  ll_doc_span(doc, i)->layout != fox_string_LAYOUT;
         i++) {
        const ll_span *s = ll_doc_span(doc, i);
        const uint8_t *p = doc->bytes + s->offset;
        bool single = s->layout == t->single;
        if ((!single && s->layout != fox_property_LAYOUT) || ll_le64(p) != fox_words[name] ||
            p[fox_property_at_type] != type) {
            continue;
        }
        if (single) {
            return (fox_values){i, i, 1, fox_single_string_value, p + fox_property_SIZE, t->size};
        }
        const ll_span *values = i + 1 < doc->span_count ? ll_doc_span(doc, i + 1) : s;
        if (values->parent == i && values->layout == t->value) {
            return (fox_values){i, i + 1, values->count, 0, doc->bytes + values->offset, t->size};
        }
        return (fox_values){i, i, 0, 0, NULL, 0}; /* none, or a map, or values that were not read */
    }
    return (fox_values){LL_NO_SPAN, LL_NO_SPAN, 0, 0, NULL, 0};
}

/* ------------------------------------------------------------------ names in reports */

enum { NAME_SHOWN = 200 }; /* bytes: a name may be shown any number of times */

bool fox_span_name(const ll_doc *doc, uint32_t span, ll_text *out)
{
    const fox_summary *summary = doc->format_data;
    const ll_span *s = ll_doc_span(doc, span);
    bool entity = s->layout == fox_entity_LAYOUT;
    if (s->layout < fox_entity_LAYOUT || s->layout > LAST_SHAPE || !summary) {
        return false;
    }
    const fox_string *name =
        fox_find_string(summary, ll_le64(doc->bytes + s->offset + (entity ? fox_entity_at_class_name : 0)));
    if (!name || !name->length || name->length > NAME_SHOWN) {
        return false;
    }
    const char *text = (const char *)doc->bytes + name->text;
    for (uint32_t i = 0; i < name->length; i++) {
        char c = text[i];
        if (c <= ' ' || c > '~' || c == '[' || c == ']' || c == '{' || c == '}' || c == '.' || c == '\\') {
            return false;
        }
    }
    ll_text_char(out, '[');
    if (entity) {
        ll_text_u64(out, s->index);
        ll_text_char(out, ':');
    }
    ll_text_put(out, text, name->length);
    ll_text_char(out, ']');
    return true;
}

void fox_hash_text(const ll_doc *doc, uint64_t hash, ll_text *out)
{
    const fox_string *string = doc->format_data ? fox_find_string(doc->format_data, hash) : NULL;
    if (string || hash == FOX_EMPTY) {
        uint32_t length = string ? string->length : 0;
        uint32_t shown = length < NAME_SHOWN ? length : NAME_SHOWN;
        ll_text_str(out, " \"");
        ll_text_escape(out, string ? (const char *)doc->bytes + string->text : "", shown);
        ll_text_str(out, shown < length ? "...\"" : "\"");
    }
}
