"""The rows of a lesson: the lesson with its optional page parts, its sections, its words."""

from django.core.validators import MinValueValidator
from django.db import models
from django.urls import reverse

from lessons.fields import MarkdownField


class Level(models.TextChoices):
    BEGINNER = "beginner", "Beginner"
    INTERMEDIATE = "intermediate", "Intermediate"
    ADVANCED = "advanced", "Advanced"


def part(name: str, **options) -> MarkdownField:
    """An optional part of a lesson's page. An empty part is not shown."""
    return MarkdownField(name, blank=True, default="", **options)


class Lesson(models.Model):
    """One lesson. What every lesson has comes first; the parts after it are all optional."""

    slug = models.SlugField(unique=True, help_text="The last part of the page's address.")
    title = models.CharField(max_length=120)
    tagline = models.CharField(max_length=200, blank=True)
    category = models.CharField(max_length=60, blank=True)
    level = models.CharField(max_length=12, choices=Level, default=Level.BEGINNER)
    minutes = models.PositiveSmallIntegerField(
        default=20,
        validators=[MinValueValidator(1)],
        help_text="Minutes of calm reading.",
    )
    order = models.PositiveSmallIntegerField(default=0, help_text="Its place in the catalogue.")
    icon = models.CharField(max_length=8, blank=True, help_text="One sign, beside the title.")
    published = models.BooleanField(default=False, help_text="Drafts are seen by authors only.")

    today = part("what we learn today")
    fits = part("how this lesson fits")
    big_question = part("the big question")
    outcomes = part("outcomes", help_text="A list: what the reader will be able to do.")
    why_care = part("why you should care")
    uses = part("where this is used", help_text="A list.")
    analogy = part("think of it like this")
    easy_mistake = part("an easy mistake to make")
    able_to_say = part("you should be able to say", help_text="A list.")
    think_first = part("think about this first")
    comparison = part("comparison", help_text="A table in Markdown, with a line before it.")
    big_story = part("the big story in a line")
    elsewhere = part("same idea elsewhere", help_text="Links to other lessons: [text](lesson:slug)")

    # In the order of the page; the last three follow the sections.
    PARTS = (
        *("today", "fits", "big_question", "outcomes", "why_care", "uses", "analogy"),
        *("easy_mistake", "able_to_say", "think_first", "comparison", "big_story", "elsewhere"),
    )

    source_hash = models.CharField(
        max_length=64,
        blank=True,
        editable=False,
        help_text="Of the file this was loaded from.",
    )
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["order", "title"]
        constraints = [
            models.CheckConstraint(condition=models.Q(minutes__gte=1), name="lesson_takes_time"),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("lessons:lesson", args=[self.slug])


class Section(models.Model):
    """One section of a lesson: a heading and Markdown with maths and widgets."""

    lesson = models.ForeignKey(Lesson, on_delete=models.CASCADE, related_name="sections")
    slug = models.SlugField(help_text="The section's anchor in the page.")
    title = models.CharField(max_length=120)
    order = models.PositiveSmallIntegerField(default=0)
    body = MarkdownField(
        blank=True,
        help_text="Markdown, maths between dollars, widgets in fenced blocks; headings from ###.",
    )

    class Meta:
        ordering = ["order", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["lesson", "slug"], name="section_slug_in_lesson"),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"{self.lesson.get_absolute_url()}#{self.slug}"


class Word(models.Model):
    """A word that a lesson keeps using; the page marks it and tells its meaning."""

    lesson = models.ForeignKey(Lesson, on_delete=models.CASCADE, related_name="words")
    term = models.CharField(max_length=60)
    forms = models.CharField(
        max_length=200,
        blank=True,
        help_text="Other forms that are marked too: tokens, tokenised",
    )
    meaning = MarkdownField(help_text="A sentence or two; maths between dollars is fine.")
    order = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["order", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["lesson", "term"], name="word_once_in_lesson"),
        ]

    def __str__(self) -> str:
        return self.term
