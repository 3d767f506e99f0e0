"""Attempts and their items, and extra time. Only services write these rows."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from quizzes import problems, visibility
from quizzes.models.plain_json import PlainJSONField
from quizzes.models.questions import ConceptQuestion
from quizzes.models.quizzes import Quiz, Sitting, Slot
from quizzes.models.variants import Variant
from quizzes.models.wordings import Wording

# Answers that arrive this long after the deadline still count: networks are slower than clocks.
GRACE = timedelta(seconds=10)
# An attempt submitted this shortly before its deadline counts as closed by the page's clock.
CLOCK_TOLERANCE = timedelta(seconds=1)


class AttemptRelatedQuerySet(QuerySet):
    """A queryset of rows that belong to attempts; `attempt` is the lookup path to the attempt."""

    attempt = "attempt__"

    def visible_to(self, user):
        """Return the rows of attempts that this user may see as somebody else's instructor."""
        if user.is_superuser:
            return self
        return self.filter(**{f"{self.attempt}in": Attempt.objects.visible_to(user)})

    def graded(self):
        """Return the rows of graded attempts, without practice and previews."""
        return self.filter(graded_condition(self.attempt))

    def of_learners(self):
        """Return the rows of graded attempts and practice, to which all statistics are limited."""
        modes = (Attempt.Mode.GRADED, Attempt.Mode.PRACTICE)
        return self.filter(**{f"{self.attempt}mode__in": modes})

    def open(self):
        """Return the rows of attempts that are not submitted yet, even if their time is up."""
        return self.filter(**{f"{self.attempt}state": Attempt.State.OPEN})


class AttemptQuerySet(AttemptRelatedQuerySet):
    """A queryset of attempts."""

    attempt = ""

    def visible_to(self, user):
        if user.is_superuser:
            return self
        seen = visibility.attempts_seen_by(user)
        return self.none() if seen is None else self.filter(seen)


def graded_condition(attempt: str = "") -> Q:
    """Return the condition that attempts are graded; `attempt` is the lookup path to them."""
    return Q(**{f"{attempt}mode": Attempt.Mode.GRADED})


