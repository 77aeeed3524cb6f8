/* The commands `config init`, which writes a commented file to start from, and `config schema`, which prints the JSON
 * Schema. Both are generated from keys.def. */
#include "cli/commands.h"

#include "base/text.h"
#include "cli/config/keys.h"
#include "cli/output.h"

#include <string.h>

/* ------------------------------------------------------------------ the start file */

/* Writes a paragraph as comment lines. */
static void put_comment(ll_out *out, const char *text)
{
    enum { WIDTH = 100 };
    size_t column = 0;
    while (*text) {
        size_t n = strcspn(text, " ");
        bool breaks = column && column + 1 + n > WIDTH;
        column = breaks ? 0 : column;
        ll_out_print(out, "%s%s%.*s", breaks ? "\n" : "", column ? " " : "# ", (int)n, text);
        column += n + (column ? 1 : 2);
        text += n;
        text += strspn(text, " ");
    }
    ll_out_print(out, "\n");
}

/* Writes an example that is not in force: each line begins with "#" without a space, so that removing that character
 * enables it. */
static void put_example(ll_out *out, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n") + 1;
        ll_out_print(out, "#%.*s", (int)n, text);
        text += n;
    }
}

static void put_start(ll_out *out)
{
    put_comment(out,
                "Settings of lightlint for this directory and all below it. Nearer files win, key by key; the command "
                "line wins over all files. See lightlint-config(5); `lightlint config show PATH` shows the settings of "
                "a path. Lines that begin with `#` and no space are examples: remove the `#` to use them.");
    for (size_t i = 0; i < LL_KEY_COUNT; i++) {
        const ll_key_row *row = &ll_key_rows[i];
        if (row->where & LL_KEY_AT_TOP) {
            ll_out_print(out, "\n");
            put_comment(out, row->meaning);
            if (i == LL_KEY_ROOT) {
                ll_out_print(out, "%s", row->example);
            } else {
                put_example(out, row->example);
            }
        }
    }
}

/* ------------------------------------------------------------------ the schema */

static void put_enum(ll_text *out, const char *const *names)
{
    ll_text_str(out, "\"enum\": [");
    for (size_t i = 0; names[i]; i++) {
        ll_text_format(out, "%s\"%s\"", i ? ", " : "", names[i]);
    }
    ll_text_char(out, ']');
}

static void put_type(ll_text *out, const ll_key_row *row)
{
    static const char *const begin[] = {
        [LL_TYPE_SWITCH] = "\"type\": \"boolean\"",
        [LL_TYPE_LEVELS] = "\"type\": \"object\",\n          \"propertyNames\": { \"minLength\": 1 },\n"
                           "          \"additionalProperties\": { ",
        [LL_TYPE_PATH] = "\"type\": \"string\"",
        [LL_TYPE_URL] = "\"type\": \"string\",\n          \"pattern\": \"^(https?://[!#-;=?-\\\\[\\\\]_a-z~]+)?$\"",
        [LL_TYPE_FAIL_LEVEL] = "",
        [LL_TYPE_UNSUPPORTED] = "",
        [LL_TYPE_GAME] = "",
        [LL_TYPE_OVERRIDES] = "\"type\": \"array\",\n          \"maxItems\": 256,\n"
                              "          \"items\": { \"$ref\": \"#/definitions/override\" }",
    };
    const char *games[LL_GAME_NAMES_MAX];
    const char *const *names = ll_key_words(row, games);
    if (!begin[row->type]) { /* in draft 07 "$ref" hides its siblings; "allOf" around it keeps the description */
        ll_text_format(out, "\"allOf\": [{ \"$ref\": \"#/definitions/%s\" }]", row->never_empty ? "some" : "any");
        return;
    }
    ll_text_str(out, begin[row->type]);
    if (names) {
        put_enum(out, names);
    }
    ll_text_str(out, row->type == LL_TYPE_LEVELS ? " }" : "");
}

/* Writes the keys allowed at one place as members of "properties". */
static void put_properties(ll_text *out, unsigned where)
{
    const char *comma = "";
    for (size_t i = 0; i < LL_KEY_COUNT; i++) {
        const ll_key_row *row = &ll_key_rows[i];
        if (row->where & where) {
            ll_text_format(out, "%s\n        \"%s\": {\n          \"description\": \"", comma, row->name);
            ll_text_json(out, row->meaning, strlen(row->meaning));
            ll_text_str(out, "\",\n          ");
            put_type(out, row);
            ll_text_str(out, "\n        }");
            comma = ",";
        }
    }
    ll_text_str(out, "\n      }");
}

static void put_schema(ll_text *out)
{
    ll_text_str(out,
                "{\n"
                "  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
                "  \"title\": \"lightlint configuration, schema 1\",\n"
                "  \"description\": \"A .lightlint.yaml file, read as YAML 1.2 (off and never are texts). Printed "
                "by `lightlint config schema`. Only lightlint itself checks whether rules and files exist.\",\n"
                "  \"oneOf\": [\n"
                "    { \"type\": \"null\" },\n"
                "    { \"$ref\": \"#/definitions/settings\" }\n"
                "  ],\n"
                "  \"definitions\": {\n"
                "    \"text\": { \"type\": \"string\", \"minLength\": 1 },\n"
                "    \"any\": {\n"
                "      \"oneOf\": [\n"
                "        { \"$ref\": \"#/definitions/text\" },\n"
                "        { \"type\": \"array\", \"items\": { \"$ref\": \"#/definitions/text\" } }\n"
                "      ]\n"
                "    },\n"
                "    \"some\": {\n"
                "      \"oneOf\": [\n"
                "        { \"$ref\": \"#/definitions/text\" },\n"
                "        { \"type\": \"array\", \"minItems\": 1, \"items\": { \"$ref\": \"#/definitions/text\" } }\n"
                "      ]\n"
                "    },\n"
                "    \"settings\": {\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n"
                "      \"properties\": {");
    put_properties(out, LL_KEY_AT_TOP);
    ll_text_str(out,
                "\n    },\n    \"override\": {\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n"
                "      \"required\": [\"files\"],\n      \"minProperties\": 2,\n      \"properties\": {");
    put_properties(out, LL_KEY_IN_OVERRIDE);
    ll_text_str(out, "\n    }\n  }\n}\n");
}

/* ------------------------------------------------------------------ the commands */

int ll_config_init(void)
{
    ll_out out;
    if (ll_os_is_there(LL_CONFIG_NAME)) {
        (void)ll_say("config init: " LL_CONFIG_NAME " already exists; not changed");
        return LL_EXIT_TROUBLE;
    }
    if (!ll_out_open(&out, LL_CONFIG_NAME, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    put_start(&out);
    if (!ll_out_close(&out) || !ll_out_open(&out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    ll_out_print(&out, "wrote " LL_CONFIG_NAME ": an example for each key; only root: true is active\n");
    return ll_out_close(&out) ? LL_EXIT_CLEAN : LL_EXIT_TROUBLE;
}

int ll_config_schema(void)
{
    ll_out out;
    ll_text text;
    if (!ll_out_open(&out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    ll_text_init(&text, &ll_heap);
    put_schema(&text);
    (void)ll_out_write(&out, text.data, text.length);
    ll_text_free(&text);
    return ll_out_close(&out) ? LL_EXIT_CLEAN : LL_EXIT_TROUBLE;
}
