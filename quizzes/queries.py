"""What pages read. Each function runs a fixed number of queries, however much there is."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    TextField,
    When,
    prefetch_related_objects,
)
from django.db.models.functions import Cast, NullIf

from foundation.prepared import prepared
from lessons.models import Lesson, Section
from lessons.pages.queries import shows
from quizzes import problems
from quizzes.models import (
    GRACE,
    HANDED_IN,
    OF_STUDENTS,
    Answer,
    AskedQuestion,
    Attempt,
    Certificate,
    Choice,
    ConceptQuestion,
    Grade,
    Item,
    PooledQuestion,
    Quiz,
    Sitting,
    Slot,
    Submission,
    Topic,
    Variant,
    Wording,
)
from quizzes.models.plain_json import as_text
from quizzes.models.steps import outlines_of
from quizzes.skills import MISTAKES, TODAY, TOPIC, Skill
from quizzes.terms import Terms, extra_time_for, given_to, own_terms

# Of a name or an address, before students are searched for it.
FEWEST_LETTERS = 2
# How many questions the quiz of a sitting has.
QUESTIONS = Count("quiz__slots", filter=Q(quiz__slots__retired_at=None))
# The concept questions that practice may show.
PRACTISED = {"published": True, "reserved": False}
# Of grades those of answers before which no hint was taken.
UNAIDED = Q(answer__item__helped_at=None) | Q(
    answer__item__helped_at__gt=F("answer__submission__received_at")
)
# What leaves nothing to fix: the method at least was right.
GOOD_ENOUGH = (problems.verdicts.RIGHT, problems.verdicts.FOLLOWS, problems.verdicts.NEAR)


def own_sittings() -> QuerySet[Sitting]:
    """The own sittings of published quizzes, with these, in the order of their lessons."""
    own = Sitting.objects.filter(given_in="", quiz__published=True)
    return own.select_related("quiz__lesson").order_by("quiz__lesson__order", "quiz__title")


def open_sittings() -> QuerySet[Sitting]:
    """Those at which whoever learns alone may take a quiz."""
    return own_sittings().filter(open_to_all=True)


def open_quizzes() -> QuerySet[Quiz]:
    """Those that whoever learns alone may take, in the order of their lessons."""
    return Quiz.objects.filter(
        sittings__given_in="", sittings__open_to_all=True, published=True
    ).select_related("lesson")


def with_last_deadline(sittings: QuerySet[Sitting]) -> QuerySet[Sitting]:
    """Sittings of which `shows_results` asks the database no more, one by one."""
    taken = Attempt.objects.filter(
        sitting=OuterRef("pk"), mode=Attempt.Mode.GRADED, state=Attempt.State.OPEN
    )
    # By the sitting: of all that is open, at whatever sitting, there may be thousands.
    latest = taken.order_by().values("sitting").annotate(last=Max("deadline")).values("last")
    return sittings.annotate(last_deadline=Subquery(latest))


def with_sittings(attempts: QuerySet[Attempt]) -> QuerySet[Attempt]:
    """Attempts all of whose results can be asked for."""
    return attempts.prefetch_related(Prefetch("sitting", with_last_deadline(Sitting.objects.all())))


def quiz_to_take(slug: str) -> Quiz | None:
    """A published quiz with its lesson, its own sitting and the number of its slots."""
    for own in _own_sittings_of(slug):
        own.quiz.own_sitting, own.quiz.questions = own, own.questions
        return own.quiz
    return None


@prepared
def _own_sittings_of(slug: str) -> QuerySet[Sitting]:
    own = own_sittings().filter(quiz__slug=slug)
    return own.annotate(questions=QUESTIONS).order_by()


def slots_of(quiz: Quiz) -> list[Slot]:
    """What a quiz asks for, in order."""
    return _slots(quiz.pk)


@prepared
def _slots(quiz: int) -> QuerySet[Slot]:
    return Slot.objects.filter(quiz=quiz).order_by("position")


def askable(topics: Sequence[str], quiz: Quiz | None = None) -> QuerySet[ConceptQuestion]:
    """The questions that may be asked on topics: those of the quiz's pools.

    Without a quiz, while it is not published, and on a topic of which it has frozen nothing: all
    that are published.
    """
    published = ConceptQuestion.objects.filter(topic__in=topics, published=True).order_by()
    return published.filter(_in_pools(quiz.pk)) if quiz and quiz.published else published


def _in_pools(quiz: Any) -> Q:
    pool = PooledQuestion.objects.filter(quiz=quiz, topic=OuterRef("topic"))
    return Q(Exists(pool.filter(key=OuterRef("key")))) | Q(~Exists(pool))


def questions_to_ask(topics: Iterable[str], quiz: Quiz | None) -> list[tuple[int, str, str, bool]]:
    """The same, read by a query that is put together once: pk, topic, key, and is it reserved?"""
    wanted = sorted(set(topics))
    if quiz and quiz.published:
        return _askable_in(quiz.pk, wanted)
    return _askable(wanted)


_OF_ASKABLE = ("pk", "topic", "key", "reserved")


@prepared
def _askable(topics: list[str]) -> QuerySet:
    return askable(topics).values_list(*_OF_ASKABLE)


@prepared
def _askable_in(quiz: int, topics: list[str]) -> QuerySet:
    return askable(topics).filter(_in_pools(quiz)).values_list(*_OF_ASKABLE)


def attempts_at(sitting: Sitting, attempts: Iterable[Attempt]) -> list[Attempt]:
    """Of a student's attempts those at the sitting, the latest first."""
    found = (attempt for attempt in attempts if attempt.sitting_id == sitting.pk)
    return sorted(found, key=lambda attempt: -attempt.number)


