"""Assembles scripts of scene files from text, one statement per line. Names come from soup_tables.def.

corpus/README.md lists the statements. Every operand gets a place with the name that the linter uses below
RASC.block[ACTOR]: statement[3].condition[0].left.parameter[1].value."""
import os
import re

from assembler import NUMBERS, Image, RecipeError, is_shape, shape_size, unquote

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = os.path.join(HERE, "..", "..", "src", "formats", "rgm", "soup_tables.def")
ROW = re.compile(r'^LL_SOUP_(\w+)\((\d+), "(\w+)"(?:, (\d+))?(?:, (\w+))?(?:, \w+)?\)', re.M)
TOKEN = re.compile(r'\s*(?:(?P<text>"(?:\\.|[^"\\])*")|(?P<number>0x[0-9A-Fa-f]+|\d+)|(?P<word>[A-Za-z_]\w*)|'
                   r'(?P<sign>\+\+|--|<<|>>|==|!=|<=|>=|[-+*/&|^<>=(),]))')
OPCODES = {"task": 0x00, "multitask": 0x01, "function": 0x02, "if": 0x03, "goto": 0x04, "end": 0x05, "flag": 0x06,
           "number": 0x07, "var": 0x0A, "inc": 0x0F, "dec": 0x10, "gosub": 0x11, "return": 0x12, "endint": 0x13,
           "ref": 0x14, "string": 0x15, "alt": 0x16, "anchor": 0x17, "objtask": 0x19, "objcall": 0x1A, "pause": 0x1B,
           "scriptrv": 0x1E}
OBJECTS = ("me", "player", "camera")
CALLS = ("task", "multitask", "function")  # the index is the opcode, and the kind byte of objtask and objcall
COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
CONJUNCTIONS = {"and": 1, "or": 2}
OPERATORS = {sign: number for number, sign in enumerate("+ - * / << >> & | ^ ++ --".split(), 1)}
LAST_OPERATORS = ("++", "--")  # end an expression
# What follows a flag, a variable or a reference, by the position in which it is used.
BEHIND = {("flag", "side"): ("slot", "u8"), ("var", "side"): ("slot", "u8"), ("ref", "left"): ("slot", "u8"),
          ("flag", "parameter"): ("pad", "u16"), ("var", "parameter"): ("pad", "u24")}


def read_tables():
    """{"FUNCTION": {name: number}, ...}, and {number: kind} of all functions."""
    names, kinds = {"FUNCTION": {}, "FLAG": {}, "ATTRIBUTE": {}}, {}
    with open(TABLES, encoding="utf-8") as file:
        for table, number, name, _, kind in ROW.findall(file.read()):
            names[table].setdefault(name, int(number))
            if table == "FUNCTION":
                kinds[int(number)] = kind
    return names, kinds


NAMES, KINDS = read_tables()


class Line:
    """The tokens of a statement, consumed one by one."""

    def __init__(self, text):
        self.text, self.tokens, at = text, [], 0
        while at < len(text.rstrip()):
            match = TOKEN.match(text, at)
            if not match:
                raise RecipeError(f"cannot read {text[at:]!r} in {text!r}")
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            at = match.end()
        self.tokens.reverse()

    def peek(self):
        return self.tokens[-1] if self.tokens else ("", "")

    def take(self, kind, *wanted):
        found, text = self.tokens.pop() if self.tokens else ("", "the end")
        if found != kind or wanted and text not in wanted:
            raise RecipeError(f"{' or '.join(wanted) or 'a ' + kind} expected, not {text}, in {self.text!r}")
        return text

    def takes(self, *wanted):
        """Consumes the next token if it is one of these; otherwise returns ""."""
        return self.take(*self.peek()) if self.peek()[1] in wanted and self.peek()[0] != "text" else ""

    def number(self):
        sign = -1 if self.takes("-") else 1
        return sign * int(self.take("number"), 0)

    def number_or_name(self, table):
        if self.peek()[0] != "word":
            return self.number()
        name = self.take("word")
        if name not in NAMES[table]:
            raise RecipeError(f"there is no {table.lower()} {name}")
        return NAMES[table][name]

    def target(self):
        """A label, or an offset from the start of the script; and the number added to it."""
        base = self.take("word") if self.peek()[0] == "word" else self.number()
        sign = self.takes("+", "-")
        return base, int(sign + self.take("number")) if sign else 0


