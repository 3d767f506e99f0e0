"""Reports: a student's own, and those that a user may answer.

Callers pass the reports *within* their desk: a class's, or the site's.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Count, F, Prefetch, Q, QuerySet, Window

from foundation.prepared import prepared
from quizzes.authoring.queries import with_last_deadline
from quizzes.models import Attempt, ConceptQuestion, Quiz, Report, Sitting, Variant
from quizzes.models.reports import question_of_subject

OPEN, ANSWERED, EVERY = "", "answered", "all"
# The most new answers on a student's home.
MAX_NEW_ANSWERS = 5


# A student's own


@prepared
def reports_on(attempt: Attempt) -> QuerySet[Report]:
    """Return all reports of an attempt's items, each with its `position`, oldest first."""
    found = Report.objects.filter(item__attempt=attempt)
    return found.annotate(position=F("item__position")).order_by("pk")


@prepared
def new_answers(student) -> QuerySet[Report]:
    """Return the answered reports that this student has not read yet, the latest first."""
    found = Report.objects.filter(student=student, answered_at__isnull=False, seen_at=None)
    found = found.select_related("item__attempt__quiz").order_by("-answered_at", "-pk")
    return found[:MAX_NEW_ANSWERS]


# Reports that a user may answer


def reports_of_site(user) -> QuerySet[Report]:
    """Return the reports of independent learners, in practice or at quizzes' own sittings.

    All of them for a superuser, otherwise those on quizzes that the user owns.
    """
    alone = Q(item__attempt__sitting=None) | Q(item__attempt__sitting__given_in="")
    reports = Report.objects.filter(alone)
    if user.is_superuser:
        return reports
    return reports.filter(item__attempt__quiz__in=Quiz.objects.owned_by(user))


def filtered_reports(
    within: QuerySet[Report], *, state: str = OPEN, quiz: str = "", about: str = ""
) -> QuerySet[Report]:
    """Return the filtered reports, grouped by question and by numbers, the most reported first."""
    found = within
    if state != EVERY:
        found = found.filter(answered_at__isnull=state == OPEN)
    if quiz:
        found = found.filter(item__attempt__quiz__slug=quiz)
    if about:
        found = found.filter(about=about)
    together = Window(Count("pk"), partition_by=[F("about")])
    order = ("-together", "about", "item__variant", "-changed_at", "pk")
    return _in_full(found.annotate(together=together).order_by(*order))


def report_within(within: QuerySet[Report], pk: int) -> Report | None:
    """Return one of these reports, with its relations; None if it is not among them."""
    return _in_full(within.filter(pk=pk)).first()


def _in_full(reports: QuerySet[Report]) -> QuerySet[Report]:
    people = ("student", "answered_by")
    # Nothing here may reveal the solution, so it is not loaded.
    variants = Prefetch("item__variant", Variant.objects.defer("solution"))
    sittings = Prefetch(
        "item__attempt__sitting", with_last_deadline(Sitting.objects.select_related("quiz"))
    )
    found = reports.select_related(*people, "item__attempt__quiz", "item__question")
    return found.prefetch_related(variants, sittings)


def reported_quizzes(within: QuerySet[Report]) -> QuerySet[Quiz]:
    """Return the quizzes that these reports are about."""
    return Quiz.objects.filter(pk__in=within.order_by().values("item__attempt__quiz"))


def reported_questions(within: QuerySet[Report]) -> dict[str, ConceptQuestion | None]:
    """Return each `about` of these reports with its concept question, if there is one."""
    found = sorted(set(within.order_by().values_list("about", flat=True).distinct()))
    keys = {about: question_of_subject(about) for about in found}
    questions = ConceptQuestion.every.in_bulk({key for key in keys.values() if key})
    return {about: questions.get(key) for about, key in keys.items()}


@dataclass(frozen=True)
class OpenCounts:
    """Numbers of open reports, by question and by variant."""

    by_question: dict[str, int]
    by_variant: dict[int, int]


def open_counts(within: QuerySet[Report], reports: Sequence[Report]) -> OpenCounts:
    """Count the open reports `within`, for the questions and variants of `reports`."""
    still_open = within.filter(answered_at=None).order_by()
    abouts = {report.about for report in reports}
    variants = {report.item.variant_id for report in reports} - {None}
    return OpenCounts(
        by_question=_counted(still_open.filter(about__in=abouts), "about"),
        by_variant=_counted(still_open.filter(item__variant__in=variants), "item__variant"),
    )


def _counted(reports: QuerySet[Report], by: str) -> dict:
    return dict(reports.values_list(by).annotate(Count("pk")))


def can_read_reports(user) -> bool:
    """Return whether the user may read the site's reports, as its instructors may."""
    return user.is_staff and user.has_perm("quizzes.view_report")


def count_open_site_reports(user) -> int:
    """Return the number of the site's open reports that the user may answer."""
    return reports_of_site(user).filter(answered_at=None).count()


def unread_answers(reports: Collection[Report]) -> list[Report]:
    """Return the reports that are answered and not read yet."""
    return [report for report in reports if not report.is_open and report.seen_at is None]
