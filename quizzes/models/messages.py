"""Messages to all who take a quiz at a sitting. Only services write them."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from quizzes.models.quizzes import Sitting

MAX_MESSAGE_LENGTH = 300


class SittingMessage(models.Model):
    """A short text that the open attempts of a sitting show on top."""

    sitting = models.ForeignKey(
        Sitting, verbose_name=_("sitting"), on_delete=models.CASCADE, related_name="messages"
    )
    text = models.CharField(_("text"), max_length=MAX_MESSAGE_LENGTH)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("sent by"),
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    at = models.DateTimeField(_("sent at"), default=timezone.now)
    reached = models.PositiveIntegerField(
        _("reached"), default=0, help_text=_("How many students were working when it was sent.")
    )

    class Meta:
        verbose_name = _("message to all")
        verbose_name_plural = _("messages to all")
        ordering = ["pk"]
        default_permissions = ()

    def __str__(self):
        return gettext("message %(number)s") % {"number": self.pk}
