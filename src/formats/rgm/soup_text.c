/* Prints bytecode: paths and values of tokens for dumps and findings, and a line for each statement. The block is
 * decoded again for each text; nothing is kept. Bytes of the file are escaped. */
#include "formats/rgm/soup.h"

#include "formats/rgm/rgm.h"

enum { INDENT_MAX = 64 };
#define LABEL "L%04" PRIx32

/* What values of an actor's block are printed with. */
typedef struct printer {
    const ll_doc *doc;
    uint32_t actor;
    ll_text *out;
} printer;

/* ------------------------------------------------------------------ words */

static void put_quoted(ll_text *out, const uint8_t *bytes, uint32_t length)
{
    ll_text_char(out, '"');
    ll_text_escape(out, (const char *)bytes, length);
    ll_text_char(out, '"');
}

/* Prints a string of the actor, found by its entry in RASB; its number if there is no such string. */
static void put_string(const printer *s, uint32_t index)
{
    const rgm_summary *summary = rgm_summary_of(s->doc);
    const rgm_section *entries = &summary->section[RGM_RASB];
    const rgm_section *text = &summary->section[RGM_RAST];
    ll_element actor;
    bool there = rgm_actor_record(s->doc, s->actor, &actor) && index < ll_get_uint(&actor, rgm_actor_num_strings);
    uint64_t entry = there ? ll_get_uint(&actor, rgm_actor_string_offsets_index) + UINT64_C(4) * index : 0;
    uint32_t offset = text->length;
    if (there && ll_fits(entry, rgm_string_offset_SIZE, entries->length)) {
        offset = ll_le32(ll_doc_at(s->doc, entries->start) + entry);
    }
    if (offset >= text->length) {
        ll_text_format(s->out, "string %" PRIu32, index);
        return;
    }
    const uint8_t *bytes = ll_doc_at(s->doc, text->start + offset);
    put_quoted(s->out, bytes, rgm_name_length(bytes, text->length - offset));
}

static const char *const flags[SOUP_FLAGS] = {
#define LL_SOUP_FLAG(number, name, type) [number] = name,
#include "formats/rgm/soup_tables.def"
};

static const char *const attributes[SOUP_ATTRIBUTES] = {
#define LL_SOUP_ATTRIBUTE(number, name) [number] = name,
#include "formats/rgm/soup_tables.def"
};

/* Name of a number of a token; NULL: it has none. */
static const char *name_of(unsigned kind, uint32_t value)
{
    static const char *const names[SOUP_TOKENS][SOUP_OPERATORS] = {
#define LL_SOUP_NAME(token, number, name) [SOUP_##token][number] = name,
#include "formats/rgm/soup_grammar.def"
    };
    switch (kind) {
    case SOUP_OPCODE:
        return soup_opcode_name(value);
    case SOUP_FUNCTION:
        return value < SOUP_FUNCTIONS ? soup_functions[value].name : NULL;
    case SOUP_FLAG:
        return value < SOUP_FLAGS ? flags[value] : NULL;
    default:
        return value < SOUP_OPERATORS ? names[kind][value] : NULL;
    }
}

/* Prints a number. As the first parameter of a call it may have a meaning. */
static void put_literal(const printer *s, const soup_decoder *d, const soup_token *token)
{
    const soup_frame *call = token->mode == SOUP_PARAMETER && d->depth ? &d->frames[d->depth - 1] : NULL;
    bool first = call && call->index == 0 && call->function < SOUP_FUNCTIONS;
    unsigned meaning = first ? soup_functions[call->function].meaning : SOUP_PLAIN;
    if (meaning == SOUP_DIALOGUE) {
        put_quoted(s->out, d->code + token->offset, token->length);
        return;
    }
    uint32_t value = token->value;
    const char *name = meaning == SOUP_FLAG_NUMBER                            ? name_of(SOUP_FLAG, value)
                       : meaning == SOUP_ATTRIBUTE && value < SOUP_ATTRIBUTES ? attributes[value]
                                                                              : NULL;
    if (name) {
        ll_text_str(s->out, name);
    } else {
        ll_text_i64(s->out, (int32_t)value);
    }
}

