"""The assembler that recipe.py uses: expressions, typed bytes, files built piece by piece, and edits of finished files.

It knows no format. recipe_<format>.py adds the statements of a format."""
import dataclasses
import functools
import operator
import re
import struct
from dataclasses import dataclass, field

from strcode64 import strcode64

PATH = r"[A-Za-z_]\w*(?:\[[\w:]+\]|\.\w+)*"
TOKEN = re.compile(rf'\s*(?:(0x[0-9A-Fa-f]+)|(\d+\.?\d*(?:e[+-]?\d+)?)|("(?:\\.|[^"\\])*")|({PATH})|([-+*(),]))')
NUMBERS = {"u8": 1, "u16": 2, "u24": 3, "u32": 4, "u64": 8, "i8": 1, "i16": 2, "i24": 3, "i32": 4, "f16": 2, "f32": 4}
NUMBERS |= {name + "be": width for name, width in NUMBERS.items() if width > 1}
SHAPES = ("chars", "text", "string", "hex", "zeros", "fill", "copy", "align", "repeat")


class RecipeError(Exception):
    """What is wrong. File and line are added where they are known."""


@dataclass
class Bits:
    """The bits of a float, as a number."""
    value: int


@dataclass
class Place:
    start: int
    end: int
    type: str = ""  # one of NUMBERS, "chars", or "" for bytes and for ranges that contain other places
    region: str = ""  # name of the region that holds it; "": the file itself


@dataclass
class Image:
    """Assembled bytes and the names of their places."""
    data: bytearray
    places: dict
    regions: dict = field(default_factory=dict)  # name: Region

    def copy(self):
        """A copy with its own bytes and names, for edits. Places and regions are shared; nothing changes them."""
        return Image(bytearray(self.data), dict(self.places), dict(self.regions))

    def named(self, path):
        if path == "file":
            return Place(0, len(self.data))
        if path in self.places:
            return self.places[path]
        for name, region in self.regions.items():
            if path in region.image.places:
                return dataclasses.replace(region.image.places[path], region=name)
        raise RecipeError(f"there is no place named {path}")


@dataclass
class Region:
    """Unpacked bytes after a range of the file, with offsets of their own."""
    image: Image
    outer: str  # path of the range of the file that holds the packed bytes


# ------------------------------------------------------------------ expressions

