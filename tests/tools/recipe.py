#!/usr/bin/env python3
"""Assembles the text recipes of corpus/ into files. corpus/README.md describes the language.

usage: recipe.py build RECIPE OUT        one file
       recipe.py build-all CORPUS OUT    every recipe below CORPUS as OUT/<case>/<name>; prints the paths
       recipe.py show RECIPE             offsets, bytes and names in the assembled file
       recipe.py check CORPUS...         do all recipes assemble, and are their headers correct?
       recipe.py demo CORPUS FOLDER...   do the files of FOLDER, named CASE.EXTENSION, equal the assembled recipes?
       recipe.py demo-update CORPUS FOLDER...   rewrites these files
exit:  0 done, 1 a recipe is wrong, 2 wrong usage"""
import importlib
import os
import re
import shutil
import sys
from dataclasses import dataclass, field

from assembler import Builder, Editor, Expression, Place, RecipeError, is_shape, words_of

HERE = os.path.dirname(os.path.abspath(__file__))
# {folder of the corpus: class Writer of recipe_FAMILY.py}
FAMILIES = {name[7:-3]: importlib.import_module(name[:-3]).Writer
            for name in sorted(os.listdir(HERE)) if name.startswith("recipe_") and name.endswith(".py")}

PACKAGES = "mod"  # folder of recipes that write folders of files: see packages.py
HEADER_KEYS = ("title", "name", "from", "near", "expect", "options", "exit", "needs")
VERDICTS = ("good-", "odd-", "bad-", "unsupported-")
EXPECT = re.compile(r'([\w/-]+) (error|warning|note)'
                    r'(?: at (\S+))?(?: bytes (\S+?)\.\.(\S+))?(?: inner (\S+?)\.\.(\S+))?'
                    r'(?: patch (safe|unsafe|none))?(?: says "(.*)")?')


@dataclass
class Expectation:
    rule: str
    severity: str
    path: str  # "": only the bytes matter
    start: int
    end: int
    patch: str  # "safe", "unsafe", "none"; "" if the recipe does not state it
    says: str
    inner: dict  # range in a region, as in findings; None: in the file itself


@dataclass
class Recipe:
    case: str
    file: str
    header: dict = field(default_factory=dict)  # key: list of values
    body: list = field(default_factory=list)  # (line number, statement)

    @property
    def family(self):
        return os.path.basename(os.path.dirname(os.path.abspath(self.file)))

    def one(self, key, default=""):
        return self.header.get(key, [default])[-1]


def label_of(statement):
    match = re.match(r"(\w+):\s+(.*)", statement)
    return match.groups() if match else ("", statement)


def assemble_new(recipe):
    if recipe.family not in FAMILIES:
        raise RecipeError(f"{recipe.file}: there is no family {recipe.family}; known are {', '.join(FAMILIES)}")
    builder = Builder()
    writer = FAMILIES[recipe.family](builder)
    taker = None  # takes the next line, after a statement that opened a block
    try:
        for builder.line, statement in recipe.body:
            if taker:
                taker = taker(statement)
                continue
            label, statement = label_of(statement)
            keyword, _, rest = statement.partition(" ")
            if is_shape(keyword):
                writer.builder.add(label, keyword, rest.strip())
            elif keyword in writer.statements:
                taker = writer.statements[keyword](words_of(rest))
            else:
                raise RecipeError(f"unknown statement {keyword}")
        if taker:
            raise RecipeError("a block without its end")
        writer.close()
        return builder.finish()
    except RecipeError as error:
        raise RecipeError(f"{recipe.file}:{builder.line}: {error}") from error


def assemble_derived(recipe, base):
    editor = Editor(base)
    for line, statement in recipe.body:
        try:
            label, statement = label_of(statement)
            keyword, _, rest = statement.partition(" ")
            if keyword not in editor.statements:
                raise RecipeError(f"unknown edit {keyword}")
            editor.statements[keyword](rest.strip(), label)
        except RecipeError as error:
            raise RecipeError(f"{recipe.file}:{line}: {error}") from error
    return editor.image


# ------------------------------------------------------------------ recipe files

def strip_comment(line):
    return re.sub(r'^((?:"(?:\\.|[^"\\])*"|[^"#])*)#.*$', r"\1", line).rstrip()


