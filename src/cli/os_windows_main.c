/* The beginning of the program on Windows, where words of the command line are UTF-16. */
#include "cli/os_windows.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int main(int argc, char **argv);
int wmain(int argc, wchar_t **argv);

/* A console that ends with this process, and that somebody looks at: the program was started from the Explorer. */
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

/* No argument of lightlint has a use for a backslash that is none between names: in patterns it would keep a meaning
 * from
 * '*' and '?', which are in no name here. */
static char *read_word(const wchar_t *word)
{
    return ll_os_narrow_path(_wcsicmp(word, L"nul") == 0 ? L"/dev/null" : word); /* what MSYS2 (Git) makes of that */
}

int wmain(int argc, wchar_t **argv)
{
    char **words = ll_os_alloc((size_t)argc + 1, sizeof *words);
    bool dropped = true; /* what the Explorer hands over are paths */
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
