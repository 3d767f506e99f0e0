"""Hints in practice: three on each step, the solution on request, and none in an exam."""

import pytest
from django.utils import timezone

from quizzes import problems
from quizzes.delivery.services.taking import start_attempt
from quizzes.errors import NotOpen
from quizzes.items.presenters import texts
from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.models import ConceptQuestion, Item, Submission
from quizzes.practice.queries.skill_records import skill_records
from quizzes.practice.services import check_item, practise_skill, show_solution, take_hint
from tests.each import each
from tests.quizzes.reading import Page
from tests.world import make_quiz, refresh, right_fields, save_answer

pytestmark = pytest.mark.usefixtures("silent_notifier")

SOFTMAX, MATRIX = Skill("family", "softmax_row"), Skill("family", "attention_matrix")
TOPIC = Skill("topic", "why-softmax")


def practised(student, skill=SOFTMAX):
    practice = practise_skill(student=student, skill=skill)
    return practice.items.select_related("variant", "attempt__student").get()


def press_for_help(client, item, **button):
    """Post the page's form with nothing typed. Return the page that follows."""
    refresh(item)
    own = f"item-{item.position}"
    url = f"/practice/{item.attempt_id}/{item.position}/"
    hidden = {f"{own}-revision": item.revision, f"{own}-token": item.token}
    assert client.post(url, hidden | button).url == f"{url}#help"
    return Page(client.get(url))


def test_three_hints_come_one_by_one_and_cost_nothing(client, questions, student, as_student):
    item = practised(student)
    (hints,) = problems.hints_of(vars(item.variant))
    page = Page(client.get(f"/practice/{item.attempt_id}/1/"))
    assert "Hints cost no marks" in page.text
    assert texts.strip_markup(hints.nudge) not in page.text
    page = press_for_help(client, item, hint="weights")
    assert texts.strip_markup(hints.nudge) in page.text
    assert "The formula" not in page.text
    page = press_for_help(client, item, hint="weights")
    assert texts.render_formula(hints.formula) in page.html
    assert texts.render_formula(hints.cell) not in page.html
    page = press_for_help(client, item, hint="weights")
    assert texts.render_formula(hints.cell) in page.html
    assert not page.all("button", name="hint")
    assert page.all("button", name="solution")


def test_hints_are_counted_in_the_row(questions, student):
    item = practised(student)
    for _ in range(2):
        take_hint(attempt=item.attempt, position=1)
    assert refresh(item).hints == {"weights": 2}
    assert item.helped_at


def test_the_next_hint_is_on_the_first_step_that_is_not_typed(questions, student):
    item = practised(student, MATRIX)
    take_hint(attempt=item.attempt, position=1)
    scaled = {key: text for key, text in right_fields(item).items() if key.startswith("scaled")}
    save_answer(item, scaled)
    take_hint(attempt=item.attempt, position=1)
    assert Item.objects.get(pk=item.pk).hints == {"scaled": 1, "weights": 1}


def test_whoever_is_stuck_sees_the_solution_without_typing(client, questions, student, as_student):
    for skill, words in ((SOFTMAX, "Take e to the power"), (TOPIC, "An explanation of why")):
        item = practised(student, skill)
        assert words not in Page(client.get(f"/practice/{item.attempt_id}/1/")).text
        assert words in press_for_help(client, item, solution="").text
    assert not Submission.objects.exists()


@each("helped_first, message", [(True, []), (False, [SOFTMAX])])
def test_an_answer_tells_of_a_skill_unless_there_was_a_hint_before_it(
    questions, student, helped_first, message
):
    item = practised(student)
    if helped_first:
        take_hint(attempt=item.attempt, position=1)
    save_answer(item, right_fields(item))
    check_item(attempt=item.attempt, position=1)
    grade_waiting()
    if not helped_first:
        take_hint(attempt=item.attempt, position=1)
    assert [record.skill for record in skill_records(student, timezone.now())] == message


def test_an_exam_gives_no_hints_nor_does_practice_on_a_choice(client, quiz, student, as_student):
    exam = start_attempt(student=student, quiz=quiz)
    assert not Page(client.get(f"/attempts/{exam.pk}/")).all("button", name="hint")
    assert client.post(f"/practice/{exam.pk}/1/", {"hint": ""}).status_code == 404
    for help_with, attempt in (
        (take_hint, exam),
        (show_solution, exam),
        (take_hint, practise_skill(student=student, skill=Skill("topic", "values"))),
    ):
        with pytest.raises(NotOpen):
            help_with(attempt=attempt, position=1)


def test_what_an_exam_asks_is_not_shown_in_practice(client, questions, student, as_student):
    ConceptQuestion.objects.get(key="why-softmax-2").delete()
    item = practised(student, TOPIC)
    start_attempt(student=student, quiz=make_quiz("exam", {"topic": TOPIC.key}))
    with pytest.raises(NotOpen):
        show_solution(attempt=item.attempt, position=1)
    assert not Page(client.get(f"/practice/{item.attempt_id}/1/")).all("button", name="solution")


def test_every_formula_is_set_as_mathematics(subtests):
    for family in problems.family_keys():
        with subtests.test(family=family):
            (variant,) = problems.draw_samples(problems.kind_of(family, {}), ["hints"])
            for hints in problems.hints_of(variant):
                for latex in (hints.formula, hints.cell):
                    assert "<math" in texts.render_formula(latex)
                assert "$" not in texts.render_line(hints.nudge)
