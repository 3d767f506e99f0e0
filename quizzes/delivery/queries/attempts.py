"""Attempts with their items and submissions, and the sittings they belong to."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch, Q, QuerySet

from foundation.folded_names import Bytewise, contains_words, folded_words
from foundation.prepared import prepared, rows_where
from lessons.models import Lesson
from quizzes.authoring.queries import open_sittings, students, with_last_deadline
from quizzes.delivery.effective_settings import (
    EffectiveSettings,
    extra_time_for,
    given_to,
    own_settings,
)
from quizzes.delivery.queries.messages import with_message_signs
from quizzes.delivery.queries.secrecy import ShownMarks, VisibleMarks
from quizzes.items.queries import _prefetch_wordings
from quizzes.items.skills import MISTAKES, Skill
from quizzes.models import GRACE, Attempt, Certificate, Item, Quiz, Sitting, Submission

# The letters of a name or an address that a search for students needs.
MIN_LETTERS = 2


def with_sittings(attempts: QuerySet[Attempt]) -> QuerySet[Attempt]:
    """Prefetch what `shows_results` of each attempt needs."""
    return attempts.prefetch_related(Prefetch("sitting", with_last_deadline(Sitting.objects.all())))


def attempts_at(sitting: Sitting, attempts: Iterable[Attempt]) -> list[Attempt]:
    """Return the attempts at this sitting, the latest first."""
    found = (attempt for attempt in attempts if attempt.sitting_id == sitting.pk)
    return sorted(found, key=lambda attempt: -attempt.number)


def students_like(term: str) -> QuerySet:
    """Return the students whose name or address has all these words in it; none without words."""
    found, words = students().order_by(Bytewise("folded")), folded_words(term)
    if len("".join(words)) < MIN_LETTERS:
        return found.none()
    return found.filter(contains_words(words, "folded"))


def submitted_attempts(student, lessons: Sequence[Lesson]) -> list[Attempt]:
    """Return this student's submitted graded attempts at the quizzes of these lessons."""
    return _set_sittings(_handed_in(student, list(lessons)))


@prepared
def _handed_in(student, lessons: list[Lesson]) -> QuerySet[Attempt]:
    over = Attempt.objects.graded().filter(student=student)
    over = over.exclude(state=Attempt.State.OPEN)
    return over.filter(quiz__lesson__pk__in=lessons, quiz__published=True)


def _set_sittings(attempts: list[Attempt], known: Iterable[Sitting] = ()) -> list[Attempt]:
    """Set sitting and quiz of attempts that were read already, as `with_sittings` does.

    Sittings that are `known`, with their quizzes and last deadlines, are not read again.
    """
    by_pk = {sitting.pk: sitting for sitting in known}
    if lacking := sorted({attempt.sitting_id for attempt in attempts} - by_pk.keys()):
        by_pk |= {sitting.pk: sitting for sitting in _sittings_with(lacking)}
    for attempt in attempts:
        attempt.sitting = by_pk[attempt.sitting_id]
        attempt.quiz = attempt.sitting.quiz
    return attempts


@prepared
def _sittings_with(pks: list[int]) -> QuerySet[Sitting]:
    sittings = Sitting.objects.filter(pk__in=pks).select_related("quiz__lesson")
    return with_last_deadline(sittings)


def attempts_of(student) -> QuerySet[Attempt]:
    """Return all graded attempts of a student, the latest first."""
    attempts = (
        Attempt.objects.graded()
        .filter(student=student)
        .prefetch_related(Prefetch("submissions", Submission.objects.final(), to_attr="handed_in"))
        .select_related("quiz__lesson")
        .order_by("-started_at", "-pk")
    )
    return with_sittings(attempts)


def available_sittings(student) -> list[EffectiveSettings]:
    """Return the settings of all sittings that this student may take part in, assigned ones first.

    If nobody is logged in, these are the sittings that are open to all.
    """
    if not student.is_authenticated:
        return [own_settings(own) for own in _open_to_all()]
    extra = extra_time_for(student)
    return [*given_to(student), *(own_settings(own, extra) for own in _open_to_all())]


