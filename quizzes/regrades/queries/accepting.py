"""Answers to problems that a regrade can accept."""

from collections import Counter
from typing import NamedTuple

from django.db.models import Count

from quizzes.models import Ruling
from quizzes.models.plain_json import cast_to_text
from quizzes.models.steps import parse_outlines
from quizzes.problems import verdicts
from quizzes.regrades.queries.marks import latest_grades
from quizzes.regrades.queries.regrades import answers_in_scope
from quizzes.regrades.rules import accepted_answer

_VARIANT = "answer__item__variant__"


class GivenAnswer(NamedTuple):
    """A mistake that was made at a step, or without one all answers that are not right there."""

    family: str
    version: int
    step: str
    mistake: str
    count: int

    @property
    def value(self) -> str:
        """The value that a regrade stores to accept it."""
        return accepted_answer(self.version, self.step, self.mistake)


def acceptable_answers(regrade: Ruling) -> list[GivenAnswer]:
    """Return the answers in a regrade's scope that it can accept, with how many gave each.

    They come version by version and step by step, the most frequent mistake first and last all
    answers to the step.
    """
    grades = latest_grades(answers_in_scope(regrade, "answer__")).filter(out_of__gt=0)
    rows = (
        grades.exclude(answer__item__variant=None)
        .order_by()
        .values_list(f"{_VARIANT}version", f"{_VARIANT}family", cast_to_text("steps"))
    )
    families: dict[tuple[int, str], str] = {}
    wrong: Counter[tuple[int, str]] = Counter()
    named: Counter[tuple[int, str, str]] = Counter()
    for version, family, text, count in rows.annotate(Count("pk")):
        for step, verdict, mistake, _lost in parse_outlines(text):
            families.setdefault((version, step), family)
            if verdict not in (verdicts.RIGHT, verdicts.FOLLOWS):
                wrong[version, step] += count
            if mistake:
                named[version, step, mistake] += count
    return [
        GivenAnswer(families[place], *place, mistake, count)
        for place in families
        for mistake, count in (
            *((key, count) for (*at, key), count in named.most_common() if (*at,) == place),
            ("", wrong[place]),
        )
        if count
    ]
