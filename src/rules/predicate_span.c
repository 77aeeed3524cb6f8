/* Predicates that judge all elements of a span together, or a span as a whole, and raise faults themselves: unique
 * keys, sums, bits, byte ranges, vectors. Each takes time linear in the span. */
#include "rules/predicate_span.h"

#include "base/array.h"
#include "base/half.h"
#include "base/map.h"
#include "base/vector.h"
#include "rules/literal.h"

/* ------------------------------------------------------------------ shared */

/* The name of a record: its first field with the role of a string, else the first string among its parts. */
static ll_arg name_of(const ll_span_case *c, uint32_t element)
{
    const ll_layout *layout = c->test->layout;
    for (unsigned i = 0; i < layout->field_count; i++) {
        const ll_field *field = &layout->fields[i];
        if (field->role == LL_ROLE_STRING && field->type == LL_TYPE_CHARS) {
            const uint8_t *text = ll_span_element(c, element) + field->offset;
            const uint8_t *nul = memchr(text, 0, field->bytes);
            return ll_chars(ll_at_field(c->run->doc, c->run->span, element, i).offset,
                            nul ? (uint32_t)(nul - text) : field->bytes);
        }
    }
    for (uint32_t i = c->run->span + 1; i < c->run->doc->span_count; i++) {
        const ll_span *s = ll_doc_span(c->run->doc, i);
        if (s->parent != c->run->span) {
            break;
        }
        if (ll_doc_layout(c->run->doc, i)->kind == LL_KIND_STRING && !(s->flags & LL_SPAN_BROKEN)) {
            return ll_chars(s->offset, s->count);
        }
    }
    return ll_word("(no name)");
}

ll_fault ll_span_fault(const ll_span_case *c, uint32_t element, unsigned part)
{
    ll_where at = ll_at_bytes(c->run->span, c->span->offset, c->span->length);
    if (c->test->field) {
        at = ll_at_field(c->run->doc, c->run->span, element, c->test->field_number);
    } else if (c->test->layout->size) {
        at.offset += element * c->test->layout->size;
        at.length = c->test->layout->size;
        at.element = element;
    }
    if (part != LL_NO_PART) {
        at.part = (uint16_t)part;
        at.offset += part * c->test->step;
        at.length = c->test->step;
    }
    ll_fault fault = ll_fault_at(0, at);
    fault.arg[3] = name_of(c, element);
    return fault;
}

bool ll_span_is_judged(const ll_span_case *c, uint32_t element)
{
    ll_subject subject = {.doc = c->run->doc,
                          .span = c->run->span,
                          .element = element,
                          .record = ll_span_element(c, element),
                          .matcher = c->matcher};
    return ll_guard_holds(c->when, &subject, &c->run->status);
}

void ll_span_raise(const ll_span_case *c, uint32_t element, ll_fault *fault)
{
    if (ll_span_is_judged(c, element)) {
        ll_report_fault(c->run, fault);
    }
}

void *ll_span_state(const ll_span_case *c, size_t size)
{
    if (!*c->state) {
        *c->state = ll_check_zalloc(c->run, 1, size);
    }
    return *c->state;
}

/* ------------------------------------------------------------------ unique */

enum { SCOPE_SPAN, SCOPE_PARENT, SCOPE_FILE, SCOPES };

enum {
    BATCH = 32 /* elements hashed before the first look-up, so that their slots are fetched in parallel */
};

/* An element and the test that judges it; a rule may judge several records. */
typedef struct item {
    const ll_bound_test *test;
    uint32_t span, element;
} item;

/* The bytes of an element that are compared. Only keys of the same scope are compared with each other. */
typedef struct key {
    const uint8_t *bytes;
    uint32_t size, scope;
} key;

/* The elements to compare, by number. */
typedef struct unique_state {
    const ll_span_case *c;
    ll_map map;
    uint32_t count;
    LL_ARRAY(item) items; /* empty for SCOPE_SPAN, where the number of an element is that in the span */
} unique_state;

