/* Measures, wraps and cuts lines of text. */
#include "base/fit.h"

/* Length of the escape sequence at p; 0: none. CSI ends with a letter, OSC with ESC \ or BEL. */
static size_t sequence_length(const char *p, size_t n)
{
    if (n < 2 || p[0] != '\x1b' || (p[1] != '[' && p[1] != ']')) {
        return 0;
    }
    size_t i = 2;
    if (p[1] == '[') {
        while (i < n && !(p[i] >= '@' && p[i] <= '~')) {
            i++;
        }
    } else {
        while (i < n && p[i] != '\a' && !(p[i] == '\\' && p[i - 1] == '\x1b')) {
            i++;
        }
    }
    return i < n ? i + 1 : n;
}

/* Length of the character or escape sequence at p, at least 1, and its columns. */
static size_t step(const char *p, size_t n, const ll_terminal *terminal, size_t *columns)
{
    const uint8_t *u = (const uint8_t *)p;
    size_t length = sequence_length(p, n);
    *columns = length ? 0 : 1;
    if (length || u[0] < 0x80) {
        return length ? length : 1;
    }
    length = ll_utf8_length(u, n);
    if (length && terminal->columns_of) {
        uint32_t character = u[0] & (0x7FU >> length);
        for (size_t i = 1; i < length; i++) {
            character = character << 6 | (u[i] & 0x3FU);
        }
        *columns = terminal->columns_of(character);
    }
    return length ? length : 1;
}

size_t ll_columns(const char *bytes, size_t n, const ll_terminal *terminal)
{
    size_t all = 0;
    for (size_t at = 0; at < n;) {
        size_t columns;
        at += step(bytes + at, n - at, terminal, &columns);
        all += columns;
    }
    return all;
}

/* Replaces the bytes [from, to) by a line feed and an indent. Returns the offset after them. */
static size_t break_line(ll_text *text, size_t from, size_t to, size_t indent)
{
    if (!ll_text_room(text, indent + 1)) {
        return text->length;
    }
    memmove(text->data + from + 1 + indent, text->data + to, text->length - to);
    text->data[from] = '\n';
    memset(text->data + from + 1, ' ', indent);
    text->length += from + 1 + indent - to;
    return from + 1 + indent;
}

enum { ROOM = 20 }; /* least columns of text in an indented line */

void ll_fit(ll_text *text, size_t from, size_t indent, const ll_terminal *terminal)
{
    if (!terminal->columns || text->failed) {
        return;
    }
    size_t line = from;
    while (line > 0 && text->data[line - 1] != '\n') {
        line--;
    }
    size_t most = terminal->columns > 2 * ROOM ? terminal->columns - 2 * ROOM : 2;
    indent = indent + ROOM > terminal->columns && indent > most ? most : indent;
    size_t used = ll_columns(text->data + line, from - line, terminal);
    size_t blank = 0; /* columns of the line's indent, while the line has nothing else */
    size_t space = 0; /* offset after the last space of the line; 0: none */
    for (size_t at = from; at < text->length;) {
        size_t columns;
        size_t next = at + step(text->data + at, text->length - at, terminal, &columns);
        if (text->data[at] == ' ') {
            space = next;
        } else if (used + columns > terminal->columns && used > blank) {
            size_t end = space ? space : at;
            size_t start = end;
            while (start > from && text->data[start - 1] == ' ') {
                start--;
            }
            if (start == line) { /* only spaces */
                start = end = at;
            }
            at = line = from = break_line(text, start, end, indent);
            used = blank = indent;
            space = 0;
            continue;
        }
        used += columns;
        at = next;
    }
}

void ll_cut(ll_text *text, size_t line, const ll_terminal *terminal)
{
    static const char dots[] = "...";
    size_t used = 0;
    size_t end = line; /* last offset at which the dots would fit */
    for (size_t at = line; terminal->columns && !text->failed && at < text->length;) {
        size_t columns;
        size_t next = at + step(text->data + at, text->length - at, terminal, &columns);
        used += columns;
        if (used > terminal->columns) {
            text->length = end;
            ll_text_str(text, dots);
            return;
        }
        at = next;
        end = used + sizeof dots - 1 <= terminal->columns ? at : end;
    }
}
