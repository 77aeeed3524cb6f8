/* Claims the model files of the actors (RAAN) and their names (RANM). Both are found by the actors' offsets; actors may
 * share them, so each is walked once, in the order of the offsets. Count, size and offset of a list of files state the
 * same thing: where two agree, the third is the wrong one. Trusts none of them. */
#include "formats/rgm/rgm_parser.h"

const ll_sort_key *rgm_sort_actors(rgm_parser *p, uint32_t at, bool (*wanted)(const rgm_parser *p, uint32_t actor),
                                   uint32_t *count)
{
    uint32_t n = p->summary->actor_count;
    *count = 0;
    ll_sort_key *keys = n ? ll_doc_alloc(p->doc, n, sizeof *keys) : NULL;
    ll_sort_key *spare = keys ? ll_doc_alloc(p->doc, n, sizeof *spare) : NULL;
    if (!spare) {
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!wanted || wanted(p, i)) {
            keys[(*count)++] = (ll_sort_key){rgm_actor_word(p, i, at), i, i};
        }
    }
    return ll_sort(keys, spare, *count);
}

/* The byte at the fault should be a NUL. */
static void raise_nul(ll_doc *doc, ll_fault fault)
{
    static const uint8_t nul[1] = {0};
    ll_patch_bytes(doc, &fault, LL_PATCH_SAFE, fault.at.offset, 1, nul, 1);
    ll_raise(doc, &fault);
}

/* One byte of a text, or of the section where the text was not claimed (LL_NO_SPAN). */
static ll_where byte_at(const rgm_parser *p, const rgm_section *section, uint32_t text, uint32_t offset)
{
    ll_where at = text == LL_NO_SPAN ? ll_at_bytes(section->span, 0, 1) : ll_at_field(p->doc, text, 0, LL_STRING_TEXT);
    at.offset = offset;
    at.length = 1;
    return at;
}

/* ------------------------------------------------------------------ RAAN */

enum {
    WALK_FACTOR = 16 /* bytes walked for each byte of the section, at most: no sound file needs two */
};

/* One list of model files, as its actor states it, and as it was found. */
typedef struct files {
    uint32_t actor;
    uint32_t offset, count, size;
    uint32_t start, end; /* in the file */
    uint32_t lost_nul;   /* place of a NUL that is something else, 0: none */
    uint32_t inner_nul;  /* place of a NUL inside a path, 0: none */
    bool known;          /* all its files are there */
} files;

/* What other actors say about where a list should lie. */
typedef struct around {
    uint64_t after; /* where the lists of the actors before it end */
    uint64_t next;  /* where the list behind it begins */
    uint32_t twin;  /* files of another actor with the same offset, 0: there is none */
} around;

typedef struct file_walk {
    rgm_parser *p;
    const rgm_section *section;
    uint64_t budget; /* bytes that may still be walked */
} file_walk;

static bool has_files(const rgm_parser *p, uint32_t actor)
{
    return (int32_t)rgm_actor_word(p, actor, rgm_actor_at_raan_count) > 0;
}

static files files_of(const rgm_parser *p, uint32_t actor)
{
    return (files){.actor = actor,
                   .offset = rgm_actor_word(p, actor, rgm_actor_at_raan_offset),
                   .count = rgm_actor_word(p, actor, rgm_actor_at_raan_count),
                   .size = rgm_actor_word(p, actor, rgm_actor_at_raan_data_size)};
}

/* End of the model file at pos, 0 when it does not end before `end`. */
static uint32_t file_end(file_walk *w, uint32_t pos, uint32_t end)
{
    if (!ll_fits(pos, rgm_model_file_SIZE, end)) {
        return 0;
    }
    const uint8_t *path = w->p->doc->bytes + pos + rgm_model_file_SIZE;
    uint32_t room = end - pos - rgm_model_file_SIZE;
    uint32_t length = rgm_name_length(path, room);
    uint32_t walked = rgm_model_file_SIZE + length + (length < room);
    w->budget -= walked < w->budget ? walked : w->budget;
    return length < room ? pos + walked : 0;
}

/* How many files lie between pos and `end`, at most `most`; *behind is then where the last of them ends. */
static uint32_t count_files(file_walk *w, uint32_t pos, uint32_t end, uint32_t most, uint32_t *behind)
{
    uint32_t count = 0;
    *behind = pos;
    while (count < most && w->budget) {
        uint32_t next = file_end(w, *behind, end);
        if (!next) {
            break;
        }
        *behind = next;
        count++;
    }
    return count;
}

