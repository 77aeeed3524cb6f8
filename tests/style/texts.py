#!/usr/bin/env python3
"""Checks texts: those of the rules, sources named in evidence, tables that packs and parsers share, reasons for and
number of named checks, rules and files named on pages, and words that must not occur in the project.

usage: texts.py SOURCE_DIR [--update]      exit: 0 no fault, 1 a fault, 77 no YAML reader
--update: writes the severities into the lists on the pages of formats"""
import glob
import os
import re
import sys

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is not installed")
    sys.exit(77)

SENTENCES = ("title", "why", "evidence", "fix")
REQUIRED = {"id", "name", "severity", "tags", "title", "why", "evidence", "fix"}
SUBJECTS = {"structure", "reference", "padding", "size", "value", "name", "composition", "input"}
EVIDENCE = {"seed", "corpus", "engine", "tool", "inferred"}
# Words that blame, flatter or say nothing; and markers of unfinished work.
WEAK = re.compile(r"\b(please|simply|obviously|invalid|illegal|weird|bogus|stupid|etc)\b", re.I)
NOWHERE = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
SKIPPED = {".git", "build", "golden", "node_modules", "__pycache__"}
BINARY = (".grxla", ".grxoc", ".mrea", ".lights", ".rgm", ".png")


def rules_of(stanzas):
    """One rule per stanza, or one per step of its ladder, merged with the stanza."""
    rules = []
    for stanza in stanzas:
        common = {key: value for key, value in stanza.items() if key != "ladder"}
        rules += [{**common, **step} for step in stanza.get("ladder", [{}])]
    return rules


def packs(top):
    folder = os.path.join(top, "rules")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".yaml"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                yield name, rules_of(yaml.load(file, Loader=yaml.BaseLoader) or [])


def stanza_faults(rule):
    missing = REQUIRED - set(rule)
    if missing:
        yield f"has no {', '.join(sorted(missing))}"
    for key in SENTENCES:
        text = rule.get(key, "")
        if text and not text.endswith("."):
            yield f"{key} ends without a full stop"
        if key == "title" and text and text[0].islower():
            yield "title begins with a small letter"
        if WEAK.search(text):
            yield f"{key} contains '{WEAK.search(text).group()}'"
    if ". " in rule.get("title", ""):
        yield "title has more than one sentence"
    for key in ("found", "expected"):
        if rule.get(key, "").endswith("."):
            yield f"{key} is a phrase and ends without a full stop"
    tags = set(rule.get("tags", []))
    if not tags & SUBJECTS or not tags & (EVIDENCE | {"input"}) or tags - SUBJECTS - EVIDENCE:
        yield "tags must have a subject and an evidence, and no others"


def pack_faults(name, rules):
    ids = [rule.get("id", "") for rule in rules]
    if ids != sorted(ids):
        yield f"rules/{name}: not sorted by id"
    seen = {}
    for rule in rules:
        for why in stanza_faults(rule):
            yield f"rules/{name}: {rule.get('id')}: {why}"
        for key in ("id", "name", "title"):
            if seen.setdefault((key, rule.get(key)), rule) is not rule:
                yield f"rules/{name}: {rule.get('id')}: {key} is the same as that of {seen[key, rule.get(key)].get('id')}"


