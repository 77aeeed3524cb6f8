/* Bytes that were put into a file of harmonics or taken out of it. Header, node and parameters stand at fixed places,
 * and the rows of the probes say where names and sets are. */
#include "formats/lpsh/lpsh.h"

#include "base/ints.h"

#include <string.h>

enum {
    NEAR = 64,      /* bytes by which the last row is looked for elsewhere */
    NAMES_MAX = 16, /* what may be a name and is tried */
    FLAGS_MAX = 15,
    LEAST_WEIGHT = 2 /* marks; one may be an accident */
};

typedef struct search {
    const ll_doc *doc;
    ll_shift shift;
    uint32_t parameters;             /* their number */
    uint32_t count[LPSH_PARAMETERS]; /* values; LPSH_TIMES: times */
    uint64_t rows;                   /* where the table should be */
    uint32_t broken;                 /* sets that are none */
} search;

typedef struct row {
    uint32_t name, data, flags;
} row;

typedef bool (*test_fn)(const search *s, const uint8_t *bytes, const void *argument);

static bool holds_at(const search *s, int64_t at, uint64_t size, test_fn test, const void *argument)
{
    return at >= 0 && ll_fits((uint64_t)at, size, s->doc->size) && test(s, s->doc->bytes + at, argument);
}

/* `size` bytes that pass a test, where they should be or elsewhere; NULL: they are at neither place. */
static const uint8_t *find(const search *s, int64_t at, uint64_t size, test_fn test, const void *argument)
{
    return holds_at(s, at, size, test, argument)                   ? s->doc->bytes + at
           : holds_at(s, at + s->shift.more, size, test, argument) ? s->doc->bytes + (at + s->shift.more)
                                                                   : NULL;
}

static void mark(search *s, uint64_t at, uint64_t size, test_fn test, const void *argument)
{
    bool here = holds_at(s, (int64_t)at, size, test, argument);
    ll_shift_mark(&s->shift, at, size, here, holds_at(s, (int64_t)at + s->shift.more, size, test, argument));
}

/* ------------------------------------------------------------------ what stands at fixed places */

static bool is_word(const search *s, const uint8_t *bytes, const void *word)
{
    (void)s;
    return ll_le32(bytes) == *(const uint32_t *)word;
}

static void mark_word(search *s, uint64_t at, uint32_t word)
{
    mark(s, at, sizeof word, is_word, &word);
}

static bool is_text(const search *s, const uint8_t *bytes, const void *text)
{
    (void)s;
    return memcmp(bytes, text, strlen(text) + 1) == 0;
}

static void mark_text(search *s, uint64_t at, const char *text)
{
    mark(s, at, strlen(text) + 1, is_text, text);
}

static bool is_parameter(const search *s, const uint8_t *bytes, const void *index)
{
    uint32_t i = *(const uint32_t *)index;
    return ll_le16(bytes + lpsh_parameter_at_next_offset) == (i + 1 < s->parameters ? lpsh_parameter_SIZE : 0) &&
           ll_le32(bytes + lpsh_parameter_at_name_hash) == lpsh_parameters[i].hash;
}

/* Where the names of the parameters should be. */
static uint32_t names_at(const search *s)
{
    return LPSH_PARAMETERS_AT + s->parameters * lpsh_parameter_SIZE;
}

/* Where the times should be. */
static uint32_t data_at(const search *s)
{
    return names_at(s) + s->parameters * LPSH_UNIT;
}

