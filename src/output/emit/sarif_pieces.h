/* Pieces of SARIF: trees, results and rules. sarif.c joins them. */
#ifndef LL_OUTPUT_SARIF_PIECES_H
#define LL_OUTPUT_SARIF_PIECES_H

#include "output/emit/emit.h"
#include "base/json_write.h"

#include <cjson/cJSON.h>

/* ------------------------------------------------------------------ sarif_tree.c */

/* A tree being built. The first failure sticks, so it is checked once, at the end. */
typedef struct ll_tree {
    cJSON *root;
    ll_text *scratch; /* buffer for texts that must be changed first */
    bool failed;
} ll_tree;

ll_tree ll_tree_start(ll_text *scratch);
/* Appends the tree as JSON and frees it. Sets out->failed if memory ran out. */
void ll_tree_print(ll_tree *t, ll_text *out);

/* Add an item to a parent; key: a literal, NULL in arrays. */
cJSON *ll_tree_add(ll_tree *t, cJSON *parent, const char *key, cJSON *item); /* takes `item`; NULL: failed */
cJSON *ll_tree_object(ll_tree *t, cJSON *parent, const char *key);
cJSON *ll_tree_array(ll_tree *t, cJSON *parent, const char *key);
/* Adds a string that outlives the tree; invalid UTF-8 is escaped. */
void ll_tree_string(ll_tree *t, cJSON *parent, const char *key, const char *s);
/* Empties the scratch text; adds its content as a string. */
ll_text *ll_tree_empty(ll_tree *t);
void ll_tree_scratch(ll_tree *t, cJSON *parent, const char *key);
/* Adds a number; leaves out numbers above 2^53, which JSON readers cannot hold. No file that can be read is so
 * large. */
void ll_tree_u64(ll_tree *t, cJSON *parent, const char *key, uint64_t value);

/* ------------------------------------------------------------------ sarif_result.c */

/* Writes a finding as a result without its opening brace, ruleId and ruleIndex, which are known at commit. file: index
 * of its artifact in the chunk. Uses the chunk's scratch text. */
ll_status ll_sarif_result(const ll_emitter *emitter, ll_report *report, uint32_t index, uint32_t times, uint64_t file,
                          ll_chunk *chunk);
/* Writes an artifactLocation: the "uri" of a file, relative to the source root if possible. */
void ll_sarif_location(ll_jsonw *json, const char *name);
/* Writes the member "uri" of a decompressed region. */
void ll_sarif_nested_uri(ll_jsonw *json, const char *region);
static inline bool ll_sarif_is_github(const ll_emitter *emitter)
{
    return emitter->format == &ll_emit_sarif_github;
}

/* ------------------------------------------------------------------ sarif_rules.c */

/* Writes a rule's descriptor. forms: bit set of the ll_message_form of its results. */
void ll_sarif_rule(const ll_emitter *emitter, const ll_rule *rule, unsigned forms, ll_text *scratch, ll_text *out);
/* Adds "level", or "enabled": false. */
void ll_sarif_level(ll_tree *t, cJSON *configuration, unsigned severity);
/* Appends a text with doubled braces, since single ones are placeholders in message strings. */
void ll_sarif_braced(ll_text *out, const char *s);

#endif
