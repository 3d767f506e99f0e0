"""The pages of a preview: begun in the admin, taken on the pages of students, deleted."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.roles import make_instructor
from quizzes.delivery.queries.attempts import items_of
from quizzes.delivery.services.previews import delete_preview, start_preview
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, Quiz, Report, Sitting
from quizzes.problems.answers import fields_of
from tests.world import admin_rows, answer_everything, submit_and_mark

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _logged_in(client, author):
    client.force_login(author)


@pytest.fixture
def preview_url(quiz):
    return reverse("admin:quizzes_quiz_preview", args=[quiz.pk])


def banner_of(answer):
    return "This is a preview." in answer.text


def test_an_author_takes_a_draft_from_its_page_to_its_results(client, author, quiz, preview_url):
    Quiz.objects.update(published=False)
    Sitting.objects.update(release=Sitting.Release.BY_HAND)
    assert preview_url in client.get(reverse("admin:quizzes_quiz_change", args=[quiz.pk])).text
    started = client.post(preview_url)
    preview = Attempt.objects.get()
    assert started.headers["Location"] == preview.get_absolute_url()
    assert banner_of(client.get(started.headers["Location"]))
    submit = reverse("quizzes:submit", args=[preview.pk])
    assert banner_of(client.get(submit))
    results = reverse("quizzes:results", args=[preview.pk])
    assert client.post(submit).headers["Location"] == results
    waiting = client.get(results)
    assert banner_of(waiting)
    assert "Waiting to be marked" in waiting.text
    grade_waiting()
    text = client.get(results).text
    assert "0 of 6 points" in text
    for name in ("change", "preview"):
        assert reverse(f"admin:quizzes_quiz_{name}", args=[quiz.pk]) in text
    assert reverse("admin:quizzes_quiz_delete_preview", args=[preview.pk]) in text
    assert reverse("quizzes:quiz", args=[quiz.slug]) not in text


def test_starting_again_leads_to_it_and_anew_begins_another(client, author, preview_url):
    client.post(preview_url)
    first = Attempt.objects.get()
    assert client.post(preview_url).headers["Location"] == first.get_absolute_url()
    assert "Continue the open preview" in client.get(preview_url).text
    client.post(preview_url, {"anew": "1"})
    assert Attempt.objects.get() != first


def test_slots_that_cannot_be_drawn_are_named_one_by_one(client, author, quiz, preview_url):
    quiz.slots.filter(position=2).update(family="gone")
    assert "Slot 2: " in client.get(preview_url).text
    answer = client.post(preview_url)
    assert answer.status_code == 409
    assert "Slot 2: " in answer.text
    assert "Start preview" not in answer.text


def test_deleting_asks_first(client, author, quiz, preview_url):
    client.post(preview_url)
    address = reverse("admin:quizzes_quiz_delete_preview", args=[Attempt.objects.get().pk])
    assert "Keep it" in client.get(address).text
    assert Attempt.objects.exists()
    assert client.post(address).headers["Location"] == preview_url
    assert not Attempt.objects.exists()
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("page", ["", "submit/"])
def test_one_that_is_deleted_while_it_is_submitted_is_a_page_that_is_not_there(
    client, author, quiz, monkeypatch, page
):
    preview = start_preview(author=author, quiz=quiz)

    def deleted_meanwhile(attempt):
        items = list(items_of(attempt))
        delete_preview(attempt=attempt)
        return items

    typed = {
        f"item-{item.position}-{field}": "1"
        for item in items_of(preview)
        for field in fields_of(item.asked)
    }
    monkeypatch.setattr("quizzes.delivery.views.attempt.items_of", deleted_meanwhile)
    answer = client.post(f"/attempts/{preview.pk}/{page}", typed)
    assert answer.status_code == 404
    assert "Page not found" in answer.text


@pytest.mark.parametrize("method", ["get", "post"])
def test_another_authors_preview_is_not_there(client, author, quiz, other_student, method):
    make_instructor(other_student)
    preview = start_preview(author=other_student, quiz=quiz)
    submit_and_mark(preview)
    for name in (
        *("admin:quizzes_quiz_delete_preview", "admin:quizzes_attempt_change"),
        *("quizzes:attempt", "quizzes:submit", "quizzes:results", "quizzes:review"),
    ):
        answer = getattr(client, method)(reverse(name, args=[preview.pk]))
        # The admin answers with a redirect to its home.
        gone = answer.headers.get("Location", "") == "/admin/"
        assert answer.status_code in (404, 405) or gone, name
    assert Attempt.objects.filter(pk=preview.pk).exists()


def test_whoever_may_only_look_cannot_preview(client, quiz, preview_url, log_in_with_permissions):
    log_in_with_permissions("view_quiz")
    assert client.get(preview_url).status_code == client.post(preview_url).status_code == 403
    assert preview_url not in client.get(reverse("admin:quizzes_quiz_change", args=[quiz.pk])).text


def test_who_is_no_author_any_more_does_not_see_it(client, author, quiz):
    preview = start_preview(author=author, quiz=quiz)
    author.groups.clear()
    for name in ("attempt", "submit", "results"):
        assert client.get(reverse(f"quizzes:{name}", args=[preview.pk])).status_code == 404


def test_there_is_nothing_to_report(client, author, quiz):
    preview = start_preview(author=author, quiz=quiz)
    assert "Is something wrong with" not in client.get(preview.get_absolute_url()).text
    address = reverse("quizzes:report", args=[preview.pk, 1])
    assert client.post(address, {"sentence": "odd"}).status_code == 409
    assert not Report.objects.exists()


def test_lists_of_the_admin_count_and_show_no_preview(client, author, quiz):
    preview = start_preview(author=author, quiz=quiz)
    answer_everything(preview)
    submit_and_mark(preview)

    def rows(model):
        return admin_rows(client, reverse(f"admin:quizzes_{model}_changelist"))

    assert rows("attempt") == rows("submission") == []
    assert [row.attempt_count for row in rows("quiz")] == [0]
    assert {row.asked for row in rows("conceptquestion")} == {0}


def test_a_student_sees_nothing_of_it_on_their_own_pages(client, author, quiz):
    preview = start_preview(author=author, quiz=quiz)
    submit_and_mark(preview)
    for name in ("home", "mine"):
        assert f"/attempts/{preview.pk}/" not in client.get(reverse(f"quizzes:{name}")).text
    text = client.get(reverse("quizzes:quiz", args=[quiz.slug])).text
    assert f"/attempts/{preview.pk}/" not in text
    assert not re.search(r"attempts? used", text)


def test_its_time_is_over_as_for_anybody(client, author, quiz):
    preview = start_preview(author=author, quiz=quiz)
    Attempt.objects.update(deadline=timezone.now() - timedelta(minutes=1))
    results = reverse("quizzes:results", args=[preview.pk])
    assert client.get(preview.get_absolute_url()).headers["Location"] == results
