"""Applies the patch of a finding and compares the findings before and after."""
from collections import Counter


def written(data, patch):
    """The bytes that a patch inserts: its own, and those it copies from the file by offset."""
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
    """The rule and the outermost record of a finding. After a patch, the fault may be reported at another field of
    the record."""
    return finding["rule"], finding["path"].partition(".")[0]


def may_come(found, finding):
    """May this finding appear after the patch? Yes if it is less severe and at the same field: it had yielded to the
    patched one. After a finding across files, it may be anywhere in the file, such as a text that is now unused."""
    ranks = ("note", "warning", "error")
    same = found["path"] == finding["path"] or finding["rule"].startswith("MOD")
    return same and ranks.index(found["severity"]) < ranks.index(finding["severity"])


def brought(finding, before, after, source=()):
    """Why the patch of `finding` is wrong, given all findings before and after it; "" if it is right. Findings in
    `source`, the file before a byte was changed, may remain."""
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
            return f"adds {f['severity']} {f['name']} at {f['path']}"
    return ""
