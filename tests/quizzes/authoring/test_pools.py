"""A published quiz asks from pools frozen when it was published, until they are frozen again."""

import pytest
import yaml
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from quizzes.authoring.queries import questions_to_ask
from quizzes.authoring.services.loading import load_questions, load_quizzes
from quizzes.authoring.services.pools import freeze_pools, pool_changes
from quizzes.authoring.services.publishing import find_obstacles, find_warnings
from quizzes.authoring.services.quizzes import publish_quiz, save_quiz, withdraw_quiz
from quizzes.authoring.services.slots import write_slots
from quizzes.delivery.queries.secrecy import secret_questions
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.items.services.questions import write_question
from quizzes.items.skills import Skill
from quizzes.models import ConceptQuestion, Quiz, Sitting, Slot
from quizzes.practice.services import practise_quiz, practise_skill
from quizzes.simulation.services import _questions
from tests.each import each
from tests.quizzes.authoring.files import question_in_file

LOCK = "FOR KEY SHARE"


@pytest.fixture
def published(publishable_quiz):
    assert publish_quiz(quiz=publishable_quiz) == []
    return publishable_quiz


def another_question(topic, number=9, **more):
    """Create a question that is published now."""
    like = ConceptQuestion.objects.filter(topic=topic).first()
    fields = {"key": f"{topic}-{number}", "topic": topic, "section": like.section} | more
    question = ConceptQuestion(prompt="New?", published=True, **fields)
    write_question(question=question, choices=list(like.choices.all()))
    return question


def asked_in(attempt):
    return set(attempt.items.exclude(question=None).values_list("question__key", flat=True))


def pool(quiz, topic):
    return set(quiz.pooled.filter(topic=topic).values_list("key", flat=True))


@pytest.mark.service
def test_what_is_published_later_is_not_asked_before_the_pools_are_frozen_again(published, student):
    new = another_question("why-softmax")
    attempts = []
    for _ in range(3):
        attempts.append(start_attempt(student=student, quiz=published))
        submit_attempt(attempt=attempts[-1])
    assert new.key not in set().union(*map(asked_in, attempts))
    freeze_pools(quiz=published)
    assert new.key in asked_in(start_attempt(student=student, quiz=published))


def test_publishing_freezes_again_and_saving_what_is_published_does_not(published):
    new, newer = another_question("keys"), another_question("keys", 10)
    ConceptQuestion.objects.filter(pk=newer.pk).update(published=False)
    published.save()
    save_quiz(quiz=published, sitting=published.own_sitting)
    assert new.key not in pool(published, "keys")
    withdraw_quiz(quiz=published)
    published.published = True
    save_quiz(quiz=published, sitting=published.own_sitting)
    assert new.key in pool(published, "keys")
    assert newer.key not in pool(published, "keys")
    ConceptQuestion.objects.filter(pk=newer.pk).update(published=True)
    publish_quiz(quiz=published)
    assert newer.key in pool(published, "keys")


def test_one_that_is_published_by_its_row_alone_has_pools(publishable_quiz, student):
    publishable_quiz.published = True
    publishable_quiz.save()
    assert pool(publishable_quiz, "keys")
    assert asked_in(start_attempt(student=student, quiz=publishable_quiz))


@each("change", [{"published": False}, {"topic": "why-softmax"}])
def test_what_is_withdrawn_or_gets_another_topic_is_not_asked_any_more_at_once(
    published, student, change
):
    first, second = sorted(pool(published, "keys"))
    ConceptQuestion.objects.filter(key=first).update(**change)
    asked = asked_in(start_attempt(student=student, quiz=published))
    assert second in asked
    assert first not in asked
    left_out = {each.topic: each.left_out for each in pool_changes(published) if each.left_out}
    assert left_out == {"keys": (first,)}


@pytest.mark.service
def test_a_new_version_takes_the_place_of_the_earlier_one(published, student, other_student):
    for item in start_attempt(student=student, quiz=published).items.exclude(question=None):
        question = ConceptQuestion.objects.get(pk=item.question_id)
        choices = list(question.choices.all())
        question.prompt = "Mended?"
        write_question(question=question, choices=choices)
    topics = sorted({slot.topic for slot in published.slots.exclude(topic="")})
    there = {key: pk for pk, _topic, key, _ in questions_to_ask(topics, published)}
    assert there == dict(ConceptQuestion.objects.values_list("key", "pk"))
    items = start_attempt(student=other_student, quiz=published).items.exclude(question=None)
    assert all(item.question.replaced_at is None for item in items)


