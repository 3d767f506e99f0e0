"""Every widget can be inserted from the author's menu, with an example that works.

So can the one that the guide adds, by its two files alone.
"""

import re
import sys
from pathlib import Path

import pytest

from lessons import widgets
from lessons.authoring.services import import_lesson
from lessons.pages.downloads import DOWNLOADS_MARK
from lessons.rendering import render_markdown
from tests.each import each

CONTRIBUTING = Path(__file__).parents[3] / "CONTRIBUTING.md"


@each("name", widgets.names())
def test_the_example_of_a_widget_renders(name):
    example = widgets.example(name)
    assert example.startswith(f"```{name}\n")
    assert render_markdown(f"Before.\n\n{example}\n\nAfter.")


def test_a_widget_says_in_a_line_what_it_shows():
    assert [name for name in widgets.names() if not widgets.widget(name).about] == []


@each("name", widgets.names())
def test_a_widget_has_one_place_for_its_links_if_it_has_a_sheet(name):
    shown = render_markdown(widgets.example(name))
    assert shown.count(DOWNLOADS_MARK) == (widgets.widget(name).sheet is not None)


@pytest.fixture
def guide_widget(tmp_path, monkeypatch, settings):
    """The guide's widget, as if its files were beside those of the others."""
    guide = CONTRIBUTING.read_text().partition("## Add a widget")[2]
    for path, language in (
        ("widgets/cosine.py", "python"),
        ("templates/lessons/widgets/cosine.html", "html"),
    ):
        (text,) = re.findall(rf"```{language}\n(.*?)```", guide, re.DOTALL)
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text)
    first, *others = settings.TEMPLATES
    settings.TEMPLATES = [first | {"DIRS": [tmp_path / "templates"]}, *others]
    monkeypatch.setattr(widgets, "__path__", [*widgets.__path__, str(tmp_path / "widgets")])
    widgets._widgets.cache_clear()
    yield
    widgets._widgets.cache_clear()
    sys.modules.pop("lessons.widgets.cosine", None)


def test_the_widget_that_the_guide_adds_is_shown_and_taken_along(client, db, guide_widget):
    assert "cosine" in widgets.names()
    section = f"## One {{#one}}\n\n{widgets.example('cosine')}\n"
    import_lesson(text=f"---\nslug: added\ntitle: Added\npublished: true\n---\n\n{section}")
    page = client.get("/lessons/added/").text
    assert "<p>Their cosine is 0.960.</p>" in page
    assert DOWNLOADS_MARK not in page
    assert 'href="/lessons/added/one/numbers-1.xlsx"' in page
    numbers = client.get("/lessons/added/one/numbers-1.csv").content.decode("utf-8-sig")
    assert numbers == "a\r\n3,4\r\n\r\nb\r\n4,3\r\n\r\nTheir cosine\r\n0.96\r\n\r\n"
    assert client.get("/lessons/added/one/numbers-1.xlsx").content.startswith(b"PK")
