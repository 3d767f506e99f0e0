"""What pages read. Each function runs a fixed number of queries, however much there is."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
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
    Answer,
    Attempt,
    Choice,
    ConceptQuestion,
    Grade,
    Item,
    Quiz,
    Sitting,
    Slot,
    Submission,
    Topic,
    Variant,
    Wording,
)
from quizzes.skills import Skill
from quizzes.terms import Terms, extra_time_for, given_to, own_terms

# Of a name or an address, before students are searched for it.
FEWEST_LETTERS = 2
# The concept questions that practice may show.
PRACTISED = {"published": True, "reserved": False}


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
    latest = taken.order_by("-deadline").values("deadline")[:1]
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
    return own.annotate(questions=Count("quiz__slots")).order_by()


def slots_of(quiz: Quiz) -> list[Slot]:
    """What a quiz asks for, in order."""
    return _slots(quiz.pk)


@prepared
def _slots(quiz: int) -> QuerySet[Slot]:
    return Slot.objects.filter(quiz=quiz).order_by("position")


def attempts_at(sitting: Sitting, attempts: Iterable[Attempt]) -> list[Attempt]:
    """Of a student's attempts those at the sitting, the latest first."""
    found = (attempt for attempt in attempts if attempt.sitting_id == sitting.pk)
    return sorted(found, key=lambda attempt: -attempt.number)


def students() -> QuerySet:
    """Whoever learns here: people who have no business in the admin, or who took a quiz."""
    attempts = Attempt.objects.filter(student=OuterRef("pk"))
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


def _bring_sittings(attempts: list[Attempt]) -> list[Attempt]:
    """As `with_sittings` does, for attempts that were read already; with their quizzes."""
    found = _sittings_with(sorted({attempt.sitting_id for attempt in attempts}))
    by_pk = {sitting.pk: sitting for sitting in found}
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


def quizzes_asking(
    sections: Sequence[Section], topics: Mapping[int, Collection[str]]
) -> dict[int, list[Quiz]]:
    """The open quizzes that ask what each section teaches, by the section's primary key."""
    asked = _quizzes_asking(
        list({key for section in sections for key in section.family_keys}),
        list(set().union(*topics.values())),
    )
    asking: dict[str, list[Quiz]] = {}
    for family, topic, pk, lesson, slug, title in asked:
        quiz = Quiz(pk=pk, lesson_id=lesson, slug=slug, title=title)
        asking.setdefault(family or topic, []).append(quiz)
    found: dict[int, list[Quiz]] = {}
    for section in sections:
        taught = {*section.family_keys, *topics[section.pk]}
        quizzes = {quiz for key in taught for quiz in asking.get(key, ())}
        # The quiz of the section's own lesson first.
        found[section.pk] = sorted(
            quizzes, key=lambda quiz: (quiz.lesson_id != section.lesson_id, quiz.title)
        )
    return found


@prepared
def _quizzes_asking(families: list[str], topics: list[str]) -> QuerySet:
    """What is asked for, by each of them once."""
    asked = Slot.objects.filter(Q(family__in=families) | Q(topic__in=topics))
    asked = asked.filter(quiz__in=open_quizzes().values("pk")).order_by()
    quiz = ("quiz", "quiz__lesson", "quiz__slug", "quiz__title")
    return asked.values_list("family", "topic", *quiz).distinct()


def sittings_after(lessons: Sequence[Lesson]) -> list[Sitting]:
    """The open sittings of the quizzes of these lessons, each with the number of its questions."""
    return _open_after([lesson.pk for lesson in lessons])


@prepared
def _open_after(lessons: list[int]) -> QuerySet[Sitting]:
    sittings = open_sittings().filter(quiz__lesson__pk__in=lessons)
    sittings = sittings.select_related(None).select_related("quiz")
    return sittings.annotate(questions=Count("quiz__slots")).order_by("quiz__title")


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
    """All sittings that this student may take part in, those given to them first."""
    extra = extra_time_for(student)
    return [
        *given_to(student),
        *(own_terms(own, extra) for own in _open_to_all()),
    ]


@prepared
def _open_to_all() -> QuerySet[Sitting]:
    return with_last_deadline(open_sittings())


def latest_attempts(student) -> list[Attempt]:
    """The same, read by queries that are put together once."""
    attempts = _bring_sittings(_graded_of(student.pk))
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
    """A graded attempt, if it is this student's own: for whoever asks nothing of its quiz."""
    found = attempt_of(student, pk)
    return found if found and not found.is_practice else None


