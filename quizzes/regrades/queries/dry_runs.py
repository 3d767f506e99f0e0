"""Dry runs: the marks that a ruling, or the undoing of one, would give."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from quizzes.models import Grade, Ruling
from quizzes.models.plain_json import as_text
from quizzes.problems import Marked
from quizzes.regrades import rules
from quizzes.regrades.queries.marks import held_marks, steps_of, tolerance_over, tried
from quizzes.regrades.queries.rulings import choices_of, covers, rule_of, within
from quizzes.regrades.rules import Decided, Held, Outcome, Tried, mark_of_row

Kind, State = Ruling.Kind, Ruling.State


def dry_run(ruling: Ruling, attempts: Collection[int] | None = None) -> list[Outcome]:
    """What the ruling would make, by the marks as they are; of all attempts, or of these."""
    if ruling.kind == Kind.UNDO:
        return _undone(ruling.undoes)
    answers = within(ruling, "answer__")
    if attempts is not None:
        answers &= Q(answer__item__attempt__in=list(attempts))
    rule = rule_of(ruling)
    numbers = rule.reads_numbers
    held = held_marks(answers, quiz=ruling.quiz_id, numbers=numbers, before=ruling)
    return rules.decide(rule, tried(held, pass_mark=ruling.quiz.pass_mark))


def _undone(undone: Ruling) -> list[Outcome]:
    """Return the marks of its answers as marking gave them, under all other rulings."""
    others = _counting_beside(undone)
    numbers = any(rule_of(each).reads_numbers for each in others)
    now = held_marks(within(undone, "answer__"), quiz=undone.quiz_id, numbers=numbers)
    began = tried(now, pass_mark=undone.quiz.pass_mark)
    first = _first_marks(within(undone, "answer__"))
    restored = [_with_marks(_without_hands(each), first) for each in began]
    for place, each in enumerate(others):
        restored = _go_on(each, restored, others[:place])
    return [_told(old, new) for old, new in zip(began, restored, strict=True)]


def _first_marks(answers: Q) -> dict[int, tuple[Marked, str]]:
    """Return the marks that marking gave these answers, with the version of the core."""
    columns = ("answer", "points", "out_of", "verdict", "mistake", as_text("steps"), "core_version")
    rows = list(Grade.objects.filter(answers, revision=1).values_list(*columns))
    steps = steps_of([row[-2] for row in rows])
    return {
        answer: (mark_of_row(*mark, steps[text]), version) for answer, *mark, text, version in rows
    }


def _counting_beside(undone: Ruling) -> list[Ruling]:
    """Return all other rulings that count over its sittings, adjustments too, in their order."""
    found = Ruling.objects.filter(
        quiz=undone.quiz_id, state__in=[State.WAITING, State.APPLIED]
    ).exclude(kind=Kind.UNDO)
    if undone.sitting_id is not None:
        found = found.filter(Q(sitting=None) | Q(sitting=undone.sitting_id))
    return list(found.exclude(pk=undone.pk).order_by("accepted_at", "pk"))


def _without_hands(attempt: Tried) -> Tried:
    return replace(attempt, held=[replace(each, by_hand=False) for each in attempt.held])


def _with_marks(attempt: Tried, marks: Mapping[int, tuple[Any, str]]) -> Tried:
    """The attempt as if its answers had these."""
    points, out_of, held = attempt.points, attempt.out_of, []
    for each in attempt.held:
        mark, version = marks.get(each.answer, (each.mark, each.core_version))
        points += mark.points - each.mark.points
        out_of += mark.out_of - each.mark.out_of
        held.append(replace(each, mark=mark, core_version=version))
    return replace(attempt, points=points, out_of=out_of, held=held)


def _go_on(ruling: Ruling, attempts: Sequence[Tried], stood: Sequence[Ruling]) -> list[Tried]:
    """Return the attempts as a ruling leaves them, where these stood before it."""
    own = set(ruling.lines.values_list("answer", flat=True)) if ruling.kind == Kind.ADJUST else None

    def is_covered(held: Held) -> bool:
        # Somebody adjusted one answer, and not what its item is answered once it is reopened.
        return covers(ruling, held.where) if own is None else held.answer in own

    tolerances, again = (
        [each for each in stood if each.kind == kind] for kind in (Kind.TOLERANCE, Kind.REGRADE)
    )
    covered = [
        replace(
            attempt,
            held=[
                replace(
                    held,
                    tolerance=tolerance_over(held.where, tolerances),
                    accepts_changed=any(covers(each, held.where) for each in again),
                )
                for held in attempt.held
                if is_covered(held)
            ],
        )
        for attempt in attempts
    ]
    outcomes = rules.decide(rule_of(ruling), covered)
    changed = [
        _with_marks(
            attempt,
            {d.held.answer: (d.mark, d.core_version) for d in outcome.decided if d.appends},
        )
        for attempt, outcome in zip(attempts, outcomes, strict=True)
    ]
    if own is None:
        return changed
    return [
        replace(each, held=[replace(h, by_hand=h.by_hand or h.answer in own) for h in each.held])
        for each in changed
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
