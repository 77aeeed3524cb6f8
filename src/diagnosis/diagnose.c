/* See diagnose.h. Scores and margins are hundredths; docs/design.md, "How a damaged byte becomes one finding". */
#include "diagnosis/diagnose.h"

#include "diagnosis/doubt.h"
#include "diagnosis/search.h"
#include "diagnosis/settle.h"
#include "model/reader.h"
#include "report/compare.h"

#include <string.h>

enum {
    MARGIN = 60,         /* a hypothesis whose score is so near is as good */
    UNEXPLAINED = 100,   /* cost of a file as it is, to which its leftovers are added */
    GAIN = 80,           /* the best one is lower by at least this */
    PLACES_LEAST = 4,    /* things wrong that no one change explains, */
    EXPLAINED_SHARE = 3, /* of what is wrong, which the first of two faults explains at least */
    APART = 64,          /* with more bytes than these between them */
    PARSER_LOUD = 3,     /* loud findings of a parser about one change that it understands */
    TURNED_LEAST = 4,    /* bytes of a number that seldom means something in either byte order */
};

typedef struct verdict {
    const ll_search *search;
    const ll_report *report; /* NULL: no rival is sought */
    const ll_hypothesis *best;
    const ll_hypothesis *rival; /* the best of those that are as good and are about something else; NULL: none */
    bool alone;                 /* all that are as good make the same file, */
    bool decided;               /* all its bytes are known, and it is sound */
} verdict;

/* Behind the last address of the file, or of the region. */
static uint32_t end_at(const ll_doc *doc, uint32_t address)
{
    const ll_region *region = ll_doc_locate(doc, address);
    return region->base + region->size;
}

/* The leaf that an address lies in, or the last one. */
static bool leaf_at(const ll_doc *doc, uint32_t offset, ll_leaf *leaf)
{
    const uint32_t end = end_at(doc, offset);
    return doc->size && ll_doc_leaf_at(doc, offset < end ? offset : end - 1, leaf) && leaf->span != LL_NO_SPAN;
}

static ll_unit unit_of(const ll_doc *doc, uint32_t offset)
{
    ll_leaf leaf;
    if (!leaf_at(doc, offset, &leaf)) {
        return (ll_unit){LL_NO_SPAN, 0};
    }
    const ll_where at = {leaf.span, leaf.element, LL_NO_FIELD, LL_NO_PART, leaf.offset, leaf.length};
    return ll_unit_of(doc, &at);
}

/* Both say the same of the file: what happened, to how many bytes, and in which record. */
static bool is_same_class(const ll_doc *doc, const ll_hypothesis *a, const ll_hypothesis *b)
{
    const ll_unit one = unit_of(doc, a->offset), other = unit_of(doc, b->offset);
    return a->kind == b->kind && a->edit.size - a->edit.removed == b->edit.size - b->edit.removed &&
           ll_is_same_unit(&one, &other);
}

/* A file whose end is missing explains as much as any value that asks for less, but for one with which the padding ends
 * where the file does. */
static bool is_cut_as_sound(const ll_search *s, const ll_hypothesis *best, const ll_hypothesis *h)
{
    const bool filled = s->filled && best->kind == LL_CAUSE_FIELD && best->left == 0;
    return h->kind == LL_CAUSE_CUT && h->left <= LL_SEARCH_SOUND && !filled;
}

/* Bytes that were put in, and all that is better without them is that they are fewer that nobody reads. */
static bool is_less_of_it(const ll_search *s, const ll_hypothesis *h)
{
    return h->kind == LL_CAUSE_INSERTED && h->left > LL_SEARCH_SOUND &&
           h->score - h->cost + (uint64_t)LL_WEIGHT_BYTE * h->edit.removed >= s->base;
}

/* Nothing else is as good, and all its bytes are known. */
static bool is_sure(const verdict *v)
{
    return v->alone && (!v->search->exhausted || v->best->redundant) && v->best->kind != LL_CAUSE_ADDED &&
           v->best->edit.tier != LL_PATCH_NONE;
}

/* False: nothing explains the file better than that something unknown happened to it. */
static bool find_verdict(const ll_report *report, const ll_search *s, verdict *v)
{
    size_t first = 0;
    while (first < s->tried.count && is_less_of_it(s, &s->tried.items[first])) {
        first++;
    }
    if (first == s->tried.count || s->tried.items[first].score + GAIN > s->base + UNEXPLAINED) {
        return false;
    }
    const ll_hypothesis *best = &s->tried.items[first];
    const uint32_t left = best->left;
    const bool unknown = best->kind == LL_CAUSE_UNKNOWN || best->kind == LL_CAUSE_OVERWRITTEN;
    if (unknown && 2 * (uint64_t)left > s->base) { /* then it is one of several faults */
        return false;
    }
    *v = (verdict){.search = s, .report = report, .best = best};
    v->alone = true;
    for (size_t i = first + 1; i < s->tried.count; i++) {
        const ll_hypothesis *h = &s->tried.items[i];
        bool apart =
            (uint64_t)left + h->left >= s->base; /* each explains what the other leaves: there are two faults */
        if (apart || (h->score > best->score + MARGIN && !is_cut_as_sound(s, best, h))) {
            continue;
        }
        v->alone = v->alone && ll_is_same_hypothesis(s, best, h);
        if (report && !v->rival && !is_same_class(&report->doc, best, h)) {
            v->rival = h;
        }
    }
    v->decided = is_sure(v) && left <= LL_SEARCH_SOUND;
    return true;
}

/* ------------------------------------------------------------------ where and what */

