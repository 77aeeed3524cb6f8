#!/usr/bin/env python3
"""Validates the output of --format jsonl against docs/schema/finding.schema.json, line by line.

usage: check_jsonl.py LIGHTLINT SCHEMA PATH...
exit: 0 every line is valid, 1 a line is not, 77 no python3-jsonschema"""
import json
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)


def main():
    program, schema_path, *paths = sys.argv[1:]
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.validators.validator_for(schema)(schema)
    out = subprocess.run([program, "--format", "jsonl", "--all", *paths], capture_output=True, text=True, check=False).stdout
    lines = [json.loads(line) for line in out.splitlines()]
    faults = [f"line {n}: {error.message}" for n, line in enumerate(lines, 1) for error in validator.iter_errors(line)]
    print("\n".join(faults + [f"{len(lines)} lines, {len(faults)} faults"]))
    return 1 if faults or len(lines) < 2 or lines[-1]["type"] != "summary" else 0


if __name__ == "__main__":
    sys.exit(main())
