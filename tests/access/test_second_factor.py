"""Every address × role × what there is of a second factor: who is asked for it, and where not."""

import json

import pytest
from allauth.account.internal.flows.login import (
    _AUTHENTICATION_METHODS_USER_SESSION_KEY,
    AUTHENTICATION_METHODS_SESSION_KEY,
)
from allauth.mfa.models import Authenticator

from quizzes.marking.services import grade_waiting
from tests.access.test_every_address import (
    ADDRESSES,
    EVERY,
    asked,
    objects,  # noqa: F401 - a fixture
    people,  # noqa: F401 - a fixture
    state,
)
from tests.conftest import FormClient
from tests.quizzes.conftest import questions, quiz  # noqa: F401 - fixtures

pytestmark = pytest.mark.django_db

# Written out, and not read from the middleware.
BOUND = {
    name
    for name in ADDRESSES
    if name.startswith("classes:") or name in ("api:tokens", "api:make-token", "api:revoke-token")
} - {"classes:enter", "classes:join", "classes:leave", "classes:calendar-file"}
BOUND |= {
    f"quizzes:{name}"
    for name in ("reports", "rulings", "new-ruling", "ruling", "apply-ruling", "undo-ruling")
}
WITH_A_ROLE = ("owner", "instructor", "administrator", "observer", "assistant", "neighbour")
SETUP = "/accounts/two-steps/"
AGAIN = ("/accounts/two-steps/reauthenticate/", "/accounts/two-steps/webauthn/reauthenticate/")
STATES = {"passed": None, "none": (SETUP,), "not given": AGAIN}


@pytest.fixture
def enforced(settings):
    settings.STAFF_MFA = True


def give(client, user):
    """Have the second factor given in this session."""
    session = client.session
    session[AUTHENTICATION_METHODS_SESSION_KEY] = [{"method": "mfa", "at": 0, "type": "totp"}]
    session[_AUTHENTICATION_METHODS_USER_SESSION_KEY] = str(user.pk)
    session.save()


def somebody(user, given):
    client = FormClient(raise_request_exception=False)
    client.force_login(user)
    if given != "none":
        Authenticator.objects.create(user=user, type="totp", data={"secret": "x"})
    if given == "passed":
        give(client, user)
    return client


def is_led(answer, ways=(SETUP, *AGAIN)):
    return answer.status_code == 302 and answer["Location"].partition("?")[0] in ways


def paths(objects):  # noqa: F811
    for name, (template, _who) in ADDRESSES.items():
        yield name, template.format(**objects)
    for address in EVERY:
        plain = address.name.startswith("admin:") and "<" not in address.pattern
        plain = plain and "(" not in address.pattern
        if plain and address.name not in ("admin:login", "admin:logout"):
            yield address.name, "/" + address.pattern


@pytest.mark.parametrize(
    ("role", "given"),
    [
        *((role, "none") for role in WITH_A_ROLE),
        ("owner", "not given"),
        ("instructor", "not given"),
    ],
)
def test_every_page_and_act_of_a_role_waits_for_it(
    objects,  # noqa: F811
    people,  # noqa: F811
    enforced,
    role,
    given,
):
    client = somebody(people[role], given)
    before = state()
    wrong = []
    for name, path in paths(objects):
        if name not in BOUND and not name.startswith("admin:"):
            continue
        for answer in (client.get(path), client.post(path, {"reason": "Because."})):
            if not is_led(answer, STATES[given]):
                wrong.append((name, answer.request["REQUEST_METHOD"], answer.status_code))
    assert not wrong, "\n".join(map(str, wrong))
    assert state() == before


@pytest.mark.parametrize(
    ("role", "given"),
    [
        *(("owner", "passed"), ("administrator", "passed")),
        *(("student", "none"), ("student", "not given")),
    ],
)
def test_nobody_else_is_asked_for_it(objects, people, enforced, role, given):  # noqa: F811
    client = somebody(people[role], given)
    # These ask for what is theirs to ask for.
    own = ("account", "mfa", "usersessions", "api:make-token")
    led = [
        name
        for name, path in paths(objects)
        if not name.startswith(own) and is_led(asked(client, "GET", path, [])[0])
    ]
    assert not led


@pytest.mark.parametrize("role", ["owner", "assistant"])
def test_what_they_have_as_students_waits_for_nothing(objects, people, enforced, role):  # noqa: F811
    client = somebody(people[role], "none")
    own = ("account", "mfa", "usersessions")
    led = [
        name
        for name, path in paths(objects)
        if name not in BOUND
        and not name.startswith(("admin:", *own))
        and is_led(asked(client, "GET", path, [])[0])
    ]
    assert not led


def test_an_administrator_reads_no_review_with_a_password_alone(
    objects,  # noqa: F811
    people,  # noqa: F811
    enforced,
):
    grade_waiting()
    review = f"/attempts/{objects['submitted']}/review/"
    client = somebody(people["administrator"], "none")
    assert is_led(client.get(review), (SETUP,))
    assert somebody(people["administrator"], "passed").get(review).status_code == 200


def test_a_page_that_is_for_everybody_shows_staff_what_a_student_sees(
    objects,  # noqa: F811
    people,  # noqa: F811
    enforced,
):
    from lessons.models import Lesson

    Lesson.objects.update(published=False)
    assert is_led(somebody(people["administrator"], "none").get("/lessons/one/"))
    assert somebody(people["administrator"], "passed").get("/lessons/one/").status_code == 200


def test_what_was_posted_is_kept_until_the_second_factor_is_given(
    objects,  # noqa: F811
    people,  # noqa: F811
    enforced,
):
    client = somebody(people["owner"], "none")
    path = f"/teach/{objects['course']}/people/add/?from=here"
    sent = {"text": 'ada@example.org\r\n"Bo" <bo@example.org>', "password1": "secret horse"}
    assert is_led(client.post(path, sent), (SETUP,))
    assert client.session["second_factor_left"]["path"] == path
    Authenticator.objects.create(user=people["owner"], type="totp", data={"secret": "x"})
    give(client, people["owner"])
    page = client.get(path).content.decode()
    assert f'action="{path}"' in page
    assert "&quot;Bo&quot; &lt;bo@example.org&gt;" in page
    assert "secret horse" not in page + json.dumps(dict(client.session))
    client.post(path, sent)
    assert "second_factor_left" not in client.session


def test_of_what_is_too_long_to_keep_somebody_is_told(objects, people, enforced):  # noqa: F811
    client = somebody(people["owner"], "not given")
    path = f"/teach/{objects['course']}/people/add/"
    client.post(path, {"text": "a" * 70_000})
    give(client, people["owner"])
    assert len(json.dumps(dict(client.session))) < 2_000
    assert "too long to keep" in client.get(path).content.decode()
    assert "too long to keep" not in client.get(path).content.decode()


def test_a_poll_of_an_open_page_is_not_where_somebody_goes_back_to(
    objects,  # noqa: F811
    people,  # noqa: F811
    enforced,
):
    client = somebody(people["owner"], "none")
    client.get("/teach/")
    client.get("/teach/tokens/", headers={"Sec-Fetch-Mode": "cors"})
    assert client.session["second_factor_left"]["path"] == "/teach/"
