"""Slots and questions that were asked are never edited in place; changes make new rows."""

from copy import copy
from threading import Barrier

import pytest
import yaml
from django.db.models import ProtectedError
from django.urls import reverse

from quizzes import problems
from quizzes.authoring.content_files import serialize_quiz
from quizzes.authoring.queries import QUESTION_COUNT, own_sittings, quiz_slots, quiz_to_take
from quizzes.authoring.services.loading import load_questions, load_quizzes
from quizzes.authoring.services.slots import write_slots
from quizzes.delivery.queries.attempts import available_sittings
from quizzes.delivery.queries.secrecy import questions_hidden_in_practice, secret_questions
from quizzes.delivery.services.item_selection import lock_wordings
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.items.queries import earlier_versions
from quizzes.items.services.questions import delete_questions, students_asked, write_question
from quizzes.items.skills import Skill
from quizzes.models import Choice, ConceptQuestion, Item, Quiz, Slot
from quizzes.practice.services import practise_quiz, practise_skill, replace_variant
from tests.quizzes.admin.test_admin import change_url
from tests.quizzes.authoring.files import question_in_file
from tests.world import Threads, admin_form, make_user, missing_in


@pytest.fixture
def question(attempt):
    """A question that the student was asked."""
    return attempt.items.exclude(question=None)[0].question


def edited(question, **change):
    """Write the question with changed fields, as a form or a file would. Return both versions."""
    again = ConceptQuestion.objects.get(key=question.key)
    for name, value in change.items():
        setattr(again, name, value)
    return again, write_question(question=again, choices=list(question.choices.all()))


def with_slot(quiz, position, **change):
    """Return all slots of the quiz with one of them changed."""
    slots = list(quiz.slots.all())
    for name, value in change.items():
        setattr(slots[position - 1], name, value)
    return slots


def rows(quiz):
    return list(quiz.slots.values_list("pk", flat=True))


# Slots


@pytest.mark.service
@pytest.mark.parametrize(
    ("position", "change"),
    [
        (1, {"points": 3}),
        (1, {"family": "dot_score"}),
        (1, {"options": {"width": 3}}),
        (1, {"family": "", "options": {}, "topic": "keys"}),
        (5, {"topic": "values"}),
    ],
)
def test_a_slot_that_was_asked_is_replaced(quiz, position, change, attempt):
    before = rows(quiz)
    asked = copy(quiz.slots.get(position=position))
    assert write_slots(quiz=quiz, wanted=with_slot(quiz, position, **change)) == 1
    assert [one == other for one, other in zip(before, rows(quiz), strict=True)].count(False) == 1
    now = quiz.slots.get(position=position)
    assert {name: getattr(now, name) for name in change} == change
    kept = attempt.items.get(position=position).slot
    assert (kept.pk, kept.asks) == (asked.pk, asked.asks)
    assert kept.retired_at


@pytest.mark.service
def test_what_was_asked_is_retired_and_what_was_not_is_deleted(quiz, student):
    slots = list(quiz.slots.all())
    attempt = start_attempt(student=student, quiz=quiz)
    write_slots(quiz=quiz, wanted=[*slots, Slot(family="attention")])
    write_slots(quiz=quiz, wanted=slots[:3])
    assert quiz.slots.count() == 3
    assert Slot.every.filter(quiz=quiz).count() == 6
    assert attempt.items.get(position=6).slot == slots[5]
    with pytest.raises(ProtectedError):
        slots[5].delete()


def test_nobody_sees_a_retired_slot(quiz, student):
    start_attempt(student=student, quiz=quiz)
    write_slots(quiz=quiz, wanted=with_slot(quiz, 1, points=3))
    assert quiz_to_take(quiz.slug).questions == 6
    assert len(quiz_slots(quiz)) == 6
    assert len(serialize_quiz(quiz)["slots"]) == 6
    (alone,) = available_sittings(student)
    assert own_sittings().annotate(n=QUESTION_COUNT).get(pk=alone.sitting.pk).n == 6


def test_a_slot_is_edited_in_place_until_it_is_asked_or_practised(quiz, student):
    before = rows(quiz)
    assert write_slots(quiz=quiz, wanted=with_slot(quiz, 1, points=3)) == 0
    assert (rows(quiz), quiz.slots.first().points) == (before, 3)
    practise_quiz(student=student, quiz=quiz)
    assert write_slots(quiz=quiz, wanted=with_slot(quiz, 1, points=4)) == 1


