"""The exercise at the end of a section, in its lesson and on its own page."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy

from design.fragments import render_fragment
from lessons import extensions
from lessons.models import Rung
from quizzes import problems
from quizzes.items.presenters.asked_item import NO_MARKS, asked_item
from quizzes.items.presenters.worked_solution import printed_question, solved_steps
from quizzes.marking.presenters.reviewed_item import ReviewedItem
from quizzes.models import Answer, Grade, Item
from quizzes.practice.exercises import Exercise, exercise_of, today
from quizzes.practice.presenters.practice import cell_verdicts, feedback_without_points

ASSETS = ("quizzes/exercise.css", "quizzes/practice/exercise.js")
GO_ON: Mapping[int, Promise] = {
    Rung.HOLE: gettext_lazy("Next: without an example"),
    Rung.ALONE: gettext_lazy("Next: on your own"),
}


def exercise_in_lesson(
    lesson: str, section: str, pk: int, families: str, rung: int, *, is_known: bool
) -> extensions.Exercise | None:
    """Return a section's exercise for a lesson's page: the same for all visitors, or students.

    The section is given as to `exercise_of`.
    """
    where = (lesson, section, pk, families)
    return _in_lesson(*where, rung, is_known, today(), get_language())


# Every page of a lesson has several, the same all day. Their indents would take time to compress.
@lru_cache(maxsize=1024)
def _in_lesson(
    lesson: str,
    section: str,
    pk: int,
    families: str,
    rung: int,
    is_known: bool,
    _day: int,
    _language: str | None,
) -> extensions.Exercise | None:
    asked = exercise_of(lesson, section, pk, families, rung)
    if asked is None:
        return None
    printed = _printed(asked, asked.item(), is_known=is_known)
    return replace(
        printed, opening=_without_indents(printed.opening), rest=_without_indents(printed.rest)
    )


def _without_indents(html: SafeString) -> SafeString:
    return SafeString(re.sub(r"\s*\n\s*", "\n", html))


def exercise_context(
    exercise: Exercise,
    item: Item,
    answer: Answer | None,
    grade: Grade | None,
    *,
    is_known: bool,
    message: str = "",
) -> dict[str, Any]:
    """Return the exercise on its own page, with its feedback once it is marked."""
    return {
        "exercise": _printed(exercise, item, grade, is_known=is_known, message=message),
        "feedback": _feedback(exercise, answer, grade) if answer and grade else None,
    }


def _feedback(exercise: Exercise, answer: Answer, grade: Grade) -> ReviewedItem:
    """Return the feedback on what was typed; it leaves out the steps that were filled in."""
    whole = feedback_without_points(answer, grade, {})
    given = exercise.given_steps
    return replace(whole, steps=[step for step in whole.steps if step["key"] not in given])


def _printed(
    exercise: Exercise, item: Item, grade: Grade | None = None, *, is_known: bool, message: str = ""
) -> extensions.Exercise:
    is_right = grade is not None and grade.verdict == problems.verdicts.RIGHT
    address = reverse("quizzes:exercise", args=[exercise.lesson, exercise.section])

    def others(rung: int) -> str:
        query = {"after": exercise.signature}
        return f"{address}?{urlencode(query if rung == exercise.rung else query | {'rung': rung})}"

    context = {
        "pk": exercise.pk,
        "url": address,
        "is_known": is_known,
        "message": message,
        "rungs": [
            {"label": Rung(rung).label, "url": others(rung), "is_current": rung == exercise.rung}
            for rung in exercise.rungs
        ],
        "example": _example(exercise.example()),
        "asked": asked_item(
            item, marks=cell_verdicts(item, grade) if grade else NO_MARKS, title=item.asked["title"]
        ),
        "question": exercise.signature,
        "is_exercise": True,
        "how": (),
        "is_marked": grade is not None,
        "is_right": is_right,
        "go_on": {"label": GO_ON[exercise.next_rung], "url": others(exercise.next_rung)}
        if is_right and exercise.next_rung != exercise.rung
        else None,
        "other_url": others(exercise.rung),
    }
    return extensions.Exercise(
        opening=render_fragment("quizzes/practice/_exercise_opening.html", **context),
        rest=render_fragment("quizzes/practice/_exercise_rest.html", **context),
        taught_at=f"{reverse('lessons:lesson', args=[exercise.lesson])}#{exercise.section}",
        assets=ASSETS,
    )


def _example(item: Item | None) -> dict[str, Any] | None:
    """Return a problem with its worked solution."""
    if item is None:
        return None
    solution = problems.worked_solution(vars(item.variant))
    steps = solved_steps(item.shown, solution.steps, has_tolerance=False)
    return {"question": printed_question(item.shown), "steps": [*steps.values()]}
