"""Recipe statements that write light-probe harmonics: records of lpsh_layout.def, with defaults that no rule reports.
Statements only collect; the file is written at the end of the recipe.

Places have the names that the linter uses: header.file_size, parameter[0].value, time[3].seconds, probe[1].flags,
probe_name[1].text, sets[1].set[13].band_1[2]."""
import layouts
from assembler import RecipeError, split_list, split_values
from strcode64 import strcode64

RECORDS, _ = layouts.of_family("lpsh")

UNIT = 16
PARAMETERS = {"numLightProbes": "count(probe)", "numDiv": "count(time)", "formatType": "1"}
# Coefficients like those of baked light: smaller after band 0, and sky visibility below 0.
SET = {"band_0_color": "1, 0.5, 0.25", "band_0_sky_visibility": "-0.75",
       "band_1": ", ".join(f"{(-1) ** n * mean}" for n in range(3) for mean in (-0.875, 0.375, -0.125, 0.5)),
       "band_2": ", ".join(f"{(-1) ** n * mean}" for n in range(5) for mean in (0.25, 0.125, -0.0625, -0.1875))}


class Writer:
    @staticmethod
    def extension(statements):
        return ".lpsh"

    def __init__(self, builder):
        self.builder = builder
        self.values = {"header": {}, "node": {}}
        self.parameters = {}  # name: fields
        self.times, self.probes, self.sets = [], [], {}  # sets: (probe, set): fields
        self.statements = {"harmonics": self.harmonics, "node": self.node, "parameter": self.parameter,
                           "times": self.add_times, "probe": self.probe, "coefficients": self.coefficients}

    # -------------------------------------------------------------- collecting

    def harmonics(self, words):
        self.values["header"] = {"version": "4"} | split_values(words)
        known = list(PARAMETERS)[:2 if self.values["header"]["version"] == "3" else 3]
        self.parameters = {name: {"value": PARAMETERS[name]} for name in known}

    def node(self, words):
        self.values["node"] = split_values(words)

    def parameter(self, words):
        values = split_values(words[1:])
        if "left_out" in values:
            del self.parameters[words[0]]
            return
        self.parameters[words[0]] = self.parameters.get(words[0], {}) | values

    def add_times(self, words):
        self.times += split_list(" ".join(words))

    def probe(self, words):
        self.probes.append((words[0], split_values(words[1:])))

    def coefficients(self, words):
        self.sets[len(self.probes) - 1, int(words[0])] = split_values(words[1:])

    # -------------------------------------------------------------- writing

    def record(self, path, name, values):
        start = self.builder.offset
        self.builder.record(path, RECORDS[name], values)
        self.builder.name(path, start, self.builder.offset)

    def string(self, path, quoted):
        self.builder.add(f"{path}.text", "text", quoted)
        self.builder.add(f"{path}.terminator", "zeros", "1")

    def pad(self, unit=UNIT):
        self.builder.add("", "align", str(unit))

    def header(self):
        self.record("header", "header", {"node_offset": "node", "file_size": "size(whole)", "name_offset": "name.text",
                                         "name_hash": "0x3A855820"} | self.values["header"])
        self.record("node", "node", {"flags": "1", "data_offset": "data - node", "data_size": "end(whole) - data",
                                     "parameter_offset": "parameter[0] - node"} | self.values["node"])
        self.string("name", '"LightProbeSHCoefficients"')
        self.builder.add("", "zeros", str(0x70 - self.builder.offset))
        for i, (name, values) in enumerate(self.parameters.items()):
            at = f"parameter[{i}]"
            self.record(at, "parameter",
                        {"next_offset": "16" if i + 1 < len(self.parameters) else "0",
                         "name_hash": str(strcode64(name.encode()) & 0xFFFFFFFF), "name_offset": f"parameter_name[{i}].text - {at}.name_hash"} | values)
        for i, name in enumerate(self.parameters):
            self.string(f"parameter_name[{i}]", f'"{name}"')
            self.pad()

    def set_count(self, flags):
        by_time = len(self.times) if flags & 1 else 1
        return by_time * (2 if flags & 2 else 1) + (2 if flags & 4 else 0) + (1 if flags & 8 else 0)

    def close(self):
        if not self.values["header"]:
            raise RecipeError("the statement harmonics is missing")
        self.header()
        data = self.builder.offset
        for i, time in enumerate(self.times):
            self.record(f"time[{i}]", "time", {"seconds": time})
        self.pad()
        for i, (_, values) in enumerate(self.probes):
            self.record(f"probe[{i}]", "probe", {"name_offset": f"probe_name[{i}].text", "data_offset": f"sets[{i}]"} | values)
        self.pad()
        for i, (name, _) in enumerate(self.probes):
            self.string(f"probe_name[{i}]", name)
        self.pad()
        for i, (_, values) in enumerate(self.probes):
            start = self.builder.offset
            for k in range(self.set_count(int(values.get("flags", "0"), 0))):
                self.record(f"sets[{i}].set[{k}]", "set", SET | self.sets.get((i, k), {}))
            self.builder.name(f"sets[{i}]", start, self.builder.offset)
        self.pad()
        self.builder.name("data", data, self.builder.offset)
        self.builder.name("whole", 0, self.builder.offset)
