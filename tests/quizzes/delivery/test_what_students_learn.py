"""A secret question does not reveal to a student whether an answer was right.

Two worlds that differ in nothing but the right choices of secret questions look the same.
"""

import json
import re
from contextlib import contextmanager
from datetime import timedelta
from random import Random

import pytest
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.utils import timezone

from accounts.personal import export_personal_data
from quizzes.certificates.services import make_certificate
from quizzes.delivery.queries.secrecy import secret_questions
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.errors import NotOpen, Refused
from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.models import (
    Attempt,
    Certificate,
    Choice,
    ConceptQuestion,
    Grade,
    Item,
    Quiz,
    RulingLine,
    Sitting,
    Submission,
    Wording,
)
from quizzes.models.wordings import _cache
from quizzes.practice.queries.practice import practicable_mistakes
from quizzes.practice.services import check_item, practise_quiz, practise_skill
from tests.quizzes.regrades.regrade_over import rule
from tests.world import right_fields, save_answer, submit_and_mark

pytestmark = pytest.mark.django_db
LISTS = (
    *("/", "/lessons/lesson/", "/learning/", "/attempts/", "/attempts/?order=best", "/quizzes/"),
    *("/quizzes/alone/", "/practice/", "/today/", "/attempts/?state=graded"),
    *("/practice/topic/keys/", "/practice/topic/values/", "/learning/mistakes/"),
)
# Moments to look: at once, and when mistakes of today come back.
LATER = (timedelta(), timedelta(days=1))


def chosen(item, choice):
    return {"answer-choice": choice} if item.question_id else right_fields(item)


def answer_alone(attempt, position, choice="a"):
    """Answer one question alone, and submit."""
    item = attempt.items.select_related("variant").get(position=position)
    save_answer(item, chosen(item, choice), token=f"{item.pk} {item.revision}")
    submit_and_mark(attempt)
    return Attempt.objects.get(pk=attempt.pk)


@contextmanager
def as_it_is_at(moment, monkeypatch):
    """Set the site's clock to this moment, and roll back at the end."""
    with monkeypatch.context() as patched, transaction.atomic():
        patched.setattr(timezone, "now", lambda: moment)
        yield
        transaction.set_rollback(True)


def pages_of(student):
    for attempt in Attempt.objects.filter(student=student).order_by("pk"):
        if attempt.is_practice:
            yield f"/practice/{attempt.pk}/"
            for item in attempt.items.all():
                yield f"/practice/{attempt.pk}/{item.position}/"
        else:
            for page_seen in ("results", "certificate", "status"):
                yield f"/attempts/{attempt.pk}/{page_seen}/"
    for certificate in Certificate.objects.order_by("pk"):
        yield certificate.get_absolute_url()


def page_seen(client, address):
    answer_alone = client.get(address)
    text = re.sub(r'(csrfmiddlewaretoken" value|nonce|data-token)="[^"]*"', "", _text(answer_alone))
    return answer_alone.status_code, answer_alone.headers.get("Location", ""), text


def _text(answer_alone):
    return answer_alone.text if answer_alone.headers.get("Content-Encoding") != "gzip" else ""


def seen(client, student, moment, monkeypatch):
    """Return everything that a student can see of their attempts at one moment, by address."""
    with as_it_is_at(moment, monkeypatch):
        found = {address: page_seen(client, address) for address in [*LISTS, *pages_of(student)]}
        found["file"] = json.dumps(
            export_personal_data(student), cls=DjangoJSONEncoder, sort_keys=True
        )
        exams = Attempt.objects.filter(student=student, mode="graded").order_by("pk")
        found["to practise"] = [
            [item.pk for item in practicable_mistakes(exam, moment)] for exam in exams
        ]
    return found


@contextmanager
def with_other_keys(questions):
    """Run the block in the same past, but with “b” right in these questions instead of “a”."""
    with transaction.atomic():
        _turn(ConceptQuestion.every.filter(pk__in=questions))
        _mark_again()
        yield
        transaction.set_rollback(True)
    _cache.clear()


def _turn(questions):
    for letter in "ab":
        Choice.objects.filter(question__in=questions, key=letter).update(correct=letter == "b")
    keys = set(questions.values_list("key", flat=True))
    for wording in Wording.objects.all():
        if wording.data.get("key") in keys:
            for choice in wording.data["choices"]:
                choice["correct"] = choice["key"] == "b"
            Wording.objects.filter(pk=wording.pk).update(data=wording.data)
    _cache.clear()


def _mark_again():
    """Mark everything again as if for the first time, at the original times."""
    marked_at = dict(Grade.objects.values_list("answer", "graded_at"))
    scored = Attempt.objects.exclude(score=None)
    RulingLine.objects.all().delete()  # marks that are made again are regraded again
    Grade.objects.all().delete()
    Submission.objects.update(
        state=Submission.State.WAITING, claimed_by="", claimed_until=None, tries=0
    )
    scored.update(score=None)
    grade_waiting(seconds=60)
    assert not Submission.objects.exclude(state=Submission.State.GRADED).exists()
    for answered, moment in marked_at.items():
        Grade.objects.filter(answer=answered).update(graded_at=moment)


