/* Reads the YAML files that users write for lightlint. */
#ifndef LL_CLI_YAML_FILE_H
#define LL_CLI_YAML_FILE_H

#include "base/yaml.h"
#include "cli/os.h"

/* Limit of a file in bytes; some 200,000 suppressions. They take about 200 MB of memory while they are read. */
enum { LL_YAML_FILE_MAX = 16 * 1024 * 1024 };

typedef enum ll_read_result { LL_READ_DONE, LL_READ_MISSING, LL_READ_REFUSED } ll_read_result;

/* Reads the file at `shown`, the name that messages use. The buffer holds its bytes, the arena the tree; *root is NULL
 * if the file has only comments. Refusals are reported on stderr, a missing file is not. `advice` ends the message
 * about a file that cannot be read ("; ..." or ""). */
ll_read_result ll_yaml_file_read(ll_arena *arena, ll_os_buffer *buffer, const char *shown, const char *advice,
                                 const ll_yaml **root);

/* Reports a file with the name `shown`, but ending in ".yml", which is not read. */
void ll_yaml_file_notice(const char *shown);

#endif
