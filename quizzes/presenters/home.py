"""A student's home: what to go on with, what is open, how each skill goes, and what comes next."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from lessons.models import Lesson
from lessons.pages.queries import Progress
from quizzes.analytics import SkillRecord, attempt_that_counts, trend
from quizzes.models import Attempt, Report
from quizzes.presenters.practice import Signpost, practice_lines, title_of
from quizzes.presenters.scores import Score, score_of
from quizzes.presenters.skills import Curve, SkillLine, curve_of, skill_line
from quizzes.services.reporting import address_of
from quizzes.terms import Terms


@dataclass(frozen=True)
class QuizLine:
    """A quiz that is open to this student."""

    title: str
    url: str
    given_in: str
    due_at: datetime | None
    closes_at: datetime | None
    running: Attempt | None
    left: int | None
    score: Score | None
    passed: int | None
    """The attempt that counts, if it is passed: it may have a certificate."""
    curve: Curve | None


@dataclass(frozen=True)
class LessonLine:
    """A lesson with what has been read of it."""

    lesson: Lesson
    progress: Progress


@dataclass(frozen=True)
class Home:
    """The whole page.

    Attributes:
        answered: reports with answers that are new.
    """

    answered: tuple[Signpost, ...]
    suggestion: Signpost | None
    resume: tuple[Signpost, ...]
    quizzes: tuple[QuizLine, ...]
    lessons: tuple[LessonLine, ...]
    skills: tuple[SkillLine, ...]


def home(
    *,
    open_to: Sequence[Terms],
    attempts: Sequence[Attempt],
    practices: Sequence[Attempt],
    records: Sequence[SkillRecord],
    lessons: Sequence[Lesson],
    progress: Mapping[int, Progress],
    titles: Mapping[str, str],
    answered: Sequence[Report],
    now: datetime,
) -> Home:
    """The home of the student to whom these sittings are open, with these attempts and records."""
    lines = [
        LessonLine(lesson, progress[lesson.pk]) for lesson in lessons if progress[lesson.pk].of
    ]
    running = [attempt for attempt in attempts if attempt.takes_answers(now)]
    skills = tuple(skill_line(record.skill, titles, record) for record in records)
    taken = {attempt.sitting_id for attempt in attempts}
    untaken = [
        terms
        for terms in open_to
        if terms.sitting.pk not in taken and terms.has_opened(now) and not terms.has_closed(now)
    ]
    return Home(
        answered=tuple(_answered(report, titles) for report in answered),
        suggestion=_suggestion(running, skills, lines, untaken),
        resume=tuple(
            [
                Signpost(attempt.quiz.title, attempt.get_absolute_url(), _("the clock is running"))
                for attempt in running
            ]
            + practice_lines(practices, titles)
        ),
        quizzes=tuple(_quiz_lines(open_to, attempts, now)),
        lessons=tuple(lines),
        skills=skills,
    )


def _answered(report: Report, titles: Mapping[str, str]) -> Signpost:
    item, attempt = report.item, report.item.attempt
    title = title_of(attempt, titles) if attempt.is_practice else attempt.quiz.title
    words = _("%(title)s, question %(of)s") % {"title": title, "of": item.position}
    return Signpost(words, address_of(report))


def _suggestion(
    running: Sequence[Attempt],
    skills: Sequence[SkillLine],
    lessons: Sequence[LessonLine],
    untaken: Sequence[Terms],
) -> Signpost | None:
    """The one thing to do next: what runs, what is weakest, what is unread, what is untried."""
    if running:
        return Signpost(
            running[0].quiz.title,
            running[0].get_absolute_url(),
            _("You have started it, and the clock is running."),
        )
    if skills and not skills[0].is_mastered:
        says = _("Your weakest skill so far: %(percent)s %%.") % {"percent": skills[0].percent}
        return Signpost(_("Practise: %(skill)s") % {"skill": skills[0].title}, skills[0].url, says)
    for line in lessons:
        if section := line.progress.following:
            return Signpost(
                section.title, section.get_absolute_url(), _("The next section to read.")
            )
    if untaken:
        says = _("You have not taken this quiz yet.")
        sitting = untaken[0].sitting
        return Signpost(sitting.quiz.title, sitting.get_absolute_url(), says)
    return None


def _quiz_lines(open_to: Iterable[Terms], attempts: Sequence[Attempt], now: datetime) -> Any:
    for terms in open_to:
        sitting = terms.sitting
        own = [attempt for attempt in attempts if attempt.sitting_id == sitting.pk]
        if terms.has_closed(now) and not own:
            continue
        counts = attempt_that_counts(sitting, own, now)
        shares = trend(own, now)
        allowed = terms.attempts_allowed
        yield QuizLine(
            title=sitting.quiz.title,
            url=sitting.get_absolute_url(),
            given_in=sitting.given_in,
            due_at=terms.due_at,
            closes_at=terms.closes_at,
            running=next((attempt for attempt in own if attempt.takes_answers(now)), None),
            left=None if allowed is None else max(0, allowed - len(own)),
            score=score_of(counts) if counts else None,
            passed=counts.pk if counts and counts.has_passed else None,
            curve=curve_of(shares) if len(shares) > 1 else None,
        )
