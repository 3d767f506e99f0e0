"""The exercise at the end of a section, in its lesson and on its own page."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from django.template.loader import render_to_string
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
from quizzes.models import Answer, Grade, Item
from quizzes.practice.exercises import Exercise, exercise_of, today
from quizzes.practice.presenters.practice import cell_verdicts, feedback_without_points
from quizzes.written.queries import newest_among

ASSETS = ("quizzes/exercise.css", "quizzes/practice/exercise.js")
# The place of a token in an exercise that is rendered for many pages.
_TOKEN = SafeString("<!--token-->")
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
    versions = newest_among(families.split(", "))
    return _in_lesson(*where, rung, is_known, today(), get_language(), versions)


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
    _versions: tuple[int, ...],
) -> extensions.Exercise | None:
    asked = exercise_of(lesson, section, pk, families, rung)
    if asked is None:
        return None
    html = _printed(asked, asked.item(), token=_TOKEN if is_known else "")
    opening, _token, rest = re.sub(r"\s*\n\s*", "\n", html).partition(_TOKEN)
    return extensions.Exercise(
        opening=SafeString(opening),
        rest=SafeString(rest),
        taught_at=f"{reverse('lessons:lesson', args=[lesson])}#{section}",
        assets=ASSETS,
    )


def printed_exercise(
    exercise: Exercise,
    item: Item,
    marked: tuple[Answer, Grade] | None,
    *,
    message: str = "",
    token: SafeString | str = "",
) -> SafeString:
    """Render an exercise for its own page, with its feedback once it is marked.

    `token` is the form's field against forgery, if it is posted.
    """
    if marked is None:
        return _printed(exercise, item, message=message, token=token)
    answer, grade = marked
    whole = feedback_without_points(answer, grade, {})
    # What was filled in needs no feedback.
    typed = [step for step in whole.steps if step["key"] not in exercise.given_steps]
    feedback = render_to_string(
        "quizzes/practice/_exercise_feedback.html",
        {"reviewed": replace(whole, steps=typed), "html_id": f"exercise-{exercise.pk}-result"},
    )
    return _printed(exercise, item, grade, feedback=feedback, token=token)


def _printed(
    exercise: Exercise, item: Item, grade: Grade | None = None, **shown: SafeString | str
) -> SafeString:
    is_right = grade is not None and grade.verdict == problems.verdicts.RIGHT
    address = reverse("quizzes:exercise", args=[exercise.lesson, exercise.section])

    def others(rung: int) -> str:
        query = {"after": exercise.signature}
        return f"{address}?{urlencode(query if rung == exercise.rung else query | {'rung': rung})}"

    context = {
        "pk": exercise.pk,
        "url": address,
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
    parts = {"message": "", "token": "", "feedback": ""}
    return render_fragment("quizzes/practice/_exercise.html", **context, **parts | shown)


def _example(item: Item | None) -> dict[str, Any] | None:
    """Return a problem with its worked solution."""
    if item is None:
        return None
    solution = problems.worked_solution(vars(item.variant))
    steps = solved_steps(item.shown, solution.steps, has_tolerance=False)
    # Nobody computes with its single numbers, so they are in the statement alone.
    return {"question": printed_question(item.shown, scalars=()), "steps": [*steps.values()]}
