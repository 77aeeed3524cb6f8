/* Claims the walk maps (WDNM): maps of nodes of routes. A node states its length twice, a map its number of nodes; the
 * map's length is the third witness. Trusts no length and no count. */
#include "formats/rgm/rgm_parser.h"

enum { LENGTH_WORD = 4 };

typedef struct map_walk {
    rgm_parser *p;
    rgm_section *section;
    uint32_t end;        /* of the payload */
    uint32_t budget;     /* nodes that may still be walked: one for each byte, twelve times what a sound file needs */
    uint32_t short_maps; /* maps whose length leaves out their length word */
    uint32_t first_map;  /* span of the first of them */
} map_walk;

/* What a node's two lengths come to. */
typedef struct node {
    uint32_t stated, routes; /* length and number of routes */
    uint32_t by_routes;      /* length that the routes ask for */
} node;

static bool read_node(const map_walk *w, uint32_t pos, node *n)
{
    if (!ll_fits(pos, rgm_walk_node_SIZE, w->end)) {
        return false;
    }
    n->stated = rgm_word(w->p->doc, pos);
    n->routes = w->p->doc->bytes[pos + rgm_walk_node_at_route_count];
    n->by_routes = rgm_walk_node_SIZE + n->routes * rgm_route_SIZE;
    return true;
}

/* A node whose lengths agree stands at pos. */
static bool is_node(const map_walk *w, uint64_t pos)
{
    node n;
    return pos < w->end && read_node(w, (uint32_t)pos, &n) && n.stated == n.by_routes && ll_fits(pos, n.stated, w->end);
}

/* A map whose counts agree, and its first node, stand at pos. */
static bool is_map(const map_walk *w, uint64_t pos)
{
    if (!ll_fits(pos, rgm_walk_map_SIZE, w->end)) {
        return false;
    }
    uint32_t map = (uint32_t)pos;
    uint32_t nodes = rgm_word(w->p->doc, map + rgm_walk_map_at_node_count);
    return nodes == rgm_word(w->p->doc, map + rgm_walk_map_at_node_count_dup) &&
           (nodes ? is_node(w, pos + rgm_walk_map_SIZE) : rgm_word(w->p->doc, map) <= rgm_walk_map_SIZE);
}

/* A node ends at pos: the map does, or the section, or another node or map follows. */
static bool goes_on(const map_walk *w, uint64_t pos, uint32_t map_end)
{
    return pos == map_end || pos == w->end || is_node(w, pos) || is_map(w, pos);
}

/* Length of the node at pos: where its two lengths disagree, the one behind which the walk goes on, of two the shorter
 * one, as the longer one skips nodes. 0: neither. */
static uint32_t node_length(const map_walk *w, uint32_t pos, const node *n, uint32_t map_end)
{
    uint64_t by_routes = (uint64_t)pos + n->by_routes;
    uint64_t by_stated = (uint64_t)pos + n->stated;
    bool whole = n->stated >= rgm_walk_node_SIZE && (n->stated - rgm_walk_node_SIZE) % rgm_route_SIZE == 0;
    if (n->stated != n->by_routes && whole && goes_on(w, by_stated, map_end) &&
        (by_stated < by_routes || !goes_on(w, by_routes, map_end))) {
        return n->stated;
    }
    return by_routes <= w->end ? n->by_routes : 0;
}

/* Walks nodes from pos, `most` at most and not beyond `limit`; returns how many, and where they end. */
static uint32_t count_nodes(map_walk *w, uint32_t pos, uint64_t limit, uint32_t most, uint32_t map_end,
                            uint32_t *behind)
{
    uint32_t count = 0;
    node n = {.stated = 0};
    while (count < most && pos < limit && w->budget && read_node(w, pos, &n)) {
        w->budget--;
        uint32_t length = node_length(w, pos, &n, map_end);
        if (!length || (uint64_t)pos + length > limit) {
            break;
        }
        pos += length;
        count++;
    }
    *behind = pos;
    return count;
}

static void claim_node(const map_walk *w, uint32_t map, uint32_t pos, uint32_t map_end, uint32_t index, uint32_t *next)
{
    ll_doc *doc = w->p->doc;
    node n = {.stated = 0};
    (void)read_node(w, pos, &n); /* it was, when the nodes were counted */
    uint32_t length = node_length(w, pos, &n, map_end);
    uint32_t span = ll_claim_record(doc, map, rgm_walk_node_LAYOUT, pos, pos + length, index);
    uint32_t routes = (length - rgm_walk_node_SIZE) / rgm_route_SIZE;
    *next = pos + length;
    if (n.stated != n.by_routes) {
        bool by_routes = length == n.by_routes;
        ll_where at[] = {ll_at_field(doc, span, 0, rgm_walk_node_route_count),
                         ll_at_field(doc, span, 0, rgm_walk_node_node_length)};
        uint32_t right = by_routes ? n.by_routes : routes;
        ll_fault fault = LL_MAKE_FAULT(RGM_FAULT_WDNM_NODE_LENGTH, RGM_HINT_NONE, at[by_routes], at[!by_routes],
                                       ll_uint(by_routes ? n.stated : n.routes), ll_uint(right), ll_uint(n.stated),
                                       ll_uint(n.routes));
        rgm_raise_value(doc, fault, LL_PATCH_SAFE, right);
    }
    ll_claim_array(doc, span, rgm_route_LAYOUT, pos + rgm_walk_node_SIZE, routes);
}