/* The bytes of a hypothesis; where they are one field, the field, else in the record that their middle lies in. */
static ll_where place_of(const ll_doc *doc, const ll_hypothesis *h)
{
    ll_leaf leaf;
    if (h->offset >= end_at(doc, h->offset) || !leaf_at(doc, h->offset + h->length / 2, &leaf)) {
        return ll_at_bytes(LL_NO_SPAN, h->offset, h->length);
    }
    if (h->edit.size == h->edit.removed && leaf.kind == LL_KIND_RECORD && leaf.offset <= h->offset &&
        (uint64_t)h->offset + h->length <= (uint64_t)leaf.offset + leaf.length) {
        return ll_at_field(doc, leaf.span, leaf.element, leaf.field);
    }
    const ll_span *span = ll_doc_span(doc, leaf.span);
    bool element = doc->layouts[span->layout].kind == LL_KIND_RECORD;
    return (ll_where){leaf.span, element ? leaf.element : 0, LL_NO_FIELD, LL_NO_PART, h->offset, h->length};
}

/* Bits of the field say which parts there are. */
static bool is_choice(const ll_format *format, unsigned layout, unsigned field)
{
    size_t i = 0;
    while (i < format->part_count && (format->parts[i].of != layout || format->parts[i].field != field)) {
        i++;
    }
    return i < format->part_count;
}

/* The fault of the reader about a place; NULL: there is none. */
static const ll_fault *fault_at(const ll_doc *doc, const ll_where *at)
{
    const ll_fault_node *node = doc->first_fault;
    while (node && (!node->fault.read || node->fault.at.offset != at->offset || node->fault.at.length != at->length)) {
        node = node->next;
    }
    return node ? &node->fault : NULL;
}

/* The part that only code counts, by the field at a place; NULL: there is none. */
static const ll_part_row *counted_by(const ll_doc *doc, const ll_where *at)
{
    const ll_format *format = doc->format;
    for (size_t i = 0; i < format->part_count; i++) {
        const ll_part_row *part = &format->parts[i];
        const bool in_file = part->owner == LL_WITHIN_FILE;
        for (uint32_t k = 0; part->how == LL_PART_COUNTED && k < (in_file ? 1 : doc->span_count); k++) {
            ll_where by = ll_nowhere();
            if (in_file || ll_doc_span(doc, k)->layout == part->owner) {
                (void)format->count(doc, part, in_file ? LL_NO_SPAN : k, &by);
            }
            if (by.span != LL_NO_SPAN && by.offset == at->offset) {
                return part;
            }
        }
    }
    return NULL;
}

/* A row says that the field, or one beside it, is a number of parts. */
static bool counts_parts(const ll_format *format, unsigned layout, unsigned field)
{
    bool counts = false;
    for (size_t i = 0; i < format->derivation_count; i++) {
        const ll_derivation *row = &format->derivations[i];
        const bool coded = row->how == LL_DERIVE_CODE && row->which == LL_WHICH_ITSELF;
        counts = counts || (row->layout == layout && (coded || (row->field == field && row->how == LL_DERIVE_COUNT)));
    }
    return counts;
}

/* The field is of a number that says which layout a record has, or what follows it. */
static bool says_kind(const ll_doc *doc, const ll_where *at)
{
    const ll_choice *rows = doc->format->choices;
    const unsigned layout = ll_doc_span(doc, at->span)->layout;
    if (!ll_is_chosen(doc->format, layout)) {
        return false;
    }
    const ll_layout *l = &doc->layouts[rows[0].layout];
    return at->field >= rows[0].field && at->field < l->field_count && l->fields[at->field].role == LL_ROLE_DATA &&
           l->fields[at->field].offset < l->fields[rows[0].field].offset + sizeof rows[0].value;
}

/* What a reader says of a wrong value of the field; LL_READ_KINDS: nothing. */
static ll_read_kind kind_of_field(const ll_doc *doc, const ll_where *at)
{
    static const uint8_t kinds[] = {[LL_ROLE_COUNT] = 1 + LL_READ_COUNT,
                                    [LL_ROLE_SIZE] = 1 + LL_READ_SIZE,
                                    [LL_ROLE_OFFSET] = 1 + LL_READ_OFFSET,
                                    [LL_ROLE_HASH] = 1 + LL_READ_HASH};
    const ll_field *field = ll_where_field(doc, at);
    unsigned role = field ? field->role : LL_ROLE_DATA;
    if (field && is_choice(doc->format, ll_doc_span(doc, at->span)->layout, at->field)) {
        return LL_READ_CHOICE;
    }
    if (field && says_kind(doc, at)) {
        return LL_READ_SIZE;
    }
    if (role == LL_ROLE_COUNT && !counts_parts(doc->format, ll_doc_span(doc, at->span)->layout, at->field)) {
        return LL_READ_KINDS;
    }
    return role < sizeof kinds && kinds[role] ? (ll_read_kind)(kinds[role] - 1) : LL_READ_KINDS;
}

/* The file, or the region, is too long, or too short, by some bytes. */
static ll_fault fault_of_size(const ll_doc *doc, ll_read_kind kind, unsigned layout, ll_where at, int64_t right)
{
    const uint32_t size = ll_doc_locate(doc, at.offset)->size;
    return ll_read_fault(doc->format, kind, layout, at, ll_uint(size), ll_int(right), "size");
}

static unsigned layout_of(const ll_doc *doc, const ll_where *at)
{
    return at->span == LL_NO_SPAN ? LL_ANY_LAYOUT : ll_doc_span(doc, at->span)->layout;
}

