"""Students' reports that something is wrong with a question, and the answers to them."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from quizzes.models.attempts import AttemptRelatedQuerySet, Item

MAX_SENTENCE_LENGTH = 500
MAX_ANSWER_LENGTH = 2000
_QUESTION = "question:"


def report_subject(item: Item) -> str:
    """Return what reports are grouped by: the concept question, or the kind of the numbers."""
    return f"{_QUESTION}{item.question_id}" if item.question_id else item.variant.kind


def question_of_subject(about: str) -> int | None:
    """Return the key of the concept question that a report is about, if any.

    >>> question_of_subject("question:12"), question_of_subject('cosine/1/{"width": 3}')
    (12, None)
    """
    return int(about.removeprefix(_QUESTION)) if about.startswith(_QUESTION) else None


class ReportQuerySet(AttemptRelatedQuerySet):
    attempt = "item__attempt__"


class Report(models.Model):
    """A student's report of something wrong with an item.

    Its sentence may change until it is answered. It reveals nothing to other students. Reporting an
    item again after an answer makes a new report.
    """

    item = models.ForeignKey(
        Item, verbose_name=_("question"), on_delete=models.CASCADE, related_name="reports"
    )
    student = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("student"),
        on_delete=models.CASCADE,
        related_name="reports",
    )
    about = models.CharField(
        max_length=220, help_text="The item's question or kind, by which reports are gathered."
    )
    sentence = models.CharField(_("sentence"), max_length=MAX_SENTENCE_LENGTH, blank=True)
    made_at = models.DateTimeField(_("reported"), default=timezone.now)
    changed_at = models.DateTimeField(_("sentence changed"), default=timezone.now)
    answer = models.TextField(_("answer"), blank=True)
    answered_at = models.DateTimeField(_("answered"), null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("answered by"),
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    seen_at = models.DateTimeField(
        null=True, blank=True, help_text="When its student first read the answer as it is now."
    )
    version = models.PositiveIntegerField(
        default=1, help_text="Raised by each change of the sentence and of the answer."
    )

    objects = ReportQuerySet.as_manager()

    class Meta:
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        constraints = [
            models.UniqueConstraint(
                fields=["item"], condition=Q(answered_at=None), name="report_one_open"
            ),
            models.CheckConstraint(
                condition=Q(answered_at=None, answer="")
                | (Q(answered_at__isnull=False) & ~Q(answer="")),
                name="report_answered_or_not",
            ),
        ]
        indexes = [models.Index(fields=["about", "answered_at"], name="report_about")]

    def __str__(self):
        # Nobody is named, because events keep this text for good.
        return gettext("report %(number)s") % {"number": self.pk}

    @property
    def is_open(self):
        return self.answered_at is None
