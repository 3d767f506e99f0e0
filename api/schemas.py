"""Schemas of the API's requests and answers; the published OpenAPI schema is built from them.

Plain pydantic models, because ninja's own look up every field of every row.
"""

import re
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.utils.translation import gettext as _
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from api.cursors import MAX_LENGTH, MAX_PAGE_SIZE, PAGE_SIZE
from classes.limits import MAX_EXTRA_MINUTES, MAX_LABEL_LENGTH, MAX_REASON_LENGTH

MOST_MEMBERS = 500
MOST_ATTEMPTS = 100
# Many programs that read JSON keep integers exact only up to here.
LARGEST_KEY = 2**53 - 1
FIRST_YEAR, LAST_YEAR = 2000, 2100
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d.*")


def _validate_storable(text: Any) -> Any:
    """Refuse text that no database can store, before pydantic validates it."""
    if isinstance(text, str) and re.search("[\0\ud800-\udfff]", text):
        words = _("Text can’t contain a NUL character or half a surrogate pair.")
        raise PydanticCustomError("text", words)
    return text


def _validate_format(moment: Any) -> Any:
    if moment is not None and not (isinstance(moment, str) and _MOMENT.fullmatch(moment)):
        raise PydanticCustomError("moment", _("Times must look like 2026-11-22T18:00:00+01:00."))
    return moment


def _validate_year(moment: datetime) -> datetime:
    if not FIRST_YEAR < moment.year < LAST_YEAR:
        words = _("Check the year: it must be between 2000 and 2100.")
        raise PydanticCustomError("moment", words)
    return moment


Key = Annotated[int, Field(ge=1, le=LARGEST_KEY)]
Moment = Annotated[AwareDatetime, BeforeValidator(_validate_format), AfterValidator(_validate_year)]
Text = Annotated[str, BeforeValidator(_validate_storable)]
Reason = Annotated[
    Text, Field(max_length=MAX_REASON_LENGTH, description="Kept in the history of the class.")
]
Limit = Annotated[
    int, Field(ge=1, le=MAX_PAGE_SIZE, description="The largest number of items on a page.")
]
Cursor = Annotated[
    str,
    Field(max_length=MAX_LENGTH, description="“next” of the previous page. Empty: the first page."),
]


class Page[T](BaseModel):
    """One page of a list, oldest first. New items appear at the end of the list."""

    items: list[T]
    next: str | None = Field(description="The cursor of the next page; null: this is the last one.")


class Class(BaseModel):
    """A class that the token's owner teaches, helps in or watches."""

    id: int
    title: str
    time_zone: str
    first_day: date | None
    archived: bool
    role: Literal["instructor", "assistant", "observer"] = Field(description="The owner's role.")
    section: str = Field(
        description="The only section whose people the owner sees; empty: they see all."
    )


class Member(BaseModel):
    """A person's membership of the class. Former members stay, because their marks do."""

    id: int
    name: str = Field(description="Empty: not known.")
    email: str | None = Field(description="Null: the account was deleted.")
    role: Literal["instructor", "assistant", "observer", "student"]
    section: str
    labels: list[str]
    state: Literal["active", "invited", "left", "removed"]
    joined_at: datetime


class Given(BaseModel):
    """A quiz assigned to the class, with the settings for everybody."""

    id: int
    quiz_id: int
    title: str
    opens_at: datetime | None = Field(description="Null: open from the start.")
    due_at: datetime | None = Field(description="Null: never late.")
    closes_at: datetime | None = Field(description="Null: never.")
    minutes: int
    attempts_allowed: int | None = Field(description="Null: any number.")
    counts: Literal["best", "last"] = Field(description="Which of several attempts counts.")
    release: Literal["at_once", "after_close", "by_hand"] = Field(
        description="When students are shown marks and solutions."
    )
    practice: bool


class Step(BaseModel):
    """The marks of one step of an answer."""

    key: str
    verdict: str = Field(
        description="right, mistake, near, partial, wrong, blank, unreadable or fixed."
    )
    mistake: str = Field(description="The key of a known mistake; empty: none was recognised.")
    points: float
    out_of: float
    cells: Any = Field(description="A verdict for each cell, nested like the step; null: no cells.")


class Grade(BaseModel):
    """The current grade of one answer."""

    position: int = Field(description="The question's number in the attempt.")
    family: str | None = Field(description="The family of a numeric problem.")
    question: str | None = Field(description="The key of a concept question.")
    version: int = Field(description="The version of the family or the question when it was asked.")
    points: float
    out_of: float
    verdict: str
    mistake: str = Field(description="For a concept question the key of the choice.")
    revision: int = Field(description="1 when first marked; each regrade adds one.")
    core_version: str
    graded_at: datetime
    steps: list[Step]


