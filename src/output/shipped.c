#include "output/shipped.h"

#include <string.h>

const char *ll_shipped_text(const char *name, const char *kind)
{
    size_t n = strlen(name);
    const ll_shipped *s = ll_shipped_files;
    while (s->name && (strncmp(s->name, name, n) != 0 || s->name[n] != '.' || strcmp(s->name + n + 1, kind) != 0)) {
        s++;
    }
    return s->text;
}
