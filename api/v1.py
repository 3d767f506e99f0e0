"""The endpoints under /api/v1/. Their answers are described in `schemas.py`.

Every row is looked up through the owner's access to a class, so that ids of other classes are 404.
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

from api import errors, queries, schemas, serializers
from api.answers import Api
from api.bearer import BearerToken
from api.cursors import InvalidCursor, decode_cursor, decode_numeric_cursor, paginate
from api.errors import ApiError, Problem
from classes.access.queries import CourseAccess
from classes.assignments import queries as assignment_queries
from classes.assignments.services.exceptions import (
    FIELDS,
    OverrideValues,
    change_override,
    create_overrides,
    remove_override,
)
from classes.courses.moving import to_minute_boundary
from classes.errors import Outdated, Refused
from classes.models import DATE_FIELDS, Override
from foundation.database import DATABASE_UNAVAILABLE
from quizzes import problems
from quizzes.delivery.services.deadlines import DeadlineChanges
from quizzes.written.queries import is_written

VERSION = "1.0.0"
# Times in answers are rounded to this.
ROUNDING = timedelta(milliseconds=1)
DESCRIPTION = """Instructors' own programs can read what instructors see of their classes: people,
quizzes, attempts and marks step by step. They can write exceptions. docs/api.md has examples."""


api = Api(
    title="Softmark",
    version=VERSION,
    description=DESCRIPTION,
    auth=BearerToken(),
    docs_url=None,
    urls_namespace="api:v1",
)


def refuse_unknown_parameters(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse unknown query parameters, since a misspelt filter would return the whole list."""

    @wraps(operation)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        path = re.sub("<(.+?)>", r"{\1}", f"/{request.resolver_match.route}")
        unknown = sorted(set(request.GET) - api.parameters[request.method, path])
        if unknown:
            words = _("Unknown parameter.")
            raise ApiError(422, words, **{name[:60]: words for name in unknown[:20]})
        return operation(request, *args, **kwargs)

    return answer


api.add_decorator(refuse_unknown_parameters, mode="operation")

for kind, handler in {
    ApiError: errors.handle_api_error,
    ValidationError: errors.handle_validation_error,
    HttpError: errors.handle_malformed_body,
    Http404: errors.handle_not_found,
    **dict.fromkeys(DATABASE_UNAVAILABLE, errors.handle_database_unavailable),
}.items():
    api.add_exception_handler(kind, handler)

READ_RESPONSES = {401: Problem, 404: Problem, 422: Problem, 429: Problem, 503: Problem}
WRITE_RESPONSES = READ_RESPONSES | {400: Problem, 403: Problem, 409: Problem}
ClassId = Annotated[schemas.Key, Path(description="The id of a class of the token's owner.")]
ExceptionId = Annotated[schemas.Key, Path(description="The id of an exception in this class.")]
AttemptId = Annotated[schemas.Key, Path(description="The id of an attempt in this class.")]
QuizId = Annotated[schemas.Key, Path(description="The id of a quiz that the token can see.")]
First = Annotated[schemas.First, Query()]


def _read(path: str, answer: Any, tag: str) -> Callable[..., Any]:
    """Return a decorator for an endpoint that only reads."""
    return api.get(path, response={200: answer, **READ_RESPONSES}, tags=[tag])


def _write(method: Callable[..., Any], path: str) -> Callable[..., Any]:
    """Return a decorator for an endpoint that changes exceptions."""
    response = {200: schemas.Changed, **WRITE_RESPONSES}
    return method(path, response=response, tags=["Exceptions"])


def _access(request: HttpRequest, class_id: int) -> CourseAccess:
    access = queries.access_of(request.auth, class_id)
    if access is None:
        raise Http404
    return access


def _access_for_writing(request: HttpRequest, class_id: int) -> CourseAccess:
    access = _access(request, class_id)
    if not request.auth.may_write:
        raise ApiError(403, _("This token can only read. Create one that can make exceptions."))
    if not access.helps:
        raise ApiError(403, _("Observers of a class can’t change anything in it."))
    return access


def _rows(of: str, first: schemas.First, rows: QuerySet[Any], key: str = "pk") -> Any:
    """Return a page's rows and the next cursor. `key` is a field that only grows."""
    after = rows.filter(**{f"{key}__gt": _after(of, first.cursor)}).order_by(key)
    return paginate(of, list(after[: first.limit + 1]), first.limit, attrgetter(key))


def _page(
    of: str, first: schemas.First, rows: QuerySet[Any], tell: Callable[[Any], Any], key: str = "pk"
) -> dict[str, Any]:
    """Return a page of serialized rows."""
    listed, onwards = _rows(of, first, rows, key)
    return {"items": [tell(row) for row in listed], "next": onwards}


