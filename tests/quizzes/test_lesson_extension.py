"""Links between lessons and quizzes: sections to their quiz, reviews to their sections."""

import re

import pytest
from django.utils import timezone

from lessons import extensions
from lessons.authoring.services import export_lesson, import_lesson
from lessons.errors import ContentError
from lessons.pages.queries import sections_by_family
from quizzes.models import Attempt, ConceptQuestion, Quiz, Sitting, Topic
from tests.lessons.conftest import SMALL
from tests.quizzes.reading import Page
from tests.world import make_quiz, missing_in

FAMILIES = SMALL.replace("---\n\n## First", "families:\n  softmax_row: one\n---\n\n## First")


@pytest.fixture
def taught(db):
    return import_lesson(text=FAMILIES)


@pytest.fixture
def asking(taught):
    """A quiz on what the first section teaches."""
    return make_quiz("q", {"family": "softmax_row"}, title="A quiz", lesson=taught)


def ends(client, taught):
    """Return the ends of sections that have something there."""
    return client.get(taught.get_absolute_url()).text.split('class="section-end"')[1:]


def test_a_file_says_where_a_family_is_taught(taught):
    assert export_lesson(lesson=taught) == FAMILIES
    assert sections_by_family()["softmax_row"].slug == "one"


def test_only_the_families_asked_for_are_read(taught):
    (section,) = sections_by_family({"softmax_row", "cosine"}).values()
    assert section.slug == "one"
    assert sections_by_family({"cosine"}) == {}


def test_a_home_that_is_no_section_is_reported(db):
    with pytest.raises(ContentError, match="families: there’s no section ten"):
        import_lesson(text=FAMILIES.replace("softmax_row: one", "softmax_row: ten"))


@pytest.mark.parametrize("wrong", ["[softmax_row]", "{softmax_row: [one]}", "{'a b': one}"])
def test_families_of_another_form_are_reported(db, wrong):
    text = SMALL.replace("---\n\n## First", f"families: {wrong}\n---\n\n## First")
    with pytest.raises(ContentError, match="families"):
        import_lesson(text=text)


def test_drafts_are_no_homes(taught):
    type(taught).objects.update(published=False)
    assert sections_by_family() == {}


def test_a_section_leads_to_the_skill_that_it_teaches(client, taught):
    (end,) = ends(client, taught)
    assert 'href="/practice/family/softmax_row/">Practise: Softmax of a row' in end
    assert client.get("/practice/family/softmax_row/").status_code == 200


def test_a_student_begins_to_practise_it_at_once(client, taught, as_student):
    page = Page(client.get(taught.get_absolute_url()))
    (button,) = page.all("button", formaction="/practice/family/softmax_row/")
    assert page.all("form", id=button["form"], method="post")
    assert "csrfmiddlewaretoken" in page.values(form=button["form"])


def test_a_family_that_is_no_more_is_not_practised(client, taught):
    taught.sections.filter(slug="one").update(families="gone")
    assert ends(client, taught) == []


def asks(quiz, taught, *topics):
    """Make the quiz ask these topics, which the second section teaches."""
    section = taught.sections.get(slug="second-thoughts")
    for position, topic in enumerate(topics, start=1):
        quiz.slots.create(position=position, topic=topic)
        ConceptQuestion.objects.create(
            key=topic, topic=topic, prompt="?", section=section, published=True
        )


def test_a_section_leads_to_the_topics_that_it_answers_by_their_titles(client, taught):
    quiz = Quiz.objects.create(lesson=taught, slug="q", title="A quiz", published=True)
    asks(quiz, taught, "masks")
    Topic.objects.create(key="masks", title="What masks hide")
    (_, end) = ends(client, taught)
    assert 'href="/practice/topic/masks/">Practise: What masks hide' in end
    assert "Take the quiz: " not in end  # the link comes once, after the lesson


def test_of_many_skills_a_section_names_three_and_leads_to_all(client, taught):
    quiz = Quiz.objects.create(lesson=taught, slug="q", title="A quiz", published=True)
    asks(quiz, taught, "ay", "bee", "see", "dee")
    (_, end) = ends(client, taught)
    assert end.count("Practise: ") == 3
    assert f'href="/practice/?lesson={taught.slug}">More to practise' in end
    assert f"Practise: {taught.title}" in client.get("/practice/", {"lesson": taught.slug}).text


def test_an_open_quiz_stands_in_the_catalogue_in_the_contents_and_after_the_lesson(
    client, taught, asking
):
    expected = "Quiz: 1 questions, 23 min"
    assert f'<a href="{asking.get_absolute_url()}">{expected}</a>' in client.get("/").text
    page = client.get(taught.get_absolute_url()).text
    assert '<a href="#quiz-q">Quiz</a>' in page.split("data-contents")[1].split("</nav>")[0]
    card = page.split('id="quiz-q"')[1].split("</section>")[0]
    assert missing_in(card, "A quiz</h2>", "1 questions · 23 min") == []
    assert f'href="{asking.get_absolute_url()}">Take the quiz</a>' in card


def test_several_quizzes_stand_in_the_order_of_their_titles(client, taught, asking):
    Quiz.objects.create(lesson=taught, slug="a", title="Another", published=True)
    page = client.get(taught.get_absolute_url()).text
    assert re.findall(r'class="quiz-card" id="(.*?)"', page) == ["quiz-q", "quiz-a"]


def test_a_quiz_that_is_a_draft_stands_nowhere(client, taught, asking):
    Quiz.objects.update(published=False)
    for page in ("/", taught.get_absolute_url()):
        assert "quiz-" not in client.get(page).text
        assert asking.get_absolute_url() not in client.get(page).text


def test_lessons_stand_by_themselves_too(client, taught, asking, monkeypatch):
    monkeypatch.setattr(extensions, "_extensions", [])
    for page in ("/", taught.get_absolute_url()):
        answer = client.get(page)
        assert answer.status_code == 200
        assert asking.get_absolute_url() not in answer.text


def test_the_lesson_and_the_catalogue_say_how_the_quiz_went(
    client, taught, asking, django_user_model
):
    student = django_user_model.objects.create_user("s@example.org", "x")
    client.force_login(student)
    pages = ("/", taught.get_absolute_url())

    def shows(words):
        return all(words in client.get(page).text for page in pages)

    handed_in = {"student": student, "quiz": asking, "sitting": asking.own_sitting}
    handed_in |= {"state": "submitted", "out_of": 10}
    Attempt.objects.create(**handed_in, number=1, submitted_at=timezone.now())
    assert shows("Quiz taken</a>")
    Attempt.objects.create(**handed_in, number=2, score=9)
    Attempt.objects.create(**handed_in, number=3, score=3)
    assert shows("Quiz passed: 90%</a>")
    Sitting.objects.update(counts="last")
    assert shows("Quiz taken: 30%</a>")
    Sitting.objects.update(release="by_hand")
    assert shows("Quiz taken</a>")
    assert not shows("90%")
