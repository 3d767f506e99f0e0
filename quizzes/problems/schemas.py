"""Types of the JSON exchanged with the core, as rows keep it and pages read it."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict
from uuid import UUID

# Nested lists of numbers, as a matrix is written: a vector is one list, a scalar a number.
type Values = Any


class StoredVariant(TypedDict):
    """The columns of a variant's row from which its problem is restored."""

    family: str
    version: int
    options: Mapping[str, int]
    seed: str
    words: Mapping[str, Sequence[str]]
    givens: Mapping[str, Values]
    solution: Mapping[str, Values]
    tolerance: Mapping[str, float]


class NewVariant(StoredVariant):
    """All columns of a variant that was just drawn."""

    kind: str
    fingerprint: UUID
    for_exams: bool


class GivenWording(TypedDict):
    """A given before its numbers: a text of its own, computed values, or the variant's `given`."""

    key: str
    label: str
    axes: list[str]
    text: NotRequired[str]
    values: NotRequired[Values]
    given: NotRequired[str]


class StepWording(TypedDict):
    """A step before words are put into its label. `choices` names the words to choose from."""

    key: str
    label: str
    axes: list[str]
    shape: list[int]
    fixed: list[list[Any]]
    decimals: int
    choices: str
    made_of: NotRequired[dict[str, list[str]]]


class NumericWording(TypedDict):
    """The wording of a variant. Without `to_fill` it is an older one, stored with its numbers."""

    kind: Literal["numeric"]
    to_fill: NotRequired[bool]
    family: str
    title: str
    statement: str
    givens: list[GivenWording]
    steps: list[StepWording]


class WordedChoice(TypedDict):
    """A choice of a concept question."""

    key: str
    text: str
    correct: bool
    feedback: str


class ChoiceWording(TypedDict):
    """The wording of a concept question; an item shows it with the choices in its own order."""

    kind: Literal["choice"]
    key: str
    topic: str
    prompt: str
    explanation: str
    choices: Sequence[WordedChoice]


class ShownGiven(TypedDict):
    """A given as a student saw it."""

    key: str
    label: str
    labels: list[list[str]]
    values: Values


class ShownStep(TypedDict):
    """A step as a student saw it, with the tolerance it is marked by."""

    key: str
    label: str
    labels: list[list[str]]
    shape: list[int]
    fixed: list[list[Any]]
    decimals: int
    tolerance: float
    choices: list[str]
    made_of: dict[str, list[str]]


class ShownProblem(TypedDict):
    """A numeric item as a student saw it."""

    kind: Literal["numeric"]
    family: str
    title: str
    statement: str
    givens: list[ShownGiven]
    steps: list[ShownStep]


class StepMark(TypedDict):
    """The mark of one step, as a grade keeps it. Points are exact: "1/3".

    `cells` are the verdicts of the cells, nested as the step is; None if it has none.
    """

    key: str
    verdict: str
    mistake: str
    cells: Any
    points: str
    out_of: str
    tolerance: float | None


type Wording = NumericWording | ChoiceWording
type Shown = ShownProblem | ChoiceWording
# What was typed, nested as each step is.
type RawAnswer = Mapping[str, Any]
