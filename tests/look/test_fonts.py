"""The fonts that ship: small, complete enough, and licensed."""

import re
from pathlib import Path

# The number that WOFF2 has for the table of mathematical layout (section 4.1 of the standard).
MATH = 31
FONTS = Path(__file__).parents[2] / "look/static/look/fonts"


def tables(woff2):
    """The numbers of the tables of a font none of whose tables is transformed."""
    count = int.from_bytes(woff2[12:14])
    found, at = [], 48
    for _ in range(count):
        found.append(woff2[at] & 63)
        at += 1 + 4 * (found[-1] == 63)
        while woff2[at] & 128:  # the table's length, seven bits a byte
            at += 1
        at += 1
    return found


def test_text_fonts_are_under_100_kb_together():
    text = [font for font in FONTS.glob("*.woff2") if font.stem != "softmark-math"]

    assert len(text) == 3
    assert sum(font.stat().st_size for font in text) < 100_000


def test_the_maths_font_is_small_and_keeps_its_maths():
    font = FONTS / "softmark-math.woff2"

    assert font.stat().st_size < 100_000
    assert MATH in tables(font.read_bytes())


def test_every_font_named_in_the_tokens_is_there():
    tokens = (FONTS.parent / "tokens.css").read_text()

    named = set(re.findall(r'url\("fonts/([^"]+)"\)', tokens))

    assert named == {font.name for font in FONTS.glob("*.woff2")}
    assert tokens.count("font-display: swap") == len(named)


def test_licences_travel_with_the_fonts():
    notes = (FONTS / "LICENSES.md").read_text()

    assert {path.name for path in FONTS.glob("*.txt")} == {
        "OFL-Inter.txt",
        "OFL-Source-Serif-4.txt",
        "GUST.txt",
    }
    for font in FONTS.glob("*.woff2"):
        assert font.name in notes
