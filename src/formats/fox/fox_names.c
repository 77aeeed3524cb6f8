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

/* What was seen of an entry of the string table. */
typedef struct usage {
    uint32_t named_in,
        key_in; /* the entity with a property of that name, and the property with such a key, seen last */
    bool used;
} usage;

typedef struct lookup {
    ll_doc *doc;
    const fox_summary *summary;
    usage *usages; /* by string */
    ll_map map;    /* of rows */
    LL_ARRAY(unresolved) rows;
    ll_allocator arena;
    uint32_t entity, property; /* spans */
    uint32_t entities;         /* that were met */
    uint8_t uses[LL_LAYOUTS_MAX];
} lookup;

static inline fox_string *find_string(const fox_summary *summary, uint64_t hash)
{
    ll_map_key key = {summary->strings.items, sizeof *summary->strings.items, hash};
    uint32_t i = ll_map_find(&summary->string_map, ll_map_hash(hash), ll_map_has_key, &key);
    return i == LL_MAP_NONE ? NULL : &summary->strings.items[i];
}

const fox_string *fox_find_string(const fox_summary *summary, uint64_t hash)
{
    return find_string(summary, hash);
}

static usage *usage_of(const lookup *l, const fox_string *string)
{
    return &l->usages[string - l->summary->strings.items];
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
static inline usage *use(lookup *l, const uint8_t *at, uint32_t span, uint32_t element, unsigned field, bool names)
{
    uint64_t hash = ll_le64(at);
    const fox_string *string = hash == FOX_EMPTY && !names ? NULL : find_string(l->summary, hash);
    usage *u = string ? usage_of(l, string) : NULL;
    if (u) {
        u->used = true;
    } else if (hash != FOX_EMPTY || names) {
        note_unresolved(l, hash, span, element, field, names);
    }
    return u;
}

static void use_link(lookup *l, const uint8_t *at, uint32_t span, uint32_t element, unsigned first)
{
    (void)use(l, at, span, element, first, false);
    const fox_string *archive = find_string(l->summary, ll_le64(at + 8));
    if (archive) {
        usage_of(l, archive)->used = true;
    }
    (void)use(l, at + 16, span, element, first + 2, false);
}

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

/* The text of an entry that was used. */
static ll_arg text_of(const lookup *l, const usage *u)
{
    const fox_string *string = &l->summary->strings.items[u - l->usages];
    return ll_chars(string->text, string->length);
}

/* How many values a property may have: FoxTool reads the number with a sign, and a static array has one at least. */
static void judge_value_count(const lookup *l, uint32_t span, const uint8_t *head)
{
    const unsigned values = ll_le16(head + fox_property_at_value_count);
    const unsigned container = head[fox_property_at_container];
    if ((values == 0 && container == FOX_STATIC_ARRAY) || values > INT16_MAX) {
        LL_RAISE(l->doc, FOX_FAULT_PROPERTY_COUNT, 0, ll_at_field(l->doc, span, 0, fox_property_value_count),
                 ll_uint(values));
    }
}

static void use_name(lookup *l, uint32_t span, const uint8_t *head)
{
    l->property = span;
    usage *name = use(l, head, span, 0, fox_property_name, true);
    if (name && name->named_in == l->entity && !(ll_doc_span(l->doc, l->entity)->flags & LL_SPAN_DOUBTFUL)) {
        LL_RAISE(l->doc, FOX_FAULT_PROPERTY_DUPLICATE, 0, ll_at_field(l->doc, span, 0, fox_property_name),
                 text_of(l, name));
    }
    if (name) {
        name->named_in = l->entity;
    }
}

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

/* Layouts of values come in threes: of a property with one value, of several values, of an item of a map. */
enum { SINGLE, VALUES, ITEM, SHAPES, FIRST_SHAPE = fox_single_int8_LAYOUT, LAST_SHAPE = fox_item_link_LAYOUT };
_Static_assert((int)fox_value_int8_LAYOUT == FIRST_SHAPE + VALUES && (int)fox_item_int8_LAYOUT == FIRST_SHAPE + ITEM &&
                   (LAST_SHAPE - FIRST_SHAPE) % SHAPES == ITEM,
               "layouts of values do not come in threes");

/* What a span uses hashes for. */
enum { AS_ENTITY = 1, AS_NAME = 2, AS_KEY = 4, AS_TEXTS = 8, AS_LINKS = 16 };

static void open_uses(lookup *l)
{
    l->uses[fox_entity_LAYOUT] = AS_ENTITY;
    l->uses[fox_property_LAYOUT] = AS_NAME;
    for (unsigned i = 0; i <= LAST_SHAPE - FIRST_SHAPE; i++) {
        const unsigned shape = i % SHAPES, one_value = FIRST_SHAPE + i - shape;
        l->uses[FIRST_SHAPE + i] = (uint8_t)((shape == SINGLE ? AS_NAME
                                              : shape == ITEM ? AS_KEY
                                                              : 0) |
                                             (one_value == fox_single_string_LAYOUT ? AS_TEXTS : 0) |
                                             (one_value == fox_single_link_LAYOUT ? AS_LINKS : 0));
    }
}

static void use_values(lookup *l, uint32_t span, const ll_span *s, unsigned uses)
{
    /* Where the values of each shape begin, and the number of their first field. */
    static const struct {
        uint8_t at, first;
    } values[SHAPES] = {{fox_single_string_at_value, fox_single_string_value},
                        {0, 0},
                        {fox_item_string_at_value, fox_item_string_value}};
    const unsigned shape = (unsigned)(s->layout - FIRST_SHAPE) % SHAPES;
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
static void judge_misfit(lookup *l, const fox_string *string)
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
    usage_of(l, string)->used = true;
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

/* The first entry with the hash of an earlier one was put in; whoever uses it uses the earlier one. */
static bool open_usages(lookup *l)
{
    ll_doc *doc = l->doc;
    bool told = false;
    size_t count = l->summary->strings.count;
    l->usages = ll_doc_zalloc(l->doc, count + 1, sizeof *l->usages);
    for (size_t i = 0; l->usages && i < count; i++) {
        const fox_string *string = &l->summary->strings.items[i];
        l->usages[i] = (usage){LL_NO_SPAN, LL_NO_SPAN, string->again};
        if (string->again && !told) {
            const fox_string *earlier = find_string(l->summary, string->hash);
            LL_RAISE_RELATED(doc, FOX_FAULT_STRING_DUPLICATE, 0, ll_at_field(doc, string->span, 0, fox_string_hash),
                             ll_at_field(doc, earlier->span, 0, fox_string_hash), ll_uint(string->hash),
                             ll_chars(string->text, string->length));
            told = true;
        }
    }
    return l->usages != NULL;
}

/* ------------------------------------------------------------------ the index */

static bool add_string(fox_summary *out, const ll_doc *doc, uint32_t span, const ll_allocator *arena)
{
    const ll_span *s = ll_doc_span(doc, span);
    uint32_t number = (uint32_t)out->strings.count, text = s->offset + fox_string_SIZE,
             length = s->length - fox_string_SIZE;
    uint64_t stated = ll_le64(doc->bytes + s->offset + fox_string_at_hash);
    fox_string *string = LL_ARRAY_ADD(&out->strings, arena);
    if (!string) {
        return false;
    }
    *string = (fox_string){.hash = stated ? stated : ll_strcode64_unended(doc->bytes + text, length),
                           .span = span,
                           .text = text,
                           .length = length};
    ll_map_key key = {out->strings.items, sizeof *out->strings.items, string->hash};
    if (!ll_map_room(&out->string_map, number, ll_map_key_hash, &key, arena)) {
        return false;
    }
    string->again =
        ll_map_note(&out->string_map, ll_map_hash(string->hash), number, ll_map_has_key, &key) != LL_MAP_NONE;
    out->lost = out->lost || length == 0;
    return true;
}

static bool add_entity(fox_summary *out, const ll_doc *doc, uint32_t span, const ll_allocator *arena)
{
    const uint8_t *p = doc->bytes + ll_doc_span(doc, span)->offset;
    uint32_t number = (uint32_t)out->entities.count;
    fox_entity *entity = LL_ARRAY_ADD(&out->entities, arena);
    if (!entity) {
        return false;
    }
    *entity = (fox_entity){.address = ll_le64(p + fox_entity_at_address),
                           .span = span,
                           .name = LL_NO_SPAN,
                           .data_set = LL_NO_SPAN,
                           .array = LL_NO_SPAN};
    while (entity->class < FOX_CLASSES && fox_words[entity->class] != ll_le64(p + fox_entity_at_class_name)) {
        entity->class ++;
    }
    if (entity->class < FOX_CLASSES && !out->first[entity->class]) {
        out->first[entity->class] = number + 1;
    }
    ll_map_key key = {out->entities.items, sizeof *out->entities.items, entity->address};
    if (!ll_map_room(&out->entity_map, number, ll_map_key_hash, &key, arena)) {
        return false;
    }
    entity->again =
        ll_map_note(&out->entity_map, ll_map_hash(entity->address), number, ll_map_has_key, &key) != LL_MAP_NONE;
    return true;
}

/* A property of the entity that was met last. */
static void add_property(fox_summary *out, const uint8_t *head, uint32_t span)
{
    fox_entity *entity = &out->entities.items[out->entities.count - 1];
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

static void note_names(const ll_doc *doc, fox_summary *out)
{
    for (size_t i = 0; i < out->entities.count; i++) {
        fox_entity *entity = &out->entities.items[i];
        fox_string *name = fox_is_data(entity) ? find_string(out, fox_name_of(doc, entity)) : NULL;
        entity->label = name;
        if (name) {
            name->several = name->data != 0;
            name->data = name->data ? name->data : (uint32_t)i + 1;
        }
    }
}

static bool note_list(const ll_doc *doc, fox_summary *out, const ll_allocator *arena)
{
    uint32_t first = out->first[FOX_WORD_DataSet];
    out->list_in = LL_NO_SPAN;
    if (first) {
        uint32_t dataset = out->entities.items[first - 1].span;
        out->list_in = fox_values_of(doc, dataset, FOX_WORD_dataList, FOX_EntityPtr).property;
    }
    for (uint32_t i = out->list_in; i != LL_NO_SPAN && ++i < doc->span_count;) {
        const ll_span *s = ll_doc_span(doc, i);
        const uint8_t *p = doc->bytes + s->offset;
        if (s->layout != fox_item_entity_LAYOUT || s->parent != out->list_in) {
            break;
        }
        fox_item *item = LL_ARRAY_ADD(&out->list, arena);
        if (!item) {
            return false;
        }
        *item = (fox_item){i, ll_le64(p + fox_item_entity_at_key),
                           fox_find_entity(out, ll_le64(p + fox_item_entity_at_value))};
    }
    return true;
}

/* As many entities as the header states, and as many properties as each of them does. */
static void judge_counts(const ll_doc *doc, fox_summary *out, uint64_t stated, uint64_t properties)
{
    ll_element header;
    out->counted = stated == properties && ll_element_at(doc, out->header, 0, &header) &&
                   ll_get_uint(&header, fox_header_entity_count) == out->entities.count;
}

/* The values of a property were read: there are such a type and container, and all values have their bytes. */
static bool are_values_known(const ll_span *property, const uint8_t *head)
{
    unsigned type = head[fox_property_at_type];
    bool known = type < FOX_TYPES && fox_types[type].size && head[fox_property_at_container] < FOX_CONTAINERS;
    return known && (property->length > fox_property_SIZE || ll_le16(head + fox_property_at_value_count) == 0);
}

/* Room for as many entities and strings as most files have, by their size. */
static bool open_maps(const ll_doc *doc, fox_summary *out, const ll_allocator *arena)
{
    enum { USUAL_STRING = 32, USUAL_ENTITY = 1024 };
    uint32_t first = doc->firsts[fox_string_LAYOUT];
    uint32_t table = first ? doc->size - ll_doc_span(doc, first - 1)->offset : 0;
    uint32_t strings = table / USUAL_STRING, entities = doc->size / USUAL_ENTITY;
    return ll_map_open(&out->string_map, strings, strings, arena) &&
           ll_map_open(&out->entity_map, entities, entities, arena);
}

/* Looks up all names, and raises faults for what is missing, double or unused. */
static void resolve(ll_doc *doc, const fox_summary *summary)
{
    lookup l = {.doc = doc, .arena = ll_arena_allocator(&doc->arena), .entity = LL_NO_SPAN};
    l.summary = summary;
    if (!open_usages(&l)) {
        return;
    }
    open_uses(&l);
    const fox_string *strings = summary->strings.items;
    uint32_t end = summary->strings.count ? strings[0].span : doc->span_count;
    const ll_span *s = NULL;
    for (uint32_t i = 0; i < end && doc->status == LL_OK; i++) {
        s = ll_doc_span_behind(doc, s, i);
        use_span(&l, i, s);
    }
    for (size_t i = 0; i < summary->strings.count && doc->status == LL_OK; i++) {
        if (fox_is_misfit(doc, &strings[i])) {
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
        if (!l.usages[i].used) {
            LL_RAISE(doc, FOX_FAULT_STRING_UNUSED, 0, at_text(doc, &strings[i]),
                     ll_chars(strings[i].text, strings[i].length));
        }
    }
}

const void *fox_index(ll_doc *doc)
{
    fox_summary *out = ll_doc_zalloc(doc, 1, sizeof *out);
    ll_allocator arena = ll_arena_allocator(&doc->arena);
    bool room = out != NULL && open_maps(doc, out, &arena), counted = true;
    uint32_t stated = 0, properties = 0; /* of the entity met last */
    const ll_span *s = NULL;
    enum { OTHER, ENTITY, PROPERTY, VALUED, ONE_VALUE, STRING, UNREAD };
    uint8_t what[LL_LAYOUTS_MAX] = {[fox_entity_LAYOUT] = ENTITY,
                                    [fox_property_LAYOUT] = PROPERTY,
                                    [fox_string_LAYOUT] = STRING,
                                    [LL_LAYOUT_UNPARSED] = UNREAD};
    for (unsigned i = FIRST_SHAPE; i <= LAST_SHAPE; i += SHAPES) {
        what[i] = i == fox_single_string_LAYOUT || i == fox_types[FOX_EntityHandle].single ? ONE_VALUE : VALUED;
    }
    for (uint32_t i = 0; room && i < doc->span_count; i++) {
        s = ll_doc_span_behind(doc, s, i);
        const uint8_t *at = doc->bytes + s->offset;
        switch (what[s->layout]) {
        case ENTITY:
            counted = counted && stated == properties;
            stated = (uint32_t)ll_le16(at + fox_entity_at_static_count) + ll_le16(at + fox_entity_at_dynamic_count);
            properties = 0;
            room = add_entity(out, doc, i, &arena);
            break;
        case ONE_VALUE:
            if (out->entities.count) {
                add_property(out, at, i);
            }
            properties++;
            break;
        case PROPERTY:
            out->lost = out->lost || !are_values_known(s, at);
            properties++;
            break;
        case VALUED:
            properties++;
            break;
        case STRING:
            room = add_string(out, doc, i, &arena);
            break;
        case UNREAD:
            out->lost = true;
            break;
        default:
            break;
        }
    }
    if (!room) {
        doc->status = LL_E_MEMORY;
        return NULL;
    }
    out->header = doc->firsts[fox_header_LAYOUT] - 1; /* LL_NO_SPAN where there is none */
    out->lost = out->lost || !doc->firsts[fox_terminator_LAYOUT];
    judge_counts(doc, out, counted ? stated : 0, counted ? properties : 1);
    note_names(doc, out);
    if (!note_list(doc, out, &arena)) {
        doc->status = LL_E_MEMORY;
        return NULL;
    }
    doc->fatal = doc->fatal || out->header == LL_NO_SPAN;
    resolve(doc, out);
    return out;
}

/* ------------------------------------------------------------------ for checks */

bool fox_is_misfit(const ll_doc *doc, const fox_string *string)
{
    return ll_doc_span(doc, string->span)->flags & LL_SPAN_DOUBTFUL;
}

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
               ? fox_find_string(doc->index, ll_get_uint(&record, fox_entity_class_name))
               : NULL;
}

ll_arg fox_text_arg(const ll_doc *doc, uint64_t hash)
{
    const fox_string *string = fox_find_string(doc->index, hash);
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
    const fox_summary *summary = doc->index;
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
    const fox_string *string = doc->index ? fox_find_string(doc->index, hash) : NULL;
    if (string || hash == FOX_EMPTY) {
        uint32_t length = string ? string->length : 0;
        uint32_t shown = length < NAME_SHOWN ? length : NAME_SHOWN;
        ll_text_str(out, " \"");
        ll_text_escape(out, string ? (const char *)doc->bytes + string->text : "", shown);
        ll_text_str(out, shown < length ? "...\"" : "\"");
    }
}
