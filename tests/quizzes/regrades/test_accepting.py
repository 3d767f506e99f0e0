"""Regrades that accept a named mistake at a step, or every answer there."""

from fractions import Fraction

import pytest

from quizzes import problems
from quizzes.errors import Refused
from quizzes.models import Variant
from quizzes.problems.answers import cell_fields, nest_as_grid
from quizzes.regrades.queries.accepting import acceptable_answers
from quizzes.regrades.rules import accepted_answer
from quizzes.regrades.services import accept_regrade, draft_undo
from tests.each import each
from tests.quizzes.reading import Page
from tests.quizzes.regrades.regrade_over import (
    Kind,
    Scope,
    apply_all,
    latest,
    make_student,
    prove,
    regrade_over,
    rule,
    score,
)
from tests.world import found_in, make_quiz, missing_in, right_fields, take_quiz

pytestmark = pytest.mark.django_db

FAMILY, STEP = "attention", "scaled"
ACCEPTED = "Your instructor accepts this answer: full points for this step."


@pytest.fixture
def quiz(db):
    """A quiz of one problem, in four steps of a point each."""
    return make_quiz("steps", {"family": FAMILY, "options": {"width": 2}, "points": 4})


def erring(mistake="unscaled", **last):
    """Return fields that make this mistake and are right apart from it and from `last`."""

    def fields(item):
        typed = right_fields(item)
        variant = item.variant
        values = next(
            known.values
            for known in problems.mistakes_of(vars(variant))
            if (known.step, known.key) == (STEP, mistake)
        )
        for cell in cell_fields(item.shown):
            if cell.step == STEP:
                typed[cell.field] = f"{nest_as_grid(values)[cell.row][cell.column]:.3f}"
            if cell.step in last:
                typed[cell.field] = last[cell.step]
        return typed

    return fields


def take(number, quiz, fields):
    return take_quiz(make_student(number), quiz, fields)


@pytest.fixture
def erred(quiz):
    """An attempt that forgot to scale, and whose output is wrong as well."""
    return take(1, quiz, erring(output="77"))


def accept(quiz, mistake="unscaled", **more):
    of = {"scope": Scope.FAMILY, "family": FAMILY}
    values = {"accept": [accepted_answer(step_version(), STEP, mistake)]}
    return rule(quiz, Kind.ACCEPT, **of, values=values, **more)


def undo(regrade):
    accept_regrade(regrade=draft_undo(regrade=regrade, by=None, reason="It was wrong."), by=None)
    apply_all()


def step_of(attempt, key=STEP):
    (found,) = [step for step in latest(attempt, 1).steps if step["key"] == key]
    return found


def step_version():
    return Variant.objects.latest("pk").version


def points(attempt, key=STEP):
    return Fraction(step_of(attempt, key)["points"])


# The marks


def test_an_accepted_mistake_earns_its_step_and_keeps_its_name_and_the_later_steps(quiz, erred):
    before = latest(erred, 1)
    assert (before.verdict, before.mistake, points(erred)) == ("mistake", "unscaled", 0)
    made = accept(quiz)
    after = latest(erred, 1)
    assert (after.revision, after.ruling) == (2, made)
    assert (after.verdict, after.mistake) == ("mistake", "unscaled")
    assert step_of(erred) == {**before.steps[1], "points": "1"}
    assert [after.steps[place] for place in (0, 2, 3)] == [
        before.steps[place] for place in (0, 2, 3)
    ]
    assert after.points == before.points + 1
    prove()


def test_another_mistake_at_the_step_earns_what_it_did(quiz, erred):
    other = take(2, quiz, erring("multiplied_scale"))
    before = score(other)
    made = accept(quiz)
    assert score(other) == before
    assert [line.attempt_id for line in made.lines.all()] == [erred.pk]


def test_every_answer_at_a_step_earns_it_the_blank_one_too(quiz, erred):
    blank = take(2, quiz, lambda _item: {})
    right = take(3, quiz, right_fields)
    made = accept(quiz, mistake="")
    assert (points(erred), points(blank)) == (1, 1)
    assert (score(blank), score(right)) == ((1, 4), (4, 4))
    assert step_of(blank)["verdict"] == "blank"
    assert not made.lines.filter(attempt=right).exists()
    prove()


def test_another_version_of_the_family_is_not_accepted(quiz, erred):
    Variant.objects.update(version=1)
    before = score(erred)
    assert accept(quiz).summary["higher"] == 1
    late = take(2, quiz, erring())
    assert Variant.objects.filter(version=2).exists()
    assert (points(erred), points(late)) == (1, 0)
    assert score(erred)[0] == before[0] + 1


def test_a_later_answer_is_accepted_until_the_regrade_is_undone(quiz, erred):
    before, made = score(erred), accept(quiz)
    late = take(2, quiz, erring())
    assert score(late) == (4, 4)
    undo(made)
    assert (score(erred), score(late)) == (before, (3, 4))
    assert score(take(3, quiz, erring())) == (3, 4)
    prove()


