"""Protection of accounts: limits, a second request for the password, notices, and a log."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import Group
from django.core import mail

import config.settings
from accounts.roles import make_instructor
from tests.conftest import FormClient

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse"


@pytest.fixture
def as_guarded(client, ada):
    try_password(client)
    return client


def try_password(client, password=PASSWORD, **more):
    typed = {"login": "ada@example.org", "password": password}
    return client.post("/accounts/login/", typed, **more).status_code == 302


def test_others_cannot_lock_an_owner_out(client, ada):
    for _ in range(8):
        try_password(FormClient(REMOTE_ADDR="192.0.2.1"), "guess")
    assert not try_password(FormClient(REMOTE_ADDR="192.0.2.1"))
    assert try_password(client)


@pytest.mark.slow
def test_many_addresses_cannot_guess_without_end_and_the_owner_then_gets_in_by_mail(client, ada):
    for number in range(100):
        try_password(FormClient(REMOTE_ADDR=f"192.0.2.{number}"), "guess")
    assert not try_password(client)
    client.post("/accounts/password/reset/", {"email": ada.email})
    link = re.search(r"https?://[^/]+(/accounts/password/reset/key/\S+)", mail.outbox[-1].body)[1]
    form = client.get(link, follow=True)
    client.post(form.request["PATH_INFO"], dict.fromkeys(("password1", "password2"), "new horse 7"))
    assert client.session["_auth_user_id"] == str(ada.pk)


def test_an_address_that_was_added_but_not_confirmed_resets_no_password(client, ada):
    somebodys = "somebody@else.example"
    try_password(client)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.post("/accounts/email/", {"action_add": "", "email": somebodys})
    asks = mail.outbox[-1]
    assert asks.to == [somebodys]
    assert "/accounts/password/reset/" not in asks.body
    FormClient().post("/accounts/password/reset/", {"email": somebodys})
    assert mail.outbox[-1].to == [somebodys]
    assert "/accounts/password/reset/key/" not in mail.outbox[-1].body


def test_one_address_makes_no_more_accounts_in_an_hour_than_a_lecture_hall_needs(settings):
    per_hour = [rate for rate in settings.ACCOUNT_RATE_LIMITS["signup"].split(",") if "/h/" in rate]
    assert per_hour == ["600/h/ip"]


def test_counts_of_a_thousand_addresses_are_kept(settings):
    assert config.settings.CACHES["default"]["OPTIONS"]["MAX_ENTRIES"] >= 100_000


@pytest.mark.parametrize(
    "typed",
    [
        {"action_add": "", "email": "thief@example.org"},
        {"action_primary": "", "email": "thief@example.org"},
        {"action_remove": "", "email": "ada@home.example"},
    ],
    ids=["add", "make primary", "remove"],
)
def test_a_stolen_session_changes_no_address(as_guarded, ada, typed):
    if "action_add" not in typed:
        EmailAddress.objects.create(user=ada, email=typed["email"], verified=True)
    before = list(EmailAddress.objects.values())
    assert as_guarded.post("/accounts/email/", typed).url.startswith("/accounts/reauthenticate/")
    assert list(EmailAddress.objects.values()) == before


@pytest.mark.parametrize(("password", "is_right"), [(PASSWORD, True), ("guess", False)])
def test_the_change_goes_on_with_the_password_alone(as_guarded, ada, password, is_right):
    answer = as_guarded.post("/accounts/email/", {"action_add": "", "email": "ada@home.example"})
    assert "<h1>Confirm it’s you</h1>" in as_guarded.get(answer.url).text
    page = as_guarded.post(answer.url, {"password": password}, follow=True).text
    assert ("This isn’t your password." in page) != is_right
    assert EmailAddress.objects.filter(email="ada@home.example").exists() == is_right


def test_the_old_address_gets_a_notice_of_the_new_one(client, ada):
    try_password(client)
    EmailAddress.objects.create(user=ada, email="ada@home.example", verified=True)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.post("/accounts/email/", {"action_primary": "", "email": "ada@home.example"})
    (letter,) = mail.outbox
    assert (letter.to, letter.subject) == (["ada@example.org"], "Your email address was changed")
    assert "from ada@example.org to ada@home.example" in letter.body


def test_a_new_password_is_announced_by_mail(client, ada):
    try_password(client)
    typed = {"oldpassword": PASSWORD, "password1": "new horse 7", "password2": "new horse 7"}
    client.post("/accounts/password/change/", typed)
    (letter,) = mail.outbox
    assert letter.subject == "Your password was changed"
    assert "127.0.0.1" in letter.body


def test_the_list_of_sessions_allows_logging_out_elsewhere(client, ada):
    elsewhere = FormClient(headers={"user-agent": "A library's browser"})
    try_password(elsewhere)
    try_password(client)
    page = client.get("/accounts/sessions/").text
    client.post("/accounts/sessions/")
    assert "A library" in page
    assert page.count("this browser") == 1
    assert elsewhere.get("/attempts/").status_code == 302
    assert client.get("/attempts/").status_code == 200


def test_what_happens_to_an_account_is_logged_without_secrets(client, ada, security_log):
    try_password(client, "my secret guess")
    client.post("/accounts/login/", {"login": "hunter2", "password": "x"})
    try_password(client)
    typed = {"oldpassword": PASSWORD, "password1": "new horse 7", "password2": "new horse 7"}
    client.post("/accounts/password/change/", typed)
    assert security_log()[:2] == [
        f"failed login: user {ada.pk} from 127.0.0.1",
        f"logged in: user {ada.pk} from 127.0.0.1",
    ]
    assert f"password changed: user {ada.pk} from 127.0.0.1" in security_log()
    assert not re.search("secret|horse|hunter2|@", "".join(security_log()))


def test_a_change_of_role_is_logged(ada, security_log):
    make_instructor(ada)
    (group,) = Group.objects.filter(user=ada)
    assert f"role changed: user {ada.pk}, groups add [{group.pk}]" in security_log()


@pytest.mark.parametrize("email", ["ada@example.org", "nobody@example.org"])
def test_signing_up_hashes_a_password_whether_or_not_there_is_an_account(
    client, ada, settings, monkeypatch, email
):
    """Hashing takes nearly all of the time, so the time reveals nothing."""
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    hashed = []
    encode = MD5PasswordHasher.encode
    monkeypatch.setattr(MD5PasswordHasher, "encode", lambda *a: (hashed.append(1), encode(*a))[1])
    client.post("/accounts/signup/", {"name": "Ada", "email": email, "password1": "a new horse"})
    assert len(hashed) == 1
