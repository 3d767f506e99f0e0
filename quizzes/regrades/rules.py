"""The marks that a regrade gives. Nothing here touches the database; points stay exact."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from operator import attrgetter
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from quizzes import problems
from quizzes.models import APPENDING_OUTCOMES, Ruling, RulingLine
from quizzes.passing import is_passed
from quizzes.problems import Marked, verdicts
from quizzes.problems.answers import CHOICE_STEP

Kind, Outcome = Ruling.Kind, RulingLine.Outcome
ALSO, INSTEAD, EVERYBODY = "also", "instead", "everybody"
# The outcomes that the decision itself can give; stale ones are found later.
DECIDED_OUTCOMES = tuple(way.value for way in Outcome if way != Outcome.STALE)

# The scopes that each kind of regrade allows. The first that a scope allows is what it begins with.
SCOPES: Mapping[str, tuple[str, ...]] = {
    Kind.KEY: ("question",),
    Kind.ACCEPT: ("family", "slot", "variant"),
    Kind.REGRADE: ("all", "slot", "family", "variant", "item"),
    Kind.VOID: ("slot", "family", "question", "variant", "all"),
    Kind.POINTS: ("slot",),
    Kind.TOLERANCE: ("family", "slot"),
    Kind.ADJUST: ("item",),
}
MAX_POINTS = 1000
MAX_TOLERANCE = Decimal(10)


def value_errors(
    regrade: Ruling, *, choices: Collection[Any] = (), out_of: Fraction | None = None
) -> dict[str, str]:
    """Return an error message for each invalid value of a regrade, by name.

    Args:
        choices: what can be accepted: every choice that the concept question ever offered, or
            every mistake that was made at a step of a problem. Or the versions to mark again by.
        out_of: the points that the adjusted item is out of.
    """
    if regrade.scope not in SCOPES[regrade.kind]:
        return {"scope": _("This kind of regrade isn’t possible here. Choose another kind.")}
    if regrade.kind == Kind.KEY:
        return _key_errors(regrade.values, choices)
    if regrade.kind == Kind.ACCEPT:
        return _accept_errors(regrade.values, choices)
    if regrade.kind == Kind.REGRADE and regrade.values.get("version") not in (None, *choices):
        return {"version": _("This version can’t be used here. Choose another one.")}
    if regrade.kind == Kind.POINTS:
        points = parse_number(regrade.values.get("points"))
        if points is None or not 1 <= points <= MAX_POINTS or points != int(points):
            words = _(
                "Enter a whole number from 1 to %(most)s. To make a question not count, void it."
            )
            return {"points": words % {"most": MAX_POINTS}}
    if regrade.kind == Kind.TOLERANCE:
        tolerance = parse_number(regrade.values.get("tolerance"))
        if tolerance is None or not 0 < tolerance <= MAX_TOLERANCE:
            words = _("Enter a number above 0, up to %(most)s, such as 0.01.")
            return {"tolerance": words % {"most": MAX_TOLERANCE}}
    if regrade.kind == Kind.ADJUST:
        points = parse_number(regrade.values.get("points"))
        if points is None or points < 0 or (out_of is not None and points > out_of):
            words = _("Enter a number from 0 to %(most)s, such as 0.5.")
            return {"points": words % {"most": "…" if out_of is None else float(out_of)}}
    return {}


def _key_errors(values: Mapping[str, Any], choices: Collection[str]) -> dict[str, str]:
    if values.get("mode") not in (ALSO, INSTEAD, EVERYBODY):
        return {"mode": _("Choose how to change the answer key.")}
    if values["mode"] == EVERYBODY:
        return {}
    accept = values.get("accept") or []
    if not accept:
        return {"accept": _("Select at least one right choice.")}
    if not set(accept) <= set(choices):
        return {"accept": _("Nobody was offered this choice.")}
    return {}


def _accept_errors(values: Mapping[str, Any], made: Collection[str]) -> dict[str, str]:
    accept = values.get("accept") or []
    if not accept:
        return {"accept": _("Select at least one answer to accept.")}
    if not set(accept) <= set(made):
        return {"accept": _("Nobody gave this answer.")}
    return {}


def parse_number(text: object) -> Decimal | None:
    """Parse a plain number from a short text; None if it is none.

    >>> parse_number("0,5"), parse_number("nan"), parse_number("1e9")
    (Decimal('0.5'), None, None)
    """
    tidy = str(text).strip().replace(",", ".")
    return Decimal(tidy) if _NUMBER.fullmatch(tidy) else None


_NUMBER = re.compile(r"[0-9]{1,6}(\.[0-9]{0,6})?|\.[0-9]{1,6}")


# Marks and their changes


class AttemptTotal(NamedTuple):
    """The sum of the latest marks of an attempt, exactly."""

    points: Fraction
    out_of: Fraction

    @property
    def share(self) -> Fraction:
        """The share of the points that is earned; 0 if there are no points."""
        return self.points / self.out_of if self.out_of else Fraction()

    def after(self, changes: Iterable[tuple[Marked, Marked]]) -> "AttemptTotal":
        """Return the total once the first mark of each pair has become the second."""
        points, out_of = self
        for old, new in changes:
            points += new.points - old.points
            out_of += new.out_of - old.out_of
        return AttemptTotal(points, out_of)


@dataclass(frozen=True, slots=True, eq=False)
class CurrentMark:
    """An answer's current mark, and as much of its question as a regrade reads.

    Attributes:
        grade: the primary key of its grade; `sitting` to `item` are keys that a scope can name.
        wording: of a concept question; None for a numeric one.
        numbers: of a numeric question's variant, if the regrade reads them.
        version: of its problem's family, as it was asked.
        corrected: the version of a written problem that an active regrade marks it by.
        tolerance: replaces the variant's own tolerance, by an active regrade.
        accepts: the answers that active regrades accept.
        by_hand: whether it was adjusted by hand.
        accepts_changed: whether an active regrade has today's solution count.
    """

    attempt: int
    position: int
    answer: int
    grade: int
    mark: Marked
    core_version: str
    sitting: int | None = None
    slot: int | None = None
    family: str | None = None
    question: int | None = None
    variant: int | None = None
    item: int | None = None
    version: int | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)
    wording: Mapping[str, Any] | None = None
    numbers: Mapping[str, Any] | None = None
    tolerance: str = ""
    corrected: int | None = None
    accepts: Sequence[str] = ()
    by_hand: bool = False
    accepts_changed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MarkChange:
    """The mark of one answer before and after a regrade.

    Attributes:
        grade: the primary key of the grade before.
        after: the mark that is appended, or would have been where `outcome` keeps the old one.
        total: the whole attempt's total after the regrade.
        passing: 1 if its attempt passes by the regrade, -1 if it no longer does.
    """

    attempt: int
    position: int
    answer: int
    grade: int
    before: Marked
    after: Marked
    core_version: str
    outcome: str
    total: AttemptTotal
    passing: int


type NewMarks = Mapping[int, tuple[Marked, str]]


def mark_changes(
    regrade: Ruling,
    marks: Iterable[CurrentMark],
    new: NewMarks,
    totals: Mapping[int, AttemptTotal],
    *,
    pass_mark: int,
) -> list[MarkChange]:
    """Return the changes where a regrade gives these answers new marks.

    "Never lower" compares an answer's points, or, where the regrade changes what they are out of,
    the share that the whole attempt earns. Marks that are the same under any policy are left out.

    Args:
        new: by the answer, with the version of the core.
        totals: of their attempts, as they are now.
    """
    by_attempt: dict[int, list[CurrentMark]] = defaultdict(list)
    for current in marks:
        by_attempt[current.attempt].append(current)
    return [
        change
        for attempt, own in by_attempt.items()
        for change in _of_attempt(regrade, own, new, totals[attempt], pass_mark)
    ]


def _of_attempt(
    regrade: Ruling, own: Sequence[CurrentMark], new: NewMarks, total: AttemptTotal, pass_mark: int
) -> list[MarkChange]:
    found: list[tuple[CurrentMark, Marked, str, str]] = []  # the last is the reason to keep it
    for current in own:
        mark, version = new.get(current.answer, (current.mark, current.core_version))
        # Only `Kind.REGRADE` may apply a solution that differs from the stored one.
        tolerated = regrade.kind == Kind.TOLERANCE and not current.accepts_changed
        if mark.solution_changed and tolerated:
            found.append((current, current.mark, current.core_version, Outcome.STORED))
        elif not is_same_mark(current.mark, mark):
            by_hand = current.by_hand and not regrade.over_hand
            found.append((current, mark, version, Outcome.HAND if by_hand else ""))
    whole = total.after((old.mark, mark) for old, mark, _version, stays in found if not stays)
    decided = []
    for old, mark, version, stays in found:
        weighed = mark.out_of != old.mark.out_of
        now, then = (total.share, whole.share) if weighed else (old.mark.points, mark.points)
        way = Outcome.HIGHER if then > now else Outcome.LOWER if then < now else Outcome.CHANGED
        if way == Outcome.LOWER and regrade.never_lower:
            way = Outcome.KEPT
        decided.append((old, mark, version, stays or way))
    after = total.after(
        (old.mark, mark) for old, mark, _version, way in decided if way in APPENDING_OUTCOMES
    )
    passing = is_passed(*after, pass_mark) - is_passed(*total, pass_mark)
    return [
        MarkChange(
            *(old.attempt, old.position, old.answer, old.grade, old.mark, mark, version, way),
            total=after,
            passing=passing if way in APPENDING_OUTCOMES else 0,
        )
        for old, mark, version, way in decided
    ]


def is_same_mark(one: Marked, other: Marked) -> bool:
    """Return whether both marks are equal in every value."""
    return one is other or mark_values(one) == mark_values(other)


# Every value of a mark; `Marked` and the models' rows share these names.
mark_values = attrgetter("points", "out_of", "verdict", "mistake", "steps")


def summarize(
    marks: Collection[CurrentMark],
    totals: Mapping[int, AttemptTotal],
    changes: Collection[MarkChange],
) -> dict[str, Any]:
    """Return the numbers of answers and attempts that change; means are shares of the points."""
    ways = [each.outcome for each in changes]
    after = {**totals, **{each.attempt: each.total for each in changes}}
    passing = {each.attempt: each.passing for each in changes if each.passing}
    return {
        "answers": len(marks),
        "attempts": len(totals),
        **{way: ways.count(way) for way in DECIDED_OUTCOMES},
        "changed_attempts": len(
            {each.attempt for each in changes if each.outcome in APPENDING_OUTCOMES}
        ),
        "gained": sum(way > 0 for way in passing.values()),
        "lost": sum(way < 0 for way in passing.values()),
        "before": _mean(totals.values()),
        "after": _mean(after.values()),
        "out_of_none": sum(after[pk].out_of == 0 < totals[pk].out_of for pk in totals),
    }


def _mean(totals: Collection[AttemptTotal]) -> float | None:
    return float(sum(each.share for each in totals) / len(totals)) if totals else None


def add_summaries(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the summary of two parts of a dry run; the first may be empty."""
    first, second = one.get("attempts", 0), other["attempts"]
    both = {name: one.get(name, 0) + other[name] for name in other.keys() - {"before", "after"}}
    for name in ("before", "after"):
        total = first * (one.get(name) or 0) + second * (other[name] or 0)
        both[name] = total / (first + second) if first + second else None
    return {**one, **both}


