"""The endpoints under /api/v1/. Their answers are described in `schemas.py`.

Every row is looked up through the seat of the token's owner, so that ids of other classes are 404.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from operator import attrgetter
from typing import Annotated, Any, Literal

from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from ninja import Path, Query
from ninja.errors import HttpError, ValidationError
from pydantic import Field

from api import errors, queries, schemas, told
from api.answers import Api
from api.bearer import Bearer
from api.cursors import NoCursor, key_in, number_in, page
from api.errors import Problem, Trouble
from classes.access.queries import Seat
from classes.assignments import queries as assignment_queries
from classes.assignments.services.exceptions import (
    FIELDS,
    Difference,
    change_exception,
    make_exceptions,
    remove_exception,
)
from classes.courses.moving import as_limit
from classes.errors import Outdated, Refused
from classes.models import DATES, Override
from foundation.database import AWAY
from quizzes import problems
from quizzes.delivery.services.deadlines import Changed

VERSION = "1.0.0"
# Times in answers are rounded to this.
AS_READ = timedelta(milliseconds=1)
ABOUT = """Instructors' own programs can read what instructors see of their classes: people,
quizzes, attempts and marks step by step. They can write exceptions. docs/api.md has examples."""


api = Api(
    title="Softmark",
    version=VERSION,
    description=ABOUT,
    auth=Bearer(),
    docs_url=None,
    urls_namespace="api:v1",
)


def only_what_is_known(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse unknown query parameters, since a misspelt filter would return the whole list."""

    @wraps(operation)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        path = re.sub("<(.+?)>", r"{\1}", f"/{request.resolver_match.route}")
        unknown = sorted(set(request.GET) - api.parameters[request.method, path])
        if unknown:
            words = _("Unknown parameter.")
            raise Trouble(422, words, **{name[:60]: words for name in unknown[:20]})
        return operation(request, *args, **kwargs)

    return answer


api.add_decorator(only_what_is_known, mode="operation")

for kind, handler in {
    Trouble: errors.of_trouble,
    ValidationError: errors.of_fields,
    HttpError: errors.cannot_be_read,
    Http404: errors.nowhere,
    **dict.fromkeys(AWAY, errors.away),
}.items():
    api.add_exception_handler(kind, handler)

READS = {401: Problem, 404: Problem, 422: Problem, 429: Problem, 503: Problem}
WRITES = READS | {400: Problem, 403: Problem, 409: Problem}
ClassId = Annotated[schemas.Key, Path(description="The id of a class of the token's owner.")]
ExceptionId = Annotated[schemas.Key, Path(description="The id of an exception in this class.")]
AttemptId = Annotated[schemas.Key, Path(description="The id of an attempt in this class.")]
QuizId = Annotated[schemas.Key, Path(description="The id of a quiz that the token can see.")]
First = Annotated[schemas.First, Query()]


def _seat(request: HttpRequest, class_id: int) -> Seat:
    seat = queries.seat_of(request.auth, class_id)
    if seat is None:
        raise Http404
    return seat


def _to_write(request: HttpRequest, class_id: int) -> Seat:
    seat = _seat(request, class_id)
    if not request.auth.may_write:
        raise Trouble(403, _("This token can only read. Create one that can make exceptions."))
    if not seat.helps:
        raise Trouble(403, _("Observers of a class cannot change anything in it."))
    return seat


def _rows(of: str, first: schemas.First, rows: QuerySet[Any], key: str = "pk") -> Any:
    """Return a page's rows and the next cursor. `key` is a field that only grows."""
    after = rows.filter(**{f"{key}__gt": _after(of, first.cursor)}).order_by(key)
    return page(of, list(after[: first.limit + 1]), first.limit, attrgetter(key))


def _page(
    of: str,
    first: schemas.First,
    rows: QuerySet[Any],
    tell: Callable[[Any], Any],
    key: str = "pk",
) -> dict[str, Any]:
    """Return a page of serialized rows."""
    listed, onwards = _rows(of, first, rows, key)
    return {"items": [tell(row) for row in listed], "next": onwards}


def _after(of: str, cursor: str, key: Callable[[str, str], Any] = number_in) -> Any:
    try:
        return key(of, cursor)
    except NoCursor:
        words = _("This cursor does not belong to this list. Start from the first page.")
        raise Trouble(422, words, cursor=words) from None


@api.get("/classes", response={200: schemas.Page[schemas.Class], **READS}, tags=["Classes"])
def list_classes(request: HttpRequest, first: First) -> Any:
    """List the classes that the token can see."""
    return _page("classes", first, queries.seats_of(request.auth), told.class_told, "course_id")


@api.get("/classes/{class_id}", response={200: schemas.Class, **READS}, tags=["Classes"])
def get_class(request: HttpRequest, class_id: ClassId) -> Any:
    """Return one class."""
    return told.class_told(get_object_or_404(queries.seats_of(request.auth), course=class_id))


