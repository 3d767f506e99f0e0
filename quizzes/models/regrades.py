"""Regrades: changes of marks after the fact, with a reason, and their result for each answer.

A regrade begins as a dry run: its lines. When it is applied, they are appended as grades; nothing
is rewritten.
"""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foundation.locking import unclaimed
from quizzes.models.attempts import Attempt, AttemptRelatedQuerySet, Item
from quizzes.models.grading import Answer, Grade
from quizzes.models.questions import ConceptQuestion
from quizzes.models.quizzes import Quiz, Sitting, Slot
from quizzes.models.steps import StepsField
from quizzes.models.variants import Variant

MAX_REASON_LENGTH = 1000
_WITH_ITS_ANSWER: dict[str, Any] = {
    "on_delete": models.DO_NOTHING,
    "db_constraint": False,
    "db_index": False,
}


class RulingQuerySet(QuerySet):
    """A queryset of regrades."""

    def visible_to(self, user):
        """Return the regrades that touch an attempt this user may see."""
        if user.is_superuser:
            return self
        lines = RulingLine.objects.visible_to(user).filter(ruling=OuterRef("pk"))
        return self.filter(Exists(lines))

    def active(self):
        """Return the regrades in force, under which later answers are marked too.

        Manual adjustments are not among them: each concerns a single answer.
        """
        return self.accepted().exclude(kind__in=[Ruling.Kind.ADJUST, Ruling.Kind.UNDO])

    def drafts(self):
        """Return the dry runs, which nobody has accepted yet."""
        return self.filter(state=Ruling.State.DRAFT)

    def waiting(self):
        """Return the regrades that are being applied."""
        return self.filter(state=Ruling.State.WAITING)

    def applied(self):
        """Return the regrades that are applied and not undone."""
        return self.filter(state=Ruling.State.APPLIED)

    def accepted(self):
        """Return the regrades that are being applied or are applied, and not undone."""
        return self.filter(state__in=[Ruling.State.WAITING, Ruling.State.APPLIED])

    def not_drafts(self):
        """Return the regrades that somebody has accepted, including undone ones."""
        return self.exclude(state=Ruling.State.DRAFT)

    def in_order(self):
        """Order by acceptance: a later regrade starts from the result of the earlier ones."""
        return self.order_by("accepted_at", "pk")

    def over(self, sitting):
        """Return the regrades of a sitting or of its whole quiz; all of them for None."""
        return self if sitting is None else self.filter(Q(sitting=None) | Q(sitting=sitting))

    def unfinished_dry_runs(self):
        """Return the unfinished dry runs that no worker has claimed."""
        return self.drafts().filter(unclaimed(), ran_to__isnull=False)


