#!/usr/bin/env python3
"""Plan drawings of files, sound and damaged, from above and turned: plans are well-formed, contain only allowed elements, and no number that
is not finite; so is the JSON of positions. The same file gives the same plan.

usage: plans.py PROP_PLANS CASES EVERY      exit: 0 all passed, 1 not

EVERY: check only every EVERYth file."""
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

COPIES = 3  # damaged copies of each file
TWICE = 5  # every fifth file is drawn twice
FAR = 1e7  # as in space.h
ELEMENTS = {"figure", "div", "svg", "rect", "path", "g", "circle", "ellipse", "text", "title", "figcaption", "ul", "li", "span", "p"}
NUMBER = r"-?\d+(\.\d)?"
ATTRIBUTES = {name: re.compile(pattern + r"\Z") for name, pattern in {
    "d": rf"([MLHVhvlmz]({NUMBER}([ ,]{NUMBER})?)?)+", "points": NUMBER, "fill": "#[0-9a-f]{6}", "color": "#[0-9a-f]{6}", "class": "[a-z ]+", "viewBox": rf"{NUMBER}( {NUMBER}){{3}}",
    "data-thing": r"\d+", "data-camera": r"[-+.e\d]+( [-+.e\d]+){3}", "role": "img|group", "aria-hidden": "true", "tabindex": "0", "aria-label": "(?s).+",
    **dict.fromkeys(["x", "y", "cx", "cy", "r", "rx", "ry", "width", "height"], NUMBER)}.items()}
faults = []


def judge(good, name, words):
    if not good:
        faults.append(f"{name}: {words}")


def judge_plan(name, text):
    try:
        plan = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        judge(False, name, f"no XML: {error}")
        return
    judge(plan.tag == "figure" and plan.find(".//svg") is not None, name, "no figure with a drawing")
    for element in plan.iter():
        judge(element.tag in ELEMENTS, name, f"<{element.tag}>")
        for key, value in element.attrib.items():
            judge(key in ATTRIBUTES and ATTRIBUTES[key].match(value), name, f'<{element.tag} {key}="{value[:80]}">')
    wrong = [dot for dot in plan.iter("g") if re.search("error|warning|note", dot.get("class"))]
    judge(all(dot.find("title") is not None and dot.find("text").text in "✕▲●" for dot in wrong), name, "something wrong without its sign")


def numbers_of(value):
    if isinstance(value, (list, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from numbers_of(one)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


def judge_things(name, text):
    def refuse(word):
        judge(False, name, f"{word} as a number")

    space = json.loads(text, parse_constant=refuse)
    for thing in space["things"]:
        numbers = [one for one in numbers_of(thing) if not math.isfinite(one) or abs(one) > FAR]
        judge(not numbers or numbers == [thing["offset"]], name, f"{thing['path']}: {numbers}")
        judge("at" in thing or not thing["solids"], name, f"{thing['path']} has no place, and solids around it")
    return len(space["things"])


def files_below(folder):
    for path, _, names in os.walk(folder):
        yield from (os.path.join(path, name) for name in names)


def judge_large_probe(program, cases):
    """An array with one probe whose box is 148 by 148 m: the drawing shows the whole box."""
    path = next(path for path in files_below(cases) if path.endswith("good-limits-probe.grxla"))
    with open(path, "rb") as file, tempfile.TemporaryDirectory() as folder:
        probe = os.path.join(folder, "probe.grxla")
        with open(probe, "wb") as made:
            array = bytearray(file.read(0xF0) + bytes([0, 0, 0, 0, 8, 0, 0, 0]))
            struct.pack_into("<3f", array, 0x84, 148, 139, 148)
            made.write(array)
        out = subprocess.run([program, probe], stdout=subprocess.PIPE, check=True).stdout.decode()
    plan = ElementTree.fromstring(out.split("\0")[0].partition("\n")[2])
    frame = plan.find(".//svg/svg")
    left, top, width, height = (float(number) for number in frame.get("viewBox").split())
    lines = [path.get("d") for path in frame.findall("./g[@class='lines']/path")]
    judge(len(lines) >= 2, "one probe", "its box is not drawn")
    for corners in lines:
        for x, y in re.findall(rf"({NUMBER.replace('(', '(?:')}) ({NUMBER.replace('(', '(?:')})", corners):
            judge(left <= float(x) <= left + width and top <= float(y) <= top + height, "one probe", f"a corner at {x}, {y} is outside the drawing")


def drawn(program, files):
    """A plan, with its name, a turned one, and the JSON of positions, of each file and each copy."""
    return subprocess.run([program, "--damage", str(COPIES), *files], stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")[:-1]


def main(program, cases, every):
    files = sorted(files_below(cases))[::int(every)]
    pieces = drawn(program, files)
    each = 3 * (1 + COPIES)
    again = drawn(program, files[::TWICE])
    judge(all(again[each * i:each * (i + 1)] == pieces[TWICE * each * i:][:each] for i in range(len(files[::TWICE]))), "twice", "drawn in two ways")
    plans = things = 0
    for head, turned, told in zip(pieces[::3], pieces[1::3], pieces[2::3]):
        name, _, plan = head.partition("\n")
        things += judge_things(name, told)
        if plan:
            plans += 1
            judge_plan(name, plan)
            judge_plan(f"{name}, turned", turned)
    judge(plans > len(files) / 4, "plans", f"only {plans} of {len(files)} files and their copies")
    judge_large_probe(program, cases)
    print("\n".join(faults[:40]))
    print(f"{len(files)} files, {len(pieces) // 3} with copies; {plans} plans, {things} things, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
