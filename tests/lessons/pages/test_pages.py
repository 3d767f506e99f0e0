"""The catalogue and the pages of lessons, for readers and for their authors."""

import pytest
from django.urls import reverse

from lessons.authoring.services import import_lesson
from lessons.models import Lesson
from quizzes.models import Quiz
from tests.lessons.conftest import SMALL
from tests.world import found_in, make_user, missing_in

CATALOGUE = "/"


def page_of(client, lesson, status=200):
    response = client.get(lesson.get_absolute_url())
    assert response.status_code == status
    return response.text


def another_lesson(slug, **fields):
    text = SMALL.replace("slug: small", f"slug: {slug}").replace("A small lesson", slug.title())
    lesson = import_lesson(text=text)
    Lesson.objects.filter(pk=lesson.pk).update(**fields)
    return lesson


def test_the_catalogue_lists_lessons_in_their_order(client, small_lesson):
    another_lesson("early", order=1)
    html = client.get(CATALOGUE).text
    assert html.index("Early") < html.index("A small lesson")
    assert "Beginner · 5 min" in html


def test_the_address_above_the_lessons_leads_to_their_list(client, small_lesson):
    assert client.get("/lessons/").headers["Location"] == "/#lessons"
    assert 'id="lessons"' in client.get("/").text


def test_an_empty_catalogue_says_so(client, db):
    assert "No lessons published yet" in client.get(CATALOGUE).text


def test_the_quiz_is_announced_once_it_is_published(client, small_lesson):
    quiz = Quiz.objects.create(lesson=small_lesson, slug="small-quiz", title="Small quiz")
    for url in (CATALOGUE, small_lesson.get_absolute_url()):
        assert "small-quiz" not in client.get(url).text
    Quiz.objects.update(published=True)
    for url in (CATALOGUE, small_lesson.get_absolute_url()):
        html = client.get(url).text
        assert quiz.get_absolute_url() in html
        assert "23 min" in html


def test_a_lesson_shows_its_parts_sections_and_words(client, small_lesson):
    html = page_of(client, small_lesson)
    assert missing_in(html, "First line,", 'href="#one"', 'id="second-thoughts"', "<msup>") == []
    word = ('popovertarget="meaning-token">token</button>', 'id="meaning-token" popover')
    assert missing_in(html, *word) == []


def test_parts_that_are_empty_are_not_announced(client, small_lesson):
    titles = ("How this lesson fits", "Side by side", "The big story", "The same idea")
    assert found_in(page_of(client, small_lesson), *titles) == []


@pytest.mark.parametrize("part", Lesson.PARTS)
def test_every_part_is_shown(client, small_lesson, part):
    Lesson.objects.update(**{part: "Here it *is*."})
    assert "Here it <em>is</em>." in page_of(client, small_lesson)


def test_neighbours_are_linked(client, small_lesson):
    before, after = another_lesson("before", order=1), another_lesson("after", order=9)
    html = page_of(client, small_lesson)
    assert f'rel="prev" href="{before.get_absolute_url()}"' in html
    assert f'rel="next" href="{after.get_absolute_url()}"' in html


def test_drafts_are_hidden_from_readers(client, small_lesson):
    draft = another_lesson("secret", published=False)
    assert "Secret" not in client.get(CATALOGUE).text
    assert "Secret" not in page_of(client, draft, status=404)
    assert "Secret" not in page_of(client, small_lesson)


def test_drafts_are_hidden_from_staff_who_do_not_write(client, small_lesson):
    client.force_login(make_user("Helper", is_staff=True))
    page_of(client, another_lesson("secret", published=False), status=404)


def test_authors_preview_drafts(client, small_lesson, author):
    draft = another_lesson("secret", published=False)
    client.force_login(author)
    assert "Draft" in page_of(client, draft)
    assert "Draft" in client.get(CATALOGUE).text


def test_an_unknown_lesson_is_a_helpful_404(client, small_lesson):
    response = client.get(reverse("lessons:lesson", args=["smal"]))
    assert response.status_code == 404
    html = response.text
    assert f'Did you mean <a href="{small_lesson.get_absolute_url()}">' in html
    assert "Available lessons" in html


def test_an_unknown_lesson_where_there_is_none(client, db):
    assert client.get("/lessons/nothing/").status_code == 404


def test_one_broken_text_does_not_take_the_page_with_it(client, small_lesson):
    small_lesson.sections.filter(slug="one").update(body="$\\foo$")
    html = page_of(client, small_lesson)
    assert missing_in(html, "This part can’t be shown.", "<msup>") == []


def test_pages_run_under_the_strictest_policy(client, small_lesson):
    html = page_of(client, small_lesson)
    assert found_in(html, " style=", "<style", "onclick") == []


def test_the_page_asks_the_database_as_little_as_the_lesson_is_long(
    client, small_lesson, django_assert_num_queries
):
    with django_assert_num_queries(7):
        page_of(client, small_lesson)


@pytest.mark.parametrize(
    ("rows", "fields"),
    [
        ("sections", {"title": "Changed"}),
        ("sections", {"slug": "changed"}),
        ("sections", {"body": "It is Changed."}),
        ("words", {"term": "Changed"}),
        ("words", {"forms": "both"}),
        ("words", {"meaning": "A Changed one."}),
        ("lesson", {"title": "Changed"}),
        ("lesson", {"minutes": 1234}),
        ("lesson", {"today": "It is Changed."}),
    ],
)
def test_what_an_author_changes_is_on_the_page_at_once(client, small_lesson, rows, fields):
    small_lesson.sections.filter(slug="one").update(body="Both tokens.")
    before = page_of(client, small_lesson)
    changed = (
        Lesson.objects.filter(pk=small_lesson.pk)
        if rows == "lesson"
        else getattr(small_lesson, rows)
    )
    changed.filter(pk=changed.first().pk).update(**fields)
    after = page_of(client, small_lesson)
    assert after != before
    shown = "Both</button>" if "forms" in fields else str(*fields.values())
    assert shown in after
    assert shown not in before
