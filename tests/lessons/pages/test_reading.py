"""Sections that a student has read: stored once, shown where it helps, visible to nobody else."""

import pytest
from django.test import Client
from django.urls import reverse

from lessons.authoring.services import import_lesson
from lessons.models import Lesson, Reading
from lessons.pages.pacing import section_minutes
from lessons.pages.services import mark_as_read
from tests.lessons.conftest import SMALL

SCRIPT = {"Accept": "application/json"}


@pytest.fixture
def desk(client, as_student):
    return client


def reading_address(lesson, section="one"):
    return reverse("lessons:read", args=[lesson.slug, section])


def shows_as_read(html, section):
    """Return whether the page shows the section as read, at its end."""
    button = html.split(f'data-reading="{section.pk}"')[1].partition(">")[0]
    words = html.split(f'"section-read" data-read-of="{section.pk}"')[1].partition(">")[0]
    assert ("hidden" in button) != ("hidden" in words)
    return "hidden" in button


def test_the_button_marks_a_section_and_comes_back_to_its_end(desk, small_lesson):
    section = small_lesson.sections.get(slug="one")
    answer = desk.post(reading_address(small_lesson))
    assert answer.url == f"{small_lesson.get_absolute_url()}#read-{section.pk}"
    html = desk.get(small_lesson.get_absolute_url()).text
    assert shows_as_read(html, section)
    assert not shows_as_read(html, small_lesson.sections.get(slug="second-thoughts"))
    assert "<span data-count>1</span> of 2 sections read" in html


def test_the_script_is_answered_without_a_page(desk, small_lesson):
    answer = desk.post(reading_address(small_lesson), headers=SCRIPT)
    assert (answer.status_code, answer.content) == (204, b"")
    assert Reading.objects.count() == 1


def test_marking_again_changes_nothing(desk, small_lesson):
    desk.post(reading_address(small_lesson))
    first = Reading.objects.get().read_at
    desk.post(reading_address(small_lesson))
    assert Reading.objects.get().read_at == first


def test_looking_marks_nothing(desk, small_lesson):
    assert desk.get(reading_address(small_lesson)).status_code == 302
    assert not Reading.objects.exists()


def test_without_a_log_in_nothing_is_marked(client, small_lesson):
    assert client.post(reading_address(small_lesson), headers=SCRIPT).status_code == 401
    answer = client.post(reading_address(small_lesson))
    assert answer.url == f"/accounts/login/?next={small_lesson.get_absolute_url()}"
    assert not Reading.objects.exists()


def test_a_forged_post_is_refused(small_lesson, student):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(student)
    assert strict.post(reading_address(small_lesson)).status_code == 403


@pytest.mark.parametrize("where", [("small", "nothing"), ("nothing", "one")])
def test_what_is_not_there_is_not_found(desk, small_lesson, where):
    assert desk.post(reverse("lessons:read", args=where)).status_code == 404


def test_drafts_cannot_be_marked_by_those_who_cannot_see_them(desk, small_lesson):
    Lesson.objects.update(published=False)
    assert desk.post(reading_address(small_lesson)).status_code == 404


def test_others_see_nothing_of_it(desk, client, small_lesson, other_student):
    desk.post(reading_address(small_lesson))
    client.force_login(other_student)
    assert "<span data-count>0</span>" in client.get(small_lesson.get_absolute_url()).text
    client.logout()
    assert "sections read" not in client.get(small_lesson.get_absolute_url()).text


def test_the_catalogue_says_how_far_and_where_to_go_on(desk, small_lesson, student):
    html = desk.get("/").text
    assert "0 of 2 sections read" in html
    assert f'href="{small_lesson.get_absolute_url()}">Start<' in html
    mark_as_read(student=student, section=small_lesson.sections.get(slug="one"))
    html = desk.get("/").text
    assert "1 of 2 sections read" in html
    assert 'stroke-dasharray="1 2"' in html
    assert f'href="{small_lesson.get_absolute_url()}#second-thoughts">Continue<' in html
    mark_as_read(student=student, section=small_lesson.sections.get(slug="second-thoughts"))
    html = desk.get("/").text
    assert "All sections read" in html
    assert f'href="{small_lesson.get_absolute_url()}">Read again<' in html


def test_the_catalogue_asks_no_more_for_more_lessons(
    desk, small_lesson, django_assert_max_num_queries
):
    for n in range(5):
        import_lesson(text=SMALL.replace("slug: small", f"slug: small-{n}"))
    with django_assert_max_num_queries(8):
        desk.get("/")


def test_a_section_that_is_loaded_again_stays_read(desk, small_lesson):
    desk.post(reading_address(small_lesson))
    import_lesson(text=SMALL.replace("A token,", "One token,"))
    assert Reading.objects.count() == 1


def test_the_minutes_of_a_lesson_are_shared_by_words_formulas_and_widgets():
    words = "word " * 100
    figure = "```heat_matrix\ncaption: x\nvalues: [[1]]\n```\n"
    assert section_minutes([words, words], 20) == [10, 10]
    assert section_minutes([words, words * 3], 20) == [5, 15]
    assert section_minutes([figure * 2, words * 3], 20) == [10, 10]
    assert section_minutes([figure.replace("```", "~~~") * 2, words * 3], 20) == [10, 10]
    formulas = "$$\nx\n$$\n" * 5
    assert section_minutes([formulas, words * 2], 20) == [10, 10]
    assert section_minutes(["", words], 20) == [1, 20]
    assert section_minutes([], 20) == []


def test_minutes_stand_in_the_contents(client, small_lesson):
    html = client.get(small_lesson.get_absolute_url()).text
    assert '<a href="#one">First <span class="meta">3 min' in html