static void mark_head(search *s)
{
    uint32_t names = names_at(s), data = data_at(s);
    mark_word(s, lpsh_header_at_version, s->parameters + 1);
    mark_word(s, lpsh_header_at_node_offset, LPSH_NODE_AT);
    mark_word(s, lpsh_header_at_name_hash, LPSH_NAME_HASH);
    mark_word(s, lpsh_header_at_name_offset, LPSH_NAME_AT);
    mark_word(s, LPSH_NODE_AT + lpsh_node_at_flags, 1);
    mark_word(s, LPSH_NODE_AT + lpsh_node_at_data_offset, data - LPSH_NODE_AT);
    mark_word(s, LPSH_NODE_AT + lpsh_node_at_parameter_offset, LPSH_PARAMETERS_AT - LPSH_NODE_AT);
    mark_text(s, LPSH_NAME_AT, lpsh_file_name);
    for (uint32_t i = 0; i < s->parameters; i++) {
        uint32_t at = LPSH_PARAMETERS_AT + i * lpsh_parameter_SIZE;
        mark(s, at, lpsh_parameter_at_value, is_parameter, &i);
    }
    for (uint32_t i = 0; i < s->parameters; i++) {
        mark_text(s, names + i * LPSH_UNIT, lpsh_parameters[i].name);
    }
}

/* ------------------------------------------------------------------ what rows and sets say */

static row row_of(const uint8_t *bytes)
{
    return (row){ll_le32(bytes + lpsh_probe_at_name_offset), ll_le32(bytes + lpsh_probe_at_data_offset),
                 ll_le32(bytes + lpsh_probe_at_flags)};
}

/* A row; the first one leads to the name behind the table. */
static bool is_row(const search *s, const uint8_t *bytes, const void *first_name)
{
    row r = row_of(bytes);
    uint32_t name = first_name ? *(const uint32_t *)first_name : r.name;
    return r.flags <= FLAGS_MAX && r.name == name && r.name > data_at(s) && r.name < r.data &&
           r.data < (int64_t)s->doc->size - s->shift.more;
}

static bool is_name(const search *s, const uint8_t *bytes, const void *unused)
{
    (void)unused;
    return bytes >= s->doc->bytes + data_at(s) && bytes[0] == 0 && bytes[1] > ' ' && bytes[1] <= '~';
}

static bool is_set(const search *s, const uint8_t *bytes, const void *unused)
{
    (void)s;
    (void)unused;
    return lpsh_is_set(bytes, false);
}

/* Row i, where it should be or elsewhere; false: it is at neither place. */
static bool read_row(const search *s, uint32_t i, row *out)
{
    const uint8_t *bytes = find(s, (int64_t)(s->rows + (uint64_t)i * lpsh_probe_SIZE), lpsh_probe_SIZE, is_row, NULL);
    *out = bytes ? row_of(bytes) : (row){0};
    return bytes;
}

/* Where the names should be. */
static uint64_t probe_names_at(const search *s)
{
    return ll_align_up(s->rows + (uint64_t)s->count[LPSH_PROBES] * lpsh_probe_SIZE, LPSH_UNIT);
}

/* Where the sets should be, behind as many names as there are probes; 0: there are not so many. */
static uint64_t behind_names(const search *s)
{
    uint64_t at = probe_names_at(s);
    const uint8_t *first = find(s, (int64_t)at - 1, 2, is_name, NULL), *end = s->doc->bytes + s->doc->size;
    const uint8_t *name = first;
    for (uint32_t i = 0; name && i < s->count[LPSH_PROBES]; i++) {
        name = name + 1 < end ? memchr(name + 1, 0, (size_t)(end - name - 1)) : NULL;
    }
    return name ? ll_align_up(at + (uint64_t)(name - first), LPSH_UNIT) : 0;
}

static void mark_rows(search *s)
{
    uint32_t probes = s->count[LPSH_PROBES], names = (uint32_t)probe_names_at(s);
    row r = {0};
    for (uint32_t i = 0; i < probes; i++) {
        mark(s, s->rows + (uint64_t)i * lpsh_probe_SIZE, lpsh_probe_SIZE, is_row, i ? NULL : &names);
    }
    for (uint32_t i = 0, end = 0; i < probes; i++) {
        r.name = read_row(s, i, &r) || i ? r.name : names;
        if (r.name > end) {
            mark(s, r.name - 1, 2, is_name, NULL);
            end = r.name;
        }
    }
}

