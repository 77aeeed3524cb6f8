/* Judges patches by what the report says, without linting anything. */
#include "diagnosis/doubt.h"

#include <string.h>

ll_unit ll_unit_of(const ll_doc *doc, const ll_where *at)
{
    ll_unit u = {at->span, at->element};
    bool listed = false;
    if (at->span != LL_NO_SPAN && ll_doc_layout(doc, at->span)->kind == LL_KIND_GAP) {
        return (ll_unit){LL_NO_SPAN, 0};
    }
    for (uint32_t span = at->span; span != LL_NO_SPAN; span = ll_doc_span(doc, span)->parent) {
        const ll_span *s = ll_doc_span(doc, span);
        bool counts = ll_doc_layout(doc, span)->kind == LL_KIND_RECORD && s->count > 1;
        if (counts || s->index != LL_NO_INDEX || !listed) {
            u = (ll_unit){span, span == at->span ? at->element : 0};
            listed = listed || counts || s->index != LL_NO_INDEX;
        }
    }
    return u;
}

bool ll_is_same_unit(const ll_unit *one, const ll_unit *other)
{
    return one->span == other->span && one->element == other->element;
}

enum { WITNESS_FAULTS_MAX = 3, PRINTABLE_PERCENT_MAX = 80, PROBED = 64 };

bool ll_fits_format(const ll_doc *doc)
{
    const ll_format *format = doc->format;
    return format &&
           (format->probe ? format->probe(doc->bytes, doc->size) != LL_PROBE_NO : ll_is_content_confirmed(doc));
}

/* The file is no text, and has few errors and warnings. */
static bool is_nearly_sound(const ll_report *report)
{
    const ll_doc *doc = &report->doc;
    uint64_t printable = 0;
    uint32_t loud = 0;
    for (uint32_t i = 0; i < doc->size; i++) {
        uint8_t byte = doc->bytes[i];
        printable += (byte >= ' ' && byte <= '~') || byte == '\n' || byte == '\r' || byte == '\t';
    }
    for (uint32_t i = 0; i < report->entries.count; i++) {
        loud += report->entries.items[i].severity > LL_NOTE;
    }
    return loud <= WITNESS_FAULTS_MAX && printable * 100 <= (uint64_t)doc->size * PRINTABLE_PERCENT_MAX;
}

/* The patch, at one of its places, makes the file begin as one of its family. */
static bool restores_family(const ll_doc *doc, const ll_edit *edit)
{
    bool restored = false, probed = doc->format && doc->format->probe;
    for (uint32_t at = edit->offset; probed && !restored && at < PROBED && at - edit->offset <= edit->places; at++) {
        uint8_t first[PROBED] = {0};
        for (uint32_t i = 0; i < PROBED; i++) {
            uint64_t from = i < at ? i : (uint64_t)i - edit->size + edit->removed;
            bool put = i >= at && i - at < edit->size;
            first[i] = put ? edit->bytes[i - at] : from < doc->size ? doc->bytes[from] : 0;
        }
        restored = doc->format->probe(first, doc->size) != LL_PROBE_NO;
    }
    return restored;
}

/* Only the extension says that the file is of its family: drops all patches but one that repairs just that. */
static void drop_unfounded(ll_report *report)
{
    bool nearly = is_nearly_sound(report);
    for (uint32_t i = 0; i < report->entries.count; i++) {
        ll_edit *edit = &report->entries.items[i].patch;
        if (edit->tier != LL_PATCH_NONE && !(nearly && restores_family(&report->doc, edit))) {
            *edit = (ll_edit){.tier = LL_PATCH_NONE};
        }
    }
}

static uint32_t count_others(const ll_doc *doc, const ll_edit *edit)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < edit->size; i++) {
        others += doc->bytes[edit->offset + i] != edit->bytes[i];
    }
    return others;
}

static bool is_fill(const ll_edit *edit)
{
    bool fill = true;
    for (uint32_t i = 1; i < edit->size && fill; i++) {
        fill = edit->bytes[i] == edit->bytes[0];
    }
    return fill;
}

