"""The page of all skills, by the parts of the model, with the student's standing in each."""

import pytest

from lessons.models import Lesson
from quizzes import problems
from quizzes.models import ConceptQuestion, Sitting, Topic
from tests.fixtures import WHOLE
from tests.quizzes.reading import Page
from tests.world import make_lesson, take_quiz

ASKS = WHOLE

URL = "/practice/"


@pytest.fixture
def taught(questions):
    """The second of two lessons; its only section teaches a family and a topic."""
    make_lesson("zero", order=0)
    taught = make_lesson("one", order=1)
    section = taught.sections.create(slug="first", title="First", families="softmax_row")
    ConceptQuestion.objects.filter(topic="keys").update(section=section)
    Topic.objects.create(key="keys", title="The role of keys", part=Topic.Part.ATTENTION)
    return taught


def hrefs(page, inside=None):
    return [link["href"] for link in page.all("a", inside=inside)]


def test_every_family_and_every_topic_is_there_once(client, taught):
    links = hrefs(Page(client.get(URL)), inside="main")
    skills = [link for link in links if link.startswith("/practice/")]
    topics = set(ConceptQuestion.objects.values_list("topic", flat=True))
    wanted = [f"/practice/family/{key}/" for key in problems.family_keys()]
    wanted += [f"/practice/topic/{topic}/" for topic in topics]
    assert sorted(skills) == sorted(wanted)


def test_skills_stand_with_the_part_of_the_model_that_they_are_about(client, taught):
    page = Page(client.get(URL))
    ids = [tag["id"] for tag in page.all("section", inside="main")]
    parts = ["vectors", "dot-product", "softmax", "attention", "heads", "block", "whole"]
    assert ids == [*parts, "other-skills"]  # the other topics have no part
    assert hrefs(page, inside="softmax")[:1] == ["/practice/family/softmax_row/"]
    # Regardless of what else its section teaches.
    assert "/practice/topic/keys/" in hrefs(page, inside="attention")
    assert "The role of keys" in page.text


def test_topics_and_families_are_about_the_same_parts_of_the_model():
    assert tuple(Topic.Part.values) == problems.PARTS


def test_the_skills_of_a_lesson_stand_alone_where_it_is_asked_for(client, taught):
    page = Page(client.get(URL, {"lesson": "one"}))
    skills = [link for link in hrefs(page, inside="main") if link.startswith("/practice/")]
    assert skills == [URL, "/practice/family/softmax_row/", "/practice/topic/keys/"]
    assert Page(client.get(URL, {"lesson": "no-such"})).all("section", id="vectors")


def test_skills_of_a_draft_have_no_lesson(client, taught):
    Lesson.objects.update(published=False)
    assert "/practice/topic/keys/" in hrefs(Page(client.get(URL)), inside="attention")
    assert Page(client.get(URL, {"lesson": "one"})).all("section", id="vectors")


def standings(client):
    tags = Page(client.get(URL)).all("span", inside="main")
    return {tag["class"].split("-")[-1] for tag in tags if "standing" in tag.get("class", "")}


def test_a_visitor_sees_no_standing_and_a_student_the_own_in_words(client, taught, quiz, student):
    assert standings(client) == set()
    client.force_login(student)
    assert standings(client) == {"new"}
    take_quiz(student, quiz)
    take_quiz(student, quiz)
    # Cosine and the softmax of a row had four questions each, most others two.
    assert standings(client) == {"new", "solid"}


def test_marks_that_are_not_released_are_not_shown_here(client, taught, quiz, student):
    Sitting.objects.update(release="by_hand")
    take_quiz(student, quiz)
    client.force_login(student)
    assert standings(client) == {"new"}


def test_home_and_every_page_lead_here(client, taught, student):
    assert URL in hrefs(Page(client.get("/")))
    client.force_login(student)
    assert URL in hrefs(Page(client.get("/learning/")), inside="main")


def test_it_reads_as_little_however_much_there_is(
    client, taught, quiz, student, django_assert_max_num_queries
):
    take_quiz(student, quiz)
    client.force_login(student)
    with django_assert_max_num_queries(8):
        client.get(URL)
