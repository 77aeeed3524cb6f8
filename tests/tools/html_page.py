"""A strict reader of the HTML that reports are made of: every element and every attribute must be one of those that are listed here,
elements nest and are closed, ids are there once, links lead to them or to the web, headings skip no level. What a file could smuggle in as
markup is something else, and refused."""
import re
from html.parser import HTMLParser

VOID = {"html", "meta"}  # whose ends are left out; those of SVG end with "/>"
CLASSES = r"[a-z][a-z -]*"
ANY = {"class": CLASSES, "id": r"[a-z][a-z0-9-]*", "title": r".*", "aria-label": r".+", "aria-hidden": "true", "role": "region|img|group", "tabindex": "0"}
NUMBER, NUMBERS = r"-?[0-9.]+", r"[-0-9., ]+"
SHAPE = {name: NUMBER for name in ("x", "y", "width", "height", "rx", "x1", "y1", "x2", "y2", "cx", "cy", "r", "dx", "dy")} | {
    "d": r"[-MLHVCSQTAZmlhvcsqtaz0-9., ]+", "points": NUMBERS, "transform": r"[a-z]+\([-0-9., ]+\)", "fill": r"#[0-9a-f]{6}|none",
    "stroke": r"#[0-9a-f]{6}|none", "text-anchor": "start|middle|end", "fill-opacity": NUMBER}
ELEMENTS = {
    "html": {"lang": "en"}, "head": {}, "body": {}, "title": {}, "style": {}, "main": {}, "section": {}, "article": {}, "nav": {}, "footer": {},
    "meta": {"charset": "utf-8", "name": "viewport", "content": r"[-a-z0-9=,;:' ]+", "http-equiv": "Content-Security-Policy"},
    "h1": {}, "h2": {}, "h3": {}, "h4": {}, "p": {}, "div": {}, "span": {}, "b": {}, "i": {}, "strong": {}, "code": {}, "br": {},
    "a": {"href": r"#[a-z][a-z0-9-]*|https?://[^\s<>\"]+"}, "dl": {}, "dt": {}, "dd": {}, "ul": {}, "ol": {}, "li": {},
    "figure": {}, "figcaption": {}, "details": {}, "summary": {}, "caption": {},
    "table": {}, "thead": {}, "tbody": {}, "tr": {}, "td": {"colspan": r"\d+"}, "th": {"scope": "row|col", "colspan": r"\d+"},
    "svg": {"viewBox": NUMBERS, "viewbox": NUMBERS, "preserveaspectratio": "[a-zA-Z]+"} | SHAPE,
    "g": SHAPE, "rect": SHAPE, "circle": SHAPE, "ellipse": SHAPE | {"ry": NUMBER}, "line": SHAPE, "path": SHAPE, "polygon": SHAPE, "polyline": SHAPE,
    "text": SHAPE, "tspan": SHAPE,
}


class Page(HTMLParser):
    """.faults: what is wrong, with the line; .elements: (tag, attributes, text in it) in the order of their ends."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.faults, self.elements, self.stack, self.ids, self.links, self.headings = [], [], [], [], [], []
        self.text = text
        self.feed(text)
        self.close()
        if self.stack:
            self.fault(f"not closed: {[tag for tag, _, _ in self.stack]}")
        self.faults += [f"id {name} is there {self.ids.count(name)} times" for name in sorted(set(self.ids)) if self.ids.count(name) > 1]
        self.faults += [f"a link to {name}, which is not there" for name in self.links if name not in set(self.ids)]
        if self.headings.count(1) != 1:
            self.faults.append(f"{self.headings.count(1)} headings of the first level")
        self.faults += [f"a heading {new} below {old}" for old, new in zip([1, *self.headings], self.headings) if new > old + 1]
        if re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", text):
            self.faults.append("a control character")

    def fault(self, why):
        self.faults.append(f"line {self.getpos()[0]}: {why}")

    def look_at(self, tag, attributes):
        if tag not in ELEMENTS:
            return self.fault(f"<{tag}> is none of ours")
        for name, value in attributes:
            allowed = (ANY | ELEMENTS[tag]).get(name)
            if allowed is None or not re.fullmatch(allowed, value or "", re.S):
                self.fault(f"<{tag} {name}={value!r}>")
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.fault(f"<{tag}> has an attribute twice")
        given = dict(attributes)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"][1:]] if given.get("href", "").startswith("#") else []
        self.headings += [int(tag[1])] if re.fullmatch("h[1-6]", tag) else []
        return None

    def handle_starttag(self, tag, attrs):
        self.look_at(tag, attrs)
        if tag not in VOID:
            self.stack.append((tag, dict(attrs), []))

    def handle_startendtag(self, tag, attrs):
        self.look_at(tag, attrs)
        if "svg" not in [name for name, _, _ in self.stack]:
            self.fault(f"<{tag}/> outside of SVG")

    def handle_endtag(self, tag):
        if not self.stack or self.stack[-1][0] != tag:
            self.fault(f"</{tag}> where {[name for name, _, _ in self.stack[-1:]]} is open")
            return
        name, attributes, texts = self.stack.pop()
        self.elements.append((name, attributes, "".join(texts)))

    def handle_data(self, data):
        for _, _, texts in self.stack:
            texts.append(data)

    def handle_comment(self, data):
        self.fault(f"a comment: {data!r}")

    def handle_decl(self, decl):
        if decl != "doctype html" or self.getpos() != (1, 0):
            self.fault(f"<!{decl}>")

    def unknown_decl(self, data):
        self.fault(f"<![{data}")

    def handle_pi(self, data):
        self.fault(f"<?{data}>")

    def texts(self, tag, **wanted):
        """Of the elements with that tag and these attributes; a class is one of theirs."""
        return [text for name, attributes, text in self.elements if name == tag and all(
            value in attributes.get("class", "").split() if key == "cls" else attributes.get(key) == value for key, value in wanted.items())]


class HtmlPage(Page):
    """A page without faults. `tables`: rows of the texts of cells that are no charts; `text`: all words; `rects`: how many there are."""

    def __init__(self, text):
        self.tables, self.cell, self.words, self.rects = [], None, [], 0
        super().__init__(text)
        assert not self.faults, self.faults[:5]
        self.text = "".join(self.words)

    def look_at(self, tag, attributes):
        super().look_at(tag, attributes)
        look = dict(attributes).get("class")
        self.rects += tag == "rect"
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = None if look == "chart" else []
        elif tag == "span" and look == "share" and self.cell:
            self.cell.append(", ")

    def handle_endtag(self, tag):
        super().handle_endtag(tag)
        if tag in ("td", "th") and self.cell is not None:
            self.tables[-1][-1].append("".join(self.cell))
            self.cell = None

    def handle_data(self, data):
        super().handle_data(data)
        if self.stack and self.stack[-1][0] not in ("style", "title"):
            self.words.append(data)
            if self.cell is not None:
                self.cell.append(data)
