/* Functions that the files of the reader share, in layers from the lowest to the highest: no file calls one that is
 * declared after its own functions. reader_like.h is between reader_expect.c and reader_begin.c. Only for reader_*.c.
 * `row` is a number in format->parts, `at` an address; "part of a row" is a part that the row describes. */
#ifndef LL_MODEL_READER_PARTS_H
#define LL_MODEL_READER_PARTS_H

#include "model/reader_state.h"

/* ------------------------------------------------------------------ what fields say (reader_field.c) */

/* The part of a row is there, according to fields and the variant. */
bool ll_is_there(const reader *r, size_t row);
/* The number of parts of a row that a field states, and that field. 0: none does. */
uint64_t ll_count_of(const reader *r, size_t row, ll_where *by);
/* The address where the record at `at` ends, according to its size. 0: it has no size, or the size is impossible. */
uint32_t ll_stated_end(const reader *r, unsigned layout, uint32_t at);
/* Bytes that the next rows of the owner need, as far as numbers state them. */
uint64_t ll_need_behind(const reader *r);
/* The address that the field which leads to a part counts from. */
int64_t ll_base_of(const reader *r, const ll_derivation *place, uint32_t span, uint32_t element);
/* Span of the record with the field that leads to the part of a row. LL_NO_SPAN: there is none. */
uint32_t ll_leader_of(const reader *r, size_t row);
/* The address where a part begins, according to a field. r->at: no field leads to it. */
uint64_t ll_stated_place(const reader *r, size_t row, uint32_t element);
/* A field states that the file ends at `end`, and no field states another end. */
bool ll_is_end_stated(const reader *r, uint64_t end);

/* ------------------------------------------------------------------ faults about fields and bytes (reader_expect.c) */

/* Raises a fault about a tag or a text for which no right value is known. */
void ll_raise_bytes(reader *r, ll_read_kind kind, unsigned layout, ll_where at, ll_arg found, const char *noun);
/* Raises a fault: `left` bytes after r->at the owner ends, and its parts need `need` bytes and those of the rows
 * after. */
void ll_raise_cut(reader *r, unsigned layout, uint64_t need, uint32_t left);
/* Claims bytes that belong to no part, and raises a fault. begin: address of the owner. */
void ll_raise_left(reader *r, uint32_t span, unsigned layout, uint32_t begin, uint32_t from, uint32_t to);
static inline void ll_raise_rest(reader *r, uint32_t span, unsigned layout, uint32_t begin, uint32_t from, uint32_t to)
{
    if (from < to) {
        ll_raise_left(r, span, layout, begin, from, to);
    }
}
/* A field, for ll_expect_with(), which looks up its bytes only for a fault. */
static inline ll_where ll_field_in(uint32_t span, uint32_t element, unsigned field)
{
    return (ll_where){.span = span, .element = element, .field = (uint16_t)field, .part = LL_NO_PART};
}
/* Raises a fault if the field `at` does not have the value that other bytes give it. In a copy, writes unknown bytes of
 * the field instead. */
void ll_expect_with(reader *r, ll_read_kind kind, unsigned about, ll_where at, int64_t right, const evidence *more);
/* As ll_expect_with(), for a field that is off by `more->off`. If the same field of the part before is off by as much,
 * that fault stands for both. */
void ll_expect_unlike(reader *r, said *before, ll_read_kind kind, ll_where at, int64_t right, const evidence *more);
/* Claims the rest of the owner as unparsed. */
void ll_leave_rest(reader *r);

/* ------------------------------------------------------------------ where parts begin (reader_begin.c) */

enum {
    LL_SHORT_TEXT = 512,    /* bytes of the longest text that is hashed in a search for a record */
    LL_HASHED_MAX = 1 << 20 /* most bytes of texts that are hashed in vain, in all */
};

/* How certain it must be that a part begins at an address. */
typedef enum ll_begins {
    LL_BEGINS_MAYBE,  /* one constant may be wrong */
    LL_BEGINS_SOUND,  /* all constants are right */
    LL_BEGINS_SURELY, /* right constants, and enough of them to search everywhere */
} ll_begins;

