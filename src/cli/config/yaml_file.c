/* Reads a YAML file into a tree. The callers know the keys. */
#include "cli/config/yaml_file.h"

#include "cli/config/config.h"
#include "cli/output.h"

#include <stdio.h>
#include <string.h>

void ll_yaml_file_notice(const char *shown)
{
    char other[LL_CONFIG_PATH_MAX];
    int n = snprintf(other, sizeof other, "%.*syml", (int)(strlen(shown) - strlen("yaml")), shown);
    if (n < (int)sizeof other && ll_os_is_there(other)) {
        (void)ll_say("notice: %s is not read: its name must end in .yaml", other);
    }
}

ll_read_result ll_yaml_file_read(ll_arena *arena, ll_os_buffer *buffer, const char *shown, const char *advice,
                                 const ll_yaml **root)
{
    ll_problem problem = {0};
    *root = NULL;
    ll_os_kind kind = ll_os_kind_of(shown);
    int error = kind > LL_OS_HIDDEN ? ll_os_read(buffer, shown) : 0;
    bool gone = kind != LL_OS_LINK && ll_os_is_missing(error);
    if (kind <= LL_OS_HIDDEN || gone) {
        return LL_READ_MISSING;
    }
    if (error) {
        const char *words = kind == LL_OS_LINK ? "a broken link" : ll_os_error_text(error);
        (void)ll_say("%s: %s%s", shown, words, advice);
        return LL_READ_REFUSED;
    }
    static const ll_yaml_limits limits = {LL_YAML_FILE_MAX, LL_YAML_SCALAR_MAX, LL_YAML_FILE_MAX / 4};
    ll_status status = ll_yaml_read_large(arena, (const char *)buffer->bytes, buffer->size, &limits, root, &problem);
    return ll_accept(status, shown, &problem) ? LL_READ_DONE : LL_READ_REFUSED;
}
