"""Parses an HTML report and rejects what a report must not contain. Only the listed elements and attributes are
allowed. Elements nest and are closed, ids are unique, links lead to an id or to a page on the web, headings skip no
level, and there are no control characters. So markup smuggled in by a file is detected."""
import re
from html.parser import HTMLParser

VOID = {"html", "meta"}  # elements without an end tag; those of SVG end with "/>"
ANY = {"class": r"[a-z][a-z -]*", "id": r"[a-z][A-Za-z0-9_.-]*", "title": r".*", "aria-label": r".+", "aria-hidden": "true", "role": "region|img|group",
       "tabindex": "0"}
NUMBER, NUMBERS = r"-?[0-9.]+", r"[-0-9., ]+"
SHAPE = {name: NUMBER for name in ("x", "y", "width", "height", "rx", "ry", "x1", "y1", "x2", "y2", "cx", "cy", "r", "dx", "dy", "fill-opacity")} | {
    "d": r"[-MLHVCSQTAZmlhvcsqtaz0-9., ]+", "points": NUMBERS, "transform": r"[a-z]+\([-0-9., ]+\)", "fill": r"#[0-9a-f]{6}|none", "color": r"#[0-9a-f]{6}",
    "stroke": r"#[0-9a-f]{6}|none", "text-anchor": "start|middle|end"}
PLAIN = ("head body title style main section article nav footer h1 h2 h3 h4 p div span b i strong code br dl dt dd ul ol li figure figcaption summary "
         "caption table thead tbody tr")
ELEMENTS = dict.fromkeys(PLAIN.split(), {}) | dict.fromkeys("g rect circle ellipse line path polygon polyline text tspan".split(), SHAPE) | {
    "html": {"lang": "en"}, "meta": {"charset": "utf-8", "name": "viewport", "content": r"[-a-z0-9=,;:' ]+", "http-equiv": "Content-Security-Policy"},
    "a": {"href": r"#[A-Za-z0-9_.-]+|https?://[^\s<>\"]+"}, "details": {"open": "|open"}, "td": {"colspan": r"\d+"}, "th": {"scope": "row|col", "colspan": r"\d+"},
    "svg": SHAPE | {"viewbox": NUMBERS, "preserveaspectratio": "[a-zA-Z]+"}}
HIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class HtmlPage(HTMLParser):
    """`source`; `text`: all words; `elements`: (tag, attributes, text in it), in the order of their end tags;
    `tables`: rows of cell texts, without charts and signs; `rects`: number of rects."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.source, self.open, self.elements, self.ids, self.links, self.levels = source, [], [], [], [], []
        self.words, self.tables, self.cell, self.rects, self.faults = [], [], None, 0, []
        assert source.startswith("<!doctype html>\n"), source[:60]
        self.feed(source)
        self.close()
        self.demand(not self.open, f"not closed: {[tag for tag, _, _ in self.open]}")
        self.demand(len(set(self.ids)) == len(self.ids), f"duplicate ids: {sorted({one for one in self.ids if self.ids.count(one) > 1})[:5]}")
        self.demand(set(self.links) <= set(self.ids), f"links that lead nowhere: {sorted(set(self.links) - set(self.ids))[:5]}")
        self.demand(self.levels.count(1) == 1 and all(new <= old + 1 for old, new in zip([0, *self.levels], self.levels)), f"headings: {self.levels[:20]}")
        self.demand(not HIDDEN.search(source), "a control character")
        assert not self.faults, self.faults[:5]
        self.text = "".join(self.words)

    def demand(self, holds, why):
        if not holds:
            self.faults.append(f"line {self.getpos()[0]}: {why}")

    def look_at(self, tag, attributes):
        self.demand(tag in ELEMENTS, f"<{tag}> is not allowed")
        names = [name for name, _ in attributes]
        self.demand(len(names) == len(set(names)), f"<{tag}> has an attribute twice")
        for name, value in attributes:
            allowed = (ANY | ELEMENTS.get(tag, {})).get(name)
            self.demand(allowed is not None and re.fullmatch(allowed, value or "", re.S), f"<{tag} {name}={value!r}>")
        values = dict(attributes)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values["href"][1:]] if (values.get("href") or "").startswith("#") else []
        self.levels += [int(tag[1])] if re.fullmatch("h[1-6]", tag) else []
        self.rects += tag == "rect"
        return values

    def handle_starttag(self, tag, attrs):
        values = self.look_at(tag, attrs)
        if tag not in VOID:
            self.open.append((tag, values, []))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = None if values.get("class") == "chart" else []
        elif tag == "span" and values.get("class") == "share" and self.cell:
            self.cell.append(", ")

    def handle_startendtag(self, tag, attrs):
        self.look_at(tag, attrs)
        self.demand("svg" in [name for name, _, _ in self.open], f"<{tag}/> outside of SVG")

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.demand(False, f"</{tag}> where {[name for name, _, _ in self.open[-1:]]} is open")
            return
        name, attributes, texts = self.open.pop()
        self.elements.append((name, attributes, "".join(texts)))
        if tag in ("td", "th") and self.cell is not None:
            self.tables[-1][-1].append("".join(self.cell).lstrip())
            self.cell = None

    def handle_data(self, data):
        for _, _, texts in self.open:
            texts.append(data)
        if self.open and self.open[-1][0] not in ("style", "title"):
            self.words.append(data)
            if self.cell is not None and not any("aria-hidden" in attributes for _, attributes, _ in self.open):
                self.cell.append(data)

    def handle_comment(self, data):
        self.demand(False, f"a comment: {data!r}")

    def handle_decl(self, decl):
        self.demand(decl == "doctype html" and self.getpos() == (1, 0), f"<!{decl}>")

    def unknown_decl(self, data):
        self.demand(False, f"<![{data}")

    def handle_pi(self, data):
        self.demand(False, f"<?{data}>")

    def texts(self, tag, **wanted):
        """Texts of the elements with this tag and these attributes; cls: one of the element's classes."""
        return [text for name, attributes, text in self.elements if name == tag and all(
            value in attributes.get("class", "").split() if key == "cls" else attributes.get(key) == value for key, value in wanted.items())]
