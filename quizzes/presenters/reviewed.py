"""A marked attempt as its student reads it: the score, what to learn first, then every item."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from django.utils.safestring import SafeString

from look.matrix import MINUS, Cell, Matrix
from quizzes import problems
from quizzes.models import Answer, Attempt, Grade, Item
from quizzes.presenters import grids, texts
from quizzes.presenters.asked import Scalar, scalar, statement_of
from quizzes.problems import CHOICE_STEP, UnknownKind, WorkedStep

RIGHT, FOLLOWS, MISTAKE, PARTIAL = "right", "follows", "mistake", "partial"

WORDS = {PARTIAL: "partly right", "near": "nearly right"}
NOTES = {
    FOLLOWS: "Right, worked on from your own earlier step: it earns all its points.",
    "near": "The method is right, rounded too early: it earns half. Carry more digits until "
    "the end.",
    "wrong": "Not right, and none of the mistakes that are known by name. Compare it with the "
    "worked solution.",
    "blank": "Nothing was typed here.",
}
FIRST = 2  # so many mistakes are worth knowing first


@dataclass(frozen=True)
class Score:
    """What the attempt earned."""

    points: str
    out_of: str
    percent: int
    pass_mark: int | None
    passed: bool


@dataclass(frozen=True)
class Insight:
    """A mistake that was made, where, and what it cost."""

    feedback: SafeString
    positions: tuple[int, ...]
    lost: str


@dataclass(frozen=True)
class ReviewedChoice:
    """A choice as it was offered, and what is said of it."""

    text: SafeString
    mark: str = ""
    says: str = ""
    feedback: SafeString | str = ""


@dataclass(frozen=True)
class ReviewedStep:
    """One step: own answer, verdict, and why."""

    key: str
    label: SafeString | str
    verdict: str
    mistake: str
    word: str
    note: SafeString | str
    points: str
    out_of: str
    matrix: Matrix | None = None
    choices: tuple[ReviewedChoice, ...] = ()


@dataclass(frozen=True)
class Worked:
    """One step of the worked solution."""

    label: SafeString
    how: SafeString
    formula: SafeString
    matrix: Matrix | None = None
    choice: str = ""


@dataclass(frozen=True)
class ReviewedItem:
    """One question with its answer, its marks and its solution."""

    position: int
    title: str
    kind: str
    verdict: str
    word: str
    points: str
    out_of: str
    statement: SafeString
    matrices: tuple[Matrix, ...]
    scalars: tuple[Scalar, ...]
    steps: tuple[ReviewedStep, ...]
    worked: tuple[Worked, ...] = ()
    explanation: SafeString | str = ""
    section: Any = None

    @property
    def is_right(self) -> bool:
        return self.verdict == RIGHT


@dataclass(frozen=True)
class Review:
    """A whole marked attempt."""

    score: Score
    insights: tuple[Insight, ...]
    items: tuple[ReviewedItem, ...]


def review(attempt: Attempt, graded: Sequence[tuple[Answer, Grade]]) -> Review:
    """The review of an attempt whose answers have their latest grades."""
    read = [_Graded.of(answer, grade) for answer, grade in graded]
    return Review(
        score=score_of(attempt),
        insights=tuple(_insights(read)),
        items=tuple(_item(each) for each in read),
    )


def score_of(attempt: Attempt) -> Score:
    """The score in words; nobody reads the pass mark who has not reached it."""
    share = 100 * attempt.score / attempt.out_of if attempt.out_of else 0.0
    share += 1e-9  # points are sums of thirds and sevenths
    pass_mark = attempt.quiz.pass_mark if attempt.quiz else None
    return Score(
        points=texts.points_text(attempt.score),
        out_of=texts.points_text(attempt.out_of),
        percent=math.floor(share),
        pass_mark=pass_mark,
        passed=pass_mark is not None and share >= pass_mark,
    )


@dataclass(frozen=True)
class _Graded:
    """An item with its answer and grade, and the family's side of its solution if there is one."""

    item: Item
    raw: Mapping[str, Any]
    grade: Grade
    worked: Mapping[str, WorkedStep] = field(default_factory=dict)

    @classmethod
    def of(cls, answer: Answer, grade: Grade) -> "_Graded":
        worked = {}
        if variant := answer.item.variant:
            with suppress(UnknownKind):  # the family is gone; all else is still shown
                worked = {step.key: step for step in problems.worked_solution(vars(variant))}
        return cls(answer.item, answer.raw, grade, worked)

    def feedback(self, step: Mapping[str, Any]) -> str:
        """What is said of the mistake made in a step, in Markdown."""
        if self.item.shown["kind"] == "choice":
            choices = {choice["key"]: choice for choice in self.item.shown["choices"]}
            return choices.get(step["mistake"], {}).get("feedback", "")
        known = self.worked.get(step["key"])
        return known.feedback.get(step["mistake"], "") if known else ""


def _insights(graded: Sequence[_Graded]) -> list[Insight]:
    """The mistakes that cost most, each once, wherever it was made."""
    lost: dict[str, Fraction] = {}
    places: dict[str, list[int]] = {}
    said: dict[str, str] = {}
    for each in graded:
        for step in each.grade.steps:
            feedback = each.feedback(step) if step["verdict"] == MISTAKE else ""
            if not feedback:
                continue
            # A family's mistakes bear the same name everywhere; a choice is its question's own.
            own = each.item.shown.get("key", "")
            name = f"{own}:{step['mistake']}"
            said.setdefault(name, feedback)
            lost[name] = lost.get(name, Fraction()) + _lost(step)
            if each.item.position not in places.setdefault(name, []):
                places[name].append(each.item.position)
    costliest = sorted(lost, key=lambda name: (-lost[name], places[name][0]))[:FIRST]
    return [
        Insight(
            texts.line(said[name]), tuple(places[name]), texts.counted(float(lost[name]), "point")
        )
        for name in costliest
    ]


