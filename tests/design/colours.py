"""Perceived colours: OKLCH as in the style sheet, and WCAG's contrast."""

import math
import re
from pathlib import Path
from typing import NamedTuple

TOKENS = Path(__file__).parents[2] / "design/static/design/tokens.css"
_OKLCH = r"oklch\(([\d.]+)% ([\d.]+) ([\d.]+)\)"


class Colour(NamedTuple):
    lightness: float
    chroma: float
    hue: float

    @property
    def linear_rgb(self) -> tuple[float, float, float]:
        """Return linear sRGB by https://bottosson.github.io/posts/oklab/; screens show 0 to 1."""
        a = self.chroma * math.cos(math.radians(self.hue))
        b = self.chroma * math.sin(math.radians(self.hue))
        long = (self.lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
        medium = (self.lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
        short = (self.lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
        return (
            4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
            -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
            -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
        )

    @property
    def luminance(self) -> float:
        red, green, blue = (min(max(part, 0.0), 1.0) for part in self.linear_rgb)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    low, high = sorted((one.luminance, other.luminance))
    return (high + 0.05) / (low + 0.05)


def palette(theme: str) -> dict[str, Colour]:
    """Return the named colours of one theme, "light" or "dark"."""
    found = re.findall(rf"--([\w-]+): light-dark\({_OKLCH}, {_OKLCH}\);", TOKENS.read_text())
    first = 1 if theme == "light" else 4
    return {
        name[0]: Colour(float(name[first]) / 100, float(name[first + 1]), float(name[first + 2]))
        for name in found
    }
