/* What a workspace holds. Filled file by file (workspace.c, lines.c), in any order and in several pieces; sorted into
 * packages (packages.c), whose parts are then judged against each other (join.c) and shown (packages_print.c).
 *
 * A fact takes about 40 bytes and each text is kept once, whatever the sizes of the files. Arrays and harmonics of
 * equal bytes share their facts. Files are sorted by name before anything is judged, so that neither threads nor the
 * order of arguments can be seen. A finding is kept as numbers of texts; ll_workspace_report() puts it into words. */
#ifndef LL_WORKSPACE_KEPT_H
#define LL_WORKSPACE_KEPT_H

#include "base/array.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/text.h"
#include "model/fact.h"
#include "model/value.h"
#include "report/report.h"
#include "rules/across.h"

#define LL_NO_FILE UINT32_MAX

/* What a file is to a package. */
typedef enum ll_file_kind {
    LL_FILE_OTHER,
    LL_FILE_ARRAY,     /* .grxla, .grxoc */
    LL_FILE_HARMONICS, /* .lpsh */
    LL_FILE_DATASET,   /* .fox2 */
    LL_FILE_ARCHIVE,   /* .fpk, .fpkd */
    LL_FILE_MANIFEST,  /* .fpk.xml, .fpkd.xml */
    LL_FILE_KINDS
} ll_file_kind;
extern const char *const ll_file_kind_names[LL_FILE_KINDS];

/* A fact that is kept. Texts are numbers in the pool, which holds each of them once. */
typedef struct ll_kept_fact {
    uint64_t number;
    uint32_t owner, index;
    uint32_t text;        /* 0: none */
    uint32_t path, place; /* of the field: the path of its span, which many facts share, and the rest */
    uint32_t offset, length;
    uint16_t kind;
} ll_kept_fact;

typedef struct ll_kept_file {
    const char *name, *identity;
    const char *key;     /* the name by which files are compared: without "./" and doubled slashes */
    const char *archive; /* name of the archive that holds it; NULL: none does */
    uint32_t inner_at;   /* of a member: where its path in the archive begins in the key */
    uint8_t kind;        /* ll_file_kind; OTHER: it was not linted, or is of a format without a meaning here */
    bool whole;          /* all of it was read, and is without errors; of an archive: the paths of all members */
    bool unnamed;        /* of a member: its path cannot be read; of an archive: it has such members */
    bool odd_names;      /* harmonics, once joined: stray bytes stand in one of its names */
    bool found;          /* its report had findings that count; once joined: or that of its archive, or of a member */
    uint64_t offset;     /* in the archive */
    uint64_t size;
    uint64_t hash;                   /* of the bytes of arrays and harmonics */
    uint32_t first_fact, fact_count; /* sorted by kind, owner, index; files of the same bytes may share them */
} ll_kept_file;

/* The four places in which a package may have files: parts in two forms. */
enum { LL_MAIN, LL_DATA, LL_PARTS };
enum { LL_FOLDER, LL_PACKED, LL_FORMS };

/* Numbers of the parts in their forms, and behind them of archives and manifests themselves. */
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

/* A file in a part. */
typedef struct ll_ref {
    const char *stem;  /* of the package: stem_length bytes */
    const char *inner; /* path in the part, with a slash in front; "" of an archive or manifest itself */
    uint64_t hash;     /* ll_path_hash() of that path */
    uint32_t stem_length;
    uint32_t file;
    uint8_t slot; /* ll_slot(), or LL_SLOT_ARCHIVE or LL_SLOT_MANIFEST + part */
} ll_ref;

/* One part in one form. */
typedef struct ll_part_files {
    uint32_t first, count; /* refs, sorted by inner path */
    bool complete;         /* what is not there is missing */
} ll_part_files;

typedef struct ll_package {
    const char *stem;
    uint32_t stem_length;
    ll_part_files slots[LL_SLOTS];
    uint32_t archives[LL_PARTS], manifests[LL_PARTS]; /* files; LL_NO_FILE: none */
} ll_package;

/* A finding across files, before it is put into the words of its rule. */
typedef struct ll_across_finding {
    uint32_t file;
    uint32_t package;
    uint16_t fault; /* ll_across_fault */
    uint16_t hint;  /* ll_across_hint */
    uint32_t inner; /* text: path in the part, by which the same finding in two forms of a package is known */
    uint32_t path;  /* of the field */
    uint32_t offset, length;
    uint32_t args[LL_FAULT_ARGS]; /* texts */
    uint32_t related_file;        /* LL_NO_FILE: none */
    uint32_t related_path, related_offset, related_length;
    uint8_t patch_size; /* bytes at `offset` that are replaced; 0: no patch */
    uint8_t patch_tier; /* ll_patch_tier */
    uint64_t patch_value;
} ll_across_finding;