@prepared
def _open_to_all() -> QuerySet[Sitting]:
    return with_last_deadline(open_sittings())


def graded_attempts(student, known: Iterable[Sitting] = ()) -> list[Attempt]:
    """Return a student's graded attempts, the latest first, with their sittings.

    Sittings that are `known` from `open_to` are not read again.
    """
    return _set_sittings(_graded_of(student), known)


def latest_attempts(student) -> list[Attempt]:
    """Return a student's graded attempts, each with its last submission in `handed_in`."""
    attempts = graded_attempts(student)
    handed_in: dict[int, list[Submission]] = {}
    for submission in _handed_in_by(student):
        handed_in.setdefault(submission.attempt_id, []).append(submission)
    for attempt in attempts:
        attempt.handed_in = handed_in.get(attempt.pk, [])
    return attempts


@prepared
def _graded_of(student) -> QuerySet[Attempt]:
    attempts = Attempt.objects.graded().filter(student=student)
    return attempts.order_by("-started_at", "-pk")


@prepared
def _handed_in_by(student) -> QuerySet[Submission]:
    return Submission.objects.final().graded().filter(attempt__student=student)


OLDEST, BEST = "oldest", "best"


def chosen_attempts(
    student, marks: VisibleMarks, *, quiz: str = "", state: str = "", order: str = ""
) -> Sequence[Attempt]:
    """Return the graded attempts of a student that match, the latest first unless ordered.

    Neither a state nor an order reveals marks that are not released, or not shown.
    """
    attempts, now = attempts_of(student), marks.now
    if quiz:
        attempts = attempts.filter(quiz__slug=quiz)
    if state:
        hidden = [each for each in sittings_taken(student) if not each.shows_results(now)]
        attempts = attempts.filter(_in_state(state, hidden, now))
    if order == OLDEST:
        return attempts.order_by("started_at", "pk")
    if order == BEST:
        return sorted(attempts, key=lambda attempt: _best_first(marks.of(attempt)))
    return attempts


def _best_first(shown: ShownMarks | None) -> float:
    return -shown.share if shown and shown.out_of else math.inf


def _in_state(state: str, hidden: Sequence[Sitting], now: datetime) -> Q:
    """Return the condition for a state, as `presenters.quiz.attempt_line` names them."""
    running = Q(state=Attempt.State.OPEN) & (Q(deadline=None) | Q(deadline__gte=now - GRACE))
    if state == Attempt.State.OPEN:
        return running
    if state == "received":
        return ~Q(state=Attempt.State.OPEN) & Q(sitting__in=hidden)
    marked = Q(score__isnull=False) & ~Q(sitting__in=hidden)
    if state == Submission.State.GRADED:
        return marked
    return ~running & ~marked & (Q(state=Attempt.State.OPEN) | ~Q(sitting__in=hidden))


def quizzes_taken(student) -> QuerySet[Quiz]:
    """Return the quizzes that this student has begun."""
    begun = Attempt.objects.graded().filter(student=student)
    return Quiz.objects.filter(pk__in=begun.values("quiz")).order_by("title")


def sittings_taken(student) -> QuerySet[Sitting]:
    """Return the sittings at which this student has begun a quiz."""
    begun = Attempt.objects.graded().filter(student=student)
    return with_last_deadline(Sitting.objects.filter(pk__in=begun.values("sitting")))


def own_attempt(student, pk: int) -> Attempt | None:
    """Return an attempt if it is this student's own."""
    return next(iter(_attempt_alone(student, pk)), None)


@prepared
def _attempt_alone(student, pk: int) -> QuerySet[Attempt]:
    return with_message_signs(Attempt.objects.filter(student=student, pk=pk))


def exam_without_quiz(student, pk: int) -> Attempt | None:
    """Return a student's own graded attempt or preview, without its quiz."""
    found = own_attempt(student, pk)
    return found if found and not found.is_practice else None


