"""Practice questions for guests: prepared ahead, marked at once, never stored.

Their numbers come from the half that practice may ask, by the code by which practice draws. A page
carries a question's signed number. Rows exist in memory only, for the code that shows and explains
answers. The exercises at the end of sections (exercises.py) are prepared and marked here too.
"""

from collections.abc import Mapping
from functools import lru_cache
from secrets import randbelow
from typing import Any

from django.core import signing

from quizzes import problems
from quizzes.models import Answer, Grade, Item, Variant, Wording
from quizzes.models.wordings import wording_key
from quizzes.problems.answers import Draft, Shown, cell_field, grid_of, nest, nest_as_grid

# Each takes about a minute, by hand or with the calculator beside it.
FAMILIES: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("weighted_value", {"tokens": 2, "width": 2}),
    ("embedding_lookup", {"tokens": 2, "width": 2}),
    ("dot_score", {"width": 2}),
    ("scale_row", {"tokens": 2}),
    ("softmax_row", {"tokens": 2}),
)
SEEDS = 10
PREPARED = SEEDS * len(FAMILIES)
# Long enough to leave a page open and return to it.
SECONDS_TO_ANSWER = 12 * 60 * 60
POINTS = 1

_SALT = "quizzes.trying"


class InvalidSignature(ValueError):
    """The text names none of our questions, or was signed too long ago."""


def first_number() -> int:
    """Return the number of a first question: always of the first family, with random numbers."""
    return randbelow(SEEDS) * len(FAMILIES)


def sign_number(number: int) -> str:
    """Return the signed number of a prepared question, for a page to carry."""
    return signing.dumps(number, salt=_SALT)


def unsign_number(text: str) -> int:
    """Return the number that was signed.

    Raises:
        InvalidSignature: it was not signed here, or too long ago.
    """
    try:
        number = signing.loads(text, salt=_SALT, max_age=SECONDS_TO_ANSWER)
    except signing.BadSignature:
        raise InvalidSignature(text[:20]) from None
    if not (type(number) is int and 0 <= number < PREPARED):
        raise InvalidSignature(text[:20])  # an earlier release prepared more
    return number


def next_number(number: int) -> int:
    """Return the number of the next question, which is of another family."""
    return (number + 1) % PREPARED


def guest_item(number: int) -> Item:
    """Return a prepared question as an unsaved item with nothing typed."""
    seed, which = divmod(number, len(FAMILIES))
    return prepared_item(problems.kind_of(*FAMILIES[which]), seed)


def prepared_item(kind: str, seed: int, *, position: int = 1, has_hole: bool = False) -> Item:
    """Return a prepared problem of a kind as an unsaved item with nothing typed.

    One that `has_hole` asks for its last typed step alone: those before it are filled in.

    Raises:
        UnknownKind: none can be drawn.
    """
    variant, wording = _prepared(kind, seed, has_hole)
    return Item(
        position=position, place=1, points=POINTS, variant=variant, wording=wording, draft={}
    )


def given_steps(asked: Shown) -> list[str]:
    """Return the keys of the steps that are filled in where a problem has a hole."""
    return [step["key"] for step in asked["steps"] if not step["choices"]][:-1]


def mark_guest_item(item: Item) -> tuple[Answer, Grade]:
    """Return an unsaved answer with the grade of the item's draft, by the usual marker."""
    raw = nest(item.asked, {**_filled_in(item.asked), **item.draft})
    (mark,) = problems.mark_numeric([(vars(item.variant), raw, item.points)])
    answer = Answer(item=item, raw=raw)
    return answer, Grade(
        answer=answer,
        points=float(mark.points),
        out_of=float(mark.out_of),
        verdict=mark.verdict,
        mistake=mark.mistake,
        steps=mark.steps,
        core_version=problems.CORE_VERSION,
    )


def _filled_in(asked: Shown) -> Draft:
    """Return what is filled in for the learner, as if they had typed it."""
    return {
        cell_field(step["key"], row, column): str(value)
        for step in asked["steps"]
        for row, column, value in step["fixed"]
    }


# Each is drawn once in a process, when first asked: a few milliseconds.
@lru_cache(maxsize=1024)
def _prepared(kind: str, seed: int, has_hole: bool) -> tuple[Variant, Wording]:
    if has_hole:
        variant, whole = _prepared(kind, seed, False)
        data = _with_hole(whole.data, variant.solution)
        return variant, Wording(id=wording_key(data), data=data)
    (columns,) = problems.draw_samples(kind, [f"to try {seed}"])
    data = problems.variant_wording(columns)
    return Variant(**columns), Wording(id=wording_key(data), data=data)


def _with_hole(asked: Shown, solution: Mapping[str, Any]) -> dict[str, Any]:
    given = given_steps(asked)
    return {
        **asked,
        "steps": [
            {**step, "fixed": _all_cells(step, solution[step["key"]])}
            if step["key"] in given
            else step
            for step in asked["steps"]
        ],
    }


def _all_cells(step: Mapping[str, Any], values: Any) -> list[list[Any]]:
    """Return every cell of a step with its value as the step asks for it."""
    rows, columns = grid_of(step["shape"])
    grid = nest_as_grid(values)
    return [
        [row, column, round(grid[row][column], step["decimals"])]
        for row in range(rows)
        for column in range(columns)
    ]
