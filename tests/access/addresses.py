"""Tables of every address of the site: who may open it, and which methods it takes.

The addresses come from the resolver. One that is missing from the tables fails the tests.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.urls import URLPattern, URLResolver, get_resolver

from accounts.roles import (
    ANSWER_REPORTS,
    AUTHORED_MODELS,
    CREATE_CLASSES,
    MARK_AGAIN,
    READABLE_MODELS,
    REGRADE,
)

# The owner has all the objects and runs a class; the next four are in that class, and the neighbour
# runs another one. The stranger is in none; the instructor is the site's, and in none either.
IN_CLASS = ("observer", "section_assistant", "assistant", "student", "neighbour")
ROLES = ("visitor", "owner", "stranger", "instructor", "administrator", *IN_CLASS)
STAFF = ("instructor", "administrator")
# A program sends the owner's token; it requests the addresses of the API alone.
PROGRAM = "program"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

# The methods that an address takes.
PAGE = frozenset({"GET", "HEAD"})
FORM = PAGE | {"POST"}
ACT = frozenset({"POST"})
CHANGES = frozenset({"PUT", "DELETE"})

# The answer to each role at an address, in the order of ROLES: (o)pen, (l)og in first, (n)ot found,
# (f)orbidden; in the admin also (x), kept out in any of these ways.
OPEN = "oooooooooo"
OWN = "lonnnnnnnn"
WITH_LOG_IN = "looooooooo"
NOBODY = "nnnnnnnnnn"
BY_TOKEN = "llllllllll"
WHERE_IT_IS = "lnnnnnnnnn"
# Within a class: members who may look at it, help in it, run it.
LOOK = "lonnoooonn"
HELP = "lonnofoonn"
RUN = "lonnofffnn"
LOOK_AT_ALL = "lonnoofonn"  # other sections' pages, too
LOOK_AT_MARKED = "lonnoononn"  # all who were marked are in the other section
ADDRESSES = {
    "lessons:catalogue": ("/", OPEN),
    "lessons:lessons": ("/lessons/", OPEN),
    "lessons:search": ("/search/", OPEN),
    "lessons:lesson": ("/lessons/one/", OPEN),
    "lessons:notebook": ("/lessons/one/notebook.ipynb", NOBODY),  # it has no Python
    "lessons:read": ("/lessons/one/first/read/", WITH_LOG_IN, FORM),
    "lessons:numbers": ("/lessons/one/first/numbers-1.csv", NOBODY),  # it has no figure
    "lessons:machine": ("/machine/", OPEN),
    "lessons:ask": ("/sentences/", OPEN, FORM),
    "lessons:sentence": ("/sentences/no-such-key/", NOBODY),
    "lessons:image": ("/images/no/such/", NOBODY),
    "quizzes:quizzes": ("/quizzes/", OPEN),
    "quizzes:quiz": ("/quizzes/foundations/", OPEN),
    "quizzes:start": ("/quizzes/foundations/start/", OPEN, FORM),
    "quizzes:sitting": ("/quizzes/foundations/{sitting}/", OPEN),
    "quizzes:start-sitting": ("/quizzes/foundations/{sitting}/start/", OPEN, FORM),
    "quizzes:practise": ("/quizzes/foundations/practise/", OPEN, FORM),
    "quizzes:skills": ("/practice/", OPEN),
    "quizzes:practice": ("/practice/{practice}/", OWN),
    "quizzes:practice-item": ("/practice/{practice}/1/", OWN, FORM),
    "quizzes:practice-status": ("/practice/{practice}/1/status/", OWN),
    "quizzes:skill": ("/practice/family/cosine/", OPEN, FORM),
    "quizzes:try": ("/try/", OPEN),
    "quizzes:exercise": ("/exercises/one/first/", OPEN, FORM),
    "quizzes:home": ("/learning/", WITH_LOG_IN),
    "quizzes:mistakes": ("/learning/mistakes/", WITH_LOG_IN),
    "quizzes:today": ("/today/", WITH_LOG_IN, FORM),
    "quizzes:formulas": ("/formulas/", OPEN),
    "quizzes:mine": ("/attempts/", WITH_LOG_IN),
    "quizzes:attempt": ("/attempts/{attempt}/", OWN, FORM),
    "quizzes:save": ("/attempts/{attempt}/items/1/draft/", OWN, ACT),
    "quizzes:flag": ("/attempts/{attempt}/items/1/flag/", OWN, ACT),
    "quizzes:report": ("/attempts/{attempt}/items/1/report/", OWN, ACT),
    "quizzes:submit": ("/attempts/{attempt}/submit/", OWN, FORM),
    "quizzes:results": ("/attempts/{submitted}/results/", OWN, FORM),
    "quizzes:practise-mistakes": ("/attempts/{submitted}/practise/", OWN, FORM),
    "quizzes:review": ("/attempts/{submitted}/review/", WHERE_IT_IS),  # it is not marked yet
    "quizzes:status": ("/attempts/{attempt}/status/", OWN),
    "quizzes:certificate": ("/attempts/{submitted}/certificate/", OWN, FORM),
    "quizzes:withdraw": ("/attempts/{submitted}/certificate/withdraw/", OWN, FORM),
    # Open to all who have the address.
    "quizzes:certificate-page": ("/certificates/{certificate}/", OPEN),
    "quizzes:reports": ("/reports/", "lffoofffff", FORM),
    "quizzes:rulings": ("/rulings/", "lffoofffff"),
    "quizzes:new-ruling": ("/rulings/new/?sitting={sitting}&of=all", "lffoofffff", FORM),
    "quizzes:ruling": ("/rulings/{own_regrade}/", "lffoofffff", FORM),
    "quizzes:apply-ruling": ("/rulings/{own_regrade}/apply/", "lffoofffff", FORM),
    "quizzes:undo-ruling": ("/rulings/{own_regrade}/undo/", "lffoofffff", FORM),
    "classes:teach": ("/teach/", WITH_LOG_IN),
    "classes:create": ("/teach/new/", "lffoofffff", FORM),
    "classes:overview": ("/teach/{course}/", LOOK),
    "classes:people": ("/teach/{course}/people/", LOOK),
    "classes:change": ("/teach/{course}/people/change/?member={member}", HELP, FORM),
    "classes:remove": ("/teach/{course}/people/remove/?member={member}", HELP, FORM),
    "classes:take-back": ("/teach/{course}/people/take-back/?member={member}", HELP, FORM),
    "classes:paste": ("/teach/{course}/people/add/", RUN, FORM),
    "classes:upload": ("/teach/{course}/people/import/", RUN, FORM),
    "classes:preview": ("/teach/{course}/people/preview/", RUN, FORM),
    "classes:write": ("/teach/{course}/people/write/", RUN, FORM),
    "classes:person": ("/teach/{course}/people/{member}/", LOOK, FORM),
    "classes:end-note": ("/teach/{course}/people/{member}/notes/{note}/end/", "lonnofnonn", FORM),
    "classes:assignments": ("/teach/{course}/quizzes/", LOOK),
    "classes:assign": ("/teach/{course}/quizzes/give/", RUN, FORM),
    "classes:assignment": ("/teach/{course}/quizzes/{assignment}/", LOOK),
    "classes:rules": ("/teach/{course}/quizzes/{assignment}/rules/", RUN, FORM),
    "classes:release": ("/teach/{course}/quizzes/{assignment}/release/", RUN, FORM),
    "classes:withdraw": ("/teach/{course}/quizzes/{assignment}/withdraw/", RUN, FORM),
    "classes:applies": ("/teach/{course}/quizzes/{assignment}/for/{member}/", LOOK),
    "classes:exceptions": ("/teach/{course}/exceptions/", LOOK),
    "classes:except": ("/teach/{course}/exceptions/new/", HELP, FORM),
    "classes:exception": ("/teach/{course}/exceptions/{exception}/", HELP, FORM),
    "classes:end-exception": ("/teach/{course}/exceptions/{exception}/end/", HELP, FORM),
    "classes:reports": ("/teach/{course}/reports/", LOOK, FORM),
    "classes:rulings": ("/teach/{course}/rulings/", LOOK_AT_ALL),
    "classes:new-ruling": ("/teach/{course}/rulings/new/", RUN, FORM),
    "classes:ruling": ("/teach/{course}/rulings/{regrade}/", LOOK_AT_ALL, FORM),
    "classes:apply-ruling": ("/teach/{course}/rulings/{regrade}/apply/", RUN, FORM),
    "classes:undo-ruling": ("/teach/{course}/rulings/{regrade}/undo/", RUN, FORM),
    "classes:joining": ("/teach/{course}/joining/", LOOK, FORM),
    "classes:settings": ("/teach/{course}/settings/", RUN, FORM),
    "classes:copy": ("/teach/{course}/copy/", "lfnnofffnn", FORM),  # it creates a class
    "classes:archive": ("/teach/{course}/archive/", RUN, FORM),
    "classes:history": ("/teach/{course}/history/", LOOK_AT_ALL),
    "classes:gradebook": ("/teach/{course}/gradebook/", LOOK),
    "classes:gradebook-file": ("/teach/{course}/gradebook/csv/", LOOK),
    "classes:marks": ("/teach/{course}/quizzes/{assignment}/gradebook/", LOOK),
    "classes:marks-file": ("/teach/{course}/quizzes/{assignment}/gradebook/xlsx/", LOOK),
    "classes:figures": ("/teach/{course}/quizzes/{assignment}/figures/", LOOK),
    "classes:figures-table": ("/teach/{course}/quizzes/{assignment}/figures/questions.csv", LOOK),
    # Figures of a single student are not shown.
    "classes:figures-question": (
        "/teach/{course}/quizzes/{assignment}/figures/of/{asked}/",
        LOOK_AT_MARKED,
    ),
    "classes:watch": ("/teach/{course}/quizzes/{assignment}/watch/", LOOK),
    "classes:live": ("/teach/{course}/quizzes/{assignment}/watch/live/", LOOK),
    "classes:done": ("/teach/{course}/quizzes/{assignment}/watch/done/", HELP),
    "classes:extend": ("/teach/{course}/quizzes/{assignment}/extend/?member={member}", HELP, FORM),
    "classes:reopen": ("/teach/{course}/quizzes/{assignment}/reopen/?member={member}", HELP, FORM),
    "classes:hand-in": (
        "/teach/{course}/quizzes/{assignment}/hand-in/?member={member}",
        HELP,
        FORM,
    ),
    "classes:mark-again": (
        "/teach/{course}/quizzes/{assignment}/mark-again/?member={member}",
        HELP,
        FORM,
    ),
    "classes:message": ("/teach/{course}/quizzes/{assignment}/message/", "lonnoffonn", FORM),
    "classes:attempt": ("/teach/{course}/attempts/{in_class}/", LOOK),
    "classes:enter": ("/join/", WITH_LOG_IN, FORM),
    "classes:join": ("/join/{code}/", OPEN, FORM),
    "classes:calendar": ("/calendar/", WITH_LOG_IN, FORM),
    "classes:calendar-file": ("/calendar/{calendar}.ics", OPEN),  # its token says whose
    "classes:leave": ("/classes/{course}/leave/", "lonnnoooon", FORM),
    "usersessions_list": ("/accounts/sessions/", WITH_LOG_IN, FORM),
    **{
        f"mfa_{name}": (f"/accounts/two-steps/{path}", *rule)
        for name, path, *rule in (
            ("index", "", WITH_LOG_IN),
            ("authenticate", "authenticate/", WITH_LOG_IN, FORM),
            ("reauthenticate", "reauthenticate/", WITH_LOG_IN, FORM),
            ("activate_totp", "totp/activate/", WITH_LOG_IN, FORM),
            ("deactivate_totp", "totp/deactivate/", WHERE_IT_IS, FORM),
            ("view_recovery_codes", "recovery-codes/", WHERE_IT_IS),
            ("generate_recovery_codes", "recovery-codes/generate/", WITH_LOG_IN, FORM),
            ("download_recovery_codes", "recovery-codes/download/", WHERE_IT_IS),
            ("list_webauthn", "webauthn/", WITH_LOG_IN),
            ("add_webauthn", "webauthn/add/", WITH_LOG_IN, FORM),
            ("reauthenticate_webauthn", "webauthn/reauthenticate/", WITH_LOG_IN, FORM),
            # The password is asked for first, so nobody learns whose key it is.
            ("remove_webauthn", "webauthn/keys/{passkey}/remove/", WITH_LOG_IN, FORM),
            ("edit_webauthn", "webauthn/keys/{passkey}/edit/", WITH_LOG_IN, FORM),
            ("login_webauthn", "webauthn/login/", WITH_LOG_IN, FORM),
        )
    },
    "account_login": ("/accounts/login/", OPEN, FORM),
    "account_logout": ("/accounts/logout/", OPEN, FORM),
    "account_inactive": ("/accounts/inactive/", OPEN),
    "account_signup": ("/accounts/signup/", OPEN, FORM),
    "account_reauthenticate": ("/accounts/reauthenticate/", WITH_LOG_IN, FORM),
    "account_email": ("/accounts/email/", WITH_LOG_IN, FORM),
    "account_email_verification_sent": ("/accounts/confirm-email/", OPEN),
    "account_confirm_email": ("/accounts/confirm-email/no-such-key/", OPEN, FORM),
    "account": ("/accounts/", WITH_LOG_IN, FORM),
    "account_change_password": ("/accounts/password/change/", WITH_LOG_IN, FORM),
    "account_set_password": ("/accounts/password/set/", WITH_LOG_IN, FORM),
    "account_reset_password": ("/accounts/password/reset/", OPEN, FORM),
    "account_reset_password_done": ("/accounts/password/reset/done/", OPEN),
    "account_reset_password_from_key": ("/accounts/password/reset/key/1-none/", OPEN, FORM),
    "account_reset_password_from_key_done": ("/accounts/password/reset/key/done/", OPEN),
    "account_confirm_login_code": ("/accounts/login/code/confirm/", WITH_LOG_IN, FORM),
    "account_privacy": ("/accounts/privacy/", OPEN),
    "account_time_zone": ("/accounts/time-zone/", WITH_LOG_IN, FORM),
    "account_data": ("/accounts/data/", WITH_LOG_IN),
    "account_data_file": ("/accounts/data/file/", WITH_LOG_IN),
    "account_delete": ("/accounts/delete/", WITH_LOG_IN, FORM),
    "outbox:notifications": ("/notifications/", WITH_LOG_IN),
    "outbox:letters": ("/letters/", WITH_LOG_IN, FORM),
    "outbox:off": ("{letters_off}", OPEN, FORM),  # its token says whose
    "api:tokens": ("/teach/tokens/", WITH_LOG_IN),
    "api:make-token": ("/teach/tokens/new/", WITH_LOG_IN, FORM),  # a password is asked for first
    "api:revoke-token": ("/teach/tokens/{token}/revoke/", OWN, FORM),
    "api:reference": ("/api/", OPEN),
    "api:nowhere": ("/api/none/", NOBODY),
    "api:v1:openapi-json": ("/api/v1/openapi.json", OPEN),
    "api:v1:api-root": ("/api/v1/", NOBODY),
    # Tokens let programs in, logins do not; tests/api has what each token finds.
    **{
        f"api:v1:{name}": (f"/api/v1/{path}", BY_TOKEN, takes)
        for name, path, takes in (
            ("list_classes", "classes", PAGE),
            ("get_class", "classes/{course}", PAGE),
            ("list_members", "classes/{course}/members", PAGE),
            ("list_assignments", "classes/{course}/assignments", PAGE),
            ("list_attempts", "classes/{course}/attempts", PAGE),
            ("get_attempt", "classes/{course}/attempts/{marked}", PAGE),
            ("list_exceptions", "classes/{course}/exceptions", FORM),
            ("make_exception", "classes/{course}/exceptions", FORM),
            ("replace_exception", "classes/{course}/exceptions/{exception}", CHANGES),
            ("end_exception", "classes/{course}/exceptions/{exception}", CHANGES),
            ("list_quizzes", "quizzes", PAGE),
            ("get_quiz", "quizzes/{quiz}", PAGE),
            ("list_families", "families", PAGE),
            ("get_family", "families/cosine", PAGE),
        )
    },
    "sitemap": ("/sitemap.xml", OPEN),
    "design:styleguide": ("/look/", "lffoofffff"),
}
# Addresses without a name.
NAMELESS = {
    "robots.txt": ("/robots.txt", OPEN),
    "^static/(?P<folder>[\\w/-]+)/\\*(?P<suffix>\\.css|\\.js)$": ("/static/none/*.css", NOBODY),
}
# Addresses where those who may act are not those who may look.
ACTS = {
    "account_confirm_email": NOBODY,  # no such key
    "classes:reports": HELP,
    "classes:person": HELP,
    "classes:ruling": RUN,
    "classes:joining": RUN,
}
# Data posted to an address, where a reason alone is not enough to find its object.
SENT = {
    "quizzes:new-ruling": {"sitting": "{sitting}", "of": "all"},
    "quizzes:results": {"report": "1"},
    "quizzes:reports": {"report": "{own_report}"},
    "classes:reports": {"report": "{report}"},
}
# Pages that exist only for accounts with a second factor.
WITH_FACTOR = {"mfa_deactivate_totp": WITH_LOG_IN}
# No CSRF token: posted to by mail programs, from cached pages, and with API tokens.
WITHOUT_FORM = ("outbox:off", "lessons:ask", "api:v1:")

# Where staff whose second factor is due are redirected to it before they get a 404.
SHOWS_STAFF_MORE = ("lessons:notebook", "lessons:numbers", "quizzes:review")

# Admin pages beside a model's own: the permission that each needs, "" for any staff, and its
# methods.
ADMIN = {
    "index": ("", PAGE),
    "password_change": ("", FORM),
    "password_change_done": ("", PAGE),
    "autocomplete": ("", PAGE),
    "jsi18n": ("", PAGE),
    "search": ("", PAGE),
    "view_on_site": ("", PAGE),
    "app_list": ("", PAGE),
    "auth_user_password_change": ("accounts.change_user", FORM),
    "lessons_lesson_preview": ("lessons.view_lesson", FORM),
    "lessons_lesson_version": ("lessons.view_lesson", PAGE),
    "lessons_lesson_restore": ("lessons.change_lesson", FORM),
    "lessons_lesson_import_lessons": ("lessons.add_lesson", FORM),
    "lessons_lesson_view_as_student": ("lessons.view_lesson", PAGE),
    "lessons_lesson_export": ("lessons.view_lesson", PAGE),
    "lessons_lesson_duplicate": ("lessons.add_lesson", FORM),
    "lessons_lesson_sharing": ("lessons.change_lesson", FORM),
    "quizzes_conceptquestion_sharing": ("quizzes.change_conceptquestion", FORM),
    "quizzes_quiz_sharing": ("quizzes.change_quiz", FORM),
    "quizzes_attempt_give_more_time": ("quizzes.add_extratime", PAGE),
    "quizzes_attempt_review": ("quizzes.view_attempt", PAGE),
    "quizzes_conceptquestion_preview": ("quizzes.add_conceptquestion", FORM),
    "quizzes_conceptquestion_paste": ("quizzes.add_conceptquestion", FORM),
    "quizzes_conceptquestion_version": ("quizzes.view_conceptquestion", PAGE),
    "quizzes_writtenproblem_sharing": ("quizzes.change_writtenproblem", FORM),
    "quizzes_writtenproblem_variant": ("quizzes.add_writtenproblem", ACT),
    "quizzes_writtenproblem_version": ("quizzes.view_writtenproblem", PAGE),
    "quizzes_writtenproblem_withdraw": ("quizzes.change_writtenproblem", FORM),
    "quizzes_writtenproblem_text": ("quizzes.view_writtenproblem", PAGE),
    "quizzes_writtenproblem_proof": ("quizzes.view_writtenproblem", PAGE),
    "quizzes_extratime_students": ("quizzes.view_extratime", PAGE),
    "quizzes_quiz_pools": ("quizzes.view_quiz", FORM),
    "quizzes_quiz_rehearsal": ("quizzes.view_quiz", FORM),
    "quizzes_quiz_attention": ("quizzes.change_quiz", FORM),
    "quizzes_quiz_choices": ("quizzes.view_quiz", PAGE),
    "quizzes_quiz_duplicate": ("quizzes.add_quiz", FORM),
    "quizzes_quiz_example": ("quizzes.view_quiz", PAGE),
    "quizzes_quiz_slots": ("quizzes.add_quiz", ACT),
    "quizzes_quiz_preview": ("quizzes.change_quiz", FORM),
    "quizzes_quiz_delete_preview": ("quizzes.change_quiz", FORM),
    "login": ("", FORM),
    "logout": ("", FORM),
    "quizzes_slot_variants": ("quizzes.view_quiz", PAGE),
    "quizzes_family_variants": ("quizzes.view_quiz", PAGE),
}
# Pages decided by other rules than permissions: who may look, and who may act.
ADMIN_OTHERWISE = {
    "login": ("lffoofffff", "lffoofffff"),  # staff are led on
    "logout": ("ooommooooo", OPEN),
    # An instructor cannot see another's quiz, and is redirected to the lists.
    "quizzes_attempt_change": ("xxxooxxxxx", "xxxoxxxxxx"),
    "quizzes_submission_change": ("xxxooxxxxx", "xxxoxxxxxx"),
    "quizzes_attempt_review": ("xxxnoxxxxx", "xxxnoxxxxx"),  # of another's quiz too
    "quizzes_quiz_delete_preview": ("xxxnoxxxxx", "xxxnoxxxxx"),  # it is the administrator's own
    "no/such/page": ("lxxnnxxxxx", "lxxnnxxxxx"),
}
ADMIN_QUERIES = {
    "autocomplete": "?app_label=quizzes&model_name=extratime&field_name=attempt",
    "quizzes_quiz_example": "?family=cosine",
    "quizzes_family_variants": "?family=cosine",
}
ACTIONS = {
    "changelist": ("view", FORM),
    "add": ("add", FORM),
    "history": ("view", PAGE),
    "delete": ("delete", FORM),
    "change": ("view", FORM),
}
INSTRUCTORS_MAY = (
    {
        f"{app}.{action}_{model}"
        for app, models in AUTHORED_MODELS.items()
        for model in models
        for action in ("add", "change", "delete", "view")
    }
    | {f"{app}.view_{model}" for app, models in READABLE_MODELS.items() for model in models}
    | {".".join(ANSWER_REPORTS), ".".join(MARK_AGAIN), ".".join(REGRADE), ".".join(CREATE_CLASSES)}
)
# History is read only: no role adds to it or deletes from it by a form.
NOBODYS = {
    f"{action}_{model}"
    for action in ("add", "change", "delete")
    for model in ("attempt", "event", "message", "submission")
} | {"change_struckout"}


@dataclass(frozen=True)
class Pattern:
    """One URL pattern of the resolver."""

    name: str
    route: str


def patterns(resolver: URLResolver, prefix: str = "", namespace: str = "") -> Iterator[Pattern]:
    for entry in resolver.url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLPattern):
            yield Pattern(f"{namespace}{entry.name}" if entry.name else "", route)
        else:
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from patterns(entry, route, inner)


EVERY = list(patterns(get_resolver()))


@dataclass(frozen=True)
class Address:
    """An address of the prepared world, with its row of the tables."""

    name: str
    path: str
    takes: frozenset[str]
    who: str
    acts: str
    sent: dict[str, str] = field(hash=False, repr=False)

    @property
    def is_apis(self) -> bool:
        return self.name.startswith("api:v1:")


def addresses_of(world: dict) -> list[Address]:
    """Return every address once, its arguments filled from the world."""
    found = {}
    for name, (template, who, *takes) in (ADDRESSES | NAMELESS).items():
        sent = {key: text.format(**world) for key, text in SENT.get(name, {}).items()}
        path = template.format(**world)
        found[path] = Address(
            name, path, *(takes or [PAGE]), who, ACTS.get(name, who), {"reason": "Because."} | sent
        )
    for pattern in EVERY:
        if pattern.route.startswith("admin/"):
            path = f"/{filled(pattern, world)}"
            name = pattern.name or "admin:"
            takes, who, acts = admin_rule(pattern)
            found[path] = Address(name, path, takes, who, acts, {"reason": "Because."})
    return list(found.values())


def admin_rule(pattern: Pattern) -> tuple[frozenset[str], str, str]:
    """Return an admin page's methods, and the letters for looking and for acting.

    Raise LookupError where no table has the page.
    """
    name = pattern.name.removeprefix("admin:")
    match = re.fullmatch(r"([a-z]+)_([a-z]+)_(changelist|add|history|delete|change)", name)
    if name in ADMIN:
        permission, takes = ADMIN[name]
    elif match:
        action, takes = ACTIONS[match[3]]
        permission = f"{match[1]}.{action}_{match[2]}"
    elif not name:  # a row's own address, which redirects; and any other path
        permission, takes = "", PAGE
        name = "no/such/page" if pattern.route.endswith(".*)$") else ""
    else:
        raise LookupError(f"no table has {pattern}")
    if name in ADMIN_OTHERWISE:
        return takes, *ADMIN_OTHERWISE[name]
    acts = permission.replace(".view_", ".change_") if name.endswith("_change") else permission
    return takes, admin_letters(permission), admin_letters(acts)


def admin_letters(permission: str) -> str:
    may = {"administrator", *(["instructor"] if permission in INSTRUCTORS_MAY | {""} else ())}
    if permission.partition(".")[2] in NOBODYS:
        may = set()
    return "".join("o" if role in may else "x" for role in ROLES)


def filled(pattern: Pattern, world: dict) -> str:
    """Return the address of an admin page, its arguments filled from the world."""
    name = pattern.name.removeprefix("admin:")
    match = re.match(r"admin/([a-z]+)/([a-z]+)/", pattern.route)
    path = pattern.route.replace("<path:content_type_id>/<path:object_id>", "{lesson_on_site}")
    if match:
        path = re.sub(r"<(path:object_id|id|key:pk)>", f"{{{match[1]}.{match[2]}}}", path)
    path = re.sub(r"<\w+:(stamp|slot|preview)>", r"{\1}", path)
    path = path.replace("^(?P<app_label>audit|outbox|auth|accounts|lessons|quizzes)/$", "quizzes/")
    path = path.replace("(?P<url>.*)$", "no/such/page/")
    return re.sub(r"{([^}]+)}", lambda key: str(world[key[1]]), path) + ADMIN_QUERIES.get(name, "")
