"""The outputs that run_cases.py keeps in tests/cases/golden, for all cases. corpus/README.md describes the folder.

Rows left out of a dump are always replaced by their number and hash."""
import difflib
import hashlib
import json
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor

DEMO_FORMATS = ("full", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "html", "statistics")
# SARIF with lines, severest first. These files suffice: they have several severities, a patch, a related and an inner
# place.
DEMO_SARIF_GITHUB = ("bad-g11-non-ascii-name.grxla", "bad-h11-vertex-added.grxoc", "bad-lzo-brightness.mrea")
DUMPED = re.compile(r"good-|bad-h\d|unsupported-")
DUMPED_AS_JSON = ("good-mp2-lzo", "good-min")
LISTED = ("good-scripts", "good-scripts-limits", "odd-op-rare-listed", "odd-goto-zero", "bad-op-truncated-if", "bad-op-unknown-parameter")

def chapter(case):
    """Bundle of a case: family and the first two words of its name."""
    return case.recipe.family + "/" + "-".join(case.name.split("-")[:2])


# ------------------------------------------------------------------ findings

# members in the first line of a finding
HEAD = {"file", "rule", "severity", "explained", "offset", "length", "path", "record", "field_type", "fingerprint"}
RAW_MAX = 64  # bytes of a place that a finding shows


def place(at):
    return f"+{at['offset']:#x}" + (f"..{at['offset'] + at['length']:#x}" if at.get("length") else "")


def repeated(f, rule, data):
    """The members of a finding that follow from its other members, from its rule in the catalogue and from the bytes of
    its file, with their values."""
    inner = f.get("inner")
    at = place(inner or f) + (f" in {inner.get('region', inner.get('member'))}" if inner else "")
    message = f"'{f['path']}' at '{at}': {rule['title']} Found '{f['found']}', expected '{f['expected']}'."
    known = {"type": "finding", "name": rule["name"], "message": message, "why": rule["why"], "fix": rule["fix"]}
    if f["length"] and data and "region" not in (inner or {}):
        known["raw"] = data[f["offset"]:][:min(f["length"], RAW_MAX)].hex()
    return known


def shown(value):
    """The value of a member in a line: offset and length as a place, the values of an object one after the other."""
    if isinstance(value, dict):
        at = [place(value)] if "offset" in value else []
        value = at + [item for key, item in value.items() if not at or key not in ("offset", "length")]
    if isinstance(value, list):
        return " ".join(map(shown, value))
    return value if isinstance(value, str) else json.dumps(value)


def finding_lines(f, known):
    """One finding without the members that are known. Members with equal values share a line."""
    severity = f"({f['severity']})" if f.get("explained") else f["severity"]
    kind = ", ".join(f[key] for key in ("record", "field_type") if key in f)
    yield f"{severity} {f['rule']} {place(f)} {f['path']}" + f" ({kind})" * bool(kind) + " " + f["fingerprint"][:8]
    members = {}
    for key, value in f.items():
        if key not in HEAD and value != known.get(key):
            for item in value if isinstance(value, list) else [value]:
                members.setdefault(shown(item), []).append(key)
    yield from (f"  {', '.join(keys)} {text}" for text, keys in members.items())
    yield from (f"  no {key}" for key in known if key not in f)


def findings_of(cases, findings, rules):
    """{name: bytes} with every finding of every case, without the members that follow from others."""
    by_id, outputs = {rule["id"]: rule for rule in rules}, {}
    for case in cases:
        lines, last = outputs.setdefault(f"findings/{chapter(case)}.txt", []), None
        for f in findings[case.name]:
            name, data = f["file"].removeprefix(case.name + "/"), case.bytes_of(f["file"])
            lines += [case.name + f"/{name}" * (name != os.path.basename(case.file))] * (name != last)
            lines += finding_lines(f, repeated(f, by_id[f["rule"]], data))
            last = name
    return {name: "\n".join([*lines, ""]).encode() for name, lines in outputs.items() if lines}


