"""Recipe statements that write Fox Engine arrays: records of grx_layout.def, with defaults that no rule reports.

Places have the names that the linter uses: entry[1].outer_range, entry[1].name.text, entry[1].light_area.scale.x,
terminator.tag."""
import layouts
from assembler import RecipeError, split_values, unquote

RECORDS, LABELS = layouts.of_family("grx")

LIGHT = {"light_flags": "9", "unknown_14": "3", "translation": "12, 3.5, -40", "color_r": "1", "color_g": "0.5",
         "color_b": "0.25", "color_a": "1", "temperature": "4500", "color_deflection": "0.02", "lumen": "3000",
         "lod_shadow_draw_rate": "1", "lod_far_size": "2.5", "lod_near_size": "10", "lod_radius_level": "4"}
TRANSFORM = {"scale": "10, 8, 10", "rotation": "0, 0, 0, 1", "translation": "12, 3, -40"}
DEFAULTS = {
    "header": {"magic": "FGxL", "first_entry_offset": "0x10", "version": "1"},
    "point_light": LIGHT | {"outer_range": "12", "inner_range": "2", "shadow_bias": "1"},
    "spot_light": LIGHT | {"reach_point": "0, -1, 0", "rotation": "0, 0, 0, 1", "outer_range": "15", "inner_range": "1",
                           "umbra_angle": "90", "penumbra_angle": "30", "attenuation_exponent": "1.2",
                           "shadow_umbra_angle": "80", "shadow_penumbra_angle": "45",
                           "shadow_attenuation_exponent": "1.2", "shadow_bias": "-0.05", "view_bias": "-0.05"},
    "probe": {"local_flags": "17", "inner_scale_positive": "0.8, 0.8, 0.8", "inner_scale_negative": "0.8, 0.8, 0.8",
              "scale": "20, 10, 20", "rotation": "0, 0, 0, 1", "translation": "64, 5, -64", "priority": "50",
              "occlusion_mode_open_rate": "0.5"},
    "terminator": {"entry_size": "8"},
    "light_area": TRANSFORM,
    "irradiation_point": TRANSFORM | {"scale": "1, 1, 1"},
    "inner_area": TRANSFORM | {"scale": "15, 8, 15", "translation": "64, 5, -64"},
    "vertex": {"w": "1"},
    "face": {"flags": "1", "vertex_count": "4"},
}
# Offset fields, and what they point to.
LINKS = {"light_area_offset": "light_area", "irradiation_offset": "irradiation_point",
         "inner_area_offset": "inner_area", "vertex_array_offset": "vertex[0]", "face_array_offset": "face[0]"}
COUNTS = {"vertex_count": "vertex", "face_count": "face"}


class Writer:
    @staticmethod
    def extension(statements):
        return ".grxla"

    def __init__(self, builder):
        self.builder = builder
        self.entry = ""  # path of the current entry
        self.start = 0
        self.entries = self.probes = self.vertices = self.faces = 0
        self.statements = {
            "header": self.header, "dataset": self.dataset, "point": self.point, "spot": self.spot,
            "probe": self.probe, "occluder": self.occluder, "opaque": self.opaque, "vertex": self.vertex,
            "quad": self.quad, "face": self.face,
            "light_area": lambda words: self.tail("light_area", words),
            "irradiation_point": lambda words: self.tail("irradiation_point", words),
            "inner_area": lambda words: self.tail("inner_area", words),
            "terminator": self.terminator, "end": lambda words: self.close()}

    def record(self, path, name, values):
        """Writes a record. An entry is named when it is closed, because it grows after its fixed part."""
        start = self.builder.offset
        self.builder.record(path, RECORDS[name], DEFAULTS.get(name, {}) | values)
        if path != self.entry:
            self.builder.name(path, start, self.builder.offset)

    def header(self, words):
        self.record("header", "header", {"magic": words[0]} | split_values(words[1:]))

    def close(self):
        if self.entry:
            self.builder.name(self.entry, self.start, self.builder.offset)
        self.entry = ""

    def begin(self, record, tag, values):
        """Starts an entry with its fixed part. Offsets, counts and size depend on what follows."""
        self.close()
        self.entry, self.start = f"entry[{self.entries}]", self.builder.offset
        self.entries += 1
        self.vertices = self.faces = 0
        fields = {f.name for f in RECORDS[record].fields}
        derived = {f: f"link({self.entry}.{target})" for f, target in LINKS.items() if f in fields}
        derived |= {f: f"count({self.entry}.{target})" for f, target in COUNTS.items() if f in fields}
        self.record(self.entry, record, {"tag": tag, "entry_size": f"size({self.entry})"} | derived | values)

    def named(self, record, tag, words, label="name"):
        """Starts an entry with a name block. The word `unnamed` instead of the name leaves the string out."""
        if not words:
            raise RecipeError("a name in quotes or the word unnamed is missing")
        name, values = words[0], split_values(words[1:])
        if name == "unnamed":
            self.begin(record, tag, values)
            return
        at = f"entry[{self.entries}].{label}"
        self.begin(record, tag, {"name_hash": f"strcode64({name})", "name_offset": f"link({at})"} | values)
        self.string(label, name)

    def string(self, label, quoted):
        at, builder = f"{self.entry}.{label}", self.builder
        start, length = builder.offset, len(unquote(quoted))
        builder.add(f"{at}.text", "text", quoted)
        builder.add(f"{at}.terminator", "zeros", "1")
        builder.add(f"{at}.padding", "zeros", str(-(length + 1) % 4))
        builder.name(at, start, builder.offset)

    def dataset(self, words):
        self.named("dataset", "CM00", words, LABELS["dataset_path"])

    def point(self, words):
        self.named("point_light", words[0], words[1:])

    def spot(self, words):
        self.named("spot_light", words[0], words[1:])

    def probe(self, words):
        self.named("probe", "EP00", words + ([] if any(w.startswith("sh_data_index=") for w in words)
                                             else [f"sh_data_index={self.probes}"]))
        self.probes += 1

    def opaque(self, words):
        self.begin("opaque_entry", words[0], split_values(words[1:]))

    def terminator(self, words):
        self.close()
        self.record("terminator", "terminator", {"tag": '"\\0\\0\\0\\0"'} | split_values(words))

    # -------------------------------------------------------------- after the fixed part

    def tail(self, name, words):
        self.record(f"{self.entry}.{name}", name, split_values(words))

    def occluder(self, words):
        self.begin("occluder", "OC00", split_values(words))

    def place(self, name, number, values):
        self.record(f"{self.entry}.{name}[{number}]", name, values)

    def vertex(self, words):
        self.place("vertex", self.vertices, split_values(words))
        self.vertices += 1

    def quad(self, words):
        """quad CORNER EDGE EDGE: writes the four vertices of a parallelogram."""
        corner, one, two = ([float(number) for number in word.split(",")] for word in words)
        for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
            position = (c + a * d + b * e for c, d, e in zip(corner, one, two, strict=True))
            self.vertex(["position=" + ",".join(f"{x:g}" for x in position)])

    def face(self, words):
        self.place("face", self.faces, {"first_vertex": str(4 * self.faces)} | split_values(words))
        self.faces += 1
