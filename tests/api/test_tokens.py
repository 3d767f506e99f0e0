"""Tokens: who may make one, what it opens, when it stops, and what is stored and logged of it."""

import logging
import re
from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core import mail
from django.db import connection
from django.test import Client, override_settings
from django.utils import timezone

from accounts.personal import export_personal_data, forget
from api.models import Token
from api.services import MAX_TOKENS, USE_RECORDED_EVERY, TokenRefused, create_token, revoke_token
from audit.models import Event
from classes.models import Membership
from foundation.tokens import hash_token
from operations.logs import redact
from tests.api.conftest import Program
from tests.conftest import FormClient
from tests.each import each
from tests.world import found_in, make_user

pytestmark = pytest.mark.django_db

WANTED = {"name": "Notebook", "scope": "read", "course": "", "days": "90"}


@pytest.fixture
def entered(ines):
    """Ines's browser; she has just logged in and given her password again."""
    client = FormClient()
    client.post("/accounts/login/", {"login": ines.email, "password": "secret"})
    client.post("/accounts/reauthenticate/", {"password": "secret"})
    return client


def opens(program):
    return program.get("classes").status_code


def test_an_expired_token_is_listed_as_expired(entered, ines, course):
    create_token(owner=ines, name="Old", scope="read", course=None, days=1)
    assert "Expired" not in entered.get("/teach/tokens/").text
    assert "1 token that programs can use" in entered.get("/accounts/").text
    expire(ines)
    assert "Expired" in entered.get("/teach/tokens/").text
    assert "1 token has expired" in entered.get("/accounts/").text


# Requests


def test_without_a_token_nothing_opens_and_the_answer_says_what_to_send(db):
    answer = Program().get("classes")
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert answer["Content-Type"] == "application/problem+json"
    assert "Bearer" in answer.json()["detail"]


@each(
    "header",
    ["", "Bearer", "Bearer ", "Bearer x", "Basic {token}", "{token}", "Bearer {token}x"]
    + ["Bearer " + "a" * 5000, "Bearer ä", "Bearer \udce4", "Bearer {upper}", "Bearer {hash}"],
)
def test_what_is_not_the_token_opens_nothing(ines, course, header):
    token, secret = create_token(owner=ines, name="N", scope="read", course=None, days=1)
    sent = header.format(token=secret, upper=secret.upper(), hash=token.secret)
    program = Program()
    program.headers = {"Authorization": sent}
    assert opens(program) == 401


def test_neither_a_cookie_nor_an_address_lets_anybody_in(ines, course):
    secret = create_token(owner=ines, name="N", scope="read", course=None, days=1)[1]
    client = Client()
    client.force_login(ines)
    for query in ("", f"?token={secret}", f"?access_token={secret}"):
        assert client.get(f"/api/v1/classes{query}").status_code == 401


