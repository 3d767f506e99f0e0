"""Every text colour is readable on its background, in both themes."""

import itertools

import pytest

from design.matrix import HEAT_STEPS
from design.verdicts import SIGNS
from tests.design.colours import Colour, contrast, palette
from tests.each import each

THEMES = ("light", "dark")
READABLE = 4.5
VISIBLE = 3.0  # borders of controls, and rings


def test_contrast_is_the_one_of_the_standard():
    black, white = Colour(0, 0, 0), Colour(1, 0, 0)
    assert contrast(black, white) == pytest.approx(21, abs=0.01)
    # #6335be on #fcfaf6, worked out by hand from the standard's formula
    assert contrast(Colour(0.47, 0.2, 292), Colour(0.985, 0.005, 85)) == pytest.approx(7.2, abs=0.1)


@pytest.mark.parametrize("theme", THEMES)
def test_every_number_reads_on_its_heat(theme):
    colours = palette(theme)
    for step in range(HEAT_STEPS):
        ink = colours["heat-ink-low" if step <= 6 else "heat-ink-high"]
        assert contrast(ink, colours[f"heat-{step}"]) >= READABLE, step


@pytest.mark.parametrize("theme", THEMES)
def test_heat_steps_are_even_in_lightness(theme):
    colours = palette(theme)
    lightness = [colours[f"heat-{step}"].lightness for step in range(HEAT_STEPS)]
    steps = [b - a for a, b in itertools.pairwise(lightness)]
    assert max(steps) - min(steps) <= 0.002
    assert abs(steps[0]) > 0.03


@each("theme", THEMES)
@each(
    "ink, under",
    [
        ("ink", "paper"),
        ("ink", "paper-sunk"),
        ("ink", "paper-field"),
        ("ink", "accent-tint"),
        ("ink", "paper-raised"),
        ("ink-soft", "paper-raised"),
        ("accent", "paper-raised"),
        ("ink-soft", "paper"),
        ("ink-soft", "paper-sunk"),
        ("accent", "paper"),
        ("accent", "paper-sunk"),
        ("accent-strong", "paper-field"),
        ("accent-ink", "accent"),
        ("accent-ink", "accent-strong"),
        *(
            (kind, f"{kind}-tint")
            for kind in SIGNS
            if kind not in ("waiting", "open", "unreadable")
        ),
        *(("ink", f"{kind}-tint") for kind in ("right", "near", "mistake", "wrong", "blank")),
        ("wrong", "paper"),
    ],
)
def test_text_reads_on_its_ground(theme, ink, under):
    colours = palette(theme)
    assert contrast(colours[ink], colours[under]) >= READABLE


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(
    ("line", "under"), [("edge", "paper"), ("edge", "paper-sunk"), ("accent", "paper")]
)
def test_controls_can_be_made_out(theme, line, under):
    colours = palette(theme)
    assert contrast(colours[line], colours[under]) >= VISIBLE


@pytest.mark.parametrize("theme", THEMES)
def test_every_colour_can_be_shown(theme):
    """Browsers map a colour outside sRGB to another one, with another contrast."""
    outside = {
        name: colour
        for name, colour in palette(theme).items()
        if not all(-0.002 <= part <= 1.002 for part in colour.linear_rgb)
    }
    assert not outside
