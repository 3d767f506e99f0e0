"""Practice questions for guests: prepared ahead, marked at once, never stored.

Their numbers come from the half that practice may ask, by the code by which practice draws. A page
carries a question's signed number. Rows exist in memory only, for the code that shows and explains
answers.
"""

from collections.abc import Mapping
from functools import lru_cache
from secrets import randbelow

from django.core import signing

from quizzes import problems
from quizzes.models import Answer, Grade, Item, Variant, Wording
from quizzes.models.wordings import wording_key
from quizzes.problems.answers import nest

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
    variant, wording = _prepared(number)
    return Item(position=1, place=1, points=POINTS, variant=variant, wording=wording, draft={})


def mark_guest_item(item: Item) -> tuple[Answer, Grade]:
    """Return an unsaved answer with the grade of the item's draft, by the usual marker."""
    raw = nest(item.asked, item.draft)
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


# Each is drawn once in a process, when first asked: a few milliseconds.
@lru_cache(maxsize=PREPARED)
def _prepared(number: int) -> tuple[Variant, Wording]:
    seed, which = divmod(number, len(FAMILIES))
    family, sizes = FAMILIES[which]
    kind = problems.kind_of(family, sizes)
    (columns,) = problems.draw_samples(kind, [f"to try {seed}"])
    data = problems.variant_wording(columns)
    return Variant(**columns), Wording(id=wording_key(data), data=data)