class Attempt(models.Model):
    """A student's attempt at a quiz, or at practising one skill.

    Graded attempts run against the clock and are submitted whole. Practice has no clock: its items
    are checked one by one, and each may be followed by another variant at the same place. In a
    preview an author takes a quiz as students do: it counts nowhere, and belongs to no sitting.
    """

    class Mode(models.TextChoices):
        GRADED = "graded", _("graded")
        PRACTICE = "practice", _("practice")
        PREVIEW = "preview", _("preview")

    class State(models.TextChoices):
        OPEN = "open", _("open")
        SUBMITTED = "submitted", _("submitted")

    student = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("student"),
        db_index=False,  # `attempt_of_student` begins with it
        # Deleted students leave their marks behind, without a name (accounts/personal.py).
        on_delete=models.PROTECT,
        related_name="attempts",
    )
    quiz = models.ForeignKey(
        Quiz,
        verbose_name=_("quiz"),
        on_delete=models.PROTECT,
        related_name="attempts",
        null=True,
        blank=True,
    )
    sitting = models.ForeignKey(
        Sitting,
        verbose_name=_("sitting"),
        on_delete=models.PROTECT,
        related_name="attempts",
        null=True,
        blank=True,
        help_text=_("Only for graded attempts. Practice and previews have none."),
    )
    mode = models.CharField(_("mode"), max_length=8, choices=Mode, default=Mode.GRADED)
    skill = models.CharField(
        _("skill"),
        max_length=80,
        blank=True,
        help_text=_("What’s practised without a quiz, such as family:cosine."),
    )
    number = models.PositiveIntegerField(_("number"), default=1)
    started_at = models.DateTimeField(_("started at"), default=timezone.now)
    minutes = models.PositiveSmallIntegerField(
        _("minutes"),
        null=True,
        blank=True,
        help_text=_("The limit at the start, without extra time. Empty means no time limit."),
    )
    closes_at = models.DateTimeField(
        _("closes at"), null=True, blank=True, help_text=_("The closing date at the start.")
    )
    deadline = models.DateTimeField(_("ends at"), null=True, blank=True)
    extra_time = models.DurationField(
        _("extra time"),
        default=timedelta,
        help_text=_("Already included in the time at which it ends."),
    )
    kept_open_until = models.DateTimeField(
        _("kept open until"),
        null=True,
        blank=True,
        help_text=_("For this attempt only. Whatever the rules say, it doesn’t end before this."),
    )
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.OPEN)
    reopened = models.PositiveSmallIntegerField(
        _("reopened"),
        default=0,
        db_default=0,
        help_text=_("How many times it was reopened after being submitted."),
    )
    submitted_at = models.DateTimeField(_("submitted at"), null=True, blank=True)
    closed_by_clock = models.BooleanField(_("closed when time ran out"), default=False)
    score = models.FloatField(
        _("score"), null=True, blank=True, help_text=_("Empty until it’s marked.")
    )
    out_of = models.FloatField(_("out of"), default=0)

    objects = AttemptQuerySet.as_manager()

    class Meta:
        verbose_name = _("attempt")
        verbose_name_plural = _("attempts")
        ordering = ["-started_at"]
        indexes = [
            models.Index(fields=["deadline"], condition=Q(state="open"), name="attempt_open_until"),
            models.Index(fields=["student", "-started_at"], name="attempt_of_student"),
            models.Index(fields=["started_at"], name="attempt_started"),
            models.Index(
                fields=["started_at"], condition=Q(mode="preview"), name="attempt_previews"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                # The sitting first: queries find running attempts by it.
                fields=["sitting", "student"],
                condition=Q(state="open", mode="graded"),
                name="attempt_one_open",
            ),
            models.UniqueConstraint(
                fields=["student", "quiz"],
                condition=Q(state="open", mode="practice", quiz__isnull=False),
                name="attempt_one_practice_of_quiz",
            ),
            models.UniqueConstraint(
                fields=["student", "skill"],
                condition=Q(state="open", mode="practice", quiz__isnull=True),
                name="attempt_one_practice_of_skill",
            ),
            models.UniqueConstraint(
                fields=["student", "quiz"],
                condition=Q(state="open", mode="preview"),
                name="attempt_one_preview",
            ),
            models.CheckConstraint(
                condition=Q(mode="practice", deadline__isnull=True)
                | Q(mode="graded", quiz__isnull=False, sitting__isnull=False, skill="")
                | Q(mode="preview", quiz__isnull=False, sitting__isnull=True, skill=""),
                name="attempt_graded_practice_or_preview",
            ),
            models.UniqueConstraint(
                fields=["student", "sitting", "number"],
                condition=Q(mode="graded"),
                name="attempt_number_once",
            ),
            models.UniqueConstraint(
                fields=["student", "quiz", "number"],
                condition=Q(mode="practice", quiz__isnull=False),
                name="attempt_practice_number_once",
            ),
        ]

    def __str__(self):
        return gettext("attempt %(pk)s") % {"pk": self.pk}

    def get_absolute_url(self):
        return reverse(
            "quizzes:practice" if self.is_practice else "quizzes:attempt", args=[self.pk]
        )

    @property
    def is_open(self):
        return self.state == self.State.OPEN

    @property
    def is_practice(self):
        return self.mode == self.Mode.PRACTICE

    @property
    def is_graded(self):
        return self.mode == self.Mode.GRADED

    @property
    def is_preview(self):
        return self.mode == self.Mode.PREVIEW

    def takes_answers(self, now):
        """Return whether answers that arrive now still count."""
        return self.is_open and (self.deadline is None or now <= self.deadline + GRACE)

    def is_overdue(self, now):
        """Return whether it is open though its deadline and the grace are over."""
        return self.is_open and not self.takes_answers(now)

    def is_time_up(self, now):
        """Return whether its time is up, or nearly: it then counts as closed by the clock."""
        return self.deadline is not None and now >= self.deadline - CLOCK_TOLERANCE

    @property
    def shows_method(self):
        """Whether its page may show what makes each cell: not in an exam with later results."""
        return not self.is_graded or self.sitting.release == Sitting.Release.AT_ONCE

    def shows_results(self, now):
        """Return whether its marks may be shown; always in practice and previews."""
        return not self.is_graded or self.sitting.shows_results(now)