def test_marking_again_and_another_tolerance_keep_what_is_accepted(quiz, erred):
    accept(quiz)
    accepted = score(erred)
    assert not rule(quiz, Kind.REGRADE, never_lower=False).lines.exists()
    of = {"scope": Scope.FAMILY, "family": FAMILY, "values": {"tolerance": "0.002"}}
    wider = rule(quiz, Kind.TOLERANCE, **of, never_lower=False)
    assert (score(erred), points(erred)) == (accepted, 1)
    undo(wider)
    assert (score(erred), points(erred)) == (accepted, 1)
    prove()


def test_accepted_answers_follow_changed_points_and_stay_out_of_nothing_once_void(quiz, erred):
    slot = quiz.slots.get()
    of_slot = {"scope": Scope.SLOT, "slot": slot, "never_lower": False}
    rule(quiz, Kind.POINTS, **of_slot, values={"points": "8"})
    accept(quiz)
    assert points(erred) == 2
    rule(quiz, Kind.VOID, **of_slot)
    assert score(erred) == (0, 0)
    with pytest.raises(Refused, match="Nobody"):
        accept(quiz)
    prove()


def test_an_adjustment_by_hand_is_kept_unless_ticked(quiz, erred):
    item = erred.items.get()
    rule(quiz, Kind.ADJUST, scope=Scope.ITEM, item=item, values={"points": "1.5"})
    assert accept(quiz).lines.get().outcome == "hand"
    assert score(erred) == (1.5, 4)
    accept(quiz, over_hand=True)
    assert points(erred) == 1
    assert score(erred)[0] > 1.5
    prove()


@each(
    "accept",
    [[], None, ["2/scaled/unheard_of"], ["3/scaled/unscaled"], ["2/nothing/"], ["x"], [""]],
)
def test_what_nobody_answered_is_refused(quiz, erred, accept):
    with pytest.raises(Refused):
        rule(quiz, Kind.ACCEPT, scope=Scope.FAMILY, family=FAMILY, values={"accept": accept})


def test_what_can_be_accepted_comes_with_how_many_answered_it(quiz, erred):
    take(2, quiz, erring())
    take(3, quiz, erring("multiplied_scale"))
    take(4, quiz, right_fields)
    found = acceptable_answers(regrade_over(quiz, Kind.ACCEPT, scope=Scope.FAMILY, family=FAMILY))
    assert [each[2:] for each in found] == [
        *((STEP, "unscaled", 2), (STEP, "multiplied_scale", 1), (STEP, "", 3)),
        ("output", "", 1),
    ]


# Pages


def new_page(quiz, of, **more):
    sitting = quiz.own_sitting
    return "/rulings/new/", {"sitting": sitting.pk, "of": of, "kind": "accept", **more}


def test_the_form_offers_what_was_answered_and_shows_who_gains_while_one_ticks(
    quiz, erred, root, client
):
    client.force_login(root)
    value = accepted_answer(step_version(), STEP, "unscaled")
    address, asked = new_page(quiz, f"family-{FAMILY}")
    page = Page(client.get(address, asked)).text
    words = ("The scaled scores", "before the softmax. (1 answer)", "(1 answer not right)")
    assert missing_in(page, *words) == []
    assert "If a mark would go down" not in page
    ticked = Page(client.get(address, asked | {"accept": [value]})).text
    assert missing_in(ticked, "Student 1", "2 of 4", "3 of 4") == []
    assert "Select at least one" in Page(client.post(address, asked | {"reason": "So."})).text
    answer = client.post(address, asked | {"accept": [value], "reason": "The text allowed it."})
    page = Page(client.get(answer.url)).text
    assert "Accept an answer: The scaled scores: You left the raw scores" in page
    assert "keep the old mark" in page


def test_only_a_problem_has_answers_to_accept(quiz, erred, questions, root, client):
    client.force_login(root)
    topic = make_quiz("topics", {"topic": "keys"})
    take(2, topic, right_fields)
    for slot, offered in ((quiz.slots.get(), True), (topic.slots.get(), False)):
        address, asked = new_page(slot.quiz, f"slot-{slot.pk}", kind="void")
        assert ("Accept an answer" in Page(client.get(address, asked)).text) is offered


def test_the_student_reads_of_the_mistake_and_that_it_is_accepted(quiz, erred, client):
    client.force_login(erred.student)
    results = f"/attempts/{erred.pk}/results/"
    feedback = "You left the raw scores as they are"
    before = Page(client.get(results)).text
    assert ACCEPTED not in before
    made = accept(quiz)
    text = Page(client.get(results)).text
    assert missing_in(text, ACCEPTED, feedback, "Points: 2 of 4 at first, now 3 of 4.") == []
    assert found_in(text, "it cost 0", "Numbers that happen to be right") == []
    undo(made)
    assert ACCEPTED not in Page(client.get(results)).text