/* The end of the file is missing. The reader says how long the file should be, from a part that does not fit. */
static bool make_fault_of_end(const ll_doc *doc, const ll_search *s, ll_where at, ll_fault *out)
{
    uint64_t want = 0;
    for (size_t i = 0; i < s->leftovers.count && !want; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        want = !l->beyond ? 0 : l->want || l->more >= 0 ? l->want : (uint64_t)doc->size - (uint64_t)l->more;
    }
    *out = fault_of_size(doc, LL_READ_CUT, LL_ANY_LAYOUT, at, (int64_t)want);
    const ll_fault_node *node = doc->first_fault;
    while (node && node->fault.read != LL_READ_CUT + 1) {
        node = node->next;
    }
    out->code = node ? node->fault.code : out->code; /* of the part that does not fit */
    return want > doc->size && out->code != LL_FAULT_GAP;
}

/* Makes the fault that states the cause. False: the format has no such fault, and an entry has to state it. */
static bool make_fault(const ll_doc *doc, const ll_hypothesis *h, const ll_where *at, ll_fault *out)
{
    int64_t by = (int64_t)h->edit.size - (int64_t)h->edit.removed;
    unsigned layout = layout_of(doc, at);
    if (h->kind == LL_CAUSE_FIELD) {
        const ll_field *field = ll_where_field(doc, at);
        const ll_fault *said = fault_at(doc, at);
        const ll_part_row *part = said ? NULL : counted_by(doc, at);
        const ll_read_kind kind = said ? (ll_read_kind)(said->read - 1) : part ? LL_READ_COUNT : kind_of_field(doc, at);
        if (!field || kind == LL_READ_KINDS || at->offset != h->offset || h->length != field->bytes) {
            return false;
        }
        unsigned endian = ll_doc_layout(doc, at->span)->endian;
        *out = ll_read_fault(doc->format, kind, part ? part->layout : layout, *at,
                             field->type == LL_TYPE_CHARS
                                 ? ll_chars(at->offset, at->length)
                                 : ll_uint(ll_read_uint(ll_doc_at(doc, at->offset), field->bytes, endian)),
                             ll_uint(ll_read_uint(h->edit.bytes, field->bytes, endian)), field->name);
        out->code = said ? said->code : out->code;
    } else if (h->kind == LL_CAUSE_TERMINATOR) {
        const bool text = at->span != LL_NO_SPAN && ll_doc_layout(doc, at->span)->kind == LL_KIND_STRING;
        const ll_where nul = text ? ll_at_field(doc, at->span, 0, LL_STRING_TERMINATOR) : *at;
        *out = ll_read_fault(doc->format, LL_READ_UNENDED, layout, nul.offset == h->offset ? nul : *at,
                             ll_uint(*ll_doc_at(doc, h->offset)), ll_uint(0), "byte behind the text");
    } else if (h->kind == LL_CAUSE_BYTE_ORDER && at->field == LL_NO_FIELD) {
        const ll_arg nothing = {0};
        *out = ll_read_fault(doc->format, h->floats ? LL_READ_REVERSED_FLOATS : LL_READ_REVERSED, layout, *at, nothing,
                             nothing, doc->layouts[layout].label);
    } else if (h->kind == LL_CAUSE_DOUBLED && !doc->first_fault) { /* only a rule says that it is one too many */
        return false;
    } else if (by != 0) {
        const uint32_t size = ll_doc_locate(doc, at->offset)->size;
        const bool at_end = h->edit.offset + h->edit.removed == size;
        ll_read_kind kind = by < 0 ? LL_READ_SURPLUS : LL_READ_CUT;
        if (at_end && !doc->by_rows) { /* it has said so, with arguments of its own */
            return false;
        }
        kind = !at_end && ll_read_code(doc->format, LL_READ_SHIFTED, layout, at->field) != LL_FAULT_GAP
                   ? LL_READ_SHIFTED
                   : kind;
        const ll_fault *said = at_end && by < 0 ? fault_at(doc, at) : NULL;
        *out = fault_of_size(doc, kind, layout, *at, (int64_t)size + by);
        out->code = said ? said->code : out->code;
    } else {
        return false;
    }
    return out->code != LL_FAULT_GAP; /* the format has a rule for it */
}

/* ------------------------------------------------------------------ which entry */

static bool overlaps(const ll_where *a, const ll_where *b)
{
    uint64_t a_end = (uint64_t)a->offset + (a->length ? a->length : 1);
    uint64_t b_end = (uint64_t)b->offset + (b->length ? b->length : 1);
    return a->offset < b_end && b->offset < a_end;
}

/* The reader found something of the structure of the file there: not only bytes that should be 0. */
static bool is_structure(const ll_doc *doc, const ll_where *at)
{
    const ll_fault *fault = fault_at(doc, at);
    return fault && fault->read != LL_READ_RESERVED + 1 && fault->read != LL_READ_PADDING + 1;
}

/* The rule of the entry states it. */
static bool is_plain(const ll_report *report, const ll_entry *entry)
{
    return report->rules->rules[entry->rule].rule->fault[0] && is_structure(&report->doc, &entry->at);
}

/* A plain fault of the reader has no patch: only the search knows what undoes a cause. Where nobody knows what
 * happened to a file that does not read, no other finding has one either. */
static void drop_plain_patches(ll_report *report, bool known)
{
    bool reads = true;
    for (uint32_t i = 0; i < report->entry_count; i++) {
        reads = reads && !is_plain(report, &report->entries[i]);
    }
    for (uint32_t i = 0; i < report->entry_count; i++) {
        ll_edit *patch = &report->entries[i].patch;
        bool dropped = (!known && !reads) || is_plain(report, &report->entries[i]);
        if (patch->tier != LL_PATCH_NONE && dropped) {
            *patch = (ll_edit){.guessed = true};
        }
    }
}

