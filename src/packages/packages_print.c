/* Prints the packages of a workspace: parts, references between files, and what is missing. If a part exists in both
 * forms, the folder is shown. */
#include "packages/findings.h"

#include "base/json_write.h"

typedef struct printer printer;

/* Callbacks of a format, called in this order for each package. target: LL_NO_FILE if the file was not found. */
typedef struct print_format {
    const char *name, *head, *tail;
    void (*package)(printer *p);
    void (*part)(printer *p, unsigned part);
    void (*file)(printer *p, uint32_t ref);
    void (*reference)(printer *p, uint32_t ref, const ll_kept_fact *fact, uint32_t target);
    void (*end_file)(printer *p);
    void (*end_part)(printer *p);
    void (*end)(printer *p);
} print_format;

struct printer {
    ll_pass v;
    const print_format *format;
    ll_text out, escaped;
    ll_jsonw json;
    const ll_workspace_notice *notice; /* for the package; NULL: none */
    size_t notices;
};

static const char *const part_names[LL_PARTS] = {"main", "data"};
static const char *const form_names[LL_FORMS] = {"folder", "archive"};

/* Escapes a text for display. */
static const char *shown(printer *p, const char *text, size_t n)
{
    ll_text_clear(&p->escaped);
    ll_text_escape(&p->escaped, text, n);
    return ll_text_cstr(&p->escaped);
}

static const char *shown_text(printer *p, const char *text)
{
    return shown(p, text, strlen(text));
}

static const char *kind_of(const printer *p, uint32_t ref)
{
    static const char *const names[LL_FILE_KINDS] = {"file", "array", "harmonics", "DataSet", "archive", "manifest"};
    return names[ll_file_of(&p->v, ref)->kind];
}

/* Is the file that a fact names missing, rather than unknown? */
static bool is_missing(const printer *p, const ll_kept_fact *fact, uint32_t target)
{
    return target == LL_NO_FILE && ll_files_of(&p->v, fact->kind == LL_FACT_DATASET ? LL_DATA : LL_MAIN)->complete;
}

static const ll_part_files *slot_of(const printer *p, unsigned part, unsigned form)
{
    return &p->v.package->slots[ll_slot(part, form)];
}

/* ------------------------------------------------------------------ text */

static void text_package(printer *p)
{
    ll_text_format(&p->out, "%s\n", shown(p, p->v.package->stem, p->v.package->stem_length));
}

static void text_part(printer *p, unsigned part)
{
    bool any = false;
    ll_text_format(&p->out, "  %s part:", part_names[part]);
    for (unsigned form = 0; form < LL_FORMS; form++) {
        const ll_part_files *files = slot_of(p, part, form);
        if (files->count || files->complete) {
            ll_text_format(&p->out, "%s %s of %u %s%s", any ? "," : "", form_names[form], files->count,
                           files->count == 1 ? "file" : "files", files->complete ? "" : " (not all of it)");
            any = true;
        }
    }
    ll_text_format(&p->out, "%s%s\n", any ? "" : " not here",
                   p->v.package->manifests[part] == LL_NO_FILE ? "" : ", manifest");
}

static void text_file(printer *p, uint32_t ref)
{
    ll_text_format(&p->out, "    %s %s\n", kind_of(p, ref), shown_text(p, ll_ref_of(&p->v, ref)->inner));
}

static void text_reference(printer *p, uint32_t ref, const ll_kept_fact *fact, uint32_t target)
{
    (void)ref;
    const char *state = is_missing(p, fact, target) ? ": missing" : target == LL_NO_FILE ? ": not known" : "";
    ll_text_format(&p->out, "      %s -> %s%s\n", ll_class_name(fact->kind),
                   shown_text(p, ll_text_of(&p->v, fact->text)), state);
}

static void text_nothing(printer *p)
{
    (void)p;
}

static void text_end(printer *p)
{
    if (p->notice) {
        ll_text_format(&p->out, "  rules that were skipped: %zu: %s\n", p->notice->rules, p->notice->why);
    }
}

/* ------------------------------------------------------------------ json */

static void json_package(printer *p)
{
    ll_jsonw_line(&p->json);
    ll_jsonw_begin(&p->json, '{');
    ll_jsonw_key(&p->json, "package");
    ll_jsonw_string(&p->json, p->v.package->stem, p->v.package->stem_length);
    LL_JSON_BEGIN(&p->json, "parts", '[');
}

