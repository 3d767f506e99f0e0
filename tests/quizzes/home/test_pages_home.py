"""A student's home: what to go on with, open quizzes, skills, and the next step."""

from datetime import timedelta

import pytest
from django.utils import timezone

from lessons.pages.services import mark_as_read
from quizzes.delivery.services.taking import Save, start_attempt
from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, Sitting, Submission
from quizzes.practice.services import check_item, practise_mistakes, practise_skill
from tests.each import undone
from tests.fixtures import WHOLE
from tests.quizzes.reading import Page
from tests.world import (
    check_and_mark,
    make_lesson,
    make_quiz,
    missing_in,
    right_fields,
    take_quiz,
    wrong_fields,
)

ASKS = WHOLE

pytestmark = pytest.mark.usefixtures("as_student")

URL = "/learning/"


def links(client):
    return Page(client.get(URL)).addresses()


def test_a_visitor_is_asked_to_log_in(client):
    client.logout()
    assert client.get(URL).url.startswith("/accounts/login/")


def test_whoever_has_done_nothing_yet_is_welcomed_and_led_to_lesson_1(client, student, quiz):
    for order, slug in enumerate(("primer", "one")):
        make_lesson(slug, "first", order=order)
    page = Page(client.get(URL))
    assert missing_in(page.text, "Welcome, Sam", "Start lesson 1") == []
    assert links(client)[0] == "/lessons/one/"
    assert not page.all("section", aria_labelledby="skills-title")
    take_quiz(student, quiz, right_fields)
    page = Page(client.get(URL))
    assert "Hello, Sam" in page.text
    assert page.all("section", aria_labelledby="skills-title")


def test_of_two_attempts_the_one_that_ends_first_comes_first(client, student, quiz):
    sooner = start_attempt(student=student, quiz=quiz)
    later = start_attempt(student=student, quiz=another(quiz))
    endless = start_attempt(student=student, quiz=another(quiz, slug="endless"))
    now = timezone.now()
    for attempt, deadline in ((sooner, 10), (later, 20), (endless, None)):
        attempt.deadline = deadline and now + timedelta(minutes=deadline)
        attempt.save()
    assert links(client)[:3] == [f"/attempts/{each.pk}/" for each in (sooner, later, endless)]
    assert "Continue the quiz" in Page(client.get(URL)).text
    assert "10 min" in Page(client.get(URL)).text


def test_then_what_closes_first_then_the_next_section(client, student, quiz):
    lesson = make_lesson("one", "first", "second")
    mark_as_read(student=student, section=lesson.sections.get(slug="first"))
    assert links(client)[0] == "/lessons/one/#second"
    Sitting.objects.filter(quiz=quiz).update(closes_at=timezone.now() + timedelta(days=2))
    Sitting.objects.filter(quiz=another(quiz)).update(closes_at=timezone.now() + timedelta(days=1))
    assert links(client)[:2] == ["/quizzes/another/", "/quizzes/foundations/"]
    attempt = start_attempt(student=student, quiz=quiz)
    assert links(client)[:2] == [f"/attempts/{attempt.pk}/", "/quizzes/another/"]


def test_after_a_quiz_that_was_not_passed_what_to_fix_comes_before_the_next_lesson(
    client, student, quiz
):
    make_lesson("one", "first")
    attempt = take_quiz(student, quiz, wrong_fields)
    assert links(client)[0] == f"/attempts/{attempt.pk}/results/"
    with undone():  # a week is over
        Attempt.objects.update(submitted_at=timezone.now() - timedelta(days=8))
        assert links(client)[0] == "/lessons/one/"
    practice = Attempt.objects.get(pk=practise_mistakes(attempt=attempt).pk)
    check_item(attempt=practice, position=1, save=Save({"cosine-0-0": "1"}, 0, "token"))
    assert links(client)[0] == f"/practice/{practice.pk}/"
    assert "Continue practice" in Page(client.get(URL)).text
    for item in practice.items.exclude(position=1):
        assert f"/attempts/{attempt.pk}/results/" not in links(client)  # the practice is of it
        save = Save(right_fields(item), 0, "token")
        check_item(attempt=practice, position=item.position, save=save)
    grade_waiting()
    assert links(client)[0] == "/lessons/one/"


def try_skill(student, skill):
    """Return a practice of the skill in which one question was answered wrongly."""
    practice = practise_skill(student=student, skill=skill)
    item = practice.items.select_related("variant", "attempt__student").last()
    check_and_mark(item, wrong_fields(item))
    return practice


def test_a_failed_quiz_stays_until_all_that_went_wrong_was_tried_again_or_it_was_passed(
    client, student, quiz
):
    attempt = take_quiz(student, quiz, wrong_fields)
    results = f"/attempts/{attempt.pk}/results/"
    skills = {Skill.of_item(item.asked) for item in attempt.items.all()}
    with undone():
        for skill in sorted(skills, key=str):
            assert links(client)[0] == results
            try_skill(student, skill)
        assert results not in links(client)
    # It may be passed without what went wrong, if the quiz no longer asks that.
    quiz.slots.exclude(position=1).update(retired_at=timezone.now())
    take_quiz(student, quiz)
    assert results not in links(client)


