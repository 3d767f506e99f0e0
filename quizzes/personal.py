"""Personal data in quizzes: exporting it without revealing secrets, and erasing it."""

from collections.abc import Collection
from typing import Any

from django.utils import timezone

from audit.changes import field_values
from foundation.personal_data import PersonalData
from quizzes.delivery.queries.secrecy import (
    VisibleMarks,
    questions_hidden_in_practice,
    secret_questions,
    visible_marks,
)
from quizzes.delivery.services.retention import forget_student
from quizzes.models import (
    Attempt,
    Certificate,
    ExtraTime,
    Item,
    ProblemProof,
    Rehearsal,
    Report,
    Ruling,
    SittingMessage,
    StruckOut,
    Wording,
    WrittenProblem,
)


def export_personal_data(student) -> dict[str, Any]:
    """Export a student's attempts with all that was asked, typed and marked, and their other rows.

    An exam's marks are left out until its results are out, and marks of questions while they are
    secret, as on every page.
    """
    attempts = Attempt.objects.filter(student=student).order_by("pk")
    attempts = attempts.select_related("quiz", "sitting").prefetch_related(
        "items__variant", "items__answers__grades__ruling", "items__answers__submission"
    )
    Wording.objects.read(item.wording_id for attempt in attempts for item in attempt.items.all())
    extra_times = ExtraTime.objects.filter(student=student).order_by("pk")
    reports = Report.objects.filter(student=student).order_by("pk")
    certificates = Certificate.objects.filter(attempt__student=student).order_by("pk")
    rehearsals = Rehearsal.objects.filter(asked_by=student).order_by("pk")
    regrades = Ruling.objects.filter(by=student).order_by("pk")
    answers = Report.objects.filter(answered_by=student).order_by("pk")
    messages = SittingMessage.objects.filter(by=student)
    withdrawals = StruckOut.objects.filter(by=student).order_by("pk")
    published = WrittenProblem.every.filter(published_by=student).order_by("pk")
    proofs = ProblemProof.objects.filter(asked_by=student).order_by("pk")
    marks = visible_marks(student, timezone.now())
    secret = secret_questions(student, marks.now, marks.secrets)
    unpractised = questions_hidden_in_practice(student, marks.now)
    return {
        "attempts": [
            _attempt(attempt, marks, unpractised if attempt.is_practice else secret)
            for attempt in attempts
        ],
        "certificates": [
            field_values(each, "attempt", "name", "created_at", "revoked_at")
            | {"address": each.get_absolute_url()}
            for each in certificates
        ],
        "rehearsals": list(rehearsals.values("quiz__title", "asked_at")),
        "problems_published": list(published.values("key", "version", "title", "published_at")),
        "proofs": list(proofs.values("problem__key", "asked_at")),
        "rulings": list(regrades.values("quiz__title", "kind", "state", "made_at", "reason")),
        "extra_time": list(extra_times.values("attempt", "factor", "minutes")),
        "reports": list(
            reports.values(
                *("item__attempt", "item__position", "sentence", "made_at", "changed_at"),
                *("answer", "answered_at", "seen_at"),
            )
        ),
        "messages_to_all": list(messages.values("sitting__quiz__title", "text", "at")),
        "reports_answered": list(answers.values("answer", "answered_at")),
        "numbers_struck_out": list(withdrawals.values("variant__kind", "reason", "at")),
    }


def _attempt(attempt: Attempt, marks: VisibleMarks, secret: Collection[int]) -> dict[str, Any]:
    # A reopened attempt has earlier answers with marks, which its student must not see meanwhile.
    marked = attempt.shows_results(marks.now) and (attempt.is_practice or not attempt.is_open)
    shown = marks.of(attempt)
    items = attempt.items.all()
    withheld = marks.withheld(attempt)
    return {
        "attempt": attempt.pk,
        "quiz": attempt.quiz and attempt.quiz.title,
        **field_values(
            attempt,
            *("skill", "mode", "number", "state", "started_at", "deadline", "extra_time"),
            *("kept_open_until", "reopened", "submitted_at", "closed_by_clock"),
        ),
        "score": shown and shown.points,
        # The points as asked, while nothing is shown: regraded ones could reveal something.
        "out_of": shown.out_of if shown else sum(item.points for item in items),
        "results_are_out": marked,
        "questions_left_out": shown.left_out if shown else 0,
        "items": [
            _item(item, marked and item.question_id not in secret and item.pk not in withheld)
            for item in items
        ],
    }


def _item(item: Item, marked: bool) -> dict[str, Any]:
    return {
        "position": item.position,
        "points": item.points,
        "asked": _asked(item.shown),
        **field_values(item, "draft", "saved_at", "flagged", "hints", "helped_at"),
        "answers": [
            {
                "typed": answer.raw,
                **field_values(answer.submission, "received_at", "by_staff"),
                "grades": [_grade(grade) for grade in answer.grades.all()] if marked else [],
            }
            for answer in item.answers.all()
        ],
    }


def _asked(shown: dict[str, Any]) -> dict[str, Any]:
    """Return the question as it was asked, without which choices are right."""
    kept = ("title", "statement", "prompt", "topic")
    asked = {name: shown[name] for name in kept if name in shown}
    if "choices" in shown:
        asked["choices"] = {choice["key"]: choice["text"] for choice in shown["choices"]}
    return asked


def _grade(grade) -> dict[str, Any]:
    names = ("revision", "points", "out_of", "verdict", "mistake", "steps", "graded_at")
    columns = field_values(grade, *names)
    return columns | {"ruled_because": grade.ruling.reason} if grade.ruling else columns


HOLDING = PersonalData(
    export_personal_data,
    forget_student,
    forgotten=frozenset({"quizzes.ExtraTime.student", "quizzes.Report.student"}),
    kept={
        "quizzes.Attempt.student": "marks stay for statistics, without a name",
        "quizzes.Rehearsal.asked_by": "the quiz is its authors', and robots took it",
        "quizzes.ProblemProof.asked_by": "the problem is its authors'",
        "quizzes.WrittenProblem.published_by": "quizzes ask it, whoever published it",
        "quizzes.Report.answered_by": "an answer stays with whom it was given to",
        "quizzes.SittingMessage.by": "a message stays in the attempts of those it was sent to",
        "quizzes.StruckOut.by": "numbers that mislead are withdrawn, whoever said so",
        "quizzes.Ruling.by": "the marks that it changed are their students'",
    },
)