def test_no_other_site_is_let_in(reader):
    answer = reader.client.options("/api/v1/classes", headers={"Origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]


# Expiry


def expire(_ines):
    gone = timezone.now() - timedelta(seconds=1)
    Token.objects.update(made_at=gone - timedelta(days=1), expires_at=gone)


def revoke(_ines):
    token = Token.objects.get()
    for _twice in range(2):
        revoke_token(token=token)


def deactivate(ines):
    ines.is_active = False
    ines.save()


@each("end", [expire, revoke, deactivate])
def test_it_stops_as_it_expires_is_revoked_or_its_account_ends(reader, ines, end):
    assert opens(reader) == 200
    end(ines)
    assert opens(reader) == 401


@each("change", [{"state": "left"}, {"state": "removed"}, {"role": "student"}])
def test_it_stops_for_a_class_that_its_owner_no_longer_teaches(
    reader, ines, course, other_course, marked_attempts, change
):
    attempt = marked_attempts[0]
    Membership.objects.create(course=other_course, user=ines, role="assistant")
    assert len(reader.items("classes")) == 2
    Membership.objects.filter(course=course, user=ines).update(**change)
    assert [each["id"] for each in reader.items("classes")] == [other_course.pk]
    for path in ("", "/members", "/assignments", "/attempts", "/exceptions"):
        assert reader.get(f"classes/{course.pk}{path}").status_code == 404
    assert reader.get(f"classes/{course.pk}/attempts/{attempt.pk}").status_code == 404
    Membership.objects.filter(user=ines).update(**change)
    assert opens(reader) == 401


def test_one_for_a_class_opens_that_class_alone(make_program, ines, course, other_course):
    Membership.objects.create(course=other_course, user=ines, role="instructor")
    one = make_program(ines, course=course)
    assert [each["id"] for each in one.items("classes")] == [course.pk]
    assert one.get(f"classes/{other_course.pk}/members").status_code == 404
    Membership.objects.filter(course=course, user=ines).update(state="left")
    assert opens(one) == 401


def test_to_run_the_site_adds_nothing_to_a_token(make_program, ines, course, other_course):
    ines.is_superuser = True
    ines.save()
    make_program = make_program(ines)
    assert [each["id"] for each in make_program.items("classes")] == [course.pk]
    assert make_program.get(f"classes/{other_course.pk}/members").status_code == 404


@each("role", ["instructor", "assistant", "observer", "student", None])
def test_what_every_role_finds_by_id(
    make_program, course, other_course, add_member, marked_attempts, assignment, exception, role
):
    """Their role in the own class decides; the other class shows nothing."""
    own, foreign = (course, other_course)
    user = add_member("Pat", role=role).user if role else make_user("Pat")
    Membership.objects.create(course=foreign, user=user, role="observer")
    asking = make_program(user)
    wanted = 200 if role in ("instructor", "assistant", "observer") else 404
    for path in ("", "/members", "/assignments", "/attempts", "/exceptions"):
        assert asking.get(f"classes/{own.pk}{path}").status_code == wanted, path
    assert asking.get(f"classes/{own.pk}/attempts/{marked_attempts[0].pk}").status_code == wanted
    # The same rows, requested through another class.
    assert asking.get(f"classes/{foreign.pk}/attempts/{marked_attempts[0].pk}").status_code == 404
    assert asking.items(f"classes/{foreign.pk}/attempts", assignment_id=assignment.pk) == []
    assert asking.get(f"quizzes/{assignment.sitting.quiz_id}").status_code == wanted


# Limits and records


def test_the_last_use_is_written_now_and_then(reader):
    assert Token.objects.get().used_at is None
    opens(reader)
    first = Token.objects.get().used_at
    opens(reader)
    assert Token.objects.get().used_at == first
    Token.objects.update(used_at=first - USE_RECORDED_EVERY - timedelta(seconds=1))
    opens(reader)
    assert Token.objects.get().used_at >= first


def test_wrong_tokens_and_greedy_programs_are_slowed_down(reader):
    limits = {"use_api": "2/m/key", "miss_api": "1/m/ip"}
    with override_settings(ACCOUNT_RATE_LIMITS=limits):
        assert [opens(Program("x")) for _try in range(2)] == [401, 429]
        assert [opens(reader) for _try in range(3)] == [200, 200, 429]
        answer = reader.get("classes")
        assert answer["Retry-After"]
        assert answer.json()["status"] == 429


def test_a_wrong_token_is_noted_but_never_which(caplog, course):
    with caplog.at_level(logging.INFO, "softmark.security"):
        opens(Program("softmark_wrong-token-1234"))
    assert "API token refused" in caplog.text
    assert "wrong-token" not in caplog.text


def test_no_log_keeps_a_token(ines, course):
    secret = create_token(owner=ines, name="N", scope="read", course=None, days=1)[1]
    for line in (f"sent {secret}", f"GET /api/v1/classes?token={secret}", f"'{secret}'"):
        assert secret.removeprefix("softmark_") not in redact(line)


def test_it_is_kept_as_a_hash(ines, course):
    token, secret = create_token(owner=ines, name="N", scope="read", course=None, days=1)
    kept = str(Token.objects.values().get())
    assert secret.removeprefix("softmark_") not in kept
    assert token.secret == hash_token(secret)


def test_making_and_revoking_is_remembered_without_a_name_or_the_secret(ines, course):
    token, secret = create_token(owner=ines, name="Ada's", scope="read", course=course, days=1)
    revoke_token(token=token)
    made, revoked = Event.objects.filter(verb__startswith="api.").order_by("pk")
    assert (made.verb, revoked.verb) == ("api.token.made", "api.token.revoked")
    assert made.scope == revoked.scope == course.scope
    assert made.after["scope"] == "read"
    assert found_in(str([vars(made), vars(revoked)]), "Ada", secret) == []


def test_the_class_reads_of_it_in_its_history(ines, course, ines_client):
    create_token(owner=ines, name="N", scope="read", course=course, days=1)
    assert "created an API token" in ines_client.get(f"/teach/{course.pk}/history/").text


def test_it_goes_with_its_person(reader, ines, add_member):
    add_member("Other", role="instructor")
    [exported] = export_personal_data(ines)["tokens"]
    assert exported["name"] == "Notebook"
    assert "secret" not in exported
    forget(user=ines)
    assert not Token.objects.exists()


# Making


def test_who_teaches_nothing_makes_none(course, add_member, log_in):
    sam = add_member("Sam").user
    with pytest.raises(TokenRefused):
        create_token(owner=sam, name="N", scope="read", course=None, days=1)
    with pytest.raises(TokenRefused):
        create_token(owner=add_member("Hal", role="assistant").user, name="N", scope="read", days=1,
                   course=type(course).objects.create(title="B", time_zone="UTC"))  # fmt: skip
    # The password is asked for first.
    assert log_in(sam).get("/teach/tokens/new/").status_code == 302


def test_there_is_an_end_to_them(ines, course):
    for _number in range(MAX_TOKENS):
        create_token(owner=ines, name="N", scope="read", course=None, days=1)
    with pytest.raises(TokenRefused):
        create_token(owner=ines, name="N", scope="read", course=None, days=1)


def test_a_token_is_shown_once_and_works(entered, course):
    page = entered.post("/teach/tokens/new/", WANTED)
    assert page.status_code == 200
    assert "no-store" in page["Cache-Control"]
    [secret] = set(re.findall(r"softmark_[\w-]{43}", page.text))
    assert opens(Program(secret)) == 200
    again = entered.get("/teach/tokens/").text
    assert "Notebook" in again
    assert secret not in again
    assert not [each for each in Session.objects.all() if secret in str(each.get_decoded())]


def test_a_password_is_asked_for_anew_before_one_is_made(ines_client):
    answer = ines_client.get("/teach/tokens/new/")
    assert urlsplit(answer["Location"]).path == "/accounts/reauthenticate/"
    assert not Token.objects.exists()


def test_staff_make_none_without_the_second_factor_that_the_site_asks_for(
    entered, course, settings
):
    settings.STAFF_MFA = True
    assert entered.post("/teach/tokens/new/", WANTED)["Location"] == "/accounts/two-steps/"
    assert not Token.objects.exists()


@each(
    "field, wrong",
    [("name", ""), ("name", "a" * 61), ("name", "\0"), ("scope", "all"), ("course", "x")]
    + [("course", "9" * 30), ("days", "0"), ("days", "100000"), ("days", "x")],
)
def test_an_error_is_shown_at_its_field_and_the_rest_is_kept(entered, course, field, wrong):
    page = entered.post("/teach/tokens/new/", WANTED | {field: wrong})
    assert page.status_code == 200
    assert f'id="id_{field}_error"' in page.text
    assert not Token.objects.exists()
    if field != "name":
        assert 'value="Notebook"' in page.text


def test_the_class_of_somebody_else_cannot_be_chosen(entered, course, other_course):
    page = entered.post("/teach/tokens/new/", WANTED | {"course": other_course.pk})
    assert 'id="id_course_error"' in page.text


def test_revoking_asks_first(entered, ines, course):
    token = create_token(owner=ines, name="Old", scope="read", course=None, days=1)[0]
    assert "Revoke the token “Old”?" in entered.get(f"/teach/tokens/{token.pk}/revoke/").text
    assert Token.objects.exists()
    entered.post(f"/teach/tokens/{token.pk}/revoke/")
    assert not Token.objects.exists()
    assert entered.get(f"/teach/tokens/{token.pk}/revoke/").status_code == 404


def test_nobody_revokes_anothers(log_in, ines, course, add_member):
    token = create_token(owner=ines, name="N", scope="read", course=None, days=1)[0]
    hal = log_in(add_member("Hal", role="instructor").user)
    assert hal.post(f"/teach/tokens/{token.pk}/revoke/").status_code == 404
    assert Token.objects.exists()


def test_who_teaches_is_led_to_them(ines_client):
    assert 'href="/teach/tokens/"' in ines_client.get("/teach/").text


@pytest.mark.parametrize(("enforced", "left"), [(True, [1, 30]), (False, [1, 365])])
def test_tokens_from_before_the_second_factor_was_needed_last_a_month(
    ines, course, settings, enforced, left
):
    settings.STAFF_MFA = enforced
    for days in (1, 365):
        create_token(owner=ines, name="Old", scope="read", course=None, days=days)
    migration = import_module("api.migrations.0002_older_tokens_end")
    migration.end_older(apps, SimpleNamespace(connection=connection))
    ends = [token.expires_at - timezone.now() for token in Token.objects.order_by("pk")]
    assert [round(end / timedelta(days=1)) for end in ends] == left


def test_a_new_password_ends_all_tokens_and_page_and_letter_say_so(entered, ines, course):
    for course_of in (course, None):
        create_token(owner=ines, name="N", scope="read", course=course_of, days=9)
    page = entered.get("/accounts/password/change/").text
    assert "If you have API tokens, they’ll no longer work" in page
    new = {"oldpassword": "secret", **dict.fromkeys(("password1", "password2"), "new horse 7")}
    answer = entered.post("/accounts/password/change/", new, follow=True)
    assert "If you had API tokens, they no longer work." in answer.text
    assert not Token.objects.exists()
    assert Event.objects.filter(verb="api.token.revoked").count() == 2
    assert "If you had API tokens, they no longer work." in mail.outbox[-1].body


def test_a_password_that_an_administrator_sets_ends_them_too_and_a_log_in_does_not(
    entered, ines, course
):
    create_token(owner=ines, name="N", scope="read", course=course, days=9)
    entered.post("/accounts/logout/")
    entered.post("/accounts/login/", {"login": ines.email, "password": "secret"})
    assert Token.objects.exists()
    ines.set_password("another horse 7")
    ines.save()
    assert not Token.objects.exists()
