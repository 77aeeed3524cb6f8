/* Contents of a workspace. workspace.c and lines.c add files, in any order and in several pieces; packages.c groups
 * them into packages; join.c checks the parts of each package against each other; packages_print.c shows them.
 *
 * A fact takes about 40 bytes and each text is kept once, whatever the sizes of the files. Arrays and harmonics of
 * equal bytes share their facts. Files are sorted by name before anything is judged, so neither threads nor the order
 * of arguments can be seen. A finding is kept as numbers of texts; ll_workspace_report() puts it into words. */
#ifndef LL_PACKAGES_KEPT_H
#define LL_PACKAGES_KEPT_H

#include "base/array.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/text.h"
#include "model/fact.h"
#include "model/value.h"
#include "findings/report.h"
#include "rules/across.h"

#define LL_NO_FILE UINT32_MAX

extern const char *const ll_file_kind_names[LL_FILE_KINDS];

/* A stored fact. Texts are numbers of the pool, which holds each text once. */
typedef struct ll_kept_fact {
    uint64_t number;
    uint32_t owner, index;
    uint32_t text;        /* 0: none */
    uint32_t path, place; /* of the field: path of its span, shared by many facts, and the rest of the path */
    uint32_t offset, length;
    uint16_t kind;
} ll_kept_fact;

typedef struct ll_kept_file {
    const char *name, *identity;
    const char *key;     /* name for comparing files: without "./" and repeated slashes */
    const char *archive; /* name of the archive that contains it; NULL: none */
    uint32_t inner_at;   /* of a member: start of its path in the archive, in `key` */
    uint8_t kind;        /* ll_file_kind; OTHER: not linted, or of a format without a kind */
    bool whole;          /* it was read in full and has no errors; for an archive: the paths of all members are known */
    bool unnamed;        /* member: its path cannot be read; archive: it has such members */
    bool odd_names;      /* harmonics, after ll_workspace_join(): a name contains stray bytes */
    bool found;          /* its report had findings that count; after ll_workspace_join(), for an archive and its
                            members: the report of one of them had */
    uint64_t offset;     /* in the archive */
    uint64_t size;
    uint64_t hash;                   /* hash of the bytes, for arrays and harmonics */
    uint32_t first_fact, fact_count; /* sorted by kind, owner, index; files with the same bytes may share them */
} ll_kept_file;

/* Each part of a package has up to two forms: four slots for files. */
enum { LL_FOLDER, LL_PACKED, LL_FORMS };

/* Slots for the parts in each form, followed by numbers for archives and manifests themselves. */
enum {
    LL_SLOT_PACKED,
    LL_SLOT_FOLDER = LL_SLOT_PACKED + LL_PARTS,
    LL_SLOTS = LL_SLOT_FOLDER + LL_PARTS,
    LL_SLOT_ARCHIVE = LL_SLOTS,
    LL_SLOT_MANIFEST = LL_SLOT_ARCHIVE + LL_PARTS
};
static inline unsigned ll_slot(unsigned part, unsigned form)
{
    return (form == LL_FOLDER ? LL_SLOT_FOLDER : LL_SLOT_PACKED) + part;
}

/* A file with its position in a package. */
typedef struct ll_ref {
    const char *stem;  /* of the package: stem_length bytes, no NUL */
    const char *inner; /* path in the part, with a leading slash; "" for an archive or manifest itself */
    uint64_t hash;     /* ll_path_hash() of that path */
    uint32_t stem_length;
    uint32_t file;
    uint8_t slot; /* ll_slot(), or LL_SLOT_ARCHIVE or LL_SLOT_MANIFEST + part */
} ll_ref;

/* The files of one slot. */
typedef struct ll_part_files {
    uint32_t first, count; /* range in `refs`, sorted by inner path */
    bool complete;         /* all files are known: any other is missing */
} ll_part_files;

typedef struct ll_package {
    const char *stem;
    uint32_t stem_length;
    ll_part_files slots[LL_SLOTS];
    uint32_t archives[LL_PARTS], manifests[LL_PARTS]; /* file numbers; LL_NO_FILE: none */
} ll_package;

/* A finding across files, before it gets the words of its rule. */
typedef struct ll_across_finding {
    uint32_t file;
    uint32_t package;
    uint16_t fault; /* ll_across_fault */
    uint16_t hint;  /* ll_across_hint */
    uint32_t inner; /* text number of the path in the part; equal for the same finding in two forms of a package */
    uint32_t path;  /* text number of the field path */
    uint32_t offset, length;
    uint32_t args[LL_FAULT_ARGS]; /* text numbers */
    uint32_t related_file;        /* LL_NO_FILE: none */
    uint32_t related_path, related_offset, related_length;
    uint8_t patch_size; /* bytes replaced at `offset`; 0: no patch */
    uint8_t patch_tier; /* ll_patch_tier */
    uint64_t patch_value;
} ll_across_finding;