def look_alike(client, student, monkeypatch):
    """Check that both worlds look the same. Return the number of moments that differ."""
    client.force_login(student)
    turned = 0
    for later in LATER:
        if later:  # looking would submit open attempts, which would end the secret
            for exam in Attempt.objects.filter(state="open").exclude(mode="practice"):
                submit_attempt(attempt=exam)
            grade_waiting()
        moment = timezone.now() + later
        secret = secret_questions(student, moment)
        here = seen(client, student, moment, monkeypatch)
        before = list(Grade.objects.filter(answer__item__question__in=secret).order_by("answer"))
        with with_other_keys(secret):
            after = Grade.objects.filter(answer__item__question__in=secret).order_by("answer")
            turned += [each.verdict for each in before] != [each.verdict for each in after]
            there = seen(client, student, moment, monkeypatch)
        for address in here:
            assert here[address] == there[address], address
    return turned


@pytest.mark.slow
def test_one_question_answered_per_attempt_tells_nothing(
    client, partly_secret_quiz, student, monkeypatch
):
    """Before, each page and the personal file showed whether the answer was right."""
    Quiz.objects.update(pass_mark=33)
    for _number in range(3):
        answer_alone(start_attempt(student=student, quiz=partly_secret_quiz), 2)
    assert look_alike(client, student, monkeypatch)


VOID, POINTS = ("void", {}), ("points", {"points": 1})


@pytest.mark.parametrize(
    ("kind", "values", "position"),
    [
        (*VOID, 1),
        (*POINTS, 3),
        pytest.param(*VOID, 3, marks=pytest.mark.slow),
        pytest.param(*POINTS, 1, marks=pytest.mark.slow),
    ],
)
def test_what_the_share_of_the_whole_attempt_decides_tells_nothing(
    client, partly_secret_quiz, student, monkeypatch, kind, values, position
):
    """A right answer counts less, or not at all, only if that lowers no share: if all is right."""
    Quiz.objects.update(pass_mark=33)
    partly_secret_quiz.slots.filter(position=position).update(points=3)
    attempt = start_attempt(student=student, quiz=partly_secret_quiz)
    for item in attempt.items.select_related("variant"):
        save_answer(item, chosen(item, "a"), token=str(item.pk))
    submit_and_mark(attempt)
    make_certificate(attempt=Attempt.objects.get(pk=attempt.pk), name="Sam")
    rule(
        partly_secret_quiz,
        kind,
        scope="slot",
        slot=attempt.items.get(position=position).slot,
        values=values,
    )
    assert look_alike(client, student, monkeypatch)


class History:
    """The actions of a student who tries to find out what is right."""

    def __init__(self, chance, quiz, student):
        self.chance, self.quiz, self.student = chance, quiz, student

    def answer_one(self):
        answer_alone(self._attempt(), self.chance.choice([1, 2, 2, 3]), self.chance.choice("abc"))

    def answer_some(self):
        attempt = self._attempt()
        for item in attempt.items.select_related("variant"):
            if self.chance.random() < 0.6:
                save_answer(
                    item, chosen(item, self.chance.choice("abc")), token=str(self.chance.random())
                )
        submit_and_mark(attempt)

    def leave_open(self):
        self._attempt()

    def practise(self):
        try:
            if self.chance.random() < 0.5:
                practice = practise_quiz(student=self.student, quiz=self.quiz)
            else:
                skill = Skill("topic", self.chance.choice(["keys", "values"]))
                practice = practise_skill(student=self.student, skill=skill)
            item = self.chance.choice(list(practice.items.select_related("variant")))
            save_answer(
                item, chosen(item, self.chance.choice("ab")), token=str(self.chance.random())
            )
            check_item(attempt=practice, position=item.position)
            grade_waiting()
        except NotOpen:
            return

    def certify(self):
        for attempt in Attempt.objects.filter(student=self.student, mode="graded"):
            try:
                make_certificate(attempt=attempt, name="Sam")
            except Refused:
                continue

    def change_the_final(self):
        days = self.chance.choice((-31, -2, 3, 3, None))
        Sitting.objects.filter(quiz__slug="final").update(
            release=self.chance.choice(["by_hand", "by_hand", "after_close", "at_once"]),
            released=self.chance.random() < 0.2,
            closes_at=days and timezone.now() + timedelta(days=days),
        )

    def change_how_it_counts(self):
        Sitting.objects.filter(quiz=self.quiz).update(counts=self.chance.choice(["best", "last"]))
        Quiz.objects.filter(pk=self.quiz.pk).update(pass_mark=self.chance.choice((33, 60, 67)))
        self.quiz = Quiz.objects.get(pk=self.quiz.pk)

    def step(self):
        names = [name for name in vars(History) if not name.startswith("_") and name != "step"]
        getattr(self, self.chance.choice([*names, *["answer_one", "answer_some"] * 2]))()

    def _attempt(self):
        running = Attempt.objects.filter(student=self.student, mode="graded", state="open").first()
        return running or start_attempt(student=self.student, quiz=self.quiz)


@pytest.mark.slow
def test_no_history_tells_of_secret_questions(client, partly_secret_quiz, student, monkeypatch):
    differing = 0
    for seed in range(99, 106):
        with transaction.atomic():
            history = History(Random(seed), partly_secret_quiz, student)
            for _step in range(12):
                history.step()
            differing += look_alike(client, student, monkeypatch)
            transaction.set_rollback(True)
    assert differing >= 3  # otherwise there was nothing to reveal
    assert Item.objects.count() == 0
