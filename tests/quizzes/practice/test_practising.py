"""Practice: no clock, any number of checks of every item, further variants without end."""

from datetime import timedelta
from threading import Barrier

import pytest
from django.db.models import F

from quizzes.delivery.services.taking import Save, start_attempt
from quizzes.errors import NotOpen, Outdated
from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, ConceptQuestion, Grade, Item, Submission, Topic
from quizzes.practice.services import (
    check_item,
    practise_quiz,
    practise_skill,
    practise_today,
    replace_variant,
)
from tests.each import each
from tests.world import Threads, refresh, right_fields, save_answer, wrong_fields

COSINE = Skill("family", "cosine")
SOFTMAX = Skill("topic", "why-softmax")
SOMETHING = Save({"cosine-0-0": "1"}, 0, "token")


def test_a_quiz_is_practised_without_a_clock_beside_a_graded_attempt(quiz, student):
    practice = practise_quiz(student=student, quiz=quiz)
    assert practice.is_practice
    assert practice.deadline is None
    assert [item.place for item in practice.items.all()] == list(range(1, 7))
    assert not start_attempt(student=student, quiz=quiz).is_practice


def test_practice_goes_on_where_it_was_left(quiz, student):
    for practise, what in ((practise_quiz, {"quiz": quiz}), (practise_skill, {"skill": COSINE})):
        assert practise(student=student, **what) == practise(student=student, **what)


def test_a_practice_that_is_over_is_followed_by_another(quiz, student):
    first = practise_quiz(student=student, quiz=quiz)
    Attempt.objects.filter(pk=first.pk).update(state="submitted")
    assert (first.number, practise_quiz(student=student, quiz=quiz).number) == (1, 2)
    with pytest.raises(NotOpen, match="isn’t open for practice"):
        check_item(attempt=first, position=1, save=SOMETHING)


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("of", ["quiz", "skill", "today"])
def test_two_starts_at_once_give_one_practice(quiz, student, of):
    if of == "today":
        miss_yesterday(student)
    before = Item.objects.count()
    together = Barrier(4)

    def start(_):
        together.wait()
        if of == "quiz":
            return practise_quiz(student=student, quiz=quiz).pk
        if of == "today":
            return practise_today(student=student).pk
        return practise_skill(student=student, skill=COSINE).pk

    with Threads(4) as pool:
        assert len(set(pool.map(start, range(4)))) == 1
    assert Item.objects.count() - before == (6 if of == "quiz" else 1)


def miss_yesterday(student):
    item = practise_skill(student=student, skill=COSINE).items.get()
    save_answer(item, wrong_fields(item))
    check_item(attempt=item.attempt, position=1)
    Submission.objects.update(received_at=F("received_at") - timedelta(1))
    grade_waiting()


@pytest.mark.parametrize("lacking", ["practice", "published"])
def test_a_quiz_that_is_not_to_be_practised_is_refused(quiz, student, lacking):
    setattr(quiz if lacking == "published" else quiz.own_sitting, lacking, False)
    with pytest.raises(NotOpen):
        practise_quiz(student=student, quiz=quiz)


def test_a_skill_is_practised_without_a_quiz(questions, student):
    (item,) = practise_skill(student=student, skill=COSINE).items.all()
    assert item.variant.family == "cosine"
    (item,) = practise_skill(student=student, skill=SOFTMAX).items.all()
    assert item.question.topic == "why-softmax"


def test_a_skill_goes_on_with_new_numbers_once_the_last_are_right(questions, student):
    practice = practise_skill(student=student, skill=COSINE)
    item = practice.items.get()
    for fields, count in ((wrong_fields(item), 1), (right_fields(item), 2)):
        save_answer(refresh(item), fields, token=f"token {count}")
        check_item(attempt=practice, position=1)
        grade_waiting()
        for _ in range(2):  # as a double tap does
            assert practise_skill(student=student, skill=COSINE) == practice
            assert practice.items.count() == count


def test_the_last_question_of_a_topic_stays_when_no_other_is_left(questions, student):
    ConceptQuestion.objects.filter(topic=SOFTMAX.key).exclude(key="why-softmax-1").delete()
    practice = practise_skill(student=student, skill=SOFTMAX)
    item = practice.items.get()
    save_answer(item, right_fields(item))
    check_item(attempt=practice, position=1)
    grade_waiting()
    assert practise_skill(student=student, skill=SOFTMAX) == practice


@each("skill", [Skill("family", "nothing"), Skill("topic", "nothing")])
def test_an_unknown_skill_is_refused(skill, student):
    with pytest.raises(NotOpen, match="nothing to practise"):
        practise_skill(student=student, skill=skill)


@pytest.mark.service
def test_an_item_is_marked_at_once_and_alone(quiz, student):
    practice = practise_quiz(student=student, quiz=quiz)
    item = practice.items.first()
    save_answer(item, right_fields(item))
    submission = check_item(attempt=practice, position=item.position)
    grade_waiting()
    submission.refresh_from_db()
    practice.refresh_from_db()
    assert submission.state == Submission.State.GRADED
    assert Grade.objects.get().verdict == "right"
    assert practice.is_open
    assert practice.score is None