/* Cache of the part of a field path after the path of its span; it is the same for most facts of a kind. */
typedef struct ll_kept_place {
    const ll_field *field; /* NULL: nothing cached */
    uint32_t element;
    uint16_t part;
    bool indexed;
    uint32_t text;
} ll_kept_place;

/* A text of the pool, with its hash. */
typedef struct ll_kept_text {
    const char *text;
    uint64_t hash;
    size_t length;
} ll_kept_text;

/* Index of items, by part and then by hash. Items with equal hashes keep the order in which they were added. */
typedef struct ll_index {
    LL_ARRAY(ll_sort_key) keys;
    LL_ARRAY(uint32_t) starts; /* first key of each part, and the number of keys at the end */
} ll_index;

struct ll_workspace {
    ll_allocator allocator;
    const ll_ruleset *rules;
    ll_status status; /* first failure */
    bool joined;
    ll_arena arena;               /* for names and texts */
    LL_ARRAY(ll_kept_text) texts; /* each text once; number 0 is "" */
    ll_map by_text;
    LL_ARRAY(ll_kept_file) files;
    LL_ARRAY(ll_kept_fact) facts;
    LL_ARRAY(uint32_t) hashed;                /* numbers of files with a hash; for equal bytes, only the first */
    ll_map by_bytes;                          /* hash collisions can only lose findings */
    LL_ARRAY(const char *) folders;           /* keys of folders that were added as complete */
    ll_kept_place places[LL_FACT_KIND_COUNT]; /* for the last fact of each kind */
    ll_span_path span_path;                   /* for the last fact */
    ll_text scratch;
    ll_arena spare; /* for temporary data of a call; empty between calls */

    /* Set by ll_workspace_join(): */
    LL_ARRAY(ll_ref) refs; /* sorted by package, slot (see compare_slots()) and inner path */
    LL_ARRAY(ll_package) packages;
    LL_ARRAY(ll_across_finding) findings; /* sorted by file */
    LL_ARRAY(uint32_t) found;             /* first finding of each file in `findings`, and its count at the end */
    LL_ARRAY(ll_workspace_notice) notices;
    ll_workspace_summary summary;
    ll_map by_finding;
    ll_index by_path;             /* refs by hash of the inner path, per part */
    ll_index by_target;           /* facts that name files, with their refs, by hash of that path, per part */
    ll_index by_name;             /* names in harmonics by hash, per ref */
    bool is_searched;             /* the indexes below were made; they are needed only for paths that lead nowhere */
    ll_index by_letters, by_base; /* refs by inner path and by its last name, ignoring case, per part */
    ll_index by_target_letters;   /* like by_target, ignoring case */
};

/* A text of the pool by its number. */
static inline const char *ll_pool_text(const ll_workspace *w, uint32_t text)
{
    return w->texts.items[text].text;
}
/* Does a fact of this kind name a file of the main part? */
static inline bool ll_names_file(unsigned kind)
{
    return kind >= LL_FACT_LIGHT_ARRAY_FILE && kind <= LL_FACT_HARMONICS_FILE;
}
/* Records a failure, unless there was one before. Returns the first one. */
ll_status ll_workspace_fail(ll_workspace *w, ll_status status);
/* Adds a text without NUL to the pool and returns its number; 0 for "", and if memory runs out, which sets
 * w->status. */
uint32_t ll_pool_put(ll_workspace *w, const char *bytes, size_t n);
uint32_t ll_pool_put_made(ll_workspace *w, const ll_text *text);
/* Text number of the full path of a fact's field. */
uint32_t ll_fact_path(ll_workspace *w, const ll_kept_fact *fact);

/* The name for comparing files; "" if memory runs out. `kept`: the name in the arena. */
const char *ll_keep_key(ll_workspace *w, const char *name, const char *kept);
/* ll_workspace_put_file() adds a file without facts, ll_workspace_put_fact() a fact to the last file. NULL: out of
 * memory, which sets w->status. */
ll_kept_file *ll_workspace_put_file(ll_workspace *w, const char *name, const char *identity, const char *archive);
ll_status ll_workspace_put_fact(ll_workspace *w, const ll_kept_fact *fact);

/* Facts of a file with one kind and owner, or one kind and any owner: returns the first and sets *count. */
const ll_kept_fact *ll_facts_of(const ll_workspace *w, uint32_t file, ll_fact_kind kind, uint32_t owner,
                                uint32_t *count);
const ll_kept_fact *ll_facts_of_kind(const ll_workspace *w, uint32_t file, ll_fact_kind kind, uint32_t *count);
/* The first fact of a kind and owner; NULL: none. */
const ll_kept_fact *ll_fact_of(const ll_workspace *w, uint32_t file, ll_fact_kind kind, uint32_t owner);

#endif