/* The row, from `first` on, whose tag is at `at`; else the row for any other tag; else part_count. The answer for the
 * last place is kept, as most places are asked for twice. */
size_t ll_row_of_tag(const reader *r, size_t first, uint32_t at, uint32_t left);
/* A part of a list begins at `at`, where ll_row_of_tag() found its row. `anywhere`, or a tag of zeros: its size must be
 * possible as well, and if it has no parts, be that of its layout. */
bool ll_is_part(const reader *r, size_t row, uint32_t at, uint32_t limit, bool anywhere);
/* A part of the list from row `first` on begins at `at`. */
bool ll_begins_part(const reader *r, size_t first, uint32_t at, uint32_t limit, bool anywhere);
/* The next address, from `from` on, where a part of the list begins; `limit`: there is none. */
uint32_t ll_next_part(const reader *r, size_t list, uint32_t from, uint32_t limit);
/* The row of the text after a record that states the size and the hash of the text. part_count: there is none. */
size_t ll_text_row(const reader *r, unsigned layout);
/* The text after the record at `at` has the stated hash. */
bool ll_is_text_right(const reader *r, unsigned layout, size_t row, uint32_t at, uint32_t limit, uint32_t longest);
/* A part of a SERIES row begins at `at`. */
bool ll_series_begins(const reader *r, size_t row, uint32_t at, uint32_t limit, ll_begins how);
/* At `at` begins a part of the owner's series or a part that may follow the series. */
bool ll_series_goes_on(const reader *r, const frame *f, uint32_t at, ll_begins how);
/* The next address, from `from` on, where the series certainly goes on; the owner's limit: there is none. */
uint32_t ll_series_next(const reader *r, const frame *f, uint32_t from);
/* From the record at `at` on, texts with wrong hashes lead by their sizes to a record whose text has its hash, or to
 * what ends the series. */
bool ll_leads_by_texts(const reader *r, const frame *f, unsigned layout, size_t text, uint32_t at);
/* The size, up to the first NUL, with which the text of the record at `at` has the stated hash. 0: there is none. */
uint32_t ll_fitting_size(const reader *r, unsigned layout, size_t text, uint32_t at, uint32_t limit);
/* The list or series that comes next in the owner goes on at `at`. */
static inline bool ll_goes_on(const reader *r, const frame *f, uint32_t at)
{
    return r->format->parts[f->row].how == LL_PART_SERIES ? ll_series_goes_on(r, f, at, LL_BEGINS_MAYBE)
                                                          : ll_begins_part(r, f->row, at, f->limit, false);
}
/* The next address where the list or series of the owner goes on. */
uint32_t ll_next_of(const reader *r, const frame *f, uint32_t from);

/* ------------------------------------------------------------------ parts of each record (reader_each.c) */

/* Number of parts of an EACH row; 0 for other rows. */
uint32_t ll_each_count(const reader *r, size_t row);
/* Goes to the next part. False: there is none, or the next row is no EACH row. */
bool ll_each_next(const reader *r, each *e);
/* The element that the part belongs to. Parts may stand in another order than their records. */
uint32_t ll_each_element(const reader *r, each e);
/* The address of the part, according to a field. 0: no field leads to it. */
uint64_t ll_each_place(const reader *r, each e);
/* The bytes of the part, according to a field. UINT64_MAX: no field states it, or the field's bytes are unknown. */
uint64_t ll_each_size(const reader *r, each e);
/* The address where the next part, or the end of the file, should be if the part begins at `at` and has `size` bytes:
 * after the padding. 0: the size is impossible. */
uint64_t ll_each_end(const reader *r, each e, uint64_t at, uint64_t size);
/* The bytes may be a part of the row. For a text: the first NUL is after them. */
bool ll_each_may_be(const reader *r, size_t row, uint64_t at, uint64_t size);
/* The next part begins, or the file ends, where it should if the part begins at `at` and has `size` bytes. */
bool ll_each_is_followed(const reader *r, each e, uint64_t at, uint64_t size);
/* The part begins at `at` if its stated size is right and the next part or the end of the file confirms it. Confirmed
 * texts do not overlap, so each byte is looked at once. */
