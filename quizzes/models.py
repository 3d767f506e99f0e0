"""The rows of quizzes: what is asked, what was answered, what it earned.

Quiz, Slot, ConceptQuestion and Choice are edited by instructors. Variant, Answer and Grade never
change once written; a regrade appends grades. Attempt, Item and Submission are written by the
services alone.
"""

from datetime import timedelta

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone

SLOTS = 15

# What arrives this long after the deadline still counts: networks are slower than clocks.
GRACE = timedelta(seconds=10)


class Quiz(models.Model):
    """Fifteen slots and the rules under which they are taken."""

    class Release(models.TextChoices):
        AT_ONCE = "at_once", "at once"
        AFTER_CLOSE = "after_close", "after the quiz closes"
        BY_HAND = "by_hand", "when an instructor releases them"

    lesson = models.ForeignKey(
        "lessons.Lesson", on_delete=models.PROTECT, related_name="quizzes", null=True, blank=True
    )
    slug = models.SlugField(unique=True, help_text="The last part of the quiz's address.")
    title = models.CharField(max_length=120)
    introduction = models.TextField(blank=True, help_text="Markdown, shown before the start.")
    minutes = models.PositiveSmallIntegerField(default=23, validators=[MinValueValidator(1)])
    pass_mark = models.PositiveSmallIntegerField(
        default=60, validators=[MaxValueValidator(100)], help_text="Per cent of the points."
    )
    attempts_allowed = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)], help_text="Empty: any number."
    )
    release = models.CharField(
        "marks and solutions are shown", max_length=12, choices=Release, default=Release.AT_ONCE
    )
    closes_at = models.DateTimeField(null=True, blank=True, help_text="Empty: never closes.")
    released = models.BooleanField(
        "results released", default=False, help_text="Counts where results are released by hand."
    )
    published = models.BooleanField(default=False)
    source_hash = models.CharField(max_length=64, blank=True, editable=False)

    class Meta:
        ordering = ["lesson__order", "title"]
        verbose_name_plural = "quizzes"
        constraints = [
            models.CheckConstraint(condition=Q(minutes__gte=1), name="quiz_takes_time"),
            models.CheckConstraint(condition=Q(pass_mark__lte=100), name="quiz_can_be_passed"),
        ]

    def __str__(self):
        return self.title

    def get_absolute_url(self):
        return reverse("quizzes:quiz", args=[self.slug])

    def has_closed(self, now):
        """Is it too late to start?"""
        return bool(self.closes_at and now >= self.closes_at)

    def shows_results(self, now):
        """May marks and solutions be shown?"""
        if self.release == self.Release.BY_HAND:
            return self.released
        return self.release == self.Release.AT_ONCE or self.has_closed(now)


class Slot(models.Model):
    """One place in a quiz: a problem family with its sizes, or a topic of concept questions."""

    quiz = models.ForeignKey(Quiz, on_delete=models.CASCADE, related_name="slots")
    position = models.PositiveSmallIntegerField(validators=[MinValueValidator(1)])
    points = models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1)])
    family = models.CharField(max_length=60, blank=True)
    options = models.JSONField(default=dict, blank=True, help_text='Sizes: {"tokens": 3}')
    topic = models.SlugField(max_length=60, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["quiz", "position"], name="slot_position_once"),
            models.CheckConstraint(
                condition=(Q(family="") & ~Q(topic="")) | (~Q(family="") & Q(topic="")),
                name="slot_family_or_topic",
                violation_error_message="A slot asks for a family or for a topic: choose one.",
            ),
            models.CheckConstraint(condition=Q(points__gte=1), name="slot_is_worth_something"),
        ]

    def __str__(self):
        return f"{self.position}: {self.family or self.topic}"


class ConceptQuestion(models.Model):
    """A multiple-choice question. An item keeps what it showed, so editing harms nobody."""

    key = models.SlugField(max_length=80, unique=True)
    topic = models.SlugField(max_length=60, db_index=True)
    prompt = models.TextField(help_text="Markdown with $maths$.")
    explanation = models.TextField(
        blank=True, help_text="Shown in the review, whatever was chosen."
    )
    section = models.ForeignKey(
        "lessons.Section",
        on_delete=models.SET_NULL,
        related_name="questions",
        null=True,
        blank=True,
        help_text="Where to read about it again.",
    )
    published = models.BooleanField(default=True)
    source_hash = models.CharField(max_length=64, blank=True, editable=False)

    class Meta:
        ordering = ["topic", "key"]

    def __str__(self):
        return self.key


class Choice(models.Model):
    """One choice of a concept question, with what is said to those who choose it."""

    question = models.ForeignKey(ConceptQuestion, on_delete=models.CASCADE, related_name="choices")
    key = models.SlugField(max_length=60)
    text = models.TextField(help_text="Markdown with $maths$.")
    correct = models.BooleanField(default=False)
    feedback = models.TextField()
    order = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["order", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["question", "key"], name="choice_key_once"),
            models.UniqueConstraint(
                fields=["question"],
                condition=Q(correct=True),
                name="choice_one_is_correct",
                violation_error_message="Only one choice is correct.",
            ),
        ]

    def __str__(self):
        return self.key


class Variant(models.Model):
    """A proven problem with its numbers. Shared between students; never changes."""

    kind = models.CharField(
        max_length=200, db_index=True, help_text="Family, version and options in one text."
    )
    family = models.CharField(max_length=60)
    version = models.PositiveSmallIntegerField()
    options = models.JSONField()
    seed = models.CharField(max_length=64)
    words = models.JSONField()
    givens = models.JSONField()
    solution = models.JSONField()
    tolerance = models.JSONField()
    drawn_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "seed"], name="variant_drawn_once"),
        ]

    def __str__(self):
        return f"{self.kind} {self.seed}"