/* Prints the name of a number, or the number if it has none. */
static void put_value(const printer *s, const soup_decoder *d, const soup_token *token)
{
    uint32_t value = token->value;
    const char *name = name_of(token->kind, value);
    switch (token->kind) {
    case SOUP_LITERAL:
        put_literal(s, d, token);
        break;
    case SOUP_STRING:
    case SOUP_OBJECT_STRING:
        put_string(s, value);
        break;
    case SOUP_TARGET:
    case SOUP_IF_END:
        ll_text_format(s->out, LABEL, value);
        break;
    default:
        if (name) {
            ll_text_str(s->out, name);
        } else {
            value &= token->kind == SOUP_REFERENCE ? UINT8_MAX : UINT32_MAX;
            ll_text_format(s->out, "%s%" PRIu32, soup_token_names[token->kind].unnamed, value);
        }
    }
}

/* ------------------------------------------------------------------ paths */

static void put_statement(ll_text *out, const soup_decoder *d)
{
    ll_text_format(out, "statement[%" PRIu32 "]", d->statement);
}

static void put_path(ll_text *out, const soup_decoder *d, const soup_token *token)
{
    static const char *const pieces[] = {"parameter", "operand", "condition", "condition"};
    static const char *const sides[] = {"", "", ".left", ".right"};
    bool condition = token->kind == SOUP_COMPARISON || token->kind == SOUP_CONJUNCTION; /* belongs to no side */
    uint32_t sided = d->depth - (soup_token_names[token->kind].of_frame && d->depth);
    put_statement(out, d);
    for (uint32_t i = 0; i < (condition ? d->depth : sided); i++) {
        const soup_frame *frame = &d->frames[i];
        const char *side = i < sided ? sides[frame->kind] : "";
        ll_text_format(out, ".%s[%" PRIu32 "]%s", pieces[frame->kind], frame->index, side);
    }
    ll_text_format(out, ".%s", soup_token_names[token->kind].path);
    if (token->kind == SOUP_OPERATOR && d->depth) {
        ll_text_format(out, "[%" PRIu32 "]", d->frames[d->depth - 1].index);
    }
}

typedef struct naming {
    uint32_t offset, length;
    ll_text *out;
    bool found;
} naming;

static void name_token(void *ctx, const soup_decoder *d, const soup_token *token)
{
    naming *n = ctx;
    bool holds = n->offset >= token->offset && ll_fits(n->offset - token->offset, n->length, token->length);
    if (holds && token->length && !n->found) {
        put_path(n->out, d, token);
        n->found = true;
    }
}

/* Finds statements of a long block at which reading can begin, once. */
static void mark_block(const ll_doc *doc, uint32_t span, rgm_actor_info *info)
{
    const uint32_t room = ll_doc_span(doc, span)->length / SOUP_MARK_EVERY;
    info->marks = room ? ll_arena_alloc(rgm_summary_of(doc)->memo->arena, room, sizeof *info->marks) : NULL;
    uint32_t next = SOUP_MARK_EVERY;
    soup_decoder d;
    soup_open(&d, doc, span, 0, NULL, NULL);
    d.trial = true; /* no visitor sees the tokens */
    d.budget = UINT32_MAX;
    while (info->marks && info->mark_count < room && soup_next(&d)) {
        if (d.pos >= next && d.pos < d.length) {
            info->marks[info->mark_count++] = (soup_mark){d.pos, d.statement + 1};
            next = d.pos / SOUP_MARK_EVERY * SOUP_MARK_EVERY + SOUP_MARK_EVERY;
        }
    }
}

