"""Decorative figures for the lessons in the catalogue.

Shades are weights measured on a real model; arrows are drawn as in the lessons. A lesson with an
unknown slug gets the figure of causal attention.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from design.matrix import heat_level
from lessons.models import Lesson
from lessons.plane import Plane
from lessons.real_model import maps

# In the units of the drawing, and how much larger it is shown.
WIDTH, HEIGHT, SCALE = 96, 64, 1.25
CELL, GAP = 9, 1


def thumbnail_of(lesson: Lesson) -> SafeString:
    """Return the figure of this lesson."""
    return _drawn(lesson.slug if lesson.slug in _FIGURES else "")


@cache
def _drawn(name: str) -> SafeString:
    inside = _FIGURES[name]() if name else _looking_back()
    return format_html(
        '<svg class="line-figure" viewBox="0 0 {} {}" width="{}" height="{}" aria-hidden="true"'
        ' focusable="false">{}</svg>',
        WIDTH,
        HEIGHT,
        round(WIDTH * SCALE),
        round(HEIGHT * SCALE),
        inside,
    )


# Shapes


def _joined(shapes: Iterable[SafeString]) -> SafeString:
    return format_html_join("", "{}", ((shape,) for shape in shapes))


def _rect(x: float, y: float, width: float, height: float, look: str) -> SafeString:
    return format_html(
        '<rect x="{}" y="{}" width="{}" height="{}" rx="1" class="{}"/>', x, y, width, height, look
    )


def _path(line: str, look: str) -> SafeString:
    return format_html('<path d="{}" class="{}"/>', line, look)


def _dot(x: float, y: float, look: str, radius: float = 3) -> SafeString:
    return format_html('<circle cx="{}" cy="{}" r="{}" class="{}"/>', x, y, radius, look)


def _grid(weights: Sequence[Sequence[float]], x: float, y: float, cell: float = CELL) -> SafeString:
    """Return weights as cells, darker for more: a path for each shade."""
    shades: dict[int, str] = {}
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            corner = f"M{x + (cell + GAP) * j:g} {y + (cell + GAP) * i:g}"
            level = heat_level(weight)
            shades[level] = f"{shades.get(level, '')}{corner}h{cell}v{cell}h-{cell}z"
    return _joined(_path(line, f"heat-{level}") for level, line in sorted(shades.items()))


def _cells(rows: int, columns: int, x: float, y: float, lit: Callable[[int, int], bool]):
    return _joined(
        _rect(
            x + (CELL + GAP) * j,
            y + (CELL + GAP) * i,
            CELL,
            CELL,
            "shape-lit" if lit(i, j) else "shape",
        )
        for i in range(rows)
        for j in range(columns)
    )


def _brackets(rows: int, columns: int, x: float, y: float) -> SafeString:
    """Return the brackets of a matrix of cells at x, y."""
    left, right = x - 2.5, x + (CELL + GAP) * columns + 1.5
    top, high = y - 2, (CELL + GAP) * rows + 3
    return _path(f"M{left + 2} {top}h-2v{high}h2M{right - 2} {top}h2v{high}h-2", "bracket")


def _arrows(tips: Iterable[tuple[Sequence[float], str]], x: float, y: float) -> SafeString:
    """Return arrows from an origin at x, y; one unit of theirs is half the height."""
    plane = Plane(reach=1)
    drawn = _joined(_path(plane.arrow(tip), look) for tip, look in tips)
    return format_html('<g transform="translate({} {}) scale(0.3)">{}</g>', x, y, drawn)


# Figures


def _measured(which: int) -> Sequence[Sequence[float]]:
    """Return the weights between a sentence's words in one head, without its two special tokens."""
    head = maps.attention_map("animal_it").heads[which]
    return [row[1:-1] for row in head.weights[1:-1]]


def _rows_times_columns() -> SafeString:
    return _joined(
        [
            _cells(3, 2, 8, 26, lambda i, _j: i == 1),
            _cells(2, 3, 40, 4, lambda _i, j: j == 1),
            _cells(3, 3, 40, 26, lambda i, j: (i, j) == (1, 1)),
            _brackets(3, 2, 8, 26),
            _brackets(2, 3, 40, 4),
            _brackets(3, 3, 40, 26),
            _path("M31 40.5h5M54.5 25v9", "thread"),
        ]
    )


