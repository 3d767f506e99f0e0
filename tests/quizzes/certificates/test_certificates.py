"""Certificates: who gets one, what it shows and to whom, and how it ends."""

import pytest
from django.test import Client

from accounts.personal import forget
from quizzes.certificates.services import make_certificate, withdraw_certificate
from quizzes.delivery.services.previews import start_preview
from quizzes.delivery.services.reopening import reopen_attempt
from quizzes.delivery.services.taking import submit_attempt
from quizzes.errors import Refused
from quizzes.models import Attempt, Certificate, ConceptQuestion, Quiz, Ruling, Sitting
from quizzes.personal import export_personal_data
from tests.quizzes.reading import Page
from tests.quizzes.regrades.regrade_over import rule
from tests.world import (
    answer_everything,
    found_in,
    later,
    missing_in,
    right_fields,
    take_quiz,
    wrong_fields,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def passed(quiz, student):
    return take_quiz(student, quiz)


@pytest.fixture
def certificate_address(passed):
    return make_certificate(attempt=passed, name="Sam Learner").get_absolute_url()


def test_its_student_asks_for_it_names_it_and_withdraws_it(quiz, student, passed):
    """Each post needs its form's CSRF token."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(student)
    own = f"/attempts/{passed.pk}/certificate/"
    assert Page(client.get(f"/attempts/{passed.pk}/results/")).all("a", href=own)
    assert Page(client.get("/quizzes/")).all("a", href=own)
    assert client.post(own, {"name": "Sam"}).status_code == 403
    typed = Page(client.get(own)).values("main")
    assert typed["name"] == "Sam"
    client.post(own, typed | {"name": "Samantha Ng"})
    certificate_address = Certificate.objects.get().get_absolute_url()
    shown = Page(client.get(own))
    assert shown.all("a", href=certificate_address)
    [field] = [each for each in shown.all("input") if "readonly" in each]
    assert field["value"].endswith(certificate_address)
    assert "Samantha Ng" in Page(Client().get(certificate_address)).text
    asks = Page(client.get(f"{own}withdraw/"))
    assert "Samantha Ng" in Page(Client().get(certificate_address)).text
    client.post(f"{own}withdraw/", asks.values("main"))
    gone = Client().get(certificate_address)
    assert (gone.status_code, gone["X-Robots-Tag"]) == (410, "noindex")
    assert not {"Samantha", quiz.title} & set(Page(gone).text.split())
    assert Certificate.objects.get().name == ""


def test_whoever_has_the_address_reads_it_and_no_search_engine_lists_it(certificate_address):
    response = Client().get(certificate_address)
    page = Page(response)
    assert response["X-Robots-Tag"] == "noindex"
    assert "no-store" in response["Cache-Control"]
    assert page.all("meta", name="robots", content="noindex")
    expected = ("Sam Learner", "Foundations", "6 of 6", "100%", "60%", "Questions 6")
    assert missing_in(page.text, *expected) == []
    assert "student@example.org" not in page.text
    assert len(certificate_address.split("/")[-2]) >= 43  # 256 bits


def test_it_shows_a_numeric_problem_and_no_concept_question(passed, certificate_address):
    html = Client().get(certificate_address).text
    assert "One of the problems they solved" in html
    for question in ConceptQuestion.objects.all():
        assert found_in(html, f"{question.key}", question.prompt.split(",")[0]) == []


def test_what_was_answered_wrongly_is_not_shown(quiz, student):
    def concepts_alone(item):
        return right_fields(item) if item.variant is None else wrong_fields(item)

    Quiz.objects.update(pass_mark=1)
    made = make_certificate(attempt=take_quiz(student, quiz, concepts_alone), name="Sam")
    text = Page(Client().get(made.get_absolute_url())).text
    assert "2 of 6" in text
    assert "problems they solved" not in text


def test_who_has_not_passed_gets_none(client, quiz, student):
    attempt = take_quiz(student, quiz, wrong_fields)
    client.force_login(student)
    own = f"/attempts/{attempt.pk}/certificate/"
    assert not Page(client.get(f"/attempts/{attempt.pk}/results/")).all("a", href=own)
    assert client.get(own).status_code == client.post(own, {"name": "Sam"}).status_code == 404
    with pytest.raises(Refused):
        make_certificate(attempt=attempt, name="Sam")


def test_nobody_else_makes_or_withdraws_it(client, passed, certificate_address, other_student):
    client.force_login(other_student)
    for end in ("", "withdraw/"):
        at = f"/attempts/{passed.pk}/certificate/{end}"
        assert client.get(at).status_code == client.post(at, {"name": "X"}).status_code == 404
    assert Client().get(certificate_address).status_code == 200


def test_none_before_release_and_it_shows_nothing_once_that_is_taken_back(
    passed, certificate_address
):
    Sitting.objects.update(release=Sitting.Release.BY_HAND)
    text = Page(Client().get(certificate_address)).text
    assert "Nothing to show" in text
    assert "Sam" not in text
    withdraw_certificate(attempt=passed)
    with pytest.raises(Refused):
        make_certificate(attempt=passed, name="Sam")


def test_it_shows_nothing_while_the_attempt_is_reopened(passed, certificate_address):
    reopen_attempt(attempt=passed, until=later())
    assert "Sam" not in Page(Client().get(certificate_address)).text


def test_a_preview_earns_none(quiz, student):
    preview = start_preview(author=student, quiz=quiz)
    answer_everything(preview)
    submit_attempt(attempt=preview)
    Attempt.objects.filter(pk=preview.pk).update(score=6)
    with pytest.raises(Refused):
        make_certificate(attempt=preview, name="Sam")


def test_it_follows_regrades(quiz, passed, certificate_address):
    assert "6 of 6" in Page(Client().get(certificate_address)).text
    asked = passed.items.get(position=6).question
    rule(quiz, Ruling.Kind.VOID, scope=Ruling.Scope.QUESTION, question=asked)
    assert "5 of 5" in Page(Client().get(certificate_address)).text


def test_a_regrade_that_takes_the_pass_away_is_said_at_once_and_no_other_is_made(quiz, student):
    Quiz.objects.update(pass_mark=95)
    attempt = take_quiz(student, quiz)
    certificate_address = make_certificate(attempt=attempt, name="Sam").get_absolute_url()
    assert "passed this quiz" in Page(Client().get(certificate_address)).text
    values = {"mode": "instead", "accept": ["b"]}
    asked = {"scope": "question", "question": attempt.items.get(position=6).question}
    rule(quiz, Ruling.Kind.KEY, **asked, values=values, never_lower=False)
    text = Page(Client().get(certificate_address)).text
    assert "no longer a pass" in text
    assert found_in(text, "passed this quiz", "problems they solved") == []
    withdraw_certificate(attempt=attempt)
    with pytest.raises(Refused):
        make_certificate(attempt=Attempt.objects.get(pk=attempt.pk), name="Sam")


def test_asked_for_twice_it_is_the_same_and_after_one_is_withdrawn_another(passed):
    first = make_certificate(attempt=passed, name="Sam")
    assert make_certificate(attempt=passed, name="Other") == first
    withdraw_certificate(attempt=passed)
    again = make_certificate(attempt=passed, name="Sam").get_absolute_url()
    assert again != first.get_absolute_url()
    assert Client().get(first.get_absolute_url()).status_code == 410
    assert Client().get(again).status_code == 200


def test_a_name_is_asked_for_and_cannot_be_too_long_or_html(client, passed, as_student):
    own = f"/attempts/{passed.pk}/certificate/"
    for name in ("", "  ", "x" * 101, "a\0b"):
        assert client.post(own, {"name": name}).status_code == 200
    assert not Certificate.objects.exists()
    client.post(own, {"name": "<b>Sam</b>"})
    assert b"<b>Sam" not in Client().get(Certificate.objects.get().get_absolute_url()).content


def test_it_is_in_the_students_file_and_goes_with_the_account(student, passed, certificate_address):
    (exported,) = export_personal_data(student)["certificates"]
    assert (exported["name"], exported["address"]) == ("Sam Learner", certificate_address)
    forget(user=student)
    assert Client().get(certificate_address).status_code == 404
    assert not Certificate.objects.exists()
