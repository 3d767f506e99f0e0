"""Practices with their checks, and the mistakes made in them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Count, F, Max, Prefetch, Q, QuerySet

from foundation.prepared import prepared
from quizzes import problems
from quizzes.delivery.queries.attempts import (
    items_of,
    last_submission,
    sittings_taken,
    with_quizzes_to_fix,
)
from quizzes.delivery.queries.practicable import closed_problems
from quizzes.delivery.queries.secrecy import (
    exclude_decided_by_secret,
    find_secrets,
    questions_hidden_in_practice,
    visible_marks,
)
from quizzes.items.queries import CREDITED_VERDICTS, _prefetch_wordings
from quizzes.items.skills import MISTAKES, TODAY, Skill
from quizzes.marking.queries import graded_answers, is_not_right
from quizzes.models import Answer, Attempt, Grade, Item, Submission
from quizzes.models.plain_json import cast_to_text
from quizzes.models.steps import parse_outlines

# Grades of answers before which no hint was taken.
WITHOUT_HINTS = Q(answer__item__helped_at=None) | Q(
    answer__item__helped_at__gt=F("answer__submission__received_at")
)


def practicable_mistakes(attempt: Attempt, now: datetime) -> list[Item]:
    """Return the items of a graded attempt that were not right, if they can be practised.

    In the order of the questions, blank ones last. None before the attempt's results are shown, and
    none whose content is secret now.
    """
    hidden = questions_hidden_in_practice(attempt.student, now)
    made = _shown_mistakes(attempt, now)
    families = (item.variant.family for item in made if item.variant)
    closed = closed_problems(attempt.student, families)
    return [item for item in made if item.question_id not in hidden and _is_practised(item, closed)]


def count_left_out(practice: Attempt, attempt: Attempt, now: datetime) -> int:
    """Return how many of the mistakes in an attempt, as its results show them, a practice lacks."""
    asked = Item.objects.filter(attempt=practice).order_by().values("place").distinct()
    return max(0, len(_shown_mistakes(attempt, now)) - asked.count())


def _shown_mistakes(attempt: Attempt, now: datetime) -> list[Item]:
    """Return the items of a graded attempt that its results show as not right."""
    submission = last_submission(attempt)
    marked = submission is not None and submission.state == Submission.State.GRADED
    if not (marked and attempt.is_graded and attempt.shows_results(now)):
        return []
    withheld = visible_marks(attempt.student, now, [attempt]).withheld(attempt)
    wrong = [pair for pair in graded_answers(submission) if is_not_right(pair[1])]
    wrong.sort(key=lambda pair: pair[1].verdict == problems.verdicts.BLANK)
    return [answer.item for answer, _grade in wrong if answer.item_id not in withheld]


def _is_practised(item: Item, closed: Collection[str]) -> bool:
    if item.variant:
        return item.variant.family not in closed and problems.is_family(item.variant.family)
    return item.question is not None and item.question.published


def practices_on(student, day: str) -> list[Attempt]:
    """Return the practices of a day's reviews, oldest first."""
    skill = f"{Skill(TODAY, day)}-"
    practices = Attempt.objects.filter(student=student, mode=Attempt.Mode.PRACTICE)
    return list(practices.filter(skill__startswith=skill).order_by("pk"))


def is_fully_checked(attempt: Attempt) -> bool:
    """Return whether every place of this practice was checked at least once."""
    asked = Item.objects.filter(attempt=attempt).order_by().values("place")
    return not asked.annotate(checks=Count("submissions")).filter(checks=0).exists()


def unfinished_practice(practices: Sequence[Attempt]) -> Attempt | None:
    """Return the first practice, if it is of mistakes or reviews and not all of it is checked."""
    latest = next(iter(practices), None)
    if latest is None or not latest.skill:
        return None
    of_missed = Skill.parse(latest.skill).of in (MISTAKES, TODAY)
    return latest if of_missed and not is_fully_checked(latest) else None


@dataclass(frozen=True)
class NamedMistake:
    """A mistake that a student made, last when, and whether the step was right since.

    `answer` is the primary key of the answer with the mistake.
    """

    family: str
    step: str
    mistake: str
    answer: int
    made_at: datetime
    corrected_at: datetime | None = None


