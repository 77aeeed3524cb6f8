/* DataSets of the Fox Engine (.fox2): constants for records, fields and faults, and the summary of entities and texts
 * that checks share. Byte layouts and evidence: docs/formats/fox.md. */
#ifndef LL_FORMATS_FOX_H
#define LL_FORMATS_FOX_H

#include "model/format.h"
#include "model/names.h"

#define LL_FAMILY fox
#define LL_FAMILY_CAPS FOX
#define LL_FAMILY_LAYOUTS "formats/fox/fox_layout.def"
#define LL_FAMILY_FAULTS "formats/fox/fox_faults.def"
#define LL_FAMILY_CHECKS "formats/fox/fox_checks.def"
#define LL_FAMILY_FACTS "formats/fox/fox_facts.def"
#define LL_FAMILY_NEEDS fox_index
#include "model/family_expand.h"

extern const ll_format fox_format;

/* Containers and types of properties, by the numbers that files hold. Types: rows of fox_types.def. */
enum { FOX_STATIC_ARRAY, FOX_DYNAMIC_ARRAY, FOX_MAP, FOX_LIST, FOX_CONTAINERS };
enum {
#define FOX_TYPE(name, number, kind) FOX_##name = (number),
#include "formats/fox/fox_types.def"
#undef FOX_TYPE
    FOX_TYPES
};

/* Layouts and size of the values of a type. Size is 0 for a number that is no type. */
typedef struct fox_type {
    uint16_t single, value, item; /* layouts: property with one value, one of several values, item of a map */
    uint8_t size;                 /* bytes of a value */
} fox_type;
extern const fox_type fox_types[FOX_TYPES];

/* Names of classes and properties that checks look for, and their StrCode64. */
typedef enum fox_word {
#define FOX_WORD(name, hash) FOX_WORD_##name,
#include "formats/fox/fox_words.def"
#undef FOX_WORD
    FOX_WORDS,
    FOX_CLASSES = FOX_WORD_StaticModelArray + 1
} fox_word;
extern const uint64_t fox_words[FOX_WORDS];

/* StrCode64 of "", which is in no string table. */
#define FOX_EMPTY UINT64_C(0xB8A0BF169F98)

/* An entry of the string table. */
typedef ll_table_text fox_string;
/* The Data that have an entry of the string table as their name. */
typedef struct fox_called {
    uint32_t data; /* 1 + number of the first of them; 0: there is none */
    bool several;  /* there is more than one */
} fox_called;

typedef struct fox_entity {
    uint64_t address;        /* first, for ll_map_has_key() */
    const fox_string *label; /* name of a Data; NULL: the entity is no Data, or its name is not in the string table */
    uint32_t span;
    uint32_t name, data_set, array; /* spans of the properties `name`, `dataSet` and `staticModelArray`; LL_NO_SPAN:
                                       it does not have the property */
    bool again;                     /* an earlier entity has the same address */
    uint32_t class;                 /* fox_word; FOX_CLASSES: a class that is not in fox_words.def */
} fox_entity;

/* An item of the map dataList. */
typedef struct fox_item {
    uint32_t span;
    uint64_t key;
    const fox_entity *entity; /* at the address that the item holds; NULL: there is none */
} fox_item;

/* The summary of a DataSet file, made by fox_index(). Memory of the document. */
typedef struct fox_summary {
    uint32_t header;           /* span; LL_NO_SPAN: there is none */
    const ll_doc_names *names; /* finds strings by hash */
    const fox_string *strings; /* the string table */
    size_t string_count;
    fox_called *called; /* by string */
    LL_ARRAY(fox_entity) entities;
    ll_map entity_map;           /* by address */
    uint32_t first[FOX_CLASSES]; /* by class: 1 + number of the first entity; 0: there is none */
    uint32_t list_in;            /* span of the property dataList of the first DataSet; LL_NO_SPAN: there is none */
    LL_ARRAY(fox_item) list;     /* items of that dataList */
    bool lost;                   /* bytes of entities or strings were not read: what seems missing may be there */
    bool counted; /* the numbers of entities and properties are those that are stated: none was added or removed */
} fox_summary;

/* The layouts of values come in threes: a property with one value, one of several values, an item of a map. */
enum {
    FOX_SINGLE,
    FOX_VALUES,
    FOX_ITEM,
    FOX_SHAPES,
    FOX_FIRST_SHAPE = fox_single_int8_LAYOUT,
    FOX_LAST_SHAPE = fox_item_link_LAYOUT
};

