"""The certificate page: the current result, and one solved problem."""

from collections.abc import Collection, Sequence
from typing import Any

from quizzes.delivery.presenters.scores import format_score
from quizzes.delivery.queries.secrecy import ShownMarks
from quizzes.marking.presenters.reviewed_item import GradedItem, ReviewedItem, build_reviewed_item
from quizzes.models import Answer, Attempt, Grade
from quizzes.problems import verdicts
from quizzes.problems.answers import fields_of
from quizzes.regrades.queries.regrades import NO_CORRECTIONS, Corrections


def certificate_context(
    attempt: Attempt,
    graded: Sequence[tuple[Answer, Grade]],
    shown: ShownMarks,
    hidden: Collection[int] = (),
    corrections: Corrections = NO_CORRECTIONS,
) -> dict[str, Any]:
    """Return the certificate of an attempt, whose answers have their latest grades.

    Hidden items are left out, and problems that were corrected since. The result may have been
    revised since. If the revision depends on questions that are secret again, the certified result
    is shown.
    """
    score = format_score(shown, attempt.quiz)
    is_pass = score.passed is not False
    visible = [
        (answer, grade)
        for answer, grade in graded
        if is_pass and answer.item_id not in hidden and not corrections.correction_of(answer.item)
    ]
    return {
        "score": score,
        "questions": len(graded),
        "is_pass": is_pass,
        "problem": _solved_problem(visible),
    }


def _solved_problem(graded: Sequence[tuple[Answer, Grade]]) -> ReviewedItem | None:
    """Return the shortest problem that was answered right by its numbers alone.

    Concept questions are asked of others too, and never shown here; an exam's numbers are one
    student's only. A mark from a regrade proves nothing about the answer.
    """
    fit = [each for each in graded if _is_presentable(*each)]
    if not fit:
        return None
    answer, grade = min(fit, key=lambda each: len(fields_of(each[0].item.asked)))
    return build_reviewed_item(GradedItem.of(answer, grade), {})


def _is_presentable(answer: Answer, grade: Grade) -> bool:
    item = answer.item
    if item.variant is None or not item.variant.for_exams or item.variant.struck_at:
        return False
    is_regraded = len(grade.history) > 1 or grade.ruling_id is not None
    return (
        grade.verdict == verdicts.RIGHT
        and not is_regraded
        and not item.shown["steps"][-1]["choices"]
    )