/* What a map says and what it holds. */
typedef struct walk_map {
    uint32_t pos, end; /* end: of its nodes */
    uint32_t length;   /* as stated */
    uint32_t nodes, copy, found;
} walk_map;

/* Number of nodes and end of a map. Where the counts disagree, the one that fills the stated length is right. */
static void measure_map(map_walk *w, walk_map *m)
{
    uint32_t first = m->pos + rgm_walk_map_SIZE;
    uint64_t stated_end = (uint64_t)m->pos + m->length;
    uint32_t map_end = stated_end <= w->end ? (uint32_t)stated_end : 0;
    bool copied = false;
    if (m->nodes != m->copy) {
        uint32_t end;
        uint32_t filling = map_end > first ? count_nodes(w, first, map_end, UINT32_MAX, map_end, &end) : 0;
        bool fills = map_end > first && end == map_end;
        copied = fills ? filling == m->copy : count_nodes(w, first, w->end, m->nodes, 0, &end) != m->nodes;
    }
    m->found = count_nodes(w, first, w->end, copied ? m->copy : m->nodes, map_end, &m->end);
}

/* bad_nodes: something is wrong with its nodes. Where several things are, none of them is certain. */
static void judge_map(map_walk *w, const walk_map *m, uint32_t span, bool bad_nodes)
{
    ll_doc *doc = w->p->doc;
    uint32_t measured = m->end - m->pos;
    bool alone = (m->nodes != m->copy || m->found != m->nodes) + (m->length != measured) + bad_nodes < 2;
    if (m->nodes != m->copy || m->found != m->nodes) {
        bool copy_wrong = m->found == m->nodes;
        ll_where at[] = {ll_at_field(doc, span, 0, rgm_walk_map_node_count),
                         ll_at_field(doc, span, 0, rgm_walk_map_node_count_dup)};
        ll_fault fault =
            LL_MAKE_FAULT(copy_wrong ? RGM_FAULT_WDNM_NODE_COUNT_DUP : RGM_FAULT_WDNM_NODE_COUNT, RGM_HINT_NONE,
                          at[copy_wrong], at[!copy_wrong], ll_uint(copy_wrong ? m->copy : m->nodes), ll_uint(m->found),
                          ll_word(copy_wrong ? "node_count" : "node_count_dup"));
        rgm_raise_value(doc, fault, copy_wrong ? LL_PATCH_SAFE : LL_PATCH_UNSAFE, alone ? m->found : UINT64_MAX);
    }
    if (m->length + (uint64_t)LENGTH_WORD == measured) {
        w->first_map = w->short_maps++ ? w->first_map : span;
    } else if (m->length != measured) {
        ll_where at = ll_at_field(doc, span, 0, rgm_walk_map_map_length);
        ll_fault fault = LL_MAKE_FAULT(RGM_FAULT_WDNM_MAP_LENGTH, RGM_HINT_NONE, at, ll_nowhere(), ll_uint(m->length),
                                       ll_uint(measured));
        rgm_raise_value(doc, fault, LL_PATCH_UNSAFE, alone ? measured : UINT64_MAX);
    }
}

/* One map; returns where the next one begins. */
static uint32_t parse_map(map_walk *w, uint32_t pos, uint32_t index)
{
    ll_doc *doc = w->p->doc;
    walk_map m = {.pos = pos,
                  .length = rgm_word(doc, pos),
                  .nodes = rgm_word(doc, pos + rgm_walk_map_at_node_count),
                  .copy = rgm_word(doc, pos + rgm_walk_map_at_node_count_dup)};
    measure_map(w, &m);
    uint32_t span = ll_claim_record(doc, w->section->span, rgm_walk_map_LAYOUT, pos, m.end, index);
    w->section->records = w->section->records == LL_NO_SPAN ? span : w->section->records;
    uint64_t stated_end = (uint64_t)pos + m.length;
    uint32_t next = pos + rgm_walk_map_SIZE;
    uint32_t faults = doc->fault_count;
    for (uint32_t i = 0; i < m.found && doc->status == LL_OK; i++) {
        claim_node(w, span, next, stated_end <= w->end ? (uint32_t)stated_end : 0, i, &next);
    }
    judge_map(w, &m, span, doc->fault_count > faults);
    return m.end;
}