static bool is_type(uint8_t letter)
{
    return letter == 'c' || letter == 's' || letter == 'C' || letter == 'S';
}

/* So many files of so many bytes lie at an offset. */
static bool is_list_at(file_walk *w, uint64_t offset, uint32_t count, uint32_t size)
{
    uint32_t behind;
    if (!ll_fits(offset, size, w->section->length)) {
        return false;
    }
    uint32_t start = w->section->start + (uint32_t)offset;
    return count_files(w, start, start + size, count, &behind) == count && behind == start + size;
}

/* End of the file whose path has a NUL inside at next - 1, 0 when what follows the NUL is no rest of a path. */
static uint32_t end_of_rest(const file_walk *w, uint32_t next, uint32_t end)
{
    const uint8_t *rest = w->p->doc->bytes + next;
    const uint8_t *nul = memchr(rest, 0, end - next);
    for (const uint8_t *p = rest; nul && p < nul; p++) {
        nul = *p < ' ' || *p > '~' ? NULL : nul;
    }
    return nul ? next + (uint32_t)(nul - rest) + 1 : 0;
}

/* End of the model file at pos if its type is known, else 0. */
static uint32_t typed_end(file_walk *w, uint32_t pos, uint32_t end)
{
    bool typed =
        ll_fits(pos, rgm_model_file_SIZE, end) && is_type(w->p->doc->bytes[pos + rgm_model_file_at_model_type]);
    return typed ? file_end(w, pos, end) : 0;
}

/* So many files of known types lie between pos and `end`. */
static bool are_typed(file_walk *w, uint32_t pos, uint32_t end, uint32_t count)
{
    for (; count && pos && w->budget; count--) {
        pos = typed_end(w, pos, end);
    }
    return count == 0 && pos == end;
}

/* Finds the NUL without which, or with which, all files of a list would be right: one in the middle of a path, of which
 * the rule about paths speaks, or one that was lost. */
static bool find_nul(file_walk *w, files *f)
{
    const uint8_t *bytes = w->p->doc->bytes;
    uint32_t end = f->start + f->size;
    uint32_t pos = f->start;
    for (uint32_t left = f->count; left && pos < end && w->budget; left--) {
        uint32_t next = file_end(w, pos, end);
        uint32_t rest = next && is_type(bytes[pos + rgm_model_file_at_model_type]) ? end_of_rest(w, next, end) : 0;
        if (rest && are_typed(w, rest, end, left - 1)) {
            f->inner_nul = next - 1;
            return true;
        }
        /* behind a lost NUL the path goes on up to the first zero byte of the next file's first word */
        uint32_t at = next > pos + 12 ? next - 5 : pos + rgm_model_file_SIZE;
        while (at + 1 < next && !are_typed(w, at + 1, end, left - 1)) {
            at++;
        }
        bool last = !next && left == 1 && end - pos > rgm_model_file_SIZE + 1;
        if (at + 1 < next || last) {
            f->lost_nul = last ? end - 1 : at;
            return true;
        }
        if (!next) {
            return false;
        }
        pos = next;
    }
    return false;
}

/* The files of a list that adds up have types that are none: by chance, what a lost NUL made of them adds up too. */
static bool has_odd_types(file_walk *w, const files *f)
{
    uint32_t pos = f->start;
    for (uint32_t i = 0; i < f->count && pos; i++) {
        if (!is_type(w->p->doc->bytes[pos + rgm_model_file_at_model_type])) {
            return true;
        }
        pos = file_end(w, pos, f->end);
    }
    return false;
}

/* Blames a field of the actor; the rest are arguments {1} to {3}, of which RAAN_SIZE has the right value in the first
 * and RAAN_RANGE in the last; UINT64_MAX: it is not known. */
