"""Dry runs: the marks that a regrade, or undoing one, would give."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from statistics import fmean
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from quizzes.delivery.queries.counting import counting_attempt
from quizzes.models import APPENDING_OUTCOMES, Attempt, Grade, Ruling, Sitting
from quizzes.models.plain_json import cast_to_text
from quizzes.passing import earned_share
from quizzes.problems import Marked
from quizzes.regrades import rules
from quizzes.regrades.queries.accepting import acceptable_answers
from quizzes.regrades.queries.marks import (
    current_marks,
    latest_grades,
    mark_under_regrades,
    parse_steps,
    totals,
)
from quizzes.regrades.queries.regrades import (
    answers_in_scope,
    choices_ever_offered,
    covers,
    unmarked_submissions,
)
from quizzes.regrades.queries.versions import offered_versions, version_trouble
from quizzes.regrades.rules import AttemptTotal, CurrentMark, MarkChange, mark_from_row

Kind = Ruling.Kind
# The most answers in a dry run within a request; workers run the longer ones.
MAX_ANSWERS_IN_REQUEST = 2000


def grades_in_scope(regrade: Ruling) -> QuerySet[Grade]:
    """Return the grades that a regrade's dry run reads."""
    return latest_grades(answers_in_scope(regrade.undoes or regrade, "answer__"))


def is_long(regrade: Ruling) -> bool:
    """Return whether a regrade's dry run takes longer than a request may."""
    return (
        len(grades_in_scope(regrade).order_by().values_list("pk")[: MAX_ANSWERS_IN_REQUEST + 1])
        > MAX_ANSWERS_IN_REQUEST
    )


def next_attempts(regrade: Ruling, most: int) -> list[int]:
    """Return the attempts that the dry run reads next, with about `most` answers."""
    attempt = "answer__item__attempt"
    left = grades_in_scope(regrade).filter(**{f"{attempt}__gt": regrade.ran_to}).order_by(attempt)
    return list(dict.fromkeys(left.values_list(attempt, flat=True)[:most]))


def dry_run(
    regrade: Ruling, attempts: Collection[int] | None = None
) -> tuple[list[MarkChange], dict[str, Any]]:
    """Return the changes that the regrade would make to the current marks, and a summary.

    With `attempts`, of these attempts only.
    """
    undone = regrade.undoes
    others = _other_regrades(undone) if undone else []
    answers = answers_in_scope(undone or regrade, "answer__")
    if attempts is not None:
        answers &= Q(answer__item__attempt__in=list(attempts))
    reads = any(each.needs_numbers for each in (regrade, *others))
    marks = current_marks(answers, quiz=regrade.quiz_id, numbers=reads, before=regrade)
    now = totals({each.attempt for each in marks})
    if undone:
        new = _restored(marks, now, _first_marks(answers), others)
    else:
        new = rules.new_marks(regrade, marks)
    changes = rules.mark_changes(regrade, marks, new, now, pass_mark=regrade.quiz.pass_mark)
    return changes, rules.summarize(marks, now, changes)


def counting_means(
    regrade: Ruling, after: Mapping[int, tuple[float | Fraction, float | Fraction]]
) -> dict[str, Any]:
    """Return the number and the mean of the attempts that count, now and after the regrade.

    They are those of the statistics: of each student one, at all sittings that the regrade covers,
    whether it changes them or not. `after` has the new points of attempts and what they are out of.
    """
    made = Attempt.objects.graded().filter(quiz=regrade.quiz_id, score__isnull=False)
    if regrade.sitting_id is not None:
        made = made.filter(sitting=regrade.sitting_id)
    columns = ("pk", "student_id", "sitting_id", "number", "score", "out_of")
    now = [_Score(*row) for row in made.order_by("pk").values_list(*columns)]
    sittings = Sitting.objects.in_bulk({each.sitting_id for each in now})
    then = [
        each._replace(score=float(after[each.pk][0]), out_of=float(after[each.pk][1]))
        if each.pk in after
        else each
        for each in now
    ]
    before, afterwards = (_counting(sittings, each) for each in (now, then))
    return {
        "counted": len(before),
        "mean_before": _mean_share(before),
        "mean_after": _mean_share(afterwards),
    }


class _Score(NamedTuple):
    """The columns of an attempt that decide whether it counts."""

    pk: int
    student_id: int
    sitting_id: int
    number: int
    score: float
    out_of: float


def _counting(sittings: Mapping[int, Sitting], attempts: Iterable[_Score]) -> list[_Score]:
    made: dict[tuple[int, int], list[_Score]] = defaultdict(list)
    for attempt in attempts:
        made[attempt.sitting_id, attempt.student_id].append(attempt)
    counting = (counting_attempt(sittings[sitting], own) for (sitting, _), own in made.items())
    return [each for each in counting if each is not None]


