"""Quizzes with their slots and sittings, as instructors write them."""

from datetime import timedelta
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from quizzes import problems
from sharing.models import OwnedQuerySet, Share, share_constraints

SLOT_COUNT = 15
# A sitting with unreleased results keeps its questions secret this long after its last close.
UNRELEASED_SECRECY = timedelta(days=30)


class QuizQuerySet(OwnedQuerySet):
    share_model = "quizzes.QuizShare"


class Quiz(models.Model):
    """Fifteen slots and what they are about. A sitting has the rules under which it is taken."""

    lesson = models.ForeignKey(
        "lessons.Lesson",
        verbose_name=_("lesson"),
        on_delete=models.PROTECT,
        related_name="quizzes",
        null=True,
        blank=True,
    )
    slug = models.SlugField(
        _("slug"), unique=True, help_text=_("The last part of the quiz’s web address.")
    )
    title = models.CharField(_("title"), max_length=120)
    introduction = models.TextField(
        _("introduction"), blank=True, help_text=_("Markdown, shown before the quiz starts.")
    )
    pass_mark = models.PositiveSmallIntegerField(
        _("pass mark"),
        default=60,
        validators=[MaxValueValidator(100)],
        help_text=_("Percentage of the points."),
    )
    published = models.BooleanField(_("published"), default=False)
    source_hash = models.CharField(max_length=64, blank=True, editable=False)

    objects = QuizQuerySet.as_manager()

    class Meta:
        verbose_name = _("quiz")
        ordering = ["lesson__order", "title"]
        verbose_name_plural = _("quizzes")
        constraints = [
            models.CheckConstraint(condition=Q(pass_mark__lte=100), name="quiz_can_be_passed")
        ]

    def __str__(self):
        return self.title

    def get_absolute_url(self):
        return reverse("quizzes:quiz", args=[self.slug])

    @cached_property
    def own_sitting(self) -> "Sitting":
        """The sitting for independent learners. Lists prefetch it (`PREFETCH_OWN_SITTING`)."""
        own = getattr(self, "own_sittings", None) or [self.sittings.get(given_in="")]
        own[0].quiz = self
        return own[0]


class QuizShare(Share):
    """A user's right to own, edit or read a quiz."""

    quiz = models.ForeignKey(Quiz, on_delete=models.CASCADE, related_name="shares")

    names_by = "quiz_id"

    class Meta(Share.Meta):
        verbose_name = _("quiz share")
        verbose_name_plural = _("quiz shares")
        constraints = share_constraints("quiz")

    @property
    def row_name(self) -> str:
        return gettext("Quiz: %s") % self.quiz