@pytest.mark.service
def test_practice_of_a_quiz_draws_from_its_pools_and_that_of_a_skill_from_all(published, student):
    new = another_question("why-softmax")
    ConceptQuestion.objects.filter(topic="why-softmax").exclude(pk=new.pk).update(reserved=True)
    assert practise_quiz(student=student, quiz=published).items.filter(position=5).exists()
    assert new.key not in asked_in(practise_quiz(student=student, quiz=published))
    practice = practise_skill(student=student, skill=Skill("topic", "why-softmax"))
    assert asked_in(practice) == {new.key}


def test_a_topic_that_a_published_quiz_begins_to_ask_for_is_frozen(published):
    like = ConceptQuestion.objects.filter(topic="keys").first()
    question = ConceptQuestion(key="x-1", topic="x", prompt="?", published=True)
    write_question(question=question, choices=list(like.choices.all()))
    wanted = list(published.slots.all())
    wanted[-1] = Slot(topic="x")
    new = another_question("values")
    write_slots(quiz=published, wanted=wanted)
    assert pool(published, "x") == {"x-1"}
    assert new.key not in pool(published, "values")


def test_checks_look_at_the_pool_as_it_would_be_frozen_or_as_it_stays(published):
    new = another_question("keys")
    ConceptQuestion.objects.filter(topic="keys").exclude(pk=new.pk).update(published=False)
    assert find_obstacles(published) == []
    (reason,) = find_obstacles(published, anew=False)
    assert "“keys” is asked once" in reason
    ConceptQuestion.objects.filter(topic="keys").update(published=True, reserved=False)
    ConceptQuestion.objects.filter(pk=new.pk).update(reserved=True)
    assert any("keys" in reason for reason in find_warnings(published) if "reserved" in reason)


@pytest.mark.service
def test_what_may_be_asked_is_secret_while_an_exam_runs(published, student):
    Sitting.objects.update(release=Sitting.Release.BY_HAND)
    new = another_question("keys")
    secret = secret_questions(AnonymousUser(), timezone.now())
    assert secret == set(ConceptQuestion.objects.exclude(pk=new.pk).values_list("pk", flat=True))
    freeze_pools(quiz=published)
    assert new.pk in secret_questions(AnonymousUser(), timezone.now())


@pytest.mark.service
def test_robots_are_asked_what_students_are(published):
    new = another_question("keys")
    assert new.key not in [each["key"] for each in _questions("keys", published)]
    withdraw_quiz(quiz=published)
    assert new.key in [each["key"] for each in _questions("keys", published)]


@pytest.mark.service
def test_a_start_asks_the_database_no_oftener_for_pools_and_versions(
    published, student, other_student
):
    start_attempt(student=student, quiz=published)
    with CaptureQueriesContext(connection) as found:
        start_attempt(student=other_student, quiz=published)
    of_pools = [each for each in found if "quizzes_pooledquestion" in each["sql"]]
    locks = {each["sql"].split(" WHERE ")[0].split()[-1] for each in found if LOCK in each["sql"]}
    assert len(of_pools) == 1
    locked = {"quizzes_quiz", "quizzes_conceptquestion"}
    assert locks == (locked if connection.vendor == "postgresql" else set())


# Files


@pytest.fixture
def load(db, tmp_path, monkeypatch):
    """Return a function that loads questions and a quiz that asks one of them."""
    monkeypatch.setattr("quizzes.authoring.services.loading.find_obstacles", lambda *_, **__: [])
    for folder in ("questions", "quizzes"):
        (tmp_path / folder).mkdir()
    quiz = {"slug": "q", "title": "Q", "published": True, "slots": [{"topic": "k"}]}
    (tmp_path / "quizzes/q.yaml").write_text(yaml.safe_dump(quiz))

    def load(*keys, withdrawn=()):
        questions = [question_in_file(key, "k") for key in keys]
        data = {"questions": questions, "withdrawn": list(withdrawn)}
        (tmp_path / "questions/q.yaml").write_text(yaml.safe_dump(data))
        load_questions(folder=tmp_path / "questions")
        load_quizzes(folder=tmp_path / "quizzes", overwrite=False)
        return pool(Quiz.objects.get(slug="q"), "k")

    return load


