"""A review's remarks on regrades: how a mark changed, and why."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from design.templatetags.design import format_moment
from quizzes.items.presenters import texts
from quizzes.models import Grade, Ruling, RulingLine

# A regrade's change of a mark, its reason, and its time.
type Remark = tuple[str, str, SafeString]


def remarks(
    grade: Grade,
    keys: Iterable[Ruling],
    left: Iterable[RulingLine] = (),
    corrected: Ruling | None = None,
) -> Iterator[Remark]:
    """Yield remarks on regrades: changes of the mark, and corrections that left it as it is.

    `keys` are corrections of the answer key, and `corrected` is that of the problem; `left` are
    lines of regrades that did not apply to the grade. A grade that is not from `graded_answers` has
    no history.
    """
    history = getattr(grade, "history", [grade])
    for before, after in pairwise(history):
        if after.ruling:
            yield (_changed(before, after), after.ruling.reason, format_moment(after.graded_at))
    applied = {each.ruling_id for each in history}
    for regrade in keys:
        if regrade.pk not in applied:
            words = _("The answer key was corrected. Your mark hasn’t changed.")
            yield (words, regrade.reason, format_moment(regrade.accepted_at))
    if corrected and corrected.pk not in applied:
        words = _("The problem was corrected. Your mark hasn’t changed.")
        yield (words, corrected.reason, format_moment(corrected.accepted_at))
    for line in left:
        if line.grade_before_id == grade.pk:
            words = _(
                "The tolerance was changed. Your mark hasn’t changed, because "
                "the solution has changed since you were asked this question."
            )
            yield (words, line.ruling.reason, format_moment(line.ruling.accepted_at))


def _changed(before: Grade, after: Grade) -> str:
    is_same = (before.points, before.out_of) == (after.points, after.out_of)
    if after.ruling.corrects:
        if is_same:
            return _("The problem was corrected. You have the same points.")
        words = _(
            "The problem was corrected. Points: %(points)s of %(out_of)s at first, now %(new)s of"
            " %(new_out_of)s."
        )
    elif is_same:
        return _("Marked again, with the same points.")
    elif not after.out_of:
        words = _("Points: %(points)s of %(out_of)s at first. The question no longer counts.")
    else:
        words = _("Points: %(points)s of %(out_of)s at first, now %(new)s of %(new_out_of)s.")
    return words % {
        "points": texts.format_points(before.points),
        "out_of": texts.format_points(before.out_of),
        "new": texts.format_points(after.points),
        "new_out_of": texts.format_points(after.out_of),
    }
