"""A student's home: the next thing to do, what else is due, and the standing of each skill.

Tasks with an end come first: a running attempt, then what is due; then tasks without a date.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from math import ceil
from operator import attrgetter
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lessons.models import Lesson
from lessons.pages.queries import NextStep, Progress, next_step
from quizzes.delivery.effective_settings import EffectiveSettings
from quizzes.delivery.presenters.quiz import quiz_lines, sitting_urls
from quizzes.delivery.queries.counting import passed_lessons
from quizzes.delivery.queries.secrecy import VisibleMarks
from quizzes.items.presenters.texts import whole_minutes
from quizzes.items.skills import MISTAKES, TODAY, Skill
from quizzes.models import Attempt, Report
from quizzes.practice.presenters.practice import TitledLink, practice_lines, practice_title
from quizzes.practice.presenters.skills import SkillLine, recommend_skills, skill_line
from quizzes.practice.queries.skill_records import NEW, SHAKY, SOLID, SkillRecord
from quizzes.practice.queries.spaced_review import Today
from quizzes.reports.services import answer_url

DAYS_TO_FIX = timedelta(days=7)
"""The time after a failed quiz in which its mistakes come before new lessons."""
MAX_SHAKY = 6
"""The most skills that are not folded: the weakest."""


@dataclass(frozen=True)
class Task:
    """Something to do, with the label of its button.

    Attributes:
        about: the quiz or skill, which is on the page once.
        begins: whether its button begins at once, by a POST.
        minutes: how long it takes; None if unknown.
        until: when it ends, in `time_zone` if it has one; `ends` names what happens then.
    """

    title: str
    url: str
    button: str
    about: str = ""
    begins: bool = False
    says: str = ""
    minutes: int | None = None
    until: datetime | None = None
    ends: str = ""
    time_zone: str = ""


def home_context(
    *,
    open_to: Sequence[EffectiveSettings],
    attempts: Sequence[Attempt],
    practices: Sequence[Attempt],
    unfinished: Attempt | None,
    records: Sequence[SkillRecord],
    today: Today,
    lessons: Sequence[Lesson],
    progress: Mapping[int, Progress],
    titles: Mapping[str, str],
    answered: Sequence[Report],
    marks: VisibleMarks,
) -> dict[str, Any]:
    """Return the context of a student's home, from their open sittings, attempts and records.

    `practices` have at least one check, the latest first; `unfinished` is the latest of them if it
    is of mistakes and has unchecked questions. In the context, `following` is the next thing to do;
    `waiting` has what ends after it, the earliest first, and the review if something else comes
    first; `given` has the other quizzes of each class, and `own`, `resume` and `results` what else
    can be done without one, so that nothing is there twice; `next_review` is the day on which
    mistakes come back, if none is due today; `shaky` has the weakest skills, and `folded` the
    others by their standing.
    """
    now = marks.now
    skills = [skill_line(record.skill, titles, record) for record in records]
    lines = list(quiz_lines(open_to, {}, attempts, marks))
    taken = {attempt.sitting_id for attempt in attempts}
    known = {attempt.quiz_id for attempt in attempts} | {
        settings.sitting.quiz_id
        for settings in open_to
        if settings.course and not settings.has_closed(now)
    }
    untaken = [
        settings
        for settings in open_to
        if settings.sitting.pk not in taken
        and (settings.course or settings.sitting.quiz_id not in known)
        and settings.has_opened(now)
        and not settings.has_closed(now)
    ]
    addresses = sitting_urls(open_to)
    ending = [*_running_attempts(attempts, now), *_due_assignments(untaken, addresses, now)]
    undated = [
        _quiz(settings, addresses)
        for settings in untaken
        if settings.course and not settings.is_due(now)
    ]
    step = next_step(lessons, progress, passed_lessons(attempts, marks))
    others = [
        *_reviewing(today),
        *_mistakes_to_fix(attempts, unfinished, records, titles, marks),
        *_undated_tasks(step, skills, untaken, addresses),
    ]
    is_new = not (attempts or practices or records or any(p.count for p in progress.values()))
    following = next(chain(ending, others, undated), None)
    waiting = (*ending[1:], *(_reviewing(today) if ending else ()))
    first = [task for task in (following, *waiting) if task]
    shown = {task.about: task for task in first}
    own = _first_of_each(((task.about, task) for task in others), without=shown)
    results = _first_of_each(_own_results(lines), without=shown | own)
    resume = _first_of_each(
        zip(_practised(practices, attempts), practice_lines(practices, titles), strict=True),
        without=shown | own | results,
    )
    shaky = [line for line in skills if line.standing == SHAKY]
    return {
        "is_new": is_new,
        "answered": tuple(_answered(report, titles) for report in answered),
        "following": following,
        "next_review": today.next_on,
        "is_tomorrow": today.next_on == timezone.localdate(now) + timedelta(1),
        "waiting": waiting,
        "given": _by_class(lines, {task.url for task in first}),
        "own": own.values(),
        "resume": resume.values(),
        "results": results.values(),
        "begun": [
            (lesson, _how_far(progress[lesson.pk]))
            for lesson in lessons
            if progress[lesson.pk].count
            and not progress[lesson.pk].complete
            and _about_lesson(lesson) not in shown | own
        ],
        "shaky": shaky[:MAX_SHAKY],
        "folded": {
            words: lines
            for words, lines in (
                (_("More shaky skills"), shaky[MAX_SHAKY:]),
                (_("Solid skills"), [line for line in skills if line.standing == SOLID]),
                (_("New skills"), [line for line in skills if line.standing == NEW]),
            )
            if lines
        },
    }


def _first_of_each[Shown](
    found: Iterable[tuple[str, Shown]], without: Collection[str]
) -> dict[str, Shown]:
    """Return the first that was found about each thing, without those that are shown already."""
    first: dict[str, Shown] = {}
    for about, each in found:
        if about not in without:
            first.setdefault(about, each)
    return first


def _by_class(
    lines: Iterable[dict[str, Any]], shown: Collection[str]
) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of each class's quizzes that are not shown already, by its name."""
    given: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        running = line["running"].get_absolute_url() if line["running"] else None
        if line["settings"].course and not {line["url"], running} & set(shown):
            given.setdefault(line["settings"].course, []).append(line)
    return given


