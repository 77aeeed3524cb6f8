/* Replaces whole files, for `fix` and `fix --undo`. Errors are reported. */
#ifndef LL_CLI_REPLACE_H
#define LL_CLI_REPLACE_H

#include "cli/os.h"

/* The contents that a file must still have, and its new contents. */
typedef struct ll_replacement {
    const char *path;
    const void *was, *is;
    size_t was_size, is_size;
    uint64_t offset; /* in `was`: start of the member whose patches are applied */
} ll_replacement;

/* Called while the file is locked and unchanged; false: do not replace it. */
typedef bool (*ll_before_fn)(void *ctx, const ll_replacement *r);

/* Replaces the file if it still has the contents `was`. `buffer` is used to read it again. `before` may be NULL. */
bool ll_replace(const ll_replacement *r, ll_os_buffer *buffer, ll_before_fn before, void *ctx);

/* Writes a whole file. `like`: a file whose owner and mode it gets, or NULL. */
bool ll_write_file(const char *path, const char *like, const void *bytes, size_t size);

/* Reports an error about a path. Returns false. */
bool ll_say_error(const char *path, int error);

#endif
