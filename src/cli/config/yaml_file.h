/* The YAML files that people write for the tool: reading one, and refusing what it says with the place and in the same
 * words wherever it is read. */
#ifndef LL_CLI_YAML_FILE_H
#define LL_CLI_YAML_FILE_H

#include "base/yaml.h"
#include "cli/os.h"

typedef enum ll_read_result { LL_READ_DONE, LL_READ_MISSING, LL_READ_REFUSED } ll_read_result;

/* Reads the file that `shown` opens; messages name it so. The buffer holds its bytes, the arena the tree; *root is NULL
 * when there is nothing but comments. What was refused was said on stderr, a missing file was not. `advice` ends the
 * message about a file that cannot be read ("; ..." or ""). */
ll_read_result ll_yaml_file_read(ll_arena *arena, ll_os_buffer *buffer, const char *shown, const char *advice,
                                 const ll_yaml **root);

/* Says that a file of the name that `shown` has but for ".yml" at its end is not read, where there is one. */
void ll_yaml_file_notice(const char *shown);

/* Says "FILE:LINE:COLUMN: ..." on stderr. Returns false. */
LL_PRINTF(3, 4)
bool ll_refuse_at(const char *shown, const ll_yaml *node, const char *format, ...);

/* Refuses a key that is none of `names`, which end in NULL: with the one that was meant, else with all of them. */
bool ll_refuse_key(const char *shown, const ll_yaml *key, const char *const *names);

/* What stands there instead of what was expected: "a text", "a list", "a map", "nothing". */
const char *ll_kind_found(const ll_yaml *node);

#endif