def students() -> QuerySet:
    """Whoever learns here: people who have no business in the admin, or who took a quiz."""
    attempts = Attempt.objects.filter(student=OuterRef("pk"), mode__in=OF_STUDENTS)
    return get_user_model().objects.filter(Q(is_staff=False) | Exists(attempts), is_active=True)


def students_like(term: str) -> QuerySet:
    """The students whose name or address has all of these words in it; without any, nobody."""
    found = students().order_by("name", "email")
    words = term.replace("\0", "").split()
    if len("".join(words)) < FEWEST_LETTERS:
        return found.none()
    for word in words:
        found = found.filter(Q(name__icontains=word) | Q(email__icontains=word))
    return found


def attempts_handed_in(student, lessons: Sequence[Lesson]) -> list[Attempt]:
    """This student's graded attempts at the quizzes of these lessons that are over."""
    return _bring_sittings(_handed_in(student.pk, [lesson.pk for lesson in lessons]))


@prepared
def _handed_in(student: int, lessons: list[int]) -> QuerySet[Attempt]:
    over = Attempt.objects.filter(student=student, mode=Attempt.Mode.GRADED)
    over = over.exclude(state=Attempt.State.OPEN)
    return over.filter(quiz__lesson__pk__in=lessons, quiz__published=True)


