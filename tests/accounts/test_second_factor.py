"""The second factor: setting it up, giving it at every way into the admin, and losing it."""

import json
import re
import subprocess
import sys
import time

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.core import mail
from django.core.cache import cache
from django.core.management import CommandError, call_command

import config.settings
from accounts.models import User
from accounts.personal import export_personal_data, forget
from accounts.roles import make_instructor
from accounts.second_factor import reseal_all
from scripts.bootstrap import ROOT
from tests.conftest import FormClient, environment
from tests.each import each
from tests.world import is_logged_in

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse"
TWO_STEPS = "/accounts/two-steps/"
SET_UP = f"{TWO_STEPS}totp/activate/"
CODES = f"{TWO_STEPS}recovery-codes/"
STEP = f"{TWO_STEPS}authenticate/"
AGAIN = f"{TWO_STEPS}reauthenticate/"
BY_PASSKEY = f"{TWO_STEPS}webauthn/login/"


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """A clock that stands still, so that no code expires between two lines."""

    class Clock:
        now = time.time() // 30 * 30 + 1

        def next_code(self):
            self.now += 30

    clock = Clock()
    monkeypatch.setattr("allauth.mfa.totp.internal.auth.time.time", lambda: clock.now)
    return clock


def code(secret, clock):
    return format_hotp_value(hotp_value(secret, int(clock.now) // 30))


def give_password(client, password=PASSWORD, email="ada@example.org"):
    return client.post("/accounts/login/", {"login": email, "password": password})


def prove(client):
    return client.post("/accounts/reauthenticate/", {"password": PASSWORD})


def set_up(client, clock):
    """Log in, set up an app on the pages, and return its secret."""
    give_password(client)
    prove(client)
    secret = re.search(r'secret-key">(\w+)<', client.get(SET_UP).text)[1]
    client.post(SET_UP, {"code": code(secret, clock)})
    clock.next_code()
    return secret


def log_in(client, secret, clock):
    """Give the password and the second factor, and return the last answer."""
    give_password(client)
    return client.post(STEP, {"code": code(secret, clock)})


@pytest.fixture
def secret(ada):
    """The secret of an app that Ada has set up, without the pages, which take longer."""
    secret = generate_totp_secret()
    TOTP.activate(ada, secret)
    RecoveryCodes.activate(ada)
    return secret


@pytest.fixture
def staff(settings, ada):
    """Ada as an instructor, while staff need a second factor."""
    settings.STAFF_MFA = True
    make_instructor(ada)
    return ada


# Setting up, logging in


def test_an_app_is_set_up_and_asked_for_at_the_next_log_in(client, ada, clock):
    secret = set_up(FormClient(), clock)
    assert give_password(client).url == STEP
    assert not is_logged_in(client)
    client.post(STEP, {"code": code(secret, clock)})
    assert is_logged_in(client)


def test_a_wrong_code_lets_nobody_in(client, secret, clock):
    give_password(client)
    clock.next_code()
    wrong = f"{(int(code(secret, clock)) + 1) % 1_000_000:06}"
    assert "That code isn’t right." in client.post(STEP, {"code": wrong}).text
    assert not is_logged_in(client)


def test_a_code_that_was_used_is_used_up(client, secret, clock):
    for browser in (FormClient(), client):
        give_password(browser)
        browser.post(STEP, {"code": code(secret, clock)})
    assert not is_logged_in(client)


def test_codes_cannot_be_guessed_without_end(client, secret, clock):
    give_password(client)
    for _ in range(5):
        client.post(STEP, {"code": "x"})
    assert "Too many attempts" in client.post(STEP, {"code": code(secret, clock)}).text
    assert not is_logged_in(client)


@each("typed", ["", "٣٤٥", "0" * 5000, "a\0b", "😀" * 6])
def test_whatever_is_typed_for_a_code_is_answered(client, secret, typed):
    give_password(client)
    assert client.post(STEP, {"code": typed}).status_code == 200
    assert not is_logged_in(client)


def test_a_recovery_code_logs_in_once(client, ada, clock):
    elsewhere = FormClient()
    set_up(elsewhere, clock)
    listed = re.findall(r"<code>(\d{8})</code>", elsewhere.get(CODES).text)
    assert len(listed) == 10
    assert elsewhere.get(f"{CODES}download/").text.split()[-10:] == listed
    for browser in (client, FormClient()):
        give_password(browser)
        browser.post(STEP, {"code": listed[3]})
        assert is_logged_in(browser) == (browser is client)


def test_new_recovery_codes_take_the_place_of_the_old_ones(client, ada, clock):
    set_up(client, clock)
    old = client.get(CODES).content
    client.post(f"{CODES}generate/")
    new = re.findall(r"<code>(\d{8})</code>", client.get(CODES).text)
    assert len(new) == 10
    assert not any(each.encode() in old for each in new)


def test_recovery_codes_are_shown_to_nobody_who_only_found_the_browser_open(client, secret, clock):
    log_in(client, secret, clock)
    for page in ("", "generate/", "download/"):
        assert client.get(CODES + page).url.startswith(AGAIN)


def test_the_app_is_switched_off_and_its_codes_are_gone(client, ada, clock):
    set_up(client, clock)
    client.post(f"{TWO_STEPS}totp/deactivate/")
    assert not Authenticator.objects.exists()
    elsewhere = FormClient()
    give_password(elsewhere)
    assert is_logged_in(elsewhere)


def test_an_address_is_confirmed_before_anything_is_set_up(client, ada, settings):
    settings.MFA_ALLOW_UNVERIFIED_EMAIL = False
    give_password(client)
    prove(client)
    EmailAddress.objects.create(user=ada, email="ada@home.example", verified=False)
    assert "Confirm your email address first" in client.get(SET_UP, follow=True).text


@pytest.mark.django_db(transaction=True)
def test_changes_are_announced_by_mail(client, ada, clock):
    set_up(client, clock)
    client.post(f"{CODES}generate/")
    client.post(f"{TWO_STEPS}totp/deactivate/")
    assert [letter.subject for letter in mail.outbox] == [
        "An authenticator app was set up",
        "New recovery codes were created",
        "The authenticator app was turned off",
    ]
    assert "127.0.0.1" in mail.outbox[0].body


@pytest.mark.django_db(transaction=True)
def test_what_happens_is_logged_and_no_code(client, ada, clock, security_log):
    elsewhere = FormClient()
    secret = set_up(elsewhere, clock)
    give_password(client)
    client.post(STEP, {"code": "123"})
    client.post(STEP, {"code": code(secret, clock)})
    elsewhere.post(f"{CODES}generate/")
    elsewhere.post(f"{TWO_STEPS}totp/deactivate/")
    who = f"user {ada.pk} from 127.0.0.1"
    logged = security_log()
    for event, kind in {
        "second factor added": "totp",
        "second factor failed": "totp",
        "second factor used": "totp",
        "second factor made anew": "recovery_codes",
        "second factor removed": "totp",
    }.items():
        assert f"{event}: {who}, {kind}" in logged
    assert logged.index(f"second factor used: {who}, totp") < logged.index(f"logged in: {who}", 1)
    assert not re.search(rf"{secret}|\d{{6}}", "".join(logged))


# Attempts to evade it


def test_a_new_password_by_mail_does_not_spare_the_second_step(client, ada, secret):
    client.post("/accounts/password/reset/", {"email": ada.email})
    link = re.search(r"https?://[^/]+(/accounts/password/reset/key/\S+)", mail.outbox[-1].body)[1]
    form = client.get(link, follow=True)
    answer = client.post(
        form.request["PATH_INFO"], dict.fromkeys(("password1", "password2"), "new horse 7")
    )
    assert answer.url == STEP
    assert not is_logged_in(client)


def test_a_stolen_session_and_the_password_do_not_take_the_second_step_away(client, secret, clock):
    log_in(client, secret, clock)
    for page in ("totp/deactivate/", "recovery-codes/generate/", "webauthn/add/"):
        assert prove(client).url.startswith(AGAIN)
        assert client.post(TWO_STEPS + page).url.startswith(AGAIN)
    assert Authenticator.objects.filter(type="totp").exists()
    clock.next_code()
    client.post(AGAIN, {"code": code(secret, clock)})
    client.post(f"{TWO_STEPS}totp/deactivate/")
    assert not Authenticator.objects.exists()


def test_nobody_is_mailed_a_code_to_log_in_with(client, ada):
    assert client.post("/accounts/login/code/", {"email": ada.email}).status_code == 404
    assert not mail.outbox


@pytest.mark.parametrize("enforced", [True, False])
def test_the_admins_own_form_logs_nobody_in(client, ada, settings, secret, clock, enforced):
    User.objects.create_superuser("root@example.org", PASSWORD)
    make_instructor(ada)
    settings.STAFF_MFA = enforced
    typed = {"username": "root@example.org", "password": PASSWORD, "next": "/admin/"}
    client.post("/admin/login/", typed)
    assert not is_logged_in(client)
    log_in(client, secret, clock)
    client.post("/admin/login/", typed)
    assert client.session["_auth_user_id"] == str(ada.pk)


# Staff


def test_staff_without_a_second_factor_is_led_to_set_one_up_and_told_why(client, staff, clock):
    give_password(client)
    page = client.get("/admin/quizzes/attempt/", follow=True)
    assert page.request["PATH_INFO"] == TWO_STEPS
    assert "it needs more than a password" in page.text
    secret = set_up(client, clock)
    assert client.get("/admin/", follow=True).request["PATH_INFO"] == AGAIN
    opened = client.post(f"{AGAIN}?next=/admin/", {"code": code(secret, clock)}, follow=True)
    assert (opened.request["PATH_INFO"], opened.status_code) == ("/admin/", 200)


def test_a_session_that_gave_a_password_alone_does_not_open_the_admin(client, staff, clock):
    give_password(client)  # a thief, before there is a second factor
    set_up(FormClient(), clock)
    assert client.get("/admin/", follow=True).request["PATH_INFO"] == AGAIN
    prove(client)
    assert client.get("/admin/", follow=True).request["PATH_INFO"] == AGAIN


def test_the_admin_opens_with_the_second_factor_and_closes_when_it_goes(
    client, staff, secret, clock
):
    log_in(client, secret, clock)
    assert client.get("/admin/").status_code == 200
    clock.next_code()
    client.post(AGAIN, {"code": code(secret, clock)})
    client.post(f"{TWO_STEPS}totp/deactivate/")
    assert client.get("/admin/", follow=True).request["PATH_INFO"] == TWO_STEPS


def test_where_staff_needs_one():
    asked = {
        ("0", "0", ""): True,
        ("0", "1", ""): False,
        ("1", "0", ""): False,
        ("0", "0", "0"): False,
        ("1", "0", "1"): True,
    }
    ask = (
        "import importlib, os; from config import settings\n"
        f"for debug, demo, said in {[*asked]}:\n"
        "    os.environ.update(SOFTMARK_DEBUG=debug, SOFTMARK_DEMO=demo, SOFTMARK_STAFF_MFA=said)\n"
        "    print(importlib.reload(settings).STAFF_MFA)"
    )
    variables = environment(SOFTMARK_SECRET_KEY="x", SOFTMARK_ALLOWED_HOSTS="x")
    said = subprocess.check_output([sys.executable, "-c", ask], env=variables, cwd=ROOT, text=True)
    assert said.split() == [str(needed) for needed in asked.values()]


# Lost factors


def remove_factor_of(user):
    return {"action": "remove_second_factors", "_selected_action": [user.pk]}


def test_an_administrator_takes_a_lost_one_away(root_client, ada, secret, security_log):
    root, chosen = User.objects.get(email="root@example.org"), remove_factor_of(ada)
    page = root_client.post("/admin/accounts/user/", chosen, follow=True).text
    assert "off two-step login for 1 person" in page
    assert not Authenticator.objects.exists()
    assert (
        f"second factor removed: user {ada.pk} from 127.0.0.1, all by user {root.pk}"
        in security_log()
    )
    (letter,) = mail.outbox
    assert letter.to == ["ada@example.org"]
    assert "127.0.0.1" not in letter.body


def test_the_last_administrator_gets_in_again_by_a_command(ada, secret, security_log, capsys):
    call_command("second_factors", "remove", "Ada@Example.org")
    assert not Authenticator.objects.exists()
    assert f"second factor removed: user {ada.pk}, all by manage.py" in security_log()
    for nobody in ("ada@example.org", "nobody@example.org"):
        with pytest.raises(CommandError):
            call_command("second_factors", "remove", nobody)


def test_no_page_of_the_admin_shows_a_secret(root_client, ada, secret):
    assert root_client.get("/admin/mfa/authenticator/").status_code == 404


# Stored secrets, and a person's data


def test_secrets_are_sealed_in_the_database(secret):
    stored = json.dumps(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in stored
    assert '"gAAAA' in stored


def test_a_new_secret_key_reads_what_was_sealed_under_the_old_one(client, secret, clock, settings):
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "a new key"
    log_in(client, secret, clock)
    assert is_logged_in(client)


def test_sealed_anew_the_old_key_is_not_needed(client, secret, clock, settings, capsys):
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "a new key"
    call_command("second_factors", "seal")
    settings.SECRET_KEY_FALLBACKS = []
    log_in(client, secret, clock)
    assert "2 sealed" in capsys.readouterr().out
    assert is_logged_in(client)


def test_without_the_old_key_the_page_says_what_to_do(
    client, secret, clock, settings, security_log
):
    settings.SECRET_KEY = "a new key"
    answer = log_in(client, secret, clock)
    assert answer.status_code == 503
    assert "Ask an administrator" in answer.text
    assert not is_logged_in(client)
    assert "second factor unreadable: SECRET_KEY has changed" in "".join(security_log())
    assert reseal_all() == (0, 2)
    with pytest.raises(CommandError, match="SOFTMARK_OLD_SECRET_KEYS"):
        call_command("second_factors", "seal")


def test_a_persons_file_tells_of_it_without_secrets(ada, secret):
    exported = export_personal_data(ada)["second_factors"]
    assert {each["kind"] for each in exported} == {"totp", "recovery_codes"}
    sealed = [*Authenticator.objects.values_list("data", flat=True)]
    for hidden in (secret, *(value for data in sealed for value in data.values())):
        assert f"'{hidden}'" not in str(exported)


def test_who_goes_leaves_none(ada, secret):
    forget(user=ada)
    assert not Authenticator.objects.exists()


# Passkeys; tests/journeys has those of a real browser

JUNK = [
    *("", "no json", "null", "7", "[]", "{}", "[" * 5000, '{"id": 1}'),
    '{"id": "a", "rawId": "a", "type": "public-key", "response": []}',
    '{"id": "YQ", "rawId": "YQ", "type": "public-key", "response": {"clientDataJSON": "YQ",'
    ' "authenticatorData": "YQ", "signature": "YQ", "userHandle": "YQ"}}',
    '{"id": "YQ", "rawId": "YQ", "type": "public-key", "response": {"clientDataJSON": "e30",'
    ' "attestationObject": "oA"}}',
    '{"id": "\\u0000", "x": NaN}',
    '{"id": "' + "a" * 30_000 + '"}',
]


def test_whatever_is_sent_for_a_passkey_is_answered(client, ada, secret, clock, subtests):
    def send(path, status, text=""):
        for credential in JUNK:
            cache.clear()  # the tries of the case before
            with subtests.test(path=path, credential=credential[:80]):
                client.get(path, headers={"accept": "application/json"})  # begins a new ceremony
                page = client.post(path, {"credential": credential})
                assert page.status_code == status
                assert text in page.text
        assert not Authenticator.objects.filter(type="webauthn").exists()

    send(BY_PASSKEY, 302)
    give_password(client)
    send(STEP, 200)
    assert not is_logged_in(client)
    client.post(STEP, {"code": code(secret, clock)})
    clock.next_code()
    client.post(AGAIN, {"code": code(secret, clock)})
    send(f"{TWO_STEPS}webauthn/add/", 200, "The passkey couldn’t be read.")


def test_nobody_removes_or_renames_anothers_passkey(client, ada):
    other = User.objects.create_user("other@example.org")
    passkey = Authenticator.objects.create(user=other, type="webauthn", data={"name": "Key"})
    give_password(client)
    prove(client)
    for page in ("remove", "edit"):
        here = f"{TWO_STEPS}webauthn/keys/{passkey.pk}/{page}/"
        assert client.get(here).status_code == 404
        assert client.post(here, {"name": "Mine"}).status_code == 404


def test_passkeys_are_limited_by_address(client, settings):
    settings.MFA_RATE_LIMITS = {"webauthn_login": "2/m/ip"}
    answers = [client.post(BY_PASSKEY, {"credential": "{}"}).status_code for _ in range(3)]
    assert answers == [302, 302, 429]


def test_a_lecture_hall_may_log_in_by_passkeys():
    assert config.settings.MFA_RATE_LIMITS == {"webauthn_login": "800/m/ip"}


# A person's own data


def test_the_data_file_is_for_whoever_gave_the_second_factor_just_now(client, secret, clock):
    log_in(client, secret, clock)
    assert client.get("/accounts/data/file/").url.startswith(AGAIN)
    clock.next_code()
    client.post(AGAIN, {"code": code(secret, clock)})
    assert client.get("/accounts/data/file/")["Content-Type"] == "application/json"


def test_an_account_with_a_second_factor_is_not_deleted_by_its_password(client, ada, secret, clock):
    log_in(client, secret, clock)
    assert client.get("/accounts/delete/").url.startswith(AGAIN)
    client.post("/accounts/delete/", {"password": PASSWORD})
    assert User.objects.filter(email=ada.email).exists()
    assert PASSWORD not in str(dict(client.session))
    clock.next_code()
    client.post(AGAIN, {"code": code(secret, clock)})
    client.post("/accounts/delete/", {"password": PASSWORD})
    assert not User.objects.filter(email=ada.email).exists()
