"""Strict parsing of the data that an attempt's pages and scripts send."""

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any, NoReturn

from django import forms
from django.http import HttpRequest, QueryDict
from django.http.request import RawPostDataException
from django.utils.translation import gettext_lazy as _

from foundation.filters import FilterForm
from foundation.keys import MAX_REVISION
from quizzes.delivery.queries.attempts import BEST, OLDEST
from quizzes.delivery.services.taking import Save, has_changes
from quizzes.models import Attempt, Item, Submission
from quizzes.problems import clean_draft
from quizzes.problems.answers import fields_of, input_name

MAX_BODY_SIZE = 64 * 1024
MAX_FIELDS = 200

_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FLAG = re.compile(r"(?P<position>[0-9]{1,3}) (?P<to>on|off)")


class InvalidSave(ValueError):
    """The data is not a save; the message says what is wrong with it."""


def parse_save(request: HttpRequest) -> Save:
    """Parse a save from the page's script: {"revision": 2, "token": "…", "fields": {…}}.

    Raises:
        InvalidSave: it is too large, is not JSON, or has other members or types.
    """
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_BODY_SIZE:
        raise InvalidSave(_("A save can be at most %(most)s bytes.") % {"most": MAX_BODY_SIZE})
    try:
        body = json.loads(
            request.body, object_pairs_hook=_reject_duplicates, parse_constant=_reject_constant
        )
    except InvalidSave:
        raise
    # A multipart form has been read already, for its CSRF token.
    except (ValueError, RecursionError, RawPostDataException):
        raise InvalidSave(_("This isn’t JSON.")) from None
    if not isinstance(body, dict) or set(body) != {"revision", "token", "fields"}:
        raise InvalidSave(_("A save needs a revision, a token and fields."))
    revision, token, fields = body["revision"], body["token"], body["fields"]
    if type(revision) is not int or not 0 <= revision <= MAX_REVISION:
        raise InvalidSave(_("The revision must be a whole number, 0 or more."))
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise InvalidSave(_("The token must be 1 to 64 letters, digits, - and _."))
    if not isinstance(fields, dict) or len(fields) > MAX_FIELDS:
        raise InvalidSave(_("The fields must be an object of strings."))
    if not all(isinstance(text, str) for text in fields.values()):
        raise InvalidSave(_("Every field must be a string."))
    return Save(fields, revision, token)


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidSave(_("A member appears twice."))
    return found


def _reject_constant(name: str) -> NoReturn:
    raise InvalidSave(_("%(name)s isn’t JSON.") % {"name": name})


def parse_flag(posted: QueryDict) -> tuple[int, bool] | None:
    """Return the position whose flag button was pressed, and whether it is to be flagged."""
    pressed = _FLAG.fullmatch(posted.get("flag", ""))
    return (int(pressed["position"]), pressed["to"] == "on") if pressed else None


def parse_saves(posted: QueryDict, items: Iterable[Item]) -> dict[int, Save]:
    """Return the saves in the page's form by position, with their base revisions and tokens."""
    saves = {}
    for item in items:
        # A save without a revision is based on the draft as it is stored.
        revision = posted.get(input_name(item.position, "revision"), str(item.revision))
        if not (revision.isascii() and revision.isdecimal() and len(revision) < 10):
            continue
        token = posted.get(input_name(item.position, "token"), "")
        saves[item.position] = Save(
            fields=_posted_fields(posted, item),
            revision=int(revision),
            token=token if _TOKEN.fullmatch(token) else "",
        )
    return saves


def parse_changes(posted: QueryDict, items: Iterable[Item]) -> dict[int, Save]:
    """Return the saves in the page's form that change a draft.

    Their tokens are made of what is saved: the same form sent twice is one save, and a page that
    was gone back to and typed on is another.
    """
    items = list(items)
    saves = parse_saves(posted, items)
    return {
        item.position: _with_own_token(saves[item.position])
        for item in items
        if item.position in saves and has_changes(item, saves[item.position].fields)
    }


def parse_draft(posted: QueryDict, item: Item) -> dict[str, str]:
    """Return the fields in the form of an item whose draft is not stored."""
    return clean_draft(item.asked, _posted_fields(posted, item))


def _posted_fields(posted: QueryDict, item: Item) -> dict[str, str]:
    names = {field: input_name(item.position, field) for field in fields_of(item.asked)}
    return {field: posted[name] for field, name in names.items() if name in posted}


def _with_own_token(save: Save) -> Save:
    made_of = json.dumps([save.token, save.revision, dict(save.fields)], sort_keys=True)
    return Save(save.fields, save.revision, hashlib.sha256(made_of.encode()).hexdigest()[:16])


class AttemptFilter(FilterForm):
    """Filters and order of a student's list of attempts."""

    quiz = forms.ChoiceField(label=_("Quiz"), required=False)
    state = forms.ChoiceField(
        label=_("State"),
        required=False,
        choices=[
            ("", _("all")),
            (Attempt.State.OPEN, _("open")),
            (Submission.State.WAITING, _("waiting to be marked")),
            ("received", _("received, not yet released")),
            (Submission.State.GRADED, _("marked")),
        ],
    )
    order = forms.ChoiceField(
        label=_("Order"),
        required=False,
        choices=[("", _("latest first")), (OLDEST, _("oldest first")), (BEST, _("best first"))],
    )
