/* Derives every field of every record of good files and compares it with the stated value. Prints counts by field, and
 * an example for each field that differs.
 *
 * usage: prop_derived [--lenient] FILE...
 * exit: 0 no field differs (--lenient: always), 1 a field differs, 2 a file could not be read */
#include "model/derive.h"
#include "model/reader.h"

#include "read_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tally {
    unsigned long equal, different, too_large;
    char example[256];
} tally;

enum { FAMILIES = 16, FIELDS_MAX = 128 };
static tally tallies[FAMILIES][LL_LAYOUTS_MAX][FIELDS_MAX];

static void note_field(const ll_deriver *d, const char *name, unsigned family, uint32_t span, uint32_t element,
                       unsigned field)
{
    const ll_doc *doc = d->doc;
    const ll_span *s = ll_doc_span(doc, span);
    const ll_layout *layout = ll_doc_layout(doc, span);
    const ll_field *f = &layout->fields[field];
    uint8_t bytes[LL_DERIVED_MAX];
    const uint8_t *stated = ll_doc_at(doc, s->offset) + (size_t)element * layout->size + f->offset;
    ll_derived derived = ll_derive(d, span, element, field, bytes);
    tally *t = &tallies[family][s->layout][field];
    if (derived == LL_DERIVED_TOO_LARGE) {
        t->too_large++;
    } else if (derived == LL_DERIVED) {
        bool equal = memcmp(bytes, stated, f->bytes) == 0;
        if (!equal && t->different++ == 0) {
            snprintf(t->example, sizeof t->example, "%s, at 0x%x: stated %llu, derived %llu", name,
                     (unsigned)(stated - doc->bytes),
                     (unsigned long long)ll_read_uint(stated, f->bytes, layout->endian),
                     (unsigned long long)ll_read_uint(bytes, f->bytes, layout->endian));
        }
        t->equal += equal;
    }
}

static bool note_file(ll_doc *doc, const char *name, const uint8_t *bytes, size_t size)
{
    const char *slash = strrchr(name, '/');
    ll_deriver d;
    ll_doc_open(doc, bytes, (uint32_t)size, slash ? slash + 1 : name);
    ll_doc_set_format(doc, ll_format_choose(bytes, size, doc->name));
    if (!doc->format) {
        return true;
    }
    unsigned family = 0;
    while (ll_format_at(family) != doc->format) {
        family++;
    }
    ll_doc_read(doc);
    ll_doc_seal(doc);
    if (doc->status != LL_OK || !ll_deriver_start(&d, doc, &doc->arena)) {
        return false;
    }
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_layout *layout = ll_doc_layout(doc, i);
        uint32_t count = layout->kind == LL_KIND_RECORD && ll_is_usable(doc, i) ? ll_doc_span(doc, i)->count : 0;
        for (uint32_t element = 0; element < count; element++) {
            for (unsigned field = 0; field < layout->field_count; field++) {
                note_field(&d, name, family, i, element, field);
            }
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    ll_doc doc;
    int first = argc > 1 && strcmp(argv[1], "--lenient") == 0 ? 2 : 1;
    unsigned long equal = 0, different = 0;
    ll_doc_init(&doc, NULL);
    for (int i = first; i < argc; i++) {
        size_t size;
        uint8_t *bytes = read_file(argv[i], &size);
        if (!bytes || !note_file(&doc, argv[i], bytes, size)) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 2;
        }
        free(bytes);
    }
    for (unsigned family = 0; family < ll_format_count(); family++) {
        const ll_format *format = ll_format_at(family);
        for (size_t layout = 0; layout < format->layout_count; layout++) {
            for (unsigned field = 0; field < format->layouts[layout].field_count; field++) {
                const tally *t = &tallies[family][layout][field];
                equal += t->equal;
                different += t->different + t->too_large;
                if (t->different + t->too_large) {
                    printf("%s.%s: %lu as derived, %lu differ, %lu have no room; %s\n", format->layouts[layout].name,
                           format->layouts[layout].fields[field].name, t->equal, t->different, t->too_large,
                           t->example);
                }
            }
        }
    }
    printf("%d files, %lu fields as derived, %lu not\n", argc - first, equal, different);
    ll_doc_free(&doc);
    return different && first == 1 ? 1 : equal ? 0 : 1;
}
