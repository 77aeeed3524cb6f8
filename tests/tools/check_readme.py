#!/usr/bin/env python3
"""Runs the sessions shown in README.md and docs/mods.md (blocks that start with "$ lightlint") and compares their output.

usage: check_readme.py [--update] LIGHTLINT SOURCE_DIR      exit: 0 the output is as shown, 1 it differs"""
import difflib
import os
import re
import subprocess
import sys

PAGES = ("README.md", "docs/mods.md")
SESSION = re.compile(r"^```\n\$ lightlint ([^\n]+)\n(.*?)^```$", re.M | re.S)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    program, source = os.path.abspath(arguments[0]), arguments[1]
    stale, sessions = [], 0
    for page in PAGES:
        path = os.path.join(source, page)
        with open(path, encoding="utf-8") as file:
            text = file.read()

        def rerun(match, page=page):
            done = subprocess.run(f'"{program}" {match[1]}', shell=True, cwd=source, capture_output=True, text=True)
            stale.extend(difflib.unified_diff(match[2].split("\n"), done.stdout.split("\n"), page, "lightlint " + match[1], lineterm=""))
            return f"```\n$ lightlint {match[1]}\n{done.stdout}```"

        fresh, count = SESSION.subn(rerun, text)
        sessions += count
        if "--update" in sys.argv:
            with open(path, "w", encoding="utf-8") as out:
                out.write(fresh)
    if "--update" in sys.argv:
        return 0
    print("\n".join(stale))
    print(f"{sessions} sessions, " + ("not as shown: ./dev update" if stale else "as shown"))
    return 1 if stale or sessions < len(PAGES) else 0


if __name__ == "__main__":
    sys.exit(main())
