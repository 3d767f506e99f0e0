"""The only door to attention_core: variants drawn, items shown, answers read and marked.

Nothing here touches the database. What goes in and out is JSON as the rows keep it: a *kind* is
a family with its options, a *wording* the texts of a question before numbers are put in, `shown`
what an item showed; answers.py says what drafts and raw answers are.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import batched
from math import inf
from typing import Any
from uuid import UUID

import numpy as np
from django.utils.translation import gettext

import attention_core
from attention_core.errors import AuthorError, BadOptions, NoFitVariant, UnreadableNumber
from attention_core.grading import verdicts
from attention_core.grading.mark import Answered, Mark, mark_many
from attention_core.grading.parse import LONGEST, parse_number
from attention_core.grading.reviewing import Slip, first_slip, own_way
from attention_core.problems.catalogue import (
    problem_from_json,
    problem_to_json,
    stored_problem,
)
from attention_core.problems.code import program
from attention_core.problems.family import PARTS as _PARTS
from attention_core.problems.family import Given, Problem, labels, told
from attention_core.problems.fingerprint import fingerprint
from attention_core.problems.structure import makes
from attention_core.proving import known_mistakes, margin, prove, prove_many
from attention_core.robots import BLANKS, KNOWS, SLIPS, Robot, Worked, choose, crowd, work
from attention_core.variety import ENOUGH, is_kept_for_exams, variety
from quizzes.problems.answers import CHOICE_STEP, CellField, cell_fields, fields_of, flatten, nest

# Half of them give numbers of the other half; the rest are hope enough.
MOST_DRAWS = 400
# Proved at once by whoever draws many.
PROVED_AT_ONCE = 24

CORE_VERSION = attention_core.__version__

# What somebody who is prepared takes, times what the core reckons for somebody who is practised and
# never errs. Robots say so (`rehearsal.py`); nobody's real times went into it yet.
TYPICAL_PACE = 1.4
# To read a question and its choices, and to choose.
CONCEPT_SECONDS = 45

# The verdicts of a step in which something stands that is wrong.
NOT_RIGHT = (verdicts.MISTAKE, verdicts.NEAR, verdicts.PARTIAL, verdicts.WRONG)


class UnknownKind(ValueError):
    """A slot asks for a family or for options that the core does not have."""


def kind_of(family: str, options: Mapping[str, Any]) -> str:
    """The name of everything that a variant of this family and these options shares.

    Raises:
        UnknownKind: with a sentence for the author.
    """
    if not isinstance(options, Mapping):
        raise UnknownKind(
            gettext('Options must look like {"tokens": 3}, with a size for each name')
        )
    try:
        member = attention_core.family(family)
        sizes = member.canonical(options)
    except AuthorError as wrong:
        raise UnknownKind(str(wrong)) from wrong
    return f"{member.key}/{member.version}/{json.dumps(sizes, sort_keys=True)}"


def family_choices() -> list[tuple[str, str]]:
    """Keys and titles of all families, for forms."""
    return [(key, f"{member.title} ({key})") for key, member in attention_core.families().items()]


def sizes_of(family: str) -> dict[str, tuple[int, ...]]:
    """The sizes a family can be asked at, by name, each with its default first.

    One that is no longer there has none.
    """
    member = attention_core.families().get(family)
    return dict(member.options) if member else {}


def family_keys() -> list[str]:
    """The keys of all families."""
    return list(attention_core.families())


def is_family(key: str) -> bool:
    """Is there such a family?"""
    return key in attention_core.families()


def family_title(key: str) -> str:
    """A family's title; its key when it is no longer there."""
    member = attention_core.families().get(key)
    return member.title if member else key


# The parts of the model, in the order in which it is built up.
PARTS = _PARTS


def family_part(key: str) -> str:
    """The part of the model that a family is about; "" where there is none, or no such family."""
    member = attention_core.families().get(key)
    return member.part if member else ""


