"""What instructors write: quizzes with their slots, and concept questions with their choices."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

SLOTS = 15


class Quiz(models.Model):
    """Fifteen slots and the rules under which they are taken."""

    class Release(models.TextChoices):
        AT_ONCE = "at_once", _("at once")
        AFTER_CLOSE = "after_close", _("after the quiz closes")
        BY_HAND = "by_hand", _("when an instructor releases them")

    class Counts(models.TextChoices):
        BEST = "best", _("the best attempt")
        LAST = "last", _("the last attempt")

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
    minutes = models.PositiveSmallIntegerField(
        _("minutes"), default=23, validators=[MinValueValidator(1)]
    )
    pass_mark = models.PositiveSmallIntegerField(
        _("pass mark"),
        default=60,
        validators=[MaxValueValidator(100)],
        help_text=_("Per cent of the points."),
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
    released = models.BooleanField(
        _("results released"),
        default=False,
        help_text=_("Counts where results are released by hand."),
    )
    published = models.BooleanField(_("published"), default=False)
    source_hash = models.CharField(max_length=64, blank=True, editable=False)

    class Meta:
        verbose_name = _("quiz")
        ordering = ["lesson__order", "title"]
        verbose_name_plural = _("quizzes")
        constraints = [
            models.CheckConstraint(condition=Q(minutes__gte=1), name="quiz_takes_time"),
            models.CheckConstraint(condition=Q(pass_mark__lte=100), name="quiz_can_be_passed"),
        ]

    def __str__(self):
        return self.title

    def get_absolute_url(self):
        return reverse("quizzes:quiz", args=[self.slug])

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
        return self.has_closed(now) and not self._is_still_taken(now)

    def _is_still_taken(self, now):
        """Extra time may last on after the close, and nobody is to be told the answers until then.

        Lists read `last_deadline` of all of their quizzes at once (`queries.with_last_deadline`).
        """
        if hasattr(self, "last_deadline"):
            return self.last_deadline is not None and self.last_deadline > now
        taken = Q(mode="graded", state="open", deadline__gt=now)
        return self.pk is not None and self.attempts.filter(taken).exists()


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