def _after(of: str, cursor: str, key: Callable[[str, str], Any] = decode_numeric_cursor) -> Any:
    try:
        return key(of, cursor)
    except InvalidCursor:
        words = _("This cursor doesn’t belong to this list. Start from the first page.")
        raise ApiError(422, words, cursor=words) from None


@_read("/classes", schemas.Page[schemas.Class], "Classes")
def list_classes(request: HttpRequest, first: First) -> Any:
    """List the classes that the token can see."""
    found = queries.memberships_of(request.auth)
    return _page("classes", first, found, serializers.serialize_class, "course_id")


@_read("/classes/{class_id}", schemas.Class, "Classes")
def get_class(request: HttpRequest, class_id: ClassId) -> Any:
    """Return one class."""
    return serializers.serialize_class(
        get_object_or_404(queries.memberships_of(request.auth), course=class_id)
    )


@_read("/classes/{class_id}/members", schemas.Page[schemas.Member], "Classes")
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
    members = queries.visible_members(_access(request, class_id), role=role, state=state)
    return _page(f"members-{class_id}", first, members, serializers.serialize_member)


@_read("/classes/{class_id}/assignments", schemas.Page[schemas.Given], "Classes")
def list_assignments(request: HttpRequest, class_id: ClassId, first: First) -> Any:
    """List the quizzes assigned to the class."""
    assignments = queries.visible_assignments(_access(request, class_id))
    return _page(f"assignments-{class_id}", first, assignments, serializers.serialize_assignment)


@_read("/classes/{class_id}/attempts", schemas.Page[schemas.Attempt], "Marks")
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
    access = _access(request, class_id)
    found = queries.visible_attempts(access, assignment=assignment_id, member=member_id)
    listed, onwards = _rows(f"attempts-{class_id}", first, found)
    marks = queries.marks_of_attempts(access, listed, grades=grades)
    items = [serializers.serialize_attempt(attempt, marks, grades=grades) for attempt in listed]
    return {"items": items, "next": onwards}


@_read("/classes/{class_id}/attempts/{attempt_id}", schemas.Attempt, "Marks")
def get_attempt(request: HttpRequest, class_id: ClassId, attempt_id: AttemptId) -> Any:
    """Return one attempt with the grade of each answer."""
    access = _access(request, class_id)
    attempt = get_object_or_404(queries.visible_attempts(access), pk=attempt_id)
    marks = queries.marks_of_attempts(access, [attempt], grades=True)
    return serializers.serialize_attempt(attempt, marks, grades=True)


@_read("/quizzes", schemas.Page[schemas.Quiz], "Questions")
def list_quizzes(request: HttpRequest, first: First) -> Any:
    """List the quizzes assigned in these classes. Instructors also see those they could assign."""
    return _page(
        "quizzes", first, queries.visible_quizzes(request.auth), serializers.serialize_quiz
    )


@_read("/quizzes/{quiz_id}", schemas.Quiz, "Questions")
def get_quiz(request: HttpRequest, quiz_id: QuizId) -> Any:
    """Return one quiz with its slots."""
    return serializers.serialize_quiz(
        get_object_or_404(queries.visible_quizzes(request.auth), pk=quiz_id)
    )


@_read("/families", schemas.Page[schemas.Family], "Questions")
def list_families(request: HttpRequest, first: First) -> Any:
    """List the families of numeric problems, with the mistakes that marking recognises.

    Besides those that ship, these are the problems that instructors wrote and you may read.
    """
    after = _after("families", first.cursor, decode_cursor)
    known = (*problems.family_keys(), *queries.visible_problems(request.auth))
    keys = sorted(key for key in known if key > after)
    listed, onwards = paginate("families", keys, first.limit, str)
    cards = [problems.family_card(key) for key in listed]
    return {"items": cards, "next": onwards}


@_read("/families/{key}", schemas.Family, "Questions")
def get_family(
    request: HttpRequest,
    key: Annotated[
        str, Path(max_length=60, pattern="^[a-z0-9_]+$", description="For example softmax_row.")
    ],
) -> Any:
    """Return one family."""
    may_read = not is_written(key) or key in queries.visible_problems(request.auth, [key])
    card = problems.family_card(key) if may_read else None
    if card is None:
        raise Http404
    return card


