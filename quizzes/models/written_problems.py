"""Problems that instructors write as formulas, and their versions."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from sharing.models import OwnedQuerySet, Share, share_constraints

MAX_KEY = 60


class WrittenProblemQuerySet(OwnedQuerySet):
    """A queryset of problems."""

    share_model = "quizzes.WrittenProblemShare"
    named_by = "key"  # through all versions

    def published(self):
        """Return the versions that may be drawn: published, and not withdrawn since."""
        return self.filter(published_at__isnull=False, withdrawn_at=None)


class NewestProblems(models.Manager.from_queryset(WrittenProblemQuerySet)):
    """Manager of the newest version of every problem, be it a draft or published."""

    def get_queryset(self):
        return super().get_queryset().filter(newest=True)


class WrittenProblem(models.Model):
    """A problem written as formulas, in one version.

    A published version never changes: what is written afterwards is a draft of the next one, under
    the same key. To the core it is a family, under its key and version (`quizzes/written/`).
    """

    key = models.SlugField(_("key"), max_length=MAX_KEY, editable=False, db_index=False)
    version = models.PositiveIntegerField(_("version"), default=1, editable=False)
    newest = models.BooleanField(default=True, editable=False)
    text = models.TextField(_("text"), help_text=_("The problem as formulas."))
    language = models.PositiveSmallIntegerField(default=1, editable=False)
    revision = models.PositiveIntegerField(
        default=0, editable=False, help_text="Counts its saves, so that two authors don't collide."
    )
    title = models.CharField(_("title"), max_length=200, editable=False)
    summary = models.CharField(_("summary"), max_length=500, blank=True, editable=False)
    part = models.CharField(max_length=16, blank=True, editable=False)
    corrects = models.BooleanField(
        _("corrects earlier marks"),
        default=False,
        help_text=_(
            "Owners of quizzes that ask an earlier version are notified and can regrade their"
            " quizzes."
        ),
    )
    facts = models.JSONField(
        null=True, editable=False, help_text="What the proof worked out; empty until then."
    )
    saved_at = models.DateTimeField(_("saved at"), auto_now=True)
    published_at = models.DateTimeField(_("published at"), null=True, editable=False)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("published by"),
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        editable=False,
    )
    withdrawn_at = models.DateTimeField(_("withdrawn at"), null=True, editable=False)

    objects = NewestProblems()
    every = WrittenProblemQuerySet.as_manager()

    class Meta:
        verbose_name = _("problem")
        verbose_name_plural = _("problems")
        ordering = ["title", "key", "version"]
        base_manager_name = "every"
        constraints = [
            models.UniqueConstraint(fields=["key", "version"], name="problem_version_once"),
            models.UniqueConstraint(
                fields=["key"], condition=Q(newest=True), name="problem_newest_once"
            ),
            models.CheckConstraint(condition=Q(key__startswith="own_"), name="problem_key_is_own"),
            models.CheckConstraint(
                condition=Q(published_at=None) | Q(facts__isnull=False),
                name="problem_proven_before_published",
            ),
        ]

    def __str__(self):
        return self.title or self.key

    @property
    def is_draft(self) -> bool:
        return self.published_at is None


class WrittenProblemShare(Share):
    """A user's right to own, edit or read a problem, in all its versions."""

    key = models.SlugField(max_length=MAX_KEY, db_index=False)  # the constraints begin with it

    names_by = "key"

    class Meta(Share.Meta):
        verbose_name = _("problem share")
        verbose_name_plural = _("problem shares")
        constraints = share_constraints("key")

    @property
    def row_name(self) -> str:
        return gettext("Problem: %s") % self.key
