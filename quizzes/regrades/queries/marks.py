"""The marks that answers have now, and the totals of attempts."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile
from typing import Any

from django.db.models import Case, Q, When
from django.db.models.functions import Floor

from quizzes.models import Grade, Ruling, RulingLine, Submission, Wording
from quizzes.models.plain_json import as_text, read_texts
from quizzes.models.steps import step_of
from quizzes.regrades import rules
from quizzes.regrades.queries.rulings import covers, in_force
from quizzes.regrades.rules import Held, Tried, Where, mark_of_row

Kind, State = Ruling.Kind, Ruling.State

_NUMBERS = ("words", "givens", "solution", "tolerance")


# Marks


def held_marks(
    answers: Q, *, quiz: int, numbers: bool, before: Ruling | None = None
) -> dict[int, list[Held]]:
    """The latest marks of these answers, as grades say it, by the attempt; with the numbers of
    their variants where these are wanted. They are held under the rulings that stand, or stood
    before this one.
    """
    columns = (*_COLUMNS, *(_NUMBER_COLUMNS if numbers else ()))
    marked = Grade.objects.latest().filter(answer__submission__state=Submission.State.GRADED)
    rows = list(marked.filter(answers).values_list(*columns))
    if not rows:
        return {}
    columns = list(zip(*rows, strict=True))
    raws = read_texts(columns[_RAW])
    steps = steps_of(columns[_STEPS])
    variants = _variants(columns) if numbers else [None] * len(rows)
    wordings = Wording.objects.read(row[_WORDING] for row in rows if row[_QUESTION])
    adjusted = adjusted_by_hand(quiz)
    stood = list(takewhile(lambda each: each != before, in_force(quiz)))
    tolerances, again = (
        [each for each in stood if each.kind == kind] for kind in (Kind.TOLERANCE, Kind.REGRADE)
    )
    held: dict[int, list[Held]] = defaultdict(list)
    for row, raw, variant in zip(rows, raws, variants, strict=True):
        attempt, answer, grade, revision, *mark, _packed, version = row[: _STEPS + 2]
        where = Where(*row[_WHERE:_RAW])
        held[attempt].append(
            Held(
                answer=answer,
                grade=grade,
                revision=revision,
                mark=mark_of_row(*mark, steps[row[_STEPS]]),
                where=where,
                core_version=version,
                raw=raw,
                wording=wordings.get(row[_WORDING]),
                variant=variant,
                tolerance=tolerance_over(where, tolerances),
                by_hand=answer in adjusted,
                accepts_changed=any(covers(each, where) for each in again),
            )
        )
    return held


def tolerance_over(where: Where, tolerances: Sequence[Ruling]) -> str:
    """Return the tolerance that the last of these gives; "" where none covers it."""
    said = [each.values["tolerance"] for each in tolerances if covers(each, where)]
    return said[-1] if said else ""


_COLUMNS = (
    "answer__item__attempt", "answer", "pk", "revision", "points", "out_of", "verdict", "mistake",
    as_text("steps"), "core_version", "answer__item__wording",
    "answer__submission__attempt__sitting", "answer__item__slot", "answer__item__variant__family",
    "answer__item__question", "answer__item__variant", "answer__item",
    as_text("answer__raw"),
)  # fmt: skip
_NUMBER_COLUMNS = tuple(as_text(f"answer__item__variant__{name}") for name in _NUMBERS)
_STEPS, _WORDING, _WHERE, _QUESTION, _RAW = 8, 10, 11, 14, 17


def steps_of(texts: Sequence[str]) -> dict[str, list[Any]]:
    """What these texts say: many say the same."""
    if not texts:
        return {}
    different = list(dict.fromkeys(texts))
    read = read_texts(different)
    return {
        text: [step_of(step) for step in steps] for text, steps in zip(different, read, strict=True)
    }


def _variants(columns: Sequence[Sequence[Any]]) -> list[Mapping[str, Any] | None]:
    families = columns[_WHERE + 2]
    numbers = zip(*map(read_texts, columns[_RAW + 1 :]), strict=True)
    return [
        dict(zip(("family", *_NUMBERS), (family, *each), strict=True)) if family else None
        for family, each in zip(families, numbers, strict=True)
    ]


def adjusted_by_hand(quiz: int) -> set[int]:
    """The answers of a quiz that somebody adjusted by hand."""
    lines = RulingLine.objects.filter(
        ruling__quiz=quiz,
        ruling__kind=Kind.ADJUST,
        ruling__state__in=[State.WAITING, State.APPLIED],
        outcome__in=[rules.HIGHER, rules.LOWER, rules.CHANGED],
    )
    return set(lines.values_list("answer", flat=True))


@dataclass(frozen=True, slots=True)
class Total:
    """What the latest marks of an attempt come to, exactly."""

    points: Fraction
    out_of: Fraction


def totals(attempts: Collection[int]) -> dict[int, Total]:
    """Of these attempts those that are marked. Whole points are exact; of others the steps are."""
    attempt = "answer__submission__attempt"
    marked = Grade.objects.counting().filter(answer__submission__state=Submission.State.GRADED)
    grades = marked.latest().filter(**{f"{attempt}__in": list(attempts)})
    steps = Case(When(points=Floor("points"), then=None), default=as_text("steps"))
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
    return {pk: Total(int(whole[pk]) + rest[pk], Fraction(out_of)) for pk, out_of in below.items()}


def _points(texts: Sequence[str]) -> dict[str, Fraction]:
    return {
        text: sum((Fraction(step["points"]) for step in steps), Fraction())
        for text, steps in steps_of(texts).items()
    }


def tried(
    held: Mapping[int, Sequence[Held]], *, pass_mark: int, known: Mapping[int, Total] | None = None
) -> list[Tried]:
    """The attempts of these marks, with what each comes to."""
    known = known if known is not None else totals(held)
    nothing = Total(Fraction(), Fraction())
    return [
        Tried(pk, pass_mark, known.get(pk, nothing).points, known.get(pk, nothing).out_of, marks)
        for pk, marks in held.items()
    ]
