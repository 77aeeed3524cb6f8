"""Legal changes of a package (made_package.py). The result must have no finding above a note. Each function changes
the package, or its written files, and returns whether it changed anything."""
import re

from fox_package import HANDLE, LINK, Archive, Harmonics, Property, bytes_of
from made_package import FILES
from strcode64 import strcode64

CHANGES, FILE_CHANGES = {}, {}  # changes of a package; changes of its files by name: (files, stem, dice)


def change(function):
    CHANGES[function.__name__.replace("_", "-")] = function
    return function


def file_change(function):
    FILE_CHANGES[function.__name__.replace("_", "-")] = function
    return function


# ------------------------------------------------------------------ in DataSets

@change
def table_shuffled(package, dice):
    for _, dataset in package.datasets():
        dataset.write()
        dataset.table = list(dataset.used)
        dice.shuffle(dataset.table)
    return True


@change
def table_by_foxtool(package, dice):
    """Strings in order of use. Archive paths of links lose their text and keep their hash."""
    for path, dataset in package.datasets():
        dataset.table = []
        for entity in dataset.entities:
            for one in entity.properties:
                if one.type == LINK:
                    one.values = [(link[0], strcode64(link[1].encode()) if link[1] else "", *link[2:]) if isinstance(link[1], str) else link
                                  for link in one.values]
    return True


@change
def folder_by_foxtool(package, dice):
    """The archive has the game's DataSets, the folder the DataSets as FoxTool writes them."""
    package.archived = package.copy().parts
    return table_by_foxtool(package, dice)


@change
def entities_shuffled(package, dice):
    for _, dataset in package.datasets():
        rest = dataset.entities[1:]
        dice.shuffle(rest)
        dataset.entities[1:] = rest
    return True


@change
def addresses_changed(package, dice):
    """Addresses may be any numbers but 0, in any order."""
    for _, dataset in package.datasets():
        known = {entity.address for entity in dataset.entities}
        fresh = dict(zip(sorted(known), dice.sample(range(1, 1 << 31), len(known)), strict=True))
        for entity in dataset.entities:
            entity.address = fresh[entity.address]
            for one in entity.properties:
                if one.type in (13, 21):
                    one.values = [fresh.get(value, value) for value in one.values]
                elif one.type == LINK:
                    one.values = [(*link[:3], fresh.get(link[3], link[3])) for link in one.values]
    return True


@change
def harmonics_elsewhere(package, dice):
    """Harmonics with another path and name: the usual name is a habit of the game, not required."""
    found = package.entities("TppLightProbeSHCoefficients")
    for number, (_, _, entity) in enumerate(found):
        old = entity["lpshFile"]
        if old in package.parts["fpk"]:
            new = f"/Assets/mgo/level/location/other/any_name_{number}.lpsh"
            package.parts["fpk"][new] = package.parts["fpk"].pop(old)
            for _, _, other in found:
                if other["lpshFile"] == old:
                    other["lpshFile"] = other["filePath"] = new
    return bool(found)


@change
def probe_order(package, dice):
    """Probes in harmonics may have any order."""
    for _, model in package.find("fpk", Harmonics):
        dice.shuffle(model.probes)
    return True


@change
def foreign_link(package, dice):
    """EntityLinks of other classes may have any target."""
    found = package.entities("StaticModelArray", "TexturePackLoadConditioner")
    for _, _, entity in found:
        entity.dynamic = [Property("madeLink", LINK, 1, [("", "/Assets/ssd/other.fox2", "Name", entity.address), ("/Assets/x.fpk", 12345, "", 0)]),
                          Property("madeHandle", HANDLE, 0, [0xDEAD])]
    return bool(found)


@change
def no_links(package, dice):
    """Probe arrays may have probes without harmonics."""
    found = False
    for _, dataset, entity in package.entities("TppLightProbeArray"):
        array = package.array(entity["lightArrayFile"])
        if array:
            entity["shDatas"] = [("", "", "", 0)] * len(entity["shDatas"])
            for probe in array.probes():
                probe.word(0x18, probe.word(0x18, shape="<I") & ~0xE, "<I")
            for one in dataset.of_kind("TppLightProbeSHCoefficients"):
                dataset.remove(one)
                package.parts["fpk"].pop(one["lpshFile"], None)
            found = True
    return found


@change
def scripts_encrypted(package, dice):
    package.archived = package.copy().parts
    scripts = [path for path in package.parts["fpkd"] if path.endswith(".lua")]
    for path in scripts:
        package.archived["fpkd"][path] = b"\x1b" + bytes(reversed(bytes_of(package.parts["fpkd"][path])))
    return bool(scripts)


@change
def without_lights(package, dice):
    """Without arrays and harmonics. The main part may be an empty archive."""
    for path in [path for path in package.parts["fpk"]]:
        del package.parts["fpk"][path]
    for path, dataset in package.datasets():
        if dataset.of_kind(*FILES, "TppLightProbeSHCoefficients"):
            del package.parts["fpkd"][path]
    return bool(package.parts["fpkd"])


@change
def only_other_files(package, dice):
    """Without DataSets and light files. The data part is an empty archive."""
    package.parts["fpkd"].clear()
    for path in [path for path in package.parts["fpk"] if path.endswith((".grxla", ".grxoc", ".lpsh"))]:
        del package.parts["fpk"][path]
    return bool(package.parts["fpk"])


# ------------------------------------------------------------------ in folders