static bool is_fill_in_place(const ll_edit *edit)
{
    return edit->removed == edit->size && edit->bytes && !edit->order && is_fill(edit);
}

enum { NUMBER_MAX = 8 }; /* a reserved field of at most this many bytes is one number: if one byte is wrong, all are */

/* Drops patches that fill several other bytes with zeros or the like: the meaning of these bytes is unknown. A
 * single byte may have been changed. Drops all patches of padding in a file that was not read in full: it may not be
 * padding. */
static void keep_unknown(ll_report *report)
{
    const ll_doc *doc = &report->doc;
    for (uint32_t i = 0; i < report->entries.count; i++) {
        const ll_entry *entry = &report->entries.items[i];
        const ll_field *field = ll_where_field(doc, &entry->at);
        bool known = entry->at.span < doc->span_count; /* not LL_NO_SPAN */
        unsigned role = field ? field->role : known ? ll_doc_layout(doc, entry->at.span)->role : LL_ROLE_DATA;
        bool filling = !field || role == LL_ROLE_PADDING || (role == LL_ROLE_RESERVED && field->bytes > NUMBER_MAX);
        bool there = filling && entry->patch.tier != LL_PATCH_NONE && is_fill_in_place(&entry->patch);
        if (there && ((doc->unread && role == LL_ROLE_PADDING) || count_others(doc, &entry->patch) > 1)) {
            report->entries.items[i].patch = (ll_edit){.tier = LL_PATCH_NONE};
        }
    }
}

static bool has_role(const ll_layout *layout, unsigned role)
{
    for (unsigned i = 0; i < layout->field_count; i++) {
        if (layout->fields[i].role == role) {
            return true;
        }
    }
    return false;
}

/* A size or an alignment, and not only a number of elements, depends on the length of the file. */
static bool is_length_checked(const ll_doc *doc)
{
    bool checked = doc->format->alignment_count > 0;
    for (uint32_t i = 0; i < doc->span_count && !checked; i++) {
        checked = has_role(ll_doc_layout(doc, i), LL_ROLE_SIZE);
    }
    return checked;
}

/* Elements of an array after the record `parent` have this length, and no field counts them. */
static bool is_length_of_element(const ll_doc *doc, uint32_t parent, uint64_t length)
{
    bool found = false, counted = has_role(ll_doc_layout(doc, parent), LL_ROLE_COUNT);
    for (uint32_t i = parent + 1; i < doc->span_count && !counted; i++) {
        const ll_layout *layout = ll_doc_layout(doc, i);
        bool child = ll_doc_span(doc, i)->parent == parent && layout->kind == LL_KIND_RECORD;
        found = found || (child && layout->size == length);
        counted = child && has_role(layout, LL_ROLE_COUNT);
    }
    return found && !counted;
}

enum { LOST_TIMES_MAX = 16 }; /* the whole file is at most this many times as large as what is left of it */

/* The patch changes a count by one, or a size by one element, and nothing checks that: an element may be lost or
 * doubled instead. Or the count or size asks for more than there is: the end of the file may be lost instead. */
static bool is_undecided(const ll_doc *doc, const ll_entry *entry)
{
    const ll_edit *edit = &entry->patch;
    const ll_field *field = ll_where_field(doc, &entry->at);
    if (edit->tier != LL_PATCH_UNSAFE || !field || (field->role != LL_ROLE_COUNT && field->role != LL_ROLE_SIZE) ||
        edit->size != field->bytes || edit->removed != edit->size || edit->offset != entry->at.offset) {
        return false;
    }
    unsigned endian = ll_doc_layout(doc, entry->at.span)->endian;
    uint64_t stated = ll_read_uint(doc->bytes + edit->offset, field->bytes, endian);
    uint64_t right = ll_read_uint(edit->bytes, field->bytes, endian);
    uint64_t by = stated > right ? stated - right : right - stated;
    bool element = field->role == LL_ROLE_COUNT ? by == 1 && !is_length_checked(doc)
                                                : is_length_of_element(doc, entry->at.span, by);
    return element || (doc->unread && stated > right && stated / LOST_TIMES_MAX <= right);
}

