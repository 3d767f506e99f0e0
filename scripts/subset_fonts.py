"""Make the site's fonts from the published ones; run by hand, and seldom.

The fonts are committed. To make them again, in a virtual environment of its own with
fonttools and brotli, with the sources unpacked side by side in one folder:

    inter/         npm package inter-ui
    source-serif/  npm package source-serif
    lm-math/       latinmodern-math.otf of Debian's fonts-lmodern

    python scripts/subset_fonts.py SOURCES design/static/design/fonts

Both text fonts have reserved or well-known names, and the results are modified; so they are
named Softmark Sans, Softmark Serif and Softmark Math.

Each is made in two files: the characters of nearly every page, and the rest (-more), which browsers
fetch for a page with one of its characters: the printed unicode-range belongs into tokens.css.
"""

import io
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables import otTables
from fontTools.ttLib.tables._g_l_y_f import Glyph, GlyphComponent
from fontTools.varLib import instancer

SUPERSCRIPT_T = "uni1D40"


def characters(*parts: str | tuple[int, int]) -> set[int]:
    """Return a set of code points, given as text or as first and last."""
    found: set[int] = set()
    for part in parts:
        if isinstance(part, str):
            found |= {ord(c) for c in part}
        else:
            found |= set(range(part[0], part[1] + 1))
    return found


TEXT = characters(
    (0x20, 0x7E),
    (0xA0, 0xFF),
    "ŒœŠšŽžŸŁłıČčĆćĐđŚśŻżŹźĘęĄąŃńŘřĚěĞğİŞşŐőŰű",
    "‘’“”‚„–—…•‹›′″€‰\u2007\u2008\u2009\u200a\u202f",
    "−×÷±·√∞≈≠≤≥∑∂←→↑↓↔↗½¼✓✗",
    "αβγδεθλμπστφψωΔΣΩ",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ₀₁₂₃₄₅₆₇₈₉ₖᵢⱼₙ",
)
# The characters of nearly every page.
PLAIN = characters(
    (0x20, 0x7E), "\u00a0\u2007\u2008\u2009\u200a\u202f‘’“”–—…•·°é", "−×÷±√∞≈≠≤≥→←½²₀₁₂₃ₖᵢⱼₙ✓✗"
)
ITALIC = characters((0x1D434, 0x1D467), "ℎ")
ITALIC_GREEK = characters((0x1D6FC, 0x1D71B))
MATHS = (
    characters(
        (0x20, 0x7E),
        (0x391, 0x3A1),
        (0x3A3, 0x3A9),
        (0x3B1, 0x3C9),
        (0x1D400, 0x1D433),  # bold
        (0x1D7CE, 0x1D7D7),  # bold figures
        "\u00a0±×÷·¬°′″‴‖…–—‘’“”ϵϑϕϱϖℝℕℤℚℂ𝔼ℙ𝟙ℒℓ",
        "−∓∗∘∙√∝∞∠∣∥∧∨∩∪∫∑∏∐∴∼≃≅≈≠≡≤≥≪≫⊂⊃⊆⊇⊕⊖⊗⊙⊤⊥⋅⋮⋯⋰⋱⌈⌉⌊⌋⟨⟩",
        "←↑→↓↔↦⇐⇒⇔⟶⟵⟹∀∂∃∅∇∈∉∋\u0302\u0303\u0304\u0307\u0308\u20d7⏞⏟⏠⏡",
        "\u2061\u2062\u2063\u2064ˆ˜¯˙¨",
    )
    | ITALIC
    | ITALIC_GREEK
)
# The characters of formulas in lessons and worked solutions.
PLAIN_MATHS = (
    characters(
        (0x30, 0x39),
        (0x41, 0x5A),
        (0x61, 0x7A),
        " ()[]+,-./:;!?=<>|\u00a0·×÷±′…‖−∞∑√∂∈∣∥≈≠≤≥⊙⊤⋅⋯→←↦⟶ℝ\u2061\u2062\u2063\u2064",
        "αβγδεημλπστϵ𝛼𝛽𝛾𝛿𝜀𝜂𝜃𝜆𝜇𝜋𝜎𝜏𝜖𝜕",
    )
    | ITALIC
)
# Characters of sub- and superscripts that have their own glyph there.
SCRIPTS = characters((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A), "+=,()−′⊤∞αβγθλμπστ") | (
    ITALIC | ITALIC_GREEK
)
PLAIN_SCRIPTS = characters((0x30, 0x39), "+=,()−′⊤∞") | ITALIC


def main(sources: Path, target: Path) -> None:
    inter = sources / "inter/variable/InterVariable.woff2"
    serif = sources / "source-serif/WOFF2/VAR"
    kern = ["kern", "ccmp", "locl", "mark"]
    text_font(
        inter,
        target / "softmark-sans.woff2",
        {"opsz": 14, "wght": (400, 600)},
        [*kern, "tnum", "case"],
        "Softmark Sans",
    )
    text_font(
        serif / "SourceSerif4Variable-Roman.ttf.woff2",
        target / "softmark-serif.woff2",
        {"opsz": 16, "wght": (400, 650)},
        [*kern, "liga", "tnum"],
        "Softmark Serif",
    )
    text_font(
        serif / "SourceSerif4Variable-Italic.ttf.woff2",
        target / "softmark-serif-italic.woff2",
        {"opsz": 16, "wght": 400},
        [*kern, "liga"],
        "Softmark Serif",
    )
    maths_font(sources / "lm-math/latinmodern-math.otf", target / "softmark-math.woff2")


