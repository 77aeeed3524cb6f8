/* Finds the rows of keys, and words refusals. */
#include "base/bind.h"

#include <string.h>

/* `name`, or else the key of a value; "" for items of a list. */
static const char *name_of(const char *name, const ll_yaml *node)
{
    return name ? name : node->key ? node->key->text : "";
}

ll_status ll_bind_expect(const ll_binder *b, const char *name, const ll_yaml *node, const char *expected)
{
    const bool text = node->kind == LL_YAML_SCALAR && (node->length || !node->plain);
    const char *found = node->kind == LL_YAML_SCALAR ? "nothing" : ll_yaml_kind_text(node);
    name = name_of(name, node);
    return LL_BIND_REFUSE(b, node, name, *name ? ": " : "", "expected ", expected, text ? ", not '" : ", not ",
                          text ? node->text : found, text ? "'" : "");
}

ll_status ll_bind_bool(const ll_binder *b, const ll_yaml *node, void *out)
{
    return ll_yaml_bool(node, out) ? LL_OK : ll_bind_expect(b, NULL, node, "true or false");
}

ll_status ll_bind_text(const ll_binder *b, const ll_yaml *node, void *out)
{
    *(const char **)out = node->text;
    return node->kind == LL_YAML_SCALAR && !node->plain ? LL_OK : ll_bind_expect(b, NULL, node, "a text");
}

static bool read_digits(const char *digits, uint64_t *out)
{
    uint64_t value = 0;
    for (const char *p = digits; *p; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (*p < '0' || *p > '9' || value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return *digits != '\0';
}

ll_status ll_bind_u64(const ll_binder *b, const ll_yaml *node, void *out)
{
    return read_digits(node->text, out) ? LL_OK : ll_bind_expect(b, NULL, node, "a whole number");
}

bool ll_read_hash(const char *digits, uint64_t *out)
{
    static const char hex[] = "0123456789abcdef";
    uint64_t value = 0;
    for (unsigned i = 0; i < 16; i++) {
        const char *at = digits[i] ? strchr(hex, digits[i]) : NULL;
        if (!at) {
            return false;
        }
        value = value << 4 | (uint64_t)(at - hex);
    }
    *out = value;
    return !digits[16];
}

ll_status ll_bind_hash(const ll_binder *b, const ll_yaml *node, void *out)
{
    return !node->plain && ll_read_hash(node->text, out) ? LL_OK
                                                         : ll_bind_expect(b, NULL, node, "16 hex digits in lower case");
}

ll_status ll_bind_choice(const ll_binder *b, const char *name, const ll_yaml *node, const char *const *words,
                         size_t *number)
{
    size_t count = 0;
    while (words[count]) {
        count++;
    }
    if (node->kind != LL_YAML_SCALAR) {
        return ll_bind_expect(b, name, node, "one word");
    }
    *number = ll_names_find(&LL_NAME_LIST(words, count), node->text);
    return *number < count ? LL_OK
                           : ll_problem_word(ll_problem_at(b->problem, node->line, node->column), name_of(name, node),
                                             ": no such value:", node->text, words);
}

static const ll_bind_key *key_named(const ll_bind_map *map, const char *name)
{
    ll_names names = LL_NAMES(map->keys, map->count, name);
    size_t i = ll_names_find(&names, name);
    return i < map->count ? &map->keys[i] : NULL;
}

ll_status ll_bind_keys(const ll_binder *b, const ll_bind_map *map, unsigned kinds, const ll_yaml *node)
{
    const char *names[LL_LISTED_MAX];
    size_t count = 0;
    const ll_yaml *value = node->first;
    while (value && key_named(map, value->key->text)) {
        value = value->next;
    }
    for (size_t i = 0; value && i < map->count && count < LL_LISTED_MAX - 1; i++) {
        names[count] = map->keys[i].name;
        count += (map->keys[i].allowed & kinds) != 0;
    }
    names[count] = NULL;
    return value ? ll_problem_word(ll_problem_at(b->problem, value->key->line, value->key->column), "", "unknown key",
                                   value->key->text, names)
                 : LL_OK;
}

ll_status ll_bind(const ll_binder *b, const ll_bind_map *map, unsigned kind, const ll_yaml *node, void *out)
{
    if (node->kind != LL_YAML_MAP) {
        return ll_bind_expect(b, NULL, node, map->expected);
    }
    ll_status status = ll_bind_keys(b, map, kind, node);
    for (const ll_yaml *value = node->first; value && status == LL_OK; value = value->next) {
        const ll_bind_key *key = key_named(map, value->key->text);
        if (!(key->allowed & kind)) {
            unsigned bit = 0;
            while (kind >> (bit + 1)) {
                bit++;
            }
            return LL_BIND_REFUSE(b, value->key, "key '", key->name, "' is not allowed ", map->kinds[bit]);
        }
        status = key->read(b, value, (char *)out + key->offset);
    }
    for (size_t i = 0; status == LL_OK && i < map->count; i++) {
        if ((map->keys[i].needed & kind) && !ll_yaml_get(node, map->keys[i].name)) {
            status = LL_BIND_REFUSE(b, node, map->what, " lacks the key '", map->keys[i].name, "'");
        }
    }
    return status;
}