def read(path):
    """Reads a recipe; does not assemble it."""
    recipe = Recipe(os.path.basename(path).removesuffix(".txt"), path)
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    in_header = True
    for number, line in enumerate(lines, 1):
        if in_header and (match := re.match(r"([a-z]+): +(.*)", line)):
            if match.group(1) not in HEADER_KEYS:
                raise RecipeError(f"{path}:{number}: unknown key {match.group(1)}; known are {', '.join(HEADER_KEYS)}")
            recipe.header.setdefault(match.group(1), []).append(match.group(2).strip())
            continue
        line = strip_comment(line).strip()
        if not line:
            in_header = in_header and not recipe.header
        elif recipe.body and re.match(r"\w+=", line):
            recipe.body[-1] = (recipe.body[-1][0], recipe.body[-1][1] + " " + line)
        else:
            in_header = False
            recipe.body.append((number, line))
    return recipe


class Corpus:
    """All recipes below some folders, by case."""

    def __init__(self, *folders):
        self.recipes = {}
        self.bases = {}  # case: Image
        for folder in folders:
            for directory, _, names in sorted(os.walk(folder)):
                for name in sorted(names):
                    if name.endswith(".txt") and name.startswith(VERDICTS) and os.path.basename(directory) != PACKAGES:
                        self.add(os.path.join(directory, name))

    def add(self, path):
        recipe = read(path)
        if recipe.case in self.recipes:
            raise RecipeError(f"{path}: there is a case {recipe.case} already: {self.recipes[recipe.case].file}")
        self.recipes[recipe.case] = recipe
        return recipe

    def base(self, recipe):
        if not recipe.one("from"):
            return None
        if recipe.one("from") not in self.recipes:
            self.add(os.path.join(os.path.dirname(recipe.file), recipe.one("from") + ".txt"))
        return self.recipes[recipe.one("from")]

    def chain(self, recipe):
        """The recipe, then the recipes it is made from, each before its own base."""
        out = [recipe]
        while base := self.base(out[-1]):
            if base in out:
                raise RecipeError(f"{recipe.file}: made from itself")
            out.append(base)
        return out

    def assemble(self, recipe):
        """The image of a recipe; the caller may change it. Base images are cached, because hundreds of recipes share
        one base."""
        base = self.base(recipe)
        if not base:
            return assemble_new(recipe)
        self.chain(recipe)  # fails if recipes form a ring
        if base.case not in self.bases:
            self.bases[base.case] = self.assemble(base)
        return assemble_derived(recipe, self.bases[base.case].copy())

    def file_name(self, recipe):
        chain = self.chain(recipe)
        for each in chain:
            if each.one("name"):
                return each.one("name")
        statements = [statement.partition(" ")[0] for _, statement in chain[-1].body]
        return recipe.case + FAMILIES[recipe.family].extension(statements)

    def expectations(self, recipe, image):
        return [expectation(recipe, text, image) for text in recipe.header.get("expect", [])]


def expectation(recipe, text, image):
    match = EXPECT.fullmatch(text)
    if not match or not (match.group(3) or match.group(4)):
        form = 'RULE SEVERITY [at PATH] [bytes FROM..TO] [inner FROM..TO] [patch safe|unsafe|none] [says "WORDS"]'
        raise RecipeError(f"{recipe.file}: expect: {form}, not {text!r}")
    rule, severity, path, start, end, inner_start, inner_end, patch, says = match.groups()
    try:
        inner = None
        if inner_start:
            place = range_of(inner_start, inner_end, image)
            place.region = next((name for name in image.regions if (path or "").startswith(name + ".")), "")
            if not place.region:
                raise RecipeError("inner goes with a path in a region")
        else:
            place = range_of(start, end, image) if start else image.named(path)
        if place.region:
            inner = {"region": place.region, "offset": place.start, "length": place.end - place.start}
            place = image.named(image.regions[place.region].outer)
    except RecipeError as error:
        raise RecipeError(f"{recipe.file}: expect {rule}: {error}") from error
    return Expectation(rule, severity, path or "", place.start, place.end, patch or "", says or "", inner)


def range_of(start, end, image):
    return Place(Expression(start, image, 0).value(), Expression(end, image, 0).value())