def text_font(source: Path, target: Path, axes: dict, features: list, name: str) -> None:
    """Write two subsets of a variable font, its axes pinned or narrowed."""
    for file, unicodes in ((target, PLAIN), (rare_characters_file(target), TEXT - PLAIN)):
        font = TTFont(source)
        limit_alternates(font, "tnum", characters((0x30, 0x39)))
        font = subset_font(font, unicodes, features)
        font = instancer.instantiateVariableFont(font, axes)
        if ord("T") in unicodes:
            add_superscript_t(font)
        save(font, file, name)
    print(f"{rare_characters_file(target).name}: {ranges(TEXT - PLAIN, PLAIN)}")


def maths_font(source: Path, target: Path) -> None:
    """Write two subsets with their MATH table, and script forms of the usual symbols alone."""
    rest = MATHS - PLAIN_MATHS
    for file, unicodes, scripts in (
        (target, PLAIN_MATHS, PLAIN_SCRIPTS),
        (rare_characters_file(target), rest, SCRIPTS),
    ):
        font = TTFont(source)
        limit_alternates(font, "ssty", scripts)
        save(subset_font(font, unicodes, ["ssty", "dtls"]), file, "Softmark Math")
    print(f"{rare_characters_file(target).name}: {ranges(rest, PLAIN_MATHS)}")


def rare_characters_file(target: Path) -> Path:
    """Return the path of the file with the rarer characters."""
    return target.with_stem(f"{target.stem}-more")


def ranges(unicodes: set[int], others: set[int]) -> str:
    """Format code points as a unicode-range of CSS, with short gaps that the others leave free."""
    runs: list[list[int]] = []
    for code in sorted(unicodes):
        if runs and code - runs[-1][1] <= 32 and others.isdisjoint(range(runs[-1][1], code)):
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return ", ".join(f"U+{a:X}" if a == b else f"U+{a:X}-{b:X}" for a, b in runs)


def limit_alternates(font: TTFont, feature: str, unicodes: set[int]) -> None:
    """Limit a feature to these characters, and to one other form of each.

    Inter's tabular figures come with tabular hyphens and points, which tear words and
    numbers apart; and half of the maths font is glyphs for the scripts of rare signs.
    """
    cmap = font.getBestCmap()
    kept = {cmap[c] for c in unicodes if c in cmap}
    for record in font["GSUB"].table.FeatureList.FeatureRecord:
        if record.FeatureTag != feature:
            continue
        for index in record.Feature.LookupListIndex:
            for table in font["GSUB"].table.LookupList.Lookup[index].SubTable:
                table = getattr(table, "ExtSubTable", table)
                if hasattr(table, "mapping"):
                    table.mapping = {a: b for a, b in table.mapping.items() if a in kept}
                else:
                    table.alternates = {a: b[:1] for a, b in table.alternates.items() if a in kept}


def subset_font(font: TTFont, unicodes: set[int], features: list[str]) -> TTFont:
    """Return the font with these characters alone, written and read again."""
    options = subset.Options()
    options.layout_features = features
    options.hinting = False
    options.notdef_outline = True
    options.drop_tables += ["DSIG", "FFTM"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=unicodes)
    subsetter.subset(font)
    font.flavor = None
    buffer = io.BytesIO()
    font.save(buffer)
    buffer.seek(0)
    return TTFont(buffer)


def add_superscript_t(font: TTFont) -> None:
    """Draw ᵀ, which neither text font has, as a raised and smaller T."""
    cap_height = font["OS/2"].sCapHeight
    part = GlyphComponent()
    part.glyphName, part.flags = "T", 0x0204  # scaled offsets off, round to grid
    scale = 0.62
    part.transform = [[scale, 0], [0, scale]]
    part.x, part.y = 0, round(cap_height * (1.06 - scale))
    glyph = Glyph()
    glyph.numberOfContours, glyph.components = -1, [part]

    width, _ = font["hmtx"]["T"]
    order = [*font.getGlyphOrder(), SUPERSCRIPT_T]
    font.setGlyphOrder(order)
    font["glyf"].glyphOrder = order
    font["glyf"].glyphs[SUPERSCRIPT_T] = glyph
    glyph.recalcBounds(font["glyf"])
    font["hmtx"][SUPERSCRIPT_T] = (round(width * scale), glyph.xMin)
    for table in font["cmap"].tables:
        table.cmap[0x1D40] = SUPERSCRIPT_T
    if "gvar" in font:
        font["gvar"].variations[SUPERSCRIPT_T] = []
    if "HVAR" in font:
        advances = font["HVAR"].table.AdvWidthMap
        if advances is None:
            # Then widths are looked up by glyph number: read them from gvar instead.
            del font["HVAR"]
        else:
            advances.mapping[SUPERSCRIPT_T] = otTables.NO_VARIATION_INDEX


def save(font: TTFont, target: Path, family: str) -> None:
    """Write the font under its own name."""
    names = font["name"]
    for record in list(names.names):
        if record.nameID in (1, 3, 4, 6, 16, 25):
            value = family.replace(" ", "") if record.nameID in (6, 25) else family
            names.setName(value, record.nameID, record.platformID, record.platEncID, record.langID)
    if "CFF " in font:
        font["CFF "].cff.fontNames = [family.replace(" ", "")]
    font.flavor = "woff2"
    font.save(target)
    print(
        f"{target.name}: {target.stat().st_size / 1000:.1f} kB, {len(font.getGlyphOrder())} glyphs"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
