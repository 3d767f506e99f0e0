"""Forms read off a page as a browser reads them, with the values it would send."""

from html.parser import HTMLParser


class _Reader(HTMLParser):
    """The values of every form of a page, in its order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[dict[str, list[str]]] = []
        self._form: dict[str, list[str]] = {}
        self._text: str | None = None
        self._select = ""
        self._options: list[tuple[str, bool]] = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        name = found.get("name", "")
        if tag == "form":
            self._form = {}
            self.forms.append(self._form)
        elif "disabled" in found:
            return
        elif tag == "input" and found.get("type") in ("checkbox", "radio"):
            if "checked" in found:
                self._form.setdefault(name, []).append(found.get("value") or "on")
        elif tag == "input" and name and found.get("type") not in ("submit", "button", "file"):
            self._form.setdefault(name, []).append(found.get("value") or "")
        elif tag == "textarea":
            self._text = ""
            self._name = name
        elif tag == "select":
            self._select, self._options = name, []
            self._is_many = "multiple" in found
        elif tag == "option":
            self._options.append((found.get("value", "") or "", "selected" in found))

    def handle_data(self, data):
        if self._text is not None:
            self._text += data

    def handle_endtag(self, tag):
        if tag == "textarea" and self._text is not None:
            # A browser leaves out the first line break, and sends its own.
            text = self._text.removeprefix("\n").replace("\r\n", "\n").replace("\n", "\r\n")
            self._form.setdefault(self._name, []).append(text)
            self._text = None
        elif tag == "select" and self._select:
            chosen = [value for value, is_chosen in self._options if is_chosen]
            if not chosen and not self._is_many:
                chosen = [value for value, _chosen in self._options[:1]]
            if chosen:
                self._form.setdefault(self._select, []).extend(chosen)
            self._select = ""


def form_with(html: str, name: str) -> dict[str, list[str]]:
    """Return what a browser would send of the first form that has a field of this name."""
    return next(form for form in _Reader(html).forms if name in form)