/* The loud entry that says it best: about these bytes, the reader's, the severest, the first. */
static uint32_t find_entry(const verdict *v, const ll_where *cause)
{
    uint32_t best = LL_NO_ENTRY;
    unsigned most = 0;
    for (uint32_t i = 0; i < v->report->entry_count; i++) {
        const ll_entry *entry = &v->report->entries[i];
        const bool about = overlaps(&entry->at, cause), error = entry->severity == LL_ERROR;
        unsigned fits = 1 + (about ? 8U : 0U) + (fault_at(&v->report->doc, &entry->at) ? 4U : 0U) +
                        (error ? (about ? 6U : 2U) : 0U);
        if (entry->severity > LL_NOTE && fits > most) {
            best = i;
            most = fits;
        }
    }
    return best;
}

static uint64_t count_loud(const ll_report *report)
{
    return report->summary.errors + report->summary.warnings;
}

/* The patch of the entry and the hypothesis make the same file. */
static bool is_patch_of(const ll_doc *doc, const ll_entry *entry, const ll_hypothesis *h)
{
    const ll_edit *patch = &entry->patch;
    return patch->tier != LL_PATCH_NONE && h->edit.tier != LL_PATCH_NONE && (patch->bytes || !patch->size) &&
           !patch->order && ll_is_same_patch(doc->bytes, patch, &h->edit);
}

/* A parser says of bytes at this place that they were put in or taken out, or that they are turned round. */
static bool says(const ll_doc *doc, const ll_where *at, ll_read_kind kind)
{
    const ll_fault_node *node = doc->first_fault;
    while (node && (node->fault.at.offset != at->offset || node->fault.at.length != at->length ||
                    ll_read_kind_of(doc, &node->fault) != kind)) {
        node = node->next;
    }
    return node != NULL;
}

/* The entry in which a parser has said what the hypothesis says; LL_NO_ENTRY: it has not. */
static uint32_t find_told(const ll_report *report, const ll_hypothesis *h, const ll_where *cause)
{
    const ll_doc *doc = &report->doc;
    const ll_read_kind kind = h->edit.size != h->edit.removed ? LL_READ_SHIFTED : LL_READ_REVERSED;
    const bool field = h->kind == LL_CAUSE_FIELD;
    uint32_t i = doc->by_rows ? report->entry_count : 0;
    while (i < report->entry_count &&
           (report->entries[i].severity <= LL_NOTE ||
            (!is_patch_of(doc, &report->entries[i], h) &&
             !(overlaps(&report->entries[i].at, cause) && (field || says(doc, &report->entries[i].at, kind)))))) {
        i++;
    }
    return i < report->entry_count ? i : LL_NO_ENTRY;
}

/* ------------------------------------------------------------------ words */

static void put_cause(const ll_doc *doc, const ll_hypothesis *h, ll_text *out)
{
    uint32_t n = h->kind == LL_CAUSE_MISSING || h->kind == LL_CAUSE_LOST ? h->edit.size : h->edit.removed;
    n = h->times ? (h->edit.size > h->edit.removed ? h->edit.size - h->edit.removed : h->edit.removed - h->edit.size) /
                       h->times
                 : n;
    n = h->kind == LL_CAUSE_ZEROED ? h->length : n;
    const ll_where at = place_of(doc, h);
    ll_text path;
    ll_text_init(&path, &doc->arena.allocator);
    if (at.span != LL_NO_SPAN) {
        ll_path_text(doc, &at, &path);
    }
    ll_text_char(&path, '\0');
    for (const char *p = ll_cause_words[h->kind]; *p; p++) {
        if (*p == '#') {
            ll_text_format(out, "%u byte%s", (unsigned)n, n == 1 ? "" : "s");
        } else if (*p == '@') {
            ll_text_str(out, path.length > 1 ? path.data : "");
            ll_text_str(out, path.length > 1 ? " " : "");
            const ll_region *region = ll_doc_locate(doc, h->offset);
            ll_place_text(h->offset - region->base, h->length, out);
            ll_text_str(out, region->name ? " in " : "");
            ll_text_str(out, region->name ? region->name : "");
        } else {
            ll_text_char(out, *p);
        }
    }
    out->failed = out->failed || path.failed;
    ll_text_free(&path);
    if (h->times) {
        ll_text_format(out, " The same in %u records.", (unsigned)h->times);
    }
}

static const char *make_words(const verdict *v, ll_arena *arena)
{
    ll_text text;
    ll_text_init(&text, &arena->allocator);
    put_cause(&v->report->doc, v->best, &text);
    if (v->rival) {
        ll_text_str(&text, " Or else: ");
        put_cause(&v->report->doc, v->rival, &text);
    }
    const char *words = text.failed ? NULL : ll_arena_copy(arena, text.data, text.length);
    ll_text_free(&text);
    return words;
}

/* ------------------------------------------------------------------ the diagnosis */

/* The file as it was, as far as it is known. */
static bool make_copy(const ll_doc *doc, const ll_edit *edit, ll_arena *arena, ll_diagnosis *out)
{
    out->copy_size = doc->size - edit->removed + edit->size;
    uint8_t *copy = ll_arena_alloc(arena, out->copy_size ? out->copy_size : 1, 1);
    if (copy) {
        memcpy(copy, doc->bytes, edit->offset);
        memcpy(copy + edit->offset, edit->bytes, edit->size);
        memcpy(copy + edit->offset + edit->size, doc->bytes + edit->offset + edit->removed,
               doc->size - edit->offset - edit->removed);
    }
    out->copy = copy;
    return copy;
}

