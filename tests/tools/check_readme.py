#!/usr/bin/env python3
"""Runs the sessions shown in README.md (blocks that start with "$ lightlint") and compares their output.

usage: check_readme.py [--update] LIGHTLINT SOURCE_DIR      exit: 0 the output is as shown, 1 it differs"""
import difflib
import os
import re
import subprocess
import sys

SESSION = re.compile(r"^```\n\$ lightlint ([^\n]+)\n(.*?)^```$", re.M | re.S)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    program, source = os.path.abspath(arguments[0]), arguments[1]
    path = os.path.join(source, "README.md")
    text = open(path, encoding="utf-8").read()
    stale = []

    def rerun(match):
        done = subprocess.run(f'"{program}" {match[1]}', shell=True, cwd=source, capture_output=True, text=True)
        stale.extend(difflib.unified_diff(match[2].split("\n"), done.stdout.split("\n"), "README.md", "lightlint " + match[1], lineterm=""))
        return f"```\n$ lightlint {match[1]}\n{done.stdout}```"

    fresh, sessions = SESSION.subn(rerun, text)
    if "--update" in sys.argv:
        with open(path, "w", encoding="utf-8") as out:
            out.write(fresh)
        return 0
    print("\n".join(stale))
    print(f"{sessions} sessions, " + ("not as shown: ./dev update" if stale else "as shown"))
    return 1 if stale or not sessions else 0


if __name__ == "__main__":
    sys.exit(main())
