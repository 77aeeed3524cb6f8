/* Registry of the format families, and the choice of one for a file: a sure probe decides, then the extension, then a
 * probe that answers maybe. */
#include "base/text.h"
#include "model/format.h"

#include <string.h>

#define LL_FORMAT(family, prefixes, ...)                                                                               \
    extern const ll_format family##_format;                                                                            \
    static const char *const family##_extensions[] = {__VA_ARGS__, NULL};
#include "formats/formats.def"
#undef LL_FORMAT

static const struct {
    const ll_format *format;
    const char *prefixes; /* of rule ids, separated by blanks */
    const char *const *extensions;
} formats[] = {
#define LL_FORMAT(family, prefixes, ...) {&family##_format, prefixes, family##_extensions},
#include "formats/formats.def"
#undef LL_FORMAT
};

static const char *const all_extensions[] = {
#define LL_FORMAT(family, prefixes, ...) __VA_ARGS__,
#include "formats/formats.def"
#undef LL_FORMAT
    NULL};

const char *const *ll_format_extensions(void)
{
    return all_extensions;
}

size_t ll_format_count(void)
{
    return sizeof formats / sizeof formats[0];
}

const ll_format *ll_format_at(size_t index)
{
    return formats[index].format;
}

const ll_format *ll_format_find(const char *family)
{
    for (size_t i = 0; i < ll_format_count(); i++) {
        if (strcmp(formats[i].format->family, family) == 0) {
            return formats[i].format;
        }
    }
    return NULL;
}

const ll_format *ll_format_of_kind(ll_file_kind kind)
{
    size_t i = 0;
    while (i < ll_format_count() && (kind == LL_FILE_OTHER || formats[i].format->file_kind != kind)) {
        i++;
    }
    return i < ll_format_count() ? formats[i].format : NULL;
}

const char *ll_format_of_prefix(const char *prefix, size_t length)
{
    for (size_t i = 0; i < ll_format_count(); i++) {
        for (const char *word = formats[i].prefixes; *word; word += strspn(word, " ")) {
            size_t n = strcspn(word, " ");
            if (n == length && strncmp(word, prefix, n) == 0) {
                return formats[i].format->family;
            }
            word += n;
        }
    }
    return NULL;
}

const ll_named *ll_format_variant_at(size_t index)
{
    for (size_t i = 0; i < ll_format_count(); i++) {
        if (index < formats[i].format->variant_count) {
            return &formats[i].format->variants[index];
        }
        index -= formats[i].format->variant_count;
    }
    return NULL;
}

unsigned ll_format_variant(const ll_format *format, const char *name)
{
    for (unsigned i = 0; i < format->variant_count; i++) {
        if (strcmp(format->variants[i].name, name) == 0) {
            return i + 1;
        }
    }
    return 0;
}

static bool has_extension(const char *const *extensions, const char *name)
{
    for (const char *const *e = extensions; name && *e; e++) {
        if (ll_ends_with(name, *e)) {
            return true;
        }
    }
    return false;
}

const ll_format *ll_format_by_name(const char *name)
{
    for (size_t i = 0; i < ll_format_count(); i++) {
        if (has_extension(formats[i].extensions, name)) {
            return formats[i].format;
        }
    }
    return NULL;
}

const char *ll_format_extension(const ll_format *format)
{
    size_t i = 0;
    while (formats[i].format != format) {
        i++;
    }
    return formats[i].extensions[0];
}

const ll_format *ll_format_by_content(const uint8_t *bytes, size_t size, ll_probe_result *sure)
{
    const ll_format *maybe = NULL;
    for (size_t i = 0; i < ll_format_count(); i++) {
        const ll_format *format = formats[i].format;
        ll_probe_result result = format->probe ? format->probe(bytes, size) : LL_PROBE_NO;
        if (result == LL_PROBE_SURE) {
            *sure = result;
            return format;
        }
        if (!maybe && result == LL_PROBE_MAYBE) {
            maybe = format;
        }
    }
    *sure = maybe ? LL_PROBE_MAYBE : LL_PROBE_NO;
    return maybe;
}

const ll_format *ll_format_choose(const uint8_t *bytes, size_t size, const char *name)
{
    ll_probe_result sure = LL_PROBE_NO;
    const ll_format *by_content = ll_format_by_content(bytes, size, &sure);
    const ll_format *by_name = sure == LL_PROBE_SURE ? NULL : ll_format_by_name(name);
    return by_name ? by_name : by_content;
}
