/* DataSets (.fox2): numbers of records, fields and faults, and what the parser leaves to the checks. Byte layouts and
 * evidence: docs/formats/fox.md. */
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

/* Containers and types of properties; the latter are rows of fox_types.def. */
enum { FOX_STATIC_ARRAY, FOX_DYNAMIC_ARRAY, FOX_MAP, FOX_LIST, FOX_CONTAINERS };
enum {
#define FOX_TYPE(name, number, kind) FOX_##name = (number),
#include "formats/fox/fox_types.def"
#undef FOX_TYPE
    FOX_TYPES
};

/* What is known of a type; of those that there are not, size is 0. */
typedef struct fox_type {
    uint16_t single, value, item; /* layouts */
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

/* An entry of the string table, */
typedef ll_table_text fox_string;
/* and whose name it is. */
typedef struct fox_called {
    uint32_t data; /* 1 + number of the first Data of that name; 0: there is none */
    bool several;  /* Data have that name */
} fox_called;

typedef struct fox_entity {
    uint64_t address;        /* first, for ll_map_has_key() */
    const fox_string *label; /* of a Data: the name in the string table; NULL: it is none, or has no such name */
    uint32_t span;
    uint32_t name, data_set, array; /* spans of the properties `name`, `dataSet` and `staticModelArray`; LL_NO_SPAN:
                                       there are none */
    bool again;                     /* an earlier one has its address */
    uint32_t class;                 /* fox_word; FOX_CLASSES: none of these */
} fox_entity;

/* An item of the list of a DataSet. */
typedef struct fox_item {
    uint32_t span;
    uint64_t key;
    const fox_entity *entity; /* that it leads to; NULL: there is none */
} fox_item;

/* What fox_index() makes. */
typedef struct fox_summary {
    uint32_t header;
    const ll_doc_names *names; /* that hold its string table: */
    const fox_string *strings;
    size_t string_count;
    fox_called *called; /* by string */
    LL_ARRAY(fox_entity) entities;
    ll_map entity_map;           /* by address */
    uint32_t first[FOX_CLASSES]; /* of a class: 1 + number of the first entity; 0: there is none */
    uint32_t list_in;            /* dataList of the first DataSet: the property; LL_NO_SPAN: there is none */
    LL_ARRAY(fox_item) list;     /* its items */
    bool lost;    /* bytes of entities or strings were not read, so that what seems missing may be there */
    bool counted; /* there are as many entities and properties as stated: none was put in or taken out */
} fox_summary;

ll_probe_result fox_probe(const uint8_t *bytes, size_t size);

/* Layouts of values come in threes: of a property with one value, of several values, of an item of a map. */
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
    uint32_t span;     /* of the values, which is that of the property where there is one */
    uint32_t count;
    unsigned first;    /* number of the first field of a value */
    const uint8_t *at; /* the first value */
    uint32_t step;     /* bytes from one to the next */
} fox_values;
/* Those of the property of that name and type that an entity has. */
fox_values fox_values_of(const ll_doc *doc, const fox_entity *entity, fox_word name, unsigned type);
/* The word at an offset in value i. */
static inline uint64_t fox_word_at(const fox_values *values, uint32_t i, unsigned offset)
{
    return ll_le64(values->at + (size_t)i * values->step + offset);
}
/* A field of value i, numbered from the first; those of a link are these. */
enum { FOX_LINK_PACKAGE, FOX_LINK_ARCHIVE, FOX_LINK_NAME, FOX_LINK_HANDLE };
static inline ll_where fox_at_value(const ll_doc *doc, const fox_values *values, uint32_t i, unsigned field)
{
    return ll_at_field(doc, values->span, i, values->first + field);
}

/* The hash of an entry is not that of its text. */
bool fox_is_misfit(const ll_doc *doc, const fox_string *string);
/* The entry of a hash, or NULL. */
static inline const fox_string *fox_find_string(const fox_summary *summary, uint64_t hash)
{
    return ll_find_text(summary->names, hash);
}
static inline fox_called *fox_called_by(const fox_summary *summary, const fox_string *string)
{
    return &summary->called[string - summary->strings];
}
/* The name of an entity, FOX_EMPTY where it has none. */
uint64_t fox_name_of(const ll_doc *doc, const fox_entity *entity);
/* The name of its class; NULL: it is lost, and nobody can tell what the entity is. */
const fox_string *fox_class_name(const ll_doc *doc, const fox_entity *entity);
/* The text of a hash; bytes without length: there is none. */
ll_arg fox_text_arg(const ll_doc *doc, uint64_t hash);
/* An entity of the DataSet: it has a name, and leads to the DataSet. */
static inline bool fox_is_data(const fox_entity *entity)
{
    return entity->class != FOX_WORD_DataSet && entity->name != LL_NO_SPAN && entity->data_set != LL_NO_SPAN;
}
/* The entity that an address leads to, or NULL. */
static inline const fox_entity *fox_find_entity(const fox_summary *summary, uint64_t address)
{
    uint32_t i =
        ll_map_find_row(&summary->entity_map, summary->entities.items, sizeof *summary->entities.items, address);
    return i == LL_MAP_NONE ? NULL : &summary->entities.items[i];
}

/* For checks. */
static inline const fox_summary *fox_summary_of(const ll_check_run *run)
{
    return run->memo;
}

/* fox_light_classes.c */

/* A class that has to do with light. */
typedef struct fox_light_class {
    bool known;
    uint8_t version;
    const char *ending, *gz_ending; /* of the file of an array, today and in Ground Zeroes; NULL: it has none */
} fox_light_class;
/* NULL: the class of the entity has nothing to do with light. */
const fox_light_class *fox_light_class_of(const fox_entity *entity);
/* The entity behind one (NULL: the first) that has to do with light, or is of one class; NULL: there is none. */
enum { FOX_ANY_LIGHT = FOX_CLASSES };
const fox_entity *fox_next_light(const ll_check_run *run, unsigned class, const fox_entity *before);

#endif
