/* Bytes that were put into a section or taken out of it. Counts, sizes and offsets of the map say how long the contents
 * are; where they agree with each other, and the contents do not fit, one fault says how many bytes it is and from
 * where on nothing fits, and no more is said of the section. */
#include "formats/rgm/soup.h"

/* What rows said of the section at hand is the parser's now. */
static void forget_rows(rgm_parser *p)
{
    p->doc->rows_from = p->rows.from;
    p->doc->rows_to = p->rows.to;
    p->doc->rows_part = p->rows.part;
    p->doc->rows_wrong = p->rows.wrong;
}

/* The row of what actors point to in a section, with an extent; NULL: there is none. */
static const ll_reference *row_of(const ll_format *format, unsigned ordinal)
{
    for (size_t i = 0; i < format->reference_count; i++) {
        const ll_reference *row = &format->references[i];
        if (row->layout == rgm_actor_LAYOUT && row->within == rgm_forms[ordinal].header && row->extent != LL_NO_FIELD) {
            return row;
        }
    }
    return NULL;
}

uint64_t rgm_reach(rgm_parser *p, unsigned ordinal)
{
    uint32_t between = ordinal == RGM_RAHK ? rgm_hook_SIZE : 0; /* lists of hooks may end with a 0 */
    const ll_reference *row = row_of(p->doc->format, ordinal);
    const ll_field *fields = p->doc->format->layouts[rgm_actor_LAYOUT].fields;
    uint32_t count = 0;
    const ll_sort_key *keys = row ? rgm_sort_actors(p, fields[row->field].offset, NULL, &count) : NULL;
    uint64_t start = 0;
    uint64_t end = 0;
    for (uint32_t i = 0; keys && i < count; i++) {
        uint64_t extent = rgm_actor_word(p, keys[i].item, fields[row->extent].offset);
        extent = row->unit == LL_COUNTS_PRESENCE ? extent > 0 : extent;
        extent *= row->unit == LL_COUNTS_BYTES ? 1U : p->doc->format->layouts[row->target].size;
        bool shared = end && keys[i].first == start;
        if (extent == 0 || (shared && end == start + extent)) {
            continue;
        }
        if (shared || keys[i].first < end || keys[i].first - end > between) {
            return 0;
        }
        start = keys[i].first;
        end = start + extent;
    }
    return end;
}

/* ------------------------------------------------------------------ bytes put in or taken out */

/* What a length that is no whole number of records is too long, or below 0 too short, whichever is less. */
int64_t rgm_excess(const rgm_section *section, uint32_t size)
{
    uint32_t rest = section->length % size;
    return rest > size / 2 ? (int64_t)rest - size : rest;
}

/* Padding and names of a record are what they should be: of records that are shifted they seldom are. */
static bool is_plausible(const ll_doc *doc, uint16_t layout, uint32_t pos)
{
    const ll_layout *l = &doc->layouts[layout];
    bool plausible = true;
    for (unsigned i = 0; plausible && i < l->field_count; i++) {
        const ll_field *field = &l->fields[i];
        const uint8_t *bytes = doc->bytes + pos + field->offset;
        uint32_t length = field->type == LL_TYPE_CHARS ? rgm_name_length(bytes, field->bytes) : 0;
        for (uint32_t k = 0; plausible && k < field->bytes; k++) {
            bool letter = bytes[k] >= ' ' && bytes[k] <= '~';
            plausible = field->role == LL_ROLE_PADDING  ? bytes[k] == 0 || bytes[k] == 0xFF
                        : field->role == LL_ROLE_STRING ? (k < length ? letter : bytes[k] == 0)
                                                        : true;
        }
    }
    return plausible;
}

uint32_t rgm_count_plausible(const rgm_parser *p, uint16_t layout, uint32_t from, uint32_t most)
{
    uint32_t size = p->doc->layouts[layout].size;
    uint32_t count = 0;
    while (count < most && is_plausible(p->doc, layout, from + count * size)) {
        count++;
    }
    return count;
}

