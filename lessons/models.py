"""Models of lessons: page parts, sections, words, images, sentences and what students have read.

Lesson, section and word keep their history; authoring/history.py puts the three together again as
one lesson.
"""

from functools import lru_cache

from django.conf import settings
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from lessons.fields import MarkdownField
from sharing.models import OwnedQuerySet, Share, share_constraints


class Level(models.TextChoices):
    BEGINNER = "beginner", _("Beginner")
    INTERMEDIATE = "intermediate", _("Intermediate")
    ADVANCED = "advanced", _("Advanced")


def part(name: str, **options) -> MarkdownField:
    """Return a field for an optional part of a lesson's page. An empty part is not shown."""
    return MarkdownField(name, blank=True, default="", **options)


class LessonQuerySet(OwnedQuerySet):
    share_model = "lessons.LessonShare"


class Lesson(models.Model):
    """A lesson. The fields of every lesson come first, the optional page parts after them."""

    slug = models.SlugField(
        _("slug"), unique=True, help_text=_("The last part of the page’s web address.")
    )
    title = models.CharField(_("title"), max_length=120)
    tagline = models.CharField(_("tagline"), max_length=200, blank=True)
    category = models.CharField(_("category"), max_length=60, blank=True)
    level = models.CharField(_("level"), max_length=12, choices=Level, default=Level.BEGINNER)
    minutes = models.PositiveSmallIntegerField(
        _("minutes"),
        default=20,
        validators=[MinValueValidator(1)],
        help_text=_("Reading time in minutes, at a relaxed pace."),
    )
    order = models.PositiveSmallIntegerField(
        _("order"), default=0, help_text=_("Its place in the catalogue.")
    )
    icon = models.CharField(
        _("icon"),
        max_length=8,
        blank=True,
        help_text=_("A single character shown beside the title."),
    )
    published = models.BooleanField(
        _("published"), default=False, help_text=_("Only authors can see drafts.")
    )

    today = part(_("what we’re learning"))
    fits = part(_("how this lesson fits"))
    big_question = part(_("the big question"))
    outcomes = part(_("outcomes"), help_text=_("A list: what the reader will be able to do."))
    why_care = part(_("why it matters"))
    uses = part(_("where it’s used"), help_text=_("A list."))
    analogy = part(_("think of it like this"))
    easy_mistake = part(_("an easy mistake"))
    able_to_say = part(_("you should be able to say"), help_text=_("A list."))
    think_first = part(_("think about this first"))
    comparison = part(
        _("comparison"), help_text=_("A table in Markdown, with an introductory line before it.")
    )
    big_story = part(_("the big story in a line"))
    elsewhere = part(
        _("same idea elsewhere"), help_text=_("Links to other lessons: [text](lesson:slug)")
    )

    # In the order of the page; the last three follow the sections.
    PARTS = (
        *("today", "fits", "big_question", "outcomes", "why_care", "uses", "analogy"),
        *("easy_mistake", "able_to_say", "think_first", "comparison", "big_story", "elsewhere"),
    )

    source_hash = models.CharField(
        max_length=64, blank=True, editable=False, help_text="Of the file this was loaded from."
    )
    updated = models.DateTimeField(_("updated"), auto_now=True)
    history = HistoricalRecords(excluded_fields=["source_hash", "updated"])

    objects = LessonQuerySet.as_manager()

    class Meta:
        verbose_name = _("lesson")
        verbose_name_plural = _("lessons")
        ordering = ["order", "title"]
        constraints = [
            models.CheckConstraint(condition=models.Q(minutes__gte=1), name="lesson_takes_time")
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return _address(self.slug)

    def texts(self) -> list[str]:
        """Return all its Markdown, in the order of the page."""
        return [
            *(getattr(self, part) for part in self.PARTS),
            *(word.meaning for word in self.words.all()),
            *(section.body for section in self.sections.all()),
        ]


@lru_cache(maxsize=256)  # a page of results links to a dozen
def _address(slug: str) -> str:
    return reverse("lessons:lesson", args=[slug])


class LessonShare(Share):
    """A share of a lesson: a person, or everybody, who owns, edits or reads it."""

    lesson = models.ForeignKey(Lesson, on_delete=models.CASCADE, related_name="shares")

    names_by = "lesson_id"

    class Meta(Share.Meta):
        verbose_name = _("lesson share")
        verbose_name_plural = _("lesson shares")
        constraints = share_constraints("lesson")

    @property
    def row_name(self) -> str:
        return gettext("Lesson: %s") % self.lesson


class Section(models.Model):
    """A section of a lesson: a heading, and Markdown with maths and widgets."""

    lesson = models.ForeignKey(
        Lesson, verbose_name=_("lesson"), on_delete=models.CASCADE, related_name="sections"
    )
    slug = models.SlugField(_("slug"), help_text=_("The section’s anchor in the page."))
    title = models.CharField(_("title"), max_length=120)
    order = models.PositiveSmallIntegerField(_("order"), default=0)
    body = MarkdownField(
        _("body"),
        blank=True,
        help_text=_(
            "Markdown, with maths between dollar signs and widgets in fenced blocks. Start"
            " headings at ###."
        ),
    )
    families = models.CharField(
        _("families"),
        max_length=400,
        blank=True,
        validators=[RegexValidator(r"^\w+(, \w+)*$", _("Keys, separated by a comma and a space."))],
        help_text=_("Problem families taught here, such as: softmax_row, scale_row"),
    )
    history = HistoricalRecords()

    class Meta:
        verbose_name = _("section")
        verbose_name_plural = _("sections")
        ordering = ["order", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["lesson", "slug"], name="section_slug_in_lesson")
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"{self.lesson.get_absolute_url()}#{self.slug}"

    @property
    def family_keys(self) -> list[str]:
        return self.families.split(", ") if self.families else []


class Word(models.Model):
    """A glossary word of a lesson; the page marks it and explains its meaning."""

    lesson = models.ForeignKey(
        Lesson, verbose_name=_("lesson"), on_delete=models.CASCADE, related_name="words"
    )
    term = models.CharField(_("term"), max_length=60)
    forms = models.CharField(
        _("forms"),
        max_length=200,
        blank=True,
        help_text=_("Other forms to highlight too, such as: tokens, tokenised"),
    )
    meaning = MarkdownField(
        _("meaning"), help_text=_("One or two sentences. You can use maths between dollar signs.")
    )
    order = models.PositiveSmallIntegerField(_("order"), default=0)
    history = HistoricalRecords()

    class Meta:
        verbose_name = _("word")
        verbose_name_plural = _("words")
        ordering = ["order", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["lesson", "term"], name="word_once_in_lesson")
        ]

    def __str__(self) -> str:
        return self.term

    @property
    def other_forms(self) -> list[str]:
        return [form for form in map(str.strip, self.forms.split(",")) if form]