def test_moving_a_slot_is_no_edit(quiz, attempt):
    turned = list(quiz.slots.all())[::-1]
    assert write_slots(quiz=quiz, wanted=turned) == 0
    assert rows(quiz) == [slot.pk for slot in turned]
    assert [slot.position for slot in quiz.slots.all()] == list(range(1, 7))
    assert attempt.items.get(position=1).slot.position == 6


def test_who_wants_a_slot_that_was_replaced_meanwhile_gets_it_anew(quiz, student):
    start_attempt(student=student, quiz=quiz)
    stale = list(quiz.slots.all())
    write_slots(quiz=quiz, wanted=with_slot(quiz, 1, points=3))
    write_slots(quiz=quiz, wanted=stale)
    assert [slot.points for slot in quiz.slots.all()] == [1] * 6


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("begin", [start_attempt, practise_quiz])
def test_who_starts_meanwhile_gets_all_slots_of_before_or_all_of_after(quiz, begin):
    people = [make_user(str(number)) for number in range(6)]
    together = Barrier(7)

    def start(somebody):
        together.wait()
        return begin(student=somebody, quiz=Quiz.objects.get(pk=quiz.pk)).pk

    def write():
        together.wait()
        for points in range(2, 6):
            wanted = list(quiz.slots.all())
            for slot in wanted:
                slot.points = points
            write_slots(quiz=quiz, wanted=wanted)

    with Threads(7) as pool:
        writing = pool.submit(write)
        begun = list(pool.map(start, people))
        writing.result()
    for pk in begun:
        items = Item.objects.filter(attempt=pk).select_related("slot")
        assert len({(item.points, item.slot.points) for item in items}) == 1
        assert {item.points for item in items} == {item.slot.points for item in items}


# Questions


def test_a_question_nobody_was_asked_is_edited_in_place_with_its_choices(questions):
    before = set(Choice.objects.values_list("pk", flat=True))
    again, asked = edited(questions[0], prompt="Mended?")
    assert (again.pk, again.version, asked) == (questions[0].pk, 1, 0)
    assert set(Choice.objects.values_list("pk", flat=True)) == before


@pytest.mark.service
def test_a_question_that_was_asked_goes_on_in_its_next_version(questions, attempt):
    item = attempt.items.exclude(question=None).first()
    old = item.question
    again, asked = edited(old, prompt="Mended?")
    assert (again.version, asked, students_asked(again)) == (2, 1, 0)
    item = Item.objects.get(pk=item.pk)
    assert item.question == old
    assert lock_wordings([old.pk])[old.pk] == item.asked
    assert ConceptQuestion.objects.get(key=old.key) == again
    assert [choice.key for choice in again.choices.all()] == list("abcd")
    assert earlier_versions(again) == [old]


def test_another_key_makes_a_version_and_another_order_of_choices_too(questions, question):
    choices = list(question.choices.all())
    choices[0].correct, choices[1].correct = False, True
    write_question(question=copy(question), choices=choices)
    now = ConceptQuestion.objects.get(key=question.key)
    assert (now.version, now.choices.get(correct=True).key) == (2, "b")
    assert question.choices.get(correct=True).key == "a"


def test_what_is_the_questions_own_holds_for_all_its_versions(question):
    edited(question, prompt="Mended?")
    again, asked = edited(question, published=False, reserved=True, topic="elsewhere")
    assert (again.version, asked) == (2, 0)
    kept = set(ConceptQuestion.every.filter(key=question.key).values_list("topic", "reserved"))
    assert kept == {("elsewhere", True)}


def test_line_ends_of_a_form_make_no_version(questions, question):
    ConceptQuestion.objects.update(prompt="One\ntwo\n")
    again, asked = edited(question, prompt="One\r\ntwo")
    assert (again.pk, asked, again.prompt) == (question.pk, 0, "One\ntwo\n")


def test_who_had_a_question_has_had_its_next_version(quiz, questions, student, attempt):
    had = attempt.items.get(position=5).question
    edited(had, prompt="Mended?")
    submit_attempt(attempt=attempt)
    assert start_attempt(student=student, quiz=quiz).items.get(position=5).question.key != had.key


