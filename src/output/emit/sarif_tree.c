/* Builds JSON with cJSON. Makes strings valid UTF-8 first; numbers stay below 2^53. cJSON allocates with malloc: its
 * hooks are process-wide, so the library leaves them alone. LL_E_MEMORY if it fails.
 *
 * Only what a run states once is built here, the descriptors of rules and the invocation: their members depend on each
 * other. Results and files are streamed by json_write.h, as the tree of a result cost four times its text. */
#include "output/emit/sarif_pieces.h"

ll_tree ll_tree_start(ll_text *scratch)
{
    cJSON *root = cJSON_CreateObject();
    return (ll_tree){.root = root, .scratch = scratch, .failed = root == NULL};
}

void ll_tree_print(ll_tree *t, ll_text *out)
{
    enum { PRINTED = 4096 }; /* larger than most; cJSON starts with 256 bytes and doubles */
    char *printed = t->failed ? NULL : cJSON_PrintBuffered(t->root, PRINTED, false);
    cJSON_Delete(t->root);
    t->root = NULL;
    const char *json = printed ? printed : "";
    ll_text_safe_json(out, json, strlen(json));
    out->failed = out->failed || !printed;
    cJSON_free(printed); /* NULL is allowed */
}

/* ------------------------------------------------------------------ values */

cJSON *ll_tree_add(ll_tree *t, cJSON *parent, const char *key, cJSON *item)
{
    bool added = item && (key ? cJSON_AddItemToObjectCS(parent, key, item) : cJSON_AddItemToArray(parent, item));
    if (!added) {
        cJSON_Delete(item);
        t->failed = true;
        return NULL;
    }
    return item;
}

cJSON *ll_tree_object(ll_tree *t, cJSON *parent, const char *key)
{
    return ll_tree_add(t, parent, key, cJSON_CreateObject());
}

cJSON *ll_tree_array(ll_tree *t, cJSON *parent, const char *key)
{
    return ll_tree_add(t, parent, key, cJSON_CreateArray());
}

static bool is_utf8(const char *s)
{
    const uint8_t *p = (const uint8_t *)s;
    size_t n = strlen(s);
    for (size_t at = 0; at < n;) {
        size_t length = ll_utf8_length(p + at, n - at);
        if (!length) {
            return false;
        }
        at += length;
    }
    return true;
}

void ll_tree_string(ll_tree *t, cJSON *parent, const char *key, const char *s)
{
    if (is_utf8(s)) {
        (void)ll_tree_add(t, parent, key, cJSON_CreateStringReference(s));
        return;
    }
    ll_text_escape(ll_tree_empty(t), s, strlen(s));
    ll_tree_scratch(t, parent, key);
}

ll_text *ll_tree_empty(ll_tree *t)
{
    ll_text_clear(t->scratch);
    return t->scratch;
}

void ll_tree_scratch(ll_tree *t, cJSON *parent, const char *key)
{
    (void)ll_tree_add(t, parent, key, cJSON_CreateString(ll_text_cstr(t->scratch)));
    t->failed = t->failed || t->scratch->failed;
}

void ll_tree_u64(ll_tree *t, cJSON *parent, const char *key, uint64_t value)
{
    if (value <= UINT64_C(1) << 53) {
        char digits[LL_DIGITS_MAX]; /* cJSON would print a double */
        (void)ll_tree_add(t, parent, key, cJSON_CreateRaw(ll_digits(value, digits)));
    }
}