def rows(path, macro, column):
    """One column of the rows of a .def file."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    found = re.findall(macro + r"\((.*)\)", text)
    return [re.split(r",\s*", row)[column].strip().strip('"') for row in found]


def table_faults(top, rules):
    """Faults, checks and hints of parsers have rules in the packs."""
    faults = [rule["fault"] for rule in rules if "fault" in rule]
    checks = [rule["check"] for rule in rules if "." in rule.get("check", "")]
    hints = {key for rule in rules for key in rule.get("hints", {})}
    formats = os.path.join(top, "src", "formats")
    for family in sorted(os.listdir(formats)):
        folder = os.path.join(formats, family)
        if not os.path.isdir(folder):
            continue
        prefix = os.path.join(folder, family)
        for slug in rows(f"{prefix}_faults.def", "LL_FAULT", 1):
            if f"{family}.{slug}" not in faults:
                yield f"{family}_faults.def: no rule reports {slug}"
        for name in rows(f"{prefix}_checks.def", "LL_CHECK", 0):
            if f"{family}.{name}" not in checks:
                yield f"{family}_checks.def: no rule calls {name}"
        for key in rows(f"{prefix}_hints.def", "LL_HINT", 1):
            if key not in hints:
                yield f"{family}_hints.def: no rule has words for {key}"


MOST_CHECKS = 88  # named checks, which are C; it may only fall


def check_faults(top):
    """Few rules have C of their own, and a comment above each of their rows, or above several, says why."""
    count = 0
    for path in sorted(glob.glob(os.path.join(top, "src", "formats", "*", "*_checks.def"))):
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        head = next(number for number, line in enumerate(lines) if line.endswith("*/"))
        for number in (number for number, line in enumerate(lines) if line.startswith("LL_CHECK(")):
            count += 1
            above = lines[number - 1]
            if not above.startswith("LL_CHECK(") and (number - 1 == head or not above.endswith("*/")):
                yield f"{os.path.basename(path)}:{number + 1}: no comment above the row says why no predicate can judge this"
    if count != MOST_CHECKS:
        yield f"{count} rows LL_CHECK, not {MOST_CHECKS}: rules that predicates express need none; if there are fewer, lower the number"


def page_faults(top, rules):
    path = os.path.join(top, "docs", "rules.md")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            page = file.read()
        for rule in rules:
            if rule.get("id", "") not in page or rule.get("name", "") not in page:
                yield f"docs/rules.md: {rule.get('id')} {rule.get('name')} is missing"


SOURCE = re.compile(r"^\| `\w+` \| [^|]* \| (seed|corpus|engine|tool) \| ([^|]+) \|", re.M)
LISTED = re.compile(r"`([a-z0-9-]+)`\*? [EWN-](?=[, ])")
LISTING = re.compile(r"^\| \d{3}(?: to \d{3})? \|.*", re.M)
LETTERS = {"error": "E", "warning": "W", "note": "N", "off": "-"}


def read_page(top, name):
    path = os.path.join(top, "docs", "formats", name + ".md")
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def evidence_faults(top, rule):
    """The page of the family lists sources. The evidence of a rule names some of them, and each of its tags belongs
    to one."""
    first = rule.get("fault") or rule.get("on") or rule["check"]
    sources = SOURCE.findall(read_page(top, (first if isinstance(first, str) else first[0]).split(".")[0]))
    tags, evidence = set(rule["tags"]) & EVIDENCE, rule["evidence"]
    named = {tag for tag, words in sources if any(word in evidence for word in words.strip().split(", "))}
    guessed = "inferred" in evidence.lower()
    if sources and "input" not in rule["tags"]:
        for tag in sorted(tags - named - {"inferred"}):
            yield f"evidence names no source of the tag {tag}"
        if not named and not guessed:
            yield "evidence names no source, and does not say that it is inferred"
    if sources and guessed != ("inferred" in tags):
        yield "the tag 'inferred' needs the word in the evidence, and the word needs the tag"
    if tags == {"inferred"} and sources and rule["severity"] == "error":
        yield "a rule with only the tag inferred must not be an error"


def listed_as(rule, stars):
    """How a page lists a rule: by its severity, and with a star unless it has the tag seed."""
    return f"`{rule['name']}`{'*' if stars and 'seed' not in rule['tags'] else ''} {LETTERS[rule['severity']]}"


def put_right(page, rules):
    """The page with corrected listings; these are the rows that start with ids."""
    by_name = {rule["name"]: rule for rule in rules}
    stars = re.search(r"^\| \d{3}.*`\* [EWN]", page, re.M) is not None
    return LISTING.sub(lambda row: LISTED.sub(
        lambda m: listed_as(by_name[m.group(1)], stars) if m.group(1) in by_name else m.group(), row.group()), page)


def listing_faults(top, name, rules):
    """The page of a pack names all its rules, and lists them with their severity, if it has a list."""
    page = read_page(top, name[:-len(".yaml")])
    if put_right(page, rules) != page:
        yield f"docs/formats/{name[:-len('.yaml')]}.md: severities and stars differ from the pack: run texts.py {top} --update"
    listing = "\n".join(LISTING.findall(page)) or page
    for rule in rules if page else []:
        if f"`{rule['name']}`" not in listing:
            yield f"docs/formats: {rule['id']} {rule['name']} is missing"


def update(top):
    for name, rules in packs(top):
        page = read_page(top, name[:-len(".yaml")])
        if page:
            with open(os.path.join(top, "docs", "formats", name[:-len(".yaml")] + ".md"), "w", encoding="utf-8") as file:
                file.write(put_right(page, rules))


def word_faults(top):
    for directory, folders, names in os.walk(top):
        folders[:] = sorted(f for f in folders if f not in SKIPPED)
        for name in sorted(names):
            path = os.path.join(directory, name)
            if name.endswith(BINARY) or os.path.samefile(path, __file__):
                continue
            with open(path, encoding="utf-8", errors="replace") as file:
                for number, line in enumerate(file, 1):
                    match = NOWHERE.search(line)
                    if match:
                        yield f"{os.path.relpath(path, top)}:{number}: {match.group()}"


NAMED_PATH = re.compile(r"`((?:corpus|docs|include|rules|src|tests)/[\w./<>*-]+)`")


def path_faults(top):
    """Files and folders named on pages exist; `<f>` stands for any name."""
    pages = [page for folder in ("*.md", "docs/**/*.md", "rules/*.md", "corpus/*.md", "tests/**/*.md")
             for page in glob.glob(os.path.join(top, folder), recursive=True)]
    for page in sorted(pages):
        with open(page, encoding="utf-8") as file:
            for path in sorted(set(NAMED_PATH.findall(file.read()))):
                if not glob.glob(os.path.join(top, re.sub(r"<\w+>", "*", path)), recursive=True):
                    yield f"{os.path.relpath(page, top)}: there is no {path}"


def main(top, *options):
    if options:
        return update(top)
    faults, rules = [], []
    for name, pack in packs(top):
        rules += pack
        faults += [*pack_faults(name, pack), *listing_faults(top, name, pack)]
        faults += [f"rules/{name}: {rule['id']}: {why}" for rule in pack for why in evidence_faults(top, rule)]
    faults += [*table_faults(top, rules), *check_faults(top), *page_faults(top, rules), *path_faults(top), *word_faults(top)]
    print("\n".join(faults + [f"{len(rules)} rules, {len(faults)} faults"]))
    return 1 if faults or not rules else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if sys.argv[1:2] and sys.argv[2:] in ([], ["--update"]) else __doc__)
