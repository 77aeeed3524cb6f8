/* Reads the JSON Lines of sweeps and censuses: a header that says what made them, and the lines. Checks that the parts
 * of a corpus fit together. */
#ifndef LL_SURVEY_SURVEY_READ_H
#define LL_SURVEY_SURVEY_READ_H

#include "output/emit/emit.h"
#include "base/json_read.h"

/* Which part of a corpus an input is. */
typedef struct ll_survey_part {
    uint64_t shard, shards; /* 0: all files */
} ll_survey_part;

typedef struct ll_survey_source {
    const ll_sweep_input *input;
    const char *what; /* "sweep" or "census": the type in the header, also used in messages */
    ll_text block;    /* bytes read and not yet consumed */
    size_t next;      /* offset of the next line */
    bool ended;       /* end of the input */
    unsigned number;

    const char *line;
    size_t length; /* without its line feed */
    ll_jsonr json;
    const char *type; /* valid as long as the line */

    ll_text version, rules; /* from the header */
    ll_survey_part part;    /* from the header */
    ll_text where;          /* for messages */
} ll_survey_source;

/* Reads the header. Call ll_survey_close() in any case. LL_E_INPUT: see *problem. */
ll_status ll_survey_open(ll_survey_source *source, const ll_allocator *allocator, const char *what,
                         const ll_sweep_input *input, ll_problem *problem);
void ll_survey_close(ll_survey_source *source);

/* Moves to the next line. *any is false at the end of the input. */
ll_status ll_survey_next(ll_survey_source *source, bool *any, ll_problem *problem);

/* Prefixes *problem with "NAME:LINE:COLUMN: ". Returns LL_E_INPUT. */
ll_status ll_survey_where(ll_survey_source *source, ll_problem *problem);
/* Sets *problem for an input. Returns LL_E_INPUT. */
ll_status ll_survey_refuse(ll_survey_source *source, ll_problem *problem, const char *const *pieces);
#define LL_SURVEY_REFUSE(source, problem, ...)                                                                         \
    ll_survey_refuse((source), (problem), (const char *const[]){__VA_ARGS__, NULL})

/* Checks that the source was made by that version with those rules, which are those of the input `name`; NULL: of this
 * program. */
ll_status ll_survey_match(ll_survey_source *source, const char *name, const char *version, const char *rules,
                          ll_problem *problem);
/* Checks that the inputs are all parts of one corpus, each once, or that none is a part. */
ll_status ll_survey_complete(const ll_sweep_input *inputs, const ll_survey_part *parts, size_t count,
                             ll_problem *problem);

/* Appends the header without its end. `shards` 0 or 1: all files. */
void ll_survey_header(ll_text *out, const char *what, const char *version, const char *rules, uint64_t shard,
                      uint64_t shards);
/* Hash, in hex digits, of the rules that run, their severities and what they test. `more`: further rules; may be
 * NULL. */
enum { LL_RULES_HASH = 17 };
void ll_survey_rules(const ll_ruleset *rules, const ll_ruleset *more, char out[LL_RULES_HASH]);

#endif
