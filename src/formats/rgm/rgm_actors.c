/* Finds the actors of a map and makes arguments of their names. */
#include "formats/rgm/rgm_parser.h"

ll_arg rgm_name_arg(const ll_doc *doc, uint32_t offset, uint32_t size)
{
    return ll_chars(offset, rgm_name_length(doc->bytes + offset, size));
}

ll_arg rgm_actor_name(const ll_doc *doc, uint32_t actor)
{
    return rgm_name_arg(doc, rgm_actor_at(doc, actor, rgm_actor_script_name).offset, RGM_NAME);
}

/* Allocates one entry for each actor and sets whether another actor has its name. */
static void note_names(ll_doc *doc, rgm_summary *summary)
{
    summary->actors = ll_doc_zalloc(doc, summary->actor_count, sizeof *summary->actors);
    for (uint32_t i = 0; summary->actors && i < summary->actor_count; i++) {
        summary->actors[i].shared = ll_is_name_shared(doc, i);
        summary->actors[i].ragr_list = summary->actors[i].block = LL_NO_SPAN;
    }
}

void rgm_find_actors(ll_doc *doc, rgm_summary *summary)
{
    const rgm_section *heads = &summary->section[RGM_RAHD];
    const uint32_t length = heads->length >= rgm_rahd_head_SIZE ? heads->length - rgm_rahd_head_SIZE : 0;
    if (!length || length % rgm_actor_SIZE) { /* the section holds no whole number of records */
        summary->section[RGM_RAHD].records = LL_NO_SPAN;
        return;
    }
    summary->heads = doc->bytes + heads->start + rgm_rahd_head_SIZE;
    summary->actor_count = length / rgm_actor_SIZE;
    note_names(doc, summary);
}
