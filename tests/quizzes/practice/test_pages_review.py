"""The pages of spaced review: today, mistakes made, and the formula sheet."""

from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from lessons.models import Lesson
from quizzes import problems
from quizzes.delivery.services.taking import start_attempt
from quizzes.items.presenters import texts
from quizzes.items.skills import Skill
from quizzes.models import Attempt, ConceptQuestion, Sitting, Submission
from quizzes.practice.services import practise_skill, replace_variant, take_hint
from tests.each import each
from tests.quizzes.reading import Page
from tests.quizzes.regrades.regrade_over import Kind, Scope, rule
from tests.world import (
    check_and_mark,
    make_lesson,
    missing_in,
    right_fields,
    save_answer,
    submit_and_mark,
    take_quiz,
    wrong_fields,
)

pytestmark = pytest.mark.usefixtures("silent_notifier", "questions")

TODAY, MISTAKES, FORMULAS = "/today/", "/learning/mistakes/", "/formulas/"
SOFTMAX = Skill("family", "softmax_row")


def first(student, skill):
    practice = practise_skill(student=student, skill=skill)
    return practice.items.select_related("variant", "attempt__student").get(position=1)


def miss(student, *skills):
    for skill in skills:
        item = first(student, skill)
        check_and_mark(item, wrong_fields(item))


def days_pass(days):
    """Move all answers this many days into the past."""
    for submission in Submission.objects.all():
        submission.received_at -= timedelta(days)
        submission.save()


# Today


def test_without_a_miss_the_page_explains_how_it_works(student_client):
    text = Page(student_client.get(TODAY)).text
    assert "Nothing to review yet" in text
    assert "when it’s due, it waits longer: 7 days, then 30." in text


def test_a_miss_is_due_a_day_later_and_until_then_the_day_is_shown(student_client, student):
    miss(student, SOFTMAX)
    page = Page(student_client.get(TODAY))
    assert missing_in(page.text, "Nothing is due today", "Tomorrow 1 skill Softmax of a row") == []
    assert student_client.post(TODAY).url == TODAY
    days_pass(1)
    page = Page(student_client.get(TODAY))
    assert page.all("button", formaction="/practice/family/softmax_row/", inside="main")
    assert page.all("button", inside="main")


def test_it_starts_one_practice_of_all_that_is_due_with_numbers_of_its_own(student_client, student):
    topic = Skill("topic", "values")
    miss(student, SOFTMAX, topic)
    days_pass(1)
    seen = set(Attempt.objects.values_list("items__variant", "items__question"))
    answer = student_client.post(TODAY)
    made = Attempt.objects.get(skill__startswith="today:")
    assert answer.url == made.get_absolute_url()
    items = made.items.select_related("variant")
    assert {str(Skill.of_item(item.asked)) for item in items} == {str(SOFTMAX), str(topic)}
    assert not seen & {(item.variant_id, item.question_id) for item in items}
    assert student_client.post(TODAY).url == answer.url
    assert "You’ve started today" in Page(student_client.get(TODAY)).text
    assert Page(student_client.get(answer.url, follow=True)).all("a", href=TODAY, inside="main")


def begun_today(own, student):
    """Return the item of today's practice, after a miss yesterday."""
    miss(student, SOFTMAX)
    days_pass(1)
    own.post(TODAY)
    return Attempt.objects.get(skill__startswith="today:").items.get()


def test_a_right_answer_when_due_brings_it_back_after_seven_days(student_client, student):
    item = begun_today(student_client, student)
    check_and_mark(item, right_fields(item))
    day = timezone.localdate() + timedelta(7)
    assert f"{day.day} {day:%B}" in Page(student_client.get(TODAY)).text


def test_an_answer_after_a_hint_leaves_it_due(student_client, student):
    item = begun_today(student_client, student)
    take_hint(attempt=item.attempt, position=1)
    check_and_mark(item, right_fields(item))
    assert "/practice/family/softmax_row/" in Page(student_client.get(TODAY)).addresses()
    assert student_client.post(TODAY).url.startswith("/practice/")
    assert Attempt.objects.filter(skill__startswith="today:").count() == 2


def test_what_is_kept_for_quizzes_or_gone_is_not_offered(student_client, student):
    miss(student, Skill("topic", "values"))
    days_pass(1)
    ConceptQuestion.objects.filter(topic="values").update(reserved=True)
    assert "Nothing to review yet" in Page(student_client.get(TODAY)).text


def test_marks_that_are_not_released_are_not_due(student_client, student, quiz):
    Sitting.objects.update(release="by_hand")
    take_quiz(student, quiz, wrong_fields)
    days_pass(1)
    assert "Nothing to review yet" in Page(student_client.get(TODAY)).text


def test_today_reads_as_little_however_much_is_due(
    student_client, student, quiz, django_assert_max_num_queries
):
    take_quiz(student, quiz, wrong_fields)
    days_pass(1)
    with django_assert_max_num_queries(9):
        assert "more are due after these" in Page(student_client.get(TODAY)).text