static ll_status bind_unique(ll_binding *b)
{
    static const char *const scopes[SCOPES] = {"span", "parent", "file"};
    ll_words *words = ll_arena_alloc(b->arena, 1, sizeof *words);
    if (!words) {
        return LL_E_MEMORY;
    }
    *words = *b->words;
    for (unsigned i = 0; words->count && i < SCOPES; i++) {
        if (strcmp(words->at[0], scopes[i]) == 0) {
            b->test->which = (uint8_t)i;
            *words = (ll_words){words->at + 1, words->count - 1};
            break;
        }
    }
    bool numeric = b->test->field && (ll_holds(b->test->field) & LL_HOLDS_INT);
    if (words->count && !numeric) {
        return LL_PROBLEM(b->problem, "'", words->at[0],
                          "' is not a scope ('span', 'parent', 'file'), and only integers ", "can have exempt values");
    }
    ll_value *values = ll_arena_zalloc(b->arena, words->count, sizeof *values);
    ll_status status = values ? LL_OK : LL_E_MEMORY;
    for (size_t i = 0; status == LL_OK && i < words->count; i++) {
        status = ll_literal_key(words->at[i], b->test->field->type, &values[i].key, b->problem);
    }
    b->test->value = values;
    b->test->value_count = (uint32_t)words->count;
    return status;
}

static item item_at(const unique_state *s, uint32_t number)
{
    const ll_span_case *c = s->c;
    return c->test->which == SCOPE_SPAN ? (item){c->test, c->run->span, number} : s->items.items[number];
}

/* The key of element `number`. Letters count up to the first NUL. */
static inline key key_of(const unique_state *s, uint32_t number)
{
    const ll_span_case *c = s->c;
    bool own = c->test->which == SCOPE_SPAN;
    item at = item_at(s, number);
    const ll_field *field = at.test->field;
    const ll_span *span = own ? c->span : ll_doc_span(c->run->doc, at.span);
    uint32_t size = at.test->layout->size;
    const uint8_t *bytes = (own ? c->first : ll_doc_at(c->run->doc, span->offset)) + (size_t)at.element * size;
    key k = {bytes, size, at.test->which == SCOPE_PARENT ? span->parent : 0};
    if (field) {
        k.bytes += field->offset;
        k.size = field->type == LL_TYPE_TEXT ? span->count : field->bytes;
        const uint8_t *nul = field->type == LL_TYPE_CHARS ? memchr(k.bytes, 0, k.size) : NULL;
        k.size = nul ? (uint32_t)(nul - k.bytes) : k.size;
    }
    return k;
}

typedef struct wanted {
    const unique_state *s;
    uint32_t number;
} wanted;

/* Do two elements have the same key? A field is compared only with fields of the same name, in all records. */
static bool is_wanted(const void *sought, uint32_t number)
{
    const wanted *w = sought;
    const ll_field *field = item_at(w->s, w->number).test->field;
    const ll_field *other = item_at(w->s, number).test->field;
    key a = key_of(w->s, w->number);
    key b = key_of(w->s, number);
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0 && a.scope == b.scope &&
           (field == other || (field && other && strcmp(field->name, other->name) == 0));
}

static void raise_equal(const unique_state *s, uint32_t number, uint32_t earlier)
{
    const ll_span_case *c = s->c;
    item at = item_at(s, number);
    item first = item_at(s, earlier);
    key k = key_of(s, number);
    ll_check_run run = *c->run;
    const ll_doc *doc = run.doc;
    const ll_bound_test *test = at.test;
    run.span = at.span;
    ll_span_case here = *c;
    here.test = test;
    here.run = &run;
    here.span = ll_doc_span(doc, at.span);
    here.first = ll_doc_at(doc, here.span->offset);
    bool counts = k.size > 0;
    ll_fault fault = ll_span_fault(&here, at.element, LL_NO_PART);
    if (test->field && ll_type_is_integer(test->field->type)) {
        uint64_t bits = ll_bits_at(k.bytes, test->step, ll_is_big(test));
        for (uint32_t i = 0; i < test->value_count; i++) {
            counts = counts && test->value[i].key != ll_key_of_bits(test->field->type, bits);
        }
        fault.arg[0] = ll_uint(bits);
    } else {
        fault.arg[0] = ll_chars(fault.at.offset, k.size);
    }
    uint32_t size = first.test->layout->size;
    ll_where whole = ll_at_bytes(first.span, ll_doc_span(doc, first.span)->offset + first.element * size, size);
    whole.element = first.element;
    fault.related = first.test->field ? ll_at_field(doc, first.span, first.element, first.test->field_number) : whole;
    if (counts) {
        fault.arg[1] = ll_path_arg(&run, whole);
        fault.arg[2] = ll_uint(first.element);
        ll_span_raise(&here, at.element, &fault);
    }
    c->run->status = run.status;
}