@file_change
def notes_beside(files, stem, dice):
    """Notes and other files that people keep in mod folders."""
    for name, text in (("readme.txt", b"made\n"), ("made.fox2.xml", b"<fox />"), ("made.meta", b"{}"), (".gitkeep", b""), (".hidden/x.fox2", b"no")):
        for part in ("fpk", "fpkd"):
            if any(file.startswith(f"{stem}_{part}/") for file in files):
                files[f"{stem}_{part}/Assets/{name}"] = text
    return True


@file_change
def backups_beside(files, stem, dice):
    """Files that editors and systems leave in folders. Packers skip them."""
    made = False
    for name in [name for name in files if re.search("_fpkd?/", name) and name.endswith((".fox2", ".grxla", ".lpsh"))]:
        folder = name.rpartition("/")[0]
        for other in (f"{name}.bak", f"{name}.orig", f"{name}.old", f"{name}~", f"{name}.tmp", f"{folder}/Thumbs.db", f"{folder}/desktop.ini", f"{folder}/.DS_Store",
                      f"{folder}/notes", f"{folder}/made.psd"):
            files[other] = files[name] if other.startswith(name) else b"made\n"
            made = True
    return made


@file_change
def paths_encrypted(files, stem, dice):
    """Encrypted paths in archives, one or all, as in Ground Zeroes."""
    made = False
    for name in [name for name in files if name.endswith((".fpk", ".fpkd"))]:
        data = bytearray(files[name])
        rows = range(48, 48 + 48 * int.from_bytes(data[0x24:0x28], "little"), 48)
        for row in [row for row in rows if rows[0] + 48 * dice.randrange(2 * len(rows)) <= row]:
            start, length = (int.from_bytes(data[at:at + 8], "little") for at in (row + 16, row + 24))
            data[start:start + length] = bytes(byte ^ 0xA5 for byte in data[start:start + length])
            made = True
        files[name] = bytes(data)
    return made


@file_change
def names_like_parts(files, stem, dice):
    """Files and folders that look like a part or its archive but are neither."""
    one = next((file for file in files if file.endswith(".fox2")), None)
    for name in ("_fpk_old/a.txt", "_fpkd2/b.txt", "_fpk.txt", "_fpk.zip", ".fpk.bak", ".fpkd.xml.bak", "_FPK.txt", "fpk/c.txt", "_fpkx/_fpk.txt"):
        files[stem + name] = b"text\n"
    if one:
        files[f"{stem}_fpkd.old/{one.rpartition('/')[2]}"] = files[one]
    return True


@file_change
def extension_upper(files, stem, dice):
    for part in ("fpk", "fpkd"):
        if f"{stem}.{part}" in files and not any(name.startswith(f"{stem}_") for name in files):
            files[f"{stem}.{part.upper()}"] = files.pop(f"{stem}.{part}")
            files.pop(f"{stem}.{part}.xml", None)
    return any(name.endswith((".FPK", ".FPKD")) for name in files)


@file_change
def manifests_of_windows(files, stem, dice):
    """Manifests with a byte order mark, CR LF, other quotes, a comment, a character reference."""
    for name in [name for name in files if name.endswith((".fpk.xml", ".fpkd.xml"))]:
        text = files[name].decode().replace("<Entries>", "<!-- made -->\n  <Entries>").replace("/Assets", "&#x2F;Assets")
        text = re.sub(r'FpkType="(\w+)"', r"FpkType='\1'", text).replace('"1.0"?', '"1.0" encoding="utf-8"?')
        files[name] = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    return True


@file_change
def stem_with_dots(files, stem, dice):
    """Package names with dots, blanks, or the ending of a part in the middle."""
    fresh = dice.choice((f"{stem}.v1.2", f"{stem}_fpkd_x", f"{stem} copy", f"a.fpk_{stem}", f"{stem}-\u00fc"))
    renamed = {name.replace(stem, fresh, 1): data for name, data in files.items() if not name.endswith(".xml")}
    files.clear()
    files.update(renamed)
    return True


@file_change
def loose(files, stem, dice):
    """Files without package folders: only their contents are known."""
    fresh = {name.replace(f"{stem}_fpkd/", "mod/").replace(f"{stem}_fpk/", "mod/"): data for name, data in files.items() if "_fpk" in name}
    if not fresh:
        return False
    files.clear()
    files.update((name, data) for name, data in fresh.items() if not name.endswith((".lua", ".nav2", ".tcvp")))
    return True


@file_change
def archive_in_part(files, stem, dice):
    """An archive inside a part is a plain file of that part."""
    part = next((f"{stem}_{part}" for part in ("fpk", "fpkd") if any(file.startswith(f"{stem}_{part}/") for file in files)), None)
    if not part:
        return False
    for name in [name for name in files if name.endswith(".xml")]:
        del files[name]
    files[f"{part}/Assets/tpp/pack/inner.fpk"] = Archive("fpk").write()
    return True


@file_change
def manifests_that_are_none(files, stem, dice):
    """Files whose names only look like manifests. No package is assumed."""
    for name in [name for name in files if name.endswith(".xml")]:
        del files[name]
    files[f"{stem}.fpk.xml.txt"] = b"<ArchiveFile"
    files[f"{stem}.fox2.xml"] = b"<fox"
    return True


@file_change
def manifests_without_xml_files(files, stem, dice):
    """XML and text files in a folder need not be listed in the manifest."""
    part = next((part for part in ("fpk", "fpkd") if any(file.startswith(f"{stem}_{part}/") for file in files)), None)
    if part:
        files[f"{stem}_{part}/Assets/tpp/made.fox2.xml"] = b"<fox />"
        files[f"{stem}_{part}/Assets/tpp/made.TXT"] = b"text"
    return bool(part)