def formulas_of(key: str) -> list[str]:
    """The formulas of a family's steps as LaTeX, in their order, each once."""
    member = attention_core.families().get(key)
    return list(dict.fromkeys(step.formula for step in member.steps)) if member else []


def family_summary(key: str) -> str:
    """One sentence on a family; nothing when it is no longer there."""
    member = attention_core.families().get(key)
    return member.summary if member else ""


@dataclass(frozen=True)
class FamilyCard:
    """What a family is, for whoever reads what was asked.

    Attributes:
        options: its sizes, by name; the first of each is the default.
        mistakes: of each its step, its key, and what is said to whoever makes it.
    """

    key: str
    version: int
    title: str
    summary: str
    options: Mapping[str, Sequence[int]]
    mistakes: Sequence[tuple[str, str, str]]


def family_card(key: str) -> FamilyCard | None:
    """A family with all of its mistakes, whatever sizes they need; None: there is no such."""
    member = attention_core.families().get(key)
    if member is None:
        return None
    mistakes = [
        (step.key, known.key, known.feedback) for step in member.steps for known in step.mistakes
    ]
    return FamilyCard(
        key, member.version, member.title, member.summary, dict(member.options), mistakes
    )


@dataclass(frozen=True)
class Cost:
    """What one variant of a kind, or a concept question, asks of a student.

    Attributes:
        cells: to be typed.
        minutes: of a practised student who never errs.
    """

    cells: int
    minutes: float

    @property
    def typical_minutes(self) -> float:
        """Those of somebody who is prepared."""
        return self.minutes * TYPICAL_PACE


COST_OF_A_QUESTION = Cost(0, CONCEPT_SECONDS / 60)


def cost_of(family: str, options: Mapping[str, Any]) -> Cost:
    """What a variant costs; raises UnknownKind."""
    return _cost_of_kind(kind_of(family, options))


@lru_cache(maxsize=1000)
def smallest_sizes(family: str) -> dict[str, int]:
    """The sizes at which a variant of this family costs least."""
    member = attention_core.family(family)
    return min(member.combinations(), key=lambda sizes: cost_of(family, sizes).minutes)


@lru_cache(maxsize=1000)
def _cost_of_kind(kind: str) -> Cost:
    family, _, options = kind.split("/", 2)
    problem = attention_core.draw(family, "cost", **json.loads(options))
    return Cost(problem.cells, problem.minutes)


def draw_variant(
    kind: str,
    seed: str,
    *,
    for_exams: bool = False,
    is_known: Callable[[UUID], bool] = lambda fingerprint: False,
) -> dict[str, Any] | None:
    """A proven variant of this kind, as the columns of its row; None where nothing new comes.

    Args:
        for_exams: which half of all numbers it comes from.
        is_known: has a variant with this fingerprint been drawn before?
    """
    family, sizes = _family_and_sizes(kind)

    def is_new(fingerprint: str) -> bool:
        half = is_kept_for_exams(family, sizes, fingerprint)
        return half is for_exams and not is_known(kept_fingerprint(fingerprint))

    try:
        proof = prove(family, seed, sizes, wanted=is_new, most_draws=MOST_DRAWS)
    except NoFitVariant:
        return None
    return _as_columns(kind, proof.problem, for_exams=for_exams)


def draw_for_exams(kind: str, seeds: Iterable[str], *, known: set[UUID]) -> list[dict[str, Any]]:
    """As `draw_variant`, one for each seed, in half the time; fewer where no more come.

    Args:
        known: the fingerprints that have been drawn before; the new ones are added.
    """
    family, sizes = _family_and_sizes(kind)

    def is_new(fingerprint: str) -> bool:
        kept = kept_fingerprint(fingerprint)
        if kept in known or not is_kept_for_exams(family, sizes, fingerprint):
            return False
        known.add(kept)
        return True

    drawn: list[dict[str, Any]] = []
    for some in batched(seeds, PROVED_AT_ONCE, strict=False):
        try:
            proofs = prove_many(family, some, sizes, wanted=is_new, most_draws=MOST_DRAWS)
        except NoFitVariant:
            break
        drawn += [_as_columns(kind, proof.problem, for_exams=True) for proof in proofs]
    return drawn


