"""Pages as programs read them: tags with their attributes, and the text."""

import re
from html.parser import HTMLParser

VOID = {"input", "meta", "link", "br", "hr", "img", "wbr"}


class Page(HTMLParser):
    """Every start tag of a response in order, with the ids of its ancestors."""

    def __init__(self, response):
        super().__init__()
        self.tags, self.words, self._open = [], [], []
        self.html = response.content.decode()
        self.feed(self.html)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes, tuple(self._open)))
        if tag not in VOID:
            self._open.append(attributes.get("id", tag))

    def handle_endtag(self, tag):
        if self._open:
            self._open.pop()

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words))

    def all(self, tag, inside=None, **wanted):
        """Return the attributes of every such tag, within an element of this id if one is named."""
        return [
            attributes
            for found, attributes, within in self.tags
            if found == tag
            and (inside is None or inside in within)
            and all(
                attributes.get(name.replace("_", "-")) == value for name, value in wanted.items()
            )
        ]

    def addresses(self, inside="main"):
        """Return where the links and the buttons with an address of their own lead, in order."""
        return [
            attributes.get("href") or attributes["formaction"]
            for tag, attributes, within in self.tags
            if inside in within and (tag == "a" or "formaction" in attributes)
        ]

    def values(self, form=None):
        """Return what a browser would send of the page's inputs."""
        values = {}
        for attributes in self.all("input", inside=form):
            kind = attributes.get("type", "text")
            if kind != "radio" or "checked" in attributes:
                values[attributes["name"]] = attributes.get("value", "")
        return values
