"""Cases of rules across files: recipes in corpus/mod, each of which writes a folder. corpus/README.md describes them
under "Packages".

A recipe lists files, each followed by the statements of its family. With `from`, it changes the files of another
recipe."""
import importlib
import json
import os
import re

from assembler import Builder, RecipeError, is_shape, unquote, words_of
from patching import apply, brought
from recipe import PACKAGES, VERDICTS, label_of, read

EXPECT = re.compile(r'([\w/-]+) (error|warning|note) in (\S+)(?: at (\S+))?(?: patch (safe|unsafe|none))?(?: says "(.*)")?')


STATEMENTS = ("file", "more", "in", "remove", "move")


class Expectation:
    def __init__(self, recipe, text):
        match = EXPECT.fullmatch(text)
        if not match:
            form = 'RULE SEVERITY in FILE [at PATH] [patch safe|unsafe|none] [says "WORDS"]'
            raise RecipeError(f"{recipe.file}: expect: {form}, not {text!r}")
        self.rule, self.severity, self.file, self.path, self.patch, self.says = match.groups()

    def __str__(self):
        patch = f" patch {self.patch}" * bool(self.patch)
        return f"{self.rule} {self.severity} in {self.file} at {self.path or 'file'}{patch}" + f' says "{self.says}"' * bool(self.says)

    def matches(self, f):
        texts = " ".join(str(value) for value in f.values())
        return (f["name"] == self.rule and f["severity"] == self.severity and name_of(f).endswith(self.file) and
                f["path"] == (self.path or "file") and (self.says or "") in texts and
                self.patch in (None, f.get("patch", {"tier": "none"})["tier"]))


def name_of(finding):
    """The file of a finding; for a member of an archive, ARCHIVE!MEMBER."""
    member = finding.get("inner", {}).get("member") or finding.get("member")
    return finding["file"] + (f"!{member}" if member else "")


class Manifest:
    """Statements that write a manifest, X.fpk.xml."""

    def __init__(self, builder):
        self.builder, self.entries, self.head = builder, [], ""
        self.statements = {"manifest": self.manifest, "entry": self.entry}

    def manifest(self, words):
        name, kind = (unquote(word).decode() for word in words)
        self.head = ('<?xml version="1.0" encoding="utf-8"?>\n<ArchiveFile xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
                     f'xsi:type="FpkFile" Name="{name}" FpkType="{kind}">\n  <Entries>\n')

    def entry(self, words):
        self.entries.append(f'    <Entry FilePath="{unquote(words[0]).decode()}" />\n')

    def close(self):
        text = self.head + "".join(self.entries) + "  </Entries>\n  <References />\n</ArchiveFile>\n"
        self.builder.add("", "hex", text.encode().hex())


def writer_of(family, builder):
    return Manifest(builder) if family == "xml" else importlib.import_module(f"recipe_{family}").Writer(builder)


def assemble(file, path, family, lines):
    builder = Builder()
    writer = writer_of(family, builder) if family else None
    try:
        for builder.line, statement in lines:
            label, statement = label_of(statement)
            keyword, _, rest = statement.partition(" ")
            if writer and keyword in writer.statements:
                writer.statements[keyword](words_of(rest))
            elif is_shape(keyword):
                (writer.builder if writer else builder).add(label, keyword, rest.strip())
            else:
                raise RecipeError(f"unknown statement {keyword}")
        if writer:
            writer.close()
        return bytes(builder.finish().data)
    except RecipeError as error:
        raise RecipeError(f"{file}:{builder.line}: {path}: {error}") from error