/* The values of a property. */
typedef struct fox_values {
    uint32_t property; /* span; LL_NO_SPAN: there is no such property */
    uint32_t span;     /* of the values; that of the property if it holds its one value */
    uint32_t count;    /* values; 0 also if they are a map or were not read */
    unsigned first;    /* number of the first field of a value */
    const uint8_t *at; /* bytes of the first value; NULL if count is 0 */
    uint32_t step;     /* bytes from one value to the next */
} fox_values;
/* The values of the property of an entity with a name and a type. */
fox_values fox_values_of(const ll_doc *doc, const fox_entity *entity, fox_word name, unsigned type);
/* The 64-bit number at an offset in value i. */
static inline uint64_t fox_word_at(const fox_values *values, uint32_t i, unsigned offset)
{
    return ll_le64(values->at + (size_t)i * values->step + offset);
}
/* Fields of an EntityLink, for fox_at_value(). */
enum { FOX_LINK_PACKAGE, FOX_LINK_ARCHIVE, FOX_LINK_NAME, FOX_LINK_HANDLE };
/* Place of a field of value i. field: 0 is the first field of the value. */
static inline ll_where fox_at_value(const ll_doc *doc, const fox_values *values, uint32_t i, unsigned field)
{
    return ll_at_field(doc, values->span, i, values->first + field);
}

/* Whether the hash of an entry of the string table is not that of its text. */
bool fox_is_misfit(const ll_doc *doc, const fox_string *string);
/* The first entry of the string table with a hash. NULL: there is none. */
static inline const fox_string *fox_find_string(const fox_summary *summary, uint64_t hash)
{
    return ll_find_text(summary->names, hash);
}
/* The Data that a string of the table names. */
static inline fox_called *fox_called_by(const fox_summary *summary, const fox_string *string)
{
    return &summary->called[string - summary->strings];
}
/* Hash of the name of an entity. FOX_EMPTY: it has no property `name`. */
uint64_t fox_name_of(const ll_doc *doc, const fox_entity *entity);
/* Name of the class of an entity. NULL: it is not in the string table, so that the class is unknown. */
const fox_string *fox_class_name(const ll_doc *doc, const fox_entity *entity);
/* The text of a hash as an argument; no bytes if the string table does not have it. */
ll_arg fox_text_arg(const ll_doc *doc, uint64_t hash);
/* Whether an entity is a Data: it has the properties `name` and `dataSet`, and is no DataSet. */
static inline bool fox_is_data(const fox_entity *entity)
{
    return entity->class != FOX_WORD_DataSet && entity->name != LL_NO_SPAN && entity->data_set != LL_NO_SPAN;
}
/* The first entity with an address. NULL: there is none. */
static inline const fox_entity *fox_find_entity(const fox_summary *summary, uint64_t address)
{
    uint32_t i =
        ll_map_find_row(&summary->entity_map, summary->entities.items, sizeof *summary->entities.items, address);
    return i == LL_MAP_NONE ? NULL : &summary->entities.items[i];
}

/* The summary of the file that a check looks at. */
static inline const fox_summary *fox_summary_of(const ll_check_run *run)
{
    return run->memo;
}

/* Light classes: fox_light_classes.c. */

/* The next entity of a class after `before` (NULL: the first one). FOX_ANY_LIGHT: of any light class. NULL: there is
 * none. */
enum { FOX_ANY_LIGHT = FOX_CLASSES };
const fox_entity *fox_next_light(const ll_check_run *run, unsigned class, const fox_entity *before);

/* Whether all eight bytes are printable ASCII. Printable bytes neither borrow from nor carry into the next byte. */
static inline bool fox_are_printing(uint64_t eight)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    return !(((eight - 0x20 * each) | (eight + each)) & 0x80 * each);
}

/* Whether all n bytes of the text of an entry are printable ASCII. The last eight bytes that are read may begin before
 * the text; bytes before it count as spaces. */
static inline bool fox_is_printing(const uint8_t *text, uint32_t n)
{
    _Static_assert(fox_string_SIZE >= 8, "the text of an entry has eight bytes before it");
    const uint64_t spaces = UINT64_C(0x2020202020202020);
    bool printing = true;
    for (; n > 8; text += 8, n -= 8) {
        printing &= fox_are_printing(ll_le64(text));
    }
    uint64_t before = n > 0 ? ~(UINT64_MAX << (64 - 8 * n)) : UINT64_MAX;
    return printing && fox_are_printing((ll_le64(text + n - 8) & ~before) | (spaces & before));
}

/* Number of bytes of a text that are not printable ASCII. */
static inline uint32_t fox_unprintable(const fox_string *string, const uint8_t *text)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < string->length; i++) {
        count += text[i] < 0x20 || text[i] > 0x7E;
    }
    return count;
}

#endif
