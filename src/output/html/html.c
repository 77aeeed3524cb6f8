#include "output/html/html.h"

#include "findings/report.h"
#include "output/shipped.h"

void ll_html_text(ll_text *out, const char *text, size_t n)
{
    static const char *const escapes[] = {"&&amp;", "<&lt;", ">&gt;", "\"&quot;", "'&#39;", NULL};
    ll_mapped_text(text, n, escapes, out);
}

/* Appends <tag>text</tag>, with the text escaped. */
static void put_element(ll_text *out, const char *tag, const char *text)
{
    ll_text_format(out, "<%s>", tag);
    ll_html_text(out, text, strlen(text));
    ll_text_format(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void ll_html_begin(ll_text *out, const char *title)
{
    ll_text_str(out,
                "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
                "base-uri 'none'; form-action 'none'\">\n");
    put_element(out, "title", title);
    ll_text_format(out, "\n<style>\n%s%s%s</style>\n<main>\n", ll_shipped_text("colors", "css"),
                   ll_shipped_text("report", "css"), ll_shipped_text("plan", "css"));
    put_element(out, "h1", title);
    ll_text_char(out, '\n');
}

void ll_html_end(ll_text *out)
{
    ll_text_str(out, "<footer>lightlint " LL_VERSION_STRING "</footer>\n</main>\n");
}

/* value / most of `scale`, rounded down, but at least 1 if value is not 0. */
static uint64_t part_of(uint64_t value, uint64_t most, unsigned scale)
{
    double part = most ? (double)value / (double)most * scale : 0;
    return !value ? 0 : part < 1 ? 1 : part > scale ? scale : (uint64_t)part;
}

void ll_html_bar(ll_text *out, uint64_t value, uint64_t most)
{
    ll_text_format(out,
                   "<svg class=\"bar\" viewBox=\"0 0 200 12\" preserveAspectRatio=\"none\" "
                   "aria-hidden=\"true\">"
                   "<rect width=\"%" PRIu64 "\" height=\"12\"/></svg>",
                   part_of(value, most, 200));
}

void ll_html_mark(ll_text *out, const char *word)
{
    static const char *const signs[][2] = {
        {"note", "\xe2\x97\x8f"}, {"warning", "\xe2\x96\xb2"}, {"error", "\xe2\x9c\x95"}};
    ll_text_str(out, "<span class=\"mark\">");
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (strcmp(word, signs[i][0]) == 0) {
            ll_text_format(out, "<span aria-hidden=\"true\">%s</span> ", signs[i][1]);
        }
    }
    ll_html_text(out, word, strlen(word));
    ll_text_str(out, "</span>");
}

void ll_html_histogram(ll_text *out, const char *label, const uint64_t *counts, const char *const *titles, size_t n)
{
    enum { HEIGHT = 100, WIDTH = 10 };
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++) {
        most = counts[i] > most ? counts[i] : most;
    }
    if (!n) {
        return;
    }
    ll_text_format(out,
                   "<svg class=\"histogram\" viewBox=\"0 0 %" PRIu64
                   " %u\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"",
                   (uint64_t)n * WIDTH, HEIGHT);
    ll_html_text(out, label, strlen(label));
    ll_text_str(out, "\">\n");
    for (size_t i = 0; i < n; i++) {
        unsigned height = (unsigned)part_of(counts[i], most, HEIGHT);
        ll_text_format(out, "<rect x=\"%" PRIu64 "\" y=\"%u\" width=\"%u\" height=\"%u\">", (uint64_t)i * WIDTH + 1,
                       HEIGHT - height, WIDTH - 2, height);
        put_element(out, "title", titles[i]);
        ll_text_str(out, "</rect>\n");
    }
    ll_text_str(out, "</svg>\n");
}
