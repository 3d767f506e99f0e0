"""Signing up, logging in, logging out, and errors on the way."""

import re

import pytest
from django.core import mail
from django.test import Client

from accounts.forms import SignupForm
from accounts.models import User
from tests.conftest import FormClient
from tests.world import is_logged_in, missing_in

pytestmark = pytest.mark.django_db

ACTIONS = ("action_send", "action_primary", "action_remove")
ADA = {"name": "Ada Lovelace", "email": "Ada@example.org", "password1": "correct horse"}


def test_sign_up_says_what_is_stored_and_can_show_the_password(client, db):
    page = client.get("/accounts/signup/").text
    assert missing_in(page, 'href="/accounts/privacy/"', 'aria-pressed="false"') == []
    assert "<h1>Privacy</h1>" in client.get("/accounts/privacy/").text


def log_in_as_ada(client, email="ada@example.org", password="correct horse", **more):
    return client.post("/accounts/login/", {"login": email, "password": password, **more})


def test_signing_up_asks_for_three_things_and_logs_in(client):
    page = client.get("/accounts/signup/").text
    asked = re.findall(r'<input type="(?!hidden)\w+" name="(\w+)"', page)
    # What is not asked for makes nobody staff.
    response = client.post("/accounts/signup/", ADA | {"is_staff": "on", "is_superuser": "1"})
    assert asked == ["name", "email", "password1"]
    assert response.url == "/learning/"
    user = User.objects.get()
    assert (user.name, user.email) == ("Ada Lovelace", "ada@example.org")
    assert (user.is_staff, user.is_superuser) == (False, False)
    assert client.session["_auth_user_id"] == str(user.pk)


def test_signing_up_again_in_other_letters_is_refused(client, ada):
    assert "already" in client.post("/accounts/signup/", ADA | {"email": "ADA@EXAMPLE.ORG"}).text
    assert User.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_form_sent_twice_at_once_makes_one_account(client, monkeypatch):
    """The form's own check is off, as if both were checked before either is saved."""
    monkeypatch.setattr(SignupForm, "validate_unique_email", lambda self, value: value)
    FormClient().post("/accounts/signup/", ADA)
    response = client.post("/accounts/signup/", ADA, follow=True)
    assert User.objects.count() == 1
    assert "You now have an account with this email address" in response.text


def test_a_form_with_errors_keeps_what_was_typed_and_says_what_is_wrong(client):
    typed = {"name": "Ada", "email": "ada@", "password1": "123"}
    page = client.post("/accounts/signup/", typed).text
    assert missing_in(page, "There are 4 problems", 'value="ada@"', 'value="Ada"') == []
    assert 'value="123"' not in page
    assert page.count('aria-invalid="true"') == 2
    assert 'aria-describedby="id_email_error"' in page


@pytest.mark.parametrize("email", ["ada@example.org", "nobody@example.org"])
def test_a_wrong_password_does_not_tell_who_has_an_account(client, ada, email):
    response = log_in_as_ada(client, email, "guess")
    assert not is_logged_in(client)
    wrong = "The email address or password is wrong."
    assert missing_in(response.text, wrong, f'value="{email}"') == []


def test_guessing_is_limited(client, ada):
    for _ in range(5):
        log_in_as_ada(client, password="guess")
    response = log_in_as_ada(client)
    assert not is_logged_in(client)
    assert "Too many attempts" in response.text


@pytest.mark.slow
def test_a_lecture_hall_behind_one_address_signs_up_and_logs_in_within_a_minute(client):
    addresses = [f"student-{number}@example.org" for number in range(40)]
    for address in addresses:
        assert FormClient().post("/accounts/signup/", ADA | {"email": address}).status_code == 302
    for address in addresses:
        assert log_in_as_ada(FormClient(), address).status_code == 302


