"""Submissions that wait to be marked, their answers, and the grades these earned.

Answers and grades never change once written; a regrade appends grades.
"""

from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from quizzes.models.attempts import Attempt, AttemptRelatedQuerySet, Item
from quizzes.models.steps import StepsField

# The number of the submission that counts, for handwritten SQL.
FINAL_NUMBER = "quizzes_attempt.reopened + 1"


def final_number(reopened):
    """Return the number of the submission that counts, for an attempt reopened so many times.

    While the attempt is open, it is the number of the submission to come.
    """
    return reopened + 1


_FINAL = Q(item=None, number=final_number(F("attempt__reopened")))


class SubmissionQuerySet(AttemptRelatedQuerySet):
    """A queryset of submissions."""

    def final(self):
        """Return the last submission of each attempt; none for an attempt that is open again."""
        return self.filter(_FINAL)

    def counting(self):
        """Return the last submission of each attempt, and every check of practice."""
        return self.filter(Q(item__isnull=False) | _FINAL)


class Submission(models.Model):
    """An attempt, or an item of practice, that waits to be marked: the row is the queue."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting to be marked")
        GRADED = "graded", _("marked")
        ATTENTION = "attention", _("needs attention")

    attempt = models.ForeignKey(
        Attempt, verbose_name=_("attempt"), on_delete=models.CASCADE, related_name="submissions"
    )
    item = models.ForeignKey(
        Item,
        verbose_name=_("question"),
        on_delete=models.CASCADE,
        related_name="submissions",
        null=True,
        blank=True,
        db_index=False,  # `submission_of_item` begins with it
    )
    number = models.PositiveIntegerField(
        _("number"),
        default=1,
        help_text=_("If an attempt is reopened, only the last submission counts."),
    )
    key = models.CharField(_("idempotency key"), max_length=64, blank=True)
    received_at = models.DateTimeField(_("received at"), default=timezone.now)
    by_staff = models.BooleanField(
        _("submitted by staff"),
        default=False,
        db_default=False,
        help_text=_("A member of staff submitted it for the student, before the time was up."),
    )
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.WAITING)
    claimed_by = models.CharField(_("claimed by"), max_length=64, blank=True)
    claimed_until = models.DateTimeField(_("claimed until"), null=True, blank=True)
    tries = models.PositiveSmallIntegerField(_("times tried"), default=0)
    trouble = models.TextField(_("trouble"), blank=True, help_text=_("Why it couldn’t be marked."))
    graded_at = models.DateTimeField(_("marked at"), null=True, blank=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        verbose_name = _("submission")
        verbose_name_plural = _("submissions")
        ordering = ["-received_at"]
        indexes = [
            models.Index(
                fields=["received_at"], condition=Q(state="waiting"), name="submission_waiting"
            ),
            models.Index(
                fields=["received_at"], condition=Q(state="attention"), name="submission_in_need"
            ),
            models.Index(fields=["received_at"], name="submission_received"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "number"],
                condition=Q(item__isnull=True),
                name="submission_of_attempt",
            ),
            models.UniqueConstraint(
                fields=["item", "number"],
                condition=Q(item__isnull=False),
                name="submission_of_item",
            ),
        ]

    def __str__(self):
        return gettext("submission %(pk)s") % {"pk": self.pk}


def counting_condition(answer: str = "") -> Q:
    """Return the condition that answers count; `answer` is the lookup path to them."""
    submission = f"{answer}submission__"
    return Q(**{f"{submission}number": final_number(F(f"{submission}attempt__reopened"))})


class AnswerQuerySet(AttemptRelatedQuerySet):
    """A queryset of answers."""

    attempt = "submission__attempt__"

    def counting(self):
        """Return the answers of last submissions, and of the first check of each practice item."""
        return self.filter(counting_condition())


class Answer(models.Model):
    """The frozen copy of what was typed for one item. It never changes."""

    submission = models.ForeignKey(
        Submission, verbose_name=_("submission"), on_delete=models.CASCADE, related_name="answers"
    )
    item = models.ForeignKey(
        Item,
        verbose_name=_("question"),
        on_delete=models.CASCADE,
        related_name="answers",
        db_index=False,  # `answer_once` begins with it
    )
    raw = models.JSONField(
        _("raw"), help_text=_("Each step with the text of its cells, or the key of a choice.")
    )

    objects = AnswerQuerySet.as_manager()

    class Meta:
        verbose_name = _("answer")
        verbose_name_plural = _("answers")
        constraints = [models.UniqueConstraint(fields=["item", "submission"], name="answer_once")]

    def __str__(self):
        return gettext("answer %(pk)s") % {"pk": self.pk}


class GradeQuerySet(AttemptRelatedQuerySet):
    """A queryset of grades."""

    attempt = "answer__submission__attempt__"

    def counting(self):
        """Return the grades of answers that count.

        Followed by `latest`, it settles which grade counts of each answer.
        Of a reopened attempt only the last submission counts, and nothing while it is open. In
        practice the first check of a question counts: later ones follow its feedback.
        """
        return self.filter(counting_condition("answer__"))

    def latest(self, *, before=None):
        """Return the last grade of each answer, or the last one before a moment.

        A regrade's grade comes after the one that it replaces. Unlike Django's `latest`, this
        returns a queryset.
        """
        by_then = Q(graded_at__lt=before) if before else Q()
        own = Grade.objects.filter(by_then, answer=OuterRef("answer"))
        later = own.filter(revision__gt=OuterRef("revision"))
        return self.filter(by_then).exclude(Exists(later))


class Grade(models.Model):
    """The mark of an answer. It never changes; a regrade appends the next revision."""

    answer = models.ForeignKey(
        Answer,
        on_delete=models.CASCADE,
        related_name="grades",
        db_index=False,  # `grade_revision_once` begins with it
    )
    revision = models.PositiveSmallIntegerField(default=1)
    points = models.FloatField()
    out_of = models.FloatField()
    verdict = models.CharField(max_length=8)
    mistake = models.CharField(max_length=60, blank=True)
    steps = StepsField(help_text="Verdict, mistake, cells and exact points of each step.")
    core_version = models.CharField(max_length=20)
    graded_at = models.DateTimeField(default=timezone.now)
    ruling = models.ForeignKey(
        "quizzes.Ruling",
        on_delete=models.PROTECT,
        related_name="grades",
        db_index=False,  # its lines name the answers
        null=True,
        blank=True,
        help_text="By which it was appended. Empty: by marking.",
    )

    objects = GradeQuerySet.as_manager()

    class Meta:
        verbose_name = _("mark")
        verbose_name_plural = _("marks")
        constraints = [
            models.UniqueConstraint(fields=["answer", "revision"], name="grade_revision_once"),
            models.UniqueConstraint(
                fields=["answer", "ruling"],
                condition=Q(ruling__isnull=False),
                name="grade_of_ruling_once",
            ),
            models.CheckConstraint(
                condition=Q(points__gte=0) & Q(points__lte=F("out_of")), name="grade_in_bounds"
            ),
        ]

    def __str__(self):
        words = gettext("%(points)s of %(out_of)s")
        return words % {"points": f"{self.points:.2f}", "out_of": f"{self.out_of:.2f}"}
