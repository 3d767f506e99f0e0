"""A marked item as its student reads it: the answer, its mistakes, and the worked solution."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from design.matrix import Cell, Matrix, plain_number
from design.translation import gettext as _
from lessons.models import Section
from quizzes import problems
from quizzes.items.presenters import grids, texts
from quizzes.items.presenters.asked_item import givens_of, statement_of
from quizzes.items.presenters.skills import item_title, skill_url
from quizzes.items.presenters.verdicts import choice_note, points_note, verdict_note, verdict_word
from quizzes.items.presenters.worked_solution import worked_steps
from quizzes.items.queries import mistake_name
from quizzes.items.skills import Skill
from quizzes.marking.presenters.first_slip import first_slip
from quizzes.marking.presenters.remarks import Remark, remarks
from quizzes.marking.presenters.reviewed_choice import (
    ReviewedChoice,
    corrected_choice,
    marked_choice,
)
from quizzes.models import Answer, Grade, Item, Ruling, RulingLine
from quizzes.problems import Solution, UnknownKind, verdicts
from quizzes.problems.answers import CHOICE_STEP, cell_field, flatten, is_choice, nest_as_grid
from quizzes.regrades.queries.regrades import NO_CORRECTIONS, Corrections
from quizzes.regrades.rules import is_accepted
from quizzes.reports.presenters.student import OwnReport

NO_TITLES: Mapping[str, str] = MappingProxyType({})
# The context of steps without these parts.
NOTHING_MORE: dict[str, Any] = {"more": (), "slip": None, "matrix": None, "choices": ()}


@dataclass(frozen=True)
class ReviewedItem:
    """One question with its answer, its marks and its solution."""

    position: int
    title: str
    is_choice: bool
    verdict: str
    shown_verdict: str
    word: str
    points: str
    out_of: str
    data_points: str
    data_out_of: str
    statement: SafeString
    steps: Sequence[Mapping[str, Any]]
    worked: Sequence[dict[str, Any]] = ()
    matrices: Sequence[Matrix] = ()
    scalars: Sequence[dict[str, Any]] = ()
    program: str = ""
    explanation: SafeString | str = ""
    section: Section | None = None
    practise_url: str = ""
    family: str = ""
    report: OwnReport | None = None
    is_withheld: bool = False
    remarks: Sequence[Remark] = ()
    item: int = 0

    @property
    def is_right(self) -> bool:
        return self.verdict == verdicts.RIGHT

    @property
    def has_slip(self) -> bool:
        """Return whether the answer shows its first wrong number, worked out."""
        return any(step["slip"] for step in self.steps)

    @property
    def is_folded(self) -> bool:
        """Return whether it is folded: right or blank, with nothing to read about a report."""
        nothing_to_fix = self.is_right or self.shown_verdict == verdicts.BLANK
        return nothing_to_fix and not (self.report and self.report.has_content)


@dataclass(frozen=True)
class GradedItem:
    """An item with its answer and grade, and its worked solution if the family still exists.

    Attributes:
        keys: the corrections of its answer key; `left` has regrades' lines that left its mark.
        accepts: the answers that regrades accept.
        corrected: the regrade by whose version of the problem it is solved, instead of the asked.
        has_points: whether points are mentioned.
        is_open: whether the student may practise its problem.
    """

    item: Item
    raw: Mapping[str, Any]
    grade: Grade
    solution: Solution
    keys: Sequence[Ruling] = ()
    left: Sequence[RulingLine] = ()
    accepts: Sequence[str] = ()
    corrected: Ruling | None = None
    has_points: bool = True
    is_open: bool = True

    @classmethod
    def of(
        cls,
        answer: Answer,
        grade: Grade,
        corrections: Corrections = NO_CORRECTIONS,
        *,
        has_points: bool = True,
        closed: Collection[str] = (),
    ) -> "GradedItem":
        """Build it from an answer and its grade, with the variant's solution.

        The student cannot practise `closed` families.
        """
        keys = corrections.keys.get(answer.item.question_id, ())
        left = corrections.left.get(answer.pk, ())
        accepts = corrections.accepted_for(answer.item)
        corrected = corrections.correction_of(answer.item)
        solution = Solution()
        if variant := answer.item.variant:
            stored = vars(variant)
            if corrected:
                stored = problems.correct_variant(stored, corrected.values["version"])
                if stored["version"] == variant.version:  # it has no solution with these numbers
                    corrected = None
            # If all is right, there are no own numbers to continue from.
            erred = any(step["verdict"] != verdicts.RIGHT for step in grade.steps)
            with suppress(UnknownKind):  # the family was removed; all else is still shown
                solution = problems.worked_solution(
                    stored, answer.raw if erred else None, grade.steps
                )
        return cls(
            *(answer.item, answer.raw, grade, solution, keys, left, accepts, corrected),
            has_points=has_points,
            is_open=not (variant and variant.family in closed),
        )

    @cached_property
    def skill(self) -> Skill:
        """The skill that the item asked for."""
        return Skill.of_item(self.item.asked)

    @cached_property
    def is_choice(self) -> bool:
        return is_choice(self.item.asked)

    @property
    def is_practicable(self) -> bool:
        """Return whether the item can still be practised."""
        question = self.item.question
        if question:
            return question.published and not question.reserved
        return self.is_open and bool(self.solution.steps)

    @property
    def written_out(self) -> str:
        """The step whose solution is written out for the same number as the slip above it."""
        slip = self.solution.slip
        # In practice both are folded.
        if not (slip and self.has_points) or slip.follows or slip.row or slip.column:
            return ""
        return slip.step

    @cached_property
    def unreadable(self) -> dict[str, str]:
        """The reasons why cells could not be read, by field."""
        asked = self.item.asked
        notes = problems.cell_notes(asked, flatten(asked, self.raw))
        return {note.cell.field: note.unreadable for note in notes if note.unreadable}

    def mistake_name(self, step: Mapping[str, Any]) -> str:
        """Return a mistake's name: the same in all of a family; of a choice, its question's own."""
        return mistake_name(self.item.asked.get("key", ""), step["mistake"])

    def is_accepted(self, step: Mapping[str, Any]) -> bool:
        """Return whether a regrade gave this step, which is not right, its whole points."""
        version = self.item.variant.version if self.item.variant else None
        return (
            step["verdict"] not in (verdicts.RIGHT, verdicts.FOLLOWS)
            and is_accepted(step, version, self.accepts)
            and 0 < Fraction(step["out_of"]) == Fraction(step["points"])
        )

    def feedback(self, step: Mapping[str, Any]) -> str:
        """Return the feedback on the mistake in a step, in Markdown."""
        if self.is_choice:
            return self._choice(step).get("feedback", "")
        known = self.solution.steps.get(step["key"])
        return known.feedback.get(step["mistake"], "") if known else ""

    def wrong_choice(self, step: Mapping[str, Any]) -> str:
        """Return the wrong choice that was made in a question of choices, in Markdown, else ""."""
        return self._choice(step).get("text", "") if self.is_choice else ""

    def _choice(self, step: Mapping[str, Any]) -> Mapping[str, Any]:
        choices = {choice["key"]: choice for choice in self.item.asked["choices"]}
        return choices.get(step["mistake"], {})


def build_reviewed_item(
    graded: GradedItem, homes: Mapping[str, Section], titles: Mapping[str, str] = NO_TITLES
) -> ReviewedItem:
    """Return one marked answer with its solution.

    `homes` maps families to the sections that teach them; `titles` are those of topics.
    """
    item, grade, shown = graded.item, graded.grade, graded.item.shown
    common = {
        "position": item.position,
        "is_choice": graded.is_choice,
        "verdict": grade.verdict,
        "shown_verdict": (shown_verdict := verdict_to_show(grade)),
        "word": verdict_word(shown_verdict),
        **_points(grade.points, grade.out_of),
        "statement": texts.render_block(statement_of(shown)),
        "title": item_title(graded.item, titles),
        "practise_url": skill_url(graded.skill) if graded.is_practicable else "",
        "remarks": [*remarks(grade, graded.keys, graded.left, graded.corrected)],
        "item": item.pk,
    }
    if graded.is_choice:
        return ReviewedItem(
            **common,
            steps=[_concept_step(graded)],
            explanation=texts.render_block(shown["explanation"]),
            section=item.question and item.question.section,
        )
    return ReviewedItem(
        **common,
        **givens_of(shown),
        steps=tuple(
            _numeric_step(graded, step, mark)
            for step, mark in zip(shown["steps"], grade.steps, strict=True)
        ),
        worked=[*worked_steps(shown, grade.steps, graded.solution.steps, graded.written_out)],
        program=graded.solution.program,
        section=item.variant and homes.get(item.variant.family),
        family=shown["family"],
    )


def verdict_to_show(grade: Grade) -> str:
    """Return the verdict to show: an answer that was begun and left is partial, not blank."""
    is_begun = grade.verdict == verdicts.BLANK and grade.points
    return verdicts.PARTIAL if is_begun else grade.verdict


def _points(points: float, out_of: float) -> dict[str, str]:
    """Return points as text for readers, and as plain numbers for programs."""
    return {
        "points": texts.format_points(points),
        "out_of": texts.format_points_with_noun(out_of),
        "data_points": plain_number(round(points, 4)),
        "data_out_of": plain_number(round(out_of, 4)),
    }


def _numeric_step(
    graded: GradedItem, step: Mapping[str, Any], mark: Mapping[str, Any]
) -> dict[str, Any]:
    """Return one step with its answer, verdict, and explanation.

    `note` explains the verdict, `more` lists that it was accepted and the effects of unreadable
    entries, and `slip` is the first number that is not right, worked out.
    """
    common = NOTHING_MORE | {
        "key": step["key"],
        "label": grids.caption_of(step).caption,
        "verdict": mark["verdict"],
        "mistake": mark["mistake"],
        "word": verdict_word(mark["verdict"]),
        "note": _note(graded, step, mark),
        **_points(float(Fraction(mark["points"])), float(Fraction(mark["out_of"]))),
    }
    raw = graded.raw.get(step["key"])
    if step["choices"]:
        more = [*_accepted_note(graded, mark)]
        return common | {"more": more, "choices": _offered(graded, step, raw)}
    typed, marks = nest_as_grid(raw), nest_as_grid(mark["cells"])

    def cell(row: int, column: int) -> Cell:
        return Cell(
            text=texts.format_typed(typed[row][column]),
            mark=marks[row][column],
            note=graded.unreadable.get(cell_field(step["key"], row, column), ""),
        )

    slip = graded.solution.slip
    is_named = mark["verdict"] == verdicts.MISTAKE
    seen = (
        first_slip(graded.item.shown, graded.raw, slip, is_named=is_named)
        if slip and slip.step == step["key"]
        else None
    )
    # In practice the right number is folded, so a note that nothing was recognised stays.
    if seen and mark["verdict"] == verdicts.WRONG and (seen["why"] or graded.has_points):
        common["note"] = ""
    return common | {
        "more": [*_accepted_note(graded, mark), *_unreadable_notes(graded, step, mark)],
        "slip": seen,
        "matrix": grids.step_matrix(step, cell),
    }


def _accepted_note(graded: GradedItem, mark: Mapping[str, Any]) -> Iterator[str]:
    if graded.is_accepted(mark):
        yield _("Your instructor accepts this answer: full points for this step.")


def _unreadable_notes(
    graded: GradedItem, step: Mapping[str, Any], mark: Mapping[str, Any]
) -> Iterator[SafeString]:
    """Yield sentences on unreadable entries, in this step and in those that it uses."""
    if mark["verdict"] not in problems.NOT_RIGHT:
        return
    cells = _cells(mark)
    unread = cells.count(verdicts.UNREADABLE)
    if unread and not set(cells) <= {verdicts.UNREADABLE, verdicts.BLANK}:
        words = ngettext(
            "One entry couldn’t be read and counts as wrong.",
            "%(count)s entries couldn’t be read and count as wrong.",
            unread,
        )
        yield texts.render_line(words % {"count": unread})
    known = graded.solution.steps.get(step["key"])
    earlier = {each["key"]: each for each in graded.grade.steps}
    for shown in graded.item.shown["steps"]:
        if known and shown["key"] in known.exactly:
            unread = verdicts.UNREADABLE in _cells(earlier[shown["key"]])
            words = (
                _("Part of “%(step)s” couldn’t be read, so its exact values were used here.")
                if unread
                else _("“%(step)s” isn’t complete, so its exact values were used here.")
            )
            yield texts.render_line(words % {"step": shown["label"]})


def _cells(mark: Mapping[str, Any]) -> list[str]:
    """Return the verdicts on the cells that were to be typed."""
    return [cell for row in nest_as_grid(mark["cells"]) for cell in row if cell != verdicts.FIXED]


def _note(graded: GradedItem, step: Mapping[str, Any], mark: Mapping[str, Any]) -> SafeString | str:
    verdict = mark["verdict"]
    if step["choices"]:
        return (
            texts.render_line(graded.feedback(mark))
            if verdict == verdicts.MISTAKE
            else choice_note(verdict)
        )
    feedback, earned = _note_and_points(graded, mark)
    says_points = graded.has_points and not graded.is_accepted(mark)
    words = f"{feedback} {earned if says_points else ''}".strip()
    return texts.render_line(words) if verdict == verdicts.MISTAKE else words


def _note_and_points(graded: GradedItem, mark: Mapping[str, Any]) -> tuple[str, str]:
    """Return sentences on a step's cells or mistake (in Markdown), and on their points."""
    verdict, cells = mark["verdict"], _cells(mark)
    right = sum(cell == verdicts.RIGHT for cell in cells)
    points, out_of = Fraction(mark["points"]), Fraction(mark["out_of"])
    if verdict == verdicts.MISTAKE:
        return graded.feedback(mark), _points_of_mistake(points, out_of * right / len(cells))
    if verdict in (verdicts.PARTIAL, verdicts.WRONG) and set(cells) <= {
        verdicts.UNREADABLE,
        verdicts.BLANK,
    }:
        return _("None of these entries can be read. The reason is given for each."), ""
    count = {"right": right, "all": len(cells)}
    share = _("Each earns its share of the points.")
    if verdict == verdicts.PARTIAL:
        return _("You have %(right)s of %(all)s numbers right.") % count, share
    if verdict == verdicts.NEAR and 2 * points > out_of:
        words = _(
            "The method is right, but you rounded some values too early. Keep "
            "more digits until the end. You have %(right)s of %(all)s numbers "
            "right."
        )
        return words % count, share
    return verdict_note(verdict), points_note(verdict)


