#!/usr/bin/env python3
"""The shared library exports exactly the functions of the public header.

usage: check_symbols.py LIBRARY HEADER [NM]
exit:  0 it does, 1 it does not, 77 skipped (the tool nm is missing)"""
import re
import shutil
import subprocess
import sys


def declared(path):
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    return set(re.findall(r"^LL_API\b[^;{]*?\b(ll_\w+)\(", text, re.M))


def exported(path, nm):
    listing = subprocess.run([nm, "-D", "--defined-only", "-P", path], capture_output=True, text=True, check=True).stdout
    symbols = {line.split()[0].split("@")[0] for line in listing.splitlines()}
    return {name for name in symbols if name not in ("_init", "_fini")}  # symbols of the C run-time


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    library, header, nm = (*arguments, "nm")[:3]
    if not shutil.which(nm):
        print(f"skipped: no {nm}")
        return 77
    wanted, found = declared(header), exported(library, nm)
    for name in sorted(found - wanted):
        print(f"exported, but not in the header: {name}")
    for name in sorted(wanted - found):
        print(f"in the header, but not exported: {name}")
    print(f"{len(found)} exported, {len(wanted)} declared")
    return 0 if found == wanted and found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