class Item(models.Model):
    """A question of an attempt: what it showed, and the draft of the answer."""

    attempt = models.ForeignKey(
        Attempt,
        verbose_name=_("attempt"),
        on_delete=models.CASCADE,
        related_name="items",
        db_index=False,  # `item_position_once` begins with it
    )
    position = models.PositiveSmallIntegerField(
        _("position"), help_text=_("Its permanent number in the attempt.")
    )
    place = models.PositiveSmallIntegerField(
        _("place"),
        help_text=_("Its place on the page. In practice, several variants can follow one another."),
    )
    slot = models.ForeignKey(
        Slot,
        verbose_name=_("slot"),
        # Slots that were asked are retired, never deleted.
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        help_text=_("Empty when a skill is practised without a quiz."),
    )
    points = models.PositiveSmallIntegerField(_("points"), default=1)
    variant = models.ForeignKey(
        Variant,
        verbose_name=_("variant"),
        on_delete=models.PROTECT,
        related_name="items",
        db_index=False,  # `item_of_variant` leaves out those that have none
        null=True,
        blank=True,
    )
    question = models.ForeignKey(
        ConceptQuestion,
        verbose_name=_("question"),
        on_delete=models.PROTECT,
        related_name="items",
        db_index=False,  # `item_of_question` leaves out those that have none
        null=True,
        blank=True,
    )
    wording = models.ForeignKey(
        Wording,
        verbose_name=_("wording"),
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,  # wordings are never deleted, and nobody looks for their items
        help_text=_("Its text, before the variant’s words and numbers are added."),
    )
    order = models.TextField(
        _("order"), blank=True, help_text=_("The order in which the student saw the choices.")
    )
    draft = models.JSONField(_("draft"), default=dict, help_text=_("Raw text by cell."))
    revision = models.PositiveIntegerField(_("revision"), default=0)
    token = models.CharField(_("token"), max_length=64, blank=True)
    saved_at = models.DateTimeField(_("saved at"), null=True, blank=True)
    flagged = models.BooleanField(_("flagged"), default=False)
    hints = PlainJSONField(
        _("hints"),
        null=True,
        blank=True,
        help_text=_("Practice only: how many hints were taken, by step. Empty means none."),
    )
    helped_at = models.DateTimeField(
        _("helped at"),
        null=True,
        blank=True,
        help_text=_("When the first hint was taken. Answers after it don’t count towards skills."),
    )

    objects = AttemptRelatedQuerySet.as_manager()

    class Meta:
        verbose_name = _("question of an attempt")
        verbose_name_plural = _("questions of attempts")
        ordering = ["position"]
        indexes = [
            models.Index(
                fields=["variant"], condition=Q(variant__isnull=False), name="item_of_variant"
            ),
            models.Index(
                fields=["question"], condition=Q(question__isnull=False), name="item_of_question"
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["attempt", "position"], name="item_position_once"),
            models.CheckConstraint(
                condition=Q(variant__isnull=False, question__isnull=True)
                | Q(variant__isnull=True, question__isnull=False),
                name="item_variant_or_question",
            ),
        ]

    def __str__(self):
        words = gettext("question %(position)s of attempt %(attempt)s")
        return words % {"position": self.position, "attempt": self.attempt_id}

    @cached_property
    def asked(self) -> Mapping[str, Any]:
        """Its wording, which is all it takes to read an answer: fields, shapes and choices."""
        if Item.wording.is_cached(self):
            return self.wording.data
        return Wording.objects.read([self.wording_id])[self.wording_id]

    @cached_property
    def shown(self) -> dict[str, Any]:
        """Everything the student saw: the wording with its numbers, the choices in their order."""
        return problems.shown(
            self.asked, order=self.order, variant=self.variant and vars(self.variant)
        )


class ExtraTime(models.Model):
    """More time for a student, at every quiz or in one attempt.

    Extra time for an attempt replaces the student's general extra time there.
    """

    student = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("student"),
        on_delete=models.CASCADE,
        related_name="extra_times",
    )
    attempt = models.OneToOneField(
        Attempt,
        verbose_name=_("attempt"),
        on_delete=models.CASCADE,
        related_name="own_extra_time",
        null=True,
        blank=True,
        help_text=_("Leave empty for every quiz, now and in future."),
    )
    factor = models.DecimalField(
        _("factor"),
        max_digits=3,
        decimal_places=2,
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(5)],
        help_text=_("For example, 1.25 gives 25% more time."),
    )
    minutes = models.PositiveSmallIntegerField(
        _("minutes"),
        default=0,
        validators=[MaxValueValidator(600)],
        help_text=_("Added after the factor."),
    )

    class Meta:
        verbose_name = _("extra time")
        verbose_name_plural = _("extra time")
        constraints = [
            models.UniqueConstraint(
                fields=["student"],
                condition=Q(attempt__isnull=True),
                name="extra_time_of_student_once",
                violation_error_message=_(
                    "This student already has extra time. Change that instead."
                ),
            ),
            models.CheckConstraint(condition=Q(factor__gte=1), name="extra_time_is_more"),
        ]

    def __str__(self):
        words = gettext("× %(factor)s, + %(minutes)s min")
        return words % {"factor": self.factor, "minutes": self.minutes}

    def added_to(self, minutes: int) -> timedelta:
        """Return the time it adds to a quiz of so many minutes."""
        return timedelta(minutes=float(minutes * (self.factor - 1) + self.minutes))
