"""A desk, from which regrades are made and listed: the site's, or that of a class."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from quizzes.models import Attempt, Ruling, Sitting
from quizzes.visibility import student_pseudonym

type FlagsIn = Callable[[Sitting], Mapping[tuple[str, int], Sequence[str]]]


@dataclass(frozen=True)
class RegradeDesk:
    """A place from which somebody regrades, or only reads regrades.

    Attributes:
        within: the regrades that are listed there.
        sittings: those that may be regraded there, and whose attempts are shown.
        every: whether a regrade may cover all sittings of a quiz at once.
        base: the address of its list; those of the other pages begin with it.
        names: whether students are named, and their attempts may be read.
        flags_in: returns the few words of each flag of a sitting's slots and questions, by
            ("slot", its position) or ("question", its key).
        review: the URL name of an attempt's review; `review_args` come before the attempt.
    """

    within: QuerySet[Ruling]
    sittings: QuerySet[Sitting]
    may_regrade: bool
    every: bool = False
    scope: str = ""
    template: str = "quizzes/regrades/regrades.html"
    base: str = ""
    names: bool = True
    review: str = "quizzes:review"
    review_args: tuple[Any, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
    flags_in: FlagsIn = lambda _sitting: {}

    def may_change(self, regrade: Ruling) -> bool:
        if regrade.sitting_id is None:
            return self.may_regrade and self.every
        return self.may_regrade and self.sittings.filter(pk=regrade.sitting_id).exists()

    def student_of(self, attempt: Attempt) -> tuple[str, str]:
        """Return a student's name here, and the address of the attempt's review."""
        if not self.names:
            return student_pseudonym(attempt.student_id), ""
        return str(attempt.student), reverse(self.review, args=[*self.review_args, attempt.pk])

    def page(self, regrade: Ruling, more: str = "") -> str:
        return f"{self.base}{regrade.pk}/{more}"