class Rung(models.IntegerChoices):
    """The help that a section's exercise gives; it fades from one rung to the next."""

    EXAMPLE = 1, _("example first")
    HOLE = 2, _("last step")
    ALONE = 3, _("on your own")


class Reading(models.Model):
    """A record that a student has read a section, since when, and the rung of its exercise.

    The rung is here because a page with progress reads these rows anyway. A right answer counts as
    having read the section, because its exercise is the end of it.
    """

    student = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="readings"
    )
    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="readings")
    read_at = models.DateTimeField(default=timezone.now)
    rung = models.PositiveSmallIntegerField(
        _("rung"), choices=Rung, default=Rung.EXAMPLE, db_default=Rung.EXAMPLE
    )

    class Meta:
        verbose_name = _("reading")
        verbose_name_plural = _("readings")
        constraints = [
            models.UniqueConstraint(fields=["student", "section"], name="section_read_once"),
            models.CheckConstraint(
                condition=models.Q(rung__in=Rung.values), name="reading_on_a_rung"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.student}: {self.section}"


class Sentence(models.Model):
    """A sentence for the real model to read, with the result.

    The same sentence has the same row whoever asks for it. The row does not record who asked.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        READ = "read", _("read")
        TOO_LONG = "too long", _("too long")
        FAILED = "failed", _("failed")

    text = models.CharField(max_length=200, unique=True)
    key = models.SlugField(
        max_length=32, unique=True, help_text=_("Used in its web address. Based on the text.")
    )
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    asked_at = models.DateTimeField(default=timezone.now)
    claimed_until = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    result = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = _("sentence")
        verbose_name_plural = _("sentences")
        indexes = [
            models.Index(
                fields=["asked_at"], condition=models.Q(state="waiting"), name="sentence_waiting"
            )
        ]

    def __str__(self) -> str:
        return self.text

    def get_absolute_url(self) -> str:
        return reverse("lessons:sentence", args=[self.key])


def image_path(image: "LessonImage", _uploaded_name: str) -> str:
    """Return where an image is stored; the uploader's file name plays no part."""
    return f"lesson-images/{image.name}-{image.digest[:12]}.{image.format}"


class LessonImage(models.Model):
    """An uploaded image, used in lessons as ![what it shows](image:name).

    Only authoring/services.py writes images, after checking their content.
    """

    class Format(models.TextChoices):
        PNG = "png", "PNG"
        JPEG = "jpeg", "JPEG"
        WEBP = "webp", "WebP"

    name = models.SlugField(
        _("name"),
        max_length=60,
        unique=True,
        help_text=_("The name lessons use for it: ![…](image:name)"),
    )
    alt = models.CharField(
        _("what it shows"),
        max_length=300,
        help_text=_("Describe it for readers who can’t see it, unless the text already does."),
    )
    file = models.FileField(_("file"), upload_to=image_path, max_length=120)
    format = models.CharField(_("format"), max_length=4, choices=Format, editable=False)
    width = models.PositiveSmallIntegerField(_("width"), editable=False)
    height = models.PositiveSmallIntegerField(_("height"), editable=False)
    digest = models.CharField(
        _("digest"), max_length=64, editable=False, help_text=_("SHA-256 of the file.")
    )
    updated = models.DateTimeField(_("updated"), auto_now=True)

    class Meta:
        verbose_name = _("lesson image")
        verbose_name_plural = _("lesson images")
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=~models.Q(alt=""), name="image_says_what_it_shows")
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """Return a URL that changes with the content, so that browsers may cache it for ever."""
        return reverse("lessons:image", args=[self.name, self.digest])
