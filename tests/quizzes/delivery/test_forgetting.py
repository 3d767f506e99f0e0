"""Marks outlive their student, and old data goes, but only if a setting says so."""

import json
from datetime import timedelta

import pytest
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import ProtectedError
from django.utils import timezone

from accounts.personal import export_personal_data, forget
from quizzes import tasks
from quizzes.delivery.services.retention import forget_attempts, forget_drafts
from quizzes.delivery.services.taking import submit_attempt
from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.models import Answer, Attempt, ExtraTime, Grade, Item, Submission
from quizzes.practice.services import practise_skill
from tests.world import answer_everything, found_in, refresh

pytestmark = pytest.mark.django_db


def file_of(student):
    return json.loads(json.dumps(export_personal_data(student), cls=DjangoJSONEncoder))


def test_the_file_has_what_was_asked_typed_and_marked(marked_attempt, student):
    [attempt] = file_of(student)["attempts"]
    assert (attempt["score"], len(attempt["items"])) == (6, 6)
    for item in attempt["items"]:
        assert item["asked"]
        [answer] = item["answers"]
        assert answer["typed"]
        assert answer["grades"][0]["points"] == 1


def test_the_file_has_no_mark_before_the_release(marked_attempt, student, quiz):
    quiz.sittings.update(release="by_hand")
    [attempt] = file_of(student)["attempts"]
    assert attempt["score"] is None
    assert not any(answer["grades"] for item in attempt["items"] for answer in item["answers"])


def test_the_file_does_not_have_the_right_choices(answered_attempt, student):
    file = json.dumps(file_of(student))
    assert found_in(file, '"correct"', "Feedback to", "An explanation of") == []
    assert "Choice a of" in file


def test_the_file_has_ones_own_extra_time_only(answered_attempt, student, other_student):
    ExtraTime.objects.create(student=student, factor="1.25", minutes=5)
    assert file_of(student)["extra_time"] == [{"attempt": None, "factor": "1.25", "minutes": 5}]
    assert file_of(other_student)["attempts"] == []


def test_marks_stay_when_their_student_goes(marked_attempt, student):
    ExtraTime.objects.create(student=student, factor="1.25", minutes=5)
    forget(user=student)
    assert refresh(marked_attempt).score == 6
    assert Grade.objects.count() == Answer.objects.count() == 6
    assert not ExtraTime.objects.exists()
    assert not Item.objects.exclude(draft={}).exists()


def test_what_is_open_is_handed_in_when_its_student_goes(answered_attempt, student):
    forget(user=student)
    grade_waiting()
    assert (refresh(answered_attempt).state, answered_attempt.score) == ("submitted", 6)


def test_nobody_deletes_marks_by_deleting_a_user(marked_attempt, student):
    with pytest.raises(ProtectedError):
        student.delete()
    assert Attempt.objects.count() == 1


def long_ago(attempt, days=400):
    then = timezone.now() - timedelta(days=days)
    Attempt.objects.filter(pk=attempt.pk).update(started_at=then, submitted_at=then)
    Item.objects.filter(attempt=attempt).update(saved_at=then)
    Submission.objects.filter(attempt=attempt).update(received_at=then)


def test_old_drafts_are_emptied_where_days_are_set_and_their_answers_stay(marked_attempt, settings):
    long_ago(marked_attempt)
    tasks.tidy()
    assert Item.objects.exclude(draft={}).count() == 6
    settings.KEEP_DRAFTS_DAYS = 365
    tasks.tidy()
    assert not Item.objects.exclude(draft={}).exists()
    assert Answer.objects.exclude(raw={}).count() == 6


def test_what_is_open_or_recent_stays_with_its_drafts(answered_attempt, student):
    assert forget_drafts(days=1) == 0
    submit_attempt(attempt=answered_attempt)
    assert forget_drafts(days=1) == 0
    grade_waiting()
    long_ago(answered_attempt, days=300)
    assert forget_attempts(days=365) == 0


def test_drafts_of_practice_stay_until_nobody_has_gone_on_with_it(student):
    practice = practise_skill(student=student, skill=Skill("family", "cosine"))
    answer_everything(practice)
    assert forget_drafts(days=7) == 0
    practice.items.update(saved_at=timezone.now() - timedelta(days=8))
    assert forget_drafts(days=7) == 1
    assert practice.items.get().draft == {}


def test_old_attempts_are_deleted_with_all_they_hold(marked_attempt, settings):
    long_ago(marked_attempt)
    settings.KEEP_ATTEMPTS_DAYS = 365
    tasks.tidy()
    for model in (Attempt, Item, Submission, Answer, Grade):
        assert not model.objects.exists()


def test_what_is_open_or_waits_to_be_marked_stays_however_old(answered_attempt):
    long_ago(answered_attempt)
    Attempt.objects.update(submitted_at=None)
    assert forget_attempts(days=365) == 0
    submit_attempt(attempt=answered_attempt)
    long_ago(answered_attempt)
    assert forget_attempts(days=365) == 0