/* Moves the reader to the last marked statement at or in front of `offset`. */
static void seek_near(soup_decoder *d, const ll_doc *doc, uint32_t span, uint32_t offset)
{
    rgm_actor_info *info = &rgm_summary_of(doc)->actors[ll_doc_span(doc, span)->index];
    if (!info->marks && offset >= SOUP_MARK_EVERY) {
        mark_block(doc, span, info);
    }
    uint32_t mark = info->mark_count;
    while (mark && info->marks[mark - 1].offset > offset) {
        mark--;
    }
    if (mark) {
        soup_seek(d, info->marks[mark - 1].offset, info->marks[mark - 1].statement);
    }
}

void soup_part_name(const ll_doc *doc, uint32_t span, uint32_t offset, uint32_t length, ll_text *out)
{
    const ll_span *s = ll_doc_span(doc, span);
    naming n = {offset - s->offset, length, out, false};
    soup_decoder d;
    soup_open(&d, doc, span, SOUP_ALL_TOKENS, name_token, &n);
    seek_near(&d, doc, span, n.offset);
    while (!n.found && soup_next(&d) && d.pos <= n.offset) {
    }
    if (!n.found && d.start <= n.offset && (n.offset < d.pos || d.stop)) {
        put_statement(out, &d);
    } else if (!n.found) {
        ll_text_str(out, "unparsed");
    }
}

/* ------------------------------------------------------------------ leaves */

typedef struct splitting {
    printer printer;
    ll_text text; /* path, NUL, value, NUL */
    uint32_t span, base;
    uint32_t covered; /* bytes of the block that leaves cover so far */
    ll_leaf_fn visit;
    void *ctx;
    bool going;
} splitting;

static void visit_part(splitting *s, unsigned kind, uint32_t length, const ll_part *part)
{
    ll_leaf leaf = {s->span, 0, LL_NO_FIELD, (uint16_t)kind, s->base + s->covered, length, part};
    s->going = s->visit(s->ctx, &leaf);
    s->covered += length;
}

static void split_token(void *ctx, const soup_decoder *d, const soup_token *token)
{
    splitting *s = ctx;
    if (!s->going || token->length == 0) {
        return;
    }
    ll_text_clear(&s->text);
    put_path(&s->text, d, token);
    ll_text_char(&s->text, '\0');
    size_t value = s->text.length;
    put_value(&s->printer, d, token);
    const char *text = ll_text_cstr(&s->text);
    bool failed = s->text.failed;
    ll_part part = {failed ? NULL : text, soup_token_names[token->kind].type, failed ? NULL : text + value};
    visit_part(s, LL_KIND_BYTES, token->length, &part);
}

bool soup_split(const ll_doc *doc, uint32_t span, ll_leaf_fn visit, void *ctx)
{
    const ll_span *block = ll_doc_span(doc, span);
    splitting s = {.span = span, .base = block->offset, .visit = visit, .ctx = ctx, .going = true};
    s.printer = (printer){doc, block->index, &s.text};
    ll_text_init(&s.text, &doc->arena.allocator);
    soup_decoder d;
    soup_open(&d, doc, span, SOUP_ALL_TOKENS, split_token, &s);
    while (s.going && soup_next(&d)) {
    }
    if (s.going && s.covered < block->length) {
        ll_part rest = {"unparsed", "unparsed", NULL};
        visit_part(&s, LL_KIND_UNPARSED, block->length - s.covered, &rest);
    }
    ll_text_free(&s.text);
    return s.going;
}

/* ------------------------------------------------------------------ lines */

typedef struct listing {
    printer printer;
    ll_text text, label;
    uint8_t *targets; /* a bit for each byte of the block that a jump or an If leads to */
    uint32_t pc;
    uint32_t ends[INDENT_MAX]; /* ends of the enclosing Ifs */
    unsigned indent;
} listing;

/* Prints what precedes the words of a value. */
static void put_opcode(const printer *s, const soup_decoder *d, const soup_token *token)
{
    static const char *const starts[SOUP_OPCODES] = {
#define LL_SOUP_OPCODE(number, name, text, use, listed) [number] = listed,
#include "formats/rgm/soup_grammar.def"
    };
    if (token->mode == SOUP_PARAMETER && d->depth && d->frames[d->depth - 1].index) {
        ll_text_str(s->out, ", ");
    }
    if (token->flaw == SOUP_FLAW_UNKNOWN) {
        ll_text_format(s->out, "0x%02" PRIx32, token->value);
    } else if (token->value < SOUP_OPCODES && starts[token->value]) {
        ll_text_str(s->out, starts[token->value]);
    }
}