def unquote(text):
    """Bytes of a quoted string: UTF-8, with \\xNN \\0 \\n \\r \\t \\" and \\\\."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        raise RecipeError(f"not a string in quotes: {text}")
    out, i, text = bytearray(), 0, text[1:-1]
    while i < len(text):
        if text[i] != "\\":
            out += text[i].encode()
        elif text[i + 1] == "x":
            out.append(int(text[i + 2:i + 4], 16))
            i += 3
        else:
            escapes = {"0": 0, "n": 10, "r": 13, "t": 9, '"': 34, "\\": 92}
            if text[i + 1] not in escapes:
                raise RecipeError(f"unknown escape \\{text[i + 1]}")
            out.append(escapes[text[i + 1]])
            i += 1
        i += 1
    return bytes(out)


def split_list(text):
    """Splits at commas outside brackets and quotes."""
    if not re.search(r'["(]', text):
        return [part.strip() for part in text.split(",")]
    parts, depth, quoted, start = [], 0, False, 0
    for i, c in enumerate(text):
        if c == '"' and (i == 0 or text[i - 1] != "\\"):
            quoted = not quoted
        elif not quoted:
            depth += (c == "(") - (c == ")")
            if c == "," and depth == 0:
                parts.append(text[start:i].strip())
                start = i + 1
    return parts + [text[start:].strip()]


class Expression:
    """+ - *, brackets, numbers, names of places (their start) and the functions of corpus/README.md."""

    def __init__(self, text, image, here):
        self.text, self.image, self.here = text, image, here
        self.tokens, position = [], 0
        while position < len(text.rstrip()):
            match = TOKEN.match(text, position)
            if not match:
                raise RecipeError(f"cannot read {text[position:]!r} in {text!r}")
            self.tokens.append((match.lastindex, match.group(match.lastindex)))
            position = match.end()
        self.at = 0

    def value(self):
        result = self.sum()
        if self.at != len(self.tokens):
            raise RecipeError(f"more than one value in {self.text!r}")
        return result

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else (0, "")

    def take(self, wanted=None):
        token = self.peek()
        if token[0] == 0 or wanted not in (None, token[1]):
            raise RecipeError(f"{'a value' if wanted is None else wanted} is missing in {self.text!r}")
        self.at += 1
        return token

    def sum(self):
        result = self.product()
        while self.peek()[1] in ("+", "-"):
            sign = self.take()[1]
            other = self.product()
            result = result + other if sign == "+" else result - other
        return result

    def product(self):
        result = self.primary()
        while self.peek()[1] == "*":
            self.take()
            result *= self.primary()
        return result

    def primary(self):
        kind, text = self.take()
        if kind == 1:
            return int(text, 16)
        if kind == 2:
            return float(text) if re.search(r"[.e]", text) else int(text)
        if kind == 4:
            return self.name(text)
        if text == "(":
            result = self.sum()
            self.take(")")
            return result
        if text in "+-":
            return self.primary() * (-1 if text == "-" else 1)
        raise RecipeError(f"a value is missing before {text} in {self.text!r}")

    def name(self, text):
        if text in ("nan", "inf"):
            return float(text)
        if text == "here":
            return self.here
        if self.peek()[1] != "(":
            return self.image.named(text).start
        self.take("(")
        result = self.call(text)
        self.take(")")
        return result

    def call(self, function):
        if function == "strcode64":
            return strcode64(self.bytes_of(self.take()[1]))
        if function in ("end", "size", "link", "count"):
            return self.about(function, self.take()[1])
        argument = self.sum()
        if function == "rel":
            return argument - self.here
        if function == "bits":
            return Bits(argument)
        if function in ("f16", "f32"):
            return int.from_bytes(encode(function, argument), "little")
        raise RecipeError(f"there is no function {function}")

    def bytes_of(self, text):
        """Bytes of a quoted string, or of a place in a finished file."""
        if text.startswith('"'):
            return unquote(text)
        place = self.image.named(text)
        return self.image.data[place.start:place.end]

    def about(self, function, path):
        if function == "count":
            return sum(1 for name in self.image.places if re.fullmatch(re.escape(path) + r"\[\d+\]", name))
        if function == "link" and path not in self.image.places:
            return 0
        place = self.image.named(path)
        return {"end": place.end, "size": place.end - place.start, "link": place.start - self.here}[function]


PLAIN = re.compile(r"-?(0x[0-9a-fA-F]+|\d+(\.\d*)?(e-?\d+)?)")


def encode(type_, value):
    order = "big" if type_.endswith("be") else "little"
    try:
        if isinstance(value, Bits):
            return value.value.to_bytes(NUMBERS[type_], order)
        if type_[0] == "f":
            return struct.pack((">" if order == "big" else "<") + {2: "e", 4: "f"}[NUMBERS[type_]], float(value))
        return operator.index(value).to_bytes(NUMBERS[type_], order, signed=type_[0] == "i")
    except (struct.error, OverflowError, TypeError) as error:
        raise RecipeError(f"{value} does not fit {type_}: {error}") from error


@functools.lru_cache(maxsize=None)
def encode_plain(type_, text):
    """Bytes of a plain number; None if `text` is an expression. Cached, because most fields hold one of few values."""
    return encode(type_, Expression(text, None, 0).value()) if PLAIN.fullmatch(text) else None


def encode_list(type_, texts, image, start):
    """Bytes of numbers of one type; the first is at `start`."""
    width = NUMBERS[type_]
    return b"".join(encode_plain(type_, t) or encode(type_, Expression(t, image, start + i * width).value())
                    for i, t in enumerate(texts))


def is_shape(word):
    return word in NUMBERS or word in SHAPES


def shape_size(shape, rest, image, start):
    """Number of bytes that `shape rest` takes at `start`. Places after it need not be known yet."""
    if shape in NUMBERS:
        return len(split_list(rest)) * NUMBERS[shape]
    if shape == "align":
        return -start % int(rest, 0)
    return len(shape_bytes(shape, rest, image, start))


def shape_bytes(shape, rest, image, start):
    if shape in NUMBERS:
        return encode_list(shape, split_list(rest), image, start)
    if shape in ("chars", "text"):
        return unquote(rest)
    if shape == "string":
        return unquote(rest) + b"\0"
    if shape == "hex":
        return bytes.fromhex(rest)
    if shape == "align":
        return bytes(-start % int(rest, 0))
    if shape == "copy":
        place = image.named(rest)
        return bytes(image.data[place.start:place.end])
    count, _, what = rest.partition(" ")
    count = Expression(count, image, start).value()
    if shape == "repeat":
        shape, _, rest = what.strip().partition(" ")
        return shape_bytes(shape, rest, image, start) * count
    return bytes([int(what or "0", 0)]) * count


# ------------------------------------------------------------------ new files

class Builder:
    """Lays out pieces one after the other. Sizes are computed at once, values at the end, when every place is known."""

    def __init__(self):
        self.image = Image(bytearray(), {})
        self.pieces = []  # (line, start, shape, text of the values)
        self.offset = 0
        self.line = 0

    def name(self, path, start, end, type_=""):
        if path in self.image.places or path in ("file", "here", "nan", "inf"):
            raise RecipeError(f"the name {path} is taken")
        self.image.places[path] = Place(start, end, type_)

    def add(self, path, shape, rest):
        size = shape_size(shape, rest, self.image, self.offset)
        if path:
            self.name(path, self.offset, self.offset + size, shape if shape in NUMBERS or shape == "chars" else "")
        self.pieces.append((self.line, self.offset, shape, rest))
        self.offset += size

    def record(self, path, record, values):
        """Adds a record of a layout. values: text per field. Every field gets a name, and so does every element of a
        vector."""
        unknown = [name for name in values if not record.field(name)]
        if unknown:
            known = ", ".join(f.name for f in record.fields)
            raise RecipeError(f"{record.name} has no field {unknown[0]}; it has {known}")
        for f in record.fields:
            text = values[f.name] if f.name in values else ", ".join(["0"] * f.elements)
            shape = f.type + "be" if record.endian == "big" and f.type + "be" in NUMBERS else f.type
            if f.type == "chars":
                text = text if text.startswith('"') else f'"{text}"'
            elif f.type == "bytes":
                shape, text = "hex", values.get(f.name, "00" * f.bytes)
            at = self.offset
            self.add(f"{path}.{f.name}", shape, text)
            if self.offset - at != f.bytes:
                raise RecipeError(f"{f.name} takes {f.bytes} bytes, not {self.offset - at}")
            for i, part in enumerate(f.parts()):
                width = f.bytes // f.elements
                self.name(f"{path}.{f.name}{part}", at + i * width, at + (i + 1) * width, shape)

    def graft(self, path, image):
        """Adds a finished image; its places get names below `path`."""
        start = self.offset
        self.add("", "hex", image.data.hex())
        self.name(path, start, self.offset)
        for name, place in image.places.items():
            self.name(f"{path}.{name}", start + place.start, start + place.end, place.type)

    def finish(self):
        image = self.image
        for line, start, shape, rest in self.pieces:
            self.line = line
            image.data += shape_bytes(shape, rest, image, start)
        return image


def words_of(text):
    """Splits at blanks outside quotes and brackets."""
    return re.findall(r'(?:"(?:\\.|[^"\\])*"|\((?:"(?:\\.|[^"\\])*"|[^()"]|\([^()]*\))*\)|[^\s"()])+', text)


def split_values(words):
    """field=value words as a dictionary."""
    values = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not re.fullmatch(r"\w+", name):
            raise RecipeError(f"field=value expected, not {word}")
        if name in values:
            raise RecipeError(f"{name} is given twice")
        values[name] = value
    return values


# ------------------------------------------------------------------ edits

class Editor:
    """Changes bytes of an image as a hex editor does: no size or hash is updated. Names move with their bytes."""

    def __init__(self, image):
        self.image = image
        self.statements = {"set": self.set, "put": self.put, "insert": self.insert, "append": self.append,
                           "delete": self.delete, "truncate": self.truncate, "replace": self.replace,
                           "rehash": self.rehash, "byteswap": self.byteswap}

    def number(self, text, here=0):
        return Expression(text, self.image, here).value()

    def overwrite(self, at, data):
        if at < 0 or at + len(data) > len(self.image.data):
            raise RecipeError(f"{len(data)} bytes at {at:#x} are outside the file")
        self.image.data[at:at + len(data)] = data

    def set(self, rest, label):
        path, equals, values = rest.partition("=")
        place = self.image.named(path.strip())
        if not equals:
            raise RecipeError("set PATH = VALUE expected")
        if place.region:
            raise RecipeError(f"{path.strip()} is not stored in the file itself; set its value where it is written")
        if place.type in NUMBERS:
            data = encode_list(place.type, split_list(values), self.image, place.start)
        else:
            data = unquote(values.strip())
        if len(data) != place.end - place.start:
            raise RecipeError(f"{path.strip()} takes {place.end - place.start} bytes, not {len(data)}")
        self.overwrite(place.start, data)

    def move(self, moved):
        """Moves all places: moved(start, end) returns the new (start, end)."""
        self.image.places = {name: Place(*moved(p.start, p.end), p.type, p.region) for name, p in self.image.places.items()}

    def place_and_bytes(self, rest):
        """Splits "ADDRESS SHAPE VALUES"."""
        match = re.search(r"(?:^|\s)(" + "|".join([*NUMBERS, *SHAPES]) + r")\s", rest)
        if not match:
            raise RecipeError("ADDRESS SHAPE VALUES expected")
        at = self.number(rest[:match.start()])
        return at, match.group(1), rest[match.end():].strip()

    def put(self, rest, label):
        at, shape, values = self.place_and_bytes(rest)
        self.overwrite(at, shape_bytes(shape, values, self.image, at))

    def insert(self, rest, label):
        at, shape, values = self.place_and_bytes(rest)
        data = shape_bytes(shape, values, self.image, at)
        n = len(data)
        self.move(lambda start, end: (start + n, end + n) if start >= at else (start, end + n if end > at else end))
        self.image.data[at:at] = data
        if label:
            self.image.places[label] = Place(at, at + len(data))

    def append(self, rest, label):
        self.insert(f"end(file) {rest}", label)

    def delete(self, rest, label):
        start, dots, end = rest.partition("..")
        if dots:
            place = Place(self.number(start), self.number(end))
        else:
            place = self.image.named(rest.strip())
        if not 0 <= place.start < place.end <= len(self.image.data):
            raise RecipeError("nothing to delete")
        del self.image.data[place.start:place.end]
        self.move(lambda *edges: [at - (min(at, place.end) - place.start) if at > place.start else at for at in edges])

    def truncate(self, rest, label):
        size = self.number(rest)
        if not 0 <= size < len(self.image.data):
            raise RecipeError("nothing to cut off")
        self.delete(f"{size}..{len(self.image.data)}", label)

    def replace(self, rest, label):
        old, new = (unquote(word) for word in rest.split(" by "))
        if old not in self.image.data:
            raise RecipeError("nothing to replace")
        self.image.data = bytearray(bytes(self.image.data).replace(old, new))
        self.image.places, self.image.regions = {}, {}

    def rehash(self, rest, label):
        """Recomputes the hash of an entry from its current name."""
        self.set(f"{rest}.name_hash = strcode64({rest}.name.text)", label)

    def byteswap(self, rest, label):
        """Reverses the bytes of every number in the file, or in the place `rest`."""
        within = self.image.named(rest or "file")
        whole = [p for p in self.image.places.values() if p.type in NUMBERS and within.start <= p.start and p.end <= within.end]
        done = set()
        for place in sorted(whole, key=lambda p: p.start - p.end):
            width = NUMBERS[place.type]
            for at in range(place.start, place.end, width):
                if at not in done:
                    self.image.data[at:at + width] = self.image.data[at:at + width][::-1]
                    done.add(at)
