"""Authoring in the admin: errors at their field and line, drafts one click away."""

from django.urls import reverse

from foundation.loading import LoadOutcome
from lessons.authoring.history import versions_of
from lessons.authoring.services import export_lesson, load_lessons
from lessons.models import Lesson, Section
from tests.lessons.conftest import SMALL, save_in_admin


def test_saving_untouched_is_no_edit(author_client, small_lesson, tmp_path):
    (tmp_path / "small.md").write_text(SMALL)
    assert save_in_admin(author_client, small_lesson).status_code == 302
    assert export_lesson(lesson=Lesson.objects.get()) == SMALL
    assert len(versions_of(small_lesson)) == 1
    assert Section.history.count() == 2
    assert [each.outcome for each in load_lessons(folder=tmp_path)] == [LoadOutcome.UNCHANGED]


def test_a_draft_is_one_click_away(author_client, small_lesson):
    Lesson.objects.update(published=False)
    page = author_client.get(reverse("admin:lessons_lesson_change", args=[small_lesson.pk])).text
    assert f'href="{small_lesson.get_absolute_url()}"' in page


def test_the_list_can_be_searched(author_client, small_lesson):
    url = reverse("admin:lessons_lesson_changelist")
    assert "A small lesson" in author_client.get(url, {"q": "tokens"}).text
    assert "A small lesson" not in author_client.get(url, {"q": "nowhere"}).text
