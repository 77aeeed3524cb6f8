/* Restart after a crash (memory fault, failed assertion). The process starts itself again with the same command line
 * and a mark of the file it worked on. The new run reports that file as not checked and continues after it. Both runs
 * produce the same bytes up to that file; the new run skips those already written to standard output. A run without a
 * crash pays only for installing the handlers.
 *
 * Builds with sanitizers leave crashes to the sanitizer. */
#ifndef LL_CLI_CRASH_H
#define LL_CLI_CRASH_H

#include <stdbool.h>
#include <stddef.h>

/* What a thread works on: a file by itself, or its checks against other files. */
typedef enum ll_crash_part { LL_CRASH_ALONE, LL_CRASH_JOINED } ll_crash_part;

/* Call once, at the start of the program on its first thread. Installs the handlers and reads at which files earlier
 * starts of this command line failed. */
void ll_crash_start(void);

/* From now on a crash restarts the program. Call it before the first file, and only for commands that can be run twice
 * and change no file of the user. */
void ll_crash_allow_restart(void);

/* Records that this thread now works on `name`, which must stay valid until the next call; NULL: on no file. True: an
 * earlier start crashed there, and the file must be skipped. */
bool ll_crash_at(const char *name, ll_crash_part part);

/* ll_os_write() that skips bytes an earlier start has already written to standard output. One thread at a time. */
int ll_crash_write(int stream, const char *bytes, size_t size);

#endif