@pytest.mark.service
def test_practice_tells_no_version_of_what_an_exam_asks(quiz, questions, student):
    practice = practise_skill(student=student, skill=Skill("topic", "why-softmax"))
    before = practice.items.get().question
    exam = start_attempt(student=student, quiz=quiz)
    asked = exam.items.get(position=5).question
    edited(asked, prompt="Mended?")
    edited(before, prompt="Mended, too?")
    secret = secret_questions(student, exam.started_at)
    assert secret >= {row.pk for row in ConceptQuestion.every.filter(key=asked.key)}
    # The exam took the question that practice had not shown.
    new = replace_variant(attempt=practice, position=1)
    assert (new.question.key, new.question.version) == (before.key, 2)


def test_a_reserved_question_is_kept_from_practice_in_all_versions(quiz, questions, student):
    item = practise_skill(student=student, skill=Skill("topic", "keys")).items.get()
    edited(item.question, prompt="Mended?")
    edited(item.question, prompt="Mended?", reserved=True)
    hidden = questions_hidden_in_practice(student, item.attempt.started_at)
    assert hidden >= {row.pk for row in ConceptQuestion.every.filter(key=item.question.key)}


@pytest.mark.service
def test_a_question_that_is_deleted_leaves_its_pools_and_one_that_was_asked_stays(
    quiz, questions, student
):
    asked = start_attempt(student=student, quiz=quiz).items.exclude(question=None)[0].question
    again, _ = edited(asked, prompt="Mended?")
    with pytest.raises(ProtectedError):
        delete_questions(questions=ConceptQuestion.objects.filter(pk=again.pk))
    new = ConceptQuestion(key="new-1", topic="keys", prompt="?")
    write_question(question=new, choices=[])
    delete_questions(questions=ConceptQuestion.objects.filter(pk=new.pk))
    assert not ConceptQuestion.every.filter(key="new-1").exists()


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_an_item_asks_what_its_question_says_though_it_is_edited_meanwhile(quiz, questions):
    people = [make_user(str(number)) for number in range(6)]
    together = Barrier(8)

    def start(somebody):
        together.wait()
        start_attempt(student=somebody, quiz=Quiz.objects.get(pk=quiz.pk))

    def write(which):
        together.wait()
        for number in range(3):
            for question in questions[which::2]:
                edited(question, prompt=f"Mended {number} of {which}?")

    with Threads(8) as pool:
        writing = [pool.submit(write, which) for which in (0, 1)]
        list(pool.map(start, people))
        for each in writing:
            each.result()
    for item in Item.objects.exclude(question=None):
        assert lock_wordings([item.question_id])[item.question_id] == item.asked
    assert ConceptQuestion.objects.count() == len(questions)


# Authors


def test_an_author_sees_before_and_after_that_a_question_was_asked(instructor_client, question):
    url = change_url(question)
    page = instructor_client.get(url)
    assert "1 student was asked this" in page.text
    text = instructor_client.post(url, admin_form(page) | {"prompt": "Mended?"}, follow=True).text
    assert "This is now version 2. 1 student was asked the earlier version" in text
    # An old address redirects to the current version, which names the earlier one.
    page = instructor_client.get(url, follow=True).text
    version = reverse("admin:quizzes_conceptquestion_version", args=[question.pk])
    assert f'href="{version}"' in page
    shown = instructor_client.get(version).text
    assert missing_in(shown, question.prompt.split(",")[0], "Version 1") == []


def test_saving_a_form_makes_one_version_of_a_change_and_sent_again_loses_nothing(
    instructor_client, question
):
    url = change_url(question)
    form = admin_form(instructor_client.get(url))
    for prompt, version in ((form["prompt"], 1), ("First?", 2), ("Second?", 2)):
        assert instructor_client.post(url, form | {"prompt": prompt}).status_code == 302
        now = ConceptQuestion.objects.get(key=question.key)
        assert (now.version, now.prompt, now.choices.count()) == (version, prompt, 4)
        assert ConceptQuestion.every.filter(key=question.key).count() == version


