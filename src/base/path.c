/* Windows only: elsewhere paths have no drive, and a backslash is part of a name. */
#include "base/path.h"

#include <string.h>

size_t ll_path_drive(const char *path)
{
    char letter = path[0];
    if (((letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z')) && path[1] == ':') {
        return 2;
    }
    size_t server = path[0] == '/' && path[1] == '/' ? strcspn(path + 2, "/") : 0;
    if (!server || path[2 + server] != '/') {
        return 0;
    }
    size_t share = strcspn(path + server + 3, "/");
    return share ? server + 3 + share : 0;
}

void ll_path_adopt(char *path)
{
    for (; *path; path++) {
        *path = *path == '\\' ? '/' : *path;
    }
}