static void raise_files(file_walk *w, const files *f, unsigned code, unsigned field, uint64_t b, uint64_t c, uint64_t d)
{
    ll_doc *doc = w->p->doc;
    uint32_t list = w->section->start + (f->offset <= w->section->length ? f->offset : 0);
    ll_element actor;
    if (!rgm_actor_record(doc, f->actor, &actor)) {
        return;
    }
    uint64_t value = ll_get_uint(&actor, field);
    ll_arg stated = field == rgm_actor_raan_data_size ? ll_uint(value) : ll_int((int32_t)value);
    ll_fault fault =
        LL_MAKE_FAULT(code, RGM_HINT_NONE, rgm_actor_at(doc, f->actor, field), ll_at_bytes(w->section->span, list, 0),
                      stated, ll_uint(b), ll_uint(c), ll_uint(d == UINT64_MAX ? 0 : d));
    bool odd = field == rgm_actor_raan_data_size && has_odd_types(w, f); /* a file may be what is wrong */
    const bool size = code == RGM_FAULT_RAAN_SIZE;                       /* what is behind them may have moved */
    rgm_raise_value(doc, fault, size ? LL_PATCH_UNSAFE : LL_PATCH_SAFE, odd ? UINT64_MAX : size ? b : d);
}

/* The list where its size ends it: a NUL that was lost or put in, or another count. False when the size does not end
 * it. `next`: where the next list begins. */
static bool resolve_by_size(file_walk *w, files *f, uint64_t next)
{
    if (f->size == 0 || !ll_fits(f->offset, f->size, w->section->length)) {
        return false;
    }
    uint32_t behind;
    f->end = f->start + f->size;
    if ((!w->p->doc->bytes[f->end - 1] || (uint64_t)f->offset + f->size == next) && find_nul(w, f)) {
        return true;
    }
    uint32_t count = count_files(w, f->start, f->end, UINT32_MAX, &behind);
    if (behind != f->end) {
        return false;
    }
    raise_files(w, f, RGM_FAULT_RAAN_SIZE, rgm_actor_raan_count, count, count, f->size);
    f->count = count;
    return true;
}

/* Files without a size are none, unless as many lie there as the actor counts: those of another actor that has as many,
 * or such as fill what is left up to `next`. */
static bool resolve_sizeless(file_walk *w, files *f, const around *a)
{
    if (f->size) {
        return false;
    }
    uint32_t behind = 0;
    uint32_t length = w->section->length;
    bool outside = f->offset >= length;
    if (!outside && count_files(w, f->start, w->section->start + length, f->count, &behind) == f->count &&
        (a->twin ? a->twin == f->count : behind - w->section->start == a->next)) {
        return false;
    }
    raise_files(w, f, outside ? RGM_FAULT_RAAN_RANGE : RGM_FAULT_RAAN_SIZE, rgm_actor_raan_count,
                outside ? f->offset : 0, outside ? length : 0, 0);
    f->count = 0;
    return true;
}

/* Decides where a list lies and which of its numbers is wrong. True when all its files are known then. */
static bool resolve_files(file_walk *w, files *f, const around *a)
{
    uint32_t length = w->section->length;
    uint64_t after = a->after;
    uint64_t stated_end = (uint64_t)f->offset + f->size;
    f->start = f->end = w->section->start + (f->offset <= length ? f->offset : 0);
    if (is_list_at(w, f->offset, f->count, f->size)) {
        f->end = f->start + f->size;
        if (has_odd_types(w, f)) {
            (void)find_nul(w, f);
        }
        return true;
    }
    if (after != f->offset && is_list_at(w, after, f->count, f->size)) {
        raise_files(w, f, RGM_FAULT_RAAN_RANGE, rgm_actor_raan_offset, stated_end, length, after);
        f->start = w->section->start + (uint32_t)after;
        f->end = f->start + f->size;
        return true;
    }
    if (resolve_sizeless(w, f, a)) {
        return true;
    }
    if (f->offset >= length) {
        raise_files(w, f, RGM_FAULT_RAAN_RANGE, rgm_actor_raan_offset, stated_end, length, UINT64_MAX);
        return false;
    }
    if (resolve_by_size(w, f, a->next)) {
        return true;
    }
    uint32_t count = count_files(w, f->start, w->section->start + length, f->count, &f->end);
    if (count == f->count) {
        uint32_t walked = f->end - f->start;
        raise_files(w, f, RGM_FAULT_RAAN_SIZE, rgm_actor_raan_data_size, walked, count, walked);
        return true;
    }
    raise_files(w, f, RGM_FAULT_RAAN_RANGE, rgm_actor_raan_count, f->end - w->section->start, length, count);
    f->count = count;
    return false;
}