def _lost(step: Mapping[str, Any]) -> Fraction:
    return Fraction(step["out_of"]) - Fraction(step["points"])


def _item(graded: _Graded) -> ReviewedItem:
    item, grade, shown = graded.item, graded.grade, graded.item.shown
    common = {
        "position": item.position,
        "kind": shown["kind"],
        "verdict": grade.verdict,
        "word": WORDS.get(grade.verdict, grade.verdict),
        "points": texts.points_text(grade.points),
        "out_of": texts.counted(grade.out_of, "point"),
        "statement": texts.block(statement_of(shown)),
    }
    if shown["kind"] == "choice":
        return ReviewedItem(
            **common,
            title="Concept question",
            matrices=(),
            scalars=(),
            steps=(_concept_step(graded),),
            explanation=texts.block(shown["explanation"]),
            section=item.question and item.question.section,
        )
    return ReviewedItem(
        **common,
        title=shown["title"],
        matrices=tuple(grids.given_matrix(each) for each in shown["givens"] if each["labels"]),
        scalars=tuple(scalar(each) for each in shown["givens"] if not each["labels"]),
        steps=tuple(
            _numeric_step(graded, step, mark)
            for step, mark in zip(shown["steps"], grade.steps, strict=True)
        ),
        worked=tuple(
            _worked(step, graded.worked[step["key"]])
            for step in shown["steps"]
            if step["key"] in graded.worked
        ),
    )


def _numeric_step(
    graded: _Graded, step: Mapping[str, Any], mark: Mapping[str, Any]
) -> ReviewedStep:
    common = {
        "key": step["key"],
        "label": texts.line(step["label"]),
        "verdict": mark["verdict"],
        "mistake": mark["mistake"],
        "word": WORDS.get(mark["verdict"], mark["verdict"]),
        "note": _note(graded, mark),
        "points": texts.points_text(float(Fraction(mark["points"]))),
        "out_of": texts.counted(float(Fraction(mark["out_of"])), "point"),
    }
    raw = graded.raw.get(step["key"])
    if step["choices"]:
        return ReviewedStep(**common, choices=tuple(_offered(graded, step, raw)))
    typed, marks = grids.as_grid(raw), grids.as_grid(mark["cells"])
    notes = _unreadable(graded)

    def cell(row: int, column: int) -> Cell:
        return Cell(
            text=_as_typed(typed[row][column]),
            mark=marks[row][column],
            note=notes.get(f"{step['key']}-{row}-{column}", ""),
        )

    return ReviewedStep(**common, matrix=grids.step_matrix(step, cell))


def _unreadable(graded: _Graded) -> dict[str, str]:
    """Why cells could not be read, by draft key."""
    shown = graded.item.shown
    draft = {}
    for draft_key, step, row, column in problems.typed_cells(shown):
        draft[draft_key] = grids.as_grid(graded.raw[step])[row][column]
    return {
        reading.field: reading.unreadable
        for reading in problems.readings(shown, draft)
        if reading.unreadable
    }


def _as_typed(text: str) -> str:
    text = text.strip()
    return MINUS + text[1:] if text.startswith("-") else text


def _note(graded: _Graded, mark: Mapping[str, Any]) -> SafeString | str:
    verdict = mark["verdict"]
    if verdict == MISTAKE:
        return texts.line(graded.feedback(mark))
    if verdict == PARTIAL:
        cells = [cell for row in grids.as_grid(mark["cells"]) for cell in row if cell != "fixed"]
        right = sum(cell == RIGHT for cell in cells)
        return f"{right} of {len(cells)} numbers are right, and earn their share."
    return NOTES.get(verdict, "")


def _offered(graded: _Graded, step: Mapping[str, Any], raw: str) -> list[ReviewedChoice]:
    """The choices of a numeric item's step."""
    known = graded.worked.get(step["key"])
    right = str(int(known.values)) if known else None
    return [
        _marked_choice(word, chosen=raw == str(place), correct=right == str(place))
        for place, word in enumerate(step["choices"])
    ]


def _concept_step(graded: _Graded) -> ReviewedStep:
    (mark,) = graded.grade.steps
    chosen = graded.raw.get(CHOICE_STEP)
    return ReviewedStep(
        key=CHOICE_STEP,
        label="",
        verdict=mark["verdict"],
        mistake=mark["mistake"],
        word=WORDS.get(mark["verdict"], mark["verdict"]),
        note="" if mark["verdict"] != "blank" else "Nothing was chosen.",
        points=texts.points_text(graded.grade.points),
        out_of=texts.counted(graded.grade.out_of, "point"),
        choices=tuple(
            _marked_choice(
                choice["text"],
                chosen=choice["key"] == chosen,
                correct=choice["correct"],
                feedback=choice["feedback"],
            )
            for choice in graded.item.shown["choices"]
        ),
    )


def _marked_choice(text: str, *, chosen: bool, correct: bool, feedback: str = "") -> ReviewedChoice:
    if not (chosen or correct):
        return ReviewedChoice(texts.line(text))
    says = "your choice" if chosen else "the right choice"
    if chosen and correct:
        says = "your choice, and right"
    return ReviewedChoice(
        texts.line(text), RIGHT if correct else "wrong", says, texts.line(feedback)
    )


def _worked(step: Mapping[str, Any], known: WorkedStep) -> Worked:
    choice = step["choices"] and step["choices"][int(known.values)]
    return Worked(
        label=texts.line(step["label"]),
        how=texts.line(known.how),
        formula=texts.formula(known.latex),
        matrix=None if choice else grids.solved_matrix(step, known.values),
        choice=choice or "",
    )