def _bring_sittings(attempts: list[Attempt], known: Iterable[Sitting] = ()) -> list[Attempt]:
    """As `with_sittings` does, for attempts that were read already; with their quizzes.

    Those sittings that are known, with their quizzes and last deadlines, are not read again.
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


def topics_taught(sections: Sequence[Section]) -> dict[int, dict[str, str]]:
    """The topics of the questions that each section answers, by the section's primary key.

    With what each is called; nothing for one that has no row.
    """
    topics: dict[int, dict[str, str]] = {section.pk: {} for section in sections}
    for section, topic, title in _topics_of(list(topics)):
        topics[section][topic] = title or ""
    return topics


@prepared
def _topics_of(sections: list[int]) -> QuerySet:
    questions = ConceptQuestion.objects.filter(section__pk__in=sections, published=True)
    title = Topic.objects.filter(key=OuterRef("topic")).values("title")
    return questions.values_list("section", "topic", Subquery(title)).distinct().order_by("topic")


def sittings_after(lessons: Sequence[Lesson]) -> list[Sitting]:
    """The open sittings of the quizzes of these lessons, each with the number of its questions."""
    return _open_after([lesson.pk for lesson in lessons])


@prepared
def _open_after(lessons: list[int]) -> QuerySet[Sitting]:
    sittings = open_sittings().filter(quiz__lesson__pk__in=lessons)
    sittings = sittings.select_related(None).select_related("quiz")
    return sittings.annotate(questions=QUESTIONS).order_by("quiz__title")


def attempts_of(student) -> QuerySet[Attempt]:
    """All graded attempts of a student, the latest first."""
    whole = Submission.objects.filter(HANDED_IN)
    attempts = (
        Attempt.objects.filter(student=student, mode=Attempt.Mode.GRADED)
        .prefetch_related(Prefetch("submissions", whole, to_attr="handed_in"))
        .select_related("quiz__lesson")
        .order_by("-started_at", "-pk")
    )
    return with_sittings(attempts)


def open_to(student) -> list[Terms]:
    """All sittings that this student may take part in, those given to them first.

    Nobody is logged in: those that are open to all.
    """
    if not student.is_authenticated:
        return [own_terms(own) for own in _open_to_all()]
    extra = extra_time_for(student)
    return [
        *given_to(student),
        *(own_terms(own, extra) for own in _open_to_all()),
    ]


def questions_in(quizzes: Iterable[int]) -> dict[int, int]:
    """How many questions each of these quizzes has, by its key."""
    asked = Slot.objects.filter(quiz__in=set(quizzes), retired_at=None).order_by()
    return dict(asked.values_list("quiz").annotate(Count("pk")))


@prepared
def _open_to_all() -> QuerySet[Sitting]:
    return with_last_deadline(open_sittings())


def graded_attempts(student, known: Iterable[Sitting] = ()) -> list[Attempt]:
    """A student's attempts that count, the latest first, with their sittings: with these, as far
    as they are `known` from `open_to`.
    """
    return _bring_sittings(_graded_of(student.pk), known)


def latest_attempts(student) -> list[Attempt]:
    """The same, read by queries that are put together once."""
    attempts = graded_attempts(student)
    handed_in: dict[int, list[Submission]] = {}
    for submission in _handed_in_by(student.pk):
        handed_in.setdefault(submission.attempt_id, []).append(submission)
    for attempt in attempts:
        attempt.handed_in = handed_in.get(attempt.pk, [])
    return attempts


@prepared
def _graded_of(student: int) -> QuerySet[Attempt]:
    attempts = Attempt.objects.filter(student=student, mode=Attempt.Mode.GRADED)
    return attempts.order_by("-started_at", "-pk")


@prepared
def _handed_in_by(student: int) -> QuerySet[Submission]:
    attempt = {"attempt__student": student, "attempt__mode": Attempt.Mode.GRADED}
    return Submission.objects.filter(HANDED_IN, **attempt)


@dataclass(frozen=True)
class AttemptChoice:
    """Which of a student's attempts to list, and in which order; what is empty chooses all."""

    quiz: str = ""
    state: str = ""
    order: str = ""


OLDEST, BEST = "oldest", "best"


def chosen_attempts(student, choice: AttemptChoice, now: datetime) -> QuerySet[Attempt]:
    """The graded attempts of a student that are asked for, the latest first.

    Neither a state nor an order tells of marks that are not released.
    """
    attempts = attempts_of(student)
    hidden = [each for each in sittings_taken(student) if not each.shows_results(now)]
    if choice.quiz:
        attempts = attempts.filter(quiz__slug=choice.quiz)
    if choice.state:
        attempts = attempts.filter(_in_state(choice.state, hidden, now))
    if choice.order == OLDEST:
        return attempts.order_by("started_at", "pk")
    if choice.order == BEST:
        share = F("score") / NullIf("out_of", 0.0)
        share = Case(When(sitting__in=hidden, then=None), default=share)
        return attempts.order_by(share.desc(nulls_last=True), "-started_at", "-pk")
    return attempts


def _in_state(state: str, hidden: Sequence[Sitting], now: datetime) -> Q:
    """As `presenters.quiz.attempt_line` calls it."""
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
    """The quizzes that this student has begun."""
    begun = Attempt.objects.filter(student=student, mode=Attempt.Mode.GRADED)
    return Quiz.objects.filter(pk__in=begun.values("quiz")).order_by("title")


def sittings_taken(student) -> QuerySet[Sitting]:
    """The sittings at which this student has begun a quiz."""
    begun = Attempt.objects.filter(student=student, mode=Attempt.Mode.GRADED)
    return with_last_deadline(Sitting.objects.filter(pk__in=begun.values("sitting")))


def attempt_of(student, pk: int) -> Attempt | None:
    """An attempt, if it is this student's own."""
    return next(iter(_attempts_with(student.pk, pk)), None)


@prepared
def _attempts_with(student: int, pk: int) -> QuerySet[Attempt]:
    return Attempt.objects.filter(student=student, pk=pk)


def exam_alone(student, pk: int) -> Attempt | None:
    """What is handed in whole, if it is this student's own: where nothing is asked of its quiz."""
    found = attempt_of(student, pk)
    return found if found and not found.is_practice else None


def exam_of(student, pk: int) -> Attempt | None:
    """A graded attempt, or a preview, with its quiz, if it is this student's own."""
    return _own(student, pk, practice=False)


def practice_of(student, pk: int) -> Attempt | None:
    """A practice with its quiz, if it is this student's own."""
    own = _own(student, pk, practice=True)
    return next(iter(with_quizzes_to_fix([own]))) if own else None


