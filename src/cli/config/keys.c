/* The keys of a configuration file, and the two texts that are made of nothing but them. */
#include "cli/config/keys.h"

#include <stdio.h>
#include <string.h>

enum { BOTH = LL_KEY_AT_TOP | LL_KEY_IN_OVERRIDE };

const ll_key_row ll_key_rows[LL_KEY_COUNT] = {
    [LL_KEY_ROOT] =
        {
            .name = "root",
            .type = LL_TYPE_SWITCH,
            .where = LL_KEY_AT_TOP,
            .initial = "false",
            .meaning = "`true` ends the search: configurations and suppressions in directories further up do "
                       "not count. Say it in the topmost directory of a repository.",
            .example = "root: true\n",
        },
    [LL_KEY_SELECT] =
        {
            .name = "select",
            .type = LL_TYPE_SELECTORS,
            .where = BOTH,
            .never_empty = true,
            .initial = "[all]",
            .meaning = "Check these rules only. A selector is the id of a rule, the beginning of ids, a "
                       "name, `family/name`, a glob over ids and names, `tag:NAME`, or `all`. In an override "
                       "it takes the place of what was selected before.",
            .example = "select: [GRX, MREA, RGM, SOUP, LED, LL]\n",
        },
    [LL_KEY_IGNORE] =
        {
            .name = "ignore",
            .type = LL_TYPE_SELECTORS,
            .where = BOTH,
            .initial = "[]",
            .meaning = "Leave these rules out, whatever selects them. In an override they come on top of "
                       "what is ignored already.",
            .example = "ignore:\n"
                       "  - \"tag:inferred\"\n",
        },
    [LL_KEY_SEVERITY] =
        {
            .name = "severity",
            .type = LL_TYPE_LEVELS,
            .where = BOTH,
            .initial = "{}",
            .meaning = "How loud rules are: `error`, `warning`, `note` or `off` for every selector, in this "
                       "order, so that later lines win. A rule that is off by default is switched on by its "
                       "own id or name.",
            .example = "severity:\n"
                       "  \"tag:padding\": note\n"
                       "  name-hash: error\n",
        },
    [LL_KEY_RULES] =
        {
            .name = "rules",
            .type = LL_TYPE_PATHS,
            .where = LL_KEY_AT_TOP,
            .initial = "[]",
            .meaning = "Files with rules of your own (`lightlint-rules(5)`), seen from the directory of this "
                       "file.",
            .example = "rules:\n"
                       "  - my-rules.yaml\n",
        },
    [LL_KEY_FAIL_ON] =
        {
            .name = "fail-on",
            .type = LL_TYPE_FAIL_LEVEL,
            .where = BOTH,
            .initial = "warning",
            .meaning = "The least severity that makes exit code 1: `error`, `warning`, `note`, or `never`.",
            .example = "fail-on: warning\n",
        },
    [LL_KEY_GAME] =
        {
            .name = "game",
            .type = LL_TYPE_GAME,
            .where = BOTH,
            .initial = "auto",
            .meaning = "The game of bare lights sections, whose bytes do not tell it: `mp1`, `mp2`, `mp3`, "
                       "or `auto`. Most useful in an override for the directory of one game.",
            .example = "game: auto\n",
        },
    [LL_KEY_INCLUDE] =
        {
            .name = "include",
            .type = LL_TYPE_GLOBS,
            .where = LL_KEY_AT_TOP,
            .initial = "[]",
            .meaning = "When directories are searched, take only files that one of these patterns matches; "
                       "an empty list takes all files with a known extension. Patterns are those of "
                       ".gitignore, seen from the directory of this file.",
            .example = "include:\n"
                       "  - \"lights/**\"\n",
        },
    [LL_KEY_EXCLUDE] =
        {
            .name = "exclude",
            .type = LL_TYPE_GLOBS,
            .where = LL_KEY_AT_TOP,
            .initial = "[]",
            .meaning = "When directories are searched, leave out files and directories that one of these "
                       "patterns matches. Patterns as for `include`. Files that are named are checked all "
                       "the same, unless `--force-exclude` says otherwise.",
            .example = "exclude:\n"
                       "  - \"backup/\"\n"
                       "  - \"*.old.grxla\"\n",
        },
    [LL_KEY_BASELINE] =
        {
            .name = "baseline",
            .type = LL_TYPE_PATH,
            .where = LL_KEY_AT_TOP,
            .initial = "\"\"",
            .meaning = "The file that `lightlint baseline create` made: findings that it holds do not count. "
                       "Seen from the directory of this file; an empty text is no baseline.",
            .example = "baseline: .lightlint-baseline.jsonl\n",
        },
    [LL_KEY_OVERRIDES] =
        {
            .name = "overrides",
            .type = LL_TYPE_OVERRIDES,
            .where = LL_KEY_AT_TOP,
            .initial = "[]",
            .meaning = "Other settings for some paths. Every entry whose `files` match holds, in the order "
                       "of the list, so that later ones win.",
            .example = "overrides:\n"
                       "  - files: \"retail/**\"\n"
                       "    ignore: [\"tag:inferred\"]\n"
                       "    fail-on: error\n"
                       "  - files: [\"prime2/**\", \"*.mp2.lights\"]\n"
                       "    game: mp2\n",
        },
    [LL_KEY_FILES] =
        {
            .name = "files",
            .type = LL_TYPE_GLOBS,
            .where = LL_KEY_IN_OVERRIDE,
            .never_empty = true,
            .initial = "[]",
            .meaning = "The files that an entry of `overrides` is for: one pattern or a list. Patterns as "
                       "for `include`.",
            .example = "files: \"retail/**\"\n",
        },
};