# The new mark by each kind of regrade


def new_marks(regrade: Ruling, marks: Sequence[CurrentMark]) -> dict[int, tuple[Marked, str]]:
    """Return the mark of each answer under a regrade, with the version of the core that gave it.

    Void answers stay void, and are left out like all others that the regrade does not affect.
    """
    worth = [each for each in marks if each.mark.out_of]
    if not regrade.needs_numbers:
        one = _MARK_BY_KIND[regrade.kind]
        return {each.answer: (one(regrade.values, each), each.core_version) for each in worth}
    numeric = [each for each in worth if each.numbers]
    marked = problems.mark_numeric(
        (_read(regrade, each), each.raw, each.mark.out_of) for each in numeric
    )
    return {
        each.answer: (accept_steps(mark, each.version, each.accepts), problems.CORE_VERSION)
        for each, mark in zip(numeric, marked, strict=True)
    }


def _read(regrade: Ruling, current: CurrentMark) -> Mapping[str, Any]:
    """Return the numbers of the variant, in the version and with the tolerance that count."""
    version = regrade.values.get("version") or current.corrected
    numbers = problems.correct_variant(current.numbers or {}, version)
    tolerance = regrade.values.get("tolerance") or current.tolerance
    if not tolerance:
        return numbers
    # Integer steps have no tolerance and stay exact.
    wider = {step: float(tolerance) if had else had for step, had in numbers["tolerance"].items()}
    return {**numbers, "tolerance": wider}