/* Do the integer keys ascend strictly? Then they are all different and need not be looked up. */
static bool are_rising(const unique_state *s)
{
    const ll_bound_test *t = s->c->test;
    bool numeric = t->field && ll_type_is_integer(t->field->type);
    uint64_t last = 0;
    for (uint32_t i = 0; numeric && i < s->count; i++) {
        key k = key_of(s, i);
        uint64_t number = ll_read_uint(k.bytes, k.size, item_at(s, i).test->layout->endian);
        if (i && number <= last) {
            return false;
        }
        last = number;
    }
    return numeric || s->count < 2;
}

static void compare_all(unique_state *s)
{
    ll_check_run *run = s->c->run;
    ll_allocator allocator = ll_arena_allocator(run->arena);
    if (are_rising(s)) {
        return;
    }
    if (!ll_map_open(&s->map, s->count, s->count, &allocator)) {
        run->status = LL_E_MEMORY;
    }
    for (uint32_t from = 0; from < s->count && run->status == LL_OK; from += BATCH) {
        uint32_t count = s->count - from < BATCH ? s->count - from : BATCH;
        key keys[BATCH];
        uint64_t hashes[BATCH];
        for (uint32_t i = 0; i < count; i++) {
            keys[i] = key_of(s, from + i);
            __builtin_prefetch(keys[i].bytes);
        }
        for (uint32_t i = 0; i < count; i++) {
            hashes[i] = ll_map_hash_bytes(keys[i].scope, keys[i].bytes, keys[i].size);
            ll_map_fetch(&s->map, hashes[i]);
        }
        for (uint32_t i = 0; i < count && run->status == LL_OK; i++) {
            wanted w = {s, from + i};
            uint32_t first = ll_map_note(&s->map, hashes[i], from + i, is_wanted, &w);
            if (first != LL_MAP_NONE) {
                raise_equal(s, from + i, first);
            }
        }
    }
}

static void judge_unique(const ll_span_case *c)
{
    uint32_t elements = c->test->layout->kind == LL_KIND_RECORD ? c->span->count : 1;
    if (c->test->which == SCOPE_SPAN) {
        unique_state own = {.c = c, .count = elements};
        compare_all(&own);
        return;
    }
    unique_state *s = ll_span_state(c, sizeof *s);
    ll_allocator allocator = ll_arena_allocator(c->run->arena);
    enum {
        ROOM_MAX = 1 << 20
    }; /* elements allocated at once, because growing an array leaves its old blocks in the arena */
    uint32_t spans = c->run->doc->span_count < ROOM_MAX ? c->run->doc->span_count : ROOM_MAX;
    uint32_t room = s && !s->items.items && spans > elements ? spans : elements;
    if (!s || !LL_ARRAY_ROOM(&s->items, room, &allocator)) {
        c->run->status = LL_E_MEMORY;
        return;
    }
    for (uint32_t i = 0; i < elements; i++) {
        s->items.items[s->items.count++] = (item){c->test, c->run->span, i};
    }
}

static void finish_unique(const ll_span_case *c)
{
    unique_state *s = *c->state;
    if (s) {
        s->c = c;
        s->count = (uint32_t)s->items.count;
        compare_all(s);
    }
}

/* ------------------------------------------------------------------ every_byte */

static ll_status bind_byte(ll_binding *b)
{
    return ll_literal_key(b->words->at[0], LL_TYPE_U8, &b->test->mask, b->problem);
}

/* Is there an unread span below the same parent? Then the bytes may belong to it. */
static bool is_beside_unread(const ll_span_case *c)
{
    const ll_doc *doc = c->run->doc;
    uint32_t parent = c->span->parent;
    bool any = false;
    for (uint32_t i = parent + 1; parent != LL_NO_SPAN && !any && i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        if (s->parent == LL_NO_SPAN || s->parent < parent) {
            break;
        }
        any = s->layout == LL_LAYOUT_UNPARSED && s->parent == parent;
    }
    return any;
}

