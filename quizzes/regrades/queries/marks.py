"""Current marks of answers, and totals of attempts."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import takewhile
from typing import Any

from django.db.models import Case, Q, QuerySet, When
from django.db.models.functions import Floor

from quizzes.models import Grade, Ruling, RulingLine, Submission, Wording
from quizzes.models.plain_json import cast_to_text, parse_texts
from quizzes.models.steps import step_of
from quizzes.regrades.queries.regrades import active_regrades, covers
from quizzes.regrades.rules import AttemptTotal, CurrentMark, mark_from_row

Kind = Ruling.Kind

_NUMBERS = ("words", "givens", "solution", "tolerance")


# Marks


def latest_grades(answers: Q) -> QuerySet[Grade]:
    """Return the latest grades of these answers, as far as they are marked."""
    return Grade.objects.latest().filter(answers, answer__submission__state=Submission.State.GRADED)


def current_marks(
    answers: Q, *, quiz: int, numbers: bool, before: Ruling | None = None
) -> list[CurrentMark]:
    """Return the latest marks of these answers, with their variants' numbers if `numbers`.

    Tolerances are those of the active regrades, or of those accepted before the regrade `before`.
    """
    columns = (*_COLUMNS, *(_NUMBER_COLUMNS if numbers else ()))
    rows = list(latest_grades(answers).values_list(*columns))
    if not rows:
        return []
    columns = list(zip(*rows, strict=True))
    raws = parse_texts(columns[_RAW])
    steps = parse_steps(columns[_STEPS])
    variants = _variants(columns) if numbers else [None] * len(rows)
    wordings = Wording.objects.read(row[_WORDING] for row in rows if row[_QUESTION])
    adjusted = adjusted_by_hand(quiz)
    marks = [
        CurrentMark(
            *row[:_MARK],
            mark_from_row(*row[_MARK:_STEPS], steps[row[_STEPS]]),
            *row[_STEPS + 1 : _WORDING],
            raw=raw,
            wording=wordings.get(row[_WORDING]),
            numbers=variant,
            by_hand=row[_ANSWER] in adjusted,
        )
        for row, raw, variant in zip(rows, raws, variants, strict=True)
    ]
    stood = list(takewhile(lambda each: each != before, active_regrades(quiz)))
    return [mark_under_regrades(stood, each) for each in marks] if stood else marks


def mark_under_regrades(stood: Sequence[Ruling], mark: CurrentMark) -> CurrentMark:
    """Return a mark with the version, tolerance, answers and solution that these regrades allow."""
    over = [each for each in stood if covers(each, mark)]
    tolerances = [each.values["tolerance"] for each in over if each.kind == Kind.TOLERANCE]
    versions = [each.values["version"] for each in over if each.corrects]
    return replace(
        mark,
        corrected=versions[-1] if versions else None,
        tolerance=tolerances[-1] if tolerances else "",
        accepts=[
            answer for each in over if each.kind == Kind.ACCEPT for answer in each.values["accept"]
        ],
        accepts_changed=any(each.kind == Kind.REGRADE for each in over),
    )


# In the order of `CurrentMark`, then the columns that are read together for all rows.
_COLUMNS = (
    "answer__item__attempt", "answer__item__position", "answer", "pk",
    "points", "out_of", "verdict", "mistake", cast_to_text("steps"), "core_version",
    "answer__submission__attempt__sitting", "answer__item__slot", "answer__item__variant__family",
    "answer__item__question", "answer__item__variant", "answer__item",
    "answer__item__variant__version", "answer__item__wording", cast_to_text("answer__raw"),
)  # fmt: skip
_NUMBER_COLUMNS = tuple(cast_to_text(f"answer__item__variant__{name}") for name in _NUMBERS)
_ANSWER, _MARK, _STEPS, _FAMILY, _QUESTION = 2, 4, 8, 12, 13
_VERSION, _WORDING, _RAW = 16, 17, 18


def parse_steps(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Parse each different text once, as many are equal."""
    if not texts:
        return {}
    different = list(dict.fromkeys(texts))
    read = parse_texts(different)
    return {
        text: [step_of(step) for step in steps] for text, steps in zip(different, read, strict=True)
    }


def _variants(columns: Sequence[Sequence[Any]]) -> list[Mapping[str, Any] | None]:
    families, versions = columns[_FAMILY], columns[_VERSION]
    numbers = zip(*map(parse_texts, columns[_RAW + 1 :]), strict=True)
    return [
        dict(zip(("family", "version", *_NUMBERS), (family, version, *each), strict=True))
        if family
        else None
        for family, version, each in zip(families, versions, numbers, strict=True)
    ]


def adjusted_by_hand(quiz: int) -> set[int]:
    """Return the answers of a quiz that were adjusted by hand."""
    adjusting = Ruling.objects.accepted().filter(quiz=quiz, kind=Kind.ADJUST)
    lines = RulingLine.objects.appending().filter(ruling__in=adjusting)
    return set(lines.values_list("answer", flat=True))


def totals(attempts: Collection[int]) -> dict[int, AttemptTotal]:
    """Return the totals of those attempts that are marked.

    Points that are not whole are summed exactly from the steps.
    """
    attempt = "answer__submission__attempt"
    marked = Grade.objects.counting().filter(answer__submission__state=Submission.State.GRADED)
    grades = marked.latest().filter(**{f"{attempt}__in": list(attempts)})
    steps = Case(When(points=Floor("points"), then=None), default=cast_to_text("steps"))
    rows = list(grades.values_list(attempt, "points", "out_of", steps))
    parts = _points([row[3] for row in rows if row[3] is not None])
    whole: dict[int, float] = defaultdict(float)
    below: dict[int, float] = defaultdict(float)
    rest: dict[int, Fraction] = defaultdict(Fraction)
    for pk, points, out_of, text in rows:
        below[pk] += out_of
        if text is None:
            whole[pk] += points
        else:
            rest[pk] += parts[text]
    return {
        pk: AttemptTotal(int(whole[pk]) + rest[pk], Fraction(out_of))
        for pk, out_of in below.items()
    }


def _points(texts: Sequence[str]) -> dict[str, Fraction]:
    return {
        text: sum((Fraction(step["points"]) for step in steps), Fraction())
        for text, steps in parse_steps(texts).items()
    }