def own_exam(student, pk: int) -> Attempt | None:
    """Return a student's own graded attempt or preview, with its quiz."""
    return _own(student, pk, practice=False)


def own_practice(student, pk: int) -> Attempt | None:
    """Return a student's own practice, with its quiz."""
    own = _own(student, pk, practice=True)
    return next(iter(with_quizzes_to_fix([own]))) if own else None


def _own(student, pk: int, *, practice: bool) -> Attempt | None:
    for found in _own_attempts(student, pk):
        if found.is_practice is practice:
            found.student = student
            return found
    return None


@prepared
def _own_attempts(student, pk: int) -> QuerySet[Attempt]:
    attempts = with_message_signs(Attempt.objects.filter(student=student, pk=pk))
    return attempts.select_related("quiz__lesson", "sitting")


def items_of(attempt: Attempt) -> list[Item]:
    """Return the items of an attempt in order, with their wordings and drafts."""
    items = rows_where(Item, attempt=attempt)
    for item in items:
        item.attempt = attempt
    return _prefetch_wordings(items)


def item_at(attempt: Attempt, position: int) -> Item:
    """Return the item of an attempt at this position.

    Raises:
        Item.DoesNotExist: there is none.
    """
    for item in rows_where(Item, attempt=attempt, position=position):
        item.attempt = attempt
        return item
    raise Item.DoesNotExist


def last_submission(attempt: Attempt) -> Submission | None:
    """Return the last submission of an attempt, with the attempt as it was at that moment.

    None while it takes answers: it may have been reopened since it was read. Both come from one
    statement, because a worker may write state and score between two.
    """
    return next(iter(_whole_submissions(attempt)), None)


@prepared
def _whole_submissions(attempt: Attempt) -> QuerySet[Submission]:
    whole = Submission.objects.final().filter(attempt=attempt)
    return whole.select_related("attempt__quiz__lesson", "attempt__sitting")


def attempt_submissions(attempt: Attempt) -> list[Submission]:
    """Return all submissions of a graded attempt, the earliest first."""
    return list(Submission.objects.filter(attempt=attempt, item=None).order_by("number"))


def valid_certificate(attempt: Attempt) -> Certificate | None:
    """Return the attempt's certificate that is not withdrawn."""
    return next(iter(_standing_certificates(attempt)), None)


@prepared
def _standing_certificates(attempt: Attempt) -> QuerySet[Certificate]:
    return Certificate.objects.filter(attempt=attempt, revoked_at=None).order_by("pk")


@dataclass(frozen=True)
class Chances:
    """Whether a student may start a quiz, or go on with it."""

    running: Attempt | None
    left: int | None
    opened: bool
    closed: bool

    @property
    def can_start(self) -> bool:
        return self.opened and not self.closed and self.left != 0


def chances_at(settings: EffectiveSettings, attempts: list[Attempt], now: datetime) -> Chances:
    """Return the chances of a student who has made these attempts at a sitting."""
    allowed = settings.attempts_allowed
    return Chances(
        running=next((attempt for attempt in attempts if attempt.takes_answers(now)), None),
        left=None if allowed is None else max(0, allowed - len(attempts)),
        opened=settings.has_opened(now),
        closed=settings.has_closed(now),
    )


def with_quizzes_to_fix(practices: Sequence[Attempt]) -> Sequence[Attempt]:
    """Return practices, those of mistakes with the title of the quiz they were made in."""
    skills = {each.pk: Skill.parse(each.skill) for each in practices if each.skill}
    made_in = {pk: int(skill.key) for pk, skill in skills.items() if skill.of == MISTAKES}
    if made_in:
        titles = Attempt.objects.filter(pk__in=made_in.values()).order_by()
        by_pk = dict(titles.values_list("pk", "quiz__title"))
        for each in practices:
            each.quiz_to_fix = by_pk.get(made_in.get(each.pk), "")
    return practices