def test_what_a_check_carries_is_saved_first(quiz, student):
    practice = practise_quiz(student=student, quiz=quiz)
    item = practice.items.first()
    fields = right_fields(item)
    check_item(attempt=practice, position=1, save=Save(fields, 0, "token"))
    assert refresh(item).draft == fields
    with pytest.raises(Outdated):
        check_item(attempt=practice, position=1, save=Save(fields, 0, "another"))


def test_an_item_may_be_checked_again_and_again(quiz, student):
    practice = practise_quiz(student=student, quiz=quiz)
    item = practice.items.first()
    for fields in (wrong_fields(item), right_fields(item)):
        item.refresh_from_db()
        save_answer(item, fields, token=str(fields))
        check_item(attempt=practice, position=1)
        grade_waiting()
    verdicts = Grade.objects.order_by("answer__submission__number").values_list("verdict")
    assert [verdict for (verdict,) in verdicts] == ["wrong", "right"]


@pytest.mark.service
def test_the_same_check_twice_is_one_submission(quiz, student):
    practice = practise_quiz(student=student, quiz=quiz)
    first = check_item(attempt=practice, position=1, save=SOMETHING, key="k")
    assert check_item(attempt=practice, position=1, key="k") == first


@each("marked", [False, True])
def test_the_same_answer_is_checked_once_for_each_variant(quiz, student, marked):
    practice = practise_quiz(student=student, quiz=quiz)
    first = check_item(attempt=practice, position=1, save=SOMETHING)
    if marked:
        grade_waiting()
    assert check_item(attempt=practice, position=1) == first
    assert Submission.objects.count() == 1
    later = replace_variant(attempt=practice, position=1)
    assert check_item(attempt=practice, position=later.position, save=SOMETHING) != first


def test_an_answer_that_is_gone_back_to_is_checked_again(quiz, student):
    practice = practise_quiz(student=student, quiz=quiz)
    item = practice.items.first()
    for text in ("1", "2", "1"):
        item.refresh_from_db()
        save_answer(item, {"cosine-0-0": text}, token=f"{item.revision}")
        check_item(attempt=practice, position=1)
    assert list(Submission.objects.order_by("number").values_list("number", flat=True)) == [1, 2, 3]


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_many_checks_at_once_make_one_submission(quiz, student):
    practice = practise_quiz(student=student, quiz=quiz)
    save_answer(practice.items.first(), {"cosine-0-0": "1"})
    together = Barrier(8)

    def check(_):
        together.wait()
        return check_item(attempt=practice, position=1).pk

    with Threads(8) as pool:
        assert len(set(pool.map(check, range(8)))) == 1
    assert Submission.objects.count() == 1


def test_a_graded_attempt_is_not_checked_item_by_item(attempt):
    with pytest.raises(NotOpen):
        check_item(attempt=attempt, position=1)
    with pytest.raises(NotOpen):
        replace_variant(attempt=attempt, position=1)
    assert not Submission.objects.exists()
    assert attempt.items.count() == 6


def test_another_variant_takes_the_place_and_the_old_one_stays(quiz, student):
    practice = practise_quiz(student=student, quiz=quiz)
    old = practice.items.get(position=3)
    new = replace_variant(attempt=practice, position=3)
    assert (new.place, new.position, new.slot, new.points) == (3, 7, old.slot, old.points)
    assert new.variant.kind == old.variant.kind
    assert new.variant != old.variant
    assert practice.items.count() == 7


def test_variants_follow_one_another_without_end(questions, student):
    practice = practise_skill(student=student, skill=COSINE)
    for position in range(1, 6):
        replace_variant(attempt=practice, position=position)
    assert practice.items.values("variant").distinct().count() == 6


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_asking_twice_at_once_gives_one_new_item(questions, student):
    practice = practise_skill(student=student, skill=COSINE)

    def ask(_):
        return replace_variant(attempt=practice, position=1).pk

    with Threads(4) as pool:
        assert len(set(pool.map(ask, range(4)))) == 1
    assert Item.objects.count() == 2


@pytest.mark.service
def test_another_question_is_the_one_not_seen_for_longest(questions, student):
    practice = practise_skill(student=student, skill=SOFTMAX)
    for position in (1, 2, 3):
        replace_variant(attempt=practice, position=position)
    keys = [item.shown["key"] for item in practice.items.all()]
    assert keys[0] == keys[2] != keys[1] == keys[3]


def test_practice_does_not_show_what_an_open_exam_asks(quiz, student):
    exam = start_attempt(student=student, quiz=quiz)
    asked = exam.items.get(position=5).question
    ConceptQuestion.objects.filter(topic="why-softmax").exclude(pk=asked.pk).delete()
    Topic.objects.create(key="why-softmax", title="Why a softmax")
    with pytest.raises(NotOpen, match="no questions left on “Why a softmax”"):
        practise_skill(student=student, skill=SOFTMAX)
    Attempt.objects.filter(pk=exam.pk).update(state="submitted")
    assert practise_skill(student=student, skill=SOFTMAX).items.get().question == asked