def test_a_flood_of_sign_ups_is_turned_away_with_a_page(client, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "signup": "3/m/ip"}
    for _ in range(3):
        client.post("/accounts/signup/", {})
    response = client.post("/accounts/signup/", ADA)
    assert response.status_code == 429
    assert "Too many attempts" in response.text
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("address", "led_to"),
    [
        ("/attempts/", "/attempts/"),
        ("https://evil.example/", "/learning/"),
        ("//evil.example/", "/learning/"),
    ]
    + [("javascript:alert(1)", "/learning/"), ("/\\evil.example", "/learning/")],
)
def test_logging_in_leads_where_one_was_going_and_to_no_other_site(client, ada, address, led_to):
    assert log_in_as_ada(client, "ADA@Example.org", next=address).url == led_to
    assert is_logged_in(client)


def test_logging_in_leads_staff_to_their_classes(client, ada):
    User.objects.update(is_staff=True)
    assert log_in_as_ada(client).url == "/teach/"
    assert log_in_as_ada(FormClient(), next="/attempts/").url == "/attempts/"


def test_a_session_planted_before_is_worth_nothing_after(client, ada):
    client.get("/accounts/login/")
    session = client.session
    session["planted"] = True
    session.save()
    before = session.session_key
    client.cookies["sessionid"] = before
    log_in_as_ada(client)
    assert client.session.session_key != before
    assert not is_logged_in(Client(headers={"cookie": f"sessionid={before}"}))


def test_logging_out_takes_a_post(client, ada):
    client.force_login(ada)
    assert "<h1>Log out</h1>" in client.get("/accounts/logout/").text
    assert is_logged_in(client)
    client.post("/accounts/logout/")
    assert not is_logged_in(client)


def test_a_forgotten_password_is_replaced_by_mail(client, ada):
    client.post("/accounts/password/reset/", {"email": "Ada@Example.org"})
    (letter,) = mail.outbox
    link = re.search(r"https?://[^/]+(/accounts/password/reset/key/\S+)", letter.body)[1]
    form = client.get(link, follow=True)
    client.post(form.request["PATH_INFO"], {"password1": "a new horse", "password2": "a new horse"})
    log_in_as_ada(client, password="a new horse")
    assert letter.to == ["ada@example.org"]
    assert is_logged_in(client)
    assert "This link no longer works" in Client().get(link, follow=True).text


def test_an_account_that_is_switched_off_stays_out(client, ada):
    ada.is_active = False
    ada.save()
    log_in_as_ada(client)
    assert not is_logged_in(client)


@pytest.mark.parametrize(
    "path", ["/accounts/password/change/", "/accounts/email/", "/accounts/logout/"]
)
def test_pages_of_an_account_are_in_our_look(client, ada, path):
    client.force_login(ada)
    page = client.get(path).text
    assert 'class="wordmark"' in page
    assert page.count("<h1>") == 1
    assert not re.search(r"\be-mail\b", re.sub("<[^>]*>", "", page), re.IGNORECASE)


def test_a_wrong_current_password_is_called_that(client, ada):
    client.force_login(ada)
    typed = {"oldpassword": "guess", "password1": "a new horse", "password2": "a new horse"}
    page = client.post("/accounts/password/change/", typed).text
    assert "This isn’t your current password." in page


def test_what_cannot_be_done_with_the_only_address_is_not_offered(client, ada):
    log_in_as_ada(client)
    client.post("/accounts/reauthenticate/", {"password": "correct horse"})
    alone = client.get("/accounts/email/").text
    client.post("/accounts/email/", {"email": "ada@home.example", "action_add": ""})
    beside = client.get("/accounts/email/").text
    assert [beside.count(name) - alone.count(name) for name in ACTIONS] == [1, 1, 1]
    assert not any(name in alone for name in ACTIONS)


def test_letters_speak_as_the_site_does_and_the_page_does_not_tell_who_has_an_account(client, ada):
    for email in ("ada@example.org", "nobody@example.org"):
        page = client.post("/accounts/password/reset/", {"email": email}, follow=True).text
        assert "Check your email" in page
    assert [letter.subject for letter in mail.outbox] == [
        "Choose a new password",
        "There’s no account with this email address",
    ]
    assert not any(re.search(r"\be-mail\b", letter.body) for letter in mail.outbox)
