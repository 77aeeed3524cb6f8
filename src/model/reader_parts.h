/* What the files of the reader do for each other, from the lowest to the uppermost: none calls one that stands behind
 * it here. reader_like.h stands between what is said of fields and where parts begin. For reader_*.c alone. */
#ifndef LL_MODEL_READER_PARTS_H
#define LL_MODEL_READER_PARTS_H

#include "model/reader_state.h"

/* ------------------------------------------------------------------ what fields say (reader_field.c) */

/* The part is there, as far as fields say. */
bool ll_is_there(const reader *r, size_t row);
/* How many of a part there are to be, and the field that says it. */
uint64_t ll_count_of(const reader *r, size_t row, ll_where *by);
/* Whether the record that begins with these bytes says where it ends, and where. */
uint32_t ll_stated_end(const reader *r, unsigned layout, uint32_t at);
/* Bytes that the rows of the owner behind the one at hand ask for, as far as numbers alone say it. */
uint64_t ll_need_behind(const reader *r);
/* What the field that leads to a part counts from. */
int64_t ll_base_of(const reader *r, const ll_derivation *place, uint32_t span, uint32_t element);
/* The record with the field that leads to a part; LL_NO_SPAN: there is none. */
uint32_t ll_leader_of(const reader *r, size_t row);
/* Where a field says that a part begins; the address behind what was read: none says another place. */
uint64_t ll_stated_place(const reader *r, size_t row, uint32_t element);
/* A field says that the file ends there, and none says otherwise. */
bool ll_is_end_stated(const reader *r, uint64_t end);

/* ------------------------------------------------------------------ what is said of them (reader_expect.c) */

/* A tag or a text is wrong; nothing says what it should be. */
void ll_raise_bytes(reader *r, ll_read_kind kind, unsigned layout, ll_where at, ll_arg found, const char *noun);
/* The owner ends `left` bytes behind what was read, and its parts need more. */
void ll_raise_cut(reader *r, unsigned layout, uint64_t need, uint32_t left);
/* Bytes of the span are left over; begin: of the owner, of whose parts none takes them. */
void ll_raise_left(reader *r, uint32_t span, unsigned layout, uint32_t begin, uint32_t from, uint32_t to);
static inline void ll_raise_rest(reader *r, uint32_t span, unsigned layout, uint32_t begin, uint32_t from, uint32_t to)
{
    if (from < to) {
        ll_raise_left(r, span, layout, begin, from, to);
    }
}
/* A field that what was read gives another value. */
void ll_expect_with(reader *r, ll_read_kind kind, unsigned about, uint32_t span, uint32_t element, unsigned field,
                    int64_t right, evidence more);
/* As ll_expect_with(), of a field that is off by so much; where the one before it is as much off, that fault stands for
 * both. */
void ll_expect_unlike(reader *r, said *before, ll_read_kind kind, ll_where at, int64_t right, int64_t off,
                      evidence more);
/* What is left for an owner's parts is not read. */
void ll_leave_rest(reader *r);

/* ------------------------------------------------------------------ where parts begin (reader_begin.c) */

enum {
    LL_SHORT_TEXT = 512,    /* bytes of the longest text that is tried where a record is sought */
    LL_HASHED_MAX = 1 << 20 /* bytes of texts that are hashed in search of one, in all */
};

/* How sure it is that something begins at a place. */
typedef enum ll_begins {
    LL_BEGINS_MAYBE,  /* one field that all have alike may be wrong */
    LL_BEGINS_SOUND,  /* none is */
    LL_BEGINS_SURELY, /* and that may be any place of the file */
} ll_begins;

/* The row of the list from `first` on whose tag stands at `at`; that for any other tag, or part_count. Most places are
 * asked for twice, and most tags are the same as the one before. */
size_t ll_row_of_tag(const reader *r, size_t first, uint32_t at, uint32_t left);
/* A part of a list, which ll_row_of_tag() told, begins at `at`. Where any place is asked for, and for a tag of zeros,
 * its size has to be possible too; a part without parts has a fixed size. */