class Ruling(models.Model):
    """A regrade. Once accepted, later answers at its sitting are marked under it too."""

    class Kind(models.TextChoices):
        REGRADE = "regrade", _("mark again")
        KEY = "key", _("correct the key")
        ACCEPT = "accept", _("accept an answer")
        VOID = "void", _("void the question")
        POINTS = "points", _("change the points")
        TOLERANCE = "tolerance", _("change the tolerance")
        ADJUST = "adjust", _("adjust manually")
        UNDO = "undo", _("undo a regrade")

    class Scope(models.TextChoices):
        ALL = "all", _("every question")
        SLOT = "slot", _("one slot of the quiz")
        FAMILY = "family", _("one family of problems")
        QUESTION = "question", _("one concept question")
        VARIANT = "variant", _("the same numbers")
        ITEM = "item", _("one question of one attempt")

    class State(models.TextChoices):
        DRAFT = "draft", _("dry run")
        WAITING = "waiting", _("being applied")
        APPLIED = "applied", _("applied")
        UNDONE = "undone", _("undone")

    kind = models.CharField(_("kind"), max_length=9, choices=Kind)
    quiz = models.ForeignKey(
        Quiz, verbose_name=_("quiz"), on_delete=models.CASCADE, related_name="rulings"
    )
    sitting = models.ForeignKey(
        Sitting,
        verbose_name=_("sitting"),
        on_delete=models.CASCADE,
        related_name="rulings",
        null=True,
        blank=True,
        help_text=_("Leave empty for all sittings of the quiz."),
    )
    scope = models.CharField(_("scope"), max_length=8, choices=Scope, default=Scope.ALL)
    # Null also where the row was deleted: `scope` shows that such a regrade covers nothing.
    slot = models.ForeignKey(
        Slot, verbose_name=_("slot"), on_delete=models.SET_NULL, null=True, blank=True,
        related_name="+",
    )  # fmt: skip
    family = models.CharField(_("family"), max_length=60, blank=True)
    question = models.ForeignKey(
        ConceptQuestion, verbose_name=_("question"), on_delete=models.SET_NULL, null=True,
        blank=True, related_name="+",
    )  # fmt: skip
    variant = models.ForeignKey(
        Variant, verbose_name=_("variant"), on_delete=models.SET_NULL, null=True, blank=True,
        related_name="+",
    )  # fmt: skip
    item = models.ForeignKey(
        Item, verbose_name=_("question"), on_delete=models.SET_NULL, null=True, blank=True,
        related_name="+",
    )  # fmt: skip
    undoes = models.ForeignKey(
        "self", verbose_name=_("undoes"), on_delete=models.CASCADE, null=True, blank=True,
        related_name="undone_by",
    )  # fmt: skip
    values = models.JSONField(_("values"), default=dict, blank=True)
    never_lower = models.BooleanField(
        _("never lower"), default=True, help_text=_("Nobody’s mark goes down.")
    )
    over_hand = models.BooleanField(
        _("include manual adjustments"),
        default=False,
        help_text=_("Otherwise they stay as they are."),
    )
    tells = models.BooleanField(
        _("tell by email"), default=False, help_text=_("Sent to students whose marks change.")
    )
    reason = models.TextField(_("reason"), max_length=MAX_REASON_LENGTH)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("by"),
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.DRAFT)
    made_at = models.DateTimeField(_("made"), default=timezone.now)
    accepted_at = models.DateTimeField(_("accepted"), null=True, blank=True)
    applied_at = models.DateTimeField(_("applied"), null=True, blank=True)
    seen = models.JSONField(
        default=dict, help_text="By which it is told whether marks have changed since the dry run."
    )
    summary = models.JSONField(default=dict, help_text="How many change, and how.")
    lines_to_do = models.PositiveIntegerField(default=0)
    lines_done = models.PositiveIntegerField(default=0)
    ran_to = models.BigIntegerField(
        null=True, editable=False,
        help_text="The last attempt that a dry run of workers has reached; empty: it is over.",
    )  # fmt: skip
    claimed_until = models.DateTimeField(null=True, editable=False)
    event_scope = models.CharField(max_length=60, blank=True)

    objects = RulingQuerySet.as_manager()

    class Meta:
        verbose_name = _("regrade")
        verbose_name_plural = _("regrades")
        ordering = ["-pk"]
        default_permissions = ("add", "view")
        indexes = [models.Index(fields=["quiz", "state"], name="ruling_of_quiz")]
        constraints = [
            models.UniqueConstraint(
                fields=["undoes"],
                condition=~Q(state="draft") & Q(undoes__isnull=False),
                name="ruling_undone_once",
            ),
            models.UniqueConstraint(
                fields=["quiz"], condition=Q(state="waiting"), name="ruling_one_at_a_time"
            ),
            models.CheckConstraint(
                condition=Q(kind="undo", undoes__isnull=False)
                | (~Q(kind="undo") & Q(undoes__isnull=True)),
                name="ruling_undo_of_one",
            ),
        ]

    def __str__(self):
        # Nobody is named, because events keep this text for good.
        return gettext("regrade %(number)s") % {"number": self.pk}

    def get_absolute_url(self):
        return reverse("quizzes:ruling", args=[self.pk])

    @property
    def is_draft(self):
        return self.state == self.State.DRAFT

    @property
    def is_running(self):
        """Whether workers are still making its dry run."""
        return self.is_draft and self.ran_to is not None

    @property
    def moves(self):
        """Whether workers are busy with it, or will be."""
        return self.is_running or self.waits

    @property
    def waits(self):
        return self.state == self.State.WAITING

    @property
    def needs_numbers(self):
        """Whether it marks again from the numbers of the variant."""
        return self.kind in (self.Kind.REGRADE, self.Kind.TOLERANCE)

    @property
    def corrects(self):
        """Whether it marks by another version of a written problem than was asked."""
        return self.kind == self.Kind.REGRADE and "version" in self.values

    @property
    def can_be_undone(self):
        return self.state == self.State.APPLIED and self.kind != self.Kind.UNDO


class RulingLineQuerySet(AttemptRelatedQuerySet):
    """A queryset of lines of regrades."""

    def appending(self):
        """Return the lines that append a grade."""
        return self.filter(outcome__in=APPENDING_OUTCOMES)


class RulingLine(models.Model):
    """The result of a regrade for one answer, in its dry run and then as applied."""

    class Outcome(models.TextChoices):
        HIGHER = "higher", _("higher")
        LOWER = "lower", _("lower")
        CHANGED = "changed", _("changed, but neither higher nor lower")
        KEPT = "kept", _("kept: the new mark would be lower")
        HAND = "hand", _("kept: adjusted manually")
        STORED = "stored", _("kept: the solution has changed since")
        STALE = "stale", _("skipped: changed in the meantime")

    ruling = models.ForeignKey(
        Ruling,
        on_delete=models.CASCADE,
        related_name="lines",
        db_index=False,  # `ruling_answer_once` begins with it
    )
    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="ruling_lines")
    # Both belong to the answer and are deleted with it; no query looks lines up by them.
    attempt = models.ForeignKey(Attempt, related_name="+", **_WITH_ITS_ANSWER)
    grade_before = models.ForeignKey(Grade, related_name="+", **_WITH_ITS_ANSWER)
    # The mark that is appended, or would have been appended.
    points = models.FloatField()
    out_of = models.FloatField()
    verdict = models.CharField(max_length=8)
    mistake = models.CharField(max_length=60, blank=True)
    steps = StepsField()
    core_version = models.CharField(max_length=20)
    # The score of the whole attempt under the regrade.
    score = models.FloatField()
    score_out_of = models.FloatField()
    outcome = models.CharField(max_length=7, choices=Outcome)
    passing = models.SmallIntegerField(
        default=0, help_text="1: its attempt is passed by the ruling; -1: it is no longer."
    )
    applied = models.BooleanField(default=False)

    objects = RulingLineQuerySet.as_manager()

    class Meta:
        verbose_name = _("line of a regrade")
        verbose_name_plural = _("lines of regrades")
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["ruling", "answer"], name="ruling_answer_once")
        ]
        indexes = [
            models.Index(
                fields=["ruling", "attempt"],
                condition=Q(applied=False, outcome__in=["higher", "lower", "changed"]),
                name="ruling_line_to_do",
            )
        ]

    def __str__(self):
        return gettext("line %(pk)s") % {"pk": self.pk}


# The outcomes that append a grade.
APPENDING_OUTCOMES = (
    RulingLine.Outcome.HIGHER,
    RulingLine.Outcome.LOWER,
    RulingLine.Outcome.CHANGED,
)