def build_all(folder, out, wanted=VERDICTS):
    """Assembles every recipe whose case begins with one of `wanted` as out/<case>/<name>. Returns {case: path}."""
    corpus, paths = Corpus(folder), {}
    for old in os.listdir(out) if os.path.isdir(out) else []:
        if old.startswith(VERDICTS) and old not in corpus.recipes:  # a case that was renamed or removed
            shutil.rmtree(os.path.join(out, old))
    for case, recipe in corpus.recipes.items():
        if case.startswith(wanted):
            os.makedirs(os.path.join(out, case), exist_ok=True)
            paths[case] = os.path.join(out, case, corpus.file_name(recipe))
            with open(paths[case], "wb") as file:
                file.write(corpus.assemble(recipe).data)
    return paths


# ------------------------------------------------------------------ command line

def check_recipe(corpus, recipe, image):
    """Faults in the header."""
    expected = corpus.expectations(recipe, image)
    title = recipe.one("title")
    if not title.endswith(".") or len(recipe.header["title"]) != 1:
        yield "needs one title: that ends with a full stop"
    if recipe.case.startswith("good-") and expected:
        yield "a good case has no findings"
    if recipe.case.startswith("bad-") and not recipe.one("options") and all(e.severity == "note" for e in expected):
        yield "a bad case expects at least one error or warning"
    for rule in recipe.header.get("near", []):
        if rule in [e.rule for e in expected]:
            yield f"cannot be near {rule}, because it expects it"
    for e in expected:
        if not 0 <= e.start <= e.end <= len(image.data):
            yield f"expects {e.rule} outside the file"


def check(folders):
    corpus = Corpus(*folders)
    faults, contents = [], {}
    for recipe in list(corpus.recipes.values()):
        image = corpus.assemble(recipe)
        faults += [f"{recipe.file}: {words}" for words in check_recipe(corpus, recipe, image)]
        key = (bytes(image.data), corpus.file_name(recipe), recipe.one("options"))
        if key in contents:
            faults.append(f"{recipe.file}: the same file as {contents[key]}")
        contents[key] = recipe.case
    print("\n".join(faults + [f"{len(corpus.recipes)} recipes, {len(faults)} faults"]))
    return 1 if faults else 0


def demos(corpus_folder, demo_folders, update):
    import packages  # imports this module, too
    corpus, folders = Corpus(corpus_folder), {case.name: case for case in packages.load(corpus_folder)}
    return max(demo(corpus, folders, folder, update) for folder in demo_folders)


def demo(corpus, folders, folder, update):
    """folders: the cases that are folders, by name."""
    wrong = 0
    names = sorted(name for name in os.listdir(folder) if name.startswith(VERDICTS))
    for name in names:
        case = os.path.splitext(name)[0]
        if case not in corpus.recipes and name not in folders:
            raise RecipeError(f"{os.path.join(folder, name)}: there is no recipe {case}")
        recipe = folders[name].recipe if name in folders else corpus.recipes[case]
        files = {"/" + path: data for path, data in folders[name].files.items()} if name in folders else {"": bytes(corpus.assemble(recipe).data)}
        for path, data in files.items():
            path = os.path.join(folder, name) + path
            same = os.path.isfile(path)
            if same:
                with open(path, "rb") as file:
                    same = file.read() == data
            if not same and update:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(data)
            elif not same:
                print(f"{path}: differs from {recipe.file}; recipe.py demo-update writes it again")
                wrong += 1
    print(f"{folder}: {len(names)} cases, {wrong} files differ")
    return 1 if wrong or not names else 0


def show(path):
    corpus = Corpus()
    image = corpus.assemble(corpus.add(path))
    leaves = sorted(((p.start, p.end, name) for name, p in image.places.items()), key=lambda leaf: (leaf[0], -leaf[1]))
    for start, end, name in leaves:
        data = image.data[start:end].hex(" ")
        print(f"{start:06x}..{end:06x}  {name:44} {data if len(data) <= 60 else data[:57] + '...'}")


def main(arguments):
    try:
        match arguments:
            case ["build", path, out]:
                corpus = Corpus()
                with open(out, "wb") as file:
                    file.write(corpus.assemble(corpus.add(path)).data)
            case ["build-all", folder, out]:
                print("\n".join(build_all(folder, out).values()))
            case ["show", path]:
                show(path)
            case ["check", *folders] if folders:
                return check(folders)
            case ["demo" | "demo-update" as verb, corpus, *folders] if folders:
                return demos(corpus, folders, verb == "demo-update")
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except (RecipeError, OSError) as error:
        print(f"recipe.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