bool ll_each_is_confirmed(const reader *r, each e, uint64_t at);
/* Makes the last fault stand for all parts of EACH rows after this one, which are not read. */
void ll_stand_for_rest(const reader *r, each e);
/* Finds the order in which the parts of an EACH row stand, which should be that of their records. */
void ll_find_order(reader *r, size_t row);

/* ------------------------------------------------------------------ what records ask for (reader_reach.c) */

/* Fields of records lead to a part in the body of the layout. */
bool ll_is_referred_to(const ll_doc *doc, unsigned layout);
/* A record holds the number of an element that is within the stated bytes, but not within the actual ones. */
bool ll_is_number_lost(const ll_doc *doc, unsigned layout, uint64_t actual, uint64_t stated);
/* Number of parts of a row, one for each record of another layout. 0: the row is not of that form. */
uint32_t ll_records_of(const ll_doc *doc, size_t part);
/* Adds the bytes of all shares of a row to *sum. False: no record has shares of it. */
bool ll_sum_shares(const ll_doc *doc, size_t part, uint64_t *sum);

/* ------------------------------------------------------------------ parts with a size (reader_sized.c) */

/* Reads texts or bytes up to the end of the owner, or an array with the usual number of records. */
void ll_read_filling(reader *r, size_t row);

/* Reads a text up to its NUL, and the padding that belongs to it. */
void ll_read_string(reader *r, each e);
/* Claims the bytes up to `to` as a gap and raises a fault: they belong to no part, or the size of the part before is
 * too small. */
void ll_raise_gap(reader *r, each before, uint32_t to);
/* Reads bytes of which only the size is known. If the next part confirms another size, that one applies. */
void ll_read_bytes(reader *r, each e);

/* ------------------------------------------------------------------ the other byte order (reader_swap.c) */

/* In a copy, reverses the numbers of the records that doc->swap names, except those in the first `least` bytes of a
 * record. */
void ll_swap_numbers(const reader *r, unsigned layout, uint32_t at, uint32_t count, uint32_t least);
/* If a constant of the first record is in the other byte order, and the next part makes no sense as it stands, the file
 * is for another machine: marks it as unsupported and reads no further. */
void ll_judge_magic_order(reader *r, uint32_t span);
/* Raises SWAPPED for a file for another machine, and reads no further. In such a file, numbers of the first record that
 * locate the next part or the end of the file are right in the other byte order. No number is right as it stands, and
 * not all counts are 0, as nothing could be told then. */
void ll_judge_byte_order(reader *r, uint32_t span);

/* ------------------------------------------------------------------ places (reader_place.c) */

/* Claims the padding that a row asks for in front of or after a part of the layout. Offsets count from `begin`. The
 * padding should be zeros. */
void ll_read_padding(reader *r, const ll_alignment *row, uint32_t begin, unsigned layout, bool numbered);
/* Raises a fault if an offset, which counts from the address `from`, is not `right`. size: bytes of the part. */
void ll_expect_offset(reader *r, size_t row, ll_where at, int64_t from, int64_t right, uint64_t size);
/* Compares the field that leads to a part with r->at. If it leads further on, and only then all parts of the owner fit,
 * the part begins there and the bytes between belong to nothing. */
void ll_follow(reader *r, size_t row, uint32_t element);

/* ------------------------------------------------------------------ arrays and choices (reader_array.c) */

/* Reads an array. by: the field that states `count`; nowhere: no single field. apart: each element is a span of its
 * own. */
void ll_read_array(reader *r, size_t row, uint16_t layout, bool apart, uint64_t count, const ll_where *by);
/* The number of elements of an array in an owner whose end is known: as many as fill it, together with the arrays
 * after that the same field counts. Else `stated`. */