def _family_and_sizes(kind: str) -> tuple[str, dict[str, int]]:
    family, _, options = kind.split("/", 2)
    return family, json.loads(options)


def _as_columns(kind: str, problem: Problem, *, for_exams: bool) -> dict[str, Any]:
    return problem_to_json(problem) | {
        "kind": kind,
        "fingerprint": kept_fingerprint(problem.fingerprint),
        "for_exams": for_exams,
    }


# Robots

# What a middling one does, in per cent: cells gone wrong, steps left out, questions known.
MIDDLING = {"slips": 100 * SLIPS, "blanks": 100 * BLANKS, "knows": 100 * KNOWS}


@dataclass(frozen=True)
class KnownMistake:
    """One that can be made at a step of a variant, and what is said to whoever makes it.

    The step's label has no variant's words in it.
    """

    step: str
    label: str
    key: str
    feedback: str
    values: Any
    """What comes out, not rounded."""


def draw_to_try(kind: str, seeds: Iterable[str]) -> list[dict[str, Any]]:
    """Fresh variants out of the half that practice may ask, one for each seed; kept nowhere.

    Raises:
        UnknownKind: none can be drawn.
    """
    family, _, options = kind.split("/", 2)
    sizes = json.loads(options)

    def may_be_told(fingerprint: str) -> bool:
        return not is_kept_for_exams(family, sizes, fingerprint)

    try:
        proofs = prove_many(family, seeds, sizes, wanted=may_be_told)
    except AuthorError as trouble:
        raise UnknownKind(str(trouble)) from trouble
    return [_as_columns(kind, proof.problem, for_exams=False) for proof in proofs]


def mistakes_of(variant: Mapping[str, Any]) -> list[KnownMistake]:
    """The mistakes that can be made with this variant and told from each other."""
    problem = _problem(variant)
    any_words = {name: ["…"] for name in problem.words}
    return [
        KnownMistake(
            step.key, told(step.label, any_words, {}), known.key, known.feedback, wrong.tolist()
        )
        for step in problem.family.steps
        for known, wrong in known_mistakes(problem, step)
    ]


@dataclass(frozen=True)
class Difficulty:
    """What is known of a variant that makes it harder, or easier to tell mistakes in.

    Attributes:
        cells: to be typed.
        minutes: of a practised student who never errs.
        largest_given, largest_result: without their signs; of the givens, and of all steps.
        mistakes: how many can be made in it and told apart.
        margin: how many tolerances lie between the two results that are most alike.
    """

    cells: int
    minutes: float
    largest_given: float
    largest_result: float
    mistakes: int
    margin: float


def difficulty_of(variant: Mapping[str, Any]) -> Difficulty:
    """What makes this variant harder or easier than others of its kind."""
    problem = _problem(variant)
    return Difficulty(
        cells=problem.cells,
        minutes=problem.minutes,
        largest_given=_largest(problem.givens.values()),
        largest_result=_largest(problem.solution.values()),
        mistakes=sum(len(known_mistakes(problem, step)) for step in problem.family.steps),
        margin=margin(problem),
    )


def _largest(arrays: Iterable[np.ndarray]) -> float:
    return max((float(np.abs(array).max()) for array in arrays if array.size), default=0.0)


@dataclass(frozen=True)
class MistakeTold:
    """A mistake that can be made at a step of a kind, and what is said to whoever makes it."""

    label: str
    feedback: str


@lru_cache(maxsize=1000)
def known_in(kind: str) -> Mapping[tuple[str, str], MistakeTold]:
    """All that can go wrong by name in problems of a kind, by the keys of step and mistake.

    Nothing where its family is gone.
    """
    family, sizes = _family_and_sizes(kind)
    try:
        problem = attention_core.draw(family, "known", **sizes)
    except AuthorError:
        return {}
    any_words = {name: ["…"] for name in problem.words}
    return {
        (step.key, key): MistakeTold(told(step.label, any_words, {}), feedback)
        for step in problem.family.steps
        for key, feedback in (
            *((known.key, known.feedback) for known in step.mistakes),
            (verdicts.OTHER_CHOICE, step.wrong_choice),
        )
    }


