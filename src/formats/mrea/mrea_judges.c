/* Judges of what sections and blocks hold. rules/mrea.yaml has the words and severities of their faults. */
#include "formats/mrea/mrea_check.h"

/* Raises the fault that a visibility tree lacks its first word. Only if the lights in front of it show that this is the
 * tree: its index may be wrong as well. */
static void judge_visi_magic(ll_doc *doc, const mrea_summary *summary)
{
    const uint32_t tree = doc->firsts[mrea_section_visibility_LAYOUT] - 1U;
    const ll_span *s = tree == LL_NO_SPAN ? NULL : ll_doc_span(doc, tree);
    if (s && s->length >= 4 && s->parent != LL_NO_SPAN && summary->game <= MREA_MP2 &&
        summary->lights_index != LL_NO_INDEX && ll_doc_span(doc, s->parent)->index == summary->lights_index + 1 &&
        mrea_word(doc, s->offset) != mrea_format.kinds[mrea_section_visibility_KIND].magic) {
        LL_RAISE(doc, MREA_FAULT_VISI_MAGIC, MREA_HINT_NONE, ll_at_bytes(tree, s->offset, 4), ll_chars(s->offset, 4));
    }
}

/* A fault says that numbers or streams are wrong. */
static bool is_in_doubt(const ll_doc *doc)
{
    const ll_fault_node *node = doc->first_fault;
    while (node &&
           (node->fault.code == MREA_FAULT_BLOCK_NOT_WORTH_IT || node->fault.code == MREA_FAULT_SECTION_TOO_LARGE)) {
        node = node->next;
    }
    return node != NULL;
}

/* Names what of the sections [from, to) should have a block of its own; NULL: nothing. Generated objects that do not
 * follow script layers may be another section. */
static const char *find_alone(const uint8_t *kinds, uint32_t from, uint32_t to)
{
    const char *alone = NULL;
    for (uint32_t i = from; i < to && !alone; i++) {
        const bool script = kinds[i] == mrea_section_script_layers_KIND;
        const bool generated =
            kinds[i] == mrea_section_generated_objects_KIND && i && kinds[i - 1] == mrea_section_script_layers_KIND;
        alone = script ? "a script layer" : generated ? "the generated objects" : NULL;
    }
    return alone;
}

/* Raises faults about blocks that hold more than writers put into one. Only if nothing else is wrong. */
static void judge_blocks(ll_doc *doc, const mrea_summary *summary)
{
    enum { CAP = 0x20000 }; /* bytes: writers put no more sections in one block together */
    ll_element row;
    uint32_t first = 0;
    const bool judged = summary->kinds && summary->game != MREA_DKCR && !is_in_doubt(doc);
    for (uint32_t i = 0; judged && ll_element_at(doc, summary->block_table, i, &row); i++) {
        const uint64_t size = ll_get_uint(&row, mrea_block_row_decompressed_size),
                       count = ll_get_uint(&row, mrea_block_row_section_count);
        const uint32_t end = ll_fits(first, count, summary->sections) ? first + (uint32_t)count : summary->sections;
        const char *alone = count < 2 ? NULL : size > CAP ? "the size" : find_alone(summary->kinds, first, end);
        if (alone) {
            const unsigned field = size > CAP ? mrea_block_row_decompressed_size : mrea_block_row_section_count;
            LL_RAISE(doc, MREA_FAULT_BLOCK_OVER_CAP, MREA_HINT_NONE, ll_at_field(doc, summary->block_table, i, field),
                     ll_uint(size), ll_uint(count), ll_word(alone));
        }
        first = end;
    }
}

void mrea_judge_sections(ll_doc *doc)
{
    const mrea_summary *summary = ll_doc_memo(doc, mrea_index);
    if (summary) {
        judge_blocks(doc, summary);
        judge_visi_magic(doc, summary);
    }
}
