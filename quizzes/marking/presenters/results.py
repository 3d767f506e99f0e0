"""A marked attempt as its student reads it: the score, what to learn first, then every item."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, ngettext

from design.matrix import plain_number
from lessons.models import Section
from quizzes.delivery.presenters.scores import Score, format_score
from quizzes.delivery.queries.secrecy import ShownMarks
from quizzes.items.presenters import texts
from quizzes.items.presenters.asked_item import statement_of
from quizzes.items.presenters.skills import skill_title, skill_url
from quizzes.items.queries import practisable_skills
from quizzes.items.skills import Skill
from quizzes.marking.presenters.reviewed_item import GradedItem, ReviewedItem, build_reviewed_item
from quizzes.marking.queries import is_not_right, needs_fixing
from quizzes.models import Answer, Attempt, Grade, Ruling, RulingLine
from quizzes.passing import TOLERANCE, earned_share
from quizzes.problems import verdicts
from quizzes.reports.presenters.student import OwnReport

HALF = 50  # per cent; from here on a pass mark has more room for its label on its left
NO_KEYS: Mapping[int, Sequence[Ruling]] = MappingProxyType({})
NO_REGRADE_LINES: Mapping[int, Sequence[RulingLine]] = MappingProxyType({})
# The costliest mistakes, then repeated ones up to MOST in all.
MAX_COSTLIEST = 3
MAX_INSIGHTS = 5


@dataclass(frozen=True)
class WithheldItem:
    """A question whose result is withheld for now.

    Attributes:
        is_decided: no other quiz asks it, but its mark was decided by a question that one asks.
    """

    position: int
    title: str
    statement: SafeString
    verdict: str = "waiting"
    word: str = gettext_lazy("withheld")
    is_decided: bool = False
    is_choice: bool = True
    is_withheld: bool = True
    is_right: bool = False
    report: OwnReport | None = None


@dataclass(frozen=True)
class Tally:
    """Numbers of questions by result. Void questions are in none of them.

    Attributes:
        to_fix: wrong answers; `blank` ones are apart.
        withheld: without a result for now, as another quiz asks them or a question that decided
            their mark.
        shown: all questions on the page.
        practised: those not right that can be practised.
        kept: those not right that are concept questions kept for exams.
    """

    right: int
    near: int
    to_fix: int
    blank: int
    withheld: int
    shown: int
    practised: int
    kept: int = 0

    @property
    def to_practise(self) -> int:
        """The number of questions that were not right."""
        return self.to_fix + self.blank + self.near

    @property
    def in_words(self) -> str:
        counts = (
            (self.right, gettext("%(count)s right")),
            (self.near, gettext("%(count)s near")),
            (self.to_fix, gettext("%(count)s to fix")),
            (self.blank, gettext("%(count)s left blank")),
            (self.withheld, gettext("%(count)s withheld")),
        )
        return ", ".join(words % {"count": count} for count, words in counts if count)


@dataclass(frozen=True)
class Review:
    """A marked attempt.

    Attributes:
        until: when the withheld results will be shown, as things stand; None if unknown.
    """

    score: Score
    bar: dict[str, Any] | None
    tally: Tally
    outcome: str
    insights: Sequence[dict[str, Any]]
    strengths: Sequence[dict[str, Any]]
    items: tuple[ReviewedItem | WithheldItem, ...]
    until: datetime | None = None

    @property
    def is_decided(self) -> bool:
        """Return whether the score leaves out a mark that a withheld question decided."""
        return any(item.is_withheld and item.is_decided for item in self.items)


def build_review(
    attempt: Attempt,
    graded: Sequence[tuple[Answer, Grade]],
    shown: ShownMarks,
    *,
    homes: Mapping[str, Section],
    titles: Mapping[str, str],
    earlier: Mapping[str, Sequence[int]],
    hidden: Collection[int] = (),
    decided: Collection[int] = (),
    until: datetime | None = None,
    keys: Mapping[int, Sequence[Ruling]] = NO_KEYS,
    left: Mapping[int, Sequence[RulingLine]] = NO_REGRADE_LINES,
) -> Review:
    """Return the review of an attempt whose answers have their latest grades.

    `homes` maps families to the sections that teach them, `titles` are those of topics; `earlier`
    has the numbers of the attempts in which a mistake was made before, by its name. Results of the
    `hidden` items are withheld until `until`, and `shown` leaves them out; some are `decided` by
    others of them. `keys` are the corrections of keys in force, by question; `left` the regrade
    lines that left marks alone, by answer.
    """
    read = [
        GradedItem.of(answer, grade, keys.get(answer.item.question_id, ()), left.get(answer.pk, ()))
        for answer, grade in graded
    ]
    visible = [each for each in read if each.item.pk not in hidden]
    score, tally = format_score(shown, attempt.quiz), _tally(visible, len(read))
    return Review(
        score=score,
        bar=_bar(shown, score),
        tally=tally,
        outcome=_outcome(score, tally),
        insights=[*_insights(visible, earlier, titles)],
        strengths=_strengths(visible, titles, _practised(visible)),
        items=tuple(
            _withheld(each, titles, is_decided=each.item.pk in decided)
            if each.item.pk in hidden
            else build_reviewed_item(each, homes, titles)
            for each in read
        ),
        until=until,
    )


def _tally(graded: Sequence[GradedItem], shown: int) -> Tally:
    counted = [each for each in graded if each.grade.out_of]
    to_fix = [each for each in counted if needs_fixing(each.grade)]
    not_right = [each for each in counted if is_not_right(each.grade)]
    near = sum(each.grade.verdict == verdicts.NEAR for each in counted)
    blank = sum(each.grade.verdict == verdicts.BLANK for each in to_fix)
    return Tally(
        right=len(counted) - len(to_fix) - near,
        near=near,
        to_fix=len(to_fix) - blank,
        blank=blank,
        withheld=shown - len(graded),
        shown=shown,
        practised=sum(each.is_practicable for each in not_right),
        kept=sum(each.is_kept_for_exams for each in not_right),
    )


def _bar(shown: ShownMarks, score: Score) -> dict[str, Any] | None:
    """Return the score in per cent, and whether the pass mark's label goes on its left.

    None unless there is a pass mark and the score is complete.
    """
    # Only a complete score is compared with the pass mark.
    if score.pass_mark is None or not shown.out_of or shown.left_out:
        return None
    percent = min(100.0, max(0.0, 100 * shown.share))
    return {"percent": plain_number(round(percent, 1)), "is_late": score.pass_mark >= HALF}


def _outcome(score: Score, tally: Tally) -> str:
    """Return one sentence that sums up the result."""
    if score.passed and tally.to_fix:
        return gettext("You passed. Well done. Your mistakes are worked out below.")
    if score.passed and tally.blank:
        return gettext("You passed. Well done. The solutions to what you left blank are below.")
    if score.passed and score.left_out:
        return gettext("You passed. Well done.")
    if score.passed:
        return gettext("You passed, and there is nothing left to fix. Well done.")
    if score.passed is None:
        return gettext("Whether you passed depends on the questions that are left out.")
    if tally.to_fix:
        return gettext(
            "Not there yet. Each question to fix is worked out below: take them one at a time."
        )
    if tally.blank:
        return gettext("Not there yet. The solutions to what you left blank are below.")
    if score.left_out:
        return gettext("Not there yet.")
    return gettext("Not there yet, but your methods were right: keep more digits next time.")


def _withheld(graded: GradedItem, titles: Mapping[str, str], *, is_decided: bool) -> WithheldItem:
    return WithheldItem(
        graded.item.position,
        skill_title(graded.skill, titles),
        texts.render_block(statement_of(graded.item.shown)),
        is_decided=is_decided,
        is_choice=graded.is_choice,
    )


def _insights(
    graded: Sequence[GradedItem], earlier: Mapping[str, Sequence[int]], titles: Mapping[str, str]
) -> Iterable[dict[str, Any]]:
    """Yield the costliest mistakes, then those that were repeated, each once.

    `earlier` has the numbers of the earlier attempts with the same mistake.
    """
    lost: dict[str, Fraction] = {}
    places: dict[str, list[int]] = {}
    feedback_of: dict[str, str] = {}
    made_in: dict[str, GradedItem] = {}
    for each in graded:
        for step in each.grade.steps:
            feedback = each.feedback(step) if step["verdict"] == verdicts.MISTAKE else ""
            if not feedback or not each.grade.out_of:
                continue
            name = each.mistake_name(step)
            feedback_of.setdefault(name, feedback)
            made_in.setdefault(name, each)
            lost[name] = lost.get(name, Fraction()) + _lost(step)
            if each.item.position not in places.setdefault(name, []):
                places[name].append(each.item.position)
    costliest = sorted(lost, key=lambda name: (-lost[name], places[name][0]))
    again = [name for name in costliest[MAX_COSTLIEST:] if len(places[name]) > 1 or name in earlier]
    for name in [*costliest[:MAX_COSTLIEST], *again][:MAX_INSIGHTS]:
        first = made_in[name]
        yield {
            "title": skill_title(first.skill, titles),
            "practise_url": skill_url(first.skill) if first.is_practicable else "",
            "feedback": texts.render_line(feedback_of[name]),
            "positions": tuple(places[name]),
            "lost": texts.format_points_with_noun(float(lost[name])),
            "earlier": tuple(earlier.get(name, ())),
        }


def _lost(step: Mapping[str, str]) -> Fraction:
    return Fraction(step["out_of"]) - Fraction(step["points"])


def _practised(graded: Sequence[GradedItem]) -> set[Skill]:
    """Return the skills that can be practised, even if not with the question that was asked."""
    kept = [each.skill for each in graded if each.is_kept_for_exams]
    return {each.skill for each in graded if each.is_practicable}.union(practisable_skills(kept))


def _strengths(
    graded: Iterable[GradedItem], titles: Mapping[str, str], practised: Collection[Skill]
) -> list[dict[str, Any]]:
    """Return the result of each skill, the best first.

    Skills with only blank answers come last, as these say nothing about a skill.
    """
    skills: dict[Skill, list[GradedItem]] = {}
    for each in graded:
        skills.setdefault(each.skill, []).append(each)
    found = [
        {
            "title": skill_title(skill, titles),
            "url": skill_url(skill) if skill in practised else "",
            "percent": _percent(each.grade for each in asked),
            "is_blank": all(each.grade.verdict == verdicts.BLANK for each in asked),
        }
        for skill, asked in skills.items()
    ]
    return sorted(found, key=lambda strength: (strength["is_blank"], -strength["percent"]))


def _percent(grades: Iterable[Grade]) -> int:
    grades = list(grades)
    out_of = sum(grade.out_of for grade in grades)
    return int(100 * earned_share(sum(grade.points for grade in grades), out_of) + TOLERANCE)


def describe_time_taken(attempt: Attempt) -> str:
    """Return the time that the attempt took, of the time it had."""
    if attempt.reopened:  # its times include the break
        return gettext("reopened after being submitted")
    minute = timedelta(minutes=1)
    took = texts.whole_minutes((attempt.submitted_at - attempt.started_at) / minute)
    if attempt.deadline is None:
        return ngettext("%(took)s minute", "%(took)s minutes", took) % {"took": took}
    had = texts.whole_minutes((attempt.deadline - attempt.started_at) / minute)
    words = ngettext("%(took)s of %(had)s minute", "%(took)s of %(had)s minutes", had)
    return words % {"took": min(took, had), "had": had}