/* What stands behind the path of its span in the path of a field: of most facts of a kind the same. */
typedef struct ll_kept_place {
    const ll_field *field; /* NULL: none is kept */
    uint32_t element;
    uint16_t part;
    bool indexed;
    uint32_t text;
} ll_kept_place;

/* A text of the pool, and by what it is found there. */
typedef struct ll_kept_text {
    const char *text;
    uint64_t hash;
    size_t length;
} ll_kept_text;

/* Items by what they belong to and by hash; of equal ones the order is that in which they were added. */
typedef struct ll_index {
    LL_ARRAY(ll_sort_key) keys;
    LL_ARRAY(uint32_t) starts; /* where the keys of each part begin, and at the end their number */
} ll_index;

struct ll_workspace {
    ll_allocator allocator;
    const ll_ruleset *rules;
    ll_status status; /* the first failure */
    bool joined;
    ll_arena arena;               /* of names and texts */
    LL_ARRAY(ll_kept_text) texts; /* each once; the first is "" */
    ll_map by_text;
    LL_ARRAY(ll_kept_file) files;
    LL_ARRAY(ll_kept_fact) facts;
    LL_ARRAY(uint32_t) hashed;                /* files with a hash, of each bytes the first */
    ll_map by_bytes;                          /* who makes files to collide loses findings */
    LL_ARRAY(const char *) folders;           /* keys of folders that were added as a whole */
    ll_kept_place places[LL_FACT_KIND_COUNT]; /* of the last fact of each kind */
    ll_span_path span_path;                   /* of the last fact */
    ll_text scratch;
    ll_arena spare; /* of one call; empty between them */

    /* After ll_workspace_join(): */
    LL_ARRAY(ll_ref) refs; /* sorted by package, by slot in an order of their own, and by inner path */
    LL_ARRAY(ll_package) packages;
    LL_ARRAY(ll_across_finding) findings; /* sorted by file */
    LL_ARRAY(uint32_t) found;             /* where in findings those of each file begin */
    LL_ARRAY(ll_workspace_notice) notices;
    ll_workspace_summary summary;
    ll_map by_finding;
    ll_index by_path;             /* refs by hash of the inner path; part */
    ll_index by_target;           /* facts that name files, and their refs, by hash of that path; part */
    ll_index by_name;             /* names in harmonics by hash; ref */
    bool is_searched;             /* the rest was made: only where a path leads nowhere */
    ll_index by_letters, by_base; /* refs by inner path, and by its end, whatever the case; part */
    ll_index by_target_letters;   /* as by_target, whatever the case */
};

/* A text of the pool. */
static inline const char *ll_pool_text(const ll_workspace *w, uint32_t text)
{
    return w->texts.items[text].text;
}
/* Is it a fact that names a file of the main part? */
static inline bool ll_names_file(unsigned kind)
{
    return kind >= LL_FACT_LIGHT_ARRAY_FILE && kind <= LL_FACT_HARMONICS_FILE;
}
/* Keeps the first failure. */
ll_status ll_workspace_fail(ll_workspace *w, ll_status status);
/* Puts a text there; 0 for "", and where memory runs out, which w->status says. */
uint32_t ll_pool_put(ll_workspace *w, const char *bytes, size_t n);
uint32_t ll_pool_put_made(ll_workspace *w, const ll_text *text);
/* The path of the field of a fact, as one text of the pool. */
uint32_t ll_fact_path(ll_workspace *w, const ll_kept_fact *fact);

/* The name by which files are compared; "" when there is no memory. `kept`: the name in the arena. */
const char *ll_keep_key(ll_workspace *w, const char *name, const char *kept);
/* Adds a file without facts, and a fact to the file that was added last. NULL: no memory, as w->status says. */
ll_kept_file *ll_workspace_put_file(ll_workspace *w, const char *name, const char *identity, const char *archive);
ll_status ll_workspace_put_fact(ll_workspace *w, const ll_kept_fact *fact);

/* Facts of a file of one kind and owner, or of all owners: the first of them, and how many. */
const ll_kept_fact *ll_facts_of(const ll_workspace *w, uint32_t file, ll_fact_kind kind, uint32_t owner,
                                uint32_t *count);
const ll_kept_fact *ll_facts_of_kind(const ll_workspace *w, uint32_t file, ll_fact_kind kind, uint32_t *count);
/* The first of one kind and owner; NULL: there is none. */
const ll_kept_fact *ll_fact_of(const ll_workspace *w, uint32_t file, ll_fact_kind kind, uint32_t owner);

#endif
