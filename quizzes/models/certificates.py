"""Certificates of passed quizzes: the attempt, the name and the address of each."""

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foundation.tokens import draw
from quizzes.models.attempts import Attempt

MAX_NAME_LENGTH = 100


class Certificate(models.Model):
    """A public certificate of one attempt. It shows the attempt's present marks.

    The token is stored in plain text, because its owner has to find it again; a reader of this
    table can read everything behind the address anyway, so a hash would protect nothing. A
    withdrawn certificate loses the name and keeps its address, to say there that it is withdrawn.
    The attempt may then have another one, under a new address.
    """

    attempt = models.ForeignKey(
        Attempt, verbose_name=_("attempt"), on_delete=models.CASCADE, related_name="certificates"
    )
    token = models.CharField(max_length=64, unique=True, default=draw)
    name = models.CharField(_("name"), max_length=MAX_NAME_LENGTH, blank=True)
    created_at = models.DateTimeField(_("made at"), default=timezone.now)
    revoked_at = models.DateTimeField(_("withdrawn at"), null=True, blank=True)

    class Meta:
        verbose_name = _("certificate")
        verbose_name_plural = _("certificates")
        constraints = [
            models.UniqueConstraint(
                fields=["attempt"], condition=Q(revoked_at=None), name="certificate_stands_once"
            ),
            models.CheckConstraint(
                condition=Q(revoked_at=None) | Q(name=""), name="certificate_withdrawn_is_nameless"
            ),
        ]

    def __str__(self):
        return str(self.attempt)

    def get_absolute_url(self):
        return reverse("quizzes:certificate-page", args=[self.token])
