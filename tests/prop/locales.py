#!/usr/bin/env python3
"""Numbers are written and read independently of the locale that a host program sets. Runs the unit tests of base, which
take their locale from the environment, with a comma and a two-byte character as decimal point.

usage: locales.py TEST_BASE
exit:  0 all passed, 1 not, 77 skipped (no localedef, or it does not know these locales)"""
import os
import shutil
import subprocess
import sys
import tempfile

LOCALES = {"de_DE": ",", "ps_AF": "\u066b"}


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    if not shutil.which("localedef"):
        print("skipped: no localedef here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for name, point in LOCALES.items():
            subprocess.run(["localedef", "-i", name, "-f", "UTF-8", os.path.join(folder, name + ".UTF-8")], capture_output=True, check=False)
            environment = {**os.environ, "LOCPATH": folder, "LC_ALL": name + ".UTF-8"}
            asked = subprocess.run(["locale", "decimal_point"], env=environment, capture_output=True, check=False).stdout.decode().strip()
            if asked != point:
                print(f"skipped: no locale {name} here (its decimal point is {asked!r})")
                return 77
            done = subprocess.run([sys.argv[1]], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if done.returncode:
                print(f"{name}:\n{done.stdout.decode(errors='replace')}")
                return 1
            print(f"{name}: fine")
    return 0


if __name__ == "__main__":
    sys.exit(main())
