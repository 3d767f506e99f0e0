"""Publishing a quiz checks that it can be taken, and warns of likely oversights."""

from datetime import timedelta

import pytest
from django.utils import timezone

from lessons.errors import ContentError
from quizzes import problems
from quizzes.authoring.services.loading import load_quizzes
from quizzes.authoring.services.publishing import find_obstacles, find_warnings
from quizzes.authoring.services.quizzes import publish_quiz, save_quiz, withdraw_quiz
from quizzes.models import ConceptQuestion, Quiz, Sitting, Slot

pytestmark = pytest.mark.django_db

WARNED = {
    "reserved": "No questions are reserved for quizzes on: ",
    "practice": "Too few questions are reserved",
    "used up": "There are too few questions for the attempts allowed",
    "any number": "The number of attempts is unlimited",
}


@pytest.fixture
def quiet(publishable_quiz):
    """A quiz without warnings: one slot of each family, every question reserved."""
    ConceptQuestion.objects.update(reserved=True)
    set_rules(publishable_quiz, attempts_allowed=1)
    return Quiz.objects.get(pk=publishable_quiz.pk)


def set_rules(quiz, **rules):
    Sitting.objects.filter(quiz=quiz).update(**rules)
    vars(quiz).pop("own_sitting", None)


def warned(quiz):
    return find_warnings(Quiz.objects.get(pk=quiz.pk))


# Errors


def test_a_typical_student_must_have_the_time_and_the_dearest_slots_are_named(quiet):
    costs = [
        problems.variant_cost(slot.family, slot.options) if slot.family else problems.QUESTION_COST
        for slot in quiet.slots.all()
    ]
    minutes = sum(cost.typical_minutes for cost in costs)
    set_rules(quiet, minutes=int(minutes) + 1)
    assert find_obstacles(quiet) == []
    set_rules(quiet, minutes=int(minutes))
    (reason,) = find_obstacles(quiet)
    message = f"A typical prepared student takes {minutes:.1f} minutes, but the time limit is "
    assert reason.startswith(message)
    dearest = max(enumerate(costs, 1), key=lambda each: each[1].minutes)
    assert f"slot {dearest[0]} ({dearest[1].typical_minutes:.1f} min), slot" in reason


def test_a_typical_student_takes_longer_than_one_who_never_errs():
    cost = problems.variant_cost("softmax_row", {"tokens": 3})
    assert cost.typical_minutes == pytest.approx(1.4 * cost.minutes)


def test_a_quiz_that_has_closed_is_not_published_but_may_be_saved_where_it_was(quiet):
    past, reason = timezone.now() - timedelta(minutes=1), "The closing date is in the past."
    set_rules(quiet, closes_at=past)
    assert find_obstacles(quiet, anew=False) == []
    save_quiz(quiz=quiet, sitting=quiet.own_sitting)
    assert Quiz.objects.get(pk=quiet.pk).published
    withdraw_quiz(quiz=quiet)
    assert publish_quiz(quiz=quiet) == [f"{reason} Choose a later one, or none."]
    set_rules(quiet, closes_at=timezone.now() + timedelta(minutes=1))
    assert publish_quiz(quiz=quiet) == []


def test_a_question_whose_section_is_gone_is_named_with_its_slots(quiet):
    ConceptQuestion.objects.filter(key="values-1").update(section=None)
    wanted = "Choose which section students should read again."
    named = "Question “values-1” in slots 13, 14 has no section."
    assert find_obstacles(quiet) == [f"{named} {wanted}"]


def test_a_question_that_is_no_draft_and_not_fit_is_named_with_its_slots(quiet):
    assert (find_obstacles(quiet), warned(quiet)) == ([], [])
    questions = ConceptQuestion.objects.filter(topic="keys")
    questions[0].choices.filter(correct=False).first().delete()
    reason = "can’t be asked: A question needs at least 4 choices."
    assert find_obstacles(quiet) == [f"Question “keys-1” in slot 15 {reason}"]
    questions.filter(key="keys-1").update(published=False)
    assert find_obstacles(quiet) == []
    questions.update(published=False)
    lacking = "Topic “keys” is asked once (slot 15) but has no usable question."
    assert find_obstacles(quiet) == [lacking]


# Warnings


def test_a_topic_with_no_question_reserved_is_warned_of(quiet):
    ConceptQuestion.objects.filter(topic="keys").update(reserved=False)
    assert warned(quiet) == [WARNED["reserved"] + "keys (slot 15)."]
    assert find_obstacles(quiet) == []


def test_practice_that_gives_a_pool_away_is_warned_of(quiet):
    ConceptQuestion.objects.filter(key="values-1").update(reserved=False)
    (warning,) = warned(quiet)
    assert warning.startswith(WARNED["practice"])
    assert warning.endswith("values (slots 13, 14).")
    set_rules(quiet, practice=False)
    assert warned(quiet) == []


def test_attempts_that_use_a_pool_up_are_warned_of(quiet):
    set_rules(quiet, attempts_allowed=2)
    (warning,) = warned(quiet)
    assert warning.startswith(WARNED["used up"])
    assert warning.endswith("values (slots 13, 14).")
    set_rules(quiet, attempts_allowed=None)
    (warning,) = warned(quiet)
    assert warning.startswith(WARNED["any number"])


def test_slots_that_ask_the_same_are_warned_of(quiet):
    Slot.objects.filter(quiz=quiet, position=2).update(options={"width": 2})
    assert warned(quiet) == ["Cosine similarity is asked with the same sizes in slots 1, 2."]


# By file and by form


def test_a_file_cannot_publish_what_a_form_could_not(quiet, tmp_path):
    slots = "".join(
        f"- {{family: softmax_row, options: {{tokens: 4}}, points: {n}}}\n" for n in range(1, 16)
    )
    (tmp_path / "long.yaml").write_text(
        f"slug: long\ntitle: Long\npublished: true\nminutes: 23\nslots:\n{slots}"
    )
    with pytest.raises(ContentError, match=r"A typical prepared student takes 42\.0 minutes"):
        load_quizzes(folder=tmp_path, overwrite=False)