/* Tests the file without the change. */
static bool test_copy(ll_report *report, const ll_diagnosis *d, bool (*test)(const ll_doc *copy, uint32_t at))
{
    ll_doc copy;
    ll_doc_init(&copy, &report->doc.arena.allocator);
    ll_doc_open(&copy, d->copy, d->copy_size, report->doc.name);
    ll_doc_set_format(&copy, report->doc.format);
    ll_doc_read(&copy);
    ll_doc_seal(&copy);
    const bool passed = copy.status == LL_OK && test(&copy, d->patch.offset);
    report->doc.status = copy.status == LL_E_MEMORY ? copy.status : report->doc.status;
    ll_doc_free(&copy);
    return passed;
}

static bool is_copy_founded(const ll_doc *copy, uint32_t at)
{
    (void)at;
    return ll_is_founded(copy);
}

/* More than the extension says that the file, or the copy without the change, is of its family. */
static bool is_founded(ll_report *report, const ll_diagnosis *d)
{
    if (ll_is_founded(&report->doc) || !d->copy || d->unknown) { /* its bytes are those that the format asks for */
        return ll_is_founded(&report->doc);
    }
    return test_copy(report, d, is_copy_founded);
}

/* The bytes at and in front of an address have a meaning: among others nothing tells where some are too many. */
static bool has_meaning(const ll_doc *copy, uint32_t at)
{
    ll_leaf leaf;
    const bool before = !at || (leaf_at(copy, at - 1, &leaf) && leaf.kind != LL_KIND_BYTES);
    return before && leaf_at(copy, at, &leaf) && leaf.kind != LL_KIND_BYTES;
}

enum { STEPS_OF_READING = 1 << 12 }; /* whatever the size of the file */

static uint64_t steps_of(const ll_search *s)
{
    return s->readings * (s->bytes_read + STEPS_OF_READING);
}

/* An address in the file without a change, as one in the file. */
static uint32_t address_back(const ll_edit *change, uint32_t at)
{
    return at >= change->offset + change->size ? at - change->size + change->removed : at;
}

/* Turns a hypothesis about the file without the first change into one about the file; its bytes live as long as the
 * document's. False: both are about the same bytes, or about one record. */
static bool map_back(ll_doc *doc, const ll_edit *first, ll_hypothesis *h)
{
    const bool apart =
        h->edit.offset >= first->offset + first->size || h->edit.offset + h->edit.removed <= first->offset;
    h->edit.offset = address_back(first, h->edit.offset);
    h->offset = address_back(first, h->offset);
    h->edit.bytes = (const uint8_t *)ll_arena_copy(&doc->arena, (const char *)h->edit.bytes, h->edit.size);
    doc->status = h->edit.bytes ? doc->status : LL_E_MEMORY;
    const ll_unit one = unit_of(doc, first->offset), other = unit_of(doc, h->edit.offset);
    return h->edit.bytes && apart && !ll_is_same_unit(&one, &other);
}

/* What the best one leaves over may be one more fault: the file without the first one is searched too. */
static void find_second(const verdict *v, ll_report *report, ll_diagnosis *out)
{
    ll_search search;
    verdict other;
    const uint64_t left = v->best->left, base = v->search->base;
    const bool one_of_many = EXPLAINED_SHARE * (base > left ? base - left : 0) < base;
    if (left <= LL_SEARCH_SOUND || one_of_many || out->ends || out->unknown) {
        return;
    }
    const ll_doc *doc = &report->doc;
    if (!ll_search_run(&search, report->rules, doc->format, doc->name, doc->variant, out->copy, out->copy_size,
                       v->search->readings)) {
        report->doc.status = search.weigher.status;
    } else if (find_verdict(NULL, &search, &other) && other.decided) {
        ll_hypothesis h = *other.best;
        out->has_second = map_back(&report->doc, &v->best->edit, &h);
        out->is_second_safe = h.safe;
        out->second = h.edit;
        out->second_words =
            out->has_second ? make_words(&(verdict){.report = report, .best = &h}, &report->doc.arena) : NULL;
        report->doc.status = out->has_second && !out->second_words ? LL_E_MEMORY : report->doc.status;
    }
    out->steps += steps_of(&search);
    ll_search_free(&search);
}

/* Other bytes decide the patch of the entry, or its rule has offered the same as a safe one; the rule allows it to be
 * safe, and nothing else is wrong beside it. */
static bool is_safe(const ll_report *report, bool safe, uint32_t number)
{
    const ll_rule *rule = report->rules->rules[report->entries[number].rule].rule;
    return safe && rule->patch == LL_PATCH_SAFE && !ll_has_neighbour(report, number);
}

