/* The Redguard scene family (.rgm): numbers of its records, fields, faults and hints, and what its index holds for
 * the checks. Byte layouts and evidence: docs/formats/rgm.md. */
#ifndef LL_FORMATS_RGM_H
#define LL_FORMATS_RGM_H

#include "base/map.h"
#include "model/format.h"
#include "model/names.h"

#include <string.h>

#define LL_FAMILY rgm
#define LL_FAMILY_CAPS RGM
#define LL_FAMILY_LAYOUTS "formats/rgm/rgm_layout.def"
#define LL_FAMILY_FAULTS "formats/rgm/rgm_faults.def"
#define LL_FAMILY_CHECKS "formats/rgm/rgm_checks.def"
#define LL_FAMILY_HINTS "formats/rgm/rgm_hints.def"
#define LL_FAMILY_SPACE "formats/rgm/rgm_space.def"
#define LL_FAMILY_NEEDS rgm_index
#include "model/family_expand.h"

/* The sections in the order in which they stand. */
typedef enum rgm_ordinal {
#define LL_RGM_SECTION(name, ...) RGM_##name,
#include "formats/rgm/rgm_sections.def"
#undef LL_RGM_SECTION
    RGM_SECTIONS,
    RGM_SLICED = RGM_RASC - RGM_RASB + 1 /* sections of which each actor has a slice, one behind the other */
} rgm_ordinal;

#define RGM_NO_ACTOR LL_NO_INDEX

enum { RGM_NAME = 9 };

/* One section as the reader took it. */
typedef struct rgm_section {
    uint32_t span;    /* header; LL_NO_SPAN: the section is absent */
    uint32_t start;   /* of the payload, in the file; 0 when absent */
    uint32_t length;  /* of the payload, as far as the section reaches; 0 when absent */
    int64_t surplus;  /* what that is beyond the stated length */
    uint32_t records; /* span of the one array of equal records; LL_NO_SPAN: none. RAST, RAAN, RAGR, RANM, RASC, WDNM:
                         first child */
    uint32_t count;   /* elements of `records`; RAST: strings, whose spans are records, records + 1, ...; WDNM: maps */
    bool shifted;     /* bytes were put in or taken out, and a fault says so */
    bool sound;       /* it is there, length and count agree: what other sections say about it may be compared */
} rgm_section;

/* A statement of an actor's script, to begin reading at. */
typedef struct soup_mark {
    uint32_t offset; /* in the block */
    uint32_t statement;
} soup_mark;

/* What is known of one actor; by number of its record. */
typedef struct rgm_actor_info {
    uint32_t block;   /* span of the bytecode; LL_NO_SPAN: none */
    soup_mark *marks; /* of a long block, in order, made when a place in it was first named; NULL: none yet */
    uint32_t mark_count;
    uint64_t *groups;   /* of the first actor of a list, when a script asked: a bit for each animation group */
    uint32_t ragr_list; /* span (rgm.ragr_list) of its animation groups, which actors may share; LL_NO_SPAN: none */
    uint32_t frames;    /* of its model files; meaningless when !frames_known */
    bool frames_known;
    uint32_t list_highest; /* of the first actor of a list: the highest group that the engine takes */
    uint32_t list_frames;  /* of the first actor of a list: the most frames that an actor of it has; 0: none has, or one
                              is not known */
    bool shared;           /* another actor has the same name */
    bool sound[RGM_SLICED]; /* of RASB, RAVA, RASC the slice lies where it should: nobody reported its offset or size */
} rgm_actor_info;

/* What one check has found out and others need as well: made by whichever comes first. A document belongs to one
 * thread. */
typedef struct rgm_memo {
    struct rgm_naming *naming;   /* rgm_name_checks.c */
    struct rgm_strings *strings; /* rgm_string_checks.c */
    ll_arena *arena;             /* of the document */
} rgm_memo;

/* Made of the document by rgm_index(). */
typedef struct rgm_summary {
    rgm_section section[RGM_SECTIONS];
    uint32_t actor_count;   /* records of section[RGM_RAHD].records; 0 when RAHD is broken or absent */
    rgm_actor_info *actors; /* actor_count of them */
    const uint8_t *heads;   /* first actor's record; NULL: none */
    uint32_t end;           /* span of END, LL_NO_SPAN: none */
    rgm_memo *memo;         /* of checks and reports */
} rgm_summary;

static inline const rgm_summary *rgm_summary_of(const ll_doc *doc)
{
    return ll_doc_memo(doc, rgm_index);
}

static inline const rgm_section *rgm_section_of(const ll_doc *doc, unsigned ordinal)
{
    return &rgm_summary_of(doc)->section[ordinal];
}

/* Length of the name in a field of `size` bytes: up to the first NUL, or all of it. */
static inline uint32_t rgm_name_length(const uint8_t *field, uint32_t size)
{
    const uint8_t *nul = memchr(field, 0, size);
    return nul ? (uint32_t)(nul - field) : size;
}
/* A name field of `size` bytes at an offset in the file, up to its NUL, as an argument. */
ll_arg rgm_name_arg(const ll_doc *doc, uint32_t offset, uint32_t size);
/* The script_name of an actor as an argument. */
ll_arg rgm_actor_name(const ll_doc *doc, uint32_t actor);
/* The record of an actor. False: there is no such actor, or its record was not claimed. Loops over actors end by it. */
LL_MUST_CHECK static inline bool rgm_actor_record(const ll_doc *doc, uint32_t actor, ll_element *out)
{
    return ll_element_at(doc, rgm_summary_of(doc)->section[RGM_RAHD].records, actor, out);
}
static inline ll_where rgm_actor_at(const ll_doc *doc, uint32_t actor, unsigned field)
{
    return ll_at_field(doc, rgm_summary_of(doc)->section[RGM_RAHD].records, actor, field);
}

/* The slice that an actor has of RASB, RAVA or RASC lies where it should. */
static inline bool rgm_is_slice_sound(const ll_doc *doc, uint32_t actor, unsigned ordinal)
{
    return rgm_summary_of(doc)->actors[actor].sound[ordinal - RGM_RASB];
}

/* Reports a check's fault with a patch: the field at its place gets a value, if it can hold it. */
static inline void rgm_report_value(ll_check_run *run, ll_fault *fault, uint64_t right)
{
    if (right != UINT64_MAX && (fault->at.length >= sizeof right || right >> 8 * fault->at.length == 0)) {
        ll_patch_field(run->doc, fault, LL_PATCH_UNSAFE, right);
    }
    ll_report_fault(run, fault);
}

/* The length field of a section that is there. */
static inline ll_where rgm_length_at(const ll_doc *doc, const rgm_section *section)
{
    return ll_at_field(doc, section->span, 0, rgm_rahd_length);
}

extern const ll_format rgm_format;

ll_probe_result rgm_probe(const uint8_t *bytes, size_t size);

#endif