@_read("/classes/{class_id}/exceptions", schemas.Page[schemas.ExceptionHere], "Exceptions")
def list_exceptions(request: HttpRequest, class_id: ClassId, first: First) -> Any:
    """List the exceptions of the class."""
    exceptions = queries.visible_exceptions(_access(request, class_id))
    return _page(f"exceptions-{class_id}", first, exceptions, serializers.serialize_exception)


@_write(api.post, "/classes/{class_id}/exceptions")
def make_exception(request: HttpRequest, class_id: ClassId, wanted: schemas.ExceptionWanted) -> Any:
    """Make an exception for these students, or for everybody with a label.

    A student who already has an exception there keeps the settings that this one leaves out. The
    request is idempotent: it can be repeated if no answer arrived.
    """
    access = _access_for_writing(request, class_id)
    whom = _recipients(access, wanted)
    try:
        made, changed = create_overrides(
            access=access, difference=_difference(wanted), reason=wanted.reason, **whom
        )
    except Refused as refusal:
        raise _refusal_error(refusal) from None
    return _serialize_change(made, changed)


@_write(api.put, "/classes/{class_id}/exceptions/{exception_id}")
def replace_exception(
    request: HttpRequest,
    class_id: ClassId,
    exception_id: ExceptionId,
    wanted: schemas.ExceptionChanged,
) -> Any:
    """Replace all settings of an exception."""
    access = _access_for_writing(request, class_id)
    found = _exception(access, exception_id)
    try:
        changed = change_override(
            access=access,
            override=found,
            difference=_difference(wanted, found),
            version=wanted.version,
            reason=wanted.reason,
            may_shorten=wanted.may_shorten,
        )
    except Outdated as refusal:
        raise ApiError(409, str(refusal)) from None
    except Refused as refusal:
        raise _refusal_error(refusal) from None
    return _serialize_change([_exception(access, exception_id)], changed)


@_write(api.delete, "/classes/{class_id}/exceptions/{exception_id}")
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
    access = _access_for_writing(request, class_id)
    found = _exception(access, exception_id)
    try:
        changed = remove_override(
            access=access, override=found, version=version, reason=reason, may_shorten=may_shorten
        )
    except Outdated as refusal:
        raise ApiError(409, str(refusal)) from None
    return _serialize_change([], changed)


def _exception(access: CourseAccess, pk: int) -> Override:
    found = queries.visible_exceptions(access).filter(pk=pk).first()
    if found is None or not assignment_queries.can_change_override(access, found):
        raise Http404
    return found


def _recipients(access: CourseAccess, wanted: schemas.ExceptionWanted) -> dict[str, Any]:
    """Return the assignment, label and members that an exception is for.

    Raises:
        ApiError: a field names nothing in this class.
    """
    assignment = label = None
    if wanted.assignment_id is not None:
        assignment = assignment_queries.assignment_of(access, wanted.assignment_id)
        if assignment is None:
            raise _field_error(assignment_id=_("This class doesn’t have this quiz."))
    if bool(wanted.member_ids) == bool(wanted.label):
        raise _field_error(member_ids=_("Enter students or choose a label, not both."))
    if wanted.label:
        label = assignment_queries.visible_labels(access).filter(text__iexact=wanted.label).first()
        if label is None:
            raise _field_error(label=_("Label not found, or you can’t make exceptions for it."))
    return {"assignment": assignment, "label": label, "members": wanted.member_ids}


def _difference(wanted: schemas.Difference, kept: Override | None = None) -> OverrideValues:
    """Return what a request changes. A date that is sent back as it was read stays as it is."""
    if wanted.untimed and (wanted.factor or wanted.more_minutes):
        raise _field_error(untimed=_("Choose either no time limit or extra time, not both."))
    values = {name: getattr(wanted, name) for name in FIELDS}
    for name in DATE_FIELDS:
        was = kept and getattr(kept, name)
        is_as_read = bool(was and values[name]) and abs(was - values[name]) < ROUNDING
        values[name] = was if is_as_read else to_minute_boundary(name, values[name])
    return OverrideValues(**values)


def _serialize_change(made: list[Override], changed: DeadlineChanges) -> dict[str, Any]:
    return {
        "exceptions": [serializers.serialize_exception(each) for each in made],
        "attempts_changed": changed.changed,
        "attempts_kept": changed.kept,
    }


def _refusal_error(refusal: Refused) -> ApiError:
    """Return a refusal of the services as a problem, under the API's names of the fields."""
    field = {"assignment": "assignment_id", "members": "member_ids"}.get(
        refusal.field, refusal.field
    )
    return _field_error(**{field: str(refusal)}) if field else ApiError(422, str(refusal))


def _field_error(**fields: str) -> ApiError:
    return ApiError(422, " ".join(fields.values()), **fields)