const char *const ll_level_names[] = {"off", "note", "warning", "error", NULL};
const char *const ll_fail_level_names[] = {"never", "note", "warning", "error", NULL};

void ll_game_names(const char *names[LL_GAME_NAMES_MAX])
{
    size_t n = 0;
    names[n++] = "auto";
    for (const char *name; n < LL_GAME_NAMES_MAX - 1 && (name = ll_variant(n - 1, NULL)) != NULL;) {
        names[n++] = name;
    }
    names[n] = NULL;
}

static void put(ll_write_fn write, void *ctx, const char *text)
{
    (void)write(ctx, text, strlen(text));
}

/* ------------------------------------------------------------------ the start file */

/* A paragraph as comment lines. */
static void put_comment(ll_write_fn write, void *ctx, const char *text)
{
    enum { WIDTH = 100 };
    size_t column = 0;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (column && column + 1 + n > WIDTH) {
            put(write, ctx, "\n");
            column = 0;
        }
        put(write, ctx, column ? " " : "# ");
        (void)write(ctx, text, n);
        column += n + (column ? 1 : 2);
        text += n;
        text += strspn(text, " ");
    }
    put(write, ctx, "\n");
}

/* An example that sleeps: "#" and no space before every line, so that taking that character away wakes it. */
static void put_example(ll_write_fn write, void *ctx, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n") + 1;
        put(write, ctx, "#");
        (void)write(ctx, text, n);
        text += n;
    }
}

void ll_config_write_start(ll_write_fn write, void *ctx)
{
    put_comment(write, ctx,
                "Settings of lightlint for this directory and all below it. Nearer files win, key by key; the command "
                "line wins over "
                "all. See lightlint-config(5), and `lightlint config show PATH` for what holds where. Lines that begin "
                "with `#` and "
                "no space are examples: take the `#` away to use them.");
    for (size_t i = 0; i < LL_KEY_COUNT; i++) {
        const ll_key_row *row = &ll_key_rows[i];
        if (!(row->where & LL_KEY_AT_TOP)) {
            continue;
        }
        put(write, ctx, "\n");
        put_comment(write, ctx, row->meaning);
        if (i == LL_KEY_ROOT) {
            put(write, ctx, row->example);
        } else {
            put_example(write, ctx, row->example);
        }
    }
}

/* ------------------------------------------------------------------ the schema */

