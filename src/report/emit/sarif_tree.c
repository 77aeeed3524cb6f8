/* See sarif.h. Builds JSON with cJSON, and makes what it is given valid UTF-8 before cJSON sees it; numbers stay below
 * 2^53. cJSON takes its memory from malloc: its hooks are process-wide, so the library leaves them to the program that
 * calls it; where it fails the status is LL_E_MEMORY. */
#include "report/emit/sarif.h"

/* A byte that no JSON holds: it stands where the index of an artifact belongs until the tree is printed. */
static const char INDEX_MARK[] = "\x1a";

ll_tree ll_tree_start(ll_text *scratch)
{
    cJSON *root = cJSON_CreateObject();
    return (ll_tree){.root = root, .scratch = scratch, .failed = root == NULL};
}

static bool put_printed(const ll_tree *t, const char *printed, ll_text *out, ll_artifact_indexes *indexes)
{
    for (unsigned i = 0; i < t->index_count; i++) {
        size_t n = strcspn(printed, INDEX_MARK);
        ll_artifact_index *index = LL_ARRAY_ADD(indexes, &out->allocator);
        if (!index) {
            return false;
        }
        ll_text_put(out, printed, n);
        *index = (ll_artifact_index){out->length, t->indexes[i]};
        printed += n + 1;
    }
    ll_text_str(out, printed);
    return !out->failed;
}

void ll_tree_print(ll_tree *t, ll_text *out, ll_artifact_indexes *indexes)
{
    enum { PRINTED = 4096 }; /* more than most; cJSON begins with 256 bytes and doubles them */
    char *printed = t->failed ? NULL : cJSON_PrintBuffered(t->root, PRINTED, false);
    cJSON_Delete(t->root);
    t->root = NULL;
    out->failed = !printed || !put_printed(t, printed, out, indexes) || out->failed;
    cJSON_free(printed); /* NULL is fine */
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
        char digits[LL_DIGITS_MAX]; /* cJSON would print a double, and read it back */
        (void)ll_tree_add(t, parent, key, cJSON_CreateRaw(ll_digits(value, digits)));
    }
}

void ll_tree_message(ll_tree *t, cJSON *parent, const char *key, const char *s)
{
    ll_tree_string(t, ll_tree_object(t, parent, key), "text", s);
}

void ll_tree_base64(ll_tree *t, cJSON *parent, const char *key, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    ll_text *out = t->scratch;
    ll_text_clear(out);
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t v =
            (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0U);
        char four[4] = {digits[v >> 18], digits[v >> 12 & 63], left > 1 ? digits[v >> 6 & 63] : '=',
                        left > 2 ? digits[v & 63] : '='};
        ll_text_put(out, four, sizeof four);
    }
    ll_tree_scratch(t, parent, key);
}

void ll_tree_index(ll_tree *t, cJSON *parent, uint64_t artifact)
{
    (void)ll_tree_add(t, parent, "index", cJSON_CreateRaw(INDEX_MARK));
    if (t->index_count < LL_TREE_INDEXES) {
        t->indexes[t->index_count++] = artifact;
    } else {
        t->failed = true;
    }
}

/* ------------------------------------------------------------------ names of files */

static void put_encoded(ll_text *out, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t c = (uint8_t)bytes[i];
        bool plain =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c && strchr("-._~", c));
        if (plain) {
            ll_text_char(out, bytes[i]);
        } else {
            char escape[] = {'%', "0123456789ABCDEF"[c >> 4], "0123456789ABCDEF"[c & 15]};
            ll_text_put(out, escape, sizeof escape);
        }
    }
}

/* Takes the last segment of a path off again. False when there is none, or it leads upwards itself. */
static bool step_up(ll_text *out, size_t root)
{
    size_t start = out->length;
    while (start > root && out->data[start - 1] != '/') {
        start--;
    }
    bool upwards = out->length - start == 2 && memcmp(out->data + start, "..", 2) == 0;
    if (out->length == root || upwards) {
        return false;
    }
    out->length = start > root ? start - 1 : root;
    return true;
}

/* The name of a file as a percent-encoded URI without empty, "." or inner ".." segments. True if it is relative to
 * the root of the sources; an absolute name, or one that leaves the root, stands for itself. */
static bool put_uri(ll_text *out, const char *name)
{
    bool absolute = name[0] == '/';
    bool leaves = false;
    ll_text_clear(out);
    ll_text_str(out, absolute ? "file:///" : "");
    size_t root = out->length;
    for (const char *p = name; *p && !out->failed;) {
        size_t n = strcspn(p, "/");
        bool dots = n == 2 && memcmp(p, "..", 2) == 0;
        bool nothing = n == 0 || (n == 1 && p[0] == '.');
        bool stepped = dots && step_up(out, root);
        if (!nothing && !stepped && !(dots && absolute)) {
            ll_text_str(out, out->length > root ? "/" : "");
            put_encoded(out, p, n);
            leaves = leaves || dots;
        }
        p += n + (p[n] == '/');
    }
    if (out->length == root && !absolute) {
        ll_text_str(out, "unnamed");
    }
    return !absolute && !leaves;
}

void ll_tree_location(ll_tree *t, cJSON *parent, const char *key, const char *name)
{
    cJSON *location = ll_tree_object(t, parent, key);
    bool relative = put_uri(t->scratch, name);
    ll_tree_scratch(t, location, "uri");
    if (relative) {
        ll_tree_string(t, location, "uriBaseId", "%SRCROOT%");
    }
}

void ll_tree_nested_uri(ll_tree *t, cJSON *location, const char *region)
{
    put_encoded(ll_tree_empty(t), region, strlen(region));
    ll_tree_scratch(t, location, "uri");
}