class Attempt(BaseModel):
    """A student's graded attempt at an assignment. Practice and previews are not listed."""

    id: int
    member_id: int
    assignment_id: int
    number: int = Field(description="The attempt's number for this student.")
    state: Literal["open", "submitted"]
    marking: Literal["waiting", "graded", "attention"] | None = Field(
        description="The state of marking; null: not submitted, or reopened."
    )
    started_at: datetime
    deadline: datetime | None = Field(description="Including all exceptions. Null: no time limit.")
    submitted_at: datetime | None
    closed_by_clock: bool
    late: bool = Field(description="Submitted after the student's due time.")
    counts: bool = Field(
        description="Whether it is the student's attempt that counts at this assignment. Statistics"
        " and the gradebook are of these attempts. False until it is marked."
    )
    reopened: int = Field(description="How often it was reopened.")
    score: float | None = Field(description="Null until it is marked.")
    out_of: float
    grades: list[Grade] | None = Field(
        description="In order; empty until it is marked. Null: not requested."
    )


class Slot(BaseModel):
    """A place in a quiz: a family with its sizes, or a topic."""

    position: int
    points: int
    family: str | None
    family_version: int | None = Field(
        description="The version it asks of a problem that instructors wrote; null otherwise."
    )
    options: dict[str, Any]
    topic: str | None


class Quiz(BaseModel):
    """A quiz with its slots."""

    id: int
    slug: str
    title: str
    pass_mark: int = Field(description="Percentage of the points.")
    published: bool
    slots: list[Slot]


class KnownMistake(BaseModel):
    """A mistake that marking recognises."""

    step: str
    key: str
    feedback: str = Field(description="Markdown with $maths$, shown to students who make it.")


class Family(BaseModel):
    """A family of numeric problems."""

    key: str
    version: int
    title: str
    summary: str
    options: dict[str, list[int]] = Field(description="The sizes it comes in, the default first.")
    mistakes: list[KnownMistake]


class Difference(BaseModel):
    """The settings that an exception changes; null keeps a setting."""

    model_config = ConfigDict(extra="forbid")

    opens_at: Moment | None = None
    due_at: Moment | None = None
    closes_at: Moment | None = None
    factor: Annotated[Decimal, Field(ge=1, le=5, max_digits=3, decimal_places=2)] | None = Field(
        None, description="1.5 gives half as much time again."
    )
    more_minutes: Annotated[int, Field(ge=1, le=MAX_EXTRA_MINUTES, strict=True)] | None = Field(
        None, description="Added after the factor."
    )
    untimed: bool = Field(False, strict=True)
    attempts_allowed: Annotated[int, Field(ge=1, le=MOST_ATTEMPTS, strict=True)] | None = None
    reason: Reason = ""


class ExceptionWanted(Difference):
    """A new exception, for students by their ids or for everybody with a label."""

    assignment_id: Annotated[int, Field(ge=1, le=LARGEST_KEY, strict=True)] | None = Field(
        None, description="Null: all quizzes of the class. Dates belong to one."
    )
    member_ids: list[Annotated[int, Field(ge=1, le=LARGEST_KEY, strict=True)]] = Field(
        default=[], max_length=MOST_MEMBERS
    )
    label: Text = Field("", max_length=MAX_LABEL_LENGTH)


class ExceptionChanged(Difference):
    """New settings for an exception. Settings that are left out end."""

    version: Annotated[int, Field(ge=1, le=LARGEST_KEY, strict=True)] = Field(
        description="The version of the exception when it was read."
    )
    may_shorten: bool = Field(
        False, strict=True, description="Whether running attempts may end earlier."
    )


class ExceptionHere(BaseModel):
    """An exception for a member, or for everybody with a label."""

    id: int
    assignment_id: int | None
    member_id: int | None
    label: str | None
    opens_at: datetime | None
    due_at: datetime | None
    closes_at: datetime | None
    factor: float | None
    more_minutes: int | None
    untimed: bool
    attempts_allowed: int | None
    reason: str
    version: int


class Changed(BaseModel):
    """The exceptions that were made or changed, and the effect on running attempts."""

    exceptions: list[ExceptionHere]
    attempts_changed: int = Field(description="Running attempts whose end has moved.")
    attempts_kept: int = Field(description="Running attempts that keep their longer time.")


class First(BaseModel):
    """The cursor and the length of a page."""

    cursor: Cursor = ""
    limit: Limit = PAGE_SIZE