/* Raises one fault for a span, from the first to the last wrong byte. */
static void judge_bytes(const ll_span_case *c)
{
    uint8_t right = (uint8_t)c->test->mask;
    uint32_t count = 0;
    uint32_t first = 0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < c->span->length; i++) {
        if (c->first[i] != right) {
            first = count ? first : i;
            last = i;
            count++;
        }
    }
    if (count == 0) {
        return;
    }
    ll_fault fault = ll_span_fault(c, 0, LL_NO_PART);
    fault.at.offset += first;
    fault.at.length = last - first + 1;
    fault.arg[0] = ll_uint(count);
    fault.arg[1] = ll_uint(c->first[first]);
    fault.arg[2] = ll_uint(right);
    uint8_t *bytes = c->patch && !is_beside_unread(c) ? ll_check_alloc(c->run, fault.at.length, 1) : NULL;
    if (bytes) {
        memset(bytes, right, fault.at.length);
        ll_patch_replace(c->run->doc, &fault, (ll_patch_tier)c->patch, fault.at.offset, bytes, fault.at.length);
    }
    ll_span_raise(c, 0, &fault);
}

/* ------------------------------------------------------------------ equals_sum */

static ll_status bind_sum(ll_binding *b)
{
    ll_bound_test *t = b->test;
    uint16_t *fields = ll_arena_alloc(b->arena, b->words->count, sizeof *fields);
    if (!fields) {
        return LL_E_MEMORY;
    }
    for (size_t i = 0; i < b->words->count; i++) {
        ll_status status = ll_bind_operand(b, t->layout, b->words->at[i], &fields[i]);
        if (status != LL_OK) {
            return status;
        }
        const ll_field *other = &t->layout->fields[fields[i]];
        if (!ll_type_is_integer(other->type) || ll_field_elements(other) != t->elements) {
            return LL_PROBLEM(b->problem, "field '", other->name, "' cannot be a summand of '", t->field->name, "'");
        }
    }
    t->operands = fields;
    t->value_count = (uint32_t)b->words->count;
    return LL_OK;
}

/* Offers a new value for the field as a patch, if the rule has patches and the field can hold the value. */
static void offer_value(const ll_span_case *c, ll_fault *fault, int64_t value)
{
    unsigned bits = 8U * c->test->step;
    int64_t most = bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - ll_type_is_signed(c->test->field->type))) - 1;
    int64_t least = ll_type_is_signed(c->test->field->type) ? -most - 1 : 0;
    if (c->patch && value >= least && value <= most) {
        ll_patch_field(c->run->doc, fault, (ll_patch_tier)c->patch, (uint64_t)value);
    }
}

static void judge_sum(const ll_span_case *c, uint32_t element)
{
    const ll_bound_test *t = c->test;
    for (unsigned part = 0; part < t->elements; part++) {
        int64_t sum = 0; /* cannot overflow: a few dozen numbers of 32 bits */
        for (uint32_t i = 0; i < t->value_count; i++) {
            sum += ll_span_number(c, element, t->operands[i], part);
        }
        int64_t value = ll_span_number(c, element, t->field_number, part);
        if (value == sum) {
            continue;
        }
        ll_fault fault = ll_span_fault(c, element, t->elements > 1 ? part : LL_NO_PART);
        fault.related = ll_at_field(c->run->doc, c->run->span, element, t->operands[0]);
        fault.arg[0] = ll_int(value);
        fault.arg[1] = ll_int(ll_span_number(c, element, t->operands[0], part));
        fault.arg[2] = ll_int(sum - ll_span_number(c, element, t->operands[0], part));
        fault.arg[3] = ll_int(sum);
        offer_value(c, &fault, sum);
        ll_span_raise(c, element, &fault);
    }
}

/* ------------------------------------------------------------------ zero_from, bits_one_of, longer_than */

static ll_status bind_first(ll_binding *b)
{
    ll_status status = ll_literal_key(b->words->at[0], LL_TYPE_U16, &b->test->mask, b->problem);
    if (status == LL_OK && b->test->mask >= b->test->elements) {
        return LL_PROBLEM(b->problem, "field '", b->test->field->name, "' has no element '", b->words->at[0], "'");
    }
    return status;
}

