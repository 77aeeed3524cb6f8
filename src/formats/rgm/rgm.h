/* The Redguard scene family (.rgm): numbers of its records, fields, faults and hints, and the index of a map that its
 * checks use. Byte layouts and evidence: docs/formats/rgm.md. */
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

/* The sections, in file order. */
typedef enum rgm_ordinal {
#define LL_RGM_SECTION(name, ...) RGM_##name,
#include "formats/rgm/rgm_sections.def"
#undef LL_RGM_SECTION
    RGM_SECTIONS,
    RGM_SLICED = RGM_RASC - RGM_RASB + 1 /* number of sections that are divided into one slice for each actor */
} rgm_ordinal;

#define RGM_NO_ACTOR LL_NO_INDEX

enum {
    RGM_NAME = 9,
    RGM_GROUP_MAX = 177 /* highest number of a group that the engine takes */
};

/* One section as it was read. */
typedef struct rgm_section {
    uint32_t span;    /* header; LL_NO_SPAN: the section is absent */
    uint32_t start;   /* file offset of the payload; 0: the section is absent */
    uint32_t length;  /* bytes of the payload as it was read; 0: the section is absent */
    uint32_t records; /* span of the array of records; LL_NO_SPAN: none. RAST, RAAN, RAGR, RANM, RASC, WDNM: the first
                         child */
    uint32_t count;   /* elements of `records`; RAST: strings, whose spans are records, records + 1, ...; WDNM: maps */
    bool shifted;     /* part of the section was not read; a fault says why */
    bool sound;       /* it is there, and its length and count agree, so other sections may be compared with it */
} rgm_section;

/* A statement at which reading a block can begin. */
typedef struct soup_mark {
    uint32_t offset; /* offset in the block */
    uint32_t statement;
} soup_mark;

/* What is known of one actor. Indexed by the number of its record. */
typedef struct rgm_actor_info {
    uint32_t block;   /* span of the bytecode; LL_NO_SPAN: none */
    soup_mark *marks; /* of a long block, by offset; made when a place in it is first named; NULL: none */
    uint32_t mark_count;
    uint64_t *groups;   /* in the first actor of a list: a bit for each animation group; NULL: no script has asked for
                           them yet */
    uint32_t ragr_list; /* span (rgm.ragr_list) of its animation groups, which actors may share; LL_NO_SPAN: none */
    uint32_t frames;    /* frames of its model files; undefined if !frames_known */
    bool frames_known;
    uint32_t list_highest;  /* in the first actor of a list: the highest group number in it that the engine takes */
    uint32_t list_frames;   /* in the first actor of a list: the most frames of an actor that has it; 0: none, or one is
                               unknown */
    bool shared;            /* another actor has the same name */
    bool sound[RGM_SLICED]; /* slices of RASB, RAVA and RASC: no fault is about their offset or size */
} rgm_actor_info;

/* What one check finds out and others use; the first that needs it makes it. Not shared between threads. */
typedef struct rgm_memo {
    struct rgm_naming *naming;   /* rgm_name_checks.c */
    struct rgm_strings *strings; /* rgm_string_checks.c */
    ll_arena *arena;             /* of the document */
} rgm_memo;

/* The index of a map, made by rgm_index(); lives as long as the document. */
typedef struct rgm_summary {
    rgm_section section[RGM_SECTIONS];
    uint32_t actor_count;   /* records of section[RGM_RAHD].records; 0: RAHD is broken or absent */
    rgm_actor_info *actors; /* actor_count elements */
    const uint8_t *heads;   /* record of the first actor; NULL: none */
    uint32_t end;           /* span of END; LL_NO_SPAN: none */
    rgm_memo *memo;         /* for checks and reports */
} rgm_summary;

static inline const rgm_summary *rgm_summary_of(const ll_doc *doc)
{
    return ll_doc_memo(doc, rgm_index);
}

static inline const rgm_section *rgm_section_of(const ll_doc *doc, unsigned ordinal)
{
    return &rgm_summary_of(doc)->section[ordinal];
}

/* Bytes of the name in a field of `size` bytes: up to the first NUL, or all of it. */
static inline uint32_t rgm_name_length(const uint8_t *field, uint32_t size)
{
    const uint8_t *nul = memchr(field, 0, size);
    return nul ? (uint32_t)(nul - field) : size;
}
/* The name in a field of `size` bytes at a file offset, as an argument of a fault. */
ll_arg rgm_name_arg(const ll_doc *doc, uint32_t offset, uint32_t size);
/* The script_name of an actor, as an argument of a fault. */
ll_arg rgm_actor_name(const ll_doc *doc, uint32_t actor);
/* Gets the record of an actor. False: there is none, or it was not claimed; loops over actors end there. */
LL_MUST_CHECK static inline bool rgm_actor_record(const ll_doc *doc, uint32_t actor, ll_element *out)
{
    return ll_element_at(doc, rgm_summary_of(doc)->section[RGM_RAHD].records, actor, out);
}
static inline ll_where rgm_actor_at(const ll_doc *doc, uint32_t actor, unsigned field)
{
    return ll_at_field(doc, rgm_summary_of(doc)->section[RGM_RAHD].records, actor, field);
}

/* No fault is about the offset or size of the actor's slice of RASB, RAVA or RASC. */
static inline bool rgm_is_slice_sound(const ll_doc *doc, uint32_t actor, unsigned ordinal)
{
    return rgm_summary_of(doc)->actors[actor].sound[ordinal - RGM_RASB];
}

/* Reports a check's fault with an unsafe patch that sets the field at its place to `right`. No patch if `right` is
 * UINT64_MAX or does not fit in the field. */
static inline void rgm_report_value(ll_check_run *run, ll_fault *fault, uint64_t right)
{
    if (right != UINT64_MAX && (fault->at.length >= sizeof right || right >> 8 * fault->at.length == 0)) {
        ll_patch_field(run->doc, fault, LL_PATCH_UNSAFE, right);
    }
    ll_report_fault(run, fault);
}

/* The length field of a section. The section has to be there. */
static inline ll_where rgm_length_at(const ll_doc *doc, const rgm_section *section)
{
    return ll_at_field(doc, section->span, 0, rgm_rahd_length);
}

extern const ll_format rgm_format;

ll_probe_result rgm_probe(const uint8_t *bytes, size_t size);

#endif
