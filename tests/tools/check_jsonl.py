#!/usr/bin/env python3
"""Validates output of --format jsonl against docs/schema/finding.schema.json, line by line.

usage: check_jsonl.py SCHEMA OUTPUT
exit: 0 every line is valid, 1 a line is not, 77 no python3-jsonschema"""
import json
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.validators.validator_for(schema)(schema)
    with open(sys.argv[2], encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    faults = [f"line {n}: {error.message}" for n, line in enumerate(lines, 1) for error in validator.iter_errors(line)]
    print("\n".join(faults + [f"{len(lines)} lines, {len(faults)} faults"]))
    return 1 if faults or len(lines) < 2 or lines[-1]["type"] != "summary" else 0


if __name__ == "__main__":
    sys.exit(main())