static ll_status describe(const verdict *v, ll_report *report, ll_diagnosis *out)
{
    ll_doc *doc = &report->doc;
    const ll_hypothesis *h = v->best;
    out->unknown = h->edit.tier == LL_PATCH_NONE && (h->edit.size || h->kind == LL_CAUSE_UNKNOWN);
    const bool padded = h->kind == LL_CAUSE_CUT && h->edit.size; /* only padding is missing */
    out->ends = (h->kind == LL_CAUSE_CUT && !padded) || h->kind == LL_CAUSE_ZEROED;
    out->cause = place_of(doc, h);
    out->rival = v->rival ? place_of(doc, v->rival) : ll_nowhere();
    out->words = make_words(v, &doc->arena);
    if (!out->words || (!out->ends && !make_copy(doc, &h->edit, &doc->arena, out))) {
        return LL_E_MEMORY;
    }
    find_second(v, report, out);
    const bool decided = v->decided || (out->has_second && is_sure(v));
    out->sound = h->left <= LL_SEARCH_SOUND || out->has_second;
    out->founded = is_founded(report, out);
    if (doc->status != LL_OK) {
        return doc->status;
    }
    if (decided && (!report->member || h->edit.removed == h->edit.size) && out->founded) {
        out->patch = h->edit;
        out->patch.bytes = out->copy + h->edit.offset;
    }
    const uint32_t told = find_told(report, h, &out->cause);
    out->entry = told != LL_NO_ENTRY ? told : find_entry(v, &out->cause);
    const ll_entry *entry = out->entry == LL_NO_ENTRY ? NULL : &report->entries[out->entry];
    const bool named = h->kind == LL_CAUSE_FIELD || h->kind == LL_CAUSE_TEXT;
    bool said =
        entry && named && !is_plain(report, entry) && is_patch_of(doc, entry, h); /* by the rule about the field */
    /* what a parser only guesses leads, so that it is not doubted any more */
    const bool guess = told != LL_NO_ENTRY && entry->patch.tier != LL_PATCH_SAFE;
    out->told = told != LL_NO_ENTRY && h->edit.size == h->edit.removed && is_patch_of(doc, entry, h);
    bool known =
        (((said && decided) || out->told) && !guess) || h->kind == LL_CAUSE_UNKNOWN; /* the rule says as much */
    out->moves = out->patch.tier == LL_PATCH_NONE && h->edit.size != h->edit.removed && !out->ends;
    out->moves_all = out->moves && h->times;
    out->shifts = h->edit.size != h->edit.removed && !out->ends && !padded;
    out->safe = (!out->has_second || out->is_second_safe) && (h->safe || (said && entry->patch.tier == LL_PATCH_SAFE));
    out->spelled = h->kind == LL_CAUSE_TEXT;
    out->by_rule = said && v->alone;
    out->said = known && count_loud(report) == 1;
    if (out->said) {
        ll_entry *only = &report->entries[out->entry];
        only->patch.tier = said && is_safe(report, out->safe, out->entry) ? LL_PATCH_SAFE : only->patch.tier;
        return LL_OK;
    }
    out->raises = !said && !padded && told == LL_NO_ENTRY &&
                  (h->kind == LL_CAUSE_CUT ? make_fault_of_end(doc, v->search, out->cause, &out->fault)
                                           : !out->ends && make_fault(doc, h, &out->cause, &out->fault));
    out->found = out->raises || entry;
    return LL_OK;
}

/* The reader finds nothing wrong, and values are wrong in several places, mostly one in each, and not all in the same
 * way: no one change explains that, and their rules say all. */
static bool is_scattered(const ll_report *report)
{
    uint32_t loud = 0, places = 0, rule = 0;
    uint64_t behind = 0;
    bool mixed = false, reads = true;
    for (const ll_fault_node *node = report->doc.first_fault; node; node = node->next) {
        reads = reads && !node->fault.read;
    }
    for (uint32_t i = 0; reads && i < report->entry_count; i++) {
        const ll_entry *entry = &report->entries[i];
        if (entry->severity > LL_NOTE) {
            mixed = mixed || (loud && entry->rule != rule);
            rule = entry->rule;
            places += !loud || entry->at.offset > behind + APART;
            behind = (uint64_t)entry->at.offset + entry->at.length;
            loud++;
        }
    }
    return mixed && places >= PLACES_LEAST && loud < 2 * places;
}

/* The only loud finding is about the very count that is changed, and not to 0: that would hide what is counted. */
static bool is_count_blamed(const verdict *v)
{
    const ll_hypothesis *h = v->best;
    const ll_where at = place_of(&v->report->doc, h);
    const ll_field *field = ll_where_field(&v->report->doc, &at);
    bool blamed = h->kind == LL_CAUSE_FIELD && field && field->role == LL_ROLE_COUNT && count_loud(v->report) == 1 &&
                  !ll_is_zero(h->edit.bytes, h->edit.bytes + h->edit.size);
    for (uint32_t i = 0; blamed && i < v->report->entry_count; i++) {
        const ll_entry *entry = &v->report->entries[i];
        blamed = entry->severity <= LL_NOTE || (entry->at.offset == h->offset && entry->at.length == h->length);
    }
    return blamed;
}

/* What a parser, which judges each field by itself, cannot tell: bytes are too many, or records stand in another order
 * or are turned round, and without that nothing is wrong. Or bytes were put in or taken out, nobody knows just where,
 * and it has more findings than it raises for a change that it understands. */
static bool is_beyond_parser(const verdict *v)
{
    const ll_hypothesis *h = v->best;
    const bool moved = h->edit.size != h->edit.removed;
    const bool turned = h->kind == LL_CAUSE_BYTE_ORDER && h->edit.size >= TURNED_LEAST;
    return v->decided ? moved || turned || h->kind == LL_CAUSE_EXCHANGED || is_count_blamed(v)
                      : moved && h->left <= LL_SEARCH_SOUND && count_loud(v->report) > PARSER_LOUD;
}

/* The only loud finding of a parser is that bytes moved, and the search knows better between which places they were put
 * in. Of bytes that are missing it often does not: any others do in their place. */
