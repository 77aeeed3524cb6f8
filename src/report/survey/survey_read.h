/* What sweeps and censuses share as files of JSON Lines: a header that says what made them, lines that are read in
 * pieces, and the parts of a corpus, each of which says which it is. */
#ifndef LL_REPORT_SURVEY_READ_H
#define LL_REPORT_SURVEY_READ_H

#include "report/emit/emit.h"
#include "report/json_read.h"

/* Which part of a corpus an input is. */
typedef struct ll_survey_part {
    uint64_t shard, shards; /* 0: all files */
} ll_survey_part;

typedef struct ll_survey_source {
    const ll_sweep_input *input;
    const char *what; /* "sweep" or "census": type of its header, and its name in messages */
    ll_text block;    /* what was read and not yet passed */
    size_t next;      /* where in it the next line begins */
    bool ended;       /* the input has no more */
    unsigned number;

    const char *line;
    size_t length; /* without its line feed */
    ll_jsonr json;
    const char *type; /* of the line; lives as long as it */

    ll_text version, rules; /* of the header */
    ll_survey_part part;    /* the same */
    ll_text where;          /* for messages */
} ll_survey_source;

/* Reads the header. ll_survey_close() is needed in any case. LL_E_INPUT: *problem says why. */
ll_status ll_survey_open(ll_survey_source *source, const ll_allocator *allocator, const char *what,
                         const ll_sweep_input *input, ll_problem *problem);
void ll_survey_close(ll_survey_source *source);

/* Goes to the next line. *any is false at the end of the input. */
ll_status ll_survey_next(ll_survey_source *source, bool *any, ll_problem *problem);

/* Puts "NAME:LINE:COLUMN: " before what was said. Returns LL_E_INPUT. */
ll_status ll_survey_where(ll_survey_source *source, ll_problem *problem);
/* Says something of an input. Returns LL_E_INPUT. */
ll_status ll_survey_refuse(ll_survey_source *source, ll_problem *problem, const char *const *pieces);
#define LL_SURVEY_REFUSE(source, problem, ...)                                                                         \
    ll_survey_refuse((source), (problem), (const char *const[]){__VA_ARGS__, NULL})

/* Was it made by that version with those rules, which are those of the input `name`, or of this program (NULL)? */
ll_status ll_survey_match(ll_survey_source *source, const char *name, const char *version, const char *rules,
                          ll_problem *problem);
/* Are these all parts of one corpus, each there once, or none of them a part? */
ll_status ll_survey_complete(const ll_sweep_input *inputs, const ll_survey_part *parts, size_t count,
                             ll_problem *problem);

/* The header, without what comes behind it. `shards` 0 or 1: all files. */
void ll_survey_header(ll_text *out, const char *what, const char *version, const char *rules, uint64_t shard,
                      uint64_t shards);
/* Which rules run, how severe they are and what they test; out: its hex digits. `more` rules go into it; NULL: none. */
enum { LL_RULES_HASH = 17 };
void ll_survey_rules(const ll_ruleset *rules, const ll_ruleset *more, char out[LL_RULES_HASH]);

#endif