def test_a_question_of_several_versions_is_not_deleted(instructor_client, question):
    again, _ = edited(question, prompt="Mended?")
    url = reverse("admin:quizzes_conceptquestion_delete", args=[again.pk])
    assert instructor_client.post(url, {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [again.pk], "post": "yes"}
    instructor_client.post(reverse("admin:quizzes_conceptquestion_changelist"), chosen)
    assert ConceptQuestion.every.filter(key=question.key).count() == 2


@pytest.mark.service
def test_a_question_is_listed_once_with_how_often_it_was_asked(
    instructor_client, questions, question
):
    edited(question, prompt="Mended?")
    page = instructor_client.get(reverse("admin:quizzes_conceptquestion_changelist"))
    (row,) = [each for each in page.context["cl"].result_list if each.key == question.key]
    assert (row.version, row.asked) == (2, 1)


def test_an_author_sees_which_slots_were_asked(instructor_client, publishable_quiz, student):
    start_attempt(student=student, quiz=publishable_quiz)
    url = change_url(publishable_quiz)
    page = instructor_client.get(url)
    assert "1 student has taken or practised this quiz" in page.text
    text = instructor_client.post(url, admin_form(page) | {"slots-0-points": "4"}, follow=True).text
    assert "1 slot had already been used, so a new one has replaced it" in text
    assert publishable_quiz.slots.first().points == 4
    assert Slot.every.filter(quiz=publishable_quiz).count() == 16
    assert 'name="slots-TOTAL_FORMS" value="15"' in instructor_client.get(url).text


# Files


@pytest.mark.service
def test_a_file_makes_a_version_of_what_was_asked_and_loading_twice_changes_nothing(
    tmp_path, student
):
    def load(**change):
        (tmp_path / "q.yaml").write_text(
            yaml.safe_dump({"questions": [question_in_file("k-1", "k") | change]})
        )
        (loaded,) = load_questions(folder=tmp_path)
        now = ConceptQuestion.objects.get()
        return loaded.outcome.value, now.version, now.prompt

    load()
    assert load(prompt="Two?") == ("updated", 1, "Two?")
    practise_skill(student=student, skill=Skill("topic", "k"))
    assert load(prompt="Three?") == ("updated", 2, "Three?")
    assert load(prompt="Three?") == ("unchanged", 2, "Three?")
    edited(ConceptQuestion.objects.get(), prompt="By hand?")
    assert load(prompt="Four?") == ("kept", 2, "By hand?")


def test_a_file_replaces_the_slots_that_were_asked(tmp_path, student):
    def load(*slots):
        data = {"slug": "q", "title": "Q", "slots": [{"family": each} for each in slots]}
        (tmp_path / "q.yaml").write_text(yaml.safe_dump(data))
        (loaded,) = load_quizzes(folder=tmp_path, overwrite=False)
        return loaded.outcome.value

    load("cosine", "cosine")
    quiz = Quiz.objects.get()
    first, _second = quiz.slots.all()
    quiz.published = True
    start_attempt(student=student, quiz=quiz)
    assert load("cosine", "dot_score") == "updated"
    assert load("cosine", "dot_score") == "unchanged"
    assert quiz.slots.first() == first
    assert Slot.every.count() == 3
    assert {
        problems.kind_of(item.slot.family, item.slot.options) for item in Item.objects.all()
    } == {problems.kind_of("cosine", {})}


# Migrations


@pytest.mark.django_db(transaction=True)
def test_migrating_back_leaves_one_row_of_each_and_all_items(quiz, questions, migrate, attempt):
    shown = {item.pk: item.shown for item in attempt.items.all()}
    question = attempt.items.exclude(question=None)[0].question
    edited(question, prompt="Mended?")
    write_slots(quiz=quiz, wanted=with_slot(quiz, 1, points=3))
    earlier = migrate([("quizzes", "0024_asked_questions")])
    kept = earlier.get_model("quizzes", "ConceptQuestion").objects
    assert set(kept.values_list("key", flat=True)) == {each.key for each in questions} | {
        f"{question.key}-v1"
    }
    assert earlier.get_model("quizzes", "Slot").objects.count() == 6
    migrate()
    assert {item.pk: item.shown for item in Item.objects.all()} == shown
    topics = set(quiz.slots.values_list("topic", flat=True))
    asked = {each.key for each in questions if each.topic in topics}
    assert set(quiz.pooled.values_list("key", flat=True)) == asked
