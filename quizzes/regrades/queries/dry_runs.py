"""What a ruling, or the undoing of one, would make of marks."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from quizzes.models import (
    Ruling,
    RulingLine,
)
from quizzes.models.plain_json import as_text
from quizzes.problems import Marked
from quizzes.regrades import rules
from quizzes.regrades.queries.marks import _steps, _tolerance_over, _tolerances, held_marks, tried
from quizzes.regrades.queries.rulings import choices_of, counts, covers, rule_of, within
from quizzes.regrades.rules import Decided, Held, Outcome, Tried, mark_of_row

Kind, State = Ruling.Kind, Ruling.State

# Dry runs


def dry_run(ruling: Ruling, attempts: Collection[int] | None = None) -> list[Outcome]:
    """What the ruling would make, by the marks as they are; of all attempts, or of these."""
    if ruling.kind == Kind.UNDO:
        return _undone(ruling.undoes)
    answers = within(ruling, "answer__")
    if attempts is not None:
        answers &= Q(answer__item__attempt__in=list(attempts))
    rule = rule_of(ruling)
    held = held_marks(answers, quiz=ruling.quiz_id, numbers=rule.reads_numbers)
    return rules.decide(rule, tried(held, pass_mark=ruling.quiz.pass_mark))


def _undone(undone: Ruling) -> list[Outcome]:
    """Each answer has again what it had before, under the rulings that came after.

    What one of these was applied to without anything of it being kept stays theirs.
    """
    lines = RulingLine.objects.filter(ruling=undone, applied=True)
    counting = counts("answer__") & Q(answer__in=lines.values("answer"))
    later = _later_than(undone)
    numbers = any(rule_of(each).reads_numbers for each in later)
    now = held_marks(counting, quiz=undone.quiz_id, numbers=numbers)
    had = _marks_before(lines)
    began = tried(now, pass_mark=undone.quiz.pass_mark)
    restored = [_with_marks(each, had) for each in began]
    tolerances = _tolerances(undone.quiz_id, without=undone.pk)
    for each in later:
        restored = _go_on(each, restored, tolerances)
    return [_told(old, new) for old, new in zip(began, restored, strict=True)]


def _marks_before(lines: QuerySet[RulingLine]) -> dict[int, tuple[Marked, str]]:
    """What the answers of these lines had before, and the version of the core that marked it."""
    columns = ("points", "out_of", "verdict", "mistake")
    rows = list(
        lines.values_list(
            "answer",
            *(f"grade_before__{name}" for name in columns),
            as_text("grade_before__steps"),
            "grade_before__core_version",
        )
    )
    steps = _steps([row[-2] for row in rows])
    return {
        answer: (mark_of_row(*mark, steps[text]), version) for answer, *mark, text, version in rows
    }


def _later_than(undone: Ruling) -> list[Ruling]:
    """What was ruled after it and counts, adjustments too."""
    found = Ruling.objects.filter(
        quiz=undone.quiz_id, state__in=[State.WAITING, State.APPLIED]
    ).exclude(kind=Kind.UNDO)
    if undone.sitting_id is not None:
        found = found.filter(Q(sitting=None) | Q(sitting=undone.sitting_id))
    found = found.filter(accepted_at__gte=undone.accepted_at).exclude(pk=undone.pk)
    return list(found.order_by("accepted_at", "pk"))


def _with_marks(attempt: Tried, marks: Mapping[int, tuple[Any, str]]) -> Tried:
    """The attempt as if its answers had these."""
    points, out_of, held = attempt.points, attempt.out_of, []
    for each in attempt.held:
        mark, version = marks.get(each.answer, (each.mark, each.core_version))
        points += mark.points - each.mark.points
        out_of += mark.out_of - each.mark.out_of
        held.append(replace(each, mark=mark, core_version=version))
    return replace(attempt, points=points, out_of=out_of, held=held)


def _go_on(ruling: Ruling, attempts: Sequence[Tried], tolerances: Sequence[Ruling]) -> list[Tried]:
    """The attempts as a later ruling leaves them, under the tolerances that stood by then."""
    own = set(ruling.lines.values_list("answer", flat=True)) if ruling.kind == Kind.ADJUST else None

    def is_covered(held: Held) -> bool:
        # Somebody adjusted one answer, and not what its item is answered once it is reopened.
        return covers(ruling, held.where) if own is None else held.answer in own

    stood = [each for each in tolerances if each.accepted_at < ruling.accepted_at]
    covered = [
        replace(
            attempt,
            held=[
                replace(held, tolerance=_tolerance_over(held.where, stood))
                for held in attempt.held
                if is_covered(held)
            ],
        )
        for attempt in attempts
    ]
    outcomes = rules.decide(rule_of(ruling), covered)
    return [
        _with_marks(
            attempt,
            {d.held.answer: (d.mark, d.core_version) for d in outcome.decided if d.appends},
        )
        for attempt, outcome in zip(attempts, outcomes, strict=True)
    ]


def _told(old: Tried, new: Tried) -> Outcome:
    decided = []
    for had, has in zip(old.held, new.held, strict=True):
        if not rules.same(had.mark, has.mark):
            way = rules.way_of(old, new, had.mark, has.mark)
            decided.append(Decided(old.attempt, had, has.mark, has.core_version, way))
    outcome = Outcome(old, new.points, new.out_of, decided)
    if passing := outcome.passing:
        outcome = replace(outcome, decided=[replace(d, passing=passing) for d in decided])
    return outcome


def troubles(ruling: Ruling) -> dict[str, str]:
    """What is wrong with its values, by their names."""
    choices = choices_of(ruling) if ruling.kind == Kind.KEY else {}
    out_of = None
    if ruling.kind == Kind.ADJUST and ruling.item_id:
        marks = held_marks(within(ruling, "answer__"), quiz=ruling.quiz_id, numbers=False)
        out_of = next((held.mark.out_of for each in marks.values() for held in each), None)
        if not out_of:
            return {"points": _("This question does not count, or has not been marked.")}
    return rules.troubles(rule_of(ruling), ruling.scope, choices=choices, out_of=out_of)