@api.get(
    "/classes/{class_id}/members",
    response={200: schemas.Page[schemas.Member], **READS},
    tags=["Classes"],
)
def list_members(
    request: HttpRequest,
    class_id: ClassId,
    first: First,
    role: Annotated[
        Literal["", "instructor", "assistant", "observer", "student"],
        Field(description="Only members with this role. Empty: all."),
    ] = "",
    state: Annotated[
        Literal["", "active", "invited", "left", "removed"],
        Field(description="Only members in this state. Empty: all."),
    ] = "",
) -> Any:
    """List present and former members of the class."""
    members = queries.members_seen(_seat(request, class_id), role=role, state=state)
    return _page(f"members-{class_id}", first, members, told.member_told)


@api.get(
    "/classes/{class_id}/assignments",
    response={200: schemas.Page[schemas.Given], **READS},
    tags=["Classes"],
)
def list_assignments(request: HttpRequest, class_id: ClassId, first: First) -> Any:
    """List the quizzes assigned to the class."""
    given = queries.assignments_seen(_seat(request, class_id))
    return _page(f"assignments-{class_id}", first, given, told.assignment_told)


@api.get(
    "/classes/{class_id}/attempts",
    response={200: schemas.Page[schemas.Attempt], **READS},
    tags=["Marks"],
)
def list_attempts(
    request: HttpRequest,
    class_id: ClassId,
    first: First,
    assignment_id: Annotated[
        schemas.Key | None, Field(description="Only attempts at this assignment.")
    ] = None,
    member_id: Annotated[
        schemas.Key | None, Field(description="Only attempts of this student.")
    ] = None,
    grades: Annotated[bool, Field(description="Include the grade of each answer.")] = False,
) -> Any:
    """List graded attempts, of one assignment or one student if requested."""
    seat = _seat(request, class_id)
    found = queries.attempts_seen(seat, assignment=assignment_id, member=member_id)
    listed, onwards = _rows(f"attempts-{class_id}", first, found)
    marks = queries.marks_of(seat, listed, grades=grades)
    items = [told.attempt_told(attempt, marks, grades=grades) for attempt in listed]
    return {"items": items, "next": onwards}


@api.get(
    "/classes/{class_id}/attempts/{attempt_id}",
    response={200: schemas.Attempt, **READS},
    tags=["Marks"],
)
def get_attempt(
    request: HttpRequest,
    class_id: ClassId,
    attempt_id: AttemptId,
) -> Any:
    """Return one attempt with the grade of each answer."""
    seat = _seat(request, class_id)
    attempt = get_object_or_404(queries.attempts_seen(seat), pk=attempt_id)
    marks = queries.marks_of(seat, [attempt], grades=True)
    return told.attempt_told(attempt, marks, grades=True)


@api.get("/quizzes", response={200: schemas.Page[schemas.Quiz], **READS}, tags=["Questions"])
def list_quizzes(request: HttpRequest, first: First) -> Any:
    """List the quizzes assigned in these classes. Instructors also see those they could assign."""
    return _page("quizzes", first, queries.quizzes_seen(request.auth), told.quiz_told)


@api.get("/quizzes/{quiz_id}", response={200: schemas.Quiz, **READS}, tags=["Questions"])
def get_quiz(
    request: HttpRequest,
    quiz_id: QuizId,
) -> Any:
    """Return one quiz with its slots."""
    return told.quiz_told(get_object_or_404(queries.quizzes_seen(request.auth), pk=quiz_id))


@api.get("/families", response={200: schemas.Page[schemas.Family], **READS}, tags=["Questions"])
def list_families(request: HttpRequest, first: First) -> Any:
    """List all families of numeric problems, with the mistakes that marking recognises."""
    after = _after("families", first.cursor, key_in)
    keys = sorted(key for key in problems.family_keys() if key > after)
    listed, onwards = page("families", keys, first.limit, str)
    cards = [problems.family_card(key) for key in listed]
    return {"items": cards, "next": onwards}


@api.get("/families/{key}", response={200: schemas.Family, **READS}, tags=["Questions"])
def get_family(
    request: HttpRequest,
    key: Annotated[
        str, Path(max_length=60, pattern="^[a-z0-9_]+$", description="For example softmax_row.")
    ],
) -> Any:
    """Return one family."""
    card = problems.family_card(key)
    if card is None:
        raise Http404
    return card


@api.get(
    "/classes/{class_id}/exceptions",
    response={200: schemas.Page[schemas.ExceptionHere], **READS},
    tags=["Exceptions"],
)
def list_exceptions(request: HttpRequest, class_id: ClassId, first: First) -> Any:
    """List the exceptions of the class."""
    exceptions = queries.exceptions_seen(_seat(request, class_id))
    return _page(f"exceptions-{class_id}", first, exceptions, told.exception_told)


