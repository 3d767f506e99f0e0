"""What becomes of marks under a ruling. Nothing here touches the database.

A *rule* is what a ruling says; a *held* mark is the one that an answer has now. Points stay exact.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from quizzes import problems
from quizzes.problems import Marked, verdicts
from quizzes.problems.answers import CHOICE_STEP

REGRADE, KEY, VOID, POINTS = "regrade", "key", "void", "points"
TOLERANCE, ADJUST = "tolerance", "adjust"
ALSO, INSTEAD, EVERYBODY = "also", "instead", "everybody"
HIGHER, LOWER, CHANGED, KEPT, HAND = "higher", "lower", "changed", "kept", "hand"
STORED = "stored"
# A share of the points that falls by less than this does so by rounding alone.
ALIKE = Fraction(1, 10**9)


# What each kind of ruling can be narrowed to.
SCOPES: Mapping[str, tuple[str, ...]] = {
    REGRADE: ("all", "slot", "family", "variant", "item"),
    KEY: ("question",),
    VOID: ("slot", "family", "question", "variant", "all"),
    POINTS: ("slot",),
    TOLERANCE: ("family", "slot"),
    ADJUST: ("item",),
}
MOST_POINTS = 1000
WIDEST = Decimal(10)


@dataclass(frozen=True)
class Rule:
    """What is ruled.

    Attributes:
        values: of a key `mode` and the choices to `accept`; of points and an adjustment `points`;
            of a tolerance `tolerance`. Numbers are texts, and exact.
        never_lower: who would lose by it keeps what they had.
        over_hand: what was adjusted by hand changes too.
    """

    kind: str
    values: Mapping[str, Any] = field(default_factory=dict)
    never_lower: bool = True
    over_hand: bool = False

    @property
    def reads_numbers(self) -> bool:
        """Does it mark anew, from the variant's numbers?"""
        return self.kind in (REGRADE, TOLERANCE)


def troubles(
    rule: Rule, scope: str, *, choices: Collection[str] = (), out_of: Fraction | None = None
) -> dict[str, str]:
    """What is wrong with a rule, by the name of its value: a sentence each.

    Args:
        choices: those that were ever offered, of a concept question.
        out_of: what the item that is adjusted is out of.
    """
    if scope not in SCOPES[rule.kind]:
        return {"scope": _("This ruling cannot be made for that.")}
    if rule.kind == KEY:
        return _troubles_of_key(rule.values, choices)
    if rule.kind == POINTS:
        points = number_in(rule.values.get("points"))
        if points is None or not 1 <= points <= MOST_POINTS or points != int(points):
            words = _(
                "Enter a whole number from 1 to %(most)s. To make a question not count, void it."
            )
            return {"points": words % {"most": MOST_POINTS}}
    if rule.kind == TOLERANCE:
        tolerance = number_in(rule.values.get("tolerance"))
        if tolerance is None or not 0 < tolerance <= WIDEST:
            words = _("Enter a number above 0, up to %(most)s, such as 0.01.")
            return {"tolerance": words % {"most": WIDEST}}
    if rule.kind == ADJUST:
        points = number_in(rule.values.get("points"))
        if points is None or points < 0 or (out_of is not None and points > out_of):
            words = _("Enter a number from 0 to %(most)s, such as 0.5.")
            return {"points": words % {"most": "…" if out_of is None else float(out_of)}}
    return {}


def _troubles_of_key(values: Mapping[str, Any], choices: Collection[str]) -> dict[str, str]:
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


def number_in(text: object) -> Decimal | None:
    """The plain number that a short text says, if it says one.

    >>> number_in("0,5"), number_in("nan"), number_in("1e9")
    (Decimal('0.5'), None, None)
    """
    tidy = str(text).strip().replace(",", ".")
    return Decimal(tidy) if _NUMBER.fullmatch(tidy) else None


_NUMBER = re.compile(r"[0-9]{1,6}(\.[0-9]{0,6})?|\.[0-9]{1,6}")


class Where(NamedTuple):
    """Of what an answer is one, by the keys of the rows."""

    sitting: int | None = None
    slot: int | None = None
    family: str = ""
    question: int | None = None
    variant: int | None = None
    item: int | None = None


