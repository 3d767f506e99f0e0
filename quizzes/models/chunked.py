"""Work that workers do chunk by chunk: rehearsals of quizzes, and proofs of problems."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from quizzes.models.quizzes import Quiz
from quizzes.models.written_problems import WrittenProblem


class ChunkedWork(models.Model):
    """Work that is first committed, then done by workers chunk by chunk.

    The result of each chunk is saved until all are done, so a lost worker costs one at most.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("asked by"),
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
    )
    asked_at = models.DateTimeField(_("asked at"), auto_now_add=True)
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.WAITING)
    claimed_until = models.DateTimeField(null=True, editable=False)
    result = models.JSONField(null=True)
    trouble = models.TextField(_("trouble"), blank=True)

    class Meta:
        abstract = True
        ordering = ["-pk"]
        default_permissions = ()


class Rehearsal(ChunkedWork):
    """A simulation of a quiz, slot by slot: robots take it before any student does.

    No attempt is made, and no exam's numbers are used up.
    """

    quiz = models.ForeignKey(
        Quiz, verbose_name=_("quiz"), on_delete=models.CASCADE, related_name="rehearsals"
    )
    seed = models.CharField(max_length=32, editable=False)
    asked = models.JSONField(help_text="The slots and rules as they were.")
    slots_done = models.PositiveSmallIntegerField(_("slots done"), default=0)
    parts = models.JSONField(default=list, help_text="What became of each slot so far.")

    class Meta(ChunkedWork.Meta):
        verbose_name = _("dress rehearsal")
        verbose_name_plural = _("dress rehearsals")
        constraints = [
            models.UniqueConstraint(
                fields=["quiz"], condition=Q(state="waiting"), name="rehearsal_one_at_a_time"
            )
        ]

    def __str__(self):
        return f"{self.quiz}, {self.asked_at}"


class ProblemProof(ChunkedWork):
    """The proof of a problem's text, by its mistakes, then by its sizes."""

    problem = models.ForeignKey(
        WrittenProblem, verbose_name=_("problem"), on_delete=models.CASCADE, related_name="proofs"
    )
    text = models.TextField(editable=False)
    publishes = models.BooleanField(
        _("publishes"), default=False, help_text="Whether the version is published if it passes."
    )
    variants = models.PositiveSmallIntegerField(_("variants"))
    chunks = models.PositiveSmallIntegerField(_("chunks"), default=0)
    parts = models.JSONField(default=list, help_text="The result of each chunk so far.")
    tries = models.PositiveSmallIntegerField(default=0, help_text="Of the chunk at hand.")

    class Meta(ChunkedWork.Meta):
        verbose_name = _("proof of a problem")
        verbose_name_plural = _("proofs of problems")
        constraints = [
            models.UniqueConstraint(
                fields=["problem"], condition=Q(state="waiting"), name="proof_one_at_a_time"
            )
        ]

    def __str__(self):
        return f"{self.problem}, {self.asked_at}"

    @property
    def done_share(self) -> Any:
        """The part of the chunks that is done, from 0 to 1."""
        return len(self.parts) / self.chunks if self.chunks else 0
