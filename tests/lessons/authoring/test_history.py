"""A lesson's versions can be read, compared and restored, as a whole."""

import pytest
from django.urls import reverse

from lessons.authoring.differences import differences
from lessons.authoring.history import version_at, versions_of
from lessons.authoring.services import export_lesson, import_lesson
from lessons.models import Lesson, Section
from tests.lessons.conftest import SMALL, save_in_admin
from tests.world import html_in_one_line, make_user, missing_in

EDITED = (
    SMALL.replace("So small.", "Much smaller.")
    .replace("A token, more tokens.", "One token, more tokens.")
    .replace("## Second thoughts\n\nThe formula $x^2$.\n", "## Third\n\nNew.\n")
    .replace("- term: token\n  forms: tokens", "- term: piece")
)


@pytest.fixture
def edited(small_lesson, author):
    return import_lesson(text=EDITED, user=author, reason="A new mind")


def history_address(name: str, lesson, *more) -> str:
    return reverse(f"admin:lessons_lesson_{name}", args=[lesson.pk, *more])


def test_every_change_is_a_version_with_its_author(edited, author):
    newest, first = versions_of(edited)
    assert (newest.user, newest.reason) == (author, "A new mind")
    assert first.user is None


def test_a_changed_field_of_the_lesson_itself_is_remembered(author_client, small_lesson, author):
    bodies = {f"sections-{n}-body": "New." for n in (0, 1)}
    save_in_admin(author_client, small_lesson, tagline="Other.", **bodies)
    newest, first = versions_of(small_lesson)
    assert (newest.user, first.user) == (author, None)
    assert version_at(small_lesson, newest.when).fields["tagline"] == "Other."
    assert version_at(small_lesson, first.when).fields["tagline"] == "So small."


def test_the_differences_name_part_line_and_word(edited):
    newest, first = versions_of(edited)
    found = differences(version_at(edited, first.when), version_at(edited, newest.when))
    titles = [title for title, _lines in found]
    assert titles[:2] == ["Tagline", "Words"]
    assert "Section “one”" in titles
    (removed,) = (pieces for sign, pieces in dict(found)["Section “one”"] if sign == "−")
    assert removed == [("A", True), (" token, more tokens.", False)]


def test_the_page_of_a_version_shows_what_changed(author_client, edited):
    version = versions_of(edited)[0]
    page = author_client.get(history_address("version", edited, version.stamp)).text
    assert "<del>A</del> token, more tokens." in page
    assert "<ins>One</ins> token, more tokens." in page
    assert version.stamp in author_client.get(history_address("history", edited)).text


def test_restoring_asks_first(author_client, edited):
    first = versions_of(edited)[-1]
    page = author_client.get(history_address("restore", edited, first.stamp)).text
    assert "<ins>A</ins> token" in page
    assert Lesson.objects.get().tagline == "Much smaller."


@pytest.mark.parametrize(
    ("published", "message"),
    [(True, "The lesson stays published"), (False, "The lesson stays a draft")],
)
def test_restoring_says_what_it_does_before_it_is_done(author_client, edited, published, message):
    first = versions_of(edited)[-1]
    edited.published = published
    edited.save()
    page = html_in_one_line(author_client.get(history_address("restore", edited, first.stamp)))
    stays = "The current version stays in the history, and you can restore it in the same way"
    assert missing_in(page, stays, message, "Images don’t change") == []
    changes = page.partition("Changes")[2]
    assert "<h2>Tagline</h2>" in changes
    assert "<h2>Published</h2>" not in changes


def test_restoring_what_the_lesson_says_anyway_offers_no_button(author_client, small_lesson):
    version = versions_of(small_lesson)[0]
    page = author_client.get(history_address("restore", small_lesson, version.stamp)).text
    assert "This is the same as the current version, so there’s nothing to restore." in page
    assert "Restore version" not in page


def test_the_whole_lesson_is_restored_and_nothing_is_lost(author_client, edited, author):
    first = versions_of(edited)[-1]
    kept = Section.objects.get(slug="one").pk
    assert author_client.post(history_address("restore", edited, first.stamp)).status_code == 302
    lesson = Lesson.objects.get()
    assert export_lesson(lesson=lesson) == SMALL
    assert Section.objects.get(slug="one").pk == kept
    restored, before, _first = versions_of(lesson)
    assert restored.user == author
    assert "Restored" in restored.reason
    assert version_at(lesson, before.when).fields["tagline"] == "Much smaller."


def test_restoring_a_draft_withdraws_nothing(author_client, small_lesson):
    first = versions_of(small_lesson)[0]
    Lesson.objects.get().save()
    import_lesson(text=SMALL.replace("published: true", "published: false"))
    author_client.post(history_address("restore", small_lesson, first.stamp))
    assert not Lesson.objects.get().published


def test_a_version_that_is_no_longer_valid_shows_errors_and_changes_nothing(
    author_client, small_lesson
):
    Section.objects.filter(slug="one").update(body="$\\foo$")
    Section.objects.get(slug="one").save()
    broken = versions_of(small_lesson)[0]
    import_lesson(text=SMALL)
    answer = author_client.post(history_address("restore", small_lesson, broken.stamp), follow=True)
    assert "This version can’t be restored as it was" in answer.text
    assert export_lesson(lesson=Lesson.objects.get()) == SMALL


@pytest.mark.parametrize("name", ["version", "restore"])
def test_there_is_no_version_of_another_moment(author_client, small_lesson, name):
    address = history_address(name, small_lesson, "20200101T000000000000")
    assert author_client.get(address).status_code == 404


@pytest.mark.parametrize("name", ["history", "version", "restore"])
def test_history_is_for_authors(client, small_lesson, name):
    client.force_login(make_user("S", is_staff=True))
    more = [] if name == "history" else [versions_of(small_lesson)[0].stamp]
    assert client.get(history_address(name, small_lesson, *more)).status_code in (403, 404)
    refused = (403, 404) if name == "restore" else (405,)
    assert client.post(history_address(name, small_lesson, *more)).status_code in refused
