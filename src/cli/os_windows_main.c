/* Entry point on Windows: converts the UTF-16 command line to UTF-8 and calls main(). Waits for a key if the program
 * was started from the Explorer. */
#include "cli/os_windows.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int main(int argc, char **argv);
int wmain(int argc, wchar_t **argv);

/* True if this is the only process of its console and both input and output are that console: the program was started
 * from the Explorer. */
static bool has_own_console(void)
{
    DWORD processes[2];
    DWORD mode;
    return GetConsoleProcessList(processes, 2) == 1 && GetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), &mode) &&
           GetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), &mode);
}

static void say(const char *text)
{
    (void)ll_os_write(LL_OS_STDERR, text, strlen(text));
}

static void wait_for_key(void)
{
    HANDLE console = GetStdHandle(STD_INPUT_HANDLE);
    INPUT_RECORD event;
    DWORD n;
    say("\nPress any key to close this window.\n");
    (void)FlushConsoleInputBuffer(console);
    while (ReadConsoleInputW(console, &event, 1, &n) &&
           !(event.EventType == KEY_EVENT && event.Event.KeyEvent.bKeyDown)) {
    }
}

/* Backslashes become slashes in every argument. None needs a backslash for something else: in patterns it would only
 * quote '*' and '?', which no file name on Windows contains. */
static char *read_word(const wchar_t *word)
{
    return ll_os_narrow_path(_wcsicmp(word, L"nul") == 0 ? L"/dev/null" : word); /* MSYS2 (Git) turns /dev/null into
                                                                                  * nul */
}

int wmain(int argc, wchar_t **argv)
{
    char **words = ll_os_alloc((size_t)argc + 1, sizeof *words);
    bool dropped = true; /* Explorer passes only paths */
    for (int i = 0; i < argc; i++) {
        words[i] = read_word(argv[i]);
        dropped = dropped && words[i][0] != '-';
    }
    bool waits = dropped && has_own_console();
    if (waits && argc < 2) {
        say("Drop a file or a folder of a mod onto lightlint.exe to have it checked,\n"
            "or start lightlint in a terminal (cmd, PowerShell):\n\n");
    }
    int code = main(argc, words);
    if (waits) {
        wait_for_key();
    }
    for (int i = 0; i < argc; i++) {
        free(words[i]);
    }
    free((void *)words);
    return code;
}
