"""Certificates of passed quizzes: which attempt, in whose name, and under which address."""

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foundation.tokens import draw
from quizzes.models.attempts import Attempt

LONGEST_NAME = 100


class Certificate(models.Model):
    """What a student shows others of one attempt. Its marks are read from the attempt as it stands.

    The address is kept as it is, because its owner is to find it again; whoever reads this table
    reads all that stands behind the address anyway, so a hash would keep nothing from them. One
    that is withdrawn keeps its address, so that it can say so, and loses the name. An attempt may
    have another after that, under a new address.
    """

    attempt = models.ForeignKey(
        Attempt,
        verbose_name=_("attempt"),
        on_delete=models.CASCADE,
        related_name="certificates",
    )
    token = models.CharField(max_length=64, unique=True, default=draw)
    name = models.CharField(_("name"), max_length=LONGEST_NAME, blank=True)
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
