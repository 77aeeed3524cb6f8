/* Prints differences of documents as text, Markdown and JSON. docs/schema/diff.schema.json describes the JSON. */
#include "base/json_write.h"
#include "findings/words.h"

static const char *const formats[] = {"text", "json", "markdown", NULL};
enum { FORM_TEXT, FORM_JSON, FORM_MARKDOWN }; /* indices of `formats` */

enum { SCHEMA = 1, VALUE_SHOWN = 200 };

/* By ll_difference_kind: name in JSON, word before the path, style. */
static const struct {
    const char *name, *word;
    ll_style style;
} kinds[] = {{"changed", "", LL_PLAIN},
             {"removed", "removed ", LL_STYLE_ERROR},
             {"added", "added ", LL_STYLE_NOTE},
             {"moved", "moved ", LL_STYLE_WARNING},
             {"bytes", "bytes ", LL_STYLE_WARNING}};

struct ll_differences {
    ll_allocator allocator;
    ll_diff_options options;
    size_t form; /* index into `formats` */
    ll_text out, scratch;
    ll_jsonw json;
    uint64_t heads, count;
    ll_report *before, *after; /* the pair being printed */
    bool begun;                /* something was printed for the pair */
    ll_status status;
};

const char *const *ll_diff_formats(void)
{
    return formats;
}

ll_status ll_differences_create(const ll_allocator *allocator, const ll_diff_options *options, ll_differences **out)
{
    size_t form = 0;
    if (!options || !options->format || !options->write || !out) {
        return LL_E_ARGUMENT;
    }
    while (formats[form] && strcmp(formats[form], options->format) != 0) {
        form++;
    }
    if (!formats[form]) {
        return LL_E_ARGUMENT;
    }
    ll_allocator a = ll_allocator_or_default(allocator);
    ll_differences *d = a.alloc(a.ctx, sizeof *d);
    if (!d) {
        return LL_E_MEMORY;
    }
    *d = (ll_differences){.allocator = a, .options = *options, .form = form};
    d->options.color = options->color && form == FORM_TEXT;
    ll_text_init(&d->out, &d->allocator);
    ll_text_init(&d->scratch, &d->allocator);
    d->json.out = &d->out;
    if (d->form == FORM_JSON) {
        ll_jsonw_begin(&d->json, '{');
        LL_JSON_U64(&d->json, "schema", SCHEMA);
        LL_JSON_BEGIN(&d->json, "files", '[');
    }
    *out = d;
    return LL_OK;
}

void ll_differences_free(ll_differences *d)
{
    if (d) {
        ll_text_free(&d->out);
        ll_text_free(&d->scratch);
        d->allocator.release(d->allocator.ctx, d);
    }
}

/* ------------------------------------------------------------------ text and Markdown */

/* Appends text of lightlint, or of a file after decoding made it safe. */
static void put_words(ll_differences *d, const char *words)
{
    if (d->form == FORM_MARKDOWN) {
        ll_markdown_code(&d->out, words);
    } else {
        ll_text_str(&d->out, words);
    }
}

/* Appends "a.grxla -> b.grxla", or the one name with the side it is on. */
static void put_pair(ll_differences *d)
{
    ll_text *out = &d->out;
    ll_text_str(out, d->form == FORM_MARKDOWN ? d->heads++ ? "\n#### " : "#### " : "");
    ll_text_str(out, ll_style_code(d->options.color, LL_STRONG));
    ll_text_str(out, !d->after ? "only before: " : !d->before ? "only after: " : "");
    bool same = d->before && d->after && strcmp(ll_report_name(d->before), ll_report_name(d->after)) == 0;
    const ll_report *sides[2] = {same ? NULL : d->before, d->after};
    for (unsigned i = 0; i < 2; i++) {
        ll_text_str(out, i && !same && d->before && d->after ? " -> " : "");
        if (sides[i] && d->form == FORM_MARKDOWN) {
            ll_text_clear(&d->scratch);
            ll_name_text(sides[i], &d->scratch);
            ll_markdown_code(out, ll_text_cstr(&d->scratch));
            out->failed = out->failed || d->scratch.failed;
        } else if (sides[i]) {
            ll_name_text(sides[i], out);
        }
    }
    ll_text_str(out, ll_style_code(d->options.color, LL_PLAIN));
    ll_text_str(out, "\n");
    ll_text_str(out, d->form == FORM_MARKDOWN && d->before && d->after ? "\n" : "");
}

static void put_value(ll_differences *d, const char *value)
{
    if (!value) {
        ll_text_str(&d->out, "nothing");
    } else if (d->form == FORM_MARKDOWN) {
        ll_markdown_code(&d->out, value);
    } else {
        ll_short_text(value, VALUE_SHOWN, &d->out);
    }
}

/* Appends "+0x60..0xf0", or the places before and after. */
static void put_places(const ll_difference *x, ll_text *out)
{
    if (x->is_before) {
        ll_place_text(x->offset_before, x->length_before, out);
    }
    if (x->is_after) {
        ll_text_str(out, x->is_before ? " -> " : "");
        ll_place_text(x->offset_after, x->length_after, out);
    }
    if (x->region) {
        ll_text_format(out, " in %s", x->region);
    }
}

