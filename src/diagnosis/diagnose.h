/* Diagnoses a file: finds the one change that explains what is wrong with it (search.h), which becomes the first
 * finding. Findings that it explains follow it. The reader of sections judges fields by itself (doc->by_rows is false),
 * so for such a file only a few kinds of change are taken, mostly changes of structure. */
#ifndef LL_DIAGNOSIS_DIAGNOSE_H
#define LL_DIAGNOSIS_DIAGNOSE_H

#include "findings/report.h"

typedef struct ll_diagnosis {
    bool found;
    bool said;      /* the only error or warning states the cause already; nothing is added */
    bool by_rule;   /* a finding offers the same patch, and no other change is as likely */
    bool spelled;   /* the cause is a changed letter of a text */
    bool told;      /* the reader offers the same patch */
    bool raises;    /* the cause needs a fault of its own, `fault`; else `entry` states it */
    ll_fault fault; /* to be raised before all others */
    uint32_t entry; /* number of the entry that states the cause; LL_NO_ENTRY: none does */
    ll_where cause; /* bytes that were changed */
    ll_where rival; /* bytes that may have been changed instead; ll_nowhere(): none */
    ll_edit patch;  /* its bytes live as long as the report's document; .tier LL_PATCH_NONE: no patch is certain */
    bool founded;   /* the content of the file, or of the copy, says that it is of its family */
    bool has_second, is_second_safe;
    ll_edit second;           /* patch for a second fault, in another record; its bytes live as long as the document */
    const char *second_words; /* words for the second fault */
    bool sound;               /* nothing else is left over, or the second fault explains it */
    uint64_t score; /* hundredths: cost of the cause and weight of what it leaves over; without a cause, of the file as
                       it is */
    bool safe;      /* other bytes of the file determine those of the patch */
    bool withheld;  /* there is no patch, not even that of a rule: what a count or size states may be lost */
    const char *words; /* words for the cause and its rival; live as long as the document */
    bool unknown;      /* bytes [unknown_from, unknown_to) of the copy are unknown; findings in them are ignored */
    uint32_t unknown_from, unknown_to;
    bool moves;          /* bytes were put in or taken out of a record, at an unknown place in it */
    bool moves_all;      /* the same happened to each record like it */
    bool shifts;         /* everything after the cause is displaced */
    bool ends;           /* the end of the file is lost, so there is no copy */
    bool in_region;      /* the cause is in unpacked bytes, so there is no copy */
    const uint8_t *copy; /* the file with the change undone; unknown bytes have a provisional value; lives as long as
                            the document */
    uint32_t copy_size;
    uint64_t steps; /* steps that the search took, also if it found nothing */
} ll_diagnosis;

/* Searches for the cause of the errors and warnings of a report. LL_OK also if there is none. */
ll_status ll_diagnose(ll_report *report, ll_diagnosis *out);

#endif