class Case:
    """A case that is a folder of files. Its interface towards golden outputs is that of a case with one file."""

    def __init__(self, recipe, bases):
        self.recipe, self.name, self.file = recipe, recipe.case, recipe.case
        self.options = recipe.one("options").split()
        self.near = recipe.header.get("near", [])
        self.needs, self.said = recipe.one("needs"), ""
        self.expected = [Expectation(recipe, text) for text in recipe.header.get("expect", [])]
        self.code = int(recipe.one("exit", "1" if any(e.severity != "note" for e in self.expected) else "0"))
        self.sources = dict(bases(recipe.one("from")).sources) if recipe.one("from") else {}
        current = None
        for line, statement in recipe.body:
            keyword, _, rest = statement.partition(" ")
            words = words_of(rest) if keyword in STATEMENTS else []
            try:
                current = self.edit(keyword, words, current, (line, statement))
            except (KeyError, IndexError, RecipeError) as error:
                raise RecipeError(f"{recipe.file}:{line}: {error}") from error
        self.files = {path: assemble(recipe.file, path, *source) for path, source in self.sources.items()}

    def edit(self, keyword, words, current, line):
        names = [unquote(word).decode() for word in words if word.startswith('"')]
        if keyword == "file":
            self.sources[names[0]] = (words[1] if len(words) > 1 else "", [])
            return names[0]
        if keyword == "more":
            family, lines = self.sources[names[0]]
            self.sources[names[0]] = (family, list(lines))
            return names[0]
        if keyword == "in":
            path, old, new = names
            family, lines = self.sources[path]
            if not any(old in statement for _, statement in lines):
                raise RecipeError(f"{old!r} does not occur in {path}")
            self.sources[path] = (family, [(number, statement.replace(old, new)) for number, statement in lines])
        elif keyword == "remove":
            del self.sources[names[0]]
        elif keyword == "move":
            self.sources[names[1]] = self.sources.pop(names[0])
        elif current:
            self.sources[current][1].append(line)
        else:
            raise RecipeError(f"unknown statement {keyword}")
        return current if keyword not in STATEMENTS else None

    def bytes_of(self, name):
        return self.files[name.removeprefix(self.name + "/")]

    def write(self, workshop, name, files):
        for path, data in files.items():
            workshop.write(f"{name}/{path}", data)

    def lint(self, program, workshop, name):
        """Findings, exit code and standard error for a folder."""
        code, out, err = program.call("--format", "jsonl", "--all", *self.options, name, cwd=workshop.path)
        *findings, summary = (json.loads(line) for line in out.decode().splitlines())
        self.unread = summary["unchecked"]
        return findings, code, err

    def faults(self, program, workshop):
        """Faults, findings, and the rules whose patches were applied."""
        self.write(workshop, self.name, self.files)
        findings, code, err = self.lint(program, workshop, self.name)
        self.said = err
        left, faults, applied = list(findings), [], set()
        for e in self.expected:
            hit = next((f for f in left if e.matches(f)), None)
            if not hit:
                faults.append(f"missing  {e}")
                continue
            left.remove(hit)
            if e.patch in ("safe", "unsafe"):
                why = self.patch_fault(program, workshop, hit, findings)
                faults += [f"patch of {e}: {why}"] if why else []
                applied |= set() if why else {hit["rule"]}
        faults += [f"too many {f['name']} {f['severity']} in {name_of(f)} at {f['path']}: {f['message']}" for f in left]
        wanted = 2 if self.unread else self.code
        if not faults and code != wanted:
            faults.append(f"exit code {code}, not {wanted}\n{err}")
        return faults, findings, applied

    def patch_fault(self, program, workshop, finding, findings):
        name, path = f"{self.name}~patch", finding["file"].removeprefix(f"{self.name}/")
        self.write(workshop, name, self.files | {path: apply(self.files[path], finding["patch"])})
        return brought(finding, findings, self.lint(program, workshop, name)[0])


def load(corpus, only=""):
    """All cases of packages whose name contains `only`."""
    folder, cases = os.path.join(corpus, PACKAGES), {}

    def case_of(name):
        if name not in cases:
            cases[name] = Case(read(os.path.join(folder, name + ".txt")), case_of)
        return cases[name]

    if not os.path.isdir(folder):
        return []
    names = sorted(name.removesuffix(".txt") for name in os.listdir(folder) if name.startswith(VERDICTS))
    return [case_of(name) for name in names if only in name]
