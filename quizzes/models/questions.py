"""Topics, concept questions and their choices."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from sharing.models import OwnedQuerySet, Share, share_constraints


class Topic(models.Model):
    """A topic of concept questions: its title, and the part of the model that it is about.

    A topic without a row is shown under its key.
    """

    class Part(models.TextChoices):
        """The parts of the families (`problems.PARTS`), in their order."""

        VECTORS = "vectors", _("Vectors")
        DOT_PRODUCT = "dot_product", _("Dot product")
        SOFTMAX = "softmax", _("Softmax")
        ATTENTION = "attention", _("Attention")
        HEADS = "heads", _("Heads")
        BLOCK = "block", _("Block")
        WHOLE = "whole", _("The whole model")

    key = models.SlugField(_("key"), max_length=60, primary_key=True)
    title = models.CharField(
        _("title"),
        max_length=120,
        help_text=_("For example, “Why √d_k”. Plain text only, because it’s shown in lists."),
    )
    part = models.CharField(
        _("part of the model"),
        max_length=16,
        choices=Part,
        blank=True,
        default="",
        db_default="",
        help_text=_("The practice page lists the topic under this part."),
    )

    class Meta:
        verbose_name = _("topic")
        verbose_name_plural = _("topics")
        ordering = ["title"]

    def __str__(self):
        return self.title


class QuestionQuerySet(OwnedQuerySet):
    share_model = "quizzes.QuestionShare"
    named_by = "key"  # through all versions


class CurrentQuestions(models.Manager.from_queryset(QuestionQuerySet)):
    """Manager of the current version of every question."""

    def get_queryset(self):
        return super().get_queryset().filter(replaced_at=None)


class ConceptQuestion(models.Model):
    """A multiple-choice question, in one version.

    Once a version was asked it is never edited: changed texts and choices become the next version
    under the same key (`items/services/questions.py`). Topic, section, what it asks for, and
    whether it is published and reserved belong to the question and are the same in all versions.
    `ConceptQuestion.objects` has the current versions; an item may refer to any version.
    """

    class Asks(models.TextChoices):
        """The thinking that an answer takes."""

        RECALL = "recall", _("recall")
        REASONING = "reasoning", _("reasoning")
        COMPUTING = "computing", _("computing")

    key = models.SlugField(_("key"), max_length=80, db_index=False)  # the constraints begin with it
    version = models.PositiveIntegerField(_("version"), default=1, db_default=1, editable=False)
    replaced_at = models.DateTimeField(_("replaced at"), null=True, blank=True, editable=False)
    topic = models.SlugField(_("topic"), max_length=60, db_index=True)
    prompt = models.TextField(_("prompt"), help_text=_("Markdown with $maths$."))
    explanation = models.TextField(
        _("explanation"),
        blank=True,
        help_text=_("Shown in the review, whichever answer was chosen."),
    )
    section = models.ForeignKey(
        "lessons.Section",
        verbose_name=_("section"),
        on_delete=models.SET_NULL,
        related_name="questions",
        null=True,
        blank=True,
        help_text=_("The section students should read again."),
    )
    published = models.BooleanField(
        _("published"), default=False, help_text=_("Only published questions are asked.")
    )
    reserved = models.BooleanField(
        _("reserved for quizzes"), default=False, help_text=_("It’s never shown in practice.")
    )
    asks = models.CharField(
        _("asks for"),
        max_length=16,
        choices=Asks,
        blank=True,
        default="",
        db_default="",
        help_text=_(
            "Whether students recall a sentence of the lesson, reason about a new case, or compute"
            " with numbers or shapes. They don’t see this."
        ),
    )
    source_hash = models.CharField(max_length=64, blank=True, editable=False)

    objects = CurrentQuestions()
    every = QuestionQuerySet.as_manager()

    class Meta:
        verbose_name = _("concept question")
        verbose_name_plural = _("concept questions")
        ordering = ["topic", "key"]
        constraints = [
            models.UniqueConstraint(fields=["key", "version"], name="question_version_once"),
            models.UniqueConstraint(
                fields=["key"], condition=Q(replaced_at=None), name="question_current_once"
            ),
        ]

    def __str__(self):
        return self.key

    def texts(self) -> list[str]:
        """Return all its Markdown texts."""
        choices = [text for each in self.choices.all() for text in (each.text, each.feedback)]
        return [self.prompt, self.explanation, *choices]


class QuestionShare(Share):
    """A user's right to own, edit or read a question, in all its versions."""

    key = models.SlugField(max_length=80, db_index=False)  # the constraints begin with it

    names_by = "key"

    class Meta(Share.Meta):
        verbose_name = _("question share")
        verbose_name_plural = _("question shares")
        constraints = share_constraints("key")

    @property
    def row_name(self) -> str:
        return gettext("Question: %s") % self.key


class QuestionTag(models.Model):
    """A free word of a question, in all its versions, by which instructors find it."""

    MAX_LENGTH = 40

    key = models.SlugField(max_length=80, db_index=False)  # the constraint begins with it
    tag = models.CharField(_("tag"), max_length=MAX_LENGTH, db_index=True)

    class Meta:
        verbose_name = _("tag of a question")
        verbose_name_plural = _("tags of questions")
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["key", "tag"], name="questiontag_once")]

    def __str__(self):
        return f"{self.key}: {self.tag}"


class Choice(models.Model):
    """A choice of a concept question, with the feedback to students who choose it."""

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
                violation_error_message=_("Only one choice can be correct."),
            ),
        ]

    def __str__(self):
        return self.key