/* Prints a token as a listing shows it, with what precedes and follows it. */
static void list_token(void *ctx, const soup_decoder *d, const soup_token *token)
{
    const printer *s = &((listing *)ctx)->printer;
    uint32_t value = token->value;
    bool shown = true;
    bool on_object = d->opcode == SOUP_OP_OBJECT_TASK || d->opcode == SOUP_OP_OBJECT_FUNCTION;
    bool apart = token->mode == SOUP_MAIN && on_object; /* ".@Name(" if nothing waits for it */
    const char *before = "";
    const char *behind = token->mode == SOUP_MAIN ? " = " : "";
    switch (token->kind) {
    case SOUP_OPCODE:
        put_opcode(s, d, token);
        return;
    case SOUP_CLOSE:
        ll_text_char(s->out, ')');
        return;
    case SOUP_FUNCTION:
        apart = apart && d->code[token->offset - 1] == SOUP_OP_MULTITASK;
        before = apart ? ".@" : on_object ? "." : "";
        behind = "(";
        break;
    case SOUP_FLAG:
    case SOUP_VARIABLE:
        break;
    case SOUP_REFERENCE:
        before = ".";
        behind = d->opcode == SOUP_OP_INCREMENT ? "++" : d->opcode == SOUP_OP_DECREMENT ? "--" : behind;
        break;
    case SOUP_COMPARISON:
    case SOUP_CONJUNCTION:
    case SOUP_OPERATOR:
        shown = token->kind == SOUP_COMPARISON || value;
        before = behind = token->kind == SOUP_OPERATOR && value >= SOUP_PLUS_PLUS ? "" : " ";
        break;
    case SOUP_TARGET:
        shown = d->opcode != SOUP_OP_END || value;
        before = d->opcode == SOUP_OP_END ? " " : "";
        behind = "";
        break;
    case SOUP_IF_END:
        before = " else ";
        behind = "";
        break;
    case SOUP_OBJECT:
        shown = value != SOUP_NAMED && value != SOUP_HELD;
        behind = "";
        break;
    case SOUP_LITERAL:
    case SOUP_STRING:
    case SOUP_OBJECT_STRING:
    case SOUP_OBJECT_VARIABLE:
    case SOUP_ANCHOR:
    case SOUP_EXPECTED:
        behind = "";
        break;
    default: /* counts and padding */
        return;
    }
    if (shown) {
        ll_text_str(s->out, before);
        put_value(s, d, token);
        ll_text_str(s->out, behind);
    }
}

static void note_target(void *ctx, const soup_decoder *d, const soup_token *token)
{
    listing *l = ctx;
    bool ends = d->opcode == SOUP_OP_END && token->kind == SOUP_TARGET && token->value == 0;
    if ((token->kind == SOUP_TARGET || token->kind == SOUP_IF_END) && token->value < d->length && !ends) {
        l->targets[token->value / 8] |= (uint8_t)(1U << token->value % 8);
    }
}

static const char *label_of(listing *l, uint32_t offset)
{
    ll_text_clear(&l->label);
    bool target = l->targets[offset / 8] >> offset % 8 & 1;
    const char *entry = offset == l->pc ? "start" : offset == 0 ? "entry" : "";
    if (target) {
        ll_text_format(&l->label, LABEL "%s", offset, entry[0] ? ", " : "");
    }
    ll_text_str(&l->label, entry);
    return ll_text_cstr(&l->label);
}