bool ll_is_part(const reader *r, size_t row, uint32_t at, uint32_t limit, bool anywhere);
/* Does a part of the list from `first` on begin at `at`? */
bool ll_begins_part(const reader *r, size_t first, uint32_t at, uint32_t limit, bool anywhere);
/* The next place, at or behind `from`, where a part of the list begins; the limit: none does. */
uint32_t ll_next_part(const reader *r, size_t list, uint32_t from, uint32_t limit);
/* The row of a text behind the fields of the record that has its size and its hash; part_count: there is none. */
size_t ll_text_row(const reader *r, unsigned layout);
/* The text behind the record that begins at `at` has the hash that is stated there. */
bool ll_is_text_right(const reader *r, unsigned layout, size_t row, uint32_t at, uint32_t limit, uint32_t longest);
/* A part of the row, which is one of a series, begins at `at`. */
bool ll_series_begins(const reader *r, size_t row, uint32_t at, uint32_t limit, ll_begins how);
/* A part of the series that is being read in an owner begins at `at`, or what may stand behind it. */
bool ll_series_goes_on(const reader *r, const frame *f, uint32_t at, ll_begins how);
/* The next place where it certainly does, at or behind `from`; the limit of the owner: none is. */
uint32_t ll_series_next(const reader *r, const frame *f, uint32_t from);
/* Texts that do not have their hashes lead, by their sizes, to one that has it, or to what ends the series. */
bool ll_leads_by_texts(const reader *r, const frame *f, unsigned layout, size_t text, uint32_t at);
/* The size with which the text of the record at `at` has its hash; 0: there is none. */
uint32_t ll_fitting_size(const reader *r, unsigned layout, size_t text, uint32_t at, uint32_t limit);
/* What the owner goes on with, whose next part is one of a list or of a series, begins at `at`. */
static inline bool ll_goes_on(const reader *r, const frame *f, uint32_t at)
{
    return r->format->parts[f->row].how == LL_PART_SERIES ? ll_series_goes_on(r, f, at, LL_BEGINS_MAYBE)
                                                          : ll_begins_part(r, f->row, at, f->limit, false);
}
/* The next place where what the owner goes on with begins. */
uint32_t ll_next_of(const reader *r, const frame *f, uint32_t from);

/* ------------------------------------------------------------------ parts of each record (reader_each.c) */

/* How many parts the row has; 0: it is none of EACH. */
uint32_t ll_each_count(const reader *r, size_t row);
/* The next part; false: the parts of the next row, if there is one, are of no record. */
bool ll_each_next(const reader *r, each *e);
/* The record that the part belongs to: those of a row may stand in another order than their records. */
uint32_t ll_each_element(const reader *r, each e);
/* Where the part begins, as a field says; 0: none does. */
uint64_t ll_each_place(const reader *r, each e);
/* How long it is, as a field says; UINT64_MAX: none does, or its bytes are not known. */
uint64_t ll_each_size(const reader *r, each e);
/* Where the part behind this one should begin if this one begins at `at` and has `size` bytes: behind the padding. The
 * last one is followed by the end of the file. 0: the size is out of all bounds. */
uint64_t ll_each_end(const reader *r, each e, uint64_t at, uint64_t size);
/* The bytes may be a part of the row: of a text, its NUL stands behind them. */
bool ll_each_may_be(const reader *r, size_t row, uint64_t at, uint64_t size);
/* What stands behind the part begins, or the file ends, where it does if the part begins at `at` and has `size` bytes.
 */
bool ll_each_is_followed(const reader *r, each e, uint64_t at, uint64_t size);
/* The part begins at `at`, if its size and what says where the one behind it begins, or the file ends, are right. Texts
 * that are borne out do not overlap, so that no byte of them is looked at twice. */
bool ll_each_is_borne_out(const reader *r, each e, uint64_t at);
/* The fault that was raised last says it of all parts of records behind this one, which are not read. */
void ll_stand_for_rest(const reader *r, each e);
/* The order in which the parts of a row are read: that in which they stand, which should be that of their records. */
void ll_find_order(reader *r, size_t row);

/* ------------------------------------------------------------------ what records ask for (reader_reach.c) */

/* Do fields of records lead to a part in the body of the layout? */
bool ll_is_referred_to(const ll_doc *doc, unsigned layout);
/* A record has the number of an element that the stated bytes hold, and the actual ones do not. */
bool ll_is_number_lost(const ll_doc *doc, unsigned layout, uint64_t actual, uint64_t stated);
/* How many parts of the row there are to be: one for each record of another layout; 0: that is not so. */
uint32_t ll_records_of(const ll_doc *doc, size_t part);
/* Adds the bytes of all shares that the row is. False: there are no records that have them. */
bool ll_sum_shares(const ll_doc *doc, size_t part, uint64_t *sum);

/* ------------------------------------------------------------------ parts with a size (reader_sized.c) */

/* Texts, or bytes, up to the end of the owner; records, if these are as many as usual. */
void ll_read_filling(reader *r, size_t row);

/* A text up to its NUL, with the padding that belongs to it. */
void ll_read_string(reader *r, each e);
/* Bytes between two parts belong to neither, or to the first one, whose size is too small then. */
void ll_raise_gap(reader *r, each before, uint32_t to);
/* Bytes that nothing is known of but how many they are. Where what stands behind them says otherwise, that holds. */
void ll_read_bytes(reader *r, each e);

/* ------------------------------------------------------------------ the other byte order (reader_swap.c) */

/* Numbers of records of a copy, from `least` bytes behind their begin on, in the other byte order. */
void ll_swap_numbers(const reader *r, unsigned layout, uint32_t at, uint32_t count, uint32_t least);
/* A letter or number of the first record that is always the same is in the other byte order, and so is what follows. */
void ll_judge_magic_order(reader *r, uint32_t span);
/* Of the first record, numbers that say where the next part or the end of the file is are right in the other byte
 * order, and none is as it stands, nor is a count that is not 0: then the file is for another machine, and nothing
 * behind the record is read. Where all counts are 0 nothing tells that. */
void ll_judge_byte_order(reader *r, uint32_t span);

