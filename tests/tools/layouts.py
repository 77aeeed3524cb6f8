"""Reads a <format>_layout.def, so that recipes and tests use the records and fields of the C code.

Supports what these files contain: LL_RECORD, LL_FIELD, LL_END, LL_STRING, LL_BYTES, LL_GROUP and function-like
macros over them."""
import ast
import functools
import os
import re
from dataclasses import dataclass, field

TYPE_BYTES = {"U8": 1, "U16": 2, "U24": 3, "U32": 4, "U64": 8, "I8": 1, "I16": 2, "I24": 3, "I32": 4,
              "F16": 2, "F32": 4, "CHARS": 1, "BYTES": 1}
ROWS = {"LL_RECORD": 6, "LL_FIELD": 10, "LL_END": 3, "LL_STRING": 4, "LL_BYTES": 5, "LL_GROUP": 4, "LL_REFERENCE": 9, "LL_DERIVE": 8, "LL_ALIGN": 5, "LL_FILL": 6, "LL_NAME": 3, "LL_OWNER": 3, "LL_TEXTS": 6, "LL_SHARE": 6,
        "LL_PART": 4, "LL_PART_FOR": 5, "LL_PART_TIMES": 5, "LL_PART_SHARED": 4, "LL_PART_WHEN": 8, "LL_PART_OF_EACH": 4, "LL_PART_USUAL": 5, "LL_PART_TAG": 5, "LL_PART_LIKE": 5, "LL_PART_COUNT": 9, "LL_CHOICE": 7,
        "LL_EDITION": 7, "LL_SECTION": 5, "LL_SECTION_BY": 4, "LL_SECTION_RUN": 4}


@dataclass
class Field:
    name: str
    offset: int
    type: str  # lower case: "u32", "chars"
    bytes: int
    role: str  # lower case: "data", "padding"
    sure: str = ""  # lower case: "known", "seen" or "guess"
    sources: str = ""  # "wiki, pwe"

    @functools.cached_property
    def elements(self):
        return self.bytes // TYPE_BYTES[self.type.upper()] if self.type not in ("chars", "bytes") else 1

    def parts(self):
        """Names of the elements of a vector, as field paths show them; empty for a scalar."""
        n = self.elements
        if n == 1:
            return []
        return [".x", ".y", ".z", ".w"][:n] if n <= 4 else [f"[{i}]" for i in range(n)]


@dataclass
class Record:
    name: str  # "point_light"
    label: str  # "entry"
    size: int
    endian: str  # "little" or "big"
    fields: list = field(default_factory=list)

    @functools.cached_property
    def by_name(self):
        return {f.name: f for f in self.fields}

    def field(self, name):
        return self.by_name.get(name)


def strip_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def call_at(text, start):
    """The arguments of a call whose '(' is at `start`, and the offset of its end."""
    depth, quoted, arguments, begin, i = 0, False, [], start + 1, start
    while i < len(text):
        c = text[i]
        if quoted:
            if c == "\\":
                i += 1
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c == "(":
            depth += 1
        elif c in ",)" and depth == 1:
            arguments.append(text[begin:i].strip())
            begin = i + 1
            if c == ")":
                return arguments, i + 1
        elif c == ")":
            depth -= 1
        i += 1
    raise ValueError("a call without its closing bracket")


def calls(text):
    position = 0
    while match := re.compile(r"\b([A-Z][A-Z0-9_]*)\s*\(").search(text, position):
        arguments, position = call_at(text, match.end() - 1)
        yield match.group(1), arguments


def split_macros(text):
    """Splits `#define NAME(a, b) body` off: (macros, the other text)."""
    macros = {}

    def take(match):
        names = [n.strip() for n in match.group(2).split(",")]
        macros[match.group(1)] = (names, match.group(3))
        return ""

    text = text.replace("\\\n", " ")
    text = re.sub(r"^#define (\w+)\(([^)]*)\)(.*)$", take, text, flags=re.M)
    return macros, re.sub(r"^#.*$", "", text, flags=re.M)


def body_of(macro, arguments):
    """The body of a macro with its arguments filled in; text in quotes stays as it is."""
    names, body = macro
    given = dict(zip(names, arguments, strict=True))
    pattern = re.compile(r'"(?:\\.|[^"\\])*"|\b(' + "|".join(map(re.escape, names)) + r")\b")
    filled = pattern.sub(lambda match: given[match.group(1)] if match.group(1) else match.group(), body)
    return re.sub(r"\s*##\s*", "", filled)


def expand(text, macros):
    for name, arguments in calls(text):
        if name in macros:
            yield from expand(body_of(macros[name], arguments), macros)
        elif name in ROWS and len(arguments) == ROWS[name]:
            yield name, arguments
        else:
            raise ValueError(f"{name} with {len(arguments)} arguments is not a row of a layout")


def number(text):
    tree = ast.parse(text, mode="eval")
    allowed = (ast.Expression, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Constant)
    if not all(isinstance(node, allowed) for node in ast.walk(tree)):
        raise ValueError(f"not a number: {text}")
    return eval(compile(tree, "layout", "eval"))  # safe: only numbers and + - *, see above


def read(path):
    """({"point_light": Record, ...}, {"name": "name", ...}): records, and labels of strings and byte ranges."""
    with open(path, encoding="utf-8") as file:
        macros, text = split_macros(strip_comments(file.read()))
    records, others = {}, {}
    for row, a in expand(text, macros):
        if row == "LL_RECORD":
            records[a[1]] = Record(a[1], a[2].strip('"'), number(a[3]), a[4].lower())
        elif row == "LL_FIELD":
            records[a[1]].fields.append(Field(a[3], number(a[2]), a[4].lower(), number(a[5]), a[6].lower(), a[7].lower(), a[8].strip('"')))
        elif row not in ("LL_END", "LL_REFERENCE", "LL_DERIVE", "LL_ALIGN", "LL_FILL", "LL_NAME", "LL_OWNER", "LL_TEXTS", "LL_SHARE") and not row.startswith(("LL_PART", "LL_CHOICE", "LL_EDITION", "LL_SECTION")):
            others[a[1]] = a[2].strip('"')
    for record in records.values():
        end = 0
        for f in record.fields:
            if f.offset != end:
                raise ValueError(f"{path}: {record.name}.{f.name} at {f.offset:#x}, the previous field ends at {end:#x}")
            end += f.bytes
        if end != record.size:
            raise ValueError(f"{path}: {record.name}: fields end at {end:#x}, size is {record.size:#x}")
    return records, others


def of_family(family):
    here = os.path.dirname(os.path.abspath(__file__))
    return read(os.path.join(here, "..", "..", "src", "formats", family, f"{family}_layout.def"))