def _own_results(lines: Iterable[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for line in lines:
        if line["score"] and not line["settings"].course:
            yield _about_quiz(line["settings"].sitting.quiz_id), line


def _practised(practices: Iterable[Attempt], attempts: Iterable[Attempt]) -> Iterator[str]:
    """Yield what each practice is about: a quiz, also if of its mistakes, or a skill."""
    quizzes = {str(attempt.pk): attempt.quiz_id for attempt in attempts}
    for practice in practices:
        skill = Skill.parse(practice.skill) if practice.skill else None
        if skill is None or skill.of == MISTAKES:
            yield _about_quiz(quizzes.get(skill.key) if skill else practice.quiz_id)
        else:
            yield skill.of if skill.of == TODAY else str(skill)


def _about_quiz(pk: int | None) -> str:
    return f"quiz:{pk}"


def _about_lesson(lesson: Lesson) -> str:
    return f"lesson:{lesson.pk}"


def _answered(report: Report, titles: Mapping[str, str]) -> TitledLink:
    item, attempt = report.item, report.item.attempt
    title = practice_title(attempt, titles) if attempt.is_practice else attempt.quiz.title
    words = _("%(title)s, question %(of)s") % {"title": title, "of": item.position}
    return TitledLink(words, answer_url(report))


def _running_attempts(attempts: Iterable[Attempt], now: datetime) -> Iterator[Task]:
    """Yield running attempts, the one that ends first on top; untimed ones at the end."""
    running = [attempt for attempt in attempts if attempt.takes_answers(now)]
    for attempt in sorted(running, key=lambda each: _or_never(each.deadline)):
        left = attempt.deadline and max(1, ceil((attempt.deadline - now).total_seconds() / 60))
        yield Task(
            title=attempt.quiz.title,
            url=attempt.get_absolute_url(),
            button=_("Continue the quiz"),
            about=_about_quiz(attempt.quiz_id),
            says=_("the clock is running") if left else _("started"),
            minutes=left,
            until=attempt.deadline,
            ends=_("Ends"),
        )


def _due_assignments(
    untaken: Iterable[EffectiveSettings], addresses: Mapping[int, str], now: datetime
) -> Iterator[Task]:
    """Yield the assignments with a date that are not begun, the earliest first."""
    due = [settings for settings in untaken if settings.is_due(now)]
    for settings in sorted(due, key=attrgetter("ends_at")):
        ends = _("Closes")
        if settings.due_at:
            ends = _("Due") if settings.due_at >= now else _("Was due")
        yield replace(
            _quiz(settings, addresses),
            until=settings.ends_at,
            ends=ends,
            time_zone=settings.time_zone,
        )


def _reviewing(today: Today) -> Iterator[Task]:
    if today.reviews:
        yield Task(
            title=_("Today’s review"),
            url=reverse("quizzes:today"),
            button=_("Review"),
            about=TODAY,
            begins=True,
            says=_("your own mistakes, with new numbers"),
            minutes=whole_minutes(today.minutes),
        )


def _mistakes_to_fix(
    attempts: Sequence[Attempt],
    unfinished: Attempt | None,
    records: Iterable[SkillRecord],
    titles: Mapping[str, str],
    marks: VisibleMarks,
) -> Iterator[Task]:
    """Yield the mistakes of the last days: their unfinished practice, and failed quizzes.

    A quiz is left out once it was passed, or each of the skills that went wrong there was tried
    again, without hints.
    """
    lately = marks.now - DAYS_TO_FIX
    if unfinished and unfinished.last > lately:
        yield Task(
            title=practice_title(unfinished, titles),
            url=unfinished.get_absolute_url(),
            button=_("Continue practice"),
            about=next(_practised([unfinished], attempts)),
            says=_("practice under way"),
        )
    last = {record.outcomes[-1].at for record in records if record.outcomes[-1].missed}
    passes = [
        (attempt, marks.of(attempt).passes(attempt.quiz.pass_mark))
        for attempt in attempts
        if attempt.submitted_at and attempt.score is not None and marks.of(attempt)
    ]
    passed = {attempt.quiz_id for attempt, is_passed in passes if is_passed}
    for attempt, is_passed in passes:
        went_wrong = is_passed is False and attempt.submitted_at in last
        if went_wrong and attempt.quiz_id not in passed and attempt.submitted_at > lately:
            yield Task(
                title=attempt.quiz.title,
                url=reverse("quizzes:results", args=[attempt.pk]),
                button=_("See what to fix"),
                about=_about_quiz(attempt.quiz_id),
                says=_("not passed yet"),
            )


def _undated_tasks(
    step: NextStep | None,
    skills: Sequence[SkillLine],
    untaken: Sequence[EffectiveSettings],
    addresses: Mapping[int, str],
) -> Iterator[Task]:
    """Yield tasks without a date: the next lesson, the weakest skill, and an untaken own quiz."""
    if step:
        yield _reading(step)
    for weak in recommend_skills(skills)[:1]:
        yield Task(
            title=_("Practise: %(title)s") % {"title": weak.line.title},
            url=weak.line.url,
            button=_("Practise"),
            about=str(weak.line.skill),
            begins=True,
            says=weak.says,
            minutes=weak.minutes,
        )
    own = (settings for settings in untaken if not settings.course)
    if quiz := next(own, None):
        yield _quiz(quiz, addresses)


def _reading(step: NextStep) -> Task:
    if step.begins_lesson:
        return Task(
            title=step.lesson.title,
            url=step.url,
            button=_("Start lesson 1") if step.is_first else _("Start the lesson"),
            about=_about_lesson(step.lesson),
            says=step.lesson.tagline,
            minutes=step.minutes,
        )
    return Task(
        title=step.section.title,
        url=step.url,
        button=_("Continue reading"),
        about=_about_lesson(step.lesson),
        says=_("%(lesson)s · about %(minutes)s min left")
        % {"lesson": step.lesson.title, "minutes": step.minutes},
    )


def _quiz(settings: EffectiveSettings, addresses: Mapping[int, str]) -> Task:
    sitting = settings.sitting
    whole = settings.minutes and ceil(settings.minutes + settings.extra_time.total_seconds() / 60)
    return Task(
        title=sitting.quiz.title,
        url=addresses[sitting.pk],
        button=_("Go to the quiz"),
        about=_about_quiz(sitting.quiz_id),
        says=settings.course or _("a quiz you haven’t taken yet"),
        minutes=whole,
    )


def _how_far(progress: Progress) -> str:
    words = ngettext("%(read)s of %(of)s section", "%(read)s of %(of)s sections", progress.of)
    return words % {"read": progress.count, "of": progress.of}


def _or_never(at: datetime | None) -> datetime:
    return at or datetime.max.replace(tzinfo=UTC)