/* Says that `more` bytes were put into a section (below 0: taken out), at `place` or in front of it. */
static void raise_shift(rgm_parser *p, unsigned ordinal, uint32_t span, uint32_t place, int64_t more)
{
    rgm_section *section = &p->summary->section[ordinal];
    section->shifted = true;
    section->sound = false;
    bool recoded = ordinal == RGM_RAST && ll_has_high_bytes(p->doc->bytes + section->start, section->length);
    ll_fault fault =
        LL_MAKE_FAULT(RGM_FAULT_SECTION_SHIFTED, recoded ? RGM_HINT_TEXT_RECODED : RGM_HINT_NONE,
                      ll_at_bytes(span, place, section->start + section->length - place),
                      rgm_length_at(p->doc, section), ll_uint((uint64_t)(more < 0 ? -more : more)),
                      ll_word(more < 0 ? "taken out" : "put in"), ll_word(rgm_forms[ordinal].name), ll_uint(place));
    ll_patch_moved(p->doc, &fault, ll_at_bytes(span, section->start, section->length), more);
    ll_raise(p->doc, &fault);
    ll_mark_span(p->doc, section->span, LL_SPAN_BROKEN | LL_SPAN_DOUBTFUL);
}

void rgm_claim_front(rgm_parser *p, unsigned ordinal, uint32_t from, int64_t more)
{
    rgm_section *section = &p->summary->section[ordinal];
    const rgm_form *form = &rgm_forms[ordinal];
    uint32_t end = section->start + section->length;
    uint32_t most = form->layout ? (end - from) / form->size : 0;
    uint32_t count = rgm_count_plausible(p, form->layout, from, most);
    uint32_t place = from + count * form->size;
    if (ordinal == RGM_RAHD) {
        ll_mark_span(p->doc, section->span + 1, LL_SPAN_BROKEN);
    } else {
        rgm_claim_array(p, section, form->layout, from, count);
        ll_mark_span(p->doc, section->records, LL_SPAN_BROKEN);
        from = place;
    }
    uint32_t rest = ll_claim_unparsed(p->doc, section->span, from, end);
    raise_shift(p, ordinal, rest == LL_NO_SPAN ? section->span : rest, place, more);
}

/* ------------------------------------------------------------------ sections that are walked */

/* Where the faults behind a mark first speak of bytes of the section. */
static uint32_t first_place(const rgm_section *section, const ll_fault_node *node, uint32_t place)
{
    for (; node; node = node->next) {
        const uint32_t at[] = {node->fault.at.offset, node->fault.related.offset};
        for (unsigned i = 0; i < 2; i++) {
            place = at[i] >= section->start && at[i] < place ? at[i] : place;
        }
    }
    return place;
}

/* Another actor has the same place and size in a section. */
static bool is_shared(const rgm_parser *p, unsigned ordinal, uint32_t actor)
{
    const ll_reference *row = row_of(p->doc->format, ordinal);
    bool shared = false;
    ll_element one, other;
    bool there = row && rgm_actor_record(p->doc, actor, &one);
    for (uint32_t i = 0; there && !shared && rgm_actor_record(p->doc, i, &other); i++) {
        shared = i != actor && ll_get_uint(&one, row->field) == ll_get_uint(&other, row->field) &&
                 ll_get_uint(&one, row->extent) == ll_get_uint(&other, row->extent);
    }
    return shared;
}

/* A fault of an actor's field that the other numbers of the map do not explain: with the value expected there the
 * actors would not ask for the length that the section has, or another actor says the same. */
static bool is_unexplained(const rgm_parser *p, unsigned ordinal, const ll_fault *fault, int64_t more)
{
    bool range = fault->code == RGM_FAULT_RAAN_RANGE || fault->code == RGM_FAULT_RANM_RANGE;
    ll_element actor;
    return fault->at.span != p->summary->section[RGM_RAHD].records ||
           !rgm_actor_record(p->doc, fault->at.element, &actor) ||
           fault->arg[range ? 3 : 1].v.i != (int64_t)ll_get_uint(&actor, fault->at.field) + more ||
           is_shared(p, ordinal, fault->at.element);
}

