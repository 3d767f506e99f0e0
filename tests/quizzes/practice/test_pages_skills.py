"""The page of all skills: those to start with, and the parts of the model, which fill."""

from datetime import timedelta

import pytest
from django.db.models import F

from lessons.models import Lesson, Reading
from quizzes import problems
from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, ConceptQuestion, Sitting, Submission, Topic
from quizzes.practice.services import check_item, practise_skill
from tests.fixtures import WHOLE
from tests.quizzes.reading import Page
from tests.world import make_lesson, save_answer, take_quiz, wrong_fields

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


def begins(page, inside="main"):
    """Return the addresses at which the page's buttons begin to practise."""
    buttons = page.all("button", inside=inside)
    return [button["formaction"] for button in buttons if "formaction" in button]


def test_every_family_and_every_topic_is_there_once(client, taught, as_student):
    page = Page(client.get(URL))
    parts = {tag["id"] for tag in page.all("section", inside="main") if "id" in tag}
    skills = [address for part in parts for address in begins(page, inside=part)]
    topics = set(ConceptQuestion.objects.values_list("topic", flat=True))
    wanted = [f"/practice/family/{key}/" for key in problems.family_keys()]
    wanted += [f"/practice/topic/{topic}/" for topic in topics]
    assert sorted(skills) == sorted(wanted)


def test_a_visitor_is_led_to_an_exercise_where_a_section_has_one(client, taught):
    page = Page(client.get(URL))
    assert hrefs(page, inside="softmax")[0] == "/exercises/one/first/"
    assert "/practice/family/cosine/" in hrefs(page, inside="vectors")
    assert "/try/" in hrefs(page, inside="main")
    assert not page.all("input", name="csrfmiddlewaretoken", inside="main")


def test_a_skill_begins_with_one_press_and_only_once(client, taught, as_student):
    (address,) = {each for each in begins(Page(client.get(URL))) if "softmax_row" in each}
    first, second = client.post(address), client.post(address)
    assert first.url == second.url
    assert Attempt.objects.get().items.count() == 1
    assert Page(client.get(first.url, follow=True)).all("fieldset", inside="practice")


def recommended(client):
    """Return the recommended skills, each with its reason."""
    page = client.get(URL).context["page"]
    return [(str(each.line.skill), each.says) for each in page["recommended"]]


def test_the_weakest_come_first_then_those_of_the_last_lesson_then_new_ones(
    client, taught, quiz, student, as_student
):
    assert {says for _skill, says in recommended(client)} == {"still new to you"}
    Reading.objects.create(student=student, section=taught.sections.get())
    skills = [skill for skill, says in recommended(client) if says.startswith("from the lesson")]
    assert skills == ["family:softmax_row", "topic:keys"]
    for _ in range(2):
        take_quiz(student, quiz, wrong_fields)
    (first, says), (second, says_too), _third = recommended(client)
    assert {first, second} == {"family:cosine", "family:softmax_row"}
    assert (says, says_too) == ("your weakest skill so far", "shaky so far")


def test_what_is_solid_fills_its_part_and_is_not_recommended(client, taught, quiz, student):
    client.force_login(student)
    for _ in range(2):
        take_quiz(student, quiz)
    page = Page(client.get(URL))
    fills = page.all("progress", inside="main")
    parts = ["whole", "vectors", "block", "heads", "dot-product", "softmax", "attention"]
    for part, fill in zip(parts, fills, strict=True):
        solid = page.all("span", inside=part, **{"class": "standing standing-solid"})
        assert (int(fill["value"]), int(fill["max"])) == (len(solid), len(begins(page, part)))
    assert {fill["value"] for fill in fills} == {"0", "1"}
    assert not {"family:cosine", "family:softmax_row"} & dict(recommended(client)).keys()


def test_what_is_due_today_begins_from_here_too(client, taught, student, as_student):
    assert "/today/" not in begins(Page(client.get(URL)))
    item = practise_skill(student=student, skill=Skill("family", "cosine")).items.get()
    save_answer(item, wrong_fields(item))
    check_item(attempt=item.attempt, position=1)
    grade_waiting()
    Submission.objects.update(received_at=F("received_at") - timedelta(1))
    page = Page(client.get(URL))
    assert "/today/" in begins(page)
    assert "1 question to review" in page.text


def test_skills_stand_with_the_part_of_the_model_that_they_are_about(client, taught):
    page = Page(client.get(URL))
    ids = [tag["id"] for tag in page.all("section", inside="main") if "id" in tag]
    parts = ["vectors", "dot-product", "softmax", "attention", "heads", "block", "whole"]
    assert ids == [*parts, "other-skills"]  # the other topics have no part
    assert hrefs(page, inside="softmax")[:1] == ["/exercises/one/first/"]
    assert {f"#{part}" for part in parts} <= set(hrefs(page))
    # Regardless of what else its section teaches.
    assert "/practice/topic/keys/" in hrefs(page, inside="attention")
    assert "The role of keys" in page.text


def test_topics_and_families_are_about_the_same_parts_of_the_model():
    assert tuple(Topic.Part.values) == problems.PARTS


def test_the_skills_of_a_lesson_stand_alone_where_it_is_asked_for(client, taught):
    page = Page(client.get(URL, {"lesson": "one"}))
    assert hrefs(page, inside="softmax") == ["/exercises/one/first/"]
    assert hrefs(page, inside="attention") == ["/practice/topic/keys/"]
    assert URL in hrefs(page, inside="main")
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
    assert standings(client) == set()
    take_quiz(student, quiz)
    take_quiz(student, quiz)
    # Cosine and the softmax of a row had four questions each, most others two.
    assert standings(client) == {"new", "solid"}


def test_marks_that_are_not_released_are_not_shown_here(client, taught, quiz, student):
    Sitting.objects.update(release="by_hand")
    take_quiz(student, quiz)
    client.force_login(student)
    assert standings(client) == set()


def test_home_and_every_page_lead_here(client, taught, student):
    assert URL in hrefs(Page(client.get("/")))
    client.force_login(student)
    assert URL in hrefs(Page(client.get("/learning/")), inside="main")


def test_it_reads_as_little_however_much_there_is(
    client, taught, quiz, student, django_assert_max_num_queries
):
    take_quiz(student, quiz)
    client.force_login(student)
    with django_assert_max_num_queries(12):
        client.get(URL)