def _by_key(values: Mapping[str, Any], current: CurrentMark) -> Marked:
    mark, chosen = current.mark, current.raw.get(CHOICE_STEP)
    offered = {choice["key"] for choice in current.wording["choices"]} if current.wording else ()
    accepts = values["mode"] == EVERYBODY or (chosen in values["accept"] and chosen in offered)
    loses = values["mode"] == INSTEAD and mark.verdict == verdicts.RIGHT
    if not current.wording or not (accepts or loses):
        return mark
    points, verdict, mistake = Fraction(), verdicts.BLANK, ""
    if accepts:
        points, verdict = mark.out_of, verdicts.RIGHT
    elif chosen in offered:
        verdict, mistake = verdicts.MISTAKE, chosen
    (step,) = mark.steps
    new = {**step, "verdict": verdict, "mistake": mistake, "points": str(points)}
    return Marked(points, mark.out_of, verdict, mistake, [new])


def accepted_answer(version: int | None, step: str, mistake: str = "") -> str:
    """Return what a regrade stores to accept a mistake at a step, or without one every answer.

    >>> accepted_answer(2, "scores", "unscaled"), accepted_answer(2, "scores")
    ('2/scores/unscaled', '2/scores/')
    """
    return f"{version}/{step}/{mistake}"


def is_accepted(step: Mapping[str, Any], version: int | None, accepts: Collection[str]) -> bool:
    """Return whether a step's answer is among the accepted ones of its family's version."""
    mistakes = {"", step["mistake"]}  # without a name, every answer is accepted
    return any(accepted_answer(version, step["key"], each) in accepts for each in mistakes)