uint32_t rgm_take_back(rgm_parser *p, unsigned ordinal, const ll_doc_mark *mark)
{
    rgm_section *section = &p->summary->section[ordinal];
    ll_doc_rewind(p->doc, mark);
    forget_rows(p);
    section->records = LL_NO_SPAN;
    section->count = 0;
    section->sound = false;
    for (uint32_t i = 0; i < p->summary->actor_count; i++) {
        rgm_actor_info *info = &p->summary->actors[i];
        info->ragr_list = ordinal == RGM_RAGR ? LL_NO_SPAN : info->ragr_list;
    }
    return ll_claim_unparsed(p->doc, section->span, section->start, section->start + section->length);
}

/* An actor has bounds of a number that the stated length holds and the section does not. */
static bool are_bounds_lost(const rgm_parser *p, unsigned ordinal)
{
    const rgm_section *section = &p->summary->section[ordinal];
    const uint32_t count = section->length / rgm_bounds_SIZE,
                   stated = (uint32_t)(section->length - section->surplus) / rgm_bounds_SIZE;
    static const uint16_t at[] = {rgm_actor_at_mpsz_normal, rgm_actor_at_mpsz_combat, rgm_actor_at_mpsz_dead};
    const uint32_t kinds = sizeof at / sizeof *at;
    bool lost = false;
    for (uint32_t i = 0; ordinal == RGM_MPSZ && !lost && i < kinds * p->summary->actor_count; i++) {
        uint32_t number = rgm_actor_word(p, i / kinds, at[i % kinds]);
        lost = number >= count && number < stated;
    }
    return lost;
}

void rgm_judge_walk(rgm_parser *p, unsigned ordinal, const ll_doc_mark *mark)
{
    ll_doc *doc = p->doc;
    rgm_section *section = &p->summary->section[ordinal];
    uint32_t end = section->start + section->length;
    uint32_t raised = doc->fault_count - mark->fault_count;
    uint32_t place = end;
    int64_t more = section->surplus;
    bool certain = false;
    const ll_fault_node *first = mark->last_fault ? mark->last_fault->next : doc->first_fault;
    const rgm_form *form = &rgm_forms[ordinal];
    const bool records = form->layout && ordinal != RGM_RAAT; /* the payload is an array, which rows say */
    const uint32_t head = form->head ? doc->layouts[form->head].size : 0;
    const uint32_t walked = 1U << RGM_RASC | 1U << RGM_RAAN | 1U << RGM_RAGR | 1U << RGM_RANM | 1U << RGM_WDNM;
    if (!(walked >> ordinal & 1U || records) || doc->status != LL_OK || section->shifted ||
        (ordinal != RGM_WDNM && !records && !p->summary->actors)) {
        return;
    }
    if (records) {
        certain =
            more && (raised || rgm_reach(p, ordinal) || (!head && rgm_expected_length(p, ordinal, section->start, 0)) ||
                     are_bounds_lost(p, ordinal));
    } else if (ordinal == RGM_RASC) {
        certain = more != 0;
    } else if (ordinal == RGM_RAAN || ordinal == RGM_RANM) {
        uint64_t reach = rgm_reach(p, ordinal);
        more = reach ? (int64_t)section->length - (int64_t)reach : more;
        certain = (reach && section->surplus) || (raised == 1 && is_unexplained(p, ordinal, &first->fault, more));
    } else if (!more && raised > 1 && ordinal == RGM_RAGR) {
        more = rgm_lists_excess(p);
    }
    if (!more || (!certain && raised + (section->surplus != 0) < 2)) {
        return;
    }
    if (records) { /* the count and records in front of the place are read */
        uint32_t span;
        ll_doc_rewind(doc, mark);
        forget_rows(p);
        if (!head || rgm_claim_count(p, ordinal, &span)) {
            rgm_claim_front(p, ordinal, section->start + head, more);
        }
        return;
    }
    place = first_place(section, first, place);
    uint32_t span = rgm_take_back(p, ordinal, mark);
    raise_shift(p, ordinal, span == LL_NO_SPAN ? section->span : span, place < end ? place : section->start, more);
}