def named_mistakes(student, now: datetime) -> list[NamedMistake]:
    """Return every named numeric mistake of this student, the latest first.

    In practice the first check of an item counts, in an exam the last submission, once its results
    are shown. A mistake is corrected once a later answer without hints, to the same family, has the
    same step right; the same mistake after that counts as a new one.
    """
    hidden = [each.pk for each in sittings_taken(student) if not each.shows_results(now)]
    marked = _marked_steps(student, hidden, *find_secrets(student, now).lists)
    found: dict[tuple[str, str, str], NamedMistake] = {}
    for answer, family, at, helped_at, steps in marked:
        for step, verdict, mistake, _lost in parse_outlines(steps):
            if verdict == problems.verdicts.MISTAKE:
                found[family, step, mistake] = NamedMistake(family, step, mistake, answer, at)
            elif verdict in CREDITED_VERDICTS and not (helped_at and helped_at <= at):
                for key, made in found.items():
                    if key[:2] == (family, step) and made.corrected_at is None:
                        found[key] = replace(made, corrected_at=at)
    return sorted(found.values(), key=lambda made: made.made_at, reverse=True)


def _marked_steps(student, hidden: list[int], *lists: list[int]) -> QuerySet:
    grades = Grade.objects.of_learners().counting().latest()
    grades = grades.filter(
        answer__submission__attempt__student=student,
        answer__item__variant__isnull=False,
        out_of__gt=0,
    )
    return (
        exclude_decided_by_secret(grades, *lists)
        .exclude(answer__submission__attempt__sitting__pk__in=hidden)
        .order_by("answer__submission__received_at", "answer_id")
        .values_list(
            "answer_id",
            "answer__item__variant__family",
            "answer__submission__received_at",
            "answer__item__helped_at",
            cast_to_text("steps"),
        )
    )


def answers_by_key(pks: Iterable[int]) -> dict[int, Answer]:
    """Return these answers with their items, variants and wordings, by primary key."""
    answers = Answer.objects.filter(pk__in=list(pks)).select_related("item__variant")
    found = {answer.pk: answer for answer in answers}
    _prefetch_wordings(answer.item for answer in found.values())
    return found


def latest_checks(attempt: Attempt, hidden: Collection[int] = ()) -> dict[int, Submission]:
    """Return the last check of every checked item, with its answer and grade, by item.

    Checks of hidden questions are left out.
    """
    checks = Submission.objects.filter(attempt=attempt, item__isnull=False)
    checks = checks.exclude(item__question__in=hidden).prefetch_related(
        Prefetch("answers", Answer.objects.select_related("item__variant", "item__question")),
        Prefetch("answers__grades", Grade.objects.latest()),
    )
    found = {check.item_id: check for check in checks.order_by("number")}
    _prefetch_wordings(answer.item for check in found.values() for answer in check.answers.all())
    return found


def last_check(attempt: Attempt, position: int) -> Submission | None:
    """Return the last check of one item."""
    checks = Submission.objects.filter(attempt=attempt, item__position=position)
    return checks.order_by("number").last()


def practised_items(
    student, skill: Skill, hidden: Collection[int] = ()
) -> list[tuple[Item, Submission | None]]:
    """Return a student's items of a skill's practice with their last checks, the latest first."""
    attempts = Attempt.objects.filter(student=student, mode=Attempt.Mode.PRACTICE, skill=str(skill))
    met = []
    for attempt in attempts.order_by("-started_at"):
        checks = latest_checks(attempt, hidden)
        met += [(item, checks.get(item.pk)) for item in reversed(items_of(attempt))]
    return met


def practices_of(student, most: int) -> list[Attempt]:
    """Return the practices in which this student has checked something, the latest first."""
    return with_quizzes_to_fix(_checked_practices(student)[:most])


@prepared
def _checked_practices(student) -> QuerySet[Attempt]:
    practices = Attempt.objects.filter(student=student, mode=Attempt.Mode.PRACTICE)
    checked = practices.annotate(last=Max("submissions__received_at")).filter(last__isnull=False)
    return checked.select_related("quiz").order_by("-last")


def position_to_continue(attempt: Attempt, hidden: Collection[int] = ()) -> int:
    """Return the position of the first place whose newest item is not yet right, else of the last.

    Hidden questions are skipped: stopping at one would reveal its verdict.
    """
    newest = {item.place: item for item in items_of(attempt)}
    checks = latest_checks(attempt, hidden)
    for _, item in sorted(newest.items()):
        if (
            item.question_id not in hidden
            and check_verdict(checks.get(item.pk)) != problems.verdicts.RIGHT
        ):
            return item.position
    return newest[max(newest)].position


def last_item_if_done(attempt: Attempt, hidden: Collection[int] = ()) -> int | None:
    """Return the position of the last item if there is nothing to do on it: right, or hidden.

    Treating both alike keeps a hidden question's verdict secret.
    """
    *_, last = items_of(attempt)
    if last.question_id in hidden:
        return last.position
    is_right = check_verdict(latest_checks(attempt).get(last.pk)) == problems.verdicts.RIGHT
    return last.position if is_right else None


def check_verdict(check: Submission | None) -> str:
    """Return a check's verdict; "" while there is none."""
    if check is None or check.state != Submission.State.GRADED:
        return ""
    return check.answers.all()[0].grades.all()[0].verdict