static void judge_zero_from(const ll_span_case *c, uint32_t element)
{
    const ll_bound_test *t = c->test;
    const uint8_t *field = ll_span_element(c, element) + t->field->offset;
    const uint8_t *rest = field + (size_t)t->mask * t->step;
    size_t size = t->field->bytes - (size_t)(rest - field);
    if (rest[0] == 0 && memcmp(rest, rest + 1, size - 1) == 0) { /* all bytes are 0 */
        return;
    }
    for (unsigned part = (unsigned)t->mask; part < t->elements; part++) {
        uint64_t bits = ll_bits_at(field + (size_t)part * t->step, t->step, ll_is_big(t));
        if (bits) {
            ll_fault fault = ll_span_fault(c, element, part);
            fault.arg[0] = ll_uint(bits);
            fault.arg[1] = ll_uint(part);
            ll_span_raise(c, element, &fault);
        }
    }
}

/* The first value is the range of bits, '24..31'. */
static ll_status bind_bits(ll_binding *b)
{
    ll_bound_test *t = b->test;
    const char *dots = strstr(b->words->at[0], "..");
    const char *low = dots ? ll_arena_copy(b->arena, b->words->at[0], (size_t)(dots - b->words->at[0])) : NULL;
    uint64_t first = 0;
    uint64_t last = 0;
    if (!dots || b->words->count < 2) {
        return LL_PROBLEM(b->problem, "check 'bits_one_of' takes a range of bits, as in '24..31', then values");
    }
    ll_value *values = low ? ll_arena_zalloc(b->arena, b->words->count - 1, sizeof *values) : NULL;
    ll_status status = values ? ll_literal_key(low, LL_TYPE_U8, &first, b->problem) : LL_E_MEMORY;
    status = status == LL_OK ? ll_literal_key(dots + 2, LL_TYPE_U8, &last, b->problem) : status;
    if (status == LL_OK && (first > last || last >= 8U * t->step)) {
        return LL_PROBLEM(b->problem, "field '", t->field->name, "' has no bits '", b->words->at[0], "'");
    }
    for (size_t i = 1; status == LL_OK && i < b->words->count; i++) {
        status = ll_literal_key(b->words->at[i], LL_TYPE_U64, &values[i - 1].key, b->problem);
    }
    t->which = (uint8_t)first;
    t->mask = UINT64_MAX >> (63U - (last - first));
    t->value = values;
    t->value_count = (uint32_t)b->words->count - 1;
    return status;
}

static void judge_bits(const ll_span_case *c, uint32_t element)
{
    const ll_bound_test *t = c->test;
    uint64_t whole = ll_bits_at(ll_span_element(c, element) + t->field->offset, t->step, ll_is_big(t));
    uint64_t bits = whole >> t->which & t->mask;
    bool listed = false;
    for (uint32_t i = 0; !listed && i < t->value_count; i++) {
        listed = t->value[i].key == bits;
    }
    if (!listed) {
        ll_fault fault = ll_span_fault(c, element, LL_NO_PART);
        fault.arg[0] = ll_uint(bits);
        fault.arg[1] = ll_uint(whole);
        ll_span_raise(c, element, &fault);
    }
}

static ll_status bind_length(ll_binding *b)
{
    ll_bound_test *t = b->test;
    if (t->field->type != LL_TYPE_F32) {
        return LL_PROBLEM(b->problem, "check 'longer_than' judges vectors of single floats");
    }
    ll_status status = ll_literal_number(b->words->at[0], &t->tolerance, b->problem);
    return status == LL_OK && t->tolerance < 0 ? LL_PROBLEM(b->problem, "a length below 0: '", b->words->at[0], "'")
                                               : status;
}

/* A vector with an element that is not finite passes; other rules judge it. */
static void judge_length(const ll_span_case *c, uint32_t element)
{
    const ll_bound_test *t = c->test;
    double least = t->tolerance * t->tolerance;
    double sum = ll_sum_of_squares(ll_span_element(c, element) + t->field->offset, t->elements, ll_is_big(t));
    if (sum < least) {
        ll_fault fault = ll_span_fault(c, element, LL_NO_PART);
        fault.arg[0] = ll_float(sqrt(sum));
        ll_span_raise(c, element, &fault);
    }
}

/* ------------------------------------------------------------------ rotation */

enum { ROWS = 3 };

typedef struct matrix {
    double row[ROWS][3], column[3][ROWS];
} matrix;

/* The reason why a matrix is not a rotation. */
typedef struct deformation {
    const char *what;            /* NULL: nothing */
    double measure;              /* length of the row, cosine of the angle or determinant */
    unsigned row, column, other; /* the wrong row and column, and a second row; ROWS: not a single one */
} deformation;