static void json_part(printer *p, unsigned part)
{
    ll_jsonw_begin(&p->json, '{');
    LL_JSON_PLAIN(&p->json, "part", part_names[part]);
    for (unsigned form = 0; form < LL_FORMS; form++) {
        const ll_part_files *files = slot_of(p, part, form);
        if (files->count || files->complete) {
            ll_jsonw_name(&p->json, form_names[form]);
            ll_jsonw_begin(&p->json, '{');
            LL_JSON_U64(&p->json, "files", files->count);
            LL_JSON_BOOL(&p->json, "complete", files->complete);
            ll_jsonw_end(&p->json, '}');
        }
    }
    LL_JSON_BOOL(&p->json, "manifest", p->v.package->manifests[part] != LL_NO_FILE);
    LL_JSON_BEGIN(&p->json, "files", '[');
}

static void json_file(printer *p, uint32_t ref)
{
    ll_jsonw_begin(&p->json, '{');
    LL_JSON_PLAIN(&p->json, "kind", kind_of(p, ref));
    LL_JSON_STR(&p->json, "path", ll_ref_of(&p->v, ref)->inner);
    LL_JSON_BEGIN(&p->json, "refers_to", '[');
}

static void json_reference(printer *p, uint32_t ref, const ll_kept_fact *fact, uint32_t target)
{
    (void)ref;
    ll_jsonw_begin(&p->json, '{');
    LL_JSON_PLAIN(&p->json, "by", ll_class_name(fact->kind));
    LL_JSON_STR(&p->json, "path", ll_text_of(&p->v, fact->text));
    LL_JSON_PLAIN(&p->json, "state",
                  is_missing(p, fact, target) ? "missing"
                  : target == LL_NO_FILE      ? "unknown"
                                              : "there");
    ll_jsonw_end(&p->json, '}');
}

static void json_end_list(printer *p)
{
    ll_jsonw_end(&p->json, ']');
    ll_jsonw_end(&p->json, '}');
}

static void json_end(printer *p)
{
    ll_jsonw_end(&p->json, ']');
    if (p->notice) {
        LL_JSON_PLAIN(&p->json, "missing", p->notice->missing);
        LL_JSON_STR(&p->json, "why", p->notice->why);
        LL_JSON_U64(&p->json, "rules_not_run", p->notice->rules);
    }
    ll_jsonw_end(&p->json, '}');
}

/* ------------------------------------------------------------------ dot */

/* Writes the rest of a DOT string and its closing quotation mark. */
static void end_quoted(printer *p, const char *text, size_t n)
{
    for (const char *c = shown(p, text, n); *c; c++) {
        ll_text_str(&p->out, *c == '"' || *c == '\\' ? "\\" : "");
        ll_text_char(&p->out, *c);
    }
    ll_text_char(&p->out, '"');
}

static void put_quoted(printer *p, const char *text, size_t n)
{
    ll_text_char(&p->out, '"');
    end_quoted(p, text, n);
}

/* Writes the id of a node: package number and path, as paths occur in several packages. */
static void put_node(printer *p, const char *path)
{
    ll_text_format(&p->out, "\"%u", p->v.number);
    end_quoted(p, path, strlen(path));
}

static void put_named_node(printer *p, const char *path, const char *style)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    ll_text_str(&p->out, "    ");
    put_node(p, path);
    ll_text_str(&p->out, " [label=");
    put_quoted(p, base, strlen(base));
    ll_text_format(&p->out, "%s]\n", style);
}

static void dot_package(printer *p)
{
    ll_text_format(&p->out, "  subgraph cluster_%u {\n    label=", p->v.number);
    put_quoted(p, p->v.package->stem, p->v.package->stem_length);
    ll_text_str(&p->out, "\n");
}

static void dot_part(printer *p, unsigned part)
{
    (void)p;
    (void)part;
}

static void dot_file(printer *p, uint32_t ref)
{
    static const char *const shapes[LL_FILE_KINDS] = {
        [LL_FILE_DATASET] = " shape=box", [LL_FILE_HARMONICS] = " shape=oval"};
    const char *shape = shapes[ll_file_of(&p->v, ref)->kind];
    put_named_node(p, ll_ref_of(&p->v, ref)->inner, shape ? shape : " shape=hexagon");
}

