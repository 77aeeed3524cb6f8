/* Tables of the names of types and roles, and the fields of strings. */
#include "model/layout.h"

#include <string.h>

const ll_field ll_string_fields[LL_STRING_PARTS] = {
    [LL_STRING_TEXT] = {"text", 0, 0, LL_TYPE_TEXT, LL_ROLE_STRING, LL_SURE_KNOWN, "", "the bytes before the NUL"},
    [LL_STRING_TERMINATOR] = {"terminator", 0, 0, LL_TYPE_BYTES, LL_ROLE_TERMINATOR, LL_SURE_KNOWN, "", "the NUL"},
    [LL_STRING_PADDING] = {"padding", 0, 0, LL_TYPE_BYTES, LL_ROLE_PADDING, LL_SURE_KNOWN, "",
                           "zero bytes after the NUL"},
};

static const char *const types[LL_TYPES] = {
#define ROW(type, name, bytes) name,
    LL_TYPE_ROWS(ROW)
#undef ROW
        [LL_TYPE_TEXT] = "string",
};

static const char *const roles[LL_ROLES] = {
#define ROW(role, name) name,
    LL_ROLE_ROWS(ROW)
#undef ROW
};

const char *ll_type_name(unsigned type)
{
    return type < LL_TYPES ? types[type] : "?";
}

const char *ll_role_name(unsigned role)
{
    return role < LL_ROLES ? roles[role] : "";
}

const char *ll_sure_name(unsigned sure)
{
    return sure == LL_SURE_KNOWN ? "known" : sure == LL_SURE_SEEN ? "seen" : "guess";
}

unsigned ll_layout_find(const ll_layout *layout, const char *name)
{
    for (unsigned i = 0; i < layout->field_count; i++) {
        if (strcmp(layout->fields[i].name, name) == 0) {
            return i;
        }
    }
    return LL_NO_FIELD;
}
