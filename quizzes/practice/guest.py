"""Questions for whoever has no account: prepared ahead, marked at once, kept nowhere.

Their numbers come out of the half that practice may ask, by the code by which practice draws. What
a page has of one is its signed number. Rows are made in memory alone, for what shows and explains
an answer to take.
"""

from collections.abc import Mapping
from functools import lru_cache
from secrets import randbelow

from django.core import signing

from quizzes import problems
from quizzes.models import Answer, Grade, Item, Variant, Wording
from quizzes.models.wordings import wording_key
from quizzes.problems.answers import nest

# Each is done in about a minute, by hand or with the calculator beside it.
FAMILIES: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("weighted_value", {"tokens": 2, "width": 2}),
    ("embedding_lookup", {"tokens": 2, "width": 2}),
    ("dot_score", {"width": 2}),
    ("scale_row", {"tokens": 2}),
    ("softmax_row", {"tokens": 2}),
)
SEEDS = 10
PREPARED = SEEDS * len(FAMILIES)
# As long as somebody may leave a page and come back to it.
SECONDS_TO_ANSWER = 12 * 60 * 60
POINTS = 1

_SALT = "quizzes.trying"


class NotSigned(ValueError):
    """This names none of our questions, or did so too long ago."""


def first() -> int:
    """The number of one to begin with: always of the first family, with whichever numbers."""
    return randbelow(SEEDS) * len(FAMILIES)


def signed(number: int) -> str:
    """The number of a prepared question, as a page carries it."""
    return signing.dumps(number, salt=_SALT)


def number_of(text: str) -> int:
    """The number that was signed.

    Raises:
        NotSigned: it was not signed here, or too long ago.
    """
    try:
        number = signing.loads(text, salt=_SALT, max_age=SECONDS_TO_ANSWER)
    except signing.BadSignature:
        raise NotSigned(text[:20]) from None
    if not (type(number) is int and 0 <= number < PREPARED):
        raise NotSigned(text[:20])  # there were more once
    return number


def after(number: int) -> int:
    """The number of the next one, which is of another family."""
    return (number + 1) % PREPARED


def item_to_try(number: int) -> Item:
    """A prepared question as an item that nobody has typed in, and that no row stands for."""
    variant, wording = _prepared(number)
    return Item(position=1, place=1, points=POINTS, variant=variant, wording=wording, draft={})


def marked(item: Item) -> tuple[Answer, Grade]:
    """What its draft earns, by the marker that marks everything."""
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


# Each is drawn once in a process: some milliseconds for one, and none of them before it is asked.
@lru_cache(maxsize=PREPARED)
def _prepared(number: int) -> tuple[Variant, Wording]:
    seed, which = divmod(number, len(FAMILIES))
    family, sizes = FAMILIES[which]
    kind = problems.kind_of(family, sizes)
    (columns,) = problems.draw_to_try(kind, [f"to try {seed}"])
    data = problems.variant_wording(columns)
    return Variant(**columns), Wording(id=wording_key(data), data=data)
