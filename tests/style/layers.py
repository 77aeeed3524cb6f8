#!/usr/bin/env python3
"""Checks the include lines of src/ against the design (docs/design.md, "The rooms").

usage: layers.py SOURCE_DIR      exit: 0 no fault, 1 a fault"""
import os
import re
import sys

# each may include the preceding ones
MODULES = ["base", "identity", "model", "formats", "rules", "packc", "findings", "diagnosis", "files", "output", "survey",
           "packages", "api", "cli", "web"]
STANDARD = {"assert.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdalign.h", "stdarg.h", "stdatomic.h",
            "stdbool.h", "stddef.h", "stdint.h", "stdlib.h", "string.h"}
PUBLIC = "lightlint/lightlint.h"
# Headers that only these files may include.
ONLY = {
    "yaml.h": ["base/yaml.c"],
    "pcre2.h": ["rules/regex.c"],
    "cjson/cJSON.h": ["output/emit/sarif"],
    "expat.h": ["packages/manifest.c"],
    "zlib.h": ["formats/mrea/mrea_zlib.c"],
    "lzo/lzo1x.h": ["packc/packc.c"],  # packs tables that the library unpacks
    "stdio.h": ["cli/", "packc/", "base/text.c"],  # text.c only for snprintf; packc is a program of its own
    "signal.h": ["cli/os_posix.c", "cli/os_windows.c"],
    "time.h": ["cli/os.c", "cli/os_posix.c"],
}
SHARED = {"formats/strcode.h", "formats/fpk/fpk_extensions.def"}  # headers of formats that any module may include
SYSTEM = ["cli/os_posix.c", "cli/os_windows"]  # files that may use more than standard C
SEVERITY = re.compile(r"\b(LL_ERROR|LL_WARNING|LL_NOTE|LL_SEVERITY\w*|ll_severity\w*|severit\w+)\b")


def source_files(top):
    for directory, _, names in os.walk(top):
        for name in names:
            if name.endswith((".c", ".h", ".def")):
                path = os.path.join(directory, name)
                yield path, os.path.relpath(path, top).replace(os.sep, "/")


def without_comments(text):
    return re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def system_fault(file, header):
    if header == PUBLIC:
        return ""
    allowed = ONLY.get(header, [] if header not in STANDARD else None)
    if allowed is None or any(file.startswith(a) for a in allowed + (SYSTEM if header not in ONLY else [])):
        return ""
    return f"<{header}> belongs to {', '.join(allowed or SYSTEM)} alone"


def own_fault(file, header):
    module, other = file.split("/")[0], header.split("/")[0]
    if other not in MODULES:
        return f'"{header}" names no module'
    if module in ("cli", "web") and other not in ("base", module):
        return f'"{header}": {module} knows the public header, base and its own module'
    if other == "packc" and module != "packc":
        return f'"{header}": packc is a program of the build'
    if MODULES.index(other) > MODULES.index(module):
        return f'"{header}": {other} stands above {module}'
    if other == "formats" and module != "formats" and header not in SHARED:
        return f'"{header}": formats are reached through model/format.h'
    families = [path.split("/")[1] for path in (file, header) if path.startswith("formats/") and path.count("/") > 1]
    if len(families) == 2 and families[0] != families[1]:
        return f'"{header}": one format does not look at another'
    return ""


def faults_of(path, file):
    with open(path, encoding="utf-8") as source:
        text = source.read()
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r'\s*#\s*include\s+(?:<([^>]+)>|"([^"]+)")', line)
        if match:
            why = system_fault(file, match.group(1)) if match.group(1) else own_fault(file, match.group(2))
            if why:
                yield f"src/{file}:{number}: {why}"
    if file.startswith("formats/"):
        for number, line in enumerate(without_comments(text).split("\n"), 1):
            match = SEVERITY.search(line)
            if match:
                yield f"src/{file}:{number}: {match.group()}: formats know no severity"


def main(top):
    files = sorted(source_files(os.path.join(top, "src")))
    faults = [fault for path, file in files for fault in faults_of(path, file)]
    print("\n".join(faults + [f"{len(files)} files, {len(faults)} faults"]))
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
