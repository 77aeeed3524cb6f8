"""Reads a report as HTML as a browser would, and refuses what no report may hold: elements, attributes and links that are not ours,
what is not closed, a script, an address outside of the page."""
from html.parser import HTMLParser

TAGS = {"html", "meta", "title", "style", "main", "h1", "h2", "h3", "p", "ul", "ol", "li", "a", "b", "span", "code", "div", "table", "tr", "th", "td",
        "svg", "rect", "details", "summary", "footer", "section", "article"}
ATTRIBUTES = {"lang", "charset", "name", "content", "http-equiv", "id", "class", "href", "scope", "colspan", "tabindex", "viewbox",
              "preserveaspectratio", "aria-hidden", "aria-label", "role", "width", "height", "x", "y", "open"}
OPEN = ["html"]  # what HTML lets stay open


class HtmlPage(HTMLParser):
    """`tables`: rows of the texts of cells; `text`: all words; `cells`: texts of cells that are no charts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.words, self.tables, self.cell, self.charts = [], set(), set(), [], [], None, 0
        self.rects = 0
        assert text.startswith("<!doctype html>\n"), text[:60]
        self.feed(text)
        self.close()
        assert self.open == OPEN, self.open
        assert self.links <= self.ids, self.links - self.ids
        self.text = "".join(self.words)

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS, (tag, self.getpos())
        names = [name for name, _ in attrs]
        assert set(names) <= ATTRIBUTES and len(set(names)) == len(names), (tag, attrs)
        values = dict(attrs)
        if "id" in values:
            assert values["id"] not in self.ids, values
            self.ids.add(values["id"])
        if "href" in values:
            assert values["href"].startswith("#"), values
            self.links.add(values["href"][1:])
        if tag != "meta":
            self.open.append(tag)
        self.rects += tag == "rect"
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = None if values.get("class") == "chart" else []
        elif tag == "span" and values.get("class") == "share" and self.cell:
            self.cell.append(", ")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag != "meta":
            assert self.open and self.open.pop() == tag, (tag, self.getpos())
        if tag in ("td", "th") and self.cell is not None:
            self.tables[-1][-1].append("".join(self.cell))
            self.cell = None

    def handle_data(self, data):
        if self.open[-1:] not in (["style"], ["title"]):
            self.words.append(data)
            if self.cell is not None:
                self.cell.append(data)

    def handle_comment(self, data):
        raise AssertionError(("a comment", data))

    def handle_pi(self, data):
        raise AssertionError(("an instruction", data))

    def unknown_decl(self, data):
        raise AssertionError(("a declaration", data))