/* Sets are packed up to the end. As one looks like another, they tell nothing of so many bytes as some of them have. */
static void mark_sets(search *s)
{
    row first;
    uint64_t at = read_row(s, 0, &first) ? first.data : behind_names(s);
    for (; at && at < s->doc->size && s->shift.more % lpsh_set_SIZE; at += lpsh_set_SIZE) {
        bool lit = ll_fits(at, lpsh_set_SIZE, s->doc->size) && ll_le64(s->doc->bytes + at);
        s->broken += lit && !find(s, (int64_t)at, lpsh_set_SIZE, is_set, NULL);
        mark(s, at, lpsh_set_SIZE, is_set, NULL);
    }
}

/* ------------------------------------------------------------------ the search */

/* Numbers of probes and times, and from these where the table should be. A parameter whose hash is nowhere is taken to
 * be where it should. */
static void read_counts(search *s)
{
    for (unsigned i = 0; i < LPSH_FORMAT; i++) {
        uint32_t first = LPSH_PARAMETERS_AT + lpsh_parameter_at_name_hash;
        const uint8_t *hash = NULL;
        for (unsigned slot = 0; !hash && slot < s->parameters; slot++) {
            uint32_t at = first + (i + slot) % s->parameters * lpsh_parameter_SIZE;
            hash = find(s, at, lpsh_parameter_SIZE, is_word, &lpsh_parameters[i].hash);
        }
        hash = hash ? hash : s->doc->bytes + first + i * lpsh_parameter_SIZE;
        s->count[i] = ll_le32(hash + lpsh_parameter_at_value - lpsh_parameter_at_name_hash);
    }
    uint64_t times = ll_align_up((uint64_t)s->count[LPSH_TIMES] * lpsh_time_SIZE, LPSH_UNIT);
    s->rows = data_at(s) + times;
    if (!ll_fits(s->rows, (uint64_t)s->count[LPSH_PROBES] * lpsh_probe_SIZE, (uint64_t)s->doc->size + NEAR)) {
        s->count[LPSH_PROBES] = s->count[LPSH_TIMES] = 0;
    }
}

/* Where the sets of a probe end, as its row says; 0: it cannot be read. */
static uint64_t end_of(const search *s, uint32_t i)
{
    row r;
    return i < s->count[LPSH_PROBES] && read_row(s, i, &r)
               ? r.data + lpsh_set_count(r.flags, s->count[LPSH_TIMES]) * lpsh_set_SIZE
               : 0;
}

/* Where the file that was ended, as its last row says. */
static int64_t end_of_all(const search *s)
{
    return (int64_t)ll_align_up(end_of(s, s->count[LPSH_PROBES] - 1), LPSH_UNIT);
}

/* The first row stands elsewhere, and leads to the name behind the table there: the number of times is wrong. */
static bool are_times_wrong(const search *s)
{
    uint64_t table = probe_names_at(s) - s->rows;
    for (uint64_t at = data_at(s); s->count[LPSH_PROBES] && ll_fits(at, lpsh_probe_SIZE, s->doc->size);
         at += LPSH_UNIT) {
        uint32_t name = row_of(s->doc->bytes + at).name;
        if (name == at + table && holds_at(s, (int64_t)name - 1, 2, is_name, NULL)) {
            return at != s->rows;
        }
    }
    return false;
}

/* Where it ended, as names and flags say. */
static int64_t end_by_names(const search *s)
{
    uint64_t end = behind_names(s);
    for (uint32_t i = 0; i < s->count[LPSH_PROBES]; i++) {
        row r;
        end += read_row(s, i, &r) ? lpsh_set_count(r.flags, s->count[LPSH_TIMES]) * lpsh_set_SIZE : 0;
    }
    return (int64_t)ll_align_up(end, LPSH_UNIT);
}

/* The header states the size that the file has, but sets are broken: two of them, or the last one, which begins where
 * others end, and behind which there is no whole number of them. */
