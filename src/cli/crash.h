/* What happens when the program crashes (a fault of memory, a failed assertion). The process starts itself again with
 * the same command line and the name of the file that it worked on; the new run reports that file as not checked and
 * goes on behind it. Both runs write the same bytes up to that file, so the new one leaves out what standard output
 * has already. A run without a crash pays for the installation of the handlers and for nothing else.
 *
 * Builds with sanitizers, which have handlers of their own, leave crashes to them. */
#ifndef LL_CLI_CRASH_H
#define LL_CLI_CRASH_H

#include <stdbool.h>
#include <stddef.h>

/* What a thread works on: a file as it is reported, or what it has with other files. */
typedef enum ll_crash_part { LL_CRASH_ALONE, LL_CRASH_JOINED } ll_crash_part;

/* Call once, at the start of the program and on its first thread: installs the handlers, and reads where earlier starts
 * of this command line failed. */
void ll_crash_start(void);

/* From now on a crash starts the program again. Call it before the first file, and only for a command that changes no
 * file of the user's and can be run twice. */
void ll_crash_allow_restart(void);

/* This thread works on `name` from now on, which stays where it is until the next call. True: an earlier start failed
 * at it, and it must be passed over. NULL: on no file. */
bool ll_crash_at(const char *name, ll_crash_part part);

/* ll_os_write(), but without what an earlier start has already written to standard output. One thread at a time. */
int ll_crash_write(int stream, const char *bytes, size_t size);

#endif