NOWHERE = Where()


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """An answer, the mark it has now, and as much of its question as a rule has to read.

    Attributes:
        grade: the key of the row of its mark.
        revision: of that row.
        wording: of a concept question; None of a numeric one.
        variant: of a numeric question, where the rule reads its numbers.
        tolerance: by which rulings have it marked, in place of the variant's own.
        by_hand: was it adjusted by hand?
        accepts_changed: marking again stands over it, by which today's solution counts.
    """

    answer: int
    grade: int
    revision: int
    mark: Marked
    where: Where = NOWHERE
    core_version: str = problems.CORE_VERSION
    raw: Mapping[str, Any] = field(default_factory=dict)
    wording: Mapping[str, Any] | None = None
    variant: Mapping[str, Any] | None = None
    tolerance: str = ""
    by_hand: bool = False
    accepts_changed: bool = False


@dataclass(frozen=True)
class Tried:
    """An attempt: what its latest marks come to, and those of them that a rule covers."""

    attempt: int
    pass_mark: int
    points: Fraction
    out_of: Fraction
    held: Sequence[Held]


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """What becomes of one answer; its mark stays where the outcome is KEPT, HAND or STORED."""

    attempt: int
    held: Held
    mark: Marked
    core_version: str
    outcome: str
    passing: int = 0

    @property
    def appends(self) -> bool:
        return self.outcome in (HIGHER, LOWER, CHANGED)


@dataclass(frozen=True)
class Outcome:
    """An attempt under a rule: what it came to before and after, and the answers that it is about.

    Answers that stay as they are, whatever the policy, are left out.
    """

    tried: Tried
    points: Fraction
    out_of: Fraction
    decided: Sequence[Decided]

    @property
    def passing(self) -> int:
        """1: it is passed by the rule; -1: it is no longer."""
        now = _passes(self.points, self.out_of, self.tried.pass_mark)
        return now - _passes(self.tried.points, self.tried.out_of, self.tried.pass_mark)


def decide(rule: Rule, attempts: Iterable[Tried]) -> list[Outcome]:
    """What becomes of these attempts.

    Never lower is said of an answer's points, and where the rule changes what they are out of, of
    the share of the points that the whole attempt earns.
    """
    attempts = list(attempts)
    marks, stored = _marks(rule, [held for tried in attempts for held in tried.held])
    return [_of_attempt(rule, tried, marks, stored) for tried in attempts]


def _of_attempt(
    rule: Rule, tried: Tried, marks: Mapping[int, Marked], stored: Collection[int]
) -> Outcome:
    news = [(held, mark) for held in tried.held if not same(held.mark, mark := marks[held.answer])]
    kept_by_hand = [held.by_hand and not rule.over_hand for held, _new in news]
    points, out_of = tried.points, tried.out_of
    for (held, mark), by_hand in zip(news, kept_by_hand, strict=True):
        if not by_hand:
            points += mark.points - held.mark.points
            out_of += mark.out_of - held.mark.out_of
    whole = _way(share(tried.points, tried.out_of), share(points, out_of))
    decided = []
    for (held, mark), by_hand in zip(news, kept_by_hand, strict=True):
        weighed = mark.out_of != held.mark.out_of
        outcome = whole if weighed else _way(held.mark.points, mark.points)
        if by_hand:
            outcome = HAND
        elif outcome == LOWER and rule.never_lower:
            outcome = KEPT
        version = problems.CORE_VERSION if rule.reads_numbers else held.core_version
        decided.append(Decided(tried.attempt, held, mark, version, outcome))
    decided += [
        Decided(tried.attempt, held, held.mark, held.core_version, STORED)
        for held in tried.held
        if held.answer in stored
    ]
    points, out_of = tried.points, tried.out_of
    for each in decided:
        if each.appends:
            points += each.mark.points - each.held.mark.points
            out_of += each.mark.out_of - each.held.mark.out_of
    outcome = Outcome(tried, points, out_of, decided)
    if passing := outcome.passing:
        decided = [replace(each, passing=passing if each.appends else 0) for each in decided]
    return replace(outcome, decided=decided)


def share(points: Fraction, out_of: Fraction) -> Fraction:
    """Of the points; of none it is none."""
    return points / out_of if out_of else Fraction()


def _passes(points: Fraction, out_of: Fraction, pass_mark: int) -> int:
    return int(100 * share(points, out_of) + ALIKE >= pass_mark)


