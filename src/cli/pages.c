/* Makes the manual pages from the tables of the program. Copies a hand-written frame and replaces lines like @OPTIONS@
 * by the contents of a table. A program of the build, never installed.
 *
 * usage: pages FRAME       writes the page to standard output; exit 0, or 2 and why */
#include "cli/config/keys.h"
#include "cli/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ roff */

/* Writes a text of our tables: literal words in `backquotes` become bold, requests and escapes of roff are escaped. */
static void put_prose(const char *text)
{
    bool bold = false;
    bool start = true;
    for (; *text; text++) {
        if (*text == '`') {
            bold = !bold;
            printf("%s", bold ? "\\fB" : "\\fR");
        } else if (*text == '-') {
            printf("\\-");
        } else if (*text == '\\') {
            printf("\\e");
        } else if (start && (*text == '.' || *text == '\'')) {
            printf("\\&%c", *text);
        } else if (*text == '\'') {
            printf("\\(aq");
        } else {
            putchar(*text);
        }
        start = false;
    }
    putchar('\n');
}

/* Writes a tag line, entirely in bold. */
static void put_tag(const char *text)
{
    printf(".TP\n.B \"");
    for (; *text; text++) {
        printf(*text == '-' ? "\\-" : *text == '\'' ? "\\(aq" : *text == '"' ? "\\(dq" : "%c", *text);
    }
    printf("\"\n");
}

/* ------------------------------------------------------------------ lightlint(1) */

static void put_synopsis(void)
{
    bool first = true;
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        for (size_t k = 0; k < LL_SYNOPSES_MAX && ll_command_rows[i].synopses[k].form; k++) {
            printf("%s.B lightlint\n", first ? "" : ".br\n");
            put_prose(ll_command_rows[i].synopses[k].form);
            first = false;
        }
    }
}

static void put_commands(void)
{
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        put_tag(ll_command_rows[i].name);
        put_prose(ll_command_rows[i].more);
    }
}

static void put_option(const ll_option_row *r)
{
    char tag[96];
    char letter[8] = "";
    if (r->letter) {
        (void)snprintf(letter, sizeof letter, "-%c, ", r->letter);
    }
    (void)snprintf(tag, sizeof tag, "%s--%s%s%s", letter, r->name, r->value && r->kind != LL_VALUE_SUFFIX ? " " : "",
                   r->value ? r->value : "");
    put_tag(tag);
    put_prose(r->more);
    const char *between = "Commands: ";
    for (size_t i = 0; i < LL_COMMAND_ROWS; i++) {
        if (ll_option_is_of(r, &ll_command_rows[i])) {
            printf("%s%s", between, ll_command_rows[i].name);
            between = ", ";
        }
    }
    printf(".\n");
}

static void put_options(void)
{
    for (size_t i = 0; i < LL_OPT_COUNT; i++) {
        const ll_option_row *r = &ll_option_rows[i];
        if (i == 0 || r->group != ll_option_rows[i - 1].group) {
            const char *title = ll_group_titles[r->group];
            printf(".SS %.*s\n", (int)strcspn(title, " ("), title);
        }
        put_option(r);
    }
}

static void put_formats(void)
{
    for (const ll_word_row *row = ll_format_rows; row->word; row++) {
        put_tag(row->word);
        put_prose(row->meaning);
    }
}

/* ------------------------------------------------------------------ lightlint-rules(5) */

static void put_field(const char *name, const char *text)
{
    if (*text) {
        printf(".br\n\\fI%s:\\fR ", name);
        put_prose(text);
    }
}

static void put_rules(void)
{
    ll_ruleset *rules = NULL;
    ll_rule_info rule;
    const char *family = "";
    if (ll_ruleset_create(NULL, &rules) != LL_OK) {
        fprintf(stderr, "pages: out of memory\n");
        exit(2);
    }
    for (size_t i = 0; ll_ruleset_rule(rules, i, &rule); i++) {
        char tag[128];
        if (strcmp(family, rule.family) != 0) {
            printf(".SS %s\n", rule.family);
            family = rule.family;
        }
        (void)snprintf(tag, sizeof tag, "%s %s (%s)", rule.id, rule.name, ll_severity_text(rule.default_severity));
        put_tag(tag);
        put_prose(rule.title);
        put_field("Why", rule.why);
        put_field("Evidence", rule.evidence);
        put_field("What to do", rule.fix);
    }
    ll_ruleset_free(rules);
}

/* ------------------------------------------------------------------ lightlint-config(5) */

static void put_keys(void)
{
    for (size_t i = 0; i < LL_KEY_COUNT; i++) {
        const ll_key_row *key = &ll_key_rows[i];
        put_tag(key->name);
        put_prose(key->meaning);
        if (key->where == LL_KEY_IN_OVERRIDE) {
            printf("In overrides only.\n");
        } else if (key->where & LL_KEY_IN_OVERRIDE) {
            printf("In overrides too.\n");
        }
        printf(".RS\n.PP\n.EX\n");
        for (const char *line = key->example; *line;) {
            int n = (int)strcspn(line, "\n");
            printf("%.*s\n", n, line);
            line += (size_t)n + (line[n] == '\n');
        }
        printf(".EE\n.RE\n");
    }
}

/* ------------------------------------------------------------------ frames */

static const struct {
    const char *mark;
    void (*put)(void);
} parts[] = {
    {"@SYNOPSIS@\n", put_synopsis}, {"@COMMANDS@\n", put_commands}, {"@OPTIONS@\n", put_options},
    {"@FORMATS@\n", put_formats},   {"@RULES@\n", put_rules},       {"@KEYS@\n", put_keys},
};

static void put_line(const char *line)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(line, parts[i].mark) == 0) {
            parts[i].put();
            return;
        }
    }
    const char *version = strstr(line, "@VERSION@");
    if (version) {
        printf("%.*s%s%s", (int)(version - line), line, ll_version(), version + strlen("@VERSION@"));
    } else {
        printf("%s", line);
    }
}

int main(int argc, char **argv)
{
    char line[1024];
    FILE *frame = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!frame) {
        fprintf(stderr, "usage: pages FRAME\n");
        return 2;
    }
    while (fgets(line, sizeof line, frame)) {
        put_line(line);
    }
    bool failed = ferror(frame);
    (void)fclose(frame);
    return failed || fflush(stdout) != 0 || ferror(stdout) ? 2 : 0;
}
