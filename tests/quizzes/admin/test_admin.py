"""The admin: quizzes and questions are authored there, attempts and submissions only read."""

from datetime import UTC, datetime, timedelta

import pytest
from django import forms
from django.contrib.auth import get_user_model
from django.urls import reverse
from django.utils import timezone

from quizzes import problems
from quizzes.admin.quiz import QuizForm
from quizzes.delivery.effective_settings import own_settings
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.marking.vitals import stuck_outside_classes
from quizzes.models import Attempt, ConceptQuestion, ExtraTime, Quiz, Sitting, Submission, Topic
from quizzes.notifiers import grading_notifier
from quizzes.practice.services import check_item, practise_quiz, practise_skill
from sharing.models import Access, new_share
from tests.each import each
from tests.world import (
    admin_form,
    duration_in_minutes,
    found_in,
    missing_in,
    refresh,
    save_answer,
    wrong_fields,
)


def change_url(row):
    return reverse(f"admin:quizzes_{row._meta.model_name}_change", args=[row.pk])


def test_publishing_is_refused_with_the_reason(instructor_client, publishable_quiz):
    url = change_url(publishable_quiz)
    posted = admin_form(instructor_client.get(url)) | {"title": "Typed"}
    page = instructor_client.post(url, posted | {"slots-14-DELETE": "on"}).text
    refused = "This quiz can’t be published yet, so nothing was saved."
    assert missing_in(page, refused, "exactly 15 slots. This one has 14", 'value="Typed"') == []
    assert (Quiz.objects.get().title, publishable_quiz.slots.count()) == ("Foundations", 15)
    never_shown = posted | {"release": "after_close"}
    assert "enter a closing date" in instructor_client.post(url, never_shown).text
    closing = {"closes_at_0": "2030-01-01", "closes_at_1": "12:00"}
    assert instructor_client.post(url, never_shown | closing).status_code == 302


def test_a_closing_time_that_is_past_keeps_back_who_publishes_and_nobody_else(
    instructor_client, publishable_quiz
):
    url = change_url(publishable_quiz)
    posted = admin_form(instructor_client.get(url))
    posted |= {"closes_at_0": "2020-01-31", "closes_at_1": "12:00:00", "title": "Edited"}
    assert instructor_client.post(url, posted).status_code == 302
    assert refresh(publishable_quiz).title == "Edited"
    Quiz.objects.update(published=False)
    response = instructor_client.post(url, posted)
    assert response.status_code == 200
    assert "The closing date is in the past" in response.text


def test_the_action_publishes_only_what_is_complete(instructor_client, publishable_quiz):
    Quiz.objects.update(published=False)
    incomplete = Quiz.objects.create(slug="empty", title="Empty")
    url = reverse("admin:quizzes_quiz_changelist")
    chosen = {"action": "publish", "_selected_action": [publishable_quiz.pk, incomplete.pk]}
    instructor_client.post(url, chosen)
    assert list(Quiz.objects.filter(published=True)) == [publishable_quiz]


def test_publishing_warns_of_fewer_numbers_than_students(
    instructor_client, publishable_quiz, monkeypatch
):
    monkeypatch.setattr(
        problems, "exam_capacity", lambda kind: 2 if kind.startswith("attention/") else 1e9
    )
    Quiz.objects.update(published=False)
    Sitting.objects.update(attempts_allowed=3)
    get_user_model().objects.create_user("one@example.org")
    url = reverse("admin:quizzes_quiz_changelist")
    chosen = {"action": "publish", "_selected_action": [publishable_quiz.pk]}
    page = instructor_client.post(url, chosen, follow=True).text
    assert missing_in(page, "Slot 11: ", "has new numbers for 2 attempts, but 3 are expected") == []
    assert page.count("has new numbers for") == 1
    assert Quiz.objects.get().published


