"""Reports of questions: made by students, answered by instructors."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q, QuerySet, TextChoices
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.services import NewEvent, record_all
from outbox.services import post, withdraw
from quizzes.errors import Refused, ReportChanged
from quizzes.models import Item, Report
from quizzes.models.reports import report_subject

ANSWERED, CHANGED = "quizzes.report.answered", "quizzes.report.answer_changed"
LETTER = "quizzes.report_answered"
# A student's open reports are limited: more would help nobody, and bury those of others.
MAX_OPEN = 60
MAX_ANSWERED_AT_ONCE = 1000


def report_item(*, item: Item, sentence: str) -> Report:
    """Report an item, or change the sentence of its open report.

    Two reports at once become one.

    Raises:
        Refused: too many of this student's reports wait for an answer, or it is a preview's item.
    """
    if item.attempt.is_preview:
        raise Refused(_("This is a preview. Change the question itself instead."))
    sentence = " ".join(sentence.split())
    now = timezone.now()
    with transaction.atomic():
        locked = Item.objects.select_for_update(of=("self",)).get(pk=item.pk)
        report = Report.objects.select_for_update().filter(item=locked, answered_at=None).first()
        if report is None:
            student = item.attempt.student_id
            if Report.objects.filter(student=student, answered_at=None).count() >= MAX_OPEN:
                words = _(
                    "%(count)s of your reports are waiting for an answer. You can report more"
                    " once some have been answered."
                )
                raise Refused(words % {"count": MAX_OPEN})
            return Report.objects.create(
                item=locked,
                student_id=student,
                about=report_subject(locked),
                sentence=sentence,
                made_at=now,
                changed_at=now,
            )
        if report.sentence != sentence:
            report.sentence, report.changed_at = sentence, now
            report.version += 1
            report.save(update_fields=["sentence", "changed_at", "version"])
    return report


class Recipients(TextChoices):
    """The reports that an answer goes to."""

    THIS = "this", gettext_lazy("only this report")
    VARIANT = "variant", gettext_lazy("all open reports on these numbers")
    QUESTION = "question", gettext_lazy("all open reports on this question")
    SAME = "same", gettext_lazy("all reports with this reply")


@dataclass(frozen=True)
class Reply:
    """The answer to a report, and the state in which its page showed the report.

    Attributes:
        version: the report's when it was shown.
        shown_at: other reports that came or changed later are not answered along with it.
    """

    report: int
    version: int
    text: str
    to: str = Recipients.THIS
    shown_at: datetime | None = None


def answer_reports(*, by, within: QuerySet[Report], reply: Reply, scope: str = "") -> int:
    """Answer a report, or change its answer, and others along with it. Return how many.

    Students are notified by email. An email that has not been sent yet is replaced when its answer
    changes.

    Args:
        within: the reports that may be answered at this desk.
        scope: the scope of the recorded events.

    Raises:
        ReportChanged: the report has changed since it was shown; nothing has been done.
        Report.DoesNotExist: it is not among `within`, or was deleted with its student.
    """
    now = timezone.now()
    with transaction.atomic():
        meant = within.filter(pk=reply.report).select_related("item").get()
        others = within.filter(_other_recipients(meant, reply)).values_list("pk", flat=True)
        # Locked by one statement in one order, so that two of these never deadlock.
        keys = {meant.pk, *others[:MAX_ANSWERED_AT_ONCE]}
        locked = Report.objects.select_for_update().filter(pk__in=keys).order_by("pk")
        found = list(locked.prefetch_related("item__attempt__quiz", "student"))
        first = next((report for report in found if report.pk == meant.pk), None)
        if first is None:
            raise Report.DoesNotExist
        if first.version != reply.version:
            raise ReportChanged(
                _(
                    "This report has changed since you opened it. Read it again before "
                    "you send your reply."
                ),
                first,
            )
        chosen = [
            report for report in found if report == first or _is_recipient(report, meant, reply)
        ]
        Report.objects.filter(pk__in=[report.pk for report in chosen]).update(
            answer=reply.text,
            answered_at=now,
            answered_by=by,
            seen_at=None,
            version=F("version") + 1,
        )
        record_all(actor=by, scope=scope, deeds=[_event(report, reply.text) for report in chosen])
        for report in chosen:
            _notify(report, reply.text)
    return len(chosen)


def _other_recipients(meant: Report, reply: Reply) -> Q:
    """Return a filter for the other reports that the answer may go to, to check once locked."""
    if reply.to == Recipients.SAME and not meant.is_open:
        return Q(about=meant.about, answer=meant.answer)
    still_open = Q(answered_at=None)
    if reply.to == Recipients.QUESTION:
        return still_open & Q(about=meant.about)
    if reply.to == Recipients.VARIANT and meant.item.variant_id:
        return still_open & Q(item__variant=meant.item.variant_id)
    return Q(pk=meant.pk)


def _is_recipient(report: Report, meant: Report, reply: Reply) -> bool:
    """Return whether the report, now locked, still fits what it was chosen for."""
    if reply.to == Recipients.SAME:
        return report.answer == meant.answer
    return report.is_open and report.changed_at <= (reply.shown_at or timezone.now())


def _event(report: Report, text: str) -> NewEvent:
    return NewEvent(
        ANSWERED if report.is_open else CHANGED,
        report,
        person=report.student_id,
        before={} if report.is_open else {"answer": report.answer},
        after={"answer": text},
    )


def _notify(report: Report, text: str) -> None:
    """Post an email, and withdraw an unsent one with the earlier answer."""
    if not report.is_open:
        withdraw(key=_letter_key(report, report.version))
    attempt = report.item.attempt
    payload = {
        "quiz": attempt.quiz.title if attempt.quiz else _("Practice"),
        "position": report.item.position,
        "sentence": report.sentence,
        "answer": text,
        "path": answer_url(report),
    }
    key = _letter_key(report, report.version + 1)
    post(kind=LETTER, to=report.student, payload=payload, key=key)


def _letter_key(report: Report, version: int) -> str:
    return f"{LETTER}:{report.pk}:{version}"


def answer_url(report: Report) -> str:
    """Return the address where the student reads the answer: beside the question."""
    item, attempt = report.item, report.item.attempt
    if attempt.is_practice:
        page = reverse("quizzes:practice-item", args=[attempt.pk, item.position])
    else:
        page = reverse("quizzes:results", args=[attempt.pk])
    return f"{page}#item-{item.position}"


def mark_answers_seen(*, reports: Collection[Report]) -> None:
    """Mark these answers as read by their student."""
    for report in reports:
        # Not if it has changed since it was read.
        seen = Report.objects.filter(pk=report.pk, version=report.version, seen_at=None)
        seen.update(seen_at=timezone.now())
