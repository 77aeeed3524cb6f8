/* Facts: what a document defines and what it refers to in other files. src/packages collects those of many files and
 * judges them together. Rows state the facts, in <family>_facts.def or in a table of the family's own; families know
 * nothing of archives, folders and other files.
 *
 * An LL_FACT row names a field: each element of each record that is not broken gives a fact. LL_FACT_TEXT names a
 * string: each one gives a fact. owner: the number of the element in an array, else the ordinal of the record or of the
 * nearest record around it that has one. LL_FACT_BY names a function of the family that visits facts.
 *
 * Facts that the function of the family fox visits follow. owner: the ordinal of the entity in the file, from 0. Hash:
 * the 64 bits of the value. Its text: the bytes in the string table, NULL if the table does not have it. Broken
 * entities and properties give no facts.
 *   LL_FACT_LIGHT_ARRAY_FILE, _PROBE_ARRAY_FILE   `lightArrayFile` of a LightArray, of a TppLightProbeArray
 *   LL_FACT_OCCLUDER_ARRAY_FILE   `occluderArrayFile` of an OccluderArray
 *   LL_FACT_HARMONICS_FILE        `lpshFile` of a TppLightProbeSHCoefficients
 *                                 of these four: number the hash, text, place the 8 bytes of the value
 *   LL_FACT_SH_COUNT, _DRAW_COUNT, _RELATED_COUNT   `shDatas`, `drawRejectionLevels`, `relatedLights` of a
 *                                 TppLightProbeArray: number the values, place the count of the property (+0A)
 *   LL_FACT_SH_LINK               each value of `shDatas`: index its place in the list; number 0 where handle and name
 *                                 are empty, 1 + the ordinal of the entity that the handle leads to, or
 *                                 LL_FACT_NOWHERE; text the name in the link; place the value
 *   LL_FACT_LINK_ARCHIVE          each value with a handle of `shDatas`, `relatedLights` and `lightList` (of a
 *                                 TppGimmickLightLinkSetData): index; number the hash of the archive path and its text;
 *                                 place the 8 bytes of that hash
 *   LL_FACT_LINK_TARGET           each StaticModelArrayLinkTarget whose `staticModelArray` leads to a LightArray: index
 *                                 the ordinal of the LightArray; number `arrayIndex` and place its bytes; text its name
 */
#ifndef LL_MODEL_FACT_H
#define LL_MODEL_FACT_H

#include "model/doc.h"

/* What a file is in a package. */
typedef enum ll_file_kind {
    LL_FILE_OTHER,
    LL_FILE_ARRAY, /* of lights, probes or occluders */
    LL_FILE_HARMONICS,
    LL_FILE_DATASET,
    LL_FILE_ARCHIVE,  /* holds other files: a judge sets doc->members */
    LL_FILE_MANIFEST, /* lists the members of an archive to be built; of no format */
    LL_FILE_KINDS
} ll_file_kind;
/* The parts of a package. */
enum { LL_MAIN, LL_DATA, LL_PARTS };

/* LL_FACT_<name>, "name" in files of facts. */
#define LL_FACT_KINDS(ROW)                                                                                             \
    ROW(DATASET, "dataset")                         /* arrays: path of the DataSet, text */                            \
    ROW(DATASET_HASH, "dataset-hash")               /* arrays: hash of that path */                                    \
    ROW(ENTRY, "entry")                             /* tag of an entry: four letters, the first in the low byte */     \
    ROW(ENTRY_NAME, "entry-name")                   /* name of an entry, text */                                       \
    ROW(PROBE_FLAGS, "probe-flags")                 /* flags of an entry that is a probe */                            \
    ROW(PROBE_INDEX, "probe-index")                 /* index in the lists of the TppLightProbeArray */                 \
    ROW(PROBE_RELATED_COUNT, "probe-related-count") /* number of lights in its list relatedLights */                   \
    ROW(PROBE_RELATED_START, "probe-related-start") /* index of the first of them */                                   \
    ROW(HARMONICS_NAME, "harmonics-name")           /* harmonics: name of a probe, text */                             \
    ROW(HARMONICS_FLAGS, "harmonics-flags")         /* harmonics: flags of a probe */                                  \
    ROW(LIGHT_ARRAY_FILE, "light-array-file")       /* DataSets: see above */                                          \
    ROW(PROBE_ARRAY_FILE, "probe-array-file")                                                                          \
    ROW(OCCLUDER_ARRAY_FILE, "occluder-array-file")                                                                    \
    ROW(HARMONICS_FILE, "harmonics-file")                                                                              \
    ROW(SH_COUNT, "sh-count")                                                                                          \
    ROW(DRAW_COUNT, "draw-count")                                                                                      \
    ROW(RELATED_COUNT, "related-count")                                                                                \
    ROW(SH_LINK, "sh-link")                                                                                            \
    ROW(LINK_ARCHIVE, "link-archive")                                                                                  \
    ROW(LINK_TARGET, "link-target")                                                                                    \
    ROW(MANIFEST_NAME, "manifest-name") /* manifests, read by src/packages: text; number 0: there is none */          \
    ROW(MANIFEST_TYPE, "manifest-type")                                                                                \
    ROW(MANIFEST_ENTRY, "manifest-entry") /* manifests: index of the entry */

typedef enum ll_fact_kind {
#define LL_FACT_ENUM(name, text) LL_FACT_##name,
    LL_FACT_KINDS(LL_FACT_ENUM)
#undef LL_FACT_ENUM
        LL_FACT_KIND_COUNT
} ll_fact_kind;

#define LL_FACT_NOWHERE UINT32_MAX

typedef struct ll_fact {
    ll_fact_kind kind;
    uint32_t owner, index; /* index in a list; 0: there is no list */
    uint64_t number;
    const uint8_t *text; /* bytes of the document; NULL: none */
    uint32_t text_length;
    ll_where at;
} ll_fact;

/* Returns false to end the collection. */
typedef bool (*ll_fact_fn)(void *ctx, const ll_fact *fact);

/* A row: the field of a record that is a fact of a kind. */
typedef struct ll_fact_row {
    uint16_t layout, field;
    uint16_t kind;
    /* LL_FACT_BY: visits facts that are not the value of one field; false: a visit returned false. NULL: the field is
     * the fact. */
    bool (*visit)(const ll_doc *doc, ll_fact_fn visit, void *ctx);
} ll_fact_row;

/* The class and property whose value is a fact of a kind. */
typedef struct ll_fact_name {
    uint16_t kind;
    const char *class, *property;
} ll_fact_name;

/* Visits all facts of a sealed document. False: a visit returned false. */
bool ll_facts(const ll_doc *doc, ll_fact_fn visit, void *ctx);

#endif