def way_of(old: Tried, new: Tried, had: Marked, has: Marked) -> str:
    """Is that more or less: of the points, or where these are out of others of the whole?"""
    if had.out_of == has.out_of:
        return _way(had.points, has.points)
    return _way(share(old.points, old.out_of), share(new.points, new.out_of))


def _way(before: Fraction, after: Fraction) -> str:
    if after == before:
        return CHANGED
    return HIGHER if after > before else LOWER


def same(one: Marked, other: Marked) -> bool:
    """Do they say the same?"""
    return one is other or _said(one) == _said(other)


def _said(mark: Marked) -> tuple[Any, ...]:
    return (mark.points, mark.out_of, mark.verdict, mark.mistake, mark.steps)


def _marks(rule: Rule, held: Sequence[Held]) -> tuple[dict[int, Marked], set[int]]:
    """The mark of each answer under the rule, by the answer, and the answers that are left alone
    because their solution has changed. What is void stays so.
    """
    marks = {each.answer: each.mark for each in held}
    stored: set[int] = set()
    worth = [each for each in held if each.mark.out_of]
    if rule.reads_numbers:
        numeric = [each for each in worth if each.wording is None and each.variant]
        marked = problems.mark_numeric(
            (_read(rule, each), each.raw, each.mark.out_of) for each in numeric
        )
        # Another solution than the stored one is for marking again alone to apply.
        new = {}
        for each, mark in zip(numeric, marked, strict=True):
            if mark.solution_changed and rule.kind != REGRADE and not each.accepts_changed:
                stored.add(each.answer)
            else:
                new[each.answer] = mark
    else:
        one = _ONE[rule.kind]
        new = {each.answer: one(rule.values, each) for each in worth}
    return marks | new, stored


def _read(rule: Rule, held: Held) -> Mapping[str, Any]:
    """The variant, with the tolerance that counts."""
    tolerance = rule.values["tolerance"] if rule.kind == TOLERANCE else held.tolerance
    own = (held.variant or {})["tolerance"]
    if not tolerance:
        return held.variant or {}
    # A whole number that is asked for stays one: its step has no tolerance to speak of.
    wider = {step: float(tolerance) if had else had for step, had in own.items()}
    return {**(held.variant or {}), "tolerance": wider}


def _by_key(values: Mapping[str, Any], held: Held) -> Marked:
    if held.wording is None:
        return held.mark
    chosen = held.raw.get(CHOICE_STEP)
    offered = {choice["key"] for choice in held.wording["choices"]}
    out_of = held.mark.out_of
    if values["mode"] == EVERYBODY or (chosen in values["accept"] and chosen in offered):
        return _choice(held, verdicts.RIGHT, "", out_of)
    if values["mode"] == ALSO or held.mark.verdict != verdicts.RIGHT:
        return held.mark
    if chosen not in offered:
        return _choice(held, verdicts.BLANK, "", Fraction())
    return _choice(held, verdicts.MISTAKE, chosen, Fraction())


def _choice(held: Held, verdict: str, mistake: str, points: Fraction) -> Marked:
    (step,) = held.mark.steps
    new = {**step, "verdict": verdict, "mistake": mistake, "points": str(points)}
    return Marked(points, held.mark.out_of, verdict, mistake, [new])


def _by_void(_values: Mapping[str, Any], held: Held) -> Marked:
    return _scaled(held.mark, Fraction())


def _by_points(values: Mapping[str, Any], held: Held) -> Marked:
    return _scaled(held.mark, Fraction(values["points"]) / held.mark.out_of)


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


def _by_hand(values: Mapping[str, Any], held: Held) -> Marked:
    """Each step gains, or loses, the same part of what it can."""
    mark = held.mark
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


_ONE = {KEY: _by_key, VOID: _by_void, POINTS: _by_points, ADJUST: _by_hand}


def mark_of_row(
    points: float, out_of: float, verdict: str, mistake: str, steps: list[dict[str, Any]]
) -> Marked:
    """The mark that a row keeps, exact again."""
    return Marked(
        _sum(steps, "points", points), _sum(steps, "out_of", out_of), verdict, mistake, steps
    )


def _sum(steps: Sequence[Mapping[str, Any]], part: str, rounded: float) -> Fraction:
    if rounded.is_integer():  # sums of parts this large are whole or are not near it
        return Fraction(int(rounded))
    return sum((Fraction(step[part]) for step in steps), Fraction())