def _own(student, pk: int, *, practice: bool) -> Attempt | None:
    for found in _own_attempts(student.pk, pk):
        if found.is_practice is practice:
            found.student = student
            return found
    return None


@prepared
def _own_attempts(student: int, pk: int) -> QuerySet[Attempt]:
    attempts = Attempt.objects.filter(student=student, pk=pk)
    return attempts.select_related("quiz__lesson", "sitting")


def items_of(attempt: Attempt) -> list[Item]:
    """The items of an attempt in their order, with what they ask for and their drafts."""
    items = _items_with(attempt.pk)
    for item in items:
        item.attempt = attempt
    return _worded(items)


@prepared
def _items_with(attempt: int) -> QuerySet[Item]:
    return Item.objects.filter(attempt=attempt).order_by("position")


def item_at(attempt: Attempt, position: int) -> Item:
    """The item of an attempt at this position.

    Raises:
        Item.DoesNotExist: there is none.
    """
    for item in _items_at(attempt.pk, position):
        item.attempt = attempt
        return item
    raise Item.DoesNotExist


@prepared
def _items_at(attempt: int, position: int) -> QuerySet[Item]:
    return Item.objects.filter(attempt=attempt, position=position).order_by()


def give_variants(items: Iterable[Item]) -> None:
    """Read what it takes to show these: the words and numbers of their variants."""
    numeric = [item for item in items if item.variant_id]
    prefetch_related_objects(numeric, Prefetch("variant", Variant.objects.defer("solution")))


def _worded(items: Iterable[Item]) -> list[Item]:
    items = list(items)
    Wording.objects.read(item.wording_id for item in items)
    return items


def submission_of(attempt: Attempt) -> Submission | None:
    """What waits to be marked, or has been, with the attempt as it was at that moment.

    None while it takes answers: it may have been reopened since it was looked at. Both come from
    one statement: a worker may write state and score between two.
    """
    return next(iter(_whole_submissions(attempt.pk)), None)


@prepared
def _whole_submissions(attempt: int) -> QuerySet[Submission]:
    whole = Submission.objects.filter(HANDED_IN, attempt=attempt)
    return whole.select_related("attempt__quiz__lesson", "attempt__sitting")


def submissions_of(attempt: Attempt) -> list[Submission]:
    """All that was ever handed in of a graded attempt, the first first."""
    return list(Submission.objects.filter(attempt=attempt, item=None).order_by("number"))


def somebody_waits() -> bool:
    """Is there a submission that is neither marked nor given up?"""
    return Submission.objects.filter(state=Submission.State.WAITING).exists()


def marked_exam(pk: int) -> Submission | None:
    """What was handed in of a graded attempt, whoever's, once it is marked."""
    exam = Attempt.objects.filter(pk=pk, mode=Attempt.Mode.GRADED)
    marked = Submission.objects.filter(HANDED_IN, attempt__in=exam, state=Submission.State.GRADED)
    return marked.select_related(
        "attempt__quiz__lesson", "attempt__sitting", "attempt__student"
    ).first()


def graded_answers(submission: Submission) -> list[tuple[Answer, Grade]]:
    """The answers of a submission in order, each with its latest grade.

    That has the grades of which rulings made it, the first first, as its `history`; itself the
    last of them.
    """
    answers = _answers_of(submission.pk)
    grades: dict[int, list[Grade]] = {}
    for grade in _grades_of(submission.pk):
        grades.setdefault(grade.answer_id, []).append(grade)
    latest = {}
    for answer, history in grades.items():
        latest[answer] = history[-1]
        latest[answer].history = history
    _worded(answer.item for answer in answers)
    return [(answer, latest[answer.pk]) for answer in answers]


@prepared
def _answers_of(submission: int) -> QuerySet[Answer]:
    answers = Answer.objects.filter(submission=submission)
    answers = answers.select_related("item__variant", "item__question__section__lesson")
    texts = ("body", *(f"lesson__{part}" for part in Lesson.PARTS))
    answers = answers.defer(*(f"item__question__section__{text}" for text in texts))
    return answers.order_by("item__position")


@prepared
def _grades_of(submission: int) -> QuerySet[Grade]:
    grades = Grade.objects.filter(answer__submission=submission).select_related("ruling")
    return grades.order_by("revision")


AS_GOOD_AS_RIGHT = (problems.verdicts.RIGHT, problems.verdicts.FOLLOWS)