/* The values are the tolerance of sums of products; then optionally the number that represents 1, and 'mirrored' if a
 * mirror image is allowed. */
static ll_status bind_rotation(ll_binding *b)
{
    ll_bound_test *t = b->test;
    ll_value *unit = ll_arena_zalloc(b->arena, 1, sizeof *unit);
    if (!unit) {
        return LL_E_MEMORY;
    }
    if (t->elements % ROWS || t->elements < ROWS * ROWS) {
        return LL_PROBLEM(b->problem, "field '", t->field->name, "' is not a matrix of three rows");
    }
    unit->key = 1;
    t->value = unit;
    ll_status status = ll_literal_number(b->words->at[0], &t->tolerance, b->problem);
    for (size_t i = 1; status == LL_OK && i < b->words->count; i++) {
        bool mirrored = strcmp(b->words->at[i], "mirrored") == 0;
        t->which |= mirrored;
        status = mirrored ? LL_OK : ll_literal_key(b->words->at[i], LL_TYPE_U32, &unit->key, b->problem);
    }
    return status;
}

/* Checks the lengths of rows and columns. A single wrong number makes one row and one column wrong. */
static deformation judge_lengths(const matrix *m, double tolerance)
{
    unsigned bad_rows = 0;
    unsigned bad_columns = 0;
    deformation d = {.other = ROWS};
    for (unsigned i = ROWS; i-- > 0;) {
        if (fabs(ll_dot(m->row[i], m->row[i]) - 1) > tolerance) {
            bad_rows++;
            d.row = i;
        }
        if (fabs(ll_dot(m->column[i], m->column[i]) - 1) > tolerance) {
            bad_columns++;
            d.column = i;
        }
    }
    bool one = bad_rows == 1 && bad_columns == 1;
    d.what = one        ? "a number that makes its row and its column differ from length 1"
             : bad_rows ? "a row whose length is not 1"
                        : NULL;
    d.column = one ? d.column : ROWS;
    d.measure = d.what ? ll_length(m->row[d.row]) : 0;
    return d;
}

static deformation judge_matrix(const matrix *m, const ll_bound_test *t)
{
    deformation d = judge_lengths(m, t->tolerance);
    for (unsigned i = 1; !d.what && i < ROWS; i++) {
        for (unsigned k = 0; !d.what && k < i; k++) {
            double cosine = ll_dot(m->row[i], m->row[k]);
            if (fabs(cosine) > t->tolerance) {
                d = (deformation){"rows that are not at right angles", cosine, i, ROWS, k};
            }
        }
    }
    double normal[3];
    ll_cross(m->row[0], m->row[1], normal);
    if (!d.what && !t->which && ll_dot(normal, m->row[2]) < 0) {
        d = (deformation){"a mirror image", ll_dot(normal, m->row[2]), ROWS, ROWS, ROWS};
    }
    return d;
}

static void narrow_to_row(const ll_bound_test *t, ll_where *at, unsigned row)
{
    at->offset += t->elements / ROWS * t->step * row;
    at->length = ROWS * t->step;
}

/* Offers the right number or row as a patch: it is the cross product of the other two rows. */
static void offer_row(const ll_span_case *c, const matrix *m, const deformation *d, ll_fault *fault)
{
    const ll_bound_test *t = c->test;
    double normal[3];
    ll_cross(m->row[(d->row + 1) % ROWS], m->row[(d->row + 2) % ROWS], normal);
    uint8_t *bytes = c->patch && d->row < ROWS && d->other == ROWS && ll_type_is_integer(t->field->type)
                         ? ll_check_alloc(c->run, ROWS, t->step)
                         : NULL;
    if (!bytes || fabs(ll_dot(normal, normal) - 1) > t->tolerance) {
        return;
    }
    for (unsigned i = 0; i < ROWS; i++) {
        ll_put_uint(bytes + (size_t)i * t->step, t->step, ll_is_big(t),
                    (uint64_t)llround(normal[i] * (double)t->value->key));
    }
    const uint8_t *first = bytes + (d->column < ROWS ? (size_t)d->column * t->step : 0);
    ll_patch_replace(c->run->doc, fault, (ll_patch_tier)c->patch, fault->at.offset, first, fault->at.length);
}