class Script:
    def __init__(self):
        self.pieces = []  # (path below the block or "", shape, text of the values or a target)
        self.groups = []  # (path, start, end)
        self.labels = {}
        self.open_ifs = []  # labels at the ends of open ifs
        self.size = self.statements = 0
        self.words = {"flag": self.assignment, "var": self.assignment, "ref": self.assignment, "inc": self.counting,
                      "dec": self.counting, "if": self.condition, "endif": self.endif, "call": self.call_by_kind,
                      "value": self.lone_value, "anchor": self.with_byte, "scriptrv": self.with_byte,
                      "return": self.alone, "endint": self.alone, "end": self.jump}
        self.words |= dict.fromkeys(("goto", "gosub", "pause"), self.jump)
        self.words |= dict.fromkeys(CALLS, self.plain_call)
        self.words |= dict.fromkeys(("objtask", "objcall"), self.object_call)

    @classmethod
    def of_bytes(cls, digits):
        script = cls()
        script.add("", "hex", digits)
        return script

    # -------------------------------------------------------------- interface to the recipe

    def write(self, builder, block):
        start = builder.offset
        for path, shape, rest in self.pieces:
            text = rest if isinstance(rest, str) else str(self.resolve(*rest))
            builder.add(path and f"{block}.{path}", shape, text)
        for path, first, end in self.groups:
            builder.name(f"{block}.{path}", start + first, start + end)

    def resolve(self, base, more):
        if base not in self.labels and isinstance(base, str):
            raise RecipeError(f"there is no label {base}")
        return self.labels.get(base, base) + more

    # -------------------------------------------------------------- lines

    def line(self, text):
        """Assembles one line: a label, a statement, or bytes."""
        if match := re.fullmatch(r"(\w+):", text):
            self.set_label(match.group(1))
            return
        keyword, _, rest = text.partition(" ")
        path, start = f"statement[{self.statements}]", self.size
        if keyword != "endif":
            self.statements += 1
        if is_shape(keyword):
            self.add("", keyword, rest.strip())
        elif keyword in self.words:
            line = Line(rest)
            self.words[keyword](keyword, path, line)
            if line.tokens:
                raise RecipeError(f"{line.peek()[1]} is one token too many in {text!r}")
        else:
            raise RecipeError(f"unknown statement {keyword} of a script")
        if self.size > start:
            self.groups.append((path, start, self.size))

    def set_label(self, name):
        if name in self.labels:
            raise RecipeError(f"the label {name} is taken")
        self.labels[name] = self.size

    def add(self, path, shape, rest):
        text = rest if isinstance(rest, (str, tuple)) else str(rest)
        self.size += NUMBERS[shape] if isinstance(rest, tuple) else shape_size(shape, text, Image(bytearray(), {}), 0)
        self.pieces.append((path, shape, text))

    def opcode(self, path, name):
        self.add(f"{path}.opcode", "u8", OPCODES[name])

    # -------------------------------------------------------------- statements

    def alone(self, keyword, path, line):
        self.opcode(path, keyword)

    def with_byte(self, keyword, path, line):
        self.opcode(path, keyword)
        self.add(f"{path}.{'anchor' if keyword == 'anchor' else 'expected'}", "u8", line.number())

    def jump(self, keyword, path, line):
        self.opcode(path, keyword)
        self.add(f"{path}.target", "u32", line.target() if line.tokens or keyword != "end" else "0")

    def lone_value(self, keyword, path, line):
        self.value("main", path, line)

    def assignment(self, keyword, path, line):
        self.named(keyword, path, line)
        line.take("sign", "=")
        self.formula(path, line)

    def counting(self, keyword, path, line):
        self.opcode(path, keyword)
        self.object(path, line)
        self.add(f"{path}.reference", "u16", line.number())

    def call_by_kind(self, keyword, path, line):
        self.call_statement("", path, line)

    def plain_call(self, keyword, path, line):
        self.call_statement(keyword, path, line)

    def call_statement(self, keyword, path, line):
        function = line.number_or_name("FUNCTION")
        self.opcode(path, keyword or self.usual_call(function))
        self.call(path, function, line)

    def object_call(self, keyword, path, line):
        self.opcode(path, keyword)
        self.object(path, line)
        self.add(f"{path}.kind", "u8", CALLS.index(line.take("word", *CALLS)))
        self.call(path, line.number_or_name("FUNCTION"), line)

    def condition(self, keyword, path, line):
        self.opcode(path, keyword)
        number, conjunction = 0, "and"
        while conjunction:
            here, start = f"{path}.condition[{number}]", self.size
            self.side("left", here, line)
            self.add(f"{here}.comparison", "u8", COMPARISONS.index(line.take("sign", *COMPARISONS)))
            self.side("right", here, line)
            conjunction = line.takes(*CONJUNCTIONS)
            self.add(f"{here}.conjunction", "u8", CONJUNCTIONS.get(conjunction, 0))
            self.groups.append((here, start, self.size))
            number += 1
        self.open_ifs.append(f"end of {path}")
        self.add(f"{path}.end", "u32", (self.open_ifs[-1], 0))

    def endif(self, keyword, path, line):
        if not self.open_ifs:
            raise RecipeError("endif without an if")
        self.set_label(self.open_ifs.pop())

    # -------------------------------------------------------------- parts of statements

    def part(self, write, path, *arguments):
        """Writes a part that has a place of its own."""
        start = self.size
        write(*arguments)
        self.groups.append((path, start, self.size))

    def side(self, side, path, line):
        self.part(self.value, f"{path}.{side}", side, f"{path}.{side}", line)

    def formula(self, path, line):
        number, sign = 0, "+"
        while sign and sign not in LAST_OPERATORS:
            here = f"{path}.operand[{number}]"
            self.part(self.value, here, "operand", here, line)
            sign = line.takes(*OPERATORS)
            self.add(f"{path}.operator[{number}]", "u8", OPERATORS.get(sign, 0))
            number += 1
        if sign:
            self.add(f"{path}.operator_pad", "u8", 0)

    def value(self, mode, path, line):
        kind, text = line.peek()
        if kind == "number" or text == "-":
            self.opcode(path, "number")
            self.add(f"{path}.value", "i32", line.number())
        elif text in ("flag", "var", "ref"):
            self.named(line.take("word"), path, line)
            behind = BEHIND.get((text, mode)) or BEHIND.get((text, "side" if mode in ("left", "right") else ""))
            if behind:
                self.add(f"{path}.{behind[0]}", behind[1], "0")
        elif text in ("objtask", "objcall"):
            self.opcode(path, line.take("word"))
            self.object(path, line)
            self.call(path, line.number_or_name("FUNCTION"), line)
        elif text in ("string", "alt"):
            self.opcode(path, line.take("word"))
            field, shape = ("string", "u32") if text == "string" else ("value", "i32")
            self.add(f"{path}.{field}", shape, line.number())
        elif text == "key":
            self.key(path, line)
        elif text in CALLS:
            self.call_statement(line.take("word"), path, line)
        else:
            self.call_statement("", path, line)

    def named(self, keyword, path, line):
        """A flag, a variable, or a reference of an object."""
        self.opcode(path, keyword)
        if keyword == "flag":
            self.add(f"{path}.flag", "u16", line.number_or_name("FLAG"))
        elif keyword == "var":
            self.add(f"{path}.variable", "u8", line.number())
        else:
            self.object(path, line)
            self.add(f"{path}.reference", "u16", line.number())

    def key(self, path, line):
        """The name of a line of dialogue. Names without exactly four letters are written as they are."""
        line.take("word")
        text = unquote(line.take("text"))
        self.opcode(path, "number")
        if len(text) == 4:
            self.add(f"{path}.value", "i32", int.from_bytes(text, "little", signed=True))
        else:
            self.add("", "hex", text.hex())

    def object(self, path, line):
        kind = line.take("word", *OBJECTS, "kind", "string", "var")
        if kind in ("string", "var"):
            self.add(f"{path}.object", "u8", 4 if kind == "string" else 10)
            self.add(f"{path}.object_{'string' if kind == 'string' else 'variable'}", "u8", line.number())
        else:
            self.add(f"{path}.object", "u8", OBJECTS.index(kind) if kind in OBJECTS else line.number())
            self.add(f"{path}.object_pad", "u8", 0)

    def usual_call(self, function):
        return "task" if KINDS.get(function) == "TASK" else "function"

    def call(self, path, function, line):
        self.add(f"{path}.function", "u16", function)
        counted = len(self.pieces)
        if function:  # the count after the 0 is not read
            self.add(f"{path}.count", "u8", 0)
        line.take("sign", "(")
        number = 0
        while function and not line.takes(")"):
            if number:
                line.take("sign", ",")
            here = f"{path}.parameter[{number}]"
            self.part(self.value, here, "parameter", here, line)
            number += 1
        if function:
            self.pieces[counted] = (f"{path}.count", "u8", str(number))
        else:
            line.take("sign", ")")
