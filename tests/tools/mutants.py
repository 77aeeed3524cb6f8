"""Makes small changes, mutants, to C source that still compile. Each mutant is a defect that the tests should notice.
Comments, strings, preprocessor lines and static assertions stay as they are.

  comparison   < and <= for one another, < for >=, == for !=, and so on
  logic        && for ||, a condition of if or while negated, ! left out
  sum          + for -, += for -=
  constant     a number one larger, one smaller
  call         a statement that is a call left out"""
import re
from dataclasses import dataclass

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|(?:(?<=\n)|\A)[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
  | (?P<text>L?"(?:\\.|[^"\\])*"|L?'(?:\\.|[^'\\])*')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign>>>=|<<=|\.\.\.|->|\+\+|--|&&|\|\||<=|>=|==|!=|<<|>>|[-+*/%&|^]=|.)""", re.VERBOSE | re.DOTALL)
# Matches the first line of a function, or the bracket that ends it.
FUNCTION = re.compile(r"^(?:[A-Za-z_][\w *]*?\b(\w+)\([^;{}]*\)\n\{|\})", re.MULTILINE)
COMPARISONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
OTHERS = {"&&": ("||",), "||": ("&&",), "+=": ("-=",), "-=": ("+=",)}
CONTROL = ("if", "for", "while", "switch")
KEYWORDS = CONTROL + ("return", "case", "sizeof", "do", "else", "goto", "default", "break", "continue")
TYPES = ("static", "const", "char", "int", "unsigned", "signed", "long", "short", "float", "double", "bool", "struct", "enum", "union")


@dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclass
class Mutant:
    path: str
    line: int
    edits: list  # (start, end, new text), sorted
    old: str  # the line as it was
    new: str  # the new line, or the text that was removed
    kind: str
    function: str  # function that contains it; "" outside all

    @property
    def key(self):
        """Name in the list of equivalent mutants. It has no line number, so it survives edits elsewhere."""
        return ": ".join(filter(None, (self.path, self.function, self.new)))

    def apply(self, text):
        for start, end, new in reversed(self.edits):
            text = text[:start] + new + text[end:]
        return text


def tokens_of(text):
    out = [Token(m.lastgroup, m.group(), m.start(), m.end()) for m in TOKEN.finditer(text) if m.lastgroup != "skip"]
    return without_static_assertions(out)


def without_static_assertions(tokens):
    out, i = [], 0
    while i < len(tokens):
        if tokens[i].text in ("_Static_assert", "static_assert"):
            i = closing(tokens, i + 1) + 1
        else:
            out.append(tokens[i])
            i += 1
    return out


