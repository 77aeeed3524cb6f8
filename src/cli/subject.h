/* A single file given to a command: a path, standard input, a member of an archive (`ARCHIVE!PATH`) or a file of a
 * commit (`COMMIT:PATH`, as in Git). */
#ifndef LL_CLI_SUBJECT_H
#define LL_CLI_SUBJECT_H

#include "cli/config/config.h"
#include "cli/os.h"

typedef struct ll_subject {
    char *name;         /* path of the file */
    const char *shown;  /* path in reports, which also selects the settings; NULL: name */
    const char *member; /* path in the archive; NULL: the file itself */
    const char *source; /* path that can be opened; NULL: standard input */
    const ll_profile *profile;
    ll_lint_options lint; /* the options with which it was linted */
    ll_os_buffer buffer;
    ll_report *report;       /* the report asked for: `file` or `inner` */
    ll_report *file, *inner; /* of the file, and of the member */
} ll_subject;

/* `word`: the operand; `stdin_name`: name reported for "-", NULL: "-" is an ordinary file name. Reads nothing. */
void ll_subject_open(ll_subject *subject, const char *word, const char *stdin_name);
/* Reads and lints the file with its own settings. False on failure, which is reported. */
bool ll_subject_read(ll_subject *subject, ll_config *config);
/* Releases the subject, also after a failure. */
void ll_subject_close(ll_subject *subject);

#endif
