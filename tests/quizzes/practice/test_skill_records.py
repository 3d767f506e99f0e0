"""Records from a student's grades: skills over time, and the attempt that counts."""

import pytest
from django.utils import timezone

from quizzes.delivery.queries.counting import counting_attempt_shown, trend
from quizzes.delivery.queries.secrecy import VisibleMarks, visible_marks
from quizzes.delivery.services.taking import start_attempt
from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.models import Answer, Attempt, Grade, Sitting
from quizzes.practice.queries.skill_records import ItemScore, SkillRecord, skill_records
from quizzes.practice.services import check_item, practise_skill
from tests.fixtures import WHOLE
from tests.world import right_fields, save_answer, take_quiz, wrong_fields

ASKS = WHOLE

COSINE = Skill("family", "cosine")


def records(student):
    return {record.skill: record for record in skill_records(student, timezone.now())}


def check_only_item(practice, fields):
    item = practice.items.select_related("variant").get()
    save_answer(item, fields(item), token=str(item.revision))
    check_item(attempt=practice, position=item.position)
    grade_waiting()


def test_families_and_topics_are_skills_of_one_student(quiz, student, other_student):
    take_quiz(student, quiz)
    found = records(student)
    assert (found[COSINE].mastery, len(found[COSINE].outcomes)) == (1, 2)
    assert found[Skill("topic", "why-softmax")].mastery == 1
    assert records(other_student) == {}


def test_a_share_is_of_what_the_question_is_worth(quiz, student):
    quiz.slots.filter(family="cosine").update(points=4)
    take_quiz(student, quiz)
    assert [outcome.share for outcome in records(student)[COSINE].outcomes] == [1, 1]


def test_the_weakest_comes_first_and_recent_outcomes_weigh_most(quiz, student):
    take_quiz(student, quiz, wrong_fields)
    take_quiz(student, quiz)
    record = records(student)[COSINE]
    assert [outcome.share for outcome in record.outcomes] == [0, 0, 1, 1]
    assert 0.5 < record.mastery < 0.8
    found = skill_records(student, timezone.now())
    assert [each.standing for each in found] == sorted(
        (each.standing for each in found), key=["shaky", "new", "solid"].index
    )
    for standing in ("shaky", "new"):
        mastery = [each.mastery for each in found if each.standing == standing]
        assert mastery == sorted(mastery)


@pytest.mark.parametrize(
    ("shares", "standing"),
    [
        ([0], "new"),
        ([1, 1], "new"),
        ([0, 0, 0], "shaky"),
        ([1, 1, 0], "shaky"),
        ([1, 1, 1], "solid"),
        ([0.8, 0.8, 0.8], "solid"),
        ([0, 1, 1, 1], "shaky"),
        ([0, 1, 1, 1, 1], "solid"),
    ],
)
def test_a_word_says_how_a_skill_stands(shares, standing):
    outcomes = tuple(ItemScore(timezone.now(), share) for share in shares)
    assert SkillRecord(COSINE, outcomes).standing == standing


def test_in_practice_the_first_check_counts(questions, student):
    practice = practise_skill(student=student, skill=COSINE)
    check_only_item(practice, wrong_fields)
    check_only_item(practice, right_fields)
    assert [outcome.share for outcome in records(student)[COSINE].outcomes] == [0]


def test_what_is_not_released_tells_nothing(quiz, student):
    quiz.sittings.update(release="by_hand")
    take_quiz(student, quiz)
    assert records(student) == {}
    check_only_item(practise_skill(student=student, skill=COSINE), right_fields)
    assert list(records(student)) == [COSINE]


def test_a_regrade_counts_in_place_of_what_it_replaces(quiz, student):
    take_quiz(student, quiz)
    first = Answer.objects.order_by("item__position").first()
    regraded = {"revision": 2, "points": 0, "out_of": 1, "verdict": "wrong", "core_version": "2"}
    Grade.objects.create(answer=first, steps=[], **regraded)
    assert [outcome.share for outcome in records(student)[COSINE].outcomes] == [0, 1]


@pytest.mark.parametrize(("counts", "number"), [("best", 1), ("last", 2)])
def test_the_best_or_the_last_attempt_counts(quiz, student, counts, number):
    sitting = quiz.own_sitting
    sitting.counts = counts
    take_quiz(student, quiz)
    take_quiz(student, quiz, wrong_fields)
    attempts = list(Attempt.objects.all())
    marks = visible_marks(student, timezone.now())
    assert counting_attempt_shown(sitting, attempts, marks).number == number
    assert trend(attempts, marks)[0] == 1


def test_nothing_counts_before_it_is_marked_and_released(quiz, student):
    start_attempt(student=student, quiz=quiz)
    sitting = quiz.own_sitting
    marks = VisibleMarks(timezone.now())
    assert counting_attempt_shown(sitting, Attempt.objects.all(), marks) is None
    Sitting.objects.update(release=Sitting.Release.BY_HAND)
    take_quiz(student, quiz)
    assert counting_attempt_shown(sitting, Attempt.objects.all(), marks) is None
