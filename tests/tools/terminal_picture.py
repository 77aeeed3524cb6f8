#!/usr/bin/env python3
"""Draws docs/pictures/terminal.svg, the picture of a terminal in the README, from the output of the program, or checks
that it is up to date.

usage: terminal_picture.py [--update] PROGRAM SOURCE_DIR      exit: 0 up to date, 1 not, 77 no terminal here"""
import os
import re
import struct
import sys
from xml.sax.saxutils import escape

COLUMNS, LINES = 92, 40
NAME = "bad-h2-name-longer.grxla"
WIDTH, HEIGHT, SIZE, MARGIN = 7.8, 17, 13, 14  # of a character, in pixels
STYLES = {"1": "b", "1;31": "b red", "1;33": "b yellow", "1;34": "b blue", "1;36": "b cyan"}
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">
<title>lightlint in a terminal: what is wrong with a file, the bytes, the likely cause and a patch</title>
<style>
text {{ font: {size}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d8dee9; white-space: pre }}
.b {{ font-weight: bold; fill: #ffffff }} .red {{ fill: #ff6b6b }} .yellow {{ fill: #f0c14b }} .blue {{ fill: #6cb2ff }} .cyan {{ fill: #5fd7d7 }}
</style>
<rect width="{width}" height="{height}" rx="8" fill="#1e2227"/>
"""


def shown_by(program, folder):
    """Returns what a terminal of COLUMNS gets."""
    import fcntl
    import pty
    import termios
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        environment = {"PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        os.execve(program, [program, "--isolated", NAME], environment)
    output = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # Linux reports the end this way
            part = b""
        if not part:
            break
        output += part
    os.waitpid(child, 0)
    return output.decode().replace("\r\n", "\n")


def drawn(text):
    """Returns the SVG of a text with colours."""
    lines, style = text.rstrip("\n").split("\n"), ""
    out = [HEAD.format(width=round(COLUMNS * WIDTH + 2 * MARGIN), height=len(lines) * HEIGHT + 2 * MARGIN, size=SIZE)]
    for row, line in enumerate(lines):
        column = 0
        parts = re.split(r"\x1b\[([0-9;]*)m", line)
        for at, part in enumerate(parts):
            if at % 2:
                style = STYLES.get(part, "")
            elif part.strip(" "):
                start = column + len(part) - len(part.lstrip(" "))
                word = part.strip(" ")
                name = f' class="{style}"' if style else ""
                out.append(f'<text x="{MARGIN + start * WIDTH:.1f}" y="{MARGIN + row * HEIGHT + SIZE}" textLength="{len(word) * WIDTH:.1f}"{name}>'
                           f"{escape(word)}</text>\n")
            column += 0 if at % 2 else len(part)
    return "".join(out) + "</svg>\n"


def main():
    words = [word for word in sys.argv[1:] if word != "--update"]
    if len(words) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    program, source = map(os.path.abspath, words)
    path = os.path.join(source, "docs", "pictures", "terminal.svg")
    try:
        text = shown_by(program, os.path.join(source, "corpus", "demo"))
    except (ImportError, OSError) as error:
        print(f"skipped: no terminal: {error}")
        return 77
    made = drawn(f"$ lightlint {NAME}\n{text}")
    if "--update" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(made)
        return 0
    with open(path, encoding="utf-8") as file:
        if file.read() == made:
            return 0
    print("docs/pictures/terminal.svg shows another output than the program has: ./dev update")
    return 1


if __name__ == "__main__":
    sys.exit(main())
