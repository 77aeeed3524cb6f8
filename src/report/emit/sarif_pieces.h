/* The pieces of SARIF: trees, results, rules; sarif.c makes a run of them. */
#ifndef LL_REPORT_SARIF_PIECES_H
#define LL_REPORT_SARIF_PIECES_H

#include "report/emit/emit.h"
#include "report/json_write.h"

#include <cjson/cJSON.h>

/* ------------------------------------------------------------------ sarif_tree.c */

/* A tree that is being built: the first failure sticks, so that it is asked for once, at the end. */
typedef struct ll_tree {
    cJSON *root;
    ll_text *scratch; /* for texts that are not there as they are wanted */
    bool failed;
} ll_tree;

ll_tree ll_tree_start(ll_text *scratch);
/* Appends the tree as JSON and frees it; out->failed: there was no memory. */
void ll_tree_print(ll_tree *t, ll_text *out);

/* All of these: key NULL in arrays; keys are literals. */
cJSON *ll_tree_add(ll_tree *t, cJSON *parent, const char *key, cJSON *item); /* NULL: that failed */
cJSON *ll_tree_object(ll_tree *t, cJSON *parent, const char *key);
cJSON *ll_tree_array(ll_tree *t, cJSON *parent, const char *key);
/* A string that outlives the tree; what is no UTF-8 in it is escaped. */
void ll_tree_string(ll_tree *t, cJSON *parent, const char *key, const char *s);
/* The scratch text, empty; and, of what was put there, a string. */
ll_text *ll_tree_empty(ll_tree *t);
void ll_tree_scratch(ll_tree *t, cJSON *parent, const char *key);
/* Leaves out what JSON readers could not hold; no file that could be read is so large. */
void ll_tree_u64(ll_tree *t, cJSON *parent, const char *key, uint64_t value);

/* ------------------------------------------------------------------ sarif_result.c */

/* A finding as a result: everything but its brace, ruleId and ruleIndex, which are known when the chunk is committed.
 * file: number of its artifact in the chunk, whose scratch text holds the location. */
ll_status ll_sarif_result(const ll_emitter *emitter, ll_report *report, uint32_t index, uint32_t times, uint64_t file,
                          ll_chunk *chunk);
/* An artifactLocation: the "uri" of a file, relative to the root of the sources or not. */
void ll_sarif_location(ll_jsonw *json, const char *name);
/* The member "uri" of what was decompressed. */
void ll_sarif_nested_uri(ll_jsonw *json, const char *region);
static inline bool ll_sarif_is_github(const ll_emitter *emitter)
{
    return emitter->format == &ll_emit_sarif_github;
}

/* ------------------------------------------------------------------ sarif_rules.c */

/* A rule's descriptor; forms: a bit for each ll_message_form that a result of it has. */
void ll_sarif_rule(const ll_emitter *emitter, const ll_rule *rule, unsigned forms, ll_text *scratch, ll_text *out);
/* "level", or "enabled": false. */
void ll_sarif_level(ll_tree *t, cJSON *configuration, unsigned severity);
/* Braces mean placeholders in message strings, unless doubled. */
void ll_sarif_braced(ll_text *out, const char *s);

#endif