/* Entries are sorted by offset. Only this many on either side of an entry are looked at, as there may be very many. */
enum { AROUND = 16 };

static uint32_t first_around(uint32_t number)
{
    return number > AROUND ? number - AROUND : 0;
}

static uint32_t end_around(const ll_report *report, uint32_t number)
{
    return report->entries.count - number > AROUND ? number + AROUND : (uint32_t)report->entries.count;
}

static unsigned role_of(const ll_doc *doc, const ll_entry *entry)
{
    const ll_field *field = entry->severity > LL_NOTE ? ll_where_field(doc, &entry->at) : NULL;
    return field ? field->role : LL_ROLE_DATA;
}

/* A hash and a reserved field of one record are both wrong: bytes went in or out between them, and the values are
 * others. */
static bool is_displaced(const ll_report *report, uint32_t number)
{
    const ll_doc *doc = &report->doc;
    const ll_entry *entry = &report->entries.items[number];
    const unsigned role = role_of(doc, entry);
    const unsigned sought = role == LL_ROLE_HASH       ? LL_ROLE_RESERVED
                            : role == LL_ROLE_RESERVED ? LL_ROLE_HASH
                                                       : LL_ROLE_DATA;
    bool displaced = false;
    for (uint32_t i = first_around(number); i < end_around(report, number) && !displaced && sought != LL_ROLE_DATA;
         i++) {
        const ll_unit one = ll_unit_of(doc, &entry->at), other = ll_unit_of(doc, &report->entries.items[i].at);
        displaced = role_of(doc, &report->entries.items[i]) == sought && ll_is_same_unit(&one, &other);
    }
    return displaced;
}

void ll_drop_undecided(ll_report *report)
{
    for (uint32_t i = 0; i < report->entries.count; i++) {
        if (is_undecided(&report->doc, &report->entries.items[i]) || is_displaced(report, i)) {
            report->entries.items[i].patch = (ll_edit){.tier = LL_PATCH_NONE};
        }
    }
}

/* The high bit of every byte is 0 and the rest is right, as in a file that was made ASCII. */
static bool is_stripped(const ll_doc *doc, const ll_edit *edit)
{
    bool stripped = true;
    for (uint32_t i = 0; i < edit->size && stripped; i++) {
        stripped = doc->bytes[edit->offset + i] == (edit->bytes[i] & 0x7F);
    }
    return stripped;
}

/* The record is all zeros, and so are the bytes in front of it. */
static bool is_record_of_zeros(const ll_doc *doc, const ll_where *at)
{
    enum { FRONT = 4 };
    const ll_layout *layout = ll_doc_layout(doc, at->span);
    uint32_t start = at->offset - layout->fields[at->field].offset;
    return start >= FRONT && ll_is_zero(doc->bytes + start - FRONT, doc->bytes + start + layout->size);
}

/* More than the bytes of the patch may have been overwritten: a tag has lost its high bits, a record of zeros follows
 * zeros, a hash is about bytes that are no text, or a wrong byte of padding lies next to other data. */
static bool may_be_part(const ll_doc *doc, const ll_entry *entry)
{
    const ll_edit *edit = &entry->patch;
    const ll_field *field = ll_where_field(doc, &entry->at);
    unsigned role = field ? field->role : entry->patch.bytes && is_fill(&entry->patch) ? LL_ROLE_PADDING : LL_ROLE_DATA;
    if (edit->removed != edit->size || !edit->size || !edit->bytes || edit->order) {
        return false;
    }
    switch (role) {
    case LL_ROLE_MAGIC:
        return count_others(doc, edit) > 1 && is_stripped(doc, edit);
    case LL_ROLE_SIZE:
        return is_record_of_zeros(doc, &entry->at);
    case LL_ROLE_HASH:
        for (uint32_t i = 0; i < entry->related.length && entry->related.offset + i < doc->size; i++) {
            uint8_t byte = doc->bytes[entry->related.offset + i];
            if (byte < ' ' || byte > '~') {
                return true;
            }
        }
        return false;
    case LL_ROLE_PADDING:
    case LL_ROLE_RESERVED:
        return doc->bytes[edit->offset] != edit->bytes[0] ||
               doc->bytes[edit->offset + edit->size - 1] != edit->bytes[edit->size - 1];
    default:
        return false;
    }
}