def is_good(verdict: str) -> bool:
    """Does it leave nothing to fix: was the method at least right?"""
    return verdict in GOOD_ENOUGH


def is_to_fix(grade: Grade) -> bool:
    """Was it worth points, and neither right nor near?"""
    return bool(grade.out_of) and not is_good(grade.verdict)


def is_not_right(grade: Grade) -> bool:
    """Was it worth points, and not all of them came: is it worth practising?"""
    return is_to_fix(grade) or (bool(grade.out_of) and grade.verdict == problems.verdicts.NEAR)


def mistakes_of(attempt: Attempt, now: datetime) -> list[Item]:
    """What was not right, or near alone, in a graded attempt and can be practised.

    In the order of the questions, but what was left blank comes last. Nothing before its results
    are shown, and nothing of what may not be told now.
    """
    submission = submission_of(attempt)
    marked = submission is not None and submission.state == Submission.State.GRADED
    if not (marked and attempt.is_graded and attempt.shows_results(now)):
        return []
    hidden = kept_from_practice(attempt.student, now)
    wrong = [pair for pair in graded_answers(submission) if is_not_right(pair[1])]
    wrong.sort(key=lambda pair: pair[1].verdict == problems.verdicts.BLANK)
    return [
        item
        for item in (answer.item for answer, _grade in wrong)
        if item.question_id not in hidden and _is_practised(item)
    ]


def _is_practised(item: Item) -> bool:
    if item.variant:
        return problems.is_family(item.variant.family)
    return item.question is not None and item.question.published


def mistake_name(question: str, mistake: str) -> str:
    """What a mistake is known by in all attempts: its key, of a choice with its question's."""
    return f"{question}:{mistake}"


def mistakes_before(attempt: Attempt) -> dict[str, list[int]]:
    """The named mistakes of this student's earlier attempts at the quiz, with their numbers."""
    if attempt.number == 1:
        return {}
    earlier = Attempt.objects.filter(
        student=attempt.student_id, sitting=attempt.sitting_id, mode=Attempt.Mode.GRADED
    ).filter(number__lt=attempt.number)
    grades = (
        Grade.objects.filter(
            answer__item__attempt__in=earlier,
            answer__submission__number=F("answer__item__attempt__reopened") + 1,
        )
        .order_by("answer_id", "revision")
        .values_list(
            "answer_id", "answer__item__question__key", "answer__item__attempt__number", "steps"
        )
    )
    # A ruling's revision comes after the one that it replaces.
    latest = {answer: row for answer, *row in grades}
    made: dict[str, set[int]] = {}
    for question, number, steps in latest.values():
        for step in steps:
            if step["mistake"]:
                name = mistake_name(question or "", step["mistake"])
                made.setdefault(name, set()).add(number)
    return {name: sorted(numbers) for name, numbers in made.items()}


def certificate_of(attempt: Attempt) -> Certificate | None:
    """The one that stands."""
    return Certificate.objects.filter(attempt=attempt, revoked_at=None).first()


def certificate_at(token: str) -> Certificate | None:
    """The one with this address, withdrawn or not."""
    return Certificate.objects.filter(token=token).select_related("attempt").first()


@dataclass(frozen=True)
class Chances:
    """Whether a student may start a quiz, or go on with it."""

    running: Attempt | None
    used: int
    left: int | None
    opened: bool
    closed: bool

    @property
    def may_start(self) -> bool:
        return self.opened and not self.closed and self.left != 0


def chances_at(terms: Terms, attempts: list[Attempt], now: datetime) -> Chances:
    """What is left to a student who has made these attempts at a sitting."""
    allowed = terms.attempts_allowed
    return Chances(
        running=next((attempt for attempt in attempts if attempt.takes_answers(now)), None),
        used=len(attempts),
        left=None if allowed is None else max(0, allowed - len(attempts)),
        opened=terms.has_opened(now),
        closed=terms.has_closed(now),
    )


def exams_taken(student) -> list[Attempt]:
    """The graded attempts of a student; of all can be asked whether their results may be shown."""
    return _bring_sittings(_graded_of(student.pk))


def secret_questions(exams: Sequence[Attempt], now: datetime) -> set[int]:
    """Questions whose answers must not be told now to the student who took these exams.

    What an exam of theirs asks that is open or not released; and what a quiz that shows its results
    later may ask, or has asked, anybody. Of each all versions: one tells of the others.
    """
    kept = [sitting for sitting in _showing_later() if not sitting.shows_results(now)]
    secret: set[int] = set()
    if kept:
        quizzes = {sitting.quiz_id for sitting in kept}
        secret.update(_kept_at([sitting.pk for sitting in kept], list(quizzes)))
    # What an exam of theirs asks that is not released is among them.
    if own := [exam.pk for exam in exams if exam.is_open]:
        asked = Item.objects.filter(attempt__in=own, question__isnull=False)
        versions = ConceptQuestion.every.filter(key__in=_different(asked, "question__key"))
        secret.update(versions.order_by().values_list("pk", flat=True))
    return secret