static void put_quoted(ll_write_fn write, void *ctx, const char *text)
{
    put(write, ctx, "\"");
    while (*text) {
        size_t n = strcspn(text, "\"\\\n");
        (void)write(ctx, text, n);
        text += n;
        if (*text) {
            put(write, ctx, *text == '\n' ? "\\n" : *text == '"' ? "\\\"" : "\\\\");
            text++;
        }
    }
    put(write, ctx, "\"");
}

static void put_enum(ll_write_fn write, void *ctx, const char *const *names)
{
    put(write, ctx, "\"enum\": [");
    for (size_t i = 0; names[i]; i++) {
        put(write, ctx, i ? ", " : "");
        put_quoted(write, ctx, names[i]);
    }
    put(write, ctx, "]");
}

static void put_type(ll_write_fn write, void *ctx, const ll_key_row *row)
{
    const char *games[LL_GAME_NAMES_MAX];
    switch (row->type) {
    case LL_TYPE_SWITCH:
        put(write, ctx, "\"type\": \"boolean\"");
        break;
    case LL_TYPE_SELECTORS:
    case LL_TYPE_PATHS:
    case LL_TYPE_GLOBS:
        put(write, ctx, row->never_empty ? "\"$ref\": \"#/definitions/some\"" : "\"$ref\": \"#/definitions/any\"");
        break;
    case LL_TYPE_LEVELS:
        put(write, ctx,
            "\"type\": \"object\",\n          \"propertyNames\": { \"minLength\": 1 },\n          "
            "\"additionalProperties\": { ");
        put_enum(write, ctx, ll_level_names);
        put(write, ctx, " }");
        break;
    case LL_TYPE_PATH:
        put(write, ctx, "\"type\": \"string\"");
        break;
    case LL_TYPE_FAIL_LEVEL:
        put_enum(write, ctx, ll_fail_level_names);
        break;
    case LL_TYPE_GAME:
        ll_game_names(games);
        put_enum(write, ctx, games);
        break;
    case LL_TYPE_OVERRIDES:
        put(write, ctx,
            "\"type\": \"array\",\n          \"maxItems\": 256,\n          \"items\": { \"$ref\": "
            "\"#/definitions/override\" }");
        break;
    }
}

/* The keys of one place as the members of "properties". A reference stands alone in draft 07, so that its words need
 * "allOf" around it. */
static void put_properties(ll_write_fn write, void *ctx, unsigned where)
{
    const char *comma = "";
    for (size_t i = 0; i < LL_KEY_COUNT; i++) {
        const ll_key_row *row = &ll_key_rows[i];
        if (!(row->where & where)) {
            continue;
        }
        bool refers = row->type == LL_TYPE_SELECTORS || row->type == LL_TYPE_PATHS || row->type == LL_TYPE_GLOBS;
        put(write, ctx, comma);
        put(write, ctx, "\n        ");
        put_quoted(write, ctx, row->name);
        put(write, ctx, ": {\n          \"description\": ");
        put_quoted(write, ctx, row->meaning);
        put(write, ctx, ",\n          ");
        put(write, ctx, refers ? "\"allOf\": [{ " : "");
        put_type(write, ctx, row);
        put(write, ctx, refers ? " }]" : "");
        put(write, ctx, "\n        }");
        comma = ",";
    }
    put(write, ctx, "\n      }");
}

void ll_config_write_schema(ll_write_fn write, void *ctx)
{
    put(write, ctx,
        "{\n"
        "  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
        "  \"title\": \"lightlint configuration, schema 1\",\n"
        "  \"description\": \"A .lightlint.yaml file, read as YAML 1.2 (off and never are texts). Printed by "
        "`lightlint config schema`. "
        "Whether a rule or a file is there, only lightlint itself can tell.\",\n"
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
        "    \"settings\": {\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n      "
        "\"properties\": {");
    put_properties(write, ctx, LL_KEY_AT_TOP);
    put(write, ctx,
        "\n    },\n    \"override\": {\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n"
        "      \"required\": [\"files\"],\n      \"minProperties\": 2,\n      \"properties\": {");
    put_properties(write, ctx, LL_KEY_IN_OVERRIDE);
    put(write, ctx, "\n    }\n  }\n}\n");
}