def test_nobody_sees_what_another_has_missed(student_client, student, other_student):
    miss(student, SOFTMAX)
    days_pass(1)
    student_client.force_login(other_student)
    for url in (TODAY, MISTAKES):
        assert "/practice/family/softmax_row/" not in Page(student_client.get(url)).html


# Mistakes


def unnormalised(item):
    """Return the exponentials, not divided by their sum."""
    scores = item.variant.givens["scores"]
    return {f"weights-0-{column}": f"{value:.3f}" for column, value in enumerate(np.exp(scores))}


def test_a_mistake_is_listed_by_name_until_it_is_mended_and_then_beside_what_is_right(
    student_client, student
):
    item = first(student, SOFTMAX)
    check_and_mark(item, unnormalised(item))
    page = Page(student_client.get(MISTAKES))
    feedback = problems.mistake_feedback("softmax_row", "weights", "unnormalised")
    assert texts.strip_markup(feedback) in page.text
    assert page.all("button", formaction="/practice/family/softmax_row/")
    assert "None yet" in page.text
    assert not page.all("figure", inside="main")
    again = replace_variant(attempt=item.attempt, position=1)
    check_and_mark(again, right_fields(again))
    page = Page(student_client.get(MISTAKES))
    assert "Still to catch" not in page.text
    assert missing_in(page.text, "You typed", "Only mistakes in numbers") == []
    right = [f"{number:.3f}" for number in item.variant.solution["weights"]]
    assert missing_in(page.text, *unnormalised(item).values(), *right) == []


def test_the_same_item_put_right_and_a_right_answer_after_a_hint_mend_nothing(
    student_client, student
):
    item = first(student, SOFTMAX)
    check_and_mark(item, unnormalised(item))
    item.refresh_from_db()
    check_and_mark(item, right_fields(item))
    assert "None yet" in Page(student_client.get(MISTAKES)).text
    again = replace_variant(attempt=item.attempt, position=1)
    take_hint(attempt=item.attempt, position=again.position)
    again.refresh_from_db()
    check_and_mark(again, right_fields(again))
    assert "Still to catch" in Page(student_client.get(MISTAKES)).text


def test_a_mistake_that_is_made_again_is_to_catch_again(student_client, student):
    item = first(student, SOFTMAX)
    for fields in (unnormalised, right_fields, unnormalised):
        check_and_mark(item, fields(item))
        item = replace_variant(attempt=item.attempt, position=item.position)
    assert "Still to catch" in Page(student_client.get(MISTAKES)).text


def test_a_question_that_was_voided_lists_no_mistake(student_client, student, quiz):
    attempt = start_attempt(student=student, quiz=quiz)
    item = attempt.items.get(variant__family="softmax_row")
    save_answer(item, unnormalised(item))
    submit_and_mark(attempt)
    assert "Still to catch" in Page(student_client.get(MISTAKES)).text
    rule(quiz, Kind.VOID, scope=Scope.SLOT, slot=item.slot)
    assert "Still to catch" not in Page(student_client.get(MISTAKES)).text


def test_the_mistakes_are_read_with_a_fixed_number_of_queries(
    student_client, student, django_assert_max_num_queries
):
    item = first(student, SOFTMAX)
    for _ in range(3):
        check_and_mark(item, unnormalised(item))
        item = replace_variant(attempt=item.attempt, position=item.position)
        check_and_mark(item, right_fields(item))
        item = replace_variant(attempt=item.attempt, position=item.position)
    with django_assert_max_num_queries(7):
        student_client.get(MISTAKES)


# Formulas


def test_every_formula_is_there_once_with_the_section_that_teaches_it(client, db):
    lesson = Lesson.objects.create(slug="one", title="One", order=1, published=True)
    lesson.sections.create(slug="first", title="First", families="softmax_row, attention")
    page = Page(client.get(FORMULAS))
    assert page.html.count(texts.render_formula(problems.formulas_of("softmax_row")[0])) == 1
    assert "Attention in four steps" in page.text
    assert len(page.all("a", href="/lessons/one/#first", inside="one")) == 2
    assert page.all("math", inside="one")


def test_the_sheet_is_in_the_menu_beside_practice_and_the_lessons_and_in_no_quiz(
    client, as_student, attempt
):
    lesson = make_lesson("one", order=1)
    pages = ("/learning/", "/practice/", "/", lesson.get_absolute_url(), f"/attempts/{attempt.pk}/")
    links = [len(Page(client.get(url)).all("a", href=FORMULAS)) for url in pages]
    assert links == [1, 2, 2, 2, 0]


@each("query", ["formula", "Formula sheet", "softmax formula", "the formulas"])
def test_the_search_finds_the_sheet(client, db, query):
    assert FORMULAS in Page(client.get("/search/", {"q": query})).addresses("main")