class Attempt(models.Model):
    """One student's go at a quiz."""

    class Mode(models.TextChoices):
        GRADED = "graded", "graded"
        PRACTICE = "practice", "practice"

    class State(models.TextChoices):
        OPEN = "open", "open"
        SUBMITTED = "submitted", "submitted"

    student = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="attempts"
    )
    quiz = models.ForeignKey(
        Quiz, on_delete=models.PROTECT, related_name="attempts", null=True, blank=True
    )
    mode = models.CharField(max_length=8, choices=Mode, default=Mode.GRADED)
    number = models.PositiveIntegerField(default=1)
    started_at = models.DateTimeField(default=timezone.now)
    deadline = models.DateTimeField(null=True, blank=True)
    extra_time = models.DurationField(default=timedelta, help_text="Part of the deadline already.")
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    submitted_at = models.DateTimeField(null=True, blank=True)
    closed_by_clock = models.BooleanField(default=False)
    score = models.FloatField(null=True, blank=True, help_text="Empty until it is marked.")
    out_of = models.FloatField(default=0)

    class Meta:
        ordering = ["-started_at"]
        indexes = [
            models.Index(fields=["deadline"], condition=Q(state="open"), name="attempt_open_until"),
            models.Index(fields=["student", "-started_at"], name="attempt_of_student"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["student", "quiz"],
                condition=Q(state="open", mode="graded"),
                name="attempt_one_open",
            ),
            models.UniqueConstraint(
                fields=["student", "quiz", "mode", "number"], name="attempt_number_once"
            ),
        ]

    def __str__(self):
        return f"attempt {self.pk}"

    def get_absolute_url(self):
        return reverse("quizzes:attempt", args=[self.pk])

    @property
    def is_open(self):
        return self.state == self.State.OPEN

    def takes_answers(self, now):
        """Does what arrives now still count?"""
        return self.is_open and (self.deadline is None or now <= self.deadline + GRACE)

    def shows_results(self, now):
        """May its marks be shown? What belongs to no quiz is practice: at once."""
        return self.quiz is None or self.quiz.shows_results(now)


class Item(models.Model):
    """One question of an attempt: what it showed, and the draft of the answer."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveSmallIntegerField()
    slot = models.ForeignKey(Slot, on_delete=models.SET_NULL, null=True, blank=True)
    points = models.PositiveSmallIntegerField(default=1)
    variant = models.ForeignKey(
        Variant, on_delete=models.PROTECT, related_name="items", null=True, blank=True
    )
    question = models.ForeignKey(
        ConceptQuestion, on_delete=models.PROTECT, related_name="items", null=True, blank=True
    )
    shown = models.JSONField(help_text="Statement, labels and choices as the student saw them.")
    draft = models.JSONField(default=dict, help_text="Raw text by cell.")
    revision = models.PositiveIntegerField(default=0)
    token = models.CharField(max_length=64, blank=True)
    saved_at = models.DateTimeField(null=True, blank=True)
    flagged = models.BooleanField(default=False)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["attempt", "position"], name="item_position_once"),
            models.CheckConstraint(
                condition=Q(variant__isnull=False, question__isnull=True)
                | Q(variant__isnull=True, question__isnull=False),
                name="item_variant_or_question",
            ),
        ]

    def __str__(self):
        return f"item {self.position} of attempt {self.attempt_id}"


class Submission(models.Model):
    """Something that waits to be marked: the row is the queue."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting to be marked"
        GRADED = "graded", "marked"
        ATTENTION = "attention", "needs attention"

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="submissions")
    item = models.ForeignKey(
        Item, on_delete=models.CASCADE, related_name="submissions", null=True, blank=True
    )
    number = models.PositiveIntegerField(default=1)
    key = models.CharField("idempotency key", max_length=64, blank=True)
    received_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    claimed_by = models.CharField(max_length=64, blank=True)
    claimed_until = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    trouble = models.TextField(blank=True, help_text="Why it could not be marked.")
    graded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-received_at"]
        indexes = [
            models.Index(
                fields=["received_at"], condition=Q(state="waiting"), name="submission_waiting"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["attempt"], condition=Q(item__isnull=True), name="submission_of_attempt"
            ),
            models.UniqueConstraint(
                fields=["item", "number"],
                condition=Q(item__isnull=False),
                name="submission_of_item",
            ),
        ]

    def __str__(self):
        return f"submission {self.pk}"


class Answer(models.Model):
    """The frozen copy of what was typed for one item. Never changes."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="answers")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="answers")
    raw = models.JSONField(help_text="Step to its cells' text, or to the key of a choice.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["submission", "item"], name="answer_once"),
        ]

    def __str__(self):
        return f"answer {self.pk}"


class Grade(models.Model):
    """What an answer earned. Never changes; a regrade appends the next revision."""

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="grades")
    revision = models.PositiveSmallIntegerField(default=1)
    points = models.FloatField()
    out_of = models.FloatField()
    verdict = models.CharField(max_length=8)
    mistake = models.CharField(max_length=60, blank=True)
    steps = models.JSONField(help_text="Verdict, mistake, cells and exact points of each step.")
    core_version = models.CharField(max_length=20)
    graded_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["answer", "revision"], name="grade_revision_once"),
            models.CheckConstraint(
                condition=Q(points__gte=0) & Q(points__lte=F("out_of")), name="grade_in_bounds"
            ),
        ]

    def __str__(self):
        return f"{self.points:.2f} of {self.out_of:.2f}"
