"""What is told and taken, with every field described: the schema that is published is made of it.

Plain models of pydantic, because ninja's own ask every row for each of its fields.
"""

import re
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.utils.translation import gettext as _
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from api.cursors import LONGEST, MOST_ON_A_PAGE, ON_A_PAGE
from classes.limits import LONGEST_LABEL, LONGEST_REASON, MOST_MINUTES_MORE

MOST_MEMBERS = 500
MOST_ATTEMPTS = 100
# JSON is read by programs that keep whole numbers exactly up to here.
LARGEST_KEY = 2**53 - 1
FIRST_YEAR, LAST_YEAR = 2000, 2100
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d.*")


def _storable(text: Any) -> Any:
    """Refuse what no database keeps, before pydantic looks: half a surrogate pair is no text."""
    if isinstance(text, str) and re.search("[\0\ud800-\udfff]", text):
        words = _("Text cannot contain a NUL character or half a surrogate pair.")
        raise PydanticCustomError("text", words)
    return text


def _written(moment: Any) -> Any:
    if moment is not None and not (isinstance(moment, str) and _MOMENT.fullmatch(moment)):
        raise PydanticCustomError("moment", _("Times must look like 2026-11-22T18:00:00+01:00."))
    return moment


def _sensible(moment: datetime) -> datetime:
    if not FIRST_YEAR < moment.year < LAST_YEAR:
        raise PydanticCustomError("moment", _("Check the year."))
    return moment


Key = Annotated[int, Field(ge=1, le=LARGEST_KEY)]
Moment = Annotated[AwareDatetime, BeforeValidator(_written), AfterValidator(_sensible)]
Text = Annotated[str, BeforeValidator(_storable)]
Reason = Annotated[
    Text, Field(max_length=LONGEST_REASON, description="Kept in the history of the class.")
]
Limit = Annotated[
    int, Field(ge=1, le=MOST_ON_A_PAGE, description="How many are listed on a page at most.")
]
Cursor = Annotated[
    str,
    Field(
        max_length=LONGEST,
        description="What “next” of the page before said. Empty: the first page.",
    ),
]


class Page[T](BaseModel):
    """Some of a list, the oldest first: what is new meanwhile comes at its end."""

    items: list[T]
    next: str | None = Field(
        description="The cursor of the page that follows; null: this is the last one."
    )


class Class(BaseModel):
    """A class that the token's owner teaches, helps in or watches."""

    id: int
    title: str
    time_zone: str
    first_day: date | None
    archived: bool
    role: Literal["instructor", "assistant", "observer"] = Field(description="The owner's.")
    section: str = Field(
        description="The one that the owner sees the people of; empty: they see all."
    )


class Member(BaseModel):
    """Somebody's place in the class. Those who left stay, for their marks do."""

    id: int
    name: str = Field(description="Empty: none was given.")
    email: str | None = Field(description="Null: the account was deleted.")
    role: Literal["instructor", "assistant", "observer", "student"]
    section: str
    labels: list[str]
    state: Literal["active", "invited", "left", "removed"]
    joined_at: datetime


class Given(BaseModel):
    """A quiz that is given to the class, with the rules for everybody."""

    id: int
    quiz_id: int
    title: str
    opens_at: datetime | None = Field(description="Null: at once.")
    due_at: datetime | None = Field(description="Null: never late.")
    closes_at: datetime | None = Field(description="Null: never.")
    minutes: int
    attempts_allowed: int | None = Field(description="Null: any number.")
    counts: Literal["best", "last"] = Field(description="Which of several attempts.")
    release: Literal["at_once", "after_close", "by_hand"] = Field(
        description="When students are shown marks and solutions."
    )
    practice: bool


class Step(BaseModel):
    """What was marked of one step of an answer."""

    key: str
    verdict: str = Field(
        description="right, mistake, near, partial, wrong, blank, unreadable or fixed."
    )
    mistake: str = Field(description="The key of the mistake that was made; empty: none is known.")
    points: float
    out_of: float
    cells: Any = Field(description="A verdict for each cell, nested as the step is; null: none.")


