#!/usr/bin/env python3
"""Follows every relative link of the pages that are released: of the source archive, which holds what Git tracks, of what is installed, which
archives and the Debian package hold, and of the README of the npm package and of the editor extension, which have no files beside them. A link
with a fragment leads to a heading of the page.

usage: links.py SOURCE_DIR [CMAKE BUILD_DIR WORK_DIR]     with a build: what `cmake --install` puts into WORK_DIR, too
exit:  0 all lead somewhere, 1 not"""
import os
import re
import shutil
import subprocess
import sys

LINK = re.compile(r"(?<!`)\[[^\]\n]*(?:\n[^\]\n]*)?\]\(([^()\s]+)\)")
CODE = re.compile(r"^```.*?^```$|``.+?``|`[^`]+`", re.M | re.S)
HEADING = re.compile(r"^#+ (.*)$", re.M)
ALONE = ("src/web/npm/README.md", "src/web/vscode/README.md")
SKIPPED = {".git", "build", "node_modules"}


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def anchors(path):
    """Names of the headings of a page, as code hosts make them: small letters, blanks as hyphens, without other signs."""
    names, seen = set(), {}
    for heading in HEADING.findall(re.sub(r"^```.*?^```$", blank, read(path), flags=re.M | re.S)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        names.add(f"{name}-{count}" if count else name)
    return names


def fault_of(folder, page, link, known):
    """What is wrong with a link of a page; empty: nothing."""
    target, _, fragment = link.partition("#")
    path = os.path.normpath(os.path.join(folder, os.path.dirname(page), target)) if target else os.path.join(folder, page)
    if os.path.relpath(path, folder).startswith(".."):
        return f"{link} leads out of what is released"
    if not os.path.exists(path):
        return f"there is no {link}"
    if fragment and path.endswith(".md") and fragment not in known.setdefault(path, anchors(path)):
        return f"{link}: there is no such heading"
    return ""


def links(text):
    """(line, link) of the relative ones."""
    text = CODE.sub(blank, text)
    for match in LINK.finditer(text):
        if not re.match(r"\w+:", match[1]):
            yield text.count("\n", 0, match.start(1)) + 1, match[1]


def pages(folder):
    for directory, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        yield from (os.path.relpath(os.path.join(directory, name), folder) for name in sorted(names) if name.endswith(".md"))


def faults_of(folder, label):
    known = {}
    for page in pages(folder):
        for line, link in links(read(os.path.join(folder, page))):
            fault = "a link to a file, and there is none beside the page" if label == "" and page in ALONE else fault_of(folder, page, link, known)
            if fault:
                yield f"{label}{page}:{line}: {fault}"


def installed(cmake, build, work):
    """The folder of documents that packages have."""
    shutil.rmtree(work, ignore_errors=True)
    subprocess.run([cmake, "--install", build, "--prefix", work, "--component", "program"], stdout=subprocess.DEVNULL, check=True)
    return os.path.join(work, "share", "doc", "lightlint")


def main(source, *build):
    faults = [*faults_of(source, "")]
    if build:
        folder = installed(*build)
        if not os.path.isdir(folder):
            faults.append(f"{folder}: expected installed documents, found none")
        faults += faults_of(folder, "installed: ")
    print("\n".join([*faults, f"{len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) in (2, 5) else __doc__)
