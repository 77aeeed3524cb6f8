/* Text files built into the library as arrays by CMake: style sheets of reports, and skeletons for the export of fields
 * (src/formats/<f>/<f>.<language>.in). */
#ifndef LL_OUTPUT_SHIPPED_H
#define LL_OUTPUT_SHIPPED_H

typedef struct ll_shipped {
    const char *name; /* file name without ".in"; NULL ends the list */
    const char *text;
} ll_shipped;
extern const ll_shipped ll_shipped_files[];

/* The text of the file `name`.`kind`: "report", "css". NULL: no such file. Static storage. */
const char *ll_shipped_text(const char *name, const char *kind);

#endif
