"""What is printed of a variant, ahead of whoever will be asked it."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from quizzes.models.variants import Variant


class Sheet(models.Model):
    """HTML that never changes, packed; all of them may be deleted at any time."""

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
        constraints = [
            models.UniqueConstraint(fields=["variant", "key"], name="sheet_once"),
        ]

    def __str__(self):
        return f"{self.variant_id} {self.key}"
