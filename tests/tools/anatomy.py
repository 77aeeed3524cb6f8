"""A sound file and its parts, read from dump: leaves, the records that hold them, and the fields that state the
sizes of these records."""
import re
from collections import defaultdict
from dataclasses import dataclass

PARTS = re.compile(r"(?:[^.\[]|\[[^\]]*\])+")
# Parts too small to be a record; the part that contains them is the record.
MINOR = ("operand", "operator", "parameter", "condition", "command", "route", "vertex", "face", "segment")
# Fields that hold the number of rows of a table.
COUNTED = {"locator": ("header.count",), "id": ("header.count",),
           "size_table": ("header.section_count",), "block_table": ("header.block_count",), "tag_table": ("header.tag_count",)}


@dataclass
class Leaf:
    start: int
    end: int
    path: str
    type: str
    leads_to: str
    record: str


def record_of(path):
    """entry[1].name.text: entry[1]; header.magic: header; header_padding: itself."""
    parts = PARTS.findall(path)
    for i in range(len(parts) - 1, -1, -1):
        if "[" in parts[i] and parts[i].split("[")[0] not in MINOR:
            return ".".join(parts[:i + 1])
    return ".".join(parts[:-1]) or path


class Anatomy:
    """A sound file and its parts. `other`: another file of the family."""

    def __init__(self, family, data, dump, other=b""):
        self.family, self.data, self.other = family, data, other
        self.order = "big" if family == "mrea" else "little"
        self.leaves = [Leaf(s["offset"], s["offset"] + s["length"], s["path"], s["type"], s.get("leads_to", ""), record_of(s["path"]))
                       for s in dump["spans"]]
        self.places = defaultdict(list)  # of each record: (start, end) of its leaves
        for leaf in self.leaves:
            self.places[leaf.record].append((leaf.start, leaf.end))
        self.units = self.find_units()
        self.outermost = self.find_outermost()

    def record(self, leaf):
        return self.places[leaf.record]

    def frame(self, leaf, whole=False):
        """Ranges that state the size of a leaf's record: enclosing records, table rows, the header of an actor. With
        `whole`, also the file header or the field that counts the records."""
        parts = PARTS.findall(leaf.record)
        around = {".".join(parts[:n]) for n in range(1, len(parts))}
        around |= {parts[0].split("[")[0]}  # RAHD of RAHD[0]
        for part in parts:
            around |= {part.replace("section[", "size_table["), part.replace("block[", "block_table[")}
        table = parts[0].split("[")[0]
        # Rows have no mark of their own: from the bytes alone, no one can tell where in its table bytes are missing.
        around |= {record for record in self.places if table in COUNTED and record.startswith(table)}
        around |= {"header"} if whole and parts[0].startswith(("entry[", "entity[")) else set()
        counted = COUNTED.get(table, ()) if whole else ()
        around |= {other.record for other in self.leaves if other.leads_to and other.record.startswith("RAHD[") and
                   (leaf.record + ".").startswith(other.leads_to + ".")}
        return [place for record in around for place in self.places.get(record, ())] + \
            [(other.start, other.end) for other in self.leaves if counted and other.path in counted]

    def near(self, at, end):
        """Leaves that bytes [at, end) may belong to: the leaves they touch. Leaves of type "bytes" have no known
        contents, so their neighbours count too, up to the next leaf of another type."""
        touched = [i for i, leaf in enumerate(self.leaves) if leaf.start <= end and leaf.end >= at]
        first, last = touched[0], touched[-1]
        while first > 0 and self.leaves[first].type == "bytes":
            first -= 1
        while last + 1 < len(self.leaves) and self.leaves[last].type == "bytes":
            last += 1
        return self.leaves[first:last + 1]

    def suspects(self, at, end, whole=False):
        """Ranges where a finding may be placed when bytes are inserted or removed at [at, end)."""
        return sorted({place for leaf in self.near(at, end) for place in self.record(leaf) + self.frame(leaf, whole)})

    def find_units(self):
        """{prefix: (start, end)} of the records, parts of records and sections that are contiguous."""
        found = {}
        for leaf in self.leaves:
            parts = PARTS.findall(leaf.path)
            prefixes = [".".join(parts[:n + 1]) for n, part in enumerate(parts[:-1]) if "[" in part]
            prefixes += [parts[0].split("[")[0] + "*"] if self.family == "rgm" else []
            for prefix in prefixes:
                found.setdefault(prefix, []).append((leaf.start, leaf.end))
        whole = {prefix: all(a[1] == b[0] for a, b in zip(ranges, ranges[1:])) for prefix, ranges in found.items()}
        return {prefix: (ranges[0][0], ranges[-1][1]) for prefix, ranges in found.items() if whole[prefix]}

    def find_outermost(self):
        """Units that no other unit contains."""
        found, reach = [], 0
        for prefix, (start, end) in sorted(self.units.items(), key=lambda item: (item[1][0], -item[1][1])):
            if end > reach:
                found.append((prefix, (start, end)))
                reach = end
        return found

    def neighbours(self):
        """Pairs of adjacent units of the same kind."""
        by_start = {}
        for prefix, (start, end) in self.units.items():
            by_start.setdefault((kind_of(prefix), start), (prefix, start, end))
        for prefix, (start, end) in self.units.items():
            other = by_start.get((kind_of(prefix), end))
            if other:
                yield (prefix, start, end), other


def kind_of(prefix):
    return "*" if prefix.endswith("*") else re.sub(r"\[[^\]]*\]$", "[]", prefix)