def accept_steps(mark: Marked, version: int | None, accepts: Collection[str]) -> Marked:
    """Return the mark with the whole points of the accepted steps.

    Their verdicts stay, and so do the marks of the steps that follow from them.
    """
    if not (accepts and any(is_accepted(step, version, accepts) for step in mark.steps)):
        return mark
    steps = [
        {**step, "points": step["out_of"]} if is_accepted(step, version, accepts) else step
        for step in mark.steps
    ]
    points = sum((Fraction(step["points"]) for step in steps), Fraction())
    return replace(mark, points=points, steps=steps)


def _scaled(mark: Marked, factor: Fraction) -> Marked:
    steps = [
        {
            **step,
            "points": str(Fraction(step["points"]) * factor),
            "out_of": str(Fraction(step["out_of"]) * factor),
        }
        for step in mark.steps
    ]
    return replace(mark, points=mark.points * factor, out_of=mark.out_of * factor, steps=steps)


def _by_hand(values: Mapping[str, Any], current: CurrentMark) -> Marked:
    """Adjust the points: each step gains or loses the same part of what it can."""
    mark = current.mark
    wanted = min(Fraction(values["points"]), mark.out_of)
    steps = []
    for step in mark.steps:
        points, out_of = Fraction(step["points"]), Fraction(step["out_of"])
        if wanted > mark.points:
            points += (out_of - points) * (wanted - mark.points) / (mark.out_of - mark.points)
        elif mark.points:
            points *= wanted / mark.points
        steps.append({**step, "points": str(points)})
    return replace(mark, points=wanted, steps=steps)


_MARK_BY_KIND = {
    Kind.KEY: _by_key,
    Kind.ACCEPT: lambda values, each: accept_steps(each.mark, each.version, values["accept"]),
    Kind.VOID: lambda _values, each: _scaled(each.mark, Fraction()),
    Kind.POINTS: lambda values, each: _scaled(
        each.mark, Fraction(values["points"]) / each.mark.out_of
    ),
    Kind.ADJUST: _by_hand,
}


def mark_from_row(
    points: float, out_of: float, verdict: str, mistake: str, steps: list[dict[str, Any]]
) -> Marked:
    """Return the mark that a row stores, exact again."""
    return Marked(
        _sum(steps, "points", points), _sum(steps, "out_of", out_of), verdict, mistake, steps
    )


def _sum(steps: Sequence[Mapping[str, Any]], part: str, rounded: float) -> Fraction:
    if rounded.is_integer():  # sums of stored parts are either whole or nowhere near it
        return Fraction(int(rounded))
    return sum((Fraction(step[part]) for step in steps), Fraction())
