"""API tokens. Only the services write them."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

MAX_NAME_LENGTH = 60


class Token(models.Model):
    """An access token, with which a program sees what the token's owner sees of their classes."""

    class Scope(models.TextChoices):
        READ = "read", _("read")
        EXCEPTIONS = "exceptions", _("read and make exceptions")

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("owner"),
        on_delete=models.CASCADE,
        related_name="api_tokens",
    )
    name = models.CharField(_("name"), max_length=MAX_NAME_LENGTH)
    secret = models.CharField(
        max_length=64, unique=True, help_text="A hash of what the program sends."
    )
    scope = models.CharField(_("permissions"), max_length=10, choices=Scope, default=Scope.READ)
    course = models.ForeignKey(
        "classes.Course",
        verbose_name=_("class"),
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        help_text=_("Empty for every class its owner teaches."),
    )
    made_at = models.DateTimeField(_("created"), default=timezone.now)
    expires_at = models.DateTimeField(_("expires"))
    used_at = models.DateTimeField(_("last used"), null=True, blank=True)

    class Meta:
        verbose_name = _("token")
        verbose_name_plural = _("tokens")
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=models.F("made_at")), name="token_lasts_a_while"
            )
        ]

    def __str__(self):
        # Names nobody: events keep this text for good.
        return gettext("token %(number)s") % {"number": self.pk}

    @property
    def may_write(self):
        return self.scope == self.Scope.EXCEPTIONS

    @property
    def has_expired(self):
        return self.expires_at <= timezone.now()
