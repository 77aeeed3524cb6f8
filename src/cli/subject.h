/* One file that a command looks at: a file by its path, standard input, a member of an archive (`ARCHIVE!PATH`), or a
 * file of a commit (`COMMIT:PATH`, as Git names it). */
#ifndef LL_CLI_SUBJECT_H
#define LL_CLI_SUBJECT_H

#include "cli/config/config.h"
#include "cli/os.h"

typedef struct ll_subject {
    char *name;         /* of the file */
    const char *shown;  /* as reports show it; settings are those of this path, too. NULL: name */
    const char *member; /* its path in the archive; NULL: the file itself */
    const char *source; /* what opens the file; NULL: standard input */
    const ll_profile *profile;
    ll_lint_options lint; /* how it was linted */
    ll_os_buffer buffer;
    ll_report *report;       /* of what was asked for: */
    ll_report *file, *inner; /* inner: of the member */
} ll_subject;

/* `word`: as it was given; `stdin_name`: what "-" goes by, NULL: it is a file like others. Reads nothing. */
void ll_subject_open(ll_subject *subject, const char *word, const char *stdin_name);
/* Reads and lints it with the rules and the game that hold for it. False: it could not, which was said. */
bool ll_subject_read(ll_subject *subject, ll_config *config);
/* Ends its use; also where it could not be read. */
void ll_subject_close(ll_subject *subject);

#endif
