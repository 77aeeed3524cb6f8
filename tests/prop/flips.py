#!/usr/bin/env python3
"""Changes every structural byte of every good file in several ways. Nearly every change gives an error or a warning at
that byte.

usage: flips.py LIGHTLINT CORPUS [FAMILY...]    good files of the corpus, family by family
       flips.py LIGHTLINT --real                real files
exit: 0 at or above the minimum shares, 1 below one, 77 there are no real files"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from flips import STRICT, Scope, Tally, measure  # noqa: E402
from program import Program, Workshop, files_below, real_corpus  # noqa: E402
from recipe import FAMILIES, build_all  # noqa: E402

# minimum share of changes noticed: default, and by family
FLOOR, FLOORS = 0.97, {"grx": 0.99, "lba": 0.99, "lpsh": 0.99, "real": 0.99}
# Many values in scene files are not repeated elsewhere in the file, and rules about little-known fields are notes. If
# two fields disagree, only one is reported, and it may be the other one.
SCOPE = {"rgm": Scope(severities=("error", "warning", "note"), whole_field=True,
                      free=r"MPOB\[\d+\]\.reserved|MPRP\[\d+\]\.(reserved_\w+|length)|MPSF\[\d+\]\.reserved_\w+|"
                           r"WDNM\..*\.reserved|RAAN\..*\.frame_count",
                      text=r"RA(ST|NM|AN)\..*\.text|MP(OB|SO)\[\d+\]\.model_name|MPRP\[\d+\]\.\w+_model",
                      pads=r".*\.pos_._pad"),
         # If a path and its MD5 disagree, one is reported, the other as related place. Paths of references are not
         # repeated elsewhere.
         "fpk": Scope(whole_field=True, text=r"reference_path\[\d+\]\.text"),
         # FoxTool drops the texts of these paths, so any hash is legal.
         "fox": Scope(free=r".*\.archive_path"),
         # Names of probes are not repeated elsewhere in the file, and real files contain stray bytes there.
         "lpsh": Scope(free=r"probe_name\[\d+\]\.text"),
         # The hashes of locators are not repeated elsewhere, either.
         "lba": Scope(free=r"id\[\d+\]\..*")}


def reaches_floor(program, kind, folder):
    tally, files = Tally(), files_below(folder, "")
    with Workshop() as workshop:
        for file in files:
            path, scope = os.path.join(folder, file), SCOPE.get(kind, STRICT)
            measure(program, workshop, path, tally, scope=scope)
    noticed, made = tally.total()
    print("\n".join(tally.rows("field")))
    print("\n".join(tally.survivors[:20]))
    floor = FLOORS.get(kind, FLOOR)
    print(f"{kind}: {len(files)} files, {made} changes, {noticed} noticed: {tally.rate():.2%}, floor {floor:.0%}")
    return made and tally.rate() >= floor


def main(lightlint, what, *families):
    program = Program(lightlint)
    if what == "--real":
        if not real_corpus():
            print("skipped: no real files; LIGHTLINT_REAL_CORPUS names a folder of them")
            return 77
        return 0 if reaches_floor(program, "real", real_corpus()) else 1
    passed = []
    for family in families or FAMILIES:
        with Workshop() as sources:
            build_all(os.path.join(what, family), sources.path, ("good-",))
            passed.append(reaches_floor(program, family, sources.path))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else __doc__)