def closing(tokens, at):
    """Index of the bracket that closes the one at `at`; the last token if none does."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += (tokens[i].text in "([{") - (tokens[i].text in ")]}") if tokens[i].kind == "sign" else 0
        if depth <= 0:
            return i
    return len(tokens) - 1


def opening(tokens, at):
    depth = 0
    for i in range(at, -1, -1):
        depth += (tokens[i].text in ")]}") - (tokens[i].text in "([{") if tokens[i].kind == "sign" else 0
        if depth <= 0:
            return i
    return 0


class Reader:
    """The mutants of one file."""

    def __init__(self, path, text):
        self.path, self.text, self.tokens = path, text, tokens_of(text)
        self.functions = [(m.start(), m.group(1) or "") for m in FUNCTION.finditer(text)]  # starts, ends

    def token(self, at):
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def is_word(self, at):
        return 0 <= at < len(self.tokens) and self.tokens[at].kind == "word"

    def mutant(self, kind, *edits, left_out=""):
        start = edits[0][0]
        line = self.text.count("\n", 0, start) + 1
        function = next((name for begin, name in reversed(self.functions) if begin < start), "")
        mutant = Mutant(self.path, line, list(edits), self.line_at(self.text, start), "", kind, function)
        mutant.new = left_out or self.line_at(mutant.apply(self.text), start)
        return mutant

    @staticmethod
    def line_at(text, place):
        end = text.find("\n", place)
        return " ".join(text[text.rfind("\n", 0, place) + 1:end if end >= 0 else len(text)].split())

    def replaced(self, kind, at, news):
        token = self.tokens[at]
        for new in news:
            yield self.mutant(kind, (token.start, token.end, new))

    def is_binary(self, at):
        before = self.tokens[at - 1] if at else None
        return before and (before.kind == "number" or before.text in (")", "]") or
                           (before.kind == "word" and before.text not in KEYWORDS))

    def in_declared_bound(self, at):
        """Is this number the length of a declared array? Another length rarely has a visible effect."""
        if self.token(at - 1) != "[" or self.token(at + 1) != "]":
            return False
        start = at
        while start > 0 and self.token(start - 1) not in (";", "{", "}", "("):
            start -= 1
        first, second = self.tokens[start], self.tokens[start + 1]
        return first.text in TYPES or (first.kind == "word" and (second.kind == "word" or second.text == "*"))

    def in_sizeof(self, at):
        """Is this the index in sizeof rows[0]? Its value has no effect."""
        before = at - 1
        while self.token(before) in ("[", ".", "->", ")", "(", "*") or (self.token(before) != "sizeof" and self.is_word(before)):
            before -= 1
        return self.token(at - 1) == "[" and self.token(before) == "sizeof"

    def numbers(self, at):
        match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|[1-9]\d*|0)([uUlL]*)", self.token(at))
        if not match or self.in_declared_bound(at) or self.in_sizeof(at) or (self.token(at - 1), self.token(at), self.token(at + 1)) == ("{", "0", "}"):
            return
        value, form = int(match.group(1), 0), "{:#x}" if match.group(1)[:2] in ("0x", "0X") else "{}"
        news = [value + 1] + ([value - 1] if value else [])
        yield from self.replaced("constant", at, [form.format(new) + match.group(2) for new in news])

    def begins_statement(self, at):
        before = self.token(at - 1)
        if before == ")":
            return self.token(opening(self.tokens, at - 1) - 1) in CONTROL
        return before in ("", ";", "{", "}", "else", "do") or (before == ":" and not self.in_choice(at - 1))

    def in_choice(self, at):
        """Does this colon belong to a conditional expression (and not to a label)?"""
        while at >= 0 and self.token(at) not in (";", "{", "}", "?", "case"):
            at -= 1
        return self.token(at) == "?"

    def calls(self, at):
        """Mutants that remove a call that is a statement; `at` is its first word."""
        first = at
        if [self.token(at - n) for n in (3, 2, 1)] == ["(", "void", ")"]:
            first = at - 3
        if self.token(at) in KEYWORDS or not self.begins_statement(first):
            return
        bracket = at + 1
        while self.token(bracket) in ("->", ".") and self.tokens[bracket + 1].kind == "word":
            bracket += 2
        if self.token(bracket) != "(":
            return
        end = closing(self.tokens, bracket)
        if self.token(end + 1) == ";":
            start, stop = self.tokens[first].start, self.tokens[end].end
            call = " ".join(self.text[start:stop].split())
            yield self.mutant("call", (start, stop, "(void)0"), left_out=f"without {call}")

    def conditions(self, at):
        if self.token(at) in ("if", "while") and self.token(at + 1) == "(":
            open_, close = self.tokens[at + 1], self.tokens[closing(self.tokens, at + 1)]
            yield self.mutant("logic", (open_.start, open_.end, "(!("), (close.start, close.end, "))"))

    def mutants(self):
        for at, token in enumerate(self.tokens):
            if token.kind == "number":
                yield from self.numbers(at)
            elif token.kind == "word":
                yield from self.calls(at)
                yield from self.conditions(at)
            elif token.kind == "sign":
                yield from self.replaced("comparison", at, COMPARISONS.get(token.text, ()))
                yield from self.replaced("sum" if "=" in token.text else "logic", at, OTHERS.get(token.text, ()))
                if token.text in ("+", "-") and self.is_binary(at):
                    yield from self.replaced("sum", at, ["-" if token.text == "+" else "+"])
                if token.text == "!":
                    yield from self.replaced("logic", at, [""])


def mutants_of(path, text):
    return list(Reader(path, text).mutants())