def exam_of(student, pk: int) -> Attempt | None:
    """A graded attempt with its quiz, if it is this student's own."""
    return _own(student, pk, mode=Attempt.Mode.GRADED)


def practice_of(student, pk: int) -> Attempt | None:
    """A practice with its quiz, if it is this student's own."""
    return _own(student, pk, mode=Attempt.Mode.PRACTICE)


def _own(student, pk: int, *, mode: str) -> Attempt | None:
    for found in _own_attempts(student.pk, pk, mode):
        found.student = student
        return found
    return None


@prepared
def _own_attempts(student: int, pk: int, mode: str) -> QuerySet[Attempt]:
    attempts = Attempt.objects.filter(student=student, pk=pk, mode=mode)
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
    """The answers of a submission in order, each with its latest grade."""
    answers = _answers_of(submission.pk)
    latest = {grade.answer_id: grade for grade in _grades_of(submission.pk)}
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
    return Grade.objects.filter(answer__submission=submission).order_by("revision")


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
    # A regrade's revision comes after the one that it replaces.
    latest = {answer: row for answer, *row in grades}
    made: dict[str, set[int]] = {}
    for question, number, steps in latest.values():
        for step in steps:
            if step["mistake"]:
                name = mistake_name(question or "", step["mistake"])
                made.setdefault(name, set()).add(number)
    return {name: sorted(numbers) for name, numbers in made.items()}


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
    later may ask, or has asked, anybody.
    """
    own = [exam.pk for exam in exams if exam.is_open or not exam.shows_results(now)]
    kept = [sitting for sitting in _showing_later() if not sitting.shows_results(now)]
    asked = Item.objects.filter(question__isnull=False)
    # Each by its own index: with OR between them every item would be read.
    secret = set(_different(asked.filter(attempt__in=own), "question")) if own else set()
    if kept:
        quizzes = {sitting.quiz_id for sitting in kept}
        topics = Slot.objects.filter(quiz__in=quizzes).values("topic")
        secret.update(_different(asked.filter(attempt__sitting__in=kept), "question"))
        secret.update(_different(ConceptQuestion.objects.filter(topic__in=topics), "pk"))
    return secret


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
    reserved = ConceptQuestion.objects.filter(reserved=True)
    return secret_questions(exams_taken(student), now) | set(reserved.values_list("pk", flat=True))


def explained_questions(student, now: datetime, exams: Sequence[Attempt]) -> set[int]:
    """Questions whose explanation this student, who took these exams, may have read: in results, or
    in practice.
    """
    told = [exam.pk for exam in exams if not exam.is_open and exam.shows_results(now)]
    explained = set(_checked_questions(student.pk))
    if told:
        asked = Item.objects.filter(attempt__in=told, question__isnull=False)
        explained.update(_different(asked, "question"))
    return explained


@prepared
def _checked_questions(student: int) -> QuerySet:
    checked = Submission.objects.filter(attempt__student=student, item__question__isnull=False)
    return _different(checked, "item__question")


def last_asked(student) -> dict[int, int]:
    """The questions that this student was ever asked, each with the last item that did."""
    return dict(_last_asked(student.pk))


@prepared
def _last_asked(student: int) -> QuerySet:
    asked = Item.objects.filter(attempt__student=student, question__isnull=False)
    return asked.order_by().values_list("question").annotate(Max("pk"))


# Practice


def is_practicable(skill: Skill) -> bool:
    """Is there such a skill, with anything to ask?"""
    if skill.is_numeric:
        return problems.is_family(skill.key)
    return ConceptQuestion.objects.filter(topic=skill.key, **PRACTISED).exists()


def topic_titles() -> dict[str, str]:
    """What topics are called, by their keys."""
    return dict(_titles())


@prepared
def _titles() -> QuerySet:
    return Topic.objects.values_list("key", "title")


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
    return _checked_practices(student.pk)[:most]


@prepared
def _checked_practices(student: int) -> QuerySet[Attempt]:
    practices = Attempt.objects.filter(student=student, mode=Attempt.Mode.PRACTICE)
    checked = practices.annotate(last=Max("submissions__received_at")).filter(last__isnull=False)
    return checked.select_related("quiz").order_by("-last")


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
