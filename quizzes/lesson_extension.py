"""Extension of lessons: their quizzes with results, and the skills to practise."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from design.moments import format_moment
from lessons.extensions import Card, Exercise, Link, Reference, Result
from lessons.markdown.pictures import IMAGE
from lessons.models import Lesson, Rung, Section
from lessons.pages.queries import sections_before, texts_by_reader
from quizzes import problems
from quizzes.authoring.queries import sittings_of_lessons
from quizzes.delivery.effective_settings import UnfinishedQuiz, course_names, unfinished_quizzes
from quizzes.delivery.presenters.scores import Score, format_score
from quizzes.delivery.queries.attempts import submitted_attempts
from quizzes.delivery.queries.counting import counting_attempt_shown
from quizzes.delivery.queries.secrecy import visible_marks
from quizzes.items.presenters.skills import skill_title, skill_url, skills_url
from quizzes.items.queries import items_showing, questions_showing, topics_by_section
from quizzes.items.skills import FAMILY, TOPIC, Skill
from quizzes.models import Attempt, Choice, ConceptQuestion, Sitting
from quizzes.practice.exercises import exercise_of
from quizzes.practice.presenters.exercises import exercise_in_lesson
from quizzes.written.queries import drop_closed, newest_among, open_keys

# A section links to this many skills; the page of all skills has the others.
MAX_SKILLS = 3
# A lesson opens with so many exercises of earlier ones.
WARM_UPS = 2


def practice(sections: Sequence[Section]) -> dict[int, list[Link]]:
    """Return links to the skills that each section teaches."""
    topics = topics_by_section(sections)
    families = _open_families(sections)
    language = get_language()
    return {
        section.pk: list(
            _skills(
                tuple(families[section.pk]),
                tuple(topics[section.pk].items()),
                section.lesson.slug,
                language,
                newest_among(families[section.pk]),
            )
        )
        for section in sections
    }


def _open_families(sections: Sequence[Section]) -> dict[int, list[str]]:
    """Return the families that each section teaches and everybody may practise."""
    found = {section.pk: section.family_keys for section in sections}
    is_open = set(drop_closed(chain.from_iterable(found.values())))
    return {pk: [key for key in keys if key in is_open] for pk, keys in found.items()}


# Every page of a lesson has dozens of these links, and always the same.
@lru_cache(maxsize=1024)
def _skills(
    families: tuple[str, ...],
    topics: tuple[tuple[str, str], ...],
    lesson: str,
    _language: str | None,
    _versions: tuple[int, ...],
) -> tuple[Link, ...]:
    titles = dict(topics)
    skills = [Skill(FAMILY, key) for key in families if problems.is_family(key)]
    skills += [Skill(TOPIC, key) for key in titles]
    links = [
        Link(
            _("Practise: %(title)s") % {"title": skill_title(skill, titles)},
            skill_url(skill),
            begins=True,
        )
        for skill in skills[:MAX_SKILLS]
    ]
    if len(skills) > MAX_SKILLS:
        links.append(Link(_("More to practise"), skills_url(lesson)))
    return tuple(links)


def exercises(
    sections: Sequence[Section], rungs: Mapping[int, int] | None
) -> dict[int, list[Exercise]]:
    """Return the exercise that ends each section: of its first family, on the student's rung."""
    reached, found, families = rungs or {}, {}, _open_families(sections)
    for section in sections:
        taught = ", ".join(families[section.pk])
        where = (section.lesson.slug, section.slug, section.pk, taught)
        rung = reached.get(section.pk, Rung.EXAMPLE)
        if exercise := exercise_in_lesson(*where, rung, is_known=rungs is not None):
            found[section.pk] = [exercise]
    return found


def warm_up(lesson: Lesson, *, is_known: bool) -> list[Exercise]:
    """Return the last exercises of earlier lessons that are short and not in this one too."""
    here = {key for section in lesson.sections.all() for key in section.family_keys}
    before = [(*at, families.split(", ")) for *at, families in sections_before(lesson)]
    is_open = set(drop_closed(chain.from_iterable(taught for *_at, taught in before)))
    places = ((*at, ", ".join(filter(is_open.__contains__, taught))) for *at, taught in before)
    asked = ((where, exercise_of(*where, Rung.ALONE)) for where in places)
    fit = (where for where, each in asked if each and each.is_short and each.family not in here)
    last = [
        exercise_in_lesson(*where, Rung.ALONE, is_known=is_known) for where in islice(fit, WARM_UPS)
    ]
    return [exercise for exercise in reversed(last) if exercise]


def cards(student: Any, lessons: Sequence[Lesson]) -> dict[int, list[Card]]:
    """Return the cards of each lesson's quizzes: those of a student's class before all others.

    A quiz that is to be taken in a class leads there. Once it is submitted, or closed, it leads
    where it leads everybody.
    """
    now, keys = timezone.now(), {lesson.pk for lesson in lessons}
    assigned: dict[str, UnfinishedQuiz] = {}
    for quiz in unfinished_quizzes(student) if student.is_authenticated else ():
        if quiz.lesson in keys and not quiz.is_over(now):
            assigned.setdefault(quiz.slug, quiz)
    names = course_names(student) if assigned else {}
    own = {sitting.quiz.slug: sitting for sitting in sittings_of_lessons(list(lessons))}
    found: dict[int, list[Card]] = {}
    for slug, quiz in assigned.items():
        words = _assigned_words(quiz, names[quiz.sitting], now)
        found.setdefault(quiz.lesson, []).append(_assigned_card(quiz, words, own.pop(slug, None)))
    for sitting in own.values():
        found.setdefault(sitting.quiz.lesson_id, []).append(_card(sitting))
    return found


