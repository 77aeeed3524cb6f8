/* Implements manifest.h with expat; no other file uses it. A document with a DTD is refused at the declaration, so that
 * no entity is expanded; size and depth are limited. expat allocates with malloc(), as its interface takes no context
 * for an allocator; nothing remains after the call. */
#include "packages/manifest.h"

#include "base/text.h"

#if defined LIGHTLINT_WITH_EXPAT && LIGHTLINT_WITH_EXPAT
#include <expat.h>

enum { SIZE_LIMIT = 64 * 1024 * 1024, DEPTH_LIMIT = 16 };

/* Role of an element, from the elements around it. */
typedef enum place { OUTSIDE, IN_ROOT, IN_ENTRIES, IN_OTHER } place;

typedef struct reader {
    XML_Parser parser;
    ll_manifest *out;
    ll_arena *arena;
    const char *bytes;
    unsigned depth;
    place places[DEPTH_LIMIT + 1]; /* by depth */
    bool no_memory;
} reader;

static void refuse(reader *r, const char *why, uint32_t length)
{
    ll_manifest *out = r->out;
    if (!out->refused) {
        out->refused = why;
        out->offset = (uint32_t)XML_GetCurrentByteIndex(r->parser);
        out->length = length;
        out->line = (uint32_t)XML_GetCurrentLineNumber(r->parser);
        out->column = (uint32_t)XML_GetCurrentColumnNumber(r->parser) + 1;
    }
    (void)XML_StopParser(r->parser, XML_FALSE);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Finds the quoted value of an attribute in a tag of n bytes that expat has accepted; false for UTF-16. */
static bool find_value(const char *tag, uint32_t n, const char *attribute, uint32_t *offset, uint32_t *length)
{
    size_t wanted = strlen(attribute);
    const char *end = tag + n;
    const char *from = tag;
    for (const char *sign = memchr(from, '=', n); sign; sign = memchr(from, '=', (size_t)(end - from))) {
        const char *name = sign, *quote = sign + 1;
        while (name > from && is_space(name[-1])) {
            name--;
        }
        while (quote < end && is_space(*quote)) {
            quote++;
        }
        const char *close = quote < end ? memchr(quote + 1, *quote, (size_t)(end - quote - 1)) : NULL;
        if (!close) {
            return false;
        }
        if ((size_t)(name - from) > wanted && memcmp(name - wanted, attribute, wanted) == 0 &&
            is_space(name[-1 - (ptrdiff_t)wanted])) {
            *offset = (uint32_t)(quote + 1 - tag);
            *length = (uint32_t)(close - quote - 1);
            return true;
        }
        from = close + 1;
    }
    return false;
}

/* Reads an attribute of the current tag. */
static ll_manifest_text take(reader *r, const char *const *attributes, const char *name)
{
    uint32_t at = (uint32_t)XML_GetCurrentByteIndex(r->parser);
    ll_manifest_text out = {.offset = at, .length = (uint32_t)XML_GetCurrentByteCount(r->parser)};
    while (*attributes && strcmp(*attributes, name) != 0) {
        attributes += 2;
    }
    uint32_t offset;
    if (*attributes) {
        out.text = ll_arena_copy(r->arena, attributes[1], strlen(attributes[1]));
        r->no_memory = r->no_memory || !out.text;
        if (find_value(r->bytes + at, out.length, name, &offset, &out.length)) {
            out.offset = at + offset;
        }
    }
    return out;
}

static void XMLCALL begin_element(void *ctx, const char *name, const char **attributes)
{
    reader *r = ctx;
    place around = r->places[r->depth];
    place here = around == OUTSIDE && strcmp(name, "ArchiveFile") == 0 ? IN_ROOT
                 : around == IN_ROOT && strcmp(name, "Entries") == 0   ? IN_ENTRIES
                                                                       : IN_OTHER;
    if (r->depth == DEPTH_LIMIT || (around == OUTSIDE && here != IN_ROOT)) {
        refuse(r, r->depth ? "elements in more than 16 others" : "another root element than ArchiveFile",
               (uint32_t)XML_GetCurrentByteCount(r->parser));
        return;
    }
    r->places[++r->depth] = here;
    if (here == IN_ROOT) {
        r->out->name = take(r, (const char *const *)attributes, "Name");
        r->out->type = take(r, (const char *const *)attributes, "FpkType");
    }
    if (around == IN_ENTRIES && strcmp(name, "Entry") == 0) {
        ll_allocator a = ll_arena_allocator(r->arena);
        ll_manifest_text *row = LL_ARRAY_ADD(&r->out->entries, &a);
        r->no_memory = r->no_memory || !row;
        if (row) {
            *row = take(r, (const char *const *)attributes, "FilePath");
        }
    }
    if (r->no_memory) {
        (void)XML_StopParser(r->parser, XML_FALSE);
    }
}

static void XMLCALL end_element(void *ctx, const char *name)
{
    (void)name;
    ((reader *)ctx)->depth--;
}

static void XMLCALL begin_dtd(void *ctx, const char *name, const char *system, const char *public, int internal)
{
    (void)name;
    (void)system;
    (void)public;
    (void)internal;
    refuse(ctx, "a document type declaration, which no manifest needs", 0);
}

static ll_status parse(reader *r, size_t size)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, begin_element, end_element);
    XML_SetStartDoctypeDeclHandler(r->parser, begin_dtd);
    bool done = XML_Parse(r->parser, r->bytes, (int)size, XML_TRUE) == XML_STATUS_OK;
    enum XML_Error error = XML_GetErrorCode(r->parser);
    if (!done && !r->out->refused && !r->no_memory && error != XML_ERROR_NO_MEMORY) {
        refuse(r, XML_ErrorString(error), 0);
    }
    r->out->offset = r->out->offset < size ? r->out->offset : (uint32_t)size;
    return r->no_memory || error == XML_ERROR_NO_MEMORY ? LL_E_MEMORY : LL_OK;
}

ll_status ll_manifest_read(ll_manifest *manifest, const void *bytes, size_t size, ll_arena *arena)
{
    reader r = {.out = manifest, .arena = arena, .bytes = bytes};
    *manifest = (ll_manifest){.line = 1, .column = 1};
    if (size > SIZE_LIMIT) {
        manifest->refused = "more than 64 MiB";
        return LL_OK;
    }
    r.parser = XML_ParserCreateNS(NULL, '|');
    ll_status status = r.parser ? parse(&r, size) : LL_E_MEMORY;
    XML_ParserFree(r.parser);
    return status;
}
#else
ll_status ll_manifest_read(ll_manifest *manifest, const void *bytes, size_t size, ll_arena *arena)
{
    (void)bytes;
    (void)size;
    (void)arena;
    *manifest = (ll_manifest){.refused = "not read, as this build has no expat"};
    return LL_OK;
}
#endif
