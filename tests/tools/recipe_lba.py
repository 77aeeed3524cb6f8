"""Recipe statements that write locators: header, then locators, then at the end of the recipe their ids, if the flags
ask for them.

Places have the names that the linter uses: header.count, locator[1].rotation[3], id[0].name_hash."""
import layouts
from assembler import split_values

RECORDS, _ = layouts.of_family("lba")

LOCATOR = {"position": "1, 2, 3", "rotation": "0, 0, 0, 1"}


class Writer:
    @staticmethod
    def extension(statements):
        return ".lba"

    def __init__(self, builder):
        self.builder, self.flags, self.locators = builder, 2, 0
        self.statements = {"locators": self.header, "locator": self.locator}

    def record(self, path, name, values):
        start = self.builder.offset
        self.builder.record(path, RECORDS[name], values)
        self.builder.name(path, start, self.builder.offset)

    def header(self, words):
        values = {"count": "count(locator)", "flags": "2"} | split_values(words)
        self.flags = int(values["flags"], 0)
        self.record("header", "header", values)

    def locator(self, words):
        scaled = self.flags & 1
        self.record(f"locator[{self.locators}]", "scaled_locator" if scaled else "locator",
                    LOCATOR | ({"scale": "1, 1, 1"} if scaled else {}) | split_values(words))
        self.locators += 1

    def close(self):
        for i in range(self.locators if self.flags & 2 else 0):
            self.record(f"id[{i}]", "id", {"name_hash": f"{0x1000 + i}", "dataset_hash": "0x4BCD2387"})