enum { NEAR = 16, MANY = 3 }; /* bytes */

/* Several bytes of a number are wrong and nothing explains them: the number is not all zeros or ones, not in the other
 * byte order, and not near the right value. */
static bool is_unexplained(const ll_doc *doc, const ll_entry *entry)
{
    const ll_edit *edit = &entry->patch;
    const ll_field *field = ll_where_field(doc, &entry->at);
    bool number = field && edit->size == field->bytes && edit->offset == entry->at.offset && edit->size <= NUMBER_MAX &&
                  (field->role == LL_ROLE_SIZE || field->role == LL_ROLE_COUNT || field->role == LL_ROLE_OFFSET);
    if (!number || edit->removed != edit->size || count_others(doc, edit) < MANY) {
        return false;
    }
    const uint8_t *bytes = doc->bytes + edit->offset;
    const unsigned endian = ll_doc_layout(doc, entry->at.span)->endian;
    const uint64_t ones = UINT64_MAX >> (64 - 8 * edit->size);
    const uint64_t stated = ll_read_uint(bytes, edit->size, endian),
                   right = ll_read_uint(edit->bytes, edit->size, endian);
    const uint64_t more = (stated - right) & ones, less = (right - stated) & ones;
    return stated != 0 && stated != ones &&
           stated != ll_read_uint(edit->bytes, edit->size, endian == LL_BIG ? LL_LITTLE : LL_BIG) && more > UINT8_MAX &&
           less > UINT8_MAX;
}

bool ll_has_neighbour(const ll_report *report, uint32_t number)
{
    const ll_entry *entry = &report->entries.items[number];
    const uint64_t from = entry->patch.offset, to = from + entry->patch.removed;
    bool near = false; /* a patch that overwrites nothing has no neighbours */
    for (uint32_t i = first_around(number); i < end_around(report, number) && !near && entry->patch.removed; i++) {
        const ll_where *at = &report->entries.items[i].at;
        const uint64_t start = at->offset, end = start + at->length;
        near = report->entries.items[i].rule != entry->rule && !report->entries.items[i].explained &&
               ((start >= to && start < to + NEAR) || (end <= from && end + NEAR > from));
    }
    return near;
}

static void doubt_parts(ll_report *report)
{
    for (uint32_t i = 0; i < report->entries.count; i++) {
        ll_edit *edit = &report->entries.items[i].patch;
        if (edit->tier == LL_PATCH_SAFE &&
            (may_be_part(&report->doc, &report->entries.items[i]) || ll_has_neighbour(report, i) ||
             is_unexplained(&report->doc, &report->entries.items[i]))) {
            edit->tier = LL_PATCH_UNSAFE;
        }
    }
}

/* Errors and warnings come from more than one rule: bytes may be lost or surplus, so that values are read at wrong
 * places. */
static bool may_be_displaced(const ll_report *report)
{
    const ll_entry *first = NULL;
    bool several = false;
    for (uint32_t i = 0; i < report->entries.count && !several; i++) {
        const ll_entry *entry = &report->entries.items[i];
        bool loud = entry->severity > LL_NOTE;
        several = loud && first && entry->rule != first->rule;
        first = loud && !first ? entry : first;
    }
    return several;
}

/* Makes all patches unsafe that replace bytes. */
static void doubt_values(ll_report *report)
{
    for (uint32_t i = 0; i < report->entries.count; i++) {
        ll_edit *edit = &report->entries.items[i].patch;
        edit->tier = edit->tier == LL_PATCH_SAFE && edit->removed ? LL_PATCH_UNSAFE : edit->tier;
    }
}

void ll_doubt(ll_report *report)
{
    if (!ll_fits_format(&report->doc)) {
        drop_unfounded(report);
    } else if (may_be_displaced(report)) {
        doubt_values(report);
    }
    keep_unknown(report);
    doubt_parts(report);
}