static void put_line(ll_differences *d, const ll_difference *x)
{
    ll_text *out = &d->out;
    bool has_values = x->kind == LL_FIELD_CHANGED || x->kind == LL_BYTES_CHANGED;
    ll_text_str(out, d->form == FORM_MARKDOWN ? "- " : "");
    ll_text_str(out, ll_style_code(d->options.color, kinds[x->kind].style));
    ll_text_str(out, kinds[x->kind].word);
    put_words(d, x->path);
    ll_text_str(out, ll_style_code(d->options.color, LL_PLAIN));
    if (has_values) {
        ll_text_str(out, ": ");
        put_value(d, x->was);
        ll_text_str(out, " -> ");
        put_value(d, x->is);
    } else {
        ll_text_str(out, x->type[0] ? " " : "");
        ll_text_str(out, x->type);
        ll_text_str(out, ", ");
        put_places(x, out);
    }
    ll_text_char(out, '\n');
}

/* ------------------------------------------------------------------ JSON */

static void put_json_pair(ll_differences *d)
{
    ll_jsonw *json = &d->json;
    const ll_report *sides[2] = {d->before, d->after};
    ll_jsonw_line(json);
    ll_jsonw_begin(json, '{');
    for (unsigned i = 0; i < 2; i++) {
        ll_jsonw_name(json, i ? "after" : "before");
        if (sides[i]) {
            ll_jsonw_str(json, ll_report_name(sides[i]));
        } else {
            ll_jsonw_raw(json, "null", 4);
        }
    }
    LL_JSON_PLAIN(json, "format", ll_report_format(d->after ? d->after : d->before));
    LL_JSON_BEGIN(json, "differences", '[');
}

static void put_json_value(ll_jsonw *json, const char *key, const char *value)
{
    ll_jsonw_name(json, key);
    if (value) {
        ll_jsonw_str(json, value);
    } else {
        ll_jsonw_raw(json, "null", 4);
    }
}

static void put_json(ll_differences *d, const ll_difference *x)
{
    ll_jsonw *json = &d->json;
    ll_jsonw_line(json);
    ll_jsonw_begin(json, '{');
    LL_JSON_PLAIN(json, "kind", kinds[x->kind].name);
    LL_JSON_STR(json, "path", x->path);
    if (x->type[0]) {
        LL_JSON_STR(json, "type", x->type);
    }
    if (x->kind == LL_FIELD_CHANGED || x->kind == LL_BYTES_CHANGED) {
        put_json_value(json, "was", x->was);
        put_json_value(json, "is", x->is);
    }
    if (x->is_before) {
        LL_JSON_U64(json, "offset_before", x->offset_before);
        LL_JSON_U64(json, "length_before", x->length_before);
    }
    if (x->is_after) {
        LL_JSON_U64(json, "offset_after", x->offset_after);
        LL_JSON_U64(json, "length_after", x->length_after);
    }
    if (x->region) {
        LL_JSON_STR(json, "region", x->region);
    }
    ll_jsonw_end(json, '}');
}

/* ------------------------------------------------------------------ pairs */

static bool add_difference(void *ctx, const ll_difference *x)
{
    ll_differences *d = ctx;
    d->count++;
    if (d->form == FORM_JSON) {
        put_json(d, x);
    } else {
        bool member = d->before->file.member || d->after->file.member;
        if (!d->begun && (d->options.heads || member || d->form == FORM_MARKDOWN)) {
            put_pair(d);
        }
        put_line(d, x);
    }
    d->begun = true;
    d->status = ll_send_text(&d->out, LL_SEND_AT, d->options.write, d->options.ctx);
    return d->status == LL_OK;
}

ll_status ll_differences_add(ll_differences *d, ll_report *before, ll_report *after)
{
    if (!d || (!before && !after)) {
        return LL_E_ARGUMENT;
    }
    ll_status status = LL_OK;
    d->before = before;
    d->after = after;
    d->begun = false;
    d->status = LL_OK;
    if (d->form == FORM_JSON) {
        put_json_pair(d);
    }
    if (before && after) {
        status = ll_diff(before, after, add_difference, d);
    } else {
        d->count++;
        if (d->form != FORM_JSON) {
            put_pair(d);
        }
    }
    if (d->form == FORM_JSON) {
        ll_jsonw_end(&d->json, ']');
        ll_jsonw_end(&d->json, '}');
    }
    return status == LL_OK ? d->status : status;
}

ll_status ll_differences_finish(ll_differences *d, uint64_t *count)
{
    if (!d) {
        return LL_E_ARGUMENT;
    }
    if (d->form == FORM_JSON) {
        ll_text_str(&d->out, "]");
        d->json.comma = true;
        LL_JSON_U64(&d->json, "count", d->count);
        ll_text_str(&d->out, "}\n");
    }
    if (count) {
        *count = d->count;
    }
    return ll_send_text(&d->out, 0, d->options.write, d->options.ctx);
}