static unsigned indent_at(listing *l, const soup_decoder *d)
{
    while (l->indent && l->ends[l->indent - 1] <= d->start) {
        l->indent--;
    }
    unsigned indent = l->indent;
    bool is_if = d->code[d->start] == SOUP_OP_IF && !d->stop;
    uint32_t end = is_if ? ll_le32(d->code + d->pos - 4) : 0;
    if (end > d->pos && l->indent < INDENT_MAX) {
        l->ends[l->indent++] = end;
    }
    return indent;
}

static bool list_block(listing *l, uint32_t span, ll_line_fn visit, void *ctx)
{
    const ll_span *block = ll_doc_span(l->printer.doc, span);
    soup_decoder d;
    bool going = true;
    soup_open(&d, l->printer.doc, span, 1U << SOUP_TARGET | 1U << SOUP_IF_END, note_target, l);
    while (soup_next(&d)) {
    }
    soup_open(&d, l->printer.doc, span, SOUP_ALL_TOKENS, list_token, l);
    while (going) {
        ll_text_clear(&l->text);
        bool complete = soup_next(&d);
        if (!complete && !d.stop) {
            break;
        }
        uint32_t end = complete ? d.pos : d.length;
        unsigned indent = indent_at(l, &d);
        const char *label = label_of(l, d.start);
        const char *text = ll_text_cstr(&l->text);
        ll_line line = {block->offset + d.start,     end - d.start, indent, !complete, l->label.failed ? NULL : label,
                        l->text.failed ? NULL : text};
        going = visit(ctx, &line) && complete;
    }
    return going || d.stop;
}

/* Number of the actor with a name, or with this number; RGM_NO_ACTOR: there is none. */
static int64_t find_actor(const ll_doc *doc, const char *name)
{
    int64_t actor = ll_find_named(doc, (const uint8_t *)name, (uint32_t)strlen(name));
    uint64_t number = 0;
    const char *digit = name;
    while (actor == RGM_NO_ACTOR && *digit >= '0' && *digit <= '9' && number < UINT32_MAX) {
        number = number * 10 + (uint64_t)(*digit++ - '0');
    }
    bool numbered = digit != name && *digit == '\0' && number < rgm_summary_of(doc)->actor_count;
    return actor == RGM_NO_ACTOR && numbered ? (int64_t)number : actor;
}

bool soup_list(const ll_doc *doc, const char *name, ll_line_fn visit, void *ctx)
{
    const rgm_summary *summary = rgm_summary_of(doc);
    int64_t actor = summary && summary->actors ? find_actor(doc, name) : RGM_NO_ACTOR;
    ll_element head;
    if (actor == RGM_NO_ACTOR || !rgm_actor_record(doc, (uint32_t)actor, &head)) {
        return false;
    }
    uint32_t span = summary->actors[actor].block;
    if (span == LL_NO_SPAN) {
        return true;
    }
    const ll_allocator *allocator = &doc->arena.allocator;
    listing l = {.pc = (uint32_t)ll_get_uint(&head, rgm_actor_script_pc)};
    size_t bytes = (size_t)ll_doc_span(doc, span)->length / 8 + 1;
    l.targets = allocator->alloc(allocator->ctx, bytes);
    if (!l.targets) {
        return visit(ctx, &(ll_line){.text = NULL});
    }
    memset(l.targets, 0, bytes);
    l.printer = (printer){doc, (uint32_t)actor, &l.text};
    ll_text_init(&l.text, allocator);
    ll_text_init(&l.label, allocator);
    bool listed = list_block(&l, span, visit, ctx);
    ll_text_free(&l.text);
    ll_text_free(&l.label);
    allocator->release(allocator->ctx, l.targets);
    return listed;
}

bool soup_list_name(const ll_doc *doc, uint32_t i, ll_text *out)
{
    const rgm_summary *summary = rgm_summary_of(doc);
    ll_element actor;
    if (!summary || !rgm_actor_record(doc, i, &actor)) {
        return false;
    }
    const uint8_t *name = actor.bytes + rgm_actor_at_script_name;
    ll_text_escape(out, (const char *)name, rgm_name_length(name, RGM_NAME));
    return true;
}