def test_each_skill_and_quiz_is_there_once(client, student, quiz):
    make_lesson("one", "first", "second")
    another(quiz)
    take_quiz(student, quiz, wrong_fields)
    practice = try_skill(student, Skill("family", "cosine"))
    found = links(client)
    # The skill that is weakest is under way: its button goes on with that practice.
    assert practice.get_absolute_url() not in found
    assert "/quizzes/foundations/" not in found  # as there is something to fix in it
    before_skills = Page(client.get(URL)).html.partition("skills-title")[0]
    assert before_skills.count('formaction="/practice/family/cosine/"') == 1


def test_a_skill_is_called_new_then_shaky_and_the_weakest_is_suggested(client, student, quiz):
    take_quiz(student, quiz, wrong_fields)
    Attempt.objects.update(submitted_at=timezone.now() - timedelta(days=8))
    assert links(client)[0].startswith("/practice/")
    page = Page(client.get(URL))
    assert "still new to you" in page.text
    assert "Weakest first" not in page.text
    for _ in range(2):
        take_quiz(student, quiz, wrong_fields)
    Attempt.objects.update(submitted_at=timezone.now() - timedelta(days=8))
    page = Page(client.get(URL))
    assert "your weakest skill so far" in page.text
    assert "%" not in page.text.partition("Weakest first")[2]
    assert page.all("span", **{"class": "standing standing-shaky"})


def test_then_the_next_section_then_the_quiz_not_yet_taken(client, student, quiz):
    lesson = make_lesson("one", "first")
    assert links(client)[0] == "/lessons/one/"
    lesson.delete()
    assert links(client)[0] == "/quizzes/foundations/"


def test_when_every_skill_is_solid_nothing_is_suggested(client, student, quiz):
    for _ in range(3):
        take_quiz(student, quiz, right_fields)
    assert "every skill is solid" in Page(client.get(URL)).text


def another(quiz, slug="another"):
    """Create a quiz with the first slot of this one."""
    return make_quiz(slug, {"family": "cosine", "options": {"width": 2}})


def test_a_quiz_that_closed_without_this_student_is_not_shown(client, student, quiz):
    Sitting.objects.update(closes_at=timezone.now())
    assert "/quizzes/foundations/" not in links(client)


def test_what_was_missed_today_comes_back_tomorrow_and_the_page_says_so(client, student, quiz):
    take_quiz(student, quiz, wrong_fields)
    assert "What you missed comes back tomorrow with new numbers" in Page(client.get(URL)).text
    assert links(client)[0] != "/today/"


def test_once_it_is_due_it_is_what_comes_next_or_after_a_running_attempt(client, student, quiz):
    take_quiz(student, quiz, wrong_fields)
    Submission.objects.update(received_at=timezone.now() - timedelta(days=1))
    assert links(client)[0] == "/today/"
    assert "What you missed comes back" not in Page(client.get(URL)).text
    attempt = start_attempt(student=student, quiz=quiz)
    assert links(client)[:2] == [attempt.get_absolute_url(), "/today/"]


def test_practice_that_was_begun_is_offered_again(client, student, questions):
    practice = practise_skill(student=student, skill=Skill("family", "cosine"))
    assert f"/practice/{practice.pk}/" not in links(client)
    check_item(attempt=practice, position=1, save=Save({"cosine-0-0": "1"}, 0, "token"))
    assert f"/practice/{practice.pk}/" in links(client)
    # The time distinguishes several practices of one skill.
    checked = practice.submissions.get().received_at.isoformat()
    assert Page(client.get(URL)).all("time", datetime=checked)


def test_the_practice_that_comes_next_is_offered_once(client, student, quiz):
    practice = practise_mistakes(attempt=take_quiz(student, quiz, wrong_fields))
    item = practice.items.select_related("variant").first()
    check_item(attempt=practice, position=1, save=Save(wrong_fields(item), 0, "token"))
    assert links(client).count(practice.get_absolute_url()) == 1


@pytest.mark.parametrize(
    ("fields", "message"), [(right_fields, "1 of 1"), (lambda _: {}, "0 of 1")]
)
def test_a_skill_says_how_many_of_its_questions_went_right(client, student, quiz, fields, message):
    take_quiz(student, quiz, fields)
    assert f"{message} right new" in Page(client.get(URL)).text.split("Skills")[1]


def test_it_shows_the_score_that_counts_and_a_curve_that_speaks_and_reads_little(
    client, student, quiz, django_assert_max_num_queries
):
    make_lesson("one", "first")
    take_quiz(student, quiz, right_fields)
    page = Page(client.get(URL))
    assert "Foundations 100%, passed" in page.text
    assert "100%, 100%" in [curve["aria-label"] for curve in page.all("svg", role="img")]
    assert page.all("a", inside="main", href="/quizzes/foundations/")
    take_quiz(student, quiz, right_fields)
    with django_assert_max_num_queries(15):
        client.get(URL)
