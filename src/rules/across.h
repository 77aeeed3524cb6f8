/* Faults across files, which the rules of the family "mod" report. No reader raises them; src/packages does. */
#ifndef LL_RULES_ACROSS_H
#define LL_RULES_ACROSS_H

#include "model/doc.h"
#include "rules/rule.h"

/* LL_ACROSS_<name>, "slug", "arguments", the parts of the package whose files are compared: m main, d data. A capital:
 * the fault is raised only if the whole part is known. */
#define LL_ACROSS_FAULTS(ROW)                                                                                          \
    ROW(CM00_PATH, "cm00-path", "{0} path, {1} path by the place of the file", "")                                     \
    ROW(DATASET_MISSING, "dataset-missing", "{0} path, {1} data part, {2} another DataSet", "D")                       \
    ROW(ARRAY_UNREFERENCED, "array-unreferenced", "{0} path of the array, {1} path of the DataSet", "d")               \
    ROW(ARRAY_CLASS, "array-class", "{0} tag, {1} class of the entity", "md")                                          \
    ROW(ARRAY_FILE, "array-file", "{0} path, {1} main part, {2} a near file", "M")                                     \
    ROW(PATH_CASE, "path-case", "{0} path, {1} path that is there", "md")                                              \
    ROW(ARRAY_SHARED, "array-shared", "{0} path", "")                                                                  \
    ROW(SH_INDEX, "sh-index", "{0} index, {1} length, {2} list", "md")                                                 \
    ROW(SH_COUNT, "sh-count", "{0} length, {1} probes, {2} path of the array", "m")                                    \
    ROW(DRAW_COUNT, "draw-count", "{0} length, {1} probes, {2} path of the array", "m")                                \
    ROW(RELATED_RANGE, "related-range", "{0} first, {1} count, {2} length", "md")                                      \
    ROW(LPSH_FILE, "lpsh-file", "{0} path, {1} main part, {2} a near file", "M")                                       \
    ROW(LPSH_UNUSED, "lpsh-unused", "{0} path", "D")                                                                   \
    ROW(PROBE_NOT_IN_LPSH, "probe-not-in-lpsh", "{0} name, {1} path of the harmonics, {2} near names", "md")           \
    ROW(PROBE_NOT_IN_LPSH_DAMAGED, "probe-not-in-lpsh-damaged", "the same", "md")                                      \
    ROW(PROBE_FLAGS, "probe-flags", "{0} bits 1 to 4 of the flags, {1} flags in the harmonics", "md")                  \
    ROW(SH_UNLINKED, "sh-unlinked", "{0} bits 1 to 3 of the flags", "md")                                              \
    ROW(LINK_ARCHIVE, "link-archive", "{0} path or hash, {1} path of the DataSet", "")                                 \
    ROW(LINK_TARGET, "link-target", "{0} index, {1} name of the target, {2} name of the entry", "m")                   \
    ROW(WRONG_PART, "wrong-part", "{0} path, {1} part", "")                                                            \
    ROW(MANIFEST_UNLISTED, "manifest-unlisted", "{0} files, {1} the first", "")                                        \
    ROW(MANIFEST_MISSING_FILE, "manifest-missing-file", "{0} path", "")                                                \
    ROW(MANIFEST_TYPE, "manifest-type", "{0} value, {1} value that fits", "")                                          \
    ROW(MANIFEST_ORDER, "manifest-order", "{0} path, {1} path in front of it", "")                                     \
    ROW(ARCHIVE_STALE, "archive-stale", "{0} files, {1} the first", "")                                                \
    ROW(FOLDER_STALE, "folder-stale", "{0} members, {1} the first", "")                                                \
    ROW(ARCHIVE_DIFFERS, "archive-differs", "{0} path", "")

typedef enum ll_across_fault {
#define LL_ACROSS_ENUM(name, ...) LL_ACROSS_##name,
    LL_ACROSS_FAULTS(LL_ACROSS_ENUM)
#undef LL_ACROSS_ENUM
        LL_ACROSS_COUNT
} ll_across_fault;

/* Likely causes: LL_ACROSS_HINT_<name>, "key", "condition". */
#define LL_ACROSS_HINTS(ROW)                                                                                           \
    ROW(MOVED, "moved", "another DataSet of the package names the array", "")                                          \
    ROW(BASE_NAME, "base-name", "a file of the same name lies elsewhere in the part", "")                              \
    ROW(NEAR_NAMES, "near-names", "the harmonics have names that are like it", "")

typedef enum ll_across_hint {
    LL_ACROSS_NO_HINT,
#define LL_ACROSS_ENUM(name, ...) LL_ACROSS_HINT_##name,
    LL_ACROSS_HINTS(LL_ACROSS_ENUM)
#undef LL_ACROSS_ENUM
        LL_ACROSS_HINT_COUNT
} ll_across_hint;

extern const ll_named ll_across_faults[LL_ACROSS_COUNT];
extern const char *const ll_across_parts[LL_ACROSS_COUNT]; /* the fourth column */
/* The fault across files that a rule reports; LL_ACROSS_COUNT: none. */
unsigned ll_across_fault_of(const ll_rule *rule);
extern const ll_named ll_across_hints[LL_ACROSS_HINT_COUNT - 1];

#endif