/* Where the file behind the one at pos begins, in a list that is known. */
static uint32_t next_file(file_walk *w, const files *f, uint32_t pos)
{
    uint32_t next = file_end(w, pos, f->end);
    if (next && f->inner_nul == next - 1) {
        return end_of_rest(w, next, f->end);
    }
    bool lost = f->lost_nul >= pos + rgm_model_file_SIZE && (f->lost_nul < next || !next);
    return lost ? f->lost_nul + 1 : next;
}

/* A NUL inside a path ends it for every reader, so that the next file begins too early. */
static void raise_inner_nul(const file_walk *w, const files *f, uint32_t path)
{
    LL_RAISE_RELATED(w->p->doc, RGM_FAULT_RAAN_INNER_NUL, RGM_HINT_NONE, byte_at(w->p, w->section, path, f->inner_nul),
                     rgm_actor_at(w->p->doc, f->actor, rgm_actor_raan_offset), ll_uint(f->inner_nul));
}

static void raise_lost_nul(const file_walk *w, const files *f, uint32_t path)
{
    ll_where at = byte_at(w->p, w->section, path, f->lost_nul);
    ll_mark_span(w->p->doc, path, LL_SPAN_BROKEN);
    raise_nul(w->p->doc, LL_MAKE_FAULT(RGM_FAULT_RAAN_UNTERMINATED, RGM_HINT_NONE, at,
                                       rgm_actor_at(w->p->doc, f->actor, rgm_actor_raan_offset),
                                       ll_uint(w->p->doc->bytes[f->lost_nul]), ll_uint(f->lost_nul + 1)));
}

/* Claims the files of a list, where no other list did. */
static void take_files(file_walk *w, files *f, bool claim)
{
    ll_doc *doc = w->p->doc;
    uint32_t list =
        claim ? ll_claim_group(doc, w->section->span, rgm_raan_list_LAYOUT, f->start, f->end, f->actor) : LL_NO_SPAN;
    uint32_t pos = f->start;
    for (uint32_t i = 0; f->known && i < f->count && doc->status == LL_OK; i++) {
        uint32_t next = next_file(w, f, pos);
        uint32_t path = pos + rgm_model_file_SIZE;
        bool lost = f->lost_nul && next == f->lost_nul + 1;
        uint32_t text = LL_NO_SPAN;
        if (claim) {
            uint32_t file = ll_claim_record(doc, list, rgm_model_file_LAYOUT, pos, next, i);
            text = ll_claim_string(doc, file, rgm_model_path_LAYOUT, path, next, next - path - !lost, LL_NO_INDEX);
        }
        if (lost && doc->status == LL_OK) {
            raise_lost_nul(w, f, text);
        } else if (f->inner_nul >= path && f->inner_nul + 1 < next && doc->status == LL_OK) {
            raise_inner_nul(w, f, text);
        }
        pos = next;
    }
    if (claim) {
        ll_claim_unparsed(doc, list, pos, f->end);
    }
}

/* What the actors beside the i-th say. `next`: the first with another offset. */
static around look_around(const file_walk *w, const ll_sort_key *keys, uint32_t i, uint32_t count, uint32_t next,
                          uint64_t after)
{
    around a = {after, next < count ? keys[next].first : w->section->length, 0};
    for (uint32_t k = i ? i - 1 : 1; k < count && k <= i + 1; k += 2) {
        files f = files_of(w->p, keys[k].item);
        bool same = f.offset == keys[i].first;
        a.twin = a.twin == 0 && same && f.size ? f.count : a.twin;
    }
    return a;
}

static void parse_lists(file_walk *w, const ll_sort_key *keys, uint32_t count, const uint64_t *after)
{
    rgm_parser *p = w->p;
    files last = {.count = 0};
    uint32_t pos = w->section->start;
    uint32_t next = 0;
    for (uint32_t i = 0; i < count && p->doc->status == LL_OK; i++) {
        files f = files_of(p, keys[i].item);
        while (next < count && keys[next].first <= keys[i].first) {
            next++;
        }
        if (last.count && f.offset == last.offset && f.count == last.count && f.size == last.size) {
            f = last;
        } else if (w->budget == 0) { /* lists that overlap without end: none of them is what it should be */
            raise_files(w, &f, RGM_FAULT_RAAN_RANGE, rgm_actor_raan_offset, f.offset, w->section->length, UINT64_MAX);
            break;
        } else {
            last = f;
            around a = look_around(w, keys, i, count, next, after[f.actor]);
            f.known = resolve_files(w, &f, &a);
            bool claim = f.start >= pos && f.end > f.start; /* else its bytes are another list's too */
            ll_claim_bytes(p->doc, w->section->span, rgm_unreferenced_LAYOUT, pos, claim ? f.start : pos);
            take_files(w, &f, claim);
            pos = claim ? f.end : pos;
        }
    }
    ll_claim_bytes(p->doc, w->section->span, rgm_unreferenced_LAYOUT, pos, w->section->start + w->section->length);
}

