"""All that can be practised, on one page: lesson by lesson, with how each skill goes."""

import pytest

from lessons.models import Lesson
from quizzes import problems
from quizzes.models import ConceptQuestion, Sitting, Topic
from quizzes.services.grading import grade_waiting
from quizzes.services.taking import start_attempt, submit_attempt

from .answering import answer_everything, right_fields
from .reading import Page

URL = "/practice/"


@pytest.fixture
def lesson(questions):
    """Two lessons; the second one's only section teaches a family and a topic."""
    Lesson.objects.create(slug="zero", title="Zero", order=0, published=True)
    lesson = Lesson.objects.create(slug="one", title="One", order=1, published=True)
    section = lesson.sections.create(slug="first", title="First", families="softmax_row")
    ConceptQuestion.objects.filter(topic="keys").update(section=section)
    Topic.objects.create(key="keys", title="The role of keys")
    return lesson


def take(student, quiz):
    attempt = start_attempt(student=student, quiz=quiz)
    answer_everything(attempt, right_fields)
    submit_attempt(attempt=attempt)
    grade_waiting()


def hrefs(page, inside=None):
    return [link["href"] for link in page.all("a", inside=inside)]


def test_every_family_and_every_topic_is_there_once(client, lesson):
    links = hrefs(Page(client.get(URL)), inside="main")
    skills = [link for link in links if link.startswith("/practice/")]
    topics = set(ConceptQuestion.objects.values_list("topic", flat=True))
    wanted = [f"/practice/family/{key}/" for key in problems.family_keys()]
    wanted += [f"/practice/topic/{topic}/" for topic in topics]
    assert sorted(skills) == sorted(wanted)


def test_skills_stand_with_the_lesson_that_teaches_them(client, lesson):
    page = Page(client.get(URL))
    assert hrefs(page, inside="one") == [
        "/lessons/one/",
        "/practice/family/softmax_row/",
        "/practice/topic/keys/",
    ]
    assert "The role of keys" in page.text
    assert not page.all("section", id="zero")


def test_what_a_draft_teaches_is_told_of_no_lesson(client, lesson):
    Lesson.objects.update(published=False)
    page = Page(client.get(URL))
    assert not page.all("section", id="one")
    assert "/practice/topic/keys/" in hrefs(page, inside="other-skills")


def test_a_visitor_sees_no_mastery_and_a_student_the_own(client, lesson, quiz, student):
    assert not Page(client.get(URL)).all("svg", role="img")
    take(student, quiz)
    client.force_login(student)
    page = Page(client.get(URL))
    assert page.all("span", inside="one", **{"class": "standing standing-new"})
    assert page.all("svg", role="img", inside="one")


def test_marks_that_are_not_released_are_not_told_here(client, lesson, quiz, student):
    Sitting.objects.update(release="by_hand")
    take(student, quiz)
    client.force_login(student)
    assert not Page(client.get(URL)).all("svg", role="img")


def test_home_and_every_page_lead_here(client, lesson, student):
    assert URL in hrefs(Page(client.get("/")))
    client.force_login(student)
    assert URL in hrefs(Page(client.get("/learning/")), inside="main")


def test_it_reads_as_little_however_much_there_is(
    client, lesson, quiz, student, django_assert_max_num_queries
):
    take(student, quiz)
    client.force_login(student)
    with django_assert_max_num_queries(7):
        client.get(URL)
