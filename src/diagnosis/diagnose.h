/* The verdict on a file: the one change that explains what is wrong with it (search.h) becomes the first finding, and
 * what it explains stands behind it. Of a format with a parser only changes of structure are taken: it judges fields by
 * itself. */
#ifndef LL_DIAGNOSIS_DIAGNOSE_H
#define LL_DIAGNOSIS_DIAGNOSE_H

#include "report/report.h"

typedef struct ll_diagnosis {
    bool found;
    bool said;      /* the only loud finding states the cause already, so that nothing is added */
    bool by_rule;   /* a finding states the cause, with what undoes it, and nothing else is as likely */
    bool spelled;   /* a letter of a text was changed */
    bool told;      /* a parser offers the same value */
    bool raises;    /* the cause is a fault of its own; else it is what an entry is about: */
    ll_fault fault; /* to be raised in front of the others */
    uint32_t entry; /* number of that entry */
    ll_where cause; /* the bytes that were changed */
    ll_where rival; /* those that may have been changed instead; nowhere: none */
    ll_edit
        patch;    /* its bytes live as long as the report's document; .tier LL_PATCH_NONE: what undoes it is not sure */
    bool founded; /* the content says that the file, or the copy, is of its family */
    bool has_second, is_second_safe;
    ll_edit second;           /* what undoes one more fault, of another record; its bytes live as long */
    const char *second_words; /* what happened there */
    bool sound;               /* nothing is wrong besides */
    uint64_t score;    /* hundredths: what the cause costs and leaves over; if there is none, the file as it is */
    bool safe;         /* other bytes of the file decide those of the patch */
    const char *words; /* what happened, and what may have happened instead; lives as long */
    bool unknown;      /* bytes of the copy are not known: nothing is said of them, */
    uint32_t unknown_from, unknown_to; /* which are these */
    bool moves;                        /* bytes of a record were put in or taken out, and nobody knows just where, */
    bool moves_all;                    /* or of each record like it */
    bool shifts;                       /* what stands behind the cause is not where the file says */
    bool ends;                         /* the end of the file is lost: there is no copy */
    bool in_region;                    /* the cause is in bytes that were unpacked: there is none either */
    const uint8_t *copy; /* the file without the change, bytes that nobody knows as they are now; lives as long */
    uint32_t copy_size;
    uint64_t steps; /* that it took to find it, or nothing */
} ll_diagnosis;

/* Looks for the cause of what is loud in the report of a file. LL_OK also if none is found. */
ll_status ll_diagnose(ll_report *report, ll_diagnosis *out);

#endif