/* An actor without files has no size either. Where files of that size lie at its offset, the count is wrong; but a
 * count and an offset of 0, where lists of other actors come before, both say that there is nothing. */
static void judge_fileless(file_walk *w, const files *f, uint64_t after)
{
    uint32_t behind = 0;
    uint32_t count = 0;
    if (f->count == 0 && f->size == 0) {
        return;
    }
    if (f->size && (f->count || f->offset || after == 0) && ll_fits(f->offset, f->size, w->section->length)) {
        uint32_t start = w->section->start + f->offset;
        count = count_files(w, start, start + f->size, UINT32_MAX, &behind);
        count = behind == start + f->size ? count : 0;
    }
    if (count) {
        raise_files(w, f, RGM_FAULT_RAAN_SIZE, rgm_actor_raan_count, count, count, f->size);
    } else if (f->count) {
        raise_files(w, f, RGM_FAULT_RAAN_RANGE, rgm_actor_raan_count, f->offset, w->section->length, 0);
    } else {
        raise_files(w, f, RGM_FAULT_RAAN_SIZE, rgm_actor_raan_data_size, 0, 0, 0);
    }
}

/* Where each actor's list begins if all lie one behind the other in the order of the actors. */
static uint64_t *list_ends(file_walk *w)
{
    rgm_parser *p = w->p;
    uint64_t *after = ll_doc_alloc(p->doc, p->summary->actor_count, sizeof *after);
    uint64_t end = 0;
    for (uint32_t i = 0; after && i < p->summary->actor_count; i++) {
        files f = files_of(p, i);
        after[i] = end;
        end += f.size;
        if ((int32_t)f.count <= 0) {
            judge_fileless(w, &f, after[i]);
        }
    }
    return after;
}

void rgm_parse_raan(rgm_parser *p, unsigned ordinal)
{
    rgm_section *section = &p->summary->section[ordinal];
    section->sound = true;
    uint32_t count;
    const ll_sort_key *keys = rgm_sort_actors(p, rgm_actor_at_raan_offset, has_files, &count);
    file_walk w = {p, section, (uint64_t)WALK_FACTOR * section->length + WALK_FACTOR};
    const uint64_t *after = p->summary->actor_count && p->doc->status == LL_OK ? list_ends(&w) : NULL;
    parse_lists(&w, keys, count, after);
}

/* ------------------------------------------------------------------ RANM */

typedef struct space_name {
    uint32_t actor;
    uint32_t offset, length; /* as stated */
    uint64_t end;            /* of both */
    uint32_t nul; /* first one at or behind the offset, from the start of the section; the section's length: none */
    bool follows; /* the next name begins where this one should end */
    bool begins;  /* nothing or a NUL is in front of it */
} space_name;

static bool has_name(const rgm_parser *p, uint32_t actor)
{
    return rgm_actor_word(p, actor, rgm_actor_at_ranm_length) > 0;
}