static ll_status narrow(const verdict *v, ll_report *report)
{
    ll_doc *doc = &report->doc;
    const ll_hypothesis *h = v->best;
    ll_leaf leaf;
    uint32_t i = 0;
    while (i < report->entry_count && report->entries[i].severity <= LL_NOTE) {
        i++;
    }
    const bool read = leaf_at(doc, h->offset, &leaf) && leaf.kind != LL_KIND_BYTES; /* else any place there would do */
    if (h->kind != LL_CAUSE_INSERTED || v->rival || h->left > LL_SEARCH_SOUND || !read || count_loud(report) != 1 ||
        i == report->entry_count) {
        return LL_OK;
    }
    ll_entry *entry = &report->entries[i];
    const ll_where cause = place_of(doc, h);
    const bool better = !overlaps(&entry->at, &cause) || cause.length < entry->at.length;
    if (!better || (entry->hint && entry->hint[0]) || !says(doc, &entry->at, LL_READ_SHIFTED)) {
        return LL_OK;
    }
    entry->hint = make_words(v, &doc->arena);
    if (!entry->related.length) {
        entry->related = cause;
        entry->related_text = "where the bytes may have been put in";
    }
    return entry->hint ? LL_OK : LL_E_MEMORY;
}

/* All that is loud is about bytes that were read by rows. On a copy a parser may not find what it finds in the file. */
static bool is_in_rows(const ll_report *report)
{
    const ll_doc *doc = &report->doc;
    bool in = true;
    for (uint32_t i = 0; !doc->by_rows && i < report->entry_count && in; i++) {
        const ll_entry *entry = &report->entries[i];
        in = entry->severity <= LL_NOTE || (entry->at.offset >= doc->rows_from && entry->at.offset < doc->rows_to);
    }
    return in;
}

/* Bytes that were unpacked and read by rows are searched as if they were a file. What undoes the cause there is no
 * patch of the file. */
static ll_status diagnose_region(ll_report *report, ll_diagnosis *out)
{
    ll_doc *doc = &report->doc;
    const uint32_t from = doc->rows_from;
    ll_search search;
    verdict v;
    ll_status status = LL_OK;
    if (!ll_search_run(&search, report->rules, doc->format, NULL, doc->rows_variant, ll_doc_at(doc, from),
                       doc->rows_to - from, 0)) {
        status = search.weigher.status;
    } else if (find_verdict(NULL, &search, &v) && v.decided) {
        ll_hypothesis h = *v.best;
        h.offset += from;
        v.report = report;
        v.best = &h;
        out->cause = place_of(doc, &h);
        out->rival = ll_nowhere();
        out->words = make_words(&v, &doc->arena);
        out->entry = find_entry(&v, &out->cause);
        out->raises = make_fault(doc, &h, &out->cause, &out->fault);
        out->found = out->raises || out->entry != LL_NO_ENTRY;
        out->sound = out->founded = out->in_region = true;
        status = out->words ? LL_OK : LL_E_MEMORY;
    }
    drop_plain_patches(report, true);
    out->steps += steps_of(&search);
    ll_search_free(&search);
    return status;
}

ll_status ll_diagnose(ll_report *report, ll_diagnosis *out)
{
    *out = (ll_diagnosis){.found = false, .score = UINT64_MAX};
    const ll_doc *doc = &report->doc;
    ll_search search;
    verdict v;
    ll_status status = LL_OK;
    const ll_fault *first = doc->first_fault ? &doc->first_fault->fault : NULL;
    const bool other = first && first->read == LL_READ_OTHER_VARIANT + 1;
    if (other || (first && first->read == LL_READ_SWAPPED + 1 && first->patch.tier == LL_PATCH_NONE)) { /* not read */
        return LL_OK;
    }
    if (is_scattered(report)) {
        drop_plain_patches(report, false);
        return LL_OK;
    }
    if (!doc->by_rows && doc->rows_from >= doc->size && doc->rows_from < doc->rows_to && is_in_rows(report)) {
        return diagnose_region(report, out);
    }
    if (!ll_search_run(&search, report->rules, doc->format, doc->name, doc->variant, doc->bytes, doc->size, 0)) {
        status = search.weigher.status;
    } else if ((search.by_rows && !is_in_rows(report)) || !find_verdict(report, &search, &v)) {
        out->score = search.base + UNEXPLAINED;
    } else {
        out->score = v.best->score;
        status = search.by_rows || is_beyond_parser(&v) ? describe(&v, report, out) : narrow(&v, report);
    }
    if (!search.by_rows) {
        out->safe = false; /* only a reader by rows tells that no other byte may be wrong */
        out->found = out->found && (out->patch.tier == LL_PATCH_NONE || test_copy(report, out, has_meaning));
        drop_plain_patches(report, true);
    } else if (status == LL_OK) { /* also where the caller does not let the cause lead */
        drop_plain_patches(report, out->found ? out->sound : out->said);
    }
    out->steps += steps_of(&search);
    ll_search_free(&search);
    return status;
}

/* ------------------------------------------------------------------ the first finding */

/* The entry that leads: of the fault that was raised first, or the one that was chosen. */
static uint32_t find_lead(const ll_report *report, const ll_diagnosis *d)
{
    uint32_t i = d->raises ? 0 : d->entry;
    while (d->raises && i < report->entry_count &&
           (report->entries[i].order != 0 || report->entries[i].at.offset != d->fault.at.offset)) {
        i++;
    }
    return i < report->entry_count ? i : LL_NO_ENTRY;
}