/* ------------------------------------------------------------------ strings */

static bool is_start(const rgm_parser *p, int64_t offset)
{
    const rgm_section *text = &p->summary->section[RGM_RAST];
    const uint8_t *bytes = p->doc->bytes + text->start;
    return offset >= 0 && offset < (int64_t)text->length && (offset == 0 || bytes[offset - 1] == 0);
}

/* All entries lead to strings, those from `first` on when `more` is added. */
static bool lead_all(const rgm_parser *p, uint32_t first, int64_t more)
{
    const rgm_section *entries = &p->summary->section[RGM_RASB];
    bool all = true;
    for (uint32_t i = 0; all && i < entries->count; i++) {
        int64_t offset = rgm_word(p->doc, entries->start + i * (uint32_t)rgm_string_offset_SIZE);
        all = is_start(p, offset + (offset < first ? 0 : more));
    }
    return all;
}

/* Offset of the first string of RAST that no entry of RASB leads to, UINT32_MAX: there is none. */
static uint32_t find_orphan(rgm_parser *p)
{
    const rgm_section *text = &p->summary->section[RGM_RAST];
    const rgm_section *entries = &p->summary->section[RGM_RASB];
    bool *used = ll_doc_zalloc(p->doc, text->length, sizeof *used);
    for (uint32_t i = 0; used && i < entries->count; i++) {
        uint32_t offset = rgm_word(p->doc, entries->start + i * (uint32_t)rgm_string_offset_SIZE);
        used[offset < text->length ? offset : 0] = true;
    }
    for (uint32_t i = 0; used && i < text->count; i++) {
        uint32_t offset = ll_doc_span(p->doc, text->records + i)->offset - text->start;
        if (!used[offset]) {
            return offset;
        }
    }
    return UINT32_MAX;
}

void rgm_judge_strings(rgm_parser *p)
{
    const rgm_section *text = &p->summary->section[RGM_RAST];
    const rgm_section *entries = &p->summary->section[RGM_RASB];
    uint32_t lowest = UINT32_MAX; /* offset that leads to no string */
    uint32_t count = 0;
    for (uint32_t i = 0; (text->count || text->surplus) && i < entries->count; i++) {
        uint32_t offset = rgm_word(p->doc, entries->start + i * (uint32_t)rgm_string_offset_SIZE);
        if (!is_start(p, offset)) {
            count++;
            lowest = offset < lowest ? offset : lowest;
        }
    }
    if (!count && text->surplus > 0) {
        lowest = find_orphan(p);
    }
    int64_t more = lowest < UINT32_MAX && text->surplus ? text->surplus : 0;
    for (int64_t step = 2; count > 1 && !more && step < 2 * (RGM_SHIFT_MAX + 1); step++) {
        int64_t by = step % 2 ? -(step / 2) : step / 2;
        more = lead_all(p, lowest, by) ? by : 0;
    }
    if (more && !text->count) {
        raise_shift(p, RGM_RAST, text->span, text->start, more);
    } else if (more) { /* the string in front of the first that is not where it should be became longer or shorter */
        int64_t behind = text->start + (int64_t)lowest + (count ? more : 1); /* the one that no entry leads to itself */
        uint32_t span = text->records;
        for (uint32_t i = 1; i < text->count && ll_doc_span(p->doc, text->records + i)->offset < behind; i++) {
            span = text->records + i;
        }
        raise_shift(p, RGM_RAST, span, ll_doc_span(p->doc, span)->offset, more);
    }
}