def feedback_to(family: str, step: str, mistake: str) -> str:
    """What is said to whoever makes a mistake; "" where it is not known any more."""
    member = attention_core.families().get(family)
    known = [each for each in member.steps if each.key == step] if member else []
    return next(
        (each.feedback for found in known for each in found.mistakes if each.key == mistake), ""
    )


@dataclass(frozen=True)
class MadeUp:
    """A problem that nobody was given, and what each mistake makes of it, by step and name."""

    shown: Mapping[str, Any]
    solution: Mapping[str, Any]
    wrong: Mapping[tuple[str, str], Any]


@lru_cache(maxsize=100)
def made_up(kind: str) -> MadeUp | None:
    """One of this kind, always the same; None where today's family would ask something else."""
    try:
        if kind_of(*_family_and_sizes(kind)) != kind:
            return None
        (variant,) = draw_to_try(kind, ["made up"])
    except UnknownKind:
        return None
    return MadeUp(
        shown(variant_wording(variant), variant=variant),
        variant["solution"],
        {(known.step, known.key): known.values for known in mistakes_of(variant)},
    )


def sizes_of_kind(kind: str) -> dict[str, int]:
    """The sizes that problems of a kind are drawn at."""
    return _family_and_sizes(kind)[1]


def mistake_keys(family: str) -> list[str]:
    """The keys of the mistakes known at some step of a family; none when it is no longer there."""
    member = attention_core.families().get(family)
    return [known.key for step in member.steps for known in step.mistakes] if member else []


def robots_of(count: int, families: Iterable[str], seed: str) -> list[Robot]:
    """So many typical students, among whom every mistake of these families is held."""
    known = sorted({key for family in families for key in mistake_keys(family)})
    return crowd(count, known, pace=TYPICAL_PACE, seed=seed)


def robots_work(variant: Mapping[str, Any], robots: Iterable[tuple[Robot, object]]) -> list[Worked]:
    """What each robot, with a seed of its own, answers to a variant."""
    problem = _problem(variant)
    return [work(robot, problem, seed) for robot, seed in robots]


def robot_chooses(robot: Robot, wording: Mapping[str, Any], seed: object) -> dict[str, str]:
    """The raw answer of a robot to a concept question."""
    choices = wording["choices"]
    right = next(choice["key"] for choice in choices if choice["correct"])
    return {CHOICE_STEP: choose(robot, [choice["key"] for choice in choices], right, seed)}


def fingerprint_of(givens: Mapping[str, Any]) -> str:
    """What all variants with these numbers share."""
    return fingerprint(givens)


def kept_fingerprint(fingerprint: str) -> UUID:
    """As much of a fingerprint as rows keep: half of it tells all numbers apart as well."""
    return UUID(fingerprint[:32])


# As many exams at least, wherever nobody need count.
SERVED_AMPLY = ENOUGH // 2


def exams_served(family: str, options: Mapping[str, Any]) -> float:
    """How many exams can ask numbers that no other has asked; infinite where nobody need count."""
    found = variety(family, options)
    return inf if found.distinct >= ENOUGH else found.distinct // 2


def family_of(kind: str) -> str:
    """The key of a kind's family."""
    return kind.partition("/")[0]


# What an item shows


