"""Simulations of a quiz: robots take it before any student does."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from quizzes.models.quizzes import Quiz


class Rehearsal(models.Model):
    """A simulation of a quiz: first committed, then worked off slot by slot.

    The robots' results for each slot are saved until all slots are done, so a lost worker costs one
    slot at most. No attempt is made, and no exam's numbers are used up.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    quiz = models.ForeignKey(
        Quiz, verbose_name=_("quiz"), on_delete=models.CASCADE, related_name="rehearsals"
    )
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("asked by"),
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
    )
    asked_at = models.DateTimeField(_("asked at"), auto_now_add=True)
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.WAITING)
    seed = models.CharField(max_length=32, editable=False)
    asked = models.JSONField(help_text="The slots and rules as they were.")
    slots_done = models.PositiveSmallIntegerField(_("slots done"), default=0)
    parts = models.JSONField(default=list, help_text="What became of each slot so far.")
    claimed_until = models.DateTimeField(null=True, editable=False)
    result = models.JSONField(null=True)
    trouble = models.TextField(_("trouble"), blank=True)

    class Meta:
        verbose_name = _("dress rehearsal")
        verbose_name_plural = _("dress rehearsals")
        ordering = ["-pk"]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["quiz"], condition=Q(state="waiting"), name="rehearsal_one_at_a_time"
            )
        ]

    def __str__(self):
        return f"{self.quiz}, {self.asked_at}"
