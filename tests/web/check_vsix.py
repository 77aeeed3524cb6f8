#!/usr/bin/env python3
"""The extension for Visual Studio Code: contents of the archive and its manifests, then its behaviour (vscode.mjs).

usage: check_vsix.py LIGHTLINT LIGHTLINT.VSIX SOURCE_DIR
exit: 0 all passed, 1 not, 77 no extension or no browser"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile

MANIFEST = {"v": "http://schemas.microsoft.com/developer/vsx-schema/2011"}
TYPES = {"t": "http://schemas.openxmlformats.org/package/2006/content-types"}
FIXED = ["[Content_Types].xml", "extension.vsixmanifest"]
LICENCES = ("cjson", "expat", "libyaml", "pcre2", "zlib", "wasi-libc", "compiler-rt", "Apache-2.0")
FILES = {"LICENSE.txt", "README.md", "extension.js", "lightlint.html", "lightlint.wasm", "package.json", *(f"licences/{name}.txt" for name in LICENCES)}


def known_extensions(source):
    with open(os.path.join(source, "src/formats/formats.def"), encoding="utf-8") as file:
        return re.findall(r'"(\.\w+)"', "".join(line for line in file if line.startswith("LL_FORMAT(")))


def archive_faults(archive):
    """Faults in names, checksums and the list of types."""
    if archive.testzip():
        yield f"damaged: {archive.testzip()}"
    names = archive.namelist()
    if names[:2] != FIXED or {name[len("extension/"):] for name in names[2:]} != FILES or len(names) != len(FILES) + 2:
        yield f"other files than expected: {names}"
    types = ElementTree.fromstring(archive.read(FIXED[0]))
    listed = {one.get("Extension") for one in types.findall("t:Default", TYPES)}
    for name in names[1:]:
        if "." + name.rsplit(".", 1)[1] not in listed:
            yield f"{name}: of no listed type"
    if any(one.date_time != (1980, 1, 1, 0, 0, 0) for one in archive.infolist()):
        yield "a time of the build"


def manifest_faults(archive, version, extensions):
    """Faults in package.json: keys must be as Visual Studio Code requires and agree with the other manifest."""
    package = json.loads(archive.read("extension/package.json"))
    if "dependencies" in package or "browser" in package or package["main"] != "./extension.js":
        yield "package.json: more than one program without dependencies"
    if package["version"] != version or not re.fullmatch(r"[a-z0-9-]+", package["name"]) or not re.fullmatch(r"\^1\.\d+\.0", package["engines"]["vscode"]):
        yield f"package.json: {package['name']} {package['version']} {package['engines']}"
    editor, = package["contributes"]["customEditors"]
    if set(editor) != {"viewType", "displayName", "selector", "priority"} or editor["priority"] not in ("default", "option"):
        yield f"package.json: keys of the editor: {editor}"
    if editor["selector"] != [{"filenamePattern": "*" + extension} for extension in extensions]:
        yield f"package.json: selector {editor['selector']}, expected {extensions}"
    if package["activationEvents"] != [f"workspaceContains:**/*{{{','.join(extensions)}}}"]:
        yield f"package.json: activationEvents {package['activationEvents']}"
    code = archive.read("extension/extension.js").decode()
    for name in [editor["viewType"], *(command["command"] for command in package["contributes"]["commands"])]:
        if f'"{name}"' not in code:
            yield f"package.json: {name}, which the code does not register"
    outer = ElementTree.fromstring(archive.read(FIXED[1]))
    identity = outer.find("v:Metadata/v:Identity", MANIFEST)
    if (identity.get("Id"), identity.get("Version"), identity.get("Publisher")) != (package["name"], package["version"], package["publisher"]):
        yield "extension.vsixmanifest: another identity than package.json"
    engine, = (one.get("Value") for one in outer.iter("{%s}Property" % MANIFEST["v"]) if one.get("Id") == "Microsoft.VisualStudio.Code.Engine")
    if engine != package["engines"]["vscode"]:
        yield f"extension.vsixmanifest: engine {engine}"
    for asset in outer.iter("{%s}Asset" % MANIFEST["v"]):
        if asset.get("Path") not in archive.namelist():
            yield f"extension.vsixmanifest: {asset.get('Path')} is not there"


def main(program, path, source):
    if not os.path.exists(path) or not shutil.which("node"):
        print("no node, or no extension: build the preset wasm: skipped")
        return 77
    version = json.loads(subprocess.run([program, "version", "--format", "json"], stdout=subprocess.PIPE, check=True).stdout)["version"]
    with tempfile.TemporaryDirectory(prefix="lightlint-vsix-") as folder, zipfile.ZipFile(path) as archive:
        faults = [*archive_faults(archive), *manifest_faults(archive, version, known_extensions(source))]
        print("\n".join(faults) or "ok archive and manifests")
        archive.extractall(folder)
        extension = os.path.realpath(os.path.join(folder, "extension"))
        status = subprocess.run(["node", os.path.join(source, "tests/web/vscode.mjs"), extension, program], check=False).returncode
    return 1 if faults else status


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:])) if len(sys.argv) == 4 else __doc__)
