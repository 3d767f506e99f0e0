"""Request an address as somebody, in a state of the second factor, and judge the answer."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from http.cookies import SimpleCookie
from itertools import groupby, product
from random import Random
from urllib.parse import urlencode

from allauth.account.internal.flows.login import (
    _AUTHENTICATION_METHODS_USER_SESSION_KEY,
    AUTHENTICATION_METHODS_SESSION_KEY,
)
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import connection, transaction

from tests.access.addresses import (
    METHODS,
    PROGRAM,
    ROLES,
    SHOWS_STAFF_MORE,
    STAFF,
    WITH_FACTOR,
    WITHOUT_FORM,
    Address,
)
from tests.conftest import FormClient

# States of the second factor; the site requires it in all but the first.
STATES = ("not asked for", "not set up", "not passed", "passed")
SAFE = ("GET", "HEAD", "OPTIONS")
# Ways to request: each method with a CSRF token, and the unsafe ones without.
WAYS = [(method, True) for method in METHODS] + [
    (method, False) for method in METHODS if method not in SAFE
]
# Methods that may let somebody in or change something; the others are mostly refused.
LIKELY = ("GET", "POST")
WITH_A_ROLE = {
    *("owner", "instructor", "administrator", "neighbour"),
    *("observer", "assistant", "section_assistant"),
}
SETUP = "/accounts/two-steps/"
AGAIN = ("/accounts/two-steps/reauthenticate/", "/accounts/two-steps/webauthn/reauthenticate/")
LED_TO = {"not set up": (SETUP,), "not passed": AGAIN}
# Account pages redirect there by themselves before something is changed.
OWN_ACCOUNT = ("account", "mfa", "usersessions", "api:make-token")
# Tables that any request may write: sessions and rate limits.
OF_SESSIONS = {"django_session", "usersessions_usersession", "softmark_cache"}
# Rows written by looking: an email address not stored yet, a token's last use.
BY_LOOKING = {"account_emailaddress", "api_token"}
WRITES = re.compile(r'(INSERT INTO|(?<!FOR )(?<!KEY )(?<!DO )UPDATE|DELETE FROM)\s+"?(\w+)', re.I)


@dataclass(frozen=True)
class Case:
    """An address requested by a role with one method and state of the second factor."""

    address: Address
    role: str
    method: str
    has_token: bool
    state: str

    def __str__(self):
        how = self.method if self.has_token else f"{self.method} without a token"
        return f"{how} {self.address.path}, {self.role}, second factor {self.state}"


@dataclass(frozen=True)
class Met:
    """An answer, reduced to what the tables know."""

    status: int
    letter: str
    led_to: str
    changed: frozenset[str]


def cases(addresses: list[Address]) -> Iterator[Case]:
    """Return all cases. Without an account there are only two states of the second factor."""
    for address, role in product(addresses, (*ROLES, PROGRAM)):
        if role == PROGRAM and not address.is_apis:
            continue
        states = STATES[:2] if role == "visitor" else STATES
        for state, (method, has_token) in product(states, WAYS):
            yield Case(address, role, method, has_token, state)


def led(addresses: list[Address]) -> Iterator[Case]:
    """Return a request to each page of a role by somebody whose second factor is due.

    The roles that are led from there take turns, and so do the states and the methods.
    """
    turns = Counter()
    for address in addresses:
        may_be = [
            case
            for role, state in product(ROLES, LED_TO)
            for method in LIKELY
            if expected(case := Case(address, role, method, True, state)) == "s"
            and method in address.takes
        ]
        if may_be:
            yield may_be[turns[len(may_be)] * 5 % len(may_be)]
            turns[len(may_be)] += 1


def share(every: Iterable[Case], first: slice, others: slice) -> list[Case]:
    """Return a part of the cases of each role at each address, in a shuffled but fixed order.

    Of the half of these that come first it is the one part, and of the others the other.

    One of each kind comes before a second of any. Roles with duties have passed the second factor,
    as they would get no further: see `led`. The others take turns at its states.
    """
    chosen = []
    for number, ((_path, role), of_pair) in enumerate(
        groupby(every, key=lambda case: (case.address.path, case.role))
    ):
        chance = Random(number)
        state = "passed" if role in WITH_A_ROLE else STATES[number % len(STATES)]
        rank = {
            case: (case.state == state, chance.random() ** (1 / 3 if case.method in LIKELY else 1))
            for case in of_pair
        }
        turn, turns = {}, Counter()
        for case in sorted(rank, key=rank.__getitem__, reverse=True):
            kind = case.method if case.method in LIKELY and case.has_token else "", case.has_token
            turn[case] = turns[kind]
            turns[kind] += 1
        part = first if Random(-number - 1).random() < 0.5 else others
        chosen += sorted(turn, key=turn.__getitem__)[part]
    return chosen


class Walker:
    """A client of one role in one state of the second factor. Its requests are rolled back."""

    def __init__(self, role: str, state: str, people: dict, secret: str):
        self.client = FormClient(raise_request_exception=False)
        self.headers = {}
        if role == PROGRAM:
            self.headers = {"Authorization": f"Bearer {secret}"}
        elif role != "visitor":
            self.client.force_login(people[role])
            if state == "passed":
                give(self.client, people[role])
        self.client.cookies[settings.CSRF_COOKIE_NAME] = "a" * 32
        self.cookies = {name: each.value for name, each in self.client.cookies.items()}

    def ask(self, case: Case) -> Met:
        self.client.cookies = SimpleCookie(self.cookies)
        headers = self.headers | ({"X-CSRFToken": "a" * 32} if case.has_token else {})
        changed = set()

        def watch(execute, sql, params, many, context):
            answer = execute(sql, params, many, context)
            for what, table in WRITES.findall(sql):
                if what.upper() == "INSERT INTO" or context["cursor"].rowcount:
                    changed.add(table)
            return answer

        with transaction.atomic(), connection.execute_wrapper(watch):
            answer = self.client.generic(
                case.method,
                case.address.path,
                "" if case.method in ("GET", "HEAD") else urlencode(case.address.sent),
                "application/x-www-form-urlencoded",
                headers=headers,
            )
            answer.getvalue()  # read a file to its end, and close it
            transaction.set_rollback(True)
        return Met(answer.status_code, *met(answer), frozenset(changed - OF_SESSIONS))


def give(client, user):
    """Mark the second factor as passed in this session."""
    session = client.session
    session[AUTHENTICATION_METHODS_SESSION_KEY] = [{"method": "mfa", "at": 0, "type": "totp"}]
    session[_AUTHENTICATION_METHODS_USER_SESSION_KEY] = str(user.pk)
    session.save()


def set_up(people: dict):
    for user in people.values():
        Authenticator.objects.create(user=user, type="totp", data={"secret": "x"})


def met(answer) -> tuple[str, str]:
    """Return the answer's letter in the tables, and the path if it leads to the second factor."""
    where = answer.headers.get("Location", "")
    if answer.status_code == 401 or re.match(r"/(accounts|admin)/login/", where):
        return "l", ""
    path = where.partition("?")[0]
    if answer.status_code == 302 and path in (SETUP, *AGAIN):
        return "s", path
    return {404: "n", 403: "f", 405: "m"}.get(answer.status_code, "o"), ""


