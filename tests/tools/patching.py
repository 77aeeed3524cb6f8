"""Applies the patch of a finding, and says what became of the findings."""
from collections import Counter


def written(data, patch):
    """The bytes that a patch of a file puts in: its own, and those of the file that it names by their places."""
    if "bytes" in patch:
        return bytes.fromhex(patch["bytes"])
    new = b""
    assert "parts" in patch, patch
    for part in patch["parts"]:
        assert part["to"] == patch["offset"] + len(new), part
        new += bytes.fromhex(part["bytes"]) if "bytes" in part else data[part["from"]:][:part["length"]]
    assert len(new) == patch["size"], (len(new), patch["size"])
    return new


def apply(data, patch):
    start = patch["offset"]
    return data[:start] + written(data, patch) + data[start + patch["removed"]:]


def size_of(patch):
    return len(patch["bytes"]) // 2 if "bytes" in patch else patch["size"]


def key(finding):
    return finding["rule"], finding["path"]


def record(finding):
    """The rule, and the outermost record that it speaks of: what is wrong there may be told of another field of it."""
    return finding["rule"], finding["path"].partition(".")[0]


def may_come(found, finding):
    """A lesser finding of the same field yielded to that of the patch. What follows from other files may leave lesser ones in this one,
    such as that a text is not used any more."""
    ranks = ("note", "warning", "error")
    same = found["path"] == finding["path"] or finding["rule"].startswith("MOD")
    return same and ranks.index(found["severity"]) < ranks.index(finding["severity"])


def brought(finding, before, after, source=()):
    """What is wrong with a patch of `finding`, from all findings before and after it; those of `source`, in which a byte was changed, may
    be there too. "": nothing."""
    if key(finding) in map(key, after):
        return "the finding is still there"
    allowed = Counter(map(record, before))
    allowed[record(finding)] -= 1
    allowed |= Counter(map(record, source))
    for f in after:
        if may_come(f, finding):
            continue
        allowed[record(f)] -= 1
        if allowed[record(f)] < 0:
            return f"brings {f['severity']} {f['name']} at {f['path']}"
    return ""