@api.post(
    "/classes/{class_id}/exceptions",
    response={200: schemas.Changed, **WRITES},
    tags=["Exceptions"],
)
def make_exception(request: HttpRequest, class_id: ClassId, wanted: schemas.ExceptionWanted) -> Any:
    """Make an exception for these students, or for everybody with a label.

    A student who already has an exception there keeps the settings that this one leaves out. The
    request is idempotent: it can be repeated if no answer arrived.
    """
    seat = _to_write(request, class_id)
    whom = _whom(seat, wanted)
    try:
        made, changed = make_exceptions(
            seat=seat, difference=_difference(wanted), reason=wanted.reason, **whom
        )
    except Refused as refusal:
        raise _refused(refusal) from None
    return _changed(made, changed)


@api.put(
    "/classes/{class_id}/exceptions/{exception_id}",
    response={200: schemas.Changed, **WRITES},
    tags=["Exceptions"],
)
def replace_exception(
    request: HttpRequest,
    class_id: ClassId,
    exception_id: ExceptionId,
    wanted: schemas.ExceptionChanged,
) -> Any:
    """Replace all settings of an exception."""
    seat = _to_write(request, class_id)
    found = _exception(seat, exception_id)
    try:
        changed = change_exception(
            seat=seat,
            override=found,
            difference=_difference(wanted, found),
            version=wanted.version,
            reason=wanted.reason,
            may_shorten=wanted.may_shorten,
        )
    except Outdated as refusal:
        raise Trouble(409, str(refusal)) from None
    except Refused as refusal:
        raise _refused(refusal) from None
    return _changed([_exception(seat, exception_id)], changed)


@api.delete(
    "/classes/{class_id}/exceptions/{exception_id}",
    response={200: schemas.Changed, **WRITES},
    tags=["Exceptions"],
)
def end_exception(
    request: HttpRequest,
    class_id: ClassId,
    exception_id: ExceptionId,
    version: Annotated[
        schemas.Key, Field(description="The version of the exception when it was read.")
    ],
    reason: schemas.Reason = "",
    may_shorten: Annotated[
        bool, Field(description="Whether running attempts may end earlier.")
    ] = False,
) -> Any:
    """Delete an exception, so that the settings for everybody apply again."""
    seat = _to_write(request, class_id)
    found = _exception(seat, exception_id)
    try:
        changed = remove_exception(
            seat=seat, override=found, version=version, reason=reason, may_shorten=may_shorten
        )
    except Outdated as refusal:
        raise Trouble(409, str(refusal)) from None
    return _changed([], changed)


def _exception(seat: Seat, pk: int) -> Override:
    found = queries.exceptions_seen(seat).filter(pk=pk).first()
    if found is None or not assignment_queries.may_change(seat, found):
        raise Http404
    return found


def _whom(seat: Seat, wanted: schemas.ExceptionWanted) -> dict[str, Any]:
    """Return the assignment, label and members that an exception is for.

    Raises:
        Trouble: a field names nothing in this class.
    """
    assignment = label = None
    if wanted.assignment_id is not None:
        assignment = assignment_queries.assignment_of(seat, wanted.assignment_id)
        if assignment is None:
            raise _wrong(assignment_id=_("This class does not have this quiz."))
    if bool(wanted.member_ids) == bool(wanted.label):
        raise _wrong(member_ids=_("Enter students or choose a label, not both."))
    if wanted.label:
        label = assignment_queries.labels_seen(seat).filter(text__iexact=wanted.label).first()
        if label is None:
            raise _wrong(label=_("Label not found, or you cannot make exceptions for it."))
    return {"assignment": assignment, "label": label, "members": wanted.member_ids}


def _difference(wanted: schemas.Difference, kept: Override | None = None) -> Difference:
    """Return what a request changes. A date that is sent back as it was read stays as it is."""
    if wanted.untimed and (wanted.factor or wanted.more_minutes):
        raise _wrong(untimed=_("Choose either no time limit or extra time, not both."))
    values = {name: getattr(wanted, name) for name in FIELDS}
    for name in DATES:
        was = kept and getattr(kept, name)
        is_as_read = bool(was and values[name]) and abs(was - values[name]) < AS_READ
        values[name] = was if is_as_read else as_limit(name, values[name])
    return Difference(**values)


def _changed(made: list[Override], changed: Changed) -> dict[str, Any]:
    return {
        "exceptions": [told.exception_told(each) for each in made],
        "attempts_changed": changed.changed,
        "attempts_kept": changed.kept,
    }


def _refused(refusal: Refused) -> Trouble:
    """Return a refusal of the services as a problem, under the API's names of the fields."""
    field = {"assignment": "assignment_id", "members": "member_ids"}.get(
        refusal.field, refusal.field
    )
    return _wrong(**{field: str(refusal)}) if field else Trouble(422, str(refusal))


def _wrong(**fields: str) -> Trouble:
    return Trouble(422, " ".join(fields.values()), **fields)
