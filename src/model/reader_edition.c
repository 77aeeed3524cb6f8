/* Finds the edition of a store, and claims the header. */
#include "model/store_state.h"

/* ------------------------------------------------------------------ editions */

/* The version is that of an edition that is known, but not read. */
static bool is_unread(const ll_format *format, uint32_t version)
{
    bool unread = false;
    for (size_t i = 1; i < format->edition_count && !unread; i++) {
        unread = format->editions[i].layout == format->editions->layout && format->editions[i].value == version;
    }
    return unread;
}

/* Chooses the edition: the stated version's if the tables of the file fit it, else the last edition that they fit, else
 * the stated one. NULL: there is none, or it is not read. */
static const ll_edition *find_edition(const ll_doc *doc, const ll_store_plan *plan, uint32_t version)
{
    const ll_format *format = doc->format;
    const ll_edition *stated = ll_edition_of(format, version);
    for (size_t i = is_unread(format, version) ? 1 : format->edition_count + 1; i-- > 1;) {
        const ll_edition *e = i == format->edition_count ? stated : &format->editions[i];
        const bool read = e && e->layout != format->editions->layout;
        const bool fits = read && doc->layouts[e->layout].size <= doc->size;
        const ll_counts c = fits ? ll_counts_of(doc, plan, e) : (ll_counts){0};
        unsigned named = 0;
        (void)ll_kinds_by(format, e ? e->layout : LL_ANY_LAYOUT, &named); /* each index names a different section */
        const bool likely = read && (e == stated || (e->variant && c.sections >= named));
        if (likely && ll_do_counts_fit(doc, plan, e, &c)) {
            return e;
        }
    }
    return stated;
}

static void judge_version(const ll_store *s, uint32_t stated)
{
    ll_doc *doc = s->doc;
    const ll_edition *e = s->edition;
    const ll_where at = ll_at_header(s, e->field);
    const unsigned asked = doc->variant;
    if (stated != e->value) {
        ll_fault fault = ll_read_fault(doc->format, LL_READ_EDITION_OTHER, e->layout, at,
                                       (ll_read_words){ll_uint(stated), ll_uint(e->value), e->game});
        ll_patch_field(doc, &fault, LL_PATCH_UNSAFE, e->value);
        ll_raise_by_rule(doc, fault);
    }
    if (asked && asked != e->variant) {
        const bool named = asked <= doc->format->variant_count;
        ll_raise_by_rule(doc, ll_read_fault(doc->format, LL_READ_EDITION_ASKED, e->layout, at,
                                            (ll_read_words){ll_word(named ? doc->format->variants[asked - 1].name : ""),
                                                            ll_uint(e->value), e->game}));
        doc->unchecked = true;
    }
    if (!e->variant) {
        ll_raise_by_rule(doc, ll_read_fault(doc->format, LL_READ_EDITION_OPAQUE, e->layout, at,
                                            (ll_read_words){ll_uint(e->value), (ll_arg){0}, e->game}));
        ll_mark_unsupported(doc);
    }
}

/* ------------------------------------------------------------------ the header */

/* Claims the head of a store whose version is unknown, or whose header is not complete; the rest stays unparsed. */
static void claim_unknown(ll_store *s)
{
    ll_doc *doc = s->doc;
    const uint16_t head = doc->format->editions->layout;
    s->header = ll_claim_fixed(doc, LL_NO_SPAN, head, 0);
    ll_claim_unparsed(doc, LL_NO_SPAN, doc->layouts[head].size, doc->size);
    doc->fatal = true;
}

/* Raises the fault that the version is none, or one that is not read. */
static void raise_unknown(ll_store *s, uint32_t version)
{
    ll_doc *doc = s->doc;
    const ll_edition *any = doc->format->editions;
    const ll_field *f = &doc->layouts[any->layout].fields[any->field];
    const unsigned other = doc->layouts[any->layout].endian == LL_BIG ? LL_LITTLE : LL_BIG;
    const uint32_t turned = (uint32_t)ll_read_uint(doc->bytes + f->offset, f->bytes, other);
    const ll_read_kind kind = is_unread(doc->format, version)      ? LL_READ_EDITION_UNREAD
                              : ll_edition_of(doc->format, turned) ? LL_READ_EDITION_TURNED
                                                                   : LL_READ_EDITION;
    ll_raise_by_rule(doc, ll_read_fault(doc->format, kind, any->layout, ll_at_header(s, any->field),
                                        (ll_read_words){ll_uint(version), (ll_arg){0}, f->name}));
}

/* Claims the header, and the padding after it. False: reading ends here. */
bool ll_read_header(ll_store *s)
{
    ll_doc *doc = s->doc;
    const ll_edition *any = doc->format->editions;
    const uint32_t version = ll_version_of(doc);
    s->edition = find_edition(doc, s->plan, version);
    if (!s->edition) {
        claim_unknown(s);
        raise_unknown(s, version);
        return false;
    }
    const uint16_t layout = s->edition->layout;
    const uint32_t own = doc->layouts[layout].size, tables = (uint32_t)ll_align_up(own, s->plan->unit);
    if (doc->size < tables) {
        claim_unknown(s);
        ll_fault fault = ll_read_fault(doc->format, LL_READ_CUT, any->layout, ll_at_bytes(LL_NO_SPAN, 0, doc->size),
                                       (ll_read_words){ll_uint(doc->size), ll_uint(tables), "size"});
        ll_raise(doc, &fault);
        return false;
    }
    const ll_alignment *padding = ll_alignment_of(doc->format, s->plan->size.layout, LL_ALIGN_FIRST);
    s->header = ll_claim_record(doc, LL_NO_SPAN, layout, 0, own, LL_NO_INDEX);
    if (padding) {
        ll_claim_bytes(doc, LL_NO_SPAN, padding->padding, own, tables);
    }
    judge_version(s, version);
    return doc->status == LL_OK;
}
