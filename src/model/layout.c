/* Names and widths of types and roles, and the fields of strings. Constant tables only. */
#include "model/layout.h"

#include <string.h>

const ll_field ll_string_fields[LL_STRING_PARTS] = {
    [LL_STRING_TEXT] = {"text", 0, 0, LL_TYPE_TEXT, LL_ROLE_STRING, LL_SURE_KNOWN, "", "the bytes before the NUL"},
    [LL_STRING_TERMINATOR] = {"terminator", 0, 0, LL_TYPE_BYTES, LL_ROLE_TERMINATOR, LL_SURE_KNOWN, "", "the NUL"},
    [LL_STRING_PADDING] = {"padding", 0, 0, LL_TYPE_BYTES, LL_ROLE_PADDING, LL_SURE_KNOWN, "",
                           "zero bytes behind the NUL"},
};

static const char *const types[LL_TYPES] = {
    [LL_TYPE_U8] = "u8",       [LL_TYPE_U16] = "u16",     [LL_TYPE_U24] = "u24", [LL_TYPE_U32] = "u32",
    [LL_TYPE_U64] = "u64",     [LL_TYPE_I8] = "i8",       [LL_TYPE_I16] = "i16", [LL_TYPE_I24] = "i24",
    [LL_TYPE_I32] = "i32",     [LL_TYPE_F16] = "f16",     [LL_TYPE_F32] = "f32", [LL_TYPE_CHARS] = "char",
    [LL_TYPE_BYTES] = "bytes", [LL_TYPE_TEXT] = "string",
};

static const char *const roles[LL_ROLES] = {
    [LL_ROLE_DATA] = "",
    [LL_ROLE_MAGIC] = "magic",
    [LL_ROLE_SIZE] = "size",
    [LL_ROLE_OFFSET] = "offset",
    [LL_ROLE_COUNT] = "count",
    [LL_ROLE_PADDING] = "padding",
    [LL_ROLE_RESERVED] = "reserved",
    [LL_ROLE_HASH] = "hash",
    [LL_ROLE_STRING] = "string",
    [LL_ROLE_TERMINATOR] = "terminator",
    [LL_ROLE_CODE] = "code",
};

const char *ll_type_name(unsigned type)
{
    return type < LL_TYPES ? types[type] : "?";
}

const char *ll_role_name(unsigned role)
{
    return role < LL_ROLES ? roles[role] : "";
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
