/* `full` on a terminal: what a run keeps of the pieces that full.c cuts findings into, and what it shows of them.
 *
 * Without --all, findings are kept until the end. They are sorted by severity, then causes first, then by rule, and
 * those of one kind in all files are one entry: the first in full, a few others as a line each, the rest as a number.
 * At most 200 lines are written, with what was left out. An entry that these cannot hold is counted and not kept, so
 * that memory depends on neither files nor findings. With --all every finding is written as it comes. */
#ifndef LL_OUTPUT_FULL_H
#define LL_OUTPUT_FULL_H

#include "output/emit/counts.h"

/* ll_piece.part: what a piece is of a finding. */
typedef enum ll_full_part {
    LL_FULL_BEGINS, /* key: its kind; 0: not a finding but the line of a clean file */
    LL_FULL_ONCE,   /* is left out where a piece with its key was shown */
    LL_FULL_REST,
    LL_FULL_PLACE /* one line with its place, in an entry that shows another finding in full */
} ll_full_part;

/* Findings of one kind. */
typedef struct ll_full_entry {
    uint64_t kind; /* 0: a clean file */
    const char *rule;
    uint8_t severity;
    bool explains;
    uint64_t findings;
    uint64_t lines;            /* that it has at least */
    ll_text text;              /* of the first finding */
    LL_ARRAY(ll_piece) pieces; /* of that text, one after the other */
    ll_text places;            /* of others, a line each */
    unsigned place_count;
    uint64_t more, more_files; /* findings without a line; files of which no finding has one */
    uint64_t last_file;        /* hash of its name */
} ll_full_entry;

typedef struct ll_full_run {
    ll_counts rules;                 /* what was found, by rule */
    ll_counts once;                  /* texts that were shown */
    LL_ARRAY(ll_full_entry) entries; /* in the order in which they are shown */
    uint64_t found[LL_ERROR + 1];    /* what entries were made of, by severity; [0]: clean files */
    uint64_t lines;                  /* shown */
} ll_full_run;

/* Members of the format; emitter->state is a ll_full_run. Without a terminal chunks are written as they are. */
void ll_full_open(ll_emitter *emitter);
void ll_full_close(ll_emitter *emitter);
ll_status ll_full_commit(ll_emitter *emitter, ll_chunk *chunk);
ll_status ll_full_finish(ll_emitter *emitter, int exit_code);

#endif