def _assigned_card(quiz: UnfinishedQuiz, words: SafeString, own: Sitting | None) -> Card:
    at = reverse("quizzes:sitting", args=[quiz.slug, quiz.sitting])
    about = {"title": quiz.quiz, "meta": words, "button": _("Go to the quiz"), "alone": own}
    return _quiz_card(quiz.slug, Link(words, at), about)


def _assigned_words(quiz: UnfinishedQuiz, course: str, now: datetime) -> SafeString:
    """Return whose quiz it is, and when it opens, is due or closes."""
    at = quiz.ends_at
    if not quiz.has_opened(now):
        words, at = _("Quiz for %(course)s, opens %(at)s"), quiz.opens_at
    elif quiz.due_at and quiz.due_at < now:
        words = _("Quiz for %(course)s, was due %(at)s")
    elif quiz.due_at:
        words = _("Quiz for %(course)s, due %(at)s")
    elif quiz.closes_at:
        words = _("Quiz for %(course)s, closes %(at)s")
    else:
        words = _("Quiz for %(course)s")
    moment = at and format_moment(at, quiz.time_zone)
    return mark_safe(words % {"course": escape(course), "at": moment})


def _card(sitting: Sitting) -> Card:
    quiz = sitting.quiz
    length = {"questions": sitting.questions, "minutes": sitting.minutes}
    link = Link(
        _("Quiz: %(questions)s questions, %(minutes)s min") % length, quiz.get_absolute_url()
    )
    meta = _("%(questions)s questions · %(minutes)s min") % length
    about = {"title": quiz.title, "meta": meta, "button": _("Take the quiz"), "alone": None}
    return _quiz_card(quiz.slug, link, about)


def _quiz_card(slug: str, link: Link, about: Mapping[str, Any]) -> Card:
    return Card(
        style="quiz",
        name=_("Quiz"),
        link=link,
        anchor=f"quiz-{slug}",
        skip=_("Skip to the quiz"),
        template="quizzes/delivery/_quiz_card.html",
        about=about,
    )


def trials() -> list[Link]:
    """Return the link to a question that guests can try."""
    return [Link(_("Try a question"), reverse("quizzes:try"))]


def references() -> list[Reference]:
    """Return the formula sheet, which is found by the name of each problem too."""
    titles = "; ".join(map(problems.family_title, problems.family_keys()))
    about = _("The formulas from the lessons, in one notation: %(titles)s.") % {"titles": titles}
    return [Reference(_("Formula sheet"), reverse("quizzes:formulas"), about)]


def families() -> list[str]:
    """Return the keys of all families of problems that everybody may practise."""
    return [*problems.family_keys(), *sorted(open_keys())]


def progress(student: Any, lessons: Sequence[Lesson]) -> dict[int, list[Result]]:
    """Return the results of each lesson's quizzes: the attempt that counts, if it may be shown."""
    handed_in = submitted_attempts(student, lessons)
    attempts: dict[Sitting, list[Attempt]] = {}
    for attempt in handed_in:
        attempts.setdefault(attempt.sitting, []).append(attempt)
    found: dict[int, list[Result]] = {}
    marks = visible_marks(student, timezone.now(), handed_in)
    names = course_names(student) if any(each.given_in for each in attempts) else {}
    for sitting, made in attempts.items():
        quiz = made[0].quiz
        counts = counting_attempt_shown(sitting, made, marks)
        score = format_score(marks.of(counts), quiz) if counts else None
        words, at = _result_words(score), quiz.get_absolute_url()
        if sitting.given_in:
            # A class that was left or archived has the title that its sitting keeps.
            course = names.get(sitting.pk, sitting.given_in)
            words = _("%(result)s (%(course)s)") % {"result": words, "course": course}
            at = reverse("quizzes:results", args=[(counts or made[0]).pk])
        result = Result(words, at, bool(score and score.passed))
        found.setdefault(quiz.lesson_id, []).append(result)
    return found


def _result_words(score: Score | None) -> str:
    if score is None:
        return _("Quiz taken")
    if score.passed and score.left_out:
        words = _("Quiz passed: %(percent)s%% of what’s shown")
    elif score.left_out:
        words = _("Quiz taken: %(percent)s%% of what’s shown")
    elif score.passed:
        words = _("Quiz passed: %(percent)s%%")
    else:
        words = _("Quiz taken: %(percent)s%%")
    return words % {"percent": score.percent}


def showing(image: str) -> QuerySet[Any]:
    """Return the published questions that show this image to everybody."""
    return questions_showing(image)


def shown_to(student: Any, image: str) -> QuerySet[Any]:
    """Return the items with this image that this student was asked."""
    return items_showing(image).filter(attempt__student=student)


def texts(user: Any) -> tuple[list[str], list[str]]:
    """Return the texts of the questions that this author may read, and those of all others."""
    choices = Choice.objects.filter(
        Q(text__contains=IMAGE) | Q(feedback__contains=IMAGE), question=OuterRef("pk")
    )
    own = Q(prompt__contains=IMAGE) | Q(explanation__contains=IMAGE)
    showing = ConceptQuestion.objects.filter(own | Exists(choices))
    return texts_by_reader(showing, user, prefetch=("choices",))