uint64_t ll_count_filling(reader *r, size_t row, uint64_t stated, const ll_where *by);
/* Raises a fault: `count` elements are stated, and there is room for `whole`. There is no right value if the field does
 * not hold the number itself. want: file size with all elements. */
void ll_raise_count(reader *r, unsigned about, const ll_where *by, uint64_t count, uint32_t whole, uint64_t want);
/* Checks that each record of a chain leads to the next one, and the last one to none. */
void ll_judge_chain(reader *r, size_t row, uint32_t span);
/* Reads what an LL_CHOICE of the owner selects, as often as a field says. */
void ll_read_choice(reader *r, size_t row);

/* ------------------------------------------------------------------ records (reader_record.c) */

/* Reads a record up to `end` at once, if its parts stand one after the other where its fields say, as in nearly all
 * files. False, claiming nothing: something is wrong. */
bool ll_read_plain_record(reader *r, size_t row, uint16_t layout, uint32_t index, uint32_t end);
/* Pushes an owner: its parts are read next. */
void ll_push_owner(reader *r, size_t row, uint16_t layout, uint32_t span, bounds at);
/* Reads a record. If it has parts, they are read next. False: it does not fit. */
bool ll_read_record(reader *r, size_t row, uint32_t index, uint32_t limit);
/* Raises faults if fields of an owner do not state the number and place of its parts. */
void ll_judge_derived(reader *r, const frame *f);
/* Pops an owner whose parts were read. If its size does not agree with its contents, the next part, or the end of what
 * holds it, decides which of the two is right. */
void ll_pop_owner(reader *r);

/* ------------------------------------------------------------------ items (reader_items.c) */

/* A range of items. */
typedef struct ll_items {
    uint16_t layout; /* layout of an item */
    uint16_t last;   /* layout of the part that ends them; 0: there is none */
    uint32_t limit;  /* address after the last byte that they may have */
} ll_items;

/* The part that ends the items begins at `at`. */
bool ll_ends_items(const reader *r, const ll_items *of, uint32_t at);
/* The address where the item at `at` ends. 0: its size and its number of elements disagree, or there is no item. */
uint32_t ll_end_of_sound(const reader *r, const ll_items *of, uint32_t at);
/* The address where the item at `at` ends. 0: its numbers do not say. */
uint32_t ll_end_of_item(const reader *r, const ll_items *of, uint32_t at);
/* Reads an item and the elements that it counts, up to `end`. */
void ll_read_counted(reader *r, uint16_t layout, uint32_t index, uint32_t end);
/* Reads the next part of an ITEMS row, or goes to the next row. */
void ll_read_items(reader *r, size_t row);

/* ------------------------------------------------------------------ shares (reader_shares.c) */

/* Reads the share of each record, up to the end of the owner. */
void ll_read_shares(reader *r, size_t row);

/* ------------------------------------------------------------------ parts led to (reader_led.c) */

/* Reads all parts of a LED row, up to the end of the owner. */
void ll_read_led(reader *r, size_t row);
/* As ll_read_led(), for lists of items with a last part (reader_ended.c). */
void ll_read_ended(reader *r, size_t row);

/* ------------------------------------------------------------------ lists (reader_list.c) */

/* Reads one part of a list. The list goes on until its last part, or the end of its owner. */
void ll_read_tagged(reader *r);

/* ------------------------------------------------------------------ sections (section_state.h) */

/* Reads all sections, which are the whole file. */
void ll_read_sections(reader *r);

/* ------------------------------------------------------------------ series (reader_series.c) */

/* Reads one part of a series, or ends the series. */
void ll_read_series(reader *r);
/* Reads a text whose owner states its size and its hash. */
void ll_read_hashed(reader *r, size_t row);

/* ------------------------------------------------------------------ all of them (reader.c, reader_variant.c) */

/* Reads the whole file by its parts, as the variant that fits best. */
void ll_read_file(ll_doc *doc);

struct ll_stretch;
/* Reads a range as a variant (1 + its number; 0: all parts), by the plan of the document. */
void ll_read_as(ll_doc *doc, const ll_plan *plan, const struct ll_stretch *what, unsigned variant);

#endif