@prepared
def _kept_at(sittings: list[int], quizzes: list[int]) -> QuerySet:
    """What was asked at these sittings, and what these quizzes may ask, in all versions."""
    asked = AskedQuestion.objects.filter(sitting__pk__in=sittings)
    frozen = PooledQuestion.objects.filter(quiz__pk__in=quizzes)
    pool = PooledQuestion.objects.filter(quiz=OuterRef("quiz"), topic=OuterRef("topic"))
    # Of these topics nothing is frozen: all is asked.
    topics = Slot.objects.filter(~Exists(pool), quiz__pk__in=quizzes)
    questions = ConceptQuestion.every.filter(
        Q(key__in=asked.values("question__key"))
        | Q(key__in=frozen.values("key"))
        | Q(topic__in=topics.values("topic"))
    )
    return questions.order_by().values_list("pk", flat=True)


@prepared
def _showing_later() -> QuerySet[Sitting]:
    """The sittings that show their results later, if anybody may take part or has."""
    taken = Attempt.objects.filter(sitting=OuterRef("pk"), mode=Attempt.Mode.GRADED)
    later = with_last_deadline(Sitting.objects.exclude(release=Sitting.Release.AT_ONCE))
    return later.filter(Q(quiz__published=True) | Exists(taken)).order_by()


def _different(rows: QuerySet, field: str) -> QuerySet:
    return rows.order_by().values_list(field, flat=True).distinct()


def kept_from_practice(student, now: datetime) -> set[int]:
    """Questions that practice must not ask this student, nor say anything of."""
    reserved = ConceptQuestion.every.filter(reserved=True).order_by()
    return secret_questions(exams_taken(student), now) | set(reserved.values_list("pk", flat=True))


def explained_questions(student, now: datetime, exams: Sequence[Attempt]) -> set[str]:
    """The keys of the questions whose explanation this student, who took these exams, may have
    read: in results, or in practice.
    """
    told = [exam.pk for exam in exams if not exam.is_open and exam.shows_results(now)]
    explained = set(_checked_questions(student.pk))
    if told:
        asked = Item.objects.filter(attempt__in=told, question__isnull=False)
        explained.update(_different(asked, "question__key"))
    return explained


@prepared
def _checked_questions(student: int) -> QuerySet:
    checked = Submission.objects.filter(attempt__student=student, item__question__isnull=False)
    return _different(checked, "item__question__key")


def last_asked(student) -> dict[str, int]:
    """The keys of the questions that this student was ever asked, each with the last item that
    did. A preview asked its author.
    """
    return dict(_last_asked(student.pk))


@prepared
def _last_asked(student: int) -> QuerySet:
    asked = Item.objects.filter(
        attempt__student=student, attempt__mode__in=OF_STUDENTS, question__isnull=False
    )
    return asked.order_by().values_list("question__key").annotate(Max("pk"))


# Practice


def is_practicable(skill: Skill) -> bool:
    """Is there such a skill, with anything to ask?"""
    return bool(practicable([skill]))


def practicable(skills: Iterable[Skill]) -> list[Skill]:
    """Those of these skills that can be practised, in their order, by one query."""
    wanted = list(skills)
    topics = {skill.key for skill in wanted if skill.of == TOPIC}
    asked = ConceptQuestion.objects.filter(topic__in=topics, **PRACTISED)
    there = {Skill(TOPIC, key) for key in _different(asked, "topic")} if topics else set()
    return [
        skill
        for skill in wanted
        if skill in there or (skill.is_numeric and problems.is_family(skill.key))
    ]


def practices_on(student, day: str) -> list[Attempt]:
    """The practices of what was due on a day, the first first."""
    skill = f"{Skill(TODAY, day)}-"
    practices = Attempt.objects.filter(student=student, mode=Attempt.Mode.PRACTICE)
    return list(practices.filter(skill__startswith=skill).order_by("pk"))


def is_checked_through(attempt: Attempt) -> bool:
    """Was everything checked that this practice asked at first?"""
    asked = Item.objects.filter(attempt=attempt).order_by().values("place")
    return not asked.annotate(checks=Count("submissions")).filter(checks=0).exists()