class Sitting(models.Model):
    """The rules under which a quiz is taken, by independent learners or by a class."""

    class Release(models.TextChoices):
        AT_ONCE = "at_once", _("immediately")
        AFTER_CLOSE = "after_close", _("after the quiz closes")
        BY_HAND = "by_hand", _("when an instructor releases them")

    class Counts(models.TextChoices):
        BEST = "best", _("the best attempt")
        LAST = "last", _("the last attempt")

    quiz = models.ForeignKey(
        Quiz, verbose_name=_("quiz"), on_delete=models.CASCADE, related_name="sittings"
    )
    given_in = models.CharField(
        _("assigned in"),
        max_length=120,
        blank=True,
        help_text=_(
            "The class it’s assigned in. Empty for the quiz’s own sitting, for students"
            " outside classes."
        ),
    )
    open_to_all = models.BooleanField(
        _("open to everyone"), default=True, help_text=_("Students outside classes can take it.")
    )
    minutes = models.PositiveSmallIntegerField(
        _("minutes"), default=23, validators=[MinValueValidator(1)]
    )
    attempts_allowed = models.PositiveSmallIntegerField(
        _("attempts allowed"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_("Leave empty for no limit."),
    )
    counts = models.CharField(
        _("which attempt counts"), max_length=4, choices=Counts, default=Counts.BEST
    )
    practice = models.BooleanField(
        _("may be practised"),
        default=True,
        help_text=_("No time limit. Each question is checked separately, and nothing counts."),
    )
    release = models.CharField(
        _("marks and solutions are shown"), max_length=12, choices=Release, default=Release.AT_ONCE
    )
    opens_at = models.DateTimeField(
        _("opens at"),
        null=True,
        blank=True,
        help_text=_("Leave empty to open as soon as it’s published."),
    )
    closes_at = models.DateTimeField(
        _("closes at"), null=True, blank=True, help_text=_("Leave empty for no closing date.")
    )
    last_closes_at = models.DateTimeField(
        _("closes for the last student at"),
        null=True,
        blank=True,
        editable=False,
        help_text=_("Empty unless some students may start after it has closed for the others."),
    )
    released = models.BooleanField(
        _("results released"),
        default=False,
        help_text=_("Only used if results are released by hand."),
    )

    class Meta:
        verbose_name = _("sitting")
        verbose_name_plural = _("sittings")
        constraints = [
            models.UniqueConstraint(
                fields=["quiz"], condition=Q(given_in=""), name="sitting_own_once"
            ),
            models.CheckConstraint(
                condition=Q(given_in="") | Q(open_to_all=False), name="sitting_of_all_or_a_class"
            ),
            models.CheckConstraint(condition=Q(minutes__gte=1), name="sitting_takes_time"),
        ]

    def __str__(self):
        return f"{self.quiz}, {self.given_in}" if self.given_in else str(self.quiz)

    def get_absolute_url(self):
        if not self.given_in:
            return self.quiz.get_absolute_url()
        return reverse("quizzes:sitting", args=[self.quiz.slug, self.pk])

    def has_opened(self, now):
        """Return whether it is late enough to start."""
        return not self.opens_at or now >= self.opens_at

    def has_closed(self, now):
        """Return whether it is too late to start."""
        return bool(self.closes_at and now >= self.closes_at)

    def shows_results(self, now):
        """Return whether marks and solutions may be shown."""
        if self.release == self.Release.BY_HAND:
            return self.released
        if self.release == self.Release.AT_ONCE:
            return True
        return self.has_closed_for_all(now) and not self._is_still_taken(now)

    def has_closed_for_all(self, now):
        """Return whether it is too late to start for every student."""
        late = self.last_closes_at
        return self.has_closed(now) and (late is None or now >= late)

    @property
    def secrets_end_at(self):
        """When its questions stop being secret, by its dates; None if that is not known yet.

        Needs `last_deadline`, and a sitting that shows its results later.
        """
        if self.closes_at is None:
            return None
        closes = max(self.closes_at, self.last_closes_at or self.closes_at)
        if self.release == self.Release.BY_HAND:
            closes += UNRELEASED_SECRECY
        return max(closes, self.last_deadline or closes)

    def _is_still_taken(self, now):
        """Return whether an attempt still runs: extra time may last beyond the close.

        Lists annotate `last_deadline` (`queries.with_last_deadline`) instead of a query per
        sitting.
        """
        if hasattr(self, "last_deadline"):
            return self.last_deadline is not None and self.last_deadline > now
        if self.pk is None:
            return False
        return self.attempts.graded().open().filter(deadline__gt=now).exists()


# For `prefetch_related` of quizzes.
PREFETCH_OWN_SITTING = models.Prefetch(
    "sittings", Sitting.objects.filter(given_in=""), to_attr="own_sittings"
)


class CurrentSlots(models.Manager["Slot"]):
    """Manager of the slots in force: retired ones are known only to their items."""

    def get_queryset(self):
        return super().get_queryset().filter(retired_at=None)


class Slot(models.Model):
    """A place in a quiz: a problem family with its sizes, or a topic of concept questions.

    Once a slot was asked only its position is edited: a change retires it and puts a new slot in
    its place (`authoring/services/slots.py`). `quiz.slots` and `Slot.objects` are those in force;
    an item may refer to any slot. Joins bypass managers, so `queries.QUESTIONS` filters by itself.
    """

    quiz = models.ForeignKey(
        Quiz, verbose_name=_("quiz"), on_delete=models.CASCADE, related_name="slots"
    )
    position = models.PositiveSmallIntegerField(_("position"), validators=[MinValueValidator(1)])
    points = models.PositiveSmallIntegerField(
        _("points"), default=1, validators=[MinValueValidator(1)]
    )
    family = models.CharField(_("family"), max_length=60, blank=True)
    family_version = models.PositiveIntegerField(
        _("version"),
        null=True,
        blank=True,
        editable=False,
        help_text="Of a problem that an instructor wrote; empty for the site's own families.",
    )
    options = models.JSONField(
        _("sizes"), default=dict, blank=True, help_text=_('For example {"tokens": 3}')
    )
    topic = models.SlugField(_("topic"), max_length=60, blank=True)
    retired_at = models.DateTimeField(_("replaced at"), null=True, blank=True, editable=False)

    objects = CurrentSlots()
    every = models.Manager()  # noqa: DJ012 - no field

    class Meta:
        verbose_name = _("slot")
        verbose_name_plural = _("slots")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["quiz", "position"], condition=Q(retired_at=None), name="slot_position_once"
            ),
            models.CheckConstraint(
                condition=(Q(family="") & ~Q(topic="")) | (~Q(family="") & Q(topic="")),
                name="slot_family_or_topic",
                violation_error_message=_("A slot needs either a family or a topic. Choose one."),
            ),
            models.CheckConstraint(condition=Q(points__gte=1), name="slot_is_worth_something"),
        ]

    def __str__(self):
        return f"{self.position}: {self.family or self.topic}"

    @property
    def asks(self) -> tuple[int, str, int | None, dict[str, Any], str]:
        """The points and what it asks, regardless of position; compared to detect an edit."""
        return self.points, self.family, self.family_version, self.options, self.topic

    @property
    def kind(self) -> str:
        """The kind of the variants that it asks; raise `problems.UnknownKind`."""
        return problems.kind_of(self.family, self.options, self.family_version)


class PooledQuestion(models.Model):
    """A question, in any version, that a quiz may ask on a topic: frozen at publishing.

    If a published quiz has frozen questions on a topic, it asks only those of them that are still
    published and on that topic (`askable_questions` in authoring).
    """

    quiz = models.ForeignKey(
        Quiz,
        on_delete=models.CASCADE,
        related_name="pooled",
        db_index=False,  # `pooled_once` begins with it
    )
    topic = models.SlugField(max_length=60, db_index=False)
    key = models.SlugField(max_length=80, db_index=False)

    class Meta:
        verbose_name = _("pooled question")
        verbose_name_plural = _("pooled questions")
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["quiz", "topic", "key"], name="pooled_once")]

    def __str__(self):
        return f"{self.topic}: {self.key}"


class AskedQuestion(models.Model):
    """A record that a question was asked at a sitting, which outlives changes of the quiz.

    Items record it too, but there is one for each student, and a single row here for all of them.
    """

    pk = models.CompositePrimaryKey("sitting", "question")
    sitting = models.ForeignKey(Sitting, on_delete=models.CASCADE, related_name="+", db_index=False)
    question = models.ForeignKey(
        "quizzes.ConceptQuestion", on_delete=models.CASCADE, related_name="+", db_index=False
    )

    class Meta:
        default_permissions = ()
        verbose_name = _("question asked in a sitting")
        verbose_name_plural = _("questions asked in sittings")

    def __str__(self):
        return f"{self.sitting_id}: {self.question_id}"
