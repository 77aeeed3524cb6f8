/* Text files that are part of the library, an array each, which CMake makes: styles of reports, and what is written by
 * hand of an export of fields (src/formats/<f>/<f>.<language>.in). */
#ifndef LL_REPORT_SHIPPED_H
#define LL_REPORT_SHIPPED_H

typedef struct ll_shipped {
    const char *name; /* of the file, without ".in"; NULL behind the last one */
    const char *text;
} ll_shipped;
extern const ll_shipped ll_shipped_files[];

/* The text of the file `name`.`kind`: "report", "css". NULL: there is none. Static storage. */
const char *ll_shipped_text(const char *name, const char *kind);

#endif
