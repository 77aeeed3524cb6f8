/* Shared by the parts of the rgm parser: rgm_scan.h is about the sections, rgm_forms.c says what they are,
 * rgm_sections.c claims what is in them; rgm_raan.c and rgm_ragr.c do so where it must be walked. What rows of
 * rgm_layout.def say of a section, the reader reads. */
#ifndef LL_FORMATS_RGM_PARSER_H
#define LL_FORMATS_RGM_PARSER_H

#include "base/sort.h"
#include "formats/rgm/rgm.h"

enum {
    RGM_HEADER = rgm_rahd_SIZE,
    RGM_SHIFT_MAX = 64 /* most bytes put in or taken out that are looked for */
};

typedef struct rgm_parser {
    ll_doc *doc;
    rgm_summary *summary;
    uint64_t slices[RGM_SECTIONS]; /* RASB, RAVA and RASC: bytes that all actors together need */
    bool collides;                 /* an actor has collision points */
    struct {
        uint32_t from, to, part;
        bool wrong;
    } rows; /* what rows read of the document before the section at hand */
} rgm_parser;

/* What a section is, by ordinal; that of RGM_SECTIONS is END. */
typedef struct rgm_form {
    const char *name;
    uint32_t tag;
    uint16_t header;   /* layout */
    uint16_t head;     /* layout of what begins with the count; 0: there is none */
    uint16_t layout;   /* of the records that its payload is; 0: it has another form */
    uint16_t size;     /* of a record */
    uint16_t per_item; /* bytes for one more in the count in front of the records; 0: there is none */
} rgm_form;
extern const rgm_form rgm_forms[RGM_SECTIONS + 1];

/* Claims the payload of a section, whose header is section[ordinal].span. */
void rgm_parse_section(rgm_parser *p, unsigned ordinal);

/* Length of the payload that its count or the number of actors ask for, 0 when nothing says it. `left`: bytes up to the
 * file's end. */
uint64_t rgm_expected_length(const rgm_parser *p, unsigned ordinal, uint32_t payload, uint32_t left);
/* Length of the payload that the offsets and sizes of all actors ask for; 0 when they do not follow each other. */
uint64_t rgm_reach(rgm_parser *p, unsigned ordinal);
/* The same of a section of records, where the first that looks wrong is, and claims all from `from` on. */
void rgm_claim_front(rgm_parser *p, unsigned ordinal, uint32_t from, int64_t more);
/* Records in front of the first that looks wrong, at most `most`. */
uint32_t rgm_count_plausible(const rgm_parser *p, uint16_t layout, uint32_t from, uint32_t most);
/* What a length that is no whole number of records is too long, or below 0 too short. */
int64_t rgm_excess(const rgm_section *section, uint32_t size);
/* Takes back what was claimed and said of a section since a mark: it is not read. Returns the span of its contents. */
uint32_t rgm_take_back(rgm_parser *p, unsigned ordinal, const ll_doc_mark *mark);
/* Does so with a walked section where bytes were put in or taken out, and says so. */
void rgm_judge_walk(rgm_parser *p, unsigned ordinal, const ll_doc_mark *mark);
/* Says where bytes were put into RAST, or taken out of it, by the entries of RASB. */
void rgm_judge_strings(rgm_parser *p);
/* By how many bytes the lists of RAGR are shifted behind some place; 0: it cannot be told. */
int64_t rgm_lists_excess(rgm_parser *p);
/* The highest group of a list that the engine takes. */
uint32_t rgm_highest_group(const ll_doc *doc, uint32_t list);
void rgm_claim_array(rgm_parser *p, rgm_section *section, uint16_t layout, uint32_t from, uint32_t count);
/* Claims the count in front of records; false, and a fault, when there is none. */
bool rgm_claim_count(rgm_parser *p, unsigned ordinal, uint32_t *span);
/* A summary of nothing. */
void rgm_clear(rgm_summary *summary);
/* Finds the actors in RAHD's payload, before anything is claimed; forgets those found before. */
void rgm_find_actors(rgm_parser *p, uint32_t payload, uint32_t length);
/* Room for what is known of each, and who has which name. */
void rgm_note_names(rgm_parser *p);

/* The actors that `wanted` takes (NULL: all), *count of them, sorted by the word at `at` of their records and by
 * number. NULL when there are no actors or memory ran out. */
const ll_sort_key *rgm_sort_actors(rgm_parser *p, uint32_t at, bool (*wanted)(const rgm_parser *p, uint32_t actor),
                                   uint32_t *count);

void rgm_parse_raan(rgm_parser *p, unsigned ordinal);
void rgm_parse_ragr(rgm_parser *p, unsigned ordinal);
void rgm_parse_ranm(rgm_parser *p, unsigned ordinal);

/* The little-endian words at an offset that lies in the file. */
static inline uint32_t rgm_word(const ll_doc *doc, uint32_t offset)
{
    return ll_le32(doc->bytes + offset);
}
static inline uint32_t rgm_half(const ll_doc *doc, uint32_t offset)
{
    return ll_le16(doc->bytes + offset);
}
/* Raises a fault with a patch: the field at its place gets a value, if it can hold it; the byte there gets a NUL.
 * UINT64_MAX: nobody knows which. */
static inline void rgm_raise_value(ll_doc *doc, ll_fault fault, ll_patch_tier tier, uint64_t right)
{
    if (right != UINT64_MAX && (fault.at.length >= sizeof right || right >> 8 * fault.at.length == 0)) {
        ll_patch_field(doc, &fault, tier, right);
    }
    ll_raise(doc, &fault);
}
/* The four letters of a tag or a key. */
static inline bool rgm_is_printable(const uint8_t *letters)
{
    for (unsigned i = 0; i < 4; i++) {
        if (letters[i] < 0x20 || letters[i] > 0x7E) {
            return false;
        }
    }
    return true;
}
/* A word of an actor's record; `at` is the field's offset in it. */
static inline uint32_t rgm_actor_word(const rgm_parser *p, uint32_t actor, uint32_t at)
{
    return ll_le32(p->summary->heads + (size_t)actor * rgm_actor_SIZE + at);
}

#endif