def _weights() -> SafeString:
    places = [8.5 + 7 * place for place in range(8)]
    return _joined(
        [
            _grid([row[:8] for row in _measured(3)[:8]], 24, 5.5, cell=6),
            *(_dot(20, y, "dot", 1.25) for y in places),
            *(_dot(18.5 + y, 2, "dot", 1.25) for y in places),
        ]
    )


def _two_ways() -> SafeString:
    """Return one vector, and the two that it becomes."""
    tips = (((-0.35, 0.95), "arrow"), ((0.75, 0.75), "arrow"), ((0.2, 0.5), "arrow-soft"))
    axes = _path("M6 56H92M46 62V3M26 54.5v3M66 54.5v3M44.5 36h3M44.5 16h3", "axis")
    return _joined(
        [axes, _arrows(tips, 46, 56), *(_dot(x, y, "dot", 1.5) for x, y in ((24, 22), (80, 36)))]
    )


def _mean() -> SafeString:
    corners = [(14, 52), (82, 46), (44, 8)]
    shares = (0.2, 0.3, 0.5)
    x = sum(share * corner[0] for share, corner in zip(shares, corners, strict=True))
    y = sum(share * corner[1] for share, corner in zip(shares, corners, strict=True))
    hull = " ".join(f"{a},{b}" for a, b in corners)
    return _joined(
        [
            format_html('<polygon points="{}" class="hull"/>', hull),
            *(_path(f"M{a} {b}L{x:.1f} {y:.1f}", "thread") for a, b in corners),
            *(
                _dot(a, b, "dot", 1.5 + 7 * share)
                for share, (a, b) in zip(shares, corners, strict=True)
            ),
            _dot(round(x, 1), round(y, 1), "dot-lit"),
        ]
    )


def _steps() -> SafeString:
    """Return words, their vectors, their weights and their blend."""
    rows = [row[3:6] for row in _measured(3)[3:6]]
    return _joined(
        [
            _cells(3, 1, 4, 17, lambda _i, _j: False),
            _path("M17 31.5h6", "thread"),
            _grid(rows, 27, 17),
            _path("M60 31.5h6", "thread"),
            _cells(3, 2, 70, 17, lambda i, _j: i == 2),
            _brackets(3, 1, 4, 17),
            _brackets(3, 3, 27, 17),
            _brackets(3, 2, 70, 17),
        ]
    )


def _stack() -> SafeString:
    """Return blocks on top of each other, and the residual stream beside them."""
    return _joined(
        [
            _path("M22 62V2", "stream"),
            *(_rect(34, y, 54, 14, "shape") for y in (4, 24)),
            _rect(34, 44, 54, 14, "shape-lit"),
            *(
                _path(
                    f"M22 {y}h12M40 {y - 3}h8v6h-8zm13 0h8v6h-8zm13 0h8v6h-8zm13 0h4v6h-4z",
                    "thread",
                )
                for y in (11, 31)
            ),
            _path("M22 51h12", "thread"),
            *(_dot(22, y, "join", 2.5) for y in (11, 31, 51)),
        ]
    )


def _arcs() -> SafeString:
    """Return arcs from one word to all before it, as thick as their weights."""
    row = _measured(0)[8][:9]
    places = [6 + 10.5 * place for place in range(9)]
    here = places[8]
    return _joined(
        [
            *(
                format_html(
                    '<path d="M{} 50Q{} {} {} 50" class="arc" stroke-width="{}"/>',
                    here,
                    (here + place) / 2,
                    50 - (here - place) * 0.85,
                    place,
                    round(0.4 + 6 * weight, 2),
                )
                for place, weight in zip(places[:8], row[:8], strict=True)
            ),
            *(_dot(place, 54, "dot") for place in places[:8]),
            _dot(here, 54, "dot-lit"),
        ]
    )


def _looking_back() -> SafeString:
    """Return the weights of causal attention."""
    size = range(6)
    return _grid([[1 / (i + 1) if j <= i else 0.0 for j in size] for i in size], 18, 2)


_FIGURES: dict[str, Callable[[], SafeString]] = {
    "primer": _rows_times_columns,
    "attention-foundations": _weights,
    "one-word-two-contexts": _two_ways,
    "learning-how-to-mix": _mean,
    "embeddings-to-attention": _steps,
    "the-whole-block": _stack,
    "attention-and-transformers": _arcs,
}
