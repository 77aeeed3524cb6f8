/* Replacing a file as a whole, for the commands that change files and take it back. What goes wrong is said. */
#ifndef LL_CLI_REPLACE_H
#define LL_CLI_REPLACE_H

#include "cli/os.h"

/* What a file is to be, and must be still. */
typedef struct ll_replacement {
    const char *path;
    const void *was, *is;
    size_t was_size, is_size;
    uint64_t offset; /* in `was`: where patches count from */
} ll_replacement;

/* Called while the file is held and is what it was; false: it stays so. */
typedef bool (*ll_before_fn)(void *ctx, const ll_replacement *r);

/* `buffer` is used to read the file once more. `before` NULL: nothing. */
bool ll_replace(const ll_replacement *r, ll_os_buffer *buffer, ll_before_fn before, void *ctx);

/* Writes a whole file; `like` NULL, or the file whose owner and mode it gets. */
bool ll_write_file(const char *path, const char *like, const void *bytes, size_t size);

/* Says what went wrong with a path. Returns false. */
bool ll_say_error(const char *path, int error);

#endif
