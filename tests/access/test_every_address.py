"""Every address × every role × somebody else's things × every method: who gets in, who does not.

The addresses come from the resolver. One that stands in no table here fails, whatever adds it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.roles import (
    ANSWERED,
    AUTHORED,
    CLASSES,
    MARKED,
    READ,
    RULED,
    make_instructor,
)
from api.models import Token
from api.services import make_token
from audit import verbs
from audit.models import Event
from audit.services import record
from classes.assignments.services.calendars import make_calendar
from classes.models import Assignment, Course, Membership, Override
from lessons.models import Lesson
from outbox.models import Message
from outbox.unsubscribing import Unsubscribing
from quizzes.delivery.effective_settings import own_terms
from quizzes.delivery.services.deadlines import grant_extra_time
from quizzes.delivery.services.previews import start_preview
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.items.services.withdrawal import strike_out
from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.models import (
    Attempt,
    Certificate,
    ExtraTime,
    Item,
    Quiz,
    Report,
    Ruling,
    Sitting,
    Slot,
    Submission,
    Topic,
    Variant,
)
from quizzes.practice.services import practise_skill
from quizzes.regrades.services import draft_ruling
from quizzes.reports.services import report_item
from tests.conftest import FormClient
from tests.quizzes.conftest import questions, quiz  # noqa: F401 - fixtures

pytestmark = pytest.mark.django_db

# The owner has what there is and runs a class; the next three are in that class, and the neighbour
# runs another one, in which the stranger learns.
IN_CLASS = ("observer", "assistant", "student", "neighbour")
ROLES = ("visitor", "owner", "stranger", "instructor", "administrator", *IN_CLASS)
METHODS = ("GET", "POST", "PUT", "DELETE")

# What each role meets at an address, in the order of ROLES: (o)pen, (l)og in first, (n)ot found,
# (f)orbidden.
OPEN = "ooooooooo"
OWN = "lonnnnnnn"
WITH_LOG_IN = "loooooooo"
NOBODY = "nnnnnnnnn"
BY_TOKEN = "lllllllll"
WHERE_IT_IS = "lnnnnnnnn"
# Of a class: who may look at it, who may help in it, who runs it. The assistant has one section.
LOOK = "lonnooonn"
HELP = "lonnofonn"
RUN = "lonnoffnn"
LOOK_AT_ALL = "lonnoofnn"  # of other sections, too
ADDRESSES = {
    "lessons:catalogue": ("/", OPEN),
    "lessons:search": ("/search/", OPEN),
    "lessons:lesson": ("/lessons/one/", OPEN),
    "lessons:notebook": ("/lessons/one/notebook.ipynb", NOBODY),  # it has no Python
    "lessons:read": ("/lessons/one/first/read/", WITH_LOG_IN),
    "lessons:numbers": ("/lessons/one/first/numbers-1.csv", NOBODY),  # it has no figure
    "lessons:machine": ("/machine/", OPEN),
    "lessons:ask": ("/sentences/", OPEN),
    "lessons:sentence": ("/sentences/no-such-key/", NOBODY),
    "lessons:image": ("/images/no/such/", NOBODY),
    "quizzes:quizzes": ("/quizzes/", OPEN),
    "quizzes:quiz": ("/quizzes/foundations/", OPEN),
    "quizzes:start": ("/quizzes/foundations/start/", OPEN),
    "quizzes:sitting": ("/quizzes/foundations/{sitting}/", OPEN),
    "quizzes:start-sitting": ("/quizzes/foundations/{sitting}/start/", OPEN),
    "quizzes:practise": ("/quizzes/foundations/practise/", OPEN),
    "quizzes:skills": ("/practice/", OPEN),
    "quizzes:practice": ("/practice/{practice}/", OWN),
    "quizzes:practice-item": ("/practice/{practice}/1/", OWN),
    "quizzes:practice-status": ("/practice/{practice}/1/status/", OWN),
    "quizzes:skill": ("/practice/family/cosine/", OPEN),
    "quizzes:try": ("/try/", OPEN),
    "quizzes:home": ("/learning/", WITH_LOG_IN),
    "quizzes:mistakes": ("/learning/mistakes/", WITH_LOG_IN),
    "quizzes:today": ("/today/", WITH_LOG_IN),
    "quizzes:formulas": ("/formulas/", OPEN),
    "quizzes:mine": ("/attempts/", WITH_LOG_IN),
    "quizzes:attempt": ("/attempts/{attempt}/", OWN),
    "quizzes:save": ("/attempts/{attempt}/items/1/draft/", OWN),
    "quizzes:flag": ("/attempts/{attempt}/items/1/flag/", OWN),
    "quizzes:report": ("/attempts/{attempt}/items/1/report/", OWN),
    "quizzes:submit": ("/attempts/{attempt}/submit/", OWN),
    "quizzes:results": ("/attempts/{submitted}/results/", OWN),
    "quizzes:practise-mistakes": ("/attempts/{submitted}/practise/", OWN),
    "quizzes:review": ("/attempts/{submitted}/review/", WHERE_IT_IS),  # it is not marked yet
    "quizzes:status": ("/attempts/{attempt}/status/", OWN),
    "quizzes:certificate": ("/attempts/{submitted}/certificate/", OWN),
    "quizzes:withdraw": ("/attempts/{submitted}/certificate/withdraw/", OWN),
    "quizzes:certificate-page": ("/certificates/{certificate}/", OPEN),  # whoever has the address
    "quizzes:reports": ("/reports/", "lffooffff"),
    "quizzes:rulings": ("/rulings/", "lffooffff"),
    # An instructor has no part in the attempts of those who learn alone.
    "quizzes:new-ruling": ("/rulings/new/?sitting={sitting}&of=all", "lffnoffff"),
    "quizzes:ruling": ("/rulings/{own_ruling}/", "lffnoffff"),
    "quizzes:apply-ruling": ("/rulings/{own_ruling}/apply/", "lffnoffff"),
    "quizzes:undo-ruling": ("/rulings/{own_ruling}/undo/", "lffnoffff"),
    "classes:teach": ("/teach/", WITH_LOG_IN),
    "classes:create": ("/teach/new/", "lffooffff"),
    "classes:people": ("/teach/{course}/people/", LOOK),
    "classes:change": ("/teach/{course}/people/change/?member={member}", HELP),
    "classes:remove": ("/teach/{course}/people/remove/?member={member}", HELP),
    "classes:take-back": ("/teach/{course}/people/take-back/?member={member}", HELP),
    "classes:paste": ("/teach/{course}/people/add/", RUN),
    "classes:upload": ("/teach/{course}/people/import/", RUN),
    "classes:preview": ("/teach/{course}/people/preview/", RUN),
    "classes:assignments": ("/teach/{course}/quizzes/", LOOK),
    "classes:assign": ("/teach/{course}/quizzes/give/", RUN),
    "classes:assignment": ("/teach/{course}/quizzes/{given}/", LOOK),
    "classes:rules": ("/teach/{course}/quizzes/{given}/rules/", RUN),
    "classes:release": ("/teach/{course}/quizzes/{given}/release/", RUN),
    "classes:withdraw": ("/teach/{course}/quizzes/{given}/withdraw/", RUN),
    "classes:applies": ("/teach/{course}/quizzes/{given}/for/{member}/", LOOK),
    "classes:exceptions": ("/teach/{course}/exceptions/", LOOK),
    "classes:except": ("/teach/{course}/exceptions/new/", HELP),
    "classes:exception": ("/teach/{course}/exceptions/{exception}/", HELP),
    "classes:end-exception": ("/teach/{course}/exceptions/{exception}/end/", HELP),
    "classes:reports": ("/teach/{course}/reports/", LOOK),
    "classes:rulings": ("/teach/{course}/rulings/", LOOK_AT_ALL),
    "classes:new-ruling": ("/teach/{course}/rulings/new/", RUN),
    "classes:ruling": ("/teach/{course}/rulings/{ruling}/", LOOK_AT_ALL),
    "classes:apply-ruling": ("/teach/{course}/rulings/{ruling}/apply/", RUN),
    "classes:undo-ruling": ("/teach/{course}/rulings/{ruling}/undo/", RUN),
    "classes:joining": ("/teach/{course}/joining/", LOOK),
    "classes:settings": ("/teach/{course}/settings/", RUN),
    "classes:copy": ("/teach/{course}/copy/", "lfnnoffnn"),  # it makes a class
    "classes:archive": ("/teach/{course}/archive/", RUN),
    "classes:history": ("/teach/{course}/history/", LOOK_AT_ALL),
    "classes:gradebook": ("/teach/{course}/gradebook/", LOOK),
    "classes:gradebook-file": ("/teach/{course}/gradebook/csv/", LOOK),
    "classes:marks": ("/teach/{course}/quizzes/{given}/gradebook/", LOOK),
    "classes:marks-file": ("/teach/{course}/quizzes/{given}/gradebook/xlsx/", LOOK),
    "classes:figures": ("/teach/{course}/quizzes/{given}/figures/", LOOK),
    "classes:figures-table": ("/teach/{course}/quizzes/{given}/figures/questions.csv", LOOK),
    # Of one student nothing is told.
    "classes:figures-question": ("/teach/{course}/quizzes/{given}/figures/of/q1/", WHERE_IT_IS),
    "classes:watch": ("/teach/{course}/quizzes/{given}/watch/", LOOK),
    "classes:live": ("/teach/{course}/quizzes/{given}/watch/live/", LOOK),
    "classes:extend": ("/teach/{course}/quizzes/{given}/extend/?member={member}", HELP),
    "classes:reopen": ("/teach/{course}/quizzes/{given}/reopen/?member={member}", HELP),
    "classes:hand-in": ("/teach/{course}/quizzes/{given}/hand-in/?member={member}", HELP),
    "classes:mark-again": ("/teach/{course}/quizzes/{given}/mark-again/?member={member}", HELP),
    "classes:attempt": ("/teach/{course}/attempts/{in_class}/", LOOK),
    "classes:enter": ("/join/", WITH_LOG_IN),
    "classes:join": ("/join/{code}/", OPEN),
    "classes:calendar": ("/calendar/", WITH_LOG_IN),
    "classes:calendar-file": ("/calendar/{calendar}.ics", OPEN),  # its token says whose
    "classes:leave": ("/classes/{course}/leave/", "lonnnooon"),
    "usersessions_list": ("/accounts/sessions/", WITH_LOG_IN),
    "mfa_index": ("/accounts/two-steps/", WITH_LOG_IN),
    "mfa_authenticate": ("/accounts/two-steps/authenticate/", WITH_LOG_IN),
    "mfa_reauthenticate": ("/accounts/two-steps/reauthenticate/", WITH_LOG_IN),
    "mfa_activate_totp": ("/accounts/two-steps/totp/activate/", WITH_LOG_IN),
    "mfa_deactivate_totp": ("/accounts/two-steps/totp/deactivate/", WHERE_IT_IS),  # nobody has one
    "mfa_view_recovery_codes": ("/accounts/two-steps/recovery-codes/", WHERE_IT_IS),
    "mfa_generate_recovery_codes": ("/accounts/two-steps/recovery-codes/generate/", WITH_LOG_IN),
    "mfa_download_recovery_codes": ("/accounts/two-steps/recovery-codes/download/", WHERE_IT_IS),
    "mfa_list_webauthn": ("/accounts/two-steps/webauthn/", WITH_LOG_IN),
    "mfa_add_webauthn": ("/accounts/two-steps/webauthn/add/", WITH_LOG_IN),
    "mfa_reauthenticate_webauthn": ("/accounts/two-steps/webauthn/reauthenticate/", WITH_LOG_IN),
    # Asked for a password first, nobody learns whose it is.
    "mfa_remove_webauthn": ("/accounts/two-steps/webauthn/keys/{passkey}/remove/", WITH_LOG_IN),
    "mfa_edit_webauthn": ("/accounts/two-steps/webauthn/keys/{passkey}/edit/", WITH_LOG_IN),
    "mfa_login_webauthn": ("/accounts/two-steps/webauthn/login/", WITH_LOG_IN),
    "account_login": ("/accounts/login/", OPEN),
    "account_logout": ("/accounts/logout/", OPEN),
    "account_inactive": ("/accounts/inactive/", OPEN),
    "account_signup": ("/accounts/signup/", OPEN),
    "account_reauthenticate": ("/accounts/reauthenticate/", WITH_LOG_IN),
    "account_email": ("/accounts/email/", WITH_LOG_IN),
    "account_email_verification_sent": ("/accounts/confirm-email/", OPEN),
    "account_confirm_email": ("/accounts/confirm-email/no-such-key/", OPEN),
    "account": ("/accounts/", WITH_LOG_IN),
    "account_change_password": ("/accounts/password/change/", WITH_LOG_IN),
    "account_set_password": ("/accounts/password/set/", WITH_LOG_IN),
    "account_reset_password": ("/accounts/password/reset/", OPEN),
    "account_reset_password_done": ("/accounts/password/reset/done/", OPEN),
    "account_reset_password_from_key": ("/accounts/password/reset/key/1-none/", OPEN),
    "account_reset_password_from_key_done": ("/accounts/password/reset/key/done/", OPEN),
    "account_confirm_login_code": ("/accounts/login/code/confirm/", WITH_LOG_IN),
    "account_time_zone": ("/accounts/time-zone/", WITH_LOG_IN),
    "account_data": ("/accounts/data/", WITH_LOG_IN),
    "account_data_file": ("/accounts/data/file/", WITH_LOG_IN),
    "account_delete": ("/accounts/delete/", WITH_LOG_IN),
    "outbox:letters": ("/letters/", WITH_LOG_IN),
    "outbox:off": ("{letters_off}", OPEN),  # its token says whose
    "api:tokens": ("/teach/tokens/", WITH_LOG_IN),
    "api:make-token": ("/teach/tokens/new/", WITH_LOG_IN),  # a password is asked for first
    "api:revoke-token": ("/teach/tokens/{token}/revoke/", OWN),
    "api:reference": ("/api/", OPEN),
    "api:nowhere": ("/api/none/", NOBODY),
    "api:v1:openapi-json": ("/api/v1/openapi.json", OPEN),
    "api:v1:api-root": ("/api/v1/", NOBODY),
    # Only tokens let programs in, and nobody's login does; tests/api has who finds what.
    **{
        f"api:v1:{name}": (f"/api/v1/{path}", BY_TOKEN)
        for name, path in {
            "list_classes": "classes",
            "get_class": "classes/{course}",
            "list_members": "classes/{course}/members",
            "list_assignments": "classes/{course}/assignments",
            "list_attempts": "classes/{course}/attempts",
            "get_attempt": "classes/{course}/attempts/{in_class}",
            "list_exceptions": "classes/{course}/exceptions",
            "make_exception": "classes/{course}/exceptions",
            "replace_exception": "classes/{course}/exceptions/{exception}",
            "end_exception": "classes/{course}/exceptions/{exception}",
            "list_quizzes": "quizzes",
            "get_quiz": "quizzes/1",
            "list_families": "families",
            "get_family": "families/cosine",
        }.items()
    },
    "sitemap": ("/sitemap.xml", OPEN),
    "design:styleguide": ("/look/", OPEN),
}
# Addresses without a name.
NAMELESS = {
    "robots.txt": ("/robots.txt", OPEN),
    "^static/(?P<folder>[\\w/-]+)/\\*(?P<suffix>\\.css|\\.js)$": ("/static/none/*.css", NOBODY),
}
# What the admin has beside a model's own pages, with the permission that each asks for.
ADMIN = {
    "index": "",
    "login": None,
    "logout": None,
    "password_change": "",
    "password_change_done": "",
    "autocomplete": "",
    "jsi18n": "",
    "search": "",
    "view_on_site": "",
    "auth_user_password_change": "accounts.change_user",
    "app_list": "",
    "lessons_lesson_preview": "lessons.view_lesson",
    "lessons_lesson_version": "lessons.view_lesson",
    "lessons_lesson_restore": "lessons.change_lesson",
    "lessons_lesson_import_lessons": "lessons.add_lesson",
    "lessons_lesson_view_as_student": "lessons.view_lesson",
    "lessons_lesson_export": "lessons.view_lesson",
    "lessons_lesson_duplicate": "lessons.add_lesson",
    "quizzes_attempt_give_more_time": "quizzes.add_extratime",
    "quizzes_attempt_review": "quizzes.view_attempt",
    "quizzes_conceptquestion_preview": "quizzes.add_conceptquestion",
    "quizzes_conceptquestion_paste": "quizzes.add_conceptquestion",
    "quizzes_conceptquestion_version": "quizzes.view_conceptquestion",
    "quizzes_extratime_students": "quizzes.view_extratime",
    "quizzes_quiz_pools": "quizzes.view_quiz",
    "quizzes_quiz_rehearsal": "quizzes.view_quiz",
    "quizzes_quiz_choices": "quizzes.view_quiz",
    "quizzes_quiz_duplicate": "quizzes.add_quiz",
    "quizzes_quiz_example": "quizzes.view_quiz",
    "quizzes_quiz_slots": "quizzes.add_quiz",
    "quizzes_quiz_preview": "quizzes.change_quiz",
    "quizzes_quiz_delete_preview": "quizzes.change_quiz",
    "quizzes_slot_variants": "quizzes.view_quiz",
    "quizzes_family_variants": "quizzes.view_quiz",
}
# A page for whoever is logged in; one that is closed to all who do not say what they look for.
WITHOUT_A_RULE = ("password_change", "jsi18n", "autocomplete")
ACTIONS = {
    "changelist": "view",
    "add": "add",
    "history": "view",
    "delete": "delete",
    "change": "view",
}
INSTRUCTORS_MAY = (
    {
        f"{app}.{action}_{model}"
        for app, models in AUTHORED.items()
        for model in models
        for action in ("add", "change", "delete", "view")
    }
    | {f"{app}.view_{model}" for app, models in READ.items() for model in models}
    | {".".join(ANSWERED), ".".join(MARKED), ".".join(RULED), ".".join(CLASSES)}
)
# History is read; nobody, whoever they are, adds to it or takes from it by a form.
NOBODYS = {
    f"{action}_{model}"
    for action in ("add", "delete")
    for model in ("attempt", "event", "message", "submission")
}


@dataclass(frozen=True)
class Address:
    """One pattern of the resolver."""

    name: str
    pattern: str


def addresses(resolver: URLResolver, prefix: str = "", namespace: str = "") -> Iterator[Address]:
    for entry in resolver.url_patterns:
        pattern = prefix + str(entry.pattern)
        if isinstance(entry, URLPattern):
            name = f"{namespace}{entry.name}" if entry.name else ""
            yield Address(name, pattern)
        else:
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from addresses(entry, pattern, inner)


EVERY = list(addresses(get_resolver()))


def test_every_address_says_who_may_come():
    unknown = [
        address
        for address in EVERY
        if address.name not in ADDRESSES
        and not address.name.startswith("admin:")
        and not (address.name == "" and address.pattern.startswith("admin/"))
        and address.pattern not in NAMELESS
    ]
    assert not unknown, "\n".join(map(str, unknown))


def test_every_address_of_the_admin_says_which_permission_it_asks_for():
    unknown = [
        address.name
        for address in EVERY
        if address.name.startswith("admin:")
        and permission_of(address.name.removeprefix("admin:")) == "unknown"
    ]
    assert not unknown, "\n".join(map(str, unknown))


def permission_of(name: str) -> str | None:
    """The permission that an admin page asks for; "" for any staff, None for anybody."""
    if name in ADMIN:
        return ADMIN[name]
    match = re.fullmatch(r"([a-z]+)_([a-z]+)_(changelist|add|history|delete|change)", name)
    return f"{match[1]}.{ACTIONS[match[3]]}_{match[2]}" if match else "unknown"


# The world


@pytest.fixture
def people():
    create = get_user_model().objects.create_user
    made = {role: create(f"{role}@example.org", "secret", name=role) for role in ROLES[1:]}
    make_instructor(made["instructor"])
    administrator = made["administrator"]
    administrator.is_staff = administrator.is_superuser = True
    administrator.save()
    return made


@pytest.fixture
def objects(quiz, people):  # noqa: F811
    """What the owner has, by what an address calls it."""
    lesson = Lesson.objects.create(slug="one", title="One", published=True)
    lesson.sections.create(slug="first", title="First", body="Words.")
    Topic.objects.create(key="keys", title="Keys")
    owner = people["owner"]
    submitted = start_attempt(student=owner, quiz=quiz)
    submit_attempt(attempt=submitted)
    certificate = Certificate.objects.create(attempt=submitted, name="Owner")
    attempt = start_attempt(student=owner, quiz=quiz)
    practice = practise_skill(student=owner, skill=Skill("family", "cosine"))
    course, other = (Course.objects.create(title=title, time_zone="UTC") for title in "AB")
    for role, of, place, section in (
        ("owner", course, "instructor", ""),
        ("observer", course, "observer", ""),
        ("assistant", course, "assistant", "1"),
        ("student", course, "student", "1"),
        ("neighbour", other, "instructor", ""),
        ("stranger", other, "student", ""),
    ):
        Membership.objects.create(course=of, user=people[role], role=place, section=section)
    sitting = Sitting.objects.create(quiz=quiz, given_in="A", open_to_all=False)
    given = Assignment.objects.create(course=course, sitting=sitting)
    member = Membership.objects.get(user=people["student"])
    exception = Override.objects.create(course=course, member=member, more_minutes=5)
    calendar = make_calendar(user=owner)
    token, _secret = make_token(owner=owner, name="N", scope="read", course=course, days=1)
    verbs.register("tests.read", "read")
    message = Message.objects.create(to=owner, kind="tests.news")
    rulings = [
        draft_ruling(ruling=Ruling(quiz=quiz, sitting=each, kind="void", reason="Wrong."))
        for each in (sitting, quiz.own_sitting)
    ]
    return {
        "certificate": certificate.token,
        "ruling": rulings[0].pk,
        "own_ruling": rulings[1].pk,
        "event": record(actor=owner, verb="tests.read", target=None).pk,
        "message": message.pk,
        "calendar": calendar,
        "token": token.pk,
        "letters_off": Unsubscribing.of(owner.pk, ["tests.news"]).address.removeprefix(
            settings.SITE_URL
        ),
        "course": course.pk,
        "code": course.code,
        "member": member.pk,
        "given": given.pk,
        "exception": exception.pk,
        "in_class": start_attempt(
            student=people["student"], quiz=quiz, terms=own_terms(sitting)
        ).pk,
        "attempt": attempt.pk,
        "sitting": quiz.own_sitting.pk,
        "submitted": submitted.pk,
        "practice": practice.pk,
        "preview": start_preview(author=owner, quiz=quiz).pk,
        "passkey": Authenticator.objects.create(
            user=get_user_model().objects.create_user("key@example.org"),
            type="webauthn",
            data={"name": "Key", "credential": {}},
        ).pk,
    }


@pytest.fixture(params=ROLES)
def role(request):
    return request.param


@pytest.fixture
def somebody(role, people):
    client = FormClient(raise_request_exception=False)
    if role in people:
        client.force_login(people[role])
    return client


def met(answer) -> str:
    """What an answer comes to, as the tables call it."""
    where = answer.headers.get("Location", "")
    if answer.status_code == 401 or re.match(r"/(accounts|admin)/login/", where):
        return "l"
    if answer.status_code == 404:
        return "n"
    return "f" if answer.status_code == 403 else "o"


def state() -> list:
    """What no stranger may change."""
    return [
        list(Attempt.objects.order_by("pk").values_list("pk", "state", "score")),
        list(Item.objects.order_by("pk").values_list("pk", "draft", "revision", "flagged")),
        list(Submission.objects.order_by("pk").values_list("pk", "state")),
        list(Report.objects.order_by("pk").values()),
        list(Ruling.objects.order_by("pk").values()),
        list(Certificate.objects.order_by("pk").values()),
        list(Quiz.objects.values_list("title", "published")),
        list(Message.objects.values_list("state", "to")),
        Event.objects.count(),
        list(Authenticator.objects.values_list("user", "data")),
        list(Lesson.objects.values_list("title", "published")),
        list(Course.objects.order_by("pk").values()),
        list(Membership.objects.order_by("pk").values()),
        list(Assignment.objects.order_by("pk").values()),
        list(Override.objects.order_by("pk").values()),
        list(Token.objects.order_by("pk").values()),
        list(get_user_model().objects.order_by("pk").values_list("email", "is_staff", "password")),
    ]


def asked(somebody, method: str, path: str, before: list):
    """The answer to a request, of which nothing stays, and the state that it left."""
    wrote = False

    def watch(execute, sql, params, many, context):
        nonlocal wrote
        wrote = wrote or not sql.startswith(("SELECT", "SAVEPOINT", "RELEASE"))
        return execute(sql, params, many, context)

    with transaction.atomic():
        with connection.execute_wrapper(watch):
            answer = somebody.generic(method, path)
        after = state() if wrote else before  # to ask for it takes longer than most answers
        transaction.set_rollback(True)
    return answer, after


def test_who_gets_in_and_who_does_not(somebody, role, objects):
    column = ROLES.index(role)
    before = state()
    wrong = []
    for name, (template, expected) in (ADDRESSES | NAMELESS).items():
        path = template.format(**objects)
        for method in METHODS:
            answer, after = asked(somebody, method, path, before)
            found, wanted = met(answer), expected[column]
            if answer.status_code >= 500:
                wrong.append((method, name, answer.status_code))
            elif wanted == "o" and role == "visitor" and found == "l" and method != "GET":
                continue  # a button of an open page that needs a login
            elif answer.status_code == 405 or (method == "POST" and found == "f"):
                continue
            elif found != wanted and not (wanted == "o" and method != "GET"):
                wrong.append((method, name, found, "instead of", wanted))
            elif wanted != "o" and after != before:
                wrong.append((method, name, "changed what is not theirs"))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.fixture
def in_the_admin(objects, people):
    """Each address of the admin that asks for a permission, with that permission."""
    known = {
        "lessons": {"lesson": Lesson.objects.first().pk},
        "quizzes": {
            "attempt": objects["submitted"],
            "quiz": Quiz.objects.first().pk,
            "topic": "keys",
            "conceptquestion": Quiz.objects.model.objects.count(),
            "submission": Submission.objects.first().pk,
            "extratime": ExtraTime.objects.create(student=people["stranger"]).pk,
            "struckout": strike_out(
                variant=Variant.objects.first(), by=people["administrator"], reason="Odd."
            ).pk,
        },
        "accounts": {"user": people["owner"].pk},
        "audit": {"event": objects["event"]},
        "outbox": {"message": objects["message"]},
    }
    found = []
    for address in EVERY:
        if not address.name.startswith("admin:"):
            continue
        name = address.name.removeprefix("admin:")
        permission = permission_of(name)
        if permission is None or name in WITHOUT_A_RULE:
            continue
        app, _, model = name.partition("_")
        pk = known.get(app, {}).get(model.rpartition("_")[0] or model, 1)
        path = "/" + re.sub(r"<(?:path:)?(?:object_id|id)>", str(pk), address.pattern)
        path = re.sub(r"<slug:stamp>", "none", path)
        path = re.sub(r"<key:slot>", str(Slot.objects.first().pk), path)
        path = re.sub(r"<key:preview>", str(objects["preview"]), path)
        path = path.replace("<path:content_type_id>/<path:object_id>", "1/1")
        path = re.sub(r"\^\(\?P<app_label>.*", "quizzes/", path)
        found.append((path, permission))
    return found


# A place in a class is no business of the admin's.
@pytest.mark.parametrize("role", ROLES[: -len(IN_CLASS)])
def test_who_gets_into_the_admin(somebody, role, in_the_admin):
    before = state()
    wrong = []
    for path, permission in in_the_admin:
        may = role == "administrator" or (
            role == "instructor" and (not permission or permission in INSTRUCTORS_MAY)
        )
        if permission.partition(".")[2] in NOBODYS:
            may = False
        for method in ("GET", "POST"):
            answer, after = asked(somebody, method, path, before)
            found = met(answer)
            if answer.status_code >= 500:
                wrong.append((method, path, answer.status_code))
            elif not may and found == "o":
                wrong.append((method, path, "is open"))
            elif may and method == "GET" and found in "lf":
                wrong.append((method, path, "is closed"))
            elif not may and after != before:
                wrong.append((method, path, "changed something"))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.fixture
def named(objects, people, quiz):  # noqa: F811
    """What calls a student by name or address. The owner and the student of the class learn here,
    and much is known of them: reports, extra time, marks, what an administrator did to them.
    """
    learning = {
        role: (f"Zenobia {role}", f"{role}-at-home@learners.example")
        for role in ("owner", "student", "stranger")
    }
    for role, (name, email) in learning.items():
        get_user_model().objects.filter(pk=people[role].pk).update(name=name, email=email)
        attempt = Attempt.objects.filter(student=people[role], mode="graded").first()
        if attempt:
            item = attempt.items.select_related("attempt").first()
            report_item(item=item, sentence="It is odd.")
        if role != "stranger":  # who has some already
            grant_extra_time(granted=ExtraTime(student=people[role], minutes=5))
        LogEntry.objects.create(
            user=people["administrator"],
            content_type=ContentType.objects.get_for_model(ExtraTime),
            object_id="1",
            object_repr=name,
            action_flag=1,
        )
    grade_waiting()
    return [word for each in learning.values() for word in each]


# What is asked for beside a page: searches, filters, the choices of fields.
ASKED = (
    *("?q=zenobia", "?q=at-home", "?s=zenobia", "?term=zenobia", "?all=", "?state=all"),
    "?state__exact=submitted",
    *(
        f"?app_label=quizzes&model_name={model}&field_name={field}&term=zenobia"
        for model, field in (
            ("extratime", "attempt"),
            ("extratime", "student"),
            ("item", "attempt"),
        )
    ),
)


@pytest.mark.parametrize("role", ["instructor"])
def test_an_instructor_without_a_class_finds_no_name_of_a_student_anywhere(
    somebody, role, objects, in_the_admin, named
):
    """On no page, of the admin or beside it, whatever is looked for there."""
    paths = [path for path, _permission in in_the_admin]
    paths += [f"/admin/{name}/" for name in ("search", "autocomplete")]
    # Whoever has the address of a certificate reads the name on it.
    public = ("quizzes:certificate-page",)
    paths += [
        template.format(**objects)
        for name, (template, _expected) in (ADDRESSES | NAMELESS).items()
        if name not in public
    ]
    before, told = state(), []
    for path in paths:
        lists = path.startswith(("/admin/", "/reports/", "/rulings/")) and not re.search(
            r"\d", path
        )
        for more in ("", *(ASKED if lists else ())):
            for method in ("GET",) if more else ("GET", "POST"):
                answer, _after = asked(somebody, method, path + more, before)
                text = answer.getvalue().decode(errors="replace") + str(answer.headers)
                told += [(method, path + more, word) for word in named if word in text]
    assert not told, "\n".join(map(str, told))


def test_nothing_that_a_student_can_fetch_tells_of_an_exam_before_its_release(
    client,
    objects,
    people,
    quiz,  # noqa: F811
):
    Sitting.objects.filter(quiz=quiz).update(release=Sitting.Release.BY_HAND)
    grade_waiting()
    secrets = secrets_of(Attempt.objects.get(pk=objects["submitted"]))
    secrets |= secrets_of(Attempt.objects.get(pk=objects["attempt"]))
    client.force_login(people["owner"])
    told = []
    for name, (template, _expected) in ADDRESSES.items():
        answer = client.get(template.format(**objects))
        text = answer.getvalue().decode(errors="replace") + str(answer.headers)
        told += [(name, secret) for secret in secrets if secret in text]
    assert not told, told
    Sitting.objects.filter(quiz=quiz).update(released=True)
    results = client.get(f"/attempts/{objects['submitted']}/results/").content.decode()
    assert any(secret in results for secret in secrets)


def secrets_of(attempt: Attempt) -> set[str]:
    """What must not be read: seeds, fingerprints, words of explanation, longer results."""
    found = set()
    for item in attempt.items.select_related("variant"):
        if item.variant:
            found |= {
                item.variant.seed,
                str(item.variant.fingerprint),
                item.variant.fingerprint.hex,
            }
            # What comes out at few figures may well stand on some page for another reason.
            longer = re.findall(r"-?\d\.\d{6,}", json.dumps(item.variant.solution))
            found.update(text for text in longer if round(float(text), 6) != round(float(text), 3))
        else:
            found.add(item.shown["explanation"])
            found |= {choice["feedback"] for choice in item.shown["choices"]}
    return found


def test_a_number_that_no_row_can_have_is_a_page_that_is_not_there(objects, people):
    """Which of the two parts of an address is so large, and whoever asks."""
    client = FormClient(raise_request_exception=False)
    client.force_login(people["administrator"])
    wrong = []
    for address in EVERY:
        numbers = re.findall(r"<(?:key|path):(\w+)>", address.pattern)
        for number in numbers:
            path = re.sub(rf"<(?:key|path):{number}>", "9" * 30, f"/{address.pattern}")
            path = re.sub(r"<(?:key|path):\w+>", "1", path)
            path = re.sub(r"<(?:slug|str):\w+>|<\w+>", "foundations", path)
            if "<" in path or "(" in path:
                continue
            if client.get(path).status_code >= 500:
                wrong.append(path)
    assert not wrong, f"{len(wrong)}: {wrong[:5]}"