@pytest.mark.parametrize("asked", [False, True])
def test_loading_freezes_again_what_nobody_was_asked(load, student, asked):
    assert load("k-1") == {"k-1"}
    if asked:
        start_attempt(student=student, quiz=Quiz.objects.get())
    for _ in range(2):
        assert load("k-1", "k-2") == ({"k-1"} if asked else {"k-1", "k-2"})


def test_loading_freezes_again_without_what_was_withdrawn_if_nobody_was_asked(load):
    load("k-1", "k-2")
    for _ in range(2):
        assert load("k-1", "k-3", withdrawn=["k-2"]) == {"k-1", "k-3"}


def test_an_asked_pool_keeps_the_key_that_was_withdrawn_but_nobody_new_is_asked_it(
    load, student, other_student
):
    load("k-1", "k-2")
    quiz = Quiz.objects.get()
    attempt = start_attempt(student=student, quiz=quiz)
    (gone,) = asked_in(attempt)
    (left,) = {"k-1", "k-2"} - {gone}
    for _ in range(2):
        assert load(left, "k-3", withdrawn=[gone]) == {"k-1", "k-2"}
    assert asked_in(attempt) == {gone}
    assert asked_in(start_attempt(student=other_student, quiz=quiz)) == {left}


def test_an_asked_pool_with_too_little_left_is_frozen_again(load, student, other_student):
    load("k-1")
    quiz = Quiz.objects.get()
    attempt = start_attempt(student=student, quiz=quiz)
    for _ in range(2):
        assert load("k-2", withdrawn=["k-1"]) == {"k-2"}
    assert asked_in(attempt) == {"k-1"}
    assert submit_attempt(attempt=attempt)
    assert asked_in(start_attempt(student=other_student, quiz=quiz)) == {"k-2"}


def test_the_pool_of_an_instructors_quiz_stays_when_a_file_withdraws_a_question(load):
    load("k-1", "k-2")
    own = Quiz.objects.create(slug="own", title="Own", published=True)
    own.slots.create(position=1, topic="k")
    freeze_pools(quiz=own)
    Quiz.objects.filter(slug="q").update(title="Edited")
    load("k-1", "k-3", withdrawn=["k-2"])
    for quiz in (own, Quiz.objects.get(slug="q")):
        assert pool(quiz, "k") == {"k-1", "k-2"}


def test_a_question_that_an_instructor_edited_is_asked_on_though_a_file_withdraws_it(load, student):
    load("k-1")
    ConceptQuestion.objects.update(prompt="Edited?")
    assert load("k-2", withdrawn=["k-1"]) == {"k-1", "k-2"}
    assert ConceptQuestion.objects.get(key="k-1").published


# Authors


def test_the_page_of_pools_says_what_would_change_and_freezes(instructor_client, published):
    new = another_question("keys")
    gone = ConceptQuestion.objects.get(key="values-1")
    ConceptQuestion.objects.filter(pk=gone.pk).update(published=False)
    url = reverse("admin:quizzes_quiz_pools", args=[published.pk])
    page = instructor_client.get(url).text
    assert page.index("Would be added") < page.index(new.key)
    assert page.index("Withdrawn or moved to another topic") < page.index(gone.key)
    assert new.key not in pool(published, "keys")
    text = instructor_client.post(url, follow=True).text
    assert "The pools have been frozen again" in text
    assert "Freezing the pools again wouldn’t change anything" in text
    assert new.key in pool(published, "keys")
    assert gone.key not in pool(published, "values")


# Migrations


@pytest.mark.django_db(transaction=True)
def test_an_update_freezes_what_published_quizzes_ask_today(full_quiz, questions, migrate):
    Quiz.objects.create(slug="draft", title="Draft").slots.create(position=1, topic="keys")
    ConceptQuestion.objects.filter(key="keys-1").update(published=False)
    migrate([("quizzes", "0024_asked_questions")])
    migrate()
    kept = set(full_quiz.pooled.values_list("topic", "key"))
    assert kept == {(each.topic, each.key) for each in questions} - {("keys", "keys-1")}
    assert not Quiz.objects.get(slug="draft").pooled.exists()
    assert set(ConceptQuestion.every.values_list("version", flat=True)) == {1}
