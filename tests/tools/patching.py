"""Applies the patch of a finding, and says what became of the findings."""
from collections import Counter


def apply(data, patch):
    start, new = patch["offset"], bytes.fromhex(patch["bytes"])
    return data[:start] + new + data[start + patch["removed"]:]


def key(finding):
    return finding["rule"], finding["path"]


def record(finding):
    """The rule, and the outermost record that it speaks of: what is wrong there may be told of another field of it."""
    return finding["rule"], finding["path"].partition(".")[0]


def may_come(found, finding):
    """A patch that is not safe and moves nothing may bring lesser findings to light than its own, such as that a text is not used any
    more."""
    patch = finding["patch"]
    ranks = ("note", "warning", "error")
    return (patch["tier"] == "unsafe" and 2 * patch["removed"] == len(patch["bytes"])
            and ranks.index(found["severity"]) < ranks.index(finding["severity"]))


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