/* ------------------------------------------------------------------ places (reader_place.c) */

/* Padding in front of a part of the layout, or behind it, which should be zeros; counted from `begin` on. */
void ll_read_padding(reader *r, const ll_alignment *row, uint32_t begin, unsigned layout, bool numbered);
/* Compares an offset, which counts from a place of the file, with the right one, for a part of `size` bytes. */
void ll_expect_offset(reader *r, size_t row, ll_where at, int64_t from, int64_t right, uint64_t size);
/* A field leads to the part further on: there it begins if only so all parts of the owner fit, and the bytes between
 * belong to nothing. */
void ll_follow(reader *r, size_t row, uint32_t element);

/* ------------------------------------------------------------------ arrays and choices (reader_array.c) */

/* Elements of one layout. `by`: the field that says how many there are; nowhere: no single one does. apart: each is a
 * span of its own. */
void ll_read_array(reader *r, size_t row, uint16_t layout, bool apart, uint64_t count, const ll_where *by);
/* How many elements an array has, and those behind it that the same field counts, if they fill an owner of which a
 * parser knows where it ends; else the number that is stated. */
uint64_t ll_count_filling(reader *r, size_t row, uint64_t stated, const ll_where *by);
/* Elements of a part: `count` are asked for, and there is room for `whole`. Where the field says it with other words
 * than by the number there is no value that would be right. want: size of the file with all of them. */
void ll_raise_count(reader *r, unsigned about, const ll_where *by, uint64_t count, uint32_t whole, uint64_t want);
/* Each record of a chain leads to the next one, and the last one to none. */
void ll_judge_chain(reader *r, size_t row, uint32_t span);
/* What an LL_CHOICE of the owner says to follow its fields, as many as a field says. */
void ll_read_choice(reader *r, size_t row);

/* ------------------------------------------------------------------ records (reader_record.c) */

/* A record whose parts stand one behind the other where its fields say, up to its end, as nearly all do, in one go.
 * False: something is not so. */
bool ll_read_plain_record(reader *r, size_t row, uint16_t layout, uint32_t index, uint32_t end);
/* The parts of an owner are read next. */
void ll_push_owner(reader *r, size_t row, uint16_t layout, uint32_t span, uint32_t begin, uint32_t limit,
                   uint32_t stated);
/* A record and, if it has any, its parts, which are read next. False: it does not fit. */
bool ll_read_record(reader *r, size_t row, uint32_t index, uint32_t limit);
/* The number and the place of parts of an owner that was read, as rows say. */
void ll_judge_derived(reader *r, const frame *f);
/* All parts of an owner were read. Where its contents and its size do not end at the same place, another part, or the
 * end, tells which of the two is right. */
void ll_pop_owner(reader *r);

/* ------------------------------------------------------------------ items (reader_items.c) */

/* Where items are looked for. */
typedef struct ll_items {
    uint16_t layout; /* of them, */
    uint16_t last;   /* and of the part that ends them; 0: there is none */
    uint32_t limit;  /* behind the last byte that they may have */
} ll_items;

/* Does the part that ends the items begin there? */
bool ll_ends_items(const reader *r, const ll_items *of, uint32_t at);
/* Where the item at `at` ends, whose numbers agree; 0: they do not, or none is there. */
uint32_t ll_end_of_sound(const reader *r, const ll_items *of, uint32_t at);
/* Where the item at `at` ends; 0: its numbers do not say. */
uint32_t ll_end_of_item(const reader *r, const ll_items *of, uint32_t at);
/* Reads an item with the elements that it counts, up to where it ends. */
void ll_read_counted(reader *r, uint16_t layout, uint32_t index, uint32_t end);
/* The next one of a row of ITEMS, or none is left. */
void ll_read_items(reader *r, size_t row);

/* ------------------------------------------------------------------ shares (reader_shares.c) */

/* What each record has of the rest of the owner. */
void ll_read_shares(reader *r, size_t row);

/* ------------------------------------------------------------------ parts led to (reader_led.c) */

/* All of them, up to the end of the owner. */
void ll_read_led(reader *r, size_t row);
/* Lists of items up to what ends them (reader_ended.c). */
void ll_read_ended(reader *r, size_t row);

/* ------------------------------------------------------------------ lists (reader_list.c) */

/* One part of a list; the list goes on until its last part, or its owner's end. */
void ll_read_tagged(reader *r);

/* ------------------------------------------------------------------ sections (reader_sections.h) */

/* All parts of a list that have a known order, and with them the file. */
void ll_read_sections(reader *r);

/* ------------------------------------------------------------------ series (reader_series.c) */

/* One part of the series that is being read, or its end. */
void ll_read_series(reader *r);
/* A text of as many bytes as its owner says, in which a hash of it stands. */
void ll_read_hashed(reader *r, size_t row);

/* ------------------------------------------------------------------ all of them (reader.c) */

struct ll_stretch;
/* Reads a stretch as a variant, by the plan of the document. */
void ll_read_as(ll_doc *doc, const ll_plan *plan, const struct ll_stretch *what, unsigned variant);

#endif
