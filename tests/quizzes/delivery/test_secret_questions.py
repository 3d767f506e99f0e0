"""Secret questions while an exam asks them: stored in as many rows as there are questions."""

from contextlib import suppress
from datetime import timedelta
from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from quizzes.delivery.effective_settings import own_settings
from quizzes.delivery.queries.attempts import graded_attempts
from quizzes.delivery.queries.secrecy import secret_questions
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.errors import NotOpen
from quizzes.models import (
    AskedQuestion,
    Attempt,
    Choice,
    ConceptQuestion,
    Item,
    Quiz,
    Sitting,
    Slot,
)
from tests.world import make_user

pytestmark = pytest.mark.django_db

TOPICS = ("keys", "queries", "values")
STEPS = 60


def is_kept(sitting, now):
    """Return whether the sitting's questions are secret from everybody."""
    if sitting.release == "by_hand" and sitting.closes_at:
        ended = sitting.closes_at + timedelta(days=30) <= now
        taken = sitting.attempts.filter(state="open", deadline__gt=now).exists()
        return not sitting.released and (taken or not ended)
    return not sitting.shows_results(now)


def secret_by_items(exams, now):
    """Return the secret questions by definition, from all items ever asked."""
    own = [exam.pk for exam in exams if exam.is_open]
    secret = set(Item.objects.filter(attempt__in=own).values_list("question", flat=True))
    for sitting in Sitting.objects.select_related("quiz"):
        is_taken = sitting.quiz.published or sitting.attempts.exists()
        if not (is_taken and is_kept(sitting, now)):
            continue
        items = Item.objects.filter(attempt__sitting=sitting)
        secret.update(items.values_list("question", flat=True))
        topics = Slot.objects.filter(quiz=sitting.quiz).values("topic")
        secret.update(ConceptQuestion.objects.filter(topic__in=topics).values_list("pk", flat=True))
    return secret - {None}


class Site:
    """Two quizzes of two questions each, taken alone and in a class, while much changes."""

    def __init__(self, chance):
        self.chance = chance
        self.students = [make_user(name) for name in "abc"]
        for topic in TOPICS:
            for number in range(3):
                self.question(topic, number)
        for slug in ("first", "second"):
            quiz = Quiz.objects.create(slug=slug, title=slug, published=True)
            for position, topic in enumerate(chance.sample(TOPICS, 2), start=1):
                quiz.slots.create(position=position, topic=topic)
            quiz.sittings.create(given_in="A class", open_to_all=False)

    def question(self, topic, number):
        question = ConceptQuestion.objects.create(
            key=f"{topic}-{number}", topic=topic, prompt="?", published=True
        )
        Choice.objects.create(question=question, key="a", text="a", correct=True, feedback="Yes.")

    def one(self, model):
        return self.chance.choice(list(model.objects.order_by("pk")))

    def start(self):
        sitting, student = self.one(Sitting), self.chance.choice(self.students)
        with suppress(NotOpen):
            start_attempt(student=student, quiz=sitting.quiz, settings=own_settings(sitting))

    def submit(self):
        if running := list(Attempt.objects.filter(state="open").order_by("pk")):
            submit_attempt(attempt=self.chance.choice(running))

    def move_question(self):
        question = self.one(ConceptQuestion)
        ConceptQuestion.objects.filter(pk=question.pk).update(topic=self.chance.choice(TOPICS))

    def change_slot(self):
        Slot.objects.filter(pk=self.one(Slot).pk).update(topic=self.chance.choice(TOPICS))

    def change_rules(self):
        hours = self.chance.choice((-31 * 24, -1, 1, None))
        Sitting.objects.filter(pk=self.one(Sitting).pk).update(
            release=self.chance.choice(Sitting.Release.values),
            released=self.chance.choice((True, False)),
            closes_at=hours and timezone.now() + timedelta(hours=hours),
        )

    def publish(self):
        published = self.chance.choice((True, False))
        Quiz.objects.filter(pk=self.one(Quiz).pk).update(published=published)

    def run_out_of_time(self):
        Attempt.objects.filter(state="open").update(deadline=timezone.now() - timedelta(seconds=1))

    def step(self):
        names = [name for name in vars(Site) if name not in ("step", "one", "question")]
        steps = sorted(name for name in names if not name.startswith("_"))
        getattr(self, self.chance.choice([*steps, *["start"] * 3]))()


@pytest.mark.service
@pytest.mark.parametrize("seed", range(6))
def test_secret_questions_are_those_of_all_items(seed):
    site = Site(Random(seed))
    revealed = set()
    for _step in range(STEPS):
        site.step()
        now = timezone.now()
        for student in site.students:
            secret = secret_questions(student, now)
            assert secret == secret_by_items(graded_attempts(student), now)
            revealed.add(len(secret))
    assert len(revealed) > 1


def test_what_was_asked_stays_secret_though_its_quiz_asks_it_no_more(quiz, student, other_student):
    Sitting.objects.filter(quiz=quiz).update(release="by_hand")
    exam = start_attempt(student=student, quiz=Quiz.objects.get(pk=quiz.pk))
    asked = set(exam.items.exclude(question=None).values_list("question", flat=True))
    ConceptQuestion.objects.update(topic="elsewhere")
    now = timezone.now()
    assert secret_questions(other_student, now) == asked
    Sitting.objects.filter(quiz=quiz).update(released=True)
    assert not secret_questions(other_student, now)


@pytest.mark.service
def test_no_items_are_read_to_find_them(quiz, student, other_student):
    Sitting.objects.filter(quiz=quiz).update(release="by_hand")
    submit_attempt(attempt=start_attempt(student=student, quiz=Quiz.objects.get(pk=quiz.pk)))
    with CaptureQueriesContext(connection) as queries:
        assert secret_questions(student, timezone.now())
    assert len(queries) == 2
    assert not any(Item._meta.db_table in query["sql"] for query in queries)


@pytest.mark.service
def test_a_start_writes_down_only_what_nobody_was_asked_before(quiz, student, other_student):
    ConceptQuestion.objects.filter(key__endswith="-2").exclude(topic="values").delete()
    start_attempt(student=student, quiz=quiz)
    asked = set(AskedQuestion.objects.values_list("sitting", "question"))
    items = Item.objects.exclude(question=None)
    assert asked == set(items.values_list("attempt__sitting", "question"))
    with CaptureQueriesContext(connection) as queries:
        start_attempt(student=other_student, quiz=quiz)
    table = AskedQuestion._meta.db_table
    assert [query["sql"][:6] for query in queries if table in query["sql"]] == ["SELECT"]


@pytest.mark.django_db(transaction=True)
def test_an_update_finds_out_what_was_asked_before_it(quiz, student, migrate):
    start_attempt(student=student, quiz=quiz)
    before = sorted(AskedQuestion.objects.values_list("sitting", "question"))
    migrate([("quizzes", "0023_dress_rehearsals")])
    migrate()
    assert before == sorted(AskedQuestion.objects.values_list("sitting", "question"))
    assert len(before) == 2