static void dot_reference(printer *p, uint32_t ref, const ll_kept_fact *fact, uint32_t target)
{
    const char *path = target == LL_NO_FILE ? ll_text_of(&p->v, fact->text) : ll_ref_of(&p->v, target)->inner;
    if (target == LL_NO_FILE) {
        put_named_node(p, path, is_missing(p, fact, target) ? " color=red style=dashed" : " style=dashed");
    }
    ll_text_str(&p->out, "    ");
    put_node(p, ll_ref_of(&p->v, ref)->inner);
    ll_text_str(&p->out, " -> ");
    put_node(p, path);
    ll_text_format(&p->out, " [label=\"%s\"%s]\n", ll_class_name(fact->kind),
                   is_missing(p, fact, target) ? " color=red style=dashed" : "");
}

static void dot_end(printer *p)
{
    ll_text_str(&p->out, "  }\n");
}

/* ------------------------------------------------------------------ all */

static const print_format formats[] = {
    {"text", "", "", text_package, text_part, text_file, text_reference, text_nothing, text_nothing, text_end},
    {"json", "{\"schema\":1,\"packages\":[", "\n]}\n", json_package, json_part, json_file, json_reference,
     json_end_list, json_end_list, json_end},
    {"dot", "digraph packages {\n  rankdir=LR\n", "}\n", dot_package, dot_part, dot_file, dot_reference, text_nothing,
     text_nothing, dot_end}};

static void print_file(printer *p, uint32_t ref)
{
    const ll_kept_file *file = ll_file_of(&p->v, ref);
    p->format->file(p, ref);
    for (uint32_t i = file->first_fact; i < file->first_fact + file->fact_count; i++) {
        const ll_kept_fact *fact = &p->v.w->facts.items[i];
        if (fact->text && fact->kind == LL_FACT_DATASET) {
            p->format->reference(p, ref, fact, ll_find_path(&p->v, LL_DATA, ll_text_of(&p->v, fact->text)));
        } else if (fact->text && ll_names_file(fact->kind)) {
            p->format->reference(p, ref, fact, ll_find_target(&p->v, LL_MAIN, fact));
        }
    }
    p->format->end_file(p);
}

static void print_package(printer *p)
{
    p->format->package(p);
    for (unsigned part = 0; part < LL_PARTS; part++) {
        const ll_part_files *files = ll_files_of(&p->v, part);
        p->format->part(p, part);
        for (uint32_t ref = files->first; ref < files->first + files->count; ref++) {
            unsigned kind = ll_file_of(&p->v, ref)->kind;
            if (kind == LL_FILE_ARRAY || kind == LL_FILE_HARMONICS || kind == LL_FILE_DATASET) {
                print_file(p, ref);
            }
        }
        p->format->end_part(p);
    }
    p->format->end(p);
}

/* Finds the notice of the current package; notices are in the order of packages. */
static void take_notice(printer *p)
{
    const ll_workspace *w = p->v.w;
    const ll_package *package = p->v.package;
    p->notice = p->notices < w->notices.count ? &w->notices.items[p->notices] : NULL;
    if (p->notice && (strlen(p->notice->package) != package->stem_length ||
                      memcmp(p->notice->package, package->stem, package->stem_length) != 0)) {
        p->notice = NULL;
    }
    p->notices += p->notice != NULL;
}

ll_status ll_workspace_print(const ll_workspace *w, const char *format, ll_write_fn write, void *ctx)
{
    size_t number = 0;
    while (format && number < sizeof formats / sizeof formats[0] && strcmp(formats[number].name, format) != 0) {
        number++;
    }
    if (!w || !format || !write || !w->joined || w->status != LL_OK || number == sizeof formats / sizeof formats[0]) {
        return LL_E_ARGUMENT;
    }
    printer p = {.format = &formats[number]};
    ll_text_init(&p.out, &w->allocator);
    ll_text_init(&p.escaped, &w->allocator);
    p.json = (ll_jsonw){&p.out, false};
    ll_text_str(&p.out, p.format->head);
    ll_status status = LL_OK;
    for (uint32_t i = 0; status == LL_OK && i <= w->packages.count; i++) {
        if (i < w->packages.count) {
            p.v = ll_pass_of((ll_workspace *)(uintptr_t)w, i, LL_FOLDER); /* nothing below changes it */
            take_notice(&p);
            print_package(&p);
        } else {
            ll_text_str(&p.out, p.format->tail);
        }
        status = p.out.failed || p.escaped.failed                        ? LL_E_MEMORY
                 : p.out.length && !write(ctx, p.out.data, p.out.length) ? LL_E_WRITE
                                                                         : LL_OK;
        ll_text_clear(&p.out);
    }
    ll_text_free(&p.out);
    ll_text_free(&p.escaped);
    return status;
}