def expected(case: Case) -> str:
    """Return the letter that the tables promise if the method is allowed."""
    address = case.address
    if case.role == PROGRAM:
        return "o" if "l" in address.who else address.who[0]
    letters = address.who if case.method in ("GET", "HEAD") else address.acts
    if case.state in ("not passed", "passed"):
        letters = WITH_FACTOR.get(address.name, letters)
    letter = letters[ROLES.index(case.role)]
    is_due = case.state in LED_TO and case.role in WITH_A_ROLE
    if is_due and address.name in SHOWS_STAFF_MORE and case.role in STAFF:
        return "s" if case.method in address.takes else letter
    return "s" if is_due and is_of_a_role(address.name) else letter


def is_of_a_role(name: str) -> bool:
    """Return whether a page needs a role. Written out here, not read from the middleware."""
    if name in ("classes:enter", "classes:join", "classes:leave", "classes:calendar-file"):
        return False
    if name in ("admin:login", "admin:logout"):
        return False
    at_the_desk = ("reports", "rulings", "new-ruling", "ruling", "apply-ruling", "undo-ruling")
    return (
        name.startswith(("classes:", "admin:"))
        or name in ("api:tokens", "api:make-token", "api:revoke-token")
        or name in {f"quizzes:{each}" for each in at_the_desk}
    )


def trouble(case: Case, found: Met) -> str:
    """Return what is wrong with an answer, or "" if it is as promised."""
    address, wanted = case.address, expected(case)
    if found.status >= 500:
        return f"{found.status}"
    if case.method in SAFE and found.changed - BY_LOOKING:
        return f"to look changed {sorted(found.changed)}"
    if found.letter != "o" and found.changed:
        return f"{found.status}, but changed {sorted(found.changed)}"
    if case.method not in address.takes:
        return "" if refused(case, found, wanted) else f"{found.status} instead of 405"
    if not case.has_token and not address.name.startswith(WITHOUT_FORM):
        return "" if found.letter == "f" else f"{found.status} without a token"
    if found.letter == "s" and wanted == "s":
        return "" if found.led_to in LED_TO[case.state] else f"led to {found.led_to}"
    letter = found.letter
    if letter == "s" and address.name.startswith(OWN_ACCOUNT):
        letter = "o"
    if letter == "l" and wanted == "o" and case.role == "visitor" and case.method == "POST":
        return ""  # a button of an open page that needs a login
    if letter == wanted or (wanted == "x" and letter in "lnf"):
        return ""
    return f"{found.status} ({letter}) instead of {wanted}"


def refused(case: Case, found: Met, wanted: str) -> bool:
    """Return whether a wrong method is refused as promised.

    Those with access get 405 (or 403 without a token); others may get the same.
    """
    if found.letter == "m" or (found.letter == "f" and not case.has_token):
        return True
    if wanted == "x":
        return found.letter in "lnf"
    return wanted != "o" and found.letter == wanted
