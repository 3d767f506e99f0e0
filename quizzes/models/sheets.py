"""HTML that workers of the last release stored for each variant. Nothing uses it any more."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from quizzes.models.variants import Variant


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