/* Lengths that leave out their own word are one mistake, made by one writer. */
static void judge_short_maps(const map_walk *w)
{
    if (w->short_maps == 0) {
        return;
    }
    ll_doc *doc = w->p->doc;
    ll_element map;
    if (!ll_element_at(doc, w->first_map, 0, &map)) {
        return;
    }
    uint32_t length = (uint32_t)ll_get_uint(&map, rgm_walk_map_map_length);
    bool all = w->short_maps == w->section->count;
    ll_fault fault = LL_MAKE_FAULT(RGM_FAULT_WDNM_MAP_LENGTH, all ? RGM_HINT_LENGTHS_SHORT : RGM_HINT_NONE,
                                   ll_at_field(doc, w->first_map, 0, rgm_walk_map_map_length), ll_nowhere(),
                                   ll_uint(length), ll_uint((uint64_t)length + LENGTH_WORD));
    rgm_raise_value(doc, fault, LL_PATCH_UNSAFE, w->short_maps == 1 ? (uint64_t)length + LENGTH_WORD : UINT64_MAX);
}

void rgm_parse_wdnm(rgm_parser *p, unsigned ordinal)
{
    ll_doc *doc = p->doc;
    rgm_section *section = &p->summary->section[ordinal];
    uint32_t head;
    if (!rgm_claim_count(p, ordinal, &head)) {
        return;
    }
    map_walk w = {.p = p, .section = section, .end = section->start + section->length, .budget = section->length};
    uint32_t count = rgm_word(doc, section->start);
    uint32_t pos = section->start + rgm_count_SIZE;
    section->sound = true;
    while (doc->status == LL_OK && ll_fits(pos, rgm_walk_map_SIZE, w.end) &&
           (section->count < count || is_map(&w, pos))) {
        pos = parse_map(&w, pos, section->count++);
    }
    if (doc->status != LL_OK) {
        return;
    }
    judge_short_maps(&w);
    if (section->count != count) {
        ll_fault fault = LL_MAKE_FAULT(RGM_FAULT_WDNM_COUNT, RGM_HINT_NONE, ll_at_field(doc, head, 0, rgm_count_count),
                                       ll_nowhere(), ll_uint(count), ll_uint(section->count));
        rgm_raise_value(doc, fault, LL_PATCH_SAFE, pos == w.end ? section->count : UINT64_MAX);
    }
    ll_where rest = ll_claim_gap(doc, section->span, pos, w.end);
    if (pos < w.end && section->count >= count) {
        LL_RAISE_SURPLUS(doc, RGM_FAULT_WDNM_TRAILING, RGM_HINT_NONE, rest, ll_uint(rest.length),
                         ll_uint(section->count));
    }
}

/* End of a map at pos whose lengths and counts all agree, 0: they do not. */
static uint32_t sound_end(const map_walk *w, int64_t at)
{
    uint32_t pos = (uint32_t)at;
    if (at < w->section->start || !ll_fits((uint64_t)at, rgm_walk_map_SIZE, w->end)) {
        return 0;
    }
    const ll_doc *doc = w->p->doc;
    uint32_t nodes = rgm_word(doc, pos + rgm_walk_map_at_node_count);
    uint64_t end = (uint64_t)pos + rgm_word(doc, pos);
    bool sound = nodes == rgm_word(doc, pos + rgm_walk_map_at_node_count_dup);
    node n = {.stated = 0};
    pos += rgm_walk_map_SIZE;
    for (uint32_t i = 0; sound && i < nodes; i++) {
        sound = is_node(w, pos) && read_node(w, pos, &n);
        pos += sound ? n.stated : 0;
    }
    return sound && pos == end ? pos : 0;
}

/* Sound maps, or nothing, lie between pos and the end of the section. */
static bool are_maps(const map_walk *w, int64_t pos)
{
    while (pos && pos < w->end) {
        pos = sound_end(w, pos);
    }
    return pos == w->end;
}

int64_t rgm_maps_excess(rgm_parser *p)
{
    rgm_section *section = &p->summary->section[RGM_WDNM];
    map_walk w = {.p = p, .section = section, .end = section->start + section->length};
    uint32_t pos = section->start + rgm_count_SIZE;
    for (uint32_t next = pos; next; next = sound_end(&w, pos)) {
        pos = next;
    }
    int64_t stated_end = ll_fits(pos, rgm_walk_map_SIZE, w.end) ? (int64_t)pos + rgm_word(p->doc, pos) : w.end;
    for (int64_t step = 2; step < 2 * (RGM_SHIFT_MAX + 1); step++) {
        int64_t more = step % 2 ? -(step / 2) : step / 2;
        if (are_maps(&w, stated_end + more) || (pos + more < w.end && are_maps(&w, pos + more))) {
            return more;
        }
    }
    return 0;
}