def unfinished(practices: Sequence[Attempt]) -> Attempt | None:
    """The first of these if it was made of what was missed, and not all of it is checked."""
    latest = next(iter(practices), None)
    if latest is None or not latest.skill:
        return None
    of_missed = Skill.parse(latest.skill).of in (MISTAKES, TODAY)
    return latest if of_missed and not is_checked_through(latest) else None


@dataclass(frozen=True)
class NamedMistake:
    """A mistake that a student made, the last time, and whether the step was right later on.

    `answer` is the primary key of the answer in which it was made.
    """

    family: str
    step: str
    mistake: str
    answer: int
    made_at: datetime
    mended_at: datetime | None = None


def named_mistakes(student, now: datetime) -> list[NamedMistake]:
    """Every named mistake in numbers that this student made, the latest first.

    Of practice the first check of an item says so, of an exam what was handed in last, once its
    results are shown. It is mended by a later answer without hints to the same family whose same
    step is right, and made anew by the same mistake after that.
    """
    hidden = [each.pk for each in sittings_taken(student) if not each.shows_results(now)]
    # A ruling's revision comes after the one that it replaces.
    latest = {answer: row for answer, *row in _marked_steps(student.pk, hidden)}
    found: dict[tuple[str, str, str], NamedMistake] = {}
    for answer, (family, at, helped_at, steps) in latest.items():
        for step, verdict, mistake, _lost in outlines_of(steps):
            if verdict == problems.verdicts.MISTAKE:
                found[family, step, mistake] = NamedMistake(family, step, mistake, answer, at)
            elif verdict in AS_GOOD_AS_RIGHT and not (helped_at and helped_at <= at):
                for key, made in found.items():
                    if key[:2] == (family, step) and made.mended_at is None:
                        found[key] = replace(made, mended_at=at)
    return sorted(found.values(), key=lambda made: made.made_at, reverse=True)


@prepared
def _marked_steps(student: int, hidden: list[int]) -> QuerySet:
    return (
        Grade.objects.filter(
            answer__item__attempt__student=student,
            answer__item__attempt__mode__in=OF_STUDENTS,
            answer__item__variant__isnull=False,
            answer__submission__number=F("answer__item__attempt__reopened") + 1,
            out_of__gt=0,
        )
        .exclude(answer__item__attempt__sitting__pk__in=hidden)
        .order_by("answer__submission__received_at", "answer_id", "revision")
        .values_list(
            "answer_id",
            "answer__item__variant__family",
            "answer__submission__received_at",
            "answer__item__helped_at",
            as_text("steps"),
        )
    )


def answers_with(pks: Iterable[int]) -> dict[int, Answer]:
    """These answers with all that they were about, by their primary keys."""
    answers = Answer.objects.filter(pk__in=list(pks)).select_related("item__variant")
    found = {answer.pk: answer for answer in answers}
    _worded(answer.item for answer in found.values())
    return found


def topic_titles() -> dict[str, str]:
    """What topics are called, by their keys."""
    return dict(_titles())


@prepared
def _titles() -> QuerySet:
    return Topic.objects.values_list("key", "title")


def named_topics() -> dict[str, Topic]:
    """The topics that somebody has named, by their keys."""
    return Topic.objects.in_bulk()


def homes_of_topics() -> dict[str, Section | None]:
    """Every topic that can be practised, with the first section that teaches it to all."""
    homes: dict[str, Section | None] = {}
    questions = ConceptQuestion.objects.filter(**PRACTISED).select_related("section__lesson")
    for question in questions.order_by("section__lesson__order", "section__order", "pk"):
        home = question.section
        found = home if home and home.lesson.published else None
        homes[question.topic] = homes.get(question.topic) or found
    return homes


def topics_by_lesson() -> dict[str, list[tuple[str, str]]]:
    """Every topic there is, with what it is called, under the title of the lesson it belongs to."""
    titles = topic_titles()
    homes: dict[str, str] = dict.fromkeys(titles, "")
    questions = ConceptQuestion.objects.order_by("section__lesson__order", "topic", "pk")
    for topic, lesson in questions.values_list("topic", "section__lesson__title"):
        homes[topic] = homes.get(topic) or lesson or ""
    found: dict[str, list[tuple[str, str]]] = {}
    for topic, lesson in homes.items():
        found.setdefault(lesson, []).append((topic, titles.get(topic, topic)))
    return {lesson: sorted(topics, key=lambda each: each[1]) for lesson, topics in found.items()}


