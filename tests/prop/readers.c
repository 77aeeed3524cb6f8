/* The reader (model/reader.h) raises no fault for a good file and claims every byte. In damaged files it claims every
 * byte once and reads none beyond the end. Files of families without rows are left out; what unpacks to more bytes than
 * the file has is read, but not damaged, as that would take too long.
 *
 * usage: prop_readers FILE...     exit: 0 it holds, 1 it does not, 2 a file could not be read */
#include "model/reader.h"

#include "read_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_sound(const char *name, const ll_doc *read)
{
    if (read->unsupported) {
        return true; /* a fault says so */
    }
    if (read->status != LL_OK || read->fault_count > 0) {
        fprintf(stderr, "%s: %u faults, the first with code %u at +0x%x\n", name, (unsigned)read->fault_count,
                read->first_fault ? (unsigned)read->first_fault->fault.code : 0,
                read->first_fault ? (unsigned)read->first_fault->fault.at.offset : 0);
        return false;
    }
    return !read->unread;
}

static void open_as(ll_doc *doc, const ll_format *format, const uint8_t *bytes, size_t size, const char *name)
{
    ll_doc_open(doc, bytes, (uint32_t)size, name);
    ll_doc_set_format(doc, format);
}

typedef struct tiling {
    uint64_t at;
    bool broken, unread;
} tiling;

static bool next_leaf(void *ctx, const ll_leaf *leaf)
{
    tiling *t = ctx;
    unsigned kind = leaf->kind;
    t->broken = t->broken || leaf->offset != t->at || leaf->span == LL_NO_SPAN;
    t->unread = t->unread || kind == LL_KIND_GAP || kind == LL_KIND_UNPARSED;
    t->at = leaf->offset + (uint64_t)leaf->length;
    return true;
}

/* Reads damaged bytes, in a heap block of exactly their size. */
static bool holds(ll_doc *doc, const ll_format *format, const uint8_t *bytes, size_t size, const char *name)
{
    uint8_t *block = malloc(size ? size : 1);
    if (!block) {
        return false;
    }
    memcpy(block, bytes, size);
    open_as(doc, format, block, size, name);
    ll_doc_read(doc);
    const uint32_t read = doc->fault_count;
    ll_doc_seal(doc);
    const uint32_t holes = doc->fault_count - read;
    ll_doc_judge(doc);
    tiling t = {0};
    (void)ll_doc_walk(doc, next_leaf, &t);
    bool said = doc->fault_count > holes || !(t.unread || doc->unread);
    bool sound = doc->status == LL_OK && !t.broken && t.at == size && said;
    if (!sound) {
        fprintf(stderr, "%s: of %zu bytes %u are claimed in order%s\n", name, size, (unsigned)t.at,
                said ? "" : ", and no fault says what is wrong");
    }
    free(block);
    return sound;
}

/* Tries all cuts and changes of single bytes. */
static unsigned damage(ll_doc *doc, const ll_format *format, uint8_t *bytes, size_t size, const char *name)
{
    static const uint8_t masks[] = {0x01, 0x80, 0xFF};
    unsigned wrong = 0;
    for (size_t length = 0; length < size; length++) {
        wrong += !holds(doc, format, bytes, length, name);
    }
    for (size_t at = 0; at < size; at++) {
        for (size_t i = 0; i < sizeof masks; i++) {
            bytes[at] ^= masks[i];
            wrong += !holds(doc, format, bytes, size, name);
            bytes[at] ^= masks[i];
        }
    }
    return wrong;
}

int main(int argc, char **argv)
{
    ll_doc read;
    unsigned files = 0, faulty = 0, wrong = 0;
    ll_doc_init(&read, NULL);
    for (int i = 1; i < argc; i++) {
        size_t size;
        uint8_t *bytes = read_file(argv[i], &size);
        if (!bytes) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 2;
        }
        const char *slash = strrchr(argv[i], '/'), *name = slash ? slash + 1 : argv[i];
        const ll_format *format = ll_format_choose(bytes, size, name);
        if (format && format->part_count) {
            open_as(&read, format, bytes, size, name);
            ll_doc_read(&read);
            files++;
            faulty += !is_sound(argv[i], &read);
            wrong += read.unpacked ? 0 : damage(&read, format, bytes, size, name);
        }
        free(bytes);
    }
    printf("%u files, %u with faults, %u damages without a fault\n", files, faulty, wrong);
    ll_doc_free(&read);
    return faulty || wrong || files == 0 ? 1 : 0;
}
