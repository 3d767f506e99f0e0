"""Variants, and the reasons why some were withdrawn."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quizzes.models.plain_json import PlainJSONField


class Variant(models.Model):
    """A proven problem with its numbers, which never change.

    Equal numbers are one variant. They are kept for exams, where each is given to one student only,
    or for practice, which students share.
    """

    kind = models.CharField(max_length=200, help_text="Family, version and options in one text.")
    family = models.CharField(max_length=60)
    version = models.PositiveSmallIntegerField()
    options = PlainJSONField()
    seed = models.CharField(max_length=64)
    words = PlainJSONField()
    givens = PlainJSONField()
    solution = PlainJSONField()
    tolerance = PlainJSONField()
    fingerprint = models.UUIDField(
        null=True,
        help_text="Of its numbers. Empty where an older row has the same: it is never given again.",
    )
    for_exams = models.BooleanField(default=False)
    drawn_at = models.DateTimeField(default=timezone.now)
    given_at = models.DateTimeField(
        null=True, blank=True, help_text="When an exam last asked it. Empty: never."
    )
    struck_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was withdrawn: nobody is given it again."
    )

    class Meta:
        verbose_name = _("variant")
        verbose_name_plural = _("variants")
        constraints = [
            # The fingerprint first: numbers are looked up by it alone, in all versions of a family.
            models.UniqueConstraint(fields=["fingerprint", "kind"], name="variant_numbers_once")
        ]
        indexes = [
            models.Index(
                fields=["kind", "id"],  # in the order in which they are given
                condition=Q(for_exams=True, given_at=None),
                name="variant_unused",
            ),
            models.Index(fields=["kind"], name="variant_of_kind"),
        ]

    def __str__(self):
        return f"{self.kind} {self.seed}"


class StruckOut(models.Model):
    """A variant's withdrawal: why and by whom. `Variant.struck_at` marks it too, for queries."""

    variant = models.OneToOneField(
        Variant, verbose_name=_("variant"), on_delete=models.CASCADE, related_name="struck_out"
    )
    reason = models.CharField(_("reason"), max_length=500)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("by"),
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
    )
    at = models.DateTimeField(_("at"), default=timezone.now)

    class Meta:
        verbose_name = _("withdrawn variant")
        verbose_name_plural = _("withdrawn variants")
        ordering = ["-pk"]

    def __str__(self):
        return str(self.variant)


class Sheet(models.Model):
    """HTML of a variant, as the last release stored it.

    Nothing reads or writes it any more. The table stays for this release, because servers of the
    last one use it until an upgrade is complete; the next release drops it.
    """

    variant = models.ForeignKey(
        Variant,
        on_delete=models.CASCADE,
        related_name="sheets",
        db_index=False,  # `sheet_once` begins with it
    )
    key = models.UUIDField(help_text="A hash of what it says, in which language, and by what code.")
    release = models.CharField(max_length=16, help_text="Of the code: a part of that hash.")
    packed = models.BinaryField()

    class Meta:
        verbose_name = _("sheet")
        verbose_name_plural = _("sheets")
        constraints = [models.UniqueConstraint(fields=["variant", "key"], name="sheet_once")]

    def __str__(self):
        return f"{self.variant_id} {self.key}"