def variant_wording(variant: Mapping[str, Any]) -> dict[str, Any]:
    """How today's family asks a variant: its texts before words and numbers are put in.

    What a given is worked out from is not said with it, and which cells are fixed is: to show this
    again takes no family.
    """
    problem = problem_from_json(variant)
    family, made_of = problem.family, _made_of(problem)
    return {
        "kind": "numeric",
        "to_fill": True,
        "family": family.key,
        "title": family.title,
        "statement": family.statement,
        "givens": [
            {
                "key": given.name or given.key,
                "label": given.label,
                "axes": list(given.axes),
                **_told_of(given, problem),
            }
            for given in family.givens
        ],
        "steps": [
            {
                "key": step.key,
                "label": step.label,
                "axes": list(step.axes),
                "shape": list(problem.values[step.key].shape),
                "fixed": [list(cell) for cell in problem.fixed_cells(step.key)],
                "decimals": step.decimals,
                "choices": step.choices,
                "made_of": made_of.get(step.key, {}),
            }
            for step in family.steps
        ],
    }


def _made_of(problem: Problem) -> dict[str, dict[str, list[str]]]:
    """Which parts of which givens and earlier steps make the cells of each step, by rules."""
    try:
        sizes = problem.family.canonical(problem.options)
    except BadOptions:
        return {}  # drawn when the family had other sizes
    found = makes(problem.family.key, sizes)
    return {
        step: {source: list(part) for source, part in sources.items()}
        for step, sources in found.items()
    }


def _told_of(given: Given, problem: Problem) -> dict[str, Any]:
    """Where a given is found: it is a text, or worked out, or one of the variant's."""
    if given.text:
        return {"text": given.text}
    if given.value:
        return {"values": problem.shown(given).tolist()}
    return {"given": given.key}


def question_wording(
    *, key: str, topic: str, prompt: str, explanation: str, choices: list[dict[str, Any]]
) -> dict[str, Any]:
    """How a concept question is asked, with the choices' keys and feedback to mark it by."""
    return {
        "kind": "choice",
        "key": key,
        "topic": topic,
        "prompt": prompt,
        "explanation": explanation,
        "choices": choices,
    }