/* `span`: the name as claimed, LL_NO_SPAN: it was not. */
static void raise_name(const rgm_parser *p, const space_name *n, uint32_t span)
{
    const rgm_section *section = &p->summary->section[RGM_RANM];
    ll_where offset = rgm_actor_at(p->doc, n->actor, rgm_actor_ranm_offset);
    ll_where length = rgm_actor_at(p->doc, n->actor, rgm_actor_ranm_length);
    uint64_t end = n->end;
    uint64_t fitting = n->nul < section->length ? (uint64_t)n->nul - n->offset + 1 : 0;
    if (end > section->length) {
        ll_fault fault = LL_MAKE_FAULT(RGM_FAULT_RANM_RANGE, RGM_HINT_NONE, n->begins && fitting ? length : offset,
                                       rgm_length_at(p->doc, section), ll_uint(n->offset), ll_uint(end),
                                       ll_uint(section->length), ll_uint(n->begins ? fitting : 0));
        rgm_raise_value(p->doc, fault, LL_PATCH_UNSAFE, n->begins && fitting ? fitting : UINT64_MAX);
        return;
    }
    bool inside = n->nul < end - 1;
    ll_where at = n->begins ? length : offset;
    ll_where related = n->begins ? ll_at_bytes(section->span, section->start + n->offset, 0) : length;
    uint64_t value = n->begins ? n->length : n->offset;
    if (n->follows && n->begins) {
        at = byte_at(p, section, span, section->start + (inside ? n->nul : (uint32_t)end - 1));
        related = offset;
        value = p->doc->bytes[at.offset];
    }
    bool lengthened = n->begins && !n->follows && fitting;
    ll_fault fault =
        LL_MAKE_FAULT(RGM_FAULT_RANM_NUL, RGM_HINT_NONE, at, related, ll_uint(value), ll_uint(lengthened ? fitting : 0),
                      ll_word(!n->begins ? "begins inside another name"
                              : inside   ? "a NUL inside"
                                         : "no NUL at its end"));
    if (n->begins && n->follows && !inside) {
        raise_nul(p->doc, fault);
    } else {
        if (lengthened) { /* or the offset is wrong */
            ll_patch_none(&fault);
        }
        ll_raise(p->doc, &fault);
    }
}

/* Claims a name as far as it can be told; `pos` is where unclaimed bytes begin. */
static uint32_t parse_name(rgm_parser *p, const space_name *n, uint32_t pos)
{
    const rgm_section *section = &p->summary->section[RGM_RANM];
    uint64_t end = n->end;
    bool sound = end <= section->length && n->nul == end - 1;
    uint32_t start = section->start + (n->offset < section->length ? n->offset : section->length);
    bool ends = n->nul < section->length && (sound || !n->follows);
    uint64_t stop = ends ? (uint64_t)n->nul + 1 : end < section->length ? end : section->length;
    uint32_t behind = section->start + (uint32_t)stop;
    uint32_t span = LL_NO_SPAN;
    if (start >= pos && behind > start && n->begins) {
        ll_claim_bytes(p->doc, section->span, rgm_unreferenced_LAYOUT, pos, start);
        span = ll_claim_string(p->doc, section->span, rgm_space_name_LAYOUT, start, behind, behind - start - ends,
                               n->actor);
        pos = behind;
    }
    if (!sound) {
        ll_mark_span(p->doc, span, LL_SPAN_BROKEN | LL_SPAN_TOLD); /* by the actor's field */
        raise_name(p, n, span);
    }
    return pos;
}

void rgm_parse_ranm(rgm_parser *p, unsigned ordinal)
{
    ll_doc *doc = p->doc;
    rgm_section *section = &p->summary->section[ordinal];
    section->sound = true;
    uint32_t count;
    const ll_sort_key *keys = rgm_sort_actors(p, rgm_actor_at_ranm_offset, has_name, &count);
    const uint8_t *bytes = doc->bytes + section->start;
    uint32_t pos = section->start;
    uint64_t behind_nul = 0; /* the last one that was looked for: names come in order */
    for (uint32_t i = 0; i < count && doc->status == LL_OK; i++) {
        space_name n = {.actor = keys[i].item, .offset = (uint32_t)keys[i].first};
        n.length = rgm_actor_word(p, n.actor, rgm_actor_at_ranm_length);
        if (n.offset < section->length && behind_nul <= n.offset) {
            behind_nul = (uint64_t)n.offset + rgm_name_length(bytes + n.offset, section->length - n.offset) + 1;
        }
        n.nul = n.offset < section->length ? (uint32_t)(behind_nul - 1) : section->length;
        n.end = (uint64_t)n.offset + n.length;
        n.follows = n.end == (i + 1 < count ? keys[i + 1].first : section->length);
        n.begins = n.offset == 0 ||
                   (n.offset < section->length && (bytes[n.offset - 1] == 0 || section->start + n.offset == pos));
        pos = parse_name(p, &n, pos);
    }
    ll_claim_bytes(doc, section->span, rgm_unreferenced_LAYOUT, pos, section->start + section->length);
}
