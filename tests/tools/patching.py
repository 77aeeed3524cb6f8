"""Applies the patch of a finding, and says what became of the findings."""


def apply(data, patch):
    start, new = patch["offset"], bytes.fromhex(patch["bytes"])
    if patch["removed"] not in (0, len(new)) or (patch["removed"] == 0 and start != len(data)):
        raise ValueError("a patch replaces bytes by as many, or inserts at the end")
    return data[:start] + new + data[start + patch["removed"]:]


def key(finding):
    return finding["rule"], finding["path"]


def record(finding):
    """The rule, and the outermost record that it speaks of: what is wrong there may be told of another field of it."""
    return finding["rule"], finding["path"].partition(".")[0]


def is_lesser(found, finding):
    """The same place, less severe: what a ladder says of it once the severer rule is silent."""
    ranks = ("note", "warning", "error")
    return found["path"] == finding["path"] and ranks.index(found["severity"]) < ranks.index(finding["severity"])


def brought(finding, known, after):
    """What is wrong with a patch of `finding`: known are those that may stay, after those of the patched file; "": nothing."""
    if key(finding) in map(key, after):
        return "the finding is still there"
    records = {record(f) for f in known}
    new = [f for f in after if record(f) not in records and not (finding["patch"]["tier"] == "unsafe" and is_lesser(f, finding))]
    return f"brings {new[0]['severity']} {new[0]['name']} at {new[0]['path']}" if new else ""