def shown(
    wording: Mapping[str, Any], *, order: str = "", variant: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What an item shows: its wording with the variant's numbers, the choices in their order."""
    if variant and wording.get("to_fill"):
        return _filled(wording, variant)
    if order:
        return {**wording, "choices": in_order(wording["choices"], order)}
    return dict(wording)


def _filled(wording: Mapping[str, Any], variant: Mapping[str, Any]) -> dict[str, Any]:
    words, givens = variant["words"], variant["givens"]

    def tell(text: str) -> str:
        return told(text, words, givens)

    def given_of(given: Mapping[str, Any]) -> dict[str, Any]:
        if "text" in given:
            values = tell(given["text"])
        else:
            values = givens[given["given"]] if "given" in given else given["values"]
        return {
            "key": tell(given["key"]),
            "label": tell(given["label"]),
            "labels": labels(given["axes"], np.shape(values), words) if given["axes"] else [],
            "values": values,
        }

    def step_of(step: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "key": step["key"],
            "label": tell(step["label"]),
            "labels": labels(step["axes"], step["shape"], words),
            "shape": step["shape"],
            "fixed": step["fixed"],
            "decimals": step["decimals"],
            "tolerance": variant["tolerance"][step["key"]],
            "choices": list(words[step["choices"]]) if step["choices"] else [],
            # What was worded before there was this says nothing of it.
            "made_of": step.get("made_of", {}),
        }

    return {
        "kind": wording["kind"],
        "family": wording["family"],
        "title": wording["title"],
        "statement": tell(wording["statement"]),
        "givens": [given_of(given) for given in wording["givens"]],
        "steps": [step_of(step) for step in wording["steps"]],
    }


def order_of(places: Iterable[int]) -> str:
    """Places counted from 0 as one character each, "2031"; what follows the nine is a colon."""
    return "".join(chr(ord("0") + place) for place in places)


def in_order[T](choices: Sequence[T], order: str) -> list[T]:
    """The choices in the order in which a student saw them; without one, as they are."""
    return [choices[ord(place) - ord("0")] for place in order] if order else list(choices)


# What was typed


def clean_draft(shown: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, str]:
    """The part of posted fields that belongs to this item, cut to what could ever be read."""
    return {
        key: _storable(fields[key][: LONGEST + 1])
        for key in fields_of(shown)
        if isinstance(fields.get(key), str)
    }


def _storable(text: str) -> str:
    """The text without what no database keeps (NUL, lone surrogates): unreadable all the same."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True)
class CellNote:
    """What is to be said beside a cell: why it cannot be read, or what an odd text was read as."""

    cell: CellField
    unreadable: str = ""
    read_as: str = ""


def cell_notes(shown: Mapping[str, Any], draft: Mapping[str, str]) -> list[CellNote]:
    """What is to be said beside the cells of a draft, in reading order."""
    told = []
    whole = {step["key"]: step["decimals"] == 0 for step in shown.get("steps", ())}
    for cell in cell_fields(shown):
        text = draft.get(cell.field, "")
        if not text or text.isspace():
            continue
        try:
            number = parse_number(text, integer=whole[cell.step])
        except UnreadableNumber as why:
            told.append(CellNote(cell, unreadable=str(why)))
        else:
            if number.read_as:
                told.append(CellNote(cell, read_as=number.read_as))
    return told


# Made up


def typed_by(
    wording: Mapping[str, Any], variant: Mapping[str, Any], robot: Robot, seed: object
) -> dict[str, str]:
    """The draft of a robot, which makes the family's own mistakes."""
    raw = work(robot, problem_from_json(variant), seed).answers
    empty = nest(wording, {})
    return {field: text for field, text in flatten(wording, empty | raw).items() if text}


def likely_mistakes(kinds: Iterable[str]) -> list[str]:
    """The mistakes that can be made in variants of these kinds, those in the most of them first."""
    found: Counter[str] = Counter()
    for kind in kinds:
        family, sizes = _family_and_sizes(kind)
        problem = attention_core.draw(family, "likely", **sizes)
        found.update(
            {
                known.key
                for step in problem.family.steps
                for known, _ in known_mistakes(problem, step)
            }
        )
    return sorted(found, key=lambda key: (-found[key], key))


# Marks


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """A mark as the row of a grade keeps it, with its points still exact.

    Many answers earn the same, so one may stand for many: it is told apart by what it is, not by
    what it says.
    """

    points: Fraction
    out_of: Fraction
    verdict: str
    mistake: str
    steps: list[dict[str, Any]]
    solution_changed: bool = False


def mark_numeric(
    answers: Iterable[tuple[Mapping[str, Any], Mapping[str, Any], int]],
) -> list[Marked]:
    """Mark (variant, raw answer, points) in bulk, in the order given; equal marks may be one.

    Raises:
        UnknownKind: a variant's family is no longer there.
    """
    try:
        answered = [
            Answered(stored_problem(variant), raw, _exact(points), variant["solution"])
            for variant, raw, points in answers
        ]
    except AuthorError as gone:
        raise UnknownKind(str(gone)) from gone
    marks = mark_many(answered)
    rows = {key: _as_row(mark) for key, mark in {id(mark): mark for mark in marks}.items()}
    return [rows[id(mark)] for mark in marks]


_exact = lru_cache(maxsize=1000)(Fraction)


def _as_row(mark: Mark) -> Marked:
    steps = [
        {
            "key": step.key,
            "verdict": step.verdict,
            "mistake": step.mistake,
            "cells": step.cells,
            "points": str(step.points),
            "out_of": str(step.out_of),
            "tolerance": step.tolerance,
        }
        for step in mark.steps
    ]
    return Marked(
        mark.points, mark.out_of, mark.verdict, mark.mistake, steps, mark.solution_changed
    )


def mark_choice(wording: Mapping[str, Any], raw: Mapping[str, Any], points: int) -> Marked:
    """Mark the one step of a concept question: right, a mistake (the choice's key) or blank."""
    chosen = next(
        (choice for choice in wording["choices"] if choice["key"] == raw.get(CHOICE_STEP)), None
    )
    if chosen is None:
        return _choice_marked(verdicts.BLANK, "", points)
    if chosen["correct"]:
        return _choice_marked(verdicts.RIGHT, "", points)
    return _choice_marked(verdicts.MISTAKE, chosen["key"], points)


@lru_cache(maxsize=10_000)
def _choice_marked(verdict: str, mistake: str, points: int) -> Marked:
    out_of = _exact(points)
    earned = out_of if verdict == verdicts.RIGHT else Fraction()
    step = {
        "key": CHOICE_STEP,
        "verdict": verdict,
        "mistake": mistake,
        "cells": None,
        "points": str(earned),
        "out_of": str(out_of),
        "tolerance": None,
    }
    return Marked(earned, out_of, verdict, mistake, [step])


# The review


@dataclass(frozen=True)
class WorkedStep:
    """One step of the worked solution.

    Attributes:
        careful: what comes out when every intermediate result is rounded to three decimals; None
            where nothing is rounded.
        continued: what is right from the student's own earlier steps, where these were not.
        tolerance: how far from the exact values a right answer may be.
        exactly: the earlier steps of which some was typed, not all of it to be read: what they
            hand on to this one are the exact values.
    """

    key: str
    how: str
    latex: str
    values: Any
    feedback: Mapping[str, str]
    careful: Any = None
    continued: Any = None
    tolerance: float = 0.0
    exactly: Sequence[str] = ()


def worked_solution(
    variant: Mapping[str, Any], raw: Mapping[str, Any] | None = None, *, printed: bool = False
) -> list[WorkedStep]:
    """The solution step by step with this variant's numbers, and what to say of each mistake.

    With a `raw` answer also how its own numbers go on. Of what is `printed` already neither the
    formulas nor what careful rounding gives are worked out again.

    Raises:
        UnknownKind: the variant's family is no longer there.
    """
    problem = _problem(variant)
    own, exactly = own_way(problem, raw) if raw else ({}, {})
    return [
        WorkedStep(
            step.key,
            step.how,
            "" if printed else step.worked(problem.values),
            variant["solution"][step.key],
            {mistake.key: mistake.feedback for mistake in step.mistakes}
            | {verdicts.OTHER_CHOICE: step.wrong_choice},
            careful=None if printed else _listed(problem.careful.get(step.key)),
            continued=_listed(own.get(step.key)),
            tolerance=problem.tolerance[step.key],
            exactly=exactly.get(step.key, ()),
        )
        for step in problem.family.steps
    ]


@dataclass(frozen=True)
class StepHints:
    """What can be said of a step before it is solved.

    Attributes:
        nudge: a sentence, in Markdown.
        formula: LaTeX in symbols.
        cell: LaTeX of the first cell, worked out.
    """

    key: str
    nudge: str
    formula: str
    cell: str


def hints_of(variant: Mapping[str, Any]) -> list[StepHints]:
    """The hints on each step of a variant, with its numbers.

    Raises:
        UnknownKind: the variant's family is no longer there.
    """
    problem = _problem(variant)
    return [
        StepHints(step.key, step.nudge, step.formula, step.worked(problem.values))
        for step in problem.family.steps
    ]


def program_of(variant: Mapping[str, Any]) -> str:
    """The solution as a program in NumPy, with this variant's numbers; "" where there is none.

    Raises:
        UnknownKind: the variant's family is no longer there.
    """
    return program(_problem(variant))


def first_slip_in(
    variant: Mapping[str, Any], raw: Mapping[str, Any], marks: Iterable[Mapping[str, Any]]
) -> Slip | None:
    """The first number that is not right, worked out, by the steps of its grade.

    Raises:
        UnknownKind: the variant's family is no longer there.
    """
    cells = {mark["key"]: mark["cells"] for mark in marks if mark["verdict"] in NOT_RIGHT}
    return first_slip(_problem(variant), raw, cells) if cells else None


def _problem(variant: Mapping[str, Any]) -> Problem:
    try:
        return problem_from_json(variant)
    except AuthorError as gone:
        raise UnknownKind(str(gone)) from gone


def _listed(array: np.ndarray | None) -> Any:
    return None if array is None else array.tolist()
