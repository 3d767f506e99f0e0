"""Pages stay light: lessons that ship use the characters of fonts that every page fetches."""

import re
from html import unescape
from pathlib import Path

import pytest

from lessons.authoring.services import import_lesson
from tests.lessons.conftest import CONTENT

TOKENS = Path(__file__).parents[3] / "design/static/design/tokens.css"
# What the font of formulas draws: formulas, and the lesson's sign.
FORMULA = re.compile(r'<math.*?</math>|<span class="lesson-icon".*?</span>', re.S)
FILES = sorted((CONTENT / "lessons").glob("*.md"))


def seldom(font: str) -> set[str]:
    """Return the characters for which a browser fetches the second file of a font."""
    face = TOKENS.read_text().split(f"{font}-more.woff2")[1].partition("}")[0]
    ends = re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", face)
    return {chr(c) for a, b in ends for c in range(int(a, 16), int(b or a, 16) + 1)}


def math_italic(letter: str) -> str:
    """Return the italic as which a lone letter in <mi> is drawn, at a code point of its own."""
    for first, italic in (("a", 0x1D44E), ("A", 0x1D434), ("α", 0x1D6FC)):
        if 0 <= ord(letter) - ord(first) < 26:
            return "ℎ" if letter == "h" else chr(italic + ord(letter) - ord(first))
    return "𝜕" if letter == "∂" else letter


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_lesson_that_ships_needs_few_files_and_no_second_one_of_a_font(client, db, file):
    lesson = import_lesson(text=file.read_text(encoding="utf-8"))
    html = client.get(lesson.get_absolute_url()).text
    named = re.findall(r'(?:href|src)="/?static/(lessons/[^"]+)"', html)
    assert named == ["lessons/page.css", "lessons/page.js"]
    formulas = "".join(FORMULA.findall(html))
    lone = "".join(map(math_italic, map(unescape, re.findall(r"<mi>([^<]|&\w+;)</mi>", formulas))))
    words = re.sub(r"<mi>([^<]|&\w+;)</mi>", "", formulas)
    assert sorted(seldom("math") & set(lone + unescape(re.sub(r"<[^>]+>", "", words)))) == []
    prose = unescape(re.sub(r"<[^>]+>", "", FORMULA.sub("", html)))
    assert sorted(seldom("serif") & set(prose)) == []


@pytest.mark.parametrize(
    ("font", "text", "wanted"),
    [
        ("math", "The $d_k$.", True),
        ("math", "The width.", False),
        ("serif-italic", "A *stressed* word.", True),
        ("serif-italic", "A word.", False),
    ],
)
def test_a_font_is_asked_for_at_once_where_it_is_needed(client, db, font, text, wanted):
    lesson = import_lesson(
        text=f"---\nslug: one\ntitle: One\npublished: true\n---\n\n## A {{#a}}\n\n{text}\n"
    )
    head = client.get(lesson.get_absolute_url()).text.partition("</head>")[0]
    assert (f"softmark-{font}.woff2" in head) == wanted
