"""What a certificate shows: the result as it stands now, and one problem that was solved."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.safestring import SafeString

from design.matrix import Matrix
from quizzes.delivery.presenters.scores import Score, score_of
from quizzes.delivery.queries.secrecy import Shown
from quizzes.marking.presenters.reviewed_item import Graded, reviewed_item
from quizzes.models import Answer, Attempt, Certificate, Grade
from quizzes.problems import verdicts
from quizzes.problems.answers import fields_of


@dataclass(frozen=True)
class SolvedProblem:
    """A problem with the student's own final answer, which is right."""

    title: str
    asked: SafeString
    answer: Matrix | None


@dataclass(frozen=True)
class CertificatePage:
    """The whole page.

    Attributes:
        is_pass: the result may have been revised since. Where that depends on questions that are
            secret again, what was certified stands.
    """

    name: str
    quiz: str
    taken_at: datetime
    score: Score
    questions: int
    is_pass: bool
    problem: SolvedProblem | None


def certificate_page(
    certificate: Certificate,
    attempt: Attempt,
    graded: Sequence[tuple[Answer, Grade]],
    shown: Shown,
    hidden: Collection[int] = (),
) -> CertificatePage:
    """The certificate of an attempt whose answers have their latest grades; of the items that are
    hidden it says nothing.
    """
    score = score_of(shown, attempt.quiz)
    is_pass = score.passed is not False
    return CertificatePage(
        name=certificate.name,
        quiz=attempt.quiz.title,
        taken_at=attempt.submitted_at,
        score=score,
        questions=len(graded),
        is_pass=is_pass,
        problem=_solved([each for each in graded if each[0].item_id not in hidden])
        if is_pass
        else None,
    )


def _solved(graded: Sequence[tuple[Answer, Grade]]) -> SolvedProblem | None:
    """The shortest of those that were answered right by the numbers alone.

    Concept questions are asked of others too, and never shown here; what an exam gave one student
    it gives nobody else. A mark that rulings made proves nothing of an answer.
    """
    fit = [each for each in graded if _is_fit(*each)]
    if not fit:
        return None
    answer, grade = min(fit, key=lambda each: len(fields_of(each[0].item.asked)))
    item = reviewed_item(Graded.of(answer, grade), {})
    return SolvedProblem(item.title, item.asked, item.steps[-1].matrix)


def _is_fit(answer: Answer, grade: Grade) -> bool:
    item = answer.item
    if item.variant is None or not item.variant.for_exams or item.variant.struck_at:
        return False
    ruled = len(grade.history) > 1 or grade.ruling_id is not None
    return grade.verdict == verdicts.RIGHT and not ruled and not item.shown["steps"][-1]["choices"]
