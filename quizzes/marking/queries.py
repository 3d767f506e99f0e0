"""Marked submissions with their grades, for results and reviews."""

from django.db.models import QuerySet

from foundation.prepared import prepared
from lessons.models import Lesson
from quizzes import problems
from quizzes.items.queries import _prefetch_wordings, is_good, mistake_name
from quizzes.models import Answer, Attempt, Grade, Submission


def marked_exam(within: QuerySet[Attempt], pk: int) -> Submission | None:
    """Return the final submission of a graded attempt among these; None until it is marked."""
    exam = within.graded().filter(pk=pk)
    final = Submission.objects.final().filter(attempt__in=exam)
    marked = final.filter(state=Submission.State.GRADED)
    return marked.select_related(
        "attempt__quiz__lesson", "attempt__sitting", "attempt__student"
    ).first()


def graded_answers(submission: Submission) -> list[tuple[Answer, Grade]]:
    """Return the answers of a submission in order, each with its latest grade.

    The grade's `history` lists all grades of the answer, oldest first, up to itself.
    """
    answers = _answers_of(submission)
    grades: dict[int, list[Grade]] = {}
    for grade in _grades_of(submission):
        grades.setdefault(grade.answer_id, []).append(grade)
    latest = {}
    for answer, history in grades.items():
        latest[answer] = history[-1]
        latest[answer].history = history
    _prefetch_wordings(answer.item for answer in answers)
    return [(answer, latest[answer.pk]) for answer in answers]


@prepared
def _answers_of(submission: Submission) -> QuerySet[Answer]:
    answers = Answer.objects.filter(submission=submission)
    answers = answers.select_related("item__variant", "item__question__section__lesson")
    section = "item__question__section"
    lesson = {field.name for field in Lesson._meta.concrete_fields} - {"id", "slug"}
    answers = answers.defer(
        *(f"item__{name}" for name in ("draft", "token", "saved_at", "helped_at")),
        *(f"item__question__{name}" for name in ("prompt", "explanation", "source_hash")),
        f"{section}__body",
        *(f"{section}__lesson__{name}" for name in lesson),
    )
    return answers.order_by("item__position")


@prepared
def _grades_of(submission: Submission) -> QuerySet[Grade]:
    grades = Grade.objects.filter(answer__submission=submission).select_related("ruling")
    return grades.order_by("revision")


def needs_fixing(grade: Grade) -> bool:
    """Return whether the answer was worth points, and neither right nor near."""
    return bool(grade.out_of) and not is_good(grade.verdict)


def is_not_right(grade: Grade) -> bool:
    """Return whether the answer was worth points and not fully right, so worth practising."""
    return needs_fixing(grade) or (bool(grade.out_of) and grade.verdict == problems.verdicts.NEAR)


def earlier_mistakes(attempt: Attempt) -> dict[str, list[int]]:
    """Return the student's earlier mistakes by name, with the numbers of the attempts."""
    if attempt.number == 1:
        return {}
    earlier = Attempt.objects.graded().filter(
        student=attempt.student_id, sitting=attempt.sitting_id, number__lt=attempt.number
    )
    grades = Grade.objects.counting().latest().filter(answer__submission__attempt__in=earlier)
    made: dict[str, set[int]] = {}
    for question, number, steps in grades.values_list(
        "answer__item__question__key", "answer__submission__attempt__number", "steps"
    ):
        for step in steps:
            if step["mistake"]:
                name = mistake_name(question or "", step["mistake"])
                made.setdefault(name, set()).add(number)
    return {name: sorted(numbers) for name, numbers in made.items()}