class Grade(BaseModel):
    """What one answer earned, as it counts now."""

    position: int = Field(description="The question's number in the attempt.")
    family: str | None = Field(description="Of a numeric problem.")
    question: str | None = Field(description="The key of a concept question.")
    version: int = Field(description="Of the family or the question, as it was asked.")
    points: float
    out_of: float
    verdict: str
    mistake: str = Field(description="Of a concept question the key of the choice.")
    revision: int = Field(description="1 as it was first marked; each new marking adds one.")
    core_version: str
    graded_at: datetime
    steps: list[Step]


class Attempt(BaseModel):
    """A student's attempt at what the class was given. Practice and previews are none."""

    id: int
    member_id: int
    assignment_id: int
    number: int = Field(description="Which of the student's attempts there.")
    state: Literal["open", "submitted"]
    marking: Literal["waiting", "graded", "attention"] | None = Field(
        description="What became of what was submitted; null: nothing is, or it was reopened."
    )
    started_at: datetime
    deadline: datetime | None = Field(description="With all exceptions. Null: without a clock.")
    submitted_at: datetime | None
    closed_by_clock: bool
    late: bool = Field(description="Submitted after it was due for this student.")
    reopened: int = Field(description="How often.")
    score: float | None = Field(description="Null until it is marked.")
    out_of: float
    grades: list[Grade] | None = Field(
        description="In order; empty until it is marked. Null: they were not asked for."
    )


class Slot(BaseModel):
    """What a quiz asks for at one place: a family at some sizes, or a topic."""

    position: int
    points: int
    family: str | None
    options: dict[str, Any]
    topic: str | None


class Quiz(BaseModel):
    """A quiz, as everybody is given it."""

    id: int
    slug: str
    title: str
    pass_mark: int = Field(description="Percentage of the points.")
    published: bool
    slots: list[Slot]


class KnownMistake(BaseModel):
    """A mistake that marking knows by its name."""

    step: str
    key: str
    feedback: str = Field(description="Markdown with $maths$: what a student reads who makes it.")


class Family(BaseModel):
    """A kind of numeric problem."""

    key: str
    version: int
    title: str
    summary: str
    options: dict[str, list[int]] = Field(description="The sizes it comes in, the default first.")
    mistakes: list[KnownMistake]


class Difference(BaseModel):
    """What is different; what is null is not."""

    model_config = ConfigDict(extra="forbid")

    opens_at: Moment | None = None
    due_at: Moment | None = None
    closes_at: Moment | None = None
    factor: Annotated[Decimal, Field(ge=1, le=5, max_digits=3, decimal_places=2)] | None = Field(
        None, description="1.5 gives half as much time again."
    )
    more_minutes: Annotated[int, Field(ge=1, le=MOST_MINUTES_MORE, strict=True)] | None = Field(
        None, description="Added after the factor."
    )
    untimed: bool = Field(False, strict=True)
    attempts_allowed: Annotated[int, Field(ge=1, le=MOST_ATTEMPTS, strict=True)] | None = None
    reason: Reason = ""


class ExceptionWanted(Difference):
    """Something different for some: for students by their ids, or for all who wear a label."""

    assignment_id: Annotated[int, Field(ge=1, le=LARGEST_KEY, strict=True)] | None = Field(
        None, description="Null: all quizzes of the class. Dates belong to one."
    )
    member_ids: list[Annotated[int, Field(ge=1, le=LARGEST_KEY, strict=True)]] = Field(
        default=[], max_length=MOST_MEMBERS
    )
    label: Text = Field("", max_length=LONGEST_LABEL)


class ExceptionChanged(Difference):
    """Another difference in the place of one: what is not said ends."""

    version: Annotated[int, Field(ge=1, le=LARGEST_KEY, strict=True)] = Field(
        description="Of what is to be replaced, as it was read."
    )
    may_shorten: bool = Field(
        False, strict=True, description="May attempts that run end earlier by it?"
    )


class ExceptionHere(BaseModel):
    """An exception, for a member or for all who wear a label."""

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
    """What was made or changed, and what that did to attempts that run."""

    exceptions: list[ExceptionHere]
    attempts_changed: int = Field(description="So many end at another time now.")
    attempts_kept: int = Field(description="So many keep the time they had, which is longer.")


class First(BaseModel):
    """Where a page begins, and how long it is."""

    cursor: Cursor = ""
    limit: Limit = ON_A_PAGE
