/* Limits of a rule. They are tested last: of the records that a test refuses, only few are beyond them. */
#include "rules/scope.h"

#include "base/endian.h"
#include "base/glob.h"
#include "base/problem.h"
#include "base/text.h"
#include "model/names.h"
#include "model/reader_plan.h"

#include <string.h>

enum { FILE_NAME_MAX = 256 };

unsigned ll_scope_field(const ll_format *format, unsigned layout)
{
    const ll_layout *l = &format->layouts[layout];
    unsigned field = ll_name_field(format, layout);
    field = field == LL_NO_FIELD && l->kind == LL_KIND_RECORD ? l->key_field : field;
    const bool named = field != LL_NO_FIELD && l->fields[field].bytes == sizeof(uint64_t);
    return named && ll_is_text_hash(format, &l->fields[field]) ? field : LL_NO_FIELD;
}

unsigned ll_scope_owner(const ll_format *format)
{
    size_t i = LL_LAYOUT_BUILTINS;
    while (i < format->layout_count &&
           (ll_name_field(format, (unsigned)i) == LL_NO_FIELD || ll_scope_field(format, (unsigned)i) == LL_NO_FIELD)) {
        i++;
    }
    return i < format->layout_count ? (unsigned)i : 0;
}

static ll_status bind_owner(const ll_format *format, const char *word, ll_owner *out, ll_problem *problem)
{
    const char *dot = strchr(word, '.');
    const char *member = dot ? dot + 1 : "";
    const size_t length = dot ? (size_t)(dot - word) : strlen(word);
    if (!ll_texts_of(format)) {
        return LL_PROBLEM(problem, "'of' selects by names, and records of family '", format->family, "' have none");
    }
    *out = (ll_owner){.any = length == 1 && *word == '*', .dot = dot != NULL};
    if (!length || strchr(member, '.') || (*member == 0) == out->dot || (out->any && !dot)) {
        return LL_PROBLEM(problem, "'", word, "' is not a name, or two with a dot, as in 'LightArray.flags'");
    }
    out->name = format->text_hash((const uint8_t *)word, length);
    out->member = format->text_hash((const uint8_t *)member, strlen(member));
    return LL_OK;
}

ll_status ll_scope_bind(ll_arena *arena, const ll_format *format, const ll_rule *rule, const ll_scope **out,
                        ll_problem *problem)
{
    ll_status status = LL_OK;
    *out = NULL;
    if (rule->of.count + rule->files.count == 0) {
        return LL_OK;
    }
    ll_scope *scope = ll_arena_alloc(arena, 1, sizeof *scope);
    ll_owner *owners = ll_arena_alloc(arena, rule->of.count, sizeof *owners);
    uint64_t names = 0;
    bool members = rule->of.count > 0;
    if (!scope || !owners) {
        return LL_E_MEMORY;
    }
    for (size_t i = 0; status == LL_OK && i < rule->of.count; i++) {
        status = bind_owner(format, rule->of.at[i], &owners[i], problem);
        if (status == LL_OK) {
            members = members && owners[i].dot;
            names |= ll_name_bit(owners[i].dot ? owners[i].member : owners[i].name);
        }
    }
    *scope = (ll_scope){owners, (uint32_t)rule->of.count, names, members, &rule->files};
    *out = scope;
    return status;
}

/* Is some name one of the owners, with the name below it where a member is asked for? The innermost name is first. */
static bool is_owned(const ll_scope *scope, const uint64_t *names, unsigned count)
{
    bool is = scope->owner_count == 0;
    for (uint32_t i = 0; !is && i < scope->owner_count; i++) {
        const ll_owner *owner = &scope->owners[i];
        for (unsigned n = owner->dot; !is && n < count; n++) {
            is = (owner->any || names[n] == owner->name) && (!owner->dot || names[n - 1] == owner->member);
        }
    }
    return is;
}

/* Does the last part of the file's path match a pattern? */
static bool is_file(const ll_words *files, const char *path)
{
    char name[FILE_NAME_MAX];
    size_t n = 0;
    bool is = files->count == 0;
    if (files->count == 1 && files->at[0][0] == '*' && !strpbrk(files->at[0] + 1, "*?/")) {
        return path && ll_ends_with(path, files->at[0] + 1); /* the usual form */
    }
    for (const char *p = path && !is ? path : ""; *p; p++) {
        n = *p == '/' || *p == '\\' ? 0 : n + 1;
        if (n && n < sizeof name) {
            name[n - 1] = ll_lower(*p);
        }
    }
    name[n < sizeof name ? n : 0] = '\0';
    for (size_t i = 0; !is && i < files->count; i++) {
        is = ll_glob(files->at[i], strlen(files->at[i]), name);
    }
    return is;
}

void ll_scope_read(const ll_doc *doc, uint32_t span, const uint16_t *fields, ll_scope_names *out)
{
    enum { MOST = sizeof out->at / sizeof *out->at };
    *out = (ll_scope_names){.span = span};
    for (uint32_t at = span; at != LL_NO_SPAN && out->count < MOST; at = ll_doc_span(doc, at)->parent) {
        const ll_span *s = ll_doc_span(doc, at);
        if (fields[s->layout] != LL_NO_FIELD && !(s->flags & LL_SPAN_BROKEN)) {
            out->at[out->count++] = ll_number_at(ll_doc_layout(doc, at), fields[s->layout], ll_doc_at(doc, s->offset));
        }
    }
}

bool ll_scope_holds(const ll_scope *scope, const ll_doc *doc, const ll_scope_names *names)
{
    return is_owned(scope, names->at, names->count) && is_file(scope->files, doc->name);
}
