#!/usr/bin/env python3
"""Refuses phrases of a private English in comments, pages and rules, opening comments that only name another file, and
subjects of commits that are too long or not of the form "room: imperative verb".

usage: words.py SOURCE_DIR      exit: 0 no fault, 1 a fault, 77 not a Git checkout"""
import os
import re
import subprocess
import sys

# Each has a plain form: "n bytes", "is named by", "is reported", "supports", "lies", "is confirmed", "can be fixed",
# "after".
PHRASES = re.compile(
    r"\b(?:in so many|of so many|by so many|goes by the|go by the|goes by its|(?:is|are) told (?:by|once|of)|speaks? for|stands? by|borne out|"
    r"(?:is|are|was|were|be) mended|(?:to|and|can|will) mend|nothing tells|nobody knows|turned round|all the same\b(?! byte)|of which nothing|"
    r"one behind (?:the|each) other|(?:at|before) or behind|right behind|(?:bytes|zeros|zero|parts|one|lies?) behind|"
    r"is nobody's|tells? nothing of|as ever\b(?! more))", re.I)
OPENING = re.compile(r'^(?:/\*|#|//)\s*See [\w./]+\.(?:h|c|py|md)\.?\s*(?:\*/)?\s*$', re.M)
AGAIN = re.compile(r'(?:/\*|""") ?The same\b(?! (?:as|with|for|in|from|time)\b)')
READ = (".c", ".h", ".def", ".py", ".mjs", ".md", ".yaml", ".txt", ".cmake")
SKIPPED = ("tests/cases/golden/", "tests/style/words.py")
SINCE = "183cf34d"  # older subjects stay as they are
SUBJECT = re.compile(r"^(?:Merge .+|Revert .+|[\w/, +.-]+: [a-z].*[^.])$")
LONGEST = 72


def tracked(top):
    done = subprocess.run(["git", "-C", top, "ls-files", "-z"], capture_output=True, check=False)
    return done.stdout.decode().split("\0")[:-1] if done.returncode == 0 else None


def faults_of(name, text):
    for number, line in enumerate(text.split("\n"), 1):
        found = PHRASES.search(line) or AGAIN.search(line)
        if found:
            yield f"{name}:{number}: '{found.group()}': say it with a subject, a verb and the term of the field"
    opening = OPENING.match(text)
    if opening:
        yield f"{name}:1: '{opening.group()}': say what the file does"


def subject_faults(top):
    """A clone without history, or an archive, has no commits to look at."""
    done = subprocess.run(["git", "-C", top, "log", "--format=%h %s", f"{SINCE}..HEAD"], capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines() if done.returncode == 0 else []:
        number, subject = line.split(" ", 1)
        if len(subject) > LONGEST or not SUBJECT.match(subject):
            yield f"commit {number}: '{subject}': expected 'room: imperative verb ...', at most {LONGEST} characters"


def main():
    top = sys.argv[1]
    names = tracked(top)
    if names is None:
        print("skipped: not a Git checkout")
        return 77
    faults = list(subject_faults(top))
    for name in names:
        if name.endswith(READ) and not name.startswith(SKIPPED):
            with open(os.path.join(top, name), encoding="utf-8") as file:
                faults += faults_of(name, file.read())
    for fault in faults:
        print(fault)
    print(f"{len(names)} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
