"""An address is confirmed by the account's maker, and by nobody else by mistake."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail

from accounts.models import User
from classes.models import Course, Membership
from tests.conftest import FormClient
from tests.world import missing_in, refresh

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("require_confirmed_addresses")]

OWNER = "owner@example.org"
EVE = {"name": "Eve", "email": OWNER, "password1": "eves own horse"}
NEW = dict.fromkeys(("password1", "password2"), "owners own horse")


@pytest.fixture
def place():
    """An invitation to a class, sent to the owner."""
    course = Course.objects.create(title="A", time_zone="UTC")
    return Membership.objects.create(course=course, email=OWNER, role="assistant", state="invited")


@pytest.fixture
def eve():
    """A browser that has signed up with somebody else's address."""
    browser = FormClient()
    browser.post("/accounts/signup/", EVE)
    return browser


def link(page):
    return re.search(rf"https?://[^/]+(/accounts/{page}/\S+)", mail.outbox[-1].body)[1]


def is_confirmed():
    return EmailAddress.objects.get(email=OWNER).verified


def test_the_session_that_signed_up_confirms_by_a_button(eve):
    confirm = link("confirm-email")
    assert 'type="password"' not in eve.get(confirm).text
    eve.post(confirm)
    assert is_confirmed()


def test_the_owner_of_an_address_does_not_confirm_somebody_elses_account(client, eve, place):
    confirm = link("confirm-email")
    page = client.get(confirm).text
    assert missing_in(page, "“<bdi>Eve</bdi>”", "don’t confirm the address") == []
    for typed in ({}, {"password": ""}, {"password": "guess"}):
        assert client.post(confirm, typed).status_code == 200
    assert not is_confirmed()
    assert refresh(place).user is None


def test_elsewhere_the_password_of_the_account_confirms(client, eve):
    client.post(link("confirm-email"), {"password": EVE["password1"]})
    assert is_confirmed()
    assert "_auth_user_id" not in client.session


def test_passwords_are_not_guessed_there_without_end(client, eve):
    confirm = link("confirm-email")
    for _ in range(10):
        client.post(confirm, {"password": "guess"})
    assert client.post(confirm, {"password": EVE["password1"]}).status_code == 429
    assert not is_confirmed()


def test_somebody_else_who_is_logged_in_confirms_nothing(client, eve):
    client.force_login(User.objects.create_user("bo@example.org", "secret"))
    client.post(link("confirm-email"))
    assert not is_confirmed()


def test_the_letter_names_the_account_and_says_what_to_do_if_it_was_not_you(eve):
    letter = mail.outbox[-1].body
    assert missing_in(letter, "“Eve”", "don’t follow the link", "/accounts/password/reset/") == []


def test_the_true_owner_gets_the_place_by_a_new_password(client, eve, place):
    confirm = link("confirm-email")
    client.post("/accounts/password/reset/", {"email": OWNER})
    client.post(client.get(link("password/reset/key"), follow=True).request["PATH_INFO"], NEW)
    client.post(confirm)
    assert refresh(place).user == User.objects.get(email=OWNER)
    for browser, password in ((client, NEW["password1"]), (eve, EVE["password1"])):
        browser.post("/accounts/login/", {"login": OWNER, "password": password})
        assert ("_auth_user_id" in browser.session) == (browser is client)
