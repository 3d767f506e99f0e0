"""What instructors write: quizzes with their slots and sittings, and concept questions."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

SLOTS = 15


class Quiz(models.Model):
    """Fifteen slots and what they are about. When and how they are taken, a sitting says."""

    lesson = models.ForeignKey(
        "lessons.Lesson",
        verbose_name=_("lesson"),
        on_delete=models.PROTECT,
        related_name="quizzes",
        null=True,
        blank=True,
    )
    slug = models.SlugField(
        _("slug"), unique=True, help_text=_("The last part of the quiz's address.")
    )
    title = models.CharField(_("title"), max_length=120)
    introduction = models.TextField(
        _("introduction"), blank=True, help_text=_("Markdown, shown before the start.")
    )
    pass_mark = models.PositiveSmallIntegerField(
        _("pass mark"),
        default=60,
        validators=[MaxValueValidator(100)],
        help_text=_("Per cent of the points."),
    )
    published = models.BooleanField(_("published"), default=False)
    source_hash = models.CharField(max_length=64, blank=True, editable=False)

    class Meta:
        verbose_name = _("quiz")
        ordering = ["lesson__order", "title"]
        verbose_name_plural = _("quizzes")
        constraints = [
            models.CheckConstraint(condition=Q(pass_mark__lte=100), name="quiz_can_be_passed"),
        ]

    def __str__(self):
        return self.title

    def get_absolute_url(self):
        return reverse("quizzes:quiz", args=[self.slug])

    @cached_property
    def own_sitting(self) -> "Sitting":
        """That of those who learn alone. Lists read it with their quizzes (`OWN_SITTING`)."""
        own = getattr(self, "own_sittings", None) or [self.sittings.get(given_in="")]
        own[0].quiz = self
        return own[0]


class Sitting(models.Model):
    """The rules under which a quiz is taken, by whoever learns alone or by a class."""

    class Release(models.TextChoices):
        AT_ONCE = "at_once", _("at once")
        AFTER_CLOSE = "after_close", _("after the quiz closes")
        BY_HAND = "by_hand", _("when an instructor releases them")

    class Counts(models.TextChoices):
        BEST = "best", _("the best attempt")
        LAST = "last", _("the last attempt")

    quiz = models.ForeignKey(
        Quiz, verbose_name=_("quiz"), on_delete=models.CASCADE, related_name="sittings"
    )
    given_in = models.CharField(
        _("given in"),
        max_length=120,
        blank=True,
        help_text=_("The class it is given in. Empty: the quiz's own, for those who learn alone."),
    )
    open_to_all = models.BooleanField(
        _("open to all"), default=True, help_text=_("Whoever learns alone may take it.")
    )
    minutes = models.PositiveSmallIntegerField(
        _("minutes"), default=23, validators=[MinValueValidator(1)]
    )
    attempts_allowed = models.PositiveSmallIntegerField(
        _("attempts allowed"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_("Empty: any number."),
    )
    counts = models.CharField(
        _("which attempt counts"), max_length=4, choices=Counts, default=Counts.BEST
    )
    practice = models.BooleanField(
        _("may be practised"),
        default=True,
        help_text=_("Untimed, checked item by item, not counted."),
    )
    release = models.CharField(
        _("marks and solutions are shown"), max_length=12, choices=Release, default=Release.AT_ONCE
    )
    opens_at = models.DateTimeField(
        _("opens at"), null=True, blank=True, help_text=_("Empty: as soon as it is published.")
    )
    closes_at = models.DateTimeField(
        _("closes at"), null=True, blank=True, help_text=_("Empty: never closes.")
    )
    last_closes_at = models.DateTimeField(
        _("closes for the last at"),
        null=True,
        blank=True,
        editable=False,
        help_text=_("Where some may begin after it has closed for the others."),
    )
    released = models.BooleanField(
        _("results released"),
        default=False,
        help_text=_("Counts where results are released by hand."),
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
        """Is it not too early to start?"""
        return not self.opens_at or now >= self.opens_at

    def has_closed(self, now):
        """Is it too late to start?"""
        return bool(self.closes_at and now >= self.closes_at)

    def shows_results(self, now):
        """May marks and solutions be shown?"""
        if self.release == self.Release.BY_HAND:
            return self.released
        if self.release == self.Release.AT_ONCE:
            return True
        return self.has_closed_for_all(now) and not self._is_still_taken(now)

    def has_closed_for_all(self, now):
        """Is it too late for everybody?"""
        late = self.last_closes_at
        return self.has_closed(now) and (late is None or now >= late)

    def _is_still_taken(self, now):
        """Extra time may last on after the close, and nobody is to be told the answers until then.

        Lists read `last_deadline` of all of their sittings at once (`queries.with_last_deadline`).
        """
        if hasattr(self, "last_deadline"):
            return self.last_deadline is not None and self.last_deadline > now
        taken = Q(mode="graded", state="open", deadline__gt=now)
        return self.pk is not None and self.attempts.filter(taken).exists()


# For `prefetch_related` of quizzes.
OWN_SITTING = models.Prefetch(
    "sittings", Sitting.objects.filter(given_in=""), to_attr="own_sittings"
)


class Slot(models.Model):
    """One place in a quiz: a problem family with its sizes, or a topic of concept questions."""

    quiz = models.ForeignKey(
        Quiz, verbose_name=_("quiz"), on_delete=models.CASCADE, related_name="slots"
    )
    position = models.PositiveSmallIntegerField(_("position"), validators=[MinValueValidator(1)])
    points = models.PositiveSmallIntegerField(
        _("points"), default=1, validators=[MinValueValidator(1)]
    )
    family = models.CharField(_("family"), max_length=60, blank=True)
    options = models.JSONField(
        _("options"), default=dict, blank=True, help_text=_('Sizes: {"tokens": 3}')
    )
    topic = models.SlugField(_("topic"), max_length=60, blank=True)

    class Meta:
        verbose_name = _("slot")
        verbose_name_plural = _("slots")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["quiz", "position"], name="slot_position_once"),
            models.CheckConstraint(
                condition=(Q(family="") & ~Q(topic="")) | (~Q(family="") & Q(topic="")),
                name="slot_family_or_topic",
                violation_error_message=_("A slot asks for a family or for a topic: choose one."),
            ),
            models.CheckConstraint(condition=Q(points__gte=1), name="slot_is_worth_something"),
        ]

    def __str__(self):
        return f"{self.position}: {self.family or self.topic}"


class Topic(models.Model):
    """What a topic of concept questions is called. One that has no row is called by its key."""

    key = models.SlugField(_("key"), max_length=60, primary_key=True)
    title = models.CharField(
        _("title"), max_length=120, help_text=_("Why √d_k. No maths: it stands in lists.")
    )

    class Meta:
        verbose_name = _("topic")
        verbose_name_plural = _("topics")
        ordering = ["title"]

    def __str__(self):
        return self.title


class ConceptQuestion(models.Model):
    """A multiple-choice question. An item keeps what it showed, so editing harms nobody."""

    key = models.SlugField(_("key"), max_length=80, unique=True)
    topic = models.SlugField(_("topic"), max_length=60, db_index=True)
    prompt = models.TextField(_("prompt"), help_text=_("Markdown with $maths$."))
    explanation = models.TextField(
        _("explanation"), blank=True, help_text=_("Shown in the review, whatever was chosen.")
    )
    section = models.ForeignKey(
        "lessons.Section",
        verbose_name=_("section"),
        on_delete=models.SET_NULL,
        related_name="questions",
        null=True,
        blank=True,
        help_text=_("Where to read about it again."),
    )
    published = models.BooleanField(
        _("published"), default=False, help_text=_("Only what is published is asked.")
    )
    reserved = models.BooleanField(
        _("reserved for exams"), default=False, help_text=_("Practice never shows it.")
    )
    source_hash = models.CharField(max_length=64, blank=True, editable=False)

    class Meta:
        verbose_name = _("concept question")
        verbose_name_plural = _("concept questions")
        ordering = ["topic", "key"]

    def __str__(self):
        return self.key


class Choice(models.Model):
    """One choice of a concept question, with what is said to those who choose it."""

    question = models.ForeignKey(
        ConceptQuestion,
        verbose_name=_("question"),
        on_delete=models.CASCADE,
        related_name="choices",
    )
    key = models.SlugField(_("key"), max_length=60)
    text = models.TextField(_("text"), help_text=_("Markdown with $maths$."))
    correct = models.BooleanField(_("correct"), default=False)
    feedback = models.TextField(_("feedback"))
    order = models.PositiveSmallIntegerField(_("order"), default=0)

    class Meta:
        verbose_name = _("choice")
        verbose_name_plural = _("choices")
        ordering = ["order", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["question", "key"], name="choice_key_once"),
            models.UniqueConstraint(
                fields=["question"],
                condition=Q(correct=True),
                name="choice_one_is_correct",
                violation_error_message=_("Only one choice is correct."),
            ),
        ]

    def __str__(self):
        return self.key
