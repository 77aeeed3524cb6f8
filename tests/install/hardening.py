"""Checks with readelf how a program is hardened. The words are those of LIGHTLINT_HARDENED (src/cmake/harden.cmake)."""
import os
import re
import shutil
import subprocess

# Pattern that the listing must contain, by word. Words that leave no trace in a linked file are missing here.
SHOWN = {
    "pie": r"FLAGS_1\).*\bPIE\b",
    "relro": r"GNU_RELRO[\s\S]*(?:\(BIND_NOW\)|\(FLAGS\).*\bBIND_NOW\b|FLAGS_1\).*\bNOW\b)",
    "stack-protector-strong": r"\b__stack_chk_fail\b",
    "fortify": r"\b__(?!stack)\w+_chk\b",
}
NEVER = {"a stack that can be executed": r"GNU_STACK.*RWE", "code that the loader changes": r"\(TEXTREL\)"}


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def faults(path, wanted, alone=False):
    """What is missing in a file; `alone`: it must be a program without a loader. Empty if nothing is missing, or,
    with a message, if readelf is missing or it is no ELF file."""
    if not shutil.which("readelf") or not is_elf(path):
        print(f"defences of {path}: skipped, no readelf or no ELF file")
        return []
    listing = subprocess.run(["readelf", "-hldW", "--dyn-syms", path], capture_output=True, text=True, check=True).stdout
    is_loaded = bool(re.search(r"\bINTERP\b", listing))
    is_program = is_loaded or alone
    lacking = [word for word in wanted if word in SHOWN and not re.search(SHOWN[word], listing) and (is_program or word != "pie")]
    found = [words for words, pattern in NEVER.items() if re.search(pattern, listing)]
    found += ["it needs a loader"] if alone and is_loaded else []
    return [f"{os.path.basename(path)}: not built with {word}" for word in lacking] + [f"{os.path.basename(path)}: {words}" for words in found]
