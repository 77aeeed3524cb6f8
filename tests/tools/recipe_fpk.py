"""Recipe statements that write archives: records of fpk_layout.def, with defaults that no rule reports. Statements only
collect; the file is written at the end of the recipe.

Places have the names that the linter uses: header.entry_count, entry[1].data_size, path[1].text,
reference[0].path_offset, member[1], padding[0]. Places in a member written by statements of another family are below
it: member[1].probe[0].flags."""
import hashlib
import importlib

import layouts
from assembler import Builder, RecipeError, split_values, unquote

RECORDS, _ = layouts.of_family("fpk")

UNIT = 16
TYPES = {"fpk": "0", "fpkd": "0x64"}
CONTENTS = '"no file of any format\\n"'


class Writer:
    @staticmethod
    def extension(statements):
        return ".fpk"

    def __init__(self, builder):
        self.file = self.builder = builder  # builder: that of the current member
        self.header, self.members, self.references = {}, [], []
        self.inner = None  # writer of the current member, if it has a family
        self.paddings = 0

    @property
    def statements(self):
        own = {"archive": self.archive, "member": self.member, "reference": self.reference}
        return own | (self.inner.statements if self.inner else {})

    # -------------------------------------------------------------- collecting

    def archive(self, words):
        if not words or words[0] not in TYPES:
            raise RecipeError("archive fpk, or archive fpkd, expected")
        self.header = {"type": TYPES[words[0]]} | split_values(words[1:])

    def member(self, words):
        """"PATH", then the family whose statements follow (optional), then fields of the entry."""
        self.end_member()
        family = words[1] if len(words) > 1 and "=" not in words[1] else ""
        self.builder = Builder()
        self.inner = importlib.import_module(f"recipe_{family}").Writer(self.builder) if family else None
        self.members.append([words[0], split_values(words[2 if family else 1:]), None])

    def end_member(self):
        if self.builder is self.file:
            return
        if self.inner:
            self.inner.close()
        elif not self.builder.pieces:
            self.builder.add("", "text", CONTENTS)
        self.members[-1][2] = self.builder.finish()
        self.builder, self.inner = self.file, None

    def reference(self, words):
        self.references.append((words[0], split_values(words[1:])))

    # -------------------------------------------------------------- writing

    def record(self, path, name, values):
        start = self.file.offset
        self.file.record(path, RECORDS[name], values)
        self.file.name(path, start, self.file.offset)

    def string(self, path, quoted):
        start = self.file.offset
        self.file.add(f"{path}.text", "text", quoted)
        self.file.add(f"{path}.terminator", "zeros", "1")
        self.file.name(path, start, self.file.offset)

    def pad(self):
        if self.file.offset % UNIT:
            self.file.add(f"padding[{self.paddings}]", "align", str(UNIT))
            self.paddings += 1

    def close(self):
        self.end_member()
        if not self.header:
            raise RecipeError("the statement archive is missing")
        self.record("header", "header", {"magic": "foxfpk", "platform": "win", "file_size": "size(whole)", "constant": "2",
                                         "entry_count": str(len(self.members)), "reference_count": str(len(self.references))} | self.header)
        for i, (path, values, _) in enumerate(self.members):
            derived = {"data_offset": f"member[{i}]", "data_size": f"size(member[{i}])", "path_offset": f"path[{i}].text",
                       "path_length": f"size(path[{i}].text)", "path_md5": hashlib.md5(unquote(path)).hexdigest()}
            self.record(f"entry[{i}]", "entry", derived | values)
        for i, (path, values) in enumerate(self.references):
            derived = {"path_offset": f"reference_path[{i}].text", "path_length": f"size(reference_path[{i}].text)"}
            self.record(f"reference[{i}]", "reference", derived | values)
        for i, (path, _, _) in enumerate(self.members):
            self.string(f"path[{i}]", path)
        for i, (path, _) in enumerate(self.references):
            self.string(f"reference_path[{i}]", path)
        self.pad()
        for i, (_, _, image) in enumerate(self.members):
            self.file.graft(f"member[{i}]", image)
            self.pad()
        self.file.name("whole", 0, self.file.offset)