# ------------------------------------------------------------------ human-readable output

def aspects(f):
    """What human-readable output shows of a finding in a form of its own."""
    yield from f
    yield from (("type", f.get("field_type")), ("rows", min(f["length"] // 16, 5)))
    yield from (("related", len(f.get("related", ()))), ("explains", f.get("explains") == 1), ("severity", f["severity"]))
    if "patch" in f:
        yield tuple(f["patch"]), f["patch"]["tier"], f["patch"]["removed"] > 0


def shown_cases(cases, findings):
    """A small set of cases that shows each aspect once. Prefers cases with few findings, then by name."""
    by_aspect = {}
    for case in cases:
        for f in findings[case.name]:
            for aspect in aspects(f):
                by_aspect.setdefault(aspect, set()).add(case.name)
    chosen, names = [], {case.name: case for case in cases}
    # Aspects that few cases show come first: the cases chosen for them show many of the others, too.
    for _, able in sorted(by_aspect.items(), key=lambda item: (len(item[1]), str(item[0]))):
        if not able.intersection(chosen):
            chosen.append(min(able, key=lambda name: (len(findings[name]), name)))
    return [case for name, case in names.items() if name in chosen]


def full_of(program, cases, findings, workshop):
    outputs = {}
    for case in shown_cases(cases, findings):
        text = program.call("--all", "--format", "full", *case.options, case.file, cwd=workshop.path)[1]
        name = f"full/{case.recipe.family}.txt"
        outputs[name] = outputs.get(name, b"") + text
    return outputs


# ------------------------------------------------------------------ dumps

ROW_PATH = re.compile(r'0x[0-9a-f]+ +\d+ +(?:[0-9a-f]{2} )+(?:\.\. )? *(\S+)|\{"offset":\d+,"length":\d+,"path":"([^"]*)"')
INDEX = re.compile(r"\[[^\]]*\]")
NESTED = re.compile(r"((?:\.\w+\[\])+?)\1+")
FEWEST_LEFT_OUT = 4


def path_of(row):
    match = ROW_PATH.match(row)
    return match and (match[1] or match[2]) or ""


def kind_of(path):
    """A path without its indexes. Repeated nesting, as calls in calls, counts once."""
    return NESTED.sub(r"\1", INDEX.sub("[]", path))


class Cut:
    """Leaves out array elements whose fields were all shown before, in this or another dump of the family. The last
    element of each omitted run stays."""

    def __init__(self, kinds):
        self.kinds, self.out, self.held = kinds, [], []

    def flush(self):
        if len(self.held) > FEWEST_LEFT_OUT:
            *left_out, last = self.held
            digest = hashlib.sha256("\n".join(left_out).encode()).hexdigest()[:16]
            self.held = [f"... {len(left_out)} rows like those above, SHA-256 {digest}", last]
        self.out += self.held
        self.held = []

    def add(self, rows, depth):
        """Adds rows of (path, text). Index number `depth` of the path tells array elements apart."""
        at = 0
        while at < len(rows):
            indexes = list(INDEX.finditer(rows[at][0]))
            if len(indexes) <= depth:
                self.flush()
                self.out.append(rows[at][1])
                at += 1
                continue
            element, start = rows[at][0][:indexes[depth].end()], at
            while at < len(rows) and rows[at][0].startswith(element):
                at += 1
            kinds = {kind_of(path) for path, _ in rows[start:at]}
            if kinds <= self.kinds:
                self.held += [row for _, row in rows[start:at]]
            else:
                self.flush()
                self.kinds |= kinds
                self.add(rows[start:at], depth + 1)

    def __call__(self, text):
        self.add([(path_of(row), row) for row in text.split("\n")], 0)
        self.flush()
        return "\n".join(self.out)


def against(base, name, texts):
    """The rows in which a dump differs from that of its base case by more than the offset, and the hash of the whole
    dump."""
    old, new = ([row.split(maxsplit=1)[-1] for row in texts[each].split("\n")[1:-1]] for each in (base, name))
    lines = list(difflib.unified_diff(old, new, f"dump/{base}.txt", f"dump/{name}.txt", n=0, lineterm=""))
    return "\n".join([*lines, "SHA-256 " + hashlib.sha256(texts[name].encode()).hexdigest()[:16], ""])


def dumps_of(program, cases, workshop):
    dumped = {case.name: case for case in cases if DUMPED.match(case.name) and not case.options}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        calls = {name: pool.submit(program.call, "dump", case.file, cwd=workshop.path) for name, case in dumped.items()}
    texts = {name: call.result()[1].decode() for name, call in calls.items()}
    outputs, kinds = {}, {}
    for name, text in texts.items():
        recipe = dumped[name].recipe
        kept, base = Cut(kinds.setdefault(recipe.family, set()))(text), recipe.one("from")
        if base in texts:
            kept = min(kept, against(base, name, texts), key=len)
        outputs[f"dump/{name}.txt"] = kept.encode()
    for case in cases:
        if case.name in DUMPED_AS_JSON:
            text = program.call("dump", "--format", "json", case.file, cwd=workshop.path)[1].decode()
            outputs[f"dump/{case.name}.json"] = Cut(set())(text).encode()
    return outputs


def listings_of(program, cases, workshop):
    """The scripts of all actors as --script prints them."""
    outputs = {}
    for case in cases:
        texts = [b""] if case.name in LISTED else []
        while texts and (text := program.call("dump", f"--script={len(texts) - 1}", case.file, cwd=workshop.path)[1]):
            texts.append(text)
        outputs |= {f"script/{case.name}.txt": b"\n".join(texts[1:])} if texts else {}
    return outputs


# ------------------------------------------------------------------ all outputs

def outputs_of(program, cases, folders, findings, demo, workshop):
    """{file name: bytes} of all outputs to keep."""
    told = cases + folders
    outputs = findings_of(told, findings, program.rules()) | full_of(program, told, findings, workshop)
    outputs |= dumps_of(program, cases, workshop) | listings_of(program, cases, workshop)
    shutil.copytree(demo, os.path.join(workshop.path, "demo"), dirs_exist_ok=True)
    for format_ in DEMO_FORMATS:
        outputs[f"demo.{format_}"] = program.call("--format", format_, "demo", cwd=workshop.path)[1]
    # The style sheet is a file of its own.
    outputs["demo.html"] = re.sub(rb"(?s)<style>.*</style>", b"<style></style>", outputs["demo.html"])
    files = [os.path.join("demo", name) for name in DEMO_SARIF_GITHUB]
    outputs["demo.sarif-github"] = program.call("--format", "sarif-github", *files, cwd=workshop.path)[1]
    return outputs


def difference(old, new, most=40):
    texts = [data.decode(errors="replace").splitlines() for data in (old, new)]
    lines = list(difflib.unified_diff(*texts, "golden", "now", n=1, lineterm=""))
    return "\n".join(lines[:most] + ([f"... {len(lines) - most} more lines"] if len(lines) > most else []))


def stored(folder):
    return {os.path.relpath(os.path.join(directory, name), folder)
            for directory, _, names in os.walk(folder) for name in names}


def compare(folder, outputs, results):
    for name, new in sorted(outputs.items()):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            results.add(f"golden {name}", ["there is none yet; --update writes it"])
            continue
        with open(path, "rb") as file:
            old = file.read()
        results.add(f"golden {name}", [] if old == new else [difference(old, new)])
    for name in sorted(stored(folder) - set(outputs)):
        results.add(f"golden {name}", ["no case gives it any more; --update removes it"])


def update(folder, outputs):
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in outputs.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
    print(f"{len(outputs)} golden outputs written to {folder}, {sum(map(len, outputs.values()))} bytes")