def _mean_share(attempts: Sequence[_Score]) -> float | None:
    return fmean(earned_share(each.score, each.out_of) for each in attempts) if attempts else None


def student_counts(regrade: Ruling, changed: Collection[int] | QuerySet) -> dict[str, int]:
    """Return how many students it concerns, and how many have one of the `changed` attempts."""
    marked = grades_in_scope(regrade).order_by().values("answer__submission__attempt__student")
    own = Attempt.objects.filter(pk__in=changed).order_by().values("student")
    return {"students": marked.distinct().count(), "changed_students": own.distinct().count()}


def final_counts(regrade: Ruling) -> dict[str, int]:
    """Return what the summary of a dry run says besides, once its lines are written."""
    changed = regrade.lines.appending().values("attempt")
    rows = regrade.lines.values_list("attempt", "score", "score_out_of")
    return {
        "in_need": unmarked_submissions(regrade).count(),
        **student_counts(regrade, changed),
        **counting_means(regrade, {attempt: (score, out_of) for attempt, score, out_of in rows}),
    }


def _first_marks(answers: Q) -> dict[int, tuple[Marked, str]]:
    """Return the marks that these answers got first, with the version of the core."""
    columns = (
        "answer",
        "points",
        "out_of",
        "verdict",
        "mistake",
        cast_to_text("steps"),
        "core_version",
    )
    rows = list(Grade.objects.filter(answers, revision=1).values_list(*columns))
    steps = parse_steps([row[-2] for row in rows])
    return {
        answer: (mark_from_row(*mark, steps[text]), version)
        for answer, *mark, text, version in rows
    }


def _other_regrades(undone: Ruling) -> list[Ruling]:
    """Return all other regrades that count in its sittings, adjustments too, in their order."""
    found = Ruling.objects.accepted().over(undone.sitting_id).filter(quiz=undone.quiz_id)
    return list(found.exclude(kind=Kind.UNDO).exclude(pk=undone.pk).in_order())


def _restored(
    marks: Sequence[CurrentMark],
    now: Mapping[int, AttemptTotal],
    first: rules.NewMarks,
    others: Sequence[Ruling],
) -> rules.NewMarks:
    """Return the marks as first given and as the other regrades changed them since."""
    marks = [replace(each, by_hand=False) for each in marks]
    marks, now = _with_marks(marks, now, first)
    for place, regrade in enumerate(others):
        # An adjustment is of one answer, not of a later answer to the item once it is reopened.
        by_hand = regrade.kind == Kind.ADJUST
        own = set(regrade.lines.values_list("answer", flat=True)) if by_hand else ()
        covered = [
            mark_under_regrades(others[:place], each)
            for each in marks
            if (each.answer in own if by_hand else covers(regrade, each))
        ]
        new = rules.new_marks(regrade, covered)
        changes = rules.mark_changes(regrade, covered, new, now, pass_mark=0)
        changes = [each for each in changes if each.outcome in APPENDING_OUTCOMES]
        new = {each.answer: (each.after, each.core_version) for each in changes}
        marks, now = _with_marks(marks, now, new)
        marks = [replace(each, by_hand=each.by_hand or each.answer in own) for each in marks]
    return {each.answer: (each.mark, each.core_version) for each in marks}


def _with_marks(
    marks: Sequence[CurrentMark], now: Mapping[int, AttemptTotal], new: rules.NewMarks
) -> tuple[list[CurrentMark], dict[int, AttemptTotal]]:
    """Return the marks and totals as if these answers had the new marks."""
    now, changed = dict(now), []
    for each in marks:
        mark, version = new.get(each.answer, (each.mark, each.core_version))
        now[each.attempt] = now[each.attempt].after([(each.mark, mark)])
        changed.append(replace(each, mark=mark, core_version=version))
    return changed, now


def value_errors(regrade: Ruling) -> dict[str, str]:
    """Return an error message for each invalid value of a regrade, by name."""
    choices: Collection[Any] = ()
    if regrade.kind == Kind.KEY:
        choices = choices_ever_offered(regrade)
    elif regrade.kind == Kind.ACCEPT:
        choices = {each.value for each in acceptable_answers(regrade)}
    elif regrade.corrects:
        choices = {each.version for each in offered_versions(regrade)}
        if regrade.values["version"] in choices and (trouble := version_trouble(regrade)):
            return {"version": trouble}
    out_of = None
    if regrade.kind == Kind.ADJUST and regrade.item_id:
        marks = current_marks(
            answers_in_scope(regrade, "answer__"), quiz=regrade.quiz_id, numbers=False
        )
        out_of = next((each.mark.out_of for each in marks), None)
        if not out_of:
            return {
                "points": _(
                    "This question doesn’t count or hasn’t been marked, so there’s no "
                    "mark to adjust."
                )
            }
    return rules.value_errors(regrade, choices=choices, out_of=out_of)