def _points_of_mistake(points: Fraction, share: Fraction) -> str:
    """Return a sentence on a known mistake's points; `share` is that of its right numbers."""
    if points > share:
        return _("This is close enough to earn half the points.")
    if points:
        return _("Any numbers that are still right earn their share of the points.")
    # Older grades may earn less than that share.
    return _("Numbers that happen to be right earn nothing here.") if share else ""


def _offered(graded: GradedItem, step: Mapping[str, Any], raw: str) -> list[ReviewedChoice]:
    """Return the choices of a numeric item's step, marked."""
    known = graded.solution.steps.get(step["key"])
    right = str(int(known.values)) if known else None
    return [
        marked_choice(word, chosen=raw == str(place), correct=right == str(place))
        for place, word in enumerate(step["choices"])
    ]


def _concept_step(graded: GradedItem) -> dict[str, Any]:
    (mark,) = graded.grade.steps
    chosen = graded.raw.get(CHOICE_STEP)
    return NOTHING_MORE | {
        "key": CHOICE_STEP,
        "label": "",
        "verdict": mark["verdict"],
        "mistake": mark["mistake"],
        "word": verdict_word(mark["verdict"]),
        "note": choice_note(mark["verdict"]),
        **_points(graded.grade.points, graded.grade.out_of),
        "choices": [
            corrected_choice(choice, choice["key"] == chosen, graded.keys)
            for choice in graded.item.shown["choices"]
        ],
    }
