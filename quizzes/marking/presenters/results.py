"""A marked attempt as its student reads it: the score, what to learn first, then every item."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, ngettext

from design.matrix import plain_number
from lessons.models import Section
from quizzes.delivery.presenters.scores import Score, format_score
from quizzes.delivery.queries.secrecy import ShownMarks
from quizzes.items.presenters import texts
from quizzes.items.presenters.asked_item import statement_of
from quizzes.items.presenters.skills import item_title, skill_url
from quizzes.marking.presenters.remarks import Remark
from quizzes.marking.presenters.reviewed_item import (
    GradedItem,
    ReviewedItem,
    build_reviewed_item,
    verdict_to_show,
)
from quizzes.marking.queries import is_not_right, needs_fixing
from quizzes.models import Answer, Attempt, Grade
from quizzes.problems import verdicts
from quizzes.regrades.queries.regrades import NO_CORRECTIONS, Corrections
from quizzes.reports.presenters.student import OwnReport

MAX_INSIGHTS = 2


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
    shown_verdict: str = "waiting"
    word: str = gettext_lazy("withheld")
    is_decided: bool = False
    is_choice: bool = True
    is_withheld: bool = True
    is_folded: bool = False
    family: str = ""
    remarks: Sequence[Remark] = ()
    report: OwnReport | None = None


@dataclass(frozen=True)
class Tally:
    """Numbers of questions by result. Void questions are in none of them.

    Attributes:
        to_fix: wrong answers; `blank` ones are apart.
        withheld: without a result for now, as another quiz asks them or a question that decided
            their mark.
        practised: those not right that can be practised.
    """

    right: int
    near: int
    to_fix: int
    blank: int
    withheld: int
    practised: int

    @property
    def in_words(self) -> str:
        counts = (
            (self.right, gettext("%(count)s right")),
            (self.near, gettext("%(count)s nearly right")),
            (self.to_fix, gettext("%(count)s with mistakes")),
            (self.blank, gettext("%(count)s left blank")),
            (self.withheld, gettext("%(count)s withheld")),
        )
        return ", ".join(words % {"count": count} for count, words in counts if count)


@dataclass(frozen=True)
class Review:
    """A marked attempt.

    Attributes:
        bar: the score in per cent, "" if it is not compared with a pass mark.
        until: when the withheld results will be shown, as things stand; None if unknown.
    """

    score: Score
    bar: str
    tally: Tally
    insights: Sequence[dict[str, Any]]
    items: tuple[ReviewedItem | WithheldItem, ...]
    until: datetime | None = None

    @property
    def left_out_in_words(self) -> str:
        """Return how many questions the score leaves out, and why."""
        words = ngettext(
            "%(count)s question is left out of this score, because it’s also asked in an attempt"
            " that’s still open, or in a quiz whose results haven’t been released.",
            "%(count)s questions are left out of this score, because they’re also asked in an"
            " attempt that’s still open, or in a quiz whose results haven’t been released.",
            self.score.left_out,
        )
        return words % {"count": self.score.left_out}

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
    corrections: Corrections = NO_CORRECTIONS,
    closed: Collection[str] = (),
) -> Review:
    """Return the review of an attempt whose answers have their latest grades.

    `homes` maps families to the sections that teach them, `titles` are those of topics; `earlier`
    has the numbers of the attempts in which a mistake was made before, by its name. Results of the
    `hidden` items are withheld until `until`, and `shown` leaves them out; some are `decided` by
    others of them. `corrections` are the regrades that it mentions; `closed` families are
    no longer the student's to practise.
    """
    read = [GradedItem.of(answer, grade, corrections, closed=closed) for answer, grade in graded]
    visible = [each for each in read if each.item.pk not in hidden]
    score = format_score(shown, attempt.quiz)
    return Review(
        score=score,
        bar=_bar(shown, score),
        tally=_tally(visible, len(read)),
        insights=[*_insights(visible, earlier, titles)],
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
    blank = sum(verdict_to_show(each.grade) == verdicts.BLANK for each in to_fix)
    return Tally(
        right=len(counted) - len(to_fix) - near,
        near=near,
        to_fix=len(to_fix) - blank,
        blank=blank,
        withheld=shown - len(graded),
        practised=sum(each.is_practicable for each in not_right),
    )


def _bar(shown: ShownMarks, score: Score) -> str:
    """Return the score in per cent; "" unless there is a pass mark and the score is complete."""
    # Only a complete score is compared with the pass mark.
    if score.pass_mark is None or not shown.out_of or shown.left_out:
        return ""
    return plain_number(round(min(100.0, max(0.0, 100 * shown.share)), 1))


def _withheld(graded: GradedItem, titles: Mapping[str, str], *, is_decided: bool) -> WithheldItem:
    return WithheldItem(
        graded.item.position,
        item_title(graded.item, titles),
        texts.render_block(statement_of(graded.item.shown)),
        is_decided=is_decided,
        is_choice=graded.is_choice,
    )


def _insights(
    graded: Sequence[GradedItem], earlier: Mapping[str, Sequence[int]], titles: Mapping[str, str]
) -> Iterable[dict[str, Any]]:
    """Yield the mistakes that were made before, then those that cost most, up to the limit.

    `earlier` has the numbers of the earlier attempts with the same mistake.
    """
    lost: dict[str, Fraction] = {}
    places: dict[str, list[int]] = {}
    feedback_of: dict[str, str] = {}
    chosen_at: dict[str, str] = {}
    made_in: dict[str, GradedItem] = {}
    for each in graded:
        for step in each.grade.steps:
            feedback = each.feedback(step) if step["verdict"] == verdicts.MISTAKE else ""
            # Of no points is the void question, and what a regrade has given its whole points.
            if not feedback or not _lost(step):
                continue
            name = each.mistake_name(step)
            feedback_of.setdefault(name, feedback)
            chosen_at.setdefault(name, each.wrong_choice(step))
            made_in.setdefault(name, each)
            lost[name] = lost.get(name, Fraction()) + _lost(step)
            if each.item.position not in places.setdefault(name, []):
                places[name].append(each.item.position)
    worst = sorted(lost, key=lambda name: (name not in earlier, -lost[name], places[name][0]))
    for name in worst[:MAX_INSIGHTS]:
        first = made_in[name]
        yield {
            "title": item_title(first.item, titles),
            "practise_url": skill_url(first.skill) if first.is_practicable else "",
            "chosen": texts.render_line(chosen_at[name]),
            "feedback": texts.render_line(feedback_of[name]),
            "positions": tuple(places[name]),
            "lost": texts.format_points_with_noun(float(lost[name])),
            "again": _made_before(earlier.get(name, ())),
        }


def _made_before(attempts: Sequence[int]) -> str:
    if not attempts:
        return ""
    words = ngettext(
        "also made in attempt %(numbers)s", "also made in attempts %(numbers)s", len(attempts)
    )
    return words % {"numbers": ", ".join(map(str, attempts))}


def _lost(step: Mapping[str, str]) -> Fraction:
    return Fraction(step["out_of"]) - Fraction(step["points"])


def describe_time_taken(attempt: Attempt) -> str:
    """Return the time that the attempt took, of the time it had."""
    if attempt.reopened:  # its times include the break
        return gettext("reopened after being submitted")
    minute = timedelta(minutes=1)
    took = texts.whole_minutes((attempt.submitted_at - attempt.started_at) / minute)
    if attempt.deadline is None:
        return ngettext("%(count)s minute", "%(count)s minutes", took) % {"count": took}
    had = texts.whole_minutes((attempt.deadline - attempt.started_at) / minute)
    words = ngettext("%(took)s of %(had)s minute", "%(took)s of %(had)s minutes", had)
    return words % {"took": min(took, had), "had": had}