/* The reader says that there should be more bytes, or more elements. */
static bool asks_for_more(const ll_report *report, const ll_entry *entry)
{
    const ll_fault *fault = fault_at(&report->doc, &entry->at);
    const ll_read_kind kind = fault ? ll_read_base((ll_read_kind)(fault->read - 1)) : LL_READ_KINDS;
    return kind == LL_READ_CUT || kind == LL_READ_COUNT ||
           (kind == LL_READ_SIZE && fault->arg[0].v.u > fault->arg[1].v.u);
}

/* The values there mean nothing: bytes are missing in the record, or too many. */
static bool is_moved(const ll_report *report, const ll_diagnosis *d, const ll_where *at)
{
    const ll_doc *doc = &report->doc;
    const ll_unit unit = ll_unit_of(doc, at), moved = ll_unit_of(doc, &d->cause);
    return d->moves && moved.span != LL_NO_SPAN &&
           (ll_is_same_unit(&unit, &moved) ||
            (d->moves_all && unit.span != LL_NO_SPAN &&
             layout_of(doc, &(ll_where){.span = unit.span}) == layout_of(doc, &(ll_where){.span = moved.span})));
}

/* The cause explains each finding that the copy no longer has, and each one about bytes that are unknown there. */
static ll_status mark_explained(ll_report *report, const char *variant, const ll_diagnosis *d)
{
    const ll_lint_options lint = {.size = sizeof lint,
                                  .name = report->doc.name,
                                  .variant = variant,
                                  .allow_unsupported = report->doc.unsupported_allowed};
    ll_comparison c = {.stays = NULL};
    const bool lost = d->ends || d->in_region;
    ll_status status = lost ? LL_OK : report->lint_trial(report, &lint, d->copy, d->copy_size);
    if (status == LL_OK && !lost) {
        status = ll_report_compare(report, report->trial, &report->doc.arena, &report->trial->scratch, &c);
    }
    for (uint32_t i = 0; i < report->entry_count && status == LL_OK; i++) {
        ll_entry *entry = &report->entries[i];
        bool within = d->unknown && overlaps(&entry->at, &d->cause);
        bool behind =
            d->ends && (entry->at.offset + entry->at.length >= d->cause.offset || asks_for_more(report, entry));
        const bool there = d->in_region && entry->at.offset >= report->doc.rows_from;
        entry->explained = there     ? entry->at.offset < report->doc.rows_to
                           : c.stays ? !c.stays[i] || within || is_moved(report, d, &entry->at)
                                     : behind || entry->is_unread;
        entry->patch = entry->explained ? (ll_edit){.guessed = true} : entry->patch;
    }
    return status;
}

/* The second fault has what undoes it, where that stays in place, at the finding about its bytes. All others may be its
 * consequences: they have no patch before it is undone. */
static void put_second(ll_report *report, const ll_diagnosis *d, uint32_t lead)
{
    const ll_where at = ll_at_bytes(LL_NO_SPAN, d->second.offset, d->second.removed);
    bool put = d->second.removed != d->second.size;
    for (uint32_t i = 0; i < report->entry_count; i++) {
        ll_entry *entry = &report->entries[i];
        const bool about = !put && entry->severity > LL_NOTE && overlaps(&entry->at, &at);
        if (i == lead || entry->explained) {
            continue;
        }
        if (!about) {
            entry->patch = (ll_edit){.guessed = true};
        } else if (entry->patch.tier == LL_PATCH_NONE) {
            entry->patch = d->second;
            entry->hint = d->second_words;
        }
        put = put || about;
    }
}

static bool explains_any(const ll_report *report)
{
    uint32_t i = 0;
    while (i < report->entry_count && !report->entries[i].explained) {
        i++;
    }
    return i < report->entry_count;
}

ll_status ll_diagnosis_lead(ll_report *report, const char *variant, const ll_diagnosis *d)
{
    drop_plain_patches(report, d->sound);
    uint32_t lead = find_lead(report, d);
    const ll_edit own = lead == LL_NO_ENTRY ? (ll_edit){.guessed = true} : report->entries[lead].patch;
    ll_status status = lead == LL_NO_ENTRY ? LL_OK : mark_explained(report, variant, d);
    if (lead == LL_NO_ENTRY || status != LL_OK) {
        return status;
    }
    if (d->has_second) {
        put_second(report, d, lead);
    }
    ll_entry *cause = &report->entries[lead];
    const bool told = d->has_second && own.tier == LL_PATCH_SAFE; /* the patch of the rule is as good */
    const bool one_of_several = d->by_rule && (told || d->patch.tier == LL_PATCH_NONE);
    cause->explained = false;
    cause->patch = one_of_several ? own : d->patch;
    if (one_of_several && !explains_any(report)) { /* its rule has said all */
        return LL_OK;
    }
    bool rival = d->rival.span != LL_NO_SPAN || d->rival.length;
    const bool known = d->spelled || d->told; /* to its rule as well: the text, or the value */
    if (!cause->hint || !cause->hint[0] || rival || !known) {
        cause->hint = d->words;
    }
    if (rival && !overlaps(&cause->at, &d->rival)) {
        cause->related = d->rival;
        cause->related_text = "what may have been changed instead";
    } else if (!d->raises && !overlaps(&cause->at, &d->cause) && (d->cause.length || !cause->related.length)) {
        cause->related = d->cause;
        cause->related_text = "what was changed";
    }
    const bool same = own.tier == LL_PATCH_SAFE && d->patch.tier != LL_PATCH_NONE &&
                      ll_is_same_patch(report->doc.bytes, &own, &d->patch);
    if (d->patch.tier != LL_PATCH_NONE && is_safe(report, d->safe || same, lead)) {
        cause->patch.tier = LL_PATCH_SAFE;
    }
    ll_report_lead_by(report, lead);
    return LL_OK;
}