/* Reads the first three columns of the three rows. False: a number is not finite. */
static bool read_matrix(const ll_bound_test *t, const uint8_t *field, matrix *m)
{
    const unsigned type = t->field->type, endian = t->layout->endian;
    bool finite = true;
    for (unsigned row = 0; row < ROWS; row++) {
        const uint8_t *p = field + (size_t)row * (t->elements / ROWS) * t->step;
        for (unsigned column = 0; column < ROWS; column++, p += t->step) {
            const double number = type == LL_TYPE_I32 ? (double)(int32_t)ll_read_uint(p, sizeof(int32_t), endian)
                                                      : ll_read_number(p, type, endian);
            const double x = number / (double)t->value->key;
            m->row[row][column] = m->column[column][row] = x;
            finite = finite && isfinite(x);
        }
    }
    return finite;
}

/* A matrix with a number that is not finite passes; other rules judge it. */
static void judge_rotation(const ll_span_case *c, uint32_t element)
{
    const ll_bound_test *t = c->test;
    const uint8_t *field = ll_span_element(c, element) + t->field->offset;
    matrix m;
    const bool finite = read_matrix(t, field, &m);
    deformation d = finite ? judge_matrix(&m, t) : (deformation){.what = NULL};
    if (!d.what) {
        return;
    }
    ll_fault fault = ll_span_fault(c, element, d.column < ROWS ? d.row * (t->elements / ROWS) + d.column : LL_NO_PART);
    ll_where whole = fault.at;
    if (d.column == ROWS && d.row < ROWS) {
        narrow_to_row(t, &fault.at, d.row);
    }
    if (d.other < ROWS) {
        fault.related = whole;
        narrow_to_row(t, &fault.related, d.other);
    }
    fault.arg[0] = ll_word(d.what);
    fault.arg[1] = ll_float(d.measure);
    offer_row(c, &m, &d, &fault);
    ll_span_raise(c, element, &fault);
}

/* ------------------------------------------------------------------ the rows */

static const ll_predicate rows[] = {
    {.name = "unique",
     .accepts = LL_HOLDS_INT | LL_HOLDS_CHARS | LL_HOLDS_BYTES | LL_HOLDS_TEXT | LL_HOLDS_RECORD,
     .values = LL_SOME_VALUES,
     .bind = bind_unique,
     .judge_span = judge_unique,
     .finish = finish_unique,
     .arguments = "{0} key, {1} path of the first that has it, {2} number of its element, {3} name of the record",
     .words = "a value that no other element has"},
    {.name = "every_byte",
     .accepts = LL_HOLDS_STRETCH,
     .values = LL_ONE_VALUE,
     .bind = bind_byte,
     .judge_span = judge_bytes,
     .arguments = "{0} bytes that differ, {1} the first of them, {2} the right byte",
     .words = "the same value in every byte"},
    {.name = "equals_sum",
     .accepts = LL_ANY_INT,
     .values = LL_ANY_VALUES,
     .bind = bind_sum,
     .judge_element = judge_sum,
     .arguments = "{0} value, {1} first number, {2} sum of the others, {3} sum of all",
     .words = "the sum of other fields"},
    {.name = "zero_from",
     .accepts = LL_ANY_INT,
     .values = LL_ONE_VALUE,
     .bind = bind_first,
     .judge_element = judge_zero_from,
     .arguments = "{0} value, {1} number of the element, {3} name of the record",
     .words = "0 from that element on"},
    {.name = "bits_one_of",
     .accepts = LL_HOLDS_INT,
     .values = LL_ANY_VALUES,
     .bind = bind_bits,
     .judge_element = judge_bits,
     .arguments = "{0} value of the bits, {1} the whole number, {3} name of the record",
     .words = "one of the values for these bits"},
    {.name = "longer_than",
     .accepts = LL_HOLDS_FLOATS,
     .values = LL_ONE_VALUE,
     .bind = bind_length,
     .judge_element = judge_length,
     .arguments = "{0} length of the vector, {3} name of the record",
     .words = "a longer vector"},
    {.name = "rotation",
     .accepts = LL_HOLDS_INTS | LL_HOLDS_FLOATS,
     .values = LL_ANY_VALUES,
     .bind = bind_rotation,
     .judge_element = judge_rotation,
     .arguments = "{0} what is wrong, {1} length of the row, cosine or determinant, {3} name of the record",
     .words = "rows of length 1 at right angles"},
};
const ll_predicates ll_span_predicates = LL_PREDICATES(rows);
