#!/usr/bin/env python3
"""Reports banned calls, functions and lines that are too long, functions with too many parameters, ll_elements made
without ll_element_at(), and writable variables in the library.

usage: banned.py SOURCE_DIR [LIBRARY]     LIBRARY: liblightlint.a, whose objects must have no writable data
exit: 0 no fault, 1 a fault"""
import os
import re
import shutil
import subprocess
import sys

LONGEST = 70  # maximum lines of a function, from its name to the closing bracket
WIDEST = 120  # maximum characters of a line; as in .clang-format
MOST_PARAMETERS = 6  # of a function

PROGRAMS = ["cli/", "packc/"]
BANNED = [  # (why, calls, files that may use them)
    ("memory comes from an allocator", "malloc calloc realloc free", ["base/status.c", "web/", *PROGRAMS]),
    ("the library does not print", "printf fprintf vprintf vfprintf puts fputs putchar fputc putc fwrite perror",
     PROGRAMS),
    ("the library opens nothing", "fopen freopen fread fclose tmpfile", PROGRAMS),
    ("the library does not exit", "exit _Exit abort quick_exit atexit", PROGRAMS),
    ("the library does not read its environment", "getenv system time clock localtime gmtime", ["cli/"]),
    ("use ll_text", "snprintf vsnprintf", ["base/text.c", "base/problem.c", *PROGRAMS]),
    ("depends on the locale; use ll_text_float() or literal.c", "strtod", ["base/text.c", "rules/literal.c"]),
    ("takes no length", "strcpy strcat sprintf vsprintf gets stpcpy", []),
    ("may leave strings without NUL", "strncpy strncat", []),
    ("does not distinguish a malformed number from 0", "atoi atol atoll atof", []),
    ("depends on the locale", "strtof strtold setlocale localeconv isalpha isdigit isalnum isprint isspace isupper "
     "islower ispunct tolower toupper strcoll strcasecmp strncasecmp", []),
    ("input is not parsed with format strings", "scanf fscanf sscanf", []),
    ("keeps hidden state", "strtok rand srand random strerror", ["cli/os_posix.c", "packc/"]),
    ("no stack of unknown size, no non-local jumps", "alloca setjmp longjmp", []),
]
WHERE = {call: (why, allowed) for why, calls, allowed in BANNED for call in calls.split()}


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def code_of(path):
    """The text with comments, strings and characters blanked out; line numbers stay."""
    with open(path, encoding="utf-8") as source:
        text = source.read()
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def call_faults(file, code):
    for match in re.finditer(r"(?<![\w.>])([A-Za-z_]\w*)\s*\(", code):
        why, allowed = WHERE.get(match.group(1), ("", []))
        if why and not any(file.startswith(a) for a in allowed):
            yield f"src/{file}:{code.count(chr(10), 0, match.start()) + 1}: {match.group(1)}: {why}"


def length_faults(file, code):
    """A function starts at the last line with a letter in its first column, and ends at a bracket there."""
    name, start = "", 0
    for number, line in enumerate(code.split("\n"), 1):
        if re.match(r"[A-Za-z_].*\)\s*\{\s*$", line):
            yield f"src/{file}:{number}: put the bracket of a function on a line of its own"
        if re.match(r"[A-Za-z_]", line):
            name, start = line.strip(), number
        elif line.startswith("}") and name and number - start + 1 > LONGEST and "(" in name:
            yield f"src/{file}:{start}: {number - start + 1} lines, the limit is {LONGEST}: {name}"


def width_faults(file, code):
    for number, line in enumerate(code.split("\n"), 1):
        if len(line) > WIDEST:
            yield f"src/{file}:{number}: {len(line)} characters, the limit is {WIDEST}"


def parameter_faults(file, code):
    for match in re.finditer(r"^[A-Za-z_][^;{}()#]*?\b(\w+)\(([^;{}]*)\)\s*\{", code, re.M):
        parameters = re.sub(r"\([^()]*\)", "", match.group(2)).count(",") + 1  # without those of function pointers
        if parameters > MOST_PARAMETERS:
            line = code.count("\n", 0, match.start(1)) + 1
            yield f"src/{file}:{line}: {parameters} parameters, the limit is {MOST_PARAMETERS}: {match.group(1)}"


def element_faults(file, code):
    """Only ll_element_at() makes an ll_element, because it checks that the element is claimed."""
    for match in re.finditer(r"\(ll_element\)\s*\{|\bll_element \w+\s*=", code):
        if file != "model/doc.h":
            yield f"src/{file}:{code.count(chr(10), 0, match.start()) + 1}: use ll_element_at() to make an ll_element"


def variable_faults(library):
    """Objects in writable sections. Tables of pointers are read-only after loading (.data.rel.ro)."""
    listing = subprocess.run(["objdump", "-t", library], capture_output=True, text=True, check=True).stdout
    member = ""
    for line in listing.splitlines():
        if ":     file format" in line:
            member = line.split(":")[0]
        match = re.match(r"[0-9a-f]+ (.{7}) (\S+)\s+([0-9a-f]+)\s+(?:\.hidden )?(\S+)$", line)
        if not match or "O" not in match.group(1):
            continue
        section, name = match.group(2), match.group(4)
        sealed = section.startswith(".data.rel.ro")
        writable = section == "*COM*" or re.match(r"\.(data|bss|tdata|tbss)(\.|$)", section)
        if writable and not sealed and not name.startswith("__"):  # the others belong to the compiler, under sanitizers
            yield f"{member}: {name} is writable ({section})"


def main(top, library=None):
    faults, count = [], 0
    for directory, _, names in sorted(os.walk(os.path.join(top, "src"))):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                path, count = os.path.join(directory, name), count + 1
                file, code = os.path.relpath(path, os.path.join(top, "src")).replace(os.sep, "/"), code_of(path)
                faults += [*call_faults(file, code), *length_faults(file, code), *width_faults(file, code),
                           *parameter_faults(file, code), *element_faults(file, code)]
    if library and shutil.which("objdump"):
        faults += variable_faults(library)
    elif library:
        print("variables not checked: no objdump here")
    print("\n".join(faults + [f"{count} files, {len(faults)} faults"]))
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) in (2, 3) else __doc__)