static bool are_sets_damaged(const search *s)
{
    uint32_t last = s->count[LPSH_PROBES] - 1;
    row r;
    bool read = ll_le32(s->doc->bytes + lpsh_header_at_file_size) == s->doc->size && read_row(s, last, &r);
    return read && r.data == (last ? end_of(s, last - 1) : behind_names(s)) && r.data < s->doc->size &&
           (s->broken > 1 || (s->doc->size - r.data) % lpsh_set_SIZE >= LPSH_UNIT);
}

/* Takes so many bytes for put in where more speaks for that. */
static void weigh(search s, int64_t more, ll_shift *best)
{
    if (more == 0) {
        return;
    }
    s.shift = (ll_shift){.more = more};
    read_counts(&s);
    mark_head(&s);
    bool in_head = ll_shift_weight(&s.shift) > 0;
    mark_rows(&s);
    mark_sets(&s);
    int64_t end = end_of_all(&s), stated = ll_le32(s.doc->bytes + lpsh_header_at_file_size);
    if (!in_head && end && end + more != s.doc->size && stated == s.doc->size) {
        return;
    }
    for (unsigned i = 0; end && i < 1U + are_sets_damaged(&s); i++) {
        ll_shift_mark(&s.shift, (uint64_t)end, 0, end == s.doc->size, end + more == s.doc->size);
    }
    *best = ll_shift_weight(&s.shift) > ll_shift_weight(best) ? s.shift : *best;
}

/* The number of parameters, of which three words speak. */
static uint32_t count_parameters(const ll_doc *doc)
{
    int votes = 0;
    for (uint32_t count = LPSH_FORMAT; count <= LPSH_PARAMETERS; count++) {
        uint32_t names = LPSH_PARAMETERS_AT + count * lpsh_parameter_SIZE;
        uint32_t name_at = LPSH_PARAMETERS_AT + lpsh_parameter_at_name_offset;
        int agree = (ll_le32(doc->bytes + lpsh_header_at_version) == count + 1) +
                    (ll_le32(doc->bytes + LPSH_NODE_AT + lpsh_node_at_data_offset) ==
                     names + count * LPSH_UNIT - LPSH_NODE_AT) +
                    (ll_le32(doc->bytes + name_at) == names - LPSH_PARAMETERS_AT - lpsh_parameter_at_name_hash);
        votes += count == LPSH_FORMAT ? agree : -agree;
    }
    return votes > 0 ? LPSH_FORMAT : LPSH_PARAMETERS;
}

bool lpsh_find_shift(const ll_doc *doc, ll_shift *out)
{
    search s = {.doc = doc, .parameters = count_parameters(doc)};
    int64_t stated = (int64_t)doc->size - ll_le32(doc->bytes + lpsh_header_at_file_size);
    read_counts(&s);
    int64_t end = end_of_all(&s);
    *out = (ll_shift){0};
    if (end == doc->size || (stated == 0 && (end_by_names(&s) == doc->size || are_times_wrong(&s)))) {
        return false;
    }
    weigh(s, stated, out);
    weigh(s, end ? doc->size - end : 0, out);
    const char *last = lpsh_parameters[s.parameters - 1].name;
    int64_t name = names_at(&s) + (s.parameters - 1) * LPSH_UNIT;
    unsigned left = NAMES_MAX;
    for (s.shift.more = -NEAR; s.shift.more <= NEAR; s.shift.more++) {
        read_counts(&s);
        int64_t names = (int64_t)probe_names_at(&s);
        if (end_of_all(&s) + s.shift.more == doc->size ||
            holds_at(&s, name + s.shift.more, strlen(last) + 1, is_text, last) ||
            (left > 0 && s.count[LPSH_PROBES] && holds_at(&s, names + s.shift.more - 1, 2, is_name, NULL) && left--)) {
            weigh(s, s.shift.more, out);
        }
    }
    return ll_shift_weight(out) >= LEAST_WEIGHT;
}
