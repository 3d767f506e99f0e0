"""The fonts that ship: small, complete enough, and licensed."""

import re
from pathlib import Path

import pytest

# The number that WOFF2 has for the table of mathematical layout (section 4.1 of the standard).
MATH = 31
FONTS = Path(__file__).parents[2] / "design/static/design/fonts"


def tables(woff2):
    """Return the tags' numbers in a font without transformed tables."""
    count = int.from_bytes(woff2[12:14])
    found, at = [], 48
    for _ in range(count):
        found.append(woff2[at] & 63)
        at += 1 + 4 * (found[-1] == 63)
        while woff2[at] & 128:  # the table's length, seven bits a byte
            at += 1
        at += 1
    return found


def test_what_every_page_fetches_is_under_60_kb_and_text_under_110_kb_together():
    text = [font for font in FONTS.glob("*.woff2") if "math" not in font.stem]
    plain = [font for font in text if not font.stem.endswith("-more")]
    assert (len(plain), len(text)) == (3, 6)
    assert sum(font.stat().st_size for font in plain) < 60_000
    assert sum(font.stat().st_size for font in text) < 110_000


@pytest.mark.parametrize("name", ["softmark-math", "softmark-math-more"])
def test_the_maths_fonts_are_small_and_keep_their_maths(name):
    font = FONTS / f"{name}.woff2"
    assert font.stat().st_size < 35_000
    assert MATH in tables(font.read_bytes())


def test_every_font_named_in_the_tokens_is_there():
    tokens = (FONTS.parent / "tokens.css").read_text()
    named = set(re.findall(r'url\("fonts/([^"]+)"\)', tokens))
    assert named == {font.name for font in FONTS.glob("*.woff2")}
    assert len(re.findall("font-display: (?:swap|optional)", tokens)) == tokens.count("url(")


def test_licences_travel_with_the_fonts():
    notes = (FONTS / "LICENSES.md").read_text()
    licences = {"OFL-Inter.txt", "OFL-Source-Serif-4.txt", "GUST.txt"}
    assert {path.name for path in FONTS.glob("*.txt")} == licences
    for font in FONTS.glob("*.woff2"):
        assert font.name in notes
