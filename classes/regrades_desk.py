"""Views: regrading at a class's own desk."""

from functools import partial
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from classes.access.queries import CourseAccess
from classes.access.views import access_required
from classes.analysis.presenters import load_figures
from quizzes.analysis.statistics import NO_MINIMUM
from quizzes.models import Ruling, Sitting
from quizzes.regrades import views
from quizzes.regrades.desk import RegradeDesk


def _desk(access: CourseAccess) -> RegradeDesk:
    """Return the desk with the class's regrades and the site-wide ones that change its marks."""
    own = Sitting.objects.filter(assignment__course=access.course)
    everywhere = Q(sitting=None, quiz__sittings__in=own)
    return RegradeDesk(
        within=Ruling.objects.filter(Q(sitting__in=own) | everywhere).distinct(),
        sittings=own,
        may_regrade=access.runs,
        scope=access.course.scope,
        template="classes/regrades.html",
        base=reverse("classes:rulings", args=[access.course.pk]),
        review="classes:attempt",
        review_args=(access.course.pk,),
        more={"access": access},
        flags_in=partial(_flags_in, access),
    )


def _flags_in(access: CourseAccess, sitting: Sitting) -> dict[tuple[str, int], list[str]]:
    """Return the figures by which slots and questions stand out, but for easy ones."""
    read = load_figures(access, sitting.assignment, first=False, fewest=NO_MINIMUM)
    questions = {asked.key: asked.question for asked in read.quiz.questions}
    found = {}
    for slot in read.slots:
        for line in (slot.figures, *slot.questions):
            words = [figure for figure, _advice in line.flags if not line.is_easy]
            if line is slot.figures:
                found["slot", int(line.positions)] = words
            if question := questions.get(line.key):
                found["question", question] = words
    return found


def _class_view(view: Any, *methods: str, may: str) -> Any:
    @access_required(*methods, may=may)
    def answer(request: HttpRequest, access: CourseAccess, **which: int) -> HttpResponse:
        return view(request, _desk(access), **which)

    return answer


# Regrades cover all sections, so somebody limited to a section does not see them.
regrades = _class_view(views.list_at_desk, "GET", may="sees_all")
regrade = _class_view(views.detail_at_desk, "GET", "POST", may="sees_all")
new_regrade = _class_view(views.new_at_desk, "GET", "POST", may="runs")
apply_regrade = _class_view(views.apply_at_desk, "GET", "POST", may="runs")
undo_regrade = _class_view(views.undo_at_desk, "GET", "POST", may="runs")