@each(
    "refused",
    [
        ({"choices-3-DELETE": "on"}, "at least 4 choices"),
        ({"choices-0-correct": ""}, "Exactly one choice must be correct"),
        ({"choices-1-feedback": ""}, "This field is required"),
        ({"choices-1-text": "$\\frac{1$"}, "Line 1"),
        ({"prompt": "$\\nothing$"}, "Line 1"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(instructor_client, questions, refused):
    change, reason = refused
    url = change_url(questions[0])
    response = instructor_client.post(url, admin_form(instructor_client.get(url)) | change)
    assert response.status_code == 200
    assert reason.lower() in response.text.lower()


def test_a_new_question_is_not_asked_before_its_author_says_so(instructor_client):
    url = reverse("admin:quizzes_conceptquestion_add")
    posted = admin_form(instructor_client.get(url)) | {"new_topic": "Two keys", "prompt": "?"}
    for number, key in enumerate("abcd"):
        typed = {"text": key, "feedback": key}
        posted |= {f"choices-{number}-{name}": text for name, text in typed.items()}
    posted["choices-0-correct"] = "on"
    assert instructor_client.post(url, posted).status_code == 302
    question = ConceptQuestion.objects.get(key="two-keys-1")
    assert not question.published
    assert (question.topic, Topic.objects.get().title) == ("two-keys", "Two keys")
    assert list(question.choices.values_list("key", flat=True)) == list("abcd")


@each("right", [1, 3])
def test_a_choice_is_edited_and_becomes_the_right_one_and_back(instructor_client, questions, right):
    url = change_url(questions[0])
    for old, new in [(0, right), (right, 0)]:
        edited = {f"choices-{new}-correct": "on", f"choices-{new}-text": f"Text {new}"}
        posted = admin_form(instructor_client.get(url)) | edited
        del posted[f"choices-{old}-correct"]
        assert instructor_client.post(url, posted).status_code == 302
        choice = questions[0].choices.get(correct=True)
        assert (choice.order, choice.text) == (new, f"Text {new}")


@pytest.fixture
def marked(attempt):
    submission = submit_attempt(attempt=attempt)
    grade_waiting()
    return submission


def test_practice_is_listed_by_what_is_practised(root_client, quiz, student):
    Topic.objects.create(key="why-softmax", title="Why a softmax")
    practices = [
        practise_quiz(student=student, quiz=quiz),
        practise_skill(student=student, skill=Skill("family", "cosine")),
        practise_skill(student=student, skill=Skill("topic", "why-softmax")),
    ]
    for practice in practices:
        item = practice.items.first()
        save_answer(item, wrong_fields(item))
        check_item(attempt=practice, position=1)
    for model in ("attempt", "submission"):
        page = root_client.get(reverse(f"admin:quizzes_{model}_changelist")).text
        for title in ("Foundations", "Cosine similarity", "Why a softmax"):
            assert f"Practice: {title}" in page


def test_what_services_write_is_read_in_the_admin_alone(root_client, marked):
    for row in (marked, marked.attempt):
        page = root_client.get(change_url(row))
        assert page.status_code == 200
        assert root_client.post(change_url(row), {"score": "99"}).status_code == 403
    assert "View on site" not in page.text  # this reader may not see that page
    assert "Foundations" in page.text
    assert Attempt.objects.get().score == 0


def failed(student, quiz):
    """Return a submission that could not be marked."""
    waits = submit_attempt(attempt=start_attempt(student=student, quiz=quiz))
    Submission.objects.filter(pk=waits.pk).update(state="attention", tries=5)
    return waits


@pytest.fixture
def rung(monkeypatch):
    """A list that grows with each wake-up of the graders."""
    rung = []
    monkeypatch.setattr(grading_notifier, "wake", lambda: rung.append(1))
    return rung


def have_marked_again(client, *submissions):
    url = reverse("admin:quizzes_submission_changelist")
    chosen = [submission.pk for submission in submissions]
    return client.post(url, {"action": "mark_again", "_selected_action": chosen}, follow=True)


def test_what_needs_attention_is_marked_again(
    root_client, marked, quiz, student, rung, django_capture_on_commit_callbacks
):
    waits = failed(student, quiz)
    with django_capture_on_commit_callbacks(execute=True):
        page = have_marked_again(root_client, waits, marked).text
    assert "1 submission will be marked again" in page
    assert "1 submission doesn’t need attention" in page
    assert set(Submission.objects.values_list("state", "tries")) == {("waiting", 0), ("graded", 1)}
    assert rung


def test_the_owner_of_a_quiz_has_marked_again_what_failed_outside_classes(
    client, author, student, quiz, rung, django_capture_on_commit_callbacks
):
    new_share(quiz, user=author, access=Access.OWN).save()
    student.name = "Sam Singular"
    student.save()
    waits = failed(student, quiz)
    client.force_login(author)
    url = reverse("admin:quizzes_quiz_attention", args=[quiz.pk])
    page = client.get(url).text
    assert f"Student {student.pk}, attempt 1" in page
    assert found_in(page, "Singular", student.email) == []
    with django_capture_on_commit_callbacks(execute=True):
        assert "1 submission will be marked again" in client.post(url, follow=True).text
    assert Submission.objects.get(pk=waits.pk).state == "waiting"
    assert rung


def test_what_failed_in_a_class_is_not_the_quizs_owners(instructor_client, student, quiz):
    sitting = Sitting.objects.create(quiz=quiz, given_in="A", open_to_all=False)
    submit_attempt(
        attempt=start_attempt(student=student, quiz=quiz, settings=own_settings(sitting))
    )
    Submission.objects.update(state="attention")
    assert list(stuck_outside_classes(quiz.pk)) == []


def test_who_may_only_look_has_nothing_marked_again(client, log_in_with_permissions, marked, rung):
    log_in_with_permissions("view_submission")
    Submission.objects.update(state="attention")
    assert "Mark again" not in have_marked_again(client, marked).text
    assert Submission.objects.get().state == "attention"
    assert not rung


def post_extra_time(client, student, **more):
    url = reverse("admin:quizzes_extratime_add")
    return client.post(url, {"student": student.pk, "factor": "1", "minutes": "0", **more})


def search(client, term):
    return client.get(reverse("admin:quizzes_extratime_students"), {"term": term})


def test_an_administrator_finds_a_student_to_give_extra_time(root_client, student):
    form = root_client.get(reverse("admin:quizzes_extratime_add")).text
    assert f'data-ajax--url="{reverse("admin:quizzes_extratime_students")}"' in form
    for term in ("sam", "student@", "Sam example.org"):
        assert search(root_client, term).json() == {
            "results": [{"id": str(student.pk), "text": "Sam (student@example.org)"}],
            "pagination": {"more": False},
        }


@each("term", ["", " s ", "root@", "nobody", "\0"])
def test_the_search_of_students_tells_of_nobody_else(root_client, student, term):
    assert search(root_client, term).json()["results"] == []


def test_who_may_give_no_extra_time_finds_no_students(client, log_in_with_permissions, as_student):
    assert search(client, "sam").status_code == 302
    log_in_with_permissions("view_extratime")
    assert search(client, "sam").status_code == 403


def test_extra_time_is_for_students_and_for_who_takes_a_quiz_to_try_it_out(root_client, root, quiz):
    assert "Select a valid choice" in post_extra_time(root_client, root, minutes=5).text
    assert not ExtraTime.objects.exists()
    attempt = start_attempt(student=root, quiz=quiz)
    post_extra_time(root_client, root, attempt=attempt.pk, minutes="4")
    assert duration_in_minutes(attempt) == 27


def test_the_search_of_attempts_names_nobody(root_client, attempt):
    field = {"app_label": "quizzes", "model_name": "extratime", "field_name": "attempt"}
    found = root_client.get(reverse("admin:autocomplete"), field | {"term": "student@"})
    assert found.json()["results"] == [{"id": str(attempt.pk), "text": f"attempt {attempt.pk}"}]


def test_extra_time_counts_at_once_and_no_longer_when_it_is_deleted(root_client, student, attempt):
    assert post_extra_time(root_client, student, factor="2").status_code == 302
    assert duration_in_minutes(attempt) == 46
    url = reverse("admin:quizzes_extratime_delete", args=[ExtraTime.objects.get().pk])
    root_client.post(url, {"post": "yes"})
    assert duration_in_minutes(attempt) == 23


def test_extra_time_is_given_from_an_attempt_that_is_there_to_its_own_student(
    root_client, student, other_student, attempt
):
    def button(pk):
        return reverse("admin:quizzes_attempt_give_more_time", args=[pk])

    form = root_client.get(button(attempt.pk), follow=True)
    assert form.context["adminform"].form["attempt"].value() == str(attempt.pk)
    answer = post_extra_time(root_client, other_student, attempt=attempt.pk, minutes="4")
    assert "This attempt belongs to" in answer.text
    assert duration_in_minutes(attempt) == 23
    post_extra_time(root_client, student, attempt=attempt.pk, minutes="4")
    assert duration_in_minutes(attempt) == 27
    assert [root_client.get(button(pk)).status_code for pk in ("abc", "0")] == [404, 404]


def test_more_time_is_offered_where_a_clock_runs(root_client, student, attempt):
    practice = practise_skill(student=student, skill=Skill("family", "cosine"))
    assert "Give more time" in root_client.get(change_url(attempt)).text
    assert "Give more time" not in root_client.get(change_url(practice)).text
    submit_attempt(attempt=attempt)
    assert "Give more time" not in root_client.get(change_url(attempt)).text


def test_an_attempt_that_could_not_be_closed_is_shown_and_found(root_client, attempt):
    found = reverse("admin:quizzes_attempt_changelist") + "?trouble=overdue"
    assert change_url(attempt) not in root_client.get(found).text
    Attempt.objects.update(deadline=timezone.now() - timedelta(minutes=2))
    page = root_client.get(found).text
    assert missing_in(page, change_url(attempt), "needs attention: it couldn’t be closed") == []


def test_a_closing_time_holds_to_the_end_of_its_minute_and_stays_what_it_was(quiz):
    def typed(closes, **more):
        shown = forms.model_to_dict(quiz, ("title", "slug", "introduction", "pass_mark"))
        rules = {"minutes": 23, "counts": "best", "release": "at_once"}
        sent = shown | rules | {"closes_at_0": closes[:10], "closes_at_1": closes[11:]} | more
        form = QuizForm(sent, instance=quiz)
        assert form.is_valid(), form.errors
        return form.sitting.closes_at

    close = datetime(2090, 6, 1, 23, 59, tzinfo=UTC)
    assert typed("2090-06-01 23:59:00") == close + timedelta(minutes=1, microseconds=-1)
    for kept in (close, close + timedelta(seconds=20), close + timedelta(seconds=59.9)):
        quiz.own_sitting.closes_at = kept
        quiz.own_sitting.save()
        assert typed(f"{kept:%Y-%m-%d %H:%M:%S}", minutes=30) == kept


def test_every_page_of_the_admin_leads_back_to_the_classes(instructor_client, quiz):
    teach = f'<a class="ad-teach" href="{reverse("classes:teach")}">'
    for url in (reverse("admin:index"), reverse("admin:quizzes_quiz_changelist"), change_url(quiz)):
        assert teach in instructor_client.get(url).text, url