def checks_of(attempt: Attempt, hidden: Collection[int] = ()) -> dict[int, Submission]:
    """The last check of every item that was checked, by the item, with its answer and grade.

    Of the questions that are hidden there is none.
    """
    checks = Submission.objects.filter(attempt=attempt, item__isnull=False)
    checks = checks.exclude(item__question__in=hidden).prefetch_related(
        Prefetch("answers", Answer.objects.select_related("item__variant", "item__question")),
        Prefetch("answers__grades", Grade.objects.order_by("-revision")),
    )
    found = {check.item_id: check for check in checks.order_by("number")}
    _worded(answer.item for check in found.values() for answer in check.answers.all())
    return found


def last_check(attempt: Attempt, position: int) -> Submission | None:
    """The last check of one item."""
    checks = Submission.objects.filter(attempt=attempt, item__position=position)
    return checks.order_by("number").last()


def practised(
    student, skill: Skill, hidden: Collection[int] = ()
) -> list[tuple[Item, Submission | None]]:
    """What a student met when practising a skill, the latest first, each with its last check."""
    attempts = Attempt.objects.filter(student=student, mode=Attempt.Mode.PRACTICE, skill=str(skill))
    met = []
    for attempt in attempts.order_by("-started_at"):
        checks = checks_of(attempt, hidden)
        met += [(item, checks.get(item.pk)) for item in reversed(items_of(attempt))]
    return met


def practices_of(student, most: int) -> list[Attempt]:
    """The practices that this student has checked something in, the latest first."""
    return with_quizzes_to_fix(_checked_practices(student.pk)[:most])


@prepared
def _checked_practices(student: int) -> QuerySet[Attempt]:
    practices = Attempt.objects.filter(student=student, mode=Attempt.Mode.PRACTICE)
    checked = practices.annotate(last=Max("submissions__received_at")).filter(last__isnull=False)
    return checked.select_related("quiz").order_by("-last")


def with_quizzes_to_fix(practices: Sequence[Attempt]) -> Sequence[Attempt]:
    """Practices; those of mistakes with the title of the quiz in which these were made."""
    skills = {each.pk: Skill.parse(each.skill) for each in practices if each.skill}
    made_in = {pk: int(skill.key) for pk, skill in skills.items() if skill.of == MISTAKES}
    if made_in:
        titles = Attempt.objects.filter(pk__in=made_in.values()).order_by()
        by_pk = dict(titles.values_list("pk", "quiz__title"))
        for each in practices:
            each.quiz_to_fix = by_pk.get(made_in.get(each.pk), "")
    return practices


def position_to_go_on(attempt: Attempt) -> int:
    """The first place of a practice whose newest item is not yet right; else the last place."""
    newest = {item.place: item for item in items_of(attempt)}
    checks = checks_of(attempt)
    for _, item in sorted(newest.items()):
        if verdict_of(checks.get(item.pk)) != problems.verdicts.RIGHT:
            return item.position
    return newest[max(newest)].position


def verdict_of(check: Submission | None) -> str:
    """What a check came to; "" while there is none."""
    if check is None or check.state != Submission.State.GRADED:
        return ""
    return check.answers.all()[0].grades.all()[0].verdict


def students_of_quiz(pk: Any, most: int) -> int:
    """How many students have begun a quiz, or to practise it, counted up to `most`."""
    try:
        begun = Attempt.objects.filter(quiz=pk, mode__in=OF_STUDENTS).order_by()
    except ValueError:  # what stands in an address may be no number
        return 0
    return begun.values("student").distinct()[:most].count()


def earlier_versions(question: ConceptQuestion) -> list[ConceptQuestion]:
    """Those that the current version of a question replaced, the latest first."""
    versions = ConceptQuestion.every.filter(key=question.key).exclude(replaced_at=None)
    return list(versions.order_by("-version"))


def questions_showing(image: str) -> QuerySet[ConceptQuestion]:
    """The published questions with a text that shows this image."""
    choices = Choice.objects.filter(
        shows("text", image) | shows("feedback", image), question=OuterRef("pk")
    )
    texts = shows("prompt", image) | shows("explanation", image)
    return ConceptQuestion.objects.filter(texts | Exists(choices), published=True)


def items_showing(image: str, *, student: Any) -> QuerySet[Item]:
    """The questions that a student was asked with this image, whatever became of them since."""
    of_student = Item.objects.filter(attempt__student=student)
    return of_student.annotate(text=Cast("wording__data", TextField())).filter(shows("text", image))
