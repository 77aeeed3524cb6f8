/* Replaces a whole file while it is locked, and only if it still has the contents that were read. */
#include "cli/replace.h"

#include "cli/output.h"

#include <string.h>

bool ll_say_error(const char *path, int error)
{
    return ll_say("%s: %s", path, ll_os_error_text(error));
}

static bool write_over(const char *path, const char *like, const void *bytes, size_t size, int *hold)
{
    ll_os_target *target = NULL;
    int error = ll_os_target_open(path, &target);
    if (error) {
        return ll_say_error(path, error);
    }
    error = ll_os_target_write(target, bytes, size);
    if (error) {
        ll_os_target_abandon(target);
        return ll_say_error(path, error);
    }
    if (like) {
        ll_os_target_like(target, like);
    }
    error = ll_os_target_commit(target, hold);
    return !error || ll_say_error(path, error);
}

bool ll_write_file(const char *path, const char *like, const void *bytes, size_t size)
{
    return write_over(path, like, bytes, size, NULL);
}

static bool is_as_read(const ll_replacement *r, ll_os_buffer *buffer)
{
    int error = ll_os_read(buffer, r->path);
    if (error) {
        return ll_say_error(r->path, error);
    }
    bool same = buffer->size == r->was_size && (!buffer->size || memcmp(buffer->bytes, r->was, buffer->size) == 0);
    return same || ll_say("%s: changed by another program meanwhile; not replaced", r->path);
}

bool ll_replace(const ll_replacement *r, ll_os_buffer *buffer, ll_before_fn before, void *ctx)
{
    int hold = -1;
    if (ll_os_is_shared(r->path)) {
        return ll_say("%s: the file has other names (hard links), which would not change; not replaced", r->path);
    }
    int error = ll_os_hold(r->path, true, &hold);
    if (error) {
        return ll_say_error(r->path, error);
    }
    bool done =
        is_as_read(r, buffer) && (!before || before(ctx, r)) && write_over(r->path, NULL, r->is, r->is_size, &hold);
    ll_os_release(hold);
    return done;
}
